"""The built documentation, for the tests of its pages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from repository import DOCS


def pages(folder):
    """The text of each page in *folder*, by its name."""
    found = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*.html")
    }
    assert found, folder
    return found


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """
    The text of each built page, by its name; the build has no warning.

    `HOLDBACK_BUILT_DOCS` names a folder where somebody has built them just now, as `.ci/run` does.
    """
    if built_before := os.environ.get("HOLDBACK_BUILT_DOCS"):
        return pages(Path(built_before))
    out = tmp_path_factory.mktemp("html")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", str(out / "doctrees"), str(DOCS), str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return pages(out)
