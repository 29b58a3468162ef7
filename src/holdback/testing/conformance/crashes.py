"""Hosts that die: at every step of every operation, and killed in the middle of their work."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from typing import Final

from holdback.testing.conformance import payloads
from holdback.testing.conformance.actions import pay, share
from holdback.testing.conformance.exchanges import OK, Account
from holdback.testing.conformance.host import Crashed, Process
from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.scripts import accept, fund, look_up, offers
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulation import World

# An operation of so many statements is none that anybody wants.
_MOST_STEPS: Final = 500
# How long a process may live, as long as none has answered anything; on a slow machine, longer each time.
_LONGEST_LIFE: Final = timedelta(milliseconds=250)


def every_step(session: Session) -> None:
    """The host dies at each step of each operation, until no operation has so many."""
    for step in range(_MOST_STEPS):
        world = session.world()
        _life(world, world.account(), step)
        if world.crashes == 0:
            expect(step > 0, "whole", "`crash` let the host die at no step at all")
            return
    expect(not world.crashes, "whole", f"after {_MOST_STEPS} steps an operation has not ended")


def _life(world: World, account: Account, step: int) -> None:
    """A merchant's way to a renewal, the host dying at *step* of each operation on it."""

    def dying() -> str:
        world.dies_at = step
        return world.new_key()

    made = offers(world, account, key=dying())
    accept(world, account, made[0], key=dying())
    accept(world, account, made[1], key=dying())
    world.dies_at = step
    deal_id = fund(world, account)
    world.pass_time(days=110)
    world.dies_at = step
    pay(world, account, deal_id, share(world, account, deal_id, 60))
    accept(world, account, offers(world, account, key=dying())[0], key=dying())
    world.dies_at = step
    fund(world, account)
    look_up(world, account)


def kills(session: Session) -> None:
    """A process is killed at a moment that nobody chose, and the client asks again in another."""
    random, answered, longest = session.random("kills"), 0, _LONGEST_LIFE
    for number in range(session.effort.kills):
        session.progress(number, session.effort.kills)
        world = session.world()
        accounts = [world.account(name=str(each)) for each in range(4)]
        for account in accounts:
            offers(world, account)
        process = session.new_process()
        _wake(world, process, accounts[0])  # it is up, and at work from here
        life = longest * random.randrange(1000) // 1000
        killer = threading.Timer(life.total_seconds(), process.kill)
        killer.start()
        acknowledged = _until_dead(world, process, accounts)
        killer.join()
        answered += sum(status == OK for status, _ in acknowledged.values())
        if not answered:
            longest *= 2
        _recovered(world, accounts, acknowledged)
    expect(answered, "acknowledged-kept", "no process did anything before it was killed")


def _wake(world: World, process: Process, account: Account) -> None:
    """A question that needs no answer but that there is one."""
    body = payloads.written({"provider_id": account.merchant_id})
    process.handle("look_up", world.input_of("look_up", account, body), key=None, at=world.at)


def _until_dead(
    world: World, process: Process, accounts: list[Account]
) -> dict[tuple[str, str], tuple[int, bytes]]:
    """The answers that a dying process still gave, by merchant and key."""
    answers: dict[tuple[str, str], tuple[int, bytes]] = {}
    number = 0
    while True:
        number += 1
        account = accounts[number % len(accounts)]
        made = list(account.ledger.offers)
        key = f"{world.label}-kill{number}"
        body = payloads.acceptance(made[number % len(made)], payloads.BANKS[0])
        try:
            given = world.input_of("accept_offer", account, body)
            answers[account.merchant_id, key] = process.handle(
                "accept_offer", given, key=key, at=world.at
            )
        except Crashed:
            answers[account.merchant_id, key] = (0, body)
            return answers


def _recovered(
    world: World, accounts: list[Account], answers: dict[tuple[str, str], tuple[int, bytes]]
) -> None:
    """What was acknowledged has happened, once; what was cut off can be asked for again."""
    for account in accounts:
        world.audit(account)
    by_id = {account.merchant_id: account for account in accounts}
    for (merchant_id, key), (status, body) in answers.items():
        account = by_id[merchant_id]
        if status == OK:
            offer_id = _accepted(body)
            won = account.ledger.offers[offer_id].status == "Accepted"
            expect(
                won,
                "acknowledged-kept",
                "an acceptance was acknowledged before the kill and is lost",
            )
            again = accept(world, account, offer_id, key=key)
            expect(again.body == body, "replay-equal", "after the kill a key got other bytes")
        elif status == 0:
            world.ask("accept_offer", account, body, key=key)
    for account in accounts:
        if account.ledger.in_fulfilment:
            fund(world, account)
            look_up(world, account)


def _accepted(body: bytes) -> str:
    offer_id: str = json.loads(body)["offer"]["offer_id"]
    return offer_id
