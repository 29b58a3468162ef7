"""Facts derived from a merchant's state on a day, as prepared facts.

Ignorance is not zero: a fact that is counted from history is unknown unless that history is
declared complete up to the day before (decisions/rule-language).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from itertools import pairwise, takewhile
from typing import Final, TypeAlias

from holdback.eligibility.facts import MOST_PERCENT
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import HUNDRED_PERCENT
from holdback.merchant.application import HeldFact
from holdback.merchant.deal import (
    DEFAULTED,
    DEFAULTS,
    RECOVERED,
    RENEWED,
    REPAID,
    STATUSES,
    TYPES,
    Deal,
)
from holdback.merchant.ledger import REMITTANCE, Entry
from holdback.merchant.merchant import Merchant, Takings
from holdback.merchant.schedule import elapsed_days, expected_share, paused_days
from holdback.rules.types import Catalogue, Fact, Facts

_DAY: Final = timedelta(days=1)
# A month is a twelfth of 365 days, everywhere in holdback.
_DAYS_A_YEAR: Final = 365
_MONTHS_A_YEAR: Final = 12
_AVERAGED_DAYS: Final = 90
_TREND_DAYS: Final = 30
# The days in which missed remittances are counted.
_COUNTED: Final = timedelta(days=30)
# The days in which the longest silence is sought.
_LISTENED: Final = timedelta(days=90)
# An entry, and what was taken back of it.
_Line: TypeAlias = tuple[Entry, int | None]


def performance(deal: Deal, today: date) -> int | None:
    """
    Return the amount remitted as a percentage of the amount expected by *today*, scaled.

    The expected amount is the repayment amount in proportion to the days elapsed, and all of it
    once the term has passed; days on pause do not count, and terms may have changed. The percentage
    is rounded down. It is None before a whole day has elapsed, and after a deal has ended it stays
    at the value of the deal's last day.
    """
    until = _last_day(deal, today)
    elapsed = elapsed_days(deal.pauses, deal.funded_on, until)
    if elapsed <= 0:
        return None
    paid, term = max(0, deal.remitted.minor) * HUNDRED_PERCENT, deal.term_days
    if not deal.terms_changes:
        expected = deal.repayment_amount.minor * min(elapsed, term)
        return min(MOST_PERCENT, paid * term // expected)
    share = expected_share(term, deal.terms_changes, deal.pauses, deal.funded_on, until)
    expected = deal.repayment_amount.minor * share.numerator
    return min(MOST_PERCENT, paid * share.denominator // expected)


def _last_day(deal: Deal, today: date) -> date:
    """Return *today*, or the day on which the deal ended before it: its facts stay as of then."""
    if deal.active:
        return today
    # Of a repaid deal that a reversal left a shortfall of, the last payment is what ended it.
    return min(today, deal.ended_on or _last_remitted_on(deal, ()))


def deal_facts(deal: Deal, today: date) -> dict[str, int | None]:
    """
    Return the facts about *deal* on *today*, by name.

    When it has ended, the time since its funding and its last remittance goes on. Nothing else
    changes with the day alone (decisions/deals#after-the-end).
    """
    last = _last_day(deal, today)
    on_pause = paused_days(deal.pauses, deal.funded_on, last)
    term = deal.terms_changes[-1].term_days if deal.terms_changes else deal.term_days
    since = max(0, (today - deal.funded_on).days)
    facts: dict[str, int | None] = {
        "progress": deal.progress,
        "performance": performance(deal, today),
        "balance": deal.balance.minor,
        "status": _ordinal(STATUSES, deal.status),
        "deal_type": _ordinal(TYPES, deal.type),
        "funded_amount": deal.funded_amount.minor,
        "repayment_amount": deal.repayment_amount.minor,
        "days_since_funding": since,
        "months_since_funding": whole_months(since),
        "renewals_in_chain": deal.renewals_in_chain,
        "remaining_term_days": max(0, term - max(0, (last - deal.funded_on).days) + on_pause),
        "paused": int(deal.paused),
        "days_in_pause": on_pause,
    }
    # The remittance of today may still come, but none after the end.
    if deal.complete_through is not None and deal.complete_through >= min(today - _DAY, last):
        facts |= _counted_facts(deal, today, last)
    return facts


def _ordinal(declared: tuple[str, ...], text: str) -> int | None:
    """Return the place of *text* in its *declared* set; any other text is unknown."""
    return declared.index(text) if text in declared else None


def _counted_facts(deal: Deal, today: date, last: date) -> dict[str, int | None]:
    recent = deal.entries_since(last - _LISTENED)
    counted = takewhile(lambda line: line[0].on >= last - _COUNTED, recent)
    missed, silence = _missed(counted, last), _longest_silence(deal, recent, last)
    # Entries that are closed no longer say on which days they were.
    return {
        "days_since_last_remittance": (today - _last_remitted_on(deal, recent)).days,
        "missed_remittances_30d": missed if _holds_since(deal, last - _COUNTED) else None,
        "longest_silence_90d": silence if _holds_since(deal, last - _LISTENED) else None,
    }


def _holds_since(deal: Deal, start: date) -> bool:
    """Return whether none of the entries from *start*, or from the funding, on are closed."""
    closed = deal.closed_entries
    return closed is None or closed.through < max(deal.funded_on, start)


def _last_remitted_on(deal: Deal, recent: Iterable[_Line]) -> date:
    """
    Return the day of the last remittance that counts and is not zero, or of the funding.

    *recent* are the entries of the last days, the newest first.
    """
    for entry, taken_back in recent:
        if entry.settled and entry.pays and entry.amount.minor > (taken_back or 0):
            return entry.on
    # None of the last days counts: all entries are looked at.
    for entry, _ in reversed(deal.counted):
        if entry.pays:
            return entry.on
    closed = deal.closed_entries
    return (closed.last_on if closed else None) or deal.funded_on


def _longest_silence(deal: Deal, recent: Iterable[_Line], last: date) -> int:
    """
    Return the most days in a row without a remittance that counts and is not zero, before *last*.

    They are sought in 90 days, of which *recent* are the entries, or since the funding.
    """
    start = max(deal.funded_on, last - _LISTENED)
    remitted = {
        entry.on
        for entry, taken_back in recent
        if entry.settled and entry.pays and entry.amount.minor > (taken_back or 0)
    }
    days = [start - _DAY, *sorted(day for day in remitted if start <= day < last), last]
    return max(0, *((later - earlier - _DAY).days for earlier, later in pairwise(days)))


def _missed(recent: Iterable[_Line], today: date) -> int:
    """
    Return the number of missed remittances: days among the last 30, today not included.

    A day counts when its remittance was taken back whole, or was nothing although there were
    takings, and no other remittance of that day counts.
    """
    missed, remitted = set(), set()
    for entry, taken_back in recent:
        if entry.on >= today or not (entry.pays or entry.kind == REMITTANCE):
            continue
        if taken_back is not None and taken_back >= entry.amount.minor:
            missed.add(entry.on)
        elif entry.amount.minor:
            if entry.settled:
                remitted.add(entry.on)
        elif entry.takings is not None and entry.takings.minor > 0:
            missed.add(entry.on)
    return len(missed - remitted)


def takings_facts(merchant: Merchant, today: date) -> dict[str, int | None]:
    """Return the average monthly takings and their trend, where the takings are complete."""
    complete, takings = merchant.takings_complete_through, merchant.takings
    since = merchant.takings_since
    if complete is None or complete < today - _DAY or since is None:
        return {}
    facts: dict[str, int | None] = {}
    covered = (today - since).days
    start = today - timedelta(days=_AVERAGED_DAYS)
    recent = tuple(takewhile(lambda day: day.on >= start, reversed(takings)))
    if covered >= _AVERAGED_DAYS:
        total = _between(recent, today, _AVERAGED_DAYS, 0)
        average = max(0, total) * _DAYS_A_YEAR // (_MONTHS_A_YEAR * _AVERAGED_DAYS)
        facts["average_monthly_takings"] = average
    if covered >= 2 * _TREND_DAYS:
        before = _between(recent, today, 2 * _TREND_DAYS, _TREND_DAYS)
        if before > 0:
            now = max(0, _between(recent, today, _TREND_DAYS, 0))
            trend = now * HUNDRED_PERCENT // before
            facts["takings_trend"] = min(MOST_PERCENT, trend)
    return facts


def _between(takings: Iterable[Takings], today: date, first: int, last: int) -> int:
    """Return the takings from *first* days ago up to, but not including, *last* days ago."""
    start, end = today - timedelta(days=first), today - timedelta(days=last)
    return sum(day.amount.minor for day in takings if start <= day.on < end)


def whole_months(days: int) -> int:
    """
    Return how many whole months are in *days*.

    >>> whole_months(30), whole_months(31), whole_months(365)
    (0, 1, 12)
    """
    return days * _MONTHS_A_YEAR // _DAYS_A_YEAR


def held_evidence(evidence: Mapping[str, Json], catalogue: Catalogue) -> dict[str, HeldFact]:
    """Return *evidence* as the state holds it: each value with the kind that its fact has now."""
    return {
        name: HeldFact(value, catalogue.facts[catalogue.place(name)].type.kind.value)
        for name, value in evidence.items()
    }


def as_number(name: str, held: HeldFact, catalogue: Catalogue) -> int | None:
    """
    Return the fact *held* under *name* as a number, None if the catalogue cannot read it now.

    A fact may be declared with another type, range or choice than when it was recorded.
    """
    fact = catalogue.fact(name)
    if fact is None or held.kind != fact.type.kind.value:
        return None
    try:
        return fact.read(held.value)
    except (ValueError, TypeError):
        return None


def recorded_over(merchant: Merchant, made_on: date) -> bool:
    """
    Return whether recorded takings replace those that a check of the day *made_on* gave.

    They do once 90 days are complete, from the first that was ever recorded on, until an initial
    application gives newer ones.
    """
    complete = merchant.takings_complete_through
    if complete is None or merchant.takings_since is None or made_on > complete:
        return False
    return (complete - merchant.takings_since).days + 1 >= _AVERAGED_DAYS


def deal_counts(merchant: Merchant, base: Deal | None) -> dict[str, int | None]:
    """
    Return the number of deals that were completed, apart from the *base*, and that defaulted.

    They are counted from statuses and ledgers, and so always known; with them are what is to be
    refunded, and the fees owed.
    """
    others = (deal for deal in merchant.deals if base is None or deal.id != base.id)
    return {
        "deals_completed": sum(deal.status in {REPAID, RENEWED} for deal in others),
        "deals_defaulted": sum(deal.status in DEFAULTS for deal in merchant.deals),
        "deals_written_off": sum(deal.written_off.minor > 0 for deal in merchant.deals),
        "deals_recovered": sum(deal.status == RECOVERED for deal in merchant.deals),
        "refunds_due": sum(deal.overpaid.minor for deal in merchant.deals),
        "fees_owed": sum(deal.fees_owed.minor for deal in merchant.deals),
    }


def days_past_due(merchant: Merchant, today: date) -> int | None:
    """
    Return by how many days plans are past due, the most of all deals that are in default.

    It is None where one of them has no plan, or there is none: nothing is due by a day.
    """
    defaults = (deal for deal in merchant.deals if deal.status == DEFAULTED)
    days = [deal.days_past_due(today) for deal in defaults]
    of_plans = [number for number in days if number is not None]
    return max(of_plans, default=None) if len(of_plans) == len(days) else None


def initial_facts(
    merchant: Merchant,
    catalogue: Catalogue,
    evidence: Mapping[str, int | None],
    today: date,
) -> Facts:
    """Return the prepared facts for an initial application; *evidence* has the takings, too."""
    return _prepared(evidence, merchant, None, catalogue, today)


def renewal_facts(
    merchant: Merchant,
    deal: Deal,
    catalogue: Catalogue,
    evidence: Mapping[str, int | None],
    today: date,
) -> Facts:
    """Return the prepared facts for renewing *deal*, with what *evidence* says."""
    return _prepared({**evidence, **deal_facts(deal, today)}, merchant, deal, catalogue, today)


def _prepared(
    facts: Mapping[str, int | None],
    merchant: Merchant,
    base: Deal | None,
    catalogue: Catalogue,
    today: date,
) -> Facts:
    past_due = {"days_past_due": days_past_due(merchant, today)}
    named = {**facts, **deal_counts(merchant, base), **past_due}
    return tuple([_within_range(fact, named.get(fact.name)) for fact in catalogue.facts])


def _within_range(fact: Fact, number: int | None) -> int | None:
    """Return the derived *number*; beyond the range of *fact* it is unknown (decisions/bounds)."""
    return number if number is not None and fact.low <= number <= fact.high else None
