"""Takings from history: a file of months, and their mean, which is projected."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from holdback.cli.written_table import Row, number_reader, read_table
from holdback.disclosures.derivation import Step
from holdback.disclosures.estimates import mean_takings, months_used
from holdback.errors import ErrorDetail, InvalidDocument, InvalidValue, printable
from holdback.exact.exact_numbers import divide, unscaled
from holdback.exact.money import Currency
from holdback.rules.types import Kind, Type

_MONTH: Final = re.compile(r"([1-9][0-9]{3})-(0[1-9]|1[0-2])")
_YEAR: Final = 12


def projected_takings(options: Mapping[str, Any], currency: Currency) -> tuple[int, Step]:
    """
    Return the takings of a month that are projected from a file, and how, half up.

    The *options* are those of the command: `history`, `months`, `leave_out`, `best_months`, `on`.

    Raises:
        InvalidDocument: with everything that cannot be read or is not allowed.
    """
    fixed, highest = options["months"], options["best_months"]
    months = _read_months(options["history"], currency, options["on"])
    takings = tuple(months.values())

    def used_without(*places: int) -> Sequence[int]:
        return months_used(takings, fixed, left_out=places, highest=highest)

    places = _left_out(options["leave_out"], list(months), used_without)
    used = used_without(*places)
    mean = mean_takings(takings, fixed, left_out=places, highest=highest)

    def money(minor: int) -> str:
        return f"{unscaled(minor, currency.places):,}"

    projected = divide(mean.numerator, mean.denominator, "half_up")
    these = f"{len(used)} of the best {fixed}" if highest else f"{len(used)} of the last {fixed}"
    step = Step(
        "projected_monthly_takings",
        money(projected),
        f"mean takings of {these} months, half up",
        f"({' + '.join(money(takings[place]) for place in used)}) / {len(used)}",
        "10 CCR 930; 23 NYCRR 600.8",
    )
    return projected, step


def read_month(text: str) -> int:
    """Return a month as the number of months before it."""
    match = _MONTH.fullmatch(text.strip())
    if match is None:
        raise InvalidValue("wrong_value", "expected a month such as `2026-01`")
    return int(match[1]) * _YEAR + int(match[2]) - 1


def shown_month(month: int) -> str:
    """Return a month as a person writes it."""
    return f"{month // _YEAR}-{month % _YEAR + 1:02}"


def _read_months(file: Any, currency: Currency, on: date) -> Mapping[int, int]:
    """Return the takings by month in order."""
    money = number_reader(Type(Kind.MONEY, currency), 0, "expected takings from zero up")
    columns = {"month": read_month, "takings": money}
    rows = read_table(file, columns)
    errors = [
        ErrorDetail(code=code, message=message, file=file.name, line=line)
        for line, code, message in _wrong_months(rows, on)
    ]
    if errors:
        raise InvalidDocument(errors)
    return dict(sorted((row.values["month"], row.values["takings"]) for row in rows))


def _wrong_months(rows: Sequence[Row], on: date) -> Iterator[tuple[int | None, str, str]]:
    """Yield the line, the code and the message of what is wrong about the months of *rows*."""
    end, seen = on.year * _YEAR + on.month - 1, set[int]()
    for row in rows:
        month = row.values["month"]
        if month in seen:
            yield row.line, "duplicate", f"the month {shown_month(month)} is there twice"
        if month >= end:
            yield row.line, "out_of_range", f"expected a month before {shown_month(end)}"
        seen.add(month)
    gaps = [month for month in range(min(seen), min(max(seen), end)) if month not in seen]
    if gaps:
        named = ", ".join(map(shown_month, gaps[:_YEAR]))
        yield None, "missing", f"there are months before and after {named}: state its takings"


def _left_out(
    texts: Sequence[str], months: Sequence[int], used_without: Callable[[int], object]
) -> Sequence[int]:
    """Return the places among *months* of those that *texts* leave out."""
    places, errors = [], []
    for text in texts:
        try:
            places.append(_place(read_month(text), months))
            used_without(places[-1])
        except InvalidValue as error:
            path = f"--leave-out {printable(text)}"
            errors.append(ErrorDetail(code=error.code, message=str(error), path=path))
    if errors:
        raise InvalidDocument(errors)
    return places


def _place(month: int, months: Sequence[int]) -> int:
    if month not in months:
        raise InvalidValue("unknown_name", "the file does not have this month")
    return months.index(month)
