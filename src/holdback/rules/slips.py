"""What people write in place of the language, with the right text: `9 months`, `at least 75%`.

Everything here works on the text alone, because the text has no tree: it does not parse.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from holdback.exact.exact_numbers import without_separators
from holdback.rules.operators import OPPOSITES

NO_SEPARATORS: Final = "a number has a point for its decimals and no separators"

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

# Days in a unit of time, and whether that is exact.
_UNITS: Final[Mapping[str, tuple[int, bool]]] = MappingProxyType(
    {"day": (1, True), "week": (7, True), "month": (30, False), "year": (365, False)}
)

# Nobody means a longer number of days, weeks or months.
_LONGEST_PERIOD: Final = 6

_SEPARATED: Final = (
    r"(?:(?P<before>[A-Z]{3}) ?)?(?P<number>[0-9][0-9.,'_ ]*[0-9])"
    r"(?:(?P<percent> ?%)| ?(?P<after>[A-Z]{3})\b)?"
)
_CURLY: Final = (
    "[\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb]"
    "([ -!#-~]*)"
    "[\u2018\u2019\u201c\u201d\u00ab\u00bb]"
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


def separated_number(source: str, place: int) -> str:
    """
    Return the hint for the number around *place*, which has a comma or separators.

    >>> separated_number("balance < NOK 25,000", 18)
    'write `NOK 25000`: a number has a point for its decimals and no separators'
    """
    for match in re.finditer(_SEPARATED, source):
        if match.start() <= place <= match.end():
            number = without_separators(match["number"])
            if number is None:
                break
            currency = match["before"] or match["after"]
            amount = f"{currency} {number}" if currency else number
            return f"write `{amount}{'%' * (match['percent'] is not None)}`: {NO_SEPARATORS}"
    return f"{NO_SEPARATORS}, as `5000.00`"


def period(source: str, number: str, unit: str) -> str | None:
    """
    Return the hint for *number* and *unit*, as `9 months`; None when *unit* is none of time.

    A fact of *source* that has the unit in its name is a count of such units.

    >>> period("months_trading >= 9 months", "9", "months")
    'write `9`: `months_trading` is a number of months already'
    >>> period("days_since_funding >= 2 weeks", "2", "weeks")
    'write `14 days`'
    """
    days = in_days(number, unit)
    if days is None:
        return None
    singular = unit.lower().removesuffix("s")
    counted = re.search(rf"\b(?:[a-z_]+_)?{singular}s?_[a-z_]+|\b[a-z_]+_{singular}s?\b", source)
    if counted is not None and singular != "day":
        return f"write `{number}`: `{counted[0]}` is a number of {singular}s already"
    return f"write `{days}`" if _UNITS[singular][1] else f"write it in days, as `{days}`"


def in_days(number: str, unit: str) -> str | None:
    """
    Return *number* of *unit* in days, a month of 30 and a year of 365; None for another unit.

    >>> in_days("9", "months"), in_days("9", "percent")
    ('270 days', None)
    """
    singular = unit.lower().removesuffix("s")
    if singular not in _UNITS or not number.isdecimal() or len(number) > _LONGEST_PERIOD:
        return None
    days = int(number) * _UNITS[singular][0]
    return "1 day" if days == 1 else f"{days} days"


def straight_quotes(text: str, place: int = 0) -> str | None:
    """
    Return the text between curly quotes from *place* on in straight ones; None without any.

    >>> straight_quotes("status == \u201cFunded\u201d", 10)
    '"Funded"'
    """
    match = re.compile(_CURLY).match(text, place)
    return None if match is None else f'"{match[1]}"'
