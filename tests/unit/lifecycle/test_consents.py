"""What applicants say of their consents is kept whole, and theirs (decisions/evidence#consents)."""

from __future__ import annotations

import attrs
import pytest

from holdback import InvalidDocument, Refusal, wire
from holdback.exact.exact_json import Opaque
from holdback.lifecycle.events import ConsentsRecorded, OffersIssued, ProfileRectified
from holdback.lifecycle.evolve import evolve
from holdback.operations import (
    CloseApplication,
    EraseProfile,
    RecordConsents,
    RectifyProfile,
    RequestOffers,
)
from journey import EVIDENCE, PROFILE, Journey

OTHERS = Opaque('[{"name": "Another Person"}]')


def ask(journey, consents="{}", applicants=PROFILE["applicants"]):
    """Ask for offers, a minute later, for these applicants who say this of their consents."""
    journey.pass_time(minutes=1)
    request = attrs.evolve(journey.request(), consents=Opaque(consents), applicants=applicants)
    outcome = journey.engine.carry_out(
        journey.merchant,
        RequestOffers(request=request),
        journey.context(EVIDENCE),
        profile=journey.profile,
    )
    journey.offers = journey.keep(outcome)
    return outcome.events[-1]


def record(journey, applicants=None, **consents):
    """Record consents, and return how many events that made."""
    before = len(journey.events)
    journey.do(RecordConsents(consents=consents, applicants=applicants))
    return len(journey.events) - before


def said(journey, applicants=PROFILE["applicants"]):
    """What the state holds of what these applicants said."""
    digest = journey.profile.digest(applicants)
    (one,) = (one for one in journey.merchant.consents if one.applicants == digest)
    return journey.profile.section(one.section).value


def accepted(journey):
    """What the profile of the accepted applicants says of their consents."""
    return journey.profile.section(journey.merchant.sections["consents"]).value


def rebuilds(journey):
    """Whether the journal, the stored state and the profile all say the same."""
    state, profile = wire.write_merchant(journey.merchant), wire.write_profile(journey.profile)
    assert wire.read_stored(state, profile) == (journey.merchant, journey.profile)
    stored = [wire.read_event(wire.write_event(event)) for event in journey.events]
    return journey.engine.rebuild(stored) == journey.merchant


@pytest.fixture
def journey():
    return Journey()


def in_australia():
    """A newcomer in AU, whose credit check needs a consent, which was given with a request."""
    journey = Journey()
    journey.merchant = type(journey.merchant).new(
        partner="acme", merchant_id="m-1", jurisdiction="AU"
    )
    request = attrs.evolve(
        journey.request(currency="AUD"), consents=Opaque('{"credit_reporting": true}')
    )
    journey.do(RequestOffers(request=request))
    return journey


def from_nobody(journey, given, **sections):
    """Apply an event of the form that did not say whose the consents are."""
    merchant = journey.merchant
    event = ConsentsRecorded(
        at=journey.now,
        partner=merchant.partner,
        merchant_id=merchant.merchant_id,
        sequence=merchant.sequence + 1,
        given=given,
        sections=sections,
    )
    journey.events.append(event)
    journey.merchant = evolve(merchant, event)


def test_a_withdrawal_of_nobody_known_counts_for_everybody():
    """
    "Such an event gives none to anybody, and what it does not name counts for nobody any more":
    "what is unknown makes nobody eligible", and a withdrawal is not lost.
    """
    journey = in_australia()
    applicants = {"applicants": journey.profile.digest(PROFILE["applicants"])}
    from_nobody(journey, ("credit_reporting", "terms"))
    assert journey.merchant.consents_of(applicants) == ("credit_reporting",)
    from_nobody(journey, ())
    assert journey.merchant.consents_of(applicants) == ()
    assert rebuilds(journey)

    record(journey, marketing=True)
    assert journey.merchant.consents_of(applicants) == ()


def test_what_an_earlier_event_said_of_the_profile_stays(journey):
    """The next consent is added to what the profile says, not to what it said before that event."""
    ask(journey, '{"marketing": true}')
    journey.accept()
    withdrawn = Opaque('{"marketing": false}')
    journey.profile = journey.profile.with_sections([withdrawn])
    from_nobody(journey, (), consents=journey.profile.digest(withdrawn))
    assert accepted(journey) == {"marketing": False}

    record(journey, terms=True)
    assert accepted(journey) == said(journey) == {"marketing": False, "terms": True}


def test_a_request_of_before_said_something_too(journey):
    """
    An event of a request that did not say which consents were given gives none, and its section has
    what the applicants said.
    """
    ask(journey, '{"marketing": false}')
    journey.events = [
        attrs.evolve(event, consents=None) if type(event) is OffersIssued else event
        for event in journey.events
    ]
    journey.merchant = journey.engine.rebuild(journey.events)
    assert [given.names for given in journey.merchant.consents] == [()]
    record(journey, terms=True)
    journey.accept()
    assert accepted(journey) == {"marketing": False, "terms": True}


def test_what_is_recorded_is_kept_whoever_said_it(journey):
    """
    "What applicants said is kept whole": also of applicants who were not accepted, and of a name
    that the jurisdiction does not have.
    """
    assert record(journey, OTHERS, marketing=False) == 1
    assert said(journey, OTHERS) == {"marketing": False}
    assert record(journey, OTHERS, marketing=False) == 0
    ask(journey)
    journey.accept()
    assert record(journey, OTHERS, newsletter=True) == 1
    assert said(journey, OTHERS) == {"marketing": False, "newsletter": True}
    assert accepted(journey) == {}
    assert rebuilds(journey)


