"""A default that is settled for less: what is waived, and what takes the waiver back."""

from __future__ import annotations

from decimal import Decimal

import pytest

from good_evidence import GOOD_EVIDENCE
from holdback import Engine
from holdback.eligibility.derived_facts import deal_counts
from holdback.testing import given

ENGINE = Engine.for_trial()
BANK = {"account_number": "12345678", "sort_code": "10-20-30"}
DAY = "2027-05-01"


def active():
    """A merchant with a deal of which nothing has been paid."""
    story = given(
        ENGINE, jurisdiction="GB", at="2026-12-01T15:00:00Z", evidence=GOOD_EVIDENCE
    ).after("request_offers")
    offer = story.reply["products"][0]["offers"][0]
    story = story.after("accept_offer", {"offer_id": offer["offer_id"], "bank_details": BANK})
    return story.on("2026-12-03T15:00:00Z").after("fund_deal").on(f"{DAY}T09:00:00Z")


def about(story, id_, amount):
    """The input of a movement on the deal."""
    return {"deal_id": deal_of(story).id, "id": id_, "on": DAY, "amount": str(amount)}


def defaulted(*, recovered="500.00"):
    """A default of which something has come in."""
    story = active()
    story = story.after("close_deal", {"deal_id": deal_of(story).id, "status": "defaulted"})
    return story.after("record_recovery", about(story, "c-1", recovered))


def waived(story):
    """The same default, of which all that is left is waived."""
    left = deal_of(story).balance.amount + deal_of(story).written_off.amount
    return story.after("waive_rest", about(story, "w-1", left))


def bounced(story, reverses, amount, id_="b-1"):
    entry = {"id": id_, "on": DAY, "amount": amount, "reverses": reverses}
    return story.after("record_remittance", {"deal_id": deal_of(story).id, "entries": [entry]})


def deal_of(story):
    return story.merchant.deals[-1]


def figures(story):
    """The status of the deal, what is owed, waived and overpaid of it."""
    deal = deal_of(story)
    return (deal.status, *(str(m.amount) for m in (deal.balance, deal.waived, deal.overpaid)))


def test_what_is_left_is_waived_and_the_deal_is_settled():
    """
    "an agreed amount closes a defaulted deal as `Settled`, the rest waived by name".
    """
    story = defaulted()
    left = str(deal_of(story).balance.amount)
    body = about(story, "w-1", left)
    story.when("waive_rest", body).events("EntriesPosted", "DealSettled")
    settled = story.after("waive_rest", body)

    assert figures(settled) == ("Settled", "0.00", left, "0.00")
    counts = deal_counts(settled.merchant, None)
    assert (counts["deals_defaulted"], counts["deals_recovered"]) == (1, 0)
    assert settled.merchant.active_deal is None


def test_the_same_waiver_again_is_one():
    """
    A waiver that is recorded again gets the same reply, and nothing happens; another amount under
    its id is a conflict.
    """
    story = waived(defaulted())
    amount = deal_of(story).waived.amount

    story.when("waive_rest", about(story, "w-1", amount)).nothing().reply(story.reply)
    story.when("waive_rest", about(story, "w-1", 1)).refused("request_conflict")
    story.when("waive_rest", about(story, "w-2", amount)).refused("not_possible_now")


@pytest.mark.parametrize("beyond", [-1, 1])
def test_nobody_waives_another_amount_than_is_left(beyond):
    """
    A payment that came in or bounced before the command is seen.
    """
    story = defaulted()
    other = deal_of(story).balance.amount + beyond

    story.when("waive_rest", about(story, "w-1", other)).refused("amount_not_possible")


def test_only_a_default_is_settled_for_less():
    """An active deal is settled early, cancelled or recorded as defaulted first."""
    story = active()
    left = deal_of(story).balance.amount

    story.when("waive_rest", about(story, "w-1", left)).refused("not_possible_now")


def test_what_was_written_off_is_waived_too():
    """
    A write-off is the lender's loss, and the claim stays; a waiver ends the claim.
    """
    story = defaulted()
    left = deal_of(story).balance.amount
    story = story.after("write_off", about(story, "l-1", "100.00"))
    story.when("waive_rest", about(story, "w-1", left - 100)).refused("amount_not_possible")
    settled = waived(story)

    assert figures(settled) == ("Settled", "0.00", str(left), "0.00")
    assert deal_of(settled).written_off.minor == 0


def test_a_payment_that_bounces_takes_the_waiver_back():
    """
    The deal is in default again and owes all of it; once that is paid, it is recovered.
    """
    story = defaulted()
    left = deal_of(story).balance.amount
    again = bounced(waived(story), "c-1", "0.01")
    assert figures(again) == ("Defaulted", str(left + Decimal("0.01")), "0.00", "0.00")

    paid = again.after("record_recovery", about(again, "c-2", deal_of(again).balance.amount))
    assert figures(paid) == ("Recovered", "0.00", "0.00", "0.00")


def test_what_comes_in_later_is_overpaid():
    """
    The waiver stays, also when what was overpaid bounces: the merchant has kept its part.
    """
    story = waived(defaulted())
    rest = str(deal_of(story).waived.amount)
    more = story.after("record_recovery", about(story, "c-2", "40.00"))
    assert figures(more) == ("Settled", "0.00", rest, "40.00")

    assert figures(bounced(more, "c-2", "40.00")) == ("Settled", "0.00", rest, "0.00")
    given_back = more.after("refund", about(more, "r-1", "40.00"))
    assert figures(given_back) == ("Settled", "0.00", rest, "0.00")


@pytest.mark.parametrize("operation", ["adjust", "write_off"])
def test_a_settled_deal_takes_no_correction(operation):
    """There is nothing left to correct or to give up."""
    story = waived(defaulted())

    body = about(story, "a-1", "1.00")
    story.when(operation, body).refused(
        "not_possible_now" if operation == "adjust" else "amount_not_possible"
    )


def test_a_settled_deal_is_not_reinstated():
    """The default was no mistake: there is nothing to undo, and nothing happens."""
    story = waived(defaulted())

    story.when("reinstate_deal", {"deal_id": deal_of(story).id}).nothing()
