"""Single values as a mapping says that they are written, to values of facts, exactly."""

from __future__ import annotations

import datetime as dt
import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from holdback.errors import InvalidValue
from holdback.exact.exact_numbers import (
    PERCENT_PLACES,
    RATIO_PLACES,
    read_decimal,
    scaled,
    scaled_down,
)
from holdback.exact.exact_numbers import unscaled as decimal_of
from holdback.exact.money import MINOR_UNITS, Currency
from holdback.exact.written_numbers import ALIKE
from holdback.frozen_classes import FrozenMapping
from holdback.portfolio.reading.column_findings import UNREAD
from holdback.portfolio.reading.column_mapping import ColumnMapping, Form
from holdback.portfolio.reading.named_columns import CURRENCY
from holdback.portfolio.reading.single_values import has_two_meanings, read_float
from holdback.rules.types import Fact, Kind
from holdback.rules.values import is_missing
from holdback.rules.written import currency_of

FRACTIONS: Final = "fractions"
MINOR: Final = "minor units"
ISO: Final = "YYYY-MM-DD"
# A percentage is a hundred times its fraction, so a fraction has two decimals more.
_FRACTION_PLACES: Final = PERCENT_PLACES + 2
_WHOLE: Final = (Kind.COUNT, Kind.DAYS)
_IN_DIGITS: Final = (Kind.PERCENT, Kind.MONEY, Kind.RATIO, *_WHOLE)
# The most decimals that any currency has: the reader of the row knows its own.
_MONEY_PLACES: Final = max(MINOR_UNITS.values())

_MONTHS: Final = [
    "JAN",
    "FEB",
    "MAR",
    "APR",
    "MAY",
    "JUN",
    "JUL",
    "AUG",
    "SEP",
    "OCT",
    "NOV",
    "DEC",
]
_DATE_PARTS: Final = {
    "YYYY": "(?P<year>[0-9]{4})",
    "MM": "(?P<month>[0-9]{1,2})",
    "MON": "(?P<word>[A-Za-z]{3,9})",
    "DD": "(?P<day>[0-9]{1,2})",
}
# Midnight, as dataframe libraries and spreadsheets write it after a day.
_MIDNIGHT: Final = r"(?:[T ]00:00(?::00(?:\.0+)?)?)?"
# An amount with nothing beside its digits, and one with a sign or a code beside them.
_PLAIN_ENDS: Final = re.compile(r"[+-]?[0-9.,](?:.*[0-9.,])?", re.DOTALL)
_AMOUNT: Final = re.compile(
    r"(?P<open>\()?\s*(?P<first>-)?\s*(?P<before>[^\s0-9.,+()'-][^0-9+()-]*?)?\s*(?P<inner>-)?\s*"
    r"(?P<number>(?:[.,](?=[0-9]))?[0-9](?:[0-9.,'_ ]*[0-9])?[.,]?)(?P<last>-)?"
    r"\s*(?P<after>[^\s0-9.,+()'-][^0-9+()-]*)?(?P<close>\))?"
)
# In India there are two digits between commas, and three behind the last.
_LAKHS: Final = "[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}"
NO_SIGNS: Final[Mapping[str, str]] = FrozenMapping()
_FLAGS: Final[Mapping[str, bool]] = {"true": True, "false": False, "1": True, "0": False}


Reader = Callable[[Any], Any]


def reader_by(mapping: ColumnMapping, fact: Fact) -> Reader:
    """Return the function that reads a value of *fact* in a column that *mapping* describes."""
    return reader(
        fact,
        mapping.form(fact.name),
        mapping.texts.get(fact.name, {}),
        signs=mapping.texts.get(CURRENCY, {}),
        among_commas=mapping.has_commas,
    )


def is_point_clear(fact: Fact, form: Form, *, among_commas: bool) -> bool:
    """
    Return whether 1.000 as a value of *fact* can only be one.

    It may be a thousand where nobody writes three decimals, in whole numbers and amounts, and
    *among_commas*: where other columns have decimal commas. What *form* says of the signs in
    numbers decides.
    """
    if form.decimal_mark or form.thousands:
        return True
    return fact.type.kind not in (*_WHOLE, Kind.MONEY) and not among_commas


