"""
The sample: realistic takings and deals, missing values and bad rows, all reproduced by one seed.
"""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta
from decimal import Decimal

import attrs
import polars as pl
import pyarrow as pa
import pytest
from numpy.random import PCG64

from every_case import for_every
from holdback import InvalidDocument, load_jurisdictions
from holdback.eligibility.assessment import OUTCOMES
from holdback.eligibility.derived_facts import deal_facts
from holdback.eligibility.facts import BUILT_IN_FACTS
from holdback.exact.exact_numbers import HUNDRED_PERCENT
from holdback.exact.money import MINOR_UNITS, Currency, Money
from holdback.merchant.deal import STATUSES, TYPES, Deal, Entry
from holdback.merchant.schedule import Pause
from holdback.portfolio import sample_deals
from holdback.portfolio.reading.named_columns import LEDGER_COLUMNS
from holdback.portfolio.sample_deals import UNKNOWN, Dice, after_funding, sample
from own_rules import with_own_rules

ON = date(2026, 7, 1)
N = 20_000
INVALID = "invalid"
# Of the first deal of the seed 7.
PINNED = {
    "deal_id": "D-00000000",
    "jurisdiction": "DE",
    "progress": Decimal("80.4920"),
    "performance": Decimal("117.0480"),
    "balance": Decimal("2685.47"),
    "days_since_funding": 469,
    "average_monthly_takings": Decimal("8294.96"),
    "credit_checked_on": date(2025, 3, 19),
    "repayment_amount": Decimal("13766.00"),
    "remitted": Decimal("11080.53"),
}


@pytest.fixture(scope="module")
def shipped():
    jurisdictions = with_own_rules(load_jurisdictions())
    return {code: jurisdictions.resolve(code, on=ON) for code in jurisdictions.codes}


@pytest.fixture(scope="module")
def table():
    return sample(N, seed=2026)


@pytest.fixture(scope="module")
def rows(table):
    return table.to_pylist()


@pytest.fixture(scope="module")
def good(rows, shipped):
    """The rows that are not invalid."""
    return [row for row in rows if assessed(row, shipped) is not None]


def assessed(row, shipped):
    """The assessment of *row*, or None if it is invalid."""
    rulebook = shipped.get(row["jurisdiction"])
    if rulebook is None:
        return None
    facts = {name: row[name] for name in row if rulebook.catalogue.fact(name) is not None}
    try:
        return rulebook.assess(facts)
    except InvalidDocument:
        return None


@pytest.fixture(scope="module")
def assessments(rows, shipped):
    """The jurisdiction and the assessment of every row."""
    return [(row["jurisdiction"], assessed(row, shipped)) for row in rows]


def known(rows, *names):
    """The values of *names* in the rows where all are known."""
    for row in rows:
        values = tuple(row[name] for name in names)
        if None not in values:
            yield values


def test_there_is_a_column_for_every_fact(table, shipped):
    """
    Every built-in fact and every fact that a shipped jurisdiction declares has a column, and so has
    every total of the ledger.
    """
    built_in = [fact.name for fact in shipped["GB"].catalogue.facts[:BUILT_IN_FACTS]]
    own = {fact.name for each in shipped.values() for fact in each.catalogue.facts[BUILT_IN_FACTS:]}

    assert table.column_names[:3] == ["deal_id", "jurisdiction", "on"]
    assert table.column_names[3 : 3 + BUILT_IN_FACTS] == built_in
    assert set(table.column_names[3 + BUILT_IN_FACTS : -len(LEDGER_COLUMNS)]) == own
    assert tuple(table.column_names[-len(LEDGER_COLUMNS) :]) == LEDGER_COLUMNS


def test_every_type_is_exact(table):
    """
    Percentages and amounts are decimals, and no column holds floats.
    """
    types = {field.name: field.type for field in table.schema}

    assert types["progress"] == types["takings_trend"] == pa.decimal128(18, 4)
    assert types["balance"] == types["average_monthly_takings"] == pa.decimal128(18, 2)
    assert {types[name] for name in LEDGER_COLUMNS} == {pa.decimal128(18, 2)}
    assert types["days_since_funding"] == types["credit_score"] == pa.int64()
    assert types["status"] == types["lien_rank"] == types["deal_id"] == pa.string()
    assert types["identity_verified"] == types["disclosure_acknowledged"] == pa.bool_()
    assert types["credit_checked_on"] == types["on"] == pa.date32()
    assert not any(pa.types.is_floating(each) for each in types.values())


