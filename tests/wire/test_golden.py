"""The exact bytes of every kind of document; `tests/wire/regenerate.py` writes the files."""

from __future__ import annotations

from regenerate import GOLDEN, documents

import wire_samples
from every_case import for_every
from holdback import wire

DOCUMENTS = dict(documents())


@for_every("name", DOCUMENTS)
def test_every_document_has_its_exact_bytes(name):
    """
    Each document has the exact bytes of its golden file.
    """
    assert (GOLDEN / name).read_bytes() == DOCUMENTS[name]


def test_there_is_no_golden_file_of_nothing():
    """
    Every golden file belongs to a document.
    """
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(DOCUMENTS)


def test_there_is_a_golden_file_of_each_kind():
    """
    Every class of reply and every type of event has a golden file.
    """
    assert set(wire_samples.EVENTS) == set(wire.EVENT_TYPES)
    assert {type(reply) for reply in wire_samples.REPLIES.values()} == set(wire.Reply.__args__)


def test_a_stored_merchant_is_readable_for_ever():
    """
    A stored state stays readable (decisions/formats).
    """
    stored = (GOLDEN / "state_merchant.json").read_bytes()

    assert wire.read_merchant(stored) == wire_samples.MERCHANT


@for_every("name", wire_samples.EVENTS)
def test_a_stored_event_is_readable_for_ever(name):
    """
    A stored event stays readable (decisions/formats).
    """
    stored = (GOLDEN / f"event_{name}.json").read_bytes()

    assert wire.read_event(stored) == wire_samples.EVENTS[name]
