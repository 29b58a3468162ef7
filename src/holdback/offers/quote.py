"""Quotes: the decision on a product and its offers, from the product's rules and calculators.

Amounts are whole minor units. They are rounded by the jurisdiction's rounding where a factor or a
percentage is applied, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from attrs import evolve

from holdback.eligibility.assessment import REFERRED as RENEWAL_REFERRED
from holdback.eligibility.assessment import UNDETERMINED, Assessment
from holdback.eligibility.reasons import Reason, reasons
from holdback.eligibility.ruleset import Answers
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import HUNDRED_PERCENT, plain, plain_digits
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.offer import Offer
from holdback.merchant.product import ACCEPTED, DECLINED, REFERRED, Limits
from holdback.offers.calculator import PricingCase
from holdback.offers.limits import ceil_to, floor_to
from holdback.offers.registry import PriceableProduct
from holdback.offers.results import Results


@frozen(kw_only=True)
class Quote:
    """
    The decision on one product: its limits and, when it is `Accepted`, its offers.

    `reasons` explain the false rules; `needs` are the missing facts. `settlement` is what a renewal
    settles; a product that its rules keep from being priced has none.
    """

    decision: str
    limits: Limits
    offers: tuple[Offer, ...] = ()
    reasons: tuple[Reason, ...] = ()
    needs: tuple[str, ...] = ()
    settlement: Money | None = None

    def record(self, product: PriceableProduct) -> Mapping[str, Json]:
        """
        Return the decision on *product* as plain values, for the event.

        It has what priced the product besides the facts: the settlement, and the versions of its
        calculators.
        """
        return {
            "product": product.terms.key,
            "decision": self.decision,
            "reasons": [
                {"code": reason.code, "rule": reason.rule, "text": reason.text}
                for reason in self.reasons
            ],
            "needs": list(self.needs),
            "settlement": None if self.settlement is None else str(self.settlement),
            "versions": product.versions,
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
    *,
    lifted: int = 0,
) -> Quote:
    """
    Return the decision on *product* for *case*, by the product's own rules first.

    A renewal settles its base deal: *settlement* is the balance of that deal, and every offer is
    larger than it (decisions/offers). *identify* returns the ids of the offers. *lifted* is the
    mask of the product's rules that a person approved.
    """
    results = Results(product, case)
    decision, why, needs = decided_by_rules(product.terms.rules.answer(case.facts, lifted=lifted))
    if decision != ACCEPTED:
        return Quote(decision=decision, limits=results.configured, reasons=why, needs=needs)
    try:
        return _priced(results, identify, settlement)
    except _Unknown:
        return Quote(decision=REFERRED, limits=results.configured, settlement=settlement)


def decided_by_rules(answers: Answers) -> tuple[str, tuple[Reason, ...], tuple[str, ...]]:
    """
    Return the decision of a product's rules, with its reasons and the missing facts.

    A product that they accept may still be referred, when a calculator lacks a fact.
    """
    # The order is that of outcomes: a "no" is certain even while other rules are unknown, and an
    # unknown rule never leads to an offer (decisions/rule-language#rules-and-outcomes).
    if answers.declined:
        return DECLINED, reasons(answers, answers.false & answers.ruleset.declining), ()
    if answers.unknown:
        return REFERRED, (), answers.needs
    if answers.false:
        return REFERRED, reasons(answers, answers.false), ()
    return ACCEPTED, (), ()


def quote_renewal(  # noqa: PLR0913 - what a quote depends on, and what was approved
    product: PriceableProduct,
    case: PricingCase,
    identify: Identify,
    assessment: Assessment,
    settlement: Money,
    *,
    lifted: int = 0,
) -> Quote:
    """
    Return the decision on *product* in a renewal: the *assessment* first, then as `quote`.

    Unless the assessment is eligible the product is not considered (decisions/offers).
    """
    if assessment.eligible:
        return quote(product, case, identify, settlement, lifted=lifted)
    undecided = assessment.outcome in {RENEWAL_REFERRED, UNDETERMINED}
    return Quote(
        decision=REFERRED if undecided else DECLINED,
        limits=Results(product, case).configured,
        reasons=assessment.reasons,
        needs=assessment.needs,
    )


def declined(product: PriceableProduct, case: PricingCase) -> Quote:
    """Return the decision of a person who declined *product*."""
    return Quote(decision=DECLINED, limits=Results(product, case).configured)


def withheld(product: PriceableProduct, case: PricingCase, quoted: Quote) -> Quote:
    """Return *quoted* without its offers: something besides the rules refers the product."""
    return evolve(quoted, decision=REFERRED, limits=Results(product, case).configured, offers=())


def _priced(results: Results, identify: Identify, settlement: Money | None) -> Quote:
    limits = results.limits()
    if limits is None:
        raise _Unknown
    step = results.step
    limits = _available_limits(limits, settlement, step)
    offers: list[Offer] = []
    if limits.minimum <= limits.maximum:
        for amount in _amounts(results.product.terms.amounts, limits, step):
            for terms in _terms(results, amount):
                offers.append(Offer(offer_id=identify(len(offers)), **terms))
    if not offers:  # no room, or nothing affordable in it
        return Quote(decision=DECLINED, limits=results.configured, settlement=settlement)
    return Quote(decision=ACCEPTED, limits=limits, offers=tuple(offers), settlement=settlement)


def quote_amount(
    product: PriceableProduct,
    case: PricingCase,
    identify: Identify,
    amount: Money,
) -> tuple[Offer, ...]:
    """
    Return the offers of one *amount*, which is within the limits; none if it is unaffordable.

    Raises:
        ConfigurationError: a calculator failed.
    """
    try:
        priced = tuple(_terms(Results(product, case), amount))
    except _Unknown:
        return ()
    return tuple(Offer(offer_id=identify(place), **terms) for place, terms in enumerate(priced))


def _available_limits(limits: Limits, settlement: Money | None, step: Money | None) -> Limits:
    """
    Return *limits* in whole steps, the minimum above the *settlement*, or above zero without one.

    An offer of exactly the settlement would leave the merchant nothing.
    """
    currency = limits.minimum.currency
    least = max(limits.minimum, Money(1 + (settlement.minor if settlement else 0), currency))
    return Limits(minimum=ceil_to(least, step), maximum=floor_to(limits.maximum, step))


def _amounts(shares: Iterable[int], limits: Limits, step: Money | None) -> list[Money]:
    """The *shares* of the maximum, in whole steps within the limits, each amount once."""
    whole = 1 if step is None else step.minor
    least, most = limits.minimum.minor, limits.maximum.minor
    amounts = (most * share // HUNDRED_PERCENT // whole * whole for share in shares)
    distinct = dict.fromkeys(min(max(amount, least), most) for amount in amounts)
    return [Money(amount, limits.maximum.currency) for amount in distinct]


def _terms(results: Results, funded: Money) -> Iterator[dict[str, Any]]:
    """The terms of the offers of one amount: one for each split percentage."""
    priced = results.repayment(funded)
    if priced is None:
        raise _Unknown
    rate, repayment = priced
    splits = results.split_percentages(repayment)
    if splits is None:
        raise _Unknown
    for split in splits:
        term = results.term(repayment, split)
        if term is None:
            raise _Unknown
        yield {
            "description": f"{funded}, repaid as {repayment} from {plain_digits(split)}% of "
            f"takings in about {plain(term.months)} months",
            "funded_amount": funded,
            "repayment_amount": repayment,
            "factor_rate": rate,
            "split_percentage": split,
            "term_length": term.months,
            "term_days": term.days,
        }


def with_settlement(offers: tuple[Offer, ...], settlement: Money | None) -> tuple[Offer, ...]:
    """Return *offers* whose descriptions say what of each settles the current deal, if any does."""
    if settlement is None or not settlement.minor:
        return offers
    return tuple(evolve(offer, description=_described(offer, settlement)) for offer in offers)


def _described(offer: Offer, settlement: Money) -> str:
    funded = offer.funded_amount
    use = f"{settlement} settles the current deal and {funded - settlement} is paid out"
    return offer.description.replace(f"{funded},", f"{funded}, of which {use},", 1)
