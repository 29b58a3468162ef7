"""A deal that has ended is judged as of its last day (decisions/deals#after-the-end)."""

from __future__ import annotations

from datetime import timedelta

import attrs
from hypothesis import given, settings

from counts import count
from holdback.eligibility.derived_facts import deal_facts
from holdback.merchant.deal import REPAID
from holdback.testing import strategies
from journey import Journey

# How long ago something was: this goes on.
SINCE = {"days_since_funding", "months_since_funding", "days_since_last_remittance"}


def kept(deal, day):
    """The facts of *deal* on *day*, without how long ago something was."""
    facts = deal_facts(deal, day)
    return {name: number for name, number in facts.items() if name not in SINCE}


@settings(max_examples=count("reachable merchants"))
@given(strategies.histories())
def test_no_fact_of_an_ended_deal_changes_with_the_day_alone(history):
    """
    "For any ended deal, no fact about the deal itself changes with the day alone, except days since
    its end."
    """
    ended = [deal for deal in history.merchant.deals if not deal.active]
    for deal in ended:
        last = history.merchant.last_seen_at.date() + timedelta(days=2)
        facts = kept(deal, last)
        for days in (1, 29, 31, 400, 4_000):
            assert kept(deal, last + timedelta(days=days)) == facts


def test_a_repaid_deal_stays_as_of_its_repayment(funded):
    """
    A term that is left does not run out, what was missed stays missed, and the history is as
    complete as before.
    """
    funded.pass_time(days=20)
    missed = funded.entry(0, id="nothing", takings=funded.deal.repayment_amount)
    funded.remit(missed)
    funded.pass_time(days=2)
    owed = funded.deal.outstanding
    funded.remit(funded.entry(owed, id="all", on=funded.today()), complete_through=funded.today())
    deal, today = funded.deal, funded.today()
    left = deal_facts(deal, today)
    assert (left["missed_remittances_30d"], left["remaining_term_days"]) == (1, deal.term_days - 22)

    later = deal_facts(deal, today + timedelta(days=900))
    assert {name: later[name] - left[name] for name in left if name != "performance"} == {
        **dict.fromkeys(left.keys() - SINCE - {"performance"}, 0),
        **dict.fromkeys(SINCE, 900),
        "months_since_funding": 30,
    }
    assert later["performance"] == left["performance"]


def test_a_repaid_deal_with_a_shortfall_does_not_age():
    """
    "A repaid deal with a shortfall ages on too": it ended with its last payment.
    """
    journey = Journey()
    journey.ask()
    journey.accept()
    journey.fund()
    journey.pass_time(days=30)
    half = journey.deal.outstanding // 2
    journey.remit(journey.entry(half, id="first"))
    journey.pass_time(days=30)
    journey.remit(journey.entry(journey.deal.outstanding, id="last"))
    repaid_on = journey.deal.repaid_on
    back = journey.entry(half, id="back", reverses="first")
    deal = attrs.evolve(journey.deal.with_entries([back]), status=REPAID)
    assert (deal.shortfall.minor, deal.repaid_on) == (half, None)

    day = repaid_on + timedelta(days=1)
    assert kept(deal, day) == kept(deal, day + timedelta(days=2_000))
    assert kept(deal, day)["performance"] == kept(deal, repaid_on)["performance"]
