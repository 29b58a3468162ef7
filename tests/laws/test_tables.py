"""
A table of tiers means what its cells say, read plainly, row by row.

`random_tables` draws tables and says what they mean without the reader of tables, the rule language
or the search for holes (decisions/jurisdiction-folders#tables-of-tiers).
"""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations, pairwise
from random import Random

from counts import count
from holdback import Money
from holdback.eligibility.facts import FACTS
from holdback.jurisdictions.keys import RENEWAL, TABLE
from holdback.jurisdictions.source_tables import read_tables
from holdback.jurisdictions.toml import read_toml
from holdback.offers.calculator import PricingCase
from holdback.offers.price_tables import with_term
from holdback.offers.registry import BUILT_IN, bind
from holdback.portfolio.files.table_workbook import read_workbook, write_workbook
from holdback.rules import check, closure, interpret
from holdback.tools.dmn.decision_tables import read_decision_tables
from holdback.tools.dmn.document import dmn_document
from holdback.tools.lint.table_gaps import table_gaps
from holdback.tools.workbench.table_files import csv_text, read_csv, table_cells, with_cells
from random_tables import STATUSES, TERM, TEXT, RandomPrices
from small_folders import FLEX, PACE, country, read
from small_tables import drawn, read_table, toml

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
        kinds |= kinds_of_gaps(seed, table, rulebook.catalogue, source)
    assert kinds == {0, 1, 2, "none"}


def kinds_of_gaps(seed, table, catalogue, source):
    """How many rows the gaps have that are found, after they are compared with all deals."""
    gaps = table_gaps(source, catalogue)
    holes, pairs, first = [], set(), set()
    for deal in table.deals(ends(catalogue, table.facts)):
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
        assert len(found) == runs_of_holes(table, catalogue), seed
    for gap in found:
        # The facts that are not in it can have any value.
        assert {table.takes(row, gap.deal) for row in table.rows} == {False}, (seed, gap)
    assert {gap.rows for gap in gaps if len(gap.rows) == 2} == pairs, seed
    for gap in gaps:
        if len(gap.rows) == 2:
            assert all(table.takes(table.rows[place], gap.deal) for place in gap.rows)
    idle = set(range(len(table.rows))) - first - {place for pair in pairs for place in pair}
    assert {gap.rows[0] for gap in gaps if len(gap.rows) == 1} == idle, seed
    return {len(gap.rows) for gap in gaps} | {"none" for _ in "." if not gaps}


def runs_of_holes(table, catalogue):
    """The runs of deals that no row takes, in a table of one fact."""
    deals = sorted(table.deals(ends(catalogue, table.facts)), key=lambda deal: deal[table.facts[0]])
    taken = [any(table.takes(row, deal) for row in table.rows) for deal in deals]
    return sum(not now and before for before, now in pairwise([True, *taken]))


def test_the_way_out_and_back_loses_nothing(tmp_path):
    """A table is the same after CSV, Excel or DMN and back, and so is each of its rules."""
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
        assert_same_after_dmn(seed, rulebook, source)


def assert_same_after_dmn(seed, rulebook, source):
    """ "2,000 random tables round trip to DMN": the same rows, and the same rules of them."""
    document = dmn_document(rulebook, [source])
    tables = read_decision_tables(document.encode(), "tiers.dmn", rulebook)
    assert (tables.errors, len(tables.texts)) == ((), 1), (seed, tables.errors)
    root = read_toml("renewal.toml", f"format = 1\n{tables.texts[0]}".encode(), [])
    (same,) = read_tables(RENEWAL.table(root)["tables"], "NL", rulebook.catalogue, TABLE)
    assert (same.id, same.facts, same.period) == (source.id, source.facts, source.period)
    meant = [[meanings(row, rulebook) for row in table.rows] for table in (same, source)]
    assert meant[0] == meant[1], seed
    if seed % 8 == 0:
        again, _ = read_table(PACE + tables.texts[0])
        assert again.digest == rulebook.digest, seed


