"""Thresholds that are not held by an example on either side."""

from __future__ import annotations

import pytest

from holdback.tools.lint.lint import findings
from small_folders import (
    changed,
    child,
    country,
    example,
    loaded,
    parameter,
    rule,
    without_example,
)

HINT = "add an example on each side, one unit apart"


def found(**folders):
    """The findings about thresholds in *folders*: place, message, and the characters pointed at."""
    return [
        (each.place, each.message, (each.source or "")[(each.column or 1) - 1 :][: each.width])
        for each in findings(loaded(**folders))
        if "has no example" in each.message
    ]


def with_rule_from_june(require, *examples, files=None, **keys):
    """The country NL with one more rule, in force from June 2026 on, and these *examples* then."""
    text = files or country()
    extra = rule("more", "NL-R-03", require, since="2026-06-01", **keys)
    text = changed(text, "renewal.toml", "[typical]", f"{extra}[typical]")
    shown = "".join(
        example(f"e{number}", each.pop("outcome", "eligible"), on="2026-06-01", **each)
        for number, each in enumerate(dict(each) for each in examples)
    )
    return {**text, "renewal.toml": f"{text['renewal.toml']}\n{shown}"}


@pytest.mark.parametrize(
    ("left_out", "value", "since", "side"),
    [
        ("just on pace until the change", "75%", "2025-01-01", None),  # the typical deal is there
        ("short of the pace until the change", "75%", "2025-01-01", "where it is false"),
        ("short of the pace", "80%", "2026-01-01", "where it is false"),
    ],
)
def test_each_value_of_a_parameter(left_out, value, since, side):
    """
    A threshold needs an example on both sides for each value of its parameter.
    """
    text = without_example(country(), left_out)
    if side is None:
        side = "where it is true"
    expected = (
        "NL/renewal.toml:13:12 $.rules[0].require",
        (
            f"`performance >= minimum_performance` (`performance >= {value}`), from {since} "
            "on, has no "
            f"example {side}"
        ),
        "performance >= minimum_performance",
    )

    assert found(NL=text) == [expected]


def test_a_value_without_any_example():
    """
    A threshold without an example on both sides is a finding.
    """
    text = changed(
        country(),
        "renewal.toml",
        '  { from = 2026-01-01, value = "80%"',
        (
            '  { from = 2026-01-01, value = "80%", source = "policy" },\n  { from = 2026-05-01, '
            'value = "85%"'
        ),
    )

    assert [each[1] for each in found(NL=text)] == [
        (
            "`performance >= minimum_performance` (`performance >= 85%`), from 2026-05-01 on, "
            "has no example "
            "on either side"
        )
    ]


def test_a_literal_in_a_rule_is_a_threshold():
    """
    A figure in the rule itself is a threshold too.
    """
    text = without_example(country(), "four missed")

    assert found(NL=text) == [
        (
            "NL/renewal.toml:21:12 $.rules[1].require",
            "`missed_remittances_30d <= 3`, from 2025-01-01 on, has no example where it is false",
            "missed_remittances_30d <= 3",
        )
    ]


def test_when_is_a_threshold_too():
    """
    A comparison in `when` needs an example on both sides too (decisions/rule-language).
    """
    text = with_rule_from_june(
        "months_trading >= 6",
        {"months_trading": 6, "deals_completed": 1},
        {"months_trading": 5, "deals_completed": 1, "outcome": "ineligible", "codes": ["NL-R-03"]},
        when='"deals_completed >= 1"',
    )

    assert [(each[0], each[2]) for each in found(NL=text)] == [
        ("NL/renewal.toml:34:9 $.rules[2].when", "deals_completed >= 1")
    ]


@pytest.mark.parametrize(
    ("require", "marked", "side"),
    [
        ('status in ["Funded", "Repaid"]', 'status in ["Funded", "Repaid"]', "where it is false"),
        ("months_trading in [3, 6]", "months_trading in [3, 6]", "on either side"),
        ('status == "Funded"', 'status == "Funded"', "where it is false"),
        (
            "balance <= average_monthly_takings",
            "balance <= average_monthly_takings",
            "on either side",
        ),
        ("max(months_trading, 3) >= 6", "max(months_trading, 3) >= 6", "on either side"),
    ],
)
def test_every_kind_of_comparison(require, marked, side):
    """
    `in`, texts, two facts, functions: each is a threshold
    """
    text = with_rule_from_june(require, {"status": '"Funded"', "outcome": "eligible"})
    ((_, message, shown),) = found(NL=text)

    assert shown == marked
    assert message.endswith(f", from 2026-06-01 on, has no example {side}")


