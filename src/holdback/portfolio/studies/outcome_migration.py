"""`migration`: which outcome becomes which under other rules, with the deals that stay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from holdback.jurisdictions.rulebook import Rulebook
from holdback.portfolio.answers.answer_table import AnswerTable
from holdback.portfolio.assessing.aggregation import Answer, DealTotals, sum_totals
from holdback.portfolio.assessing.outcome_codes import OUTCOMES
from holdback.portfolio.studies.outcome_counts import Jurisdictional, proposal_notes, share

_HEADS: Final = ("jurisdiction", "before", "after", "deals", "share", "balance", "currency")


def migration_table(
    answers: Mapping[tuple[Answer, Answer], DealTotals], backend: str
) -> AnswerTable:
    """Return the deals of each pair of outcomes in *answers*, also of pairs without deals."""
    return AnswerTable(
        question="migration",
        title=f"What becomes of {sum(totals.deals for totals in answers.values()):,} deals",
        heads=_HEADS,
        rows=tuple(_rows(answers)),
        notes=tuple(_notes(answers)),
        backend=backend,
    )


def _rows(answers: Mapping[tuple[Answer, Answer], DealTotals]) -> Iterator[tuple[Any, ...]]:
    totals = sum_totals(
        ((_code(before, after), before.outcome, after.outcome), part)
        for (before, after), part in answers.items()
    )
    all_rulebooks = _rulebooks(answer for pair in answers for answer in pair)
    written = Jurisdictional(all_rulebooks)
    for code in sorted({code for code, _, _ in totals}):
        deals = sum(part.deals for (of, _, _), part in totals.items() if of == code)
        for before in OUTCOMES:
            for after in OUTCOMES:
                part = totals.get((code, before, after), DealTotals())
                yield (
                    code,
                    before,
                    after,
                    part.deals,
                    share(part.deals, deals),
                    *written.amount(code, part),
                )


def _code(before: Answer, after: Answer) -> str:
    """The jurisdiction of a row, which may have a rulebook under one of the rules only."""
    return after.jurisdiction if after.rulebook else before.jurisdiction


def _rulebooks(answers: Iterable[Answer]) -> tuple[Rulebook, ...]:
    return tuple(dict.fromkeys(answer.rulebook for answer in answers if answer.rulebook))


def _notes(answers: Mapping[tuple[Answer, Answer], DealTotals]) -> Iterator[str]:
    for rules, side in (("old", 0), ("new", 1)):
        rulebooks = _rulebooks(pair[side] for pair in answers)
        yield from (f"the {rules} rules: {note}" for note in proposal_notes(rulebooks))
    yield "a share is of the deals of the jurisdiction"
