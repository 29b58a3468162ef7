"""Rows of several jurisdictions and days in one frame, each with the outcome of its rulebook."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import narwhals.stable.v2 as nw
import polars as pl
import pyarrow as pa
import pytest
from frame_kinds import FRAME_KINDS
from frame_results import columns_of, row_outcomes

from counts import count
from holdback import InvalidDocument, Jurisdictions, load_jurisdictions
from holdback.portfolio import OUTCOMES, assess, needed, prepare, sample
from holdback.portfolio.assessing.outcome_codes import JURISDICTION_BIT, ON_BIT
from holdback.portfolio.assessing.outcome_columns import RULEBOOK
from holdback.portfolio.assessing.row_rulebooks import rulebooks_for
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.column_readers import ColumnReader, day_fact
from holdback.portfolio.reading.frames import open_frame
from holdback.portfolio.sql.computed_frames import with_outcomes
from own_rules import with_own_rules
from small_folders import country, loaded

SHIPPED = load_jurisdictions()
PLACE = {outcome: place for place, outcome in enumerate(OUTCOMES)}


def by_the_service(jurisdictions, row, on=None):
    """
    Outcome, codes and needs of *row* by `Rulebook.assess`, without other jurisdictions' facts.
    """
    code, day = row["jurisdiction"], on or row["on"]
    if code not in jurisdictions.codes:
        return "invalid", (), ("jurisdiction",)
    if day is None or day < jurisdictions[code].changes[0]:
        return "invalid", (), (str(on) if on else "on",)
    rulebook = jurisdictions.resolve(code, on=day)
    # What no rule of the row reads may be anything.
    read = {"progress", *(n for rule in rulebook.renewal.rules for n in rule.checked.names)}
    facts = {name: row.get(name) for name in names_of(rulebook) if name in read}
    faults = faults_of(rulebook, facts)
    if faults:
        return "invalid", (), faults
    found = rulebook.assess(facts)
    return found.outcome, found.codes, found.needs


def names_of(rulebook):
    return [fact.name for fact in rulebook.catalogue.facts]


def faults_of(rulebook, facts):
    """The names of *facts* that the service refuses, in the order of the catalogue."""
    try:
        rulebook.assess(facts)
    except InvalidDocument as error:
        faults = {fault.path.removeprefix("$.") for fault in error.errors}
        return tuple(name for name in facts if name in faults)
    return ()


def in_words(frame):
    """Outcome, codes and needs of each row of a *frame* with a readable result."""
    words = zip(*columns_of(frame, "outcome", "codes", "needs"), strict=True)
    return [
        (outcome, *(tuple(filter(None, text.split(", "))) for text in texts))
        for outcome, *texts in words
    ]


def put(table, name, array):
    return table.set_column(table.column_names.index(name), name, array)


# -- the shipped jurisdictions


def portfolio_of(jurisdictions):
    """
    Part of the sample on every day of a change, without a day, and long ago; some without a
    jurisdiction.
    """
    table = sample(1200, seed=5)
    ours = pa.compute.is_in(table["jurisdiction"], pa.array(jurisdictions.codes))
    table = table.filter(ours)
    days = [date(2024, 5, 1), None, date(1999, 1, 1), date(2026, 12, 31), date(9999, 12, 31)]
    days += [day for each in jurisdictions for day in each.changes]
    on = [days[n % len(days)] for n in range(table.num_rows)]
    codes = [
        None if n % 97 == 0 else code for n, code in enumerate(table["jurisdiction"].to_pylist())
    ]
    return put(put(table, "on", pa.array(on, pa.date32())), "jurisdiction", pa.array(codes))


def some_jurisdictions(frame_kind):
    """As many jurisdictions as the lane has in one frame; other kinds of frame have others."""
    codes = with_own_rules(SHIPPED).codes
    first = [*FRAME_KINDS].index(frame_kind) * 3 % len(codes)
    chosen = [*codes, *codes][first : first + count("jurisdictions in one frame")]
    return Jurisdictions(SHIPPED[code] for code in chosen)


@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
def test_the_sample_portfolio_on_many_days(frame_kind):
    """
    Each row has the outcome that `Rulebook.assess` gives to that deal alone.
    """
    jurisdictions = some_jurisdictions(frame_kind)
    table = portfolio_of(jurisdictions)
    rows = table.to_pylist()
    expected = [by_the_service(jurisdictions, row) for row in rows]
    assert {outcome for outcome, _, _ in expected} == {*OUTCOMES}

    frame = FRAME_KINDS[frame_kind](table)
    assert in_words(assess(frame, jurisdictions, readable=True)) == expected
    for row, (outcome, _, needs), want in zip(
        rows, row_outcomes(assess(frame, jurisdictions)), expected, strict=True
    ):
        assert outcome == PLACE[want[0]]
        if want[0] == "undetermined":
            book = jurisdictions.resolve(row["jurisdiction"], on=row["on"])
            assert needed(book, needs) == want[2]


# -- two that have facts of the same name

OWN = {
    "NL": """
