"""A million deals as columns: the facts of `task.py`, drawn as its random deals are, and held as frames hold them.

*Prepared* columns are whole numbers of a fact's scale; *plain* ones hold pounds, percentages, text and flags, in
floats or in exact decimals. Of all of them there is a version with nulls where a fact is unknown.
"""

from __future__ import annotations

from functools import cached_property

import numpy
import pyarrow
from task import CATALOGUE

from holdback.rules import Kind

COUNT = 1_000_000
UNKNOWN = 0.03

FACTS = tuple(fact.name for fact in CATALOGUE.facts)
PLACES = {fact.name: fact.type.places for fact in CATALOGUE.facts}
STATUS = CATALOGUE.facts[FACTS.index("status")].type
FLAGS = frozenset(fact.name for fact in CATALOGUE.facts if fact.type.kind is Kind.FLAG)


def drawn(random, count):
    """*count* deals by fact, in whole numbers of its scale: what `random_deals` draws one by one."""
    return {
        "progress": random.integers(45_0000, 100_0001, count),
        "performance": random.integers(70_0000, 120_0000, count),
        "balance": random.integers(2_000_000, size=count),
        "status": (random.random(count) >= 0.95).astype(numpy.int64),  # Funded, or Repaid
        "days_since_funding": random.integers(20, 300, count),
        "days_since_last_remittance": random.integers(12, size=count),
        "missed_remittances_30d": random.integers(5, size=count),
        "deals_completed": random.integers(4, size=count),
        "deals_defaulted": (random.random(count) < 0.05).astype(numpy.int64),
        "average_monthly_takings": random.integers(200_000, 2_000_000, count),
        "takings_trend": random.integers(80_0000, 130_0000, count),
        "identity_verified": (random.random(count) < 0.95).astype(numpy.int64),
    }


def decimals(numbers, places, hidden):
    """*numbers* of so many *places* as an Arrow column of decimals, null where *hidden*."""
    words = numpy.zeros((len(numbers), 2), numpy.int64)  # a decimal is 128 bits wide
    words[:, 0] = numbers
    known = None if hidden is None else pyarrow.array(~hidden).buffers()[1]
    return pyarrow.Array.from_buffers(
        pyarrow.decimal128(18, places), len(numbers), [known, pyarrow.py_buffer(words)]
    )


class Million:
    """*count* deals, the same ones every time, and the frames of them."""

    def __init__(self, count: int = COUNT) -> None:
        random = numpy.random.default_rng(20260101)
        self.count = count
        self.numbers = drawn(random, count)
        self.hidden = {name: random.random(count) < UNKNOWN for name in FACTS}

    def _column(self, name, unknown):
        return self.numbers[name], self.hidden[name] if unknown else None

    def prepared(self, *, unknown: bool) -> pyarrow.Table:
        """Whole numbers of each fact's scale, 64 bits wide."""
        columns = {}
        for name in FACTS:
            numbers, hidden = self._column(name, unknown)
            columns[name] = pyarrow.array(numbers, mask=hidden)
        return pyarrow.table(columns)

    def plain(self, *, exact: bool, unknown: bool) -> pyarrow.Table:
        """Pounds and percentages in decimals when *exact*, else in floats; text, flags and whole numbers."""
        columns = {}
        for name in FACTS:
            numbers, hidden = self._column(name, unknown)
            if name == "status":
                ordinals = pyarrow.array(numbers, pyarrow.int8(), mask=hidden)
                texts = pyarrow.DictionaryArray.from_arrays(ordinals, list(STATUS.options))
                columns[name] = texts.cast(pyarrow.string())
            elif name in FLAGS:
                columns[name] = pyarrow.array(numbers.astype(bool), mask=hidden)
            elif not PLACES[name]:
                columns[name] = pyarrow.array(numbers, mask=hidden)
            elif exact:
                columns[name] = decimals(numbers, PLACES[name], hidden)
            else:
                columns[name] = pyarrow.array(numbers / 10.0 ** PLACES[name], mask=hidden)
        return pyarrow.table(columns)

    def arrays(self) -> dict[str, numpy.ndarray]:
        """All known, as NumPy likes them: floats, whole numbers, the status as its number, a Boolean flag."""
        found = {}
        for name in FACTS:
            numbers = self.numbers[name]
            if name in FLAGS:
                found[name] = numbers.astype(bool)
            elif name == "status":
                found[name] = numbers.astype(numpy.int8)
            else:
                found[name] = numbers / 10.0 ** PLACES[name] if PLACES[name] else numbers
        return found

    def rows(self, *, unknown: bool):
        """Each deal as prepared facts in the order of the catalogue of the task, None where unknown."""
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
    def expected(self) -> numpy.ndarray:
        """The mask of failing rules of each deal, all facts known, by the function by hand."""
        from task import CODES, by_hand

        bits = {code: 1 << bit for bit, code in enumerate(CODES)}
        masks = (sum(map(bits.get, by_hand(facts))) for facts in self.rows(unknown=False))
        return numpy.fromiter(masks, numpy.int64, self.count)
