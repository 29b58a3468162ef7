"""Plain values: what each type reads, refuses and shows, in any decimal context."""

from __future__ import annotations

import datetime as dt
import decimal
import re
from decimal import Decimal

import pendulum
import pytest
from hypothesis import given
from hypothesis import strategies as st

from every_case import for_every
from holdback.eligibility.facts import catalogue
from holdback.errors import InvalidDocument
from holdback.exact.money import Currency, Money
from holdback.rules import Catalogue, Fact, Kind, Type
from small_catalogue import CATALOGUE, COUNT, DATE, DAYS, FLAG, GBP, MONEY, PERCENT, RATIO, STATUS

YEN = Type(Kind.MONEY, Currency.of("JPY"))
NAN = float("nan")


class MissingTime:
    """Like pandas' NaT: not equal to itself."""

    def __eq__(self, other):
        return False

    __hash__ = None


class MissingAnything:
    """Like pandas' NA: comparing it gives NA again, which is neither true nor false."""

    def __ne__(self, other):
        return self

    def __eq__(self, other):
        return self

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")

    __hash__ = None


class Whole:
    """Like an integer of another library."""

    def __index__(self):
        return 7


READS = [
    (FLAG, True, 1),
    (FLAG, False, 0),
    (COUNT, 3, 3),
    (COUNT, -3, -3),
    (COUNT, Whole(), 7),
    (PERCENT, "64%", 64_0000),
    (PERCENT, "64.5%", 64_5000),
    (PERCENT, "64.1234", 64_1234),
    (PERCENT, "-5.25%", -5_2500),
    (PERCENT, "64.50000%", 64_5000),
    (PERCENT, Decimal("64.5"), 64_5000),
    (PERCENT, Decimal("6.45E+1"), 64_5000),
    (PERCENT, Decimal("-0"), 0),
    (PERCENT, 64, 64_0000),
    (PERCENT, Whole(), 7_0000),
    (RATIO, "1.18", 1_180000),
    (RATIO, Decimal("1.18"), 1_180000),
    (RATIO, 1, 1_000000),
    (MONEY, "1200.00", 120_000),
    (MONEY, "GBP 1200.00", 120_000),
    (MONEY, "-0.01", -1),
    (MONEY, Decimal("1200.5"), 120_050),
    (MONEY, Decimal("1.2E+3"), 120_000),
    (MONEY, 1200, 120_000),
    (MONEY, Money.parse("GBP 1200.00"), 120_000),
    (YEN, "1200", 1200),
    (YEN, Decimal("1200.00"), 1200),
    (DAYS, 21, 21),
    (DAYS, "21 days", 21),
    (DAYS, "1 day", 1),
    (DAYS, "-3 days", -3),
    (DATE, dt.date(2026, 3, 1), 739_676),
    (DATE, pendulum.date(2026, 3, 1), 739_676),
    (DATE, "2026-03-01", 739_676),
    (STATUS, "Funded", 0),
    (STATUS, "Cancelled", 4),
    (STATUS, "funded", None),
    (STATUS, "", None),
]


@for_every(("type_", "value", "number"), READS)
def test_a_value_is_read_in_the_scale_of_its_type(type_, value, number):
    """
    A plain value becomes a whole number in its type's scale, exactly.
    """
    assert type_.read(value) == number
    assert type(type_.read(value)) in (int, type(None))


@for_every("type_", [FLAG, COUNT, PERCENT, RATIO, MONEY, DAYS, DATE, STATUS])
@for_every("value", [None, NAN, Decimal("NaN"), MissingTime(), MissingAnything()])
def test_missing_is_unknown(type_, value):
    """
    None, NaN, NaT and NA are unknown.
    """
    assert type_.read(value) is None


