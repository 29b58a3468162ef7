"""Plain columns of every type on every engine give the numbers of `Fact.read`."""

from __future__ import annotations

from functools import lru_cache

import pytest
from expected_values import OUTCOMES
from frame_kinds import PLAIN_FRAME_KINDS
from frame_results import misread, row_outcomes
from plain_column_cases import STORAGES, frames

from counts import count
from holdback import portfolio

LEAST_PAIRS = count("pairs of rules and plain rows")


@lru_cache(maxsize=8)
def cases(lacking, whole_are_known):
    """The frames of a frame_kind that is *lacking* some storages."""
    here = [each for name, each in STORAGES.items() if name not in lacking]
    return frames(here, whole_are_known=whole_are_known)


def stored(frame_kind, most=None):
    """Each frame, or the first of them, and as *frame_kind* has it."""
    make, lacking = PLAIN_FRAME_KINDS[frame_kind]
    chosen = cases(lacking, frame_kind == "pandas numpy")[:most]
    return [(frame, make(frame.table)) for frame in chosen]


@pytest.mark.parametrize("frame_kind", PLAIN_FRAME_KINDS)
def test_values_mean_what_the_reader_of_facts_says(frame_kind):
    """
    A column may hold what `Fact.read` accepts, 64-bit floats, and days as midnights. The result is
    that of `Fact.read`: a number, unknown, or invalid.
    """
    for frame, native in stored(frame_kind):
        assert list(misread(frame, native))[:20] == []


@pytest.mark.parametrize("frame_kind", PLAIN_FRAME_KINDS)
def test_rows_come_out_as_the_service_answers(frame_kind):
    """
    A row for which the engine raises `InvalidDocument` is `invalid`, with the facts named.
    """
    met, pairs = set(), 0
    for frame, native in stored(frame_kind, count("plain frames assessed on each engine")):
        assert row_outcomes(portfolio.assess(native, frame.book)) == frame.expected
        met.update(OUTCOMES[outcome] for outcome, _, _ in frame.expected)
        pairs += frame.pairs
    assert met == {*OUTCOMES}
    assert pairs * len(PLAIN_FRAME_KINDS) >= LEAST_PAIRS
