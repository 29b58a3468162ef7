"""Stored documents that were damaged: refused where they are read, or harmless for ever."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random

import attrs
import pytest
from corruption import damaged, try_operations
from stored_lives import ENGINE, ENVELOPE, long_life, whole_life

from counts import count
from every_case import for_every
from holdback import HistoryError, Merchant, StateError, wire
from holdback.exact.exact_json import Verbatim
from holdback.merchant.consistency import merchant_errors
from stored_json import edited, resealed, tree_of, value_at, written

MUTATIONS = count("mutations of stored documents")
WHOLE, HOST = whole_life(), long_life()
NEW = Merchant.new(jurisdiction="GB", **ENVELOPE)
# What no message may hold: personal data of the documents below.
SECRETS = ("12345678", "87654321", "A Bank", "A. Person", "Nine Lives", "ovens", "a van", "stock")


def state(body):
    return wire.read_merchant(body), HOST.profile


def whole_state(body):
    return wire.read_merchant(body), WHOLE.profile


def profile(body):
    return HOST.merchant, wire.read_profile(body)


def event(place):
    def read(body):
        events = [*HOST.events]
        events[place] = wire.read_event(body)
        return ENGINE.rebuild(events, since=NEW), HOST.profile

    return read


def subjects():
    """Every document that is damaged: its name, its text, and its reader."""
    yield "state", wire.write_merchant(HOST.merchant), state
    yield "state in fulfilment", wire.write_merchant(WHOLE.merchant), whole_state
    yield "profile", wire.write_profile(HOST.profile), profile
    for place, happened in enumerate(HOST.events):
        yield f"event {place}", wire.write_event(happened), event(place)


SUBJECTS = list(subjects())
# States and profiles are what a request reads; there are many more events.
OFTEN = SUBJECTS[:3] * 24 + SUBJECTS[3:]


@cache
def intact(place):
    """What a reader returns for the document that was not damaged."""
    _, body, read = OFTEN[place]
    return read(body)


def attempt(number):
    """Damage one document; return its name, what became of it, and what is wrong with that."""
    rng = Random(f"corruption {number}")
    place = rng.randrange(len(OFTEN))
    name, body, read = OFTEN[place]
    spoilt = damaged(body, rng)
    try:
        merchant, profile = read(spoilt)
    except (StateError, HistoryError) as error:
        return name, "refused", list(wrong_words(error))
    except Exception as error:  # noqa: BLE001  # any error that is not typed is wrong
        return name, "untyped", [repr(error)]
    if said_before(merchant, profile, place):
        return name, "the same", []
    if b'"checksum"' in body and resealed(tree_of(spoilt)) != spoilt:
        return name, "changed", ["it says something else than its checksum"]
    wrong = try_operations(
        ENGINE, merchant, profile, rng, stays_readable=rows_are_consistent(merchant)
    )
    return name, "harmless", wrong


def said_before(merchant, profile, place):
    """Whether the document still says the same; a row that cannot be read says something else."""
    try:
        return (merchant, profile) == intact(place)
    except StateError:
        return False


def rows_are_consistent(merchant):
    """Whether the rows are; with the checksum of its text, a state's are taken unread."""
    try:
        return not merchant_errors(merchant)
    except StateError:
        return False


def wrong_words(error):
    """Yield what an error says that it should not, and what it does not say."""
    for detail in error.errors:
        if isinstance(error, StateError) and not (detail.path or "").startswith("$"):
            yield f"no place: {detail}"
        if detail.code == "unspecified":
            yield f"no code: {detail}"
    for secret in SECRETS:
        if secret in str(error) or secret in repr(error):
            yield f"personal data: {error}"
    if error.__cause__ is not None or error.__context__ is not None:
        yield f"an error behind it: {error.__cause__ or error.__context__!r}"


def test_a_damaged_document_is_refused_or_harmless():
    """
    Every mutation of a stored document is refused with `StateError` naming the place, or equal in
    meaning. Of one with a checksum that was computed anew, all that is accepted is harmless: no
    operation on it raises anything that is not typed.
    """
    results, wrong = Counter(), []
    for number in range(MUTATIONS):
        name, result, faults = attempt(number)
        results[result] += 1
        wrong += [f"{number}, {name}, {result}: {fault}" for fault in faults]

    assert wrong == [], "\n".join(wrong[:20])
    assert results["refused"] > MUTATIONS * 0.5
    assert results["the same"] > MUTATIONS * 0.05
    assert results["harmless"] > MUTATIONS * 0.05


