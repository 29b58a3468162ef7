"""Quotes: the decision on a product and its offers, from the product's rules and calculators.

Amounts are whole minor units. What a merchant repays is rounded by the jurisdiction's rounding
where the factor is applied, and nowhere else. The amounts that are offered are cut to whole steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, TypeAlias

from attrs import evolve, fields

from holdback.eligibility.assessment import REFERRED as RENEWAL_REFERRED
from holdback.eligibility.assessment import UNDETERMINED, Assessment
from holdback.eligibility.reasons import (
    AFFORDABILITY,
    LIMIT,
    PERSON,
    REVIEW,
    SETTLEMENT,
    Reason,
    reasons,
    service_reason,
)
from holdback.eligibility.ruleset import Answers, RuleSet
from holdback.errors import ConfigurationError, ErrorDetail
from holdback.exact.bounds import (
    MOST_OFFERS,
    MOST_RATIO,
    MOST_SPLIT,
    MOST_TERM_DAYS,
    MOST_TERM_MONTHS,
    most_money,
)
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import (
    HUNDRED_PERCENT,
    PERCENT_PLACES,
    RATIO_PLACES,
    divide,
    plain,
    plain_digits,
    scaled,
)
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.offer import Offer
from holdback.merchant.product import ACCEPTED, DECLINED, REFERRED, Limits
from holdback.offers.calculator import PricingCase, Term
from holdback.offers.registry import PriceableProduct
from holdback.offers.shipped_calculators import ChosenTerm, ceil_to, floor_to
from holdback.rules.types import Kind, Type


@frozen(kw_only=True)
class Quote:
    """
    The decision on one product: its limits and, when it is `Accepted`, its offers.

    `reasons` say why it is not `Accepted`: there is always one then. They are those of the false
    rules, or one of the service's own (decisions/offers#reasons). `needs` are the missing facts.
    `settlement` is what a renewal settles; one that is declined or referred by rules has none.
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


class _UnknownError(Exception):
    """A calculator returned None, because facts that it needs are unknown: *needs* names them."""

    def __init__(self, needs: tuple[str, ...]) -> None:
        super().__init__()
        self.needs = needs


@frozen(kw_only=True)
class _NotingCase(PricingCase):
    """A case that notes in `unknown` which unknown facts are read of it."""

    unknown: dict[str, None]

    def number(self, name: str) -> int | None:
        number = super().number(name)
        if number is None:
            self.unknown[name] = None
        return number


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
    decision, why, needs = _decided_by_rules(product.terms.rules.answer(case.facts, lifted=lifted))
    if decision != ACCEPTED:
        return Quote(decision=decision, limits=results.configured, reasons=why, needs=needs)
    try:
        return _priced(results, identify, settlement)
    except _UnknownError as error:
        return Quote(
            decision=REFERRED,
            limits=results.configured,
            reasons=_review(product.terms.rules),
            needs=error.needs,
            settlement=settlement,
        )


def _review(rules: RuleSet) -> tuple[Reason, ...]:
    return (service_reason(rules, REVIEW),)


def _decided_by_rules(answers: Answers) -> tuple[str, tuple[Reason, ...], tuple[str, ...]]:
    """
    Return the decision of a product's rules, with its reasons and the missing facts.

    A product that they accept may still be referred, when a calculator lacks a fact.
    """
    # The order is that of outcomes: a "no" is certain even while other rules are unknown, and an
    # unknown rule never leads to an offer (decisions/rule-language#rules-and-outcomes).
    if answers.declined:
        return DECLINED, reasons(answers, answers.false & answers.ruleset.declining), ()
    if answers.unknown:
        return REFERRED, _review(answers.ruleset), answers.needs
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
        reasons=assessment.reasons or _review(assessment.ruleset),
        needs=assessment.needs,
    )


def declined(product: PriceableProduct, case: PricingCase) -> Quote:
    """Return the decision of a person who declined *product*."""
    return Quote(
        decision=DECLINED,
        limits=Results(product, case).configured,
        reasons=(service_reason(product.terms.rules, PERSON),),
    )


def withheld(product: PriceableProduct, case: PricingCase, quoted: Quote) -> Quote:
    """Return *quoted* without its offers: something besides the rules refers the product."""
    return evolve(
        quoted,
        decision=REFERRED,
        limits=Results(product, case).configured,
        reasons=_review(product.terms.rules),
        offers=(),
    )


