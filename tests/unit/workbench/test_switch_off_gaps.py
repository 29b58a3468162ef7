"""A switch-off needs an example that it decides."""

from __future__ import annotations

from lint_findings import found

from every_case import for_every
from small_folders import changed, child, country, example, parameter, rule

OFF = 'switch_off = [{ rule = "few-missed", reason = "x" }]\n'
SHOWN = example("four missed", "eligible", missed_remittances_30d=4)
NO_PRODUCT = 'switch_off = [{ product = "flex", reason = "x" }]\n'
NOT_OFFERED = (
    '[[examples]]\nname = "gone"\non = 2026-02-01\nproduct = "flex"\n'
    'expect = { decision = "Not offered" }\n'
)


def test_a_rule_that_is_switched_off_without_an_example():
    """
    A switch-off that no example shows is a finding at its place.
    """
    (error,) = found(NL=country(), NL_ZH=child(more=OFF))

    assert error.code == "not_tested"
    assert error.message == "no example shows that the rule `few-missed` is switched off"
    assert "that the rule would decline or refer" in error.hint
    assert error.place == "NL-ZH/jurisdiction.toml:7:15 $.switch_off[0]"


@for_every(
    "examples",
    [
        example("none missed", "eligible"),
        example("missed not known", "eligible").replace(
            "given = {  }", 'without = ["missed_remittances_30d"]'
        ),
        example("before the switch-off", "referred", on="2025-02-01", codes=["NL-R-02"],
                missed_remittances_30d=4),
        example("below the floor", "not_assessed", codes=["FLOOR"], progress='"40%"',
                missed_remittances_30d=4),
        example("declined anyway", "ineligible", codes=["NL-R-01"], performance='"10%"',
                missed_remittances_30d=4),
    ],
)  # fmt: skip
def test_an_example_that_the_rule_would_not_decide(examples):
    """
    An example shows a switch-off only if the rule, switched on again, is among its reasons.
    """
    off = OFF.replace(', reason = "x"', ', reason = "x", from = 2025-06-01')
    errors = found(NL=country(), NL_ZH=child(more=off, renewal=examples))

    assert [error.code for error in errors] == ["not_tested"]


def test_an_example_shows_it():
    """
    An example of a deal that the rule would refer is enough.
    """
    assert found(NL=country(), NL_ZH=child(more=OFF, renewal=SHOWN)) == []


def test_the_rule_is_tried_with_the_childs_own_values():
    """
    The rule that is switched off reads the parameters of the child.
    """
    limited = changed(
        country(), "renewal.toml", "missed_remittances_30d <= 3", "missed_remittances_30d <= most"
    )
    limited["renewal.toml"] = limited["renewal.toml"].replace(
        "[[rules]]", parameter("most", "count", ("2025-01-01", 3)) + "[[rules]]", 1
    )
    own = parameter("most", "count", ("2025-01-01", 9))
    errors = found(NL=limited, NL_ZH=child(more=OFF, renewal=own + SHOWN))

    assert [e.message for e in errors if e.code == "not_tested"] == [
        "no example shows that the rule `few-missed` is switched off"
    ]


def test_a_product_that_is_switched_off():
    """
    A product that is switched off needs an example that expects it not to be offered.
    """
    (error,) = found(NL=country(), NL_ZH=child(more=NO_PRODUCT))

    assert error.message == "no example shows that the product `flex` is switched off"
    assert 'decision = "Not offered"' in error.hint
    assert found(NL=country(), NL_ZH=child(more=NO_PRODUCT, products=NOT_OFFERED)) == []


def test_a_switch_off_without_effect_has_its_own_finding_alone():
    """
    What is not inherited on any day cannot be shown by an example.
    """
    own = OFF + "\n"
    replaced = rule("few-missed", "NL-ZH-R-01", "missed_remittances_30d <= 5")
    errors = found(NL=country(), NL_ZH=child(more=own, renewal=replaced))

    assert not [error for error in errors if "is switched off" in error.message]


def test_a_parameter_needs_none():
    """
    What a parameter's switch-off does is shown by the rules that replace it.
    """
    mine = rule("on-pace", "NL-ZH-R-01", "performance >= 90%")
    off = 'switch_off = [{ parameter = "minimum_performance", reason = "x" }]\n'
    errors = found(NL=country(), NL_ZH=child(more=off, renewal=mine))

    assert not [error for error in errors if "is switched off" in error.message]
