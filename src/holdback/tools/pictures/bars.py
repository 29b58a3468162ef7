"""Rows of bars: a name and figures above each bar, so that they fit on a narrow screen too."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from holdback.frozen_classes import frozen
from holdback.tools.pictures.layout import Spec, heading, joined, lines, text_width, values
from holdback.tools.pictures.palette import MARK, PALE, SOFT

_LINE: Final = 15
_BAR: Final = 12
_GAP: Final = 10
_MOST_LINES: Final = 3


@frozen(kw_only=True)
class BarRow:
    """
    A bar with its name and figures; `inner` is the part of it that is drawn dark.

    Where there is no room for all `figures`, the last ones are left out.
    """

    name: str
    figures: tuple[str, ...]
    length: Decimal | int
    inner: Decimal | int | None = None


def bars(title: str | None, rows: Sequence[BarRow], width: int) -> Spec:
    """Return a panel of *rows*, whose bars start at 0 and share one scale."""
    # Name and figures share a line if they fit in every row; else the figures are below the name.
    beside = all(text_width(f"{row.name}   {joined(*row.figures)}") <= width - _GAP for row in rows)
    placed: list[Spec] = []
    top = 0
    for row in rows:
        placed.append(_placed(row, top, width, beside=beside))
        top = placed[-1]["end"] + _GAP
    most = max(row.length for row in rows) or 1
    layers = [
        _bar("length", PALE, most, width),
        _bar("inner", MARK, most, width),
        _text("name", "top", "left", width, {"fontWeight": 600, "lineHeight": _LINE}),
        _text("figures", "second", "right" if beside else "left", width, {"color": SOFT}),
    ]
    panel: Spec = {"data": values(placed), "height": top - _GAP + 1, "layer": layers}
    return panel if title is None else {"title": heading(title, width), **panel}


def _placed(row: BarRow, top: int, width: int, *, beside: bool) -> Spec:
    """Return *row* with the places of its texts and its bar, in pixels."""
    name = [row.name] if beside else lines(row.name, width)[:_MOST_LINES]
    figures = joined(*row.figures)
    shown = list(row.figures)
    while len(shown) > 1 and text_width(joined(*shown)) > width:
        shown.pop()
    second = top + 11 + (0 if beside else _LINE * len(name))
    return {
        "name": name,
        "figures": joined(*shown),
        "all": figures,
        "length": row.length,
        "inner": row.length if row.inner is None else row.inner,
        "start": 0,
        "top": top + 11,
        "second": second,
        "bar": second + 5,
        "end": second + 5 + _BAR,
    }


def _bar(name: str, colour: str, most: Any, width: int) -> Spec:
    """Return the layer of bars as long as the field *name* says; *most* is as wide as the panel."""
    scale = {"domain": [0, float(most)], "range": [0, width], "nice": False}
    return {
        "transform": [{"filter": f"datum.{name} > 0"}],
        "mark": {"type": "rect", "color": colour, "stroke": MARK, "strokeWidth": 1},
        "encoding": {
            "x": {"field": "start", "type": "quantitative", "scale": scale, "axis": None},
            "x2": {"field": name},
            "y": {"field": "bar", "type": "quantitative", "scale": None, "axis": None},
            "y2": {"field": "end"},
            "tooltip": [{"field": "name", "title": " "}, {"field": "all", "title": "  "}],
        },
    }


def _text(name: str, top: str, side: str, width: int, look: Spec) -> Spec:
    """Return the layer of the texts in the field *name*, at the height in the field *top*."""
    mark = {"type": "text", "align": side, "baseline": "alphabetic", "limit": width, **look}
    return {
        "mark": mark,
        "encoding": {
            "x": {"value": 0 if side == "left" else width},
            "y": {"field": top, "type": "quantitative", "scale": None, "axis": None},
            "text": {"field": name},
        },
    }
