"""What the suite has to know of an operation of the agents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any, Final, TypeAlias

from holdback.frozen_classes import frozen
from holdback.testing.conformance.simulated.exchanges import SimulatedMerchant
from holdback.testing.conformance.simulated.projection import Projection

# An id that no host issues.
UNKNOWN: Final = "00000000-0000-0000-0000-000000000000"

Bodies: TypeAlias = Iterator[Mapping[str, Any]]


@frozen(kw_only=True)
class AgentOperation:
    """
    How a random history tries an operation, and how the suite sees that it happened.

    Of a hundred actions, about `weight` try it. `bodies(merchant, today, pick, variant)` makes the
    bodies of the requests, where *pick* and *variant* are random numbers from 0 to 63.
    `took_effect(request, projection)` is whether the events show what the request asked for. Most
    often a merchant is chosen that the operation `fits`.
    """

    weight: int
    bodies: Callable[[SimulatedMerchant, date, int, int], Bodies]
    took_effect: Callable[[Any, Projection], bool]
    fits: Callable[[Projection], object] = lambda _: True
