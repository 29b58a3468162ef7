"""A payout that comes back: the funding is undone, and the same application is funded again."""

from __future__ import annotations

import pytest

from good_evidence import GOOD_EVIDENCE
from holdback import Context, Engine, wire
from holdback.eligibility.derived_facts import deal_counts
from holdback.lifecycle.configuration import MEMORY_DAYS, RETRY_DAYS
from holdback.lifecycle.deals.statement import statement_of
from holdback.lifecycle.events import PayoutReturned
from holdback.operations import FundDeal
from holdback.testing import given

# What checks of a jurisdiction's own find, or another currency's takings.
MORE_EVIDENCE = {
    "AU": {"register_defaults": 0, "register_entry_active": True},
    "DE": {"register_entries": 0},
    "JP": {"average_monthly_takings": "4000000"},
}
BANKS = {
    "AU": {"account_number": "12345678", "bsb": "062-000"},
    "CA": {
        "institution_number": "001",
        "transit_number": "12345",
        "account_number": "1234567",
    },
    "DE": {"iban": "DE89370400440532013000"},
    "GB": {"account_number": "12345678", "sort_code": "10-20-30"},
    "IE": {"iban": "IE29AIBK93115212345678"},
    "JP": {"bank_code": "0001", "branch_code": "001", "account_number": "1234567"},
    "US": {"account_number": "123456789", "routing_number": "021000021"},
}
ENGINE = Engine.for_trial()
CORRECTED = {"account_number": "87654321"}


def bank(story):
    return BANKS[story.merchant.jurisdiction[:2]]


def funded(jurisdiction="GB"):
    """A merchant with a deal of the day 3 December 2026."""
    evidence = GOOD_EVIDENCE | MORE_EVIDENCE.get(jurisdiction, {})
    story = given(ENGINE, jurisdiction=jurisdiction, at="2026-12-01T15:00:00Z", evidence=evidence)
    story = accepted(story.after("request_offers"))
    if story.merchant.in_fulfilment.signature_before is not None:
        story = story.after("record_signature", {"document": "contract-1", "digest": "d-1"})
    return story.on("2026-12-03T15:00:00Z").after("fund_deal")


def accepted(story):
    """The last offer, accepted."""
    offers = [offer for product in story.reply["products"] for offer in product["offers"]]
    body = {"offer_id": offers[-1]["offer_id"], "bank_details": bank(story)}
    return story.after("accept_offer", body)


def renewed():
    """A renewal that has settled the deal before it."""
    story = funded().paid_down(60).later(hours=2)
    story = story.after("request_offers", evidence={"credit_score": 702})
    return accepted(story).later(hours=1).after("fund_deal")


def back(story, id_="back-1", **more):
    """The body about a payout that came back today."""
    deal, on = story.merchant.deals[-1], story.at.date().isoformat()
    return {"deal_id": deal.id, "id": id_, "on": on, **more}


def returned(story, **more):
    return story.after("return_payout", back(story, **more))


def corrected(story):
    details = {"bank_details": bank(story) | CORRECTED} if "iban" not in bank(story) else None
    return story.after("change_bank_details", details or {"bank_details": bank(story)})


@pytest.mark.parametrize("jurisdiction", sorted(j.code for j in ENGINE.jurisdictions))
def test_the_same_application_is_funded_again_in_every_jurisdiction(jurisdiction):
    """
    On a day long after cooling off the funding is undone, and with corrected bank details the
    application is funded with the terms that were promised, as another deal.
    """
    first = funded(jurisdiction).later(days=60)
    story = returned(first)
    (deal,) = story.merchant.deals
    assert (deal.status, deal.balance.minor, deal.overpaid.minor) == ("Unwound", 0, 0)
    waiting = story.merchant.in_fulfilment
    assert (waiting.status, waiting.deal_id) == ("awaiting_details", None)
    assert waiting.lapses_at > story.at
    story.when("fund_deal", {"application_id": waiting.application_id}).refused("not_possible_now")

    story = corrected(story.later(days=1))
    assert story.merchant.in_fulfilment.status == "submitted"
    story = story.after("fund_deal")

    old, new = story.merchant.deals
    assert new.id != old.id
    assert new.status == "Funded"
    assert new.funded_on > old.closed_on
    for term in ("application_id", "funded_amount", "repayment_amount", "term_days", "factor_rate"):
        assert getattr(new, term) == getattr(old, term)
    assert story.merchant.fulfilments[-1].deal_id == new.id
    assert wire.read_merchant(wire.write_merchant(story.merchant)) == story.merchant
    assert ENGINE.rebuild(story.journal) == story.merchant


