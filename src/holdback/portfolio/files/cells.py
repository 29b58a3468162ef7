"""
The cells of files without types, as CSV files are: what each text means as a value of a fact.

A cell is read by itself, without regard to the others of its column: `cell_text` and the reader of
mappings say how. A column whose cells are all of a plain form is read at once, with that result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal
from typing import Final

import polars as pl
from attrs import field

from holdback.frozen_classes import frozen
from holdback.portfolio.reading.column_mapping import ColumnMapping, Form
from holdback.portfolio.reading.mapped_values import ISO, is_point_clear
from holdback.portfolio.reading.named_columns import ON
from holdback.portfolio.reading.single_values import TWO_MEANINGS, has_two_meanings
from holdback.rules.types import Fact, Kind

# What pandas, Polars, DuckDB, R and Excel write where there is no value.
MISSING: Final = frozenset(
    {"", "-", "<na>", "#n/a", "n/a", "na", "nan", "nat", "none", "null", "\\n"}
)
# The heads of the cells of a row that are numbers or days; no user has a column of this name.
TYPED: Final = "holdback: typed"
_WHOLE: Final = (Kind.COUNT, Kind.DAYS)
_NUMBER: Final = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?)( ?%)?")
# A day, as libraries write it that have midnights and no days.
_DAY: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]00:00(?::00(?:\.0{1,9})?)?)?")
_FLAGS: Final = ("true", "false")


def is_missing(text: str) -> bool:
    """
    Return whether a cell with this *text* has no value.

    >>> is_missing("NaN"), is_missing(" "), is_missing("0")
    (True, True, False)
    """
    return text.strip().lower() in MISSING


def cell_text(text: str, kind: Kind) -> str:
    """
    Return the *text* of a cell, which has a value, in the form that facts documents have.

    A text that has no meaning as *kind* is returned unchanged: the reader of the fact refuses it.

    >>> cell_text("231.0", Kind.COUNT), cell_text("TRUE", Kind.FLAG), cell_text("1e3", Kind.MONEY)
    ('231', 'true', '1000')
    >>> cell_text("2026-07-01 00:00:00", Kind.DATE), cell_text("12,5", Kind.PERCENT)
    ('2026-07-01', '12,5')
    """
    if kind is Kind.FLAG:
        return text.lower() if text.lower() in _FLAGS else text
    if kind is Kind.DATE:
        day = _DAY.fullmatch(text)
        return day[1] if day else text
    is_number = kind is not Kind.TEXT and not (kind in _WHOLE and has_two_meanings(text))
    number = _NUMBER.fullmatch(text) if is_number else None
    if number is None or (number[2] and kind is not Kind.PERCENT):
        return text
    value = Decimal(number[1])
    if kind in _WHOLE and value == value.to_integral_value():
        return str(int(value))
    return f"{value:f}%" if number[2] else f"{value:f}"


@frozen
class _PlainForm:
    """A `pattern` of cells that `cast` reads at once, as single cells are read."""

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


_STRFTIME: Final = {"YYYY": "%Y", "MM": "%m", "MON": "%b", "DD": "%d"}


@frozen
class TextColumn:
    """
    A column of texts: the kind of its fact, and the texts that have a meaning of their own there.

    `is_plain` unless a mapping says that numbers, days or flags are written in another way, and
    `is_clear` unless a point in its numbers may be between thousands.
    """

    kind: Kind
    declared: Collection[str] = ()
    form: Form = field(factory=Form)
    is_plain: bool = True
    is_clear: bool = True


def text_columns(
    facts: Iterable[Fact], mapping: ColumnMapping, day_column: str | None
) -> Mapping[str, TextColumn]:
    """Return the columns that hold *facts*, and the days, as *mapping* describes them."""
    columns: dict[str, TextColumn] = {}
    for fact in facts:
        name = mapping.columns.get(fact.name, fact.name)
        form, texts = mapping.form(fact.name), mapping.texts.get(fact.name, {})
        earlier = columns[name].declared if name in columns else ()
        columns[name] = TextColumn(
            kind=fact.type.kind,
            declared={*earlier, *fact.type.options, *texts},
            form=form,
            is_plain=form.decimal_mark != "," and form.dates in (None, ISO) and not texts,
            is_clear=is_point_clear(fact, form, among_commas=mapping.has_commas),
        )
    if day_column is not None:
        name, form = mapping.columns.get(ON, day_column), mapping.form(ON)
        columns[name] = TextColumn(Kind.DATE, form=form, is_plain=form.dates in (None, ISO))
    return columns


def with_plain_values(frame: pl.DataFrame, columns: Mapping[str, TextColumn]) -> pl.DataFrame:
    """
    Return *frame* with the texts in *columns* as values, or as texts that a mapping reads.

    A column of cells of a plain form has typed values then, any other texts, of which `read` reads
    each. The cells in `TYPED`, which is left out, are written as the mapping says of texts.
    """
    texts = [name for name in columns if frame.schema.get(name) == pl.String]
    if TYPED in frame.columns:
        frame = frame.with_columns(_text_in_form(name, columns[name]) for name in texts)
        frame = frame.drop(TYPED)
    return frame.with_columns(_values(frame[name], columns[name]) for name in texts)


def texts_to_suggest_from(frame: pl.DataFrame, columns: Mapping[str, TextColumn]) -> pl.DataFrame:
    """
    Return *frame* with its cells as texts, from which it is seen how they are written.

    A column of numbers or of days has typed values. Among texts they are left out.
    """
    if TYPED in frame.columns:
        names = [name for name in frame.columns if name != TYPED]
        frame = frame.select(_typed_or_texts(frame.select(name, TYPED)) for name in names)
    texts = [name for name in columns if frame.schema.get(name) == pl.String]
    return frame.with_columns(_cleaned(frame[name], columns[name]) for name in texts)


def _typed_or_texts(frame: pl.DataFrame) -> pl.Series:
    """
    Return the first column of *frame*; the second, `TYPED`, names the columns typed in each row.

    A typed cell is one that its file holds as a number or a day, as a workbook does. Where every
    cell with a value is typed, the column has days or numbers if all can be read so, and their
    texts if not. Where a text has a value, it has the texts alone: only they show how.
    """
    name = frame.columns[0]
    is_typed = pl.col(TYPED).list.contains(name)
    typed, texts = (
        frame.select(pl.when(chosen).then(pl.col(name))).to_series()
        for chosen in (is_typed, ~is_typed)
    )
    given = texts.drop_nulls().str.strip_chars().str.to_lowercase()
    if typed.null_count() == typed.len() or not given.is_in(list(MISSING)).all():
        return texts
    for form in (_PLAIN[Kind.DATE], _DECIMAL):
        if typed.str.contains(form.pattern).all():
            return typed.to_frame().select(form.cast(pl.col(name))).to_series()
    numbers = typed.cast(pl.Float64, strict=False)
    return numbers if numbers.null_count() == typed.null_count() else typed


def _text_in_form(name: str, column: TextColumn) -> pl.Expr:
    """The texts of a column, those of numbers and days in the form that a mapping says."""
    text, form = pl.col(name), column.form
    if column.kind is Kind.DATE:
        pattern = re.sub("YYYY|MM|MON|DD", lambda part: _STRFTIME[part[0]], form.dates or ISO)
        typed = text.str.to_date("%Y-%m-%d", strict=False).dt.strftime(pattern).fill_null(text)
    else:
        typed = text.str.replace(".", form.decimal_mark or ".", literal=True)
        if not column.is_clear:  # 77.1250 cannot be thousands
            typed = text.str.replace(r"^(-?[0-9]{1,3}\.[0-9]{3})(%?)$", "${1}0${2}")
    return pl.when(pl.col(TYPED).list.contains(name)).then(typed).otherwise(text).alias(name)


def _cleaned(series: pl.Series, column: TextColumn) -> pl.Series:
    """The cells of a column in plain texts, null where there is no value."""
    texts = _given(series, column)
    if column.kind in _WHOLE:
        return texts  # 231.0 shows a point
    return _each_plain(texts, column.kind)


def _given(series: pl.Series, column: TextColumn) -> pl.Series:
    """The texts that are values, without spaces around them."""
    text = pl.col(series.name).str.strip_chars()
    no_value = text.str.to_lowercase().is_in(list(MISSING)) & ~text.is_in(list(column.declared))
    return series.to_frame().select(pl.when(~no_value).then(text)).to_series()


def _each_plain(texts: pl.Series, kind: Kind) -> pl.Series:
    distinct = texts.unique().drop_nulls().to_list()
    read = {cell: cell_text(cell, kind) for cell in distinct}
    return pl.Series(texts.name, [read.get(cell) for cell in texts], dtype=pl.String)


def _values(series: pl.Series, column: TextColumn) -> pl.Series:
    texts = _given(series, column)
    form = _PLAIN.get(column.kind)
    if form is None or not column.is_plain:
        return texts
    is_clear = column.is_clear or not texts.str.contains(TWO_MEANINGS).any()
    if is_clear and texts.str.contains(form.pattern).all():  # nulls are left out
        values = texts.to_frame().select(form.cast(pl.col(series.name))).to_series()
        if values.null_count() == texts.null_count():  # 2026-02-30 is not a day
            return values
    return _each_plain(texts, column.kind)
