"""
Rectification: applicants, company and address are corrected, also while a deal runs.

A corrected section is another subject than before (decisions/evidence#corrected-sections): what
checks and people said of the old one does not count for it.
"""

from __future__ import annotations

from datetime import UTC, datetime

import attrs
import pytest

from holdback import CheckResult, HistoryError, InvalidDocument, Refusal, wire
from holdback.exact.exact_json import Opaque
from holdback.lifecycle.events import ProfileRectified
from holdback.lifecycle.offers.application import filled_application
from holdback.merchant.merchant import MOST_REPLACED
from holdback.merchant.profile import Profile
from holdback.operations import (
    AskEvidence,
    AskReferrals,
    DecideReferral,
    EraseProfile,
    PlaceHold,
    RecordEvidence,
    RectifyProfile,
    RequestOffers,
    RequireChecks,
)
from journey import PROFILE, Journey

APPLICANTS = Opaque('[{"name":"A. Person","address":"2 New Street"}]')
COMPANY = Opaque('{"name":"Nine Lives Ltd","address":"2 New Street"}')
# When the funding rules that ship are in force in GB.
FUNDING_RULES = datetime(2026, 12, 1, 9, tzinfo=UTC)


def correct(journey, **sections):
    """Correct *sections*, the applicants unless others are named."""
    return journey.do(RectifyProfile(**sections or {"applicants": APPLICANTS}))


def required(journey, **about):
    """Which checks are required, and why: of a renewal unless it is about an application."""
    about = about or {"request": journey.request(renewal=True)}
    return {check.name: check.why for check in journey.do(RequireChecks(**about)).checks}


def result(journey, check, made_at=None, **facts):
    return CheckResult(check=check, made_at=made_at or journey.now, facts=facts)


def held(journey):
    """Why the newest result of each check does not count, by check and whom it is about."""
    return {(one.check, *one.about.values()): one.why for one in journey.do(AskEvidence()).checks}


def accepted(now=FUNDING_RULES):
    journey = Journey()
    journey.now = now
    journey.ask()
    journey.accept()
    journey.pass_time(hours=1)
    return journey


def test_the_profile_to_store_has_the_corrected_sections_and_the_old_ones_no_more(funded):
    """
    "The profile to store has the corrected sections", in every application that had the old ones.
    """
    reply = correct(funded, applicants=APPLICANTS, company=COMPANY)

    assert reply.sequence == funded.merchant.sequence
    kept = {content.text for content in funded.profile.sections.values()}
    assert {APPLICANTS.text, COMPANY.text} <= kept
    assert kept.isdisjoint({PROFILE["applicants"].text, PROFILE["company"].text})
    filled = filled_application(funded.acceptance.application_id, funded.merchant, funded.profile)
    assert (filled.applicants, filled.company) == (APPLICANTS, COMPANY)


def test_the_event_has_digests_and_the_journal_rebuilds(funded):
    """
    The event has digests, never personal data; the old ones stay in the state.
    """
    before = funded.merchant.sections
    correct(funded)

    (event,) = [one for one in funded.events if isinstance(one, ProfileRectified)]
    assert event.sections == {"applicants": funded.profile.digest(APPLICANTS)}
    (old,) = funded.merchant.replaced_sections
    assert (old.name, old.digest) == ("applicants", before["applicants"])
    assert old.replaced_at == funded.now
    stored = [wire.write_merchant(funded.merchant), *map(wire.write_event, funded.events)]
    assert all(b"Street" not in body and b"A. Person" not in body for body in stored)
    assert funded.engine.rebuild(funded.events) == funded.merchant
    assert wire.read_merchant(stored[0]) == funded.merchant


