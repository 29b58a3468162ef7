"""The checks of a host as tests for pytest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

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

        @pytest.fixture(scope="class")
        def session(self) -> Iterator[Session]:
            """The host, opened once."""
            host: Any = factory()
            session = Session(host, seed, effort or Effort())
            host.open()
            yield session
            getattr(host, "close", lambda: None)()

        @pytest.mark.parametrize("check", CHECKS, ids=[each.name for each in CHECKS])
        def test_check(self, check: Check, session: Session) -> None:
            """What the check says holds."""
            result = run_check(check, session)
            if result.lacking is not None:
                pytest.skip(result.lacking)
            if result.fault is not None:
                pytest.fail(f"{result.fault}\n  again: {again(result, seed)}", pytrace=False)

    return TestConformance
