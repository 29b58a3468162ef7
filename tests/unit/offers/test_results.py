"""The results of a host's calculators: checked once, as strictly as a partner's document."""

from __future__ import annotations

import re
from decimal import Decimal
from enum import IntEnum

import pytest
from attrs import field, frozen, validators
from test_registry import GB, engine

from every_case import for_every
from holdback import ConfigurationError, Money
from holdback.merchant.product import Limits
from holdback.offers.calculator import PricingCase, Term
from journey import Journey

FIXED = {
    "split_percentage": '{ calculator = "chosen", choices = ["10%"] }',
    "term": '{ calculator = "fixed", months = 6 }',
}
# The shipped products, with a split and a term that do not depend on the takings.
PRODUCTS = re.sub(
    r"(?m)^(split_percentage|term) = .*$",
    lambda line: f"{line[1]} = {FIXED[line[1]]}",
    GB["products.toml"],
)
MOST = Money.parse("GBP 10000000000")
POUND = Money.parse("GBP 1")
IN_RANGE = Limits(minimum=POUND, maximum=Money.parse("GBP 1000"))


class Number(int):
    """An `int` to `isinstance`."""


class Exact(Decimal):
    """A `Decimal` to `isinstance`."""


class Days(IntEnum):
    WEEK = 7


class Amount(Money):
    """`Money` to `isinstance`."""


class Bounds(Limits):
    """`Limits` to `isinstance`."""


def asked(kind, answer, **properties):
    """The first product when a calculator of the host gives *answer* as the result of *kind*."""
    body = {"version": 1, "__call__": lambda self, case, *asked: answer, **properties}
    if kind == "limits":
        body = {"configured": IN_RANGE, "step": None, **body}
    own = frozen(type("Own", (), body))
    built = engine(GB["products.toml"], named(kind), calculators={f"{kind}/own": own})
    return Journey(built).ask().products[0]


def named(kind, calculator="own"):
    """The file of the products, whose first product names a *calculator* of *kind*."""
    line = next(line for line in PRODUCTS.splitlines() if line.startswith(kind))
    return PRODUCTS.replace(line, f'{kind} = {{ calculator = "{calculator}" }}', 1)


RATES = {
    "a float": 1.18,
    "an int": 2,
    "a flag": True,
    "text": "1.18",
    "an int of a subclass": Number(2),
    "a Decimal of a subclass": Exact("1.18"),
    "not a number": Decimal("NaN"),
    "a signalling NaN": Decimal("sNaN"),
    "infinite": Decimal("Infinity"),
    "below 1": Decimal("0.999999"),
    "negative": Decimal(-2),
    "above 100": Decimal("100.000001"),
    "far above": Decimal("9E+20"),
    "far beyond": Decimal("1E+999999"),
    "seven decimals": Decimal("1.0000001"),
    "many decimals": Decimal("1." + "0" * 20_000 + "1"),
}
SPLITS = {
    "a list": [Decimal(10)],
    "one": Decimal(10),
    "floats": (10.0,),
    "ints": (10,),
    "flags": (True,),
    "none": (Decimal(0),),
    "above 100": (Decimal("100.0001"),),
    "five decimals": (Decimal("10.00001"),),
    "not a number": (Decimal("NaN"),),
    "the second": (Decimal(10), 12.5),
    "too many": tuple(Decimal(place) / 100 for place in range(1, 102)),
}
TERMS = {
    "days": 200,
    "a pair": (Decimal(6), 183),
    "a flag": Term(months=Decimal(6), days=True),
    "an int of a subclass": Term(months=Decimal(6), days=Number(183)),
    "a member": Term(months=Decimal(6), days=Days.WEEK),
    "a float": Term(months=Decimal(6), days=183.0),
    "no day": Term(months=Decimal(6), days=0),
    "negative": Term(months=Decimal(6), days=-1),
    "more than a hundred years": Term(months=Decimal(6), days=36_501),
    "far beyond": Term(months=Decimal(6), days=10**30),
    "months as int": Term(months=6, days=183),
    "months as float": Term(months=6.0, days=183),
    "no month": Term(months=Decimal(0), days=1),
    "1,201 months": Term(months=Decimal("1200.000001"), days=1),
    "seven decimals": Term(months=Decimal("6.0000001"), days=183),
    "months that are not a number": Term(months=Decimal("NaN"), days=183),
}
LIMITS = {
    "a pair": (POUND, POUND),
    "of a subclass": Bounds(minimum=POUND, maximum=POUND),
    "numbers": Limits(minimum=Decimal(1), maximum=Decimal(1000)),
    "money of a subclass": Limits(minimum=POUND, maximum=Amount(100, POUND.currency)),
    "dollars": Limits(minimum=Money.parse("USD 1"), maximum=Money.parse("USD 1000")),
    "a maximum in dollars": Limits(minimum=POUND, maximum=Money.parse("USD 1000")),
    "a negative minimum": Limits(minimum=Money.parse("GBP -0.01"), maximum=POUND),
    "a maximum too large": Limits(minimum=POUND, maximum=MOST + Money(1, POUND.currency)),
    "far beyond": Limits(minimum=POUND, maximum=Money(10**40, POUND.currency)),
}
STEPS = {
    "nothing": Money.parse("GBP 0"),
    "negative": Money.parse("GBP -1"),
    "dollars": Money.parse("USD 1"),
    "a number": 100,
    "too large": MOST + Money(1, POUND.currency),
}
EXPECTED = {
    "factor_rate": "a factor rate as a `Decimal`, at least 1 and at most 100, of at most 6 "
    "decimals",
    "split_percentage": "a tuple of at most 33 percentages as `Decimal`, above 0 and up to 100, of "
    "at most 4 decimals",
    "term": "a `Term` of 1 to 36500 days as an `int`, and of more than 0 and at most 1200 months "
    "as a `Decimal` of at most 6 decimals",
    "limits": "`Limits` of `Money` in GBP, GBP 0.00 to GBP 10000000000.00",
}
WRONG = [
    *(("factor_rate", name, {"answer": answer}) for name, answer in RATES.items()),
    *(("split_percentage", name, {"answer": answer}) for name, answer in SPLITS.items()),
    *(("term", name, {"answer": answer}) for name, answer in TERMS.items()),
    *(("limits", name, {"answer": answer}) for name, answer in LIMITS.items()),
]


