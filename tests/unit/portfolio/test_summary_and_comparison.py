"""What is counted of a portfolio is what is counted by hand, one deal at a time."""

from __future__ import annotations

import re
import shutil
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pytest
from deals import alone, counted, deals, of_gb, shipped

from holdback import InvalidDocument, Jurisdictions, load_jurisdictions
from holdback.exact.bounds import most_money
from holdback.exact.money import Currency
from holdback.portfolio import assess, compare, migration, prepare, summarise

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
    A notebook shows a summary as tables.
    """
    html = summarise(of_gb(), shipped())._repr_html_()

    assert re.search("<td[^>]*>GB-R-02</td>", html)
    assert html.count("<caption") >= 2
    assert "<script" not in html


COUNTED = ("overpaid", "recovered", "written_off")


@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_summary_counts_refunds_due_recoveries_and_write_offs_by_currency(kind, prepared):
    """
    `summarise` counts refunds due, recoveries and write-offs by currency, to the minor unit, and
    alike on every engine, of plain and of prepared columns.
    """
    by_hand = {}
    for row in deals().iter_rows(named=True):
        rulebook, _ = alone(row, shipped())
        currency = str(rulebook.currency) if rulebook else "-"
        for name in COUNTED:
            count, total, unknown = by_hand.get((currency, name), (0, Decimal(0), 0))
            amount = row[name] if rulebook else None
            count, unknown = count + ((amount or 0) > 0), unknown + (amount is None)
            by_hand[currency, name] = count, total + (amount or 0), unknown

    frame = KINDS[kind](deals())
    frame = prepare(frame, shipped(), on=DAY) if prepared else frame
    lines = summarise(frame, shipped(), on=DAY, prepared=prepared).ledger

    assert {
        (line.currency, line.column): (line.deals, Decimal(line.amount[4:] or 0), line.unknown)
        for line in lines
    } == by_hand
    assert {line.currency for line in lines} > {"GBP", "JPY", "USD"}
    assert all(any(line.deals for line in lines if line.column == name) for name in COUNTED), (
        "the sample has some of each"
    )


FIVE_DEALS = {
    "jurisdiction": ["GB", "GB", "GB", "JP", "ZZ"],
    "overpaid": ["80.96", "0.00", None, "0", "1.00"],
    "recovered": ["0.00", "0.10", "0.20", "4000", "1.00"],
    "written_off": ["0.00", "-1.00", "32800.00", "0", "1.00"],
}
FIVE_DEALS_COUNTED = [
    ("-", "overpaid", 0, "", 1),
    ("-", "recovered", 0, "", 1),
    ("-", "written_off", 0, "", 1),
    ("GBP", "overpaid", 1, "GBP 80.96", 1),  # null is unknown
    ("GBP", "recovered", 2, "GBP 0.30", 0),
    ("GBP", "written_off", 1, "GBP 32800.00", 1),  # an amount below zero cannot be read
    ("JPY", "overpaid", 0, "JPY 0", 0),
    ("JPY", "recovered", 1, "JPY 4000", 0),
    ("JPY", "written_off", 0, "JPY 0", 0),
]


def five_deals(**columns):
    """Five deals whose figures are those of any deal, with *columns*."""
    rows = deals().filter(jurisdiction="GB").head(5).drop(*COUNTED, "jurisdiction")
    return rows.with_columns(pl.Series(name, values) for name, values in columns.items())


def counted_ledger(frame):
    """The lines of the ledger of *frame* as tuples."""
    lines = summarise(frame, shipped(), on=DAY).ledger
    return [(line.currency, line.column, line.deals, line.amount, line.unknown) for line in lines]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [pl.Decimal(18, 2), pl.Float64, pl.String])
def test_unknown_amounts_are_counted_and_never_taken_for_zero(kind, dtype):
    """
    Five deals counted by hand: unknown is not zero, and 0.10 and 0.20 are 0.30, also as floats.
    """
    columns = {
        name: pl.Series(values, dtype=pl.String).cast(
            pl.String if name == "jurisdiction" else dtype
        )
        for name, values in FIVE_DEALS.items()
    }
    if dtype == pl.String and kind in {"polars lazy", "duckdb"}:
        with pytest.raises(InvalidDocument, match="expected numbers, not String"):
            counted_ledger(KINDS[kind](five_deals(**columns)))
        return

    assert counted_ledger(KINDS[kind](five_deals(**columns))) == FIVE_DEALS_COUNTED


def test_the_amounts_of_a_ledger_leave_the_outcomes_alone():
    """
    A frame without the columns summarises as before; with them the outcomes are the same.
    """
    without = summarise(deals().drop(*COUNTED), shipped())
    whole = summarise(deals(), shipped())

    assert without.ledger == ()
    assert "ledger" not in without.plain()
    assert "write-offs" not in str(without)
    assert {name: value for name, value in whole.plain().items() if name != "ledger"} == (
        without.plain()
    )
    assert str(whole).startswith(str(without))


def test_only_the_columns_that_are_there_are_counted():
    """
    Each of the columns is optional; of a part of a portfolio without it the amounts are unknown.
    """
    whole, parts = deals(), (deals().slice(0, 1_000), deals().slice(1_000).drop("recovered"))

    added = summarise(parts[0], shipped()) + summarise(parts[1], shipped())
    unknown = sum(line.unknown for line in added.ledger if line.column == "recovered")
    first = parts[0]["recovered"].null_count()

    assert {line.column for line in summarise(parts[1], shipped()).ledger} == {
        "overpaid",
        "written_off",
    }
    of_no_jurisdiction = parts[0].filter(jurisdiction="ZZ", recovered=0).height
    assert unknown == first + of_no_jurisdiction + parts[1].height
    same = [line for line in summarise(whole, shipped()).ledger if line.column != "recovered"]
    assert [line for line in added.ledger if line.column != "recovered"] == same


def test_a_column_of_another_meaning_is_refused_with_what_to_do():
    """
    A column of a total that holds no amounts is refused, and told what to do.
    """
    frame = deals().with_columns(recovered=pl.lit(value=True))

    with pytest.raises(InvalidDocument) as refused:
        summarise(frame, shipped())

    (detail,) = refused.value.errors
    assert detail.path == "$.recovered"
    assert detail.message == "expected numbers, not Boolean"
    assert detail.hint is not None
    assert "rename" in detail.hint
    assert assess(frame, shipped()).height == frame.height


def test_totals_beyond_64_bits_are_exact():
    """
    Sums are exact however large the amounts are.
    """
    most = Decimal(most_money(Currency.of("GBP"))) / 100
    columns = {name: [most] * 5 for name in COUNTED} | {"jurisdiction": ["GB"] * 5}

    lines = summarise(five_deals(**columns), shipped()).ledger

    assert [line.amount for line in lines] == [f"GBP {most * 5:.2f}"] * 3


@pytest.mark.parametrize("asked", [compare, migration])
def test_rules_of_other_deals_are_not_compared(asked):
    """
    Rulebooks in two currencies are about other deals; those of a country and its part are not.
    """
    deals_only = of_gb().drop("jurisdiction", "on")
    british, american = (shipped().resolve(code, on=DAY) for code in ("GB", "US"))
    for frame in (deals_only, deals_only.lazy()):
        with pytest.raises(InvalidDocument) as raised:
            asked(frame, british, american)
        assert str(raised.value) == (
            "$.new: the old rules are of GB in GBP, the new ones of US in USD: they are of other "
            "deals; compare rules in one currency, such as a rulebook and its `replace`"
        )
    assert asked(deals_only, british, british.replace(minimum_performance="85%"))
    of_us = deals().filter(jurisdiction="US").drop("jurisdiction", "on")
    californian = shipped().resolve("US-CA", on=DAY)
    assert asked(of_us, american, californian)


def test_jurisdictions_are_not_compared_in_another_currency(tmp_path):
    """
    A jurisdiction that has changed its currency has other amounts, which are not compared.
    """
    shutil.copytree(REPOSITORY / "jurisdictions" / "GB", tmp_path / "GB")
    for file in (tmp_path / "GB").rglob("*.toml"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("GBP", "EUR"), encoding="utf-8")
    in_euro = load_jurisdictions(tmp_path)

    with pytest.raises(InvalidDocument, match="the old rules are of GB in GBP, the new ones of GB"):
        compare(of_gb(), shipped(), in_euro)
