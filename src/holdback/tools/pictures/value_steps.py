"""How many deals are eligible at each value of a threshold, or some days from now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from holdback.tools.pictures.layout import (
    WIDTH,
    Record,
    Spec,
    grouped,
    haloed,
    heading,
    inner_width,
    picture,
    text_width,
    values,
)
from holdback.tools.pictures.palette import ACCENT, MARK, SOFT, TEXT

_HEIGHT: Final = 170


def sweep(title: str, records: Sequence[Record], width: int = WIDTH) -> Spec:
    """
    Return the picture of the eligible deals at each value of a parameter, with today's marked.

    The records have `jurisdiction`, `parameter`, `value`, `number`, `present` and `eligible`.
    There is a panel for each jurisdiction and parameter. Deals without a rulebook have no value,
    and no panel.
    """
    panels = []
    valued = [record for record in records if record["number"] is not None]
    by_parameter = grouped(valued, "jurisdiction", "parameter")
    for (code, parameter), rows in by_parameter.items():
        steps = [
            {
                "at": record["number"],
                "label": record["value"],
                "eligible": record["eligible"],
                "mark": f"today {record['value']}" if record["present"] else "",
            }
            for record in sorted(rows, key=lambda record: record["number"])
        ]
        name = f"{code}: {parameter.replace('_', ' ')}"
        panels.append(_steps(name, steps, inner_width(width)))
    says = "Eligible deals at each value of the threshold. The line is today's value."
    return picture(title, says, panels, width)


def projection(title: str, records: Sequence[Record], width: int = WIDTH) -> Spec:
    """
    Return the picture of the eligible deals some days from now, a panel for each jurisdiction.

    The records have `jurisdiction`, `days`, `day` and `eligible`.
    """
    panels = []
    for (code,), rows in grouped(records, "jurisdiction").items():
        steps = [
            {
                "at": record["days"],
                "label": f"{record['days']:,}",
                "eligible": record["eligible"],
                "mark": "today" if record["days"] == 0 else "",
            }
            for record in sorted(rows, key=lambda record: record["days"])
        ]
        panels.append(_steps(f"{code}: days from now", steps, inner_width(width)))
    says = "Eligible deals if all that is assumed comes true."
    return picture(title, says, panels, width)


def _steps(title: str, steps: Sequence[Spec], width: int) -> Spec:
    """
    Return a panel of *steps*: a line through the numbers of eligible deals.

    Of a step, `at` is its place on the line and `mark` what is written at it, empty but for today.
    """
    texts = (f"{step['eligible']:,}  {step['label']}  {step['mark']}" for step in steps)
    margin = max(text_width(word) for text in texts for word in text.split("  ")) // 2 + 2
    shown = _shown(steps, width - 2 * margin)
    rows = [
        {**step, "number": f"{step['eligible']:,}" if place in shown else ""}
        | {"label": step["label"] if place in shown else ""}
        for place, step in enumerate(steps)
    ]
    x = {
        "field": "at",
        "type": "quantitative",
        "axis": None,
        "scale": {"zero": False, "nice": False, "range": [margin, width - margin]},
    }
    most = max(step["eligible"] for step in steps) or 1
    scale = {"domain": [0, most], "nice": False, "range": [_HEIGHT - 26, 34]}
    y = {"field": "eligible", "type": "quantitative", "axis": None, "scale": scale}
    tooltip = [{"field": "label", "title": " "}, {"field": "number", "title": "eligible"}]
    return {
        "title": heading(title, width),
        "data": values(rows),
        "height": _HEIGHT,
        "encoding": {"x": x},
        "layer": [
            _today(),
            {"mark": {"type": "line", "color": MARK, "strokeWidth": 2}, "encoding": {"y": y}},
            {
                "mark": {"type": "circle", "color": MARK, "size": 50, "opacity": 1},
                "encoding": {"y": y, "tooltip": tooltip},
            },
            *haloed(_text("number", {"dy": -10, "fontWeight": 600, "color": TEXT}, {"y": y})),
            _text("label", {"color": SOFT}, {"y": {"value": _HEIGHT - 6}}),
            _text(
                "mark", {"color": ACCENT, "fontWeight": 600, "baseline": "top"}, {"y": {"value": 0}}
            ),
        ],
    }


def _shown(steps: Sequence[Spec], width: int) -> set[int]:
    """Return the places of the steps whose numbers fit next to each other; today's is one."""
    widest = max(text_width(max(f"{step['eligible']:,}", step["label"], key=len)) for step in steps)
    every = -(-len(steps) * (widest + 6) // width)  # rounded up
    last = len(steps) - 1
    shown = {place for place in range(0, len(steps), every) if last - place >= every} | {0, last}
    today = [place for place, step in enumerate(steps) if step["mark"]]
    return {place for place in shown if all(abs(place - now) >= every for now in today)} | {*today}


def _today() -> Spec:
    return {
        "transform": [{"filter": "datum.mark !== ''"}],
        "mark": {"type": "rule", "color": ACCENT, "strokeWidth": 2, "strokeDash": [5, 3]},
        "encoding": {"y": {"value": 14}, "y2": {"value": _HEIGHT - 20}},
    }


def _text(name: str, look: Spec, encoding: Spec) -> Spec:
    return {
        "mark": {"type": "text", **look},
        "encoding": {"text": {"field": name}, **encoding},
    }
