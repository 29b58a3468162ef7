"""Every benchmark runs at its smallest sizes and checks its answers; times are not looked at."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import holdback

FOLDER = Path(__file__).parents[2] / "benchmarks"
LEFT_OUT = "field.py"  # it installs other rule engines
SCRIPTS = sorted(
    path.name
    for path in FOLDER.glob("*.py")
    if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("script", [script for script in SCRIPTS if script != LEFT_OUT])
def test_a_benchmark_runs(script, tmp_path):
    """
    At its smallest, a benchmark ends without an error: its answers are right.
    """
    environment = os.environ | {"PYTHONPATH": str(Path(holdback.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, str(FOLDER / script), "--smallest"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("|") > 10, "no table"


def test_the_page_names_every_benchmark():
    """
    The page says how to run each script, and names none that is not there.
    """
    page = (FOLDER / "README.md").read_text(encoding="utf-8")

    assert set(re.findall(r"\b(\w+\.py)\b", page)) == {*SCRIPTS, "task.py"}
