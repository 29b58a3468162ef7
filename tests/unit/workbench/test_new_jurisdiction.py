"""The files of a new jurisdiction: they pass as soon as their blanks are filled."""

from __future__ import annotations

import re
from datetime import date

import pytest
from template_files import filled_in

from every_case import for_every
from holdback.eligibility.reasons import SERVICE_REASONS
from holdback.exact.exact_numbers import ROUNDINGS
from holdback.jurisdictions import load_jurisdictions
from holdback.merchant.deal import STATUSES
from holdback.tools.example_run import run_examples
from holdback.tools.lint.coverage import coverage
from holdback.tools.lint.lint import findings
from holdback.tools.mutants.mutation import verdicts
from small_folders import country, loaded, said

START, NOW = date(2026, 1, 1), date(2026, 7, 1)
BLANK = re.compile(r'^(\w+) = ""', re.MULTILINE)


def filled(files, currency="EUR", zone="Europe/Dublin", low="1000", high="50000"):
    """The *files* with every blank filled in, as their comments say."""
    who = files["jurisdiction.toml"]
    for name, value in (
        ("name", '"Somewhere"'),
        ("currency", f'"{currency}"'),
        ("timezone", f'"{zone}"'),
        ("owner", '"risk"'),
        ("review_by", "2027-06-30"),
    ):
        who = re.sub(rf'^{name} = ""', f"{name} = {value}", who, flags=re.MULTILINE)
    done = {**files, "jurisdiction.toml": who}
    if "products.toml" in files:
        text = files["products.toml"]
        text = text.replace('minimum = ""', f'minimum = "{currency} {low}"')
        done["products.toml"] = text.replace('maximum = ""', f'maximum = "{currency} {high}"')
    return done


def new(code="SE", parent=None, start=START):
    return filled_in(code, parent, start)


def test_the_blanks_are_few_and_each_is_pointed_at():
    """
    Every blank is an error until it is filled in.
    """
    found = said("SE", SE=new())

    assert found == [
        f"SE/{place} {path}: this is empty; fill it in"
        for place, path in (
            ("jurisdiction.toml:5:8", "$.name"),
            ("jurisdiction.toml:6:12", "$.currency"),
            ("jurisdiction.toml:8:12", "$.timezone"),
            ("jurisdiction.toml:9:9", "$.owner"),
            ("jurisdiction.toml:10:13", "$.review_by"),
            ("products.toml:20:55", "$.products[0].limits.minimum"),
            ("products.toml:20:69", "$.products[0].limits.maximum"),
        )
    ]
    rest = {**filled(new()), "products.toml": new()["products.toml"]}
    assert {line.partition(": ")[2] for line in said("SE", SE=rest)} == {
        "this is empty; fill it in"
    }
    assert len(said("SE", SE=rest)) == 2


@for_every(
    ("currency", "zone", "low", "high"),
    [
        ("EUR", "Europe/Dublin", "1000", "50000"),
        ("GBP", "Europe/London", "500.00", "20000.50"),
        ("JPY", "Asia/Tokyo", "100000", "5000000"),
        ("KWD", "Asia/Kuwait", "300.125", "20000.500"),
        ("ISK", "Atlantic/Reykjavik", "100000", "9000000"),
        ("USD", "America/New_York", "1", "2"),
    ],
)
def test_filled_it_passes_check_and_test(currency, zone, low, high):
    """
    A new folder passes `check` as soon as its blanks are filled in.
    """
    family = loaded(SE=filled(new(), currency, zone, low, high))
    tried = list(run_examples(family["SE"]))

    assert [str(each) for each in findings(family, NOW)] == []
    assert len(tried) >= 12
    assert all(each.passed for each in tried)
    assert [(each.rule, each.missing) for each in coverage(family["SE"], tried)] == [
        (rule, ())
        for rule in (
            "funded-or-repaid",
            "on-pace",
            "few-missed",
            "identity",
            "months-trading",
            "no-default",
            "identity-at-funding",
            "business-at-funding",
            "no-default-at-funding",
        )
    ]


def test_its_renewal_and_funding_rules_lose_no_mutant():
    """
    The examples of a new folder notice every mutant of its rules.
    """
    family = loaded(SE=filled(new()))
    survived = [
        each.mutant.name
        for each in verdicts(family["SE"], family)
        if each.state == "survived"
        and (each.mutant.file == "SE/renewal.toml" or "-F-" in each.mutant.name)
    ]

    assert survived == []


def test_the_services_own_reasons_can_be_worded():
    """
    The template has each of the service's own sentences, as a comment. Without the signs of a
    comment they are the jurisdiction's own, and say the same.
    """
    files = filled(new())
    assert loaded(SE=files).resolve("SE", on=NOW).renewal.wording == {}

    commented = re.compile(
        r"^# (?=\[reasons\]|(?:" + "|".join(SERVICE_REASONS).lower() + ") = )", re.MULTILINE
    )
    files["products.toml"] = commented.sub("", files["products.toml"])
    family = loaded(SE=files)
    assert family.resolve("SE", on=NOW).renewal.wording == SERVICE_REASONS
    assert [str(each) for each in findings(family, NOW)] == []


