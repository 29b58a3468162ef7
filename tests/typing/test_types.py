"""The types of the public API, as the two type checkers read them that hosts use most."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CORRECT, WRONG = HERE / "correct_uses.py", HERE / "wrong_uses.py"
MARK = "# wrong"


def marked(path):
    """The lines of *path* that a checker has to report."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {(path.name, number) for number, line in enumerate(lines, 1) if line.endswith(MARK)}


def run(*command):
    """What *command* prints, run in the project's folder; a checker that did not run fails."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode in {0, 1}, f"{command[0]} did not run: {done.stdout}{done.stderr}"
    return done.stdout


def by_mypy():
    """The errors that mypy reports, each as the file's name, the line, and the message."""
    options = ("--config-file", "pyproject.toml", "--follow-imports", "silent", "--output", "json")
    for line in run("mypy", *options, str(CORRECT), str(WRONG)).splitlines():
        found = json.loads(line)
        if found["severity"] == "error":
            yield Path(found["file"]).name, found["line"], found["message"]


def by_pyright():
    """The same of pyright, by the configuration in this folder."""
    options = ("--project", str(HERE), "--pythonpath", sys.executable, "--outputjson")
    for found in json.loads(run("basedpyright", *options))["generalDiagnostics"]:
        if found["severity"] == "error":
            line = found["range"]["start"]["line"] + 1
            yield Path(found["file"]).name, line, found["message"]


@pytest.mark.parametrize("checker", [by_mypy, by_pyright])
def test_correct_uses_pass_and_mistakes_are_reported(checker):
    """
    "What is public is precisely typed": the checker accepts what a host writes, infers its types,
    and reports every mistake that is marked (decisions/layers#types).
    """
    errors = {(name, line): message for name, line, message in checker()}

    assert {place: errors[place] for place in errors.keys() - marked(WRONG)} == {}
    assert marked(WRONG) - errors.keys() == set()
    assert len(marked(WRONG)) > 50
