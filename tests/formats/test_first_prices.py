"""Decisions and prices that the first version recorded, derived again by this one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import first_version
from attrs import evolve

from holdback import Engine, load_jurisdictions, wire
from holdback.tools.replay.replay import replay, replay_offers
from journey import Journey

# The lives of the first version go on beyond the day on which the rules that ship changed, so they
# are replayed by the rules of then.
with TemporaryDirectory() as unpacked:
    JURISDICTIONS = load_jurisdictions(first_version.rules(Path(unpacked)))
SALT = bytes(range(16))


def replayed(event, jurisdictions):
    """The replay of an event as it was stored; None for one without a decision."""
    document = json.loads(event)
    if document["type"] == "OffersIssued":
        return replay_offers(document, jurisdictions)
    record = document.get("assessment")
    return None if record is None else replay(record, jurisdictions)


def states(events, jurisdictions=JURISDICTIONS):
    """How many events of each type have which state, and the differences."""
    counts, differences = Counter(), []
    for event in events:
        found = replayed(event, jurisdictions)
        if found is not None:
            counts[json.loads(event)["type"], found.state] += 1
            differences += found.differences + found.missing + found.wording
    return counts, differences


def test_every_event_of_the_first_version():
    """
    Every decision and every offer that the first version recorded is the same, to the minor unit.
    """
    events = [event for document in first_version.documents() for event in document["events"]]
    counts, differences = states(events)

    assert differences == []
    assert {state for _, state in counts} == {"the same"}
    assert counts["OffersIssued", "the same"] > 800
    assert counts["RenewalEligibilityChanged", "the same"] > 100


def test_every_journal_that_is_carried_over():
    """
    A journal that is carried over from format 1 keeps what its prices were made of.
    """
    events = []
    for document in first_version.documents():
        carried_over, _ = wire.upcast_journal(
            [event.encode() for event in document["events"]],
            partner=document["partner"],
            merchant_id=document["merchant_id"],
            jurisdiction=document["jurisdiction"],
            salt=SALT,
        )
        events += [wire.write_event(event) for event in carried_over]
    counts, differences = states(events)

    assert differences == []
    assert {state for _, state in counts} == {"the same"}
    assert counts["OffersIssued", "the same"] > 800


def test_every_record_of_the_first_version():
    """
    Decision records of the first version are read, replayed and verified.
    """
    records = [
        json.loads(record)
        for document in first_version.documents()
        for record in document["records"]
    ]

    assert len(records) > 300
    for record in records:
        assert record["digest"].startswith("sha256:")
        assert replay(record, JURISDICTIONS).state == "the same"


class FirstFormat(Journey):
    """A merchant whose host stores every outcome in format 1."""

    def __init__(self):
        super().__init__(Engine.for_trial(format=1))
        self.written = []

    def keep(self, outcome):
        whole = evolve(outcome, profile=outcome.profile or self.profile)
        self.written += wire.write_stored(whole, format=1).events
        return super().keep(outcome)


def test_what_is_written_for_the_first_version():
    """
    During a rolling upgrade events are written in format 1, with digests of the first scheme, and
    replay like those of the first version.
    """
    journey = FirstFormat()
    journey.ask()
    journey.accept()
    journey.fund()
    journey.pay_down(60)
    journey.ask(renewal=True)
    written = journey.written
    counts, differences = states(written, journey.engine.jurisdictions)

    assert {json.loads(event)["format"] for event in written} == {1}
    assert b"v2:sha256:" not in b"".join(written)
    assert differences == []
    assert counts == {("OffersIssued", "the same"): 2, ("RenewalEligibilityChanged", "the same"): 1}
