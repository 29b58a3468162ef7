"""Short scenes, each written to find one kind of fault: the same request twice, an expiry, another partner."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import permutations
from typing import Any, Final

from holdback.testing.conformance import payloads
from holdback.testing.conformance.actions import UNKNOWN, pay, request, share, today
from holdback.testing.conformance.exchanges import OK, Account, Exchange
from holdback.testing.conformance.host import Crashed
from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulation import World

_MOMENT: Final = timedelta(microseconds=1)
# Around the days on which clocks are put forward and back in many places.
_SEASONS: Final = (
    datetime(2026, 3, 2, 0, 30, tzinfo=UTC),
    datetime(2026, 3, 28, 1, 30, tzinfo=UTC),
    datetime(2026, 10, 3, 23, 30, tzinfo=UTC),
    datetime(2027, 9, 25, 0, 59, 59, 999999, tzinfo=UTC),
)


def offers(world: World, account: Account, *, key: str | None = None) -> list[str]:
    """The offer_ids on a new request for offers, which gets some."""
    before = set(account.ledger.offers)
    request(world, account, key=key)
    new = [offer_id for offer_id in account.ledger.offers if offer_id not in before]
    expect(new, "sound-replies", "a merchant with good evidence got no offers")
    return new


def accept(world: World, account: Account, offer_id: str, *, key: str | None = None) -> Exchange:
    """The acceptance of an offer, with bank details."""
    return world.ask(
        "accept_offer", account, payloads.acceptance(offer_id, payloads.BANKS[0]), key=key
    )


def fund(world: World, account: Account) -> str:
    """The deal_id of the application in fulfilment, funded."""
    body = payloads.written({"application_id": account.ledger.in_fulfilment[0]})
    done = world.ask("fund_deal", account, body, key=world.new_key())
    expect(done.status == OK, "acknowledged-kept", "a submitted application cannot be funded")
    return account.ledger.active[0]


def funded(world: World, account: Account) -> str:
    """The deal_id of a merchant's first deal, from its request on."""
    accept(world, account, offers(world, account, key=world.new_key())[0], key=world.new_key())
    return fund(world, account)


def look_up(world: World, account: Account) -> Exchange:
    """What the merchant lookup says."""
    return world.ask(
        "look_up", account, payloads.written({"provider_id": account.ledger.provider_id})
    )


def partner_flow(session: Session) -> None:
    """The nine steps of a partner (service 1), with a renewal, and every reply in between."""
    world = session.world()
    account = world.account()
    deal_id = funded(world, account)
    look_up(world, account)
    world.pass_time(days=110)
    pay(world, account, deal_id, share(world, account, deal_id, 60))
    world.ask("review_renewal", account, b"{}", key=world.new_key())
    shown = look_up(world, account).reply["deals"][0]
    expect(
        shown["performance"]["renewal_eligibility"],
        "lookup-agrees",
        "a good deal of 60 percent is not eligible",
    )
    accept(world, account, offers(world, account)[0])
    fund(world, account)
    look_up(world, account)
    history = b"".join(account.seen)
    for number in payloads.EXACT_NUMBERS:
        expect(
            number in history,
            "exact-numbers",
            f"{number.decode()} is not in the history as it was sent",
        )


def same_key(session: Session) -> None:
    """Every operation again with its key: at once, when the merchant has moved on, and a year later."""
    world = session.world()
    account = world.account()
    deal_id = funded(world, account)
    takings = {
        "takings": [{"on": "2026-03-01", "amount": Decimal("10.10")}],
        "complete_through": "2026-03-01",
    }
    world.ask("record_takings", account, payloads.written(takings), key=world.new_key())
    world.pass_time(days=110)
    pay(world, account, deal_id, share(world, account, deal_id, 60))
    world.ask("review_renewal", account, b"{}", key=world.new_key())
    _all_again(world)
    accept(world, account, offers(world, account, key=world.new_key())[0], key=world.new_key())
    closed = {"application_id": account.ledger.in_fulfilment[0], "status": "withdrawn"}
    world.ask("close_application", account, payloads.written(closed), key=world.new_key())
    ended = {"deal_id": deal_id, "status": "defaulted"}
    world.ask("close_deal", account, payloads.written(ended), key=world.new_key())
    _all_again(world)
    world.pass_time(days=365)
    _all_again(world)


def _all_again(world: World) -> None:
    for account, earlier in list(world.answered.values()):
        checked = earlier.input["evidence"]
        world.ask(
            earlier.operation, account, earlier.input["body"], key=earlier.key, evidence=checked
        )


def retry_after_expiry(session: Session) -> None:
    """An acceptance that succeeded is asked for again after the offers' expiry, with its key and without."""
    world = session.world()
    account = world.account()
    offer_id = offers(world, account)[0]
    first = accept(world, account, offer_id, key=world.new_key())
    world.at = account.ledger.offers[offer_id].expires_at + timedelta(days=1)
    accept(world, account, offer_id, key=first.key)
    again = accept(world, account, offer_id)
    expect(again.status == OK, "replay-after-expiry", f"without its key it got {again.status}")
    expect(again.body == first.body, "replay-equal", "without its key it got other bytes")


