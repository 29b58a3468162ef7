"""What can be wrong with a child, and whose error it is."""

from __future__ import annotations

import pytest

from every_case import for_every
from small_folders import changed, child, country, parameter, read_all, rule, said


def test_an_unknown_parent():
    """
    An unknown parent gets the nearest code as a hint.
    """
    typo = {"NL_ZH": child(), "NL_DH": child("NL-DH", "NL-HZ"), "NL_GR": child("NL-GR", "QQ")}

    (meant,) = said("NL-DH", NL=country(), **typo)
    (unknown,) = said("NL-GR", NL=country(), **typo)

    begin = "jurisdiction.toml:4:10 $.parent: there is no jurisdiction"
    assert meant == f"NL-DH/{begin} `NL-HZ`; did you mean `NL-ZH`?"
    assert unknown == f"NL-GR/{begin} `QQ`; there are `NL`, `NL-DH`, `NL-ZH`"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ('""', "this is empty; fill it in"),
        ('"nl"', "expected the code of a jurisdiction"),
        ('"../NL"', "expected the code of a jurisdiction"),
    ],
)
def test_what_is_no_parent(written, message):
    """
    An error has file, line and column, the text underlined, and what was expected.
    """
    files = changed(child(), "jurisdiction.toml", 'parent = "NL"', f"parent = {written}")

    assert f"NL-ZH/jurisdiction.toml:4:10 $.parent: {message}" in said(
        "NL-ZH", NL=country(), NL_ZH=files
    )


@pytest.mark.parametrize("written", ["7", "[]", '["NL"]', "true"])
def test_a_parent_that_is_no_text(written):
    """
    What is not a text names nobody.
    """
    files = changed(child(), "jurisdiction.toml", 'parent = "NL"', f"parent = {written}")
    found = said("NL-ZH", NL=country(), NL_ZH=files)

    assert any(line.startswith("NL-ZH/jurisdiction.toml:4:10 $.parent: expected") for line in found)


def test_a_parent_of_itself():
    """
    A circle of parents is an error of each folder in it.
    """
    found, errors = read_all(NL=country(), NL_ZH=child(parent="NL-ZH"))

    assert list(found) == ["NL"]
    assert [str(each) for each in errors["NL-ZH"]] == [
        "NL-ZH/jurisdiction.toml:4:10 $.parent: the parents form a circle; a country has no parent"
    ]


def test_circular_parents():
    """
    A folder that cannot be read never stops the others from being reported.
    """
    circle = {
        "NL_ZH": child(parent="NL-DH"),
        "NL_DH": child("NL-DH", "NL-GR"),
        "NL_GR": child("NL-GR", "NL-ZH"),
    }
    found, errors = read_all(NL=country(), **circle)

    assert list(found) == ["NL"]
    assert {code: len(each) for code, each in errors.items()} == {
        "NL-ZH": 1,
        "NL-DH": 1,
        "NL-GR": 1,
    }
    for each in errors.values():
        assert each[0].message == "the parents form a circle"
        assert (each[0].line, each[0].column) == (4, 10)


def test_below_a_circle():
    """
    A child of one in the circle is not read either, and says so.
    """
    found, errors = read_all(NL_ZH=child(parent="NL-ZH"), NL_DH=child("NL-DH", "NL-ZH"))

    assert found == {}
    assert all("circle" in each[0].message for each in errors.values())
    assert len(errors) == 2


