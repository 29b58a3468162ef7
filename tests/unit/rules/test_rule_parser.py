"""Text to tree: every production, every bound, and the errors with their hints."""

from __future__ import annotations

import inspect

import pytest

from every_case import for_every
from holdback.errors import RuleError
from holdback.rules.parser import GRAMMAR, MAX_DEPTH, MAX_NODES, _Parser, parse
from holdback.rules.tokens import MAX_CHARACTERS, MAX_LITERAL_DIGITS
from holdback.rules.tree import Expression, Literal


def shape(node):
    """Return *node* with every operator in front of its operands."""
    if isinstance(node, Expression):
        return f"({node.operator} {' '.join(shape(operand) for operand in node.operands)})"
    if isinstance(node, Literal):
        return f"{node.kind.value}:{node.currency or ''}{node.value}"
    return node.name


PRODUCTIONS = [
    ("a or b or c", "(or a b c)"),
    ("a or (b or c)", "(or a b c)"),
    ("a and b or c and d", "(or (and a b) (and c d))"),
    ("a and (b or c)", "(and a (or b c))"),
    ("not a and b", "(and (not a) b)"),
    ("not not a", "(not (not a))"),
    ("not a == b", "(not (== a b))"),
    ("a == 3", "(== a count:3)"),
    ("a != 1.18", "(!= a ratio:1.18)"),
    ("a < b", "(< a b)"),
    ("a <= b < c", "(and (<= a b) (< b c))"),
    ("a > b >= c", "(and (> a b) (>= b c))"),
    ("a < b <= c and d", "(and (< a b) (<= b c) d)"),
    ('a in ["x", "y"]', "(in a text:x text:y)"),
    ("a in [1]", "(in a count:1)"),
    ("a in [-1%, b]", "(in a (negate percent:1) b)"),
    ("a + b - c", "(- (+ a b) c)"),
    ("a - (b - c)", "(- a (- b c))"),
    ("a + b * c", "(+ a (* b c))"),
    ("(a + b) * c", "(* (+ a b) c)"),
    ("a * b * c", "(* (* a b) c)"),
    ("-a * b", "(* (negate a) b)"),
    ("a - -b", "(- a (negate b))"),
    ("--a", "(negate (negate a))"),
    ("min(a, b, c) > 1", "(> (min a b c) count:1)"),
    ("max(a + b, c)", "(max (+ a b) c)"),
    ("abs(a - b)", "(abs (- a b))"),
    ("a+b<c", "(< (+ a b) c)"),
    ("true", "flag:true"),
    ("false", "flag:false"),
    ("50%", "percent:50"),
    ("12.5%", "percent:12.5"),
    ("GBP 5000.00", "money:GBP5000.00"),
    ("14 days", "days:14"),
    ("1 day", "days:1"),
    ("2026-03-01", "date:2026-03-01"),
    ("2026 - 3 - 1", "(- (- count:2026 count:3) count:1)"),
    ('"Funded"', "text:Funded"),
    ('""', "text:"),
    ("  a  ", "a"),
    ("_a1", "_a1"),
    ("notable", "notable"),
    ("days_since_funding", "days_since_funding"),
]


@for_every(("source", "expected"), PRODUCTIONS, ids=[s for s, _ in PRODUCTIONS])
def test_productions(source, expected):
    """
    Every production of the grammar gives the tree that it describes.
    """
    assert shape(parse(source).root) == expected


def test_each_production_is_the_docstring_of_its_function():
    """
    The grammar is the docstrings of the parser's methods.
    """
    written = [line for line in GRAMMAR.splitlines() if " = " in line and "three" not in line]
    functions = {
        name: inspect.getdoc(function)
        for name, function in inspect.getmembers(_Parser, inspect.isfunction)
        if (inspect.getdoc(function) or "").startswith(f"`{name} = ")
    }

    productions = {" ".join(line.split()) for line in written}
    assert {doc.strip("`") for doc in functions.values()} <= productions
    assert len(functions) >= 11


