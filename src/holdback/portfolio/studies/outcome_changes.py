"""`compare`: the deals whose outcome differs under other rules, why, and their balance."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import asdict, field

from holdback.errors import InvalidDocument
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.portfolio.answers.answer_table import AnswerTable
from holdback.portfolio.answers.tables import Table, join_tables
from holdback.portfolio.assessing.aggregation import (
    ANSWER_COLUMNS,
    COUNTED_COLUMNS,
    Answer,
    AnswerReader,
    DealTotals,
    count_rows,
    money_text,
    sum_totals,
)
from holdback.portfolio.assessing.assessed_frames import native_result
from holdback.portfolio.assessing.outcome_codes import OUTCOMES, PLACES, words
from holdback.portfolio.assessing.outcome_columns import (
    CODES,
    ELIGIBLE,
    NEEDS,
    OUTCOME,
    PREFIX,
    READABLE,
    RESULTS,
)
from holdback.portfolio.assessing.row_rulebooks import DayOrColumn, Rules
from holdback.portfolio.reading.column_errors import check_columns
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.frames import Frame, answer_backend, open_frame
from holdback.portfolio.reading.suspects import warn_of_suspects
from holdback.portfolio.sql.computed_frames import with_outcomes
from holdback.portfolio.studies.outcome_counts import Jurisdictional, proposal_notes, share
from holdback.rulebooks.rulebook import Rulebook

# The columns that are added to the deals that change.
_COMPARED: Final = (OUTCOME, CODES, NEEDS)
BEFORE: Final = {name: f"{name}_before" for name in _COMPARED}
AFTER: Final = {name: f"{name}_after" for name in _COMPARED}
# The names of `ANSWER_COLUMNS` under the old rules, in a frame that also has those under the new.
_OLD_COLUMNS: Final = {name: f"{PREFIX}before_{name}" for name in ANSWER_COLUMNS}

_NEWLY_DECIDES: Final = "now decides"
_NO_LONGER_DECIDES: Final = "no longer decides"


@frozen(kw_only=True)
class Transition:
    """The deals of a jurisdiction that change from one outcome to another, and their balance."""

    jurisdiction: str
    before: str
    after: str
    deals: int
    balance: str


@frozen(kw_only=True)
class ReasonChange:
    """The changed deals that a rule now decides, or no longer decides, as `why` says."""

    jurisdiction: str
    code: str
    why: str
    deals: int
    balance: str


@frozen
class Comparison:
    """
    The outcomes of a portfolio under old and new rules.

    `changed` is a frame of the deals whose outcome changes, with six more columns:
    `outcome_before`, `codes_before`, `needs_before`, and the same with `_after`. It is lazy if the
    frame was.
    """

    changed: Any = field(repr=False, eq=False)
    answers: Mapping[tuple[Answer, Answer], DealTotals] = field(repr=False)

    @property
    def answer_table(self) -> AnswerTable:
        """What becomes of all deals, as `migration` answers it."""
        return migration_table(self.answers, answer_backend(open_frame(self.changed)))

    def to_frame(self, backend: str | None = None) -> Any:
        """Return `answer_table` as a frame: by default, of the library of the deals."""
        return self.answer_table.to_frame(backend)

    @property
    def deals(self) -> int:
        """The number of deals compared."""
        return sum(totals.deals for totals in self.answers.values())

    @property
    def changes(self) -> int:
        """The number of deals whose outcome changes."""
        return sum(totals.deals for _, _, totals in self._changed())

    def _changed(self) -> Iterator[tuple[Answer, Answer, DealTotals]]:
        """The old and new answers with different outcomes, and the totals of their deals."""
        for (before, after), totals in self.answers.items():
            if before.outcome != after.outcome:
                yield before, after, totals

    @property
    def transitions(self) -> tuple[Transition, ...]:
        """The deals whose outcome changes, by jurisdiction and both outcomes."""
        parts = (
            (after, (before.outcome, after.outcome), totals)
            for before, after, totals in self._changed()
        )
        transitions = [
            Transition(
                jurisdiction=code, before=before, after=after, deals=totals.deals, balance=balance
            )
            for (code, (before, after)), (totals, balance) in _by_jurisdiction(parts).items()
        ]
        return tuple(
            sorted(
                transitions,
                key=lambda change: (
                    change.jurisdiction,
                    PLACES[change.before],
                    PLACES[change.after],
                ),
            )
        )

    @property
    def reasons(self) -> tuple[ReasonChange, ...]:
        """The rules that now decide, or no longer decide, deals whose outcome changes."""
        changes = sorted(_by_jurisdiction(self._reason_changes()).items())
        return tuple(
            ReasonChange(
                jurisdiction=jurisdiction,
                code=code,
                why=why,
                deals=totals.deals,
                balance=balance,
            )
            for (jurisdiction, (code, why)), (totals, balance) in changes
        )

    def _reason_changes(self) -> Iterator[tuple[Answer, tuple[str, str], DealTotals]]:
        """Yield a part for each rule that decides only one of a changed pair of answers."""
        for before, after, totals in self._changed():
            for code in set(after.codes) - set(before.codes):
                yield after, (code, _NEWLY_DECIDES), totals
            for code in set(before.codes) - set(after.codes):
                yield after, (code, _NO_LONGER_DECIDES), totals

    @property
    def tables(self) -> tuple[Table, ...]:
        """The outcomes that change, and why, as tables."""
        transitions = tuple(
            (
                change.jurisdiction,
                words(change.before),
                words(change.after),
                change.deals,
                change.balance,
            )
            for change in self.transitions
        )
        reasons = tuple(
            (change.jurisdiction, change.code, change.why, change.deals, change.balance)
            for change in self.reasons
        )
        title = f"{self.changes:,} of {self.deals:,} deals change"
        return (
            Table(title, ("jurisdiction", "before", "after", "deals", "balance"), transitions),
            Table("Why", ("jurisdiction", "code", "change", "deals", "balance"), reasons),
        )

    def plain(self) -> Mapping[str, Json]:
        """The comparison as a document for JSON, without the deals themselves."""
        return {
            "deals": self.deals,
            "changes": self.changes,
            "transitions": [asdict(change) for change in self.transitions],
            "reasons": [asdict(change) for change in self.reasons],
        }

    def __str__(self) -> str:
        if not self.deals:
            return "There are no deals."
        if not self.changes:
            return f"None of {self.deals:,} deals changes."
        return join_tables(self.tables)

    def __repr__(self) -> str:
        from holdback.portfolio.answers.notebook_displays import comparison_repr  # noqa: PLC0415  # few are printed

        return comparison_repr(self)

    def _repr_html_(self) -> str:
        from holdback.portfolio.answers.notebook_displays import comparison_html  # noqa: PLC0415  # only a notebook needs it

        return comparison_html(self)

    def __add__(self, other: Comparison) -> Comparison:
        """Two comparisons together, such as of two batches; `changed` is the last one's."""
        answers = sum_totals([*self.answers.items(), *other.answers.items()])
        return Comparison(other.changed, answers)


