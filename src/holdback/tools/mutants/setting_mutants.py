"""Mutants of settings, those of calculators and of jurisdictions: each moved a unit up and down."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from typing import Any, Final

from attrs import evolve

from holdback.errors import InvalidDocument
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import (
    HUNDRED_PERCENT,
    PERCENT_PLACES,
    RATIO_PLACES,
    digits,
    scaled,
)
from holdback.exact.money import Currency
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.keys import CHECK, DATED, Key, dated_form
from holdback.jurisdictions.source_rules import SourceProduct
from holdback.jurisdictions.source_tables import SourceTable
from holdback.jurisdictions.timeline import Period, Timeline
from holdback.jurisdictions.toml import Node
from holdback.offers.price_tables import MAXIMUM, TABLE, result_columns, with_term
from holdback.rulebooks.product_terms import SETTLEMENT, ProductTerms
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Catalogue, Checked, Fact, Kind, check
from holdback.rules.tree import Constant, leaves
from holdback.tools.mutants.mutant import Mutant

_FIGURE: Final = re.compile(r"(?:([A-Z]{3}) )?([0-9]+(?:\.[0-9]+)?)(%?)")
# Settings whose effect is rounded to whole steps, or to whole days of a term. One smallest unit
# might change no amount, so these move by one in the last digit that is written.
_COARSE: Final = {"limits": ("multiple", "step"), SETTLEMENT: ("up_to",)}


_Path = tuple[str | int, ...]


def setting_mutants(product: SourceProduct) -> Iterator[tuple[str, int | None, dict[str, Any]]]:
    """Yield each figure of *product* moved: a name, the line, and what changes of its terms."""
    for kind, choice in product.calculators.items():
        for path, figure in _figures(choice.settings):
            line = choice.place(str(path[0])).get("line")
            for moved in _moved(figure, coarse=path[-1] in _COARSE.get(kind, ())):
                changed = evolve(choice, settings=_put(choice.settings, path, moved))
                yield f"{kind} {_shown(path)}: {figure} to {moved}", line, {kind: changed}
    for place, share in enumerate(product.amounts):
        for moved in (share + 10**PERCENT_PLACES, share - 10**PERCENT_PLACES):
            shares = (*product.amounts[:place], moved, *product.amounts[place + 1 :])
            # The reader refuses shares that do not rise, or are not above 0 and up to 100%.
            if (
                list(shares) == sorted(set(shares))
                and 0 < shares[0] <= shares[-1] <= HUNDRED_PERCENT
            ):
                before, after = (digits(number, PERCENT_PLACES, 0) for number in (share, moved))
                name = f"amounts[{place}]: {before}% to {after}%"
                yield name, product.table["amounts"].line, {"amounts": shares}


def price_mutants(
    table: SourceTable, catalogue: Catalogue, step: int
) -> Iterator[tuple[str, int | None, dict[_Path, str]]]:
    """
    Yield each price in *table*, and each end of its rows, moved: a name, the line, and the change.

    That has texts by the column of a result, "" for all, and their path among the rows. Limits move
    by a *step* of the offers, because less might change none.
    """
    facts, columns = with_term(catalogue), result_columns(catalogue.currency)
    priced = [row for row in table.rows if row.prices]
    for row in priced:
        for result, written in row.prices.items():
            column, unit = columns[result], step if result == MAXIMUM else 1
            number = column.read(written)
            assert number is not None, "a price is a value"
            for moved in (number + unit, number - unit):
                text = column.type.literal(moved)
                change: dict[_Path, str] = {(result, row.name, "result"): text}
                yield f"{row.name} {result}: {written} to {text}", row.node.line, change
    for fact in facts.facts:
        tests = {
            row.name: check(row.tests[fact.name], facts) for row in priced if fact.name in row.tests
        }
        if fact.type.kind not in (Kind.TEXT, Kind.FLAG):
            for name, texts in _moved_ends(fact, tests):
                paths: dict[_Path, str] = {
                    ("", row, "when", fact.name): text for row, text in texts.items()
                }
                yield name, table.table["rows"].line, paths


def _moved_ends(fact: Fact, tests: Mapping[str, Checked]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each number at which rows end and others begin, moved in all of *tests* at once."""
    # One row alone would make a hole or an overlap, which `holdback check` finds.
    numbers = {
        leaf.number
        for test in tests.values()
        for leaf in leaves(test.tree)
        if isinstance(leaf, Constant)
    }
    for first in sorted(number for number in numbers if number - 1 not in numbers):
        end = {first}
        while max(end) + 1 in numbers:  # `<= 649` in one row, and `>= 650` in the next
            end.add(max(end) + 1)
        for unit in (1, -1):
            texts = {row: _shifted(test, end, unit) for row, test in tests.items()}
            yield f"{fact.name}: {fact.type.show(first)} to {fact.type.show(first + unit)}", texts


def _shifted(test: Checked, end: set[int], unit: int) -> str:
    source = test.source
    for leaf in sorted(leaves(test.tree), key=lambda leaf: leaf.start, reverse=True):
        if isinstance(leaf, Constant) and leaf.number in end:
            moved = leaf.type.literal(leaf.number + unit)
            source = f"{source[: leaf.start]}{moved}{source[leaf.end :]}"
    return source