REFUSALS = [
    (FLAG, 1, "expected true or false"),
    (FLAG, "true", "expected true or false"),
    (COUNT, True, "expected a whole number"),
    (COUNT, "3", "expected a whole number"),
    (COUNT, Decimal(3), "expected a whole number"),
    (COUNT, 3.5, "expected a whole number"),
    (COUNT, [3], "expected a whole number"),
    (PERCENT, 64.5, "a float is not exact"),
    (PERCENT, True, "expected a percentage such as `64.5%`"),
    (PERCENT, float("inf"), "a float is not exact"),
    (PERCENT, Decimal("Infinity"), "expected a finite number"),
    (PERCENT, Decimal("sNaN"), "expected a finite number"),
    (PERCENT, Decimal("64.12345"), "at most 4 decimals"),
    (PERCENT, "64.12345%", "at most 4 decimals"),
    (PERCENT, "64 %", "plain decimal number"),
    (PERCENT, "64%%", "plain decimal number"),
    (PERCENT, " 64", "plain decimal number"),
    (PERCENT, "1_000", "plain decimal number"),
    (PERCENT, "1e3", "plain decimal number"),
    (PERCENT, "\u0661", "plain decimal number"),
    (PERCENT, "", "plain decimal number"),
    (PERCENT, "9" * 100_000, "at most 28 digits"),
    (PERCENT, Decimal("9" * 29), "at most 28 digits"),
    (PERCENT, Decimal("1E+999999"), "at most 28 digits"),
    (PERCENT, Decimal("1E-999999"), "at most 4 decimals"),
    (PERCENT, object(), "expected a percentage such as `64.5%`"),
    (PERCENT, b"64%", "expected a percentage"),
    (RATIO, "1.1234567", "at most 6 decimals"),
    (RATIO, "118%", "plain decimal number"),
    (MONEY, "1200.001", "at most 2 decimals"),
    (MONEY, "EUR 1200.00", "expected an amount in GBP, not in EUR"),
    (MONEY, "XXX 1200.00", "ISO 4217"),
    (MONEY, "GBP  1200.00", "plain decimal number"),
    (MONEY, Money.parse("EUR 1.00"), "expected an amount in GBP, not in EUR"),
    (MONEY, 12.5, "write an amount such as `GBP 1200` as text or as a Decimal"),
    (YEN, "1200.5", "at most 0 decimals"),
    (DAYS, "21", "expected days such as `21 days`"),
    (DAYS, "21  days", "expected days"),
    (DAYS, "1.5 days", "expected days"),
    (DAYS, Decimal(21), "expected days"),
    (DAYS, dt.timedelta(days=21), "expected days"),
    (DATE, dt.datetime(2026, 3, 1, tzinfo=dt.UTC), "expected a date such as `2026-03-01`"),
    (DATE, pendulum.datetime(2026, 3, 1), "expected a date"),
    (DATE, "2026-02-30", "no such day in the calendar"),
    (DATE, "20260301", "expected a date"),
    (DATE, "2026-W09-7", "expected a date"),
    (DATE, 739_676, "expected a date"),
    (STATUS, 0, "expected text"),
    (STATUS, ["Funded"], "expected text"),
]


@for_every(("type_", "value", "message"), REFUSALS)
def test_refusals_say_what_was_expected(type_, value, message):
    """
    An infinite or wrongly typed value is an error that says what was expected.
    """
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        type_.read(value)


SHOWN = [
    (FLAG, 1, "yes", "true", True),
    (FLAG, 0, "no", "false", False),
    (COUNT, 3, "3", "3", 3),
    (PERCENT, 64_0000, "64%", "64%", "64%"),
    (PERCENT, 79_9999, "79.9999%", "79.9999%", "79.9999%"),
    (PERCENT, 0, "0%", "0%", "0%"),
    (PERCENT, -5_2500, "-5.25%", "-5.25%", "-5.25%"),
    (RATIO, 1_180000, "1.18", "1.18", "1.18"),
    (RATIO, 1_000000, "1", "1.0", "1"),
    (MONEY, 120_000, "GBP 1200.00", "GBP 1200.00", "1200.00"),
    (MONEY, 5, "GBP 0.05", "GBP 0.05", "0.05"),
    (MONEY, -120_000, "GBP -1200.00", "-GBP 1200.00", "-1200.00"),
    (YEN, 1200, "JPY 1200", "JPY 1200", "1200"),
    (DAYS, 21, "21 days", "21 days", 21),
    (DAYS, 1, "1 day", "1 day", 1),
    (DAYS, -1, "-1 day", "-1 day", -1),
    (DATE, 739_676, "2026-03-01", "2026-03-01", "2026-03-01"),
    (STATUS, 0, "Funded", '"Funded"', "Funded"),
]


@for_every(("type_", "number", "show", "literal", "plain"), SHOWN)
def test_a_number_is_shown_written_and_returned(type_, number, show, literal, plain):
    """
    A number can be shown to people, written in a rule, and returned as a plain value.
    """
    assert type_.show(number) == show
    assert type_.literal(number) == literal
    assert type_.plain(number) == plain
    assert type_.read(type_.plain(number)) == number


