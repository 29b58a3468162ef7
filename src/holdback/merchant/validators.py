"""Validators of the model's attributes.

They report a host's mistake when the object is made. Without them the engine could return a state
that cannot be written, or cannot be read again. No message holds a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypeAlias, TypeVar

from holdback.errors import InvalidDocument
from holdback.exact.bounds import MOST_TERM_DAYS, TOO_MUCH
from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES, scaled
from holdback.exact.money import Money

_Item = TypeVar("_Item")

Validator: TypeAlias = Callable[[Any, Any, Any], None]


def _wrong(attribute: Any, expected: str, code: str = "wrong_type") -> InvalidDocument:
    return InvalidDocument.of(code, f"expected {expected}", path=f"$.{attribute.name}")


def text(_: Any, attribute: Any, value: Any) -> None:
    """Validate text: a `str` itself, not empty, that UTF-8 can encode."""
    if type(value) is not str or not value:
        code = "missing" if type(value) is str else "wrong_type"
        raise _wrong(attribute, "text that is not empty", code)
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise _wrong(attribute, "text that can be written in UTF-8", "malformed")


def day(_: Any, attribute: Any, value: Any) -> None:
    """Validate a date, which is not a `datetime`."""
    if type(value) is not date:
        raise _wrong(attribute, "a date without a time")


def plain_day(value: date) -> date:
    """Convert a subclass of `date`, such as pendulum's, to a plain date; leave the rest."""
    # Anything but a date is left to the validator, which says what was expected.
    if isinstance(value, date) and not isinstance(value, datetime) and type(value) is not date:
        return date(value.year, value.month, value.day)
    return value


def optional_day(value: date | None) -> date | None:
    """Convert a date as `plain_day` does, and leave None."""
    return None if value is None else plain_day(value)


def as_tuple(items: Iterable[_Item]) -> tuple[_Item, ...]:
    """Convert what can be iterated over; leave the rest to the validator."""
    return tuple(items) if isinstance(items, Iterable) else items


def flag(_: Any, attribute: Any, value: Any) -> None:
    """Validate a `bool` itself, not 0 or 1."""
    if type(value) is not bool:
        raise _wrong(attribute, "true or false")


def amount(_: Any, attribute: Any, value: Any) -> None:
    """Validate money below the bound of amounts."""
    if not isinstance(value, Money) or abs(value.minor) >= TOO_MUCH:
        code = "out_of_range" if isinstance(value, Money) else "wrong_type"
        raise _wrong(attribute, "an amount as `Money`, below 10**18 minor units", code)


def percentage(_: Any, attribute: Any, value: Any) -> None:
    """Validate a percentage above 0 and up to 100, of at most 4 decimals."""
    number = 0
    if isinstance(value, Decimal):
        with suppress(ValueError):
            number = scaled(value, PERCENT_PLACES)
    if not 0 < number <= HUNDRED_PERCENT:
        expected = "a percentage above 0 and up to 100, of at most 4 decimals, as `Decimal`"
        raise _wrong(attribute, expected, "out_of_range")


def term_days(_: Any, attribute: Any, value: Any) -> None:
    """Validate the days of a term."""
    if type(value) is not int:
        raise _wrong(attribute, "a whole number")
    if not 1 <= value <= MOST_TERM_DAYS:
        raise _wrong(attribute, f"a number of days from 1 to {MOST_TERM_DAYS}", "out_of_range")


def instance_of(kind: type, called: str) -> Validator:
    """Return a validator of instances of *kind*."""

    def check(_: Any, attribute: Any, value: Any) -> None:
        if not isinstance(value, kind):
            raise _wrong(attribute, called)

    return check


def one_of(*words: str) -> Validator:
    """Return a validator of a closed vocabulary."""
    expected = " or ".join(f"`{word}`" for word in words)

    def check(_: Any, attribute: Any, value: Any) -> None:
        if type(value) is not str or value not in words:
            code = "wrong_value" if type(value) is str else "wrong_type"
            raise _wrong(attribute, expected, code)

    return check


def tuple_of(check: Validator) -> Validator:
    """Return a validator of tuples in which every item passes *check*."""

    def check_all(instance: Any, attribute: Any, value: Any) -> None:
        if type(value) is not tuple:
            raise _wrong(attribute, "a list")
        for item in value:
            check(instance, attribute, item)

    return check_all


def optional(check: Validator) -> Validator:
    """Return a validator of None and of values that pass *check*."""

    def check_some(instance: Any, attribute: Any, value: Any) -> None:
        if value is not None:
            check(instance, attribute, value)

    return check_some
