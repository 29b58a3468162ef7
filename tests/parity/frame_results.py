"""
The contents of frames of any engine, as Python values to compare.
"""

from __future__ import annotations

import narwhals.stable.v2 as nw
import polars as pl
import pyarrow as pa
from expected_values import INVALID

from holdback import portfolio
from holdback.portfolio.reading.frames import in_polars
from holdback.portfolio.sql.words import identifier
from holdback.rules.sql import DUCKDB, POLARS, SPARK, flag_sql

RESULTS = ("outcome", "eligible", "failing", "needs")


# -- prepared rows


def integer_table(catalogue, rows, *, narrow=False, unsigned=True):
    """
    The prepared *rows* as an Arrow table. With *narrow*, columns have the smallest types that hold
    the facts' ranges, some of them *unsigned*.
    """
    found = zip(catalogue.facts, zip(*rows, strict=True), strict=True)
    types = {
        fact.name: _narrowest(fact, unsigned=unsigned and place % 2 == 0) if narrow else pa.int64()
        for place, fact in enumerate(catalogue.facts)
    }
    return pa.table({fact.name: pa.array(numbers, types[fact.name]) for fact, numbers in found})


def _narrowest(fact, *, unsigned):
    """The smallest integer type that holds the range of *fact*."""
    for bits in (8, 16, 32):
        if unsigned and fact.low >= 0 and fact.high < 2**bits:
            return getattr(pa, f"uint{bits}")()
        if -(2 ** (bits - 1)) <= fact.low and fact.high < 2 ** (bits - 1):
            return getattr(pa, f"int{bits}")()
    return pa.uint64() if unsigned and fact.low >= 0 else pa.int64()


def columns_of(frame, *names):
    """The columns *names* of a native *frame* as lists of Python values."""
    known = nw.from_native(frame).select(*names)
    if isinstance(known, nw.LazyFrame):
        known = known.collect()
    table = known.to_arrow()
    return [table[name].to_pylist() for name in names]


def row_outcomes(frame):
    """Outcome, failing and needs of each row of an assessed *frame*; `eligible` must agree."""
    outcomes, eligible, failing, needs = columns_of(frame, *RESULTS)
    assert eligible == [outcome == 0 for outcome in outcomes]
    return list(zip(outcomes, failing, needs, strict=True))


def own_answers(frame, rulebook):
    """What each rule of *rulebook* says by itself of each row of a *frame* with `each_rule`."""
    codes = [rule.code for rule in rulebook.renewal.rules]
    return tuple(zip(*columns_of(frame, *codes), strict=True))


def rule_answers(frame, case):
    """
    The answer of each rule of *case* to each row of the native *frame*: true, false or None.

    It is that of the SQL which the frame runs, in Polars if it is in memory.
    """
    dialect, selected = selects(frame)
    shown = {}
    for place, rule in enumerate(case.rules):
        said = flag_sql(rule, {name: identifier(name, dialect) for name in rule.names}, dialect)
        shown |= {f"t{place}": said.true, f"f{place}": said.false, f"u{place}": said.unknown}
    found = columns_of(selected(shown), *shown)
    by_rule = [
        [_only(*flags) for flags in zip(*found[place : place + 3], strict=True)]
        for place in range(0, len(found), 3)
    ]
    return tuple(zip(*by_rule, strict=True))


def selects(frame):
    """The dialect of the native *frame*, and the function that selects columns of SQL from it."""
    if hasattr(frame, "selectExpr"):
        return SPARK, lambda shown: frame.selectExpr(*(f"{t} as {n}" for n, t in shown.items()))
    if hasattr(frame, "project"):
        return DUCKDB, lambda shown: frame.project(
            ", ".join(f"{t} as {n}" for n, t in shown.items())
        )
    opened = nw.from_native(frame)
    rows = frame if isinstance(frame, pl.LazyFrame) else in_polars(opened, opened.columns)
    return POLARS, lambda shown: rows.select(**{n: pl.sql_expr(t) for n, t in shown.items()})


def _only(true, false, unknown):
    true, false = true is True, false is True
    assert true + false + unknown == 1
    return True if true else False if false else None


# -- plain rows


def misread(frame, native):
    """The values that `prepare` misreads in *native*: column, value, and what it read."""
    names = [each.fact.name for each in frame.columns]
    *found, masks = columns_of(portfolio.prepare(native, frame.book), *names, "invalid")
    meanings = zip(*frame.rows, strict=True)
    for place, (name, numbers, expected) in enumerate(zip(names, found, meanings, strict=True)):
        for number, mask, (value, expected_value) in zip(numbers, masks, expected, strict=True):
            read = number if not mask >> place & 1 else INVALID if number is None else "both"
            if read != expected_value:
                yield name, value, read
