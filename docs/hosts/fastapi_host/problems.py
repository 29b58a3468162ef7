"""Every error as problem details (RFC 9457), from holdback, from FastAPI and from this host."""

import json

from attrs import frozen
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from holdback import ConfigurationError, InvalidDocument, Refusal, StateError, wire
from holdback.errors import REFUSALS


@frozen
class Kind:
    """An error that happens before or around holdback, which has no code for it."""

    status: int
    code: str
    title: str
    detail: str


RETRY = "send the request again, with the same `Idempotency-Key`"
LIMIT = f"a body may have at most {wire.REQUEST_LIMIT} bytes"
UNAUTHORIZED = Kind(
    401,
    "unauthorized",
    "No valid key was given",
    "send the key in the header `Authorization: Bearer KEY`",
)
FORBIDDEN = Kind(
    403,
    "forbidden",
    "The key is not for this endpoint",
    "this key is of a caller who may not do this",
)
NOT_FOUND = Kind(404, "not_found", "There is no such resource", "this path does not exist")
NOT_ALLOWED = Kind(405, "method_not_allowed", "The method is not allowed", "see the header `Allow`")
TOO_SLOW = Kind(408, "too_slow", "The body did not arrive in time", RETRY)
TOO_LARGE = Kind(413, "too_large", "The body is too large", LIMIT)
NOT_JSON = Kind(415, "not_json", "The body is not JSON", "send it as `application/json`")
SEVERAL_TYPES = Kind(
    415,
    "not_json",
    "The body has several content types",
    "send one header `Content-Type: application/json`",
)
NOT_UTF_8 = Kind(
    415,
    "not_utf_8",
    "The body is not in UTF-8",
    "send JSON in UTF-8, with `charset=utf-8` or without a `charset`",
)
ENCODED = Kind(415, "encoded", "The body is compressed", "send it without `Content-Encoding`")
INVALID_REQUEST = Kind(422, "invalid_request", "The request is not valid", "`errors` says what")
INTERNAL_ERROR = Kind(500, "internal_error", "Something went wrong", "send the request again")
UNAVAILABLE = Kind(503, "unavailable", "The service is busy", RETRY)
# Without the instants: that of the merchant's last event may be that of something a partner does
# not see, such as a hold.
IMPLAUSIBLE = Kind(503, "implausible_time", REFUSALS["implausible_time"][1], RETRY)
CHECKS_FAILED = Kind(503, "checks_failed", "The checks could not be made", RETRY)
BY_STATUS = {kind.status: kind for kind in (NOT_FOUND, NOT_ALLOWED, INTERNAL_ERROR)}
# After 408 and 413 the rest of a body may still arrive, so the connection cannot be used again.
HEADERS = {
    401: {"WWW-Authenticate": "Bearer"},
    408: {"Connection": "close"},
    413: {"Connection": "close"},
    415: {"Accept-Post": "application/json", "Accept-Encoding": "identity"},
    503: {"Retry-After": "1"},
}


class Problem(Exception):
    """Raised for one of these errors."""

    def __init__(self, kind):
        self.kind = kind
        super().__init__(kind.code)


def answer(kind, *, errors=(), headers=None):
    """Return the response for one of these errors."""
    details = {"type": f"urn:holdback:{kind.code}", "title": kind.title, "status": kind.status}
    details |= {"detail": kind.detail, "code": kind.code, "errors": list(errors)}
    body = json.dumps(details, separators=(",", ":")).encode()
    return _reply(kind.status, kind.code, body, HEADERS.get(kind.status, {}) | (headers or {}))


def _reply(status, code, body, headers=None):
    reply = Response(body, status, headers, media_type=wire.CONTENT_TYPE)
    reply.code = code  # for the log
    return reply


def install(app, note_of):
    """Let `app` answer every error with problem details, and log their codes."""

    def noted(request, reply):
        note_of(request).code = reply.code
        return reply

    @app.exception_handler(Refusal)
    @app.exception_handler(InvalidDocument)
    @app.exception_handler(StateError)
    @app.exception_handler(ConfigurationError)
    async def _(request, error):
        problem = wire.problem(error)
        body = wire.write_problem(error)
        return noted(request, _reply(problem["status"], problem["code"], body))

    @app.exception_handler(Problem)
    async def _(request, error):
        return noted(request, answer(error.kind))

    @app.exception_handler(HTTPException)
    async def _(request, error):
        kind = BY_STATUS.get(error.status_code, INTERNAL_ERROR)
        headers = dict(error.headers or {})
        if headers.get("Allow") == "GET":
            headers["Allow"] = "GET, HEAD"  # see `outermost`
        return noted(request, answer(kind, headers=headers))

    @app.exception_handler(RequestValidationError)
    async def _(request, error):
        # FastAPI's own errors, in headers and the query; without `input`, the text that was sent.
        errors = [
            {
                "path": ".".join(map(str, ("$", *detail["loc"]))),
                "code": "missing" if detail["type"] == "missing" else "wrong_value",
                "message": detail["msg"],
            }
            for detail in error.errors()
        ]
        return noted(request, answer(INVALID_REQUEST, errors=errors))
