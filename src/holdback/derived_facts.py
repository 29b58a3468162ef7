"""The facts that a merchant's state derives on a day, as prepared facts.

Ignorance is not zero: a fact that is counted from history is unknown unless that history is declared
complete up to the day before. Days and dates are plain numbers, derived once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Final

from holdback.errors import InvalidDocument
from holdback.exact_json import Json
from holdback.facts import CREDIT, INITIAL_EVIDENCE, MOST_MONEY, MOST_PERCENT
from holdback.model.deal import (
    DEFAULTED,
    RENEWED,
    REPAID,
    STATUSES,
    TYPES,
    WHOLE,
    Deal,
)
from holdback.model.merchant import Merchant, Takings
from holdback.rules.types import Catalogue, Facts

_DAY: Final = timedelta(days=1)
# A month is a twelfth of 365 days, everywhere in holdback.
_AVERAGED_DAYS: Final = 90
_TREND_DAYS: Final = 30


def performance(deal: Deal, today: date) -> int | None:
    """
    Remitted to date as a percent of what the term expected by *today*, scaled by 10**4, rounded down.

    Expected is the repayment amount in proportion to the days elapsed, and the whole of it once the
    term has passed. None before a whole day has elapsed (design 6a).
    A deal that has ended stays as it was on its last day.
    """
    until = today if deal.ended_on is None else min(today, deal.ended_on)
    elapsed = min((until - deal.funded_on).days, deal.term_days)
    if elapsed <= 0:
        return None
    whole = deal.remitted.minor * WHOLE * deal.term_days
    return min(MOST_PERCENT, whole // (deal.repayment_amount.minor * elapsed))


def deal_facts(merchant: Merchant, deal: Deal, today: date) -> dict[str, int | None]:
    """The facts about *deal* and the merchant's other deals on *today*, scaled, by name."""
    elapsed = max(0, (today - deal.funded_on).days)
    known: dict[str, int | None] = {
        "progress": deal.progress,
        "performance": performance(deal, today),
        "balance": deal.balance.minor,
        "status": _ordinal(STATUSES, deal.status),
        "deal_type": _ordinal(TYPES, deal.type),
        "days_since_funding": elapsed,
        "remaining_term_days": max(0, deal.term_days - elapsed),
    }
    if _complete(deal, today):
        known |= _counted_facts(merchant, deal, today)
    return known


def _ordinal(declared: tuple[str, ...], text: str) -> int | None:
    """The place of *text* in its declared set; a text outside it is unknown (design 4)."""
    return declared.index(text) if text in declared else None


def _complete(deal: Deal, today: date) -> bool:
    """Whether the deal's history is declared complete up to yesterday, or to its last remittance."""
    needed = today - _DAY
    if deal.status == REPAID and deal.repaid_on is not None:
        needed = min(needed, deal.repaid_on)
    return deal.complete_through is not None and deal.complete_through >= needed


def _counted_facts(merchant: Merchant, deal: Deal, today: date) -> dict[str, int | None]:
    others = [other.status for other in merchant.deals if other.id != deal.id]
    last = next((each.on for each in reversed(deal.counted) if each.amount.minor), deal.funded_on)
    return {
        "days_since_last_remittance": (today - last).days,
        "missed_remittances_30d": _missed(deal, today),
        "deals_completed": sum(status in {REPAID, RENEWED} for status in others),
        "deals_defaulted": sum(status == DEFAULTED for status in others)
        + (deal.status == DEFAULTED),
    }


def _missed(deal: Deal, today: date) -> int:
    """
    The days of the last 30, without today, whose remittance was taken back, or was nothing though
    there were takings; a day on which another remittance counts is not one of them.
    """
    start = today - timedelta(days=30)
    missed, remitted = set(), set()
    for entry in reversed(deal.entries):  # sorted by day
        if entry.on < start:
            break
        if entry.on >= today or entry.reverses is not None:
            continue
        if entry.id in deal.taken_back:
            missed.add(entry.on)
        elif entry.amount.minor:
            if entry.settled:
                remitted.add(entry.on)
        elif entry.takings is not None and entry.takings.minor:
            missed.add(entry.on)
    return len(missed - remitted)


