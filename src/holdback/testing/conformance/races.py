"""Many workers at once on the same offers, in threads and in processes: one wins, and all agree who."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from random import Random
from typing import Final

from attrs import frozen

from holdback.testing.conformance import payloads
from holdback.testing.conformance.exchanges import OK, Account, Exchange, patiently
from holdback.testing.conformance.host import Host, Input, Process
from holdback.testing.conformance.invariants import BrokenInvariantError, expect
from holdback.testing.conformance.replies import sound
from holdback.testing.conformance.scripts import look_up, offers
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulation import World

_TRIES: Final = 50
# More of them than this wait for a processor and not for each other.
_PROCESSES: Final = 4


@frozen
class Try:
    """One worker's request: an acceptance of `offer_id`."""

    offer_id: str
    key: str | None
    bank: int


def threads(session: Session) -> None:
    """Threads race for the offers of a merchant, some with one key, some without any."""
    _race(session, [session.host] * session.effort.workers, session.effort.sets)


def processes(session: Session) -> None:
    """Processes race for the offers of a merchant."""
    with ExitStack() as stack:
        workers = []
        for _ in range(min(_PROCESSES, session.effort.workers)):
            process = session.new_process()
            stack.callback(process.close)
            workers.append(process)
        _race(session, workers, max(1, session.effort.sets // 10))


def _race(session: Session, workers: Sequence[Host | Process], sets: int) -> None:
    with _hasty(), ThreadPoolExecutor(len(workers)) as pool:
        for number in range(sets):
            session.progress(number, sets)
            world = session.world()
            account = world.account()
            # One set of offers, or two that are open at once.
            made = offers(world, account) + (offers(world, account) if number % 2 else [])
            random = session.random(f"race {number}")
            tries = [_try(random, made, world.label) for _ in workers]
            world.exchanges.extend(_answers(world, account, workers, tries, pool))
            _judge(world, account, world.exchanges[-len(tries) :])


def _try(random: Random, made: Sequence[str], label: str) -> Try:
    offer_id = random.choice(made)
    return Try(
        offer_id, random.choice([None, f"{label}-{random.choice('abcdefgh')}"]), random.randrange(2)
    )


def _answers(
    world: World,
    account: Account,
    workers: Sequence[Host | Process],
    tries: Sequence[Try],
    pool: ThreadPoolExecutor,
) -> list[Exchange]:
    """What the workers get that start at the same moment, each with its own try."""
    start = threading.Barrier(len(workers))

    def attempt(worker: Host | Process, one: Try) -> Exchange:
        body = payloads.acceptance(one.offer_id, payloads.BANKS[one.bank])
        given = world.input_of("accept_offer", account, body)
        start.wait()
        return _asked(world, worker, given, one.key)

    return list(pool.map(attempt, workers, tries))


def _asked(world: World, worker: Host | Process, given: Input, key: str | None) -> Exchange:
    """The answer at last: a host that is busy (503) is asked again."""
    try:
        status, body = patiently(
            _TRIES, lambda: worker.handle("accept_offer", given, key=key, at=world.at)
        )
    except Exception as error:
        told = f"accept_offer raised {type(error).__name__}: {error}"
        raise BrokenInvariantError("sound-replies", told) from error
    return Exchange(0, "accept_offer", given, key, world.at, status, body)


def _judge(world: World, account: Account, answers: Sequence[Exchange]) -> None:
    """Never two winners, never none, and every winner has the same reply."""
    for each in answers:
        sound(each)
    world.audit(account)
    won = [each for each in answers if each.status == OK]
    accepted = {each.reply["offer"]["offer_id"] for each in won}
    kept = {name for name, offer in account.ledger.offers.items() if offer.status == "Accepted"}
    told = f"{len(accepted)} offers won by the answers, {len(kept)} by the events"
    expect(accepted <= kept, "acknowledged-kept", told)
    expect(accepted, "one-winner", "nobody won, and nobody was there before")
    asked = [each.asked["offer_id"] for each in won]
    expect(set(asked) == accepted, "own-merchant", "somebody got the reply to another offer")
    expect(len({each.body for each in won}) == 1, "replay-equal", "the winners got different bytes")
    look_up(world, account)


def strangers(session: Session) -> None:
    """Merchants of two partners at once, each in a thread: nobody gets what is another's."""
    rounds = max(1, session.effort.sets // 10)
    with _hasty(), ThreadPoolExecutor(session.effort.workers) as pool:
        for number in range(rounds):
            session.progress(number, rounds)
            worlds = [session.world() for _ in range(session.effort.workers)]
            start = threading.Barrier(len(worlds))
            for _ in pool.map(_stranger, worlds, range(len(worlds)), [start] * len(worlds)):
                pass


def _stranger(world: World, place: int, start: threading.Barrier) -> None:
    account = world.account(("acme", "bolt")[place % 2])
    world.tries = _TRIES
    start.wait()
    made = offers(world, account, key=world.new_key())
    for name in made[:2]:
        world.ask("accept_offer", account, payloads.acceptance(name), key=world.new_key())
    look_up(world, account)


@contextmanager
def _hasty() -> Iterator[None]:
    """Threads that take turns as often as they can, so that few rounds show a race."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(timedelta(microseconds=200).total_seconds())
    try:
        yield
    finally:
        sys.setswitchinterval(before)
