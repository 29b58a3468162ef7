"""
A synthetic portfolio that one seed reproduces everywhere.

1. Everything that becomes a fact is 64-bit integer arithmetic: minor units, days, ten-thousandths.
2. Draws come from the raw bits of PCG64, which NumPy does not change between versions.
3. Deals are made in chunks, each with its own seed, so a smaller sample starts a larger one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, get_args

import narwhals.stable.v2 as nw
import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from holdback.eligibility.facts import MOST_PERCENT, catalogue
from holdback.exact.exact_numbers import HUNDRED_PERCENT
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.merchant.deal import STATUSES, TYPES
from holdback.offers.calculator import DAYS_A_YEAR, MONTHS_A_YEAR
from holdback.portfolio.reading.named_columns import LEDGER_COLUMNS
from holdback.rules.types import Kind, Type

Backend: TypeAlias = Literal["pyarrow", "polars", "pandas"]

# The shipped jurisdictions, and the percentage of deals in each. A jurisdiction is drawn from the
# sum of all shares, so any new share changes the sample of every seed.
_CODES: Final = ("GB", "US", "US-CA", "US-NY", "CA", "DE", "AU", "IE", "CA-QC", "JP")
_SHARES: Final = (26, 24, 9, 8, 7, 7, 6, 5, 4, 4)

# The facts that shipped jurisdictions declare, with the percentages of the values 0, 1, 2 ...
_FLAG, _COUNT = Type(Kind.FLAG), Type(Kind.COUNT)
_REGISTER: Final = Type(Kind.TEXT, options=("Current", "Late", "Struck off"))
_RANK: Final = Type(Kind.TEXT, options=("First", "Second", "Lower"))
_DECLARED: Final = (
    ("register_entry_active", "AU", _FLAG, (5, 95)),
    ("register_defaults", "AU", _COUNT, (84, 10, 4, 2)),
    ("register_status", "CA-QC", _REGISTER, (86, 10, 4)),
    ("register_entries", "DE", _COUNT, (82, 11, 4, 2, 1)),
    ("disclosure_acknowledged", "US-CA", _FLAG, (9, 91)),
    ("other_advances", "US-NY", _COUNT, (68, 20, 8, 3, 1)),
    ("lien_rank", "US-NY", _RANK, (66, 20, 14)),
)

# The ages of checks in shipped jurisdictions, each with a fact of the check.
_AGES: Final = (
    ("business_age_days", "business_verified"),
    ("consumer_credit_age_days", "credit_checked_on"),
    ("identity_age_days", "identity_verified"),
    ("register_status_age_days", "register_status"),
    ("public_filings_age_days", "other_advances"),
)

# Percentages of an average month, January to December: shops, seaside resorts, other trades.
_SEASONS: Final = (
    (86, 84, 92, 95, 97, 98, 97, 95, 97, 103, 116, 140),
    (62, 64, 78, 96, 112, 130, 148, 150, 118, 92, 74, 76),
    (98, 97, 101, 100, 101, 100, 99, 98, 101, 102, 101, 102),
)
# A merchant's monthly takings in pounds, or in units worth about a pound.
_SIZES: Final = (3_000, 6_000, 9_000, 14_000, 20_000, 30_000, 45_000, 70_000, 120_000, 350_000)
# In days: terms are at most 900, and deals at most a fifth older.
_HORIZON: Final = 1_200

# Thresholds of shipped rules in tenths of a percent: some deals are at one, or a minor unit away.
_PROGRESS_MARKS: Final = (0, 500, 550, 600, 625, 650, 700, 850, 900)
_PERFORMANCE_MARKS: Final = (0, 600, 700, 725, 750, 800, 850, 900, 1100)
_TREND_MARKS: Final = (0, 550, 700, 750, 800, 850, 1050, 1100, 1600)

# What is counted from the entries of a deal.
_COUNTED: Final = ("days_since_last_remittance", "missed_remittances_30d", "longest_silence_90d")

# How many deals in a thousand lack these facts, all of them together.
_GAPS: Final = (
    # a history that is not declared complete
    (30, f"{' '.join(_COUNTED)} deals_completed deals_defaulted"),
    # a ledger that is not reconciled
    (15, f"progress performance balance {' '.join(LEDGER_COLUMNS)}"),
    (10, "performance days_since_funding months_since_funding remaining_term_days"),
    *((10, name) for name in ("status", "deal_type")),
    (30, "average_monthly_takings takings_trend"),
    (15, "takings_trend"),  # a record that is too short
    (40, "months_trading"),
    (80, "credit_score credit_checked_on"),
    *((25, name) for name in ("identity_verified", "business_verified")),
    *((25, name) for name, *_ in _DECLARED),
    (30, "deals_written_off deals_recovered refunds_due fees_owed days_past_due"),
    (25, "paused days_in_pause"),
    (20, "funded_amount"),
    (40, "renewals_in_chain"),  # the deals before it are not recorded
)

# What makes a row invalid or unknown. A text that is not declared has the place after the others.
_ERRORS: Final[tuple[tuple[str, Callable[[Numbers], Numbers | int]], ...]] = (
    ("jurisdiction", lambda _: len(_CODES)),
    ("status", lambda _: len(STATUSES)),
    ("deal_type", lambda _: len(TYPES)),
    ("balance", lambda hundredths: -1 - hundredths),
    ("average_monthly_takings", lambda hundredths: -1 - hundredths),
    ("progress", lambda progress: HUNDRED_PERCENT + 1 + progress),
    ("days_since_funding", lambda days: -1 - days),
    ("missed_remittances_30d", lambda days: 31 + days),
)
_UNDECLARED: Final = MappingProxyType(
    {"jurisdiction": "ZZ", "status": "Active", "deal_type": "Top-up"}
)

# The columns except `deal_id` and `on`. Facts are the same in every currency.
_TYPES: Final[Mapping[str, Type]] = MappingProxyType(
    {"jurisdiction": Type(Kind.TEXT, options=_CODES)}
    | {fact.name: fact.type for fact in catalogue(Currency.of("GBP")).facts}
    | {name: type_ for name, _, type_, _ in _DECLARED}
    | {name: Type(Kind.DAYS) for name, _ in _AGES}
    | {name: Type(Kind.MONEY, currency=Currency.of("GBP")) for name in LEDGER_COLUMNS}
)


def sample(n: int, seed: int, *, backend: Backend = "pyarrow", on: date = date(2026, 7, 1)) -> Any:
    """
    Return a realistic portfolio of *n* synthetic deals on the day *on*.

    *backend* is `"pyarrow"`, `"polars"` or `"pandas"` (with Arrow types). The same *n*, *seed* and
    *on* give the same rows, and a smaller *n* gives the first of them.

    The columns are `deal_id` (unique texts), `jurisdiction` (those that ship, mostly GB and US),
    `on`, every built-in fact, the facts that shipped jurisdictions declare, null in the others, the
    ages of checks, and the totals of the deal's ledger (docs/reference/portfolio.md).
    Percentages and amounts are decimals: 64.5 is 64.5%, amounts are in major units, yen are whole.
    Counts and days are integers, and the others texts, flags and dates.

    A merchant's takings have a season (of a shop, of a seaside resort, or hardly any), a trend, and
    better and worse months. A deal's terms suited the takings of its time, and a share of the
    takings repays it, so its figures agree. About one deal in seven is repaid, and one in twenty
    ended otherwise in the last 60 days. A pause began on the day itself. Some figures are at or
    next to thresholds that ship. In every row whose ledger is known and has no error, to the minor
    unit: `repayment_amount` = `remitted` + `settled` + `credited` + `balance` + `shortfall` -
    `overpaid`.

    About 3% of the values are missing, together if they have one source: the counts of an
    incomplete history, a credit score and its day. About one row in a thousand has an error:

    - `jurisdiction` is `ZZ`, which does not exist;
    - `status` is `Active` or `deal_type` is `Top-up`, which are not declared and read as unknown;
    - `balance` or `average_monthly_takings` is negative (in yen, with hundredths);
    - `progress` is above 100, `days_since_funding` below 0, or `missed_remittances_30d` above 30.

    >>> deals = sample(1000, seed=7)
    >>> deals.num_rows, deals.column("jurisdiction").slice(0, 3).to_pylist()
    (1000, ['DE', 'GB', 'US-NY'])
    >>> deals.slice(0, 3).equals(sample(3, seed=7))
    True

    Raises:
        ValueError: if an argument is not as described; *n* and *seed* are integers from 0 up.
        ModuleNotFoundError: if PyArrow, which makes every sample, or *backend* is not installed.
    """
    _check_arguments(n, seed, backend, on)
    seasons = _seasons(on)
    chunks = [_chunk(seed, number, seasons) for number in range(max(1, -(-n // CHUNK)))]
    table = _table(chunks, n, on)
    if backend == "pandas":
        import pandas as pd  # noqa: PLC0415  # only for this backend

        return table.to_pandas(types_mapper=pd.ArrowDtype)
    return nw.from_arrow(table, backend=backend).to_native()


def _check_arguments(n: object, seed: object, backend: object, on: Any) -> None:
    for name, number in (("n", n), ("seed", seed)):
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise ValueError(f"`{name}` is a whole number from 0 up, not {number!r:.60}")
    day = isinstance(on, date) and not isinstance(on, datetime)
    if not day or (on - date.min).days < _HORIZON:
        raise ValueError(f"`on` is a day such as `date(2026, 7, 1)`, not {on!r:.60}")
    if backend not in get_args(Backend):
        raise ValueError(f'`backend` is "pyarrow", "polars" or "pandas", not {backend!r:.60}')


def _seasons(on: date) -> tuple[Numbers, Numbers]:
    """
    Running sums of the seasonal factors, by trade and age in days; the second weighted by age.

    Both are flat: the sums of a trade begin at its number times `_HORIZON`.
    """
    ago = np.arange(_HORIZON)
    month = (np.datetime64(on, "D") - ago).astype("datetime64[M]").astype(np.int64) % 12
    seasons = np.array(_SEASONS)[:, month]
    seasons[:, 0] = 0  # the day itself is not over
    return seasons.cumsum(axis=1).ravel(), (seasons * ago).cumsum(axis=1).ravel()


@frozen
class _Merchants:
    """Takings: *daily* minor units when the deal was funded, and a *growth* in millionths a day."""

    seasons: tuple[Numbers, Numbers]
    trade: Numbers
    daily: Numbers
    growth: Numbers

    def takings(self, age: Numbers, oldest: Numbers | int, newest: Numbers | int) -> Numbers:
        """Takings from *oldest* to *newest* days ago, the latter excluded; *age* is the deal's."""
        # With cumulated sums a period is two look-ups; the sums times the days ago give the growth.
        start = self.trade * _HORIZON
        plain, by_age = (sums[start + oldest] - sums[start + newest] for sums in self.seasons)
        level = (10**6 + self.growth * age) * plain - self.growth * by_age
        taken: Numbers = self.daily * level // 10**8
        return taken


