"""
A disclosure: a regime, filled with the figures of one offer.

Whether it is due is a question to the regime's conditions. What is not known exempts nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any, Final

from attrs import field

from holdback.disclosures.figures import (
    Financing,
    double_dipping,
    monthly_cost,
    term_in_words,
)
from holdback.disclosures.projected_payments import (
    ProjectedPayments,
    payment_days,
    payment_of,
    project,
)
from holdback.eligibility.ruleset import PLACEHOLDER
from holdback.errors import ErrorDetail, InvalidDocument, InvalidValue, did_you_mean, listed
from holdback.exact.exact_json import Json, shown_path
from holdback.exact.exact_numbers import (
    HUNDRED_PERCENT,
    PERCENT_PLACES,
    RATIO_PLACES,
    divide,
    scaled,
)
from holdback.frozen_classes import frozen, frozen_record
from holdback.merchant.disclosure import DisclosedLine, Frequency
from holdback.rulebooks.regime import ACTUARIAL, Item, RateMethod, Regime
from holdback.rules.closure import closure
from holdback.rules.tree import Checked
from holdback.rules.types import Catalogue, Facts, Kind

_SHOWN_PLACES: Final = 2  # of a rate (K5)


@frozen(kw_only=True)
class Payoff:
    """
    An old deal that a new one pays off, in minor units.

    `used` is what pays it off, and `forgiven` what its provider gives up of its charge. A renewal
    pays off a deal with the same provider, the `own` one.
    """

    finance_charge: int
    total_repayment: int
    used: int
    forgiven: int = 0
    own: bool = True

    @property
    def double_dipping(self) -> int:
        """The unpaid charge of the old deal that is paid off."""
        return double_dipping(
            finance_charge=self.finance_charge,
            total_repayment=self.total_repayment,
            used_for_payoff=self.used,
            forgiven=self.forgiven,
        )


@frozen(kw_only=True)
class ProjectionTerms:
    """
    The assumptions by which payments are projected: when, how often and out of which takings.

    `split` is a share of the takings, and `monthly_takings` are in minor units. `payments`, where
    they are given, are those that are projected otherwise, such as with minimums. On `holidays`
    nothing is paid daily or on weekdays.
    """

    consummation: date
    frequency: Frequency
    split: Fraction
    monthly_takings: int
    payments: ProjectedPayments | None = None
    holidays: frozenset[date] = frozenset()

    def payments_of(self, total: int, month: Fraction) -> ProjectedPayments:
        """Return the payments that add up to *total*, where *month* is the days of a month."""
        if self.payments is not None:
            if self.payments.total != total:
                raise InvalidValue("contradiction", "the payments do not add up to their total")
            return self.payments
        return project(
            total=total,
            payment=payment_of(self.monthly_takings, self.split, self.frequency, month),
            consummation=self.consummation,
            frequency=self.frequency,
            days=payment_days(self.consummation, self.frequency, holidays=self.holidays),
        )


@frozen(kw_only=True)
class Disclosure:
    """
    What is shown of one offer: its lines in the regime's order, and the figures behind them.

    `decided_by` are the sources of the conditions by which it is not due, and empty where it is.
    `figures` are plain values by name, the `apr` rounded up to a ten-thousandth of a percent, as
    rules read it.
    """

    jurisdiction: str
    since: date
    law: str
    title: str
    due: bool
    decided_by: tuple[str, ...]
    figures: Mapping[str, Json] = field(converter=frozen_record)
    lines: tuple[DisclosedLine, ...]
    foot: tuple[str, ...]
    payments: ProjectedPayments = field(repr=False)


def figures_of(
    financing: Financing,
    projection: ProjectionTerms,
    payments: ProjectedPayments,
    payoff: Payoff | None = None,
    method: RateMethod = ACTUARIAL,
) -> dict[str, Any]:
    """
    Return the figures by name, scaled as the catalogue has them.

    The `apr`, by *method*, and the `cost_per_unit` are rounded up, so that rules may bound them.
    """
    own = None if payoff is None or not payoff.own else payoff
    own_used = 0 if own is None else own.used
    total, financed = financing.total_payments, financing.amount_financed
    rate = payments.rate(financed, method)
    return {
        **{name: getattr(financing, name) for name in _OF_FINANCING},
        "prepaid_charges": financing.withheld + financing.paid_separately,
        "paid_to_others": max(financing.third_parties + financing.payoffs - own_used, 0),
        "total_cost_with_fees": max(total - financing.disbursement, 0),
        "total_cost": max(total - financing.purchase_price, 0),
        "cost_per_unit": -(-financing.finance_charge * 10**RATIO_PLACES // financed),
        "apr": scaled(rate.percent(PERCENT_PLACES, "up"), PERCENT_PLACES),
        "payment": payments.payments[0].amount,
        "average_payment": divide(total, len(payments.payments), "half_up"),
        "number_of_payments": len(payments.payments),
        "frequency": projection.frequency,
        "split": _percent(projection.split),
        "projected_monthly_takings": projection.monthly_takings,
        "term": payments.term_days,
        "average_monthly_cost": monthly_cost(total, payments.term_days),
        "prepayment_charge": financing.finance_charge,
        "own_payoff": own_used,
        "double_dipping": 0 if own is None else own.double_dipping,
        "unpaid_charge": 0 if payoff is None else payoff.double_dipping,
    }


_OF_FINANCING: Final = (
    "purchase_price",
    "purchased_amount",
    "withheld",
    "paid_separately",
    "later_charges",
    "third_parties",
    "payoffs",
    "amount_financed",
    "recipient_funds",
    "disbursement",
    "finance_charge",
    "total_payments",
)


def _percent(share: Fraction) -> int:
    """Return a *share* as a scaled percentage."""
    return divide(share.numerator * HUNDRED_PERCENT, share.denominator, "half_up")


def disclose(  # noqa: PLR0913 - what is disclosed, and what the host states of it
    regime: Regime,
    financing: Financing,
    projection: ProjectionTerms,
    *,
    payoff: Payoff | None = None,
    facts: Mapping[str, Json] | None = None,
    texts: Mapping[str, str] | None = None,
) -> Disclosure:
    """
    Return what *regime* shows of a *financing*, paid as in *projection*.

    *facts* are those on which exemptions rest, by name, and *texts* what the host states in words.
    A renewal that pays off a deal of the same provider has a *payoff*.

    Raises:
        InvalidDocument: with every fact that is wrong, and every text that is missing.
        InvalidValue: when there is no rate, or a figure is out of its range.
    """
    payments = projection.payments_of(financing.total_payments, regime.month)
    figures = figures_of(financing, projection, payments, payoff, regime.rate or ACTUARIAL)
    plain = plain_figures(figures, regime.catalogue)
    prepared = regime.catalogue.prepare({**plain, **(facts or {})})
    words = _words(regime, prepared, payments, financing.amount_financed)
    filled = _Filled(regime, prepared, {**words, **stated_texts(regime, texts or {})})
    deciding = regime.not_due_by(prepared)
    return Disclosure(
        jurisdiction=regime.code,
        since=regime.since,
        law=regime.law,
        title=filled.text(regime.title),
        due=not deciding,
        decided_by=tuple(row.source for row in deciding),
        figures=plain,
        lines=tuple(filled.line(item) for item in regime.items if filled.holds(item.when)),
        foot=tuple(filled.text(text) for text in regime.foot),
        payments=payments,
    )


def plain_figures(figures: Mapping[str, Any], catalogue: Catalogue) -> dict[str, Json]:
    """Return *figures* as plain values: `120000` of pounds is `1200.00`."""
    plain: dict[str, Json] = {}
    for name, figure in figures.items():
        fact = catalogue.facts[catalogue.place(name)]
        plain[name] = figure if fact.type.kind is Kind.TEXT else fact.type.plain(figure)
    return plain


def _words(
    regime: Regime, prepared: Facts, payments: ProjectedPayments, amount_financed: int
) -> dict[str, str]:
    """Return each figure and fact as sentences have it."""
    words = {
        fact.name: "unknown" if number is None else regime.number_format.show(fact.type, number)
        for fact, number in zip(regime.catalogue.facts, prepared, strict=True)
    }
    # Rules read a rate rounded up; the law asks for it to the nearest hundredth (K5).
    shown = payments.rate(amount_financed, regime.rate or ACTUARIAL).percent(_SHOWN_PLACES)
    words["apr"] = regime.number_format.percent_text(str(shown))
    words["term"] = term_in_words(payments.consummation, payments.payments[-1].day)
    return words


def stated_texts(regime: Regime, given: Mapping[str, str]) -> dict[str, str]:
    """
    Return the texts of *regime* that a host has to state or may, as *given* or by default.

    Raises:
        InvalidDocument: with every text that is missing, and every name that is unknown.
    """
    errors = [
        ErrorDetail(
            code="unknown_name",
            message="no disclosure of this jurisdiction has this text",
            path=shown_path("$.texts", name),
            hint=did_you_mean(name, regime.texts) or f"the texts are {listed(regime.texts)}",
        )
        for name in given
        if name not in regime.texts
    ]
    said = {name: given.get(name, default) for name, default in regime.texts.items()}
    errors += [
        ErrorDetail(
            code="missing",
            message="the disclosure has a text that is not stated",
            path=shown_path("$.texts", name),
        )
        for name, text in said.items()
        if text is None
    ]
    if errors:
        raise InvalidDocument(errors)
    return {name: text for name, text in said.items() if text is not None}


@frozen
class _Filled:
    """A regime with the facts and the words of one offer."""

    regime: Regime
    facts: Facts
    words: Mapping[str, str]

    def holds(self, condition: Checked | None) -> bool:
        """Return whether *condition* is true; one that is left out always is."""
        return condition is None or closure(condition)(self.facts) is True

    def text(self, template: str) -> str:
        """Return *template* with each name in braces replaced by its word."""
        return PLACEHOLDER.sub(lambda name: self.words[name[1]], template)

    def line(self, item: Item) -> DisclosedLine:
        """Return the line of *item*."""
        said = (sentence for sentence in item.sentences if self.holds(sentence.when))
        return DisclosedLine(
            id=item.id,
            label=item.label,
            value=self.text(item.value),
            sentences=tuple(self.text(sentence.text) for sentence in said),
            source=item.source,
        )
