"""A million deals in memory: Polars, NumPy and pandas by hand, other engines, and holdback.

`batch.py` describes what is measured and the ratios to reach. Contenders that are compared with
each other take turns in small groups, because one that fills gigabytes empties the caches for the
next.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

import engines
import frames_by_hand
import pandas as pd
import polars as pl
import pyarrow as pa
from ratios import Contender, at_least, at_most
from right_answers import ANSWER, check_masks
from setting import Group, Row, Setting
from task import CODES

from holdback import load_jurisdictions, portfolio

ZEN_DEALS = 20_000  # at most

POLARS, NUMPY = "Polars by hand", "NumPy by hand"
STREAMED = "Polars by hand, streaming engine"
ON_POLARS, ON_POLARS_KNOWN = "holdback on Polars", "holdback on Polars, no unknowns"
ON_LAZY = "holdback on a lazy Polars frame"
OPENFISCA, OPENFISCA_SET = "openfisca-core", "openfisca-core, inputs set beforehand"
ZEN = f"zen-engine evaluate_batch, {ZEN_DEALS:,} deals"
BLAZE = "BlazeRules, failing codes, from floats"
PANDAS, PARSED = (
    "pandas by hand, from floats",
    {"objects": "Decimals parsed alone", "texts": "texts parsed alone"},
)
ON_PANDAS = "holdback on pandas, from floats of NumPy"
ON_VALUES = {
    "objects": "holdback on pandas, from Python's Decimals",
    "texts": "holdback on pandas, from texts",
}
ONE, TEN = "holdback, one jurisdiction", "holdback, ten jurisdictions"
ON_ARROW = "holdback on PyArrow"
ON_NULLABLE = "holdback on pandas, nullable types"
ON_ARROW_TYPES = "holdback on pandas, Arrow types"
ON_NUMPY_TYPES = "holdback on pandas, NumPy types, no unknowns"
CONVERTED = {"Decimal columns": True, "float columns": False}


# -- by hand, and the peers


def polars_by_hand(
    setting: Setting, name: str = POLARS, engine: Any = "in-memory"
) -> Iterable[Contender]:
    """A lazy query on floats, collected."""
    million = setting.million
    frame = pl.from_arrow(million.plain(exact=False, unknown=False)).rechunk()
    query = frames_by_hand.polars_query(frame)
    answer = query.collect(engine=engine)
    check_masks(answer["failing"], answer["eligible"], million)
    yield Contender(name, lambda: query.collect(engine=engine), million.count)


def polars_streamed(setting: Setting) -> Iterable[Contender]:
    """The same by Polars' streaming engine, which processes a frame part by part."""
    return polars_by_hand(setting, STREAMED, "streaming")


def numpy_by_hand(setting: Setting) -> Iterable[Contender]:
    """Arrays of floats."""
    million, facts = setting.million, setting.million.arrays()
    check_masks(*frames_by_hand.numpy_masks(facts), million)
    yield Contender(NUMPY, lambda: frames_by_hand.numpy_masks(facts), million.count)


def openfisca(setting: Setting) -> Iterable[Contender]:
    """From the arrays that NumPy has, and with its inputs set beforehand."""
    import openfisca_country

    million = setting.million
    for name, again in ((OPENFISCA, True), (OPENFISCA_SET, False)):
        run = openfisca_country.calculation(million.arrays(), set_inputs_again=again)
        check_masks(*run(), million)
        yield Contender(name, run, million.count)


def zen(setting: Setting) -> Iterable[Contender]:
    """A batch of zen-engine's, on some of the deals."""
    deals = setting.million.plain(exact=False, unknown=False).slice(0, ZEN_DEALS).to_pylist()
    run, codes = engines.zen_batch(deals)
    masks = [sum(1 << CODES.index(code) for code in found) for found in codes(run())]
    check_masks(masks, [not mask for mask in masks], setting.million)
    yield Contender(ZEN, run, len(deals))


def blaze(setting: Setting) -> Iterable[Contender]:
    """BlazeRules, which takes an unknown fact for one that fails no rule: here none is unknown."""
    run, masks = engines.blaze_batch(setting.million.plain(exact=False, unknown=False))
    found = masks(run())
    check_masks(found, found == 0, setting.million)
    yield Contender(BLAZE, run, setting.million.count)