def test_a_node_knows_where_it_was_written():
    """
    Spans are the characters of the source, parentheses included.
    """
    source = "a and (b + 14 days) >= c"
    comparison = parse(source).root.operands[1]

    assert source[comparison.start : comparison.end] == "(b + 14 days) >= c"
    assert [source[each.start : each.end] for each in comparison.operands] == ["(b + 14 days)", "c"]


def test_trees_compare_without_their_places():
    """
    The place of a node in the source does not count when nodes are compared.
    """
    assert parse("a+b  <c") == parse("(a + b) < c")


# source, the wrong characters, a part of the message, a part of the hint
SYNTAX = [
    ("", "", "expected a value", None),
    ("a =  b", "=", "`=` is not part", "to compare, write `==`"),
    ("a == b == c", "==", "a chain of comparisons runs one way", "join"),
    ("a < b > c", ">", "a chain of comparisons runs one way", "join"),
    ("a < b < c < d", "<", "with at most two operators", "join"),
    ("a == b < c", "<", "a chain", "join"),
    ("a && b", "&&", "not part", "write `and`"),
    ("a & b", "&", "not part", "write `and`"),
    ("a || b", "||", "not part", "write `or`"),
    ("!a", "!", "not part", "write `not`"),
    ("a <> b", "<>", "not part", "write `!=`"),
    ("a =< b", "=<", "not part", "write `<=`"),
    ("a => b", "=>", "not part", "write `>=`"),
    ("a is b", "is", "should end here", "write `a == b`"),
    ('a is "Funded"', "is", "should end here", 'write `a == "Funded"`'),
    ("a is not b", "is", "should end here", "write `a != b`"),
    ("a is false", "is", "should end here", "write `not a`"),
    ("a is not false", "is", "should end here", "write `a`"),
    ("a is true and b", "is", "should end here", "write `a`"),
    ("a is", "is", "should end here", "write `==`"),
    ("a is null", "is", "should end here", "its answer is then unknown"),
    ("a at least 75%", "at", "should end here", "write `a >= 75%`"),
    ("b and a is at least 75%", "is", "should end here", "write `a >= 75%`"),
    ("a must be at most GBP 5.00", "must", "should end here", "write `a <= GBP 5.00`"),
    ("a not less than 5", "not", "should end here", "write `a >= 5`"),
    ("a is not above 5", "is", "should end here", "write `a <= 5`"),
    ("a greater than or equal to 5", "greater", "should end here", "write `a >= 5`"),
    ("a more than 5", "more", "should end here", "write `a > 5`"),
    ("a below 5", "below", "should end here", "write `a < 5`"),
    ("a + b at least 5", "at", "should end here", "write `>=`"),
    ("a at least", "at", "should end here", "write `>=`"),
    ("a belowed 5", "belowed", "should end here", None),
    ("months_trading >= 9 months", "months", "should end here", "write `9`: `months_trading` is"),
    ("months_trading >= 9months", "9months", "not a number", "write `9`: `months_trading` is"),
    ("a >= 9 months", "months", "should end here", "write it in days, as `270 days`"),
    ("a >= 1 year", "year", "should end here", "write it in days, as `365 days`"),
    ("a >= 2 weeks", "weeks", "should end here", "write `14 days`"),
    ("a >= 2weeks", "2weeks", "not a number", "write `14 days`"),
    ("a >= 75 percent", "percent", "should end here", "write `75%`"),
    ("a < 25000 NOK", "NOK", "should end here", "write `NOK 25000.00`"),
    ("a < 25,000 NOK", "000", "not a number", "write `NOK 25000.00` or `NOK 25.00`: a"),
    ("a AND b", "AND", "should end here", "write `and`"),
    ("NOT a", "NOT", "expected a value", "write `not`"),
    ("a == None", "None", "expected a value", "its answer is then unknown"),
    ("a == null", "null", "expected a value", "its answer is then unknown"),
    ("a == True", "True", "expected a value", "write `true`"),
    ("a if b else c", "if", "should end here", "no conditional values"),
    ("a between 1 and 2", "between", "should end here", "write a chain"),
    ("a not in [1]", "not", "should end here", "write `not` before the comparison"),
    ("a in 1", "1", "expected `[`", 'write `in ["Funded", "Repaid"]`'),
    ("a in []", "]", "expected a value", None),
    ("a in [1, 2", "", "expected `]`", None),
    ("a in [b + 1]", "+", "expected `]`", None),
    ("[1, 2]", "[", "expected a value", "only follow `in`"),
    ("(a or b", "(", "this parenthesis is not closed", "add `)`"),
    ("a or b)", ")", "should end here", "no parenthesis to close"),
    ("()", ")", "expected a value", None),
    ("a or", "", "expected a value", None),
    ("or a", "or", "expected a value", None),
    ("a b", "b", "should end here", None),
    ("min(a)", "min", "two numbers or more", None),
    ("abs(a, b)", "abs", "`abs` takes one number", None),
    ("min a", "a", "expected `(`", None),
    ("min(a b)", "b", "expected `)`", None),
    ("round(a)", "round", "expected a value", "the only functions are"),
    ("mim(a, b)", "mim", "expected a value", "did you mean `min`?"),
    ("a.b", ".", "not part", "no attributes"),
    ("a[0]", "[", "should end here", "only follow `in`"),
    ("a / 2", "/", "not part", "no division"),
    ("a // 2", "//", "not part", "no division"),
    ("a ** 2", "**", "not part", "no powers"),
    ("a ^ 2", "^", "not part", "no powers"),
    ("a % 2", "%", "not part", "without a space"),
    ("a > 50 %", "%", "not part", "write `50%`"),
    ("a == 'x'", "'", "not part", "double quotes"),
    ('a == "x', '"', "not part", "not closed"),
    ("a == {}", "{", "not part", "round parentheses"),
    ("a; b", ";", "not part", "one expression"),
    ("a # why", "#", "not part", "outside the expression"),
    ("a > $5", "$", "not part", "USD 5000.00"),
    ("a > @b", "@", "not part", None),
    ("GBP5000 < a", "GBP5000", "expected a value", "write `GBP 5000`"),
    ("a > GBP  5000", "5000", "should end here", "money is written"),
    ("a > GBP 5,000", "000", "not a number", "write `GBP 5000.00` or `GBP 5.00`: a number"),
    ("a > GBP 5000,00", "00", "not a number", "write `GBP 5000.00`: a number has a point"),
    ("a > GBP 5000,50", ",", "should end here", "write `GBP 5000.50`: a number has a point"),
    ("a > GBP 25.000,50", ",", "should end here", "write `GBP 25000.50`: a number has a point"),
    ("a > GBP 25 000", "000", "not a number", "write `GBP 25000.00`: a number has a point"),
    ("a > GBP 25 500", "500", "should end here", "write `GBP 25500.00`: a number has a point"),
    ("a > 1,5", ",", "should end here", "write `1.5`: a number has a point"),
    ("a > 72,5%", ",", "should end here", "write `72.5%`: a number has a point"),
    ("a > 1,500,250", ",", "should end here", "write `1500250`: a number has a point"),
    ("a > 5,", ",", "should end here", "write `5`"),
    ("a > 5 6", "6", "should end here", "no separators, as `5000.00`"),
    ("a > 5_000", "5_000", "not a number", "write `5000`"),
    ("a > 5'000", "5'000", "not a number", "write `5000`"),
    ("a > 14days", "14days", "not a number", "write `14 days`"),
    ("a > 500GBP", "500GBP", "not a number", "write `GBP 500.00`"),
    ("a > .5", ".5", "not a number", "write `0.5`"),
    ("a > 5.", "5.", "not a number", "write `5`"),
    ("a > 007", "007", "not a number", "write `7`"),
    ("a > 1e5", "1e5", "not a number", "plain decimal digits"),
    ("a > 0x1F", "0x1F", "not a number", "plain decimal digits"),
    ("a > 1.2.3", "1.2.3", "not a number", "plain decimal digits"),
]