def reader(
    fact: Fact,
    form: Form,
    texts: Mapping[str, str],
    *,
    signs: Mapping[str, str] = NO_SIGNS,
    among_commas: bool = False,
) -> Reader:
    """
    Return the function that reads a value of *fact* in a column that is written in *form*.

    *signs* are those beside amounts, each with the code of the currency that it means here. Where
    other columns have decimal commas, this one is *among_commas*.

    It returns a Decimal, an integer, a Boolean, a date or a text; None where the value is missing.
    Amounts in minor units are returned in minor units, because their currency is that of the row.

    Raises:
        InvalidDocument: never; the function raises a `ValueError` for a value that it cannot read.
    """
    kind = fact.type.kind
    is_clear = kind not in _IN_DIGITS or is_point_clear(fact, form, among_commas=among_commas)
    read: Reader
    if kind is Kind.TEXT:
        read = _currency if fact.name == CURRENCY else _text
    elif kind is Kind.FLAG:
        read = _flag
    elif kind is Kind.DATE:
        read = _date_reader(form.dates or ISO)
    elif kind is Kind.PERCENT:
        read = _percent_reader(form, down=fact.rounded_down)
    elif kind is Kind.MONEY:
        read = _money_reader(form, signs, is_clear=is_clear)
    elif kind is Kind.RATIO:
        read = _number_reader(form, RATIO_PLACES)
    else:
        read = _whole_reader(form, "days?" if kind is Kind.DAYS else None)

    def read_value(value: Any) -> Any:
        if is_missing(value):
            return None
        if isinstance(value, str):
            value = value.strip()
            value = texts.get(value, value)
            if not value:
                return None
            _check_point(value, is_clear=is_clear)
        return read(plain_value(value))

    return read_value


def _check_point(text: str, *, is_clear: bool) -> None:
    if not is_clear and has_two_meanings(text):
        raise InvalidValue("wrong_value", "the point may be between thousands")


def plain_value(value: Any) -> Any:
    """Return *value*, where it is a scalar of NumPy, as Python's own."""
    if isinstance(value, str | int | Decimal | dt.date):
        return value
    item = getattr(value, "item", None)
    return item() if callable(item) else value


def unread(value: Any, kind: Kind) -> str:
    """
    Return *value*, which could not be read, as a text that nothing reads as a value of *kind*.

    >>> unread("n/a", Kind.MONEY), unread("1.234", Kind.MONEY)
    ('n/a', 'unread: 1.234')
    """
    text = str(value)
    # An amount may have a currency in front, and a percentage a sign at its end.
    word = text.rsplit(" ", maxsplit=1)[-1].removesuffix("%")
    is_number = re.fullmatch(r"-?[0-9][0-9.]*([eE][-+]?[0-9]+)?", word) is not None
    is_word = kind in (Kind.DATE, Kind.FLAG, Kind.DAYS)
    return f"{UNREAD}{text}" if is_number or is_word else text


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidValue("wrong_type", "expected text")
    return value


def _currency(value: Any) -> str:
    code = _text(value).upper()
    return code if code in MINOR_UNITS else _text(value)


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).lower()
    if isinstance(value, float):
        text = text.removesuffix(".0")
    if text not in _FLAGS:
        raise InvalidValue("wrong_value", "expected true or false")
    return _FLAGS[text]


def _date_reader(form: str) -> Reader:
    pieces = re.split("(YYYY|MM|MON|DD)", form)
    fixed = form.isalpha()  # without signs between them, the parts have all their digits
    pattern = "".join(_DATE_PARTS.get(part, re.escape(part)) for part in pieces)
    if fixed:
        pattern = pattern.replace("{1,2}", "{2}")
    compiled = re.compile(f"{pattern}{_MIDNIGHT}")

    def read(value: Any) -> dt.date:
        if isinstance(value, dt.datetime):
            if value.tzinfo is None and value.time() == dt.time():
                return value.date()
            raise InvalidValue("wrong_value", "expected a day, without a time")
        if isinstance(value, dt.date):
            return value
        match = compiled.fullmatch(value if isinstance(value, str) else str(value))
        if match is None:
            raise InvalidValue("wrong_value", f"expected a day written as `{form}`")
        parts = match.groupdict()
        word = parts.get("word")
        try:
            month = _MONTHS.index(word[:3].upper()) + 1 if word else int(parts["month"])
            return dt.date(int(parts["year"]), month, int(parts["day"]))
        except ValueError:
            raise InvalidValue("wrong_value", "there is no such day in the calendar") from None

    return read


