"""Every name that a folder accepts for a parameter or a fact can be read by a rule."""

from __future__ import annotations

import keyword

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from counts import count
from holdback.eligibility.facts import catalogue
from holdback.exact.money import Currency
from holdback.jurisdictions.source_rules import NAME
from holdback.rules.operators import FUNCTIONS
from holdback.rules.tokens import FOREIGN_WORDS, KEYWORDS, RESERVED
from small_folders import IRELAND, changed, errors_in, parameter

EUR = catalogue(Currency.of("EUR"))
WORDS = sorted(
    {*RESERVED, *FUNCTIONS, *keyword.kwlist, *keyword.softkwlist, "unknown", "gbp", "a0", "when"}
    | {fact.name for fact in EUR.facts}
)
NAMES = (
    st.sampled_from(WORDS)
    | st.builds("{}{}".format, st.sampled_from(WORDS), st.sampled_from(["_", "s", "1", "_x"]))
    | st.from_regex(rf"\A{NAME}\Z")
)


def reads(name, *, fact):
    """The small jurisdiction with a *fact* or a parameter called *name*, with a rule to read it."""
    asked = f"{name} >= 2" if fact else f"credit_score >= {name}"
    before = "missed_remittances_30d <= 3"
    files = changed(IRELAND, "renewal.toml", before, f"{before} and {asked}")
    if fact:
        declared = f'[facts.{name}]\ntype = "count"\ndescription = "x"\nminimum = 0\nmaximum = 9\n'
        return {**files, "jurisdiction.toml": files["jurisdiction.toml"] + declared}
    declared = parameter(name, "count", ("2025-01-01", 1))
    return {**files, "renewal.toml": files["renewal.toml"] + declared}


@settings(max_examples=count("names of facts and parameters"))
@given(name=NAMES, fact=st.booleans())
@example(name="yes", fact=False)
@example(name="if", fact=True)
def test_an_accepted_name_can_be_read(name, fact):
    """
    A parameter or a fact is refused where it is declared, or a rule can read it.
    """
    errors = errors_in(reads(name, fact=fact))

    at = f"$.facts.{name}" if fact else f"$.parameters.{name}"
    declared = [error for error in errors if error.path == at]
    if declared:
        assert any(
            words in declared[0].message for words in ("cannot be a name", "fact", "parameter")
        )
    else:
        assert errors == ()


@pytest.mark.parametrize("fact", [False, True], ids=["parameter", "fact"])
def test_a_reserved_word_is_refused_where_it_is_declared(fact):
    """
    Every word of the rule language, and every word that it knows from other languages, is refused
    as a name, with a hint.
    """
    for name in sorted(word for word in RESERVED if word.islower()):
        errors = errors_in(reads(name, fact=fact))

        at = f"$.facts.{name}" if fact else f"$.parameters.{name}"
        (refused,) = (error for error in errors if error.path == at)
        assert refused.message == f"`{name}` cannot be a name"
        assert refused.hint.startswith("the word has a meaning of its own in rules; a name is like")
    assert {"yes", "no", "if", "null"} <= FOREIGN_WORDS.keys()
    assert {"true", "in", "and", "min", "days"} <= KEYWORDS
