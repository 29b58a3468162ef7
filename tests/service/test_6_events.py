"""Service 6: the renewal eligibility webhook, and the event that causes it."""

from __future__ import annotations

from holdback.lifecycle.events import RenewalEligibilityChanged
from holdback.operations import LookUp, ReviewRenewal


def changes(journey):
    """
    Return the announced values of renewal eligibility, in order.
    """
    return [
        event.renewal_eligibility
        for event in journey.events
        if isinstance(event, RenewalEligibilityChanged)
    ]


def test_a_change_of_eligibility_is_an_event(renewable):
    """
    "A renewal eligibility webhook is a possible alternative to the merchant lookup." (service 6)
    """
    assert changes(renewable) == [True]
    event = renewable.events[-1]
    assert event.deal_id == renewable.deal.id
    assert event.assessment["outcome"] == "eligible"
    assert event.assessment["digest"].startswith("sha256:")


def test_it_is_announced_only_when_it_changes(renewable):
    """
    A change of eligibility is announced once (decisions/renewal#changes-of-eligibility).
    """
    renewable.remit(renewable.entry(100))
    renewable.do(ReviewRenewal())
    renewable.do(LookUp())

    assert changes(renewable) == [True]


def test_time_alone_may_change_it_and_a_review_says_so(renewable):
    """
    Time alone can change eligibility, and a review announces it
    (decisions/renewal#changes-of-eligibility).
    """
    renewable.pass_time(days=60)
    reply = renewable.do(ReviewRenewal())

    assert not reply.renewal_eligibility
    assert reply.decided_by == "rules"
    assert changes(renewable) == [True, False]


def test_acceptance_of_the_renewal_ends_it(renewable):
    """
    Eligibility is false during fulfilment (decisions/renewal#one-assessment).
    """
    renewable.ask(renewal=True)
    renewable.accept()

    assert changes(renewable) == [True, False]
