"""How the pages of a policy write words, days and lists of codes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from html import escape
from typing import Final

from holdback.eligibility.rule_sentences import FIGURE_END, FIGURE_START
from holdback.errors import printable

_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_CODE: Final = re.compile(r"\b[A-Z]{2}(?:-[A-Z0-9]+)+\b")


def text(words: str) -> str:
    """Return *words* as HTML: marked figures in bold, and no line breaks within codes."""
    parts = re.split(f"[{FIGURE_START}{FIGURE_END}]", words)
    escaped = (_CODE.sub(r'<span class="id">\g<0></span>', _escaped(part)) for part in parts)
    return "".join(f"<b>{part}</b>" if place % 2 else part for place, part in enumerate(escaped))


def _escaped(words: str) -> str:
    return escape(printable(words), quote=False)


def day_text(day: date) -> str:
    """
    Return *day* as people write it.

    >>> day_text(date(2026, 7, 1))
    '1 July 2026'
    """
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def period_text(since: date, until: date | None) -> str:
    """
    Return the days from *since* to the day before *until*.

    >>> period_text(date(2024, 1, 1), date(2026, 11, 24))
    'since 1 January 2024, until 24 November 2026'
    """
    start = f"since {day_text(since)}"
    return start if until is None else f"{start}, until {day_text(until)}"


def capital(words: str) -> str:
    """Return *words* with a capital first letter."""
    return words[:1].upper() + words[1:]


def count(number: int, noun: str) -> str:
    """Return *number* and *noun*: `1 rule`, `2 rules`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def joined(names: Iterable[str]) -> str:
    """Return *names* with "and" before the last one."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