def with_prices(terms: ProductTerms, table: str, change: Mapping[_Path, str]) -> ProductTerms:
    """Return *terms* with the *change* of a mutant made in the setting that has the *table*."""
    changed: dict[str, Any] = {}
    for choice in terms.calculators:
        read, settings = choice.table, choice.settings
        if read is None or read["id"] != table:
            continue
        for (result, *rest), text in change.items():
            if result in ("", read["result"]):
                settings = _put(settings, (TABLE, "rows", *rest), text)
        changed[choice.kind] = evolve(choice, settings=settings)
    return evolve(terms, **changed)


def _figures(value: Json, path: _Path = ()) -> Iterator[tuple[_Path, str | int]]:
    """Yield every number in *value*, with or without a unit, and its path."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            # The name of a calculator, and of the fact that it reads, are not figures.
            if key not in ("calculator", "on"):
                yield from _figures(part, (*path, key))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _figures(part, (*path, place))
    elif type(value) is int or (isinstance(value, str) and _FIGURE.fullmatch(value)):
        yield path, value


def _moved(figure: str | int, *, coarse: bool) -> Iterator[str | int]:
    """Yield *figure* moved by one smallest unit; if *coarse*, by one in its last digit."""
    if isinstance(figure, int):
        yield figure + 1
        yield figure - 1
        return
    match = _FIGURE.fullmatch(figure)
    assert match is not None
    currency, number, percent = match.groups()
    written = len(number.partition(".")[2])
    if coarse:
        places = written
    elif currency:
        places = Currency.of(currency).places
    else:
        places = PERCENT_PLACES if percent else RATIO_PLACES
    value = scaled(Decimal(number), max(places, written))
    unit = 10 ** (max(places, written) - places)
    for moved in (value + unit, value - unit):
        if moved >= 0:
            shown = digits(moved, max(places, written), 0)
            yield f"{currency} {shown}" if currency else f"{shown}{percent}"


def _put(value: Json, path: _Path, figure: str | int) -> Json:
    """Return *value* with *figure* at *path*."""
    if not path:
        return figure
    first, *rest = path
    if isinstance(value, Mapping):
        return {**value, str(first): _put(value[first], tuple(rest), figure)}
    return [
        _put(part, tuple(rest), figure) if place == first else part
        for place, part in enumerate(value)
    ]


def _shown(path: _Path) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")


# -- Mutants of `jurisdiction.toml`: each value that changes by date, moved by one, up and down.


def jurisdiction_mutants(jurisdiction: Jurisdiction) -> Iterator[Mutant]:
    """Yield every value of every own setting and check that changes by date, moved by one."""
    details = jurisdiction.details

    # No deal of an example can tell 90 days from 91, so examples state the settings day by day.
    for name, (_, timeline) in details.timelines.items():
        if _is_own(details.setting_nodes[name], jurisdiction):
            yield from _moves(name, timeline, jurisdiction, partial(_with_setting, name=name))
    for name, source in details.checks.items():
        if source.max_age is not None and _is_own(source.node, jurisdiction):
            change = partial(_with_max_age, name=name)
            yield from _moves(f"checks.{name}.max_age_days", source.max_age, jurisdiction, change)


def _is_own(node: Node, jurisdiction: Jurisdiction) -> bool:
    """Return whether *node* is in the file of *jurisdiction* itself, and not in a parent's."""
    return node.document is jurisdiction.details.node.document


def _moves(
    name: str,
    timeline: Timeline[int],
    jurisdiction: Jurisdiction,
    change: Callable[..., Rulebook],
) -> Iterator[Mutant]:
    """
    Yield each value of *timeline* one up and one down.

    *change* makes a rulebook with another *number* in the *period* of the value.
    """
    for entry in timeline.entries:
        for number in (entry.value + 1, entry.value - 1):
            yield Mutant(
                name=f"{name} from {entry.period.start}: {entry.value} to {number}",
                file=jurisdiction.details.node.document.file,
                line=None if entry.node is None else entry.node.line,
                change=partial(change, number=number, period=entry.period),
            )


def _with_setting(rulebook: Rulebook, *, name: str, number: int, period: Period) -> Rulebook:
    """Return *rulebook* with another value of a setting if its slice is in *period*."""
    if rulebook.since not in period:
        return rulebook
    _check_range(number, DATED[name])
    changed: dict[str, Any] = {name: number}
    return rulebook.altered(**changed)


def _with_max_age(rulebook: Rulebook, *, name: str, number: int, period: Period) -> Rulebook:
    """Return *rulebook* with another greatest age of a check if its slice is in *period*."""
    if rulebook.since not in period:
        return rulebook
    _check_range(number, CHECK.rows["max_age_days"])
    changed = evolve(rulebook.checks[name], max_age_days=number)
    return rulebook.altered(checks={**rulebook.checks, name: changed})


def _check_range(number: int, row: Key) -> None:
    """Refuse a *number* that the reader would refuse: it cannot be written unnoticed."""
    low, high = dated_form(row).ends or (number, number)
    if not low <= number <= high:
        raise InvalidDocument.of("out_of_range", f"expected {low} to {high}")
