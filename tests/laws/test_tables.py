"""
A table of tiers means what its cells say, read plainly, row by row.

`random_tables` draws tables and says what they mean without the reader of tables, the rule language
or the search for holes (decisions/jurisdiction-folders#tables-of-tiers).
"""

from __future__ import annotations

from itertools import combinations, pairwise
from random import Random

from counts import count
from holdback.eligibility.facts import FACTS
from holdback.portfolio.files.table_workbook import read_workbook, write_workbook
from holdback.rules import check, closure, interpret
from holdback.tools.dmn.decision_tables import read_decision_tables
from holdback.tools.dmn.document import dmn_document
from holdback.tools.lint.table_gaps import table_gaps
from holdback.tools.workbench.table_files import csv_text, read_csv, table_cells, with_cells
from random_tables import STATUSES, TEXT
from small_folders import PACE
from small_tables import drawn, read_table

TABLES = count("random tables of tiers")
assert FACTS[TEXT].options[: len(STATUSES)] == STATUSES, "a status is named by its place"


def ends(catalogue, names):
    return {name: (catalogue.fact(name).low, catalogue.fact(name).high) for name in names}


def prepared(catalogue, deal):
    return tuple(deal.get(fact.name) for fact in catalogue.facts)


def test_rows_as_rules_mean_what_the_cells_say():
    """ "Rows as rules equal row by row reading", on deals with unknown facts too."""
    answers = set()
    for seed in range(TABLES):
        table, rulebook, _ = drawn(seed)
        rules = {rule.id: rule for rule in rulebook.renewal.rules}
        names = dict.fromkeys([*table.facts, *table.required])
        random, spans = Random(seed), ends(rulebook.catalogue, names)
        numbers = {name: list(table._numbers(name, spans)) for name in table.facts}
        assert set(rules) == {
            "on-pace", *(f"tiers-{row[0]}" for row in table.rows if row[3] != "pass")
        }  # fmt: skip
        for _ in range(20):
            deal = {
                name: random.choice([None, *numbers.get(name, ()), *near(table, name, spans)])
                for name in names
            }
            facts = prepared(rulebook.catalogue, deal)
            for row in table.rows:
                rule = rules.get(f"tiers-{row[0]}")
                expected = table.answer(row, deal)
                answers.add(expected)
                if rule is None:
                    assert expected is True
                    continue
                assert interpret(rule.checked, facts) is expected, (seed, row, deal)
                assert closure(rule.checked)(facts) is expected
                assert rule.otherwise == (row[3] or "decline")
    assert answers == {True, False, None}


def near(table, name, spans):
    """Numbers near those that the table requires of the fact *name*."""
    low, high = spans[name]
    cells = [row[2][name] for row in table.rows if row[2].get(name) is not None]
    near = {number + step for _, *numbers in cells for number in numbers for step in (-1, 0, 1)}
    return [number for number in near | {low, high} if low <= number <= high]


def test_every_hole_and_overlap_is_found_and_no_other():
    """ "Every hole and overlap found, by enumeration"; so is every row without a deal."""
    kinds = set()
    for seed in range(TABLES):
        table, rulebook, source = drawn(seed)
        gaps = table_gaps(source, rulebook.catalogue)
        holes, pairs, first = [], set(), set()
        for deal in table.deals(ends(rulebook.catalogue, table.facts)):
            taking = [place for place, row in enumerate(table.rows) if table.takes(row, deal)]
            if not taking:
                holes.append(deal)
            else:
                first.add(taking[0])
            pairs.update(
                pair
                for pair in combinations(taking, 2)
                if table.result(table.rows[pair[0]]) != table.result(table.rows[pair[1]])
            )
        found = [gap for gap in gaps if not gap.rows]
        assert bool(found) is bool(holes), seed
        if len(table.facts) == 1:
            assert len(found) == runs_of_holes(table, rulebook), seed
        for gap in found:
            # The facts that are not in it can have any value.
            assert {table.takes(row, gap.deal) for row in table.rows} == {False}, (seed, gap)
        assert {gap.rows for gap in gaps if len(gap.rows) == 2} == pairs, seed
        for gap in gaps:
            if len(gap.rows) == 2:
                assert all(table.takes(table.rows[place], gap.deal) for place in gap.rows)
        idle = set(range(len(table.rows))) - first - {place for pair in pairs for place in pair}
        assert {gap.rows[0] for gap in gaps if len(gap.rows) == 1} == idle, seed
        kinds |= {len(gap.rows) for gap in gaps} | {"none" for _ in "." if not gaps}
    assert kinds == {0, 1, 2, "none"}


def runs_of_holes(table, rulebook):
    """The runs of deals that no row takes, in a table of one fact."""
    deals = sorted(
        table.deals(ends(rulebook.catalogue, table.facts)), key=lambda deal: deal[table.facts[0]]
    )
    taken = [any(table.takes(row, deal) for row in table.rows) for deal in deals]
    return sum(not now and before for before, now in pairwise([True, *taken]))


def test_csv_and_back_loses_nothing(tmp_path):
    """A table is the same after CSV or Excel and back, and so is each of its rules."""
    for seed in range(TABLES):
        table, rulebook, source = drawn(seed)
        cells = read_csv(csv_text(table_cells(source)))
        assert [list(row) for row in cells] == [table.columns, *table.cells], seed
        if seed % 4 == 0:
            write_workbook(cells, tmp_path / "tiers.xlsx", source.id)
            assert read_workbook(tmp_path / "tiers.xlsx") == cells
        again, same = read_table(with_cells(source, cells))
        assert (same.columns, same.facts) == (source.columns, source.facts)
        assert [row.cells for row in same.rows] == [row.cells for row in source.rows]
        assert again.digest == rulebook.digest
        assert [(rule.id, rule.code, rule.reason) for rule in again.renewal.rules] == [
            (rule.id, rule.code, rule.reason) for rule in rulebook.renewal.rules
        ]


def test_dmn_and_back_loses_nothing():
    """ "2,000 random tables round trip to DMN": the same rows and rules, and the same document."""
    for seed in range(TABLES):
        _, rulebook, source = drawn(seed)
        document = dmn_document(rulebook, [source])
        found = read_decision_tables(document.encode(), "tiers.dmn", rulebook)
        assert (found.errors, len(found.texts)) == ((), 1), (seed, found.errors)
        again, same = read_table(PACE + found.texts[0])
        assert again.digest == rulebook.digest, seed
        assert (same.id, same.facts) == (source.id, source.facts)
        meant = [[meanings(row, rulebook) for row in table.rows] for table in (same, source)]
        assert meant[0] == meant[1], seed
        assert [(rule.id, rule.code, rule.reason) for rule in again.renewal.rules] == [
            (rule.id, rule.code, rule.reason) for rule in rulebook.renewal.rules
        ]


def meanings(row, rulebook):
    """The name of *row*, what it answers, and what each of its cells asks, checked."""
    cells = {**row.tests, **row.required}
    asked = {column: check(tree, rulebook.catalogue).tree for column, tree in cells.items()}
    return row.name, row.result[0], asked
