"""Tree to checked tree: types, units, ranges, bounds and exactness."""

from __future__ import annotations

from fractions import Fraction

import pytest

from every_case import for_every
from holdback.errors import RuleError
from holdback.exact.money import Currency
from holdback.rules import (
    Catalogue,
    Fact,
    Kind,
    Parameter,
    Type,
    check,
    closure,
    interpret,
    parse,
    text,
)
from holdback.rules.check import MAX_MAGNITUDE, implication
from holdback.rules.tree import Rounding
from small_catalogue import CATALOGUE, MONEY, PERCENT, checked, facts

# source, the wrong characters, the message, the hint
TYPES = [
    (
        "progress < 0.5",
        "progress < 0.5",
        "`progress` is a percentage and `0.5` is a ratio",
        "write `0.5%` or `50%`",
    ),
    (
        "progress >= 50",
        "progress >= 50",
        "`progress` is a percentage and `50` is a count",
        "write `50%`",
    ),
    ("factor_rate < 1", "factor_rate < 1", "is a ratio and `1` is a count", "write `1.0`"),
    ("balance < 500", "balance < 500", "is money (GBP) and `500` is a count", "write `GBP 500.00`"),
    ("500.50 > balance", "500.50 > balance", "`500.50` is a ratio", "write `GBP 500.50`"),
    ("age >= 14", "age >= 14", "is a number of days and `14` is a count", "write `14 days`"),
    ("age >= 1", "age >= 1", "is a number of days", "write `1 day`"),
    ("missed < 50%", "missed < 50%", "is a count and `50%` is a percentage", "write `50`"),
    ('checked_on > "2026-01-01"', 'checked_on > "2026-01-01"', "is a text", "without quotes"),
    ("progress < factor_rate", "progress < factor_rate", "is a ratio", None),
    ("balance < progress", "balance < progress", "is money (GBP)", None),
    ("balance < USD 5.00", "USD 5.00", "amounts are in GBP, not in USD", None),
    ("balance < XXY 5.00", "XXY 5.00", "`XXY` is not a currency", None),
    (
        "balance < GBP 5.001",
        "GBP 5.001",
        "money (GBP) has at most 2 decimals",
        "write `GBP 5001.00`",
    ),
    ("progress < 50.00001%", "50.00001%", "a percentage has at most 4 decimals", None),
    ("factor_rate < 1.1234567", "1.1234567", "a ratio has at most 6 decimals", None),
    ("age < 1.5 days", "1.5 days", "a number of days has no decimals", None),
    ("checked_on < 2026-02-30", "2026-02-30", "no such day in the calendar", None),
    ("checked_on < 0000-01-01", "0000-01-01", "no such day in the calendar", None),
    ("checked_on + 5 days > opened_on", "checked_on + 5 days", "`+` does not take a date", None),
    ("checked_on - opened_on > 5 days", "checked_on - opened_on", "`-` does not take a date", None),
    ('status < "Funded"', 'status < "Funded"', "`<` does not take a text", None),
    ("status == grade", "status == grade", "texts of different sets", None),
    ('status == "Fundd"', '"Fundd"', "not in the declared set", "did you mean `Funded`?"),
    ('status in ["x"]', '"x"', "not in the declared set", 'the set is "Funded", "Repaid"'),
    ("status == Funded", "Funded", "is not a fact", 'in double quotes, as "Funded"'),
    ("verified == true", "verified == true", "`==` does not take a flag", "write `verified`"),
    ("verified != true", "verified != true", "`!=` does not take a flag", "write `not verified`"),
    ("false == verified", "false == verified", "does not take a flag", "write `not verified`"),
    (
        "verified == disputed",
        "verified == disputed",
        "does not take a flag",
        "`verified and disputed or not",
    ),
    ("verified != disputed", "verified != disputed", "does not take a flag", "`verified and not"),
    ("verified < disputed", "verified < disputed", "`<` does not take a flag", None),
    ("verified in [true]", "verified in [true]", "`in` does not take a flag", None),
    ("missed and verified", "missed", "takes flags, and `missed` is a count", "compare it"),
    ("not balance", "balance", "`not` takes flags", "compare it"),
    ("1 or verified", "1", "`or` takes flags, and `1` is a count", "compare it"),
    ("verified + 1 > 0", "verified + 1", "`+` does not take a flag", None),
    ("-status == status", "-status", "`-` does not take a text", None),
    ("-checked_on < checked_on", "-checked_on", "`-` does not take a date", None),
    ("min(status, grade) == status", "min(status, grade)", "`min` does not take a text", None),
    ("abs(checked_on) > checked_on", "abs(checked_on)", "`abs` does not take a date", None),
    ("progres >= 50%", "progres", "is not a fact and not a parameter", "did you mean `progress`?"),
    ("most_mised < missed", "most_mised", "not a parameter", "did you mean `most_missed`?"),
    ("GBP - 5 > balance", "GBP", "is not a fact", "its sign in front"),
    ("xyz > 5", "xyz", "is not a fact", "there are `minimum_performance`, `least_growth`"),
    ("score_of_checked > 5", "score_of_checked", "is not a fact", "there are `checked_on`, `"),
    ("50% < 60%", "50% < 60%", "does not depend on any fact", None),
    ("minimum_performance < 90%", "minimum_performance < 90%", "does not depend on any", None),
    ('"a" == "a"', '"a" == "a"', "does not depend on any fact", None),
    ("1 in [1, 2]", "1 in [1, 2]", "does not depend on any fact", None),
    ("missed in [completed]", "completed", "a list holds constants and parameters", None),
    ("balance * takings > GBP 1", "balance * takings", "`*` takes money and a ratio", None),
    ("progress * 2 > 5%", "progress * 2", "`*` takes money and a ratio", None),
    ("balance * 2 > takings", "balance * 2", "`*` takes money and a ratio", "write `2.0`"),
    ("2 * balance > takings", "2 * balance", "`*` takes money and a ratio", "write `2.0`"),
    ("age * 2 > 5 days", "age * 2", "`*` takes money and a ratio", None),
    ("split * split > 5%", "split * split", "`*` takes money and a ratio", None),
    ("balance * factor_rate > takings", "balance * factor_rate", "one side of `*` must be", None),
    ("missed * completed > 5", "missed * completed", "one side of `*` must be", None),
]


