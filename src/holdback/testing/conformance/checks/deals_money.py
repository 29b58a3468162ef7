"""The checks of money after a funding: refunds, cash in suspense, fees, undone deals."""

from __future__ import annotations

from datetime import timedelta
from decimal import ROUND_DOWN, Decimal
from typing import Any, Final

from holdback.testing import payloads
from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulated.exchanges import OK, PENNY, Exchange, SimulatedMerchant
from holdback.testing.conformance.simulated.money_operations import principal_due
from holdback.testing.conformance.simulated.requests import (
    accept,
    close_as_defaulted,
    decisions,
    deliver,
    first_deal,
    fund,
    look_up,
    pay,
    pay_until_renewable,
    request_offers,
)
from holdback.testing.conformance.simulated.rule_changes import cooling_rules, fee_rules, rules
from holdback.testing.conformance.simulated.simulation import Simulation

# The invariant that a host breaks which carries out what is to be refused, by operation.
_BROKEN: Final = {
    "unwind_deal": "revived",
    "apply_suspense": "suspense-kept",
    "charge_fee": "fees-apart",
    "waive_fee": "fees-apart",
    "agree_plan": "plan-kept",
}


def refunds(session: Session) -> None:
    """Refund what was overpaid, in parts, each asked for again: it happens once."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    deal_id = first_deal(simulation, merchant)
    simulation.pass_time(days=30)
    pay(simulation, merchant, deal_id, 120)
    deal = merchant.projection.deals[deal_id]
    overpaid = deal.overpaid
    part = (overpaid * Decimal("0.25")).quantize(PENNY, ROUND_DOWN)
    first = _move(simulation, merchant, "refund", {"deal_id": deal_id}, part)
    for key in (None, simulation.new_key()):
        again = simulation.ask("refund", merchant, first.request, key=key)
        message = f"a refund that is asked for again got {again.status}"
        expect(again.status == OK, "refunded-once", message)
    paid_out = [entry["id"] for entry in deal.of_kind("refund")]
    message = f"one refund was asked for three times, and {len(paid_out)} were recorded"
    expect(paid_out == [first.request["id"]], "refunded-once", message)
    changed = {**first.request, "amount": part + PENNY}
    _expect_refused(simulation, merchant, "refund", changed, "with another amount under its id")
    too_much = {"deal_id": deal_id, **_movement(simulation, merchant, overpaid)}
    _expect_refused(simulation, merchant, "refund", too_much, "of more than is still overpaid")
    _move(simulation, merchant, "refund", {"deal_id": deal_id}, overpaid - part)
    expect(not deal.overpaid, "refunded-once", f"{deal.overpaid} is left after the whole refund")
    # A part of the remittance comes back, as in a chargeback: that much is owed again.
    paid = next(iter(deal.entries.values()))
    back = payloads.entry("back-1", simulation.day_of(merchant), part, reverses=paid["id"])
    deliver(simulation, merchant, deal_id, back)
    look_up(simulation, merchant)


def transfers(session: Session) -> None:
    """Pay a renewed deal late, and transfer it to its renewal: both deals show it."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    base_id = first_deal(simulation, merchant)
    active_id = renew(simulation, merchant, base_id)
    simulation.pass_time(days=30)
    owed = merchant.projection.deals[active_id].balance
    pay(simulation, merchant, base_id, 10)
    base, active = (merchant.projection.deals[deal_id] for deal_id in (base_id, active_id))
    # Where the jurisdiction says so, the late remittance has been transferred already.
    if base.overpaid:
        ids = {"from_deal_id": base_id, "to_deal_id": active_id}
        first = _move(simulation, merchant, "transfer", ids, base.overpaid)
        again = simulation.ask("transfer", merchant, first.request)
        message = f"a transfer that is asked for again got {again.status}"
        expect(again.status == OK, "both-halves", message)
    moved = owed - active.balance
    message = f"{moved} of a late remittance arrived on the active deal"
    expect(moved > 0 and not base.overpaid, "both-halves", message)
    look_up(simulation, merchant)


