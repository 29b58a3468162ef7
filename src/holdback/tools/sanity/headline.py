"""One headline for what is wrong without asking a solver, with all lines that it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, TypeAlias

from holdback.errors import ErrorDetail
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.timeline import Period
from holdback.rulebooks.rulebook import Rulebook
from holdback.tools.proofs.finding import WARNING, Finding, Place, Severity

# Where something is, as `Node.position` returns it.
Position: TypeAlias = Mapping[str, Any]


@frozen
class Line:
    """A line that a finding comes from: where it is, and what is there."""

    position: Position
    text: str

    @property
    def place(self) -> Place:
        """The line, as a finding has it."""
        return Place(
            file=self.position.get("file") or "",
            line=self.position.get("line"),
            text=self.text,
        )


@frozen(kw_only=True)
class Headline:
    """
    What is wrong and what to do: the `claim` that does not hold, how serious that is, and in words.

    `code` is that of the `ErrorDetail`.
    """

    claim: str
    severity: Severity = WARNING
    code: str
    message: str
    hint: str

    def finding(
        self,
        jurisdiction: Jurisdiction,
        lines: Sequence[Line],
        *,
        days: Period | None = None,
        product: str | None = None,
    ) -> Finding:
        """Return the finding of the *days*, which points at the first of *lines*."""
        return Finding(
            claim=self.claim,
            severity=self.severity,
            jurisdiction=jurisdiction.code,
            product=product or None,
            since=None if days is None else days.start,
            until=None if days is None else days.end,
            detail=ErrorDetail(
                code=self.code, message=self.message, hint=self.hint, **lines[0].position
            ),
            places=tuple(dict.fromkeys(line.place for line in lines)),
        )


def slices(jurisdiction: Jurisdiction) -> Iterator[tuple[Rulebook, Period]]:
    """Yield the rulebooks of *jurisdiction*, each with the days on which it holds."""
    for rulebook, following in pairwise((*jurisdiction.slices, None)):
        assert rulebook is not None, "only the last is followed by none"
        yield rulebook, Period(rulebook.since, None if following is None else following.since)


def joined(periods: Iterable[Period]) -> Period:
    """Return the days from the first to the last of *periods*, which are in order."""
    first, *others = periods
    return Period(first.start, others[-1].end if others else first.end)


def days_text(first: date, end: date) -> str:
    """
    Return the days from *first* to the day before *end*, in words.

    >>> days_text(date(2026, 7, 1), date(2026, 7, 2)), days_text(date(2026, 7, 1), date(2026, 8, 1))
    ('on 2026-07-01', 'from 2026-07-01 to 2026-07-31')
    """
    last = end - timedelta(days=1)
    return f"on {first}" if first == last else f"from {first} to {last}"
