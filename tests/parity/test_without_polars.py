"""Frames of pandas and PyArrow are answered alike in Polars and in their own library."""

from __future__ import annotations

import narwhals.stable.v2 as nw
import pandas as pd
import pyarrow as pa
import pytest
from frame_kinds import FRAME_KINDS, PLAIN_FRAME_KINDS
from frame_results import columns_of, misread, row_outcomes
from plain_column_cases import FACTS, STORAGES, frames
from test_special_columns import NAMED, OBJECTS, TEXTS, book_of, column_of, numbered

from counts import count
from holdback import Jurisdictions, load_jurisdictions
from holdback.portfolio import assess, findings, prepare, sample, summarise
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.work_frame import open_frame

KINDS = [kind for kind in PLAIN_FRAME_KINDS if kind.startswith(("pandas", "pyarrow"))]
# The fewer jurisdictions, the faster; rows of others are invalid.
LOADED = load_jurisdictions()
SHIPPED = Jurisdictions([LOADED["GB"], LOADED["IE"]])
DEALS = sample(400, seed=11)


@pytest.fixture
def hide(monkeypatch):
    """A function that hides Polars from frames of other libraries."""
    return lambda: monkeypatch.setattr(
        "holdback.portfolio.reading.column_plan.engine_for", lambda frame: None
    )


def as_lists(frame):
    """The columns of *frame* with their types, and missing values as None."""
    table = nw.from_native(frame).to_arrow()
    native = {name: str(frame[name].dtype) for name in frame} if hasattr(frame, "dtypes") else {}
    values = {
        name: [None if v != v else v for v in table[name].to_pylist()]
        for name in table.column_names
    }
    return values, native or table.schema


CALLS = {
    "assess": lambda frame: assess(frame, SHIPPED),
    "readable": lambda frame: assess(frame, SHIPPED, readable=True),
    "each rule": lambda frame: assess(frame, SHIPPED, each_rule=True),
    "prepare": lambda frame: prepare(frame, SHIPPED),
    "prepared": lambda frame: assess(prepare(frame, SHIPPED), SHIPPED, prepared=True),
}


@pytest.mark.parametrize("kind", KINDS)
def test_polars_is_used_where_it_is_installed(kind, hide):
    """Frames of pandas and PyArrow are worked on in Polars, if it is installed."""

    def engine():
        frame = open_frame(FRAME_KINDS[kind](DEALS))
        return ColumnPlan.of(frame, SHIPPED, "jurisdiction", None, prepared=False).engine

    assert engine() is not None
    hide()
    assert engine() is None


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", KINDS)
def test_results_and_their_types_are_the_same(kind, call, hide):
    """Values, types of columns, and their order are the same with and without Polars."""
    frame = FRAME_KINDS[kind](DEALS)
    within = as_lists(CALLS[call](frame))
    hide()
    assert as_lists(CALLS[call](frame)) == within


@pytest.mark.parametrize("kind", KINDS)
def test_summaries_and_findings_are_the_same(kind, hide):
    """So are summaries, and what is found before an assessment."""
    frame = FRAME_KINDS[kind](DEALS)
    within = str(summarise(frame, SHIPPED)), findings(frame, SHIPPED).rows
    hide()
    assert (str(summarise(frame, SHIPPED)), findings(frame, SHIPPED).rows) == within


INDEXES = {
    "duplicates": pd.Index([3] * 400, name="deal"),
    "several levels": pd.MultiIndex.from_arrays([[1, 2] * 200, range(400)], names=["a", "b"]),
    "in another order": pd.RangeIndex(400, 0, -1),
}


@pytest.mark.parametrize("name", INDEXES)
def test_the_rest_of_a_pandas_frame_stays(name, hide):
    """The index, `attrs`, and the types of other columns stay, with and without Polars."""
    frame = FRAME_KINDS["pandas nullable"](DEALS).set_axis(INDEXES[name], axis=0)
    frame["ours"] = pd.Categorical(["a", "b"] * 200)
    frame["objects"] = [object()] * 400
    frame.attrs["source"] = "ours"
    for _ in range(2):
        found = assess(frame, SHIPPED)
        pd.testing.assert_frame_equal(found[list(frame.columns)], frame, check_index_type="exact")
        assert found.attrs == {"source": "ours"}
        hide()


@pytest.mark.parametrize("kind", KINDS)
def test_values_mean_the_same_without_polars(kind, hide):
    """Plain columns of every type are read by their own library as `Fact.read` has it."""
    make, lacking = PLAIN_FRAME_KINDS[kind]
    here = [each for name, each in STORAGES.items() if name not in lacking]
    chosen = frames(here, whole_are_known=kind == "pandas numpy")
    hide()
    for frame in chosen[: count("plain frames read without Polars")]:
        native = make(frame.table)
        assert list(misread(frame, native))[:20] == []
        assert row_outcomes(assess(native, frame.book)) == frame.expected


@pytest.mark.parametrize("values", [OBJECTS, TEXTS], ids=["objects", "texts"])
def test_texts_and_objects_mean_the_same_without_polars(values, hide):
    """Texts and objects are read by `Fact.read`, one by one or together."""
    _, frame = column_of(values, "pandas")
    names = [fact.name for fact in numbered(FACTS)]
    rules = book_of(numbered(FACTS))
    within = columns_of(prepare(frame, rules), *names, "invalid")
    hide()
    assert columns_of(prepare(frame, rules), *names, "invalid") == within


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_days_far_beyond_the_calendar(unit, hide):
    """Instants that another unit of time could not hold are invalid, and no other day."""
    far = [2**62, -(2**62), 2**62 - 2**62 % 86_400, 0]
    column = pa.array(far, pa.timestamp(unit))
    table = pa.table({"progress": [64] * 4, "any_day": column})
    rules = book_of([NAMED["any_day"]])
    within = columns_of(prepare(table, rules), "any_day", "invalid")
    hide()
    assert columns_of(prepare(table, rules), "any_day", "invalid") == within
