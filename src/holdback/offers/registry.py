"""Calculators by the names in `products.toml`: the built-in ones, and those that a host registers.

There is no global registry. An engine is built with the calculators that it may use, by a name such
as `term/seasonal`, and refuses a jurisdiction that names another (decisions/engine).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import cache, lru_cache
from math import prod
from types import MappingProxyType
from typing import Any, Final, TypeVar, get_args, get_origin, get_type_hints

import attrs
from attrs import field
from cattrs import Converter

from holdback.errors import (
    ConfigurationError,
    ErrorDetail,
    InvalidValue,
    code_of,
    did_you_mean,
    excerpt,
    readings_of,
    write_instead,
)
from holdback.exact.bounds import MOST_OFFERS, most_money
from holdback.exact.exact_numbers import RATIO_PLACES, plain, scaled, trimmed
from holdback.exact.money import Money
from holdback.frozen_classes import FrozenMapping, frozen
from holdback.offers.calculator import (
    TERM_MONTHS,
    Calculator,
    FactorRateCalculator,
    LimitsCalculator,
    Percent,
    Ratio,
    SettlementCalculator,
    SplitPercentageCalculator,
    TermCalculator,
)
from holdback.offers.price_tables import PriceTable, read_price_table
from holdback.offers.shipped_calculators import (
    Affordability,
    Band,
    BandedRate,
    BandsOfTerm,
    Chosen,
    ChosenTerm,
    FixedLimits,
    FixedTerm,
    FlatRate,
    PercentageOfCost,
    SettlementBand,
    TableLimits,
    TableRate,
    TableSplit,
    TakingsMultiple,
    TakingsPace,
)
from holdback.rulebooks.digest import Versions, versions_of
from holdback.rulebooks.product_terms import (
    CALCULATOR_KINDS,
    SETTLEMENT,
    CalculatorChoice,
    ProductTerms,
)
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.types import Catalogue, Kind, Type

BUILT_IN: Final[Mapping[str, type]] = MappingProxyType(
    {
        "limits/fixed": FixedLimits,
        "limits/takings_multiple": TakingsMultiple,
        "limits/table": TableLimits,
        "split_percentage/chosen": Chosen,
        "split_percentage/affordability": Affordability,
        "split_percentage/table": TableSplit,
        "factor_rate/flat": FlatRate,
        "factor_rate/banded": BandedRate,
        "factor_rate/table": TableRate,
        "settlement/percentage": PercentageOfCost,
        "settlement/bands": BandsOfTerm,
        "term/takings_pace": TakingsPace,
        "term/chosen": ChosenTerm,
        "term/fixed": FixedTerm,
    }
)


# Those whose highest rate is known.
BUILT_IN_RATES: Final = (FlatRate, BandedRate, TableRate)
_BUILT_IN_LIMITS: Final = (FixedLimits, TakingsMultiple, TableLimits)


@frozen(kw_only=True)
class PriceableProduct:
    """A product of a rulebook with its calculators, ready to quote."""

    terms: ProductTerms
    product_id: str
    limits: LimitsCalculator = field(repr=False)
    factor_rate: FactorRateCalculator = field(repr=False)
    split_percentage: SplitPercentageCalculator = field(repr=False)
    term: TermCalculator = field(repr=False)
    settlement: SettlementCalculator | None = field(default=None, repr=False)
    # The versions of what prices it, for the records of its decisions.
    versions: Versions = field(init=False, eq=False, repr=False)

    @versions.default
    def _versions(self) -> Versions:
        covered = self.terms.rules.versions
        return {name: covered.get(name) for name in versions_of(self.terms.calculators)}


def bind(
    rulebook: Rulebook, registry: Mapping[str, type], identify: Callable[[str, str], str]
) -> tuple[PriceableProduct, ...]:
    """
    Return the products of *rulebook* with their calculators from *registry*.

    *identify* returns a product's id, given the code of its jurisdiction and its key.

    Raises:
        ConfigurationError: naming every calculator that is not registered and every invalid
            setting.
    """
    errors: list[ErrorDetail] = []
    # Settings read no parameters, and without these all dates of change share one converter.
    binder = _Binder(registry, rulebook.catalogue.with_parameters({}), errors)
    ids = {terms.key: identify(rulebook.code, terms.key) for terms in rulebook.products}
    bound = [binder.product(terms, ids[terms.key]) for terms in rulebook.products]
    if errors:
        raise ConfigurationError(errors)
    return tuple(product for product in bound if product is not None)


def registered(calculators: Mapping[str, type]) -> Mapping[str, type]:
    """
    Return the built-in calculators and the host's own *calculators*, by name.

    Raises:
        ConfigurationError: naming every calculator of the host whose name or version is invalid.
    """
    errors = [error for name, kind in calculators.items() for error in _errors_of(name, kind)]
    if errors:
        raise ConfigurationError(errors)
    return {**BUILT_IN, **calculators}


def versions(calculators: Mapping[str, type]) -> Mapping[str, int]:
    """
    Return the versions of the host's own *calculators*, by name.

    Raises:
        ConfigurationError: as `registered`.
    """
    registry = registered(calculators)
    return {name: registry[name].version for name in calculators}  # type: ignore[attr-defined]  # checked above


def _errors_of(name: str, kind: type) -> Iterator[ErrorDetail]:
    """Yield what is wrong with the *name* and the version of a calculator of the host."""
    if name.partition("/")[0] not in CALCULATOR_KINDS or name.count("/") != 1:
        yield ErrorDetail(
            code="wrong_value",
            message=f"`{excerpt(name)}` cannot name a calculator",
            path="$.calculators",
            hint="a name is like `term/seasonal`",
        )
    version = getattr(kind, "version", None)
    if type(version) is not int or version < 1:
        yield ErrorDetail(
            code="missing",
            message=f"the calculator `{excerpt(name)}` does not declare its version",
            path="$.calculators",
            hint="write `version: ClassVar[int] = 1` in its class, and raise the number when the "
            "same settings and facts give another result: the digest of a rulebook covers it",
        )


def priceable_products(
    rulebooks: Iterable[Rulebook],
    calculators: Mapping[str, type],
    identify: Callable[[str, str], str],
) -> Mapping[tuple[str, date], tuple[PriceableProduct, ...]]:
    """
    Return the products of all *rulebooks*, by code and first day, ready to quote.

    Their calculators are the built-in ones and the host's own *calculators*.

    Raises:
        ConfigurationError: as `registered` and `bind`, with the errors of all rulebooks, without
            repetition.
    """
    registry = registered(calculators)
    bound, errors = {}, list[ErrorDetail]()
    for rulebook in rulebooks:
        try:
            bound[rulebook.code, rulebook.since] = bind(rulebook, registry, identify)
        except ConfigurationError as error:
            errors += error.errors
    if errors:
        raise ConfigurationError(dict.fromkeys(errors))
    return FrozenMapping(bound)


@frozen
class _Binder:
    """Makes calculators for one rulebook, and collects the errors in its settings."""

    registry: Mapping[str, type]
    catalogue: Catalogue
    errors: list[ErrorDetail]

    def product(self, terms: ProductTerms, product_id: str) -> PriceableProduct | None:
        choices = [*terms.calculators, *([terms.settlement] if terms.settlement else [])]
        calculators = {choice.kind: self.calculator(choice) for choice in choices}
        if None in calculators.values():
            return None
        product = PriceableProduct(terms=terms, product_id=product_id, **calculators)  # type: ignore[arg-type]  # one per kind
        self._check_offers(product)
        return product

    def _check_offers(self, product: PriceableProduct) -> None:
        """Add errors for settings that are valid each, and together make too large offers."""
        terms, splits, rate = product.terms, product.split_percentage, product.factor_rate
        counts = {"amounts": len(terms.amounts)}
        if isinstance(product.term, ChosenTerm):
            counts["months"] = len(product.term.months)
        elif self._reads_term(rate):
            key = "on" if isinstance(rate, BandedRate) else "table"
            message = f"`{key}` reads the term that is chosen, and `term` is `{terms.term.name}`"
            hint = 'write `term = { calculator = "chosen", months = [6, 12] }`'
            self._error(terms.factor_rate, key, "contradiction", message, hint)
        if isinstance(splits, Chosen):
            counts["choices"] = len(splits.choices)
        if prod(counts.values()) > MOST_OFFERS:
            listed = " and ".join(f"{count} `{name}`" for name, count in counts.items())
            message = f"{listed} make more than {MOST_OFFERS} offers"
            where = terms.split_percentage if "choices" in counts else terms.term
            self._error(where, list(counts)[-1], "too_large", message)
        if isinstance(rate, BUILT_IN_RATES) and isinstance(product.limits, _BUILT_IN_LIMITS):
            largest, most = product.limits.maximum, most_money(self.catalogue.currency)
            if largest.minor * scaled(rate.highest, RATIO_PLACES) > most * 10**RATIO_PLACES:
                message = (
                    f"at the highest factor rate, {plain(rate.highest)}, more than "
                    f"{Money(most, largest.currency)} would be repaid"
                )
                hint = "no deal is larger: lower `maximum`, or the rate"
                self._error(terms.limits, "maximum", "out_of_range", message, hint)

    def _reads_term(self, rate: FactorRateCalculator) -> bool:
        on: tuple[str, ...] = (rate.on,) if isinstance(rate, BandedRate) else ()
        on = rate.table.on if isinstance(rate, TableRate) else on
        return TERM_MONTHS in on and self.catalogue.fact(TERM_MONTHS) is None

    def calculator(self, choice: CalculatorChoice) -> Calculator | None:
        """Return the calculator of *choice* with its settings, or None when they are invalid."""
        name = choice.full_name
        kind = self.registry.get(name)
        if kind is None:
            self._unregistered(choice, name)
            return None
        # Constructing with settings known to be wrong would only add errors that follow from them.
        before = len(self.errors)
        settings = dict(self._settings(choice, kind))
        if len(self.errors) > before:
            return None
        try:
            calculator: Calculator = kind(**settings)
        except (ValueError, TypeError) as error:
            self._error(choice, None, code_of(error), str(error))
            return None
        return calculator

    def _unregistered(self, choice: CalculatorChoice, name: str) -> None:
        kinds_and_names = [registered.partition("/") for registered in self.registry]
        names = [name for kind, _, name in kinds_and_names if kind == choice.kind]
        available = ", ".join(f"`{name}`" for name in names)
        self._error(
            choice,
            "calculator",
            "unknown_name",
            f"no calculator `{name}` is registered; for {choice.kind} there are {available}",
            did_you_mean(choice.name, names),
        )

    def _error(
        self,
        choice: CalculatorChoice,
        key: str | None,
        code: str,
        message: str,
        hint: str | None = None,
    ) -> None:
        self.errors.append(ErrorDetail(code=code, message=message, hint=hint, **choice.place(key)))

    def _settings(self, choice: CalculatorChoice, kind: type) -> Iterator[tuple[str, Any]]:
        """Yield the settings of *choice* as *kind* takes them, and note the invalid ones."""
        fields = {attribute.name: attribute for attribute in attrs.fields(kind)}
        for key in choice.settings:
            if key not in fields:
                expected = ", ".join(f"`{name}`" for name in fields) or "none"
                message = f"`{choice.name}` has no setting `{key}`; it has {expected}"
                self._error(choice, key, "unknown_field", message, did_you_mean(key, fields))
        on = choice.settings.get("on")
        converter = converter_of(self.catalogue, on if isinstance(on, str) else None)
        hints = _types(kind)
        for name, attribute in fields.items():
            if name not in choice.settings:
                if attribute.default is attrs.NOTHING:
                    self._error(
                        choice, None, "missing", f"`{choice.name}` needs a setting `{name}`"
                    )
                continue
            value = choice.settings[name]
            try:
                require_sign(choice.kind, value, hints[name])
                yield name, structured(converter, value, hints[name])
            except (ValueError, TypeError, KeyError) as error:
                hint = write_instead(readings_of(error))
                self._error(choice, name, code_of(error), str(error), hint)


# The types of the fields of a class; reading annotations takes longer than reading the settings.
_types: Final = cache(get_type_hints)

# -- The settings of calculators, as `products.toml` has them, read as the calculators take them.


def structured(converter: Converter, value: Any, hint: Any) -> Any:
    """Return *value* as the type *hint*; an error in an item of a list names its place."""
    if get_origin(hint) is not tuple or not isinstance(value, list | tuple):
        return converter.structure(value, hint)
    items = []
    for place, item in enumerate(value, start=1):
        try:
            items.append(converter.structure(item, get_args(hint)[0]))
        except (ValueError, TypeError, KeyError) as error:
            message = f"in place {place}: {error}"
            raise InvalidValue(code_of(error), message, readings_of(error)) from None
    return tuple(items)


_PERCENT, _COUNT = Type(Kind.PERCENT), Type(Kind.COUNT)


def require_sign(kind: str, value: Any, hint: Any = Percent) -> None:
    """Refuse a percentage without its sign in a calculator of settlements."""
    # The calculators of other kinds take one, and files have it.
    signed = kind == SETTLEMENT and hint is Percent
    if signed and isinstance(value, str) and _PERCENT.lacks_unit(value):
        message = "expected a percentage with its sign"
        raise InvalidValue("wrong_value", message, _PERCENT.readings(value))


_T = TypeVar("_T")


def _exactly(kind: type[_T], expected: str) -> Callable[[Any, Any], _T]:
    def read(value: Any, _: Any) -> _T:
        if type(value) is not kind:
            meanings = _COUNT.readings(value) if kind is int and isinstance(value, str) else ()
            raise InvalidValue("wrong_value", f"expected {expected}", meanings)
        return value

    return read


# A converter takes a millisecond to make, and the calculators of a rulebook share a few.
@lru_cache(maxsize=128)
def converter_of(catalogue: Catalogue, on: str | None) -> Converter:
    """
    Return the reader of a calculator's settings: exact, in the jurisdiction's currency.

    Bands of rates are bands of the fact *on*. Nothing is coerced.
    """
    money = Type(Kind.MONEY, catalogue.currency)
    most = Money(most_money(catalogue.currency), catalogue.currency)
    converter = Converter(detailed_validation=False, forbid_extra_keys=True)

    def number(kind: Kind, expected: str) -> Callable[[Any, Any], Decimal]:
        type_ = Type(kind)

        def read(value: Any, _: Any) -> Decimal:
            if not isinstance(value, str):
                message, meanings = f"expected {expected} in quotes", type_.readings(str(value))
                raise InvalidValue("wrong_value", message, meanings)
            return trimmed(_known(type_.read(value), expected), type_.places)

        return read

    def read_money(value: Any, _: Any) -> Money:
        if not isinstance(value, str) or " " not in value:
            message = f'expected an amount in quotes such as `"{catalogue.currency} 1000"`'
            raise InvalidValue("wrong_value", message, money.readings(str(value)))
        amount = Money(_known(money.read(value), "money"), catalogue.currency)
        if abs(amount.minor) > most.minor:
            message = f"expected at most {most}, the largest amount of a deal"
            raise InvalidValue("out_of_range", message)
        return amount

    def read_band(value: Any, _: Any) -> Band:
        return _band(value, catalogue, on, converter)

    converter.register_structure_hook(Percent, number(Kind.PERCENT, "a percentage such as `12.5%`"))
    converter.register_structure_hook(Ratio, number(Kind.RATIO, "a ratio such as `1.18`"))
    converter.register_structure_hook(Money, read_money)

    def read_settlement_band(value: Any, _: Any) -> SettlementBand:
        return _settlement_band(value, converter)

    def read_table(value: Any, _: Any) -> PriceTable:
        return read_price_table(value, catalogue)

    converter.register_structure_hook(Band, read_band)
    converter.register_structure_hook(PriceTable, read_table)
    converter.register_structure_hook(SettlementBand, read_settlement_band)
    converter.register_structure_hook(int, _exactly(int, "a whole number"))
    converter.register_structure_hook(str, _exactly(str, "text"))
    return converter


def _known(number: int | None, expected: str) -> int:
    if number is None:
        raise ValueError(f"expected {expected}")
    return number


def _band(value: Any, catalogue: Catalogue, on: object, converter: Converter) -> Band:
    names = [*(fact.name for fact in catalogue.facts), TERM_MONTHS]
    if not isinstance(on, str) or on not in names:
        hint = did_you_mean(on, names) if isinstance(on, str) else None
        raise ValueError(f"`on` must name a fact{f'; {hint}' if hint else ''}")
    if not isinstance(value, Mapping) or not {"rate"} <= set(value) <= {"rate", "up_to"}:
        raise ValueError('expected bands such as `{ up_to = "90%", rate = "1.20" }`')
    up_to = value.get("up_to")
    fact = catalogue.fact(on)
    type_ = Type(Kind.COUNT) if fact is None else fact.type
    bound = None if up_to is None else _known(type_.read(up_to), f"a value of `{on}`")
    return Band(bound, converter.structure(value["rate"], Ratio))


def _settlement_band(value: Any, converter: Converter) -> SettlementBand:
    keys = set(value) if isinstance(value, Mapping) else set()
    if not {"percentage"} <= keys <= {"percentage", "up_to"}:
        raise ValueError('expected bands such as `{ up_to = "25%", percentage = "60%" }`')
    for part in value.values():
        require_sign(SETTLEMENT, part)
    figures = {key: converter.structure(part, Percent) for key, part in value.items()}
    return SettlementBand(figures.get("up_to"), figures["percentage"])
