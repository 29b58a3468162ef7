"""A request to the engine, from bytes to bytes: does it stay within its budget?

Measures: the CPU time to read state, profile and body, decide, and write the reply and everything
that a host stores, without HTTP and without a database. The requests are a renewal
`POST /offers` with six offers or more, the acceptance of one, and a remittance; the merchants are
one with a deal of a hundred remittances, and one of ten years (`ten_years.py`) with a profile of
60 KB.

The budgets: at most 2 milliseconds, and at most 5 for the merchant of ten years.

Before anything is timed, the replies are checked.

Run it: `python benchmarks/renewal_request.py`; `--smallest` makes it shorter.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import thread_time

from ratios import machine, print_markdown
from sizes import sizes

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from ten_years import CHECKED_AGAIN, DEAL_DAYS, Years

from holdback import Engine, Jurisdictions, wire
from holdback.jurisdictions.folder import bundled_path
from holdback.jurisdictions.reader import FILES, read_jurisdiction
from holdback.operations import AcceptOffer, RecordRemittance, RequestOffers
from holdback.testing import payloads
from journey import BANK, Journey

SIX_AMOUNTS = '["25%", "40%", "55%", "70%", "85%", "100%"]'
BUDGET_MS, TEN_YEARS_MS = 2, 5


def engine_with_six_offers() -> Engine:
    """Return an engine with GB, reduced to its cash advance, which is offered at six amounts."""
    files = {name: (bundled_path() / "GB" / name).read_bytes() for name in FILES}
    products = files["products.toml"].decode()
    products = products[: products.index('[[products]]\nkey = "starter"')]
    files["products.toml"] = products.replace('["40%", "70%", "100%"]', SIX_AMOUNTS).encode()
    return Engine.for_trial(Jurisdictions([read_jurisdiction("GB", files)]))


def renewable_journey(engine: Engine) -> Journey:
    """Return a merchant whose deal is 60 percent paid down, on pace, by a hundred remittances."""
    journey = Journey(engine)
    journey.ask()
    journey.accept()
    journey.fund()
    days = -(-journey.deal.term_days * 60 // 100)
    journey.pass_time(days=days)
    due = -(-journey.deal.repayment_amount.minor * 60 // 100)
    count = min(100, days)
    for place in range(count):
        on = journey.today().fromordinal(journey.today().toordinal() - count + place)
        minor = due // count + (due % count if place == 0 else 0)
        journey.remit(journey.entry(minor, on=on), complete_through=on)
    assert journey.active().performance.renewal_eligibility
    return journey


def long_journey(deals: int) -> Journey:
    """Return a merchant with that many *deals*, of which the last is paid down."""
    journey = Years()
    journey.begin()
    journey.live(deals * DEAL_DAYS)
    return journey


def requests(journey: Journey) -> dict[str, Callable[[], bytes]]:
    """Return each request as a call from the stored bytes to the bytes of the reply."""
    engine, deal = journey.engine, journey.deal
    before = wire.write_merchant(journey.merchant), wire.write_profile(journey.profile)
    checks = payloads.evidence(journey.today())
    context = journey.context({name: checks[name] for name in CHECKED_AGAIN})
    body = payloads.as_json(
        payloads.offers_request(journey.merchant.merchant_id, journey.merchant.provider_id)
    )
    entry = journey.entry(min(100, deal.outstanding), id="last", on=journey.today())

    def reply_of(outcome) -> bytes:
        assert wire.write_stored(outcome).events
        return wire.write(outcome.reply)

    def offers(stored=before) -> bytes:
        merchant, profile = wire.read_stored(*stored)
        request = wire.read_offers_request(body)
        return reply_of(
            engine.carry_out(merchant, RequestOffers(request=request), context, profile=profile)
        )

    journey.ask(renewal=True, evidence=context.evidence)
    offer = journey.first_offer().offer_id
    after = wire.write_merchant(journey.merchant), wire.write_profile(journey.profile)
    second, third = journey.context(), journey.context()

    def acceptance() -> bytes:
        merchant, profile = wire.read_stored(*after)
        return reply_of(
            engine.carry_out(
                merchant, AcceptOffer(offer_id=offer, bank_details=BANK), second, profile=profile
            )
        )

    def remittance() -> bytes:
        merchant = wire.read_merchant(before[0])
        return reply_of(
            engine.carry_out(merchant, RecordRemittance(deal_id=deal.id, entries=entry), third)
        )

    assert json.loads(offers())["products"][0]["offers"]
    assert json.loads(acceptance())["offer"]["offer_id"] == offer
    assert json.loads(remittance())
    return {"POST /offers": offers, "accept an offer": acceptance, "a remittance": remittance}


def milliseconds(call: Callable[[], bytes], rounds: int, repeats: int) -> float:
    """Return the median CPU time of *call*."""
    times = []
    for _ in range(rounds):
        start = thread_time()
        for _ in range(repeats):
            call()
        times.append((thread_time() - start) / repeats)
    return median(times) * 1000


def main() -> int:
    # The smallest merchant of years renews once.
    size = sizes(__doc__, deals=(18, 2), rounds=(15, 1), repeats=(40, 1))
    merchants = {
        "one deal": (renewable_journey(engine_with_six_offers()), BUDGET_MS),
        f"{size.deals} deals": (long_journey(size.deals), TEN_YEARS_MS),
    }
    rows, missed = [], 0
    for name, (journey, budget) in merchants.items():
        for request, call in requests(journey).items():
            taken = milliseconds(call, size.rounds, size.repeats)
            missed += taken > budget
            late = ": **missed**" if taken > budget else ""
            rows.append((f"{request}, {name}", f"{taken:.2f}", f"at most {budget}{late}"))
    print_markdown(("what", "milliseconds of CPU", "budget"), rows)
    print(f"\n{machine(('attrs', 'cattrs', 'pendulum'))}")
    return 1 if missed and not size.smallest else 0


if __name__ == "__main__":
    sys.exit(main())