def _by_jurisdiction(
    parts: Iterable[tuple[Answer, tuple[str, str], DealTotals]],
) -> dict[tuple[str, tuple[str, str]], tuple[DealTotals, str]]:
    """
    The sums of *parts* by jurisdiction and key, with the balance as text.

    A part is an answer, of which only the jurisdiction counts here, a key, and the totals to add.
    """
    all_parts = list(parts)
    rulebooks = {answer.jurisdiction: answer.rulebook for answer, _, _ in all_parts}
    sums = sum_totals(((answer.jurisdiction, key), totals) for answer, key, totals in all_parts)
    return {
        where: (totals, money_text(totals, rulebooks[where[0]])) for where, totals in sums.items()
    }


def compare(  # noqa: PLR0913  # public; all but the rules have a default
    frame: Any,
    old: Rules,
    new: Rules,
    *,
    jurisdiction: str = "jurisdiction",
    on: DayOrColumn | None = None,
    prepared: bool = False,
) -> Comparison:
    """
    Return the deals of *frame* whose outcome differs under *old* and *new* rules.

    The comparison also says why, and how much is left of those deals. The other arguments are those
    of `assess`.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> shipped = load_jurisdictions()
    >>> deals = sample(1000, seed=7)
    >>> print(compare(deals, shipped, shipped))
    None of 1,000 deals changes.

    Raises:
        InvalidDocument: naming every column that is missing, of the wrong type, or in the way; or
            the rules are in other currencies.
    """
    opened = open_frame(frame)
    before = ColumnPlan.of(opened, old, jurisdiction, on, prepared=prepared)
    after = ColumnPlan.of(opened, new, jurisdiction, on, prepared=prepared)
    _check(before, after, {*BEFORE.values(), *AFTER.values(), *RESULTS, CODES})

    def with_texts(deals: Any) -> Any:
        """The native frame *deals* with the columns of `BEFORE` and `AFTER`, which are texts."""
        for rules, names in ((old, BEFORE), (new, AFTER)):
            plan = ColumnPlan.of(open_frame(deals), rules, jurisdiction, on, prepared=prepared)
            deals = native_result(plan, with_outcomes(plan, READABLE.values()), READABLE)
            deals = nw.from_native(deals).drop(ELIGIBLE).rename(names).to_native()
        return deals

    numbers = _both_answers(before, after)
    if isinstance(opened, nw.DataFrame):
        # Texts are slow, so only the deals that change get them.
        rows: Any = numbers
        differs = (rows[OUTCOME] != rows[_OLD_COLUMNS[OUTCOME]]).to_list()
        # Without rows there is no list to filter by: narwhals refuses an empty one.
        changed = with_texts((opened.filter(differs) if differs else opened).to_native())
    else:
        both = nw.from_native(with_texts(frame))
        differ = nw.col(BEFORE[OUTCOME]) != nw.col(AFTER[OUTCOME])
        changed = both.filter(differ).to_native()
    return Comparison(changed, _count_answers(numbers, before, after))


