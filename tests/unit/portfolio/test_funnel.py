"""`funnel`: each rule's own answer, and what would become eligible without it, really counted."""

from __future__ import annotations

import random
from datetime import date
from decimal import Decimal

import duckdb
import narwhals.stable.v2 as nw
import polars as pl
import pytest

from holdback import InvalidDocument, Jurisdictions, load_jurisdictions
from holdback.portfolio import OUTCOMES, assess, funnel, prepare, sample, summarise

SHIPPED = load_jurisdictions()
DAY = date(2026, 7, 1)
GB = SHIPPED.resolve("GB", on=DAY)
# Two portfolios of every jurisdiction.
PORTFOLIOS = [(code, seed) for seed in (1, 2) for code in SHIPPED.codes]
DEALS = 150


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


def facts(code, row):
    """The facts of a *row* that the jurisdiction *code* has."""
    names = [fact.name for fact in SHIPPED.resolve(code, on=DAY).catalogue.facts]
    return {name: row[name] for name in names if name in row}


def outcome(rulebook, row):
    """The outcome of one deal, assessed alone."""
    try:
        return rulebook.assess(facts(rulebook.code, row)).outcome
    except InvalidDocument:
        return "invalid"


@pytest.mark.parametrize(("code", "seed"), PORTFOLIOS)
def test_what_would_become_eligible(code, seed):
    """
    "`funnel` and *would become eligible* equal a brute-force re-assessment without the rule on 20
    portfolios."
    """
    rulebook, deals = SHIPPED.resolve(code, on=DAY), portfolio_of(code, seed)
    rows = deals.to_dicts()
    before = [outcome(rulebook, row) for row in rows]
    _, *of_rules = funnel(deals, rulebook).records
    assert [record["rule"] for record in of_rules] == [r.code for r in rulebook.renewal.rules]
    for record in of_rules:
        without = rulebook.without(record["rule"])
        freed = [
            row
            for row, was in zip(rows, before, strict=True)
            if was != "eligible" and outcome(without, row) == "eligible"
        ]
        assert record["would_become_eligible"] == record["alone"] == len(freed)
        assert record["balance"] == sum((row["balance"] or 0 for row in freed), Decimal(0))
        assert record["currency"] == str(rulebook.currency)


def test_that_many_portfolios_were_asked():
    """
    There are 20 portfolios, and rules without which deals become eligible in nearly all of them.
    """
    assert len(PORTFOLIOS) == 20
    answers = [
        funnel(portfolio_of(code, seed), SHIPPED.resolve(code, on=DAY)) for code, seed in PORTFOLIOS
    ]
    freed = [sum(each["would_become_eligible"] for each in answer.records) for answer in answers]
    assert sum(map(bool, freed)) >= 18


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
    frame = pl.DataFrame(rows, schema=deals.schema)
    by_code = {record["rule"]: record for record in funnel(frame, GB).records}
    (reason,) = summarise(frame, GB).reasons
    assert (reason.what, reason.deals) == ("GB-R-02", 3)
    assert by_code["GB-R-02"]["failed"] == 3
    assert by_code["GB-R-02"]["alone"] == by_code["GB-R-02"]["would_become_eligible"] == 1
    assert by_code["GB-R-05"]["unknown"] == 1


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
    assert f"{invalid:,} deals are invalid, and counted in no row" in both.notes
    floor = [record for record in both.records if record["rule"] == "FLOOR"]
    answered = sum(each["passed"] + each["failed"] + each["unknown"] for each in floor)
    assert answered == deals.height - invalid


@pytest.mark.parametrize("kind", ["prepared", "pandas", "pyarrow", "lazy", "duckdb"])
def test_every_kind_of_frame(kind):
    """
    Every kind of frame has the same answer; its `to_frame` is of the library of the deals.
    """
    deals = portfolio_of("GB", 2)
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
