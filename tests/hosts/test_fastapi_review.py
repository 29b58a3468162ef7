"""The review by pages: it goes on after a stop, and several processes share it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

import fastapi_calls as fixtures
import pytest
from fastapi_calls import PARTNERS, Merchant, Service, at_once, service_on
from fastapi_host import pages
from fastapi_host import review as reviewing
from fastapi_host.pages import CLAIMED, claim, finish, is_done, save
from fastapi_host.problems import UNAVAILABLE, Problem
from fastapi_host.review import Reviewed, review
from fastapi_host.tables import REVIEW_PAGES
from sqlalchemy import select

place, service = fixtures.place, fixtures.service
HOST = Path(__file__).parents[2] / "docs/hosts/fastapi_host"
COUNT = 11


@pytest.fixture(autouse=True)
def small_pages(monkeypatch):
    monkeypatch.setattr(pages, "SIZE", 3)


@pytest.fixture
def reviewed(monkeypatch):
    """The merchants that were reviewed, in order; the review of each is left out."""
    names = []

    def note(_, partner, merchant_id, __):
        names.append(f"{partner.name} {merchant_id}")
        return True

    monkeypatch.setattr(reviewing, "_review", note)
    return names


@pytest.fixture
def log(monkeypatch):
    lines = []
    monkeypatch.setattr(
        "fastapi_host.review.log", lambda event, **fields: lines.append((event, fields))
    )
    return lines


def fill(service):
    for number in range(COUNT):
        assert Merchant(service, f"m-{number:02}").ask().status_code == 200
    assert Merchant(service, "b-1", key="bolt-key", partner="bolt").ask().status_code == 200
    return [*(f"acme m-{number:02}" for number in range(COUNT)), "bolt b-1"]


class Clock:
    """The clock of a process; a pause moves it."""

    def __init__(self, at=1_800_000_000):
        self.at = at

    def now(self):
        return self.at

    def pause(self, seconds):
        self.at += seconds


def stop_after(names, count):
    return lambda: len(names) >= count


def test_a_run_reviews_every_merchant_once(service, reviewed, log):
    """
    By partner and page. The log shows how far it is. Another run starts again.
    """
    everyone = fill(service)
    assert review(service.host, PARTNERS) == Reviewed(len(everyone), 0)
    assert reviewed == everyone

    day = service.now.date().isoformat()
    progress = [(f["partner"], f["page"], f["of"], f["merchants"]) for _, f in log[:-1]]
    acme = [("acme", n, 4, 3) for n in (1, 2, 3)] + [("acme", 4, 4, 2)]
    assert progress == [*acme, ("bolt", 1, 1, 1)]
    assert {f["run"] for _, f in log} == {day}
    assert log[-1] == ("reviewed", {"run": day, "merchants": len(everyone), "failed": 0})

    assert review(service.host, PARTNERS) == Reviewed(0, 0)
    assert review(service.host, PARTNERS, day) == Reviewed(0, 0)
    service.now += timedelta(days=1)
    assert review(service.host, PARTNERS) == Reviewed(len(everyone), 0)
    assert review(service.host, PARTNERS, "again") == Reviewed(len(everyone), 0)


@pytest.mark.parametrize("count", [0, 1, 3, 4, COUNT, COUNT + 1])
def test_a_stopped_run_goes_on_where_it_stopped(service, reviewed, count):
    """
    In the middle of a page, too, and at once: no merchant twice, none left out.
    """
    everyone = fill(service)
    review(service.host, PARTNERS, stop=stop_after(reviewed, count))
    assert reviewed == everyone[:count]
    other = Service(service.store.engine.url)
    other.now = service.now
    review(other.host, PARTNERS)
    other.store.close()
    assert reviewed == everyone


def test_another_process_goes_on_when_one_dies(service, reviewed, monkeypatch):
    """
    It waits until the claim has expired, and goes on after the merchant that was saved last.
    """
    everyone, clock = fill(service), Clock()

    def die(*given):
        clock.at += 6  # so that the page is saved after every second merchant
        if len(reviewed) == 4:
            raise SystemExit
        return note(*given)

    note = reviewing._review
    with monkeypatch.context() as patch:
        patch.setattr(reviewing, "_review", die)
        with pytest.raises(SystemExit):
            review(service.host, PARTNERS, now=clock.now)
    assert reviewed == everyone[:4]

    began = clock.at
    review(service.host, PARTNERS, now=clock.now, pause=clock.pause)
    counts = Counter(reviewed)
    assert sorted(counts) == everyone
    assert [name for name, count in counts.items() if count > 1] == everyone[3:4]
    assert clock.at - began <= CLAIMED


def test_processes_share_a_run(service, reviewed):
    """
    Each merchant is reviewed by one of them, and each process ends when the run is complete.
    """
    everyone = fill(service)
    others = [Service(service.store.engine.url) for _ in range(3)]
    for other in others:
        other.now = service.now
    results = at_once(
        [
            lambda other=other: review(other.host, PARTNERS, pause=lambda _: time.sleep(0.01))
            for other in (service, *others)
        ]
    )
    for other in others:
        other.store.close()
    assert sorted(reviewed) == everyone
    assert sum(result.merchants for result in results) == len(everyone)


def test_a_page_that_took_too_long_is_given_up(service, reviewed, monkeypatch, log):
    """
    Another process has gone on with it, so this one takes the next page.
    """
    everyone, clock = fill(service), Clock()
    note = reviewing._review

    def suspended(*given):
        if len(reviewed) == 1:
            clock.at += CLAIMED + 1
            assert claim(service.store, "r", "acme", clock.at).number == 1
        return note(*given)

    monkeypatch.setattr(reviewing, "_review", suspended)
    stop = stop_after(reviewed, 5)
    review(service.host, PARTNERS, "r", now=clock.now, stop=stop, pause=clock.pause)
    assert ("review_page_lost", {"run": "r", "partner": "acme", "page": 1}) in log
    assert reviewed == [*everyone[:2], *everyone[3:6]]


def test_a_claim_is_for_one_process(service):
    """
    Of two reviews, that with an expired claim can neither save nor finish the page.
    """
    fill(service)
    first = claim(service.store, "r", "acme", 1000)
    assert claim(service.store, "r", "acme", 1000 + CLAIMED - 1).number == 2
    second = claim(service.store, "r", "acme", 1000 + CLAIMED)
    assert (second.number, second.reached, second.last) == (1, "", "m-02")
    assert not save(service.store, first, 1000 + CLAIMED)
    assert not finish(service.store, first, 1000 + CLAIMED)
    assert finish(service.store, second, 1000 + CLAIMED)
    assert not is_done(service.store, "r", "acme")


def test_a_failed_merchant_is_counted_and_its_page_goes_on(service, reviewed, monkeypatch):
    """
    The cursor passes it; the next run tries it again.
    """
    fill(service)
    note = reviewing._review

    def fail(host, partner, merchant_id, request_note):
        note(host, partner, merchant_id, request_note)
        if merchant_id == "m-01":
            raise Problem(UNAVAILABLE)
        return True

    monkeypatch.setattr(reviewing, "_review", fail)
    assert review(service.host, PARTNERS) == Reviewed(COUNT, 1)
    with service.store.engine.connect() as db:
        assert set(db.scalars(select(REVIEW_PAGES.c.due))) == {None}


def test_a_merchant_that_comes_later_is_reviewed_too(service, reviewed):
    """
    If it comes after the last page; before that it has no deal that could need a review.
    """
    everyone = fill(service)
    review(service.host, PARTNERS, stop=stop_after(reviewed, 8))
    Merchant(service, "m-99").ask()
    review(service.host, PARTNERS)
    assert sorted(reviewed) == sorted([*everyone, "acme m-99"])


def test_the_command_stops_on_a_signal_and_goes_on(tmp_path):
    """
    SIGTERM ends it after the current merchant; the next command of the run goes on.
    """
    url = f"sqlite:///{tmp_path}/holdback.db"
    with service_on("sqlite", tmp_path) as service:
        for number in range(250):
            Merchant(service, f"m-{number:03}").ask()
    env = {name: value for name, value in os.environ.items() if not name.startswith("HOLDBACK")}
    command = [sys.executable, str(HOST), "review", "--sample", "--database", url, "--run", "r"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as process:
        line = process.stdout.readline()
        assert '"event": "review_page"' in line
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=60)
    done = (line + output).count('"event": "review_page"')
    if process.returncode == 0:  # it was faster than the signal
        assert (done, errors) == (3, "")
    else:
        assert errors == "stopped; run it again to go on\n"
    again = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60, check=True)
    assert '"run": "r"' in again.stdout
    with service_on("sqlite", tmp_path) as service, service.store.engine.connect() as db:
        rows = db.execute(select(REVIEW_PAGES.c.number, REVIEW_PAGES.c.due)).all()
    assert sorted(rows) == [(1, None), (2, None), (3, None)]


def test_two_processes_of_a_run_start_at_once(service, reviewed):
    """
    They do not claim the same page: one of them tries again.
    """
    everyone = fill(service)
    claimed, lock = [], threading.Lock()

    def all_pages():
        while (page := reviewing._again(claim, service.store, "r", "acme", 1000)) is not None:
            with lock:
                claimed.append(page.number)

    at_once([all_pages] * 4)
    assert sorted(claimed) == [1, 2, 3, 4]
    assert len(everyone) == COUNT + 1
