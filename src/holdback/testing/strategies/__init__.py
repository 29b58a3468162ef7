"""Hypothesis strategies for the tests of a host, with the extra `testing`.

`of` draws *any* value of a type. It is valid in shape and its fields are independent, for tests
of code that stores, sends or shows values. `histories`, `merchants` and `deals` draw *reachable*
values: an engine produced them by carrying out drawn operations, so deals, money and statuses
agree.

>>> from hypothesis import find
>>> from holdback import Merchant
>>> find(of(Merchant), lambda merchant: merchant.jurisdiction != "GB").deals
()
"""

from __future__ import annotations

from holdback.testing.strategies.histories import History, Step, deals, histories, merchants
from holdback.testing.strategies.json_inputs import (
    accept_bodies,
    inputs,
    offers_bodies,
)
from holdback.testing.strategies.public_types import of
from holdback.testing.strategies.rules import evidence, facts, rulebooks
from holdback.testing.strategies.values import instants, money

__all__ = [
    "History",
    "Step",
    "accept_bodies",
    "deals",
    "evidence",
    "facts",
    "histories",
    "inputs",
    "instants",
    "merchants",
    "money",
    "of",
    "offers_bodies",
    "rulebooks",
]
