"""The exact bytes of every kind of document; `tests/wire/regenerate.py` writes the files."""

from __future__ import annotations

from regenerate import GOLDEN, HERE, STORED, chained, documents, listed, stored_documents

import wire_samples
from every_case import for_every
from holdback import wire

DOCUMENTS, WRITTEN = dict(documents()), dict(stored_documents())
EVENTS = {
    **{f"event_{name}.json": event for name, event in wire_samples.EVENTS.items()},
    **{f"event_{name}_with_people.json": event for name, event in wire_samples.WITH_PEOPLE.items()},
    **{f"event_{name}_with_money.json": event for name, event in wire_samples.WITH_MONEY.items()},
    **{f"event_{name}_by_rules.json": event for name, event in wire_samples.BY_RULES.items()},
    **{
        f"event_{name}_with_suspense.json": event
        for name, event in wire_samples.WITH_SUSPENSE.items()
    },
    **{f"event_{name}_with_fees.json": event for name, event in wire_samples.WITH_FEES.items()},
    **{f"event_{name}_of_a_chain.json": event for name, event in wire_samples.OF_A_CHAIN.items()},
    **{
        f"event_{name}_about_people.json": event
        for name, event in wire_samples.ABOUT_PEOPLE.items()
    },
}


@for_every("name", DOCUMENTS)
def test_every_reply_and_problem_has_its_exact_bytes(name):
    """
    Each document has the exact bytes of its golden file.
    """
    assert (GOLDEN / name).read_bytes() == DOCUMENTS[name]


@for_every("name", WRITTEN)
def test_every_stored_document_has_its_exact_bytes(name):
    """
    What a host stores has the exact bytes of its golden file (decisions/wire).
    """
    assert (STORED / name).read_bytes() == WRITTEN[name]


def test_there_is_no_golden_file_of_nothing():
    """
    Every golden file belongs to a document.
    """
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(DOCUMENTS)
    assert sorted(path.name for path in STORED.iterdir()) == sorted(WRITTEN)


def test_no_stored_document_was_edited_or_removed():
    """
    Golden documents are evidence: the list has a line for each, which is added and
    never changed, and with a digest of that document and of all before it.
    """
    lines = listed()
    paths = [path for _, path in lines]

    assert lines == list(chained(paths))
    assert len(paths) == len(set(paths)) == len(WRITTEN)
    assert {HERE / path for path in paths} == {STORED / name for name in WRITTEN}


def test_there_is_a_golden_file_of_each_kind():
    """
    Every class of reply, and every type of event, has a golden file.
    """
    replies = {type(reply) for reply in wire_samples.REPLIES.values()}

    assert set(wire_samples.EVENTS) == set(wire.EVENT_TYPES)
    assert replies == set(wire.Reply.__args__)


def test_a_stored_merchant_is_readable_for_ever():
    """
    State and profile stay readable (decisions/wire).
    """
    for name, merchant in (
        ("state_merchant.json", wire_samples.MERCHANT),
        ("state_new.json", wire_samples.NEW),
        ("state_with_people.json", wire_samples.MERCHANT_WITH_PEOPLE),
        ("state_with_money.json", wire_samples.MERCHANT_WITH_MONEY),
        ("state_with_suspense.json", wire_samples.MERCHANT_WITH_SUSPENSE),
        ("state_with_fees.json", wire_samples.MERCHANT_WITH_FEES),
        ("state_with_a_plan.json", wire_samples.MERCHANT_WITH_A_PLAN),
        ("state_with_a_chain.json", wire_samples.MERCHANT_WITH_A_CHAIN),
        ("state_with_consents.json", wire_samples.MERCHANT_WITH_CONSENTS),
        ("state_with_withdrawn_offers.json", wire_samples.MERCHANT_WITH_WITHDRAWN_OFFERS),
        ("state_with_a_correction.json", wire_samples.MERCHANT_WITH_A_CORRECTION),
    ):
        assert wire.read_merchant((STORED / name).read_bytes()) == merchant
    for name, profile in (
        ("profile.json", wire_samples.PROFILE),
        ("profile_erased.json", wire_samples.PROFILE.erased()),
    ):
        assert wire.read_profile((STORED / name).read_bytes()) == profile


@for_every("name", EVENTS)
def test_a_stored_event_is_readable_for_ever(name):
    """
    An event stays readable (decisions/wire).
    """
    assert wire.read_event((STORED / name).read_bytes()) == EVENTS[name]
