"""Samples of what is recorded of the disclosure of an offer, for `wire_samples`."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pendulum
from attrs import evolve

from holdback.exact.money import Money
from holdback.lifecycle import events
from holdback.merchant.disclosure import DisclosedLine, OfferDisclosure
from holdback.merchant.merchant import DisclosedOffer, Signature

OFFER_ID = "00000000-0000-5000-8000-000000000001"
DIGEST = f"disclosure:{'3' * 32}"
SECTIONS = {"texts": "7" * 32}


def disclosure(financer):
    """The disclosure of an offer by this *financer*."""
    return OfferDisclosure(
        offer_id=OFFER_ID,
        on=date(2026, 7, 20),
        digest=DIGEST,
        jurisdiction="GB",
        currency="GBP",
        since=date(2026, 1, 1),
        law="The Offers Act",
        due=True,
        decided_by=(),
        title=f"Offer summary of {financer}",
        lines=(
            DisclosedLine(
                id="funding",
                label="Funding",
                value="£10,000.00",
                sentences=(f"{financer} provides it.",),
                source="section 4(1)",
            ),
            DisclosedLine(
                id="rate", label="APR", value="39.21%", sentences=(), source="section 4(2)"
            ),
        ),
        foot=("Over 152 days.",),
        figures={"amount_financed": "10000.00", "apr": "39.2077%", "number_of_payments": 152},
        assumptions={
            "consummation": "2026-07-20",
            "days_of_a_month": "30.4",
            "first_payment": {"on": "2026-07-21", "amount": Decimal("75.00")},
            "last_payment": {"on": "2026-12-19", "amount": Decimal("75.00")},
            "facts": {"deals_in_state_12m": 6},
        },
        derivation=(
            {
                "name": "payment",
                "value": "75.00",
                "formula": "split x takings of a month / payments of a month, half up",
                "numbers": "15% x 15,000.00 / 30",
                "source": "section 4(2)",
                "choices": ["K1"],
            },
        ),
    )


EVENTS = {
    "OfferDisclosed": lambda **envelope: events.OfferDisclosed(
        **envelope, disclosure=disclosure("{financer}"), sections=SECTIONS
    ),
}
DISCLOSED = DisclosedOffer(
    offer_id=OFFER_ID,
    digest=DIGEST,
    on=date(2026, 7, 20),
    due=True,
    sections=SECTIONS,
    signature=Signature(
        document="disclosure-1", digest=DIGEST, signed_at=pendulum.datetime(2026, 7, 20, 10)
    ),
)
DISCLOSED_RENEWAL = evolve(DISCLOSED, payoff=Money.of(Decimal("4500.00"), "GBP"))
REPLIES = {"offer_disclosure": disclosure("Acme")}
