"""The catalogue of facts that a rule may read, with type, unit, range, origin and meaning.

A fact's place in the catalogue is its place in a tuple of prepared facts, so new facts go at the
end of the table and none is ever removed. `derived_facts` defines those that holdback derives.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from attrs import evolve

from holdback.exact.bounds import most_money
from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES
from holdback.exact.money import Currency
from holdback.merchant.deal import STATUSES, TYPES
from holdback.rules.check import check
from holdback.rules.parser import parse
from holdback.rules.tree import Checked
from holdback.rules.types import Catalogue, Fact, Kind, Type

DEAL: Final = "deal"
MERCHANT: Final = "merchant"
EVIDENCE: Final = "evidence"
# The origin of the age of a check, which holdback derives from the instant of its result.
DERIVED: Final = "derived"

# Ranges are wide enough for any real merchant, and narrow enough that no ordinary sum of them
# passes 2**62, the bound of the rule language. That of money depends on the currency.
MOST_DAYS: Final = 36_600  # a hundred years
MOST_PERCENT: Final = 1_000_000 * 10**PERCENT_PLACES

# Facts that the host's checks supply. In an initial application the takings and the months of
# trading come as evidence too; afterwards holdback derives them from the merchant's state.
EVIDENCE_FACTS: Final = (
    "identity_verified",
    "business_verified",
    "credit_score",
    "credit_checked_on",
)
# The facts of one consumer credit check: a score and its day belong together.
CREDIT: Final = ("credit_score", "credit_checked_on")
INITIAL_EVIDENCE: Final = (*EVIDENCE_FACTS, "average_monthly_takings", "months_trading")

# The checks that a host makes everywhere (service 1), each with the facts that it gives together.
# A jurisdiction may have more, of the facts that it declares (`jurisdictions/checks.py`).
CHECKS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "identity": ("identity_verified",),
        "business": ("business_verified",),
        "consumer_credit": CREDIT,
        "takings": ("average_monthly_takings", "months_trading"),
    }
)

# Name, kind, highest value, origin, meaning. The lowest value is 0, and the highest amount of money
# depends on the currency. A kind with a star is rounded down from an exact fraction.
_TABLE: Final = (
    ("progress", "percent*", HUNDRED_PERCENT, DEAL,
     "Percent of the repayment amount already remitted: the paid-down percentage."),
    ("performance", "percent*", MOST_PERCENT, DEAL,
     "Remitted to date as a percent of what the term expected by this day; 100% is on pace. "
     "Unknown until a whole day has passed."),
    ("balance", "money", None, DEAL,
     "What is left to remit."),
    ("status", "text", STATUSES, DEAL,
     "The deal's status."),
    ("deal_type", "text", TYPES, DEAL,
     "Whether the deal came from an initial application or from a renewal."),
    ("days_since_funding", "days", MOST_DAYS, DEAL,
     "Days since the deal was funded."),
    ("days_since_last_remittance", "days", MOST_DAYS, DEAL,
     "Days since the last remittance that counts, or since funding when there was none. "
     "Unknown unless the history is declared complete."),
    ("missed_remittances_30d", "count", 30, DEAL,
     "Of the last 30 days, those whose remittance was taken back, or was nothing though there were "
     "takings. Unknown unless the history is declared complete."),
    ("remaining_term_days", "days", MOST_DAYS, DEAL,
     "Days left of the term; none once the term has passed."),
    ("deals_completed", "count", 10_000, MERCHANT,
     "Earlier deals that were repaid or renewed; 0 for a newcomer, and always known."),
    ("deals_defaulted", "count", 10_000, MERCHANT,
     "Deals that ever defaulted; 0 for a newcomer, and always known."),
    ("average_monthly_takings", "money", None, MERCHANT,
     "Takings in a month, averaged over the last 90 days. Until so many are recorded, as the "
     "initial application gave them; after that, unknown unless the takings are declared "
     "complete."),
    ("takings_trend", "percent*", MOST_PERCENT, MERCHANT,
     "Takings of the last 30 days as a percent of those of the 30 days before; 100% is unchanged."),
    ("months_trading", "count", 12_000, MERCHANT,
     "Whole months that the merchant has been trading."),
    ("identity_verified", "flag", 1, EVIDENCE,
     "Whether the applicants' identity was verified."),
    ("business_verified", "flag", 1, EVIDENCE,
     "Whether the business was found and verified."),
    ("credit_score", "count", 10_000, EVIDENCE,
     "The consumer credit score that the host's check gave."),
    ("credit_checked_on", "date", date.max.toordinal(), EVIDENCE,
     "The day of the consumer credit check."),
    ("deals_written_off", "count", 10_000, MERCHANT,
     "Deals of which a part was written off; 0 for a newcomer, and always known."),
    ("deals_recovered", "count", 10_000, MERCHANT,
     "Deals that defaulted and were then paid in full; 0 for a newcomer, and always known."),
    ("paused", "flag", 1, DEAL,
     "Whether the deal's repayment is paused."),
    ("days_in_pause", "days", MOST_DAYS, DEAL,
     "Days on which the deal's repayment has been paused so far."),
    ("refunds_due", "money", None, MERCHANT,
     "What the merchant paid beyond what was owed, on all deals, and is still to be returned; "
     "always known."),
)  # fmt: skip

# The direction in which a merchant can move a fact: by paying, trading, waiting, or a new check.
UP: Final = "up"
DOWN: Final = "down"
MOVES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "progress": UP,
        "performance": UP,
        "balance": DOWN,
        "days_since_funding": UP,
        "days_since_last_remittance": DOWN,
        "missed_remittances_30d": DOWN,
        "deals_completed": UP,
        "average_monthly_takings": UP,
        "takings_trend": UP,
        "months_trading": UP,
        "identity_verified": UP,
        "business_verified": UP,
        "credit_score": UP,
        "credit_checked_on": UP,
        "paused": DOWN,
        "refunds_due": DOWN,
    }
)

# The names of facts in sentences, where the names in rules do not read well. A flag has a sentence.
LABELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "progress": "paid-down percentage",
        "status": "status of the deal",
        "deal_type": "type of the deal",
        "days_since_funding": "time since the funding",
        "days_since_last_remittance": "time since the last remittance",
        "missed_remittances_30d": "number of remittances missed in the last 30 days",
        "remaining_term_days": "time left of the term",
        "deals_completed": "number of completed deals",
        "deals_defaulted": "number of defaulted deals",
        "average_monthly_takings": "monthly average of takings",
        "takings_trend": "trend of takings",
        "months_trading": "number of months trading",
        "identity_verified": "the identity is verified",
        "business_verified": "the business is verified",
        "credit_checked_on": "day of the credit check",
        "deals_written_off": "number of deals written off",
        "deals_recovered": "number of recovered deals",
        "paused": "the repayment is paused",
        "days_in_pause": "time in pause",
        "refunds_due": "sum of refunds due",
    }
)

# What holds of every deal that can exist, in the language of rules; `{none}` is zero. A fact
# that is missing contradicts nothing. The tests hold these against the derived facts.
RELATIONS: Final = (
    "performance >= progress",
    'status != "Funded" or remaining_term_days > 0 days or performance == progress'
    " or progress >= 100%",
    'status in ["Funded", "Defaulted"] or balance == {none}',
    'status != "Funded" or balance > {none}',
    'status != "Defaulted" or deals_defaulted >= 1',
    'status != "Defaulted" or deals_recovered < deals_defaulted',
    'status != "Recovered" or deals_recovered >= 1',
    "deals_recovered <= deals_defaulted",
    "days_since_last_remittance <= days_since_funding",
    "missed_remittances_30d <= days_since_funding",
    "days_in_pause <= days_since_funding",
)
# Facts that are counts in a rule, and count days in a relation.
COUNTS_OF_DAYS: Final = frozenset({"missed_remittances_30d"})

# What an initial application never has, even with all evidence: facts of a deal, and the trend of
# takings that are recorded only while there is one.
NEVER_INITIAL: Final = frozenset(
    (*(name for name, _, _, origin, _ in _TABLE if origin == DEAL), "takings_trend")
)

# The facts that a jurisdiction declares have the places from here on.
BUILT_IN_FACTS: Final = len(_TABLE)


def _fact(currency: Currency, row: tuple[str, str, int | tuple[str, ...] | None, str, str]) -> Fact:
    name, kind, high, origin, description = row
    options = high if isinstance(high, tuple) else ()
    if options:
        high = len(options) - 1
    elif kind == "money":
        high = most_money(currency)
    assert isinstance(high, int), "every fact has a highest value"
    type_ = Type(
        Kind(kind.rstrip("*")), currency=currency if kind == "money" else None, options=options
    )
    return Fact(
        name=name,
        type=type_,
        low=1 if kind == "date" else 0,
        high=high,
        rounded_down=kind.endswith("*"),
        description=description,
        origin=origin,
        moves=MOVES.get(name),
        label=LABELS.get(name),
    )


@lru_cache(maxsize=256)
def catalogue(currency: Currency) -> Catalogue:
    """
    Return the facts of a jurisdiction with *currency*, in their places.

    >>> catalogue(Currency.of("GBP")).facts[0].name
    'progress'
    """
    return Catalogue(facts=tuple(_fact(currency, row) for row in _TABLE), currency=currency)


@lru_cache(maxsize=256)
def relations(currency: Currency) -> tuple[Checked, ...]:
    """Return the relations that hold of every deal, with amounts in *currency*."""
    built_in = catalogue(currency)
    related = evolve(built_in, facts=tuple(map(_related, built_in.facts)))
    none = f"{currency} 0"
    return tuple(
        check(parse(text.replace("{none}", none)), related, Kind.FLAG) for text in RELATIONS
    )


def _related(fact: Fact) -> Fact:
    """
    Return *fact* as a relation reads it.

    A relation between two percentages holds of the rounded ones too, because it holds of the exact
    ones; as a rule it would be refused.
    """
    type_ = Type(Kind.DAYS) if fact.name in COUNTS_OF_DAYS else fact.type
    return evolve(fact, type=type_, rounded_down=False)
