"""Quotes: the decision on a product and its offers, from the product's rules and calculators.

Amounts are whole minor units. They are rounded by the jurisdiction's rounding where a factor or a
percentage is applied, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from attrs import frozen

from holdback.exact_json import Json
from holdback.exact_numbers import (
    HUNDRED_PERCENT,
    PERCENT_PLACES,
    RATIO_PLACES,
    digits,
    divide,
    plain,
    scaled,
)
from holdback.model.offer import Offer
from holdback.model.product import ACCEPTED, DECLINED, REFERRED, Limits
from holdback.money import Money
from holdback.offers.calculator import PricingCase
from holdback.offers.limits import ceil_to, floor_to
from holdback.offers.registry import PriceableProduct
from holdback.reasons import Reason, reasons

_ONE: Final = 10**RATIO_PLACES


@frozen(kw_only=True)
class Quote:
    """
    The decision on one product: its limits and, when it is `Accepted`, its offers.

    `reasons` explain the false rules; `needs` are the missing facts.
    """

    decision: str
    limits: Limits
    offers: tuple[Offer, ...] = ()
    reasons: tuple[Reason, ...] = ()
    needs: tuple[str, ...] = ()

    def record(self, key: str) -> Mapping[str, Json]:
        """Return the decision on the product *key* as plain values, for the event."""
        return {
            "product": key,
            "decision": self.decision,
            "reasons": [
                {"code": reason.code, "rule": reason.rule, "text": reason.text}
                for reason in self.reasons
            ],
            "needs": list(self.needs),
        }


class _Unknown(Exception):
    """A calculator returned None, because a fact that it needs is unknown."""


# The id of an offer, from its place among the offers of a product.
Identify: TypeAlias = Callable[[int], str]


def quote(
    product: PriceableProduct,
    case: PricingCase,
    identify: Identify,
    settlement: Money | None = None,
) -> Quote:
    """
    Return the decision on *product* for *case*, by the product's own rules first.

    A renewal settles its base deal: *settlement* is the balance of that deal, and every offer is
    larger than it (decisions/offers). *identify* returns the ids of the offers.
    """
    configured = product.limits.configured
    answers = product.terms.rules.answer(case.facts)
    # The order is that of outcomes: a "no" is certain even while other rules are unknown, and an
    # unknown rule never leads to an offer (decisions/rule-language#rules-and-outcomes).
    if answers.declined:
        why = reasons(answers, answers.false & product.terms.rules.declining)
        return Quote(decision=DECLINED, limits=configured, reasons=why)
    if answers.unknown:
        return Quote(decision=REFERRED, limits=configured, needs=answers.needs)
    if answers.false:
        why = reasons(answers, answers.false)
        return Quote(decision=REFERRED, limits=configured, reasons=why)
    try:
        return _priced(product, case, identify, settlement)
    except _Unknown:
        return Quote(decision=REFERRED, limits=configured)


def _priced(
    product: PriceableProduct, case: PricingCase, identify: Identify, settlement: Money | None
) -> Quote:
    limits = product.limits(case)
    if limits is None:
        raise _Unknown
    limits = _available_limits(limits, settlement, product.limits.step)
    offers: list[Offer] = []
    if limits.minimum <= limits.maximum:
        for amount in _amounts(product, limits):
            for terms in _terms(product, case, amount):
                offers.append(Offer(offer_id=identify(len(offers)), **terms))
    if not offers:  # no room, or nothing affordable in it
        return Quote(decision=DECLINED, limits=product.limits.configured)
    return Quote(decision=ACCEPTED, limits=limits, offers=tuple(offers))


def _available_limits(limits: Limits, settlement: Money | None, step: Money | None) -> Limits:
    """
    Return *limits* in whole steps, the minimum above the *settlement*, or above zero without one.

    An offer of exactly the settlement would leave the merchant nothing.
    """
    currency = limits.minimum.currency
    least = max(limits.minimum, Money(1 + (settlement.minor if settlement else 0), currency))
    return Limits(minimum=ceil_to(least, step), maximum=floor_to(limits.maximum, step))


def _amounts(product: PriceableProduct, limits: Limits) -> list[Money]:
    """The configured shares of the maximum, in whole steps within the limits, each amount once."""
    step = product.limits.step
    whole = 1 if step is None else step.minor
    least, most = limits.minimum.minor, limits.maximum.minor
    shares = (most * share // HUNDRED_PERCENT // whole * whole for share in product.terms.amounts)
    amounts = dict.fromkeys(min(max(share, least), most) for share in shares)
    return [Money(amount, limits.maximum.currency) for amount in amounts]


def _terms(product: PriceableProduct, case: PricingCase, funded: Money) -> Iterator[dict[str, Any]]:
    """The terms of the offers of one amount: one for each split percentage."""
    # A host's calculator is trusted with prices, not with the bounds that the service promises.
    rate = product.factor_rate(case, funded)
    if rate is None:
        raise _Unknown
    factor = scaled(rate, RATIO_PLACES)
    if factor < _ONE:
        raise ValueError(f"{product.terms.factor_rate.name}: a factor rate is at least 1")
    repayment = Money(divide(funded.minor * factor, _ONE, case.rounding), funded.currency)
    splits = product.split_percentage(case, repayment)
    if splits is None:
        raise _Unknown
    for split in splits:
        percent = scaled(split, PERCENT_PLACES)
        if not 0 < percent <= HUNDRED_PERCENT:
            name = product.terms.split_percentage.name
            raise ValueError(f"{name}: a split percentage is above 0 and up to 100")
        term = product.term(case, repayment, split)
        if term is None:
            raise _Unknown
        if term.days < 1:
            raise ValueError(f"{product.terms.term.name}: a term is at least one day")
        yield {
            "description": f"{funded}, repaid as {repayment} from "
            f"{digits(percent, PERCENT_PLACES, 0)}% of takings in about "
            f"{plain(term.months)} months",
            "funded_amount": funded,
            "repayment_amount": repayment,
            "factor_rate": rate,
            "split_percentage": split,
            "term_length": term.months,
            "term_days": term.days,
        }
