"""Statements: what each figure and each line means, in cases that a person can follow."""

from __future__ import annotations

from datetime import date, timedelta

import attrs
import pytest

from every_case import for_every
from holdback import Context, InvalidDocument, Merchant, Money, wire
from holdback.lifecycle.deals.statement import statement_of
from holdback.merchant.ledger import KINDS, Entry
from holdback.merchant.statement import STATEMENT_KINDS, movements, statement_differences
from holdback.operations import AskStatement, RecordRemittance, Refund, Transfer, UnwindDeal
from journey import ENGINE, Journey


def gbp(text):
    return Money.parse(f"GBP {text}")


def funded():
    """A merchant with one deal: 9,600.00 funded, 11,904.00 to repay, on 6 July 2026."""
    journey = Journey()
    journey.ask()
    journey.accept()
    journey.fund()
    assert journey.deal.funded_amount == gbp("9600.00")
    assert journey.deal.repayment_amount == gbp("11904.00")
    return journey


def renewed():
    """A merchant whose first deal of 11,904.00 is paid down by 60% and settled by a renewal."""
    journey = funded()
    journey.pay_down(60)
    journey.ask(renewal=True)
    journey.accept()
    journey.fund()
    return journey


def short(lines):
    """The kind, the amount and the balance of each line, as text."""
    return [
        (line.kind, str(line.amount.amount), line.balance and str(line.balance.amount))
        for line in lines
    ]


def totals(listed):
    return {total.kind: str(total.amount.amount) for total in listed}


def test_a_funding_is_what_was_paid_out_and_what_it_costs():
    """
    The amount that is paid out and the charge raise what is owed to the repayment amount.
    """
    statement = statement_of(funded().merchant)

    (part,) = statement.deals
    assert short(part.lines) == [
        ("disbursement", "-9600.00", "9600.00"),
        ("charge", "-2304.00", "11904.00"),
    ]
    assert (statement.opening, statement.closing) == (gbp("0.00"), gbp("11904.00"))
    assert (statement.paid_out, statement.received) == (gbp("9600.00"), gbp("0.00"))
    assert statement.balances


def test_a_renewal_settles_one_deal_with_the_money_of_another():
    """
    The new funds pay what is left of the base deal; the merchant receives the rest.

    Both deals have the settlement, each with the other as its counterpart; in all it is nothing.
    """
    merchant = renewed().merchant
    statement = statement_of(merchant)

    first, second = statement.deals
    assert short(first.lines)[-1] == ("settlement", "4761.60", "0.00")
    assert short(second.lines) == [
        ("disbursement", "-4838.40", "4838.40"),
        ("settlement", "-4761.60", "9600.00"),
        ("charge", "-1824.00", "11424.00"),
    ]
    assert first.lines[-1].counterpart == second.deal_id
    assert second.lines[1].counterpart == first.deal_id
    assert "settlement" not in totals(statement.totals)
    assert statement.paid_out == gbp("14438.40")
    assert statement.received == gbp("7142.40")
    assert statement.closing == gbp("11424.00")


def test_an_unwound_renewal_is_shown_with_what_it_did():
    """
    The settlement and its undoing are both on the base deal, on their days, and add up to nothing.

    A statement that ends before the undoing is the one that was given then.
    """
    journey = renewed()
    first, second = journey.merchant.deals
    second = attrs.evolve(second, cooling_off_days=14)
    journey.merchant = attrs.evolve(journey.merchant, deals=(first, second))
    before = statement_of(journey.merchant)
    journey.pass_time(days=3)
    principal = {"id": "back", "on": journey.today(), "amount": gbp("4838.40")}
    journey.do(UnwindDeal(deal_id=second.id, **principal))
    after = statement_of(journey.merchant)

    assert [line for line in short(after.deals[0].lines) if line[0] == "settlement"] == [
        ("settlement", "4761.60", "0.00"),
        ("settlement", "-4761.60", "4761.60"),
    ]
    assert totals(after.deals[1].totals) == {
        "disbursement": "-4838.40",
        "charge": "-1824.00",
        "principal_return": "4838.40",
        "charge_cancelled": "1824.00",
    }
    assert after.closing == gbp("4761.60")
    assert after.balances
    then = statement_of(journey.merchant, until=second.funded_on)
    assert [part.lines for part in then.deals] == [part.lines for part in before.deals]
    assert then.closing == before.closing


