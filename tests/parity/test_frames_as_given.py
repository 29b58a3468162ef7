"""
A result is the frame that was given with more columns; a frame that cannot be read is refused.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import duckdb
import narwhals.stable.v2 as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from frame_kinds import FRAME_KINDS
from frame_results import RESULTS, columns_of, row_outcomes

from holdback import InvalidDocument, Jurisdictions, load_jurisdictions
from holdback.portfolio import assess, prepare, sample

SHIPPED = load_jurisdictions()
GB = SHIPPED.resolve("GB", on=date(2026, 7, 1))
# The fewer jurisdictions, the faster, and what is tried here is the same for two or for ten.
FEW = Jurisdictions([SHIPPED["GB"], SHIPPED["IE"]])
READ = sorted({"progress", *(name for rule in GB.renewal.rules for name in rule.checked.names)})
DEALS = sample(300, seed=11)
# A rulebook takes the deals of its jurisdiction alone.
OF_GB = DEALS.set_column(
    DEALS.column_names.index("jurisdiction"), "jurisdiction", pa.array(["GB"] * DEALS.num_rows)
)
CALLS = {
    "assess": (assess, RESULTS),
    "readable": (
        lambda *given: assess(*given, readable=True),
        ("outcome", "eligible", "codes", "needs"),
    ),
    "prepare": (prepare, ("invalid",)),
}


def names_of(frame):
    return nw.from_native(frame).collect_schema().names()


# -- the kind of frame, its columns and its rows


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
def test_the_same_kind_of_frame_comes_back(frame_kind, call):
    """
    A frame of any engine goes in, and a frame of the same kind comes out.
    """
    frame = FRAME_KINDS[frame_kind](OF_GB)
    does, added = CALLS[call]
    found = does(frame, GB)
    assert type(found) is type(frame)
    assert names_of(found) == [*names_of(frame), *added]


@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
def test_other_columns_and_the_order_of_rows_stay(frame_kind):
    """
    Row *n* of the result is row *n* of the input, with its other columns unchanged.
    """
    frame = FRAME_KINDS[frame_kind](OF_GB)
    names = names_of(frame)
    before, after = columns_of(frame, *names), columns_of(assess(frame, GB), *names)
    missing = [[None if value != value else value for value in column] for column in after]
    assert missing == [[None if value != value else value for value in column] for column in before]


def test_lazy_frames_stay_lazy():
    """
    A lazy frame stays lazy: nothing is computed before it is collected.
    """
    asked = []

    def watched(frame):
        asked.append(frame.height)
        return frame

    given = pl.from_arrow(OF_GB)
    frame = given.lazy().map_batches(watched, schema=given.schema)
    found = assess(frame, GB)
    assert isinstance(found, pl.LazyFrame)
    assert isinstance(assess(frame, load_jurisdictions()), pl.LazyFrame)
    assert isinstance(prepare(frame, GB), pl.LazyFrame)
    assert asked == []
    found.collect()
    assert asked == [300]


def test_relations_of_duckdb_stay_relations():
    """
    A relation goes in, and a relation comes out that is computed when it is fetched.
    """
    connection = duckdb.connect()
    connection.execute("CREATE SEQUENCE asked")
    relation = connection.from_arrow(DEALS).project("*, nextval('asked') AS turn")
    found = assess(relation, load_jurisdictions())
    assert isinstance(found, duckdb.DuckDBPyRelation)
    assert connection.sql("SELECT nextval('asked')").fetchall() == [(1,)]  # nobody had asked
    assert found.aggregate("count(turn)").fetchall() == [(300,)]


@pytest.mark.parametrize("index", [[3] * 300, range(300, 0, -1), [f"d{n}" for n in range(300)]])
@pytest.mark.parametrize("rules", [GB, FEW], ids=["a rulebook", "jurisdictions"])
def test_the_index_of_pandas_stays(index, rules):
    """
    Rows are matched by their order, not by an index with duplicates.
    """
    plain = FRAME_KINDS["pandas arrow"](OF_GB)
    frame = plain.set_axis(pd.Index(index, name="deal"), axis=0)
    found = assess(frame, rules)
    assert found.index.equals(frame.index)
    assert found.index.name == "deal"
    assert row_outcomes(found.reset_index(drop=True)) == row_outcomes(assess(plain, rules))
    assert list(frame.columns) == list(plain.columns)  # and what was given is as it was


@pytest.fixture(scope="module")
def whole(rules):
    """What is said of all deals."""
    return row_outcomes(assess(OF_GB, rules))


@pytest.mark.parametrize("rules", [GB, FEW], ids=["a rulebook", "jurisdictions"], scope="module")
@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
def test_frames_of_no_row_and_of_one(frame_kind, rows, rules, whole):
    """
    An empty frame has the columns of a result.
    """
    table = OF_GB.slice(0, rows)
    for does, added in CALLS.values() if rules is GB else [CALLS["readable"]]:
        found = does(FRAME_KINDS[frame_kind](table), rules)
        assert names_of(found) == [*OF_GB.column_names, *added]
        assert [len(column) for column in columns_of(found, *added)] == [rows] * len(added)
    assert row_outcomes(assess(FRAME_KINDS[frame_kind](table), rules)) == whole[:rows]


@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
def test_columns_in_another_order_and_columns_that_no_rule_reads(frame_kind):
    """
    Columns are matched by name. A fact of another jurisdiction is an ordinary column.
    """
    expected = row_outcomes(assess(FRAME_KINDS["pyarrow"](OF_GB), GB))
    turned = OF_GB.select(OF_GB.column_names[::-1])
    assert row_outcomes(assess(FRAME_KINDS[frame_kind](turned), GB)) == expected
    odd = OF_GB.drop_columns(["register_entries", "lien_rank"]).append_column(
        "register_entries", pa.array([f"entry {n}" for n in range(300)])
    )
    assert row_outcomes(assess(FRAME_KINDS[frame_kind](odd), GB)) == expected
    assert row_outcomes(assess(FRAME_KINDS[frame_kind](OF_GB.select(READ)), GB)) == expected


def test_several_batches():
    """
    A table of many batches, or of chunks that differ between columns, is one table.
    """
    expected = row_outcomes(assess(OF_GB, GB))
    parts = [OF_GB.slice(at, 7) for at in range(0, 300, 7)]
    many = pa.concat_tables(parts)
    assert row_outcomes(assess(many, GB)) == expected
    assert row_outcomes(assess(pl.concat(map(pl.from_arrow, parts), rechunk=False), GB)) == expected
    assert row_outcomes(assess(FRAME_KINDS["pandas arrow"](many), FEW)) == row_outcomes(
        assess(OF_GB, FEW)
    )


# -- refused as a whole


DAY = date(2026, 3, 1)
WRONG = {
    "progress": (pa.array([1.5], pa.float32()), "a 32-bit float has too few digits"),
    "performance": (pa.array([True]), "expected numbers"),
    "balance": (pa.array([DAY]), "expected numbers"),
    "status": (pa.array([1]), "expected text"),
    "deals_defaulted": (pa.array([b"1"]), "expected whole numbers"),
    "deal_type": (pa.array([True]), "expected text"),
    "days_since_funding": (pa.array([DAY]), "expected whole numbers"),
    "average_monthly_takings": (pa.array([1], pa.duration("s")), "expected numbers"),
    "takings_trend": (pa.array([Decimal(1)], pa.decimal128(38, 16)), "of at most 15 decimals"),
    "identity_verified": (pa.array([1]), "expected true and false"),
    "business_verified": (pa.array([1.0]), "expected true and false"),
    "credit_checked_on": (
        pa.array([datetime(2026, 3, 1, tzinfo=UTC)], pa.timestamp("us", "UTC")),
        "the day of an instant depends on the time zone",
    ),
}
# Only a frame in memory can read these, value by value.
LAZY_WRONG = {
    "progress": (pa.array(["64.5%"]), "expected numbers"),
    "days_since_funding": (pa.array(["21 days"]), "expected whole numbers"),
    "credit_checked_on": (pa.array(["2026-03-01"]), "expected days"),
    "identity_verified": (pa.array(["true"]), "expected true and false"),
}
# pandas makes these objects, which are read value by value.
BY_VALUE = {
    "pandas numpy": {"balance", "days_since_funding", "takings_trend", "deals_defaulted"},
    "pandas nullable": {"balance", "days_since_funding", "takings_trend", "deals_defaulted"},
}


def said(call):
    with pytest.raises(InvalidDocument) as raised:
        call()
    return {fault.path.removeprefix("$."): fault.message for fault in raised.value.errors}


def wrong_frame(columns):
    one = OF_GB.slice(0, 1)
    for name, (array, _) in columns.items():
        one = one.set_column(one.column_names.index(name), name, array)
    return one.drop_columns(["missed_remittances_30d"]).append_column("needs", [["ours"]])


@pytest.mark.parametrize("rules", [GB, FEW], ids=["a rulebook", "jurisdictions"])
@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
def test_what_cannot_be_read_is_refused_all_at_once(frame_kind, rules):
    """
    `InvalidDocument` names every column that is missing or of the wrong type. Facts that no rule
    reads are not read; `prepare` reads all.
    """
    by_value = BY_VALUE.get(frame_kind, set())
    wrong = {name: each for name, each in WRONG.items() if name not in by_value}
    frame = FRAME_KINDS[frame_kind](wrong_frame(wrong))
    found = said(lambda: assess(frame, rules))
    # A summary adds the balance up, so it is read, also if no rule reads it.
    read = {"balance", *READ}
    if rules is FEW and frame_kind in ("polars lazy", "duckdb"):  # the rows are not seen
        of_ie = [rule for each in FEW["IE"].slices for rule in each.renewal.rules]
        read |= {name for rule in of_ie for name in rule.checked.names}
    assert found.keys() == {*(wrong.keys() & read), "missed_remittances_30d", "needs"}
    prepared = said(lambda: prepare(frame, rules))
    assert prepared.keys() == {*wrong, "missed_remittances_30d"}
    for name, (_, words) in wrong.items():
        assert words in found.get(name, words), name
        assert words in prepared[name], name
    assert "missing" in found["missed_remittances_30d"]
    assert "has a column of this name" in found["needs"]


@pytest.mark.parametrize("frame_kind", ["polars lazy", "duckdb"])
def test_lazy_frames_have_no_values_to_look_at(frame_kind):
    """
    Texts in place of numbers are read in memory and refused in a lazy frame.
    """
    found = said(lambda: prepare(FRAME_KINDS[frame_kind](wrong_frame(LAZY_WRONG)), GB))
    assert found.keys() == {*LAZY_WRONG, "missed_remittances_30d"}
    for name, (_, words) in LAZY_WRONG.items():
        assert words in found[name], name


@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
def test_keys_that_are_missing_or_no_keys(frame_kind):
    """
    With jurisdictions, each row needs a code and a day.
    """
    rules = load_jurisdictions()
    bare = DEALS.slice(0, 2).drop_columns(["jurisdiction", "on"])
    assert said(lambda: assess(FRAME_KINDS[frame_kind](bare), rules)).keys() == {
        "jurisdiction",
        "on",
    }
    odd = bare.append_column("jurisdiction", [[1, 2]]).append_column("on", [[True, False]])
    assert said(lambda: assess(FRAME_KINDS[frame_kind](odd), rules)).keys() == {
        "jurisdiction",
        "on",
    }


@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
def test_prepared_columns_are_whole_numbers(frame_kind):
    """
    Prepared columns hold integers of the fact's scale.
    """
    plain = assess(OF_GB, GB)
    prepared = prepare(FRAME_KINDS[frame_kind](OF_GB), GB)
    assert row_outcomes(assess(prepared, GB, prepared=True)) == row_outcomes(plain)
    found = said(lambda: assess(FRAME_KINDS[frame_kind](OF_GB), GB, prepared=True))
    texts = {"status", "deal_type"}
    amounts = {"progress", "performance", "balance", "average_monthly_takings"} & {*READ}
    assert (texts & {*READ}) | amounts <= found.keys()


def test_what_is_no_frame():
    """
    `InvalidDocument` for anything that is not a frame.
    """
    for thing in (None, 1, [], {"progress": [1]}, "frame", OF_GB["progress"]):
        with pytest.raises(InvalidDocument):
            assess(thing, GB)