def key_of_another_request(session: Session) -> None:
    """A key comes again with another body, with another operation, and from another partner."""
    world = session.world()
    account, other = world.account(), world.account("bolt")
    first = offers(world, account, key=world.new_key())
    offers(world, account)
    for _, exchange in list(world.answered.values()):
        body = payloads.initial(account.merchant_id, use="something else")
        checked = payloads.evidence(world.at.date())
        world.ask("request_offers", account, body, key=exchange.key, evidence=checked)
        accept(world, account, first[0], key=exchange.key)
        # Another partner's key of the same name is another key.
        offers(world, other, key=exchange.key)
    _one_key_for_two_merchants(world)


def _one_key_for_two_merchants(world: World) -> None:
    """The body is the same and the merchant is not, so it is another request."""
    taken = [{"on": "2026-03-01", "amount": Decimal("10.10")}]
    body = payloads.written({"takings": taken, "complete_through": "2026-03-01"})
    accounts = [world.account(name="one"), world.account(name="two")]
    for account in accounts:
        offers(world, account)
    key = world.new_key()
    for account in accounts:
        world.ask("record_takings", account, body, key=key)


def expiry(session: Session) -> None:
    """Offers accepted a microsecond before expiresAt, at it, and an hour to either side, through the seasons."""
    sides = (-_MOMENT, timedelta(0), _MOMENT, timedelta(hours=-1), timedelta(hours=1))
    for start in _SEASONS:
        world = session.world()
        for place, side in enumerate(sides):
            world.at = start
            account = world.account(name=str(place))
            offer_id = offers(world, account)[place % 2]
            world.at = account.ledger.offers[offer_id].expires_at + side
            accept(world, account, offer_id, key=world.new_key())


def clock_back(session: Session) -> None:
    """An offer that was seen expired stays so when the clock goes back; nothing is dated earlier."""
    world = session.world()
    account = world.account()
    old = offers(world, account)
    world.at = account.ledger.offers[old[0]].expires_at + timedelta(minutes=1)
    new = offers(world, account)
    world.pass_time(minutes=-10)
    accept(world, account, old[0])
    accept(world, account, new[0])
    world.pass_time(days=-3)
    fund(world, account)
    look_up(world, account)


def two_applications(session: Session) -> None:
    """Two sets of offers of one merchant, and one of each accepted: the second is refused."""
    world = session.world()
    account = world.account()
    sets = [offers(world, account), offers(world, account)]
    accept(world, account, sets[0][0], key=world.new_key())
    accept(world, account, sets[1][0], key=world.new_key())
    accept(world, account, sets[0][1], key=world.new_key())
    request(world, account, again=True, key=world.new_key())
    fund(world, account)
    application_id = next(iter(account.ledger.applications))
    again = payloads.written({"application_id": application_id})
    world.ask("fund_deal", account, again, key=world.new_key())
    accept(world, account, sets[1][0])


def changed_rules(session: Session) -> None:
    """Offers made by rules that have changed since are accepted on the terms that were offered."""
    world = session.world()
    account = world.account()
    made = offers(world, account)
    world.change_rules(otherwise=True)
    try:
        world.pass_time(days=20)
        accept(world, account, made[0], key=world.new_key())
        fund(world, account)
    finally:
        world.change_rules(otherwise=False)
    look_up(world, account)


def tenancy(session: Session) -> None:
    """A partner asks for what is another's: it is as unknown as what never was, byte for byte."""
    world = session.world()
    mine, theirs = world.account("acme"), world.account("bolt", "other")
    funded(world, mine)
    made = offers(world, theirs)
    for operation, strange, unknown in (
        ("accept_offer", {"offer_id": made[0]}, {"offer_id": UNKNOWN}),
        (
            "look_up",
            {"provider_id": _provider_id(world, theirs, made[0])},
            {"provider_id": UNKNOWN},
        ),
    ):
        never = world.ask(operation, mine, payloads.written(unknown))
        foreign = world.ask(operation, mine, payloads.written(strange))
        _as_unknown(never, foreign)
    # What is the name of an offer is not the name of a merchant.
    world.ask("look_up", mine, payloads.written({"provider_id": next(iter(mine.ledger.offers))}))
    own = world.account("acme", "new")
    never = world.ask("request_offers", own, payloads.renewal(own.merchant_id, UNKNOWN))
    foreign_id = theirs.ledger.provider_id or UNKNOWN
    foreign = world.ask("request_offers", own, payloads.renewal(own.merchant_id, foreign_id))
    _as_unknown(never, foreign)
    for partner in ("acme", "bolt"):
        twin = world.account(partner, "twin")
        expect(not twin.read(world.host), "tenancy", "a merchant that never asked has a history")
        funded(world, twin)
        look_up(world, twin)


def _provider_id(world: World, account: Account, offer_id: str) -> str:
    accept(world, account, offer_id)
    return account.ledger.provider_id or UNKNOWN


