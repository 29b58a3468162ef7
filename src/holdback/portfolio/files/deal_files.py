"""
The deals of a file, and the file of assessed deals, both in batches.

DuckDB reads the deals. CSV and Excel files have only texts here: `cells` says what each
of them means.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, Final, Self
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile, ZipFile

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from holdback.errors import InvalidDocument, listed
from holdback.exact.exact_json import shown_path
from holdback.frozen_classes import frozen
from holdback.portfolio.files.cells import TYPED
from holdback.portfolio.files.csv_files import csv_query, heads_of_columns, reading_error
from holdback.portfolio.files.odd_rows import MOST_TITLES, check_heads
from holdback.portfolio.sql.words import identifier, text_literal
from holdback.rules.sql import DUCKDB

# How many deals are in memory at a time.
BATCH: Final = 250_000
_QUERY: Final = re.compile(r"\s*(select|from|with)\b", re.IGNORECASE)
_CSV: Final = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_EXCEL: Final = (".xlsx", ".xlsm")
_OLD_EXCEL: Final = (".xls", ".xlsb", ".ods", ".numbers")
_EXCEL_TABLE: Final = "excel_sheet"
# What DuckDB may use itself, so that a file larger than the memory can be read.
_DUCKDB_MEMORY: Final = "500MB"


@frozen
class Deals:
    """The deals of a file or a query: how many there are, if that is known, and their batches."""

    relation: Any
    count: int | None
    # Whether all columns are texts, as in CSV and Excel files.
    has_texts: bool

    def values(self, column: str) -> tuple[Any, ...]:
        """The distinct values of *column*; none if there is no such column."""
        if column not in self.relation.columns:
            return ()
        with _reading():
            rows = self.relation.select(identifier(column, DUCKDB)).distinct().fetchall()
        return tuple(value.strip() if isinstance(value, str) else value for (value,) in rows)

    def having(self, column: str, values: Iterable[str]) -> Deals:
        """Those with one of *values* in *column*; all of them if there is no such column."""
        if column not in self.relation.columns:
            return self
        listed = ", ".join(text_literal(value, DUCKDB) for value in values)
        chosen = self.relation.filter(f"trim({identifier(column, DUCKDB)}) IN ({listed})")
        return Deals(chosen, None, self.has_texts)

    def without(self, column: str) -> Deals:
        """These deals without *column*."""
        if column not in self.relation.columns:
            return self
        kept = [identifier(name, DUCKDB) for name in self.relation.columns if name != column]
        return Deals(self.relation.select(", ".join(kept)), self.count, self.has_texts)

    def repeated(self, columns: Sequence[str]) -> int:
        """How many rows have in *columns*, of which the first has a value, what others have."""
        names = ", ".join(identifier(name, DUCKDB) for name in columns)
        rows = self.relation.filter(f"{identifier(columns[0], DUCKDB)} IS NOT NULL")
        groups = rows.aggregate(f"count(*) - 1 AS again, {names}", names)
        with _reading():
            ((again,),) = groups.aggregate("coalesce(sum(again), 0)").fetchall()
        return int(again)

    @property
    def empty(self) -> pa.Table:
        """A table with the columns of the deals and no rows."""
        return self.relation.limit(0).to_arrow_table()

    def batches(self) -> Iterator[pa.Table]:
        """
        The deals, unchanged, in batches.

        Raises:
            InvalidDocument: if DuckDB cannot read them.
        """
        with _reading():
            reader = self.relation.to_arrow_reader(BATCH)
        while True:
            with _reading():
                batch = next(reader, None)
            if batch is None:
                return
            yield pa.Table.from_batches([batch])


@contextmanager
def open_deals(
    deals: str, constants: Mapping[str, str], usual_heads: frozenset[str] = frozenset()
) -> Iterator[Deals]:
    """
    Give the *deals* of a CSV, Excel or Parquet file, of several by a pattern, or of a DuckDB query.

    Each of *constants* becomes a column with one value. The deals can be read until the context
    ends.

    Raises:
        InvalidDocument: if there are none, if they cannot be read, or if they have a column of
            *constants*.
    """
    with ExitStack() as opened:
        connection: Any = opened.enter_context(duckdb.connect())
        yield _deals(deals, constants, connection, _source(deals, connection, usual_heads, opened))


def _deals(deals: str, constants: Mapping[str, str], connection: Any, source: str) -> Deals:
    """The *deals* in the table *source*, with *constants*."""
    connection.execute(f"SET memory_limit = '{_DUCKDB_MEMORY}'")
    more = "".join(
        f", {text_literal(value, DUCKDB)} AS {identifier(name, DUCKDB)}"
        for name, value in constants.items()
    )
    count = None
    with _reading():
        relation = connection.sql(f"SELECT *{more} FROM {source}")  # noqa: S608  # the user's query
        for name in constants:
            if relation.columns.count(name) > 1:
                raise InvalidDocument.of(
                    "duplicate",
                    "the deals have a column of this name",
                    path=shown_path("$", name),
                    hint=f"leave out --{name}, or query the deals by their {name}",
                )
        if deals.lower().endswith(".parquet"):  # only its footer tells the count without a scan
            counted = connection.sql(f"SELECT count(*) FROM {source}")  # noqa: S608  # as above
            ((count,),) = counted.fetchall()
    return Deals(relation, count, has_texts=deals.lower().endswith((*_CSV, *_EXCEL)))


@contextmanager
def _reading() -> Iterator[None]:
    """Turn errors of DuckDB while it reads deals into messages for the user."""
    try:
        yield
    except (duckdb.Error, pa.ArrowException) as error:
        raise reading_error(str(error)) from None


def _source(deals: str, connection: Any, usual_heads: frozenset[str], opened: ExitStack) -> str:
    """The SQL of the table of *deals*."""
    name = deals.lower()
    if name.endswith(".parquet"):
        return f"read_parquet({text_literal(deals, DUCKDB)})"
    if name.endswith(_CSV):
        return f"({csv_query(deals, usual_heads, opened)})"
    if name.endswith(_EXCEL):
        connection.register(_EXCEL_TABLE, excel_table(Path(deals), usual_heads))
        return _EXCEL_TABLE
    if _QUERY.match(deals):
        return f"({deals.rstrip().rstrip(';')})"
    is_old = name.endswith(_OLD_EXCEL)
    raise InvalidDocument.of(
        "wrong_value",
        "expected a .csv, .xlsx or .parquet file, or a DuckDB query that starts with `select` "
        "or `from`",
        hint="save the file as .xlsx or as CSV" if is_old else None,
    )


class Output:
    """
    A Parquet or CSV file that is written batch by batch and appears only when it is complete.

    Use it as a context manager; an unfinished file is removed.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._temporary = file.with_name(f".{file.name}.{os.getpid()}")
        self._writer: Any = None
        self._schema: Any = None

    def __enter__(self) -> Self:
        return self

    def write(self, table: pa.Table) -> None:
        """Write the rows of *table*."""
        if self._writer is None:
            is_csv = self._file.suffix == ".csv"
            new: Any = pyarrow.csv.CSVWriter if is_csv else pyarrow.parquet.ParquetWriter
            self._writer, self._schema = new(self._temporary, table.schema), table.schema
        # A batch of nulls may have another type than the first batch.
        self._writer.write_table(table.cast(self._schema))

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()
            if kind is None:
                self._temporary.replace(self._file)
        self._temporary.unlink(missing_ok=True)


