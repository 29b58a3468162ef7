"""`sweep`: the outcomes of a portfolio for several values of one parameter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.jurisdictions.rulebook import Rulebook
from holdback.portfolio.answer_table import AnswerTable
from holdback.portfolio.assessment import prepare
from holdback.portfolio.counted_outcomes import EACH_OUTCOME, by_jurisdiction, outcome_cells
from holdback.portfolio.summary import summarise
from holdback.portfolio.work_frame import answer_backend, open_frame
from holdback.rules.types import Kind, Parameter
from holdback.rules.values import FactValue

_HEADS: Final = ("jurisdiction", "parameter", "value", "number", "present", *EACH_OUTCOME)
_NUMBERS: Final = (Kind.PERCENT, Kind.RATIO, Kind.MONEY, Kind.COUNT, Kind.DAYS)


def sweep(
    frame: Any,
    rulebook: Rulebook,
    parameter: str,
    values: Iterable[FactValue],
    *,
    prepared: bool = False,
) -> AnswerTable:
    """
    Return the outcomes of the deals in *frame* for each of the *values* of a *parameter*.

    Values are written as in a file: `"60%"`, `"GBP 2500.00"`, `30`. The value that holds now is
    among the rows, and `present` marks it. `number` is the value as a number, None where it is
    none; `balance` is that of the eligible deals. Every value makes a proposal, which is checked.

    >>> import polars as pl
    >>> from datetime import date
    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(2000, seed=7, backend="polars").filter(pl.col("jurisdiction") == "GB")
    >>> rulebook = load_jurisdictions().resolve("GB", on=date(2026, 7, 1))
    >>> answer = sweep(deals, rulebook, "minimum_performance", ["60%", "90%"]).to_frame()
    >>> answer.select("value", "present", "eligible").rows()
    [('60%', False, 143), ('80%', True, 138), ('90%', False, 126)]

    Raises:
        InvalidDocument: the parameter or a value is wrong, or the columns cannot be read.
    """
    proposals = dict(_proposals(rulebook, parameter, values))
    opened = open_frame(frame)
    if isinstance(opened, nw.DataFrame) and not prepared:
        # Another value of a parameter is compared with the same facts, which are read once.
        frame, prepared = prepare(frame, rulebook), True
    rows = []
    for number in sorted(proposals):
        proposal = proposals[number]
        of = proposal.parameters[parameter]
        counts, _ = by_jurisdiction(summarise(frame, proposal, prepared=prepared).answers.items())
        rows.append(
            (
                rulebook.code,
                parameter,
                of.type.show(of.number),
                _number(of),
                proposal.digest == rulebook.digest,
                *outcome_cells(counts.get(rulebook.code, {}), rulebook),
            )
        )
    return AnswerTable(
        question="sweep",
        title=f"{rulebook.code} with other values of {parameter}",
        heads=_HEADS,
        rows=tuple(rows),
        notes=tuple(f"{rulebook.code} is a proposal: {it}" for it in rulebook.proposal),
        backend=answer_backend(opened),
    )


def _proposals(
    rulebook: Rulebook, parameter: str, values: Iterable[FactValue]
) -> Iterator[tuple[int, Rulebook]]:
    """The rulebook with each of *values*, and the present one, by the number of the value."""
    for value in values:
        proposal = rulebook.replace(**{parameter: value})
        yield proposal.parameters[parameter].number, proposal
    if parameter not in rulebook.parameters:
        rulebook.replace(**{parameter: None})  # raises, and says which parameters there are
    yield rulebook.parameters[parameter].number, rulebook


def _number(parameter: Parameter) -> Decimal | None:
    if parameter.type.kind not in _NUMBERS:
        return None
    return Decimal(parameter.number).scaleb(-parameter.type.places)
