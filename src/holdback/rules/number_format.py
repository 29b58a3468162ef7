"""Number formats of jurisdictions: `GBP 1234.50` as `£1,234.50`.

Only sentences for merchants use them. Documents, records and rules keep one exact form, so that
programs can read them everywhere (decisions/policy-documents).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import ClassVar, Final

from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.rules.types import Kind, Type

_GROUP: Final = 3


@frozen(kw_only=True)
class NumberFormat:
    """
    The format of the figures in a jurisdiction's sentences.

    `decimal` and `group` are the signs before the decimals and between thousands. `money`,
    `percent` and `date` are templates with their parts in braces.

    >>> german = NumberFormat(
    ...     decimal=",", group=".", money="{amount} €", percent="{number} %",
    ...     date="{day}.{month}.{year}",
    ... )
    >>> german.percent_text("79.9999")
    '79,9999 %'
    """

    # The templates and the names that each must have in braces.
    TEMPLATES: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType(
        {"money": ("amount",), "percent": ("number",), "date": ("day", "month", "year")}
    )
    KEYS: ClassVar = ("decimal", "group", *TEMPLATES)

    decimal: str
    group: str
    money: str
    percent: str
    date: str

    def show(self, type_: Type, number: int) -> str:
        """
        Return *number* of *type_*, scaled, as this jurisdiction writes it.

        >>> from holdback.exact.money import Currency
        >>> british = NumberFormat(
        ...     decimal=".", group=",", money="£{amount}", percent="{number}%",
        ...     date="{day}/{month}/{year}",
        ... )
        >>> british.show(Type(Kind.MONEY, Currency.of("GBP")), -123450)
        '-£1,234.50'
        """
        match type_.kind:
            case Kind.MONEY:
                amount = self._localised(str(type_.plain(abs(number))))
                amount = self.money.replace("{amount}", amount)
                return f"-{amount}" if number < 0 else amount
            case Kind.PERCENT:
                return self.percent_text(str(type_.plain(number)).removesuffix("%"))
            case Kind.RATIO | Kind.COUNT:
                return self._localised(str(type_.plain(number)))
            case Kind.DATE:
                day = date.fromordinal(number)
                parts = {"day": f"{day.day:02}", "month": f"{day.month:02}", "year": f"{day.year}"}
                text = self.date
                for name, part in parts.items():
                    text = text.replace(f"{{{name}}}", part)
                return text
            case _:
                return type_.show(number)

    def percent_text(self, digits: str) -> str:
        """Return a percentage, given its plain *digits*."""
        return self.percent.replace("{number}", self._localised(digits))

    def _localised(self, plain: str) -> str:
        """Return the number in *plain* digits with this jurisdiction's signs."""
        sign = "-" if plain.startswith("-") else ""
        whole, point, decimals = plain.removeprefix("-").partition(".")
        first = len(whole) % _GROUP or _GROUP
        groups = [whole[:first]]
        groups += [whole[at : at + _GROUP] for at in range(first, len(whole), _GROUP)]
        return f"{sign}{self.group.join(groups)}{self.decimal if point else ''}{decimals}"


def plain_format(currency: Currency) -> NumberFormat:
    """Return the format of the figures of a jurisdiction that states none: `GBP 1234.50`."""
    return NumberFormat(
        decimal=".",
        group="",
        money=f"{currency} {{amount}}",
        percent="{number}%",
        date="{year}-{month}-{day}",
    )