def test_the_details_may_have_been_right():
    """
    The same bank details confirm the account, when the bank had made the mistake.
    """
    story = returned(funded())

    story = story.after("change_bank_details", {"bank_details": bank(story)})

    assert story.merchant.in_fulfilment.status == "submitted"
    again = story.after("change_bank_details", {"bank_details": bank(story)})
    assert again.journal == story.journal


def test_a_partner_may_supply_the_details_again():
    """
    Details that are supplied again count as corrected or confirmed too; without any it waits.
    """
    story = returned(funded())
    about = {"application_id": story.merchant.in_fulfilment.application_id}
    for details in (bank(story), bank(story) | CORRECTED):
        supplied = story.after("supply_details", about | {"details": {"bank_details": details}})
        assert supplied.merchant.in_fulfilment.status == "submitted"
        again = supplied.after("supply_details", about | {"details": {"bank_details": details}})
        assert again.journal == supplied.journal
    other = {"details": {"bank_details": bank(story) | {"account_number": "11111111"}}}
    supplied.when("supply_details", about | other).refused("request_conflict")


def test_money_out_and_back_are_in_the_statement():
    """
    The statement shows what was paid out and what came back, and the merchant received nothing.
    """
    story = returned(funded().later(days=5))
    statement = statement_of(story.merchant)

    (deal,) = statement.deals
    amounts = {line.kind: line.amount.amount for line in deal.lines}
    assert set(amounts) == {"disbursement", "charge", "payout_return", "charge_cancelled"}
    assert amounts["payout_return"] == -amounts["disbursement"]
    assert amounts["charge_cancelled"] == -amounts["charge"]
    assert statement.balances
    assert statement.paid_out.minor == statement.received.minor == statement.closing.minor == 0


def test_the_base_deal_of_a_renewal_lives_again():
    """
    What was settled is owed again, and the days in between count as a pause.
    """
    before = renewed()
    settled = before.merchant.deals[0].settled
    assert settled.minor

    story = returned(before.later(days=7))

    base, renewal = story.merchant.deals
    assert (base.status, base.balance, base.settled.minor) == ("Funded", settled, 0)
    assert [(pause.until - pause.on).days for pause in base.pauses] == [7]
    assert renewal.entry_of("back-1").amount == renewal.funded_amount - settled
    assert statement_of(story.merchant).balances
    event = next(e for e in story.journal if isinstance(e, PayoutReturned))
    assert event.base_deal_id == base.id


def test_a_renewal_is_funded_again_on_the_day_on_which_it_came_back():
    """
    The base deal is settled again, and the statement balances on a day with all of it.
    """
    story = returned(renewed())
    story = corrected(story.later(hours=1)).after("fund_deal")

    base, first, second = story.merchant.deals
    assert [d.status for d in (base, first, second)] == ["Renewed", "Unwound", "Funded"]
    assert second.base_deal_id == base.id
    statement = statement_of(story.merchant)
    assert statement.balances, statement.differences
    settled = [line for line in statement.deals[0].lines if line.kind == "settlement"]
    assert [line.counterpart for line in settled] == [first.id, first.id, second.id]
    assert [line.amount.minor > 0 for line in settled] == [True, False, True]

    twice = returned(story.later(days=3), id_="back-2")
    assert twice.merchant.deals[0].status == "Funded"
    assert statement_of(twice.merchant).balances
    third = corrected(twice).after("fund_deal").merchant.deals[-1]
    assert len({first.id, second.id, third.id}) == 3


def test_no_fact_counts_a_returned_payout():
    """
    No rule sees that there was a deal: it is neither completed, nor defaulted, nor cancelled.
    """
    story = returned(funded().later(days=5))

    assert set(deal_counts(story.merchant, None).values()) == {0}


