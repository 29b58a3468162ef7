"""
What peers publish about the repayment of a deal, next to what holdback gives.

Their figures are theirs: a comment names the repository, the path and the scenario, or the page.
Where ours differ, the test has both, and `docs/explanation/peers.md` says why. Currencies play no
part in the comparison, so all amounts are in GBP.
"""

from __future__ import annotations

from bisect import bisect_left
from datetime import date, timedelta
from decimal import Decimal

import pytest
from attrs import evolve

from every_case import for_every
from holdback import Deal, Entry, Money, Refusal
from holdback.eligibility.derived_facts import deal_facts
from holdback.exact.money import Currency
from holdback.merchant.schedule import Pause, TermsChange
from holdback.offers.calculator import Term
from holdback.operations import OPERATIONS, CloseDeal, RecordRemittance
from journey import Journey

GBP = Currency.of("GBP")
FUNDED_ON = date(2026, 1, 1)

# Apache Fineract, working-capital loans: github.com/apache/fineract. A FEATURE is a scenario in
# fineract-e2e-tests-runner/src/test/resources/features/, by the number behind `@TestRailId:C`:
#   78826, 98194    WorkingCapitalAmortizationSchedule.feature, at 00f9a457
#   85331           WorkingCapitalLoanUndoTransaction.feature, at 02525804
#   76664 to 76668  WorkingCapitalLoanCreditBalanceRefund.feature, at 0928243f
#   74480 to 74483  WorkingCapitalDelinquencyPause.feature, at 09d78858
#   98214, 98215    WorkingCapitalLoanRecoveryPayment.feature, at 3ee2cfc8
# The chapters (.adoc) are in fineract-doc/src/docs/en/chapters/features/.
FEATURE = "Fineract C{}".format


def pounds(amount):
    """An *amount* of pounds, as text or as a whole number."""
    return Money.of(Decimal(amount), GBP)


def entry(name, amount, *, day, **changed):
    """An entry of the *amount*, *day* days after the funding."""
    on = FUNDED_ON + timedelta(days=day)
    return Entry(id=name, on=on, amount=pounds(amount), **changed)


def deal(repayment, term_days, *entries, **changed):
    """A deal of the *repayment* amount in *term_days* days, with *entries*."""
    return evolve(
        Deal(
            id="d-1",
            application_id="a-1",
            type="Initial",
            funded_on=FUNDED_ON,
            funded_amount=pounds(repayment),
            repayment_amount=pounds(repayment),
            factor_rate=Decimal(1),
            split_percentage=Decimal(18),
            term_length=Decimal(6),
            term_days=term_days,
            settled=pounds(0),
            entries=entries,
        ),
        **changed,
    )


def performance(of, day):
    """The performance of a deal *day* days after the funding, in percent."""
    scaled = deal_facts(of, FUNDED_ON + timedelta(days=day))["performance"]
    return None if scaled is None else Decimal(scaled) / 10_000


def expected(repayment, term_days, day, **changed):
    """What a deal is expected to have paid by *day*: the amount with which it is on pace."""
    whole = pounds(repayment).minor

    def on_pace(minor):
        paid = entry("e", Decimal(minor) / 100, day=day)
        return performance(deal(repayment, term_days, paid, **changed), day) >= 100

    return Decimal(bisect_left(range(whole), True, key=on_pace)) / 100


@for_every("day", range(1, 11))
def test_expected_day_by_day(day):
    """
    Without a discount their `expectedBalance` falls by 50 a day, and ours is expected to.

    C85331: 9,000 at 18% of takings of 100,000 in 360 days, the table of the first 11 lines.
    """
    theirs = [8950, 8900, 8850, 8800, 8750, 8700, 8650, 8600, 8550, 8500]

    assert 9000 - expected("9000", 180, day) == theirs[day - 1]


def test_expected_on_the_last_days():
    """
    They bill 47.22 a day and 36.58 on the last; ours is even to the end of the term.

    C98194: 10,000 in 212 days.
    """
    assert 211 * Decimal("47.22") + Decimal("36.58") == expected("10000", 212, 212) == 10_000
    assert 211 * Decimal("47.22") == Decimal("9963.42")
    assert expected("10000", 212, 211) == Decimal("9952.84")


# The repayment amount and the days of their term, the day, what was paid, our performance.
PACES = [
    # C85331: 270 paid by 10 January, when `expectedBalance` is 8,550 and `actualBalance` 8,730.
    (FEATURE(85331), "9000", 180, 9, [(9, "270")], "60"),
    # working-capital-planned-projected-balances-eir.adoc, at 2f83ceb0, Scenario #2: nothing on the
    # first day, twice the expected 50.00 on the second.
    ("Fineract, Scenario #2, day 1", "10000", 200, 1, [], "0"),
    ("Fineract, Scenario #2, day 2", "10000", 200, 2, [(2, "100")], "100"),
    # Scenario #1: exactly the expected 50.00.
    ("Fineract, Scenario #1", "10000", 200, 1, [(1, "50")], "100"),
]


