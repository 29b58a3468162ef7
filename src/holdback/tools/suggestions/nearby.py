"""Deals near a typical one: the plainest that shows something, found at the turns of the rules.

A rule changes its answer only at its turning points: from 79.9999% to 80%. So the facts of a rule
are changed to these values, and to the roundest value between two of them. The
search needs no solver, and gives up where more than `MOST_CHANGES` facts would have to change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final, TypeAlias

from holdback.eligibility.facts import relations
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.rules import Catalogue, Checked, Facts, Kind, Type, closure
from holdback.tools.advice.least_change import moved, turning_points

MOST_CHANGES: Final = 3
# Bounds the search for one deal; further deals are not plain any more.
MOST_DEALS: Final = 20_000
# How many facts more may change so that a deal can exist: a repaid deal has no balance.
_MOST_REPAIRS: Final = 3
_MOST_REPAIRED: Final = 20

Test: TypeAlias = Callable[[Facts], bool]


@frozen
class Neighbourhood:
    """The deals near a `typical` one on the day `on`; a fact may be unknown in it."""

    typical: Facts
    catalogue: Catalogue
    on: date

    def plainest(
        self,
        rules: Sequence[Checked],
        test: Test,
        places: Sequence[int],
        unknown: int | None = None,
    ) -> Facts | None:
        """
        Return the plainest possible deal that passes *test*, None where the search gives up.

        The facts in *places* may differ from the typical deal, at the turns of *rules*. The fact in
        the place *unknown* is unknown in every deal.
        """
        start = self.typical if unknown is None else moved(self.typical, unknown, None)
        free = [place for place in places if place != unknown]
        best: Facts | None = None
        for count in range(min(MOST_CHANGES, len(free)) + 1):
            deals = islice(self._deals(start, free, rules, count), MOST_DEALS)
            passing = (self._possible(deal, test) for deal in deals if test(deal))
            plain = [deal for deal in passing if deal is not None]
            if best is not None:
                plain.append(best)
            best = min(plain, key=self._plainness, default=None)
            # A deal that had to be repaired may have more changes than the next ones.
            if best is not None and self._plainness(best)[0] <= count + 1:
                return best
        return best

    def _plainness(self, facts: Facts) -> tuple[int, int, int]:
        """Return how much *facts* differ from the typical deal: how many, how round, how far."""
        pairs = zip(self.catalogue.facts, self.typical, facts, strict=True)
        differing = [(fact.type, was, now) for fact, was, now in pairs if was != now]
        rough = sum(roughness(type_, now) for type_, _, now in differing)
        far = sum(abs(now - (was or 0)) for _, was, now in differing if now is not None)
        return len(differing), rough, far

    def _deals(
        self, facts: Facts, places: Sequence[int], rules: Sequence[Checked], count: int
    ) -> Iterator[Facts]:
        """Yield *facts* with *count* of those in *places* changed."""
        if not count:
            yield facts
            return
        for index, place in enumerate(places):
            for number in self.values(facts, place, rules):
                yield from self._deals(
                    moved(facts, place, number), places[index + 1 :], rules, count - 1
                )

    def values(self, facts: Facts, place: int, rules: Sequence[Checked]) -> list[int]:
        """Return the values worth trying for the fact in *place*, the roundest first."""
        fact = self.catalogue.facts[place]
        typical = self.typical[place]
        if fact.type.kind in {Kind.FLAG, Kind.TEXT}:
            return [number for number in range(fact.low, fact.high + 1) if number != facts[place]]
        high = fact.high
        if fact.name == "credit_checked_on":  # a service refuses evidence from the future
            high = min(high, self.on.toordinal())
        near = fact.low if typical is None else min(typical, high)
        at_near = moved(facts, place, near)
        turns = {
            turn
            for rule in rules
            for turn in turning_points(rule.tree, at_near, place)
            if fact.low <= turn <= high
        }
        ends = pairwise([fact.low - 1, *sorted(turns), high])
        numbers = turns | {
            roundest(fact.type, before + 1, last, near) for before, last in ends if before < last
        }
        numbers -= {typical} if typical is not None else set()
        return sorted(numbers, key=lambda n: (roughness(fact.type, n), abs(n - near), n))

    def _possible(self, facts: Facts, test: Test) -> Facts | None:
        """Return *facts*, or the nearest deal that can exist and passes *test*; None for none."""
        pinned = frozenset(
            place for place, number in enumerate(facts) if number != self.typical[place]
        )
        repaired = islice(self._repaired(facts, pinned, _MOST_REPAIRS), _MOST_REPAIRED)
        return next((deal for deal in repaired if test(deal)), None)

    def _repaired(self, facts: Facts, pinned: frozenset[int], left: int) -> Iterator[Facts]:
        """Yield possible deals like *facts* in the facts *pinned*, with at most *left* others."""
        broken = next(
            (pair for pair in _relations(self.catalogue.currency) if pair[1](facts) is False), None
        )
        if broken is None:
            yield facts
            return
        relation, holds = broken
        for place in relation.facts if left else ():
            if place in pinned or facts[place] is None:
                continue
            for number in self.values(facts, place, [relation]):
                option = moved(facts, place, number)
                if holds(option) is not False:
                    yield from self._repaired(option, pinned | {place}, left - 1)


@lru_cache(maxsize=256)
def _relations(
    currency: Currency,
) -> tuple[tuple[Checked, Callable[[Facts], bool | int | None]], ...]:
    """Return what holds of every deal that can exist, each with its fast function."""
    return tuple((relation, closure(relation)) for relation in relations(currency))


def roughness(type_: Type, number: int | None) -> int:
    """
    Return how many digits a person has to read: 1 for 400.00, 6 for 79.9999.

    >>> roughness(Type(Kind.PERCENT), 799_999), roughness(Type(Kind.COUNT), 400)
    (6, 1)
    """
    if number is None or type_.kind in {Kind.FLAG, Kind.TEXT}:
        return 1
    return len(str(abs(number)).rstrip("0")) or 1


def roundest(type_: Type, low: int, high: int, near: int) -> int:
    """
    Return the number from *low* to *high* with the fewest digits; of several, the one *near*.

    >>> count = Type(Kind.COUNT)
    >>> roundest(count, 201, 99_999, 42), roundest(count, 0, 74, 97), roundest(count, 4, 30, 0)
    (300, 70, 4)
    """
    aim = min(max(near, low), high)
    numbers = {aim}
    unit = 1
    while unit <= max(abs(low), abs(high)):
        below = aim // unit * unit
        numbers.update(number for number in (below, below + unit) if low <= number <= high)
        unit *= 10
    return min(numbers, key=lambda n: (roughness(type_, n), abs(n - near), n))