def pandas_by_hand(setting: Setting) -> Iterable[Contender]:
    """Boolean columns of pandas, on floats and texts."""
    million = setting.million
    frame = million.plain(exact=False, unknown=False).to_pandas()
    answer = frames_by_hand.pandas_answer(frame)
    check_masks(answer["failing"], answer["eligible"], million)
    yield Contender(PANDAS, lambda: frames_by_hand.pandas_answer(frame), million.count)


# -- ours


def on_polars(setting: Setting) -> Iterable[Contender]:
    """On a frame with unknown facts."""
    frame = pl.from_arrow(setting.million.prepared(unknown=True)).rechunk()
    yield setting.ours(ON_POLARS, frame, unknown=True, arrow=pl.DataFrame.to_arrow)


def on_other_polars(setting: Setting) -> Iterable[Contender]:
    """On a frame without unknown facts, and on a lazy frame, whose nulls cannot be counted."""
    known = pl.from_arrow(setting.million.prepared(unknown=False)).rechunk()
    yield setting.ours(ON_POLARS_KNOWN, known, unknown=False, arrow=pl.DataFrame.to_arrow)
    lazy = pl.from_arrow(setting.million.prepared(unknown=True)).rechunk().lazy()
    yield setting.ours(
        ON_LAZY,
        lazy,
        unknown=True,
        arrow=lambda answer: answer.collect().to_arrow(),
        sink=pl.LazyFrame.collect,
    )


def table_of(frame: pd.DataFrame) -> pa.Table:
    """Return the result in a pandas frame as an Arrow table."""
    return pa.Table.from_pandas(frame[list(ANSWER)], preserve_index=False)


def on_arrow_and_pandas(setting: Setting) -> Iterable[Contender]:
    """On PyArrow, and on pandas with each of its families of types."""
    on, hidden = setting.ours, setting.million.prepared(unknown=True)
    yield on(ON_ARROW, hidden, unknown=True, arrow=lambda answer: answer)
    nullable = hidden.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    yield on(ON_NULLABLE, nullable, unknown=True, arrow=table_of)
    arrow_types = hidden.to_pandas(types_mapper=pd.ArrowDtype)
    yield on(ON_ARROW_TYPES, arrow_types, unknown=True, arrow=table_of)
    ordinary = setting.million.prepared(unknown=False).to_pandas()
    yield on(ON_NUMPY_TYPES, ordinary, unknown=False, arrow=table_of)


def conversions(setting: Setting) -> Iterable[Contender]:
    """Preparing columns, and assessing plain ones directly."""
    prepared = pl.from_arrow(setting.million.prepared(unknown=True))
    for name, exact in CONVERTED.items():
        frame = pl.from_arrow(setting.million.plain(exact=exact, unknown=True)).rechunk()

        def prepare(frame: pl.DataFrame = frame) -> pl.DataFrame:
            return portfolio.prepare(frame, setting.rules)

        made = prepare().select(prepared.columns).cast(pl.Int64)
        assert made.equals(prepared), f"prepared from {name}, the facts are others"
        yield Contender(f"prepare, from {name}", prepare, setting.million.count)
        yield setting.ours(
            f"holdback on {name}",
            frame,
            unknown=True,
            arrow=pl.DataFrame.to_arrow,
            prepared=False,
        )


def on_ordinary_pandas(setting: Setting) -> Iterable[Contender]:
    """On pandas as Arrow's floats become it, without unknown facts, like the rules by hand."""
    frame = setting.million.plain(exact=False, unknown=False).to_pandas()
    yield setting.ours(ON_PANDAS, frame, unknown=False, arrow=table_of, prepared=False)


