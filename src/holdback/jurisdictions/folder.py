"""Folders of jurisdictions, opened and read. Nothing else in this package opens a file.

The jurisdictions that ship are data next to the package. In a wheel they are `bundled/` in this
package; in a checkout, which an editable install uses, they are the repository's own
`jurisdictions/`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.reader import FILES, FolderFiles, read_jurisdictions
from holdback.toml import MAX_BYTES, excerpt

# ISO 3166-1, or ISO 3166-2 with a subdivision.
CODE: Final = re.compile(r"[A-Z]{2}(-[A-Z0-9]{1,3})?")

_PROJECT: Final = "holdback"
_ALSO_ALLOWED: Final = ("README.md",)
# Folders next to the jurisdictions that are not jurisdictions: the JSON Schemas of their files.
_IGNORED: Final = ("schema",)
# The repository's folder, and the name of the bundled one wherever it is installed: decisions name
# the file of a rule, and must not depend on the machine.
_NAME: Final = "jurisdictions"


def load_jurisdictions(path: str | Path | None = None) -> Jurisdictions:
    """
    Return the jurisdictions in the folder *path*, or those that ship when there is no path.

    >>> "GB" in load_jurisdictions().codes
    True

    Raises:
        InvalidDocument: with every error of every file of every jurisdiction.
    """
    if path is None:
        return load_from(bundled_path(), _NAME)
    folder = Path(path)
    if not folder.is_dir():
        error = ErrorDetail(code="missing", message="there is no such folder", file=str(path))
        raise InvalidDocument([error])
    return load_from(folder, folder.resolve().name)


def load_from(root: Traversable, name: str) -> Jurisdictions:
    """
    Return the jurisdictions in *root*, with *name* as the name of that folder in errors.

    Raises:
        InvalidDocument: with every error of every file of every jurisdiction.
    """
    jurisdictions, errors = load_valid_and_errors(root, name)
    if errors:
        raise InvalidDocument(errors)
    return jurisdictions


def load_valid_and_errors(
    root: Traversable, name: str
) -> tuple[Jurisdictions, tuple[ErrorDetail, ...]]:
    """
    Return the valid jurisdictions in *root*, and every error of every file of the others.

    An invalid folder never stops the others from being read and reported.
    """
    errors = dict[str, tuple[ErrorDetail, ...]]()
    contents: list[tuple[FolderFiles, tuple[ErrorDetail, ...]]] = []
    try:
        folders = list(_folders(root))
    except OSError:
        message = "the folder cannot be read"
        return Jurisdictions(()), (ErrorDetail(code="unreadable", message=message, file=str(root)),)
    for folder in folders:
        try:
            contents.append(_read_folder(folder, f"{name}/{folder.name}/"))
        except InvalidDocument as error:
            errors[folder.name] = error.errors
    read, invalid = read_jurisdictions([content for content, _ in contents], errors.keys())
    for content, unexpected in contents:
        errors[content.code] = (*unexpected, *invalid.get(content.code, ()))
    if not folders:
        is_one = any((root / file).is_file() for file in FILES)
        hint = "this is a jurisdiction's own folder: give the folder above it" if is_one else None
        message = "there is no jurisdiction in this folder"
        errors[""] = (ErrorDetail(code="missing", message=message, file=str(root), hint=hint),)
    valid = (read[code] for code in sorted(read) if not errors[code])
    return Jurisdictions(valid), tuple(
        error for folder_name in sorted(errors) for error in errors[folder_name]
    )


def bundled_path() -> Traversable:
    """
    Return the folder of the jurisdictions that ship.

    Raises:
        InvalidDocument: when holdback was installed without them.
    """
    bundled = files(__package__) / "bundled"
    if bundled.is_dir():
        return bundled
    # This file is src/holdback/jurisdictions/folder.py in a checkout. Check that it is this
    # project: installed elsewhere, three folders up could be anybody's.
    repository = Path(__file__).resolve().parents[3]
    if _is_this_project(repository / "pyproject.toml"):
        return repository / _NAME
    raise InvalidDocument.of(
        "missing",
        "holdback was installed without its jurisdictions",
        hint="install a wheel, or give the path of a folder of jurisdictions",
    )


def _is_this_project(pyproject: Path) -> bool:
    try:
        content = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    project = content.get("project")
    return isinstance(project, dict) and project.get("name") == _PROJECT


def _folders(root: Traversable) -> Iterator[Traversable]:
    """Yield the folders in *root* that are meant as jurisdictions, in the order of their names."""
    for entry in sorted(root.iterdir(), key=lambda entry: entry.name):
        meant = not entry.name.startswith((".", "__")) and entry.name not in _IGNORED
        if meant and (entry.is_dir() or (isinstance(entry, Path) and entry.is_symlink())):
            yield entry


def _read_folder(folder: Traversable, prefix: str) -> tuple[FolderFiles, tuple[ErrorDetail, ...]]:
    """Return the files in *folder*, and an error for each file that does not belong there."""
    file = f"{prefix.rstrip('/').removesuffix(folder.name)}{excerpt(folder.name)}"
    if CODE.fullmatch(folder.name) is None:
        message = f"`{excerpt(folder.name)}` is not the code of a jurisdiction"
        hint = "a folder is named as `GB` or `US-CA`, by ISO 3166"
        raise InvalidDocument(
            [ErrorDetail(code="wrong_value", message=message, file=file, hint=hint)]
        )
    if not folder.is_dir():
        raise InvalidDocument(
            [ErrorDetail(code="unreadable", message="the link leads nowhere", file=file)]
        )
    errors: list[ErrorDetail] = []
    contents: dict[str, bytes] = {}
    try:
        entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    except OSError:
        raise InvalidDocument(
            [ErrorDetail(code="unreadable", message="the folder cannot be read", file=file)]
        ) from None
    for entry in entries:
        if entry.name in FILES:
            contents[entry.name] = _read(entry, f"{prefix}{entry.name}")
        elif entry.name not in _ALSO_ALLOWED and not entry.name.startswith("."):
            hint = did_you_mean(entry.name, FILES) or "a folder has nothing else in it"
            name = f"{prefix}{excerpt(entry.name)}"
            errors.append(
                ErrorDetail(
                    code="unknown_field",
                    message="this file is not known here",
                    file=name,
                    hint=hint,
                )
            )
    return FolderFiles(folder.name, contents, prefix), tuple(errors)


def _read(entry: Traversable, file: str) -> bytes:
    """Return the bytes of *entry*, at most one more than a file may have."""
    # A pipe could block for ever, and a link could show a file from outside the folder.
    if not entry.is_file() or (isinstance(entry, Path) and entry.is_symlink()):
        raise InvalidDocument(
            [ErrorDetail(code="unreadable", message="the file cannot be read", file=file)]
        )
    try:
        with entry.open("rb") as stream:
            content: bytes = stream.read(MAX_BYTES + 1)
            return content
    except OSError:
        raise InvalidDocument(
            [ErrorDetail(code="unreadable", message="the file cannot be read", file=file)]
        ) from None
