"""The renewals in a row that led to a deal (decisions/rule-language#the-deal-that-is-renewed)."""

from __future__ import annotations

from attrs import evolve
from test_returned_payout import accepted, corrected, funded, renewed, returned

from holdback.eligibility.derived_facts import renewals_in_chain


def chain(story):
    """How many renewals in a row led to each deal."""
    return [renewals_in_chain(story.merchant, deal) for deal in story.merchant.deals]


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


def test_where_a_state_does_not_say_which_deal_was_renewed_the_chain_is_unknown():
    """
    "Where a state says less, it is unknown."
    """
    merchant = renewed().merchant
    less = evolve(merchant, fulfilments=merchant.fulfilments[:1])

    assert [renewals_in_chain(less, deal) for deal in less.deals] == [0, None]
