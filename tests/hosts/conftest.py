"""A PostgreSQL for the tests of hosts; without one they are skipped, and the run says so."""

from __future__ import annotations

import postgres as server
import pytest


@pytest.fixture(scope="session")
def postgres():
    """A running PostgreSQL."""
    if not server.INSTALLED:
        pytest.skip(server.MISSING)
    with server.cluster() as running:
        yield running
