"""Results of checks, and approvals, count only for those whom they are about."""

from __future__ import annotations

import attrs
import pytest

from holdback import InvalidDocument, Merchant, wire
from holdback.exact.exact_json import Opaque
from holdback.lifecycle.context import CheckResult
from holdback.merchant.profile import Profile
from holdback.operations import (
    AskEvidence,
    DecideReferral,
    EraseProfile,
    RecordConsents,
    RecordEvidence,
    RequestOffers,
    RequireChecks,
)
from journey import EVIDENCE, PROFILE, START, Journey

OTHER = {"applicants": Opaque('[{"name":"Mallory"}]'), "company": Opaque('{"name":"Shell Ltd"}')}


def ask(journey, evidence=None, **sections):
    """Ask for offers for other people under the same merchant_id; return the decisions."""
    request = attrs.evolve(journey.request(), **sections)
    operation = RequestOffers(request=request)
    context = journey.context(evidence)
    offers = journey.keep(
        journey.engine.carry_out(journey.merchant, operation, context, profile=journey.profile)
    )
    journey.offers = offers
    return {product.decision for product in offers.products}


def required(journey, **sections):
    """The names of the checks that a request for others needs."""
    request = attrs.evolve(journey.request(), **sections)
    return [check.name for check in journey.do(RequireChecks(request=request)).checks]


def test_another_applicant_of_another_company_is_checked(journey):
    """
    "A result belongs to the sections that it is about, and counts only for them."
    """
    journey.ask()
    assert "Accepted" in {product.decision for product in journey.offers.products}
    journey.pass_time(minutes=1)

    assert required(journey, **OTHER) == ["identity", "business", "consumer_credit", "takings"]
    assert ask(journey, **OTHER) == {"Referred"}
    assert ask(journey) == {"Accepted"}


def test_what_changed_alone_is_asked_for_again(journey):
    """
    "What changed is asked for again by `required_checks`."
    """
    journey.ask()
    journey.pass_time(minutes=1)

    new_director = {"applicants": OTHER["applicants"]}
    new_company = {"company": OTHER["company"]}
    assert required(journey) == []
    assert required(journey, **new_director) == ["identity", "consumer_credit"]
    assert required(journey, **new_company) == ["business", "takings"]


def test_a_bad_result_of_another_does_not_replace_a_good_one(journey):
    """
    Of each check, the newest result about those who apply counts; a worse one of others does not.
    """
    journey.ask()
    journey.pass_time(minutes=1)
    assert ask(journey, EVIDENCE | {"credit_score": 1}, **OTHER) == {"Declined"}
    journey.pass_time(minutes=1)
    assert ask(journey) == {"Accepted"}
    assert ask(journey, **OTHER) == {"Declined"}


def test_a_renewal_keeps_what_is_held(funded):
    """
    "A renewal, which sends no profile, keeps what is held."
    """
    funded.pay_down(60)
    funded.ask(renewal=True)
    decisions = {product.decision for product in funded.offers.products}
    assert decisions <= {"Accepted", "Declined"}
    assert "Accepted" in decisions


def test_results_say_whom_they_are_about(journey):
    """
    Before the first request nobody is known, so a result must say whom it is about; the profile
    does not keep what it says.
    """
    result = CheckResult(check="identity", made_at=START, facts={"identity_verified": True})
    both = CheckResult(check="takings", made_at=START, facts={"months_trading": 30})
    with pytest.raises(InvalidDocument) as raised:
        journey.do(RecordEvidence(records=[result, both]))
    assert [(error.path, error.code) for error in raised.value.errors] == [
        ("$.applicants", "missing"),
        ("$.company", "missing"),
    ]

    journey.do(RecordEvidence(records=[result], applicants=PROFILE["applicants"]))
    assert journey.profile.sections == {}
    assert "identity" not in required(journey)
    assert "identity" in required(journey, **OTHER)


