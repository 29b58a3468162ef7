"""How a notebook shows an assessment: the outcome, the reasons, and every rule on request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdback.exact.exact_json import Json
from holdback.tools.displays.elements import (
    display,
    heading,
    section,
    sentence,
    short_digest,
    table,
)

_ANSWERS: Final = {True: "true", False: "false", None: "unknown"}
# A sign before the outcome, for the eye; the word says it.
_SIGNS: Final = {
    "eligible": "✓",
    "referred": "◐",
    "ineligible": "✗",
    "undetermined": "?",
    "not_assessed": "—",
}


def assessment_html(
    plain: Mapping[str, Json],
    measured: Mapping[str, tuple[str, str]],
    rules: Mapping[str, tuple[str, str]],
) -> str:
    """
    Return the assessment with the *plain* values as HTML.

    *measured* has, by the code of a reason, what the rule compares and what it requires; *rules*
    has, by a rule's name, its code and what it requires as a sentence.
    """
    outcome = plain["outcome"]
    return display(
        heading(
            f"{_SIGNS[outcome]} {outcome.replace('_', ' ')}",
            (plain["jurisdiction"], plain["on"], f"rulebook {short_digest(plain['digest'])}"),
        ),
        _reasons(plain, measured),
        sentence(f"Missing: {', '.join(plain['needs'])}") if plain["needs"] else "",
        section("Every rule", _trace(plain, rules)) if plain["trace"] else "",
    )


def _reasons(plain: Mapping[str, Json], measured: Mapping[str, tuple[str, str]]) -> str:
    rows = [
        (reason["code"], reason["text"], *measured[reason["code"]], reason["rule"])
        for reason in plain["reasons"]
    ]
    heads = ("code", "reason", "value", "required", "rule")
    return table("Reasons", heads, rows) if rows else ""


def _trace(plain: Mapping[str, Json], rules: Mapping[str, tuple[str, str]]) -> str:
    rows = []
    for line in plain["trace"]:
        code, required = rules[line["rule"]]
        rows.append(
            (code, required, _ANSWERS[line["answer"]], _values(line["facts"]), line["rule"])
        )
    heads = ("code", "what it requires", "answer", "values", "rule")
    return table("Every rule, in order of priority", heads, rows)


def _values(facts: Mapping[str, Json]) -> str:
    return ", ".join(
        f"{name} = {'unknown' if value is None else value}" for name, value in facts.items()
    )
