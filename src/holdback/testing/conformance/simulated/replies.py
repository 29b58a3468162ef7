"""Checks of an answer: its form, and whether a reply agrees with the events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from holdback.lifecycle.deals.lookup import RenewalReview
from holdback.merchant.application import PEOPLE
from holdback.merchant.disclosure import OfferDisclosure
from holdback.merchant.product import Offers
from holdback.merchant.receipt import DealReceipt, SuspenseReceipt
from holdback.operations import OPERATIONS
from holdback.testing.conformance.host import PARTNER_OPERATIONS
from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.simulated.agent_operations import AGENTS
from holdback.testing.conformance.simulated.exchanges import (
    OK,
    Exchange,
    SimulatedMerchant,
    excerpt,
)
from holdback.testing.conformance.simulated.projected_deal import OWING, ProjectedDeal
from holdback.testing.conformance.simulated.projected_people import ProjectedPeople
from holdback.testing.conformance.simulated.projection import Projection
from holdback.wire.replies import CARRIED_FORWARD

_PROBLEM_FIELDS: Final = ("type", "title", "status", "detail", "code")
# The fields of the replies to partners (service 2.2, 2.4, 2.5).
_REPLY_FIELDS: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "request_offers": ("products", "expiresAt"),
        "accept_offer": ("application_id", "provider_id", "offer", "links"),
        "look_up": ("deals",),
    }
)
_MONEY: Final = frozenset(
    {"funded_amount", "repayment_amount", "balance", "minimum", "maximum", "amount", "left"}
    | {"fees_owed", "paid", "past_due"}
)
_PENCE: Final = -2
_CLIENT_ERRORS: Final = range(400, 500)
UNAVAILABLE: Final = 503


def check_form(exchange: Exchange, *, is_far: bool = False) -> None:
    """
    Check that the answer is a reply (service 2) or problem details (service 7).

    On a clock that *is_far* from the merchant's last event, the host may say that it cannot serve.
    """
    status = exchange.status
    answer = f"{exchange.operation} got {status}"
    expected_status = status == OK or status in _CLIENT_ERRORS
    expected_status |= is_far and status == UNAVAILABLE
    expect(expected_status, "sound-replies", f"{answer} {excerpt(exchange.body)}")
    try:
        body: Any = exchange.reply
    except (ValueError, RecursionError):
        body = None
    message = f"{answer} with a body that is not a JSON object: {excerpt(exchange.body)}"
    expect(isinstance(body, dict), "sound-replies", message)
    required = _REPLY_FIELDS.get(exchange.operation, ()) if status == OK else _PROBLEM_FIELDS
    missing = [name for name in required if name not in body]
    expect(not missing, "sound-replies", f"{answer} with a body without {', '.join(missing)}")
    if status != OK:
        message = f"{answer}, but its problem details say {body['status']}"
        expect(body["status"] == status, "sound-replies", message)
    elif exchange.operation != "review_renewal":  # an assessment writes its facts as text
        _check_money(body)


def _check_money(value: Any, name: str = "") -> None:
    """Check that money has the currency's minor units: two, in the suite's currency."""
    if isinstance(value, dict):
        for key, item in value.items():
            _check_money(item, key)
    elif isinstance(value, list):
        for item in value:
            _check_money(item, name)
    elif name in _MONEY and value is not None:
        exact = isinstance(value, Decimal) and value.as_tuple().exponent == _PENCE
        expect(exact, "exact-numbers", f"{name} is written {value}")


def check_hold_unseen(exchange: Exchange, projection: Projection) -> None:
    """Check that an answer to a partner names no hold, a refusal neither."""
    if exchange.operation in PARTNER_OPERATIONS:
        seen = [code for code in projection.hold_codes if code.encode() in exchange.body]
        expect(not seen, "hold-unseen", f"{exchange.operation} showed {', '.join(seen)}")


def check_reply(
    exchange: Exchange,
    merchant: SimulatedMerchant,
    others: Iterable[SimulatedMerchant],
    events: Sequence[Mapping[str, Any]],
) -> None:
    """
    Check that the reply agrees with the merchant's events.

    *events* are those of this request. The reply must show nothing of the *others*.
    """
    if exchange.operation == "request_offers":
        _check_offers(exchange, merchant.projection, others, events)
    elif exchange.operation == "accept_offer":
        _check_acceptance(exchange, merchant.projection)
    elif exchange.operation == "look_up":
        expect(not events, "lookup-agrees", "a lookup changed something")
        _check_lookup(exchange, merchant.projection)
    else:
        message = f"{exchange.operation} got 200, but the events do not show it"
        took_effect = AGENTS[exchange.operation].took_effect(exchange.request, merchant.projection)
        # A command without events does not record that the application it was about has lapsed.
        lapsed = not events and _has_lapsed(merchant.projection, exchange)
        expect(took_effect or lapsed, "acknowledged-kept", message)
        replies = OPERATIONS[exchange.operation].reply
        if replies is RenewalReview:
            _check_review(exchange.reply)
        if replies is DealReceipt:
            _check_receipt(exchange, merchant.projection)
        elif replies is SuspenseReceipt:
            _check_left(exchange, merchant.projection)
        elif replies is Offers:
            _check_offers_shown(exchange.reply, merchant.projection, others)
        elif replies is OfferDisclosure:
            recorded = merchant.projection.disclosed[exchange.reply["offer_id"]]
            message = "the reply is another disclosure than the one that is recorded"
            expect(exchange.reply["digest"] == recorded, "acknowledged-kept", message)


def _check_review(reply: Mapping[str, Any]) -> None:
    """Check that a review says why a deal, or a product of it, is not accepted."""
    explained = reply["outcome"] == "eligible" or reply["reasons"] or reply["needs"]
    expect(explained, "reasons", f"the review of a deal that is {reply['outcome']} has no reason")
    for product in reply.get("declined", ()):
        expect(product["codes"], "reasons", "a review names a declined product without a code")


def _has_lapsed(projection: Projection, exchange: Exchange) -> bool:
    """Return whether an application has lapsed that the events show in fulfilment."""
    waiting = projection.waiting(projection.seen_at(exchange.at))
    return waiting != projection.in_fulfilment


def _check_offers(
    exchange: Exchange,
    projection: Projection,
    others: Iterable[SimulatedMerchant],
    events: Sequence[Mapping[str, Any]],
) -> None:
    """Check that the reply has the offers of the event, with their terms and their expiry."""
    reply = exchange.reply
    shown = _check_offers_shown(reply, projection, others)
    for event in events:
        if event["type"] != "OffersIssued":
            continue  # what was forgotten at the same time
        _check_people(exchange.request, event["offer_set"], projection.people)
        expires_at = event["offer_set"]["expires_at"]
        message = f"expiresAt is {reply['expiresAt']}, the event says {expires_at}"
        expect(reply["expiresAt"] == expires_at, "expiry", message)
        made = [
            offer["offer_id"]
            for product in event["offer_set"]["products"]
            for offer in product["offers"]
        ]
        message = f"the reply has {len(shown)} offers, the event {len(made)}"
        same = [offer["offer_id"] for offer in shown] == made
        expect(same, "acknowledged-kept", message)


def _check_people(
    request: Mapping[str, Any], offer_set: Mapping[str, Any], people: ProjectedPeople
) -> None:
    """Check that the offers are about those whom the request names, by their digests."""
    for name in PEOPLE:
        if name in request:
            same = people.means(offer_set["sections"].get(name, ""), request[name])
            expect(same, "about-whom", f"the {name} of the event are not those of the request")
    said = {name for name, given in request.get("consents", {}).items() if given is True}
    message = "a consent counts that the applicants neither gave in the request nor before"
    expect(people.new_consents <= said or offer_set["renewal"], "about-whom", message)


def _check_offers_shown(
    reply: Mapping[str, Any], projection: Projection, others: Iterable[SimulatedMerchant]
) -> list[Mapping[str, Any]]:
    """Check the terms of the offers in *reply*, and return them."""
    shown = [offer for product in reply["products"] for offer in product["offers"]]
    foreign_ids = {offer_id for owner in others for offer_id in owner.projection.offers}
    for offer in shown:
        own = offer["offer_id"] not in foreign_ids
        expect(own, "own-merchant", "an offer of the reply is another merchant's")
        stored = projection.offers.get(offer["offer_id"])
        message = "an offer of the reply is not in the history"
        expect(stored is not None, "acknowledged-kept", message)
        assert stored is not None, "expected just before"
        _check_terms(offer, stored.terms)
    return shown


def _check_terms(shown: Mapping[str, Any], terms: Mapping[str, Any]) -> None:
    """Check the terms of an offer in a reply against *terms*, those of the event."""
    for name in ("funded_amount", "repayment_amount"):
        message = f"{name} is {shown[name]}, in the event {terms[name]}"
        expect(terms[name] == f"{shown['currency']} {shown[name]}", "terms-honoured", message)
    for name in ("split_percentage", "term_length", "factor_rate"):
        message = f"{name} is {shown[name]}, in the event {terms[name]}"
        expect(Decimal(terms[name]) == shown[name], "terms-honoured", message)


def _check_acceptance(exchange: Exchange, projection: Projection) -> None:
    reply, offer_id = exchange.reply, exchange.request["offer_id"]
    message = "the reply is about another offer than the request"
    expect(reply["offer"]["offer_id"] == offer_id, "own-merchant", message)
    stored = projection.accepted.get(offer_id)
    message = "the acceptance got 200, but the events do not show it"
    expect(stored is not None, "acknowledged-kept", message)
    assert stored is not None, "expected just before"
    same = reply["provider_id"] == projection.provider_id
    expect(same, "stable-provider-id", "the reply has another one than the events")
    same = reply["application_id"] == stored["application_id"]
    expect(same, "acknowledged-kept", "application_id of the reply is not that of the event")
    _check_terms(reply["offer"], stored["offer"])


def _check_lookup(exchange: Exchange, projection: Projection) -> None:
    """Check the merchant lookup (service 2.5) against the deals worked out from the events."""
    shown = [deal["id"] for deal in exchange.reply["deals"]]
    message = f"{len(shown)} deals, by the events {len(projection.deals)}"
    expect(sorted(shown) == sorted(projection.deals), "lookup-agrees", message)
    for deal in exchange.reply["deals"]:
        _check_deal(deal, projection, exchange.at)


def _check_receipt(exchange: Exchange, projection: Projection) -> None:
    """Check the receipt of an operation on a deal."""
    reply = exchange.reply
    deal = projection.deals.get(reply["deal_id"])
    expect(deal is not None, "lookup-agrees", "the receipt is of a deal that no event funded")
    assert deal is not None, "expected just before"
    recorded = set(reply["entry_ids"]) <= deal.entries.keys()
    expect(recorded, "acknowledged-kept", "the receipt has an entry that no event recorded")
    if reply["sequence"] == projection.sequence_of_deal(reply["deal_id"]):
        message = f"balance is {reply['balance']}, by the events {deal.balance}"
        expect(reply["balance"] == deal.balance, "lookup-agrees", message)


def _check_left(exchange: Exchange, projection: Projection) -> None:
    """Check the receipt of cash in suspense; a repeated one is of the time of the first."""
    reply = exchange.reply
    recorded = reply["suspense_id"] in projection.cash
    expect(recorded, "suspense-kept", "the receipt is of cash that no event recorded")
    if reply["sequence"] == projection.sequence:
        left = projection.cash_left(reply["suspense_id"])
        message = f"{reply['left']} is left in suspense, by the events {left}"
        expect(reply["left"] == left, "suspense-kept", message)


def _check_sum(shown: Mapping[str, Any], deal: ProjectedDeal) -> None:
    """Check that the transactions of a deal that is owed add up to what is paid of it."""
    if deal.status not in OWING:
        return  # one that has ended shows no balance
    paid = sum(line["amount"] for line in shown["transactions"] if line["status"] != "Unsettled")
    left = max(Decimal(0), deal.repayment - paid - deal.fees)
    message = f"the transactions add up to {paid}, and the balance is {shown['balance']}"
    expect(shown["balance"] == left, "ledger-balances", message)


def _check_plan(shown: Mapping[str, Any] | None, deal: ProjectedDeal, today: date) -> None:
    """Check that the last plan of a default is shown, with what is paid and what is past due."""
    planned, expected = deal.planned(), None
    unpaid = [part for part in planned if part["paid"] < part["amount"]]
    late = [part for part in unpaid if date.fromisoformat(part["due_on"]) < today]
    if planned:
        first = date.fromisoformat(late[0]["due_on"]) if late else today
        expected = {
            "instalments": planned,
            "past_due": sum((part["amount"] - part["paid"] for part in late), Decimal(0)),
            "days_past_due": (today - first).days,
            "next_due_on": next((part["due_on"] for part in unpaid if part not in late), None),
        }
    expect(shown == expected, "plan-kept", f"the plan is {shown}, by the events {expected}")


def _check_deal(shown: Mapping[str, Any], projection: Projection, at: datetime) -> None:
    deal = projection.deals.get(shown.get("id", ""))
    expect(deal is not None, "lookup-agrees", "the reply shows a deal that no event funded")
    assert deal is not None, "expected just before"
    transactions = {
        entry["id"]: f"{shown['currency']} {entry['amount']}"
        for entry in shown["transactions"]
        if entry["kind"] != CARRIED_FORWARD
    }
    owed = shown.get("fees_owed", Decimal(0))
    message = f"{owed} is owed in fees, by the events {deal.fees_owed}"
    expect(owed == deal.fees_owed, "fees-apart", message)
    _check_plan(shown.get("plan"), deal, projection.seen_at(at).date())
    _check_sum(shown, deal)
    pricing, performance = shown["pricing"], shown["performance"]
    compared = {
        "status": (shown["status"], deal.status),
        "active": (shown["active"], deal.status == "Funded"),
        "balance": (shown["balance"], deal.balance),
        "progress": (performance["progress"], deal.progress),
        "transactions": (transactions, deal.held_transactions(transactions)),
        "application_id": (shown["application_id"], deal.terms["application_id"]),
        "type": (shown["type"], deal.terms["type"]),
    }
    compared |= {
        name: (f"{shown['currency']} {pricing[name]}", deal.terms[name])
        for name in ("funded_amount", "repayment_amount")
    }
    for name, (actual, expected) in compared.items():
        message = f"{name} is {actual}, by the events {expected}"
        expect(actual == expected, "lookup-agrees", message)
    eligible = performance["renewal_eligibility"]
    renewable = shown["active"] and not projection.waiting(projection.seen_at(at))
    message = "a deal that cannot be renewed now is shown as eligible"
    expect(renewable or not eligible, "lookup-agrees", message)
    expect(not (eligible and projection.holds), "hold", "a deal is shown as eligible on hold")
