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
from holdback.frozen_classes import frozen
from holdback.merchant.deal import STATUSES, TYPES
from holdback.rules.check import check
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

# The direction in which a merchant can move a fact: by paying, trading, waiting, or a new check.
UP: Final = "up"
DOWN: Final = "down"

# What time does to a fact: the passing of days moves it, or the pace of remittances does.
WAITS: Final = "waits"
FOLLOWS_PACE: Final = "follows_pace"


@frozen(kw_only=True)
class BuiltInFact:
    """
    All that holdback says of a fact that every jurisdiction has.

    `low` and `high` are the ends of its range; the highest amount of money depends on the currency,
    and a text has `options` instead. `label` is its name in sentences, where the one in rules does
    not read well; a flag has a sentence. `share_of` follows a figure that is a share of something.

    `over_time` says what time does to it. `check` names the check of the host that gives it; where
    its origin is the merchant, that is so in an initial application alone.

    `typical` is its value in an ordinary good deal; that of an amount depends on what is offered.
    `in_files` is what people call it in their files; signs and case do not count.
    """

    name: str
    meaning: str
    kind: Kind
    low: int = 0
    high: int | None = None
    options: tuple[str, ...] = ()
    origin: str
    rounded_down: bool = False
    label: str | None = None
    share_of: str | None = None
    moves: str | None = None
    over_time: str | None = None
    check: str | None = None
    typical: str | int | None = None
    in_files: str = ""

    def in_currency(self, currency: Currency) -> Fact:
        """Return the fact as a rule with amounts in *currency* reads it."""
        is_money = self.kind is Kind.MONEY
        high = most_money(currency) if is_money else self.high
        return Fact(
            name=self.name,
            type=Type(self.kind, currency=currency if is_money else None, options=self.options),
            low=self.low,
            high=len(self.options) - 1 if high is None else high,
            rounded_down=self.rounded_down,
            description=self.meaning,
            origin=self.origin,
            moves=self.moves,
            label=self.label,
        )


