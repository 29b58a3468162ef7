"""Retention in the FastAPI host: stored replies are deleted after some days, and only they."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import fastapi_calls as fixtures
import pytest
from fastapi_calls import PARTNERS, Merchant, code, service_on
from fastapi_host import forget as forgetting
from fastapi_host.forget import DAY, Forgot, forget
from fastapi_host.pages import claim
from fastapi_host.review import review
from fastapi_host.tables import REPLIES, REVIEW_PAGES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

place, service, merchant = fixtures.place, fixtures.service, fixtures.merchant
HOST = Path(__file__).parents[2] / "docs/hosts/fastapi_host"
NOW = 1_800_000_000


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(forgetting, "BATCH", 3)


def write(service, rows):
    """Write replies; without their time they are those of the version before."""
    with service.store.engine.begin() as db:
        db.execute(REPLIES.delete())
        for caller, key, at in rows:
            row = {"caller": caller, "key": key, "asked": "", "reply": b"{}"}
            db.execute(REPLIES.insert(), row if at is None else row | {"at": at})


def read(service):
    with service.store.engine.connect() as db:
        return {(row.caller, row.key): row.at for row in db.execute(select(REPLIES))}


def test_a_reply_is_dated(service, merchant):
    """
    With the time of the request, in every way to write it: with events and without.
    """
    merchant.ask(idempotency="k-1")
    merchant.accept(idempotency="k-2")
    service.now += timedelta(days=1)
    merchant.accept(idempotency="k-3")  # a repetition, without an event

    start = int(fixtures.START.timestamp())
    times = {key: at for (_, key), at in read(service).items()}
    assert times == {"k-1": start, "k-2": start, "k-3": start + DAY}


def test_old_replies_are_deleted_and_no_others(service):
    """
    Those of before the time that is kept, of every caller, to the second.
    """
    kept = {("agent:a", "k-1"): NOW - 30 * DAY, ("partner:b", "k-9"): NOW}
    old = {("agent:a", f"o-{n}"): NOW - 30 * DAY - 1 - n for n in range(7)}
    old |= {("partner:b", f"o-{n}"): 1 + n for n in range(4)}
    write(service, [(*key, at) for key, at in (kept | old).items()])

    assert forget(service.store, 30, NOW) == Forgot(replies=len(old), pages=0)
    assert read(service) == kept
    assert forget(service.store, 30, NOW) == Forgot(replies=0, pages=0)


def test_replies_of_the_version_before_are_dated_first(service):
    """
    That version writes no time, so their age counts from the first walk.
    """
    write(service, [("partner:a", f"k-{n}", None) for n in range(7)])
    assert set(read(service).values()) == {0}

    assert forget(service.store, 30, NOW).replies == 0
    assert set(read(service).values()) == {NOW}
    assert forget(service.store, 30, NOW + 30 * DAY).replies == 0
    assert forget(service.store, 30, NOW + 30 * DAY + 1).replies == 7


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    rows=st.dictionaries(
        st.tuples(
            st.sampled_from(["agent:a", "partner:b", "partner:é"]), st.text("aZ-é9", min_size=1)
        ),
        st.none() | st.integers(NOW - 40 * DAY, NOW),
        max_size=12,
    )
)
def test_a_walk_sees_every_reply(service, rows):
    """
    In batches, in the database's own order of texts.
    """
    write(service, [(*key, at) for key, at in rows.items()])
    expected = {
        key: NOW if at is None else at
        for key, at in rows.items()
        if at is None or at >= NOW - 30 * DAY
    }
    assert forget(service.store, 30, NOW).replies == len(rows) - len(expected)
    assert read(service) == expected


def test_each_transaction_is_small(service, monkeypatch):
    """
    A walk can be stopped after any batch, and what it did stays.
    """
    write(service, [("partner:a", f"k-{n}", 1) for n in range(10)])
    looks = iter([False, False, True])
    assert forget(service.store, 30, NOW, stop=lambda: next(looks)).replies == 6
    assert len(read(service)) == 4


def test_a_request_whose_reply_is_gone_is_a_new_one(service, merchant):
    """
    A repeated acceptance is still recognised, by the offer; a repeated request for offers gets
    another set, and makes the checks again.
    """
    offers = merchant.ask(idempotency="k-1")
    accepted = merchant.accept(idempotency="k-2")
    at = int(service.now.timestamp())
    assert forget(service.store, 30, at + 31 * DAY).replies == 2

    assert merchant.accept(idempotency="k-2").content == accepted.content
    assert code(merchant.ask(idempotency="k-1")) == (409, "application_in_fulfilment")
    other = Merchant(service, "m-2")
    first = other.ask(idempotency="k-1")
    forget(service.store, 30, at + 31 * DAY)
    checks = len(service.asked_checks)
    again = other.ask(idempotency="k-1")
    assert again.status_code == 200
    assert again.content not in (first.content, offers.content)
    assert len(service.asked_checks) == checks + 1
    assert service.events("m-2") == ["EvidenceRecorded", "OffersIssued", "OffersIssued"]


def test_nothing_else_is_deleted(service, merchant):
    """
    Merchants, profiles, events and names stay; pages of finished reviews go with the replies.
    """
    merchant.renewable()
    review(service.host, PARTNERS, "done", now=lambda: NOW)
    review(service.host, PARTNERS, "open", now=lambda: NOW, stop=lambda: True)
    before = merchant.look_up().content, service.events()
    forgot = forget(service.store, 30, NOW + 31 * DAY)

    assert forgot.pages == 1
    assert (merchant.look_up().content, service.events()) == before
    with service.store.engine.connect() as db:
        assert db.scalar(select(func.count()).select_from(REVIEW_PAGES)) == 0


def test_a_page_that_is_not_done_stays(service, merchant):
    """
    A run may be gone on with after a long time.
    """
    merchant.ask()
    claim(service.store, "r", "acme", NOW)
    assert forget(service.store, 30, NOW + 31 * DAY).pages == 0


def test_the_command_forgets(tmp_path):
    """
    It needs the database and the number of days, at least one.
    """
    url = f"sqlite:///{tmp_path}/holdback.db"
    with service_on("sqlite", tmp_path) as service:
        write(service, [("partner:a", "k-1", 1), ("partner:a", "k-2", None)])
    env = {name: value for name, value in os.environ.items() if not name.startswith("HOLDBACK")}

    def run(*arguments):
        command = [sys.executable, str(HOST), "forget", *arguments]
        return subprocess.run(
            command, env=env, capture_output=True, text=True, check=False, timeout=60
        )

    done = run("--database", url, "--keep-days", "400")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"event": "forgot", "replies": 1, "pages": 0, "keep_days": 400' in done.stdout
    assert run("--database", url).stderr == "expected --keep-days\n"
    assert run("--keep-days", "400").stderr == "expected --database or HOLDBACK_DATABASE_URL\n"
    assert "expected at least 1 day" in run("--database", url, "--keep-days", "0").stderr