# -- Excel files: typed cells to the texts that a CSV file would hold, without loss.
#
# A cell says what it is: a day, a flag, a number, a text. One that is shown as a percentage holds a
# fraction, so 0.64 shown as 64% becomes the text `64%`.

# A sign in quotes, or in the brackets of a condition, does not make a percentage.
_NO_FORMAT: Final = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
# A formula that has no result, because a library wrote it and no spreadsheet has worked it out
# since. A result that is an empty text is one.
# Tags may have a prefix, as in files of .NET: `<x:row>`.
_PREFIX: Final = rb"(?:\w+:)?"
_FORMULA: Final = rb"<%bf\b(?:[^>]*/>|[^>]*>[^<]*</%bf>)\s*" % (_PREFIX, _PREFIX)
_NO_RESULT: Final = re.compile(
    rb'<%bc\b(?:(?![^>]*\st="str")[^>]*>\s*%b(?:<%bv\s*/>|<%bv>\s*</%bv>)?|[^>]*>\s*%b)\s*</%bc>'
    % (_PREFIX, _FORMULA, _PREFIX, _PREFIX, _PREFIX, _FORMULA, _PREFIX)
)
_ROW_NUMBER: Final = re.compile(rb'<%brow\b[^>]*?\sr="([0-9]+)"' % _PREFIX)
# A row that is not shown, up to its end.
_HIDDEN_ROW: Final = re.compile(
    rb'<%brow\b[^>]*\shidden="(?:1|true)"(?:[^>]*[^/>])?>(.*?)</%brow>' % (_PREFIX, _PREFIX),
    re.DOTALL,
)
_VALUE: Final = re.compile(rb"<%b(?:v|t)\b[^>/]*>[^<]" % _PREFIX)


