"""
What the suite knows of each operation of the agents, in one table.

A new command is added here. It also needs a line in `projection` if its event changes something
that the suite compares, such as a balance or a status.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from holdback.frozen_classes import frozen
from holdback.testing import payloads
from holdback.testing.conformance.exchanges import PENNY, SimulatedMerchant
from holdback.testing.conformance.host import AGENT_OPERATIONS
from holdback.testing.conformance.projection import Projection

# An id that no host issues.
UNKNOWN: Final = "00000000-0000-0000-0000-000000000000"

Bodies: TypeAlias = Iterator[Mapping[str, Any]]


@frozen(kw_only=True)
class AgentOperation:
    """
    How a random history tries an operation, and how the suite sees that it happened.

    Of a hundred actions, about `weight` try it. `bodies(merchant, today, pick, variant)` makes the
    bodies of the requests, where *pick* and *variant* are random numbers from 0 to 63.
    `happened(request, projection)` is whether the events show what the request asked for.
    """

    weight: int
    bodies: Callable[[SimulatedMerchant, date, int, int], Bodies]
    happened: Callable[[Any, Projection], bool]


def _application_id(merchant: SimulatedMerchant, pick: int) -> str:
    projection = merchant.projection
    candidates = projection.in_fulfilment or list(projection.applications) or [UNKNOWN]
    return candidates[pick % len(candidates)]


def _supply_details(merchant: SimulatedMerchant, _: date, pick: int, variant: int) -> Bodies:
    details = {"bank_details": dict(payloads.BANKS[variant % 2])}
    yield {"application_id": _application_id(merchant, pick), "details": details}


def _close_application(merchant: SimulatedMerchant, _: date, pick: int, variant: int) -> Bodies:
    status = ("declined", "withdrawn")[variant % 2]
    yield {"application_id": _application_id(merchant, pick), "status": status}


def _fund_deal(merchant: SimulatedMerchant, _: date, pick: int, __: int) -> Bodies:
    yield {"application_id": _application_id(merchant, pick)}


def _record_remittance(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    """Remit part of the repayment, sometimes unsettled, and now and then more than all of it."""
    projection = merchant.projection
    for deal_id in projection.active or list(projection.deals)[-1:]:
        percent = (5, 20, 55, 120)[variant % 4]
        entry = merchant.remittance(deal_id, percent, today - timedelta(days=1))
        entry["settled"] = pick % 6 != 0
        yield {"deal_id": deal_id, "entries": [entry], "complete_through": today.isoformat()}


def _record_takings(_: SimulatedMerchant, today: date, pick: int, __: int) -> Bodies:
    takings = [{"on": today.isoformat(), "amount": Decimal(pick * 1000) + PENNY}]
    yield {"takings": takings, "complete_through": today.isoformat()}


def _close_deal(merchant: SimulatedMerchant, _: date, __: int, variant: int) -> Bodies:
    for deal_id in merchant.projection.active:
        yield {"deal_id": deal_id, "status": ("defaulted", "cancelled")[variant % 2]}


def _no_fields(_: SimulatedMerchant, __: date, ___: int, ____: int) -> Bodies:
    yield {}


AGENTS: Final[Mapping[str, AgentOperation]] = MappingProxyType(
    {
        "supply_details": AgentOperation(
            weight=4,
            bodies=_supply_details,
            happened=lambda request, projection: (
                projection.applications.get(request["application_id"])
                not in {None, "awaiting_details"}
            ),
        ),
        "close_application": AgentOperation(
            weight=3,
            bodies=_close_application,
            happened=lambda request, projection: (
                projection.applications.get(request["application_id"]) == request["status"]
            ),
        ),
        "fund_deal": AgentOperation(
            weight=5,
            bodies=_fund_deal,
            happened=lambda request, projection: (
                projection.applications.get(request["application_id"]) == "funded"
            ),
        ),
        "record_remittance": AgentOperation(
            weight=10,
            bodies=_record_remittance,
            happened=lambda request, projection: (
                {entry["id"] for entry in request["entries"]}
                <= projection.deals[request["deal_id"]].entries.keys()
            ),
        ),
        "record_takings": AgentOperation(
            weight=2,
            bodies=_record_takings,
            happened=lambda request, projection: (
                {day["on"] for day in request["takings"]} <= projection.takings
            ),
        ),
        "close_deal": AgentOperation(
            weight=1,
            bodies=_close_deal,
            happened=lambda request, projection: (
                projection.deals[request["deal_id"]].status.lower() == request["status"]
            ),
        ),
        "erase_profile": AgentOperation(
            weight=1,
            bodies=_no_fields,
            happened=lambda _, projection: projection.erased,
        ),
        "review_renewal": AgentOperation(
            weight=3,
            bodies=_no_fields,
            happened=lambda _, __: True,  # a review may find nothing to announce
        ),
    }
)
assert set(AGENTS) == set(AGENT_OPERATIONS), "the suite tries every operation of the agents"
