"""A host in another process: requests and answers as lines of JSON, through its pipes."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from holdback.testing.conformance.host import Answer, Crashed, Host, Input
from holdback.testing.conformance.loading import host_of

_HERE: Final = "holdback.testing.conformance.worker"


class Worker:
    """
    The host that `MODULE:FACTORY` makes with *arguments*, in a process of its own.

    A host whose store other processes can reach gives it from its `new_process`. The process has the
    module path of this one.
    """

    def __init__(self, factory: str, *arguments: str) -> None:
        # The path of this process, so that a host in a test's folder is found there as well.
        code = f"import sys; sys.path[:] = {sys.path!r}; from {_HERE} import serve; serve({factory!r}, {arguments!r})"
        self._process = subprocess.Popen(  # noqa: S603  # this Python, with the names of the host that is tried
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._lock = threading.Lock()

    def handle(self, operation: str, input: Input, *, key: str | None, at: datetime) -> Answer:  # noqa: A002  # the word of the design
        """As `Host.handle`; raises `Crashed` when the process is dead."""
        plain = {**input, "body": input["body"].decode()}
        asked = json.dumps([operation, plain, key, at.isoformat()])
        with self._lock:
            answer = self._said(asked.encode() + b"\n")
        if not answer.endswith(b"\n"):
            raise Crashed
        status, body = json.loads(answer)
        return status, body.encode()

    def _said(self, line: bytes) -> bytes:
        """The answer to *line*; not a whole line when the process died on it."""
        process = self._process
        assert process.stdin is not None, "opened with a pipe"
        assert process.stdout is not None, "opened with a pipe"
        try:
            process.stdin.write(line)
            process.stdin.flush()
            return process.stdout.readline()
        except (OSError, ValueError):
            return b""

    def kill(self) -> None:
        """Kill the process at once."""
        self._process.kill()
        self.close()

    def close(self) -> None:
        """End the process."""
        process = self._process
        try:
            if process.stdin is not None:
                process.stdin.close()
        except OSError:
            pass  # it is dead already
        process.wait()
        with self._lock:
            if process.stdout is not None:
                process.stdout.close()


def serve(factory: str, arguments: Sequence[str]) -> None:
    """Answer the requests on standard input until there are no more."""
    host: Host = host_of(factory)(*arguments)
    for line in sys.stdin.buffer:
        operation, given, key, at = json.loads(line)
        given["body"] = given["body"].encode()
        answer: Any = host.handle(operation, given, key=key, at=datetime.fromisoformat(at))
        sys.stdout.write(json.dumps([answer[0], answer[1].decode()]) + "\n")
        sys.stdout.flush()
