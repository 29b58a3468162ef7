"""Values that change by a factor of ten or more: 8% for 80%."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.timeline import Timeline, TimelineEntry
from holdback.rules import Kind, Type
from holdback.tools.proofs.finding import Finding
from holdback.tools.sanity.headline import Headline, Line

JUMP: Final = "jump"
FACTOR: Final = 10
# What has no size: a factor between two dates or flags means nothing.
_WITHOUT_SIZE: Final = (Kind.DATE, Kind.FLAG)


def jumps(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield the values of its own parameters and settings that are ten times the one before."""
    for name, parameter in jurisdiction.policy.own_parameters.items():
        if parameter.type.kind not in _WITHOUT_SIZE:
            yield from _in_timeline(jurisdiction, name, parameter.timeline, parameter.type)
    folder = jurisdiction.details.node.document.file
    for name, (node, timeline) in jurisdiction.details.timelines.items():
        if node.document.file == folder:
            yield from _in_timeline(jurisdiction, name, timeline, Type(Kind.COUNT))
    for name, check in jurisdiction.details.checks.items():
        if check.max_age is not None and check.node.document.file == folder:
            where = f"checks.{name}.max_age_days"
            yield from _in_timeline(jurisdiction, where, check.max_age, Type(Kind.COUNT))


def _in_timeline(
    jurisdiction: Jurisdiction, name: str, timeline: Timeline[int], type_: Type
) -> Iterator[Finding]:
    """Yield the jumps in *timeline*; the value after a wrong one is compared with none."""
    reported = False
    for before, after in pairwise(timeline.entries):
        reported = not reported and _is_jump(before.value, after.value)
        if reported:
            headline = Headline(
                claim=JUMP,
                code="out_of_range",
                message=f"`{name}` changes from {type_.show(before.value)} to "
                f"{type_.show(after.value)} on {after.period.start}, by a factor of {FACTOR} or "
                "more",
                hint="look for a digit that is missing, or for one too many",
            )
            lines = [_line(after, type_), _line(before, type_)]
            yield headline.finding(jurisdiction, lines, days=after.period)


def _is_jump(before: int, after: int) -> bool:
    """Return whether one of two values is at least ten times the other, and neither is none."""
    low, high = sorted((abs(before), abs(after)))
    return low > 0 and high >= FACTOR * low


def _line(entry: TimelineEntry[int], type_: Type) -> Line:
    assert entry.node is not None, "it was read from a file"
    return Line(entry.node.entries()["value"].position(), type_.show(entry.value))
