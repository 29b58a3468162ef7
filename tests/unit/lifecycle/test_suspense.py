"""Cash without a deal: "every minor unit is accounted for" holds of every unit that arrives."""

from __future__ import annotations

from datetime import timedelta

import pytest

from holdback import Entry, InvalidDocument, Money, Refusal, wire
from holdback.lifecycle.forgetting import MOST_IN_SUSPENSE, SUSPENSE_DAYS
from holdback.merchant.suspense import MOST_OPEN
from holdback.operations import (
    ApplySuspense,
    AskStatement,
    CloseDeal,
    EraseProfile,
    RecordRemittance,
    RecordSuspense,
    ReturnSuspense,
    WriteOff,
)


def money(minor, currency="GBP"):
    return Money.parse(f"{currency} {minor // 100}.{minor % 100:02}")


class Cash:
    """A merchant, and what is recorded of its cash; each state is stored and rebuilt."""

    def __init__(self, journey):
        self.journey = journey
        self.events = ()

    def do(self, operation):
        before = self.journey.merchant
        outcome = self.journey.engine.carry_out(before, operation, self.journey.context())
        self.events = (*self.events, *outcome.events)
        self.journey.merchant = outcome.merchant
        assert wire.read_merchant(wire.write_merchant(outcome.merchant)) == outcome.merchant
        assert self.journey.engine.evolve(before, outcome.events) == outcome.merchant
        return outcome

    def record(self, id_, minor, *, on=None):
        on = on or self.journey.today()
        return self.do(RecordSuspense(id=id_, on=on, amount=money(minor)))

    def apply(self, of, id_, minor, *, deal=None):
        deal = deal or self.journey.deal
        moved = {"id": id_, "on": self.journey.today(), "amount": money(minor)}
        return self.do(ApplySuspense(suspense_id=of, deal_id=deal.id, **moved))

    def send_back(self, of, id_, minor, kind="refund"):
        moved = {"id": id_, "on": self.journey.today(), "amount": money(minor)}
        return self.do(ReturnSuspense(suspense_id=of, kind=kind, **moved))

    def statement(self, **period):
        return self.do(AskStatement(**period)).reply

    @property
    def held(self):
        return {id_: left.minor for id_, left in self.journey.merchant.suspense.held.items()}


@pytest.fixture
def cash(journey):
    """A merchant without a deal, of which nothing is known yet."""
    return Cash(journey)


@pytest.fixture
def owing(funded):
    """A merchant with a deal."""
    return Cash(funded)


def refused(code, attempt, *given, **named):
    with pytest.raises(Refusal) as refusal:
        attempt(*given, **named)
    assert refusal.value.code == code
    return refusal.value


def test_cash_may_be_the_first_that_is_known_of_a_merchant(cash):
    """It is recorded of a merchant without a deal, and its journal begins with it."""
    outcome = cash.record("c-1", 25_000)

    assert wire.to_dict(outcome.reply) == {
        "suspense_id": "c-1", "sequence": 1, "left": money(25_000).amount, "currency": "GBP",
    }  # fmt: skip
    assert cash.journey.engine.rebuild(cash.events) == cash.journey.merchant
    statement = cash.statement()
    assert (statement.received, statement.closing) == (money(25_000), money(0) - money(25_000))
    assert statement.balances


def test_the_refusal_of_a_closed_deal_says_what_to_do(owing):
    """Cash for a deal that is closed to entries is recorded, and then applied to that deal."""
    cash, deal = owing, owing.journey.deal
    cash.do(CloseDeal(deal_id=deal.id, status="defaulted"))
    cash.journey.sleep(days=500)
    entry = Entry(id="p-1", on=cash.journey.today(), amount=deal.balance)

    late = RecordRemittance(deal_id=deal.id, entries=[entry])
    assert "`record_suspense`" in str(refused("deal_closed_to_entries", cash.do, late))
    cash.record("p-1", deal.balance.minor)
    cash.apply("p-1", "p-1-deal", deal.balance.minor)

    assert (cash.journey.deal.status, cash.held) == ("Recovered", {})
    assert cash.journey.deal.entries[-1].kind == "recovery"
    assert cash.statement().balances


