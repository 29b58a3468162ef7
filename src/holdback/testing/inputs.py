"""The inputs of a test's steps: checked, with ids from the merchant's state, and carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import attrs

from holdback.eligibility.facts import EVIDENCE_FACTS, INITIAL_EVIDENCE
from holdback.engine import Engine
from holdback.errors import Refusal, did_you_mean
from holdback.exact.exact_json import Json
from holdback.exact.money import Money
from holdback.lifecycle.context import Context
from holdback.lifecycle.operation import Outcome
from holdback.merchant.application import PEOPLE
from holdback.merchant.deal import DEFAULTED, DEFAULTS, Deal
from holdback.merchant.merchant import Merchant
from holdback.merchant.offer import ELIGIBLE
from holdback.merchant.profile import Profile
from holdback.operations import OPERATIONS, Operation, RequestOffers, ReviewRenewal
from holdback.testing import payloads
from holdback.wire.commands import read_input

# The input of an operation: JSON as text, or already parsed.
Body: TypeAlias = Mapping[str, Json] | bytes | str | None

# The operations whose input is the body of `POST /offers`.
_REQUESTS: Final = frozenset(
    name for name, row in OPERATIONS.items() if "request" in attrs.fields_dict(row)
)

# The operations that a host hands the results of its checks in with.
_WITH_EVIDENCE: Final = frozenset({"request_offers", "review_renewal"})


def known_operation(operation: str) -> str:
    """
    Return *operation*.

    >>> known_operation("acept_offer")
    Traceback (most recent call last):
    ValueError: unknown operation `acept_offer`; did you mean `accept_offer`?

    Raises:
        ValueError: *operation* is not the name of an operation.
    """
    if operation in OPERATIONS:
        return operation
    hint = did_you_mean(str(operation), OPERATIONS) or f"there are {', '.join(OPERATIONS)}"
    raise ValueError(f"unknown operation `{operation}`; {hint}")


def run_operation(  # noqa: PLR0913, PLR0917 - what an attempt needs
    engine: Engine,
    merchant: Merchant,
    what: str | Operation[Any],
    body: Body,
    context: Context,
    profile: Profile,
) -> Outcome[Any]:
    """
    Return the outcome of *what*: a command, or the name of an operation with the input *body*.

    Raises:
        Refusal, InvalidDocument: as the operation.
    """
    if not isinstance(what, str):
        return engine.carry_out(merchant, what, context, profile=profile)
    if OPERATIONS[what].by_provider:
        # A host finds the merchant by its provider_id. There is only one merchant here.
        provider_id = body.get("provider_id") if isinstance(body, Mapping) else None
        if provider_id is not None and provider_id != merchant.provider_id:
            raise Refusal("merchant_not_found", "the merchant has another provider_id")
    operation = read_input(what, body, engine.input_context(merchant, context))
    return engine.carry_out(merchant, operation, context, profile=profile)


def with_newest_ids(engine: Engine, merchant: Merchant, operation: str, body: Body) -> Body:
    """Return *body* with the ids of *merchant* that it omits; JSON text is returned unchanged."""
    if isinstance(body, bytes | str):
        return body
    fields = dict(body or {})
    if operation in _REQUESTS:
        return _request_with_newest_ids(engine, merchant, fields)
    declared = attrs.fields_dict(OPERATIONS[operation])
    newest = newest_ids(merchant, operation)
    ids = {name: value for name, value in newest.items() if name in declared}
    if operation not in {"record_evidence", "record_consents"}:
        return ids | fields
    people = people_of_first_request(merchant).items()
    return {name: content for name, content in people if name in declared} | ids | fields


def people_of_first_request(merchant: Merchant) -> dict[str, Json]:
    """Return those who will apply, as the first request will say; nothing after it."""
    if merchant.sections or merchant.offer_sets:
        return {}
    return {name: payloads.BLANK_PROFILE[name] for name in PEOPLE}


def new_request_id(merchant: Merchant, first: int) -> str:
    """Return `r-N` with N from *first* on, an id that the merchant has not seen in its past."""
    seen = {offer_set.request_id for offer_set in merchant.sets}
    seen |= {request.request_id for request in merchant.requests}
    return next(name for n in count(first) if (name := f"r-{n}") not in seen)


def remittance_up_to(deal: Deal, percent: int, today: str, entry_id: str) -> dict[str, Json]:
    """Return the entry that pays *deal* down to *percent*, if any, with its history complete."""
    repayment = deal.repayment_amount
    due = -(-repayment.minor * percent // 100) - deal.remitted.minor
    amount = str(Money(due, repayment.currency).amount)
    entries = [{"id": entry_id, "on": today, "amount": amount}] if due > 0 else []
    return {"entries": entries, "complete_through": today}


def newest_ids(merchant: Merchant, operation: str) -> dict[str, str]:
    """Return the ids that an input of *operation* would name next, of those there are, by field."""
    ids = {"offer_id": newest_offer_id(merchant)}
    if operation == "decide_referral":
        ids |= _newest_referral(merchant)
    elif operation in {"decline_offers", "withdraw_offers"}:
        ids["application_id"] = _newest_offered(merchant)
    elif merchant.fulfilments:
        ids["application_id"] = merchant.fulfilments[-1].application_id
    if merchant.deals:
        newest = merchant.active_deal or merchant.deals[-1]
        ids["to_deal_id"] = newest.id
        ids["from_deal_id"] = _newest_where(merchant, lambda deal: deal.overpaid.minor).id
        fits = _NEWEST_DEALS.get(operation)
        ids["deal_id"] = (newest if fits is None else _newest_where(merchant, fits)).id
    return {name: value for name, value in ids.items() if value is not None}


def _newest_where(merchant: Merchant, fits: Callable[[Deal], object]) -> Deal:
    """Return the newest deal that fits, else the newest."""
    deals = merchant.deals[::-1]
    return next((deal for deal in deals if fits(deal)), deals[0])


# The operations that are not about the active deal most often, with what they are about.
_NEWEST_DEALS: Final[Mapping[str, Callable[[Deal], object]]] = MappingProxyType(
    {
        "refund": lambda deal: deal.overpaid.minor,
        "waive_fee": lambda deal: deal.fees_owed.minor,
        "record_recovery": lambda deal: deal.status in DEFAULTS,
        "waive_rest": lambda deal: deal.status == DEFAULTED,
        "agree_plan": lambda deal: deal.status == DEFAULTED,
        "write_off": lambda deal: not deal.active and max(deal.balance, deal.shortfall).minor,
    }
)


def _newest_referral(merchant: Merchant) -> dict[str, str]:
    """Return what names the open referral that came last: its application and its product."""
    if not merchant.referrals:
        return {}
    referral = merchant.referrals[-1]
    return {"application_id": referral.application_id, "product": referral.product}


def _newest_offered(merchant: Merchant) -> str | None:
    """Return the application_id of the newest set of offers that has an eligible one, or None."""
    ids = (
        offer_set.application_id
        for offer_set in reversed(merchant.offer_sets)
        if any(offer.offer_status == ELIGIBLE for offer in offer_set.offers)
    )
    return next(ids, None)


def newest_offer_id(merchant: Merchant) -> str | None:
    """Return the id of the first eligible offer of the newest set that has one, or None."""
    ids = (
        offer.offer_id
        for offer_set in reversed(merchant.offer_sets)
        for product in offer_set.products
        for offer in product.offers
        if offer.offer_status == ELIGIBLE
    )
    return next(ids, None)


def _request_with_newest_ids(
    engine: Engine, merchant: Merchant, fields: dict[str, Json]
) -> dict[str, Json]:
    """Return the body of `POST /offers`: a renewal if the merchant has a deal, else initial."""
    application = fields.get("application", {})
    if not isinstance(application, Mapping):
        return fields
    current_id = merchant.provider_id if merchant.deals else None
    provider_id: Any = application.get("provider_id", current_id)
    currency = engine.currency(merchant).code
    body = payloads.offers_request(
        merchant.merchant_id, provider_id, currency=currency, profile=payloads.BLANK_PROFILE
    )
    return body | fields | {"application": {**body["application"], **application}}


def fitting_evidence(
    merchant: Merchant, what: str | Operation[Any], body: Body, evidence: Mapping[str, Json]
) -> dict[str, Json]:
    """
    Return what of *evidence* a host would hand in with *what*.

    That is all of it with what asks for the checks: a request for offers and a review; without the
    facts that follow from the state of a known merchant. A question takes none.
    """
    if what not in _WITH_EVIDENCE and not isinstance(what, RequestOffers | ReviewRenewal):
        return {}
    is_known = merchant.provider_id is not None
    if isinstance(what, RequestOffers):
        is_known = what.request.renewal
    elif what in _REQUESTS and isinstance(body, Mapping):
        application = body.get("application")
        is_known = isinstance(application, Mapping) and application.get("provider_id") is not None
    derived = set(INITIAL_EVIDENCE) - set(EVIDENCE_FACTS) if is_known else set()
    return {name: value for name, value in evidence.items() if name not in derived}
