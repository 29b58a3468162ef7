"""A renewal `POST /offers`, from bytes to bytes.

Measures: reading the request, assessing the deal, pricing six offers, making their ids, the
decision records, the event, the next state and the profile, and writing the reply. The merchant was
read before, as a host has read it. The next row also writes the documents that a host stores:
state, profile and events. The last row, which has no target, reads state and profile as well.

Against: reading the same request into attrs classes and writing the same reply from attrs classes
with cattrs and the standard `json`, without any decision: once with floats, the least that it can
cost, and once with exact `Decimal`s, which `json` can only write as floats.

The ratios to reach: at most 7, and at most 9 with the documents written.

Run it: `python benchmarks/renewal_request.py`
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Generic, TypeVar

import cattrs
from attrs import frozen
from ratios import interleaved, print_table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from holdback import Engine, Jurisdictions, Merchant, Profile, wire
from holdback.jurisdictions.folder import bundled_path
from holdback.jurisdictions.reader import FILES, read_jurisdiction
from holdback.testing import payloads
from journey import Journey

RATIO_TO_REACH = 7
RATIO_WITH_DOCUMENTS = 9
SIX_AMOUNTS = '["25%", "40%", "55%", "70%", "85%", "100%"]'
N = TypeVar("N")


@frozen
class PlainApplication:
    merchant_id: str
    provider_id: str | None
    currency: str


@frozen
class PlainRequest:
    application: PlainApplication


@frozen
class PlainOffer(Generic[N]):
    offer_id: str
    offer_status: str
    description: str
    split_percentage: N
    term_length: N
    repayment_amount: N
    funded_amount: N
    factor_rate: N
    currency: str


@frozen
class PlainLimits(Generic[N]):
    minimum: N
    maximum: N


@frozen
class PlainProduct(Generic[N]):
    product_id: str
    name: str
    description: str
    decision: str
    repayment_mechanism: str
    limits: PlainLimits[N]
    offers: list[PlainOffer[N]]


@frozen
class PlainReply(Generic[N]):
    products: list[PlainProduct[N]]
    expiresAt: str  # noqa: N815  # the name on the wire


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


def peer(body: bytes, reply: bytes, number: type) -> Callable[[], bytes]:
    """Return a call that reads *body* and writes *reply* with cattrs and `json`."""
    converter = cattrs.Converter()
    converter.register_structure_hook(Decimal, lambda value, _: Decimal(str(value)))
    converter.register_unstructure_hook(Decimal, float)
    held: Any = converter.structure(json.loads(reply), PlainReply[number])

    def both() -> bytes:
        converter.structure(json.loads(body), PlainRequest)
        return json.dumps(converter.unstructure(held, PlainReply[number])).encode()

    return both


def main() -> None:
    journey = renewable_journey(engine_with_six_offers())
    block = payloads.offers_request(journey.merchant.merchant_id, journey.merchant.provider_id)
    body = payloads.as_json(block)
    engine, context = journey.engine, journey.context()
    stored = wire.write_merchant(journey.merchant), wire.write_profile(journey.profile)
    merchant, profile = wire.read_stored(*stored, salt=b"")

    def ours() -> bytes:
        request = wire.read_offers_request(body)
        return wire.write(engine.request_offers(merchant, request, context, profile=profile).reply)

    def with_documents(merchant: Merchant = merchant, profile: Profile | None = profile) -> bytes:
        assert profile is not None
        request = wire.read_offers_request(body)
        outcome = engine.request_offers(merchant, request, context, profile=profile)
        assert wire.write_stored(outcome).events
        return wire.write(outcome.reply)

    def with_all_documents() -> bytes:
        return with_documents(*wire.read_stored(*stored, salt=b""))

    reply = ours()
    (product,) = json.loads(reply)["products"]
    assert len(product["offers"]) == 6
    contenders = {
        "cattrs with json, floats": peer(body, reply, float),
        "cattrs with json, Decimals": peer(body, reply, Decimal),
        "holdback": ours,
        "holdback, documents written": with_documents,
        "holdback, documents read and written": with_all_documents,
    }
    for name, contender in contenders.items():
        assert json.loads(contender()) == json.loads(reply), f"{name} answers something else"
    times = interleaved(contenders)
    for base in list(contenders)[:2]:
        reach = {
            "holdback": f"at most {RATIO_TO_REACH}",
            "holdback, documents written": f"at most {RATIO_WITH_DOCUMENTS}",
        }
        print_table(times, base=base, reach=reach, packages=("attrs", "cattrs", "pendulum"))
        print()


if __name__ == "__main__":
    main()
