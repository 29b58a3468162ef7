"""What the benchmarks of a million deals share: the deals, what is right about them, and rows to compare."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyarrow
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
    def made(cls) -> Setting:
        """A million deals, decided one at a time."""
        million, rules = Million(), rulebook()
        return cls(
            million,
            rules,
            decided(million, rules, unknown=False),
            decided(million, rules, unknown=True),
        )

    def assess(self, frame: Any, *, prepared: bool = True) -> Any:
        """The assessment of *frame* by the ten rules."""
        return portfolio.assess(frame, self.rules, prepared=prepared)

    def check(self, answer: pyarrow.Table, *, unknown: bool) -> None:
        """The *answer* of an assessment is what the closure says."""
        (self.hidden if unknown else self.known).check(answer)

    def ours(
        self,
        name: str,
        frame: Any,
        *,
        unknown: bool,
        arrow: Callable[[Any], pyarrow.Table],
        sink: Callable[[Any], Any] = lambda answer: answer,
        prepared: bool = True,
    ) -> Contender:
        """The assessment of *frame* up to its *sink*; *arrow* makes a table of it, to be checked."""
        self.check(arrow(self.assess(frame, prepared=prepared)), unknown=unknown)
        return Contender(
            name, lambda: sink(self.assess(frame, prepared=prepared)), self.million.count
        )

    def ours_again(
        self, name: str, frame: Any, *, unknown: bool, arrow: Callable, sink: Callable
    ) -> Contender:
        """The same of a lazy *frame*, assessed once and worked out each time: without writing the plan."""
        answer = self.assess(frame)
        self.check(arrow(answer), unknown=unknown)
        return Contender(name, lambda: sink(answer), self.million.count)


@frozen
class Row:
    """A row of a table: *name* beside *other*, and what is to be reached."""

    name: str
    other: str
    target: Target | None = None


@frozen
class Group:
    """Contenders that take turns with each other, made and checked when it is their time, and the rows to print."""

    title: str
    contenders: Callable[[Setting], Iterable[Contender]]
    rows: tuple[Row, ...]
