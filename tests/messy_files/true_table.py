"""The true table of the messy files, and its typed values."""

from __future__ import annotations

from datetime import date
from functools import cache

import polars as pl
from attrs import evolve, frozen

from holdback import load_jurisdictions
from holdback.portfolio import assess, sample

DAY = date(2026, 7, 1)
PERCENTAGES = ("progress", "performance", "takings_trend")
AMOUNTS = ("balance", "average_monthly_takings")
# The columns of AU: a fact of each kind that files have.
_FACTS = (
    *PERCENTAGES,
    *AMOUNTS,
    "status",
    "deal_type",
    "days_since_funding",
    "missed_remittances_30d",
    "months_trading",
    "credit_score",
    "credit_checked_on",
    "register_defaults",
    "register_entry_active",
    "paused",
)
# More columns that JP reads.
_FACTS_OF_JP = (
    "business_verified",
    "days_since_last_remittance",
    "deals_completed",
    "deals_defaulted",
    "identity_verified",
    "paused",
    "remaining_term_days",
)
WHOLE = (
    "days_since_funding",
    "missed_remittances_30d",
    "months_trading",
    "credit_score",
    "register_defaults",
)
DATES = ("on", "credit_checked_on")
ROWS = 40


@frozen
class Table:
    """A table as texts: its heads and rows; an empty text is a missing value."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def each(self, head, change):
        """The table with *change* applied to every value of the column *head* that is there."""
        place = self.heads.index(head)
        rows = tuple(
            (*row[:place], change(row[place]) if row[place] else "", *row[place + 1 :])
            for row in self.rows
        )
        return evolve(self, rows=rows)

    def cell(self, number, head, text):
        """The table with *text* in row *number*, counted from 1, of the column *head*."""
        place = self.heads.index(head)
        row = self.rows[number - 1]
        changed = (*row[:place], text, *row[place + 1 :])
        return evolve(self, rows=(*self.rows[: number - 1], changed, *self.rows[number:]))

    def column(self, head):
        """The texts of the column *head*."""
        place = self.heads.index(head)
        return [row[place] for row in self.rows]


@cache
def true_deals(code: str) -> pl.DataFrame:
    """Forty deals of *code* that can be read, with many outcomes."""
    columns = _FACTS if code == "AU" else (*_FACTS[:-5], *_FACTS_OF_JP)
    deals = sample(4_000, seed=11, backend="polars").filter(pl.col("jurisdiction") == code)
    answers = assess(deals, load_jurisdictions(), readable=True)
    deals = deals.filter((answers["outcome"] != "invalid") & (answers["status"].is_not_null()))
    return deals.head(ROWS).select("deal_id", "jurisdiction", "on", *columns)


@cache
def true_answers(code: str) -> pl.DataFrame:
    """What the rules say of the true deals."""
    assessed = assess(true_deals(code), load_jurisdictions(), readable=True)
    return assessed.select("deal_id", "outcome", "codes", "needs")


@cache
def true_table(code: str) -> Table:
    """The true deals as texts."""
    deals = true_deals(code)
    rows = (tuple(map(_text, row)) for row in deals.iter_rows())
    return Table(tuple(deals.columns), tuple(rows))


def _text(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
