"""A frame in memory, taken apart by the rulebooks of its rows, and its answers put together again.

Over a lazy frame all rulebooks are one long expression. In memory it is quicker to look first whose rows there
are, and to ask each rulebook about its own alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import evolve

from holdback.portfolio.frames import Work, in_order, worked_on
from holdback.portfolio.outcome_columns import BOOK, OURS
from holdback.portfolio.row_rulebooks import Books

_ROW: Final = f"{OURS}row"
_NONE: Final = -1

Answer = Callable[[Work, Books], Work]


def by_book(
    work: Work, books: Books, results: Collection[str], answer: Answer
) -> nw.DataFrame[Any]:
    """
    The columns *results* of every row of *work*, which is in memory, and its book, in the order of the rows.

    *answer* gives those of the rows of one book. Rows without a book are at fault, whoever is asked about them.
    """
    frame = work.collected()
    frame = frame.with_columns(nw.col(BOOK).cast(nw.Int64).fill_null(_NONE)).with_row_index(_ROW)
    found = []
    for place in sorted(frame[BOOK].unique().to_list()) or (_NONE,):  # no rows have columns too
        mine = in_order(frame.filter(nw.col(BOOK) == place))
        own = evolve(books, rulebooks=(books.rulebooks[max(place, 0)],))
        part = answer(worked_on(mine.drop(_ROW, BOOK)), own).select(*results).collected()
        found.append(part.with_columns(mine[_ROW], mine[BOOK]))
    return nw.concat(found).sort(_ROW).drop(_ROW)
