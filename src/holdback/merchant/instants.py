"""Instants in UTC, and the local dates on which jurisdictions decide."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Final

import pendulum
from pendulum import DateTime

from holdback.errors import InvalidDocument

# The bounds keep every term and every expiry within the calendar of `datetime`.
FIRST_YEAR: Final = 1970
END_YEAR: Final = 3000


def as_instant(value: datetime, path: str = "$.at") -> DateTime:
    """
    Return *value*, a datetime with a time zone, as an instant in UTC.

    Raises:
        InvalidDocument: *value* has no time zone, or lies outside the years 1970 to 2999.
    """
    return _instant(value, path)


def _instant(value: object, path: str) -> DateTime:
    # An instant in UTC is asked for no offset, which pendulum works out each time.
    if not isinstance(value, datetime) or (
        value.tzinfo is not pendulum.UTC and value.utcoffset() is None
    ):
        message = "expected an instant with a time zone"
        raise InvalidDocument.of("wrong_type", message, path=path)
    if not FIRST_YEAR <= value.year < END_YEAR:
        message = f"expected an instant from {FIRST_YEAR} on and before {END_YEAR}"
        raise InvalidDocument.of("out_of_range", message, path=path)
    if isinstance(value, DateTime) and value.tzinfo is pendulum.UTC:
        return value
    return utc(value.astimezone(UTC))


def utc(value: datetime) -> DateTime:
    """Return *value*, a datetime in UTC, as pendulum's `DateTime`."""
    return DateTime(
        value.year,
        value.month,
        value.day,
        value.hour,
        value.minute,
        value.second,
        value.microsecond,
        tzinfo=pendulum.UTC,
    )


def local_date(at: DateTime, zone: pendulum.Timezone | pendulum.FixedTimezone) -> date:
    """Return the date of the instant *at* in the time zone *zone*."""
    # The standard library's conversion: pendulum's own is many times slower.
    moment = datetime(at.year, at.month, at.day, at.hour, at.minute, at.second, tzinfo=UTC)
    return moment.astimezone(zone).date()


def start_of_day(day: date, zone: pendulum.Timezone | pendulum.FixedTimezone) -> DateTime:
    """Return the instant at which *day* begins in *zone*, within the years of instants."""
    day = min(max(day, date(FIRST_YEAR, 1, 2)), date(END_YEAR - 1, 12, 30))
    return utc(datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC))


def plus(at: DateTime, duration: timedelta) -> DateTime:
    """Return the instant *duration* after *at*."""
    # The standard library's arithmetic: pendulum's own is many times slower.
    moment = datetime.combine(at.date(), at.time(), UTC)
    return utc(moment + duration)


def elapsed(since: DateTime, until: DateTime) -> timedelta:
    """Return the duration from *since* to *until*."""
    return datetime.combine(until.date(), until.time()) - datetime.combine(
        since.date(), since.time()
    )
