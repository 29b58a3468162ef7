"""The check of what a host keeps of the results of checks, in whichever order they come."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from holdback.merchant.instants import write_timestamp
from holdback.testing import payloads
from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulated.exchanges import OK, SimulatedMerchant
from holdback.testing.conformance.simulated.requests import decisions, request_offers
from holdback.testing.conformance.simulated.simulation import Simulation


def evidence(session: Session) -> None:
    """Bring and record results of checks in several orders: the newest of each check decides."""
    simulation = session.simulation()
    merchant = simulation.merchant()
    first = simulation.at
    request_offers(simulation, merchant, credit_score=400)
    _expect_all(simulation, merchant, "Declined", "the bad check of an earlier request")
    record(simulation, merchant, first - timedelta(days=1), credit_score=700)
    _expect_all(simulation, merchant, "Declined", "a check that is older than the newest one")
    record(simulation, merchant, simulation.at, credit_score=700)
    _expect_all(simulation, merchant, "Accepted", "a good check, the newest one")
    record(simulation, merchant, first + timedelta(seconds=1), credit_score=400)
    _expect_all(simulation, merchant, "Accepted", "a bad check that came late")
    # What the newest result does not give is unknown.
    record(simulation, merchant, simulation.at)
    _expect_all(simulation, merchant, "Referred", "a check without a score")


def record(
    simulation: Simulation, merchant: SimulatedMerchant, made_at: datetime, **facts: Any
) -> None:
    """Record the result of a credit check, which must be taken."""
    result: Mapping[str, Any] = {
        "check": "consumer_credit",
        "made_at": write_timestamp(made_at),
        "facts": facts,
    }
    asked = simulation.ask(
        "record_evidence", merchant, {"records": [result]}, key=simulation.new_key()
    )
    message = f"the result of a check got {asked.status}"
    expect(asked.status == OK, "newest-evidence", message)


def _expect_all(
    simulation: Simulation, merchant: SimulatedMerchant, decision: str, after: str
) -> None:
    """Ask for offers a minute later, without evidence: every product has this *decision*."""
    simulation.pass_time(minutes=1)
    body = payloads.offers_request(merchant.merchant_id)
    asked = simulation.ask("request_offers", merchant, body, key=simulation.new_key())
    made = decisions(asked)
    message = f"after {after} the products are {', '.join(made)}"
    expect(set(made) == {decision}, "newest-evidence", message)
