"""Rows of a file that are not deals: titles, heads again, units, totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import pyarrow as pa

from holdback.cli.portfolio_cells import is_missing
from holdback.errors import InvalidDocument
from holdback.rules.types import Kind

# What people and spreadsheets write before a total, in small letters.
_TOTALS: Final = frozenset(
    [
        "total",
        "totals",
        "subtotal",
        "sum",
        "average",
        "mean",
        "count",
        "summe",
        "gesamt",
        "gesamtsumme",
        "somme",
        "totale",
    ]
)
_TEXTS: Final = (Kind.TEXT, Kind.DATE, Kind.FLAG)
# As many known heads make a line of heads.
_FEWEST_HEADS: Final = 2
# A row with fewer numbers may be a deal of which little is known.
_FEWEST_NUMBERS: Final = 3
# A total is of deals above it.
_FEWEST_ROWS: Final = 2


def check_heads(
    heads: Sequence[str],
    later: Iterable[tuple[int, Sequence[str]]],
    usual_heads: frozenset[str],
    what: str,
) -> None:
    """
    Check that *heads* are not a title above the heads, which are in a row of *later* then.

    *later* has the number of each row, *usual_heads* the heads that any file may have, and *what*
    is the word for a row: `line` or `row`.

    Raises:
        InvalidDocument: if they are.
    """
    if usual_heads.isdisjoint(head.strip() for head in heads):
        for number, row in later:
            if len(usual_heads.intersection(head.strip() for head in row)) >= _FEWEST_HEADS:
                message = f"{what} 1 has no heads: they are in {what} {number}"
                hint = f"delete what is above {what} {number}"
                raise InvalidDocument.of("wrong_value", message, hint=hint)


def check_first_row(table: pa.Table, kinds: Mapping[str, Kind]) -> None:
    """
    Check that the first row of *table* is a deal, and not heads or units; *kinds* are by column.

    Raises:
        InvalidDocument: if it is none.
    """
    row = _given(table.slice(0, 1))
    heads = [name for name, text in row.items() if text.lower() == name.lower()]
    numbers = {name: text for name, text in row.items() if kinds.get(name, Kind.TEXT) not in _TEXTS}
    # In units, there is no digit anywhere.
    has_digits = any(sign.isdigit() for text in numbers.values() for sign in text)
    if len(heads) > 1 or (len(numbers) >= _FEWEST_NUMBERS and not has_digits):
        what = "heads again" if len(heads) > 1 else "units or other heads"
        message = f"the first row below the heads is not a deal: it has {what}"
        raise InvalidDocument.of("wrong_value", message, hint="delete line 2 of the file")


def check_last_row(table: pa.Table, kinds: Mapping[str, Kind]) -> None:
    """
    Check that the last row of *table* is a deal, and not a total of others.

    Raises:
        InvalidDocument: if it is none.
    """
    if table.num_rows < _FEWEST_ROWS:
        return
    before, last = (_given(table.slice(table.num_rows - place, 1)) for place in (2, 1))
    words = [text for name, text in last.items() if kinds.get(name, Kind.TEXT) in _TEXTS]
    has_word = any(text.lower().strip(" :").split(" ")[-1] in _TOTALS for text in words)
    has_numbers = any(kinds.get(name) not in (None, *_TEXTS) for name in last)
    is_bare = not words and 2 * len(last) < len(before)
    if has_numbers and (has_word or is_bare):
        message = "the last row is not a deal: it looks like a total"
        raise InvalidDocument.of("wrong_value", message, hint="delete the row from the file")


def _given(row: pa.Table) -> dict[str, str]:
    """The texts of the one *row*, by column, where there are any."""
    values = {name: row.column(name)[0].as_py() for name in row.column_names if row.num_rows}
    return {
        name: text.strip()
        for name, text in values.items()
        if isinstance(text, str) and not is_missing(text)
    }