@for_every(("source", "total", "term", "day", "paid", "pace"), PACES)
def test_performance_from_their_payments(source, total, term, day, paid, pace):
    """
    Performance is what was paid of what they expect by that day.
    """
    entries = [entry(f"e-{on}", amount, day=on) for on, amount in paid]

    assert performance(deal(total, term, *entries), day) == Decimal(pace)


def test_a_payment_and_its_reversal():
    """
    C85331: 8,730 is outstanding after a repayment of 270 of 9,000, and 9,000 after its undo.
    """
    paid = deal("9000", 180, entry("e-1", "270", day=9))
    undone = evolve(paid, entries=(*paid.entries, entry("e-2", "270", day=9, reverses="e-1")))

    assert (paid.balance, paid.remitted) == (pounds(8730), pounds(270))
    assert (undone.balance, undone.remitted) == (pounds(9000), pounds(0))
    assert paid.progress == 3_0000


@for_every(
    ("source", "paid", "overpaid"),
    [
        (FEATURE(76664), ["9100"], 100),
        (FEATURE(76666), ["9075"], 75),
        (FEATURE(76667), ["9200"], 200),
        (FEATURE(76668), ["3000", "3000", "3200"], 200),
    ],
)
def test_an_overpayment(source, paid, overpaid):
    """
    The balance does not fall below zero; what is paid beyond it is overpaid, as theirs is.
    """
    entries = [entry(f"e-{place}", amount, day=1) for place, amount in enumerate(paid)]
    after = deal("9000", 180, *entries)

    assert (after.balance, after.overpaid) == (pounds(0), pounds(overpaid))


# The repayment amount, the days of the term, the period and the minimum that a peer demands in it;
# the performance of a merchant who pays just that.
MINIMUMS = [
    # "Minimum amount due every 60 days: $622.22", 1/18 of 11,200, due within 18 months.
    ("Square", "11200", Term.of_months(18).days, 60, "622.22", "50.7405"),
    # "six 60-day milestones", each "$941 (1/6 of the total owed)"; six of them are 360 days.
    ("Shopify", "5650", 360, 60, "941", "99.9292"),
    # "$1,000 every 90 days": the 10% minimum is that of loans to be repaid within 12 months (the
    # page paypal.com/au/smarthelp/article/faq3720).
    ("PayPal", "10000", Term.of_months(12).days, 90, "1000", "40.5555"),
    # C85331: `expectedAmount` 270 for 30 days, 3% of 9,000; 180 days at 50 a day.
    (FEATURE(85331), "9000", 180, 30, "270", "18"),
]


@for_every(("source", "total", "term", "period", "minimum", "pace"), MINIMUMS)
def test_performance_at_their_minimum(source, total, term, period, minimum, pace):
    """
    A minimum in a period is theirs alone: holdback compares with the pace, in a rule.
    """
    paid = deal(total, term, entry("e-1", minimum, day=period))

    assert performance(paid, period) == Decimal(pace)


def whole_on(of):
    """The first day on which all of the repayment amount is expected."""
    short = entry("e", of.repayment_amount.amount - Decimal("0.01"), day=0)
    paid = evolve(of, entries=(short,))
    # There is none in a pause from the funding on.
    paces = {day: performance(paid, day) for day in range(1, 100)}
    day = next(day for day, pace in paces.items() if pace is not None and pace < 100)
    return FUNDED_ON + timedelta(days=day)


# The first and the last day of a pause that they record, and by how many days it moves the end of
# their first period, 30 January.
PAUSES = [
    (FEATURE(74480), date(2026, 1, 1), date(2026, 1, 15), date(2026, 2, 13)),
    (FEATURE(74481), date(2026, 1, 15), date(2026, 1, 25), date(2026, 2, 9)),
    (FEATURE(74483), date(2026, 1, 1), date(2026, 1, 25), date(2026, 2, 23)),
]


@for_every(("source", "first", "last", "period_ends"), PAUSES)
def test_a_pause_moves_the_end(source, first, last, period_ends):
    """
    A pause until a day moves the end of a period of theirs by the days of ours.
    """
    moved = period_ends - date(2026, 1, 30)
    plain = deal("270", 30)
    paused = evolve(plain, pauses=(Pause(on=first, until=last),))

    assert whole_on(paused) - whole_on(plain) == moved == last - first


