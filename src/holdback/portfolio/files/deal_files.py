"""
The deals of a file, and the file of assessed deals, both in batches.

DuckDB reads the deals. CSV and Excel files have only texts here: `cells` says what each
of them means.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, Self

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from holdback.errors import InvalidDocument
from holdback.exact.exact_json import shown_path
from holdback.frozen_classes import frozen
from holdback.portfolio.files.csv_files import csv_query, reading_error
from holdback.portfolio.files.excel_files import excel_table
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
