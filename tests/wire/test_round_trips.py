"""What is written is read back as it was, under any decimal context."""

from __future__ import annotations

import decimal
import json

import attrs
import pytest
from hypothesis import given

import wire_samples
from holdback import Acceptance, Merchant, wire
from holdback.canonical import write_json
from holdback.lifecycle.events import Event
from holdback.model.product import Offers
from holdback.testing import strategies

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


@given(strategies.of(Merchant))
def test_a_merchant_is_read_back_as_it_was_written(merchant):
    """
    `read(write(x)) == x`, and `write(read(write(x)))` is the same bytes.
    """
    stored = wire.write_merchant(merchant)

    assert wire.read_merchant(stored) == merchant
    assert wire.write_merchant(wire.read_merchant(stored)) == stored


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
    "`write` puts the same bytes together by hand, and a law holds the two equal."
    """
    assert wire.write(reply) == write_json(wire.to_dict(reply)).encode()


@given(strategies.of(Offers))
def test_what_is_written_is_json(reply):
    """
    "All bodies are JSON." (spec 2)
    """
    assert json.loads(wire.write(reply)).keys() == {"products", "expiresAt"}


@given(strategies.json_numbers())
def test_a_number_comes_back_as_it_came(number):
    """
    "Numbers are exact both ways, to 28 digits: opaque content keeps its numbers as they came."
    """
    body = b'{"n":%s}' % number.encode()

    assert write_json(wire.read_json(body)).encode() == body


@given(strategies.json_objects())
def test_a_profile_comes_back_as_it_came(company):
    """
    A profile goes through the request, the state and back with its content unchanged.
    """
    application = {"merchant_id": "m-1", "currency": "GBP"}
    body = {"application": application, "consents": {}, "applicants": [{}], "company": company}
    request = wire.read_offers_request(write_json(body))
    merchant = attrs.evolve(wire_samples.MERCHANT, company=request.company)
    kept = wire.read_merchant(wire.write_merchant(merchant)).company

    assert request.company.text == kept.text == write_json(company)


@pytest.mark.parametrize("context", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_decimal_context_changes_nothing(context):
    """
    "No ambient decimal context is used." (contexts that round, trap or let go of everything)
    """
    with decimal.localcontext(context):
        state = wire.write_merchant(wire_samples.MERCHANT)
        replies = {name: wire.write(reply) for name, reply in wire_samples.REPLIES.items()}
        merchant = wire.read_merchant(state)
        again = wire.write_merchant(merchant)
        command = wire.read_command(
            "record_takings", b'{"takings":[{"on":"2026-07-01","amount":123456789.10}]}', GBP
        )

    assert state == again == wire.write_merchant(wire_samples.MERCHANT)
    assert replies == {name: wire.write(reply) for name, reply in wire_samples.REPLIES.items()}
    assert str(command.takings[0].amount) == "GBP 123456789.10"


GBP = wire_samples.money("1.00").currency
