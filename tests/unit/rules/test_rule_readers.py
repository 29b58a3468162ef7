"""The interpreter, the closure and the renderers on rules that a person can check by hand."""

from __future__ import annotations

import importlib

import pytest

from every_case import for_every
from holdback.rules import (
    Catalogue,
    Fact,
    Kind,
    check,
    closure,
    interpret,
    parse,
    text,
    trace,
    words,
)
from holdback.rules.closure import mask_function
from holdback.rules.operators import OPERATORS, OPPOSITES
from small_catalogue import CATALOGUE, FLAG, GBP, PERCENT, checked, facts

KNOWN = {
    "progress": "64%",
    "performance": "79.9999%",
    "split": "12.5%",
    "growth": "-5%",
    "factor_rate": "1.18",
    "balance": "1200.00",
    "takings": "5000.00",
    "missed": 2,
    "completed": 1,
    "age": 90,
    "checked_on": "2026-03-01",
    "status": "Funded",
    "verified": True,
    "disputed": False,
}

# source, and its value on the facts above; what they do not name is unknown
ANSWERS = [
    ("verified", True),
    ("disputed", False),
    ("not disputed", True),
    ("progress >= 50%", True),
    ("performance >= 80%", False),
    ("performance >= minimum_performance", False),
    ("performance < 80%", True),
    ("60% <= progress < 65%", True),
    ("0% < split <= 12.4999%", False),
    ("growth > -5%", False),
    ("growth >= -5%", True),
    ("-growth == 5%", True),
    ("abs(growth) == 5%", True),
    ("factor_rate == 1.18", True),
    ("factor_rate != 1.180000", False),
    ("balance + GBP 3800 == takings", True),
    ("takings - balance > GBP 3799.99", True),
    ("balance <= takings * 0.24", True),
    ("balance < takings * 0.24", False),
    ("balance <= 24% * takings", True),
    ("GBP 10000 * factor_rate > takings", True),
    ("GBP 8000 * split == GBP 1000", True),
    ("missed * 3 == 6", True),
    ("2 * missed + completed in [4, 5]", True),
    ("min(missed, completed) == 1", True),
    ("max(missed, completed, 3) == 3", True),
    ("age >= 90 days", True),
    ("age > 90 days", False),
    ("checked_on > 2026-02-28", True),
    ("checked_on == 2026-03-01", True),
    ("max(checked_on, 2026-04-01) == 2026-04-01", True),
    ('status == "Funded"', True),
    ("status == wanted_status", True),
    ('status in ["Repaid", "Renewed"]', False),
    ('status != "Funded"', False),
    ("verified and not disputed", True),
    ("disputed or verified", True),
    # unknown: `profit`, `slack`, `opened_on`, `grade`, `earlier_status`
    ("profit > GBP 0", None),
    ("profit == profit", None),
    ("profit - profit == GBP 0", None),
    ("profit * 0.0 == GBP 0", None),
    ("min(profit, GBP 1) <= GBP 1", None),
    ('grade == "A"', None),
    ('grade != "A"', None),
    ('grade in ["A", "B", "C"]', None),
    ("earlier_status == status", None),
    ('not (grade == "A")', None),
    ('grade == "A" and verified', None),
    ('grade == "A" and disputed', False),
    ('grade == "A" or verified', True),
    ('grade == "A" or disputed', None),
    ('grade == "A" or grade != "A"', None),
    ("GBP 0 < profit < GBP 10", None),
    ("open_for_renewals", True),
    ("true", True),
    ('false and grade == "A"', False),
    ("progress", 64_0000),
    ("balance * 1.5", 1_800_000),
    ("profit", None),
    ("checked_on", 739_676),
    ("minimum_performance", 80_0000),
    ("50% + 0.5%", 50_5000),
]


@for_every(("source", "value"), ANSWERS, ids=[source for source, _ in ANSWERS])
def test_every_reader_gives_the_value(source, value):
    """
    All readers give the same answer, also where facts are missing (decisions/three-ideas).
    """
    rule, known = checked(source), facts(**KNOWN)
    for got in (interpret(rule, known), trace(rule, known).value, closure(rule)(known)):
        assert got == value
        assert type(got) is type(value)
    if rule.type.kind is Kind.FLAG:
        assert mask_function([rule])(known) == ((value is False) * 1, (value is None) * 1)


