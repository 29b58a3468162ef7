"""Recorded decisions derived again, years later, from their digest, day and facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from attrs import evolve, frozen

from holdback.eligibility import RECORD_FORMAT
from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact_json import Json
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.rulebook import Rulebook
from holdback.money import Money
from holdback.offers.calculator import PricingCase
from holdback.offers.quote import quote
from holdback.offers.registry import BUILT_IN, bind

SAME: Final = "the same"
DIFFERENT: Final = "different"
# The value is part of the JSON output.
NOT_AVAILABLE: Final = "not at hand"

# The fields of a record that decide; files, lines and sentences may have changed since.
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
    The result of deriving a record again.

    `state` is `SAME`, `DIFFERENT`, or `NOT_AVAILABLE` when no loaded rulebook has the recorded
    digest; `loaded_digest` is then that of the rulebook loaded for the same day. `differences` are
    in the answer, `wording` is in sentences only.
    """

    state: str
    digest: str
    differences: tuple[str, ...] = ()
    wording: tuple[str, ...] = ()
    rulebook: Rulebook | None = None
    loaded_digest: str | None = None

    def plain(self) -> dict[str, Json]:
        """Return the result as plain values."""
        return {
            "state": self.state,
            "digest": self.digest,
            "differences": list(self.differences),
            "wording": list(self.wording),
            "at_hand": self.loaded_digest,
        }


def replay(record: Json, jurisdictions: Jurisdictions) -> Replay:
    """
    Return the replay of *record*, a decision record as plain values, with *jurisdictions*.

    Raises:
        InvalidDocument: when it is not a decision record, with everything that is wrong with it.
    """
    document = _read_record(record)
    on = date.fromisoformat(document["on"])
    rulebook = _with_digest(document, on, jurisdictions)
    if rulebook is None:
        return Replay(
            state=NOT_AVAILABLE,
            digest=document["digest"],
            loaded_digest=_loaded_digest(document["jurisdiction"], on, jurisdictions),
        )
    # A fact that no rule reads decides nothing, and the jurisdiction may not declare it any more.
    read = {"progress", *(name for rule in rulebook.renewal.rules for name in rule.checked.names)}
    facts = {name: value for name, value in document["facts"].items() if name in read}
    recorded = {**document, "facts": facts}
    undeclared = [name for name in document["facts"] if rulebook.catalogue.fact(name) is None]
    derived = rulebook.assess(facts).record()
    differences = (
        *_day_difference(recorded, on, jurisdictions),
        *_differences(recorded, derived),
    )
    return Replay(
        state=DIFFERENT if differences else SAME,
        digest=document["digest"],
        differences=differences,
        wording=(
            *_wording(recorded, derived),
            *(f"`{name}` is not a fact here, and no rule reads it" for name in undeclared),
        ),
        rulebook=rulebook,
    )


def replay_offers(event: Json, jurisdictions: Jurisdictions) -> Replay:
    """
    Return the replay of *event*, an `OffersIssued` as plain values, with *jurisdictions*.

    The decision on each product is derived again, and so is the assessment of a renewal.

    Raises:
        InvalidDocument: when it is not such an event, with everything that is wrong with it.
    """
    offer_set, decisions, facts = _read_event(event)
    digest, on = offer_set["digest"], _day(offer_set["issued_on"])
    loaded = next(
        (rulebook for rulebook in jurisdictions.rulebooks() if rulebook.digest == digest), None
    )
    if loaded is None:
        return Replay(state=NOT_AVAILABLE, digest=digest)
    # The event names no jurisdiction; the digest covers the code, so it identifies one.
    rulebook, differences, wording = evolve(loaded, on=on), list[str](), list[str]()
    loaded_digest = _loaded_digest(rulebook.code, on, jurisdictions)
    if loaded_digest != digest:
        differences.append(
            f"issued_on: recorded {on}, when other rules were in force: {loaded_digest or 'none'}"
        )
    assessment = event.get("assessment")
    if assessment is not None:
        replayed = replay(assessment, jurisdictions)
        differences += replayed.differences
        wording += replayed.wording
    # Without eligibility no product was considered, and none was recorded.
    if assessment is None or assessment.get("eligible") is True:
        differences += _products(decisions, facts, rulebook, renewal=assessment is not None)
    return Replay(
        state=DIFFERENT if differences else SAME,
        digest=digest,
        differences=tuple(differences),
        wording=tuple(wording),
        rulebook=rulebook,
    )


