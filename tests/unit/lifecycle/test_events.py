"""Events: the deal that they are about, their order, and the data that they do not show."""

from __future__ import annotations

import attrs
import pytest

from holdback import Merchant, wire
from holdback.errors import HistoryError
from holdback.lifecycle.events import RenewalEligibilityChanged
from holdback.lifecycle.evolve import evolve, evolve_all
from holdback.operations import CloseDeal
from journey import BANK


def test_a_change_of_eligibility_names_the_deal_it_is_about(renewable):
    """
    The event that ends eligibility names the deal that the earlier event announced.
    """
    announced = renewable.events[-1].deal_id
    renewable.do(CloseDeal(deal_id=renewable.deal.id, status="defaulted"))
    event = renewable.events[-1]

    assert isinstance(event, RenewalEligibilityChanged)
    assert (event.renewal_eligibility, event.deal_id) == (False, announced)


def test_events_that_do_not_follow_are_refused(renewable):
    """
    Replaying events in the wrong order, twice, or for another merchant is an error.
    """
    first, accepted = renewable.events[0], renewable.events[1]
    new = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")
    stranger = Merchant.new(partner="acme", merchant_id="m-2", jurisdiction="GB")
    funded = next(e for e in renewable.events if type(e).__name__ == "DealFunded")
    misplaced = attrs.evolve(funded, sequence=renewable.merchant.sequence + 1)
    with pytest.raises(HistoryError, match="number 1"):
        evolve(new, accepted)
    with pytest.raises(HistoryError, match="number 2"):
        evolve_all(new, [first, first])
    with pytest.raises(HistoryError, match="another merchant"):
        evolve(stranger, first)
    with pytest.raises(HistoryError, match="a deal is active"):
        evolve(renewable.merchant, misplaced)


def test_a_request_is_carried_out_once(renewable):
    """
    Two events that carry out the same request are an error, however the state is held.
    """
    first, place = [place for place, e in enumerate(renewable.events) if e.carried_out][:2]
    again = attrs.evolve(renewable.events[place], request_id=renewable.events[first].request_id)
    before = evolve_all(
        Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB"), renewable.events[:place]
    )
    with pytest.raises(HistoryError, match="carried out before"):
        evolve(before, again)
    with pytest.raises(HistoryError, match="carried out before"):
        evolve(wire.read_merchant(wire.write_merchant(before)), again)


def test_events_show_no_credit_score(renewable):
    """
    A `repr` of an event leaves out the evidence.
    """
    assert "700" not in repr([e for e in renewable.events if type(e).__name__ == "OffersIssued"])


def test_no_personal_data_is_shown(journey):
    """
    A `repr` of states, events and replies shows no profile and no bank details
    (decisions/wire).
    """
    journey.ask()
    journey.accept()
    shown = repr((journey.merchant, journey.events, journey.offers, journey.acceptance, BANK))

    for secret in ("Nine Lives", "A. Person", "12345678", "10-20-30", "A Bank"):
        assert secret not in shown
