"""Types and units, and the catalogue of what a rule may read.

A value of the language is a whole number of its type's scale: a percentage counts ten-thousandths
of a percent, a ratio millionths, money minor units, a date days of the calendar, a text its place
in the declared set, a flag 0 or 1. None is *unknown*, and nothing else is.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import TypeAlias, assert_never

from attrs import evolve, field, frozen

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.money import PERCENT_PLACES, RATIO_PLACES, Currency
from holdback.rules import values
from holdback.rules.fact_reader import Column, Preparer, preparer

# Prepared facts: an entry for each fact of the catalogue, by its place.
Facts: TypeAlias = tuple[int | None, ...]


class Kind(Enum):
    """What kind of value: the word that a jurisdiction's file uses for it."""

    FLAG = "flag"
    COUNT = "count"
    PERCENT = "percent"
    RATIO = "ratio"
    MONEY = "money"
    DAYS = "days"
    DATE = "date"
    TEXT = "text"


@frozen
class Type:
    """
    The type of a value: its kind, the currency of money, the declared set of a text.

    `places` is the number of decimals that a value has inside; `ordinals` gives a text's number.

    >>> percent = Type(Kind.PERCENT)
    >>> percent.read("64.5%"), percent.show(645000), percent.places
    (645000, '64.5%', 4)
    """

    kind: Kind
    currency: Currency | None = None
    options: tuple[str, ...] = ()
    places: int = field(init=False, eq=False, repr=False)
    ordinals: Mapping[str, int] = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        assert (self.currency is not None) == (self.kind is Kind.MONEY), "money has a currency"
        assert bool(self.options) == (self.kind is Kind.TEXT), "text has a declared set"
        scales = {Kind.PERCENT: PERCENT_PLACES, Kind.RATIO: RATIO_PLACES}
        places = self.currency.places if self.currency else scales.get(self.kind, 0)
        object.__setattr__(self, "places", places)
        ordinals = {option: place for place, option in enumerate(self.options)}
        object.__setattr__(self, "ordinals", MappingProxyType(ordinals))

    def __str__(self) -> str:
        """
        The type in a sentence.

        >>> str(Type(Kind.MONEY, Currency.of("GBP"))), str(Type(Kind.PERCENT))
        ('money (GBP)', 'percent')
        """
        return f"money ({self.currency})" if self.currency else self.kind.value

    def read(self, value: object, *, down: bool = False) -> int | None:
        """
        The plain *value* as a whole number of this type's scale; None when it is unknown.

        Unknown are None, NaN, NaT, and a text outside the declared set. Nothing is rounded, unless
        *down* asks for a percentage's further decimals to be rounded down.

        >>> Type(Kind.MONEY, Currency.of("GBP")).read("1200.00")
        120000
        >>> Type(Kind.DAYS).read("21 days"), Type(Kind.DAYS).read(None)
        (21, None)

        Raises:
            ValueError: when *value* cannot be meant; the message says what was expected.
        """
        if values.is_missing(value):
            return None
        match self.kind:
            case Kind.TEXT:
                return values.read_text(value, self.ordinals)
            case Kind.PERCENT:
                return values.read_percent(value, self.places, down=down)
            case Kind.MONEY:
                assert self.currency is not None
                return values.read_money(value, self.currency)
            case Kind.COUNT:
                return values.whole(value, "a whole number")
            case Kind.FLAG:
                return values.read_flag(value)
            case Kind.DAYS:
                return values.read_days(value)
            case Kind.RATIO:
                return values.number(value, self.places, "a ratio such as `1.18`")
            case Kind.DATE:
                return values.read_date(value)
            case _:
                assert_never(self.kind)

    def show(self, number: int, places: int | None = None) -> str:
        """
        *number* for people. *places* is its number of decimals, where that is not the type's own.

        >>> Type(Kind.PERCENT).show(799999), Type(Kind.DAYS).show(1), Type(Kind.FLAG).show(1)
        ('79.9999%', '1 day', 'yes')
        """
        match self.kind:
            case Kind.FLAG:
                return "yes" if number else "no"
            case Kind.TEXT:
                return self.options[number]
            case Kind.MONEY:
                return f"{self.currency} {self._digits(number, places)}"
            case Kind.DAYS:
                return values.days_text(number)
            case _:
                return str(self.plain(number, places))

    def literal(self, number: int) -> str:
        """
        *number* as it is written in a rule.

        >>> Type(Kind.RATIO).literal(1000000), Type(Kind.TEXT, options=("Funded",)).literal(0)
        ('1.0', '"Funded"')
        """
        match self.kind:
            case Kind.FLAG:
                return "true" if number else "false"
            case Kind.TEXT:
                return f'"{self.options[number]}"'
            case Kind.MONEY if number < 0:
                return f"-{self.show(-number)}"
            case Kind.RATIO:
                return values.digits(number, self.places, 1)
            case _:
                return self.show(number)

    def plain(self, number: int, places: int | None = None) -> bool | int | str:
        """
        *number* as a plain value of a facts document (design 7a).

        >>> Type(Kind.PERCENT).plain(640000), Type(Kind.COUNT).plain(3)
        ('64%', 3)
        """
        kind = self.kind
        if kind is Kind.PERCENT:
            return f"{self._digits(number, places)}%"
        if kind is Kind.COUNT or kind is Kind.DAYS:
            return number
        if kind is Kind.MONEY or kind is Kind.RATIO:
            return self._digits(number, places)
        if kind is Kind.TEXT:
            return self.options[number]
        if kind is Kind.FLAG:
            return bool(number)
        return values.day_text(number)

    def _digits(self, number: int, places: int | None) -> str:
        """*number* in digits: money with its minor units, other numbers without trailing zeros."""
        least = self.places if self.kind is Kind.MONEY else 0
        return values.digits(number, self.places if places is None else places, least)


