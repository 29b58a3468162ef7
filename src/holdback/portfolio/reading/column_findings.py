"""What `findings` returns: everything about the columns of a frame that a reader should know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import field

from holdback.errors import ErrorDetail, printable
from holdback.exact.exact_json import shown_path
from holdback.exact.exact_numbers import MAX_DIGITS, plain_digits
from holdback.frozen_classes import frozen
from holdback.portfolio.answers.tables import Table
from holdback.portfolio.reading.frames import read_backend

# In front of a text that could not be read, and that nothing else may read either.
UNREAD: Final = "unread: "
ERROR: Final = "error"
WARNING: Final = "warning"
_LONGEST_VALUE: Final = 40
# Columns that identify a deal, in lower case; the first that a frame has labels its rows.
LABELS: Final = ("deal_id", "deal", "deal_no", "deal_number", "deal_ref", "contract_id", "id")


@frozen(kw_only=True)
class ColumnFinding:
    """
    An error or a warning about a column.

    `severity` is `"error"` or `"warning"`. `row` is the label of the first row that it is about,
    `value` the value there, and `count` the number of rows; both are None where the finding is
    about the column itself, or a lazy frame has no first row. `expected` says what was expected,
    and `cure` what to do. `code` is one of `ERROR_CODES`.
    """

    severity: str
    code: str
    column: str
    message: str
    row: str | None = None
    value: str | None = None
    count: int = 0
    expected: str = ""
    cure: str | None = None

    @property
    def detail(self) -> ErrorDetail:
        """The finding as an error in a document."""
        expected = f"; {self.expected}" if self.expected else ""
        return ErrorDetail(
            code=self.code,
            message=f"{self.message}{expected}",
            path=shown_path("$", self.column),
            hint=self.cure,
        )

    def __str__(self) -> str:
        return f"{self.severity}: {self.detail}"


_HEADS: Final = ("severity", "column", "row", "value", "count", "message", "expected", "cure")


@frozen
class Findings:
    """
    The findings about a frame, errors first; empty if there are none.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import findings, sample
    >>> print(findings(sample(0, seed=7), load_jurisdictions()))
    There are no findings.
    """

    rows: tuple[ColumnFinding, ...]
    backend: Any = field(default="pandas", repr=False)

    @property
    def errors(self) -> tuple[ColumnFinding, ...]:
        """Those that keep rows, or the whole frame, from being assessed."""
        return tuple(row for row in self.rows if row.severity == ERROR)

    @property
    def warnings(self) -> tuple[ColumnFinding, ...]:
        """Those about values that can be read, and may not be what was meant."""
        return tuple(row for row in self.rows if row.severity == WARNING)

    def __iter__(self) -> Iterator[ColumnFinding]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_frame(self, backend: Any = None) -> Any:
        """Return the findings as a frame of *backend*: by default, of the library of the deals."""
        columns = {head: [getattr(row, head) for row in self.rows] for head in _HEADS}
        schema = {head: nw.Int64() if head == "count" else nw.String() for head in _HEADS}
        library: Any = read_backend(backend or self.backend)
        return nw.from_dict(columns, schema, backend=library).to_native()

    @property
    def table(self) -> Table:
        """The findings as a table for reading."""
        rows = tuple(tuple(getattr(row, head) or "" for head in _HEADS) for row in self.rows)
        return Table("Findings", _HEADS, rows)

    def __str__(self) -> str:
        return "\n".join(map(str, self.rows)) or "There are no findings."

    def _repr_html_(self) -> str:
        return self.table.html() if self.rows else "<p>There are no findings.</p>"


def shown_value(value: Any) -> str:
    """
    Return *value* for a message: printable, and at most 40 characters.

    >>> shown_value(Decimal("104.5000")), shown_value("funded")
    ('104.5', '`funded`')
    """
    is_plain = isinstance(value, Decimal) and value.is_finite() and value.adjusted() < MAX_DIGITS
    text = printable(plain_digits(value) if is_plain else str(value)).removeprefix(UNREAD)
    text = text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."
    return f"`{text}`" if isinstance(value, str) else text


def label_column(names: Sequence[str]) -> str | None:
    """
    Return which of the columns *names* identifies a deal; None where none does.

    >>> label_column(["status", "ID", "Deal_ID"])
    'Deal_ID'
    """
    lower = {name.lower(): name for name in reversed(names)}
    return next((lower[label] for label in LABELS if label in lower), None)


@frozen
class RowLabels:
    """The labels of the rows of a frame in memory."""

    frame: Any

    def of(self, row: int) -> str | None:
        """Return the own label of the row at *row*, from 0, or None where it has none."""
        column = self._column
        if column is not None:
            value = column[row]
            return None if value is None else printable(str(value))[:_LONGEST_VALUE]
        if not self.frame.implementation.is_pandas_like():
            return None
        index = self.frame.to_native().index
        is_counted = type(index).__name__ == "RangeIndex" and index.name is None
        return None if is_counted else printable(str(index[row]))[:_LONGEST_VALUE]

    @cached_property
    def _column(self) -> Any:
        """The column of labels, or None where there is none."""
        name = label_column(self.frame.columns)
        return None if name is None else self.frame[name]

    def of_or_number(self, row: int) -> str:
        """Return the own label of the row at *row*, from 0, or its number from 1."""
        return self.of(row) or str(row + 1)

    def named(self, row: int) -> str:
        """Return the row at *row*, from 0, for a message: its number from 1, and its label."""
        label = self.of(row)
        return f"row {row + 1} ({label})" if label else f"row {row + 1}"
