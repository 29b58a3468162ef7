"""What people write in place of the language, with the right text: `9 months`, `at least 75%`.

Everything here works on the text alone, because the text has no tree: it does not parse.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from holdback.errors import write_instead
from holdback.rules.operators import OPPOSITES
from holdback.rules.written import UNITS, days_readings, readings_by_unit

NO_SEPARATORS: Final = "a number has a point for its decimals and no separators"
PLAIN_NUMBER: Final = f"{NO_SEPARATORS}, as `5000.00`"

_IN_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        ">=": "at least|no (?:less|lower|fewer) than|(?:greater|more) than or equal to",
        "<=": "at most|no (?:more|higher|greater) than|up to|(?:less|fewer) than or equal to",
        ">": "more than|greater than|higher than|above|over|exceeds",
        "<": "less than|fewer than|lower than|below|under",
        "==": "equals|equal to",
    }
)
# Patterns are compiled when they are first used, which is only for errors.
_COMPARISON: Final = (
    r"(?P<verb>(?:is|are|must be|should be|has to be)\b *)?(?P<no>not\b *)?(?:"
    + "|".join(
        f"(?P<operator{number}>(?:{words})\\b *)" for number, words in enumerate(_IN_WORDS.values())
    )
    + ")?"
)
_OPERATORS: Final = tuple(_IN_WORDS)

# A number with its unit on either side; with another word it has no reading.
_NUMBER: Final = (
    "(?<![0-9A-Za-z_.])(?:(?:[A-Z]{3}|[a-zA-Z]{2}\\.|[\u00a3\u20ac\u00a5\u20b9$]) ?)?"
    "[0-9.,][0-9.,'_ \u00a0\u202f\u2019/-]*"
    "(?: ?(?:%|[\u00a3\u20ac\u20b9]|(?!and\\b|or\\b)[A-Za-z]+\\b))?"
    "(?![0-9A-Za-z_])"
)
# The days of a day and a week; a month and a year have no fixed number of them.
_EXACT: Final = (1, 7)
_CURLY: Final = (
    "[\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb]"
    "([ -!#-~]*)"
    "[\u2018\u2019\u201c\u201d\u00ab\u00bb]"
)

# Symbols of other languages, with what to write instead or why there is no such thing.
_SYMBOL_HINTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "=": "to compare, write `==`",
        "=<": "write `<=`",
        "=>": "write `>=`",
        "<>": "write `!=`",
        "&": "write `and`",
        "&&": "write `and`",
        "|": "write `or`",
        "||": "write `or`",
        "!": "write `not`, or `!=` to compare",
        "~": "write `not`",
        "**": "there are no powers",
        "^": "there are no powers",
        "/": "there is no division; multiply by a constant such as `0.5`",
        "//": "there is no division; multiply by a constant such as `0.5`",
        "%": "a percentage is written without a space, as `50%`",
        "'": 'write text in double quotes, as "Funded"',
        '"': "the text is not closed, or has a backslash in it",
        ".": "a fact has a plain name and no attributes",
        "{": "there are only round parentheses, and `[a, b]` after `in`",
        "}": "there are only round parentheses, and `[a, b]` after `in`",
        ":": "a rule is one expression",
        ";": "a rule is one expression",
        "#": "comments belong in the file, outside the expression",
        "$": "write the currency's code, as `USD 5000.00`",
    }
)
_CHARACTER_HINTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(
            "\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb",
            'use straight double quotes, as "Funded"',
        ),
        "\u2264": "write `<=`",
        "\u2265": "write `>=`",
        "\u2260": "write `!=`",
        "\u00d7": "write `*`",
        "\u2212": "write `-`",
        "\u2013": "write `-`",
        "\u00ac": "write `not`",
        "\u00a3": "write `GBP 5000.00`",
        "\u20ac": "write `EUR 5000.00`",
        "\u00a0": "use a plain space",
        "\n": "a rule is one line",
        "\r": "a rule is one line",
        "\t": "use a space",
    }
)


def comparison(source: str, start: int) -> tuple[str, int] | None:
    """
    Return the operator that the words of *source* at *start* mean, and the place after them.

    >>> comparison("pace at least 75%", 5), comparison("pace is not above 75%", 5)
    (('>=', 14), ('<=', 18))
    >>> comparison("pace perhaps 75%", 5) is None
    True
    """
    match = re.compile(_COMPARISON).match(source, start)
    assert match is not None, "every part of the pattern may be absent"
    groups = (f"operator{number}" for number in range(len(_OPERATORS)))
    named = [
        operator
        for operator, group in zip(_OPERATORS, groups, strict=True)
        if match[group] is not None
    ]
    if not named and match["verb"] is None:
        return None
    operator = named[0] if named else "=="
    return (operator if match["no"] is None else OPPOSITES[operator]), match.end()


def written_number(source: str, place: int) -> str | None:
    """
    Return the hint for the number around *place*, which is written otherwise; None for none.

    >>> written_number("balance < NOK 25 000", 18)
    'write `NOK 25000.00`: a number has a point for its decimals and no separators'
    """
    for match in re.finditer(_NUMBER, source):
        if match.start() <= place <= match.end():
            text = match[0].strip()
            meanings = readings_by_unit(text)
            hint = write_instead(meanings) if meanings != (text,) else None
            if hint is None or not re.search("[0-9][,'_ \u00a0\u202f\u2019][0-9]", match[0]):
                return hint
            return f"{hint}: {NO_SEPARATORS}"
    return None


def period(source: str, number: str, unit: str) -> str | None:
    """
    Return the hint for *number* and *unit*, as `9 months`; None when *unit* is none of time.

    A fact of *source* that has the unit in its name is a count of such units.

    >>> period("months_trading >= 9 months", "9", "months")
    'write `9`: `months_trading` is a number of months already'
    >>> period("days_since_funding >= 2 weeks", "2", "weeks")
    'write `14 days`'
    """
    days = write_instead(days_readings(f"{number} {unit}"))
    if days is None:
        return None
    singular = unit.lower().removesuffix("s")
    counted = re.search(rf"\b(?:[a-z_]+_)?{singular}s?_[a-z_]+|\b[a-z_]+_{singular}s?\b", source)
    if counted is not None and singular != "day":
        return f"write `{number}`: `{counted[0]}` is a number of {singular}s already"
    return days if UNITS[unit.lower()] in _EXACT else days.replace("write", "write it in days, as")


def straight_quotes(text: str, place: int = 0) -> str | None:
    """
    Return the text between curly quotes from *place* on in straight ones; None without any.

    >>> straight_quotes("status == \u201cFunded\u201d", 10)
    '"Funded"'
    """
    match = re.compile(_CURLY).match(text, place)
    return None if match is None else f'"{match[1]}"'


def plain_character(source: str, place: int) -> str | None:
    """
    Return what to write instead of the character of *source* at *place*, which no rule can have.

    >>> plain_character("pace \u2265 75%", 5)
    'write `>=`'
    """
    quoted = straight_quotes(source, place)
    if quoted is not None:
        return f"use straight double quotes, as {quoted}"
    return written_number(source, place) or _CHARACTER_HINTS.get(source[place])


def token(source: str, start: int, text: str, *, is_number: bool) -> str | None:
    """
    Return what to write instead of *text* at *start* in *source*, which is not a token.

    >>> token("pace => 75%", 5, "=>", is_number=False)
    'write `>=`'
    >>> token("age >= 2weeks", 7, "2weeks", is_number=True)
    'write `14 days`'
    """
    written = written_number(source, start)
    if not is_number:
        return written or _SYMBOL_HINTS.get(text)
    glued = re.fullmatch(r"([0-9]+)([a-z]+)", text)
    meant = None if glued is None else period(source, glued[1], glued[2])
    return meant or written or "write plain decimal digits, as `12.5`"