# fmt: off
_FACTS: Final = (
    BuiltInFact(
        name="progress", kind=Kind.PERCENT, high=HUNDRED_PERCENT, origin=DEAL, rounded_down=True,
        label="paid-down percentage", moves=UP, over_time=FOLLOWS_PACE, typical="60%",
        in_files="pct_paid paid_pct percent_paid percentage_paid paid_percent paid_down pct_repaid "
                 "repaid_pct percent_repaid progress_pct",
        meaning="Percent of the repayment amount already remitted: the paid-down percentage.",
    ),
    BuiltInFact(
        name="performance", kind=Kind.PERCENT, high=MOST_PERCENT, origin=DEAL, rounded_down=True,
        moves=UP, over_time=FOLLOWS_PACE, share_of="of what is expected", typical="100%",
        in_files="pace performance_pct pct_of_pace pace_pct",
        meaning="Remitted to date as a percent of what the term expected by this day; 100% is on "
                "pace. Unknown until a whole day has passed.",
    ),
    BuiltInFact(
        name="balance", kind=Kind.MONEY, origin=DEAL, moves=DOWN, over_time=FOLLOWS_PACE,
        in_files="outstanding outstanding_balance remaining_balance balance_due amount_outstanding "
                 "left_to_pay balance_pence balance_cents",
        meaning="What is left to remit.",
    ),
    BuiltInFact(
        name="status", kind=Kind.TEXT, options=STATUSES, origin=DEAL, label="status of the deal",
        over_time=FOLLOWS_PACE, typical="Funded",
        in_files="state deal_status deal_state",
        meaning="The deal's status.",
    ),
    BuiltInFact(
        name="deal_type", kind=Kind.TEXT, options=TYPES, origin=DEAL, label="type of the deal",
        typical="Initial",
        in_files="type kind product_type",
        meaning="Whether the deal came from an initial application or from a renewal.",
    ),
    BuiltInFact(
        name="days_since_funding", kind=Kind.DAYS, high=MOST_DAYS, origin=DEAL,
        label="time since the funding", moves=UP, over_time=WAITS, typical="150 days",
        in_files="age_days deal_age days_funded age",
        meaning="Days since the deal was funded.",
    ),
    BuiltInFact(
        name="days_since_last_remittance", kind=Kind.DAYS, high=MOST_DAYS, origin=DEAL,
        label="time since the last remittance", moves=DOWN, over_time=FOLLOWS_PACE, typical="1 day",
        in_files="days_since_last_payment days_since_payment",
        meaning="Days since the last remittance that counts, or since funding when there was none. "
                "Unknown unless the history is declared complete.",
    ),
    BuiltInFact(
        name="missed_remittances_30d", kind=Kind.COUNT, high=30, origin=DEAL,
        label="number of remittances missed in the last 30 days", moves=DOWN,
        over_time=FOLLOWS_PACE, typical=0,
        in_files="missed_payments missed_remittances missed_30d missed_payments_30d",
        meaning="Of the last 30 days, those whose remittance was taken back, or was nothing though "
                "there were takings. Of a deal that has ended, those of the 30 days before its "
                "last. Unknown unless the history is declared complete, and where entries of these "
                "days are closed.",
    ),
    BuiltInFact(
        name="remaining_term_days", kind=Kind.DAYS, high=MOST_DAYS, origin=DEAL,
        label="time left of the term", over_time=WAITS, typical="90 days",
        in_files="days_remaining remaining_days days_left term_left",
        meaning="Days left of the term; none once the term has passed. Of a deal that has ended, "
                "those left on its last day.",
    ),
    BuiltInFact(
        name="deals_completed", kind=Kind.COUNT, high=10_000, origin=MERCHANT,
        label="number of completed deals", moves=UP, typical=1,
        in_files="completed_deals",
        meaning="Earlier deals that were repaid or renewed; 0 for a newcomer, and always known.",
    ),
    BuiltInFact(
        name="deals_defaulted", kind=Kind.COUNT, high=10_000, origin=MERCHANT,
        label="number of defaulted deals", typical=0,
        in_files="defaulted_deals defaults",
        meaning="Deals that ever defaulted; 0 for a newcomer, and always known.",
    ),
    BuiltInFact(
        name="average_monthly_takings", kind=Kind.MONEY, origin=MERCHANT,
        label="monthly average of takings", moves=UP, check="takings",
        in_files="monthly_takings avg_takings avg_monthly_takings average_takings monthly_sales "
                 "monthly_revenue",
        meaning="Takings in a month, averaged over the last 90 days. Until so many are recorded, "
                "as the initial application gave them; after that, unknown unless the takings are "
                "declared complete.",
    ),
    BuiltInFact(
        name="takings_trend", kind=Kind.PERCENT, high=MOST_PERCENT, origin=MERCHANT,
        rounded_down=True, label="trend of takings", moves=UP,
        share_of="of the 30 days before", typical="100%",
        in_files="trend sales_trend",
        meaning="Takings of the last 30 days as a percent of those of the 30 days before; 100% is "
                "unchanged.",
    ),
    BuiltInFact(
        name="months_trading", kind=Kind.COUNT, high=12_000, origin=MERCHANT,
        label="number of months trading", moves=UP, over_time=WAITS, check="takings", typical=24,
        in_files="trading_months months_in_business",
        meaning="Whole months that the merchant has been trading.",
    ),
    BuiltInFact(
        name="identity_verified", kind=Kind.FLAG, high=1, origin=EVIDENCE,
        label="the identity is verified", moves=UP, check="identity", typical=True,
        in_files="id_verified kyc kyc_ok identity_ok",
        meaning="Whether the applicants' identity was verified.",
    ),
    BuiltInFact(
        name="business_verified", kind=Kind.FLAG, high=1, origin=EVIDENCE,
        label="the business is verified", moves=UP, check="business", typical=True,
        in_files="kyb kyb_ok business_ok",
        meaning="Whether the business was found and verified.",
    ),
    BuiltInFact(
        name="credit_score", kind=Kind.COUNT, high=10_000, origin=EVIDENCE, moves=UP,
        check="consumer_credit", typical=700,
        in_files="score credit_rating",
        meaning="The consumer credit score that the host's check gave.",
    ),
    BuiltInFact(
        name="credit_checked_on", kind=Kind.DATE, low=1, high=date.max.toordinal(), origin=EVIDENCE,
        label="day of the credit check", moves=UP, check="consumer_credit",
        in_files="credit_check_date credit_checked credit_date",
        meaning="The day of the consumer credit check.",
    ),
    BuiltInFact(
        name="deals_written_off", kind=Kind.COUNT, high=10_000, origin=MERCHANT,
        label="number of deals written off", typical=0,
        meaning="Deals of which a part was written off; 0 for a newcomer, and always known.",
    ),
    BuiltInFact(
        name="deals_recovered", kind=Kind.COUNT, high=10_000, origin=MERCHANT,
        label="number of recovered deals", typical=0,
        meaning="Deals that defaulted and were then paid in full; 0 for a newcomer, and always "
                "known.",
    ),
    BuiltInFact(
        name="paused", kind=Kind.FLAG, high=1, origin=DEAL, label="the repayment is paused",
        moves=DOWN, over_time=FOLLOWS_PACE, typical=False,
        meaning="Whether the deal's repayment is paused.",
    ),
    BuiltInFact(
        name="days_in_pause", kind=Kind.DAYS, high=MOST_DAYS, origin=DEAL, label="time in pause",
        over_time=WAITS, typical="0 days",
        meaning="Days on which the deal's repayment has been paused so far.",
    ),
    BuiltInFact(
        name="refunds_due", kind=Kind.MONEY, origin=MERCHANT, label="sum of refunds due",
        moves=DOWN,
        meaning="What the merchant paid beyond what was owed, on all deals, and is still to be "
                "returned; always known.",
    ),
    BuiltInFact(
        name="fees_owed", kind=Kind.MONEY, origin=MERCHANT, label="sum of fees owed",
        in_files="outstanding_fees unpaid_fees",
        meaning="Fees that were charged and neither waived nor paid, on all deals; always known.",
    ),
    BuiltInFact(
        name="days_past_due", kind=Kind.DAYS, high=MOST_DAYS, origin=MERCHANT,
        label="time past due of a plan", moves=DOWN, over_time=WAITS,
        in_files="dpd days_overdue days_in_arrears",
        meaning="Days since the oldest instalment of a default's plan was due that is not paid in "
                "full, the most of all plans; 0 where nothing is past due. Unknown where no deal "
                "is in default, or one is that has no plan.",
    ),
    BuiltInFact(
        name="funded_amount", kind=Kind.MONEY, origin=DEAL,
        in_files="advance advance_amount amount_advanced amount_funded amount_financed principal",
        meaning="What the merchant was given for the deal, with what settled an earlier one.",
    ),
    BuiltInFact(
        name="repayment_amount", kind=Kind.MONEY, origin=DEAL,
        in_files="payback payback_amount purchased_amount amount_to_repay total_to_repay",
        meaning="What the deal was to repay from the beginning: the funded amount times the "
                "factor rate.",
    ),
    BuiltInFact(
        name="months_since_funding", kind=Kind.COUNT, high=MOST_DAYS * 12 // 365, origin=DEAL,
        label="number of months since the funding", moves=UP, over_time=WAITS, typical=4,
        in_files="age_months deal_age_months months_funded",
        meaning="Whole months since the deal was funded, each a twelfth of 365 days.",
    ),
    BuiltInFact(
        name="renewals_in_chain", kind=Kind.COUNT, high=10_000, origin=DEAL,
        label="number of renewals in a row", typical=0,
        in_files="renewal_count renewal_number times_renewed",
        meaning="Renewals in a row that led to the deal, itself included; 0 for one that came from "
                "an initial application. Unknown where the deals before it are not recorded.",
    ),
    BuiltInFact(
        name="longest_silence_90d", kind=Kind.DAYS, high=90, origin=DEAL,
        label="longest time without a remittance in the last 90 days", moves=DOWN,
        over_time=FOLLOWS_PACE, typical="3 days",
        in_files="longest_silence longest_gap longest_gap_90d max_days_without_payment",
        meaning="Of the last 90 days, or of those since the funding, the longest run of days "
                "without a remittance that counts; today is not counted. Of a deal that has ended, "
                "of the 90 days before its last. Unknown unless the history is declared complete, "
                "and where entries of these days are closed.",
    ),
)
# fmt: on

