"""What the model's fields take: a host's mistake is named when the object is made.

Without this an engine would give a state that cannot be written, or cannot be read again. No message
holds a value. Each check is an attrs validator.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any, Final, TypeAlias

from holdback.errors import InvalidDocument
from holdback.money import Money

Validator: TypeAlias = Callable[[Any, Any, Any], None]

# Amounts stay so small that the sum of all entries of a deal has fewer than 28 digits.
TOO_MUCH: Final = 10**18  # minor units


def _wrong(attribute: Any, expected: str) -> InvalidDocument:
    return InvalidDocument.of(f"expected {expected}", path=f"$.{attribute.name}")


def text(_: Any, attribute: Any, value: Any) -> None:
    """Text that is not empty and can be written: exactly `str`, without lone surrogates."""
    if type(value) is not str or not value:
        raise _wrong(attribute, "text that is not empty")
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise _wrong(attribute, "text that can be written in UTF-8")


def day(_: Any, attribute: Any, value: Any) -> None:
    """A date, and not a `datetime`, which Python counts as one."""
    if type(value) is not date:
        raise _wrong(attribute, "a date without a time")


def plain_day(value: Any) -> Any:
    """A converter: a subclass of `date`, such as pendulum's, as a plain date; the rest as it is."""
    if isinstance(value, date) and not isinstance(value, datetime) and type(value) is not date:
        return date(value.year, value.month, value.day)
    return value


def flag(_: Any, attribute: Any, value: Any) -> None:
    """True or false, and nothing that merely counts as one of them."""
    if type(value) is not bool:
        raise _wrong(attribute, "true or false")


def amount(_: Any, attribute: Any, value: Any) -> None:
    """Money of an ordinary size."""
    if not isinstance(value, Money) or abs(value.minor) >= TOO_MUCH:
        raise _wrong(attribute, "an amount as `Money`, below 10**18 minor units")


def instance_of(kind: type, called: str) -> Validator:
    """A validator for an instance of *kind*."""

    def check(_: Any, attribute: Any, value: Any) -> None:
        if not isinstance(value, kind):
            raise _wrong(attribute, called)

    return check


def one_of(*known: str) -> Validator:
    """A validator for one of the words that are *known*."""
    words = " or ".join(f"`{word}`" for word in known)

    def check(_: Any, attribute: Any, value: Any) -> None:
        if type(value) is not str or value not in known:
            raise _wrong(attribute, words)

    return check


def each(check: Validator) -> Validator:
    """A validator for a tuple in which every item passes *check*."""

    def check_all(instance: Any, attribute: Any, value: Any) -> None:
        if type(value) is not tuple:
            raise _wrong(attribute, "a list")
        for item in value:
            check(instance, attribute, item)

    return check_all


def optional(check: Validator) -> Validator:
    """A validator that lets None pass, and everything else that passes *check*."""

    def check_some(instance: Any, attribute: Any, value: Any) -> None:
        if value is not None:
            check(instance, attribute, value)

    return check_some