def test_the_retry_of_the_first_funding_has_its_first_reply():
    """
    The first request to fund, sent again after the payout came back, funds nothing.
    """
    story = funded()
    application_id = story.merchant.fulfilments[-1].application_id
    request_id = story.journal[-1].request_id
    first = story.merchant.deals[-1].id
    story = corrected(returned(story.later(days=2)))
    context = Context(at=story.at, request_id=request_id)

    again = ENGINE.carry_out(story.merchant, FundDeal(application_id=application_id), context)

    assert again.events == ()
    assert again.reply.deal_id == first
    assert again.reply.balance.minor


def test_a_late_retry_of_the_first_funding_pays_nothing_out():
    """
    The first request to fund, sent again when it is no longer remembered, funds no second deal.
    """
    story = funded()
    request_id = story.journal[-1].request_id
    story = corrected(returned(story.later(days=20)))
    for _ in range(RETRY_DAYS - 10):
        story = story.later(days=1)
        through = story.at.date().isoformat()
        story = story.after("record_takings", {"takings": [], "complete_through": through})
    assert story.merchant.request_of(request_id) is None

    again = story.when("fund_deal", request_id=request_id).nothing()

    assert again.outcome.reply.deal_id == story.merchant.deals[0].id
    assert story.merchant.in_fulfilment is not None
    assert story.after("fund_deal").merchant.active_deal is not None


def test_it_happens_once():
    """
    The same return under another request id changes nothing; another under its id conflicts.
    """
    story = returned(funded().later(days=2))

    assert returned(story).journal == story.journal
    earlier = back(story, on="2026-12-04")
    story.when("return_payout", earlier).refused("request_conflict")
    story.when("return_payout", back(story, "back-2")).refused("not_possible_now")


def test_not_after_the_first_entry():
    """
    Once something was paid, the deal is unwound, or its money is put right.
    """
    story = funded().later(days=2)
    entry = {"id": "e-1", "on": "2026-12-04", "amount": "1.00", "settled": False}
    about = {"deal_id": story.merchant.deals[-1].id}
    paid = story.after("record_remittance", about | {"entries": [entry]})

    refusal = paid.when("return_payout", back(paid)).refused("not_possible_now")
    assert "unwind_deal" in str(refusal)


def test_a_default_is_undone_first():
    """
    A merchant that never had the money did not default: the default is undone, then the funding.
    """
    story = funded().later(days=90)
    about = {"deal_id": story.merchant.deals[-1].id}
    story = story.after("close_deal", about | {"status": "defaulted"})

    refusal = story.when("return_payout", back(story)).refused("not_possible_now")
    assert "reinstate_deal" in str(refusal)
    assert returned(story.after("reinstate_deal", about)).merchant.in_fulfilment is not None


def test_on_hold_it_is_recorded_and_not_funded_again():
    """
    A hold stops no servicing; the application has its days from the end of the hold.
    """
    story = funded().later(days=2).after("place_hold", {"code": "fraud", "by": "ann"})
    story = corrected(returned(story.later(days=3)))
    application = {"application_id": story.merchant.in_fulfilment.application_id}
    story.when("fund_deal", application).refused("referred")
    days = ENGINE.jurisdictions.resolve("GB", on=story.at.date()).acceptance_days

    lifted = story.later(days=1).after("lift_hold", {"code": "fraud", "by": "ann"})

    assert lifted.merchant.in_fulfilment.lapses_at == story.at.add(days=days + 1)
    assert lifted.after("fund_deal").merchant.active_deal is not None


def test_an_application_that_is_not_funded_again_lapses():
    """
    It lapses `acceptance_days` after the payout came back.
    """
    story = corrected(returned(funded().later(days=2)))
    days = ENGINE.jurisdictions.resolve("GB", on=story.at.date()).acceptance_days
    application = {"application_id": story.merchant.in_fulfilment.application_id}

    assert story.later(days=days, seconds=-1).after("fund_deal").merchant.active_deal is not None
    refusal = story.later(days=days).when("fund_deal", application).refused("not_possible_now")
    assert "lapsed" in str(refusal)


