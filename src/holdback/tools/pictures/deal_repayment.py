"""A deal over time: what was remitted, what was expected, and from when it may be renewed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from holdback.tools.pictures.layout import (
    WIDTH,
    Record,
    Spec,
    amount_axis,
    chart,
    haloed,
    inner_width,
    money,
    picture,
    values,
)
from holdback.tools.pictures.palette import ACCENT, MARK, SOFT

_HEIGHT: Final = 230
# Of the axis of amounts, to the left of the picture.
_AXIS_WIDTH: Final = 62


def repayment(
    title: str, records: Sequence[Record], renewal: Sequence[Record], width: int = WIDTH
) -> Any:
    """
    Return the picture of a deal's repayment against its pace.

    The records are days in their order, each with `day`, `remitted`, `expected` (amounts in major
    units up to that day; `remitted` is None for days to come) and `currency`. *renewal* are the
    amounts at which a renewal becomes possible, each with `amount` and a `label` such as
    "50%: a renewal is assessed".
    """
    if not records:
        return chart(picture(title, "", [], width))
    inner = inner_width(width)
    currency = records[0]["currency"]
    paid = [record for record in records if record["remitted"] is not None]
    amounts = [record["expected"] for record in records]
    amounts += [record["remitted"] for record in paid] + [line["amount"] for line in renewal]
    most = max(amounts) or Decimal(1)
    y_scale = {"domain": [0, float(most)], "nice": True}
    y = {
        "type": "quantitative",
        "scale": y_scale,
        "axis": amount_axis(currency),
    }
    days = [record["day"] for record in records]
    x = {
        "field": "day",
        "type": "temporal",
        "scale": {"type": "utc", "domain": [_utc(days[0]), _utc(days[-1])]},
        "axis": {"title": None, "format": "%b %Y", "grid": False, "tickCount": inner // 100},
    }
    levels = sorted(renewal, key=lambda line: line["amount"])
    # The label of a line is over it, or under it where the line above is too close. Above the last
    # one there is none, so it is taken to be far.
    above = [line["amount"] for line in levels[1:]] + [2 * most]
    lines = [
        _level(
            line,
            y,
            inner - _AXIS_WIDTH,
            12 if (after - line["amount"]) * _HEIGHT < 18 * most else -6,
        )
        for line, after in zip(levels, above, strict=True)
    ]
    layers = [
        _line(records, "expected", {"strokeDash": [5, 4], "color": SOFT}, x, y),
        _line(
            paid, "remitted", {"color": MARK, "strokeWidth": 3, "interpolate": "step-after"}, x, y
        ),
        *(layer for level in lines for layer in level),
        _end(paid, x, y),
    ]
    panel = {"width": inner - _AXIS_WIDTH, "height": _HEIGHT, "layer": layers}
    return chart(picture(title, _says(paid), [panel], width))


def _says(paid: Sequence[Record]) -> str:
    says = "What was remitted (the full line) against what was expected (the dashed line)."
    if not paid:
        return says
    last = paid[-1]
    return f"{says} Remitted by {last['day']}: {money(last['remitted'], last['currency'])}."


def _utc(day: date) -> Spec:
    return {"year": day.year, "month": day.month, "date": day.day, "utc": True}


def _line(records: Sequence[Record], name: str, look: Spec, x: Spec, y: Spec) -> Spec:
    """Return the layer of a line through what *records* have under *name*, day by day."""
    return {
        "data": values({"day": record["day"], name: record[name]} for record in records),
        "mark": {"type": "line", **look},
        "encoding": {"x": x, "y": {**y, "field": name}},
    }


def _level(line: Record, y: Spec, width: int, down: int) -> tuple[Spec, ...]:
    """Return a line across the picture at the amount of *line*, and its label, pixels *down*."""
    data = values([line])
    level = {**y, "field": "amount"}
    look = {"align": "left", "baseline": "alphabetic", "color": ACCENT, "limit": width}
    return (
        {
            "data": data,
            "mark": {"type": "rule", "color": ACCENT, "strokeWidth": 1},
            "encoding": {"y": level},
        },
        *haloed(
            {
                "data": data,
                "mark": {"type": "text", "dy": down, **look},
                "encoding": {"x": {"value": 4}, "y": level, "text": {"field": "label"}},
            }
        ),
    )


def _end(paid: Sequence[Record], x: Spec, y: Spec) -> Spec:
    """Return what was remitted up to the last day, as a point."""
    return {
        "data": values(
            {"day": record["day"], "remitted": record["remitted"]} for record in paid[-1:]
        ),
        "mark": {"type": "circle", "color": MARK, "size": 60, "opacity": 1},
        "encoding": {"x": x, "y": {**y, "field": "remitted"}},
    }
