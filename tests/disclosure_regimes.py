"""A disclosure regime in pounds, and jurisdictions that have it, for tests of the engine."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from functools import cache

from holdback import load_jurisdictions
from holdback.disclosures.figure_facts import figure_catalogue
from holdback.exact.money import Currency
from holdback.rulebooks.regime import Condition, Item, Regime, Sentence
from holdback.rules import Fact, Kind, Type, check, parse
from holdback.rules.number_format import NumberFormat

BRITISH = NumberFormat(
    decimal=".", group=",", money="£{amount}", percent="{number}%", date="{day}/{month}/{year}"
)
_FEW = Fact(name="deals_in_state_12m", type=Type(Kind.COUNT), low=0, high=10_000)
CATALOGUE = figure_catalogue(Currency.of("GBP")).with_facts((_FEW,))


def _condition(name, text):
    return Condition(id=name, checked=check(parse(text), CATALOGUE), source=f"section {name}")


def regime(**changes):
    """A regime that asks for a signed disclosure before acceptance, up to GBP 500,000.00."""
    values = {
        "code": "GB",
        "since": date(2026, 1, 1),
        "title": "Offer summary of {financer}",
        "law": "The Offers Act",
        "rate": "actuarial",
        "month": Fraction(152, 5),
        "overstatement_counts": False,
        "required": "before_acceptance",
        "signed": True,
        "conditions": (_condition("3", "amount_financed <= GBP 500000.00"),),
        "exemptions": (_condition("7", "deals_in_state_12m <= 5"),),
        "items": (
            Item(
                id="funding",
                label="Funding",
                value="{amount_financed}",
                sentences=(Sentence(text="{financer} provides it; you get {recipient_funds}."),),
                source="section 4(1)",
            ),
            Item(id="rate", label="APR", value="{apr}", source="section 4(2)"),
            Item(
                id="double_dipping",
                label="Unpaid charge",
                value="{double_dipping}",
                when=check(parse("own_payoff > GBP 0.00"), CATALOGUE),
                source="section 4(3)",
            ),
        ),
        "foot": ("Over {term}.",),
        "texts": {"financer": None, "collateral": "N/A"},
        "catalogue": CATALOGUE,
        "number_format": BRITISH,
    }
    return Regime(**{**values, **changes})


class WithDisclosures:
    """Jurisdictions of which each has these regimes."""

    def __init__(self, jurisdictions, *regimes):
        self._jurisdictions, self._regimes = jurisdictions, regimes
        self.resolve = cache(self._resolve)

    def __getattr__(self, name):
        return getattr(self._jurisdictions, name)

    def _resolve(self, code, *, on):
        found = self._jurisdictions.resolve(code, on=on)
        return found.altered(digest=found.digest, disclosures=self._regimes)

    def with_versions(self, versions):
        return WithDisclosures(self._jurisdictions.with_versions(versions), *self._regimes)


def with_disclosures(*regimes):
    """Return the jurisdictions that ship, of which each has these *regimes*."""
    return WithDisclosures(load_jurisdictions(), *regimes)
