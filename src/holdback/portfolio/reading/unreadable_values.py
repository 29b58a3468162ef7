"""What to do about a value that cannot be read."""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

from holdback.portfolio.assessing.row_rulebooks import RowRulebooks
from holdback.portfolio.reading.column_findings import UNREAD
from holdback.portfolio.reading.number_texts import has_two_meanings
from holdback.portfolio.reading.undeclared_values import suggestion
from holdback.rules.types import Fact, Kind

# A float that differs from a decimal number only this number of places after its own was rounded.
_SPARE_PLACES = 4
_WHOLE = (Kind.COUNT, Kind.DAYS)
_BY_MAPPING = "say in a mapping how the column is written; `portfolio.suggest` proposes one"


def cure_of(value: Any, fact: Fact | None, rulebooks: RowRulebooks, column: str) -> str | None:
    """
    Return what to do about *value*, which cannot be read as *fact*, or None if nothing is known.

    Without *fact*, it is in the column of the jurisdictions or in that of the days.
    """
    if fact is None:
        if column == rulebooks.jurisdiction_column and isinstance(value, str):
            return suggestion(value, rulebooks.codes)
        return None
    if isinstance(value, float) and isfinite(value):
        return _rounded(value, fact, column)
    if not isinstance(value, str) or fact.type.kind is Kind.TEXT:
        return None
    number = value.removeprefix(UNREAD)
    if has_two_meanings(number) and (number != value or fact.type.kind in _WHOLE):
        return (
            f"it has two meanings: in a mapping, write `[forms.{column}]` and "
            '`decimal_mark = "."` if the point is before decimals; if it is between thousands, '
            '`decimal_mark = ","` and `thousands = "."`'
        )
    if fact.type.kind is Kind.MONEY and number != value and number.lstrip("-").isdigit():
        return "have a column `currency`: the decimals of minor units depend on it"
    if has_too_many_decimals(value, fact):
        what = f"it has more decimals than {fact.type} has"
        return f"{what}: round the column to {fact.type.places} where the file is written"
    return _BY_MAPPING


def has_too_many_decimals(text: str, fact: Fact) -> bool:
    """Return whether *text* is a plain number that only its decimals keep from being *fact*."""
    number = re.fullmatch(r"-?[0-9]+\.([0-9]+)", text.removeprefix(UNREAD))
    return number is not None and len(number[1].rstrip("0")) > fact.type.places


def _rounded(value: float, fact: Fact, column: str) -> str | None:
    """How to round a float with digits to spare; None if it has no more decimals than the type."""
    places = fact.type.places
    rounded = round(value, places)
    if rounded == value:
        return None
    if abs(rounded - value) * 10**_SPARE_PLACES * 10**places > max(1, abs(value)):
        return f"it has more decimals than {fact.type} has: round it as your policy says"
    return (
        f"this is what arithmetic with floats leaves of {rounded}: round the column, in pandas "
        f'`deals["{column}"].round({places})`, in Polars `pl.col("{column}").round({places})`'
    )
