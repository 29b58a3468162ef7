"""Questions to the solver: whether a deal that satisfies them can exist.

An answer has three values: there is such a deal, there is none, or it was not decided in time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final

import z3
from attrs import define, field

from holdback.eligibility.assessment import (
    ELIGIBLE,
    FLOOR,
    INELIGIBLE,
    NOT_ASSESSED,
    OUTCOMES,
    REFERRED,
    UNDETERMINED,
)
from holdback.eligibility.ruleset import DECLINE
from holdback.rules import Catalogue, Fact
from holdback.rules.proof import Terms
from holdback.tools.proofs.question import (
    LIMIT,
    MOST_TIMES,
    AnswerIn,
    OutcomeIn,
    Part,
    Question,
    new_ordinals,
)

# What tells the number of the moved fact in the second deal from that in the first.
AFTER: Final = " after"


class Possibility(Enum):
    """Whether a deal is possible. There is no truth value: what is not decided is not "no"."""

    POSSIBLE = "possible"
    IMPOSSIBLE = "impossible"
    NOT_DECIDED = "not decided"

    def __bool__(self) -> bool:
        raise TypeError("compare an answer with one of the three: it may be not decided")


# By z3's own words: its results have a truth value that hides the third.
_ANSWERS: Final[Mapping[str, Possibility]] = {
    "sat": Possibility.POSSIBLE,
    "unsat": Possibility.IMPOSSIBLE,
    "unknown": Possibility.NOT_DECIDED,
}


@define(eq=False)
class Budget:
    """The `seconds` that all questions of a jurisdiction may take, and those that are `left`."""

    seconds: float
    left: float = field(init=False)

    @left.default
    def _whole(self) -> float:
        return self.seconds

    def part(self, seconds: float) -> Budget:
        """Return a budget of *seconds*, or of what is left; what it takes is to be taken here."""
        return Budget(min(seconds, max(self.left, 0)))

    @property
    def taken(self) -> float:
        """The seconds that were taken."""
        return self.seconds - self.left


@define(eq=False)
class Solver:
    """
    A solver that answers questions, each within *limit* seconds, and all within a *budget*.

    It keeps the terms of what it was asked, so that questions about the same rules share them, and
    the answers: a question about rules that mean the same, in a child or on another day, is asked
    once.
    """

    limit: float = LIMIT
    budget: Budget = field()
    terms: Terms = field(factory=Terms)
    asked: int = field(default=0, init=False)
    _solver: Any = field(init=False)
    _answers: dict[object, Possibility] = field(factory=dict, init=False)

    @budget.default
    def _own_budget(self) -> Budget:
        return whole_budget(self.limit)

    @_solver.default
    def _new_solver(self) -> Any:
        return z3.Solver(ctx=self.terms.context)

    @property
    def times(self) -> str:
        """The time that its questions have, in words."""
        return f"{self.limit:g} seconds ({whole_budget(self.limit).seconds:g} for all questions)"

    def answer(self, question: Question) -> Possibility:
        """Return whether a deal satisfies *question*."""
        meaning = question.meaning
        if meaning not in self._answers:
            has_whole_time = self.budget.left >= self.limit
            answer = self.ask(conditions(question, self.terms))
            # The next jurisdiction has time of its own, and may decide it.
            if answer is Possibility.NOT_DECIDED and not has_whole_time:
                return answer
            self._answers[meaning] = answer
        return self._answers[meaning]

    def ask(self, terms: Sequence[Any]) -> Possibility:
        """
        Return whether all *terms* can be true together.

        When the budget is used up nothing else is decided, at once.
        """
        self.asked += 1
        self._solver.push()
        try:
            self._solver.add(*terms)
            return self.check(self._solver)
        finally:
            self._solver.pop()

    def check(self, solver: Any) -> Possibility:
        """Return the answer of *solver*, which has its terms, and take its time from the budget."""
        if self.budget.left <= 0:
            return Possibility.NOT_DECIDED
        timeout = max(1, int(min(self.limit, self.budget.left) * 1000))
        solver.set("timeout", timeout)
        answer = _ANSWERS[str(solver.check())]
        statistics = solver.statistics()
        if "time" in statistics.keys():  # noqa: SIM118  # not a mapping
            self.budget.left -= statistics.get_key_value("time")
        return answer


def whole_budget(limit: float) -> Budget:
    """Return the budget of one jurisdiction, each of whose questions has *limit* seconds."""
    return Budget(MOST_TIMES * limit)


def conditions(question: Question, terms: Terms) -> list[Any]:
    """Return the terms that together say what *question* asks, and that the deal is possible."""
    facts = _facts(question)
    asked = [terms.in_range(facts), *_of_one_deal(question, question.parts, terms)]
    if question.alternatives:
        every = (_terms(question, parts, terms) for parts in question.alternatives)
        asked.append(terms.any([terms.all(parts) for parts in every]))
    if question.moved is None:
        return asked
    after = terms.with_number(question.moved, AFTER)
    moved = next(fact for fact in facts if fact.name == question.moved)
    return [
        *asked,
        terms.known(moved.name),
        after.in_range([moved]),
        after.number(moved.name) > terms.number(moved.name),
        *_of_one_deal(question, question.after, after),
    ]


def _facts(question: Question) -> list[Fact]:
    return [fact for fact in question.catalogue.facts if fact.name in question.names]


def _of_one_deal(question: Question, parts: Sequence[Part], terms: Terms) -> list[Any]:
    related = [z3.Not(terms.false(relation)) for relation in question.relations]
    return [*related, *_terms(question, parts, terms)]


def _terms(question: Question, parts: Sequence[Part], terms: Terms) -> list[Any]:
    own = ((part, _read_by(part, question.catalogue, terms)) for part in parts)
    return [part_term(part, read) for part, read in own]


def _read_by(part: Part, catalogue: Catalogue, terms: Terms) -> Terms:
    """Return *terms* of facts of *catalogue* with the ordinals that texts have for *part*."""
    own = part.catalogue
    if own.facts is catalogue.facts or own.facts == catalogue.facts:
        return terms
    ordinals: dict[str, list[int]] = {}
    for name in sorted(set(part.names)):
        new, old = own.fact(name), catalogue.fact(name)
        assert new is not None, "a part reads facts of its own catalogue"
        assert old is not None, "a question has the facts of its parts"
        if new.type.options != old.type.options:
            ordinals[name] = [place for place in new_ordinals(new, old) if place is not None]
            assert len(ordinals[name]) == len(old.type.options), "a part has every option"
    return terms.renumbered(ordinals) if ordinals else terms


def part_term(part: Part, terms: Terms) -> Any:
    """Return the term that the deal satisfies *part*."""
    if isinstance(part, AnswerIn):
        return answer_term(part, terms)
    absent = sorted(set(OUTCOMES) - part.outcomes)
    if len(absent) < len(part.outcomes):  # the shorter way to say it
        return z3.Not(terms.any([outcome_term(part, name, terms) for name in absent]))
    return terms.any([outcome_term(part, name, terms) for name in sorted(part.outcomes)])


def answer_term(part: AnswerIn, terms: Terms) -> Any:
    """Return the term that the answer of an expression is one of those wanted."""
    true, false = terms.true(part.checked), terms.false(part.checked)
    by_answer = {True: true, False: false, None: z3.Not(z3.Or(true, false))}
    absent = {True, False, None} - part.answers
    if len(absent) == 1:
        return z3.Not(by_answer[absent.pop()])
    return terms.any(
        [by_answer[answer] for answer in (True, False, None) if answer in part.answers]
    )


def outcome_term(part: OutcomeIn, outcome: str, terms: Terms) -> Any:
    """Return the term that the outcome of the rules is *outcome*."""
    rules = part.rules.rules
    reached, under, missing = _floor_terms(terms, floor=part.floor)
    if outcome == NOT_ASSESSED:
        return under
    if outcome == ELIGIBLE:
        return terms.all([reached, *(terms.true(rule.checked) for rule in rules)])
    declined = terms.any([terms.false(rule.checked) for rule in rules if rule.otherwise == DECLINE])
    if outcome == INELIGIBLE:
        return z3.And(reached, declined)
    decided = terms.all(
        [z3.Or(terms.true(rule.checked), terms.false(rule.checked)) for rule in rules]
    )
    if outcome == UNDETERMINED:
        return z3.Or(missing, z3.And(reached, z3.Not(declined), z3.Not(decided)))
    assert outcome == REFERRED, outcome
    failed = terms.any([terms.false(rule.checked) for rule in rules])
    return z3.And(reached, z3.Not(declined), decided, failed)


def _floor_terms(terms: Terms, *, floor: bool) -> tuple[Any, Any, Any]:
    """Return the terms that the floor is reached, that it is not, and that this is unknown."""
    if not floor:
        never = terms.any([])
        return terms.all([]), never, never
    is_known, progress = terms.known("progress"), terms.number("progress")
    reached, under = progress >= FLOOR, progress < FLOOR
    return z3.And(is_known, reached), z3.And(is_known, under), z3.Not(is_known)
