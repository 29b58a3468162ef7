"""What inputs are read with, in tests of the wire."""

from __future__ import annotations

from datetime import date

import pendulum

from holdback.exact.money import Currency
from holdback.lifecycle.input_checks import InputContext

NOW = pendulum.datetime(2030, 7, 6, 9)


def input_context(currency="GBP", *, at=NOW, deals=()):
    """The input context of a merchant with *deals*, by default long after all days in inputs."""
    day = date(at.year, at.month, at.day)
    return InputContext(currency=Currency.of(currency), at=at, day=day, deals=tuple(deals))
