"""`holdback prove`: what holds of every deal that can exist, and deals that show what does not."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Final

import click
from attrs import evolve

from holdback.cli.output import (
    FINDINGS,
    MISUSE,
    SUCCESS,
    error_lines,
    format_option,
    needing,
    plural,
    print_answer,
    print_errors,
    show_progress,
)
from holdback.cli.sarif import error_result, finding_result, sarif_log
from holdback.cli.sources import (
    Day,
    Selection,
    jurisdictions_option,
    path_argument,
    read_lock_file,
    select,
)
from holdback.errors import printable
from holdback.exact.exact_json import Json, write_json
from holdback.jurisdictions.folder import load_valid_and_errors
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.tools.lint.lint import unpriceable
from holdback.tools.proofs.finding import (
    ERROR,
    FAILURES,
    INFORMATION,
    NOT_DECIDED,
    SEVERITIES,
    WARNING,
    Finding,
)
from holdback.tools.proofs.question import LIMIT, MOST_TIMES
from holdback.tools.workbench.proving import ProofReport, prove

_COLOURS: Final = {ERROR: "red", NOT_DECIDED: "magenta", WARNING: "yellow", INFORMATION: "cyan"}


@click.command("prove")
@path_argument
@click.option(
    "--on",
    type=Day(),
    help="Today's date: what ended by then is information. Without it, what ended in the locked "
    "past is.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings too.")
@click.option(
    "--limit",
    type=click.IntRange(1, 3600),
    default=LIMIT,
    show_default=True,
    metavar="SECONDS",
    help=f"How long one question may take, and the search for a deal. All of a jurisdiction take "
    f"{MOST_TIMES} times as long at most; what takes longer is not decided.",
)
@format_option("text", "json", "sarif")
@jurisdictions_option
def prove_command(  # noqa: PLR0913  # one parameter for each option
    path: Path | None,
    *,
    on: date | None,
    strict: bool,
    limit: int,
    form: str,
    folder: Path | None,
) -> None:
    """
    Prove what holds of every deal that could exist, for the jurisdictions in PATH.

    What does not hold is shown with a deal, also as an example to paste. Exits with 1 for an error,
    for what could not be decided in time and, with --strict, for a warning.
    """
    require_solver()
    selection = select(path, folder)
    on = on or locked_through(selection)
    valid, errors = load_valid_and_errors(selection.root, selection.name)
    errors_here = [error for error in errors if selection.concerns(error)]
    # What cannot be priced cannot be offered, so nothing is proved of it. A host's own calculators
    # are not there.
    errors_here += [
        error
        for jurisdiction in valid
        if selection.includes(jurisdiction)
        for error in unpriceable(jurisdiction)
        if error.code != "unknown_name"
    ]
    print_errors(errors_here)
    proofs = prove_selected(selection, valid, on, limit)
    if not proofs and not errors_here:
        raise click.UsageError(f"there is no jurisdiction {printable(str(selection.code))} here")
    findings = [finding for proved in proofs for finding in proved.findings]
    if form == "sarif":
        results = [finding_result(finding, selection) for finding in findings]
        results += [error_result(error, selection) for error in errors_here]
        click.echo(write_json(sarif_log("prove", results, read=not errors_here)))
    else:
        print_answer(form, to_dict(proofs), (*finding_lines(findings), summary(proofs)))
    if errors_here:
        sys.exit(MISUSE)
    sys.exit(FINDINGS if fails(findings, strict=strict) else SUCCESS)


def proved_if_possible(
    folder: Path | None, valid: Jurisdictions, code: str, on: date
) -> ProofReport | None:
    """Return what is proved of the jurisdiction *code*; None where the solver is not installed."""
    try:
        require_solver()
        (proved,) = prove_selected(evolve(select(None, folder), code=code), valid, on, LIMIT)
    except click.ClickException:
        return None
    return proved


def require_solver() -> None:
    """
    Look for the solver.

    Raises:
        ClickException: it is not installed.
    """
    with needing("proof"):
        from holdback.tools.proofs import solver  # noqa: F401, PLC0415  # it imports the extra


def locked_through(selection: Selection) -> date | None:
    """Return the day up to which the past is locked: nobody can correct what ended by then."""
    lock, _, _ = read_lock_file(selection)
    return lock.through


def prove_selected(
    selection: Selection, valid: Jurisdictions, on: date | None, limit: int
) -> list[ProofReport]:
    """Return what is proved of each selected jurisdiction; a terminal shows how far it is."""
    from holdback.tools.proofs.claims import Prover  # noqa: PLC0415  # imports the solver

    selected = [jurisdiction for jurisdiction in valid if selection.includes(jurisdiction)]
    prover, one_jurisdiction = Prover(valid, limit), selection.code is not None
    return [
        prove(prover, jurisdiction, on, with_inherited=one_jurisdiction)
        for jurisdiction in _with_progress(selected)
    ]


def _with_progress(jurisdictions: Sequence[Jurisdiction]) -> Iterator[Jurisdiction]:
    """The jurisdictions that take seconds, so a terminal shows which one is proved."""
    for number, jurisdiction in enumerate(jurisdictions, start=1):
        show_progress(f"proving {jurisdiction.code}, {number} of {len(jurisdictions)}")
        yield jurisdiction
    show_progress()


def fails(findings: Iterable[Finding], *, strict: bool = False) -> bool:
    """Return whether *findings* keep a build from passing; with *strict* a warning does, too."""
    failures = (*FAILURES, WARNING) if strict else FAILURES
    return any(finding.severity in failures for finding in findings)


def finding_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """
    The findings for people: by jurisdiction, the worst first; then one line for each of past days.

    A finding of past days alone has the severity `INFORMATION`, so it asks for nothing.
    """
    order = list(SEVERITIES)
    current = [finding for finding in findings if finding.severity != INFORMATION]
    for code in dict.fromkeys(finding.jurisdiction for finding in current):
        yield click.style(code, bold=True)
        own = [finding for finding in current if finding.jurisdiction == code]
        for finding in sorted(own, key=lambda finding: order.index(finding.severity)):
            colour = _COLOURS[finding.severity]
            word = click.style(SEVERITIES[finding.severity], fg=colour)
            yield from error_lines(finding.detail, f"{word}: ", colour)
            yield from (f"    {printable(line)}".rstrip() for line in finding.evidence())
            yield ""
    for finding in findings:
        if finding.severity == INFORMATION:
            word = click.style(SEVERITIES[INFORMATION], fg=_COLOURS[INFORMATION])
            about = f"{finding.jurisdiction} {finding.days}".rstrip()
            place = f"{finding.detail.file}:{finding.detail.line}"
            yield f"{word}: {about}: {printable(f'{finding.detail.message} ({place})')}"


def summary(proofs: Sequence[ProofReport]) -> str:
    """The line that counts what was proved."""
    counts = Counter(finding.severity for proved in proofs for finding in proved.findings)
    questions = sum(proved.questions for proved in proofs)
    colour = "red" if any(counts[name] for name in FAILURES) else "green"
    colour = "yellow" if colour == "green" and counts[WARNING] else colour
    parts = [
        plural(counts[ERROR], "error"),
        plural(counts[WARNING], "warning"),
        f"{counts[NOT_DECIDED]} not decided",
    ]
    without = sum(finding.deal_not_found for proved in proofs for finding in proved.findings)
    if without:
        parts.append(f"{without} without a deal")
    if counts[INFORMATION]:
        parts.append(f"{counts[INFORMATION]} of past days")
    text = f"{plural(len(proofs), 'jurisdiction')}: {', '.join(parts)}"
    return click.style(f"{text}; {plural(questions, 'question')}.", fg=colour)


def to_dict(proofs: Sequence[ProofReport]) -> dict[str, Json]:
    """What `--format json` prints."""
    findings = [finding for proved in proofs for finding in proved.findings]
    counts = Counter(finding.severity for finding in findings)
    return {
        "jurisdictions": len(proofs),
        "questions": sum(proved.questions for proved in proofs),
        **{severity: counts[severity] for severity in SEVERITIES},
        "findings": [finding.plain() for finding in findings],
    }
