"""Mutants of a jurisdiction's files: which there are, and whether an example notices each."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import date

import pytest

from every_case import for_every
from holdback.tools.mutants.mutation import mutants, stale_equivalent_mutants, verdicts
from small_folders import (
    changed,
    child,
    country,
    example,
    loaded,
    parameter,
    rule,
    said,
    without_example,
)

NAMES = """\
minimum_performance from 2025-01-01: 75% to 75.0001%
minimum_performance from 2025-01-01: 75% to 74.9999%
minimum_performance from 2026-01-01: 80% to 80.0001%
minimum_performance from 2026-01-01: 80% to 79.9999%
NL-R-01 left out
NL-R-01 otherwise refer
NL-R-01 require: performance == minimum_performance
NL-R-01 require: performance != minimum_performance
NL-R-01 require: performance < minimum_performance
NL-R-01 require: performance > minimum_performance
NL-R-01 require: performance <= minimum_performance
NL-R-02 left out
NL-R-02 otherwise decline
NL-R-02 require: missed_remittances_30d == 3
NL-R-02 require: missed_remittances_30d != 3
NL-R-02 require: missed_remittances_30d < 3
NL-R-02 require: missed_remittances_30d >= 3
NL-R-02 require: missed_remittances_30d > 3
NL-R-02 require: missed_remittances_30d <= 4
NL-R-02 require: missed_remittances_30d <= 2
NL-P-01 left out
NL-P-01 otherwise refer
NL-P-01 require: (not identity_verified)
flex limits minimum: EUR 500.00 to EUR 500.01
flex limits minimum: EUR 500.00 to EUR 499.99
flex limits maximum: EUR 2000.00 to EUR 2000.01
flex limits maximum: EUR 2000.00 to EUR 1999.99
flex split_percentage choices[0]: 10% to 10.0001%
flex split_percentage choices[0]: 10% to 9.9999%
flex factor_rate rate: 1.2 to 1.200001
flex factor_rate rate: 1.2 to 1.199999
flex term months: 6 to 7
flex term months: 6 to 5
flex amounts[0]: 50% to 51%
flex amounts[0]: 50% to 49%
flex amounts[1]: 100% to 99%
""".splitlines()


def states(code="NL", **folders):
    """What became of each mutant of *code*, by its name."""
    family = loaded(**folders)
    found = list(verdicts(family[code], family))
    assert len({each.mutant.name for each in found}) == len(found), "two mutants of one name"
    return {each.mutant.name: each.state for each in found if not of_settings(each.mutant)}


def of_settings(mutant):
    """Whether *mutant* is of a setting, which a test of its own looks at."""
    return mutant.name.startswith(("offers_valid_hours", "recently_active_days"))


def survived(code="NL", **folders):
    """The names of the mutants that survived."""
    return [name for name, state in states(code, **folders).items() if state == "survived"]


def test_which_mutants_there_are():
    """
    Every threshold is moved by one unit, every comparison flipped, every rule left out.
    """
    family = loaded(NL=country())

    found = [each for each in mutants(family["NL"], family) if not of_settings(each)]
    assert [each.name for each in found] == NAMES


def test_each_says_where_it_stands():
    """
    A mutant names the file and line of the rule.
    """
    family = loaded(NL=country())
    places = {each.name: (each.file, each.line) for each in mutants(family["NL"], family)}

    assert places["minimum_performance from 2026-01-01: 80% to 80.0001%"] == ("NL/renewal.toml", 7)
    assert places["NL-R-02 left out"] == ("NL/renewal.toml", 18)
    assert places["NL-P-01 left out"] == ("NL/products.toml", 15)
    assert places["flex term months: 6 to 7"] == ("NL/products.toml", 13)
    assert places["flex amounts[0]: 50% to 51%"] == ("NL/products.toml", 9)


def test_every_mutant_of_a_good_file_is_noticed_or_refused():
    """
    The examples of a good file notice every mutant.
    """
    found = states(NL=country())

    assert Counter(found.values()) == {"noticed": 32, "refused": 4}
    assert {name for name, state in found.items() if state == "refused"} == {
        f"NL-R-01 require: performance {operator} minimum_performance"
        for operator in ("==", "!=", ">", "<=")
    }


@for_every(
    ("left_out", "file", "expected"),
    [
        (
            "just on pace until the change",
            "renewal.toml",
            ["minimum_performance from 2025-01-01: 75% to 75.0001%"],
        ),
        (
            "short of the pace until the change",
            "renewal.toml",
            ["minimum_performance from 2025-01-01: 75% to 74.9999%"],
        ),
        ("just on pace", "renewal.toml", ["minimum_performance from 2026-01-01: 80% to 80.0001%"]),
        (
            "short of the pace",
            "renewal.toml",
            ["minimum_performance from 2026-01-01: 80% to 79.9999%"],
        ),
        (
            "four missed",
            "renewal.toml",
            ["NL-R-02 otherwise decline", "NL-R-02 require: missed_remittances_30d <= 4"],
        ),
        ("not verified", "products.toml", ["NL-P-01 otherwise refer"]),
    ],
)
def test_one_example_fewer_and_the_right_mutant_survives(left_out, file, expected):
    """
    A mutant that no example notices survives.
    """
    assert survived(NL=without_example(country(), left_out, file=file)) == expected


def test_which_example_noticed_it():
    """
    A mutant that was noticed names the example that noticed it.
    """
    family = loaded(NL=country())
    noticed = {each.mutant.name: each.reason for each in verdicts(family["NL"], family)}

    assert noticed["minimum_performance from 2026-01-01: 80% to 79.9999%"] == "short of the pace"
    assert noticed["NL-R-02 require: missed_remittances_30d <= 2"] == "three missed"
    assert "not exact" in noticed["NL-R-01 require: performance == minimum_performance"]


def with_extra_rule(require, *examples, files=None, **keys):
    """The country NL with a rule NL-R-03, and these *examples*."""
    text = changed(
        files or country(),
        "renewal.toml",
        "[typical]",
        f"{rule('more', 'NL-R-03', require, **keys)}[typical]",
    )
    shown = "".join(f"\n{each}" for each in examples)
    return {**text, "renewal.toml": f"{text['renewal.toml']}{shown}"}


@pytest.mark.parametrize(
    ("require", "same"),
    [
        ("progress < 50%", ["progress < 49.9999%"]),
        ("missed_remittances_30d <= 30", []),
        (
            "missed_remittances_30d < 30 or missed_remittances_30d == 30",
            [
                "missed_remittances_30d != 30 or missed_remittances_30d == 30",
                "missed_remittances_30d <= 30 or missed_remittances_30d == 30",
                "missed_remittances_30d < 30 or missed_remittances_30d >= 30",
                "missed_remittances_30d < 30 or missed_remittances_30d <= 30",
            ],
        ),
        (
            "deals_completed >= 1 or deals_completed < 1",
            [
                "deals_completed >= 0 or deals_completed < 1",
                "deals_completed >= 1 or deals_completed != 1",
                "deals_completed >= 1 or deals_completed <= 1",
                "deals_completed >= 1 or deals_completed < 2",
            ],
        ),
        ("months_trading >= 6", []),
    ],
)
def test_a_mutant_that_no_deal_can_tell_apart(require, same, monkeypatch):
    """
    A mutant that gives every deal the same answer is equivalent, which needs no solver where the
    facts are compared with constants.
    """
    monkeypatch.setitem(sys.modules, "holdback.tools.proofs.equal_answers", None)
    found = states(NL=with_extra_rule(require, since="2026-06-01"))
    equivalent = [name for name, state in found.items() if state == "equivalent"]

    assert sorted(equivalent) == sorted(f"NL-R-03 require: {text}" for text in same)


@pytest.mark.parametrize(
    ("require", "name", "reason"),
    [
        ("missed_remittances_30d <= 30", "otherwise refer", "no deal gets another answer"),
        (
            "average_monthly_takings >= balance or balance >= average_monthly_takings",
            "require: average_monthly_takings >= balance or balance > average_monthly_takings",
            "no deal gets another answer",
        ),
        (
            "days_since_last_remittance <= days_since_funding",
            "otherwise refer",
            (
                "this rule never decides: of every deal that can exist, "
                "days since last remittance is at most days since funding"
            ),
        ),
    ],
)
def test_what_a_solver_proves(require, name, reason, monkeypatch):
    """
    Equivalent mutants are proved away and explained; without the solver they survive.
    """
    text = with_extra_rule(require, since="2026-06-01")
    family = loaded(NL=text)
    with_solver = {each.mutant.name: each for each in verdicts(family["NL"], family)}
    monkeypatch.setitem(sys.modules, "holdback.tools.proofs.equal_answers", None)

    mine = with_solver[f"NL-R-03 {name}"]

    assert (mine.state, mine.reason) == ("equivalent", reason)
    assert states(NL=text)[f"NL-R-03 {name}"] == "survived"


def test_a_clause_where_another_rule_refuses_already():
    """
    A clause decides nothing where another rule declines the deals that it would refer.
    """
    require = "performance >= minimum_performance or months_trading >= 6"
    text = with_extra_rule(require, since="2026-06-01", otherwise='"refer"')
    family = loaded(NL=text)
    found = {each.mutant.name: each for each in verdicts(family["NL"], family)}

    for clause in ("months_trading >= 7", "months_trading < 6"):
        mine = found[f"NL-R-03 require: performance >= minimum_performance or {clause}"]
        assert (mine.state, mine.reason) == (
            "equivalent",
            "this clause never decides: where it would, `on-pace` (NL-R-01) is not met either",
        )


def test_what_the_ranges_cannot_show_survives():
    """
    A mutant of a rule that compares two facts survives, since the ranges do not prove it
    equivalent.
    """
    text = with_extra_rule("average_monthly_takings - balance >= EUR 0.00", since="2026-06-01")

    assert "NL-R-03 left out" in survived(NL=text)
    assert "NL-R-03 require: average_monthly_takings - balance >= EUR 0.01" in survived(NL=text)


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01"])
def test_a_date_at_the_end_of_the_calendar(day):
    """
    A date moves by one day, within the calendar.
    """
    text = with_extra_rule(
        "months_trading >= 6",
        files=changed(
            country(),
            "renewal.toml",
            '[[rules]]\nid = "on',
            parameter("never", "date", ("2025-01-01", day)) + '[[rules]]\nid = "on',
        ),
        when="'credit_checked_on == never'",
        since="2026-06-01",
    )

    assert len([name for name in states(NL=text) if name.startswith("never from")]) == 1


LISTED = '\n[[survivors]]\nmutant = "{}"\nreason = "No deal is so."\n'
SHORT = "minimum_performance from 2026-01-01: 80% to 79.9999%"


def listed(name, files=None):
    text = files or without_example(country(), "short of the pace")
    return {**text, "renewal.toml": text["renewal.toml"] + LISTED.format(name)}


def told(text):
    """What is stale among the survivors that are listed, and the states of the mutants."""
    family = loaded(NL=text)
    found = list(verdicts(family["NL"], family))
    return [str(each) for each in stale_equivalent_mutants(family["NL"], found)], found


def test_a_survivor_that_is_listed():
    """
    A survivor may be listed with the reason why no deal can tell it apart.
    """
    said, found = told(listed(SHORT))
    (mine,) = [each for each in found if each.state == "listed"]

    assert said == []
    assert (mine.mutant.name, mine.reason) == (SHORT, "No deal is so.")
    assert not [each for each in found if each.state == "survived"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (SHORT, "does not survive: noticed; leave it out: short of the pace"),
        (
            SHORT.replace("79.9999", "79.9998"),
            f"there is no mutant `{SHORT.replace('79.9999', '79.9998')}`",
        ),
        ("NL-R-09 left out", "there is no mutant `NL-R-09 left out`; did you mean `NL-R-0"),
        (
            "NL-R-01 require: performance == minimum_performance",
            "does not survive: refused; leave it out: column 1: `==` is not exact",
        ),
        ("zzz", "there is no mutant `zzz`; leave it out: the file has changed"),
    ],
)
def test_a_stale_survivor(name, message):
    """
    A list of survivors is worth something only while it is true.
    """
    (said,), _ = told(listed(name, country()))

    assert message in said
    assert said.startswith("NL/renewal.toml:86: ")


def test_an_equivalent_mutant_need_not_be_listed():
    """
    What the ranges of the facts show needs no reason written by hand.
    """
    text = with_extra_rule("progress < 50%", since="2026-06-01")

    (said,), _ = told(listed("NL-R-03 require: progress < 49.9999%", text))

    assert "does not survive: equivalent; leave it out: no deal gets another answer" in said


TWO = """\
[[rules]]
id = "few-missed"
code = "NL-R-02"
require = "missed_remittances_30d <= 3"
otherwise = "refer"
reason = "Missed: {missed_remittances_30d}."
source = "policy"
from = 2026-01-01