def takings_facts(merchant: Merchant, today: date) -> dict[str, int | None]:
    """Average monthly takings and their trend on *today*, where the takings are complete."""
    complete, takings = merchant.takings_complete_through, merchant.takings
    if complete is None or complete < today - _DAY or not takings:
        return {}
    facts: dict[str, int | None] = {}
    covered = (today - takings[0].on).days
    if covered >= _AVERAGED_DAYS:
        total = _between(takings, today, _AVERAGED_DAYS, 0)
        average = total * 365 // (12 * _AVERAGED_DAYS)
        facts["average_monthly_takings"] = min(MOST_MONEY, average)
    if covered >= 2 * _TREND_DAYS:
        before = _between(takings, today, 2 * _TREND_DAYS, _TREND_DAYS)
        if before:
            trend = _between(takings, today, _TREND_DAYS, 0) * WHOLE // before
            facts["takings_trend"] = min(MOST_PERCENT, trend)
    return facts


def _between(takings: Iterable[Takings], today: date, first: int, last: int) -> int:
    """The takings from *first* days ago up to, and without, *last* days ago."""
    start, end = today - timedelta(days=first), today - timedelta(days=last)
    return sum(each.amount.minor for each in takings if start <= each.on < end)


def months_between(start: date, end: date) -> int:
    """
    The whole months from *start* to *end*.

    >>> months_between(date(2026, 1, 31), date(2026, 2, 28)), months_between(date(2026, 1, 1), date(2027, 1, 1))
    (0, 12)
    """
    return (end.year - start.year) * 12 + end.month - start.month - (end.day < start.day)


def overlaid(held: Mapping[str, Json], newer: Mapping[str, Json]) -> dict[str, Json]:
    """
    The evidence *held* with the *newer* on top. One credit check's score and day belong together: with
    either of them new, neither of the old ones is kept.

    >>> overlaid({"credit_score": 700, "identity_verified": True}, {"credit_checked_on": "2026-07-01"})
    {'identity_verified': True, 'credit_checked_on': '2026-07-01'}
    """
    renewed = CREDIT if any(name in newer for name in CREDIT) else ()
    return {**{name: value for name, value in held.items() if name not in renewed}, **newer}


def merchant_facts(
    merchant: Merchant, evidence: Mapping[str, Json], catalogue: Catalogue, today: date
) -> dict[str, int | None]:
    """
    The facts about the merchant on *today*: the evidence held, with the newer *evidence* on top, its
    months of trading brought up to date, and its takings those recorded, once 90 days of them are.
    """
    known = {
        name: _read(name, value, catalogue)
        for name, value in overlaid(merchant.evidence, evidence).items()
    }
    months = known.get("months_trading")
    if months is not None and merchant.evidence_on is not None:
        known["months_trading"] = months + max(0, months_between(merchant.evidence_on, today))
    if _superseded(merchant):
        known.pop("average_monthly_takings", None)
    return known | takings_facts(merchant, today)


def _read(name: str, value: Json, catalogue: Catalogue) -> int | None:
    fact = catalogue.fact(name)
    try:
        return None if fact is None else fact.read(value)
    except (ValueError, TypeError) as error:
        if name not in INITIAL_EVIDENCE:
            return None  # the jurisdiction's own, declared in another way when it was held
        raise InvalidDocument.of(f"held evidence: {error}", path=f"$.evidence.{name}") from None


def held_facts(evidence: Mapping[str, Json], catalogue: Catalogue) -> Facts:
    """*evidence* that was held as prepared facts. What the jurisdiction no longer declares so is unknown."""
    known = {name: _read(name, value, catalogue) for name, value in evidence.items()}
    return tuple(known.get(fact.name) for fact in catalogue.facts)


def _superseded(merchant: Merchant) -> bool:
    """Whether so many takings were once recorded and complete that those first given count no more."""
    complete = merchant.takings_complete_through
    if complete is None or not merchant.takings:
        return False
    return (complete - merchant.takings[0].on).days + 1 >= _AVERAGED_DAYS


def renewal_facts(
    merchant: Merchant, deal: Deal, catalogue: Catalogue, evidence: Mapping[str, Json], today: date
) -> Facts:
    """The prepared facts for renewing *deal* on *today*, with the *evidence* of the host's new checks."""
    known = merchant_facts(merchant, evidence, catalogue, today) | deal_facts(merchant, deal, today)
    return tuple([known.get(fact.name) for fact in catalogue.facts])
