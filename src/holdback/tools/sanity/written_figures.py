"""The figures in a sentence, as people write them: numbers with their units."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Final

from attrs import field

from holdback.frozen_classes import frozen

PERCENT: Final = "%"
MONEY: Final = "money"
DAYS: Final = "days"
MONTHS: Final = "months"
NO_UNIT: Final = ""

# The units of a time, with how many days or months each is.
_TIMES: Final = {
    "day": (DAYS, 1),
    "week": (DAYS, 7),
    "month": (MONTHS, 1),
    "year": (MONTHS, 12),
}
# A number after one of these names a text, not a quantity.
_NUMBERED: Final = (
    r"section|article|rule|regulation|form|act|part|chapter|clause|paragraph|schedule"
    r"|no\.|number|step"
)
SYMBOLS: Final = "£$€¥"


@frozen
class Figure:
    """A number of a `unit`, and its characters in the text."""

    number: Decimal
    unit: str
    span: tuple[int, int] = field(eq=False)


@lru_cache(maxsize=64)
def _pattern(decimal: str, group: str) -> re.Pattern[str]:
    """Return the pattern of a figure in a text with these separators."""
    groups = rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+|" if group else ""
    return re.compile(
        rf"(?P<numbered>\b(?i:{_NUMBERED}|§)\s*)?"
        rf"(?P<before>\b[A-Z]{{3}}\s?|[{SYMBOLS}]\s?)?"
        rf"(?<![\w.,/-])(?P<number>(?:{groups}\d+)(?:{re.escape(decimal)}\d+)?)"
        rf"(?:\s?(?P<percent>%|(?i:per\s?cent)\b)"
        rf"|(?P<after>\s?(?:[{SYMBOLS}]|[A-Z]{{3}}\b))"
        rf"|[\s-](?P<time>(?i:day|week|month|year))s?\b)?"
        r"(?![\w/]|-\d|[.,]\d)",
    )


def figures(text: str, decimal: str = ".", group: str = ",") -> Iterator[Figure]:
    """
    Yield the figures in *text*, from left to right, without numbers of sections, dates and years.

    >>> [(str(figure.number), figure.unit) for figure in figures("under 80% for 2 weeks, £1,200")]
    [('80', '%'), ('14', 'days'), ('1200', 'money')]
    """
    for match in _pattern(decimal, group).finditer(text):
        plain = match["number"].replace(group, "") if group else match["number"]
        number = Decimal(plain.replace(decimal, "."))
        unit = NO_UNIT
        if match["percent"]:
            unit = PERCENT
        elif match["before"] or match["after"]:
            unit = MONEY
        elif match["time"]:
            unit, times = _TIMES[match["time"].lower()]
            number *= times
        is_year = unit == NO_UNIT and re.fullmatch("(19|20)[0-9]{2}", match["number"])
        if not match["numbered"] and not is_year:
            yield Figure(number, unit, match.span("number"))
