"""Periods and timelines: which value holds on which day. Both are half-open.

History is added to, never edited: a value that changes gets a new entry with a later `from`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from datetime import date
from itertools import pairwise
from typing import Final, Generic, TypeVar

from attrs import field

from holdback.errors import excerpt
from holdback.frozen_classes import frozen
from holdback.jurisdictions.keys import ENTRY
from holdback.jurisdictions.toml import Node, TomlTable

_T = TypeVar("_T")


@frozen
class Period:
    """The days from `start` up to, and without, `end`; all later days when `end` is None."""

    start: date
    end: date | None = None

    def __contains__(self, day: date) -> bool:
        return self.start <= day and (self.end is None or day < self.end)

    def overlaps(self, period: Period) -> bool:
        """Return whether a day belongs to both.

        >>> Period(date(2024, 1, 1), date(2025, 1, 1)).overlaps(Period(date(2025, 1, 1)))
        False
        """
        return (period.end is None or self.start < period.end) and (
            self.end is None or period.start < self.end
        )

    @property
    def changes(self) -> Iterator[date]:
        """The days on which it begins and ends."""
        yield self.start
        if self.end is not None:
            yield self.end


# As long as there are rules.
ALWAYS: Final = Period(date.min)


def read_period(table: TomlTable, default: Period | None = None) -> Period | None:
    """Return the period from the keys `from` and `until`, or *default* where they are absent."""
    start, end = table["from"].day(), table["until"].day()
    if table["from"].absent and default is not None:
        start = default.start
    if table["until"].absent and default is not None:
        end = default.end
    if start is None:
        return None
    if end is not None and end <= start:
        where = table["from"] if table["until"].absent else table["until"]
        where.add_error(
            "contradiction",
            f"a period from {start} until {end} has no day",
            "`until` is the first day after",
        )
        return None
    return Period(start, end)


@frozen
class TimelineEntry(Generic[_T]):
    """A value of a timeline, the period in which it holds, its source, and its node."""

    period: Period
    value: _T
    source: str
    node: Node | None = field(default=None, eq=False, repr=False)


@frozen
class Timeline(Generic[_T]):
    """A value over time: consecutive entries without a gap.

    >>> pace = Timeline(
    ...     (TimelineEntry(Period(date(2024, 1, 1), date(2026, 7, 1)), 75, "policy"),)
    ... )
    >>> pace.value_on(date(2026, 6, 30)), pace.value_on(date(2026, 7, 1))
    (75, None)
    """

    entries: tuple[TimelineEntry[_T], ...]

    @property
    def start(self) -> date:
        """The first day with a value."""
        return self.entries[0].period.start

    @property
    def end(self) -> date | None:
        """The first day without a value after the last entry, if there is one."""
        return self.entries[-1].period.end

    @property
    def changes(self) -> Iterator[date]:
        """The days on which the value changes."""
        return (day for entry in self.entries for day in entry.period.changes)

    def value_on(self, day: date) -> _T | None:
        """Return the value on *day*; None when there is none."""
        entry = self.entry_on(day)
        return None if entry is None else entry.value

    def entry_on(self, day: date) -> TimelineEntry[_T] | None:
        """Return the entry in force on *day*; None when there is none."""
        place = bisect_right(self.entries, day, key=lambda entry: entry.period.start) - 1
        return self.entries[place] if place >= 0 and day in self.entries[place].period else None


def read_timeline(node: Node, read: Callable[[Node], _T | None]) -> Timeline[_T] | None:
    """Return the timeline in *node*, `[{ from, value, source }, ...]`; *read* reads a value.

    An entry holds until the next one begins. `until` may state that date, and ends the last entry.
    """
    entries: list[tuple[TomlTable, Period, _T, str]] = []
    valid = True
    if not node.absent and not isinstance(node.value, list):
        node.add_type_error("an array", f"write `{_as_timeline(node.value)}`")
        return None
    for element in node.elements():
        table = ENTRY.table(element)
        period, value = read_period(table), read(table["value"])
        source = ENTRY.value(table, "source")
        if period is None or value is None or source is None:
            valid = False
        else:
            entries.append((table, period, value, source))
    if not valid or not entries:
        if node.value == []:
            node.add_error(
                "missing",
                "expected at least one entry",
                "`{ from = 2024-01-01, value = ..., source = ... }`",
            )
        return None
    if not _are_consecutive(entries):
        return None
    ends = [following[1].start for following in entries[1:]] + [entries[-1][1].end]
    return Timeline(
        tuple(
            TimelineEntry(Period(period.start, end), value, source, table.node)
            for (table, period, value, source), end in zip(entries, ends, strict=True)
        )
    )


def _as_timeline(value: object) -> str:
    """Return how to write one *value*, or one entry, as a timeline."""
    if isinstance(value, dict):
        return "[{ from = ..., value = ..., source = ... }]"
    written = f'"{excerpt(value)}"' if isinstance(value, str) else str(value).lower()
    return f'[{{ from = 2024-01-01, value = {written}, source = "..." }}]'


def _are_consecutive(entries: list[tuple[TomlTable, Period, _T, str]]) -> bool:
    """Return whether each entry begins where the one before it ends, adding errors where not."""
    valid = True
    for (table, before, *_), (next_table, after, *_) in pairwise(entries):
        if after.start <= before.start:
            next_table["from"].add_error(
                "contradiction",
                f"{after.start} is not after {before.start}, the entry before",
                "write the entries in the order of their dates",
            )
        elif before.end is not None and before.end < after.start:
            table["until"].add_error(
                "missing",
                f"a gap: there is no value from {before.end} until {after.start}",
                "leave `until` out: an entry holds until the next one begins",
            )
        elif before.end is not None and before.end > after.start:
            table["until"].add_error(
                "contradiction",
                f"an overlap: there are two values from {after.start} until {before.end}",
                "leave `until` out: an entry holds until the next one begins",
            )
        else:
            continue
        valid = False
    return valid
