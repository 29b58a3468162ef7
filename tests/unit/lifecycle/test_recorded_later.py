"""What happened on an earlier day: a funding, an early end and a cancellation recorded later."""

from __future__ import annotations

from datetime import date, timedelta

import attrs
import pytest

from good_evidence import GOOD_EVIDENCE
from holdback import Engine, wire
from holdback.eligibility.derived_facts import deal_facts
from holdback.lifecycle.deals.statement import statement_of
from holdback.lifecycle.events import DealClosed, DealFunded, DealRenewed, DealUnwound
from holdback.lifecycle.input_checks import DAYS_TO_GIVE_BACK, DAYS_TO_RECORD
from holdback.testing import given

ENGINE = Engine.for_trial()
BANK = {"account_number": "12345678", "sort_code": "10-20-30"}
ACCEPTED_ON = date(2026, 12, 1)
DAY = timedelta(days=1)


def at(day):
    return f"{day.isoformat()}T15:00:00Z"


def accepted(day=ACCEPTED_ON):
    story = given(ENGINE, jurisdiction="GB", at=at(day), evidence=GOOD_EVIDENCE)
    return with_acceptance(story.after("request_offers"))


def with_acceptance(story):
    offers = [offer for product in story.reply["products"] for offer in product["offers"]]
    body = {"offer_id": offers[-1]["offer_id"], "bank_details": BANK}
    return story.after("accept_offer", body)


def funded(days=0):
    """A deal that is recorded on 8 December, and was funded *days* before."""
    story = accepted().on(at(ACCEPTED_ON + 7 * DAY))
    return story.after("fund_deal", on(story, days)) if days else story.after("fund_deal")


def on(story, days, **more):
    """A body of the day *days* before the day of *story*."""
    return {"on": (story.at.date() - days * DAY).isoformat(), **more}


def deal_of(story, place=-1):
    return story.merchant.deals[place]


def invalid(refused, path, code):
    """Expect one error at this *path*, with this *code*."""
    refused.invalid(path)
    assert [error.code for error in refused.error.errors if error.path == path] == [code]


def entry(day, amount="100.00"):
    return {"entries": [{"id": f"e-{day}", "on": day.isoformat(), "amount": amount}]}


def test_a_funding_is_of_the_day_on_which_the_money_was_paid():
    """
    Term, cooling off, days since the funding and the statement count from the day of the payout.
    """
    late, now = funded(days=3), funded()
    deal, paid_on = deal_of(late), ACCEPTED_ON + 4 * DAY

    assert deal.funded_on == paid_on
    today = late.at.date()
    facts, others = deal_facts(deal, today), deal_facts(deal_of(now), today)
    assert facts["days_since_funding"] == others["days_since_funding"] + 3
    assert facts["remaining_term_days"] == others["remaining_term_days"] - 3
    quote = late.after("unwind_quote", on(late, 0)).reply
    assert quote["until"] == (paid_on + timedelta(days=deal.cooling_off_days)).isoformat()
    assert {line.on for line in statement_of(late.merchant).deals[0].lines} == {paid_on}


def test_the_event_keeps_the_day_and_when_it_became_known():
    """
    An event has the instant of the command, and the day on which it happened.
    """
    story = funded(days=3)
    (event,) = (event for event in story.journal if isinstance(event, DealFunded))

    assert event.at == story.at
    assert event.deal.funded_on == ACCEPTED_ON + 4 * DAY


@pytest.mark.parametrize("operation", ["fund_deal", "close_deal"])
def test_without_a_day_nothing_changes(operation):
    """
    A command without the day, and one with today, have the same events but for the request.
    """
    story = accepted() if operation == "fund_deal" else funded().later(days=20)
    body = {} if operation == "fund_deal" else {"status": "defaulted"}
    plain = story.after(operation, body)
    dated = story.after(operation, {**body, **on(story, 0)})

    def written(story):
        events = [attrs.evolve(event, carried_out=None) for event in story.journal[-2:]]
        return [wire.event_to_dict(event) for event in events]

    assert written(plain) == written(dated)


def test_the_first_and_the_last_day_on_which_a_funding_is_recorded():
    """
    A funding is recorded up to a week later; not of the future, nor of a day before its acceptance.
    """
    story = accepted()
    last = story.on(at(ACCEPTED_ON + DAYS_TO_RECORD * DAY))
    assert deal_of(last.after("fund_deal", on(last, DAYS_TO_RECORD))).funded_on == ACCEPTED_ON

    refused = last.later(days=1).when("fund_deal", {"on": ACCEPTED_ON.isoformat()})
    invalid(refused, "$.on", "out_of_range")
    assert "one of the last 7 days, from 2026-12-02 on" in str(refused.error)
    invalid(last.when("fund_deal", on(last, -1)), "$.on", "future_day")
    refused = story.later(days=2).when("fund_deal", on(story, 1))
    invalid(refused, "$.on", "out_of_range")
    assert "on or after the acceptance, 2026-12-01" in str(refused.error)


