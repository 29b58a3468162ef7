"""A pace: what is remitted on every day, as an amount or as a share of the repayment amount."""

from __future__ import annotations

import re

from holdback.errors import InvalidDocument, code_of, readings_of, write_instead
from holdback.exact.exact_numbers import HUNDRED_PERCENT
from holdback.exact.money import Currency, Money
from holdback.frozen_classes import frozen
from holdback.rules import Kind, Type

PERCENT = Type(Kind.PERCENT)


@frozen(kw_only=True)
class Pace:
    """What is remitted on every day: `amount` in minor units, or a `share`, scaled; never both."""

    amount: int | None = None
    share: int | None = None

    @property
    def is_nothing(self) -> bool:
        """Whether nothing is remitted."""
        return not self.amount and not self.share

    def remitted(self, days: int, repayment: int) -> int:
        """Return what *days* days remit of the *repayment* amount, in minor units, rounded down."""
        if self.amount is not None:
            return self.amount * days
        return repayment * (self.share or 0) * days // HUNDRED_PERCENT


def read_pace(pace: str | Money | None, currency: Currency) -> Pace:
    """
    Return *pace*, an amount such as `GBP 52.44` or a share such as `0.4%`; None is nothing.

    It has its unit: `0.4` might be an amount, or a share without its sign.

    >>> read_pace("0.4%", Currency.of("GBP"))
    Pace(amount=None, share=4000)

    Raises:
        InvalidDocument: it is neither, without its unit, in another currency, below zero, or above
            100%.
    """
    if pace is None:
        return Pace()
    hint = f"a pace is what is remitted on a day: `{currency} 52.44`, or `0.4%`"
    money = Type(Kind.MONEY, currency)
    if not _has_unit(pace):
        message = "expected an amount with its currency, or a percentage with its sign"
        meanings = money.readings(pace) + PERCENT.readings(pace) if isinstance(pace, str) else ()
        raise InvalidDocument.of(
            "wrong_value", message, path="$.pace", hint=_right(meanings) or hint
        )
    is_share = isinstance(pace, str) and bool(PERCENT.readings(pace))
    type_ = PERCENT if is_share else money
    try:
        number = type_.read(pace)
    except ValueError as error:
        hint = _right(readings_of(error)) or hint
        raise InvalidDocument.of(code_of(error), str(error), path="$.pace", hint=hint) from None
    if number is None or number < 0 or (is_share and number > HUNDRED_PERCENT):
        most = f"to {PERCENT.show(HUNDRED_PERCENT)}" if is_share else "or more"
        expected = f"expected {type_.show(0)} {most}"
        raise InvalidDocument.of("out_of_range", expected, path="$.pace", hint=hint)
    return Pace(share=number) if is_share else Pace(amount=number)


def _has_unit(pace: object) -> bool:
    """Whether *pace* is money, or a text with more than a number in it."""
    if isinstance(pace, str):
        return re.search("[^-+0-9.,'\u2019\\s]", pace) is not None
    return isinstance(pace, Money)


def _right(meanings: tuple[str, ...]) -> str | None:
    """Return the hint to write one of the *meanings*, which a command has without quotes."""
    return write_instead(text.strip('"') for text in meanings)
