"""Whether an answer is sound, and whether a reply says what the events say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from holdback.lifecycle.operations import OPERATIONS
from holdback.model.deal import LookupDeal
from holdback.testing.conformance.event_fold import Ledger
from holdback.testing.conformance.exchanges import OK, Account, Exchange, short
from holdback.testing.conformance.host import AGENTS
from holdback.testing.conformance.invariants import expect

_PROBLEM: Final = ("type", "title", "status", "detail", "code")
# The fields that the specification names (2.2, 2.4, 2.5).
_FIELDS: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "request_offers": ("products", "expiresAt"),
        "accept_offer": ("application_id", "provider_id", "offer", "links"),
        "look_up": ("deals",),
    }
)
_MONEY: Final = frozenset(
    {"funded_amount", "repayment_amount", "balance", "minimum", "maximum", "amount"}
)
_PENCE: Final = -2


def sound(exchange: Exchange) -> None:
    """The form of the answer (service 2 and 7): a reply, or a problem."""
    what, status = f"{exchange.operation} got {exchange.status}", exchange.status
    expect(status == OK or status // 100 == 4, "sound-replies", f"{what} {short(exchange.body)}")
    try:
        body: Any = exchange.reply
    except (ValueError, RecursionError):
        body = None
    plain = isinstance(body, dict)
    expect(
        plain, "sound-replies", f"{what} with a body that is no JSON object: {short(exchange.body)}"
    )
    due = _FIELDS.get(exchange.operation, ()) if status == OK else _PROBLEM
    lacking = [name for name in due if name not in body]
    expect(not lacking, "sound-replies", f"{what} with a body without {', '.join(lacking)}")
    if status != OK:
        same = body["status"] == status
        expect(same, "sound-replies", f"{what}, and its problem says {body['status']}")
    elif (
        exchange.operation != "review_renewal"
    ):  # an assessment writes its facts as text (design 7a)
        _exact(body)


def _exact(value: Any, name: str = "") -> None:
    """Money has the currency's minor units, two in the suite's currency."""
    if isinstance(value, dict):
        for key, item in value.items():
            _exact(item, key)
    elif isinstance(value, list):
        for item in value:
            _exact(item, name)
    elif name in _MONEY and value is not None:
        exact = isinstance(value, Decimal) and value.as_tuple().exponent == _PENCE
        expect(exact, "exact-numbers", f"{name} is written {value}")


def hold_reply(
    exchange: Exchange,
    account: Account,
    others: Iterable[Account],
    events: Sequence[Mapping[str, Any]],
) -> None:
    """A reply against what the merchant's events say, and against those of *others*, which it must not show."""
    if exchange.operation == "request_offers":
        _offers(exchange, account.ledger, others, events)
    elif exchange.operation == "accept_offer":
        _acceptance(exchange, account.ledger)
    elif exchange.operation == "look_up":
        expect(not events, "lookup-agrees", "a question has changed something")
        _lookup(exchange, account.ledger)
    else:
        done = _DONE[exchange.operation](exchange.asked, account.ledger)
        told = f"{exchange.operation} was answered with 200, and the events know nothing of it"
        expect(done, "acknowledged-kept", told)
        if OPERATIONS[exchange.operation].reply is LookupDeal:
            _deal(exchange.reply, account.ledger)


# Whether what was asked for is so by the events, by the name of an agent's operation.
_DONE: Final[Mapping[str, Callable[[Any, Ledger], bool]]] = MappingProxyType(
    {
        **dict.fromkeys(AGENTS, lambda _, __: True),
        "supply_details": lambda asked, ledger: (
            ledger.applications.get(asked["application_id"]) not in {None, "awaiting_details"}
        ),
        "close_application": lambda asked, ledger: (
            ledger.applications.get(asked["application_id"]) == asked["status"]
        ),
        "fund_deal": lambda asked, ledger: (
            ledger.applications.get(asked["application_id"]) == "funded"
        ),
        "record_takings": lambda asked, ledger: (
            {each["on"] for each in asked["takings"]} <= ledger.takings
        ),
        "record_remittance": lambda asked, ledger: (
            {each["id"] for each in asked["entries"]}
            <= ledger.deals[asked["deal_id"]].entries.keys()
        ),
        "close_deal": lambda asked, ledger: (
            ledger.deals[asked["deal_id"]].status.lower() == asked["status"]
        ),
    }
)


