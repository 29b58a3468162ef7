"""Sample data for trying the host out: two partners, an agent, and merchants at different stages.

All keys here are published, so none of it is for anything else.
"""

import json
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any

from attrs import evolve, field, frozen

from fastapi_host.attempts import Ask, Host
from fastapi_host.logs import Note
from fastapi_host.partners import Agent, Partner, Partners, sha256
from holdback import Engine, wire
from holdback.lifecycle.commands import AcceptOffer

NAMESPACE = uuid.UUID("2f0d3c1e-6b1f-4f39-9a54-7d6a3c0f5e11")
KEYS = {"acme": "sample-acme", "west": "sample-west", "agent": "sample-agent"}
ACME = Partner(name="acme", key_sha256=sha256(KEYS["acme"]), jurisdiction="GB")
WEST = Partner(name="west", key_sha256=sha256(KEYS["west"]), jurisdiction="US-CA")
AGENT = Agent(name="agent", key_sha256=sha256(KEYS["agent"]))
PARTNERS = Partners(partners=(ACME, WEST), agents=(AGENT,))
PROFILE = {
    "consents": {"credit_check": True},
    "applicants": [{"name": "A. Person"}],
    "company": {"name": "Nine Lives Ltd"},
}
BANK = {"account_number": "12345678", "bank_name": "A Bank", "sort_code": "00-00-00"}
AGE = 40  # days since the deal of book-shop was funded


@frozen
class SampleChecks:
    """
    A stand-in for identity, business and credit bureaux: everybody is fine, and nobody was asked.

    For the sample alone. A service asks its bureaux for what `required` names.
    """

    engine: Engine
    clock: Callable[[], datetime]

    def __call__(self, partner, _request, required):
        zone = self.engine.jurisdictions.zone(partner.jurisdiction)
        figures = {
            "identity_verified": True,
            "business_verified": True,
            "credit_score": 720,
            "credit_checked_on": self.clock().astimezone(zone).date(),
            "average_monthly_takings": "20000.00",
            "months_trading": 36,
        }
        wanted = {name for check in required.checks for name in check.evidence}
        return {name: value for name, value in figures.items() if name in wanted}


@frozen
class Past:
    """What a merchant did, from a day in the past on."""

    host: Host
    partner: Partner
    merchant_id: str
    began: datetime
    numbers: Any = field(factory=lambda: count(1))

    def offers(self):
        block = {"merchant_id": self.merchant_id, "currency": self._currency().code}
        body = json.dumps({"application": block, **PROFILE}).encode()
        return json.loads(self._then().request_offers(self._ask(), body))

    def accept(self, offers, bank_details=None):
        offer_id = first_offer(offers)
        command = AcceptOffer(
            offer_id=offer_id,
            bank_details=wire.read_accept_request({"bank_details": bank_details}),
        )
        ask = self._ask(kind="offer_id", name=offer_id, command=lambda _: command)
        return json.loads(self._then().carry_out(ask))

    def agent(self, operation, body, *, days=0):
        """What an agent did, so many days later."""
        command = wire.read_command(operation, json.dumps(body), self._currency())
        ask = self._ask(merchant_id=self.merchant_id, command=lambda _: command)
        return json.loads(self._then(days).carry_out(ask), parse_float=Decimal)

    def _then(self, days=0):
        def clock():
            return self.began + timedelta(days=days)

        return evolve(self.host, clock=clock, checks=SampleChecks(self.host.engine, clock))

    def _ask(self, **about):
        # The ids of the sample are the same everywhere, so its request ids have to be.
        note = Note(request_id=f"sample-{self.merchant_id}-{next(self.numbers)}")
        return Ask(partner=self.partner, caller="sample", note=note, **about)

    def _currency(self):
        return self.host.engine.jurisdictions.currency(self.partner.jurisdiction)


def first_offer(offers):
    """The id of the first offer there is."""
    return next(offer["offer_id"] for product in offers["products"] for offer in product["offers"])


def fill(host):
    """Put the sample into an empty database; gives what there is to try."""
    now = datetime.now(UTC)
    open_offers = Past(host, ACME, "corner-cafe", now).offers()
    Past(host, WEST, "surf-shop", now).offers()

    waiting = Past(host, ACME, "bakery", now - timedelta(days=1))
    waiting.accept(waiting.offers())

    past = Past(host, ACME, "book-shop", now - timedelta(days=AGE))
    accepted = past.accept(past.offers(), BANK)
    deal = past.agent("fund_deal", {"application_id": accepted["application_id"]})
    entries = list(_remittances(past.began.date(), deal["pricing"]["repayment_amount"]))
    recorded = {"deal_id": deal["id"], "entries": entries, "complete_through": entries[-1]["on"]}
    past.agent("record_remittance", recorded, days=AGE)
    return {"offer_id": first_offer(open_offers), "provider_id": accepted["provider_id"]}


def _remittances(funded_on, repayment_amount):
    """Six tenths of what is to be repaid, in equal parts of every day."""
    amount = (repayment_amount * Decimal("0.6") / AGE).quantize(Decimal("0.01"))
    for day in range(1, AGE + 1):
        on = funded_on + timedelta(days=day)
        yield {"id": f"r-{day}", "on": on.isoformat(), "amount": str(amount)}
