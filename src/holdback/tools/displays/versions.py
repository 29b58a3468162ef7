"""What holds from which day on: the versions of each thing in rulebooks that follow each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias

# Something in force, by group and name, with its version, which is compared, and what it says.
Cell: TypeAlias = tuple[tuple[str, str], tuple[object, str]]


def versions(
    rulebooks: Sequence[Any], columns: Sequence[Mapping[tuple[str, str], tuple[object, str]]]
) -> Iterator[Mapping[str, Any]]:
    """
    Yield what holds from which day on in *rulebooks*, one after the other, as records.

    *columns* are what is in force in each. A record has `group`, `name`, `value`, `since` and
    `until`, None for the last. A version that has the value of the one right before it is marked.
    """
    ends = [*(rulebook.since for rulebook in rulebooks[1:]), None]
    for group, name in dict.fromkeys(key for column in columns for key in column):
        cells = zip((column.get((group, name)) for column in columns), rulebooks, ends, strict=True)
        before = None
        # A version holds over all neighbouring rulebooks that have the same cell; None has none.
        for cell, run in groupby(cells, key=lambda line: line[0]):
            periods, value = list(run), None if cell is None else cell[1]
            if value is not None:
                yield {
                    "group": group,
                    "name": name,
                    "value": f"{value}, changed" if value == before else value,
                    "since": periods[0][1].since,
                    "until": periods[-1][2],
                }
            before = value
