"""
How the files in `first/` were made, with the first version itself; they are never made again.

The wheel is what `python -m build --wheel` builds from commit 69fa296, and `hosts.zip` has the
hosts of that commit. With both unpacked, and with nothing else of this repository on the path:

    PYTHONPATH=UNPACKED-WHEEL:UNPACKED-HOSTS python tests/formats/make_first.py NEW-FOLDER

Every operation went through the first version's FastAPI host on SQLite. The documents are the rows
that it stored; the answers are what the first version replied about them on two later days.
With the same version of Hypothesis the script makes the same documents again.
"""

from __future__ import annotations

import json
import lzma
import sqlite3
import sys
import uuid
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random
from types import MappingProxyType

import conforming
import lives
from attrs import frozen
from fastapi_host import logs
from hypothesis import HealthCheck, Phase, given, seed, settings

from holdback import Context, Engine, InvalidDocument, Merchant, Refusal, wire
from holdback.exact.exact_json import write_json
from holdback.operations import AssessRenewal
from holdback.testing.conformance.checks import scripted_checks as scripted
from holdback.testing.conformance.host import OPTIONAL
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulated.histories import carry_out, draw_steps
from holdback.testing.inputs import run_operation
from holdback.testing.strategies.likely_inputs import Moment, request

SEED = 20260706
DRAWN = 13  # histories of each jurisdiction
RANDOM_CHECKS = 6  # histories of the conformance suite, each of up to six merchants
# The jurisdictions of the database that is kept.
KEPT = ("GB", "JP", "US-CA")
FIXED_DAY = datetime(2031, 1, 6, 12, tzinfo=UTC)
SCRIPTED = (
    scripted.partner_flow,
    scripted.same_key,
    scripted.retry_after_expiry,
    scripted.clock_back,
    scripted.two_applications,
    scripted.deliveries,
)


# -- the operations that filled the database


@frozen
class Exchanges:
    """The host of one jurisdiction, and all exchanges with it and with the others."""

    cannot = MappingProxyType(
        dict.fromkeys(OPTIONAL, "the documents were made without crashes, and by the shipped rules")
    )
    host: object
    code: str
    ids: Random
    made: list

    def handle(self, operation, given, *, key, at, request_id=None):
        """Ask the host, and keep the request and its answer."""
        request_id = request_id or str(uuid.UUID(int=self.ids.getrandbits(128), version=4))
        logs.uuid4 = lambda: request_id
        status, reply = self.host.handle(operation, given, key=key, at=at)
        self.made.append(
            {
                "partner": given["partner"],
                "jurisdiction": self.code,
                "merchant_id": given.get("merchant_id"),
                "operation": operation,
                "key": key,
                "request_id": request_id,
                "at": at.isoformat(),
                "evidence": given.get("evidence") or {},
                "body": given["body"].decode(),
                "status": status,
                "reply": reply.decode(),
            }
        )
        return status, reply

    def history(self, partner, merchant_id):
        return self.host.history(partner, merchant_id)

    def open(self):
        """Keep what is stored: the checks share one database."""


def host_of(code, url):
    """Return the first version's FastAPI host for partners of one jurisdiction."""
    partner = conforming.Partner
    conforming.Partner = lambda **named: partner(**{**named, "jurisdiction": code})
    try:
        return conforming.ConformingFastApi(url)
    finally:
        conforming.Partner = partner


def drawn_histories(engine, code):
    """Return histories of one jurisdiction, drawn with a fixed seed, and its scripted lives."""
    histories = [
        lives.scripted(engine, code, life, number)
        for number, life in enumerate(lives.LIVES, start=1)
    ]

    @seed(f"{SEED} {code}")
    @settings(
        max_examples=DRAWN,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(lives.drawn(engine, code, count(1)))
    def collect(history):
        if history.events:
            histories.append(history)

    collect()
    return histories


def carry_out_again(history, exchanges):
    """Carry out the steps of *history* through the host, which must store what the engine gave."""
    first = history.first
    for number, step in enumerate(history.steps, start=1):
        body = dict(step.input)
        if step.operation == "look_up":
            body = {"provider_id": history.merchant.provider_id or "nobody"}
        given = {
            "partner": first.partner,
            "merchant_id": first.merchant_id,
            "body": write_json(body).encode(),
            "evidence": dict(step.evidence),
        }
        key = f"{uuid.uuid5(uuid.NAMESPACE_URL, first.merchant_id)}-{number}"
        exchanges.handle(step.operation, given, key=key, at=step.at, request_id=step.request_id)
    stored = exchanges.history(first.partner, first.merchant_id)
    assert stored == [wire.write_event(event) for event in history.events], history


def conformance(exchanges):
    """Run checks of the first version's conformance suite."""
    session = Session(exchanges, SEED)
    for check in SCRIPTED:
        check(session)
    for number in range(RANDOM_CHECKS):
        steps = draw_steps(Random(SEED + number), 120)  # reproducible data
        carry_out(steps, session.simulation(), 60)


# -- the documents


def rows(path, query, *parameters):
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query, parameters).fetchall()
    finally:
        connection.close()


