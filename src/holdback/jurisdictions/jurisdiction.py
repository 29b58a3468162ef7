"""A jurisdiction through time, and the jurisdictions that were loaded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from types import MappingProxyType

import pendulum
from attrs import evolve, field, frozen

from holdback.errors import InvalidDocument, did_you_mean
from holdback.jurisdictions.equivalent_mutants import Survivor
from holdback.jurisdictions.overlay import Policy
from holdback.jurisdictions.rulebook import Example, Rulebook
from holdback.money import Currency
from holdback.toml.document import excerpt


@frozen(kw_only=True)
class Jurisdiction:
    """
    A jurisdiction through time: its rulebook from each change date on, and its examples.

    Its slices are cut once, when it is read. `changes` are the dates from which they hold, `policy` is
    what is written for it, here and in its parents' folders.
    """

    code: str
    name: str
    currency: Currency
    zone: pendulum.Timezone | pendulum.FixedTimezone = field(eq=False, repr=False)
    slices: tuple[Rulebook, ...] = field(repr=False)
    examples: tuple[Example, ...] = field(repr=False)
    survivors: tuple[Survivor, ...] = field(default=(), repr=False)
    policy: Policy = field(eq=False, repr=False)
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
