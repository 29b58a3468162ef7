"""Every question to a portfolio is answered as if each deal were assessed alone."""

from __future__ import annotations

from collections import Counter
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from attrs import evolve
from deals import alone, deals, facts_of, shipped

from counts import count
from holdback import InvalidDocument
from holdback.eligibility.assessment import assess as assess_one
from holdback.eligibility.ruleset import RuleSet
from holdback.portfolio import (
    assess,
    cohorts,
    compare,
    explain,
    findings,
    migration,
    near,
    prepare,
    project,
    summarise,
    sweep,
)
from holdback.rules.tree import Constant, FactRead, comparisons

DAY = date(2026, 7, 1)
KINDS = {
    "polars": lambda frame: frame,
    "polars lazy": lambda frame: frame.lazy(),
    "pyarrow": lambda frame: frame.to_arrow(),
    "pandas": lambda frame: frame.to_pandas(use_pyarrow_extension_array=True),
    "duckdb": lambda frame: duckdb.from_arrow(frame.to_arrow()),
}
OUTCOMES = ("eligible", "referred", "ineligible", "undetermined", "not_assessed", "invalid")
VALUES = ["60%", "80%", "95%"]


def portfolio():
    return deals().head(count("deals asked one by one"))


def assessed(row, change=lambda rulebook: rulebook):
    """The jurisdiction, the outcome and the balance of a row under a changed rulebook."""
    rulebook, _ = alone(row, shipped())
    if rulebook is None:
        return "-", "invalid", None
    try:
        assessment = change(rulebook).assess(facts_of(rulebook, row))
    except InvalidDocument:
        return rulebook.code, "invalid", row["balance"]
    return rulebook.code, assessment.outcome, row["balance"]


@lru_cache
def proposed(code, value):
    """The rulebook of the day with *value*, or with the present value; None if it reads none."""
    rulebook = shipped().resolve(code, on=DAY)
    if not any("minimum_performance" in rule.checked.parameters for rule in rulebook.renewal.rules):
        return None
    return rulebook if value is None else rulebook.replace(minimum_performance=value)


@lru_cache
def with_strangers():
    """The portfolio, and some rows without a rulebook."""
    deals_of_none = portfolio().head(7).with_columns(pl.lit("XX").alias("jurisdiction"))
    return pl.concat([portfolio(), deals_of_none])


@lru_cache
def swept_by_hand():
    """Each deal assessed alone at each value, counted by jurisdiction, value and outcome."""
    by_hand, left = Counter(), Counter()
    for row in with_strangers().iter_rows(named=True):
        code = row["jurisdiction"]
        if code not in shipped().codes:
            by_hand["-", None, "invalid"] += 1
            continue
        if proposed(code, None) is None:
            continue
        numbers = set()
        for value in [None, *VALUES]:
            rulebook = proposed(code, value)
            parameter = rulebook.parameters["minimum_performance"]
            if parameter.number in numbers:
                continue  # the present value, counted already
            numbers.add(parameter.number)
            key = code, parameter.type.show(parameter.number)
            _, outcome, balance = assessed(row, lambda _, rulebook=rulebook: rulebook)
            by_hand[*key, outcome] += 1
            left[key] += (balance or 0) if outcome == "eligible" else 0
    return by_hand, left


@pytest.mark.parametrize("kind", KINDS)
def test_a_sweep_is_one_assessment_for_each_value(kind):
    """
    A sweep has the outcomes at each value of the parameter, and at the present one.
    """
    by_hand, left = swept_by_hand()

    frame = KINDS[kind](with_strangers())
    answer = sweep(frame, shipped(), "minimum_performance", VALUES, on=DAY)

    found = {
        (row["jurisdiction"], row["value"], outcome): row[outcome]
        for row in answer.records
        for outcome in OUTCOMES
        if row[outcome]
    }
    assert found == by_hand
    of_none, *of_codes = answer.records
    assert of_none["jurisdiction"] == "-"
    assert [of_none[head] for head in ("number", "balance", "currency")] == [None] * 3
    for row in of_codes:
        rulebook = shipped().resolve(row["jurisdiction"], on=DAY)
        number = rulebook.parameters["minimum_performance"].number
        assert row["present"] == (row["number"] * 10_000 == number)
        assert row["number"] == Decimal(row["value"].rstrip("%"))
        assert row["balance"] == left[row["jurisdiction"], row["value"]]
        assert row["currency"] == str(rulebook.currency)
    codes = {row["jurisdiction"] for row in answer.records}
    assert len([row for row in answer.records if row["present"]]) == len(codes)
    assert answer.plot().to_dict()["vconcat"]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_without_a_rulebook_are_in_a_sweep(kind):
    """
    A row without a rulebook has the jurisdiction `-` and is invalid, at every value.
    """
    frame = portfolio().with_columns(pl.lit("XX").alias("jurisdiction"))

    answer = sweep(KINDS[kind](frame), shipped(), "minimum_performance", VALUES, on=DAY)

    name = "minimum_performance"
    expected = ("-", name, None, None, True, 0, 0, 0, 0, 0, frame.height, None, None)
    assert answer.rows == (expected,)
    assert answer.to_frame("polars")["present"].to_list() == [True]
    assert answer.plot().to_dict()["title"]["subtitle"] == ["There are none."]