def test_a_pause_with_its_last_day():
    """
    Their chapter also has a pause that counts its last day: three days from 8 to 10 January.

    working-capital-delinquency-management.adoc, at 194f9d61, Scenario #3: a period that would end
    on 9 January ends on the 12th.
    """
    plain = deal("200", 30)
    paused = evolve(plain, pauses=(Pause(on=date(2026, 1, 8), until=date(2026, 1, 11)),))

    assert whole_on(paused) - whole_on(plain) == date(2026, 1, 12) - date(2026, 1, 9)


# The day, and what their payments expect from the change on; what ours expects by that day in all.
# C78826: 10,000 at 50.00 a day; nothing was paid. From day 24 on it is 47.22 a day, to day 235.
CHANGED = [(24, "47.22", "1200"), (100, "3635.94", "4369.67"), (234, "9963.42", "9958.30")]


@for_every(("day", "theirs", "ours"), CHANGED)
def test_a_change_of_terms(day, theirs, ours):
    """
    They plan again for all that is unpaid; ours goes on from what was expected so far.
    """
    change = TermsChange(
        on=FUNDED_ON + timedelta(days=24),
        split_percentage=Decimal(17),
        term_length=Decimal("7.73"),
        term_days=235,
    )

    assert (day - 23) * Decimal("47.22") == Decimal(theirs)
    assert expected("10000", 200, day, terms_changes=(change,)) == Decimal(ours)
    assert expected("10000", 200, 235, terms_changes=(change,)) == 10_000


class Servicing(Journey):
    """A merchant of GB with a deal of which *left* is left to pay; below zero it is overpaid."""

    def __init__(self, left):
        super().__init__()
        self.ask()
        self.accept()
        self.fund()
        paid = self.deal.balance.minor - pounds(left).minor
        self.do(
            RecordRemittance(deal_id=self.deal.id, entries=[self.entry(paid, on=self.now.date())])
        )

    def post(self, operation, amount):
        """Carry out an *operation* on the deal, with a new movement of the *amount* today."""
        name = f"{operation}-{self.requests}"
        movement = {"id": name, "on": self.now.date(), "amount": pounds(amount)}
        self.do(OPERATIONS[operation](deal_id=self.deal.id, **movement))
        return name


def test_refunds():
    """
    C76667: of 200 overpaid, refunds of 40, 60, 50 and 50 leave 160, 100, 50 and nothing.
    """
    merchant = Servicing(-200)
    left = []
    for amount in (40, 60, 50, 50):
        merchant.post("refund", amount)
        left.append(merchant.deal.overpaid)

    assert left == [pounds(160), pounds(100), pounds(50), pounds(0)]
    assert merchant.deal.status == "Repaid"


def test_a_refund_of_too_much():
    """
    C76664: 100 is overpaid; a refund of 200 is refused, one of 100 is not.
    """
    merchant = Servicing(-100)

    with pytest.raises(Refusal) as refused:
        merchant.post("refund", 200)
    assert refused.value.code == "amount_not_possible"
    merchant.post("refund", 100)
    assert merchant.deal.overpaid == pounds(0)


def written_off():
    """A merchant whose deal defaulted with 100 left, which was then written off."""
    merchant = Servicing(100)
    merchant.do(CloseDeal(deal_id=merchant.deal.id, status="defaulted"))
    merchant.post("write_off", 100)
    return merchant


def test_a_recovery_after_a_write_off():
    """
    C98214: 100 is written off; 40 come in, and 60 are left to recover. After the undo it is 100.

    Their total written off stays 100. Ours is what remains lost; when the recovery is reversed, the
    40 are owed again.
    """
    merchant = written_off()
    assert (merchant.deal.balance, merchant.deal.written_off) == (pounds(0), pounds(100))
    remitted = merchant.deal.remitted

    recovery = merchant.post("record_recovery", 40)
    assert (merchant.deal.balance, merchant.deal.written_off) == (pounds(0), pounds(60))
    assert merchant.deal.remitted - remitted == pounds(40)

    back = merchant.entry(40_00, on=merchant.now.date(), reverses=recovery)
    merchant.do(RecordRemittance(deal_id=merchant.deal.id, entries=[back]))
    deal = merchant.deal
    assert (deal.balance, deal.written_off) == (pounds(40), pounds(60))
    assert deal.balance + deal.written_off == pounds(100), "what can be recovered is theirs"


def test_recovering_too_much():
    """
    C98215: of 100 written off 60 come in, then 50. They refuse the 50; ours records it, and 10 is
    overpaid.
    """
    merchant = written_off()
    merchant.post("record_recovery", 60)
    assert merchant.deal.written_off == pounds(40)

    merchant.post("record_recovery", 50)
    assert (merchant.deal.written_off, merchant.deal.overpaid) == (pounds(0), pounds(10))
