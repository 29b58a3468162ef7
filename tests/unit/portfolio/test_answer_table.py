"""An answer is a frame of typed columns, and a text and a display that fit a screen."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from holdback.exact.exact_json import write_json
from holdback.portfolio import AnswerTable

HEADS = ("jurisdiction", "day", "present", "deals", "share", "balance", "currency")
ROW = ("GB", date(2026, 7, 31), True, 1200, Decimal("0.25"), Decimal("1234567.50"), "GBP")
NOTHING = (None,) * len(HEADS)


def answer(*rows, **changes):
    given = {"question": "projection", "title": "Deals", "heads": HEADS, "rows": rows}
    return AnswerTable(**(given | changes))


@pytest.mark.parametrize("rows", [(), (ROW,), (ROW, NOTHING), (NOTHING, NOTHING)])
def test_the_types_of_a_column_do_not_depend_on_what_is_known(rows):
    """
    Integers stay integers, amounts Decimals and dates dates, also where nothing is known.
    """
    found = answer(*rows)

    frame = found.to_frame("polars")
    kinds = [dtype.base_type() for dtype in frame.dtypes]
    assert kinds == [pl.String, pl.Date, pl.Boolean, pl.Int64, pl.Decimal, pl.Decimal, pl.String]
    assert frame.rows() == list(rows)
    table = found.to_frame("pyarrow")
    assert [str(kind).partition("(")[0] for kind in table.schema.types] == [
        "string",
        "date32[day]",
        "bool",
        "int64",
        "decimal128",
        "decimal128",
        "string",
    ]
    assert [tuple(row.values()) for row in table.to_pylist()] == list(rows)
    of_pandas = found.to_frame("pandas")
    assert pd.api.types.is_integer_dtype(of_pandas["deals"])
    assert pd.api.types.is_bool_dtype(of_pandas["present"])
    cells = [
        tuple(None if pd.isna(cell) else cell for cell in row)
        for row in of_pandas.itertuples(index=False)
    ]
    assert cells == list(rows)


def test_an_amount_keeps_its_decimals():
    """
    Yen have none and dinars three; a column holds both.
    """
    rows = [(*ROW[:5], Decimal(amount), "X") for amount in ("1.250", "7", "0.10")]

    for library in ("polars", "pyarrow"):
        frame = answer(*rows).to_frame(library)
        cells = frame["balance"].to_pylist() if library == "pyarrow" else frame["balance"].to_list()
        assert cells == [Decimal("1.25"), 7, Decimal("0.1")]


def test_a_frame_is_of_the_library_of_the_deals():
    """
    `to_frame` gives a frame of the deals' library, or of another that is named.
    """
    assert isinstance(answer(ROW).to_frame(), pd.DataFrame)
    assert isinstance(answer(ROW, backend="polars").to_frame(), pl.DataFrame)
    assert isinstance(answer(ROW, backend="polars").to_frame("pyarrow"), pa.Table)


def test_a_text_has_thousands_currencies_and_percentages():
    """
    Amounts are shown with their currency, numbers with thousands and on the right, and shares as
    percentages; what it notes is below.
    """
    assert str(answer(ROW, NOTHING, notes=("as stated",))).splitlines() == [
        "Deals",
        "jurisdiction  day         present  deals  share           balance",
        "GB            2026-07-31  yes      1,200  25.0%  GBP 1,234,567.50",
        "",
        "as stated",
    ]
    assert repr(answer(ROW)) == "<AnswerTable projection: Deals (1 row)>"


def test_a_long_answer_fits_a_screen():
    """
    The middle of a long table is left out, and the number of rows that are is said.
    """
    rows = [(f"J{number}", *ROW[1:]) for number in range(2_000)]
    found = answer(*rows, notes=("as stated",))

    for shown in (str(found), found._repr_html_()):
        assert "1,970 of 2,000 rows are left out here; to_frame() has all" in shown
        assert "J14" in shown
        assert "J1985" in shown
        assert "J15<" not in shown
        assert "J1984" not in shown
        assert "as stated" in shown
    assert found._repr_html_().count("<tr") == 1 + 15 + 1 + 15
    assert str(found).count("\n") < 40


def test_a_display_escapes_every_text():
    """
    A text of the user's own is never HTML.
    """
    hostile = "<script>alert(1)</script>"
    found = answer((hostile, *ROW[1:]), title=hostile, notes=(hostile,))

    assert "<script" not in found._repr_html_()
    assert "text-align:right" in found._repr_html_()


def test_an_answer_is_written_as_json():
    """
    The plain answer holds numbers as numbers and days as texts.
    """
    written = write_json(answer(ROW, notes=("as stated",)).plain())

    assert '"day":"2026-07-31"' in written
    assert '"balance":1234567.50' in written
    assert '"notes":["as stated"]' in written


def test_no_type_of_numpy_is_in_a_frame_of_pandas_but_its_own():
    """
    A frame without unknown cells has the plain types of NumPy.
    """
    frame = answer(ROW).to_frame("pandas")

    assert frame["deals"].dtype == np.int64
    assert frame["present"].dtype == np.bool_
    assert frame["balance"].sum() == Decimal("1234567.50")
