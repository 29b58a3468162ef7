"""Incoming requests: who calls and may, the body within its limits, the idempotency key."""

import asyncio
import hashlib
import hmac
import re

from attrs import frozen
from fastapi import Request

from fastapi_host.logs import note_of
from fastapi_host.partners import Agent, Partner
from fastapi_host.problems import (
    ENCODED,
    FORBIDDEN,
    NOT_JSON,
    NOT_UTF_8,
    SEVERAL_TYPES,
    TOO_LARGE,
    TOO_SLOW,
    UNAUTHORIZED,
    Problem,
)
from fastapi_host.roles import may
from holdback import InvalidDocument, wire

VISIBLE_ASCII = re.compile("[!-~]{1,255}")
BODY_SECONDS = 20  # from the first look at a body until all of it is here
CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\";]*)", re.IGNORECASE)


@frozen
class Incoming:
    """A request from a caller that is allowed to make it."""

    caller: Partner | Agent
    body: bytes = b""
    key: str | None = None
    fingerprint: str | None = None


async def asked(request: Request):
    """A question; it changes nothing, so it needs no idempotency key."""
    caller, _ = _caller(request)
    return Incoming(caller)


async def commanded(request: Request):
    """A request that may change something."""
    return await _incoming(request, *_caller(request))


def _caller(request):
    """Return who calls, with the key, if the caller may call this endpoint."""
    key, caller = request.app.state.partners.with_key(_bearer(request))
    if caller is None:
        raise Problem(UNAUTHORIZED)
    note = note_of(request)
    note.caller, note.key_name = caller.caller, key.name
    if not key.valid(request.app.state.host.clock()):
        raise Problem(UNAUTHORIZED)
    if not may(caller.rights, request.scope["route"].operation_id):
        raise Problem(FORBIDDEN)
    return caller, key


def _bearer(request):
    """Return the key that was sent. Of two, a proxy may have read the other one."""
    sent = request.headers.getlist("authorization")
    scheme, _, key = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
    if scheme.lower() != "bearer" or not key:
        raise Problem(UNAUTHORIZED)
    return key


async def _incoming(request, caller, key):
    idempotency_key = _idempotency_key(request)
    body = await read_body(request)
    if body:
        _check_content(request.headers)
        note_of(request).body_digest = _digest(key, body)
    # The path names the operation and the merchant, so it is part of the fingerprint.
    path = request.scope["path"].encode("utf-8", "surrogatepass")
    fingerprint = hashlib.sha256(path + b"\n" + body).hexdigest()
    return Incoming(caller, body, idempotency_key, fingerprint)


def _idempotency_key(request):
    sent = request.headers.getlist("idempotency-key")
    if not sent:
        return None
    if len(sent) > 1:
        message = f"expected one key for one request; {len(sent)} were sent"
    elif not sent[0]:
        message = "the key is empty; send 1 to 255 visible ASCII characters, or no such header"
    elif VISIBLE_ASCII.fullmatch(sent[0]) is None:
        message = "expected 1 to 255 visible ASCII characters"
    else:
        return sent[0]
    raise InvalidDocument.of("wrong_value", message, path="$.header.Idempotency-Key")


async def read_body(request):
    """Read the body, at most up to its limits; its Content-Length is not trusted."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > wire.REQUEST_LIMIT:
                    raise Problem(TOO_LARGE)
    except TimeoutError:
        raise Problem(TOO_SLOW) from None
    return bytes(body)


def _check_content(headers):
    """Refuse a body that is not plain JSON in UTF-8, as its headers say."""
    if {coding.strip().lower() for coding in _values(headers, "content-encoding")} - {"identity"}:
        raise Problem(ENCODED)
    types = headers.getlist("content-type")
    if len(types) > 1:
        raise Problem(SEVERAL_TYPES)
    content_type = types[0] if types else ""
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise Problem(NOT_JSON)
    if {charset.strip().lower() for charset in CHARSET.findall(content_type)} - {"utf-8", "utf8"}:
        raise Problem(NOT_UTF_8)


def _values(headers, name):
    sent = headers.getlist(name)
    return ",".join(sent).split(",") if sent else []


def _digest(key, body):
    """
    Return a digest of the body for the log, which the caller can make too.

    It is keyed, because a plain one would let a reader of the log find a short body by trying.
    """
    return hmac.digest(bytes.fromhex(key.sha256), body, "sha256").hex()
