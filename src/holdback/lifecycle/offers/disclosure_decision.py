"""
What the operation `disclose` leads to: a disclosure of the offer, and its record.

It is loaded when an offer is disclosed: few jurisdictions have a law that asks for it.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, Final, TypeAlias

from holdback.disclosures.offer_disclosure import Stated, recorded, shown, with_digest
from holdback.errors import InvalidDocument, Refusal
from holdback.exact.exact_json import Opaque
from holdback.exact.money import Money
from holdback.lifecycle.events import OfferDisclosed
from holdback.lifecycle.input_checks import FEES
from holdback.lifecycle.offers.acceptance import check_base_deal, open_offer, product_of
from holdback.lifecycle.offers.disclosure_gate import regime_in_force
from holdback.lifecycle.offers.since_the_offer import check_offer
from holdback.lifecycle.operation import Case, Decision
from holdback.merchant.deal import Deal
from holdback.merchant.disclosure import OfferDisclosure
from holdback.merchant.merchant import DisclosedOffer, Fulfilment, OfferSet
from holdback.merchant.offer import Offer

# The operation, whose module loads this one.
_Disclose: TypeAlias = Any

_TAKINGS: Final = "average_monthly_takings"


def decided(command: _Disclose, case: Case) -> Decision[OfferDisclosure]:
    """
    Return what *command* leads to.

    Raises:
        Refusal: as the operation says.
        InvalidDocument: with every fact and text that is wrong.
    """
    application, offer = _application_of(case, command.offer_id)
    held = case.merchant.disclosure_of(command.offer_id)
    if held is not None:
        earlier = _repeated(case, command, application, offer, held)
        if earlier is not None:
            return Decision((), lambda _: earlier)
    made = _disclosed(case, command, application, offer, case.day)
    if made is None:
        where = case.merchant.jurisdiction
        detail = f"the rules of {where} have no disclosures today: `disclosures.toml` has them"
        raise Refusal("not_possible_now", detail)
    record, reply, texts = made
    named = (texts,) if texts.value else ()
    sections = {"texts": case.profile.digest(texts)} if named else {}
    event = OfferDisclosed(at=case.at, disclosure=record, sections=sections)
    return Decision((event,), lambda _: reply, case.profile.with_sections(named))


def _application_of(case: Case, offer_id: str) -> tuple[OfferSet | Fulfilment, Offer]:
    """Return the offer with its application: it is open, or accepted and not funded yet."""
    accepted = case.merchant.in_fulfilment
    if accepted is not None and accepted.offer.offer_id == offer_id:
        return accepted, accepted.offer
    offer_set, offer = open_offer(case, offer_id)
    check_offer(case, offer_set, product_of(offer_set, offer).key)
    check_base_deal(case.merchant, offer_set)
    return offer_set, offer


def _repeated(
    case: Case,
    command: _Disclose,
    application: OfferSet | Fulfilment,
    offer: Offer,
    held: DisclosedOffer,
) -> OfferDisclosure | None:
    """Return what was disclosed of the *offer* on the day of *held*, if this is the same."""
    try:
        made = _disclosed(case, command, application, offer, held.on)
    except InvalidDocument:  # of another regime: today's says what is wrong
        return None
    return made[1] if made is not None and made[0].digest == held.digest else None


def _disclosed(
    case: Case, command: _Disclose, application: OfferSet | Fulfilment, offer: Offer, on: date
) -> tuple[OfferDisclosure, OfferDisclosure, Opaque] | None:
    """Return a disclosure of a day, recorded and shown, and its texts; None without a law."""
    regime = regime_in_force(case, on)
    if regime is None:
        return None
    stated = Stated(
        frequency=command.frequency,
        monthly_takings=_takings(command, application, offer),
        fees={name: getattr(command, name) for name in FEES},
        facts=command.facts,
        texts=command.texts,
    )
    record, texts = recorded(
        regime, offer, stated, on=on, renewed=_renewed(case, application, offer)
    )
    content = Opaque.of(texts)
    record = with_digest(record, case.profile.digest(content))
    return record, shown(record, texts), content


def _takings(command: _Disclose, application: OfferSet | Fulfilment, offer: Offer) -> Money:
    """Return the takings of a month that are projected."""
    stated: Money | None = command.monthly_takings
    if stated is not None:
        return stated
    average = application.facts.get(_TAKINGS)
    if average is None:
        message = f"`{_TAKINGS}` was not known when the offer was priced: state the takings"
        raise InvalidDocument.of("missing", message, path="$.monthly_takings")
    return Money.of(Decimal(str(average)), offer.funded_amount.currency)


def _renewed(case: Case, application: OfferSet | Fulfilment, offer: Offer) -> Deal | None:
    """Return the deal that the funding of the *offer* would pay off, None without one."""
    queued = (
        application.queued
        if isinstance(application, Fulfilment)
        else product_of(application, offer).queued
    )
    base = case.merchant.deal_of(application.base_deal_id)
    return base if base is not None and base.active and not queued else None