DEAL, SET, DONE = ("deals", 0), ("offer_sets", 0), ("fulfilments", 1)
PRODUCT = (*SET, "products", 0)
REPLACED = [{"name": "applicants", "digest": "4" * 32, "replaced_at": "2026-07-06T09:00:00Z"}]
# Errors that a state can have: the edits, and the place that the error names.
FAULTS = {
    "two active deals": (
        [((*DEAL, "status"), "Funded"), (("deals", 1, "status"), "Funded")],
        "$.deals",
    ),
    "a status that is none": ([((*DEAL, "status"), "Foo")], "$.deals[0].status"),
    "a type that is none": ([((*DEAL, "type"), "Foo")], "$.deals[0].type"),
    "a negative settlement": ([((*DEAL, "settled"), "GBP -1.00")], "$.deals[0].settled"),
    "another currency": ([((*DEAL, "settled"), "JPY 100")], "$.deals[0].settled"),
    "too much": (
        [((*DEAL, "funded_amount"), "GBP 10000000000000000.00")],
        "$.deals[0].funded_amount",
    ),
    "no days": ([((*DEAL, "term_days"), Verbatim("0"))], "$.deals[0].term_days"),
    "a deal twice": ([((*DEAL, "id"), ("deals", 1, "id"))], "$.deals"),
    "an ending without a day": ([(("deals", 1, "closed_on"), None)], "$.deals[1]"),
    "an ending before": ([((*DEAL, "closed_on"), "2001-01-01")], "$.deals[0].closed_on"),
    "a set twice": ([((*SET, "request_id"), ("offer_sets", 1, "request_id"))], "$.offer_sets"),
    "a decision that is none": (
        [((*PRODUCT, "decision"), "Maybe")],
        "$.offer_sets[0].products[0].decision",
    ),
    "an offer that is none": (
        [((*PRODUCT, "offers", 0, "offer_status"), "Foo")],
        "$.offer_sets[0].products[0].offers[0].offer_status",
    ),
    "an offer of nothing": (
        [((*PRODUCT, "offers", 0, "funded_amount"), "GBP 0.00")],
        "$.offer_sets[0].products[0].offers[0].funded_amount",
    ),
    "offers that expire before": (
        [((*SET, "expires_at"), "2001-01-01T00:00:00Z")],
        "$.offer_sets[0].expires_at",
    ),
    "offers withdrawn without a status": (
        [((*SET, "withdrawn_at"), "2026-07-01T09:30:00Z")],
        "$.offer_sets[0].withdrawn_at",
    ),
    "offers withdrawn at no instant": (
        [((*PRODUCT, "offers", 0, "offer_status"), "WithdrawnByLender")],
        "$.offer_sets[0].withdrawn_at",
    ),
    "a section replaced twice": (
        [(("replaced_sections",), REPLACED * 2), (("sections",), {"applicants": "1" * 32})],
        "$.replaced_sections",
    ),
    "a section replaced by itself": (
        [(("replaced_sections",), REPLACED), (("sections",), {"applicants": "4" * 32})],
        "$.replaced_sections",
    ),
    "a section replaced later": (
        [(("replaced_sections",), [{**REPLACED[0], "replaced_at": "2999-01-01T00:00:00Z"}])],
        "$.last_seen_at",
    ),
    "a renewal of nothing": ([((*SET, "base_deal_id"), "nobody")], "$.offer_sets[0].base_deal_id"),
    "no such base deal": ([((*DONE, "base_deal_id"), "nobody")], "$.fulfilments[1].base_deal_id"),
    "no such deal": ([((*DONE, "deal_id"), "nobody")], "$.fulfilments[1].deal_id"),
    "an ending that is none": ([((*DONE, "status"), "Foo")], "$.fulfilments[1].status"),
    "nobody accepted": ([(("provider_id",), None)], "$.provider_id"),
    "seen before it happened": ([(("last_seen_at",), "2001-01-01T00:00:00Z")], "$.last_seen_at"),
    "seen too late": ([(("last_seen_at",), "3000-01-01T00:00:00Z")], "$.last_seen_at"),
    "never seen": ([(("last_seen_at",), None)], "$.last_seen_at"),
    "a wrong type": ([((*DEAL, "term_days"), Verbatim("1.5"))], "$.deals[0].term_days"),
    "a newer format": ([(("format",), Verbatim("2"))], "$.format"),
    "format 0": ([(("format",), Verbatim("0"))], "$.format"),
    "a format in words": ([(("format",), "1")], "$.format"),
    "a format that is true": ([(("format",), True)], "$.format"),
    "a sequence below zero": ([(("sequence",), Verbatim("-1"))], "$.sequence"),
    "a zone that is none": ([(("timezone",), "Mars/Olympus")], "$.timezone"),
    "a currency that is none": ([(("currency",), "XXX")], "$.currency"),
}


def faulty(tree, edits):
    """*tree* with these edits; the path of a value stands for that value."""
    for path, value in edits:
        tree = edited(tree, path, value_at(tree, value) if isinstance(value, tuple) else value)
    return tree


def places_of_errors(read, body):
    with pytest.raises(StateError) as refused:
        read(body)
    return [error.path for error in refused.value.errors]


@for_every("name", FAULTS)
def test_a_state_that_contradicts_itself_is_refused(name):
    """
    Two active deals, a status that is none, a negative settlement and the like are refused where
    the state is read, and not years later in an operation: with the checksum that was written, and
    with that of the edited text.
    """
    edits, place = FAULTS[name]
    tree = faulty(tree_of(wire.write_merchant(WHOLE.merchant)), edits)

    assert place in places_of_errors(wire.read_merchant, written(tree))
    assert place in places_of_errors(wire.read_merchant, resealed(tree))


def test_a_merchant_that_was_put_together_by_hand_is_refused_where_it_is_read():
    """
    What `write_merchant` is given is written unchanged; reading refuses what contradicts itself.
    """
    deal = attrs.evolve(WHOLE.merchant.deals[0], status="Foo")
    merchant = attrs.evolve(WHOLE.merchant, deals=(deal, *WHOLE.merchant.deals[1:]))

    stored = wire.write_merchant(merchant)

    assert "$.deals[0].status" in places_of_errors(wire.read_merchant, stored)
