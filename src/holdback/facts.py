"""The one catalogue of facts: what a rule may read, with type, unit, range, origin and meaning.

A fact's place in the catalogue is its place in a tuple of prepared facts, so new facts go at the end of
their list and nothing is ever removed. The definitions of the derived ones are in `history.py`.
"""

from __future__ import annotations

import datetime
from functools import lru_cache
from typing import Final

from holdback.model.deal import STATUSES, TYPES
from holdback.money import PERCENT_PLACES, Currency
from holdback.rules.types import Catalogue, Fact, Kind, Type

DEAL: Final = "deal"
MERCHANT: Final = "merchant"
EVIDENCE: Final = "evidence"

# Ranges are wide enough for any real merchant and narrow enough that no sum of them can pass 2**62
# (design 4). Money: a million million minor units.
MOST_MONEY: Final = 10**12
MOST_DAYS: Final = 36_600  # a hundred years
MOST_PERCENT: Final = 1_000_000 * 10**PERCENT_PLACES
WHOLE: Final = 100 * 10**PERCENT_PLACES

# Facts that the host's checks supply (design 7a). In an initial application the takings and the
# months of trading come as evidence too; afterwards the merchant's state derives them.
EVIDENCE_FACTS: Final = (
    "identity_verified",
    "business_verified",
    "credit_score",
    "credit_checked_on",
)
INITIAL_EVIDENCE: Final = (*EVIDENCE_FACTS, "average_monthly_takings", "months_trading")


def _fact(
    name: str,
    type_: Type,
    high: int,
    origin: str,
    description: str,
    *,
    low: int = 0,
    derived: bool = False,
) -> Fact:
    return Fact(
        name=name,
        type=type_,
        low=low,
        high=high,
        derived=derived,
        description=description,
        origin=origin,
    )


def _deal_facts(currency: Currency) -> tuple[Fact, ...]:
    percent, days, count = Type(Kind.PERCENT), Type(Kind.DAYS), Type(Kind.COUNT)
    return (
        _fact(
            "progress",
            percent,
            WHOLE,
            DEAL,
            "Percent of the repayment amount already remitted: the paid-down percentage.",
            derived=True,
        ),
        _fact(
            "performance",
            percent,
            MOST_PERCENT,
            DEAL,
            "Remitted to date as a percent of what the term expected by this day; 100% is on pace. "
            "Unknown until a whole day has passed.",
            derived=True,
        ),
        _fact(
            "balance",
            Type(Kind.MONEY, currency),
            MOST_MONEY,
            DEAL,
            "What is left to remit.",
        ),
        _fact(
            "status",
            Type(Kind.TEXT, options=STATUSES),
            len(STATUSES) - 1,
            DEAL,
            "The deal's status.",
        ),
        _fact(
            "deal_type",
            Type(Kind.TEXT, options=TYPES),
            len(TYPES) - 1,
            DEAL,
            "Whether the deal came from an initial application or from a renewal.",
        ),
        _fact("days_since_funding", days, MOST_DAYS, DEAL, "Days since the deal was funded."),
        _fact(
            "days_since_last_remittance",
            days,
            MOST_DAYS,
            DEAL,
            "Days since the last remittance that counts, or since funding when there was none. Unknown "
            "unless the history is declared complete.",
        ),
        _fact(
            "missed_remittances_30d",
            count,
            30,
            DEAL,
            "Of the last 30 days, those whose remittance was taken back, or was nothing though there were "
            "takings. Unknown unless the history is declared complete.",
        ),
        _fact(
            "remaining_term_days",
            days,
            MOST_DAYS,
            DEAL,
            "Days left of the term; none once the term has passed.",
        ),
        _fact(
            "deals_completed",
            count,
            10_000,
            MERCHANT,
            "Earlier deals that were repaid or renewed. Unknown unless the history is declared complete.",
        ),
        _fact(
            "deals_defaulted",
            count,
            10_000,
            MERCHANT,
            "Deals that defaulted. Unknown unless the history is declared complete.",
        ),
    )


def _merchant_facts(currency: Currency) -> tuple[Fact, ...]:
    return (
        _fact(
            "average_monthly_takings",
            Type(Kind.MONEY, currency),
            MOST_MONEY,
            MERCHANT,
            "Takings in a month, averaged over the last 90 days where these are complete, and otherwise "
            "as the initial application gave them.",
        ),
        _fact(
            "takings_trend",
            Type(Kind.PERCENT),
            MOST_PERCENT,
            MERCHANT,
            "Takings of the last 30 days as a percent of those of the 30 days before; 100% is unchanged.",
            derived=True,
        ),
        _fact(
            "months_trading",
            Type(Kind.COUNT),
            12_000,
            MERCHANT,
            "Whole months that the merchant has been trading.",
        ),
    )


def _evidence_facts() -> tuple[Fact, ...]:
    flag = Type(Kind.FLAG)
    return (
        _fact(
            "identity_verified", flag, 1, EVIDENCE, "Whether the applicants' identity was verified."
        ),
        _fact(
            "business_verified", flag, 1, EVIDENCE, "Whether the business was found and verified."
        ),
        _fact(
            "credit_score",
            Type(Kind.COUNT),
            10_000,
            EVIDENCE,
            "The consumer credit score that the host's check gave.",
        ),
        _fact(
            "credit_checked_on",
            Type(Kind.DATE),
            datetime.date.max.toordinal(),
            EVIDENCE,
            "The day of the consumer credit check.",
            low=1,
        ),
    )


@lru_cache(maxsize=256)
def catalogue(currency: Currency) -> Catalogue:
    """
    The facts of a jurisdiction with *currency*, in their places.

    >>> catalogue(Currency.of("GBP")).facts[0].name
    'progress'
    """
    return Catalogue(
        facts=(*_deal_facts(currency), *_merchant_facts(currency), *_evidence_facts()),
        currency=currency,
    )