def test_what_did_not_settle_is_listed_apart():
    """
    An unsettled entry does not count, and neither does what takes it back.
    """
    journey = funded()
    journey.pass_time(days=10)
    journey.remit(journey.entry(5000, id="bounced", settled=False))
    journey.remit(journey.entry(5000, id="back", reverses="bounced"))
    (part,) = statement_of(journey.merchant).deals

    assert [line.id for line in part.unsettled] == ["back", "bounced"]
    assert {line.balance for line in part.unsettled} == {None}
    assert part.closing == gbp("11904.00") == journey.deal.balance
    on = part.unsettled[0].on
    (of_that_day,) = statement_of(journey.merchant, on, on).deals
    (of_the_next,) = statement_of(journey.merchant, on + timedelta(days=1)).deals
    assert (of_that_day.unsettled, of_the_next.unsettled) == (part.unsettled, ())


def test_a_balance_below_zero_is_to_be_refunded():
    """
    What was overpaid is a balance below zero; its refund is money that the merchant got back.
    """
    journey = funded()
    journey.pass_time(days=20)
    journey.remit(journey.entry(1_200_000, id="all"))
    overpaid = statement_of(journey.merchant)
    journey.do(Refund(deal_id=journey.deal.id, id="r", on=journey.today(), amount=gbp("96.00")))
    refunded = statement_of(journey.merchant)

    assert (overpaid.closing.minor, overpaid.received) == (-9600, gbp("12000.00"))
    assert (refunded.closing, refunded.received) == (gbp("0.00"), gbp("11904.00"))


def test_a_period_begins_with_what_was_owed_before_it():
    """
    The opening balance is what is owed before the first day, the closing balance after the last.
    """
    journey = funded()
    journey.pass_time(days=30)
    for day in (10, 11, 20):
        journey.remit(journey.entry(10000, id=f"d-{day}", on=date(2026, 7, day)))
    journey.remit(journey.entry(10000, id="late", on=date(2026, 8, 1)))
    statement = statement_of(journey.merchant, date(2026, 7, 11), date(2026, 7, 20))

    assert (statement.opening, statement.closing) == (gbp("11804.00"), gbp("11604.00"))
    assert [line.id for line in statement.deals[0].lines] == ["d-11", "d-20"]
    assert statement_of(journey.merchant, until=date(2026, 7, 5)).deals == ()
    quiet = statement_of(journey.merchant, date(2026, 7, 21), date(2026, 7, 31))
    assert (quiet.deals[0].lines, quiet.opening, quiet.closing) == (
        (),
        gbp("11604.00"),
        gbp("11604.00"),
    )


def test_a_deal_that_is_over_is_left_out():
    """
    A deal that neither owed anything nor moved in the period is left out.
    """
    merchant = renewed().merchant
    first, second = merchant.deals
    later = statement_of(merchant, second.funded_on + timedelta(days=1))

    assert [part.deal_id for part in later.deals] == [second.id]
    assert first.balance == gbp("0.00")


def closed_merchant():
    """A deal with two entries that are no longer held, up to 20 July, and one that is."""
    journey = funded()
    journey.pass_time(days=30)
    for day in (10, 20, 30):
        journey.remit(journey.entry(10000, id=f"d-{day}", on=date(2026, 7, day)))
    deal = journey.deal.closed_through(date(2026, 7, 20))
    assert [entry.id for entry in deal.entries] == ["d-30"]
    return attrs.evolve(journey.merchant, deals=(deal,))


def test_entries_that_are_no_longer_held_are_carried_forward():
    """
    A statement from a day whose entries are no longer held says so, and begins with the totals.
    """
    (part,) = statement_of(closed_merchant()).deals

    assert part.closed_through == date(2026, 7, 20)
    assert totals(part.carried_forward) == {
        "disbursement": "-9600.00",
        "charge": "-2304.00",
        "remitted": "200.00",
    }
    assert short(part.lines) == [("remittance", "100.00", "11604.00")]
    assert (part.opening, part.closing) == (gbp("0.00"), gbp("11604.00"))


