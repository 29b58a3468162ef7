"""Everything that is answered with problem details (RFC 9457), whoever found it: holdback, FastAPI or we."""

import json

from attrs import frozen
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from holdback import InvalidDocument, Refusal, wire


@frozen
class Kind:
    """What holdback has no word for, because it happens before or around it."""

    status: int
    code: str
    title: str
    detail: str


AGAIN = "send the request again, with the same key"
LIMIT = f"a body has at most {wire.REQUEST_LIMIT} bytes"
UNAUTHORIZED = Kind(401, "unauthorized", "No valid key was given", "`Authorization: Bearer KEY`")
FORBIDDEN = Kind(403, "forbidden", "The key is not for this", "this key is of another kind")
NOT_FOUND = Kind(404, "not_found", "There is no such resource", "nothing is served under this path")
NOT_ALLOWED = Kind(405, "method_not_allowed", "The method is not allowed", "see the header `Allow`")
TOO_LARGE = Kind(413, "too_large", "The body is too large", LIMIT)
NOT_JSON = Kind(415, "not_json", "The body is not JSON", "send it as `application/json`")
INVALID_REQUEST = Kind(422, "invalid_request", "The request is not valid", "`errors` says what")
INTERNAL_ERROR = Kind(500, "internal_error", "Something went wrong", AGAIN)
UNAVAILABLE = Kind(503, "unavailable", "The service is busy", AGAIN)
CHECKS_FAILED = Kind(503, "checks_failed", "The checks could not be made", AGAIN)
BY_STATUS = {kind.status: kind for kind in (NOT_FOUND, NOT_ALLOWED, INTERNAL_ERROR)}
HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "1"}}


class Problem(Exception):
    """One of these happened."""

    def __init__(self, kind):
        self.kind = kind
        super().__init__(kind.code)


def answer(kind, *, errors=(), headers=None):
    """The reply for one of these."""
    details = {"type": f"urn:holdback:{kind.code}", "title": kind.title, "status": kind.status}
    details |= {"detail": kind.detail, "code": kind.code, "errors": list(errors)}
    body = json.dumps(details, separators=(",", ":")).encode()
    return _reply(kind.status, kind.code, body, HEADERS.get(kind.status, {}) | (headers or {}))


def _reply(status, code, body, headers=None):
    reply = Response(body, status, headers, media_type=wire.CONTENT_TYPE)
    reply.code = code  # for the log
    return reply


def install(app, note_of):
    """Give `app` these answers, and the log their codes."""

    def noted(request, reply):
        note_of(request).code = reply.code
        return reply

    @app.exception_handler(Refusal)
    @app.exception_handler(InvalidDocument)
    async def _(request, error):
        told = wire.problem(error)
        return noted(request, _reply(told["status"], told["code"], wire.write_problem(error)))

    @app.exception_handler(Problem)
    async def _(request, error):
        return noted(request, answer(error.kind))

    @app.exception_handler(HTTPException)
    async def _(request, error):
        kind = BY_STATUS.get(error.status_code, INTERNAL_ERROR)
        return noted(request, answer(kind, headers=error.headers))

    @app.exception_handler(RequestValidationError)
    async def _(request, error):
        # FastAPI's own findings, about headers and the query; without `input`, which is what was sent.
        found = [
            {"path": ".".join(map(str, each["loc"])), "message": each["msg"]}
            for each in error.errors()
        ]
        return noted(request, answer(INVALID_REQUEST, errors=found))
