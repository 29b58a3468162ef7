"""The built documentation, for the tests of its pages."""

from __future__ import annotations

import subprocess
import sys

import pytest
from repository import DOCS


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The text of each built page, by its name; the build has no warning."""
    out = tmp_path_factory.mktemp("html")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", str(out / "doctrees"), str(DOCS), str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {
        path.relative_to(out).as_posix(): path.read_text(encoding="utf-8")
        for path in out.rglob("*.html")
    }