class TypedText(str):
    """The text of a cell that is a number or a day: no form of texts says how it is written."""

    __slots__ = ()


def excel_table(file: Path, usual_heads: frozenset[str]) -> pa.Table:
    """
    Return the first sheet of *file* with every cell as text; null where it is empty.

    The column `TYPED` has for each row the heads whose cells are numbers or days, not texts.

    *usual_heads* are heads that files of deals have: a title may be above them. Rows without any
    value are left out, and so are columns without a head and a value.

    Raises:
        InvalidDocument: if it is not there or cannot be read, if formulas have no results, if rows
            with values are hidden, or if another sheet has most of the heads, so that the first has
            not all deals.
    """
    with opened(file) as workbook:
        sheets = {sheet.title: sheet for sheet in workbook.worksheets}
        first, *others = sheets
        _check_hidden_rows(file, sheets[first])
        rows = list(_rows(sheets[first].iter_rows()))
        if not rows:
            message, hint = f"the sheet {first} of {file.name} is empty", "move the deals there"
            raise InvalidDocument.of("missing", message, hint=hint)
        deal_heads = set(filter(None, rows[0][1]))
        for name in others:
            if 2 * len(deal_heads.intersection(_first_row(sheets[name]))) > len(deal_heads):
                raise InvalidDocument.of(
                    "wrong_value",
                    f"the sheets {listed([first, name])} of {file.name} have the same columns",
                    hint="move all deals into one sheet, or save each as a file",
                )
    heads, *deals = [texts for _, texts in rows]
    later = [(number, [text or "" for text in row]) for number, row in rows[1:MOST_TITLES]]
    check_heads([head or "" for head in heads], later, usual_heads, "row")
    return _table(heads, deals)


@contextmanager
def opened(file: Path) -> Iterator[Any]:
    """
    Give the workbook in *file*, of which rows are read one by one.

    Raises:
        InvalidDocument: if it cannot be read, or if formulas have no results.
    """
    from openpyxl import load_workbook  # noqa: PLC0415  # it takes 0.1 s, and few files need it

    if not file.is_file():
        is_pattern = any(sign in file.name for sign in "*?[")
        hint = "an Excel file is read by its name, and a pattern is for CSV and Parquet files"
        message = f"there is no file {file.name}"
        raise InvalidDocument.of("unreadable", message, hint=hint if is_pattern else None)
    try:
        with closing(load_workbook(file, read_only=True, data_only=True)) as workbook:
            for sheet in workbook.worksheets:
                sheet.reset_dimensions()  # libraries that append rows leave a stated size behind
            _check_sheet(file, workbook.worksheets[0])
            yield workbook
    except (BadZipFile, LookupError, ValueError, OSError, zlib.error, ParseError) as error:
        message = f"{file.name} cannot be opened as an Excel file"
        hint = "save it as .xlsx without a password, or as CSV"
        raise InvalidDocument.of("unreadable", message, hint=hint) from error


