"""The FastAPI host in this process, on each database, and a merchant that calls it."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from attrs import field, frozen
from fastapi_host.app import create_app
from fastapi_host.migrate import migrate
from fastapi_host.partners import Agent, Partner, Partners, Webhook, sha256
from fastapi_host.tables import METADATA

from holdback import Engine, wire
from holdback.merchant.product import Offers
from holdback.testing import payloads

ENGINE = Engine.for_trial()
START = datetime(2026, 7, 6, 9, 0, tzinfo=UTC)
SECRET = "whsec_" + "c2VjcmV0" * 4
HOOK = Webhook(url="https://acme.example/hooks", secret=SECRET)
PARTNERS = Partners(
    partners=(
        Partner(name="acme", key_sha256=sha256("acme-key"), jurisdiction="GB", webhook=HOOK),
        Partner(name="bolt", key_sha256=sha256("bolt-key"), jurisdiction="GB"),
    ),
    agents=(
        Agent(name="agent", key_sha256=sha256("agent-key")),
        Agent(name="underwriter", key_sha256=sha256("underwriter-key"), role="underwriter"),
        Agent(name="clerk", key_sha256=sha256("clerk-key"), bank_details=True),
    ),
)
# Personal data that the tests of logs and errors look for.
PROFILE = {
    "consents": {"credit_check": True},
    "applicants": [{"name": "Ada Person", "born": "1980-01-02"}],
    "company": {"name": "Nine Lives Ltd", "registered": "01234567"},
}
BANK = {
    "account_number": "12345678",
    "bank_name": "Bank of Somewhere",
    "account_type": "NONE",
    "sort_code": "04-00-04",
}
# SQLite, and PostgreSQL at each of its isolation levels.
DATABASES = ("sqlite", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")


class Service:
    """The app, with a clock that a test moves."""

    def __init__(self, url, level=None, partners=PARTNERS, engine=ENGINE, **options):
        self.now = START
        self.asked_checks, self.evidence = [], {}
        migrate(url)
        self.app = create_app(
            engine=engine,
            partners=partners,
            checks=self.checks,
            database_url=url,
            isolation_level=level,
            clock=lambda: self.now,
            **options,
        )
        self.store = self.app.state.store
        self.host = self.app.state.host

    def checks(self, partner, request, required):
        self.asked_checks.append((partner.name, required))
        names = {name for check in required.checks for name in check.evidence}
        evidence = payloads.evidence(self.now.date()) | self.evidence
        return {name: value for name, value in evidence.items() if name in names}

    def call(self, method, path, body=None, *, key="acme-key", idempotency=None, **more):
        """Make one request; a body that is not bytes is written as JSON."""
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if idempotency is not None:
            headers["Idempotency-Key"] = idempotency
        given = more.pop("headers", {})  # pairs, where one header is sent twice
        headers = [*headers.items(), *given] if isinstance(given, list) else headers | given
        content = body if isinstance(body, bytes | None) else payloads.as_json(body)
        more = {"content": content, **more}

        async def send():
            transport = httpx.ASGITransport(app=self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                return await client.request(method, path, headers=headers, **more)

        return asyncio.run(send())

    def agent(self, operation, body=None, *, merchant_id="m-1", partner="acme", **more):
        path = f"/v2/agents/{partner}/{merchant_id}/{operation}"
        return self.call("POST", path, body, **{"key": "agent-key", **more})

    def agent_asks(self, question, *, merchant_id="m-1", partner="acme", **more):
        path = f"/v2/agents/{partner}/{merchant_id}/{question}"
        return self.call("GET", path, **{"key": "agent-key", **more})

    def events(self, merchant_id="m-1", partner="acme"):
        """Return the types of a merchant's events, in order."""
        stored = self.store.history(partner, merchant_id)
        return [json.loads(event)["type"] for event in stored]