def _day(text: Json) -> date:
    return date.fromisoformat(str(text))


def _read_event(event: Json) -> tuple[Mapping[str, Any], list[Any], Mapping[str, Any]]:
    """Return the offer set, the decisions and the facts of *event*."""
    offer_set = event.get("offer_set") if isinstance(event, Mapping) else None
    if not isinstance(offer_set, Mapping):
        raise InvalidDocument.of(
            "wrong_type", "expected an `OffersIssued` event with its `offer_set`", path="$"
        )
    decisions, facts, assessment = (
        event.get(name) for name in ("decisions", "facts", "assessment")
    )
    are_objects = isinstance(decisions, list) and all(
        isinstance(decision, Mapping) for decision in decisions
    )
    checks = (
        (are_objects, "$.decisions", decisions, "expected the decisions on the products"),
        (isinstance(facts, Mapping), "$.facts", facts, "expected the facts of the decision"),
        (
            isinstance(offer_set.get("digest"), str),
            "$.offer_set.digest",
            offer_set.get("digest"),
            "expected the digest",
        ),
        (
            _DATE.fullmatch(str(offer_set.get("issued_on"))) is not None,
            "$.offer_set.issued_on",
            offer_set.get("issued_on"),
            "expected a date",
        ),
        (
            assessment is None or isinstance(assessment, Mapping),
            "$.assessment",
            assessment,
            "expected a decision record or null",
        ),
    )
    errors = [
        ErrorDetail(code=_code(value), message=message, path=path)
        for valid, path, value, message in checks
        if not valid
    ]
    if errors or not isinstance(decisions, list) or not isinstance(facts, Mapping):
        raise InvalidDocument(errors)
    return offer_set, decisions, facts


def _products(
    decisions: list[Any], facts: Mapping[str, Any], rulebook: Rulebook, *, renewal: bool
) -> Iterator[str]:
    """Yield the differences in the decisions on the products."""
    declared = {name: value for name, value in facts.items() if rulebook.catalogue.fact(name)}
    prepared = rulebook.catalogue.prepare(declared)
    case = PricingCase(
        facts=prepared,
        catalogue=rulebook.catalogue,
        renewal=renewal,
        currency=rulebook.currency,
        rounding=rulebook.rounding,
    )
    settlement = case.fact("balance") if renewal else None
    assert settlement is None or isinstance(settlement, Money), "a balance is money"
    bound = {product.terms.key: product for product in bind(rulebook, BUILT_IN, "{}/{}".format)}
    derived = {
        key: _decision(quote(product, case, str, settlement).record(key))
        for key, product in bound.items()
    }
    recorded = {str(decision.get("product")): _decision(decision) for decision in decisions}
    for key in dict.fromkeys([*recorded, *derived]):
        before, after = recorded.get(key, "nothing"), derived.get(key, "nothing")
        if before != after:
            yield f"product {key}: recorded {before}, derived {after}"


def _decision(decision: Mapping[str, Any]) -> str:
    reasons, needs = decision.get("reasons"), decision.get("needs")
    codes = _codes({"reasons": reasons if isinstance(reasons, list) else []})
    why = [*codes, *(needs if isinstance(needs, list) else [])]
    return f"{decision.get('decision')}{f' ({why})' if why else ''}"


def _read_record(record: Json) -> Mapping[str, Any]:
    """Return *record* if it has every field of a decision record."""
    if not isinstance(record, Mapping):
        raise InvalidDocument.of(
            "wrong_type", "expected a decision record, a JSON object", path="$"
        )
    errors = [
        ErrorDetail(
            code=_code(record.get(name)),
            message="missing or of another type in this decision record",
            path=f"$.{name}",
        )
        for name, type_ in _FIELDS.items()
        if not isinstance(record.get(name), type_)
    ]
    if str(record.get("format")) != str(RECORD_FORMAT):
        message = f"expected {RECORD_FORMAT}, the format that this version reads"
        written = record.get("format")
        newer = type(written) is int and written > RECORD_FORMAT
        code = "newer_format" if newer else _code(written)
        errors.append(ErrorDetail(code=code, message=message, path="$.format"))
    try:
        normal = date.fromisoformat(str(record.get("on"))).isoformat()
    except ValueError:
        normal = None
    if normal != record.get("on"):
        errors.append(
            ErrorDetail(
                code="wrong_value", message="expected a date such as 2026-07-01", path="$.on"
            )
        )
    if errors:
        raise InvalidDocument(dict.fromkeys(errors))
    return record


