"""
The deals that `holdback portfolio` reads and the file that it writes, both in batches.

DuckDB reads the deals. A CSV file has only texts: a column of plain numbers becomes exact decimals,
and any other column is read, or refused, value by value.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Self

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from holdback.errors import InvalidDocument
from holdback.exact_json import shown_path
from holdback.frozen_classes import frozen
from holdback.rules.types import Kind

# How many deals are in memory at a time.
BATCH: Final = 250_000
_QUERY: Final = re.compile(r"\s*(select|from|with)\b", re.IGNORECASE)
_READERS: Final[Mapping[str, str]] = {
    ".parquet": "read_parquet({})",
    ".csv": "read_csv({}, all_varchar = true, header = true)",
    ".csv.gz": "read_csv({}, all_varchar = true, header = true)",
}
# What DuckDB may use itself, so that a file larger than the memory can be read.
_DUCKDB_MEMORY: Final = "500MB"

# Texts that Arrow may cast: no spaces, no units, no exponents, and few enough digits for the type.
_NUMBER: Final = r"^-?[0-9]{1,13}(\.[0-9]{1,6})?$"
_WHOLE: Final = r"^-?[0-9]{1,17}$"
_FLAG: Final = r"^(true|false)$"
_DAY: Final = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_CASTS: Final[Mapping[Kind, tuple[str, Any]]] = {
    Kind.PERCENT: (_NUMBER, pa.decimal128(19, 6)),
    Kind.RATIO: (_NUMBER, pa.decimal128(19, 6)),
    Kind.MONEY: (_NUMBER, pa.decimal128(19, 6)),
    Kind.COUNT: (_WHOLE, pa.int64()),
    Kind.DAYS: (_WHOLE, pa.int64()),
    Kind.FLAG: (_FLAG, pa.bool_()),
    Kind.DATE: (_DAY, pa.date32()),
}


@frozen
class Deals:
    """The deals of a file or a query: how many there are, if that is known, and their batches."""

    relation: Any
    count: int | None
    # Whether all columns are texts, as in a CSV file.
    has_texts: bool

    def values(self, column: str) -> tuple[Any, ...]:
        """The distinct values of *column*; none if there is no such column."""
        if column not in self.relation.columns:
            return ()
        return tuple(
            value for (value,) in self.relation.select(_identifier(column)).distinct().fetchall()
        )

    def having(self, column: str, values: Iterable[str]) -> Deals:
        """Those with one of *values* in *column*; all of them if there is no such column."""
        if column not in self.relation.columns:
            return self
        listed = ", ".join(map(_literal, values))
        chosen = self.relation.filter(f"{_identifier(column)} IN ({listed})")
        return Deals(chosen, None, self.has_texts)

    @property
    def empty(self) -> pa.Table:
        """A table with the columns of the deals and no rows."""
        return self.relation.limit(0).to_arrow_table()

    def batches(self) -> Iterator[pa.Table]:
        """The deals, unchanged, in batches."""
        for batch in self.relation.to_arrow_reader(BATCH):
            yield pa.Table.from_batches([batch])

    def exact(self, table: pa.Table, kinds: Mapping[str, Kind]) -> pa.Table:
        """*table* with the texts in the columns of *kinds* as exact values, if possible."""
        return _with_exact_values(table, kinds) if self.has_texts else table


def open_deals(deals: str, constants: Mapping[str, str]) -> Deals:
    """
    The *deals* of a CSV or Parquet file, of several by a pattern, or of a DuckDB query.

    Each of *constants* becomes a column with one value.

    Raises:
        InvalidDocument: if there are none, if DuckDB cannot read them, or if they have a column of
            *constants*.
    """
    ending = next((ending for ending in _READERS if deals.lower().endswith(ending)), None)
    if ending:
        source = _READERS[ending].format(_literal(deals))
    elif _QUERY.match(deals):
        source = f"({deals.rstrip().rstrip(';')})"
    else:
        raise InvalidDocument.of(
            "wrong_value",
            "expected a .csv or .parquet file, or a DuckDB query that starts with `select` "
            "or `from`",
        )
    connection: Any = duckdb.connect()
    connection.execute(f"SET memory_limit = '{_DUCKDB_MEMORY}'")
    more = "".join(
        f", {_literal(value)} AS {_identifier(name)}" for name, value in constants.items()
    )
    count = None
    try:
        relation = connection.sql(f"SELECT *{more} FROM {source}")  # noqa: S608  # the user's query
        for name in constants:
            if relation.columns.count(name) > 1:
                raise InvalidDocument.of(
                    "duplicate",
                    "the deals have a column of this name",
                    path=shown_path("$", name),
                    hint=f"leave out --{name}, or query the deals by their {name}",
                )
        if ending == ".parquet":  # only its footer tells the count without a scan
            counted = connection.sql(f"SELECT count(*) FROM {source}")  # noqa: S608  # as above
            ((count,),) = counted.fetchall()
    except duckdb.Error as error:
        raise InvalidDocument.of("unreadable", _without_query(str(error))) from None
    return Deals(relation, count, has_texts=ending not in (None, ".parquet"))


def _without_query(message: str) -> str:
    """The message of DuckDB without the query that it repeats, which the user did not write."""
    return message.split("\n\nLINE", maxsplit=1)[0].replace("\n", " ")


def _literal(text: str) -> str:
    """*text* as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    """*name* as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _with_exact_values(table: pa.Table, kinds: Mapping[str, Kind]) -> pa.Table:
    for place, name in enumerate(table.column_names):
        cast = _CASTS.get(kinds[name]) if name in kinds else None
        column = table.column(name)
        if cast and pa.types.is_string(column.type):
            pattern, type_ = cast
            # All or nothing: a single value of another form is to be reported, not lost in a cast.
            if pc.all(pc.match_substring_regex(column, pattern)).as_py() in (True, None):
                table = table.set_column(place, name, _cast(column, type_))
    return table


def _cast(column: pa.ChunkedArray, type_: pa.DataType) -> pa.ChunkedArray:
    try:
        return column.cast(type_)
    except pa.ArrowInvalid:  # 2026-02-30: it is reported when the values are read one by one
        return column


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