def _chunk(seed: int, number: int, seasons: tuple[Numbers, Numbers]) -> Columns:
    """The deals of the chunk with *number*, by column."""
    dice = Dice(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(number,))))
    jurisdiction = dice.weighted(_SHARES)
    yen = jurisdiction == _CODES.index("JP")
    daily = np.array(_SIZES)[dice.below(len(_SIZES))] * dice.between(70, 140) // 30
    daily = np.where(yen, daily * 3 // 2, daily)  # a penny is worth one and a half yen
    merchants = _Merchants(seasons, dice.weighted((40, 15, 45)), daily, dice.bell(0, 600))
    deals = _deals(dice, merchants)
    columns = {"jurisdiction": jurisdiction, **_status(dice, deals)}
    columns |= _takings(dice, merchants, deals.age) | _evidence(dice, deals.age)
    # With dice of its own, so that the other columns stay.
    later = Dice(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(number, 1))))
    columns |= after_funding(later, columns, deals)
    for name in (name for name in columns if _TYPES[name].kind is Kind.MONEY):
        columns[name] = columns[name] * np.where(yen, 100, 1)  # in hundredths, also for yen
    invalid, kind = dice.chance(1), dice.below(len(_ERRORS))
    for place, (name, spoil) in enumerate(_ERRORS):
        rows = invalid & (kind == place)
        columns[name][rows] = spoil(columns[name][rows])
    for share, names in _GAPS:
        rows = dice.chance(share) & ~invalid
        for name in names.split():
            columns[name][rows] = UNKNOWN
    for name, code, _, _ in _DECLARED:
        columns[name][columns["jurisdiction"] != _CODES.index(code)] = UNKNOWN
    return columns | _ages(columns)


