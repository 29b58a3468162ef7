"""Acceptances through HTTP on PostgreSQL, against an endpoint that writes as much in one row.

Measures: accepts per second of the FastAPI host in `docs/hosts`, each with an idempotency key and
bank details, on loopback: uvicorn with one process, 16 connections, PostgreSQL with its default
durability (every commit is flushed), and the log switched on. Once for merchants whose first deal
it is, and once for merchants of ten years (`ten_years.py`), who renew.

The peer is a bare endpoint of FastAPI and SQLAlchemy with the same middleware, the same handlers of
errors and the same settings of the connections. It reads its body, inserts one row with the bytes
that an acceptance writes (state, profile, events and reply) in one statement that is a transaction,
and returns the bytes of the same reply. The two take turns.

The ratios to reach: at least 0.6 of the bare endpoint's rate, 0.4 for the merchant of ten years.

Before anything is timed every reply is checked: 200, and the requested offer. PostgreSQL is
Debian's package.

Run it: `python benchmarks/accepts_over_http.py`; `--rounds` and `--requests` make it shorter.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

HERE = Path(__file__).resolve()
ROOT = HERE.parents[1]
sys.path[1:1] = [str(ROOT / folder) for folder in ("docs/hosts", "tests", "tests/hosts")]

import postgres
from attrs import evolve, frozen
from fastapi import Depends, FastAPI, Request
from fastapi.responses import Response
from fastapi_host import problems
from fastapi_host.app import create_app
from fastapi_host.attempts import MerchantRequest
from fastapi_host.client_address import Proxies
from fastapi_host.database import connect
from fastapi_host.logs import log_to, note_of
from fastapi_host.migrate import migrate
from fastapi_host.outermost import Outermost
from fastapi_host.partners import Partner, Partners, sha256
from fastapi_host.tables import MERCHANTS, PROFILES
from sqlalchemy import BigInteger, Column, LargeBinary, MetaData, Table, insert, text
from ten_years import DEAL_DAYS, Years

from holdback import Engine, wire
from holdback.testing import payloads

CONNECTIONS = 16
DEALS = 18  # of ten years
PARTNER = Partner(name="acme", key_sha256=sha256("acme"), jurisdiction="GB")
BANK = json.dumps({"bank_details": dict(payloads.BANKS[0])}).encode()


def checks(_partner, request, _required, *, clock):
    """Return good news about everybody, of today."""
    if request.renewal:
        return {"credit_score": 700, "credit_checked_on": clock().date().isoformat()}
    return payloads.evidence(clock().date())


def host_app():
    """Return the host of `docs/hosts`, started as its command starts it, `AHEAD` of the clock."""
    ahead = timedelta(seconds=float(os.environ["AHEAD"]))

    def clock():
        return datetime.now(UTC) + ahead

    return create_app(
        engine=Engine.for_trial(),
        partners=Partners(partners=(PARTNER,)),
        checks=partial(checks, clock=clock),
        database_url=os.environ["URL"],
        clock=clock,
    )


def log_to_nothing():
    """Write the log, and throw it away."""
    log_to(Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - until the process ends


def served_host():
    """Return the same for a process of its own, which logs."""
    log_to_nothing()
    return host_app()


async def body_of(request: Request):
    """Return the body of a request."""
    return await request.body()


def served_bare():
    """Return an app with one endpoint that inserts one row."""
    log_to_nothing()
    engine, _ = connect(os.environ["URL"])
    number = Column("number", BigInteger, primary_key=True, autoincrement=True)
    table = Table("bare", MetaData(), number, Column("value", LargeBinary))
    table.create(engine, checkfirst=True)
    row, reply = (Path(os.environ[name]).read_bytes() for name in ("ROW", "REPLY"))
    app = FastAPI()
    app.add_middleware(Outermost, proxies=Proxies())
    problems.install(app, note_of)
    statement = insert(table).inline()

    @app.post("/bare")
    def bare(body: Annotated[bytes, Depends(body_of)]):
        assert body == BANK
        with engine.begin() as db:  # in autocommit: the statement is the transaction
            db.execute(statement, {"value": row})
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


def first_deals(host, count):
    """Return the ids of *count* offers, of one new merchant each."""
    return [offered(host, payloads.offers_request(f"m-{number}")) for number in range(count)]


def renewals(host, count, journey):
    """Return the ids of *count* offers, of one copy of the merchant of *journey* each."""
    key = {"partner": journey.merchant.partner}
    profile = wire.write_profile(journey.profile)
    offers = []
    for number in range(count):
        merchant = evolve(journey.merchant, merchant_id=f"old-{number}")
        key["merchant_id"] = merchant.merchant_id
        row = {"version": merchant.sequence, "state": wire.write_merchant(merchant)}
        with host.store.transaction() as db:
            db.execute(insert(MERCHANTS), key | row)
            db.execute(insert(PROFILES), key | {"profile": profile})
        body = payloads.offers_request(merchant.merchant_id, merchant.provider_id)
        offers.append(offered(host, body))
    return offers


def offered(host, body):
    request = MerchantRequest(partner=PARTNER, caller=PARTNER.caller)
    reply = json.loads(host.request_offers(request, payloads.as_json(body)))
    return reply["products"][0]["offers"][0]["offer_id"]


def ten_years():
    """Return a merchant whose last deal of ten years has been paid down."""
    journey = Years()
    journey.begin()
    for deal in range(DEALS):
        if deal:
            journey.renew()
        for day in range(DEAL_DAYS):
            journey.day(DEAL_DAYS + 30)
            if day % 30 == 0:
                journey.ask(renewal=True)
    return journey


def written_by_one(store, offer_id, port):
    """Return the bytes that one acceptance writes, and its reply."""
    with store.reading.connect() as db:
        before = db.scalar(text(PROFILE_OF), {"name": offer_id})
        head = "Authorization: Bearer acme\r\nIdempotency-Key: first\r\n"
        _, _, answers = asyncio.run(load(port, [(f"/v2/offers/{offer_id}/accept", head)]))
        status, body = answers[0]
        assert status == 200, body
        after = db.scalar(text(PROFILE_OF), {"name": offer_id})
        documents = [] if after == before else [after]
        documents += db.scalars(text(WRITTEN), {"name": offer_id, "offer_id": offer_id})
    return b"".join([*documents, body]), body


PROFILE_OF = """select profile from profiles join names using (partner, merchant_id)
    where name = :name"""
# Two operations wrote events: the request for offers, and the acceptance, whose request id is that
# of the last event.
WRITTEN = """
with m as (select * from merchants join names using (partner, merchant_id) where name = :name),
    e as (select place, event, (convert_from(event, 'UTF8')::json)->>'request_id' as request_id
        from events join m using (partner, merchant_id))
