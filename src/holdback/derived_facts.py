"""Facts derived from a merchant's state on a day, as prepared facts.

Ignorance is not zero: a fact that is counted from history is unknown unless that history is
declared complete up to the day before (decisions/missing-history).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import takewhile
from typing import Final

from holdback.exact_json import Json
from holdback.exact_numbers import HUNDRED_PERCENT
from holdback.facts import CREDIT, MOST_PERCENT
from holdback.model.deal import (
    DEFAULTED,
    RENEWED,
    REPAID,
    STATUSES,
    TYPES,
    Deal,
    Entry,
)
from holdback.model.evidence import HeldFact
from holdback.model.merchant import Merchant, Takings
from holdback.rules.types import Catalogue, Fact, Facts

_DAY: Final = timedelta(days=1)
# A month is a twelfth of 365 days, everywhere in holdback.
_DAYS_A_YEAR: Final = 365
_MONTHS_A_YEAR: Final = 12
_AVERAGED_DAYS: Final = 90
_TREND_DAYS: Final = 30
# The days in which missed remittances are counted.
_COUNTED: Final = timedelta(days=30)


def performance(deal: Deal, today: date) -> int | None:
    """
    Return the amount remitted as a percentage of the amount expected by *today*, scaled.

    The expected amount is the repayment amount in proportion to the days elapsed, and all of it
    once the term has passed. The percentage is rounded down. It is None before a whole day has
    elapsed, and after a deal has ended it stays at the value of the deal's last day.
    """
    until = today if deal.ended_on is None else min(today, deal.ended_on)
    elapsed = min((until - deal.funded_on).days, deal.term_days)
    if elapsed <= 0:
        return None
    whole = deal.remitted.minor * HUNDRED_PERCENT * deal.term_days
    return min(MOST_PERCENT, whole // (deal.repayment_amount.minor * elapsed))


def deal_facts(deal: Deal, today: date) -> dict[str, int | None]:
    """Return the facts about *deal* on *today*, by name."""
    elapsed = max(0, (today - deal.funded_on).days)
    facts: dict[str, int | None] = {
        "progress": deal.progress,
        "performance": performance(deal, today),
        "balance": deal.balance.minor,
        "status": _ordinal(STATUSES, deal.status),
        "deal_type": _ordinal(TYPES, deal.type),
        "days_since_funding": elapsed,
        "remaining_term_days": max(0, deal.term_days - elapsed),
    }
    if _complete(deal, today):
        facts |= _counted_facts(deal, today)
    return facts


def _ordinal(declared: tuple[str, ...], text: str) -> int | None:
    """Return the place of *text* in its *declared* set; any other text is unknown."""
    return declared.index(text) if text in declared else None


def _complete(deal: Deal, today: date) -> bool:
    """Return whether the deal's history is declared complete, as far as it can still grow."""
    # Today's remittance may still come. A repaid deal takes none after the day of its last.
    needed = today - _DAY
    if deal.status == REPAID and deal.repaid_on is not None:
        needed = min(needed, deal.repaid_on)
    return deal.complete_through is not None and deal.complete_through >= needed


def _counted_facts(deal: Deal, today: date) -> dict[str, int | None]:
    recent = deal.entries_since(today - _COUNTED)
    return {
        "days_since_last_remittance": (today - _last_remitted_on(deal, recent)).days,
        "missed_remittances_30d": _missed(recent, today),
    }


def _last_remitted_on(deal: Deal, recent: Sequence[tuple[Entry, bool]]) -> date:
    """Return the day of the last remittance that counts and is not zero, or of the funding."""
    for entry, taken_back in recent:
        if not taken_back and entry.settled and entry.reverses is None and entry.amount.minor:
            return entry.on
    # None of the last days counts: all entries are looked at.
    for entry in reversed(deal.counted):
        if entry.amount.minor:
            return entry.on
    closed = deal.closed_entries
    return (closed.last_on if closed else None) or deal.funded_on


def _missed(recent: Sequence[tuple[Entry, bool]], today: date) -> int:
    """
    Return the number of missed remittances: days among the last 30, today not included.

    A day counts when its remittance was taken back, or was nothing although there were takings, and
    no other remittance of that day counts.
    """
    missed, remitted = set(), set()
    for entry, taken_back in recent:
        if entry.on >= today or entry.reverses is not None:
            continue
        if taken_back:
            missed.add(entry.on)
        elif entry.amount.minor:
            if entry.settled:
                remitted.add(entry.on)
        elif entry.takings is not None and entry.takings.minor:
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
        average = total * _DAYS_A_YEAR // (_MONTHS_A_YEAR * _AVERAGED_DAYS)
        facts["average_monthly_takings"] = average
    if covered >= 2 * _TREND_DAYS:
        before = _between(recent, today, 2 * _TREND_DAYS, _TREND_DAYS)
        if before:
            trend = _between(recent, today, _TREND_DAYS, 0) * HUNDRED_PERCENT // before
            facts["takings_trend"] = min(MOST_PERCENT, trend)
    return facts


