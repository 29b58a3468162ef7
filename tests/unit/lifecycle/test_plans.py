"""A plan of a default: who may agree on it, what pays it, and since when it is past due."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from attrs import evolve

from good_evidence import GOOD_EVIDENCE
from holdback import Engine, wire
from holdback.eligibility.derived_facts import days_past_due
from holdback.lifecycle.deals.statement import statement_of
from holdback.merchant.plan import MOST_INSTALMENTS, MOST_PLAN_DAYS, MOST_REPLACED_PLANS
from holdback.testing import given
from holdback.tools.displays.statements import statement_page

ENGINE = Engine.for_trial()
BANK = {"account_number": "12345678", "sort_code": "10-20-30"}
DAY = date(2027, 5, 1)


def active():
    """A merchant with a deal of which nothing has been paid."""
    story = given(
        ENGINE, jurisdiction="GB", at="2026-12-01T15:00:00Z", evidence=GOOD_EVIDENCE
    ).after("request_offers")
    offer = story.reply["products"][0]["offers"][0]
    story = story.after("accept_offer", {"offer_id": offer["offer_id"], "bank_details": BANK})
    return at(story.on("2026-12-03T15:00:00Z").after("fund_deal"), 0)


def at(story, days):
    """The same story, a number of days after the first day of its plans."""
    return story.on(f"{DAY + timedelta(days=days)}T09:00:00Z")


def defaulted(*, recovered="500.00"):
    """A default of which something has come in, before any plan."""
    story = active()
    story = story.after("close_deal", {"deal_id": deal_of(story).id, "status": "defaulted"})
    return paid(story, recovered, "c-0")


def deal_of(story):
    return story.merchant.deals[-1]


def about(story, id_, amount, days=0):
    """The input of a movement on the deal."""
    on = DAY + timedelta(days=days)
    return {"deal_id": deal_of(story).id, "id": id_, "on": f"{on}", "amount": str(amount)}


def paid(story, amount, id_, days=0):
    return story.after("record_recovery", about(story, id_, amount, days))


def plan(story, *instalments, id_="p-1"):
    """The input of a plan of *instalments*: the days until each is due, and its amount."""
    return {
        "deal_id": deal_of(story).id,
        "plan_id": id_,
        "instalments": [
            {"due_on": f"{DAY + timedelta(days=days)}", "amount": str(amount)}
            for days, amount in instalments
        ],
    }


def planned(*instalments, **more):
    """A default with a plan."""
    story = defaulted(**more)
    return story.after("agree_plan", plan(story, *instalments))


def past_due(story, days):
    """The fact, a number of *days* after the first day of the plan."""
    return days_past_due(story.merchant, DAY + timedelta(days=days))


def shown_plan(story):
    """What the look-up of the merchant's deal shows of the plan."""
    (deal,) = story.after("look_up").reply["deals"]
    return deal.get("plan")


MONTHS = ((30, "100.00"), (60, "100.00"), (90, "100.00"))


def test_a_plan_changes_no_figure():
    """
    "a plan of dated instalments whose breaches are facts": it is kept, and moves no money.
    """
    story = defaulted()
    before = deal_of(story)
    story.when("agree_plan", plan(story, *MONTHS)).events("PlanAgreed")
    after = deal_of(story.after("agree_plan", plan(story, *MONTHS)))

    assert (after.balance, after.status, after.entries) == (
        before.balance,
        before.status,
        before.entries,
    )
    assert [str(each.amount.amount) for each in after.planned] == ["100.00"] * 3


def test_the_days_past_due_are_those_of_the_oldest_instalment_that_is_not_covered():
    """
    "the days since the due date of the oldest instalment that the payments since the agreement do
    not cover"; what came in before the agreement pays nothing of it.
    """
    story = planned(*MONTHS)

    assert [past_due(story, days) for days in (0, 30, 31, 59, 60, 61)] == [0, 0, 1, 29, 30, 31]
    story = paid(at(story, 40), "99.99", "c-1", 40)
    assert past_due(story, 40) == 10
    story = paid(story, "0.01", "c-2", 40)
    assert [past_due(story, days) for days in (40, 60, 61)] == [0, 0, 1]
    story = paid(story, "150.00", "c-3", 40)
    assert [past_due(story, days) for days in (90, 91, 500)] == [0, 1, 410]


def test_a_payment_that_bounces_covers_nothing():
    """
    Payments count "net of reversals and refunds since the plan was agreed".
    """
    story = paid(at(planned(*MONTHS), 20), "100.00", "c-1", 20)
    assert past_due(story, 40) == 0
    back = {"id": "b-1", "on": f"{DAY + timedelta(days=20)}", "amount": "0.01", "reverses": "c-1"}
    story = story.after("record_remittance", {"deal_id": deal_of(story).id, "entries": [back]})

    assert past_due(story, 40) == 10


