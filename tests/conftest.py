"""The two lanes of the tests, and fixtures for all of them."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

from counts import CAMPAIGN, EVERYDAY, choose, count, lane
from journey import Journey


def pytest_addoption(parser):
    parser.addoption(
        "--campaign",
        action="store_true",
        help="run the long counts of tests/counts.py instead of the everyday ones",
    )


def pytest_configure(config):
    """Choose the lane before test modules are imported, when decorators read their counts."""
    choose(CAMPAIGN if config.getoption("campaign") else EVERYDAY)
    settings.register_profile(
        lane(),
        max_examples=count("default examples"),
        # No limits of time, because a test must not fail on a busy machine.
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
    )
    settings.load_profile(lane())


def pytest_report_header():
    return f"counts: {lane()} (tests/counts.py)"


def pytest_terminal_summary(terminalreporter):
    """Say what was left out, and why, where nobody overlooks it."""
    skipped = terminalreporter.stats.get("skipped", ())
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in skipped
        if isinstance(report.longrepr, tuple)
    )
    if reasons:
        terminalreporter.write_sep("!", "LEFT OUT", yellow=True, bold=True)
        for reason, times in reasons.most_common():
            terminalreporter.write_line(f"{times:5}  {reason}", yellow=True)


@pytest.fixture
def journey():
    """A merchant of a partner in GB that the service has not seen before."""
    return Journey()


@pytest.fixture
def funded(journey):
    """A merchant with one active deal, funded on the first day of the journey."""
    journey.ask()
    journey.accept()
    journey.fund()
    return journey


@pytest.fixture
def renewable(funded):
    """A merchant whose active deal is 60 percent paid down, on pace, with a complete history."""
    funded.pay_down(60)
    return funded


@pytest.fixture(scope="session")
def postgres():
    """A running PostgreSQL; without one its tests are skipped, and the run says so."""
    import postgres as server  # its driver is not installed everywhere

    if not server.INSTALLED:
        pytest.skip(server.MISSING)
    with server.cluster() as running:
        yield running
