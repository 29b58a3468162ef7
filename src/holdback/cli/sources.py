"""What the commands share about input: the day, the folder and the jurisdictions that they read."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, datetime
from importlib import import_module
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

import click
from attrs import evolve

from holdback.cli.output import fail, reading
from holdback.errors import ConfigurationError, ErrorDetail, InvalidDocument, excerpt, printable
from holdback.frozen_classes import frozen
from holdback.jurisdictions import load_jurisdictions, load_language
from holdback.jurisdictions.folder import bundled_path, load_valid_and_errors
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.jurisdictions.reader import FILES
from holdback.jurisdictions.regular_file import (
    NotRegularError,
    is_a,
    read_file,
    why_unreadable,
)
from holdback.offers.registry import registered
from holdback.rules.language import ENGLISH, Language
from holdback.tools.workbench.lock import LOCK, Lock, read_lock

# How messages name the folder of the jurisdictions that ship, wherever it is installed.
BUNDLED: Final = "jurisdictions"
# The lock has one line for each change of each jurisdiction, so a real one is far smaller.
_MOST_LOCK_BYTES: Final = 16 * 1024 * 1024

jurisdictions_option = click.option(
    "--jurisdictions",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of jurisdictions to use instead of those that ship.",
)
language_option = click.option(
    "--language",
    metavar="CODE",
    help="Say the sentences for merchants in this language: de. English by default.",
)
calculators_option = click.option(
    "--calculators",
    metavar="MODULE:NAME",
    callback=lambda _context, _option, name: load_calculators(name),
    help="The host's own calculators: a dictionary from names such as `term/seasonal` to classes.",
)
# A file is accepted too, because editors pass the file that is open; it means its folder.
path_argument = click.argument("path", required=False, type=click.Path(exists=True, path_type=Path))


def load_calculators(name: str | None) -> Mapping[str, type]:
    """
    Return the host's calculators that `MODULE:NAME` names, none without a name.

    Raises:
        BadParameter: there is no such dictionary, or a calculator in it has no version.
    """
    if name is None:
        return {}
    module_name, _, attribute = name.partition(":")
    sys.path.insert(0, "")  # as `python -m` does
    try:
        module = import_module(module_name) if module_name and attribute else None
    except ModuleNotFoundError as error:
        # A module that the host itself cannot import is its own error, and keeps its traceback.
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        message = f"there is no module {printable(module_name)} here"
        raise click.BadParameter(f"{message}; run this in its folder, or install it") from None
    calculators = getattr(module, attribute, None)
    if not isinstance(calculators, Mapping):
        message = "expected a dictionary of calculators, such as `my_service.prices:CALCULATORS`"
        raise click.BadParameter(f"{message}, not {printable(name)}")
    try:
        registered(calculators)
    except ConfigurationError as error:
        raise click.BadParameter(str(error)) from None
    return calculators


class Day(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click alone
    """A date such as 2026-07-01."""

    name = "date"

    def convert(self, value: Any, _param: Any, _ctx: Any) -> date:
        """Return the date that *value* names."""
        if isinstance(value, date):
            return value
        try:
            return datetime.strptime(value, "%Y-%m-%d").date()  # noqa: DTZ007  # a date has no zone
        except ValueError:
            self.fail(f"expected a date such as 2026-07-01, not {value[:40]!r}")


@frozen
class Selection:
    """A folder of jurisdictions, its name in messages, and a code, or None for all."""

    root: Traversable
    name: str
    code: str | None = None

    def includes(self, jurisdiction: Jurisdiction) -> bool:
        """Whether *jurisdiction* is selected."""
        return self.code in (None, jurisdiction.code)

    def concerns(self, error: ErrorDetail) -> bool:
        """Whether *error* is in a file of a selected jurisdiction."""
        if self.code is None:
            return True
        # Messages shorten a long name, so compare with the name as messages have it.
        return f"{error.file}/".startswith(f"{self.name}/{excerpt(self.code)}/")

    @property
    def lock_name(self) -> str:
        """The path of the lock file, as messages name it."""
        return f"{self.name}/{LOCK}"


def select(path: Path | None, folder: Path | None) -> Selection:
    """
    Return what PATH or `--jurisdictions` selects: a folder of jurisdictions, or one jurisdiction.

    Raises:
        UsageError: if both are given.
    """
    if path is not None and folder is not None:
        raise click.UsageError("give PATH or --jurisdictions, not both")
    given = path or folder
    if given is None:
        return Selection(bundled_path(), BUNDLED)
    if is_a("file", given):
        given = given.parent
    if not any(is_a("file", given / name) for name in FILES):
        return Selection(given, given.as_posix())
    # One jurisdiction is read with its neighbours, because it may inherit from one of them.
    parent, code = given.resolve().parent, given.resolve().name
    name = given.parent.as_posix() if given.name == code else parent.name
    return Selection(parent, name or ".", code)


def read_lock_file(selection: Selection) -> tuple[Lock, str, tuple[ErrorDetail, ...]]:
    """Return the selected folder's lock, its text and its errors; no file is an empty lock."""
    name = selection.lock_name
    try:
        body = read_file(selection.root / LOCK, _MOST_LOCK_BYTES + 1)
    except FileNotFoundError:
        return Lock(), "", ()
    except NotRegularError:
        # A link may lead anywhere, and `holdback lock` would replace it with a file.
        message = "the lock is not a regular file"
        return Lock(), "", (ErrorDetail(code="unreadable", message=message, file=name),)
    except OSError as error:
        message, hint = "the lock cannot be read", why_unreadable(error)
        return Lock(), "", (ErrorDetail(code="unreadable", message=message, file=name, hint=hint),)
    text = body.decode("utf-8", "replace")
    if len(body) > _MOST_LOCK_BYTES:
        message = f"the lock file is larger than {_MOST_LOCK_BYTES // 1024**2} MiB"
        return Lock(), text, (ErrorDetail(code="too_large", message=message, file=name),)
    lock, errors = read_lock(text, name)
    return lock, text, errors


