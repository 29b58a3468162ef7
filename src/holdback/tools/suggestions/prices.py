"""Applications whose offers show a figure of a product, and deals that are repaid early."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from attrs import evolve

from holdback.errors import ConfigurationError
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import HUNDRED_PERCENT
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.product import ACCEPTED
from holdback.rulebooks.product_terms import ProductTerms
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Facts, Kind, Type, check, closure, parse
from holdback.rules.tree import Constant, leaves
from holdback.tools.advice.least_change import moved
from holdback.tools.example_run import Answer, bound, priced_answer, quoted_on, run_example
from holdback.tools.suggestions.drafts import LONG_OFFER, SHORT_OFFER, DraftedExample
from holdback.tools.suggestions.nearby import roughness, roundest

_TAKINGS: Final = "average_monthly_takings"
_MONEY: Final = re.compile(r"[A-Z]{3} [0-9.]+")
_SHARE: Final = re.compile(r"[0-9.]+%")
# Figures of two digits: near enough to each other to meet what a mutant changes.
_DIGITS: Final = (*range(10, 20), *range(20, 50, 2), *range(50, 100, 5))
# Days of a term with which every hundredth of it is a whole day.
_TERM_DAYS: Final = 1_000
_PERCENT: Final = Type(Kind.PERCENT)
# Amounts funded, in whole units of the currency: in a large one the smallest change shows.
_FUNDED: Final = (10_000, 1_000_000, 100_000_000)


@frozen
class PricedApplication:
    """An application for a product: its facts, and the balance that it `settles`."""

    facts: Facts
    settles: Money | None


def offer_fields(terms: ProductTerms) -> tuple[str, ...]:
    """Return what an example lists of an offer: the term only where the product has a figure."""
    return LONG_OFFER if terms.term.settings else SHORT_OFFER


def answers(rulebook: Rulebook, product: str) -> Callable[[PricedApplication], Answer]:
    """
    Return what *rulebook* answers to applications for *product*, with what an example lists of it.

    Raises:
        ConfigurationError: the settings of the product are invalid.
    """
    priced, terms = bound(rulebook, product), rulebook.product(product)
    listed = () if terms is None else offer_fields(terms)

    def answer(application: PricedApplication) -> Answer:
        quoted = quoted_on(priced, rulebook, application.facts, application.settles)
        given = priced_answer(quoted)
        offers = tuple({name: offer[name] for name in listed} for offer in given.offers or ())
        return evolve(given, offers=offers)

    return answer


def noticing_application(
    rulebook: Rulebook, mutated: Rulebook, product: str, applications: Iterator[PricedApplication]
) -> PricedApplication | None:
    """Return the first of *applications* that *mutated* answers otherwise, best with offers."""
    first = None
    try:
        before, after = answers(rulebook, product), answers(mutated, product)
        for application in applications:
            answer = before(application)
            if answer != after(application):
                if answer.outcome == ACCEPTED:
                    return application
                first = first or application
    except ConfigurationError:  # the changed settings are refused: that needs no example
        return None
    return first


def applications(facts: Facts, rulebook: Rulebook, product: str) -> Iterator[PricedApplication]:
    """
    Yield applications near *facts*, the plainest first.

    They vary the takings, the fact that a rate depends on, and what the offer settles.
    """
    terms = rulebook.product(product)
    if terms is None:
        return
    place = rulebook.catalogue.place(_TAKINGS)
    amounts, usual = _amounts(terms), facts[place]
    fact = rulebook.catalogue.facts[place]
    if not usual and amounts:  # enough for the smallest offer, and not for the largest
        least, most = amounts[0], max(amounts)
        usual = roundest(fact.type, least, max(least, most), min(4 * least, most))
    takings = [*([usual] if usual else []), *_round_takings(amounts, rulebook)]
    balances = [*amounts[:1], *([usual // 4] if usual else [])]
    settled = [None, *(Money(balance, rulebook.currency) for balance in balances if balance)]
    for settles in settled:
        for deal in _in_rows(terms, facts, rulebook):
            yield PricedApplication(deal, settles)
        for banded in (facts, *_banded(terms, facts, rulebook)):
            for number in takings:
                yield PricedApplication(moved(banded, place, number), settles)


def _amounts(terms: ProductTerms) -> list[int]:
    """Return the amounts in the settings of *terms*, in minor units, the smallest first."""
    amounts = {
        Money.parse(value).minor
        for choice in terms.calculators
        for value in _leaves(choice.settings)
        if isinstance(value, str) and _MONEY.fullmatch(value)
    }
    return sorted(amount for amount in amounts if amount)


def _leaves(value: Json) -> Iterator[Json]:
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _leaves(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _round_takings(amounts: list[int], rulebook: Rulebook) -> list[int]:
    """Return round takings around *amounts*, and the amounts themselves, a unit to each side."""
    catalogue = rulebook.catalogue
    fact = catalogue.facts[catalogue.place(_TAKINGS)]
    low, high = (amounts[0] // 10, amounts[-1] * 10) if amounts else (fact.low, 10**7)
    scale, numbers = 1, set[int]()
    while scale <= high:
        numbers.update(digits * scale for digits in _DIGITS if low <= digits * scale <= high)
        scale *= 10
    numbers |= {number for amount in amounts for number in (amount - 1, amount, amount + 1)}
    usable = [number for number in numbers if fact.low <= number <= fact.high]
    return sorted(usable, key=lambda number: (roughness(fact.type, number), number))


def _in_rows(terms: ProductTerms, facts: Facts, rulebook: Rulebook) -> Iterator[Facts]:
    """Yield *facts* in each row of the tables of *terms*, then beside the ends of its values."""
    catalogue = rulebook.catalogue
    tables = [choice.table for choice in terms.calculators if choice.table is not None]
    for row in (row for table in tables for row in table["rows"].values()):
        inside, beside = facts, list[tuple[int, int]]()
        # An application does not name the term that is chosen.
        for name in filter(catalogue.fact, row["when"]):
            place, checked = catalogue.place(name), check(parse(row["when"][name]), catalogue)
            fact, takes = catalogue.facts[place], closure(checked)
            ends = [leaf.number for leaf in leaves(checked.tree) if isinstance(leaf, Constant)]
            near = {end + step for end in ends or (0, 1) for step in (0, -1, 1)}
            usable = sorted(
                (number for number in near if fact.low <= number <= fact.high),
                key=lambda number: (roughness(fact.type, number), number),
            )
            taken = [number for number in usable if takes(moved(facts, place, number))]
            inside = moved(inside, place, taken[0]) if taken else inside
            beside += [(place, number) for number in usable]
        yield inside
        yield from (moved(inside, place, number) for place, number in beside)


def _banded(terms: ProductTerms, facts: Facts, rulebook: Rulebook) -> Iterator[Facts]:
    """Yield *facts* in each band of a rate, at both of its ends."""
    settings = terms.factor_rate.settings
    fact = rulebook.catalogue.fact(settings.get("on"))
    if fact is None:
        return
    place = rulebook.catalogue.place(fact.name)
    for band in settings.get("bands", ()):
        bound_of_band = band.get("up_to") if isinstance(band, Mapping) else None
        end = None if bound_of_band is None else fact.type.read(bound_of_band)
        for number in () if end is None else (end - 1, end):
            if fact.low <= number <= fact.high:
                yield moved(facts, place, number)


def noticing_settlement(
    blank: DraftedExample, rulebook: Rulebook, mutated: Rulebook, product: str
) -> DraftedExample | None:
    """Return a draft about repaying *product* early that *mutated* answers otherwise."""
    for draft in _settlements(blank, rulebook, product):
        if not run_example(draft.example(rulebook), mutated).passed:
            return draft
    return None


def _settlements(
    blank: DraftedExample, rulebook: Rulebook, product: str
) -> Iterator[DraftedExample]:
    """Yield drafts about the discount of *product* for repaying early, the smallest deal first."""
    terms = rulebook.product(product)
    if terms is None or terms.settlement is None:
        return
    currency = rulebook.currency
    for funded in _FUNDED:
        whole = funded * 10**currency.places
        figures = {
            "balance": str(Money(whole * 59 // 100, currency)),
            "repayment_amount": str(Money(whole * 118 // 100, currency)),
            "funded_amount": str(Money(whole, currency)),
        }
        for elapsed in _elapsed_days(terms.settlement.settings):
            days = {"elapsed_days": elapsed, "term_days": _TERM_DAYS}
            yield evolve(
                blank,
                name=f"{figures['funded_amount']} repaid after {elapsed} of {_TERM_DAYS} days",
                settlement={**figures, **days},
            )


def _elapsed_days(settings: Mapping[str, Json]) -> list[int]:
    """Return days of the term on both sides of the end of each band."""
    days = {0}
    for value in _leaves(settings):
        if isinstance(value, str) and _SHARE.fullmatch(value):
            end = (_PERCENT.read(value) or 0) * _TERM_DAYS // HUNDRED_PERCENT
            days |= {end - 1, end}
    return sorted(day for day in days if day >= 0)
