"""Timestamps: RFC 3339 and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pendulum
import pytest
from hypothesis import given
from hypothesis import strategies as st

from every_case import for_every
from holdback import InvalidDocument, wire

READ = {
    "2026-07-01T10:00:00Z": "2026-07-01T10:00:00Z",
    "2026-07-01t10:00:00z": "2026-07-01T10:00:00Z",
    "2026-07-01T10:00:00+00:00": "2026-07-01T10:00:00Z",
    "2026-07-01T10:00:00-00:00": "2026-07-01T10:00:00Z",
    "2026-07-01T12:30:00+02:30": "2026-07-01T10:00:00Z",
    "2026-06-30T23:00:00-11:00": "2026-07-01T10:00:00Z",
    "2026-07-01T10:00:00.5Z": "2026-07-01T10:00:00.500000Z",
    "2026-07-01T10:00:00.000001Z": "2026-07-01T10:00:00.000001Z",
    "2026-07-01T10:00:00.000Z": "2026-07-01T10:00:00Z",
    "0001-01-01T00:00:00Z": "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z": "9999-12-31T23:59:59.999999Z",
}
REFUSED = [
    "now",
    "10:30",
    "2026",
    "2026-W05",
    "2026-07-01",
    "20260701T100000Z",
    "2026-07-01T10:00:00",
    "2026-07-01 10:00:00Z",
    "2026-07-01T10:00Z",
    "2026-07-01T10:00:00.Z",
    "2026-07-01T10:00:00.1234567Z",
    "2026-07-01T10:00:00,5Z",
    "2026-07-01T10:00:60Z",
    "2026-07-01T24:00:00Z",
    "2026-02-29T10:00:00Z",
    "2026-13-01T10:00:00Z",
    "0000-01-01T00:00:00Z",
    "2026-07-01T10:00:00+25:00",
    "2026-07-01T10:00:00+02:60",
    "2026-07-01T10:00:00+0200",
    "2026-07-01T10:00:00+02",
    "2026-07-01T10:00:00 Z",
    " 2026-07-01T10:00:00Z",
    "2026-07-01T10:00:00Z\n",
    "\uff12\uff10\uff12\uff16-07-01T10:00:00Z",
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    "2026-07-01T10:00:00[Europe/London]",
    "",
    None,
    1_751_364_000,
    b"2026-07-01T10:00:00Z",
    pendulum.datetime(2026, 7, 1),
]


@for_every(("text", "utc"), READ.items())
def test_a_timestamp_is_read_as_an_instant_in_utc(text, utc):
    """
    An RFC 3339 timestamp is read as a `pendulum.DateTime` in UTC (decisions/wire).
    """
    read = wire.read_timestamp(text)

    assert type(read) is pendulum.DateTime
    assert read.tzinfo is pendulum.UTC
    assert wire.write_timestamp(read) == utc


@for_every("text", REFUSED, ids=repr)
def test_everything_else_is_refused(text):
    """
    Nothing is read that `pendulum.parse` would complete from the clock, such as `now` and `10:30`.
    """
    with pytest.raises(InvalidDocument) as caught:
        wire.read_timestamp(text, path="$.at")

    assert str(caught.value) == "$.at: expected an instant such as `2026-07-01T10:00:00Z`"
    assert caught.value.__context__ is None


@given(st.datetimes(timezones=st.just(UTC)))
def test_what_is_written_is_read_back(at):
    """
    Every instant to the microsecond has one text, which reads back as that instant.
    """
    assert wire.read_timestamp(wire.write_timestamp(at)) == at


def test_an_instant_of_another_zone_is_written_in_utc():
    """
    An instant is written as an RFC 3339 timestamp in UTC.
    """
    there = datetime(2026, 7, 1, 12, tzinfo=timezone(timedelta(hours=2)))

    assert wire.write_timestamp(there) == "2026-07-01T10:00:00Z"
    assert wire.write_timestamp(pendulum.datetime(2026, 7, 1, 11, tz="Europe/London")) == (
        "2026-07-01T10:00:00Z"
    )


def test_a_time_without_a_zone_is_not_written():
    """
    A naive time is not an instant.
    """
    with pytest.raises(ValueError, match="without a zone"):
        wire.write_timestamp(datetime(2026, 7, 1))
