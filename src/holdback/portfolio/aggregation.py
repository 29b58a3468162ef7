"""Rows that were answered alike, counted together: what a summary and a comparison are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

import narwhals.stable.v2 as nw
from attrs import frozen

from holdback.errors import printable
from holdback.jurisdictions.rulebook import Rulebook
from holdback.money import Money
from holdback.portfolio.frames import Work
from holdback.portfolio.masks import JURISDICTION_BIT, OUTCOMES, codes, needed
from holdback.portfolio.outcome_columns import BALANCE, BOOK, FAILING, NEEDS, OURS, OUTCOME, RESULTS
from holdback.portfolio.row_rulebooks import Books

# A million million deals of a million million minor units each can be added up in two parts, and in one not.
_PART: Final = 10**9
_DEALS, _HIGH, _LOW = f"{OURS}deals", f"{OURS}high", f"{OURS}low"

_Key = TypeVar("_Key")

ANSWER: Final = (BOOK, OUTCOME, FAILING, NEEDS)
# What has to be worked out of a row before it can be counted.
COUNTED: Final = (*RESULTS, BALANCE)


@frozen
class Answer:
    """What was said of a row: by which rulebook, None where it had none, and what."""

    rulebook: Rulebook | None
    outcome: str
    codes: tuple[str, ...]
    needs: tuple[str, ...]

    @property
    def jurisdiction(self) -> str:
        """The code of the jurisdiction, or a dash where there was no rulebook."""
        return self.rulebook.code if self.rulebook else "-"


@frozen
class Amount:
    """How many deals, and what is left of those whose balance is known, in minor units."""

    deals: int = 0
    minor: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.deals + other.deals, self.minor + other.minor)


def added(parts: Iterable[tuple[_Key, Amount]]) -> dict[_Key, Amount]:
    """The amounts of *parts* with one key, added up."""
    found: dict[_Key, Amount] = {}
    for key, amount in parts:
        found[key] = found.get(key, Amount()) + amount
    return found


@frozen
class Meaning:
    """What the numbers of an answered row stand for."""

    books: Books

    def answer(self, book: int, outcome: int, failing: int, needs: int) -> Answer:
        """The answer with the place of its *book* and the numbers of a row."""
        said = OUTCOMES[outcome]
        if book < 0:
            column = self.books.jurisdiction if needs >> JURISDICTION_BIT & 1 else self.books.on
            return Answer(None, said, (), (printable(str(column)),) if needs else ())
        rulebook = self.books.rulebooks[book]
        return Answer(rulebook, said, codes(rulebook, failing), needed(rulebook, needs))


def with_book(work: Work) -> Work:
    """*work* with the place of each row's book, where there is one for all too."""
    return work if BOOK in work.columns else work.with_columns({BOOK: work.make.lit(0)})


def counted(work: Work, keys: Sequence[str]) -> Iterator[tuple[tuple[int, ...], Amount]]:
    """The rows of *work* that are alike in the whole numbers of *keys*; a null is -1."""
    frame = nw.from_native(with_book(work).native).select(*keys, BALANCE)
    left = nw.col(BALANCE)
    frame = frame.with_columns(
        *(nw.col(key).cast(nw.Int64).fill_null(-1) for key in keys),
        (left // _PART).alias(_HIGH),
        (left % _PART).alias(_LOW),
    )
    grouped = frame.group_by(*keys).agg(
        nw.len().alias(_DEALS), nw.col(_HIGH).sum(), nw.col(_LOW).sum()
    )
    rows = grouped.collect() if isinstance(grouped, nw.LazyFrame) else grouped
    for row in rows.iter_rows(named=True):
        minor = _whole(row[_HIGH]) * _PART + _whole(row[_LOW])
        yield tuple(int(row[key]) for key in keys), Amount(int(row[_DEALS]), minor)


def _whole(total: Any) -> int:
    """A sum, of which some engines make a null where there was nothing to add up."""
    return 0 if total is None or total != total else int(total)


def money(amount: Amount, rulebook: Rulebook | None) -> str:
    """What is left of the deals of *amount*, in the currency of *rulebook*; nothing where there is none."""
    return str(Money(amount.minor, rulebook.currency)) if rulebook else ""