def _priced(results: Results, identify: Identify, settlement: Money | None) -> Quote:
    step, calculated = results.step, results.limits()
    limits = _available_limits(calculated, settlement, step)
    offers: list[Offer] = []
    if limits.minimum <= limits.maximum:
        for amount in _amounts(results.product.terms.amounts, limits, step):
            for terms in _offer_terms(results, amount):
                offers.append(Offer(offer_id=identify(len(offers)), **terms))
    offers, refused = _allowed(results, offers)
    if refused and not offers:
        return Quote(
            decision=DECLINED, limits=results.configured, reasons=refused, settlement=settlement
        )
    if not offers:
        least = _available_limits(calculated, None, step).minimum
        why = _why_no_offer(results, evolve(limits, minimum=least), settlement)
        return Quote(
            decision=DECLINED, limits=results.configured, reasons=(why,), settlement=settlement
        )
    return Quote(decision=ACCEPTED, limits=limits, offers=tuple(offers), settlement=settlement)


def _allowed(results: Results, offers: list[Offer]) -> tuple[list[Offer], tuple[Reason, ...]]:
    """Return those of *offers* that the product's rules for each allow, and why not the others."""
    terms = results.product.terms
    if not terms.offer_rules or not offers:
        return offers, ()
    from holdback.offers.offer_rules import allowed_offers  # noqa: PLC0415 - few products have them

    allowed = allowed_offers(terms, offers, results.case.number(_TAKINGS))
    if allowed is None:
        raise _UnknownError((_TAKINGS,))
    kept, refused = allowed
    return list(kept), refused


def _why_no_offer(results: Results, limits: Limits, settlement: Money | None) -> Reason:
    """Return why there is no offer within *limits*, which leave the *settlement* out."""
    rules, money = results.product.terms.rules, Type(Kind.MONEY, limits.minimum.currency)
    least, most = (rules.show(money, end.minor) for end in (limits.minimum, limits.maximum))
    if limits.maximum < limits.minimum:
        figures = {"most": most, "least": least}
        return service_reason(
            rules, LIMIT, figures, threshold=rules.language.say("at least {limit}", limit=least)
        )
    if settlement is not None and limits.maximum <= settlement:
        figures = {"settlement": rules.show(money, settlement.minor), "most": most}
        return service_reason(
            rules,
            SETTLEMENT,
            figures,
            threshold=rules.language.say("less than {limit}", limit=most),
        )
    return service_reason(rules, AFFORDABILITY)


def quote_amount(
    product: PriceableProduct,
    case: PricingCase,
    identify: Identify,
    amount: Money,
) -> tuple[tuple[Offer, ...], tuple[Reason, ...]]:
    """
    Return the offers of one *amount*, which is within the limits, and why there are no others.

    There is a reason where there is no offer.

    Raises:
        ConfigurationError: a calculator failed.
    """
    results = Results(product, case)
    try:
        priced = [
            Offer(offer_id=identify(place), **terms)
            for place, terms in enumerate(_offer_terms(results, amount))
        ]
        offers, refused = _allowed(results, priced)
    except _UnknownError:
        return (), _review(product.terms.rules)
    if not offers and not refused:
        refused = (service_reason(product.terms.rules, AFFORDABILITY),)
    return tuple(offers), refused


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


def _offer_terms(results: Results, funded: Money) -> Iterator[dict[str, Any]]:
    """The terms of the offers of one amount: one for each term and split percentage."""
    for of_term in results.by_term:
        yield from _split_terms(of_term, funded)


