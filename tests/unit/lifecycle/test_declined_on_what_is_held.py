"""`required_checks` names the products for which no check would help."""

from __future__ import annotations

from every_case import for_every
from holdback import wire
from holdback.lifecycle.context import CheckResult
from holdback.operations import RequireChecks
from journey import Journey


def required(journey, *, renewal=False):
    """What `required_checks` says of a request that the journey would make now."""
    return journey.do(RequireChecks(request=journey.request(renewal=renewal)))


def declined(reply):
    """The products that a reply of offers, or of required checks, declines, with codes."""
    return {
        one.name: one.codes
        for one in getattr(reply, "declined", None) or reply.products
        if one.decision == "Declined"
    }


def identity(journey, *, verified):
    return CheckResult(check="identity", made_at=journey.now, facts={"identity_verified": verified})


def test_a_check_that_failed_declines():
    """
    A product that is declined on what is held is named with the codes, and the checks stay listed.
    """
    journey = Journey()
    before = required(journey)
    journey.record(identity(journey, verified=False))
    after = required(journey)

    assert before.declined == ()
    assert declined(after) == {
        "Business cash advance": ("GB-P-01",),
        "Starter advance": ("GB-P-11",),
    }
    assert [check.name for check in after.checks] == [
        name for name in (check.name for check in before.checks) if name != "identity"
    ]
    assert "declined" not in wire.to_dict(before)
    assert wire.to_dict(after)["declined"][0]["codes"] == ["GB-P-01"]


@for_every("percent", [40, 60])
def test_it_is_what_a_request_would_decline(percent):
    """
    A request at that instant, without anything new, declines these products for the same reasons.
    """
    journey = Journey()
    journey.ask()
    journey.accept()
    journey.fund()
    journey.pay_down(percent)
    said = declined(required(journey, renewal=True))

    assert said
    assert said == declined(journey.ask(renewal=True))