def test_a_renewal_settles_its_base_deal_on_the_day_of_the_payout():
    """
    The base deal ends on the day of the payout, and its facts stay as of then.
    """
    story = funded().paid_down(60).later(hours=2)
    story = with_acceptance(story.after("request_offers", evidence={"credit_score": 702}))
    story = story.later(days=4)
    paid_on = story.at.date() - 2 * DAY
    after = story.after("fund_deal", on(story, 2))
    base, renewal = after.merchant.deals

    assert (base.ended_on, renewal.funded_on) == (paid_on, paid_on)
    (renewed,) = (event for event in after.journal if isinstance(event, DealRenewed))
    assert (renewed.at, renewed.on) == (story.at, paid_on)
    facts = deal_facts(base, story.at.date())
    assert (
        facts["remaining_term_days"] == deal_facts(deal_of(story), paid_on)["remaining_term_days"]
    )


def test_a_renewal_is_not_funded_before_what_its_base_deal_has():
    """
    What the merchant paid after the payout would have been settled twice, so the day is refused.
    """
    story = funded().paid_down(60).later(hours=2)
    story = with_acceptance(story.after("request_offers", evidence={"credit_score": 702}))
    story = story.later(days=4)
    paid_on = story.at.date() - DAY
    story = story.after("record_remittance", entry(paid_on))

    refused = story.when("fund_deal", on(story, 2))
    invalid(refused, "$.on", "out_of_range")
    assert f"the active deal has something, {paid_on}" in str(refused.error)
    assert deal_of(story.after("fund_deal", on(story, 1)), 0).ended_on == paid_on


def test_a_second_payout_is_not_before_the_first_came_back():
    """
    An application is funded again on the day on which its payout came back, or later.
    """
    story = funded(days=3).later(days=1)
    back = on(story, 1, id="back")
    story = story.after("return_payout", back).after("change_bank_details", {"bank_details": BANK})

    refused = story.when("fund_deal", on(story, 2))
    invalid(refused, "$.on", "out_of_range")
    assert "the end of an earlier deal" in str(refused.error)
    assert deal_of(story.after("fund_deal", on(story, 1))).funded_on == deal_of(story).closed_on


def test_the_terms_are_those_of_the_day_of_the_payout():
    """
    What the jurisdiction fixes at the funding is that of the day of the payout.
    """
    changed = date(2026, 11, 24)  # from which day on a deal of GB can be unwound
    story = accepted(changed - 2 * DAY).on(at(changed + DAY))

    assert deal_of(story.after("fund_deal", on(story, 1))).cooling_off_days == 14
    assert deal_of(story.after("fund_deal", on(story, 2))).cooling_off_days == 0


@pytest.mark.parametrize("status", ["defaulted", "cancelled"])
def test_an_early_end_is_of_the_day_on_which_it_happened(status):
    """
    The deal ends on that day: its term and its performance stay as of then, and so does a waiver.
    """
    story = funded().later(days=40)
    ended_on = story.at.date() - 5 * DAY
    after = story.after("close_deal", on(story, 5, status=status))
    deal = deal_of(after)

    assert deal.ended_on == ended_on
    (event,) = (event for event in after.journal if isinstance(event, DealClosed))
    assert (event.at, event.on) == (story.at, ended_on)
    remaining = deal_facts(deal_of(story), ended_on)["remaining_term_days"]
    assert deal_facts(deal, story.at.date())["remaining_term_days"] == remaining
    assert {entry.on for entry in deal.entries} <= {ended_on}


def test_the_first_and_the_last_day_on_which_an_end_is_recorded():
    """
    An early end is recorded up to a week later, and not of a day before what the deal has.
    """
    story = funded().later(days=40)
    today = story.at.date()
    body = on(story, DAYS_TO_RECORD, status="defaulted")

    assert deal_of(story.after("close_deal", body)).ended_on == today - DAYS_TO_RECORD * DAY
    invalid(story.later(days=1).when("close_deal", body), "$.on", "out_of_range")
    future = on(story, -1, status="defaulted")
    invalid(story.when("close_deal", future), "$.on", "future_day")
    for operation, held in (
        ("record_remittance", entry(today - 2 * DAY)),
        ("pause", on(story, 2)),
        ("change_terms", on(story, 2, term_days=400)),
    ):
        busy = story.after(operation, held)
        refused = busy.when("close_deal", on(story, 3, status="defaulted"))
        invalid(refused, "$.on", "out_of_range")
        assert f"on or after the last of which the deal has something, {today - 2 * DAY}" in str(
            refused.error
        )
        assert deal_of(busy.after("close_deal", on(story, 2, status="defaulted"))).status == (
            "Defaulted"
        )
    new = funded().later(days=1)
    invalid(new.when("close_deal", on(new, 2, status="defaulted")), "$.on", "out_of_range")


