"""
What is found in the columns of the deals of a file, batch by batch.

A column that was probably misread stops the command before it prints or writes anything; a mapping
says what the column holds. Single values that cannot be read are counted and shown with the answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final

import polars as pl
from attrs import evolve

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.portfolio.reading.column_findings import (
    UNREAD,
    ColumnFinding,
    Findings,
    label_column,
)
from holdback.portfolio.reading.repeated_deals import REPEATED
from holdback.rules.types import Kind

# What a column looks like: fractions or minor units; percentages that were read as fractions.
_SUSPECTED: Final = ("misleading", "out_of_range")
_UNDECLARED: Final = "unknown_name"
# Wrong in any number of rows: a currency, a jurisdiction that the rules are not of, fractions among
# percentages, a total, a deal that is there again.
_OF_ALL_ROWS: Final = ("wrong_currency", "contradiction", "not_allowed", REPEATED)
_ROW: Final = "id"
_SLASHES: Final = re.compile("[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}")
_WRITTEN: Final = "say in a mapping how the column is written; --suggest proposes one"
HOW_TO_ACCEPT: Final = f"add `--accept {REPEATED}` if they are right"
# What a mapping says of columns that are suspected.
_LINES: Final[Mapping[tuple[str, Kind], str]] = {
    ("misleading", Kind.PERCENT): "write `[forms.{}]` and `percentages = "
    '"fractions"` into a mapping, or `percentages = "percent"` if they are percentages',
    ("misleading", Kind.MONEY): "write `[forms.{}]` and `money = "
    '"minor units"` into a mapping, or `money = "major units"` if they are whole amounts',
    ("out_of_range", Kind.PERCENT): "write `[forms.{}]` and `percentages = "
    '"percent"` into a mapping: they are not fractions',
}


class ProbablyMisread(InvalidDocument):
    """Columns are probably not what they seem to be: nothing was assessed."""


@frozen
class ReportedFindings:
    """The findings of the batches so far, the first of each kind with its count of rows."""

    findings: tuple[ColumnFinding, ...] = ()

    def __add__(self, column_findings: Iterable[ColumnFinding]) -> ReportedFindings:
        kinds = {_kind(finding): finding for finding in self.findings}
        for finding in column_findings:
            earlier = kinds.get(_kind(finding))
            count = finding.count + (earlier.count if earlier else 0)
            kinds[_kind(finding)] = evolve(earlier or finding, count=count)
        return ReportedFindings(tuple(kinds.values()))

    def plain(self) -> list[Json]:
        """The findings for JSON."""
        return [
            {
                "column": finding.column,
                "rows": finding.count,
                "first": finding.row,
                "value": finding.value,
                "expected": finding.expected,
                "hint": finding.cure,
            }
            for finding in self.findings
        ]

    def __str__(self) -> str:
        return "\n".join(["Look at these", *(_lines(finding) for finding in self.findings)])


def _kind(finding: ColumnFinding) -> tuple[str, ...]:
    """What findings of several batches have in common that are one."""
    value = finding.value or "" if finding.code == _UNDECLARED else ""
    return finding.code, finding.column, finding.expected, value


def _lines(finding: ColumnFinding) -> str:
    hint = f"\n      {finding.cure}" if finding.cure else ""
    if finding.code in _SUSPECTED:
        return f"  {finding.column}: {finding.message}; {finding.expected}{hint}"
    if not finding.expected:
        return f"  {finding.column}: {finding.message}{hint}"
    rows = "1 deal" if finding.count == 1 else f"{finding.count:,} deals"
    is_unknown = finding.code == _UNDECLARED
    what = "not declared, so unknown" if is_unknown else "cannot be read"
    first = f", the first in {finding.row}" if finding.row else ""
    shown = f": {finding.value}{first}" if finding.value else ""
    return f"  {finding.column}: {rows} {what}{shown}; {finding.expected}{hint}"


def with_row_labels(frame: pl.DataFrame, before: int) -> pl.DataFrame:
    """Return *frame* with the numbers of its rows, after *before* others, unless it has labels."""
    if label_column(frame.columns) is not None:
        return frame
    numbers = pl.int_range(before + 1, before + 1 + frame.height)
    return frame.with_columns(pl.format("row {}", numbers).alias(_ROW))


def check_findings(
    column_findings: Findings,
    frame: pl.DataFrame,
    kinds: Mapping[str, Kind],
    *,
    stop_at_suspects: bool = True,
    accepted: Collection[str] = (),
) -> tuple[ColumnFinding, ...]:
    """
    Return those of the findings *column_findings* in *frame* that do not stop the command.

    Raises:
        ProbablyMisread: with the others: columns that look like fractions or minor units, that have
            another currency, of which more than half cannot be read, or whose texts are probably
            declared ones in other letters; and deals that occur more than once. *kinds* are those
            of the facts. What columns look like is among the others unless *stop_at_suspects*, and
            a finding whose code is *accepted* is not.
    """
    counted = [finding for finding in column_findings if finding.count]
    unread: Counter[str] = Counter()  # in all jurisdictions, each of which has a finding
    for finding in counted:
        unread[finding.column] += finding.count
    stops = [
        finding
        for finding in counted
        if _is_of_column(finding, frame, unread[finding.column])
        and (stop_at_suspects or finding.code not in _SUSPECTED)
        and finding.code not in accepted
    ]
    if stops:
        raise ProbablyMisread([_detail(finding, kinds) for finding in stops])
    return tuple(
        evolve(finding, cure=_cure(finding, kinds.get(finding.column))) for finding in counted
    )


def _is_of_column(finding: ColumnFinding, frame: pl.DataFrame, unread: int) -> bool:
    """Whether *finding* is about its column, in which *unread* values have one, not about some."""
    if finding.code == _UNDECLARED:
        return finding.cure is not None
    if finding.code in (*_SUSPECTED, *_OF_ALL_ROWS):
        return True
    column = frame[finding.column]
    if column.dtype == pl.String:  # also values that no rule of their own jurisdiction reads
        unread = max(unread, int(column.str.starts_with(UNREAD).sum()))
    return 2 * unread > frame.height - column.null_count()


def _detail(finding: ColumnFinding, kinds: Mapping[str, Kind]) -> ErrorDetail:
    """The error of *finding*, with the line that a mapping needs where that is known."""
    row = f", the first in {finding.row}" if finding.row else ""
    message, hint = finding.message, _cure(finding, kinds.get(finding.column))
    if finding.code in _SUSPECTED:
        message += f"{row}: {finding.value}"
    elif finding.code == _UNDECLARED:
        message += row
    expected = f"; {finding.expected}" if finding.expected else ""
    return evolve(finding.detail, message=f"{message}{expected}", hint=hint)


def _cure(finding: ColumnFinding, kind: Kind | None) -> str | None:
    """What to do about *finding* in a file."""
    if finding.code in _SUSPECTED:
        line = _LINES.get((finding.code, kind)) if kind else None
        return line.format(finding.column) if line else finding.cure
    if finding.code == REPEATED:
        return f"{finding.cure}, or {HOW_TO_ACCEPT}"
    if kind is Kind.DATE and _SLASHES.search(finding.value or ""):
        return 'write `dates = "DD/MM/YYYY"` into a mapping, or `dates = "MM/DD/YYYY"`'
    if kind is Kind.DATE:
        return 'write into a mapping how days are written, such as `dates = "DD.MM.YYYY"`'
    if finding.cure and "portfolio.suggest" in finding.cure:
        return _WRITTEN
    return finding.cure