@frozen(kw_only=True, cache_hash=True)
class Fact:
    """
    A typed, named value that a rule may read, in whole numbers of the type's scale.

    `low` and `high` are the ends of its range, both included. `derived` marks a percentage that is
    rounded down from an exact fraction. `origin` says where it comes from.
    """

    name: str
    type: Type
    low: int
    high: int
    derived: bool = False
    description: str = ""
    origin: str = ""

    def read(self, value: object) -> int | None:
        """
        The plain *value* of this fact as a whole number in its range; None when it is unknown.

        Raises:
            ValueError: when *value* cannot be meant or is outside the range.
        """
        number = self.type.read(value, down=self.derived)
        if number is not None and not self.low <= number <= self.high:
            raise ValueError(self.out_of_range)
        return number

    @property
    def out_of_range(self) -> str:
        """What is said of a number outside the range."""
        return f"expected {self.type.show(self.low)} to {self.type.show(self.high)}"


@frozen(kw_only=True)
class Parameter:
    """A named value of the jurisdiction on one date."""

    name: str
    type: Type
    number: int


@frozen(kw_only=True)
class Catalogue:
    """
    The facts and parameters that rules may name, and the one way from plain facts to prepared ones.

    >>> days = Fact(name="days", type=Type(Kind.DAYS), low=0, high=100)
    >>> catalogue = Catalogue(facts=(days,), currency=Currency.of("GBP"))
    >>> catalogue.prepare({"days": "21 days"}), catalogue.prepare({})
    ((21,), (None,))
    """

    facts: tuple[Fact, ...]
    parameters: Mapping[str, Parameter] = field(factory=dict, hash=False)
    currency: Currency
    _places: Mapping[str, int] = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        places = {fact.name: place for place, fact in enumerate(self.facts)}
        assert len(places) == len(self.facts), "a fact's name is used once"
        assert not places.keys() & self.parameters.keys(), "facts and parameters share no name"
        object.__setattr__(self, "_places", places)

    def place(self, name: str) -> int:
        """The place of the fact *name*; `KeyError` when there is none."""
        return self._places[name]

    def fact(self, name: object) -> Fact | None:
        """The fact *name*, or None when there is none."""
        if isinstance(name, str) and name in self._places:
            return self.facts[self._places[name]]
        return None

    def with_facts(self, facts: tuple[Fact, ...]) -> Catalogue:
        """This catalogue with more *facts*, in places after those that it has."""
        return evolve(self, facts=self.facts + facts) if facts else self

    def with_parameters(self, parameters: Mapping[str, Parameter]) -> Catalogue:
        """The same facts with the *parameters* of a jurisdiction on a date."""
        return evolve(self, parameters=parameters)

    @cached_property
    def _prepare_usual(self) -> Preparer:
        """What reads the usual facts. Made when first used."""
        return preparer(
            tuple(
                Column(
                    name=fact.name,
                    kind=fact.type.kind.value,
                    places=fact.type.places,
                    low=fact.low,
                    high=fact.high,
                    derived=fact.derived,
                    options=fact.type.options,
                )
                for fact in self.facts
            )
        )

    def prepare(self, facts: Mapping[str, object]) -> Facts:
        """
        Plain *facts* by name as prepared facts: whole numbers by place, None where unknown.

        A derived percentage is rounded down to its scale; nothing else is rounded.

        Raises:
            InvalidDocument: with every fault: an unknown name, a value that cannot be meant, a
                value outside its fact's range.
        """
        try:
            prepared = self._prepare_usual(facts)
        except (ArithmeticError, ValueError):
            prepared = None
        return self._prepare_any(facts) if prepared is None else prepared

    def _prepare_any(self, facts: Mapping[str, object]) -> Facts:
        """The long way, for facts that are not all usual, with all that there is to say of them."""
        prepared: list[int | None] = [None] * len(self.facts)
        faults: list[ErrorDetail] = []
        for name, value in facts.items():
            fact = self.fact(name)
            known = isinstance(name, str) and name.isidentifier()
            path = f"$.{name}" if known else f"$[{name!r:.60}]"
            if fact is None:
                hint = did_you_mean(str(name), self._places)
                faults.append(ErrorDetail(message="unknown fact", path=path, hint=hint))
                continue
            try:
                prepared[self._places[fact.name]] = fact.read(value)
            except ValueError as error:
                faults.append(ErrorDetail(message=str(error), path=path))
        if faults:
            raise InvalidDocument(faults)
        return tuple(prepared)