def test_a_parent_with_errors():
    """
    Every error is reported at once: the parent's in its file, the child's own in the child's.
    """
    broken = changed(country(), "renewal.toml", 'value = "75%"', 'value = "75"')
    own = changed(child(), "jurisdiction.toml", "2027-06-30", '"soon"')
    found, errors = read_all(NL=broken, NL_ZH=own, BE=country("BE"))

    assert list(found) == ["BE"]
    assert [str(each) for each in errors["NL"]] == [
        (
            "NL/renewal.toml:6:32 $.parameters.minimum_performance.timeline[0].value: expected "
            "percent in "
            'quotes, with its unit; write `"75%"`'
        )
    ]
    assert [str(each) for each in errors["NL-ZH"]] == [
        (
            "NL-ZH/jurisdiction.toml:4:10 $.parent: the parent `NL` has errors of its own; correct "
            "those first"
        ),
        (
            "NL-ZH/jurisdiction.toml:6:13 $.review_by: expected a date such as `2026-07-01`, not "
            "text; "
            "write it without quotes"
        ),
    ]


def test_too_many_folders_on_top_of_each_other():
    """
    More than four layers of parents and children are an error.
    """
    line = {"NL": country(), "NL_A": child("NL-A"), "NL_B": child("NL-B", "NL-A")}
    line["NL_C"] = child("NL-C", "NL-B")
    assert said("NL-C", **line) == []

    line["NL_D"] = child("NL-D", "NL-C")
    found, _ = read_all(**line)

    assert sorted(found) == ["NL", "NL-A", "NL-B", "NL-C"]
    assert said("NL-D", **line) == [
        "NL-D/jurisdiction.toml:4:10 $.parent: there are more than 4 layers of parents and children"
    ]


def test_another_currency():
    """
    Money is compared only in one currency, so a child keeps the parent's
    (decisions/rule-language).
    """
    assert said("NL-ZH", NL=country(), NL_ZH=child(more='currency = "USD"\n')) == [
        (
            "NL-ZH/jurisdiction.toml:7:12 $.currency: the parent's currency is `EUR`; a child uses "
            "its parent's currency: remove `currency`, or remove `parent`"
        )
    ]
    assert said("NL-ZH", NL=country(), NL_ZH=child(more='currency = "EUR"\n')) == []


def test_a_parameter_of_another_type():
    """
    Units are checked when the file is read (decisions/rule-language).
    """
    mine = parameter("minimum_performance", "count", ("2025-01-01", 3))

    (error,) = said("NL-ZH", NL=country(), NL_ZH=child(renewal=mine))

    assert error == (
        "NL-ZH/renewal.toml:3:1 $.parameters.minimum_performance: `minimum_performance` is "
        "percent in `NL`, "
        "not count; a parameter keeps its type: inherited rules may read it"
    )


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ('rule = "on-pac"', "`NL` has no rule `on-pac`; did you mean `on-pace`?"),
        ('product = "flexi"', "`NL` has no product `flexi`; did you mean `flex`?"),
        ('parameter = "zzz"', "`NL` has no parameter `zzz`"),
        ('rule = "identity"', "`NL` has no rule `identity`"),  # that of a product
        ('rule = "flex"', "`NL` has no rule `flex`"),
    ],
)
def test_what_is_switched_off_in_vain(what, message):
    """
    A child switches off only what its parent has (decisions/jurisdiction-folders).
    """
    more = f'switch_off = [{{ {what}, reason = "x" }}]\n'

    assert said("NL-ZH", NL=country(), NL_ZH=child(more=more)) == [
        f"NL-ZH/jurisdiction.toml:7:15 $.switch_off[0]: {message}"
    ]


