"""What a deal expects by a day: piecewise linear, flat in pauses.

Why is in decisions/money-after-funding#schedule.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from fractions import Fraction

from holdback.frozen_classes import frozen


@frozen(kw_only=True)
class Pause:
    """A time without expected remittances, from the day `on` to before the day `until`."""

    on: date
    until: date | None = None


@frozen(kw_only=True)
class TermsChange:
    """The split percentage and the term of a deal from the day `on`; the term is its whole one."""

    on: date
    split_percentage: Decimal
    term_length: Decimal
    term_days: int


def paused_days(pauses: Iterable[Pause], since: date, until: date) -> int:
    """
    Return the days on pause from the day *since* to before the day *until*.

    >>> pauses = [Pause(on=date(2026, 3, 10), until=date(2026, 3, 20)), Pause(on=date(2026, 4, 1))]
    >>> paused_days(pauses, date(2026, 3, 1), date(2026, 4, 3))
    12
    """
    days = 0
    for pause in pauses:
        end = until if pause.until is None else min(until, pause.until)
        days += max(0, (end - max(since, pause.on)).days)
    return days


def elapsed_days(pauses: Iterable[Pause], funded_on: date, until: date) -> int:
    """Return the days from the funding to the day *until*, without those on pause."""
    return (until - funded_on).days - paused_days(pauses, funded_on, until)


def expected_share(
    term_days: int,
    changes: Iterable[TermsChange],
    pauses: tuple[Pause, ...],
    funded_on: date,
    until: date,
) -> Fraction:
    """
    Return the share of the repayment amount that is expected by the day *until*.

    From a change on, the rest is expected evenly until the new end of the term.

    >>> change = TermsChange(
    ...     on=date(2026, 1, 31), split_percentage=Decimal(10), term_length=Decimal("6.58"),
    ...     term_days=130)
    >>> expected_share(100, [change], (), date(2026, 1, 1), date(2026, 1, 31))
    Fraction(3, 10)
    >>> expected_share(100, [change], (), date(2026, 1, 1), date(2026, 3, 22))
    Fraction(13, 20)
    """
    share, since, term = Fraction(0), 0, term_days
    for change in changes:
        if change.on > until:
            break
        elapsed = elapsed_days(pauses, funded_on, change.on)
        share, since, term = _share(share, since, term, elapsed), elapsed, change.term_days
    return _share(share, since, term, elapsed_days(pauses, funded_on, until))


def _share(share: Fraction, since: int, term: int, elapsed: int) -> Fraction:
    """Return the share after *elapsed* days, when it was *share* after *since* days."""
    if share >= 1 or elapsed <= since:
        return share
    return share + (1 - share) * Fraction(min(elapsed, term) - since, term - since)