def test_checks_of_what_was_corrected_are_asked_for_again(renewable):
    """
    "Checks about it are asked for again by `required_checks`", and only those.
    """
    assert required(renewable) == {}
    correct(renewable)
    assert required(renewable) == {"identity": "missing", "consumer_credit": "missing"}
    renewable.ask(renewal=True, evidence={})
    assert "Accepted" not in {product.decision for product in renewable.offers.products}

    renewable.pass_time(minutes=1)
    renewable.do(
        RecordEvidence(
            records=[
                result(renewable, "identity", identity_verified=True),
                result(renewable, "consumer_credit", credit_score=700),
            ]
        )
    )
    assert required(renewable) == {}
    renewable.ask(renewal=True, evidence={})
    assert "Accepted" in {product.decision for product in renewable.offers.products}


def test_evidence_tells_a_corrected_section_from_others(funded):
    """
    "Evidence and decisions that were about the old sections" are distinguished.
    """
    old = funded.merchant.sections["applicants"]
    correct(funded)
    shown = held(funded)
    assert shown["identity", old] == shown["consumer_credit", old] == "corrected"
    assert shown["business", funded.merchant.sections["company"]] is None


def test_evidence_of_the_correction_is_about_what_it_corrects(renewable):
    """
    Evidence that comes with a correction is about the corrected sections.
    """
    evidence = {"identity_verified": True, "credit_score": 700}
    renewable.keep(
        renewable.engine.carry_out(
            renewable.merchant,
            RectifyProfile(applicants=APPLICANTS),
            renewable.context(evidence),
            profile=renewable.profile,
        )
    )
    assert required(renewable) == {}
    assert renewable.engine.rebuild(renewable.events) == renewable.merchant


def test_a_result_from_before_the_correction_must_say_whom_it_is_about(funded):
    """
    A result that was made before a correction, and does not say of which section, does not count
    for the corrected one: it may be of either.
    """
    before = funded.now
    funded.pass_time(hours=1)
    correct(funded)
    late = result(funded, "identity", before, identity_verified=True)
    with pytest.raises(InvalidDocument, match="whom the results are about"):
        funded.do(RecordEvidence(records=[late]))
    funded.do(RecordEvidence(records=[late], applicants=PROFILE["applicants"]))
    assert "identity" in required(funded)

    # What names the corrected section is about it, and so is what was made from then on.
    funded.do(RecordEvidence(records=[late], applicants=APPLICANTS))
    funded.do(RecordEvidence(records=[result(funded, "identity", identity_verified=True)]))
    assert "identity" not in required(funded)


def test_an_approval_of_the_old_section_lifts_nothing_and_a_decline_holds(renewable):
    """
    An approval is for those who were referred; a decline by a person holds for the merchant.
    """
    renewable.ask(renewal=True, evidence={"credit_score": 600})
    referral = next(one for one in renewable.merchant.referrals if one.rules)
    of = {"application_id": referral.application_id, "product": referral.product, "by": "u-1"}
    renewable.do(DecideReferral(**of, decision="approve"))
    renewable.pass_time(minutes=1)
    assert product(renewable, referral.product) == "Accepted"
    correct(renewable)
    renewable.pass_time(minutes=1)
    assert product(renewable, referral.product, identity_verified=True) == "Referred"

    referral = next(one for one in renewable.merchant.referrals if one.rules)
    of["application_id"] = referral.application_id
    renewable.do(DecideReferral(**of, decision="decline"))
    renewable.pass_time(minutes=1)
    correct(renewable, applicants=PROFILE["applicants"])
    assert product(renewable, referral.product) == "Declined"


def product(journey, key, **more):
    """The decision on the product *key* in a renewal with the score of a referral."""
    journey.ask(renewal=True, evidence={"credit_score": 600, **more})
    offered = zip(journey.merchant.offer_sets[-1].products, journey.offers.products, strict=True)
    return next(one.decision for held, one in offered if held.key == key)


def test_a_referral_about_the_old_section_ends(renewable):
    """
    A pending referral was asked about the section before it: the partner asks again.
    """
    renewable.ask(renewal=True, evidence={"credit_score": 600})
    assert renewable.do(AskReferrals()).referrals
    correct(renewable)
    assert renewable.do(AskReferrals()).referrals == ()
    assert renewable.engine.rebuild(renewable.events) == renewable.merchant


