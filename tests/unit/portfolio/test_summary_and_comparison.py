"""What is counted of a portfolio is what is counted by hand, one deal at a time."""

from __future__ import annotations

import shutil
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pytest
from deals import alone, counted, deals, of_gb, shipped

from holdback import Jurisdictions, load_jurisdictions
from holdback.portfolio import assess, compare, prepare, summarise

# The day of all deals of the sample. A lazy frame is quicker when the day is given.
DAY = date(2026, 7, 1)
REPOSITORY = Path(__file__).parents[3]
KINDS = {
    "polars": lambda frame: frame,
    "polars lazy": lambda frame: frame.lazy(),
    "pyarrow": lambda frame: frame.to_arrow(),
    "pandas": lambda frame: frame.to_pandas(use_pyarrow_extension_array=True),
    "duckdb": lambda frame: duckdb.from_arrow(frame.to_arrow()),
}


@pytest.fixture(scope="module")
def stricter(tmp_path_factory):
    """The shipped jurisdictions, but GB wants 90% of the pace."""
    folder = tmp_path_factory.mktemp("other") / "jurisdictions"
    shutil.copytree(REPOSITORY / "jurisdictions", folder)
    file = folder / "GB" / "renewal.toml"
    text = file.read_text(encoding="utf-8")
    assert text.count('value = "80%"') == 1
    file.write_text(text.replace('value = "80%"', 'value = "90%"'), encoding="utf-8")
    return load_jurisdictions(folder)


@pytest.mark.parametrize("kind", KINDS)
def test_a_summary_counts_what_the_rulebooks_say(kind):
    """
    A summary counts outcomes by jurisdiction and by reason, and the money at stake.
    """
    outcomes, codes, needs, left = counted(shipped())

    summary = summarise(KINDS[kind](deals()), shipped(), on=DAY)

    assert summary.deals == deals().height
    assert {(each.jurisdiction, each.what): each.deals for each in summary.outcomes} == outcomes
    assert {(each.jurisdiction, each.what): each.deals for each in summary.reasons} == codes
    assert {(each.jurisdiction, each.what): each.deals for each in summary.needs} == needs
    for each in summary.outcomes:
        if each.what != "invalid":
            _, amount = each.balance.split()
            assert Decimal(amount) == left[each.jurisdiction, each.what]


def test_a_summary_of_parts_is_that_of_the_whole():
    """
    Read one after the other, as a command reads a long file, parts add up.
    """
    parts = [deals().slice(0, 1_000), deals().slice(1_000)]

    first, second = (summarise(part, shipped()) for part in parts)

    assert (first + second).plain() == summarise(deals(), shipped()).plain()


def test_of_a_reason_it_is_told_what_it_stops_alone():
    """
    A deal with two reasons is not won by changing one rule.
    """
    frame = of_gb()
    alone_by_hand = {}
    for row in frame.iter_rows(named=True):
        _, assessment = alone(row, shipped())
        if assessment is not None and len(assessment.codes) == 1:
            (code,) = assessment.codes
            alone_by_hand[code] = alone_by_hand.get(code, 0) + 1

    told = {each.what: each.alone for each in summarise(frame, shipped()).reasons}

    assert {code: count for code, count in told.items() if count} == alone_by_hand


@pytest.mark.parametrize("kind", KINDS)
def test_prepared_columns_are_answered_alike(kind):
    """
    Prepared columns give the answers of the plain ones.
    """
    frame = KINDS[kind](deals())

    prepared = prepare(frame, shipped(), on=DAY)
    assert summarise(prepared, shipped(), on=DAY, prepared=True).plain() == (
        summarise(frame, shipped(), on=DAY).plain()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_comparison_tells_who_changes_why_and_how_much(kind, stricter):
    """
    A comparison shows which deals change, why, and how much money is at stake.
    """
    moved, left, who = {}, {}, []
    for row in of_gb().iter_rows(named=True):
        (_, before), (_, after) = alone(row, shipped()), alone(row, stricter)
        if before is not None and after is not None and before.outcome != after.outcome:
            key = before.outcome, after.outcome
            moved[key] = moved.get(key, 0) + 1
            left[key] = left.get(key, 0) + (row["balance"] or 0)
            who.append((row["deal_id"], ", ".join(before.codes), ", ".join(after.codes)))

    old, new = (Jurisdictions([each["GB"]]) for each in (shipped(), stricter))
    found = compare(KINDS[kind](of_gb()), old, new)

    assert moved
    assert {(each.before, each.after): each.deals for each in found.transitions} == moved
    assert {
        (each.before, each.after): Decimal(each.balance[4:]) for each in found.transitions
    } == left
    changed = _rows(found.changed)
    told = [(row["deal_id"], row["codes_before"], row["codes_after"]) for row in changed]
    assert sorted(told) == sorted(who)
    assert found.changes == len(who)
    (turn,) = [each for each in found.reasons if each.why == "now decides"]
    assert (turn.code, turn.deals) == ("GB-R-02", len(who))


def _rows(frame):
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, duckdb.DuckDBPyRelation):
        frame = frame.to_arrow_table()
    if isinstance(frame, pd.DataFrame):
        return frame.to_dict("records")
    return frame.to_pylist() if hasattr(frame, "to_pylist") else frame.to_dicts()


def test_comparing_a_lazy_frame_leaves_the_changed_deals_lazy(stricter):
    """
    The changed deals of a lazy frame are a lazy frame.
    """
    assert isinstance(compare(of_gb().lazy(), shipped(), stricter).changed, pl.LazyFrame)


def test_no_deals_have_a_summary_and_a_comparison():
    """
    A query may find nothing.
    """
    none = deals().head(0)

    assert str(summarise(none, shipped())) == "There are no deals."
    assert str(compare(none, shipped(), shipped())) == "There are no deals."
    assert assess(none, shipped()).width == none.width + 4


def test_a_summary_looks_like_a_table_in_a_notebook():
    """
    A notebook shows a summary as a table.
    """
    html = summarise(of_gb(), shipped())._repr_html_()

    assert '<td style="text-align:left">GB-R-02</td>' in html
    assert "<script" not in html
