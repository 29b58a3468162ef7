"""
The differences between kinds of frames; narwhals takes care of all others.

Polars has functions of the same names as narwhals. The expressions for a Polars frame are therefore
made by Polars itself, so that narwhals costs nothing while they are built.

Frames of pandas and PyArrow are worked on in Polars where it is installed. Columns are handed over
through Arrow, so that most are not copied. What comes back has the types that narwhals would have
given, and what the user's own library does is the same, only slower.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.errors import InvalidDocument, did_you_mean
from holdback.frozen_classes import frozen
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
# Libraries that hold an answer about a frame of DuckDB or PySpark.
_FOR_ANSWERS: Final = ("polars", "pandas", "pyarrow")
Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]
# New columns by name, all computed from the columns that are there before.
Step = Mapping[str, Any]
# Columns that are dropped again, in the order in which they are computed.
Scratch = Sequence[tuple[str, Any]]


@frozen
class WorkFrame:
    """
    A frame on which columns are computed, and the module that makes its expressions.

    `frame` is a narwhals frame and `api` is narwhals, or `frame` is a Polars LazyFrame and `api` is
    Polars.
    """

    frame: Any
    api: ModuleType

    def with_columns(self, step: Step) -> WorkFrame:
        """This frame with the columns of *step*."""
        return WorkFrame(self.frame.with_columns(**step), self.api) if step else self

    def with_steps(self, steps: Iterable[Step]) -> WorkFrame:
        """This frame with the columns of *steps*, added one step after the other."""
        work = self
        for step in steps:
            work = work.with_columns(step)
        return work

    def with_scratch(self, columns: Mapping[str, tuple[Scratch, Any]]) -> WorkFrame:
        """This frame with *columns*, each computed from scratch columns that are then dropped."""
        if not any(scratch for scratch, _ in columns.values()):
            return self.with_columns({name: expr for name, (_, expr) in columns.items()})
        work = self
        # One column after the other, so that only the scratch columns of one are in memory.
        for name, (scratch, expr) in columns.items():
            steps = ({scratch_name: part} for scratch_name, part in scratch)
            work = work.with_steps(steps).with_columns({name: expr})
            names = (scratch_name for scratch_name, _ in scratch)
            work = WorkFrame(work.frame.drop(*names), self.api)
        return work

    def with_integers(self, columns: Mapping[str, Sequence[int]]) -> WorkFrame:
        """This frame, which is in memory, with lists of integers as new columns."""
        if self.api is nw:
            backend = nw.get_native_namespace(self.frame)
            new = nw.from_dict(columns, backend=backend)
            work = WorkFrame(self.frame.with_columns(*new.iter_columns()), nw)
            return as_integers(work, list(columns))
        series = [self.api.Series(name, values, self.api.Int64) for name, values in columns.items()]
        return WorkFrame(self.frame.with_columns(*series), self.api)

    def select(self, *names: str) -> WorkFrame:
        """This frame with the columns *names* only."""
        return WorkFrame(self.frame.select(*names), self.api)

    def collected(self, given: Collection[str] = ()) -> nw.DataFrame[Any]:
        """All rows, in memory; the columns *given* are as they came, and need not be copied."""
        if isinstance(self.frame, nw.DataFrame):
            return self.frame
        if isinstance(self.frame, nw.LazyFrame):
            return self.frame.collect()
        # In one piece, because rows of many pieces are slow to pick.
        rows = self.frame.drop(*given).collect(engine="streaming").rechunk()
        if given:
            rows = rows.hstack(self.frame.select(*given).collect(engine="in-memory").rechunk())
        return nw.from_native(rows, eager_only=True)

    @property
    def is_pandas(self) -> bool:
        """Whether this is a pandas frame; its NumPy types hold no nulls."""
        return self.api is nw and bool(self.frame.implementation.is_pandas_like())

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""
        return list(self.frame.collect_schema())

    @property
    def native(self) -> Any:
        """The frame of the user's own library."""
        return nw.to_native(self.frame, pass_through=True)


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

    It is that of the frame itself, or for a frame of DuckDB or PySpark one that is installed.
    """
    if frame.implementation.is_pandas_like():
        return "pandas"
    if frame.implementation.is_polars() or frame.implementation.is_pyarrow():
        return str(frame.implementation)
    return next((name for name in _FOR_ANSWERS if find_spec(name)), _FOR_ANSWERS[-1])


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


def work_frame(frame: Frame) -> WorkFrame:
    """Return *frame* to compute columns on; pandas loses its index."""
    if frame.implementation.is_polars():
        return WorkFrame(frame.to_native().lazy(), nw.get_native_namespace(frame))
    return WorkFrame(without_index(frame) if isinstance(frame, nw.DataFrame) else frame, nw)


def without_index(frame: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """Return *frame* with its rows in order; pandas would align them by the index instead."""
    if frame.implementation.is_pandas_like():
        return nw.from_native(frame.to_native().reset_index(drop=True), eager_only=True)
    return frame


def collected_together(works: Sequence[WorkFrame]) -> Sequence[nw.DataFrame[Any]]:
    """All rows of each of *works*, which are in memory and of one library."""
    if works[0].api is nw:
        return [work.collected() for work in works]
    collected = works[0].api.collect_all([work.frame for work in works])
    return [nw.from_native(rows, eager_only=True) for rows in collected]


def as_nullable(work: WorkFrame, names: Sequence[str]) -> WorkFrame:
    """Return *work* with the columns *names* in types that hold nulls, unlike NumPy's."""
    if not work.is_pandas:
        return work
    native = work.frame.to_native()
    nullable = {"i": "Int64", "u": "UInt64", "f": "Float64", "b": "boolean"}
    kinds = {name: getattr(native.dtypes[name], "kind", "") for name in names}
    dtypes = {
        name: nullable[kind]
        for name, kind in kinds.items()
        if kind in nullable and type(native.dtypes[name]).__module__.startswith("numpy")
    }
    return WorkFrame(nw.from_native(native.astype(dtypes)), nw) if dtypes else work


def as_integers(work: WorkFrame, names: Sequence[str]) -> WorkFrame:
    """Return *work* with the columns *names* as integers; pandas may hold them as floats."""
    if not work.is_pandas:
        return work
    native = work.frame.to_native()
    return WorkFrame(nw.from_native(native.astype(dict.fromkeys(names, "Int64"))), nw)


def as_flags(work: WorkFrame, names: Sequence[str]) -> WorkFrame:
    """Return *work* with the columns *names*, of 1, 0 and null, as flags."""
    if not work.is_pandas:
        return work.with_columns(
            {name: work.api.col(name).cast(work.api.Boolean) for name in names}
        )
    native = as_integers(work, names).frame.to_native()
    return WorkFrame(nw.from_native(native.astype(dict.fromkeys(names, "boolean"))), nw)


def with_results(frame: nw.DataFrame[Any], results: nw.DataFrame[Any]) -> Any:
    """Return the user's own *frame* with the columns of *results*, row by row."""
    moved = results.implementation.is_polars() and not frame.implementation.is_polars()
    if frame.implementation.is_pandas_like():
        # Arrays have no index, so pandas cannot align the rows by it.
        columns = (
            pandas_arrays(results, nw.get_native_namespace(frame))
            if moved
            else {name: results.to_native()[name].array for name in results.columns}
        )
        return frame.to_native().assign(**columns)
    if moved:
        results = arrow_table(results)
    return frame.with_columns(*results.iter_columns()).to_native()


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