def suspense(session: Session) -> None:
    """Record cash in suspense; apply a part of it to a deal later, and return another part."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    deal_id = first_deal(simulation, merchant)
    cash = _move(simulation, merchant, "record_suspense", {}, Decimal("500.00"))
    simulation.pass_time(days=30)
    owed, taken = merchant.projection.deals[deal_id].balance, Decimal("300.00")
    of_cash = {"suspense_id": cash.request["id"]}
    applied = _move(simulation, merchant, "apply_suspense", {**of_cash, "deal_id": deal_id}, taken)
    returned = {**of_cash, "kind": "refund", **_movement(simulation, merchant, Decimal("150.00"))}
    simulation.ask("return_suspense", merchant, returned, key=simulation.new_key())
    for operation, body in (
        ("record_suspense", cash.request),
        ("apply_suspense", applied.request),
        ("return_suspense", returned),
    ):
        again = simulation.ask(operation, merchant, body, key=simulation.new_key())
        message = f"{operation} that is asked for again got {again.status}"
        expect(again.status == OK, "suspense-kept", message)
    left = merchant.projection.cash_left(cash.request["id"])
    expect(left == Decimal("50.00"), "suspense-kept", f"{left} is left in suspense of 500.00")
    balance = merchant.projection.deals[deal_id].balance
    message = f"{taken} was applied to a deal that owed {owed}, and it owes {balance}"
    expect(balance == owed - taken, "suspense-kept", message)
    too_much = {**of_cash, "deal_id": deal_id, **_movement(simulation, merchant, left + PENNY)}
    _expect_refused(simulation, merchant, "apply_suspense", too_much, "of more than is left")
    look_up(simulation, merchant)


def fees(session: Session) -> None:
    """Charge a fee for a payment that bounced, waive a part, and pay the rest after the balance."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    simulation.use_rules(fee_rules())
    try:
        deal_id = first_deal(simulation, merchant)
    finally:
        simulation.use_rules(rules(changed=False))
    _charge_and_pay(simulation, merchant, deal_id)


def _charge_and_pay(simulation: Simulation, merchant: SimulatedMerchant, deal_id: str) -> None:
    deal = merchant.projection.deals[deal_id]
    simulation.pass_time(days=30)
    bounced = pay(simulation, merchant, deal_id, 10).request["entries"][0]
    today, amount = simulation.day_of(merchant), Decimal(str(bounced["amount"]))
    back = payloads.entry("back-1", today, amount, reverses=bounced["id"])
    deliver(simulation, merchant, deal_id, back)
    fee = {"deal_id": deal_id, "fee": "suite_reversal", "about": back["id"]}
    charged = _move(simulation, merchant, "charge_fee", fee, Decimal("10.00"))
    _expect_owed(simulation, merchant, deal_id, Decimal("10.00"))
    waived = _move(simulation, merchant, "waive_fee", {"deal_id": deal_id}, Decimal("4.00"))
    for asked in (charged, waived):
        again = simulation.ask(asked.operation, merchant, asked.request, key=simulation.new_key())
        message = f"{asked.operation} that is asked for again got {again.status}"
        expect(again.status == OK, "fees-apart", message)
    once_more = {**fee, **_movement(simulation, merchant, PENNY)}
    _expect_refused(
        simulation, merchant, "charge_fee", once_more, "for a reversal that was charged"
    )
    too_much = {"deal_id": deal_id, **_movement(simulation, merchant, Decimal("6.01"))}
    _expect_refused(simulation, merchant, "waive_fee", too_much, "of more than is owed")
    _expect_owed(simulation, merchant, deal_id, Decimal("6.00"))
    pay(simulation, merchant, deal_id, 100)
    message = f"a deal that repaid its amount and owes a fee is {deal.status}"
    expect(deal.status == "Repaid", "fees-apart", message)
    _expect_owed(simulation, merchant, deal_id, Decimal("6.00"))
    last = {**merchant.remittance(deal_id, 1, today), "amount": Decimal("6.00")}
    deliver(simulation, merchant, deal_id, last)
    _expect_owed(simulation, merchant, deal_id, Decimal(0))


