"""States and events that were damaged, or come from elsewhere: refused with every error."""

from __future__ import annotations

import json
from decimal import Decimal

import attrs
import pytest

import wire_samples
from every_case import for_every
from holdback import StateError, wire
from holdback.exact.exact_json import Opaque, Verbatim, write_json
from holdback.lifecycle.events import RenewalEligibilityChanged
from holdback.merchant.application import HeldFact
from holdback.wire.converter import event_converter, structured
from holdback.wire.strict_json import read_json
from stored_json import edited, resealed, tree_of, written

STATE = wire.write_merchant(wire_samples.MERCHANT)
TREE = tree_of(STATE)
PROFILE = tree_of(wire.write_profile(wire_samples.PROFILE))


def damaged(*path, value):
    """The stored state with the *value* at *path*; `...` takes the field away."""
    return written(edited(TREE, path, value))


def messages_by_path(body, read=wire.read_merchant):
    with pytest.raises(StateError) as caught:
        read(body)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    return {error.path: error.message for error in caught.value.errors}


DEAL = ("deals", 1)


@for_every(
    ("path", "value", "place", "message"),
    [
        (["partner"], ..., "$.partner", "the field is missing"),
        (["partner"], Verbatim("7"), "$.partner", "expected text, not a number"),
        (["partner"], None, "$.partner", "expected text, not null"),
        (["partner"], "", "$.partner", "text that is not empty"),
        (["partnr"], "x", "$.partnr", "unknown field"),
        ([*DEAL, "statuss"], "x", "$.deals[1].statuss", "unknown field"),
        (["deals"], "none", "$.deals", "expected an array, not text"),
        (["deals", 0], [], "$.deals[0]", "expected an object, not an array"),
        ([*DEAL, "term_days"], "289", "$.deals[1].term_days", "expected a whole number"),
        (
            [*DEAL, "term_days"],
            Verbatim("289.5"),
            "$.deals[1].term_days",
            "expected a whole number",
        ),
        ([*DEAL, "term_days"], True, "$.deals[1].term_days", "expected a whole number"),
        (
            [*DEAL, "factor_rate"],
            Verbatim("1.18"),
            "$.deals[1].factor_rate",
            "a number as text",
        ),
        ([*DEAL, "factor_rate"], "NaN", "$.deals[1].factor_rate", "a number as text"),
        ([*DEAL, "funded_amount"], "5000", "$.deals[1].funded_amount", "money such as"),
        ([*DEAL, "funded_amount"], "XXX 1", "$.deals[1].funded_amount", "money such as"),
        ([*DEAL, "funded_amount"], "GBP 0.001", "$.deals[1].funded_amount", "money such as"),
        ([*DEAL, "funded_on"], "2026-7-2", "$.deals[1].funded_on", "a day such as"),
        (
            [*DEAL, "entries", 1, 4],
            Verbatim("1"),
            "$.deals[1].entries[1].settled",
            "true or false",
        ),
        ([*DEAL, "entries", 1, 0], "", "$.deals[1].entries[1].id", "text that is not empty"),
        ([*DEAL, "entries", 1, 5], ..., "$.deals[1].entries[1]", "expected an array of id, on"),
        (["takings", 0, 1], "GBP", "$.takings[0].amount", "money such as"),
        (["takings", 0], {}, "$.takings[0]", "expected an array of on, amount, stated_at"),
        (["last_seen_at"], "now", "$.last_seen_at", "an instant such as"),
        (["last_seen_at"], "2026-07-01", "$.last_seen_at", "an instant such as"),
        (["sections"], [], "$.sections", "an object, not an array"),
        (["sections", "company"], True, "$.sections.company", "text"),
        (
            ["fulfilments", 0, "omitted"],
            "ab",
            "$.fulfilments[0].omitted",
            "expected an array, not text",
        ),
        (
            ["requests", 1, "carried_out", "receipt", "days"],
            "x",
            "$.requests[1].carried_out.receipt.days",
            "expected a whole number",
        ),
        (["deals", 0, "status"], "Foo", "$.deals[0].status", "expected one of `Funded`"),
        (
            [*DEAL, "repayment_amount"],
            "GBP 0.00",
            "$.deals[1].repayment_amount",
            "expected at least 1 minor units",
        ),
        (
            [*DEAL, "funded_amount"],
            "USD 5900.00",
            "$.deals[1].funded_amount",
            "expected an amount in GBP",
        ),
        (
            ["deals", 0, "settled"],
            "GBP -1.00",
            "$.deals[0].settled",
            "only a renewed deal was settled",
        ),
        (["deals", 0, "status"], "Funded", "$.deals", "at most one deal is active"),
        (["currency"], "EUR", "$.checksum", "its checksum is that of another content"),
        (["checksum"], "0" * 16, "$.checksum", "its checksum is that of another content"),
        (["checksum"], ..., "$.checksum", "its checksum is that of another content"),
        (["format"], Verbatim("2"), "$.format", "format 2 is of a newer version of holdback"),
        (["format"], Verbatim("0"), "$.format", "expected a format from 1 to 1"),
        (["format"], Verbatim("-1"), "$.format", "expected the number of a format"),
        (["format"], Verbatim("1.0"), "$.format", "expected the number of a format"),
        (["format"], "1", "$.format", "expected the number of a format"),
        (["format"], True, "$.format", "expected the number of a format"),
        (["format"], ..., "$.format", "expected the number of a format"),
    ],
)
def test_a_damaged_state_is_refused_with_its_path(path, value, place, message):
    """
    A state carries a format, is read strictly, and says what was written (decisions/wire).
    """
    assert message in messages_by_path(damaged(*path, value=value))[place]


