"""Columns of types that only some frames have: objects, texts for numbers, wide integers."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from attrs import evolve
from expected_values import INVALID, expected_value
from frame_results import columns_of
from plain_column_cases import FACTS, GBP, HUGE, WORDS
from prepared_row_cases import rulebook

from holdback.exact.money import Money
from holdback.portfolio import prepare
from holdback.rules import Catalogue, Kind, check, parse

NAMED = {fact.name: fact for fact in FACTS}
NUMERIC = [fact for fact in FACTS if fact.type.kind not in (Kind.TEXT, Kind.FLAG, Kind.DATE)]


def book_of(facts):
    """A rulebook with *facts* and progress, whose one rule reads progress."""
    known = Catalogue(facts=(NAMED["progress"], *facts), currency=GBP)
    return rulebook(known, [check(parse("progress >= 60%"), known)])


def read(frame, facts):
    """What `prepare` reads in the columns of *facts*: numbers, None for unknown, or `INVALID`."""
    names = [fact.name for fact in facts]
    *found, masks = columns_of(prepare(frame, book_of(facts)), *names, "invalid")
    return [
        [
            INVALID if mask >> place & 1 else number
            for number, mask in zip(numbers, masks, strict=True)
        ]
        for place, numbers in enumerate(found, start=1)
    ]


def numbered(facts):
    """*facts* under names of their own."""
    return [evolve(fact, name=f"of_{fact.name}") for fact in facts]


# -- objects and texts

TEXTS = [
    "64.5%", "64.5", "64.12345", "64.12345%", " 64.5", "64,5",
    "1,200.00", "GBP 1200.00", "JPY 7", "-5", "+5",
    "1e3", "",
    "nan", "21 days", "1 day", "007", "0", "-0", "99999999999999999999999999999",
    "2026-03-01", "true",
    "100.0000000", "٣",
]  # fmt: skip
OBJECTS = [
    *TEXTS,
    None,
    math.nan,
    Decimal("NaN"),
    Decimal("sNaN"),
    Decimal("Infinity"),
    Decimal("-0"),
    Decimal("64.5"),
    Decimal("64.12345"),
    Decimal("3.00"),
    Decimal("3.5"),
    Decimal(HUGE),
    Decimal("1E+40"),
    HUGE,
    HUGE - 1,
    -HUGE,
    HUGE + 1,
    2**70,
    0,
    1,
    30,
    31,
    True,
    False,
    np.int64(12),
    np.uint8(200),
    Money.parse("GBP 12.34"),
    Money.parse("JPY 12"),
    dt.date(2026, 3, 1),
    dt.datetime(2026, 3, 1, tzinfo=dt.UTC),
    dt.datetime(2026, 3, 1, 0, 0, 1),
    [],
    {},
    b"5",
    1j,
    "Funded",
    "O'Brien",
    "y",
]  # fmt: skip


def column_of(values, kind):
    """The frame with *values* in a column of objects for each fact."""
    facts = numbered(FACTS)
    progress = [Decimal("64.5")] * len(values)
    if kind == "pandas":
        data = {fact.name: pd.Series(values, dtype=object) for fact in facts}
        return facts, pd.DataFrame({"progress": progress, **data})
    data = {fact.name: pl.Series(values, dtype=pl.Object) for fact in facts}
    return facts, pl.DataFrame({"progress": progress, **data})


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_objects_are_read_as_they_stand(kind):
    """
    A column of Python objects is read value by value, as in a facts document.
    """
    values = [*OBJECTS, pd.NA, pd.NaT] if kind == "pandas" else OBJECTS
    facts, frame = column_of(values, kind)
    for fact, found in zip(facts, read(frame, facts), strict=True):
        expected = [expected_value(fact, value) for value in values]
        assert found == expected, fact.name


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_float_among_objects_is_read_by_the_rule(kind):
    """
    A float among objects is read by the rule of floats, as in a column of floats.
    """
    values = [64.5, 3.0, np.float64(3), 0.1 + 0.2, math.inf, None]
    facts, frame = column_of([*values, np.float32(64.5)], kind)
    for fact, (*found, narrow) in zip(facts, read(frame, facts), strict=True):
        assert found == [expected_value(fact, value) for value in values], fact.name
        assert narrow == INVALID, fact.name


@pytest.mark.parametrize("kind", ["pandas", "pandas string", "pandas arrow", "polars", "pyarrow"])
def test_texts_are_read_as_in_a_facts_document(kind):
    """
    Texts in a frame in memory are read by `Fact.read`.
    """
    values = [*TEXTS, None, "Funded", "Café"]
    facts = numbered(fact for fact in FACTS if fact.type.kind is not Kind.FLAG)
    table = pa.table(
        {
            "progress": pa.array([Decimal("64.5")] * len(values)),
            **{fact.name: pa.array(values, pa.string()) for fact in facts},
        }
    )
    frame = {
        "pandas": table.to_pandas,
        "pandas string": lambda: table.to_pandas().astype({f.name: "string" for f in facts}),
        "pandas arrow": lambda: table.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": lambda: pl.from_arrow(table),
        "pyarrow": lambda: table,
    }[kind]()
    for fact, found in zip(facts, read(frame, facts), strict=True):
        assert found == [expected_value(fact, value) for value in values], fact.name


def test_flags_among_objects():
    """
    pandas has no NumPy type for true, false and missing, so such flags are objects.
    """
    values = [True, None, False, math.nan, pd.NA, 1, 0, "true", 1.0]
    (fact,) = numbered([NAMED["verified"]])
    frame = pd.DataFrame({"progress": 64, fact.name: pd.Series(values, dtype=object)})
    assert read(frame, [fact]) == [[1, None, 0, None, None, INVALID, INVALID, 1, INVALID]]


# -- instants of pandas


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("arrow", [False, True], ids=["numpy", "arrow"])
def test_instants_of_pandas(unit, arrow):
    """
    A midnight without a time zone is a day, any other instant is invalid, and NaT is unknown.
    """
    facts = numbered([NAMED["checked_on"], NAMED["any_day"]])
    day = pd.Timestamp("2026-03-01").as_unit(unit)
    beside = day + pd.Timedelta(1, unit)
    series = pd.Series([day, beside, pd.NaT, day]).astype(f"datetime64[{unit}]")
    if arrow:
        series = series.astype(pd.ArrowDtype(pa.timestamp(unit)))
    number = dt.date(2026, 3, 1).toordinal()
    frame = pd.DataFrame({"progress": 64, **{fact.name: series for fact in facts}})
    assert read(frame, facts) == [[number, INVALID, None, number]] * 2


# -- wider numbers, and types of one engine

WIDE = [
    0,
    1,
    -1,
    30,
    HUGE - 1,
    HUGE,
    HUGE + 1,
    -HUGE,
    -HUGE - 1,
    2**63,
    2**64,
    10**37,
    1 - 10**37,
    None,
]


@pytest.mark.parametrize("name", ["HUGEINT", "UHUGEINT", "Int128", "UInt128", "UInt128 lazy"])
def test_whole_numbers_of_128_bits(name):
    """
    DuckDB sums integers in 128 bits.
    """
    values = [v for v in WIDE if v is None or v >= 0] if name.startswith("U") else WIDE
    facts = numbered(NUMERIC)
    types = {fact.name: pa.decimal128(38, 0) for fact in facts}
    table = pa.table(
        {
            "progress": pa.array([64] * len(values)),
            **{
                name: pa.array([v and Decimal(v) for v in values], type_)
                for name, type_ in types.items()
            },
        }
    )
    if "Int" in name:
        dtype = getattr(pl, name.split()[0])
        frame = pl.from_arrow(table).with_columns(pl.col(list(types)).cast(dtype))
        frame = frame.lazy() if "lazy" in name else frame
    else:
        casts = ", ".join(f"CAST({each} AS {name}) AS {each}" for each in types)
        frame = duckdb.from_arrow(table).project(f"progress, {casts}")
    for fact, found in zip(facts, read(frame, facts), strict=True):
        assert found == [expected_value(fact, value) for value in values], fact.name


@pytest.mark.parametrize("name", ["polars", "polars lazy", "pandas", "duckdb", "pyarrow"])
def test_texts_of_a_closed_set(name):
    """
    Enum, ENUM, categorical and dictionary columns are texts.
    """
    (fact,) = numbered([NAMED["status"]])
    values = [*WORDS, "other", None]
    texts = [text for text in values if text is not None]
    table = pa.table({"progress": [64] * len(values), fact.name: pa.array(values)})
    frame = {
        "polars": lambda: pl.from_arrow(table).with_columns(pl.col(fact.name).cast(pl.Enum(texts))),
        "polars lazy": lambda: pl.LazyFrame(table.to_pydict()).with_columns(
            pl.col(fact.name).cast(pl.Enum(texts))
        ),
        "pandas": lambda: table.to_pandas().astype({fact.name: "category"}),
        "duckdb": lambda: _as_enum(table, fact.name, texts),
        "pyarrow": lambda: table.set_column(1, fact.name, table[fact.name].dictionary_encode()),
    }[name]()
    assert read(frame, [fact]) == [[expected_value(fact, value) for value in values]]


def _as_enum(table, name, texts):
    quoted = ", ".join("'" + text.replace("'", "''") + "'" for text in texts)
    return duckdb.from_arrow(table).project(f"progress, CAST({name} AS ENUM({quoted})) AS {name}")


def test_days_of_duckdb_without_end():
    """
    DuckDB has infinite dates, which no facts document has.
    """
    (fact,) = numbered([NAMED["any_day"]])
    frame = duckdb.sql(
        f"SELECT 64 AS progress, d AS {fact.name} FROM (VALUES ('infinity'::DATE), "
        "('-infinity'::DATE), "
        "('0044-03-15 (BC)'::DATE), ('9999-12-31'::DATE), (NULL)) AS days(d)"
    )
    assert read(frame, [fact]) == [[INVALID, INVALID, INVALID, dt.date.max.toordinal(), None]]


@pytest.mark.parametrize("name", ["polars", "pyarrow", "pandas"])
def test_columns_of_nothing_at_all(name):
    """
    A column of nulls is unknown in every row.
    """
    facts = numbered(FACTS)
    nothing = {fact.name: [None, None] for fact in facts}
    frame = {
        "polars": pl.DataFrame,
        "pyarrow": pa.table,
        "pandas": pd.DataFrame,
    }[name]({"progress": [64, 65], **nothing})
    assert read(frame, facts) == [[None, None]] * len(facts)
