"""The checks of what must hold for years: erasure, growth, prices, and two versions at once."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from holdback.testing import payloads
from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulated.exchanges import OK, SimulatedMerchant
from holdback.testing.conformance.simulated.requests import (
    accept,
    deliver,
    first_deal,
    fund,
    look_up,
    new_offers,
    pay_until_renewable,
    request_offers,
    review,
)
from holdback.testing.conformance.simulated.rule_changes import rules
from holdback.testing.conformance.simulated.simulation import Simulation
from holdback.tools.replay.replay import SAME, replay_offers

# What the profile and the bank details say, and nothing else may say after an erasure.
_PERSONAL: Final = (b"A. Person", b"Nine Lives Ltd", b"12345678901234567890.10", b"11111111")
# A state of the third year may be larger than one of the second by this: texts differ in length.
_GROWTH: Final = Decimal("1.05")
_MOST_REPLY: Final = 64 * 1024
_WEEKS_A_YEAR: Final = 52


def erasure(session: Session) -> None:
    """Erase a merchant whose application was declined: nothing personal is left, answers are."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    offer_id = new_offers(simulation, merchant, key=simulation.new_key())[0]
    accept(simulation, merchant, offer_id, key=simulation.new_key())
    early = simulation.ask("erase_profile", merchant, {}, key=simulation.new_key())
    message = "a merchant with an application in fulfilment was erased"
    expect(early.status != OK, "erased", message)
    body = {"application_id": merchant.projection.in_fulfilment[0], "status": "declined"}
    simulation.ask("close_application", merchant, body, key=simulation.new_key())
    before = list(simulation.answered.values())
    erased = simulation.ask("erase_profile", merchant, {}, key=simulation.new_key())
    left = kept(simulation, merchant)
    expect(erased.status == OK, "erased", "a merchant that nothing keeps could not be erased")
    for text in _PERSONAL:
        message = "something of the profile is left in the documents or the history"
        expect(text not in left, "erased", message)
    for _, earlier in before:
        if earlier.operation == "accept_offer":
            again = simulation.ask_again(merchant, earlier)
            message = "a repeated acceptance did not get its reply after the erasure"
            expect(again.body == earlier.body, "replay-equal", message)


def kept(simulation: Simulation, merchant: SimulatedMerchant) -> bytes:
    """Return everything that the host keeps of a merchant."""
    state, profile = simulation.documents(merchant)
    events = simulation.host.history(merchant.partner, merchant.merchant_id)
    return b"".join([state, profile or b"", *events])


def growth(session: Session) -> None:
    """Serve a merchant for three years: its state and its replies stop growing."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    first_deal(simulation, merchant)
    sizes = []
    for year in range(3):
        for week in range(_WEEKS_A_YEAR):
            _serve_a_week(simulation, merchant, year * _WEEKS_A_YEAR + week)
        state, _ = simulation.documents(merchant)
        sizes.append(len(state))
    message = f"the state had {sizes[1]} bytes after two years, and {sizes[2]} after three"
    expect(sizes[2] <= sizes[1] * _GROWTH, "bounded", message)


def _serve_a_week(simulation: Simulation, merchant: SimulatedMerchant, number: int) -> None:
    """Record a week of takings and of daily remittances, and ask for offers now and then."""
    simulation.pass_time(days=7)
    today = simulation.day_of(merchant)
    takings = [
        {"on": (today - timedelta(days=ago)).isoformat(), "amount": Decimal("700.00")}
        for ago in range(7)
    ]
    body = {"takings": takings, "complete_through": today.isoformat()}
    simulation.ask("record_takings", merchant, body, key=simulation.new_key())
    for deal_id in merchant.projection.active:
        entries = [
            payloads.entry(f"w-{number}-{ago}", today - timedelta(days=ago), Decimal("1.00"))
            for ago in range(7)
        ]
        body = {"deal_id": deal_id, "entries": entries, "complete_through": today.isoformat()}
        receipt = simulation.ask("record_remittance", merchant, body, key=simulation.new_key())
        message = f"a reply of {len(receipt.body)} bytes to one week of remittances"
        expect(len(receipt.body) <= _MOST_REPLY, "bounded", message)
    if number % 13 == 0:
        request_offers(simulation, merchant, key=simulation.new_key())


def replayed_prices(session: Session) -> None:
    """Derive every offer and every decision of a history again: they are the same."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    deal_id = first_deal(simulation, merchant)
    pay_until_renewable(simulation, merchant, deal_id)
    review(simulation, merchant)
    accept(simulation, merchant, new_offers(simulation, merchant, key=simulation.new_key())[0])
    fund(simulation, merchant)
    issued = [event for event in map(_plain, merchant.events) if event["type"] == "OffersIssued"]
    expect(len(issued) > 1, "prices-replay", "the history has no two sets of offers")
    for event in issued:
        result = replay_offers(event, rules(changed=simulation.changed_rules))
        message = "; ".join(result.differences) or f"the offers are {result.state}"
        expect(result.state == SAME, "prices-replay", message)


def _plain(stored: bytes) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(stored, parse_float=Decimal)
    return event


def two_versions(session: Session) -> None:
    """Ask two versions of the host in turns: each goes on where the other one was."""
    simulation = session.simulation()
    previous = session.host.previous_version()  # type: ignore[attr-defined]  # an optional method
    try:
        for turn in range(2):
            merchant = simulation.merchant(name=f"two-{turn}")
            deal_id = _deal_by_turns(simulation, merchant, previous, turn)
            entry = payloads.entry("e-1", simulation.day_of(merchant), Decimal("10.00"))
            deliver(simulation, merchant, deal_id, entry)
            for asked_about, earlier in list(simulation.answered.values()):
                again = simulation.send(previous, earlier.operation, earlier.input, earlier.key)
                message = f"the version before has other bytes for {earlier.operation}"
                expect(again.body == earlier.body, "restart", message)
                events = asked_about.read_new_events(simulation.host)
                expect(not events, "restart", f"{earlier.operation} happened again")
            seen = look_up(simulation, merchant)
            answer = simulation.send(previous, "look_up", seen.input, None)
            expect(answer.body == seen.body, "restart", "the lookup of the version before differs")
    finally:
        previous.close()


def _deal_by_turns(
    simulation: Simulation, merchant: SimulatedMerchant, previous: Any, turn: int
) -> str:
    """Take a merchant to a deal, each operation by the version that did not do the one before."""

    def by(step: int) -> Any:
        return previous if step % 2 == turn else None

    evidence = payloads.evidence(simulation.day_of(merchant))
    body = payloads.offers_request(merchant.merchant_id, use="stock")
    simulation.ask(
        "request_offers", merchant, body, key=simulation.new_key(), evidence=evidence, by=by(0)
    )
    offer_id = next(iter(merchant.projection.offers))
    acceptance = payloads.acceptance(offer_id, payloads.BANKS[0])
    simulation.ask("accept_offer", merchant, acceptance, key=simulation.new_key(), by=by(1))
    application = {"application_id": merchant.projection.in_fulfilment[0]}
    simulation.ask("fund_deal", merchant, application, key=simulation.new_key(), by=by(0))
    return merchant.projection.active[0]
