"""The merchant lookup and the assessment of a renewal: what a merchant's state says on a day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from pendulum import DateTime

from holdback.eligibility.assessment import UNDETERMINED, Assessment
from holdback.eligibility.derived_facts import performance
from holdback.errors import Refusal
from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES, trimmed
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.evidence.checks import TAKINGS, check_states, required_check
from holdback.lifecycle.offers.renewal_eligibility import (
    RULES,
    RenewalCase,
    RenewalEligibility,
    renewal_case,
    renewal_eligibility,
)
from holdback.lifecycle.operation import Case, Command, Decision, Question
from holdback.merchant.application import Check, ProductDecision
from holdback.merchant.deal import Deal, LookupDeal, LookupPlan, MerchantLookup, Performance
from holdback.merchant.merchant import Merchant
from holdback.rulebooks.rulebook import Rulebook, age_name


@frozen(kw_only=True)
class RenewalReview:
    """
    Whether the merchant is eligible to renew, what decided it, and what is missing for it.

    `decided_by` is `rules`, `products`, or `service`, which invites nobody in fulfilment or on
    hold. `checks` are those without which alone the rules do not agree: the host carries them out
    and records them. `declined` are the products, where the rules agree and every one would be
    declined, with the codes of the reasons.
    """

    assessment: Assessment
    renewal_eligibility: bool
    decided_by: str
    checks: tuple[Check, ...] = ()
    declined: tuple[ProductDecision, ...] = ()


@frozen(kw_only=True)
class LookUp(Question[MerchantLookup]):
    """Ask for the merchant's deals, none before the first funding (service 4.3)."""

    name = "look_up"
    by_provider = True

    def decide(self, case: Case) -> Decision[MerchantLookup]:
        rulebook = case.loaded_rulebook()
        eligibility = renewal_eligibility(case.merchant, case.at, rulebook, case.configuration)
        today = case.day
        deals = tuple(
            _shown(deal, today, eligible=eligibility.eligible) for deal in case.merchant.deals
        )
        return Decision((), lambda _: MerchantLookup(deals=deals), errors=eligibility.errors)


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


@frozen(kw_only=True)
class AssessRenewal(Question[Assessment]):
    """
    Ask for the assessment of the deal that a renewal would be based on, by the rules alone.

    Raises:
        Refusal: `no_deal_to_renew`; `not_possible_now` while no rules are loaded.
    """

    name = "assess_renewal"
    by_provider = True

    def decide(self, case: Case) -> Decision[Assessment]:
        renewal = renewal_case(case.merchant, case.at, case.rulebook())

        def reply(_: Merchant) -> Assessment:
            return _base(renewal).assessment

        return Decision((), reply)


@frozen(kw_only=True)
class ReviewRenewal(Command[RenewalReview]):
    """
    Assess the renewal again, announce a change of eligibility, and name the checks it lacks.

    Raises:
        Refusal: `no_deal_to_renew`; `not_possible_now` while no rules are loaded.
    """

    name = "review_renewal"
    by_provider = True
    always_announces = True
    remembered = False

    def decide(self, case: Case) -> Decision[RenewalReview]:
        rulebook = case.rulebook()
        eligibility = renewal_eligibility(case.merchant, case.at, rulebook, case.configuration)

        def reply(_: Merchant) -> RenewalReview:
            renewal = _base(eligibility.case)
            return RenewalReview(
                assessment=eligibility.assessment or renewal.assessment,
                renewal_eligibility=eligibility.eligible,
                decided_by=eligibility.decided_by,
                checks=tuple(_checks_alone(case.merchant, eligibility, case.at, rulebook)),
                declined=tuple(map(ProductDecision.of, eligibility.declined)),
            )

        return Decision((), reply, errors=eligibility.errors)


def _base(renewal: RenewalCase | None) -> RenewalCase:
    if renewal is None:
        raise Refusal("no_deal_to_renew", "the merchant has no active or recently repaid deal")
    return renewal


def _checks_alone(
    merchant: Merchant, eligibility: RenewalEligibility, at: DateTime, rulebook: Rulebook
) -> Iterator[Check]:
    """
    Yield the checks without which alone the rules do not agree.

    There are none where a rule is false, or where a fact is missing that no check gives.
    """
    assessment = eligibility.assessment
    if assessment is None or assessment.outcome != UNDETERMINED or eligibility.decided_by != RULES:
        return
    if assessment.answers.false:
        return
    needs = set(assessment.needs)
    states = tuple(check_states(merchant, rulebook, at, merchant.sections))
    due = [s for s in states if needs & {*s.terms.facts, age_name(s.terms.name)}]
    given = {name for state in due for name in (*state.terms.facts, age_name(state.terms.name))}
    # A deal's takings are recorded day by day, and no check.
    if needs <= given and all(state.terms.name != TAKINGS for state in due):
        for state in due:
            yield required_check(state, merchant.consents_of(merchant.sections))


def _shown(deal: Deal, today: date, *, eligible: bool) -> LookupDeal:
    """Return *deal* as the lookup shows it; the active deal alone can be *eligible*."""
    return LookupDeal(
        deal=deal,
        performance=_performance(deal, today, eligible=eligible),
        plan=_plan(deal, today),
    )


def _plan(deal: Deal, today: date) -> LookupPlan | None:
    planned, days = deal.planned, deal.days_past_due(today)
    if days is None:
        return None
    past_due = sum(part.amount.minor - part.paid.minor for part in planned if part.due_on < today)
    return LookupPlan(
        instalments=planned,
        past_due=Money(past_due, deal.repayment_amount.currency),
        days_past_due=days,
        next_due_on=next(
            (part.due_on for part in planned if part.due_on >= today and part.paid < part.amount),
            None,
        ),
    )


def _performance(deal: Deal, today: date, *, eligible: bool) -> Performance:
    scaled = performance(deal, today)
    return Performance(
        # On the day of funding nothing is due yet: the deal counts as on pace.
        performance=trimmed(HUNDRED_PERCENT if scaled is None else scaled, PERCENT_PLACES),
        progress=trimmed(deal.progress, PERCENT_PLACES),
        renewal_eligibility=deal.active and eligible,
    )
