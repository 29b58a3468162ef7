"""
The funding rules of a jurisdiction, read when an accepted offer is to be paid out.

"The terms promised hold, the payout waits, a person decides" (decisions/offers#funding-rules). In
GB they are in force from 26 November 2026: the identity and the business are verified, nothing
defaulted; of the business a person may decide otherwise.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import attrs
import pytest
from click.testing import CliRunner

from holdback import CheckResult, InvalidDocument, Refusal, wire
from holdback.cli.commands import holdback
from holdback.operations import (
    AskApplications,
    AskReferrals,
    CloseApplication,
    DecideReferral,
    LookUp,
    PlaceHold,
    RequireChecks,
)
from holdback.tools.replay.replay import replay_funding
from holdback.wire.commands import read_input
from journey import Journey


def accepted(day=datetime(2026, 12, 1, 9, tzinfo=UTC)):
    """A merchant of GB whose accepted offer waits for its funding, a day later."""
    journey = Journey()
    journey.now = day
    journey.ask()
    journey.accept()
    journey.pass_time(days=1)
    return journey


def found(journey, check, **facts):
    """Record the result of a check that was made now."""
    journey.record(CheckResult(check=check, made_at=journey.now, facts=facts))


def refused(journey):
    """Try to fund, and return the refusal, which changed nothing."""
    before = journey.merchant
    with pytest.raises(Refusal) as refusal:
        journey.fund()
    assert journey.merchant == before
    return refusal.value


def needed(journey):
    """What the funding of the accepted application needs."""
    return journey.do(RequireChecks(application_id=journey.acceptance.application_id))


def test_what_is_still_verified_is_paid_out():
    journey = accepted()

    assert needed(journey) == attrs.evolve(needed(journey), checks=(), held_back=())
    journey.fund()
    assert journey.deal.status == "Funded"


def test_an_identity_check_that_failed_since_the_offer():
    """
    "An identity check that failed or a sanctions hit after the offer still pays out": it waits.
    """
    journey = accepted()
    found(journey, "identity", identity_verified=False)

    refusal = refused(journey)
    assert (refusal.code, refusal.status) == ("referred", 409)
    assert refusal.detail == "a person decides first: GB-F-01: false"
    assert journey.merchant.fulfilments[-1].status == "submitted"


def test_a_result_that_is_too_old_never_lets_money_out():
    journey = accepted()
    checks = tuple(
        attrs.evolve(record, made_at=record.made_at.subtract(days=740))
        if record.check == "identity"
        else record
        for record in journey.merchant.checks
    )
    journey.merchant = attrs.evolve(journey.merchant, checks=checks)

    assert refused(journey).detail.endswith("GB-F-01: not known: identity_verified")
    (check,) = needed(journey).checks
    assert (check.name, check.why) == ("identity", "too_old")


def test_required_checks_says_what_the_funding_needs():
    """
    `required_checks` says what a funding needs: the check that failed, and in words why it waits.
    """
    journey = accepted()
    found(journey, "identity", identity_verified=False)

    answer = needed(journey)
    assert [(check.name, check.why) for check in answer.checks] == [("identity", "failed")]
    assert answer.held_back == (
        "GB-F-01: The identity of the applicants is not verified any more.",
    )


def test_a_hold_is_named_next_to_the_rules():
    journey = accepted()
    journey.do(PlaceHold(code="sanctions", by="a-1"))

    assert needed(journey).held_back == ("the merchant is on hold",)
    assert needed(journey).checks == ()


def test_a_new_result_lets_the_payout_go():
    """
    New results that are recorded clear it, and the terms that were promised hold.
    """
    journey = accepted()
    found(journey, "identity", identity_verified=False)
    refused(journey)
    journey.pass_time(hours=1)
    found(journey, "identity", identity_verified=True)

    journey.fund()
    offer = journey.merchant.fulfilments[-1].offer
    assert journey.deal.repayment_amount == offer.repayment_amount


def test_a_result_may_come_with_the_funding():
    journey = accepted()
    found(journey, "business", business_verified=False)
    refused(journey)
    journey.pass_time(hours=1)

    operation = wire.read_command(
        "fund_deal",
        {"application_id": journey.acceptance.application_id},
        journey.engine.input_context(journey.merchant, journey.context()),
    )
    outcome = journey.engine.carry_out(
        journey.merchant, operation, journey.context({"business_verified": True})
    )
    assert outcome.merchant.deals[-1].status == "Funded"


def decide(journey, decision="approve"):
    """Decide about the waiting funding."""
    (referral,) = journey.do(AskReferrals()).referrals
    about = {"application_id": referral.application_id, "product": referral.product}
    journey.do(DecideReferral(**about, decision=decision, by="u-7"))
    return referral


def test_a_person_approves_a_rule_that_refers():
    """
    "A person decides": an approval lifts the referring rule, by its digest, and is recorded.
    """
    journey = accepted()
    found(journey, "business", business_verified=False)
    refused(journey)

    referral = decide(journey)
    assert [(rule.code, rule.answer) for rule in referral.rules] == [("GB-F-02", False)]
    assert dict(referral.facts) == {"business_verified": False}
    journey.fund()
    assert journey.events[-1].decision["lifted"] == ["GB-F-02"]


def test_an_approval_holds_until_its_end():
    journey = accepted()
    found(journey, "business", business_verified=False)
    (referral,) = journey.do(AskReferrals()).referrals
    about = {"application_id": referral.application_id, "product": referral.product}
    until = journey.now + timedelta(hours=2)
    journey.do(DecideReferral(**about, decision="approve", by="u-7", until=until))
    journey.pass_time(hours=2)

    assert refused(journey).detail.endswith("GB-F-02: false")


def test_nobody_approves_a_rule_that_declines():
    journey = accepted()
    found(journey, "identity", identity_verified=False)

    with pytest.raises(Refusal, match="no rule refers it") as refusal:
        decide(journey)
    assert refusal.value.code == "not_possible_now"
    # No dead end: the application can be closed, and the merchant may ask again.
    closing = CloseApplication(application_id=journey.acceptance.application_id, status="declined")
    assert journey.do(closing).status == "declined"
    assert journey.do(AskReferrals()).referrals == ()


def test_a_person_who_declines_holds_the_payout_back():
    journey = accepted()
    found(journey, "business", business_verified=False)
    decide(journey, "decline")
    journey.pass_time(hours=1)
    found(journey, "business", business_verified=True)

    assert "a person declined the product" in refused(journey).detail


def test_the_partner_sees_nothing_of_it():
    """
    Look-up and the partner's list of applications say nothing of a payout that waits.
    """
    quiet, waiting = accepted(), accepted()
    found(quiet, "business", business_verified=True)
    found(waiting, "business", business_verified=False)
    refused(waiting)

    for question in (LookUp(), AskApplications()):
        assert waiting.do(question) == quiet.do(question)


def test_the_payout_is_recorded_with_the_facts_that_were_read():
    """
    The event says by which rules the money went out, and on which facts.
    """
    journey = accepted()
    journey.fund()

    record = journey.events[-1].decision
    rulebook = journey.engine.jurisdictions.resolve("GB", on=journey.now.date())
    assert record == {
        "jurisdiction": "GB",
        "on": "2026-12-02",
        "digest": rulebook.digest,
        "versions": rulebook.versions,
        "facts": {"identity_verified": True, "business_verified": True, "deals_defaulted": 0},
    }


def test_before_the_rules_nothing_is_read_and_nothing_recorded():
    journey = accepted(datetime(2026, 11, 20, 9, tzinfo=UTC))
    found(journey, "identity", identity_verified=False)

    journey.fund()
    assert journey.events[-1].decision is None


def test_a_question_names_one_of_both():
    for fields in ({}, {"request": Journey().request(), "application_id": "a-1"}):
        with pytest.raises(InvalidDocument, match="application_id of one to be funded"):
            RequireChecks(**fields)


def test_only_an_application_in_fulfilment_has_a_funding():
    journey = accepted()
    with pytest.raises(Refusal) as unknown:
        journey.do(RequireChecks(application_id="nothing"))
    assert unknown.value.code == "application_not_found"
    journey.fund()
    with pytest.raises(Refusal) as over:
        needed(journey)
    assert over.value.code == "not_possible_now"


def test_the_question_over_json():
    journey = accepted()
    context = journey.engine.input_context(journey.merchant, journey.context())
    application_id = journey.acceptance.application_id
    read = read_input("required_checks", {"application_id": application_id}, context)
    assert read == RequireChecks(application_id=application_id)

    found(journey, "identity", identity_verified=False)
    assert b'"held_back":["GB-F-01: The identity' in wire.write(journey.do(read))


def replayed(folder, event, changed=lambda text: text):
    """What `holdback replay` gives for a stored event."""
    stored = folder / "event.json"
    stored.write_text(changed(wire.write_event(event).decode()), encoding="utf-8")
    return CliRunner().invoke(holdback, ["replay", str(stored)])


def test_a_payout_is_derived_again(tmp_path):
    """
    `holdback replay` reads the funding rules again on the recorded facts, with what was lifted.
    """
    journey = accepted()
    found(journey, "business", business_verified=False)
    decide(journey)
    journey.fund()

    same = replayed(tmp_path, journey.events[-1])
    assert (same.exit_code, same.output.splitlines()[0]) == (0, "GB on 2026-12-02: the same")
    edited = replayed(
        tmp_path,
        journey.events[-1],
        lambda text: text.replace('"lifted":["GB-F-02"]', '"lifted":[]'),
    )
    assert edited.exit_code == 1
    assert "GB-F-02: recorded a payout, derived that it waits" in edited.output


def test_a_payout_without_rules_has_nothing_to_derive():
    journey = accepted(datetime(2026, 11, 20, 9, tzinfo=UTC))
    journey.fund()

    event = wire.event_to_dict(journey.events[-1])
    with pytest.raises(InvalidDocument, match="there were no funding rules"):
        replay_funding(event, journey.engine.jurisdictions)