def test_open_offers_stay_and_are_accepted_with_the_corrected_sections(renewable):
    """
    The terms promised hold: open offers stay, and fill the application before it corrected.
    """
    renewable.ask(renewal=True)
    offers = list(renewable.merchant.offer_sets[-1].offers)
    correct(renewable)
    assert list(renewable.merchant.offer_sets[-1].offers) == offers
    acceptance = renewable.accept()
    filled = filled_application(acceptance.application_id, renewable.merchant, renewable.profile)
    assert filled.applicants == APPLICANTS


def test_open_offers_of_a_newcomer_next_to_a_repaid_deal_are_corrected_too(funded):
    """
    A set of offers that names the old section has the corrected one; its request can be repeated.
    """
    funded.pay_down(100)
    funded.ask(request_id="again")
    asked = funded.offers
    correct(funded)
    assert funded.merchant.offer_sets[-1].sections["applicants"] == funded.profile.digest(
        APPLICANTS
    )
    events = len(funded.events)
    assert funded.ask(request_id="again") == asked
    assert len(funded.events) == events


def test_the_sections_of_others_stay(funded):
    """
    An application of others, which was not accepted, is not corrected.
    """
    funded.pay_down(100)
    other = Opaque('[{"name":"Another"}]')
    request = attrs.evolve(funded.request(), applicants=other)
    funded.do(RequestOffers(request=request))
    correct(funded)
    assert funded.merchant.offer_sets[-1].sections["applicants"] == funded.profile.digest(other)
    assert funded.profile.section(funded.profile.digest(other)) == other


def test_a_payout_waits_until_the_corrected_section_was_checked():
    """
    The funding rules read what is known about the current sections.
    """
    journey = accepted()
    correct(journey)
    application_id = journey.acceptance.application_id
    with pytest.raises(Refusal) as refusal:
        journey.fund()
    assert refusal.value.code == "referred"
    assert required(journey, application_id=application_id) == {"identity": "missing"}
    journey.do(RecordEvidence(records=[result(journey, "identity", identity_verified=True)]))
    assert required(journey, application_id=application_id) == {}
    journey.fund()
    assert journey.merchant.active_deal is not None
    assert journey.engine.rebuild(journey.events) == journey.merchant


def test_on_hold_it_is_carried_out_as_always(funded):
    """
    The right does not wait for a suspicion, and the answer tells nothing of it.
    """
    held = Journey()
    held.ask()
    held.accept()
    held.fund()
    held.do(PlaceHold(code="fraud", by="u-1"))
    reply, free = correct(held), correct(funded)
    assert type(reply) is type(free)
    assert held.merchant.sections["applicants"] == held.profile.digest(APPLICANTS)
    assert held.merchant.on_hold


def test_a_repetition_has_no_events_and_the_same_reply(funded):
    """
    "Repeated with the same content: no event, same reply", with the same request id or another.
    """
    context = funded.context()
    operation = RectifyProfile(applicants=APPLICANTS, company=PROFILE["company"])

    def again(context):
        return funded.engine.carry_out(funded.merchant, operation, context, profile=funded.profile)

    first = funded.keep(again(context))
    funded.pass_time(days=1)
    for repeated in (again(context), again(funded.context())):
        assert repeated.events == ()
        assert repeated.reply == first
        assert repeated.profile == funded.profile
    with pytest.raises(Refusal) as refusal:
        funded.engine.carry_out(
            funded.merchant,
            RectifyProfile(company=COMPANY),
            context,
            profile=funded.profile,
        )
    assert refusal.value.code == "request_conflict"


def test_what_is_corrected_back_counts_again(funded):
    """
    A correction that was a mistake is corrected back: the results about that section count again.
    """
    old = funded.merchant.sections["applicants"]
    correct(funded)
    new = funded.merchant.sections["applicants"]
    funded.pass_time(minutes=1)
    correct(funded, applicants=PROFILE["applicants"])
    assert [one.digest for one in funded.merchant.replaced_sections] == [new]
    assert held(funded)["identity", old] is None
    assert funded.engine.rebuild(funded.events) == funded.merchant


