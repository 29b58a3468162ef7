"""The notebooks show what the code prints today."""

from __future__ import annotations

import subprocess
import sys

import pytest
from repository import ROOT

NOTEBOOKS = sorted(ROOT.glob("docs/notebooks/*.ipynb"))
# PySpark needs Java and an environment of its own: `.ci/run` runs its notebook.
ELSEWHERE = "the-same-on-spark.ipynb"


@pytest.mark.parametrize("name", [file.name for file in NOTEBOOKS if file.name != ELSEWHERE])
def test_a_notebook_shows_what_its_cells_give_today(name):
    """
    The outputs that a notebook has stored are those of a run; its first cell alone, which installs
    packages, is left out.
    """
    run = subprocess.run(
        [sys.executable, "docs/_ext/notebooks.py", name],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )

    assert run.returncode == 0, run.stderr