@frozen
class Merchant:
    """A merchant whose partner makes requests over HTTP; `known` holds the ids it got."""

    service: Service
    merchant_id: str = "m-1"
    key: str = "acme-key"
    partner: str = "acme"
    known: dict = field(factory=dict)

    def initial(self, **changed):
        use = "a second oven"
        body = payloads.offers_request(self.merchant_id, use=use, profile=PROFILE)
        return body | {"application": body["application"] | changed}

    def renewal(self):
        return payloads.offers_request(self.merchant_id, self.known["provider_id"])

    def ask(self, body=None, **more):
        reply = self.service.call(
            "POST", "/v2/offers", body or self.initial(), key=self.key, **more
        )
        if reply.status_code == 200:
            products = reply.json()["products"]
            self.known["offer_ids"] = [
                offer["offer_id"] for product in products for offer in product["offers"]
            ]
        return reply

    def accept(self, offer_id=None, bank_details=BANK, **more):
        path = f"/v2/offers/{offer_id or self.known['offer_ids'][0]}/accept"
        body = None if bank_details is None else {"bank_details": bank_details}
        reply = self.service.call("POST", path, body, key=self.key, **more)
        if reply.status_code == 200:
            self.known["provider_id"] = reply.json()["provider_id"]
            self.known["application_id"] = reply.json()["application_id"]
        return reply

    def look_up(self):
        query = {"provider_id": self.known["provider_id"]}
        return self.service.call("GET", "/v2/merchant", key=self.key, params=query)

    def agent(self, operation, body=None, **more):
        key = {"merchant_id": self.merchant_id, "partner": self.partner}
        return self.service.agent(operation, body, **key, **more)

    def agent_asks(self, question, **more):
        key = {"merchant_id": self.merchant_id, "partner": self.partner}
        return self.service.agent_asks(question, **key, **more)

    def partner_does(self, operation, body=None, **more):
        """Make a request of the partner about this merchant: a question without a body."""
        path = f"/v2/merchants/{self.merchant_id}/{operation}"
        method = "GET" if body is None else "POST"
        return self.service.call(method, path, body, **{"key": self.key, **more})

    def referred(self, body=None):
        """Ask for offers with a credit score that a person looks at; return the referral."""
        self.service.evidence = {"credit_score": 617}
        assert self.ask(body).status_code == 200
        self.service.evidence = {}
        return self.agent_asks("referrals").json()["referrals"][0]

    def decide(self, referral, decision="approve", **more):
        body = {name: referral[name] for name in ("application_id", "product")}
        body |= {"decision": decision, "by": "u-7", **more}
        return self.agent("decide_referral", body, key="underwriter-key")

    def fund(self):
        reply = self.agent("fund_deal", {"application_id": self.known["application_id"]})
        self.known["deal_id"] = reply.json()["deal_id"]
        return reply

    def funded(self):
        assert self.ask().status_code == 200
        assert self.accept().status_code == 200
        assert self.fund().status_code == 200
        return self

    def remit(self, amount, entry_id="e-1"):
        """Record one entry of today, and a complete history."""
        today = self.service.now.date().isoformat()
        entry = {"id": entry_id, "on": today, "amount": amount}
        body = {"deal_id": self.known["deal_id"], "entries": [entry], "complete_through": today}
        return self.agent("record_remittance", body)

    def renewable(self):
        """Fund a deal, and pay down more than half of it in 120 days, so that it can be renewed."""
        self.funded()
        self.service.now += timedelta(days=120)
        assert self.remit("7000.00").status_code == 200
        (deal,) = self.look_up().json()["deals"]
        assert deal["performance"]["renewal_eligibility"] is True
        return self


def database(name, folder, request):
    """Return the URL of an empty database, and its isolation level."""
    if name == "sqlite":
        return f"sqlite:///{folder}/holdback.db", None
    return request.getfixturevalue("postgres").new_database(), name


@contextmanager
def service_on(name, folder, request=None, **more):
    """
    A service on the database *name*; one of PostgreSQL is made in the server of the *request*'s
    session.
    """
    service = Service(*database(name, folder, request), **more)
    try:
        yield service
    finally:
        service.store.close()


@pytest.fixture(scope="module", params=DATABASES)
def place(request, tmp_path_factory):
    """A service on each database, for the whole module."""
    with service_on(request.param, tmp_path_factory.mktemp("database"), request) as service:
        yield service


@pytest.fixture
def service(place):
    """The service with an empty store."""
    with place.store.engine.begin() as db:
        for table in METADATA.sorted_tables:
            db.execute(table.delete())
    place.now = START
    place.asked_checks.clear()
    place.evidence = {}
    return place


@pytest.fixture
def merchant(service):
    return Merchant(service)


def code(reply):
    """Return the status and code of problem details, after checking their form."""
    assert reply.headers["content-type"] == wire.CONTENT_TYPE
    problem = reply.json()
    assert list(problem) == ["type", "title", "status", "detail", "code", "errors"]
    assert problem["status"] == reply.status_code
    assert problem["type"] == f"urn:holdback:{problem['code']}"
    return reply.status_code, problem["code"]


def at_once(calls):
    with ThreadPoolExecutor(len(calls)) as threads:
        futures = [threads.submit(call) for call in calls]
        return [future.result() for future in futures]


def offers_of(service):
    """Return the reply to the stored request for offers."""
    merchant = wire.read_merchant(service.store.find(partner="acme", merchant_id="m-1").state)
    (issued,) = merchant.offer_sets
    return wire.write(Offers(products=issued.products, expires_at=issued.expires_at))
