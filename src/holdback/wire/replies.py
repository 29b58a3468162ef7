"""Replies with the field names of service 2, as plain values and as bytes.

A reply is written from the declaration of its class: one field for each attribute, in order. Only a
class whose JSON differs from its attributes has a function of its own here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import attrs
from pendulum import Date, DateTime

from holdback.eligibility.assessment import Assessment
from holdback.errors import (
    REFUSALS,
    ConfigurationError,
    ErrorDetail,
    HistoryError,
    InvalidDocument,
    Refusal,
    StateError,
)
from holdback.exact.exact_json import Json, write_json
from holdback.exact.exact_numbers import plain_digits, unscaled
from holdback.exact.money import Money
from holdback.frozen_classes import FrozenMapping
from holdback.lifecycle.configuration import REQUIRED_LINKS
from holdback.lifecycle.deals.lookup import RenewalReview
from holdback.merchant.acceptance import Acceptance
from holdback.merchant.application import ProductDecision, RequiredChecks
from holdback.merchant.deal import Deal, LookupDeal
from holdback.merchant.fee_terms import FeeTerms
from holdback.merchant.instants import write_timestamp
from holdback.merchant.ledger import Entry, EntryTotals, transaction_status
from holdback.merchant.offer import Offer
from holdback.merchant.product import Offers, Product
from holdback.merchant.receipt import DealReceipt, SettlementQuote, SuspenseReceipt
from holdback.merchant.statement import DealStatement
from holdback.operations import Reply

# The transaction that is the sum of those that are no longer held.
CARRIED_FORWARD: Final = "carried_forward"


def to_dict(reply: Reply) -> dict[str, Json]:
    """
    Return *reply* as plain values, with the field names of service 2 in their order.

    Money is a `Decimal` in major units with the decimals of the minor unit. Percentages, rates and
    terms are `Decimal`s without trailing zeros.

    >>> from holdback.merchant.acceptance import ApplicationStatus
    >>> to_dict(ApplicationStatus(application_id="a-1", status="submitted"))
    {'application_id': 'a-1', 'status': 'submitted', 'omitted': []}
    """
    fields: dict[str, Json] = _plain(reply)
    return fields


def write(reply: Reply) -> bytes:
    """
    Return *reply* as compact JSON in UTF-8, with exact numbers.

    >>> from holdback.merchant.receipt import TakingsReceipt
    >>> write(TakingsReceipt(days=2, complete_through=None, sequence=7))
    b'{"days":2,"complete_through":null,"sequence":7}'
    """
    return write_json(to_dict(reply)).encode()


def _plain(value: Any) -> Any:
    """Return *value*, a reply or a part of one, as plain values."""
    writer = _WRITERS.get(type(value))
    if writer is not None:
        return writer(value)
    return {field.name: _plain(getattr(value, field.name)) for field in attrs.fields(type(value))}


def _unchanged(value: Json) -> Json:
    return value


def _items(values: tuple[Any, ...]) -> list[Json]:
    return [_plain(value) for value in values]


def _rate(value: Decimal) -> Decimal:
    return Decimal(plain_digits(value))


def _offers(reply: Offers) -> dict[str, Json]:
    """Write the offers response; `expiresAt` is camel case in the interface (service 2.2)."""
    return {"products": _plain(reply.products), "expiresAt": _plain(reply.expires_at)}


def _product(product: Product) -> dict[str, Json]:
    """Write a product, without its key in the rule files (service 2.2)."""
    return {
        "product_id": product.product_id,
        "name": product.name,
        "description": product.description,
        "decision": product.decision,
        "repayment_mechanism": product.repayment_mechanism,
        "limits": _plain(product.limits),
        "offers": _plain(product.offers),
    }


def _offer(offer: Offer) -> dict[str, Json]:
    """Write an offer, with its currency and without the days of its term (service 2.2)."""
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
        **({"fees": [_fee(terms) for terms in offer.fees]} if offer.fees else {}),
    }


def _fee(terms: FeeTerms) -> dict[str, Json]:
    """Write a fee that an offer allows, in the currency of the offer."""
    return {
        "key": terms.key,
        "after": terms.after,
        "amount": None if terms.amount is None else terms.amount.amount,
        "yearly_rate": None if terms.yearly_rate is None else _rate(terms.yearly_rate),
        "at_most": terms.at_most.amount,
    }


def _required_checks(reply: RequiredChecks) -> dict[str, Json]:
    """Write the required checks; only a funding has what holds it back."""
    held_back = {} if reply.held_back is None else {"held_back": list(reply.held_back)}
    return {"checks": _plain(reply.checks), **held_back, **_declined(reply.declined)}


def _declined(products: tuple[ProductDecision, ...]) -> dict[str, Json]:
    """Write the products that are declined, with why; a reply without any has no such key."""
    return {"declined": _items(products)} if products else {}


def _acceptance(reply: Acceptance) -> dict[str, Json]:
    """Write an acceptance, with the links in order (service 2.4)."""
    return {
        "application_id": reply.application_id,
        "provider_id": reply.provider_id,
        "offer": _offer(reply.offer),
        "links": _links(reply.links),
    }


def _links(links: Mapping[str, str]) -> dict[str, str]:
    # Those of the service come first, in their order, and the host's others by name (service 2.4).
    names = sorted(links, key=lambda name: (name not in REQUIRED_LINKS, name))
    return {name: links[name] for name in names}


def _deal(lookup: LookupDeal) -> dict[str, Json]:
    """
    Write a deal (service 2.5).

    The service leaves the form of `pricing` and `transactions` open; this is holdback's.
    """
    deal = lookup.deal
    return {
        "id": deal.id,
        "application_id": deal.application_id,
        "type": deal.type,
        "status": deal.status,
        "active": deal.active,
        "balance": deal.balance.amount,
        "currency": deal.currency,
        "performance": _plain(lookup.performance),
        "pricing": _pricing(deal),
        "transactions": _transactions(deal),
        **_fees_owed(deal.fees_owed),
        **({} if lookup.plan is None else {"plan": _plain(lookup.plan)}),
    }


def _fees_owed(owed: Money) -> dict[str, Json]:
    """Write the fees that are owed, where any are: most deals allow none."""
    return {"fees_owed": owed.amount} if owed.minor else {}


def _receipt(receipt: DealReceipt) -> dict[str, Json]:
    """Write a receipt, with the currency of its balance."""
    return {
        "deal_id": receipt.deal_id,
        "entry_ids": list(receipt.entry_ids),
        "sequence": receipt.sequence,
        "balance": receipt.balance.amount,
        "currency": receipt.balance.currency.code,
    }


def _suspense_receipt(receipt: SuspenseReceipt) -> dict[str, Json]:
    """Write a receipt of cash in suspense, with the currency of what is left."""
    return {
        "suspense_id": receipt.suspense_id,
        "sequence": receipt.sequence,
        "left": receipt.left.amount,
        "currency": receipt.left.currency.code,
    }


def _settlement_quote(quote: SettlementQuote) -> dict[str, Json]:
    """Write what settles a deal, with the currency of the amounts."""
    return {
        "deal_id": quote.deal_id,
        "on": quote.on.isoformat(),
        "balance": quote.balance.amount,
        "discount": quote.discount.amount,
        "amount": quote.amount.amount,
        "currency": quote.amount.currency.code,
        **_fees_owed(quote.fees_owed),
    }


def _review(review: RenewalReview) -> dict[str, Json]:
    """Write a review: the assessment, and what it leads to."""
    return {
        **review.assessment.plain(),
        "renewal_eligibility": review.renewal_eligibility,
        "decided_by": review.decided_by,
        "checks": _items(review.checks),
        **_declined(review.declined),
    }


def _deal_statement(part: DealStatement) -> dict[str, Json]:
    """Write the part of a statement about a deal; few deals have a plan."""
    fields = (name for name in attrs.fields_dict(DealStatement) if name != "planned")
    planned = {"planned": _items(part.planned)} if part.planned else {}
    return {**{name: _plain(getattr(part, name)) for name in fields}, **planned}


def _pricing(deal: Deal) -> dict[str, Json]:
    """Write what a deal costs, and the terms that it has now."""
    terms = deal.terms_changes[-1] if deal.terms_changes else deal
    return {
        "funded_amount": deal.funded_amount.amount,
        "repayment_amount": deal.repayment_amount.amount,
        "factor_rate": _rate(deal.factor_rate),
        "split_percentage": _rate(terms.split_percentage),
        "term_length": _rate(terms.term_length),
    }


def _transactions(deal: Deal) -> list[dict[str, Json]]:
    # INVARIANT: the amounts of a deal's transactions that are not `Unsettled` add up to what is
    # paid, less the fees. What lowers the amount owed is above zero; what raises it, such as a
    # reversal, below.
    back = deal.taken_back
    unsettled = {entry.id: entry for entry in deal.entries if not entry.settled}
    held = [
        _transaction(entry, transaction_status(entry, back, unsettled)) for entry in deal.ledger
    ]
    return held if deal.closed_entries is None else [_carried_forward(deal.closed_entries), *held]


def _carried_forward(closed: EntryTotals) -> dict[str, Json]:
    """Write, as one transaction, the sum of the entries that the deal no longer holds."""
    return {
        "id": CARRIED_FORWARD,
        "date": closed.through.isoformat(),
        "kind": CARRIED_FORWARD,
        "amount": unscaled(closed.paid, closed.remitted.currency.places),
        "takings": None,
        "status": "Settled",
    }


def _transaction(entry: Entry, status: str) -> dict[str, Json]:
    written: dict[str, Json] = {
        "id": entry.id,
        "date": entry.on.isoformat(),
        "kind": entry.kind,
        "amount": unscaled(entry.signed, entry.amount.currency.places),
        "takings": None if entry.takings is None else entry.takings.amount,
        "status": status,
    }
    if entry.reverses is not None:
        written["reverses"] = entry.reverses
    if entry.counterpart is not None:
        written["deal_id"] = entry.counterpart
    if entry.fee is not None:
        written["fee"] = entry.fee
    if entry.about is not None:
        written["about"] = entry.about
    return written


_WRITERS: Final[Mapping[type, Callable[[Any], Json]]] = MappingProxyType(
    {
        str: _unchanged,
        int: _unchanged,
        bool: _unchanged,
        type(None): _unchanged,
        date: date.isoformat,
        Date: date.isoformat,
        DateTime: write_timestamp,
        Decimal: _rate,
        Money: lambda money: money.amount,
        tuple: _items,
        Offers: _offers,
        Product: _product,
        Offer: _offer,
        Acceptance: _acceptance,
        LookupDeal: _deal,
        DealReceipt: _receipt,
        SettlementQuote: _settlement_quote,
        DealStatement: _deal_statement,
        SuspenseReceipt: _suspense_receipt,
        Assessment: Assessment.plain,
        RenewalReview: _review,
        RequiredChecks: _required_checks,
        FrozenMapping: dict,
    }
)


# -- Errors as RFC 9457 problem details (service 7).

# The content type of problem details (RFC 9457).
CONTENT_TYPE: Final = "application/problem+json"

# The errors that the sender of the request cannot correct.
_HostError: TypeAlias = StateError | ConfigurationError | HistoryError


def problem(error: Refusal | InvalidDocument | _HostError) -> dict[str, Json]:
    """
    Return *error* as problem details, with everything that is wrong in `errors`.

    An error of the host says nothing of its content: that is for the host's log.

    >>> problem(InvalidDocument.of("unknown_field", "unknown field", path="$.compny"))["errors"]
    [{'path': '$.compny', 'code': 'unknown_field', 'message': 'unknown field'}]
    >>> problem(StateError.of("malformed", "this is not JSON"))["code"]
    'internal_error'
    """
    if isinstance(error, _HostError):
        return _details("internal_error", error.status, "Something went wrong", _INTERNAL)
    if isinstance(error, Refusal):
        return _details(error.code, error.status, error.title, error.detail, error.errors)
    status, title = REFUSALS["invalid_request"]
    count = len(error.errors)
    detail = "the document has one fault" if count == 1 else f"the document has {count} faults"
    return _details("invalid_request", status, title, detail, error.errors)


def write_problem(error: Refusal | InvalidDocument | _HostError) -> bytes:
    """Return *error* as problem details in JSON, to be sent as `CONTENT_TYPE`."""
    return write_json(problem(error)).encode()


_INTERNAL: Final = "the service cannot answer until its operator has corrected this"


def _details(
    code: str, status: int, title: str, detail: str, errors: tuple[ErrorDetail, ...] = ()
) -> dict[str, Json]:
    return {
        "type": f"urn:holdback:{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        "errors": [
            {"path": error.path or "$", "code": error.code, "message": _message(error)}
            for error in errors
        ],
    }


def _message(error: ErrorDetail) -> str:
    """Return what is wrong, with its line and column where known, and a hint where there is one."""
    position = f" (line {error.line}, column {error.column})" if error.line is not None else ""
    hint = f"; {error.hint}" if error.hint else ""
    return f"{error.message}{position}{hint}"
