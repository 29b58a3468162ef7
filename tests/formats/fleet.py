"""
A fleet of two versions on one database, as a host of the conformance suite.

Requests go to one process or another by a seed, and a retry goes to another version than the
request did. `replace` says which versions serve from now on; processes of a version that still
serves go on. Processes are killed while they answer, and others take their place.

The suite that judges a fleet may be that of any version, so this imports only what all have.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from types import MappingProxyType

from attrs import define, evolve, field, frozen
from sqlalchemy import create_engine

from holdback.jurisdictions.folder import bundled_path
from holdback.testing.conformance import Crashed
from holdback.testing.conformance.host import OPTIONAL
from holdback.testing.conformance.simulated import rule_changes

SERVING = Path(__file__).with_name("serving.py")
START = 60  # seconds in which a process starts on a busy machine
# A request during which a process may be killed is answered within about this time.
LONGEST_LIFE = 0.02  # seconds


@frozen(kw_only=True)
class Version:
    """
    A version of the service: what its processes import, and how they make their host.

    `factory` gets the URL of the database and then `arguments`; `environment` is added to that of
    the processes. `migrate` is the function that gets the URL and brings the tables of the version
    before to those of this one; without it they are the same.
    """

    name: str
    path: tuple[str, ...]
    factory: str = "conforming:fastapi"
    arguments: tuple[str, ...] = ()
    migrate: str | None = None
    environment: tuple[tuple[str, str], ...] = ()


class Forker:
    """A process that has imported a version, and forks those that serve; it ends when this ends."""

    def __init__(self, path, environment):
        self._path, self._imported, self._lock = path, None, threading.Lock()
        ours = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
        self._process = subprocess.Popen(
            [sys.executable, str(SERVING), json.dumps(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**ours, **dict(environment)},
        )

    def fork(self, **asked):
        """Start a process that connects to a socket."""
        with self._lock:
            if self._imported is None:
                self._imported = Path(self._process.stdout.readline().strip())
                expected = any(self._imported.is_relative_to(path) for path in self._path)
                assert expected, f"imported {self._imported}"
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()


# One for all versions that import the same, in all fleets.
forker = cache(Forker)


class Process:
    """One process of a version. It raises `Crashed` when its host or the process itself died."""

    def __init__(self, version, url, rules, path):
        self.version, self.alive = version, True
        self._lock, self._lines = threading.Lock(), None
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen()
        self._listener.settimeout(START)
        forker(version.path, version.environment).fork(
            socket=path, factory=version.factory, arguments=[url, *version.arguments], rules=rules
        )

    def ask(self, do, **given):
        """Return what the process answers to one question."""
        line = json.dumps({"do": do, "given": given}) + "\n"
        with self._lock:
            answer = self._answer_line(line)
        if not answer.endswith("\n"):
            self.alive = False
            raise Crashed
        answer = json.loads(answer)
        if "crashed" in answer:
            raise Crashed
        if "raised" in answer:
            raise RuntimeError(f"{self.version.name}: {answer['raised']}")
        return answer["answer"]

    def _answer_line(self, line):
        try:
            self._connect()
            self._lines.write(line)
            self._lines.flush()
            return self._lines.readline()
        except (OSError, ValueError):
            return ""

    def _connect(self):
        if self._lines is None:
            connection, _ = self._listener.accept()
            with connection:
                self._lines = connection.makefile("rw", encoding="utf-8")
            self._pid = int(self._lines.readline())
            self._listener.close()

    def handle(self, operation, input, *, key, at, crash=None):
        """Answer as a host of the suite does."""
        given = {**input, "body": input["body"].decode()}
        status, body = self.ask(
            "handle", operation=operation, given=given, key=key, at=at.isoformat(), crash=crash
        )
        return status, body.encode()

    def kill(self):
        """Kill the process at once. It is not used again."""
        self.alive = False
        if self._lines is None:
            with self._lock:
                self._connect()
        os.kill(self._pid, signal.SIGKILL)
        self.close()

    def close(self):
        """Close the connection, which ends the process."""
        self.alive = False
        with self._lock, suppress(OSError):  # it is dead already
            self._connect()
            self._lines.close()


@define
class Served:
    """What a fleet did, so that a test can tell that it was a fleet."""

    requests: Counter = field(factory=Counter)  # by version
    retries_elsewhere: int = 0
    kills: int = 0

    def counts(self):
        """Return all counts by name."""
        requests = {f"requests to {name}": times for name, times in self.requests.items()}
        return requests | {"retries elsewhere": self.retries_elsewhere, "kills": self.kills}


def empty(url):
    """Remove everything from the database at *url*."""
    database = create_engine(url)
    if database.dialect.name == "postgresql":
        with database.begin() as connection:
            connection.exec_driver_sql("drop schema public cascade")
            connection.exec_driver_sql("create schema public")
    else:
        for end in ("", "-wal", "-shm"):
            Path(f"{database.url.database}{end}").unlink(missing_ok=True)
    database.dispose()


class Fleet:
    """
    Processes of some versions on the database at `url`, as one host of the suite.

    The first of the versions makes the tables, and the others migrate them.
    """

    # What the suite of the first version does not ask for.
    cannot = MappingProxyType(
        {name: "the first version has none" for name in OPTIONAL if name == "profile"}
    )
    publishes = ("RenewalEligibilityChanged",)

    def __init__(self, url, versions, *, seed, size=1, fill=lambda: None):
        """Make a fleet of `size` processes of each version; `fill` fills its empty tables."""
        self.url, self.versions, self.size, self.fill = url, versions, size, fill
        self.random, self.lock = Random(seed), threading.RLock()
        self.served, self.kill_every, self.keyed = Served(), 0, 0
        self.processes, self.asked = [], {}
        self.next_crash = self.rules = None
        self.sent, self.publications, self.started = [], 0, 0
        self.folder = tempfile.TemporaryDirectory(prefix="holdback-fleet-")

    # -- which processes there are

    def replace(self, *versions):
        """Let `versions` serve from now on, and no other."""
        self.versions = versions
        for process in self.processes:
            if process.version not in versions:
                process.kill()
        self._start_missing()

    def _start_missing(self):
        with self.lock:
            self.processes = [process for process in self.processes if process.alive]
            for version in self.versions:
                running = sum(process.version == version for process in self.processes)
                self.processes += [self._new(version) for _ in range(self.size - running)]

    def _new(self, version):
        self.started += 1
        return Process(version, self.url, self.rules, f"{self.folder.name}/{self.started}")

    def close(self):
        for process in self.processes:
            process.close()
        self.folder.cleanup()

    def _pick(self, retried=None):
        """Return a process by the seed: of another version than the one that was asked before."""
        with self.lock:
            earlier = self.asked.get(retried)
            elsewhere = [p for p in self.processes if earlier not in (None, p.version)]
            self.served.retries_elsewhere += bool(elsewhere)
            process = self.random.choice(elsewhere or self.processes)
            if retried is not None:
                self.asked[retried] = process.version
            return process

    # -- the methods that the suite calls

    def open(self):
        """Let the first version make the tables, fill them, and migrate them for the others."""
        for process in self.processes:
            process.kill()
        empty(self.url)
        self.processes = [self._new(self.versions[0])]
        self.processes[0].ask("open")
        self.fill()
        for version in self.versions[1:]:
            if version.migrate is not None:
                migration = evolve(version, factory=version.migrate, arguments=())
                process = self._new(migration)
                process.ask("is_ready")
                process.close()
        self._start_missing()
        self.sent, self.publications = [], 0

    def handle(self, operation, input, *, key, at):  # the suite's word
        retried = (input["partner"], key) if key else (input["partner"], operation, input["body"])
        first_time = retried not in self.asked
        process = self._pick(retried)
        self.served.requests[process.version.name] += 1
        crash, self.next_crash = self.next_crash, None
        # A client without a key could not ask again; a retry is left to be answered.
        if self.kill_every and key and first_time:
            self.keyed += 1
            if self.keyed % self.kill_every == 0:
                return self._handle_and_kill(process, operation, input, key, at)
        return process.handle(operation, input, key=key, at=at, crash=crash)

    def _handle_and_kill(self, process, *request):
        """Answer with a process that is killed meanwhile, or at once afterwards."""
        operation, given, key, at = request
        killer = threading.Timer(self.random.random() * LONGEST_LIFE, process.kill)
        killer.start()
        try:
            return process.handle(operation, given, key=key, at=at)
        finally:
            killer.join()
            self.served.kills += 1
            self._start_missing()

    def history(self, partner, merchant_id):
        events = self._pick().ask("history", partner=partner, merchant_id=merchant_id)
        return [event.encode() for event in events]

    def crash(self, step):
        self.next_crash = step

    def new_process(self):
        """Return a process of its own, of each version in turn."""
        return self._new(self.versions[self.started % len(self.versions)])

    def published(self, partner, merchant_id):
        """Publish with one process or another; the one that receives is the same for all."""
        crash, self.next_crash = self.next_crash, None
        self.publications += 1
        events, self.sent = self._pick().ask(
            "publish",
            partner=partner,
            merchant_id=merchant_id,
            crash=crash,
            sent=self.sent,
            publications=self.publications,
        )
        if events is None:
            raise Crashed
        return [event.encode() if isinstance(event, str) else event for event in events]

    def change_rules(self, jurisdictions):
        """Give all processes the suite's changed rules, or its shipped ones again."""
        changed = jurisdictions is rule_changes.rules(changed=True)
        assert changed or jurisdictions is rule_changes.rules(changed=False)
        self.rules = self._folder_of_changed_rules() if changed else None
        for process in self.processes:
            process.ask("change_rules", rules=self.rules)

    def _folder_of_changed_rules(self):
        """Return a folder of the rules that ship with the suite's version, some of them changed."""
        folder = Path(self.folder.name) / "rules"
        if not folder.exists():
            shutil.copytree(bundled_path(), folder)
            for name, before, after in rule_changes._CHANGES:
                path = folder / rule_changes.JURISDICTION / name
                path.write_bytes(path.read_bytes().replace(before, after))
        return str(folder)