def test_a_payment_from_before_the_plan_that_bounces_is_missing_too():
    """What was paid by the agreement is what was agreed on: if it bounces, so much is missing."""
    story = paid(at(planned(*MONTHS), 20), "100.00", "c-1", 20)
    back = {"id": "b-0", "on": f"{DAY + timedelta(days=20)}", "amount": "500.00", "reverses": "c-0"}
    story = story.after("record_remittance", {"deal_id": deal_of(story).id, "entries": [back]})

    assert past_due(story, 40) == 10
    assert [str(each.paid.amount) for each in deal_of(story).planned] == ["0.00"] * 3


def test_without_a_plan_of_every_default_nothing_is_known():
    """
    "unknown is not false": a deal that is repaid by a share of takings has no due dates.
    """
    assert past_due(active(), 40) is None
    assert past_due(defaulted(), 40) is None
    assert past_due(planned(*MONTHS), 40) == 10


def test_a_plan_ends_without_instalments():
    """A plan of nothing ends the one before it, and there is one to end."""
    story = planned(*MONTHS)
    ended = story.after("agree_plan", plan(story, id_="p-2"))

    assert past_due(ended, 40) is None
    assert shown_plan(ended) is None
    ended.when("agree_plan", plan(ended, id_="p-3")).refused("not_possible_now")
    defaulted().when("agree_plan", plan(story, id_="p-3")).refused("not_possible_now")


@pytest.mark.parametrize("ending", ["recovered", "settled", "reinstated"])
def test_a_plan_ends_with_the_default(ending):
    """
    "an ending of the deal ends the plan"; it runs on where a payment that bounces makes the deal a
    default again, unless there was no default.
    """
    story = planned(*MONTHS)
    left = deal_of(story).balance.amount
    if ending == "recovered":
        story = paid(story, left, "c-1")
    elif ending == "settled":
        story = story.after("waive_rest", about(story, "w-1", left))
    else:
        story = story.after("reinstate_deal", {"deal_id": deal_of(story).id})

    assert past_due(story, 40) is None
    assert shown_plan(story) is None
    if ending == "reinstated":
        story = story.after("close_deal", {"deal_id": deal_of(story).id, "status": "defaulted"})
        assert past_due(story, 40) is None
        return
    story.when("agree_plan", plan(story, *MONTHS, id_="p-2")).refused("not_possible_now")
    back = {"id": "b-0", "on": f"{DAY}", "amount": "500.00", "reverses": "c-0"}
    story = story.after("record_remittance", {"deal_id": deal_of(story).id, "entries": [back]})
    assert deal_of(story).status == "Defaulted"
    assert past_due(story, 40) == (0 if ending == "recovered" else 10)


def test_a_plan_may_be_of_what_was_written_off():
    """A write-off is the lender's loss and the claim stays: so does its plan."""
    story = planned(*MONTHS)
    left = deal_of(story).balance.amount
    story = story.after("write_off", about(story, "w-1", left))

    assert past_due(story, 40) == 10
    whole = plan(story, (30, left), id_="p-2")
    assert past_due(story.after("agree_plan", whole), 40) == 10
    more = plan(story, (30, left), (31, "0.01"), id_="p-2")
    story.when("agree_plan", more).refused("amount_not_possible")


def test_a_plan_comes_to_at_most_what_is_left():
    """
    "together at most ... what is owed at that instant": the rest may be waived.
    """
    story = defaulted()
    left = deal_of(story).balance.amount
    story.when("agree_plan", plan(story, (30, left))).events("PlanAgreed")
    more = plan(story, (30, left), (31, "0.01"))
    story.when("agree_plan", more).refused("amount_not_possible")


@pytest.mark.parametrize("ending", ["", "repaid", "cancelled"])
def test_only_a_default_has_a_plan(ending):
    """A deal that runs is repaid by a share of takings, and one that was repaid owes nothing."""
    story = active()
    if ending == "repaid":
        whole = deal_of(story).balance.amount
        entry = about(story, "e-1", whole)
        body = {"deal_id": entry.pop("deal_id"), "entries": [entry]}
        story = story.after("record_remittance", body)
    elif ending:
        story = story.after("close_deal", {"deal_id": deal_of(story).id, "status": ending})

    story.when("agree_plan", plan(story, *MONTHS)).refused("not_possible_now")


