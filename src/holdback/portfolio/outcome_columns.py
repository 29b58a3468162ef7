"""The answers of rulebooks over a whole frame, as expressions in three steps.

A step is worked out over all rows before the next begins, so that nothing is worked out twice: first what
each rule says, then the outcome, then what the outcome makes worth saying.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from types import ModuleType
from typing import Any, Final

from attrs import frozen

from holdback import eligibility
from holdback.portfolio.masks import FLOOR_BIT, INVALID, PLACES
from holdback.rules.columns import Columns, Number, always_unknown_without, columns
from holdback.rules.tree import Checked
from holdback.ruleset import DECLINE, RuleSet

OUTCOME, ELIGIBLE, FAILING, NEEDS = "outcome", "eligible", "failing", "needs"
RESULTS: Final = (OUTCOME, ELIGIBLE, FAILING, NEEDS)

# Columns of ours that are gone from the answer begin with it.
OURS: Final = "__holdback_"
BOOK: Final = f"{OURS}book"
FAULTS: Final = f"{OURS}faults"
BALANCE: Final = f"{OURS}left"
_DECLINING, _REFERRING, _MISSING = f"{OURS}declining", f"{OURS}referring", f"{OURS}missing"
# The outcome that a mask decides when it is not zero, and none before it was.
_BY_MASK: Final = (
    (_DECLINING, eligibility.INELIGIBLE),
    (_MISSING, eligibility.UNDETERMINED),
    (_REFERRING, eligibility.REFERRED),
)

# Masks are put together in the engine's own short whole numbers, which are faster, and then widened.
_CHUNK: Final = 30

# Expressions of narwhals, or of Polars, whose functions have the same names.
Expr = Any
Case = tuple[Expr, Expr | int]
Step = Mapping[str, Expr]
_Flags = Mapping[int, Expr]
_Answers = Mapping[Checked, Columns]


@lru_cache(maxsize=64)
def steps(
    books: tuple[RuleSet, ...],
    make: ModuleType,
    certain: frozenset[str] = frozenset(),
    staged: frozenset[str] = frozenset(),
    *,
    faults: bool = False,
) -> tuple[Step, ...]:
    """
    The steps from prepared columns to `RESULTS`, by the rules of *books*.

    Where there are several books, the column `BOOK` has each row's place among them. The facts *certain* have no
    nulls; those *staged* are in columns of ours. With *faults*, the column `FAULTS` has the mask of what cannot be
    read. *make* makes the expressions.
    """
    return _Writer(make, certain, staged).steps(books, faults=faults)


def stage(name: str) -> str:
    """The column of ours in which the fact *name* is put down."""
    return f"{OURS}{name}"


@frozen
class _Writer:
    """Writes the steps, with the functions of *make*."""

    make: Any
    certain: Collection[str]
    staged: Collection[str]

    def steps(self, books: Sequence[RuleSet], *, faults: bool) -> tuple[Step, ...]:
        trees = {rule.checked for rules in books for rule in rules.rules}
        names = sorted({"progress", *(name for checked in trees for name in checked.names)})
        numbers = {name: self.number(name) for name in names}
        answers = {checked: columns(checked, numbers, self.make) for checked in trees}
        masks = {
            _DECLINING: self.false(books, answers, declining=True),
            _REFERRING: self.false(books, answers, declining=False),
            _MISSING: self.missing(books, answers, numbers),
        }
        first = {name: self.mask(flags) for name, flags in masks.items() if flags}
        place = books[0].catalogue.place("progress")  # the same in every catalogue
        outcome = self.outcome(numbers["progress"], first, faults=faults)
        said = self.said(first, numbers["progress"], place, faults=faults)
        return first, {OUTCOME: outcome}, said

    def number(self, name: str) -> Number:
        column = stage(name) if name in self.staged else name
        return Number(self.make.col(column), name in self.certain)

    def false(self, books: Sequence[RuleSet], answers: _Answers, *, declining: bool) -> _Flags:
        """Where the rules are false that decline, or those that do not, by their bits."""
        said: dict[int, dict[Checked, list[int]]] = {}
        for book, rules in enumerate(books):
            for bit, rule in enumerate(rules.rules):
                if (rule.otherwise == DECLINE) is declining:
                    said.setdefault(bit, {}).setdefault(rule.checked, []).append(book)
        return {
            bit: self.of_books(
                len(books), [(each, answers[rule].false) for rule, each in by.items()]
            )
            for bit, by in said.items()
        }

    def missing(
        self, books: Sequence[RuleSet], answers: _Answers, numbers: Mapping[str, Number]
    ) -> _Flags:
        """Where a fact is missing that an unknown rule reads, by the facts' places."""
        said: dict[int, dict[tuple[str, tuple[Checked, ...]], list[int]]] = {}
        for book, rules in enumerate(books):
            for name, readers in _readers(rules, answers).items():
                place = rules.catalogue.place(name)
                said.setdefault(place, {}).setdefault((name, readers), []).append(book)
        found = {}
        for place, by in said.items():
            parts = []
            for (name, readers), each in by.items():
                missing = numbers[name].value.is_null()
                # A rule that reads the fact alone is unknown wherever it is missing.
                if not any(always_unknown_without(rule) for rule in readers):
                    missing &= _any(answers[rule].unknown for rule in readers)
                parts.append((each, missing))
            found[place] = self.of_books(len(books), parts)
        return found

    def of_books(self, count: int, parts: Sequence[tuple[Sequence[int], Expr]]) -> Expr:
        """Each row's own among *parts*, that of its book; there are *count* books."""
        (books, part), *others = parts
        if not others and len(books) == count:
            return part
        return chain(
            self.make, [(self.make.col(BOOK).is_in(list(each)), part) for each, part in parts]
        )

    def outcome(self, progress: Number, masks: Collection[str], *, faults: bool) -> Expr:
        """The outcome as `eligibility.assess` finds it, after what cannot be read."""
        col = self.make.col
        cases: list[tuple[Expr, str]] = [(col(FAULTS) != 0, INVALID)] if faults else []
        if not progress.certain:
            cases.append((progress.value.is_null(), eligibility.UNDETERMINED))
        cases.append((progress.value < eligibility.FLOOR, eligibility.NOT_ASSESSED))
        for name, outcome in _BY_MASK:
            if name in masks:
                cases.append((col(name) != 0, outcome))
        places = [(condition, self.place(outcome)) for condition, outcome in cases]
        return chain(self.make, places, self.place(eligibility.ELIGIBLE))

    def place(self, outcome: str) -> Expr:
        return self.make.lit(PLACES[outcome], self.make.Int8)

    def said(self, masks: Collection[str], progress: Number, place: int, *, faults: bool) -> Step:
        """What is said beside the outcome: what decided it, and nothing else."""
        col, wide = self.make.col, self.make.Int64
        is_ = {outcome: col(OUTCOME) == place for outcome, place in PLACES.items()}
        floor = self.make.lit(1 << FLOOR_BIT, wide)
        declining = col(_DECLINING) if _DECLINING in masks else 0
        failing: list[Case] = [(is_[eligibility.NOT_ASSESSED], floor)]
        if _REFERRING in masks:
            failing.append((is_[eligibility.REFERRED], col(_REFERRING)))
        if faults:
            failing.append((is_[INVALID], 0))
        if not progress.certain:  # where it is unknown, a rule may be false that nobody asks
            failing.append((is_[eligibility.UNDETERMINED], 0))
        needs: list[Case] = [(is_[INVALID], col(FAULTS))] if faults else []
        if not progress.certain:
            needs.append((is_[eligibility.UNDETERMINED] & progress.value.is_null(), 1 << place))
        if _MISSING in masks:
            needs.append((is_[eligibility.UNDETERMINED], col(_MISSING)))
        return {
            ELIGIBLE: is_[eligibility.ELIGIBLE],
            FAILING: chain(self.make, failing, declining).cast(wide),
            NEEDS: chain(self.make, needs, 0).cast(wide) if needs else self.make.lit(0, wide),
        }

    def mask(self, flags: Mapping[int, Expr]) -> Expr:
        """The mask with each bit of *flags* set where its flag is true."""
        chunks: dict[int, list[Expr]] = {}
        for place, flag in flags.items():
            chunk, low = divmod(place, _CHUNK)
            chunks.setdefault(chunk, []).append(chain(self.make, [(flag, 1 << low)], 0))
        return _sum([self.widened(_sum(bits), chunk) for chunk, bits in chunks.items()])

    def widened(self, bits: Expr, chunk: int) -> Expr:
        return bits.cast(self.make.Int64) * (1 << chunk * _CHUNK) if chunk else bits


def chain(make: Any, cases: Iterable[Case], otherwise: Expr | int | None = None) -> Expr:
    """What stands beside the first condition of *cases* that is true, by the functions of *make*."""
    chosen = make
    for condition, value in cases:
        chosen = chosen.when(condition).then(value)
    return chosen if otherwise is None else chosen.otherwise(otherwise)


def _readers(rules: RuleSet, answers: _Answers) -> Mapping[str, tuple[Checked, ...]]:
    """The facts that may be unknown, each with the rules that read it."""
    readers: dict[str, tuple[Checked, ...]] = {}
    for rule in rules.rules:
        for name in () if answers[rule.checked].unknown is None else rule.checked.names:
            readers[name] = (*readers.get(name, ()), rule.checked)
    return readers


def _any(flags: Iterable[Expr]) -> Expr:
    return reduce(lambda one, other: one | other, flags)


def _sum(parts: Sequence[Expr]) -> Expr:
    return reduce(lambda one, other: one + other, parts)
