"""A merchant of ten years: does its state stay small, and a renewal fast?

Measures, month by month: the bytes of the stored state, and the time to read state and profile,
decide a renewal `POST /offers` and write everything back. The merchant has a deal every 200 days
(18 in ten years), a remittance and a day of takings daily, an application every month, a payment
that bounces, its fee and a pause every 90 days (40 in ten years), receipts in suspense up to the
bounds of the account, and a profile of 60 KB. The last deal then defaults: a plan of a year is
agreed on, after it plans up to their bounds, one a month, and what is left is waived.

Against: the same of a merchant with one deal of 200 remittances and 200 days of takings.

The bounds to hold: a state of at most 128 KiB; a time of at most 2 times that of the other
merchant.

Run it: `python benchmarks/ten_years.py`; `--months 12` and `--smallest` stop earlier.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

from attrs import evolve
from ratios import interleaved
from sizes import sizes

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from holdback import Engine, Money, Takings, wire
from holdback.exact.exact_json import Opaque
from holdback.merchant.plan import MOST_INSTALMENTS, MOST_REPLACED_PLANS, Instalment
from holdback.operations import (
    AgreePlan,
    ChargeFee,
    CloseDeal,
    PauseDeal,
    RecordRecovery,
    RecordRemittance,
    RecordSuspense,
    RecordTakings,
    RequestOffers,
    ResumeDeal,
    ReturnSuspense,
    WaiveFee,
    WaiveRest,
)
from holdback.testing import payloads
from holdback.testing.conformance.simulated.rule_changes import fee_rules
from journey import Journey

MOST_BYTES = 128 * 1024
RATIO_TO_REACH = 2
DEAL_DAYS, REPAID_IN = 200, 230
DAYS_A_MONTH = 30
DAYS_A_FEE, DAYS_OF_SUSPENSE = 90, 6
INSTALMENTS_OF_A_YEAR = 12
# What a host checks again before a renewal; the other facts follow from the merchant's history.
CHECKED_AGAIN = ("identity_verified", "business_verified", "credit_score", "credit_checked_on")
BAR = 60  # characters
ENGINE = Engine.for_trial(fee_rules())


class Years(Journey):
    """A merchant with a large profile, whose days pass one by one."""

    days = 0

    def __init__(self) -> None:
        super().__init__(ENGINE)

    def request(self, **options):
        request = super().request(**options)
        if request.renewal:
            return request
        story = Opaque.of({"history": "A shop by the sea. " * 3_100})
        return type(request)(
            application=request.application,
            consents=request.consents,
            applicants=request.applicants,
            company=story,
        )

    def begin(self) -> None:
        self.ask()
        self.accept()
        self.fund()

    def live(self, days: int) -> None:
        """Let *days* pass, with a new deal after every `DEAL_DAYS` and an application a month."""
        for _ in range(days):
            if self.days and self.days % DEAL_DAYS == 0:
                self.renew()
            self.day()
            self.days += 1
            if self.days % DAYS_A_FEE == 0:
                self.bounce()
                for change in (PauseDeal, ResumeDeal):
                    self.do(change(deal_id=self.merchant.active_deal.id, on=self.today()))
            if self.days % DAYS_OF_SUSPENSE == 0:
                self.send_back()
            if self.days % DAYS_A_MONTH == 0:
                self.ask(renewal=True)

    def send_back(self) -> None:
        """Record cash that has no deal to go to, and refund it; of every tenth a part stays."""
        today, currency = self.today(), self.merchant.active_deal.repayment_amount.currency
        back = 5_000 if self.days % DAYS_A_MONTH else 4_000
        cash = {"id": f"transfer-{today}", "on": today, "amount": Money(5_000, currency)}
        refund = {"id": f"refund-{today}", "on": today, "amount": Money(back, currency)}
        self.do(RecordSuspense(**cash))
        self.do(ReturnSuspense(suspense_id=cash["id"], kind="refund", **refund))

    def day(self) -> None:
        """Let a day pass: its takings, and a remittance that repays the deal a little late."""
        self.pass_time(days=1)
        today, deal = self.today(), self.merchant.active_deal
        amount = Money(66_666 + today.toordinal() % 97, deal.repayment_amount.currency)
        self.do(RecordTakings(takings=[Takings(on=today, amount=amount)], complete_through=today))
        due = -(-deal.repayment_amount.minor // REPAID_IN)
        entry = self.entry(
            min(due, deal.outstanding),
            id=f"remittance-{today.isoformat()}",
            on=today,
            takings=amount,
        )
        self.do(RecordRemittance(deal_id=deal.id, entries=[entry], complete_through=today))

    def bounce(self) -> None:
        """Take a payment back, and charge the fee for it."""
        today, deal = self.today(), self.merchant.active_deal
        paid = self.entry(100, id=f"payment-{today.isoformat()}", on=today, kind="payment")
        back = evolve(paid, id=f"back-{today.isoformat()}", kind="reversal", reverses=paid.id)
        self.do(RecordRemittance(deal_id=deal.id, entries=[paid, back]))
        fee = {"id": f"fee-{today.isoformat()}", "fee": "suite_reversal", "about": back.id}
        self.do(ChargeFee(deal_id=deal.id, on=today, **fee))

    def renew(self) -> None:
        """Renew the deal, after new checks."""
        checks = payloads.evidence(self.today())
        self.ask(renewal=True, evidence={name: checks[name] for name in CHECKED_AGAIN})
        self.accept(bank_details=None)
        self.fund()

    def default(self) -> Iterator[str]:
        """Let the deal default, agree on plans, and waive what is left; yield what was done."""
        deal_id, most = self.merchant.active_deal.id, MOST_REPLACED_PLANS + 1
        self.do(CloseDeal(deal_id=deal_id, status="defaulted"))
        self.plan(deal_id, INSTALMENTS_OF_A_YEAR)
        yield f"a default with a plan of {INSTALMENTS_OF_A_YEAR} instalments"
        for _ in range(most):
            self.pass_time(days=DAYS_A_MONTH)
            self.plan(deal_id, MOST_INSTALMENTS)
            yield f"a plan of {MOST_INSTALMENTS} instalments"
            self.do(RecordRecovery(deal_id=deal_id, **self.movement("recovery", 100)))
        deal = self.merchant.deal_of(deal_id)
        assert len(deal.plan.replaced) == MOST_REPLACED_PLANS
        if deal.fees_owed.minor:
            fees = self.movement("fees", deal.fees_owed.minor)
            self.do(WaiveFee(deal_id=deal_id, **fees))
        self.do(WaiveRest(deal_id=deal_id, **self.movement("waiver", deal.outstanding)))
        assert self.merchant.deal_of(deal_id).status == "Settled"
        yield "settled"

    def plan(self, deal_id: str, instalments: int) -> None:
        """Agree to pay a half of what is left, a part of it a month."""
        left, today = self.merchant.deal_of(deal_id).outstanding, self.today()
        part = Money(left // 2 // instalments, self.merchant.deals[-1].balance.currency)
        days = [today + timedelta(days=DAYS_A_MONTH * (n + 1)) for n in range(instalments)]
        parts = [Instalment(due_on=day, amount=part) for day in days]
        self.do(AgreePlan(deal_id=deal_id, plan_id=f"plan-{today}", instalments=parts))

    def movement(self, name: str, minor: int) -> dict:
        """Return the fields of a movement of today."""
        amount = Money(minor, self.merchant.deals[-1].balance.currency)
        return {"id": f"{name}-{self.today()}", "on": self.today(), "amount": amount}


def renewal(journey: Journey) -> Callable[[], bytes]:
    """Return a call that reads the stored documents, renews, and writes them all."""
    state, profile = wire.write_merchant(journey.merchant), wire.write_profile(journey.profile)
    request, context = journey.request(renewal=True), journey.context()
    engine = journey.engine

    def call() -> bytes:
        merchant, held = wire.read_stored(state, profile)
        outcome = engine.carry_out(merchant, RequestOffers(request=request), context, profile=held)
        stored = wire.write_stored(outcome)
        assert stored.events
        return wire.write(outcome.reply)

    return call


def one_deal() -> Journey:
    """Return a merchant with one deal of 200 remittances and 200 days of takings."""
    journey = Years()
    journey.begin()
    journey.live(DEAL_DAYS)
    return journey


def main() -> None:
    # The smallest run renews once.
    size = sizes(__doc__, months=(120, 8), rounds=(15, 1))
    other, journey = renewal(one_deal()), Years()
    journey.begin()
    lengths = []
    for month in range(1, size.months + 1):
        journey.live(DAYS_A_MONTH)
        length = len(wire.write_merchant(journey.merchant))
        measured = month in {1, 2, 3, 6} or month % 12 == 0
        ratio = None
        if measured:
            times = interleaved({"other": other, "merchant": renewal(journey)}, rounds=size.rounds)
            ratio = times["merchant"] / times["other"]
        lengths.append(length)
        bar = "#" * round(BAR * length / MOST_BYTES)
        told = "" if ratio is None else f"  {ratio:.2f} times"
        print(f"{month:4} months {length / 1024:7.1f} KiB |{bar:<{BAR}}|{told}", flush=True)
    for what in journey.default():
        lengths.append(len(wire.write_merchant(journey.merchant)))
        print(f"{lengths[-1] / 1024:7.1f} KiB with {what}", flush=True)
    deals, events = len(journey.merchant.deals), journey.merchant.sequence
    profile = len(wire.write_profile(journey.profile))
    fees = sum(entry.kind == "fee" for deal in journey.merchant.deals for entry in deal.entries)
    print(f"{deals} deals, {fees} fees, {events} events, profile {profile} bytes")
    assert max(lengths) <= MOST_BYTES


if __name__ == "__main__":
    main()