def test_a_newer_format_is_refused_as_exactly_that():
    """
    A document of a newer format is refused before anything else in it is read (how-to/upgrade).
    """
    newer = b'{"format":12,"colour":"red"}'
    for read in (
        wire.read_merchant,
        wire.read_profile,
        wire.read_event,
        lambda body: wire.read_stored(body, None),
    ):
        with pytest.raises(StateError) as caught:
            read(newer)
        (error,) = caught.value.errors
        assert (error.code, error.path) == ("newer_format", "$.format")
        assert str(error) == (
            "$.format: format 12 is of a newer version of holdback; this one reads formats up to "
            "1; run the newer version, or restore the document of before"
        )


def test_every_error_of_a_state_is_reported():
    """
    All errors are listed, each with its JSON path.
    """
    tree = edited(TREE, [*DEAL, "term_days"], None)
    tree = edited(tree, [*DEAL, "entries", 2, 1], "never")
    tree = edited(tree, ["jurisdiction"], ...)

    assert set(messages_by_path(written(tree))) == {
        "$.deals[1].term_days",
        "$.deals[1].entries[2].on",
        "$.jurisdiction",
    }


@for_every(
    ("change", "path"),
    [
        ({"salt": "00"}, "$.salt"),
        ({"salt": "zz" * 16}, "$.salt"),
        ({"salt": Verbatim("7")}, "$.salt"),
        ({"sections": []}, "$.sections"),
        ({"sections": None}, "$.sections"),
        ({"sections": {"0" * 32: {"a": Verbatim("1")}}}, "$.sections[*]"),
        ({"salt": None}, "$.sections[*]"),
        ({"A. Person": "x"}, "$[*]"),
        ({"colour": "red"}, "$.colour"),
        ({"sections": {}}, "$.checksum"),
    ],
)
def test_a_damaged_profile_is_refused_with_its_path(change, path):
    """
    The digests of a profile name its sections (decisions/documents).
    """
    assert list(messages_by_path(written(PROFILE | change), wire.read_profile)) == [path]


@for_every(
    "body",
    [
        STATE.replace(b',"', b' ,\n"').replace(b'":', b'" : '),
        written({name: TREE[name] for name in reversed(TREE)}),
        written(edited(edited(TREE, ["profile_erased"], ...), [*DEAL, "closed_entries"], ...)),
        STATE.replace(b"Business", b"\\u0042usiness"),
        STATE.replace(b'"GBP 5000.00"', b'"GBP 5000.0"'),
    ],
    ids=["spaces", "order of fields", "defaults left out", "escapes", "zeros"],
)
def test_a_state_that_is_written_otherwise_still_says_the_same(body):
    """
    A document with another text is accepted if it says what was written (decisions/wire).
    """
    assert body != STATE
    assert wire.read_merchant(body) == wire_samples.MERCHANT


@for_every("body", [b"", b"[]", b"null", b"7", b"[" * 100_000, b'{"format": 1}', None])
def test_what_is_no_state_is_refused(body):
    """
    A document that is not a stored state is refused.
    """
    assert messages_by_path(body)


def test_documents_begin_with_their_format():
    """
    The format is returned without reading the rest (decisions/wire).
    """
    assert STATE.startswith(b'{"format":1,')
    assert wire.format_of(b'{"format":1,') == 1
    assert wire.format_of(b'{"type":"DealRepaid","format":1,') == 1
    assert wire.format_of(b' {"a": 1, "format" : 1}') == 1
    assert wire.format_of(PROFILE) == 1
    assert set(messages_by_path(b'{"format":1', wire.format_of)) == {"$"}
    assert set(messages_by_path(b'{"a":2}', wire.format_of)) == {"$.format"}


def test_a_state_is_not_bounded_as_a_request_is():
    """
    A state may be larger than any request, and a profile deeper than its own fields.
    """
    sets = tuple(
        attrs.evolve(
            wire_samples.CLOSED_SET,
            application_id=f"a-{place}",
            request_id=f"r-{place + 100}",
        )
        for place in range(400)
    )
    merchant = attrs.evolve(wire_samples.MERCHANT, closed_offer_sets=sets)
    deep = Opaque("[" * 31 + "]" * 31)
    profile = wire_samples.PROFILE.with_sections((deep,))

    assert len(wire.write_merchant(merchant)) > 64 * 1024
    assert wire.read_merchant(wire.write_merchant(merchant)) == merchant
    assert wire.read_profile(wire.write_profile(profile)) == profile


