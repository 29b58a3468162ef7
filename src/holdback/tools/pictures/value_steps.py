"""Lines through steps: eligible deals at each value of a threshold, rates at each of takings."""

from __future__ import annotations

from collections.abc import Sequence
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
from holdback.tools.pictures.palette import ACCENT, MARK, SOFT, TEXT

_HEIGHT: Final = 170
_PROJECTED: Final = 100  # percent of the takings that were projected


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


def sensitivity(title: str, records: Sequence[Record], width: int = WIDTH) -> Any:
    """
    Return the picture of the annual rate of an offer by its takings, with the projection marked.

    The records are those of `takings_sensitivity` in `holdback.disclosures`: each has the `share`
    of the takings that were projected, and the `apr`, both in percent.
    """
    steps = [
        {
            "at": record["share"],
            "label": f"{record['share']}%",
            "apr": record["apr"],
            "mark": "projected" if record["share"] == _PROJECTED else "",
        }
        for record in sorted(records, key=lambda record: record["share"])
    ]
    name = "Annual percentage rate, by the takings that come in percent of those projected"
    panels = [_steps(name, steps, inner_width(width), "apr")] if steps else []
    says = (
        "The same offer: its charge is fixed, so that it costs more a year the sooner it is paid."
    )
    return chart(picture(title, says, panels, width))


def _number(step: Spec, name: str) -> str:
    """Return what is written at a *step* of the figure *name*."""
    return f"{step[name]:,}%" if name == "apr" else f"{step[name]:,}"


def _steps(title: str, steps: Sequence[Spec], width: int, name: str = "eligible") -> Spec:
    """
    Return a panel of *steps*: a line through their figures of a *name*.

    Of a step, `at` is its place on the line and `mark` what is written at it, empty but for one.
    """
    texts = (f"{_number(step, name)}  {step['label']}  {step['mark']}" for step in steps)
    margin = max(text_width(word) for text in texts for word in text.split("  ")) // 2 + 2
    shown = _shown(steps, width - 2 * margin, name)
    rows = [
        {**step, "number": _number(step, name) if place in shown else ""}
        | {"label": step["label"] if place in shown else ""}
        for place, step in enumerate(steps)
    ]
    x = {
        "field": "at",
        "type": "quantitative",
        "axis": None,
        "scale": {"zero": False, "nice": False, "range": [margin, width - margin]},
    }
    most = float(max(step[name] for step in steps)) or 1
    scale = {"domain": [0, most], "nice": False, "range": [_HEIGHT - 26, 34]}
    y = {"field": name, "type": "quantitative", "axis": None, "scale": scale}
    tooltip = [{"field": "label", "title": " "}, {"field": "number", "title": name}]
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


def _shown(steps: Sequence[Spec], width: int, name: str) -> set[int]:
    """Return the places of the steps whose numbers fit next to each other; the marked is one."""
    widest = max(text_width(max(_number(step, name), step["label"], key=len)) for step in steps)
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
