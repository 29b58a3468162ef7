"""Values as people write them, by kind: every value that a text may be, as a file writes it.

It is for errors alone: a text in the form of the language is read without it, unless it has another
reading (decisions/rule-language#numbers-as-people-write-them). A reading is a text that is read: it
has its unit, a point before its decimals and nothing between thousands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from holdback.exact.exact_numbers import PERCENT_PLACES, RATIO_PLACES, plain_digits
from holdback.exact.money import MINOR_UNITS, Currency
from holdback.exact.written_numbers import RATE, readings

# A number without a sign in it, and the words or the sign on either side.
_PARTS: Final = re.compile(
    r"(?P<before>[^0-9+\-\u2212]*?)\s*(?P<number>[+\-\u2212]?\s?(?:(?<!\w)[.,])?[0-9](?:[0-9.,'_\s\u2019]*[0-9.,])?)"
    r"(?P<dash>[.,]?\s?[-\u2013\u2014]{1,2})?\s*(?P<after>[^0-9]*)"
)
_PERCENT_SIGNS: Final = frozenset(
    ("%", "percent", "per cent", "pct", "prosent", "prozent", "procent", "pour cent")
)
# What a sign of a currency may mean, in small letters and without a point at its end.
_SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "\u00a3": "GBP FKP GIP SHP SSP EGP LBP",
        "\u20ac": "EUR",
        "$": "USD AUD CAD NZD SGD HKD BMD BSD BBD BZD FJD GYD JMD KYD LRD NAD SBD SRD TTD TWD "
        "XCD ARS CLP COP CUP DOP MXN UYU",
        "\u00a5": "JPY CNY",
        "kr": "NOK SEK DKK ISK",
        "fr": "CHF",
        "sfr": "CHF",
        "\u20b9": "INR",
        "rs": "INR PKR LKR NPR MUR SCR",
        "r": "ZAR",
        "z\u0142": "PLN",
    }
)
_SHARED_SIGNS: Final = ("$", "\u00a5", "kr", "rs")
# Days in a unit of time.
UNITS: Final[Mapping[str, int]] = MappingProxyType(
    {
        word: days
        for days, words in (
            (1, "day days dag dager dage dagar tag tage tagen jour jours"),
            (7, "week weeks uke uker uge uger woche wochen semaine semaines"),
            (30, "month months m\u00e5ned m\u00e5neder monat monate monaten mois"),
            (365, "year years \u00e5r jahr jahre jahren an ans"),
        )
        for word in words.split()
    }
)
_FLAGS: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(("true", "yes", "ja", "oui", "wahr", "vrai"), "true")
    | dict.fromkeys(("false", "no", "nei", "nein", "non", "falsch", "faux"), "false")
)
# A day. With points it is day first; with other signs it may be month first.
_DAY: Final = re.compile(r"([0-9]{1,4})\s?([./-])\s?([0-9]{1,2})\s?\2\s?([0-9]{1,4})")
_YEAR_DIGITS: Final = 4
# Below this, a percentage without its sign may be a fraction: 0.75 may be 0.75% or 75%. With its
# sign it is read, and questioned where it is a share of a deal.
FRACTIONS_BELOW: Final = Decimal("1.5")


def readings_of(
    text: str, kind: str, currency: Currency | None = None, *, down: bool = False
) -> tuple[str, ...]:
    """
    Return the values of *kind*, a word of `Kind`, that *text* may be.

    *currency* is that of money. *down* says that further decimals of a percentage are rounded down.

    >>> readings_of("1.000", "count"), readings_of("perhaps", "flag")
    (('1', '1000'), ())
    """
    if kind == "money":
        assert currency is not None
        return money_readings(text, currency)
    if kind == "percent":
        return percent_readings(text, None if down else PERCENT_PLACES)
    return _READERS[kind](text)


def readings_by_unit(text: str) -> tuple[str, ...]:
    """
    Return what *text* may be as the kind that its unit says, or as a day, or as a number alone.

    A sign that several countries have for their currencies says no currency.

    >>> readings_by_unit("25,000 NOK"), readings_by_unit("72,5 %"), readings_by_unit("1 234,5")
    (('NOK 25000.00', 'NOK 25.00'), ('72.5%',), ('1234.5',))
    >>> readings_by_unit("1.3.2026"), readings_by_unit("$5"), readings_by_unit("5 apples")
    (('2026-03-01',), (), ())
    """
    day = day_readings(text)
    parts = _PARTS.fullmatch(text)
    if day or parts is None:
        return day
    before, after = parts["before"].strip(), parts["after"].strip()
    for code in filter(None, map(currency_of, (before, after))):
        return money_readings(text, Currency.of(code))
    if before or parts["dash"]:
        return ()
    if not after:
        return readings(parts["number"], None)
    return percent_readings(text) or days_readings(text)


def percent_readings(text: str, places: int | None = PERCENT_PLACES) -> tuple[str, ...]:
    """
    Return the percentages that *text* may be.

    Without its sign, a number with decimals below 1.5 may be a fraction.

    >>> percent_readings("62,5 %"), percent_readings("0.75"), percent_readings("0.75%")
    (('62.5%',), ('0.75%', '75%'), ('0.75%',))
    """
    parts = _PARTS.fullmatch(text)
    if parts is None or parts["before"] or parts["dash"]:
        return ()
    unit = parts["after"].strip().lower()
    if unit and unit not in _PERCENT_SIGNS:
        return ()
    meanings = [Decimal(number) for number in readings(parts["number"], places, RATE)]
    if not unit:
        meanings += [100 * number for number in meanings if is_fraction(number)]
    return tuple(f"{plain_digits(number)}%" for number in meanings)


def is_fraction(number: Decimal) -> bool:
    """
    Return whether *number*, a percentage without its sign, may be a fraction of one.

    >>> is_fraction(Decimal("0.75")), is_fraction(Decimal(1)), is_fraction(Decimal("64.5"))
    (True, False, False)
    """
    return 0 < number < FRACTIONS_BELOW and number.as_tuple().exponent != 0


def money_readings(text: str, currency: Currency) -> tuple[str, ...]:
    """
    Return the amounts of *currency* that *text* may be.

    A sign or a code of another currency leaves none, and so does a number with more decimals.

    >>> nok = Currency.of("NOK")
    >>> money_readings("NOK 500.000", nok), money_readings("kr 1 234,50", nok)
    (('NOK 500.00', 'NOK 500000.00'), ('NOK 1234.50',))
    >>> money_readings("$5", nok), money_readings("0.625", nok)
    ((), ())
    """
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return ()
    units = [parts[name].strip() for name in ("before", "after") if parts[name].strip()]
    if any(currency.code not in currencies_of(unit) for unit in units):
        return ()
    numbers = readings(parts["number"], currency.places)
    return tuple(f"{currency} {_written_out(number, currency.places)}" for number in numbers)


def currencies_of(sign: str) -> tuple[str, ...]:
    """
    Return the codes of the currencies that *sign*, a code or a sign of one, may mean.

    >>> currencies_of("nok"), currencies_of("Fr."), currencies_of("%")
    (('NOK',), ('CHF',), ())
    """
    if sign.upper() in MINOR_UNITS:
        return (sign.upper(),)
    return tuple(_SIGNS.get(sign.lower().rstrip("."), "").split())


def currency_of(sign: str) -> str | None:
    """
    Return the code of the currency that *sign* means; None where several countries share it.

    >>> currency_of("\u00a3"), currency_of("eur"), currency_of("$")
    ('GBP', 'EUR', None)
    """
    codes = currencies_of(sign)
    is_shared = sign.lower().rstrip(".") in _SHARED_SIGNS
    return codes[0] if codes and not is_shared else None


def _written_out(number: str, places: int) -> str:
    whole, _, decimals = number.partition(".")
    return f"{whole}.{decimals.ljust(places, '0')}" if places else whole


def ratio_readings(text: str) -> tuple[str, ...]:
    """
    Return the ratios that *text* may be.

    >>> ratio_readings("1,18"), ratio_readings("1.250")
    (('1.18',), ('1.250',))
    """
    return readings(text, RATIO_PLACES, RATE)


def days_readings(text: str) -> tuple[str, ...]:
    """
    Return the numbers of days that *text* may be, a month of 30 and a year of 365.

    >>> days_readings("2 weeks"), days_readings("14 Tage"), days_readings("1.000 days")
    (('14 days',), ('14 days',), ('1 day', '1000 days'))
    """
    return tuple(
        f"{days} day{'s' * (days not in (1, -1))}"
        for number, unit in _whole_numbers(text)
        for days in [int(number) * UNITS[unit or "day"]]
    )


def count_readings(text: str) -> tuple[str, ...]:
    """
    Return the whole numbers that *text*, with or without a unit of time, may be.

    >>> count_readings("9 months"), count_readings("1 000"), count_readings("1.5")
    (('9',), ('1000',), ())
    """
    return tuple(number for number, _ in _whole_numbers(text))


def _whole_numbers(text: str) -> list[tuple[str, str]]:
    """Return the whole numbers that *text* may be, with its unit of time, `""` for none."""
    parts = _PARTS.fullmatch(text)
    if parts is None or parts["before"] or parts["dash"]:
        return []
    unit = parts["after"].strip().lower()
    if unit and unit not in UNITS:
        return []
    return [(number.partition(".")[0], unit) for number in readings(parts["number"], 0)]


def day_readings(text: str) -> tuple[str, ...]:
    """
    Return the days that *text* may be: year first, day first or, without points, month first.

    >>> day_readings("01.03.2026"), day_readings("2026-3-1"), day_readings("01/03/2026")
    (('2026-03-01',), ('2026-03-01',), ('2026-03-01', '2026-01-03'))
    """
    match = _DAY.fullmatch(text.strip())
    if match is None:
        return ()
    first, sign, second, third = match.groups()
    orders = [(first, second, third)]
    if len(first) != _YEAR_DIGITS:
        orders = [(third, second, first), (third, first, second)][: 1 if sign == "." else 2]
    days = [
        f"{year}-{month:0>2}-{day:0>2}"
        for year, month, day in orders
        if len(year) == _YEAR_DIGITS and _is_day(int(year), int(month), int(day))
    ]
    return tuple(dict.fromkeys(days))


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def flag_readings(text: str) -> tuple[str, ...]:
    """
    Return the flag that *text* may be.

    >>> flag_readings("Ja"), flag_readings("perhaps")
    (('true',), ())
    """
    flag = _FLAGS.get(text.strip().lower())
    return () if flag is None else (flag,)


_READERS: Final[Mapping[str, Callable[[str], tuple[str, ...]]]] = MappingProxyType(
    {
        "ratio": ratio_readings,
        "days": days_readings,
        "count": count_readings,
        "date": day_readings,
        "flag": flag_readings,
        "text": lambda _: (),
    }
)
