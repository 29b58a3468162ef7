"""A host's operations by their names (design 7a): their inputs filled, and carried out on an engine."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from holdback.dispatch import perform
from holdback.engine import Engine, Outcome
from holdback.errors import Refusal, did_you_mean
from holdback.exact_json import Json
from holdback.facts import EVIDENCE_FACTS, INITIAL_EVIDENCE
from holdback.lifecycle.commands import Command, RequestOffers
from holdback.lifecycle.context import Context
from holdback.lifecycle.operations import OPERATIONS
from holdback.model.application import PROFILE
from holdback.model.merchant import Merchant
from holdback.model.offer import ELIGIBLE

# What an operation is given: JSON, in text or parsed already.
Body: TypeAlias = Mapping[str, Json] | bytes | str | None

_OF_OFFERS: Final = ("request_offers", "required_checks")
_OF_APPLICATIONS: Final = ("supply_details", "close_application", "fund_deal")
_OF_DEALS: Final = ("record_remittance", "close_deal")
# An initial application that says nothing of who applies.
_BLANK: Final[Mapping[str, Json]] = MappingProxyType(
    {"consents": {}, "applicants": [{}], "company": {}}
)


def known(operation: str) -> str:
    """
    *operation* itself, when it is one.

    >>> known("acept_offer")
    Traceback (most recent call last):
    ValueError: unknown operation `acept_offer`; did you mean `accept_offer`?
    """
    if operation in OPERATIONS:
        return operation
    hint = did_you_mean(str(operation), OPERATIONS) or f"there are {', '.join(OPERATIONS)}"
    raise ValueError(f"unknown operation `{operation}`; {hint}")


def carry_out(
    engine: Engine, merchant: Merchant, what: str | Command, body: Body, context: Context
) -> Outcome[Any]:
    """
    The outcome of *what*: a command, or an operation by its name with its input.

    Raises:
        Refusal, InvalidDocument: as the operation.
    """
    if not isinstance(what, str):
        return engine.carry_out(merchant, what, context)
    if OPERATIONS[what].by_provider:
        given = body.get("provider_id") if isinstance(body, Mapping) else None
        if given is not None and given != merchant.provider_id:
            raise Refusal("merchant_not_found", "the merchant has another provider_id")
    return perform(engine, merchant, what, body, context)


def filled(operation: str, body: Body, merchant: Merchant, engine: Engine) -> Body:
    """
    *body* with what it leaves out and the merchant's state can say: its ids, and who asks for offers.

    JSON text is left as it is.
    """
    if isinstance(body, bytes | str):
        return body
    given = dict(body or {})
    if operation in _OF_OFFERS:
        return _request(given, merchant, engine)
    named: dict[str, str | None] = {}
    if operation == "accept_offer":
        named["offer_id"] = newest_offer_id(merchant)
    elif operation in _OF_APPLICATIONS and merchant.fulfilments:
        named["application_id"] = merchant.fulfilments[-1].application_id
    elif operation in _OF_DEALS and merchant.deals:
        named["deal_id"] = (merchant.active_deal or merchant.deals[-1]).id
    return {name: value for name, value in named.items() if value is not None} | given


def newest_offer_id(merchant: Merchant) -> str | None:
    """The id of the first offer of the newest set that has offers, None when no set has any."""
    found = (
        offer.offer_id
        for offer_set in reversed(merchant.offer_sets)
        for product in offer_set.products
        for offer in product.offers
        if offer.offer_status == ELIGIBLE
    )
    return next(found, None)


def _request(given: dict[str, Json], merchant: Merchant, engine: Engine) -> dict[str, Json]:
    """
    The body of `POST /offers` with the merchant's own names: a renewal once it has a deal, otherwise an
    initial application with a profile that says nothing.
    """
    block = {
        "merchant_id": merchant.merchant_id,
        "provider_id": merchant.provider_id if merchant.deals else None,
        "currency": engine.jurisdictions.currency(merchant.jurisdiction).code,
    }
    application = given.get("application", {})
    if not isinstance(application, Mapping):
        return given
    block |= application
    profile = {name: _BLANK[name] for name in PROFILE} if block["provider_id"] is None else {}
    return {"application": block} | profile | {k: v for k, v in given.items() if k != "application"}


def fitting(
    evidence: Mapping[str, Json], what: str | Command, body: Body, merchant: Merchant
) -> dict[str, Json]:
    """*evidence* without what the merchant's state derives, once the service knows the merchant."""
    known_already = merchant.provider_id is not None
    if isinstance(what, RequestOffers):
        known_already = what.request.renewal
    elif what in _OF_OFFERS and isinstance(body, Mapping):
        application = body.get("application")
        named = application.get("provider_id") if isinstance(application, Mapping) else None
        known_already = named is not None
    derived = set(INITIAL_EVIDENCE) - set(EVIDENCE_FACTS) if known_already else set()
    return {name: value for name, value in evidence.items() if name not in derived}