def test_an_entry_of_the_last_closed_day_is_carried_forward_once():
    """
    An entry stays held that a later one takes back; its day is among those carried forward.
    """
    journey = funded()
    journey.pass_time(days=30)
    journey.remit(journey.entry(10000, id="taken-back", on=date(2026, 7, 20)))
    journey.remit(journey.entry(4000, id="back", on=date(2026, 7, 30), reverses="taken-back"))
    deal = journey.deal.closed_through(date(2026, 7, 20))
    assert [entry.id for entry in deal.entries] == ["taken-back", "back"]
    (part,) = statement_of(attrs.evolve(journey.merchant, deals=(deal,))).deals

    assert totals(part.carried_forward)["remitted"] == "100.00"
    assert [line.id for line in part.lines] == ["back"]
    assert part.closing == gbp("11844.00")


@for_every(
    ("since", "until", "opening", "closing"),
    [
        (None, None, "0.00", "11604.00"),
        (date(2026, 7, 6), None, "0.00", "11604.00"),
        (date(2026, 7, 6), date(2026, 7, 20), "0.00", "11704.00"),
        # The balance of 15 July is known from the journal alone.
        (date(2026, 7, 15), None, None, "11604.00"),
        (date(2026, 7, 20), date(2026, 7, 29), None, "11704.00"),
        (None, date(2026, 7, 15), "0.00", None),
        (date(2026, 7, 12), date(2026, 7, 15), None, None),
        # From the day after, every entry is held.
        (date(2026, 7, 21), date(2026, 7, 29), "11704.00", "11704.00"),
    ],
)
def test_a_figure_that_is_not_known_is_none(since, until, opening, closing):
    """
    Unknown is never a wrong figure: it is None, for the deal and in all.
    """
    statement = statement_of(closed_merchant(), since, until)

    expected = tuple(None if text is None else gbp(text) for text in (opening, closing))
    assert (statement.opening, statement.closing) == expected
    assert (statement.deals[0].opening, statement.deals[0].closing) == expected
    assert (statement.totals is None) == (None in expected)
    assert (statement.paid_out is None) == (statement.received is None) == (None in expected)
    assert statement.balances


def moved():
    """A merchant whose first deal was overpaid by 80.00, of which 50.00 was transferred."""
    journey = renewed()
    first, second = journey.merchant.deals
    first = attrs.evolve(first, late_remittances="refund")
    journey.merchant = attrs.evolve(journey.merchant, deals=(first, second))
    journey.pass_time(days=2)
    late = Entry(id="late", on=journey.today(), amount=gbp("80.00"))
    journey.do(RecordRemittance(deal_id=first.id, entries=[late]))
    part = {"id": "t", "on": journey.today(), "amount": gbp("50.00")}
    journey.do(Transfer(from_deal_id=first.id, to_deal_id=second.id, **part))
    return journey.merchant


def without(deal, kind):
    return attrs.evolve(deal, entries=tuple(e for e in deal.entries if e.kind != kind))


def with_figure(deal, name, minor):
    """*deal* with a figure that its entries do not lead to, as an error of the engine would."""
    wrong = attrs.evolve(deal)
    object.__setattr__(wrong, name, Money(minor, deal.repayment_amount.currency))
    return wrong


def broken():
    merchant = moved()
    first, second = merchant.deals
    dollars = attrs.evolve(
        without(second, "transfer"),
        funded_amount=Money.parse("USD 1.00"),
        repayment_amount=Money.parse("USD 1.00"),
        settled=Money.parse("USD 0.00"),
        base_deal_id=None,
        type="Initial",
    )
    elsewhere = attrs.evolve(
        first,
        entries=tuple(
            attrs.evolve(e, counterpart="no-such-deal") if e.kind == "transfer" else e
            for e in first.entries
        ),
    )
    less = attrs.evolve(
        second,
        entries=tuple(attrs.evolve(entry, amount=gbp("49.99")) for entry in second.entries),
    )
    renamed = attrs.evolve(
        second, entries=tuple(attrs.evolve(entry, id="another") for entry in second.entries)
    )
    return merchant, {
        "the halves are two movements": ((first, renamed), "no other half"),
        "the halves differ": ((first, less), "no other half"),
        "the half that came in is lost": ((first, without(second, "transfer")), "no other half"),
        "the half that went out is lost": ((without(first, "transfer"), second), "no other half"),
        "the other deal is unknown": ((elsewhere, second), "not in the statement"),
        "the renewal is lost": ((without(first, "transfer"),), "not in the statement"),
        "a deal's figure is wrong": ((first, with_figure(second, "remitted", 1)), "figures say"),
        "two currencies": ((without(first, "transfer"), dollars), "more than one currency"),
    }


