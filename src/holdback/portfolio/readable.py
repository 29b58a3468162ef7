"""The answer of a row in words, for people: its outcome, the codes of what fails, the names of what is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Final

from holdback.eligibility import FLOOR_CODE
from holdback.portfolio.masks import FLOOR_BIT, JURISDICTION_BIT, ON_BIT, PLACES
from holdback.portfolio.outcome_columns import BOOK, FAILING, NEEDS, OURS, OUTCOME, chain
from holdback.portfolio.row_rulebooks import Books

CODES: Final = "codes"
# The answer in words, by the name that it has for the user, and the columns of ours that it stands in until then.
SAID: Final = {name: f"{OURS}said_{name}" for name in (OUTCOME, CODES, NEEDS)}
_BETWEEN: Final = ", "


def readable_columns(books: Books, make: ModuleType) -> Mapping[str, Any]:
    """The step from the numbers of `answers` to texts, in the columns `SAID`."""
    codes: dict[int, dict[str, list[int]]] = {FLOOR_BIT: {FLOOR_CODE: []}}
    names: dict[int, dict[str, list[int]]] = {
        JURISDICTION_BIT: {str(books.jurisdiction): []},
        ON_BIT: {str(books.on): []},
    }
    for book, rulebook in enumerate(books.rulebooks):
        for bit, rule in enumerate(rulebook.renewal.rules):
            codes.setdefault(bit, {}).setdefault(rule.code, []).append(book)
        for place, fact in enumerate(rulebook.catalogue.facts):
            names.setdefault(place, {}).setdefault(fact.name, []).append(book)
    return {
        SAID[OUTCOME]: _outcome(make),
        SAID[CODES]: _listed(make, FAILING, codes),
        SAID[NEEDS]: _listed(make, NEEDS, names),
    }


def _outcome(make: Any) -> Any:
    said = ((make.col(OUTCOME) == place, make.lit(word)) for word, place in PLACES.items())
    return chain(make, said)


def _listed(make: Any, column: str, meaning: Mapping[int, Mapping[str, Sequence[int]]]) -> Any:
    """The words of the bits that are set in the mask *column*, each bit's word in a row being that of its book."""
    words = []
    for bit, by_word in sorted(meaning.items()):
        low = make.col(column) if bit == ON_BIT else make.col(column) % (1 << bit + 1)
        is_set = low >= 1 << bit
        words.append(make.when(is_set).then(_word(make, by_word)).otherwise(make.lit("")))
    return make.concat_str(words).str.strip_chars(_BETWEEN)


def _word(make: Any, by_word: Mapping[str, Sequence[int]]) -> Any:
    """The word of a row's book among *by_word*, which names the books of each."""
    (first, _), *others = by_word.items()
    if not others:  # a bit is set only where the row's book has it
        return make.lit(f"{first}{_BETWEEN}")
    book = make.col(BOOK)
    words = (
        (book.is_in(list(each)), make.lit(f"{word}{_BETWEEN}")) for word, each in by_word.items()
    )
    return chain(make, words)
