"""A rulebook over time: what holds from which day on, a line for everything that changes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Final

from holdback.tools.pictures.layout import (
    WIDTH,
    Record,
    Spec,
    chart,
    grouped,
    haloed,
    heading,
    inner_width,
    picture,
    text_width,
    values,
)
from holdback.tools.pictures.palette import ACCENT, MARK, PALE, TEXT

_NAME: Final = 15
_BAR: Final = 20
_GAP: Final = 9
_STEP: Final = _NAME + _BAR + _GAP
# After the last change, as a part of all days: what holds then has to be readable.
_AFTER: Final = 3


def timeline(
    title: str, records: Sequence[Record], on: date | None = None, width: int = WIDTH
) -> Any:
    """
    Return the picture of what holds when, with the day *on* marked.

    The records have `group`, `name`, `value`, `since` and `until`, the first day on which the value
    does not hold any more; None where it holds on.
    """
    if not records:
        return chart(picture(title, "", [], width))
    inner = inner_width(width)
    days = [record["since"] for record in records]
    days += [record["until"] for record in records if record["until"] is not None]
    days += [] if on is None else [on]
    first, last = min(days), max(days)
    end = last + max(timedelta(days=60), (last - first) // _AFTER)
    panels = [
        _panel(group, rows, (first, end), on, inner)
        for (group,), rows in grouped(records, "group").items()
    ]
    says = "Each bar begins on the day on which something changes."
    says += "" if on is None else f" The line is {on}."
    return chart(picture(title, says, panels, width))


def _panel(
    group: str, records: Sequence[Record], days: tuple[date, date], on: date | None, width: int
) -> Spec:
    """Return the panel of a *group*: for each name a line of bars, from the first of *days*."""
    names = list(dict.fromkeys(record["name"] for record in records))
    rows = [_placed(record, names.index(record["name"]) * _STEP, days, width) for record in records]
    labels = [{"name": name, "top": place * _STEP + 11} for place, name in enumerate(names)]
    height = len(names) * _STEP
    layers = [] if on is None else [_day(_at(on, days, width))]
    layers += [
        {
            "data": values(rows),
            "mark": {"type": "rect", "color": PALE, "stroke": MARK, "strokeWidth": 1},
            "encoding": {
                **{name: _pixel(name) for name in ("x", "y")},
                **{name: {"field": name} for name in ("x2", "y2")},
                "tooltip": [{"field": name, "title": name} for name in ("value", "since", "until")],
            },
        },
        _text(values(rows), "shown", ("left", "middle"), {"color": TEXT}),
        *haloed(_text(values(labels), "name", (None, "top"), {"fontWeight": 600, "limit": width})),
    ]
    return {"title": heading(group, width), "height": height, "layer": layers}


def _day(at: int) -> Spec:
    """Return the line of a day, which the bars cover."""
    return {
        "data": {"values": [{"at": at}]},
        "mark": {"type": "rule", "color": ACCENT, "strokeWidth": 2},
        "encoding": {"x": _pixel("at")},
    }


def _placed(record: Record, top: int, days: tuple[date, date], width: int) -> Spec:
    """Return the bar of *record*, with as much of its value and day as fits into it."""
    left = _at(record["since"], days, width)
    right = width if record["until"] is None else _at(record["until"], days, width)
    whole = f"{record['value']}, from {record['since']}"
    texts = [whole, str(record["value"])]
    fitting = [text for text in texts if text_width(text) <= right - left - 8]
    return {
        "x": left,
        "x2": max(right - 1, left + 1),
        "y": top + _NAME,
        "y2": top + _NAME + _BAR,
        "left": left + 5,
        "middle": top + _NAME + _BAR // 2,
        "shown": fitting[0] if fitting else "",
        "value": str(record["value"]),
        "since": record["since"],
        "until": "" if record["until"] is None else record["until"],
    }


def _at(day: date, days: tuple[date, date], width: int) -> int:
    first, end = days
    return width * (day - first).days // (end - first).days


def _pixel(name: str) -> Spec:
    return {"field": name, "type": "quantitative", "scale": None, "axis": None}


def _text(data: Spec, name: str, place: tuple[str | None, str], look: Spec) -> Spec:
    """
    Return the layer of the texts in the field *name* of *data*.

    *place* are the fields of their left and top, in pixels; a left of None is the edge.
    """
    left, top = place
    x = {"value": 0} if left is None else _pixel(left)
    mark = {"type": "text", "align": "left", "color": TEXT, **look}
    if left is None:
        mark |= {"baseline": "alphabetic"}
    return {
        "data": data,
        "mark": mark,
        "encoding": {"x": x, "y": _pixel(top), "text": {"field": name}},
    }
