"""The answer to "what would help": ways to meet the rules, and what is still to be found out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from attrs import field

from holdback.eligibility.facts import UP
from holdback.eligibility.reasons import FLOOR_CODE
from holdback.eligibility.ruleset import RuleSet, known_facts
from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.exact.exact_json import Json
from holdback.frozen_classes import FrozenMapping, frozen, frozen_record
from holdback.rules.language import ENGLISH, Language
from holdback.rules.render import in_words
from holdback.rules.types import Catalogue, Fact, Facts
from holdback.tools.advice import least_change
from holdback.tools.advice.least_change import Range
from holdback.tools.advice.search import Search, SearchResult
from holdback.tools.advice.words import move_words, name_of
from holdback.tools.plain_values import plain_values


@frozen(kw_only=True)
class Move:
    """
    A fact that has to move `"up"` or `"down"`: from `current` `to` the nearest that helps.

    It may move farther, but not past `until`; None means that it may go on to the end of its
    range. `words` says it to the merchant.
    """

    fact: str
    moves: Literal["up", "down"]
    current: Json
    to: Json
    until: Json = None
    words: str

    def plain(self) -> dict[str, Json]:
        """Return the move as plain values."""
        return plain_values(self)


@frozen(kw_only=True)
class Way:
    """
    One way to meet the rules: all `moves` together, once the facts that it `needs` are found out.

    No part of them is enough, and no smaller moves of the same facts. Where the answer is not
    `complete`, that holds of every move by itself, while the others stay. A way without moves only
    needs facts; one without either says that the rules are met already. `facts` is a deal that
    goes this way, with the values of what it needs that are least: they are met by `facts`.
    """

    moves: tuple[Move, ...]
    needs: tuple[str, ...] = ()
    facts: dict[str, Json] = field(
        factory=FrozenMapping, converter=frozen_record, repr=False, eq=False
    )
    _needed: tuple[str, ...] = field(default=(), repr=False, eq=False)
    _language: Language = field(default=ENGLISH, repr=False, eq=False)

    @property
    def parts(self) -> tuple[str, ...]:
        """What has to be true, each part in words for the merchant."""
        moved = tuple(move.words for move in self.moves)
        if not self.needs:
            return moved
        facts = in_words(self._needed, self._language.text("and"))
        return (
            *moved,
            self._language.say("what is still missing allows it ({facts})", facts=facts),
        )

    @property
    def words(self) -> str:
        """The way in words for the merchant, as the second half of a sentence."""
        language = self._language
        if not self.parts:
            return language.text("nothing changes")
        return in_words(self.parts, language.text("and"))

    def plain(self) -> dict[str, Json]:
        """Return the way as plain values."""
        return plain_values(self, "moves", "needs", "words")


@frozen(kw_only=True)
class WhatWouldHelp:
    """
    All minimal `ways` to meet the rules, the shortest first.

    `complete` is False where there may be ways that are not listed, and `limits` says why. A way
    that is not listed may then take less than one that is.
    `cannot` are the codes of the rules that no way meets, where that is certain from the start.
    `missing` are the facts without which the answer is not certain now.
    """

    ways: tuple[Way, ...]
    cannot: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    _language: Language = field(default=ENGLISH, repr=False, eq=False)

    @property
    def complete(self) -> bool:
        """Whether all minimal ways are listed."""
        return not self.limits

    @property
    def nothing_needed(self) -> bool:
        """Whether the rules are met as the deal is now."""
        return any(not way.moves and not way.needs for way in self.ways)

    @property
    def fetch(self) -> tuple[str, ...]:
        """
        The missing facts that can decide with nothing else changed, the next to fetch first.

        It is empty where no value of what is missing is enough, and may be empty where the answer
        is not `complete`.
        """
        ways = [way.needs for way in self.ways if not way.moves]
        counts = Counter(name for needs in ways for name in needs)
        return tuple(sorted(counts, key=lambda name: -counts[name]))

    @property
    def words(self) -> str:
        """The answer in words for the merchant."""
        return "\n".join(self._sentences())

    def _sentences(self) -> Iterable[str]:
        say = self._language.say
        if self.nothing_needed:
            yield say("Nothing has to change.")
            return
        if self.missing and not self.fetch and self.complete:
            yield say("What is still missing cannot be enough alone.")
        for number, way in enumerate(self.ways):
            if len(way.parts) == 1:
                yield say(
                    "Or if {way}." if number else "It would be enough if {way}.", way=way.words
                )
            else:
                yield say(
                    "Or if all of this is true:"
                    if number
                    else "It would be enough if all of this is true:"
                )
                yield from (say("- {part}", part=part) for part in way.parts)
        if not self.ways and self.limits:
            yield say("No change was found that would be enough.")
        elif not self.ways:
            yield say("There is no change that would be enough.")
        if self.limits:
            yield say("There may be other ways.")

    def plain(self) -> dict[str, Json]:
        """Return the answer as plain values."""
        names = ("ways", "complete", "limits", "cannot", "missing", "fetch", "words")
        return plain_values(self, *names)


def what_would_help(
    rules: RuleSet,
    facts: Facts,
    *,
    floor: int | None = None,
    lifted: int = 0,
    movable: Iterable[str] | None = None,
) -> WhatWouldHelp:
    """
    Return what would help the deal with prepared *facts* to meet all *rules*.

    *floor* is the least progress, scaled; None for the rules of a product. *lifted* is the mask of
    the rules that count as met. *movable* are the names of the facts that may move, by default all
    that the catalogue marks.

    Raises:
        InvalidDocument: with every name in *movable* that is not a fact, or not one that moves.
    """
    search = Search(rules, facts, _ranges(rules.catalogue, facts, movable), floor, lifted)
    result = search.run()
    missing: tuple[str, ...] = ()
    if not search.is_met(facts):
        missing = rules.answer(facts, lifted=lifted).needs
        if floor is not None and facts[rules.progress] is None and "progress" not in missing:
            missing = ("progress", *missing)
    return WhatWouldHelp(
        ways=tuple(
            _way(search, deal)
            for deal in sorted(result.deals, key=lambda deal: _order(search, deal))
        ),
        cannot=_cannot(rules, result),
        missing=missing,
        limits=tuple(_limits(rules, result)),
        language=rules.language,
    )


def _ranges(catalogue: Catalogue, facts: Facts, movable: Iterable[str] | None) -> dict[int, Range]:
    """Return what each fact can move through: those that are movable, and those unknown."""
    names = None if movable is None else _named(catalogue, movable)
    ranges = {}
    for place, (fact, number) in enumerate(zip(catalogue.facts, facts, strict=True)):
        if number is None:
            ranges[place] = Range(fact.low, fact.high, least_change.UP)
        elif fact.moves is not None and (names is None or fact.name in names):
            up = fact.moves == UP
            ranges[place] = Range(
                number, fact.high if up else fact.low, least_change.UP if up else least_change.DOWN
            )
    return ranges


def _named(catalogue: Catalogue, movable: Iterable[str]) -> frozenset[str]:
    """
    Return the names *movable* as a set.

    Raises:
        InvalidDocument: with every name that is not a fact, or not one that moves.
    """
    names, errors = tuple(movable), []
    marked = [fact.name for fact in catalogue.facts if fact.moves is not None]
    for number, name in enumerate(names):
        fact = catalogue.fact(name)
        if fact is None:
            code, message = "unknown_name", "unknown fact"
            hint = did_you_mean(str(name), marked)
        elif fact.moves is None:
            code, message = "not_allowed", f"`{name}` does not move: no merchant can change it"
            hint = f"these move: {', '.join(marked)}"
        else:
            continue
        errors.append(ErrorDetail(code=code, message=message, path=f"$[{number}]", hint=hint))
    if errors:
        raise InvalidDocument(errors)
    return frozenset(names)


def _way(search: Search, deal: Facts) -> Way:
    """Return *deal*, one that the search found, as a way: what moves, and what is to be fetched."""
    catalogue = search.rules.catalogue
    changed = sorted(search.changed(deal))
    needed = [catalogue.facts[place] for place in changed if search.facts[place] is None]
    return Way(
        moves=tuple(
            _move(search, deal, place, catalogue.facts[place])
            for place in changed
            if search.facts[place] is not None
        ),
        needs=tuple(fact.name for fact in needed),
        facts=known_facts(catalogue, deal),
        needed=tuple(name_of(fact, search.rules.language) for fact in needed),
        language=search.rules.language,
    )


def _move(search: Search, deal: Facts, place: int, fact: Fact) -> Move:
    """Return the move of *fact*, at *place*, from the deal that was asked about to *deal*."""
    current, to = search.facts[place], deal[place]
    assert current is not None, "an unknown fact does not move"
    assert to is not None, "it has moved to a number"
    until = search.last(deal, place)
    plain = fact.type.plain
    return Move(
        fact=fact.name,
        moves="up" if fact.moves == UP else "down",
        current=plain(current),
        to=plain(to),
        until=None if until is None else plain(until),
        words=move_words(search.rules, fact, current, to, until),
    )


def _order(search: Search, deal: Facts) -> tuple[int, int, list[int]]:
    """Return the key that sorts ways: fewest changes first, then those that fetch more of them."""
    changed = sorted(search.changed(deal))
    fetched = sum(search.facts[place] is None for place in changed)
    return len(changed), -fetched, changed


def _cannot(rules: RuleSet, result: SearchResult) -> tuple[str, ...]:
    """Return the codes of what no way meets: the floor, and rules."""
    floor = (FLOOR_CODE,) if result.floor_unmet else ()
    codes = (rule.code for bit, rule in enumerate(rules.rules) if result.unmet >> bit & 1)
    return (*floor, *codes)


def _limits(rules: RuleSet, result: SearchResult) -> Iterable[str]:
    language = rules.language
    for trade in result.trades:
        facts = [rules.catalogue.facts[place] for place in sorted(trade)]
        names = in_words((name_of(fact, language) for fact in facts), language.text("and"))
        yield language.say("more ways are possible that change {facts} together", facts=names)
    if not result.within_budget:
        yield language.say("there are too many ways to look at all of them")