def _code(value: object) -> str:
    """Return the code of the error that *value* is absent, or not what was expected."""
    return "missing" if value is None else "wrong_type"


def _with_digest(
    document: Mapping[str, Any], on: date, jurisdictions: Jurisdictions
) -> Rulebook | None:
    """Return the rulebook with the digest of *document*: that of its day, or any other slice."""
    code, digest = document["jurisdiction"], document["digest"]
    if code not in jurisdictions.codes:
        return None
    jurisdiction = jurisdictions[code]
    if on >= jurisdiction.changes[0] and jurisdiction.rulebook(on).digest == digest:
        return jurisdiction.rulebook(on)
    # On another day the same digest still derives the recorded answer; that the rules were not in
    # force on the recorded day is a difference of its own (`_day_difference`).
    same = (rulebook for rulebook in jurisdiction.slices if rulebook.digest == digest)
    rulebook = next(same, None)
    return None if rulebook is None else evolve(rulebook, on=on)


def _day_difference(
    document: Mapping[str, Any], on: date, jurisdictions: Jurisdictions
) -> Iterator[str]:
    """Yield a difference when other rules were in force on the recorded day."""
    loaded_digest = _loaded_digest(document["jurisdiction"], on, jurisdictions)
    if loaded_digest != document["digest"]:
        yield f"on: recorded {on}, when other rules were in force: {loaded_digest or 'none'}"


def _loaded_digest(code: str, on: date, jurisdictions: Jurisdictions) -> str | None:
    """Return the digest of the rulebook that is loaded for a jurisdiction and day."""
    if code not in jurisdictions.codes or on < jurisdictions[code].changes[0]:
        return None
    return jurisdictions[code].rulebook(on).digest


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name in _DECIDED:
        if before[name] != after[name]:
            yield f"{name}: recorded {before[name]!r}, derived {after[name]!r}"
    recorded_codes, derived_codes = _codes(before), _codes(after)
    if recorded_codes != derived_codes:
        yield f"reasons: recorded {recorded_codes}, derived {derived_codes}"
    recorded, derived = _answers(before), _answers(after)
    for rule in dict.fromkeys([*recorded, *derived]):
        answers = recorded.get(rule, "nothing"), derived.get(rule, "nothing")
        if answers[0] != answers[1]:
            yield f"rule {rule}: recorded {answers[0]}, derived {answers[1]}"
    # Each part of a record repeats the facts that it is about; they must not contradict each other.
    for name in ("facts", "reasons", "trace"):
        if _facts(before[name]) != _facts(after[name]):
            yield f"{name}: the recorded facts differ from those derived now"


def _facts(part: Json) -> Json:
    """Return the facts in a part of a record, with numbers as text, as JSON may have had them."""
    if isinstance(part, Mapping):
        shown = part["facts"] if isinstance(part.get("facts"), Mapping) else part
        return {
            str(name): value if isinstance(value, bool) else str(value)
            for name, value in shown.items()
        }
    return [_facts(entry) for entry in part] if isinstance(part, list) else str(part)


def _codes(record: Mapping[str, Any]) -> list[Json]:
    return [reason.get("code") for reason in record["reasons"] if isinstance(reason, Mapping)]


_DATE: Final = re.compile("[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
_ANSWERS: Final = {True: "true", False: "false", None: "unknown"}


def _answers(record: Mapping[str, Any]) -> dict[str, str]:
    lines = [line for line in record["trace"] if isinstance(line, Mapping)]
    return {str(line.get("rule")): _answer(line.get("answer")) for line in lines}


def _answer(answer: Json) -> str:
    return _ANSWERS[answer] if answer is None or isinstance(answer, bool) else "nothing"


def _wording(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for recorded, derived in zip(before["reasons"], after["reasons"], strict=False):
        if isinstance(recorded, Mapping) and recorded.get("text") != derived["text"]:
            yield f"{derived['code']}: {recorded.get('text')!r} is now {derived['text']!r}"