def test_one_value_needs_no_list():
    """
    A single value of a sweep, and a single number of days, are taken like a list of one.
    """
    frame, rulebook = portfolio().filter(jurisdiction="GB"), shipped().resolve("GB", on=DAY)

    def swept(values):
        return sweep(frame, rulebook, "minimum_performance", values).rows

    assert swept("60%") == swept(["60%"])
    assert len(swept(iter(VALUES))) == 3
    assert sweep(frame, rulebook, "most_missed", 2).rows
    assert project(frame, rulebook, days=30).rows == project(frame, rulebook, days=[30]).rows


def test_whole_numbers_of_numpy_are_whole_numbers():
    """
    An integer of NumPy is taken where Python's own is: as days, as a value, and as a position; and
    like it, it is refused as a percentage, for want of the sign.
    """
    frame, rulebook = portfolio().filter(jurisdiction="GB"), shipped().resolve("GB", on=DAY)
    for days in (np.int64(30), [np.int64(30)], np.array([30]), pd.Series([30])):
        answer = project(frame, rulebook, days=days)
        assert answer.rows == project(frame, rulebook, days=[30]).rows
        assert {type(row["days"]) for row in answer.records} == {int}
    assert explain(frame, np.int64(3), rulebook) == explain(frame, 3, rulebook)
    missed = sweep(frame, rulebook, "most_missed", np.arange(1, 3))
    assert missed.rows == sweep(frame, rulebook, "most_missed", [1, 2]).rows
    with pytest.raises(InvalidDocument, match='with its unit; write `"70%"`'):
        sweep(frame, rulebook, "minimum_performance", [np.int64(70)])


def test_a_sweep_over_several_days_names_the_values_of_all():
    """
    The present value of a jurisdiction is that of its rules on the days of the deals.
    """
    frame = portfolio().filter(jurisdiction="GB")
    days = [DAY, *shipped()["GB"].changes[:1]]
    both = pl.concat([frame.with_columns(pl.lit(day).alias("on")) for day in days])
    values = {
        rulebook.parameters["minimum_performance"].number
        for day in days
        for rulebook in [shipped().resolve("GB", on=day)]
    }

    answer = sweep(both, shipped(), "minimum_performance", ["60%"])

    (present,) = [row for row in answer.records if row["present"]]
    shown = {Decimal(text.rstrip("%")) for text in present["value"].split(" / ")}
    assert {number * 10_000 for number in shown} == values
    by_day = [
        sweep(
            frame.with_columns(pl.lit(day).alias("on")), shipped(), "minimum_performance", ["60%"]
        )
        for day in days
    ]
    for outcome in OUTCOMES:
        (sixty,) = [row for row in answer.records if row["value"] == "60%"]
        parts = [row for part in by_day for row in part.records if row["value"] == "60%"]
        assert sixty[outcome] == sum(row[outcome] for row in parts)


def test_a_sweep_names_every_value_that_is_wrong():
    """
    A value without its unit, and a parameter that no rule reads, are errors that say what to do.
    """
    frame = portfolio().filter(jurisdiction="GB")

    with pytest.raises(InvalidDocument) as raised:
        sweep(frame, shipped(), "minimum_performance", ["60%", "0.6", "sixty"])
    assert len(raised.value.errors) >= 2
    with pytest.raises(InvalidDocument, match="did you mean `minimum_performance`"):
        sweep(frame, shipped(), "minimum_performanse", ["60%"])


