"""`funnel`: each rule's own answer, and what would become eligible without it, really counted."""

from __future__ import annotations

import random
from datetime import date
from decimal import Decimal
from functools import cache

import duckdb
import narwhals.stable.v2 as nw
import polars as pl
import pytest

from holdback import InvalidDocument, Jurisdictions, load_jurisdictions
from holdback.portfolio import OUTCOMES, assess, funnel, prepare, sample, summarise
from holdback.portfolio.assessing.row_rulebooks import names_read
from own_rules import with_own_rules

SHIPPED = load_jurisdictions()
DAY = date(2026, 7, 1)
GB = SHIPPED.resolve("GB", on=DAY)
# Two portfolios of every jurisdiction with rules of its own.
PORTFOLIOS = [(code, seed) for seed in (1, 2) for code in with_own_rules(SHIPPED).codes]
DEALS = 150
# A value of each kind of column that cannot be read; a flag and a day can always be read.
UNREADABLE = {
    pl.Int64: -1,
    pl.Decimal: Decimal(-1),
    pl.String: "no such word",
    pl.Boolean: None,
    pl.Date: None,
}


@cache
def portfolio_of(code, seed):
    """Deals that a rulebook of *code* is asked about, near its rules, with facts left out."""
    drawn = random.Random(f"funnel {code} {seed}")
    # Facts of deals that are often eligible: few facts of a row are then in the way.
    table = sample(20 * DEALS, seed=seed, backend="polars").filter(pl.col("jurisdiction") == code)
    rows = [*table.head(DEALS).to_dicts()]
    assert rows
    rulebook = SHIPPED.resolve(code, on=DAY)
    eligible = [row for row in rows if outcome(rulebook, row) == "eligible"]
    for place in range(DEALS // 2 if eligible else 0):
        row, other = dict(drawn.choice(eligible)), drawn.choice(rows)
        for name in drawn.sample(sorted(facts(code, row)), drawn.randrange(4)):
            row[name] = drawn.choice([None, other[name], other[name]])
        rows.append(row | {"deal_id": f"near {place}"})
    return pl.DataFrame(rows, schema=table.schema)


@cache
def unreadable_in(code, seed):
    """
    The deals of `portfolio_of`, and others that nothing but a value or two that cannot be read
    keeps from being eligible, or the jurisdiction, which is missing.
    """
    drawn = random.Random(f"unreadable {code} {seed}")
    deals, rulebook = portfolio_of(code, seed), SHIPPED.resolve(code, on=DAY)
    eligible = [row for row in deals.to_dicts() if outcome(rulebook, row) == "eligible"]
    wrong = {name: UNREADABLE[type_.base_type()] for name, type_ in deals.schema.items()}
    read = sorted(name for name in names_read(rulebook) if wrong.get(name) is not None)
    rows = []
    for place in range(DEALS // 2 if eligible else 0):
        row = drawn.choice(eligible) | {"deal_id": f"unreadable {place}"}
        for name in drawn.sample(read, drawn.choice([1, 1, 2])):
            row[name] = wrong[name]
        if place % 4 == 0:  # and something else is in the way, or missing
            row |= {drawn.choice(read): None}
        if place % 25 == 0:
            row["jurisdiction"] = None
        rows.append(row)
    return pl.concat([deals, pl.DataFrame(rows, schema=deals.schema)])


def rulebook_asked(code, seed):
    """The rulebook of *code*, or for every second portfolio a proposal, without a rule of it."""
    rulebook = SHIPPED.resolve(code, on=DAY)
    return rulebook.without(rulebook.renewal.rules[-1].code) if seed % 2 == 0 else rulebook


def facts(code, row):
    """The facts of a *row* that the jurisdiction *code* has."""
    names = [fact.name for fact in SHIPPED.resolve(code, on=DAY).catalogue.facts]
    return {name: row[name] for name in names if name in row}


def outcome(rulebook, row):
    """The outcome of one deal, assessed alone, with the facts that its rules read."""
    read = names_read(rulebook)
    given = {name: value for name, value in facts(rulebook.code, row).items() if name in read}
    try:
        return rulebook.assess(given).outcome
    except InvalidDocument:
        return "invalid"


@pytest.mark.parametrize(("code", "seed"), PORTFOLIOS)
def test_what_would_become_eligible(code, seed):
    """
    "`funnel` and *would become eligible* equal a brute-force re-assessment without the rule on 20
    portfolios."
    """
    rulebook = rulebook_asked(code, seed)
    deals = unreadable_in(code, seed).filter(pl.col("jurisdiction").is_not_null())
    rows = deals.to_dicts()
    before = [outcome(rulebook, row) for row in rows]
    _, *of_rules = funnel(deals, rulebook).records
    assert [record["rule"] for record in of_rules] == [r.code for r in rulebook.renewal.rules]
    for record in of_rules:
        without = rulebook.without(record["rule"])
        freed = [
            (row, was)
            for row, was in zip(rows, before, strict=True)
            if was != "eligible" and outcome(without, row) == "eligible"
        ]
        assessed = assess(deals, without)["outcome"].to_list().count(0)
        assert assessed == before.count("eligible") + len(freed)
        assert record["would_become_eligible"] == len(freed)
        assert record["alone"] == sum(1 for _, was in freed if was != "invalid")
        assert record["balance"] == sum(
            (max(row["balance"] or 0, 0) for row, _ in freed), Decimal(0)
        )
        assert record["currency"] == str(rulebook.currency)


@pytest.mark.parametrize(("code", "seed"), PORTFOLIOS[:10])
def test_rows_without_a_rulebook_become_eligible_without_no_rule(code, seed):
    """
    A row without a rulebook is invalid under any rule.
    """
    two, deals = Jurisdictions([SHIPPED[code]]), unreadable_in(code, seed)
    known = deals.filter(pl.col("jurisdiction").is_not_null())
    asked = funnel(deals, two, on=DAY)
    assert asked.rows == funnel(known, SHIPPED.resolve(code, on=DAY)).rows
    invalid = assess(deals, two, on=DAY)["outcome"].to_list().count(OUTCOMES.index("invalid"))
    assert any(note.startswith(f"{invalid:,} deals are invalid") for note in asked.notes)


def test_that_many_portfolios_were_asked():
    """
    There are 20 portfolios, and rules without which deals become eligible in nearly all of them.
    """
    assert len(PORTFOLIOS) == 20
    answers = [
        funnel(unreadable_in(code, seed).drop_nulls("jurisdiction"), rulebook_asked(code, seed))
        for code, seed in PORTFOLIOS
    ]
    freed = [sum(each["would_become_eligible"] for each in answer.records) for answer in answers]
    assert sum(map(bool, freed)) >= 18
    alone = [sum(each["alone"] for each in answer.records) for answer in answers]
    assert sum(all_ > valid > 0 for all_, valid in zip(freed, alone, strict=True)) >= 18


@pytest.mark.parametrize(("code", "seed"), PORTFOLIOS[:3])
def test_each_rules_own_answer(code, seed):
    """
    Each rule's own answer is counted over the deals that reach the rules; the floor's over all.
    """
    rulebook, deals = SHIPPED.resolve(code, on=DAY), portfolio_of(code, seed)
    traces, floor = [], {True: 0, False: 0, None: 0}
    for row in deals.to_dicts():
        said = outcome(rulebook, row)
        if said == "invalid":
            continue
        progress = row["progress"]
        floor[None if progress is None else progress >= 50] += 1
        if progress is not None and progress >= 50:
            traces.append(rulebook.assess(facts(code, row)).trace)
    first, *of_rules = funnel(deals, rulebook).records
    assert (first["rule"], first["passed"], first["failed"], first["unknown"]) == (
        "FLOOR",
        floor[True],
        floor[False],
        floor[None],
    )
    for place, record in enumerate(of_rules):
        answers = [trace[place].answer for trace in traces]
        counted = [record["passed"], record["failed"], record["unknown"]]
        assert counted == [answers.count(said) for said in (True, False, None)]


def each_its_own(rows):
    """The *rows* as deals of their own."""
    return [row | {"deal_id": f"D-{place}"} for place, row in enumerate(rows)]


def test_alone_means_alone():
    """
    A rule is not alone where another one is unknown, or refers: then nothing becomes eligible
    without it.
    """
    deals = portfolio_of("GB", 1)
    deal = next(row for row in deals.to_dicts() if outcome(GB, row) == "eligible")
    rows = [
        deal | {"performance": Decimal(10)},
        deal | {"performance": Decimal(10), "deals_defaulted": None},
        deal | {"performance": Decimal(10), "missed_remittances_30d": 3},
    ]
    frame = pl.DataFrame(each_its_own(rows), schema=deals.schema)
    by_code = {record["rule"]: record for record in funnel(frame, GB).records}
    (reason,) = summarise(frame, GB).reasons
    assert (reason.what, reason.deals) == ("GB-R-02", 3)
    assert by_code["GB-R-02"]["failed"] == 3
    assert by_code["GB-R-02"]["alone"] == by_code["GB-R-02"]["would_become_eligible"] == 1
    assert by_code["GB-R-05"]["unknown"] == 1


def test_what_cannot_be_read_is_no_bar_without_the_only_rule_that_reads_it():
    """
    `would_become_eligible` is what a new assessment without the rule gives, also of rows that are
    invalid because of what that rule alone reads; a fact that another rule or the floor reads too
    keeps them invalid.
    """
    deals = portfolio_of("GB", 1)
    deal = next(row for row in deals.to_dicts() if outcome(GB, row) == "eligible")
    rows = [
        deal | {"deals_defaulted": -1},  # GB-R-05 alone
        deal | {"deals_defaulted": -1, "performance": Decimal(10)},  # and GB-R-02 is false
        deal | {"deals_defaulted": -1, "performance": None},  # and GB-R-02 is unknown
        deal | {"deals_defaulted": -1, "days_since_funding": -1},  # and GB-R-06 cannot be read
        deal | {"missed_remittances_30d": -1},  # GB-R-04 and GB-R-09
        deal | {"progress": Decimal(-1)},  # GB-R-08 and the floor
    ]
    answer = funnel(pl.DataFrame(each_its_own(rows), schema=deals.schema), GB)
    freed = {record["rule"]: record["would_become_eligible"] for record in answer.records}
    assert {code: number for code, number in freed.items() if number} == {"GB-R-05": 1}
    assert {record["alone"] for record in answer.records} == {0}
    (note,) = (note for note in answer.notes if "invalid" in note)
    assert note == (
        "6 deals are invalid, and not among those passed, failed or unknown; "
        "1 of them would become eligible without the only rule that reads what cannot be read"
    )


def test_several_jurisdictions_and_invalid_rows():
    """
    Each jurisdiction has its rows in its currency; invalid deals are in none, and are counted.
    """
    two = Jurisdictions([SHIPPED["GB"], SHIPPED["JP"]])
    deals = sample(2_000, seed=5, backend="polars")
    both = funnel(deals, two)
    for code in ("GB", "JP"):
        only = deals.filter(pl.col("jurisdiction") == code)
        own = funnel(only, two).rows
        assert [row for row in both.rows if row[0] == code] == list(own)
    assert {(record["jurisdiction"], record["currency"]) for record in both.records} == {
        ("GB", "GBP"),
        ("JP", "JPY"),
    }
    invalid = assess(deals, two)["outcome"].to_list().count(OUTCOMES.index("invalid"))
    invalid_note = f"{invalid:,} deals are invalid, and not among those passed, failed or unknown"
    assert any(note.startswith(invalid_note) for note in both.notes)
    floor = [record for record in both.records if record["rule"] == "FLOOR"]
    answered = sum(each["passed"] + each["failed"] + each["unknown"] for each in floor)
    assert answered == deals.height - invalid


@pytest.mark.parametrize("kind", ["prepared", "pandas", "pyarrow", "lazy", "duckdb"])
def test_every_kind_of_frame(kind):
    """
    Every kind of frame has the same answer; its `to_frame` is of the library of the deals.
    """
    deals = unreadable_in("GB", 2).drop_nulls("jurisdiction")
    frames = {
        "prepared": (prepare, "polars"),
        "pandas": (lambda frame, _: frame.to_pandas(), "pandas"),
        "pyarrow": (lambda frame, _: frame.to_arrow(), "pyarrow"),
        "lazy": (lambda frame, _: frame.lazy(), "polars"),
        "duckdb": (lambda frame, _: duckdb.from_arrow(frame.to_arrow()), "polars"),
    }
    make, backend = frames[kind]
    answer = funnel(make(deals, GB), GB, prepared=kind == "prepared")
    assert answer.rows == funnel(deals, GB).rows
    assert str(nw.from_native(answer.to_frame()).implementation) == backend


def test_a_proposal_is_named():
    """
    The answer says that its rulebook is a proposal.
    """
    proposed = GB.replace(minimum_performance="85%")
    notes = funnel(portfolio_of("GB", 1), proposed).notes
    assert "GB is a proposal: minimum_performance is 85% instead of 80%" in notes
