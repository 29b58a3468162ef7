"""
A frame in memory, split by the rulebooks of its rows.

Over a lazy frame, one long expression covers all rulebooks. In memory it is faster to see which
rulebooks occur and to evaluate each on its own rows only; `benchmarks/in_memory.py` measures it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import reduce
from operator import or_
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import evolve

from holdback.jurisdictions.rulebook import Rulebook
from holdback.portfolio.assessing.outcome_columns import PREFIX, RULEBOOK
from holdback.portfolio.assessing.row_rulebooks import RowRulebooks
from holdback.portfolio.reading.work_frame import (
    WorkFrame,
    collected_together,
    without_index,
    work_frame,
)

_ROW: Final = f"{PREFIX}row"
_NONE: Final = -1

AddResults = Callable[[WorkFrame, RowRulebooks], WorkFrame]
# The columns that the rules of a rulebook read.
ColumnsRead = Callable[[Rulebook], Collection[str]]


def split_by_rulebook(
    work: WorkFrame,
    rulebooks: RowRulebooks,
    results: Collection[str],
    columns_read: ColumnsRead,
    add_results: AddResults,
) -> nw.DataFrame[Any]:
    """
    Return the columns *results* and `RULEBOOK` of every row of *work*, in order.

    *add_results* computes them for the rows of one rulebook, from *columns_read* of it. Rows of
    rulebooks with the same rules go through one of them. Rows without a rulebook are invalid under
    any, so they go through the first that occurs.
    """
    frame = work.collected([name for name in work.columns if not name.startswith(PREFIX)])
    chosen = frame[RULEBOOK].cast(nw.Int64).fill_null(_NONE)
    # A frame without rows goes through as well: its result has the same columns.
    alike = _alike(rulebooks.rulebooks, sorted(chosen.unique().to_list()) or [_NONE])
    there = [frame[name] for name in results if name in frame.columns]
    wanted = [name for name in results if name not in frame.columns]
    if len(alike) > 1:
        frame = frame.with_row_index(_ROW)
        own = [reduce(or_, [chosen == place for place in places]) for _, places in alike]
        parts = _parts(frame, own, [{_ROW, *columns_read(rulebook)} for rulebook, _ in alike])
        wanted.append(_ROW)
    else:
        parts = [frame.drop(RULEBOOK)]
    answered = collected_together(
        [
            add_results(work_frame(part), evolve(rulebooks, rulebooks=(rulebook,))).select(*wanted)
            for part, (rulebook, _) in zip(parts, alike, strict=True)
        ]
    )
    answers = nw.concat(answered)
    if len(alike) > 1:
        # Scattered to where they say, the numbers of rows say where rows are; sorting is slower.
        rows = answers[_ROW]
        answers = answers.drop(_ROW)[rows.scatter(rows, frame[_ROW])]
    return answers.with_columns(chosen, *there)


def _alike(
    rulebooks: Sequence[Rulebook], places: Sequence[int]
) -> Sequence[tuple[Rulebook, list[int]]]:
    """Rulebooks of different rules, each with the *places* of those that have the same rules."""
    alike: dict[object, tuple[Rulebook, list[int]]] = {}
    first = next((place for place in places if place != _NONE), 0)
    for place in places:
        rulebook = rulebooks[first if place == _NONE else place]
        rules = tuple((rule.code, rule.checked, rule.otherwise) for rule in rulebook.renewal.rules)
        facts = tuple(fact.name for fact in rulebook.catalogue.facts)
        _, own = alike.setdefault((rules, facts), (rulebook, []))
        own.append(place)
    return list(alike.values())


def _parts(
    frame: nw.DataFrame[Any], own: Sequence[Any], read: Sequence[Collection[str]]
) -> Sequence[nw.DataFrame[Any]]:
    """The rows of *frame* in each mask of *own*, with the columns *read* of each."""
    parts: list[dict[str, Any]] = [{} for _ in own]
    # Column by column, so that each is in the caches while its rows are picked.
    for column in frame.iter_columns():
        for rows, names, part in zip(own, read, parts, strict=True):
            if column.name in names:
                part[column.name] = column.filter(rows)
    return [without_index(nw.from_dict(part)) for part in parts]
