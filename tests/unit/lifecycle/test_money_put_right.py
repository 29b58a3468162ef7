"""What goes wrong twice after the funding: each of these histories once ended in wrong money."""

from __future__ import annotations

import pytest

from good_evidence import GOOD_EVIDENCE
from holdback import Context, Engine, wire
from holdback.operations import AcceptOffer
from holdback.testing import given

BANK = {
    "GB": {"account_number": "12345678", "sort_code": "10-20-30"},
    "US": {"account_number": "123456789", "routing_number": "021000021"},
}
ENGINE = Engine.for_trial()
BRIDGE = 1  # the product of the US whose renewals are queued


def funded(jurisdiction, *, product):
    """A merchant with a deal of the day 3 December 2026."""
    story = given(
        ENGINE, jurisdiction=jurisdiction, at="2026-12-01T15:00:00Z", evidence=GOOD_EVIDENCE
    ).after("request_offers")
    return accepted(story, product).on("2026-12-03T15:00:00Z").after("fund_deal")


def accepted(story, product):
    """The first offer of a product, accepted."""
    offer = story.reply["products"][product]["offers"][0]
    details = BANK[story.merchant.jurisdiction]
    return story.after("accept_offer", {"offer_id": offer["offer_id"], "bank_details": details})


def deal_of(story, place=-1):
    return story.merchant.deals[place]


def paid(story, deal, entry_id, amount=None, **more):
    """A payment on a deal today, of all that is left unless given."""
    on = story.at.date().isoformat()
    amount = str(deal.balance.amount) if amount is None else amount
    entry = {"id": entry_id, "on": on, "amount": amount, **more}
    body = {"deal_id": deal.id, "entries": [entry], "complete_through": on}
    return story.after("record_remittance", body)


def renewing():
    """A renewal that is queued: offered, not yet accepted."""
    story = funded("US", product=BRIDGE).paid_down(70).later(hours=2)
    return story.after("request_offers", evidence={"credit_score": 702})


def test_a_discount_is_given_once_however_often_its_payment_bounces():
    """
    A discount that was given with a payment that was taken back since is not given again.
    """
    story = funded("GB", product=1).on("2026-12-05T09:00:00Z")
    cost = deal_of(story).repayment_amount - deal_of(story).funded_amount
    for number in range(4):
        quoted = story.after("settlement_quote", {"deal_id": deal_of(story).id, "on": "2026-12-05"})
        assert quoted.reply["discount"] == (0 if number else cost.amount / 2)
        body = {"id": f"p-{number}", "on": "2026-12-05", "amount": str(quoted.reply["amount"])}
        story = story.after("settle_early", {"deal_id": deal_of(story).id, **body})
        assert deal_of(story).status == "Repaid"
        story = paid(story, deal_of(story), f"b-{number}", body["amount"], reverses=f"p-{number}")
        assert deal_of(story).balance.amount == deal_of(story).repayment_amount.amount - (
            cost.amount / 2
        )


def test_no_past_day_is_quoted():
    """
    What settled a deal yesterday is not asked for: the day is invalid.
    """
    story = funded("GB", product=1).on("2026-12-05T09:00:00Z")
    body = {"deal_id": deal_of(story).id, "on": "2026-12-04"}

    story.when("settlement_quote", body).invalid("$.on")


def test_an_entry_that_has_not_settled_settles_no_deal():
    """
    An early settlement under the id of an unsettled entry conflicts: it would settle the entry.
    """
    story = funded("GB", product=1).on("2026-12-05T09:00:00Z")
    amount = str(deal_of(story).balance.amount)
    story = paid(story, deal_of(story), "p-1", amount, kind="payment", settled=False)
    body = {"deal_id": deal_of(story).id, "id": "p-1", "on": "2026-12-05", "amount": amount}

    story.when("settle_early", body).refused("request_conflict")


@pytest.mark.parametrize("operation", ["record_recovery", "record_remittance"])
def test_what_was_lost_and_comes_in_is_not_the_merchants(operation):
    """
    Money that comes in after a write-off takes it back, by whichever operation it is recorded.
    """
    story = funded("GB", product=1).on("2027-05-01T09:00:00Z")
    story = story.after("close_deal", {"deal_id": deal_of(story).id, "status": "defaulted"})
    lost = str(deal_of(story).balance.amount)
    about = {"deal_id": deal_of(story).id}
    story = story.after("write_off", about | {"id": "w", "on": "2027-05-01", "amount": lost})
    entry = {"id": "late", "on": "2027-05-01", "amount": "300.00"}
    body = entry if operation == "record_recovery" else {"entries": [entry]}
    story = story.after(operation, about | body)

    deal = deal_of(story)
    assert (str(deal.overpaid), deal.status) == ("GBP 0.00", "Defaulted")
    assert deal.written_off.amount == deal.repayment_amount.amount - 300


