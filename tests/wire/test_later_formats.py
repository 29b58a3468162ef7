"""The way to a later format, tried with one that is made up (decisions/wire)."""

from __future__ import annotations

import pytest

import wire_samples
from every_case import for_every
from holdback import StateError, wire
from holdback.wire import formats

STATE, PROFILE = (
    wire.write_merchant(wire_samples.MERCHANT),
    wire.write_profile(wire_samples.PROFILE),
)
EVENT = wire_samples.EVENTS["DealRepaid"]
WRITTEN = wire.write_event(EVENT)


def shout(kind, fields):
    """Carry a document over: in the made-up format 2, the jurisdiction of a state is lower case."""
    if kind != "state":
        return fields
    return {**fields, "jurisdiction": fields["jurisdiction"].lower()}


@pytest.fixture
def second_format(monkeypatch):
    """This version writes format 2, and carries documents of format 1 over to it."""
    monkeypatch.setattr(formats, "FORMAT", 2)
    monkeypatch.setattr(formats, "CARRY_OVER", {1: shout})


def test_every_earlier_format_is_carried_over():
    """
    The table has a function for each format before that of today, and for no other.
    """
    assert sorted(formats.CARRY_OVER) == list(range(1, formats.FORMAT))


def test_documents_of_an_earlier_format_are_carried_over(second_format):
    """
    State, profile and events of format 1 are read in format 2; only the function changes them.
    """
    merchant, profile = wire.read_stored(STATE, PROFILE)

    assert wire.format_of(STATE) == 1
    assert merchant.jurisdiction == "gb"
    assert merchant.deals == wire_samples.MERCHANT.deals
    assert profile == wire_samples.PROFILE
    assert wire.read_event(WRITTEN) == wire.read_event(WRITTEN.decode()) == EVENT


def test_what_was_carried_over_is_written_in_the_newer_format(second_format):
    """
    A document is written in the format of today, and read back the same.
    """
    merchant, _ = wire.read_stored(STATE, PROFILE)
    again = wire.write_merchant(merchant)

    assert wire.format_of(again) == 2
    assert wire.read_merchant(again) == merchant


def test_events_of_an_earlier_format_are_read_as_plain_values(monkeypatch, second_format):
    """
    A database that parses JSON returns plain values, in the format that they were stored in.
    """
    with monkeypatch.context() as before:
        before.setattr(formats, "FORMAT", 1)
        plain = wire.event_to_dict(EVENT)

    assert wire.event_from_dict(plain) == EVENT


@for_every("read, body", [(wire.read_merchant, STATE), (wire.read_event, WRITTEN)])
def test_a_damaged_document_of_an_earlier_format_is_refused(second_format, read, body):
    """
    The checksum of the text is that of the format in which it was written.
    """
    with pytest.raises(StateError, match="checksum"):
        read(body.replace(b"m-1", b"m-2"))


@for_every(
    "read, body",
    [(wire.read_merchant, STATE), (wire.read_profile, PROFILE), (wire.read_event, WRITTEN)],
)
def test_a_newer_or_unknown_format_is_refused_as_that(read, body):
    """
    A newer format is refused as exactly that, and one that no version wrote as a wrong value.
    """
    for number, code in ((b"2", "newer_format"), (b"0", "wrong_value"), (b"true", "missing")):
        other = body.replace(b'"format":1', b'"format":' + number)
        with pytest.raises(StateError) as refused:
            read(other)
        assert [(error.path, error.code) for error in refused.value.errors] == [("$.format", code)]