def stored(path):
    """Yield the state and the events of each merchant in a database."""
    query = "select partner, merchant_id, state from merchants order by partner, merchant_id"
    for partner, merchant_id, state in rows(path, query):
        named = "select event from events where partner = ? and merchant_id = ? order by place"
        yield state, [event for (event,) in rows(path, named, partner, merchant_id)]


def document(engine, state, events):
    """Return what is stored of a merchant, and what the first version answers about it."""
    merchant = wire.read_merchant(state)
    new = Merchant.new(
        partner=merchant.partner,
        merchant_id=merchant.merchant_id,
        jurisdiction=merchant.jurisdiction,
    )
    assert engine.evolve(new, [wire.read_event(event) for event in events]) == merchant
    return {
        "partner": merchant.partner,
        "merchant_id": merchant.merchant_id,
        "jurisdiction": merchant.jurisdiction,
        "state": state.decode(),
        "events": [event.decode() for event in events],
        "records": list(records(engine, merchant)),
        "answers": list(answers(engine, merchant)),
    }


def days_after(merchant):
    """Return the two instants of the answers: soon after the last event, and the fixed day."""
    last = merchant.last_seen_at
    return (FIXED_DAY,) if last is None else (last + timedelta(days=1), FIXED_DAY)


def records(engine, merchant):
    """Yield the decision records of the merchant's renewal, as JSON."""
    for at in days_after(merchant):
        try:
            context = Context(at=at, request_id="golden-record")
            yield write_json(engine.carry_out(merchant, AssessRenewal(), context).reply.record())
        except Refusal:
            continue


def answers(engine, merchant):
    """Yield the answers to a lookup, and to requests for offers without and with new checks."""
    currency = engine.jurisdictions.currency(merchant.jurisdiction).code
    for at in days_after(merchant):
        moment = Moment(engine=engine, merchant=merchant, at=at)
        if merchant.provider_id is not None:
            yield answer(engine, merchant, at, "look_up", {})
            renewal = request(moment, renewal=True)
            good = moment.good_evidence(renewal=True)[0]
            yield answer(engine, merchant, at, "required_checks", renewal)
            for evidence in ({}, good) if good else ({},):
                yield answer(engine, merchant, at, "request_offers", renewal, evidence)
        initial = request(moment, renewal=False)
        good = moment.good_evidence(renewal=False)[0]
        assert initial["application"]["currency"] == currency
        yield answer(engine, merchant, at, "required_checks", initial)
        yield answer(engine, merchant, at, "request_offers", initial, good)


def answer(engine, merchant, at, operation, body, evidence=None):
    """Return one question with the first version's answer."""
    context = Context(at=at, request_id="golden-answer", evidence=evidence or {})
    given = None if operation == "look_up" else body
    try:
        reply = run_operation(engine, merchant, operation, given, context).reply
        status, written = 200, wire.write(reply)
    except (Refusal, InvalidDocument) as error:
        status, written = wire.problem(error)["status"], wire.write_problem(error)
    return {
        "at": at.isoformat(),
        "operation": operation,
        "body": write_json(body),
        "evidence": dict(evidence or {}),
        "status": status,
        "reply": written.decode(),
    }


# -- the files


def compressed(path, content):
    path.write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))


def lines(documents):
    return b"".join(
        json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        for document in documents
    )


def fill(path, codes, engine, ids):
    """Fill a database with the merchants of some jurisdictions; return the exchanges."""
    made = []
    for place, code in enumerate(codes):
        host = host_of(code, f"sqlite:///{path}")
        if not place:
            host.open()
        exchanges = Exchanges(host, code, ids, made)
        for history in drawn_histories(engine, code):
            carry_out_again(history, exchanges)
        if code == "GB":
            conformance(exchanges)
        host.close()
        sys.stdout.write(f"{code}: {len(made)} exchanges\n")
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        connection.execute("pragma journal_mode = delete")
        connection.execute("vacuum")
    return made


def main(folder):
    folder = Path(folder)
    folder.mkdir(parents=True)
    engine, ids = Engine.bundled(), Random(SEED)  # reproducible data
    kept, others = folder / "merchants.db", folder / "others.db"
    made = fill(kept, KEPT, engine, ids)
    fill(others, [code for code in engine.jurisdictions.codes if code not in KEPT], engine, ids)
    written = [document(engine, *one) for path in (kept, others) for one in stored(path)]
    for history in lives.unasked(engine):
        state = wire.write_merchant(history.merchant)
        written.append(document(engine, state, [*map(wire.write_event, history.events)]))
    compressed(folder / "documents.jsonl.xz", lines(written))
    compressed(folder / "exchanges.jsonl.xz", lines(made))
    compressed(folder / "merchants.db.xz", kept.read_bytes())
    sys.stdout.write(f"{len(written)} documents\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
