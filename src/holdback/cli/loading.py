"""What the commands share: which folder, in which form to print, and how to say that one is at fault."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final, NoReturn

import click
from attrs import evolve

from holdback.errors import InvalidDocument, printable
from holdback.jurisdictions.folder import bundled_path, load_jurisdictions, survey
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions

FINE: Final = 0
FINDINGS: Final = 1
MISUSE: Final = 2
# What the folder of those that ship is called, wherever it lies.
BUNDLED: Final = "jurisdictions"

in_folder = click.option(
    "--jurisdictions",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of jurisdictions to use instead of those that ship.",
)
# A file of a jurisdiction stands for its folder.
a_folder = click.argument("path", required=False, type=click.Path(exists=True, path_type=Path))


def in_form(*forms: str) -> Callable[[Any], Any]:
    """The option `--format`, one of *forms*, the first by default."""
    return click.option("--format", "form", type=click.Choice(forms), default=forms[0])


class Day(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click alone
    """A date such as 2026-07-01."""

    name = "date"

    def convert(self, value: Any, _param: Any, _ctx: Any) -> date:
        """The date that *value* is."""
        if isinstance(value, date):
            return value
        try:
            return datetime.strptime(value, "%Y-%m-%d").date()  # noqa: DTZ007  # a date has no zone
        except ValueError:
            self.fail(f"expected a date such as 2026-07-01, not {value[:40]!r}")


def fail(error: InvalidDocument, what: str) -> NoReturn:
    """Say every fault of a document on standard error, and leave with 2."""
    click.secho(f"{printable(what)} cannot be read:", err=True, bold=True)
    for fault in error.errors:
        click.echo(f"  {fault.underlined()}", err=True)
    sys.exit(MISUSE)


def replace(file: Path, content: bytes) -> None:
    """Write *content* to *file* whole or not at all."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        beside.write_bytes(content)
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)


def load_one(folder: Path | None, code: str) -> Jurisdiction:
    """
    The jurisdiction *code* in *folder*, or of those that ship, whatever is wrong with the others.

    Raises:
        InvalidDocument: when there is none, or it is at fault.
    """
    root = bundled_path() if folder is None else folder
    found, faults = survey(root, BUNDLED if folder is None else folder.resolve().name)
    if code in found.codes:
        return found[code]
    mine = [each for each in faults if f"/{code}/" in f"/{each.file}/"]
    if mine:
        raise InvalidDocument(mine)
    if faults and not found.codes:
        raise InvalidDocument(faults)
    try:
        return found[code]
    except InvalidDocument as error:
        (fault,) = error.errors
        more = (
            "; --jurisdictions names another folder than the one that ships"
            if folder is None
            else ""
        )
        raise InvalidDocument([evolve(fault, hint=f"{fault.hint}{more}")]) from None


def load_readable(folder: Path | None) -> Jurisdictions:
    """The jurisdictions in *folder* that can be read; when there are none, the command ends here."""
    root = bundled_path() if folder is None else folder
    found, faults = survey(root, BUNDLED if folder is None else folder.resolve().name)
    if faults and not found.codes:
        fail(InvalidDocument(faults), "The jurisdictions")
    return found


def load(folder: Path | None) -> Jurisdictions:
    """The jurisdictions in *folder*, or those that ship; with a fault, the command ends here."""
    try:
        return load_jurisdictions(folder)
    except InvalidDocument as error:
        fail(error, "The jurisdictions")
