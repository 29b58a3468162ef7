"""Plain columns of every type on every dataframe engine, read as the one reader of facts reads their values."""

from __future__ import annotations

from functools import lru_cache

import pytest
from compared import misread, rows_said
from meaning import OUTCOMES
from plain_cases import STORAGES, frames
from stores import PLAIN

from holdback import portfolio

LEAST_PAIRS = 100_000


@lru_cache(maxsize=8)
def cases(lacking, whole_are_known):
    """The frames of a store that is *lacking* some storages."""
    here = [each for name, each in STORAGES.items() if name not in lacking]
    return frames(here, whole_are_known=whole_are_known)


def stored(store):
    """Each frame, and as *store* has it."""
    make, lacking = PLAIN[store]
    return [(each, make(each.table)) for each in cases(lacking, store == "pandas numpy")]


@pytest.mark.parametrize("store", PLAIN)
def test_values_mean_what_the_reader_of_facts_says(store):
    """
    "What a column may hold is what `Fact.read` takes of a facts document, with two things more
    [...]: a 64-bit float, and a day as midnight without a time zone. The answer is the one of
    `Fact.read`: a number, or unknown, or a value that the service would refuse, which is at fault."
    """
    for frame, native in stored(store):
        assert list(misread(frame, native))[:20] == []


@pytest.mark.parametrize("store", PLAIN)
def test_rows_come_out_as_the_service_answers(store):
    """
    "rows the engine would call `InvalidDocument` (out of range, too many decimals) become `outcome
    = "invalid"` with the facts named, never a wrong answer"
    """
    met, pairs = set(), 0
    for frame, native in stored(store):
        assert rows_said(portfolio.assess(native, frame.book)) == frame.expected
        met.update(OUTCOMES[outcome] for outcome, _, _ in frame.expected)
        pairs += frame.pairs
    assert met == {*OUTCOMES}
    assert pairs * len(PLAIN) >= LEAST_PAIRS
