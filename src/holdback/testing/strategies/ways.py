"""What may happen to a deal after its funding, a few steps each: drawn histories pass through it.

Steps drawn one by one would hardly ever get so far. A way yields the next operation with its input,
and sees the merchant as the step before has left it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from holdback.merchant.deal import DEFAULTED, FUNDED, RENEWED, REPAID, Deal
from holdback.merchant.merchant import Merchant
from holdback.testing.inputs import newest_offer_id
from holdback.testing.strategies.json_inputs import Input
from holdback.testing.strategies.likely_money import moved, owed, principal_due, settling
from holdback.testing.strategies.moment import Moment

Way: TypeAlias = Callable[[Callable[[], Moment]], Iterator[tuple[str, Input]]]


def _default(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A default, of which a third is recovered, the rest written off, and then recovered too."""
    active = now().merchant.active_deal
    if active is not None:
        yield "close_deal", {"deal_id": active.id, "status": "defaulted"}
    for deal in _again(now, [d.id for d in now().merchant.deals if d.status == DEFAULTED]):
        yield _movement("record_recovery", now(), deal, owed(deal) // 3)
    for deal in _again(now, [d.id for d in now().merchant.deals if d.status == DEFAULTED]):
        yield _movement("write_off", now(), deal, owed(deal))
    for deal in _again(now, [d.id for d in now().merchant.deals if d.written_off.minor]):
        yield _movement("record_recovery", now(), deal, deal.written_off.minor)


def _recovery(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A default that is paid in full; a part of the payment comes back."""
    active = now().merchant.active_deal
    if active is None:
        return
    yield "close_deal", {"deal_id": active.id, "status": "defaulted"}
    for deal in _again(now, [active.id]):
        yield _movement("record_recovery", now(), deal, owed(deal))
    for deal in _again(now, [active.id]):
        recovered = next((e for e in deal.entries if e.kind == "recovery"), None)
        if recovered is not None:
            entry = moved(now(), recovered.amount.minor // 2, now().day)
            back = {**entry, "reverses": recovered.id}
            yield "record_remittance", {"deal_id": deal.id, "entries": [back]}


def _overpayment(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A payment of more than is owed, of which a half is refunded, and then the rest."""
    active = now().merchant.active_deal
    if active is None:
        return
    yield _payment(now(), active, active.balance.minor * 11 // 10)
    for deal in _again(now, [active.id]):
        yield _movement("refund", now(), deal, deal.overpaid.minor // 2)
    for deal in _again(now, [active.id]):
        yield _movement("refund", now(), deal, deal.overpaid.minor)


def _late_remittance(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A remittance on a deal that was renewed, which is transferred to the renewal."""
    renewed = [deal.id for deal in now().merchant.deals if deal.status == RENEWED]
    for deal in _again(now, renewed[-1:]):
        yield _payment(now(), deal, max(1, deal.repayment_amount.minor // 20))
    active = now().merchant.active_deal
    for deal in _again(now, renewed[-1:]):
        if active is not None and deal.overpaid.minor:
            ids: Input = {"from_deal_id": deal.id, "to_deal_id": active.id}
            minor = min(deal.overpaid.minor, owed(active))
            yield "transfer", {**ids, **moved(now(), minor, now().day)}


def _unwinding(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A deal that is undone, if its cooling-off days are not over."""
    for deal in now().merchant.deals[-1:]:
        due = principal_due(now().merchant, deal)
        yield "unwind_deal", {"deal_id": deal.id, **moved(now(), due, now().day)}


def _hardship(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A pause, after which the merchant has more time."""
    active = now().merchant.active_deal
    if active is None:
        return
    for operation in ("pause", "resume"):
        yield operation, {"deal_id": active.id, "on": now().day.isoformat()}
    changed: Input = {"split_percentage": 5, "term_days": active.term_days + 90}
    yield "change_terms", {"deal_id": active.id, "on": now().day.isoformat(), **changed}


def _early_settlement(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """A payment that settles the deal before its term ends."""
    active = now().merchant.active_deal
    if active is not None:
        yield _movement("settle_early", now(), active, settling(now(), active))


def _another_amount(now: Callable[[], Moment]) -> Iterator[tuple[str, Input]]:
    """The smallest amount of an open offer's product is asked for."""
    newest = newest_offer_id(now().merchant)
    for offer_set in now().merchant.offer_sets[-1:]:
        for product in offer_set.products:
            if any(offer.offer_id == newest for offer in product.offers):
                least = product.limits.minimum.amount
                yield "requote", {"offer_id": newest, "amount": str(least)}


def _again(now: Callable[[], Moment], ids: list[str]) -> Iterator[Deal]:
    """Yield the current deals with these *ids*."""
    for deal_id in ids:
        deal = now().merchant.deal_of(deal_id)
        if deal is not None:
            yield deal


def _movement(operation: str, moment: Moment, deal: Deal, minor: int) -> tuple[str, Input]:
    return operation, {"deal_id": deal.id, **moved(moment, minor, moment.day)}


def _payment(moment: Moment, deal: Deal, minor: int) -> tuple[str, Input]:
    entry = {**moved(moment, minor, moment.day), "kind": "payment"}
    return "record_remittance", {"deal_id": deal.id, "entries": [entry]}


def ways_of(merchant: Merchant) -> list[str]:
    """Return the ways that fit *merchant* now, the rarer ones several times."""
    names: list[str] = []
    if merchant.active_deal is not None:
        names += ["default", "recovery", "overpayment", "hardship", "early settlement"]
    if any(deal.status == RENEWED for deal in merchant.deals):
        names += ["late remittance"] * 20
    if any(deal.cooling_off_days and deal.status in {FUNDED, REPAID} for deal in merchant.deals):
        names += ["unwinding"] * 4
    return names + (["another amount"] if newest_offer_id(merchant) is not None else [])


WAYS: Final[Mapping[str, Way]] = MappingProxyType(
    {
        "default": _default,
        "recovery": _recovery,
        "overpayment": _overpayment,
        "late remittance": _late_remittance,
        "unwinding": _unwinding,
        "hardship": _hardship,
        "early settlement": _early_settlement,
        "another amount": _another_amount,
    }
)