def _offers(
    exchange: Exchange,
    ledger: Ledger,
    others: Iterable[Account],
    events: Sequence[Mapping[str, Any]],
) -> None:
    """The offers of the reply are those of the event, with their terms and their expiry."""
    reply = exchange.reply
    shown = [offer for product in reply["products"] for offer in product["offers"]]
    strange = {name for each in others for name in each.ledger.offers}
    for offer in shown:
        foreign = offer["offer_id"] in strange
        expect(not foreign, "own-merchant", "an offer of the reply is another merchant's")
        quoted = ledger.offers.get(offer["offer_id"])
        known = quoted is not None
        expect(known, "acknowledged-kept", "an offer of the reply is not in the history")
        assert quoted is not None, "expected just before"
        _terms(offer, quoted.terms)
    for event in events:
        dated = event["offer_set"]["expires_at"]
        told = f"expiresAt is {reply['expiresAt']}, the event says {dated}"
        expect(reply["expiresAt"] == dated, "expiry", told)
        made = [o["offer_id"] for p in event["offer_set"]["products"] for o in p["offers"]]
        told = f"the reply has {len(shown)} offers, the event {len(made)}"
        expect([each["offer_id"] for each in shown] == made, "acknowledged-kept", told)


def _terms(shown: Mapping[str, Any], terms: Mapping[str, Any]) -> None:
    """The terms of an offer as it is shown, against those of the event."""
    for name in ("funded_amount", "repayment_amount"):
        told = f"{name} is {shown[name]}, in the event {terms[name]}"
        expect(terms[name] == f"{shown['currency']} {shown[name]}", "terms-honoured", told)
    for name in ("split_percentage", "term_length", "factor_rate"):
        told = f"{name} is {shown[name]}, in the event {terms[name]}"
        expect(Decimal(terms[name]) == shown[name], "terms-honoured", told)


def _acceptance(exchange: Exchange, ledger: Ledger) -> None:
    reply, asked = exchange.reply, exchange.asked["offer_id"]
    same = reply["offer"]["offer_id"] == asked
    expect(same, "own-merchant", "the reply is about another offer than the request")
    kept = ledger.accepted.get(asked)
    known = kept is not None
    expect(known, "acknowledged-kept", "answered with 200, and the events know nothing of it")
    assert kept is not None, "expected just before"
    same = reply["provider_id"] == ledger.provider_id
    expect(same, "stable-provider-id", "the reply has another than the events")
    for name in ("application_id", "links"):
        told = f"{name} of the reply is not that of the event"
        expect(reply[name] == kept[name], "acknowledged-kept", told)
    _terms(reply["offer"], kept["offer"])


def _lookup(exchange: Exchange, ledger: Ledger) -> None:
    """The merchant lookup (service 2.5) against the same deals worked out from the events."""
    shown = [deal["id"] for deal in exchange.reply["deals"]]
    told = f"{len(shown)} deals, by the events {len(ledger.deals)}"
    expect(sorted(shown) == sorted(ledger.deals), "lookup-agrees", told)
    for deal in exchange.reply["deals"]:
        _deal(deal, ledger)


def _deal(shown: Mapping[str, Any], ledger: Ledger) -> None:
    owed = ledger.deals.get(shown.get("id", ""))
    expect(owed is not None, "lookup-agrees", "a deal is shown that the events do not know")
    assert owed is not None, "expected just before"
    paid = {each["id"]: f"{shown['currency']} {each['amount']}" for each in shown["transactions"]}
    pricing, performance = shown["pricing"], shown["performance"]
    due = {
        "status": (shown["status"], owed.status),
        "active": (shown["active"], owed.status == "Funded"),
        "balance": (shown["balance"], owed.balance),
        "progress": (performance["progress"], owed.progress),
        "transactions": (paid, owed.shown),
        "application_id": (shown["application_id"], owed.deal["application_id"]),
        "type": (shown["type"], owed.deal["type"]),
    }
    due |= {
        name: (f"{shown['currency']} {pricing[name]}", owed.deal[name])
        for name in ("funded_amount", "repayment_amount")
    }
    for name, (told, right) in due.items():
        expect(told == right, "lookup-agrees", f"{name} is {told}, by the events {right}")
    shut = bool(ledger.in_fulfilment) or not shown["active"]
    wrong = performance["renewal_eligibility"] and shut
    expect(not wrong, "lookup-agrees", "a deal that cannot be renewed now is shown as eligible")
