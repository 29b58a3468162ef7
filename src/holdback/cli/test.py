"""
`holdback test`: the examples of jurisdictions, their coverage, and their mutants.

With `--suggest`, the examples that are missing, to paste or to write into the files.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
from attrs import field

from holdback.cli.output import (
    FINDINGS,
    MISUSE,
    SUCCESS,
    error_lines,
    error_to_dict,
    format_option,
    plural,
    print_answer,
    print_errors,
    show_progress,
    write_file,
)
from holdback.cli.sources import Selection, jurisdictions_option, path_argument, select
from holdback.errors import ConfigurationError, ErrorDetail, InvalidDocument, printable
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.folder import load_valid_and_errors, read_folder
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.jurisdictions.reader import FILES, FolderFiles
from holdback.tools.example_run import ExampleRun, run_examples
from holdback.tools.lint.coverage import Coverage, coverage
from holdback.tools.lint.coverage_gaps import coverage_gaps
from holdback.tools.mutants.mutation import (
    EQUIVALENT,
    LISTED,
    NOTICED,
    REFUSED,
    SURVIVED,
    Verdict,
    stale_equivalent_mutants,
    verdicts,
)
from holdback.tools.suggestions.complete import Completion, complete
from holdback.tools.suggestions.insertion import DRAFTED, PLAUSIBLE

# Mutants between two updates of the count on a terminal.
_PROGRESS_STEP = 10


@click.command("test")
@path_argument
@click.option(
    "--mutate", is_flag=True, help="Also change each figure and rule, to see if an example notices."
)
@click.option(
    "--suggest", "suggested", is_flag=True, help="Draft the examples that are missing, as TOML."
)
@click.option("--write", is_flag=True, help="With --suggest: write them into the files.")
@format_option("text", "json")
@jurisdictions_option
def test_command(  # noqa: PLR0913  # one parameter for each option
    path: Path | None,
    *,
    mutate: bool,
    suggested: bool,
    write: bool,
    form: str,
    folder: Path | None,
) -> None:
    """
    Run the examples of the jurisdictions in PATH.

    A failure shows what was expected, what came out, the rule that decided and the facts. A table
    counts how often each rule was true, false and unknown. With --mutate, every threshold is moved
    by one unit, every comparison is changed and every rule is left out, to see whether an example
    notices.

    With --suggest, it drafts what is missing: typical facts, an example on both sides of each
    threshold, one for each fact that can be unknown, and one for each change that no example
    notices. With --write they go to the end of the examples of their files, for a person to read.
    """
    selection = select(path, folder)
    if write and not suggested:
        raise click.UsageError("--write belongs to --suggest")
    if suggested and mutate:
        raise click.UsageError("--suggest looks for survivors anyway: leave --mutate out")
    if write and path is None and folder is None:
        raise click.UsageError("--write needs the PATH of the files to write")
    if suggested:
        suggest(selection, write=write, form=form)
    valid, errors = load_valid_and_errors(selection.root, selection.name)
    errors_here = [error for error in errors if selection.concerns(error)]
    print_errors(errors_here)
    results = [
        _TestResult.of(jurisdiction, valid, mutate=mutate)
        for jurisdiction in valid
        if selection.includes(jurisdiction)
    ]
    blocks = ("\n".join(result.lines()) for result in results)
    print_answer(form, [result.to_dict() for result in results], ("\n\n".join(blocks),))
    if errors_here or not results:
        sys.exit(MISUSE)
    sys.exit(SUCCESS if all(result.passed for result in results) else FINDINGS)


@frozen
class _TestResult:
    """The result of testing one jurisdiction."""

    code: str
    examples: list[ExampleRun]
    coverage: list[Coverage]
    gaps: list[ErrorDetail]
    mutants: list[Verdict] | None
    # Equivalent mutants that a file lists and that do not exist.
    stale: list[ErrorDetail] = field(factory=list)
    mutants_skipped: bool = False
    error: InvalidDocument | ConfigurationError | None = None

    @classmethod
    def of(cls, jurisdiction: Jurisdiction, valid: Jurisdictions, *, mutate: bool) -> _TestResult:
        try:
            examples = list(run_examples(jurisdiction))
        except (InvalidDocument, ConfigurationError) as error:
            # a calculator of a host, which the command does not have
            return cls(jurisdiction.code, [], [], [], None, error=error)
        covered = coverage(jurisdiction, examples)
        gaps = [*coverage_gaps(jurisdiction, valid, examples)]
        passed = all(example.passed for example in examples)
        if not mutate or not passed:
            return cls(jurisdiction.code, examples, covered, gaps, None, mutants_skipped=mutate)
        mutants = list(_with_progress(jurisdiction, valid))
        stale = [*stale_equivalent_mutants(jurisdiction, mutants)]
        return cls(jurisdiction.code, examples, covered, gaps, mutants, stale)

    @property
    def passed(self) -> bool:
        """Whether all examples pass and leave no gap, and every mutant was noticed or is listed."""
        survived = any(mutant.state == SURVIVED for mutant in self.mutants or ())
        return (
            self.error is None
            and all(example.passed for example in self.examples)
            and not self.gaps
            and not survived
            and not self.stale
        )

    def to_dict(self) -> dict[str, Json]:
        """The result as `--format json` prints it."""
        result: dict[str, Json] = {
            "jurisdiction": self.code,
            "passed": self.passed,
            "examples": len(self.examples),
            "failures": [example.plain() for example in self.examples if not example.passed],
            "coverage": [rule.plain() for rule in self.coverage],
        }
        if self.gaps:
            result["gaps"] = [error_to_dict(gap) for gap in self.gaps]
        if self.error is not None:
            result["faults"] = [error_to_dict(error) for error in self.error.errors]
        if self.mutants is not None:
            result["mutants"] = dict(Counter(mutant.state for mutant in self.mutants))
            result["survivors"] = [
                {
                    "mutant": verdict.mutant.name,
                    "file": verdict.mutant.file,
                    "line": verdict.mutant.line,
                    "state": verdict.state,
                    "reason": verdict.reason,
                }
                for verdict in self.mutants
                if verdict.state not in (NOTICED, REFUSED)
            ]
            result["stale"] = [error_to_dict(error) for error in self.stale]
        return result

    def lines(self) -> Iterator[str]:
        """The result for people."""
        for error in () if self.error is None else self.error.errors:
            yield from error_lines(error)
        failures = [example for example in self.examples if not example.passed]
        for example in failures:
            yield from _failure_lines(example)
        passed = f"{len(self.examples) - len(failures)} of {len(self.examples)} examples pass"
        colour = "red" if failures or self.error else "green"
        yield f"{click.style(self.code, bold=True)}  {click.style(passed, fg=colour)}"
        yield from self._coverage_lines()
        for gap in self.gaps:
            yield from error_lines(gap)
        if self.mutants is not None:
            yield from self._mutant_lines(self.mutants)
        elif self.mutants_skipped:
            yield "  no mutants are tried until every example passes"

    def _coverage_lines(self) -> Iterator[str]:
        """How often the examples made each rule true, false and unknown."""
        if not self.coverage:
            return
        code_width = max(len(rule.code) for rule in self.coverage)
        rule_width = max(len(rule.rule) for rule in self.coverage)
        yield f"  {'rule':<{code_width + rule_width + 2}}    true  false  unknown"
        for rule in self.coverage:
            true, false, unknown = (rule.seen[answer] for answer in (True, False, None))
            counts = f"{true:>6} {false:>6} {unknown:>8}"
            gap = f"  never {', '.join(rule.missing)}" if rule.missing else ""
            name = f"{rule.code:<{code_width}}  {rule.rule:<{rule_width}}"
            yield f"  {name}  {counts}{click.style(gap, fg='red')}"

    def _mutant_lines(self, mutants: list[Verdict]) -> Iterator[str]:
        """How many mutants there were of each state, and those that no example noticed."""
        counts = Counter(verdict.state for verdict in mutants)
        by_state = {
            "noticed": counts[NOTICED],
            "listed as equivalent": counts[LISTED],
            "proved equivalent": counts[EQUIVALENT],
            "refused by the reader": counts[REFUSED],
            "survived": counts[SURVIVED],
        }
        summary = ", ".join(f"{count} {state}" for state, count in by_state.items())
        yield f"  {len(mutants)} mutants: {summary}"
        for error in self.stale:
            yield from error_lines(error)
        for verdict in mutants:
            if verdict.state == SURVIVED:
                place = f"{verdict.mutant.file}:{verdict.mutant.line}"
                name = printable(verdict.mutant.name)
                yield click.style(f"  survived  {place}  {name}", fg="red")
        for verdict in mutants:
            if verdict.state in (LISTED, EQUIVALENT):
                state = "listed" if verdict.state == LISTED else "proved"
                yield f"  {state:<8}  {printable(verdict.mutant.name)}: {printable(verdict.reason)}"


def _failure_lines(example: ExampleRun) -> Iterator[str]:
    """An example that failed: what it expects, what came out, the rule that decided, the facts."""
    title, *lines = example.lines()
    yield click.style(printable(title), fg="red", bold=True)
    yield from (printable(line) for line in lines)
    yield ""


def _with_progress(jurisdiction: Jurisdiction, valid: Jurisdictions) -> Iterator[Verdict]:
    """The verdict on each mutant; they take minutes, so a terminal shows how many are done."""
    for number, verdict in enumerate(verdicts(jurisdiction, valid), start=1):
        if number % _PROGRESS_STEP == 0:
            show_progress(f"{jurisdiction.code}: {number} mutants")
        yield verdict
    show_progress()


def suggest(selection: Selection, *, write: bool, form: str) -> None:
    """Print what the selected jurisdictions lack, or *write* it into their files; then exit."""
    valid, errors = load_valid_and_errors(selection.root, selection.name)
    errors_here = [error for error in errors if selection.concerns(error)]
    print_errors(errors_here)
    jurisdictions = {jurisdiction.code: jurisdiction for jurisdiction in valid}
    results: list[Completion] = []
    # Parents first: a child may rest on what its parent's files get.
    for code in sorted(jurisdictions, key=lambda code: len(jurisdictions[code].policy.layers)):
        if selection.includes(jurisdictions[code]):
            try:
                result = _completed(selection, jurisdictions, code)
                if write and not result.failing:
                    _write(selection, result)
            except (InvalidDocument, ConfigurationError) as error:
                errors_here += error.errors
                print_errors(error.errors)
                continue
            jurisdictions[code] = result.jurisdiction
            results.append(result)
    blocks = ("\n".join(_lines(result, selection, write=write)) for result in results)
    print_answer(form, [result.plain() for result in results], blocks)
    if errors_here or not results:
        sys.exit(MISUSE)
    unfinished = any(
        result.failing or result.left or (result.files and not write) for result in results
    )
    sys.exit(FINDINGS if unfinished else SUCCESS)


def _completed(
    selection: Selection, jurisdictions: dict[str, Jurisdiction], code: str
) -> Completion:
    """Return the jurisdiction *code* with what it lacks."""
    parents = {name: held for name, held in jurisdictions.items() if name != code}
    try:
        return complete(
            _files(selection, code), parents, lambda what: show_progress(f"{code}: {what}")
        )
    finally:
        show_progress()


def _files(selection: Selection, code: str) -> FolderFiles:
    return read_folder(selection.root / code, f"{selection.name}/{code}/")[0]


def _write(selection: Selection, result: Completion) -> None:
    """
    Write the files of *result*, each as a whole.

    Raises:
        InvalidDocument: somebody has written a file since it was read.
    """
    code = result.jurisdiction.code
    now = _files(selection, code)
    for name in result.files:
        if now.files.get(name) != result.before.get(name):
            file = f"{now.prefix}{name}"
            message, hint = "the file was changed in the meantime", "nothing was written: try again"
            raise InvalidDocument(
                [ErrorDetail(code="contradiction", message=message, file=file, hint=hint)]
            )
    for name, body in result.files.items():
        write_file(Path(str(selection.root)) / code / name, body)


def _lines(result: Completion, selection: Selection, *, write: bool) -> Iterator[str]:
    """What a jurisdiction lacks, for people: TOML to paste, or what was written."""
    code = result.jurisdiction.code
    for run in result.failing:
        yield from map(printable, run.lines())
        yield ""
    if result.failing:
        count = plural(len(result.failing), "example")
        yield f"{code}: {count} failed; no example is drafted until they pass"
        return
    if not result.files:
        yield f"{code}: no example is missing"
    for name in FILES:
        typical, examples = result.typical.get(name, ()), result.examples.get(name, ())
        if not typical and not examples:
            continue
        path = f"{selection.name}/{code}/{name}"
        added = [
            plural(len(lines), what)
            for lines, what in ((typical, "typical fact"), (examples, "example"))
            if lines
        ]
        if write:
            yield f"{path}: {' and '.join(added)} drafted; read what each expects"
        else:
            yield click.style(f"# {path}: {' and '.join(added)}", bold=True)
            yield ""
            if typical:
                # A file has one table of typical facts.
                table = "# In [typical]:" if result.has_typical(name) else "[typical]"
                yield "\n".join([table, PLAUSIBLE, *typical, ""])
            if examples:
                yield "\n".join([DRAFTED, "", *examples])
    for verdict in result.left:
        place = f"{verdict.mutant.file}:{verdict.mutant.line}"
        yield click.style(f"survived  {place}  {printable(verdict.mutant.name)}", fg="red")
    if result.left:
        yield "no deal was found that notices these: list each in [[survivors]] with the reason"
