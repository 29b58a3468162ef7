"""How figures are written for the people of a jurisdiction: `GBP 1234.50` as `£1,234.50`.

Only the sentences for merchants are written so. Documents, records and rules keep one exact form.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import ClassVar, Final

from attrs import frozen

from holdback.rules.types import Kind, Type

_GROUP: Final = 3


@frozen(kw_only=True)
class Figures:
    """
    How the figures in sentences are written.

    `decimal` and `group` are the signs before the decimals and between thousands; `money`, `percent` and
    `date` hold the places of their parts in braces.

    >>> german = Figures(decimal=",", group=".", money="{amount} €", percent="{number} %",
    ...                  date="{day}.{month}.{year}")
    >>> german.percent_text("79.9999")
    '79,9999 %'
    """

    # The templates, each with the names that it has in braces.
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
        *number* of *type_*, in whole numbers of its scale, for people.

        >>> from holdback.money import Currency
        >>> british = Figures(decimal=".", group=",", money="£{amount}", percent="{number}%",
        ...                   date="{day}/{month}/{year}")
        >>> british.show(Type(Kind.MONEY, Currency.of("GBP")), -123450)
        '-£1,234.50'
        """
        match type_.kind:
            case Kind.MONEY:
                amount = self.money.replace("{amount}", self._digits(str(type_.plain(abs(number)))))
                return f"-{amount}" if number < 0 else amount
            case Kind.PERCENT:
                return self.percent_text(str(type_.plain(number)).removesuffix("%"))
            case Kind.RATIO | Kind.COUNT:
                return self._digits(str(type_.plain(number)))
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
        """A percentage whose *digits* have a point."""
        return self.percent.replace("{number}", self._digits(digits))

    def _digits(self, plain: str) -> str:
        """A number in plain digits with a point, with the signs of this jurisdiction."""
        sign = "-" if plain.startswith("-") else ""
        whole, point, decimals = plain.removeprefix("-").partition(".")
        first = len(whole) % _GROUP or _GROUP
        groups = [whole[:first]]
        groups += [whole[at : at + _GROUP] for at in range(first, len(whole), _GROUP)]
        return f"{sign}{self.group.join(groups)}{self.decimal if point else ''}{decimals}"
