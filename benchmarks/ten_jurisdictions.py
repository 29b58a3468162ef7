"""A million deals of ten jurisdictions on many days, and the same rows as if all were of GB."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import pyarrow as pa
from attrs import frozen
from ratios import Contender
from right_answers import ANSWER

from holdback import Jurisdictions, load_jurisdictions, portfolio


@frozen
class Portfolio:
    """A prepared table of deals, the rules of its rows, and the answers by the reader in memory."""

    rules: Jurisdictions
    table: pa.Table
    answers: pa.Table

    def check(self, answer: pa.Table) -> None:
        """Compare the *answer* of another reader, whose rows are in the same order."""
        for name in ANSWER:
            assert answer[name].to_pylist() == self.answers[name].to_pylist(), name


@lru_cache(maxsize=1)
def portfolios(count: int) -> tuple[Portfolio, Portfolio]:
    """Return *count* deals as those of one jurisdiction, and as those of ten."""
    every = load_jurisdictions()
    deals = portfolio.sample(count, seed=7)
    column = deals.column_names.index("jurisdiction")
    of_gb = deals.set_column(column, "jurisdiction", pa.array(["GB"] * count))
    return _prepared(Jurisdictions([every["GB"]]), of_gb), _prepared(every, deals)


def _prepared(rules: Jurisdictions, deals: pa.Table) -> Portfolio:
    table = portfolio.prepare(deals, rules)
    answers = portfolio.assess(table, rules, prepared=True).select(ANSWER)
    return Portfolio(rules, table, answers)


def contenders(
    names: tuple[str, str],
    count: int,
    held: Callable[[pa.Table], Any],
    arrow: Callable[[Any], pa.Table],
    sink: Callable[[Any], Any],
) -> Iterable[Contender]:
    """The assessment of both portfolios, as frames *held* by an engine, up to a *sink*."""
    for name, deals in zip(names, portfolios(count), strict=True):
        yield _contender(name, deals, held(deals.table), arrow, sink)


def _contender(
    name: str,
    deals: Portfolio,
    frame: Any,
    arrow: Callable[[Any], pa.Table],
    sink: Callable[[Any], Any],
) -> Contender:
    def assessed() -> Any:
        return portfolio.assess(frame, deals.rules, prepared=True)

    deals.check(arrow(assessed()))
    return Contender(name, lambda: sink(assessed()), len(deals.table))
