"""The three lanes of the tests, and fixtures for all of them."""

from __future__ import annotations

import gc
import secrets
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

from counts import CAMPAIGN, EVERYDAY, PLAIN, choose, count, lane
from journey import Journey
from lanes import COUNTS, LEFT_OUT, TESTS, counts_of, reason_to_leave_out, shuffled


def pytest_addoption(parser):
    lanes = parser.getgroup("lanes of the tests").addoption
    lanes("--everyday", action="store_true", help="run what the plain lane leaves out")
    lanes("--campaign", action="store_true", help="run the tests with long counts, and only these")
    lanes(
        "--order",
        metavar="SEED",
        help="run modules and the tests in each in another order: a number, or `random`",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Choose the lane before test modules are imported, when decorators read their counts."""
    if config.getoption("everyday") and config.getoption("campaign"):
        raise pytest.UsageError("--everyday and --campaign are two lanes: run one after the other")
    chosen = EVERYDAY if config.getoption("everyday") else PLAIN
    if hasattr(config, "workerinput"):
        config.option.order = config.workerinput["order"]
    elif config.option.order == "random":
        config.option.order = str(secrets.randbelow(1_000_000))
    choose(CAMPAIGN if config.getoption("campaign") else chosen)
    config.stash[LEFT_OUT] = Counter()
    config.stash[COUNTS] = None
    settings.register_profile(
        lane(),
        max_examples=count("default examples"),
        # No limits of time, because a test must not fail on a busy machine.
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
    )
    settings.load_profile(lane())


def pytest_report_header(config):
    order = f"; --order {config.option.order}" if config.option.order else ""
    return f"lane: {lane()} (tests/lanes.py, tests/counts.py){order}"


def is_named(config):
    """Whether the command line names files, folders or tests, which then run in every lane."""
    named = {(config.invocation_params.dir / arg.split("::")[0]).resolve() for arg in config.args}
    return not named <= {TESTS, config.rootpath}


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """
    Collect the tests without looking for garbage, and never look among what their modules hold.

    It lives until the run ends, and every full search would go through more than 600,000 objects.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """
    Leave out what is not of the lane, and remember how much, by the reason.

    The order is drawn before pytest puts tests together that share a fixture with parameters.
    """
    if config.option.order:
        items[:] = shuffled(items, config.option.order)
    result = yield
    leave_out(config, items)
    return result


def leave_out(config, items):
    """Remove what the lane does not run, unless it is named."""
    if is_named(config):
        return
    config.stash[COUNTS] = frozenset().union(*map(counts_of, items))
    reasons = {item: reason_to_leave_out(item, lane()) for item in items}
    config.stash[LEFT_OUT] = Counter(reason for reason in reasons.values() if reason)
    config.hook.pytest_deselected(items=[item for item in items if reasons[item]])
    items[:] = [item for item in items if not reasons[item]]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """Give the seed of the order to each process of `pytest -n`."""
    node.workerinput["order"] = node.config.option.order


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Take over from a process of `pytest -n` what it left out: all of them collect the same."""
    node.config.stash[LEFT_OUT] = Counter(getattr(node, "workeroutput", {}).get("left out"))


def pytest_sessionfinish(session):
    """Tell the process that started this one, if there is one, what was left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left out"] = dict(session.config.stash[LEFT_OUT])


def pytest_terminal_summary(terminalreporter, config):
    """Say what was left out, and why, where nobody overlooks it."""
    left_out = config.stash[LEFT_OUT]
    if left_out:
        terminalreporter.write_sep("-", f"not in the lane `{lane()}`")
        for reason, times in left_out.most_common():
            terminalreporter.write_line(f"{times:5}  {reason}")
        terminalreporter.write_line(f"{left_out.total():5}  in all")
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
