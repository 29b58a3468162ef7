"""The deals, right results and rows that the benchmarks of a million deals share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa
from attrs import frozen
from million import Million
from ratios import Contender, Target
from right_answers import Decisions, decided
from task import rulebook

from holdback import portfolio

THREADS = 2  # of Polars, DuckDB and Spark


@frozen
class Setting:
    """The deals, a rulebook of the ten rules, and its decisions with and without unknown facts."""

    million: Million
    rules: Any
    known: Decisions
    hidden: Decisions

    @classmethod
    def made(cls, count: int) -> Setting:
        """Return *count* deals, decided one at a time."""
        million, rules = Million(count), rulebook()
        return cls(
            million,
            rules,
            decided(million, rules, unknown=False),
            decided(million, rules, unknown=True),
        )

    def assess(self, frame: Any, *, prepared: bool = True) -> Any:
        """Return the assessment of *frame* by the ten rules."""
        return portfolio.assess(frame, self.rules, prepared=prepared)

    def check(self, answer: pa.Table, *, unknown: bool) -> None:
        """Compare the *answer* of an assessment with the closure's."""
        (self.hidden if unknown else self.known).check(answer)

    def ours(  # noqa: PLR0913 - one argument for each way in which contenders differ
        self,
        name: str,
        frame: Any,
        *,
        unknown: bool,
        arrow: Callable[[Any], pa.Table],
        sink: Callable[[Any], Any] = lambda answer: answer,
        prepared: bool = True,
    ) -> Contender:
        """Return the assessment of *frame* up to its *sink*; *arrow* makes a table to check."""
        self.check(arrow(self.assess(frame, prepared=prepared)), unknown=unknown)
        return Contender(
            name, lambda: sink(self.assess(frame, prepared=prepared)), self.million.count
        )

    def ours_again(
        self, name: str, frame: Any, *, unknown: bool, arrow: Callable, sink: Callable
    ) -> Contender:
        """Return the same of a lazy *frame*, planned once and executed each time."""
        answer = self.assess(frame)
        self.check(arrow(answer), unknown=unknown)
        return Contender(name, lambda: sink(answer), self.million.count)


@frozen
class Row:
    """A row of a table: *name* compared with *other*, and the ratio to reach."""

    name: str
    other: str
    target: Target | None = None


@frozen
class Group:
    """Contenders that take turns, made and checked just before, and the rows to print."""

    title: str
    contenders: Callable[[Setting], Iterable[Contender]]
    rows: tuple[Row, ...]
