"""The disclosure of an offer that an engine made, recorded and shown.

The record has the texts of the host as names in braces: they may be personal data, and are in the
merchant's profile.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any, Final

import attrs
from attrs import evolve

from holdback.disclosures.derivation import derivation_by_law
from holdback.disclosures.disclosure import Payoff, ProjectionTerms, disclose, stated_texts
from holdback.disclosures.figures import Financing
from holdback.disclosures.projected_payments import Payment, ProjectedPayments
from holdback.eligibility.ruleset import PLACEHOLDER
from holdback.errors import InvalidDocument, InvalidValue
from holdback.exact.exact_json import Json, canonical
from holdback.exact.exact_numbers import divide, plain_digits, unscaled
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.deal import Deal
from holdback.merchant.disclosure import (
    DIGEST_PREFIX,
    Frequency,
    OfferDisclosure,
)
from holdback.merchant.offer import Offer
from holdback.rulebooks.regime import Regime

_DIGITS: Final = 32


@frozen(kw_only=True)
class Stated:
    """What a host states of an offer: how it is paid, its fees by name, facts and texts."""

    frequency: Frequency
    monthly_takings: Money
    fees: Mapping[str, Money | None]
    facts: Mapping[str, Json]
    texts: Mapping[str, str]


def recorded(
    regime: Regime, offer: Offer, stated: Stated, *, on: date, payoff: Payoff | None
) -> tuple[OfferDisclosure, dict[str, str]]:
    """
    Return the record of an *offer*'s disclosure, without its digest, and the host's texts in it.

    The merchant is bound `on` that day, and a renewal has a *payoff*.

    Raises:
        InvalidDocument: with every fact and text that is wrong; or there is no rate.
    """
    projection = ProjectionTerms(
        consummation=on,
        frequency=stated.frequency,
        split=Fraction(offer.split_percentage) * Fraction(1, 100),
        monthly_takings=stated.monthly_takings.minor,
    )
    try:
        financing = _financing(offer, stated.fees, payoff)
        made = disclose(
            regime,
            financing,
            projection,
            payoff=payoff,
            facts=stated.facts,
            texts={name: f"{{{name}}}" for name in stated_texts(regime, {}) | dict(stated.texts)},
        )
    except InvalidValue as error:
        raise InvalidDocument.of(error.code, str(error), path="$") from None
    steps = derivation_by_law(regime, made, financing, projection, payoff)
    record = OfferDisclosure(
        offer_id=offer.offer_id,
        on=on,
        digest="",
        jurisdiction=made.jurisdiction,
        currency=offer.currency,
        since=made.since,
        law=made.law,
        due=made.due,
        decided_by=made.decided_by,
        title=made.title,
        lines=made.lines,
        foot=made.foot,
        figures=made.figures,
        assumptions=_assumptions(regime, offer, stated, made.payments),
        derivation=tuple(attrs.asdict(step, value_serializer=_as_json) for step in steps),
    )
    return record, stated_texts(regime, stated.texts)


def _assumptions(
    regime: Regime, offer: Offer, stated: Stated, projected: ProjectedPayments
) -> dict[str, Json]:
    """Return what the figures of an *offer* rest on."""
    return {
        "consummation": projected.consummation.isoformat(),
        "days_of_a_month": _digits(regime.month),
        "first_payment": _payment(projected.payments[0], offer),
        "last_payment": _payment(projected.payments[-1], offer),
        "facts": dict(stated.facts),
    }


def with_digest(record: OfferDisclosure, texts: str) -> OfferDisclosure:
    """Return *record* with its digest, which covers the host's *texts* by the digest of these."""
    content = attrs.asdict(record, value_serializer=_as_json)
    digest = hashlib.sha256(canonical({**content, "texts": texts})).hexdigest()[:_DIGITS]
    return evolve(record, digest=f"{DIGEST_PREFIX}{digest}")


def shown(record: OfferDisclosure, texts: Mapping[str, str]) -> OfferDisclosure:
    """Return *record* with the host's *texts* in their places."""

    def filled(template: str) -> str:
        return PLACEHOLDER.sub(lambda name: texts.get(name[1], name[0]), template)

    lines = (
        evolve(
            line,
            label=filled(line.label),
            value=filled(line.value),
            sentences=tuple(map(filled, line.sentences)),
        )
        for line in record.lines
    )
    return evolve(
        record,
        title=filled(record.title),
        lines=tuple(lines),
        foot=tuple(map(filled, record.foot)),
    )


def _as_json(_: Any, __: Any, value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return value.isoformat() if isinstance(value, date) else value


def _financing(offer: Offer, fees: Mapping[str, Money | None], payoff: Payoff | None) -> Financing:
    return Financing(
        purchase_price=offer.funded_amount.minor,
        purchased_amount=offer.repayment_amount.minor,
        payoffs=0 if payoff is None else payoff.used,
        **{name: 0 if fee is None else fee.minor for name, fee in fees.items()},
    )


def payoff_of(renewed: Deal, used: Money) -> Payoff:
    """Return the payoff of the deal that is *renewed*, for which so much is *used*."""
    total = renewed.repayment_amount.minor
    return Payoff(
        finance_charge=max(total - renewed.funded_amount.minor, 0),
        total_repayment=total,
        used=used.minor,
    )


def _payment(payment: Payment, offer: Offer) -> dict[str, Json]:
    return {
        "on": payment.day.isoformat(),
        "amount": Money(payment.amount, offer.funded_amount.currency).amount,
    }


def _digits(number: Fraction) -> str:
    hundredths = divide(number.numerator * 100, number.denominator, "half_up")
    return plain_digits(unscaled(hundredths, 2))
