"""The first version, unpacked once for all tests of a process."""

from __future__ import annotations

import first_version
import pytest


@pytest.fixture(scope="session")
def first_path(tmp_path_factory):
    """The import path of the first version and its hosts."""
    return first_version.unpacked(tmp_path_factory.mktemp("first"))