def test_own_facts_are_null_outside_their_jurisdiction(rows, shipped):
    """
    A declared fact is known in its jurisdiction only.
    """
    own = list(rows[0])[3 + BUILT_IN_FACTS : -len(LEDGER_COLUMNS)]
    names = [name for name in own if not name.endswith("_age_days")]
    homes = {name: {row["jurisdiction"] for row in rows if row[name] is not None} for name in names}

    for name, found in homes.items():
        assert len(found) == 1, name
        assert shipped[found.pop()].catalogue.fact(name) is not None


def test_a_check_has_an_age_where_its_result_is_known(rows, shipped):
    """
    The age of a credit check is the days since its day; every age is of a check of the row's
    jurisdiction whose result is known.
    """
    for row in rows:
        if row["jurisdiction"] not in shipped:
            continue
        facts = shipped[row["jurisdiction"]].checks
        for name in (name for name in row if name.endswith("_age_days")):
            check = facts.get(name.removesuffix("_age_days"))
            if row[name] is not None:
                assert check is not None
                assert row[check.facts[0]] is not None
                assert row[name] >= 0
    credit = [(row["credit_checked_on"], row["consumer_credit_age_days"]) for row in rows]
    known_days = [(day, days) for day, days in credit if day is not None]
    assert all((ON - day).days == days for day, days in known_days)
    assert len(known_days) > len(rows) // 2


def test_every_deal_has_its_id(table):
    """
    `deal_id` is a unique text.
    """
    assert len(set(table.column("deal_id").to_pylist())) == N


def test_the_same_seed_gives_the_same_bytes():
    """
    One seed gives the same bytes everywhere.
    """

    def written(table):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        return sink.getvalue().to_pybytes()

    assert written(sample(3_000, seed=1)) == written(sample(3_000, seed=1))
    assert written(sample(3_000, seed=1)) != written(sample(3_000, seed=2))


@pytest.mark.parametrize("fewer", [0, 1, 100, 8_192, 8_193])
def test_a_smaller_sample_is_the_beginning_of_a_larger_one(table, fewer):
    """
    `sample(100, seed)` is the first 100 rows of `sample(1000, seed)`, across chunks too.
    """
    assert sample(fewer, seed=2026).equals(table.slice(0, fewer))


def test_the_first_deal_stays_what_it_is():
    """
    The rows of a seed are pinned, because pages and figures are made of them.
    """
    (row,) = sample(1, seed=7).to_pylist()

    assert {name: row[name] for name in PINNED} == PINNED


def test_another_day():
    """
    The season, the days and the dates are those of *on*.
    """
    table = sample(1000, seed=7, on=date(2025, 12, 31))

    assert set(table.column("on").to_pylist()) == {date(2025, 12, 31)}
    assert max(day for (day,) in known(table.to_pylist(), "credit_checked_on")) <= date(
        2025, 12, 31
    )


def test_progress_is_of_the_repayment_amount(good):
    """
    Progress is what was remitted of the repayment amount, rounded down, and at most all of it.
    """
    for status, progress, repayment, remitted in known(
        good, "status", "progress", "repayment_amount", "remitted"
    ):
        exact = int(remitted * 100) * HUNDRED_PERCENT // int(repayment * 100)
        assert int(progress * 10_000) == min(HUNDRED_PERCENT, exact)
        assert (status in {"Repaid", "Recovered"}) == (progress == 100)


def test_every_row_holds_the_ledgers_invariant(good):
    """
    In every row whose ledger is known and has no error, to the minor unit: `repayment_amount` =
    `remitted` + `settled` + `credited` + `balance` + `shortfall` - `overpaid` - `fees_paid`.
    """
    names = ("balance", "repayment_amount", *LEDGER_COLUMNS)
    ledgers = [dict(zip(names, amounts, strict=True)) for amounts in known(good, *names)]

    assert len(ledgers) > N * 9 // 10
    for ledger in ledgers:
        paid = ledger["remitted"] + ledger["settled"] + ledger["credited"]
        left = ledger["balance"] + ledger["shortfall"] - ledger["overpaid"] - ledger["fees_paid"]
        assert ledger["repayment_amount"] == paid + left
        assert min(ledger.values()) >= 0
        assert ledger["waived"] + ledger["written_off"] <= ledger["credited"]
        assert ledger["recovered"] <= ledger["remitted"]
    for name in LEDGER_COLUMNS:
        assert sum(ledger[name] > 0 for ledger in ledgers) > N // 2000, name


