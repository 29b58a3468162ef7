"""The rulebook that assesses each row of a frame."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import evolve, field

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact.exact_json import shown_path
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.portfolio.reading.frames import Frame
from holdback.portfolio.reading.named_columns import LIKE_A_DAY
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.types import Fact
from holdback.rules.values import read_date

_ONE_DAY: Final = "leave out `on=`, or pass jurisdictions: they have the rules of every day"
_EXPECTED_DAY: Final = "expected the name of a column of dates, or a date such as 2026-07-01"

# The day of all rows, or the name of the column with the day of each. A day is a date, a midnight
# without a time zone, or a text such as "2026-07-01".
DayOrColumn = str | date
# One rulebook for every row, or jurisdictions from which two columns select.
Rules = Rulebook | Jurisdictions
# Each distinct reading of a fact, with the indexes of the rulebooks that use it.
Definitions = Mapping[Fact, tuple[int, ...]]


def _meanings(rulebooks: tuple[Rulebook, ...]) -> tuple[Rulebook | int, ...]:
    """
    Return what *rulebooks* are compared by.

    Those without a digest may be equal although their rules differ in meaning, so each of them is
    compared by its identity.
    """
    return tuple(rulebook if rulebook.digest else id(rulebook) for rulebook in rulebooks)


@frozen(kw_only=True)
class RowRulebooks:
    """
    The rulebooks that may assess a row, and the columns that select one.

    `jurisdiction_column` has the code, and is None if one rulebook assesses all rows.
    `day_or_column` is the column with the day, or one day for all rows. `codes` are the codes of
    all jurisdictions, with or without a rulebook here. `own_code_column` is the column of a frame
    in memory that has to have the code of the one rulebook in every row.
    """

    rulebooks: tuple[Rulebook, ...] = field(eq=_meanings)
    jurisdiction_column: str | None = None
    day_or_column: str | date | None = None
    codes: tuple[str, ...] = ()
    own_code_column: str | None = None

    facts: Mapping[str, Definitions] = field(init=False, eq=False, repr=False)

    @facts.default
    def _definitions(self) -> Mapping[str, Definitions]:
        """
        Facts by name: each distinct reading, with the indexes of its rulebooks.

        Facts that `_reading` does not tell apart are one, represented by the first.
        """
        by_name: dict[str, dict[Fact, tuple[int, ...]]] = {}
        for facts, places in self._catalogues().items():
            for fact in facts:
                definitions = by_name.setdefault(fact.name, {})
                same = (first for first in definitions if _reading(first) == _reading(fact))
                first = next(same, fact)
                definitions[first] = (*definitions.get(first, ()), *places)
        return by_name

    def _catalogues(self) -> Mapping[tuple[Fact, ...], tuple[int, ...]]:
        """
        Each distinct list of facts, with the indexes of the rulebooks that have it.

        Most rulebooks of a jurisdiction share theirs, so there are few.
        """
        catalogues: dict[tuple[Fact, ...], tuple[int, ...]] = {}
        for place, rulebook in enumerate(self.rulebooks):
            facts = rulebook.catalogue.facts
            catalogues[facts] = (*catalogues.get(facts, ()), place)
        return catalogues

    @cached_property
    def names_read(self) -> tuple[Collection[str], ...]:
        """The facts that the rules of each rulebook read, and `progress`."""
        # Kept, because `bits` asks all of many rulebooks for every fact.
        return tuple(map(names_read, self.rulebooks))

    @cached_property
    def codes_by_fact(self) -> Mapping[str, Collection[str]]:
        """The facts that rules read, and `progress`, with the jurisdictions that read each."""
        codes: dict[str, dict[str, None]] = {}
        for rulebook, names in zip(self.rulebooks, self.names_read, strict=True):
            for name in names:
                codes.setdefault(name, {})[rulebook.code] = None
        return codes

    def bits(self, name: str, *, unread: bool = False) -> Mapping[int, Sequence[int]]:
        """
        The bits of the fact *name* in a mask, each with the indexes of its rulebooks.

        They are the rulebooks whose rules read it; with *unread*, all that declare it.
        """
        by_bit: dict[int, list[int]] = {}
        for index, (rulebook, names) in enumerate(
            zip(self.rulebooks, self.names_read, strict=True)
        ):
            declared = rulebook.catalogue.fact(name) is not None
            if declared and (unread or name in names):
                by_bit.setdefault(rulebook.catalogue.place(name), []).append(index)
        return by_bit


def names_read(rulebook: Rulebook) -> Collection[str]:
    """The facts that the rules of *rulebook* read, and `progress`."""
    # The floor of 50% reads progress before any rule is asked.
    names = (name for rule in rulebook.renewal.rules for name in rule.checked.names)
    return dict.fromkeys(["progress", *names])


def _reading(fact: Fact) -> tuple[Any, ...]:
    """
    All parts of *fact* that have an effect on the numbers which are read from its column.

    Descriptions and origins are left out, because they do not affect reading, and so is the
    currency: a column holds amounts without one, and only the number of decimals counts.
    """
    type_ = fact.type
    return type_.kind, type_.places, type_.options, fact.low, fact.high, fact.rounded_down


def rulebooks_for(
    rules: Rules,
    jurisdiction: str,
    on: DayOrColumn | None,
    columns: Collection[str] = (),
    occurring: Collection[Any] = (),
) -> RowRulebooks:
    """
    Return the rulebooks of *rules* that may assess a row of a frame with *columns*.

    If the codes *occurring* in the frame are known, the rulebooks of other jurisdictions are left
    out.

    Raises:
        InvalidDocument: if there are none, if *on* is neither the name of a column nor a day, or if
            it is given with a rulebook.
    """
    if isinstance(rules, Rulebook):
        if on is not None:
            message = f"this rulebook is of one day, {rules.on}, and takes no other"
            raise InvalidDocument.of("not_allowed", message, path="$.on", hint=_ONE_DAY)
        return RowRulebooks(rulebooks=(rules,))
    on = _day_or_column(on, columns)
    if not isinstance(rules, Jurisdictions):
        raise InvalidDocument.of(
            "wrong_type",
            "expected a rulebook or jurisdictions",
            path="$.rules",
            hint="as load_jurisdictions() or "
            'load_jurisdictions().resolve("GB", on=date(2026, 7, 1))',
        )
    if isinstance(on, str):
        all_rulebooks = [rulebook for item in rules for rulebook in item.slices]
    else:
        all_rulebooks = [item.rulebook(on) for item in rules if item.changes[0] <= on]
    codes = {code for code in occurring if isinstance(code, str)}
    selected = [rulebook for rulebook in all_rulebooks if rulebook.code in codes] or all_rulebooks
    if not selected:
        message = "there are no jurisdictions" if not len(rules) else f"none has rules on {on}"
        raise InvalidDocument([ErrorDetail(code="missing", message=message, path="$.rules")])
    return RowRulebooks(
        rulebooks=tuple(selected),
        jurisdiction_column=jurisdiction,
        day_or_column=on,
        codes=rules.codes,
    )


def _day_or_column(on: object, columns: Collection[str]) -> str | date:
    """*on* as a date or the name of a column; without it, the column `on`."""
    if on is None:
        return "on"
    # A text like a day is the day, unless there is a column of that name.
    if isinstance(on, str) and (on in columns or not LIKE_A_DAY.fullmatch(on)):
        return on
    try:
        return date.fromordinal(read_date(on))
    except ValueError:
        raise InvalidDocument.of("wrong_type", _EXPECTED_DAY, path="$.on") from None


def _occurring(frame: Frame, jurisdiction: str) -> Sequence[Any]:
    """The distinct values of the column *jurisdiction*; none of a lazy frame, not yet read."""
    if not isinstance(frame, nw.DataFrame):
        return ()
    try:
        return frame[jurisdiction].unique().to_list()
    except TypeError:  # a list or a dictionary has no hash
        path, hint = shown_path("$", jurisdiction), "it holds a code such as GB in each row"
        raise InvalidDocument.of("wrong_type", "expected texts", path=path, hint=hint) from None


def of_frame(frame: Frame, rules: Rules, jurisdiction: str, on: DayOrColumn | None) -> RowRulebooks:
    """
    Return the rulebooks of *rules* that may assess a row of *frame*.

    In memory, they are those of the jurisdictions that occur. With a single rulebook, rows of
    another jurisdiction are refused in memory (`own_code_column`); in a lazy frame, whose rows are
    not seen yet, they get no rulebook and are invalid.
    """
    columns = frame.collect_schema()
    has_codes = jurisdiction in columns
    if not isinstance(rules, Rulebook):
        codes = _occurring(frame, jurisdiction) if has_codes else ()
        return rulebooks_for(rules, jurisdiction, on, columns, codes)
    rulebooks = rulebooks_for(rules, jurisdiction, on)
    if not has_codes:
        return rulebooks
    if isinstance(frame, nw.DataFrame):
        return evolve(rulebooks, own_code_column=jurisdiction)
    return evolve(rulebooks, jurisdiction_column=jurisdiction, codes=(rules.code,))
