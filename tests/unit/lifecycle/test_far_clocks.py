"""A clock that is years off: its commands are refused, so nothing is done that stays wrong."""

from __future__ import annotations

from datetime import timedelta

import pytest

from every_case import for_every
from holdback import Context, Engine, Refusal, wire
from holdback.errors import ConfigurationError
from holdback.lifecycle.configuration import CLOCK_DAYS
from holdback.lifecycle.events import Forgotten
from holdback.operations import (
    OPERATIONS,
    AssessRenewal,
    CloseDeal,
    LookUp,
    PlaceHold,
    RecordRecovery,
    ReviewRenewal,
)
from journey import Journey

FAR = timedelta(days=CLOCK_DAYS, microseconds=1)
NEAR = timedelta(days=CLOCK_DAYS)
TEN_YEARS = timedelta(days=3_653)


def defaulted(funded):
    """A merchant with a deal in default, which an entry may still be recorded on."""
    funded.do(CloseDeal(deal_id=funded.deal.id, status="defaulted"))
    return funded


def documents(journey):
    return wire.write_merchant(journey.merchant), wire.write_profile(journey.profile)


def refused(journey, command):
    """The refusal of *command* at the time of the journey, which changes nothing."""
    before = documents(journey)
    with pytest.raises(Refusal) as caught:
        journey.do(command)
    assert documents(journey) == before
    return caught.value


@for_every("off", [TEN_YEARS, FAR, -FAR, -TEN_YEARS])
def test_a_wrong_clock_does_not_ruin_a_merchant(off):
    """
    "No irreversible step on a doubtful clock": a command dated ten years ahead, or behind, is
    refused, and once the clock is right again everything goes on as if it had not been sent.
    """
    journey = Journey()
    journey.ask()
    journey.accept()
    journey.fund()
    defaulted(journey)
    right = journey.now
    journey.now = right + off

    assert refused(journey, ReviewRenewal()).code == "implausible_time"

    journey.now = right
    journey.remit(journey.entry(1_000, on=journey.today()))
    assert journey.deal.remitted.minor == 1_000
    assert journey.merchant.last_seen_at == right


@for_every("off", [NEAR, -NEAR, timedelta(0)])
def test_an_instant_that_is_just_near_enough(funded, off):
    """A command up to `clock_days` before or after the last event is carried out."""
    seen = funded.merchant.last_seen_at
    funded.now = seen + off
    funded.do(PlaceHold(code="fraud", note="n", by="ada"))

    assert funded.merchant.last_seen_at == max(seen, seen + off)


def test_the_refusal_says_both_instants_and_what_to_do(funded):
    """
    The host causes it, and it passes: 503, with the instant of the clock and that of the last
    event.
    """
    seen = funded.merchant.last_seen_at
    funded.now = seen + TEN_YEARS
    refusal = refused(funded, ReviewRenewal())

    assert refusal.status == 503
    for part in (seen, funded.now):
        assert wire.write_timestamp(part) in refusal.detail
    assert "compare the clock" in refusal.detail
    assert "sure=True" in refusal.detail
    assert f"more than {CLOCK_DAYS} days" in refusal.detail


@for_every("off", [TEN_YEARS, -TEN_YEARS])
def test_reads_are_never_refused(funded, off):
    """A question is answered on every clock: it changes nothing."""
    funded.now += off

    assert funded.do(LookUp()).deals
    assert funded.do(AssessRenewal()).outcome


def test_every_command_is_refused_and_no_question():
    """What is refused does not depend on the operation: no command is left out."""
    assert {kind.is_question for kind in OPERATIONS.values()} == {True, False}
    for name, kind in OPERATIONS.items():
        journey = Journey()
        journey.ask()
        later = Context(at=journey.now + TEN_YEARS, request_id="far")
        operation = object.__new__(kind)  # the clock is looked at before any field

        codes = []
        try:
            journey.engine.carry_out(journey.merchant, operation, later, profile=journey.profile)
        except Refusal as refusal:
            codes.append(refusal.code)
        except AttributeError:
            pass
        assert ("implausible_time" in codes) is not kind.is_question, name


def test_a_host_that_is_sure_goes_on(funded):
    """An ordinary merchant comes back after two years: a host that compared its clock says so."""
    defaulted(funded)
    funded.sleep(days=730)
    before = len(funded.events)
    recovery = {"id": "r-1", "on": funded.today(), "amount": funded.entry(500).amount}
    funded.do(RecordRecovery(deal_id=funded.deal.id, **recovery))

    assert funded.merchant.last_seen_at == funded.now
    assert any(isinstance(event, Forgotten) for event in funded.events[before:])


def test_a_host_that_is_sure_of_a_clock_behind_is_moved(funded):
    """
    After a command of ten years ahead was taken as sure, the way back is to be sure again: the
    engine goes on at the latest instant, as after every step back.
    """
    funded.sleep(days=3_653)
    funded.do(PlaceHold(code="fraud", note="n", by="ada"))
    ahead = funded.merchant.last_seen_at
    funded.now, funded.sure = ahead - TEN_YEARS, False
    assert refused(funded, PlaceHold(code="other", note="n", by="ada")).code == "implausible_time"

    funded.sure = True
    funded.do(PlaceHold(code="other", note="n", by="ada"))
    assert funded.events[-1].at == ahead


def test_a_merchant_without_history_has_nothing_to_compare_with():
    """The first command is taken at any instant."""
    journey = Journey()
    journey.now += TEN_YEARS
    journey.ask()

    assert journey.merchant.last_seen_at == journey.now


def test_a_repetition_is_refused_too(funded):
    """
    A request that was carried out is refused while the clock is wrong, and gets its reply again
    when it is right: a refusal is not stored.
    """

    def place_hold():
        command, context = PlaceHold(code="fraud", by="ada"), funded.context(request_id="h-1")
        return funded.engine.carry_out(funded.merchant, command, context, profile=funded.profile)

    first = funded.keep(place_hold())
    right = funded.now
    funded.now = right + TEN_YEARS
    with pytest.raises(Refusal, match="implausible_time"):
        place_hold()

    funded.now = right
    again = place_hold()
    assert (again.reply, again.events) == (first, ())


@for_every("days", [1, 36_500])
def test_the_days_are_a_setting_of_the_engine(days):
    """`clock_days` is 400 unless the host chooses otherwise."""
    assert CLOCK_DAYS == 400
    shipped = Engine.for_trial()
    configured = type(shipped._configuration).for_trial(
        shipped.jurisdictions, calculators={}, clock_days=days
    )
    journey = Journey(Engine._of(configured))
    journey.ask()
    journey.now += timedelta(days=days)
    journey.do(PlaceHold(code="fraud", note="n", by="ada"))
    journey.now += timedelta(days=days, microseconds=1)

    assert refused(journey, ReviewRenewal()).code == "implausible_time"


@for_every("sure", [1, None, "yes"])
def test_sure_is_true_or_false(funded, sure):
    """What is truthy by chance makes no host sure."""
    with pytest.raises(ConfigurationError, match=r"\$\.sure: expected true or false"):
        Context(at=funded.now, request_id="r", sure=sure)
