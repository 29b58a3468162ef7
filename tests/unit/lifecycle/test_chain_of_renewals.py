"""The renewals in a row that led to a deal (decisions/rule-language#the-deal-that-is-renewed)."""

from __future__ import annotations

from attrs import evolve
from test_returned_payout import accepted, corrected, funded, renewed, returned

from holdback.eligibility.derived_facts import deal_facts


def chain(story):
    """How many renewals in a row led to each deal."""
    return [deal_facts(deal, story.at.date())["renewals_in_chain"] for deal in story.merchant.deals]


def renewed_again(story, percent):
    """The story with the last deal paid down, and renewed."""
    story = story.paid_down(percent).later(hours=2).after("request_offers")
    return accepted(story).later(hours=1).after("fund_deal")


def test_a_chain_counts_the_renewals_in_a_row():
    """
    "`renewals_in_chain` counts the renewals in a row that led to the deal, itself included."
    """
    assert chain(funded()) == [0]
    assert chain(renewed()) == [0, 1]
    assert chain(renewed_again(renewed(), 70)) == [0, 1, 2]


def test_a_renewal_of_a_deal_that_was_repaid_counts():
    """
    "A renewal of a deal that had been repaid before counts like one that settled it."
    """
    story = renewed_again(renewed(), 100)

    assert (story.merchant.deals[1].status, chain(story)) == ("Repaid", [0, 1, 2])


def test_a_renewal_whose_payout_came_back_is_in_no_later_chain():
    """
    "A renewal that was unwound, or whose payout came back, is in no later chain."
    """
    story = corrected(returned(renewed()).later(hours=1)).after("fund_deal")

    assert [deal.status for deal in story.merchant.deals] == ["Renewed", "Unwound", "Funded"]
    assert chain(story) == [0, 1, 1]


def test_a_renewal_that_was_stored_before_has_no_known_chain_nor_have_those_after_it():
    """
    "A renewal that was stored before there was this number has it unknown, and so have those that
    follow it."
    """
    story = renewed()
    older = [evolve(deal, renewals=0) for deal in story.merchant.deals]
    found = renewed_again(evolve(story, merchant=evolve(story.merchant, deals=tuple(older))), 70)

    assert chain(found) == [0, None, None]
