"""A check that the tests of operations share: a refusal leaves the stored state alone."""

from __future__ import annotations

import pytest

from holdback import Refusal, wire


def is_refused(journey, refusal, operation, *arguments, **options):
    """Whether *operation* is refused with *refusal*, a code and a status, and changes no byte."""
    before = wire.write_merchant(journey.merchant)
    with pytest.raises(Refusal) as caught:
        operation(*arguments, **options)
    assert wire.write_merchant(journey.merchant) == before
    return (caught.value.code, caught.value.status) == refusal
