"""
Plain columns of every type, with values at and beyond every limit, drawn from a seed.

A *storage* is how a column holds its values: 8-bit integers, decimals with ten places, midnights in
nanoseconds. A column is a fact in a storage; its name says both.
"""

from __future__ import annotations

import math
from datetime import date
from decimal import Context, Decimal
from functools import cached_property
from random import Random

import pyarrow as pa
from attrs import evolve, frozen
from expected_values import (
    EPOCH,
    INVALID,
    PER_SECOND,
    answer,
    day,
    expected_value,
    instant,
    invalid,
)
from prepared_row_cases import rulebook

from counts import count
from holdback.exact.money import Currency
from holdback.rules import Catalogue, Fact, Kind, Type, interpret
from rule_generator import RuleGenerator

HUGE = 2**62
GBP, JPY = Currency.of("GBP"), Currency.of("JPY")
PERCENT, RATIO, COUNT, DAYS, DATE, FLAG = (
    Type(kind) for kind in (Kind.PERCENT, Kind.RATIO, Kind.COUNT, Kind.DAYS, Kind.DATE, Kind.FLAG)
)
POUNDS, YEN = Type(Kind.MONEY, GBP), Type(Kind.MONEY, JPY)
# What an engine may print for a missing value is a text like any other.
WORDS = ("Funded", "funded", "", "nan", "None", "<NA>", "O'Brien", "Café", "x" * 300)
TEXT = Type(Kind.TEXT, options=WORDS)

FACTS = (
    Fact(name="progress", type=PERCENT, low=0, high=100_0000, rounded_down=True),
    Fact(name="pace", type=PERCENT, low=0, high=1_000_000_0000, rounded_down=True),
    Fact(name="growth", type=PERCENT, low=-100_0000, high=400_0000, rounded_down=True),
    Fact(name="split", type=PERCENT, low=-100_0000, high=400_0000),
    Fact(name="rate", type=RATIO, low=0, high=3_000000),
    Fact(name="slope", type=RATIO, low=-2_500000, high=10**12),
    Fact(name="balance", type=POUNDS, low=0, high=10**12),
    Fact(name="profit", type=POUNDS, low=-(10**9), high=10**9),
    Fact(name="yen", type=YEN, low=-50, high=10**12),
    Fact(name="huge_money", type=POUNDS, low=-HUGE, high=HUGE),
    Fact(name="huge_ratio", type=RATIO, low=-HUGE, high=HUGE),
    Fact(name="huge_count", type=COUNT, low=-HUGE, high=HUGE),
    Fact(name="missed", type=COUNT, low=0, high=30),
    Fact(name="age", type=DAYS, low=0, high=36_600),
    Fact(name="slack", type=DAYS, low=-400, high=400),
    Fact(name="checked_on", type=DATE, low=700_000, high=800_000),
    Fact(name="any_day", type=DATE, low=1, high=date.max.toordinal()),
    Fact(name="status", type=TEXT, low=0, high=len(WORDS) - 1),
    Fact(name="verified", type=FLAG, low=0, high=1),
)
NUMBERS = tuple(Kind(kind) for kind in ("percent", "ratio", "money", "count", "days"))
# Up to here, distinct numbers of a fact are distinct floats.
FLOATS_UP_TO = 2**50
_WIDE = Context(prec=80)


# -- storages


@frozen
class Storage:
    """
    How a column holds values: its Arrow type, and `draw`, which gives values near the limits of a
    fact.
    """

    name: str
    arrow: object
    draw: object
    kinds: tuple = NUMBERS

    def holds(self, fact):
        """Whether it can hold *fact*."""
        too_coarse = self.arrow == pa.float64() and max(-fact.low, fact.high) > FLOATS_UP_TO
        return fact.type.kind in self.kinds and not too_coarse

    def array(self, values):
        """The Arrow array of *values*."""
        if self.arrow == pa.date32():
            return pa.array([v and v.days for v in values], pa.int32()).cast(pa.date32())
        if pa.types.is_timestamp(self.arrow):
            return pa.array([v and v.ticks for v in values], pa.int64()).cast(self.arrow)
        return pa.array(values, self.arrow)


@frozen
class Day:
    """A day by its number since the start of 1970; it may be beyond the calendar."""

    days: int

    def __bool__(self):
        return True

    def document(self):
        """The same as a facts document has it."""
        return day(EPOCH + self.days)


@frozen
class Instant:
    """An instant as ticks of a unit since the start of 1970."""

    ticks: int
    unit: str

    def __bool__(self):
        return True

    def document(self):
        """The same as a facts document has it."""
        return instant(self.ticks, self.unit)


