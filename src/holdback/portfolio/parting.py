"""A frame in memory, taken apart by the rulebooks of its rows, and its answers put together again.

Over a lazy frame all rulebooks are one long expression. In memory it is quicker to look first whose rows there
are, and to ask each rulebook about its own alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.portfolio.answers import BALANCE, BOOK, ELIGIBLE, FAILING, NEEDS, OURS, OUTCOME
from holdback.portfolio.books import Books, Shelf
from holdback.portfolio.frames import Work, in_order, whole
from holdback.portfolio.marks import INVALID, JURISDICTION_BIT, ON_BIT, OUTCOMES
from holdback.portfolio.readable import CODES, SAID
from holdback.portfolio.staging import Staging, never

_ROW: Final = f"{OURS}row"
_NONE: Final = -1

Answer = Callable[[Staging, Collection[str]], Work]


def by_book(staging: Staging, results: Collection[str], answer: Answer) -> nw.DataFrame[Any]:
    """
    The columns *results* of every row, and its book, in the order of the rows; *answer* gives those of one book.
    """
    assert isinstance(staging.frame, nw.DataFrame), "lazy frames have no rows to look at"
    book = staging.placed().collected()[BOOK].fill_null(_NONE)
    placed = in_order(staging.frame).with_columns(book).with_row_index(_ROW)
    found = []
    for place in sorted(book.unique().to_list()) or (_NONE,):  # no rows have columns too
        mine = placed.filter(nw.col(BOOK) == place)
        if place == _NONE:
            part = _bookless(mine, staging.books)
        else:
            books = Books(rulebooks=(staging.books.rulebooks[place],))
            own = Staging(mine.drop(_ROW, BOOK), books, staging.prepared)
            part = answer(own, results).select(*results).collected()
        keys = in_order(mine.select(_ROW, BOOK))
        found.append(part.select(*results).with_columns(*keys.iter_columns()))
    return nw.concat(found).sort(_ROW).drop(_ROW)


def _bookless(frame: nw.DataFrame[Any], books: Books) -> nw.DataFrame[Any]:
    """The answer to rows that no rulebook is for."""
    place = OUTCOMES.index(INVALID)
    bits = Shelf(books, nw).lacking(1 << JURISDICTION_BIT, 1 << ON_BIT)
    names = Shelf(books, nw).lacking(nw.lit(books.jurisdiction), nw.lit(str(books.on)))
    said = in_order(frame).with_columns(
        nw.lit(place, nw.Int8).alias(OUTCOME),
        nw.lit(value=False).alias(ELIGIBLE),
        nw.lit(0, nw.Int64).alias(FAILING),
        bits.cast(nw.Int64).alias(NEEDS),
        nw.lit(INVALID).alias(SAID[OUTCOME]),
        nw.lit("").alias(SAID[CODES]),
        names.alias(SAID[NEEDS]),
    )
    return whole(Work(said.with_columns(never(nw).alias(BALANCE)), nw), [BALANCE]).collected()