MERCHANT, BROKEN = broken()


@for_every(("deals", "sentence"), BROKEN.values(), ids=list(BROKEN))
def test_what_does_not_balance_is_said(deals, sentence):
    """
    It balances or says so loudly.
    """
    statement = statement_of(attrs.evolve(MERCHANT, deals=deals))

    assert statement_of(MERCHANT).balances
    assert not statement.balances
    assert any(sentence in difference for difference in statement.differences)
    assert wire.to_dict(statement)["balances"] is False


def spoilt():
    """The statement of a deal, each time with one figure that does not follow from the others."""
    (part,) = statement_of(funded().merchant).deals
    line = attrs.evolve(part.lines[0], balance=gbp("9600.01"))
    total = attrs.evolve(part.totals[0], amount=gbp("-9600.01"))
    return {
        "a balance after a line": (attrs.evolve(part, lines=(line, *part.lines[1:])), "expected"),
        "the totals": (attrs.evolve(part, totals=(total, *part.totals[1:])), "the totals lead to"),
        "the opening balance": (attrs.evolve(part, opening=gbp("0.01")), "expected"),
        "a line left out": (attrs.evolve(part, lines=part.lines[:1]), "the lines lead to"),
        "the closing balance": (attrs.evolve(part, closing=gbp("0.01")), "its figures say"),
    }


SPOILT = spoilt()


@for_every(("part", "sentence"), SPOILT.values(), ids=list(SPOILT))
def test_a_figure_that_does_not_follow_is_noticed(part, sentence):
    """
    The check works out every figure again: a mistake in making a statement is noticed, too.
    """
    merchant = funded().merchant
    by_deal = movements(merchant.deals)
    (right,) = statement_of(merchant).deals

    assert list(statement_differences(merchant, [right], by_deal, None)) == []
    differences = list(statement_differences(merchant, [part], by_deal, None))
    assert any(sentence in difference for difference in differences), differences


def test_the_engine_answers_the_question():
    """
    The statement is a question: it has no events, needs no profile, and refuses an empty period.
    """
    journey = funded()
    context = Context(at=journey.now, request_id="s")
    outcome = ENGINE.carry_out(journey.merchant, AskStatement(since=date(2026, 7, 1)), context)

    assert (outcome.events, outcome.merchant) == ((), journey.merchant)
    assert outcome.reply == statement_of(journey.merchant, date(2026, 7, 1))
    with pytest.raises(InvalidDocument, match="on or after `since`"):
        ENGINE.carry_out(
            journey.merchant, AskStatement(since=date(2026, 7, 2), until=date(2026, 7, 1)), context
        )


def test_a_statement_as_json():
    """
    Amounts are numbers with the decimals of the currency, which is named once.
    """
    written = wire.write(statement_of(funded().merchant, until=date(2026, 7, 31)))

    assert written.startswith(
        b'{"merchant_id":"m-1","since":null,"until":"2026-07-31","currency":"GBP","balances":true,'
        b'"differences":[],"opening":0.00,"paid_out":9600.00,"received":0.00,'
        b'"totals":[{"kind":"disbursement","amount":-9600.00},{"kind":"charge","amount":-2304.00}],'
        b'"closing":11904.00,"deals":[{"deal_id":'
    )
    assert b"GBP 9600" not in written


def test_a_merchant_without_deals():
    """
    A merchant that was never funded owes nothing; one that is new does not have a currency yet.
    """
    journey = Journey()
    new = statement_of(Merchant.new(partner="acme", merchant_id="m-2", jurisdiction="GB"))
    journey.ask()
    offered = statement_of(journey.merchant)

    assert (new.currency, new.closing, new.balances) == (None, None, True)
    assert (offered.currency, offered.closing, offered.deals) == ("GBP", gbp("0.00"), ())


def test_every_kind_has_a_place_in_the_totals():
    """
    A kind that the ledger gets has to be in the totals, or they would not add up.
    """
    assert set(KINDS) < set(STATEMENT_KINDS)
    assert len(set(STATEMENT_KINDS)) == len(STATEMENT_KINDS)