def test_somebody_says_whose_a_consent_is(journey):
    """
    "They may be left out while the merchant's applications name only one. With several, or before
    anybody has applied, it is an error": the accepted applicants did not say it.
    """
    for _ in range(2):
        with pytest.raises(InvalidDocument, match="nobody says whose consents these are") as raised:
            record(journey, marketing=True)
        assert [(e.code, e.path) for e in raised.value.errors] == [("missing", "$.applicants")]
        ask(journey, '{"marketing": false}')
        journey.accept()
        application_id = journey.acceptance.application_id
        journey.do(CloseApplication(application_id=application_id, status="withdrawn"))
        ask(journey, applicants=OTHERS)
    assert accepted(journey) == {"marketing": False}
    record(journey, PROFILE["applicants"], terms=True)
    assert accepted(journey) == {"marketing": False, "terms": True}
    assert said(journey, OTHERS) == {}


def test_an_acceptance_undoes_nothing_that_was_said_after_the_request(journey):
    """
    "Whichever set of offers is accepted, the profile has what its applicants said last": in another
    request, or with `record_consents`.
    """
    ask(journey, '{"marketing": true, "terms": true}')
    first = journey.first_offer().offer_id
    record(journey, marketing=False)
    journey.accept(first)
    assert accepted(journey) == said(journey) == {"marketing": False, "terms": True}
    assert rebuilds(journey)

    other = Journey()
    ask(other, '{"marketing": true, "terms": true}')
    first = other.first_offer().offer_id
    ask(other, '{"marketing": false}')
    ask(other, '{"newsletter": true}', applicants=OTHERS)
    other.accept(first)
    assert accepted(other) == {"marketing": False, "terms": True}
    assert said(other, OTHERS) == {"newsletter": True}
    assert rebuilds(other)


def test_a_request_is_added_to_what_the_same_applicants_said(journey):
    """
    "The `consents` of the application are what they said before with the request over it; a retry
    is compared with the request as sent."
    """
    record(journey, PROFILE["applicants"], marketing=False, terms=True)
    requested = ask(journey, '{"terms": {"signed": 0.10}}').offer_set
    content = journey.profile.section(requested.sections["consents"])
    assert content == Opaque('{"marketing": false, "terms": {"signed": 0.10}}')

    context = journey.context(request_id=requested.request_id)
    body = attrs.evolve(journey.request(), consents=Opaque('{"terms": {"signed": 0.10}}'))
    again = journey.engine.carry_out(
        journey.merchant, RequestOffers(request=body), context, profile=journey.profile
    )
    assert (again.reply, again.events) == (journey.offers, ())
    with pytest.raises(Refusal, match="request_conflict"):
        journey.engine.carry_out(
            journey.merchant,
            RequestOffers(request=attrs.evolve(body, consents=content)),
            context,
            profile=journey.profile,
        )


def test_nobody_is_pushed_out_whose_offers_are_open(journey):
    """
    "The state holds what the accepted applicants said, those of applications whose offers it holds,
    and the four others who were last heard": an application loses nothing to others.
    """
    ask(journey, '{"terms": true}')
    first = journey.first_offer().offer_id
    record(journey, marketing=False)
    for number in range(6):
        record(journey, Opaque(f'[{{"name": "A {number}"}}]'), terms=True)
    assert len(journey.merchant.consents) == 5
    ask(journey)
    journey.accept(first)
    assert accepted(journey) == {"marketing": False, "terms": True}
    assert rebuilds(journey)


def test_what_applicants_said_is_bounded_in_requests_too(journey):
    """
    "64 KiB, when more is added than true or false of names that they or the jurisdiction have."
    """
    names = [f"{number:064}" for number in range(880)]
    record(journey, PROFILE["applicants"], **dict.fromkeys(names, True))
    whole = '{"%s": "%s"}'
    for name in ("other", names[0]):
        with pytest.raises(InvalidDocument, match="more than 65536 bytes") as refused:
            ask(journey, whole % (name, "x" * 8000))
        assert [(e.code, e.path) for e in refused.value.errors] == [("too_large", "$.consents")]
    ask(journey, f'{{"{names[0]}": false}}')
    assert said(journey)[names[0]] is False


def test_corrected_applicants_have_what_they_said_before(journey):
    """
    "What is corrected back has them again": the profile never says what others agreed to.
    """
    ask(journey, '{"marketing": false}')
    journey.accept()
    journey.do(RectifyProfile(applicants=OTHERS))
    assert type(journey.events[-1]) is ProfileRectified
    record(journey, OTHERS, newsletter=True)
    assert accepted(journey) == {"newsletter": True}
    journey.do(RectifyProfile(applicants=PROFILE["applicants"]))
    assert accepted(journey) == said(journey) == {"marketing": False}
    assert said(journey, OTHERS) == {"newsletter": True}
    assert rebuilds(journey)


def test_an_erasure_leaves_nothing_that_anybody_said(journey):
    """
    The content goes with the profile, and consents are refused until somebody applies again.
    """
    record(journey, OTHERS, marketing=True)
    ask(journey)
    journey.do(EraseProfile())
    assert not journey.merchant.consents
    assert not [*journey.merchant.named_sections]
    for applicants in (None, OTHERS):
        with pytest.raises(Refusal, match="profile_erased"):
            record(journey, applicants, marketing=True)
