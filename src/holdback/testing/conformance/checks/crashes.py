"""Checks of hosts that die: at every step of every operation, and killed while they work."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Final, TypeAlias

from holdback.frozen_classes import frozen
from holdback.testing import payloads
from holdback.testing.conformance.host import Crashed, Process
from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulated.exchanges import OK, SimulatedMerchant
from holdback.testing.conformance.simulated.requests import (
    accept,
    ask_everything,
    fund,
    look_up,
    new_offers,
    pay,
    request_offers,
)
from holdback.testing.conformance.simulated.simulation import Simulation

# More steps than any reasonable operation has: a bound for hosts whose steps never end.
_MOST_STEPS: Final = 500
# The longest life of a process. It doubles as long as no process has answered anything, so that a
# slow machine is not blamed on the host.
_LONGEST_LIFE: Final = timedelta(milliseconds=250)
# Kills beyond the wanted ones while no process has answered anything, as on a slow machine.
_MORE_KILLS: Final = 6

# The status and body of each answer, by merchant_id and key.
_Answers: TypeAlias = dict[tuple[str, str], tuple[int, bytes]]


@frozen
class _CutOff:
    """The request during which the process was killed; whether it happened is unknown."""

    merchant_id: str
    key: str
    body: bytes


def crash_at_every_step(session: Session) -> None:
    """Let the host die at each step of each operation, until no operation has that many steps."""

    def host_dies(step: int) -> bool:
        simulation = session.simulation()
        _crash_on_the_way_to_renewal(simulation, simulation.merchant(), step)
        return simulation.crashes > 0

    steps = crash_until_past_the_last_step(host_dies)
    expect(steps > 0, "whole", "`crash(0)` did not let the host die in any operation")


def crash_until_past_the_last_step(host_dies: Callable[[int], bool]) -> int:
    """
    Call *host_dies* with the steps from 0 on until the host survives, and return that step.

    A host that still dies at step `_MOST_STEPS` breaks an invariant.
    """
    step = 0
    while host_dies(step):
        step += 1
        expect(step < _MOST_STEPS, "whole", f"an operation has more than {_MOST_STEPS} steps")
    return step


def _crash_on_the_way_to_renewal(
    simulation: Simulation, merchant: SimulatedMerchant, step: int
) -> None:
    def crashing_key() -> str:
        simulation.crash_at = step
        return simulation.new_key()

    offer_ids = new_offers(simulation, merchant, key=crashing_key())
    accept(simulation, merchant, offer_ids[0], key=crashing_key())
    accept(simulation, merchant, offer_ids[1], key=crashing_key())
    simulation.crash_at = step
    deal_id = fund(simulation, merchant)
    simulation.pass_time(days=110)
    simulation.crash_at = step
    pay(simulation, merchant, deal_id, 60)
    renewal_ids = new_offers(simulation, merchant, key=crashing_key())
    accept(simulation, merchant, renewal_ids[0], key=crashing_key())
    simulation.crash_at = step
    fund(simulation, merchant)
    look_up(simulation, merchant)
    request_offers(simulation, merchant, credit_score=600)
    ask_everything(simulation, merchant, 0, crashing_key)


def kill_at_random_moments(session: Session) -> None:
    """Kill a process at a random moment, and ask again in another one, as the client would."""
    random, answered, longest = session.random("kills"), 0, _LONGEST_LIFE
    wanted = session.effort.kills
    for number in range(wanted + _MORE_KILLS):
        if number >= wanted and answered:
            break
        session.progress(min(number, wanted), wanted)
        simulation = session.simulation()
        merchants = [simulation.merchant(name=str(name)) for name in range(4)]
        for merchant in merchants:
            new_offers(simulation, merchant)
        process = session.new_process()
        _wait_until_up(simulation, process, merchants[0])
        life = longest * random.randrange(1000) // 1000
        killer = threading.Timer(life.total_seconds(), process.kill)
        killer.start()
        answers, cut_off = _accept_until_dead(simulation, process, merchants)
        killer.join()
        answered += sum(status == OK for status, _ in answers.values())
        if not answered:
            longest *= 2
        _check_recovery(simulation, merchants, answers, cut_off)
    expect(answered, "acknowledged-kept", "no process answered anything before it was killed")


def _wait_until_up(simulation: Simulation, process: Process, merchant: SimulatedMerchant) -> None:
    """Ask anything: once there is an answer, the process has started, and its life begins."""
    request = simulation.input_for("look_up", merchant, {"provider_id": merchant.merchant_id})
    process.handle("look_up", request, key=None, at=simulation.at)


def _accept_until_dead(
    simulation: Simulation, process: Process, merchants: list[SimulatedMerchant]
) -> tuple[_Answers, _CutOff]:
    """Accept offers until the process is dead; return its answers, and the unanswered request."""
    answers: _Answers = {}
    number = 0
    while True:
        number += 1
        merchant = merchants[number % len(merchants)]
        offer_ids = list(merchant.projection.offers)
        key = f"{simulation.label}-kill{number}"
        body = payloads.acceptance(offer_ids[number % len(offer_ids)], payloads.BANKS[0])
        request = simulation.input_for("accept_offer", merchant, body)
        try:
            answer = process.handle("accept_offer", request, key=key, at=simulation.at)
        except Crashed:
            return answers, _CutOff(merchant.merchant_id, key, request["body"])
        answers[merchant.merchant_id, key] = answer


def _check_recovery(
    simulation: Simulation,
    merchants: list[SimulatedMerchant],
    answers: _Answers,
    cut_off: _CutOff,
) -> None:
    """Check that acknowledged acceptances happened once; retry the request that was cut off."""
    for merchant in merchants:
        simulation.read_concurrent_events(merchant)
    by_id = {merchant.merchant_id: merchant for merchant in merchants}
    for (merchant_id, key), (status, body) in answers.items():
        merchant = by_id[merchant_id]
        if status == OK:
            offer_id = _accepted_offer_id(body)
            accepted = merchant.projection.offers[offer_id].status == "Accepted"
            message = "an acceptance was acknowledged before the kill and is lost"
            expect(accepted, "acknowledged-kept", message)
            again = accept(simulation, merchant, offer_id, key=key)
            same = again.body == body
            expect(same, "replay-equal", "after the kill a key got other bytes")
    simulation.ask("accept_offer", by_id[cut_off.merchant_id], cut_off.body, key=cut_off.key)
    for merchant in merchants:
        if merchant.projection.in_fulfilment:
            fund(simulation, merchant)
            look_up(simulation, merchant)


def _accepted_offer_id(reply: bytes) -> str:
    offer_id: str = json.loads(reply)["offer"]["offer_id"]
    return offer_id
