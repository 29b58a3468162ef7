"""
A complete host on SQLite, with the standard library alone.

Every operation is one transaction that holds SQLite's only write lock from its first read to its
commit, so nothing that it read can change before it writes. The reply to a key is stored in the
same transaction. `sqlite.md` explains the rest.
"""

import hashlib
import secrets
import sqlite3
from contextlib import closing, contextmanager
from uuid import uuid4

from holdback import Context, InvalidDocument, Merchant, Profile, Refusal, wire
from holdback.operations import LookUp

TABLES = """
create table if not exists merchants (
    partner, merchant_id, state, profile, primary key (partner, merchant_id)
);
create table if not exists names (
    partner, kind, name, merchant_id, primary key (partner, kind, name)
);
create table if not exists replies (partner, key, asked, reply, primary key (partner, key));
create table if not exists events (
    number integer primary key, partner, merchant_id, event, told default false
);
"""


class SqliteHost:
    """The operations of the service on the database at `path`."""

    def __init__(self, path, engine):
        self.path = str(path)
        self.engine = engine

    def open(self):
        """Make the tables."""
        with closing(self.connect()) as db:
            db.execute("pragma journal_mode = wal")
            db.executescript(TABLES)

    def connect(self):
        return sqlite3.connect(self.path, timeout=60, isolation_level=None)

    @contextmanager
    def transaction(self):
        """Hold the write lock until the commit; an error rolls everything back."""
        with closing(self.connect()) as db:  # closing without a commit rolls back
            db.execute("pragma synchronous = full")
            db.execute("begin immediate")
            yield db
            db.execute("commit")

    def handle(self, operation, input, *, key, at):
        """
        Return the status and the body of the answer. `at` is the time of the request.

        Raises:
            StateError, ConfigurationError: a stored document or the evidence is invalid. The caller
                can do nothing about it, so answer 500.
        """
        try:
            with self.transaction() as db:
                reply = self.answer(db, operation, input, key, at)
        except (Refusal, InvalidDocument) as error:
            return wire.problem(error)["status"], wire.write_problem(error)
        return 200, reply

    def answer(self, db, operation, input, key, at):
        partner, body = input["partner"], input["body"]
        subject = f"{operation}\n{input.get('merchant_id') or ''}\n".encode()
        # The fingerprint tells a repeated request from another one with the same key.
        fingerprint = hashlib.sha256(subject + body).hexdigest()
        earlier = first_row(db, "select asked, reply from replies", partner=partner, key=key)
        if earlier and earlier[0] != fingerprint:
            raise Refusal("request_conflict", "this key was used for another request")
        if earlier:
            return earlier[1]
        merchant, profile = self.merchant(db, operation, input)
        context = Context(
            at=at,
            request_id=str(uuid4()),
            evidence=input.get("evidence", {}),
            sure=input.get("sure", False),  # an agent's word: SQLite has no clock of its own
        )
        if operation == "look_up":
            return wire.write(self.engine.carry_out(merchant, LookUp(), context).reply)
        if operation == "request_offers" and profile.is_erased:
            profile = new_profile()  # an initial application begins anew
        input_context = self.engine.input_context(merchant, context)
        command = wire.read_command(operation, body, input_context)
        outcome = self.engine.carry_out(merchant, command, context, profile=profile)
        reply = wire.write(outcome.reply)
        self.store(db, outcome)
        if key is not None:
            db.execute(
                "insert into replies values (?, ?, ?, ?)", (partner, key, fingerprint, reply)
            )
        return reply

    def merchant(self, db, operation, input):
        """Return the merchant of a request and its profile; another partner's is not found."""
        partner, body = input["partner"], input["body"]
        merchant_id = input.get("merchant_id")  # agents name it
        if operation == "request_offers":
            merchant_id = wire.read_offers_request(body).application.merchant_id
        elif operation in {"accept_offer", "look_up"}:
            kind = "offer_id" if operation == "accept_offer" else "provider_id"
            name = {"partner": partner, "kind": kind, "name": text_field(body, kind)}
            row = first_row(db, "select merchant_id from names", **name)
            merchant_id = row[0] if row else None
        key = {"partner": partner, "merchant_id": merchant_id}
        row = first_row(db, "select state, profile from merchants", **key)
        if row:
            return wire.read_merchant(row[0]), wire.read_profile(row[1])
        if operation == "request_offers":
            return Merchant.new(**key, jurisdiction=input["jurisdiction"]), new_profile()
        code = "offer_not_found" if operation == "accept_offer" else "merchant_not_found"
        raise Refusal(code, "this partner has no such merchant or offer")

    def store(self, db, outcome):
        merchant, stored = outcome.merchant, wire.write_stored(outcome)
        key = (merchant.partner, merchant.merchant_id)
        documents = (*key, stored.state, stored.profile)
        db.execute("insert or replace into merchants values (?, ?, ?, ?)", documents)
        for event in stored.events:
            row = (*key, event)
            db.execute("insert into events (partner, merchant_id, event) values (?, ?, ?)", row)
        for kind, name in outcome.names:
            row = (merchant.partner, kind, name, merchant.merchant_id)
            db.execute("insert or ignore into names values (?, ?, ?, ?)", row)

    def history(self, partner, merchant_id):
        """Return the merchant's events as JSON, in order."""
        query = "select event from events where partner = ? and merchant_id = ? order by number"
        with closing(self.connect()) as db:
            return [event for (event,) in db.execute(query, (partner, merchant_id))]

    def documents(self, partner, merchant_id):
        """Return the merchant's state and its profile as JSON."""
        with closing(self.connect()) as db:
            key = {"partner": partner, "merchant_id": merchant_id}
            return first_row(db, "select state, profile from merchants", **key)

    def publish(self, send):
        """Send the committed events to others, in order and at least once each."""
        query = (
            "select number, partner, merchant_id, event from events where not told order by number"
        )
        with closing(self.connect()) as db:
            for number, *event in db.execute(query).fetchall():
                send(number, *event)
                db.execute("update events set told = true where number = ?", (number,))


def new_profile():
    """Return an empty profile with a salt of its own, which is kept nowhere else."""
    return Profile.new(salt=secrets.token_bytes(16))


def first_row(db, query, **where):
    """Return the first row of *query* with these values, or None."""
    condition = " and ".join(f"{name} = :{name}" for name in where)
    return db.execute(f"{query} where {condition}", where).fetchone()


def text_field(body, field):
    """Return the text in a field of *body*."""
    document = wire.read_json(body)
    value = document.get(field) if isinstance(document, dict) else None
    if type(value) is not str:
        raise InvalidDocument.of("wrong_type", "expected text", path=f"$.{field}")
    return value
