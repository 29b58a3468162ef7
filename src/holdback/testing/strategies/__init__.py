"""Hypothesis strategies for hosts' own tests. They come with the extra `testing`.

There are two sorts. `of` draws *any* value of a type: valid in shape, its fields independent of each other,
for tests of whatever stores, sends and shows. `histories`, `merchants` and `deals` draw what is *reachable*: an engine
really produced it by carrying out drawn operations, so that deals, money and statuses fit together.

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
    json_numbers,
    json_objects,
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
    "json_numbers",
    "json_objects",
    "merchants",
    "money",
    "of",
    "offers_bodies",
    "rulebooks",
]