def test_ledgers_agree_with_statuses_and_facts(good):
    """
    A status has the amounts that only it has, and what a deal's ledger has the merchant's facts
    count.
    """
    only = {
        "balance": {"Funded", "Defaulted"},
        "settled": {"Renewed"},
        "shortfall": {"Renewed"},
        "waived": {"Cancelled", "Settled"},
        "written_off": {"Defaulted"},
        "recovered": {"Defaulted", "Recovered", "Settled"},
        "overpaid": {"Repaid", "Recovered"},
        "refunded": {"Repaid", "Recovered"},
        "fees_owed": {"Defaulted"},
        "fees_paid": {"Repaid", "Recovered"},
    }
    for name, statuses in only.items():
        amounts = known([row for row in good if row["status"] != "Active"], "status", name)
        assert {status for status, amount in amounts if amount} == statuses, name
    for due, overpaid, status in known(good, "refunds_due", "overpaid", "status"):
        assert overpaid == (due if status in {"Repaid", "Recovered"} else 0)
    losses = known(good, "deals_written_off", "written_off")
    assert all(count >= 1 for count, amount in losses if amount)
    assert all(
        amount > 0 for status, amount in known(good, "status", "recovered") if status == "Recovered"
    )


def test_a_ledger_that_is_not_reconciled_is_unknown_as_a_whole(table):
    """
    Where the balance is unknown, so are all totals of the ledger, but not the repayment amount.
    """
    unknown, *totals = (table[name].is_null().to_pylist() for name in ("balance", *LEDGER_COLUMNS))

    assert any(unknown)
    assert all(total == unknown for total in totals)
    assert table["repayment_amount"].null_count == 0


def test_deals_stand_as_a_merchants_state_would_have_them():
    """
    A deal of the model with the same entries has the same facts and the same totals.
    """
    dice = Dice(PCG64(1))
    nobody = sample_deals._Merchants(
        sample_deals._seasons(ON), dice.below(3), dice.between(10_000, 900_000), dice.bell(0, 600)
    )
    deals = sample_deals._deals(dice, nobody)
    before = sample_deals._status(dice, deals)
    columns = before | after_funding(Dice(PCG64(2)), before, deals)
    drawn = attrs.asdict(deals)
    met = Counter()
    for place in range(3_000):
        numbers = {name: int(column[place]) for name, column in drawn.items()}
        facts = {name: int(column[place]) for name, column in columns.items()}
        deal = deal_of(facts, **numbers)
        expected = deal_facts(deal, ON)
        met[deal.status] += 1

        assert {name: facts[name] for name in expected} == {
            name: UNKNOWN if number is None else number for name, number in expected.items()
        }
        assert facts["remitted"] == deal.remitted.minor
        assert facts["credited"] == deal.credited
        for name in ("repayment_amount", "settled", "shortfall", "overpaid", "waived"):
            assert facts[name] == getattr(deal, name).minor, name
        assert facts["written_off"] == deal.written_off.minor
    assert met.keys() == set(STATUSES)


def deal_of(facts, *, repayment, term, age, ended, **_):
    """The deal of the model with these numbers; its entries of one kind come in one."""
    status, pounds = STATUSES[facts["status"]], Currency.of("GBP")
    silent = facts["days_since_last_remittance"]
    amounts = {
        "remittance": facts["remitted"] - facts["recovered"] + facts["refunded"],
        "recovery": facts["recovered"],
        "refund": facts["refunded"],
        "fee": facts["fees_paid"],
        "waiver": facts["waived"],
        "write_off": facts["written_off"],
        "principal_return": facts["credited"] - facts["waived"] - facts["written_off"],
    }
    entries = tuple(
        Entry(id=kind, on=ON - timedelta(silent), amount=Money(amount, pounds), kind=kind)
        for kind, amount in sorted(amounts.items())
        if amount
    )
    return Deal(
        id="d",
        application_id="a",
        type=TYPES[facts["deal_type"]],
        status=status,
        funded_on=ON - timedelta(age),
        renewals=facts["renewals_in_chain"],
        funded_amount=Money(facts["funded_amount"], pounds),
        repayment_amount=Money(repayment, pounds),
        factor_rate=Decimal(1),
        split_percentage=Decimal(10),
        term_length=Decimal(12),
        term_days=term,
        settled=Money(facts["settled"], pounds),
        closed_on=None if status in {"Funded", "Repaid"} else ON - timedelta(ended),
        entries=entries,
        pauses=(Pause(on=ON),) if facts["paused"] else (),
    )


