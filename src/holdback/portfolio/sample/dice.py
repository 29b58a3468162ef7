"""Random integers for a synthetic portfolio, the same on every machine and with every NumPy.

They are made from the raw bits of a generator, in 64-bit integer arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdback.frozen_classes import frozen

Numbers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

# The rows of a chunk. Another number gives another portfolio for the same seed.
CHUNK: Final = 2**13


@frozen
class Dice:
    """Random integers for a chunk, drawn from raw *bits* without fractions."""

    bits: np.random.PCG64

    def below(self, bound: int) -> Numbers:
        """Integers from 0 to *bound* - 1, uniform."""
        high = (self.bits.random_raw(CHUNK) >> np.uint64(32)).astype(np.int64)
        return high * bound >> 32

    def between(self, low: int, high: int) -> Numbers:
        """Integers from *low* to *high*, uniform."""
        return low + self.below(high - low + 1)

    def bell(self, middle: int, width: int) -> Numbers:
        """Integers around *middle*, at most *width* away and mostly near: sums of four draws."""
        four = self.bits.random_raw(CHUNK).view(np.uint16).reshape(-1, 4)
        drawn: Numbers = four.sum(axis=1, dtype=np.int64) - 2**17 + 2
        return middle + (drawn * width >> 17)

    def chance(self, per_thousand: int) -> Flags:
        """True for *per_thousand* rows in a thousand."""
        return self.below(1000) < per_thousand

    def weighted(self, weights: Sequence[int]) -> Numbers:
        """Places in *weights*, as often as their weight says."""
        places = np.repeat(np.arange(len(weights), dtype=np.int64), weights)
        return np.take(places, self.below(len(places)))
