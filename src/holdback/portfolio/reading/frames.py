"""
Frames of any library: how they are opened, handed to Polars, and given back with more columns.

Frames in memory are computed in Polars. Columns of pandas and PyArrow are handed over through
Arrow, so that most are not copied. What comes back has the types that people use in their library.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import narwhals.stable.v2 as nw
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from holdback.errors import InvalidDocument, did_you_mean
from holdback.portfolio.assessing.outcome_columns import INVALID_COLUMN, PREFIX, RESULTS

_EXPECTED: Final = "expected a dataframe of pandas, Polars, PyArrow, DuckDB or PySpark"
_TESTED: Final = (
    nw.Implementation.PANDAS,
    nw.Implementation.POLARS,
    nw.Implementation.PYARROW,
    nw.Implementation.DUCKDB,
    nw.Implementation.PYSPARK,
    nw.Implementation.PYSPARK_CONNECT,  # PySpark again, connected to a remote server
)
# Libraries that hold frames in memory.
_FOR_ANSWERS: Final = ("polars", "pandas", "pyarrow")
Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]


def open_frame(frame: Any) -> Frame:
    """
    Return a user's *frame* as a narwhals frame.

    Raises:
        InvalidDocument: if it is not a frame of a library that is tested, or if two columns have
            one name.
    """
    try:
        opened: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(frame)
        opened.collect_schema()
    except TypeError:
        raise InvalidDocument.of("wrong_type", _EXPECTED, path="$") from None
    except nw.exceptions.DuplicateError:
        raise InvalidDocument.of("duplicate", "two columns have one name", path="$") from None
    if opened.implementation not in _TESTED:
        hint = f"the outcomes are not tested with {opened.implementation}; convert the frame"
        raise InvalidDocument.of("wrong_type", _EXPECTED, path="$", hint=hint)
    return opened


def answer_backend(frame: Frame) -> str:
    """
    Return the dataframe library for an answer about *frame*, as `nw.from_dict` takes it.

    It is that of the frame itself, or Polars for a frame of DuckDB or PySpark.
    """
    if frame.implementation.is_pandas_like():
        return "pandas"
    return "pyarrow" if frame.implementation.is_pyarrow() else "polars"


def integers(column: nw.Series[Any]) -> Sequence[int | None]:
    """Return the numbers of *column*, of integers; pandas has values of its own for null."""
    unknown = column.is_null().to_list()
    numbers = column.fill_null(0).to_list()
    return [
        None if missing else int(number) for missing, number in zip(unknown, numbers, strict=True)
    ]


def read_backend(backend: Any) -> str:
    """
    Return the name of the dataframe library *backend*: its name already, or the library itself.

    Raises:
        InvalidDocument: it holds no frames in memory.
    """
    name = str(getattr(backend, "__name__", backend))
    if name not in _FOR_ANSWERS:
        message = "expected `pandas`, `polars` or `pyarrow`"
        hint = did_you_mean(name, _FOR_ANSWERS)
        raise InvalidDocument.of("wrong_value", message, path="$.backend", hint=hint)
    return name


def with_results(frame: nw.DataFrame[Any], results: nw.DataFrame[Any]) -> Any:
    """Return the user's own *frame* with the columns of *results* of Polars, row by row."""
    if frame.implementation.is_pandas_like():
        # Arrays have no index, so pandas cannot align the rows by it.
        arrays = pandas_arrays(results, nw.get_native_namespace(frame))
        return frame.to_native().assign(**arrays)
    if not frame.implementation.is_polars():
        results = arrow_table(results)
    return frame.with_columns(*results.iter_columns()).to_native()


# Results without nulls, for which pandas has NumPy's types.
_NEVER_NULL: Final = (*RESULTS, INVALID_COLUMN)
_ROW: Final = f"{PREFIX}row"
# No day of a fact is more seconds from 1970, and a thousand times as many fit into 64 bits.
_FAR: Final = 10**12


def in_polars(frame: nw.DataFrame[Any], names: Collection[str]) -> pl.DataFrame:
    """Return the columns *names* of *frame*, of any library, in Polars."""
    if not names:  # without a column, the number of rows would be lost
        return pl.int_range(len(frame), eager=True).alias(_ROW).to_frame()
    native = frame.to_native()
    if frame.implementation.is_polars():
        return native.select(names)  # type: ignore[no-any-return]  # it is a frame of Polars
    if frame.implementation.is_pandas_like():
        # A NaN is unknown in either way, and columns of NumPy are not copied if it may stay.
        stays = {name for name in names if getattr(native.dtypes[name], "kind", "") in "iuf"}
        table = pa.table(
            {name: pa.array(native[name], from_pandas=name not in stays) for name in names}
        )
    else:
        table = native.select(list(names))
    for place, column in enumerate(table.columns):
        if column.type == pa.timestamp("s"):
            # Polars has milliseconds instead.
            seconds = pc.max_element_wise(column.cast(pa.int64()), -_FAR, skip_nulls=False)
            seconds = pc.min_element_wise(seconds, _FAR, skip_nulls=False)
            table = table.set_column(place, table.field(place), seconds.cast(column.type))
    return pl.DataFrame(pl.from_arrow(table, rechunk=False))


def arrow_table(results: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """Return *results*, computed in Polars, as a table of PyArrow in the types that it gives."""
    table = results.to_arrow()
    types = {pa.int32(): pa.int64(), pa.large_string(): pa.string(), pa.string_view(): pa.string()}
    table = table.cast(pa.schema([(f.name, types.get(f.type, f.type)) for f in table.schema]))
    return nw.from_native(table, eager_only=True)


def pandas_arrays(results: nw.DataFrame[Any], pandas: Any) -> Mapping[str, Any]:
    """Return *results*, computed in Polars, as arrays of pandas in the types that it gives."""
    table = arrow_table(results).to_native()
    nullable = {pa.int64(): pandas.Int64Dtype(), pa.bool_(): pandas.BooleanDtype()}
    return {
        name: column.to_pandas(types_mapper=None if name in _NEVER_NULL else nullable.get).array
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
