"""Columns of each row's rulebook, and of the masks of facts that depend on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any, Final

from holdback.frozen_classes import frozen
from holdback.portfolio.assessing.outcome_codes import JURISDICTION_BIT, ON_BIT
from holdback.portfolio.assessing.outcome_columns import (
    PREFIX,
    RULEBOOK,
    Expr,
    chain,
    int64_literal,
)
from holdback.portfolio.assessing.row_rulebooks import RowRulebooks
from holdback.rulebooks.rulebook import Rulebook

# The column with the place of a row's code among those of all jurisdictions.
CODE_PLACE: Final = f"{PREFIX}code_place"
KEY_BITS: Final = (JURISDICTION_BIT, ON_BIT)


@frozen
class RulebookColumns:
    """Expressions of the columns of *rulebooks*, made by *api*."""

    rulebooks: RowRulebooks
    api: Any

    def code_place(self) -> Expr:
        """The place of each row's code among all codes, null if it is none of them."""
        code = self.api.col(self.rulebooks.jurisdiction_column).cast(self.api.String)
        cases = ((code == self.api.lit(own), n) for n, own in enumerate(self.rulebooks.codes))
        return chain(self.api, cases)

    def place(self, code: Expr, day: Expr | None) -> Expr:
        """
        The place of each row's rulebook, null if it has none.

        *code* is the place of the row's code, *day* the ordinal of its day, None if all rows have
        one day.
        """
        cases = []
        for place, rulebook in self._latest_first():
            matches = code == self.rulebooks.codes.index(rulebook.code)
            if day is not None:
                matches &= day >= rulebook.on.toordinal()
            cases.append((matches, place))
        return chain(self.api, cases)

    def _latest_first(self) -> Sequence[tuple[int, Rulebook]]:
        # INVARIANT: the first rulebook that has begun by the day is the one in force.
        placed = enumerate(self.rulebooks.rulebooks)
        return sorted(placed, key=lambda place_and_rulebook: place_and_rulebook[1].on, reverse=True)

    def unreadable(self, mask: Expr | None) -> Expr:
        """*mask*, or for a row without a rulebook the bit of the column that is the cause."""
        mask = int64_literal(self.api, 0) if mask is None else mask
        if self.rulebooks.jurisdiction_column is None:
            return mask
        col, jurisdiction, on = (
            self.api.col,
            int64_literal(self.api, 1 << JURISDICTION_BIT),
            int64_literal(self.api, 1 << ON_BIT),
        )
        cause = self.api.when(col(CODE_PLACE).is_null()).then(jurisdiction).otherwise(on)
        return self.api.when(col(RULEBOOK).is_null()).then(cause).otherwise(mask)

    def fact_bit(self, name: str, *, unread: bool) -> Expr:
        """
        The bit of the fact *name*, and 0 where no rule of the row's rulebook reads it.

        With *unread*, it is 0 where the row's rulebook does not declare it.
        """
        by_bit = self.rulebooks.bits(name, unread=unread)
        if len(by_bit) == 1 and len(*by_bit.values()) == len(self.rulebooks.rulebooks):
            return int64_literal(self.api, 1 << next(iter(by_bit)))
        cases = (
            (in_rulebooks(self.api, places), int64_literal(self.api, 1 << bit))
            for bit, places in by_bit.items()
        )
        return chain(self.api, cases, int64_literal(self.api, 0))

    def read_bits(self, mask: Expr) -> Expr:
        """The prepared *mask*, without the facts that no rule of the row's rulebook reads."""
        everywhere = range(len(self.rulebooks.rulebooks))
        parts = []
        for bit, places in (*((bit, everywhere) for bit in KEY_BITS), *self.bits_read()):
            part = mask // (1 << bit) % 2 * (1 << bit)  # not every engine has `&` for numbers
            cases = [(in_rulebooks(self.api, places), part)]
            is_everywhere = len(places) == len(everywhere)
            parts.append(
                part if is_everywhere else chain(self.api, cases, int64_literal(self.api, 0))
            )
        return reduce(add, parts)

    def bits_read(self) -> Iterable[tuple[int, Sequence[int]]]:
        """Each bit of a fact in a mask, with rulebooks whose rules read the fact."""
        for name in self.rulebooks.codes_by_fact:
            yield from self.rulebooks.bits(name).items()


def in_rulebooks(api: Any, places: Sequence[int]) -> Expr:
    """Whether a row's rulebook is one of those at *places*."""
    return api.col(RULEBOOK).is_in(list(places))
