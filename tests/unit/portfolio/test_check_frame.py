"""Every error of a frame is reported at once, with a hint."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest
from deals import of_gb, shipped

from holdback import InvalidDocument
from holdback.portfolio import assess, check_frame, prepare


def faults(frame, rules=None, **options):
    """The error of each column."""
    with pytest.raises(InvalidDocument) as raised:
        check_frame(frame, rules or shipped(), **options)
    return {fault.path: str(fault) for fault in raised.value.errors}


def good():
    """Deals of GB that can all be read."""
    return assess(of_gb(), shipped()).filter(pl.col("outcome") != 5).select(of_gb().columns)


def test_a_good_frame_passes():
    check_frame(good(), shipped())


def test_everything_is_reported_at_once():
    """
    `check_frame` reports every missing, mistyped or out-of-range column at once.
    """
    frame = good().with_columns(
        status=pl.lit(5),
        balance=pl.when(pl.col("deal_id") == good()["deal_id"][3])
        .then(pl.lit("-1.00"))
        .otherwise(pl.lit("1.001"))
        .str.to_decimal(scale=3),
        days_since_funding=pl.lit(40_000),
    )

    found = faults(frame.drop("progress").rename({"performance": "perfomance"}))

    rows, first = good().height, f"the first is row 1 ({good()['deal_id'][0]})"
    assert found == {
        "$.progress": "$.progress: the column is missing; rules of GB read it; if it is never "
        "known, add a column of nulls of its type",
        "$.performance": "$.performance: the column is missing; did you mean `perfomance`?",
        "$.status": "$.status: expected text, not Int32",
        "$.balance": f"$.balance: {rows:,} rows cannot be read, {first}: 1.001; expected "
        "GBP 0.00 to GBP "
        "10000000000.00, at most 2 decimals",
        "$.days_since_funding": f"$.days_since_funding: {rows:,} rows cannot be read, {first}: "
        "40000; "
        "expected 0 days to 36600 days",
    }


def test_columns_that_say_whose_rules_apply():
    """
    A row without a jurisdiction, or on a day without rules, cannot be assessed.
    """
    slip = faults(good().rename({"jurisdiction": "jurisdictoin"}))
    assert slip["$.jurisdiction"].endswith("did you mean `jurisdictoin`?")
    assert faults(good().drop("on"))["$.on"].endswith("one date can be given for all rows")
    unknown = good().with_columns(
        jurisdiction=pl.when(pl.col("deal_id") == good()["deal_id"][1])
        .then(pl.lit("ZZ"))
        .otherwise(pl.col("jurisdiction"))
    )
    assert faults(unknown) == {
        "$.jurisdiction": f"$.jurisdiction: row 2 ({good()['deal_id'][1]}): `ZZ` cannot be read; "
        "expected one of GB"
    }
    early = good().with_columns(on=pl.lit(date(1990, 1, 1)))
    assert faults(early)["$.on"].endswith(
        "1990-01-01; expected a day on which the jurisdiction of the row has rules"
    )


def test_prepared_columns_are_looked_at_too():
    """
    `assess` trusts prepared columns; `check_frame` checks their ranges.
    """
    frame = prepare(good(), shipped())
    check_frame(frame, shipped(), prepared=True)

    spoilt = frame.with_columns(progress=pl.col("progress") + 10_000_000)

    assert faults(spoilt, prepared=True).keys() == {"$.progress"}
    assert faults(good(), prepared=True)["$.progress"] == (
        "$.progress: expected whole numbers, as `prepare` makes them, "
        "not Decimal(precision=18, scale=4)"
    )


def test_what_is_no_frame_and_no_rules():
    """
    A mistake of the caller gives an `InvalidDocument`.
    """
    with pytest.raises(InvalidDocument, match="expected a dataframe of pandas"):
        assess([1, 2], shipped())
    with pytest.raises(InvalidDocument, match="expected a rulebook or jurisdictions"):
        assess(good(), "GB")
    with pytest.raises(InvalidDocument, match="expected the name of a column of dates"):
        assess(good(), shipped(), on=20260701)


def test_an_assessed_frame_is_not_assessed_over_itself():
    """
    A column of the user's is never overwritten.
    """
    with pytest.raises(InvalidDocument) as raised:
        assess(assess(good(), shipped()), shipped())
    assert [fault.path for fault in raised.value.errors] == [
        "$.outcome",
        "$.eligible",
        "$.failing",
        "$.needs",
    ]
