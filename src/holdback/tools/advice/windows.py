"""The windows in which a deal would pass, day by day, with the rules published for each day."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from itertools import groupby
from typing import Final, TypeAlias

from attrs import define, field

from holdback.eligibility.assessment import assess
from holdback.eligibility.derived_facts import whole_months
from holdback.eligibility.facts import DERIVED, FOLLOWING, MOST_PERCENT, WAITING
from holdback.eligibility.ruleset import RuleSet
from holdback.errors import InvalidDocument, did_you_mean
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import HUNDRED_PERCENT
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.merchant.deal import FUNDED, REPAID, STATUSES
from holdback.rulebooks.rulebook import CheckTerms, Rulebook, age_name
from holdback.rules import FactValue, Kind, Type
from holdback.rules.render import in_words
from holdback.rules.types import Catalogue, Facts
from holdback.rules.values import days_text
from holdback.tools.advice.pace import PERCENT, Pace, read_pace
from holdback.tools.advice.words import name_of
from holdback.tools.plain_values import plain_values

DAYS: Final = 730
MOST_DAYS: Final = 3_660  # ten years: rules are not published for longer
_DATE: Final = Type(Kind.DATE)

# What a deal with some facts lacks to pass on a day, when it has been repaid for some days, or is
# not: nothing where it passes, the facts that have to be known, and None where none would help.
_Lacks: TypeAlias = Callable[[Facts, date, int | None], tuple[str, ...] | None]


@frozen(kw_only=True)
class Window:
    """The days from `first` to `last`, both included."""

    first: date
    last: date

    def plain(self) -> dict[str, Json]:
        """Return the window as plain values."""
        return plain_values(self)


@frozen(kw_only=True)
class Windows:
    """
    The `windows` in which a deal would pass, from the day `on` to the day `until`.

    `not_known` are those in which it may pass, as far as the facts tell: there it `needs` others.
    `assumptions` say, in words, how the deal goes on until then.
    """

    windows: tuple[Window, ...]
    not_known: tuple[Window, ...] = ()
    needs: tuple[str, ...] = ()
    on: date
    until: date
    assumptions: tuple[str, ...]
    _rules: RuleSet = field(repr=False, eq=False)

    @property
    def words(self) -> str:
        """The windows in words for the merchant: *never* is not the same as *not known*."""
        texts = self._texts(self.windows)
        sentences = [f"{texts.capitalize()}."] if texts else []
        if self.not_known:
            facts = [self._rules.catalogue.fact(name) for name in self.needs]
            names = in_words([name_of(fact) for fact in facts if fact is not None])
            asked = f"It is not known whether it would pass {self._texts(self.not_known)}"
            sentences.append(f"{asked}: {names} would have to be known.")
        return " ".join(sentences) or f"On no day until {self._day(self.until)}."

    def _texts(self, windows: tuple[Window, ...]) -> str:
        return ", then ".join(self._window(window) for window in windows)

    def _window(self, window: Window) -> str:
        """Return the days of *window* in words; one that reaches `until` may go on after it."""
        first = self._day(window.first)
        if window.last == self.until:
            return f"from {first} on, until {self._day(self.until)} at least"
        if window.first == window.last:
            return f"on {first}"
        return f"from {first} to {self._day(window.last)}"

    def _day(self, day: date) -> str:
        return self._rules.show(_DATE, day.toordinal())

    def plain(self) -> dict[str, Json]:
        """Return the windows as plain values."""
        return plain_values(
            self, "on", "until", "windows", "not_known", "needs", "assumptions", "words"
        )


def windows(  # noqa: PLR0913 - what a forecast depends on
    jurisdiction: Jurisdiction,
    facts: Mapping[str, FactValue],
    *,
    on: date,
    pace: str | Money | None = None,
    days: int = DAYS,
    product: str | None = None,
) -> Windows:
    """
    Return the windows in the next *days* days in which a deal with *facts* would pass.

    The *facts* are those of the day *on*. *pace* is what is remitted on every day from then on, an
    amount (`"GBP 52.44"`) or a share of the repayment amount (`"0.4%"`); without it nothing is
    remitted. Each day has the rules that are published for it: those for renewals or, with
    *product*, those of that product. The days end with the calendar, on 9999-12-31.

    >>> from holdback import load_jurisdictions
    >>> great_britain = load_jurisdictions()["GB"]
    >>> typical = dict(great_britain.typical["renewal"]) | {"performance": "76%", "progress": "49%"}
    >>> found = windows(great_britain, typical, on=date(2026, 7, 1), pace="0.5%", days=90)
    >>> found.windows[0].first
    datetime.date(2026, 7, 21)

    Raises:
        InvalidDocument: with every fact that is invalid, or a pace, a number of days or a product
            that is.
        ConfigurationError: there are no rules on the day *on*.
    """
    rulebook = jurisdiction.rulebook(on)
    prepared = rulebook.catalogue.prepare(facts)
    stated = read_pace(pace, jurisdiction.currency)
    if type(days) is not int or not 0 < days <= MOST_DAYS:
        expected = f"expected a number of days from 1 to {MOST_DAYS}"
        raise InvalidDocument.of("out_of_range", expected, path="$.days")
    _check_product(product, rulebook)
    course = Course(rulebook.catalogue, prepared, on, stated)
    days = min(days, (date.max - on).days)
    lacking = list(_days(jurisdiction, course, days, product))
    return Windows(
        windows=tuple(_joined((day, lacks == ()) for day, lacks in lacking)),
        not_known=tuple(_joined((day, bool(lacks)) for day, lacks in lacking)),
        needs=tuple(dict.fromkeys(name for _, lacks in lacking for name in lacks or ())),
        on=on,
        until=on + timedelta(days=days),
        assumptions=tuple(_assumptions(course, rulebook)),
        rules=rulebook.renewal,
    )


def _check_product(product: str | None, rulebook: Rulebook) -> None:
    """Raise `InvalidDocument` if *rulebook* has no such *product*; None is renewals."""
    if product is not None and product not in rulebook.rulesets:
        keys = [terms.key for terms in rulebook.products]
        hint = did_you_mean(product, keys) or f"the products are {', '.join(keys)}"
        message = "there is no such product on that day"
        raise InvalidDocument.of("unknown_name", message, path="$.product", hint=hint)


def _days(
    jurisdiction: Jurisdiction, course: Course, days: int, product: str | None
) -> Iterator[tuple[date, tuple[str, ...] | None]]:
    """Yield every day, and what the deal lacks to pass on it."""
    slice_ = -1  # none yet: each slice is the rulebook from one change to the next
    for number in range(days + 1):
        day = course.on + timedelta(days=number)
        place = bisect_right(jurisdiction.changes, day) - 1
        if place != slice_:
            slice_, rulebook = place, jurisdiction.slices[place]
            lacks = _lacks(rulebook, product)
        facts = course.after(number, rulebook.checks)
        yield day, lacks(facts, day, course.repaid_for(number))


def _lacks(rulebook: Rulebook, product: str | None) -> _Lacks:
    """
    Return the function that says what a deal lacks to pass by the rules of *rulebook*.

    They are those for *product*, or for renewals. A product that it lacks lets nobody pass.
    """
    recent, rules = rulebook.recently_active_days, rulebook.rulesets.get(product)

    def of_renewals(facts: Facts, day: date, repaid_for: int | None) -> tuple[str, ...] | None:
        if repaid_for is not None and repaid_for > recent:
            return None
        assessment = assess(rulebook.renewal, facts, day)
        if assessment.eligible:
            return ()
        # Below the floor, and where a rule is false, no fact that becomes known would help.
        return None if assessment.answers.false else assessment.needs or None

    def of_a_product(facts: Facts, _day: date, _repaid: int | None) -> tuple[str, ...] | None:
        if rules is None or rules.masks(facts)[0]:
            return None
        return rules.answer(facts).needs

    return of_renewals if product is None else of_a_product


def _joined(days: Iterable[tuple[date, bool]]) -> Iterator[Window]:
    """Yield a window for each run of days that pass; *days* are in order, each with its answer."""
    for passing, run in groupby(days, key=lambda day: day[1]):
        if passing:
            together = [day for day, _ in run]
            yield Window(first=together[0], last=together[-1])


def _assumptions(course: Course, rulebook: Rulebook) -> Iterator[str]:
    """Yield, in words, what is assumed of the facts that are known, and of the rules."""
    yield _pace_words(course, rulebook.renewal)
    by_name = {
        fact.name: fact
        for fact, number in zip(course.catalogue.facts, course.facts, strict=True)
        if number is not None
    }
    if course.repays and "performance" in by_name:
        if course.expected is None:
            yield "performance cannot be followed, so it is unknown from then on"
        else:
            yield "what is expected grows evenly until the end of the term"
    if course.repays and not course.pace.is_nothing and "missed_remittances_30d" in by_name:
        yield "remittances that were missed count for 30 days more, and none is missed from now on"
    if course.repays and not course.pace.is_nothing and "longest_silence_90d" in by_name:
        yield "a time without a remittance counts for 90 days more"
    moving = {name for name, *_ in course.waits}
    if moving:
        names = in_words([name_of(fact) for name, fact in by_name.items() if name in moving])
        yield f"these move with the days: {names}"
    stays = [name_of(fact) for name, fact in by_name.items() if name not in moving | {*FOLLOWING}]
    if stays:
        yield f"these stay as on the first day: {in_words(stays)}"
    if course.paid_after is not None:
        recent = rulebook.recently_active_days
        yield f"a deal that is repaid can be renewed for {days_text(recent)} more"
    yield "the rules are those published so far"


def _pace_words(course: Course, rules: RuleSet) -> str:
    """Return the stated pace in words, with the repayment amount where that is implied."""
    pace = course.pace
    if not course.repays:
        return "no remittance is expected"
    if pace.is_nothing:
        return "nothing is remitted"
    money = Type(Kind.MONEY, rules.catalogue.currency)
    if pace.amount is not None:
        shown = f"{rules.show(money, pace.amount)} is remitted on every day"
    else:
        assert pace.share is not None, "a pace is an amount or a share"
        shown = (
            f"{rules.show(PERCENT, pace.share)} of the repayment amount is remitted on every day"
        )
    if course.repayment is None or course.repayment == course.stated:
        return shown
    implied = rules.show(money, course.repayment)
    return f"{shown}; the repayment amount is {implied}, as progress and balance imply"


# -- The course of a deal at a pace: its facts on every later day.
#
# What moves by itself moves, what follows from the pace follows, and all else stays. A fact that is
# unknown stays unknown, and one that cannot be followed is unknown from the next day on.

_FUNDED: Final = STATUSES.index(FUNDED)
_REPAID: Final = STATUSES.index(REPAID)
# The days in which missed remittances are counted.
_COUNTED_DAYS: Final = 30
# The days in which the longest silence is sought.
_LISTENED_DAYS: Final = 90


@define
class Course:
    """
    The course of the deal with prepared *facts* of the day *on*, at a *pace*.

    `_first_day` has the same facts by name. `waits` are the known facts that the passing of days
    alone moves, with value and highest value. `repays` says whether remittances are expected: the
    deal is funded, not paid and not paused. `repayment` is the repayment amount, in minor units, or
    where that is unknown or more than remittances lowered the balance, what balance and progress
    imply. `expected` is the share of it that was expected by the first day,
    as two numbers to divide; the rest is expected evenly over the days that are left. `paid_after`
    is the number of days after which all is paid.
    """

    catalogue: Catalogue
    facts: Facts
    on: date
    pace: Pace
    _first_day: Mapping[str, int | None] = field(init=False)
    waits: tuple[tuple[str, int, int], ...] = field(init=False)
    repays: bool = field(init=False)
    repayment: int | None = field(init=False)
    expected: tuple[int, int] | None = field(init=False)
    paid_after: int | None = field(init=False)

    def __attrs_post_init__(self) -> None:
        names = (fact.name for fact in self.catalogue.facts)
        self._first_day = first_day = dict(zip(names, self.facts, strict=True))
        self.waits = tuple(
            (fact.name, number, fact.high)
            for fact, number in zip(self.catalogue.facts, self.facts, strict=True)
            if number is not None and (fact.name in WAITING or fact.origin == DERIVED)
        )
        progress, balance = first_day["progress"], first_day["balance"]
        owes = balance != 0 and progress != HUNDRED_PERCENT
        self.repays = owes and first_day["status"] in {None, _FUNDED} and first_day["paused"] != 1
        self.repayment = None
        if owes and balance is not None and progress is not None:
            stated = self.stated
            if stated and (stated - balance) * HUNDRED_PERCENT // stated == progress:
                self.repayment = stated
            else:  # Progress is rounded down. The least amount is the exact one where it was not.
                self.repayment = _divided_up(balance * HUNDRED_PERCENT, HUNDRED_PERCENT - progress)
        self.expected = self._expected()
        self.paid_after = self._paid_after() if self.repays else None

    @property
    def stated(self) -> int | None:
        """The fact `repayment_amount` of the first day."""
        return self._first_day["repayment_amount"]

    def _expected(self) -> tuple[int, int] | None:
        """
        Return the share that was expected by the first day, as a part and its whole.

        None when that cannot be said.
        """
        first_day = self._first_day
        progress, performance = first_day["progress"], first_day["performance"]
        since, rest = first_day["days_since_funding"], first_day["remaining_term_days"]
        if progress is None or rest is None:
            return None
        if since is not None:
            elapsed = since - (first_day["days_in_pause"] or 0)
            term = elapsed + rest
            # On unchanged terms, performance is progress by the share of the term that has elapsed.
            # Both percentages are rounded down, so each stands for a range of one unit.
            if performance is None or (
                progress * term < (performance + 1) * elapsed
                and performance * elapsed < (progress + 1) * term
            ):
                return (elapsed, term) if rest else (1, 1)
        if not performance:
            return None
        # The terms were changed, and performance says by how much of it the deal is measured.
        return (progress, performance) if rest and progress < performance else (1, 1)

    def _paid_after(self) -> int | None:
        """Return after how many days at the pace all is paid; None if never, or if unknown."""
        progress, balance = self._first_day["progress"], self._first_day["balance"]
        if self.pace.is_nothing:
            return None
        if self.pace.amount is not None:
            return None if balance is None else _divided_up(balance, self.pace.amount)
        assert self.pace.share is not None, "a pace is an amount or a share"
        if self.repayment is not None and balance is not None:
            return _divided_up(balance * HUNDRED_PERCENT, self.repayment * self.pace.share)
        if progress is None:
            return None
        return _divided_up(HUNDRED_PERCENT - progress, self.pace.share)

    def after(self, days: int, checks: Mapping[str, CheckTerms]) -> Facts:
        """Return the facts *days* days later, when *checks* say how old results may be."""
        if not days:
            return self.facts
        moved = {**self._first_day, **dict(self._moved(days))}
        for check in checks.values():
            age = moved.get(age_name(check.name))
            if age is not None and check.max_age_days is not None and age > check.max_age_days:
                moved |= dict.fromkeys(check.facts)
        return tuple(moved.values())

    def _ran(self, days: int) -> int:
        """Return on how many of the next *days* days the deal runs: 0 if it has ended."""
        if self._first_day["status"] not in {None, _FUNDED}:
            return 0
        # One that is paid keeps the facts of its last remittance, the day before.
        return days if self.paid_after is None else min(days, self.paid_after - 1)

    def repaid_for(self, days: int) -> int | None:
        """Return for how long the deal has been repaid after *days* days; None if it is not."""
        if self.paid_after is not None:
            return None if days < self.paid_after else days - self.paid_after + 1
        # A deal that was repaid on the first day was so since its last remittance.
        since_last = self._first_day["days_since_last_remittance"]
        if since_last is None or self._first_day["status"] != _REPAID:
            return None
        return since_last + days

    def _moved(self, days: int) -> Iterator[tuple[str, int | None]]:
        """Yield the facts that are not as on the first day; each only where it was known."""
        yield from self._moved_by_time(days)
        if self.repays:
            yield from self._moved_by_pace(days)
        pays = self.repays and not self.pace.is_nothing
        since_last = self._first_day["days_since_last_remittance"]
        if since_last is not None:
            if pays:
                since_paid = 0 if self.paid_after is None else max(0, days - self.paid_after)
                yield "days_since_last_remittance", 1 + since_paid
            else:
                yield "days_since_last_remittance", since_last + days
        # Nothing is missed while the pace is kept, nor when nothing is expected.
        forgotten = self._ran(days) >= _COUNTED_DAYS and (pays or not self.repays)
        if forgotten and self._first_day["missed_remittances_30d"] is not None:
            yield "missed_remittances_30d", 0
        silent, ran = self._first_day["longest_silence_90d"], self._ran(days)
        if silent is not None and ran:
            yield "longest_silence_90d", self._silence(silent, ran, pays=pays)

    def _silence(self, silent: int, ran: int, *, pays: bool) -> int:
        """
        Return the longest silence after *ran* days of the deal, of which it was *silent* before.

        Where the deal *pays* every day it is the most that it can be: on which days the silence was
        is not known.
        """
        if pays:
            return silent if ran < _LISTENED_DAYS else 0
        since_last = self._first_day["days_since_last_remittance"]
        # The day of the last remittance was not silent; that of the funding was.
        now = silent if since_last is None else since_last - (since_last != silent)
        return min(_LISTENED_DAYS, max(silent, now + ran))

    def _moved_by_time(self, days: int) -> Iterator[tuple[str, int | None]]:
        """Yield the facts that the passing of days alone moves."""
        paused = self._first_day["paused"] == 1
        for name, number, high in self.waits:
            if name == "remaining_term_days":
                yield name, number if paused else max(0, number - self._ran(days))
                continue
            more: int | None = days
            if name == "months_trading":
                more = whole_months(days)
            elif name == "months_since_funding":
                # Without the day of the funding nobody knows on which days they change.
                since = self._first_day["days_since_funding"]
                more = None if since is None else whole_months(since + days) - number
            elif (name == "days_in_pause" and not paused) or (
                name == "days_past_due" and not number  # what is due later is paid on its day
            ):
                more = 0
            # Beyond its range a derived fact is unknown (decisions/bounds).
            yield name, None if more is None or number + more > high else number + more

    def _moved_by_pace(self, days: int) -> Iterator[tuple[str, int | None]]:
        """Yield the facts that the pace moves."""
        paid = self.paid_after is not None and days >= self.paid_after
        progress = self._progress(days)
        yield "progress", progress
        yield "balance", self._balance(days)
        yield "performance", self._performance(days, self._ran(days))
        if paid and self._first_day["status"] == _FUNDED:
            yield "status", _REPAID

    def _remitted(self, days: int) -> int | None:
        """Return what *days* days remit, in minor units; None when that cannot be said."""
        balance = self._first_day["balance"]
        if balance is None or (self.pace.amount is None and self.repayment is None):
            return None
        return min(balance, self.pace.remitted(days, self.repayment or 0))

    def _progress(self, days: int) -> int | None:
        """Return the progress after *days* days; None when that cannot be said."""
        progress, balance = self._first_day["progress"], self._first_day["balance"]
        if self.pace.is_nothing or progress is None:
            return progress
        if self.repayment is None or balance is None:
            share = self.pace.share
            return None if share is None else min(HUNDRED_PERCENT, progress + days * share)
        remitted = self._remitted(days)
        assert remitted is not None, "balance and repayment amount are known"
        return (self.repayment - balance + remitted) * HUNDRED_PERCENT // self.repayment

    def _balance(self, days: int) -> int | None:
        """Return the balance after *days* days; None when that cannot be said."""
        balance = self._first_day["balance"]
        if self.pace.is_nothing or balance is None:
            return balance
        remitted = self._remitted(days)
        return None if remitted is None else balance - remitted

    def _performance(self, days: int, ran: int) -> int | None:
        """
        Return the performance after *days* days, on *ran* of which the deal runs.

        None when that cannot be said.
        """
        progress, rest = self._progress(days), self._first_day["remaining_term_days"]
        if progress is None or self.expected is None or rest is None:
            return None
        # The share that is expected by then: the rest of it grows evenly over the days left.
        part, whole = self.expected
        if rest:
            past = min(ran, rest)
            part, whole = part * rest + (whole - part) * past, whole * rest
        if part <= 0:
            return None  # no whole day has passed
        balance, remitted = self._first_day["balance"], self._remitted(days)
        if self.repayment is None or balance is None or remitted is None:
            return min(MOST_PERCENT, progress * whole // part)
        paid = self.repayment - balance + remitted
        return min(MOST_PERCENT, paid * HUNDRED_PERCENT * whole // (self.repayment * part))


def _divided_up(number: int, divisor: int) -> int:
    """Return *number* divided by *divisor*, rounded up."""
    return -(-number // divisor)