def test_shows_a_product_with_its_own_decimals():
    """
    A number with more decimals than its type is shown with the decimals that it needs.
    """
    assert MONEY.show(1_234_500, places=4) == "GBP 123.45"
    assert MONEY.show(1_234_567, places=4) == "GBP 123.4567"
    assert str(MONEY) == "money (GBP)"
    assert str(PERCENT) == "percent"


def test_only_money_has_a_currency_and_only_text_a_set():
    """
    Money has a currency and text a declared set; other types have neither.
    """
    for arguments in ((Kind.MONEY,), (Kind.TEXT,), (Kind.COUNT, GBP), (Kind.FLAG, None, ("a",))):
        with pytest.raises(AssertionError):
            Type(*arguments)


# -- prepared facts


def test_prepares_facts_by_place():
    """
    Prepared facts are integers and None, by the fact's place in the catalogue.
    """
    prepared = CATALOGUE.prepare(
        {
            "progress": "64%",
            "split": Decimal("12.5"),
            "factor_rate": Decimal("1.18"),
            "balance": Decimal("1200.00"),
            "missed": 2,
            "age": "21 days",
            "checked_on": "2026-03-01",
            "status": "Funded",
            "earlier_status": "Lost",
            "verified": True,
            "takings": None,
            "growth": NAN,
        }
    )
    named = {fact.name: number for fact, number in zip(CATALOGUE.facts, prepared, strict=True)}

    assert {name: number for name, number in named.items() if number is not None} == {
        "progress": 64_0000,
        "split": 12_5000,
        "factor_rate": 1_180000,
        "balance": 120_000,
        "missed": 2,
        "age": 21,
        "checked_on": 739_676,
        "status": 0,
        "verified": 1,
    }
    assert all(type(number) is int for number in prepared if number is not None)


def test_prepare_reports_every_error():
    """
    All errors of a facts document are raised together, each with its JSON path.
    """
    with pytest.raises(InvalidDocument) as caught:
        CATALOGUE.prepare(
            {
                "progres": 1,
                "balance": 12.5,
                "progress": "101%",
                "split": Decimal("1.00001"),
                "missed": 31,
                "verified": 1,
                "growth": Decimal("Infinity"),
                7: 1,
                "not a name": 1,
            }
        )

    facts = (
        "the facts are `progress`, `performance`, `split`, `growth`, `factor_rate`, "
        "`earlier_rate`, `balance`, `takings`, `profit`, `missed`, `completed`, `age`, `slack`, "
        "`checked_on`, `opened_on`, `status`, `earlier_status`, `grade`, `verified`, `disputed`"
    )
    assert [str(fault) for fault in caught.value.errors] == [
        "$.progres: unknown fact; did you mean `progress`?",
        (
            "$.balance: a float is not exact; write an amount such as `GBP 1200` as text or as a "
            "Decimal"
        ),
        "$.progress: expected 0% to 100%",
        "$.split: at most 4 decimals",
        "$.missed: expected 0 to 30",
        "$.verified: expected true or false",
        "$.growth: expected a finite number",
        f'$["7"]: unknown fact; {facts}',
        f'$["not a name"]: unknown fact; {facts}',
    ]


@for_every(
    ("name", "nearest"),
    [
        ("checked", "`credit_checked_on`, "),
        ("monthly_revenue", "`average_monthly_takings`, "),
        ("paid_down", "`progress`, `performance`, "),
    ],
)
def test_an_unknown_fact_gets_the_names_of_facts(name, nearest):
    """
    An unknown fact is answered with the facts that there are, those with a part of its name first.
    """
    with pytest.raises(InvalidDocument) as caught:
        catalogue(Currency.of("GBP")).prepare({name: 1})
    (error,) = caught.value.errors

    assert error.hint.startswith(f"the facts are {nearest}")
    assert error.hint.endswith(" more")
    listed = re.findall("`([a-z0-9_]+)`", error.hint)
    hidden = int(error.hint.split()[-2])
    assert len(listed) + hidden == len(catalogue(Currency.of("GBP")).facts)


@pytest.mark.parametrize("value", [None, 1, NAN])
def test_an_unknown_name_is_never_overlooked(value):
    """
    An unknown name is an error, with any number of missing facts and None values.
    """
    every = dict.fromkeys((fact.name for fact in CATALOGUE.facts), None)
    for others in ({}, {"missed": 2}, {"missed": 2, "progress": None}, every):
        with pytest.raises(InvalidDocument, match=r"\$\.nope: unknown fact"):
            CATALOGUE.prepare({**others, "nope": value})
        assert CATALOGUE.prepare(others)[CATALOGUE.place("missed")] == others.get("missed")


