"""The reasons that the service gives where no rule says why: one for each way to no offer."""

from __future__ import annotations

from datetime import date

import pytest
from attrs import evolve, frozen
from test_registry import GB, engine

from every_case import for_every
from holdback import Money
from holdback.eligibility.reasons import SERVICE_REASONS
from holdback.merchant.product import Limits
from holdback.offers.calculator import PricingCase
from holdback.offers.quote import declined, quote, quote_renewal, withheld
from holdback.offers.registry import BUILT_IN, bind

ON = date(2026, 7, 1)
GOOD = {
    "identity_verified": True,
    "business_verified": True,
    "credit_score": 700,
    "months_trading": 36,
    "deals_defaulted": 0,
    "deals_written_off": 0,
    "average_monthly_takings": "20000.00",
    "performance": "100%",
}
REVIEW = "A person looks at the application, or more has to be known first."
# What GB's first product calculates with, and what it can be changed to.
LIMITS = next(line for line in GB["products.toml"].splitlines() if line.startswith("limits"))
SPLIT = next(line for line in GB["products.toml"].splitlines() if line.startswith("split"))
ROOM = 'limits = { calculator = "fixed", minimum = "GBP 1000", maximum = "GBP 24000" }'


def of_flex(old="", new="", *, calculators=BUILT_IN, renewal=False, **facts):
    """GB's first product, changed, and its case with other *facts*; None is unknown."""
    jurisdictions = engine(old, new, calculators=calculators).jurisdictions
    rulebook = jurisdictions.resolve("GB", on=ON)
    product = bind(rulebook, {**BUILT_IN, **calculators}, "{}/{}".format)[0]
    known = {name: value for name, value in {**GOOD, **facts}.items() if value is not None}
    case = PricingCase(
        facts=rulebook.catalogue.prepare(known),
        catalogue=rulebook.catalogue,
        renewal=renewal,
        currency=rulebook.currency,
        rounding=rulebook.rounding,
    )
    return rulebook, product, case


def why(quoted):
    """The decision, and the code and sentence of its only reason."""
    (reason,) = quoted.reasons
    return quoted.decision, reason.code, reason.text


def test_an_accepted_product_has_no_reason():
    """
    What is accepted has offers, and nothing to explain.
    """
    _, product, case = of_flex()
    quoted = quote(product, case, str)

    assert (quoted.decision, quoted.reasons) == ("Accepted", ())


def test_the_limit_is_below_the_minimum():
    """
    A product whose limits leave no room says both of them, as sentences of the jurisdiction do.
    """
    dear = LIMITS.replace("GBP 1000", "GBP 25000")
    _, product, case = of_flex(LIMITS, dear)
    quoted = quote(product, case, str)

    assert why(quoted) == (
        "Declined",
        "LIMIT",
        "The most that can be offered is £24,000.00; the least is £25,000.00.",
    )
    assert quoted.reasons[0].rule == "limit"
    assert quoted.reasons[0].measured == {"most": "£24,000.00"}
    assert quoted.reasons[0].threshold == {"most": "at least £25,000.00"}


@for_every("settlement", ["GBP 24000.00", "GBP 30000.00"])
def test_the_settlement_leaves_no_room(settlement):
    """
    A renewal whose deal takes everything says what is settled, and the most that can be offered.
    """
    _, product, case = of_flex(renewal=True)
    quoted = quote(product, case, str, Money.parse(settlement))
    shown = settlement.replace("GBP ", "£").replace("000.00", ",000.00")

    assert why(quoted) == (
        "Declined",
        "SETTLEMENT",
        f"The current deal would need {shown} to be settled; at most £24,000.00 can be offered.",
    )
    assert quoted.reasons[0].threshold == {"settlement": "less than £24,000.00"}


def test_one_unit_less_to_settle_leaves_room():
    """
    An offer has to exceed what is settled by a minor unit, in whole steps.
    """
    _, product, case = of_flex(LIMITS, ROOM, renewal=True)

    assert quote(product, case, str, Money.parse("GBP 23999.99")).decision == "Accepted"


