"""Every example in every jurisdiction that ships comes out as it says."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from attrs import evolve

from every_case import for_every
from holdback import Merchant, Money, load_jurisdictions
from holdback.eligibility.facts import BUILT_IN_FACTS, DERIVED, INITIAL_EVIDENCE
from holdback.eligibility.reasons import SERVICE_REASONS
from holdback.rulebooks.rulebook import FUNDING
from holdback.tools.example_run import run_example
from journey import Journey
from own_rules import with_own_rules

JURISDICTIONS = load_jurisdictions()
EXAMPLES = [
    pytest.param(code, example, id=f"{code} {example.product or 'renewal'}: {example.name}")
    for code in JURISDICTIONS.codes
    for example in JURISDICTIONS.examples(code)
]
RENEWAL = [
    each for each in EXAMPLES if each.values[1].product is None and not each.values[1].of_settings
]
PRODUCT = [
    each
    for each in EXAMPLES
    if each.values[1].product not in {None, FUNDING} and each.values[1].of_rules
]


def derived(rulebook):
    """The facts of a newcomer that holdback derives: no earlier deals, checks made just now."""
    ages = (fact.name for fact in rulebook.catalogue.facts if fact.origin == DERIVED)
    return dict.fromkeys(("deals_completed", "deals_defaulted", "deals_written_off", *ages), 0)


def evidence_of(code, example):
    """The facts of *example* that a host brings as evidence."""
    of_newcomer = derived(JURISDICTIONS.resolve(code, on=example.on))
    # A check by fact name is made just now, which its day says again.
    left_out = {*of_newcomer, "credit_checked_on"}
    return {name: value for name, value in example.given.items() if name not in left_out}


def is_initial(code, example):
    """Return whether *example* is of a newcomer's initial application for an offered product."""
    rulebook = JURISDICTIONS.resolve(code, on=example.on)
    own = rulebook.catalogue.facts[BUILT_IN_FACTS:]
    known = {*INITIAL_EVIDENCE, *(fact.name for fact in own)}
    if example.expect["decision"] == "Not offered" or example.settles is not None:
        return False
    evidence = evidence_of(code, example)
    newcomer = evolve(example, given={**evidence, **derived(rulebook)})
    return known >= evidence.keys() and run_example(newcomer, rulebook).passed


INITIAL = [each for each in PRODUCT if is_initial(*each.values)]


@for_every("code, example", EXAMPLES)
def test_an_example(code, example):
    """
    Examples are in the files, and run with `holdback test` and with pytest
    (decisions/jurisdiction-folders).
    """
    run = run_example(example, JURISDICTIONS[code].rulebook_for(example))

    assert run.passed, "\n".join(run.lines())


def test_most_product_examples_are_asked_of_the_engine():
    """
    What is asked of the calculators alone are renewals, and facts that only a deal has.
    """
    assert len(INITIAL) >= 250
    codes = with_own_rules(JURISDICTIONS).codes
    assert {each.values[0] for each in INITIAL} == set(codes) - {"US-CA", "CA-QC"}


@for_every("code, example", RENEWAL)
def test_every_reason_is_a_sentence_with_figures(code, example):
    """
    A reason has its figures filled in (decisions/rule-language).
    """
    for reason in JURISDICTIONS.resolve(code, on=example.on).assess(example.given).reasons:
        assert reason.text.endswith(".")
        assert not set("{}") & set(reason.text)
        assert "unknown" not in reason.text


def asked(code, example, evidence):
    """What an initial application with *evidence* is answered on the product of *example*."""
    journey = Journey()
    journey.merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction=code)
    journey.now = datetime(example.on.year, example.on.month, example.on.day, 9, tzinfo=UTC)
    reply = journey.ask(evidence=evidence, currency=JURISDICTIONS.currency(code).code)
    (product,) = [each for each in reply.products if each.key == example.product]
    decisions = journey.events[-1].decisions
    (decision,) = [each for each in decisions if each["product"] == example.product]
    assert decision["decision"] == product.decision
    return product, decision


@for_every("code, example", INITIAL)
def test_a_product_example(code, example):
    """
    An example of a product names it, gives facts, and expects a decision and offers
    (decisions/jurisdiction-folders). A decision without an offer always has a
    reason: where no rule says why, the service's own.
    """
    product, decision = asked(code, example, evidence_of(code, example))
    codes = [each["code"] for each in decision["reasons"]]
    of_rules = [each for each in codes if each not in SERVICE_REASONS]

    assert product.decision == example.expect["decision"]
    assert (codes if "codes" in example.expect else of_rules) == example.expect.get("codes", [])
    assert bool(codes) == (product.decision != "Accepted")
    assert list(decision["needs"]) == example.expect.get("needs", [])
    if "offers" in example.expect:
        for expected, offer in zip(example.expect["offers"], product.offers, strict=True):
            assert {key: getattr(offer, key) for key in expected} == read_offer(expected)


def read_offer(expected):
    """The fields of an expected offer as the exact values that an offer has."""
    readers = {
        "funded_amount": Money.parse,
        "repayment_amount": Money.parse,
        "factor_rate": Decimal,
        "split_percentage": lambda text: Decimal(text.removesuffix("%")),
        "term_length": Decimal,
        "term_days": int,
    }
    return {key: readers[key](value) for key, value in expected.items()}


@for_every("code, example", INITIAL)
def test_hiding_a_fact_never_gets_a_product_accepted(code, example):
    """
    Hiding a fact can never make a deal eligible (decisions/three-ideas), nor a product accepted.
    """
    if example.expect["decision"] != "Accepted":
        given = evidence_of(code, example)
        for hidden in given:
            evidence = {name: value for name, value in given.items() if name != hidden}

            product, _ = asked(code, example, evidence)

            assert product.decision != "Accepted"
