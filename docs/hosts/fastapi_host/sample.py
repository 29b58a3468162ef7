"""
Sample data for trying the host: two partners, their merchants at different stages, and agents.

The keys are public, so use none of this in a service.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any

from attrs import evolve, field, frozen
from sqlalchemy import select

from fastapi_host.attempts import Host, MerchantRequest
from fastapi_host.documents import read_documents
from fastapi_host.logs import Note
from fastapi_host.partners import Agent, Partner, Partners, sha256
from fastapi_host.tables import MERCHANTS
from holdback import Engine, wire
from holdback.operations import AcceptOffer
from holdback.testing import payloads

KEYS = {
    "acme": "sample-acme",
    "west": "sample-west",
    "agent": "sample-agent",
    "underwriter": "sample-underwriter",
}
ACME = Partner(name="acme", key_sha256=sha256(KEYS["acme"]), jurisdiction="GB")
WEST = Partner(name="west", key_sha256=sha256(KEYS["west"]), jurisdiction="US-CA")
AGENT = Agent(name="agent", key_sha256=sha256(KEYS["agent"]))
UNDERWRITER = Agent(name="underwriter", key_sha256=sha256(KEYS["underwriter"]), role="underwriter")
PARTNERS = Partners(partners=(ACME, WEST), agents=(AGENT, UNDERWRITER))
BANK = {"account_number": "12345678", "bank_name": "A Bank", "sort_code": "00-00-00"}
TO_REVIEW = 600  # a credit score that a person looks at
DEAL_AGE = 40  # days since the deal of book-shop was funded


@frozen
class SampleChecks:
    """
    A stand-in for identity, business and credit bureaux: every applicant passes.

    A real service asks its bureaux for the evidence that `required` names. `found` replaces some of
    what these find.
    """

    engine: Engine
    clock: Callable[[], datetime]
    found: dict = field(factory=dict)

    def __call__(self, partner, _request, required):
        zone = self.engine.jurisdictions.zone(partner.jurisdiction)
        evidence = payloads.evidence(self.clock().astimezone(zone).date()) | self.found
        names = {name for check in required.checks for name in check.evidence}
        return {name: value for name, value in evidence.items() if name in names}


@frozen
class Past:
    """The past requests of one merchant, which `began` some days ago."""

    host: Host
    partner: Partner
    merchant_id: str
    began: datetime
    found: dict = field(factory=dict)
    numbers: Any = field(factory=lambda: count(1))

    def offers(self):
        body = payloads.offers_request(self.merchant_id, currency=self._currency().code)
        reply = self._host_then().request_offers(self._request(), payloads.as_json(body))
        return json.loads(reply)

    def accept(self, offers, bank_details=None):
        offer_id = first_offer(offers)
        command = AcceptOffer(
            offer_id=offer_id,
            bank_details=wire.read_accept_request({"bank_details": bank_details}),
        )
        request = self._request(
            kind="offer_id", name=offer_id, command=lambda *_: command, takes_profile=True
        )
        return json.loads(self._host_then().carry_out(request))

    def agent(self, operation, body, *, days=0):
        """Carry out an agent's operation, *days* days after the beginning."""

        def command(merchant, context):
            input_context = self.host.engine.input_context(merchant, context)
            return wire.read_command(operation, json.dumps(body), input_context)

        request = self._request(merchant_id=self.merchant_id, command=command)
        self._host_then(days).carry_out(request)

    def _host_then(self, days=0):
        """Return the host with the clock of that day."""

        def clock():
            return self.began + timedelta(days=days)

        checks = SampleChecks(self.host.engine, clock, self.found)
        return evolve(self.host, clock=clock, checks=checks)

    def _request(self, **about):
        # Fixed request ids, because the ids in the sample derive from them.
        note = Note(request_id=f"sample-{self.merchant_id}-{next(self.numbers)}")
        return MerchantRequest(partner=self.partner, caller="sample", note=note, **about)

    def _currency(self):
        return self.host.engine.jurisdictions.currency(self.partner.jurisdiction)


def first_offer(offers):
    """Return the id of the first offer."""
    return next(offer["offer_id"] for product in offers["products"] for offer in product["offers"])


class OtherMerchants(Exception):
    """The database has merchants, but not all of those of the sample."""


def ids(host):
    """
    Return the ids that the printed commands use, making the sample data if there are no merchants.

    Raises:
        OtherMerchants: as it says; nothing is written.
    """
    if _is_empty(host.store):
        _fill(host)
    shop, journal = _merchant(host, "book-shop"), host.store.history(ACME.name, "corner-cafe")
    sets = (json.loads(event).get("offer_set") for event in journal)
    issued = next((offer_set for offer_set in sets if offer_set is not None), None)
    if shop is None or shop.provider_id is None or issued is None:
        raise OtherMerchants(
            "the database of --database has merchants, but not all of the sample's; "
            "name another database, or none"
        )
    return {"offer_id": first_offer(issued), "provider_id": shop.provider_id}


def _is_empty(store):
    with store.reading.connect() as db:
        return db.scalar(select(MERCHANTS.c.merchant_id).limit(1)) is None


def _merchant(host, merchant_id):
    """Return a merchant of acme, None if there is none."""
    stored = host.store.find(partner=ACME.name, merchant_id=merchant_id)
    return None if stored.state is None else read_documents(stored).merchant


def _fill(host):
    """Fill an empty database."""
    now = datetime.now(UTC)
    Past(host, ACME, "corner-cafe", now).offers()
    Past(host, WEST, "surf-shop", now).offers()
    Past(host, ACME, "florist", now - timedelta(hours=5), {"credit_score": TO_REVIEW}).offers()

    waiting = Past(host, ACME, "bakery", now - timedelta(days=1))
    waiting.accept(waiting.offers())

    past = Past(host, ACME, "book-shop", now - timedelta(days=DEAL_AGE))
    accepted = past.accept(past.offers(), BANK)
    past.agent("fund_deal", {"application_id": accepted["application_id"]})
    deal = _merchant(host, "book-shop").active_deal
    entries = list(_remittances(past.began.date(), deal.balance.amount))
    recorded = {
        "deal_id": deal.id,
        "entries": entries,
        "complete_through": entries[-1]["on"],
    }
    past.agent("record_remittance", recorded, days=DEAL_AGE)


def _remittances(funded_on, repayment_amount):
    """Yield daily remittances that pay down 60 percent, the same each day."""
    amount = (repayment_amount * Decimal("0.6") / DEAL_AGE).quantize(Decimal("0.01"))
    for day in range(1, DEAL_AGE + 1):
        on = funded_on + timedelta(days=day)
        yield {"id": f"r-{day}", "on": on.isoformat(), "amount": str(amount)}