@for_every(("source", "fault", "message", "hint"), SYNTAX, ids=[s[0] for s in SYNTAX])
def test_syntax_errors_point_and_help(source, fault, message, hint):
    """
    A syntax error has a message, its characters, and a hint.
    """
    with pytest.raises(RuleError) as caught:
        parse(source)
    error = caught.value

    assert error.stage == "syntax"
    assert message in error.message
    assert source[error.start : error.end] == fault
    assert (error.hint is None) if hint is None else (hint in (error.hint or ""))


@for_every("quotes", ["\u201c\u201d", "\u2018\u2019", "\u201e\u201c", "\u00ab\u00bb"])
def test_a_text_in_curly_quotes(quotes):
    """
    The hint has the text that an editor put into curly quotes in straight ones.
    """
    with pytest.raises(RuleError) as caught:
        parse(f"status == {quotes[0]}Repaid{quotes[1]} and a")

    assert caught.value.hint == 'use straight double quotes, as "Repaid"'
    assert parse('status == "Repaid" and a')


def test_a_rule_is_printable_ascii():
    """
    A character outside printable ASCII is an error.
    """
    for character, hint in (
        ("\u201c", "straight double quotes"),
        ("\u2265", "write `>=`"),
        ("\u00a3", "GBP 5000.00"),
        ("\n", "one line"),
        ("\t", "a space"),
        ("\u202e", None),
        ("\x00", None),
        ("\ud800", None),
        ("\uff58", None),
        ("\x7f", None),
    ):
        with pytest.raises(RuleError, match=f"U\\+{ord(character):04X} is not printable") as caught:
            parse(f"a {character} b")
        error = caught.value

        assert (error.stage, error.start, error.end) == ("text", 2, 3)
        assert error.source == "a ? b"
        assert (hint or "") in (error.hint or "")
        str(error).encode("ascii")


