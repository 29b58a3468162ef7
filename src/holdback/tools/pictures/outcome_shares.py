"""The share of each outcome: of one jurisdiction as bars, of several and of cohorts as a grid."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from holdback.tools.pictures.bars import BarRow, bars
from holdback.tools.pictures.grid import Cell, grid
from holdback.tools.pictures.layout import (
    WIDTH,
    Record,
    Spec,
    count,
    grouped,
    inner_width,
    largest,
    left_out,
    money,
    percent,
    picture,
    words,
)

# The rows that fit a screen or two in all panels together, and the fewest of a panel.
_MOST_ROWS: Final = 40
_FEWEST_ROWS: Final = 6


def outcomes(title: str, records: Sequence[Record], width: int = WIDTH) -> Spec:
    """
    Return the picture of how many deals have each outcome, by jurisdiction.

    The records have `jurisdiction`, `outcome`, `deals`, `share`, `balance` and `currency`. Of more
    than 40 jurisdictions those with the most deals are drawn.
    """
    jurisdictions = len(grouped(records, "jurisdiction"))
    if jurisdictions > 1:
        shown = _with_most_deals(records, "jurisdiction", _MOST_ROWS)
        says = "The share of a jurisdiction's deals that have each outcome."
        says += left_out(min(jurisdictions, _MOST_ROWS), jurisdictions, "jurisdictions")
        panels = [_grid(None, shown, "jurisdiction", inner_width(width))]
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

    The records have `cohort`, `jurisdiction`, `outcome`, `deals` and `share`. Of more than 40
    cohorts in all those with the most deals are drawn, at least 6 of each jurisdiction.
    """
    by_jurisdiction = grouped(records, "jurisdiction")
    most = max(_FEWEST_ROWS, _MOST_ROWS // max(1, len(by_jurisdiction)))
    counts = [len(grouped(rows, "cohort")) for rows in by_jurisdiction.values()]
    if sum(counts) <= _MOST_ROWS:
        most = _MOST_ROWS
    panels = [
        _grid(
            code if len(by_jurisdiction) > 1 else None,
            _with_most_deals(rows, "cohort", most),
            "cohort",
            inner_width(width),
        )
        for (code,), rows in by_jurisdiction.items()
    ]
    says = "The share of a cohort that has each outcome."
    says += left_out(sum(min(most, number) for number in counts), sum(counts), "cohorts")
    return picture(title, says, panels, width)


def _with_most_deals(records: Sequence[Record], head: str, most: int) -> Sequence[Record]:
    """Return those of *records* that have one of the *most* values of *head* with most deals."""
    by_value = grouped(records, head)
    deals = {value: sum(row["deals"] for row in rows) for value, rows in by_value.items()}
    return [row for value in largest(deals, most) for row in by_value[value]]


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
