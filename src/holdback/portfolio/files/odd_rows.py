"""Rows of a file that are not deals: titles, heads again, units, totals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Final

import pyarrow as pa

from holdback.errors import InvalidDocument, listed
from holdback.frozen_classes import frozen
from holdback.portfolio.files.cells import is_missing
from holdback.portfolio.reading.column_findings import LABELS
from holdback.rules.types import Kind

# What people and spreadsheets write next to a total, in small letters.
_TOTALS: Final = """
    total totals subtotal sum average mean count
    summe gesamt gesamtsumme gesamtergebnis zwischensumme durchschnitt mittelwert anzahl
    totaux somme moyenne totale totali somma media totales suma promedio totaal totalt summa razem
    合計 小計 総計 平均
"""
_WORD: Final = re.compile(r"[^\W\d_]+")
# How many rows tell what a row of the file usually has.
_ROWS_ABOVE: Final = 100
_TEXTS: Final = (Kind.TEXT, Kind.DATE, Kind.FLAG)
# The rows above the heads, with titles and dates, are fewer.
MOST_TITLES: Final = 20
# As many known heads make a line of heads.
_FEWEST_HEADS: Final = 2
# A row with fewer numbers may be a deal of which little is known.
_FEWEST_NUMBERS: Final = 3


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
    row = next(iter(_rows_given(table.slice(0, 1))), {})
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
    Check that the last row of *table* is a deal, and not a total of others; *kinds* are by column.

    A row with an id is a deal, and so is one with the texts and days that the rows above have,
    with any name: only a row that lacks most of them may be a total.

    Raises:
        InvalidDocument: if it is none.
    """
    lacking = _Bottom.of(table, kinds).lacking_of_total(table) if table.num_rows > 1 else ()
    if lacking:
        raise InvalidDocument.of(
            "wrong_value",
            "the last row looks like a total, and not like a deal",
            hint="if it is a total, delete the row from the file; if it is a deal, it lacks "
            f"{listed(lacking)}",
        )


@frozen
class _Bottom:
    """The texts of the `last` row of a file, and of the rows `above` it, by column."""

    above: Sequence[Mapping[str, str]]
    last: Mapping[str, str]
    kinds: Mapping[str, Kind]

    @classmethod
    def of(cls, table: pa.Table, kinds: Mapping[str, Kind]) -> _Bottom:
        *above, last = _rows_given(table.slice(max(0, table.num_rows - 1 - _ROWS_ABOVE)))
        return cls(above, last, kinds)

    def lacking_of_total(self, table: pa.Table) -> Sequence[str]:
        """The columns of words that the last row of *table* lacks as a total; none if it is one."""
        labels = {name for name, text in self.last.items() if _is_label(text)}
        if any(name.lower() in LABELS and name not in labels for name in self.last):
            return ()
        usual = [name for name in self._columns_of_words() if name not in labels]
        lacking = [name for name in usual if name not in self.last]
        # What every row has, such as a currency, a total may have as well.
        own = [name for name in usual if name in self.last and not self._is_shared(name)]
        given = [name for name in self.last if name not in labels]
        if own or 2 * len(lacking) < len(usual) or not any(map(self._has_number, given)):
            return ()
        is_bare = 2 * len(self.last) < len(self.above[-1])
        return lacking if labels or is_bare or self._is_sum(table) else ()

    def _columns_of_words(self) -> Iterator[str]:
        """The columns of texts, days and flags, or of no fact, that most rows above have."""
        for name in dict.fromkeys(name for row in self.above for name in row):
            texts = [row[name] for row in self.above if name in row]
            kind = self.kinds.get(name)
            are_words = kind in _TEXTS or (kind is None and None in map(_number, texts))
            if are_words and 2 * len(texts) >= len(self.above):
                yield name

    def _is_shared(self, name: str) -> bool:
        return all(row.get(name) == self.last[name] for row in self.above)

    def _has_number(self, name: str) -> bool:
        is_number = self.kinds.get(name, Kind.TEXT) not in _TEXTS
        return is_number and any(sign.isdigit() for sign in self.last[name])

    def _is_sum(self, table: pa.Table) -> bool:
        """Whether an amount in the last row of *table* is the sum of those above it."""
        for name, text in self.last.items():
            if self.kinds.get(name) is Kind.MONEY:
                values = table.column(name).slice(0, table.num_rows - 1).to_pylist()
                numbers = [_number(value.strip()) for value in values if not _is_empty(value)]
                if len(numbers) > 1 and all(number is not None for number in numbers):
                    total = sum(filter(None, numbers), Decimal())
                    return total != 0 and total == _number(text)
        return False


def _is_label(text: str) -> bool:
    return not set(_TOTALS.split()).isdisjoint(_WORD.findall(text.lower()))


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _is_empty(value: object) -> bool:
    return not isinstance(value, str) or is_missing(value)


def _rows_given(table: pa.Table) -> list[dict[str, str]]:
    """The texts of the rows of *table*, by column, where there are any."""
    return [
        {name: text.strip() for name, text in row.items() if not _is_empty(text)}
        for row in table.to_pylist()
    ]