def test_the_same_plan_again_is_one():
    """
    A plan that is recorded again gets the same reply, also when its days have passed; another
    content under its id is a conflict.
    """
    story = planned(*MONTHS)
    story.when("agree_plan", plan(story, *MONTHS)).nothing().reply(story.reply)
    later = paid(at(story, 70), "100.00", "c-1", 70)
    later.when("agree_plan", plan(story, *MONTHS)).nothing()
    later.when("agree_plan", plan(story, *MONTHS[:2])).refused("request_conflict")


def test_a_plan_that_was_replaced_does_not_come_back():
    """A late retry is recognised for as long as its id is held, and refused."""
    story = planned((30, "100.00"))
    for number in range(2, MOST_REPLACED_PLANS + 2):
        story = story.after("agree_plan", plan(story, (number, "50.00"), id_=f"p-{number}"))
        story.when("agree_plan", plan(story, (30, "100.00"))).refused("request_conflict")

    assert len(deal_of(story).plan.replaced) == MOST_REPLACED_PLANS
    story = story.after("agree_plan", plan(story, (60, "50.00"), id_="p-last"))
    assert len(deal_of(story).plan.replaced) == MOST_REPLACED_PLANS
    story.when("agree_plan", plan(story, (30, "100.00"))).events("PlanAgreed")


def test_a_new_plan_counts_what_comes_in_after_it():
    """What paid the plan before pays nothing of the one that replaced it."""
    story = paid(at(planned(*MONTHS), 40), "130.00", "c-1", 40)
    story = story.after("agree_plan", plan(story, (50, "30.00"), (80, "30.00"), id_="p-2"))

    assert [past_due(story, days) for days in (50, 55)] == [0, 5]
    assert past_due(paid(story, "30.00", "c-2", 40), 55) == 0


@pytest.mark.parametrize(
    ("instalments", "path"),
    [
        (((30, "10.00"), (30, "10.00")), "$.instalments[1].due_on"),
        (((30, "10.00"), (29, "10.00")), "$.instalments[1].due_on"),
        (((-1, "10.00"),), "$.instalments[0].due_on"),
        (((MOST_PLAN_DAYS + 1, "10.00"),), "$.instalments[0].due_on"),
        (((30, "0.00"),), "$.instalments[0].amount"),
        (
            tuple((number, "1.00") for number in range(MOST_INSTALMENTS + 1)),
            "$.instalments",
        ),
    ],
)
def test_an_invalid_instalment_is_named(instalments, path):
    """
    "dated amounts in strictly increasing order of due_on, each > 0", from today on.
    """
    story = defaulted()
    story.when("agree_plan", plan(story, *instalments)).invalid(path)


def test_the_bounds_themselves_are_possible():
    """As many instalments as there may be, from today to the last day; the state can be read."""
    story = defaulted()
    days = [*range(MOST_INSTALMENTS - 1), MOST_PLAN_DAYS]
    story = story.after("agree_plan", plan(story, *((number, "1.00") for number in days)))

    assert len(deal_of(story).planned) == MOST_INSTALMENTS
    assert past_due(story, 0) == 0
    assert wire.read_merchant(wire.write_merchant(story.merchant)) == story.merchant


def test_the_partner_sees_what_is_due_next_and_past_due():
    """
    "what a partner sees: instalments with what is due next and past due".
    """
    story = at(paid(at(planned(*MONTHS), 40), "130.00", "c-1", 40), 75)
    amounts = ["100.00", "30.00", "0.00"]

    assert [str(each["paid"]) for each in shown_plan(story)["instalments"]] == amounts
    assert {**shown_plan(story), "instalments": []} == {
        "instalments": [],
        "past_due": 70,
        "days_past_due": 15,
        "next_due_on": f"{DAY + timedelta(days=90)}",
    }
    later = shown_plan(at(story, 91))
    assert (later["past_due"], later["days_past_due"], later["next_due_on"]) == (170, 31, None)


def test_the_statement_has_the_plan_and_counts_nothing_of_it():
    """A plan moves nothing, so no line of a statement is of it; what is due is beside the lines."""
    story = paid(planned(*MONTHS), "130.00", "c-1")
    statement = statement_of(story.merchant)
    without = statement_of(paid(defaulted(), "130.00", "c-1").merchant)

    assert statement.balances
    assert [str(each.paid.amount) for each in statement.deals[0].planned] == [
        "100.00",
        "30.00",
        "0.00",
    ]
    assert evolve(statement, deals=(evolve(statement.deals[0], planned=()),)) == without
    assert [row["due_on"] for row in wire.to_dict(statement)["deals"][0]["planned"]] == [
        f"{DAY + timedelta(days=days)}" for days, _ in MONTHS
    ]
    assert "planned" not in wire.to_dict(without)["deals"][0]
    assert any("<td>instalment</td>" in line for line in statement_page(statement))
