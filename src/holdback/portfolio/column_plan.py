"""From a frame as the user has it to the columns that rules read: whole numbers, each row's book, its faults."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import reduce
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import field, frozen

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.portfolio.column_readers import Column, Reader, mistyped
from holdback.portfolio.frames import Work, nullable, whole, worked_on
from holdback.portfolio.masks import JURISDICTION_BIT, ON_BIT
from holdback.portfolio.outcome_columns import BOOK, FAULTS, NEEDS, OURS, chain, stage
from holdback.portfolio.row_rulebooks import Books, Rules, Shelf, books_of
from holdback.portfolio.values import read_values
from holdback.rules.types import Fact, Kind, Type

Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]

# What a deal is worth in a summary, whether rules read it or not.
_BALANCE: Final = "balance"
# The mask of a prepared row's facts that could not be read.
INVALID_COLUMN: Final = "invalid"

# More jurisdictions than so many are not named.
_NAMED: Final = 3
_INTEGERS: Final = (
    nw.Int8,
    nw.Int16,
    nw.Int32,
    nw.Int64,
    nw.UInt8,
    nw.UInt16,
    nw.UInt32,
    nw.UInt64,
)
_TEXTS: Final = (nw.String, nw.Categorical, nw.Enum)


def _day(name: str) -> Fact:
    """The column *name* with the day of a row, read as facts are."""
    return Fact(name=name, type=Type(Kind.DATE), low=1, high=date.max.toordinal())


@frozen
class Staging:
    """
    How the columns of `frame` are read for `books`, as they stand or, with `prepared`, in whole numbers.

    Columns `without` which it has to do are left alone. When it is `strict`, prepared columns are not trusted.
    """

    frame: Frame
    books: Books
    prepared: bool = False
    without: frozenset[str] = frozenset()
    strict: bool = False
    schema: Mapping[str, Any] = field(init=False)
    facts: Mapping[str, Mapping[Fact, tuple[int, ...]]] = field(init=False)

    @schema.default
    def _schema(self) -> Mapping[str, Any]:
        return self.frame.collect_schema()

    @facts.default
    def _facts(self) -> Mapping[str, Mapping[Fact, tuple[int, ...]]]:
        """The facts that the frame has a column of; where it is prepared, only those that are looked at."""
        known = self.books.facts
        wanted = {*self.books.read, _BALANCE} if self.prepared else known.keys()
        there = self.schema.keys() - self.without
        return {name: known[name] for name in known if name in wanted and name in there}

    @property
    def eager(self) -> bool:
        """Whether all its rows are in memory."""
        return isinstance(self.frame, nw.DataFrame)

    @classmethod
    def of(
        cls, frame: Frame, rules: Rules, jurisdiction: str, on: str | date, *, prepared: bool
    ) -> Staging:
        """How *frame* is read for *rules*; in memory, for the jurisdictions alone that occur in it."""
        codes: Collection[Any] = ()
        if isinstance(frame, nw.DataFrame) and jurisdiction in frame.columns:
            codes = frame[jurisdiction].unique().to_list()
        return cls(frame, books_of(rules, jurisdiction, on, codes), prepared)

    # -- what is wrong with the frame as a whole

    def refuse(self, taken: Collection[str]) -> None:
        """
        Nothing, where the columns can be read and the names *taken* are free.

        Raises:
            InvalidDocument: naming every column that is missing, of the wrong type or in the way.
        """
        faults = self.faults(taken)
        if faults:
            raise InvalidDocument(faults)

    def faults(self, taken: Collection[str]) -> tuple[ErrorDetail, ...]:
        """What is wrong with the columns, when those of the answer are *taken*."""
        return (*self._missing(), *self._mistyped(), *self._in_the_way(taken))

    def _missing(self) -> Iterator[ErrorDetail]:
        keys = (
            (self.books.jurisdiction, "it says whose rules a row is assessed by"),
            (
                self.books.on,
                "it says of which day the facts of a row are; one date may be given for all",
            ),
        )
        for key, meaning in keys:
            if isinstance(key, str) and key not in self.schema:
                hint = did_you_mean(key, self.schema) or meaning
                yield ErrorDetail(message="the column is missing", path=key, hint=hint)
        spare = set(self.schema) - self.books.facts.keys()
        for name, codes in sorted(self.books.read.items()):
            if name not in self.schema:
                hint = f"rules of {_some(codes)} read it; where it is never known, add a column of nulls of its type"
                hint = did_you_mean(name, spare) or hint
                yield ErrorDetail(message="the column is missing", path=name, hint=hint)

    def _mistyped(self) -> Iterator[ErrorDetail]:
        for name, variants in self.facts.items():
            message = next(filter(None, (self._expected(name, fact) for fact in variants)), None)
            if message:
                yield self._fault(name, message)
        on = self.books.on
        if isinstance(on, str) and on in self.schema:
            message = self._expected(on, _day(on))
            if message:
                yield self._fault(on, message)
        code = self.books.jurisdiction
        if (
            code is not None
            and code in self.schema
            and not isinstance(self.schema[code], (*_TEXTS, nw.Object))
        ):
            yield self._fault(code, "expected text")

    def _fault(self, name: str, message: str) -> ErrorDetail:
        return ErrorDetail(message=f"{message}, not {self.schema[name]}", path=name)

    def _expected(self, name: str, fact: Fact) -> str | None:
        dtype = self.schema[name]
        if self.prepared and fact.name != self.books.on:
            whole_numbers = isinstance(dtype, _INTEGERS)
            return None if whole_numbers else "expected whole numbers, as `prepare` makes them"
        return None if self._by_value(fact, dtype) else mistyped(fact, dtype)

    def _in_the_way(self, taken: Collection[str]) -> Iterator[ErrorDetail]:
        for name in self.schema:
            if name in taken or name.startswith(OURS):
                hint = "rename it, or drop it if it is of an earlier assessment"
                yield ErrorDetail(
                    message="a column of the answer has this name", path=name, hint=hint
                )

    # -- what the rules may count on, and what they answer

    @property
    def has_faults(self) -> bool:
        """Whether a row may be invalid."""
        plain = not self.prepared
        return plain or INVALID_COLUMN in self.schema or self.books.jurisdiction is not None

    @property
    def certain(self) -> frozenset[str]:
        """The facts whose columns have no nulls, as far as that is known without working anything out."""
        if not self.eager or not self.prepared:
            return frozenset()
        assert isinstance(self.frame, nw.DataFrame)
        column = self.frame.get_column
        return frozenset(name for name in self.facts if column(name).null_count() == 0)

    def balance(self, make: Any, staged: Collection[str]) -> Any:
        """What is left of each deal in minor units, as far as it is known."""
        if _BALANCE not in self.facts:
            return never(make)
        return make.col(stage(_BALANCE) if _BALANCE in staged else _BALANCE)

    # -- the way to whole numbers

    def _by_value(self, fact: Fact, dtype: Any) -> bool:
        """Whether a column of *dtype* is read value by value, which only a frame in memory can be."""
        if not self.eager:
            return False
        if dtype == nw.Object or dtype == nw.Unknown:
            return True
        if isinstance(dtype, nw.String):
            return fact.type.kind is not Kind.TEXT
        # NumPy has no days, and its instants become floats where one is missing.
        instant = isinstance(dtype, nw.Datetime) and dtype.time_zone is None
        return instant and self.frame.implementation.is_pandas_like()

    def staged(self) -> tuple[Work, frozenset[str]]:
        """The frame with what rules read put down, and the facts that are in columns of ours for it."""
        work = self._opened([*self.facts, *self._keys(), INVALID_COLUMN])
        return self._prepared(work) if self.prepared else self._plain(work)

    def _opened(self, columns: Sequence[str]) -> Work:
        """What is worked on: of a frame in memory those of *columns* that it has."""
        work = worked_on(self.frame)
        there = [name for name in dict.fromkeys(columns) if name in self.schema]
        return work.select(*there) if self.eager else work

    def _keys(self) -> list[str]:
        """The columns that say which book is whose."""
        return [each for each in (self.books.jurisdiction, self.books.on) if isinstance(each, str)]

    def _prepared(self, work: Work) -> tuple[Work, frozenset[str]]:
        work = self._with_values(work, ())
        wide = work.make.Int64
        narrow = [name for name in self.facts if self.schema[name] != nw.Int64]
        work = work.with_columns({stage(name): work.make.col(name).cast(wide) for name in narrow})
        work = self._with_books(work)
        mask = work.make.col(INVALID_COLUMN) if INVALID_COLUMN in self.schema else None
        if self.strict:
            return self._with_facts(work)
        if self.has_faults:
            work = work.with_columns({FAULTS: self._or_bookless(work.make, mask)})
        return work, frozenset(narrow)

    def _plain(self, work: Work) -> tuple[Work, frozenset[str]]:
        work = self._with_values(work, self.facts)
        work = nullable(work, [name for name in self.facts if not self._valued(name)])
        return self._with_facts(self._with_books(work))

    def _with_facts(self, work: Work) -> tuple[Work, frozenset[str]]:
        """*work* with the columns of facts read, and the mask of what cannot be."""
        read = {name: self._read(work.make, name) for name in self.facts}
        work = work.with_scratch({stage(name): (c.scratch, c.number) for name, c in read.items()})
        work = whole(work, [stage(name) for name in read])
        return work.with_columns({FAULTS: self._faults(work.make, read)}), frozenset(read)

    def _valued(self, name: str) -> bool:
        return any(self._by_value(fact, self.schema[name]) for fact in self.facts[name])

    def _with_values(self, work: Work, facts: Iterable[str]) -> Work:
        """
        *work* with the columns of *facts* that are read value by value, read: their numbers, and what each is.
        """
        wanted = [
            (fact, place)
            for name in facts
            for place, fact in enumerate(self.facts[name])
            if self._by_value(fact, self.schema[name])
        ]
        on = self.books.on
        if isinstance(on, str) and self._by_value(_day(on), self.schema[on]):
            wanted.append((_day(on), 0))
        assert isinstance(self.frame, nw.DataFrame) or not wanted, (
            "only a frame in memory has values"
        )
        for fact, place in wanted:
            numbers, states = read_values(self.frame[fact.name].to_list(), fact)
            work = work.with_series({_numbers(fact, place): numbers, _states(fact, place): states})
        return work

    def _column(self, make: Any, fact: Fact, place: int) -> Column:
        dtype = self.schema[fact.name]
        reader = Reader(make, fact, fact.name, place, lazy=make is not nw or not self.eager)
        if self.prepared and fact.name != self.books.on:
            number = make.col(fact.name).cast(make.Int64)
            return reader.within(number, ~number.is_null())
        if self._by_value(fact, dtype):
            state = make.col(_states(fact, place))
            return Column(make.when(state == 1).then(make.col(_numbers(fact, place))), state != 0)
        return reader.column(dtype)

    def _read(self, make: Any, name: str) -> Column:
        """The column *name* as each row's own book reads it."""
        variants = self.facts[name]
        read = [
            (self._column(make, fact, place), books)
            for place, (fact, books) in enumerate(variants.items())
        ]
        (column, books), *others = read
        if not others and len(books) == len(self.books.rulebooks):
            return column
        number = chain(make, [(_of(make, books), column.number) for column, books in read])
        given = [
            _of(make, books) & column.given for column, books in read if column.given is not None
        ]
        either = reduce(lambda one, other: one | other, given) if given else None
        return Column(number, either, tuple(each for column, _ in read for each in column.scratch))

    def _with_books(self, work: Work) -> Work:
        """*work* with the place of each row's book, where there may be several."""
        if self.books.jurisdiction is None:
            return work
        day, on = None, self.books.on
        if isinstance(on, str):
            day = work.make.col(stage(on))
            column = self._column(work.make, _day(on), 0)
            work = work.with_scratch({stage(on): (column.scratch, column.number)})
            work = whole(work, [stage(on)])
        book = Shelf(self.books, work.make).book(day)
        return whole(work.with_columns({BOOK: book}), [BOOK])

    def _faults(self, make: Any, read: Mapping[str, Column]) -> Any:
        """The mask of what cannot be read in a row."""
        bits = []
        for name, column in read.items():
            fault = column.fault(make.col(stage(name)))
            if fault is not None:
                bits.append(make.when(fault).then(self._bit(make, name)).otherwise(_mask(make, 0)))
        mask = reduce(lambda one, other: one + other, bits) if bits else None
        return self._or_bookless(make, mask)

    def _or_bookless(self, make: Any, mask: Any | None) -> Any:
        """*mask*, or where a row has no book the column on whose account."""
        found = _mask(make, 0) if mask is None else mask
        if self.books.jurisdiction is None:
            return found
        bits = _mask(make, 1 << JURISDICTION_BIT), _mask(make, 1 << ON_BIT)
        lacking = Shelf(self.books, make).lacking(*bits)
        return make.when(make.col(BOOK).is_null()).then(lacking).otherwise(found)

    def _bit(self, make: Any, name: str) -> Any:
        """The bit of the fact *name*, which for a jurisdiction's own is each book's."""
        places: dict[int, list[int]] = {}
        for book, rulebook in enumerate(self.books.rulebooks):
            if rulebook.catalogue.fact(name) is not None:
                places.setdefault(rulebook.catalogue.place(name), []).append(book)
        if len(places) == 1:
            return _mask(make, 1 << next(iter(places)))
        bits = ((_of(make, books), _mask(make, 1 << place)) for place, books in places.items())
        return chain(make, bits)


def _some(codes: Collection[str]) -> str:
    """The first of *codes*, and how many more there are."""
    shown = ", ".join(list(codes)[:_NAMED])
    return f"{shown} and {len(codes) - _NAMED} more" if len(codes) > _NAMED else shown


def never(make: Any) -> Any:
    """A whole number that no row has; pandas has no null of that type to write down."""
    return make.when(make.col(NEEDS) < 0).then(make.col(NEEDS))


def _mask(make: Any, number: int) -> Any:
    """A mask of 64 bits, whatever its number is."""
    return make.lit(number, make.Int64)


def _of(make: Any, books: Sequence[int]) -> Any:
    """Where a row's book is one of *books*."""
    return make.col(BOOK).is_in(list(books))


def _numbers(fact: Fact, place: int) -> str:
    return f"{OURS}{fact.name}_{place}_numbers"


def _states(fact: Fact, place: int) -> str:
    return f"{OURS}{fact.name}_{place}_states"
