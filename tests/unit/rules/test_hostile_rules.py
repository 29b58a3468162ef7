"""Hostile text in a rule file is a `RuleError`: nothing is run, nothing hangs, nothing leaks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import count
from every_case import for_every
from holdback.errors import RuleError
from holdback.rules import check, closure, interpret, parse
from holdback.rules.types import Kind
from small_catalogue import CATALOGUE

HOSTILE = {
    "attribute walk": ("().__class__.__bases__[0].__subclasses__()", "syntax"),
    "attribute of a fact": ("progress.__class__", "syntax"),
    "format attribute": ("'{0.__class__}'.format(progress)", "syntax"),
    "import": ('__import__("os").system("true")', "syntax"),
    "builtin call": ("eval(progress)", "syntax"),
    "keyword arguments": ("min(progress, key=abs)", "syntax"),
    "lambda": ("(lambda: 1)()", "syntax"),
    "comprehension": ("[x for x in progress]", "syntax"),
    "walrus": ("(x := 1)", "syntax"),
    "await": ("await progress", "syntax"),
    "f-string": ('f"{progress}"', "syntax"),
    "big format": ('"%1000000000d" % 1', "syntax"),
    "wide f-string": ('f"{progress:1000000000}"', "syntax"),
    "power": ("4000000 ** 4000000", "syntax"),
    "shift": ("1 << 1000000000", "syntax"),
    "string building": ('"a" * 1000000000 == status', "types"),
    "method": ('"a".ljust(10)', "syntax"),
    "regular expression": ('status =~ "(a+)+$"', "syntax"),
    "complex number": ("1j * missed", "syntax"),
    "ellipsis": ("...", "syntax"),
    "statement": ("progress = 50%", "syntax"),
    "two statements": ("verified; verified", "syntax"),
    "comment": ("verified # or true", "syntax"),
    "escape": ('status == "\\u0046unded"', "syntax"),
    "byte literal": ('b"x" == status', "syntax"),
    "dunder name": ("__builtins__", "types"),
    "name of the generated code": ("a0 >= 50%", "types"),
    "deep parentheses": ("(" * 100_000 + "verified" + ")" * 100_000, "text"),
    "deep not": ("not " * 100_000 + "verified", "text"),
    "deep minus": ("-" * 100_000 + "missed", "text"),
    "400 parentheses": ("(" * 400 + "verified" + ")" * 400, "syntax"),
    "240 nots": ("not " * 240 + "verified", "syntax"),
    "990 minuses": ("-" * 900 + "missed", "syntax"),
    "huge number": ("missed < " + "9" * 100_000, "text"),
    "900 digits": ("missed < " + "9" * 900, "text"),
    "900 hexadecimal digits": ("missed < 0x" + "f" * 900, "syntax"),
    "huge exponent": ("missed < 1e999999999", "syntax"),
    "long chain": ("missed" + " < 1" * 200, "syntax"),
    "long sum": ("1" + " + 1" * 200, "syntax"),
    "full-width letters": ("\uff56erified", "text"),
    "bidirectional override": ("verified \u202e", "text"),
    "lone surrogate": ("verified \ud800", "text"),
    "no-break space": ("verified\u00a0", "text"),
    "null character": ("verified\0", "text"),
    "line separator": ("verified\u2028or true", "text"),
    "Arabic digits": ("missed < \u0663", "text"),
    "past 62 bits": ("missed * 999999999999999999 > 1", "types"),
    "past 62 bits by factors": ("completed * 999999 * 999999 * 999999 > 1", "types"),
    "past 62 bits in a common scale": (
        "takings * 1.000001 * 1.000001 > profit",
        "types",
    ),
}


@for_every(("source", "stage"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_rules_are_refused(source, stage):
    """
    No text of a file is evaluated, and no attribute of an object of the host is read.
    """
    with pytest.raises(RuleError) as caught:
        check(parse(source), CATALOGUE, Kind.FLAG)
    error = caught.value

    assert error.stage == stage
    assert 0 <= error.start < error.end
    assert error.__cause__ is None
    assert len(str(error)) < 400
    error.underlined().encode("ascii")


WORDS = st.sampled_from(
    [
        *"()[],+-*<>",
        *("<=", ">=", "==", "!=", "and", "or", "not", "in", "min(", "max(", "abs(", "true"),
        *("50%", "1.5", "3", "GBP 5.00", "14 days", "2026-03-01", '"Funded"'),
        *("progress", "balance", "missed", "status", "verified", "nonsense", "most_missed"),
    ]
)


@settings(max_examples=count("texts that may be a rule"))
@given(st.text(max_size=60) | st.lists(WORDS, max_size=12).map(" ".join))
def test_any_text_is_a_rule_or_a_rule_error(source):
    """
    Any text is either a rule that all readers can read, or a `RuleError`.
    """
    try:
        rule = check(parse(source), CATALOGUE)
    except RuleError as error:
        error.underlined().encode("ascii")
        return
    facts = (None,) * len(CATALOGUE.facts)
    assert closure(rule)(facts) == interpret(rule, facts)
