"""The checks of a host as tests for pytest."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import pytest

from holdback.testing.conformance.check_table import CHECKS, Check, rerun_options, run_check
from holdback.testing.conformance.host import Host
from holdback.testing.conformance.session import Effort, Session


def conformance_suite(
    factory: Callable[[], Host], *, seed: int = 0, effort: Effort | None = None
) -> type:
    """
    Return a class of pytest tests, one for each check, of the host that *factory* makes.

    A check that needs a method which the host does not have is skipped, with the host's reason.

    >>> from holdback.testing.conformance import MemoryHost, conformance_suite
    >>> TestMemoryHost = conformance_suite(MemoryHost, seed=7)
    """

    class TestConformance:
        """The conformance of one host."""

        session: ClassVar[Session]

        @classmethod
        def setup_class(cls) -> None:
            """Make one host with an empty store for all checks."""
            cls.session = Session(factory(), seed, effort or Effort())
            cls.session.host.open()

        @classmethod
        def teardown_class(cls) -> None:
            """Close the host, if it has a method `close`."""
            getattr(cls.session.host, "close", lambda: None)()

        @pytest.mark.parametrize("check", CHECKS, ids=[check.name for check in CHECKS])
        def test_check(self, check: Check) -> None:
            """The check holds."""
            result = run_check(check, self.session)
            if result.skipped is not None:
                pytest.skip(result.skipped)
            if result.broken is not None:
                options = rerun_options(result, self.session)
                pytest.fail(
                    f"{result.broken}\n  run again: holdback conformance HOST {options}",
                    pytrace=False,
                )

    return TestConformance