def edges(fact, random):
    """Scaled integers of *fact*: at the ends of its range, next to them, and between."""
    around = [fact.low, fact.high, 0, (fact.low + fact.high) // 2, 50_0000, 64_1234, 10**6]
    between = [random.randint(fact.low, fact.high) for _ in range(30)]
    small = [random.randint(-1000, 1000) for _ in range(10)]
    return [*(n + beside for n in around for beside in (-1, 0, 1)), *between, *small]


def integers(low, high):
    """Draws integers in major units from *low* to *high*, both included."""

    def draw(fact, random):
        scale = 10**fact.type.places
        near = [n // scale + beside for n in edges(fact, random) for beside in (0, 1)]
        return [n for n in (*near, -2, -1, 0, 1, 2, low, high) if low <= n <= high]

    return draw


def decimals(digits, places):
    """
    Draws decimals with *digits*, *places* of them after the point: at the limits and next to them.
    """

    def draw(fact, random):
        ends = (10**digits - 1, 1 - 10**digits, 0)
        shift = 10**places
        near = [n * shift // 10**fact.type.places for n in edges(fact, random)]
        numbers = [n + beside for n in near for beside in (-1, 0, 1)] + [*ends]
        numbers += [n - n % 10 ** random.randrange(places + 1) for n in near]
        return [_WIDE.scaleb(Decimal(n), -places) for n in numbers if abs(n) < 10**digits]

    return draw


def floats(fact, random):
    """
    Draws floats: the nearest to numbers, their neighbours, halves of the last place, and special
    ones.
    """
    scale = 10**fact.type.places
    found = [math.nan, math.inf, -math.inf, -0.0, 0.0, 5e-324, -5e-324, 1.7976931348623157e308]
    found += [0.1 + 0.2, 1e22, -1e22, 2.0**62, 2.0**63, 2.0**64, 1e300, -1e300]
    for number in edges(fact, random):
        nearest = number / scale
        found += [nearest, math.nextafter(nearest, math.inf), math.nextafter(nearest, -math.inf)]
        found += [(number + 0.5) / scale, nearest + random.random(), number * (1 / scale)]
    return found


def days(fact, random):
    """Draws days: at the limits, around leap years, and beyond the calendar."""
    turns = [
        date(year, month, each).toordinal()
        for year in (4, 100, 400, 1600, 1900, 1970, 2000, 2024, 2100, 9996)
        for month, each in ((1, 1), (2, 28), (3, 1), (12, 31))
    ]
    ends = [-400, -1, 0, 1, 2, date.max.toordinal(), date.max.toordinal() + 1, 4_000_000]
    return [Day(n - EPOCH) for n in (*edges(fact, random), *turns, *ends) if -1000 < n < 4_000_001]


def calendar_days(fact, random):
    """Draws days of the calendar, for storages that have no others."""
    return [each for each in days(fact, random) if each.document() != "no day"]


def instants(unit):
    """Draws midnights of those days, the ticks next to them, and noons."""

    def draw(fact, random):
        long = 86_400 * PER_SECOND[unit]
        midnights = [each.days * long for each in calendar_days(fact, random)]
        # Only days that nanoseconds can reach, so that all units have the same.
        near = [tick for tick in midnights if abs(tick) < 2**63 - long]
        beside = [n + more for n in near[::3] for more in (-1, 1, long // 2)]
        first, last = ((each - EPOCH) * long for each in (2, date.max.toordinal()))
        return [Instant(n, unit) for n in (*near, *beside) if first <= n <= last]

    return draw


def texts(fact, random):
    """Draws the declared texts, and similar ones."""
    others = [
        "FUNDED",
        "Funded ",
        " Funded",
        "Cafe",
        "Cafe\u0301",
        "null",
        "NaN",
        "O''Brien",
        "\\",
        "y",
    ]
    return [*fact.type.options, *others]


def flags(fact, random):
    return [True, False]


SIGNED = {f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)}
UNSIGNED = {f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)}
DECIMALS = ((5, 2), (9, 4), (12, 0), (18, 6), (38, 0), (38, 10), (38, 15))


def _storages():
    for name, (low, high) in {**SIGNED, **UNSIGNED}.items():
        yield Storage(name, getattr(pa, name)(), integers(low, high))
    for digits, places in DECIMALS:
        yield Storage(
            f"decimal{digits}_{places}", pa.decimal128(digits, places), decimals(digits, places)
        )
    yield Storage("float64", pa.float64(), floats)
    yield Storage("date32", pa.date32(), days, (Kind.DATE,))
    for unit in PER_SECOND:
        yield Storage(f"instant_{unit}", pa.timestamp(unit), instants(unit), (Kind.DATE,))
    yield Storage("text", pa.string(), texts, (Kind.TEXT,))
    yield Storage("dictionary", pa.dictionary(pa.int32(), pa.string()), texts, (Kind.TEXT,))
    yield Storage("boolean", pa.bool_(), flags, (Kind.FLAG,))


STORAGES = {storage.name: storage for storage in _storages()}
# Every frame has these columns, so that rules can read any kind of fact.
USUAL = {
    "progress": "decimal38_10",
    "balance": "decimal18_6",
    "rate": "float64",
    "missed": "int64",
    "age": "int32",
    "checked_on": "date32",
    "status": "text",
    "verified": "boolean",
    "profit": "decimal18_6",
    "split": "float64",
}
MOST_COLUMNS = 50
# Rows of any values, of which a column may have 382, and rows of values that can be read.
WILD, TAME = count("plain rows of any values"), count("plain rows that can be read")


# -- columns, and rows of them


@frozen
class PlainColumn:
    """A column: its fact, its storage, and its possible values, each with its expected number."""

    fact: Fact
    storage: Storage
    values: tuple

    @property
    def readable(self):
        """The values that can be read."""
        return [each for each in self.values if each[1] != INVALID]


def column(fact, storage, name):
    """The column of *fact* in *storage*."""
    random = Random(f"{fact.name} {storage.name}")
    fact = evolve(fact, name=name)
    drawn = storage.draw(fact, random)
    return PlainColumn(fact, storage, tuple((value, _expected(fact, value)) for value in drawn))


def _expected(fact, value):
    return expected_value(fact, value.document() if isinstance(value, Day | Instant) else value)


@frozen
class Frame:
    """
    A frame of plain columns, the expected number of each value, and a rulebook's answer to each
    row.
    """

    number: int
    columns: tuple[PlainColumn, ...]
    rows: tuple[tuple, ...]

    @property
    def catalogue(self):
        """The columns' facts."""
        return Catalogue(facts=tuple(each.fact for each in self.columns), currency=GBP)

    @property
    def table(self):
        """The values as an Arrow table, with a column that is not a fact."""
        values = zip(*([value for value, _ in row] for row in self.rows), strict=True)
        arrays = {
            each.fact.name: each.storage.array(list(found))
            for each, found in zip(self.columns, values, strict=True)
        }
        return pa.table({"note": ["ours"] * len(self.rows), **arrays})

    @cached_property
    def book(self):
        """A rulebook of a few or many random rules; every fourth rulebook only refers."""
        generator = RuleGenerator(Random(f"plain rules {self.number}"), self.catalogue)
        rules = [generator.rule() for _ in range((9, 1, 2, 4)[self.number % 4])]
        refers = self.number % 4 == 2
        return rulebook(self.catalogue, rules, only_refers=refers, seed=f"plain {self.number}")

    @cached_property
    def expected(self):
        """The expected outcome, failing and needs of each row."""
        return [self._answer([meaning for _, meaning in row]) for row in self.rows]

    def _answer(self, meanings):
        rules = self.book.renewal
        names = {"progress", *(name for rule in rules.rules for name in rule.checked.names)}
        read = {rules.catalogue.place(name) for name in names}
        # What no rule reads may be anything.
        meanings = [each if place in read else None for place, each in enumerate(meanings)]
        faults = [place for place, each in enumerate(meanings) if each == INVALID]
        if faults:
            return invalid(faults)
        return answer(rules, meanings, [interpret(rule.checked, meanings) for rule in rules.rules])

    @property
    def pairs(self):
        """The number of pairs of a rule and a row."""
        return len(self.book.renewal.rules) * len(self.rows)


def all_columns(storages):
    """A column for each fact in each of *storages* that can hold it."""
    return [
        column(fact, storage, f"{fact.name}_in_{storage.name}")
        for storage in storages
        for fact in FACTS
        if storage.holds(fact)
    ]


def frames(storages, wild=WILD, tame=TAME, *, whole_are_known=False, usual=USUAL):
    """
    Frames with all columns of *storages*: *wild* rows of any values, then *tame* rows of values
    that can be read.

    One cell in ten is empty; with *whole_are_known*, integers never are. *usual* are the columns
    that every frame has.
    """
    by_name = {fact.name: fact for fact in FACTS}
    here = {each.name for each in storages}
    always = [
        column(by_name[name], STORAGES[storage], name)
        for name, storage in usual.items()
        if storage in here
    ]
    more = all_columns(storages)
    count = -(-len(more) // (MOST_COLUMNS - len(always)))
    return [
        frame(start, [*always, *more[start::count]], wild, tame, whole_are_known)
        for start in range(count)
    ]


def frame(number, columns, wild, tame, whole_are_known=False):
    """A frame of *columns* with numbers of *wild* and *tame* rows."""
    random = Random(f"frame {number}")
    known = [
        whole_are_known
        and (pa.types.is_integer(each.storage.arrow) or each.fact.name == "verified")
        for each in columns
    ]
    rows = [
        [
            _any(random, each.values if row < wild else each.readable, always)
            for each, always in zip(columns, known, strict=True)
        ]
        for row in range(wild + tame)
    ]
    # Each value is in at least one row, if there are enough rows.
    for place, each in enumerate(columns):
        for row, value in enumerate(each.values[:wild]):
            rows[row][place] = value
    return Frame(number, tuple(columns), tuple(map(tuple, rows)))


def _any(random, values, always):
    """One of *values* with its number, or sometimes none, which is unknown."""
    return (None, None) if not always and random.random() < 0.1 else random.choice(values)
