"""What a jurisdiction's folder means: rulebooks by date, and the jurisdictions that were loaded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from types import MappingProxyType
from typing import Any

import pendulum
from attrs import evolve, field, frozen

from holdback.canonical import Json
from holdback.errors import InvalidDocument, did_you_mean
from holdback.jurisdictions.document import excerpt
from holdback.money import Currency
from holdback.renewal import Assessment, assess
from holdback.rules.types import Catalogue, Facts, Parameter
from holdback.ruleset import RuleSet


@frozen(kw_only=True)
class CalculatorChoice:
    """
    The calculator that a product names, and its settings as they stand in the file.

    `kind` is `limits`, `split_percentage`, `factor_rate` or `term`. Whoever binds the name to a
    calculator reads the settings; `place` says where to point when one is wrong.
    """

    kind: str
    name: str
    settings: Mapping[str, Json]
    file: str | None = None
    _places: Mapping[str | None, Mapping[str, Any]] = field(
        factory=dict, eq=False, repr=False, alias="places"
    )

    def place(self, key: str | None = None) -> Mapping[str, Any]:
        """Where the setting *key* stands, or the whole choice, as the keywords of a `Fault`."""
        return self._places.get(key) or self._places.get(None) or {"file": self.file}


@frozen(kw_only=True)
class ProductTerms:
    """
    A financing product: who may have it, and by which calculators it is priced.

    `amounts` are the shares of the merchant's maximum that are offered, in ten-thousandths of a percent.
    """

    key: str
    name: str
    description: str
    repayment_mechanism: str
    amounts: tuple[int, ...]
    rules: RuleSet
    limits: CalculatorChoice
    split_percentage: CalculatorChoice
    factor_rate: CalculatorChoice
    term: CalculatorChoice


@frozen(kw_only=True)
class Example:
    """
    What must come out on a day for the facts `given`: of the renewal rules, or of a `product`.

    `given` is whole: what is typical, with what the example says and without what it leaves out.
    """

    name: str
    on: date
    product: str | None
    given: Mapping[str, Json]
    expect: Mapping[str, Json]
    file: str
    line: int | None


@frozen(kw_only=True)
class Rulebook:
    """
    One jurisdiction's rules, parameters and products on the day `on`; it never changes.

    Everything in it holds from the day `since` on, until the next change. `digest` identifies what they mean: two rulebooks with one digest decide alike, on every day.
    """

    code: str
    on: date
    digest: str
    since: date = field(eq=False, repr=False)
    name: str = field(eq=False, repr=False)
    currency: Currency = field(eq=False, repr=False)
    rounding: str = field(eq=False, repr=False)
    timezone: str = field(eq=False, repr=False)
    zone: pendulum.Timezone | pendulum.FixedTimezone = field(eq=False, repr=False)
    owner: str = field(eq=False, repr=False)
    review_by: date = field(eq=False, repr=False)
    automated_decisioning: bool = field(eq=False, repr=False)
    offers_valid_hours: int = field(eq=False, repr=False)
    recently_active_days: int = field(eq=False, repr=False)
    parameters: Mapping[str, Parameter] = field(eq=False, repr=False)
    catalogue: Catalogue = field(eq=False, repr=False)
    renewal: RuleSet = field(eq=False, repr=False)
    products: tuple[ProductTerms, ...] = field(eq=False, repr=False)

    def assess(self, facts: Mapping[str, object]) -> Assessment:
        """
        The assessment of a deal with plain *facts*, those of the day `on`; absent is unknown.

        Raises:
            InvalidDocument: with every fact that is unknown by name, of the wrong type or out of range.
        """
        return assess(self.renewal, self.catalogue.prepare(facts), self.on)

    def assess_prepared(self, facts: Facts) -> Assessment:
        """The assessment of a deal with prepared *facts*."""
        return assess(self.renewal, facts, self.on)


@frozen(kw_only=True)
class Jurisdiction:
    """
    A jurisdiction through time: its rulebook from each change date on, and its examples.

    Its slices are cut once, when it is read. `changes` are the dates from which they hold.
    """

    code: str
    name: str
    currency: Currency
    zone: pendulum.Timezone | pendulum.FixedTimezone = field(eq=False, repr=False)
    slices: tuple[Rulebook, ...] = field(repr=False)
    examples: tuple[Example, ...] = field(repr=False)
    changes: tuple[date, ...] = field(init=False, eq=False)

    @changes.default
    def _change_dates(self) -> tuple[date, ...]:
        return tuple(each.on for each in self.slices)

    def rulebook(self, on: date) -> Rulebook:
        """
        The rulebook on the day *on*.

        Raises:
            InvalidDocument: when *on* is no date, or before the first rule.
        """
        if not isinstance(on, date) or isinstance(on, datetime):
            raise InvalidDocument.of(
                "expected a date such as 2026-07-01, without a time", path="on"
            )
        place = bisect_right(self.changes, on) - 1
        if place < 0:
            raise InvalidDocument.of(
                f"{self.code} has no rules before {self.changes[0]}", path="on"
            )
        found = self.slices[place]
        return found if found.on == on else evolve(found, on=on)


def _by_code(jurisdictions: Iterable[Jurisdiction]) -> Mapping[str, Jurisdiction]:
    each_once = {each.code: each for each in sorted(jurisdictions, key=lambda each: each.code)}
    return MappingProxyType(each_once)


@frozen(repr=False)
class Jurisdictions:
    """
    The jurisdictions that were loaded.

    >>> from holdback import load_jurisdictions
    >>> load_jurisdictions().resolve("GB", on=date(2026, 7, 1)).currency.code
    'GBP'
    """

    _by_code: Mapping[str, Jurisdiction] = field(converter=_by_code)

    @property
    def codes(self) -> tuple[str, ...]:
        """Their codes, in order."""
        return tuple(self._by_code)

    def __iter__(self) -> Iterator[Jurisdiction]:
        return iter(self._by_code.values())

    def __len__(self) -> int:
        return len(self._by_code)

    def __repr__(self) -> str:
        return f"Jurisdictions({', '.join(self.codes)})"

    def __getitem__(self, code: str) -> Jurisdiction:
        """
        The jurisdiction *code*.

        Raises:
            InvalidDocument: when there is none.
        """
        try:
            return self._by_code[code]
        except (KeyError, TypeError):
            raise self._unknown(code) from None

    def _unknown(self, code: object) -> InvalidDocument:
        known = ", ".join(f"`{each}`" for each in self.codes) or "none"
        text = excerpt(str(code))
        hint = did_you_mean(text.upper(), self.codes) or f"there are {known}"
        return InvalidDocument.of(f"unknown jurisdiction `{text}`", path="jurisdiction", hint=hint)

    def resolve(self, code: str, *, on: date) -> Rulebook:
        """
        The rulebook of the jurisdiction *code* on the day *on*.

        Raises:
            InvalidDocument: when there is no such jurisdiction, or it has no rules on that day.
        """
        return self[code].rulebook(on)

    def rulebooks(self) -> Iterator[Rulebook]:
        """Every rulebook of every jurisdiction, from each of its change dates on."""
        return (rulebook for jurisdiction in self for rulebook in jurisdiction.slices)

    def examples(self, code: str) -> tuple[Example, ...]:
        """The examples of the jurisdiction *code*, in the order of its files."""
        return self[code].examples

    def currency(self, code: str) -> Currency:
        """The currency of the jurisdiction *code*."""
        return self[code].currency

    def zone(self, code: str) -> pendulum.Timezone | pendulum.FixedTimezone:
        """The time zone of the jurisdiction *code*."""
        return self[code].zone