select state from m union all
select event from e where request_id = (select request_id from e order by place desc limit 1)"""


def percentile(times, share):
    return sorted(times)[int(len(times) * share)] * 1000


def measured(offers, rounds, host_port, bare_port):
    """Return the rate and the times of both for each round."""
    requests = len(offers) // rounds
    for number in range(rounds):
        mine = offers[number * requests : (number + 1) * requests]
        bare = asyncio.run(load(bare_port, [("/bare", "")] * requests))
        headers = "Authorization: Bearer acme\r\nIdempotency-Key: {}\r\n"
        asked = [(f"/v2/offers/{offer_id}/accept", headers.format(offer_id)) for offer_id in mine]
        accepted = asyncio.run(load(host_port, asked))
        for place, offer_id in enumerate(mine):
            status, body = accepted[2][place]
            assert status == 200, body
            assert json.loads(body)["offer"]["offer_id"] == offer_id
        assert all(answer[0] == 200 for answer in bare[2].values())
        yield accepted[:2], bare[:2]


@frozen
class Case:
    """Merchants that accept an offer; `offers(host, count)` makes them."""

    name: str
    offers: object
    requests: int
    to_reach: float
    ahead: timedelta = timedelta()


def compare(case, url, folder, rounds):
    """Print the table of one case."""
    os.environ.update(URL=url, AHEAD=str(case.ahead.total_seconds()))
    migrate(url)
    app = host_app()
    offers = case.offers(app.state.host, rounds * case.requests + 1)
    host_port, bare_port = postgres.free_port(), postgres.free_port()
    with served("served_host", host_port):
        row, reply = written_by_one(app.state.store, offers.pop(), host_port)
        files = {name: str(Path(folder) / name) for name in ("ROW", "REPLY")}
        Path(files["ROW"]).write_bytes(row)
        Path(files["REPLY"]).write_bytes(reply)
        with served("served_bare", bare_port, **files):
            results = list(measured(offers, rounds, host_port, bare_port))
    app.state.store.close()
    print(f"\n{case.name}: {len(row)} bytes written, {len(reply)} answered")
    print(f"{'':16}{'a second':>10}{'p50 ms':>9}{'p99 ms':>9}")
    for name, place in (("accept", 0), ("bare row", 1)):
        rate = statistics.median(case.requests / result[place][0] for result in results)
        times = [seconds for result in results for seconds in result[place][1]]
        print(f"{name:16}{rate:10.0f}{percentile(times, 0.5):9.1f}{percentile(times, 0.99):9.1f}")
    ratios = sorted(bare[0] / accepted[0] for accepted, bare in results)
    told = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"{'ratio':16}{statistics.median(ratios):10.2f}", end="")
    print(
        f"   to reach: {case.to_reach}   ({rounds} rounds of {case.requests}: {told})", flush=True
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--requests", type=int, default=1500, help="of a round; a fifth for ten years"
    )
    options = parser.parse_args()
    journey = ten_years()
    ahead = journey.now - datetime.now(UTC)
    few = options.requests // 5
    cases = (
        Case("first deal", first_deals, options.requests, 0.6),
        Case("ten years", partial(renewals, journey=journey), few, 0.4, ahead),
    )
    with postgres.cluster(durable=True) as server, TemporaryDirectory() as folder:
        for case in cases:
            compare(case, server.new_database(), folder, options.rounds)


if __name__ == "__main__":
    main()
