"""The disclosure of an offer: what the law of a jurisdiction asks to be shown of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, get_args

from attrs import field

from holdback.errors import InvalidDocument, Refusal
from holdback.exact.exact_json import Json, Opaque
from holdback.exact.money import Money
from holdback.frozen_classes import FrozenMapping, frozen, frozen_texts
from holdback.lifecycle.context import FactValues, exact_values
from holdback.lifecycle.events import OfferDisclosed
from holdback.lifecycle.input_checks import FEES, disclosure_errors
from holdback.lifecycle.offers.acceptance import check_base_deal, open_offer, product_of
from holdback.lifecycle.offers.disclosure_gate import regime_in_force
from holdback.lifecycle.offers.since_the_offer import check_offer
from holdback.lifecycle.operation import Case, Decision, PersonalCommand
from holdback.merchant.deal import Deal
from holdback.merchant.disclosure import Frequency, OfferDisclosure
from holdback.merchant.merchant import DisclosedOffer, Fulfilment, OfferSet
from holdback.merchant.offer import Offer
from holdback.merchant.validators import amount, one_of, optional, text

_TAKINGS = "average_monthly_takings"


def _facts(facts: FactValues) -> Mapping[str, Json]:
    return FrozenMapping(exact_values(facts, "$.facts"))


def _texts(texts: Mapping[str, str]) -> Mapping[str, str]:
    return frozen_texts(texts) if isinstance(texts, Mapping) else texts


def _all_texts(_: Any, __: Any, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise InvalidDocument.of("wrong_type", "expected texts by name", path="$.texts")
    for name, said in value.items():
        text(None, SimpleNamespace(name=f"texts.{name}"), said)


@frozen(kw_only=True)
class Disclose(PersonalCommand[OfferDisclosure]):
    """
    Disclose an offer: what the law asks to be shown of it, and whether that is due.

    The offer is open, or accepted and not funded yet. Payments are projected from
    `monthly_takings`, by default the average with which the offers were priced. `facts` are those
    on which exemptions rest, and `texts` what the host states in words. The same input has the same
    reply, on a later day too; another one is disclosed, and signed, anew.

    Raises:
        Refusal: `offer_not_found`, `offers_expired`, `offer_withdrawn`, `already_accepted`, or
            `not_possible_now` where no law asks for it.
        InvalidDocument: with every fact, text and fee that is wrong; or there is no rate.
    """

    name = "disclose"
    remembered = False
    input_errors = staticmethod(disclosure_errors)

    offer_id: str = field(validator=text)
    frequency: Frequency = field(default="daily", validator=one_of(*get_args(Frequency)))
    monthly_takings: Money | None = field(default=None, validator=optional(amount))
    withheld: Money | None = field(default=None, validator=optional(amount))
    paid_separately: Money | None = field(default=None, validator=optional(amount))
    later_charges: Money | None = field(default=None, validator=optional(amount))
    third_parties: Money | None = field(default=None, validator=optional(amount))
    facts: Mapping[str, Json] = field(factory=FrozenMapping, converter=_facts, repr=False)
    texts: Mapping[str, str] = field(
        factory=FrozenMapping, converter=_texts, validator=_all_texts, repr=False
    )

    def decide(self, case: Case) -> Decision[OfferDisclosure]:
        self.check(case.input_context)
        application, offer = _application_of(case, self.offer_id)
        held = case.merchant.disclosure_of(self.offer_id)
        if held is not None:
            earlier = _repeated(case, self, application, offer, held)
            if earlier is not None:
                return Decision((), lambda _: earlier)
        made = _disclosed(case, self, application, offer, case.day)
        if made is None:
            where = case.merchant.jurisdiction
            detail = f"the rules of {where} have no disclosures today: `disclosures.toml` has them"
            raise Refusal("not_possible_now", detail)
        record, shown, stated = made
        sections = {"texts": case.profile.digest(stated)} if stated.value else {}
        event = OfferDisclosed(at=case.at, disclosure=record, sections=sections)
        return Decision(
            (event,), lambda _: shown, case.profile.with_sections((stated,) if sections else ())
        )


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
    command: Disclose,
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
    case: Case, command: Disclose, application: OfferSet | Fulfilment, offer: Offer, on: date
) -> tuple[OfferDisclosure, OfferDisclosure, Opaque] | None:
    """Return a disclosure of a day, recorded and shown, and its texts; None without a law."""
    regime = regime_in_force(case, on)
    if regime is None:
        return None
    # Few jurisdictions have one, and a host of others loads none of it.
    from holdback.disclosures import offer_disclosure as made  # noqa: PLC0415

    stated = made.Stated(
        frequency=command.frequency,
        monthly_takings=_takings(command, application, offer),
        fees={name: getattr(command, name) for name in FEES},
        facts=command.facts,
        texts=command.texts,
    )
    record, texts = made.recorded(
        regime, offer, stated, on=on, renewed=_renewed(case, application, offer)
    )
    content = Opaque.of(texts)
    record = made.with_digest(record, case.profile.digest(content))
    return record, made.shown(record, texts), content


def _takings(command: Disclose, application: OfferSet | Fulfilment, offer: Offer) -> Money:
    """Return the takings of a month that are projected."""
    if command.monthly_takings is not None:
        return command.monthly_takings
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