def _between(takings: Iterable[Takings], today: date, first: int, last: int) -> int:
    """Return the takings from *first* days ago up to, but not including, *last* days ago."""
    start, end = today - timedelta(days=first), today - timedelta(days=last)
    return sum(day.amount.minor for day in takings if start <= day.on < end)


def months_between(start: date, end: date) -> int:
    """
    Return the whole months from *start* to *end*.

    >>> months_between(date(2026, 1, 31), date(2026, 2, 28))
    0
    >>> months_between(date(2026, 1, 1), date(2027, 1, 1))
    12
    """
    return (
        (end.year - start.year) * _MONTHS_A_YEAR + end.month - start.month - (end.day < start.day)
    )


def held_evidence(evidence: Mapping[str, Json], catalogue: Catalogue) -> dict[str, HeldFact]:
    """Return *evidence* as the state holds it: each value with the kind that its fact has now."""
    return {
        name: HeldFact(value, catalogue.facts[catalogue.place(name)].type.kind.value)
        for name, value in evidence.items()
    }


def with_newer_evidence(
    held: Mapping[str, HeldFact], newer: Mapping[str, HeldFact]
) -> dict[str, HeldFact]:
    """
    Return the evidence *held*, replaced by the *newer* where there is any.

    The score and the day of one credit check belong together: when either is new, both old ones are
    dropped (decisions/second-credit-check).

    >>> held = {"credit_score": HeldFact(700), "identity_verified": HeldFact(True)}
    >>> sorted(with_newer_evidence(held, {"credit_checked_on": HeldFact("2026-07-01")}))
    ['credit_checked_on', 'identity_verified']
    """
    replaced = CREDIT if any(name in newer for name in CREDIT) else ()
    return {**{name: value for name, value in held.items() if name not in replaced}, **newer}


def as_number(name: str, held: HeldFact, catalogue: Catalogue) -> int | None:
    """
    Return the fact *held* under *name* as a number, None if the catalogue cannot read it now.

    A fact may be declared with another type, range or choice than when it was recorded.
    """
    fact = catalogue.fact(name)
    if fact is None or held.kind not in {None, fact.type.kind.value}:
        return None
    try:
        return fact.read(held.value)
    except (ValueError, TypeError):
        return None


def held_facts(evidence: Mapping[str, HeldFact], catalogue: Catalogue) -> Facts:
    """Return held *evidence* as prepared facts; one no longer declared so is unknown."""
    facts = {name: as_number(name, value, catalogue) for name, value in evidence.items()}
    return tuple(facts.get(fact.name) for fact in catalogue.facts)


def recorded_over(merchant: Merchant, made_on: date) -> bool:
    """
    Return whether recorded takings replace those that a check of the day *made_on* gave.

    They do once 90 days are complete, until an initial application gives newer ones.
    """
    complete = merchant.takings_complete_through
    if complete is None or merchant.takings_since is None or made_on > complete:
        return False
    return (complete - merchant.takings_since).days + 1 >= _AVERAGED_DAYS


def deal_counts(merchant: Merchant, base: Deal | None) -> dict[str, int | None]:
    """
    Return the number of deals that were completed, apart from the *base*, and that defaulted.

    They are counted from statuses, and so always known.
    """
    completed = (deal for deal in merchant.deals if base is None or deal.id != base.id)
    return {
        "deals_completed": sum(deal.status in {REPAID, RENEWED} for deal in completed),
        "deals_defaulted": sum(deal.status == DEFAULTED for deal in merchant.deals),
    }


def initial_facts(
    merchant: Merchant, catalogue: Catalogue, evidence: Mapping[str, int | None], today: date
) -> Facts:
    """Return the prepared facts for an initial application, with what *evidence* says."""
    return _prepared({**evidence, **takings_facts(merchant, today)}, merchant, None, catalogue)


def renewal_facts(
    merchant: Merchant,
    deal: Deal,
    catalogue: Catalogue,
    evidence: Mapping[str, int | None],
    today: date,
) -> Facts:
    """Return the prepared facts for renewing *deal*, with what *evidence* says."""
    facts = {**evidence, **takings_facts(merchant, today), **deal_facts(deal, today)}
    return _prepared(facts, merchant, deal, catalogue)


def _prepared(
    facts: Mapping[str, int | None], merchant: Merchant, base: Deal | None, catalogue: Catalogue
) -> Facts:
    named = {**facts, **deal_counts(merchant, base)}
    return tuple([_within_range(fact, named.get(fact.name)) for fact in catalogue.facts])


def _within_range(fact: Fact, number: int | None) -> int | None:
    """Return the derived *number*; beyond the range of *fact* it is unknown (decisions/bounds)."""
    return number if number is not None and fact.low <= number <= fact.high else None
