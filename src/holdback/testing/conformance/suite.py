"""The checks of a host as tests for pytest."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import pytest

from holdback.testing.conformance.checks import CHECKS, Check, again, run_check
from holdback.testing.conformance.host import Host
from holdback.testing.conformance.session import Effort, Session


def conformance_suite(
    factory: Callable[[], Host], *, seed: int = 0, effort: Effort | None = None
) -> type:
    """
    A class of pytest tests, one for each check, of the host that *factory* makes.

    A check that needs what the host declares that it cannot do is skipped with that reason.

    >>> from holdback.testing.conformance import MemoryHost, conformance_suite
    >>> TestMemoryHost = conformance_suite(MemoryHost, seed=7)
    """

    class TestConformance:
        """The conformance of a host."""

        session: ClassVar[Session]

        @classmethod
        def setup_class(cls) -> None:
            """A host with an empty store, for all checks."""
            cls.session = Session(factory(), seed, effort or Effort())
            cls.session.host.open()

        @classmethod
        def teardown_class(cls) -> None:
            """Close the host, where it can be."""
            getattr(cls.session.host, "close", lambda: None)()

        @pytest.mark.parametrize("check", CHECKS, ids=[each.name for each in CHECKS])
        def test_check(self, check: Check) -> None:
            """What the check says holds."""
            result = run_check(check, self.session)
            if result.lacking is not None:
                pytest.skip(result.lacking)
            if result.fault is not None:
                pytest.fail(
                    f"{result.fault}\n  again: {again(result, self.session)}", pytrace=False
                )

    return TestConformance