def test_a_proposal_is_said_to_be_one():
    """
    What a rulebook proposes is noted in every answer.
    """
    frame = portfolio().filter(jurisdiction="GB")
    rulebook = shipped().resolve("GB", on=DAY)
    proposal = rulebook.replace(minimum_performance="85%")
    said = "GB is a proposal: minimum_performance is 85% instead of 80%"

    assert said in summarise(frame, proposal).answer_table.notes
    assert said in cohorts(frame, proposal, by="status").notes
    assert said in near(frame, proposal).notes
    assert said in sweep(frame, proposal, "most_missed", []).notes
    assert f"the new rules: {said}" in migration(frame, rulebook, proposal).notes


@pytest.mark.parametrize("kind", KINDS)
def test_a_migration_counts_every_pair_of_outcomes(kind):
    """
    A migration has each outcome before and after, its diagonal and pairs without deals included.
    """
    frame = portfolio().filter(jurisdiction="GB")
    old = shipped().resolve("GB", on=DAY)
    new = old.replace(minimum_performance="90%")
    by_hand, left = Counter(), Counter()
    for row in frame.iter_rows(named=True):
        (_, before, balance), (_, after, _) = assessed(row), assessed(row, lambda _: new)
        by_hand[before, after] += 1
        if before != "invalid":
            left[before, after] += balance or 0

    answer = migration(KINDS[kind](frame), old, new)

    assert {(row["before"], row["after"]) for row in answer.records} == {
        (before, after) for before in OUTCOMES for after in OUTCOMES
    }
    for row in answer.records:
        key = row["before"], row["after"]
        assert row["deals"] == by_hand[key]
        assert abs(Fraction(row["share"]) - Fraction(by_hand[key], frame.height)) < Fraction(
            1, 10**6
        )
        if row["before"] != "invalid":
            assert row["balance"] == left[key]
    assert sum(row["deals"] for row in answer.records if row["before"] != row["after"]) > 0
    assert compare(KINDS[kind](frame), old, new).answer_table.rows == answer.rows


@pytest.mark.parametrize("kind", KINDS)
def test_cohorts_count_the_outcomes_of_each(kind):
    """
    The outcomes of a cohort are those of its deals, and a share is of them.
    """
    by_hand = Counter()
    for row in portfolio().iter_rows(named=True):
        code, outcome, _ = assessed(row)
        by_hand[row["deal_type"], code, outcome] += 1

    answer = cohorts(KINDS[kind](portfolio()), shipped(), by="deal_type", on=DAY)

    found = {(r["cohort"], r["jurisdiction"], r["outcome"]): r["deals"] for r in answer.records}
    assert found == by_hand
    for cohort, code in {key[:2] for key in by_hand}:
        shares = [
            r["share"] for r in answer.records if (r["cohort"], r["jurisdiction"]) == (cohort, code)
        ]
        assert abs(sum(shares) - 1) < Decimal("0.00001")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("every", ["month", "quarter", "year"])
def test_cohorts_of_days_are_periods(kind, every):
    """
    With `every`, the days of a column are one cohort by month, quarter or year.
    """
    days = [date(2024, 12, 31), date(2025, 1, 1), date(2025, 3, 31), date(2025, 4, 1), None]
    names = {
        "month": ["2024-12", "2025-01", "2025-03", "2025-04", None],
        "quarter": ["2024-Q4", "2025-Q1", "2025-Q1", "2025-Q2", None],
        "year": ["2024", "2025", "2025", "2025", None],
    }[every]
    frame = portfolio().filter(jurisdiction="GB").head(50)
    frame = frame.with_columns(pl.Series("funded_on", [days[n % 5] for n in range(frame.height)]))

    answer = cohorts(KINDS[kind](frame), shipped(), by="funded_on", every=every, on=DAY)

    counted = Counter(names[number % 5] for number in range(frame.height))
    found = Counter()
    for row in answer.records:
        found[row["cohort"]] += row["deals"]
    assert found == counted


