"""
Runs cases one by one, in processes that may use 2 seconds and 256 MB each.

As a script this is a server. It reads one job per line from its standard input, forks a child for
the job, and writes the child's report as one line to its standard output. It imports holdback once,
so that a case costs a fork and not a start of Python. `Sandbox` is its client.

If a child is killed or ends without a report, the server reports that. An error that no reader
promises is reported too.
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

# The limits of a case: seconds of the processor, and bytes of memory, including Python's own.
SECONDS = 2
MEMORY = 256 * 2**20
# A case that waits uses no processor. Long, because the machine may be busy.
WALL_SECONDS = 60

# Windows can neither fork a process nor limit it in this way.
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
        """The report of a child process on *case*, a job of that *kind*."""
        self.server.stdin.write(json.dumps({"kind": kind, "case": case}) + "\n")
        self.server.stdin.flush()
        line = self.server.stdout.readline()
        assert line, "the server of the sandbox has ended"
        return json.loads(line)

    def close(self):
        """End the server."""
        self.server.stdin.close()
        self.server.stdout.close()
        self.server.wait(timeout=30)


# -- in the server


def serve():
    """Answer jobs until standard input ends."""
    import corpus  # noqa: F401 - imported once, before any fork
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
        written = pipe.read()
    _, status, used = os.wait4(child, 0)
    report = _report(written, status)
    return {
        **report,
        "seconds": round(used.ru_utime + used.ru_stime, 3),
        "waited": round(time.monotonic() - started, 3),
        "megabytes": used.ru_maxrss // 1024,
    }


def _child(work, case, writing):
    """Do *work*, write the report, and end the process."""
    import resource

    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(case.get("wall_seconds", WALL_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        try:
            report = work(case)
        except BaseException as error:  # noqa: BLE001 - every error is reported
            report = {"error": type(error).__name__, "typed": False, "shown": repr(error)[:300]}
        os.write(writing, json.dumps(report).encode())
    finally:
        os._exit(0)


def _report(written, status):
    if os.WIFSIGNALED(status):
        return {"killed": signal.Signals(os.WTERMSIG(status)).name}
    try:
        return json.loads(written)
    except ValueError:
        return {"killed": f"no report, and exit status {os.waitstatus_to_exitcode(status)}"}


if __name__ == "__main__":
    serve()
