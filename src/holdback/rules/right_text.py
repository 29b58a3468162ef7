"""What to write instead of a value whose unit is missing or is written otherwise."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from holdback.exact.exact_numbers import scaled, trimmed, without_separators
from holdback.rules.slips import in_days
from holdback.rules.types import Kind, Type
from holdback.rules.values import whole as whole_number

_BARE_NUMBER: Final = r"-?[0-9]+(\.[0-9]+)?"
# A number with a currency or a sign of one on either side, or with another unit after it.
_WITH_UNIT: Final = (
    r"(?P<before>[A-Z]{3}|[^0-9A-Za-z -]?) ?"
    r"(?P<number>-?[0-9][0-9.,'_ ]*) ?(?P<after>%|[A-Za-z]*( cent)?|[^0-9A-Za-z ]?)"
)
_FLAGS: Final = {
    word: f"write `{flag}` without quotes"
    for flag, words in (("true", ("true", "True", "yes")), ("false", ("false", "False", "no")))
    for word in words
}
# A longer number is not repeated in a hint.
_MAX_REPEATED: Final = 14
# More digits than any bounded number of holdback has.
_MOST_DIGITS: Final = 18


def right_text(value: object, type_: Type) -> str | None:
    """
    Return the hint with *value*, a text that *type_* does not read, as it reads it.

    >>> right_text("72,5 %", Type(Kind.PERCENT)), right_text("9 months", Type(Kind.COUNT))
    ('write `"72.5%"`', 'write `9`')
    """
    match = re.fullmatch(_WITH_UNIT, value) if isinstance(value, str) else None
    if match is None:
        return _FLAGS.get(value) if type_.kind is Kind.FLAG and isinstance(value, str) else None
    number = match["number"].strip()
    if re.fullmatch(_BARE_NUMBER, number) is None:
        number = without_separators(number) or ""
    if not number or len(number) > _MAX_REPEATED:
        return None
    before, after = match["before"], match["after"]
    match type_.kind:
        case Kind.PERCENT if not before and after in ("%", "percent", "per cent"):
            return f'write `"{number}%"`'
        case Kind.MONEY if after != "%" and not {before, after} - {"", str(type_.currency)}:
            return f'write `"{type_.currency} {number}"`'
        case Kind.RATIO if not before and not after:
            return f'write `"{number}"`'
        case Kind.COUNT if not before and "." not in number and after != "%":
            return f"write `{number}`"
        case Kind.DAYS if not before and (days := in_days(number, after or "days")) is not None:
            return f'write it in days, as `"{days}"`'
        case _:
            return None


def unit_hint(value: object, type_: Type) -> str | None:
    """Return what to write instead of a number whose unit is missing; None when none is."""
    try:
        is_plain = isinstance(value, str | Decimal)
        number = str(value if is_plain else whole_number(value, "a number"))
    except ValueError:
        return None
    if not re.fullmatch(_BARE_NUMBER, number):
        return None
    if type_.kind is Kind.PERCENT:
        if len(number) > _MAX_REPEATED:
            return 'as `"12.5%"`'
        # 0.7 may mean 70% or 0.7%. Both are offered: guessing could be wrong a hundredfold.
        is_fraction = abs(Decimal(number)) <= 1
        whole = f' or `"{trimmed(scaled(Decimal(number), 12), 10)}%"`' if is_fraction else ""
        return f'write `"{number}%"`{whole}'
    if type_.kind is not Kind.MONEY:
        return None
    return f'write `"{type_.currency} {number[:_MOST_DIGITS]}"`'
