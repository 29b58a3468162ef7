"""A merchant of ten years: does its state stay small, and a renewal fast?

Measures, month by month: the bytes of the stored state, and the time to read state and profile,
decide a renewal `POST /offers` and write everything back. The merchant has a deal every 200 days
(18 in ten years), a remittance and a day of takings daily, an application every month, and a
profile of 60 KB.

Against: the same of a merchant with one deal of 200 remittances and 200 days of takings.

The bounds to hold: a state of at most 192 KiB; a time of at most 2 times that of the other
merchant.

Run it: `python benchmarks/ten_years.py`; `--months 12` stops earlier.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from ratios import interleaved

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from holdback import Money, Takings, wire
from holdback.exact.exact_json import Opaque
from journey import Journey

MOST_BYTES = 192 * 1024
RATIO_TO_REACH = 2
DEAL_DAYS = 200
MONTHS = 120
DAYS_A_MONTH = 30
BAR = 60  # characters


class Years(Journey):
    """A merchant with a large profile, whose days pass one by one."""

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

    def day(self, share: int) -> None:
        """Let a day pass: its takings, and a remittance of one *share*-th of what is repaid."""
        self.pass_time(days=1)
        today, deal = self.today(), self.merchant.active_deal
        amount = Money(66_666 + today.toordinal() % 97, deal.repayment_amount.currency)
        self.do("record_takings", [Takings(on=today, amount=amount)], complete_through=today)
        due = -(-deal.repayment_amount.minor // share)
        entry = self.entry(
            min(due, deal.outstanding),
            id=f"remittance-{today.isoformat()}",
            on=today,
            takings=amount,
        )
        self.do("record_remittance", deal.id, [entry], complete_through=today)

    def renew(self) -> None:
        """Renew the deal, on the day on which it has been paid down far enough."""
        checked = {"credit_score": 700, "credit_checked_on": self.today().isoformat()}
        self.ask(renewal=True, evidence=checked)
        self.accept(bank_details=None)
        self.fund()


def renewal(journey: Journey) -> Callable[[], bytes]:
    """Return a call that reads the stored documents, renews, and writes them all."""
    state, profile = wire.write_merchant(journey.merchant), wire.write_profile(journey.profile)
    request, context = journey.request(renewal=True), journey.context()
    engine = journey.engine

    def call() -> bytes:
        merchant, held = wire.read_stored(state, profile, salt=bytes(16))
        outcome = engine.request_offers(merchant, request, context, profile=held)
        stored = wire.write_stored(outcome)
        assert stored.events
        return wire.write(outcome.reply)

    return call


def one_deal() -> Journey:
    """Return a merchant with one deal of 200 remittances and 200 days of takings."""
    journey = Years()
    journey.begin()
    for _ in range(DEAL_DAYS):
        journey.day(DEAL_DAYS + 30)
    return journey


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--months", type=int, default=MONTHS)
    months = parser.parse_args().months
    other, journey = renewal(one_deal()), Years()
    journey.begin()
    rows, since = [], 0
    for month in range(1, months + 1):
        for _ in range(DAYS_A_MONTH):
            journey.day(DEAL_DAYS + 30)
            since += 1
            if since == DEAL_DAYS:
                journey.renew()
                since = 0
        journey.ask(renewal=True)
        size = len(wire.write_merchant(journey.merchant))
        measured = month in {1, 2, 3, 6} or month % 12 == 0
        ratio = None
        if measured:
            times = interleaved({"other": other, "merchant": renewal(journey)}, rounds=15)
            ratio = times["merchant"] / times["other"]
        rows.append((month, size, ratio))
        bar = "#" * round(BAR * size / MOST_BYTES)
        told = "" if ratio is None else f"  {ratio:.2f} times"
        print(f"{month:4} months {size / 1024:7.1f} KiB |{bar:<{BAR}}|{told}", flush=True)
    deals, events = len(journey.merchant.deals), journey.merchant.sequence
    profile = len(wire.write_profile(journey.profile))
    print(f"{deals} deals, {events} events, profile {profile} bytes")
    assert max(size for _, size, _ in rows) <= MOST_BYTES


if __name__ == "__main__":
    main()
