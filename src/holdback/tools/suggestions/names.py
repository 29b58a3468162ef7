"""Names of drafted examples: what each of them shows, in plain English."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import date
from typing import Final

from attrs import evolve

from holdback.exact.exact_json import Json
from holdback.exact.money import Money
from holdback.rules import Catalogue, Checked, Fact, Facts, Kind, Type
from holdback.rules.tree import Constant, FactRead, Node, Operation, comparisons

_TAKINGS: Final = "average_monthly_takings"


def words_of(name: str) -> str:
    """
    Return the *name* of a fact or a parameter as words.

    >>> words_of("missed_remittances_30d")
    'missed remittances 30d'
    """
    return name.replace("_", " ")


def said_of(fact: Fact) -> str:
    """Return how a name of an example calls *fact*: by its label, where it is a figure."""
    if fact.label is None or fact.type.kind in {Kind.FLAG, Kind.TEXT}:
        return words_of(fact.name)
    return fact.label


def unit_of(type_: Type) -> str:
    """
    Return the smallest step of a type in words.

    >>> unit_of(Type(Kind.PERCENT)), unit_of(Type(Kind.DAYS))
    ('a ten-thousandth of a percent', 'a day')
    """
    match type_.kind:
        case Kind.PERCENT:
            return "a ten-thousandth of a percent"
        case Kind.RATIO:
            return "a millionth"
        case Kind.DAYS | Kind.DATE:
            return "a day"
        case Kind.MONEY:
            return type_.show(1)
        case _:
            return "one"


def deal_name(
    catalogue: Catalogue, typical: Facts, facts: Facts, comparison: Checked | None = None
) -> str:
    """
    Return a name for a deal with *facts*: what differs from the *typical* deal.

    The fact that *comparison* compares with a figure comes first, and how far from it it is.
    """
    pairs = zip(catalogue.facts, typical, facts, strict=True)
    differing = {fact.name: (fact, now) for fact, was, now in pairs if was != now}
    first = None if comparison is None else _beside_figure(comparison, facts)
    said = []
    if first is not None:
        fact_name, words = first
        said.append(words)
        differing.pop(fact_name, None)
    # What is not known comes before the circumstances in which it matters.
    ordered = sorted(differing.values(), key=lambda pair: pair[1] is not None)
    return ", ".join([*said, *(_fact_words(fact, number) for fact, number in ordered)])


def price_name(catalogue: Catalogue, typical: Facts, facts: Facts, settles: Money | None) -> str:
    """Return a name for an application: its takings, what it settles, and what else differs."""
    place = catalogue.place(_TAKINGS)
    takings, number = catalogue.facts[place], facts[place]
    usual = (*typical[:place], number, *typical[place + 1 :])
    rest = deal_name(catalogue, usual, facts)
    renewal = "" if settles is None else f" to settle {settles}"
    shown = "takings not known" if number is None else f"takings of {takings.type.show(number)}"
    return f"what is offered{renewal} on {shown} a month{f', {rest}' if rest else ''}"


def settings_name(settings: Mapping[str, Json], ages: str, on: date) -> str:
    """
    Return a name for what *settings* are on a day; *ages* is the key of the ages of checks.

    >>> settings_name({"cooling_off_days": 14}, "max_age_days", date(2026, 7, 1))
    'cooling off days on 2026-07-01'
    """
    names = [words_of(name) for name in settings if name != ages]
    if ages in settings:
        names.append("how old checks may be")
    return f"{', '.join(names)} on {on}"


def _fact_words(fact: Fact, number: int | None) -> str:
    name = said_of(fact)
    if number is None:
        return f"{name} not known"
    if fact.type.kind is Kind.FLAG:
        return name if number else f"not {name}"
    return f"{name} {fact.type.show(number)}"


def comparison_at_its_limit(
    rules: Iterable[Checked], typical: Facts, facts: Facts
) -> Checked | None:
    """
    Return the first comparison in *rules* whose figure is that of the deal, or one unit from it.

    Facts that are typical do not count. None if there is no such comparison.
    """
    for rule in rules:
        for tree, _ in comparisons(rule.tree):
            fact, figure = _compared(tree)
            if fact is None or figure is None:
                continue
            number = facts[fact.place]
            if number is None or number == typical[fact.place]:
                continue
            if abs(number - figure.number) <= 1:
                return evolve(rule, tree=tree)
    return None


def _compared(tree: Node) -> tuple[FactRead, Constant] | tuple[None, None]:
    """Return the fact and the figure that *tree* compares; None for anything else."""
    match tree.operands if isinstance(tree, Operation) else ():
        case (FactRead() as fact, Constant() as figure) | (
            Constant() as figure,
            FactRead() as fact,
        ):
            return fact, figure
    return None, None


def _beside_figure(comparison: Checked, facts: Facts) -> tuple[str, str] | None:
    """Return the fact that is compared with a figure, and how it lies to it; None for others."""
    fact, figure = _compared(comparison.tree)
    number = None if fact is None else facts[fact.place]
    if fact is None or figure is None or number is None:
        return None
    if fact.type.kind in {Kind.TEXT, Kind.FLAG}:
        return None
    catalogue = comparison.catalogue
    name, bound = said_of(catalogue.facts[fact.place]), fact.type.show(figure.number)
    if figure.name is not None:
        bound = f"the {catalogue.label(figure.name)} of {bound}"
    unit, value = unit_of(fact.type), fact.type.show(number)
    if number == figure.number:
        return fact.name, f"{name} exactly {bound}"
    side = "above" if number > figure.number else "under"
    if abs(number - figure.number) == 1:
        return fact.name, f"{name} {unit} {side} {bound}"
    return fact.name, f"{name} {value}, {side} {bound}"


def unique(name: str, taken: Collection[str]) -> str:
    """
    Return *name*, with a number where it is *taken*.

    >>> unique("status Repaid", {"status Repaid"})
    'status Repaid (2)'
    """
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name} ({number})"
    return candidate
