"""Deals that no row of a table takes, or that two rows answer differently, and rows without a deal.

A cell compares a fact with constants, so between two of them every value is answered alike: one
value of each stretch stands for all. The facts of the columns are taken to vary freely.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Final

from attrs import define, field

from holdback.errors import ErrorDetail, RuleError
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.source_tables import ASKS_NOTHING, SourceTable, TableRow
from holdback.offers.price_tables import with_term
from holdback.rules import Catalogue, Checked, Kind, check
from holdback.rules.interpreter import answer
from holdback.rules.tree import Constant, leaves
from holdback.rules.types import Fact

# More sets of rows than a table has that somebody can read.
MOST_SETS: Final = 100_000
# A table with one hole often has more of them, which the same row would close.
_SHOWN: Final = 3


@frozen
class TableGap:
    """
    Something that is wrong among the rows of a table, which are given by their places.

    Without rows it is a deal that no row takes; two rows answer a deal differently; and one row
    takes no deal, or none that the rows above it leave. `deal` has the numbers of the facts that
    matter.
    """

    rows: tuple[int, ...]
    deal: Mapping[str, int]


class TooManySetsError(Exception):
    """The rows of a table overlap in more ways than can be looked at."""


def table_findings(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """Yield what is wrong in the tables of *jurisdiction*, and in those that read its values."""
    seen = set[object]()
    own = jurisdiction.policy.own_parameters.keys()
    for rulebook in jurisdiction.slices:
        for table in jurisdiction.policy.tables_on(rulebook.since):
            values = [rulebook.parameters.get(name) for name in sorted(table.parameters)]
            key = (table, *(None if value is None else value.number for value in values))
            is_own = table.jurisdiction == jurisdiction.code
            if key not in seen and (is_own or table.parameters & own):
                seen.add(key)
                since = f" from {rulebook.since} on" if values else ""
                facts = with_term(rulebook.catalogue) if table.results else rulebook.catalogue
                yield from _findings(table, facts, since)


def _findings(table: SourceTable, catalogue: Catalogue, since: str) -> Iterator[ErrorDetail]:
    invalid = list(_invalid_cells(table, catalogue))
    if invalid:
        yield from invalid
        return
    try:
        gaps = table_gaps(table, catalogue)
    except TooManySetsError:
        message = f"the rows of the table `{table.id}` overlap in too many ways"
        yield ErrorDetail(
            code="too_large",
            message=message,
            hint="split the table in two",
            **table.table["id"].position(),
        )
        return
    holes = [gap for gap in gaps if not gap.rows]
    for gap in [*holes[:_SHOWN], *(gap for gap in gaps if gap.rows)]:
        yield _finding(table, catalogue, gap, since)


def _invalid_cells(table: SourceTable, catalogue: Catalogue) -> Iterator[ErrorDetail]:
    """Yield the errors in rows that have no rule: those of others are errors of the rule."""
    for row in table.rows:
        cells = dict(zip(table.columns, row.node.elements(), strict=True))
        for name, tree in row.tests.items() if row.rule is None else ():
            try:
                check(tree, catalogue, Kind.FLAG)
            except RuleError as error:
                yield ErrorDetail(
                    code="invalid_rule",
                    message=error.message,
                    hint=error.hint,
                    **cells[name].position(),
                )


def _finding(table: SourceTable, catalogue: Catalogue, gap: TableGap, since: str) -> ErrorDetail:
    rows = [table.rows[place] for place in gap.rows]
    # What no row limits, or neither of two, says nothing.
    limited = {name for row in rows or table.rows for name in row.tests}
    matters = {name: number for name, number in gap.deal.items() if name in limited}
    deal = _shown(catalogue, matters) or "any"
    if not rows:
        return ErrorDetail(
            code="missing",
            message=f"no row of the table `{table.id}` takes a deal{since} with {deal}",
            hint="add a row with its price, or widen one"
            if table.results
            else f"add a row, with the answer `{ASKS_NOTHING}` if nothing is required of it",
            **table.table["id"].position(),
        )
    names = " and ".join(f"`{row.name}`" for row in rows)
    if len(rows) == 1:
        return ErrorDetail(
            code="no_effect",
            message=f"the row {names} takes no deal{since} that no other row takes",
            hint="leave it out, or correct its cells",
            **rows[0].node.position(),
        )
    return ErrorDetail(
        code="contradiction",
        message=f"the rows {names} answer a deal differently{since}: {deal}",
        hint="let one end where the other begins: a band `60% to below 80%` is without its end",
        **rows[-1].node.position(),
    )


def _shown(catalogue: Catalogue, deal: Mapping[str, int]) -> str:
    parts = []
    for name, number in deal.items():
        fact = catalogue.fact(name)
        assert fact is not None, "the column was read"
        parts.append(f"`{name}` {fact.type.show(number)}")
    return " and ".join(parts)


def table_gaps(table: SourceTable, catalogue: Catalogue) -> list[TableGap]:
    """
    Return what is wrong among the rows of *table*, with the parameters of *catalogue*.

    Raises:
        TooManySetsError: if its rows overlap in more ways than can be looked at.
    """
    search = _Search([_Column.of(table, name, catalogue) for name in table.facts], table.rows)
    search.explore(0, (1 << len(table.rows)) - 1, {})
    return search.gaps


@frozen
class _Column:
    """
    A fact, and its values in runs that the same rows take: these rows, and the least value.

    A run that no row takes is a hole of its own, also where another run has no row either.
    """

    name: str
    runs: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, table: SourceTable, name: str, catalogue: Catalogue) -> _Column:
        fact = catalogue.fact(name)
        assert fact is not None, "the column was read"
        tests = [
            check(row.tests[name], catalogue, Kind.FLAG) if name in row.tests else None
            for row in table.rows
        ]
        place, facts = catalogue.place(name), [None] * len(catalogue.facts)
        runs: list[tuple[int, int]] = []
        for number in _stretches(fact, [test for test in tests if test is not None]):
            deal = (*facts[:place], number, *facts[place + 1 :])
            rows = sum(
                1 << bit
                for bit, test in enumerate(tests)
                if test is None or answer(test.tree, deal)
            )
            if not runs or runs[-1][0] != rows:
                runs.append((rows, number))
        return cls(name, tuple(runs))


def _stretches(fact: Fact, tests: list[Checked]) -> list[int]:
    """Return a value of every stretch of *fact* between the constants of *tests*, in order."""
    if fact.type.kind in {Kind.TEXT, Kind.FLAG}:
        return list(range(fact.low, fact.high + 1))
    ends = {
        leaf.number for test in tests for leaf in leaves(test.tree) if isinstance(leaf, Constant)
    }
    numbers = {fact.low, *(end + step for end in ends for step in (0, 1))}
    return sorted(number for number in numbers if fact.low <= number <= fact.high)


@define(eq=False)
class _Search:
    """All sets of rows that a deal can have, column by column, with a deal for what is wrong."""

    columns: list[_Column]
    rows: tuple[TableRow, ...]
    gaps: list[TableGap] = field(factory=list)
    _seen: set[tuple[int, int]] = field(factory=set)
    _overlaps: set[tuple[int, ...]] = field(factory=set)
    _first: int = 0

    def explore(self, place: int, rows: int, deal: dict[str, int]) -> None:
        self._search(place, rows, deal)
        for row in range(len(self.rows)):
            alone = self._first >> row & 1
            if not alone and not any(row in pair for pair in self._overlaps):
                self.gaps.append(TableGap((row,), {}))

    def _search(self, place: int, rows: int, deal: dict[str, int]) -> None:
        if (place, rows) in self._seen and rows:
            return
        self._seen.add((place, rows))
        if len(self._seen) > MOST_SETS:
            raise TooManySetsError
        if not rows:
            self.gaps.append(TableGap((), deal))
        elif place == len(self.columns):
            self._judge(rows, deal)
        else:
            column = self.columns[place]
            for left, number in column.runs:
                self._search(place + 1, rows & left, {**deal, column.name: number})

    def _judge(self, rows: int, deal: dict[str, int]) -> None:
        """Look at the *rows* that take *deal*."""
        self._first |= rows & -rows
        taking = [row for row in range(len(self.rows)) if rows >> row & 1]
        for pair in combinations(taking, 2):
            first, second = (self.rows[row].result for row in pair)
            if first != second and pair not in self._overlaps:
                self._overlaps.add(pair)
                self.gaps.append(TableGap(pair, deal))
