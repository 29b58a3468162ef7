"""The outcome of a row, the codes of its rules and the facts it needs, as texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Final

from holdback.eligibility.reasons import FLOOR_CODE
from holdback.portfolio.assessing.outcome_codes import FLOOR_BIT, JURISDICTION_BIT, ON_BIT, PLACES
from holdback.portfolio.assessing.outcome_columns import (
    FAILING,
    NEEDS,
    OUTCOME,
    PREFIX,
    RULEBOOK,
    Step,
    chain,
)
from holdback.portfolio.assessing.row_rulebooks import RowRulebooks

CODES: Final = "codes"
# Column in the result -> its temporary name in the work frame, where the numbers have that name.
TEXT_COLUMNS: Final = {name: f"{PREFIX}text_{name}" for name in (OUTCOME, CODES, NEEDS)}
_SEPARATOR: Final = ", "
# For each bit of a mask: its words, each with the indexes of the rulebooks that give it that word.
_Words = Mapping[int, Mapping[str, Sequence[int]]]


def text_columns(rulebooks: RowRulebooks, api: ModuleType) -> Step:
    """The step from the numbers in `RESULTS` to the texts in `TEXT_COLUMNS`."""
    codes: dict[int, dict[str, list[int]]] = {FLOOR_BIT: {FLOOR_CODE: []}}
    names: dict[int, dict[str, list[int]]] = {
        JURISDICTION_BIT: {str(rulebooks.jurisdiction_column): []},
        ON_BIT: {str(rulebooks.day_or_column): []},
    }
    for place, rulebook in enumerate(rulebooks.rulebooks):
        for bit, rule in enumerate(rulebook.renewal.rules):
            codes.setdefault(bit, {}).setdefault(rule.code, []).append(place)
        for bit, fact in enumerate(rulebook.catalogue.facts):
            names.setdefault(bit, {}).setdefault(fact.name, []).append(place)
    return {
        TEXT_COLUMNS[OUTCOME]: _outcome(api),
        TEXT_COLUMNS[CODES]: _joined(api, FAILING, codes),
        TEXT_COLUMNS[NEEDS]: _joined(api, NEEDS, names),
    }


def _outcome(api: Any) -> Any:
    cases = ((api.col(OUTCOME) == place, api.lit(outcome)) for outcome, place in PLACES.items())
    return chain(api, cases)


def _joined(api: Any, column: str, words: _Words) -> Any:
    """The words of the bits that are set in the mask *column*, with commas between them."""
    parts = []
    for bit, by_word in sorted(words.items()):
        # Not every engine has bit operators. The highest bit needs no remainder, whose divisor of
        # 2**63 would overflow.
        low = api.col(column) if bit == ON_BIT else api.col(column) % (1 << bit + 1)
        is_set = low >= 1 << bit
        parts.append(api.when(is_set).then(_word(api, by_word)).otherwise(api.lit("")))
    return api.concat_str(parts).str.strip_chars(_SEPARATOR)


def _word(api: Any, by_word: Mapping[str, Sequence[int]]) -> Any:
    """The word of a bit by the row's rulebook."""
    (first, _), *others = by_word.items()
    if not others:  # the bit is set only in rows whose rulebook has it
        return api.lit(f"{first}{_SEPARATOR}")
    rulebook = api.col(RULEBOOK)
    cases = (
        (rulebook.is_in(list(places)), api.lit(f"{word}{_SEPARATOR}"))
        for word, places in by_word.items()
    )
    return chain(api, cases)
