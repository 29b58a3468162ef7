"""Incoming requests: the caller's key, the body within its limit, the idempotency key."""

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
class Incoming:
    """A request from a caller that is allowed to make it."""

    caller: Partner | Agent
    body: bytes = b""
    key: str | None = None
    fingerprint: str | None = None


async def question_from_partner(request: Request):
    """A partner's question; it changes nothing, so it needs no idempotency key."""
    return Incoming(_caller(request, Partner))


async def from_partner(request: Request):
    """A partner's request."""
    return await _incoming(request, _caller(request, Partner))


async def from_agent(request: Request):
    """An agent's request."""
    return await _incoming(request, _caller(request, Agent))


def _caller(request, kind):
    key, caller = request.app.state.partners.with_key(_bearer(request))
    if caller is None:
        raise Problem(UNAUTHORIZED)
    note = note_of(request)
    note.caller, note.key_name = caller.caller, key.name
    if not key.valid(request.app.state.host.clock()):
        raise Problem(UNAUTHORIZED)
    if not isinstance(caller, kind):
        raise Problem(FORBIDDEN)
    return caller


def _bearer(request):
    """Return the key that was sent. Of two, a proxy may have read the other one."""
    sent = request.headers.getlist("authorization")
    scheme, _, key = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
    if scheme.lower() != "bearer" or not key:
        raise Problem(UNAUTHORIZED)
    return key


async def _incoming(request, caller):
    key = request.headers.get("idempotency-key")
    if key is not None and VISIBLE_ASCII.fullmatch(key) is None:
        message = "expected 1 to 255 visible ASCII characters"
        raise InvalidDocument.of("wrong_value", message, path="$.header.Idempotency-Key")
    body = await _body(request)
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and content_type != "application/json":
        raise Problem(NOT_JSON)
    # The path names the operation and the merchant, so it is part of the fingerprint.
    path = request.scope["path"].encode("utf-8", "surrogatepass")
    return Incoming(caller, body, key, hashlib.sha256(path + b"\n" + body).hexdigest())


async def _body(request):
    """Read the body, at most up to its limit; its Content-Length is not trusted."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > wire.REQUEST_LIMIT:
            raise Problem(TOO_LARGE)
    return bytes(body)
