"""
The evidence of this host's checks, as a command that records it.

A request that is carried out keeps its evidence. A refused one changes nothing, so its evidence is
recorded by itself: a check that was paid for is not made again.
"""

from collections.abc import Mapping
from datetime import date, datetime, time

from attrs import evolve

from holdback import ConfigurationError, InvalidDocument, wire
from holdback.operations import RecordEvidence

CHECKED_ON = "credit_checked_on"


def recording(context, rulebook, input_context, request):
    """
    Return the command that records the evidence of `context`, as the checks gave it.

    It is about those who made the `request`; a renewal does not say who they are.
    Results by fact name were made at the instant of the context, except a credit check of an
    earlier day.

    Raises:
        ConfigurationError: a result is not one that this jurisdiction takes.
    """
    evidence = context.evidence
    if not isinstance(evidence, Mapping):
        return RecordEvidence(
            records=evidence, applicants=request.applicants, company=request.company
        )
    records, left = [], dict(evidence)
    for check in rulebook.checks.values():
        facts = {name: left.pop(name) for name in check.facts if name in left}
        if facts:
            made_at = wire.write_timestamp(
                _made_at(facts, context.at, input_context, rulebook.zone)
            )
            records.append({"check": check.name, "made_at": made_at, "facts": facts})
    if left:
        message = "the checks gave a fact that no check of the jurisdiction has"
        raise ConfigurationError.of("not_allowed", message, path="$.evidence")
    try:
        read = wire.read_command("record_evidence", {"records": records}, input_context)
        return evolve(read, applicants=request.applicants, company=request.company)
    except InvalidDocument as error:  # it is the checks' mistake, not the caller's
        raise ConfigurationError(error.errors) from None


def _made_at(facts, at, input_context, zone):
    """Return when a check was made that is recorded with its day: at its start, or now."""
    try:
        day = date.fromisoformat(facts.get(CHECKED_ON, ""))
    except (TypeError, ValueError):  # without a day, or an invalid one, which is refused later
        return at
    return at if day >= input_context.day else datetime.combine(day, time(), tzinfo=zone)
