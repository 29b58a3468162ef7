"""What differs between two decision records: in the answer, or in sentences only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from holdback.exact.exact_json import Json

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
