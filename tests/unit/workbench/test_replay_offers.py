"""The decisions on products, derived again from the event that recorded them."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from every_case import for_every
from holdback import InvalidDocument, load_jurisdictions, wire
from holdback.cli.commands import holdback
from holdback.workbench.replay import replay_offers
from journey import EVIDENCE, Journey

JURISDICTIONS = load_jurisdictions()


def event_of(journey):
    """The last event as a host has stored it."""
    return json.loads(wire.write_event(journey.events[-1]))


def asked(**evidence):
    journey = Journey()
    journey.ask(evidence={**EVIDENCE, "credit_checked_on": "2026-07-06", **evidence})
    return journey


def renewed(percent=60):
    journey = asked()
    journey.accept()
    journey.fund()
    journey.pay_down(percent)
    journey.ask(renewal=True)
    return journey


@pytest.mark.parametrize(
    ("evidence", "decision"),
    [
        ({}, "Accepted"),
        ({"identity_verified": False}, "Declined"),
        ({"credit_score": 600}, "Referred"),
        ({"months_trading": 1}, "Declined"),
    ],
)
def test_an_initial_application(evidence, decision):
    """
    An auditor can ask years later why a merchant was declined, and the same rules give the same
    answer.
    """
    event = event_of(asked(**evidence))
    found = replay_offers(event, JURISDICTIONS)

    assert event["decisions"][0]["decision"] == decision
    assert (found.state, found.differences) == ("the same", ())
    assert found.rulebook == JURISDICTIONS.resolve("GB", on=found.rulebook.on)


@pytest.mark.parametrize("percent", [40, 60])
def test_a_renewal(percent):
    """
    A renewal's assessment and, where it is eligible, its products with the deal that it settles.
    """
    event = event_of(renewed(percent))
    found = replay_offers(event, JURISDICTIONS)

    assert event["assessment"]["eligible"] == (percent == 60)
    assert (found.state, found.differences) == ("the same", ())


def test_a_decision_that_was_changed():
    """
    A recorded decision that the rules do not give is a difference.
    """
    event = event_of(asked(identity_verified=False))
    event["decisions"][0] |= {"decision": "Accepted", "reasons": []}
    found = replay_offers(event, JURISDICTIONS)

    assert found.state == "different"
    assert found.differences == ("product flex: recorded Accepted, derived Declined (['GB-P-01'])",)


def test_another_day_and_another_digest():
    """
    The state says so when no loaded rulebook has the recorded digest.
    """
    event = event_of(asked())
    event["offer_set"]["issued_on"] = "2026-01-01"
    assert replay_offers(event, JURISDICTIONS).differences[0].startswith("issued_on: recorded")
    event["offer_set"]["digest"] = "sha256:0"

    assert replay_offers(event, JURISDICTIONS).state == "not at hand"


@for_every(
    "spoilt",
    [
        [],
        {},
        {"offer_set": {}},
        {"offer_set": {"digest": 1, "issued_on": "2026-07-06"}, "decisions": [], "facts": {}},
        {"offer_set": {"digest": "x", "issued_on": "now"}, "decisions": [], "facts": {}},
        {"offer_set": {"digest": "x", "issued_on": "2026-07-06"}, "decisions": [1], "facts": {}},
        {"offer_set": {"digest": "x", "issued_on": "2026-07-06"}, "decisions": [], "facts": 1},
    ],
)
def test_what_is_no_such_event(spoilt):
    """
    A document that is not an event of offers is refused.
    """
    with pytest.raises(InvalidDocument):
        replay_offers(spoilt, JURISDICTIONS)


def test_as_the_command_reads_it(tmp_path):
    """
    `holdback replay` reads an event as it was written.
    """
    path = tmp_path / "event.json"
    path.write_bytes(wire.write_event(renewed().events[-1]))
    ran = CliRunner().invoke(holdback, ["replay", str(path)])

    assert (ran.exit_code, ran.output.splitlines()[0].split(" on ")[0]) == (0, "GB")
    assert ran.output.splitlines()[0].endswith(": the same")


def test_a_record_from_explain(tmp_path):
    """
    An auditor without Python takes the record from the command.
    """
    facts, record = tmp_path / "facts.json", tmp_path / "record.json"
    facts.write_text('{"progress": "64%", "missed_remittances_30d": 2}')
    arguments = ["explain", "GB", str(facts), "--on", "2026-07-01", "--format", "record"]
    record.write_text(CliRunner().invoke(holdback, arguments).output)

    ran = CliRunner().invoke(holdback, ["replay", str(record)])
    assert ran.exit_code == 0, ran.output