KLEENE = {
    "and": {
        (True, True): True,
        (True, False): False,
        (True, None): None,
        (False, False): False,
        (False, None): False,
        (None, None): None,
    },
    "or": {
        (True, True): True,
        (True, False): True,
        (True, None): True,
        (False, False): False,
        (False, None): None,
        (None, None): None,
    },
}


@pytest.mark.parametrize("operator", KLEENE)
def test_logic_is_strong_kleene(operator):
    """
    `and`, `or` and `not` are strong Kleene logic (decisions/rule-language).
    """
    rule = checked(f"verified {operator} disputed")
    for (left, right), answer in KLEENE[operator].items():
        for verified, disputed in ((left, right), (right, left)):
            known = facts(verified=verified, disputed=disputed)
            assert interpret(rule, known) is answer
            assert closure(rule)(known) is answer
    for value, answer in ((True, False), (False, True), (None, None)):
        assert interpret(checked("not verified"), facts(verified=value)) is answer


def test_the_table_of_operators():
    """
    The table has one line for each operator, in a fixed order.
    """
    assert list(OPERATORS) == [
        *("or", "and", "not", "==", "!=", "<", "<=", ">", ">=", "in"),
        *("+", "-", "negate", "*", "min", "max", "abs"),
    ]
    for name, row in OPERATORS.items():
        assert row.name == name
        assert row.takes
        assert row.summary == row.summary.strip().rstrip(".")
    for operator, opposite in OPPOSITES.items():
        for left, right in ((1, 2), (2, 1), (1, 1)):
            one, other = OPERATORS[operator], OPERATORS[opposite]
            assert one.value(left, right) is not other.value(left, right)


def test_a_trace_has_the_value_of_everything():
    """
    A trace has the value of every part of the rule.
    """
    traced = trace(checked("balance <= takings * 1.5 or profit > GBP 0"), facts(**KNOWN))

    assert str(traced).splitlines() == [
        "balance <= takings * 1.5 or profit > GBP 0.00: yes",
        "  balance <= takings * 1.5: yes",
        "    balance: GBP 1200.00",
        "    takings * 1.5: GBP 7500.00",
        "      takings: GBP 5000.00",
        "      1.5: 1.5",
        "  profit > GBP 0.00: unknown",
        "    profit: unknown",
        "    GBP 0.00: GBP 0.00",
    ]
    assert traced.children[1].value is None
    assert traced.children[0].text == "balance <= takings * 1.5"


# source, its canonical text, its plain words
RENDERED = [
    ("progress>=50%", "progress >= 50%", "progress is at least 50%"),
    ("((verified))", "verified", "verified"),
    ("not(verified)", "not verified", "not verified"),
    ("verified and(disputed and verified)", "verified and disputed and verified", None),
    ("(verified or disputed) and verified", "(verified or disputed) and verified", None),
    ("(verified and disputed) or verified", "verified and disputed or verified", None),
    ("not (verified and disputed)", "not (verified and disputed)", "not (verified and disputed)"),
    ("not (missed < 3)", "not missed < 3", "missed is at least 3"),
    ('not status in ["Funded"]', 'not status in ["Funded"]', "status is not Funded"),
    (
        'status in ["Funded","Repaid"]',
        'status in ["Funded", "Repaid"]',
        "status is Funded or Repaid",
    ),
    (
        "performance >= minimum_performance",
        "performance >= 80%",
        "performance is at least the minimum performance of 80%",
    ),
    ("missed+completed<3", "missed + completed < 3", "missed plus completed is below 3"),
    ("missed - (completed - 1) > 0", "missed - (completed - 1) > 0", None),
    ("(missed - completed) - 1 > 0", "missed - completed - 1 > 0", None),
    ("(missed + 1) * 2 > 5", "(missed + 1) * 2 > 5", "(missed plus 1) times 2 is above 5"),
    ("missed * (2 * 3) > 6", "missed * (2 * 3) > 6", None),
    ("-(missed + 1) < -1", "-(missed + 1) < -1", "minus (missed plus 1) is below -1"),
    ("-missed * 2 < 0", "-missed * 2 < 0", None),
    ("growth > -5%", "growth > -5%", "growth is above -5%"),
    ("growth > least_growth", "growth > -5.25%", "growth is above the least growth of -5.25%"),
    ("growth > -least_growth", "growth > 5.25%", None),
    ("profit > -GBP 5", "profit > -GBP 5.00", "profit is above GBP -5.00"),
    ("age in [1 day, 2 days]", "age in [1 day, 2 days]", "age is 1 day or 2 days"),
    (
        "min(takings,balance,GBP 5)>GBP 1.5",
        "min(takings, balance, GBP 5.00) > GBP 1.50",
        "the least of takings, balance and GBP 5.00 is above GBP 1.50",
    ),
    (
        "abs(slack) <= 3 days",
        "abs(slack) <= 3 days",
        "the size of slack is at most 3 days",
    ),
    ("10% < split <= 20%", "10% < split and split <= 20%", None),
    ("balance*1.50 > takings", "balance * 1.5 > takings", "balance times 1.5 is above takings"),
    ("checked_on != launched_on", "checked_on != 2024-01-01", None),
    ("factor_rate == 1.0", "factor_rate == 1.0", "factor rate is 1"),
    ("status == wanted_status", 'status == "Funded"', None),
    ("open_for_renewals or verified", "true or verified", None),
]


