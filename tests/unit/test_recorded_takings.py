"""Which facts recorded takings give: on which days, and for how many of them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from attrs import evolve

from holdback import Merchant, Money, Takings, load_jurisdictions
from holdback.eligibility.derived_facts import recorded_over, takings_facts
from holdback.eligibility.facts import NEVER_INITIAL
from holdback.lifecycle.evidence.checks import evidence_facts

TODAY = date(2026, 7, 1)
POUND = Money.parse("GBP 1").currency


def merchant(days, *, complete=1, amounts=(100,)):
    """A merchant with takings of the *days* before today, complete up to *complete* days ago."""
    on = [TODAY - timedelta(days=ago) for ago in range(days, 0, -1)]
    new = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")
    return evolve(
        new,
        takings=tuple(
            Takings(on=day, amount=Money(amounts[place * len(amounts) // days], POUND))
            for place, day in enumerate(on)
        ),
        takings_since=on[0],
        takings_complete_through=TODAY - timedelta(days=complete),
    )


@pytest.mark.parametrize(
    ("days", "names"),
    [
        (59, set()),
        (60, {"takings_trend"}),
        (89, {"takings_trend"}),
        (90, {"takings_trend", "average_monthly_takings"}),
    ],
)
def test_how_many_days_a_fact_takes(days, names):
    """
    The trend compares 30 days with the 30 before them, and the average is one of 90 days.
    """
    assert takings_facts(merchant(days), TODAY).keys() == names


@pytest.mark.parametrize(("complete", "given"), [(0, True), (1, True), (2, False)])
def test_takings_are_complete_up_to_yesterday(complete, given):
    """
    Nothing follows from takings of which yesterday's are missing.
    """
    assert bool(takings_facts(merchant(90, complete=complete), TODAY)) == given


@pytest.mark.parametrize(("before", "now", "trend"), [(200, 100, 50), (100, 150, 150), (1, 0, 0)])
def test_the_trend_is_the_share_of_the_days_before(before, now, trend):
    """
    Half the takings are a trend of 50 percent.
    """
    facts = takings_facts(merchant(60, amounts=(before, now)), TODAY)

    assert (
        facts["takings_trend"] == trend * takings_facts(merchant(60), TODAY)["takings_trend"] / 100
    )


def test_no_trend_follows_from_nothing():
    """
    Where nothing was taken before, there is nothing to compare with.
    """
    assert "takings_trend" not in takings_facts(merchant(60, amounts=(0, 100)), TODAY)


def test_a_newcomer_whose_takings_are_recorded_has_a_trend():
    """
    Takings can be recorded of a merchant that has no deal yet: its first application knows them.
    """
    newcomer = merchant(60)
    rulebook = load_jurisdictions().resolve("GB", on=TODAY)
    at = datetime(TODAY.year, TODAY.month, TODAY.day, 12, tzinfo=UTC)

    assert "takings_trend" in evidence_facts(newcomer, rulebook, at, newcomer.sections)
    assert "takings_trend" not in NEVER_INITIAL


@pytest.mark.parametrize(
    ("days", "ago", "over"), [(90, 1, True), (90, 0, False), (90, 2, True), (89, 1, False)]
)
def test_takings_replace_what_a_check_of_that_day_gave(days, ago, over):
    """
    A record of 90 complete days replaces a check up to its last day, and not one made after it.
    """
    assert recorded_over(merchant(days), TODAY - timedelta(days=ago)) == over