@for_every(("source", "fault", "message", "hint"), TYPES, ids=[t[0] for t in TYPES])
def test_type_errors_point_and_help(source, fault, message, hint):
    """
    Operands of two types are an error with its place and a hint.
    """
    with pytest.raises(RuleError) as caught:
        checked(source)
    error = caught.value

    assert error.stage == "types"
    assert source[error.start : error.end] == fault
    assert message in error.message
    assert (error.hint is None) if hint is None else (hint in (error.hint or ""))


RANGES = [
    ("progress >= 150%", "150%", "`150%` is out of range", "`progress` is 0% to 100%"),
    ("150% <= progress", "150%", "`150%` is out of range", "`progress` is 0% to 100%"),
    ("progress >= -1%", "-1%", "`-1%` is out of range", "`progress` is 0% to 100%"),
    ("missed in [3, 31]", "31", "`31` is out of range", "`missed` is 0 to 30"),
    ("missed < most_missed * 20", "most_missed * 20", "(60) is out of range", "0 to 30"),
    ("balance > GBP 99999999999", "GBP 99999999999", "out of range", "GBP 0.00 to GBP 10000000000"),
    ("missed + missed > 61", "61", "out of range", "`missed + missed` is 0 to 60"),
    ("split < least_growth", "least_growth", "`least_growth` (-5.25%) is out of range", "0% to"),
    ("min(missed, 5) > 6", "6", "out of range", "`min(missed, 5)` is 0 to 5"),
    ("abs(slack) == -1 day", "-1 day", "out of range", "0 days to 400 days"),
    ("checked_on > 1900-01-01", "1900-01-01", "out of range", "`checked_on` is 1917-07-15 to"),
]


@for_every(("source", "fault", "message", "hint"), RANGES, ids=[r[0] for r in RANGES])
def test_a_constant_out_of_range(source, fault, message, hint):
    """
    A constant outside the range of the other side is an error with a hint.
    """
    with pytest.raises(RuleError) as caught:
        checked(source)
    error = caught.value

    assert source[error.start : error.end] == fault
    assert message in error.message
    assert hint in (error.hint or "")


def test_the_ends_of_a_range_are_in_it():
    """
    A threshold may be the lowest or the highest value of a fact.
    """
    for source in ("split >= 0%", "split <= 100%", "missed == 30", "missed in [0, 30]"):
        assert checked(source).type.kind is Kind.FLAG


