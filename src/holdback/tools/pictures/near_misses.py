"""Deals close to a threshold: how far each is from it, and what is left to pay on it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from holdback.tools.pictures.layout import (
    WIDTH,
    Record,
    Spec,
    amount_axis,
    count,
    grouped,
    heading,
    inner_width,
    joined,
    largest,
    left_out,
    money,
    picture,
    values,
)
from holdback.tools.pictures.palette import ACCENT, BACK, MARK

_HEIGHT: Final = 150
# What fits a screen or two, and is not one blot: panels, and the deals of each.
_MOST_PANELS: Final = 6
_MOST: Final = 300


def near(title: str, records: Sequence[Record], width: int = WIDTH) -> Spec:
    """
    Return the picture of the deals near a threshold, a panel for each jurisdiction and rule.

    The records have `row`, `jurisdiction`, `rule`, `fact`, `value`, `threshold`, `gap`, `passes`,
    `balance` and `currency`. Of more than 6 rules those with the most deals are drawn, and of more
    than 300 deals of a rule the nearest.
    """
    by_rule = grouped(records, "jurisdiction", "rule")
    shown = largest({rule: len(rows) for rule, rows in by_rule.items()}, _MOST_PANELS)
    panels = [
        _panel(f"{code} · {rule}", by_rule[code, rule], inner_width(width)) for code, rule in shown
    ]
    says = (
        "How far each deal is from the threshold (the line), and its balance. Full: it passes; "
        "hollow: it does not." + left_out(len(shown), len(by_rule), "rules")
    )
    return picture(title, says, panels, width)


def _panel(name: str, records: Sequence[Record], width: int) -> Spec:
    """Return the panel of one rule: a point for each deal, left and right of the threshold."""
    first = records[0]  # all have the same fact, threshold and currency
    nearest = sorted(records, key=lambda record: abs(record["gap"] or 0))[:_MOST]
    passing = sum(1 for record in records if record["passes"])
    about = joined(
        name,
        f"{str(first['fact']).replace('_', ' ')}, threshold {first['threshold']}",
        f"{count(passing, 'deal')} pass, {len(records) - passing:,} do not",
        f"the nearest {_MOST:,} of {len(records):,} are drawn" if len(records) > _MOST else "",
    )
    x = {
        "field": "gap",
        "type": "quantitative",
        "axis": {"title": "distance from the threshold", "format": "+,~r", "grid": False},
        "scale": {"nice": True},
    }
    axis = amount_axis(f"balance, {first['currency'] or 'unknown'}")
    y = {"field": "balance", "type": "quantitative", "axis": axis}
    tooltip = [
        {"field": head, "title": title}
        for head, title in (("row", "row"), ("value", "value"), ("shown", "balance"))
    ]
    return {
        "title": heading(about, width),
        "width": width - 62,  # less the axis of balances
        "height": _HEIGHT,
        "data": values(map(_row, nearest)),
        "layer": [
            {
                "data": {"values": [{"gap": 0}]},
                "mark": {"type": "rule", "color": ACCENT, "strokeWidth": 2},
                "encoding": {"x": x},
            },
            *(
                {
                    "transform": [{"filter": f"datum.passes === {passes}"}],
                    "mark": {
                        "type": "point",
                        "fill": fill,
                        "stroke": MARK,
                        "size": 42,
                        "opacity": 1,
                    },
                    "encoding": {"x": x, "y": y, "tooltip": tooltip},
                }
                for passes, fill in (("true", MARK), ("false", BACK))
            ),
        ],
    }


def _row(record: Record) -> Record:
    """Return the point of a deal; one whose balance is unknown is drawn at 0, and says so."""
    return {
        "row": str(record["row"]),
        "gap": record["gap"],
        "balance": record["balance"] or Decimal(0),
        "shown": money(record["balance"], record["currency"]) or "balance unknown",
        "value": str(record["value"]),
        "passes": bool(record["passes"]),
    }
