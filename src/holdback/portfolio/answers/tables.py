"""Tables for a terminal and for a notebook."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from holdback.errors import printable
from holdback.frozen_classes import frozen
from holdback.tools.displays import elements

# A number with or without a currency, thousands, decimals, or a percent sign.
_FIGURE: Final = re.compile(r"(?:[A-Z]{3} )?-?[0-9][0-9,]*(?:\.[0-9]+)?%?")
# What is in the place of rows that are left out.
GAP: Final = "..."


@frozen
class Table:
    """
    A table with a title, the heads of its columns, and rows of texts and integers.

    Columns of numbers and of amounts of money are aligned to the right.

    >>> print(Table("Deals", ("outcome", "deals"), (("eligible", 1200), ("referred", 7))))
    Deals
    outcome   deals
    eligible  1,200
    referred      7
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    def __str__(self) -> str:
        cells = [self.heads, *(tuple(map(_cell, row)) for row in self.rows)]
        widths = [max(len(row[place]) for row in cells) for place in range(len(self.heads))]
        right = [self._right(place) for place in range(len(self.heads))]
        lines = [
            "  ".join(
                cell.rjust(width) if to_right else cell.ljust(width)
                for cell, width, to_right in zip(row, widths, right, strict=True)
            ).rstrip()
            for row in cells
        ]
        return "\n".join([self.title, *lines])

    def _right(self, place: int) -> bool:
        return all(_is_figure(row[place]) for row in self.rows)

    def html(self) -> str:
        """The table as HTML, with thousands; every text in it is escaped."""
        right = {place for place in range(len(self.heads)) if self._right(place)}
        rows = [tuple(map(_in_html, row)) for row in self.rows]
        return elements.table(self.title, self.heads, rows, right)


def _is_figure(cell: object) -> bool:
    """Whether *cell* is a number or an amount of money, or empty for none."""
    text = str(cell)
    return isinstance(cell, int) or text in {"", GAP} or _FIGURE.fullmatch(text) is not None


def _cell(cell: object) -> str:
    return f"{cell:,}" if isinstance(cell, int) else printable(str(cell))


def _in_html(cell: object) -> object:
    """Return *cell*, an amount of money with thousands."""
    if isinstance(cell, int) or not _is_figure(cell):
        return cell
    currency, _, number = str(cell).partition(" ")
    units, point, decimals = number.partition(".")
    return f"{currency} {int(units):,}{point}{decimals}" if units.isdigit() else cell


def join_tables(tables: Sequence[Table]) -> str:
    """Return the *tables* that have rows as one text, with an empty line between them."""
    return "\n\n".join(str(table) for table in tables if table.rows)
