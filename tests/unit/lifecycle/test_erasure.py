"""Erasure: the personal data goes, and everything that was decided stays."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from every_case import for_every
from holdback import Engine, Jurisdictions, Refusal, wire
from holdback.lifecycle.offers.application import filled_application
from holdback.merchant.profile import Profile
from holdback.operations import (
    AssessRenewal,
    CloseApplication,
    EraseProfile,
    LiftHold,
    PlaceHold,
    SupplyDetails,
)
from holdback.tools.replay.replay import SAME, replay
from journey import BANK, EVIDENCE, START, Journey
from small_folders import changed, read

SHIPPED = Path(__file__).parents[3] / "jurisdictions" / "GB"
FILES = ("jurisdiction.toml", "renewal.toml", "products.toml")


def erase(journey):
    return journey.do(EraseProfile())


def repaid(journey):
    """A merchant whose deal was repaid."""
    rest = journey.entry(journey.deal.outstanding, id="rest", on=journey.today())
    journey.remit(rest, complete_through=journey.today())
    return journey


def refusal_of(journey):
    before = wire.write_merchant(journey.merchant), wire.write_profile(journey.profile)
    with pytest.raises(Refusal) as caught:
        erase(journey)
    assert (wire.write_merchant(journey.merchant), wire.write_profile(journey.profile)) == before
    return caught.value


def test_what_must_be_kept_cannot_be_erased(journey):
    """
    Refused in fulfilment, with a balance, and within the days that the jurisdiction asks to keep a
    profile for; each refusal says why.
    """
    journey.ask()
    journey.accept()
    assert "in fulfilment" in refusal_of(journey).detail
    journey.fund()
    assert "balance" in refusal_of(journey).detail
    repaid(journey)
    assert "kept for" in refusal_of(journey).detail
    rulebook = journey.engine.jurisdictions.resolve("GB", on=journey.today())
    journey.sleep(days=rulebook.retain_profile_days - 1)
    assert refusal_of(journey).code == "erasure_not_possible"
    journey.pass_time(days=1)
    assert erase(journey).erased


def test_an_erasure_leaves_what_the_page_names(journey):
    """
    "State: results of checks, the facts of offers and of applications, referrals" go. "Journal:
    nothing": it keeps the figures that each decision was made from, without a name.
    """
    journey.ask(evidence={**EVIDENCE, "credit_score": 687, "average_monthly_takings": "23456.00"})
    journey.accept()
    journey.fund()
    repaid(journey)
    journey.sleep(days=2_000)
    assert b"23456.00" in wire.write_merchant(journey.merchant)
    erase(journey)

    state = wire.write_merchant(journey.merchant)
    assert all(text not in state for text in (b"credit_score", b"23456.00", b"identity_verified"))
    assert journey.merchant.takings == ()
    assert journey.merchant.deals
    journal = b"".join(map(wire.write_event, journey.events))
    assert b'"credit_score"' in journal
    assert b"23456.00" in journal
    assert all(name not in journal for name in (b"A. Person", b"Nine Lives"))


def keeping(*entries):
    """A journey in GB as it ships, but for `retain_profile_days`: pairs of a day and the value."""
    written = ", ".join(
        f'{{ from = {day}, value = {value}, source = "law" }}' for day, value in entries
    )
    files = changed(
        {name: (SHIPPED / name).read_text(encoding="utf-8") for name in FILES},
        "jurisdiction.toml",
        "\nrecently_active_days = [",
        f"\nretain_profile_days = [{written}]\nrecently_active_days = [",
    )
    journey = Journey(Engine.for_trial(Jurisdictions([read(files, "GB")])))
    journey.ask()
    journey.accept()
    journey.fund()
    return repaid(journey)


@for_every("days", [0, 1, 30, 36_500])
def test_a_profile_is_kept_as_long_as_the_file_says(days):
    """
    Refused for `retain_profile_days` after the end of the last deal, and possible on the next day:
    at once with 0.
    """
    journey = keeping(("2024-01-01", days))
    if days:
        journey.sleep(days=days - 1)
        detail = f"ended {days - 1} days ago; the profile is kept for 1 day more"
        assert detail in refusal_of(journey).detail
        journey.pass_time(days=1)

    assert erase(journey).erased


@for_every(("before", "after"), [(1_000, 20), (20, 1_000)])
def test_the_days_of_the_erasure_count(before, after):
    """
    "The value of the day of the erasure counts, not that of the day on which the deal ended."
    """
    change = (START + timedelta(days=30)).date()
    journey = keeping(("2024-01-01", before), (change, after))
    journey.pass_time(days=30)

    if after < before:
        assert erase(journey).erased
    else:
        assert f"the profile is kept for {after - 30} days more" in refusal_of(journey).detail


def test_an_overpayment_may_be_due_back(funded):
    """
    A merchant that paid too much may be owed a refund, and has to be found for it.
    """
    too_much = funded.entry(funded.deal.outstanding + 1, id="all", on=funded.today())
    funded.remit(too_much, complete_through=funded.today())
    funded.sleep(days=4000)

    assert "overpaid" in refusal_of(funded).detail


def test_erasure_withdraws_open_offers(journey):
    """
    A merchant that never had a deal is erased at once, and its open offers are withdrawn.
    """
    journey.ask()
    erase(journey)
    with pytest.raises(Refusal, match="offer_withdrawn"):
        journey.accept()

    assert journey.merchant.profile_erased
    assert journey.profile == Profile(salt=None)


def test_no_acceptance_stands_after_an_erasure():
    """
    "After an erasure no acceptance stands": offers that it withdrew were not withdrawn by the
    acceptance of an earlier application, and another offer that was withdrawn by that acceptance
    needs a new application as well.
    """
    journey = keeping(("2024-01-01", 0))
    (of_then, *_) = (
        offer.offer_id for offer in journey.merchant.offer_sets[0].offers if not _accepted(offer)
    )
    with pytest.raises(Refusal, match="already_accepted"):
        journey.accept(of_then)
    journey.ask()
    offer_id = journey.first_offer().offer_id
    erase(journey)

    for withdrawn in (offer_id, of_then):
        with pytest.raises(Refusal, match="offer_withdrawn"):
            journey.accept(withdrawn)
    accepted = journey.merchant.fulfilments[0].offer.offer_id
    assert journey.accept(accepted, bank_details=None).offer.offer_id == accepted


def _accepted(offer):
    return offer.offer_status == "Accepted"


def test_erasing_again_changes_nothing(journey):
    """
    An erasure that was carried out is answered again, and gives no event.
    """
    journey.ask()
    erase(journey)
    count = len(journey.events)

    assert erase(journey).erased
    assert len(journey.events) == count


def test_after_an_erasure(journey):
    """
    "Eligibility is false; a retry of an acceptance still gets its answer; defaults stay counted.
    State, journal, decisions and replay stay whole."
    """
    journey.ask()
    accepted = wire.write(journey.accept())
    offer_id = journey.acceptance.offer.offer_id
    journey.fund()
    repaid(journey)
    journey.pass_time(days=4000)
    assessment = journey.do(AssessRenewal()).record() if journey.merchant.active_deal else None
    journey = erased_early(Journey())
    again = wire.write(journey.accept(journey.acceptance.offer.offer_id))

    assert assessment is None
    assert (accepted, offer_id) == (again, journey.acceptance.offer.offer_id)
    assert journey.engine.rebuild(journey.events) == journey.merchant
    for event in journey.events:
        record = getattr(event, "assessment", None)
        if record is not None:
            assert replay(record, journey.engine.jurisdictions).state == SAME


def erased_early(journey):
    """A merchant whose application was declined after its acceptance, and who was erased."""
    journey.ask()
    journey.accept()
    journey.do(
        CloseApplication(application_id=journey.acceptance.application_id, status="declined")
    )
    erase(journey)
    return journey


def test_what_needs_the_profile_afterwards_is_refused(journey):
    """
    Details cannot be supplied and an application cannot be filled without a profile.
    """
    erased_early(journey)
    application_id = journey.acceptance.application_id
    with pytest.raises(Refusal, match="profile_erased"):
        journey.do(SupplyDetails(application_id=application_id, bank_details=BANK))
    with pytest.raises(Refusal, match="profile_erased"):
        filled_application(application_id, journey.merchant, journey.profile)
    with pytest.raises(Refusal, match="profile_erased"):
        journey.ask()


def test_a_merchant_may_come_back(journey):
    """
    An initial application brings a profile of its own, with a new salt.
    """
    erased_early(journey)
    journey.profile = Profile.new(salt=bytes(range(100, 116)))
    journey.ask()
    journey.accept()

    assert not journey.merchant.profile_erased
    filled = filled_application(
        journey.acceptance.application_id, journey.merchant, journey.profile
    )
    assert filled.company is not None


def test_what_came_after_an_erasure_is_erased_like_the_first(journey):
    """
    A new application after an erasure brings new personal data: it is erased by an event, and not
    on hold.
    """
    journey.ask()
    journey.do(EraseProfile())
    journey.profile = Profile.new(salt=bytes(range(16)))
    journey.pass_time(hours=1)
    journey.ask(evidence={})
    journey.do(PlaceHold(code="dispute", by="a-3"))
    with pytest.raises(Refusal, match="erasure_not_possible"):
        journey.do(EraseProfile())
    journey.do(LiftHold(code="dispute", by="a-3"))
    events = len(journey.events)
    journey.do(EraseProfile())

    assert [type(event).__name__ for event in journey.events[events:]] == ["ProfileErased"]
    assert not any(journey.merchant.named_sections)