def test_a_rule_has_at_most_1000_characters():
    """
    A rule has at most 1,000 characters.
    """
    parse("a".ljust(MAX_CHARACTERS))
    with pytest.raises(RuleError, match="at most 1000 characters") as caught:
        parse("a".ljust(MAX_CHARACTERS + 1))

    assert caught.value.stage == "text"
    assert len(caught.value.source) == MAX_CHARACTERS


def test_a_rule_has_at_most_256_parts():
    """
    A rule has at most 256 nodes.
    """
    longest = ", ".join("1" * (MAX_NODES - 2))
    parse(f"a in [{longest}]")
    with pytest.raises(RuleError, match="at most 256 parts") as caught:
        parse(f"a in [{longest}, 1]")

    assert caught.value.stage == "syntax"


def test_a_rule_is_at_most_32_deep():
    """
    A rule is at most 32 levels deep.
    """
    for written in ("not {}", "-{}", "({})", "abs({})"):
        limit = MAX_DEPTH if written == "({})" else MAX_DEPTH - 1
        source = "a"
        for _ in range(limit):
            source = written.format(source)
        parse(source)
        with pytest.raises(RuleError, match="at most 32 deep") as caught:
            parse(written.format(source))

        assert caught.value.stage == "syntax"
    parse("+".join("a" * MAX_DEPTH))
    with pytest.raises(RuleError, match="at most 32 deep"):
        parse("+".join("a" * (MAX_DEPTH + 1)))


def test_a_number_has_at_most_30_digits():
    """
    A literal has at most 30 digits.
    """
    longest = "1" * MAX_LITERAL_DIGITS
    for written in ("{}", "{}%", "GBP {}", "{} days", "1.{}"):
        too_long = written.format(longest + "1")
        with pytest.raises(RuleError, match="at most 30 digits") as caught:
            parse(f"a < {too_long}")

        assert caught.value.stage == "text"
        assert caught.value.source[caught.value.start : caught.value.end] == too_long
        if "." not in written:
            parse(f"a < {written.format(longest)}")


def test_many_of_one_operator_are_not_deep():
    """
    `or` and `and` take any number of flags on one level.
    """
    assert shape(parse(" or ".join("abcdefgh" * 10)).root).count("or") == 1
