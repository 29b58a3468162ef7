"""Section 6 of the specification: the renewal eligibility webhook, and what stands behind it."""

from __future__ import annotations

from holdback.lifecycle.events import RenewalEligibilityChanged


def changes(journey):
    """What was announced of the eligibility, in order."""
    return [
        event.renewal_eligibility
        for event in journey.events
        if isinstance(event, RenewalEligibilityChanged)
    ]


def test_a_change_of_eligibility_is_an_event(renewable):
    """
    "A renewal eligibility webhook is named as a possible alternative to the merchant lookup."
    """
    assert changes(renewable) == [True]
    event = renewable.events[-1]
    assert event.deal_id == renewable.deal.id
    assert event.assessment["outcome"] == "eligible"
    assert event.assessment["digest"].startswith("sha256:")


def test_it_is_announced_only_when_it_changes(renewable):
    """
    "`RenewalEligibilityChanged` only on change."
    """
    renewable.remit(renewable.entry(100))
    renewable.do("review_renewal")
    renewable.do("look_up")

    assert changes(renewable) == [True]


def test_time_alone_may_change_it_and_a_review_says_so(renewable):
    """
    A host reviews when it likes; what the passing of days has changed is announced then.
    """
    renewable.pass_time(days=60)
    reply = renewable.do("review_renewal")

    assert not reply.eligible
    assert changes(renewable) == [True, False]


def test_acceptance_of_the_renewal_ends_it(renewable):
    """
    "It is false on every inactive deal and during fulfilment." (design 6a)
    """
    renewable.ask(renewal=True)
    renewable.accept()

    assert changes(renewable) == [True, False]
