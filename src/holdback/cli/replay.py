"""`holdback replay`: a recorded decision, derived again."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click
from attrs import evolve

from holdback import wire
from holdback.cli.output import FINDINGS, SUCCESS, format_option, print_answer, reading
from holdback.cli.scenario import SCENARIO_BYTES
from holdback.cli.sources import calculators_option, jurisdictions_option, load_valid
from holdback.errors import InvalidDocument, StateError, printable
from holdback.exact.exact_json import Json
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.tools.replay.replay import (
    DIFFERENT,
    NOT_AVAILABLE,
    SAME,
    UNDERIVABLE,
    Replay,
    replay,
    replay_funding,
    replay_offers,
)

# The parts of an event that may have facts of their own.
_WITH_FACTS: Final = ("assessment", "offer_set")
_COLOURS: Final = {SAME: "green", DIFFERENT: "red", UNDERIVABLE: "yellow"}


@click.command("replay")
@click.argument("record", type=click.File("rb"))
@format_option("text", "json")
@jurisdictions_option
@calculators_option
def replay_command(
    record: Any, *, form: str, folder: Path | None, calculators: Mapping[str, type]
) -> None:
    """
    Derive the decision in RECORD again, from its digest, day and facts.

    RECORD is a decision record as JSON, or an event with decisions: on a renewal, on a payout, or
    on the products that were offered, whose offers are priced again. Exits with 1 if the decision
    or an offer is another, if no rulebook has the digest, or if a calculator is not present.
    """
    jurisdictions = load_valid(folder)
    with reading(record.name):
        document = wire.read_json(record.read(SCENARIO_BYTES + 1))
        result = _replay(document, jurisdictions, calculators)
    print_answer(form, result.plain(), _lines(result))
    sys.exit(SUCCESS if result.state == SAME else FINDINGS)


def _replay(
    document: Json, jurisdictions: Jurisdictions, calculators: Mapping[str, type]
) -> Replay:
    """Replay *document*: a decision record, or an event with an assessment, offers or a payout."""
    if isinstance(document, Mapping) and "offer_set" in document:
        parts = {name: _with_exact_facts(document.get(name)) for name in _WITH_FACTS}
        event = {**_with_exact_facts(document), **parts}
        return _as_written(document, replay_offers(event, jurisdictions, calculators))
    if isinstance(document, Mapping) and isinstance(document.get("decision"), Mapping):
        decision = _with_exact_facts(document["decision"])
        event = {**document, "decision": decision}
        return _as_written(document, replay_funding(event, jurisdictions))
    nested = document.get("assessment") if isinstance(document, Mapping) else None
    if isinstance(nested, Mapping):
        return _as_written(document, replay(_with_exact_facts(nested), jurisdictions))
    if isinstance(document, Mapping) and "outcome" not in document:
        _check_has_decision(document)
    return replay(_with_exact_facts(document), jurisdictions)


def _as_written(event: Mapping[str, Json], result: Replay) -> Replay:
    """Return *result*, with a difference for everything that *event* says against its checksum."""
    try:
        wire.event_from_dict(event)
    except StateError as error:
        edited = (f"{detail.path}: {detail.message}" for detail in error.errors)
        state = DIFFERENT if result.state in {SAME, UNDERIVABLE} else result.state
        return evolve(result, state=state, differences=(*result.differences, *edited))
    return result


def _check_has_decision(document: Mapping[str, Json]) -> None:
    """
    Refuse a document that is another one than a decision record.

    Raises:
        InvalidDocument: naming what it is.
    """
    if "type" in document or "merchant_id" in document:
        kind = printable(str(document.get("type", "a state")))[:60]
        message = f"expected a decision record or an event with a decision, not {kind}"
        hint = "`OffersIssued`, `RenewalEligibilityChanged` and `DealFunded` have decisions"
        raise InvalidDocument.of("wrong_type", message, path="$", hint=hint)


def _with_exact_facts(record: Json) -> Any:
    """*record* with its facts as the exact numbers that the decision was made with."""
    if not isinstance(record, Mapping) or not isinstance(record.get("facts"), Mapping):
        return record
    return {**record, "facts": wire.read_evidence(record["facts"], path="$.facts")}


def _lines(result: Replay) -> Iterator[str]:
    if result.state == NOT_AVAILABLE:
        yield click.style("No rulebook that was loaded has this digest.", fg="red", bold=True)
        yield f"  recorded  {printable(result.digest)}"
        yield f"  loaded    {result.loaded_digest or 'no rules of that jurisdiction on that day'}"
        yield "  give the folder of that time: --jurisdictions PATH"
        return
    assert result.rulebook is not None, "a rulebook has the digest"
    title = f"{result.rulebook.code} on {result.rulebook.on}: {result.state}"
    yield click.style(title, fg=_COLOURS[result.state], bold=True)
    yield from (f"  {printable(difference)}" for difference in result.differences)
    if result.missing:
        yield "Cannot be derived:"
        yield from (f"  {printable(sentence)}" for sentence in result.missing)
        yield "  give the calculators of that time: --calculators MODULE:NAME"
    if result.wording:
        yield "For information:"
        yield from (f"  {printable(difference)}" for difference in result.wording)
    yield click.style(f"Digest {printable(result.digest)}", dim=True)
