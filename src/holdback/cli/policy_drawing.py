"""A drawing of what holds when: a line for everything that changes, in one SVG picture."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from html import escape
from itertools import groupby
from typing import Final

from holdback.cli.policy_html import day_text
from holdback.errors import printable
from holdback.tools.policy.policy_timeline import Bar, Chart, Row

# In units of the picture, which is as wide as the page.
_WIDTH: Final = 720
_NAMES: Final = 236
_LINE: Final = 20
_HEADING: Final = 22
_TOP: Final = 44
# Of a character, in tenths.
_CHARACTER: Final = 55
_INSET: Final = 5


def drawing(chart: Chart, days: tuple[date, ...]) -> Iterator[str]:
    """Yield the lines of the picture of *chart*, with the periods of *days* marked."""
    groups = [(group, list(rows)) for group, rows in groupby(chart.rows, lambda row: row.group)]
    height = _TOP + sum(_HEADING + _LINE * len(rows) for _, rows in groups) + 6
    label = "What holds when, period by period"
    size = f'viewBox="0 0 {_WIDTH} {height}"'
    yield f'<svg class="chart" {size} role="img" aria-label="{label}">'
    column = (_WIDTH - _NAMES) // len(chart.starts)
    yield from _periods(chart, days, column, height)
    top = _TOP
    for group, rows in groups:
        yield _text(0, top + 15, group, "group")
        top += _HEADING
        for row in rows:
            yield from _row(row, top, column)
            top += _LINE
    yield "</svg>"


def _periods(chart: Chart, days: tuple[date, ...], column: int, height: int) -> Iterator[str]:
    """The first day of each period, and the periods of the days that are marked."""
    marked = {chart.period_of(day) for day in days}
    for place, start in enumerate(chart.starts):
        left = _NAMES + place * column
        if place in marked:
            size = f'width="{column}" height="{height}"'
            yield f'<rect class="now" x="{left}" y="0" {size}/>'
        day, month, year = day_text(start).split(" ")
        yield _text(left + 4, 14, f"{day} {month[:3]}", "day")
        yield _text(left + 4, 27, year, "day")
        yield f'<path class="rule" d="M{left} 0V{height}"/>'


def _row(row: Row, top: int, column: int) -> Iterator[str]:
    yield _text(0, top + 14, _cut(row.name, _NAMES), "name", row.name)
    for bar in row.bars:
        yield from _bar(bar, top, column)


def _bar(bar: Bar, top: int, column: int) -> Iterator[str]:
    left = _NAMES + bar.first * column
    width = (bar.end - bar.first) * column
    box = f'x="{left + 1}" y="{top + 2}" width="{width - 2}" height="{_LINE - 4}" rx="2"'
    yield f'<rect class="bar" {box}><title>{_escaped(bar.text)}</title></rect>'
    yield _text(left + _INSET, top + 14, _cut(bar.text, width - 2 * _INSET), "value")


def _cut(text: str, width: int) -> str:
    """Return as much of *text* as fits into *width*."""
    most = width * 10 // _CHARACTER
    return text if len(text) <= most else f"{text[: max(0, most - 1)]}…"


def _text(left: int, base: int, text: str, kind: str, title: str | None = None) -> str:
    whole = "" if title is None or title == text else f"<title>{_escaped(title)}</title>"
    return f'<text class="{kind}" x="{left}" y="{base}">{_escaped(text)}{whole}</text>'


def _escaped(text: str) -> str:
    return escape(printable(text))
