"""The hosts of this folder as the conformance suite asks for them: `holdback conformance conforming:sqlite`.

What the suite asks of a host beyond `handle` and `history` is how to let it die, and what it has told
others. A host in service needs none of it.
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
from fastapi_host.outbox import CLAIMED, deliver_due, signed
from fastapi_host.partners import Agent, Partner, Partners, Webhook, sha256
from fastapi_host.tables import METADATA
from sqlalchemy import event
from sqlite_host import SqliteHost

from holdback import Engine
from holdback.testing.conformance import Crashed, Worker
from holdback.testing.conformance.host import PARTNER_OPERATIONS
from holdback.wire import EVENT_TYPES


class Steps:
    """Where the host is to die next: before so many more statements or commits."""

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
    """The bare host, with what the suite asks of it besides."""

    cannot = MappingProxyType({})
    tells = tuple(EVENT_TYPES)

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

        class Dying(sqlite3.Connection):
            def execute(self, *statement):
                steps.step()
                done = super().execute(*statement)
                if statement[0] == "commit":
                    steps.step()  # committed, and nobody knows
                return done

        return sqlite3.connect(self.path, timeout=60, isolation_level=None, factory=Dying)

    def handle(self, *asked, **more):
        try:
            return super().handle(*asked, **more)
        finally:
            self.steps.left = None

    def crash(self, step):
        self.steps.left = step

    def new_process(self):
        return Worker("conforming:sqlite", self.path)

    def told(self, partner, merchant_id):
        try:
            self.tell(lambda _number, *event: self.sent.append(event))
        finally:
            self.steps.left = None
        return [event for *who, event in self.sent if who == [partner, merchant_id]]

    def change_rules(self, jurisdictions):
        self.engine = self.engine.with_jurisdictions(jurisdictions)


def sqlite(path=None):
    """The bare host on a database in a new folder, or on the one at `path`."""
    path = path or Path(tempfile.mkdtemp(prefix="holdback-")) / "holdback.db"
    return ConformingSqlite(path, Engine.bundled())


# The time and the evidence of the request that a thread is at: the app's clock and checks read them.
AT, EVIDENCE = ContextVar("at"), ContextVar("evidence")
# Each partner has a URL and a secret of its own: what is sent to the wrong one, or signed for it, is not told.
HOOKS = {
    name: Webhook(
        url=f"http://127.0.0.1:9/{name}",
        secret="whsec_" + base64.b64encode(name.encode() * 8).decode(),
    )
    for name in ("acme", "bolt")
}


class ConformingFastApi:
    """The FastAPI host, asked through its HTTP interface without a network."""

    cannot = MappingProxyType({})
    tells = ("RenewalEligibilityChanged",)

    def __init__(self, url, level=None):
        self.url, self.level = url, level
        self.steps = Steps(self.die)
        self.app = create_app(
            engine=Engine.bundled(),
            partners=Partners(
                partners=[
                    Partner(name=each, key_sha256=sha256(each), jurisdiction="GB", webhook=hook)
                    for each, hook in HOOKS.items()
                ],
                # An agent for each, so that keys of their own stay apart too.
                agents=[Agent(name=each, key_sha256=sha256(f"agent-{each}")) for each in HOOKS],
            ),
            checks=lambda *_: EVIDENCE.get(),
            clock=AT.get,
            database_url=url,
            isolation_level=level or None,
        )
        self.store = self.app.state.store
        self.sent, self.connections, self.tellings = [], [], 0
        engine = self.store.engine
        engine.dispose()  # the connections from before are not listened to
        event.listen(engine, "connect", lambda each, _: self.connections.append(each))
        event.listen(engine, "before_cursor_execute", self.steps.step)
        event.listen(engine, "after_cursor_execute", self.steps.step)
        event.listen(engine, "commit", self.steps.step)
        # What SQLAlchemy has no events for: after a COMMIT, and the statements that go straight to the driver.
        engine.dialect.do_commit = self.dying(engine.dialect.do_commit)
        self.store.first_row = self.dying(self.store.first_row, before=self.steps.step)

    def dying(self, call, before=lambda: None):
        """The call, with a step after it."""

        def done(*given):
            before()
            result = call(*given)
            self.steps.step()
            return result

        return done

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
            return asyncio.run(answer(self.app, method, path, query, headers, body))
        finally:
            self.steps.left = None

    def die(self):
        """What a dead process leaves: what its connections had begun is undone."""
        for connection in self.connections:
            with suppress(Exception):  # most are closed
                connection.rollback()

    def request(self, operation, input):
        """The HTTP request that an operation is."""
        body = input["body"]
        if operation == "request_offers":
            return "POST", "/v2/offers", b"", body
        if operation == "look_up":
            return "GET", "/v2/merchant", urlencode(json.loads(body)).encode(), b""
        if operation == "accept_offer":
            given = json.loads(body)
            path = f"/v2/offers/{quote(given.pop('offer_id'), safe='')}/accept"
            return "POST", path, b"", json.dumps(given).encode() if given else b""
        path = f"/v2/agents/{input['partner']}/{input['merchant_id']}/{operation}"
        return "POST", path, b"", body

    def history(self, partner, merchant_id):
        return self.store.history(partner, merchant_id)

    def crash(self, step):
        self.steps.left = step

    def new_process(self):
        return Worker("conforming:fastapi", self.url, self.level or "")

    def told(self, partner, merchant_id):
        """The events whose webhooks came, as the history has them; a webhook of none as it came."""
        self.tellings += 1
        try:
            for each in self.app.state.partners.partners:
                deliver_due(self.store, each, self.receive, now=self.later)
        finally:
            self.steps.left = None
        history = self.history(partner, merchant_id)
        read = {event: json.loads(event) for event in history}
        accepted = [each for each in read.values() if each["type"] == "OfferAccepted"]
        provider_ids = {each["reply"]["provider_id"] for each in accepted}
        came = [json.loads(body) for url, body in self.sent if url == HOOKS[partner].url]
        return [
            next((event for event in history if webhook_of(read[event], each)), each)
            for each in came
            if each["provider_id"] in provider_ids
        ]

    def later(self):
        """The time of a telling: what an earlier one claimed before it died is free again."""
        return time.time() + CLAIMED * self.tellings

    def receive(self, url, headers, body):
        """What a partner does: it takes what is signed with the secret of its URL."""
        (secret,) = (each.secret for each in HOOKS.values() if each.url == url)
        if headers != signed(secret, headers["webhook-id"], headers["webhook-timestamp"], body):
            return 401
        self.sent.append((url, body))
        return 200

    def change_rules(self, jurisdictions):
        # The endpoints were made with this one host. In service its rules never change, so it is frozen; that the
        # suite changes them stands for a new release, for which the app would be made anew.
        host = self.app.state.host
        object.__setattr__(host, "engine", host.engine.with_jurisdictions(jurisdictions))

    def close(self):
        self.store.close()


def webhook_of(event, came):
    """Whether a webhook tells of an event."""
    told = ("deal_id", "renewal_eligibility", "at")
    return event["type"] == "RenewalEligibilityChanged" and all(
        event[name] == came[name] for name in told
    )


async def answer(app, method, path, query, headers, body):
    """The status and the body of an application's answer to one request."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "http_version": "1.1", "method": method, "scheme": "http"}
    scope |= {"path": path, "raw_path": path.encode(), "query_string": query, "headers": headers}
    scope |= {"server": ("test", 80), "client": ("127.0.0.1", 1), "root_path": ""}
    await app(scope, receive, send)
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent[1:])


def fastapi(url=None, level=None):
    """
    The FastAPI host on the database at `url`, else at HOLDBACK_CONFORMANCE_URL, else on SQLite in a new folder.

    The suite empties that database.
    """
    url = url or os.environ.get("HOLDBACK_CONFORMANCE_URL")
    if url is None:
        url = f"sqlite:///{tempfile.mkdtemp(prefix='holdback-')}/holdback.db"
    return ConformingFastApi(url, level)