# The facts by name, in their places.
FACTS: Final[Mapping[str, BuiltInFact]] = MappingProxyType({fact.name: fact for fact in _FACTS})

# What moves by itself, and what follows from the pace of remittances. The ages of checks move by
# themselves too; they are facts of a jurisdiction (`rulebooks/rulebook.py`).
WAITING: Final = tuple(fact.name for fact in _FACTS if fact.over_time == WAITS)
FOLLOWING: Final = tuple(fact.name for fact in _FACTS if fact.over_time == FOLLOWS_PACE)

# Facts that the host's checks supply. In an initial application the takings and the months of
# trading come as evidence too; afterwards holdback derives them from the merchant's state.
EVIDENCE_FACTS: Final = tuple(fact.name for fact in _FACTS if fact.origin == EVIDENCE)
INITIAL_EVIDENCE: Final = (
    *EVIDENCE_FACTS,
    *(fact.name for fact in _FACTS if fact.check is not None and fact.origin != EVIDENCE),
)

# The checks that a host makes everywhere (service 1), each with the facts that it gives together.
# A jurisdiction may have more, of the facts that it declares (`jurisdictions/declared_facts.py`).
CHECKS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        check: tuple(name for name in INITIAL_EVIDENCE if FACTS[name].check == check)
        for check in dict.fromkeys(FACTS[name].check for name in INITIAL_EVIDENCE)
        if check is not None
    }
)

