"""Whether an answer is sound, and whether a reply says what the events say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from holdback.testing.conformance.exchanges import OK, Account, Exchange, short
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
    """The form of the answer (spec 2 and 7): a reply, or a problem."""
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
    """A reply against the events of its merchant, and against those of *others*, which it must not show."""
    if exchange.operation == "request_offers":
        _offers(exchange, account, others, events)
    elif exchange.operation == "accept_offer":
        _acceptance(exchange, account)
    elif exchange.operation == "look_up":
        expect(not events, "lookup-agrees", "a question has changed something")
        _lookup(exchange, account)


def _offers(
    exchange: Exchange,
    account: Account,
    others: Iterable[Account],
    events: Sequence[Mapping[str, Any]],
) -> None:
    """Every offer of the reply is in the history, with its terms and its expiry."""
    reply = exchange.reply
    shown = [offer for product in reply["products"] for offer in product["offers"]]
    strange = {name for each in others for name in each.ledger.offers}
    for offer in shown:
        foreign = offer["offer_id"] in strange
        expect(not foreign, "own-merchant", "an offer of the reply is another merchant's")
        known = account.ledger.offers.get(offer["offer_id"])
        expect(
            known is not None, "acknowledged-kept", "an offer of the reply is not in the history"
        )
        assert known is not None, "expected just before"
        for name in ("funded_amount", "repayment_amount"):
            same = known.terms[name] == f"{offer['currency']} {offer[name]}"
            told = f"{name} is {offer[name]}, in the event {known.terms[name]}"
            expect(same, "exact-numbers", told)
    for event in events:
        dated = event["offer_set"]["expires_at"]
        told = f"expiresAt is {reply['expiresAt']}, the event says {dated}"
        expect(reply["expiresAt"] == dated, "expiry", told)


def _acceptance(exchange: Exchange, account: Account) -> None:
    reply, asked = exchange.reply, exchange.asked["offer_id"]
    same = reply["offer"]["offer_id"] == asked
    expect(same, "own-merchant", "the reply is about another offer than the request")
    quoted = account.ledger.offers.get(asked)
    won = quoted is not None and quoted.status == "Accepted"
    expect(won, "acknowledged-kept", "answered with 200, and the events know nothing of it")
    same = reply["provider_id"] == account.ledger.provider_id
    expect(same, "stable-provider-id", "the reply has another than the events")


def _lookup(exchange: Exchange, account: Account) -> None:
    """The merchant lookup (spec 2.5) against the same deals worked out from the events."""
    ledger = account.ledger
    shown = {deal["id"]: deal for deal in exchange.reply["deals"]}
    count = f"{len(shown)} deals, by the events {len(ledger.deals)}"
    expect(set(shown) == set(ledger.deals), "lookup-agrees", count)
    for deal_id, owed in ledger.deals.items():
        deal = shown[deal_id]
        told = (deal["status"], deal["active"], deal["balance"], len(deal["transactions"]))
        due = (owed.status, owed.status == "Funded", owed.balance, len(owed.entries))
        what = f"status, active, balance, transactions are {told}, by the events {due}"
        expect(told == due, "lookup-agrees", what)
        shut = bool(ledger.in_fulfilment) or not deal["active"]
        wrong = deal["performance"]["renewal_eligibility"] and shut
        expect(not wrong, "lookup-agrees", "a deal that cannot be renewed now is shown as eligible")
