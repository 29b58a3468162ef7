"""Tables that price: in each row the rate, the limit or the split of the deals that it takes.

A file has the table, and the reader of files puts its rows into the settings of the calculators
that name it. They name no parameters, as no setting does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from attrs import field

from holdback.errors import RuleError
from holdback.exact.bounds import MOST_RATIO, MOST_SPLIT, MOST_TERM_MONTHS, most_money
from holdback.exact.exact_numbers import PERCENT_PLACES, RATIO_PLACES
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.offers.calculator import TERM_MONTHS, PricingCase
from holdback.rules import Catalogue, Fact, Facts, Kind, Type, check, closure

# The name of the calculators that read a table, and the column that each kind of them reads.
TABLE: Final = "table"
MAXIMUM: Final = "maximum"
COLUMN_OF: Final[Mapping[str, str]] = MappingProxyType(
    {"factor_rate": "factor_rate", "limits": MAXIMUM, "split_percentage": "split_percentage"}
)
# The months of the term that is chosen, which a row asks for as it asks for a fact.
TERM: Final = Fact(name=TERM_MONTHS, type=Type(Kind.COUNT), low=1, high=MOST_TERM_MONTHS)


def result_columns(currency: Currency) -> Mapping[str, Fact]:
    """Return the types and the ranges of what rows give, by the name of the column."""
    scale, share, money = 10**RATIO_PLACES, 10**PERCENT_PLACES, Type(Kind.MONEY, currency)
    columns = (
        Fact(name="factor_rate", type=Type(Kind.RATIO), low=scale, high=int(MOST_RATIO) * scale),
        Fact(name=MAXIMUM, type=money, low=1, high=most_money(currency)),
        Fact(name="split_percentage", type=Type(Kind.PERCENT), low=1, high=int(MOST_SPLIT) * share),
    )
    return {column.name: column for column in columns}


def with_term(catalogue: Catalogue) -> Catalogue:
    """Return the facts that rows of prices may name: those of *catalogue*, and the chosen term."""
    return catalogue if catalogue.fact(TERM_MONTHS) else catalogue.with_facts((TERM,))


@frozen
class PriceRow:
    """A row: whether it takes a case with the numbers of the table's facts, and what it gives."""

    text: str
    result: int
    takes: Callable[[Facts], bool | int | None] = field(eq=False, repr=False)


@frozen(kw_only=True)
class PriceTable:
    """A table of one result, by the facts `on` which it depends; results are scaled numbers."""

    id: str
    on: tuple[str, ...]
    rows: tuple[PriceRow, ...]

    @property
    def highest(self) -> int:
        """The highest result of a row."""
        return max(row.result for row in self.rows)

    def possible(self, case: PricingCase) -> set[int]:
        """Return the results that *case* can have: several while a fact is unknown."""
        numbers = tuple(case.number(name) for name in self.on)
        return {row.result for row in self.rows if row.takes(numbers) is not False}


def read_price_table(value: Any, catalogue: Catalogue) -> PriceTable:
    """
    Return the table that a setting has, as the reader of files writes it.

    Raises:
        ValueError: it is something else, or its rows are not about facts of *catalogue*.
    """
    if not isinstance(value, Mapping) or not value["rows"]:
        raise ValueError("expected a table, with a price in some row")
    facts = with_term(catalogue)
    named = Catalogue(
        facts=tuple(facts.facts[facts.place(name)] for name in value["on"]),
        currency=catalogue.currency,
    )
    result = result_columns(catalogue.currency)[value["result"]]
    rows = []
    for row in value["rows"].values():
        number = result.read(row["result"])
        assert number is not None, "a row has a result"
        rows.append(_row(" and ".join(row["when"].values()), number, named))
    return PriceTable(id=value["id"], on=tuple(value["on"]), rows=tuple(rows))


# The same rows are read for each date of change.
@lru_cache(maxsize=1_024)
def _row(text: str, result: int, catalogue: Catalogue) -> PriceRow:
    from holdback.rules import parse  # noqa: PLC0415  # a rulebook may have no table

    try:
        takes = closure(check(parse(text), catalogue, Kind.FLAG)) if text else lambda _: True
    except RuleError as error:  # only where a mutant changed it
        raise ValueError(error.message) from None
    return PriceRow(text, result, takes)