def test_each_comparison_of_a_rule():
    """
    Each of several thresholds in a rule needs its examples (decisions/jurisdiction-folders).
    """
    text = with_rule_from_june(
        "months_trading >= 6 or deals_completed >= 2 or balance < EUR 10.00",
        {"months_trading": 6, "deals_completed": 2},
        {"months_trading": 5, "deals_completed": 2},
    )

    assert [(each[2], each[1].rpartition(" has no example ")[2]) for each in found(NL=text)] == [
        ("deals_completed >= 2", "where it is false"),
        ("balance < EUR 10.00", "on either side"),
    ]


def test_a_chain_is_two_thresholds():
    """
    A chain `a < b < c` has two thresholds, as `a < b and b < c` has.
    """
    text = with_rule_from_june(
        "3 <= months_trading < 9", {"months_trading": 5}, {"months_trading": 2}
    )

    (error,) = found(NL=text)
    assert "`months_trading < 9`" in error[1]
    assert error[1].endswith("where it is false")


def test_flags_have_no_threshold():
    """
    A flag has two sides by itself, and no figure between them.
    """
    assert found(NL=with_rule_from_june("identity_verified or not business_verified")) == []


def test_an_example_below_the_floor_holds_nothing():
    """
    An example below the floor tests no rule (decisions/rule-language).
    """
    text = without_example(country(), "four missed")
    low = example(
        "low", "not_assessed", codes=["FLOOR"], progress='"40%"', missed_remittances_30d=4
    )
    text = {**text, "renewal.toml": f"{text['renewal.toml']}\n{low}"}

    assert len(found(NL=text)) == 1


def test_a_threshold_of_a_product():
    """
    Thresholds in `products.toml` need examples too.
    """
    text = changed(
        country(), "products.toml", '"identity_verified", reason', '"months_trading >= 6", reason'
    )

    assert found(NL=text) == [
        (
            "NL/products.toml:15:51 $.products[0].rules[0].require",
            "`months_trading >= 6`, from 2025-01-01 on, has no example on either side",
            "months_trading >= 6",
        )
    ]


def test_the_examples_of_renewals_do_not_hold_a_product():
    """
    An example counts for the product that it names (decisions/jurisdiction-folders).
    """
    text = changed(
        country(), "products.toml", '"identity_verified", reason', '"performance >= 80%", reason'
    )

    assert len(found(NL=text)) == 1


OWN = parameter("minimum_performance", "percent", ("2025-01-01", '"90%"'))


def test_an_inherited_rule_with_the_childs_parameter():
    """
    A child's own parameter needs examples in the child (decisions/jurisdiction-folders).
    """
    expected = (
        "NL-ZH/renewal.toml:3:1 $.parameters.minimum_performance",
        (
            "in the inherited rule `on-pace`, `performance >= minimum_performance` "
            "(`performance >= 90%`), from "
            "2025-01-01 on, has no example on either side"
        ),
        "[parameters.minimum_performance]",
    )
    held = example(
        "yes",
        "undetermined",
        needs=["missed_remittances_30d"],
        progress='"60%"',
        performance='"90%"',
    )
    held += example(
        "no", "ineligible", codes=["NL-R-01"], progress='"60%"', performance='"89.9999%"'
    )

    assert found(NL=country(), NL_ZH=child(renewal=OWN)) == [expected]
    assert found(NL=country(), NL_ZH=child(renewal=OWN + held)) == []
    assert found(NL=country(), NL_ZH=child()) == []


def test_an_inherited_rule_that_is_switched_off_needs_none():
    """
    Only rules in force need examples (decisions/jurisdiction-folders).
    """
    mine = child(
        more='switch_off = [{ rule = "on-pace", reason = "x" }]\n',
        renewal=OWN + rule("new", "NL-ZH-R-01", "identity_verified"),
    )

    assert found(NL=country(), NL_ZH=mine) == []


def test_the_hint_says_how_close_examples_should_be():
    """
    The hint says how close the examples should be (decisions/jurisdiction-folders).
    """
    text = without_example(country(), "four missed")
    (mine,) = [each for each in findings(loaded(NL=text)) if "has no example" in each.message]
    (childs,) = findings(loaded(NL=country(), NL_ZH=child(renewal=OWN)))

    assert mine.hint == HINT
    assert childs.hint == f"{HINT}; examples of a parent do not count here"
