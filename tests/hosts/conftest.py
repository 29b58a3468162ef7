"""A PostgreSQL for the tests of hosts, or a loud message when it is not installed."""

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


def pytest_terminal_summary(terminalreporter):
    if not server.INSTALLED:
        terminalreporter.write_sep("!", "PostgreSQL", red=True, bold=True)
        terminalreporter.write_line(server.MISSING, red=True, bold=True)
