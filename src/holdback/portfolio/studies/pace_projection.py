"""`project`: the outcomes of a portfolio on later days, at a pace that is stated."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any, Final

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from attrs import define, evolve, field

from holdback.eligibility.derived_facts import whole_months
from holdback.eligibility.facts import DERIVED, FOLLOWING, MOST_PERCENT, WAITING
from holdback.errors import InvalidDocument, listed
from holdback.exact.exact_numbers import HUNDRED_PERCENT
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.merchant.deal import FUNDED, REPAID, STATUSES
from holdback.offers.calculator import DAYS_A_YEAR, MONTHS_A_YEAR
from holdback.portfolio.answers.answer_table import AnswerTable, one_or_several
from holdback.portfolio.assessing.aggregation import DealTotals
from holdback.portfolio.assessing.outcome_codes import INVALID, OUTCOMES, PLACES
from holdback.portfolio.assessing.outcome_columns import (
    OUTCOME,
    RULEBOOK,
    UNREADABLE,
    converted_column,
)
from holdback.portfolio.assessing.row_rulebooks import DayOrColumn, RowRulebooks, Rules
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.frames import answer_backend, open_frame
from holdback.portfolio.sql.computed_frames import with_facts, with_outcomes
from holdback.portfolio.studies.outcome_counts import (
    NO_JURISDICTION,
    Jurisdictional,
    plan_to_vary,
    proposal_notes,
)
from holdback.rulebooks.rulebook import CheckTerms, Rulebook, age_name
from holdback.rules.types import Catalogue
from holdback.rules.values import days_text, whole
from holdback.tools.advice.pace import PERCENT, Pace, read_pace
from holdback.tools.advice.windows import MOST_DAYS

# The outcome of deals that were repaid so long ago that there is nothing left to renew.
TOO_LATE: Final = "no_longer_renewable"
_PROJECTED: Final = (*OUTCOMES, TOO_LATE)
_HEADS: Final = ("jurisdiction", "days", "day", *_PROJECTED, "balance", "currency")
_INVALID: Final = PLACES[INVALID]
_TOO_LATE: Final = len(OUTCOMES)
_BALANCE: Final = "balance"
_HINT: Final = "as `days=30`, or `days=[30, 60, 90]`"
# Amounts are added up in two parts, their quotient and their remainder by this number, so that no
# sum passes 64 bits.
_PART: Final = 10**9


def project(  # noqa: PLR0913  # public; all but the rules have a default
    frame: Any,
    rules: Rules,
    *,
    days: int | Iterable[int] = (30, 60, 90),
    pace: str | Money | None = None,
    jurisdiction: str = "jurisdiction",
    on: DayOrColumn | None = None,
    prepared: bool = False,
) -> AnswerTable:
    """
    Return the outcomes of the deals in *frame* today and after a number of *days*, or several.

    Nothing is estimated: every deal that is funded, not paused and not yet paid goes on at *pace*,
    an amount for each day (`"GBP 52.44"`) or a share of its repayment amount (`"0.4%"`); without it
    nothing is remitted. An amount is of deals in its currency only. Facts move as in
    `holdback.tools.advice`, and those that cannot be followed are unknown. Each day has the rules
    that are published for it. `balance` is that of the eligible deals on the day.
    `no_longer_renewable` counts deals that were repaid longer ago than a deal can be renewed, also
    where the rules would let them.

    A lazy frame is read into memory. The other arguments are those of `assess`.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(500, seed=7, backend="polars")
    >>> answer = project(deals, load_jurisdictions(), days=[30], pace="0.4%")
    >>> [(row["days"], row["eligible"]) for row in answer.records if row["jurisdiction"] == "GB"]
    [(0, 41), (30, 54)]

    Raises:
        InvalidDocument: naming every column that is missing or of the wrong type; or for a number
            of days or a pace that is invalid, has no unit, or is an amount over several currencies.
    """
    later = (0, *sorted(set(_read_days(days)) - {0}))
    plan = plan_to_vary(frame, rules, jurisdiction, on, prepared=prepared)
    deals = PortfolioProjection(plan, rules, pace)
    totals: dict[tuple[str, int], dict[str, DealTotals]] = {}
    for number in later:
        deals.count(number, totals)
    return AnswerTable(
        question="projection",
        title="Outcomes of the next days at a stated pace",
        heads=_HEADS,
        rows=tuple(deals.rows(totals)),
        notes=tuple(deals.notes()),
        backend=answer_backend(open_frame(frame)),
    )


def _read_days(days: int | Iterable[int]) -> Sequence[int]:
    """
    Return *days*, a number or several, as Python's own integers.

    Raises:
        InvalidDocument: one of them is not a number of days that can be projected.
    """
    with suppress(ValueError):  # one of them is not whole
        numbers = [whole(number, "a number of days") for number in one_or_several(days)]
        if all(0 <= number <= MOST_DAYS for number in numbers):
            return numbers
    expected = f"expected numbers of days from 0 to {MOST_DAYS}"
    raise InvalidDocument.of("out_of_range", expected, path="$.days", hint=_HINT)


def _check_currency(pace: str | Money | None, currencies: Collection[str]) -> None:
    """
    Check that *pace* means the same for all deals, whose *currencies* are given.

    Raises:
        InvalidDocument: it is an amount, and there are several currencies. If it were only of the
            deals in its own currency, all others would get no remittances; if it were of all, it
            would be another amount in each.
    """
    is_amount = isinstance(pace, Money) or (isinstance(pace, str) and pace[:3].isupper())
    if is_amount and len(currencies) > 1:
        names = listed(sorted(currencies))
        message = f"an amount is in one currency, and these deals are in {names}"
        hint = "give a share, such as `0.4%`, or keep the deals of one currency"
        raise InvalidDocument.of("wrong_value", message, path="$.pace", hint=hint)


@frozen
class _Group:
    """The deals of a `rulebook` today: their positions in the frame (`rows`), and their course."""

    rulebook: Rulebook
    rows: Numbers
    course: CourseColumns


class PortfolioProjection:
    """
    The deals of a *plan*, which is prepared, and their outcomes on later days at a *pace*.

    `groups` has the deals of each rulebook that occurs. `valid` says of each row whether its facts
    can be read today. `missing` are the columns without which the course of deals is unknown.
    """

    def __init__(self, plan: ColumnPlan, rules: Rules, pace: str | Money | None) -> None:
        self.plan = plan
        self.rules = rules
        rulebooks = plan.rulebooks.rulebooks
        self.missing = tuple(name for name in READ_BY_COURSE if name not in plan.schema)
        facts, places, invalid, on = _columns(plan)
        self.deals = len(places)
        self.valid = ~invalid
        self.no_rulebook = int((places < 0).sum())
        occurring = [rulebooks[place] for place in np.unique(places) if place >= 0]
        _check_currency(pace, {str(rulebook.currency) for rulebook in occurring})
        groups = []
        for place, rulebook in enumerate(rulebooks):
            rows = np.flatnonzero(places == place)
            if not len(rows):
                continue
            own_facts = {
                name: column.at(rows)
                for name, column in facts.items()
                if rulebook.catalogue.fact(name) is not None
            }
            days = on[rows] if on is not None else np.full(len(rows), rulebook.on.toordinal())
            daily = read_pace(pace, rulebook.currency)
            course = CourseColumns(rulebook.catalogue, own_facts, days, daily)
            groups.append(_Group(rulebook, rows, course))
        self.groups = tuple(groups)

    def after(self, days: int) -> tuple[Numbers, Known]:
        """
        The outcome of each row after *days* days, a place in `_PROJECTED`, and its balance.

        Rows that cannot be read today stay invalid, and so do those without a rulebook.
        """
        result = np.full(self.deals, _INVALID, dtype=np.int64)
        balance = Known(np.zeros(self.deals, dtype=np.int64), np.zeros(self.deals, dtype=bool))
        for group in self.groups:
            for rulebook, rows, facts in self._later(group, days):
                result[group.rows[rows]] = self._assessed(rulebook, facts)
                balance.number[group.rows[rows]] = facts[_BALANCE].number
                balance.is_known[group.rows[rows]] = facts[_BALANCE].is_known
                repaid_days = group.course.repaid_for(days).at(rows)
                is_late = repaid_days.is_known & (
                    repaid_days.number > rulebook.recently_active_days
                )
                # It replaces the outcome by the rules, which do not ask how long ago that was.
                result[group.rows[rows[is_late.astype(bool)]]] = _TOO_LATE
        return np.where(self.valid, result, _INVALID), balance

    def _later(
        self, group: _Group, days: int
    ) -> Iterator[tuple[Rulebook, Numbers, Mapping[str, Known]]]:
        """
        Yield each rulebook in force on a deal's later day, its rows, and their facts on that day.

        Rows count within *group*. Deals of one group may have several later rulebooks, because
        they need not have the same day today.

        Raises:
            InvalidDocument: the later day is after the last of the calendar.
        """
        ordinals, places = np.unique(group.course.on + days, return_inverse=True)
        if int(ordinals[-1]) > date.max.toordinal():
            message = f"{days} days later the calendar has ended"
            raise InvalidDocument.of("out_of_range", message, path="$.days")
        rulebooks = [
            self._rulebook(group.rulebook, date.fromordinal(int(ordinal))) for ordinal in ordinals
        ]
        for rulebook in dict.fromkeys(rulebooks):
            of_rulebook = np.array([later == rulebook for later in rulebooks])
            rows = np.flatnonzero(of_rulebook[places])
            read = {name for rule in rulebook.renewal.rules for name in rule.checked.names}
            names = {"progress", _BALANCE, *read}
            facts = group.course.after(days, rulebook.checks, names)
            yield rulebook, rows, {name: column.at(rows) for name, column in facts.items()}

    def _rulebook(self, today: Rulebook, day: date) -> Rulebook:
        """The rulebook that follows *today* on a later *day*; without jurisdictions it stays."""
        if not isinstance(self.rules, Jurisdictions):
            return today
        jurisdiction = self.rules[today.code]
        # `changes` are the first days of `slices`.
        return jurisdiction.slices[bisect_right(jurisdiction.changes, day) - 1]

    def _assessed(self, rulebook: Rulebook, facts: Mapping[str, Known]) -> Numbers:
        """The outcomes of prepared *facts* under *rulebook*, as places in `OUTCOMES`."""
        table = pa.table(
            {
                name: pa.array(column.number.astype(np.int64), mask=~column.is_known.astype(bool))
                for name, column in facts.items()
            }
        )
        frame = nw.from_native(table, eager_only=True)
        plan = ColumnPlan(frame, RowRulebooks(rulebooks=(rulebook,)), prepared=True)
        outcomes: Any = with_outcomes(plan, (OUTCOME,))
        return outcomes[OUTCOME].to_numpy()  # type: ignore[no-any-return]  # of NumPy

    def count(self, days: int, totals: dict[tuple[str, int], dict[str, DealTotals]]) -> None:
        """Add the deals after *days* days to *totals*, by jurisdiction and days, and outcome."""
        outcomes, balances = self.after(days)
        for group in self.groups:
            balance = balances.at(group.rows)
            of_jurisdiction = totals.setdefault((group.rulebook.code, days), {})
            of_rows = outcomes[group.rows]
            for place, outcome in enumerate(_PROJECTED):
                rows = of_rows == place
                part = DealTotals(int(rows.sum()), _sum(balance.number[rows & balance.is_known]))
                of_jurisdiction[outcome] = of_jurisdiction.get(outcome, DealTotals()) + part
        if self.no_rulebook:
            totals[NO_JURISDICTION, days] = {INVALID: DealTotals(self.no_rulebook)}

    def rows(
        self, totals: Mapping[tuple[str, int], Mapping[str, DealTotals]]
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of `project`, with the columns `_HEADS`, from what `count` has added."""
        jurisdictional = Jurisdictional(self.plan.rulebooks.rulebooks)
        for (code, days), parts in sorted(totals.items()):
            deals = (parts.get(outcome, DealTotals()).deals for outcome in _PROJECTED)
            amount = jurisdictional.amount(code, parts.get(OUTCOMES[0], DealTotals()))
            yield code, days, self._day(code, days), *deals, *amount

    def _day(self, code: str, days: int) -> date | None:
        """The day after *days* days, if all deals of the jurisdiction *code* have one day today."""
        groups = [group.course.on for group in self.groups if group.rulebook.code == code]
        ordinals = {int(ordinal) for on in groups for ordinal in np.unique(on)}
        return date.fromordinal(ordinals.pop() + days) if len(ordinals) == 1 else None

    def notes(self) -> Iterator[str]:
        """Yield what is assumed."""
        yield from proposal_notes(self.plan.rulebooks.rulebooks)
        yield from _pace_words(self.groups)
        yield (
            "that is of deals that are funded, not paused and not yet paid; what is expected of "
            "them grows evenly until the end of the term, and none of it is missed"
        )
        yield "the ages of checks and the other numbers of days move; everything else stays"
        if isinstance(self.rules, Jurisdictions):
            yield "the rules are those published so far for each day"
        else:
            yield f"the rules of {self.rules.on} hold on every day"
        recent = sorted({group.rulebook.recently_active_days for group in self.groups})
        for number in recent:
            codes = {
                g.rulebook.code for g in self.groups if g.rulebook.recently_active_days == number
            }
            where = f" in {', '.join(sorted(codes))}" if len(recent) > 1 else ""
            yield f"a deal that is repaid can be renewed for {days_text(number)} more{where}"
        if self.missing:
            names = ", ".join(self.missing)
            yield f"these columns are missing, so what follows from them is unknown: {names}"


