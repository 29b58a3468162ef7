"""Discounts for repaying early: the built-in calculators, a host's own, and examples of them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import ClassVar

import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from every_case import for_every
from holdback import ConfigurationError, Engine, Jurisdictions, Money
from holdback.exact.money import Currency
from holdback.offers import SettlementCalculator, SettlementCase
from holdback.offers.registry import BUILT_IN
from holdback.offers.settlement import settlement_discount
from holdback.offers.shipped_calculators import BandsOfTerm, PercentageOfCost, SettlementBand
from holdback.tools.example_run import run_examples
from holdback.tools.lint.lint import findings
from holdback.tools.mutants.mutation import verdicts
from small_folders import changed, country, errors_in, read

NOW = date(2026, 7, 1)
TERM = 'term = { calculator = "fixed", months = 6 }'
HALF = 'settlement = { calculator = "percentage", percentage = "50%" }'
BANDS = (
    'settlement = { calculator = "bands", bands = [{ up_to = "25%", percentage = "60%" }, '
    '{ up_to = "75%", percentage = "30%" }, { percentage = "0%" }] }'
)
OWN = 'settlement = { calculator = "own" }'
CURRENCIES = tuple(Currency.of(code) for code in ("GBP", "JPY", "KWD"))
ROUNDINGS = ("half_even", "half_up", "up", "down")

shares = st.integers(0, 1_000_000).map(lambda number: Decimal(number).scaleb(-4))


def folder(*lines):
    return changed(country(), "products.toml", TERM, "\n".join((TERM, *lines)))


def rulebook(*lines):
    return read(folder(*lines), "NL").rulebook(NOW)


def case_of(currency, *, funded, cost, part, elapsed, term, rounding):
    repayment = funded + cost
    return SettlementCase(
        balance=Money(max(1, repayment * part // 1000), currency),
        repayment_amount=Money(repayment, currency),
        funded_amount=Money(funded, currency),
        elapsed_days=elapsed,
        term_days=term,
        currency=currency,
        rounding=rounding,
    )


cases = st.builds(
    case_of,
    st.sampled_from(CURRENCIES),
    funded=st.integers(1, 10**9),
    cost=st.integers(0, 10**9),
    part=st.integers(1, 1000),
    elapsed=st.integers(0, 900),
    term=st.integers(1, 800),
    rounding=st.sampled_from(ROUNDINGS),
)
CASE = case_of(
    Currency.of("EUR"),
    funded=1_000_000,
    cost=200_000,
    part=500,
    elapsed=45,
    term=183,
    rounding="half_up",
)


def remaining_cost(case):
    cost = case.repayment_amount.minor - case.funded_amount.minor
    return Fraction(cost * case.balance.minor, case.repayment_amount.minor)


@given(cases, shares)
def test_a_percentage_of_the_remaining_cost(case, percentage):
    """
    The discount is `percentage` of `(repayment_amount - funded_amount) * balance /
    repayment_amount`, rounded once by the jurisdiction's rounding.
    """
    exact = remaining_cost(case) * Fraction(percentage) / 100
    discount = PercentageOfCost(percentage=percentage)(case)

    assert discount.currency == case.currency
    assert 0 <= discount.minor <= ceil(remaining_cost(case))
    expected = {"up": ceil(exact), "down": floor(exact), "half_even": round(exact)}
    expected["half_up"] = floor(exact + Fraction(1, 2))
    assert discount.minor == expected[case.rounding]


@given(cases, st.lists(shares, min_size=3, max_size=3), st.integers(0, 900))
def test_nobody_gains_by_waiting(case, percentages, later):
    """
    By bands the discount does not grow with the elapsed part of the term.
    """
    first, second, third = sorted(percentages, reverse=True)
    bands = BandsOfTerm(
        bands=(
            SettlementBand(Decimal(25), first),
            SettlementBand(Decimal(75), second),
            SettlementBand(None, third),
        )
    )
    after = evolve(case, elapsed_days=case.elapsed_days + later)

    assert 0 <= bands(after).minor <= bands(case).minor <= ceil(remaining_cost(case))


@for_every(
    ("elapsed", "term", "discount"),
    [
        (0, 200, "600.00"),
        (49, 200, "600.00"),
        (50, 200, "300.00"),  # a quarter of the term is not less than a quarter
        (149, 200, "300.00"),
        (150, 200, "0.00"),
        (500, 200, "0.00"),
        (33, 133, "600.00"),
        (34, 133, "300.00"),
    ],
)
def test_the_bands_of_a_term(elapsed, term, discount):
    """
    A band holds the parts of the term below its `up_to`, compared exactly.
    """
    case = evolve(CASE, elapsed_days=elapsed, term_days=term)

    assert settlement_discount(rulebook(BANDS), "flex", {}, case) == Money.parse(f"EUR {discount}")


def test_without_a_calculator_there_is_no_discount():
    """
    Zero, where a product names no calculator, or is no longer in the rulebook.
    """
    nothing = Money.parse("EUR 0.00")

    assert settlement_discount(rulebook(), "flex", {}, CASE) == nothing
    assert settlement_discount(rulebook(HALF), "gone", {}, CASE) == nothing
    assert settlement_discount(rulebook(HALF), "flex", {}, CASE) == Money.parse("EUR 500.00")


@for_every(
    ("written", "message"),
    [
        (HALF.replace("50%", "100.0001%"), "a share of the remaining cost is from 0% to 100%"),
        (HALF.replace('"50%"', "0.5"), "expected a percentage such as `12.5%` in quotes"),
        (HALF.replace("percentage = ", "percent = "), "`percentage` has no setting `percent`"),
        (HALF.replace('"percentage"', '"percentag"'), "no calculator `settlement/percentag`"),
        (BANDS.replace(', { percentage = "0%" }', ""), "the last band has a percentage"),
        (BANDS.replace("25%", "75%"), "each above the one before, and band 2 has 75%"),
        (BANDS.replace("25%", "0%"), "an `up_to` above 0%, each above the one before, and band 1"),
        (BANDS.replace('"30%"', '"61%"'), "than the one before, and band 2 has 61% after 60%"),
        (BANDS.replace("up_to", "upto"), "in place 1: expected bands such as"),
        (BANDS.replace('"30%"', '"30"'), "in place 2: expected a percentage with its sign; write"),
        (HALF.replace('"50%"', '"50"'), 'expected a percentage with its sign; write `"50%"`'),
        (
            HALF.replace('"50%"', '"0.5"'),
            'expected a percentage with its sign; write `"0.5%"` or `"50%"`',
        ),
        (BANDS.replace('[{ up_to = "25%", percentage = "60%" }, ', "["), None),
    ],
)
def test_settings_are_read_with_the_other_calculators(written, message):
    """
    An engine refuses a jurisdiction with an invalid calculator of settlements, with its place.
    """
    jurisdictions = Jurisdictions([read(folder(written), "NL")])
    if message is None:
        Engine.for_trial(jurisdictions)
        return
    with pytest.raises(ConfigurationError) as caught:
        Engine.for_trial(jurisdictions)

    assert any(message in str(error) for error in caught.value.errors)
    assert {error.file for error in caught.value.errors} == {"NL/products.toml"}


# -- a host's own


def own(answer):
    """A calculator of a host that returns *answer*, or raises it."""

    @frozen
    class Own:
        version: ClassVar[int] = 1

        def __call__(self, case: SettlementCase) -> Money:
            if isinstance(answer, Exception):
                raise answer
            return answer

    return {"settlement/own": Own}


@for_every("minor", [0, 1, 100_000])
def test_a_host_has_its_own(minor):
    """
    A host registers a calculator by a name such as `settlement/own`; its discount may be all of
    the remaining cost.
    """
    calculators = own(Money(minor, CASE.currency))
    Engine.for_trial(Jurisdictions([read(folder(OWN), "NL")]), calculators=calculators)

    assert isinstance(calculators["settlement/own"](), SettlementCalculator)
    assert settlement_discount(rulebook(OWN), "flex", calculators, CASE).minor == minor


@for_every(
    "answer",
    [
        Money.parse("EUR -0.01"),
        Money.parse("EUR 1000.01"),
        Money.parse("GBP 1.00"),
        100,
        Decimal("1.00"),
        None,
        ZeroDivisionError("a figure of 4711"),
    ],
)
def test_what_no_settlement_can_have(answer):
    """
    The host's error names the calculator, the product and the jurisdiction, and no figure.
    """
    with pytest.raises(ConfigurationError) as caught:
        settlement_discount(rulebook(OWN), "flex", own(answer), CASE)
    (error,) = caught.value.errors

    assert error.code == "wrong_result"
    assert "`settlement/own` of the product `flex` of NL" in error.message
    assert (error.file, error.line) == (
        "NL/products.toml",
        rulebook(OWN).products[0].settlement.place()["line"],
    )
    assert "4711" not in str(error)
    assert "1000.01" not in str(error)


def test_the_built_in_ones():
    """
    Both implement the protocol, and declare a version.
    """
    names = {name for name in BUILT_IN if name.startswith("settlement/")}

    assert names == {"settlement/percentage", "settlement/bands"}
    assert all(BUILT_IN[name].version == 1 for name in names)


# -- examples in a file


def example(elapsed, discount, **figures):
    deal = {
        "balance": '"EUR 60000.00"',
        "repayment_amount": '"EUR 120000.00"',
        "funded_amount": '"EUR 100000.00"',
        "elapsed_days": elapsed,
        "term_days": 200,
    } | figures
    written = ", ".join(f"{name} = {value}" for name, value in deal.items() if value is not None)
    return f"""
