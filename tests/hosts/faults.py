"""Faults put into a working host, one after the other, and what must hold after each.

    python tests/hosts/faults.py --faults 2000 --crashes 200

Each round makes offers for some merchants, lets workers accept them, and in the middle of it something breaks:

- a client's process is killed;
- PostgreSQL is stopped at once, as by a power cut, and started again;
- a connection is cut when the answer to a write, one statement that commits itself, is on its way back;
- transactions that cannot be serialised, all on one merchant;
- the disk is full, SQLite's file or PostgreSQL's file system;
- every request is delivered three times at once.

Then everything that was sent is sent again with its key. Nothing that was acknowledged may be lost, nothing may
have happened twice, and every reply has to come back byte for byte.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

from attrs import define, field

if __name__ == "__main__":
    sys.path[1:1] = [str(Path(__file__).parents[2] / "docs" / "hosts")]

import conforming
import postgres

from holdback.testing.conformance import Crashed, payloads
from holdback.testing.conformance.scripts import offers
from holdback.testing.conformance.simulation import World

MERCHANTS = 4
WORKERS = 4
REQUESTS = 15  # of each worker in a round
OK, BUSY = 200, 503
# Bytes. A write carries the state and the events, a question but some names. The text of either is not
# in every message, because the driver prepares what it sends often.
LARGER_THAN_QUESTIONS = 2048


class Cutter:
    """A proxy before PostgreSQL that can drop the answer to a write, and the connection with it."""

    def __init__(self, port):
        self.to = port
        self.cuts = 0
        self.wanted = 0
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with suppress(OSError):
                server = socket.create_connection(("127.0.0.1", self.to))
                given = (client, server, Counter())
                for answers in (False, True):
                    threading.Thread(target=self._pass, args=(*given, answers), daemon=True).start()
                continue
            client.close()

    def _pass(self, client, server, asked, answers):
        """One direction; `asked` counts the bytes that were asked since the last answer."""
        one, other = (server, client) if answers else (client, server)
        with suppress(OSError):
            while data := one.recv(1 << 16):
                if answers:
                    wrote = asked.pop("bytes", 0) > LARGER_THAN_QUESTIONS
                    # The server has answered the write, so it is committed; the client will never know.
                    if wrote and self._mine():
                        break
                else:
                    asked["bytes"] += len(data)
                other.sendall(data)
        for each in (client, server):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        if answers:  # each pair of sockets has two threads; one of them closes both
            client.close()
            server.close()

    def _mine(self):
        with self.lock:
            if not self.wanted:
                return False
            self.wanted -= 1
            self.cuts += 1
            return True

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@define
class Round:
    """Merchants with offers, and the acceptances that are sent for them while something breaks."""

    host: object
    world: World
    accounts: list = field(factory=list)
    sent: list = field(factory=list)
    stop: threading.Event = field(factory=threading.Event)

    def prepare(self):
        for number in range(MERCHANTS):
            account = self.world.account(name=str(number))
            offers(self.world, account)
            self.accounts.append(account)

    def work(self, by, chances):
        """One worker, until it is stopped or dead: acceptances, each with a key of its own."""
        number = 0
        while not self.stop.is_set() and number < REQUESTS:
            number += 1
            account = chances.choice(self.accounts)
            offer_id = chances.choice(list(account.ledger.offers))
            body = payloads.acceptance(offer_id, payloads.BANKS[0])
            key = f"{self.world.label}-{chances.getrandbits(64):x}"
            self.sent.append((account, key, body, *self.send(by, account, key, body)))
            if self.sent[-1][-1] == b"dead":
                return

    def send(self, by, account, key, body):
        given = self.world.input_of("accept_offer", account, body)
        try:
            return by.handle("accept_offer", given, key=key, at=self.world.at)
        except Crashed:
            return 0, b"dead"

    def settle(self):
        """Everything again with its key; returns how many replies came back byte for byte."""
        equal = 0
        for account in self.accounts:
            self.world.audit(account)
        for account, key, body, status, before in self.sent:
            assert status in (0, OK, BUSY, 409), (status, before)
            again, after = 0, b""
            for _ in range(30):
                again, after = self.send(self.host, account, key, body)
                if again != BUSY:
                    break
            assert again in (OK, 409), (again, after)
            if status == OK:
                assert (again, after) == (status, before), (
                    "an acknowledged acceptance got another reply"
                )
                equal += 1
        for account in self.accounts:
            self.world.audit(account)
            won = {n for n, offer in account.ledger.offers.items() if offer.status == "Accepted"}
            acknowledged = {
                before for who, _, _, status, before in self.sent if who is account and status == OK
            }
            assert len(won) <= 1, "two winners"
            assert len(acknowledged) <= 1, "winners with different replies"
            promised = {json.loads(before)["offer"]["offer_id"] for before in acknowledged}
            assert promised <= won, "an acknowledged acceptance is lost"
        return equal


def kill_a_client(scene, work):
    """A process is killed in the middle of its requests."""
    process = scene.process()
    threading.Timer(scene.chances.random() / 4, process.kill).start()
    work([scene.host, process])


def crash_the_server(scene, work):
    """PostgreSQL is stopped at once and started again."""
    work([scene.host] * WORKERS, scene.server.crash)


def cut_a_connection(scene, work):
    """The answer to a write is dropped with its connection: the client cannot know whether it was committed."""
    before = scene.cutter.cuts
    scene.cutter.wanted = scene.chances.randint(1, 2)
    work([scene.behind_the_cutter] * WORKERS)
    scene.cutter.wanted = 0
    assert scene.cutter.cuts > before, "no connection was cut"


def storm(scene, work):
    """Twice as many workers, serializable, and all of them on one merchant."""
    work([scene.serializable] * 2 * WORKERS, merchants=1)


def fill_sqlite(scene, work):
    """SQLite's file may not grow any more, and then may again."""
    work([scene.on_sqlite] * WORKERS, scene.full_file, host=scene.on_sqlite)


