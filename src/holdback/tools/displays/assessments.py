"""How a notebook shows an assessment: the outcome, the reasons, and every rule on request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdback.eligibility.assessment import Assessment
from holdback.eligibility.rule_sentences import requirement
from holdback.exact.exact_json import Json
from holdback.rules.types import draft_label
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


def assessment_repr(assessment: Assessment) -> str:
    """Return an assessment on one line: the outcome, and why."""
    rules = assessment.ruleset
    why = "".join(f", {code}" for code in assessment.codes)
    why += f", missing {', '.join(assessment.needs)}" if assessment.needs else ""
    of = f"{rules.jurisdiction} on {assessment.on}, {short_digest(rules.digest)}"
    return f"<Assessment {assessment.outcome}{why}: {of}>"


def assessment_html(assessment: Assessment) -> str:
    """Return an assessment as HTML."""
    plain = assessment.plain()
    # By the code of a reason, what the rule compares and what it requires.
    measured = {
        reason.code: (_listed(reason.measured), _listed(reason.threshold))
        for reason in assessment.reasons
    }
    # By a rule's name, its code and what it requires as a sentence.
    rules = {
        rule.id: (rule.code, requirement(rule, assessment.ruleset).plain())
        for rule in assessment.ruleset.rules
    }
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


def _listed(figures: Mapping[str, str]) -> str:
    """Return *figures* by name as one text; a single one does not need its name."""
    if len(figures) == 1:
        return next(iter(figures.values()))
    return ", ".join(f"{draft_label(name)} {figure}" for name, figure in figures.items())


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