@pytest.mark.parametrize("times", [1, MOST_REPLACED, MOST_REPLACED + 1, 3 * MOST_REPLACED])
def test_the_state_names_the_last_few_that_were_replaced(funded, times):
    """
    "Bounded, tested at both ends": the newest four of each section, in order.
    """
    old = [funded.merchant.sections["applicants"]]
    for number in range(times):
        funded.pass_time(minutes=1)
        correct(funded, applicants=Opaque(f'[{{"name":"A {number}"}}]'), company=COMPANY)
        old.append(funded.merchant.sections["applicants"])
    shown = [one.digest for one in funded.merchant.replaced_sections if one.name == "applicants"]
    assert shown == old[:-1][-MOST_REPLACED:]
    assert sum(one.name == "company" for one in funded.merchant.replaced_sections) == 1
    assert funded.engine.rebuild(funded.events) == funded.merchant
    assert wire.read_merchant(wire.write_merchant(funded.merchant)) == funded.merchant


def test_a_newcomer_has_nothing_to_correct(journey):
    """
    Before the first acceptance it is refused in the words of the bank details: a new request has
    the corrected profile.
    """
    for _ in range(2):
        with pytest.raises(Refusal) as refusal:
            correct(journey)
        assert refusal.value.code == "not_possible_now"
        assert refusal.value.detail == "no offer was accepted yet"
        journey.ask()


def test_after_an_erasure_there_is_nothing_to_correct(journey):
    """
    Refused, also while the next application is not accepted; after it, it is possible again.
    """
    journey.ask()
    journey.accept()
    correct(journey)
    assert journey.merchant.replaced_sections
    journey.pass_time(days=100)
    journey.do(EraseProfile())
    assert journey.merchant.replaced_sections == ()
    refused_as_erased(journey)
    journey.profile = Profile.new(salt=bytes(range(16, 32)))
    refused_as_erased(journey)
    journey.pass_time(days=1)
    journey.ask()
    refused_as_erased(journey)
    journey.accept()
    correct(journey)
    assert journey.merchant.sections["applicants"] == journey.profile.digest(APPLICANTS)


def refused_as_erased(journey):
    with pytest.raises(Refusal) as refusal:
        correct(journey)
    assert refusal.value.code == "profile_erased"
    assert refusal.value.detail == "the merchant's profile was erased"


def test_what_an_application_says_again_was_not_replaced(funded):
    """
    A new application with the old section is about that section: it is the current one again.
    """
    correct(funded)
    funded.pay_down(100)
    funded.pass_time(minutes=1)
    funded.ask()
    funded.accept()
    assert funded.merchant.sections["applicants"] == funded.profile.digest(PROFILE["applicants"])
    assert funded.merchant.replaced_sections == ()
    assert set(held(funded).values()) <= {None, "about_others"}
    assert funded.engine.rebuild(funded.events) == funded.merchant


def test_something_is_corrected():
    """
    Without a section there is nothing to correct: an error that says what is expected.
    """
    with pytest.raises(InvalidDocument) as raised:
        RectifyProfile()
    assert [(error.path, error.code) for error in raised.value.errors] == [
        ("$.applicants", "missing")
    ]


def test_a_correction_before_an_acceptance_does_not_follow(journey):
    """A journal that corrects what nobody accepted, or what was erased, is refused."""
    event = ProfileRectified(
        at=journey.context().at,
        partner="acme",
        merchant_id="m-1",
        sequence=1,
        sections={"applicants": "5" * 32},
    )
    with pytest.raises(HistoryError, match="no profile that was accepted"):
        journey.engine.evolve(journey.merchant, [event])


def test_recorded_takings_stay_those_of_the_corrected_company(renewable):
    """
    Takings that were recorded day by day are those of the company, under its corrected name too.
    """
    correct(renewable, company=COMPANY)
    assert required(renewable) == {"business": "missing"}
