"""Which rulebook assesses which row of a frame."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from functools import reduce
from typing import Any

from attrs import field, frozen

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.rulebook import Rulebook
from holdback.rules.types import Fact

# What a user hands in: one rulebook for every row, or the jurisdictions among which columns choose.
Rules = Rulebook | Jurisdictions


@frozen(kw_only=True)
class Books:
    """
    The rulebooks that rows may be assessed by, and the columns that say which.

    `jurisdiction` is the column with the code, None where there is one rulebook for all. `on` is the column with
    the day, or the one day of all rows. `codes` are those of all jurisdictions, also of such as have no rulebook here.
    """

    rulebooks: tuple[Rulebook, ...]
    jurisdiction: str | None = None
    on: str | date | None = None
    codes: tuple[str, ...] = ()

    facts: Mapping[str, Mapping[Fact, tuple[int, ...]]] = field(init=False, eq=False, repr=False)

    @facts.default
    def _by_name(self) -> Mapping[str, Mapping[Fact, tuple[int, ...]]]:
        """The facts of all the books by name, and of those with one name that are read alike, whose they are."""
        found: dict[str, dict[Fact, tuple[int, ...]]] = {}
        for facts, books in self._catalogues().items():
            for fact in facts:
                alike = found.setdefault(fact.name, {})
                key = next((each for each in alike if _read_alike(each, fact)), fact)
                alike[key] = (*alike.get(key, ()), *books)
        return found

    def _catalogues(self) -> Mapping[tuple[Fact, ...], tuple[int, ...]]:
        """The facts that books have, and which books have the same."""
        found: dict[tuple[Fact, ...], tuple[int, ...]] = {}
        for place, rulebook in enumerate(self.rulebooks):
            facts = rulebook.catalogue.facts
            found[facts] = (*found.get(facts, ()), place)
        return found

    @property
    def read(self) -> Mapping[str, Collection[str]]:
        """The facts that rules read, and progress, which is read first; and of which jurisdictions the rules are."""
        found: dict[str, dict[str, None]] = {}
        for book in self.rulebooks:
            found.setdefault("progress", {})[book.code] = None
            for rule in book.renewal.rules:
                for name in rule.checked.names:
                    found.setdefault(name, {})[book.code] = None
        return found


def _read_alike(one: Fact, other: Fact) -> bool:
    """Whether a column is read as *one* exactly as it is read as *other*."""
    return (one.type.kind, one.type.places, one.type.options, one.low, one.high, one.derived) == (
        other.type.kind,
        other.type.places,
        other.type.options,
        other.low,
        other.high,
        other.derived,
    )


def books_of(rules: Rules, jurisdiction: str, on: str | date, codes: Collection[Any] = ()) -> Books:
    """
    The books of *rules*; where it is known which *codes* occur, only theirs.

    Raises:
        InvalidDocument: when there are none, or *on* is neither a column's name nor a day.
    """
    if isinstance(rules, Rulebook):
        return Books(rulebooks=(rules,))
    if isinstance(on, datetime) or not isinstance(on, str | date):
        raise InvalidDocument.of(
            "expected the name of a column of dates, or a date such as 2026-07-01", path="on"
        )
    if not isinstance(rules, Jurisdictions):
        raise InvalidDocument.of(
            "expected a rulebook or jurisdictions",
            path="rules",
            hint='as load_jurisdictions() or load_jurisdictions().resolve("GB", on=date(2026, 7, 1))',
        )
    occurring = {code for code in codes if isinstance(code, str)}
    if isinstance(on, str):
        books = [book for each in rules for book in each.slices]
    else:
        books = [each.rulebook(on) for each in rules if each.changes[0] <= on]
    found = tuple(book for book in books if book.code in occurring) or tuple(books)
    if not found:
        message = "there are no jurisdictions" if not len(rules) else f"none has rules on {on}"
        raise InvalidDocument([ErrorDetail(message=message, path="rules")])
    return Books(rulebooks=found, jurisdiction=jurisdiction, on=on, codes=rules.codes)


@frozen
class Shelf:
    """Writes which book a row belongs to, with the functions of *make*."""

    books: Books
    make: Any

    def book(self, day: Any | None) -> Any:
        """The place of each row's book, null where it has none; *day* is the number of its day, if rows have any."""
        named = self.make.col(self.books.jurisdiction).cast(self.make.String)
        chosen: Any = None
        for place, rulebook in self._latest_first():
            mine = named == self.make.lit(rulebook.code)
            if day is not None:
                mine &= day >= rulebook.on.toordinal()
            chosen = (self.make if chosen is None else chosen).when(mine).then(place)
        return chosen

    def lacking(self, jurisdiction: Any, day: Any) -> Any:
        """Of a row without a book, *jurisdiction* where there is none such, *day* where that has no rules then."""
        named = self.make.col(self.books.jurisdiction).cast(self.make.String)
        codes = self.books.codes
        known = reduce(
            lambda one, other: one | other, [named == self.make.lit(code) for code in codes]
        )
        return self.make.when(known).then(day).otherwise(jurisdiction)

    def _latest_first(self) -> Sequence[tuple[int, Rulebook]]:
        placed = enumerate(self.books.rulebooks)
        return sorted(placed, key=lambda each: each[1].on, reverse=True)
