"""What holds when: the versions of everything in a policy that changes, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from itertools import groupby
from typing import Final

from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.types import draft_label
from holdback.rules.values import days_text
from holdback.tools.policy.policy_document import all_rules, rule_texts

IN_FORCE: Final = "in force"
OFFERED: Final = "offered"
# More periods than this do not fit next to each other on paper: the oldest are left out.
MOST_PERIODS: Final = 9


@frozen(kw_only=True)
class Bar:
    """A version: the numbers of its first period and of the one after it, and what holds."""

    first: int
    end: int
    text: str


@frozen(kw_only=True)
class Row:
    """The versions of something that changes; where it has none, it is not in force."""

    group: str
    name: str
    bars: tuple[Bar, ...]


@frozen(kw_only=True)
class Chart:
    """Periods, each from one day of `starts` to the next, and what changes between them."""

    starts: tuple[date, ...]
    rows: tuple[Row, ...]

    def period_of(self, day: date) -> int | None:
        """Return the number of the period of *day*; None before the first."""
        begun = [place for place, start in enumerate(self.starts) if start <= day]
        return begun[-1] if begun else None


_SETTINGS: Final = {
    "recently_active_days": "Time to renew after the repayment",
    "approval_days": "Time for which an approval holds",
    "acceptance_days": "Time to fund an accepted application",
    "cooling_off_days": "Cooling-off period",
    "retain_profile_days": "Time for which a profile is kept",
}

# What a period has, by group and name: its version, as something to compare, and its text.
_Cells = dict[tuple[str, str], tuple[object, str]]


def chart(jurisdiction: Jurisdiction, on: date) -> Chart:
    """
    Return what changes in *jurisdiction*, period by period, with the period of the day *on*.

    What is the same in every period that is shown has no row.
    """
    rulebooks = list(jurisdiction.slices)
    cells = [_cells(jurisdiction, rulebook) for rulebook in rulebooks]
    shown = _shown(rulebooks, cells, on)
    chosen = [cells[place] for place in shown]
    names = dict.fromkeys(name for column in chosen for name in column)
    rows = []
    for group, name in sorted(names, key=_groups(names)):
        bars = tuple(_bars([column.get((group, name)) for column in chosen]))
        if len(bars) > 1 or bars[0].end - bars[0].first < len(chosen):
            rows.append(Row(group=group, name=name, bars=bars))
    return Chart(starts=tuple(rulebooks[place].since for place in shown), rows=tuple(rows))


def _groups(names: Iterable[tuple[str, str]]) -> Callable[[tuple[str, str]], int]:
    """Return the order of groups: a name that comes later joins the others of its group."""
    order = list(dict.fromkeys(group for group, _ in names))
    return lambda name: order.index(name[0])


def _shown(rulebooks: list[Rulebook], cells: list[_Cells], on: date) -> list[int]:
    """Return the numbers of the periods to show: those that differ from the one before."""
    distinct = [
        place for place, column in enumerate(cells) if place == 0 or column != cells[place - 1]
    ]
    now = max((place for place in distinct if rulebooks[place].since <= on), default=0)
    # The newest ones, but always the one of the day.
    start = min(distinct.index(now), max(0, len(distinct) - MOST_PERIODS))
    return distinct[start : start + MOST_PERIODS]


def _bars(column: list[tuple[object, str] | None]) -> Iterator[Bar]:
    """Yield a bar for each run of the same version; a version right after another one is new."""
    place, before = 0, ""
    for cell, run in groupby(column):
        length = len(list(run))
        if cell is not None:
            text = cell[1]
            said = f"{text}, changed" if text == before else text
            yield Bar(first=place, end=place + length, text=said)
        place, before = place + length, "" if cell is None else cell[1]


def _cells(jurisdiction: Jurisdiction, rulebook: Rulebook) -> _Cells:
    """Return everything in force by group and name, with its version and what to write for it."""
    cells: _Cells = {}
    for rule in rule_texts(jurisdiction, rulebook):
        cells["Rules for renewals", f"{rule.code}  {rule.title}"] = (rule.since, IN_FORCE)
    for terms in rulebook.products:
        cells["Products", terms.name] = (terms.origin.period.start, OFFERED)
        for rule in rule_texts(jurisdiction, rulebook, terms):
            cells[f"Rules for {terms.name}", f"{rule.code}  {rule.title}"] = (None, IN_FORCE)
    used = {name for rule in all_rules(rulebook) for name in rule.origin.names}
    for name, parameter in rulebook.parameters.items():
        if name in used:
            text = rulebook.renewal.show(parameter.type, parameter.number)
            cells["Figures", rulebook.catalogue.label(name)] = (text, text)
    for name, title in _SETTINGS.items():
        text = days_text(getattr(rulebook, name)) if getattr(rulebook, name) else "none"
        cells["Service terms", title] = (text, text)
    hours = f"{rulebook.offers_valid_hours} hours"
    cells["Service terms", "Time in which an offer is open"] = (hours, hours)
    for name, check in rulebook.checks.items():
        if check.max_age_days is not None:
            text = days_text(check.max_age_days)
            title = f"Greatest age of the {draft_label(name)} check"
            cells["Service terms", title] = (text, text)
    return cells
