"""The search for all minimal sets of changes with which the rules of a rule set are met.

A rule that is not met names its least repairs: for each fact in it that can move, the nearest
number at which a comparison gets the answer that it lacks. Any deal that meets the rule has at
least one of them, so following each repair leads to every minimal set, and to nothing else that
is smaller. An unknown fact comes before every number of its range: to fetch it is a change too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

from attrs import define, evolve, field

from holdback.eligibility.facts import relations
from holdback.eligibility.ruleset import RuleSet
from holdback.frozen_classes import frozen
from holdback.rules.interpreter import answer
from holdback.rules.tree import Constant, FactRead, Node, Operation
from holdback.rules.types import Facts
from holdback.tools.advice.least_change import (
    UP,
    Range,
    beyond,
    helps,
    least,
    moved,
    places,
    turning_points,
)

# The deals that are looked at for one answer. A search among ordinary rules looks at tens.
MOST_DEALS: Final = 2_000

Change: TypeAlias = tuple[int, int]  # the place of a fact, and its new number


class Repairs(NamedTuple):
    """
    The least changes of which a deal that meets a rule has at least one.

    `traded` are the pairs of facts that can help one comparison together: less of one for more of
    the other. Then there may be repairs that `changes` does not have.
    """

    changes: frozenset[Change]
    traded: frozenset[frozenset[int]] = frozenset()

    @property
    def order(self) -> tuple[bool, int]:
        """The key by which the repairs that leave least to search come first."""
        return bool(self.traded), len(self.changes)


_NONE: Final = Repairs(frozenset())


@frozen
class SearchResult:
    """
    The minimal deals that were found, each with all facts.

    `trades` are facts that may help together in more ways than were found. `within_budget` says
    whether the search came to its end. `unmet` are the rules that no change meets, as a mask, and
    `floor_unmet` says it of the floor.
    """

    deals: tuple[Facts, ...] = ()
    trades: tuple[frozenset[int], ...] = ()
    within_budget: bool = True
    unmet: int = 0
    floor_unmet: bool = False


@define
class Search:
    """
    The deal with *facts*, the *rules* that it has to meet, and the *ranges* of what can change.

    *lifted* is the mask of the rules that count as met, and *floor* the least progress, scaled;
    None for rules without a floor.
    """

    rules: RuleSet
    facts: Facts
    ranges: Mapping[int, Range]
    floor: int | None = None
    lifted: int = 0
    _bounds: tuple[Node, ...] = field(init=False)

    @_bounds.default
    def _relations(self) -> tuple[Node, ...]:
        """
        Return the relations between facts that a change could break.

        The deal need not meet one that it breaks already.
        """
        return tuple(
            relation.tree
            for relation in relations(self.rules.catalogue.currency)
            if any(place in self.ranges for place in relation.facts)
            and answer(relation.tree, self.facts) is not False
        )

    def run(self) -> SearchResult:
        """Return the minimal deals among those that the ranges allow."""
        hopeless = self._hopeless()
        if hopeless is not None:
            return hopeless
        deals: list[Facts] = []
        trades: set[frozenset[int]] = set()
        seen: set[Facts] = set()
        # The deals to look at, those with the fewest changes first, and of these the first found.
        waiting = [(0, 0, self.facts)]
        while waiting and len(seen) <= MOST_DEALS:
            _, _, deal = heappop(waiting)
            if deal in seen or any(self._covers(smaller, deal) for smaller in deals):
                continue
            seen.add(deal)
            repairs = self._next(deal)
            if repairs is None:
                deals.append(deal)
                continue
            changed = self.changed(deal)
            trades |= {changed | pair for pair in repairs.traded}
            for number, (place, value) in enumerate(sorted(repairs.changes)):
                further = moved(deal, place, value)
                # No rule has a thousand repairs, so this number is unique, and grows.
                when_found = len(seen) * 1000 + number
                heappush(waiting, (len(changed | {place}), when_found, further))
        # A complete search has looked at all smaller deals too; after another, moves may shrink.
        if trades or waiting:
            deals = list(dict.fromkeys(map(self._lowered, deals)))
        minimal = [
            deal
            for deal in deals
            if not any(smaller is not deal and self._covers(smaller, deal) for smaller in deals)
        ]
        # Where some of the facts of a trade are enough, no trade is needed.
        sets = [self.changed(deal) for deal in minimal]
        open_trades = {trade for trade in trades if not any(enough < trade for enough in sets)}
        return SearchResult(
            deals=tuple(minimal),
            trades=tuple(sorted(open_trades, key=sorted)),
            within_budget=not waiting,
        )

    def changed(self, deal: Facts) -> frozenset[int]:
        """Return the places of the facts that *deal* has changed."""
        return frozenset(place for place in self.ranges if deal[place] != self.facts[place])

    def is_met(self, deal: Facts) -> bool:
        """Return whether *deal* meets the floor and every rule that is not lifted."""
        false, unknown = self.rules.masks(deal)
        return not (false | unknown) & ~self.lifted and self._floor(deal) is None

    def last(self, deal: Facts, place: int) -> int | None:
        """
        Return the farthest number to which the changed fact at *place* may go on to move.

        Up to it, *deal* still meets the rules.

        None means that it may move to the end of its range.
        """
        number, span = deal[place], self.ranges[place]
        assert number is not None, "a fact that was changed is known"
        points: set[int] = set()
        for rule in self.rules.rules:
            if place in rule.checked.facts:
                points |= turning_points(rule.checked.tree, deal, place)
        for point in beyond(points, span._replace(start=number)):
            if not self.is_met(moved(deal, place, point)):
                return point - span.direction
        return None

    def _lowered(self, deal: Facts) -> Facts:
        """
        Return *deal* with every move left out, or made smaller, that it does not need.

        One move is changed at a time, and the others stay.
        """
        lower: Facts | None = deal
        while lower is not None:
            deal = lower
            nearer = (
                nearer for place in self.changed(deal) for nearer in self._nearer(deal, place)
            )
            lower = next((less for less in nearer if self._is_possible_way(less)), None)
        return deal

    def _nearer(self, deal: Facts, place: int) -> Iterator[Facts]:
        """
        Yield *deal* with the change at *place* left out, and then with smaller ones.

        They end at the numbers at which a rule, a relation or the floor can change its answer.
        """
        before, number = self.facts[place], deal[place]
        assert number is not None, "a fact that was changed is known"
        yield moved(deal, place, before)
        span = self.ranges[place]
        trees = [*(rule.checked.tree for rule in self.rules.rules), *self._bounds]
        points = set().union(*(turning_points(tree, deal, place) for tree in trees))
        if self.floor is not None and place == self.rules.progress:
            points.add(self.floor)
        for point in beyond(points, span._replace(end=number)):
            if point != number:
                yield moved(deal, place, point)

    def _is_possible_way(self, deal: Facts) -> bool:
        return self.is_met(deal) and all(answer(bound, deal) is not False for bound in self._bounds)

    def _hopeless(self) -> SearchResult | None:
        """Return the result where a rule, or the floor, cannot be met by any change, else None."""
        unmet = sum(
            1 << bit
            for bit, rule in self._unmet(self.facts)
            if self._repairs(rule, self.facts, truth=True) == _NONE
        )
        floor = self._floor(self.facts)
        floor_unmet = floor is not None and not floor.changes
        return SearchResult(unmet=unmet, floor_unmet=floor_unmet) if unmet or floor_unmet else None

    def _covers(self, smaller: Facts, deal: Facts) -> bool:
        """Return whether *deal* is not minimal, because *smaller* needs less of the same facts."""
        few, many = self.changed(smaller), self.changed(deal)
        return few < many or (
            few == many and all(self._at_most(smaller, deal, place) for place in few)
        )

    def _at_most(self, smaller: Facts, deal: Facts, place: int) -> bool:
        """Return whether *smaller* moves the fact at *place* no farther than *deal* does."""
        near, far = smaller[place], deal[place]
        assert near is not None, "a fact that was changed is known"
        assert far is not None, "a fact that was changed is known"
        return (far - near) * self.ranges[place].direction >= 0

    def _unmet(self, deal: Facts) -> Iterator[tuple[int, Node]]:
        """Yield the number and the tree of each rule that *deal* has to meet and does not."""
        false, unknown = self.rules.masks(deal)
        unmet = (false | unknown) & ~self.lifted
        for bit, rule in enumerate(self.rules.rules):
            if unmet >> bit & 1:
                yield bit, rule.checked.tree

    def _next(self, deal: Facts) -> Repairs | None:
        """
        Return the repairs to follow from *deal*; None when it meets floor, rules and relations.

        Of several that are unmet, one is enough, as all have to be met in the end: the floor, below
        which no rule counts, else what leaves least to search.
        """
        floor = self._floor(deal)
        if floor is not None:
            return floor
        unmet = [self._repairs(rule, deal, truth=True) for _, rule in self._unmet(deal)]
        unmet += [
            self._repairs(bound, deal, truth=True)
            for bound in self._bounds
            if answer(bound, deal) is False
        ]
        return min(unmet, key=lambda repairs: repairs.order, default=None)

    def _floor(self, deal: Facts) -> Repairs | None:
        """Return the repair of a *deal* whose progress is below the floor or unknown, else None."""
        if self.floor is None:
            return None
        place = self.rules.progress
        progress = deal[place]
        if progress is not None and progress >= self.floor:
            return None
        span = self.ranges.get(place)
        if span is None or span.direction != UP:
            return _NONE
        return Repairs(frozenset({(place, self.floor)}))

    def _repairs(self, node: Node, deal: Facts, *, truth: bool) -> Repairs:
        """Return the repairs that give *node*, of *deal*, the value *truth*, which it has not."""
        match node:
            case Constant():
                return _NONE
            case FactRead():
                return self._of_flag(node, deal, truth=truth)
            case Operation(operator="not", operands=(operand,)):
                return self._repairs(operand, deal, truth=not truth)
            case Operation(operator="and" | "or" as word, operands=operands):
                lacking = [part for part in operands if answer(part, deal) is not truth]
                parts = [self._repairs(part, deal, truth=truth) for part in lacking]
                # Where all operands have to change, it is enough to follow one of them first.
                if truth == (word == "and"):
                    return min(parts, key=lambda repairs: repairs.order)
                return Repairs(
                    frozenset().union(*(part.changes for part in parts)),
                    frozenset().union(*(part.traded for part in parts)),
                )
            case _:
                return self._of_comparison(node, deal, truth=truth)

    def _of_flag(self, node: FactRead, deal: Facts, *, truth: bool) -> Repairs:
        """Return the change of the flag to *truth*, where it can move there."""
        span = self._span(deal, node.place)
        if span is None or int(truth) not in {span.start, span.end}:
            return _NONE
        return Repairs(frozenset({(node.place, int(truth))}))

    def _of_comparison(self, node: Operation, deal: Facts, *, truth: bool) -> Repairs:
        """Return what `_repairs` does, of a comparison *node*."""
        read = places(node)
        unknown = [place for place in read if deal[place] is None]
        split = _split(node)
        # Where one part is enough, but one is unknown, there is no choice yet: the comparison has
        # no answer before all its facts are known.
        if split is not None and ((split.operator == "and") is truth or not unknown):
            return self._repairs(split, deal, truth=truth)
        spans = {place: span for place in read if (span := self._span(deal, place)) is not None}
        if any(place not in spans for place in unknown):
            return _NONE
        if len(unknown) > 1 or (unknown and len(spans) > 1):
            # Which number of the unknown fact helps depends on the others: it is only made known.
            return Repairs(frozenset({(unknown[0], spans[unknown[0]].start)}))
        if len(spans) > 1 and node.operator == ("==" if truth else "!="):
            # Equal is at most and at least: the one that is not true has to become so.
            at_most, at_least = (evolve(node, operator=operator) for operator in ("<=", ">="))
            unequal = at_least if answer(at_most, deal) else at_most
            return self._of_comparison(unequal, deal, truth=True)
        helpful = [
            place
            for place, span in spans.items()
            if len(spans) == 1 or helps(node, deal, place, span.direction, truth=truth)
        ]
        nearest = (
            (place, least(node, deal, place, spans[place], truth=truth)) for place in helpful
        )
        changes = frozenset((place, number) for place, number in nearest if number is not None)
        return Repairs(changes, frozenset(map(frozenset, combinations(helpful, 2))))

    def _span(self, deal: Facts, place: int) -> Range | None:
        """Return the numbers that the fact at *place* of *deal* can still move through, if any."""
        span, number = self.ranges.get(place), deal[place]
        if span is None or number == span.end:
            return None
        return span if number is None else span._replace(start=number + span.direction)


def _split(node: Operation) -> Operation | None:
    """
    Return the comparison *node* of a `min` or a `max` as comparisons of all its parts, joined.

    `min(a, b) >= 4` is `a >= 4 and b >= 4`. The result is None for any other comparison.
    """
    if node.operator not in {"<", "<=", ">", ">="}:
        return None
    for side, operand in enumerate(node.operands):
        if isinstance(operand, Operation) and operand.operator in {"min", "max"}:
            is_bounded_below = (node.operator in {">", ">="}) is (side == 0)
            word = "and" if (operand.operator == "min") is is_bounded_below else "or"
            before, after = node.operands[:side], node.operands[side + 1 :]
            parts = (evolve(node, operands=(*before, part, *after)) for part in operand.operands)
            return evolve(node, operator=word, operands=tuple(parts))
    return None
