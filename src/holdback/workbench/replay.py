"""Deriving a recorded decision again, years later: the same digest, day and facts, the same answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from attrs import evolve, frozen

from holdback.canonical import Json
from holdback.errors import Fault, InvalidDocument
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.rulebook import Rulebook
from holdback.renewal import RECORD_FORMAT

SAME: Final = "the same"
DIFFERENT: Final = "different"
NOT_AT_HAND: Final = "not at hand"

# What a record decides; what else it has (files, lines, sentences) may be worded anew since.
_DECIDED: Final = ("outcome", "eligible", "needs")
_FIELDS: Final = {
    "jurisdiction": str,
    "on": str,
    "digest": str,
    "facts": Mapping,
    "outcome": str,
    "eligible": bool,
    "reasons": list,
    "needs": list,
    "trace": list,
}


@frozen(kw_only=True)
class Replay:
    """
    What came of it: `state` is `the same`, `different`, or `not at hand` when no rulebook that was loaded
    has the digest. `differences` say what is different in the answer, `wording` what is only said otherwise.
    """

    state: str
    digest: str
    differences: tuple[str, ...] = ()
    wording: tuple[str, ...] = ()
    rulebook: Rulebook | None = None
    at_hand: str | None = None

    def plain(self) -> dict[str, Json]:
        """The result as plain values."""
        return {
            "state": self.state,
            "digest": self.digest,
            "differences": list(self.differences),
            "wording": list(self.wording),
            "at_hand": self.at_hand,
        }


def replay(record: Json, jurisdictions: Jurisdictions) -> Replay:
    """
    *record*, a decision record as plain values, derived again from *jurisdictions*.

    Raises:
        InvalidDocument: when it is no decision record, with everything that is wrong with it.
    """
    document = _read(record)
    on = date.fromisoformat(document["on"])
    rulebook = _with_digest(document, on, jurisdictions)
    if rulebook is None:
        return Replay(
            state=NOT_AT_HAND,
            digest=document["digest"],
            at_hand=_at_hand(document["jurisdiction"], on, jurisdictions),
        )
    again = rulebook.assess(document["facts"]).record()
    different = (*_on_its_day(document, on, jurisdictions), *_differences(document, again))
    return Replay(
        state=DIFFERENT if different else SAME,
        digest=document["digest"],
        differences=different,
        wording=tuple(_wording(document, again)),
        rulebook=rulebook,
    )


def _read(record: Json) -> Mapping[str, Any]:
    """*record*, when it is one."""
    if not isinstance(record, Mapping):
        raise InvalidDocument.of("expected a decision record, a JSON object", path="$")
    faults = []
    for name, kind in _FIELDS.items():
        if not isinstance(record.get(name), kind):
            faults.append(Fault(message="a decision record has it", path=f"$.{name}"))
    if str(record.get("format")) != str(RECORD_FORMAT):
        message = f"expected {RECORD_FORMAT}, the format that this version reads"
        faults.append(Fault(message=message, path="$.format"))
    try:
        read = date.fromisoformat(str(record.get("on"))).isoformat()
    except ValueError:
        read = None
    if read != record.get("on"):
        faults.append(Fault(message="expected a date such as 2026-07-01", path="$.on"))
    if faults:
        raise InvalidDocument(dict.fromkeys(faults))
    return record


def _with_digest(
    document: Mapping[str, Any], on: date, jurisdictions: Jurisdictions
) -> Rulebook | None:
    """The rulebook with the digest of *document*: that of its day, or any with the same meaning."""
    code, digest = document["jurisdiction"], document["digest"]
    if code not in jurisdictions.codes:
        return None
    jurisdiction = jurisdictions[code]
    if on >= jurisdiction.changes[0] and jurisdiction.rulebook(on).digest == digest:
        return jurisdiction.rulebook(on)
    same = (each for each in jurisdiction.slices if each.digest == digest)
    found = next(same, None)
    return None if found is None else evolve(found, on=on)


def _on_its_day(
    document: Mapping[str, Any], on: date, jurisdictions: Jurisdictions
) -> Iterator[str]:
    """Whether the rules with the recorded digest are in force on another day than the recorded one."""
    at_hand = _at_hand(document["jurisdiction"], on, jurisdictions)
    if at_hand != document["digest"]:
        yield f"on: recorded {on}, when other rules were in force: {at_hand or 'none'}"


def _at_hand(code: str, on: date, jurisdictions: Jurisdictions) -> str | None:
    """The digest of the rulebook that is at hand for the same jurisdiction and day."""
    if code not in jurisdictions.codes or on < jurisdictions[code].changes[0]:
        return None
    return jurisdictions[code].rulebook(on).digest


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name in _DECIDED:
        if before[name] != after[name]:
            yield f"{name}: recorded {before[name]!r}, derived {after[name]!r}"
    codes = [_codes(each) for each in (before, after)]
    if codes[0] != codes[1]:
        yield f"reasons: recorded {codes[0]}, derived {codes[1]}"
    answers = [_answers(each) for each in (before, after)]
    for rule in dict.fromkeys([*answers[0], *answers[1]]):
        one, other = (each.get(rule, "nothing") for each in answers)
        if one != other:
            yield f"rule {rule}: recorded {one}, derived {other}"
    for name in ("facts", "reasons", "trace"):
        if _facts(before[name]) != _facts(after[name]):
            yield f"{name}: the facts that were recorded are read as other facts"


def _facts(part: Json) -> Json:
    """The facts in a part of a record, as text: a number is the same however it was written."""
    if isinstance(part, Mapping):
        shown = part["facts"] if isinstance(part.get("facts"), Mapping) else part
        return {
            str(name): value if isinstance(value, bool) else str(value)
            for name, value in shown.items()
        }
    return [_facts(each) for each in part] if isinstance(part, list) else str(part)


def _codes(record: Mapping[str, Any]) -> list[Json]:
    return [each.get("code") for each in record["reasons"] if isinstance(each, Mapping)]


_ANSWERS: Final = {True: "true", False: "false", None: "unknown"}


def _answers(record: Mapping[str, Any]) -> dict[str, str]:
    lines = [each for each in record["trace"] if isinstance(each, Mapping)]
    return {str(each.get("rule")): _answer(each.get("answer")) for each in lines}


def _answer(answer: Json) -> str:
    return _ANSWERS[answer] if answer is None or isinstance(answer, bool) else "nothing"


def _wording(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for one, other in zip(before["reasons"], after["reasons"], strict=False):
        if isinstance(one, Mapping) and one.get("text") != other["text"]:
            yield f"{other['code']}: {one.get('text')!r} is now {other['text']!r}"
