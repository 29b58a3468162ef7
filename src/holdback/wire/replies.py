"""Replies with the exact field names of the specification, as plain values and as bytes.

Each reply has one function that gives its plain values. `write` writes those; for offers and
acceptances, which are on the hot path, it puts the same bytes together by hand, and a law holds the
two equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from json.encoder import encode_basestring as quoted
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from holdback.eligibility import Assessment
from holdback.exact_json import Json, write_json
from holdback.model.acceptance import Acceptance, ApplicationStatus
from holdback.model.application import RequiredChecks
from holdback.model.deal import Deal, Entry, LookupDeal, MerchantLookup, standing
from holdback.model.merchant import TakingsHeld
from holdback.model.offer import Offer
from holdback.model.product import Offers, Product
from holdback.money import Money, digits, unscaled
from holdback.wire.converter import rate
from holdback.wire.timestamps import write_timestamp

Reply: TypeAlias = (
    Offers
    | Acceptance
    | MerchantLookup
    | LookupDeal
    | ApplicationStatus
    | TakingsHeld
    | RequiredChecks
    | Assessment
)

# Service 2.4: links "contains at least the two keys below"; they come first, the others in order.
_FIRST_LINKS: Final = ("contract_link", "merchant_link")


def to_dict(reply: Reply) -> dict[str, Json]:
    """
    *reply* as plain values with the specification's field names, in its order.

    Money is a `Decimal` in major units with the decimals of the minor unit; percentages, rates and
    terms are `Decimal`s without trailing zeros.

    >>> to_dict(ApplicationStatus(application_id="a-1", status="submitted"))
    {'application_id': 'a-1', 'status': 'submitted', 'omitted': []}
    """
    return _PLAIN[type(reply)](reply)


def write(reply: Reply) -> bytes:
    """
    *reply* as compact JSON in UTF-8, its numbers exact.

    >>> write(TakingsHeld(days=2, complete_through=None))
    b'{"days":2,"complete_through":null}'
    """
    if type(reply) is Offers:
        return _write_offers(reply).encode()
    if type(reply) is Acceptance:
        return _write_acceptance(reply).encode()
    return write_json(to_dict(reply)).encode()


def _offers(reply: Offers) -> dict[str, Json]:
    """Service 2.2, the response."""
    return {
        "products": [_product(product) for product in reply.products],
        "expiresAt": write_timestamp(reply.expires_at),
    }


def _product(product: Product) -> dict[str, Json]:
    """Service 2.2, product."""
    return {
        "product_id": product.product_id,
        "name": product.name,
        "description": product.description,
        "decision": product.decision,
        "repayment_mechanism": product.repayment_mechanism,
        "limits": {
            "minimum": product.limits.minimum.amount,
            "maximum": product.limits.maximum.amount,
        },
        "offers": [_offer(offer) for offer in product.offers],
    }


def _offer(offer: Offer) -> dict[str, Json]:
    """Service 2.2, offer."""
    return {
        "offer_id": offer.offer_id,
        "offer_status": offer.offer_status,
        "description": offer.description,
        "split_percentage": _rate(offer.split_percentage),
        "term_length": _rate(offer.term_length),
        "repayment_amount": offer.repayment_amount.amount,
        "funded_amount": offer.funded_amount.amount,
        "factor_rate": _rate(offer.factor_rate),
        "currency": offer.currency,
    }


def _rate(value: Decimal) -> Decimal:
    return Decimal(rate(value))


def _acceptance(reply: Acceptance) -> dict[str, Json]:
    """Service 2.4; the offer is the full offer."""
    return {
        "application_id": reply.application_id,
        "provider_id": reply.provider_id,
        "offer": _offer(reply.offer),
        "links": _links(reply.links),
    }


def _links(links: Mapping[str, str]) -> dict[str, str]:
    names = sorted(links, key=lambda name: (name not in _FIRST_LINKS, name))
    return {name: links[name] for name in names}


def _lookup(reply: MerchantLookup) -> dict[str, Json]:
    """Service 2.5."""
    return {"deals": [_deal(each) for each in reply.deals]}


def _deal(each: LookupDeal) -> dict[str, Json]:
    """Service 2.5, deal; `pricing` and `transactions` are design 6a's."""
    deal, performance = each.deal, each.performance
    return {
        "id": deal.id,
        "application_id": deal.application_id,
        "type": deal.type,
        "status": deal.status,
        "active": deal.active,
        "balance": deal.balance.amount,
        "currency": deal.currency,
        "performance": {
            "performance": _rate(performance.performance),
            "progress": _rate(performance.progress),
            "renewal_eligibility": performance.renewal_eligibility,
        },
        "pricing": _pricing(deal),
        "transactions": _transactions(deal),
    }