def migration(  # noqa: PLR0913  # public; all but the rules have a default
    frame: Any,
    old: Rules,
    new: Rules,
    *,
    jurisdiction: str = "jurisdiction",
    on: DayOrColumn | None = None,
    prepared: bool = False,
) -> AnswerTable:
    """
    Return what becomes of the deals in *frame*: each outcome under *old* and under *new* rules.

    There is a row for every pair of outcomes, also for those that stay and for pairs without deals.
    A `share` is of the deals of the jurisdiction. It counts the same deals as `compare`. The other
    arguments are those of `assess`.

    >>> from datetime import date
    >>> import polars as pl
    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(1000, seed=7, backend="polars").filter(pl.col("jurisdiction") == "GB")
    >>> present = load_jurisdictions().resolve("GB", on=date(2026, 7, 1))
    >>> answer = migration(deals, present, present.replace(minimum_performance="85%"))
    >>> [(row["before"], row["after"], row["deals"]) for row in answer.records[:3]]
    [('eligible', 'eligible', 72), ('eligible', 'referred', 0), ('eligible', 'ineligible', 5)]

    Raises:
        InvalidDocument: naming every column that is missing, of the wrong type, or in the way; or
            the rules are in other currencies.
    """
    opened = open_frame(frame)
    before = ColumnPlan.of(opened, old, jurisdiction, on, prepared=prepared)
    after = ColumnPlan.of(opened, new, jurisdiction, on, prepared=prepared)
    _check(before, after, () if isinstance(opened, nw.DataFrame) else RESULTS)
    answers = _count_answers(_both_answers(before, after), before, after)
    return migration_table(answers, answer_backend(opened))


def _check(before: ColumnPlan, after: ColumnPlan, output_names: Collection[str]) -> None:
    """
    Check that the columns can be read by both plans, and that the rules are of the same deals.

    *output_names* are the columns that the result adds.

    Raises:
        InvalidDocument: a column is missing, of the wrong type or in the way; or the old and new
            rules for the same rows are in different currencies.
    """
    check_columns(before, output_names)
    check_columns(after, output_names)
    old, new = (_currencies(plan) for plan in (before, after))
    # Two single rulebooks assess the same rows even if they are of two jurisdictions.
    are_single = before.rulebooks.day_or_column is None and after.rulebooks.day_or_column is None
    pairs = ((code, new_code) for code in old for new_code in new if are_single or code == new_code)
    for code, new_code in pairs:
        if old[code] != new[new_code]:
            message = (
                f"the old rules are of {code} in {old[code]}, the new ones of {new_code} in "
                f"{new[new_code]}: they are of other deals"
            )
            hint = "compare rules in one currency, such as a rulebook and its `replace`"
            raise InvalidDocument.of("wrong_value", message, path="$.new", hint=hint)
    warn_of_suspects(before)


