"""Columns of texts and objects are read in Polars as `read_values` reads them one by one."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
from hypothesis import example, given, settings
from hypothesis import strategies as st

from counts import count
from holdback.exact.money import Currency
from holdback.portfolio.reading.single_values import GIVEN, NUMBER, read_column, read_values
from holdback.rules import Fact, Kind, Type

GBP = Currency.of("GBP")
FACTS = (
    Fact(name="part", type=Type(Kind.PERCENT), low=0, high=100_0000, rounded_down=True),
    Fact(name="split", type=Type(Kind.PERCENT), low=-100_0000, high=400_0000),
    Fact(name="amount", type=Type(Kind.MONEY, GBP), low=-(10**12), high=10**12),
    Fact(name="yen", type=Type(Kind.MONEY, Currency.of("JPY")), low=0, high=10**12),
    Fact(name="ratio", type=Type(Kind.RATIO), low=-(2**62), high=2**62),
    Fact(name="count", type=Type(Kind.COUNT), low=0, high=30),
    Fact(name="days", type=Type(Kind.DAYS), low=-400, high=36_600),
    Fact(name="day", type=Type(Kind.DATE), low=1, high=dt.date.max.toordinal()),
    Fact(name="flag", type=Type(Kind.FLAG), low=0, high=1),
    Fact(name="status", type=Type(Kind.TEXT, options=("Funded", "Repaid")), low=0, high=1),
)
DIGITS = st.from_regex(r"\A[-+ ]?[0-9_ ,]{0,20}([.,][0-9]{0,20})?(e[0-9]{1,2})?[%\n ]?\Z")
WRITTEN = st.sampled_from([
    "64.5%", "64.5", "64.12345", "-0", "-0.00%", "007", ".5", "5.", "1e3", "1_000", "1,5", "", "%",
    "GBP 12.50", "USD 1", "21 days", "1 day", "2026-03-01", "0000-01-01", "2026-02-30", "True",
    "FALSE", "nan", "NaN", "inf", "Infinity", "٣", "３", "5\n", " 5", "5 ", "12.0", "12.00000000",
    "999999999999.9999", "1000000000000", "9" * 29, "0." + "1" * 30, "Funded", "funded", "0x10",
])  # fmt: skip
TEXTS = st.one_of(
    DIGITS,
    WRITTEN,
    st.text(max_size=6),
    st.decimals(-(10**13), 10**13, places=4).map(str),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
)
OBJECTS = st.one_of(
    TEXTS,
    st.none(),
    st.decimals(),
    st.decimals(-1000, 1000, places=2),
    st.integers(),
    st.integers(-100, 100),
    st.booleans(),
    st.dates(),
    st.datetimes(),
    st.datetimes(timezones=st.just(dt.UTC)),
    st.floats(),
    st.binary(max_size=3),
    st.sampled_from(
        [math.nan, np.float64("nan"), np.float64(1.5), np.int64(3), np.bool_(True), pd.NA, pd.NaT]
    ),
    st.sampled_from([[], {}, 1j, Decimal("sNaN"), Decimal("1E-30"), Decimal("1E+40"), 2**70]),
    st.builds(pd.Timestamp, st.dates(dt.date(1970, 1, 1), dt.date(2100, 1, 1))),
)
# Mostly of one type, as columns are.
COLUMNS = st.one_of(
    st.lists(OBJECTS, max_size=12),
    *(
        st.lists(each | st.none(), min_size=1, max_size=30)
        for each in (
            st.decimals(-1000, 1000, places=4),
            st.decimals(-1000, 1000, places=4) | st.integers(-100, 100) | st.decimals(),
            st.booleans(),
            st.dates(),
            st.integers(),
        )
    ),
    st.lists(st.decimals(-1000, 1000, places=4) | OBJECTS, min_size=1, max_size=30),
)


def plain(column, fact):
    return read_column(column, fact).select(NUMBER, GIVEN).rows()


@settings(max_examples=count("columns of texts and of objects"))
@given(st.sampled_from(FACTS), st.lists(TEXTS | st.none(), max_size=30))
def test_texts_are_read_as_one_by_one(fact, values):
    """Each text has the number that `read_values` gives it."""
    column = nw.from_native(pl.Series(fact.name, values, pl.String), series_only=True)
    assert plain(column, fact) == read_values(values, fact)


@settings(max_examples=count("columns of texts and of objects"))
@example(FACTS[0], [Decimal("-7.8976869067954348099458E-21")])  # which PyArrow reads as 0
@given(st.sampled_from(FACTS), COLUMNS)
def test_objects_are_read_as_one_by_one(fact, values):
    """Each object has the number that `read_values` gives it."""
    column = nw.from_native(pd.Series(values, dtype=object, name=fact.name), series_only=True)
    assert plain(column, fact) == read_values(column.to_list(), fact)
