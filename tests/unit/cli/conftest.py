"""Folders that the tests of the commands share."""

from __future__ import annotations

import pytest

from small_folders import child, country, write


@pytest.fixture
def folder(tmp_path):
    """A folder of two jurisdictions without a finding."""
    return write(tmp_path / "shelf", NL=country(), NL_ZH=child())
