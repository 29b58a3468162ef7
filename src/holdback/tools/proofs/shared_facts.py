"""The facts that two catalogues share, so that rules of both can be asked about one deal."""

from __future__ import annotations

from collections.abc import Collection

from attrs import evolve

from holdback.eligibility.ruleset import RuleSet
from holdback.frozen_classes import frozen
from holdback.rules import Catalogue, Fact, Kind
from holdback.rules.types import Type


@frozen(kw_only=True)
class SharedFacts:
    """
    The facts of deals that can exist both before and after a change, by `catalogue`.

    `notes` say which values only one of the two has. `why_not_comparable` names the facts that both
    sets of rules read and of which they share no value: with one, no deal can be asked about.
    """

    catalogue: Catalogue
    notes: tuple[str, ...] = ()
    why_not_comparable: tuple[str, ...] = ()


def shared_facts(before: RuleSet, after: RuleSet) -> SharedFacts:
    """
    Return the facts of *after*, then those that *before* has alone.

    A fact that only one of them reads is that of its reader. Of one that both read, the values are
    those that both have: amounts of one currency, numbers in both ranges, options by their names.
    """
    if before.catalogue.facts == after.catalogue.facts:
        return SharedFacts(catalogue=after.catalogue)
    old = {fact.name: fact for fact in before.catalogue.facts}
    names = {fact.name for fact in after.catalogue.facts}
    read_before, read_after = _read(before), _read(after)
    facts, notes, why_not_comparable = [], [], []
    for fact in after.catalogue.facts:
        was = old.get(fact.name, fact)
        # Where only one set of rules reads the fact, its values are those of that one.
        if fact.name not in read_before:
            was = fact
        elif fact.name not in read_after:
            fact = was  # noqa: PLW2901 - the reader's
        shared = _shared(was, fact)
        facts.append(shared or fact)
        if shared is None:
            why_not_comparable.append(
                f"`{fact.name}` is {_described(was)} before and {_described(fact)} after"
            )
        elif _values(shared) != _values(fact) or _values(shared) != _values(was):
            notes.append(f"`{fact.name}` has only {_described(shared)} both before and after")
    more = (fact for fact in before.catalogue.facts if fact.name not in names)
    return SharedFacts(
        catalogue=evolve(after.catalogue, facts=(*facts, *more)),
        notes=tuple(notes),
        why_not_comparable=tuple(why_not_comparable),
    )


def _read(rules: RuleSet) -> Collection[str]:
    return {name for rule in rules.rules for name in rule.checked.names}


def _values(fact: Fact) -> tuple[object, ...]:
    return fact.low, fact.high, fact.type


def _shared(before: Fact, after: Fact) -> Fact | None:
    """Return *after* with the values that *before* has too; None if they share none."""
    kinds = {(fact.type.kind, fact.type.currency) for fact in (before, after)}
    if len(kinds) > 1:
        return None
    if after.type.kind is not Kind.TEXT:
        low, high = max(before.low, after.low), min(before.high, after.high)
        return evolve(after, low=low, high=high) if low <= high else None
    options = tuple(name for name in after.type.options if name in before.type.options)
    if not options:
        return None
    return evolve(after, type=Type(Kind.TEXT, options=options), low=0, high=len(options) - 1)


def _described(fact: Fact) -> str:
    if fact.type.kind is Kind.TEXT:
        return " or ".join(f"`{option}`" for option in fact.type.options)
    if fact.type.kind is Kind.FLAG:
        return "a flag"
    return f"{fact.type}, {fact.type.show(fact.low)} to {fact.type.show(fact.high)}"
