"""Facts that Python hands in: midnights, NumPy's scalars and whole floats."""

from __future__ import annotations

from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import pytest

from every_case import for_every
from holdback import load_jurisdictions
from holdback.rules import Kind, Type

DAY = date(2026, 7, 1)
READ = [
    (Kind.DATE, datetime(2026, 7, 1), DAY.toordinal()),
    (Kind.DATE, pd.Timestamp("2026-07-01"), DAY.toordinal()),
    (Kind.DATE, np.datetime64("2026-07-01"), DAY.toordinal()),
    (Kind.DATE, np.datetime64("2026-07-01T00:00:00.000000000"), DAY.toordinal()),
    (Kind.DATE, "2026-07-01", DAY.toordinal()),
    (Kind.COUNT, np.int64(3), 3),
    (Kind.COUNT, 3.0, 3),
    (Kind.DAYS, np.float64(231), 231),
    (Kind.DAYS, np.int16(21), 21),
    (Kind.FLAG, np.bool_(True), 1),
    (Kind.PERCENT, np.int32(64), 640000),
    *((kind, missing, None) for kind in (Kind.DATE, Kind.COUNT, Kind.PERCENT)
      for missing in (pd.NaT, pd.NA, float("nan"), np.float64("nan"))),
]  # fmt: skip
REFUSED = [
    (Kind.DATE, datetime(2026, 7, 1, 9)),
    (Kind.DATE, datetime(2026, 7, 1, tzinfo=UTC)),
    (Kind.DATE, pd.Timestamp("2026-07-01", tz="UTC")),
    (Kind.DATE, pd.Timestamp("2026-07-01") + pd.Timedelta(1, "ns")),
    (Kind.DATE, np.datetime64("2026-07-01T09")),
    (Kind.DATE, "2026-07-01 00:00:00"),
    (Kind.DATE, np.int64(3)),
    (Kind.COUNT, 3.5),
    (Kind.COUNT, 1e300),
    (Kind.COUNT, float("inf")),
    (Kind.COUNT, np.bool_(True)),
    (Kind.COUNT, "3"),
    (Kind.PERCENT, 64.0),
    (Kind.PERCENT, np.float64(64)),
    (Kind.PERCENT, np.float32(64)),
    (Kind.FLAG, np.int64(1)),
    (Kind.FLAG, "true"),
]


@for_every("kind, value, number", READ)
def test_a_value_of_a_library_is_read(kind, value, number):
    """
    Dates as text, `Timestamp` and midnights are taken where a date is; so are NumPy's scalars, and
    whole floats for counts and days.
    """
    assert Type(kind).read(value) == number


@for_every("kind, value", REFUSED)
def test_what_has_more_than_one_meaning_is_refused(kind, value):
    """
    A time of day, an instant, and a float for a percentage are refused.
    """
    with pytest.raises(ValueError, match=r"expected|exact|most"):
        Type(kind).read(value)


def test_a_rulebook_takes_them():
    """
    `Rulebook.assess` reads a row of a dataframe with its own scalars.
    """
    rulebook = load_jurisdictions().resolve("GB", on=DAY)
    plain = dict(load_jurisdictions()["GB"].typical["renewal"])
    plain["days_since_funding"], plain["credit_checked_on"] = 150, DAY
    row = {**plain, "days_since_funding": np.float64(150), "credit_checked_on": pd.Timestamp(DAY)}
    assert rulebook.assess(row) == rulebook.assess(plain)
