"""
The log: one JSON object per line, without personal data.

It contains no bodies, query strings, raw paths, merchant_ids, provider_ids or exception messages,
because a caller may have put personal data there. Every field that is logged is named explicitly.
"""

import json
import logging
import time
import traceback
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from attrs import define, field

from fastapi_host.problems import INTERNAL_ERROR, answer

LOGGER = logging.getLogger("holdback.host")


def log(event, **fields):
    """Log one line."""
    LOGGER.info(event, extra={"fields": fields})


class Lines(logging.Formatter):
    """Formats a record as a line of JSON; of another library's, only its name and level."""

    def format(self, record):
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields = getattr(record, "fields", {"level": record.levelname, "logger": record.name})
        return json.dumps({"at": at, "event": record.getMessage(), **fields})


def log_to(stream):
    """Write the log to `stream`."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Lines())
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False


@define
class Note:
    """What the log will say about one request."""

    request_id: str = field(factory=lambda: str(uuid4()))
    caller: str | None = None
    key_name: str | None = None
    code: str | None = None
    attempts: int = 0


def note_of(request):
    """Return the note of a request."""
    return request.state.note


class RequestLog:
    """The outermost layer: logs each request, and answers 500 if nothing else answered."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        note = scope.setdefault("state", {})["note"] = Note()
        started, status = time.perf_counter(), None

        async def noted(message):
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noted)
        except Exception as error:  # noqa: BLE001 - nothing above handles it; no details leave the host
            log(
                "error", request_id=note.request_id, error=type(error).__name__, where=_where(error)
            )
            if status is None:
                note.code = INTERNAL_ERROR.code
                await answer(INTERNAL_ERROR)(scope, receive, noted)
        route = scope.get("route")
        log(
            "request",
            request_id=note.request_id,
            caller=note.caller,
            key_name=note.key_name,
            method=scope["method"],
            route=getattr(route, "path_format", None),
            status=status,
            code=note.code,
            attempts=note.attempts,
            milliseconds=round((time.perf_counter() - started) * 1000, 1),
        )


def _where(error):
    """Return the lines of code that the error passed through, without its message."""
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    return [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