def _check_sheet(file: Path, sheet: Any) -> None:
    """Refuse formulas without results, and rows that openpyxl would leave out."""
    # openpyxl gives no value for a formula without a result, and none for an empty text.
    part = _part(file, sheet)
    if _NO_RESULT.search(part):
        message = f"the sheet {sheet.title} of {file.name} has formulas without results"
        hint = "open the file in Excel or LibreOffice and save it"
        raise InvalidDocument.of("missing", message, hint=hint)
    numbers = list(map(int, _ROW_NUMBER.findall(part)))
    if any(later <= number for number, later in pairwise(numbers)):
        raise ValueError("the number of a row is not above the one before")


def _check_hidden_rows(file: Path, sheet: Any) -> None:
    """Refuse hidden rows: the author of the file may have meant those that are shown."""
    hidden = sum(map(bool, map(_VALUE.search, _HIDDEN_ROW.findall(_part(file, sheet)))))
    if hidden:
        rows = "1 row" if hidden == 1 else f"{hidden:,} rows"
        raise InvalidDocument.of(
            "wrong_value",
            f"the sheet {sheet.title} of {file.name} hides {rows}",
            hint="clear the filter or show them, or copy what is shown into a file of its own",
        )


def _part(file: Path, sheet: Any) -> bytes:
    """The XML of a *sheet*."""
    with ZipFile(file) as parts:
        return parts.read(sheet._worksheet_path)  # noqa: SLF001  # not public


def _first_row(sheet: Any) -> list[str | None]:
    """The first row of *sheet* that has a value."""
    # The file stays open as long as a sheet in it is being read.
    with closing(sheet.iter_rows()) as rows:
        return next(_rows(rows), (0, []))[1]


def _rows(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[int, list[str | None]]]:
    """The *rows* that have a value, as texts, with their numbers."""
    for number, row in enumerate(rows, start=1):
        texts = [cell_text(cell.value, number_format_of(cell)) for cell in row]
        if any(texts):
            yield number, texts


def number_format_of(cell: Any) -> str:
    """Return how a *cell* that is a number shows it; nothing of any other."""
    is_number = isinstance(cell.value, int | float)
    return str(cell.number_format) if is_number else ""


def cell_text(value: object, number_format: str = "") -> str | None:
    """
    Return the *value* of a cell as text; None where it is empty.

    >>> cell_text(0.64, "0.0%"), cell_text(231.0), cell_text(datetime(2026, 7, 1))
    ('64%', '231.0', '2026-07-01')
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return TypedText(value.date() if value.time() == time() else value)
    if isinstance(value, date):
        return TypedText(value.isoformat())
    if isinstance(value, int | float):
        number = Decimal(repr(value))
        if "%" not in _NO_FORMAT.sub("", number_format):
            return TypedText(f"{number:f}")
        # A hundredfold, without the zeros that the product of decimals has at its end.
        return TypedText(f"{(number * 100).normalize():f}%")
    return str(value).strip() or None


def _table(heads: Sequence[str | None], rows: Sequence[Sequence[str | None]]) -> pa.Table:
    width = max(map(len, [heads, *rows]))
    columns = list(zip_longest(*rows)) if rows else []
    columns += [()] * (width - len(columns))
    named = [heads[place] or "" if place < len(heads) else "" for place in range(width)]
    kept = [place for place in range(width) if named[place] or any(columns[place])]
    names = heads_of_columns([named[place] for place in kept])
    arrays = [pa.array(columns[place], pa.string()) for place in kept]
    places = dict(zip(kept, names, strict=True))
    typed = [
        [places[place] for place, text in enumerate(row) if isinstance(text, TypedText)]
        for row in rows
    ]
    arrays.append(pa.array(typed, pa.list_(pa.string())))
    return pa.table(arrays, names=[*names, TYPED])