def test_few_deals_have_ended(good):
    """
    Most deals are active, and each other status is met.
    """
    statuses = Counter(status for (status,) in known(good, "status"))

    assert statuses.keys() - {"Active"} == set(STATUSES)
    assert statuses["Funded"] > N * 3 // 4
    assert min(statuses[status] for status in STATUSES) > N // 200


def test_performance_is_progress_in_the_time_that_passed(good):
    """
    Performance is progress times the term, divided by the days that have passed, up to the term.
    """
    columns = ("status", "progress", "performance", "days_since_funding", "remaining_term_days")
    unit, behind = Decimal("0.0001"), 0
    for status, progress, performance, age, left in known(good, *columns):
        if status != "Funded":
            continue
        if left == 0:
            assert performance >= progress
            assert performance == progress or progress == 100
            behind += 1
        else:
            term = age + left
            assert progress * term - unit * age < performance * age < (progress + unit) * term
    assert behind > 100


def test_performance_is_unknown_until_a_day_has_passed(good):
    """
    Performance is unknown until a whole day has passed.
    """
    young = [row for row in good if row["days_since_funding"] == 0]

    assert young
    assert all(row["performance"] is None for row in young)


def test_days_are_in_order(good):
    """
    Nothing is remitted before funding or after repayment, and no more days are missed than have
    passed.
    """
    for age, silence, missed in known(
        good, "days_since_funding", "days_since_last_remittance", "missed_remittances_30d"
    ):
        assert 0 <= silence <= age
        assert missed <= min(age, 30)
    for age, longest in known(good, "days_since_funding", "longest_silence_90d"):
        assert 0 <= longest <= min(age, 90)
    for age, silence, progress in known(
        good, "days_since_funding", "days_since_last_remittance", "progress"
    ):
        assert silence < age or progress == 0


def test_what_came_before_agrees(good):
    """
    A renewal has a completed deal before it, and a defaulted deal counts among the defaulted, also
    after it recovered.
    """
    assert all(
        done >= 1 for kind, done in known(good, "deal_type", "deals_completed") if kind == "Renewal"
    )
    defaults = known(good, "status", "deals_defaulted")
    assert all(lost >= 1 for status, lost in defaults if status in {"Defaulted", "Recovered"})
    recoveries = known(good, "status", "deals_recovered")
    assert all(regained == (status == "Recovered") for status, regained in recoveries)
    losses = known(good, "deals_defaulted", "deals_written_off")
    assert {written_off <= lost for lost, written_off in losses} == {True}


def test_amounts_of_yen_are_whole(good):
    """
    An amount has no more decimals than its currency.
    """
    assert MINOR_UNITS["JPY"] == 0
    for code, balance, takings in known(good, "jurisdiction", "balance", "average_monthly_takings"):
        if code == "JP":
            assert balance == int(balance)
            assert takings == int(takings)


