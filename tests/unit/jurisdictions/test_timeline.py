"""Periods and timelines: half-open, one after the other, without a gap."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from holdback.jurisdictions.timeline import Period, Timeline, read_timeline
from holdback.jurisdictions.toml import read_toml

DAYS = st.dates(date(2024, 1, 1), date(2024, 2, 1))
PERIODS = st.builds(
    lambda start, length: Period(start, length and start + timedelta(days=length)),
    DAYS,
    st.none() | st.integers(1, 20),
)
EVERY_DAY = [date(2023, 12, 25) + timedelta(days=number) for number in range(90)]


def timeline(text):
    errors = []
    item = read_toml("a.toml", f"timeline = [{text}]".encode(), errors)
    read = read_timeline(item.table(("timeline",))["timeline"], lambda value: value.integer(0, 100))
    return read, [error.message for error in errors]


def entry(start, value, until=None):
    end = f"until = {until}, " if until else ""
    return f'{{ from = {start}, {end}value = {value}, source = "policy" }}'


@given(PERIODS, PERIODS)
def test_periods_overlap_when_they_share_a_day(one, other):
    """
    Timelines are half-open (decisions/jurisdiction-folders).
    """
    assert one.overlaps(other) == any(day in one and day in other for day in EVERY_DAY)
    assert one.overlaps(other) == other.overlaps(one)


@given(st.lists(DAYS, min_size=1, max_size=5, unique=True).map(sorted))
def test_every_day_from_the_first_on_has_the_value_of_the_last_entry(starts):
    """
    An entry holds until the next one begins.
    """
    read, errors = timeline(", ".join(entry(day, place) for place, day in enumerate(starts)))

    assert errors == []
    assert isinstance(read, Timeline)
    for day in EVERY_DAY:
        begun = [place for place, start in enumerate(starts) if start <= day]
        assert read.value_on(day) == (begun[-1] if begun else None)


def test_the_day_of_the_change_has_the_new_value():
    """
    A new value is in force on the day of the change.
    """
    read, _ = timeline(f"{entry('2024-01-01', 1)}, {entry('2024-01-15', 2, until='2024-02-01')}")

    assert read.value_on(date(2023, 12, 31)) is None
    assert read.value_on(date(2024, 1, 14)) == 1
    assert read.value_on(date(2024, 1, 15)) == 2
    assert read.value_on(date(2024, 1, 31)) == 2
    assert read.value_on(date(2024, 2, 1)) is None
    assert (read.start, read.end) == (date(2024, 1, 1), date(2024, 2, 1))


def test_an_end_may_be_written_where_the_next_begins():
    """
    `until` may say what `from` of the next entry says.
    """
    read, errors = timeline(
        f"{entry('2024-01-01', 1, until='2024-01-15')}, {entry('2024-01-15', 2)}"
    )

    assert errors == []
    assert read.value_on(date(2024, 1, 15)) == 2


def test_what_does_not_fit_is_said_of_every_entry():
    """
    A gap or an overlap is an error (decisions/jurisdiction-folders).
    """
    read, errors = timeline(
        f"{entry('2024-01-01', 1, until='2024-01-10')}, "
        f"{entry('2024-01-15', 2, until='2024-02-01')}, "
        f"{entry('2024-01-20', 3)}, {entry('2024-01-18', 4)}"
    )

    assert read is None
    assert errors == [
        "a gap: there is no value from 2024-01-10 until 2024-01-15",
        "an overlap: there are two values from 2024-01-20 until 2024-02-01",
        "2024-01-18 is not after 2024-01-20, the entry before",
    ]
