"""A frame of deals in, the frame with what the rules say of each row out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.portfolio.by_rulebook import by_book
from holdback.portfolio.column_plan import INVALID_COLUMN, Staging
from holdback.portfolio.frames import Work, attached, opened
from holdback.portfolio.outcome_columns import (
    BALANCE,
    ELIGIBLE,
    FAULTS,
    NEEDS,
    OUTCOME,
    RESULTS,
    stage,
    steps,
)
from holdback.portfolio.readable import CODES, SAID, readable_columns
from holdback.portfolio.row_rulebooks import Books, Rules

# The answer in words: each column, and in which of ours it is.
READABLE: Final = {
    OUTCOME: SAID[OUTCOME],
    ELIGIBLE: ELIGIBLE,
    CODES: SAID[CODES],
    NEEDS: SAID[NEEDS],
}


def assess(
    frame: Any,
    rules: Rules,
    *,
    jurisdiction: str = "jurisdiction",
    on: str | date = "on",
    prepared: bool = False,
    readable: bool = False,
) -> Any:
    """
    *frame*, of pandas, Polars, PyArrow, DuckDB or PySpark, with what *rules* say of each row.

    *rules* is a rulebook for every row, or jurisdictions, among which the column *jurisdiction* chooses and the
    column *on*, or a date for all rows. The columns named as facts hold what a facts document holds; with
    *prepared*, what `prepare` makes of them. A column is needed for each fact that a rule reads.

    The answer has four columns more: `outcome` (its place in `OUTCOMES`), `eligible`, `failing` (a mask of the
    rules that decided it, for `codes`) and `needs` (a mask of the facts that are missing, or at fault in a row
    that is invalid, for `needed`). With *readable*, `outcome`, `codes` and `needs` are texts instead of the
    numbers. A lazy frame stays lazy.

    >>> import polars as pl
    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(1000, seed=7, backend="polars")
    >>> assessed = assess(deals, load_jurisdictions(), readable=True)
    >>> assessed.filter(pl.col("codes") == "GB-R-02").height
    7

    Raises:
        InvalidDocument: naming every column that is missing or of the wrong type.
    """
    given = opened(frame)
    staging = Staging.of(given, rules, jurisdiction, on, prepared=prepared)
    columns = READABLE if readable else {name: name for name in RESULTS}
    staging.refuse({*RESULTS, *columns})
    return with_answers(staging, answered(staging, columns.values()), columns)


def with_answers(staging: Staging, work: Work, columns: Mapping[str, str]) -> Any:
    """The native frame of *staging* with what was answered: *columns* by name, and where each is in *work*."""
    col = work.make.col
    work = work.with_columns({name: col(ours) for name, ours in columns.items() if name != ours})
    if isinstance(staging.frame, nw.DataFrame):
        return attached(staging.frame, work.select(*columns).collected())
    return work.select(*staging.schema, *columns).native


def prepare(
    frame: Any,
    rules: Rules,
    *,
    jurisdiction: str = "jurisdiction",
    on: str | date = "on",
) -> Any:
    """
    *frame* with its columns of facts as whole numbers, for `assess(..., prepared=True)`, which is faster.

    Percentages are counted in ten-thousandths of a percent, money in minor units, a date in days of the calendar;
    a text is its place in the declared set, a flag 0 or 1; a null is unknown. What could not be read is null too,
    and noted in a column more, `invalid`: a mask of the facts at fault.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(3, seed=7, backend="polars")
    >>> prepare(deals, load_jurisdictions())["progress"].to_list()
    [804920, 1000000, 1000000]

    Raises:
        InvalidDocument: naming every column that is missing or of the wrong type.
    """
    given = opened(frame)
    staging = Staging.of(given, rules, jurisdiction, on, prepared=False)
    staging.refuse({INVALID_COLUMN})
    work, staged = staging.staged()
    col, wide = work.make.col, work.make.Int64
    numbers = {name: col(stage(name)) for name in staging.facts if name in staged}
    work = work.with_columns({**numbers, INVALID_COLUMN: col(FAULTS).cast(wide)})
    results = (*numbers, INVALID_COLUMN)
    if isinstance(given, nw.DataFrame):
        return attached(given, work.select(*results).collected())
    return work.select(*staging.schema, INVALID_COLUMN).native


def answered(staging: Staging, results: Collection[str]) -> Work:
    """
    What was worked on, with the columns *results*, and where there are several books the column `BOOK`.

    Of a frame in memory there are no others.
    """
    work, staged = staging.staged()
    certain, faults = staging.certain, staging.has_faults

    def answer(part: Work, books: Books) -> Work:
        rules = tuple(book.renewal for book in books.rulebooks)
        part = part.after(steps(rules, part.make, certain, staged, faults=faults))
        if SAID[CODES] in results:
            part = part.with_columns(readable_columns(books, part.make))
        left = {BALANCE: staging.balance(part.make, staged)} if BALANCE in results else {}
        return part.with_columns(left)

    books = staging.books
    if staging.eager and books.jurisdiction is not None:
        return Work(by_book(work, books, tuple(dict.fromkeys(results)), answer), nw)
    return answer(work, books)