# What holds of every deal that can exist, in the language of rules; `{none}` is zero. Tools that
# prove and search read it, and no decision. A number of days is a count in them. A fact that is
# missing contradicts nothing. The tests hold these against the derived facts.
RELATIONS: Final = (
    "performance >= progress",
    'status != "Funded" or remaining_term_days > 0 or performance == progress or progress >= 100%',
    'status in ["Funded", "Defaulted"] or balance == {none}',
    'status != "Funded" or balance > {none}',
    'status != "Defaulted" or deals_defaulted >= 1',
    'status != "Defaulted" or deals_recovered < deals_defaulted',
    'status != "Recovered" or deals_recovered >= 1',
    'status != "Settled" or deals_recovered < deals_defaulted',
    "deals_recovered <= deals_defaulted",
    "days_past_due < 0 or deals_recovered < deals_defaulted",
    "days_since_last_remittance <= days_since_funding",
    "missed_remittances_30d <= days_since_funding",
    "days_in_pause <= days_since_funding",
    "funded_amount <= repayment_amount",
    "12 * days_since_funding >= 365 * months_since_funding",
    "12 * days_since_funding < 365 * months_since_funding + 365",
    'deal_type != "Renewal" or renewals_in_chain >= 1',
    'deal_type != "Initial" or renewals_in_chain == 0',
    "longest_silence_90d <= days_since_funding",
)

# What an initial application never has, even with all evidence.
NEVER_INITIAL: Final = frozenset(fact.name for fact in _FACTS if fact.origin == DEAL)

# The facts that a jurisdiction declares have the places from here on.
BUILT_IN_FACTS: Final = len(_FACTS)


@lru_cache(maxsize=256)
def catalogue(currency: Currency) -> Catalogue:
    """
    Return the facts of a jurisdiction with *currency*, in their places.

    >>> catalogue(Currency.of("GBP")).facts[0].name
    'progress'
    """
    return Catalogue(facts=tuple(fact.in_currency(currency) for fact in _FACTS), currency=currency)


@lru_cache(maxsize=256)
def relations(currency: Currency) -> tuple[Checked, ...]:
    """Return the relations that hold of every deal, with amounts in *currency*."""
    from holdback.rules import parse  # noqa: PLC0415  # only tools ask for the relations

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
    ones; as a rule it would be refused. A number of days is a count, so that it can be multiplied
    and compared with others.
    """
    type_ = Type(Kind.COUNT) if fact.type.kind is Kind.DAYS else fact.type
    return evolve(fact, type=type_, rounded_down=False)
