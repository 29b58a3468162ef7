"""`sweep`: the outcomes of a portfolio at each of several values of a parameter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from attrs import field

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean, listed
from holdback.exact.exact_numbers import trimmed
from holdback.frozen_classes import frozen
from holdback.portfolio.answers.answer_table import AnswerTable, one_or_several
from holdback.portfolio.assessing.row_rulebooks import DayOrColumn, Rules
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.frames import answer_backend, open_frame
from holdback.portfolio.studies.outcome_counts import (
    COUNT_HEADS,
    NO_JURISDICTION,
    NO_RULEBOOK,
    Jurisdictional,
    OutcomeCounts,
    by_jurisdiction,
    count_outcomes,
    plan_to_vary,
    under,
)
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.types import Parameter
from holdback.rules.values import FactValue

_HEADS: Final = ("jurisdiction", "parameter", "value", "number", "present", *COUNT_HEADS)


def sweep(  # noqa: PLR0913  # public; all but the question have a default
    frame: Any,
    rules: Rules,
    parameter: str,
    values: FactValue | Iterable[FactValue],
    *,
    jurisdiction: str = "jurisdiction",
    on: DayOrColumn | None = None,
    prepared: bool = False,
) -> AnswerTable:
    """
    Return the outcomes of the deals in *frame* at each of the *values*, or one, of a *parameter*.

    Each value is proposed to every rulebook that has a rule with the parameter, by
    `Rulebook.replace`. Jurisdictions without it are left out. The `present` value of each
    jurisdiction is among its rows, given or not. `value` is the value as a rule has it, `number`
    its number, and `balance` the balance of the eligible deals. Rows without a rulebook have one
    row, without a value. The other arguments are those of `assess`.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> answer = sweep(
    ...     sample(1000, seed=7, backend="polars"),
    ...     load_jurisdictions(),
    ...     "minimum_performance",
    ...     ["70%", "90%"],
    ... )
    >>> great_britain = [row for row in answer.records if row["jurisdiction"] == "GB"]
    >>> [(row["value"], row["present"], row["eligible"]) for row in great_britain]
    [('70%', False, 80), ('80%', True, 77), ('90%', False, 70)]

    Raises:
        InvalidDocument: naming every column that is missing or of the wrong type; there is no such
            parameter in the rules; or with every value that is invalid for it.
    """
    _check_name(parameter)
    plan = plan_to_vary(frame, rules, jurisdiction, on, prepared=prepared)
    varied = _Sweep(plan, parameter)
    return AnswerTable(
        question="sweep",
        title=f"Outcomes by {parameter}",
        heads=_HEADS,
        rows=tuple(varied.rows(one_or_several(values))),
        notes=tuple(varied.notes()),
        backend=answer_backend(open_frame(frame)),
    )


def _check_name(parameter: object) -> None:
    """
    Check that *parameter* is a name.

    Raises:
        InvalidDocument: it is something else, such as a list of names.
    """
    if not isinstance(parameter, str):
        message, hint = "expected the name of a parameter", "for several, ask for one at a time"
        raise InvalidDocument.of("wrong_type", message, path="$.parameter", hint=hint)


@frozen(kw_only=True)
class _Row:
    """
    The `value` of a parameter as text, its `number`, and the `cells` of `COUNT_HEADS` with it.

    `is_present` says whether the jurisdiction has the value without a proposal.
    """

    value: str
    number: Decimal
    is_present: bool
    cells: tuple[Any, ...]


@frozen
class _Sweep:
    """
    Assesses the deals of `plan` at values of the parameter `name`.

    `read_by` are the places of the rulebooks that have a rule with it.
    """

    plan: ColumnPlan
    name: str
    read_by: tuple[int, ...] = field(init=False)

    @read_by.default
    def _places(self) -> tuple[int, ...]:
        rulebooks = self.plan.rulebooks.rulebooks
        read = [
            {name for rule in rulebook.renewal.rules for name in rule.checked.parameters}
            for rulebook in rulebooks
        ]
        places = tuple(place for place, names in enumerate(read) if self.name in names)
        if not places:
            names = sorted(set().union(*read))
            hint = did_you_mean(self.name, names) or f"the rules read {listed(names, self.name)}"
            message = f"no rule for renewals reads a parameter `{self.name}`"
            raise InvalidDocument.of("unknown_name", message, path="$.parameter", hint=hint)
        return places

    @property
    def present(self) -> tuple[Rulebook, ...]:
        """The rulebooks with the present values."""
        return self.plan.rulebooks.rulebooks

    def rows(self, values: Sequence[FactValue]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of `sweep`, with the columns `_HEADS`."""
        now = count_outcomes(self.plan)
        occurring = {place for place, _ in now}
        read_by = [place for place in self.read_by if place in occurring]
        # If none of them occurs, the values are still proposed, so that invalid ones are refused.
        proposals = [
            (rulebooks, count_outcomes(under(self.plan, rulebooks)))
            for rulebooks in self._proposals(values, read_by or self.read_by)
        ]
        if NO_RULEBOOK in occurring:
            totals = by_jurisdiction(now, self.present)[NO_JURISDICTION]
            cells = Jurisdictional(self.present).cells(NO_JURISDICTION, totals)
            # No rule answers for them, so they are the same at every value, today's among them.
            yield NO_JURISDICTION, self.name, None, None, True, *cells
        for code in sorted({self.present[place].code for place in read_by}):
            places = [place for place in read_by if self.present[place].code == code]
            rows = [self._row(code, places, *proposal) for proposal in proposals]
            if not any(row.is_present for row in rows):
                rows.append(self._row(code, places, self.present, now))
            unique = {row.value: row for row in rows}  # two texts may be one value, as 80 and 80.0
            for row in sorted(unique.values(), key=lambda row: row.number):
                yield code, self.name, row.value, row.number, row.is_present, *row.cells

    def _proposals(
        self, values: Sequence[FactValue], places: Sequence[int]
    ) -> Iterator[tuple[Rulebook, ...]]:
        """
        Yield all rulebooks once for each of *values*: those at *places* with it, others unchanged.

        Raises:
            InvalidDocument: with every value that is invalid.
        """
        errors: list[ErrorDetail] = []
        proposals = []
        for value in values:
            try:
                proposals.append(
                    tuple(
                        rulebook.replace(**{self.name: value}) if place in places else rulebook
                        for place, rulebook in enumerate(self.present)
                    )
                )
            except InvalidDocument as error:
                errors += error.errors
        if errors:
            raise InvalidDocument(list(dict.fromkeys(errors)))
        yield from proposals

    def _row(
        self,
        code: str,
        places: Sequence[int],
        rulebooks: Sequence[Rulebook],
        counts: OutcomeCounts,
    ) -> _Row:
        """
        The row of the jurisdiction *code* under *rulebooks*, which gave *counts*.

        *places* are those of its rulebooks. In several rulebooks, each of other days, the present
        values may differ: then the text names them all, and the number is the last one's.
        """
        parameters = [rulebooks[place].parameters[self.name] for place in places]
        is_present = parameters == [self.present[place].parameters[self.name] for place in places]
        texts = dict.fromkeys(_text(parameter) for parameter in parameters)
        totals = by_jurisdiction(counts, rulebooks)[code]
        return _Row(
            value=" / ".join(texts),
            number=_number(parameters[-1]),
            is_present=is_present,
            cells=Jurisdictional(tuple(rulebooks)).cells(code, totals),
        )

    def notes(self) -> Iterator[str]:
        """Yield what a reader has to know of the rows."""
        yield from Jurisdictional(self.present).notes
        read = {self.present[place].code for place in self.read_by}
        others = sorted({rulebook.code for rulebook in self.present} - read)
        if others:
            yield f"no rule reads {self.name} in {', '.join(others)}, so they are left out"
        yield "rows with another value than the present one are proposals"


def _text(parameter: Parameter) -> str:
    return parameter.type.show(parameter.number)


def _number(parameter: Parameter) -> Decimal:
    return trimmed(parameter.number, parameter.type.places)
