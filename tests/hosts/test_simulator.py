"""Random histories: merchants of two partners, crashes, repeats, clock and rule changes."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from broken import (
    approval_of_anybody,
    consents_of_anybody,
    results_by_merchant,
    snapshot_without_version,
    sure_of_every_clock,
)

from counts import count
from holdback.merchant.deal import STATUSES
from holdback.operations import COMMANDS
from holdback.testing.conformance import CHECKS, Effort, MemoryHost, Session
from holdback.testing.conformance.check_table import rerun_options, run_check
from holdback.testing.conformance.simulated.histories import ACTIONS, carry_out, draw_steps
from holdback.testing.conformance.simulated.simulation import Simulation

HISTORIES, OPERATIONS = count("simulated histories"), 100
# Histories that together have to show everything that can happen.
RICH = count("simulated histories that have to be rich")
EVENTS_OF_DISCLOSURES = (
    "not disclosed",
    "not signed",
    "repeated on a later day",
    "signed",
    "signed and funded",
)
CHECK = next(check for check in CHECKS if check.name == "histories")


def simulated(host, seed, count):
    session = Session(host, seed, Effort(histories=count, operations=OPERATIONS))
    host.open()
    result = run_check(CHECK, session)
    return result, rerun_options(result, session)


def test_no_history_breaks_an_invariant():
    """
    No generated history breaks an invariant.
    """
    result, options = simulated(MemoryHost(), 0, HISTORIES)
    assert result.broken is None, f"{result.broken}\n{options}"


def disclosures_in(simulation):
    """How often a history refuses a funding and repeats, signs and pays out what was disclosed."""
    reached, shown = Counter(), {}
    for exchange in simulation.exchanges:
        reply = exchange.reply if exchange.status else {}  # the host died
        if (exchange.operation, exchange.status) == ("disclose", 200):
            first = shown.setdefault(reply["digest"], exchange)
            reached["repeated on a later day"] += first.at.date() < exchange.at.date()
        if exchange.operation == "fund_deal" and reply.get("code") == "not_disclosed":
            reached["not signed" if "not signed" in reply["detail"] else "not disclosed"] += 1
    for merchant in simulation.merchants.values():
        projection = merchant.projection
        for application_id, of_disclosure in projection.signatures:
            is_funded = projection.applications[application_id] == "funded"
            reached["signed"] += of_disclosure
            reached["signed and funded"] += of_disclosure and is_funded
    return reached


def test_the_histories_are_rich():
    """
    The histories carry out every operation, and reach every status and crashes. By the changed
    rules a funding waits for a disclosure, and for the merchant's signature of it.
    """
    host, answers, crashes = MemoryHost(), Counter(), 0
    deals, applications, decisions, people = Counter(), Counter(), Counter(), Counter()
    disclosures = Counter()
    for seed in range(RICH):
        simulation = Simulation(host, f"rich{seed}")
        carry_out(draw_steps(Random(seed), 3 * OPERATIONS), simulation, OPERATIONS)
        assert len(simulation.exchanges) >= OPERATIONS
        assert len(simulation.merchants) >= 4
        crashes += simulation.crashes
        disclosures += disclosures_in(simulation)
        answers.update((exchange.operation, exchange.status) for exchange in simulation.exchanges)
        for merchant in simulation.merchants.values():
            deals.update(deal.status for deal in merchant.projection.deals.values())
            applications.update(merchant.projection.applications.values())
            decided = merchant.projection.people.decided.values()
            records = merchant.projection.people.records
            decisions.update(decision["decision"] for decision in decided)
            people[len({about for check, _, about in records if check == "identity"})] += 1
    assert set(deals) == set(STATUSES)
    assert set(applications) >= {"submitted", "funded", "declined", "withdrawn", "lapsed"}
    assert set(decisions) == {"approve", "decline"}
    assert crashes >= RICH
    assert people[2] >= RICH // 4
    far = Counter(name for name, status in answers.elements() if status == 503)
    assert far.total() >= RICH
    assert len(far) >= len(COMMANDS) // 2
    assert {name for name, status in answers if status == 200} == {*COMMANDS, "look_up"}
    assert answers["disclose", 409] >= RICH // 6
    for event in EVENTS_OF_DISCLOSURES:
        assert disclosures[event] >= RICH // 4, disclosures
    for operation in ("request_offers", "accept_offer", "fund_deal", "close_application"):
        assert {status for name, status in answers if name == operation} >= {0, 200, 409}
    assert set(ACTIONS) >= {"crash", "time", "change the rules", "the same request again"}


@pytest.mark.parametrize(
    ("host", "invariant"),
    [
        (results_by_merchant, "about-whom"),
        (approval_of_anybody, "about-whom"),
        (consents_of_anybody, "about-whom"),
        (sure_of_every_clock, "far-clock"),
    ],
)
def test_a_partner_that_changes_the_profile_and_a_far_clock_are_among_them(host, invariant):
    """
    "The conformance suite and the simulator have an adversarial partner that changes the profile
    between steps"; clocks are far off now and then.
    """
    result, _ = simulated(host.Host(), 0, RICH)
    assert result.broken is not None
    assert result.broken.invariant == invariant


@pytest.mark.parametrize("seed", [4, 5])
def test_a_seed_reproduces_a_failure(seed):
    """
    A failure is reproduced from its seed, and cut down to the steps that matter.
    """
    first, options = simulated(snapshot_without_version.Host(), seed, 50)
    assert first.broken is not None
    assert len(first.broken.transcript) < 12
    assert options == f"--seed {first.broken.seed} --histories 1 --only 'histories'"
    second, _ = simulated(snapshot_without_version.Host(), first.broken.seed, 1)
    assert (second.broken.invariant, second.broken.observed) == (
        first.broken.invariant,
        first.broken.observed,
    )