def _as_unknown(never: Exchange, foreign: Exchange) -> None:
    told = f"{foreign.operation} got {foreign.status}, and {never.status} for what never was"
    expect((foreign.status, foreign.body) == (never.status, never.body), "tenancy", told)


def deliveries(session: Session) -> None:
    """The same entries delivered in every order, some of them twice: the same deal each time."""
    seen: set[str] = set()
    for place, order in enumerate(permutations(range(4))):
        if place % 3:
            continue
        world = session.world()
        account = world.account()
        deal_id = funded(world, account)
        day = today(world, account)
        world.pass_time(days=30)
        entries = [
            payloads.entry("e-1", day + timedelta(days=1), Decimal("100.10")),
            payloads.entry("e-2", day + timedelta(days=2), Decimal("7000.05")),
            payloads.entry("e-3", day + timedelta(days=3), Decimal("0.01"), settled=False),
            payloads.entry("e-4", day + timedelta(days=4), Decimal("55.00")),
        ]
        for number, each in enumerate(order, start=1):
            pay(world, account, deal_id, [entries[each]])
            pay(world, account, deal_id, [entries[order[0]]])
            held = len(account.ledger.deals[deal_id].entries)
            told = f"{number} entries were delivered, one of them again, and {held} are held"
            expect(held == number, "delivered-once", told)
        shown = look_up(world, account).reply["deals"][0]
        seen.add(json.dumps(_without_ids(shown), default=str, sort_keys=True))
    expect(len(seen) == 1, "any-order", f"{len(seen)} different deals came of it")


def _without_ids(deal: dict[str, Any]) -> dict[str, Any]:
    transactions = sorted(deal["transactions"], key=lambda each: each["id"])
    return {**deal, "id": "", "application_id": "", "transactions": transactions}


def telling(session: Session) -> None:
    """Others are told of what happened, all of it, in order, whatever died on the way."""
    if "crash" not in session.able:
        _told_of_a_life(session, None)
        return
    step, crashes = 0, 1
    while crashes:
        crashes = _told_of_a_life(session, step)
        step += 1
    step = 0
    while _died_telling(session, step):
        step += 1


def _told_of_a_life(session: Session, step: int | None) -> int:
    """A merchant's way to a default, the host dying at *step* of its operations; how often it died."""
    world = session.world()
    account = world.account()
    world.dies_at = step
    made = offers(world, account, key=world.new_key())
    _told(session, account)
    world.dies_at = step
    accept(world, account, made[0], key=world.new_key())
    _told(session, account)
    deal_id = fund(world, account)
    world.pass_time(days=110)
    world.dies_at = step
    pay(world, account, deal_id, share(world, account, deal_id, 60))
    world.ask("review_renewal", account, b"{}", key=world.new_key())
    world.dies_at = step
    ended = {"deal_id": deal_id, "status": "defaulted"}
    world.ask("close_deal", account, payloads.written(ended), key=world.new_key())
    _told(session, account)
    return world.crashes


def _died_telling(session: Session, step: int) -> bool:
    """Whether the host died at *step* of telling what is due; some of it may have been told, and is told again."""
    host: Any = session.host
    world = session.world()
    account = world.account()
    deal_id = funded(world, account)
    world.pass_time(days=110)
    pay(world, account, deal_id, share(world, account, deal_id, 60))
    host.crash(step)
    try:
        host.told(account.partner, account.merchant_id)
    except Crashed:
        died = True
    else:
        died = False
    _told(session, account)
    return died


def _told(session: Session, account: Account) -> None:
    host: Any = session.host
    told = list(host.told(account.partner, account.merchant_id))
    history = host.history(account.partner, account.merchant_id)
    due = [event for event in history if json.loads(event)["type"] in host.tells]
    ghosts = [event for event in told if event not in due]
    expect(
        not ghosts,
        "told-after-commit",
        f"{len(ghosts)} events were told that are not in the history",
    )
    once = list(dict.fromkeys(told))
    expect(once == [each for each in due if each in once], "told-in-order", "in another order")
    lacking = [event for event in due if event not in told]
    expect(not lacking, "told-all", f"{len(lacking)} of {len(due)} events were not told")


def restart(session: Session) -> None:
    """A new process on the same store: every reply to a key again, every lookup, and on from there."""
    world = session.world()
    account = world.account()
    deal_id = funded(world, account)
    world.pass_time(days=110)
    pay(world, account, deal_id, share(world, account, deal_id, 60))
    before = look_up(world, account)
    process = session.new_process()
    try:
        for one, earlier in list(world.answered.values()):
            given = earlier.input
            again = world.exchange(process, earlier.operation, given, earlier.key)
            expect(again.body == earlier.body, "restart", f"{earlier.operation} got other bytes")
            expect(not one.read(world.host), "restart", f"{earlier.operation} happened again")
        after = world.exchange(process, "look_up", before.input, None)
        expect(after.body == before.body, "restart", "the lookup got other bytes")
        body = payloads.renewal(account.merchant_id, account.ledger.provider_id or UNKNOWN)
        world.ask("request_offers", account, body, key=world.new_key(), by=process)
    finally:
        process.close()
