"""What a portfolio becomes at a pace is what each deal becomes by `forecast`, one by one."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from decimal import Decimal

import duckdb
import polars as pl
import pytest
from deals import deals, facts_of, shipped
from hypothesis import given
from hypothesis import strategies as st

from counts import count
from holdback import ConfigurationError, InvalidDocument
from holdback.eligibility.assessment import assess
from holdback.exact.money import Currency, Money
from holdback.portfolio import project
from holdback.portfolio.assessing.outcome_codes import OUTCOMES
from holdback.portfolio.studies.outcome_counts import plan_to_vary
from holdback.portfolio.studies.pace_projection import TOO_LATE, PortfolioProjection
from holdback.tools.advice import windows
from holdback.tools.advice.pace import read_pace
from holdback.tools.advice.windows import Course

DAY = date(2026, 7, 1)
NAMES = (*OUTCOMES, TOO_LATE)


def alone_after(row, days, pace):
    """The outcome of a row after *days* days by the course of that deal alone, and its balance."""
    try:
        jurisdiction = shipped()[row["jurisdiction"]]
        rulebook = jurisdiction.rulebook(row["on"])
        facts = rulebook.catalogue.prepare(facts_of(rulebook, row))
    except (ConfigurationError, InvalidDocument):
        return "invalid", None
    course = Course(rulebook.catalogue, facts, row["on"], read_pace(pace, rulebook.currency))
    later = jurisdiction.rulebook(row["on"] + timedelta(days=days))
    moved = course.after(days, later.checks)
    repaid = course.repaid_for(days)
    balance = moved[rulebook.catalogue.place("balance")]
    if repaid is not None and repaid > later.recently_active_days:
        return TOO_LATE, balance
    return assess(later.renewal, moved, later.on).outcome, balance


def projected(frame, days, pace):
    plan = plan_to_vary(frame, shipped(), "jurisdiction", None, prepared=False)
    return [NAMES[place] for place in PortfolioProjection(plan, shipped(), pace).after(days)[0]]


@pytest.mark.parametrize(
    ("days", "pace"), [(0, None), (1, "2.5%"), (30, None), (90, "0.4%"), (400, "0.4%")]
)
def test_each_deal_becomes_what_its_forecast_says(days, pace):
    """
    Facts move as in `holdback.tools.advice`, and those that cannot be followed are unknown.
    """
    frame = deals().head(count("deals projected one by one"))
    rows = list(frame.iter_rows(named=True))

    assert projected(frame, days, pace) == [alone_after(row, days, pace)[0] for row in rows]


AMOUNTS = st.none() | st.integers(0, 10**6) | st.integers(0, 10**12)


def maybe(strategy):
    return st.none() | strategy


@pytest.mark.filterwarnings("ignore::holdback.portfolio.SuspectColumns")  # the numbers are drawn
@given(
    rows=st.lists(
        st.fixed_dictionaries(
            {
                "progress": maybe(st.integers(0, 1_000_000)),
                "performance": maybe(st.integers(0, 2_000_000) | st.integers(0, 10**10)),
                "balance": AMOUNTS,
                "repayment_amount": AMOUNTS,
                "status": st.sampled_from([None, "Funded", "Repaid", "Renewed", "Defaulted"]),
                "paused": st.sampled_from([None, False, True]),
                "days_since_funding": maybe(st.integers(0, 700) | st.just(36_600)),
                "months_since_funding": maybe(st.integers(0, 24) | st.just(1_203)),
                "remaining_term_days": maybe(st.integers(0, 700)),
                "days_in_pause": maybe(st.integers(0, 40)),
                "days_since_last_remittance": maybe(st.integers(0, 40)),
                "missed_remittances_30d": maybe(st.integers(0, 30)),
                "longest_silence_90d": maybe(st.integers(0, 90)),
                "months_trading": maybe(st.integers(0, 50)),
                "identity_age_days": maybe(st.integers(0, 400)),
                "day": st.integers(0, 200),
            }
        ),
        min_size=1,
        max_size=20,
    ),
    days=st.integers(0, 500),
    pace=st.sampled_from([None, "0.4%", "7%", "0.0001%", "GBP 52.44", "GBP 1000000", "GBP 0"]),
)
def test_every_fact_of_any_deal_moves_as_in_its_course(rows, days, pace):
    """
    The course of many deals gives what the course of each gives, to the last unit, with any facts
    known and with amounts of any size.
    """
    first = deals().filter(jurisdiction="GB").head(1)
    frame = pl.concat([first] * len(rows)).with_columns(
        *(
            pl.Series(name, [row[name] for row in rows], dtype)
            for name, dtype in (("status", pl.String), ("paused", pl.Boolean))
        ),
        *(
            pl.Series(name, [_decimal(row[name], places) for row in rows], pl.Decimal(38, places))
            for name, places in (
                ("progress", 4),
                ("performance", 4),
                ("balance", 2),
                ("repayment_amount", 2),
            )
        ),
        *(
            pl.Series(name, [row[name] for row in rows], pl.Int64)
            for name in (
                "days_since_funding",
                "months_since_funding",
                "remaining_term_days",
                "days_in_pause",
                "days_since_last_remittance",
                "missed_remittances_30d",
                "longest_silence_90d",
                "months_trading",
                "identity_age_days",
            )
        ),
        pl.Series("on", [DAY + timedelta(days=row["day"]) for row in rows]),
    )
    rulebook = shipped().resolve("GB", on=DAY)
    names = [fact.name for fact in rulebook.catalogue.facts if fact.name in frame.columns]
    plan = plan_to_vary(frame, shipped(), "jurisdiction", None, prepared=False)
    by_row = {}
    for group in PortfolioProjection(plan, shipped(), pace).groups:
        moved = group.course.after(days, rulebook.checks, names)
        repaid = group.course.repaid_for(days)
        for place, row in enumerate(group.rows):
            by_row[row] = _cells(moved, place), _cell(repaid, place)

    for number, row in enumerate(frame.iter_rows(named=True)):
        facts = rulebook.catalogue.prepare(facts_of(rulebook, row))
        course = Course(rulebook.catalogue, facts, row["on"], read_pace(pace, rulebook.currency))
        moved = course.after(days, rulebook.checks)
        expected = {name: moved[rulebook.catalogue.place(name)] for name in names}
        assert by_row[number] == (expected, course.repaid_for(days))


def _decimal(number, places):
    return None if number is None else Decimal(number).scaleb(-places)


def _cells(moved, place):
    return {name: _cell(column, place) for name, column in moved.items()}


def _cell(column, place):
    return int(column.number[place]) if column.is_known[place] else None


KINDS = {
    "polars": lambda frame: frame,
    "pyarrow": lambda frame: frame.to_arrow(),
    "pandas": lambda frame: frame.to_pandas(use_pyarrow_extension_array=True),
    "pandas of NumPy": lambda frame: frame.to_pandas(),
    "duckdb": lambda frame: duckdb.from_arrow(frame.to_arrow()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_projection_counts_deals_and_balances(kind):
    """
    There is a row for today and for each number of days, with the eligible deals' balance then, on
    every engine.
    """
    frame = deals().head(200)
    counted, left = Counter(), Counter()
    for row in frame.iter_rows(named=True):
        known = row["jurisdiction"] in shipped().codes
        for days in (0, 60):
            outcome, balance = alone_after(row, days, "0.4%")
            code = row["jurisdiction"] if known else "-"
            counted[code, days, outcome] += 1
            left[code, days] += (balance or 0) if outcome == "eligible" else 0

    answer = project(KINDS[kind](frame), shipped(), days=[60], pace="0.4%", on=DAY)

    found = {
        (row["jurisdiction"], row["days"], name): row[name]
        for row in answer.records
        for name in NAMES
        if row[name]
    }
    assert found == counted
    for row in answer.records:
        if row["jurisdiction"] != "-":
            places = shipped().currency(row["jurisdiction"]).places
            assert row["balance"] == _decimal(left[row["jurisdiction"], row["days"]], places)
            assert row["day"] == DAY + timedelta(days=row["days"])


def test_a_deal_is_eligible_on_the_days_of_its_windows():
    """
    A projection of one deal agrees with the windows in which it would pass.
    """
    great_britain = shipped()["GB"]
    typical = dict(great_britain.typical["renewal"])
    typical |= {"performance": "76%", "progress": "49%", "balance": "5000"}
    row = {name: [value] for name, value in typical.items()}
    frame = pl.DataFrame(row | {"jurisdiction": ["GB"], "on": [DAY]})
    unknown = {
        name: pl.Series([None], dtype=dtype)
        for name, dtype in deals().schema.items()
        if name not in frame.columns
    }
    frame = frame.with_columns(**unknown)
    found = windows(great_britain, typical, on=DAY, pace="0.5%", days=120).windows
    inside = {
        days
        for days in range(121)
        if any(window.first <= DAY + timedelta(days=days) <= window.last for window in found)
    }

    answer = project(frame, shipped(), days=range(121), pace="0.5%")

    assert {row["days"] for row in answer.records if row["eligible"]} == inside
    assert 0 < len(inside) < 121


def test_a_projection_says_what_it_assumes_and_what_it_lacks():
    """
    The pace, the rules and the missing columns are in its sentences.
    """
    frame = deals().head(50).drop("days_in_pause")

    notes = " ".join(project(frame, shipped(), days=[30], pace="0.4%").notes)

    assert "0.4% of the repayment amount is remitted on every day" in notes
    assert "unknown: days_in_pause" in notes
    assert "published so far" in notes
    rulebook = shipped().resolve("GB", on=DAY)
    of_gb = deals().filter(jurisdiction="GB").head(20)
    proposal = rulebook.replace(minimum_performance="85%")
    notes = " ".join(project(of_gb, proposal, days=[30]).notes)
    assert "nothing is remitted" in notes
    assert "the rules of 2026-07-01 hold on every day" in notes
    assert "GB is a proposal: minimum_performance is 85% instead of 80%" in notes


@pytest.mark.parametrize("days", [[-1], [3_661], [True], ["30"]])
def test_days_that_are_no_numbers_of_days_are_refused(days):
    """
    A number of days is whole, from 0 to ten years.
    """
    with pytest.raises(InvalidDocument, match="numbers of days from 0 to 3660"):
        project(deals().head(5), shipped(), days=days)


def test_an_amount_is_of_one_currency():
    """
    An amount over deals of several currencies is refused: the deals in the others would stand
    still. Over deals of its own currency, of any jurisdictions, it holds.
    """
    with pytest.raises(InvalidDocument) as raised:
        project(deals(), shipped(), pace="GBP 52.44")
    message = str(raised.value)
    assert "$.pace: an amount is in one currency, and these deals are in `AUD`, `CAD`, " in message
    assert "give a share, such as `0.4%`, or keep the deals of one currency" in message
    for pace in ("GBP 52.44", Money(5244, Currency.of("GBP"))):
        notes = project(deals().filter(jurisdiction="GB"), shipped(), pace=pace).notes
        assert "GBP 52.44 is remitted on every day" in notes
    in_euro = deals().filter(pl.col("jurisdiction").is_in(["DE", "IE"]))
    assert "EUR 5.00 is remitted on every day" in project(in_euro, shipped(), pace="EUR 5").notes
    with pytest.raises(InvalidDocument, match="expected an amount in EUR, not in GBP"):
        project(in_euro, shipped(), pace="GBP 5")


@pytest.mark.parametrize("pace", ["0.4", "5", 5, Decimal("0.4"), ""])
def test_a_pace_has_its_unit(pace):
    """
    A number alone may be an amount in any currency, or a percentage without its sign.
    """
    for frame in (deals(), deals().filter(jurisdiction="GB")):
        with pytest.raises(InvalidDocument, match=r"\$\.pace: .* with its currency, or a percent"):
            project(frame, shipped(), pace=pace)