def test_a_derived_percentage_is_rounded_down():
    """
    A derived percentage is rounded down to its scale (decisions/rule-language).
    """
    for value, number in (
        ("49.99999%", 49_9999),
        (Decimal("49.99999999999999999"), 49_9999),
        (Decimal(100) / 3, 33_3333),
        (Decimal("49.9999" + "9" * 60), 49_9999),
        (Decimal("1E-999999"), 0),
    ):
        assert CATALOGUE.prepare({"progress": value})[0] == number
    derived = Fact(name="trend", type=PERCENT, low=-100_0000, high=0, rounded_down=True)
    below = Catalogue(facts=(derived,), currency=GBP)
    for value in (Decimal("-0.00001"), "-0.00001", Decimal("-1E-999999")):
        assert below.prepare({"trend": value}) == (-1,)


@given(
    st.sampled_from([(fact.name, place) for place, fact in enumerate(CATALOGUE.facts)]),
    st.one_of(
        st.decimals(allow_nan=True, allow_infinity=True),
        st.decimals(min_value=-200, max_value=200, places=4),
        st.integers(),
        st.floats(),
        st.booleans(),
        st.text(max_size=8),
        st.dates(),
        st.none(),
    ),
)
def test_the_generated_reader_agrees_with_the_careful_one(named, value):
    """
    The generated reader reads what `Fact.read` reads (decisions/fast-paths).
    """
    name, place = named
    try:
        expected = CATALOGUE.facts[place].read(value)
    except ValueError as error:
        expected = str(error)
    if isinstance(expected, str):
        with pytest.raises(InvalidDocument) as caught:
            CATALOGUE.prepare({name: value})
        assert [fault.message for fault in caught.value.errors] == [expected]
    else:
        assert CATALOGUE.prepare({name: value})[place] == expected


HOSTILE_CONTEXTS = [
    decimal.Context(prec=1),
    decimal.Context(prec=3, rounding=decimal.ROUND_UP, Emax=3, Emin=-3),
    decimal.Context(prec=2, rounding=decimal.ROUND_CEILING, clamp=1, capitals=0),
    decimal.Context(
        prec=1,
        traps=[
            decimal.Inexact,
            decimal.Rounded,
            decimal.Subnormal,
            decimal.Underflow,
            decimal.Overflow,
            decimal.FloatOperation,
            decimal.InvalidOperation,
            decimal.DivisionByZero,
            decimal.Clamped,
        ],
    ),
    decimal.Context(prec=1, traps=[]),
]


@pytest.mark.parametrize("context", HOSTILE_CONTEXTS, ids=range(len(HOSTILE_CONTEXTS)))
def test_a_hostile_decimal_context_changes_nothing(context):
    """
    The ambient decimal context changes nothing.
    """
    with decimal.localcontext(context) as ambient:
        for type_, value, number in READS:
            assert type_.read(value) == number
        for type_, number, show, literal, plain in SHOWN:
            assert (type_.show(number), type_.literal(number)) == (show, literal)
            assert type_.plain(number) == plain
        for type_, value, message in REFUSALS:
            with pytest.raises(ValueError, match=message.replace(".", r"\.")):
                type_.read(value)
        prepared = CATALOGUE.prepare(
            {"progress": Decimal("49.99999"), "balance": Decimal("123456789.25"), "growth": NAN}
        )
        assert prepared[CATALOGUE.place("progress")] == 49_9999
        assert prepared[CATALOGUE.place("balance")] == 12_345_678_925
        assert not any(ambient.flags.values())


def test_names_in_a_catalogue_are_unique():
    """
    A fact has a name of its own, which no parameter shares.
    """
    fact = Fact(name="a", type=COUNT, low=0, high=1)
    with pytest.raises(AssertionError):
        Catalogue(facts=(fact, fact), currency=GBP)
    with pytest.raises(AssertionError):
        CATALOGUE.with_parameters({"progress": CATALOGUE.parameters["most_missed"]})


def test_a_catalogue_knows_its_facts():
    """
    Facts are found by name; parameters depend on the date.
    """
    assert CATALOGUE.place("progress") == 0
    assert CATALOGUE.fact("progress") is CATALOGUE.facts[0]
    assert CATALOGUE.fact("nothing") is None
    with pytest.raises(KeyError):
        CATALOGUE.place("nothing")
    assert CATALOGUE.with_parameters({}).parameters == {}
    assert hash(CATALOGUE) == hash(CATALOGUE.with_parameters(dict(CATALOGUE.parameters)))