def _expect_owed(
    simulation: Simulation, merchant: SimulatedMerchant, deal_id: str, fees: Decimal
) -> None:
    """Expect the look-up to show *fees* owed, and nothing of them in what is left to repay."""
    deal = merchant.projection.deals[deal_id]
    (shown,) = look_up(simulation, merchant).reply["deals"]
    message = f"{shown.get('fees_owed', 0)} is owed in fees, of which {fees} is left"
    expect(shown.get("fees_owed", 0) == fees, "fees-apart", message)
    message = f"the balance is {shown['balance']}, and {deal.balance} of the repayment is left"
    expect(shown["balance"] == deal.balance, "fees-apart", message)


def plan(session: Session) -> None:
    """Agree on a plan for a default, pay an instalment and a half, and agree on another."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    deal_id = first_deal(simulation, merchant)
    simulation.pass_time(days=30)
    close_as_defaulted(simulation, merchant, deal_id)
    # What came in before the agreement pays nothing of the plan.
    _move(simulation, merchant, "record_recovery", {"deal_id": deal_id}, Decimal("70.00"))
    owed = merchant.projection.deals[deal_id].balance
    first = {**_plan(simulation, merchant, owed), "deal_id": deal_id, "plan_id": "plan-1"}
    more = {**_plan(simulation, merchant, owed + PENNY), "deal_id": deal_id, "plan_id": "plan-0"}
    _expect_refused(simulation, merchant, "agree_plan", more, "of more than is owed")
    _agree(simulation, merchant, first)
    _move(simulation, merchant, "record_recovery", {"deal_id": deal_id}, Decimal("150.00"))
    simulation.pass_time(days=25)
    _agree(simulation, merchant, first)  # a retry, also when its first days have passed
    look_up(simulation, merchant)
    second = {**first, **_plan(simulation, merchant, Decimal("300.00")), "plan_id": "plan-2"}
    _agree(simulation, merchant, second)
    for body in (first, {**second, "instalments": second["instalments"][:1]}):
        _expect_refused(simulation, merchant, "agree_plan", body, "in place of the last one")
    look_up(simulation, merchant)
    owed = merchant.projection.deals[deal_id].balance
    _move(simulation, merchant, "record_recovery", {"deal_id": deal_id}, owed)
    look_up(simulation, merchant)


def _plan(
    simulation: Simulation, merchant: SimulatedMerchant, whole: Decimal
) -> dict[str, list[dict[str, Any]]]:
    """Return three instalments, ten days after one another, that come to the *whole*."""
    today, part = simulation.day_of(merchant), Decimal("100.00")
    amounts = (part, part, (whole - 2 * part).quantize(PENNY, ROUND_DOWN))
    days = ((today + timedelta(days=10 * number)).isoformat() for number in (1, 2, 3))
    instalments = [
        {"due_on": day, "amount": amount} for day, amount in zip(days, amounts, strict=True)
    ]
    return {"instalments": instalments}


def _agree(simulation: Simulation, merchant: SimulatedMerchant, body: dict[str, Any]) -> None:
    """Agree on a plan, twice: it must be possible."""
    for _ in range(2):
        asked = simulation.ask("agree_plan", merchant, body, key=simulation.new_key())
        message = f"agree_plan, which is possible, got {asked.status}"
        expect(asked.status == OK, "plan-kept", message)


def unwinding(session: Session) -> None:
    """Undo a renewal within its cooling-off days: the deal that it renewed is active again."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    simulation.use_rules(cooling_rules())
    try:
        _undo_a_renewal(simulation, merchant)
    finally:
        simulation.use_rules(rules(changed=False))


def _undo_a_renewal(simulation: Simulation, merchant: SimulatedMerchant) -> None:
    base_id = first_deal(simulation, merchant)
    pay_until_renewable(simulation, merchant, base_id)
    owed = merchant.projection.deals[base_id].balance
    renewal_id = _accept_renewal(simulation, merchant)
    due = principal_due(merchant.projection, renewal_id)
    unlike = {"deal_id": renewal_id, **_movement(simulation, merchant, due - PENNY)}
    _expect_refused(simulation, merchant, "unwind_deal", unlike, "with less than what is due")
    simulation.pass_time(days=3)
    undone = _move(simulation, merchant, "unwind_deal", {"deal_id": renewal_id}, due)
    again = simulation.ask("unwind_deal", merchant, undone.request, key=simulation.new_key())
    message = f"an unwinding that is asked for again got {again.status}"
    expect(again.status == OK, "revived", message)
    shown = {deal["id"]: deal for deal in look_up(simulation, merchant).reply["deals"]}
    base = shown[base_id]
    message = f"the base deal is {base['status']} and owes {base['balance']}, before it was {owed}"
    expect(base["active"] and base["balance"] == owed, "revived", message)
    expect(shown[renewal_id]["balance"] == 0, "revived", "the deal that was undone has a balance")


