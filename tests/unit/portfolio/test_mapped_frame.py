"""`read`: a frame as a mapping describes it becomes one of facts, or the errors say why not."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from deals import of_gb, shipped
from hypothesis import given
from hypothesis import strategies as st

from every_case import for_every
from holdback import InvalidDocument, Jurisdictions
from holdback.portfolio import ColumnMapping, assess, findings, read, sample, suggest
from holdback.portfolio.reading.column_mapping import Form
from holdback.portfolio.reading.mapped_frame import facts_to_map
from holdback.portfolio.reading.mapped_values import reader, unread
from holdback.portfolio.reading.single_values import read_float

KINDS = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": pa.table}
FACTS = facts_to_map(shipped())
FEW = Jurisdictions([shipped()["GB"], shipped()["JP"]])
engines = pytest.mark.parametrize("kind", KINDS)


def values_of(frame, name):
    """The values of a column, None where one is missing."""
    if isinstance(frame, pd.DataFrame):
        return [None if pd.isna(value) else value for value in frame[name]]
    return frame[name].to_pylist() if isinstance(frame, pa.Table) else frame[name].to_list()


def value(name, written, texts=None, **form):
    return reader(FACTS[name], Form(**form), texts or {})(written)


READ = [
    # fact, as it is written, how that was described, what it means
    ("progress", 0.29, {"percentages": "fractions"}, Decimal(29)),
    ("progress", "0.29", {"percentages": "fractions"}, Decimal(29)),
    ("progress", Decimal("0.645"), {"percentages": "fractions"}, Decimal("64.5")),
    ("progress", 1, {"percentages": "fractions"}, Decimal(100)),
    ("progress", 0.7 * 0.1, {"percentages": "fractions"}, Decimal("6.9999")),  # rounded down
    ("progress", "64.5 %", {"percentages": "fractions"}, Decimal("64.5")),
    ("progress", "64,5", {"decimal_mark": ","}, Decimal("64.5")),
    ("progress", " 64.5% ", {}, Decimal("64.5")),
    ("balance", "1.234,50", {"decimal_mark": ",", "thousands": "."}, Decimal("1234.5")),
    ("balance", "1,234,567.89", {"thousands": ","}, Decimal("1234567.89")),
    ("balance", "1 234\u00a0567", {"thousands": " "}, Decimal(1234567)),
    ("balance", "-12.5", {}, Decimal("-12.5")),
    ("balance", "2.5000", {}, Decimal("2.5")),
    ("balance", "2.500", {"decimal_mark": "."}, Decimal("2.5")),
    ("balance", "123450", {"money": "minor units"}, Decimal(123450)),
    ("balance", 123450.0, {"money": "minor units"}, Decimal(123450)),
    ("balance", np.int64(5), {"money": "minor units"}, Decimal(5)),
    ("balance", "GBP 12.50", {}, "GBP 12.5000"),
    ("balance", "£12.50", {}, "GBP 12.5000"),
    ("balance", "12,50 €", {"decimal_mark": ","}, "EUR 12.5000"),
    ("balance", "-£1,234", {"thousands": ","}, "GBP -1234.0000"),
    ("balance", "(1,234.50)", {"thousands": ","}, Decimal("-1234.5")),
    ("balance", "1234.50-", {}, Decimal("-1234.5")),
    ("balance", "12,34,567.80", {"thousands": ","}, Decimal("1234567.8")),
    ("days_since_funding", "231.0", {}, 231),
    ("days_since_funding", "1000.000", {}, 1000),
    ("days_since_funding", "0.000", {}, 0),
    ("days_since_funding", "1.000", {"decimal_mark": "."}, 1),
    ("days_since_funding", "1.000 days", {"decimal_mark": ",", "thousands": "."}, 1000),
    ("progress", "77.125", {}, Decimal("77.125")),
    ("days_since_funding", "21 days", {}, 21),
    ("days_since_funding", 231.0, {}, 231),
    ("deals_completed", "1.000", {"decimal_mark": ",", "thousands": "."}, 1000),
    ("deals_completed", np.float64(3), {}, 3),
    ("identity_verified", "TRUE", {}, True),
    ("identity_verified", np.bool_(False), {}, False),
    ("identity_verified", 1.0, {}, True),
    ("credit_checked_on", "2026-07-01", {}, date(2026, 7, 1)),
    ("credit_checked_on", "2026-07-01 00:00:00", {}, date(2026, 7, 1)),
    ("credit_checked_on", "3/4/2026", {"dates": "DD/MM/YYYY"}, date(2026, 4, 3)),
    ("credit_checked_on", "03/04/2026", {"dates": "MM/DD/YYYY"}, date(2026, 3, 4)),
    ("credit_checked_on", "03.04.2026", {"dates": "DD.MM.YYYY"}, date(2026, 4, 3)),
    ("credit_checked_on", "3 Apr 2026", {"dates": "DD MON YYYY"}, date(2026, 4, 3)),
    ("credit_checked_on", "3 September 2026", {"dates": "DD MON YYYY"}, date(2026, 9, 3)),
    ("credit_checked_on", 20260403, {"dates": "YYYYMMDD"}, date(2026, 4, 3)),
    ("credit_checked_on", pd.Timestamp("2026-07-01"), {}, date(2026, 7, 1)),
    ("credit_checked_on", datetime(2026, 7, 1), {}, date(2026, 7, 1)),
    ("status", " Funded ", {}, "Funded"),
    *((name, missing, {}, None) for name in ("progress", "status", "credit_checked_on")
      for missing in (None, float("nan"), "", "  ", pd.NA, pd.NaT)),
]  # fmt: skip


@for_every("name, written, form, meaning", READ)
def test_a_value_is_read_exactly(name, written, form, meaning):
    """
    Fractions, minor units, signs, dates and spaces are read as the mapping says.
    """
    found = value(name, written, **form)
    assert found == meaning
    assert type(found) is type(meaning)


REFUSED = [
    ("progress", "64,5", {}),
    ("progress", "1.5", {"decimal_mark": ","}),
    ("progress", "1,23,4", {"thousands": ","}),
    ("progress", "1,2345", {"thousands": ","}),
    ("progress", "1e2", {}),
    ("progress", True, {}),
    ("progress", float("inf"), {}),
    ("balance", "1,234", {}),
    ("balance", "123.5", {"money": "minor units"}),
    ("balance", 123.5, {"money": "minor units"}),
    ("balance", "$12", {}),
    ("balance", "£2.500", {}),
    ("balance", "2.500 €", {}),
    ("balance", "(2.500)", {}),
    ("balance", "GBP 12 EUR", {}),
    ("balance", "(-12)", {}),
    ("balance", "-12-", {}),
    ("balance", "(12", {}),
    ("balance", "12 apples", {}),
    ("balance", "£", {}),
    ("balance", 0.1 + 0.2, {}),
    ("days_since_funding", 1.5, {}),
    ("days_since_funding", "1.000", {}),
    ("days_since_funding", "12.000 days", {}),
    ("balance", "1.000", {"money": "minor units"}),
    ("balance", "2.500", {}),
    ("balance", "GBP 2.500", {}),
    ("days_since_funding", "3 weeks", {}),
    ("identity_verified", "yes", {}),
    ("identity_verified", 2, {}),
    ("credit_checked_on", "03/04/2026", {}),
    ("credit_checked_on", "13/13/2026", {"dates": "DD/MM/YYYY"}),
    ("credit_checked_on", "30/02/2026", {"dates": "DD/MM/YYYY"}),
    ("credit_checked_on", "3 Foo 2026", {"dates": "DD MON YYYY"}),
    ("credit_checked_on", datetime(2026, 7, 1, 9), {}),
    ("status", 3, {}),
]


@for_every("name, written, form", REFUSED)
def test_what_is_written_otherwise_is_not_read(name, written, form):
    """
    What the mapping cannot read is not guessed.
    """
    with pytest.raises(ValueError, match=r"."):
        value(name, written, **form)


@for_every("name, written, form", REFUSED)
def test_what_is_not_read_is_read_by_nothing_else(name, written, form):
    """
    Nothing that a mapping cannot read becomes a value, or unknown, in silence.
    """
    fact = FACTS[name]
    text = unread(written, fact.type.kind)
    if name == "status":
        assert fact.type.read(text) is None  # a finding lists it
    else:
        with pytest.raises(ValueError, match=r"."):
            fact.read(text)


@given(st.integers(-(10**12), 10**12), st.integers(0, 6))
def test_the_rule_of_floats(number, places):
    """
    The nearest float to a decimal number is read as that number.
    """
    written = float(Decimal(number).scaleb(-places))
    assert read_float(written, places) == number
    assert read_float(written, places, down=True) == number


@given(st.integers(0, 10**6))
def test_a_fraction_in_floats_is_the_fraction_in_text(number):
    """
    0.64 is 64%, whether it is a float, a Decimal or a text.
    """
    exact = Decimal(number).scaleb(-6)
    found = {
        value("progress", kind(exact), percentages="fractions") for kind in (float, str, Decimal)
    }
    assert found == {exact * 100}


# -- whole frames

MESSY = {
    "pct_paid": [0.29, 0.64, None],
    "state": ["Active ", "Repaid", ""],
    "left_minor": [123450, 500, 7],
    "country": ["UK", "JP", "ZZ"],
    "as_of": ["01/07/2026", "31/12/2026", None],
    "takings": ["1.234,50", "20", "7,5"],
    "checked": ["True", "no", None],
    "days_since_funding": ["150", "231.0", "21 days"],
    "remark": [1, 2, 3],
}
MAPPING = ColumnMapping(
    columns={
        "progress": "pct_paid",
        "status": "state",
        "balance": "left_minor",
        "jurisdiction": "country",
        "on": "as_of",
        "average_monthly_takings": "takings",
        "identity_verified": "checked",
    },
    percentages="fractions",
    money="minor units",
    texts={
        "status": {"Active": "Funded"},
        "jurisdiction": {"UK": "GB"},
        "identity_verified": {"no": "false"},
    },
    dates="DD/MM/YYYY",
    forms={
        "average_monthly_takings": {
            "money": "major units",
            "decimal_mark": ",",
            "thousands": ".",
        }
    },
)


@engines
def test_a_messy_frame_becomes_one_of_facts(kind):
    """
    The output is the user's kind of frame, with columns named and written as facts.
    """
    frame = KINDS[kind](MESSY)
    found = read(frame, MAPPING, rules=shipped())
    assert type(found) is type(frame)
    read_columns = {name: values_of(found, name) for name in MAPPING.columns}
    days = [None if day is None else day.isoformat()[:10] for day in read_columns.pop("on")]
    assert days == ["2026-07-01", "2026-12-31", None]
    assert read_columns == {
        "progress": [29, 64, None],
        "status": ["Funded", "Repaid", None],
        "balance": ["1234.50", "500", "unread: 7"],  # yen have no minor unit, and ZZ no currency
        "jurisdiction": ["GB", "JP", "ZZ"],
        "average_monthly_takings": [1234.5, 20, 7.5],
        "identity_verified": [True, False, None],
    }
    assert values_of(found, "days_since_funding") == [150, 231, 21]
    assert values_of(found, "remark") == [1, 2, 3]
    order = found.column_names if kind == "pyarrow" else list(found.columns)
    assert order[:3] == ["progress", "status", "balance"]


@engines
def test_what_cannot_be_read_stays_and_the_others_are_read(kind):
    """
    One cell never changes how a column is read: the others keep their values.
    """
    deals = sample(40, 7, backend="polars").filter(jurisdiction="GB")
    wrong = "1,5"
    columns = {
        "progress": [wrong, *["64.5"] * (deals.height - 1)],
        "days_since_funding": ["soon", *["150"] * (deals.height - 1)],
        "deals_completed": ["1.5", *["2"] * (deals.height - 1)],
        "paused": ["maybe", *["True"] * (deals.height - 1)],
    }
    frame = deals.with_columns(**{name: pl.Series(texts) for name, texts in columns.items()})
    if kind == "pandas":
        frame = frame.to_pandas()
    elif kind == "pyarrow":
        frame = frame.to_arrow()
    deals = read(frame, rules=FEW)
    # No rule of GB reads it, so it is not an error; the text stays.
    assert values_of(deals, "paused")[:2] == ["unread: maybe", "true"]
    found = findings(deals, FEW)
    errors = {row.column: (row.count, row.value) for row in found.errors}
    assert errors == {
        "progress": (1, "`1,5`"),
        "days_since_funding": (1, "`soon`"),
        "deals_completed": (1, "`1.5`"),
    }


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_a_sample_written_otherwise_gives_the_same_answers(backend):
    """
    Fractions and minor units in every row's currency give the answers of the sample.
    """
    deals = sample(1_000, 7, backend="polars").filter(pl.col("jurisdiction") != "ZZ")
    yen = pl.col("jurisdiction") == "JP"
    money = [name for name, dtype in deals.schema.items() if dtype == pl.Decimal(18, 2)]
    percents = ["progress", "performance", "takings_trend"]
    written = deals.filter(
        ~yen | pl.all_horizontal(pl.col(name).is_null() | (pl.col(name) % 1 == 0) for name in money)
    )
    expected = assess(written, shipped())["outcome"]
    frame = written.with_columns(
        *(
            pl.when(yen).then(pl.col(name)).otherwise(pl.col(name) * 100).cast(pl.Int64).alias(name)
            for name in money
        ),
        *(pl.col(name).cast(pl.String).str.to_decimal(scale=6) / 100 for name in percents),
    ).with_columns(pl.col(percents).cast(pl.Float64))
    given = {"polars": frame, "pandas": frame.to_pandas(), "pyarrow": frame.to_arrow()}[backend]
    found = read(given, percentages="fractions", money="minor units", rules=shipped())
    assert list(assess(found, shipped())["outcome"].to_numpy()) == expected.to_list()
    suspected = [row for row in findings(found, shipped()) if row.code == "misleading"]
    assert suspected == []


def test_numbers_that_need_no_reading_stay():
    """
    Columns that are facts already, in types of their own, are unchanged.
    """
    deals = sample(50, 7, backend="polars")
    assert read(deals, rules=shipped()).equals(deals)
    assert read(deals).schema == deals.schema
    frame = deals.to_pandas().set_index(pd.Index([1, 1] * 25, name="twice"))
    frame.attrs["from"] = "a test"
    found = read(frame, columns={"deal_type": "status", "status": "deal_type"})
    assert found.index.equals(frame.index)
    assert found.attrs == {"from": "a test"}
    assert found["deal_type"].tolist() == frame["status"].tolist()


def test_the_currency_may_be_a_column():
    """
    Without rules, a column `currency` says how many decimals minor units have.
    """
    frame = pl.DataFrame({"balance": [1250, 1250], "currency": ["GBP", "JPY"]})
    found = read(frame, money="minor units")
    assert found["balance"].to_list() == [Decimal("12.5"), Decimal(1250)]
    with pytest.raises(InvalidDocument, match="minor units depend on the currency"):
        read(frame.drop("currency"), money="minor units")


@pytest.mark.parametrize("lazy", [pl.DataFrame.lazy, lambda frame: duckdb.sql("from frame")])
def test_lazy_frames_are_renamed_and_their_texts_mapped(lazy):
    """
    In a lazy frame names and texts are mapped; what needs values is refused with the cure.
    """
    frame = pl.DataFrame({"state": [" Active", "Repaid"], "pct_paid": [0.5, 0.6]})
    found = read(lazy(frame), columns={"status": "state"}, texts={"status": {"Active": "Funded"}})
    rows = found.collect().rows() if hasattr(found, "collect") else found.fetchall()
    assert rows == [("Funded", 0.5), ("Repaid", 0.6)]
    with pytest.raises(InvalidDocument, match="collect it, or read it in parts"):
        read(lazy(frame), columns={"progress": "pct_paid"}, percentages="fractions")


def test_what_does_not_fit_the_frame_is_refused_at_once():
    """
    Mapping errors teach: what is wrong, and what was probably meant.
    """
    frame = pl.DataFrame({"pct_paid": [1.0], "balance": [1.0], "left": [2.0], "lien": ["First"]})
    with pytest.raises(InvalidDocument) as raised:
        read(
            frame,
            columns={"progres": "pct_paid", "performance": "pct_payed", "balance": "left"},
            texts={"progress": {"a": "b"}},
        )
    messages = [str(error) for error in raised.value.errors]
    assert messages == [
        (
            "$.columns.progres: unknown fact; did you mean `progress`?; facts that a jurisdiction "
            "declares are known with `rules=`"
        ),
        ("$.texts.progress: `progress` holds percent; say in `forms` how its values are written"),
        "$.columns.performance: there is no column `pct_payed`; did you mean `pct_paid`?",
        (
            "$.columns.balance: there is also a column `balance`; drop or rename it, or leave "
            "this line out"
        ),
    ]
    with pytest.raises(InvalidDocument, match="unknown fact"):
        read(frame, columns={"lien_rank": "lien"})
    assert read(frame, columns={"lien_rank": "lien"}, rules=shipped()).columns[-1] == "lien_rank"
    with pytest.raises(InvalidDocument, match="unknown word `pence`"):
        read(frame, money="pence")


def test_a_point_among_decimal_commas_is_not_guessed():
    """
    77.125 where other columns have decimal commas is refused with the cure, and read if a mapping
    says how.
    """
    deals = (
        of_gb()
        .head(2)
        .with_columns(
            balance=pl.Series(["1.234,50", "7,25"]), performance=pl.Series(["77.125", "64.5"])
        )
    )
    forms = {"balance": {"decimal_mark": ",", "thousands": "."}}
    mixed = read(deals, forms=forms)
    assert mixed["performance"].to_list() == ["unread: 77.125", "64.5000"]
    (found,) = findings(mixed, shipped())
    assert found.column == "performance"
    assert 'write `[forms.performance]` and `decimal_mark = "."`' in found.cure
    said = read(deals, forms={**forms, "performance": {"decimal_mark": "."}})
    assert said["performance"].to_list() == [Decimal("77.125"), Decimal("64.5")]


@engines
def test_a_thousand_days_are_not_one(kind):
    """
    1.000 in a column of days or counts is one or a thousand: it is refused with the cure.
    """
    days = ["1.000", "850.0", "2.00", "1500"]
    rows = of_gb().head(4).with_columns(days_since_last_remittance=pl.Series(days))
    frame = {"polars": rows, "pandas": rows.to_pandas(), "pyarrow": rows.to_arrow()}[kind]
    (found,) = findings(frame, shipped())
    assert (found.column, found.value, found.count) == ("days_since_last_remittance", "`1.000`", 1)
    assert "[forms.days_since_last_remittance]" in found.cure
    thousands = {"days_since_last_remittance": {"decimal_mark": "."}}
    assert values_of(read(frame, forms=thousands), "days_since_last_remittance") == [
        1,
        850,
        2,
        1500,
    ]


KEYED = {"country": ["GB", "JP"], "jurisdiction": ["JP", "GB"], "balance": ["1250", "1250"]}


@engines
def test_the_currency_is_that_of_the_column_that_has_the_jurisdictions(kind):
    """
    Minor units have the currency of the jurisdiction, in the column that `assess` receives.
    """
    frame = KINDS[kind](KEYED)
    deals = read(frame, rules=FEW, jurisdiction="country", money="minor units")
    assert [float(value) for value in values_of(deals, "balance")] == [12.5, 1250.0]
    assert list(deals.schema.names if kind == "pyarrow" else deals.columns) == list(KEYED)


def test_a_mapping_speaks_of_the_keys_whatever_their_columns_are_called():
    """
    What a mapping says of `jurisdiction` and `on` holds for the columns that `assess` receives.
    """
    frame = pl.DataFrame({"country": ["Japan"], "as_of": ["01/07/2026"]})
    texts = {"jurisdiction": {"Japan": "JP"}}
    where = {"jurisdiction": "country", "on": "as_of"}
    found = read(frame, **where, texts=texts, dates="DD/MM/YYYY")
    assert found.columns == ["country", "as_of"]
    assert found.row(0) == ("JP", date(2026, 7, 1))
    named = read(frame, **where, columns={"jurisdiction": "country"}, dates="DD/MM/YYYY")
    assert named.columns == ["country", "as_of"]
    mapping = suggest(frame, FEW, **where)
    assert mapping.columns == {}
    assert mapping.texts == texts


def test_without_a_column_of_jurisdictions_the_error_says_what_to_do():
    """
    Where the rules are known, the error asks for the column of the jurisdictions.
    """
    with pytest.raises(InvalidDocument, match="say which column has the jurisdictions"):
        read(pl.DataFrame({"balance": ["1250"]}), rules=FEW, money="minor units")


@engines
def test_minor_units_without_a_currency_stay(kind):
    """
    An amount in minor units in a row without a known currency is invalid, not unknown.
    """
    frame = KINDS[kind]({"currency": [" gbp", "XXX"], "balance": ["1250", "1250"]})
    deals = read(frame, money="minor units")
    assert values_of(deals, "currency") == ["GBP", "XXX"]
    assert values_of(deals, "balance") == ["12.50", "unread: 1250"]


def test_what_is_said_of_a_fact_without_a_column_is_an_error():
    """
    Texts and forms of a fact that no column holds do nothing, and are refused like its column.
    """
    with pytest.raises(InvalidDocument) as raised:
        read(
            pl.DataFrame({"progress": [64.5]}),
            texts={"status": {"Active": "Funded"}},
            forms={"balance": {"money": "minor units"}},
        )
    assert [error.path for error in raised.value.errors] == ["$.texts.status", "$.forms.balance"]
    assert "there is no column `status`" in str(raised.value)


@engines
def test_an_empty_text_is_missing_in_a_lazy_frame_too(kind):
    """
    An empty text is missing, unless a mapping says what it means.
    """
    table = pl.DataFrame({"status": [" ", "Active", "Repaid"], "deal_type": ["", "Initial", " "]})
    texts = {"status": {"Active": "Funded"}, "deal_type": {"": "Renewal"}}
    kinds = {"polars": table, "pandas": table.to_pandas(), "pyarrow": table.to_arrow()}
    expected = {
        "status": [None, "Funded", "Repaid"],
        "deal_type": ["Renewal", "Initial", "Renewal"],
    }
    for found in (read(kinds[kind], texts=texts), read(table.lazy(), texts=texts).collect()):
        assert {name: values_of(found, name) for name in expected} == expected
