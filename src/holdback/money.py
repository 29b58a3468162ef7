"""Money and exact numbers: integers inside, `Decimal` at the edge, rounding by name.

1. No float comes in: every constructor refuses it.
2. No ambient decimal context is used: numbers are taken apart and put together as integers, so a host
   that sets another precision, rounding or trap changes nothing here.
3. Nothing is rounded without a name: `divide` is the one place where a remainder is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, FloatOperation, Inexact, InvalidOperation, Overflow
from types import MappingProxyType
from typing import Final

from attrs import field, frozen

# The scales of the rule language (design 4): a percentage has 4 decimals, a ratio 6.
PERCENT_PLACES: Final = 4
RATIO_PLACES: Final = 6

# Design 7: numbers are exact to 28 digits; a longer one is refused, never shortened.
MAX_DIGITS: Final = 28
_PLAIN: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
# Money of ordinary size, as `str` gives it: read without a detour over `Decimal`.
_WRITTEN: Final = re.compile(r"([A-Z]{3}) (-?(?:0|[1-9][0-9]{0,15}))(?:\.([0-9]{1,4}))?")

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


def read_decimal(text: str) -> Decimal:
    """
    The exact number written in *text*: digits, at most one point, no exponent, at most 28 digits.

    >>> read_decimal("10000.00")
    Decimal('10000.00')

    Raises:
        ValueError: when *text* is anything else.
    """
    if _PLAIN.fullmatch(text) is None:
        raise ValueError("expected a plain decimal number such as `12.50`")
    if len(text.replace(".", "").lstrip("-0")) > MAX_DIGITS:
        raise ValueError(f"a number has at most {MAX_DIGITS} digits")
    return Decimal(text)


# No digit is ever lost in this context: what would not fit is trapped. Its precision, bounds and traps
# are ours, whatever the host's are, and its methods are called by name.
_EXACT: Final = Context(
    prec=4 * MAX_DIGITS,
    Emax=2 * MAX_DIGITS,
    Emin=-2 * MAX_DIGITS,
    traps=[Inexact, InvalidOperation, Overflow, FloatOperation],
)
_shift: Final = _EXACT.scaleb


def _shifted(value: Decimal | int, places: int) -> tuple[int, Decimal | int]:
    """*value* times 10**places, in whole and exactly. Refuses floats, flags, NaN, and the immense."""
    if type(value) is int:
        return value * int(10**places), value * int(10**places)
    if not isinstance(value, Decimal):
        raise TypeError(f"expected an exact number, not {type(value).__name__}")
    try:
        shifted = _shift(value, places)
        return int(shifted), shifted
    except (ArithmeticError, ValueError):
        raise ValueError(f"expected a finite number of at most {MAX_DIGITS} digits") from None


def scaled(value: Decimal | int, places: int) -> int:
    """
    *value* as an integer of 10**-*places*, exactly.

    >>> scaled(Decimal("12.5"), 4)
    125000

    Raises:
        ValueError: when *value* has more than *places* decimals that are not zero.
    """
    whole, shifted = _shifted(value, places)
    if whole != shifted:
        raise ValueError(f"at most {places} decimals")
    return whole


def scaled_down(value: Decimal | int, places: int) -> int:
    """
    *value* as an integer of 10**-*places*, rounded down (towards minus infinity).

    >>> scaled_down(Decimal("64.12349"), 4)
    641234
    """
    whole, shifted = _shifted(value, places)
    return whole - (whole > shifted)


def unscaled(number: int, places: int) -> Decimal:
    """
    The `Decimal` of *number* times 10**-*places*, with exactly *places* decimals.

    >>> unscaled(1000000, 2)
    Decimal('10000.00')
    """
    return _shift(Decimal(number), -places)


def plain(value: Decimal | int) -> str:
    """
    *value* in plain digits, its decimals kept and no exponent.

    >>> plain(Decimal("0.10")), plain(Decimal("1E+2")), plain(Decimal("0.0000001"))
    ('0.10', '100', '0.0000001')
    """
    if type(value) is int:  # formatted as below it would pass through a float
        return str(value)
    if not isinstance(value, Decimal) or not value.is_finite() or value.adjusted() > MAX_DIGITS:
        raise ValueError("expected an exact, finite number of ordinary size")
    return format(value, "f")


def digits(number: int, places: int) -> str:
    """
    *number* times 10**-*places* in plain digits.

    >>> digits(-5, 2), digits(1200, 0)
    ('-0.05', '1200')
    """
    if not places:
        return str(number)
    text = str(abs(number)).zfill(places + 1)
    return f"{'-' if number < 0 else ''}{text[:-places]}.{text[-places:]}"


def short(number: int, places: int) -> str:
    """
    *number* times 10**-*places* in plain digits, without trailing zeros.

    >>> short(125000, 4), short(500000, 4), short(100, 0)
    ('12.5', '50', '100')
    """
    text = digits(number, places)
    return text.rstrip("0").rstrip(".") if places else text


def less(value: Decimal, other: Decimal) -> Decimal:
    """
    *value* less *other*, exactly.

    >>> less(Decimal("1.25"), Decimal("0.01"))
    Decimal('1.24')
    """
    return _EXACT.subtract(value, other)


def trimmed(number: int, places: int) -> Decimal:
    """
    The `Decimal` of *number* times 10**-*places*, without trailing zeros.

    >>> trimmed(125000, 4), trimmed(500000, 4)
    (Decimal('12.5'), Decimal('50'))
    """
    while places and number % 10 == 0:
        number //= 10
        places -= 1
    return unscaled(number, places)


def _half(number: int, divisor: int, *, ties_away: bool) -> int:
    quotient, remainder = divmod(abs(number), divisor)
    doubled = 2 * remainder
    if doubled > divisor or (doubled == divisor and (ties_away or quotient % 2)):
        quotient += 1
    return quotient if number >= 0 else -quotient


# Python's names (decimal.ROUND_HALF_EVEN ...): `down` is towards zero, `up` away from it.
ROUNDINGS: Final[Mapping[str, Callable[[int, int], int]]] = MappingProxyType(
    {
        "half_even": lambda number, divisor: _half(number, divisor, ties_away=False),
        "half_up": lambda number, divisor: _half(number, divisor, ties_away=True),
        "down": lambda number, divisor: number // divisor if number >= 0 else -(-number // divisor),
        "up": lambda number, divisor: -(-number // divisor) if number >= 0 else number // divisor,
    }
)


def divide(number: int, divisor: int, rounding: str) -> int:
    """
    *number* / *divisor* rounded to a whole number by the named *rounding*.

    >>> [divide(25, 10, name) for name in ("half_even", "half_up", "down", "up")]
    [2, 3, 2, 3]
    """
    assert divisor > 0
    return ROUNDINGS[rounding](number, divisor)


@frozen
class Currency:
    """A currency: its ISO 4217 code and the number of decimals of its minor unit."""

    code: str
    places: int

    @classmethod
    def of(cls, code: str) -> Currency:
        """
        The currency with the ISO 4217 *code*.

        >>> Currency.of("JPY").places
        0

        Raises:
            ValueError: when there is no such currency.
        """
        try:
            return _CURRENCIES[code]
        except (KeyError, TypeError):
            raise ValueError("expected an ISO 4217 currency code such as `GBP`") from None

    def __str__(self) -> str:
        return self.code


_CURRENCIES: Final[Mapping[str, Currency]] = MappingProxyType(
    {code: Currency(code, places) for code, places in MINOR_UNITS.items()}
)


def _whole(_: object, __: object, value: int) -> None:
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

    minor: int = field(validator=_whole)
    currency: Currency

    @classmethod
    def of(cls, amount: Decimal | int, currency: Currency | str) -> Money:
        """
        *amount* major units of *currency*, exactly.

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
            raise ValueError(f"{currency} amounts: {error}") from None

    @classmethod
    def parse(cls, text: str) -> Money:
        """The money written as `GBP 10000.00`: code, one space, amount."""
        written = _WRITTEN.fullmatch(text)
        if written is not None:
            code, whole, decimals = written.groups("")
            currency = _CURRENCIES.get(code)
            if currency is not None and len(decimals) == currency.places:
                return cls(int(whole + decimals), currency)
        code, space, amount = text.partition(" ")
        if not space:
            raise ValueError("expected money such as `GBP 10000.00`")
        return cls.of(read_decimal(amount), code)

    @property
    def amount(self) -> Decimal:
        """The amount in major units, with the decimals of the minor unit."""
        return unscaled(self.minor, self.currency.places)

    def _same(self, other: Money) -> int:
        if self.currency is not other.currency and self.currency != other.currency:
            raise ValueError(f"{self.currency} and {other.currency} do not mix")
        return other.minor

    def __add__(self, other: Money) -> Money:
        return Money(self.minor + self._same(other), self.currency)

    def __sub__(self, other: Money) -> Money:
        return Money(self.minor - self._same(other), self.currency)

    def __lt__(self, other: Money) -> bool:
        return self.minor < self._same(other)

    def __le__(self, other: Money) -> bool:
        return self.minor <= self._same(other)

    def __gt__(self, other: Money) -> bool:
        return self.minor > self._same(other)

    def __ge__(self, other: Money) -> bool:
        return self.minor >= self._same(other)

    def __str__(self) -> str:
        return f"{self.currency.code} {digits(self.minor, self.currency.places)}"

    def __repr__(self) -> str:
        return f"Money.parse({str(self)!r})"