def test_cash_pays_a_deal_as_a_payment_does(owing):
    """A part leaves the rest in suspense; all that is owed makes the deal repaid."""
    cash, owed = owing, owing.journey.deal.balance.minor
    cash.record("c-1", owed + 500)

    assert cash.apply("c-1", "a-1", 100).reply.balance.minor == owed - 100
    assert cash.journey.deal.entries[-1].kind == "payment"
    cash.apply("c-1", "a-2", owed - 100)

    assert (cash.journey.deal.status, cash.journey.deal.overpaid.minor) == ("Repaid", 0)
    assert cash.held == {"c-1": 500}


def test_what_was_written_off_comes_in_after_all(owing):
    """It takes the write-off back, and is not an overpayment."""
    cash, deal = owing, owing.journey.deal
    cash.do(CloseDeal(deal_id=deal.id, status="defaulted"))
    written_off = {"id": "w-1", "on": cash.journey.today(), "amount": deal.balance}
    cash.do(WriteOff(deal_id=deal.id, **written_off))
    cash.record("c-1", deal.balance.minor + 1)

    refused("amount_not_possible", cash.apply, "c-1", "a-1", deal.balance.minor + 1)
    cash.apply("c-1", "a-1", deal.balance.minor)

    after = cash.journey.deal
    assert (after.status, after.written_off.minor, after.overpaid.minor) == ("Recovered", 0, 0)


def test_no_more_is_taken_than_came_in_and_is_owed(owing):
    """The amount may be a part, and never more than is left of the cash or owed on the deal."""
    cash, owed = owing, owing.journey.deal.balance.minor
    cash.record("c-1", owed + 1_000)
    cash.record("c-2", 1_000)

    refused("amount_not_possible", cash.apply, "c-1", "a-1", owed + 1)
    refused("amount_not_possible", cash.apply, "c-2", "a-1", 1_001)
    refused("amount_not_possible", cash.send_back, "c-2", "b-1", 1_001)
    refused("suspense_not_found", cash.send_back, "c-3", "b-1", 1)
    for kind in ("refund", "reversal", "transfer"):
        cash.send_back("c-2", f"b-{kind}", 250, kind)
    refused("suspense_not_found", cash.send_back, "b-refund", "b-1", 1)

    assert cash.held == {"c-1": owed + 1_000, "c-2": 250}
    statement = cash.statement()
    assert {total.kind: total.amount.minor for total in statement.suspense.totals} == {
        "suspense": owed + 2_000,
        "suspense_refund": -250,
        "suspense_reversal": -250,
        "suspense_transfer": -250,
    }


def test_a_repetition_is_nothing_and_another_content_a_conflict(owing):
    """Idempotent by the id of the entry, in any later request."""
    cash, day = owing, owing.journey.today()
    cash.record("c-1", 1_000)
    cash.record("c-2", 1_000)
    cash.apply("c-1", "a-1", 400)
    cash.send_back("c-1", "b-1", 300)
    cash.journey.pass_time(days=1)

    for operation in (
        RecordSuspense(id="c-1", on=day, amount=money(1_000)),
        ApplySuspense(
            suspense_id="c-1", deal_id=cash.journey.deal.id, id="a-1", on=day, amount=money(400)
        ),
        ReturnSuspense(suspense_id="c-1", kind="refund", id="b-1", on=day, amount=money(300)),
    ):
        assert cash.do(operation).events == ()
    for operation in (
        RecordSuspense(id="c-1", on=day, amount=money(1_001)),
        RecordSuspense(id="b-1", on=day, amount=money(300)),
        ReturnSuspense(suspense_id="c-1", kind="reversal", id="b-1", on=day, amount=money(300)),
        ReturnSuspense(suspense_id="c-2", kind="refund", id="b-1", on=day, amount=money(300)),
        ReturnSuspense(suspense_id="c-1", kind="refund", id="a-1", on=day, amount=money(400)),
    ):
        refused("request_conflict", cash.do, operation)
    assert cash.held == {"c-1": 300, "c-2": 1_000}


def test_a_payment_of_the_deal_is_not_one_from_suspense(owing):
    """The id of a payment that came in otherwise is not taken for cash that was applied."""
    cash = owing
    entry = Entry(id="p-1", on=cash.journey.today(), amount=money(400), kind="payment")
    cash.do(RecordRemittance(deal_id=cash.journey.deal.id, entries=[entry]))
    cash.record("c-1", 400)

    refused("request_conflict", cash.apply, "c-1", "p-1", 400)
    assert cash.held == {"c-1": 400}


