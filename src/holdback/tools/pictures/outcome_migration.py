"""Which outcome becomes which: a grid whose diagonal holds the deals that do not change."""

from __future__ import annotations

from collections.abc import Sequence

from holdback.tools.pictures.grid import Cell, grid
from holdback.tools.pictures.layout import WIDTH, Record, Spec, grouped, inner_width, picture, words


def migration(title: str, records: Sequence[Record], width: int = WIDTH) -> Spec:
    """
    Return the picture of outcomes before and after, a panel for each jurisdiction.

    The records have `jurisdiction`, `before`, `after` and `deals`; a pair without a record has no
    deals. The shade is that of the deals that change; those on the diagonal have a frame instead.
    """
    by_jurisdiction = grouped(records, "jurisdiction")
    panels = []
    for (code,), rows in by_jurisdiction.items():
        deals = {(record["before"], record["after"]): record["deals"] for record in rows}
        outcomes = dict.fromkeys([*(before for before, _ in deals), *(after for _, after in deals)])
        cells = {
            (words(before), words(after)): Cell(
                text=f"{deals.get((before, after), 0):,}",
                weight=0 if before == after else deals.get((before, after), 0),
                framed=before == after,
            )
            for before in outcomes
            for after in outcomes
        }
        panel = grid(
            code if len(by_jurisdiction) > 1 else None,
            cells,
            axes=("before", "after"),
            width=inner_width(width),
        )
        panels.append(panel)
    says = "Deals by their outcome before (rows) and after (columns). Framed: they do not change."
    return picture(title, says, panels, width)
