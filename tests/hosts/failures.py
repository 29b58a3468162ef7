"""
Failures injected into a working host, one after the other, and what must hold after each.

    python tests/hosts/failures.py --failures 2000 --crashes 200

Each round makes offers for some merchants and lets workers accept them, while one of these happens:

- a client's process is killed;
- PostgreSQL is stopped at once, as by a power cut, and started again;
- a connection is cut while the answer to a write is on its way back (the write is one statement
  that commits itself);
- many serializable transactions conflict over one merchant;
- the disk is full: SQLite's file, or PostgreSQL's file system;
- every request is delivered three times at once.

Afterwards every request is sent again with its key. No acknowledged acceptance may be lost, nothing
may have happened twice, and every acknowledged reply must come back byte for byte.
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

from holdback.testing import payloads
from holdback.testing.conformance import Crashed
from holdback.testing.conformance.simulated.requests import new_offers
from holdback.testing.conformance.simulated.simulation import Simulation

MERCHANTS = 4
WORKERS = 4
REQUESTS = 15  # of each worker in a round
OK, BUSY = 200, 503
# Bytes. A write carries the state and the events, a query only a few names. The size tells them
# apart where the text cannot: the driver prepares its statements and sends their text only once.
LARGEST_QUERY = 2048


class Cutter:
    """A proxy for PostgreSQL that can drop the answer to a write, together with its connection."""

    def __init__(self, port):
        self.server_port = port
        self.cuts = 0
        self.cuts_wanted = 0
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
                server = socket.create_connection(("127.0.0.1", self.server_port))
                sockets = (client, server, Counter())
                for to_client in (False, True):
                    arguments = (*sockets, to_client)
                    threading.Thread(target=self._pass, args=arguments, daemon=True).start()
                continue
            client.close()

    def _pass(self, client, server, sent, to_client):
        """Pass one direction on; `sent` counts the client's bytes since the last answer."""
        source, target = (server, client) if to_client else (client, server)
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if to_client:
                    was_write = sent.pop("bytes", 0) > LARGEST_QUERY
                    # The server answered the write, so it is committed; the client never learns it.
                    if was_write and self._take_cut():
                        break
                else:
                    sent["bytes"] += len(data)
                target.sendall(data)
        for end in (client, server):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        if to_client:  # each pair of sockets has two threads; this one closes both
            client.close()
            server.close()

    def _take_cut(self):
        with self.lock:
            if not self.cuts_wanted:
                return False
            self.cuts_wanted -= 1
            self.cuts += 1
            return True

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@define
class Round:
    """Merchants with offers, and the acceptances that are sent for them during a failure."""

    host: object
    simulation: Simulation
    merchants: list = field(factory=list)
    sent: list = field(factory=list)
    stop: threading.Event = field(factory=threading.Event)

    def prepare(self):
        for number in range(MERCHANTS):
            merchant = self.simulation.merchant(name=str(number))
            new_offers(self.simulation, merchant)
            self.merchants.append(merchant)

    def work(self, worker, chances):
        """Send acceptances, each with a key of its own, until stopped or dead."""
        number = 0
        while not self.stop.is_set() and number < REQUESTS:
            number += 1
            merchant = chances.choice(self.merchants)
            offer_id = chances.choice(list(merchant.projection.offers))
            body = payloads.acceptance(offer_id, payloads.BANKS[0])
            key = f"{self.simulation.label}-{chances.getrandbits(64):x}"
            self.sent.append((merchant, key, body, *self.send(worker, merchant, key, body)))
            if self.sent[-1][-1] == b"dead":
                return

    def send(self, worker, merchant, key, body):
        request = self.simulation.input_for("accept_offer", merchant, body)
        try:
            return worker.handle("accept_offer", request, key=key, at=self.simulation.at)
        except Crashed:
            return 0, b"dead"

    def settle(self):
        """Send every request again with its key, and return how many replies were equal."""
        equal = 0
        for merchant in self.merchants:
            self.simulation.read_concurrent_events(merchant)
        for merchant, key, body, status, before in self.sent:
            assert status in (0, OK, BUSY, 409), (status, before)
            again, after = 0, b""
            for _ in range(30):
                again, after = self.send(self.host, merchant, key, body)
                if again != BUSY:
                    break
            assert again in (OK, 409), (again, after)
            if status == OK:
                message = "an acknowledged acceptance got another reply"
                assert (again, after) == (status, before), message
                equal += 1
        for merchant in self.merchants:
            self.simulation.read_concurrent_events(merchant)
            self._check_winner(merchant)
        return equal

    def _check_winner(self, merchant):
        offers = merchant.projection.offers.items()
        accepted = {offer_id for offer_id, offer in offers if offer.status == "Accepted"}
        replies = {
            reply
            for asked_about, _, _, status, reply in self.sent
            if asked_about is merchant and status == OK
        }
        assert len(accepted) <= 1, "two winners"
        assert len(replies) <= 1, "winners with different replies"
        acknowledged = {json.loads(reply)["offer"]["offer_id"] for reply in replies}
        assert acknowledged <= accepted, "an acknowledged acceptance is lost"


def kill_a_client(scene, work):
    """Kill a process in the middle of its requests."""
    process = scene.process()
    threading.Timer(scene.chances.random() / 4, process.kill).start()
    work([scene.host, process])