def on_values(setting: Setting) -> Iterable[Contender]:
    """On columns of Python's Decimals, and of texts; and Arrow's parsing of them alone."""
    exact = setting.million.plain(exact=True, unknown=True)
    types = {field.name: field.type for field in exact.schema if pa.types.is_decimal(field.type)}
    objects = exact.to_pandas()
    texts = objects.assign(**{name: exact[name].cast(pa.string()).to_pandas() for name in types})

    def parsed_objects() -> list[pa.Array]:
        return [pa.array(objects[name].tolist(), type_) for name, type_ in types.items()]

    def parsed_texts() -> list[pa.Array]:
        return [pa.array(texts[name]).cast(type_) for name, type_ in types.items()]

    frames = {"objects": (objects, parsed_objects), "texts": (texts, parsed_texts)}
    for kind, (frame, parsed) in frames.items():
        expected = (exact[name].to_pylist() for name in types)
        assert all(a.to_pylist() == b for a, b in zip(parsed(), expected, strict=True))
        yield Contender(PARSED[kind], parsed, setting.million.count)
        yield setting.ours(ON_VALUES[kind], frame, unknown=True, arrow=table_of, prepared=False)


def ten_jurisdictions(setting: Setting) -> Iterable[Contender]:
    """The sample portfolio under the rules of its ten jurisdictions, and all of it under GB's."""
    jurisdictions, day = load_jurisdictions(), date(2026, 7, 1)
    deals = portfolio.sample(setting.million.count, seed=7, backend="polars")
    deals = deals.filter(pl.col("jurisdiction").is_in(list(jurisdictions.codes))).rechunk()
    of_one, gb = deals.drop("jurisdiction"), jurisdictions.resolve("GB", on=day)
    count = len(deals)
    yield Contender(ONE, lambda: portfolio.assess(of_one, gb), count)
    yield Contender(TEN, lambda: portfolio.assess(deals, jurisdictions, on=day), count)


# -- who takes turns with whom


def together(*makers):
    """Return a function that yields the contenders of *makers* whose packages are installed."""

    def contenders(setting: Setting) -> Iterable[Contender]:
        for make in makers:
            try:
                yield from list(make(setting))
            except ModuleNotFoundError as missing:
                print(f"{make.__name__} is left out: {missing.name} is not installed\n")

    return contenders


GROUPS = (
    Group(
        "Polars",
        together(polars_by_hand, polars_streamed, on_polars, on_other_polars),
        (
            Row(ON_POLARS, POLARS, at_most(2.5)),
            Row(ON_POLARS_KNOWN, POLARS, at_most(1.3)),
            Row(ON_POLARS, STREAMED),
            Row(ON_POLARS_KNOWN, STREAMED),
            Row(ON_LAZY, POLARS),
        ),
    ),
    Group(
        "NumPy and OpenFisca",
        together(numpy_by_hand, openfisca, on_polars),
        (
            Row(OPENFISCA, ON_POLARS, at_least(1)),
            Row(OPENFISCA_SET, ON_POLARS),
            Row(ON_POLARS, NUMPY),
        ),
    ),
    Group(
        "zen-engine",
        together(zen, on_polars),
        (Row(ZEN, ON_POLARS, at_least(300)),),
    ),
    Group(
        "Other frames",
        together(polars_by_hand, numpy_by_hand, on_arrow_and_pandas),
        (
            Row(ON_ARROW, POLARS, at_most(4)),
            Row(ON_NULLABLE, POLARS),
            Row(ON_ARROW_TYPES, POLARS),
            Row(ON_NUMPY_TYPES, NUMPY),
        ),
    ),
    Group(
        "Conversion, on Polars",
        together(polars_by_hand, on_polars, blaze, conversions),
        (
            *(Row(f"prepare, from {name}", POLARS) for name in CONVERTED),
            *(Row(f"prepare, from {name}", ON_POLARS) for name in CONVERTED),
            *(Row(f"holdback on {name}", ON_POLARS, at_most(5)) for name in CONVERTED),
            *(Row(BLAZE, f"holdback on {name}", at_least(1)) for name in CONVERTED),
        ),
    ),
    Group(
        "Ordinary columns, on pandas",
        together(pandas_by_hand, on_ordinary_pandas),
        (Row(ON_PANDAS, PANDAS, at_most(4)),),
    ),
    Group(
        "Objects and texts, on pandas",
        on_values,
        tuple(Row(ON_VALUES[kind], PARSED[kind], at_most(2)) for kind in PARSED),
    ),
    Group("Ten jurisdictions, on Polars", ten_jurisdictions, (Row(TEN, ONE, at_most(2)),)),
)
