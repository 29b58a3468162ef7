"""What arrives: who sends it, the body within its limit, and the idempotency key."""

import hashlib
import re

from attrs import frozen
from fastapi import Request

from fastapi_host.logs import note_of
from fastapi_host.partners import Agent, Partner
from fastapi_host.problems import FORBIDDEN, NOT_JSON, TOO_LARGE, UNAUTHORIZED, Problem
from holdback import InvalidDocument, wire

VISIBLE_ASCII = re.compile("[!-~]{1,255}")


@frozen
class Arrival:
    """A request whose sender is known and may send it."""

    caller: Partner | Agent
    body: bytes = b""
    key: str | None = None
    asked: str | None = None


async def question_of_partner(request: Request):
    """What a partner asks; the answer changes nothing, so it takes no key."""
    return Arrival(_caller(request, Partner))


async def from_partner(request: Request):
    """What a partner sends."""
    return await _arrival(request, _caller(request, Partner))


async def from_agent(request: Request):
    """What an agent sends."""
    return await _arrival(request, _caller(request, Agent))


def _caller(request, kind):
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    caller = request.app.state.partners.whose(key) if scheme.lower() == "bearer" else None
    if caller is None:
        raise Problem(UNAUTHORIZED)
    note_of(request).caller = caller.caller
    if not isinstance(caller, kind):
        raise Problem(FORBIDDEN)
    return caller


async def _arrival(request, caller):
    key = request.headers.get("idempotency-key")
    if key is not None and VISIBLE_ASCII.fullmatch(key) is None:
        message = "expected 1 to 255 visible ASCII characters"
        raise InvalidDocument.of(message, path="header.Idempotency-Key")
    body = await _body(request)
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and content_type != "application/json":
        raise Problem(NOT_JSON)
    path = request.scope["path"].encode("utf-8", "surrogatepass")  # it names the operation too
    return Arrival(caller, body, key, hashlib.sha256(path + b"\n" + body).hexdigest())


async def _body(request):
    """The body, read no further than its limit, whatever its length was said to be."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > wire.REQUEST_LIMIT:
            raise Problem(TOO_LARGE)
    return bytes(body)
