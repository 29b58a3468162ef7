"""Regular files, read without waiting and without following a link.

Somebody else may change a folder while it is read. A pipe in the place of a file could block for
ever, opening a device can have effects, and a link could show a file from outside the folder.
"""

from __future__ import annotations

import os
import stat
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from holdback.errors import ErrorDetail

# The kind of an entry is looked at before it is opened. These flags, where the system has them,
# hold when the entry is replaced in between: a pipe is not waited for, a link is not followed.
_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_KINDS: Final = (
    (stat.S_ISLNK, "it is a link"),
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISFIFO, "it is a pipe"),
    (stat.S_ISSOCK, "it is a socket"),
)


class NotRegularError(OSError):
    """The entry is not a regular file; the message says what it is."""


def is_a(kind: str, entry: Traversable) -> bool:
    """Return whether *entry* is of a *kind* (`dir`, `file`, `symlink`); no when unreadable."""
    try:
        # Files in an archive have no links, and no method to ask for them.
        return bool(getattr(entry, f"is_{kind}", lambda: False)())
    except OSError:
        return False


def read_file(entry: Traversable, most: int) -> bytes:
    """
    Return the bytes of *entry*, at most the first *most*.

    Raises:
        OSError: when it is not a regular file, or cannot be read; `why_unreadable` says why.
    """
    if not isinstance(entry, Path):  # in an archive, where all files are regular
        with entry.open("rb") as stream:
            content: bytes = stream.read(most)
            return content
    _require_regular(os.lstat(entry))
    with os.fdopen(os.open(entry, _FLAGS), "rb") as stream:
        _require_regular(os.fstat(stream.fileno()))
        return stream.read(most)


def _require_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kinds = (kind for is_kind, kind in _KINDS if is_kind(status.st_mode))
        raise NotRegularError(next(kinds, "it is a device"))


def why_unreadable(error: OSError) -> str | None:
    """Return the reason of *error* for people, None where the system's words are all there is."""
    if isinstance(error, NotRegularError):
        return str(error)
    if isinstance(error, PermissionError):
        return "its permissions do not allow it"
    return "it is not there any more" if isinstance(error, FileNotFoundError) else None


def unreadable(what: str, file: str, hint: str | None = None) -> ErrorDetail:
    """Return the error that *what*, a file or a folder, cannot be read."""
    message = f"the {what} cannot be read"
    return ErrorDetail(code="unreadable", message=message, file=file, hint=hint)
