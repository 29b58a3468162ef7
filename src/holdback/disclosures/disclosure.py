"""
A disclosure: a regime, filled with the figures of one offer.

Whether it is due is a question to the regime's conditions. What is not known exempts nobody, and
nothing that is shown rests on it: a line that would is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import Any, Final

from attrs import evolve, field

from holdback.disclosures.annual_rate import AnnualRate
from holdback.disclosures.effective_rate import EffectiveRate
from holdback.disclosures.figure_facts import FIGURES
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
from holdback.rulebooks.regime import Item, Regime, placeholders
from holdback.rules.types import Catalogue, Facts, Kind

_SHOWN_PLACES: Final = 2  # of a rate (K5)


@frozen(kw_only=True)
class Payoff:
    """
    An old deal that a new one pays off, in minor units.

    `used` is what pays it off, and `forgiven` what its provider gives up of its charge. A renewal
    pays off a deal with the same provider, the `own` one; one of another provider is not `own`.
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
    `figures` are plain values by name, without those that are unknown or for which the law does not
    ask. The `apr` is rounded up to a ten-thousandth of a percent, as rules read it; `rate` is the
    same unrounded. `sections` has for each figure that is shown the section of the line that does.
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
    rate: AnnualRate | EffectiveRate | None = field(eq=False, repr=False)
    sections: Mapping[str, str] = field(repr=False, converter=frozen_record)


