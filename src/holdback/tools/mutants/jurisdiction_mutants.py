"""Mutants of `jurisdiction.toml`: each value that changes by date, moved by one, up and down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from attrs import evolve

from holdback.errors import InvalidDocument
from holdback.jurisdictions.checks import MAX_AGE_DAYS
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.jurisdiction_file import TIMELINES
from holdback.jurisdictions.timeline import Period, Timeline
from holdback.jurisdictions.toml import Node
from holdback.rulebooks.rulebook import Rulebook
from holdback.tools.mutants.mutant import Mutant, within


def jurisdiction_mutants(jurisdiction: Jurisdiction) -> Iterator[Mutant]:
    """Yield every value of every own setting and check that changes by date, moved by one."""
    details = jurisdiction.details

    # No deal of an example can tell 90 days from 91, so examples state the settings day by day.
    for name, (_, timeline) in details.timelines.items():
        if _is_own(details.setting_nodes[name], jurisdiction):
            yield from _moved(name, timeline, jurisdiction, partial(_with_setting, name=name))
    for name, check in details.checks.items():
        if check.max_age is not None and _is_own(check.node, jurisdiction):
            change = partial(_with_max_age, name=name)
            yield from _moved(f"checks.{name}.max_age_days", check.max_age, jurisdiction, change)


def _is_own(node: Node, jurisdiction: Jurisdiction) -> bool:
    """Return whether *node* is in the file of *jurisdiction* itself, and not in a parent's."""
    return node.document is jurisdiction.details.node.document


def _moved(
    name: str,
    timeline: Timeline[int],
    jurisdiction: Jurisdiction,
    change: Callable[..., Rulebook],
) -> Iterator[Mutant]:
    for entry in timeline.entries:
        for number in (entry.value + 1, entry.value - 1):
            yield Mutant(
                name=f"{name} from {entry.period.start}: {entry.value} to {number}",
                file=jurisdiction.details.node.document.file,
                line=None if entry.node is None else entry.node.line,
                change=partial(change, number=number, period=entry.period),
            )


def _with_setting(rulebook: Rulebook, *, name: str, number: int, period: Period) -> Rulebook:
    """Return *rulebook* with another value of a setting if its slice is in *period*."""
    if not within(rulebook, period):
        return rulebook
    _check_range(number, TIMELINES[name])
    changed: dict[str, Any] = {name: number}
    return rulebook.altered(**changed)


def _with_max_age(rulebook: Rulebook, *, name: str, number: int, period: Period) -> Rulebook:
    """Return *rulebook* with another greatest age of a check if its slice is in *period*."""
    if not within(rulebook, period):
        return rulebook
    _check_range(number, MAX_AGE_DAYS)
    changed = evolve(rulebook.checks[name], max_age_days=number)
    return rulebook.altered(checks={**rulebook.checks, name: changed})


def _check_range(number: int, ends: tuple[int, int]) -> None:
    """Refuse a *number* that the reader would refuse: it cannot be written unnoticed."""
    low, high = ends
    if not low <= number <= high:
        raise InvalidDocument.of("out_of_range", f"expected {low} to {high}")