def crash_the_server(scene, work):
    """Stop PostgreSQL at once and start it again."""
    work([scene.host] * WORKERS, scene.server.crash)


def cut_a_connection(scene, work):
    """Drop the answer to a write: the client cannot know whether it was committed."""
    before = scene.cutter.cuts
    scene.cutter.cuts_wanted = scene.chances.randint(1, 2)
    work([scene.behind_the_cutter] * WORKERS)
    scene.cutter.cuts_wanted = 0
    assert scene.cutter.cuts > before, "no connection was cut"


def storm(scene, work):
    """Let twice as many workers run serializable transactions on one merchant."""
    work([scene.serializable] * 2 * WORKERS, merchants=1)


def fill_sqlite(scene, work):
    """Stop SQLite's file from growing, then let it grow again."""
    work([scene.on_sqlite] * WORKERS, scene.full_file, host=scene.on_sqlite)


def fill_the_disk(scene, work):
    """Fill PostgreSQL's file system, then free it."""
    work([scene.host] * WORKERS, scene.full_disk)


def deliver_thrice(scene, work):
    """Deliver every request three times at once."""
    work([Thrice(scene.host)] * 2)


@define
class Thrice:
    """A network that delivers every request three times."""

    host: object

    def handle(self, operation, request, *, key, at):
        def deliver(_):
            return self.host.handle(operation, request, key=key, at=at)

        with ThreadPoolExecutor(3) as pool:
            answers = list(pool.map(deliver, range(3)))
        replies = {body for status, body in answers if status == OK}
        assert len(replies) <= 1, "one request, delivered three times, got different replies"
        return next((answer for answer in answers if answer[0] == OK), answers[0])


# By the name of a failure: its weight, and the function that causes it. Server crashes are planned
# apart, because their number is an option.
FAILURES = {
    "client killed": (16, kill_a_client),
    "connection cut after the write was sent": (34, cut_a_connection),
    "serialization storm": (16, storm),
    "full file on SQLite": (8, fill_sqlite),
    "full disk under PostgreSQL": (6, fill_the_disk),
    "duplicated delivery": (20, deliver_thrice),
}


class Scene:
    """The hosts and the server that the rounds use."""

    def __init__(self, stack, seed):
        self.chances = random.Random(seed)
        # Only root can mount a file system small enough to fill.
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
        """Return a process that has started and answers."""
        process = self.host.new_process()
        request = {"partner": "acme", "body": b'{"provider_id": "nobody"}'}
        process.handle("look_up", request, key=None, at=Simulation(self.host, "up").at)
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

    def round(self, cause):
        """Cause one failure; return the numbers of equal replies and of unacknowledged requests."""
        self.rounds += 1
        results = []

        def work(workers, fail=None, *, merchants=MERCHANTS, host=None):
            host = host or self.host
            current = Round(host, Simulation(host, f"f{self.rounds}"))
            current.prepare()
            del current.merchants[merchants:]
            with ThreadPoolExecutor(len(workers)) as pool:
                running = [
                    pool.submit(current.work, worker, random.Random(self.chances.random()))
                    for worker in workers
                ]
                if fail is not None:
                    time.sleep(self.chances.random() / 20)
                    fail()
                    current.stop.set()
            for future in running:
                future.result()
            unacknowledged = sum(status != OK for *_, status, _ in current.sent)
            results.append((current.settle(), unacknowledged))

        cause(self, work)
        return results[0]


def campaign(failures, crashes, seed, progress=lambda _: None):
    """
    Cause *failures* failures, *crashes* of them server crashes.

    Returns the count of each failure, of equal replies, and of requests that were not acknowledged.
    """
    with ExitStack() as stack:
        scene = Scene(stack, seed)
        names = [
            name for name in FAILURES if scene.small_disk or name != "full disk under PostgreSQL"
        ]
        weights = [FAILURES[name][0] for name in names]
        plan = ["server crash"] * crashes
        plan += [names[n % len(names)] for n in range(min(len(names), failures - crashes))]
        plan += scene.chances.choices(names, weights, k=failures - len(plan))
        scene.chances.shuffle(plan)
        scene.host.open()
        counts, replayed, unknown = Counter(), 0, 0
        for number, name in enumerate(plan):
            cause = crash_the_server if name == "server crash" else FAILURES[name][1]
            equal, unacknowledged = scene.round(cause)
            counts[name] += 1
            replayed += equal
            unknown += unacknowledged
            progress(number + 1)
        return counts, replayed, unknown


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--failures", type=int, default=2000)
    parser.add_argument("--crashes", type=int, default=200, help="how many are server crashes")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    start = time.monotonic()

    def progress(done):
        if sys.stderr.isatty():
            print(f"\r{done} of {options.failures}", end="", file=sys.stderr, flush=True)

    counts, replayed, unknown = campaign(options.failures, options.crashes, options.seed, progress)
    for name, count in counts.most_common():
        print(f"{count:6} {name}")
    print(f"{replayed:6} acknowledged acceptances, each replayed byte for byte")
    print(f"{unknown:6} requests refused or without an answer, then sent again")
    print("Nothing was lost or doubled: the first of either would have ended this run.")
    print(f"Seed {options.seed}, {time.monotonic() - start:.0f} s.")


if __name__ == "__main__":
    main()
