"""What the service says about itself: JSON, one object per line, without a word about anybody.

No bodies, query strings, paths as they came, merchant_ids, provider_ids or messages of exceptions: those
may hold what somebody sent. What is logged is named here, field by field.
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
    """One line."""
    LOGGER.info(event, extra={"fields": fields})


class Lines(logging.Formatter):
    """A record of ours as a line of JSON; of any other, its name and level alone."""

    def format(self, record):
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields = getattr(record, "fields", {"level": record.levelname, "logger": record.name})
        return json.dumps({"at": at, "event": record.getMessage(), **fields})


def to(stream):
    """Write the lines to `stream`."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Lines())
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False


@define
class Note:
    """What is known of one request by the time that it is logged."""

    request_id: str = field(factory=lambda: str(uuid4()))
    caller: str | None = None
    code: str | None = None
    attempts: int = 0


def note_of(request):
    """The note of a request."""
    return request.state.note


class RequestLog:
    """The outermost layer: logs each request, and answers 500 when nobody else answered."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        note = scope.setdefault("state", {})["note"] = Note()
        begun, status = time.perf_counter(), None

        async def noted(message):
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noted)
        except Exception as error:  # noqa: BLE001 - the last one to see it: the partner gets no detail, the log no message
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
            method=scope["method"],
            route=getattr(route, "path_format", None),
            status=status,
            code=note.code,
            attempts=note.attempts,
            milliseconds=round((time.perf_counter() - begun) * 1000, 1),
        )


def _where(error):
    """The lines of code that it came through, without its message."""
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    return [f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in frames]
