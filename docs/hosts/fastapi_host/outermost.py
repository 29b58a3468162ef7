"""
The outermost layer: what holds for every request and every answer, errors included.

An answer names the request by the id that is in the log, and is never stored on its way. A client
that goes away is not an error of this host.
"""

import time
import traceback
from pathlib import Path

from starlette.requests import ClientDisconnect

from fastapi_host.logs import Note, log
from fastapi_host.problems import INTERNAL_ERROR, answer
from holdback import ConfigurationError, StateError

REQUEST_ID = b"x-request-id"
NO_STORE = (b"cache-control", b"no-store")  # an answer may have personal data
CLIENT_DISCONNECTED = "client_disconnected"


class Outermost:
    """Logs each request, gives every answer its headers, and answers 500 if nothing else does."""

    def __init__(self, app, proxies):
        self.app = app
        self.proxies = proxies

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), None
        note = scope.setdefault("state", {})["note"] = Note(client=self.proxies.client(scope))
        # HEAD is GET without the body (RFC 9110).
        is_head = scope["method"] == "HEAD"
        inner = {**scope, "method": "GET"} if is_head else scope

        async def completed(message):
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                more = ((REQUEST_ID, note.request_id.encode()), NO_STORE)
                message = {**message, "headers": [*message.get("headers", ()), *more]}
            elif is_head:
                message = {**message, "body": b""}
            try:
                await send(message)
            except OSError:  # how a server reports it (ASGI 2.4)
                raise ClientDisconnect from None

        try:
            try:
                await self.app(inner, receive, completed)
            except ClientDisconnect:
                raise
            except Exception as error:  # noqa: BLE001 - nothing above handles it; no details leave the host
                log("error", request_id=note.request_id, **_about(error))
                if status is None:
                    note.code = INTERNAL_ERROR.code
                    await answer(INTERNAL_ERROR)(inner, receive, completed)
        except ClientDisconnect:
            note.code = CLIENT_DISCONNECTED
        _log_request(scope["method"], inner.get("route"), note, status, started)


def _log_request(method, route, note, status, started):
    log(
        "request",
        request_id=note.request_id,
        caller=note.caller,
        key_name=note.key_name,
        client=note.client,
        method=method,
        route=getattr(route, "path_format", None),
        status=status,
        code=note.code,
        attempts=note.attempts,
        body_digest=note.body_digest,
        rulebook_digest=note.rulebook_digest,
        milliseconds=round((time.perf_counter() - started) * 1000, 1),
    )


def _about(error):
    """
    Return what the log says about an error: not its message, which may have personal data.

    The places and codes in an error of holdback about the host's own documents have none.
    """
    details = error.errors if isinstance(error, StateError | ConfigurationError) else ()
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    return {
        "error": type(error).__name__,
        "details": [f"{detail.path}: {detail.code}" for detail in details],
        "where": [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames],
    }
