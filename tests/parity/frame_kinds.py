"""One table as a frame of every engine."""

from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

# The nullable types of pandas by Arrow type.
_NULLABLE = {
    **{getattr(pa, f"int{size}")(): getattr(pd, f"Int{size}Dtype")() for size in (8, 16, 32, 64)},
    **{getattr(pa, f"uint{size}")(): getattr(pd, f"UInt{size}Dtype")() for size in (8, 16, 32, 64)},
    pa.float64(): pd.Float64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
    pa.string(): pd.StringDtype(),
}


def nullable(table):
    """A pandas frame of nullable types."""
    return table.to_pandas(types_mapper=_NULLABLE.get)


def numpy_where_whole(table):
    """A pandas frame of NumPy types, and nullable types for integer columns with nulls."""
    frame = nullable(table)
    whole = [name for name in table.column_names if table[name].null_count == 0]
    numpy = {
        name: table.schema.field(name).type.to_pandas_dtype()
        for name in whole
        if pa.types.is_integer(table.schema.field(name).type)
    }
    return frame.astype(numpy)


FRAME_KINDS = {
    "polars": pl.from_arrow,
    "polars lazy": lambda table: pl.from_arrow(table).lazy(),
    "pyarrow": lambda table: table,
    "pandas numpy": numpy_where_whole,
    "pandas nullable": nullable,
    "pandas arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "duckdb": duckdb.from_arrow,
}


def polars(table):
    """A Polars frame, with categorical columns where the names say so."""
    frame = pl.from_arrow(table)
    names = [name for name in frame.columns if name.endswith("_in_dictionary")]
    return frame.with_columns(pl.col(names).cast(pl.Categorical))


def in_python(table):
    """
    A pandas frame as PyArrow converts it by default: NumPy types and Python objects.
    """
    return table.to_pandas()


# How to make a frame of a table of plain columns, and the storages that such a frame lacks.
PLAIN_FRAME_KINDS = {
    "polars": (polars, frozenset()),
    "polars lazy": (lambda table: polars(table).lazy(), frozenset()),
    "pyarrow": (lambda table: table, frozenset()),
    "pandas numpy": (in_python, frozenset({"date32"})),
    "pandas nullable": (nullable, frozenset({"date32"})),
    "pandas arrow": (FRAME_KINDS["pandas arrow"], frozenset()),
    "duckdb": (duckdb.from_arrow, frozenset()),
}
