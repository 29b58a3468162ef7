"""The findings of `holdback check` in small folders, in a form that tests compare."""

from __future__ import annotations

from holdback.tools.lint.lint import findings
from small_folders import changed, country, loaded


def found(on=None, **folders):
    """Return every finding in *folders*."""
    return list(findings(loaded(**folders), on))


def only(on=None, **folders):
    """Return the one finding in *folders*: place, message, hint, and the marked characters."""
    (error,) = found(on, **folders)
    if error.source is None:
        return error.place, error.message, error.hint, None
    marked = error.source[error.column - 1 :][: error.width]
    return error.place, error.message, error.hint, marked


def added(text, *, file="renewal.toml", before="[typical]", files=None):
    """Return the country NL with *text* inserted before the typical facts."""
    return changed(files or country(), file, before, f"{text}{before}")
