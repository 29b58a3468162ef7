"""Checks with many workers at once, in threads and in processes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from random import Random
from typing import Final

from holdback.frozen_classes import frozen
from holdback.testing import payloads
from holdback.testing.conformance.host import Host, Input, Process
from holdback.testing.conformance.invariants import BrokenInvariantError, expect
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulated.exchanges import (
    OK,
    Exchange,
    SimulatedMerchant,
    ask_until_free,
)
from holdback.testing.conformance.simulated.replies import check_form
from holdback.testing.conformance.simulated.requests import look_up, new_offers
from holdback.testing.conformance.simulated.simulation import Simulation

_ATTEMPTS: Final = 50
# More processes than this wait for a processor and no longer race each other. How many threads
# race is the effort's, `Effort.workers`.
_MOST_PROCESSES: Final = 4


@frozen
class Entrant:
    """What one worker of a race asks for: the acceptance of `offer_id`, paid to `bank`."""

    offer_id: str
    key: str | None
    bank: int


def threads(session: Session) -> None:
    """Let threads race for the offers of one merchant, some with the same key, some with none."""
    _race(session, [session.host] * session.effort.workers, session.effort.sets)


def processes(session: Session) -> None:
    """Let processes race for the offers of one merchant."""
    with ExitStack() as stack:
        workers = []
        for _ in range(min(_MOST_PROCESSES, session.effort.workers)):
            process = session.new_process()
            stack.callback(process.close)
            workers.append(process)
        _race(session, workers, max(1, session.effort.sets // 10))


def _race(session: Session, workers: Sequence[Host | Process], sets: int) -> None:
    with _frequent_thread_switches(), ThreadPoolExecutor(len(workers)) as pool:
        for number in range(sets):
            session.progress(number, sets)
            simulation = session.simulation()
            merchant = simulation.merchant()
            offer_ids = new_offers(simulation, merchant)
            if number % 2:  # every other race is for two sets that are open at once
                offer_ids += new_offers(simulation, merchant)
            random = session.random(f"race {number}")
            entrants = [_entrant(random, offer_ids, simulation.label) for _ in workers]
            answers = _answers(simulation, merchant, workers, entrants, pool)
            simulation.exchanges.extend(answers)
            _check_race(simulation, merchant, answers)


def _entrant(random: Random, offer_ids: Sequence[str], label: str) -> Entrant:
    return Entrant(
        random.choice(offer_ids),
        random.choice([None, f"{label}-{random.choice('abcdefgh')}"]),
        random.randrange(2),
    )


def _answers(
    simulation: Simulation,
    merchant: SimulatedMerchant,
    workers: Sequence[Host | Process],
    entrants: Sequence[Entrant],
    pool: ThreadPoolExecutor,
) -> list[Exchange]:
    """Return the exchanges of workers that all start at the same moment."""
    start = threading.Barrier(len(workers))

    def run(worker: Host | Process, entrant: Entrant) -> Exchange:
        body = payloads.acceptance(entrant.offer_id, payloads.BANKS[entrant.bank])
        request = simulation.input_for("accept_offer", merchant, body)
        start.wait()
        return _final_answer(simulation, worker, request, entrant.key)

    return list(pool.map(run, workers, entrants))


def _final_answer(
    simulation: Simulation, worker: Host | Process, request: Input, key: str | None
) -> Exchange:
    """Return the answer of a host that is asked again as long as it is busy (503)."""
    try:
        status, body = ask_until_free(
            _ATTEMPTS, lambda: worker.handle("accept_offer", request, key=key, at=simulation.at)
        )
    except Exception as error:
        message = f"accept_offer raised {type(error).__name__}: {error}"
        raise BrokenInvariantError("sound-replies", message) from error
    return Exchange(0, "accept_offer", request, key, simulation.at, status, body)


def _check_race(
    simulation: Simulation, merchant: SimulatedMerchant, answers: Sequence[Exchange]
) -> None:
    """Check that one offer won, and that every worker who accepted it got the same reply."""
    for answer in answers:
        check_form(answer)
    simulation.read_concurrent_events(merchant)
    successes = [answer for answer in answers if answer.status == OK]
    replied = {answer.reply["offer"]["offer_id"] for answer in successes}
    stored = {
        offer_id
        for offer_id, offer in merchant.projection.offers.items()
        if offer.status == "Accepted"
    }
    message = f"{len(replied)} offers won by the answers, {len(stored)} by the events"
    expect(replied <= stored, "acknowledged-kept", message)
    message = "every acceptance was refused, though no offer had been accepted before"
    expect(replied, "one-winner", message)
    requested = {answer.request["offer_id"] for answer in successes}
    message = "a worker got the reply to another offer"
    expect(requested == replied, "own-merchant", message)
    same = len({answer.body for answer in successes}) == 1
    expect(same, "replay-equal", "the winners got different bytes")
    look_up(simulation, merchant)


def serve_two_partners(session: Session) -> None:
    """Serve merchants of two partners at once, each in a thread: no one gets another's reply."""
    rounds = max(1, session.effort.sets // 10)
    with _frequent_thread_switches(), ThreadPoolExecutor(session.effort.workers) as pool:
        for number in range(rounds):
            session.progress(number, rounds)
            simulations = [session.simulation() for _ in range(session.effort.workers)]
            start = threading.Barrier(len(simulations))
            starts = [start] * len(simulations)
            for _ in pool.map(_serve_one_merchant, simulations, range(len(simulations)), starts):
                pass  # raises what the thread raised


def _serve_one_merchant(simulation: Simulation, number: int, start: threading.Barrier) -> None:
    merchant = simulation.merchant(("acme", "bolt")[number % 2])
    simulation.attempts = _ATTEMPTS
    start.wait()
    offer_ids = new_offers(simulation, merchant, key=simulation.new_key())
    for offer_id in offer_ids[:2]:
        body = payloads.acceptance(offer_id)
        simulation.ask("accept_offer", merchant, body, key=simulation.new_key())
    look_up(simulation, merchant)


@contextmanager
def _frequent_thread_switches() -> Iterator[None]:
    """Switch threads every 0.2 ms instead of every 5 ms, so that few rounds show a race."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(timedelta(microseconds=200).total_seconds())
    try:
        yield
    finally:
        sys.setswitchinterval(before)