[facts.arrears]
type = "count"
description = "Months in arrears."
minimum = 0
maximum = 10

[facts.standing]
type = "text"
description = "How the register has it."
options = ["Good", "Bad"]

[facts.fee]
type = "money"
description = "A fee."
minimum = "EUR 0.00"
maximum = "EUR 100.00"
""",
    "BE": """
[facts.standing]
type = "text"
description = "How the register has it."
options = ["Bad", "Good", "Unheard of"]

[facts.arrears]
type = "count"
description = "Months in arrears."
minimum = 5
maximum = 100

[facts.fee]
type = "money"
description = "A fee."
minimum = "JPY 0"
maximum = "JPY 100"
""",
}


def benelux():
    """
    Two jurisdictions whose declared facts share names; BE starts a year later, and has no cents.
    """
    later = {
        name: text.replace("2026-01-01", "2027-01-01").replace("2025-01-01", "2026-01-01")
        .replace("2025-12-31", "2026-12-31").replace("on = 2026-01-01", "on = 2027-01-01")
        .replace("2026-02-01", "2027-02-01").replace("EUR", "JPY").replace(".00", "")
        for name, text in country("BE", more=OWN["BE"]).items()
    }  # fmt: skip
    return loaded(NL=country("NL", more=OWN["NL"]), BE=later)


def deals():
    """Each value of the facts that the two read otherwise, in each jurisdiction, early and late."""
    days = [date(2025, 6, 1), date(2026, 6, 1), date(2024, 12, 31), date(2027, 6, 1)]
    values = [
        (5, "Good", "1.50"),
        (0, "Bad", "1"),
        (50, "Unheard of", "99"),
        (None, None, None),
        (11, "x", "101"),
    ]
    rows = [
        {
            "jurisdiction": code,
            "on": day,
            "progress": Decimal("64.1234"),
            "performance": Decimal("79.5"),
            "missed_remittances_30d": 3,
            "balance": Decimal(balance),
            "arrears": arrears,
            "standing": standing,
            "fee": None if fee is None else Decimal(fee),
        }
        for code in ("NL", "BE", "ZZ", None)
        for day in (*days, None)
        for arrears, standing, fee in values
        for balance in ("12.34", "12")
    ]
    return rows, pa.Table.from_pylist(rows)


@pytest.mark.parametrize("on", ["on", date(2025, 6, 1), date(2026, 6, 1)], ids=str)
@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
def test_facts_of_one_name_that_are_read_otherwise(frame_kind, on):
    """
    A column is read as each row's own jurisdiction reads it: its range, its texts, its decimals.
    """
    jurisdictions = benelux()
    rows, table = deals()
    day = None if on == "on" else on
    expected = [by_the_service(jurisdictions, row, day) for row in rows]
    frame = FRAME_KINDS[frame_kind](table)
    assert in_words(assess(frame, jurisdictions, on=on, readable=True)) == expected
    numbers = row_outcomes(assess(frame, jurisdictions, on=on))
    assert [outcome for outcome, _, _ in numbers] == [PLACE[outcome] for outcome, _, _ in expected]
    again = prepare(frame, jurisdictions, on=on)
    assert row_outcomes(assess(again, jurisdictions, on=on, prepared=True)) == numbers
    names = ("standing", "arrears", "fee")
    columns = zip(*columns_of(again, "invalid", *names), strict=True)
    for row, (outcome, _, needs), (mask, *found) in zip(rows, expected, columns, strict=True):
        if outcome == "invalid" and needs[0] not in row.keys() - {"jurisdiction", "on"}:
            continue  # it has no rulebook
        book = jurisdictions.resolve(row["jurisdiction"], on=day or row["on"])
        # `prepare` reads all facts, so that they can be assessed by other rules, or priced.
        faults = faults_of(book, {name: row.get(name) for name in names_of(book)})
        assert needed(book, mask) == faults
        readings = {name: book.catalogue.fact(name).read for name in names}
        assert found == [None if name in faults else readings[name](row[name]) for name in names]


@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
def test_rows_of_a_jurisdiction_that_has_not_begun(frame_kind):
    """
    The day is the cause, whether the frame is lazy or not, and with or without other rows.
    """
    jurisdictions = benelux()
    _, table = deals()
    of_be = table.filter(pa.compute.equal(table["jurisdiction"], "BE"))
    found = in_words(
        assess(FRAME_KINDS[frame_kind](of_be), jurisdictions, on=date(2025, 6, 1), readable=True)
    )
    assert set(found) == {("invalid", (), ("2025-06-01",))}


@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
def test_a_frame_of_no_known_jurisdiction(frame_kind):
    """
    Rows of no jurisdiction are invalid, also where there are no others.
    """
    _, table = deals()
    of_none = table.filter(
        pa.compute.invert(pa.compute.is_in(table["jurisdiction"], pa.array(["NL", "BE"])))
    )
    found = in_words(assess(FRAME_KINDS[frame_kind](of_none), benelux(), readable=True))
    assert set(found) == {("invalid", (), ("jurisdiction",))}


# -- the rulebook of each row


def places(frame, jurisdictions, on=None):
    """The place of the rulebook of each row of *frame*, and why a row has none."""
    plan = ColumnPlan.of(open_frame(frame), jurisdictions, "jurisdiction", on, prepared=True)
    work = nw.from_native(with_outcomes(plan, ("needs",)).to_native().lazy().collect())
    found = zip(work[RULEBOOK].to_list(), work["needs"].to_list(), strict=True)
    return [(None if place in (None, -1) else place, needs) for place, needs in found]


def place_alone(rulebooks, jurisdictions, row, on=None):
    """The place among *rulebooks* of the rulebook that the service has for *row*."""
    code, day = row["jurisdiction"], on or row["on"]
    if code not in jurisdictions.codes or day is None or day < jurisdictions[code].changes[0]:
        return None
    since = jurisdictions.resolve(code, on=day).since
    return [(book.code, book.since) for book in rulebooks].index((code, since))


@pytest.mark.parametrize("on", [None, date(2026, 6, 1), date(2025, 6, 1)], ids=str)
@pytest.mark.parametrize("codes", [pl.String, pl.Categorical], ids=str)
def test_each_row_has_its_own_rulebook(codes, on):
    """
    Each row has its own rulebook, also among those of the same rules, and a row without one has the
    column that is the cause.
    """
    jurisdictions = Jurisdictions([SHIPPED["GB"], SHIPPED["CA-QC"], SHIPPED["JP"]])
    table = portfolio_of(jurisdictions)
    codes_here = enumerate(table["jurisdiction"].to_pylist())
    strange = ["ZZ" if n % 31 == 0 else code for n, code in codes_here]
    table = put(table, "jurisdiction", pa.array(strange))
    frame = pl.from_arrow(prepare(table, jurisdictions, on=on))
    frame = frame.with_columns(pl.col("jurisdiction").cast(codes))
    found = places(frame, jurisdictions, on)
    assert found == places(frame.lazy(), jurisdictions, on)
    books = list(rulebooks_for(jurisdictions, "jurisdiction", on, frame.columns).rulebooks)
    alone = [place_alone(books, jurisdictions, row, on) for row in table.to_pylist()]
    assert [place for place, _ in found] == alone
    assert None in alone
    for row, (place, needs) in zip(table.to_pylist(), found, strict=True):
        if place is None:
            is_known = row["jurisdiction"] in jurisdictions.codes
            assert needs == 1 << (ON_BIT if is_known else JURISDICTION_BIT)


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_few_rows_of_many_rulebooks(rows):
    """
    A frame without rows has the columns of others, and so has one of a single row.
    """
    jurisdictions = Jurisdictions([SHIPPED["GB"], SHIPPED["IE"]])
    deals = pl.from_arrow(sample(1200, seed=5))
    deals = deals.filter(pl.col("jurisdiction").is_in(jurisdictions.codes))
    few = assess(deals.head(rows), jurisdictions, readable=True, each_rule=True)
    more = assess(deals, jurisdictions, readable=True, each_rule=True)
    assert few.select(deals.columns).equals(deals.head(rows))
    # Only rules of jurisdictions that occur have a column.
    assert few.schema.items() <= more.schema.items()
    common = [name for name in more.columns if name in few.columns]
    assert few.select(common).equals(more.head(rows).select(common))


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_days_as_instants_of_polars(unit):
    """
    A midnight is a day, before 1970 as well, and any other instant is none.
    """
    days = [date(1969, 12, 31), date(1970, 1, 1), date(2026, 7, 1), None]
    midnights = pl.Series("on", days).cast(pl.Datetime(unit))
    frame = pl.DataFrame({"on": pl.concat([midnights, midnights.dt.offset_by("1ms")])})
    fact = day_fact("on")
    column = ColumnReader(fact, "on").column(nw.from_native(frame)["on"].dtype)
    read = frame.select(number=column.number, given=column.given)
    assert read["number"].to_list() == [day and day.toordinal() for day in days] + [None] * 4
    assert read["given"].to_list() == [True, True, True, False] * 2