def _pace_words(groups: Sequence[_Group]) -> Iterator[str]:
    """Yield the pace in words, once: all groups have the same one (`_check_currency`)."""
    for group in groups[:1]:
        pace = group.course.pace
        if pace.is_nothing:
            yield "nothing is remitted"
        elif pace.amount is not None:
            yield f"{Money(pace.amount, group.rulebook.currency)} is remitted on every day"
        else:
            shown = PERCENT.show(pace.share or 0)
            yield f"{shown} of the repayment amount is remitted on every day"


def _columns(
    plan: ColumnPlan,
) -> tuple[Mapping[str, Known], Numbers, Numbers, Numbers | None]:
    """
    Return columns of all rows of *plan*.

    They are its facts by name; the place of the rulebook, -1 for none; whether a fact cannot be
    read, also one that no rule reads today; and the day as an ordinal, None if the rules are a
    single rulebook, which has its own day.
    """
    # Rules of a later day may read facts that those of today do not.
    computed = with_facts(evolve(plan, unread=True))
    rows = computed if isinstance(computed, nw.DataFrame) else computed.collect()
    names = [name for name in plan.rulebooks.facts if name in plan.schema]
    facts = {name: _numbers(rows[converted_column(name)]) for name in names}
    places = _numbers(rows[RULEBOOK])
    place = np.where(places.is_known, places.number, -1)
    invalid = _numbers(rows[UNREADABLE]).number != 0
    on = plan.rulebooks.day_or_column
    if isinstance(on, date):
        return facts, place, invalid, np.full(len(place), on.toordinal(), dtype=np.int64)
    if on is None:
        return facts, place, invalid, None
    days = _numbers(rows[converted_column(on)])
    # A row without a day has no rulebook, so nothing reads the ordinal that it gets here.
    return facts, place, invalid, np.where(days.is_known, days.number, 1)


