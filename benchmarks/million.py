"""A million deals as columns: the facts of `task.py`, in the forms that dataframes have.

Prepared columns are whole numbers in a fact's scale; plain ones hold pounds, percentages, text and
flags, as floats or exact decimals. Each has a version with nulls where a fact is unknown.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa
from task import CATALOGUE

from holdback.rules import Kind

COUNT = 1_000_000
UNKNOWN = 0.03

FACTS = tuple(fact.name for fact in CATALOGUE.facts)
PLACES = {fact.name: fact.type.places for fact in CATALOGUE.facts}
STATUS = CATALOGUE.facts[FACTS.index("status")].type
FLAGS = frozenset(fact.name for fact in CATALOGUE.facts if fact.type.kind is Kind.FLAG)


def drawn(random, count):
    """Return *count* deals by fact, as scaled integers, drawn like those of `random_deals`."""
    return {
        "progress": random.integers(45_0000, 100_0001, count),
        "performance": random.integers(70_0000, 120_0000, count),
        "balance": random.integers(2_000_000, size=count),
        "status": (random.random(count) >= 0.95).astype(np.int64),  # Funded, or Repaid
        "days_since_funding": random.integers(20, 300, count),
        "days_since_last_remittance": random.integers(12, size=count),
        "missed_remittances_30d": random.integers(5, size=count),
        "deals_completed": random.integers(4, size=count),
        "deals_defaulted": (random.random(count) < 0.05).astype(np.int64),
        "average_monthly_takings": random.integers(200_000, 2_000_000, count),
        "takings_trend": random.integers(80_0000, 130_0000, count),
        "identity_verified": (random.random(count) < 0.95).astype(np.int64),
    }


def decimals(numbers, places, hidden):
    """Return *numbers* with *places* decimals as an Arrow column, null where *hidden*."""
    words = np.zeros((len(numbers), 2), np.int64)  # a decimal is 128 bits wide
    words[:, 0] = numbers
    known = None if hidden is None else pa.array(~hidden).buffers()[1]
    return pa.Array.from_buffers(
        pa.decimal128(18, places), len(numbers), [known, pa.py_buffer(words)]
    )


class Million:
    """*count* deals, the same in every run, and frames of them."""

    def __init__(self, count: int = COUNT) -> None:
        random = np.random.default_rng(20260101)
        self.count = count
        self.numbers = drawn(random, count)
        self.hidden = {name: random.random(count) < UNKNOWN for name in FACTS}

    def _column(self, name, unknown):
        return self.numbers[name], self.hidden[name] if unknown else None

    def prepared(self, *, unknown: bool) -> pa.Table:
        """Return whole numbers in each fact's scale, 64 bits wide."""
        columns = {}
        for name in FACTS:
            numbers, hidden = self._column(name, unknown)
            columns[name] = pa.array(numbers, mask=hidden)
        return pa.table(columns)

    def plain(self, *, exact: bool, unknown: bool) -> pa.Table:
        """Return plain columns; pounds and percentages are decimals when *exact*, else floats."""
        columns = {}
        for name in FACTS:
            numbers, hidden = self._column(name, unknown)
            if name == "status":
                ordinals = pa.array(numbers, pa.int8(), mask=hidden)
                texts = pa.DictionaryArray.from_arrays(ordinals, list(STATUS.options))
                columns[name] = texts.cast(pa.string())
            elif name in FLAGS:
                columns[name] = pa.array(numbers.astype(bool), mask=hidden)
            elif not PLACES[name]:
                columns[name] = pa.array(numbers, mask=hidden)
            elif exact:
                columns[name] = decimals(numbers, PLACES[name], hidden)
            else:
                columns[name] = pa.array(numbers / 10.0 ** PLACES[name], mask=hidden)
        return pa.table(columns)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the known facts as NumPy prefers them: floats, integers and Booleans."""
        found = {}
        for name in FACTS:
            numbers = self.numbers[name]
            if name in FLAGS:
                found[name] = numbers.astype(bool)
            elif name == "status":
                found[name] = numbers.astype(np.int8)
            else:
                found[name] = numbers / 10.0 ** PLACES[name] if PLACES[name] else numbers
        return found

    def rows(self, *, unknown: bool):
        """Yield each deal as prepared facts, None where unknown."""
        columns = []
        for name in FACTS:
            numbers, hidden = self._column(name, unknown)
            column = numbers.tolist()
            if hidden is not None:
                for place in hidden.nonzero()[0].tolist():
                    column[place] = None
            columns.append(column)
        return zip(*columns, strict=True)

    @cached_property
    def expected(self) -> np.ndarray:
        """Return the mask of failing rules of each deal, by the function by hand."""
        from task import CODES, by_hand

        bits = {code: 1 << bit for bit, code in enumerate(CODES)}
        masks = (sum(map(bits.get, by_hand(facts))) for facts in self.rows(unknown=False))
        return np.fromiter(masks, np.int64, self.count)
