"""Typical facts for a file that writes none: plausible figures that meet every rule of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from holdback.eligibility.facts import FACTS
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.offers.registry import BUILT_IN
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Checked, Fact, Facts, Kind, closure
from holdback.tools.advice.least_change import moved
from holdback.tools.lint.lint import facts_of_prices
from holdback.tools.suggestions.nearby import Neighbourhood, roundest
from holdback.tools.workbench.overview import PRICED_BY_TAKINGS, TAKINGS

# Takings in units of a currency with cents where no product says how much is offered.
_USUAL_TAKINGS: Final = 20_000
# The amounts of a deal, in eighths of the monthly takings: three fifths of it are repaid.
_EIGHTHS: Final = MappingProxyType({"funded_amount": 4, "repayment_amount": 5, "balance": 2})


def missing_typical(jurisdiction: Jurisdiction, *, of_products: bool) -> dict[Fact, int]:
    """
    Return plausible values for the typical facts that are missing, with which rules are met.

    The rules are those of renewals or *of_products*. What is written already stays. Where no such
    deal is found, the values are merely plausible.
    """
    catalogue = jurisdiction.policy.catalogue
    written = jurisdiction.typical_deal("" if of_products else None)
    rules = dict(_rules(jurisdiction, of_products=of_products))
    read = {place for rule in rules for place in rule.facts}
    if not of_products:
        read.add(catalogue.place("progress"))
    elif jurisdiction.policy.products:
        read |= {catalogue.place(name) for name in _priced_by(jurisdiction)}
    missing = [place for place in sorted(read) if written[place] is None]
    facts = written
    for place in missing:
        fact = catalogue.facts[place]
        facts = moved(facts, place, _plausible(fact, jurisdiction))
    facts = _meeting(rules, facts, missing, jurisdiction)
    return {
        catalogue.facts[place]: number for place in missing if (number := facts[place]) is not None
    }


def _rules(jurisdiction: Jurisdiction, *, of_products: bool) -> Iterator[tuple[Checked, Rulebook]]:
    """Yield the rules of renewals or *of_products* that are in force on some day."""
    for rulebook in jurisdiction.slices:
        for key, rules in rulebook.rulesets.items():
            if (key is not None) is of_products:
                yield from ((rule.checked, rulebook) for rule in rules.rules)


def _priced_by(jurisdiction: Jurisdiction) -> Iterator[str]:
    """Yield the facts that calculators read: the takings, and what bands and tables are of."""
    for product in jurisdiction.policy.products:
        for choice in product.calculators.values():
            if choice.full_name in PRICED_BY_TAKINGS or choice.full_name not in BUILT_IN:
                yield TAKINGS
    for name in facts_of_prices(jurisdiction):
        if jurisdiction.policy.catalogue.fact(name) is not None:
            yield name


def _meeting(
    rules: Mapping[Checked, Rulebook], facts: Facts, free: list[int], jurisdiction: Jurisdiction
) -> Facts:
    """Return *facts* with the *free* ones changed until every rule is true, as far as possible."""
    answers: dict[Checked, Callable[[Facts], object]] = {rule: closure(rule) for rule in rules}
    first = jurisdiction.slices[0].since
    for rule in rules:
        if answers[rule](facts) is True:
            continue
        true = [function for function in answers.values() if function(facts) is True]

        def met(deal: Facts, true: list[Callable[[Facts], object]], goal: Checked) -> bool:
            return answers[goal](deal) is True and all(answer(deal) is True for answer in true)

        near = Neighbourhood(facts, jurisdiction.policy.catalogue, first)
        places = [place for place in free if place in rule.facts]
        better = near.plainest([rule], partial(met, true=true, goal=rule), places)
        facts = facts if better is None else better
    return facts


def _plausible(fact: Fact, jurisdiction: Jurisdiction) -> int:
    """Return a plausible value of *fact*; one that a rule refuses is changed afterwards."""
    built_in = FACTS.get(fact.name)
    if built_in is not None and (typical := fact.read(built_in.typical)) is not None:
        return typical
    first = jurisdiction.slices[0].since.toordinal()
    match fact.type.kind:
        case Kind.MONEY if fact.name == TAKINGS:
            return _takings(jurisdiction)
        case Kind.MONEY if fact.name in _EIGHTHS:
            return _takings(jurisdiction) * _EIGHTHS[fact.name] // 8
        case Kind.DATE:
            number = first
        case Kind.FLAG:
            number = 1
        case Kind.PERCENT:
            number = 10**fact.type.places * 100
        case _:
            number = fact.low
    return min(max(number, fact.low), fact.high)


def _takings(jurisdiction: Jurisdiction) -> int:
    """Return round monthly takings with which a merchant is offered something of every product."""
    places = jurisdiction.currency.places
    lowest = [
        amount
        for product in jurisdiction.policy.products
        if (choice := product.calculators.get("limits")) is not None
        for amount in _amounts(choice.settings, jurisdiction)
    ]
    usual = _USUAL_TAKINGS * 10**places if places else _USUAL_TAKINGS * 100
    if not lowest:
        return usual
    least = 4 * max(lowest)
    type_ = jurisdiction.policy.catalogue.facts[jurisdiction.policy.catalogue.place(TAKINGS)].type
    return roundest(type_, least, 100 * least, max(least, usual))


def _amounts(settings: Mapping[str, object], jurisdiction: Jurisdiction) -> Iterator[int]:
    """Yield the smallest amount in the *settings* of limits, if there is one."""
    catalogue = jurisdiction.policy.catalogue
    type_ = catalogue.facts[catalogue.place(TAKINGS)].type
    try:
        number = type_.read(settings.get("minimum"))
    except ValueError:
        return
    if number is not None:
        yield number
