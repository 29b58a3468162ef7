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
