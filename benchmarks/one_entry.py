"""One remittance recorded: does it cost the same on a deal with many entries?

Measures: `engine.record_remittance` with one new entry, on a deal with n entries, for n from
10 to 1,000; alone, and with the state read before it and written after it.

Against: the same on a deal with 10 entries. The figures are compared with sums by hand first.

The ratio to reach: at most 1.5 alone.

Run it: `python benchmarks/one_entry.py`; `--entries` and `--smallest` make it shorter.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from time import thread_time

from sizes import sizes

from holdback import Context, Engine, Entry, Merchant, Money, wire
from holdback.operations import RecordRemittance
from holdback.testing.given import given

SIZES = (10, 30, 100, 300, 1_000)
RATIO_TO_REACH = 1.5
REPEATS = 60
ENGINE = Engine.for_trial()
EVIDENCE = {
    "identity_verified": True,
    "business_verified": True,
    "credit_score": 700,
    "credit_checked_on": "2026-07-01",
    "average_monthly_takings": "20000.00",
    "months_trading": 36,
}
BANK = {"account_number": "12345678", "sort_code": "12-34-56"}


def with_entries(count: int) -> tuple[Merchant, Context, Entry]:
    """Return a merchant whose deal has *count* entries, and the next entry with its context."""
    host = (
        given(ENGINE, jurisdiction="GB", at="2026-07-01T09:00:00Z", evidence=EVIDENCE)
        .after("request_offers")
        .after("accept_offer", {"bank_details": BANK})
        .after("fund_deal")
    )
    deal = host.merchant.active_deal
    amount = Money.of(Decimal("1.00"), deal.currency)
    entries = [
        Entry(id=f"e-{place:05}", on=deal.funded_on + timedelta(days=place // 20), amount=amount)
        for place in range(count)
    ]
    at = host.merchant.last_seen_at.add(days=60)
    context = Context(at=at, request_id="all")
    merchant = host.merchant
    for start in range(0, count, 500):
        context = Context(at=at, request_id=f"some-{start}")
        some = entries[start : start + 500]
        merchant = ENGINE.carry_out(
            merchant, RecordRemittance(deal_id=deal.id, entries=some), context
        ).merchant
    today = Context(at=at.add(seconds=1), request_id="one")
    entry = Entry(id="last", on=deal.funded_on + timedelta(days=59), amount=amount)
    return merchant, today, entry


def measured(action, rounds: int) -> float:
    """Return the least time of *action*, of several rounds."""
    times = []
    for _ in range(rounds):
        start = thread_time()
        for _ in range(REPEATS):
            action()
        times.append((thread_time() - start) / REPEATS)
    return min(times)


def main() -> None:
    print(f"| {'entries':>7} | microseconds | ratio | read and written too | ratio |")
    print("| ------: | -----------: | ----: | -------------------: | ----: |")
    first = None
    asked = sizes(__doc__, rounds=(7, 1), entries=(1_000, 30))
    for size in (size for size in SIZES if size <= asked.entries):
        merchant, context, entry = with_entries(size)
        deal_id = merchant.active_deal.id
        stored = wire.write_merchant(merchant)

        def alone(merchant=merchant, context=context, entry=entry, deal_id=deal_id):
            return ENGINE.carry_out(
                merchant, RecordRemittance(deal_id=deal_id, entries=entry), context
            )

        def whole(stored=stored, context=context, entry=entry, deal_id=deal_id):
            read = wire.read_merchant(stored)
            outcome = ENGINE.carry_out(
                read, RecordRemittance(deal_id=deal_id, entries=entry), context
            )
            return wire.write_merchant(outcome.merchant)

        after = alone().merchant.active_deal
        assert after.remitted.minor == 100 * (size + 1), "another sum"
        assert whole() == wire.write_merchant(alone().merchant), "another state"
        times = measured(alone, asked.rounds), measured(whole, asked.rounds)
        first = first or times
        ratios = [time / base for time, base in zip(times, first, strict=True)]
        print(
            f"| {size:7,} | {times[0] * 1e6:12.0f} | {ratios[0]:5.2f} |"
            f" {times[1] * 1e6:20.0f} | {ratios[1]:5.2f} |",
            flush=True,
        )
    print(f"to reach: at most {RATIO_TO_REACH} alone")


if __name__ == "__main__":
    main()
