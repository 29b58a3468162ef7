"""`holdback audit`: how far the rates that were disclosed are from those of the deals that came."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import click

from holdback.cli.output import FINDINGS, format_option, print_answer, reading
from holdback.cli.takings_history import read_month, shown_month
from holdback.cli.written_table import Row, number_reader, read_table
from holdback.disclosures.estimates import (
    LIMITS_OF_AUDITS,
    Audit,
    audit,
    is_barred,
    may_audit_yearly,
    mean_difference,
    mean_spreads,
    spread,
    why_left_out,
)
from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import PERCENT_PLACES, digits, divide
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.rules.types import Kind, Type

_RATE: Final = number_reader(Type(Kind.PERCENT))
_COLUMNS: Final[Mapping[str, Any]] = {
    "audit": read_month,
    "disclosed_apr": _RATE,
    "retrospective_apr": _RATE,
    "amount": number_reader(Type(Kind.MONEY, Currency.of("USD"))),
    "deal": str,
    "left_out": why_left_out,
}
_RATES: Final = ("disclosed_apr", "retrospective_apr")
# In which a cell may be empty; a rate may be that of a deal which is left out.
_OPTIONAL_COLUMNS: Final = ("amount", "deal", "left_out")
_PLACES: Final = 6
_SHOWN: Final = 4


@click.command("audit")
@click.argument("deals", type=click.File("rb"))
@format_option("text", "json")
def audit_command(deals: Any, *, form: str) -> None:
    """
    Audit rates that rest on a provider's own projections, from the file DEALS that were repaid.

    DEALS is CSV with the columns audit (its month, 2027-04), disclosed_apr and retrospective_apr,
    and, where you have them, amount, deal and left_out: litigated, stopped or modified. This is
    not advice. Exits with 1 if an audit bars the provider from its own projections.
    """
    with reading("The deals"):
        audited = list(_audits(_read_deals(deals)))
    print_answer(form, [result.plain() for result in audited], _lines(audited))
    if any(result.barred for result in audited):
        sys.exit(FINDINGS)


@frozen(kw_only=True)
class _Audited:
    """An audit with those before it: `so_far` are all up to it that have a deal."""

    month: str
    rows: Sequence[Row]
    left_out: int
    so_far: tuple[Audit, ...]

    @property
    def _rates(self) -> Sequence[tuple[int | None, Fraction, Fraction]]:
        return [(row.values["amount"], *_rates(row)) for row in self.rows]

    @property
    def spread(self) -> Fraction | None:
        """The median spread of its deals, None where none takes part."""
        return self.so_far[-1].spread if self.rows else None

    @property
    def means(self) -> Mapping[int, Fraction | None]:
        """The mean spread of the last audits, by their number."""
        return mean_spreads(self.so_far)

    @property
    def barred(self) -> bool:
        """Whether it bars the provider from its own projections."""
        return is_barred(self.so_far)

    @property
    def may_audit_yearly(self) -> bool:
        """Whether California asks for an audit a year only."""
        return may_audit_yearly(self.so_far)

    def difference(self, *, weighted: bool) -> Fraction | None:
        """The mean of what came less what was disclosed, in points; by amounts, if all have one."""
        rates = [(amount or 0, stated, came) for amount, stated, came in self._rates]
        if not rates or (weighted and not all(amount for amount, _, _ in rates)):
            return None
        return mean_difference(rates, weighted=weighted)

    def plain(self) -> dict[str, Json]:
        """Return it as plain values."""
        return {
            "audit": self.month,
            "deals": len(self.rows),
            "left_out": self.left_out,
            "spreads": [_digits(spread(*_rates(row))) for row in self.rows],
            "spread": _digits(self.spread),
            **{f"mean_of_{number}": _digits(mean) for number, mean in self.means.items()},
            "barred": self.barred,
            "may_audit_yearly": self.may_audit_yearly,
            "mean_difference": _digits(self.difference(weighted=False)),
            "mean_difference_by_amount": _digits(self.difference(weighted=True)),
        }


def _rates(row: Row) -> tuple[Fraction, Fraction]:
    stated, came = (Fraction(row.values[name], 10**PERCENT_PLACES) for name in _RATES)
    return stated, came


def _digits(number: Fraction | None, places: int = _PLACES) -> str | None:
    if number is None:
        return None
    scale = 10**places
    return digits(divide(number.numerator * scale, number.denominator, "half_up"), places)


def _read_deals(file: Any) -> Sequence[Row]:
    """
    Return the deals in *file*.

    Raises:
        InvalidDocument: with everything that is missing or cannot be read.
    """
    rows = read_table(file, _COLUMNS, may_be_empty=_RATES, optional=_OPTIONAL_COLUMNS)
    has_amounts = any(row.values["amount"] for row in rows)
    errors = [
        ErrorDetail(code="wrong_value", message=message, file=file.name, line=row.line, path=name)
        for row in rows
        if not row.values["left_out"]
        for name, message in _wrong(row, has_amounts=has_amounts)
    ]
    if errors:
        raise InvalidDocument(errors)
    return rows


def _wrong(row: Row, *, has_amounts: bool) -> Iterator[tuple[str, str]]:
    """Yield each column in which a *row* that takes part has no value that it needs."""
    for name in _RATES:
        if row.values[name] is None:
            yield name, "expected a rate such as `35.5%`; `left_out` says why a deal has none"
        elif row.values[name] < 0:
            yield name, "expected a rate from zero up"
    if row.values["disclosed_apr"] == 0:
        yield "disclosed_apr", "a disclosed rate of zero has no spread"
    if has_amounts and not (row.values["amount"] or 0) > 0:
        yield "amount", "expected an amount above zero, as other deals have one"


def _audits(rows: Sequence[Row]) -> Iterator[_Audited]:
    """Yield the audits of *rows*, the oldest first."""
    by_month: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        by_month[row.values["audit"]].append(row)
    so_far: tuple[Audit, ...] = ()
    for month, deals in sorted(by_month.items()):
        counted = [row for row in deals if not row.values["left_out"]]
        if counted:
            so_far = (*so_far, audit([_rates(row) for row in counted]))
        yield _Audited(
            month=shown_month(month),
            rows=counted,
            left_out=len(deals) - len(counted),
            so_far=so_far,
        )


def _lines(audited: Sequence[_Audited]) -> Iterator[str]:
    """Yield a table of the audits, and what follows from them."""
    means = [f"last {number} (max {limit}%)" for number, limit in LIMITS_OF_AUDITS]
    heads = ("audit", "deals", "left out", "spread", *means, "difference", "by amount")
    table = [heads, *(_cells(result) for result in audited)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for cells in table:
        yield "  ".join(f"{text:>{width}}" for text, width in zip(cells, widths, strict=True))
    yield ""
    barring = [result.month for result in audited if result.barred]
    by = "(10 CCR 931(a)(5); 23 NYCRR 600.9(i))"
    if barring:
        yield f"Barred from own projections for 24 months, by the audit of {', '.join(barring)},"
        yield f"unless projections from history would have been worse {by}."
    else:
        yield f"Not barred from own projections {by}."
    often = "a year" if audited[-1].may_audit_yearly else "every four months"
    yield f"California asks for an audit {often} (10 CCR 931(a)(4))."
    yield "The difference is that of the yearly report, in points (23 NYCRR 600.22(b)(2))."


def _cells(result: _Audited) -> tuple[str, ...]:
    def percent(number: Fraction | None, sign: str = "%") -> str:
        return "-" if number is None else f"{_digits(number, _SHOWN)}{sign}"

    return (
        result.month,
        str(len(result.rows)),
        str(result.left_out),
        percent(result.spread),
        *(percent(mean) for mean in result.means.values()),
        percent(result.difference(weighted=False), ""),
        percent(result.difference(weighted=True), ""),
    )
