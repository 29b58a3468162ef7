"""
The hosts of this folder for the conformance suite: `holdback conformance conforming:sqlite`.

Beyond `handle` and `history`, the suite wants to crash a host and to see what it published. A host
in service needs none of this.
"""

import asyncio
import base64
import json
import os
import sqlite3
import tempfile
import time
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote, urlencode

from fastapi_host.app import create_app
from fastapi_host.migrate import migrate
from fastapi_host.outbox import CLAIMED, deliver_due
from fastapi_host.partners import Agent, Partner, Partners, Webhook, sha256
from fastapi_host.tables import METADATA
from fastapi_host.webhook_delivery import signed
from sqlalchemy import event
from sqlite_host import SqliteHost

from holdback import Engine
from holdback.testing.conformance import PARTNER_OPERATIONS, Crashed, Worker
from holdback.wire import EVENT_TYPES


class Steps:
    """The step at which the host dies next: `left` more statements or commits from now."""

    left = None

    def __init__(self, die=lambda: None):
        self.die = die

    def step(self, *_, **__):
        if self.left is None:
            return
        if self.left == 0:
            self.left = None
            self.die()
            raise Crashed
        self.left -= 1


class ConformingSqlite(SqliteHost):
    """The SQLite host, with the optional methods of the suite."""

    cannot = MappingProxyType({"previous_version": "it is of one version"})
    publishes = tuple(EVENT_TYPES)

    def __init__(self, path, engine):
        super().__init__(path, engine)
        self.steps = Steps()
        self.sent = []

    def open(self):
        for end in ("", "-wal", "-shm"):
            Path(self.path + end).unlink(missing_ok=True)
        super().open()

    def connect(self):
        steps = self.steps

        class CrashingConnection(sqlite3.Connection):
            def execute(self, *statement):
                steps.step()
                cursor = super().execute(*statement)
                if statement[0] == "commit":
                    steps.step()  # committed, but the client does not know
                return cursor

        return sqlite3.connect(
            self.path, timeout=60, isolation_level=None, factory=CrashingConnection
        )

    def handle(self, *arguments, **options):
        try:
            return super().handle(*arguments, **options)
        finally:
            self.steps.left = None

    def crash(self, step):
        self.steps.left = step

    def new_process(self):
        return Worker("conforming:sqlite", self.path)

    def published(self, partner, merchant_id):
        try:
            self.publish(lambda _number, *event: self.sent.append(event))
        finally:
            self.steps.left = None
        return [event for *key, event in self.sent if key == [partner, merchant_id]]

    def change_rules(self, jurisdictions):
        self.engine = self.engine.with_jurisdictions(jurisdictions)


def sqlite(path=None):
    """Return the SQLite host on the database at `path`, by default in a new folder."""
    path = path or Path(tempfile.mkdtemp(prefix="holdback-")) / "holdback.db"
    return ConformingSqlite(path, Engine.for_trial())


# The time and the evidence of a thread's current request, for the app's clock and checks.
AT, EVIDENCE = ContextVar("at"), ContextVar("evidence")
# Each partner has its own URL and secret, so that a webhook for the wrong partner does not count.
HOOKS = {
    name: Webhook(
        url=f"https://partners.example/{name}",
        secret="whsec_" + base64.b64encode(name.encode() * 8).decode(),
    )
    for name in ("acme", "bolt")
}


# The type of event that each type of webhook is about.
EVENTS_OF_WEBHOOKS = {
    "renewal_eligibility_changed": "RenewalEligibilityChanged",
    "referral_decided": "ReferralDecided",
    "application_lapsed": "ApplicationLapsed",
    "queued_renewal_ready": "QueuedRenewalReady",
    "deal_paused": "DealPaused",
    "deal_resumed": "DealResumed",
    "terms_changed": "TermsChanged",
    "deal_unwound": "DealUnwound",
    "payout_returned": "PayoutReturned",
}


