"""Findings in the examples of a jurisdiction: failing, contradictory, or with future evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from holdback.errors import ConfigurationError, ErrorDetail, InvalidDocument
from holdback.jurisdictions.jurisdiction import Example, Jurisdiction
from holdback.tools.example_run import Answer, ExampleRun, run_example

_CHECKED: Final = "credit_checked_on"


def failing_examples(runs: Iterable[ExampleRun | ErrorDetail]) -> Iterator[ErrorDetail]:
    """Yield examples that cannot run, fail, contradict another one, or share a name."""
    first_runs: dict[object, ExampleRun] = {}
    lines: dict[tuple[str, str], int | None] = {}
    for run in runs:
        if isinstance(run, ErrorDetail):
            yield run
            continue
        example = run.example
        place: dict[str, Any] = {"file": example.file, "line": example.line}
        first = lines.setdefault((example.file, example.name), example.line)
        # One example with `from` runs on several days: same name and same line.
        if first != example.line:
            yield ErrorDetail(
                code="duplicate",
                message=f"there is an example `{example.name}` already, on line {first}",
                hint="rename one of them",
                **place,
            )
        before = first_runs.setdefault(_question(example), run)
        if before is not run and _contradict(before, run):
            yield ErrorDetail(
                code="contradiction",
                message=f"it contradicts the example `{before.example.name}` on line "
                f"{before.example.line}: the same facts, and another answer",
                hint="one of the two is wrong",
                **place,
            )
        elif not run.passed:
            difference = f": {run.difference}" if run.difference else ""
            yield ErrorDetail(
                code="failed_example",
                message=f"the example `{example.name}` expects `{run.expected.outcome}`"
                f"{_because(run.expected)}, and on {example.on} the rules give "
                f"`{run.got.outcome}`{_because(run.got)}{_other_terms(run)}{difference}",
                hint="`holdback test` shows the facts and every rule's answer",
                **place,
            )


def evidence_from_the_future(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """Yield the examples whose credit check is dated later than their own day."""
    fact = jurisdiction.policy.catalogue.fact(_CHECKED)
    assert fact is not None, "it is built in"
    for example in jurisdiction.examples:
        number = fact.read(example.given.get(_CHECKED))
        if number is not None and number > example.on.toordinal():
            yield ErrorDetail(
                code="future_day",
                message=f"the credit check of `{example.name}` is dated after the example's day, "
                f"{example.on}",
                hint="a service refuses evidence from the future: give an earlier day",
                file=example.file,
                line=example.line,
            )


def run_or_error(jurisdiction: Jurisdiction, example: Example) -> ExampleRun | ErrorDetail:
    """Return the run of *example*, or the finding that it cannot run."""
    try:
        return run_example(example, jurisdiction.rulebook(example.on))
    except (InvalidDocument, ConfigurationError, ValueError) as error:
        return ErrorDetail(
            code="failed_example",
            message=f"the example `{example.name}` cannot be run: {error}",
            file=example.file,
            line=example.line,
        )


def _question(example: Example) -> object:
    """Return what *example* asks: two examples with the same question must expect the same."""
    given = tuple(sorted((name, str(value)) for name, value in example.given.items()))
    about = tuple(sorted(example.expect)) if example.of_settings else example.product
    settlement = sorted((example.settlement or {}).items())
    return about, example.on, example.settles, str(settlement), given


def _contradict(first_run: ExampleRun, second_run: ExampleRun) -> bool:
    first, second = first_run.expected, second_run.expected
    both = first.offers is not None and second.offers is not None
    return (first.outcome, first.codes, first.needs) != (
        second.outcome,
        second.codes,
        second.needs,
    ) or (both and first.offers != second.offers)


def _because(answer: Answer) -> str:
    why = [*answer.codes, *(f"needs {name}" for name in answer.needs)]
    return f" ({', '.join(why)})" if why else ""


def _other_terms(run: ExampleRun) -> str:
    """Return the words for a difference in offers or limits when the decision is as expected."""
    expected, got = run.expected, run.got
    if (expected.outcome, expected.codes, expected.needs) != (got.outcome, got.codes, got.needs):
        return ""
    return " with other offers or limits"
