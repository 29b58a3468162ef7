"""
Whether an accepted offer may be paid out: a jurisdiction's `[[funding]]` rules, read at funding.

They read what is known of the merchant and of the applicants at that instant. The terms that were
promised hold; while a rule is false or unknown the payout waits (decisions/offers#funding-rules).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

from attrs import evolve

from holdback.eligibility.derived_facts import initial_facts, renewal_facts
from holdback.eligibility.reasons import missing_facts, reasons
from holdback.eligibility.ruleset import Answers
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.lifecycle.evidence.checks import (
    TAKINGS,
    check_states,
    evidence_facts,
    required_check,
    with_deal,
)
from holdback.lifecycle.offers.renewal_eligibility import (
    approved_rules,
    decision_in_force,
    lifted_mask,
    referred_rules,
)
from holdback.lifecycle.offers.since_the_offer import held_back
from holdback.lifecycle.operation import Case
from holdback.merchant.application import PEOPLE, Check, RequiredChecks
from holdback.merchant.merchant import Fulfilment
from holdback.merchant.referral import Referral
from holdback.rulebooks.rulebook import age_name


@frozen(kw_only=True)
class FundingAnswers:
    """The answers of the funding rules on a day; `lifted` are the codes of those approved."""

    answers: Answers
    on: date
    lifted: tuple[str, ...]

    @property
    def waiting(self) -> int:
        """The mask of the rules for which the payout waits: an unknown one is not true."""
        return self.answers.false | self.answers.unknown

    def words(self, *, figures: bool) -> Iterator[str]:
        """Yield for which rules the payout waits, with their reasons if *figures* may be read."""
        texts = {reason.code: reason.text for reason in reasons(self.answers, self.answers.false)}
        for rule in self.answers.selected(self.waiting):
            why = missing_facts(self.answers, rule)
            if rule.code in texts:
                why = texts[rule.code] if figures else "false"
            yield f"{rule.code}: {why}"

    def record(self) -> Mapping[str, Json]:
        """Return the record of a payout: by which rules, on which facts, and what was lifted."""
        ruleset = self.answers.ruleset
        read = {name for rule in ruleset.rules for name in rule.checked.names}
        facts = self.answers.known
        return {
            "jurisdiction": ruleset.jurisdiction,
            "on": self.on.isoformat(),
            "digest": ruleset.digest,
            "versions": ruleset.versions,
            "facts": {name: value for name, value in facts.items() if name in read},
            **({"lifted": list(self.lifted)} if self.lifted else {}),
        }


def funding_answers(case: Case, application: Fulfilment) -> FundingAnswers | None:
    """Return what the funding rules say of *application* now; None if no rules are loaded."""
    rulebook, merchant = case.loaded_rulebook(), case.merchant
    if rulebook is None:
        return None
    base, catalogue = merchant.deal_of(application.base_deal_id), rulebook.catalogue
    sections = with_deal(application.sections, base)
    evidence = evidence_facts(merchant, rulebook, case.at, sections)
    facts = (
        initial_facts(merchant, catalogue, evidence, rulebook.on)
        if base is None
        else renewal_facts(merchant, base, catalogue, evidence, rulebook.on)
    )
    lifted = _lifted(case, application)
    codes = (rule.code for bit, rule in enumerate(rulebook.funding.rules) if lifted >> bit & 1)
    return FundingAnswers(
        answers=rulebook.funding.answer(facts, lifted=lifted),
        on=rulebook.on,
        lifted=tuple(codes),
    )


def _people(application: Fulfilment) -> dict[str, str]:
    """Return the applicants and the company that *application* is about, by their digests."""
    sections = application.sections
    return {name: sections[name] for name in PEOPLE if name in sections}


def _lifted(case: Case, application: Fulfilment) -> int:
    """Return the mask of the funding rules that a person approved for *application*."""
    if application.product is None:
        return 0
    base = application.base_deal_id
    decision = decision_in_force(case.merchant, application.product, base, case.at)
    if decision is None:
        return 0
    approved = frozenset(approved_rules(decision, _people(application)))
    return lifted_mask(case.rulebook().funding, approved)


def funding_held_back(
    case: Case, application: Fulfilment, answered: FundingAnswers | None, *, figures: bool = False
) -> list[str]:
    """
    Return, in words for the service's agents, what holds back the payout; nothing usually.

    The reasons of rules may say figures of the applicants: they are left out unless *figures*.
    """
    of_rules = () if answered is None else answered.words(figures=figures)
    return [*held_back(case, application, application.product), *of_rules]


def required_for_funding(case: Case, application: Fulfilment) -> RequiredChecks:
    """Return what the funding of *application* needs, and what holds it back now."""
    answered = funding_answers(case, application)
    checks = () if answered is None else tuple(_checks(case, application, answered))
    reasons_now = funding_held_back(case, application, answered, figures=True)
    return RequiredChecks(checks=checks, held_back=tuple(reasons_now))


def _checks(case: Case, application: Fulfilment, answered: FundingAnswers) -> Iterator[Check]:
    """Yield the checks that give what a funding rule lacks or found false: to be made again."""
    merchant, rulebook, answers = case.merchant, case.rulebook(), answered.answers
    read = {name for rule in answers.selected(answered.waiting) for name in rule.checked.names}
    base = merchant.deal_of(application.base_deal_id)
    sections = with_deal(application.sections, base)
    for state in check_states(merchant, rulebook, case.at, sections):
        names = {*state.terms.facts, age_name(state.terms.name)} & read
        # The takings of a merchant with a deal follow from its history.
        if not names or (state.terms.name == TAKINGS and merchant.active_deal is not None):
            continue
        check = required_check(state, merchant.consents_of(application.sections))
        lacking = state.why is not None or any(name not in answers.known for name in names)
        yield check if lacking else evolve(check, why="failed")


def waiting_funding(case: Case) -> Referral | None:
    """Return what a person has to decide about an application whose funding waits, if any."""
    application, rulebook = case.merchant.in_fulfilment, case.loaded_rulebook()
    if application is None or application.product is None or rulebook is None:
        return None
    answered = funding_answers(case, application)
    if answered is None or not answered.waiting:
        return None
    answers = answered.answers
    waiting = tuple(answers.selected(answered.waiting))
    read = {name for rule in waiting for name in rule.checked.names}
    return Referral(
        application_id=application.application_id,
        product=application.product,
        referred_at=case.at,
        base_deal_id=application.base_deal_id,
        rules=tuple(referred_rules(rulebook.funding, answers.facts)),
        needs=answers.needs,
        facts={name: answers.known[name] for name in sorted(read) if name in answers.known},
        sections=_people(application),
    )
