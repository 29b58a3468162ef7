"""`holdback test --suggest`: the examples that are missing, to paste or to write into the files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from holdback.cli.output import FINDINGS, MISUSE, SUCCESS, plural, print_errors, write_file
from holdback.cli.sources import Selection
from holdback.errors import ConfigurationError, ErrorDetail, InvalidDocument, printable
from holdback.exact.exact_json import write_json
from holdback.jurisdictions.folder import load_valid_and_errors, read_folder
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.reader import FILES, FolderFiles
from holdback.tools.suggestions.complete import Completed, complete
from holdback.tools.suggestions.insertion import DRAFTED, PLAUSIBLE


def suggest(selection: Selection, *, write: bool, form: str) -> None:
    """Print what the selected jurisdictions lack, or *write* it into their files; then exit."""
    valid, errors = load_valid_and_errors(selection.root, selection.name)
    errors_here = [error for error in errors if selection.concerns(error)]
    print_errors(errors_here)
    jurisdictions = {jurisdiction.code: jurisdiction for jurisdiction in valid}
    results: list[Completed] = []
    # Parents first: a child may rest on what its parent's files get.
    for code in sorted(jurisdictions, key=lambda code: len(jurisdictions[code].policy.layers)):
        if selection.includes(jurisdictions[code]):
            try:
                result = _completed(selection, jurisdictions, code, shown=form == "text")
                if write and not result.failing:
                    _write(selection, result)
            except (InvalidDocument, ConfigurationError) as error:
                errors_here += error.errors
                print_errors(error.errors)
                continue
            jurisdictions[code] = result.jurisdiction
            results.append(result)
    if form == "json":
        click.echo(write_json([result.plain() for result in results]))
    else:
        for result in results:
            click.echo("\n".join(_lines(result, selection, write=write)))
    if errors_here or not results:
        sys.exit(MISUSE)
    unfinished = any(
        result.failing or result.left or (result.files and not write) for result in results
    )
    sys.exit(FINDINGS if unfinished else SUCCESS)


def _completed(
    selection: Selection, jurisdictions: dict[str, Jurisdiction], code: str, *, shown: bool
) -> Completed:
    """Return the jurisdiction *code* with what it lacks."""
    folder = _files(selection, code)
    parents = {name: held for name, held in jurisdictions.items() if name != code}
    try:
        return complete(folder, parents, _progress(code, shown=shown))
    finally:
        _progress(code, shown=shown)("")


def _files(selection: Selection, code: str) -> FolderFiles:
    return read_folder(selection.root / code, f"{selection.name}/{code}/")[0]


def _progress(code: str, *, shown: bool) -> Callable[[str], None]:
    """Return what tells a person at a terminal how far the search is; nothing clears the line."""
    visible = shown and sys.stderr.isatty()

    def report(what: str) -> None:
        if visible:
            click.echo(f"\r\033[K{f'{code}: {what}' if what else ''}", err=True, nl=False)

    return report


def _write(selection: Selection, result: Completed) -> None:
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


def _lines(result: Completed, selection: Selection, *, write: bool) -> Iterator[str]:
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