def test_cash_that_was_applied_bounces_on_the_deal(owing):
    """The bank takes it back from where it went: the payment is reversed, suspense stays."""
    cash, owed = owing, owing.journey.deal.balance.minor
    cash.record("c-1", 1_000)
    cash.apply("c-1", "a-1", 1_000)
    back = Entry(id="x-1", on=cash.journey.today(), amount=money(1_000), reverses="a-1")

    cash.do(RecordRemittance(deal_id=cash.journey.deal.id, entries=[back]))

    statement = cash.statement()
    assert (cash.journey.deal.balance.minor, statement.received.minor) == (owed, 0)
    assert (statement.balances, cash.held) == (True, {})


@pytest.mark.parametrize(
    ("on", "minor", "code"),
    [(1, 100, "future_day"), (0, 0, "out_of_range"), (-2, 100, "out_of_range")],
)
def test_an_invalid_day_or_amount_is_named(cash, on, minor, code):
    """No day after today, none before that of the cash, and no amount that is nothing."""
    cash.record("c-1", 100)
    day = cash.journey.today() + timedelta(days=on)
    moved = {"id": "b-1", "on": day, "amount": money(minor)}

    with pytest.raises(InvalidDocument) as error:
        cash.do(ReturnSuspense(suspense_id="c-1", kind="refund", **moved))
    assert [detail.code for detail in error.value.errors] == [code]


def test_no_cash_of_another_currency_is_mixed_in(cash):
    """An account has one currency, that of the jurisdiction."""
    of_euros = RecordSuspense(id="c-1", on=cash.journey.today(), amount=money(100, "EUR"))

    with pytest.raises(InvalidDocument, match="expected an amount in GBP"):
        cash.do(of_euros)


def test_an_erasure_waits_for_cash_that_is_held(cash):
    """The profile says to whom it goes back; refused like a refund that is due."""
    cash.record("c-1", 100)
    journey = cash.journey

    def erase():
        profile = {"profile": journey.profile}
        journey.engine.carry_out(journey.merchant, EraseProfile(), journey.context(), **profile)

    assert "suspense" in str(refused("erasure_not_possible", erase))
    cash.send_back("c-1", "b-1", 100)
    erase()


# What the state forgets, and that nothing is counted twice or lost by it.


def test_used_cash_is_forgotten_and_never_counted_again(cash):
    """
    Totals are kept, and what comes again after it was forgotten is refused.
    """
    day = cash.journey.today()
    cash.record("c-1", 1_000)
    cash.send_back("c-1", "b-1", 1_000)
    cash.record("c-2", 500)
    cash.send_back("c-2", "b-2", 200)
    cash.journey.sleep(days=408)
    cash.record("c-3", 70)

    suspense = cash.journey.merchant.suspense
    assert [entry.id for entry in suspense.entries] == ["c-2", "c-3"]
    assert cash.held == {"c-2": 300, "c-3": 70}
    cash.journey.pass_time(days=1)
    refused("suspense_closed", cash.do, RecordSuspense(id="c-1", on=day, amount=money(1_000)))
    for of, id_, minor, code in (
        ("c-1", "b-1", 1_000, "suspense_not_found"), ("c-2", "b-2", 200, "suspense_closed"),
    ):  # fmt: skip
        back = ReturnSuspense(suspense_id=of, kind="refund", id=id_, on=day, amount=money(minor))
        refused(code, cash.do, back)
    assert cash.do(RecordSuspense(id="c-2", on=day, amount=money(500))).events == ()
    cash.record("found-late", 1_000)
    statement = cash.statement()
    assert (statement.balances, statement.received.minor) == (True, 1_370)


def test_cash_is_remembered_as_long_as_anything(cash):
    """For `memory_days` (400), and at most a week longer."""
    cash.record("c-1", 1_000)
    cash.send_back("c-1", "b-1", 1_000)
    cash.journey.sleep(days=399)
    cash.record("c-2", 10)
    assert cash.journey.merchant.suspense.closed is None
    cash.journey.pass_time(days=8)
    cash.record("c-3", 10)
    assert cash.journey.merchant.suspense.closed is not None