def _split_terms(results: Results, funded: Money) -> Iterator[dict[str, Any]]:
    rate, repayment = results.repayment(funded)
    fees = tuple(fee.terms(repayment) for fee in results.product.terms.fees)
    for split in results.split_percentages(repayment):
        term = results.term(repayment, split)
        yield {
            "description": f"{funded}, repaid as {repayment} from {plain_digits(split)}% of "
            f"takings in about {plain(term.months)} months",
            "funded_amount": funded,
            "repayment_amount": repayment,
            "factor_rate": rate,
            "split_percentage": split,
            "term_length": term.months,
            "term_days": term.days,
            "fees": fees,
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


# -- The results of calculators, checked where they are made, and nowhere else.
#
# A host's calculator is trusted with prices, and not with what the service promises of an offer:
# that it can be stored, read back and replayed. So its results are checked as strictly as a
# partner's document, by `bounds`; those of the built-in calculators are checked in the same way.
# What was returned is not repeated, because it may follow from a merchant's figures.

_TAKINGS: Final = "average_monthly_takings"
_LIMITS: Final = "limits"
_FACTOR_RATE: Final = "factor_rate"
_SPLIT_PERCENTAGE: Final = "split_percentage"
_TERM: Final = "term"

# The bounds in the scales of ratios and percentages.
_ONE: Final = 10**RATIO_PLACES
_MOST_RATE: Final = scaled(MOST_RATIO, RATIO_PLACES)
_MOST_PERCENT: Final = scaled(MOST_SPLIT, PERCENT_PLACES)
_MOST_MONTHS: Final = scaled(MOST_TERM_MONTHS, RATIO_PLACES)

_RATE_EXPECTED: Final = (
    f"a factor rate as a `Decimal`, at least 1 and at most {MOST_RATIO}, of at most "
    f"{RATIO_PLACES} decimals"
)
_SPLIT_EXPECTED: Final = (
    f"percentages as `Decimal`, above 0 and up to {MOST_SPLIT}, of at most {PERCENT_PLACES} "
    "decimals"
)
_TERM_EXPECTED: Final = (
    f"a `Term` of 1 to {MOST_TERM_DAYS} days as an `int`, and of more than 0 and at most "
    f"{MOST_TERM_MONTHS} months as a `Decimal` of at most {RATIO_PLACES} decimals"
)


@frozen
class Results:
    """
    The results of the calculators of *product* for *case*.

    Every method raises `_UnknownError` where a calculator returns None, and `ConfigurationError`
    for a result that no offer can have. That error names the calculator, the product and the
    jurisdiction, and says what was expected.
    """

    product: PriceableProduct
    case: PricingCase

    @property
    def configured(self) -> Limits:
        """The bounds in the file, reported for a merchant who gets no offers."""
        return self._limits(self.product.limits.configured, " as `configured`")

    @property
    def step(self) -> Money | None:
        """The amount of which every offer is a whole multiple, or None."""
        step = self.product.limits.step
        if step is not None and not self._is_amount(step, least=1):
            raise self._wrong(_LIMITS, step, f"{self._amounts_expected(1)}, as `step`")
        return step

    @property
    def by_term(self) -> tuple[Results, ...]:
        """The results for each term that the merchant may choose, or these where there is none."""
        if not isinstance(self.product.term, ChosenTerm):
            return (self,)
        return tuple(
            evolve(self, case=evolve(self.case, term_months=months))
            for months in self.product.term.months
        )

    def limits(self) -> Limits:
        """Return the bounds of the amount."""
        return self._limits(self._called(_LIMITS, self.product.limits))

    def repayment(self, funded: Money) -> tuple[Decimal, Money]:
        """Return the factor rate of the amount *funded*, and what is repaid with it."""
        rate = self._called(_FACTOR_RATE, self.product.factor_rate, funded)
        factor = _scaled(rate, RATIO_PLACES, _ONE, _MOST_RATE)
        if factor is None:
            raise self._wrong(_FACTOR_RATE, rate, _RATE_EXPECTED)
        # Above the most by part of a minor unit, it could be rounded to it.
        if funded.minor * factor > self._most * _ONE:
            most = Money(self._most, self.case.currency)
            expected = f"a factor rate with which at most {most} are repaid"
            raise self._wrong(_FACTOR_RATE, rate, expected)
        repaid = divide(funded.minor * factor, _ONE, self.case.rounding)
        return rate, Money(repaid, funded.currency)

    def split_percentages(self, repayment: Money) -> tuple[Decimal, ...]:
        """Return the split percentages of the amount *repayment*; () if it is unaffordable."""
        splits = self._called(_SPLIT_PERCENTAGE, self.product.split_percentage, repayment)
        most = MOST_OFFERS // (len(self.product.terms.amounts) * len(self.by_term))
        if type(splits) is not tuple or len(splits) > most:
            raise self._wrong_split(splits, most)
        for split in splits:
            if _scaled(split, PERCENT_PLACES, 1, _MOST_PERCENT) is None:
                raise self._wrong_split(split, most)
        return splits

    def term(self, repayment: Money, split: Decimal) -> Term:
        """Return the term in which *repayment* is expected to be repaid with the *split*."""
        term = self._called(_TERM, self.product.term, repayment, split)
        # A `bool` is an `int` to `isinstance`.
        if type(term) is not Term or type(term.days) is not int:
            raise self._wrong(_TERM, term, _TERM_EXPECTED)
        months = _scaled(term.months, RATIO_PLACES, 1, _MOST_MONTHS)
        if months is None or not 1 <= term.days <= MOST_TERM_DAYS:
            raise self._wrong(_TERM, term, _TERM_EXPECTED)
        return term

    def _called(self, kind: str, calculator: Callable[..., Any], *arguments: object) -> Any:
        """Return what *calculator* returns; an exception of its own is the host's to repair."""
        try:
            result = calculator(self.case, *arguments)
            unknown = self._unknown(calculator, arguments) if result is None else ()
        except Exception as error:
            choice = getattr(self.product.terms, kind)
            # What it says is in the cause: it may follow from a merchant's figures.
            message = f"{self._named(kind)} failed with `{type(error).__name__}`"
            detail = ErrorDetail(code="wrong_result", message=message, **choice.place())
            raise ConfigurationError([detail]) from error
        if result is None:
            raise _UnknownError(unknown)
        return result

    def _unknown(
        self, calculator: Callable[..., Any], arguments: tuple[object, ...]
    ) -> tuple[str, ...]:
        """Return the unknown facts that *calculator* reads, in the catalogue's order."""
        case = {row.name: getattr(self.case, row.name) for row in fields(PricingCase)}
        noting = _NotingCase(**case, unknown={})
        calculator(noting, *arguments)
        return tuple(sorted(noting.unknown, key=self.case.catalogue.place))

    def _named(self, kind: str) -> str:
        terms = self.product.terms
        return (
            f"the calculator `{kind}/{getattr(terms, kind).name}` of the product `{terms.key}` of "
            f"{terms.rules.jurisdiction}"
        )

    @property
    def _most(self) -> int:
        return most_money(self.case.currency)

    def _limits(self, limits: Any, where: str = "") -> Limits:
        if type(limits) is Limits:
            # A maximum below the minimum means no offers, and it may be computed.
            maximum, least = limits.maximum, -self._most
            if self._is_amount(limits.minimum, least=0) and self._is_amount(maximum, least=least):
                return limits
        expected = f"`Limits` of {self._amounts_expected(0)}{where}"
        raise self._wrong(_LIMITS, limits, expected)

    def _is_amount(self, amount: Any, *, least: int) -> bool:
        currency = self.case.currency
        return (
            type(amount) is Money
            and (amount.currency is currency or amount.currency == currency)
            and least <= amount.minor <= self._most
        )

    def _amounts_expected(self, least: int) -> str:
        currency = self.case.currency
        return f"`Money` in {currency}, {Money(least, currency)} to {Money(self._most, currency)}"

    def _wrong_split(self, result: object, most: int) -> ConfigurationError:
        return self._wrong(
            _SPLIT_PERCENTAGE, result, f"a tuple of at most {most} {_SPLIT_EXPECTED}"
        )

    def _wrong(self, kind: str, result: object, expected: str) -> ConfigurationError:
        choice = getattr(self.product.terms, kind)
        message = f"{self._named(kind)} returned something else than {expected}"
        hint = f"it was {_kind_of(result)}"
        error = ErrorDetail(code="wrong_result", message=message, hint=hint, **choice.place())
        return ConfigurationError([error])


def _kind_of(result: Any) -> str:
    """Return the type or the currency of *result*, and no value."""
    if type(result) is Limits:
        return f"`Limits` of {_kind_of(result.minimum)} and {_kind_of(result.maximum)}"
    if type(result) is Term:
        return f"a `Term` of {_kind_of(result.days)} and {_kind_of(result.months)}"
    return (
        f"`Money` in {result.currency}" if type(result) is Money else f"`{type(result).__name__}`"
    )


def _scaled(value: Any, places: int, least: int, most: int) -> int | None:
    """Return a `Decimal` scaled, if it is finite, of so few decimals and in range; else None."""
    if type(value) is not Decimal or not value.is_finite():
        return None
    return _in_range(value, places, least, most)


# As for `exact_numbers.scaled`.
@lru_cache(maxsize=1_024)
def _in_range(value: Decimal, places: int, least: int, most: int) -> int | None:
    try:
        number = scaled(value, places)
    except ValueError:
        return None
    return number if least <= number <= most else None
