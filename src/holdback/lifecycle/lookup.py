"""The merchant lookup and the assessment of a renewal: what a merchant's state says on a day."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date

from holdback.derived_facts import performance
from holdback.eligibility import Assessment
from holdback.errors import Refusal
from holdback.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES, trimmed
from holdback.lifecycle.commands import AssessRenewal, LookUp, ReviewRenewal
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.status import renewal_case, renewal_eligibility
from holdback.model.deal import Deal, LookupDeal, MerchantLookup, Performance
from holdback.model.merchant import Merchant


def look_up(
    merchant: Merchant, _: LookUp, context: Context, configuration: Configuration
) -> Decision[MerchantLookup]:
    """Return the merchant's deals with their performance on the day (service 4.3)."""
    deals = _with_performance(merchant, merchant.deals, context, configuration)
    return Decision((), lambda _: MerchantLookup(deals=deals))


def deal_reply(
    deal_id: str, context: Context, configuration: Configuration
) -> Callable[[Merchant], LookupDeal]:
    """Return the reply of a command about one deal: that deal, as the merchant lookup shows it."""

    def reply(after: Merchant) -> LookupDeal:
        deals = (find_deal(after, deal_id),)
        return _with_performance(after, deals, context, configuration)[0]

    return reply


def find_deal(merchant: Merchant, deal_id: str) -> Deal:
    """
    Return the deal with *deal_id*.

    Raises:
        Refusal: `deal_not_found`.
    """
    deal = merchant.deal_of(deal_id)
    if deal is None:
        raise Refusal("deal_not_found", "no deal of this merchant has this deal_id")
    return deal


def assess_renewal(
    merchant: Merchant,
    _: AssessRenewal | ReviewRenewal,
    context: Context,
    configuration: Configuration,
) -> Decision[Assessment]:
    """
    Return the assessment of the deal that a renewal would be based on.

    The reply raises the refusal `no_deal_to_renew` without a base deal. `review_renewal` uses this
    handler too; `decide` adds the event.
    """
    case = renewal_case(merchant, context, configuration.rulebook(merchant, context.at))

    def reply(_: Merchant) -> Assessment:
        if case is None:
            raise Refusal("no_deal_to_renew", "the merchant has no active or recently repaid deal")
        return case.assessment

    return Decision((), reply)


def _with_performance(
    merchant: Merchant, deals: Iterable[Deal], context: Context, configuration: Configuration
) -> tuple[LookupDeal, ...]:
    rulebook = configuration.loaded_rulebook(merchant, context.at)
    today = configuration.local_day(merchant, context.at)
    eligible = renewal_eligibility(merchant, renewal_case(merchant, context, rulebook))
    return tuple(
        LookupDeal(deal=deal, performance=_performance(deal, today, eligible=eligible))
        for deal in deals
    )


def _performance(deal: Deal, today: date, *, eligible: bool) -> Performance:
    scaled = performance(deal, today)
    return Performance(
        # On the day of funding nothing is due yet: the deal counts as on pace.
        performance=trimmed(HUNDRED_PERCENT if scaled is None else scaled, PERCENT_PLACES),
        progress=trimmed(deal.progress, PERCENT_PLACES),
        renewal_eligibility=deal.active and eligible,
    )