@for_every(
    ("entry", "path", "message"),
    [
        ('{ rule = "on-pace" }', "7:15 $.switch_off[0]", "`reason` is missing"),
        (
            '{ rule = "on-pace", reason = "" }',
            "7:44 $.switch_off[0].reason",
            "this is empty; fill it in",
        ),
        (
            '{ reason = "x" }',
            "7:15 $.switch_off[0]",
            "expected one of `rule`, `parameter`, `product`, `table` and `claim`",
        ),
        (
            '{ rule = "on-pace", parameter = "flex", reason = "x" }',
            "7:15 $.switch_off[0]",
            "expected one of `rule`, `parameter`, `product`, `table` and `claim`",
        ),
        (
            '{ rule = "on-pace", product = "flex", reason = "x" }',
            "7:15 $.switch_off[0]",
            "`NL` has no rule `on-pace` of the product `flex`",
        ),
        ('{ rul = "on-pace", reason = "x" }', "7:17 $.switch_off[0].rul", "unknown key `rul`"),
        (
            '{ rule = "On Pace", reason = "x" }',
            "7:24 $.switch_off[0].rule",
            "expected the id of a rule",
        ),
        ('"on-pace"', "7:15 $.switch_off[0]", "expected a table, not text"),
        (
            '{ rule = "on-pace", reason = "x", from = 2026-01-01, until = 2026-01-01 }',
            "7:76 $.switch_off[0].until",
            "a period from 2026-01-01 until 2026-01-01 has no day",
        ),
    ],
)
def test_how_something_is_switched_off(entry, path, message):
    """
    What is switched off has a stated reason (decisions/jurisdiction-folders).
    """
    found = said("NL-ZH", NL=country(), NL_ZH=child(more=f"switch_off = [{entry}]\n"))

    assert any(line.startswith(f"NL-ZH/jurisdiction.toml:{path}: {message}") for line in found), (
        found
    )


def test_a_code_of_the_parents_used_again():
    """
    A code is never used again, not even after its rule was retired.
    """
    parent = country()
    parent["renewal.toml"] = parent["renewal.toml"].replace("NL-R-02", "NL-ZH-R-02")
    mine = child(renewal=rule("older", "NL-ZH-R-02", "months_trading >= 6"))

    assert said("NL-ZH", NL=parent, NL_ZH=mine) == [
        (
            "NL-ZH/renewal.toml:5:8 $.rules[0].code: `NL-ZH-R-02` is the code of the rule "
            "`few-missed`; "
            "a code is never used again"
        )
    ]


def test_the_parents_own_code_is_not_the_childs():
    """
    The codes of a child's rules begin with its own code (decisions/jurisdiction-folders).
    """
    mine = child(renewal=rule("on-pace", "NL-R-01", "performance >= 90%"))

    assert said("NL-ZH", NL=country(), NL_ZH=mine) == [
        (
            "NL-ZH/renewal.toml:5:8 $.rules[0].code: expected a code such as `NL-ZH-R-01`, with "
            "the jurisdiction's own in front"
        )
    ]


def test_an_inherited_rule_that_goes_wrong_with_the_childs_parameter():
    """
    A child's value outside the range of a fact is an error of the child (decisions/rule-language).
    """
    parent = changed(
        country(),
        "renewal.toml",
        '[[rules]]\nid = "few',
        parameter("most_missed", "count", ("2025-01-01", 3)) + '[[rules]]\nid = "few',
    )
    parent = changed(parent, "renewal.toml", "30d <= 3", "30d <= most_missed")
    mine = parameter("most_missed", "count", ("2025-01-01", 3), ("2026-02-01", 99))

    assert said("NL", NL=parent, NL_ZH=child(renewal=mine)) == []
    (error,) = said("NL-ZH", NL=parent, NL_ZH=child(renewal=mine))
    assert error.startswith(
        "NL-ZH/jurisdiction.toml:1:1: the inherited rule `few-missed` (NL/renewal.toml:24): "
    )
    assert "most_missed" in error
    assert "0 to 30" in error


def test_an_inherited_rule_whose_parameter_is_switched_off():
    """
    An inherited rule whose parameter has no value on a day is an error
    (decisions/jurisdiction-folders).
    """
    more = 'switch_off = [{ parameter = "minimum_performance", reason = "x", from = 2026-03-01 }]\n'

    (error,) = said("NL-ZH", NL=country(), NL_ZH=child(more=more))

    assert error == (
        "NL-ZH/jurisdiction.toml:1:1: the inherited rule `on-pace` (NL/renewal.toml:10): the "
        "parameter "
        "`minimum_performance` has no value on 2026-03-01; let its timeline begin with the rule"
    )


