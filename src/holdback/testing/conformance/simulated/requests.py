"""The requests that several checks make, each in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from holdback.exact.exact_json import Json
from holdback.testing import payloads
from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.simulated.agent_operations import AGENTS
from holdback.testing.conformance.simulated.exchanges import OK, Exchange, SimulatedMerchant
from holdback.testing.conformance.simulated.simulation import Simulation


def request_offers(  # noqa: PLR0913  # six of them are rarely given
    simulation: Simulation,
    merchant: SimulatedMerchant,
    *,
    as_new: bool = False,
    key: str | None = None,
    grade: int | None = None,
    credit_score: int | None = None,
    profile: Mapping[str, Json] = payloads.PROFILE,
    checked: bool = True,
) -> Exchange:
    """
    Ask for offers: a renewal for a merchant with a provider_id, unless it asks *as_new*.

    An initial application is about those of the *profile*. Unless they are not *checked*, it brings
    evidence, which under the graded rules needs a *grade*. A renewal brings the merchant's checks
    if a *credit_score* says what they find, and else none.
    """
    provider_id = None if as_new else merchant.projection.provider_id
    today, use, evidence = simulation.day_of(merchant), None, {}
    if provider_id is None:
        use, evidence = "stock", {} if grade is None else {"grade": grade}
        if checked:
            evidence |= payloads.evidence(today, credit_score=credit_score or 700)
    elif credit_score is not None:
        evidence = payloads.checks(today, credit_score=credit_score)
    body = payloads.offers_request(merchant.merchant_id, provider_id, use=use, profile=profile)
    return simulation.ask("request_offers", merchant, body, key=key, evidence=evidence)


def decisions(asked: Exchange) -> list[str]:
    """Return the decisions on the products in the answer to a request for offers."""
    return [product["decision"] for product in asked.reply.get("products", [])]


def new_offers(
    simulation: Simulation,
    merchant: SimulatedMerchant,
    *,
    key: str | None = None,
    grade: int | None = None,
) -> list[str]:
    """Ask for offers and return their ids; there must be some."""
    before = set(merchant.projection.offers)
    request_offers(simulation, merchant, key=key, grade=grade)
    offer_ids = [offer_id for offer_id in merchant.projection.offers if offer_id not in before]
    expect(offer_ids, "sound-replies", "a merchant with good evidence got no offers")
    return offer_ids


def accept(
    simulation: Simulation, merchant: SimulatedMerchant, offer_id: str, *, key: str | None = None
) -> Exchange:
    """Accept an offer, with bank details."""
    body = payloads.acceptance(offer_id, payloads.BANKS[0])
    return simulation.ask("accept_offer", merchant, body, key=key)


def fund(simulation: Simulation, merchant: SimulatedMerchant) -> str:
    """Fund the application in fulfilment and return the deal_id."""
    body = {"application_id": merchant.projection.in_fulfilment[0]}
    funding = simulation.ask("fund_deal", merchant, body, key=simulation.new_key())
    message = "a submitted application cannot be funded"
    expect(funding.status == OK, "acknowledged-kept", message)
    return merchant.projection.active[0]


def first_deal(
    simulation: Simulation, merchant: SimulatedMerchant, *, grade: int | None = None
) -> str:
    """Ask for offers, accept one, fund it, and return the deal_id."""
    offer_ids = new_offers(simulation, merchant, key=simulation.new_key(), grade=grade)
    accept(simulation, merchant, offer_ids[0], key=simulation.new_key())
    return fund(simulation, merchant)


def deliver(
    simulation: Simulation, merchant: SimulatedMerchant, deal_id: str, entry: dict[str, Any]
) -> Exchange:
    """Deliver one remittance entry, and declare the history complete up to today."""
    body = {
        "deal_id": deal_id,
        "entries": [entry],
        "complete_through": simulation.day_of(merchant).isoformat(),
    }
    return simulation.ask("record_remittance", merchant, body, key=simulation.new_key())


def pay(
    simulation: Simulation, merchant: SimulatedMerchant, deal_id: str, percent: int
) -> Exchange:
    """Remit *percent* of the deal's repayment amount, dated yesterday."""
    yesterday = simulation.day_of(merchant) - timedelta(days=1)
    entry = merchant.remittance(deal_id, percent, yesterday)
    return deliver(simulation, merchant, deal_id, entry)


def pay_until_renewable(simulation: Simulation, merchant: SimulatedMerchant, deal_id: str) -> None:
    """Let 110 days pass, and remit 60 percent: enough for the deal to be renewed."""
    simulation.pass_time(days=110)
    pay(simulation, merchant, deal_id, 60)


def close_as_defaulted(
    simulation: Simulation, merchant: SimulatedMerchant, deal_id: str
) -> Exchange:
    """Close a deal as defaulted."""
    body = {"deal_id": deal_id, "status": "defaulted"}
    return simulation.ask("close_deal", merchant, body, key=simulation.new_key())


def review(simulation: Simulation, merchant: SimulatedMerchant) -> Exchange:
    """Review the merchant's eligibility for renewal."""
    return simulation.ask("review_renewal", merchant, {}, key=simulation.new_key())


def ask_everything(
    simulation: Simulation, merchant: SimulatedMerchant, variant: int, key: Callable[[], str]
) -> None:
    """Ask for every operation of the agents, each with a *key* of its own; some are refused."""
    for operation, agent in AGENTS.items():
        for body in agent.bodies(merchant, simulation.day_of(merchant), 0, variant):
            simulation.ask(operation, merchant, body, key=key())


def look_up(simulation: Simulation, merchant: SimulatedMerchant) -> Exchange:
    """Look the merchant up by its provider_id."""
    body = {"provider_id": merchant.projection.provider_id}
    return simulation.ask("look_up", merchant, body)
