"""A written document is read back unchanged, under any decimal context."""

from __future__ import annotations

import decimal
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wire_samples
from counts import count
from holdback import Acceptance, Merchant, StateError, wire
from holdback.exact.exact_json import Opaque, Verbatim, write_json
from holdback.lifecycle.events import Event
from holdback.merchant.product import Offers
from holdback.merchant.profile import Profile
from holdback.testing import strategies
from holdback.testing.strategies.values import CLOSED, NUMBERS
from holdback.wire.converter import structured
from holdback.wire.stored import state_converter, state_text
from input_contexts import input_context

HOSTILE = {
    "one digit": decimal.Context(prec=1),
    "no traps": decimal.Context(prec=3, traps=[]),
    "every trap": decimal.Context(
        prec=4,
        traps=[decimal.Inexact, decimal.Rounded, decimal.FloatOperation, decimal.Subnormal],
    ),
    "small exponents": decimal.Context(prec=2, Emax=1, Emin=-1),
    "lower case": decimal.Context(prec=28, capitals=0, rounding=decimal.ROUND_UP),
}


@settings(max_examples=count("reachable merchants"))
@given(strategies.histories())
def test_a_merchant_is_read_back_as_it_was_written(history):
    """
    `read(write(x)) == x`, and `write(read(write(x)))` is the same bytes, for state and profile.
    """
    state = wire.write_merchant(history.merchant)
    profile = wire.write_profile(history.profile)

    assert wire.read_stored(state, profile) == (history.merchant, history.profile)
    assert wire.write_merchant(wire.read_merchant(state)) == state
    assert wire.write_profile(wire.read_profile(profile)) == profile


def test_no_document_is_written_that_could_not_be_read(monkeypatch):
    """
    "No document is ever written that cannot be read": it is refused before anything is stored.
    """
    deep = Profile.new(salt=bytes(16)).with_sections([Opaque("[" * 62 + "]" * 62)])
    too_deep = deep.with_sections([Opaque("[" * 63 + "]" * 63)])
    assert wire.read_profile(wire.write_profile(deep)) == deep
    with pytest.raises(StateError, match="nested more than 64 deep") as refused:
        wire.write_profile(too_deep)
    assert refused.value.errors[0].code == "too_large"

    size = len(wire.write_merchant(wire_samples.MERCHANT))
    monkeypatch.setattr("holdback.wire.stored.STATE_LIMIT", size)
    wire.write_merchant(wire_samples.MERCHANT)
    monkeypatch.setattr("holdback.wire.stored.STATE_LIMIT", size - 1)
    with pytest.raises(StateError, match=f"it has {size} bytes, and {size - 1} can be read"):
        wire.write_merchant(wire_samples.MERCHANT)


@given(strategies.of(Merchant))
def test_any_merchant_is_read_back_field_by_field(merchant):
    """
    The same of every value that a field can have, whether or not the fields agree.
    """
    stored = wire.read_json(
        state_text(state_converter(unchanged=False).unstructure(merchant)), limit=10**7, depth=64
    )

    assert structured(state_converter(unchanged=False), stored, Merchant) == merchant


def places(tree, path=()):
    """The path of every value in a document."""
    yield path
    if isinstance(tree, dict | list):
        for key in tree if isinstance(tree, dict) else range(len(tree)):
            yield from places(tree[key], (*path, key))


def spoilt(tree, path, odd):
    """*tree* with something odd at *path*: another value, nothing, or a field beside it."""
    if not path:
        return odd(tree)
    copy = dict(tree) if isinstance(tree, dict) else list(tree)
    copy[path[0]] = spoilt(tree[path[0]], path[1:], odd)
    if copy[path[0]] is MISSING:
        del copy[path[0]]
    return copy


MISSING = object()
ODD = {
    **{repr(each): lambda _, odd=each: odd for each in (None, True, "x", "", [], {}, MISSING)},
    "a number": lambda _: Verbatim("1.50"),
    "another field": lambda was: {**was, "colour": "red"} if isinstance(was, dict) else [was],
}


@settings(deadline=None)
@given(strategies.of(Merchant), st.data())
def test_a_spoilt_state_is_read_or_refused_with_the_places_of_its_errors(merchant, data):
    """
    Nothing but `StateError` is raised for a state with a value that was changed.
    """
    tree = json.loads(wire.write_merchant(merchant), parse_float=Verbatim, parse_int=Verbatim)
    del tree["format"], tree["checksum"]
    path = data.draw(st.sampled_from(list(places(tree))))
    odd = spoilt(tree, path, data.draw(st.sampled_from(list(ODD.values()))))
    errors = ()
    try:
        read = structured(state_converter(unchanged=False), odd, Merchant)
    except StateError as refused:
        errors = refused.errors
    else:
        assert isinstance(read, Merchant)

    assert all(error.path.startswith("$") for error in errors)


@given(strategies.of(Event))
def test_an_event_is_read_back_as_it_was_written(event):
    """
    `read(write(x)) == x` through bytes and through dicts, and the bytes stay the same.
    """
    stored = wire.write_event(event)

    assert wire.read_event(stored) == event
    assert wire.write_event(wire.read_event(stored)) == stored
    assert wire.event_from_dict(wire.event_to_dict(event)) == event
    assert write_json(wire.event_to_dict(event)).encode() == stored


@given(strategies.of(Offers) | strategies.of(Acceptance))
def test_the_fast_writer_writes_what_the_plain_one_does(reply):
    """
    `write`, which builds the bytes by hand, writes what `write_json` writes.
    """
    assert wire.write(reply) == write_json(wire.to_dict(reply)).encode()


@given(strategies.of(Offers))
def test_what_is_written_is_json(reply):
    """
    "All bodies are JSON." (service 2)
    """
    assert json.loads(wire.write(reply)).keys() == {"products", "expiresAt"}


@given(NUMBERS)
def test_a_number_comes_back_as_it_came(number):
    """
    Numbers are exact both ways, to 28 digits, and opaque content keeps their spelling.
    """
    body = b'{"n":%s}' % number.encode()

    assert write_json(wire.read_json(body)).encode() == body


@given(CLOSED)
def test_a_profile_comes_back_as_it_came(company):
    """
    A profile goes through the request, both stored documents and back with its content unchanged.
    """
    application = {"merchant_id": "m-1", "currency": "GBP"}
    body = {"application": application, "consents": {}, "applicants": [{}], "company": company}
    request = wire.read_offers_request(write_json(body))
    profile = wire_samples.PROFILE.with_sections((request.company,))
    kept = wire.read_profile(wire.write_profile(profile))

    assert kept.section(profile.digest(request.company)).text == request.company.text
    assert request.company.text == write_json(company)


@pytest.mark.parametrize("context", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_decimal_context_changes_nothing(context):
    """
    A decimal context that rounds, or traps signals, or traps none changes nothing.
    """
    with decimal.localcontext(context):
        state = wire.write_merchant(wire_samples.MERCHANT)
        replies = {name: wire.write(reply) for name, reply in wire_samples.REPLIES.items()}
        merchant = wire.read_merchant(state)
        again = wire.write_merchant(merchant)
        command = wire.read_command(
            "record_takings",
            b'{"takings":[{"on":"2026-07-01","amount":123456789.10}]}',
            input_context(),
        )

    assert state == again == wire.write_merchant(wire_samples.MERCHANT)
    assert replies == {name: wire.write(reply) for name, reply in wire_samples.REPLIES.items()}
    assert str(command.takings[0].amount) == "GBP 123456789.10"
