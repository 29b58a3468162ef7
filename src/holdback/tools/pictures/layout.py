"""
What all pictures share: a title, panels one below the other, and how texts and numbers look.

A picture is a Vega-Lite document of plain values until `picture` hands it to Altair. Every size is
in pixels. Panels have fixed widths, so that a picture fits the width that was asked for, whichever
panels it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from textwrap import wrap
from typing import Any, Final, TypeVar

from holdback.errors import printable
from holdback.tools.pictures.palette import ACCENT, BACK, LINE, MARK, SOFT, TEXT

# A row of a question's answer: its columns by name, with numbers as numbers.
Record = Mapping[str, Any]
# A part of a Vega-Lite document.
Spec = dict[str, Any]

_Key = TypeVar("_Key")

# The width of a picture, if nobody asks for another: it fits a notebook and a page of a report.
WIDTH: Final = 680
# Around a picture.
PADDING: Final = 10
# The greatest width of a letter, by the size of its text: no text is longer than this says.
_LETTERS: Final = {11: 7, 12: 7, 13: 8, 15: 9}
_FONT: Final = "system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Arial, sans-serif"

_CONFIG: Final[Spec] = {
    "font": _FONT,
    "background": BACK,
    "padding": PADDING,
    "view": {"stroke": None},
    "title": {
        "anchor": "start",
        "frame": "bounds",
        "color": TEXT,
        "fontSize": 15,
        "fontWeight": 600,
        "lineHeight": 20,
        "subtitleColor": SOFT,
        "subtitleFontSize": 12,
        "subtitleLineHeight": 16,
        "subtitlePadding": 4,
        "offset": 10,
    },
    "axis": {
        "labelColor": TEXT,
        "labelFontSize": 11,
        "titleColor": SOFT,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "gridColor": LINE,
        "domainColor": LINE,
        "tickColor": LINE,
        "labelOverlap": True,
    },
    "text": {"color": TEXT, "fontSize": 11},
    "rule": {"color": ACCENT},
    "rect": {"color": MARK},
    "concat": {"spacing": 22},
}


def altair() -> Any:
    """Return the package `altair`; where it is missing, say what to install."""
    try:
        import altair as package  # noqa: ICN001, PLC0415  # only a picture needs it
    except ModuleNotFoundError as missing:
        raise missing_extra(missing) from None
    return package


def missing_extra(missing: ModuleNotFoundError) -> ModuleNotFoundError:
    """Return the error that a package of the extra `notebook` is missing."""
    package = str(missing.name).partition(".")[0]
    return ModuleNotFoundError(
        f"a picture needs {package}: pip install 'holdback[notebook]'", name=package
    )


def chart(document: Spec) -> Any:
    """Return the Altair chart of a *document*, a Vega-Lite specification."""
    return altair().VConcatChart.from_dict(document, validate=False)


def picture(title: str, says: str, panels: Sequence[Spec], width: int) -> Spec:
    """
    Return the document of a picture: the *panels*, one below the other, under a *title*.

    *says* is how to read the picture. Without panels the picture says that there is nothing.
    """
    if not panels:
        panels, says = [{"height": 1, "mark": "point", "data": {"values": []}}], "There are none."
    inner = inner_width(width)
    return {
        "title": {"text": lines(title, inner, 15), "subtitle": lines(says, inner, 12)},
        "description": printable(f"{title}. {says}"),
        "vconcat": [{"width": inner, **panel} for panel in panels],
        "config": _CONFIG,
    }


def inner_width(width: int) -> int:
    """Return the width inside the padding of a picture of *width*."""
    return width - 2 * PADDING


def text_width(text: str, size: int = 11) -> int:
    """Return about how wide *text* is, and never less."""
    return len(text) * _LETTERS[size]


def heading(text: str, width: int) -> Spec:
    """Return the title of a panel of *width*."""
    return {"text": lines(text, width, 13), "fontSize": 13, "lineHeight": 16, "offset": 8}


def lines(text: str, width: int, size: int = 11) -> list[str]:
    """Return *text* in lines that fit into *width*."""
    return wrap(printable(text), max(12, width // _LETTERS[size])) or [""]


def grouped(records: Iterable[Record], *names: str) -> dict[tuple[Any, ...], list[Record]]:
    """Return the *records* by what they have under *names*, in the order of their first."""
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        groups.setdefault(tuple(record.get(name) for name in names), []).append(record)
    return groups


def largest(weights: Mapping[_Key, int], most: int) -> Sequence[_Key]:
    """
    Return the *most* keys with the greatest *weights*, in their own order.

    >>> largest({"AU": 3, "DE": 9, "GB": 9, "US": 4}, 2)
    ('DE', 'GB')
    """
    kept = set(sorted(weights, key=lambda key: -weights[key])[:most])
    return tuple(key for key in weights if key in kept)


def left_out(drawn: int, of: int, noun: str) -> str:
    """
    Return the sentence that not all are drawn; nothing where they are.

    >>> left_out(6, 41, "rules")
    ' 6 of 41 rules are drawn, those with the most deals; the table has all.'
    """
    if drawn == of:
        return ""
    return f" {drawn:,} of {of:,} {noun} are drawn, those with the most deals; the table has all."


def values(rows: Iterable[Mapping[str, Any]]) -> Spec:
    """Return *rows* as data: Decimals as numbers of JSON, dates as texts, and texts printable."""
    return {"values": [{name: _plain(cell) for name, cell in row.items()} for row in rows]}


def _plain(cell: object) -> object:
    if isinstance(cell, Decimal):
        return float(cell)
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, list):
        return [_plain(part) for part in cell]
    return printable(cell) if isinstance(cell, str) else cell


def words(outcome: str) -> str:
    """Return the name of an *outcome* in words."""
    return outcome.replace("_", " ")


def count(number: int, noun: str = "deal") -> str:
    """
    Return *number* with its *noun*.

    >>> count(1), count(12345)
    ('1 deal', '12,345 deals')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(share: Decimal | Fraction | int | None) -> str:
    """
    Return a *share* as a whole percentage; a little one is not nothing, nor a great one all.

    >>> percent(Decimal("0.296")), percent(Decimal("0.004")), percent(Decimal("0.999")), percent(0)
    ('30%', '<1%', '>99%', '0%')
    """
    if share is None:
        return "unknown"
    whole = round(share * 100)
    if whole == 0 and share > 0:
        return "<1%"
    if whole == 100 and share < 1:  # noqa: PLR2004  # percent
        return ">99%"
    return f"{whole}%"


def money(amount: Decimal | None, currency: str | None) -> str:
    """
    Return *amount* in whole units, with its currency.

    >>> money(Decimal("811724.83"), "GBP")
    'GBP 811,725'
    """
    return "" if amount is None or not currency else f"{currency} {round(amount):,}"


def amount_axis(title: str) -> Spec:
    """Return the axis of amounts of money, to the left: `5k` is 5,000, and `5M` 5,000,000."""
    label = "datum.value === 0 ? '0' : format(datum.value, '~s')"
    return {"title": printable(title), "labelExpr": label, "tickCount": 4, "minExtent": 40}


def haloed(layer: Spec) -> list[Spec]:
    """Return a *layer* of text, with the page's colour around its letters, over what it crosses."""
    around = {**layer["mark"], "color": BACK, "stroke": BACK, "strokeWidth": 4}
    return [{**layer, "mark": around}, layer]


def joined(*parts: str) -> str:
    """Return the *parts* that are not empty, with a dot between them."""
    return " · ".join(part for part in parts if part)
