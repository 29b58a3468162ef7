"""Service 1: what the service does, and the renewal flow."""

from __future__ import annotations

import pytest

from holdback import InvalidDocument, Refusal, wire
from holdback.eligibility.assessment import FLOOR_PERCENT
from holdback.lifecycle.offers.application import filled_application
from holdback.operations import AssessRenewal, RequireChecks
from journey import PROFILE


def test_a_partner_obtains_offers_and_accepts_one(journey):
    """
    "A partner can obtain financing offers for a merchant and accept one of them on the merchant's
    behalf." (service 1)
    """
    offers = journey.ask()
    acceptance = journey.accept()

    offered = {offer.offer_id for product in offers.products for offer in product.offers}
    assert acceptance.offer.offer_id in offered


def test_an_initial_application_carries_the_full_profile(journey):
    """
    "The merchant is new to the service. The request carries the merchant's full profile: the
    application block, consents, applicants and company." (service 1)
    """
    journey.ask()
    named = journey.merchant.offer_sets[0].sections

    for name in ("consents", "applicants", "company"):
        assert journey.profile.section(named[name]) == PROFILE[name]
    with pytest.raises(InvalidDocument, match="company"):
        wire.read_offers_request(
            b'{"application": {"merchant_id": "m-1", "provider_id": null, "currency": "GBP"},'
            b' "consents": {}, "applicants": [{}]}'
        )


def test_checks_decide_an_initial_application(journey):
    """
    "The service uses the profile for identity and business checks, for automated decisioning and to
    calculate offers." (service 1)
    """
    checks = journey.do(RequireChecks(request=journey.request())).checks

    assert [check.name for check in checks] == [
        "identity",
        "business",
        "consumer_credit",
        "takings",
    ]


def test_a_missing_check_is_referred_and_never_accepted(journey):
    """
    Missing evidence makes a product `Referred` (decisions/applications#evidence).
    """
    offers = journey.ask(evidence={})

    assert {product.decision for product in offers.products} == {"Referred"}
    assert not any(product.offers for product in offers.products)


def test_a_renewal_carries_only_the_application_block(renewable):
    """
    "The merchant has an active deal, or had one until recently. The request carries only the
    application block, which includes the merchant's `provider_id`." (service 1)
    """
    request = renewable.request(renewal=True)
    offers = renewable.ask(renewal=True)

    assert request.consents is request.applicants is request.company is None
    assert any(product.decision == "Accepted" for product in offers.products)


def test_a_renewal_uses_the_data_already_held(renewable):
    """
    "The service uses the data that it already holds (revenues, payment history, earlier deals) to
    calculate offers and to fill the application." (service 1)
    """
    renewable.ask(renewal=True)
    renewable.accept(bank_details=None)
    application_id = renewable.acceptance.application_id
    filled = filled_application(application_id, renewable.merchant, renewable.profile)

    assert filled.company == PROFILE["company"]
    assert filled.facts["average_monthly_takings"] == "20000.00"
    assert [deal["status"] for deal in filled.deals] == ["Funded"]
    assert filled.intended_use_of_funds == "stock"


def test_provider_id_is_issued_at_the_first_acceptance(journey):
    """
    "The service issues the `provider_id` when an initial offer is accepted." (service 1)
    """
    journey.ask()
    before = journey.merchant.provider_id
    acceptance = journey.accept()

    assert before is None
    assert acceptance.provider_id == journey.merchant.provider_id


def test_provider_id_stays_for_life(renewable):
    """
    "It stays valid for the whole life of the merchant with the service, across any number of
    initial and renewal applications." (service 1)
    """
    issued = renewable.merchant.provider_id
    renewable.ask(renewal=True)
    renewable.accept()
    renewable.fund()

    assert renewable.acceptance.provider_id == issued
    assert renewable.merchant.provider_id == issued


def test_the_lookup_says_whether_the_active_deal_may_be_renewed(renewable):
    """
    "The merchant lookup returns the merchant's deals, and says whether the active deal is eligible
    for renewal." (service 1)
    """
    assert renewable.active().performance.renewal_eligibility is True


def test_acceptance_moves_the_application_to_fulfilment(journey):
    """
    "After acceptance the application moves to fulfilment, which the service's agents handle. They
    may contact the merchant for data that the offers request omitted." (service 1)
    """
    journey.ask()
    journey.accept(bank_details=None)
    fulfilment = journey.merchant.in_fulfilment

    assert fulfilment.status == "awaiting_details"
    assert fulfilment.omitted == ("bank_details",)


def test_the_floor_is_fifty_percent(funded):
    """
    "At least 50 percent of the existing deal must be paid down before the merchant is even assessed
    for eligibility." (service 1)
    """
    funded.pass_time(days=1)
    repayment = funded.deal.repayment_amount.minor
    half = -(-repayment // 2)
    funded.remit(funded.entry(half - 1), complete_through=funded.today())
    short = funded.do(AssessRenewal())
    funded.remit(funded.entry(1), complete_through=funded.today())
    reached = funded.do(AssessRenewal())

    assert FLOOR_PERCENT == 50
    assert short.outcome == "not_assessed"
    assert short.codes == ("FLOOR",)
    assert reached.outcome != "not_assessed"


def test_reaching_the_floor_is_not_enough(funded):
    """
    "Reaching that percentage does not guarantee eligibility: other facts about the existing deal
    are considered too." (service 1)
    """
    funded.pay_down(50)
    funded.pass_time(days=funded.deal.term_days)
    funded.remit(complete_through=funded.today())
    assessment = funded.do(AssessRenewal())

    assert assessment.outcome == "ineligible"
    assert assessment.reasons


def test_rules_vary_by_jurisdiction():
    """
    "The eligibility rules vary by jurisdiction or country." (service 1)
    """
    from holdback import load_jurisdictions

    assert "GB" in load_jurisdictions().codes


def test_one_active_deal_and_every_renewal_is_based_on_it(renewable):
    """
    "A merchant has at most one active deal at a time, and any renewal is based on that deal."
    (service 1)
    """
    base = renewable.deal
    renewable.ask(renewal=True)
    renewable.accept()
    renewable.fund()

    assert renewable.merchant.offer_sets[-1].base_deal_id == base.id
    assert [deal.status for deal in renewable.merchant.deals] == ["Renewed", "Funded"]
    assert sum(deal.active for deal in renewable.merchant.deals) == 1


def test_the_nine_steps_of_a_renewal(renewable):
    """
    "The service fills the application from the data that it holds and submits it for fulfilment.
    The application is then fulfilled and funded." (service 1, renewal flow)
    """
    stored = renewable.merchant.provider_id
    assert stored is not None
    assert renewable.active().performance.renewal_eligibility
    offers = renewable.ask(renewal=True, provider_id=stored)
    assert offers.products
    renewable.accept(bank_details=None)
    assert renewable.merchant.in_fulfilment.status == "submitted"
    renewal = renewable.fund()

    assert renewal.deal_id == renewable.merchant.active_deal.id
    assert renewable.merchant.active_deal.type == "Renewal"


def test_an_unknown_provider_id_is_no_merchant(renewable):
    """
    "To renew through the interface, a partner must be able to do two things: read the merchant
    lookup, and send a `provider_id` to the offers endpoint." (service 1, renewal flow) An unknown
    `provider_id` gives 404.
    """
    with pytest.raises(Refusal) as refused:
        renewable.ask(renewal=True, provider_id="00000000-0000-0000-0000-000000000000")

    assert (refused.value.code, refused.value.status) == ("merchant_not_found", 404)
