"""
A merchant on a day: its base deal, valid evidence, a second credit check, renewal eligibility.

The lookup, the request for offers and the announcement of a change all ask here, so their answers
agree (decisions/renewal).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from attrs import evolve
from pendulum import DateTime

from holdback.derived_facts import renewal_facts
from holdback.eligibility import Assessment, assess
from holdback.errors import ConfigurationError, ErrorDetail, InvalidDocument, did_you_mean
from holdback.exact_json import Json, shown_path
from holdback.facts import BUILT_IN_FACTS, EVIDENCE_FACTS, INITIAL_EVIDENCE
from holdback.frozen_classes import frozen
from holdback.jurisdictions.rulebook import Rulebook
from holdback.lifecycle.context import Context
from holdback.model.deal import FUNDED, REPAID, Deal
from holdback.model.instants import local_date
from holdback.model.merchant import ClosedOfferSet, CreditCheckDue, Merchant
from holdback.model.offer import ELIGIBLE
from holdback.rules.types import Facts


def base_deal(merchant: Merchant, rulebook: Rulebook, today: date) -> Deal | None:
    """
    Return the deal that a renewal would be based on (service 1), None without one.

    It is the active deal, or else the deal repaid last, within `recently_active_days`.
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
    on, deal = max(repaid, key=lambda day_and_deal: day_and_deal[0])
    return deal if (today - on).days <= rulebook.recently_active_days else None


def check_evidence(
    evidence: Mapping[str, Json], rulebook: Rulebook, *, known_merchant: bool
) -> Facts:
    """
    Return *evidence* as prepared facts.

    The facts about a *known_merchant* that follow from its history cannot be evidence.

    Raises:
        ConfigurationError: naming every fact that is not evidence and every invalid value.
    """
    catalogue = rulebook.catalogue
    if not evidence:
        return (None,) * len(catalogue.facts)
    declared = (fact.name for fact in catalogue.facts[BUILT_IN_FACTS:])
    allowed = (*(EVIDENCE_FACTS if known_merchant else INITIAL_EVIDENCE), *declared)
    errors = [_not_evidence(name, allowed) for name in evidence if name not in allowed]
    given = {name: value for name, value in evidence.items() if name in allowed}
    try:
        prepared = catalogue.prepare(given)
    except InvalidDocument as error:
        errors += [
            evolve(detail, path=(detail.path or "$").replace("$", "$.evidence", 1))
            for detail in error.errors
        ]
        # What is left is checked all the same, so that all errors are reported at once.
        wrong = {detail.path for detail in error.errors}
        left = {n: value for n, value in given.items() if shown_path("$", n) not in wrong}
        prepared = catalogue.prepare(left)
    checked_on = prepared[catalogue.place("credit_checked_on")]
    if checked_on is not None and checked_on > rulebook.on.toordinal():
        message = f"expected a day up to today, {rulebook.on.isoformat()}"
        path = "$.evidence.credit_checked_on"
        errors.append(ErrorDetail(code="future_day", message=message, path=path))
    if errors:
        raise ConfigurationError(errors)
    return prepared


def _not_evidence(name: object, allowed: tuple[str, ...]) -> ErrorDetail:
    shown = str(name)[:60]
    message = f"`{shown}` is not evidence"
    if name in INITIAL_EVIDENCE:
        message = (
            f"`{shown}` is derived from the merchant's history and cannot be given as evidence"
        )
    hint, path = did_you_mean(shown, allowed), shown_path("$.evidence", name)
    return ErrorDetail(code="not_allowed", message=message, path=path, hint=hint)


def expired_unaccepted(merchant: Merchant, at: DateTime) -> CreditCheckDue | None:
    """Return what the last set of offers that expired unaccepted asks for, None without one."""
    # An acceptance withdraws all open offers. So a set with eligible offers that expired after the
    # last acceptance was issued after it.
    since = merchant.last_accepted_at
    expired = [due for due in (merchant.credit_check_due,) if due is not None]
    closed_sets = (
        offer_set if isinstance(offer_set, ClosedOfferSet) else ClosedOfferSet.of(offer_set)
        for offer_set in merchant.sets
        if offer_set.expires_at <= at and (since is None or offer_set.expires_at > since)
    )
    expired += [
        CreditCheckDue(expired_at=closed.expires_at, checked_on=closed.credit_checked_on)
        for closed in closed_sets
        if ELIGIBLE in closed.offers.values()
    ]
    return max(expired, key=lambda due: due.expired_at, default=None)


@frozen(kw_only=True)
class SecondCheck:
    """A second consumer credit check that is due: on `not_before` or later, and after `earlier`."""

    not_before: date
    earlier: date | None

    def satisfied(self, checked_on: date | None) -> bool:
        """Return whether a check made on *checked_on* is the second check."""
        if checked_on is None or checked_on < self.not_before:
            return False
        return self.earlier is None or checked_on > self.earlier


def required_second_check(
    merchant: Merchant, rulebook: Rulebook, at: DateTime
) -> SecondCheck | None:
    """
    Return what a second consumer credit check must satisfy, None if none is due.

    With automated decisioning, offers that expired unaccepted require one (service 3,
    decisions/second-credit-check).
    """
    expired = expired_unaccepted(merchant, at)
    if expired is None or not rulebook.automated_decisioning:
        return None
    return SecondCheck(
        not_before=local_date(expired.expired_at, rulebook.zone), earlier=expired.checked_on
    )


def with_valid_credit(merchant: Merchant, facts: Facts, rulebook: Rulebook, at: DateTime) -> Facts:
    """Return *facts*, without the credit results if they are older than the check that is due."""
    catalogue = rulebook.catalogue
    due = required_second_check(merchant, rulebook, at)
    if due is None:
        return facts
    checked = facts[catalogue.place("credit_checked_on")]
    if due.satisfied(None if checked is None else date.fromordinal(checked)):
        return facts
    stale = {catalogue.place("credit_score"), catalogue.place("credit_checked_on")}
    return tuple(None if place in stale else number for place, number in enumerate(facts))


@frozen(kw_only=True)
class RenewalCase:
    """The deal that a renewal would be based on, the facts about it, and the assessment of them."""

    deal: Deal
    facts: Facts
    assessment: Assessment


def renewal_case(
    merchant: Merchant, context: Context, rulebook: Rulebook | None
) -> RenewalCase | None:
    """Return the renewal that the merchant could request now, None without rules or base deal."""
    if rulebook is None:
        return None
    deal = base_deal(merchant, rulebook, rulebook.on)
    if deal is None:
        return None
    facts = renewal_facts(merchant, deal, rulebook.catalogue, context.evidence, rulebook.on)
    facts = with_valid_credit(merchant, facts, rulebook, context.at)
    return RenewalCase(
        deal=deal, facts=facts, assessment=assess(rulebook.renewal, facts, rulebook.on)
    )


def renewal_eligibility(merchant: Merchant, case: RenewalCase | None) -> bool:
    """Return the `renewal_eligibility` of the active deal (service 2.5)."""
    return (
        case is not None
        and case.deal.status == FUNDED
        # The application could not be filled (service 1).
        and not merchant.profile_erased
        # A merchant with an application in fulfilment cannot request another (decisions/renewal).
        and merchant.in_fulfilment is None
        and case.assessment.eligible
    )