def test_an_adjustment_does_not_cure_a_default():
    """
    A default of which nobody has paid anything has not recovered.
    """
    story = funded("GB", product=1).on("2027-05-01T09:00:00Z")
    story = story.after("close_deal", {"deal_id": deal_of(story).id, "status": "defaulted"})
    whole = {"id": "a", "on": "2027-05-01", "amount": str(deal_of(story).balance.amount)}

    story.when("adjust", {"deal_id": deal_of(story).id, **whole}).refused("not_possible_now")


def test_a_negative_adjustment_reopens_a_repaid_deal():
    """
    "A negative one reopens a repaid deal, as a reversal does": a positive one may have been a
    mistake.
    """
    story = funded("GB", product=1).on("2027-05-01T09:00:00Z")
    deal_id, whole = deal_of(story).id, str(deal_of(story).balance.amount)
    about = {"deal_id": deal_id, "on": "2027-05-01"}
    repaid = story.after("adjust", {**about, "id": "a", "amount": whole})
    assert deal_of(repaid).status == "Repaid"
    reopened = repaid.after("adjust", {**about, "id": "b", "amount": "-100.00"})

    assert (deal_of(reopened).status, str(deal_of(reopened).balance)) == ("Funded", "GBP 100.00")
    more = {**about, "id": "c", "amount": "-1000000.00"}
    reopened.when("adjust", more).refused("amount_not_possible")


def test_an_offer_that_is_queued_deducts_nothing_even_after_its_base_was_repaid():
    """
    The offer promised the whole amount: accepted after the repayment, it still waits if the base
    deal is reopened.
    """
    story = renewing()
    left = str(deal_of(story).balance.amount)
    offer = story.reply["products"][BRIDGE]["offers"][0]
    repaid = paid(story.later(hours=1), deal_of(story), "last")
    repaid = repaid.after("accept_offer", {"offer_id": offer["offer_id"]})
    reopened = paid(repaid.later(days=1), deal_of(repaid), "back", left, reverses="last")

    assert repaid.merchant.in_fulfilment.lapses_at is not None
    assert reopened.merchant.in_fulfilment.lapses_at is None
    reopened.when("fund_deal").refused("not_possible_now")


def test_a_queue_is_kept_while_the_rules_are_not_loaded():
    """
    An open offer is accepted on its terms, with its rules loaded or not (decisions/renewal).
    """
    story = renewing()
    offer = story.reply["products"][BRIDGE]["offers"][0]
    elsewhere = Engine.for_trial(
        type(ENGINE.jurisdictions)(j for j in ENGINE.jurisdictions if not j.code.startswith("US"))
    )
    context = Context(at=story.at, request_id="elsewhere")
    accept = AcceptOffer(offer_id=offer["offer_id"])
    outcome = elsewhere.carry_out(story.merchant, accept, context, profile=story.profile)

    assert outcome.merchant.in_fulfilment.queued


def test_the_time_on_hold_counts_once_for_a_queued_renewal():
    """
    Nothing lapses on hold: a renewal that becomes ready on hold has its days from the end of it.
    """
    story = accepted(renewing(), BRIDGE).later(hours=1)
    held = story.after("place_hold", {"code": "fraud", "by": "ann"}).later(days=30)
    ready = paid(held, deal_of(held), "last")
    lifted = ready.later(days=1).after("lift_hold", {"code": "fraud", "by": "ann"})

    days = ENGINE.jurisdictions.resolve("US", on=lifted.at.date()).acceptance_days
    assert lifted.merchant.in_fulfilment.lapses_at == ready.at.add(days=days + 1)


def test_a_deal_is_not_undone_beside_another_active_deal():
    """
    At most one deal is active: the deal that it renewed could not be revived.
    """
    story = funded("GB", product=1).on("2027-05-01T20:00:00Z")
    first = deal_of(story)
    story = paid(story, first, "all").on("2027-05-02T09:00:00Z").after("request_offers")
    story = accepted(story, 0).later(hours=1).after("fund_deal")
    story = story.paid_down(60).later(hours=13)
    story = story.after("request_offers", evidence={"credit_score": 710})
    place = next(n for n, p in enumerate(story.reply["products"]) if p["offers"])
    story = accepted(story, place).after("fund_deal")
    last, today = deal_of(story), deal_of(story).funded_on.isoformat()
    body = {"deal_id": last.id, "id": "s", "on": today, "amount": str(last.balance.amount)}
    story = story.after("settle_early", body)
    story = paid(story, first, "back", "100.00", reverses="all")
    assert deal_of(story, 0).active

    undone = {"deal_id": last.id, "id": "u", "on": today, "amount": "0.00"}
    story.when("unwind_deal", undone).refused("not_possible_now")
    assert wire.read_merchant(wire.write_merchant(story.merchant)) == story.merchant
