"""What is in force when. Periods and timelines are half-open: a day belongs to one of them.

History is added to, never edited: a value that changes gets another entry with a later `from`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from datetime import date
from itertools import pairwise
from typing import Generic, TypeVar

from attrs import field, frozen

from holdback.toml.node import Item, Keys

_T = TypeVar("_T")


@frozen
class Period:
    """The days from `start` up to, and without, `end`; without end while that is None."""

    start: date
    end: date | None = None

    def __contains__(self, day: date) -> bool:
        return self.start <= day and (self.end is None or day < self.end)

    def overlaps(self, other: Period) -> bool:
        """
        Whether a day belongs to both.

        >>> Period(date(2024, 1, 1), date(2025, 1, 1)).overlaps(Period(date(2025, 1, 1)))
        False
        """
        return (other.end is None or self.start < other.end) and (
            self.end is None or other.start < self.end
        )

    @property
    def changes(self) -> Iterator[date]:
        """The days on which it begins and ends."""
        yield self.start
        if self.end is not None:
            yield self.end


def read_period(keys: Keys, default: Period | None = None) -> Period | None:
    """The period that the keys `from` and `until` give, those left out as in *default*."""
    start, end = keys["from"].day(), keys["until"].day()
    if keys["from"].absent and default is not None:
        start = default.start
    if keys["until"].absent and default is not None:
        end = default.end
    if start is None:
        return None
    if end is not None and end <= start:
        where = keys["from"] if keys["until"].absent else keys["until"]
        where.fault(
            f"a period from {start} until {end} has no day", "`until` is the first day after"
        )
        return None
    return Period(start, end)


@frozen
class Dated(Generic[_T]):
    """A value of a timeline, the period in which it holds, its source, and where it stands."""

    period: Period
    value: _T
    source: str
    item: Item | None = field(default=None, eq=False, repr=False)


@frozen
class Timeline(Generic[_T]):
    """
    A value through time: entries one after the other, without a gap.

    >>> kept = Timeline((Dated(Period(date(2024, 1, 1), date(2026, 7, 1)), 75, "policy"),))
    >>> kept.value_on(date(2026, 6, 30)), kept.value_on(date(2026, 7, 1))
    (75, None)
    """

    entries: tuple[Dated[_T], ...]

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
        """The value on *day*; None when there is none."""
        entry = self.entry_on(day)
        return None if entry is None else entry.value

    def entry_on(self, day: date) -> Dated[_T] | None:
        """The entry that holds on *day*; None when there is none."""
        place = bisect_right(self.entries, day, key=lambda entry: entry.period.start) - 1
        return self.entries[place] if place >= 0 and day in self.entries[place].period else None


def read_timeline(item: Item, read: Callable[[Item], _T | None]) -> Timeline[_T] | None:
    """
    The timeline in *item*, `[{ from, value, source }, ...]`; *read* reads a value.

    An entry holds until the next one begins. `until` may say so, and ends the last.
    """
    entries: list[tuple[Keys, Period, _T, str]] = []
    whole = True
    for entry in item.items():
        keys = entry.keys(("from", "value", "source"), ("until",))
        period, value = read_period(keys), read(keys["value"])
        source = keys["source"].text()
        if period is None or value is None or source is None:
            whole = False
        else:
            entries.append((keys, period, value, source))
    if not whole or not entries:
        if item.value == []:
            item.fault(
                "expected at least one entry", "`{ from = 2024-01-01, value = ..., source = ... }`"
            )
        return None
    if not _one_after_the_other(entries):
        return None
    ends = [following[1].start for following in entries[1:]] + [entries[-1][1].end]
    return Timeline(
        tuple(
            Dated(Period(period.start, end), value, source, keys.item)
            for (keys, period, value, source), end in zip(entries, ends, strict=True)
        )
    )


def _one_after_the_other(entries: list[tuple[Keys, Period, _T, str]]) -> bool:
    """Whether each entry begins where the one before ends; what does not is noted."""
    fine = True
    for (keys, before, *_), (after_keys, after, *_) in pairwise(entries):
        if after.start <= before.start:
            after_keys["from"].fault(
                f"{after.start} is not after {before.start}, the entry before",
                "entries stand in the order of their dates",
            )
        elif before.end is not None and before.end < after.start:
            keys["until"].fault(
                f"a gap: there is no value from {before.end} until {after.start}",
                "leave `until` out: an entry holds until the next one begins",
            )
        elif before.end is not None and before.end > after.start:
            keys["until"].fault(
                f"an overlap: there are two values from {after.start} until {before.end}",
                "leave `until` out: an entry holds until the next one begins",
            )
        else:
            continue
        fine = False
    return fine