def load_all(folder: Path | None) -> Jurisdictions:
    """Return the jurisdictions in *folder*, or those that ship; exit with 2 if any is invalid."""
    with reading("The jurisdictions"):
        return load_jurisdictions(folder)


def load_valid(folder: Path | None) -> Jurisdictions:
    """Return the valid jurisdictions in *folder*, or those that ship; exit with 2 if none is."""
    valid, errors = _survey(folder)
    if errors and not valid.codes:
        fail(InvalidDocument(errors), "The jurisdictions")
    return valid


def load_one(folder: Path | None, code: str) -> Jurisdiction:
    """
    Return the jurisdiction *code*, even if others in the folder are invalid.

    Raises:
        InvalidDocument: if there is no such jurisdiction, or it is invalid.
    """
    if folder is None:
        # Of what ships no other file is opened, unless there is an error to explain.
        with suppress(ConfigurationError):
            return load_jurisdictions()[code]
    valid, errors = _survey(folder)
    if code in valid.codes:
        return valid[code]
    own_errors = [error for error in errors if f"/{code}/" in f"/{error.file}/"]
    if own_errors:
        raise InvalidDocument(own_errors)
    if errors and not valid.codes:
        raise InvalidDocument(errors)
    try:
        return valid[code]
    except ConfigurationError as error:
        if folder is not None:
            raise
        (detail,) = error.errors
        more = "; use --jurisdictions to read another folder than the one that ships"
        raise InvalidDocument([evolve(detail, hint=f"{detail.hint}{more}")]) from None


def load_spoken(code: str | None, folder: Path | None = None) -> Language:
    """Return the language *code*, English for None; exit with 2 where there is none, or invalid."""
    with reading("The language"):
        return ENGLISH if code is None else load_language(code, folder)


def path_of(folder: Path | None, file: str) -> Path | None:
    """Return where *file*, as messages name it, is in *folder*; None where it is not on a disk."""
    root = bundled_path() if folder is None else folder
    # Messages name a file from the folder of jurisdictions on.
    return root / file.partition("/")[2] if isinstance(root, Path) else None


def _survey(folder: Path | None) -> tuple[Jurisdictions, tuple[ErrorDetail, ...]]:
    """Return the valid jurisdictions in *folder*, and the errors of the others."""
    if folder is None:
        return load_valid_and_errors(bundled_path(), BUNDLED)
    return load_valid_and_errors(folder, folder.resolve().name)
