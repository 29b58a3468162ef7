"""What a step of a plan does, by its name: it does what it can in the world it meets, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from decimal import ROUND_DOWN, Decimal
from types import MappingProxyType
from typing import Any, Final

from attrs import frozen

from holdback.testing.conformance import payloads
from holdback.testing.conformance.event_fold import amount
from holdback.testing.conformance.exchanges import OK, Account
from holdback.testing.conformance.host import PARTNERS
from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.simulation import World

MERCHANTS: Final = 3
UNKNOWN: Final = "00000000-0000-0000-0000-000000000000"
_PENNY: Final = Decimal("0.01")
# The operations of the hosts in `docs/hosts` have up to so many; a step that is not there is no crash.
_STEPS: Final = 18
_TIMES: Final = (
    timedelta(0),
    timedelta(microseconds=1),
    timedelta(minutes=5),
    timedelta(days=1),
    timedelta(days=10),
    timedelta(days=31),
    timedelta(days=120),
    timedelta(minutes=-10),
    timedelta(days=-2),
)


@frozen
class Step:
    """
    One step of a plan: `action` is a key of `ACTIONS`, `who` picks the merchant, `which` and `how` what
    else there is to choose.
    """

    action: str
    who: int
    which: int
    how: int


def account_of(world: World, step: Step) -> Account:
    """The merchant that *step* is about."""
    partner = world.partners[step.who % len(world.partners)]
    return world.account(partner, str(step.who // 2 % MERCHANTS))


def today(world: World, account: Account) -> date:
    """The day that the merchant is at, which does not go back with the clock."""
    last = account.ledger.last_at
    return (world.at if last is None else max(world.at, last)).date()


def request(world: World, account: Account, *, again: bool = False, key: str | None = None) -> None:
    """A request for offers: a renewal for a merchant that is known, unless it asks *again* as if new."""
    provider_id = account.ledger.provider_id
    if provider_id is None or again:
        body, checked = (
            payloads.initial(account.merchant_id),
            payloads.evidence(today(world, account)),
        )
    else:
        body, checked = payloads.renewal(account.merchant_id, provider_id), {}
    world.ask("request_offers", account, body, key=key, evidence=checked)


def pay(world: World, account: Account, deal_id: str, entries: list[dict[str, Any]]) -> bool:
    """Deliver *entries* of a deal, its history complete; whether they were taken."""
    body = {
        "deal_id": deal_id,
        "entries": entries,
        "complete_through": today(world, account).isoformat(),
    }
    done = world.ask("record_remittance", account, payloads.written(body), key=world.new_key())
    return done.status == OK


def share(world: World, account: Account, deal_id: str, percent: int) -> list[dict[str, Any]]:
    """One entry of *percent* of what the deal is to repay."""
    owed = account.ledger.deals[deal_id]
    amount = (owed.repayment * Decimal(percent).scaleb(-2)).quantize(_PENNY, ROUND_DOWN)
    account.entries += 1
    day = today(world, account) - timedelta(days=1)
    return [payloads.entry(f"e-{account.entries}", day, amount)]


def _key(world: World, account: Account, step: Step) -> str | None:
    """A new key, mostly; none; or one that another partner has used, which says nothing about this one."""
    if step.which % 8 == 1:
        used = [key for partner, key in world.answered if partner != account.partner]
        free = [key for key in used if (account.partner, key) not in world.used]
        return free[step.how % len(free)] if free else world.new_key()
    return world.new_key() if step.which % 8 else None


def _request(world: World, step: Step) -> None:
    account = account_of(world, step)
    request(world, account, again=step.how % 8 == 0, key=_key(world, account, step))


def _foreign(world: World, account: Account) -> list[Account]:
    return [each for each in world.accounts.values() if each.partner != account.partner]


def _accept(world: World, step: Step) -> None:
    """Accept one of the newest offers, one of another partner's, or one that never was."""
    account = account_of(world, step)
    offers = list(account.ledger.offers)[-10:]
    if step.how % 8 == 0:
        offers = [name for each in _foreign(world, account) for name in each.ledger.offers]
    offer_id = offers[step.which % len(offers)] if offers else UNKNOWN
    body = payloads.acceptance(offer_id, (None, *payloads.BANKS)[step.how % 3])
    world.ask("accept_offer", account, body, key=_key(world, account, step))


def _look_up(world: World, step: Step) -> None:
    account = account_of(world, step)
    asked = account.ledger.provider_id
    if step.how % 4 == 0:
        others = [each.ledger.provider_id for each in _foreign(world, account)]
        asked = others[step.which % len(others)] if others else None
    world.ask("look_up", account, payloads.written({"provider_id": asked or UNKNOWN}))


def _ordinary(world: World, step: Step) -> None:
    """What an ordinary merchant does; without it few histories would reach a deal, and fewer a renewal."""
    account = account_of(world, step)
    if account.ledger.in_fulfilment:
        return
    for deal_id in account.ledger.active:
        world.pass_time(days=110)
        pay(world, account, deal_id, share(world, account, deal_id, 60))
    before = set(account.ledger.offers)
    request(world, account, key=world.new_key())
    new = [offer_id for offer_id in account.ledger.offers if offer_id not in before]
    if new:
        body = payloads.acceptance(new[step.which % len(new)], payloads.BANKS[0])
        world.ask("accept_offer", account, body, key=world.new_key())
        _fund(world, step)


def _application(account: Account, step: Step) -> str:
    known = account.ledger.in_fulfilment or list(account.ledger.applications) or [UNKNOWN]
    return known[step.which % len(known)]


