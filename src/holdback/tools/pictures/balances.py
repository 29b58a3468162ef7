"""What is left to pay, by outcome: a panel for each currency, because currencies do not add up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdback.tools.pictures.bars import BarRow, bars
from holdback.tools.pictures.layout import (
    WIDTH,
    Record,
    chart,
    count,
    grouped,
    inner_width,
    joined,
    money,
    picture,
    words,
)


def money_at_stake(title: str, records: Sequence[Record], width: int = WIDTH) -> Any:
    """
    Return the picture of the balances by outcome and jurisdiction, a panel for each currency.

    The records are those of `outcomes`. Records without a currency have no balance, and no bar.
    """
    counted = [record for record in records if record["currency"] and record["balance"]]
    panels = []
    for (currency,), rows in grouped(counted, "currency").items():
        several = len(grouped(rows, "jurisdiction")) > 1
        lines = [
            BarRow(
                name=joined(record["jurisdiction"] if several else "", words(record["outcome"])),
                figures=(money(record["balance"], currency), count(record["deals"])),
                length=record["balance"],
            )
            for record in rows
        ]
        panels.append(bars(currency, lines, inner_width(width)))
    says = "What is left to pay on the deals of each outcome. Each currency has a scale of its own."
    return chart(picture(title, says, panels, width))