@pytest.mark.parametrize("more", [0, 1])
def test_of_too_many_open_receipts_the_oldest_are_one(cash, more):
    """No merchant is refused for them: the sum stays, and can be returned."""
    for number in range(MOST_OPEN + more):
        cash.record(f"c-{number:02}", 100 + number)
    cash.send_back("c-00", "b-1", 40)
    cash.send_back("c-01", "b-2", 50)
    before = sum(cash.held.values())
    cash.journey.sleep(days=410)
    cash.record("new", 1)

    assert len(cash.held) == MOST_OPEN + 1
    assert sum(cash.held.values()) == before + 1
    if more:
        assert cash.held["c-00"] == 60 + 51
        assert "c-01" not in cash.held
        cash.send_back("c-00", "b-3", 111)
    assert cash.statement().balances


@pytest.mark.parametrize(("days", "held"), [(SUSPENSE_DAYS - 1, 1.5), (SUSPENSE_DAYS + 1, 1)])
def test_of_too_many_entries_those_of_the_last_days_are_held(cash, days, held):
    """Many small receipts in one season do not fill a state, nor close the days just passed."""
    for number in range(MOST_IN_SUSPENSE * 3 // 4):
        cash.record(f"c-{number}", 100)
        cash.send_back(f"c-{number}", f"b-{number}", 100)
    cash.journey.sleep(days=days)
    cash.record("new", 1)

    count = len(cash.journey.merchant.suspense.entries)
    assert count == (MOST_IN_SUSPENSE * 1.5 + 1 if held > 1 else 1)
    assert cash.journey.merchant.suspense.balance == 1
    assert (cash.journey.merchant.suspense.closed is None) == (held > 1)


@pytest.mark.parametrize("more", [0, 1])
def test_at_the_bound_cash_is_taken_and_what_is_used_closes(cash, more):
    """
    "Suspense has bounds that are tested at both ends": up to `MOST_IN_SUSPENSE` entries all are
    held; with one more, used cash older than `SUSPENSE_DAYS` closes. Nothing is refused or lost.
    """
    cash.record("open", 700)
    for number in range(MOST_IN_SUSPENSE // 2 - 1):
        cash.record(f"c-{number}", 100)
        cash.send_back(f"c-{number}", f"b-{number}", 100)
    cash.journey.sleep(days=SUSPENSE_DAYS + 1)
    cash.record("new", 100)
    if more:
        cash.send_back("new", "back", 40)
        cash.journey.sleep(days=1)
        cash.record("newer", 5)
    suspense, statement = cash.journey.merchant.suspense, cash.statement()

    assert len(suspense.entries) == (4 if more else MOST_IN_SUSPENSE)
    assert (suspense.closed is not None) == bool(more)
    assert cash.held == {"open": 700, "new": 60, "newer": 5} if more else {"open": 700, "new": 100}
    received = 700 + 100 * (MOST_IN_SUSPENSE // 2 - 1) + 100 + 5 * more
    assert (statement.balances, statement.received.minor) == (
        True, received - 100 * (MOST_IN_SUSPENSE // 2 - 1) - 40 * more
    )  # fmt: skip
    cash.send_back("open", "last", 700)
    assert "open" not in cash.held


def test_a_statement_of_a_period_has_what_was_held_before_and_after(cash):
    """Opening and closing balances, in any period; unknown where entries are gone."""
    start = cash.journey.today()
    cash.record("c-1", 1_000)
    cash.journey.pass_time(days=10)
    cash.send_back("c-1", "b-1", 300)
    tenth = cash.journey.today()

    def balances(**period):
        part = cash.statement(**period).suspense
        return [None if one is None else one.minor for one in (part.opening, part.closing)]

    assert balances() == [0, -700]
    assert balances(until=start) == [0, -1_000]
    assert balances(since=tenth) == [-1_000, -700]
    assert balances(since=start + timedelta(days=1), until=start + timedelta(days=2)) == [
        -1_000, -1_000,
    ]  # fmt: skip
    cash.journey.sleep(days=420)
    cash.record("c-2", 5)
    assert balances() == [0, -705]
    assert balances(since=tenth) == [None, -705]
    assert balances(until=tenth) == [0, None]
    assert cash.statement().received.minor == 705