def test_results_of_several_applications_must_say_which(journey):
    """
    While applications name two of them, a result that does not say whom it is about is invalid.
    """
    journey.ask()
    journey.pass_time(minutes=1)
    result = CheckResult(check="identity", made_at=journey.now, facts={"identity_verified": False})
    ask(journey, applicants=OTHER["applicants"])
    with pytest.raises(InvalidDocument, match="whom the results are about"):
        journey.do(RecordEvidence(records=[result]))
    journey.do(RecordEvidence(records=[result], applicants=OTHER["applicants"]))

    assert required(journey) == []
    assert ask(journey) == {"Accepted"}
    assert ask(journey, applicants=OTHER["applicants"]) == {"Declined"}


def test_an_approval_is_for_those_who_were_referred(journey):
    """
    An approval of one person's referral does not carry over to another's.
    """
    referring = EVIDENCE | {"credit_score": 600}
    decisions = ask(journey, referring)
    referral = next(one for one in journey.merchant.referrals if one.rules)
    journey.do(
        DecideReferral(
            application_id=referral.application_id,
            product=referral.product,
            decision="approve",
            by="u-1",
        )
    )
    journey.pass_time(minutes=1)
    assert "Referred" in decisions
    assert product(journey, referral.product, **OTHER) == "Referred"
    assert product(journey, referral.product) == "Accepted"


def product(journey, key, **sections):
    """The decision on one product for others of whom the checks say the same."""
    made = ask(journey, EVIDENCE | {"credit_score": 600}, **sections)
    assert made
    return next(one.decision for one in journey.offers.products if one.key == key)


def test_a_referral_says_whom_it_is_about(journey):
    """
    An underwriter sees whom a referral is about: the profile holds these sections.
    """
    ask(journey, EVIDENCE | {"credit_score": 600}, **OTHER)
    (referral, *_) = journey.merchant.referrals
    shown = {name: journey.profile.section(digest) for name, digest in referral.sections.items()}
    assert shown == OTHER


def test_nobody_is_accepted_on_the_checks_of_an_erased_merchant(journey):
    """
    "Personal results go with the profile": the state has none, and nothing counts for others.
    """
    journey.ask()
    journey.do(EraseProfile())
    stored = wire.write_merchant(journey.merchant)
    assert b"credit_score" not in stored
    assert b"720" not in stored

    journey.profile = Profile.new(salt=bytes(range(16, 32)))
    journey.pass_time(minutes=1)
    assert ask(journey) == {"Referred"}
    assert journey.engine.rebuild(journey.events) == journey.merchant


def test_the_state_holds_the_results_of_few(journey):
    """
    However many profiles a partner sends, the newest results of four are held; the journal has all.
    """
    for number in range(9):
        applicants = Opaque(f'[{{"name":"A {number}"}}]')
        journey.pass_time(minutes=1)
        ask(journey, {"identity_verified": True}, applicants=applicants)
    held = [record for record in journey.merchant.checks if record.check == "identity"]
    assert len(held) == 4
    assert max(record.made_at for record in held) == journey.now
    assert journey.engine.rebuild(journey.events) == journey.merchant
    shown = {check.made_at: check.why for check in journey.do(AskEvidence()).checks}
    assert shown.pop(journey.now) is None
    assert [*shown.values()] == ["about_others"] * 3


def in_australia():
    """A newcomer in AU, where a credit check needs the consent `credit_reporting`."""
    journey = Journey()
    journey.merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="AU")
    return journey


def request_in_australia(journey, consents, **sections):
    request = journey.request(currency="AUD")
    return attrs.evolve(request, consents=Opaque(consents), **sections)


def lacking(journey, consents="{}", **sections):
    """The consent that the credit check of a request lacks."""
    request = request_in_australia(journey, consents, **sections)
    checks = journey.do(RequireChecks(request=request)).checks
    (credit,) = (check for check in checks if check.name == "consumer_credit")
    return credit.consent


