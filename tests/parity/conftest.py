"""Frames of any values: which columns are suspected is tested in the unit tests."""

from __future__ import annotations

import warnings

import pytest

from holdback.portfolio import SuspectColumns


@pytest.fixture(autouse=True)
def _unsuspected():
    """No warning of suspected columns, most of whose values are drawn or hostile."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuspectColumns)
        yield
