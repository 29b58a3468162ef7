"""Service 3: states and transitions, and those that the interface leaves open."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from holdback import BankDetails, Refusal, wire
from holdback.lifecycle.transitions import SHOWN, TABLE
from holdback.merchant.deal import STATUSES
from holdback.operations import (
    CloseApplication,
    CloseDeal,
    RecordRemittance,
    RequireChecks,
    SupplyDetails,
)

ROOT = Path(__file__).parents[2]


def refusal_of(operation, *arguments, **options):
    """
    Return the code and the status with which *operation* is refused.
    """
    with pytest.raises(Refusal) as caught:
        operation(*arguments, **options)
    return caught.value.code, caught.value.status


def test_accepting_an_unexpired_offer(journey):
    """
    "Accepting an offer before its set expires puts the application into fulfilment. The response
    carries the links `contract_link` and `merchant_link`." (service 3)
    """
    journey.ask()
    acceptance = journey.accept()

    assert set(acceptance.links) >= {"contract_link", "merchant_link"}
    assert journey.merchant.in_fulfilment.application_id == acceptance.application_id


def test_bank_details_submit_automatically(journey):
    """
    "Bank details sent with the acceptance enable automatic submission." (service 3)
    """
    journey.ask()
    journey.accept()

    assert journey.merchant.in_fulfilment.status == "submitted"


def test_accepting_an_expired_offer(journey):
    """
    "Accepting an offer after its set has expired changes nothing. The response has the status 404,
    and a new application must be submitted." (service 3)
    """
    journey.ask()
    before = wire.write_merchant(journey.merchant)
    journey.now = journey.offers.expires_at

    assert refusal_of(journey.accept) == ("offers_expired", 404)
    assert wire.write_merchant(journey.merchant) == before


def test_one_microsecond_before_the_expiry_is_in_time(journey):
    """
    A set is expired when `at >= expiresAt`, and not before (decisions/offers#expiry).
    """
    journey.ask()
    journey.now = journey.offers.expires_at.subtract(microseconds=1)

    assert journey.accept().application_id


def test_expired_offers_call_for_a_second_credit_check(journey):
    """
    "With automated decisioning, a second credit check is then run on the merchant's consumer file."
    (service 3, decisions/evidence)
    """
    new = journey.do(RequireChecks(request=journey.request())).checks
    journey.ask()
    asked = journey.do(RequireChecks(request=journey.request())).checks
    journey.now = journey.offers.expires_at
    (credit,) = journey.do(RequireChecks(request=journey.request())).checks
    stale = journey.ask(evidence={"credit_score": 640, "credit_checked_on": "2026-07-06"})
    fresh = journey.ask(evidence={"credit_score": 640})
    later = journey.do(RequireChecks(request=journey.request())).checks

    assert [check.why for check in new] == ["missing"] * 4
    assert asked == ()
    assert (credit.name, credit.why) == ("consumer_credit", "due_again")
    assert credit.not_before == journey.now
    assert {product.decision for product in stale.products} == {"Referred"}
    assert "Accepted" in {product.decision for product in fresh.products}
    assert later == ()  # one second check satisfies every later request


def test_accepting_twice_gives_the_same_bytes(journey):
    """
    A repeated acceptance gets the same reply, even after the expiry; other bank details are refused
    (decisions/offers#order-of-the-checks).
    """
    journey.ask()
    first = wire.write(journey.accept())
    offer_id = journey.acceptance.offer.offer_id
    journey.pass_time(days=400)

    assert wire.write(journey.accept(offer_id)) == first
    assert wire.write(journey.accept(offer_id, bank_details=None)) == first
    different = BankDetails(account_number="87654321")
    assert refusal_of(journey.accept, offer_id, bank_details=different) == ("already_accepted", 409)


def test_accepting_closes_every_other_open_offer(journey):
    """
    An acceptance withdraws every other open offer (decisions/offers#what-an-acceptance-does).
    """
    journey.ask()
    older = journey.first_offer()
    journey.ask()
    newer = [offer for product in journey.offers.products for offer in product.offers]
    journey.accept(newer[0].offer_id)

    assert refusal_of(journey.accept, newer[1].offer_id) == ("already_accepted", 409)
    assert refusal_of(journey.accept, older.offer_id) == ("already_accepted", 409)


def test_a_newer_set_leaves_an_older_one_acceptable(journey):
    """
    A newer set leaves an older one acceptable until it expires
    (decisions/offers#the-same-request-again).
    """
    journey.ask()
    older = journey.first_offer()
    journey.pass_time(days=1)
    journey.ask()

    assert journey.accept(older.offer_id).offer.offer_id == older.offer_id


def test_offers_of_an_application_that_ended_are_withdrawn(journey):
    """
    A withdrawn offer and an unknown one have codes of their own
    (decisions/errors#which-code).
    """
    journey.ask()
    sibling = journey.offers.products[0].offers[1].offer_id
    journey.accept()
    journey.do(
        CloseApplication(application_id=journey.acceptance.application_id, status="declined")
    )

    assert refusal_of(journey.accept, sibling) == ("offer_withdrawn", 409)
    assert refusal_of(journey.accept, "never-existed") == ("offer_not_found", 404)


def test_a_declined_merchant_keeps_its_provider_id(journey):
    """
    A declined merchant keeps its `provider_id` (decisions/applications#a-declined-merchant).
    """
    journey.ask()
    issued = journey.accept().provider_id
    journey.do(
        CloseApplication(application_id=journey.acceptance.application_id, status="declined")
    )
    journey.ask()

    assert journey.accept().provider_id == issued


def test_details_supplied_later_submit_the_application(journey):
    """
    Supplied bank details complete an application that awaits them (decisions/applications#stages).
    """
    from journey import BANK

    journey.ask()
    application_id = journey.accept(bank_details=None).application_id
    awaiting = refusal_of(journey.fund)
    application = journey.do(SupplyDetails(application_id=application_id, bank_details=BANK))
    again = journey.do(SupplyDetails(application_id=application_id, bank_details=BANK))

    assert awaiting == ("not_possible_now", 409)
    assert (application.status, application.omitted) == ("submitted", ())
    assert again == application
    assert journey.fund().deal_id == journey.merchant.active_deal.id


def test_an_initial_application_beside_an_active_deal_is_refused(funded):
    """
    An initial application is refused while a deal is active
    (decisions/applications#when-an-application-is-refused).
    """
    assert refusal_of(funded.ask) == ("active_deal", 409)


def test_no_application_beside_one_in_fulfilment(renewable):
    """
    Any application is refused while another is in fulfilment
    (decisions/applications#when-an-application-is-refused).
    """
    renewable.ask(renewal=True)
    renewable.accept()

    assert refusal_of(renewable.ask, renewal=True) == ("application_in_fulfilment", 409)
    assert refusal_of(renewable.ask) == ("application_in_fulfilment", 409)
    assert renewable.active().performance.renewal_eligibility is False


def test_a_renewal_settles_its_base_deal_in_the_same_batch(renewable):
    """
    Funding a renewal settles its base deal in the same batch of events; the base deal's progress
    counts remittances alone (decisions/deals#status-and-type).
    """
    balance = renewable.deal.balance
    renewable.ask(renewal=True)
    renewable.accept()
    before = len(renewable.events)
    renewable.fund()
    base = renewable.merchant.deals[0]
    batch = [type(event).__name__ for event in renewable.events[before:]]

    assert batch[:2] == ["DealRenewed", "DealFunded"]
    assert (base.status, base.settled, base.balance.minor) == ("Renewed", balance, 0)
    assert base.progress < 100 * 10**4


def test_a_renewal_is_refused_when_its_base_deal_failed_meanwhile(renewable):
    """
    A renewal is refused if its base deal has defaulted meanwhile
    (decisions/offers#since-the-offer).
    """
    renewable.ask(renewal=True)
    renewable.do(CloseDeal(deal_id=renewable.deal.id, status="defaulted"))

    assert refusal_of(renewable.accept) == ("referred", 409)


def test_a_reversal_reopens_a_repaid_deal(funded):
    """
    A reversal reopens a repaid deal when no other deal is active (decisions/deals#entries).
    """
    funded.pay_down(100)
    last = funded.deal.entries[-1]
    assert funded.deal.status == "Repaid"
    back = funded.entry(last.amount.minor, id="back", on=funded.today(), reverses=last.id)
    funded.remit(back)

    assert funded.deal.status == "Funded"
    assert funded.deal.balance == last.amount


def test_a_reversal_beside_another_active_deal_is_a_shortfall(funded):
    """
    While another deal is active, a reversal on a repaid deal is a shortfall
    (decisions/deals#entries).
    """
    funded.pay_down(100)
    repaid, last = funded.deal, funded.deal.entries[-1]
    funded.ask()
    funded.accept()
    funded.fund()
    back = funded.entry(last.amount.minor, id="back", on=funded.today(), reverses=last.id)
    funded.do(RecordRemittance(deal_id=repaid.id, entries=[back]))
    repaid = funded.merchant.deals[0]

    assert (repaid.status, repaid.shortfall, repaid.balance.minor) == ("Repaid", last.amount, 0)
    assert funded.deal.active


def test_an_excess_is_kept_as_overpaid(funded):
    """
    The balance is never below zero; an excess is kept as `overpaid` (decisions/deals#balance).
    """
    funded.pass_time(days=30)
    funded.remit(funded.entry(funded.deal.repayment_amount.minor + 250))

    assert (funded.deal.balance.minor, funded.deal.overpaid.minor) == (0, 250)


def test_an_unsettled_entry_does_not_count(funded):
    """
    An unsettled entry does not reduce the balance (decisions/deals#entries).
    """
    funded.pass_time(days=3)
    entry = funded.entry(1000, settled=False)
    funded.remit(entry)
    unsettled = funded.deal.remitted.minor
    funded.remit(funded.entry(1000, id=entry.id, on=entry.on))
    settled = funded.deal.remitted.minor
    funded.remit(entry)

    assert (unsettled, settled, funded.deal.remitted.minor) == (0, 1000, 1000)


def test_a_recently_repaid_deal_may_be_renewed_and_an_old_one_not(funded):
    """
    The base deal is the active one, or the one repaid last within `recently_active_days`
    (decisions/renewal#base-deal).
    """
    funded.pay_down(100)
    funded.pass_time(days=30)
    recent = funded.ask(renewal=True)
    funded.pass_time(days=300)

    assert {product.decision for product in recent.products} != {"Declined"}
    assert refusal_of(funded.ask, renewal=True) == ("no_deal_to_renew", 404)


def test_every_operation_may_be_repeated(renewable):
    """
    A repeated operation has no events and changes nothing (decisions/engine).
    """
    renewable.ask(renewal=True)
    renewable.accept()
    renewable.fund()
    before, count = wire.write_merchant(renewable.merchant), len(renewable.events)
    renewable.fund()
    renewable.do(
        RecordRemittance(
            deal_id=renewable.merchant.deals[0].id, entries=renewable.merchant.deals[0].entries
        )
    )

    assert len(renewable.events) == count
    assert wire.write_merchant(renewable.merchant) == before


def test_the_table_names_every_stored_state():
    """
    The interface leaves open "transitions among deal statuses, offer statuses and decisions"
    (service 3). One table holds them.
    """
    states = {
        subject: {row.next for row in TABLE if row.subject == subject}
        for subject in ("offer", "application", "deal")
    }

    assert states["deal"] == set(STATUSES)
    assert states["offer"] == {
        "Eligible",
        "Accepted",
        "Withdrawn",
        "WithdrawnByLender",
        "Declined",
        "Expired",
    }
    assert states["application"] == {
        "offered",
        "awaiting_details",
        "submitted",
        "funded",
        "declined",
        "withdrawn",
        "lapsed",
    }
    page = (ROOT / "docs/reference/lifecycle.md").read_text(encoding="utf-8")
    shown = page.partition("## What `applications` shows")[2]
    assert set(re.findall(r"^\| `(\w+)` \|", shown, re.MULTILINE)) == {
        *states["application"],
        *SHOWN,
    }


@pytest.mark.parametrize("first", ["defaulted", "cancelled"])
def test_an_ended_deal_stays_ended(funded, first):
    """
    A deal ends once: `Defaulted` does not become `Cancelled`, nor the reverse
    (decisions/deals#status-and-type).
    """
    second = "cancelled" if first == "defaulted" else "defaulted"
    funded.do(CloseDeal(deal_id=funded.deal.id, status=first))
    funded.do(CloseDeal(deal_id=funded.deal.id, status=first))

    assert funded.deal.status == first.capitalize()
    closing = CloseDeal(deal_id=funded.deal.id, status=second)
    assert refusal_of(funded.do, closing) == ("not_possible_now", 409)
