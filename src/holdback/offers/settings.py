"""The settings of calculators, as `products.toml` has them, read as the calculators take them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeVar, get_args, get_origin

from cattrs import Converter

from holdback.errors import InvalidValue, code_of, did_you_mean
from holdback.exact.bounds import most_money
from holdback.exact.exact_numbers import trimmed
from holdback.exact.money import Money
from holdback.offers.calculator import Percent, Ratio
from holdback.offers.factor_rate import Band
from holdback.offers.settlement_calculators import SettlementBand
from holdback.rulebooks.calculator_choice import SETTLEMENT
from holdback.rules.types import Catalogue, Kind, Type


def structured(converter: Converter, value: Any, hint: Any) -> Any:
    """Return *value* as the type *hint*; an error in an item of a list names its place."""
    if get_origin(hint) is not tuple or not isinstance(value, list | tuple):
        return converter.structure(value, hint)
    items = []
    for place, item in enumerate(value, start=1):
        try:
            items.append(converter.structure(item, get_args(hint)[0]))
        except (ValueError, TypeError, KeyError) as error:
            raise InvalidValue(code_of(error), f"in place {place}: {error}") from None
    return tuple(items)


def require_sign(kind: str, value: Any, hint: Any = Percent) -> None:
    """Refuse a percentage without its sign in a calculator of settlements."""
    # The calculators of other kinds take one, and files have it.
    signed = kind == SETTLEMENT and hint is Percent
    if signed and isinstance(value, str) and value.replace(".", "", 1).isdecimal():
        raise ValueError(f'expected a percentage with its sign: write `"{value}%"`')


_T = TypeVar("_T")


def _exactly(kind: type[_T], expected: str) -> Callable[[Any, Any], _T]:
    def read(value: Any, _: Any) -> _T:
        if type(value) is not kind:
            raise ValueError(f"expected {expected}")
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
                raise ValueError(f"expected {expected} in quotes")  # noqa: TRY004 - a wrong setting
            return trimmed(_known(type_.read(value), expected), type_.places)

        return read

    def read_money(value: Any, _: Any) -> Money:
        if not isinstance(value, str) or " " not in value:
            raise ValueError(f'expected an amount in quotes such as `"{catalogue.currency} 1000"`')
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

    converter.register_structure_hook(Band, read_band)
    converter.register_structure_hook(SettlementBand, read_settlement_band)
    converter.register_structure_hook(int, _exactly(int, "a whole number"))
    converter.register_structure_hook(str, _exactly(str, "text"))
    return converter


def _known(number: int | None, expected: str) -> int:
    if number is None:
        raise ValueError(f"expected {expected}")
    return number


def _band(value: Any, catalogue: Catalogue, on: object, converter: Converter) -> Band:
    names = [fact.name for fact in catalogue.facts]
    if not isinstance(on, str) or on not in names:
        hint = did_you_mean(on, names) if isinstance(on, str) else None
        raise ValueError(f"`on` must name a fact{f'; {hint}' if hint else ''}")
    if not isinstance(value, Mapping) or not {"rate"} <= set(value) <= {"rate", "up_to"}:
        raise ValueError('expected bands such as `{ up_to = "90%", rate = "1.20" }`')
    up_to = value.get("up_to")
    type_ = catalogue.facts[catalogue.place(on)].type
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
