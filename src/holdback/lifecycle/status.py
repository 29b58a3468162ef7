"""Where a merchant stands on a day: its base deal, the facts, and whether it may renew now.

The lookup, the request for offers and the announcement of a change all ask here, so they cannot differ
(design 6a: "lookup and `POST /offers` use one assessment").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from attrs import evolve, frozen
from pendulum import DateTime

from holdback.derived_facts import held_facts, performance, renewal_facts
from holdback.eligibility import Assessment, assess
from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.exact_json import Json
from holdback.facts import BUILT_IN_FACTS, EVIDENCE_FACTS, INITIAL_EVIDENCE
from holdback.jurisdictions.rulebook import Rulebook
from holdback.lifecycle.context import Configuration, Context, local_date
from holdback.model.deal import (
    FUNDED,
    REPAID,
    WHOLE,
    Deal,
    LookupDeal,
    MerchantLookup,
    Performance,
)
from holdback.model.merchant import Merchant, OfferSet
from holdback.model.offer import ELIGIBLE
from holdback.money import PERCENT_PLACES, trimmed
from holdback.rules.types import Catalogue, Facts


def base_deal(merchant: Merchant, rulebook: Rulebook, today: date) -> Deal | None:
    """
    The deal that a renewal would be based on: the active one, else the one repaid last, within the
    jurisdiction's `recently_active_days` (service 1: "an active or recently active deal").
    """
    if merchant.active_deal is not None:
        return merchant.active_deal
    repaid = [
        (deal.repaid_on, deal)
        for deal in merchant.deals
        if deal.status == REPAID and deal.repaid_on is not None
    ]
    if not repaid:
        return None
    on, deal = max(repaid, key=lambda each: each[0])
    return deal if (today - on).days <= rulebook.recently_active_days else None


def check_evidence(evidence: Mapping[str, Json], rulebook: Rulebook, *, renewal: bool) -> Facts:
    """
    The *evidence* as prepared facts. In a *renewal*, and in whatever else is done with a merchant that
    the service knows, the state alone says what it can derive.

    Raises:
        InvalidDocument: naming everything that is no evidence, or cannot be meant.
    """
    added = (fact.name for fact in rulebook.catalogue.facts[BUILT_IN_FACTS:])
    allowed = (*(EVIDENCE_FACTS if renewal else INITIAL_EVIDENCE), *added)
    faults = [_no_evidence(str(name)[:60], allowed) for name in evidence if name not in allowed]
    catalogue = rulebook.catalogue
    prepared: Facts = ()
    try:
        prepared = catalogue.prepare({n: v for n, v in evidence.items() if n in allowed})
    except InvalidDocument as error:
        faults += [
            evolve(each, path=(each.path or "$").replace("$", "$.evidence", 1))
            for each in error.errors
        ]
    else:
        checked_on = prepared[catalogue.place("credit_checked_on")]
        if checked_on is not None and checked_on > rulebook.on.toordinal():
            message = f"expected a day up to today, {rulebook.on.isoformat()}"
            faults.append(ErrorDetail(message=message, path="$.evidence.credit_checked_on"))
    if faults:
        raise InvalidDocument(faults)
    return prepared


def _no_evidence(name: str, allowed: tuple[str, ...]) -> ErrorDetail:
    message = f"`{name}` is not evidence"
    if name in INITIAL_EVIDENCE:
        message = f"the merchant's state derives `{name}`; evidence for it is not taken"
    hint = did_you_mean(name, allowed)
    return ErrorDetail(message=message, path=f"$.evidence.{name}", hint=hint)


def expired_unaccepted(merchant: Merchant, at: DateTime) -> OfferSet | None:
    """
    The last set of offers that expired unaccepted since the last acceptance, if there is one. An
    acceptance withdraws what is open, so what is still eligible and expired later came after it.
    """
    since = max((each.accepted_at for each in merchant.fulfilments), default=None)
    expired = [
        each
        for each in merchant.offer_sets
        if each.expires_at <= at
        and (since is None or each.expires_at > since)
        and any(o.offer_status == ELIGIBLE for product in each.products for o in product.offers)
    ]
    return max(expired, key=lambda each: each.expires_at, default=None)


@frozen(kw_only=True)
class SecondCheck:
    """A second consumer credit check is due: made on `not_before` or later, and after `earlier`."""

    not_before: date
    earlier: date | None

    def satisfied(self, checked_on: date | None) -> bool:
        """Whether a check made on *checked_on* is the second one."""
        if checked_on is None or checked_on < self.not_before:
            return False
        return self.earlier is None or checked_on > self.earlier


def second_check(
    merchant: Merchant, rulebook: Rulebook, catalogue: Catalogue, at: DateTime
) -> SecondCheck | None:
    """
    The second consumer credit check that is due, if one is (service 3: "with automated decisioning a second
    credit check on the merchant's consumer file is run").
    """
    expired = expired_unaccepted(merchant, at)
    if expired is None or not rulebook.automated_decisioning:
        return None
    earlier = held_facts(expired.evidence, catalogue)[catalogue.place("credit_checked_on")]
    return SecondCheck(
        not_before=local_date(expired.expires_at, rulebook.zone),
        earlier=None if earlier is None else date.fromordinal(earlier),
    )


def with_valid_credit(merchant: Merchant, facts: Facts, rulebook: Rulebook, at: DateTime) -> Facts:
    """*facts* without the consumer credit results, where these are older than the check that is due."""
    catalogue = rulebook.catalogue
    due = second_check(merchant, rulebook, catalogue, at)
    if due is None:
        return facts
    checked = facts[catalogue.place("credit_checked_on")]
    if due.satisfied(None if checked is None else date.fromordinal(checked)):
        return facts
    stale = {catalogue.place("credit_score"), catalogue.place("credit_checked_on")}
    return tuple(None if place in stale else number for place, number in enumerate(facts))


@frozen(kw_only=True)
class RenewalCase:
    """The deal that a renewal would be based on, the facts about it, and the rules' assessment."""

    deal: Deal
    facts: Facts
    assessment: Assessment


def renewal_case(merchant: Merchant, context: Context, rulebook: Rulebook) -> RenewalCase | None:
    """
    The renewal that the merchant could ask for at this instant, by the *rulebook* of its day; None
    without a deal to base it on.
    """
    deal = base_deal(merchant, rulebook, rulebook.on)
    if deal is None:
        return None
    facts = renewal_facts(merchant, deal, rulebook.catalogue, context.evidence, rulebook.on)
    facts = with_valid_credit(merchant, facts, rulebook, context.at)
    return RenewalCase(
        deal=deal, facts=facts, assessment=assess(rulebook.renewal, facts, rulebook.on)
    )


def renewal_eligibility(merchant: Merchant, case: RenewalCase | None) -> bool:
    """
    The `renewal_eligibility` of the active deal: the assessment's answer, and false while an
    application is in fulfilment (design 6a).
    """
    return (
        case is not None
        and case.deal.status == FUNDED
        and merchant.in_fulfilment is None
        and case.assessment.eligible
    )


def standings(
    merchant: Merchant, deals: Iterable[Deal], context: Context, configuration: Configuration
) -> MerchantLookup:
    """*deals* of the merchant as the lookup shows them (service 2.5)."""
    rulebook = configuration.rulebook(merchant, context.at)
    today = rulebook.on
    eligible = renewal_eligibility(merchant, renewal_case(merchant, context, rulebook))
    return MerchantLookup(
        deals=tuple(
            LookupDeal(deal=deal, performance=_performance(deal, today, eligible)) for deal in deals
        )
    )


def _performance(deal: Deal, today: date, eligible: bool) -> Performance:
    """How *deal* does: on pace before a day has elapsed."""
    scaled = performance(deal, today)
    return Performance(
        performance=trimmed(WHOLE if scaled is None else scaled, PERCENT_PLACES),
        progress=trimmed(deal.progress, PERCENT_PLACES),
        renewal_eligibility=deal.active and eligible,
    )
