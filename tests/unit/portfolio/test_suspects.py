"""Suspicion of numbers of any size, in any surroundings."""

from __future__ import annotations

import decimal
from datetime import date
from decimal import Decimal

import polars as pl
import pytest
from deals import of_gb, shipped

from holdback.portfolio import SuspectColumns, assess, findings, funnel, summarise

CONTEXTS = {
    "three digits": decimal.Context(prec=3),
    "every trap": decimal.Context(traps=[decimal.Inexact, decimal.FloatOperation]),
}
AMOUNTS = {
    "38 digits": pl.lit(Decimal(10**37 + 1)),
    "an endless text": pl.lit("1e999999999"),
    "a tiny text": pl.lit("1e-999999999"),
    "a large float": pl.lit(1e300),
    "not a number": pl.lit(float("nan")),
    "not a text of a number": pl.lit("sNaN"),
}


def suspects(frame):
    """The columns of *frame* that are suspected."""
    return [row.column for row in findings(frame, shipped()) if row.code == "misleading"]


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("amounts", AMOUNTS)
def test_numbers_of_any_size_are_looked_at(amounts, context):
    """
    Numbers beyond every amount are errors, no reason to suspect another column, and cost no time.
    """
    frame = of_gb().with_columns(balance=AMOUNTS[amounts])
    with decimal.localcontext(CONTEXTS[context]):
        assert suspects(frame) == []


@pytest.mark.parametrize("context", CONTEXTS)
def test_the_decimal_context_hides_no_suspect(context):
    """
    The host's `decimal` context does not matter.
    """
    frame = of_gb().with_columns(
        (pl.col("balance") * 100).cast(pl.Int64), pl.col("progress", "performance") / 100
    )
    expected = suspects(frame)
    assert expected == ["progress", "performance", "balance"]
    with decimal.localcontext(CONTEXTS[context]):
        assert suspects(frame) == expected


def test_floats_in_minor_units_are_suspected():
    """
    19.99 times 100 is 1998.9999999999998, and a whole amount.
    """
    balance = pl.col("balance").cast(pl.Float64)
    frame = of_gb().with_columns(balance * 100)
    assert (frame["balance"] % 1 != 0).any()
    assert suspects(frame) == ["balance"]
    assert suspects(of_gb().with_columns(balance)) == []


@pytest.mark.parametrize("function", [assess, summarise, funnel])
def test_words_of_another_system_give_a_warning(function):
    """
    `funded` is not unknown without a word, nor are yen added to pounds.
    """
    gb = shipped().resolve("GB", on=date(2026, 7, 1))
    deals = of_gb().drop("jurisdiction", "on")
    lower = deals.with_columns(pl.col("status").str.to_lowercase())
    with pytest.warns(SuspectColumns, match="did you mean `Funded`"):
        function(lower, gb)
    yen = deals.with_columns(currency=pl.lit("JPY"))
    with pytest.warns(SuspectColumns, match="are in `JPY`; expected GBP"):
        function(yen, gb)
    known = pl.when(pl.arange(pl.len()) * 3 > pl.len()).then("status").otherwise(pl.lit("Lost"))
    function(deals.with_columns(status=known, currency=pl.lit("GBP")), gb)  # no warning


@pytest.mark.parametrize("backend", ["polars", "pandas"])
def test_a_total_row_is_not_a_deal(backend):
    """
    A last row with little but the sum of a column is reported; deals of which little is known, or
    with a large amount, are not.
    """
    deals = of_gb()
    total = pl.DataFrame(
        {"jurisdiction": "GB", "on": deals["on"][0], "balance": deals["balance"].sum()}
    )
    few = total.with_columns(pl.lit(Decimal("1.00")).cast(total["balance"].dtype).alias("balance"))
    large = deals.head(1).with_columns(balance=total["balance"])
    for last, expected in ((total, 1), (few, 0), (large, 0)):
        frame = pl.concat([deals, last], how="diagonal_relaxed")
        frame = frame if backend == "polars" else frame.to_pandas()
        said = [row for row in findings(frame, shipped()) if "looks like a total" in row.message]
        assert len(said) == expected


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_a_deal_that_is_there_twice_is_found_before_it_is_added_up_twice(backend):
    """
    Ids that repeat: 30 of 200 deals twice would add 28% to the balance.
    """
    deals = of_gb().head(200)
    twice = pl.concat([deals, deals.head(30)])
    frames = {"polars": twice, "pandas": twice.to_pandas(), "pyarrow": twice.to_arrow()}
    (found,) = (row for row in findings(frames[backend], shipped()) if row.code == "duplicate")
    assert (found.column, found.count, found.row) == ("deal_id", 30, deals["deal_id"][0])
    with pytest.warns(SuspectColumns, match="30 rows have the id of a deal"):
        summarise(frames[backend], shipped())


def test_a_deal_on_several_days_and_deals_without_ids_are_not_suspected():
    """
    A deal on another day is another row, and in another jurisdiction another deal.
    """
    deals = of_gb().head(20)
    later = deals.with_columns(pl.col("on") + pl.duration(days=1))
    elsewhere = deals.with_columns(jurisdiction=pl.lit("IE"))
    without = deals.with_columns(deal_id=pl.lit(None, pl.String))
    for frame in (pl.concat([deals, later]), pl.concat([deals, elsewhere]), without):
        assert "duplicate" not in {row.code for row in findings(frame, shipped())}


def test_fractions_among_percentages_are_suspected():
    """
    Mixtures in one column: every seventh row a fraction, or a tenth of the rows.
    """
    for step in (2, 7, 10):
        is_fraction = pl.arange(pl.len()) % step == 0
        progress = pl.when(is_fraction).then(pl.col("progress") / 100).otherwise("progress")
        frame = of_gb().filter(pl.col("progress") > 20).with_columns(progress)
        (found,) = (row for row in findings(frame, shipped()) if row.code == "contradiction")
        assert found.column == "progress"
    spread = of_gb().with_columns(progress=pl.arange(pl.len()) * 100 / pl.len())
    assert "contradiction" not in {row.code for row in findings(spread, shipped())}
