"""The operation `disclose`: what the law of a jurisdiction asks to be shown of an offer."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, Final, get_args

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
from holdback.merchant.merchant import (
    MOST_DISCLOSED,
    DisclosedOffer,
    Fulfilment,
    OfferSet,
    open_offer_ids,
)
from holdback.merchant.offer import Offer
from holdback.merchant.validators import amount, one_of, optional, text

_TAKINGS: Final = "average_monthly_takings"


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
    reply, on a later day too, with what a renewal pays off as on the first; another one is
    disclosed, and signed, anew.

    Raises:
        Refusal: `offer_not_found`, `offers_expired`, `offer_withdrawn`, `already_accepted`,
            `referred`, or `not_possible_now` where no law asks for it, or too many open offers are
            disclosed.
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
        made = _disclosed(case, self, application, offer, None)
        if made is None:
            where = case.merchant.jurisdiction
            detail = f"the rules of {where} have no disclosures today: `disclosures.toml` has them"
            raise Refusal("not_possible_now", detail)
        if held is None:
            _check_room(case)
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


def _check_room(case: Case) -> None:
    """
    Refuse one disclosure more than a state keeps.

    Raises:
        Refusal: `not_possible_now`.
    """
    merchant = case.merchant
    still_open = set(open_offer_ids(merchant.offer_sets, case.at))
    if sum(held.offer_id in still_open for held in merchant.disclosed) >= MOST_DISCLOSED:
        detail = (
            f"{MOST_DISCLOSED} open offers are disclosed, and there can be no more: accept one, "
            "withdraw the offers, or wait until they expire"
        )
        raise Refusal("not_possible_now", detail)


def _repeated(
    case: Case,
    command: Disclose,
    application: OfferSet | Fulfilment,
    offer: Offer,
    held: DisclosedOffer,
) -> OfferDisclosure | None:
    """Return what was disclosed of the *offer* on the day of *held*, if this is the same."""
    try:
        made = _disclosed(case, command, application, offer, held)
    except InvalidDocument:  # of another regime: today's says what is wrong
        return None
    return made[1] if made is not None and made[0].digest == held.digest else None


def _disclosed(
    case: Case,
    command: Disclose,
    application: OfferSet | Fulfilment,
    offer: Offer,
    held: DisclosedOffer | None,
) -> tuple[OfferDisclosure, OfferDisclosure, Opaque] | None:
    """
    Return a disclosure, recorded and shown, and its texts; None without a law.

    It is made as of the day of the one that is *held*, today without one.
    """
    on = case.day if held is None else held.on
    regime = regime_in_force(case, on)
    if regime is None:
        return None
    # A host of other jurisdictions loads nothing of it.
    from holdback.disclosures.offer_disclosure import (  # noqa: PLC0415  # few have a law
        Stated,
        payoff_of,
        recorded,
        shown,
        with_digest,
    )

    stated = Stated(
        frequency=command.frequency,
        monthly_takings=_takings(command, application, offer),
        fees={name: getattr(command, name) for name in FEES},
        facts=command.facts,
        texts=command.texts,
    )
    base = case.merchant.deal_of(application.base_deal_id)
    used = _payoff(base, application, offer) if held is None else held.payoff
    payoff = None if base is None or used is None else payoff_of(base, used)
    record, texts = recorded(regime, offer, stated, on=on, payoff=payoff)
    content = Opaque.of(texts)
    record = with_digest(record, case.profile.digest(content))
    return record, shown(record, texts), content


def _takings(command: Disclose, application: OfferSet | Fulfilment, offer: Offer) -> Money:
    """Return the takings of a month that are projected."""
    stated: Money | None = command.monthly_takings
    if stated is not None:
        return stated
    average = application.facts.get(_TAKINGS)
    if average is None:
        message = f"`{_TAKINGS}` was not known when the offer was priced: state the takings"
        raise InvalidDocument.of("missing", message, path="$.monthly_takings")
    return Money.of(Decimal(str(average)), offer.funded_amount.currency)


def _payoff(base: Deal | None, application: OfferSet | Fulfilment, offer: Offer) -> Money | None:
    """Return what of the *offer* its funding today would settle of *base*, None for nothing."""
    queued = (
        application.queued
        if isinstance(application, Fulfilment)
        else product_of(application, offer).queued
    )
    if base is None or not base.active or queued:
        return None
    used = min(base.balance, offer.funded_amount, base.repayment_amount)
    return used if used.minor else None
