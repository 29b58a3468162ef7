"""The exact bytes of every kind of document. `python tests/wire/regenerate.py` writes the files anew."""

from __future__ import annotations

import pytest
from regenerate import GOLDEN, documents

import wire_samples
from holdback import wire

DOCUMENTS = dict(documents())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document_has_its_exact_bytes(name):
    """
    "Golden files hold the exact bytes of each reply."
    """
    assert (GOLDEN / name).read_bytes() == DOCUMENTS[name]


def test_there_is_no_golden_file_of_nothing():
    """
    Every golden file belongs to a document.
    """
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(DOCUMENTS)


def test_there_is_a_golden_file_of_each_kind():
    """
    "each reply kind, of each kind of problem document, of a merchant's stored state and of each event kind"
    """
    assert set(wire_samples.EVENTS) == set(wire.EVENT_TYPES)
    assert {type(reply) for reply in wire_samples.REPLIES.values()} == set(wire.Reply.__args__)


def test_a_stored_merchant_is_readable_for_ever():
    """
    "Merchant state as JSON carries `format`; readable for ever." (design 7a)
    """
    stored = (GOLDEN / "state_merchant.json").read_bytes()

    assert wire.read_merchant(stored) == wire_samples.MERCHANT


@pytest.mark.parametrize("name", wire_samples.EVENTS)
def test_a_stored_event_is_readable_for_ever(name):
    """
    "Events as JSON: {"type", "format", "at", ...}." (design 7a)
    """
    stored = (GOLDEN / f"event_{name}.json").read_bytes()

    assert wire.read_event(stored) == wire_samples.EVENTS[name]
