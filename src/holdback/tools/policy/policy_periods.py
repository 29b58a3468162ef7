"""What holds when in a policy: the versions of everything that changes, by period."""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.keys import DATED
from holdback.rulebooks.rulebook import FUNDING, Rulebook
from holdback.rules.types import draft_label
from holdback.rules.values import days_text
from holdback.tools.displays.versions import Cell, versions
from holdback.tools.policy.policy_document import rule_texts, used_figures
from holdback.tools.policy.policy_sentences import setting_sentences

IN_FORCE: Final = "in force"
OFFERED: Final = "offered"
# More periods than this do not fit next to each other on paper: the oldest are left out.
MOST_PERIODS: Final = 9


def versions_by_period(
    jurisdiction: Jurisdiction, on: date
) -> tuple[Sequence[date], Mapping[str, Mapping[str, Sequence[tuple[range, str]]]]]:
    """
    Return periods of *jurisdiction*, by their first days, and what changes between them.

    By group and name, each version has the numbers of the periods in which it holds, and its value.
    What is the same in every period is left out. The period of the day *on* is one of them.
    """
    slices = jurisdiction.slices
    records = [*versions(slices, [dict(_cells(jurisdiction, rulebook)) for rulebook in slices])]
    days = {slices[0].since, *(day for r in records for day in (r["since"], r["until"]) if day)}
    starts = sorted(days)
    # The newest ones, but always the one of the day.
    first = min(max(0, bisect(starts, on) - 1), max(0, len(starts) - MOST_PERIODS))
    starts = starts[first : first + MOST_PERIODS]
    by_group: dict[str, dict[str, list[tuple[range, str]]]] = {r["group"]: {} for r in records}
    for record in records:
        until = record["until"]
        end = len(starts) if until is None else bisect_left(starts, until)
        periods = range(bisect_left(starts, record["since"]), end)
        if 0 < len(periods) < len(starts):
            names = by_group[record["group"]]
            names.setdefault(record["name"], []).append((periods, record["value"]))
    return starts, {group: names for group, names in by_group.items() if names}


def _cells(jurisdiction: Jurisdiction, rulebook: Rulebook) -> Iterator[Cell]:
    """Yield everything in force: group and name, and then its version and what to write for it."""
    for rule in rule_texts(jurisdiction, rulebook):
        yield ("Rules for renewals", f"{rule.code}  {rule.title}"), (rule.since, IN_FORCE)
    for terms in rulebook.products:
        yield ("Products", terms.name), (terms.origin.period.start, OFFERED)
        for rule in rule_texts(jurisdiction, rulebook, terms.key):
            yield (f"Rules for {terms.name}", f"{rule.code}  {rule.title}"), (None, IN_FORCE)
    for rule in rule_texts(jurisdiction, rulebook, FUNDING):
        yield ("Rules for payouts", f"{rule.code}  {rule.title}"), (rule.since, IN_FORCE)
    for name in used_figures(rulebook):
        parameter = rulebook.parameters[name]
        value = rulebook.renewal.show(parameter.type, parameter.number)
        yield ("Figures", rulebook.catalogue.label(name)), (value, value)
    dated = [name for name, _ in setting_sentences(rulebook) if name in DATED]
    for name in sorted(dated, key=_in_hours):
        number = getattr(rulebook, name)
        value = f"{number} hours" if _in_hours(name) else days_text(number) if number else "none"
        yield ("Service terms", DATED[name].title or name), (value, value)
    for name, check in rulebook.checks.items():
        if check.max_age_days is not None:
            value = days_text(check.max_age_days)
            yield (
                ("Service terms", f"Greatest age of the {draft_label(name)} check"),
                (value, value),
            )


def _in_hours(setting: str) -> bool:
    return setting.endswith("_hours")
