"""Recorded decisions and offers as plain values, read and checked: what a replay starts from.

Records and events have formats, and every format that was ever written is read
(decisions/wire). Facts that are numbers are exact, as `wire.read_evidence` returns them.
Two records differ in the answer, or in sentences only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from holdback.eligibility.assessment import RECORD_FORMAT
from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.rulebooks.digest import Versions

# The newest format of an event whose offers can be derived again.
EVENT_FORMAT: Final = 1

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
_DATE: Final = re.compile("[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
_NUMBER: Final = re.compile("[0-9]{1,9}")


@frozen(kw_only=True)
class RecordedOffers:
    """
    What an `OffersIssued` of any format says about decisions and prices.

    `places` are its `currency` and
    `timezone`, where it has them. `products` have their offers, and `decisions` why.
    """

    digest: str
    on: date
    renewal: bool
    facts: Mapping[str, Any]
    assessment: Mapping[str, Any] | None
    decisions: tuple[Mapping[str, Any], ...]
    products: tuple[Mapping[str, Any], ...]
    jurisdiction: str
    places: Mapping[str, Json]

    @property
    def versions(self) -> Versions:
        """The versions of all that priced its products."""
        versions = {} if self.assessment is None else dict(versions_in(self.assessment))
        for decision in self.decisions:
            versions |= versions_in(decision)
        return versions


def read_record(record: Json) -> Mapping[str, Any]:
    """
    Return *record* if it has every field of a decision record.

    Raises:
        InvalidDocument: with everything that is wrong with it.
    """
    if not isinstance(record, Mapping):
        message = "expected a decision record, a JSON object"
        hint = "take one record or event out of a list" if isinstance(record, list) else None
        raise InvalidDocument.of("wrong_type", message, path="$", hint=hint)
    errors = [
        ErrorDetail(
            code="missing" if name not in record else "wrong_type",
            message="missing or of another type in this decision record",
            path=f"$.{name}",
        )
        for name, type_ in _FIELDS.items()
        if not isinstance(record.get(name), type_)
    ]
    errors += _format_errors(record, "record", RECORD_FORMAT)
    if isinstance(record.get("on"), str) and _day(record["on"]) is None:
        message = "expected a date such as 2026-07-01"
        errors.append(ErrorDetail(code="wrong_value", message=message, path="$.on"))
    if errors:
        raise InvalidDocument(errors)
    return record


def read_offers_issued(event: Json) -> RecordedOffers:
    """
    Return what *event*, an `OffersIssued`, says about decisions and prices.

    Raises:
        InvalidDocument: with everything that is wrong with it.
    """
    offer_set = event.get("offer_set") if isinstance(event, Mapping) else None
    if not isinstance(event, Mapping) or not isinstance(offer_set, Mapping):
        message = "expected an `OffersIssued` event with its `offer_set`"
        raise InvalidDocument.of("wrong_type", message, path="$")
    errors = list(_format_errors(event, "event", EVENT_FORMAT))
    if errors:
        raise InvalidDocument(errors)  # the fields of another format have other places
    facts, renewal = offer_set.get("facts"), offer_set.get("renewal")
    assessment, code = event.get("assessment"), event.get("jurisdiction")
    checks = (
        (_objects(event.get("decisions")), "$.decisions", "the decisions on the products"),
        (_objects(offer_set.get("products")), "$.offer_set.products", "the products"),
        (isinstance(facts, Mapping), "$.offer_set.facts", "the facts of the decision"),
        (isinstance(code, str), "$.jurisdiction", "the code of a jurisdiction"),
        (isinstance(offer_set.get("digest"), str), "$.offer_set.digest", "the digest"),
        (_day(offer_set.get("issued_on")) is not None, "$.offer_set.issued_on", "a date"),
        (isinstance(renewal, bool), "$.offer_set.renewal", "true or false"),
        (
            assessment is None or isinstance(assessment, Mapping),
            "$.assessment",
            "a decision record or null",
        ),
    )
    errors = [
        ErrorDetail(code="wrong_type", message=f"expected {expected}", path=path)
        for valid, path, expected in checks
        if not valid
    ]
    on = _day(offer_set.get("issued_on"))
    if errors or on is None:
        raise InvalidDocument(errors)
    return RecordedOffers(
        digest=offer_set["digest"],
        on=on,
        renewal=bool(renewal),
        facts={} if facts is None else facts,
        assessment=assessment,
        decisions=tuple(event["decisions"]),
        products=tuple(offer_set["products"]),
        jurisdiction=str(code),
        places={name: event[name] for name in ("currency", "timezone") if event.get(name)},
    )


def read_payout(event: Json) -> Mapping[str, Any]:
    """
    Return the record of the funding rules in *event*, a `DealFunded`.

    Raises:
        InvalidDocument: when it has none, or the record is invalid.
    """
    record = event.get("decision") if isinstance(event, Mapping) else None
    if not isinstance(record, Mapping):
        message = "expected a `DealFunded` event with a `decision`: there were no funding rules"
        raise InvalidDocument.of("missing", message, path="$.decision")
    texts = ("jurisdiction", "digest")
    checks = {name: isinstance(record.get(name), str) for name in texts}
    checks |= {"on": _day(record.get("on")) is not None}
    checks |= {name: isinstance(record.get(name), Mapping) for name in ("facts", "versions")}
    errors = [
        ErrorDetail(
            code="wrong_type",
            message="missing or of another type in this record of a payout",
            path=f"$.decision.{name}",
        )
        for name, valid in checks.items()
        if not valid
    ]
    if errors:
        raise InvalidDocument(errors)
    return record


def versions_in(record: Mapping[str, Any]) -> Versions:
    """Return the versions in *record*; None for an unknown one."""
    versions = record.get("versions")
    if not isinstance(versions, Mapping):
        return {}
    # JSON has been read with its numbers as text.
    return {
        str(name): int(str(version)) if _NUMBER.fullmatch(str(version)) else None
        for name, version in versions.items()
    }


def _format_errors(document: Mapping[str, Any], kind: str, newest: int) -> Iterator[ErrorDetail]:
    """Yield an error unless *document* has one of the formats that were written up to *newest*."""
    written = str(document.get("format"))
    readable = [str(number) for number in range(1, newest + 1)]
    if written in readable:
        return
    if _NUMBER.fullmatch(written) and int(written) > newest:
        message = f"this {kind} was written by a newer version of holdback: format {int(written)}"
        hint = f"this version reads the formats up to {newest}"
        yield ErrorDetail(code="newer_format", message=message, path="$.format", hint=hint)
    else:
        message = f"expected {' or '.join(readable)}"
        yield ErrorDetail(code="wrong_value", message=message, path="$.format")


def _day(text: Json) -> date | None:
    if not isinstance(text, str) or not _DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _objects(part: Json) -> bool:
    return isinstance(part, list | tuple) and all(isinstance(entry, Mapping) for entry in part)


# The fields of a record that decide; files, lines and sentences may have changed since.
_DECIDED: Final = ("outcome", "eligible", "needs")
_ANSWERS: Final = {True: "true", False: "false", None: "unknown"}


def record_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences in the answer between the records *before* and *after*."""
    for name in _DECIDED:
        if before[name] != after[name]:
            yield f"{name}: recorded {before[name]!r}, derived {after[name]!r}"
    recorded_codes, derived_codes = codes(before), codes(after)
    if recorded_codes != derived_codes:
        yield f"reasons: recorded {recorded_codes}, derived {derived_codes}"
    lifted = [list(record.get("lifted", ())) for record in (before, after)]
    if lifted[0] != lifted[1]:
        yield f"lifted: recorded {lifted[0]}, derived {lifted[1]}"
    recorded, derived = _answers(before), _answers(after)
    for rule in dict.fromkeys([*recorded, *derived]):
        answers = recorded.get(rule, "nothing"), derived.get(rule, "nothing")
        if answers[0] != answers[1]:
            yield f"rule {rule}: recorded {answers[0]}, derived {answers[1]}"
    # Each part of a record repeats the facts that it is about; they must not contradict each other.
    for name in ("facts", "reasons", "trace"):
        if plain_facts(before[name]) != plain_facts(after[name]):
            yield f"{name}: the recorded facts differ from those derived now"


