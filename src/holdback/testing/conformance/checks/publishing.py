"""Checks of the events that a host publishes to others, such as by webhooks."""

from __future__ import annotations

import json
from typing import Any

from holdback.testing.conformance.checks.crashes import crash_until_past_the_last_step
from holdback.testing.conformance.host import Crashed
from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulated.exchanges import SimulatedMerchant
from holdback.testing.conformance.simulated.requests import (
    accept,
    close_as_defaulted,
    first_deal,
    fund,
    new_offers,
    pay,
    pay_until_renewable,
    review,
)


def publishing(session: Session) -> None:
    """Others receive every event, in order, whichever step the host dies at."""
    if "crash" not in session.optional:
        _publish_up_to_default(session, None)
        return
    crash_until_past_the_last_step(lambda step: _publish_up_to_default(session, step) > 0)
    crash_until_past_the_last_step(lambda step: _crash_while_publishing(session, step))


def _publish_up_to_default(session: Session, step: int | None) -> int:
    """
    Take a merchant from its first offers to a default, and check what is published on the way.

    Several operations crash at *step*. Returns the number of crashes.
    """
    simulation = session.simulation()
    merchant = simulation.merchant()
    simulation.crash_at = step
    offer_ids = new_offers(simulation, merchant, key=simulation.new_key())
    _check_published(session, merchant)
    simulation.crash_at = step
    accept(simulation, merchant, offer_ids[0], key=simulation.new_key())
    _check_published(session, merchant)
    deal_id = fund(simulation, merchant)
    simulation.pass_time(days=110)
    simulation.crash_at = step
    pay(simulation, merchant, deal_id, 60)
    review(simulation, merchant)
    simulation.crash_at = step
    close_as_defaulted(simulation, merchant, deal_id)
    _check_published(session, merchant)
    return simulation.crashes


def _crash_while_publishing(session: Session, step: int) -> bool:
    """
    Let the host die at *step* of publishing, and check that it catches up afterwards.

    Returns whether it died. What it had published by then may be published twice.
    """
    host: Any = session.host
    simulation = session.simulation()
    merchant = simulation.merchant()
    deal_id = first_deal(simulation, merchant)
    pay_until_renewable(simulation, merchant, deal_id)
    host.crash(step)
    try:
        host.published(merchant.partner, merchant.merchant_id)
    except Crashed:
        crashed = True
    else:
        crashed = False
    _check_published(session, merchant)
    return crashed


def _check_published(session: Session, merchant: SimulatedMerchant) -> None:
    host: Any = session.host
    published = list(host.published(merchant.partner, merchant.merchant_id))
    history = host.history(merchant.partner, merchant.merchant_id)
    due = [event for event in history if json.loads(event)["type"] in host.publishes]
    unknown = [event for event in published if event not in due]
    message = f"{len(unknown)} published events are not in the history"
    expect(not unknown, "told-after-commit", message)
    # At least once: only the first time that an event arrives counts for the order.
    first_arrivals = list(dict.fromkeys(published))
    in_order = first_arrivals == [event for event in due if event in first_arrivals]
    expect(in_order, "told-in-order", "events were published in another order")
    missing = [event for event in due if event not in published]
    expect(not missing, "told-all", f"{len(missing)} of {len(due)} events were not published")
