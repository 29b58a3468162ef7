"""One table on every dataframe engine, and back."""

from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

# pandas' own types that can hold a null, by Arrow's.
_NULLABLE = {
    **{getattr(pa, f"int{size}")(): getattr(pd, f"Int{size}Dtype")() for size in (8, 16, 32, 64)},
    **{getattr(pa, f"uint{size}")(): getattr(pd, f"UInt{size}Dtype")() for size in (8, 16, 32, 64)},
    pa.float64(): pd.Float64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
    pa.string(): pd.StringDtype(),
}


def nullable(table):
    """A pandas frame of the types that hold nulls."""
    return table.to_pandas(types_mapper=_NULLABLE.get)


def numpy_where_whole(table):
    """A pandas frame of NumPy's types, and of those that hold nulls for the whole numbers that have some."""
    frame = nullable(table)
    whole = [name for name in table.column_names if table[name].null_count == 0]
    numpy = {
        name: table.schema.field(name).type.to_pandas_dtype()
        for name in whole
        if pa.types.is_integer(table.schema.field(name).type)
    }
    return frame.astype(numpy)


STORES = {
    "polars": pl.from_arrow,
    "polars lazy": lambda table: pl.from_arrow(table).lazy(),
    "pyarrow": lambda table: table,
    "pandas numpy": numpy_where_whole,
    "pandas nullable": nullable,
    "pandas arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "duckdb": duckdb.from_arrow,
}


def polars(table):
    """A Polars frame with the columns whose names say so in types that only Polars has."""
    frame = pl.from_arrow(table)
    names = [name for name in frame.columns if name.endswith("_in_dictionary")]
    return frame.with_columns(pl.col(names).cast(pl.Categorical))


def in_python(table):
    """
    A pandas frame of what PyArrow makes of it by itself: NumPy's types, and objects of Python.
    """
    return table.to_pandas()


# Plain columns: what makes a frame of a table, and the storages of `plain_cases` that it has not.
PLAIN = {
    "polars": (polars, frozenset()),
    "polars lazy": (lambda table: polars(table).lazy(), frozenset()),
    "pyarrow": (lambda table: table, frozenset()),
    "pandas numpy": (in_python, frozenset({"date32"})),
    "pandas nullable": (nullable, frozenset({"date32"})),
    "pandas arrow": (STORES["pandas arrow"], frozenset()),
    "duckdb": (duckdb.from_arrow, frozenset()),
}