INEXACT = [
    ("progress > 50%", "write `progress >= 50.0001%`"),
    ("progress <= 50%", "write `progress < 50.0001%`"),
    ("50% < progress", "write `progress >= 50.0001%`"),
    ("50% >= progress", "write `progress < 50.0001%`"),
    ("progress == 50%", "write it with `>=` and `<`, as `progress >= 50%`"),
    ("progress != 50%", "write it with `>=` and `<`"),
    ("50% == progress", "write it with `>=` and `<`, as `progress >= 50%`"),
    ("progress in [50%]", "write it with `>=` and `<`"),
    ("progress <= 100%", "leave it out: `progress` is always at most 100%"),
    ("progress > 100%", "leave it out: `progress` is never more than 100%"),
    ("progress > split", "write `progress >= split`"),
    (
        "progress > minimum_performance",
        "write `progress >= minimum_performance`, and raise the parameter by 0.0001%",
    ),
    ("0% < progress <= 100%", "write `progress >= 0.0001%`"),
    ("100% - progress >= 50%", None),
    ("100% - progress < 50%", None),
    ("progress >= performance", None),
    ("progress - performance >= 0%", None),
    ("progress + performance >= 50%", None),
    ("abs(progress - 50%) < 5%", None),
    ("min(progress, 100% - performance) >= 5%", None),
    ("GBP 100 * progress >= balance", None),
]


@for_every(("source", "hint"), INEXACT, ids=[source for source, _ in INEXACT])
def test_inexact_comparisons_of_a_derived_percentage(source, hint):
    """
    A comparison that rounding could change is refused (decisions/rule-language).
    """
    with pytest.raises(
        RuleError, match="not exact on a percentage that was rounded down"
    ) as caught:
        checked(source)

    assert (caught.value.hint is None) if hint is None else (hint in (caught.value.hint or ""))


EXACT = [
    ("{} >= 50%", lambda exact: exact >= 50),
    ("{} < 50%", lambda exact: exact < 50),
    ("50% <= {}", lambda exact: exact >= 50),
    ("50% > {}", lambda exact: exact < 50),
    ("25% <= {} < 50%", lambda exact: 25 <= exact < 50),
    ("{} + 10% >= 60%", lambda exact: exact + 10 >= 60),
    ("{} - 10% < 40%", lambda exact: exact - 10 < 40),
    ("100% - {} <= 50%", lambda exact: 100 - exact <= 50),
    ("100% - {} > 50%", lambda exact: 100 - exact > 50),
    ("-{} > -50%", lambda exact: -exact > -50),
    ("min({}, 60%) >= 50%", lambda exact: min(exact, 60) >= 50),
    ("max({}, 10%) < 50%", lambda exact: max(exact, 10) < 50),
    ("min(100% - {}, 60%) <= 50%", lambda exact: min(100 - exact, 60) <= 50),
]


