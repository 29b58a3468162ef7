"""Money: whole minor units of a currency.

Amounts of one currency add and compare; amounts of two do not mix. Exact numbers in general are in
`exact_numbers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from attrs import field

from holdback.errors import InvalidValue, code_of
from holdback.exact.exact_numbers import MAX_DIGITS, digits, read_decimal, scaled, unscaled
from holdback.exact.written_numbers import readings, several
from holdback.frozen_classes import frozen

__all__ = ["Currency", "Money"]

# ISO 4217, the codes in use or lately retired, by the decimals of their minor unit. The tests hold
# this against the `iso4217` package; a retired code stays, because old deals stay readable.
_NO_MINOR = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_TWO_PLACES = (
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD "
    "CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL "
    "GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP "
    "LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR "
    "NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN "
    "SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER "
    "ZAR ZMW ZWG"
)
_THREE_PLACES = "BHD IQD JOD KWD LYD OMR TND"
_FOUR_PLACES = "CLF UYW"
MINOR_UNITS: Final[Mapping[str, int]] = MappingProxyType(
    {
        code: places
        for places, codes in (
            (0, _NO_MINOR),
            (2, _TWO_PLACES),
            (3, _THREE_PLACES),
            (4, _FOUR_PLACES),
        )
        for code in codes.split()
    }
)


@frozen
class Currency:
    """A currency: its ISO 4217 code and the number of decimals of its minor unit."""

    code: str
    places: int

    @classmethod
    def of(cls, code: str) -> Currency:
        """
        Return the currency with the ISO 4217 *code*.

        >>> Currency.of("JPY").places
        0

        Raises:
            ValueError: when no currency has that code.
        """
        try:
            return _CURRENCIES[code]
        except (KeyError, TypeError):
            raise InvalidValue(
                "wrong_value", "expected an ISO 4217 currency code such as `GBP`"
            ) from None

    def __str__(self) -> str:
        return self.code


_CURRENCIES: Final[Mapping[str, Currency]] = MappingProxyType(
    {code: Currency(code, places) for code, places in MINOR_UNITS.items()}
)


_DIGITS: Final = frozenset("0123456789")


def _is_plain(units: str, minor: str) -> bool:
    """Return whether *minor* is digits alone, of an amount of *units* without leading zeros."""
    return (
        (units[:1] > "0" or units == "0") and len(minor) <= MAX_DIGITS and _DIGITS.issuperset(minor)
    )


def _whole_number(_: object, __: object, value: int) -> None:
    if type(value) is not int:
        raise TypeError(f"expected a whole number of minor units, not {type(value).__name__}")


@frozen
class Money:
    """
    An amount of money: a whole number of minor units of a currency.

    >>> price = Money.parse("GBP 10000.00")
    >>> price.minor, price.amount, str(price)
    (1000000, Decimal('10000.00'), 'GBP 10000.00')
    """

    minor: int = field(validator=_whole_number)
    currency: Currency

    @classmethod
    def of(cls, amount: Decimal | int, currency: Currency | str) -> Money:
        """
        Return *amount* major units of *currency*, exactly.

        >>> Money.of(Decimal("12.5"), "GBP")
        Money.parse('GBP 12.50')

        Raises:
            ValueError: when *amount* has more decimals than the currency's minor unit.
        """
        if isinstance(currency, str):
            currency = Currency.of(currency)
        try:
            return cls(scaled(amount, currency.places), currency)
        except ValueError as error:
            raise InvalidValue(code_of(error), f"{currency} amounts: {error}") from None

    @classmethod
    def parse(cls, text: str) -> Money:
        """Return the money written as `GBP 10000.00`: code, one space, amount."""
        code, space, amount = text.partition(" ")
        if not space:
            raise InvalidValue("wrong_value", "expected money such as `GBP 10000.00`")
        # Most amounts are as `str` writes them, and a state has hundreds: these need no `Decimal`.
        currency = _CURRENCIES.get(code)
        units, point, decimals = amount.partition(".")
        if currency is not None and bool(point) == (currency.places > 0) == bool(decimals):
            minor = units + decimals
            if len(decimals) == currency.places and _is_plain(units, minor):
                return cls(int(minor), currency)
        number = read_decimal(amount)
        if currency is not None and len(meanings := readings(amount, currency.places)) > 1:
            raise several(tuple(f'"{code} {digits}"' for digits in meanings))
        return cls.of(number, code)

    @property
    def amount(self) -> Decimal:
        """The amount in major units, with the decimals of the minor unit."""
        return unscaled(self.minor, self.currency.places)

    def _minor_of(self, amount: Money) -> int:
        """Return the minor units of *amount*, which must be of the same currency."""
        if self.currency is not amount.currency and self.currency != amount.currency:
            raise ValueError(f"{self.currency} and {amount.currency} do not mix")
        return amount.minor

    def __add__(self, amount: Money) -> Money:
        return Money(self.minor + self._minor_of(amount), self.currency)

    def __sub__(self, amount: Money) -> Money:
        return Money(self.minor - self._minor_of(amount), self.currency)

    def __lt__(self, amount: Money) -> bool:
        return self.minor < self._minor_of(amount)

    def __le__(self, amount: Money) -> bool:
        return self.minor <= self._minor_of(amount)

    def __gt__(self, amount: Money) -> bool:
        return self.minor > self._minor_of(amount)

    def __ge__(self, amount: Money) -> bool:
        return self.minor >= self._minor_of(amount)

    def __str__(self) -> str:
        return f"{self.currency.code} {digits(self.minor, self.currency.places)}"

    def __repr__(self) -> str:
        return f"Money.parse({str(self)!r})"
