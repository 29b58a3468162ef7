"""What `holdback check` finds in small folders, in a form that tests compare."""

from __future__ import annotations

from holdback.workbench.lint import findings
from small_folders import changed, country, loaded


def found(on=None, **folders):
    """Every finding in *folders*."""
    return list(findings(loaded(**folders), on))


def only(on=None, **folders):
    """The one finding in *folders*: place, message and hint, and the characters that it points at."""
    (fault,) = found(on, **folders)
    if fault.source is None:
        return fault.place, fault.message, fault.hint, None
    marked = fault.source[fault.column - 1 :][: fault.width]
    return fault.place, fault.message, fault.hint, marked


def added(text, *, file="renewal.toml", before="[typical]", files=None):
    """The country NL with *text* put before the typical facts."""
    return changed(files or country(), file, before, f"{text}{before}")