def test_a_parameter_that_begins_after_the_inherited_rule():
    """
    A child's parameter replaces the parent's with its whole timeline
    (decisions/jurisdiction-folders).
    """
    mine = parameter("minimum_performance", "percent", ("2026-01-01", '"90%"'))

    (error,) = said("NL-ZH", NL=country(), NL_ZH=child(renewal=mine))

    assert "the inherited rule `on-pace` (NL/renewal.toml:10)" in error
    assert "has no value on 2025-01-01" in error


def test_a_setting_that_begins_after_the_parents_rules():
    """
    A setting needs a value on every day that has rules.
    """
    hours = 'offers_valid_hours = [{ from = 2026-01-01, value = 48, source = "policy" }]\n'

    (error,) = said("NL-ZH", NL=country(), NL_ZH=child(more=hours))

    assert error.startswith(
        "NL-ZH/jurisdiction.toml:7:22 $.offers_valid_hours: `offers_valid_hours` begins on"
    )


def test_reaching_the_floor_alone_is_not_enough_in_a_child_either():
    """
    Reaching the floor alone must never make a deal eligible (decisions/rule-language).
    """
    more = 'switch_off = [{ rule = "on-pace", reason = "x", from = 2026-05-01 }]\n'

    assert said("NL-ZH", NL=country(), NL_ZH=child(more=more)) == [
        (
            "NL-ZH/jurisdiction.toml:1:1: from 2026-05-01 on no declining rule reads anything but "
            "`progress`; "
            "reaching the floor alone must never make a deal eligible: `on-pace` did until then; "
            "add a rule that follows it"
        )
    ]


def test_a_new_rule_with_an_unknown_name():
    """
    What a child writes itself is pointed at in its own file.
    """
    mine = child(renewal=rule("older", "NL-ZH-R-02", "month_trading >= 6"))

    (error,) = said("NL-ZH", NL=country(), NL_ZH=mine)

    assert error.startswith("NL-ZH/renewal.toml:6:12 $.rules[0].require: ")
    assert "did you mean `months_trading`?" in error


def test_a_fact_with_the_name_of_an_inherited_parameter():
    """
    A declared fact with the name of an inherited parameter is an error.
    """
    more = '[facts.minimum_performance]\ntype = "flag"\ndescription = "x"\n'
    found, errors = read_all(NL=country(), NL_ZH=child(more=more))

    assert list(found) == ["NL"]
    assert [str(each) for each in errors["NL-ZH"]] == [
        (
            "NL-ZH/jurisdiction.toml:7:1 $.facts.minimum_performance: `minimum_performance` is a "
            "parameter of "
            "`NL`; facts and parameters share no name"
        )
    ]


def test_at_most_sixty_rules_together_with_the_parents():
    """
    A rulebook has at most 60 rules (the width of a mask) (decisions/rule-language).
    """

    def with_rules(number):
        text = "".join(
            rule(f"r{each}", f"NL-ZH-R-{each}", "identity_verified") for each in range(number)
        )
        return said("NL-ZH", NL=country(), NL_ZH=child(renewal=text))

    assert with_rules(58) == []
    assert with_rules(59) == [
        "NL-ZH/renewal.toml:3:1 $.rules: on 2025-01-01 more than 60 rules are in force together"
    ]


def test_faults_of_all_are_reported_at_once():
    """
    Every error of every file is reported at once.
    """
    _, errors = read_all(
        NL=country(),
        NL_ZH=child(more="ownr = 1\n"),
        NL_DH=child("NL-DH", renewal=rule("x", "NL-DH-R-01", "progress >=")),
        BE=changed(country("BE"), "products.toml", '"50%"', '"500%"'),
    )

    assert sorted(errors) == ["BE", "NL-DH", "NL-ZH"]
