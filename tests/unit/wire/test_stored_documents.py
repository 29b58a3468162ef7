"""States and events that were damaged, or come from elsewhere: refused with every error."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import attrs
import pytest

import wire_samples
from every_case import for_every
from holdback import InvalidDocument, Merchant, Money, wire
from holdback.exact_json import Opaque, write_json
from holdback.wire.converter import structured
from holdback.wire.strict_json import read_json

STATE = wire.write_merchant(wire_samples.MERCHANT)


def damaged(*path, value):
    """The stored state with the *value* at *path*; `...` takes the field away."""
    tree = json.loads(STATE)
    inner = tree
    for step in path[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return json.dumps(tree).encode()


def messages_by_path(body, read=wire.read_merchant):
    with pytest.raises(InvalidDocument) as caught:
        read(body)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    return {error.path: error.message for error in caught.value.errors}


@for_every(
    ("path", "value", "place", "message"),
    [
        (["partner"], ..., "$.partner", "the field is missing"),
        (["partner"], 7, "$.partner", "expected text, not a number"),
        (["partner"], None, "$.partner", "expected text, not null"),
        (["partnr"], "x", "$.partnr", "unknown field"),
        (["deals", 0, "statuss"], "x", "$.deals[0].statuss", "unknown field"),
        (["deals"], "none", "$.deals", "expected an array, not text"),
        (["deals", 0], [], "$.deals[0]", "expected an object, not an array"),
        (["deals", 0, "term_days"], "289", "$.deals[0].term_days", "expected a whole number"),
        (["deals", 0, "term_days"], 289.5, "$.deals[0].term_days", "expected a whole number"),
        (["deals", 0, "term_days"], True, "$.deals[0].term_days", "expected a whole number"),
        (["deals", 0, "factor_rate"], 1.18, "$.deals[0].factor_rate", "a number as text"),
        (["deals", 0, "factor_rate"], "NaN", "$.deals[0].factor_rate", "a number as text"),
        (["deals", 0, "funded_amount"], "5000", "$.deals[0].funded_amount", "money such as"),
        (["deals", 0, "funded_amount"], "XXX 1", "$.deals[0].funded_amount", "money such as"),
        (["deals", 0, "funded_amount"], "GBP 0.001", "$.deals[0].funded_amount", "money such as"),
        (["deals", 0, "funded_on"], "2026-7-2", "$.deals[0].funded_on", "a day such as"),
        (
            ["deals", 0, "entries", 1, "settled"],
            1,
            "$.deals[0].entries[1].settled",
            "true or false",
        ),
        (["last_seen_at"], "now", "$.last_seen_at", "an instant such as"),
        (["last_seen_at"], "2026-07-01", "$.last_seen_at", "an instant such as"),
        (["consents"], "yes", "$.consents", "an object or an array, not text"),
        (["evidence"], [], "$.evidence", "expected an object, not an array"),
        (["bank_details"], [], "$.bank_details", "expected an object, not an array"),
        (["bank_details", "iban"], "x", "$.bank_details.iban", "unknown field"),
        (
            ["fulfilments", 0, "reply", "links"],
            {"a": 7},
            "$.fulfilments[0].reply.links",
            "an object of texts",
        ),
        (
            ["fulfilments", 0, "omitted"],
            "ab",
            "$.fulfilments[0].omitted",
            "expected an array, not text",
        ),
        (["deals", 0, "repayment_amount"], "GBP 0.00", "$.deals[0].repayment_amount", "above zero"),
        (["deals", 0, "repayment_amount"], "USD 5900.00", "$.deals[0]", "one currency"),
        (["format"], 2, "$.format", "expected format 1"),
        (["format"], "1", "$.format", "expected format 1"),
        (["format"], True, "$.format", "expected format 1"),
        (["format"], ..., "$.format", "expected format 1"),
    ],
)
def test_a_damaged_state_is_refused_with_its_path(path, value, place, message):
    """
    The state carries a format, and is read strictly (decisions/formats).
    """
    assert message in messages_by_path(damaged(*path, value=value))[place]


def test_every_error_of_a_state_is_reported():
    """
    All errors are listed, each with its JSON path.
    """
    tree = json.loads(STATE)
    tree["deals"][0]["term_days"] = None
    tree["deals"][0]["entries"][2]["on"] = "never"
    del tree["jurisdiction"]

    assert set(messages_by_path(json.dumps(tree).encode())) == {
        "$.deals[0].term_days",
        "$.deals[0].entries[2].on",
        "$.jurisdiction",
    }


@for_every("body", [b"", b"[]", b"null", b"7", b"[" * 100_000, b'{"format": 1}', None])
def test_what_is_no_state_is_refused(body):
    """
    A document that is not a stored state is refused.
    """
    assert messages_by_path(body)


def test_a_field_with_a_default_may_be_missing():
    """
    A state that was written before a field was added is read with the field's default.
    """
    tree = {"format": 1, "partner": "acme", "merchant_id": "m-1", "jurisdiction": "GB"}

    assert wire.read_merchant(json.dumps(tree).encode()) == Merchant.new(
        partner="acme", merchant_id="m-1", jurisdiction="GB"
    )


def test_a_state_begins_with_its_format():
    """
    A state without the format that this version reads is refused (decisions/formats).
    """
    assert STATE.startswith(b'{"format":1,')


def test_a_state_may_be_larger_and_deeper_than_a_request():
    """
    A state holds whole requests, so it may be larger and deeper than any of them.
    """
    deep = "[" * 31 + "]" * 31
    application = '"application": {"merchant_id": "m-1", "currency": "GBP"}'
    request = wire.read_offers_request(
        f'{{{application}, "consents": {{}}, "applicants": [{{}}],'
        f' "company": {{"a": {deep[1:-1]}}}}}'
    )
    offer_set = attrs.evolve(wire_samples.OFFER_SET, request=request)
    merchant = attrs.evolve(wire_samples.MERCHANT, offer_sets=(offer_set,) * 100)

    assert len(wire.write_merchant(merchant)) > 64 * 1024
    assert wire.read_merchant(wire.write_merchant(merchant)) == merchant


def test_the_same_merchant_gives_the_same_bytes():
    """
    The same merchant always gives the same bytes, in any order of the names that a host gave.
    """
    one = attrs.evolve(wire_samples.MERCHANT, evidence={"a": 1, "b": Decimal("1.10")})
    other = attrs.evolve(wire_samples.MERCHANT, evidence={"b": Decimal("1.10"), "a": 1})

    assert one == other
    assert wire.write_merchant(one) == wire.write_merchant(other)


def test_rates_are_stored_without_trailing_zeros():
    """
    Equal rates have equal bytes.
    """
    deals = [
        attrs.evolve(wire_samples.DEAL, factor_rate=Decimal(text))
        for text in ("1.5", "1.500", "15E-1")
    ]
    states = {
        wire.write_merchant(attrs.evolve(wire_samples.MERCHANT, deals=(deal,))) for deal in deals
    }

    assert len(states) == 1


def test_evidence_that_python_gave_is_stored_as_text():
    """
    A date or money given as evidence is stored as the text that the facts read.
    """
    evidence = {
        "credit_checked_on": date(2026, 7, 1),
        "average_monthly_takings": Money.parse("GBP 1"),
    }
    stored = wire.write_merchant(attrs.evolve(wire_samples.MERCHANT, evidence=evidence))

    assert wire.read_merchant(stored).evidence == {
        "credit_checked_on": "2026-07-01",
        "average_monthly_takings": "GBP 1.00",
    }


@for_every(
    ("change", "path"),
    [
        ({"type": "DealSold"}, "$.type"),
        ({"type": None}, "$.type"),
        ({"type": ["DealRepaid"]}, "$.type"),
        ({"format": 7}, "$.format"),
        ({"at": "now"}, "$.at"),
        ({"on": 7}, "$.on"),
        ({"by": "x"}, "$.by"),
    ],
)
def test_a_damaged_event_is_refused(change, path):
    """
    An event carries its type and its format (decisions/formats).
    """
    fields = wire.event_to_dict(wire_samples.EVENTS["DealRepaid"]) | change

    assert list(messages_by_path(fields, wire.event_from_dict)) == [path]
    assert list(messages_by_path(json.dumps(fields).encode(), wire.read_event)) == [path]


def test_an_event_from_before_a_field_was_added_is_readable():
    """
    `facts` came later than the first `OffersIssued`, and has a default.
    """
    event = wire_samples.EVENTS["OffersIssued"]
    fields = wire.event_to_dict(event)
    del fields["facts"]

    assert wire.event_from_dict(fields) == attrs.evolve(event, facts={})


def test_an_event_of_a_name_nearly_right_gets_a_hint():
    """
    An event with a misspelled type is refused with the nearest name.
    """
    fields = wire.event_to_dict(wire_samples.EVENTS["DealRepaid"]) | {"type": "DealRepayed"}
    with pytest.raises(InvalidDocument, match="did you mean `DealRepaid`"):
        wire.event_from_dict(fields)


def test_an_event_as_a_dict_is_plain():
    """
    Hosts that store events get plain values: closed documents are opened, and no number is a text.
    """
    fields = wire.event_to_dict(wire_samples.EVENTS["OffersIssued"])
    company = fields["offer_set"]["request"]["company"]

    assert list(fields)[:3] == ["type", "format", "at"]
    assert company["turnover"] == Decimal("1234567890.1234567890")
    assert fields["offer_set"]["request"]["applicants"][0]["share"] == Decimal("0.10")


def test_a_number_written_oddly_stays_as_it_came_in_a_dict_too():
    """
    Opaque content keeps the spelling of its numbers: no `Decimal` is written as `1e2`.
    """
    company = Opaque('{"a": 1e2, "b": -0, "c": 0.10, "d": 12}')
    filled = attrs.evolve(wire_samples.FILLED, company=company)
    event = attrs.evolve(wire_samples.EVENTS["OfferAccepted"], filled=filled)
    fields = wire.event_to_dict(event)

    assert fields["filled"]["company"] == {
        "a": "1e2",
        "b": Decimal("-0"),
        "c": Decimal("0.10"),
        "d": 12,
    }
    assert write_json(fields).encode() == wire.write_event(event)


@attrs.frozen
class Renamed:
    """A class with an attribute that is stored under its former name."""

    renamed: str = attrs.field(alias="stored_name")


@for_every(
    ("document", "path", "message", "hint"),
    [
        (b'{"stored_name": 7}', "$.stored_name", "expected text, not a number", None),
        (b"{}", "$.stored_name", "the field is missing", None),
        (
            b'{"stored_name": "x", "stored_nme": "x"}',
            "$.stored_nme",
            "unknown field",
            "did you mean `stored_name`?",
        ),
    ],
)
def test_errors_name_a_field_as_it_is_stored(document, path, message, hint):
    """
    An error about a renamed attribute has the path, and the hint the name, of its stored field.
    """
    with pytest.raises(InvalidDocument) as caught:
        structured(read_json(document), Renamed)

    (error,) = caught.value.errors
    assert (error.path, error.message, error.hint) == (path, message, hint)
