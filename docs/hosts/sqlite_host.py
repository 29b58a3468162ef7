"""A whole host on SQLite, from the standard library: how little holdback needs around it.

Every operation is one transaction that holds the only write lock from its first read to its commit, so
nothing that was read can have changed when it is written. The reply to a key is stored with what it
tells of. Read `sqlite.md` beside this file.
"""

import hashlib
import sqlite3
from contextlib import closing, contextmanager
from uuid import uuid4

from holdback import Context, InvalidDocument, Merchant, Refusal, wire
from holdback.lifecycle.events import OfferAccepted, OffersIssued

TABLES = """
create table if not exists merchants (partner, merchant_id, state, primary key (partner, merchant_id));
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
        """Make the database ready."""
        with closing(self.connect()) as db:
            db.execute("pragma journal_mode = wal")
            db.executescript(TABLES)

    def connect(self):
        return sqlite3.connect(self.path, timeout=60, isolation_level=None)

    @contextmanager
    def transaction(self):
        """The one writer, until the commit; anything raised on the way undoes all of it."""
        with closing(self.connect()) as db:  # closing without a commit rolls back
            db.execute("pragma synchronous = full")
            db.execute("begin immediate")
            yield db
            db.execute("commit")

    def handle(self, operation, input, *, key, at):
        """The status and the body of the answer. `at` is the time of this attempt, read once."""
        try:
            with self.transaction() as db:
                reply = self.answer(db, operation, input, key, at)
        except (Refusal, InvalidDocument) as error:
            return wire.problem(error)["status"], wire.write_problem(error)
        return 200, reply

    def answer(self, db, operation, input, key, at):
        partner, body = input["partner"], input["body"]
        about = f"{operation}\n{input.get('merchant_id') or ''}\n".encode()
        asked = hashlib.sha256(about + body).hexdigest()
        earlier = one(db, "select asked, reply from replies", partner=partner, key=key)
        if earlier and earlier[0] != asked:
            raise Refusal("request_conflict", "this key came before with another request")
        if earlier:
            return earlier[1]
        merchant = self.merchant(db, operation, input)
        evidence = wire.read_evidence(input.get("evidence"))
        context = Context(at=at, request_id=str(uuid4()), evidence=evidence)
        if operation == "look_up":
            return wire.write(self.engine.look_up(merchant, context).reply)
        currency = self.engine.jurisdictions.currency(merchant.jurisdiction)
        command = wire.read_command(operation, body, currency)
        outcome = self.engine.carry_out(merchant, command, context)
        reply = wire.write(outcome.reply)
        self.store(db, outcome)
        if key is not None:
            db.execute("insert into replies values (?, ?, ?, ?)", (partner, key, asked, reply))
        return reply

    def merchant(self, db, operation, input):
        """The merchant that a request is about; one of another partner is as unknown as none."""
        partner, body = input["partner"], input["body"]
        merchant_id = input.get("merchant_id")  # agents name it
        if operation == "request_offers":
            merchant_id = wire.read_offers_request(body).application.merchant_id
        elif operation in {"accept_offer", "look_up"}:
            kind = "offer_id" if operation == "accept_offer" else "provider_id"
            named = {"partner": partner, "kind": kind, "name": text(body, kind)}
            found = one(db, "select merchant_id from names", **named)
            merchant_id = found[0] if found else None
        state = one(db, "select state from merchants", partner=partner, merchant_id=merchant_id)
        if state:
            return wire.read_merchant(state[0])
        if operation == "request_offers":
            jurisdiction = input["jurisdiction"]
            return Merchant.new(partner=partner, merchant_id=merchant_id, jurisdiction=jurisdiction)
        code = "offer_not_found" if operation == "accept_offer" else "merchant_not_found"
        raise Refusal(code, "this partner has no such thing")

    def store(self, db, outcome):
        merchant = outcome.merchant
        who = (merchant.partner, merchant.merchant_id)
        state = wire.write_merchant(merchant)
        db.execute("insert or replace into merchants values (?, ?, ?)", (*who, state))
        for event in outcome.events:
            written = (*who, wire.write_event(event))
            db.execute("insert into events (partner, merchant_id, event) values (?, ?, ?)", written)
            for kind, name in names(event):
                named = (merchant.partner, kind, name, merchant.merchant_id)
                db.execute("insert or ignore into names values (?, ?, ?, ?)", named)

    def history(self, partner, merchant_id):
        """The merchant's events as JSON, in order."""
        query = "select event from events where partner = ? and merchant_id = ? order by number"
        with closing(self.connect()) as db:
            return [event for (event,) in db.execute(query, (partner, merchant_id))]

    def tell(self, send):
        """Tell others what happened, in order and after the commit: perhaps twice, never not at all."""
        query = (
            "select number, partner, merchant_id, event from events where not told order by number"
        )
        with closing(self.connect()) as db:
            for number, *event in db.execute(query).fetchall():
                send(number, *event)
                db.execute("update events set told = true where number = ?", (number,))


def one(db, query, **where):
    """The first row of *query* with these values, or None."""
    condition = " and ".join(f"{name} = :{name}" for name in where)
    return db.execute(f"{query} where {condition}", where).fetchone()


def text(body, field):
    """The text in a field of *body*, by which something is to be found."""
    document = wire.read_json(body)
    value = document.get(field) if isinstance(document, dict) else None
    if type(value) is not str:
        raise InvalidDocument.of("expected text", path=f"$.{field}")
    return value


def names(event):
    """What a partner may call the merchant by, from now on, each with its kind."""
    if isinstance(event, OffersIssued):
        for product in event.offer_set.products:
            for offer in product.offers:
                yield "offer_id", offer.offer_id
    elif isinstance(event, OfferAccepted):
        yield "provider_id", event.reply.provider_id
