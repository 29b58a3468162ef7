"""The share of each outcome: of one jurisdiction as bars, of several and of cohorts as a grid."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from holdback.pictures.bars import BarRow, bars
from holdback.pictures.grid import Cell, grid
from holdback.pictures.layout import (
    WIDTH,
    Record,
    Spec,
    count,
    grouped,
    inner_width,
    money,
    percent,
    picture,
    words,
)


def outcomes(title: str, records: Sequence[Record], width: int = WIDTH) -> Spec:
    """
    Return the picture of how many deals have each outcome, by jurisdiction.

    The records have `jurisdiction`, `outcome`, `deals`, `share`, `balance` and `currency`.
    """
    if len(grouped(records, "jurisdiction")) > 1:
        says = "The share of a jurisdiction's deals that have each outcome."
        panels = [_grid(None, records, "jurisdiction", inner_width(width))]
        return picture(title, says, panels, width)
    rows = [
        BarRow(
            name=words(record["outcome"]),
            figures=(
                count(record["deals"]),
                percent(record["share"]),
                money(record["balance"], record["currency"]),
            ),
            length=record["deals"],
        )
        for record in records
    ]
    panels = [bars(None, rows, inner_width(width))] if rows else []
    return picture(title, "Deals by outcome, and what is left to pay on them.", panels, width)


def cohorts(title: str, records: Sequence[Record], width: int = WIDTH) -> Spec:
    """
    Return the picture of the outcomes of each cohort of deals, a panel for each jurisdiction.

    The records have `cohort`, `jurisdiction`, `outcome` and `share`.
    """
    by_jurisdiction = grouped(records, "jurisdiction")
    panels = [
        _grid(code if len(by_jurisdiction) > 1 else None, rows, "cohort", inner_width(width))
        for (code,), rows in by_jurisdiction.items()
    ]
    return picture(title, "The share of a cohort that has each outcome.", panels, width)


def _grid(title: str | None, records: Sequence[Record], head: str, width: int) -> Spec:
    """Return a grid of shares: a row for each value of *head*, a column for each outcome."""
    given = {(str(record[head]), words(record["outcome"])): record for record in records}
    columns = dict.fromkeys(words(record["outcome"]) for record in records)
    none: Record = {"share": Decimal(0), "deals": 0}
    cells = {}
    for row in dict.fromkeys(row for row, _ in given):
        for column in columns:
            share = given.get((row, column), none)["share"] or Decimal(0)
            cells[row, column] = Cell(text=percent(share), weight=share)
    return grid(title, cells, axes=(None, None), width=width)
