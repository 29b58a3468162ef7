"""Service 8: limits."""

from __future__ import annotations

from datetime import timedelta

import pytest

from holdback import Refusal
from holdback.operations import AssessRenewal


def test_the_floor_is_compared_exactly(funded):
    """
    "At least 50 percent of the existing deal must be paid down before renewal eligibility is
    assessed." (service 8) One minor unit less than half is not enough.
    """
    repayment = funded.deal.repayment_amount.minor
    funded.pass_time(days=2)
    for remitted in (repayment // 2 - 1, repayment - repayment // 2):
        due = remitted - funded.deal.remitted.minor
        funded.remit(funded.entry(due))
        reached = funded.deal.remitted.minor * 100 >= 50 * repayment
        assert (funded.do(AssessRenewal()).outcome != "not_assessed") == reached


def test_at_most_one_active_deal(funded):
    """
    "A merchant has at most one active deal." (service 8)
    """
    with pytest.raises(Refusal, match="active_deal"):
        funded.ask()

    assert sum(deal.active for deal in funded.merchant.deals) == 1


def test_offers_stay_within_the_limits_of_their_product(journey):
    """
    "Each product carries `limits.minimum` and `limits.maximum` for its amount." (service 8)
    """
    for product in journey.ask().products:
        assert product.limits.minimum <= product.limits.maximum
        for offer in product.offers:
            assert product.limits.minimum <= offer.funded_amount <= product.limits.maximum


def test_the_expiry_is_fixed_when_the_application_is_created(journey):
    """
    "A set of offers expires at its `expiresAt`, which is fixed when the application is created."
    (service 8)
    """
    issued = journey.ask(request_id="once").expires_at
    journey.pass_time(hours=5)

    assert journey.ask(request_id="once").expires_at == issued
    assert issued - timedelta(hours=720) == journey.now - timedelta(hours=5)
    assert issued.microsecond == 0


def test_a_clock_that_goes_back_revives_nothing(journey):
    """
    If the clock goes back, the latest instant that the merchant has seen counts
    (decisions/engine#time).
    """
    journey.ask()
    first = journey.first_offer().offer_id
    journey.now = journey.offers.expires_at
    journey.ask()
    journey.now -= timedelta(days=20)

    with pytest.raises(Refusal, match="offers_expired"):
        journey.accept(first)
