"""Small changes to an expression: what a person could have written by mistake."""

from __future__ import annotations

from hypothesis import given, settings
from small_rules import RULES, checked

from counts import count
from every_case import for_every
from holdback.rules import parse
from holdback.tools.mutants.expression_mutants import expression_mutants


@for_every(
    ("text", "expected"),
    [
        ("a >= 3", ["a == 3", "a != 3", "a < 3", "a > 3", "a <= 3", "a >= 4", "a >= 2"]),
        ("a >= three", ["a == three", "a != three", "a < three", "a > three", "a <= three"]),
        ("f", ["(not f)"]),
        ("not f", [" f", "not (not f)"]),
        ("f and allowed", ["f or allowed", "(not f) and allowed"]),
        ("f or true", ["f and true", "(not f) or true", "f or false"]),
        (
            't == "P"',
            [
                't != "P"',
                't < "P"',
                't >= "P"',
                't > "P"',
                't <= "P"',
                't == "Q"',
                't == "R"',
                't == "S"',
            ],
        ),
        (
            't in ["P", "Q"]',
            ['t in ["Q"]', 't in ["P"]', 't in ["P", "Q", "R"]', 't in ["P", "Q", "S"]'],
        ),
        (
            "a in [1, 3]",
            ["a in [3]", "a in [1]", "a in [2, 3]", "a in [0, 3]", "a in [1, 4]", "a in [1, 2]"],
        ),
        ("a in [1]", ["a in [2]", "a in [0]"]),
        (
            "min(a, b) >= 1",
            [
                "min(a, b) == 1",
                "min(a, b) != 1",
                "min(a, b) < 1",
                "min(a, b) > 1",
                "min(a, b) <= 1",
                "max(a, b) >= 1",
                "min(a, b) >= 2",
                "min(a, b) >= 0",
            ],
        ),
        (
            "max(a, 2) >= 3",
            [
                "max(a, 2) == 3",
                "max(a, 2) != 3",
                "max(a, 2) < 3",
                "max(a, 2) > 3",
                "max(a, 2) <= 3",
                "max(a, 3) >= 3",
                "max(a, 1) >= 3",
                "min(a, 2) >= 3",
                "max(a, 2) >= 4",
                "max(a, 2) >= 2",
            ],
        ),
        (
            "a + b >= 1",
            [
                "a + b == 1",
                "a + b != 1",
                "a + b < 1",
                "a + b > 1",
                "a + b <= 1",
                "a - b >= 1",
                "a + b >= 2",
                "a + b >= 0",
            ],
        ),
        (
            "a - b >= 1",
            [
                "a - b == 1",
                "a - b != 1",
                "a - b < 1",
                "a - b > 1",
                "a - b <= 1",
                "a + b >= 1",
                "a - b >= 2",
                "a - b >= 0",
            ],
        ),
        (
            "1 < a <= 3",
            [
                "1 == a <= 3",
                "1 != a <= 3",
                "1 >= a <= 3",
                "1 > a <= 3",
                "1 <= a <= 3",
                "2 < a <= 3",
                "0 < a <= 3",
                "1 < a == 3",
                "1 < a != 3",
                "1 < a < 3",
                "1 < a >= 3",
                "1 < a > 3",
                "1 < a <= 4",
                "1 < a <= 2",
            ],
        ),
        (
            "progress >= 50%",
            [
                "progress == 50%",
                "progress != 50%",
                "progress < 50%",
                "progress > 50%",
                "progress <= 50%",
                "progress >= 50.0001%",
                "progress >= 49.9999%",
            ],
        ),
        (
            "2 * a >= 4",
            [
                "2 * a == 4",
                "2 * a != 4",
                "2 * a < 4",
                "2 * a > 4",
                "2 * a <= 4",
                "3 * a >= 4",
                "1 * a >= 4",
                "2 * a >= 5",
                "2 * a >= 3",
            ],
        ),
        (
            "abs(b) >= 1",
            [
                "abs(b) == 1",
                "abs(b) != 1",
                "abs(b) < 1",
                "abs(b) > 1",
                "abs(b) <= 1",
                "abs(b) >= 2",
                "abs(b) >= 0",
            ],
        ),
        (
            "a >= 1 and b >= 1",
            [
                "a >= 1 or b >= 1",
                "a == 1 and b >= 1",
                "a != 1 and b >= 1",
                "a < 1 and b >= 1",
                "a > 1 and b >= 1",
                "a <= 1 and b >= 1",
                "a >= 2 and b >= 1",
                "a >= 0 and b >= 1",
                "a >= 1 and b == 1",
                "a >= 1 and b != 1",
                "a >= 1 and b < 1",
                "a >= 1 and b > 1",
                "a >= 1 and b <= 1",
                "a >= 1 and b >= 2",
                "a >= 1 and b >= 0",
            ],
        ),
        (
            "not (f or allowed)",
            [" (f or allowed)", "not (f and allowed)", "not ((not f) or allowed)"],
        ),
        (
            "m < GBP 5.00",
            [
                "m == GBP 5.00",
                "m != GBP 5.00",
                "m >= GBP 5.00",
                "m > GBP 5.00",
                "m <= GBP 5.00",
                "m < GBP 5.01",
                "m < GBP 4.99",
            ],
        ),
        (
            "d >= 21 days",
            [
                "d == 21 days",
                "d != 21 days",
                "d < 21 days",
                "d > 21 days",
                "d <= 21 days",
                "d >= 22 days",
                "d >= 20 days",
            ],
        ),
        (
            "on >= 2026-03-01",
            [
                "on == 2026-03-01",
                "on != 2026-03-01",
                "on < 2026-03-01",
                "on > 2026-03-01",
                "on <= 2026-03-01",
                "on >= 2026-03-02",
                "on >= 2026-02-28",
            ],
        ),
        ("a == 0", ["a != 0", "a < 0", "a >= 0", "a > 0", "a <= 0", "a == 1", "a == -1"]),
        (
            "(f and a>=1) or not f",
            [
                "(f and a>=1) and not f",
                "(f or a>=1) or not f",
                "((not f) and a>=1) or not f",
                "(f and a==1) or not f",
                "(f and a!=1) or not f",
                "(f and a<1) or not f",
                "(f and a>1) or not f",
                "(f and a<=1) or not f",
                "(f and a>=2) or not f",
                "(f and a>=0) or not f",
                "(f and a>=1) or  f",
                "(f and a>=1) or not (not f)",
            ],
        ),
        ("b >= -1", ["b == -1", "b != -1", "b < -1", "b > -1", "b <= -1", "b >= 0", "b >= -2"]),
        (
            "m >= GBP 0.00",
            [
                "m == GBP 0.00",
                "m != GBP 0.00",
                "m < GBP 0.00",
                "m > GBP 0.00",
                "m <= GBP 0.00",
                "m >= GBP 0.01",
                "m >= -GBP 0.01",
            ],
        ),
        (
            "(a) >= (3)",
            [
                "(a) == (3)",
                "(a) != (3)",
                "(a) < (3)",
                "(a) > (3)",
                "(a) <= (3)",
                "(a) >= 4",
                "(a) >= 2",
            ],
        ),
        ("f or not(f)", ["f and not(f)", "(not f) or not(f)", "f or (f)", "f or not(not f)"]),
    ],
)
def test_the_mutants_of_an_expression(text, expected):
    """
    Thresholds move by one unit, comparisons flip, `and` and `or` are swapped, `not` is left out,
    and lists have one item fewer or more.
    """
    assert list(expression_mutants(checked(text))) == expected


@settings(max_examples=count("rules rewritten"))
@given(RULES)
def test_what_is_rewritten_is_an_expression_again(text):
    """
    A mutant is an expression that parses and means something else.
    """
    rule = checked(text)
    for mutant in expression_mutants(rule):
        tree = parse(mutant)
        assert mutant != text
        assert tree.root != parse(text).root