def test_cohorts_are_read_from_dates_as_pandas_has_them():
    """
    pandas holds days as objects, as midnights, or as texts.
    """
    frame = portfolio().filter(jurisdiction="GB").head(20).to_pandas()
    days = [date(2025, 1 + number % 6, 1) for number in range(20)]
    expected = None
    for values in (days, pd.to_datetime(pd.Series(days)).array, [str(day) for day in days]):
        rows = cohorts(
            frame.assign(funded_on=values), shipped(), by="funded_on", every="quarter", on=DAY
        ).rows
        expected = expected or rows
        assert rows == expected


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"by": "deal_tipe"}, "did you mean `deal_type`"),
        ({"by": "on", "every": "quater"}, "did you mean `quarter`"),
        ({"by": "status", "every": "year"}, "expected a column of days"),
        ({"by": "deal_id"}, "too many for cohorts"),
    ],
)
def test_what_is_no_cohort_is_refused(asked, message):
    """
    Errors say what was expected and what to do.
    """
    with pytest.raises(InvalidDocument, match=message):
        cohorts(deals().head(600), shipped(), on=DAY, **asked)


@pytest.mark.parametrize("kind", KINDS)
def test_near_deals_would_have_another_outcome_across_the_threshold(kind):
    """
    A row is a deal within the distance of a threshold, that on its other side would have another
    outcome because the rule has another answer; and there is a row for each such deal.
    """
    expected = set()
    for row in portfolio().iter_rows(named=True):
        expected |= set(_near_by_hand(row, Fraction(2)))

    answer = near(KINDS[kind](portfolio()), shipped(), within="2%", on=DAY)

    found = {
        (r["row"], r["rule"], r["fact"], r["value"], r["threshold"], r["gap"], r["passes"])
        for r in answer.records
    }
    assert len(found) == len(answer.rows)
    assert found == expected
    assert {r["rule"] for r in answer.records} > {"FLOOR", "GB-R-02"}
    assert {r["passes"] for r in answer.records} == {True, False}


def _near_by_hand(row, within):
    rulebook, assessment = alone(row, shipped())
    if assessment is None:
        return
    facts = rulebook.catalogue.prepare(facts_of(rulebook, row))
    limits = [("FLOOR", "progress", 500_000, 500_000)]
    for rule in rulebook.renewal.rules:
        for comparison, _ in comparisons(rule.checked.tree):
            operator, (left, *others) = comparison.operator, comparison.operands
            (right, *_) = others
            if isinstance(left, Constant):
                left, right = right, left
                operator = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(operator)
            is_plain = isinstance(left, FactRead) and isinstance(right, Constant)
            if is_plain and operator in {"<", "<=", ">", ">="}:
                above = right.number + (operator in {">", "<="})
                limits.append((rule.code, left.name, right.number, above))
    for code, name, number, above in dict.fromkeys(limits):
        fact = rulebook.catalogue.fact(name)
        held = facts[rulebook.catalogue.place(name)]
        distance = within * 10_000 if fact.type.kind.value == "percent" else within * number / 100
        if fact.type.kind.value in {"date", "text", "flag"} or held is None:
            continue
        if abs(held - number) > distance or (fact.type.kind.value != "percent" and distance < 1):
            continue
        moved = list(facts)
        moved[rulebook.catalogue.place(name)] = above - 1 if held >= above else above
        after = assess_one(rulebook.renewal, tuple(moved), rulebook.on)
        passes = [_passes(code, rulebook, each) for each in (facts, tuple(moved))]
        if after.outcome != assessment.outcome and passes[0] != passes[1]:
            scale = 10**fact.type.places
            numbers = (Decimal(each) / scale for each in (held, number, held - number))
            yield row["deal_id"], code, name, *numbers, passes[0]


def _passes(code, rulebook, facts):
    if code == "FLOOR":
        return facts[rulebook.catalogue.place("progress")] >= 500_000
    false, unknown = rulebook.renewal.masks(facts)
    (bit,) = [bit for bit, rule in enumerate(rulebook.renewal.rules) if rule.code == code]
    return not (false | unknown) >> bit & 1


def test_near_deals_have_their_own_labels():
    """
    `row` is the deal's own label, as in `findings`: its id where there is one, else its index, else
    its number from 1.
    """
    frame = portfolio().filter(jurisdiction="GB")
    ids = [row["row"] for row in near(frame, shipped(), on=DAY).records]
    places = {name: place for place, name in enumerate(frame["deal_id"])}
    without = frame.drop("deal_id")
    labelled = without.to_pandas().set_axis([f"x{n}" for n in range(frame.height)])

    assert ids
    numbers = {str(places[name] + 1) for name in ids}
    for unnamed in (without, without.to_arrow(), without.to_pandas()):
        assert {row["row"] for row in near(unnamed, shipped(), on=DAY).records} == numbers
    wrong = without.with_columns(deals_defaulted=pl.Series([0, 0, -1] + [0] * (frame.height - 3)))
    (finding,) = (row for row in findings(wrong, shipped()).rows if row.column == "deals_defaulted")
    assert finding.row == "3"
    assert {row["row"] for row in near(without.lazy(), shipped(), on=DAY).records} == {""}
    found = {row["row"] for row in near(labelled, shipped(), on=DAY).records}
    assert found == {f"x{places[name]}" for name in ids}


