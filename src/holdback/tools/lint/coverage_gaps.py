"""Gaps in the coverage by examples, the same in `holdback check` and in `holdback test`."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from holdback.errors import ErrorDetail
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.tools.example_run import ExampleRun
from holdback.tools.lint.coverage import Coverage, coverage
from holdback.tools.lint.switch_off_gaps import switch_off_gaps
from holdback.tools.lint.thresholds import one_sided_thresholds


def coverage_gaps(
    jurisdiction: Jurisdiction, others: Jurisdictions, runs: Collection[ExampleRun]
) -> Iterator[ErrorDetail]:
    """
    Yield what no example shows: answers of rules, either side of a threshold, and switch-offs.

    *others* are the jurisdictions that were read with it, its parent among them.

    A gap of a product would belong here, too: `check` and `test` both report what is yielded.
    """
    yield from (_gap(rule) for rule in coverage(jurisdiction, runs) if rule.missing)
    yield from one_sided_thresholds(jurisdiction)
    yield from switch_off_gaps(jurisdiction, others, runs)


def _gap(rule: Coverage) -> ErrorDetail:
    return ErrorDetail(
        code="not_tested",
        message=f"no example makes the rule `{rule.rule}` {' or '.join(rule.missing)}",
        hint="add an example for each missing answer",
        file=rule.file,
        line=rule.line,
    )
