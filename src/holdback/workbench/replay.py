"""Deriving a recorded decision again, years later: the same digest, day and facts, the same answer."""

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
from holdback.offers.pricing_case import PricingCase
from holdback.offers.quote import quote
from holdback.offers.registry import BUILT_IN, bind

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
    # What no rule reads decides nothing, and the jurisdiction may have stopped to declare it.
    read = {"progress", *(name for rule in rulebook.renewal.rules for name in rule.checked.names)}
    facts = {name: value for name, value in document["facts"].items() if name in read}
    recorded = {**document, "facts": facts}
    undeclared = [name for name in document["facts"] if rulebook.catalogue.fact(name) is None]
    again = rulebook.assess(facts).record()
    different = (*_on_its_day(recorded, on, jurisdictions), *_differences(recorded, again))
    return Replay(
        state=DIFFERENT if different else SAME,
        digest=document["digest"],
        differences=different,
        wording=(
            *_wording(recorded, again),
            *(f"`{name}` is no fact here, and no rule reads it" for name in undeclared),
        ),
        rulebook=rulebook,
    )


def replay_offers(event: Json, jurisdictions: Jurisdictions) -> Replay:
    """
    The decisions in *event*, an `OffersIssued` as plain values, derived again: of each product, and the
    assessment of a renewal.

    Raises:
        InvalidDocument: when it is no such event, with everything that is wrong with it.
    """
    offer_set, decisions, facts = _read_event(event)
    digest, on = offer_set["digest"], _day(offer_set["issued_on"])
    found = next((each for each in jurisdictions.rulebooks() if each.digest == digest), None)
    if found is None:
        return Replay(state=NOT_AT_HAND, digest=digest)
    rulebook, different, wording = evolve(found, on=on), list[str](), list[str]()
    at_hand = _at_hand(rulebook.code, on, jurisdictions)
    if at_hand != digest:
        different.append(
            f"issued_on: recorded {on}, when other rules were in force: {at_hand or 'none'}"
        )
    assessment = event.get("assessment")
    if assessment is not None:
        again = replay(assessment, jurisdictions)
        different += again.differences
        wording += again.wording
    if assessment is None or assessment.get("eligible") is True:
        different += _products(decisions, facts, rulebook, renewal=assessment is not None)
    return Replay(
        state=DIFFERENT if different else SAME,
        digest=digest,
        differences=tuple(different),
        wording=tuple(wording),
        rulebook=rulebook,
    )


def _day(text: Json) -> date:
    return date.fromisoformat(str(text))


def _read_event(event: Json) -> tuple[Mapping[str, Any], list[Any], Mapping[str, Any]]:
    offer_set = event.get("offer_set") if isinstance(event, Mapping) else None
    if not isinstance(offer_set, Mapping):
        raise InvalidDocument.of("expected an `OffersIssued` event with its `offer_set`", path="$")
    decisions, facts = event.get("decisions"), event.get("facts")
    faults = []
    if not isinstance(decisions, list) or not all(isinstance(each, Mapping) for each in decisions):
        faults.append(
            ErrorDetail(message="expected the decisions on the products", path="$.decisions")
        )
    if not isinstance(facts, Mapping):
        faults.append(ErrorDetail(message="expected the facts that were known", path="$.facts"))
    if not isinstance(offer_set.get("digest"), str):
        faults.append(ErrorDetail(message="expected the digest", path="$.offer_set.digest"))
    if not _DATE.fullmatch(str(offer_set.get("issued_on"))):
        faults.append(ErrorDetail(message="expected a date", path="$.offer_set.issued_on"))
    if event.get("assessment") is not None and not isinstance(event["assessment"], Mapping):
        faults.append(
            ErrorDetail(message="expected a decision record or null", path="$.assessment")
        )
    if faults or not isinstance(decisions, list) or not isinstance(facts, Mapping):
        raise InvalidDocument(faults)
    return offer_set, decisions, facts


def _products(
    decisions: list[Any], facts: Mapping[str, Any], rulebook: Rulebook, *, renewal: bool
) -> Iterator[str]:
    """What is different in the decisions on the products."""
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
    bound = {each.terms.key: each for each in bind(rulebook, BUILT_IN, "{}/{}".format)}
    derived = {
        key: _decision(quote(product, case, str, settlement).record(key))
        for key, product in bound.items()
    }
    recorded = {str(each.get("product")): _decision(each) for each in decisions}
    for key in dict.fromkeys([*recorded, *derived]):
        one, other = (each.get(key, "nothing") for each in (recorded, derived))
        if one != other:
            yield f"product {key}: recorded {one}, derived {other}"


def _decision(decision: Mapping[str, Any]) -> str:
    reasons, needs = decision.get("reasons"), decision.get("needs")
    codes = _codes({"reasons": reasons if isinstance(reasons, list) else []})
    why = [*codes, *(needs if isinstance(needs, list) else [])]
    return f"{decision.get('decision')}{f' ({why})' if why else ''}"


def _read(record: Json) -> Mapping[str, Any]:
    """*record*, when it is one."""
    if not isinstance(record, Mapping):
        raise InvalidDocument.of("expected a decision record, a JSON object", path="$")
    faults = []
    for name, kind in _FIELDS.items():
        if not isinstance(record.get(name), kind):
            faults.append(ErrorDetail(message="a decision record has it", path=f"$.{name}"))
    if str(record.get("format")) != str(RECORD_FORMAT):
        message = f"expected {RECORD_FORMAT}, the format that this version reads"
        faults.append(ErrorDetail(message=message, path="$.format"))
    try:
        read = date.fromisoformat(str(record.get("on"))).isoformat()
    except ValueError:
        read = None
    if read != record.get("on"):
        faults.append(ErrorDetail(message="expected a date such as 2026-07-01", path="$.on"))
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


_DATE: Final = re.compile("[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
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
