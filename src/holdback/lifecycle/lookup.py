"""The merchant lookup and the assessment of a renewal: what a merchant's state says on a day."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

from pendulum import DateTime

from holdback.eligibility.assessment import UNDETERMINED, Assessment
from holdback.eligibility.derived_facts import performance
from holdback.errors import Refusal
from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES, trimmed
from holdback.jurisdictions.checks import age_name
from holdback.jurisdictions.rulebook import Rulebook
from holdback.lifecycle.commands import AssessRenewal, LookUp, ReviewRenewal
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.evidence import TAKINGS, check_states
from holdback.lifecycle.invitation import invitation
from holdback.lifecycle.invited import RULES, Invitation
from holdback.lifecycle.offers import required_check
from holdback.lifecycle.renewal_review import RenewalReview
from holdback.lifecycle.status import RenewalCase, renewal_case
from holdback.merchant.application import Check
from holdback.merchant.deal import Deal, LookupDeal, MerchantLookup, Performance
from holdback.merchant.merchant import Merchant


def look_up(
    merchant: Merchant, _: LookUp, context: Context, configuration: Configuration
) -> Decision[MerchantLookup]:
    """Return the merchant's deals with their performance on the day (service 4.3)."""
    rulebook = configuration.loaded_rulebook(merchant, context.at)
    invited = invitation(merchant, context.at, rulebook, configuration)
    today = configuration.local_day(merchant, context.at)
    deals = tuple(_shown(deal, today, eligible=invited.eligible) for deal in merchant.deals)
    return Decision((), lambda _: MerchantLookup(deals=deals), errors=invited.errors)


def deal_reply(
    deal_id: str, context: Context, configuration: Configuration
) -> Callable[[Merchant], LookupDeal]:
    """Return the reply of a command about one deal: that deal, as the merchant lookup shows it."""

    def reply(after: Merchant) -> LookupDeal:
        rulebook = configuration.loaded_rulebook(after, context.at)
        invited = invitation(after, context.at, rulebook, configuration)
        today = configuration.local_day(after, context.at)
        return _shown(find_deal(after, deal_id), today, eligible=invited.eligible)

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
    merchant: Merchant, _: AssessRenewal, context: Context, configuration: Configuration
) -> Decision[Assessment]:
    """
    Return the assessment of the deal that a renewal would be based on, by the rules alone.

    The reply raises the refusal `no_deal_to_renew` without a base deal.
    """
    case = renewal_case(merchant, context.at, configuration.rulebook(merchant, context.at))

    def reply(_: Merchant) -> Assessment:
        return _base(case).assessment

    return Decision((), reply)


def review_renewal(
    merchant: Merchant, _: ReviewRenewal, context: Context, configuration: Configuration
) -> Decision[RenewalReview]:
    """
    Return whether the merchant is to be invited, and the checks that alone keep it from that.

    `decide` adds the event. The reply raises `no_deal_to_renew` without a base deal.
    """
    rulebook = configuration.rulebook(merchant, context.at)
    invited = invitation(merchant, context.at, rulebook, configuration)

    def reply(_: Merchant) -> RenewalReview:
        case = _base(invited.case)
        return RenewalReview(
            assessment=invited.assessment or case.assessment,
            renewal_eligibility=invited.eligible,
            decided_by=invited.decided_by,
            checks=tuple(_checks_alone(merchant, invited, context.at, rulebook)),
        )

    return Decision((), reply, errors=invited.errors)


def _base(case: RenewalCase | None) -> RenewalCase:
    if case is None:
        raise Refusal("no_deal_to_renew", "the merchant has no active or recently repaid deal")
    return case


def _checks_alone(
    merchant: Merchant, invited: Invitation, at: DateTime, rulebook: Rulebook
) -> Iterator[Check]:
    """
    Yield the checks without which alone the rules do not agree.

    There are none where a rule is false, or where a fact is missing that no check gives.
    """
    assessment = invited.assessment
    if assessment is None or assessment.outcome != UNDETERMINED or invited.decided_by != RULES:
        return
    if assessment.answers.false:
        return
    needs, states = set(assessment.needs), tuple(check_states(merchant, rulebook, at))
    due = [s for s in states if needs & {*s.terms.facts, age_name(s.terms.name)}]
    given = {name for state in due for name in (*state.terms.facts, age_name(state.terms.name))}
    # A deal's takings are recorded day by day, and no check.
    if needs <= given and all(state.terms.name != TAKINGS for state in due):
        for state in due:
            yield required_check(state, merchant.consents)


def _shown(deal: Deal, today: date, *, eligible: bool) -> LookupDeal:
    """Return *deal* as the lookup shows it; the active deal alone can be *eligible*."""
    return LookupDeal(deal=deal, performance=_performance(deal, today, eligible=eligible))


def _performance(deal: Deal, today: date, *, eligible: bool) -> Performance:
    scaled = performance(deal, today)
    return Performance(
        # On the day of funding nothing is due yet: the deal counts as on pace.
        performance=trimmed(HUNDRED_PERCENT if scaled is None else scaled, PERCENT_PLACES),
        progress=trimmed(deal.progress, PERCENT_PLACES),
        renewal_eligibility=deal.active and eligible,
    )
