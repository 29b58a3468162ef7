"""
A partner at its worst: a merchant's documents stay small and readable.

The operations are those that a host offers to partners; each is carried out many times, with the
largest body that a request may have and with another profile each time.
"""

from __future__ import annotations

import pytest

from counts import count
from holdback import InvalidDocument, Merchant, Money, Refusal, wire
from holdback.exact.exact_json import Opaque
from holdback.lifecycle.offers.requests import RequestOffers
from holdback.merchant.application import MOST_SUBJECTS
from holdback.merchant.merchant import MOST_ENDED
from holdback.operations import (
    AcceptOffer,
    CloseApplication,
    DeclineOffers,
    EraseProfile,
    RecordConsents,
    Requote,
)
from holdback.testing import payloads
from holdback.testing.conformance.checks.worst_partner import MOST_PROFILE, MOST_STATE
from holdback.wire.strict_json import REQUEST_LIMIT
from journey import EVIDENCE, Journey

TIMES = count("times that a partner does its worst")


class Partner:
    """A partner that sends the largest bodies, about one merchant, and changes its profile."""

    def __init__(self):
        self.journey = Journey()
        self.sent = 0

    def ask(self):
        """Ask for offers for other people and another company than before."""
        self.sent += 1
        body = payloads.largest_request("m-1", self.sent)
        request = RequestOffers(request=wire.read_offers_request(body))
        journey = self.journey
        journey.pass_time(seconds=1)
        context = journey.context(EVIDENCE | {"credit_checked_on": journey.today().isoformat()})
        journey.offers = journey.keep(
            journey.engine.carry_out(journey.merchant, request, context, profile=journey.profile)
        )

    def accept(self):
        """Accept an offer with other bank details than before, each as long as it may be."""
        self.sent += 1
        body = payloads.as_json({"bank_details": payloads.longest_bank_details(self.sent)})
        journey = self.journey
        input_context = journey.engine.input_context(journey.merchant, journey.context())
        details = wire.read_accept_request(body, input_context)
        offer_id = journey.first_offer().offer_id
        journey.acceptance = journey.do(AcceptOffer(offer_id=offer_id, bank_details=details))

    def record_consents(self):
        """Record hundreds of consents that nobody named before."""
        self.sent += 1
        consents = payloads.many_consents(self.sent)
        assert len(payloads.as_json({"consents": consents})) < REQUEST_LIMIT
        applicants = Opaque.of(payloads.PROFILE["applicants"])
        self.journey.do(RecordConsents(consents=consents, applicants=applicants))

    def record_consents_of_others(self):
        """Record hundreds of consents, and one that AU needs, each time of other people."""
        if not self.sent:
            self.journey.merchant = Merchant.new(
                partner="acme", merchant_id="m-1", jurisdiction="AU"
            )
        self.sent += 1
        given = {**payloads.many_consents(self.sent), "credit_reporting": True}
        applicants = Opaque.of([{"name": f"{self.sent:08}"}])
        self.journey.do(RecordConsents(consents=given, applicants=applicants))
        assert len(self.journey.merchant.consents) <= MOST_SUBJECTS

    def stored(self):
        """Return the sizes of state and profile, and read both again."""
        journey = self.journey
        state = wire.write_merchant(journey.merchant)
        profile = wire.write_profile(journey.profile)
        assert wire.read_stored(state, profile) == (journey.merchant, journey.profile)
        return len(state), len(profile)


def withdraw(partner):
    partner.ask()
    partner.accept()
    application_id = partner.journey.acceptance.application_id
    partner.journey.do(CloseApplication(application_id=application_id, status="withdrawn"))


def decline(partner):
    partner.ask()
    application_id = partner.journey.merchant.offer_sets[-1].application_id
    partner.journey.do(DeclineOffers(application_id=application_id))


def requote(partner):
    journey = partner.journey
    sets = journey.merchant.offer_sets
    if not sets or not sets[-1].is_open(journey.now):
        partner.ask()
    offer_set = journey.merchant.offer_sets[-1]
    product = next(product for product in offer_set.products if product.offers)
    more = Money.of(100 * (1 + len(offer_set.requoted)), "GBP")
    operation = Requote(offer_id=product.offers[0].offer_id, amount=product.limits.minimum + more)
    journey.do(operation)


WORST = {
    "ask": Partner.ask,
    "withdraw": withdraw,
    "decline": decline,
    "requote": requote,
    "record_consents": Partner.record_consents,
    "record_consents_of_others": Partner.record_consents_of_others,
}


# Those that may reach a bound at which they are refused for a while.
REFUSED = {"ask", "requote", "record_consents"}


def repeated(partner, name, times):
    refused = 0
    for _ in range(times):
        try:
            WORST[name](partner)
        except (Refusal, InvalidDocument):
            refused += 1
            partner.journey.pass_time(hours=1)
    assert not refused or name in REFUSED


@pytest.mark.parametrize("name", WORST)
def test_documents_stay_small_and_readable(name):
    """
    "1,000 times each of a partner's operations with the largest body: state and profile stay below
    a stated size, and everything that was written can be read", an erasure included.
    """
    partner = Partner()
    repeated(partner, name, TIMES)
    state, profile = partner.stored()

    assert state < MOST_STATE
    assert profile < MOST_PROFILE
    journey = partner.journey
    assert journey.events
    assert journey.engine.rebuild(journey.events) == journey.merchant
    if journey.merchant.in_fulfilment is None:
        assert journey.do(EraseProfile()).erased


def test_all_of_them_one_after_the_other():
    """
    The bounds are those of the documents, and not of each operation alone.
    """
    partner = Partner()
    for name in ("record_consents", "withdraw", "decline", "requote", "ask"):
        repeated(partner, name, TIMES)
    state, profile = partner.stored()
    merchant = partner.journey.merchant

    assert state < MOST_STATE
    assert profile < MOST_PROFILE
    assert len(merchant.fulfilments) <= MOST_ENDED + 1
    assert partner.journey.engine.rebuild(partner.journey.events) == merchant
