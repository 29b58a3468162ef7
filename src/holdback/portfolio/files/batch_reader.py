"""
The deals of a file as frames with exact values, for the rules that assess them.

A file is read in batches, so that it can be larger than the memory, or whole by `read_file`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from functools import cached_property
from typing import Any, Final

import polars as pl
import pyarrow as pa
from attrs import evolve

from holdback.errors import InvalidDocument, printable
from holdback.exact.exact_json import shown_path
from holdback.frozen_classes import frozen
from holdback.jurisdictions.folder import CODE
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.portfolio.assessing.row_rulebooks import Rules
from holdback.portfolio.files.cells import (
    TYPED,
    TextColumn,
    text_columns,
    texts_to_suggest_from,
    with_plain_values,
)
from holdback.portfolio.files.deal_files import Deals, open_deals
from holdback.portfolio.files.file_findings import HOW_TO_ACCEPT, ProbablyMisread
from holdback.portfolio.files.odd_rows import check_first_row, check_last_row
from holdback.portfolio.reading.column_mapping import ColumnMapping
from holdback.portfolio.reading.mapped_frame import read
from holdback.portfolio.reading.mapping_suggestion import suggest
from holdback.portfolio.reading.named_columns import LEDGER_COLUMNS
from holdback.portfolio.reading.repeated_deals import REPEATED, identifying_columns, repeated
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.types import Fact, Kind

# The column that is added if one jurisdiction is given for all deals.
_JURISDICTION_COLUMN: Final = "jurisdiction"


@frozen
class BatchReader:
    """
    Reads batches of `deals` for the rules `before`, and `after` if they are compared.

    `jurisdiction` is the column with the code of each deal, and `on` the one with its day, or the
    day of all. `mapping` says how the columns are named and written.
    """

    deals: Deals
    before: Rules
    after: Rules | None
    jurisdiction: str
    on: date | str
    mapping: ColumnMapping

    @property
    def sides(self) -> tuple[Rules, ...]:
        """The rules before, and those after if there are any."""
        return (self.before,) if self.after is None else (self.before, self.after)

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The facts in the columns, and the totals of ledgers."""
        rulebooks = [rulebook for rules in self.sides for rulebook in _rulebooks(rules)]
        facts = [fact for rulebook in rulebooks for fact in rulebook.catalogue.facts]
        money = [fact for fact in facts if fact.type.kind is Kind.MONEY]
        return (*(evolve(fact, name=name) for fact in money[:1] for name in LEDGER_COLUMNS), *facts)

    @cached_property
    def _text_columns(self) -> Mapping[str, TextColumn]:
        on = self.on if isinstance(self.on, str) else None
        return text_columns(self.facts, self.mapping, on)

    def exact(self, batch: pa.Table) -> pl.DataFrame:
        """The deals of *batch* with exact values, as the mapping describes them."""
        frame = pl.DataFrame(pl.from_arrow(batch))
        if self.deals.has_texts:
            frame = with_plain_values(frame, self._text_columns)
        elif self.mapping == ColumnMapping():
            return frame
        where: Any = {"jurisdiction": self.jurisdiction, "on": self.on}
        frame = pl.DataFrame(read(frame, self.mapping, rules=self.before, **where))
        if self.jurisdiction in frame.columns and frame[self.jurisdiction].dtype == pl.String:
            frame = frame.with_columns(pl.col(self.jurisdiction).str.strip_chars())
        return frame

    def batches(self) -> Iterator[tuple[pa.Table, bool]]:
        """
        The unchanged batches of the deals, each with whether it is the last.

        Raises:
            InvalidDocument: if a row is not a deal.
        """
        is_first = True
        for batch, is_last in _with_last(self.deals.batches()):
            self._check_rows(batch, is_first=is_first, is_last=is_last)
            is_first = False
            yield batch, is_last

    def whole(self) -> pl.DataFrame:
        """
        All deals with exact values.

        Raises:
            InvalidDocument: if they cannot be read, or if a row is not a deal.
        """
        table = pa.concat_tables([self.deals.empty, *self.deals.batches()])
        self._check_rows(table, is_first=True, is_last=True)
        return self.exact(table)

    def _check_rows(self, batch: pa.Table, *, is_first: bool, is_last: bool) -> None:
        """
        Check that the first and the last row of a file of texts are deals, if *batch* has them.

        Raises:
            InvalidDocument: if one is not.
        """
        if not self.deals.has_texts:
            return
        kinds = {name: column.kind for name, column in self._text_columns.items()}
        if is_first:
            check_first_row(batch, kinds)
        if is_last:
            check_last_row(batch, kinds)

    def check_repeated_deals(self) -> None:
        """
        Check that no deal of a file of several batches is there again in another batch.

        Raises:
            ProbablyMisread: if one is.
        """
        heads = {column: name for name, column in self.mapping.columns.items()}
        columns = {heads.get(column, column): column for column in self.deals.relation.columns}
        keys = identifying_columns(columns, self.jurisdiction, self.on)
        again = self.deals.repeated([columns[key] for key in keys]) if keys else 0
        if again:
            raise ProbablyMisread.of(
                REPEATED,
                repeated(again),
                path=shown_path("$", columns[keys[0]]),
                hint=f"drop them, or {HOW_TO_ACCEPT}",
            )

    def suggested(self) -> ColumnMapping:
        """Return the mapping that the first batch suggests."""
        batch = next(self.deals.batches(), self.deals.empty)
        frame = pl.DataFrame(pl.from_arrow(batch))
        if self.deals.has_texts:
            frame = texts_to_suggest_from(frame, self._text_columns)
        return suggest(frame, self.before, jurisdiction=self.jurisdiction, on=self.on)

    def proposal(self) -> str | None:
        """
        Return the suggested mapping as text.

        It is None if it says no more than the own one, or if the deals cannot be read.
        """
        try:
            suggested = self.suggested()
        except InvalidDocument:
            return None
        is_empty = suggested == ColumnMapping() or suggested == self.mapping
        return None if is_empty else suggested.to_toml()


