"""The one place here where files are read: folders of jurisdictions.

The jurisdictions that ship are data beside the package. In a wheel they are `bundled/` in this package;
in a checkout, which is what an editable install uses, they are the repository's own `jurisdictions/`.
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
from holdback.jurisdictions.reader import FILES, Folder, read_jurisdictions
from holdback.toml.document import MAX_BYTES, excerpt

# ISO 3166-1, or ISO 3166-2 with a subdivision.
CODE: Final = re.compile(r"[A-Z]{2}(-[A-Z0-9]{1,3})?")

_PROJECT: Final = "holdback"
_BESIDE: Final = ("README.md",)
# Folders beside the jurisdictions that are none: the schemas of their files.
_NONE: Final = ("schema",)
# The name of the repository's folder, and so of the bundled one wherever it lies: decisions name the
# file of a rule, and must not depend on where holdback is installed.
_NAME: Final = "jurisdictions"


def load_jurisdictions(path: str | Path | None = None) -> Jurisdictions:
    """
    The jurisdictions in the folder *path*, or those that ship when there is none.

    >>> "GB" in load_jurisdictions().codes
    True

    Raises:
        InvalidDocument: with every fault of every file of every jurisdiction.
    """
    if path is None:
        return load_from(bundled_path(), _NAME)
    folder = Path(path)
    if not folder.is_dir():
        raise InvalidDocument.of("there is no such folder", path=str(path))
    return load_from(folder, folder.resolve().name)


def load_from(root: Traversable, name: str) -> Jurisdictions:
    """
    The jurisdictions in *root*, a folder wherever it lies, as if its name were *name*.

    Raises:
        InvalidDocument: with every fault of every file of every jurisdiction.
    """
    jurisdictions, faults = survey(root, name)
    if faults:
        raise InvalidDocument(faults)
    return jurisdictions


def survey(root: Traversable, name: str) -> tuple[Jurisdictions, tuple[ErrorDetail, ...]]:
    """
    The jurisdictions in *root* that can be read, and every fault of every file of the others.

    What is wrong with one folder never stops the others from being read and reported.
    """
    read, noted = [], dict[str, tuple[ErrorDetail, ...]]()
    try:
        folders = list(_folders(root))
    except OSError:
        message = "the folder cannot be read"
        return Jurisdictions(()), (ErrorDetail(message=message, path=str(root)),)
    for folder in folders:
        try:
            read.append(_read_folder(folder, f"{name}/{folder.name}/"))
        except InvalidDocument as error:
            noted[folder.name] = error.errors
    found, faults = read_jurisdictions([each for each, _ in read], noted.keys())
    for each, beside in read:
        noted[each.code] = (*beside, *faults.get(each.code, ()))
    if not folders:
        own = any((root / name).is_file() for name in FILES)
        hint = "this is a jurisdiction's own folder: give the folder above it" if own else None
        message = "there is no jurisdiction in this folder"
        noted[""] = (ErrorDetail(message=message, path=str(root), hint=hint),)
    in_order = (noted[name] for name in sorted(noted))
    fine = (found[code] for code in sorted(found) if not noted[code])
    return Jurisdictions(fine), tuple(fault for faulty in in_order for fault in faulty)


def bundled_path() -> Traversable:
    """
    The folder of the jurisdictions that ship.

    Raises:
        InvalidDocument: when holdback was installed without them.
    """
    bundled = files(__package__) / "bundled"
    if bundled.is_dir():
        return bundled
    # Only a checkout of this very project may lend its folder: src/holdback/jurisdictions/folder.py.
    repository = Path(__file__).resolve().parents[3]
    if _is_this_project(repository / "pyproject.toml"):
        return repository / _NAME
    raise InvalidDocument.of(
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
    """The folders in *root* that are meant as jurisdictions, in the order of their names."""
    for entry in sorted(root.iterdir(), key=lambda each: each.name):
        meant = not entry.name.startswith((".", "__")) and entry.name not in _NONE
        if meant and (entry.is_dir() or (isinstance(entry, Path) and entry.is_symlink())):
            yield entry


def _read_folder(folder: Traversable, prefix: str) -> tuple[Folder, tuple[ErrorDetail, ...]]:
    """The files in *folder*, and what lies beside them and should not."""
    file = f"{prefix.rstrip('/').removesuffix(folder.name)}{excerpt(folder.name)}"
    if CODE.fullmatch(folder.name) is None:
        message = f"`{excerpt(folder.name)}` is not the code of a jurisdiction"
        hint = "a folder is named as `GB` or `US-CA`, by ISO 3166"
        raise InvalidDocument([ErrorDetail(message=message, file=file, hint=hint)])
    if not folder.is_dir():
        raise InvalidDocument([ErrorDetail(message="the link leads nowhere", file=file)])
    faults: list[ErrorDetail] = []
    contents: dict[str, bytes] = {}
    try:
        entries = sorted(folder.iterdir(), key=lambda each: each.name)
    except OSError:
        raise InvalidDocument(
            [ErrorDetail(message="the folder cannot be read", file=file)]
        ) from None
    for entry in entries:
        if entry.name in FILES:
            contents[entry.name] = _read(entry, f"{prefix}{entry.name}")
        elif entry.name not in _BESIDE and not entry.name.startswith("."):
            hint = did_you_mean(entry.name, FILES) or "a folder has nothing else in it"
            beside = f"{prefix}{excerpt(entry.name)}"
            faults.append(
                ErrorDetail(message="this file is not known here", file=beside, hint=hint)
            )
    return Folder(folder.name, contents, prefix), tuple(faults)


def _read(entry: Traversable, file: str) -> bytes:
    """The bytes of *entry*, never more than are looked at."""
    # A pipe would be waited for; what lies outside the folder is nobody's rule, and is not shown.
    if not entry.is_file() or (isinstance(entry, Path) and entry.is_symlink()):
        raise InvalidDocument([ErrorDetail(message="the file cannot be read", file=file)])
    try:
        with entry.open("rb") as stream:
            content: bytes = stream.read(MAX_BYTES + 1)
            return content
    except OSError:
        raise InvalidDocument([ErrorDetail(message="the file cannot be read", file=file)]) from None