def meanings(row, rulebook):
    """The name of *row*, its answer, code and reason, and what its cells ask, checked."""
    cells = {**row.tests, **row.required}
    asked = {column: check(tree, rulebook.catalogue).tree for column, tree in cells.items()}
    rule = row.rule
    said = rule and (rule.id, rule.code, rule.otherwise, rule.reason, rule.source)
    return row.name, row.result[0], said, asked


# -- prices


PRODUCT = FLEX.partition("rules = ")[0]
BY_TABLE = (
    PRODUCT.replace('"flat", rate = "1.2"', '"table", table = "tiers"')
    .replace('"fixed", minimum = "EUR 500.00", maximum = "EUR 2000.00"', "LIMITS")
    .replace('"fixed", months = 6', '"chosen", months = [3, 6, 9, 12, 15, 21]')
)
LIMITS = '"table", table = "tiers", minimum = "EUR 0.01"'
FIXED = '"fixed", minimum = "EUR 500.00", maximum = "EUR 2000.00"'


def priced(columns, rows):
    """The rulebook and the table of a country whose product is priced by a table."""
    product = BY_TABLE.replace("LIMITS", LIMITS if "maximum" in columns else FIXED)
    table = toml(columns, rows).replace("source =", 'reason = "No."\nsource =')
    files = {**country(), "renewal.toml": PACE, "products.toml": product + table}
    jurisdiction = read(files, "NL")
    return jurisdiction.slices[-1], jurisdiction.policy.own.tables[0]


def drawn_prices(seed):
    table = RandomPrices(Random(seed))
    return table, *priced(table.columns, table.cells)


def test_the_row_that_pricing_chooses_is_that_of_the_cells():
    """
    "The row chosen by pricing equals row-by-row reading": with unknown facts too, by the cells
    and by the interpreter. Holes and overlaps of prices are found, and no other.
    """
    kinds, gaps = set(), set()
    for seed in range(TABLES):
        table, rulebook, source = drawn_prices(seed)
        (product,) = bind(rulebook, BUILT_IN, "{}/{}".format)
        random, catalogue = Random(seed), with_term(rulebook.catalogue)
        gaps |= kinds_of_gaps(seed, table, catalogue, source)
        spans = ends(catalogue, table.facts)
        numbers = {name: [None, *table._numbers(name, spans)] for name in table.facts}
        for _ in range(6):
            deal = {name: random.choice(choices) for name, choices in numbers.items()}
            case = PricingCase(
                facts=prepared(rulebook.catalogue, deal),
                catalogue=rulebook.catalogue,
                renewal=False,
                currency=rulebook.currency,
                rounding=rulebook.rounding,
                term_months=deal.get(TERM),
            )
            rates = table.given("factor_rate", deal)
            assert rates == {
                int(Decimal(row.prices["factor_rate"]) * 10**6)
                for row in source.rows
                if row.prices and may_take(row, catalogue, prepared(catalogue, deal))
            }
            rate = product.factor_rate(case, Money.parse("EUR 1.00"))
            assert (rate and rate * 10**6) == (max(rates) if rates else None), (seed, deal)
            kinds.add(min(len(rates), 2))
            if "maximum" in table.results:
                given, limits = table.given("maximum", deal), product.limits(case)
                most = None if limits is None else limits.maximum.minor
                assert most == (given.pop() if len(given) == 1 else None), (seed, deal)
    assert (kinds, gaps) == ({0, 1, 2}, {0, 1, 2, "none"})


def may_take(row, catalogue, facts):
    """Whether the interpreter does not rule out that *row* takes the deal."""
    answers = [interpret(check(tree, catalogue), facts) for tree in row.tests.values()]
    return False not in answers


def test_prices_to_csv_and_back_lose_nothing(tmp_path):
    """A table of prices is the same after CSV or Excel and back, and so is the digest."""
    for seed in range(0, TABLES, 10):
        _, rulebook, source = drawn_prices(seed)
        cells = read_csv(csv_text(table_cells(source)))
        write_workbook(cells, tmp_path / "tiers.xlsx", source.id)
        assert read_workbook(tmp_path / "tiers.xlsx") == cells
        again, same = priced(list(cells[0]), [list(row) for row in cells[1:]])
        assert [row.cells for row in same.rows] == [row.cells for row in source.rows]
        assert again.digest == rulebook.digest
