"""On whole numbers: interpreter = closure = columns = assess, on every dataframe engine."""

from __future__ import annotations

import pytest
from compared import rows_said, said_by_columns, whole_numbers
from meaning import OUTCOMES, invalid
from prepared_cases import CATALOGUES, SIZES, case, counted
from stores import STORES

from holdback import portfolio

LEAST_PAIRS = 500_000


@pytest.mark.parametrize("name", CATALOGUES)
def test_the_interpreter_the_closure_and_the_service_agree(name):
    """
    "A slow and obvious *reference interpreter* defines what it means. [...] *closure* (one deal,
    microseconds) [...] must give the same answer, on every input, missing facts included." (design
    1)
    """
    one = case(name)
    met = set()
    for book in one.books:
        rules = book.rulebook.renewal
        for facts, answers, expected in zip(one.rows, book.answers, book.expected, strict=True):
            false, unknown = rules.masks(facts)
            assert false == sum(1 << bit for bit, said in enumerate(answers) if said is False)
            assert unknown == sum(1 << bit for bit, said in enumerate(answers) if said is None)
            found = book.rulebook.assess_prepared(facts)
            outcome, failing, needs = expected
            assert found.outcome == OUTCOMES[outcome]
            assert found.codes == portfolio.codes(book.rulebook, failing)
            assert found.needs == portfolio.needed(book.rulebook, needs)
            met.add(found.outcome)
    assert met == {*OUTCOMES} - {"invalid"}
    assert {said for row in one.answers for said in row} == {True, False, None}


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", CATALOGUES)
def test_columns_say_what_the_interpreter_says(name, store):
    """
    "Parity: interpreter = closure = columns on every backend [...]; 0 differences."
    """
    one = case(name)
    assert (
        said_by_columns(STORES[store](whole_numbers(one.catalogue, one.rows)), one) == one.answers
    )


@pytest.mark.parametrize("narrow", [False, True], ids=["64 bits", "narrow"])
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", CATALOGUES)
def test_assess_says_what_the_interpreter_says(name, store, narrow):
    """
    "What the rules say of a row is what they say of that deal alone: the answers are worked out
    from the same checked rules, on whole numbers."
    """
    one = case(name)
    frame = STORES[store](whole_numbers(one.catalogue, one.rows, narrow=narrow))
    for book in one.books:
        found = rows_said(portfolio.assess(frame, book.rulebook, prepared=True))
        assert found == list(book.expected)


@pytest.mark.parametrize("store", STORES)
def test_rows_without_a_null_at_all(store):
    """
    The facts of a prepared frame in memory that have no nulls are certain, and shorter expressions
    are made for them.
    """
    one = case("pounds")
    frame = STORES[store](whole_numbers(one.catalogue, one.rows[-20:]))
    assert not any(None in row for row in one.rows[-20:])
    for book in one.books:
        found = rows_said(portfolio.assess(frame, book.rulebook, prepared=True))
        assert found == list(book.expected[-20:])


@pytest.mark.parametrize("store", STORES)
def test_a_row_that_could_not_be_read_stays_invalid(store):
    """
    What `prepare` could not read is noted in the column `invalid`: a mask of the facts at fault.
    """
    one = case("yen, wide")
    masks = [0, 1, 1 << 57, (1 << 58) - 1, 0]
    table = whole_numbers(one.catalogue, one.rows[: len(masks)])
    frame = STORES[store](table.append_column("invalid", [masks]))
    book = one.books[SIZES.index(60)]
    expected = [
        (invalid(place for place in range(58) if mask >> place & 1)) if mask else each
        for mask, each in zip(masks, book.expected, strict=False)
    ]
    assert rows_said(portfolio.assess(frame, book.rulebook, prepared=True)) == expected


def test_that_many_pairs_were_compared():
    """
    "500,000 (rule, row) pairs in all in CI"
    """
    cases = [case(name) for name in CATALOGUES]
    assert len(STORES) * sum(each.pairs for each in cases) >= LEAST_PAIRS
    assert 2 * len(STORES) * counted(cases) >= LEAST_PAIRS
    assert max(SIZES) == 60  # the width of a mask
    assert max(len(each.catalogue.facts) for each in cases) == 58  # the most facts there can be