@for_every(("source", "canonical", "plain"), RENDERED, ids=[source for source, *_ in RENDERED])
def test_renders(source, canonical, plain):
    """
    A checked rule has one canonical text, and plain words.
    """
    rule = checked(source)

    assert text(rule) == canonical
    assert text(checked(canonical)) == canonical
    assert plain is None or words(rule) == plain


def test_generated_source_is_made_of_places_and_numbers(monkeypatch):
    """
    The generated function contains no text that a person wrote.
    """
    module = importlib.import_module("holdback.rules.closure")
    sources = []
    monkeypatch.setattr(
        module, "compile", lambda s, *a: sources.append(s) or compile(s, *a), raising=False
    )
    rule = checked('status == "Funded" and min(balance, largest_balance) < takings or verified')
    function = mask_function([rule])

    allowed = {"def", "function", "facts", "f", "u", "if", "else", "return", "and", "or", "not"}
    words_used = set("".join(c if c.isalnum() or c == "_" else " " for c in sources[0]).split())
    assert {
        word
        for word in words_used - allowed - {"is", "None", "min", "elif", "_"}
        if not word.isdigit() and not (word[0] == "a" and word[1:].isdigit())
    } == set()
    assert function.__globals__["__builtins__"] == {}


def test_facts_are_taken_out_one_by_one_from_a_wide_catalogue():
    """
    The cost of a rule depends on the facts that it reads, not on the size of the catalogue.
    """
    wide = Catalogue(
        facts=tuple(Fact(name=f"fact_{n}", type=FLAG, low=0, high=1) for n in range(60)),
        currency=GBP,
    )
    rule = check(parse("fact_59 and not fact_0"), wide)
    facts_of_two = (0, *[None] * 58, 1)

    assert mask_function([rule])(facts_of_two) == (0, 0)
    assert closure(rule)(facts_of_two) is True


def test_a_catalogue_of_one_fact():
    """
    A tuple of one fact is unpacked like any other.
    """
    one = Catalogue(facts=(Fact(name="split", type=PERCENT, low=0, high=10),), currency=GBP)
    rule = check(parse("split > 0%"), one)

    assert [mask_function([rule])((number,)) for number in (1, 0, None)] == [(0, 0), (1, 0), (0, 1)]


def test_rules_of_two_catalogues_do_not_mix():
    """
    Rules with places of two catalogues cannot share a function.
    """
    other = Catalogue(facts=CATALOGUE.facts[:3], currency=GBP)
    with pytest.raises(AssertionError):
        mask_function([checked("split > 0%"), check(parse("split > 0%"), other)])
    with pytest.raises(AssertionError):
        mask_function([checked("split")])
