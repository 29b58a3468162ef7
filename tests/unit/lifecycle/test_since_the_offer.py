"""
What is known against a merchant since its offers were issued (decisions/offers#since-the-offer).

What would decline or refer the merchant since the offers were issued is looked at again at
acceptance and at funding. Terms that were promised hold, and a payout waits.
"""

from __future__ import annotations

from datetime import timedelta

import attrs
import pytest

from holdback import Money, Refusal
from holdback.operations import (
    AskReferrals,
    CloseDeal,
    DecideReferral,
    FundDeal,
    LiftHold,
    PlaceHold,
    Refund,
    ReinstateDeal,
    Requote,
    WriteOff,
)
from journey import EVIDENCE, Journey

# What a renewal derives from the merchant's history.
DERIVED = ("average_monthly_takings", "months_trading")
SENTENCE = "a person decides first; the offer stays open until it expires"


def after_repaying():
    """A merchant on the day after its deal was repaid."""
    journey = Journey()
    journey.ask()
    journey.accept()
    journey.fund()
    journey.pay_down(100)
    journey.pass_time(days=1)
    return journey


def repaid():
    """A merchant whose deal is repaid, with offers of a new initial application."""
    journey = after_repaying()
    journey.ask()
    return journey


def bounce(journey):
    """Take back the last payment of the first deal, which is active again."""
    (deal,) = journey.merchant.deals
    back = journey.entry(deal.entries[-1].amount.minor, id="back", reverses=deal.entries[-1].id)
    journey.remit(back)


def default(journey):
    journey.do(CloseDeal(deal_id=journey.deal.id, status="defaulted"))


def bounced_and_defaulted(journey):
    bounce(journey)
    default(journey)


def overpaid(journey):
    journey.remit(journey.entry(700, id="late"))


def refusal(call, *arguments):
    """Return the refusal of a call, which changed nothing."""
    with pytest.raises(Refusal) as refused:
        call(*arguments)
    return refused.value


@pytest.mark.parametrize("happens", [bounce, bounced_and_defaulted, overpaid])
def test_an_offer_waits_for_what_happened_since(happens):
    """
    A reopened deal, a default and a refund that is due refuse an acceptance and a new quote.
    """
    journey = repaid()
    offer = journey.first_offer()
    happens(journey)
    before = journey.merchant

    amount = offer.funded_amount
    for call in (
        journey.accept,
        lambda: journey.do(Requote(offer_id=offer.offer_id, amount=amount)),
    ):
        refused = refusal(call)
        assert (refused.code, refused.status, refused.detail) == ("referred", 409, SENTENCE)
    assert attrs.evolve(journey.merchant, last_seen_at=before.last_seen_at) == before


@pytest.mark.parametrize(
    ("happens", "why"),
    [
        (bounced_and_defaulted, "a deal has defaulted"),
        (overpaid, "a refund is due"),
    ],
)
def test_a_funding_waits_and_says_why(happens, why):
    """
    At funding the agent reads what happened; the application stays submitted.
    """
    journey = repaid()
    journey.accept()
    happens(journey)

    refused = refusal(journey.fund)

    assert refused.code == "referred"
    assert why in refused.detail
    assert journey.merchant.fulfilments[-1].status == "submitted"


def test_a_hold_is_refused_like_everything_else():
    """
    "A partner cannot tell a hold from the other reasons: same status, code and words."
    """
    held, reopened = repaid(), repaid()
    held.do(PlaceHold(code="fraud", by="agent-1"))
    bounce(reopened)

    one, other = refusal(held.accept), refusal(reopened.accept)

    assert (one.code, one.status, one.detail) == (other.code, other.status, other.detail)
    held.do(LiftHold(code="fraud", by="agent-1"))
    assert held.accept().offer.offer_status == "Accepted"


def test_what_was_put_right_no_longer_counts():
    """
    The promised terms hold: once a refund is made the offer can be accepted, and be funded.
    """
    journey = repaid()
    overpaid(journey)
    amount = Money.parse("GBP 7.00")
    journey.do(Refund(deal_id=journey.deal.id, id="refund", on=journey.today(), amount=amount))

    assert journey.accept().offer.offer_status == "Accepted"
    journey.fund()
    assert journey.deal.status == "Funded"


def test_what_was_known_when_the_offers_were_issued_does_not_count():
    """
    The rules decided with it: offers made after an overpayment are not refused for it.
    """
    journey = repaid()
    overpaid(journey)
    journey.pass_time(hours=1)
    journey.ask()

    assert journey.accept().offer.offer_status == "Accepted"


def test_a_write_off_since_the_offer():
    """
    What was written off after the offers were issued is a loss that they did not know of.
    """
    journey = repaid()
    bounced_and_defaulted(journey)
    lost = journey.deal.balance
    journey.do(WriteOff(deal_id=journey.deal.id, id="w", on=journey.today(), amount=lost))

    assert refusal(journey.accept).code == "referred"


def test_a_default_that_was_an_error():
    """
    A deal that is reinstated is active: nothing beside it is accepted until it is repaid.
    """
    journey = repaid()
    bounced_and_defaulted(journey)
    journey.do(ReinstateDeal(deal_id=journey.deal.id))
    assert refusal(journey.accept).code == "referred"

    journey.remit(journey.entry(journey.deal.balance.minor, id="again"))
    assert journey.accept().offer.offer_status == "Accepted"


def test_a_retry_of_an_acceptance_gets_its_reply():
    """
    What was accepted stays accepted, when a refund is due since then.
    """
    journey = repaid()
    first = journey.accept()
    overpaid(journey)
    journey.now += timedelta(hours=1)

    assert journey.accept(first.offer.offer_id) == first


def test_a_renewal_whose_base_deal_is_reopened():
    """
    A renewal is refused as an initial application is, at acceptance and at funding.
    """
    journey = after_repaying()
    checked = EVIDENCE | {"credit_checked_on": journey.today().isoformat()}
    journey.ask(renewal=True, evidence={n: checked[n] for n in checked if n not in DERIVED})
    bounce(journey)

    assert refusal(journey.accept).code == "referred"
    journey.remit(journey.entry(journey.deal.balance.minor, id="again"))
    journey.accept()
    back = journey.entry(journey.deal.entries[-1].amount.minor, id="b2", reverses="again")
    journey.remit(back)
    assert (
        "is active again"
        in refusal(journey.do, FundDeal(application_id=journey.acceptance.application_id)).detail
    )


def test_a_product_that_a_person_declined_since():
    """
    A person who declines a product decides for the offers of it that are still open.
    """
    journey = Journey()
    products = journey.ask().products
    journey.pass_time(hours=1)
    journey.ask(evidence=EVIDENCE | {"credit_score": 600})
    (referral,) = journey.do(AskReferrals()).referrals
    about = {"application_id": referral.application_id, "product": referral.product}
    journey.do(DecideReferral(**about, decision="decline", by="u-7"))

    offers = {product.key: product.offers[0].offer_id for product in products if product.offers}
    declined = offers.pop(referral.product)
    assert refusal(journey.accept, declined).detail == SENTENCE
    (other,) = offers.values()
    assert journey.accept(other).offer.offer_status == "Accepted"
