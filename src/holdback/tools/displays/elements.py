"""
The parts of a display: tables, sentences and sections of HTML, with every text in them escaped.

A notebook is light or dark, and says so in a way of its own. So a display has no colours: its text
and its lines take those of the page around it. Styles are written at each element, because some
notebooks drop style sheets. A table that is wider than the screen scrolls inside itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import Final

from holdback.errors import printable
from holdback.exact.exact_numbers import digits
from holdback.exact.money import Money

_ROW: Final = "border-bottom:1px solid rgba(128,128,128,.45);vertical-align:top"
_CELL: Final = "padding:.2em .8em .2em 0"
# Of a cell with a longer text: on a narrow screen the table scrolls, instead of growing tall.
_LONG: Final = 24
_SCROLLS: Final = "overflow-x:auto;max-width:100%;margin:.5em 0"
# More rows than this are counted instead of shown.
MOST_ROWS: Final = 100


def escaped(cell: object) -> str:
    """Return *cell* as the text of an element: numbers with thousands, and None as nothing."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    return escape(printable(str(cell)))


def table(
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[object]],
    right: Collection[int] = (),
) -> str:
    """
    Return a table with a *title*; the columns at the places in *right* are aligned to the right.

    The first cell of a row names it.
    """
    aligned = ["right" if place in right else "left" for place in range(len(heads))]
    head = "".join(
        f'<th scope="col" style="text-align:{side};{_CELL}">{escaped(text)}</th>'
        for text, side in zip(heads, aligned, strict=True)
    )
    body = "".join(f'<tr style="{_ROW}">{_cells(row, aligned)}</tr>' for row in rows[:MOST_ROWS])
    more = len(rows) - MOST_ROWS
    rest = sentence(f"And {more:,} more rows.") if more > 0 else ""
    return (
        f'<div role="group" tabindex="0" aria-label="{escape(printable(title), quote=True)}" '
        f'style="{_SCROLLS}"><table style="border-collapse:collapse;margin:0">'
        f'<caption style="text-align:left;font-weight:bold;caption-side:top">{escaped(title)}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{rest}"
    )


def _cells(row: Sequence[object], aligned: Sequence[str]) -> str:
    """Return the cells of a *row*: the first as the heading of the row, though not in bold."""
    first, *others = (
        f' style="text-align:{side};{_CELL}{_width(text, side)}">{text}'
        for text, side in zip(map(escaped, row), aligned, strict=True)
    )
    head = f'<th scope="row"{first.replace(_CELL, f"{_CELL};font-weight:normal", 1)}</th>'
    return head + "".join(f"<td{cell}</td>" for cell in others)


def _width(text: str, side: str) -> str:
    if side == "right" or len(text) <= _LONG:
        return ";white-space:nowrap"
    return ";min-width:16em"


def heading(text: str, about: Iterable[str] = ()) -> str:
    """Return what a display is of, and a line *about* it; empty texts are left out."""
    line = " · ".join(escaped(part) for part in about if part)
    return f'<p style="margin:.4em 0"><strong>{escaped(text)}</strong><br>{line}</p>'


def sentence(text: str) -> str:
    """Return a paragraph."""
    return f'<p style="margin:.4em 0">{escaped(text)}</p>'


def sentences(title: str, texts: Iterable[str]) -> str:
    """Return a list of *texts* with a *title*; nothing where there are none."""
    items = "".join(f"<li>{escaped(text)}</li>" for text in texts)
    return f"{sentence(title)}<ul>{items}</ul>" if items else ""


def section(title: str, *parts: str) -> str:
    """Return *parts* that a reader can open; nothing where they are empty."""
    inner = "".join(parts)
    return f"<details><summary>{escaped(title)}</summary>{inner}</details>" if inner else ""


def facts(title: str, pairs: Iterable[tuple[str, object]]) -> str:
    """Return a table of names and values; what is None or empty is left out."""
    rows = [(name, value) for name, value in pairs if value not in (None, "")]
    return table(title, ("what", "value"), rows) if rows else ""


def display(*parts: str) -> str:
    """Return the *parts* as one display."""
    style = "max-width:60em;overflow-wrap:break-word"
    return f'<div class="holdback" style="{style}">{"".join(parts)}</div>'


def short_digest(digest: str) -> str:
    """
    Return the function of a *digest* and the first twelve characters of its number.

    >>> short_digest("sha256:0123456789abcdef0123")
    'sha256:0123456789ab'
    """
    function, _, number = digest.rpartition(":")
    return f"{function}:{number[:12]}" if function else number[:12]


def amount(money: Money | None) -> str:
    """
    Return *money* with thousands; None as nothing.

    >>> amount(Money.parse("GBP 12500.00"))
    'GBP 12,500.00'
    """
    return "" if money is None else f"{money.currency} {money.amount:,}"


def percent(scaled: int) -> str:
    """
    Return a percentage, in ten-thousandths of a percent, rounded down to one decimal.

    >>> percent(571999)
    '57.1%'
    """
    return f"{digits(scaled // 1000, 1)}%"


def counted(number: int, noun: str) -> str:
    """
    Return *number* with its *noun*.

    >>> counted(1, "deal"), counted(1200, "deal")
    ('1 deal', '1,200 deals')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