[typical]"""


def versions():
    """The country NL, whose rule `few-missed` has two versions."""
    text = changed(
        country(),
        "renewal.toml",
        "from = 2025-01-01\n\n[typical]",
        "from = 2025-01-01\nuntil = 2026-01-01\n\n[typical]",
    )
    return changed(text, "renewal.toml", "[typical]", TWO)


def test_versions_of_a_rule_have_mutants_of_their_own():
    """
    Each version of a rule needs examples of its own.
    """
    found = states(NL=versions())

    assert found["NL-R-02 from 2026-01-01 left out"] == "noticed"
    assert found["NL-R-02 from 2025-01-01 left out"] == "survived"
    assert "NL-R-02 left out" not in found
    assert "NL-R-01 left out" in found


def test_a_survivor_of_one_version_says_nothing_of_the_other():
    """
    A listed survivor counts for its own version of a rule alone.
    """
    text = versions()
    said, found = told(listed("NL-R-02 from 2025-01-01 left out", text))
    of_it = {each.mutant.name: each.state for each in found if "NL-R-02" in each.mutant.name}

    assert said == []
    assert of_it["NL-R-02 from 2025-01-01 left out"] == "listed"
    assert of_it["NL-R-02 from 2025-01-01 otherwise decline"] == "survived"
    assert of_it["NL-R-02 from 2026-01-01 left out"] == "noticed"


def test_a_child_answers_for_its_own_files_alone():
    """
    A child has mutants of its own files, and none of its parent's.
    """
    mine = parameter("minimum_performance", "percent", ("2025-01-01", '"90%"'))
    off = (
        'switch_off = [{ rule = "few-missed", reason = "x" }, { product = "flex", reason = "x" }]\n'
    )
    found = states("NL-ZH", NL=country(), NL_ZH=child(more=off, renewal=mine))

    assert found == {
        "minimum_performance from 2025-01-01: 90% to 90.0001%": "survived",
        "minimum_performance from 2025-01-01: 90% to 89.9999%": "survived",
        "rule few-missed not switched off": "survived",
        "product flex not switched off": "survived",
    }


def test_a_child_whose_examples_notice_every_mutant():
    """
    The examples also notice when something switched off is switched on again.
    """
    mine = parameter("minimum_performance", "percent", ("2025-01-01", '"90%"'))
    mine += example("yes", "eligible", progress='"60%"', performance='"90%"')
    mine += example(
        "no", "ineligible", codes=["NL-R-01"], progress='"60%"', performance='"89.9999%"'
    )
    mine += example("many missed", "eligible", missed_remittances_30d=4)
    products = (
        '[[examples]]\nname = "gone"\non = 2026-02-01\nproduct = "flex"\nexpect = { '
        'decision = "Not offered" }\n'
    )
    off = (
        'switch_off = [{ rule = "few-missed", reason = "x" }, { product = "flex", reason = "x" }]\n'
    )
    found = states("NL-ZH", NL=country(), NL_ZH=child(more=off, renewal=mine, products=products))

    assert set(found.values()) == {"noticed"}
    assert len(found) == 4


def test_an_inherited_rule_goes_back_into_its_place():
    """
    The order of the rules in the file is their priority and part of their meaning
    (decisions/rule-language).
    """
    off = 'switch_off = [{ rule = "on-pace", reason = "x" }]\n'
    mine = rule("verified", "NL-ZH-R-01", "identity_verified") + example("x", "eligible")
    family = loaded(NL=country(), NL_ZH=child(more=off, renewal=mine))
    (back,) = [each for each in mutants(family["NL-ZH"], family) if "switched" in each.name]

    rules = back.change(family["NL-ZH"].rulebook(date(2026, 2, 1))).renewal.rules
    assert [each.id for each in rules] == ["on-pace", "few-missed", "verified"]


def test_settings_are_held_by_examples_too():
    """
    The settings in `jurisdiction.toml` have mutants too.
    """
    bare = {
        **country(),
        "jurisdiction.toml": country()["jurisdiction.toml"].split("[[examples]]")[0],
    }
    names = {
        f"{name} from 2025-01-01: {value} to {value + unit}"
        for name, value in (("offers_valid_hours", 720), ("recently_active_days", 90))
        for unit in (1, -1)
    }
    for text, state in ((country(), "noticed"), (bare, "survived")):
        family = loaded(NL=text)
        found = {each.mutant.name: each.state for each in verdicts(family["NL"], family)}
        assert {found[name] for name in names} == {state}


@pytest.mark.parametrize(
    ("expect", "expected"),
    [
        ("{}", "expected a setting"),
        ('{ outcome = "eligible" }', "unknown key `outcome`"),
        ("{ offers_valid_hours = 0 }", "expected 1 to 8784"),
    ],
)
def test_what_is_no_example_of_settings(expect, expected):
    """
    An invalid example of settings is an error that says what was expected.
    """
    text = country()
    text["jurisdiction.toml"] = text["jurisdiction.toml"].replace(
        "{ offers_valid_hours = 720, recently_active_days = 90 }", expect
    )
    assert any(expected in line for line in said("NL", NL=text))
