"""Commands run as typed, and errors put into the files that they read."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from click.testing import CliRunner

from holdback.cli.commands import holdback


def invoke(*arguments, cwd=None):
    """The output and the exit code of a command; never a traceback."""
    with contextlib.chdir(cwd or Path.cwd()):
        ran = CliRunner().invoke(holdback, [str(argument) for argument in arguments])
    assert ran.exception is None or isinstance(ran.exception, SystemExit), repr(ran.exception)
    assert "Traceback" not in ran.output
    return ran


def spoil(root, name="NL", file="renewal.toml", old="<= 3", new="<= three"):
    """Put an error into a file of *root*."""
    path = root / name / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return root


KEYS = ("file", "line", "column", "path", "code", "message", "hint")


def findings(ran):
    """The findings of `check --format json`: file, line and message."""
    assert len(ran.stdout.splitlines()) == 1
    found = json.loads(ran.stdout)
    assert list(found) == ["jurisdictions", "findings", "reviews_looked_at"]
    for each in found["findings"]:
        assert list(each) == [*KEYS, "severity"]
    return [(each["file"], each["line"], each["message"]) for each in found["findings"]]
