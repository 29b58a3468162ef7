"""Whether two sets of rules, alike but for a changed rule, answer every possible deal alike."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from holdback.eligibility.ruleset import RuleSet
from holdback.rules import Checked, words
from holdback.tools.proofs.changed_rule import ANSWERS, ChangedRule, changed_rules
from holdback.tools.proofs.question import FALSE, NOT_FALSE, TRUE, AnswerIn, Part, Question
from holdback.tools.proofs.solver import Possibility, Solver, part_term

# Seconds for one question. A mutant of which nothing is proved in time survives.
LIMIT: Final = 2
_NO_DEAL: Final = "no deal gets another answer"


def why_equal(before: RuleSet, after: RuleSet, *, floor: bool) -> str | None:
    """
    Return why every possible deal is answered alike by both, in words; None where it is not proved.

    Where several rules differ, it is proved only if none of them answers any deal otherwise.
    """
    changes = changed_rules(before, after, floor=floor)
    solver = Solver(LIMIT)
    if len(changes) == 1:
        (change,) = changes
        if any(
            solver.answer(asked) is not Possibility.IMPOSSIBLE for asked in change.differences()
        ):
            return None
        return _reason(change, solver)
    for change in changes:
        if change.before is None or change.after is None or _can_differ(change, solver):
            return None
        if change.before.otherwise != change.after.otherwise:
            return None
        if set(change.before.checked.names) != set(change.after.checked.names):
            return None
    return _NO_DEAL


def _asked(change: ChangedRule, *more: Part) -> list[Question]:
    """Return the questions whether the rule answers a deal otherwise that satisfies *more*."""
    if change.is_outcome_alone:
        assert change.before is not None, "it is the same rule"
        return [change.question(*more, AnswerIn(change.before.checked, FALSE))]
    every = frozenset(ANSWERS)
    pairs = [change.both(answer, every - {answer}) for answer in ANSWERS]
    return [change.question(*more, *parts) for parts in pairs if parts is not None]


def _can_differ(change: ChangedRule, solver: Solver, *more: Part) -> bool:
    return any(
        solver.answer(question) is not Possibility.IMPOSSIBLE for question in _asked(change, *more)
    )


def _reason(change: ChangedRule, solver: Solver) -> str:
    """Return why *change* never decides, which is proved already."""
    never = f"this {'rule' if change.is_outcome_alone else 'clause'} never decides"
    if _can_differ(change, solver):
        for rule in change.others.rules:
            if not _can_differ(change, solver, AnswerIn(rule.checked, TRUE)):
                return f"{never}: where it would, `{rule.id}` ({rule.code}) is not met either"
        return f"{never}: where it would, other rules are not met either"
    asked = _asked(change)
    ask = partial(_ask_with, solver, asked)
    if not ask(()):
        return _NO_DEAL
    every = dict.fromkeys(relation for question in asked for relation in question.relations)
    alone = next((relation for relation in every if not ask((relation,))), None)
    if alone is None:
        return f"{never}: only deals that cannot exist would be answered otherwise"
    return f"{never}: of every deal that can exist, {words(alone)}"


def _ask_with(solver: Solver, asked: list[Question], relations: tuple[Checked, ...]) -> bool:
    """Return whether a deal satisfies one of *asked*, possible as far as *relations* say."""
    for question in asked:
        facts = [fact for fact in question.catalogue.facts if fact.name in question.names]
        terms: list[Any] = [solver.terms.in_range(facts)]
        terms += [part_term(part, solver.terms) for part in question.parts]
        terms += [part_term(AnswerIn(relation, NOT_FALSE), solver.terms) for relation in relations]
        if solver.ask(terms) is not Possibility.IMPOSSIBLE:
            return True
    return False