@for_every(("source", "expected"), EXACT, ids=[source for source, _ in EXACT])
def test_what_passes_is_exact(source, expected):
    """
    On a percentage that was rounded down, `>=` and `<` answer as on the exact fraction.
    """
    function = closure(checked(source.format("progress")))
    place = CATALOGUE.place("progress")
    unit = Fraction(1, 10_000)
    for steps in range(-12, 13):
        exact = 50 + unit * Fraction(steps, 4)
        numbers = [None] * len(CATALOGUE.facts)
        numbers[place] = int(exact / unit // 1)

        assert function(tuple(numbers)) is expected(exact), exact


def test_an_exact_percentage_has_every_comparison():
    """
    A percentage that the host states is exact, so every comparison of it is allowed.
    """
    for operator in ("==", "!=", "<", "<=", ">", ">="):
        assert checked(f"split {operator} 50%").tree.operands[0].rounding is Rounding.NONE


def test_every_number_stays_within_62_bits():
    """
    A rule with an intermediate number that could pass 2**62 is refused.
    """
    high = MAX_MAGNITUDE // 2
    wide = Catalogue(
        facts=tuple(
            Fact(name=name, type=Type(Kind.COUNT), low=-high, high=high) for name in ("a", "b", "c")
        ),
        currency=Currency.of("GBP"),
    )
    for source in ("a + b > 1", "a - b > 1", "a * 2 > 1", "-a * -2 > 1", "abs(a + b) > 1"):
        rule = check(parse(source), wide)
        for corner in ((high, high, high), (-high, high, -high), (high, -high, high)):
            assert closure(rule)(corner) is interpret(rule, corner)
    for source in ("a + b + c > 1", "a + b - c > 1", "a * 3 > 1", "(a + b) * 2 > 1", "1 > a * -3"):
        with pytest.raises(RuleError, match=r"more than 2\*\*62") as caught:
            check(parse(source), wide)

        assert caught.value.hint is not None


def test_the_common_denominator_counts():
    """
    An operand can be too large at the scale of the comparison, although it is small at its own.
    """
    checked("balance * 1.5 > takings")
    with pytest.raises(RuleError, match=r"more than 2\*\*62") as caught:
        checked("balance > takings * 0.000001 * 0.000001")

    assert caught.value.source[caught.value.start : caught.value.end].startswith("balance >")


def test_trailing_zeros_of_a_factor_cost_nothing():
    """
    A product has the decimals that its constant needs: `1.500000` needs one.
    """
    assert checked("balance * 1.500000").tree.places == MONEY.places + 1
    assert checked("balance * 50%").tree.places == MONEY.places + 2
    assert checked("balance * 50.25%").tree.places == MONEY.places + 4
    assert checked("GBP 100.00 * split").tree.places == PERCENT.places + 2


def test_a_literal_in_full():
    """
    A literal has at most the decimals of its type: 4 for a percentage, 6 for a ratio.
    """
    for source, number in (
        ("12.5%", 12_5000),
        ("1.18", 1_180000),
        ("GBP 5000", 500_000),
        ("-GBP 0.01", -1),
        ("3", 3),
        ("14 days", 14),
        ("-1 day", -1),
        ("true", 1),
        ("0.10%", 1000),
        ("--5", 5),
    ):
        assert checked(source).tree.number == number


def test_what_a_checked_rule_reads():
    """
    Facts and parameters are listed once, in the order in which they first appear.
    """
    rule = checked("takings >= largest_balance and (balance < takings or missed <= most_missed)")

    assert rule.names == ("takings", "balance", "missed")
    assert rule.facts == tuple(CATALOGUE.place(name) for name in rule.names)
    assert rule.parameters == ("largest_balance", "most_missed")
    assert rule.type.kind is Kind.FLAG


def test_a_rule_must_be_a_flag():
    """
    A value of another kind than the expected one is an error.
    """
    with pytest.raises(RuleError, match="expected a flag, not a percentage") as caught:
        checked("progress", Kind.FLAG)

    assert "compare it" in caught.value.hint
    with pytest.raises(RuleError, match="expected a percent, not a flag"):
        checked("verified", Kind.PERCENT)
    assert checked("verified", Kind.FLAG).type.kind is Kind.FLAG


def test_a_flag_may_be_constant():
    """
    A parameter can switch a rule off for a time, so a rule may read no fact.
    """
    rule = checked("open_for_renewals", Kind.FLAG)

    assert interpret(rule, facts()) is True
    assert closure(rule)(facts()) is True
    assert rule.facts == ()


def test_implication_is_not_when_or_require():
    """
    `when` limits a rule to some deals: it is Kleene `not when or require`.
    """
    rule = implication(checked("missed > 3"), checked("verified or disputed"))

    assert text(rule) == "not missed > 3 or verified or disputed"
    assert text(rule) == rule.source == text(check(parse(rule.source), CATALOGUE))
    assert rule.names == ("missed", "verified", "disputed")
    for plain, answer in (
        ({"missed": 3}, True),
        ({"missed": 4, "verified": False, "disputed": False}, False),
        ({"missed": 4}, None),
        ({"verified": True}, True),
        ({"verified": False, "disputed": False}, None),
    ):
        assert interpret(rule, facts(**plain)) is answer
        assert closure(rule)(facts(**plain)) is answer
    assert text(implication(checked("verified"), checked("missed < 3"))) == (
        "not verified or missed < 3"
    )


def test_a_parameter_past_62_bits():
    """
    A parameter has the same bound as a literal.
    """
    huge = Parameter(name="huge", type=Type(Kind.COUNT), number=2**63)
    with pytest.raises(RuleError, match=r"more than 2\*\*62"):
        check(parse("missed < huge"), CATALOGUE.with_parameters({"huge": huge}))
