"""A renewal `POST /offers`, from bytes to bytes.

Measures: reading the request, assessing the deal, pricing six offers, naming them, the event, the next
state, and writing the reply. Storing the merchant is the host's and is not counted.

Against: reading the same request into attrs classes and writing the same reply from attrs classes with
cattrs and the standard `json`, which checks little, decides nothing and rounds numbers to floats.

The ratio to reach: at most 6.

Run it: `python benchmarks/renewal_request.py`
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import cattrs
from attrs import frozen
from ratios import interleaved, print_table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from journey import Journey

from holdback import wire

RATIO_TO_REACH = 6


@frozen
class PlainApplication:
    merchant_id: str
    provider_id: str | None
    currency: str


@frozen
class PlainRequest:
    application: PlainApplication


@frozen
class PlainOffer:
    offer_id: str
    offer_status: str
    description: str
    split_percentage: float
    term_length: float
    repayment_amount: float
    funded_amount: float
    factor_rate: float
    currency: str


@frozen
class PlainLimits:
    minimum: float
    maximum: float


@frozen
class PlainProduct:
    product_id: str
    name: str
    description: str
    decision: str
    repayment_mechanism: str
    limits: PlainLimits
    offers: list[PlainOffer]


@frozen
class PlainReply:
    products: list[PlainProduct]
    expiresAt: str  # noqa: N815  # the specification's name


def renewable_journey() -> Journey:
    """A merchant whose deal is 60 percent paid down by a hundred remittances, as good ones are."""
    journey = Journey()
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


def main() -> None:
    journey = renewable_journey()
    body = json.dumps(
        {
            "application": {
                "merchant_id": journey.merchant.merchant_id,
                "provider_id": journey.merchant.provider_id,
                "currency": "GBP",
            }
        }
    ).encode()
    engine, merchant, context = journey.engine, journey.merchant, journey.context()

    def ours() -> bytes:
        request = wire.read_offers_request(body)
        return wire.write(engine.request_offers(request, merchant, context).reply)

    converter = cattrs.Converter()
    plain_reply = converter.structure(json.loads(ours()), PlainReply)

    def theirs() -> Any:
        converter.structure(json.loads(body), PlainRequest)
        return json.dumps(converter.unstructure(plain_reply)).encode()

    offers = [offer for product in json.loads(ours())["products"] for offer in product["offers"]]
    assert json.loads(ours()) == json.loads(theirs()), "the answers differ"
    assert len(offers) >= 6, f"{len(offers)} offers"
    print(f"{len(offers)} offers in {len(plain_reply.products)} products, {len(ours())} bytes")
    print_table(
        interleaved({"cattrs with json": theirs, "holdback": ours}),
        base="cattrs with json",
        reach={"holdback": f"at most {RATIO_TO_REACH}"},
        packages=("attrs", "cattrs", "pendulum"),
    )


if __name__ == "__main__":
    main()
