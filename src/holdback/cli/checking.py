"""`holdback check`, `holdback test` and `holdback lock`: are the files right, and do they stay so?"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import click
from attrs import field, frozen

from holdback.cli.loading import (
    BUNDLED,
    FINDINGS,
    FINE,
    MISUSE,
    Day,
    a_folder,
    in_folder,
    in_form,
    replace,
)
from holdback.cli.printing import fault_lines, trial_lines
from holdback.errors import ErrorDetail, InvalidDocument, printable
from holdback.exact_json import Json, write_json
from holdback.jurisdictions.folder import bundled_path, survey
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.jurisdictions.reader import FILES
from holdback.toml.document import excerpt
from holdback.workbench.coverage import Coverage, coverage
from holdback.workbench.example_run import Trial, trials
from holdback.workbench.lint import findings
from holdback.workbench.lock import HEADER, LOCK, Lock, added, broken, read_lock, unlocked
from holdback.workbench.mutation import (
    EQUIVALENT,
    LISTED,
    NOTICED,
    REFUSED,
    SURVIVED,
    Verdict,
    stale,
    verdicts,
)

# A lock has a line for each change of each jurisdiction; more bytes than this are no lock.
_LOCK_BYTES: Final = 16 * 1024 * 1024


@frozen
class Chosen:
    """A folder of jurisdictions, its name for people, and the one jurisdiction that is meant, if one is."""

    root: Traversable
    name: str
    code: str | None = None

    def mine(self, jurisdiction: Jurisdiction) -> bool:
        """Whether *jurisdiction* is meant."""
        return self.code in (None, jurisdiction.code)

    def concerns(self, fault: ErrorDetail) -> bool:
        """Whether *fault* is in a file that is meant."""
        mine = f"{self.name}/{excerpt(str(self.code))}"
        return self.code is None or f"{fault.file}/".startswith(f"{mine}/")


def chosen(path: Path | None, folder: Path | None) -> Chosen:
    """What PATH or `--jurisdictions` means: a folder of jurisdictions, or the folder of one."""
    if path is not None and folder is not None:
        raise click.UsageError("give PATH or --jurisdictions, not both")
    given = path or folder
    if given is None:
        return Chosen(bundled_path(), BUNDLED)
    if given.is_file():
        given = given.parent
    if any((given / name).is_file() for name in FILES):
        above, code = given.resolve().parent, given.resolve().name
        shown = given.parent.as_posix() if given.name == code else above.name
        return Chosen(above, "." if shown == "" else shown, code)
    return Chosen(given, given.as_posix())


def _lock(choice: Chosen) -> tuple[Lock, str, tuple[ErrorDetail, ...]]:
    """The lock beside the jurisdictions, its text, and what is wrong with it."""
    file, name = choice.root / LOCK, f"{choice.name}/{LOCK}"
    strange = isinstance(file, Path) and (
        file.is_symlink() or (file.exists() and not file.is_file())
    )
    if strange:
        return Lock(), "", (ErrorDetail(message="the lock is no file of its own", file=name),)
    if not file.is_file():
        return Lock(), "", ()
    with file.open("rb") as stream:
        body: bytes = stream.read(_LOCK_BYTES + 1)
    text = body.decode("utf-8", "replace")
    if len(body) > _LOCK_BYTES:
        return Lock(), text, (ErrorDetail(message="the lock is longer than any lock", file=name),)
    lock, faults = read_lock(text, name)
    return lock, text, faults


@click.command("check")
@a_folder
@click.option("--on", type=Day(), help="The day of today: what is due for review, what to lock.")
@in_form("text", "json", "github")
@in_folder
def check_command(path: Path | None, *, on: date | None, form: str, folder: Path | None) -> None:
    """
    Read every file of the jurisdictions in PATH, and say everything that is wrong with them.

    PATH is a folder of jurisdictions or the folder of one; without it those that ship are checked. Leaves
    with 1 when there is something to mend.
    """
    choice = chosen(path, folder)
    jurisdictions, faults = survey(choice.root, choice.name)
    found = [each for each in faults if choice.concerns(each)]
    found += [each for each in findings(jurisdictions, on) if choice.concerns(each)]
    lock, _, at_fault = _lock(choice)
    whole = lock if choice.code is None else lock.of(choice.code)
    faulty = {part for each in faults for part in (each.file or "").split("/")}
    found += at_fault
    found += broken(whole, _only(jurisdictions, choice), f"{choice.name}/{LOCK}", on, faulty)
    count = sum(choice.mine(each) for each in jurisdictions)
    if not count and not found:
        raise click.UsageError(f"there is no jurisdiction {printable(str(choice.code))} here")
    if form == "json":
        click.echo(
            write_json({"jurisdictions": count, "findings": [_plain(each) for each in found]})
        )
    elif form == "github":
        for fault in found:
            click.echo(_annotation(fault))
    else:
        where = " that ship" if choice.name == BUNDLED and path is None and folder is None else ""
        click.echo("\n".join(_report(found, count, where)))
    sys.exit(FINDINGS if found else FINE)


def _only(jurisdictions: Jurisdictions, choice: Chosen) -> Jurisdictions:
    return Jurisdictions(each for each in jurisdictions if choice.mine(each))


def _report(found: list[ErrorDetail], count: int, where: str) -> Iterator[str]:
    for fault in found:
        yield from fault_lines(fault)
        yield ""
    fine = f"{count} jurisdiction{'' if count == 1 else 's'}{where}"
    if found:
        files = len({fault.file for fault in found})
        yield click.style(
            f"{len(found)} finding{'' if len(found) == 1 else 's'} in {files} "
            f"file{'' if files == 1 else 's'}; {fine} could be read.",
            fg="red",
        )
    else:
        yield click.style(f"{fine}: nothing to mend.", fg="green")


def _plain(fault: ErrorDetail) -> dict[str, Json]:
    return {
        "file": fault.file,
        "line": fault.line,
        "column": fault.column,
        "path": fault.path,
        "message": fault.message,
        "hint": fault.hint,
    }


def _annotation(fault: ErrorDetail) -> str:
    """*fault* as a GitHub workflow command."""

    def escaped(text: str) -> str:
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    places = {"file": fault.file, "line": fault.line, "col": fault.column}
    shown = ",".join(
        f"{name}={escaped(str(place)).replace(':', '%3A').replace(',', '%2C')}"
        for name, place in places.items()
        if place is not None
    )
    hint = f"; {fault.hint}" if fault.hint else ""
    return f"::error {shown}::{escaped(printable(fault.message + hint))}"


@click.command("test")
@a_folder
@click.option(
    "--mutate", is_flag=True, help="Also change each figure and rule, and see who notices."
)
@in_form("text", "json")
@in_folder
def test_command(path: Path | None, *, mutate: bool, form: str, folder: Path | None) -> None:
    """
    Run the examples of the jurisdictions in PATH.

    A failure shows what was expected, what came out, the rule that decided and the facts. Then how often
    each rule was true, false and unknown. With --mutate, every threshold is moved by one unit, every
    comparison changed and every rule left out, to see whether an example notices.
    """
    choice = chosen(path, folder)
    jurisdictions, faults = survey(choice.root, choice.name)
    at_fault = [fault for fault in faults if choice.concerns(fault)]
    for fault in at_fault:
        click.echo("\n".join(fault_lines(fault)), err=True)
    report = [
        _Tested.of(each, jurisdictions, mutate=mutate, progress=form == "text")
        for each in jurisdictions
        if choice.mine(each)
    ]
    if form == "json":
        click.echo(write_json([each.plain() for each in report]))
    else:
        click.echo("\n\n".join("\n".join(each.lines()) for each in report))
    if at_fault or not report:
        sys.exit(MISUSE)
    sys.exit(FINE if all(each.passed for each in report) else FINDINGS)


@frozen
class _Tested:
    """What came of the tests of one jurisdiction."""

    code: str
    tried: list[Trial]
    covered: list[Coverage]
    mutated: list[Verdict] | None
    stale: list[ErrorDetail] = field(factory=list)
    skipped: bool = False
    fault: InvalidDocument | None = None

    @classmethod
    def of(
        cls, jurisdiction: Jurisdiction, others: Jurisdictions, *, mutate: bool, progress: bool
    ) -> _Tested:
        try:
            tried = list(trials(jurisdiction))
        except InvalidDocument as error:
            return cls(jurisdiction.code, [], [], None, fault=error)
        covered = coverage(jurisdiction, tried)
        passed = all(trial.passed for trial in tried)
        if not mutate or not passed:
            return cls(jurisdiction.code, tried, covered, None, skipped=mutate)
        mutated = list(_with_progress(jurisdiction, others, shown=progress))
        return cls(jurisdiction.code, tried, covered, mutated, [*stale(jurisdiction, mutated)])

    @property
    def passed(self) -> bool:
        """Whether every example gave what it expects, every rule all answers, and every mutant was noticed."""
        survived = any(each.state == SURVIVED for each in self.mutated or ())
        return (
            self.fault is None
            and all(trial.passed for trial in self.tried)
            and not any(each.missing for each in self.covered)
            and not survived
            and not self.stale
        )

    def plain(self) -> dict[str, Json]:
        """The result as plain values."""
        shown: dict[str, Json] = {
            "jurisdiction": self.code,
            "passed": self.passed,
            "examples": len(self.tried),
            "failures": [trial.plain() for trial in self.tried if not trial.passed],
            "coverage": [each.plain() for each in self.covered],
        }
        if self.fault is not None:
            shown["faults"] = [_plain(each) for each in self.fault.errors]
        if self.mutated is not None:
            shown["mutants"] = dict(Counter(each.state for each in self.mutated))
            shown["survivors"] = [
                {
                    "mutant": each.mutant.name,
                    "file": each.mutant.file,
                    "line": each.mutant.line,
                    "state": each.state,
                    "reason": each.reason,
                }
                for each in self.mutated
                if each.state not in (NOTICED, REFUSED)
            ]
            shown["stale"] = [_plain(each) for each in self.stale]
        return shown

    def lines(self) -> Iterator[str]:
        """The result for people."""
        if self.fault is not None:
            for fault in self.fault.errors:
                yield from fault_lines(fault)
        failed = [trial for trial in self.tried if not trial.passed]
        for trial in failed:
            yield from trial_lines(trial)
        count = f"{len(self.tried) - len(failed)} of {len(self.tried)} examples pass"
        colour = "red" if failed or self.fault else "green"
        yield f"{click.style(self.code, bold=True)}  {click.style(count, fg=colour)}"
        yield from self._coverage()
        if self.mutated is not None:
            yield from self._mutants(self.mutated)
        elif self.skipped:
            yield "  no mutants are tried until every example passes"

    def _coverage(self) -> Iterator[str]:
        if not self.covered:
            return
        width = max(len(each.code) for each in self.covered)
        name = max(len(each.rule) for each in self.covered)
        yield f"  {'rule':<{width + name + 2}}    true  false  unknown"
        for each in self.covered:
            counts = [each.seen[True], each.seen[False], each.seen[None]]
            shown = f"{counts[0]:>6} {counts[1]:>6} {counts[2]:>8}"
            lacking = f"  never {', '.join(each.missing)}" if each.missing else ""
            yield f"  {each.code:<{width}}  {each.rule:<{name}}  {shown}{click.style(lacking, fg='red')}"

    def _mutants(self, mutated: list[Verdict]) -> Iterator[str]:
        counts = Counter(each.state for each in mutated)
        shown = {
            "noticed": counts[NOTICED],
            "listed": counts[LISTED],
            "the same": counts[EQUIVALENT],
            "refused by the reader": counts[REFUSED],
            "survived": counts[SURVIVED],
        }
        told = ", ".join(f"{count} {word}" for word, count in shown.items())
        yield f"  {len(mutated)} mutants: {told}"
        for fault in self.stale:
            yield from fault_lines(fault)
        for each in mutated:
            if each.state == SURVIVED:
                place = f"{each.mutant.file}:{each.mutant.line}"
                yield click.style(f"  survived  {place}  {printable(each.mutant.name)}", fg="red")
        for each in mutated:
            if each.state not in (NOTICED, REFUSED, SURVIVED):
                listed = "listed" if each.state == LISTED else "the same"
                yield f"  {listed:<8}  {printable(each.mutant.name)}: {printable(each.reason)}"


def _with_progress(
    jurisdiction: Jurisdiction, others: Jurisdictions, *, shown: bool
) -> Iterator[Verdict]:
    """The verdicts on the mutants, with a count on a terminal while they come."""
    talking = shown and sys.stderr.isatty()
    for number, verdict in enumerate(verdicts(jurisdiction, others), start=1):
        if talking and number % 10 == 0:
            click.echo(f"\r{jurisdiction.code}: {number} mutants", err=True, nl=False)
        yield verdict
    if talking:
        click.echo("\r\033[K", err=True, nl=False)


@click.command("lock")
@a_folder
@click.option(
    "--on", type=Day(), required=True, help="The day of today: what began by it is locked."
)
@in_form("text", "json")
@in_folder
def lock_command(path: Path | None, *, on: date, form: str, folder: Path | None) -> None:
    """
    Add the digests of what is in force or past to `digests.lock` beside the jurisdictions in PATH.

    PATH is a folder of jurisdictions.

    Lines are added, never changed: where the past is not as it was locked, nothing is written.
    """
    choice = chosen(path, folder)
    jurisdictions, faults = survey(choice.root, choice.name)
    if faults:
        for fault in faults:
            click.echo("\n".join(fault_lines(fault)), err=True)
        click.echo("Nothing was locked.", err=True)
        sys.exit(MISUSE)
    file = choice.root / LOCK
    if choice.code is not None or not isinstance(file, Path) or (path is None and folder is None):
        raise click.UsageError("give the folder of jurisdictions whose lock it is")
    lock, text, at_fault = _lock(choice)
    name = f"{choice.name}/{LOCK}"
    wrong = [*at_fault, *broken(lock, jurisdictions, name)]
    if wrong:
        for fault in wrong:
            click.echo("\n".join(fault_lines(fault)), err=True)
        click.echo("Nothing was locked.", err=True)
        sys.exit(FINDINGS)
    new = unlocked(lock, jurisdictions, on)
    lines = added(lock, new, on)
    start = "" if text.endswith("\n") else "\n" if text else HEADER
    if lines:
        before = file.read_bytes() if text else b""
        more = f"{start}{''.join(f'{line}{chr(10)}' for line in lines)}".encode()
        replace(file, before + more)  # what is there stays, byte for byte
    if form == "json":
        click.echo(write_json({"added": lines}))
    else:
        click.echo("".join(f"{line}\n" for line in lines), nl=False)
        click.echo(f"{len(new)} change{'' if len(new) == 1 else 's'} locked in {name}.")
