"""What `holdback check` finds that nobody reads: parameters and facts."""

from __future__ import annotations

import pytest
from lint_findings import added, found, only

from small_folders import (
    changed,
    child,
    country,
    parameter,
    rule,
)

BOTH = "add an example on each side, one unit apart"
LICENCE = '[facts.licensed]\ntype = "flag"\ndescription = "The licence."\n'


def test_an_unused_parameter():
    """
    A parameter that no rule reads is a finding.
    """
    text = added(parameter("most", "count", ("2025-01-01", 3)))

    assert only(NL=text) == (
        "NL/renewal.toml:27:1 $.parameters.most",
        "no rule reads the parameter `most`",
        "leave it out, or write the rule that needs it",
        "[parameters.most]",
    )


def test_a_parameter_that_a_child_reads():
    """
    A parameter that only a child's rule reads is used (decisions/jurisdiction-folders).
    """
    text = added(parameter("most", "count", ("2025-01-01", 3)))
    mine = child(renewal=rule("new", "NL-ZH-R-01", "months_trading >= most"))

    assert not [each for each in found(NL=text, NL_ZH=mine) if "parameter `most`" in each.message]
    assert len(found(NL=text, BE=country("BE"))) == 1


def test_a_parameter_that_only_a_sentence_names():
    """
    A parameter that only a reason names is unused, and the reason misleads.
    """
    more = rule("new", "NL-R-03", "identity_verified", reason="Not {most}.", since="2026-06-01")
    errors = found(NL=added(parameter("most", "count", ("2025-01-01", 3)) + more))

    assert [(each.line, each.message) for each in errors] == [
        (27, "no rule reads the parameter `most`"),
        (33, "no example makes the rule `new` true or false or unknown"),
        (37, "the sentence names `most`, which the rule does not read"),
    ]
    assert errors[2].source[errors[2].column - 1 :][: errors[2].width] == "{most}"


def test_an_unused_parameter_of_products():
    """
    Unused parameters in `products.toml` are findings too.
    """
    text = added(parameter("most", "count", ("2025-01-01", 3)), file="products.toml")

    assert only(NL=text)[0] == "NL/products.toml:18:1 $.parameters.most"


def test_an_unused_fact():
    """
    Evidence that nobody looks at need not be asked for.
    """
    assert only(NL=country(more=LICENCE)) == (
        "NL/jurisdiction.toml:12:1 $.facts.licensed",
        "no rule reads the fact `licensed`",
        "leave it out, or write the rule that needs it",
        "[facts.licensed]",
    )


def test_a_fact_that_a_calculator_reads_is_used():
    """
    A fact that the calculator `banded` reads is used (decisions/jurisdiction-folders).
    """
    text = country(more=LICENCE.replace('"flag"', '"count"') + "minimum = 0\nmaximum = 9\n")
    text = changed(
        text,
        "products.toml",
        '{ calculator = "flat", rate = "1.2" }',
        (
            '{ calculator = "banded", on = "licensed", bands = [{ up_to = 3, rate = "1.3" }, { '
            'rate = "1.2" }] }'
        ),
    )

    assert not [each for each in found(NL=text) if "the fact `licensed`" in each.message]


@pytest.mark.parametrize(
    ("more", "name"),
    [('switch_off = [{ rule = "on-pace", reason = "x" }]\n', "new"), ("", "on-pace")],
)
def test_a_parameter_whose_rule_is_gone(more, name):
    """
    A parameter read only by a rule that is replaced or switched off is unused.
    """
    mine = parameter("minimum_performance", "percent", ("2025-01-01", '"90%"'))
    renewal = rule(name, "NL-ZH-R-01", "identity_verified")
    errors = found(NL=country(), NL_ZH=child(more=more, renewal=mine + renewal))
    errors = [each for each in errors if "is switched off" not in each.message]

    assert [each.message for each in errors] == [
        "no rule reads the parameter `minimum_performance`",
        f"no example makes the rule `{name}` true or false or unknown",
    ]
    assert errors[0].file == "NL-ZH/renewal.toml"
