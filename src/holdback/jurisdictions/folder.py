"""Folders of jurisdictions, listed, read and copied; `regular_file` alone opens their files.

The jurisdictions that ship are data next to the package. In a wheel they are `bundled/` in this
package; in a checkout, which an editable install uses, they are the repository's own
`jurisdictions/`.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import islice
from pathlib import Path
from typing import Final

from holdback.errors import ConfigurationError, ErrorDetail, InvalidDocument, did_you_mean, excerpt
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions, ReadOnDemand
from holdback.jurisdictions.reader import (
    ALL_FILES,
    MAX_ERRORS,
    FolderFiles,
    read_jurisdictions,
    read_with_parents,
)
from holdback.jurisdictions.regular_file import is_a, read_file, unreadable, why_unreadable
from holdback.jurisdictions.toml import MAX_BYTES

# ISO 3166-1, or ISO 3166-2 with a subdivision.
CODE: Final = re.compile(r"[A-Z]{2}(-[A-Z0-9]{1,3})?")

# In the `pyproject.toml` of a checkout.
_PROJECT: Final = r"""(?m)^name = ["']holdback["']$"""
_ALSO_ALLOWED: Final = ("README.md",)
# The folder of language files, next to the jurisdictions and next to this file.
LANGUAGES: Final = "languages"
# Folders next to the jurisdictions that are not jurisdictions: language files, JSON Schemas.
_IGNORED: Final = ("schema", LANGUAGES)
# The repository's folder, and the name of the bundled one wherever it is installed: decisions name
# the file of a rule, and must not depend on the machine.
FOLDER_NAME: Final = "jurisdictions"
_BUNDLED: Final = "bundled"


def load_folder(path: str | Path) -> Jurisdictions:
    """
    Return the jurisdictions in the folder *path*.

    Raises:
        InvalidDocument: with every error of every file of every jurisdiction.
    """
    folder = Path(path)
    try:
        if not folder.is_dir():
            raise InvalidDocument([_no_folder(folder)])
        name = folder.resolve().name
    except OSError:
        raise InvalidDocument([unreadable("folder", str(path))]) from None
    return load_from(folder, name)


def _no_folder(path: Path) -> ErrorDetail:
    """Return the error that there is no folder at *path*."""
    if path.exists():
        hint = "give the folder of the jurisdictions, which has a folder for each of them"
        return ErrorDetail(
            code="wrong_value", message="this is not a folder", file=str(path), hint=hint
        )
    return ErrorDetail(code="missing", message="there is no such folder", file=str(path))


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
    except OSError as error:
        return Jurisdictions(()), (unreadable("folder", str(root), why_unreadable(error)),)
    for folder in folders:
        try:
            contents.append(read_folder(folder, f"{name}/{folder.name}/"))
        except InvalidDocument as error:
            errors[folder.name] = error.errors
    read, invalid = read_jurisdictions([content for content, _ in contents], errors.keys())
    for content, unexpected in contents:
        errors[content.code] = (*unexpected, *invalid.get(content.code, ()))
    if not folders:
        is_one = any(is_a("file", root / file) for file in ALL_FILES)
        hint = "this is a jurisdiction's own folder: give the folder above it" if is_one else None
        message = "there is no jurisdiction in this folder"
        errors[""] = (ErrorDetail(code="missing", message=message, file=str(root), hint=hint),)
    valid = (read[code] for code in sorted(read) if not errors[code])
    return Jurisdictions(valid), tuple(
        error for folder_name in sorted(errors) for error in errors[folder_name]
    )


# Nothing in them changes, so a process reads each of them once.
@cache
def bundled() -> Jurisdictions:
    """Return the jurisdictions that ship, of which no file is opened yet."""
    root = bundled_path()
    try:
        folders = {folder.name: folder for folder in _folders(root)}
    except OSError:
        folders = {}
    if not folders:
        return load_from(root, FOLDER_NAME)  # which says what is wrong
    return Jurisdictions(ReadOnDemand(folders, partial(_read_bundled, folders)))


def _read_bundled(
    folders: Mapping[str, Traversable],
    code: str,
    held: Mapping[str, Jurisdiction],
) -> Mapping[str, Jurisdiction]:
    """
    Return *held* and the jurisdiction *code* in *folders*, with its parents.

    Raises:
        ConfigurationError: with every error of every file of these: they are nobody's request.
    """
    errors: list[ErrorDetail] = []

    def files_of(folder: str) -> FolderFiles:
        content, unexpected = read_folder(folders[folder], f"{FOLDER_NAME}/{folder}/")
        errors.extend(unexpected)
        return content

    try:
        read, invalid = read_with_parents(code, files_of, folders.keys(), held)
    except InvalidDocument as error:  # a folder that cannot be read
        raise ConfigurationError([*errors, *error.errors]) from None
    errors += [error for name in sorted(invalid) for error in invalid[name]]
    if errors:
        raise ConfigurationError(errors)
    return read


def bundled_path() -> Traversable:
    """
    Return the folder of the jurisdictions that ship.

    Raises:
        ConfigurationError: when holdback was installed without them.
    """
    here = Path(__file__).resolve()
    if (here.parent / _BUNDLED).is_dir():
        return here.parent / _BUNDLED
    # This file is src/holdback/jurisdictions/folder.py in a checkout. Check that it is this
    # project: installed elsewhere, three folders up could be anybody's.
    repository = here.parents[3]
    if _is_this_project(repository / "pyproject.toml"):
        return repository / FOLDER_NAME
    # An archive on the import path. Only here, because `files` imports what reads archives.
    bundled = files(__package__) / _BUNDLED
    if bundled.is_dir():
        return bundled
    raise ConfigurationError.of(
        "missing",
        "holdback was installed without its jurisdictions",
        hint="install a wheel, or give the path of a folder of jurisdictions",
    )


def _is_this_project(pyproject: Path) -> bool:
    try:
        content = pyproject.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    return re.search(_PROJECT, content) is not None


def _folders(root: Traversable) -> Iterator[Traversable]:
    """Yield what is meant as a jurisdiction in *root*, in the order of names."""
    for entry in sorted(root.iterdir(), key=lambda entry: entry.name):
        ignored = entry.name.startswith((".", "__")) or entry.name in _IGNORED
        # What has a code for its name is meant as one, even if it is not a folder or is unreadable.
        if not ignored and (_is_code(entry.name) or is_a("dir", entry) or is_a("symlink", entry)):
            yield entry


def _is_code(name: str) -> bool:
    return CODE.fullmatch(name) is not None


def read_folder(folder: Traversable, prefix: str) -> tuple[FolderFiles, tuple[ErrorDetail, ...]]:
    """
    Return the files in *folder*, and an error for each file that does not belong there.

    Raises:
        InvalidDocument: the folder cannot be read, or some of its files; each of them is named.
    """
    file = f"{prefix.rstrip('/').removesuffix(folder.name)}{excerpt(folder.name)}"
    if not _is_code(folder.name):
        message = f"`{excerpt(folder.name)}` is not the code of a jurisdiction"
        hint = "a folder is named as `GB` or `US-CA`, by ISO 3166"
        raise InvalidDocument(
            [ErrorDetail(code="wrong_value", message=message, file=file, hint=hint)]
        )
    try:
        if is_a("file", folder):
            raise NotADirectoryError
        # Sorting lists all of them, and so meets the errors of the listing here.
        entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    except OSError as error:
        raise InvalidDocument([_unlisted(folder, file, error)]) from None
    contents: dict[str, bytes] = {}
    invalid: list[ErrorDetail] = []
    for entry in entries:
        if entry.name in ALL_FILES:
            try:
                # One byte more than a file may have, so that the reader sees that it is too long.
                contents[entry.name] = read_file(entry, MAX_BYTES + 1)
            except OSError as error:
                name = f"{prefix}{entry.name}"
                invalid.append(unreadable("file", name, why_unreadable(error)))
    unexpected = tuple(_unexpected((entry.name for entry in entries), prefix))
    if invalid:  # what the other files say may be wrong without these
        raise InvalidDocument([*unexpected, *invalid])
    return FolderFiles(folder.name, contents, prefix), unexpected


def _unexpected(names: Iterable[str], prefix: str) -> Iterator[ErrorDetail]:
    """Yield an error for each of *names* that does not belong into a folder."""
    allowed = (*ALL_FILES, *_ALSO_ALLOWED)
    others = (name for name in names if name not in allowed and not name.startswith("."))
    for name in islice(others, MAX_ERRORS):
        yield ErrorDetail(
            code="unknown_field",
            message="this file is not known here",
            file=f"{prefix}{excerpt(name)}",
            hint=did_you_mean(name, ALL_FILES) or "a folder has nothing else in it",
        )


def _unlisted(folder: Traversable, file: str, error: OSError) -> ErrorDetail:
    """Return the error about *folder*, which has a code for its name and cannot be listed."""
    if is_a("symlink", folder) and error.errno in {errno.ENOENT, errno.ELOOP}:
        return ErrorDetail(code="unreadable", message="the link leads nowhere", file=file)
    if isinstance(error, NotADirectoryError):
        hint = "a jurisdiction is a folder of files"
        return ErrorDetail(code="wrong_value", message="this is not a folder", file=file, hint=hint)
    return unreadable("folder", file, why_unreadable(error))


@frozen
class CopiedJurisdictions:
    """
    The `folder` to which jurisdictions were copied, and their `codes`.

    Shown, it says what to do with them.
    """

    folder: str
    codes: tuple[str, ...]

    def __repr__(self) -> str:
        return (
            f"{len(self.codes)} jurisdictions were copied to {self.folder}: "
            f"{', '.join(self.codes)}.\n"
            f"Change their files, such as {Path(self.folder, self.codes[0], 'renewal.toml')}, "
            f"and then ask what would become of your deals:\n"
            f"    proposal = load_jurisdictions({self.folder!r})\n"
            f"    portfolio.compare(deals, load_jurisdictions(), proposal)\n"
            f"`holdback check {self.folder}` reports every error in the files."
        )


def copy_jurisdictions(folder: str | Path) -> CopiedJurisdictions:
    """
    Copy the jurisdictions that ship to *folder*, a new one, and return what was copied.

    The JSON Schemas of the files are copied as well, so that editors check them. Nothing is
    overwritten. Rulebooks of the copy are not marked as proposals: to holdback they are like those
    of any folder.

    Raises:
        InvalidDocument: there is something at *folder* already, or it cannot be written.
        ConfigurationError: holdback was installed without its jurisdictions.
    """
    target, source = Path(folder), bundled_path()
    folders = sorted(
        (entry for entry in source.iterdir() if entry.is_dir() and _is_copied(entry)),
        key=lambda entry: entry.name,
    )
    try:
        target.mkdir()
        for copied in folders:
            _copy(copied, target / copied.name)
    except FileExistsError:
        raise InvalidDocument.of(
            "duplicate",
            f"there is something at `{folder}` already, and nothing is overwritten",
            hint="give the name of a new folder",
        ) from None
    except FileNotFoundError:
        raise InvalidDocument.of(
            "missing",
            f"there is no folder `{target.parent}` to copy them into",
            hint="make it first, or give another folder",
        ) from None
    except OSError as error:
        raise InvalidDocument.of(
            "unreadable", f"the folder `{folder}` cannot be written", hint=why_unreadable(error)
        ) from None
    names = (copied.name for copied in folders)
    codes = tuple(name for name in names if (target / name / "jurisdiction.toml").exists())
    return CopiedJurisdictions(str(folder), codes)


def _is_copied(entry: Traversable) -> bool:
    return not entry.name.startswith((".", "__"))


def _copy(source: Traversable, target: Path) -> None:
    target.mkdir()
    for entry in filter(_is_copied, source.iterdir()):
        (target / entry.name).write_bytes(entry.read_bytes())