def figures_of(
    financing: Financing,
    projection: ProjectionTerms,
    payments: ProjectedPayments,
    rate: AnnualRate | EffectiveRate | None,
    payoff: Payoff | None = None,
) -> dict[str, Any]:
    """
    Return the figures by name, scaled as the catalogue has them; None is unknown.

    The `apr`, that of *rate*, and the `cost_per_unit` are rounded up, so that rules may bound them.
    """
    own = None if payoff is None or not payoff.own else payoff
    own_used = 0 if own is None else own.used
    total, financed = financing.total_payments, financing.amount_financed
    apr = None if rate is None else scaled(rate.percent(PERCENT_PLACES, "up"), PERCENT_PLACES)
    return {
        **{name: getattr(financing, name) for name in _OF_FINANCING},
        "prepaid_charges": financing.withheld + financing.paid_separately,
        "paid_to_others": financing.third_parties + financing.payoffs - own_used,
        "total_cost_with_fees": max(total - financing.disbursement, 0),
        "total_cost": max(total - financing.purchase_price, 0),
        "cost_per_unit": -(-financing.finance_charge * 10**RATIO_PLACES // financed),
        "apr": apr,
        "payment": payments.payments[0].amount,
        "average_payment": divide(total, len(payments.payments), "half_up"),
        "number_of_payments": len(payments.payments),
        "frequency": projection.frequency,
        "payments_are_listed": int(projection.payments is not None),
        "split": _percent(projection.split),
        "projected_monthly_takings": projection.monthly_takings,
        "term": payments.term_days,
        "average_monthly_cost": monthly_cost(total, payments.term_days),
        "prepayment_charge": financing.finance_charge,
        "own_payoff": own_used,
        "double_dipping": 0 if own is None else own.double_dipping,
        "unpaid_charge": _unpaid_charge(financing, payoff),
    }


def _unpaid_charge(financing: Financing, payoff: Payoff | None) -> int | None:
    """Return the unpaid charge of what is paid off; None where it is not stated of all of it."""
    used = 0 if payoff is None else payoff.used
    if used > financing.payoffs:
        raise InvalidValue("contradiction", "the payoff is more than all that is paid off")
    if used < financing.payoffs:
        return None
    return 0 if payoff is None else payoff.double_dipping


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

    *facts* are those of the regime that a host knows, by name, and *texts* what it states in words.
    The deal that is paid off, such as that of a renewal, is the *payoff*; where more is paid off,
    the unpaid charge is unknown.

    Raises:
        InvalidDocument: with every fact and text that is wrong, and all that is missing of what is
            shown.
        InvalidValue: when there is no rate, or a figure is out of its range.
    """
    payments = projection.payments_of(financing.total_payments, regime.month)
    rate = payments.rate(financing.amount_financed, regime.rate) if regime.rate else None
    plain = plain_figures(
        figures_of(financing, projection, payments, rate, payoff), regime.catalogue
    )
    errors = [*_wrong_facts(regime, facts or {}), *_unknown_texts(regime, texts or {})]
    wrong = {error.path for error in errors}
    right = {
        name: fact
        for name, fact in (facts or {}).items()
        if shown_path("$.facts", name) not in wrong
    }
    prepared = regime.catalogue.prepare({**plain, **right})
    words = {**_words(regime, prepared, payments, rate), **stated_texts(regime, texts or {})}
    errors += (error for error in _missing(regime, prepared, words) if error.path not in wrong)
    if errors:
        raise InvalidDocument(errors)
    deciding = regime.not_due_by(prepared)
    shown = regime.shown(prepared)

    def filled(template: str) -> str:
        return PLACEHOLDER.sub(lambda name: words[name[1]], template)

    return Disclosure(
        jurisdiction=regime.code,
        since=regime.since,
        law=regime.law,
        title=filled(regime.title),
        due=not deciding,
        decided_by=tuple(row.source for row in deciding),
        figures=plain,
        lines=tuple(_line(item, filled) for item in shown),
        foot=tuple(map(filled, regime.foot)),
        payments=payments,
        rate=rate,
        sections=_sections(shown),
    )


def _line(item: Item, filled: Callable[[str], str]) -> DisclosedLine:
    """Return the line of *item*, whose texts are *filled* with figures."""
    return DisclosedLine(
        id=item.id,
        label=item.label,
        value=filled(item.value),
        sentences=tuple(filled(sentence.text) for sentence in item.sentences),
        source=item.source,
    )


def plain_figures(figures: Mapping[str, Any], catalogue: Catalogue) -> dict[str, Json]:
    """
    Return the known of *figures* as plain values: `120000` of pounds is `1200.00`.

    Raises:
        InvalidValue: when one is out of its range in the *catalogue*.
    """
    plain: dict[str, Json] = {}
    for name, figure in figures.items():
        fact = catalogue.facts[catalogue.place(name)]
        if fact.type.kind is Kind.TEXT:
            plain[name] = figure
        elif figure is not None:
            if not fact.low <= figure <= fact.high:
                raise InvalidValue("out_of_range", f"`{name}`: {fact.out_of_range}")
            plain[name] = fact.type.plain(figure)
    return plain


def _words(
    regime: Regime,
    prepared: Facts,
    payments: ProjectedPayments,
    rate: AnnualRate | EffectiveRate | None,
) -> dict[str, str]:
    """Return each figure and fact that is known as sentences have it."""
    words = {
        fact.name: regime.number_format.show(fact.type, number)
        for fact, number in zip(regime.catalogue.facts, prepared, strict=True)
        if number is not None
    }
    if rate is not None:
        # Rules read a rate rounded up; the law asks for it to the nearest hundredth (K5).
        words["apr"] = regime.number_format.percent_text(str(rate.percent(_SHOWN_PLACES)))
    words["term"] = term_in_words(payments.consummation, payments.payments[-1].day)
    return words


def _sections(shown: tuple[Item, ...]) -> dict[str, str]:
    """Return the section of the first line that shows a figure, by its name; values go first."""
    of_values = [(item.source, placeholders(item.value)) for item in shown]
    of_sentences = [
        (item.source, placeholders(*(part.text for part in item.sentences))) for item in shown
    ]
    sections: dict[str, str] = {}
    for source, names in (*of_values, *of_sentences):
        sections = dict.fromkeys(names, source) | sections
    return sections


def stated_texts(regime: Regime, given: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of *regime*, each *given* or by default, and no other."""
    texts = {name: given.get(name, default) for name, default in regime.texts.items()}
    return {name: text for name, text in texts.items() if text is not None}


def _unknown_texts(regime: Regime, given: Mapping[str, str]) -> Iterator[ErrorDetail]:
    for name in given:
        if name not in regime.texts:
            yield ErrorDetail(
                code="unknown_name",
                message="no disclosure of this jurisdiction has this text",
                path=shown_path("$.texts", name),
                hint=did_you_mean(name, regime.texts) or f"the texts are {listed(regime.texts)}",
            )


def _wrong_facts(regime: Regime, facts: Mapping[str, Json]) -> Iterator[ErrorDetail]:
    for name in facts.keys() & FIGURES:
        message = "this is a figure of the offer, which is computed"
        yield ErrorDetail(code="not_allowed", message=message, path=shown_path("$.facts", name))
    try:
        regime.catalogue.prepare({name: facts[name] for name in facts.keys() - FIGURES})
    except InvalidDocument as error:
        for detail in error.errors:
            yield evolve(detail, path=f"$.facts{(detail.path or '$')[1:]}")


def _missing(regime: Regime, prepared: Facts, words: Mapping[str, str]) -> Iterator[ErrorDetail]:
    """Yield an error for each fact, text and charge that is needed and not stated."""
    for name in regime.needed(prepared):
        if name in words:
            continue
        if name in regime.texts:
            path, message = (
                shown_path("$.texts", name),
                "the disclosure has a text that is not stated",
            )
        elif name in FIGURES:
            path, message = "$.payoff", f"`{name}` is unknown: state the charge of what is paid off"
        else:
            path = shown_path("$.facts", name)
            message = "the disclosure rests on a fact that is not stated"
        yield ErrorDetail(code="missing", message=message, path=path)
