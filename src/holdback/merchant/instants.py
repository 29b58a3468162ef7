"""Instants in UTC, and the local dates on which jurisdictions decide."""

from __future__ import annotations

import re
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


# -- Instants and days as text: RFC 3339 in, RFC 3339 in UTC out.
#
# `pendulum.parse` is not used on data: it accepts `now` and `10:30`, for which it reads the clock.

INSTANT_EXPECTED: Final = "expected an instant such as `2026-07-01T10:00:00Z`"
DAY_EXPECTED: Final = "expected a day such as `2026-07-01`"

# The largest offset that RFC 3339 allows.
_LAST_HOUR: Final = 23
_LAST_MINUTE: Final = 59
_INSTANT: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,6}))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)


def read_timestamp(text: str, *, path: str = "$") -> DateTime:
    """
    Return the instant of an RFC 3339 timestamp, in UTC; a fraction has at most six digits.

    >>> read_timestamp("2026-07-01T12:30:00+02:00").isoformat()
    '2026-07-01T10:30:00+00:00'

    Raises:
        InvalidDocument: *text* is anything else, such as `now`, a date or a local time.
    """
    try:
        return instant(text)
    except ValueError:
        pass
    code = "wrong_value" if isinstance(text, str) else "wrong_type"
    raise InvalidDocument.of(code, INSTANT_EXPECTED, path=path)


def write_timestamp(value: datetime) -> str:
    """
    Return *value* as an RFC 3339 timestamp in UTC; a fraction of zero is left out.

    >>> write_timestamp(pendulum.datetime(2026, 7, 1, 10))
    '2026-07-01T10:00:00Z'
    """
    if value.tzinfo is None:
        raise ValueError("a time without a zone is not an instant")
    # Nearly every instant is in UTC already, and pendulum takes its time to convert and to write.
    at = value if value.tzinfo is pendulum.UTC else value.astimezone(UTC)
    time = at.hour, at.minute, at.second, at.microsecond
    moment = datetime(at.year, at.month, at.day, *time, tzinfo=UTC)
    return moment.isoformat().replace("+00:00", "Z")


def instant(text: object) -> DateTime:
    """Return the instant written in *text*, or raise `ValueError`."""
    match = _INSTANT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(INSTANT_EXPECTED)
    *numbers, fraction, sign, hours, minutes = match.groups()
    year, month, day, hour, minute, second = map(int, numbers)
    micros = int((fraction or "0").ljust(6, "0"))
    if sign is None:
        return DateTime(year, month, day, hour, minute, second, micros, tzinfo=pendulum.UTC)
    if int(hours) > _LAST_HOUR or int(minutes) > _LAST_MINUTE:
        raise ValueError(INSTANT_EXPECTED)
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    local = datetime(year, month, day, hour, minute, second, micros, tzinfo=UTC)
    try:
        moment = local - offset if sign == "+" else local + offset
    except OverflowError:
        raise ValueError(INSTANT_EXPECTED) from None
    return utc(moment)


def calendar_day(text: object) -> date:
    """Return the day written in *text* as `YYYY-MM-DD`, or raise `ValueError`."""
    # Of the forms that `fromisoformat` reads, only this one has hyphens in these places.
    if not isinstance(text, str) or not text[4:5] == text[7:8] == "-":
        raise ValueError(DAY_EXPECTED)
    return date.fromisoformat(text)