class ConformingFastApi:
    """The FastAPI host, called through ASGI without a network."""

    cannot = MappingProxyType({})
    publishes = tuple(EVENTS_OF_WEBHOOKS.values())

    def __init__(self, url, level, engine):
        self.url, self.level = url, level
        self.steps = Steps(self.die)
        self.app = create_app(
            engine=engine,
            partners=Partners(
                partners=[
                    Partner(name=name, key_sha256=sha256(name), jurisdiction="GB", webhook=hook)
                    for name, hook in HOOKS.items()
                ],
                # An underwriter, who may do all that agents may, for each partner, so that their
                # idempotency keys stay apart too.
                agents=[
                    Agent(name=name, key_sha256=sha256(f"agent-{name}"), role="underwriter")
                    for name in HOOKS
                ],
            ),
            checks=lambda *_: EVIDENCE.get(),
            clock=AT.get,
            database_url=url,
            isolation_level=level or None,
        )
        self.store = self.app.state.store
        self.sent, self.connections, self.publications = [], [], 0
        engine = self.store.engine
        engine.dispose()  # the listeners below do not see earlier connections
        event.listen(engine, "connect", lambda connection, _: self.connections.append(connection))
        event.listen(engine, "before_cursor_execute", self.steps.step)
        event.listen(engine, "after_cursor_execute", self.steps.step)
        event.listen(engine, "commit", self.steps.step)
        # SQLAlchemy has no events after a COMMIT, nor for statements that go directly to the
        # driver.
        engine.dialect.do_commit = self.crashing(engine.dialect.do_commit)
        self.store.first_row = self.crashing(self.store.first_row, before=self.steps.step)

    def crashing(self, call, before=lambda: None):
        """Return the call with a step after it."""

        def wrapped(*arguments):
            before()
            result = call(*arguments)
            self.steps.step()
            return result

        return wrapped

    def open(self):
        METADATA.drop_all(self.store.engine)
        METADATA.create_all(self.store.engine)

    def handle(self, operation, input, *, key, at):
        AT.set(at)
        EVIDENCE.set(input.get("evidence") or {})
        method, path, query, body = self.request(operation, input)
        agent = "" if operation in PARTNER_OPERATIONS else "agent-"
        headers = [(b"authorization", f"Bearer {agent}{input['partner']}".encode())]
        headers += [(b"content-type", b"application/json")] if body else []
        headers += [(b"idempotency-key", key.encode())] if key is not None else []
        try:
            return asyncio.run(
                answer(self.app, method, path, query=query, headers=headers, body=body)
            )
        finally:
            self.steps.left = None

    def die(self):
        """Roll back what the connections had begun, as the death of a process does."""
        for connection in self.connections:
            with suppress(Exception):  # most are closed already
                connection.rollback()

    def request(self, operation, input):
        """Return the HTTP request for an operation."""
        body = input["body"]
        if operation == "request_offers":
            return "POST", "/v2/offers", b"", body
        if operation == "look_up":
            return "GET", "/v2/merchant", urlencode(json.loads(body)).encode(), b""
        if operation == "accept_offer":
            document = json.loads(body)
            path = f"/v2/offers/{quote(document.pop('offer_id'), safe='')}/accept"
            return "POST", path, b"", json.dumps(document).encode() if document else b""
        path = f"/v2/agents/{input['partner']}/{input['merchant_id']}/{operation}"
        return "POST", path, b"", body

    def history(self, partner, merchant_id):
        return self.store.history(partner, merchant_id)

    def documents(self, partner, merchant_id):
        stored = self.store.find(partner=partner, merchant_id=merchant_id, profile=True)
        return bytes(stored.state), stored.profile and bytes(stored.profile)

    def crash(self, step):
        self.steps.left = step

    def new_process(self):
        return Worker("conforming:fastapi", self.url, self.level or "")

    def previous_version(self):
        """Return a process of this version: there was none before it."""
        return self.new_process()

    def published(self, partner, merchant_id):
        """Return the events whose webhooks arrived; a webhook of no event counts as itself."""
        self.publications += 1
        try:
            for each_partner in self.app.state.partners.partners:
                deliver_due(self.store, each_partner, self.receive, now=self.later)
        finally:
            self.steps.left = None
        history = self.history(partner, merchant_id)
        documents = {event: json.loads(event) for event in history}
        accepted = [event for event in documents.values() if event["type"] == "OfferAccepted"]
        provider_ids = {event["provider_id"] for event in accepted}
        webhooks = [json.loads(body) for url, body in self.sent if url == HOOKS[partner].url]
        return [
            next((event for event in history if is_about(webhook, documents[event])), webhook)
            for webhook in webhooks
            if webhook.get("provider_id") in provider_ids
            or webhook.get("merchant_id") == merchant_id
        ]

    def later(self):
        """Return a time at which the claims of earlier, crashed publications have expired."""
        return time.time() + CLAIMED * self.publications

    def receive(self, url, headers, body):
        """Receive a webhook as a partner does, if it is signed with the secret of its URL."""
        (secret,) = (hook.secret for hook in HOOKS.values() if hook.url == url)
        if headers != signed(secret, headers["webhook-id"], headers["webhook-timestamp"], body):
            return 401
        self.sent.append((url, body))
        return 200

    def change_rules(self, jurisdictions):
        # The host is frozen, because in service its rules never change. Here a change of rules
        # stands for a new release, which would make a new app.
        host = self.app.state.host
        object.__setattr__(host, "engine", host.engine.with_jurisdictions(jurisdictions))

    def close(self):
        self.store.close()


def is_about(webhook, event):
    """Return whether a webhook is about an event."""
    if event["type"] != EVENTS_OF_WEBHOOKS[webhook["type"]]:
        return False
    fields = {**event.get("decision", {}), **event} if "merchant_id" in webhook else event
    names = {"deal_id", "renewal_eligibility", "application_id", "at"} & webhook.keys()
    return all(fields[name] == webhook[name] for name in names)


async def answer(  # noqa: PLR0913 - the parts of one HTTP request
    app, method, path, *, query, headers, body
):
    """Return the status and the body of an application's answer to one request."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "http_version": "1.1", "method": method, "scheme": "http"}
    scope |= {"path": path, "raw_path": path.encode(), "query_string": query, "headers": headers}
    scope |= {"server": ("test", 80), "client": ("127.0.0.1", 1), "root_path": ""}
    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def fastapi(url=None, level=None):
    """
    Return the FastAPI host on a database, which the suite empties.

    It is the one at `url`, else at HOLDBACK_CONFORMANCE_URL, else SQLite in a new folder.
    """
    url = url or os.environ.get("HOLDBACK_CONFORMANCE_URL")
    if url is None:
        url = f"sqlite:///{tempfile.mkdtemp(prefix='holdback-')}/holdback.db"
    migrate(url)
    return ConformingFastApi(url, level, Engine.for_trial())