@contextmanager
def open_reader(  # noqa: PLR0913  # what `holdback portfolio` is given
    deals: str,
    before: Jurisdictions,
    after: Jurisdictions | None = None,
    *,
    jurisdiction: str,
    on: date | str,
    mapping: ColumnMapping,
) -> Iterator[BatchReader]:
    """
    Give a reader of *deals*: a file, a pattern of several, or a query, as `open_deals` has them.

    *jurisdiction* is a column, or the code for all deals. Of the rules, those that occur in the
    column are kept, because a frame needs a column for each fact of its jurisdictions, and no file
    has those of all that ship.

    Raises:
        InvalidDocument: if the deals cannot be read.
        ConfigurationError: if there is no such jurisdiction.
    """
    constants = {}
    if CODE.fullmatch(jurisdiction):
        code, jurisdiction = jurisdiction, _JURISDICTION_COLUMN
        _check_one_jurisdiction(code, mapping)
        constants[jurisdiction] = code
        before = Jurisdictions([before[code]])
        after = Jurisdictions([after[code]]) if after else None
    with open_deals(deals, constants, _known_heads(before, mapping)) as source:
        yield BatchReader(
            deals=source,
            before=_occurring(before, source, jurisdiction, mapping),
            after=_occurring(after, source, jurisdiction, mapping) if after else None,
            jurisdiction=jurisdiction,
            on=on,
            mapping=mapping,
        )


def without_typed(batch: pa.Table) -> pa.Table:
    """Return the columns of *batch* that the deals have."""
    return batch.select([name for name in batch.column_names if name != TYPED])


def _check_one_jurisdiction(code: str, mapping: ColumnMapping) -> None:
    """Check that *mapping* has no column for the jurisdiction, which is *code* for all deals."""
    if _JURISDICTION_COLUMN in mapping.columns:
        column = mapping.columns[_JURISDICTION_COLUMN]
        raise InvalidDocument.of(
            "duplicate",
            f"the mapping has the column `{printable(column)}` for the jurisdiction",
            path=f"$.columns.{_JURISDICTION_COLUMN}",
            hint=f"leave out `--jurisdiction {code}`, or this line of the mapping",
        )


def _known_heads(rules: Jurisdictions, mapping: ColumnMapping) -> frozenset[str]:
    """The heads that a file of deals may have: those of facts, and of the *mapping*."""
    facts = {fact.name for rulebook in rules.rulebooks() for fact in rulebook.catalogue.facts}
    return frozenset({*facts, _JURISDICTION_COLUMN, "on", *mapping.columns.values()})


def _occurring(
    rules: Jurisdictions, deals: Deals, name: str, mapping: ColumnMapping
) -> Jurisdictions:
    """Those of *rules* that occur in the column *name*, or all of them if none does."""
    texts = mapping.texts.get(_JURISDICTION_COLUMN, {})
    values = deals.values(mapping.columns.get(_JURISDICTION_COLUMN, name))
    values = tuple(texts.get(value, value) for value in values)
    codes = [code for code in dict.fromkeys(values) if code in rules.codes]
    return Jurisdictions(rules[code] for code in codes) if codes else rules


def _with_last(batches: Iterable[pa.Table]) -> Iterator[tuple[pa.Table, bool]]:
    """The *batches*, each with whether it is the last."""
    earlier = None
    for batch in batches:
        if earlier is not None:
            yield earlier, False
        earlier = batch
    if earlier is not None:
        yield earlier, True


def _rulebooks(rules: Rules) -> Iterable[Rulebook]:
    return (rules,) if isinstance(rules, Rulebook) else rules.rulebooks()
