"""`holdback check`: every finding about the files of jurisdictions."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

import click

from holdback.cli.output import (
    FINDINGS,
    SUCCESS,
    error_lines,
    error_to_dict,
    format_option,
    plural,
    print_answer,
)
from holdback.cli.prove import (
    fails,
    finding_lines,
    locked_through,
    prove_selected,
    require_solver,
    summary,
    to_dict,
)
from holdback.cli.sarif import error_result, finding_result, sarif_log
from holdback.cli.sources import (
    BUNDLED,
    Day,
    Selection,
    jurisdictions_option,
    path_argument,
    read_lock_file,
    select,
)
from holdback.errors import ErrorDetail, printable
from holdback.exact.exact_json import Json, write_json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.folder import load_valid_and_errors
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.jurisdictions.language_folder import language_files
from holdback.rules.render import in_words
from holdback.tools.lint.lint import findings
from holdback.tools.lint.translations import translation_findings
from holdback.tools.policy.approvals import changed_since
from holdback.tools.proofs.finding import (
    ERROR,
    INFORMATION,
    NOT_DECIDED,
    WARNING,
    Finding,
    Severity,
)
from holdback.tools.proofs.question import LIMIT
from holdback.tools.sanity.sanity import sanity
from holdback.tools.workbench.lock import Lock, lock_errors
from holdback.tools.workbench.one_report import one_report
from holdback.tools.workbench.proving import ProofReport

# How GitHub's workflow commands call the severities.
_GITHUB: Final[Mapping[Severity, str]] = {
    ERROR: "error",
    NOT_DECIDED: "error",
    WARNING: "warning",
    INFORMATION: "notice",
}


@click.command("check")
@path_argument
@click.option(
    "--on", type=Day(), help="Today's date; also report overdue reviews and unlocked changes."
)
@click.option("--prove", "proving", is_flag=True, help="Also prove what `holdback prove` does.")
@format_option("text", "json", "github", "sarif")
@jurisdictions_option
def check_command(
    path: Path | None, *, on: date | None, proving: bool, form: str, folder: Path | None
) -> None:
    """
    Read every file of the jurisdictions in PATH and report every finding.

    PATH is a folder of jurisdictions, or the folder of one; without it, those that ship are
    checked. Exits with 1 if there are findings; warnings alone are none.
    """
    selection = select(path, folder)
    past = on or locked_through(selection)
    if proving:
        require_solver()
    valid, errors = load_valid_and_errors(selection.root, selection.name)
    all_findings = [
        finding for finding in (*errors, *findings(valid, on)) if selection.concerns(finding)
    ]
    lock, _, unreadable = read_lock_file(selection)
    if selection.code is not None:
        lock = lock.of(selection.code)
    all_findings += [*unreadable, *_lock_findings(selection, lock, valid, errors, on)]
    # What is proved includes what is seen without a solver.
    sane = () if proving else sanity(valid, past)
    here = [finding for finding in sane if selection.concerns(finding.detail)]
    all_findings += [finding.detail for finding in here if finding.severity == ERROR]
    proofs = prove_selected(selection, valid, past, LIMIT) if proving else None
    if proofs is not None:
        all_findings, proofs = one_report(valid, all_findings, proofs)
    spoken, invalid = language_files(selection.root, selection.name)
    all_findings += [finding for finding in invalid if selection.code is None]
    untranslated = translation_findings(valid, spoken, all_valid=not errors)
    checked = _Checked(
        jurisdictions=[read for read in valid if selection.includes(read)],
        on=on,
        findings=all_findings,
        warnings=[
            *(finding.detail for finding in here if finding.severity == WARNING),
            *changed_since(valid, lock, selection.lock_name, past),
            *(finding for finding in untranslated if selection.code is None),
        ],
        proofs=proofs,
    )
    if not (checked.jurisdictions or all_findings or checked.warnings):
        raise click.UsageError(f"there is no jurisdiction {printable(str(selection.code))} here")
    if form == "sarif":
        click.echo(write_json(sarif_log("check", checked.results(selection))))
    elif form == "github":
        for line in checked.annotations():
            click.echo(line)
    else:
        bundled = selection.name == BUNDLED and path is None and folder is None
        print_answer(form, checked.to_dict(), checked.lines(" that ship" if bundled else ""))
    sys.exit(SUCCESS if checked.passed else FINDINGS)


@frozen(kw_only=True)
class _Checked:
    """What was found: errors, warnings and, where it was asked for, what was proved."""

    jurisdictions: list[Jurisdiction]
    on: date | None
    findings: list[ErrorDetail]
    warnings: list[ErrorDetail]
    proofs: list[ProofReport] | None

    @property
    def passed(self) -> bool:
        """Whether there are warnings at most."""
        return not self.findings and not fails(self.proved)

    @property
    def details(self) -> list[tuple[ErrorDetail, Severity]]:
        """What was found without a proof, the errors first."""
        errors: list[tuple[ErrorDetail, Severity]] = [(detail, ERROR) for detail in self.findings]
        return [*errors, *((detail, WARNING) for detail in self.warnings)]

    @property
    def proved(self) -> list[Finding]:
        """The findings of proofs, all of them."""
        return [finding for result in self.proofs or () for finding in result.findings]

    def to_dict(self) -> dict[str, Json]:
        """What `--format json` prints."""
        document: dict[str, Json] = {
            "jurisdictions": len(self.jurisdictions),
            "findings": [
                {**error_to_dict(finding), "severity": severity}
                for finding, severity in self.details
            ],
            "reviews_looked_at": self.on is not None,
        }
        return document if self.proofs is None else {**document, "proofs": to_dict(self.proofs)}

    def results(self, selection: Selection) -> Iterator[dict[str, Any]]:
        """The results of `--format sarif`."""
        yield from (finding_result(finding, selection) for finding in self.proved)
        yield from (error_result(detail, selection, severity) for detail, severity in self.details)

    def annotations(self) -> Iterator[str]:
        """The lines of `--format github`."""
        for shown in self.proved:
            yield _annotation(shown.detail, shown.severity, *shown.evidence())
        yield from (_annotation(detail, severity) for detail, severity in self.details)

    def lines(self, of_what: str) -> Iterator[str]:
        """The findings for people, what was proved first, and lines that count them."""
        yield from finding_lines(self.proved)
        for detail, severity in self.details:
            yield from error_lines(detail, "warning: " if severity == WARNING else "")
            yield ""
        checked = f"{plural(len(self.jurisdictions), 'jurisdiction')}{of_what}"
        if self.findings or self.warnings:
            files = len({detail.file for detail, _ in self.details})
            counts = [
                plural(len(same), noun)
                for same, noun in ((self.findings, "finding"), (self.warnings, "warning"))
                if same
            ]
            text = f"{' and '.join(counts)} in {plural(files, 'file')}; {checked} could be read."
            yield click.style(text, fg="red" if self.findings else "yellow")
        else:
            noun = "other findings" if self.proved else "findings"
            yield click.style(f"{checked}: no {noun}.", fg="green")
        if self.on is None:
            yield from _reviews_not_looked_at(self.jurisdictions)
        if self.proofs is None:
            yield from _families_not_looked_at(self.jurisdictions)
        else:
            yield summary(self.proofs)


def _lock_findings(
    selection: Selection,
    lock: Lock,
    valid: Jurisdictions,
    errors: Sequence[ErrorDetail],
    on: date | None,
) -> Iterator[ErrorDetail]:
    """Changes that differ from the *lock* or are not in it."""
    selected = Jurisdictions(
        jurisdiction for jurisdiction in valid if selection.includes(jurisdiction)
    )
    # An invalid jurisdiction has no digests, and that is reported already.
    invalid = {part for error in errors for part in (error.file or "").split("/")}
    yield from lock_errors(lock, selected, selection.lock_name, on, invalid)


def _reviews_not_looked_at(selected: Iterable[Jurisdiction]) -> Iterator[str]:
    """A line that says what is not looked at without today's date: no clock is read."""
    reviews = [(jurisdiction.details.review_by, jurisdiction.code) for jurisdiction in selected]
    if reviews:
        day, code = min(reviews)
        yield f"Reviews were not looked at without --on; the first is due by {day} ({code})."


def _families_not_looked_at(selected: Iterable[Jurisdiction]) -> Iterator[str]:
    """A line that says which children may be looser than their parents: that takes a solver."""
    codes = [read.code for read in selected if len(read.policy.layers) > 1]
    if codes:
        yield f"Children were not compared with their parents without --prove: {in_words(codes)}."


def _annotation(finding: ErrorDetail, severity: Severity, *evidence: str) -> str:
    """*finding* as a GitHub workflow command, which GitHub shows next to the line."""

    def escaped(text: str) -> str:
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    position = {"file": finding.file, "line": finding.line, "col": finding.column}
    properties = ",".join(
        f"{name}={escaped(str(value)).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in position.items()
        if value is not None
    )
    hint = f"; {finding.hint}" if finding.hint else ""
    lines = [printable(line) for line in (finding.message + hint, *evidence)]
    return f"::{_GITHUB[severity]} {properties}::{escaped(chr(10).join(lines))}"
