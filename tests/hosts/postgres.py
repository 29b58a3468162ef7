"""
A real PostgreSQL from Debian's package: started in a directory of its own, stopped at the end.

The server runs as the user `postgres` when the tests run as root, because PostgreSQL refuses root.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
from attrs import frozen

INSTALLED = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
MISSING = (
    "PostgreSQL is not installed, so NOTHING was tested on it. "
    "On Debian: apt-get install postgresql (or run as root, and .ci/run installs it)"
)


@frozen
class Postgres:
    """
    A running cluster: its `url` for SQLAlchemy, and the failures that tests cause.

    One that is `durable` flushes every commit. Tests need no such thing, because a crash of theirs
    is one of the server: the kernel keeps what it wrote.
    """

    home: Path
    port: int
    durable: bool = False

    @property
    def url(self):
        return self._url("postgres")

    def new_database(self):
        """
        The URL of an empty database in this cluster, which takes less time than another cluster.
        """
        name = f"holdback_{uuid4().hex}"
        server = {"host": "127.0.0.1", "port": self.port, "user": "postgres", "dbname": "postgres"}
        with psycopg.connect(**server, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self._url(name)

    def _url(self, database):
        return f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/{database}"

    def start(self):
        fsync = "on" if self.durable else "off"
        options = (
            f"-c fsync={fsync} -p {self.port} -c listen_addresses=127.0.0.1"
            f" -c unix_socket_directories={self.home} -c max_connections=120"
        )
        self._ctl("start", "-w", "-t", "60", "-l", str(self.home / "log"), "-o", options)

    def stop(self, mode="fast"):
        """Stop the server; *mode* `immediate` is a crash: it flushes nothing."""
        self._ctl("stop", "-w", "-t", "60", "-m", mode)

    def crash(self):
        """Crash the server and start it again; it recovers from its log."""
        self.stop("immediate")
        self.start()

    def ensure_running(self):
        """Start the server if it has stopped, as it may when its disk was full."""
        for _ in range(20):
            if not (self.home / "data" / "postmaster.pid").exists():
                self.start()
            if _answers(self.port):
                return
            time.sleep(0.1)
        self.stop("immediate")
        self.start()

    def _ctl(self, *arguments):
        _run("pg_ctl", "-D", str(self.home / "data"), *arguments)


def _run(command, *arguments):
    line = [str(INSTALLED[-1] / command), *arguments]
    if os.geteuid() == 0:
        line = ["runuser", "-u", "postgres", "--", *line]
    done = subprocess.run(
        line,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{command} {arguments[0]}: {done.stdout.decode(errors='replace')}")


def _answers(port):
    line = [str(INSTALLED[-1] / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    return subprocess.run(line, check=False).returncode == 0


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def cluster(megabytes=None, *, durable=False):
    """Run a PostgreSQL with an empty database, on a file system of *megabytes* if that is given."""
    home = Path(tempfile.mkdtemp(prefix="holdback-postgres-"))
    postgres = Postgres(home, free_port(), durable)
    if megabytes is not None:
        size = f"size={megabytes}m"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(home)], check=True)
    try:
        if os.geteuid() == 0:
            shutil.chown(home, "postgres", "postgres")
        _run(
            "initdb", "-D", str(home / "data"), "-A", "trust", "-U", "postgres", "-E", "UTF8", "-N"
        )
        postgres.start()
        yield postgres
    finally:
        if (home / "data" / "postmaster.pid").exists():
            postgres.stop("immediate")
        if megabytes is not None:
            # Lazily: a process of the server may not have ended yet.
            subprocess.run(["umount", "-l", str(home)], check=True)
        shutil.rmtree(home, ignore_errors=True)
