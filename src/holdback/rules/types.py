"""Types and units, and the catalogue of the facts that a rule may read.

A value of the language is a whole number in its type's scale: a percentage counts ten-thousandths
of a percent, a ratio millionths, money minor units, a date days of the calendar, a text its place
in the declared set, a flag 0 or 1. Only None is *unknown*.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from enum import Enum
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, assert_never

from attrs import evolve, field

from holdback.errors import (
    ErrorDetail,
    InvalidDocument,
    InvalidValue,
    code_of,
    did_you_mean,
    listed,
)
from holdback.exact.exact_json import shown_path
from holdback.exact.exact_numbers import (
    PERCENT_PLACES,
    RATIO_PLACES,
    digits,
    floor,
    multiply,
    whole,
)
from holdback.exact.money import Currency
from holdback.exact.written_numbers import several
from holdback.frozen_classes import FrozenMapping, frozen, frozen_record
from holdback.rules import values
from holdback.rules.values import FactValue

# Prepared facts: one entry for each fact of the catalogue, by its place.
Facts: TypeAlias = tuple[int | None, ...]


class Kind(Enum):
    """A kind of value, by the word that a jurisdiction's file uses for it."""

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

    `places` is the number of decimals in a value's scale; `ordinals` gives a text's number.

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
        object.__setattr__(self, "ordinals", FrozenMapping(ordinals))

    def __str__(self) -> str:
        """
        Return the type as a sentence has it.

        >>> str(Type(Kind.MONEY, Currency.of("GBP"))), str(Type(Kind.PERCENT))
        ('money (GBP)', 'percent')
        """
        return f"money ({self.currency})" if self.currency else self.kind.value

    def read(self, value: object, *, down: bool = False) -> int | None:
        """
        Return the plain *value* as a whole number in this type's scale; None when it is unknown.

        None, NaN, NaT and a text outside the declared set are unknown. Nothing is rounded, unless
        *down* asks for a percentage's further decimals to be rounded down.

        >>> Type(Kind.MONEY, Currency.of("GBP")).read("1200.00")
        120000
        >>> Type(Kind.DAYS).read("21 days"), Type(Kind.DAYS).read(None)
        (21, None)

        Raises:
            ValueError: when *value* is invalid; the message says what was expected.
        """
        if values.is_missing(value):
            return None
        if not isinstance(value, str) or self.kind is Kind.TEXT:
            return self._read(value, down=down)
        if not values.is_clear(value, self.kind.value):
            meanings = self.readings(value, down=down)
            if len(meanings) > 1:
                raise self.several(meanings)
        try:
            return self._read(value, down=down)
        except InvalidValue as error:
            raise InvalidValue(error.code, str(error), self.readings(value, down=down)) from None

    def several(self, meanings: tuple[str, ...]) -> InvalidValue:
        """Return the error for a text with several *meanings* as a value of this type."""
        match self.kind:
            case Kind.PERCENT:
                return several(meanings, "a percentage such as `64.5%`", "as a fraction or not")
            case Kind.DATE:
                ways = "the day first or the month first"
                return several(meanings, "a date such as `2026-03-01`", ways)
            case Kind.MONEY:
                return several(meanings, f"an amount such as `{self.show(250 * 10**self.places)}`")
            case _:
                return several(meanings, "a number such as `1250`")

    def lacks_unit(self, value: object) -> bool:
        """
        Return whether *value* is a number alone, where this type has a unit: a sign, a currency.

        >>> Type(Kind.PERCENT).lacks_unit("75"), Type(Kind.RATIO).lacks_unit("1.2")
        (True, False)
        """
        if self.kind is not Kind.PERCENT and self.kind is not Kind.MONEY:
            return False
        return values.is_bare_number(value)

    def readings(self, text: str, *, down: bool = False, quoted: bool = True) -> tuple[str, ...]:
        """
        Return the values that *text* may be as people write them, as JSON has them or unquoted.

        >>> Type(Kind.MONEY, Currency.of("NOK")).readings("500.000")
        ('"NOK 500.00"', '"NOK 500000.00"')
        """
        from holdback.rules import written  # noqa: PLC0415  # only an error needs it

        meanings = written.readings_of(text, self.kind.value, self.currency, down=down)
        is_bare = not quoted or self.kind is Kind.COUNT or self.kind is Kind.FLAG
        return meanings if is_bare else tuple(f'"{reading}"' for reading in meanings)

    def _read(self, value: object, *, down: bool) -> int | None:
        """Return *value*, which is not missing and has one reading, as `read` does."""
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
        Return *number* for people. *places* is its number of decimals, by default the type's own.

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
        Return *number* as a rule writes it.

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
                return digits(number, self.places, 1)
            case _:
                return self.show(number)

    def plain(self, number: int, places: int | None = None) -> bool | int | str:
        """
        Return *number* as a plain value of a facts document (decisions/wire).

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
        """Return *number* in digits; only money keeps trailing zeros."""
        least = self.places if self.kind is Kind.MONEY else 0
        return digits(number, self.places if places is None else places, least)


@frozen(kw_only=True, cache_hash=True)
class Fact:
    """
    A typed, named value that a rule may read.

    `low` and `high` are the ends of its range in the type's scale, both included. `rounded_down`
    marks a percentage that is rounded down from an exact fraction. `origin` says who supplies the
    value. `moves` is the direction, `"up"` or `"down"`, in which a merchant can move the value by
    what it does; None where it cannot. Up is better for the merchant where it moves up. `label` is
    its name in sentences; None where it is drafted from the name. `of` is `"deal"` where the value
    is evidence about one deal, and unknown for the next.
    """

    name: str
    type: Type
    # INVARIANT: every prepared number lies in this range; `check.MAX_MAGNITUDE` rests on it.
    low: int
    high: int
    rounded_down: bool = False
    description: str = ""
    origin: str = ""
    moves: str | None = None
    label: str | None = field(default=None, eq=False)
    of: str | None = None

    def read(self, value: object) -> int | None:
        """
        Return the plain *value* of this fact as a whole number; None when it is unknown.

        Raises:
            ValueError: when *value* is invalid or outside the range.
        """
        number = self.type.read(value, down=self.rounded_down)
        if number is not None and not self.low <= number <= self.high:
            raise InvalidValue("out_of_range", self.out_of_range)
        return number

    @property
    def out_of_range(self) -> str:
        """The message for a number outside the range."""
        return f"expected {self.type.show(self.low)} to {self.type.show(self.high)}"


@frozen(kw_only=True)
class Parameter:
    """
    A named value of the jurisdiction on one date; `label` is its name in sentences.

    `source` says where the value comes from, and `since` is the first day on which it holds.
    """

    name: str
    type: Type
    number: int
    label: str | None = field(default=None, eq=False)
    source: str | None = field(default=None, eq=False, repr=False)
    since: date | None = field(default=None, eq=False, repr=False)


def _frozen_parameters(parameters: Mapping[str, Parameter]) -> Mapping[str, Parameter]:
    return frozen_record(parameters)


def draft_label(name: str) -> str:
    """
    Return the label of a fact or parameter that nobody gave one.

    >>> draft_label("minimum_performance")
    'minimum performance'
    """
    return name.replace("_", " ")


@frozen(kw_only=True)
class Catalogue:
    """
    The facts and parameters that rules may name, and the reader of plain facts.

    >>> days = Fact(name="days", type=Type(Kind.DAYS), low=0, high=100)
    >>> catalogue = Catalogue(facts=(days,), currency=Currency.of("GBP"))
    >>> catalogue.prepare({"days": "21 days"}), catalogue.prepare({})
    ((21,), (None,))
    """

    facts: tuple[Fact, ...]
    parameters: Mapping[str, Parameter] = field(
        factory=FrozenMapping, converter=_frozen_parameters, hash=False
    )
    currency: Currency
    _places: Mapping[str, int] = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        places = {fact.name: place for place, fact in enumerate(self.facts)}
        assert len(places) == len(self.facts), "a fact's name is used once"
        assert not places.keys() & self.parameters.keys(), "facts and parameters share no name"
        object.__setattr__(self, "_places", FrozenMapping(places))

    def place(self, name: str) -> int:
        """Return the place of the fact *name*; `KeyError` when there is none."""
        return self._places[name]

    def fact(self, name: object) -> Fact | None:
        """Return the fact *name*, or None when there is none."""
        if isinstance(name, str) and name in self._places:
            return self.facts[self._places[name]]
        return None

    def label(self, name: str) -> str:
        """Return the name in sentences of the fact or parameter *name*, drafted if it has none."""
        labelled = self.fact(name) or self.parameters.get(name)
        given = None if labelled is None else labelled.label
        return draft_label(name) if given is None else given

    def with_facts(self, facts: tuple[Fact, ...]) -> Catalogue:
        """Return this catalogue with more *facts*, in places after its own."""
        return evolve(self, facts=self.facts + facts) if facts else self

    def with_parameters(self, parameters: Mapping[str, Parameter]) -> Catalogue:
        """Return this catalogue with the *parameters* of a jurisdiction on a date."""
        return evolve(self, parameters=parameters)

    @cached_property
    def _fast_reader(self) -> Preparer:
        """The generated reader of ordinary facts, made when first used."""
        return preparer(
            tuple(
                FactShape(
                    name=fact.name,
                    kind=fact.type.kind.value,
                    places=fact.type.places,
                    low=fact.low,
                    high=fact.high,
                    rounded_down=fact.rounded_down,
                    options=fact.type.options,
                )
                for fact in self.facts
            )
        )

    def prepare(self, facts: Mapping[str, FactValue]) -> Facts:
        """
        Return plain *facts* by name as prepared facts: whole numbers by place, None where unknown.

        A derived percentage is rounded down to its scale; nothing else is rounded.

        Raises:
            InvalidDocument: with every error: an unknown name, an invalid value, a value outside
                its fact's range.
        """
        # The generated reader gives up on anything out of the ordinary (decisions/fast-paths).
        try:
            prepared = self._fast_reader(facts)
        except (ArithmeticError, ValueError):
            prepared = None
        return self._read_carefully(facts) if prepared is None else prepared

    def _read_carefully(self, facts: Mapping[str, object]) -> Facts:
        """Return prepared *facts* of any kind, or raise all their errors."""
        prepared: list[int | None] = [None] * len(self.facts)
        errors: list[ErrorDetail] = []
        for name, value in facts.items():
            fact = self.fact(name)
            path = shown_path("$", name)
            if fact is None:
                near = did_you_mean(str(name), self._places)
                hint = near or f"the facts are {listed(self._places, str(name))}"
                errors.append(
                    ErrorDetail(code="unknown_name", message="unknown fact", path=path, hint=hint)
                )
                continue
            try:
                prepared[self._places[fact.name]] = fact.read(value)
            except ValueError as error:
                errors.append(ErrorDetail(code=code_of(error), message=str(error), path=path))
        if errors:
            raise InvalidDocument(errors)
        return tuple(prepared)


# -- Plain facts to prepared ones, fast, for ordinary values.
#
# A host hands in the facts of every deal, and reading them takes longer than answering the rules.
# So the steps are generated once as a Python function, as rules are in `closure`: its source is
# made of places and numbers, and a fact's name is a constant next to it. Anything out of the
# ordinary (text for a number, NaN, a number out of range, an unknown name) is left to `Catalogue`,
# whose careful reader reads all facts again and says what is wrong.


class FactShape(NamedTuple):
    """The properties of a fact that its reader depends on."""

    name: str
    kind: str
    places: int
    low: int
    high: int
    rounded_down: bool
    options: tuple[str, ...]


# The prepared facts, or None when the careful reader is needed.
Prepared = tuple[int | None, ...] | None
Preparer = Callable[[Mapping[str, object]], Prepared]

_IN_UNITS: Final = ("percent", "ratio", "money")
_WHOLE: Final = ("count", "days")


@lru_cache(maxsize=32)
def preparer(shapes: tuple[FactShape, ...]) -> Preparer:
    """
    Return a fast function from plain facts, by name, to prepared ones in the order of *shapes*.

    For an input that is rare it returns None or raises `ArithmeticError` or `ValueError`;
    `Catalogue.prepare` then reads it carefully.
    """
    namespace: dict[str, Any] = {
        "__builtins__": {"type": type, "int": int, "len": len},
        "Decimal": Decimal,
        "date": dt.date,
        "str": str,
        "names": frozenset(shape.name for shape in shapes),
    }
    lines = ["def function(facts):", " get = facts.get", " missing = 0"]
    for place, shape in enumerate(shapes):
        lines += [f" v = get(n{place})", *(f" {line}" for line in _steps(place, shape))]
        lines += [
            " elif v is None:",
            f"  a{place} = None",
            "  missing += 1",
            " else:",
            "  return None",
        ]
        namespace |= _constants(place, shape)
    # The names in *facts* are looked at only when their number differs from that of the values
    # read: then a value was an explicit None, or a name does not belong to a fact.
    lines += [f" if len(facts) + missing != {len(shapes)} and not facts.keys() <= names:"]
    lines += ["  return None", f" return ({''.join(f'a{n}, ' for n in range(len(shapes)))})"]
    exec(compile("\n".join(lines), "<facts>", "exec"), namespace)  # noqa: S102 - made of places and numbers
    function: Preparer = namespace["function"]
    return function


def _constants(place: int, shape: FactShape) -> dict[str, Any]:
    """Return the constants that the steps of *shape* name."""
    ordinals = {option: number for number, option in enumerate(shape.options)}
    return {
        f"n{place}": shape.name,
        f"s{place}": Decimal(10**shape.places),
        f"t{place}": multiply,
        f"w{place}": floor if shape.rounded_down else whole,
        f"o{place}": ordinals.get,
    }


def _steps(n: int, shape: FactShape) -> list[str]:
    """Return the lines, the first an `if`, that read `v`, the value of the fact at place *n*."""
    in_range = [f" if not {shape.low} <= a{n} <= {shape.high}:", "  return None"]
    if shape.kind in _IN_UNITS:
        return [
            "if type(v) is Decimal:",
            f" a{n} = int(w{n}(t{n}(v, s{n})))",
            *in_range,
            "elif type(v) is int:",
            f" a{n} = v * {10**shape.places}",
            *in_range,
        ]
    if shape.kind in _WHOLE:
        return ["if type(v) is int:", f" a{n} = v", *in_range]
    if shape.kind == "flag":
        return ["if v is True:", f" a{n} = 1", "elif v is False:", f" a{n} = 0"]
    if shape.kind == "date":
        return ["if type(v) is date:", f" a{n} = v.toordinal()", *in_range]
    return ["if type(v) is str:", f" a{n} = o{n}(v)"]
