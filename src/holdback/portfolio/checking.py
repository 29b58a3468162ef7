"""Everything that is wrong with a frame, at once, before work begins."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import evolve, frozen

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.portfolio.aggregation import with_book
from holdback.portfolio.column_plan import Staging
from holdback.portfolio.frames import Work, opened
from holdback.portfolio.masks import JURISDICTION_BIT, ON_BIT
from holdback.portfolio.outcome_columns import BOOK, FAULTS, OURS, RESULTS
from holdback.portfolio.row_rulebooks import Rules
from holdback.rules.types import Fact

_ROW: Final = f"{OURS}first"
_COUNT: Final = f"{OURS}rows"


def check_frame(
    frame: Any,
    rules: Rules,
    *,
    jurisdiction: str = "jurisdiction",
    on: str | date = "on",
    prepared: bool = False,
) -> None:
    """
    Nothing, where every row of *frame* can be read for *rules*; the arguments are those of `assess`.

    `assess` refuses a frame whose columns are missing or of the wrong type, and marks a row with a value that
    cannot be read `invalid`. This says all of it beforehand, and of prepared columns, which `assess` trusts, that
    they are in range.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(1000, seed=7, backend="polars").drop("performance")
    >>> check_frame(deals, load_jurisdictions())
    Traceback (most recent call last):
    ...
    holdback.errors.InvalidDocument: performance: the column is missing; rules of AU, CA, CA-QC and 7 more read it; where it is never known, add a column of nulls of its type

    Raises:
        InvalidDocument: naming every column that is missing, of the wrong type, or with values out of range.
    """
    staging = Staging.of(opened(frame), rules, jurisdiction, on, prepared=prepared)
    faults = list(staging.faults(RESULTS))
    at_fault = {fault.path for fault in faults}
    if not at_fault & {staging.books.jurisdiction, staging.books.on}:
        faults.extend(_of_values(staging, at_fault))
    if faults:
        raise InvalidDocument(faults)


def _of_values(staging: Staging, without: Collection[str | None]) -> Iterator[ErrorDetail]:
    """A fault for each column with values that cannot be read; those in *without* cannot be looked at."""
    looked_at = evolve(staging, without=frozenset(filter(None, without)), strict=True)
    work, _ = looked_at.staged()
    found: dict[tuple[str, str], _Rows] = {}
    for book, mask, rows in _grouped(work, looked_at):
        for name, expected in _at_fault(looked_at, book, mask):
            found[name, expected] = found.get((name, expected), _Rows(0, None)) + rows
    places = {name: place for place, name in enumerate(staging.schema)}
    for (name, expected), rows in sorted(
        found.items(), key=lambda each: (places[each[0][0]], each[0])
    ):
        yield ErrorDetail(message=f"{rows} cannot be read; {expected}", path=name)


@frozen
class _Rows:
    """How many rows, and which is the first, counted from 1, where rows have an order."""

    count: int
    first: int | None

    def __add__(self, other: _Rows) -> _Rows:
        firsts = [each for each in (self.first, other.first) if each is not None]
        return _Rows(self.count + other.count, min(firsts, default=None))

    def __str__(self) -> str:
        which = f"row {self.first}" if self.first else "a row"
        if self.count == 1:
            return which
        first = f", the first is {which}," if self.first else ""
        return f"{self.count:,} rows{first}"


def _grouped(work: Work, staging: Staging) -> Iterator[tuple[int, int, _Rows]]:
    """The books and masks of the rows that cannot be read, and how many rows are alike in both."""
    work = with_book(work)
    frame: Any = work.collected() if staging.eager else nw.from_native(work.native)
    frame = frame.select(nw.col(BOOK).cast(nw.Int64).fill_null(-1), nw.col(FAULTS).cast(nw.Int64))
    first = []
    if staging.eager:
        frame = frame.with_row_index(_ROW)
        first.append(nw.col(_ROW).min())
    # All rows are counted: asked for some of them alone, Spark works every column out again for each that it asks.
    grouped = frame.group_by(BOOK, FAULTS).agg(nw.len().alias(_COUNT), *first)
    rows = grouped if staging.eager else grouped.collect()
    for row in rows.iter_rows(named=True):
        if row[FAULTS]:
            place = row[_ROW] + 1 if staging.eager else None
            yield int(row[BOOK]), int(row[FAULTS]), _Rows(int(row[_COUNT]), place)


def _at_fault(staging: Staging, book: int, mask: int) -> Iterator[tuple[str, str]]:
    """The columns that *mask* names, each with what was expected of it."""
    books = staging.books
    if mask >> JURISDICTION_BIT & 1:
        codes = sorted({each.code for each in books.rulebooks})
        yield str(books.jurisdiction), f"expected one of {', '.join(codes)}"
    elif mask >> ON_BIT & 1:
        yield str(books.on), "expected a day on which the jurisdiction of the row has rules"
    else:
        for place, fact in enumerate(books.rulebooks[book].catalogue.facts):
            if mask >> place & 1:
                yield fact.name, _expected(fact)


def _expected(fact: Fact) -> str:
    exact = fact.type.places and not fact.derived
    return (
        f"{fact.out_of_range}, at most {fact.type.places} decimals" if exact else fact.out_of_range
    )
