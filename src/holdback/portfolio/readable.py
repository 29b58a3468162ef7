"""The answer of a row in words, for people: its outcome, the codes of what fails, the names of what is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Final

from holdback.portfolio.answers import BOOK, FAILING, NEEDS, OUTCOME
from holdback.portfolio.books import Books
from holdback.portfolio.marks import FLOOR_BIT, JURISDICTION_BIT, ON_BIT, OUTCOMES
from holdback.renewal import FLOOR_CODE

CODES: Final = "codes"
_BETWEEN: Final = ", "


def readable_columns(books: Books, make: ModuleType) -> tuple[Mapping[str, Any], ...]:
    """The steps from the numbers of `answers` to texts in the columns `outcome`, `codes` and `needs`."""
    names = [
        {place: fact.name for place, fact in enumerate(each.catalogue.facts)}
        | {JURISDICTION_BIT: str(books.jurisdiction), ON_BIT: str(books.on)}
        for each in books.rulebooks
    ]
    codes = [
        {place: rule.code for place, rule in enumerate(each.renewal.rules)}
        | {FLOOR_BIT: FLOOR_CODE}
        for each in books.rulebooks
    ]
    words = {
        OUTCOME: _outcome(make),
        CODES: _texts(make, FAILING, codes),
        NEEDS: _texts(make, NEEDS, names),
    }
    return (words,)


def _outcome(make: Any) -> Any:
    chosen = make
    for place, outcome in enumerate(OUTCOMES):
        chosen = chosen.when(make.col(OUTCOME) == place).then(make.lit(outcome))
    return chosen


def _texts(make: Any, column: str, meanings: Sequence[Mapping[int, str]]) -> Any:
    """The meanings of the bits of the mask *column* in a row, by its book, in their order."""
    parts = [_listed(make, column, meaning) for meaning in meanings]
    if len(parts) == 1:
        return parts[0]
    # A row without a book needs its own columns for one, and they mean the same in every book.
    chosen = make
    for place, part in enumerate(parts[1:], start=1):
        chosen = chosen.when(make.col(BOOK) == place).then(part)
    return chosen.otherwise(parts[0])


def _listed(make: Any, column: str, meaning: Mapping[int, str]) -> Any:
    mask = make.col(column)
    words = []
    for place, word in sorted(meaning.items()):
        is_set = (mask // (1 << place)) % 2 == 1
        with_comma = make.lit(f"{word}{_BETWEEN}")
        words.append(make.when(is_set).then(with_comma).otherwise(make.lit("")))
    return make.concat_str(words).str.strip_chars(_BETWEEN)