def _ages(columns: Columns) -> Columns:
    """How old the results of checks are: most checks were made when the deal was funded."""
    ages = {}
    for name, fact in _AGES:
        days = columns["days_since_funding"]
        if fact == "credit_checked_on":
            days = -columns[fact]
        missing = (columns[fact] == UNKNOWN) | (days < 0)
        ages[name] = np.where(missing, UNKNOWN, days)
    return ages


def _deals(dice: Dice, merchants: _Merchants) -> DealColumns:
    """The terms on which deals are funded, and how the takings repay them."""
    # Most deals are about a month's takings; some are small sums for a few weeks.
    share = np.where(dice.chance(150), dice.between(10, 40), dice.between(50, 150))
    repayment = merchants.daily * 30 * share // 100 * dice.between(108, 140) // 100
    split = np.array((80, 100, 125, 150))[dice.below(4)]
    term = np.minimum(repayment * 1000 // (merchants.daily * split), 900)
    age = term * dice.below(1200) // 1000

    ended = np.minimum(dice.between(1, 60), age) * dice.chance(50)
    usual = np.array((0, 1, 1, 1, 1, 1, 2, 3))[dice.below(8)]
    silence = np.where(dice.chance(60), dice.between(4, 40), usual)
    silence = np.minimum(np.maximum(silence, ended), age)
    newest = np.maximum(silence, 1) - 1
    taken = merchants.takings(age, np.maximum(age - 1, newest), newest)
    pace = np.where(dice.chance(150), dice.bell(700, 300), dice.bell(1050, 400))  # some struggle
    remitted = taken * split // 1000 * pace // 1000
    expected = np.maximum(repayment * np.minimum(age - ended, term) // term, 1)
    remitted = _near_marks(dice, remitted, repayment, _PROGRESS_MARKS)
    remitted = _near_marks(dice, remitted, expected, _PERFORMANCE_MARKS)

    # At an even pace, a repaid deal took so long, and no remittance came after.
    repaid = remitted >= repayment
    took = -(-(age - silence) * repayment // np.maximum(remitted, 1))
    silence = np.where(repaid, age - took, silence)
    ended = np.where(repaid, silence, ended)
    return DealColumns(repayment, term, age, np.minimum(remitted, repayment), silence, ended)


def _near_marks(dice: Dice, part: Numbers, whole: Numbers, marks: tuple[int, ...]) -> Numbers:
    """*part*, in some rows moved to the nearest lower mark of the *whole*, or a unit from it."""
    mark = np.array(marks)[np.searchsorted(marks, part * 1000 // whole, side="right") - 1]
    marked = -(-whole * mark // 1000) + dice.between(-1, 1)
    return np.where(dice.chance(40) & (mark > 0), marked, part)


def _status(dice: Dice, deals: DealColumns) -> Columns:
    """The facts about the deals, as `derived_facts` defines them."""
    repaid = deals.remitted >= deals.repayment
    half = 2 * deals.remitted >= deals.repayment  # the floor for a renewal
    closed, reason = (deals.ended > 0) & ~repaid, dice.below(3)
    status = np.where(repaid, np.int64(REPAID), np.int64(FUNDED))
    status[closed] = DEFAULTED
    status[closed & half & (reason > 0)] = RENEWED
    status[closed & ~half & (reason == 0)] = CANCELLED
    owing = (status == FUNDED) | (status == DEFAULTED)
    # Half of the merchants that stopped remitting still had takings.
    quiet = np.maximum(deals.silence - 4, 0) * dice.chance(500)
    missed = dice.weighted((60, 18, 9, 5, 3, 2, 1, 1, 1)) + quiet
    most_missed = np.maximum(np.minimum(deals.age, 30) - deals.ended, 0)
    renewal = dice.weighted((60, 40))
    earlier = dice.weighted((60, 22, 10, 5, 3)) * dice.weighted((70, 30))
    return {
        "progress": deals.remitted * HUNDRED_PERCENT // deals.repayment,
        "performance": deals.performance,
        "balance": np.where(owing, deals.repayment - deals.remitted, 0),
        "status": status,
        "deal_type": renewal,
        "days_since_funding": deals.age,
        "days_since_last_remittance": deals.silence,
        "missed_remittances_30d": np.minimum(missed, most_missed),
        "remaining_term_days": np.maximum(deals.term - (deals.age - deals.ended), 0),
        "deals_completed": earlier + renewal,
        "deals_defaulted": dice.weighted((965, 29, 6)) + (status == DEFAULTED),
    }


def _takings(dice: Dice, merchants: _Merchants, age: Numbers) -> Columns:
    """The takings of the last 90 days, with better and worse months."""
    last, before, first = (
        merchants.takings(age, days, days - 30) * dice.bell(1000, 400) // 1000
        for days in (30, 60, 90)
    )
    upset = np.array((30, 40, 50, 60, 150, 200))[dice.below(6)]
    last = np.where(dice.chance(50), last * upset // 100, last)
    last = _near_marks(dice, last, before, _TREND_MARKS)
    return {
        "average_monthly_takings": (last + before + first) * 365 // (12 * 90),
        "takings_trend": np.minimum(last * HUNDRED_PERCENT // before, MOST_PERCENT),
    }


def _evidence(dice: Dice, age: Numbers) -> Columns:
    """The evidence of the host's checks, at the latest from the funding of the deal."""
    months = np.where(dice.chance(300), dice.between(3, 40), dice.between(12, 240))
    long_ago = np.where(dice.chance(150), dice.between(200, 800), dice.between(0, 20))
    return {
        "months_trading": months + age // 30,
        "identity_verified": dice.weighted((4, 96)),
        "business_verified": dice.weighted((5, 95)),
        "credit_score": dice.bell(680, 250),
        "credit_checked_on": -np.maximum(age, long_ago),  # days from `on`
        **{name: dice.weighted(weights) for name, _, _, weights in _DECLARED},
    }


def _table(chunks: list[Columns], n: int, on: date) -> Any:
    """The first *n* deals of *chunks* as an Arrow table."""
    import pyarrow as pa  # noqa: PLC0415  # not in the extra `frames`
    import pyarrow.compute as pc  # noqa: PLC0415  # as above

    places = pc.utf8_lpad(pa.array(np.arange(n)).cast(pa.string()), 8, "0")
    columns = {
        name: _array(name, np.concatenate([chunk[name] for chunk in chunks])[:n], on)
        for name in _TYPES
    }
    ids, days = pc.binary_join_element_wise("D", places, "-"), pa.repeat(pa.scalar(on), n)
    first = {"deal_id": ids, "jurisdiction": columns.pop("jurisdiction"), "on": days}
    return pa.table(first | columns)


def _array(name: str, numbers: Numbers, on: date) -> Any:
    """The *numbers* of the column *name* as an Arrow array of plain values."""
    import pyarrow as pa  # noqa: PLC0415  # not in the extra `frames`

    unknown, type_ = numbers == UNKNOWN, _TYPES[name]
    match type_.kind:
        case Kind.PERCENT | Kind.MONEY:
            # A decimal has 128 bits: the number, and 64 copies of its sign bit.
            validity = pa.py_buffer(np.packbits(~unknown, bitorder="little"))
            halves = pa.py_buffer(np.stack([numbers, numbers >> 63], axis=1))
            decimal = pa.decimal128(18, type_.places)
            return pa.Array.from_buffers(decimal, len(numbers), [validity, halves])
        case Kind.TEXT:
            options = pa.array([*type_.options, _UNDECLARED.get(name)])
            places = pa.array(np.where(unknown, 0, numbers), mask=unknown)
            return pa.DictionaryArray.from_arrays(places, options).cast(pa.string())
        case Kind.FLAG:
            return pa.array(numbers != 0, mask=unknown)
        case Kind.DATE:
            days = np.datetime64(on, "D") + np.where(unknown, 0, numbers)
            return pa.array(days, pa.date32(), mask=unknown)
        case _:
            return pa.array(numbers, mask=unknown)


# -- Random integers for a synthetic portfolio, the same on every machine and with every NumPy.
#
# They are made from the raw bits of a generator, in 64-bit integer arithmetic.

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


# -- What people do to the deals of the sample after the funding, and the totals of their ledgers.

Columns: TypeAlias = dict[str, Numbers]

# The places of the statuses in the declared set.
FUNDED, REPAID, RENEWED, DEFAULTED, CANCELLED, RECOVERED, UNWOUND, SETTLED = range(len(STATUSES))
UNKNOWN: Final = np.iinfo(np.int64).min
# Days after the funding in which some deals are unwound.
_COOLING_OFF: Final = 14


@frozen
class DealColumns:
    """Terms and history of deals, in days before *on*; *ended* is 0 while a deal is active."""

    repayment: Numbers
    term: Numbers
    age: Numbers
    remitted: Numbers
    silence: Numbers
    ended: Numbers

    @property
    def performance(self) -> Numbers:
        """What was remitted, as a percentage of what was expected until the deal ended."""
        elapsed = np.minimum(self.age - self.ended, self.term)
        expected = np.maximum(self.repayment * elapsed, 1)
        performance = self.remitted * HUNDRED_PERCENT * self.term // expected
        return np.where(elapsed > 0, np.minimum(performance, MOST_PERCENT), UNKNOWN)


def after_funding(dice: Dice, columns: Columns, deals: DealColumns) -> Columns:
    """
    The facts that pauses, recoveries, write-offs, refunds and fees change, and the ledgers.

    *columns* has the facts that *deals* have without these.
    """
    status = columns["status"].copy()
    recovered = (status == REPAID) & dice.chance(60)
    unwound = (status == FUNDED) & (deals.age <= _COOLING_OFF) & dice.chance(200)
    status[recovered], status[unwound] = RECOVERED, UNWOUND
    defaulted = columns["deals_defaulted"] + recovered
    lost = (defaulted > 0) & ~recovered & dice.chance(400)
    refunds_due = np.where(dice.chance(20), dice.between(100, 20_000), 0)
    paid_in_full = (status == REPAID) | recovered
    overpaid = refunds_due * paid_in_full  # of other deals, the refund is due on another one
    regained = _recoveries(dice, status, deals.remitted)
    deals = evolve(
        deals,
        remitted=deals.remitted + overpaid,
        # What was regained of a deal that is still in default came after the default.
        silence=np.where(
            (status == DEFAULTED) & (regained > 0),
            deals.ended * dice.below(1000) // 1000,
            deals.silence,
        ),
    )
    facts = {
        "status": status,
        "performance": deals.performance,
        "days_since_last_remittance": deals.silence,
        "deals_defaulted": defaulted,
        "deals_written_off": lost.astype(np.int64),
        "deals_recovered": recovered.astype(np.int64),
        "paused": ((status == FUNDED) & dice.chance(20)).astype(np.int64),
        "days_in_pause": np.zeros_like(status),
        "refunds_due": refunds_due,
    }
    refunded = np.where(paid_in_full & dice.chance(20), dice.between(100, 20_000), 0)
    ledger = _ledger(dice, status, deals, overpaid, lost)
    # Drawn after all others, or a seed gives another sample.
    settled = (status == DEFAULTED) & ~lost & dice.chance(500)
    status[settled] = SETTLED
    rest = np.where(settled, ledger["balance"], 0)
    for name, change in {"balance": -rest, "waived": rest, "credited": rest}.items():
        ledger[name] = ledger[name] + change
    fees_paid = np.where(paid_in_full & dice.chance(20), dice.between(500, 5_000), 0)
    deals = evolve(deals, remitted=deals.remitted + fees_paid)
    facts["performance"], ledger["remitted"] = deals.performance, deals.remitted
    owing = (status == DEFAULTED) & dice.chance(100)
    facts["fees_owed"] = np.where(owing, dice.between(500, 20_000), 0)
    more = {"recovered": regained, "refunded": refunded, "fees_paid": fees_paid}
    planned = (status == DEFAULTED) & dice.chance(300)
    late = np.where(dice.chance(400), dice.between(1, 90), 0)
    facts["days_past_due"] = np.where(planned, late, UNKNOWN)
    return facts | ledger | more | _terms(dice, columns, deals)


def _terms(dice: Dice, columns: Columns, deals: DealColumns) -> Columns:
    """The facts of the contracts, and silences; *columns* has what came before the deals."""
    listened = np.minimum(deals.age - deals.ended, 90)
    gap = np.array((0, 1, 1, 2, 2, 3, 4, 6, 9, 15))[dice.below(10)]
    silent = np.maximum(gap, deals.silence - deals.ended - 1)
    # Each deal in the chain before this one was completed.
    before = np.minimum(columns["deals_completed"], 1 + dice.weighted((65, 25, 10)))
    return {
        "funded_amount": deals.repayment * 100 // dice.between(112, 138),
        "repayment_amount": deals.repayment,
        "months_since_funding": deals.age * MONTHS_A_YEAR // DAYS_A_YEAR,
        "renewals_in_chain": columns["deal_type"] * before,
        "longest_silence_90d": np.minimum(silent, listened),
    }


def _recoveries(dice: Dice, status: Numbers, remitted: Numbers) -> Numbers:
    """The part of what was *remitted* that came after a default."""
    part = dice.between(50, 500)
    some = (status == DEFAULTED) & dice.chance(300)
    return np.where((status == RECOVERED) | some, remitted * part // 1000, 0)


def _ledger(
    dice: Dice, status: Numbers, deals: DealColumns, overpaid: Numbers, lost: Numbers
) -> Columns:
    """The totals of the ledgers, and the balance; *lost* deals were written off, or a part was."""
    left = deals.repayment + overpaid - deals.remitted
    part = np.where(dice.chance(500), 1000, dice.between(100, 999))
    written_off = np.where(lost & (status == DEFAULTED), -(-left * part // 1000), 0)
    waived = np.where(status == CANCELLED, left, 0)
    # Of an unwound deal the principal that came back and the rest of the charge are credited.
    credited = waived + written_off + np.where(status == UNWOUND, left, 0)
    # Some remittances were charged back after the renewal.
    charged_back = np.where(dice.chance(60), np.minimum(dice.between(100, 50_000), left // 2), 0)
    shortfall = np.where(status == RENEWED, charged_back, 0)
    owing = (status == FUNDED) | (status == DEFAULTED)
    return {
        "balance": np.where(owing, left - credited, 0),
        "remitted": deals.remitted,
        "settled": np.where(status == RENEWED, left - shortfall, 0),
        "credited": credited,
        "shortfall": shortfall,
        "overpaid": overpaid,
        "waived": waived,
        "written_off": written_off,
    }
