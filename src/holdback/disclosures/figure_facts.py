"""The figures of an offer as facts: what the conditions and the sentences of a regime may name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, get_args

from holdback.exact.bounds import most_money
from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES, RATIO_PLACES
from holdback.exact.money import Currency
from holdback.merchant.disclosure import Frequency
from holdback.rules.types import Catalogue, Fact, Kind, Type

FREQUENCIES: Final[tuple[str, ...]] = get_args(Frequency)
# A deal repaid the next day at twice its amount has an annual rate of 36,500%.
MOST_RATE: Final = 100_000_000 * 10**PERCENT_PLACES
MOST_DAYS: Final = 36_600

# Name, kind and meaning, in the order in which they are shown.
_FIGURES: Final = (
    ("purchase_price", Kind.MONEY, "What is paid for the takings: F."),
    ("purchased_amount", Kind.MONEY, "The takings that are bought: R."),
    ("withheld", Kind.MONEY, "Finance charges withheld from the purchase price: w."),
    ("paid_separately", Kind.MONEY, "Finance charges paid up to consummation: s."),
    ("later_charges", Kind.MONEY, "Finance charges that come later: L."),
    ("prepaid_charges", Kind.MONEY, "Finance charges paid up to consummation in any way: w + s."),
    ("third_parties", Kind.MONEY, "Paid to others, and no finance charge: X."),
    ("payoffs", Kind.MONEY, "What pays off other deals: B."),
    ("paid_to_others", Kind.MONEY, "X + B, without what pays off a deal with the same provider."),
    ("amount_financed", Kind.MONEY, "F - w - s."),
    ("recipient_funds", Kind.MONEY, "What the merchant receives: F - w - X - B."),
    ("disbursement", Kind.MONEY, "F - w, before payoffs."),
    ("finance_charge", Kind.MONEY, "(R - F) + w + s + L."),
    ("total_payments", Kind.MONEY, "R + L."),
    ("total_cost", Kind.MONEY, "The total of payments less the purchase price."),
    ("total_cost_with_fees", Kind.MONEY, "The total cost and the charges withheld: R + L - F + w."),
    ("cost_per_unit", Kind.RATIO, "The finance charge for each unit financed, rounded up."),
    ("apr", Kind.PERCENT, "The annual percentage rate, rounded up to a ten-thousandth."),
    ("payment", Kind.MONEY, "An ordinary payment (K1)."),
    ("average_payment", Kind.MONEY, "The mean of all payments (K9)."),
    ("number_of_payments", Kind.COUNT, "How many payments there are (K2)."),
    ("frequency", Kind.TEXT, "How often payments are made."),
    ("payments_are_listed", Kind.FLAG, "Whether payments are listed, and not projected."),
    ("split", Kind.PERCENT, "The share of takings that is paid."),
    ("projected_monthly_takings", Kind.MONEY, "The takings of a month that are projected."),
    ("term", Kind.DAYS, "The days from consummation to the last payment (K6)."),
    ("average_monthly_cost", Kind.MONEY, "The total of payments for 30.4 of its days (K8)."),
    ("prepayment_charge", Kind.MONEY, "The most that is paid of the charge at prepayment (K10)."),
    ("own_payoff", Kind.MONEY, "What pays off a deal with the same provider."),
    ("double_dipping", Kind.MONEY, "The unpaid charge of that deal that is paid off."),
    ("unpaid_charge", Kind.MONEY, "The unpaid charge of all that is paid off, if it is stated."),
)

FIGURES: Final = frozenset(name for name, _, _ in _FIGURES)

# What sentences call a figure whose name they cannot use.
_LABELS: Final[Mapping[str, str]] = MappingProxyType({"apr": "annual percentage rate"})


@lru_cache(maxsize=64)
def figure_catalogue(currency: Currency) -> Catalogue:
    """
    Return the catalogue of figures, those of money in *currency*.

    >>> figure_catalogue(Currency.of("USD")).fact("apr").type.kind
    <Kind.PERCENT: 'percent'>
    """
    return Catalogue(
        facts=tuple(_fact(name, kind, meaning, currency) for name, kind, meaning in _FIGURES),
        currency=currency,
    )


# The figures of an offer by itself: those that rules for it may name.
_OF_AN_OFFER: Final = (
    "purchase_price",
    "purchased_amount",
    "finance_charge",
    "cost_per_unit",
    "apr",
    "payment",
    "number_of_payments",
    "projected_monthly_takings",
    "term",
    "average_monthly_cost",
)


@lru_cache(maxsize=64)
def offer_catalogue(currency: Currency) -> Catalogue:
    """Return the catalogue of the figures that rules for each offer may name."""
    figures = figure_catalogue(currency)
    facts = (figures.facts[figures.place(name)] for name in _OF_AN_OFFER)
    return Catalogue(facts=tuple(facts), currency=currency)


def _fact(name: str, kind: Kind, meaning: str, currency: Currency) -> Fact:
    type_ = Type(
        kind,
        currency if kind is Kind.MONEY else None,
        FREQUENCIES if kind is Kind.TEXT else (),
    )
    high = {
        Kind.MONEY: most_money(currency),
        Kind.RATIO: most_money(currency) * 10**RATIO_PLACES,
        Kind.PERCENT: HUNDRED_PERCENT if name == "split" else MOST_RATE,
        Kind.TEXT: len(FREQUENCIES) - 1,
        Kind.FLAG: 1,
    }.get(kind, MOST_DAYS)
    return Fact(
        name=name,
        type=type_,
        low=0,
        high=high,
        description=meaning,
        origin="offer",
        label=_LABELS.get(name),
    )
