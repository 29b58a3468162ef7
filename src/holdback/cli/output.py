"""What the commands share about output: exit codes, JSON, errors, and files written whole."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from holdback.errors import ConfigurationError, ErrorDetail, InvalidDocument, StateError, printable
from holdback.exact.exact_json import Json, write_json
from holdback.tools.plain_values import plain_values

SUCCESS: Final = 0
FINDINGS: Final = 1
MISUSE: Final = 2

# A JSON value that fits into this number of columns stays on one line, as a transaction does.
_JSON_WIDTH: Final = 130


def format_option(*formats: str) -> Callable[[Any], Any]:
    """Return the option `--format` with the choices *formats*; the first is the default."""
    return click.option("--format", "form", type=click.Choice(formats), default=formats[0])


def fail(error: InvalidDocument | ConfigurationError | StateError, what: str) -> NoReturn:
    """Print every error of a document to standard error and exit with 2."""
    click.secho(f"{printable(what)} cannot be read:", err=True, bold=True)
    for detail in error.errors:
        click.echo(f"  {detail.underlined()}", err=True)
    sys.exit(MISUSE)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Where *what* is read within it and cannot be, print every error and exit with 2."""
    try:
        yield
    except (InvalidDocument, ConfigurationError, StateError) as error:
        fail(error, what)


@contextmanager
def needing(extra: str, what: str = "The command") -> Iterator[None]:
    """Where a package is imported within it and missing, say which *extra* has it."""
    try:
        yield
    except ModuleNotFoundError as missing:
        message = f"{what} needs {missing.name}: pip install 'holdback[{extra}]'"
        raise click.ClickException(message) from None


def on_terminal() -> bool:
    """Whether a person waits: progress goes to standard error."""
    return sys.stderr.isatty()


def show_progress(text: str = "") -> None:
    """Show *text* on a terminal in the place of the last one; nothing clears the line."""
    if on_terminal():
        click.echo(f"\r\033[K{text}", err=True, nl=False)


def print_answer(form: str, plain: Json, lines: Iterable[str]) -> None:
    """Print *plain* where the form is `json`, and else *lines*."""
    click.echo(write_json(plain) if form == "json" else "\n".join(lines))


def error_lines(error: ErrorDetail, severity: str = "", colour: str = "red") -> Iterator[str]:
    """
    The lines for one error: its place and message, the line of source marked, and the hint.

    *severity* goes before the message where it is less than an error, as `warning: `. *colour* is
    that of the mark.
    """
    place = f"{click.style(printable(error.place), bold=True)}: " if error.place else ""
    yield f"{place}{severity}{printable(error.message)}"
    for line, mark in zip(error.marked(), (None, colour), strict=False):
        yield f"    {click.style(line, fg=mark)}"
    if error.hint:
        yield f"    {click.style(printable(error.hint), fg='cyan')}"


def print_errors(errors: Iterable[ErrorDetail]) -> None:
    """Print *errors* to standard error."""
    for error in errors:
        click.echo("\n".join(error_lines(error)), err=True)


def error_to_dict(error: ErrorDetail) -> dict[str, Json]:
    """The keys of one error in `--format json`."""
    return plain_values(error, "file", "line", "column", "path", "code", "message", "hint")


def plural(count: int, noun: str) -> str:
    """*count* and *noun*: `1 file`, `2 files`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def value_text(value: Json) -> str:
    """A value as a person reads it: a text without its quotes, anything else as JSON."""
    return value if isinstance(value, str) else write_json(value)


def json_lines(value: Json, indent: int = 0, before: str = "", after: str = "") -> Iterator[str]:
    """*value* as indented JSON, short parts on one line, its numbers exactly as on the wire."""
    margin = " " * indent
    flat = printable(write_json(value))
    is_object = isinstance(value, Mapping)
    nested = is_object or (isinstance(value, Sequence) and not isinstance(value, str))
    if not nested or not value or len(margin + before + flat) <= _JSON_WIDTH:
        yield f"{margin}{before}{_spaced(value) if nested else flat}{after}"
        return
    yield f"{margin}{before}{'{' if is_object else '['}"
    items = list(value.items()) if is_object else [(None, item) for item in value]
    for number, (key, item) in enumerate(items, start=1):
        name = "" if key is None else f"{printable(write_json(key))}: "
        yield from json_lines(item, indent + 2, name, "," if number < len(items) else "")
    yield f"{margin}{'}' if is_object else ']'}{after}"


def _spaced(value: Json) -> str:
    """*value* as JSON on one line, with a space after each comma and colon."""
    if isinstance(value, Mapping):
        pairs = (f"{printable(write_json(key))}: {_spaced(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(_spaced(item) for item in value)}]"
    return printable(write_json(value))


def write_file(file: Path, content: bytes) -> None:
    """
    Write *content* to *file*, which is replaced as a whole or not at all.

    Raises:
        UsageError: there is no folder to write it into.
    """
    if not file.parent.is_dir():
        missing = printable(f"there is no folder {file.parent} to write {file.name} into")
        raise click.UsageError(f"{missing}; make it first, or give another file")
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content)
        temporary.replace(file)  # INVARIANT: a rename within a folder is atomic
    finally:
        temporary.unlink(missing_ok=True)
