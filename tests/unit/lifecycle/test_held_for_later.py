"""What is held of checks, consents and decisions counts in every later request."""

from __future__ import annotations

from datetime import timedelta

from holdback import Application, Engine, OffersRequest
from holdback.exact.exact_json import Opaque
from holdback.lifecycle.context import CheckResult
from holdback.operations import (
    AskReferrals,
    DecideReferral,
    RecordConsents,
    RequestOffers,
    RequireChecks,
)
from journey import PROFILE, Journey
from small_folders import changed, country, loaded

SEARCH = "[checks.identity]\nmax_age_days = [{ from = 2025-01-01, value = 5, source = 'law' }]\n"
REFERRING = "identity_verified and credit_score >= 500"


def a_journey(files):
    """A newcomer in NL with these *files*."""
    journey = Journey(Engine.for_trial(loaded(NL=files)))
    journey.merchant = type(journey.merchant).new(
        partner="acme", merchant_id="m-1", jurisdiction="NL"
    )
    return journey


def asked(journey, *, evidence=None, renewal=False, **sections):
    """The decision on the one product after a request for offers."""
    profile = PROFILE | {name: Opaque(value) for name, value in sections.items()}
    block = {"merchant_id": "m-1", "currency": "EUR"}
    if renewal:
        body = OffersRequest(
            application=Application(provider_id=journey.merchant.provider_id, **block)
        )
    else:
        body = OffersRequest(application=Application(**block), **profile)
    context = journey.context(evidence)
    outcome = journey.engine.carry_out(
        journey.merchant, RequestOffers(request=body), context, profile=journey.profile
    )
    journey.offers = journey.keep(outcome)
    return journey.offers.products[0].decision


def test_a_check_of_which_the_age_alone_is_read_is_made_again_when_it_is_too_old():
    """
    `required_checks` names what is missing, too old, or due a second time after an expiry.
    """
    product = changed(
        country(more=SEARCH),
        "products.toml",
        'require = "identity_verified"',
        'require = "identity_age_days <= 3 days"',
    )
    journey = a_journey(product)
    record = CheckResult(check="identity", made_at=journey.now, facts={"identity_verified": True})
    journey.record(record)
    body = OffersRequest(application=Application(merchant_id="m-1", currency="EUR"), **PROFILE)

    def required():
        return {one.name: one.why for one in journey.do(RequireChecks(request=body)).checks}

    assert "identity" not in required()
    journey.pass_time(days=5)
    assert "identity" not in required()
    journey.pass_time(days=1)
    assert required()["identity"] == "too_old"


def test_consents_that_are_held_count_in_a_request_that_does_not_name_them():
    """
    What the service knows counts everywhere: consents that were recorded stay unchanged, until
    a request or an agent says otherwise.
    """
    journey = a_journey(country(more='consents = ["terms"]\n'))
    verified = {"identity_verified": True}
    assert asked(journey, evidence=verified, consents="{}") == "Referred"
    journey.do(RecordConsents(consents={"terms": True}))
    assert asked(journey, consents="{}") == "Accepted"
    assert asked(journey, consents='{"terms": false}') == "Referred"
    assert asked(journey, consents="{}") == "Referred"
    assert asked(journey, consents='{"terms": true}') == "Accepted"
    assert asked(journey, consents="{}") == "Accepted"


def test_the_consents_of_the_accepted_applicants_are_not_pushed_out():
    """
    "The state holds the consents of the accepted applicants and of the four others who gave some
    last": whomever a partner names, a renewal keeps what it needs.
    """
    journey = a_journey(country(more='consents = ["terms"]\n'))
    verified = {"identity_verified": True}
    assert asked(journey, evidence=verified, consents='{"terms": true}') == "Accepted"
    journey.accept()
    for number in range(6):
        others = Opaque(f'[{{"name": "A {number}"}}]')
        journey.do(RecordConsents(consents={"terms": True}, applicants=others))
    assert journey.merchant.consents_of(journey.merchant.sections) == ("terms",)
    assert len(journey.merchant.consents) == 5
    assert journey.engine.rebuild(journey.events) == journey.merchant


def refer(files):
    """The same *files* with a product that a low score refers."""
    return changed(
        files,
        "products.toml",
        'require = "identity_verified", reason',
        f'require = "{REFERRING}", otherwise = "refer", reason',
    )


def decided(journey, decision, **until):
    """A person's decision about the product in the last set."""
    journey.do(AskReferrals())
    outcome = journey.engine.carry_out(
        journey.merchant,
        DecideReferral(
            application_id=journey.merchant.referrals[0].application_id,
            product="flex",
            decision=decision,
            by="u-1",
            until=journey.now + timedelta(**until),
        ),
        journey.context(),
        profile=journey.profile,
    )
    journey.keep(outcome)


def a_repaid_deal(journey):
    """Fund a deal and repay it at once."""
    good = {"identity_verified": True, "credit_score": 700}
    assert asked(journey, evidence=good) == "Accepted"
    journey.accept()
    journey.fund()
    journey.pay_down(100)


def test_a_declined_product_is_declined_in_whichever_way_it_is_asked_for():
    """
    A decline makes the product `Declined` until `until`: for a renewal of the repaid deal, and for
    an initial application of the same merchant.
    """
    journey = a_journey(refer(country()))
    a_repaid_deal(journey)
    assert asked(journey, evidence={"credit_score": 499}, renewal=True) == "Referred"
    decided(journey, "decline", days=10)
    journey.pass_time(days=1)
    good = {"identity_verified": True, "credit_score": 700}
    assert asked(journey, evidence=good, renewal=True) == "Declined"
    assert asked(journey) == "Declined"
    journey.pass_time(days=9)
    assert asked(journey) == "Accepted"


def test_a_decision_about_another_application_does_not_end_an_approval():
    """
    An approval holds for its product and base deal until `until`; one about an initial application
    is another.
    """
    journey = a_journey(refer(country()))
    a_repaid_deal(journey)
    assert asked(journey, evidence={"credit_score": 499}, renewal=True) == "Referred"
    decided(journey, "approve", days=10)
    assert asked(journey, renewal=True) == "Accepted"
    assert asked(journey) == "Referred"
    decided(journey, "approve", days=1)
    assert asked(journey) == "Accepted"
    assert asked(journey, renewal=True) == "Accepted"
    journey.pass_time(days=2)
    assert asked(journey) == "Referred"
    assert asked(journey, renewal=True) == "Accepted"
