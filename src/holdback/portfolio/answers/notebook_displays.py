"""How a notebook shows a summary and a comparison: totals, shares, and rules in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from holdback.eligibility.assessment import FLOOR_PERCENT
from holdback.eligibility.reasons import FLOOR_CODE
from holdback.eligibility.rule_sentences import requirement
from holdback.portfolio.answers.tables import Table
from holdback.portfolio.assessing.aggregation import Answer
from holdback.portfolio.assessing.outcome_codes import PLACES, words
from holdback.rulebooks.rulebook import Rulebook
from holdback.tools.displays.elements import counted, display, heading
from holdback.tools.pictures.layout import percent


def summary_repr(summary: Any) -> str:
    """Return a summary on one line: the deals of each outcome."""
    parts = ", ".join(f"{deals:,} {words(outcome)}" for outcome, deals in _totals(summary).items())
    return f"<Summary of {counted(summary.deals, 'deal')}{': ' if parts else ''}{parts}>"


def summary_html(summary: Any) -> str:
    """Return a summary as HTML: totals, outcomes with their shares, and rules in words."""
    totals = (
        f"{deals:,} {words(outcome)} ({_share(deals, summary.deals)})"
        for outcome, deals in _totals(summary).items()
    )
    of_jurisdiction: dict[str, int] = {}
    for line in summary.outcomes:
        of_jurisdiction[line.jurisdiction] = of_jurisdiction.get(line.jurisdiction, 0) + line.deals
    outcomes = tuple(
        (
            line.jurisdiction,
            words(line.what),
            line.deals,
            _share(line.deals, of_jurisdiction[line.jurisdiction]),
            line.balance,
        )
        for line in summary.outcomes
    )
    rules = rules_in_words(summary.answers)
    reasons = tuple(
        (
            line.jurisdiction,
            line.what,
            line.deals,
            line.alone,
            line.balance,
            rules.get((line.jurisdiction, line.what), ""),
        )
        for line in summary.reasons
    )
    _, _, *others = summary.tables
    shown = (
        Table("Outcomes", ("jurisdiction", "outcome", "deals", "share", "balance"), outcomes),
        Table(
            "Why not",
            ("jurisdiction", "code", "deals", "no other reason", "balance", "what must hold"),
            reasons,
        ),
        *others,
    )
    title = counted(summary.deals, "deal")
    return display(heading(title, totals), *(table.html() for table in shown if table.rows))


def comparison_repr(comparison: Any) -> str:
    """Return a comparison on one line: how many deals change."""
    return f"<Comparison of {counted(comparison.deals, 'deal')}: {comparison.changes:,} change>"


def comparison_html(comparison: Any) -> str:
    """Return a comparison as HTML: the outcomes that change, and why, with the rules in words."""
    rules = rules_in_words(answer for pair in comparison.answers for answer in pair)
    transitions, reasons = comparison.tables
    rows = tuple((*row, rules.get((row[0], row[1]), "")) for row in reasons.rows)
    why = Table(reasons.title, (*reasons.heads, "what must hold"), rows)
    changes = f"{_share(comparison.changes, comparison.deals)} of all deals"
    parts = [table.html() for table in (transitions, why) if table.rows]
    title = f"{comparison.changes:,} of {counted(comparison.deals, 'deal')} change"
    return display(heading(title, (changes,) if comparison.deals else ()), *parts)


def rules_in_words(answers: Iterable[Answer] | Mapping[Answer, Any]) -> dict[tuple[str, str], str]:
    """Return what each rule requires, by jurisdiction and code; of several days, the last."""
    rulebooks: dict[int, Rulebook] = {
        id(answer.rulebook): answer.rulebook for answer in answers if answer.rulebook is not None
    }
    words_of_rules = {}
    for rulebook in sorted(rulebooks.values(), key=lambda rulebook: rulebook.on):
        floor = f"The deal must be at least {FLOOR_PERCENT}% paid down."
        words_of_rules[rulebook.code, FLOOR_CODE] = floor
        for rule in rulebook.renewal.rules:
            sentence = requirement(rule, rulebook.renewal).plain()
            words_of_rules[rulebook.code, rule.code] = sentence
    return words_of_rules


def _totals(summary: Any) -> dict[str, int]:
    """Return the deals of each outcome, over all jurisdictions."""
    totals: dict[str, int] = {}
    for answer, deals in summary.answers.items():
        totals[answer.outcome] = totals.get(answer.outcome, 0) + deals.deals
    return dict(sorted(totals.items(), key=lambda line: PLACES[line[0]]))


def _share(deals: int, of: int) -> str:
    return percent(Fraction(deals, of) if of else 0)
