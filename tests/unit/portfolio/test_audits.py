"""Audits of a provider's own projections, from a table of deals that were paid off."""

from __future__ import annotations

from decimal import Decimal

import duckdb
import polars as pl
import pytest

from holdback import InvalidDocument
from holdback.portfolio import audits


def deals(spreads_by_audit, left_out=()):
    """Deals whose disclosed rate is 40%, with the spreads of each audit, in percent."""
    rows = [
        {
            "audit": name,
            "disclosed_apr": Decimal("40.00"),
            "retrospective_apr": 40 * (1 + Decimal(spread) / 100),
            "left_out": None,
        }
        for name, spreads in spreads_by_audit.items()
        for spread in spreads
    ]
    rows += [{**rows[0], "retrospective_apr": None, "left_out": why} for why in left_out]
    return pl.DataFrame(rows, schema_overrides={"left_out": pl.String})


def test_an_audit_has_the_median_spread_and_counts_who_is_left_out():
    """
    "Deals that are litigated, stopped or modified left out and counted."
    """
    table = audits(deals({"2026-1": ["-5", "10", "2.5"]}, ["litigated", "modified"]))
    assert table.to_dicts() == [
        {
            "audit": "2026-1",
            "deals": 3,
            "left_out": 2,
            "spread": Decimal("2.5"),
            "mean_of_3": None,
            "mean_of_5": None,
            "mean_of_7": None,
            "barred": False,
            "may_audit_yearly": False,
        }
    ]


def test_a_mean_of_audits_is_weighted_by_deals_and_bars_above_its_limit():
    """
    "Mean of medians weighted by deals over the last 3, 5, 7 audits. Over 15, 10, 5: barred."
    """
    table = audits(deals({"1": ["15"], "2": ["15"], "3": ["15"], "4": ["15", "15", "15.1"]}))
    assert table["mean_of_3"].to_list() == [None, None, Decimal(15), Decimal(15)]
    assert table["barred"].to_list() == [False] * 4

    over = audits(deals({"1": ["15"], "2": ["15"], "3": ["15.01"]}))
    assert over["mean_of_3"].to_list()[-1] == Decimal("15.0033")
    assert over["barred"].to_list() == [False, False, True]

    good = audits(deals({"1": ["30"], "2": ["5"], "3": ["5"], "4": ["5"]}))
    assert good["may_audit_yearly"].to_list() == [False, False, False, True]
    assert good["barred"].to_list() == [False, False, False, False]


def test_an_audit_may_have_no_deal_that_counts():
    frame = deals({"1": ["3"]})
    table = audits(frame.with_columns(left_out=pl.lit("stopped")))
    assert table.select("deals", "left_out", "spread").rows() == [(0, 1, None)]


@pytest.mark.parametrize(
    "kind",
    [
        lambda frame: frame.lazy(),
        lambda frame: frame.to_arrow(),
        lambda frame: frame.to_pandas(use_pyarrow_extension_array=True),
        lambda frame: duckdb.from_arrow(frame.to_arrow()),
    ],
    ids=["polars lazy", "pyarrow", "pandas", "duckdb"],
)
def test_audits_are_alike_in_every_library(kind):
    """
    A frame of each library gives the same audits, in a frame that it can use.
    """
    frame = deals({"2": ["1", "-1"], "1": ["7.5"]}, ["litigated"])
    found = audits(kind(frame))
    expected = audits(frame)
    for name in ("audit", "deals", "left_out", "spread", "barred"):
        column = found[name].to_pylist() if hasattr(found, "to_pylist") else list(found[name])
        assert column == expected[name].to_list()


def test_what_cannot_be_audited_is_refused():
    """
    Every mistake is reported at once, by its column and row.
    """
    with pytest.raises(InvalidDocument, match="did you mean `disclosed`") as missing:
        audits(pl.DataFrame({"audit": ["1"], "disclosed": ["40%"]}))
    assert len(missing.value.errors) == 2

    frame = pl.DataFrame(
        {
            "audit": ["1", "1", None],
            "disclosed_apr": ["0%", "forty", "40%"],
            "retrospective_apr": ["40%", "40%", "41.5"],
        }
    )
    with pytest.raises(InvalidDocument) as wrong:
        audits(frame)
    assert [error.path for error in wrong.value.errors] == [
        "$.disclosed_apr[0]",
        "$.disclosed_apr[1]",
        "$.audit[2]",
    ]
