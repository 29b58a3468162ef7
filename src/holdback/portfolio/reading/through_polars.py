"""
Frames of pandas and PyArrow, worked on in Polars where it is installed.

Columns are handed over through Arrow, so that most are not copied. What comes back has the types
that narwhals would have given, and what the user's own library does is the same, only slower.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.portfolio.assessing.outcome_columns import INVALID_COLUMN, PREFIX, RESULTS

# The types of which Polars has the same values. `Int128` and wider decimals are not among them.
_SHARED: Final = (
    *(nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64),
    *(nw.Float64, nw.Boolean, nw.String, nw.Categorical, nw.Date, nw.Datetime, nw.Decimal),
)
# Results without nulls, for which pandas has NumPy's types.
_NEVER_NULL: Final = (*RESULTS, INVALID_COLUMN)
_MOST_DIGITS: Final = 38
_ROW: Final = f"{PREFIX}row"
# No day of a fact is more seconds from 1970, and a thousand times as many fit into 64 bits.
_FAR: Final = 10**12


def engine_for(frame: Any) -> Any | None:
    """Return Polars if a narwhals *frame* of another library in memory is worked on in it."""
    if not isinstance(frame, nw.DataFrame) or not (find_spec("polars") and find_spec("pyarrow")):
        return None
    library = frame.implementation
    return import_module("polars") if library.is_pandas_like() or library.is_pyarrow() else None


def is_shared(dtype: Any) -> bool:
    """Whether Polars has the same values as a column of *dtype*."""
    if isinstance(dtype, nw.Decimal):
        return dtype.precision <= _MOST_DIGITS
    if isinstance(dtype, nw.Datetime):
        return dtype.time_zone is None
    return isinstance(dtype, _SHARED)


def in_polars(frame: nw.DataFrame[Any], names: Collection[str], polars: Any) -> nw.DataFrame[Any]:
    """Return the columns *names* of *frame*, whose types are shared, in Polars."""
    import pyarrow as pa  # noqa: PLC0415  # it is here if Polars is to be used
    import pyarrow.compute as pc  # noqa: PLC0415

    if not names:  # without a column, the number of rows would be lost
        rows = polars.int_range(len(frame), eager=True).alias(_ROW)
        return nw.from_native(rows.to_frame(), eager_only=True)
    native = frame.to_native()
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
    return nw.from_native(polars.from_arrow(table, rechunk=False), eager_only=True)


def arrow_table(results: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """Return *results*, computed in Polars, as a table of PyArrow in the types that it gives."""
    import pyarrow as pa  # noqa: PLC0415

    table = results.to_arrow()
    types = {pa.int32(): pa.int64(), pa.large_string(): pa.string(), pa.string_view(): pa.string()}
    table = table.cast(pa.schema([(f.name, types.get(f.type, f.type)) for f in table.schema]))
    return nw.from_native(table, eager_only=True)


def pandas_arrays(results: nw.DataFrame[Any], pandas: Any) -> Mapping[str, Any]:
    """Return *results*, computed in Polars, as arrays of pandas in the types that it gives."""
    import pyarrow as pa  # noqa: PLC0415

    table = arrow_table(results).to_native()
    nullable = {pa.int64(): pandas.Int64Dtype(), pa.bool_(): pandas.BooleanDtype()}
    return {
        name: column.to_pandas(types_mapper=None if name in _NEVER_NULL else nullable.get).array
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