def _numbers(column: nw.Series[Any]) -> Known:
    """*column* of integers, unknown where it is null."""
    is_known = ~column.is_null().to_numpy().astype(bool)
    return Known(column.fill_null(0).to_numpy().astype(np.int64), is_known)


def _sum(numbers: Numbers) -> int:
    """The exact sum of *numbers*, which may pass 64 bits (`_PART`)."""
    return int((numbers // _PART).sum()) * _PART + int((numbers % _PART).sum())


_FUNDED: Final = STATUSES.index(FUNDED)
_REPAID: Final = STATUSES.index(REPAID)
# `missed_remittances_30d` counts the remittances missed in this number of days.
_COUNTED_DAYS: Final = 30
# The days in which `longest_silence_90d` is sought.
_LISTENED_DAYS: Final = 90
# The facts that the course of a deal is calculated from: those that waiting alone moves, and those
# that follow from what is remitted.
READ_BY_COURSE: Final = (*WAITING, *FOLLOWING)

Numbers = np.ndarray[Any, Any]
# A product below it fits in 64 bits, also when two are added.
_MOST_PRODUCT: Final = 2**61


@define
class Known:
    """
    A column of whole numbers that may be unknown, as two arrays with an element for each row.

    Where `is_known` is false, the `number` is arbitrary, and must not be used.
    """

    number: Numbers
    is_known: Numbers

    def where(self, rows: Numbers, column: Known) -> Known:
        """This column with the values of *column* in *rows*, an array of Booleans."""
        number = np.where(rows, column.number, self.number)
        return Known(number, np.where(rows, column.is_known, self.is_known))

    def is_(self, number: int) -> Numbers:
        """Where it is known to be *number*."""
        is_it: Numbers = self.is_known & (self.number == number)
        return is_it

    def at(self, rows: Numbers) -> Known:
        """The column with *rows* only, an array of their positions."""
        return Known(self.number[rows], self.is_known[rows])


@define
class CourseColumns:
    """
    The course of deals from their first day on: *facts* on the days *on*, as ordinals, and *pace*.

    It is the `Course` of `tools.advice.windows` for many deals at once, and must agree with it.

    `owes` says whether a deal is not paid yet, and `repays` whether it goes on at the pace.
    `repayment` is the repayment amount, or what balance and progress imply, in minor units.
    `expected` is what `_expected` returns, and `paid_after` the number of days after which all is
    paid.
    """

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
        # A deal is taken to be funded, to owe and not to be paused if nothing says otherwise.
        is_running = ~status.is_known | status.is_(_FUNDED)
        self.repays = self.owes & is_running & ~self.fact("paused").is_(1)
        implied = self.owes & balance.is_known & progress.is_known
        left = np.where(implied, HUNDRED_PERCENT - progress.number, 1)  # 1 so as not to divide by 0
        stated = self.fact("repayment_amount")
        is_stated = stated.is_known & (stated.number > 0)
        whole = np.where(is_stated, stated.number, 1)
        paid = _times(np.where(is_stated, whole - balance.number, 0), HUNDRED_PERCENT)
        agrees = is_stated & (paid // whole == progress.number)
        by_share = _up(_times(balance.number, HUNDRED_PERCENT), left)
        self.repayment = Known(np.where(agrees, whole, by_share), implied)
        self.expected = self._expected()
        self.paid_after = self._paid_after()

    def fact(self, name: str) -> Known:
        """The fact *name* on the first day; a fact without a column is unknown."""
        column = self.facts.get(name)
        if column is not None:
            return column
        return Known(np.zeros(len(self.on), dtype=np.int64), np.zeros(len(self.on), dtype=bool))

    def _expected(self) -> tuple[Numbers, Numbers, Numbers]:
        """
        The share of the repayment amount that was expected by the first day.

        It is returned as a numerator, a denominator, and whether it is known. It is the share of
        the term that has elapsed, unless that does not agree with the performance that is given,
        which is rounded down; then it is progress divided by performance. A term that has ended,
        or a deal that is ahead of such a performance, gives 1: all was expected.
        """
        progress, performance = self.fact("progress"), self.fact("performance")
        since, rest = self.fact("days_since_funding"), self.fact("remaining_term_days")
        pause = self.fact("days_in_pause")
        elapsed = since.number - np.where(pause.is_known, pause.number, 0)
        term = elapsed + rest.number
        # Both percentages are rounded down, so each stands for a range of one unit.
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
        """The number of days after which all is paid, known where the pace pays it at all."""
        progress, balance = self.fact("progress"), self.fact("balance")
        if self.pace.is_nothing:
            return self.fact("")  # no fact has this name, so it is unknown in all rows
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
        """
        Return the facts *names* after *days* days; today's facts for 0.

        Facts that a check gave are unknown once its result is older than *checks* say it may be.
        """
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

    def _ran(self, days: int) -> Numbers:
        """
        For how many of the *days* each deal runs: none that has ended.

        One that is paid keeps the facts of its last remittance, the day before.
        """
        status, paid_after = self.fact("status"), self.paid_after
        until = np.where(paid_after.is_known, np.minimum(days, paid_after.number - 1), days)
        return np.where(~status.is_known | status.is_(_FUNDED), until, 0)

    def repaid_for(self, days: int) -> Known:
        """
        For how many days each deal has been repaid after *days* days, unknown if it has not.

        A deal repaid before counts from its last remittance; one that the pace pays off is in its
        first day when it does so.
        """
        silent = self.fact("days_since_last_remittance")
        was_repaid = silent.is_known & self.fact("status").is_(_REPAID)
        before = Known(silent.number + days, was_repaid)
        now = days - self.paid_after.number
        return before.where(
            self.paid_after.is_known, Known(now + 1, self.paid_after.is_known & (now >= 0))
        )

    def _moved(self, days: int) -> Iterator[tuple[str, Known]]:
        """Yield the facts that may change in *days* days, by name, with their new values."""
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
        # None is missed from now on, and after that time all earlier ones are out of the count.
        forgotten = (pays | ~self.repays) & (self._ran(days) >= _COUNTED_DAYS)
        yield (
            "missed_remittances_30d",
            Known(np.where(forgotten, 0, missed.number), missed.is_known),
        )
        longest, ran = self.fact("longest_silence_90d"), self._ran(days)
        # The day of the last remittance was not silent; that of the funding was.
        since = silent.number - (silent.number != longest.number)
        grown = np.where(silent.is_known, since, longest.number) + ran
        grown = np.minimum(_LISTENED_DAYS, np.maximum(longest.number, grown))
        # Of deals that pay it is the most that it can be.
        paying = np.where(ran < _LISTENED_DAYS, longest.number, 0)
        number = np.where(ran == 0, longest.number, np.where(pays, paying, grown))
        yield "longest_silence_90d", Known(number, longest.is_known)

    def _waited(self, days: int) -> Iterator[tuple[str, Known]]:
        """Yield the facts that the passing of days alone moves; one beyond its range is unknown."""
        paused = self.fact("paused").is_(1)
        for fact in self.catalogue.facts:
            if fact.name not in self.facts or not (fact.name in WAITING or fact.origin == DERIVED):
                continue
            today = self.fact(fact.name)
            if fact.name == "remaining_term_days":
                left = np.maximum(0, today.number - self._ran(days))
                number = np.where(paused, today.number, left)
                yield fact.name, Known(number, today.is_known)
                continue
            more: Numbers | int = days
            if fact.name == "months_trading":
                more = whole_months(days)
            elif fact.name == "days_in_pause":
                more = np.where(paused, days, 0)
            elif fact.name == "days_past_due":  # what is due later is paid on its day
                more = np.where(today.number > 0, days, 0)
            number, is_known = today.number + more, today.is_known
            if fact.name == "months_since_funding":
                # Without the day of the funding nobody knows on which days they change.
                since = self.fact("days_since_funding")
                number = (since.number + days) * MONTHS_A_YEAR // DAYS_A_YEAR
                is_known = is_known & since.is_known
            yield fact.name, Known(number, is_known & (number <= fact.high))

    def _repaid(self, days: int) -> Iterator[tuple[str, Known]]:
        """Yield the facts that the pace moves, unchanged where nothing is remitted."""
        progress, balance, status = (self.fact(n) for n in ("progress", "balance", "status"))
        remitted = self._remitted(days)
        new_progress = progress.where(self.repays, self._progress(days, remitted))
        yield "progress", new_progress
        if not self.pace.is_nothing:
            left = Known(balance.number - remitted.number, balance.is_known & remitted.is_known)
            yield "balance", balance.where(self.repays, left)
        performance = self._performance(new_progress, remitted, self._ran(days))
        yield "performance", self.fact("performance").where(self.repays, performance)
        is_paid = self.paid_after.is_known & (self.paid_after.number <= days) & status.is_(_FUNDED)
        yield "status", Known(np.where(is_paid, _REPAID, status.number), status.is_known)

    def _remitted(self, days: int) -> Known:
        """What *days* days remit, in minor units: at most the balance."""
        balance = self.fact("balance")
        if self.pace.amount is not None:
            total: Numbers = np.full(len(self.on), self.pace.amount * days, dtype=object)
            return Known(np.minimum(balance.number, total), balance.is_known)
        total = _times(self.repayment.number, (self.pace.share or 0) * days) // HUNDRED_PERCENT
        return Known(np.minimum(balance.number, total), balance.is_known & self.repayment.is_known)

    def _progress(self, days: int, remitted: Known) -> Known:
        """
        The progress after *days* days in which *remitted* was paid.

        It is calculated from amounts where they are known; else from the share of the pace.
        """
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
        """
        The performance of deals that *ran* for some days, with their new *progress*.

        It is what is paid as a share of what is expected by then. The share that is expected grows
        evenly from that of the first day to 1 at the end of the term.
        """
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
    """The exact product of *left* and *right*: in Python's integers where it may pass 64 bits."""
    if _largest(left) * _largest(right) < _MOST_PRODUCT:
        return left * right
    return left.astype(object) * right


def _largest(numbers: Numbers | int) -> int:
    """The greatest absolute value of *numbers*, 0 of none."""
    if isinstance(numbers, int):
        return abs(numbers)
    return max(abs(int(numbers.max())), abs(int(numbers.min()))) if len(numbers) else 0


def _up(number: Numbers, divisor: Numbers | int) -> Numbers:
    """*number* divided by *divisor*, rounded up."""
    return -(-number // divisor)