def test_a_payout_is_guarded_as_in_the_jurisdictions_that_ship():
    """
    "What ships: identity and business still verified, no default, no hold" holds of what is new.
    """
    shipped = load_jurisdictions().resolve("GB", on=date(2026, 12, 1)).funding
    funding = loaded(SE=filled(new())).resolve("SE", on=NOW).funding

    def read(ruleset):
        return [
            (rule.id, rule.code[2:], rule.require, rule.otherwise, rule.reason)
            for rule in ruleset.rules
        ]

    assert read(funding) == read(shipped)
    assert len(funding.rules) == 3


@for_every("status", STATUSES)
def test_a_deal_that_has_ended_is_not_renewed(status):
    """
    By the rules of a new folder only a funded or repaid deal can be eligible.
    """
    facts = {"progress": "100%", "performance": "100%", "status": status}
    rulebook = loaded(SE=filled(new())).resolve("SE", on=NOW)
    assessment = rulebook.assess(facts | {"missed_remittances_30d": 0})

    assert assessment.eligible == (status in ("Funded", "Repaid"))
    assert assessment.eligible or assessment.codes == ("SE-R-01",)


def test_the_roundings_that_it_names_are_all_there_are():
    """
    The comment on the rounding of money lists what can be written there.
    """
    (line,) = re.findall(
        r"^rounding = .*# of money: (.*)$", new()["jurisdiction.toml"], re.MULTILINE
    )

    assert sorted(line.split(", ")) == sorted(ROUNDINGS)


@pytest.mark.parametrize("start", [START, date(2024, 2, 29), date(2030, 12, 31), date(1999, 1, 1)])
def test_from_any_day(start):
    """
    The rules of a new jurisdiction are in force from *start* on.
    """
    family = loaded(SE=filled(new(start=start)))

    assert family["SE"].changes == (start,)
    assert [str(each) for each in findings(family)] == []


@pytest.mark.parametrize("code", ["SE", "US-CA", "GB-1", "DE-BY"])
def test_any_code(code):
    """
    A new folder can have any ISO 3166 code.
    """
    family = loaded(**{code: filled(new(code))})

    assert [rule.code for rule in family.resolve(code, on=NOW).renewal.rules] == [
        f"{code}-R-01",
        f"{code}-R-02",
        f"{code}-R-03",
    ]
    assert [str(each) for each in findings(family)] == []


def test_of_a_child_the_blanks_are_three():
    """
    A new child leaves everything else to its parent.
    """
    files = new("NL-ZH", "NL")

    assert sorted(files) == ["jurisdiction.toml", "renewal.toml"]
    assert BLANK.findall(files["jurisdiction.toml"]) == ["name", "owner", "review_by"]
    assert len(said("NL-ZH", NL=country(), NL_ZH=files)) == 3


def test_a_child_filled_passes_check_and_test():
    """
    A new child passes `check` as soon as its blanks are filled in.
    """
    family = loaded(NL=country(), NL_ZH=filled(new("NL-ZH", "NL")))

    assert [str(each) for each in findings(family, NOW)] == []
    assert list(run_examples(family["NL-ZH"])) == []
    assert [claim.name for claim in family["NL-ZH"].claims] == ["as strict as NL"]
    assert [each.code for each in family.resolve("NL-ZH", on=NOW).renewal.rules] == [
        "NL-R-01",
        "NL-R-02",
    ]


def uncommented(text):
    """Return *text* with the TOML in its comments uncommented."""
    return re.sub(r"^# (?=\[|\w+ = |\]|  \{)", "", text, flags=re.MULTILINE)


def test_what_stands_in_a_childs_comments_works():
    """
    The commented rules and examples of a new child are valid.
    """
    files = filled(new("NL-ZH", "NL"))
    files["renewal.toml"] = uncommented(files["renewal.toml"])
    family = loaded(NL=country(), NL_ZH=files)

    (example,) = run_examples(family["NL-ZH"])
    assert example.passed
    assert family.resolve("NL-ZH", on=NOW).renewal.rules[0].code == "NL-ZH-R-01"


def test_what_stands_in_the_comments_works():
    """
    The commented figures and declared fact are valid.
    """
    files = filled(new())
    files["jurisdiction.toml"] = uncommented(files["jurisdiction.toml"])
    family = loaded(SE=files)
    book = family.resolve("SE", on=NOW)

    assert book.renewal.figures.money == "€{amount}"
    assert book.catalogue.fact("licence_valid") is not None
    assert [each.message for each in findings(family)] == ["no rule reads the fact `licence_valid`"]


@pytest.mark.parametrize("parent", [None, "NL"])
def test_each_file_names_its_schema_and_explains_itself(parent):
    """
    Every new file names its schema in its first line.
    """
    for name, text in new("NL-ZH", parent).items():
        kind = name.removesuffix(".toml")
        assert text.splitlines()[0] == f"#:schema ../schema/{kind}.json"
        assert text.isascii() or "€" in text
        assert max(map(len, text.splitlines())) <= 120
        assert "{start}" not in text
        assert "{{" not in text


def test_every_blank_says_what_belongs_there():
    """
    The comments of a new folder name what to fill in.
    """
    blanks = [line for line in new()["jurisdiction.toml"].splitlines() if ' = ""' in line]

    assert len(blanks) == 5
    assert all("#" in line for line in blanks)


def test_the_review_is_a_year_away():
    """
    The review of a new jurisdiction is due after a year.
    """
    assert ": 2027-01-01" in new(start=date(2026, 1, 31))["jurisdiction.toml"]
    assert ": 2025-02-01" in new(start=date(2024, 2, 29))["jurisdiction.toml"]