def _currencies(plan: ColumnPlan) -> Mapping[str, str]:
    """The currency of each jurisdiction of *plan*."""
    return {rulebook.code: str(rulebook.currency) for rulebook in plan.rulebooks.rulebooks}


def _both_answers(before: ColumnPlan, after: ColumnPlan) -> Frame:
    """
    A frame of each row's balance and its answer columns under both plans.

    Those of *before* are named by `_OLD_COLUMNS`, and those of *after* by `ANSWER_COLUMNS`. In
    memory only computed columns come back from `with_outcomes`, so both results are combined side
    by side. A lazy frame keeps its columns, so *after* is computed on the frame that already
    carries the old answers.
    """
    old = with_outcomes(before, RESULTS)
    columns = [nw.col(name).alias(renamed) for name, renamed in _OLD_COLUMNS.items()]
    if isinstance(old, nw.DataFrame):
        new = with_outcomes(after, COUNTED_COLUMNS)
        assert isinstance(new, nw.DataFrame)
        return new.with_columns(*old.select(*columns).iter_columns())
    both = old.select(*before.schema, *columns)
    return with_outcomes(ColumnPlan(both, after.rulebooks, after.prepared), COUNTED_COLUMNS)


def _count_answers(
    numbers: Frame, before: ColumnPlan, after: ColumnPlan
) -> Mapping[tuple[Answer, Answer], DealTotals]:
    """The deals and balances for each pair of an old and a new answer, from `_both_answers`."""
    old, new = AnswerReader(before.rulebooks), AnswerReader(after.rulebooks)
    width = len(ANSWER_COLUMNS)
    rows = count_rows(numbers, (*_OLD_COLUMNS.values(), *ANSWER_COLUMNS))
    return sum_totals(
        ((old.answer(*key[:width]), new.answer(*key[width:])), totals) for key, totals in rows
    )


_HEADS: Final = ("jurisdiction", "before", "after", "deals", "share", "balance", "currency")


def migration_table(
    answers: Mapping[tuple[Answer, Answer], DealTotals], backend: str
) -> AnswerTable:
    """Return the deals of each pair of outcomes in *answers*, also of pairs without deals."""
    return AnswerTable(
        question="migration",
        title=f"What becomes of {sum(totals.deals for totals in answers.values()):,} deals",
        heads=_HEADS,
        rows=tuple(_rows(answers)),
        notes=tuple(_notes(answers)),
        backend=backend,
    )


def _rows(answers: Mapping[tuple[Answer, Answer], DealTotals]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of `migration_table`, which have the columns `_HEADS`."""
    totals = sum_totals(
        ((_code(before, after), before.outcome, after.outcome), part)
        for (before, after), part in answers.items()
    )
    all_rulebooks = _rulebooks(answer for pair in answers for answer in pair)
    jurisdictional = Jurisdictional(all_rulebooks)
    for code in sorted({code for code, _, _ in totals}):
        deals = sum(part.deals for (of, _, _), part in totals.items() if of == code)
        for before in OUTCOMES:
            for after in OUTCOMES:
                part = totals.get((code, before, after), DealTotals())
                yield (
                    code,
                    before,
                    after,
                    part.deals,
                    share(part.deals, deals),
                    *jurisdictional.amount(code, part),
                )


def _code(before: Answer, after: Answer) -> str:
    """The code of a row's jurisdiction: only the old or only the new rules may have it."""
    return after.jurisdiction if after.rulebook else before.jurisdiction


def _rulebooks(answers: Iterable[Answer]) -> tuple[Rulebook, ...]:
    """The distinct rulebooks that gave *answers*."""
    return tuple(dict.fromkeys(answer.rulebook for answer in answers if answer.rulebook))


def _notes(answers: Mapping[tuple[Answer, Answer], DealTotals]) -> Iterator[str]:
    for rules, side in (("old", 0), ("new", 1)):
        rulebooks = _rulebooks(pair[side] for pair in answers)
        yield from (f"the {rules} rules: {note}" for note in proposal_notes(rulebooks))
    yield "a share is of the deals of the jurisdiction"