def fill_the_disk(scene, work):
    """PostgreSQL's file system is full, and then is not."""
    work([scene.host] * WORKERS, scene.full_disk)


def deliver_thrice(scene, work):
    """Every request arrives three times at once."""
    work([Thrice(scene.host)] * 2)


@define
class Thrice:
    """A network that delivers every request three times."""

    host: object

    def handle(self, operation, given, *, key, at):
        with ThreadPoolExecutor(3) as pool:
            answers = list(
                pool.map(lambda _: self.host.handle(operation, given, key=key, at=at), range(3))
            )
        replies = {body for status, body in answers if status == OK}
        assert len(replies) <= 1, "one request, delivered thrice, got different replies"
        return next((each for each in answers if each[0] == OK), answers[0])


# By the name of a fault: how many of a hundred it is, and what breaks. Server crashes are counted apart.
FAULTS = {
    "client killed": (16, kill_a_client),
    "connection cut after the write was sent": (34, cut_a_connection),
    "serialization storm": (16, storm),
    "full file on SQLite": (8, fill_sqlite),
    "full disk under PostgreSQL": (6, fill_the_disk),
    "duplicated delivery": (20, deliver_thrice),
}


class Scene:
    """The hosts and the server, for as long as the faults go on."""

    def __init__(self, stack, seed):
        self.chances = random.Random(seed)
        # Only who may mount can have a disk that is full soon.
        self.small_disk = os.geteuid() == 0
        self.server = stack.enter_context(postgres.cluster(300 if self.small_disk else None))
        self.cutter = Cutter(self.server.port)
        stack.callback(self.cutter.close)
        cut = self.server.url.replace(str(self.server.port), str(self.cutter.port))
        self.host = self._opened(stack, self.server.url)
        self.behind_the_cutter = self._opened(stack, cut)
        self.serializable = self._opened(stack, self.server.url, "SERIALIZABLE")
        self.on_sqlite = conforming.fastapi()
        self.on_sqlite.open()
        stack.callback(self.on_sqlite.close)
        self.rounds = 0

    def _opened(self, stack, url, level=None):
        host = conforming.fastapi(url, level)
        stack.callback(host.close)
        return host

    def process(self):
        """A process that is up."""
        process = self.host.new_process()
        given = {"partner": "acme", "body": b'{"provider_id": "nobody"}'}
        process.handle("look_up", given, key=None, at=World(self.host, "up").at)
        return process

    def full_file(self):
        for connection in self.on_sqlite.connections:
            pages = connection.execute("pragma page_count").fetchone()[0]
            connection.execute(f"pragma max_page_count = {pages}")
        time.sleep(0.1)
        for connection in self.on_sqlite.connections:
            connection.execute("pragma max_page_count = 1073741823")

    def full_disk(self):
        ballast = self.server.home / "ballast"
        try:
            with ballast.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(1 << 20))
        except OSError:
            time.sleep(0.2)
        finally:
            ballast.unlink()
        self.server.ensure_running()

    def round(self, fault):
        """One fault: how many replies were had again byte for byte, and how many were not acknowledged."""
        self.rounds += 1
        done = []

        def work(workers, breaks=None, *, merchants=MERCHANTS, host=None):
            host = host or self.host
            one = Round(host, World(host, f"f{self.rounds}"))
            one.prepare()
            del one.accounts[merchants:]
            with ThreadPoolExecutor(len(workers)) as pool:
                running = [
                    pool.submit(one.work, each, random.Random(self.chances.random()))
                    for each in workers
                ]
                if breaks is not None:
                    time.sleep(self.chances.random() / 20)
                    breaks()
                    one.stop.set()
            for each in running:
                each.result()
            done.append((one.settle(), sum(status != OK for *_, status, _ in one.sent)))

        fault(self, work)
        return done[0]


def campaign(faults, crashes, seed, progress=lambda _: None):
    """So many faults, `crashes` of them server crashes: the count of each, and of replies that came back."""
    with ExitStack() as stack:
        scene = Scene(stack, seed)
        names = [
            name for name in FAULTS if scene.small_disk or name != "full disk under PostgreSQL"
        ]
        weights = [FAULTS[name][0] for name in names]
        plan = ["server crash"] * crashes
        plan += [names[n % len(names)] for n in range(min(len(names), faults - crashes))]
        plan += scene.chances.choices(names, weights, k=faults - len(plan))
        scene.chances.shuffle(plan)
        scene.host.open()
        counts, replayed, unknown = Counter(), 0, 0
        for number, name in enumerate(plan):
            fault = crash_the_server if name == "server crash" else FAULTS[name][1]
            equal, unacknowledged = scene.round(fault)
            counts[name] += 1
            replayed += equal
            unknown += unacknowledged
            progress(number + 1)
        return counts, replayed, unknown


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=2000)
    parser.add_argument("--crashes", type=int, default=200, help="how many are server crashes")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    start = time.monotonic()

    def progress(done):
        if sys.stderr.isatty():
            print(f"\r{done} of {given.faults}", end="", file=sys.stderr, flush=True)

    counts, replayed, unknown = campaign(given.faults, given.crashes, given.seed, progress)
    for name, count in counts.most_common():
        print(f"{count:6} {name}")
    print(f"{replayed:6} acknowledged acceptances, each had again byte for byte")
    print(f"{unknown:6} requests refused or without an answer, then asked again")
    print("Nothing lost and nothing doubled: the first of either would have ended this.")
    print(f"Seed {given.seed}, {time.monotonic() - start:.0f} s.")


if __name__ == "__main__":
    main()
