"""The answer to one question about a portfolio: rows of numbers for a frame or a picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, TypeVar, cast

import narwhals.stable.v2 as nw
from attrs import evolve, field

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import digits
from holdback.frozen_classes import frozen
from holdback.portfolio.answers.tables import GAP, Table
from holdback.portfolio.reading.frames import read_backend
from holdback.tools import pictures
from holdback.tools.displays.elements import display, sentence

# The rows of a display: of more, as many of the first and of the last are shown.
_SHOWN: Final = 40
_ENDS: Final = 15
# The kinds of columns in which no cell is known. Any other is of texts.
_COUNTS: Final = frozenset(
    {
        "deals",
        "days",
        "eligible",
        "referred",
        "ineligible",
        "undetermined",
        "not_assessed",
        "invalid",
        "no_longer_renewable",
        "passed",
        "failed",
        "unknown",
        "alone",
        "would_become_eligible",
    }
)
_NUMBERS: Final = frozenset({"balance", "share", "number", "value", "threshold", "gap"})
_EMPTY: Final[Mapping[str, type]] = (
    dict.fromkeys(_COUNTS, int)
    | dict.fromkeys(_NUMBERS, Decimal)
    | {"day": date, "present": bool, "passes": bool}
)
# The digits of a Decimal in the dataframe libraries that limit them.
_MOST_DIGITS: Final = 38

_Value = TypeVar("_Value")


def one_or_several(given: _Value | Iterable[_Value]) -> tuple[_Value, ...]:
    """
    Return what is *given*, one value or several, as a tuple; a text is one.

    >>> one_or_several("60%"), one_or_several([30, 60])
    (('60%',), (30, 60))
    """
    if isinstance(given, Iterable) and not isinstance(given, str):
        return tuple(given)
    return (given,)


@frozen(kw_only=True)
class AnswerTable:
    """
    The answer to a `question` about a portfolio: a `title`, the names of columns, and their rows.

    Cells are texts, integers, Decimals, dates, Booleans, or None where nothing is known. Amounts
    are Decimals in major units, with their currency in a column of its own. A share is a Decimal
    between 0 and 1. `notes` are sentences that a reader needs with the numbers, such as what is
    assumed, or that a rulebook is a proposal.

    `backend` names the dataframe library of the deals, and `to_frame` gives a frame of it.

    >>> answer = AnswerTable(
    ...     question="outcomes",
    ...     title="Two deals",
    ...     heads=("outcome", "deals", "share", "balance", "currency"),
    ...     rows=(("eligible", 2, Decimal(1), Decimal("1200.50"), "GBP"),),
    ... )
    >>> print(answer)
    Two deals
    outcome   deals   share       balance
    eligible      2  100.0%  GBP 1,200.50
    """

    question: str
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...] = field(repr=False)
    notes: tuple[str, ...] = ()
    backend: str = field(default="pandas", repr=False)

    @property
    def records(self) -> Sequence[Mapping[str, Any]]:
        """The rows with the names of their columns."""
        return tuple(dict(zip(self.heads, row, strict=True)) for row in self.rows)

    def to_frame(self, backend: str | None = None) -> Any:
        """
        Return the rows as a frame of *backend*: by default, of the library of the deals.

        Counts are integers, amounts and shares Decimals, days dates, and the columns have the same
        types without any row. pandas holds Decimals and dates as objects.

        Raises:
            InvalidDocument: *backend* is not `"pandas"`, `"polars"` or `"pyarrow"`.
        """
        library = read_backend(backend or self.backend)
        types = {head: self._type(place) for place, head in enumerate(self.heads)}
        columns = {head: [row[place] for row in self.rows] for place, head in enumerate(self.heads)}
        if library == "pandas":
            return _pandas_frame(columns, types)
        schema = {head: _dtype(type_, columns[head]) for head, type_ in types.items()}
        return nw.from_dict(columns, schema, backend=cast("Any", library)).to_native()

    def _type(self, place: int) -> type:
        """The type of the cells of the column at *place*."""
        cells = (row[place] for row in self.rows if row[place] is not None)
        first = next(cells, None)
        if first is not None:
            return type(first)
        head = self.heads[place]
        # The values of a sweep are written as rules have them; those near a threshold are numbers.
        return str if (self.question, head) == ("sweep", "value") else _EMPTY.get(head, str)

    def plot(self, width: int = pictures.WIDTH) -> Any:
        """
        Return the picture of the answer, an Altair chart *width* pixels wide.

        It needs the extra `notebook`.
        """
        return pictures.draw(self.question, self.title, self.records, width)

    def plain(self) -> Mapping[str, Json]:
        """The answer as a document for JSON; dates are texts."""
        return {
            "question": self.question,
            "title": self.title,
            "rows": [
                {
                    head: cell.isoformat() if isinstance(cell, date) else cell
                    for head, cell in record.items()
                }
                for record in self.records
            ],
            "notes": list(self.notes),
        }

    @property
    def table(self) -> Table:
        """The rows as a table for reading: amounts with their currency, shares as percentages."""
        hidden = {"currency"} if "balance" in self.heads else set()
        heads = tuple(head for head in self.heads if head not in hidden)
        rows = tuple(tuple(_shown(head, record) for head in heads) for record in self.records)
        return Table(self.title, heads, rows)

    def _screen(self) -> tuple[Table, tuple[str, ...]]:
        """The table without the rows in the middle of many, and the sentences below it."""
        left_out = len(self.rows) - 2 * _ENDS
        if len(self.rows) <= _SHOWN:
            return self.table, self.notes
        short = evolve(self, rows=(*self.rows[:_ENDS], *self.rows[-_ENDS:])).table
        gap = (GAP, *[""] * (len(short.heads) - 1))
        rows = (*short.rows[:_ENDS], gap, *short.rows[_ENDS:])
        note = f"{left_out:,} of {len(self.rows):,} rows are left out here; to_frame() has all"
        return Table(self.title, short.heads, rows), (note, *self.notes)

    def __str__(self) -> str:
        shown, notes = self._screen()
        return "\n".join([str(shown), *notes])

    def __repr__(self) -> str:
        rows = "1 row" if len(self.rows) == 1 else f"{len(self.rows):,} rows"
        return f"<AnswerTable {self.question}: {self.title} ({rows})>"

    def _repr_html_(self) -> str:
        shown, notes = self._screen()
        return display(shown.html(), *(sentence(note) for note in notes))


def read_answers(answers: AnswerTable | Iterable[AnswerTable]) -> tuple[AnswerTable, ...]:
    """
    Return *answers*, one or several, as a tuple.

    Raises:
        InvalidDocument: there is none, or with everything else that is among them.
    """
    given = one_or_several(answers)
    if not given:
        message = "there is no answer to show"
        raise InvalidDocument.of("missing", message, path="$.answers", hint="give at least one")
    errors = [
        ErrorDetail(
            code="wrong_type",
            message="expected an answer, as `funnel` gives one",
            path=f"$.answers[{place}]",
            hint="a summary and a comparison have theirs in `answer_table`",
        )
        for place, answer in enumerate(given)
        if not isinstance(answer, AnswerTable)
    ]
    if errors:
        raise InvalidDocument(errors)
    return given


def _shown(head: str, record: Mapping[str, Any]) -> object:
    """The cell of *head* in *record* for reading."""
    cell = record[head]
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if head == "share":
        return f"{digits(round(Fraction(cell) * 1000), 1)}%"
    if head == "balance":
        return f"{record['currency']} {cell:,f}" if record.get("currency") else f"{cell:,f}"
    if head in {"before", "after", "outcome"}:
        return str(cell).replace("_", " ")
    return f"{cell:,f}" if isinstance(cell, Decimal) else cell


def _dtype(type_: type, cells: Sequence[Any]) -> Any:
    """The type of a column of *cells*, all of *type_* or None."""
    if issubclass(type_, Decimal):
        exponents = (cell.as_tuple().exponent for cell in cells if cell is not None)
        return nw.Decimal(_MOST_DIGITS, max([0, *(-exponent for exponent in exponents)]))
    if issubclass(type_, bool):
        return nw.Boolean()
    if issubclass(type_, int):
        return nw.Int64()
    assert not issubclass(type_, datetime), "an answer has days, and no times"
    return nw.Date() if issubclass(type_, date) else nw.String()


# The type of pandas for integers and flags, some of which may be unknown. Others it infers.
_PANDAS_TYPES: Final = {int: ("int64", "Int64"), bool: ("bool", "boolean")}


def _pandas_frame(columns: Mapping[str, Sequence[Any]], types: Mapping[str, type]) -> Any:
    """A pandas frame of *columns*; NumPy has no type for Decimals and days."""
    import pandas as pd  # noqa: PLC0415  # an extra

    series = {}
    for head, cells in columns.items():
        exact, nullable = _PANDAS_TYPES.get(types[head], ("object", "object"))
        dtype = nullable if any(cell is None for cell in cells) else exact
        series[head] = pd.Series(list(cells), dtype="str" if types[head] is str else dtype)
    return pd.DataFrame(series)
