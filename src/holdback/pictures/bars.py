"""Rows of bars: a name and figures above each bar, so that they fit on a narrow screen too."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from holdback.frozen_classes import frozen
from holdback.pictures.layout import Spec, heading, text_width, values
from holdback.pictures.palette import MARK, PALE, SOFT

_LINE: Final = 15
_BAR: Final = 12
_GAP: Final = 10


@frozen(kw_only=True)
class BarRow:
    """A bar with its name and figures; `inner` is the part of it that is drawn dark."""

    name: str
    figures: str
    length: Decimal | int
    inner: Decimal | int | None = None


def bars(title: str | None, rows: Sequence[BarRow], width: int) -> Spec:
    """Return a panel of *rows*, whose bars start at 0 and share one scale."""
    widest = max(text_width(f"{row.name}   {row.figures}") for row in rows)
    lines = 1 if widest <= width else 2
    step = lines * _LINE + _BAR + _GAP
    placed = [
        {
            "name": row.name,
            "figures": row.figures,
            "length": row.length,
            "inner": row.length if row.inner is None else row.inner,
            "start": 0,
            "top": number * step + 11,
            "second": number * step + 11 + (_LINE if lines > 1 else 0),
            "bar": number * step + lines * _LINE + 1,
            "end": number * step + lines * _LINE + 1 + _BAR,
        }
        for number, row in enumerate(rows)
    ]
    most = max(row.length for row in rows) or 1
    layers = [
        _bar("length", PALE, most, width),
        _bar("inner", MARK, most, width),
        _text("name", "top", "left", width, {"fontWeight": 600}),
        _text("figures", "second", "left" if lines > 1 else "right", width, {"color": SOFT}),
    ]
    panel: Spec = {"data": values(placed), "height": len(rows) * step, "layer": layers}
    return panel if title is None else {"title": heading(title, width), **panel}


def _bar(name: str, colour: str, most: Any, width: int) -> Spec:
    scale = {"domain": [0, float(most)], "range": [0, width], "nice": False}
    return {
        "mark": {"type": "rect", "color": colour, "stroke": MARK, "strokeWidth": 1},
        "encoding": {
            "x": {"field": "start", "type": "quantitative", "scale": scale, "axis": None},
            "x2": {"field": name},
            "y": {"field": "bar", "type": "quantitative", "scale": None, "axis": None},
            "y2": {"field": "end"},
            "tooltip": [{"field": "name", "title": " "}, {"field": "figures", "title": "  "}],
        },
    }


def _text(name: str, top: str, side: str, width: int, look: Spec) -> Spec:
    mark = {"type": "text", "align": side, "baseline": "alphabetic", "limit": width, **look}
    return {
        "mark": mark,
        "encoding": {
            "x": {"value": 0 if side == "left" else width},
            "y": {"field": top, "type": "quantitative", "scale": None, "axis": None},
            "text": {"field": name},
        },
    }
