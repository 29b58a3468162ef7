"""The plainest deal that satisfies a question: few facts that differ from typical, round figures.

1. The solver looks for the fewest facts that have to differ, in a context of its own, so that the
   deal is the same in every process, independent of what was asked before.
2. For each of them, the interval in which the answer stays the same is found, and the roundest
   number in it is taken.
3. The reference interpreter is asked about every deal that is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any, Final, TypeAlias

import z3
from attrs import define

from holdback.rules import Checked, Fact, Facts, Kind, interpret
from holdback.rules.interpreter import answer
from holdback.tools.advice.least_change import (
    DOWN,
    UP,
    Range,
    beyond,
    moved,
    turning_points,
)
from holdback.tools.proofs.question import LIMIT, Question
from holdback.tools.proofs.solver import AFTER, Possibility, Solver, conditions
from holdback.tools.proofs.witness import Change, Witness

# The numbers of a deal by the name of the fact. Those of a second deal differ in one fact alone,
# whose number there is under `AFTER`.
Numbers: TypeAlias = Mapping[str, int | None]

# Values without an order have no interval, and none is rounder than another.
_UNORDERED: Final = frozenset({Kind.TEXT, Kind.FLAG})
# Bounds the search for an interval without holes. It may then be shorter than it could be.
_MOST_HOLES: Final = 64


class NotDecidedError(Exception):
    """The solver gave no answer in its time."""


def plainest(  # noqa: PLR0913 - a question, and how its answer is shown
    question: Question,
    typical: Facts,
    on: date,
    *,
    product: str | None = None,
    limit: float = LIMIT,
    solver: Solver | None = None,
) -> Witness | None:
    """
    Return the plainest deal that satisfies *question*; None if there is none.

    The fewest facts differ from the *typical* deal, the first ones if others would do as well, and
    none is missing that need not be. Their figures depend on what a *solver* was asked before, so
    share one only where that is the same in every process.

    Raises:
        NotDecidedError: the solver gave no answer in its time.
    """
    facts = question.catalogue.facts
    numbers_of_typical = {fact.name: number for fact, number in zip(facts, typical, strict=True)}
    search = _Search(question, numbers_of_typical, on, solver or Solver(limit))
    numbers = search.fewest_changes()
    if numbers is None:
        return None
    for name in search.changed(numbers):
        numbers = search.rounded(numbers, name)
    return search.witness(numbers, product)


@define(eq=False, slots=False)
class _Search:
    """The search for the plainest deal: one solver, with what the question asks."""

    question: Question
    typical: Numbers
    on: date
    solver: Solver

    def __attrs_post_init__(self) -> None:
        self.terms = self.solver.terms
        self.asked = conditions(self.question, self.terms)
        self.after = self.terms.with_number(self.moved, AFTER)

    @property
    def moved(self) -> str:
        """The fact in which a second deal differs; empty if there is none."""
        return self.question.moved or ""

    def fact(self, name: str) -> Fact:
        """Return the fact whose number is under *name*."""
        fact = self.question.catalogue.fact(self.moved if name == AFTER else name)
        assert fact is not None, name
        return fact

    @property
    def names(self) -> list[str]:
        """The facts of the question, in their places."""
        wanted = self.question.names
        return [fact.name for fact in self.question.catalogue.facts if fact.name in wanted]

    def fewest_changes(self) -> dict[str, int | None] | None:
        """Return a deal that differs from the typical one in the fewest facts; None if none is."""
        if not self.decided(self.asked):
            return None
        asked = [*self.asked]
        missing = [
            z3.Not(self.terms.known(name)) for name in self.names if self.typical[name] is not None
        ]
        for most in range(len(missing) + 1):
            if self.decided([*asked, *_at_most(missing, most)]):
                asked += _at_most(missing, most)
                break
        changed = [self._is_changed(name) for name in self.names]
        most = 0
        while not self.decided([*asked, *_at_most(changed, most)]):
            most += 1
        asked += _at_most(changed, most)
        # Of several sets of facts it is the one with the first facts: the solver would take any.
        chosen: list[Any] = []
        for term in changed:
            if len(chosen) < most and self.decided([*asked, *chosen, term]):
                chosen.append(term)
        model = self.model([*asked, *chosen])
        assert model is not None, "there is a deal with these changes"
        return self._numbers(model)

    def _is_changed(self, name: str) -> Any:
        is_known, typical = self.terms.known(name), self.typical[name]
        if typical is None:
            return is_known
        return z3.Or(z3.Not(is_known), self.terms.number(name) != typical)

    def _numbers(self, model: Any) -> dict[str, int | None]:
        numbers: dict[str, int | None] = {}
        for name in self.names:
            is_known = z3.is_true(model.eval(self.terms.known(name), model_completion=True))
            number = model.eval(self.terms.number(name), model_completion=True)
            numbers[name] = number.as_long() if is_known else None
        if self.question.moved is not None:
            number = model.eval(self.after.number(self.moved), model_completion=True)
            numbers[AFTER] = number.as_long()
        return numbers

    def decided(self, terms: list[Any]) -> bool:
        """Return whether all *terms* can be true together."""
        answer = self.solver.ask(terms)
        if answer is Possibility.NOT_DECIDED:
            raise NotDecidedError
        return answer is Possibility.POSSIBLE

    def model(self, terms: list[Any]) -> Any | None:
        """Return a model of *terms*; None if there is none."""
        solver = z3.Solver(ctx=self.terms.context)
        solver.add(*terms)
        answer = self.solver.check(solver)
        if answer is Possibility.NOT_DECIDED:
            raise NotDecidedError
        return solver.model() if answer is Possibility.POSSIBLE else None

    def changed(self, numbers: Numbers) -> Iterator[str]:
        """Yield the names of the numbers that can be made rounder, in the order of their places."""
        for name in self.names:
            if numbers[name] is not None and numbers[name] != self.typical[name]:
                yield name
        if AFTER in numbers:
            yield AFTER

    def rounded(self, numbers: Numbers, name: str) -> dict[str, int | None]:
        """Return *numbers* with the roundest number of *name* that satisfies the question."""
        fact = self.fact(name)
        if fact.type.kind in _UNORDERED:
            every = range(fact.low, fact.high + 1)
            first = next(number for number in every if self.holds({**numbers, name: number}))
            return {**numbers, name: first}
        low, high = self.interval(numbers, name)
        near = numbers[self.moved] if name == AFTER else self.typical[name]
        return {**numbers, name: roundest(fact, low, high, near)}

    def interval(self, numbers: Numbers, name: str) -> tuple[int, int]:
        """Return the ends of numbers of *name* with which *numbers* satisfy the question."""
        number = numbers[name]
        assert number is not None, "a missing fact has no interval"

        def holds(candidate: int) -> bool:
            return self.holds({**numbers, name: candidate})

        fact = self.fact(name)
        low, high = farthest(holds, number, fact.low), farthest(holds, number, fact.high)
        for _ in range(_MOST_HOLES):
            hole = self._hole(numbers, name, low, high)
            if hole is None:
                return low, high
            assert hole != number, "the readers disagree with the solver"
            low, high = (hole + 1, high) if hole < number else (low, hole - 1)
        return number, number

    def _hole(self, numbers: Numbers, name: str, low: int, high: int) -> int | None:
        """Return a number between *low* and *high* that does not satisfy; None if all do."""
        own = self.after.number(self.moved) if name == AFTER else self.terms.number(name)
        model = self.model(
            [
                # The number of a missing fact means nothing, but what was asked has it in range.
                self.terms.in_range([self.fact(read) for read in self.names]),
                *(self._equal(fixed, numbers[fixed]) for fixed in numbers if fixed != name),
                *([] if name == AFTER else [self.terms.known(name)]),
                low <= own,
                own <= high,
                z3.Not(self.terms.all(self.asked)),
            ]
        )
        return None if model is None else int(model.eval(own, model_completion=True).as_long())

    def _equal(self, name: str, number: int | None) -> Any:
        if number is None:  # with some number in its range, or there would be a hole everywhere
            own = self.terms.number(name)
            return z3.And(z3.Not(self.terms.known(name)), own == self.fact(name).low)
        if name == AFTER:
            return self.after.number(self.moved) == number
        return z3.And(self.terms.known(name), self.terms.number(name) == number)

    def holds(self, numbers: Numbers) -> bool:
        """Return whether *numbers* satisfy the question: the interpreter's answer."""
        before, after = self.deals(numbers)
        if after is not None and numbers[AFTER] <= numbers[self.moved]:  # type: ignore[operator]  # a fact that moves is known
            return False
        return self.question.holds(before, after)

    def deals(self, numbers: Numbers) -> tuple[Facts, Facts | None]:
        """Return the facts of both deals."""
        facts = self.question.catalogue.facts
        before = tuple(numbers.get(fact.name) for fact in facts)
        if AFTER not in numbers:
            return before, None
        place = self.question.catalogue.place(self.moved)
        return before, (*before[:place], numbers[AFTER], *before[place + 1 :])

    def witness(self, numbers: Numbers, product: str | None) -> Witness:
        """Return the deal of *numbers*, with the other facts as they typically are."""
        question = self.question
        before, after = self.deals(numbers)
        assert question.holds(before, after), "the interpreter disagrees with the solver"
        whole = with_consistent_rest(question, {**self.typical, **numbers})
        changes = [
            self._change(numbers, fact, whole)
            for fact in question.catalogue.facts
            if whole[fact.name] != self.typical[fact.name]
        ]
        facts, moved = self.deals(whole)
        return Witness(
            catalogue=question.catalogue,
            facts=facts,
            changes=tuple(changes),
            on=self.on,
            product=product,
            after=moved,
        )

    def _change(self, numbers: Numbers, fact: Fact, whole: Numbers) -> Change:
        low = high = value = whole[fact.name]
        if value is not None and fact.name in numbers and fact.type.kind not in _UNORDERED:
            low, high = self.interval(numbers, fact.name)
            low = self._possible_until(whole, fact.name, Range(value, low, DOWN))
            high = self._possible_until(whole, fact.name, Range(value, high, UP))
        typical = self.typical[fact.name]
        return Change(fact=fact, typical=typical, value=value, low=low, high=high)

    def _possible_until(self, whole: Numbers, name: str, span: Range) -> int:
        """Return the last number of *name* in *span* up to which the *whole* deal is possible."""
        place = self.question.catalogue.place(name)
        deals = [deal for deal in self.deals(whole) if deal is not None]
        held = [
            (relation.tree, deal)
            for relation in self.question.all_relations
            for deal in deals[: 1 if name == self.moved else None]
            if place in relation.facts and answer(relation.tree, deal) is not False
        ]
        points = {span.end}.union(*(turning_points(tree, deal, place) for tree, deal in held))
        for point in beyond(points, span):
            if any(answer(tree, moved(deal, place, point)) is False for tree, deal in held):
                return point - span.direction
        return span.end


