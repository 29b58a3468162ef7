"""
The cells of files without types, as CSV files are: what each text means as a value of a fact.

A cell is read by itself, whatever the others of its column hold: `cell_value` says how. A column
whose cells are all of a plain form is read at once, with the same result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal
from typing import Final

import polars as pl

from holdback.frozen_classes import frozen
from holdback.rules.types import Fact, Kind

# What pandas, Polars, DuckDB, R and Excel write where there is no value.
MISSING: Final = frozenset(
    {"", "-", "<na>", "#n/a", "n/a", "na", "nan", "nat", "none", "null", "\\n"}
)
_WHOLE: Final = (Kind.COUNT, Kind.DAYS)
_NUMBER: Final = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?)( ?%)?")
# A day, as libraries write it that have midnights and no days.
_DAY: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]00:00(?::00(?:\.0{1,9})?)?)?")
_FLAGS: Final = {"true": True, "false": False}


def is_missing(text: str) -> bool:
    """
    Return whether a cell with this *text* has no value.

    >>> is_missing("NaN"), is_missing(" "), is_missing("0")
    (True, True, False)
    """
    return text.strip().lower() in MISSING


def cell_value(text: str, kind: Kind, declared: Collection[str] = ()) -> str | int | bool | None:
    """
    Return what a cell with *text* means as a value of *kind*, as a facts document has it.

    A *declared* text is one, even if it is written as others write that there is no value.

    None is unknown. A text that has no meaning as this kind is returned without the spaces around
    it: whoever reads it as a fact refuses it.

    >>> cell_value("231.0", Kind.COUNT), cell_value("TRUE", Kind.FLAG), cell_value("1e3", Kind.MONEY)
    (231, True, '1000')
    >>> cell_value("2026-07-01 00:00:00", Kind.DATE), cell_value("12,5", Kind.PERCENT)
    ('2026-07-01', '12,5')
    """
    text = text.strip()
    if text in declared:
        return text
    if is_missing(text):
        return None
    if kind is Kind.FLAG:
        return _FLAGS.get(text.lower(), text)
    if kind is Kind.DATE:
        day = _DAY.fullmatch(text)
        return day[1] if day else text
    number = None if kind is Kind.TEXT else _NUMBER.fullmatch(text)
    if number is None or (number[2] and kind is not Kind.PERCENT):
        return text
    value = Decimal(number[1])
    if kind in _WHOLE:
        return int(value) if value == value.to_integral_value() else text
    return f"{value:f}%" if number[2] else f"{value:f}"


@frozen
class _PlainForm:
    """A `pattern` of cells that `cast` reads at once, as `cell_value` reads each."""

    pattern: str
    cast: Callable[[pl.Expr], pl.Expr]


def _decimals(text: pl.Expr) -> pl.Expr:
    return text.cast(pl.Decimal(19, 6), strict=False)


def _whole_numbers(text: pl.Expr) -> pl.Expr:
    return text.str.replace(r"\.0*$", "").cast(pl.Int64, strict=False)


def _flags(text: pl.Expr) -> pl.Expr:
    return text.str.to_lowercase() == "true"


def _days(text: pl.Expr) -> pl.Expr:
    return text.str.head(10).str.to_date("%Y-%m-%d", strict=False)


_DECIMAL: Final = _PlainForm(r"^-?[0-9]{1,13}(\.[0-9]{1,6})?$", _decimals)
_COUNT: Final = _PlainForm(r"^-?[0-9]{1,17}(\.0{0,9})?$", _whole_numbers)
_PLAIN: Final[Mapping[Kind, _PlainForm]] = {
    Kind.PERCENT: _DECIMAL,
    Kind.RATIO: _DECIMAL,
    Kind.MONEY: _DECIMAL,
    Kind.COUNT: _COUNT,
    Kind.DAYS: _COUNT,
    Kind.FLAG: _PlainForm("^(?i:true|false)$", _flags),
    Kind.DATE: _PlainForm(f"^(?:{_DAY.pattern})$", _days),
}


def with_values(frame: pl.DataFrame, facts: Iterable[Fact], code_column: str) -> pl.DataFrame:
    """
    Return *frame* with the texts in the columns of *facts* as values of their kinds.

    Spaces around the codes in *code_column* are dropped. Facts of several jurisdictions may share
    a name.
    """
    kinds: dict[str, Kind] = {}
    declared: dict[str, set[str]] = {}
    for fact in facts:
        kinds[fact.name] = fact.type.kind
        declared.setdefault(fact.name, set()).update(fact.type.options)
    texts = [name for name in frame.columns if frame[name].dtype == pl.String]
    columns = [_values(frame[name], kinds[name], declared[name]) for name in texts if name in kinds]
    if code_column in texts:
        columns.append(frame[code_column].str.strip_chars())
    return frame.with_columns(columns)


def _values(column: pl.Series, kind: Kind, declared: Collection[str]) -> pl.Series:
    text = pl.col(column.name).str.strip_chars()
    no_value = text.str.to_lowercase().is_in(list(MISSING)) & ~text.is_in(list(declared))
    texts = column.to_frame().select(pl.when(~no_value).then(text)).to_series()
    form = _PLAIN.get(kind)
    if form is None:
        return texts
    if texts.str.contains(form.pattern).all():  # nulls are left out
        values = texts.to_frame().select(form.cast(pl.col(column.name))).to_series()
        if values.null_count() == texts.null_count():  # 2026-02-30 is no day
            return values
    distinct = texts.unique().drop_nulls().to_list()
    read = {cell: cell_value(cell, kind, declared) for cell in distinct}
    return pl.Series(column.name, [read.get(cell) for cell in texts], dtype=pl.Object)
