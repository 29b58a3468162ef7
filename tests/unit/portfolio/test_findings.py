"""`findings` and `check_frame`: what is wrong in a frame, what may be, and how to cure it."""

from __future__ import annotations

import re
import warnings
from datetime import date, datetime
from decimal import Decimal

import duckdb
import pandas as pd
import polars as pl
import pytest
from deals import of_gb, shipped

from counts import count
from holdback import InvalidDocument, Jurisdictions, portfolio
from holdback.portfolio import (
    ColumnMapping,
    SuspectColumns,
    assess,
    check_frame,
    compare,
    findings,
    prepare,
    quote,
    read,
    sample,
    summarise,
)

FEW = Jurisdictions([shipped()["GB"], shipped()["JP"]])
GB = shipped().resolve("GB", on=date(2026, 7, 1))


def good():
    """Deals of GB that can all be read."""
    return assess(of_gb(), shipped()).filter(pl.col("outcome") != 5).select(of_gb().columns)


def of(frame, column, rules=FEW, **options):
    """The findings about *column*."""
    return [row for row in findings(frame, rules, **options) if row.column == column]


def only(frame, column, rules=FEW, **options):
    (row,) = of(frame, column, rules, **options)
    return row


def quiet(frame, *given, **options):
    """What `assess` returns, and the warnings that it gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = assess(frame, *given, **options)
    return result, caught


# -- values that cannot be read


def test_a_message_shows_the_value_and_the_label_of_its_row():
    """
    Messages show the value and the row's own label.
    """
    frame = good().with_columns(
        progress=pl.when(pl.arange(pl.len()) == 7).then(pl.lit("104.5")).otherwise(pl.lit("60"))
    )
    label = frame["deal_id"][7]
    row = only(frame, "progress")
    assert (row.severity, row.row, row.value, row.count) == ("error", label, "`104.5`", 1)
    number = frame.with_columns(pl.col("progress").str.to_decimal(scale=4))
    with pytest.raises(InvalidDocument) as raised:
        check_frame(number, FEW)
    assert [str(error) for error in raised.value.errors] == [
        f"$.progress: row 8 ({label}): 104.5 cannot be read; expected 0% to 100%"
    ]


@pytest.mark.parametrize(
    ("index", "shown"),
    [(None, "row 8:"), ([f"R{n}" for n in range(20)], "row 8 (R7):"), (range(20), "row 8:")],
)
def test_the_label_of_a_row_without_an_id(index, shown):
    """
    pandas' index labels a row, if it is more than a count.
    """
    frame = good().head(20).drop("deal_id").to_pandas()
    frame["days_since_funding"] = [40_000 if place == 7 else 10 for place in range(20)]
    if index is not None:
        frame.index = pd.Index(index)
    row = only(frame, "days_since_funding")
    assert row.message == f"{shown} 40000 cannot be read"
    assert row.row == shown.removeprefix("row 8").strip(" ():") or row.row == "8"


def test_a_lazy_frame_has_counts_and_no_labels():
    """
    Labels are left out for frames whose rows are not in memory.
    """
    wrong = good().with_columns(progress=pl.lit(104.5), status=pl.lit("funded"))
    for frame in (wrong.lazy(), duckdb.sql("from wrong")):
        row = only(frame, "progress", GB)
        assert row.message == f"{wrong.height:,} rows cannot be read"
        assert (row.row, row.value, row.count) == (None, None, wrong.height)
        text = only(frame, "status", GB)
        assert (text.value, text.count, text.row) == ("`funded`", wrong.height, None)


@pytest.mark.parametrize("engine", ["polars", "pandas", "pyarrow"])
def test_differences_of_floats_are_explained(engine):
    """
    A difference of floats is named as such, with the cure for each library.
    """
    frame = good().with_columns(balance=pl.lit(0.1 + 0.2))
    frame = {"polars": frame, "pandas": frame.to_pandas(), "pyarrow": frame.to_arrow()}[engine]
    row = only(frame, "balance", GB)
    assert row.count == good().height
    assert row.value == "0.30000000000000004"
    assert 'in pandas `deals["balance"].round(2)`' in row.cure
    assert 'in Polars `pl.col("balance").round(2)`' in row.cure
    cured = good().with_columns(balance=pl.lit(0.1 + 0.2).round(2))
    assert not of(cured, "balance", GB)


def test_a_float_with_real_decimals_is_not_called_a_difference():
    """
    12.345 was meant so; only a policy says how to round it.
    """
    row = only(good().with_columns(balance=pl.lit(12.345)), "balance")
    assert row.cure == "it has more decimals than money (GBP) has: round it as your policy says"
    assert "left" not in row.cure


def test_a_code_in_small_letters_is_recognised():
    """
    A jurisdiction that is written in another way is shown, with the one that was meant.
    """
    row = only(good().with_columns(jurisdiction=pl.lit("gb")), "jurisdiction")
    assert (row.value, row.cure) == ("`gb`", "did you mean `GB`?")


# -- texts that nobody declared


def test_unknown_texts_are_counted_with_a_suggestion():
    """
    Unknown texts are listed with counts and a suggestion.
    """
    frame = good().with_columns(
        status=pl.when(pl.arange(pl.len()) < 5).then(pl.lit("funded")).otherwise(pl.col("status"))
    )
    row = only(frame, "status")
    assert (row.severity, row.value, row.count) == ("warning", "`funded`", 5)
    assert row.cure == "did you mean `Funded`?"
    assert row.message == "`funded` is not declared, and is unknown in 5 rows"
    assert row in check_frame(frame, FEW).warnings


def test_very_many_texts_are_cut_short():
    """
    A column of names is not listed in full.
    """
    frame = good().with_columns(status=pl.format("text {}", pl.arange(pl.len())))
    rows = of(frame, "status")
    assert len(rows) == 21
    assert sum(row.count for row in rows) == frame.height
    assert "more texts are not declared" in rows[-1].message


def test_control_characters_and_long_texts_are_shown_safely():
    """
    A value is shown shortened and printable.
    """
    value = only(good().with_columns(status=pl.lit("a\x1b[31m" + "b" * 99)), "status").value
    assert value.isprintable()
    assert len(value) <= 42


# -- contradictions


def test_a_currency_that_is_not_that_of_the_jurisdiction():
    """
    A `currency` column that contradicts the rulebook is an error.
    """
    right = good().with_columns(currency=pl.lit("GBP"))
    assert not of(right, "currency")
    row = only(right.with_columns(currency=pl.lit("JPY")), "currency")
    assert (row.severity, row.value, row.count) == ("error", "`JPY`", right.height)
    assert row.expected == "expected GBP"


FUNCTIONS = [assess, prepare, summarise, quote, check_frame, lambda *given, **on: compare(
    given[0], given[1], given[1], **on
)]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_rows_of_another_jurisdiction_are_refused(function):
    """
    A rulebook over rows of another jurisdiction is an error, with the cure.
    """
    yen = sample(60, seed=7, backend="polars")
    with pytest.raises(InvalidDocument, match=r"the rulebook is of GB, and there are rows of `AU`"):
        function(yen, GB)
    with pytest.raises(InvalidDocument, match="rows without a jurisdiction"):
        function(good().with_columns(jurisdiction=pl.lit(None, pl.String)), GB)
    function(yen.filter(jurisdiction="GB"), GB)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_rulebook_takes_no_other_day(function):
    """
    A rulebook with `on=` is an error.
    """
    for on in ("on", date(2026, 7, 1)):
        with pytest.raises(InvalidDocument, match="this rulebook is of one day, 2026-07-01"):
            function(good(), GB, on=on)


def test_rows_of_another_jurisdiction_in_a_lazy_frame_are_invalid():
    """
    For a lazy frame, rows of another jurisdiction are invalid.
    """
    deals = sample(300, seed=7, backend="polars")
    found = assess(deals.lazy(), GB, readable=True).collect()
    others = found.filter(pl.col("jurisdiction") != "GB")
    assert set(others.select("outcome", "eligible", "needs").rows()) == {
        ("invalid", False, "jurisdiction")
    }
    own = found.filter(pl.col("jurisdiction") == "GB")
    assert own.equals(assess(deals.filter(jurisdiction="GB"), GB, readable=True))
    summary = summarise(deals.lazy(), GB)
    assert sum(line.deals for line in summary.outcomes if line.jurisdiction == "-") == len(others)


@pytest.mark.parametrize(
    "on", [datetime(2026, 7, 1), "2026-07-01", pd.Timestamp("2026-07-01"), date(2026, 7, 1)]
)
def test_a_day_for_all_rows_in_every_form(on):
    """
    Dates as text, `Timestamp` and `datetime` are taken where a date is.
    """
    expected = assess(good(), FEW, on=date(2026, 7, 1))
    assert assess(good(), FEW, on=on).equals(expected)


def test_a_column_may_have_the_name_of_a_day():
    """
    A text is a column's name first.
    """
    renamed = good().rename({"on": "2026-07-01"})
    assert assess(renamed, FEW, on="2026-07-01")["outcome"].equals(assess(good(), FEW)["outcome"])
    with pytest.raises(InvalidDocument, match="expected the name of a column of dates"):
        assess(good(), FEW, on=datetime(2026, 7, 1, 9))


# -- suspects


def test_no_sample_is_suspected():
    """
    There are no false alarms on samples, in any currency.
    """
    for seed in range(count("samples without a suspicion")):
        deals = sample(1_500, seed=seed, backend="polars")
        parts = (deals.filter(jurisdiction=code) for code in deals["jurisdiction"].unique())
        for part in (deals, *parts):
            suspects = findings(part, shipped())
            assert not [row for row in suspects if row.code == "misleading"], seed


def fractions(frame):
    return frame.with_columns(pl.col("progress", "performance", "takings_trend") / 100)


def pence(frame):
    return frame.with_columns((pl.col("balance") * 100).cast(pl.Int64))


def test_fractions_are_suspected():
    """
    `check_frame` warns where nearly all percentages are at most 1.5.
    """
    row = only(fractions(good()), "progress")
    assert row.severity == "warning"
    assert row.message.endswith("percentages are at most 1.5, as fractions are")
    assert 'forms={"progress": {"percentages": "fractions"}}' in row.cure
    said = ColumnMapping(percentages="percent")
    assert not of(fractions(good()), "progress", mapping=said)
    texts = good().with_columns(progress=pl.lit("0.64"))
    assert only(texts, "progress").value == "`0.64`"
    assert not of(good().with_columns(progress=pl.lit("0.64%")), "progress")


def test_the_fractions_of_one_country_are_suspected():
    """
    Each jurisdiction is looked at by itself.
    """
    deals = sample(3_000, seed=7, backend="polars")
    mixed = pl.concat(
        [
            deals.filter(pl.col("jurisdiction") != "JP").with_columns(
                pl.col("progress").cast(pl.Float64)
            ),
            deals.filter(pl.col("jurisdiction") == "JP").with_columns(
                pl.col("progress").cast(pl.Float64) / 100
            ),
        ],
        how="vertical_relaxed",
    )
    row = only(mixed.filter(pl.col("progress") <= 100), "progress", shipped())
    assert "percentages of `JP` are at most 1.5" in row.message


def test_minor_units_are_suspected():
    """
    Whole amounts that are far larger than others look like minor units.
    """
    row = only(pence(good()), "balance")
    assert (row.severity, row.code) == ("warning", "misleading")
    assert 'forms={"balance": {"money": "minor units"}}' in row.cure
    assert not of(pence(good()), "balance", mapping=ColumnMapping(money="major units"))
    # Whole pounds next to amounts with pence are ordinary, and so are round sums.
    whole = good().with_columns(pl.col("average_monthly_takings").floor())
    assert not of(whole, "average_monthly_takings")
    money = pl.col(name for name, dtype in good().schema.items() if dtype == pl.Decimal(18, 2))
    assert of(good().with_columns((money * 100).cast(pl.Int64)), "balance") != []
    assert of(good().with_columns((money.cast(pl.Int64) // 100) * 100), "balance") == []


def test_yen_have_no_minor_units():
    """
    A currency without minor units is not suspected.
    """
    yen = sample(3_000, seed=7, backend="polars").filter(jurisdiction="JP")
    assert yen["balance"].is_not_null().sum() > 50
    whole = yen.with_columns(pl.col("balance").floor().cast(pl.Int64))
    assert not [row for row in of(whole, "balance", shipped()) if row.code == "misleading"]


QUESTIONS = {
    "assess": assess,
    "prepare": prepare,
    "summarise": summarise,
    "quote": quote,
    "funnel": portfolio.funnel,
    "near": lambda frame, rules: portfolio.near(frame, rules, within="2%"),
    "cohorts": lambda frame, rules: portfolio.cohorts(frame, rules, by="deal_type"),
    "compare": lambda frame, rules: portfolio.compare(frame, rules, rules),
    "migration": lambda frame, rules: portfolio.migration(frame, rules, rules),
    "project": lambda frame, rules: portfolio.project(frame, rules, days=[30]),
    "sweep": lambda frame, rules: portfolio.sweep(
        frame, rules, "minimum_performance", ["70%", "90%"]
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_suspected_column_gives_a_python_warning(name):
    """
    Suspected columns are not misread in silence, and the caller's own line is named.
    """
    rules = shipped().resolve("GB", on=date(2026, 7, 1)) if name == "sweep" else FEW
    frame = good().filter(jurisdiction="GB").drop("on") if name == "sweep" else good()
    with pytest.warns(SuspectColumns, match="look like|as fractions are") as caught:
        QUESTIONS[name](fractions(frame), rules)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_the_python_warning_says_truthfully_how_to_silence_it():
    """
    The cure cures: a frame that was read as percentages is no longer warned of where that is said.
    """
    percent = read(fractions(good()), ColumnMapping(percentages="percent"))
    with pytest.warns(SuspectColumns) as caught:
        assess(percent, FEW)
    told = str(caught[0].message)
    assert "mapping" not in told
    (cure,) = re.findall(r"`(warnings\.[^`]*)`", told)
    with warnings.catch_warnings(record=True) as others:
        exec(cure, {"warnings": warnings, "portfolio": portfolio})  # what is advised
        assess(percent, FEW)
    assert others == []
    assert "say `percentages" in str(findings(percent, FEW))
    said = findings(percent, FEW, mapping=ColumnMapping(percentages="percent"))
    assert not said.warnings


def test_other_frames_give_no_warning():
    """
    Prepared, lazy and ordinary frames are assessed without a warning.
    """
    prepared = prepare(good(), FEW)
    for frame, options in (
        (good(), {}),
        (prepared, {"prepared": True}),
        (fractions(good()).lazy(), {}),
    ):
        assert quiet(frame, FEW if options else GB, **options)[1] == []


# -- the findings themselves


def test_findings_are_a_frame_and_tables():
    """
    The findings are also a frame of the kind of the deals.
    """
    wrong = fractions(good()).with_columns(status=pl.lit("<b>"), days_since_funding=pl.lit(-1))
    found = findings(wrong, FEW)
    assert [row.severity for row in found] == sorted(row.severity for row in found)
    frame = found.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns[:5] == ["severity", "column", "row", "value", "count"]
    assert frame.height == len(found)
    assert isinstance(findings(wrong.to_pandas(), FEW).to_frame(), pd.DataFrame)
    assert "&lt;b&gt;" in found._repr_html_()
    assert "<b>" not in found._repr_html_()
    assert str(found).startswith("error: $.days_since_funding")
    assert findings(good(), FEW).to_frame().height == len(findings(good(), FEW))


def test_a_mapping_does_not_hide_errors():
    """
    Only suspicions are answered by what a mapping says.
    """
    wrong = good().with_columns(balance=pl.lit(Decimal(-1)))
    with pytest.raises(InvalidDocument):
        check_frame(wrong, FEW, mapping=ColumnMapping(money="major units"))
