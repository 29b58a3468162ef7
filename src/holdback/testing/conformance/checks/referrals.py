"""The checks of what people decide: what an approval lifts, and what a hold stops."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, Final

from holdback.exact.exact_json import Json
from holdback.merchant.instants import write_timestamp
from holdback.testing import payloads
from holdback.testing.conformance.checks.held_evidence import record
from holdback.testing.conformance.checks.years import kept
from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulated.agent_operations import HOLD_CODES
from holdback.testing.conformance.simulated.exchanges import OK, Exchange, SimulatedMerchant
from holdback.testing.conformance.simulated.requests import (
    accept,
    close_as_defaulted,
    decisions,
    deliver,
    first_deal,
    fund,
    look_up,
    new_offers,
    pay,
    pay_until_renewable,
    request_offers,
    review,
)
from holdback.testing.conformance.simulated.rule_changes import consent_rules, rules
from holdback.testing.conformance.simulated.simulation import Simulation

# A person decides about a merchant with this score, and no rule lets one with the other pass.
_REFERRED, _DECLINED = 600, 400
_CONFLICT = 409
# When the funding rules that ship are in force.
_FUNDING_RULES = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
# A profile that names no consent.
_SILENT: Final[Mapping[str, Json]] = MappingProxyType({"consents": {}})
# Longer than an accepted application waits for its funding.
_LONG = timedelta(days=60)


def approvals(session: Session) -> None:
    """Approve what was referred: it lifts no rule that declines, and not the floor of a renewal."""
    simulation = session.simulation()
    new, renewing = simulation.merchant(name="new"), simulation.merchant(name="renewing")
    request_offers(simulation, new, credit_score=_REFERRED)
    _approve(simulation, new)
    _expect_offers(_ask_again(simulation, new))
    simulation.pass_time(minutes=1)
    record(simulation, new, simulation.at, credit_score=_DECLINED)
    _expect_none(_ask_again(simulation, new), "a rule that declines is false")

    deal_id = first_deal(simulation, renewing)
    pay_until_renewable(simulation, renewing, deal_id)
    request_offers(simulation, renewing, credit_score=_REFERRED)
    _approve(simulation, renewing)
    _expect_offers(_ask_again(simulation, renewing))
    _reverse_everything(simulation, renewing, deal_id)
    _expect_none(_ask_again(simulation, renewing), "nothing of the deal is paid down")


def _approve(simulation: Simulation, merchant: SimulatedMerchant) -> None:
    """Approve every product that was referred; there must be one."""
    for referral in _referrals(merchant):
        _decide(simulation, merchant, referral, decision="approve")


def _referrals(merchant: SimulatedMerchant) -> list[dict[str, Any]]:
    """Return what was referred of a merchant; there must be something."""
    referrals = list(merchant.projection.referrals.values())
    expect(referrals, "acknowledged-kept", "nothing of a merchant to be reviewed was referred")
    return referrals


def _decide(
    simulation: Simulation, merchant: SimulatedMerchant, referral: dict[str, Any], **decided: str
) -> None:
    """Decide a referral as *decided* says: `decision`, and `until` when it holds."""
    about = {name: referral[name] for name in ("application_id", "product")}
    body = {**about, **decided, "by": "u-1"}
    asked = simulation.ask("decide_referral", merchant, body, key=simulation.new_key())
    message = f"the decision of a referral got {asked.status}"
    expect(asked.status == OK, "approval-limits", message)


def _ask_again(simulation: Simulation, merchant: SimulatedMerchant) -> Exchange:
    """Ask for offers a minute later, without evidence."""
    simulation.pass_time(minutes=1)
    body = payloads.offers_request(merchant.merchant_id, merchant.projection.provider_id)
    return simulation.ask("request_offers", merchant, body, key=simulation.new_key())


def _expect_offers(asked: Exchange) -> None:
    made = decisions(asked)
    message = f"after the approval the products are {', '.join(made)}"
    lifted = "Accepted" in made and "Referred" not in made
    expect(lifted, "approval-limits", message)


def _expect_none(asked: Exchange, why: str) -> None:
    made = decisions(asked)
    message = f"an approved product was accepted, though {why}"
    expect("Accepted" not in made, "approval-limits", message)


def _reverse_everything(simulation: Simulation, merchant: SimulatedMerchant, deal_id: str) -> None:
    """Have the host reverse every entry of the deal *deal_id* that is known so far, in full."""
    # A copy: each reversal is an entry itself.
    for entry in list(merchant.projection.deals[deal_id].entries.values()):
        amount_without_currency = entry["amount"].split(" ")[1]
        reversal: dict[str, Any] = {
            "id": f"back-{entry['id']}",
            "on": simulation.day_of(merchant).isoformat(),
            "amount": amount_without_currency,
            "reverses": entry["id"],
        }
        deliver(simulation, merchant, deal_id, reversal)


def other_applicants(session: Session) -> None:
    """Ask for others under the merchant_id of somebody who was checked, and was approved."""
    simulation = session.simulation()
    checked, approved = simulation.merchant(name="checked"), simulation.merchant(name="approved")
    request_offers(simulation, checked)
    made = decisions(_ask_for_others(simulation, checked, {}))
    expect("Accepted" not in made, "about-whom", "the results of other applicants count")
    made = decisions(_ask_again(simulation, checked))
    message = f"after a request for others the products are {', '.join(made)}"
    expect("Accepted" in made, "about-whom", message)

    before = decisions(request_offers(simulation, approved, credit_score=_REFERRED))
    _approve(simulation, approved)
    evidence = payloads.evidence(simulation.day_of(approved), credit_score=_REFERRED)
    made = decisions(_ask_for_others(simulation, approved, evidence))
    expect(made == before, "about-whom", "the approval of other applicants lifts rules")
    _expect_offers(_ask_again(simulation, approved))
    if "change_rules" in session.optional:
        simulation.use_rules(consent_rules())
        try:
            _consents_of_others(simulation, simulation.merchant(name="consenting"))
        finally:
            simulation.use_rules(rules(changed=False))


def _consents_of_others(simulation: Simulation, merchant: SimulatedMerchant) -> None:
    """Ask for others who name no consent, until theirs is recorded; the first ones gave it."""
    request_offers(simulation, merchant)
    evidence = payloads.evidence(simulation.day_of(merchant))
    made = decisions(_ask_for_others(simulation, merchant, evidence, **_SILENT))
    expect("Accepted" not in made, "about-whom", "the consents of other applicants count")
    made = decisions(_ask_for_others(simulation, merchant, {}, **{**payloads.PROFILE, **_SILENT}))
    expect("Accepted" in made, "about-whom", "a consent was lost to others who asked")
    body = {"applicants": payloads.OTHERS["applicants"], "consents": {"credit_check": True}}
    recorded = simulation.ask("record_consents", merchant, body, key=simulation.new_key())
    expect(recorded.status == OK, "about-whom", f"a consent of others got {recorded.status}")
    made = decisions(_ask_for_others(simulation, merchant, {}, **_SILENT))
    expect("Accepted" in made, "about-whom", "a consent that others gave does not count for them")


def _ask_for_others(
    simulation: Simulation, merchant: SimulatedMerchant, evidence: dict[str, Any], **sections: Json
) -> Exchange:
    """Ask for others a minute later, with their *evidence*, and with other *sections*."""
    simulation.pass_time(minutes=1)
    body = payloads.offers_request(merchant.merchant_id, profile={**payloads.OTHERS, **sections})
    key = simulation.new_key()
    asked = simulation.ask("request_offers", merchant, body, key=key, evidence=evidence)
    expect(asked.status == OK, "sound-replies", f"a request for others got {asked.status}")
    return asked


def reasons(session: Session) -> None:
    """Decline and refer products, decline an application, and review a new deal."""
    simulation = session.simulation()
    for score in (_REFERRED, _DECLINED):
        merchant = simulation.merchant(name=f"score {score}")
        request_offers(simulation, merchant, credit_score=score)
    accepted, funded = simulation.merchant(name="accepted"), simulation.merchant(name="funded")
    accept(simulation, accepted, new_offers(simulation, accepted)[0], key=simulation.new_key())
    (application_id,) = accepted.projection.in_fulfilment
    body = {"application_id": application_id, "status": "declined"}
    asked = simulation.ask("close_application", accepted, body, key=simulation.new_key())
    expect(asked.status == OK, "reasons", f"the decline of an application got {asked.status}")
    deal_id = first_deal(simulation, funded)
    review(simulation, funded)
    close_as_defaulted(simulation, funded, deal_id)
    simulation.pass_time(minutes=1)
    request_offers(simulation, funded, as_new=True, key=simulation.new_key())


def on_hold(session: Session) -> None:
    """Hold merchants at every stage, next to one that is referred for another reason."""
    simulation = session.simulation()
    _hold_with_open_offers(simulation)
    _hold_in_fulfilment(simulation)
    _hold_with_a_deal(simulation)


def _hold_with_open_offers(simulation: Simulation) -> None:
    held, referred = simulation.merchant(name="held"), simulation.merchant(name="referred")
    offer_id = new_offers(simulation, held)[0]
    hold(simulation, held)
    accept(simulation, held, offer_id, key=simulation.new_key())
    # The merchants differ in nothing but the reason.
    evidence = payloads.evidence(simulation.day_of(referred))
    del evidence["identity_verified"]
    body = payloads.offers_request(referred.merchant_id)
    unheld = simulation.ask("request_offers", referred, body, evidence=evidence)
    asked = request_offers(simulation, held)
    same = (asked.status, asked.body) == (unheld.status, unheld.body)
    message = "an answer on hold has other bytes than that to another referral"
    expect(same, "hold-unseen", message)
    lift(simulation, held)
    accepted = accept(simulation, held, offer_id, key=simulation.new_key())
    expect(accepted.status == OK, "acknowledged-kept", "an offer was lost by a hold")


def _hold_in_fulfilment(simulation: Simulation) -> None:
    merchant = simulation.merchant(name="accepted")
    accept(simulation, merchant, new_offers(simulation, merchant)[0], key=simulation.new_key())
    hold(simulation, merchant)
    body = {"application_id": merchant.projection.in_fulfilment[0]}
    simulation.ask("fund_deal", merchant, body, key=simulation.new_key())
    # The time on hold does not count, so nothing has lapsed.
    simulation.at += _LONG
    lift(simulation, merchant)
    fund(simulation, merchant)


def _hold_with_a_deal(simulation: Simulation) -> None:
    merchant = simulation.merchant(name="funded")
    deal_id = first_deal(simulation, merchant)
    pay_until_renewable(simulation, merchant, deal_id)
    hold(simulation, merchant)
    review(simulation, merchant)
    look_up(simulation, merchant)
    lift(simulation, merchant)
    look_up(simulation, merchant)


def withdrawn_offers(session: Session) -> None:
    """Withdraw the offers of one of two merchants, and let those of the other expire."""
    simulation = session.simulation()
    withdrawn, expired = simulation.merchant(name="withdrawn"), simulation.merchant(name="expired")
    withdrawn_id = new_offers(simulation, withdrawn)[0]
    expired_id = new_offers(simulation, expired)[0]
    simulation.pass_time(hours=1)
    body = {**_application_of(withdrawn, withdrawn_id), "code": "fraud", "by": "u-1"}
    asked = simulation.ask("withdraw_offers", withdrawn, body, key=simulation.new_key())
    message = f"the withdrawal of open offers got {asked.status}"
    expect(asked.status == OK, "withdrawn-as-expired", message)
    early = _refusals(simulation, withdrawn, withdrawn_id)
    simulation.at = expired.projection.offers[expired_id].expires_at
    late = _refusals(simulation, expired, expired_id)
    message = "an answer about withdrawn offers has other bytes than that about expired ones"
    expect(early == late, "withdrawn-as-expired", message)


def _refusals(
    simulation: Simulation, merchant: SimulatedMerchant, offer_id: str
) -> list[tuple[int, bytes]]:
    """Return the answers to an acceptance of the offer and to a decline of its set."""
    accepted = accept(simulation, merchant, offer_id, key=simulation.new_key())
    body = _application_of(merchant, offer_id)
    declined = simulation.ask("decline_offers", merchant, body, key=simulation.new_key())
    return [(asked.status, asked.body) for asked in (accepted, declined)]


def _application_of(merchant: SimulatedMerchant, offer_id: str) -> dict[str, Any]:
    return {"application_id": merchant.projection.offers[offer_id].application_id}


def since_the_offer(session: Session) -> None:
    """
    Let the last payment of a repaid deal bounce, with new offers open and with one accepted.

    Let a person decline a product with open offers, too.
    """
    simulation = session.simulation()
    held = simulation.merchant(name="held")
    offer_id = _offer_after_repayment(simulation, held)
    hold(simulation, held)
    on_hold = accept(simulation, held, offer_id, key=simulation.new_key())
    offered, accepted = simulation.merchant(name="offered"), simulation.merchant(name="accepted")
    offer_id = _offer_after_repayment(simulation, offered)
    _bounce_and_default(simulation, offered)
    defaulted = accept(simulation, offered, offer_id, key=simulation.new_key())
    declined = _accept_around_a_decline(simulation)
    for what, refused in (("a default", defaulted), ("a person's decline", declined)):
        message = f"an acceptance is refused in other words on hold than after {what}"
        same = (on_hold.status, on_hold.body) == (refused.status, refused.body)
        expect(same, "hold-unseen", message)
    offer_id = _offer_after_repayment(simulation, accepted)
    accept(simulation, accepted, offer_id, key=simulation.new_key())
    _bounce_and_default(simulation, accepted)
    body = {"application_id": accepted.projection.in_fulfilment[0]}
    simulation.ask("fund_deal", accepted, body, key=simulation.new_key())


def _accept_around_a_decline(simulation: Simulation) -> Exchange:
    """Ask for an open offer while a person declines its product, and after; return the refusal."""
    merchant = simulation.merchant(name="declined")
    new_offers(simulation, merchant)
    simulation.pass_time(minutes=1)
    request_offers(simulation, merchant, credit_score=_REFERRED, key=simulation.new_key())
    until = simulation.at + timedelta(hours=1)
    referral = _referrals(merchant)[0]
    _decide(simulation, merchant, referral, decision="decline", until=write_timestamp(until))
    offers = merchant.projection.offers.items()
    offer_id = next(name for name, offer in offers if offer.product == referral["product"])
    refused = accept(simulation, merchant, offer_id, key=simulation.new_key())
    simulation.at = until
    accepted = accept(simulation, merchant, offer_id, key=simulation.new_key())
    message = f"an acceptance after the end of a person's decline got {accepted.status}"
    expect(accepted.status == OK, "acknowledged-kept", message)
    return refused


def payout_waits(session: Session) -> None:
    """
    Let the identity check of one of two merchants fail between acceptance and funding.

    The payout is refused until the check is made again; the partner sees no difference meanwhile.
    """
    simulation = session.simulation()
    simulation.at = _FUNDING_RULES
    failed, verified = simulation.merchant(name="failed"), simulation.merchant(name="verified")
    for merchant in (failed, verified):
        accept(simulation, merchant, new_offers(simulation, merchant)[0], key=simulation.new_key())
    simulation.pass_time(hours=1)
    _record_identity(simulation, failed, verified=False)
    _record_identity(simulation, verified, verified=True)
    body = {"application_id": failed.projection.in_fulfilment[0]}
    asked = simulation.ask("fund_deal", failed, body, key=simulation.new_key())
    message = f"a funding after an identity check that failed got {asked.status}"
    expect(asked.status == _CONFLICT, "funding-rules", message)
    for request in (look_up, request_offers):
        seen = [
            _unnamed(request(simulation, merchant), merchant) for merchant in (failed, verified)
        ]
        message = f"{request.__name__} differs while a payout waits"
        expect(seen[0] == seen[1], "funding-unseen", message)
    simulation.pass_time(hours=1)
    _record_identity(simulation, failed, verified=True)
    for merchant in (failed, verified):
        fund(simulation, merchant)


def corrected_profile(session: Session) -> None:
    """Correct the applicants of an accepted application: the payout waits for their checks."""
    simulation = session.simulation()
    simulation.at = _FUNDING_RULES
    merchant = simulation.merchant()
    accept(simulation, merchant, new_offers(simulation, merchant)[0], key=simulation.new_key())
    simulation.pass_time(hours=1)
    body = {"applicants": payloads.OTHERS["applicants"]}
    answers = [
        simulation.ask("rectify_profile", merchant, body, key=simulation.new_key())
        for _ in range(2)
    ]
    for asked in answers:
        message = f"a correction of the applicants got {asked.status}"
        expect(asked.status == OK, "corrected", message)
    same = answers[0].body == answers[1].body
    expect(same, "corrected", "the same correction again got another reply")
    funding = {"application_id": merchant.projection.in_fulfilment[0]}
    asked = simulation.ask("fund_deal", merchant, funding, key=simulation.new_key())
    message = f"a funding by the checks of what was corrected got {asked.status}"
    expect(asked.status == _CONFLICT, "corrected", message)
    if "documents" in session.optional:
        old = b"A. Person"  # of `payloads.PROFILE`
        message = "the documents or the history have the former applicants"
        expect(old not in kept(simulation, merchant), "corrected", message)
    _record_identity(simulation, merchant, verified=True)
    fund(simulation, merchant)


def _record_identity(
    simulation: Simulation, merchant: SimulatedMerchant, *, verified: bool
) -> None:
    result = {
        "check": "identity",
        "made_at": write_timestamp(simulation.at),
        "facts": {"identity_verified": verified},
    }
    body = {"records": [result]}
    recorded = simulation.ask("record_evidence", merchant, body, key=simulation.new_key())
    expect(recorded.status == OK, "newest-evidence", f"an identity check got {recorded.status}")


def _unnamed(asked: Exchange, merchant: SimulatedMerchant) -> tuple[int, bytes]:
    """Return an answer without the ids of its merchant, which all differ."""
    body = asked.body
    for name in (merchant.merchant_id, merchant.projection.provider_id):
        body = body.replace(str(name).encode(), b"")
    return asked.status, body


def _offer_after_repayment(simulation: Simulation, merchant: SimulatedMerchant) -> str:
    """Repay the first deal, ask for offers as a new merchant does, and return an offer's id."""
    deal_id = first_deal(simulation, merchant)
    simulation.pass_time(days=110)
    pay(simulation, merchant, deal_id, percent=100)
    asked = request_offers(simulation, merchant, as_new=True, key=simulation.new_key())
    offers = [offer for product in asked.reply["products"] for offer in product["offers"]]
    expect(offers, "sound-replies", "a merchant that has repaid its deal got no offers")
    offer_id: str = offers[0]["offer_id"]
    return offer_id


def _bounce_and_default(simulation: Simulation, merchant: SimulatedMerchant) -> None:
    (deal_id,) = merchant.projection.deals
    _reverse_everything(simulation, merchant, deal_id)
    close_as_defaulted(simulation, merchant, deal_id)


def hold(simulation: Simulation, merchant: SimulatedMerchant) -> None:
    """Hold the merchant."""
    body = {"code": HOLD_CODES[0], "by": "u-1", "note": "To be looked into."}
    placed = simulation.ask("place_hold", merchant, body, key=simulation.new_key())
    expect(placed.status == OK, "hold", f"the placing of a hold got {placed.status}")


def lift(simulation: Simulation, merchant: SimulatedMerchant) -> None:
    """Lift the merchant's hold."""
    body = {"code": HOLD_CODES[0], "by": "u-1"}
    lifted = simulation.ask("lift_hold", merchant, body, key=simulation.new_key())
    expect(lifted.status == OK, "hold", f"the lifting of a hold got {lifted.status}")