def test_a_repetition_changes_nothing_and_another_day_conflicts():
    """
    What is recorded keeps its day: again it changes nothing, however late; another day conflicts.
    """
    story = funded(days=3)
    same = on(story, 3)
    for again in (story, story.later(days=60)):
        for body in ({}, same):
            assert again.when("fund_deal", body).outcome.events == ()
    refused = story.when("fund_deal", on(story, 2)).refused("request_conflict")
    assert "was funded on 2026-12-05, and keeps that day" in str(refused.error)

    story = story.later(days=60)
    same = on(story, 3, status="defaulted")
    story = story.after("close_deal", same)
    for again in (story, story.later(days=60)):
        for body in ({"status": "defaulted"}, same):
            assert again.when("close_deal", body).outcome.events == ()
    other = on(story, 2, status="defaulted")
    refused = story.when("close_deal", other).refused("request_conflict")
    assert "was defaulted on 2027-02-03, and keeps that day" in str(refused.error)


def cancellation(story, money, cancelled, amount=None):
    deal = deal_of(story)
    amount = amount or str(deal.funded_amount.amount)
    fields = {"id": "back", "on": money.isoformat(), "amount": amount}
    return {**fields, "cancelled_on": cancelled.isoformat()} if cancelled else fields


def test_the_day_on_which_the_merchant_cancelled_counts():
    """
    The cooling-off days are counted to the cancellation: an outage costs the merchant none of them.
    """
    story = funded()
    deal = deal_of(story)
    last = deal.funded_on + timedelta(days=deal.cooling_off_days)
    money = last + DAYS_TO_GIVE_BACK * DAY
    story = story.on(at(money))

    body = cancellation(story, money, None)
    story.when("unwind_deal", body).refused("not_possible_now")
    after = story.after("unwind_deal", cancellation(story, money, last))
    (event,) = (event for event in after.journal if isinstance(event, DealUnwound))
    assert (event.at, event.on, event.cancelled_on) == (story.at, money, last)
    assert deal_of(after).ended_on == money
    again = after.when("unwind_deal", cancellation(story, money, last))
    assert again.outcome.events == ()
    late = cancellation(story, money, last + DAY)
    story.when("unwind_deal", late).refused("not_possible_now")


def test_without_its_day_a_cancellation_is_stored_as_before():
    """
    An event without the day of the cancellation has no field for it.
    """
    story = funded().later(days=3)
    money = story.at.date()
    events = [
        wire.event_to_dict(event)
        for cancelled in (None, money)
        for event in story.after("unwind_deal", cancellation(story, money, cancelled)).journal
        if isinstance(event, DealUnwound)
    ]

    assert ["cancelled_on" in event for event in events] == [False, True]
    assert [wire.event_to_dict(wire.event_from_dict(event)) for event in events] == events


def test_a_cancellation_fits_the_funding_and_the_money():
    """
    A merchant cancels after its funding and up to 30 days before the money comes back.
    """
    story = funded()
    deal = deal_of(story)
    money = deal.funded_on + (DAYS_TO_GIVE_BACK + 1) * DAY
    story = story.on(at(money))

    for cancelled in (deal.funded_on, money + DAY):
        refused = story.when("unwind_deal", cancellation(story, money, cancelled))
        invalid(refused, "$.cancelled_on", "out_of_range")
        assert "at most 30 days before it" in str(refused.error)
    body = cancellation(story, deal.funded_on, deal.funded_on - DAY)
    refused = story.when("unwind_deal", body)
    invalid(refused, "$.cancelled_on", "out_of_range")
    assert "on or after the funding" in str(refused.error)


def test_what_a_cancellation_costs_is_a_question():
    """
    Asked with the day of the cancellation, the quote says the same as the operation.
    """
    story = funded()
    deal = deal_of(story)
    last = deal.funded_on + timedelta(days=deal.cooling_off_days)
    money = last + 10 * DAY
    days = {"on": money.isoformat(), "cancelled_on": last.isoformat()}

    assert story.after("unwind_quote", {"on": money.isoformat()}).reply["amount"] is None
    quote = story.after("unwind_quote", days).reply
    assert quote["amount"] == deal.funded_amount.amount
    assert quote["reason"] is None
    wrong = {**days, "cancelled_on": (money + DAY).isoformat()}
    invalid(story.when("unwind_quote", wrong), "$.cancelled_on", "out_of_range")


def test_an_invalid_document_names_its_day_too():
    """
    All errors of a document are reported at once, those of days among them.
    """
    story = accepted().later(days=2)
    body = {"application_id": 7, **on(story, -1)}
    refused = story.when("fund_deal", body)

    invalid(refused, "$.application_id", "wrong_type")
    invalid(refused, "$.on", "future_day")
