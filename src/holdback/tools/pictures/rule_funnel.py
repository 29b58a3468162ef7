"""What each rule stops: how many deals fail it, and how many would be eligible without it."""

from __future__ import annotations

from collections.abc import Sequence

from holdback.tools.pictures.bars import BarRow, bars
from holdback.tools.pictures.layout import (
    WIDTH,
    Record,
    Spec,
    grouped,
    inner_width,
    money,
    picture,
)


def funnel(title: str, records: Sequence[Record], width: int = WIDTH) -> Spec:
    """
    Return the picture of what each rule stops, a panel for each jurisdiction.

    The records have `jurisdiction`, `rule`, `label`, `failed`, `unknown`, `would_become_eligible`,
    `balance` and `currency`.
    """
    by_jurisdiction = grouped(records, "jurisdiction")
    panels = [
        bars(
            code if len(by_jurisdiction) > 1 else None,
            [_row(record) for record in rows],
            inner_width(width),
        )
        for (code,), rows in by_jurisdiction.items()
    ]
    says = (
        "The light bar is the deals that fail a rule; the dark one those that would become "
        "eligible without it, also where it was unknown or could not be read."
    )
    return picture(title, says, panels, width)


def _row(record: Record) -> BarRow:
    """Return the bar of a rule: the deals that fail it and, dark, those that it alone stops."""
    gained = record["would_become_eligible"]
    amount = money(record["balance"], record["currency"]) if gained else ""
    return BarRow(
        name=f"{record['rule']}  {record['label']}",
        figures=(
            f"{record['failed']:,} fail",
            f"{gained or 0:,} would become eligible",
            amount,
            f"{record['unknown']:,} unknown" if record["unknown"] else "",
        ),
        length=max(record["failed"], gained or 0),
        inner=gained or 0,
    )
