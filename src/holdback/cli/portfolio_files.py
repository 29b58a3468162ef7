"""Where the deals of `holdback portfolio` come from, and where the answers go: DuckDB reads, in batches.

A CSV file has texts alone. They are read exactly: a column of plain numbers becomes decimals of as many places as
it has, and what is not plain is left to be read, or refused, value by value.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Self

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
from attrs import frozen

from holdback.errors import InvalidDocument
from holdback.rules.types import Kind

# So many deals are in memory at a time.
BATCH: Final = 250_000
_QUERY: Final = re.compile(r"\s*(select|from|with)\b", re.IGNORECASE)
_READERS: Final[Mapping[str, str]] = {
    ".parquet": "read_parquet({})",
    ".csv": "read_csv({}, all_varchar = true, header = true)",
    ".csv.gz": "read_csv({}, all_varchar = true, header = true)",
}
# What DuckDB may hold itself; the rest of the memory is the batch's.
_MEMORY: Final = "500MB"

_NUMBER: Final = r"^-?[0-9]{1,13}(\.[0-9]{1,6})?$"
_WHOLE: Final = r"^-?[0-9]{1,17}$"
_FLAG: Final = r"^(true|false)$"
_DAY: Final = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_PLAIN: Final[Mapping[Kind, tuple[str, Any]]] = {
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
    """The deals of a file or a query: how many there are, where that is known, and their batches."""

    relation: Any
    count: int | None
    texts: bool

    def values(self, column: str) -> tuple[Any, ...]:
        """What occurs in *column*; nothing where there is no such column."""
        if column not in self.relation.columns:
            return ()
        return tuple(
            value for (value,) in self.relation.select(_named(column)).distinct().fetchall()
        )

    @property
    def empty(self) -> pa.Table:
        """None of the deals, with all their columns."""
        return self.relation.limit(0).to_arrow_table()

    def batches(self) -> Iterator[pa.Table]:
        """The deals as they stand, so many at a time."""
        for batch in self.relation.to_arrow_reader(BATCH):
            yield pa.Table.from_batches([batch])

    def exact(self, table: pa.Table, kinds: Mapping[str, Kind]) -> pa.Table:
        """The deals of *table*, texts of the columns *kinds* as exact values where they are plain."""
        return _exact(table, kinds) if self.texts else table


def open_deals(deals: str, constants: Mapping[str, str]) -> Deals:
    """
    The *deals* of a CSV or Parquet file, of several by a pattern, or of a DuckDB query; each with *constants*.

    Raises:
        InvalidDocument: when there are none, or DuckDB cannot read them.
    """
    ending = next((each for each in _READERS if deals.lower().endswith(each)), None)
    if ending:
        source = _READERS[ending].format(_quoted(deals))
    elif _QUERY.match(deals):
        source = f"({deals.rstrip().rstrip(';')})"
    else:
        raise InvalidDocument.of(
            "expected a .csv or .parquet file, or a DuckDB query that starts with `select` or `from`"
        )
    connection: Any = duckdb.connect()
    connection.execute(f"SET memory_limit = '{_MEMORY}'")
    more = "".join(f", {_quoted(value)} AS {_named(name)}" for name, value in constants.items())
    try:
        relation = connection.sql(f"SELECT *{more} FROM {source}")  # noqa: S608  # whoever runs the command may run any query
        for name in constants:
            if relation.columns.count(name) > 1:
                raise InvalidDocument.of(
                    "the deals say so themselves, in a column of this name",
                    path=name,
                    hint=f"leave --{name} out, or ask for some of them: from '...' where {name} = '...'",
                )
        if ending != ".parquet":
            return Deals(relation, None, texts=bool(ending))
        ((count,),) = connection.sql(f"SELECT count(*) FROM {source}").fetchall()  # noqa: S608  # as above
    except duckdb.Error as error:
        raise InvalidDocument.of(_first_line(str(error))) from None
    return Deals(relation, count, texts=False)


def _first_line(message: str) -> str:
    """What DuckDB says, without the query that it says it of."""
    return message.split("\n\nLINE", maxsplit=1)[0].replace("\n", " ")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _named(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _exact(table: pa.Table, kinds: Mapping[str, Kind]) -> pa.Table:
    for place, name in enumerate(table.column_names):
        plain = _PLAIN.get(kinds[name]) if name in kinds else None
        column = table.column(name)
        if plain and pa.types.is_string(column.type):
            pattern, type_ = plain
            if pc.all(pc.match_substring_regex(column, pattern)).as_py() in (True, None):
                table = table.set_column(place, name, _cast(column, type_))
    return table


def _cast(column: pa.ChunkedArray, type_: pa.DataType) -> pa.ChunkedArray:
    try:
        return column.cast(type_)
    except pa.ArrowInvalid:  # a day that is not in the calendar: it is told value by value
        return column


class Output:
    """
    A Parquet or CSV file that is written batch by batch, and is there only when all of it is.

    Use it as a context: what was begun and not finished is thrown away.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._beside = file.with_name(f".{file.name}.{os.getpid()}")
        self._writer: Any = None
        self._schema: Any = None

    def __enter__(self) -> Self:
        return self

    def write(self, table: pa.Table) -> None:
        """Write the rows of *table*."""
        if self._writer is None:
            is_csv = self._file.suffix == ".csv"
            new: Any = pyarrow.csv.CSVWriter if is_csv else pyarrow.parquet.ParquetWriter
            self._writer, self._schema = new(self._beside, table.schema), table.schema
        self._writer.write_table(table.cast(self._schema))

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()
            if kind is None:
                self._beside.replace(self._file)
        self._beside.unlink(missing_ok=True)
