"""How the suite tries the operations on a deal's ledger, its schedule and its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from decimal import ROUND_DOWN, Decimal
from types import MappingProxyType
from typing import Any, Final

from holdback.testing.conformance.simulated.agent_operation import UNKNOWN, AgentOperation, Bodies
from holdback.testing.conformance.simulated.exchanges import PENNY, SimulatedMerchant
from holdback.testing.conformance.simulated.projected_deal import ProjectedDeal, amount
from holdback.testing.conformance.simulated.projection import Projection

# Of what is possible: the whole, a part, a penny too much, and a penny too little.
_PARTS: Final[tuple[Callable[[Decimal], Decimal], ...]] = (
    lambda most: most,
    lambda most: (most * Decimal("0.3")).quantize(PENNY, ROUND_DOWN),
    lambda most: most + PENNY,
    lambda most: most - PENNY,
)


def _part(most: Decimal, variant: int) -> Decimal:
    """Return an amount at, below or a penny above the *most* that is possible."""
    part: Decimal = _PARTS[variant % 4](most)
    return max(PENNY, part)


def _overpaid(projection: Projection) -> list[str]:
    return [deal_id for deal_id, deal in projection.deals.items() if deal.overpaid]


def _in_default(projection: Projection) -> list[str]:
    of_default = {"Defaulted", "Recovered", "Settled"}
    return [deal_id for deal_id, deal in projection.deals.items() if deal.status in of_default]


def _owed(deal: ProjectedDeal) -> Decimal:
    return max(deal.balance, deal.shortfall)


def _lost(projection: Projection) -> list[str]:
    """Return the deals that have ended, and of which something is left to pay."""
    deals = projection.deals.items()
    return [deal_id for deal_id, deal in deals if deal.status != "Funded" and _owed(deal)]


def _chosen(merchant: SimulatedMerchant, fitting: list[str], pick: int) -> list[str]:
    """Return one of the *fitting* deals, else the newest deal, if there is any."""
    return [fitting[pick % len(fitting)]] if fitting else list(merchant.projection.deals)[-1:]


def _fees_of(deal: ProjectedDeal) -> list[dict[str, str]]:
    """Return the fees that the terms allow now, as they are asked for; caps are not looked at."""
    terms = deal.terms.get("fee_terms", ())
    charged = {entry.get("about") for entry in deal.of_kind("fee")}
    back = [entry["id"] for entry in deal.of_kind("reversal") if entry["id"] not in charged]
    fees = [
        {"fee": fee["key"], "about": about}
        for fee in terms
        for about in back
        if fee["after"] == "reversal"
    ]
    defaulted = deal.status == "Defaulted"
    return fees + [{"fee": fee["key"]} for fee in terms if defaulted and fee["after"] == "default"]


def _chargeable(projection: Projection) -> list[str]:
    return [deal_id for deal_id, deal in projection.deals.items() if _fees_of(deal)]


def _charge_fee(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    """Charge all of a fee, or a penny of it; without one that is allowed, one that is not."""
    for deal_id in _chosen(merchant, _chargeable(merchant.projection), pick):
        fees = _fees_of(merchant.projection.deals[deal_id]) or [{"fee": "another"}]
        body = {"deal_id": deal_id, **fees[pick % len(fees)], **merchant.movement(today, PENNY)}
        if variant % 2:
            del body["amount"]
        yield body


def _owing_fees(projection: Projection) -> list[str]:
    return [deal_id for deal_id, deal in projection.deals.items() if deal.fees_owed]


def _waive_fee(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    for deal_id in _chosen(merchant, _owing_fees(merchant.projection), pick):
        most = merchant.projection.deals[deal_id].fees_owed
        yield {"deal_id": deal_id, **merchant.movement(today, _part(most, variant))}


def _refund(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    for deal_id in _chosen(merchant, _overpaid(merchant.projection), pick):
        most = merchant.projection.deals[deal_id].overpaid
        yield {"deal_id": deal_id, **merchant.movement(today, _part(most, variant))}


def _transferable(projection: Projection) -> list[tuple[str, str]]:
    """Return the pairs of an overpaid deal and one that owes something."""
    return [
        (source, target)
        for source in _overpaid(projection)
        for target, deal in projection.deals.items()
        if _owed(deal)
    ]


def _transfer(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    pairs, deals = _transferable(merchant.projection), merchant.projection.deals
    if not pairs:
        return
    source, target = pairs[pick % len(pairs)]
    most = min(deals[source].overpaid, _owed(deals[target]))
    moved = merchant.movement(today, _part(most, variant))
    yield {"from_deal_id": source, "to_deal_id": target, **moved}


def _record_recovery(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    for deal_id in _chosen(merchant, _in_default(merchant.projection), pick):
        deal = merchant.projection.deals[deal_id]
        yield {"deal_id": deal_id, **merchant.movement(today, _part(_owed(deal), variant))}


def _write_off(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    for deal_id in _chosen(merchant, _lost(merchant.projection), pick):
        deal = merchant.projection.deals[deal_id]
        yield {"deal_id": deal_id, **merchant.movement(today, _part(_owed(deal), variant))}


def _waivable(projection: Projection) -> list[str]:
    """Return the deals of which the rest can be waived."""
    deals = projection.deals.items()
    return [deal_id for deal_id, deal in deals if deal.status == "Defaulted"]


def _waive_rest(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    """Waive all that is left, most often; or another amount, which is refused."""
    for deal_id in _chosen(merchant, _waivable(merchant.projection), pick):
        deal = merchant.projection.deals[deal_id]
        left = _owed(deal) + deal.written_off + PENNY * (variant % 4 == 0)
        yield {"deal_id": deal_id, **merchant.movement(today, max(PENNY, left))}


def _agree_plan(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    """Agree that a default is paid in a few parts, most often of all that is left; or end that."""
    for deal_id in _chosen(merchant, _waivable(merchant.projection), pick):
        deal = merchant.projection.deals[deal_id]
        number = pick % 4
        whole = max(number * PENNY, _part(_owed(deal) + deal.written_off, variant))
        first = whole // (PENNY * max(1, number)) * PENNY
        amounts = [first] * (number - 1) + [whole - first * (number - 1)]
        yield {
            "deal_id": deal_id,
            "plan_id": merchant.movement(today, PENNY)["id"],
            "instalments": [
                {"due_on": (today + timedelta(days=7 * place)).isoformat(), "amount": amount}
                for place, amount in enumerate(amounts[:number])
            ],
        }


def _plan_is_there(request: Any, projection: Projection) -> bool:
    plan = projection.deals[request["deal_id"]].plan
    return plan is not None and request["plan_id"] in {plan["id"], *plan["replaced"]}


def _adjust(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    """Lower what is owed by a little, or raise it."""
    for deal_id in _chosen(merchant, list(merchant.projection.deals), pick):
        by = Decimal(1 + variant) * (1 if variant % 2 else -1)
        yield {"deal_id": deal_id, **merchant.movement(today, by.quantize(PENNY))}


def principal_due(projection: Projection, deal_id: str) -> Decimal:
    """Return what is to come back of a deal that is undone: less than that undoes nothing."""
    deal = projection.deals[deal_id]
    charge = deal.repayment - amount(deal.terms["funded_amount"])
    base = projection.deals.get(projection.renewed.get(deal_id, ""))
    settled = Decimal(0) if base is None else base.paid_by_renewal
    return max(Decimal(0), deal.left - charge - settled)


def _coolable(projection: Projection) -> list[str]:
    """Return the deals that may be undone, if it is done in time."""
    return [
        deal_id
        for deal_id, deal in projection.deals.items()
        if deal.status in {"Funded", "Repaid"} and deal.terms.get("cooling_off_days")
    ][-1:]


def _unwind_deal(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    """Undo a deal on the day of its funding, most often with what is due."""
    for deal_id in _chosen(merchant, _coolable(merchant.projection), pick):
        due = principal_due(merchant.projection, deal_id)
        funded_on = date.fromisoformat(merchant.projection.deals[deal_id].terms["funded_on"])
        on = today if variant % 2 else funded_on
        yield {"deal_id": deal_id, **merchant.movement(on, due + PENNY * (variant % 8 == 1))}


def _returnable(projection: Projection) -> list[str]:
    """Return the active deals without an entry, whose payout may come back."""
    return [deal_id for deal_id in projection.active if not projection.deals[deal_id].entries]


def _return_payout(merchant: SimulatedMerchant, today: date, pick: int, _: int) -> Bodies:
    for deal_id in _chosen(merchant, _returnable(merchant.projection), pick):
        moved = merchant.movement(today, PENNY)
        yield {"deal_id": deal_id, "id": moved["id"], "on": moved["on"]}


def _paused(projection: Projection) -> list[str]:
    return [deal_id for deal_id in projection.active if projection.deals[deal_id].paused]


def _of_day(merchant: SimulatedMerchant, today: date, _: int, __: int) -> Bodies:
    for deal_id in merchant.projection.active or list(merchant.projection.deals)[-1:]:
        yield {"deal_id": deal_id, "on": today.isoformat()}


def _change_terms(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    """Give the active deal more time, another split, or both."""
    for deal_id in merchant.projection.active or list(merchant.projection.deals)[-1:]:
        _, days = merchant.projection.deals[deal_id].terms_now
        body: dict[str, Any] = {"deal_id": deal_id, "on": today.isoformat()}
        if variant % 3:
            body["term_days"] = days + 30 + pick
        if variant % 3 != 1:
            body["split_percentage"] = Decimal(5 + pick % 8)
        yield body


def _settle_early(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    """Pay the balance, which is enough with or without a discount; or less, or more."""
    for deal_id in _chosen(merchant, merchant.projection.active, pick):
        balance = merchant.projection.deals[deal_id].balance
        paid = (balance, balance, balance + 10, max(PENNY, balance * Decimal("0.5")))[variant % 4]
        yield {"deal_id": deal_id, **merchant.movement(today, paid.quantize(PENNY, ROUND_DOWN))}


def _open_offers(projection: Projection) -> list[str]:
    offers = projection.offers.items()
    return [offer_id for offer_id, offer in offers if offer.status == "Eligible"]


def _requote(merchant: SimulatedMerchant, _: date, pick: int, variant: int) -> Bodies:
    """Ask for a little less than one of the newest offers, or for far too little."""
    offer_ids = _open_offers(merchant.projection)[-6:]
    if not offer_ids:
        yield {"offer_id": UNKNOWN, "amount": Decimal("1000.00")}
        return
    offer_id = offer_ids[pick % len(offer_ids)]
    offered = amount(merchant.projection.offers[offer_id].terms["funded_amount"])
    wanted = offered - 100 * (1 + pick % 3) if variant % 8 else PENNY
    yield {"offer_id": offer_id, "amount": wanted}


def _disclose(merchant: SimulatedMerchant, _: date, pick: int, variant: int) -> Bodies:
    """Disclose one of the newest offers, by daily payments or by others."""
    offer_ids = merchant.projection.disclosable[-6:] or [UNKNOWN]
    frequency = {} if variant % 2 else {"frequency": ("weekly", "monthly")[variant // 2 % 2]}
    yield {"offer_id": offer_ids[pick % len(offer_ids)], **frequency}


def _record_suspense(merchant: SimulatedMerchant, today: date, pick: int, _: int) -> Bodies:
    yield merchant.movement(today, Decimal(40 + pick) + PENNY)


def _cash(projection: Projection, pick: int) -> tuple[str, Decimal]:
    """Return one of the receipts in suspense, and what is left of it."""
    held = list(projection.cash_held.items()) or [(UNKNOWN, PENNY)]
    return held[pick % len(held)]


def _applicable(projection: Projection) -> list[str]:
    """Return the deals to which cash can be applied, if any is in suspense."""
    owing = [deal_id for deal_id, deal in projection.deals.items() if _owed(deal)]
    return owing if projection.cash_held else []


def _apply_suspense(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    suspense_id, left = _cash(merchant.projection, pick)
    for deal_id in _chosen(merchant, _applicable(merchant.projection), pick):
        most = min(left, _owed(merchant.projection.deals[deal_id])) or left
        moved = merchant.movement(today, _part(most, variant))
        yield {"suspense_id": suspense_id, "deal_id": deal_id, **moved}


def _return_suspense(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    suspense_id, left = _cash(merchant.projection, pick)
    kind = ("refund", "reversal", "transfer")[pick % 3]
    moved = merchant.movement(today, _part(left, variant))
    yield {"suspense_id": suspense_id, "kind": kind, **moved}


def _cash_is_there(request: Any, projection: Projection) -> bool:
    return request["id"] in projection.cash


def _cash_is_applied(request: Any, projection: Projection) -> bool:
    return _cash_is_there(request, projection) and _entry_is_there(request, projection)


def _entry_is_there(request: Any, projection: Projection) -> bool:
    return request["id"] in projection.deals[request["deal_id"]].entries


def _both_entries_are_there(request: Any, projection: Projection) -> bool:
    ids = (request["from_deal_id"], request["to_deal_id"])
    return all(request["id"] in projection.deals[deal_id].entries for deal_id in ids)


def _terms_are_there(request: Any, projection: Projection) -> bool:
    split, days = projection.deals[request["deal_id"]].terms_now
    return (
        Decimal(request.get("split_percentage", split)) == Decimal(split)
        and request.get("term_days", days) == days
    )


def _amount_is_offered(request: Any, projection: Projection) -> bool:
    wanted = projection.offers[request["offer_id"]].application_id
    return any(
        amount(offer.terms["funded_amount"]) == request["amount"]
        for offer in projection.offers.values()
        if offer.application_id == wanted
    )


MONEY_AGENTS: Final[Mapping[str, AgentOperation]] = MappingProxyType(
    {
        "refund": AgentOperation(
            weight=2, fits=_overpaid, bodies=_refund, took_effect=_entry_is_there
        ),
        "transfer": AgentOperation(
            weight=14, fits=_transferable, bodies=_transfer, took_effect=_both_entries_are_there
        ),
        "record_recovery": AgentOperation(
            weight=4, fits=_in_default, bodies=_record_recovery, took_effect=_entry_is_there
        ),
        "write_off": AgentOperation(
            weight=4, fits=_lost, bodies=_write_off, took_effect=_entry_is_there
        ),
        "waive_rest": AgentOperation(
            weight=4, fits=_waivable, bodies=_waive_rest, took_effect=_entry_is_there
        ),
        "agree_plan": AgentOperation(
            weight=6, fits=_waivable, bodies=_agree_plan, took_effect=_plan_is_there
        ),
        "charge_fee": AgentOperation(
            weight=2, fits=_chargeable, bodies=_charge_fee, took_effect=_entry_is_there
        ),
        "waive_fee": AgentOperation(
            weight=4, fits=_owing_fees, bodies=_waive_fee, took_effect=_entry_is_there
        ),
        "adjust": AgentOperation(weight=1, bodies=_adjust, took_effect=_entry_is_there),
        "unwind_deal": AgentOperation(
            weight=3, fits=_coolable, bodies=_unwind_deal, took_effect=_entry_is_there
        ),
        "return_payout": AgentOperation(
            weight=2, fits=_returnable, bodies=_return_payout, took_effect=_entry_is_there
        ),
        "record_suspense": AgentOperation(
            weight=1, bodies=_record_suspense, took_effect=_cash_is_there
        ),
        "apply_suspense": AgentOperation(
            weight=4, fits=_applicable, bodies=_apply_suspense, took_effect=_cash_is_applied
        ),
        "return_suspense": AgentOperation(
            weight=1,
            fits=lambda projection: projection.cash_held,
            bodies=_return_suspense,
            took_effect=_cash_is_there,
        ),
        "pause": AgentOperation(
            weight=1,
            fits=lambda projection: projection.active,
            bodies=_of_day,
            took_effect=lambda request, projection: projection.deals[request["deal_id"]].in_pause,
        ),
        "resume": AgentOperation(
            weight=2,
            fits=_paused,
            bodies=_of_day,
            took_effect=lambda request, projection: (
                not projection.deals[request["deal_id"]].in_pause
            ),
        ),
        "change_terms": AgentOperation(
            weight=1,
            fits=lambda projection: projection.active,
            bodies=_change_terms,
            took_effect=_terms_are_there,
        ),
        "settle_early": AgentOperation(
            weight=1,
            fits=lambda projection: projection.active,
            bodies=_settle_early,
            took_effect=_entry_is_there,
        ),
        "requote": AgentOperation(
            weight=2, fits=_open_offers, bodies=_requote, took_effect=_amount_is_offered
        ),
        "disclose": AgentOperation(
            weight=1,
            fits=lambda projection: projection.disclosable,
            bodies=_disclose,
            took_effect=lambda request, projection: request["offer_id"] in projection.disclosed,
        ),
    }
)
