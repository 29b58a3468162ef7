"""Recorded decisions and offers derived again, years later, from their digest, day and facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, Final

from attrs import evolve

from holdback.eligibility.assessment import Assessment, assess
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.offers.registry import registered
from holdback.rulebooks.digest import Versions, rulebook_digest
from holdback.rulebooks.rulebook import Rulebook
from holdback.tools.replay.recorded import (
    RecordedOffers,
    plain_facts,
    read_offers_issued,
    read_record,
    record_differences,
    versions_in,
    wording_differences,
)
from holdback.tools.replay.repricing import repriced

SAME: Final = "the same"
DIFFERENT: Final = "different"
UNDERIVABLE: Final = "cannot be derived"
# The value is part of the JSON output.
NOT_AVAILABLE: Final = "not at hand"


@frozen(kw_only=True)
class Replay:
    """
    The result of deriving a record again.

    `state` is `SAME`; `DIFFERENT`; `UNDERIVABLE` when a calculator that priced is not present in
    the version that it had, and nothing else differs; or `NOT_AVAILABLE` when no loaded rulebook
    has the recorded digest, and `loaded_digest` is then that of the rulebook loaded for the same
    day. `differences` are in the answer, `wording` is in sentences only, and `missing` names what
    could not be derived, with the versions.
    """

    state: str
    digest: str
    differences: tuple[str, ...] = ()
    wording: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    rulebook: Rulebook | None = None
    loaded_digest: str | None = None

    def plain(self) -> dict[str, Json]:
        """Return the result as plain values."""
        return {
            "state": self.state,
            "digest": self.digest,
            "differences": list(self.differences),
            "wording": list(self.wording),
            "missing": list(self.missing),
            "at_hand": self.loaded_digest,
        }


def replay(record: Json, jurisdictions: Jurisdictions) -> Replay:
    """
    Return the replay of *record*, a decision record as plain values, with *jurisdictions*.

    The rules alone decide an assessment, so it is derived without any calculator.

    Raises:
        InvalidDocument: when it is not a decision record, with everything that is wrong with it.
    """
    document = read_record(record)
    on, versions = date.fromisoformat(document["on"]), versions_in(document)
    code, digest = document["jurisdiction"], document["digest"]
    slices = jurisdictions[code].slices if code in jurisdictions.codes else ()
    rulebook = _with_digest(digest, versions, on, slices)
    in_force = _digest_in_force(jurisdictions, code, on, digest, versions)
    if rulebook is None:
        return Replay(state=NOT_AVAILABLE, digest=digest, loaded_digest=in_force)
    # A fact that no rule reads decides nothing, and the jurisdiction may not declare it any more.
    read = {"progress", *(name for rule in rulebook.renewal.rules for name in rule.checked.names)}
    facts = {name: value for name, value in document["facts"].items() if name in read}
    recorded = {**document, "facts": facts}
    derived = _assessed(rulebook, facts, document).record()
    differences = (
        *_day_difference("on", on, digest, in_force),
        *_versions_difference(digest, versions, rulebook),
        *record_differences(recorded, derived),
    )
    wording = (*wording_differences(recorded, derived), *_undeclared(document["facts"], rulebook))
    return _result(digest, rulebook, differences, wording)


def _assessed(
    rulebook: Rulebook, facts: Mapping[str, Any], document: Mapping[str, Any]
) -> Assessment:
    """Return the assessment of *facts*, with the rules lifted that *document* says were."""
    listed = document.get("lifted")
    codes = tuple(map(str, listed)) if isinstance(listed, list) else ()
    lifted = rulebook.renewal.referring(codes)
    return assess(rulebook.renewal, rulebook.catalogue.prepare(facts), rulebook.on, lifted=lifted)


def replay_offers(
    event: Json,
    jurisdictions: Jurisdictions,
    calculators: Mapping[str, type] = MappingProxyType({}),
) -> Replay:
    """
    Return the replay of *event*, an `OffersIssued` as plain values, with *jurisdictions*.

    The assessment of a renewal, the decision on each product and every offer are derived again, to
    the minor unit. *calculators* are the host's own, as for `Engine`.

    Raises:
        InvalidDocument: when it is not such an event, with everything that is wrong with it.
        ConfigurationError: a calculator of the host has no version.
    """
    recorded, registry = read_offers_issued(event), registered(calculators)
    digest, versions, on = recorded.digest, recorded.versions, recorded.on
    code = recorded.jurisdiction
    slices = jurisdictions[code].slices if code in jurisdictions.codes else ()
    rulebook = _with_digest(digest, versions, on, slices)
    if rulebook is None:
        loaded = _digest_in_force(jurisdictions, code, on, digest, versions)
        return Replay(state=NOT_AVAILABLE, digest=digest, loaded_digest=loaded)
    in_force = _digest_in_force(jurisdictions, rulebook.code, on, digest, versions)
    differences = [
        *_day_difference("issued_on", on, digest, in_force),
        *_versions_difference(digest, versions, rulebook),
        *_place_differences(recorded, rulebook),
    ]
    wording = list(_undeclared(recorded.facts, rulebook))
    if recorded.assessment is not None:
        replayed = replay(recorded.assessment, jurisdictions)
        differences += (f"assessment: {difference}" for difference in replayed.differences)
        wording += replayed.wording
        if replayed.digest != digest:
            differences.append(f"assessment: recorded digest {replayed.digest}, not {digest}")
    if recorded.renewal != (recorded.assessment is not None):
        kind = "a renewal" if recorded.renewal else "an initial application"
        state = "without" if recorded.renewal else "with"
        differences.append(f"renewal: recorded {kind} {state} an assessment")
    again = repriced(recorded, rulebook, registry)
    return _result(
        digest,
        rulebook,
        (*differences, *again.differences),
        (*wording, *again.wording),
        again.missing,
    )


def _result(
    digest: str,
    rulebook: Rulebook,
    differences: Iterable[str],
    wording: Iterable[str],
    missing: Iterable[str] = (),
) -> Replay:
    differences, missing = tuple(dict.fromkeys(differences)), tuple(missing)
    state = DIFFERENT if differences else UNDERIVABLE if missing else SAME
    return Replay(
        state=state,
        digest=digest,
        differences=differences,
        wording=tuple(dict.fromkeys(wording)),
        missing=missing,
        rulebook=rulebook,
    )


def _digest_like(versions: Versions, rulebook: Rulebook) -> str:
    """Return the digest of *rulebook* with the recorded *versions*."""
    return rulebook_digest(rulebook.rules_digest, versions) if versions else rulebook.digest


def _has_digest(digest: str, versions: Versions, rulebook: Rulebook) -> bool:
    # Versions that were edited in the record must not hide the rulebook.
    return digest in {_digest_like(versions, rulebook), rulebook.digest}


def _with_digest(
    digest: str, versions: Versions, on: date, slices: Iterable[Rulebook]
) -> Rulebook | None:
    """Return the rulebook with *digest* among *slices*: that of the day *on*, or any of them."""
    matching = [rulebook for rulebook in slices if _has_digest(digest, versions, rulebook)]
    # On another day the same digest still derives the recorded answer; that the rules were not in
    # force on the recorded day is a difference of its own (`_day_difference`).
    begun = [rulebook for rulebook in matching if rulebook.since <= on]
    chosen = begun[-1] if begun else matching[0] if matching else None
    return None if chosen is None else evolve(chosen, on=on)


def _digest_in_force(
    jurisdictions: Jurisdictions, code: str, on: date, digest: str, versions: Versions
) -> str | None:
    """Return the digest of the rulebook loaded for a jurisdiction and day, made as *digest* was."""
    if code not in jurisdictions.codes or on < jurisdictions[code].changes[0]:
        return None
    rulebook = jurisdictions[code].rulebook(on)
    if _has_digest(digest, versions, rulebook):
        return digest
    return rulebook.digest


def _day_difference(name: str, on: date, digest: str, in_force: str | None) -> Iterator[str]:
    """Yield a difference when other rules were in force on the recorded day."""
    if in_force != digest:
        yield f"{name}: recorded {on}, when other rules were in force: {in_force or 'none'}"


def _versions_difference(digest: str, versions: Versions, rulebook: Rulebook) -> Iterator[str]:
    """Yield a difference when the recorded *versions* are not those that the digest covers."""
    if rulebook_digest(rulebook.rules_digest, versions) == digest:
        return
    yield f"versions: recorded {dict(versions)}, derived {dict(rulebook.versions)}"


def _place_differences(recorded: RecordedOffers, rulebook: Rulebook) -> Iterator[str]:
    """Yield differences in what the event says of the jurisdiction."""
    derived = {"currency": rulebook.currency.code, "timezone": rulebook.timezone}
    for name, value in recorded.places.items():
        if value != derived[name]:
            yield f"{name}: recorded {value}, derived {derived[name]}"
    facts = None if recorded.assessment is None else recorded.assessment.get("facts")
    if isinstance(facts, Mapping) and plain_facts(facts) != plain_facts(recorded.facts):
        yield "facts: those of the assessment and those of the offers differ"


def _undeclared(facts: Mapping[str, Any], rulebook: Rulebook) -> Iterator[str]:
    for name in facts:
        if rulebook.catalogue.fact(name) is None:
            yield f"`{name}` is not a fact here, and no rule reads it"
