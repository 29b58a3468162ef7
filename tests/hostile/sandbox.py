"""Runs cases one by one, each in a process of its own that may use 2 seconds and 256 MB.

As a script this is a server: it reads a job a line from its standard input, forks a child for it,
and writes what the child reports, a line, to its standard output. It imports holdback once, so that
a case costs a fork and not a start of Python. `Sandbox` is the other end of it.

A child that does not report, because it was killed or went away, gives a report that says so. So
does one that raises anything but an error of holdback.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

# What a case may use: seconds of the processor, and bytes of memory, Python itself included.
SECONDS = 2
MEMORY = 256 * 2**20
# A case that waits for something uses no processor; a busy machine may be slow.
WALL_SECONDS = 20

# Elsewhere, on Windows, a process can neither be forked nor be limited like this.
LIMITED = hasattr(os, "fork") and importlib.util.find_spec("resource") is not None

TESTS = Path(__file__).parents[1]


class Sandbox:
    """A running server."""

    def __init__(self):
        self.server = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
            text=True,
            encoding="ascii",
        )

    def run(self, kind, case):
        """What the child reports that runs *case*, a job of that *kind*."""
        self.server.stdin.write(json.dumps({"kind": kind, "case": case}) + "\n")
        self.server.stdin.flush()
        line = self.server.stdout.readline()
        assert line, "the server of the sandbox is gone"
        return json.loads(line)

    def close(self):
        """End the server."""
        self.server.stdin.close()
        self.server.stdout.close()
        self.server.wait(timeout=30)


# -- in the server


def serve():
    """Answer every job until there are no more."""
    import corpus  # noqa: F401 - imported once, before the children are
    import jobs

    jobs.warm_up()
    for line in sys.stdin:
        job = json.loads(line)
        answer = in_child(jobs.JOBS[job["kind"]], job["case"])
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def in_child(work, case):
    """The report of a child that does *work* on *case* within the limits."""
    reading, writing = os.pipe()
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _child(work, case, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    _, status, used = os.wait4(child, 0)
    report = _report(said, status)
    return {
        **report,
        "seconds": round(used.ru_utime + used.ru_stime, 3),
        "waited": round(time.monotonic() - started, 3),
        "megabytes": used.ru_maxrss // 1024,
    }


def _child(work, case, writing):
    """Do *work*, tell what came of it, and end the process without coming back."""
    import resource

    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(case.get("wall_seconds", WALL_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        try:
            report = work(case)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is reported
            report = {"error": type(error).__name__, "typed": False, "said": repr(error)[:300]}
        os.write(writing, json.dumps(report).encode())
    finally:
        os._exit(0)


def _report(said, status):
    if os.WIFSIGNALED(status):
        return {"killed": signal.Signals(os.WTERMSIG(status)).name}
    try:
        return json.loads(said)
    except ValueError:
        return {"killed": f"no report, and exit status {os.waitstatus_to_exitcode(status)}"}


if __name__ == "__main__":
    serve()
