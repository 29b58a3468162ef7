"""Dates more than thirty years away from the review: 2206 for 2026."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from functools import partial
from typing import Final

from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.timeline import Timeline
from holdback.jurisdictions.toml import Node
from holdback.rules import Kind, Tree
from holdback.rules.tree import Expression, Literal, Syntax
from holdback.tools.proofs.finding import Finding
from holdback.tools.sanity.headline import Headline, Line, Position

FAR_DATE: Final = "far-date"
# Thirty years, whichever of them are leap years. The review says around when the files were
# written: nothing here reads a clock.
FAR: Final = timedelta(days=30 * 366)


@frozen
class _Dated:
    """A date that a file writes: the day, where it is, and what it is the date of."""

    day: date
    position: Callable[[], Position]
    text: str


def far_dates(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield the dates of its own folder that are far from its review: one headline for each."""
    details = jurisdiction.details
    dates = list(_dates(jurisdiction))
    far: dict[date, list[Line]] = {}
    for dated in dates:
        if is_far(jurisdiction, dated.day):
            far.setdefault(dated.day, []).append(Line(dated.position(), dated.text))
    lines = [line for same in far.values() for line in same]
    hint = "correct the year"
    # Where most dates are far from the review, the review is far from them.
    if 2 * len(lines) > len(dates):
        headline = Headline(
            claim=FAR_DATE,
            code="out_of_range",
            message=f"`review_by` is {details.review_by}, more than thirty years away from "
            f"{len(lines)} of the {len(dates)} dates of these files",
            hint=hint,
        )
        review = Line(details.node.entries()["review_by"].position(), "review_by")
        yield headline.finding(jurisdiction, [review, *lines])
        return
    for day, same in far.items():
        headline = Headline(
            claim=FAR_DATE,
            code="out_of_range",
            message=f"{day} is more than thirty years away from the review, "
            f"{details.review_by}: {same[0].text}",
            hint=hint,
        )
        yield headline.finding(jurisdiction, same)


def is_far(jurisdiction: Jurisdiction, day: date) -> bool:
    """Return whether *day* is more than thirty years away from the review of *jurisdiction*."""
    return abs(day - jurisdiction.details.review_by) > FAR


def _dates(jurisdiction: Jurisdiction) -> Iterator[_Dated]:
    """Yield every date of its own folder but those of examples."""
    own, details = jurisdiction.policy.own, jurisdiction.details
    for rule in own.all_rules:
        yield from _ends(rule.table.node, f"the rule `{rule.id}`")
        for key, tree in rule.expressions:
            yield from _in_expression(rule.table[key], tree, f"`{key}` of `{rule.id}`")
    for product in own.products:
        yield from _ends(product.table.node, f"the product `{product.key}`")
    for switch_off in own.switched_off:
        yield from _ends(switch_off.node, f"the switch-off of `{switch_off.name}`")
    for claim in own.claims:
        yield from _ends(claim.table.node, f"the claim `{claim.name}`")
        if claim.tree is not None:
            what = f"the claim `{claim.name}`"
            yield from _in_expression(claim.table[claim.kind], claim.tree, what)
    timelines: dict[str, Timeline[int]] = {
        name: parameter.timeline for name, parameter in jurisdiction.policy.own_parameters.items()
    }
    timelines |= {name: timeline for name, (_, timeline) in details.timelines.items()}
    timelines |= {
        f"checks.{name}": check.max_age
        for name, check in details.checks.items()
        if check.max_age is not None
    }
    yield from _in_timelines(jurisdiction, timelines)


def _ends(node: Node, what: str) -> Iterator[_Dated]:
    """Yield the dates `from` and `until` of the table *node*."""
    for key, entry in node.entries().items():
        day = entry.day() if key in ("from", "until") else None
        if day is not None:
            yield _Dated(day, entry.position, f"`{key}` of {what}")


def _in_timelines(
    jurisdiction: Jurisdiction, timelines: Mapping[str, Timeline[int]]
) -> Iterator[_Dated]:
    """Yield the dates of the *timelines* that stand in its own files, and values that are dates."""
    folder = jurisdiction.details.node.document.file.rpartition("/")[0]
    for name, timeline in timelines.items():
        parameter = jurisdiction.policy.parameters.get(name)
        for entry in timeline.entries:
            if entry.node is None or entry.node.document.file.rpartition("/")[0] != folder:
                continue  # a child has its parent's
            yield from _ends(entry.node, f"a value of `{name}`")
            if parameter is not None and parameter.type.kind is Kind.DATE:
                value = entry.node.entries()["value"].position
                yield _Dated(date.fromordinal(entry.value), value, f"a value of `{name}`")


def _in_expression(node: Node, tree: Tree, what: str) -> Iterator[_Dated]:
    """Yield the dates that the expression in *node* writes."""
    for literal in _date_literals(tree.root):
        place = partial(node.position_of_part, (literal.start, literal.end))
        yield _Dated(date.fromisoformat(literal.value), place, what)


def _date_literals(syntax: Syntax) -> Iterator[Literal]:
    """Yield the dates in *syntax*, from left to right."""
    if isinstance(syntax, Expression):
        for operand in syntax.operands:
            yield from _date_literals(operand)
    elif isinstance(syntax, Literal) and syntax.kind is Kind.DATE:
        yield syntax
