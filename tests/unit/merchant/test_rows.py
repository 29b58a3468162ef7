"""The long lists of a state: text until an item is asked for."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdback.merchant.rows import BETWEEN_ROWS, Rows

ITEMS = st.lists(st.text() | st.integers(), max_size=6).map(tuple)


def rows(items, more=(), make=json.loads):
    return Rows(BETWEEN_ROWS.join(map(json.dumps, items)), make, more)


@given(ITEMS, ITEMS)
def test_rows_are_the_tuple_of_their_items(items, more):
    """
    It is equal to the tuple of its items, in every way that a sequence is looked at.
    """
    both, held = items + more, rows(items, more)

    assert held == both
    assert held == rows(both)
    assert len(held) == len(both)
    assert [*held] == [*both]
    assert [*reversed(held)] == [*reversed(both)]
    assert [held[place] for place in range(-len(both), len(both))] == [*both, *both]
    assert held[1:] == both[1:]
    assert held[::-1] == both[::-1]
    assert held + items == both + items
    assert (hash(held), repr(held)) == (hash(both), repr(both))
    assert pickle.loads(pickle.dumps(held)) == both


@given(ITEMS)
def test_rows_without_an_item_are_others(items):
    """
    Rows that have another item are not equal.
    """
    assert rows(items) != (*items, "more")
    assert rows(items) != rows((*items, "more"))


@pytest.mark.parametrize("place", [3, -4])
def test_a_place_beyond_the_items(place):
    """
    A place beyond the items is an `IndexError`, as in a tuple.
    """
    with pytest.raises(IndexError):
        rows(("a", "b", "c"))[place]


def test_an_item_is_made_when_it_is_asked_for_and_once():
    """
    Each item is made when it is first asked for; the others stay text.
    """
    made = []
    held = rows(("a", "b", "c"), make=lambda row: made.append(row) or row)

    assert (len(held), held[1], held[1], made) == (3, '"b"', '"b"', ['"b"'])


def test_only_the_rows_that_mention_a_text_are_made():
    """
    A request is found among hundreds by the text of its row.
    """
    made = []
    held = rows(("r-1", "r-10", "r-2"), ("r-3",), make=lambda row: made.append(row) or row)

    assert list(held.mentioning('"r-1"')) == ['"r-1"', "r-3"]
    assert made == ['"r-1"']


def test_rows_do_not_change():
    """
    A stored state does not change.
    """
    held = rows(("a",))
    with pytest.raises(AttributeError, match="does not change"):
        held.stored = ""
    with pytest.raises(AttributeError, match="does not change"):
        del held.stored
