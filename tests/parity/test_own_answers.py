"""Each rule's own answer to plain rows, and the assessment of one row, on every engine."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest
from frame_kinds import FRAME_KINDS
from frame_results import columns_of

from counts import count
from holdback import InvalidDocument, Jurisdictions, load_jurisdictions
from holdback.portfolio import assess, explain, prepare, sample

SHIPPED = load_jurisdictions()
GB = SHIPPED.resolve("GB", on=date(2026, 7, 1))


def with_invalid_rows(table):
    """The *table* with a performance out of range in some rows, and an unknown jurisdiction."""
    for name, wrong in (("performance", Decimal(-1)), ("jurisdiction", "XX")):
        column = table[name].to_pylist()
        column[len(name) :: 60] = [wrong] * len(column[len(name) :: 60])
        place = table.column_names.index(name)
        table = table.set_column(place, name, pa.array(column, table.schema.field(name).type))
    return table


# A rulebook is for the rows of its own jurisdiction; these rows do not say theirs.
def of_gb(frame_kind):
    return FRAME_KINDS[frame_kind](DEALS.drop_columns("jurisdiction"))


DEALS = with_invalid_rows(sample(300, seed=17))
# Few jurisdictions, because a lazy frame has a long query over those of every one that ships.
FEW = Jurisdictions([SHIPPED["GB"], SHIPPED["IE"], SHIPPED["AU"]])
LAZY = ("polars lazy", "duckdb")
CODES = tuple(
    dict.fromkeys(
        rule.code
        for code in SHIPPED.codes
        for rulebook in SHIPPED[code].slices
        for rule in rulebook.renewal.rules
    )
)


def by_the_rules(jurisdictions, row):
    """The own answer of each rule of a row's rulebook, by code; none if the row is invalid."""
    if row["jurisdiction"] not in jurisdictions.codes:
        return {}
    rulebook = jurisdictions.resolve(row["jurisdiction"], on=row["on"])
    facts = {fact.name: row.get(fact.name) for fact in rulebook.catalogue.facts}
    try:
        prepared = rulebook.catalogue.prepare(facts)
    except InvalidDocument:
        return {}
    trace = rulebook.renewal.answer(prepared).trace
    return {
        rule.code: line.answer for rule, line in zip(rulebook.renewal.rules, trace, strict=True)
    }


@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
def test_each_rule_of_several_jurisdictions(frame_kind):
    """
    A row has the answers of the rules of its own rulebook, and null in the columns of others.
    """
    found = assess(FRAME_KINDS[frame_kind](DEALS), FEW, each_rule=True)
    expected = [by_the_rules(FEW, row) for row in DEALS.to_pylist()]
    occurring = {code for row in expected for code in row}
    assert any(not row for row in expected)
    codes = [code for code in CODES if code in occurring]
    assert columns_of(found, *codes) == [[row.get(code) for row in expected] for code in codes]
    assert {said for row in expected for said in row.values()} == {True, False, None}


def test_the_columns_follow_the_outcome():
    """
    The columns of the rules come after those of the outcome, in order of priority.
    """
    frame = of_gb("polars")
    codes = [rule.code for rule in GB.renewal.rules]
    found = assess(frame, GB, each_rule=True, readable=True)
    assert found.columns == [*frame.columns, "outcome", "eligible", "codes", "needs", *codes]
    assert found.drop(codes).equals(assess(frame, GB, readable=True))
    with pytest.raises(InvalidDocument, match="GB-R-01"):
        assess(found.drop("outcome", "eligible", "codes", "needs"), GB, each_rule=True)


def test_pandas_gets_flags_that_can_be_unknown():
    """
    In pandas the columns are of the type `boolean`, which has NA.
    """
    found = assess(FRAME_KINDS["pandas numpy"](DEALS), FEW, each_rule=True)
    assert {str(found.dtypes[code]) for code in CODES if code in found.columns} == {"boolean"}


# -- one row


def explained(frame, row, rules, **how):
    """Outcome, codes and needs of a row as `explain` says them."""
    try:
        assessment = explain(frame, row, rules, **how)
    except InvalidDocument as error:
        faults = {fault.path.removeprefix("$.") for fault in error.errors}
        return "invalid", "", tuple(sorted(faults))
    codes = ", ".join(assessment.codes)
    return assessment.outcome, codes, tuple(sorted(assessment.needs))


def expected_of(frame, rules):
    """The same of every row of *frame*, as `assess` says it."""
    read = columns_of(assess(frame, rules, readable=True), "outcome", "codes", "needs")
    return [
        (outcome, codes, tuple(sorted(filter(None, needs.split(", ")))))
        for outcome, codes, needs in zip(*read, strict=True)
    ]


@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
def test_a_row_explained_is_the_row_assessed(frame_kind):
    """
    `explain` gives the frame's own answer: the same outcome, codes and needs for every row.
    """
    by = {"by": "deal_id"} if frame_kind in LAZY else {}
    ids = DEALS["deal_id"].to_pylist()
    step = 300 // count("rows explained in each kind of frame")
    start = [*FRAME_KINDS].index(frame_kind) % step
    for rules in (FEW, GB):
        frame = FRAME_KINDS[frame_kind](DEALS) if rules is FEW else of_gb(frame_kind)
        expected = expected_of(frame, rules)
        for place in range(start, 300, step):
            row = ids[place] if by else place
            assert explained(frame, row, rules, **by) == expected[place]


def test_every_row_explained_is_the_row_assessed():
    """
    The same for every row of one kind of frame, invalid ones among them, plain and prepared.
    """
    rows = count("rows explained in one kind of frame")
    frame = FRAME_KINDS["polars"](DEALS)[:rows]
    expected = expected_of(frame, SHIPPED)
    assert "invalid" in {outcome for outcome, _, _ in expected}
    assert [explained(frame, place, SHIPPED) for place in range(rows)] == expected
    prepared = prepare(frame, SHIPPED)
    found = [explained(prepared, place, SHIPPED, prepared=True) for place in range(rows)]
    assert found == expected
