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


def named(first, second, third="missed_remittances_30d <= least"):
    """What is found of the parameters that two reasons name; a third rule has no reason of its."""
    parameters = "".join(
        parameter(name, "count", ("2025-01-01", 3)) for name in ("most", "some", "least")
    )
    rules = (
        rule("new", "NL-R-03", "months_trading >= most", reason=first)
        + rule("newer", "NL-R-04", "deals_completed >= some", reason=second)
        + rule("newest", "NL-R-05", third)
    )
    return [error for error in found(NL=added(parameters + rules)) if error.code == "misleading"]


def test_reasons_that_name_each_others_parameters():
    """
    "reasons swapped": one finding for two reasons, each of which names what the other rule reads.
    """
    (error,) = named("At least {some}.", "At least {most}.")
    assert error.message == (
        "the reasons of `new` and `newer` are swapped: each names what the other rule reads"
    )
    assert error.hint == "give each rule the other's reason"
    assert [each.message for each in named("At least {some}.", "At least {least}.")] == [
        "the sentence names `some`, which the rule does not read",
        "the sentence names `least`, which the rule does not read",
    ]
    assert named("At least {most}.", "At least {some}.") == []


def ended(*values, until="2026-01-01", more=""):
    """The country NL with a rule that ends, and its parameter with *values*."""
    return added(
        parameter("most", "count", *values)
        + rule("new", "NL-R-03", "months_trading >= most", until=until)
        + more
    )


def unread(**folders):
    """What is found of values that no rule reads."""
    return [each for each in found(**folders) if each.message.startswith("no rule reads `")]


def test_a_value_after_the_last_reader():
    """
    "a value after its last reader": the rule that read the parameter has ended by then.
    """
    (error,) = unread(NL=ended(("2025-01-01", 3), ("2026-01-01", 4)))

    assert (error.place, error.code) == (
        "NL/renewal.toml:31:32 $.parameters.most.timeline[1].value",
        "no_effect",
    )
    assert error.message == (
        "no rule reads `most` from 2026-01-01 on, when it is 4; the last that did ends on "
        "2026-01-01"
    )
    assert error.hint == "leave the value out, or let a rule of these days read it"
    assert unread(NL=ended(("2025-01-01", 3), ("2025-12-31", 4))) == []
    assert unread(NL=ended(("2025-01-01", 3))) == []


def test_a_value_before_the_first_reader_and_between_two():
    """
    A value of days on which no rule reads it decides as little.
    """
    later = rule("again", "NL-R-04", "months_trading >= most", since="2026-06-01")
    values = [("2025-01-01", 3), ("2026-01-01", 4), ("2026-03-01", 5), ("2026-04-01", 6)]
    errors = unread(NL=ended(*values, until="2026-03-01", more=later))
    assert [each.message for each in errors] == [
        "no rule reads `most` from 2026-03-01 until 2026-04-01, when it is 5"
    ]
    early = ended(("2024-01-01", 2), ("2025-01-01", 3))
    assert [each.line for each in unread(NL=early)] == [30]


def test_a_value_that_a_child_or_a_claim_reads():
    """
    What a child's rule reads on these days, or a claim, is read.
    """
    text = ended(("2025-01-01", 3), ("2026-01-01", 4))
    mine = child(renewal=rule("new", "NL-ZH-R-01", "months_trading >= most"))
    assert unread(NL=text, NL_ZH=mine) == []

    claim = '[[claims]]\nalways = "months_trading >= most"\n'
    assert unread(NL=ended(("2025-01-01", 3), ("2026-01-01", 4), more=claim)) == []
