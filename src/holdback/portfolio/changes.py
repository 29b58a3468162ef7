"""Who would be answered otherwise by other rules: why, and how much money."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import asdict, field, frozen

from holdback.exact_json import Json
from holdback.portfolio.aggregation import (
    ANSWER,
    COUNTED,
    Amount,
    Answer,
    Meaning,
    added,
    counted,
    money,
    with_book,
)
from holdback.portfolio.assessing import answered, assess
from holdback.portfolio.column_plan import Frame, Staging
from holdback.portfolio.frames import Work, opened
from holdback.portfolio.masks import PLACES, words
from holdback.portfolio.outcome_columns import ELIGIBLE, NEEDS, OURS, OUTCOME, RESULTS
from holdback.portfolio.readable import CODES
from holdback.portfolio.row_rulebooks import Rules
from holdback.portfolio.tables import Table, together

# What was said of a row before, and what is said of it after.
_SAID: Final = (OUTCOME, CODES, NEEDS)
BEFORE: Final = {name: f"{name}_before" for name in _SAID}
AFTER: Final = {name: f"{name}_after" for name in _SAID}
# The numbers of the answer before, put aside while the answer after is worked out.
_ASIDE: Final = {name: f"{OURS}before_{name}" for name in ANSWER}

DECIDES: Final = "now decides"
DECIDED: Final = "no longer decides"


@frozen(kw_only=True)
class Transition:
    """The deals of a jurisdiction that go from one outcome to another, and the balance left of them."""

    jurisdiction: str
    before: str
    after: str
    deals: int
    balance: str


@frozen(kw_only=True)
class Turn:
    """The changed deals whose answer a rule now decides, or no longer decides, by its code; `why` says which."""

    jurisdiction: str
    code: str
    why: str
    deals: int
    balance: str


@frozen
class Comparison:
    """
    A portfolio under two sets of rules.

    `changed` is the frame of the deals whose outcome changes, with six columns more: `outcome_before`,
    `codes_before`, `needs_before`, and the same with `_after`. Of a lazy frame it is lazy.
    """

    changed: Any = field(repr=False, eq=False)
    answers: Mapping[tuple[Answer, Answer], Amount] = field(repr=False)

    @property
    def deals(self) -> int:
        """How many deals were compared."""
        return sum(amount.deals for amount in self.answers.values())

    @property
    def changes(self) -> int:
        """How many of them change their outcome."""
        return sum(amount.deals for _, _, amount in self._changed())

    def _changed(self) -> Iterator[tuple[Answer, Answer, Amount]]:
        for (before, after), amount in self.answers.items():
            if before.outcome != after.outcome:
                yield before, after, amount

    @property
    def transitions(self) -> tuple[Transition, ...]:
        """The deals whose outcome changes, by jurisdiction and both outcomes."""
        parts = (
            (after, (before.outcome, after.outcome), each)
            for before, after, each in self._changed()
        )
        ranked = sorted(
            _added(parts).items(), key=lambda each: (each[0][0], *(PLACES[it] for it in each[0][1]))
        )
        return tuple(
            Transition(
                jurisdiction=code, before=before, after=after, deals=amount.deals, balance=left
            )
            for (code, (before, after)), (amount, left) in ranked
        )

    @property
    def reasons(self) -> tuple[Turn, ...]:
        """The rules that now decide about deals whose outcome changes, and those that no longer do."""
        ranked = sorted(_added(self._turns()).items())
        return tuple(
            Turn(jurisdiction=place, code=code, why=why, deals=amount.deals, balance=left)
            for (place, (code, why)), (amount, left) in ranked
        )

    def _turns(self) -> Iterator[tuple[Answer, tuple[str, str], Amount]]:
        for before, after, amount in self._changed():
            for code in set(after.codes) - set(before.codes):
                yield after, (code, DECIDES), amount
            for code in set(before.codes) - set(after.codes):
                yield after, (code, DECIDED), amount

    @property
    def tables(self) -> tuple[Table, ...]:
        """The outcomes that change, and why, as tables."""
        moved = tuple(
            (each.jurisdiction, words(each.before), words(each.after), each.deals, each.balance)
            for each in self.transitions
        )
        turned = tuple(
            (each.jurisdiction, each.code, each.why, each.deals, each.balance)
            for each in self.reasons
        )
        title = f"{self.changes:,} of {self.deals:,} deals change"
        return (
            Table(title, ("jurisdiction", "before", "after", "deals", "left"), moved),
            Table("Why", ("jurisdiction", "code", "", "deals", "left"), turned),
        )

    def plain(self) -> Mapping[str, Json]:
        """The comparison as plain values, without the deals themselves."""
        return {
            "deals": self.deals,
            "changes": self.changes,
            "transitions": [asdict(each) for each in self.transitions],
            "reasons": [asdict(each) for each in self.reasons],
        }

    def __str__(self) -> str:
        if not self.deals:
            return "There are no deals."
        if not self.changes:
            return f"None of {self.deals:,} deals changes."
        return "\n".join(together(self.tables))

    def _repr_html_(self) -> str:
        return "".join(table.html() for table in self.tables)

    def __add__(self, other: Comparison) -> Comparison:
        """Both together, as of parts that were read one after the other; the deals are those of the last."""
        answers = added([*self.answers.items(), *other.answers.items()])
        return Comparison(other.changed, answers)


def _added(
    parts: Iterable[tuple[Answer, tuple[str, str], Amount]],
) -> dict[tuple[str, tuple[str, str]], tuple[Amount, str]]:
    """The amounts of *parts* with one jurisdiction and one key, added up, and what is left as text."""
    every = list(parts)
    books = {answer.jurisdiction: answer.rulebook for answer, _, _ in every}
    found = added(((answer.jurisdiction, key), amount) for answer, key, amount in every)
    return {where: (amount, money(amount, books[where[0]])) for where, amount in found.items()}


def compare(
    frame: Any,
    old: Rules,
    new: Rules,
    *,
    jurisdiction: str = "jurisdiction",
    on: str | date = "on",
    prepared: bool = False,
) -> Comparison:
    """
    Whose outcome differs between *old* rules and *new* ones: who, why, and how much is left of their deals.

    The arguments are those of `assess`.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> shipped = load_jurisdictions()
    >>> deals = sample(1000, seed=7)
    >>> print(compare(deals, shipped, shipped))
    None of 1,000 deals changes.

    Raises:
        InvalidDocument: naming every column that is missing or of the wrong type.
    """
    given = opened(frame)
    before = Staging.of(given, old, jurisdiction, on, prepared=prepared)
    after = Staging.of(given, new, jurisdiction, on, prepared=prepared)
    taken = {*BEFORE.values(), *AFTER.values(), *RESULTS, CODES}
    before.refuse(taken)
    after.refuse(taken)

    def told(some: Any) -> Any:
        """The native frame *some* with both answers in words."""
        for rules, names in ((old, BEFORE), (new, AFTER)):
            some = assess(
                some, rules, jurisdiction=jurisdiction, on=on, prepared=prepared, readable=True
            )
            some = nw.from_native(some).drop(ELIGIBLE).rename(names).to_native()
        return some

    numbers = _numbers(given, before, after)
    if isinstance(given, nw.DataFrame):
        moved = numbers.collected()
        rows = (moved[OUTCOME] != moved[_ASIDE[OUTCOME]]).to_list()
        changed = told((given.filter(rows) if rows else given).to_native())
    else:
        both = nw.from_native(told(frame))
        differ = nw.col(BEFORE[OUTCOME]) != nw.col(AFTER[OUTCOME])
        changed = both.filter(differ).to_native()
    return Comparison(changed, _counted(numbers, before, after))


def _numbers(given: Frame, before: Staging, after: Staging) -> Work:
    """The numbers of both answers of each row, those before put aside, and its balance."""
    first = with_book(answered(before, RESULTS))
    aside = {name: first.make.col(old) for old, name in _ASIDE.items()}
    first = first.with_columns(aside)
    if not isinstance(given, nw.DataFrame):
        first = first.select(*before.schema, *_ASIDE.values())
        then = Staging(opened(first.native), after.books, after.prepared)
        return answered(then, COUNTED)
    kept = first.select(*_ASIDE.values()).collected()
    found = answered(after, COUNTED).collected()
    return Work(found.with_columns(*kept.iter_columns()), nw)


def _counted(
    numbers: Work, before: Staging, after: Staging
) -> Mapping[tuple[Answer, Answer], Amount]:
    was, is_ = Meaning(before.books), Meaning(after.books)
    half = len(ANSWER)
    return added(
        ((was.answer(*key[:half]), is_.answer(*key[half:])), amount)
        for key, amount in counted(numbers, (*_ASIDE.values(), *ANSWER))
    )
