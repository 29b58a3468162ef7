"""The exact bytes of every kind of document; `tests/wire/regenerate.py` writes the files."""

from __future__ import annotations

import json

from regenerate import GOLDEN, HERE, SECOND, chained, documents, listed, stored_documents

import wire_samples
from every_case import for_every
from holdback import wire
from holdback.exact.exact_json import write_json
from holdback.lifecycle.first_format import TakingsHeld
from holdback.merchant.deal import LookupDeal
from holdback.wire.converter import event_converter
from holdback.wire.first_format import documents as first
from holdback.wire.formats import fields_of, tree_of
from holdback.wire.structuring import structured

DOCUMENTS, STORED = dict(documents()), dict(stored_documents())
FIRST = [path.removeprefix("golden/") for _, path in listed() if path.startswith("golden/")]
# The digest of all documents of format 1, which hosts have stored.
LAST_OF_FORMAT_1 = "bf443a2098ed502f3d510199182da393d02553b27ba3065d22f426693cc58d6f"
EVENTS_OF_FORMAT_2 = {
    **{f"event_{name}.json": event for name, event in wire_samples.EVENTS.items()},
    **{
        f"event_{name}_carried_over.json": event
        for name, event in wire_samples.CARRIED_OVER.items()
    },
    **{f"event_{name}_with_people.json": event for name, event in wire_samples.WITH_PEOPLE.items()},
}


@for_every("name", DOCUMENTS)
def test_every_reply_and_problem_has_its_exact_bytes(name):
    """
    Each document has the exact bytes of its golden file.
    """
    assert (GOLDEN / name).read_bytes() == DOCUMENTS[name]


@for_every("name", STORED)
def test_every_stored_document_has_its_exact_bytes(name):
    """
    What a host stores in format 2 has the exact bytes of its golden file (decisions/formats).
    """
    assert (SECOND / name).read_bytes() == STORED[name]


def test_there_is_no_golden_file_of_nothing():
    """
    Every golden file belongs to a document.
    """
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted([*DOCUMENTS, *FIRST])
    assert sorted(path.name for path in SECOND.iterdir()) == sorted(STORED)


def test_no_stored_document_was_edited_or_removed():
    """
    Golden documents of every format are evidence: the list has a line for each, which is added and
    never changed, and with a digest of that document and of all before it.
    """
    lines = listed()
    paths = [path for _, path in lines]

    assert lines == list(chained(paths))
    assert len(paths) == len(set(paths)) == len(FIRST) + len(STORED)
    assert {HERE / path for path in paths} == {SECOND / name for name in STORED} | {
        GOLDEN / name for name in FIRST
    }
    assert lines[len(FIRST) - 1][0] == LAST_OF_FORMAT_1


def test_there_is_a_golden_file_of_each_kind():
    """
    Every class of reply, and every type of event of both formats, has a golden file.
    """
    replies = {type(reply) for reply in wire_samples.REPLIES.values()}
    first_replies = {type(reply) for reply in wire_samples.FIRST_REPLIES.values()}

    assert set(wire_samples.EVENTS) == set(wire.EVENT_TYPES)
    assert replies == set(wire.Reply.__args__)
    assert first_replies == {LookupDeal, TakingsHeld}
    assert sorted(FIRST) == sorted(
        ["state_merchant.json", *(f"event_{name}.json" for name in first.EVENT_TYPES)]
    )


def test_a_stored_merchant_is_readable_for_ever():
    """
    State and profile of format 2 stay readable (decisions/formats).
    """
    for name, merchant in (
        ("state_merchant.json", wire_samples.MERCHANT),
        ("state_new.json", wire_samples.NEW),
        ("state_with_people.json", wire_samples.MERCHANT_WITH_PEOPLE),
        ("state_with_money.json", wire_samples.MERCHANT_WITH_MONEY),
    ):
        assert wire.read_merchant((SECOND / name).read_bytes()) == merchant
    for name, profile in (
        ("profile.json", wire_samples.PROFILE),
        ("profile_erased.json", wire_samples.PROFILE.erased()),
    ):
        assert wire.read_profile((SECOND / name).read_bytes()) == profile


@for_every("name", EVENTS_OF_FORMAT_2)
def test_a_stored_event_is_readable_for_ever(name):
    """
    An event of format 2 stays readable (decisions/formats).
    """
    assert wire.read_event((SECOND / name).read_bytes()) == EVENTS_OF_FORMAT_2[name]


@for_every("name", FIRST)
def test_a_document_of_format_1_is_read_as_the_first_version_wrote_it(name):
    """
    Format 1 has the classes, the fields and the bytes that it always had (decisions/formats).
    """
    body = (GOLDEN / name).read_bytes()
    fields = fields_of(tree_of(body), 1, instead="")
    event_type = fields.pop("type", None)
    read = structured(event_converter(), fields, first.EVENT_TYPES.get(event_type, first.Merchant))
    head = {} if event_type is None else {"type": event_type}

    assert write_json({**head, "format": 1, **event_converter().unstructure(read)}).encode() == body
    assert (event_type is None) == (name == "state_merchant.json")
    assert json.loads(body)["format"] == wire.format_of(body) == 1
