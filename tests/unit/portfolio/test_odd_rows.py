"""The last row of a file of deals: totals are found, and no deal is called one."""

from __future__ import annotations

import pyarrow as pa
import pytest

from holdback.errors import InvalidDocument
from holdback.portfolio.files.odd_rows import check_last_row
from holdback.rules.types import Kind

KINDS = {
    "on": Kind.DATE,
    "progress": Kind.PERCENT,
    "days_since_funding": Kind.DAYS,
    "balance": Kind.MONEY,
    "average_monthly_takings": Kind.MONEY,
    "status": Kind.TEXT,
    "paused": Kind.FLAG,
}
DEALS = [
    {
        "deal_id": f"D-{number}",
        "merchant": f"Merchant {number}",
        "jurisdiction": "GB",
        "on": "2026-07-01",
        "progress": "64.5",
        "days_since_funding": "150",
        "balance": f"{number}.25",
        "average_monthly_takings": "2000.10",
        "status": ("Funded", "Repaid")[number % 2],
        "paused": "false",
        "repayment_amount": "5000.00",
        "risk_band": "Low",
    }
    for number in range(1, 6)
]
DEAL = {**DEALS[0], "deal_id": "D-6"}
TOTALS = {
    "a label and a sum": {"deal_id": "Total", "balance": "16.25"},
    "as Excel's subtotals": {"deal_id": "Grand Total", "balance": "16.25"},
    "as a pivot table": {"jurisdiction": "GB Total", "balance": "16.25", "repayment_amount": "9"},
    "a number of deals": {"deal_id": "Total: 5 deals", "balance": "16.25"},
    "a label in another column": {"merchant": "TOTAL", "balance": "16.25"},
    "a label among numbers": {"progress": "Total", "balance": "16.25"},
    "German": {"deal_id": "Gesamtergebnis", "balance": "16,25"},
    "French": {"deal_id": "Total général :", "balance": "16,25"},
    "Japanese": {"deal_id": "合計", "balance": "16"},
    "averages": {
        "deal_id": "Average",
        "progress": "64.5",
        "days_since_funding": "150",
        "balance": "3.25",
        "average_monthly_takings": "2000.10",
        "repayment_amount": "5000",
    },
    "what all rows share": {"deal_id": "Sum", "jurisdiction": "GB", "balance": "16.25"},
    "a few numbers and no word": {"balance": "16.25", "average_monthly_takings": "10000.50"},
    "sums of everything": {
        "jurisdiction": "GB",
        "progress": "322.5",
        "days_since_funding": "750",
        "balance": "16.25",
        "average_monthly_takings": "10000.50",
        "repayment_amount": "25000",
    },
}
NOT_TOTALS = {
    "a band": {**DEAL, "risk_band": "Average"},
    "a merchant": {**DEAL, "merchant": "Golden Dim Sum"},
    "a merchant of fuel": {**DEAL, "merchant": "Total"},
    "an id": {**DEAL, "deal_id": "SUM-6"},
    "a deal of which little is known": {"deal_id": "D-6", "merchant": "Dim Sum", "balance": "5"},
    "a deal without an id": {**DEAL, "deal_id": "", "merchant": "Golden Dim Sum"},
    "a deal without some texts": {**DEAL, "merchant": "Dim Sum", "status": "", "on": ""},
    "numbers of a deal without texts": {
        "progress": "64.5",
        "days_since_funding": "150",
        "balance": "3.25",
        "average_monthly_takings": "2000.10",
        "repayment_amount": "5000",
        "jurisdiction": "GB",
    },
    "an id and numbers": {"deal_id": "D-6", "balance": "16.25"},
}


def table(last, deals=DEALS, without=()):
    """The *deals*, and below them the *last* row, *without* some columns."""
    heads = [head for head in DEALS[0] if head not in without]
    rows = [{head: row.get(head) or None for head in heads} for row in (*deals, last)]
    return pa.Table.from_pylist(rows, pa.schema([(head, pa.string()) for head in heads]))


@pytest.mark.parametrize("name", TOTALS)
def test_a_total_is_found(name):
    """
    A total lacks what makes a deal, and the advice names it.
    """
    with pytest.raises(InvalidDocument, match="looks like a total") as caught:
        check_last_row(table(TOTALS[name]), KINDS)
    assert "delete the row" in str(caught.value)
    assert "`status`" in str(caught.value)


@pytest.mark.parametrize("name", NOT_TOTALS)
def test_a_deal_is_never_called_a_total(name):
    """
    Advice that would delete a deal is worse than none.
    """
    check_last_row(table(NOT_TOTALS[name]), KINDS)
    check_last_row(table(NOT_TOTALS[name], DEALS[:1]), KINDS)


@pytest.mark.parametrize("merchant", ["Golden Dim Sum", "Average Joe's", "Total"])
def test_a_deal_of_a_file_without_ids(merchant):
    """
    All deals may share all other texts, and a name may be that of a total.
    """
    deals = [{**deal, "status": "Funded"} for deal in DEALS]
    last = {**DEAL, "merchant": merchant, "status": "Funded"}
    check_last_row(table(last, deals, without=["deal_id"]), KINDS)
    check_last_row(table({**last, "on": None}, deals, without=["deal_id"]), KINDS)


def test_one_row_is_a_deal():
    """
    A total is of deals above it.
    """
    check_last_row(table(TOTALS["a label and a sum"], []), KINDS)
