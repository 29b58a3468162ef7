"""Cells of files without types: each means the same next to any others."""

from __future__ import annotations

from datetime import date
from functools import cache

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import count
from holdback import load_jurisdictions
from holdback.portfolio import ColumnMapping, prepare, read, sample
from holdback.portfolio.files.cells import text_columns, with_plain_values

RULES = load_jurisdictions().resolve("AU", on=date(2026, 7, 1))
FACTS = tuple(RULES.catalogue.facts)
DEAL = sample(200, 7, backend="polars").filter(jurisdiction="AU").head(1)
_ODD = """
231.0 1e3 1E-2 64% 64.5% 64,5 .5 5. +5 -0 007 - NaN NA None #N/A true TRUE False 1 0 yes Funded
2026-07-01 2026-02-30 2026-07-01T00:00:00 2026-07-01T12:00:00 01/07/2026 1,234.50 (5.00) £5
30.299999999999997 49.99999999999999999 99999999999999999999999999999999
"""
CELLS = st.one_of(
    st.sampled_from(_ODD.split()),
    st.sampled_from(["", " ", " 64.5 ", "AUD 5.00", "USD 5.00", "21 days", "2026-07-01 00:00:00"]),
    st.integers(-5, 200).map(str),
    st.decimals(0, 120, places=4).map(str),
    st.text(max_size=4),
)
MAPPINGS = (
    ColumnMapping(),
    ColumnMapping(percentages="fractions"),
    ColumnMapping(decimal_mark=",", thousands=".", dates="DD/MM/YYYY"),
)


def meanings(name, cells, mapping):
    """What *cells* in the column *name* mean: a number, or that a cell is unknown or invalid."""
    rows = pl.DataFrame({name: pl.Series(cells, dtype=pl.String)})
    frame = with_plain_values(rows, text_columns(FACTS, mapping, None))
    frame = DEAL.drop(name).join(read(frame, mapping, rules=RULES), how="cross")
    prepared = prepare(frame, RULES)
    return list(zip(prepared[name].to_list(), (prepared["invalid"] > 0).to_list(), strict=True))


@cache
def meaning_alone(name, cell, place):
    """What a cell means in a column of its own, by a mapping's place: most are drawn again."""
    return meanings(name, [cell], MAPPINGS[place])[0]


@pytest.mark.filterwarnings("ignore::holdback.portfolio.SuspectColumns")  # the cells are drawn
@pytest.mark.parametrize(
    "name", ["progress", "balance", "missed_remittances_30d", "paused", "credit_checked_on"]
)
@settings(max_examples=count("columns read cell by cell"))
@given(cells=st.lists(CELLS, min_size=2, max_size=6), place=st.sampled_from(range(len(MAPPINGS))))
def test_one_cell_never_changes_how_a_column_is_read(name, cells, place):
    """
    One cell never changes how a column is read: row by row and whole, a file means the same.
    """
    alone = [meaning_alone(name, cell, place) for cell in cells]

    assert meanings(name, cells, MAPPINGS[place]) == alone


@pytest.mark.parametrize(
    ("name", "cells", "numbers"),
    [
        ("missed_remittances_30d", ["3.0", "3", "3.5"], [(3, False), (3, False), (None, True)]),
        (
            "missed_remittances_30d",
            ["1.000", "2.00", "12.0000"],
            [(None, True), (2, False), (12, False)],
        ),
        ("balance", ["1e3", "NaN", "12,5"], [(100000, False), (None, False), (None, True)]),
        ("paused", ["TRUE", "", "yes"], [(1, False), (None, False), (None, True)]),
        ("progress", ["64.5 %", "64.5", "n/a"], [(645000, False), (645000, False), (None, False)]),
    ],
)
def test_cells_as_libraries_write_them(name, cells, numbers):
    """
    What pandas, Polars, DuckDB, Excel write as CSV is read by the command.
    """
    assert meanings(name, cells, ColumnMapping()) == numbers