def test_an_application_that_is_forgotten_is_not_brought_back():
    """
    After `memory_days` the funding is undone all the same, and the merchant applies again.
    """
    story = funded().later(days=MEMORY_DAYS + 40, sure=True)
    on = story.at.date().isoformat()
    story = story.after("record_takings", {"takings": [{"on": on, "amount": "1.00"}]})
    assert story.merchant.fulfilments == ()

    story = returned(story)

    assert story.merchant.deals[-1].status == "Unwound"
    assert story.merchant.in_fulfilment is None
    assert ENGINE.rebuild(story.journal) == story.merchant


def test_a_queued_renewal_waits_again():
    """
    A queued renewal settled nothing: its base deal stays repaid, and the renewal is funded again.
    """
    story = given(ENGINE, jurisdiction="US", at="2026-12-01T15:00:00Z", evidence=GOOD_EVIDENCE)
    offers = story.after("request_offers")
    offer = offers.reply["products"][1]["offers"][0]
    body = {"offer_id": offer["offer_id"], "bank_details": BANKS["US"]}
    story = offers.after("accept_offer", body).later(days=2).after("fund_deal").paid_down(70)
    story = story.later(hours=2).after("request_offers", evidence={"credit_score": 702})
    offer = story.reply["products"][1]["offers"][0]
    story = story.after("accept_offer", {"offer_id": offer["offer_id"]})
    base = story.merchant.deals[0]
    on = story.at.date().isoformat()
    entry = {"id": "last", "on": on, "amount": str(base.balance.amount)}
    story = story.after("record_remittance", {"deal_id": base.id, "entries": [entry]})
    story = story.after("fund_deal").later(days=3)

    story = returned(story)

    assert [deal.status for deal in story.merchant.deals] == ["Repaid", "Unwound"]
    assert story.merchant.in_fulfilment.queued
    assert story.merchant.in_fulfilment.lapses_at is not None
    story = corrected(story).after("fund_deal")
    assert [deal.status for deal in story.merchant.deals] == ["Repaid", "Unwound", "Funded"]


# -- What it would cost is a question.


def test_what_has_to_come_back_is_a_question():
    """
    `unwind_quote` says the principal, and until when; later it says why not.
    """
    story = funded().later(days=2)
    deal = story.merchant.deals[-1]

    quote = story.after("unwind_quote", {"deal_id": deal.id, "on": "2026-12-05"})

    assert quote.reply == {
        "deal_id": deal.id,
        "on": "2026-12-05",
        "amount": deal.funded_amount.amount,
        "currency": "GBP",
        "until": "2026-12-17",
        "reason": None,
    }
    assert quote.journal == story.journal
    late = story.after("unwind_quote", {"deal_id": deal.id, "on": "2026-12-18"}).reply
    assert (late["amount"], late["until"]) == (None, "2026-12-17")
    assert "14 days" in late["reason"]
    story.when("unwind_quote", {"deal_id": deal.id, "on": "2026-12-02"}).invalid("$.on")
    story.when("unwind_quote", {"deal_id": "d-9", "on": "2026-12-05"}).refused("deal_not_found")


def test_a_deal_without_cooling_off_days_has_no_last_day():
    """
    Where no deal can be unwound, the question says so.
    """
    story = funded("US")
    about = {"deal_id": story.merchant.deals[-1].id, "on": "2026-12-03"}

    reply = story.after("unwind_quote", about).reply

    assert (reply["amount"], reply["until"]) == (None, None)
    assert "0 days" in reply["reason"]


def test_what_is_due_to_the_merchant_is_a_question():
    """
    `refundable` lists each deal that is overpaid, with the amount that `refund` takes at most.
    """
    story = funded()
    deal = story.merchant.deals[-1]
    assert story.after("refundable").reply == {"deals": []}
    entry = {"id": "e-1", "on": "2026-12-03", "amount": str(deal.balance.amount + 12)}

    story = story.after("record_remittance", {"deal_id": deal.id, "entries": [entry]})

    owed = {"deal_id": deal.id, "amount": 12, "currency": "GBP"}
    assert story.after("refundable").reply == {"deals": [owed]}
