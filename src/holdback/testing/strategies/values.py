"""Strategies for plain values: texts, ids, days, instants, exact numbers, amounts."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Final, TypeVar

from hypothesis import strategies as st
from pendulum import DateTime

from holdback.exact.exact_json import Json, Opaque, Verbatim
from holdback.exact.money import Currency, Money
from holdback.merchant.instants import utc

T = TypeVar("T")

TEXTS: Final = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
WORDS: Final = TEXTS.filter(bool)
IDS: Final = st.text("abc-123é", min_size=1, max_size=8)
# Exact JSON refuses names with NUL.
NAMES: Final = TEXTS.filter(lambda name: "\0" not in name)
DAYS: Final = st.dates()
# Currencies of two, no, three and four decimals.
CURRENCIES: Final = st.sampled_from(["GBP", "JPY", "KWD", "CLF"]).map(Currency.of)
# Whole numbers of at most 28 digits, which stay exact.
WHOLES: Final = st.integers(-(10**28) + 1, 10**28 - 1)


@st.composite
def decimals(draw: st.DrawFn, places: int = 28) -> Decimal:
    """Draw an exact decimal of at most 28 digits, which may have trailing zeros."""
    size = draw(st.integers(1, 28))
    number = draw(st.just(0) | st.integers(0, 10**size - 1))
    return Decimal(f"{draw(st.sampled_from(['', '-']))}{number}E-{draw(st.integers(0, places))}")


RATES: Final = decimals(places=10).map(abs)
VALUES: Final = st.none() | st.booleans() | WHOLES | decimals() | TEXTS


def _nested(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3)


RECORDS: Final[st.SearchStrategy[dict[str, Json]]] = st.dictionaries(
    NAMES, st.recursive(VALUES, _nested, max_leaves=6), max_size=4
)

# JSON numbers in every form, within the bounds.
NUMBERS: Final = st.one_of(
    WHOLES.map(str),
    decimals().map(lambda number: f"{number:f}"),
    st.from_regex(r"-?(0|[1-9][0-9]{0,10})(\.[0-9]{1,10})?([eE][+-]?[0-9])?", fullmatch=True),
).map(Verbatim)
CLOSED: Final[st.SearchStrategy[dict[str, Json]]] = st.dictionaries(
    NAMES,
    st.recursive(
        st.none() | st.booleans() | NUMBERS | TEXTS,
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=5,
    ),
    max_size=3,
)
OPAQUES: Final = CLOSED.map(Opaque.of)
APPLICANTS: Final = st.lists(CLOSED, min_size=1, max_size=2).map(Opaque.of)


def maybe(strategy: st.SearchStrategy[T]) -> st.SearchStrategy[T | None]:
    """Return None and the values of *strategy*."""
    return st.none() | strategy


def few(strategy: st.SearchStrategy[T], most: int = 2) -> st.SearchStrategy[tuple[T, ...]]:
    """Return tuples of at most *most* values of *strategy*."""
    return st.lists(strategy, max_size=most).map(tuple)


def as_currency(currency: Currency | str) -> Currency:
    """Return *currency*, which may be given by its code."""
    return currency if isinstance(currency, Currency) else Currency.of(currency)


@st.composite
def money(
    draw: st.DrawFn,
    currency: Currency | str | None = None,
    *,
    least: int = 0,
    most: int = 10**18 - 1,
) -> Money:
    """
    Draw an amount of *currency*, or of any, from *least* to *most* minor units.

    >>> from hypothesis import find
    >>> find(money("GBP", least=100), lambda _: True)
    Money.parse('GBP 1.00')
    """
    minor = draw(st.integers(least, most))
    return Money(minor, draw(CURRENCIES) if currency is None else as_currency(currency))


# The bounds of the instants that `Context` takes.
_EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST: Final = datetime(2999, 12, 31, tzinfo=UTC)


def instants(
    earliest: datetime | None = None, latest: datetime | None = None
) -> st.SearchStrategy[DateTime]:
    """
    Return a strategy for instants in UTC from *earliest* to *latest*, by default all possible ones.

    >>> from hypothesis import find
    >>> find(instants(), lambda _: True).isoformat()
    '2000-01-01T00:00:00+00:00'
    """
    ends = (
        end.astimezone(UTC).replace(tzinfo=None)
        for end in (earliest or _EARLIEST, latest or _LATEST)
    )
    return st.datetimes(*ends, timezones=st.just(UTC)).map(utc)


INSTANTS: Final = instants()


def days_up_to(last: date, *, most: int) -> st.SearchStrategy[date]:
    """Return days up to *last*, at most *most* days before it; *last* is the simplest."""
    return st.integers(0, most).map(lambda ago: date.fromordinal(last.toordinal() - ago))
