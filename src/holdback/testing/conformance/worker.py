"""A host in another process: requests and answers are lines of JSON on its pipes."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from holdback.testing.conformance.host import Answer, Crashed, Host, Input
from holdback.testing.conformance.loading import load_factory

_MODULE: Final = "holdback.testing.conformance.worker"


class Worker:
    """
    The host that `MODULE:FACTORY` makes with *arguments*, in a process of its own.

    A host whose store several processes can reach returns one from its `new_process`.
    """

    def __init__(self, factory: str, *arguments: str) -> None:
        # The import path of this process, so that a host in a test's folder is found there too.
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            f"from {_MODULE} import serve; serve({factory!r}, {arguments!r})"
        )
        self._process = subprocess.Popen(  # noqa: S603  # this Python, with the name of the host
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._lock = threading.Lock()

    def handle(
        self,
        operation: str,
        input: Input,  # noqa: A002  # the same signature as `Host.handle`
        *,
        key: str | None,
        at: datetime,
    ) -> Answer:
        """Answer as `Host.handle` does; raise `Crashed` when the process is dead."""
        request = {**input, "body": input["body"].decode()}
        line = json.dumps([operation, request, key, at.isoformat()])
        with self._lock:
            answer = self._answer_line(line.encode() + b"\n")
        if not answer.endswith(b"\n"):
            raise Crashed
        status, body = json.loads(answer)
        return status, body.encode()

    def _answer_line(self, line: bytes) -> bytes:
        """Return the answer to *line*, without a line end if the process died of it."""
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
        """Close the pipes, which ends the process."""
        process = self._process
        try:
            if process.stdin is not None:
                process.stdin.close()
        except OSError:
            pass  # the process is dead already
        process.wait()
        with self._lock:
            if process.stdout is not None:
                process.stdout.close()


def serve(factory: str, arguments: Sequence[str]) -> None:
    """Answer the requests on standard input until it ends."""
    host: Host = load_factory(factory)(*arguments)
    for line in sys.stdin.buffer:
        operation, request, key, at = json.loads(line)
        request["body"] = request["body"].encode()
        answer: Any = host.handle(operation, request, key=key, at=datetime.fromisoformat(at))
        sys.stdout.write(json.dumps([answer[0], answer[1].decode()]) + "\n")
        sys.stdout.flush()