def _supply(world: World, step: Step) -> None:
    account = account_of(world, step)
    details = {"bank_details": dict(payloads.BANKS[step.how % 2])}
    body = {"application_id": _application(account, step), "details": details}
    world.ask("supply_details", account, payloads.written(body), key=_key(world, account, step))


def _close_application(world: World, step: Step) -> None:
    account = account_of(world, step)
    status = ("declined", "withdrawn")[step.how % 2]
    body = {"application_id": _application(account, step), "status": status}
    world.ask("close_application", account, payloads.written(body), key=_key(world, account, step))


def _fund(world: World, step: Step) -> None:
    account = account_of(world, step)
    body = payloads.written({"application_id": _application(account, step)})
    world.ask("fund_deal", account, body, key=_key(world, account, step))


def _pay(world: World, step: Step) -> None:
    """Pay something; sometimes what was not settled, and now and then everything."""
    account = account_of(world, step)
    for deal_id in account.ledger.active or list(account.ledger.deals)[-1:]:
        entries = share(world, account, deal_id, (5, 20, 55, 120)[step.how % 4])
        entries[0]["settled"] = step.which % 6 != 0
        pay(world, account, deal_id, entries)


def _deliver_again(world: World, step: Step) -> None:
    """An entry comes again: as it was, settled at last, with another amount, or to be reversed."""
    account = account_of(world, step)
    known = [
        (deal_id, entry)
        for deal_id, owed in account.ledger.deals.items()
        for entry in owed.entries.values()
        if not entry.get("reverses")
    ]
    if not known:
        return
    deal_id, earlier = known[step.which % len(known)]
    due, takings = amount(earlier["amount"]), amount(earlier["takings"])
    entry = {**earlier, "amount": due, "takings": takings}
    if step.how % 4 == 1:
        entry["settled"] = True
    elif step.how % 4 == 2:
        entry["amount"] = due + _PENNY
        taken = pay(world, account, deal_id, [entry])
        expect(not taken, "delivered-once", "an entry with another amount was taken")
        return
    elif step.how % 4 == 3:
        entry = {**entry, "id": f"back-{entry['id']}", "reverses": entry["id"], "takings": None}
    pay(world, account, deal_id, [entry])


def _takings(world: World, step: Step) -> None:
    account = account_of(world, step)
    day = today(world, account).isoformat()
    taken = [{"on": day, "amount": Decimal(step.which * 1000) + _PENNY}]
    body = payloads.written({"takings": taken, "complete_through": day})
    world.ask("record_takings", account, body, key=_key(world, account, step))


def _close_deal(world: World, step: Step) -> None:
    account = account_of(world, step)
    for deal_id in account.ledger.active:
        body = {"deal_id": deal_id, "status": ("defaulted", "cancelled")[step.how % 2]}
        world.ask("close_deal", account, payloads.written(body), key=_key(world, account, step))


def _review(world: World, step: Step) -> None:
    account = account_of(world, step)
    world.ask("review_renewal", account, b"{}", key=_key(world, account, step))


def _again(world: World, step: Step) -> None:
    """A request that was answered comes again, however late."""
    if not world.answered:
        return
    keys = list(world.answered)[-20:]
    partner, key = keys[step.which % len(keys)]
    account, earlier = world.answered[partner, key]
    checked = earlier.input.get("evidence")
    world.ask(earlier.operation, account, earlier.input["body"], key=key, evidence=checked)


def _key_reused(world: World, step: Step) -> None:
    """A key that was used comes with another request."""
    account = account_of(world, step)
    # Agents may have keys of their own.
    used = [
        key
        for (partner, key), (_, earlier) in world.answered.items()
        if partner == account.partner and earlier.operation in PARTNERS
    ]
    if used:
        body = payloads.initial(account.merchant_id, use=f"use {step.how}")
        key = used[step.which % len(used)]
        checked = payloads.evidence(today(world, account))
        world.ask("request_offers", account, body, key=key, evidence=checked)


def _time(world: World, step: Step) -> None:
    world.at += _TIMES[step.which % len(_TIMES)]


def _to_the_expiry(world: World, step: Step) -> None:
    """To the instant at which an offer expires, or just before it."""
    account = account_of(world, step)
    ahead = [
        each.expires_at for each in account.ledger.offers.values() if each.expires_at > world.at
    ]
    if ahead:
        world.at = ahead[step.which % len(ahead)] - timedelta(microseconds=step.how % 2)


def _crash(world: World, step: Step) -> None:
    """The host dies at some step of what comes next."""
    if "crash" in world.able:
        world.dies_at = step.which % (1 + step.how % _STEPS)  # early steps more often


def _rules(world: World, step: Step) -> None:
    """The rules change, and perhaps change back."""
    world.change_rules(otherwise=step.how % 2 == 0)


ACTIONS: Final[Mapping[str, tuple[int, Callable[[World, Step], None]]]] = MappingProxyType(
    {
        "request": (10, _request),
        "accept": (14, _accept),
        "look up": (8, _look_up),
        "an ordinary application": (8, _ordinary),
        "supply details": (4, _supply),
        "close the application": (3, _close_application),
        "fund": (5, _fund),
        "pay": (10, _pay),
        "deliver again": (6, _deliver_again),
        "record takings": (2, _takings),
        "close the deal": (1, _close_deal),
        "review": (3, _review),
        "the same request again": (8, _again),
        "a key with another request": (3, _key_reused),
        "time": (8, _time),
        "to the expiry": (4, _to_the_expiry),
        "crash": (4, _crash),
        "change the rules": (1, _rules),
    }
)
"""By the name of an action, how often it is tried, and what it does."""
