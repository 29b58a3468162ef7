"""An ordinary mistake with an answer is an error that says what was expected."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest
from deals import of_gb, shipped
from openpyxl import load_workbook

from holdback import InvalidDocument
from holdback.portfolio import (
    assess,
    cohorts,
    explain,
    findings,
    funnel,
    project,
    read,
    sample,
    summarise,
    sweep,
    to_excel,
    to_html,
)

GB = shipped().resolve("GB", on=date(2026, 7, 1))
DEALS = of_gb().head(40)


def with_lists():
    """The deals as pandas has them, with a list in each cell of a column."""
    pandas = DEALS.to_pandas()
    return pandas.assign(tags=[["new", "large"]] * len(pandas))


MISTAKES = {
    "several columns": (
        lambda: cohorts(DEALS, GB, by=["deal_type", "status"]),
        "$.by: expected the name of a column",
    ),
    "no column": (lambda: cohorts(DEALS, GB, by=None), "$.by: expected the name of a column"),
    "no period": (
        lambda: cohorts(DEALS, GB, by="on", every=3),
        "$.every: expected `month`, `quarter` or `year`",
    ),
    "lists as cohorts": (
        lambda: cohorts(with_lists(), GB, by="tags"),
        "$.tags: expected a value in each row, such as a text or a day, and not lists",
    ),
    "a row by several columns": (
        lambda: explain(DEALS, 3, GB, by=["deal_id"]),
        "$.by: expected `position`, `label` or the name of a column",
    ),
    "several parameters": (
        lambda: sweep(DEALS, GB, ["most_missed"], [1]),
        "$.parameter: expected the name of a parameter",
    ),
    "days as text": (lambda: project(DEALS, GB, days="30"), "as `days=30`, or `days=[30, 60, 90]`"),
    "an unknown library": (
        lambda: funnel(DEALS, GB).to_frame("polrs"),
        "expected `pandas`, `polars` or `pyarrow`; did you mean `polars`?",
    ),
    "a library without rows": (
        lambda: summarise(DEALS, GB).to_frame("duckdb"),
        "$.backend: expected `pandas`, `polars` or `pyarrow`",
    ),
    "findings in an unknown library": (
        lambda: findings(DEALS, GB).to_frame(3),
        "$.backend: expected `pandas`, `polars` or `pyarrow`",
    ),
    "a page of no answers": (lambda: to_html([]), "$.answers: there is no answer to show"),
    "a page of a summary": (
        lambda: to_html([funnel(DEALS, GB), summarise(DEALS, GB)]),
        "$.answers[1]: expected an answer, as `funnel` gives one; a summary and a comparison",
    ),
    "a page of a text": (lambda: to_html("Deals"), "$.answers[0]: expected an answer, as"),
    "rules in a list": (
        lambda: GB.without(["GB-R-04"]),
        'expected the code of a rule as text; write several one after the other, as `without("GB-',
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_explained(mistake):
    """
    The error says what was expected, and where; nothing is a stack trace of Python's own.
    """
    asked, message = MISTAKES[mistake]
    with pytest.raises(InvalidDocument) as raised:
        asked()
    assert message in str(raised.value)


def test_a_workbook_has_an_answer(tmp_path):
    """
    Nothing is written without an answer.
    """
    with pytest.raises(InvalidDocument, match="there is no answer to show"):
        to_excel([], str(tmp_path / "none.xlsx"))
    assert not list(tmp_path.iterdir())


def test_one_answer_needs_no_list(tmp_path):
    """
    A single answer is written as a list of one is.
    """
    answer = funnel(DEALS, GB)
    assert to_html(answer) == to_html([answer]) == to_html(iter([answer]))
    to_excel(answer, str(tmp_path / "one.xlsx"))
    assert load_workbook(tmp_path / "one.xlsx").sheetnames == ["funnel"]
    assert isinstance(answer.to_frame(pl), pl.DataFrame)


def test_a_pandas_column_of_lists_is_no_jurisdiction():
    """
    Values without a hash are of the wrong type, as in every other column.
    """
    deals = sample(5, seed=1, backend="pandas")
    with pytest.raises(InvalidDocument, match=r"\$\.jurisdiction: expected texts"):
        assess(deals.assign(jurisdiction=[["GB"]] * 5), shipped())


def test_a_pandas_column_may_be_called_self():
    """
    A column may have any name, that of Python's own first argument too.
    """
    deals = sample(5, seed=1, backend="pandas")
    named = deals.rename(columns={"progress": "self"})
    found = read(named, columns={"progress": "self"})
    assert found["progress"].to_list() == read(deals)["progress"].to_list()
    assert list(named) == [name if name != "progress" else "self" for name in deals]
