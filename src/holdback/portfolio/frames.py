"""What one kind of frame needs otherwise than another. Everything else goes through narwhals.

Polars has functions of the same names as narwhals, so its expressions are written as its own: they are made
once for all frames, and nothing stands between them and the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import frozen

from holdback.errors import InvalidDocument

_WANTED: Final = "expected a dataframe of pandas, Polars, PyArrow, DuckDB or PySpark"
_TESTED: Final = (
    nw.Implementation.PANDAS,
    nw.Implementation.POLARS,
    nw.Implementation.PYARROW,
    nw.Implementation.DUCKDB,
    nw.Implementation.PYSPARK,
    nw.Implementation.PYSPARK_CONNECT,  # the same engine, at the other end of a wire
)
Step = Mapping[str, Any]
Scratch = Sequence[tuple[str, Any]]


@frozen
class Work:
    """A frame that is being worked on: narwhals', or a lazy one of Polars; and what makes its expressions."""

    frame: Any
    make: ModuleType

    def with_columns(self, step: Step) -> Work:
        """This, with the columns of *step* worked out."""
        return Work(self.frame.with_columns(**step), self.make) if step else self

    def with_scratch(self, columns: Mapping[str, tuple[Scratch, Any]]) -> Work:
        """This, with *columns*, each after its scratch columns, which are thrown away before the next is begun."""
        if not any(scratch for scratch, _ in columns.values()):
            return self.with_columns({name: expr for name, (_, expr) in columns.items()})
        work = self
        for name, (scratch, expr) in columns.items():
            work = work.after({each: part} for each, part in scratch).with_columns({name: expr})
            work = Work(work.frame.drop(*(each for each, _ in scratch)), self.make)
        return work

    def after(self, steps: Iterable[Step]) -> Work:
        """This, after *steps*, one by one."""
        work = self
        for step in steps:
            work = work.with_columns(step)
        return work

    def with_series(self, columns: Mapping[str, Sequence[int]]) -> Work:
        """This, a frame in memory, with whole numbers as new columns."""
        if self.make is nw:
            backend = nw.get_native_namespace(self.frame)
            new = nw.from_dict(columns, backend=backend)
            work = Work(self.frame.with_columns(*new.iter_columns()), nw)
            return whole(work, list(columns))
        numbers = [self.make.Series(name, each, self.make.Int64) for name, each in columns.items()]
        return Work(self.frame.with_columns(*numbers), self.make)

    def select(self, *names: str) -> Work:
        """Its columns *names* alone."""
        return Work(self.frame.select(*names), self.make)

    def collected(self) -> nw.DataFrame[Any]:
        """All its rows, worked out."""
        if isinstance(self.frame, nw.DataFrame):
            return self.frame
        if isinstance(self.frame, nw.LazyFrame):
            return self.frame.collect()
        return nw.from_native(self.frame.collect(engine="streaming"), eager_only=True)

    @property
    def of_pandas(self) -> bool:
        """Whether it is pandas, whose columns may be of NumPy's types."""
        return self.make is nw and bool(self.frame.implementation.is_pandas_like())

    @property
    def columns(self) -> Sequence[str]:
        """The names of its columns."""
        return list(self.frame.collect_schema())

    @property
    def native(self) -> Any:
        """The frame as the user knows it."""
        return nw.to_native(self.frame, pass_through=True)


def opened(frame: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    """
    The *frame* of a user.

    Raises:
        InvalidDocument: when it is none of a library with which the answers were tested, or two columns of it
            have one name.
    """
    try:
        known: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(frame)
        known.collect_schema()
    except TypeError:
        raise InvalidDocument.of(_WANTED, path="frame") from None
    except nw.exceptions.DuplicateError:
        raise InvalidDocument.of("two columns have one name", path="frame") from None
    if known.implementation not in _TESTED:
        hint = f"answers were not tested with {known.implementation}; convert the frame"
        raise InvalidDocument.of(_WANTED, path="frame", hint=hint)
    return known


def worked_on(frame: nw.DataFrame[Any] | nw.LazyFrame[Any]) -> Work:
    """*frame* as what is worked on; of a frame in memory the index, if it has one, is left behind."""
    if frame.implementation.is_polars():
        return Work(frame.to_native().lazy(), nw.get_native_namespace(frame))
    return Work(in_order(frame) if isinstance(frame, nw.DataFrame) else frame, nw)


def in_order(frame: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """*frame* with its rows in their order and, in pandas, without the index that would say otherwise."""
    if frame.implementation.is_pandas_like():
        return nw.from_native(frame.to_native().reset_index(drop=True), eager_only=True)
    return frame


def nullable(work: Work, names: Sequence[str]) -> Work:
    """The columns *names* of *work* in types that can hold nulls: NumPy's in pandas cannot, and become floats."""
    if not work.of_pandas:
        return work
    native = work.frame.to_native()
    kinds = {"i": "Int64", "u": "UInt64", "f": "Float64", "b": "boolean"}
    numpy = {name: getattr(native.dtypes[name], "kind", "") for name in names}
    wanted = {
        name: kinds[kind]
        for name, kind in numpy.items()
        if kind in kinds and type(native.dtypes[name]).__module__.startswith("numpy")
    }
    return Work(nw.from_native(native.astype(wanted)), nw) if wanted else work


def whole(work: Work, names: Sequence[str]) -> Work:
    """The columns *names* of *work*, whole numbers that pandas may hold as floats, as whole numbers."""
    if not work.of_pandas:
        return work
    native = work.frame.to_native()
    return Work(nw.from_native(native.astype(dict.fromkeys(names, "Int64"))), nw)


def attached(frame: nw.DataFrame[Any], results: nw.DataFrame[Any]) -> Any:
    """The native *frame* with the columns of *results*, which are of the same rows."""
    if frame.implementation.is_pandas_like():
        found = results.to_native()
        return frame.to_native().assign(**{name: found[name].array for name in results.columns})
    return frame.with_columns(*results.iter_columns()).to_native()