def test_a_limit_without_room_is_not_blamed_on_the_settlement():
    """
    Where nothing could be offered without a deal to settle either, the limit is the reason.
    """
    dear = LIMITS.replace("GBP 1000", "GBP 25000")
    _, product, case = of_flex(LIMITS, dear, renewal=True)

    assert why(quote(product, case, str, Money.parse("GBP 26000")))[1] == "LIMIT"


@for_every("settlement", [None, "GBP 100.00"])
def test_nothing_is_affordable(settlement):
    """
    Where no amount can be repaid in time, that is the reason: of a host's calculator too.
    """
    slow = SPLIT.replace("longest_term_months = 14", "longest_term_months = 1")
    _, product, case = of_flex(SPLIT, slow, renewal=settlement is not None)
    quoted = quote(product, case, str, settlement and Money.parse(settlement))

    assert why(quoted) == ("Declined", "AFFORDABILITY", SERVICE_REASONS["AFFORDABILITY"])


def test_a_person_declined():
    """
    Where a person declined, the merchant reads that a person did.
    """
    _, product, case = of_flex()

    assert why(declined(product, case)) == (
        "Declined",
        "PERSON",
        "A person looked at the application and declined it.",
    )


def test_a_fact_of_a_calculator_is_unknown():
    """
    A calculator that lacks a fact refers the product, and the fact is named: only that one.
    """
    _, product, case = of_flex(renewal=True, average_monthly_takings=None, performance=None)
    free = evolve(product, terms=evolve(product.terms, rules=product.terms.rules.altered(rules=())))
    quoted = quote(free, case, str, Money.parse("GBP 1"))

    assert why(quoted) == ("Referred", "REVIEW", REVIEW)
    assert quoted.needs == ("average_monthly_takings",)


def test_the_facts_that_a_hosts_calculator_read():
    """
    What a host's calculator read and did not find is named in the catalogue's order, once.
    """
    bounds = Limits(minimum=Money.parse("GBP 1"), maximum=Money.parse("GBP 2"))

    @frozen
    class Own:
        version = 1
        configured = bounds
        step = None

        def __call__(self, case):
            for name in ("takings_trend", "credit_score", "balance", "takings_trend"):
                case.fact(name)

    own = 'limits = { calculator = "own" }'
    _, product, case = of_flex(LIMITS, own, calculators={"limits/own": Own})
    quoted = quote(product, case, str)

    assert why(quoted) == ("Referred", "REVIEW", REVIEW)
    assert quoted.needs == ("balance", "takings_trend")


def test_a_rule_is_unknown():
    """
    A rule that lacks a fact refers the product, and the fact is named.
    """
    _, product, case = of_flex(credit_score=None)
    quoted = quote(product, case, str)

    assert why(quoted) == ("Referred", "REVIEW", REVIEW)
    assert quoted.needs == ("credit_score",)


def test_a_renewal_is_undetermined():
    """
    A renewal whose assessment lacks a fact is referred for the same reason, with that fact.
    """
    rulebook, product, case = of_flex(renewal=True)
    assessment = rulebook.assess_prepared(case.facts)
    quoted = quote_renewal(product, case, str, assessment, Money.parse("GBP 1"))

    assert assessment.outcome == "undetermined"
    assert why(quoted) == ("Referred", "REVIEW", REVIEW)
    assert quoted.needs == assessment.needs


def test_what_is_withheld():
    """
    A hold or a missing consent gives the reason that a missing fact gives, and no other.
    """
    _, product, case = of_flex()

    assert why(withheld(product, case, quote(product, case, str))) == ("Referred", "REVIEW", REVIEW)


@pytest.mark.parametrize("code", SERVICE_REASONS)
def test_no_rule_can_have_such_a_code(code):
    """
    A code of a jurisdiction has a hyphen, so no rule's is ever taken for one of the service's own.
    """
    assert code.isupper()
    assert "-" not in code
