"""Folders of language files, listed and read: the one that ships, and over it that of a lender."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from holdback.errors import ErrorDetail, InvalidDocument, excerpt
from holdback.jurisdictions.folder import FOLDER_NAME, LANGUAGES, bundled_path
from holdback.jurisdictions.language_file import (
    LANGUAGE_CODE,
    LanguageFile,
    merged,
    read_language_file,
)
from holdback.jurisdictions.regular_file import is_a, read_file, unreadable, why_unreadable
from holdback.jurisdictions.toml import MAX_BYTES
from holdback.rules.language import ENGLISH, Language


def language(code: str, path: str | Path | None) -> Language:
    """
    Return the language *code*: the file that ships, and over it that of the folder *path*.

    Raises:
        InvalidDocument: there is no such language, or with every error of its files.
    """
    root = bundled_path() if path is None else Path(path)
    folders = _language_folders(root, FOLDER_NAME if path is None else Path(path).resolve().name)
    errors: list[ErrorDetail] = []
    entries = [
        (entry, name)
        for folder, name in folders
        for entry in _language_entries(folder, name, errors)
    ]
    read = [
        _read_language(entry, name, errors)
        for entry, name in entries
        if entry.name == f"{code}.toml"
    ]
    if errors:
        raise InvalidDocument(errors)
    valid = [file for file in read if file is not None]
    if valid:
        return merged(valid)
    if code == ENGLISH.code:
        return ENGLISH
    codes = sorted({_code_of(entry) for entry, _ in entries})
    hint = f"there are {', '.join([ENGLISH.code, *codes])}; `languages/xx.toml` adds one"
    message = f"there is no language `{excerpt(code)}`"
    raise InvalidDocument.of("unknown_name", message, hint=hint)


def language_files(
    root: Traversable, name: str
) -> tuple[tuple[LanguageFile, ...], tuple[ErrorDetail, ...]]:
    """Return the valid language files in *root*, called *name*, and the errors of the others."""
    errors: list[ErrorDetail] = []
    ((folder, prefix),) = _language_folders(root, name)[1:]
    read = [
        _read_language(entry, prefix, errors) for entry in _language_entries(folder, prefix, errors)
    ]
    return tuple(file for file in read if file is not None), tuple(errors)


def own_texts() -> tuple[frozenset[str], frozenset[str]]:
    """Return all that holdback itself says to merchants, and the codes of the languages of that."""
    folder, name = _language_folders(bundled_path(), FOLDER_NAME)[0]
    read = [_read_language(entry, name, []) for entry in _language_entries(folder, name, [])]
    shipped = [file.language for file in read if file is not None]
    texts = frozenset(text for language in shipped for text in language.texts)
    return texts, frozenset(language.code for language in shipped)


def _language_folders(root: Traversable, name: str) -> list[tuple[Traversable, str]]:
    """Return the folders of language files with their names in errors, the one that ships first."""
    own = files(__package__) / LANGUAGES
    return [(own, f"holdback/{LANGUAGES}/"), (root / LANGUAGES, f"{name}/{LANGUAGES}/")]


def _language_entries(
    folder: Traversable, name: str, errors: list[ErrorDetail]
) -> list[Traversable]:
    """Return the entries of *folder* that are meant as language files, in the order of names."""
    try:
        entries = list(folder.iterdir()) if is_a("dir", folder) else []
    except OSError as error:
        errors.append(unreadable("folder", name.rstrip("/"), why_unreadable(error)))
        return []
    meant = (entry for entry in entries if not entry.name.startswith((".", "__")))
    return sorted(meant, key=lambda entry: entry.name)


def _code_of(entry: Traversable) -> str:
    return entry.name.removesuffix(".toml")


def _read_language(
    entry: Traversable, prefix: str, errors: list[ErrorDetail]
) -> LanguageFile | None:
    file, code = f"{prefix}{excerpt(entry.name)}", _code_of(entry)
    if code == entry.name or LANGUAGE_CODE.fullmatch(code) is None:
        hint = "a language file is named by its language, `de.toml` or `de-AT.toml`, as in ISO 639"
        message = "this is not the name of a language file"
        errors.append(ErrorDetail(code="wrong_value", message=message, file=file, hint=hint))
        return None
    try:
        body = read_file(entry, MAX_BYTES + 1)
    except OSError as error:
        errors.append(unreadable("file", file, why_unreadable(error)))
        return None
    return read_language_file(code, file, body, errors)