def wording_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield the sentences that differ between the records *before* and *after*."""
    for recorded, derived in zip(before["reasons"], after["reasons"], strict=False):
        if isinstance(recorded, Mapping) and recorded.get("text") != derived["text"]:
            yield f"{derived['code']}: {recorded.get('text')!r} is now {derived['text']!r}"


def codes(record: Mapping[str, Any]) -> list[Json]:
    """Return the codes of the reasons in *record*."""
    reasons = record.get("reasons")
    entries = reasons if isinstance(reasons, list | tuple) else []
    return [reason.get("code") for reason in entries if isinstance(reason, Mapping)]


def plain_facts(part: Json) -> Json:
    """Return the facts in a part of a record, with numbers as text, as JSON may have had them."""
    if isinstance(part, Mapping):
        shown = part["facts"] if isinstance(part.get("facts"), Mapping) else part
        return {
            str(name): value if isinstance(value, bool) else str(value)
            for name, value in shown.items()
        }
    return [plain_facts(entry) for entry in part] if isinstance(part, list) else str(part)


def _answers(record: Mapping[str, Any]) -> dict[str, str]:
    lines = [line for line in record["trace"] if isinstance(line, Mapping)]
    return {str(line.get("rule")): _answer(line.get("answer")) for line in lines}


def _answer(answer: Json) -> str:
    return _ANSWERS[answer] if answer is None or isinstance(answer, bool) else "nothing"