def refusal(kind, **given):
    """The one error that the engine raises for a result."""
    with pytest.raises(ConfigurationError) as caught:
        asked(kind, **given)
    (error,) = caught.value.errors
    assert (error.code, error.file) == ("wrong_result", "GB/products.toml")
    assert error.source.startswith(kind)
    assert f"the calculator `{kind}/own` of the product `flex` of GB returned" in error.message
    assert error.hint.startswith("it was ")
    return error


@for_every("kind, name, given", WRONG)
def test_a_result_that_no_offer_can_have(kind, name, given):
    """
    It is an error of the host's that names calculator, product and jurisdiction, and says what was
    expected.
    """
    assert refusal(kind, **given).message.endswith(f"something else than {EXPECTED[kind]}")


@for_every("name", LIMITS)
def test_the_configured_limits_are_reported_and_so_checked(name):
    """
    Limits that are reported to a merchant without offers are checked too.
    """
    error = refusal("limits", answer=None, configured=LIMITS[name])

    assert error.message.endswith(f"{EXPECTED['limits']} as `configured`")


@for_every("name", STEPS)
def test_the_step(name):
    """
    A step is an amount above zero in the jurisdiction's currency.
    """
    error = refusal("limits", answer=IN_RANGE, step=STEPS[name])

    assert error.message.endswith("`Money` in GBP, GBP 0.01 to GBP 10000000000.00, as `step`")


def test_what_was_returned_is_described_and_not_shown():
    """
    A message names types and currencies, and no amount: it may follow from a merchant's figures.
    """
    hints = {
        ("factor_rate", RATES["a float"]): "it was `float`",
        ("split_percentage", SPLITS["the second"]): "it was `float`",
        ("term", TERMS["a flag"]): "it was a `Term` of `bool` and `Decimal`",
        ("limits", LIMITS["a maximum in dollars"]): (
            "it was `Limits` of `Money` in GBP and `Money` in USD"
        ),
    }
    for (kind, answer), hint in hints.items():
        error = refusal(kind, answer=answer)
        assert error.hint == hint
        assert "1.18" not in str(error)
        assert "12.5" not in str(error)


@for_every(
    "kind, answer",
    [
        ("factor_rate", Decimal(1)),
        ("factor_rate", Decimal("1.180000000")),
        ("factor_rate", Decimal(100)),
        ("factor_rate", Decimal("1E+2")),
        ("split_percentage", (Decimal("0.0001"),)),
        ("split_percentage", (Decimal("100.00000"),)),
        ("split_percentage", tuple(Decimal(place) / 100 for place in range(1, 34))),
        ("term", Term(months=Decimal("0.000001"), days=1)),
        ("term", Term.of_days(36_500)),
        ("term", Term.of_months(1_200)),
        ("limits", Limits(minimum=Money.parse("GBP 0"), maximum=POUND)),
        ("limits", Limits(minimum=POUND, maximum=Money.parse("GBP 5000000000"))),
    ],
)
def test_results_at_the_bounds_are_offered(kind, answer):
    """
    A result at the end of its range is offered.
    """
    product = asked(kind, answer)

    assert product.decision == "Accepted"
    assert product.offers


@for_every(
    "limits",
    [
        Limits(minimum=POUND, maximum=Money.parse("GBP -5")),
        Limits(minimum=POUND, maximum=Money.parse("GBP 0")),
    ],
)
def test_a_maximum_below_the_minimum(limits):
    """
    A minimum above the maximum means no offers, also where the maximum was computed below zero.
    """
    product = asked("limits", limits)

    assert (product.decision, product.offers) == ("Declined", ())
    assert product.limits == IN_RANGE


def test_a_rate_with_which_too_much_would_be_repaid():
    """
    The amount of a deal has a bound of its own, which a valid rate can pass.
    """
    largest = 'limits = { calculator = "fixed", minimum = "GBP 500", maximum = "GBP 10000000000" }'
    new = re.sub(r"(?m)^limits = .*$", largest, named("factor_rate"), count=1)
    own = frozen(type("Own", (), {"version": 1, "__call__": lambda *asked: Decimal("1.000001")}))
    with pytest.raises(ConfigurationError) as caught:
        Journey(engine(GB["products.toml"], new, calculators={"factor_rate/own": own})).ask()
    (error,) = caught.value.errors

    assert error.message.endswith("a factor rate with which at most GBP 10000000000.00 are repaid")


def test_settings_that_a_calculator_refuses_with_another_error():
    """
    A calculator's own validator may raise a `TypeError`, as those of attrs do.
    """

    @frozen(kw_only=True)
    class Own:
        version = 1
        months: int = field(validator=validators.instance_of(str))

        def __call__(self, case: PricingCase, repayment_amount: Money, split: Decimal) -> Term:
            return Term.of_months(6)

    with pytest.raises(ConfigurationError, match="months"):
        engine(
            GB["products.toml"],
            named("term").replace('"own"', '"own", months = 6'),
            calculators={"term/own": Own},
        )
