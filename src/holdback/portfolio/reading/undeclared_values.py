"""Texts that no jurisdiction declares, and currencies that are not those of the jurisdictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.errors import did_you_mean, listed
from holdback.portfolio.assessing.outcome_columns import PREFIX
from holdback.portfolio.reading.column_findings import (
    ERROR,
    WARNING,
    ColumnFinding,
    RowLabels,
    shown_value,
)
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.named_columns import CURRENCY
from holdback.rules.types import Kind
from holdback.rules.values import is_missing

_ROW, _COUNT = f"{PREFIX}first", f"{PREFIX}rows"
_CODE, _TEXT = f"{PREFIX}code", f"{PREFIX}text"
# How many texts of a column are listed, the most frequent ones.
_MOST_TEXTS: Final = 20


def matching_name(text: str, names: Iterable[str]) -> str | None:
    """
    Return the one of *names* that is *text* but for case, spaces and signs; None if none is.

    >>> matching_name(" written-off", ["Funded", "Written off"])
    'Written off'
    """
    same = [name for name in names if _letters(name) == _letters(text)]
    return same[0] if len(same) == 1 else None


def _letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def suggestion(text: str, names: Iterable[str]) -> str | None:
    """Return a hint with the one of *names* that *text* probably means."""
    names = tuple(names)
    same = matching_name(text, names)
    return f"did you mean `{same}`?" if same else did_you_mean(text, names)


def unknown_texts(plan: ColumnPlan) -> Iterator[ColumnFinding]:
    """A warning for each text that is not among the declared values of its fact."""
    if plan.prepared:
        return
    for name, definitions in plan.facts.items():
        if any(fact.type.kind is not Kind.TEXT for fact in definitions):
            continue
        options: dict[str, list[str]] = {}
        for fact, places in definitions.items():
            for place in places:
                code = plan.rulebooks.rulebooks[place].code
                options.setdefault(code, []).extend(fact.type.options)
        rows = [
            (text, count, first, options[code])
            for code, text, count, first in _counted(plan, name)
            if code in options and isinstance(text, str) and text not in options[code]
        ]
        yield from _unknown(plan, name, rows)


def _unknown(
    plan: ColumnPlan, name: str, rows: list[tuple[str, int, int | None, list[str]]]
) -> Iterator[ColumnFinding]:
    by_text: dict[str, tuple[int, int | None, list[str]]] = {}
    for text, count, first, options in rows:
        counted, earlier, _ = by_text.get(text, (0, first, options))
        firsts = [row for row in (first, earlier) if row is not None]
        by_text[text] = (counted + count, min(firsts, default=None), options)
    most = sorted(by_text, key=lambda text: (-by_text[text][0], text))
    for text in most[:_MOST_TEXTS]:
        count, first, options = by_text[text]
        shown = shown_value(text)
        yield ColumnFinding(
            severity=WARNING,
            code="unknown_name",
            column=name,
            message=f"{shown} is not declared, and is unknown in {_rows(count)}",
            row=_label(plan, first),
            value=shown,
            count=count,
            expected=f"expected {listed(dict.fromkeys(options), text)}",
            cure=suggestion(text, dict.fromkeys(options)),
        )
    rest = most[_MOST_TEXTS:]
    if rest:
        count = sum(by_text[text][0] for text in rest)
        message = f"{len(rest):,} more texts are not declared, and are unknown in {_rows(count)}"
        yield ColumnFinding(
            severity=WARNING, code="unknown_name", column=name, message=message, count=count
        )


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _label(plan: ColumnPlan, first: int | None) -> str | None:
    return None if first is None else RowLabels(plan.frame).of_or_number(first)


def currency_errors(plan: ColumnPlan) -> Iterator[ColumnFinding]:
    """An error for each currency in a column `currency` that is not that of the jurisdiction."""
    if CURRENCY not in plan.schema or CURRENCY in plan.rulebooks.facts:
        return
    if not isinstance(plan.schema[CURRENCY], nw.String | nw.Categorical | nw.Enum | nw.Object):
        return
    own = {rulebook.code: rulebook.currency.code for rulebook in plan.rulebooks.rulebooks}
    for code, text, count, first in _counted(plan, CURRENCY):
        if code in own and not is_missing(text) and text != own[code]:
            shown = shown_value(str(text))
            yield ColumnFinding(
                severity=ERROR,
                code="wrong_currency",
                column=CURRENCY,
                message=f"{_rows(count)} of {code} {'is' if count == 1 else 'are'} in {shown}",
                row=_label(plan, first),
                value=shown,
                count=count,
                expected=f"expected {own[code]}",
                cure=f"amounts of {code} are read in {own[code]}; convert them, or correct the "
                "jurisdiction",
            )


def _counted(plan: ColumnPlan, name: str) -> Iterator[tuple[str, Any, int, int | None]]:
    """The values of the column *name* by code, with their rows counted, and the first of them."""
    frame: Any = plan.frame
    key = plan.rulebooks.jurisdiction_column
    single = plan.rulebooks.rulebooks[0].code if key is None else None
    code = nw.lit(single) if key is None else nw.col(key).cast(nw.String())
    if plan.in_memory:
        yield from _counted_in_memory(frame, name, key, str(single))
        return
    chosen = frame.select(code.alias(_CODE), nw.col(name).cast(nw.String()).alias(_TEXT))
    counted = chosen.group_by(_CODE, _TEXT).agg(nw.len().alias(_COUNT)).collect()
    rows: list[Mapping[str, Any]] = list(counted.iter_rows(named=True))
    for row in sorted(rows, key=lambda row: (str(row[_CODE]), str(row[_TEXT]))):
        yield row[_CODE], row[_TEXT], int(row[_COUNT]), None


def _counted_in_memory(
    frame: Any, name: str, key: str | None, single: str
) -> Iterator[tuple[str, Any, int, int | None]]:
    values = frame[name].to_list()
    codes = [single] * len(values) if key is None else frame[key].to_list()
    counts: dict[tuple[Any, Any], list[int]] = {}
    for row, pair in enumerate(zip(codes, values, strict=True)):
        try:
            counted = counts.get(pair)
        except TypeError:  # a list or a dictionary has no hash
            continue
        if counted is None:
            counts[pair] = [1, row]
        else:
            counted[0] += 1
    for (code, text), (count, first) in counts.items():
        yield code, text, count, first