def test_the_same_merchant_gives_the_same_bytes():
    """
    The same merchant always gives the same bytes, in any order of the names that a host gave.
    """
    a, b = HeldFact(1, "count"), HeldFact(Decimal("1.10"), "ratio")
    one, other = with_facts({"a": a, "b": b}), with_facts({"b": b, "a": a})

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
        ({"sequence": 8}, "$.checksum"),
        ({"checksum": "x"}, "$.checksum"),
    ],
)
def test_a_damaged_event_is_refused(change, path):
    """
    An event carries its type and its format (decisions/wire).
    """
    fields = wire.event_to_dict(wire_samples.EVENTS["DealRepaid"]) | change

    assert list(messages_by_path(fields, wire.event_from_dict)) == [path]
    assert list(messages_by_path(json.dumps(fields).encode(), wire.read_event)) == [path]


def test_an_event_of_a_name_nearly_right_gets_a_hint():
    """
    An event with a misspelled type is refused with the nearest name.
    """
    fields = wire.event_to_dict(wire_samples.EVENTS["DealRepaid"]) | {"type": "DealRepayed"}
    with pytest.raises(StateError, match="did you mean `DealRepaid`"):
        wire.event_from_dict(fields)


def test_an_event_as_a_dict_is_plain():
    """
    Hosts that store events as objects get plain values: no number is a text, nor a float.
    """
    fields = wire.event_to_dict(wire_samples.EVENTS["OffersIssued"])

    assert list(fields)[:3] == ["type", "format", "at"]
    assert fields["offer_set"]["facts"]["ratio"] == Decimal("1.10")
    assert fields["assessment"]["facts"]["deals_completed"] == 1


@for_every("name", wire_samples.EVENTS)
def test_an_event_as_a_dict_is_written_as_its_bytes_are(name):
    """
    Both forms of an event say the same, the checksum included.
    """
    event = wire_samples.EVENTS[name]

    assert write_json(wire.event_to_dict(event)).encode() == wire.write_event(event)
    assert wire.event_from_dict(wire.event_to_dict(event)) == event


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
    with pytest.raises(StateError) as caught:
        structured(event_converter(), read_json(document), Renamed)

    (error,) = caught.value.errors
    assert (error.path, error.message, error.hint) == (path, message, hint)


@for_every(
    ("path", "value"),
    [
        (("deals", 1, "entries", 0), [Verbatim("1")]),
        (("deals", 1, "entries", 0, 0), Verbatim("5")),
        (("deals", 1, "entries", 0, 1), "20260701"),
        (("deals", 1, "entries", 0, 1), "2026-W27-3"),
        (("deals", 1, "entries", 0, 2), Verbatim("5")),
        (("deals", 1, "entries", 0, 4), Verbatim("1")),
        (("takings", 0, 1), "GBP 007.00"),
        (("takings", 0, 2), "yesterday"),
        (("requests", 0, "request_id"), Verbatim("5")),
        (("requests", 0, "colour"), "red"),
        (("requests", 0, "carried_out"), None),
        (("requests", 0, "carried_out", "operation"), ["a"]),
        (("requests", 0, "carried_out", "receipt", "sequence"), Verbatim("1.5")),
        (("requests", 0), Verbatim("[" * 100_000)),
    ],
)
def test_a_row_that_was_edited_with_its_checksum_is_refused_when_it_is_made(path, value):
    """
    A row is read when it is asked for; one that holdback did not write is refused then.
    """
    tree = tree_of(wire.write_merchant(wire_samples.MERCHANT))
    merchant = wire.read_merchant(resealed(edited(tree, path, value)))

    with pytest.raises(StateError) as caught:
        [*merchant.takings, *merchant.requests, *merchant.deals[1].entries]
    assert caught.value.__context__ is None


@for_every("record", [{"x": 1.5}, {"x": float("nan")}, {1: "x"}, {"x": b"y"}, {"x": [{2: 3}]}])
def test_what_is_not_exact_is_never_written(record):
    """
    Floats are never written, and the names of an object are text.
    """
    event = RenewalEligibilityChanged(
        at=wire.read_timestamp("2026-07-01T10:00:00Z"),
        deal_id="d-1",
        renewal_eligibility=True,
        assessment=record,
    )
    with pytest.raises(TypeError):
        wire.write_event(event)
    with pytest.raises(TypeError):
        wire.write_merchant(with_facts({"a": HeldFact(record, "count")}))


def with_facts(facts):
    """A merchant whose newest check has these *facts*."""
    merchant = wire_samples.MERCHANT_WITH_PEOPLE
    check = attrs.evolve(merchant.checks[0], facts=facts)
    return attrs.evolve(merchant, checks=(check, *merchant.checks[1:]))
