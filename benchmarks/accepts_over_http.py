"""Acceptances through HTTP on PostgreSQL, against an endpoint that writes one row of the same size.

Measures: accepts per second of the FastAPI host in `docs/hosts`, each with an idempotency key, on
loopback: uvicorn with one process, 16 connections, PostgreSQL with its default durability (every
commit is flushed). The peer is a bare endpoint of FastAPI and SQLAlchemy that inserts one row as
large as everything that an acceptance writes, and returns a body of the same size. The two take
turns. The ratio to reach: at least 0.5 of the bare endpoint's rate.

Before anything is timed every reply is checked: 200, and the requested offer. PostgreSQL is
Debian's package.

Run it: `python benchmarks/accepts_over_http.py`
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[1:1] = [str(HERE.parents[1] / "docs" / "hosts"), str(HERE.parents[1] / "tests" / "hosts")]

import postgres
from fastapi_host.app import create_app
from fastapi_host.attempts import MerchantRequest
from fastapi_host.migrate import migrate
from fastapi_host.partners import Partner, Partners, sha256
from sqlalchemy import BigInteger, Column, LargeBinary, MetaData, Table, create_engine, text

from holdback import Engine
from holdback.testing import payloads

ROUNDS, REQUESTS, CONNECTIONS = 5, 1500, 16
PARTNER = Partner(name="acme", key_sha256=sha256("acme"), jurisdiction="GB")
BANK = json.dumps({"bank_details": dict(payloads.BANKS[0])}).encode()


def checks(*_):
    return payloads.evidence(datetime.now(UTC).date())


def host_app():
    """Return the host of `docs/hosts`, started as its command starts it."""
    app = create_app(
        engine=Engine.for_trial(),
        partners=Partners(partners=(PARTNER,)),
        checks=checks,
        database_url=os.environ["URL"],
    )
    gc.freeze()
    return app


def bare_app():
    """Return an app with one endpoint that inserts one row."""
    from fastapi import FastAPI
    from fastapi.responses import Response

    engine = create_engine(os.environ["URL"], pool_size=20, max_overflow=0)
    number = Column("number", BigInteger, primary_key=True, autoincrement=True)
    table = Table("bare", MetaData(), number, Column("value", LargeBinary))
    table.create(engine, checkfirst=True)
    row, reply = bytes(int(os.environ["ROW"])), b"x" * int(os.environ["REPLY"])
    app = FastAPI()

    @app.post("/bare")
    def bare():
        with engine.begin() as db:
            db.execute(table.insert(), {"value": row})
        return Response(reply, media_type="application/json")

    gc.freeze()
    return app


@contextmanager
def served(name, port, **environment):
    """Serve the app `name` in a process of its own."""
    line = [sys.executable, "-m", "uvicorn", "--factory", "--app-dir", str(HERE.parent)]
    line += [f"{HERE.stem}:{name}", "--port", str(port), "--log-level", "error", "--no-access-log"]
    with subprocess.Popen(line, env=os.environ | environment) as process:
        try:
            yield asyncio.run(until_up(port))
        finally:
            process.terminate()


async def until_up(port):
    for _ in range(200):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            return
    raise RuntimeError(f"nothing answers on port {port}")


async def load(port, requests):
    """
    Each of `requests` once, over all connections: the seconds of all, of each, and the answers.
    """
    waiting, times, answers = iter(enumerate(requests)), [0.0] * len(requests), {}

    async def client():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number, (path, headers) in waiting:
            head = f"POST {path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
            head += f"Content-Length: {len(BANK)}\r\n{headers}\r\n"
            start = time.perf_counter()
            writer.write(head.encode() + BANK)
            status, *fields = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
            length = next(int(f.split(":")[1]) for f in fields if f.startswith("content-length"))
            body = await reader.readexactly(length)
            times[number] = time.perf_counter() - start
            answers[number] = (int(status.split(" ")[1]), body)
        writer.close()

    start = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(CONNECTIONS)))
    return time.perf_counter() - start, times, answers


def made_offers(host, count):
    """Return the ids of *count* offers, of one merchant each."""
    for number in range(count):
        body = payloads.as_json(payloads.offers_request(f"m-{number}"))
        reply = json.loads(
            host.request_offers(MerchantRequest(partner=PARTNER, caller=PARTNER.caller), body)
        )
        yield reply["products"][0]["offers"][0]["offer_id"]


def written_by_one(store, offer_id, port):
    """Return the bytes that one acceptance writes, and those of its reply."""
    head = "Authorization: Bearer acme\r\nIdempotency-Key: first\r\n"
    _, _, answers = asyncio.run(load(port, [(f"/v2/offers/{offer_id}/accept", head)]))
    status, body = answers[0]
    assert status == 200, body
    query = """select length(state) + (select sum(length(event)) from events e
        where e.merchant_id = m.merchant_id and e.place > 1) from merchants m
        join names using (partner, merchant_id) where name = :name"""
    with store.reading.connect() as db:
        return int(db.scalar(text(query), {"name": offer_id})) + len(body), len(body)


def percentile(times, share):
    return sorted(times)[int(len(times) * share)] * 1000


def measured(offers, host_port, bare_port):
    """Return the rate and the times of both for each round."""
    for number in range(ROUNDS):
        mine = offers[number * REQUESTS : (number + 1) * REQUESTS]
        bare = asyncio.run(load(bare_port, [("/bare", "")] * REQUESTS))
        headers = "Authorization: Bearer acme\r\nIdempotency-Key: {}\r\n"
        asked = [(f"/v2/offers/{each}/accept", headers.format(each)) for each in mine]
        accepted = asyncio.run(load(host_port, asked))
        for place, offer_id in enumerate(mine):
            status, body = accepted[2][place]
            assert status == 200, body
            assert json.loads(body)["offer"]["offer_id"] == offer_id
        yield accepted[:2], bare[:2]


def main():
    with postgres.cluster() as server:
        os.environ["URL"] = server.url
        migrate(server.url)
        app = host_app()
        offers = list(made_offers(app.state.host, ROUNDS * REQUESTS + 1))
        host_port, bare_port = postgres.free_port(), postgres.free_port()
        with served("host_app", host_port):
            row, reply = written_by_one(app.state.store, offers.pop(), host_port)
            with served("bare_app", bare_port, ROW=str(row), REPLY=str(reply)):
                rounds = list(measured(offers, host_port, bare_port))
        app.state.store.close()
    ratios = [b[0] / a[0] for a, b in rounds]
    print(f"{row} bytes written by an acceptance, {reply} answered; {ROUNDS} rounds of {REQUESTS}")
    print(f"{'':16}{'a second':>10}{'p50 ms':>9}{'p99 ms':>9}")
    for name, place in (("accept", 0), ("bare row", 1)):
        rate = statistics.median(REQUESTS / each[place][0] for each in rounds)
        times = [one for each in rounds for one in each[place][1]]
        print(f"{name:16}{rate:10.0f}{percentile(times, 0.5):9.1f}{percentile(times, 0.99):9.1f}")
    told = ", ".join(f"{each:.2f}" for each in sorted(ratios))
    print(f"{'ratio':16}{statistics.median(ratios):10.2f}   to reach: 0.5   (rounds: {told})")


if __name__ == "__main__":
    main()