[[examples]]
name = "repaid after {elapsed} days"
product = "flex"
on = 2026-02-01
settlement = {{ {written} }}
expect = {{ discount = "EUR {discount}" }}
"""


def with_examples(line, *examples):
    files = folder(line)
    return {**files, "products.toml": files["products.toml"] + "".join(examples)}


def test_examples_state_the_discount():
    """
    An example of a product gives the figures of a deal, and expects the discount.
    """
    right, wrong = example(49, "6000.00"), example(50, "6000.00")
    runs = list(run_examples(read(with_examples(BANDS, right, wrong), "NL")))
    passed = {run.example.name: run.passed for run in runs if run.example.settlement}
    (failed,) = (run for run in runs if not run.passed)

    assert passed == {"repaid after 49 days": True, "repaid after 50 days": False}
    assert (failed.expected.outcome, failed.got.outcome) == (
        "discount EUR 6000.00",
        "discount EUR 3000.00",
    )


def test_no_small_mistake_in_a_settlement_goes_unnoticed():
    """
    With an example on both sides of each band, every change of its figures is noticed.
    """
    all_bands = [(49, "6000.00"), (50, "3000.00"), (149, "3000.00"), (150, "0.00")]
    jurisdiction = read(with_examples(BANDS, *(example(*each) for each in all_bands)), "NL")
    found = {
        each.mutant.name: each.state
        for each in verdicts(jurisdiction, Jurisdictions([jurisdiction]))
        if "settlement" in each.mutant.name
    }

    assert found["flex settlement bands[0].up_to: 25% to 26%"] == "noticed"
    assert found["flex settlement bands[0].percentage: 60% to 60.0001%"] == "noticed"
    assert len(found) == 9
    assert "survived" not in found.values()
    few = read(with_examples(BANDS, example(49, "6000.00")), "NL")
    states = [
        each.state
        for each in verdicts(few, Jurisdictions([few]))
        if "settlement" in each.mutant.name
    ]
    assert "survived" in states


@for_every(
    ("changes", "message"),
    [
        ({"balance": None}, "`balance` is missing"),
        ({"balance": '"EUR 0.00"'}, "expected an amount above zero"),
        ({"balance": "600"}, "expected money (EUR) in quotes, with its unit"),
        ({"elapsed_days": -1}, "expected 0 to 36500"),
        ({"term_days": 0}, "expected 1 to 36500"),
        ({"rate": 3}, "unknown key `rate`"),
    ],
)
def test_what_is_no_example_of_a_settlement(changes, message):
    """
    Every figure of the deal is needed, and in its range.
    """
    errors = errors_in(with_examples(HALF, example(49, "6000.00", **changes)), "NL")

    assert [error.message for error in errors] == [message]


def test_an_example_of_a_settlement_has_no_facts():
    """
    A settlement reads the figures of the deal alone: other keys of an example have no effect.
    """
    more = example(49, "5000.00").replace("expect", 'given = { progress = "64%" }\nexpect')
    (error,) = errors_in(with_examples(HALF, more), "NL")

    assert error.message == "`given` has no effect on a settlement"
    assert not list(
        findings(Jurisdictions([read(with_examples(HALF, example(49, "5000.00")), "NL")]), NOW)
    )
