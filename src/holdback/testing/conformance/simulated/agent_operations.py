"""
What the suite knows of each operation of the agents, in one table.

A new command is added here, or in `money_operations` if it is about a deal's money and neither a
remittance nor a payment. It also needs a line in `projection`, or `projected_deal`, if its event
changes something that the suite compares, such as a balance or a status.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from holdback.merchant.application import PEOPLE
from holdback.testing import payloads
from holdback.testing.conformance.host import AGENT_OPERATIONS
from holdback.testing.conformance.simulated.agent_operation import UNKNOWN, AgentOperation, Bodies
from holdback.testing.conformance.simulated.exchanges import PENNY, SimulatedMerchant
from holdback.testing.conformance.simulated.money_operations import MONEY_AGENTS
from holdback.testing.conformance.simulated.projection import (
    Projection,
    instant,
    is_of_disclosure,
)

# The codes of holds, of which no partner may see any.
HOLD_CODES: Final = ("hold-of-fraud", "hold-of-a-dispute")


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


def _fund_deal(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    """Fund an application, now and then of the day before, or of today by name."""
    yield {"application_id": _application_id(merchant, pick), **_day(today, variant)}


def _day(today: date, variant: int) -> dict[str, str]:
    """Return the day of what happened: most often none, which is today."""
    day = {1: today, 2: today - timedelta(days=1)}.get(variant % 6)
    return {} if day is None else {"on": day.isoformat()}


def _is_funded(request: Any, projection: Projection) -> bool:
    application_id, on = request["application_id"], request.get("on")
    return projection.applications.get(application_id) == "funded" and any(
        deal.terms["application_id"] == application_id and on in {None, deal.terms["funded_on"]}
        for deal in projection.deals.values()
    )


def _record_remittance(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    """Remit part of the repayment, sometimes unsettled, and now and then more than all of it."""
    projection = merchant.projection
    for deal_id in projection.active or list(projection.deals)[-1:]:
        percent = (5, 20, 55, 120)[variant % 4]
        entry = merchant.remittance(deal_id, percent, today - timedelta(days=1))
        entry["settled"] = pick % 6 != 0
        if variant % 8 == 1:  # the merchant paid it directly, on a day with more refunds than sales
            entry |= {"kind": "payment", "takings": -entry["takings"]}
        yield {"deal_id": deal_id, "entries": [entry], "complete_through": today.isoformat()}


def _record_takings(_: SimulatedMerchant, today: date, pick: int, __: int) -> Bodies:
    takings = [{"on": today.isoformat(), "amount": Decimal((pick - 4) * 1000) + PENNY}]
    yield {"takings": takings, "complete_through": today.isoformat()}


def _close_deal(merchant: SimulatedMerchant, today: date, _: int, variant: int) -> Bodies:
    for deal_id in merchant.projection.active:
        status = ("defaulted", "cancelled")[variant % 2]
        yield {"deal_id": deal_id, "status": status, **_day(today, variant)}


def _is_closed(request: Any, projection: Projection) -> bool:
    deal = projection.deals[request["deal_id"]]
    return deal.status.lower() == request["status"] and request.get("on") in {None, deal.closed_on}


def _reinstate_deal(merchant: SimulatedMerchant, _: date, __: int, ___: int) -> Bodies:
    for deal_id in _defaulted(merchant.projection):
        yield {"deal_id": deal_id}


def _defaulted(projection: Projection) -> list[str]:
    return [name for name, deal in projection.deals.items() if deal.status == "Defaulted"]


def _record_evidence(_: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    """Record a check of the last weeks: most are good, and hardly one is the newest of its day."""
    check = tuple(payloads.FINDINGS)[pick % len(payloads.FINDINGS)]
    finding = (0, 0, 0, 0, 0, 0, 1, 2)[variant % 8]
    made_at = f"{today - timedelta(days=variant % 30)}T00:00:{pick:02}Z"
    record = {"check": check, "made_at": made_at, "facts": payloads.FINDINGS[check][finding]}
    yield {"records": [record], **_people(pick, variant)}


def _people(pick: int, variant: int) -> dict[str, Any]:
    """Return whom a result is about: often not said, and now and then others than before."""
    names = ((), (), ("applicants",), ("company",), PEOPLE)[pick // 3 % 5]
    profile = payloads.OTHERS if variant // 8 % 4 == 0 else payloads.PROFILE
    return {name: profile[name] for name in names}


def _decide_referral(merchant: SimulatedMerchant, _: date, pick: int, variant: int) -> Bodies:
    referrals = list(merchant.projection.referrals.values())
    referral = referrals[pick % len(referrals)] if referrals else {}
    yield {
        "application_id": referral.get("application_id", UNKNOWN),
        "product": referral.get("product", "flex"),
        "decision": ("decline", "approve", "approve", "approve")[variant % 4],
        "by": "u-1",
        "note": "As agreed with the merchant.",
    }


def _place_hold(_: SimulatedMerchant, __: date, pick: int, ___: int) -> Bodies:
    yield {"code": HOLD_CODES[pick % 2], "by": "u-1", "note": "To be looked into."}


def _lift_hold(merchant: SimulatedMerchant, _: date, pick: int, __: int) -> Bodies:
    for code in list(merchant.projection.holds) or [HOLD_CODES[pick % 2]]:
        yield {"code": code, "by": "u-2"}


def _decline_offers(merchant: SimulatedMerchant, _: date, pick: int, __: int) -> Bodies:
    offered = {offer.application_id: None for offer in merchant.projection.offers.values()}
    candidates = list(offered)[-3:] or [UNKNOWN]
    yield {"application_id": candidates[pick % len(candidates)]}


def _withdraw_offers(merchant: SimulatedMerchant, today: date, pick: int, variant: int) -> Bodies:
    for body in _decline_offers(merchant, today, pick, variant):
        yield {**body, "code": ("fraud", "rules-changed")[variant % 2], "by": "u-1"}


def _no_offer_is_eligible(request: Mapping[str, Any], projection: Projection) -> bool:
    return all(
        offer.status != "Eligible"
        for offer in projection.offers.values()
        if offer.application_id == request["application_id"]
    )


def _record_signature(merchant: SimulatedMerchant, _: date, pick: int, variant: int) -> Bodies:
    """Sign a contract, or what was disclosed of the accepted offer."""
    application_id, projection = _application_id(merchant, pick), merchant.projection
    signed = {"document": f"contract-{variant % 3}", "digest": f"d-{variant % 3}"}
    for offer_id, digest in projection.disclosed.items():
        of_application = projection.offers[offer_id].application_id == application_id
        if of_application and variant % 4 == 0:
            signed = {"document": f"disclosure-{variant % 3}", "digest": digest}
    yield {"application_id": application_id, **signed}


def _change_bank_details(_: SimulatedMerchant, __: date, ___: int, variant: int) -> Bodies:
    yield {"bank_details": dict(payloads.BANKS[variant % 2])}


def _rectify_profile(_: SimulatedMerchant, __: date, pick: int, variant: int) -> Bodies:
    """Correct the applicants, the company or both, and often say what is held already."""
    profile = (payloads.PROFILE, payloads.OTHERS)[pick % 2]
    names = (("applicants",), ("company",), PEOPLE)[variant % 3]
    yield {name: profile[name] for name in names}


def _record_consents(_: SimulatedMerchant, __: date, pick: int, variant: int) -> Bodies:
    applicants = (payloads.PROFILE, payloads.OTHERS)[pick % 2]["applicants"]
    yield {"consents": {"credit_check": variant % 4 != 0}, "applicants": applicants}


def _no_fields(_: SimulatedMerchant, __: date, ___: int, ____: int) -> Bodies:
    yield {}


AGENTS: Final[Mapping[str, AgentOperation]] = MappingProxyType(
    {
        "supply_details": AgentOperation(
            weight=4,
            fits=lambda projection: projection.in_fulfilment,
            bodies=_supply_details,
            took_effect=lambda request, projection: (
                projection.applications.get(request["application_id"])
                not in {None, "awaiting_details"}
            ),
        ),
        "close_application": AgentOperation(
            weight=4,
            fits=lambda projection: projection.in_fulfilment,
            bodies=_close_application,
            took_effect=lambda request, projection: (
                projection.applications.get(request["application_id"]) == request["status"]
            ),
        ),
        "fund_deal": AgentOperation(
            weight=5,
            fits=lambda projection: projection.in_fulfilment,
            bodies=_fund_deal,
            took_effect=_is_funded,
        ),
        "record_remittance": AgentOperation(
            weight=10,
            bodies=_record_remittance,
            took_effect=lambda request, projection: (
                {entry["id"] for entry in request["entries"]}
                <= projection.deals[request["deal_id"]].entries.keys()
            ),
        ),
        "record_takings": AgentOperation(
            weight=2,
            bodies=_record_takings,
            took_effect=lambda request, projection: (
                {day["on"] for day in request["takings"]} <= projection.takings
            ),
        ),
        "close_deal": AgentOperation(
            weight=4,
            bodies=_close_deal,
            took_effect=_is_closed,
        ),
        "reinstate_deal": AgentOperation(
            weight=4,
            fits=_defaulted,
            bodies=_reinstate_deal,
            took_effect=lambda request, projection: (
                projection.deals[request["deal_id"]].status in {"Funded", "Repaid"}
            ),
        ),
        "record_evidence": AgentOperation(
            weight=4,
            bodies=_record_evidence,
            took_effect=lambda request, projection: (
                {(made["check"], instant(made["made_at"])) for made in request["records"]}
                <= {(check, made_at) for check, made_at, _ in projection.people.records}
            ),
        ),
        "decide_referral": AgentOperation(
            weight=4,
            fits=lambda projection: projection.referrals,
            bodies=_decide_referral,
            took_effect=lambda request, projection: any(
                decision["decision"] == request["decision"]
                for decision in projection.people.decisions_about(request["product"])
            ),
        ),
        "place_hold": AgentOperation(
            weight=1,
            bodies=_place_hold,
            took_effect=lambda request, projection: request["code"] in projection.holds,
        ),
        "lift_hold": AgentOperation(
            weight=4,
            fits=lambda projection: projection.holds,
            bodies=_lift_hold,
            took_effect=lambda request, projection: request["code"] not in projection.holds,
        ),
        "decline_offers": AgentOperation(
            weight=2,
            bodies=_decline_offers,
            took_effect=_no_offer_is_eligible,
        ),
        "withdraw_offers": AgentOperation(
            weight=2,
            bodies=_withdraw_offers,
            took_effect=_no_offer_is_eligible,
        ),
        "record_signature": AgentOperation(
            weight=2,
            fits=lambda projection: projection.in_fulfilment,
            bodies=_record_signature,
            took_effect=lambda request, projection: (
                projection.signatures[request["application_id"], is_of_disclosure(request)][
                    "document"
                ]
                == request["document"]
            ),
        ),
        "change_bank_details": AgentOperation(
            weight=2,
            bodies=_change_bank_details,
            took_effect=lambda _, projection: all(
                "bank_details" not in projection.omitted[application_id]
                for application_id in projection.in_fulfilment
            ),
        ),
        "rectify_profile": AgentOperation(
            weight=2,
            fits=lambda projection: projection.provider_id,
            bodies=_rectify_profile,
            took_effect=lambda request, projection: all(
                projection.people.says(name, content) for name, content in request.items()
            ),
        ),
        "record_consents": AgentOperation(
            weight=1,
            bodies=_record_consents,
            took_effect=lambda _, __: True,  # the profile alone holds them
        ),
        "erase_profile": AgentOperation(
            weight=1,
            bodies=_no_fields,
            took_effect=lambda _, projection: projection.erased,
        ),
        "review_renewal": AgentOperation(
            weight=3,
            bodies=_no_fields,
            took_effect=lambda _, __: True,  # a review may find nothing to announce
        ),
        **MONEY_AGENTS,
    }
)
assert set(AGENTS) == set(AGENT_OPERATIONS), "the suite tries every operation of the agents"
