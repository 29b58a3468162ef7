"""A frame of deals in, the frame with what the rules say of each row out."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.portfolio.answers import ELIGIBLE, NEEDS, OUTCOME, RESULTS, steps
from holdback.portfolio.books import Rules, books_of
from holdback.portfolio.frames import Table, attached, opened
from holdback.portfolio.parting import by_book
from holdback.portfolio.readable import CODES, readable_columns
from holdback.portfolio.staging import Staging

_READABLE: Final = (OUTCOME, ELIGIBLE, CODES, NEEDS)


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
    >>> assessed.filter(pl.col("codes") == "GB-R-06").height
    7

    Raises:
        InvalidDocument: naming every column that is missing or of the wrong type.
    """
    given = opened(frame)
    books = books_of(rules, jurisdiction, on)
    staging = Staging(given, books, prepared)
    results = _READABLE if readable else RESULTS
    staging.refuse({*RESULTS, *results})
    if not isinstance(given, nw.DataFrame):
        return _answered(staging, results).select(*staging.schema, *results).native
    parted = books.jurisdiction is not None
    found = (
        by_book(staging, results, _answered) if parted else _answered(staging, results).collected()
    )
    return attached(given, found.select(*results))


def _answered(staging: Staging, results: Collection[str]) -> Table:
    """What is worked on, with the columns *results*."""
    table, staged = staging.staged()
    books = staging.books
    written = steps(
        tuple(book.renewal for book in books.rulebooks),
        table.make,
        staging.certain,
        staged,
        faults=staging.has_faults,
    )
    table = table.after(written)
    if CODES in results:
        table = table.after(readable_columns(books, table.make))
    return table