def _at_most(terms: list[Any], most: int) -> list[Any]:
    """Return what says that at most *most* of *terms* are true; nothing where all may be."""
    if most >= len(terms):
        return []
    return [z3.Not(z3.Or(terms)) if most == 0 else z3.AtMost(*terms, most)]


def farthest(holds: Callable[[int], bool], number: int, end: int) -> int:
    """
    Return the farthest number from *number* towards *end* up to which *holds* seems to be true.

    It looks at ever longer steps, so it may step over numbers of which *holds* is false.

    >>> farthest(lambda number: number <= 79, 10, 1_000)
    79
    """
    sign, good, step = (1 if end > number else -1), number, 1
    while good != end:
        probe = number + sign * min(step, abs(end - number))
        if not holds(probe):
            break
        good, step = probe, step * 2
    else:
        return good
    bad = probe
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good


def roundest(fact: Fact, low: int, high: int, near: int | None) -> int:
    """
    Return the roundest number from *low* to *high*, and of several the one that is nearest *near*.

    >>> from holdback.rules import Type
    >>> pace = Fact(name="performance", type=Type(Kind.PERCENT), low=0, high=10**7)
    >>> pace.type.show(roundest(pace, 750_000, 799_999, 970_000))
    '79%'
    """
    near = low if near is None else near
    if fact.type.kind is Kind.DATE:
        return min(max(near, low), high)
    step: int = 10 ** (len(str(abs(near))) - 1)
    while step > 1 and -(-low // step) * step > high:
        step //= 10
    first, last = -(-low // step) * step, high // step * step
    return min(max(near // step * step, first), last)


def with_consistent_rest(question: Question, numbers: Numbers) -> dict[str, int | None]:
    """
    Return *numbers* with the facts that the question does not read made to fit those that it does.

    A typical deal owes a balance, and a repaid one does not. Where nothing fits, the fact is
    missing, which contradicts nothing.
    """
    facts = question.catalogue.facts
    fitting = dict(numbers)
    for relation in question.all_relations:
        for name in relation.names:
            if _holds(relation, facts, fitting) or name in question.names:
                continue
            candidates = [0, 1, *(fitting[related] for related in relation.names), None]
            fitting[name] = next(
                number
                for number in candidates
                if _holds(relation, facts, {**fitting, name: number})
            )
    for relation in question.all_relations:
        if not _holds(relation, facts, fitting):
            fitting |= dict.fromkeys(set(relation.names) - question.names)
    return fitting


def _holds(relation: Checked, facts: tuple[Fact, ...], numbers: Numbers) -> bool:
    return interpret(relation, tuple(numbers[fact.name] for fact in facts)) is not False
