"""
The course of many deals at a pace: their facts on a later day, column by column.

It gives what `tools.forecast.course` gives for each deal alone, in the same order; the tests hold
one against the other. Numbers are 64-bit integers, or Python's own where a product may be larger.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import date, timedelta
from typing import Any, Final

import numpy as np
from attrs import define, field

from holdback.eligibility.derived_facts import months_between
from holdback.eligibility.facts import DERIVED, MOST_PERCENT
from holdback.exact.exact_numbers import HUNDRED_PERCENT
from holdback.jurisdictions.checks import CheckTerms, age_name
from holdback.merchant.deal import FUNDED, REPAID, STATUSES
from holdback.rules.types import Catalogue
from holdback.tools.forecast.pace import Pace

_FUNDED: Final = STATUSES.index(FUNDED)
_REPAID: Final = STATUSES.index(REPAID)
_COUNTED_DAYS: Final = 30
# What moves by itself, besides the ages of checks, and what follows from the pace.
_WAITING: Final = ("days_since_funding", "remaining_term_days", "days_in_pause", "months_trading")
_FOLLOWING: Final = (
    "progress",
    "balance",
    "performance",
    "status",
    "paused",
    "days_since_last_remittance",
    "missed_remittances_30d",
)
READ_BY_COURSE: Final = (*_WAITING, *_FOLLOWING)

Numbers = np.ndarray[Any, Any]
# A product below it fits in 64 bits, also when two are added.
_MOST: Final = 2**61


@define
class Known:
    """A column of whole numbers, and where they are known; elsewhere the number means nothing."""

    number: Numbers
    is_known: Numbers

    def where(self, rows: Numbers, column: Known) -> Known:
        """This column, and *column* in *rows*."""
        number = np.where(rows, column.number, self.number)
        return Known(number, np.where(rows, column.is_known, self.is_known))

    def is_(self, number: int) -> Numbers:
        """Where it is known to be *number*."""
        is_it: Numbers = self.is_known & (self.number == number)
        return is_it

    def at(self, rows: Numbers) -> Known:
        """The numbers of *rows*."""
        return Known(self.number[rows], self.is_known[rows])


@define
class CourseColumns:
    """The course of deals with *facts* of the days *on*, as ordinals, at a *pace*."""

    catalogue: Catalogue
    facts: Mapping[str, Known]
    on: Numbers
    pace: Pace
    owes: Numbers = field(init=False)
    repays: Numbers = field(init=False)
    repayment: Known = field(init=False)
    expected: tuple[Numbers, Numbers, Numbers] = field(init=False)
    paid_after: Known = field(init=False)

    def __attrs_post_init__(self) -> None:
        progress, balance, status = (self.fact(n) for n in ("progress", "balance", "status"))
        self.owes = ~balance.is_(0) & ~progress.is_(HUNDRED_PERCENT)
        is_running = ~status.is_known | status.is_(_FUNDED)
        self.repays = self.owes & is_running & ~self.fact("paused").is_(1)
        implied = self.owes & balance.is_known & progress.is_known
        left = np.where(implied, HUNDRED_PERCENT - progress.number, 1)
        self.repayment = Known(_up(_times(balance.number, HUNDRED_PERCENT), left), implied)
        self.expected = self._expected()
        self.paid_after = self._paid_after()

    def fact(self, name: str) -> Known:
        """The fact *name* on the first day; a fact without a column is unknown."""
        column = self.facts.get(name)
        if column is not None:
            return column
        return Known(np.zeros(len(self.on), dtype=np.int64), np.zeros(len(self.on), dtype=bool))

    def _expected(self) -> tuple[Numbers, Numbers, Numbers]:
        """The share that was expected by the first day, as two numbers, and where it is known."""
        progress, performance = self.fact("progress"), self.fact("performance")
        since, rest = self.fact("days_since_funding"), self.fact("remaining_term_days")
        pause = self.fact("days_in_pause")
        elapsed = since.number - np.where(pause.is_known, pause.number, 0)
        term = elapsed + rest.number
        agrees = (progress.number * term < (performance.number + 1) * elapsed) & (
            performance.number * elapsed < (progress.number + 1) * term
        )
        by_days = since.is_known & (~performance.is_known | agrees)
        by_performance = performance.is_known & (performance.number != 0)
        is_before = progress.number < performance.number
        runs = (rest.number != 0) & (by_days | is_before)
        part = np.where(runs, np.where(by_days, elapsed, progress.number), 1)
        whole = np.where(runs, np.where(by_days, term, performance.number), 1)
        return part, whole, progress.is_known & rest.is_known & (by_days | by_performance)

    def _paid_after(self) -> Known:
        """The number of days after which all is paid."""
        progress, balance = self.fact("progress"), self.fact("balance")
        if self.pace.is_nothing:
            return self.fact("")
        if self.pace.amount is not None:
            days = _up(balance.number, self.pace.amount)
            return Known(days, self.repays & balance.is_known)
        share = self.pace.share or 0
        repayment = _times(np.where(self.repayment.is_known, self.repayment.number, 1), share)
        by_amount = _up(_times(balance.number, HUNDRED_PERCENT), repayment)
        by_share = _up(HUNDRED_PERCENT - progress.number, share)
        days = np.where(self.repayment.is_known, by_amount, by_share)
        return Known(days, self.repays & progress.is_known)

    def after(
        self, days: int, checks: Mapping[str, CheckTerms], names: Collection[str]
    ) -> Mapping[str, Known]:
        """Return the facts *names* after *days* days, when *checks* say how old results may be."""
        moved = {name: self.fact(name) for name in names}
        if not days:
            return moved
        moved |= {name: fact for name, fact in self._moved(days) if name in moved}
        waited = dict(self._waited(days))
        for check in checks.values():
            age = waited.get(age_name(check.name))
            if age is None or check.max_age_days is None:
                continue
            is_old = age.is_known & (age.number > check.max_age_days)
            for name in moved.keys() & set(check.facts):
                moved[name] = Known(moved[name].number, moved[name].is_known & ~is_old)
        return moved

    def repaid_for(self, days: int) -> Known:
        """For how long each deal has been repaid after *days* days."""
        silent = self.fact("days_since_last_remittance")
        was_repaid = silent.is_known & self.fact("status").is_(_REPAID)
        before = Known(silent.number + days, was_repaid)
        now = days - self.paid_after.number
        return before.where(
            self.paid_after.is_known, Known(now + 1, self.paid_after.is_known & (now >= 0))
        )

    def _moved(self, days: int) -> Iterator[tuple[str, Known]]:
        """Yield the facts that are not as on the first day."""
        yield from self._waited(days)
        yield from self._repaid(days)
        silent, missed = (
            self.fact("days_since_last_remittance"),
            self.fact("missed_remittances_30d"),
        )
        pays = self.repays & (not self.pace.is_nothing)
        since_paid = np.maximum(0, days - self.paid_after.number)
        after_paying = 1 + np.where(self.paid_after.is_known, since_paid, 0)
        number = np.where(pays, after_paying, silent.number + days)
        yield "days_since_last_remittance", Known(number, silent.is_known)
        forgotten = (pays | ~self.repays) & (days >= _COUNTED_DAYS)
        yield (
            "missed_remittances_30d",
            Known(np.where(forgotten, 0, missed.number), missed.is_known),
        )

    def _waited(self, days: int) -> Iterator[tuple[str, Known]]:
        """Yield the facts that the passing of days alone moves."""
        paused = self.fact("paused").is_(1)
        for fact in self.catalogue.facts:
            if fact.name not in self.facts or not (fact.name in _WAITING or fact.origin == DERIVED):
                continue
            held = self.fact(fact.name)
            if fact.name == "remaining_term_days":
                number = np.where(paused, held.number, np.maximum(0, held.number - days))
                yield fact.name, Known(number, held.is_known)
                continue
            more: Numbers | int = days
            if fact.name == "months_trading":
                more = self._months(days)
            elif fact.name == "days_in_pause":
                more = np.where(paused, days, 0)
            number = held.number + more
            yield fact.name, Known(number, held.is_known & (number <= fact.high))

    def _months(self, days: int) -> Numbers:
        """The whole months in *days* from each deal's day."""
        ordinals, places = np.unique(self.on, return_inverse=True)
        starts = [date.fromordinal(int(ordinal)) for ordinal in ordinals]
        months = [months_between(start, start + timedelta(days=days)) for start in starts]
        return np.array(months, dtype=np.int64)[places]

    def _repaid(self, days: int) -> Iterator[tuple[str, Known]]:
        """Yield the facts that the pace moves, unchanged where nothing is remitted."""
        progress, balance, status = (self.fact(n) for n in ("progress", "balance", "status"))
        remitted = self._remitted(days)
        new_progress = progress.where(self.repays, self._progress(days, remitted))
        yield "progress", new_progress
        if not self.pace.is_nothing:
            left = Known(balance.number - remitted.number, balance.is_known & remitted.is_known)
            yield "balance", balance.where(self.repays, left)
        ran = np.where(self.paid_after.is_known, np.minimum(days, self.paid_after.number - 1), days)
        performance = self._performance(new_progress, remitted, ran)
        yield "performance", self.fact("performance").where(self.repays, performance)
        is_paid = self.paid_after.is_known & (self.paid_after.number <= days) & status.is_(_FUNDED)
        yield "status", Known(np.where(is_paid, _REPAID, status.number), status.is_known)

    def _remitted(self, days: int) -> Known:
        """What *days* days remit, in minor units."""
        balance = self.fact("balance")
        if self.pace.amount is not None:
            total: Numbers = np.full(len(self.on), self.pace.amount * days, dtype=object)
            return Known(np.minimum(balance.number, total), balance.is_known)
        total = _times(self.repayment.number, (self.pace.share or 0) * days) // HUNDRED_PERCENT
        return Known(np.minimum(balance.number, total), balance.is_known & self.repayment.is_known)

    def _progress(self, days: int, remitted: Known) -> Known:
        progress, balance = self.fact("progress"), self.fact("balance")
        if self.pace.is_nothing:
            return progress
        share = self.pace.share
        moved = np.minimum(HUNDRED_PERCENT, progress.number + days * (share or 0))
        by_share = Known(moved, progress.is_known & (share is not None))
        paid = self.repayment.number - balance.number + remitted.number
        repayment = np.where(self.repayment.is_known, self.repayment.number, 1)
        by_amount = Known(_times(paid, HUNDRED_PERCENT) // repayment, progress.is_known)
        return by_share.where(self.repayment.is_known, by_amount)

    def _performance(self, progress: Known, remitted: Known, ran: Numbers) -> Known:
        """The performance when the deals *ran* for a number of days and have this *progress*."""
        rest, balance = self.fact("remaining_term_days"), self.fact("balance")
        part, whole, expected = self.expected
        past = np.minimum(ran, rest.number)
        later = _times(part, rest.number) + _times(whole - part, past)
        part = np.where(rest.number != 0, later, part)
        whole = np.where(rest.number != 0, _times(whole, rest.number), whole)
        is_known = progress.is_known & expected & rest.is_known & (part > 0)
        part = np.where(is_known, part, 1)
        by_progress = _times(progress.number, whole) // part
        has_amount = self.repayment.is_known & remitted.is_known
        paid = np.where(has_amount, self.repayment.number - balance.number + remitted.number, 0)
        repayment = np.where(has_amount, self.repayment.number, 1)
        by_amount = _times(_times(paid, HUNDRED_PERCENT), whole) // _times(repayment, part)
        number = np.where(has_amount, by_amount, by_progress)
        return Known(np.minimum(MOST_PERCENT, number), is_known)


def _times(left: Numbers, right: Numbers | int) -> Numbers:
    """The product of *left* and *right*, exact however large it is."""
    if _most(left) * _most(right) < _MOST:
        return left * right
    return left.astype(object) * right


def _most(numbers: Numbers | int) -> int:
    if isinstance(numbers, int):
        return abs(numbers)
    return max(abs(int(numbers.max())), abs(int(numbers.min()))) if len(numbers) else 0


def _up(number: Numbers, divisor: Numbers | int) -> Numbers:
    """*number* divided by *divisor*, rounded up."""
    return -(-number // divisor)
