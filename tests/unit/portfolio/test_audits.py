"""Audits of a provider's own projections, from a table of deals that were paid off."""

from __future__ import annotations

from datetime import date
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
            "litigated": 1,
            "stopped": 0,
            "modified": 1,
            "unknown_rates": 0,
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
    "flags",
    [[False, True], [0, 1], ["no", "yes"], ["False", "TRUE"], ["0", "1"], ["", "stopped"]],
    ids=str,
)
def test_a_flag_that_is_false_leaves_no_deal_out(flags):
    """
    A column of flags has a value in every row, and only those that are true leave a deal out.
    """
    frame = pl.DataFrame(
        {
            "audit": ["1", "1"],
            "disclosed_apr": ["40%", "40%"],
            "retrospective_apr": ["44%", "80%"],
            "left_out": flags,
        }
    )
    assert audits(frame).select("deals", "left_out", "spread").rows() == [(1, 1, Decimal(10))]


def test_a_reason_that_is_not_of_the_rule_is_refused_and_not_taken_for_one():
    frame = deals({"1": ["3"]}, ["litigated", "stoped", "unhappy"])
    with pytest.raises(InvalidDocument) as wrong:
        audits(frame)
    assert [error.path for error in wrong.value.errors] == ["$.left_out[2]", "$.left_out[3]"]
    assert [error.message for error in wrong.value.errors] == [
        f"this is not a reason to leave a deal out: {wanted}"
        for wanted in (
            "did you mean `stopped`?",
            "expected `litigated`, `stopped`, `modified`, or a flag",
        )
    ]


@pytest.mark.parametrize(
    ("column", "named"),
    [("leftout", {}), ("why", {"left_out": "why_not"}), ("stopped", {"left_out": "why_not"})],
)
def test_a_column_of_deals_to_leave_out_is_not_overlooked(column, named):
    """
    There need not be one; but a column that is named, or nearly named, is meant.
    """
    frame = deals({"1": ["3"]}, ["litigated"]).rename({"left_out": column})
    with pytest.raises(InvalidDocument) as wrong:
        audits(frame, **named)
    assert [error.path for error in wrong.value.errors] == [
        f"$.{named.get('left_out', 'left_out')}"
    ]
    assert audits(deals({"1": ["3"]}).drop("left_out"))["deals"].to_list() == [1]


def test_unknown_rates_are_counted_and_no_row_is_lost():
    """
    Every row is a deal that was audited, one that was left out, or one with an unknown rate.
    """
    frame = pl.DataFrame(
        {
            "audit": ["1", "1", "1", "1", "2"],
            "disclosed_apr": ["40%", None, "40%", None, "40%"],
            "retrospective_apr": ["44%", "44%", None, None, None],
            "left_out": [None, None, None, "modified", None],
        }
    )
    table = audits(frame)
    counts = table.select("deals", "left_out", "unknown_rates")
    assert counts.rows() == [(1, 1, 2), (0, 0, 1)]
    assert sum(map(sum, counts.rows())) == len(frame)
    assert table["spread"].to_list() == [Decimal(10), None]


@pytest.mark.parametrize(
    "names",
    [
        ["2026-12", "2026-9", "2027-1"],
        [12, 9, 100],
        [date(2026, 12, 1), date(2026, 9, 1), date(2027, 1, 1)],
        ["audit 10", "Audit 9", "audit 11"],
    ],
    ids=lambda names: str(names[0]),
)
def test_audits_are_in_the_order_of_their_numbers(names):
    """
    Which audits are the last 3 depends on it: the tenth comes after the ninth.
    """
    frame = deals({"1": ["1"], "2": ["2"], "3": ["3"]})
    named = pl.Series("audit", names)
    in_order = [names[1], names[0], names[2]]
    assert audits(frame.with_columns(named))["audit"].to_list() == in_order
    assert audits(frame.with_columns(named).reverse())["audit"].to_list() == in_order


def test_audits_without_an_order_are_refused():
    frame = deals({"1": ["1"], "2": ["2"]}).to_pandas()
    with pytest.raises(InvalidDocument, match="of one kind"):
        audits(frame.assign(audit=[1, "2"]))


@pytest.mark.parametrize("name", ["deals", "left_out", "litigated", "spread", "barred"])
def test_a_column_of_the_result_is_not_the_name_of_the_audits(name):
    frame = deals({"1": ["1"]}).drop("left_out").rename({"audit": name})
    with pytest.raises(InvalidDocument, match="the result has a column of its own"):
        audits(frame, by=name, left_out="audit")


def test_one_column_is_not_two():
    with pytest.raises(InvalidDocument, match="for two things"):
        audits(deals({"1": ["1"]}), retrospective="disclosed_apr")


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