def _digits(text: str, form: Form) -> str:
    """The number in *text*, written in *form*, in plain digits."""
    mark, between = form.decimal_mark or ".", form.thousands
    whole, point, decimals = text.partition(mark)
    whole = whole.translate(ALIKE)
    if between is not None and between in whole:
        thousands = f"[0-9]{{1,3}}({re.escape(between)}[0-9]{{3}})+"
        if re.fullmatch(f"-?(?:{thousands}|{_LAKHS})", whole) is None:
            raise InvalidValue("wrong_value", f"expected three digits after each `{between}`")
        whole = whole.replace(between, "")
    if mark != "." and "." in whole + decimals:
        raise InvalidValue("wrong_value", f"expected `{mark}` before the decimals")
    return f"{whole}.{decimals}" if point else whole


def _scaled(value: Any, form: Form, places: int, *, down: bool = False) -> int:
    """The number *value* as an integer of 10**-*places*."""
    if isinstance(value, bool):
        raise InvalidValue("wrong_type", "expected a number")
    if isinstance(value, float):
        return read_float(value, places, down=down)
    if isinstance(value, str):
        value = read_decimal(_digits(value, form))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise InvalidValue("wrong_value", "expected a finite number")
        return scaled_down(value, places) if down else scaled(value, places)
    try:
        return scaled(operator.index(value), places)
    except TypeError:
        raise InvalidValue("wrong_type", "expected a number") from None


def _number_reader(form: Form, places: int) -> Reader:
    return lambda value: decimal_of(_scaled(value, form, places), places)


def _percent_reader(form: Form, *, down: bool) -> Reader:
    def read(value: Any) -> Decimal:
        has_sign = isinstance(value, str) and value.endswith("%")
        if has_sign:
            value = value[:-1].rstrip()
        is_fraction = form.percentages == FRACTIONS and not has_sign
        places = _FRACTION_PLACES if is_fraction else PERCENT_PLACES
        return decimal_of(_scaled(value, form, places, down=down), PERCENT_PLACES)

    return read


def _money_reader(form: Form, signs: Mapping[str, str], *, is_clear: bool) -> Reader:
    if form.money == MINOR:
        return lambda value: decimal_of(_scaled(value, form, 0), 0)

    def read(value: Any) -> Decimal | str:
        code = ""
        if isinstance(value, str) and not _PLAIN_ENDS.fullmatch(value):
            code, value = _amount(value, signs)
            _check_point(value, is_clear=is_clear)
        amount = decimal_of(_scaled(value, form, _MONEY_PLACES), _MONEY_PLACES)
        # With its currency it stays a text, which is read only where that is the row's.
        return f"{code} {amount}" if code else amount

    return read


def units_beside(text: str) -> tuple[str, ...]:
    """
    Return the signs and codes next to the number in *text*, an amount.

    >>> units_beside("$1,234.00"), units_beside("1 234,50 kr"), units_beside("12")
    (('$',), ('kr',), ())
    """
    match = _AMOUNT.fullmatch(text.translate(ALIKE))
    if match is None:
        return ()
    return tuple(unit.strip() for unit in (match["before"], match["after"]) if unit)


def _amount(text: str, signs: Mapping[str, str]) -> tuple[str, str]:
    """The code of the currency in *text*, empty for none, and the number; in brackets, below 0."""
    match = _AMOUNT.fullmatch(text.translate(ALIKE))
    if match is None or (match["open"] is None) != (match["close"] is None):
        raise InvalidValue("wrong_value", "expected an amount")
    units = [unit.strip() for unit in (match["before"], match["after"]) if unit]
    codes = {signs.get(unit) or currency_of(unit) or "" for unit in units}
    if "" in codes or len(codes) > 1:
        raise InvalidValue("wrong_value", "expected the sign or the code of one currency")
    minuses = sum(map(bool, map(match.group, ("first", "inner", "last", "open"))))
    if minuses > 1:
        raise InvalidValue("wrong_value", "expected one sign of a number below zero")
    return "".join(codes), f"{'-' * minuses}{match['number']}"


def _whole_reader(form: Form, unit: str | None) -> Reader:
    def read(value: Any) -> int:
        if unit is not None and isinstance(value, str):
            value = re.sub(f" {unit}$", "", value)
        return _scaled(value, form, 0)

    return read


def in_major_units(minor: Decimal, currency: Currency) -> Decimal:
    """Return *minor* units of *currency* in major units."""
    return decimal_of(int(minor), currency.places)
