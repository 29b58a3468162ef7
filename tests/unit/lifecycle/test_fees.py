"""Fees above the repayment amount: what the terms of a deal allow, and nothing else."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from attrs import evolve

from holdback import Money, Refusal, wire
from holdback.merchant.fee_terms import MOST_FEES
from holdback.operations import (
    Adjust,
    AskRefundable,
    AskStatement,
    ChargeFee,
    CloseDeal,
    LookUp,
    QuoteSettlement,
    RecordRecovery,
    Refund,
    Transfer,
    UnwindDeal,
    WaiveFee,
    WaiveRest,
    WriteOff,
)
from journey import Journey, remembering_engine
from small_folders import loaded

FOLDER = Path(__file__).parents[3] / "jurisdictions" / "GB"
FEES = """
[[products.fees]]
key = "returned_payment"
after = "reversal"
amount = "GBP 15.00"
at_most = "GBP 100.00"
at_most_share = "1%"
source = "policy"

[[products.fees]]
key = "late"
after = "default"
amount = "GBP 25.00"
at_most = "GBP 25.00"
source = "policy"

[[products.fees]]
key = "default_interest"
after = "default"
yearly_rate = "8%"
at_most_share = "20%"
source = "policy"
"""


@cache
def engine_with_fees():
    files = {path.name: path.read_text() for path in FOLDER.glob("*.toml")}
    first = '[[products.rules]]\nid = "identity"'
    text = files["products.toml"]
    files["products.toml"] = text.replace(first, FEES + "\n" + first, 1)
    return remembering_engine(loaded(GB=files), memory_days=400, retry_days=30)


def money(minor):
    return Money.parse(f"GBP {minor // 100}.{minor % 100:02}")


class Fees:
    """A merchant with a deal whose terms allow fees; each state is stored and rebuilt."""

    def __init__(self):
        self.journey = Journey(engine_with_fees())
        self.journey.ask()
        self.journey.accept()
        self.journey.fund()

    @property
    def deal(self):
        return self.journey.deal

    @property
    def owed(self):
        return self.deal.fees_owed.minor

    def do(self, operation):
        before = self.journey.merchant
        outcome = self.journey.engine.carry_out(before, operation, self.journey.context())
        self.journey.merchant = outcome.merchant
        assert wire.read_merchant(wire.write_merchant(outcome.merchant)) == outcome.merchant
        assert self.journey.engine.evolve(before, outcome.events) == outcome.merchant
        statement = self.journey.engine.carry_out(
            outcome.merchant, AskStatement(), self.journey.context()
        ).reply
        assert statement.balances, statement.differences
        return outcome

    def bounce(self, number=1, minor=1_000):
        paid = self.journey.entry(minor, id=f"p-{number}")
        self.journey.remit(paid)
        taken = {"id": f"r-{number}", "on": self.journey.today()}
        self.journey.remit(evolve(paid, **taken, reverses=paid.id, kind="reversal"))
        return f"r-{number}"

    def charge(self, fee="returned_payment", id_="f-1", *, on=None, **given):
        on = on or self.journey.today()
        return self.do(ChargeFee(deal_id=self.deal.id, id=id_, fee=fee, on=on, **given))

    def move(self, kind, minor, id_="m-1", **given):
        on = self.journey.today()
        return self.do(kind(deal_id=self.deal.id, id=id_, on=on, amount=money(minor), **given))


@pytest.fixture
def fees():
    return Fees()


def refused(code, attempt, *given, **named):
    with pytest.raises(Refusal) as refusal:
        attempt(*given, **named)
    assert refusal.value.code == code
    return str(refusal.value)


def test_the_merchant_is_told_with_the_offer(fees):
    """The terms that were accepted are those of the offer, and are kept with the deal."""
    offer = fees.journey.first_offer()
    repayment = offer.repayment_amount.minor
    first = wire.to_dict(fees.journey.acceptance)["offer"]["fees"][0]

    assert fees.deal.fee_terms == offer.fees
    assert first == {
        "key": "returned_payment", "after": "reversal", "amount": money(1_500).amount,
        "yearly_rate": None, "at_most": money(min(10_000, repayment // 100)).amount,
    }  # fmt: skip
    assert offer.fees[2].at_most == money(repayment // 5)


def test_a_fee_is_owed_beside_the_repayment_amount(fees):
    """Balance, progress and what was remitted are those of the repayment amount alone."""
    reversal = fees.bounce()
    before = fees.deal
    receipt = fees.charge(about=reversal).reply

    assert (fees.owed, receipt.balance) == (1_500, before.balance)
    assert (fees.deal.progress, fees.deal.remitted) == (before.progress, before.remitted)
    shown = wire.to_dict(fees.do(LookUp()).reply)["deals"][0]
    assert (shown["fees_owed"], shown["balance"]) == (money(1_500).amount, before.balance.amount)
    assert {
        "id": "f-1", "date": fees.journey.today().isoformat(), "kind": "fee",
        "amount": money(0).amount - money(1_500).amount, "takings": None, "status": "Settled",
        "fee": "returned_payment", "about": reversal,
    } in shown["transactions"]  # fmt: skip


def test_a_charge_that_is_repeated_is_one(fees):
    reversal = fees.bounce()
    fees.charge(about=reversal)

    assert fees.charge(about=reversal).events == ()
    assert fees.charge(about=reversal, amount=money(1_500)).events == ()
    refused("request_conflict", fees.charge, about=reversal, amount=money(1_400))
    refused("request_conflict", fees.charge, "late")
    refused("request_conflict", fees.move, WaiveFee, 1_500, "f-1")


def test_each_reversal_is_charged_once_and_not_before_it(fees):
    first, second = fees.bounce(1), fees.bounce(2)
    paid = fees.journey.entry(100, id="p-9")
    fees.journey.remit(paid)

    assert "names" in refused("fee_not_allowed", fees.charge)
    assert "names" in refused("fee_not_allowed", fees.charge, about="p-9")
    fees.charge(about=first)
    assert "for that reversal" in refused("fee_not_allowed", fees.charge, id_="f-2", about=first)
    fees.charge(id_="f-2", about=second, amount=money(400))
    assert fees.owed == 1_900
    fees.journey.sleep(days=3)
    third = fees.bounce(3)
    early = fees.journey.today().replace(day=fees.journey.today().day - 1)
    assert "from the day" in refused(
        "fee_not_allowed", fees.charge, id_="f-3", on=early, about=third
    )


def test_nothing_is_charged_above_the_fee_and_its_cap(fees):
    """Both ends: the cap exactly, and a minor unit more."""
    cap = fees.deal.fee_terms[0].at_most.minor
    whole, rest = divmod(cap, 1_500)
    for number in range(whole):
        fees.charge(id_=f"f-{number}", about=fees.bounce(number))
    reversal = fees.bounce(99)

    refused("amount_not_possible", fees.charge, id_="x", about=reversal, amount=money(rest + 1))
    fees.charge(id_="f-99", about=reversal)
    assert fees.owed == cap
    refused("fee_not_allowed", fees.charge, id_="f-100", about=fees.bounce(100))
    fees.move(WaiveFee, cap)
    refused("fee_not_allowed", fees.charge, id_="f-100", about="r-100")


def test_only_what_the_accepted_terms_allow(fees):
    reversal = fees.bounce()

    assert "no fee `admin`" in refused("fee_not_allowed", fees.charge, "admin", about=reversal)
    refused("fee_not_allowed", fees.charge, "late")
    assert "the deal is funded" in refused("fee_not_allowed", fees.charge, "default_interest")
    fees.journey.merchant = evolve(fees.journey.merchant, deals=(evolve(fees.deal, fee_terms=()),))
    refused("fee_not_allowed", fees.charge, about=reversal)


def test_a_default_is_charged_once(fees):
    fees.do(CloseDeal(deal_id=fees.deal.id, status="defaulted"))
    refused("fee_not_allowed", fees.charge, "late", about="r-1")
    fees.charge("late")

    assert "once" in refused("fee_not_allowed", fees.charge, "late", "f-2")
    assert fees.owed == 2_500


def test_interest_is_that_of_the_balance_by_day(fees):
    """Simple, 8% a year of 365 days, on the balance at the end of every day, rounded down."""
    fees.do(CloseDeal(deal_id=fees.deal.id, status="defaulted"))
    owed = fees.deal.balance.minor
    refused("fee_not_allowed", fees.charge, "default_interest")
    fees.journey.sleep(days=10)
    fees.move(RecordRecovery, 50_000)
    fees.journey.sleep(days=20)
    first = (owed * 9 + (owed - 50_000) * 21) * 8 // 36_500

    fees.charge("default_interest")
    assert fees.owed == first
    fees.journey.sleep(days=1)
    fees.charge("default_interest", "f-2")
    assert fees.owed == first + (owed - 50_000) * 8 // 36_500


def test_payments_go_to_the_repayment_amount_first(fees):
    """A deal that repaid its amount is repaid, and still owes its fees; more pays them."""
    fees.charge(about=fees.bounce())
    balance = fees.deal.balance.minor
    fees.journey.remit(fees.journey.entry(balance, id="all"))
    assert (fees.deal.status, fees.owed, fees.deal.overpaid.minor) == ("Repaid", 1_500, 0)

    fees.journey.remit(fees.journey.entry(1_600, id="more"))
    assert (fees.owed, fees.deal.overpaid.minor) == (0, 100)
    assert fees.do(AskRefundable()).reply.deals[0].amount == money(100)
    refused("amount_not_possible", fees.move, Refund, 101)
    fees.move(Refund, 100)
    assert (fees.owed, fees.deal.overpaid.minor, fees.deal.progress) == (0, 0, 1_000_000)


def test_a_fee_takes_nothing_that_is_due_to_the_merchant(fees):
    reversal = fees.bounce()
    fees.journey.remit(fees.journey.entry(fees.deal.balance.minor + 1, id="all"))

    assert "first" in refused("fee_not_allowed", fees.charge, about=reversal)


def test_what_bounces_is_owed_again_before_the_fee_is_paid(fees):
    fees.charge(about=fees.bounce())
    paid = fees.journey.entry(fees.deal.balance.minor + 1_500, id="all")
    fees.journey.remit(paid)
    assert fees.owed == 0
    fees.journey.remit(
        evolve(paid, id="back", amount=money(2_000), reverses="all", kind="reversal")
    )

    assert (fees.deal.status, fees.deal.balance.minor, fees.owed) == ("Funded", 500, 1_500)


def test_a_fee_is_waived_by_name(fees):
    fees.charge(about=fees.bounce())

    refused("amount_not_possible", fees.move, WaiveFee, 1_501)
    fees.move(WaiveFee, 1_000)
    assert fees.move(WaiveFee, 1_000).events == ()
    assert fees.owed == 500
    assert [entry.kind for entry in fees.deal.entries][:2] == ["fee", "fee_waiver"]


def test_a_settlement_quote_says_what_is_owed_beside_it(fees):
    fees.charge(about=fees.bounce())
    ask = QuoteSettlement(deal_id=fees.deal.id, on=fees.journey.today())
    quote = fees.do(ask).reply

    assert (quote.fees_owed, quote.amount) == (money(1_500), fees.deal.balance - quote.discount)
    assert wire.to_dict(quote)["fees_owed"] == money(1_500).amount


def test_a_deal_is_undone_or_cancelled_without_fees(fees):
    fees.charge(about=fees.bounce())
    cancel = CloseDeal(deal_id=fees.deal.id, status="cancelled")

    assert "`waive_fee` first" in refused("not_possible_now", fees.do, cancel)
    funded = fees.deal.funded_amount.minor
    assert "`waive_fee` first" in refused("not_possible_now", fees.move, UnwindDeal, funded)
    fees.move(WaiveFee, 1_500)
    fees.do(cancel)
    refused("fee_not_allowed", fees.charge, id_="f-2", about="r-1")


def test_a_default_is_settled_without_fees(fees):
    """Fees are waived by name before the rest is, and a settled deal is charged no more."""
    reversal = fees.bounce()
    fees.do(CloseDeal(deal_id=fees.deal.id, status="defaulted"))
    fees.charge("late")
    owed = fees.deal.balance.minor

    assert "`waive_fee` first" in refused("not_possible_now", fees.move, WaiveRest, owed)
    fees.move(WaiveFee, 2_500, "w-1")
    fees.move(WaiveRest, owed, "w-2")
    assert (fees.deal.status, fees.owed, fees.deal.balance.minor) == ("Settled", 0, 0)
    assert "settled" in refused("fee_not_allowed", fees.charge, id_="f-2", about=reversal)


def test_what_was_written_off_comes_before_a_fee(fees):
    """The repayment amount is first, also the part of it that was given up."""
    fees.do(CloseDeal(deal_id=fees.deal.id, status="defaulted"))
    fees.charge("late")
    owed = fees.deal.balance.minor
    fees.move(WriteOff, owed, "w-1")
    fees.move(RecordRecovery, owed, "m-2")
    assert (fees.deal.written_off.minor, fees.owed) == (0, 2_500)
    fees.move(RecordRecovery, 2_500, "m-3")

    assert (fees.deal.status, fees.owed, fees.deal.overpaid.minor) == ("Recovered", 0, 0)


def test_a_deal_has_a_bounded_number_of_fees(fees):
    """At both ends: the last that fits, and one more."""
    for number in range(MOST_FEES):
        fees.charge(id_=f"f-{number}", about=fees.bounce(number), amount=money(1))

    refused("fee_not_allowed", fees.charge, id_="x", about=fees.bounce(99), amount=money(1))
    assert fees.owed == MOST_FEES


def test_fees_stay_when_older_entries_are_closed(fees):
    """What was charged decides what may still be, for as long as the deal is held."""
    reversal = fees.bounce()
    fees.charge(about=reversal)
    fees.journey.sleep(days=1)
    closed = fees.deal.closed_through(fees.journey.today())

    assert [entry.kind for entry in closed.entries] == ["fee"]
    assert (closed.fees_owed, closed.balance) == (fees.deal.fees_owed, fees.deal.balance)


def test_a_correction_takes_no_payment_of_a_fee(fees):
    fees.charge(about=fees.bounce())
    fees.journey.remit(fees.journey.entry(fees.deal.balance.minor + 1_500, id="all"))

    assert "repayment amount" in refused("not_possible_now", fees.move, Adjust, 100, "a-1")


def test_a_correction_can_be_undone_when_fees_are_paid(fees):
    """
    "A negative one reopens a repaid deal": what paid a fee pays the repayment amount first.
    """
    fees.charge(about=fees.bounce())
    fees.move(Adjust, 5_000, "a-1")
    fees.journey.remit(fees.journey.entry(fees.deal.balance.minor + 1_500, id="all"))
    fees.move(Adjust, -5_000, "a-2")

    assert (fees.deal.status, fees.deal.balance.minor, fees.owed) == ("Funded", 3_500, 1_500)


def test_a_transfer_pays_no_fee_before_what_was_written_off(fees):
    """
    "What is paid pays the repayment amount first, also the part of it that was written off."

    What is given up is recovered by `record_recovery`, which takes it back; a transfer does not.
    """
    overpaid = fees.deal
    fees.journey.remit(fees.journey.entry(overpaid.balance.minor + 2_000, id="twice"))
    fees.journey.ask()
    fees.journey.accept()
    fees.journey.fund()
    fees.do(CloseDeal(deal_id=fees.deal.id, status="defaulted"))
    fees.charge("late")
    fees.move(WriteOff, fees.deal.balance.minor, "w-1")
    given = {"id": "t-1", "on": fees.journey.today(), "amount": money(2_000)}
    transfer = Transfer(from_deal_id=overpaid.id, to_deal_id=fees.deal.id, **given)

    assert "owed on the other deal" in refused("amount_not_possible", fees.do, transfer)


def test_waived_fees_repay_nothing_when_they_are_closed(fees):
    """
    A deal is repaid on the day that completes its repayment amount; a waived fee does not count.
    """
    fees.charge(about=fees.bounce())
    fees.move(WaiveFee, 1_500, "w-1")
    fees.journey.sleep(days=1)
    closing = fees.journey.today()
    fees.journey.sleep(days=1)
    short = fees.journey.today()
    nearly = fees.deal.balance.minor - 1_000
    fees.journey.remit(fees.journey.entry(nearly, id="nearly", on=short))
    fees.journey.sleep(days=1)
    fees.journey.remit(fees.journey.entry(1_000, id="rest", on=fees.journey.today()))

    assert fees.deal.repaid_on != short
    assert fees.deal.closed_through(closing).repaid_on == fees.deal.repaid_on


def test_a_fee_alone_closes_nothing(fees):
    """
    A state closes entries about once a week, and not daily because of a fee that stays.
    """
    fees.charge(about=fees.bounce())
    fees.journey.sleep(days=420)
    fees.bounce(2)
    through = fees.deal.closed_entries.through
    assert fees.deal.entries[0].kind == "fee"
    fees.journey.sleep(days=1)
    fees.bounce(3)

    assert fees.deal.closed_entries.through == through


def test_interest_begins_after_the_closed_entries(fees):
    """
    The balance of a day that is closed is not known by day; that of later days is.
    """
    fees.journey.remit(fees.journey.entry(1_000, id="early"))
    fees.do(CloseDeal(deal_id=fees.deal.id, status="defaulted"))
    owed = fees.deal.balance.minor
    fees.journey.sleep(days=500)
    fees.move(RecordRecovery, 1_000, "m-1")
    through = fees.deal.closed_entries.through
    fees.charge("default_interest", "i-1")

    days = (fees.journey.today() - through).days
    whole = (owed * (days - 1) + (owed - 1_000)) * 8 // (100 * 365)
    assert fees.deal.entry_of("i-1").amount.minor == whole
