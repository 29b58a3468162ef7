"""Instants and days as text: RFC 3339 in, RFC 3339 in UTC out.

`pendulum.parse` is never used on data: it accepts `now` and `10:30`, and reads the clock for them.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final

import pendulum
from pendulum import DateTime

from holdback.errors import InvalidDocument

INSTANT_EXPECTED: Final = "expected an instant such as `2026-07-01T10:00:00Z`"
DAY_EXPECTED: Final = "expected a day such as `2026-07-01`"

_INSTANT: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,6}))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_timestamp(text: object, *, path: str = "$") -> DateTime:
    """
    The instant written as an RFC 3339 timestamp, in UTC. A fraction has at most six digits.

    >>> read_timestamp("2026-07-01T12:30:00+02:00").isoformat()
    '2026-07-01T10:30:00+00:00'

    Raises:
        InvalidDocument: when *text* is anything else, such as `now`, a date or a local time.
    """
    try:
        return instant(text)
    except ValueError:
        pass
    raise InvalidDocument.of(INSTANT_EXPECTED, path=path)


def write_timestamp(value: datetime) -> str:
    """
    *value* as an RFC 3339 timestamp in UTC; a fraction is written only when it is not zero.

    >>> write_timestamp(pendulum.datetime(2026, 7, 1, 10))
    '2026-07-01T10:00:00Z'
    """
    if value.tzinfo is None:
        raise ValueError("a time without a zone is not an instant")
    if value.tzinfo is not pendulum.UTC:
        value = datetime.astimezone(value, UTC)
    micros = value.microsecond
    fraction = f".{micros:06d}" if micros else ""
    return (
        f"{value.year:04d}-{value.month:02d}-{value.day:02d}"
        f"T{value.hour:02d}:{value.minute:02d}:{value.second:02d}{fraction}Z"
    )


def instant(text: object) -> DateTime:
    """The instant written in *text*; `ValueError` when it is not one."""
    match = _INSTANT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(INSTANT_EXPECTED)
    *figures, fraction, sign, hours, minutes = match.groups()
    year, month, day, hour, minute, second = map(int, figures)
    micros = int((fraction or "0").ljust(6, "0"))
    if sign is None:
        return DateTime(year, month, day, hour, minute, second, micros, tzinfo=pendulum.UTC)
    if int(hours) > 23 or int(minutes) > 59:
        raise ValueError(INSTANT_EXPECTED)
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    local = datetime(year, month, day, hour, minute, second, micros, tzinfo=UTC)
    try:
        utc = local - offset if sign == "+" else local + offset
    except OverflowError:
        raise ValueError(INSTANT_EXPECTED) from None
    return DateTime(
        utc.year, utc.month, utc.day, utc.hour, utc.minute, utc.second, micros, tzinfo=pendulum.UTC
    )


def calendar_day(text: object) -> date:
    """The day written in *text* as `YYYY-MM-DD`; `ValueError` when it is not one."""
    if not isinstance(text, str) or _DAY.fullmatch(text) is None:
        raise ValueError(DAY_EXPECTED)
    return date.fromisoformat(text)