def test_takings_have_seasons_and_trends():
    """
    Takings have seasons and trends: December is better than November, and January worse.
    """

    def middle(on):
        rows = sample(3_000, seed=3, on=on).to_pylist()
        trends = [trend for (trend,) in known(rows, "takings_trend")]
        assert min(trends) < 50
        assert max(trends) > 150
        return sorted(trends)[len(trends) // 2]

    assert middle(date(2026, 1, 1)) > 105
    assert middle(date(2026, 2, 1)) < 95


def test_figures_stand_on_thresholds_and_beside_them(good):
    """
    Deals stand just on the floor and on the shipped thresholds, and a ten-thousandth beside them.
    """
    for name, marks in (
        ("progress", ("50", "60", "65")),
        ("performance", ("75", "80", "90")),
        ("takings_trend", ("85", "105")),
    ):
        seen = {value for (value,) in known(good, name)}
        for mark in marks:
            beside = {Decimal(mark) + Decimal(each).scaleb(-4) for each in (-2, -1, 0, 1, 2)}
            assert Decimal(mark) in seen
            assert len(beside & seen) > 1


def test_missing_values(table):
    """
    About three values in a hundred are missing, and together where one source gives them.
    """
    # A plan has few deals, and no other deal is past due. What is to be repaid is always known.
    others = ["days_past_due", "repayment_amount"]
    built_in = table.select(table.column_names[3 : 3 + BUILT_IN_FACTS]).drop(others)
    shares = {name: built_in[name].null_count / N for name in built_in.column_names}

    assert 0.025 < sum(shares.values()) / BUILT_IN_FACTS < 0.035
    assert all(0.005 < share < 0.1 for share in shares.values()), shares
    for together in (
        ("credit_score", "credit_checked_on"),
        ("deals_completed", "deals_defaulted", "days_since_last_remittance"),
        ("progress", "balance"),
    ):
        first, *others = (table[name].is_null().to_pylist() for name in together)
        assert all(other == first for other in others)


def test_bad_rows(rows, shipped):
    """
    About one row in a thousand is invalid, with each kind of error that the docstring names.
    """
    many = rows + sample(60_000, seed=5).to_pylist()
    tests = {
        "jurisdiction": lambda row: row["jurisdiction"] == "ZZ",
        "status": lambda row: row["status"] == "Active",
        "deal_type": lambda row: row["deal_type"] == "Top-up",
        "balance": lambda row: (row["balance"] or 0) < 0,
        "takings": lambda row: (row["average_monthly_takings"] or 0) < 0,
        "progress": lambda row: (row["progress"] or 0) > 100,
        "age": lambda row: (row["days_since_funding"] or 0) < 0,
        "missed": lambda row: (row["missed_remittances_30d"] or 0) > 30,
    }
    kinds = Counter(kind for row in many for kind, test in tests.items() if test(row))
    refused = sum(assessed(row, shipped) is None for row in many)

    assert kinds.keys() == tests.keys()
    assert 0.0007 < kinds.total() / len(many) < 0.0013
    assert refused == kinds.total() - kinds["status"] - kinds["deal_type"]


def test_every_outcome_is_met_everywhere(assessments, shipped):
    """
    Each shipped jurisdiction gives each of the five outcomes, and none is given to most deals.
    """
    found = Counter((code, each.outcome) for code, each in assessments if each is not None)
    overall = Counter(INVALID if each is None else each.outcome for _, each in assessments)

    assert {(code, outcome) for code in shipped for outcome in OUTCOMES} == found.keys()
    assert max(overall.values()) < N * 7 // 10
    assert min(overall[outcome] for outcome in OUTCOMES) > N // 50


def test_every_shipped_rule_fails_somebody(assessments, shipped):
    """
    Each rule in force is false of some deal that is assessed, and true of another.
    """
    answers = {
        (code, line.rule, line.answer)
        for code, each in assessments
        if each is not None
        for line in each.trace
    }
    rules = [(code, rule.id) for code, each in shipped.items() for rule in each.renewal.rules]

    assert [rule for rule in rules if (*rule, False) not in answers] == []
    assert [rule for rule in rules if (*rule, True) not in answers] == []


def test_the_frame_is_of_the_kind_asked_for(table):
    """
    A sample comes as a pandas, Polars or PyArrow frame, with the same values.
    """
    polars = sample(500, seed=2026, backend="polars")
    pandas = sample(500, seed=2026, backend="pandas")

    assert isinstance(polars, pl.DataFrame)
    assert polars.to_dicts() == table.slice(0, 500).to_pylist()
    assert type(pandas).__module__.startswith("pandas")
    assert pa.Table.from_pandas(pandas, preserve_index=False).equals(table.slice(0, 500))


@for_every(
    ("arguments", "said"),
    [
        ({"n": -1}, "`n` is a whole number from 0 up, not -1"),
        ({"n": 10.0}, "`n` is a whole number from 0 up, not 10.0"),
        ({"n": True}, "`n` is a whole number from 0 up, not True"),
        ({"seed": "7"}, "`seed` is a whole number from 0 up, not '7'"),
        ({"seed": -7}, "`seed` is a whole number from 0 up, not -7"),
        ({"on": "2026-07-01"}, "`on` is a day such as `date(2026, 7, 1)`, not '2026-07-01'"),
        ({"on": datetime(2026, 7, 1)}, "`on` is a day such as"),
        ({"on": date.min}, "`on` is a day such as"),
        ({"backend": "duckdb"}, '`backend` is "pyarrow", "polars" or "pandas", not \'duckdb\''),
        ({"backend": None}, "`backend` is"),
        ({"backend": []}, "`backend` is"),
    ],
)
def test_an_argument_that_cannot_be_meant(arguments, said):
    """
    A programmer's mistake is said in a sentence.
    """
    with pytest.raises(ValueError) as refused:  # noqa: PT011  # the message is the test
        sample(**{"n": 10, "seed": 7} | arguments)

    assert str(refused.value).startswith(said)
