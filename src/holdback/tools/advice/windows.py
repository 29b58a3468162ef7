"""The windows in which a deal would pass, day by day, with the rules published for each day."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from itertools import groupby
from typing import Final, TypeAlias

from attrs import field

from holdback.eligibility.assessment import assess
from holdback.eligibility.ruleset import RuleSet
from holdback.errors import InvalidDocument, did_you_mean
from holdback.exact.exact_json import Json
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Facts, FactValue, Kind, Type
from holdback.rules.render import in_words
from holdback.rules.values import days_text
from holdback.tools.advice.course import Course
from holdback.tools.advice.pace import PERCENT, read_pace
from holdback.tools.advice.words import name_of

DAYS: Final = 730
MOST_DAYS: Final = 3_660  # ten years: rules are not published for longer
_DATE: Final = Type(Kind.DATE)

# Whether a deal with some facts passes on a day, when it has been repaid for some days, or is not.
_Passes: TypeAlias = Callable[[Facts, date, int | None], bool]


@frozen(kw_only=True)
class Window:
    """The days from `first` to `last`, both included."""

    first: date
    last: date

    def plain(self) -> dict[str, Json]:
        """Return the window as plain values."""
        return {"first": self.first.isoformat(), "last": self.last.isoformat()}


@frozen(kw_only=True)
class Windows:
    """
    The `windows` in which a deal would pass, from the day `on` to the day `until`.

    `assumptions` say, in words, how the deal goes on until then.
    """

    windows: tuple[Window, ...]
    on: date
    until: date
    assumptions: tuple[str, ...]
    _rules: RuleSet = field(repr=False, eq=False)

    @property
    def words(self) -> str:
        """The windows in words for the merchant."""
        last = self._day(self.until)
        if not self.windows:
            return f"On no day until {last}."
        texts = [self._window(window) for window in self.windows]
        return f"{', then '.join(texts).capitalize()}."

    def _window(self, window: Window) -> str:
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
        return {
            "on": self.on.isoformat(),
            "until": self.until.isoformat(),
            "windows": [window.plain() for window in self.windows],
            "assumptions": list(self.assumptions),
            "words": self.words,
        }


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
    _look_for(product, rulebook)
    course = Course(rulebook.catalogue, prepared, on, stated)
    days = min(days, (date.max - on).days)
    passing = _days(jurisdiction, course, days, product)
    return Windows(
        windows=tuple(_joined(passing)),
        on=on,
        until=on + timedelta(days=days),
        assumptions=tuple(_assumptions(course, rulebook)),
        rules=rulebook.renewal,
    )


def _look_for(product: str | None, rulebook: Rulebook) -> None:
    keys = [terms.key for terms in rulebook.products]
    if product is not None and product not in keys:
        hint = did_you_mean(product, keys) or f"the products are {', '.join(keys)}"
        message = "there is no such product on that day"
        raise InvalidDocument.of("unknown_name", message, path="$.product", hint=hint)


def _days(
    jurisdiction: Jurisdiction, course: Course, days: int, product: str | None
) -> Iterator[tuple[date, bool]]:
    """Yield every day, and whether the deal passes on it."""
    place = -1
    for number in range(days + 1):
        day = course.on + timedelta(days=number)
        slice_ = bisect_right(jurisdiction.changes, day) - 1
        if slice_ != place:
            place, rulebook = slice_, jurisdiction.slices[slice_]
            passes = _passes(rulebook, product)
        facts = course.after(number, rulebook.checks)
        yield day, passes(facts, day, course.repaid_for(number))


def _passes(rulebook: Rulebook, product: str | None) -> _Passes:
    """Return whether a deal passes by *rulebook*; a product that it lacks lets nobody pass."""
    if product is None:
        recent = rulebook.recently_active_days
        return lambda facts, day, repaid_for: (
            (repaid_for is None or repaid_for <= recent)
            and assess(rulebook.renewal, facts, day).eligible
        )
    rules = next((terms.rules for terms in rulebook.products if terms.key == product), None)
    return lambda facts, _day, _repaid: rules is not None and rules.masks(facts) == (0, 0)


def _joined(days: Iterable[tuple[date, bool]]) -> Iterator[Window]:
    """Yield the windows of the days that pass, which come in order."""
    for passing, together in groupby(days, key=lambda day: day[1]):
        if passing:
            members = [day for day, _ in together]
            yield Window(first=members[0], last=members[-1])


def _assumptions(course: Course, rulebook: Rulebook) -> Iterator[str]:
    """Yield, in words, how the deal goes on."""
    yield _pace_words(course, rulebook.renewal)
    held = {
        fact.name: fact
        for fact, number in zip(course.catalogue.facts, course.facts, strict=True)
        if number is not None
    }
    if course.repays and "performance" in held:
        if course.expected is None:
            yield "performance cannot be followed, so it is unknown from then on"
        else:
            yield "what is expected grows evenly until the end of the term"
    if course.repays and not course.pace.is_nothing and "missed_remittances_30d" in held:
        yield "remittances that were missed count for 30 days more, and none is missed from now on"
    moving = {name for name, *_ in course.waits}
    if moving:
        names = in_words([name_of(fact) for name, fact in held.items() if name in moving])
        yield f"these move with the days: {names}"
    stays = [name_of(fact) for name, fact in held.items() if name not in moving | _FOLLOWING]
    if stays:
        yield f"these stay as on the first day: {in_words(stays)}"
    if course.paid_after is not None:
        recent = rulebook.recently_active_days
        yield f"a deal that is repaid can be renewed for {days_text(recent)} more"
    yield "the rules are those published so far"


_FOLLOWING: Final = frozenset(
    {
        "progress",
        "performance",
        "balance",
        "status",
        "paused",
        "days_since_last_remittance",
        "missed_remittances_30d",
    }
)


def _pace_words(course: Course, rules: RuleSet) -> str:
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
    if course.repayment is None:
        return shown
    implied = rules.show(money, course.repayment)
    return f"{shown}; the repayment amount is {implied}, as progress and balance imply"
