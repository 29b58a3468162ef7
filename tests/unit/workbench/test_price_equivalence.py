"""A figure of a product is said never to decide a price only where it does not."""

from __future__ import annotations

import pytest

from holdback.tools.mutants.mutation import verdicts
from holdback.tools.suggestions.prices import answers, applications
from small_folders import changed, country, loaded

FIXED = 'limits = { calculator = "fixed", minimum = "EUR 500.00", maximum = "EUR 2000.00" }'
CHOSEN = 'split_percentage = { calculator = "chosen", choices = ["10%"] }'


def folder(*, multiple="1.0", longest=18, amounts='["50%", "100%"]', limits=None):
    """The country NL with a product whose split percentage depends on what is affordable."""
    text = country()
    takings = (
        'limits = { calculator = "takings_multiple", minimum = "EUR 500.00", maximum = '
        f'"EUR 20000.00", multiple = "{multiple}" }}'
    )
    affordable = (
        'split_percentage = { calculator = "affordability", choices = ["10%", "15%"], '
        f"longest_term_months = {longest} }}"
    )
    text = changed(text, "products.toml", FIXED, limits or takings)
    text = changed(text, "products.toml", CHOSEN, affordable)
    return changed(text, "products.toml", 'amounts = ["50%", "100%"]', f"amounts = {amounts}")


def without_product_examples(text):
    start = text["products.toml"].index("[typical]")
    return {**text, "products.toml": text["products.toml"][:start]}


def states(text):
    family = loaded(NL=without_product_examples(text))
    return {each.mutant.name: each for each in verdicts(family["NL"], family)}


def test_a_percentage_that_is_never_needed():
    """
    A choice, and the longest term, decide nothing where a smaller choice always suffices.
    """
    found = states(folder(longest=18))

    for name in (
        "choices[1]: 15% to 15.0001%",
        "choices[1]: 15% to 14.9999%",
        "longest_term_months: 18 to 19",
        "longest_term_months: 18 to 17",
    ):
        mine = found[f"flex split_percentage {name}"]
        assert mine.state == "equivalent"
        assert "is repaid from 10% of the takings within 1" in mine.reason
    assert found["flex split_percentage choices[0]: 10% to 10.0001%"].state == "survived"


@pytest.mark.parametrize(
    ("longest", "multiple"), [(9, "1.0"), (12, "1.1"), (18, "1.6"), (14, "1.17")]
)
def test_a_percentage_that_may_be_needed(longest, multiple):
    """
    Where the first choice may not suffice, nothing is proved: some application gets other offers.
    """
    found = states(folder(longest=longest, multiple=multiple))

    assert found["flex split_percentage choices[1]: 15% to 15.0001%"].state == "survived"


def test_a_share_that_is_raised_to_the_minimum():
    """
    A share of the largest maximum that is not above the minimum is raised to it either way.
    """
    found = states(folder(amounts='["2%", "50%"]'))

    for moved in ("1%", "3%"):
        name = f"flex amounts[0]: 2% to {moved}"
        assert found[name].state == ("equivalent" if moved == "1%" else "survived")
    assert found["flex amounts[0]: 2% to 1%"].reason == (
        "this never decides: 2% of the largest maximum, EUR 20000.00, is not above the minimum of "
        "EUR 500.00, to which either share is raised"
    )


@pytest.mark.parametrize("longest", [9, 12, 18])
@pytest.mark.parametrize("multiple", ["0.8", "1.0", "1.5"])
def test_what_is_proved_holds_of_every_application_tried(longest, multiple):
    """
    Every application that the suggestions try gets the same offers from an equivalent mutant.
    """
    family = loaded(NL=without_product_examples(folder(longest=longest, multiple=multiple)))
    (rulebook, *_) = family["NL"].slices
    facts = rulebook.catalogue.prepare({"identity_verified": True})
    tried = list(applications(facts, rulebook, "flex"))
    assert len(tried) > 100

    for verdict in verdicts(family["NL"], family):
        if verdict.state == "equivalent" and verdict.mutant.name.startswith("flex "):
            changed = verdict.mutant.change(rulebook)
            before, after = (answers(each, "flex") for each in (rulebook, changed))
            assert all(before(each) == after(each) for each in tried)