@pytest.mark.parametrize("within", ["2", "two", "-1%", "101%", None, 2])
def test_a_distance_is_a_percentage(within):
    """
    A distance has its sign, and is from 0% to 100%.
    """
    with pytest.raises(InvalidDocument) as raised:
        near(portfolio().head(5), shipped(), within=within)

    assert raised.value.errors[0].path == "$.within"


def test_prepared_columns_are_asked_alike():
    """
    Prepared columns are answered as the plain ones.
    """
    ready = prepare(portfolio(), shipped())
    for ask in (
        lambda frame, **how: sweep(frame, shipped(), "minimum_performance", ["60%"], **how),
        lambda frame, **how: cohorts(frame, shipped(), by="jurisdiction", **how),
        lambda frame, **how: near(frame, shipped(), **how),
        lambda frame, **how: migration(frame, shipped(), shipped(), **how),
    ):
        assert ask(ready, prepared=True).rows == ask(portfolio()).rows


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "pandas"])
def test_no_deals_have_answers_without_rows(kind):
    """
    A query may find nothing: answers have the same columns, of the same types.
    """
    of_gb = portfolio().filter(jurisdiction="GB")
    none, some = (KINDS[kind](frame) for frame in (of_gb.head(0), of_gb))
    rules = shipped().resolve("GB", on=DAY)
    for ask in (
        lambda frame: sweep(frame, rules, "minimum_performance", ["60%"]),
        lambda frame: cohorts(frame, rules, by="deal_type"),
        lambda frame: near(frame, rules),
        lambda frame: migration(frame, rules, rules),
        lambda frame: project(frame, rules, days=[30]),
        lambda frame: summarise(frame, rules),
    ):
        empty, full = ask(none).to_frame(), ask(some).to_frame()
        assert len(empty) == 0
        assert _kinds(empty) == _kinds(full)


def _kinds(frame):
    if isinstance(frame, pd.DataFrame):
        return {name: dtype.kind for name, dtype in frame.dtypes.items()}
    names = frame.columns if isinstance(frame, pl.DataFrame) else frame.schema.names
    types = frame.dtypes if isinstance(frame, pl.DataFrame) else frame.schema.types
    return {name: str(dtype).split("(")[0] for name, dtype in zip(names, types, strict=True)}


def test_a_summary_is_a_frame_of_numbers():
    """
    Amounts are numbers with their currency in its own column, and shares are of the jurisdiction.
    """
    summary = summarise(portfolio(), shipped())
    frame = summary.to_frame()

    assert isinstance(frame, pl.DataFrame)
    assert frame["deals"].sum() == summary.deals
    for row, line in zip(frame.iter_rows(named=True), summary.outcomes, strict=True):
        assert (row["jurisdiction"], row["outcome"]) == (line.jurisdiction, line.what)
        if line.balance:
            currency, amount = line.balance.split()
            assert (row["currency"], row["balance"]) == (currency, Decimal(amount))
    shares = frame.group_by("jurisdiction").agg(pl.col("share").sum())
    assert all(abs(share - 1) < Decimal("0.00001") for share in shares["share"])


def test_rulebooks_without_a_digest_answer_for_themselves():
    """
    Two altered rulebooks are equal, for they have no digest; each has the answers of its own rules.
    """
    book = shipped().resolve("GB", on=DAY)
    frame = deals().filter(pl.col("jurisdiction") == "GB")
    answers = []
    for otherwise in ("decline", "refer"):
        rules = tuple(evolve(rule, otherwise=otherwise) for rule in book.renewal.rules)
        renewal = RuleSet(rules=rules, catalogue=book.catalogue, jurisdiction="GB", digest="")
        answers.append(assess(frame, book.altered(renewal=renewal))["outcome"].to_list())
    assert answers[0] != answers[1]
