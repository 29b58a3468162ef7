"""A deal over time: what was remitted, what was expected, and from when it may be renewed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from holdback.pictures.layout import WIDTH, Record, Spec, inner_width, money, picture, values
from holdback.pictures.palette import ACCENT, MARK, SOFT, TEXT

_HEIGHT: Final = 230


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
        return picture(title, "", [], width)
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
        "axis": {"title": currency, "format": "~s", "tickCount": 4, "minExtent": 40},
    }
    days = [record["day"] for record in records]
    x = {
        "field": "day",
        "type": "temporal",
        "scale": {"type": "utc", "domain": [_utc(days[0]), _utc(days[-1])]},
        "axis": {"title": None, "format": "%b %Y", "grid": False, "tickCount": inner // 100},
    }
    lines = [_level(line, y, inner - 62) for line in renewal]
    layers = [
        _line(records, "expected", {"strokeDash": [5, 4], "color": SOFT}, x, y),
        _line(paid, "remitted", {"color": MARK, "strokeWidth": 3, "interpolate": "step-after"}, x, y),
        *(layer for pair in lines for layer in pair),
        *_ends(records, paid, x, y),
    ]
    panel = {"width": inner - 62, "height": _HEIGHT, "layer": layers}
    says = "What was remitted (the full line) against what was expected (the dashed line)."
    return picture(title, says, [panel], width)


def _utc(day: date) -> Spec:
    return {"year": day.year, "month": day.month, "date": day.day, "utc": True}


def _line(records: Sequence[Record], name: str, look: Spec, x: Spec, y: Spec) -> Spec:
    return {
        "data": values({"day": record["day"], name: record[name]} for record in records),
        "mark": {"type": "line", **look},
        "encoding": {"x": x, "y": {**y, "field": name}},
    }


def _level(line: Record, y: Spec, width: int) -> tuple[Spec, Spec]:
    """Return a line across the picture at the amount of *line*, and its label over it."""
    data = values([line])
    level = {**y, "field": "amount"}
    return (
        {
            "data": data,
            "mark": {"type": "rule", "color": ACCENT, "strokeWidth": 1},
            "encoding": {"y": level},
        },
        {
            "data": data,
            "mark": {"type": "text", "align": "left", "dy": -6, "color": ACCENT, "limit": width},
            "encoding": {"x": {"value": 4}, "y": level, "text": {"field": "label"}},
        },
    )


def _ends(records: Sequence[Record], paid: Sequence[Record], x: Spec, y: Spec) -> list[Spec]:
    """Return what was remitted up to the last day, as a point with its amount."""
    if not paid:
        return []
    last = paid[-1]
    late = records.index(last) * 2 > len(records)
    text = f"{money(last['remitted'], last['currency'])} remitted"
    data = values([{"day": last["day"], "remitted": last["remitted"], "text": text}])
    place = {"x": x, "y": {**y, "field": "remitted"}}
    side = {"align": "right", "dx": -8, "dy": -8} if late else {"align": "left", "dx": 8, "dy": 12}
    return [
        {
            "data": data,
            "mark": {"type": "circle", "color": MARK, "size": 60, "opacity": 1},
            "encoding": place,
        },
        {
            "data": data,
            "mark": {"type": "text", "fontWeight": 600, "color": TEXT, **side},
            "encoding": {**place, "text": {"field": "text"}},
        },
    ]