def test_a_consent_counts_for_the_applicants_who_gave_it():
    """
    "It counts for the applicants who gave it, and for no others." "What a request names is read as
    it says, true or false. Of a consent that it does not name, what the same applicants said last
    counts."
    """
    journey = in_australia()
    assert lacking(journey) == "credit_reporting"
    asked = request_in_australia(journey, '{"credit_reporting":true}')
    journey.do(RequestOffers(request=asked))
    assert lacking(journey) is None
    assert lacking(journey, '{"credit_reporting":false}') == "credit_reporting"
    assert lacking(journey, **OTHER) == "credit_reporting"
    assert lacking(journey, '{"credit_reporting":true}', **OTHER) is None

    journey.pass_time(minutes=1)
    journey.do(RequestOffers(request=request_in_australia(journey, "{}", **OTHER)))
    assert lacking(journey) is None
    assert lacking(journey, **OTHER) == "credit_reporting"
    assert journey.engine.rebuild(journey.events) == journey.merchant
    assert wire.read_merchant(wire.write_merchant(journey.merchant)) == journey.merchant


def test_a_consent_is_recorded_with_whose_it_is():
    """
    "They may be left out while the merchant's applications name only one. With several, or before
    anybody has applied, it is an error": a host says whose it is, "and the first application finds
    it".
    """
    journey = in_australia()
    given = {"credit_reporting": True}
    with pytest.raises(InvalidDocument, match="nobody says whose consents these are") as refused:
        journey.do(RecordConsents(consents=given))
    assert [(e.code, e.path) for e in refused.value.errors] == [("missing", "$.applicants")]

    journey.do(RecordConsents(consents=given, applicants=OTHER["applicants"]))
    assert lacking(journey, **OTHER) is None
    assert lacking(journey) == "credit_reporting"

    journey.do(RequestOffers(request=request_in_australia(journey, "{}")))
    journey.do(RecordConsents(consents=given))
    assert lacking(journey) is None
    events = len(journey.events)
    journey.do(RecordConsents(consents=given))
    assert len(journey.events) == events

    journey.pass_time(minutes=1)
    journey.do(RequestOffers(request=request_in_australia(journey, "{}", **OTHER)))
    with pytest.raises(InvalidDocument, match="nobody says whose"):
        journey.do(RecordConsents(consents={"credit_reporting": False}))
    withdrawn = {"credit_reporting": False}
    journey.do(RecordConsents(consents=withdrawn, applicants=OTHER["applicants"]))
    assert (lacking(journey), lacking(journey, **OTHER)) == (None, "credit_reporting")


def test_the_state_holds_the_consents_of_four_who_were_not_accepted():
    """
    "The state holds the consents [...] of the four others who gave some last", and an erasure
    removes them.
    """
    journey = in_australia()
    people = [Opaque(f'[{{"name":"A {number}"}}]') for number in range(6)]
    for applicants in people:
        journey.do(RecordConsents(consents={"credit_reporting": True}, applicants=applicants))
    assert [given.names for given in journey.merchant.consents] == [("credit_reporting",)] * 4
    consents = [lacking(journey, applicants=applicants) for applicants in people]
    assert consents == ["credit_reporting"] * 2 + [None] * 4
    journey.do(EraseProfile())
    assert not journey.merchant.consents
    assert journey.engine.rebuild(journey.events) == journey.merchant


def test_the_accepted_profile_does_not_say_what_others_agreed_to(funded):
    """
    The `consents` of the merchant are those of the accepted applicants, as they said them last.
    """
    before = funded.merchant.sections["consents"]
    consents = {"marketing": True}
    funded.do(RecordConsents(consents=consents, applicants=OTHER["applicants"]))
    assert funded.merchant.sections["consents"] == before
    funded.do(RecordConsents(consents=consents, applicants=PROFILE["applicants"]))
    content = funded.profile.section(funded.merchant.sections["consents"])
    assert content.value["marketing"] is True