def returned_payout(session: Session) -> None:
    """The payout of a renewal comes back: it is undone, and the same application funded again."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    base_id = first_deal(simulation, merchant)
    pay_until_renewable(simulation, merchant, base_id)
    owed = merchant.projection.deals[base_id].balance
    first_id = _accept_renewal(simulation, merchant)
    simulation.pass_time(days=3)
    moved = _movement(simulation, merchant, PENNY)
    body = {"deal_id": first_id, "id": moved["id"], "on": moved["on"]}
    for _ in range(2):
        asked = simulation.ask("return_payout", merchant, body, key=simulation.new_key())
        message = f"a payout that comes back, or is said again to, got {asked.status}"
        expect(asked.status == OK, "payout-returned", message)
    shown = {deal["id"]: deal for deal in look_up(simulation, merchant).reply["deals"]}
    message = f"the deal whose payout came back is {shown[first_id]['status']}"
    expect(not shown[first_id]["active"], "payout-returned", message)
    base = shown[base_id]
    message = f"the base deal is {base['status']} and owes {base['balance']}, before it was {owed}"
    expect(base["active"] and base["balance"] == owed, "revived", message)
    details = {"bank_details": payloads.BANKS[1]}
    simulation.ask("change_bank_details", merchant, details, key=simulation.new_key())
    second_id = fund(simulation, merchant)
    first, second = (merchant.projection.deals[deal_id].terms for deal_id in (first_id, second_id))
    same = all(first[name] == second[name] for name in ("application_id", "repayment_amount"))
    message = "the second deal has other terms than the first, or its id"
    expect(same and first_id != second_id, "payout-returned", message)
    look_up(simulation, merchant)


def renew(simulation: Simulation, merchant: SimulatedMerchant, deal_id: str) -> str:
    """Pay a deal down, renew it, and return the id of the renewal."""
    pay_until_renewable(simulation, merchant, deal_id)
    return _accept_renewal(simulation, merchant)


def _accept_renewal(simulation: Simulation, merchant: SimulatedMerchant) -> str:
    before = set(merchant.projection.offers)
    asked = request_offers(simulation, merchant, key=simulation.new_key(), credit_score=700)
    new = [offer_id for offer_id in merchant.projection.offers if offer_id not in before]
    message = f"a deal that is paid down on pace got {', '.join(decisions(asked))}"
    expect(new, "sound-replies", message)
    accept(simulation, merchant, new[-1], key=simulation.new_key())
    return fund(simulation, merchant)


def _movement(
    simulation: Simulation, merchant: SimulatedMerchant, amount: Decimal
) -> dict[str, Any]:
    return merchant.movement(simulation.day_of(merchant), amount)


def _move(
    simulation: Simulation,
    merchant: SimulatedMerchant,
    operation: str,
    ids: dict[str, str],
    amount: Decimal,
) -> Exchange:
    """Carry out an operation about a movement of *amount*, which must be possible."""
    body = {**ids, **_movement(simulation, merchant, amount)}
    asked = simulation.ask(operation, merchant, body, key=simulation.new_key())
    message = f"{operation} of {amount}, which is possible, got {asked.status}"
    expect(asked.status == OK, "acknowledged-kept", message)
    return asked


def _expect_refused(
    simulation: Simulation,
    merchant: SimulatedMerchant,
    operation: str,
    body: dict[str, Any],
    what: str,
) -> None:
    asked = simulation.ask(operation, merchant, body, key=simulation.new_key())
    message = f"{operation} {what} got {asked.status}"
    expect(asked.status != OK, _BROKEN.get(operation, "refunded-once"), message)
