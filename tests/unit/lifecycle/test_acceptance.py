"""Acceptances: which offers can be accepted, with which details, and what the acceptance keeps."""

from __future__ import annotations

import pytest
from refusals import is_refused

from holdback import BankDetails, Refusal, wire
from holdback.lifecycle.offers.application import filled_application
from holdback.operations import CloseApplication, SupplyDetails
from journey import BANK


def test_offers_that_cannot_be_accepted(journey):
    """
    An expired, withdrawn, unknown or otherwise accepted offer is refused and changes nothing.
    """
    journey.ask()
    first, second = (offer.offer_id for offer in journey.offers.products[0].offers[:2])
    assert is_refused(journey, ("offer_not_found", 404), journey.accept, "never existed")
    journey.accept(first)
    other = BankDetails(account_number="87654321")
    assert is_refused(journey, ("already_accepted", 409), journey.accept, first, bank_details=other)
    assert is_refused(journey, ("already_accepted", 409), journey.accept, second)
    journey.do(
        CloseApplication(application_id=journey.acceptance.application_id, status="withdrawn")
    )
    assert is_refused(journey, ("offer_withdrawn", 409), journey.accept, second)
    journey.ask()
    journey.now = journey.offers.expires_at
    assert is_refused(journey, ("offers_expired", 404), journey.accept)


def test_an_offer_that_expired_stays_expired(journey):
    """
    An expired offer is refused as expired, also after later requests and acceptances (service 7).
    """
    journey.ask()
    expired = journey.first_offer().offer_id
    journey.now = journey.offers.expires_at
    journey.ask()
    journey.accept()
    journey.do(
        CloseApplication(application_id=journey.acceptance.application_id, status="declined")
    )
    with pytest.raises(Refusal, match="offers_expired"):
        journey.accept(expired)


def test_the_filled_application_has_the_newest_evidence(renewable):
    """
    The evidence on which the offers were decided goes to fulfilment.
    """
    newest = {"credit_score": 650, "credit_checked_on": renewable.today().isoformat()}
    renewable.ask(renewal=True, evidence=newest)
    renewable.accept()
    accepted = next(e for e in renewable.events[::-1] if type(e).__name__ == "OfferAccepted")

    filled = filled_application(accepted.application_id, renewable.merchant, renewable.profile)

    assert filled.facts["credit_score"] == 650
    credit = [r for r in renewable.merchant.checks if r.check == "consumer_credit"]
    credit = max(credit, key=lambda record: record.made_at)
    assert credit.facts["credit_score"].value == 650


def test_an_application_keeps_the_details_it_has(journey):
    """
    Accepting again with the details that were supplied later is the same acceptance.
    """
    journey.ask()
    first = wire.write(journey.accept(bank_details=None))
    offer_id = journey.acceptance.offer.offer_id
    journey.do(SupplyDetails(application_id=journey.acceptance.application_id, bank_details=BANK))

    assert wire.write(journey.accept(offer_id, bank_details=BANK)) == first


def test_what_was_not_omitted_is_not_changed(journey):
    """
    Details that the merchant gave are never overwritten.
    """
    journey.ask()
    application_id = journey.accept(bank_details=None).application_id
    with pytest.raises(Refusal, match="request_conflict"):
        journey.do(SupplyDetails(application_id=application_id, intended_use_of_funds="yachts"))
    journey.do(SupplyDetails(application_id=application_id, intended_use_of_funds="stock"))

    filled = filled_application(application_id, journey.merchant, journey.profile)
    assert filled.intended_use_of_funds == "stock"
