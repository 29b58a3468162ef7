"""On whole numbers: interpreter = closure = SQL = assess, on every dataframe engine."""

from __future__ import annotations

import pytest
from expected_values import OUTCOMES, invalid
from frame_kinds import FRAME_KINDS
from frame_results import integer_table, own_answers, row_outcomes, rule_answers
from prepared_row_cases import CATALOGUES, SIZES, case, counted

from counts import count
from holdback import portfolio

LEAST_PAIRS = count("pairs of rules and prepared rows")


@pytest.mark.parametrize("name", CATALOGUES)
def test_the_interpreter_the_closure_and_the_service_agree(name):
    """
    The closures and the column expressions give the answer of the reference interpreter.
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


@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
@pytest.mark.parametrize("name", CATALOGUES)
def test_columns_say_what_the_interpreter_says(name, frame_kind):
    """
    The column expressions give the answers of the interpreter on every engine.
    """
    one = case(name)
    assert (
        rule_answers(FRAME_KINDS[frame_kind](integer_table(one.catalogue, one.rows)), one)
        == one.answers
    )


@pytest.mark.parametrize("narrow", [False, True], ids=["64 bits", "narrow"])
@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
@pytest.mark.parametrize("name", CATALOGUES)
def test_assess_says_what_the_interpreter_says(name, frame_kind, narrow):
    """
    Each row has the outcome that the rules give to that deal alone.
    """
    one = case(name)
    frame = FRAME_KINDS[frame_kind](integer_table(one.catalogue, one.rows, narrow=narrow))
    for book in one.books:
        found = row_outcomes(portfolio.assess(frame, book.rulebook, prepared=True))
        assert found == list(book.expected)


@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
@pytest.mark.parametrize("name", CATALOGUES)
def test_each_rule_says_what_the_interpreter_says(name, frame_kind):
    """
    With `each_rule`, a column for each rule has its own answer, also below the floor.
    """
    one = case(name)
    frame = FRAME_KINDS[frame_kind](integer_table(one.catalogue, one.rows))
    for book in one.books:
        found = portfolio.assess(frame, book.rulebook, prepared=True, each_rule=True)
        assert own_answers(found, book.rulebook) == book.answers


@pytest.mark.parametrize("frame_kind", FRAME_KINDS)
def test_a_row_that_could_not_be_read_stays_invalid(frame_kind):
    """
    The column `invalid` has a mask of the facts that `prepare` could not read; of those, a row
    that is invalid names what rules read.
    """
    one = case("yen, wide")
    masks = [0, 1, 1 << 57, (1 << 58) - 1, 0]
    table = integer_table(one.catalogue, one.rows[: len(masks)])
    frame = FRAME_KINDS[frame_kind](table.append_column("invalid", [masks]))
    book = one.books[SIZES.index(60)]
    rules = book.rulebook.renewal.rules
    read = {0, *(place for rule in rules for place in rule.checked.facts)}
    assert one.catalogue.facts[0].name == "progress"
    expected = [
        (invalid(place for place in read if mask >> place & 1)) if mask else each
        for mask, each in zip(masks, book.expected, strict=False)
    ]
    assert row_outcomes(portfolio.assess(frame, book.rulebook, prepared=True)) == expected


def test_that_many_pairs_were_compared():
    """
    The required number of pairs of a rule and a row was compared.
    """
    cases = [case(name) for name in CATALOGUES]
    assert len(FRAME_KINDS) * sum(each.pairs for each in cases) >= LEAST_PAIRS
    assert 2 * len(FRAME_KINDS) * counted(cases) >= LEAST_PAIRS
    assert max(SIZES) == 60  # the width of a mask
    assert max(len(each.catalogue.facts) for each in cases) == 58  # the most facts there can be
