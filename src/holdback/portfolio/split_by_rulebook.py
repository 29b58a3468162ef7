"""
A frame in memory, split by the rulebooks of its rows.

Over a lazy frame, one long expression covers all rulebooks. In memory it is faster to see which
rulebooks occur and to evaluate each on its own rows only; `benchmarks/in_memory.py` measures it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import evolve

from holdback.portfolio.outcome_columns import PREFIX, RULEBOOK
from holdback.portfolio.row_rulebooks import RowRulebooks
from holdback.portfolio.work_frame import WorkFrame, without_index, work_frame

_ROW: Final = f"{PREFIX}row"
_NONE: Final = -1

AddResults = Callable[[WorkFrame, RowRulebooks], WorkFrame]


def split_by_rulebook(
    work: WorkFrame, rulebooks: RowRulebooks, results: Collection[str], add_results: AddResults
) -> nw.DataFrame[Any]:
    """
    Return the columns *results* and `RULEBOOK` of every row of *work*, in order.

    *add_results* computes them for the rows of one rulebook. Rows without a rulebook are invalid
    under any rulebook, so they go through the first.
    """
    frame = work.collected()
    frame = frame.with_columns(nw.col(RULEBOOK).cast(nw.Int64).fill_null(_NONE))
    frame = frame.with_row_index(_ROW)
    parts = []
    # A frame without rows goes through as well: its result has the same columns.
    for place in sorted(frame[RULEBOOK].unique().to_list()) or (_NONE,):
        rows = without_index(frame.filter(nw.col(RULEBOOK) == place))
        only = evolve(rulebooks, rulebooks=(rulebooks.rulebooks[max(place, 0)],))
        part = add_results(work_frame(rows.drop(_ROW, RULEBOOK)), only).select(*results)
        parts.append(part.collected().with_columns(rows[_ROW], rows[RULEBOOK]))
    return nw.concat(parts).sort(_ROW).drop(_ROW)