def _pricing(deal: Deal) -> dict[str, Json]:
    return {
        "funded_amount": deal.funded_amount.amount,
        "repayment_amount": deal.repayment_amount.amount,
        "factor_rate": _rate(deal.factor_rate),
        "split_percentage": _rate(deal.split_percentage),
        "term_length": _rate(deal.term_length),
    }


def _transactions(deal: Deal) -> list[dict[str, Json]]:
    taken_back = {entry.reverses for entry in deal.entries if entry.reverses and entry.settled}
    return [_transaction(entry, standing(entry, taken_back)) for entry in deal.entries]


def _transaction(entry: Entry, status: str) -> dict[str, Json]:
    """
    One entry. The amount of a reversal is written below zero, so that the amounts of a deal's
    settled transactions add up to what was remitted.
    """
    written: dict[str, Json] = {
        "id": entry.id,
        "date": entry.on.isoformat(),
        "amount": _reversed(entry.amount) if entry.reverses else entry.amount.amount,
        "takings": None if entry.takings is None else entry.takings.amount,
        "status": status,
    }
    if entry.reverses is not None:
        written["reverses"] = entry.reverses
    return written


def _reversed(amount: Money) -> Decimal:
    return unscaled(-amount.minor, amount.currency.places)


def _standing(reply: ApplicationStatus) -> dict[str, Json]:
    return {
        "application_id": reply.application_id,
        "status": reply.status,
        "omitted": list(reply.omitted),
    }


def _takings_held(reply: TakingsHeld) -> dict[str, Json]:
    through = reply.complete_through
    return {
        "days": reply.days,
        "complete_through": None if through is None else through.isoformat(),
    }


def _required_checks(reply: RequiredChecks) -> dict[str, Json]:
    return {
        "checks": [
            {
                "name": check.name,
                "evidence": list(check.evidence),
                "not_before": None if check.not_before is None else check.not_before.isoformat(),
            }
            for check in reply.checks
        ]
    }


_PLAIN: Final[Mapping[type, Callable[[Any], dict[str, Json]]]] = MappingProxyType(
    {
        Offers: _offers,
        Acceptance: _acceptance,
        MerchantLookup: _lookup,
        LookupDeal: _deal,
        ApplicationStatus: _standing,
        TakingsHeld: _takings_held,
        RequiredChecks: _required_checks,
        Assessment: Assessment.plain,
    }
)


def _write_offers(reply: Offers) -> str:
    products = ",".join([_write_product(product) for product in reply.products])
    return f'{{"products":[{products}],"expiresAt":"{write_timestamp(reply.expires_at)}"}}'


def _write_product(product: Product) -> str:
    limits = product.limits
    offers = ",".join([_write_offer(offer) for offer in product.offers])
    return (
        f'{{"product_id":{quoted(product.product_id)},"name":{quoted(product.name)},'
        f'"description":{quoted(product.description)},"decision":{quoted(product.decision)},'
        f'"repayment_mechanism":{quoted(product.repayment_mechanism)},'
        f'"limits":{{"minimum":{_digits(limits.minimum)},"maximum":{_digits(limits.maximum)}}},'
        f'"offers":[{offers}]}}'
    )


def _write_offer(offer: Offer) -> str:
    funded = offer.funded_amount
    return (
        f'{{"offer_id":{quoted(offer.offer_id)},"offer_status":{quoted(offer.offer_status)},'
        f'"description":{quoted(offer.description)},'
        f'"split_percentage":{rate(offer.split_percentage)},"term_length":{rate(offer.term_length)},'
        f'"repayment_amount":{_digits(offer.repayment_amount)},"funded_amount":{_digits(funded)},'
        f'"factor_rate":{rate(offer.factor_rate)},"currency":{quoted(funded.currency.code)}}}'
    )


def _digits(money: Money) -> str:
    """The amount of *money* in major units, as `write_json` writes it."""
    return digits(money.minor, money.currency.places)


def _write_acceptance(reply: Acceptance) -> str:
    return (
        f'{{"application_id":{quoted(reply.application_id)},'
        f'"provider_id":{quoted(reply.provider_id)},"offer":{_write_offer(reply.offer)},'
        f'"links":{write_json(_links(reply.links))}}}'
    )
