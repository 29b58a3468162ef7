"""The last day on which something is possible, and the first on which it is not; and guards."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from attrs import evolve

from good_evidence import GOOD_EVIDENCE
from holdback import Engine
from holdback.eligibility.derived_facts import deal_facts
from holdback.lifecycle.configuration import MEMORY_DAYS
from holdback.lifecycle.deals.schedule_changes import MOST_SCHEDULE_CHANGES
from holdback.lifecycle.people.holds import MOST_HOLDS
from holdback.testing import given
from holdback.testing.payloads import offers_request

ENGINE = Engine.for_trial()
FUNDED_ON = date(2026, 12, 3)


def at(day):
    return f"{day.isoformat()}T15:00:00Z"


@pytest.fixture(scope="module")
def funded():
    """A merchant of GB with a deal of 3 December 2026."""
    story = given(ENGINE, jurisdiction="GB", at="2026-12-01T15:00:00Z", evidence=GOOD_EVIDENCE)
    story = story.after("request_offers")
    offer = story.reply["products"][1]["offers"][0]
    details = {"account_number": "12345678", "sort_code": "10-20-30"}
    body = {"offer_id": offer["offer_id"], "bank_details": details}
    return story.after("accept_offer", body).on(at(FUNDED_ON)).after("fund_deal")


def about(story, **more):
    return {"deal_id": story.merchant.deals[-1].id, **more}


def remittance(story, on, **more):
    entry = {"id": f"on-{on}", "on": on.isoformat(), "amount": "1.00", **more}
    return about(story, entries=[entry])


def test_what_was_written_off_is_not_reinstated(funded):
    """
    A default is undone as long as nothing of the deal was written off.
    """
    story = funded.later(days=30).after("close_deal", about(funded, status="defaulted"))
    on = (FUNDED_ON + timedelta(days=30)).isoformat()

    assert story.after("reinstate_deal", about(story)).merchant.deals[-1].status == "Funded"
    story = story.after("write_off", about(story, id="w", on=on, amount="0.01"))
    story.when("reinstate_deal", about(story)).refused("not_possible_now")


def test_the_last_day_of_cooling_off(funded):
    """
    A deal is unwound up to the last of its cooling-off days, and not on the next.
    """
    deal = funded.merchant.deals[-1]
    last = FUNDED_ON + timedelta(days=deal.cooling_off_days)
    principal = str(deal.funded_amount.amount)

    def unwinding(day):
        return about(funded, id="u", on=day.isoformat(), amount=principal)

    assert deal.cooling_off_days > 0
    unwound = funded.on(at(last)).after("unwind_deal", unwinding(last))
    assert unwound.merchant.deals[-1].status == "Unwound"
    late = last + timedelta(days=1)
    funded.on(at(late)).when("unwind_deal", unwinding(late)).refused("not_possible_now")


def test_the_last_day_of_entries_after_the_end(funded):
    """
    Entries of a deal that has ended are taken for as long as the merchant is remembered.
    """
    ended = FUNDED_ON + timedelta(days=30)
    story = funded.on(at(ended)).after("close_deal", about(funded, status="defaulted"))
    last = ended + timedelta(days=MEMORY_DAYS)
    late = last + timedelta(days=1)

    recorded = story.on(at(last)).after("record_remittance", remittance(story, last))
    assert recorded.merchant.deals[-1].entry_of(f"on-{last}") is not None
    too_late = story.on(at(late), sure=True).when("record_remittance", remittance(story, late))
    too_late.refused("deal_closed_to_entries")


def test_the_last_day_whose_entries_are_closed(funded):
    """
    A new entry is refused on the day up to which entries are closed, and taken on the next.
    """
    day = FUNDED_ON + timedelta(days=10)
    deal = funded.merchant.deals[-1].closed_through(day)
    merchant = evolve(funded.merchant, deals=(deal,))
    story = evolve(funded, merchant=merchant).on(at(day + timedelta(days=5)))
    after = day + timedelta(days=1)

    story.when("record_remittance", remittance(story, day)).refused("deal_closed_to_entries")
    recorded = story.after("record_remittance", remittance(story, after))
    assert recorded.merchant.deals[-1].entry_of(f"on-{after}") is not None


def test_the_most_holds(funded):
    """
    The last hold is placed, one more is refused, and one that is there is placed again.
    """
    story = funded
    for number in range(MOST_HOLDS):
        story = story.after("place_hold", {"code": f"h-{number}", "by": "Ann"})

    assert len(story.merchant.holds) == MOST_HOLDS
    story.when("place_hold", {"code": "h-0", "by": "Ann"})
    story.when("place_hold", {"code": "one more", "by": "Ann"}).refused("not_possible_now")


def test_the_most_changes_of_a_schedule(funded):
    """
    "Pauses have bounds that are tested at both ends": the last pause begins and ends, one more or
    another change of the terms is refused, and a retry of the last is not.
    """
    story = funded
    for number in range(MOST_SCHEDULE_CHANGES - 1):
        on = FUNDED_ON + timedelta(days=number + 1)
        story = story.on(at(on)).after("pause", about(funded, on=on.isoformat()))
        story = story.after("resume", about(funded, on=on.isoformat()))
    terms = {"on": on.isoformat(), "split_percentage": 7}
    changed = story.after("change_terms", about(funded, **terms))
    changed.when("pause", about(funded, on=on.isoformat())).refused("not_possible_now")
    paused = story.after("pause", about(funded, on=on.isoformat()))
    resumed = paused.after("resume", about(funded, on=on.isoformat()))
    deal = resumed.merchant.deals[-1]

    assert len(deal.pauses) == MOST_SCHEDULE_CHANGES
    for operation, body in (("pause", {"on": on.isoformat()}), ("change_terms", terms)):
        refused = resumed.when(operation, about(funded, **body)).refused("not_possible_now")
        assert "changed 40 times" in str(refused.error)
    assert resumed.after("resume", about(funded, on=on.isoformat())).merchant == resumed.merchant
    assert paused.after("pause", about(funded, on=on.isoformat())).merchant == paused.merchant


def test_a_pause_ends_with_its_deal(funded):
    """
    A deal that is repaid during a pause is no longer paused, and its days in pause stop: a renewal
    is not declined for a pause that nobody can end (decisions/money-after-funding#schedule).
    """
    day = FUNDED_ON + timedelta(days=20)
    paused = funded.on(at(day)).after("pause", about(funded, on=day.isoformat()))
    whole = str(paused.merchant.deals[-1].repayment_amount.amount)
    end = day + timedelta(days=10)
    paid = paused.on(at(end)).after("record_remittance", remittance(paused, end, amount=whole))
    deal = paid.merchant.deals[-1]

    # A retry of the pause is one after its deal has ended, too.
    paid.when("pause", about(funded, on=day.isoformat())).events()
    assert paused.merchant.deals[-1].paused
    assert (deal.status, deal.paused) == ("Repaid", False)
    for later in (end, end + timedelta(days=40)):
        facts = deal_facts(deal, later)
        assert (facts["paused"], facts["days_in_pause"]) == (0, 10)


def test_a_default_on_the_day_of_the_acceptance(funded):
    """
    Nothing is funded when another deal defaulted on the day of the acceptance or later.
    """
    day = FUNDED_ON + timedelta(days=20)
    whole = str(funded.merchant.deals[-1].repayment_amount.amount)
    paid = funded.on(at(day)).after("record_remittance", remittance(funded, day, amount=whole))
    asked = paid.after("request_offers", offers_request(paid.merchant.merchant_id))
    offer = asked.reply["products"][1]["offers"][0]
    details = {"account_number": "12345678", "sort_code": "10-20-30"}
    accepted = asked.after("accept_offer", {"offer_id": offer["offer_id"], "bank_details": details})
    back = {"kind": "reversal", "reverses": f"on-{day}", "amount": whole}
    active = accepted.after("record_remittance", remittance(funded, day, id="r", **back))

    assert active.merchant.deals[-1].status == "Funded"
    defaulted = active.after("close_deal", about(funded, status="defaulted"))
    refused = defaulted.when("fund_deal").refused("referred")
    assert "defaulted" in str(refused.error)
