"""A grid of numbers, shaded: the number stands in each cell, and the shade only helps to see it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from holdback.frozen_classes import frozen
from holdback.tools.pictures.layout import Spec, heading, text_width, values
from holdback.tools.pictures.palette import BACK, SOFT, TEXT, TINTS

_ROW: Final = 28
_MOST_COLUMN: Final = 96


@frozen(kw_only=True)
class Cell:
    """A cell: its text, how much of the most there is in the grid, and whether it has a frame."""

    text: str
    weight: Decimal | int
    framed: bool = False


def grid(
    title: str | None,
    cells: Mapping[tuple[str, str], Cell],
    *,
    axes: tuple[str | None, str | None],
    width: int,
) -> Spec:
    """Return a panel with *cells* by the names of their row and column, in their order."""
    rows = list(dict.fromkeys(row for row, _ in cells))
    columns = list(dict.fromkeys(column for _, column in cells))
    # For the names of the rows, and for their title.
    room = min(max(text_width(name) for name in rows) + 10, width * 2 // 5)
    room += 0 if axes[0] is None else 18
    longest = max(text_width(name) for name in columns)
    step = min((width - room) // len(columns), _MOST_COLUMN)
    upright = longest <= step
    if not upright:
        # The last name leans over the edge.
        step = (width - room - longest * 2 // 5) // len(columns)
    most = max((cell.weight for cell in cells.values()), default=0)
    placed = [
        {
            "row": row,
            "column": column,
            "text": cell.text,
            "tint": _tint(cell.weight, most),
            "framed": cell.framed,
        }
        for (row, column), cell in cells.items()
    ]
    x = {
        "field": "column",
        "type": "nominal",
        "sort": columns,
        "title": axes[1],
        "axis": {
            **_AXIS,
            "orient": "top",
            "labelAngle": 0 if upright else -40,
            "labelLimit": 120,
            "labelOverlap": False,
        },
    }
    y = {
        "field": "row",
        "type": "nominal",
        "sort": rows,
        "title": axes[0],
        "axis": {**_AXIS, "labelLimit": room - 6, "minExtent": room, "maxExtent": room},
    }
    panel: Spec = {
        "data": values(placed),
        "width": step * len(columns),
        "height": _ROW * len(rows),
        "encoding": {"x": x, "y": y},
        "layer": _layers(),
    }
    return panel if title is None else {"title": heading(title, width), **panel}


_AXIS: Final = {"domain": False, "ticks": False, "grid": False, "labelPadding": 6}


def _tint(weight: Decimal | int, most: Decimal | int) -> int:
    """Return the number of the shade of *weight*; the least is left empty."""
    if not weight or not most:
        return 0
    return min(len(TINTS), 1 + int(weight * len(TINTS) // most))


def _layers() -> list[Spec]:
    shades = {"domain": [*range(len(TINTS) + 1)], "range": [BACK, *TINTS]}
    tooltip = [{"field": name, "title": name} for name in ("row", "column", "text")]
    return [
        {
            "mark": {"type": "rect", "stroke": BACK, "strokeWidth": 2},
            "encoding": {
                "color": {"field": "tint", "type": "ordinal", "scale": shades, "legend": None},
                "tooltip": tooltip,
            },
        },
        {
            "transform": [{"filter": "datum.framed"}],
            "mark": {"type": "rect", "filled": False, "stroke": TEXT, "strokeWidth": 2},
        },
        {
            "transform": [{"filter": "datum.tint > 0"}],
            "mark": {"type": "text", "color": TEXT},
            "encoding": {"text": {"field": "text"}},
        },
        {
            "transform": [{"filter": "datum.tint === 0"}],
            "mark": {"type": "text", "color": SOFT},
            "encoding": {"text": {"field": "text"}},
        },
    ]
