"""Errors in a jurisdiction's files: their places and their messages."""

from __future__ import annotations

import re
import tomllib
from datetime import date, timedelta
from pathlib import Path

import pytest

from every_case import for_every
from holdback.errors import ErrorDetail
from small_folders import IRELAND, changed, child, country, errors_in, read, rule, said

# A JSON path, as on the wire; a name that is not plain is quoted.
PATH = re.compile(r'\$(\.[A-Za-z_][\w-]*|\[[0-9]+\]|\["[^"]*"\])*')
RENEWAL = IRELAND["renewal.toml"]
PRODUCTS = IRELAND["products.toml"]

_CASES = tomllib.loads((Path(__file__).parent / "error_cases.toml").read_text("utf-8"))
CASES = [
    pytest.param(f"{kind}.toml", case, id=f"{kind}.toml {case['new']}"[:90])
    for kind, cases in _CASES.items()
    for case in cases
]


@for_every(("file", "case"), CASES)
def test_an_error_has_its_place_message_and_hint(file, case):
    """
    An error has its file, line and column, says what is wrong, and gives a hint.
    """
    spoilt = changed(IRELAND, file, case["old"], case["new"])
    before, marked, _ = spoilt[file].partition("~")

    (error,) = errors_in({**spoilt, file: spoilt[file].replace("~", "", 1)})

    assert error.file == f"IE/{file}"
    assert PATH.fullmatch(error.path or "$")
    assert error.message.startswith(case["message"])
    assert case.get("hint") is None or case["hint"] in error.hint
    if marked:
        assert (error.line, error.column) == (
            before.count("\n") + 1,
            len(before.split("\n")[-1]) + 1,
        )
        assert error.source == spoilt[file].replace("~", "", 1).split("\n")[error.line - 1]


def test_marks_end_with_their_line():
    """
    An error that goes on in the next line is marked up to the end of its first.
    """
    error = ErrorDetail(code="missing", message="m", source="abc", column=2, width=9)

    assert error.marked() == ("abc", " ^^")


def test_the_files_are_without_error_to_begin_with():
    """
    The files that the cases change are valid.
    """
    assert errors_in(IRELAND) == ()


def test_every_error_of_every_file_at_once():
    """
    All errors are reported at once, in the order of the files and of their lines.
    """
    spoilt = {
        "jurisdiction.toml": IRELAND["jurisdiction.toml"]
        .replace("half_up", "half")
        .replace("720", "0"),
        "renewal.toml": RENEWAL.replace("<= 3", "<= three").replace("80%", "80"),
        "products.toml": PRODUCTS.replace('identity_verified"', 'identified"').replace(
            "flex", "Flex", 1
        ),
    }

    found = errors_in(spoilt)

    assert [(error.file, error.line) for error in found] == [
        ("IE/jurisdiction.toml", 5),
        ("IE/jurisdiction.toml", 10),
        ("IE/renewal.toml", 7),
        ("IE/renewal.toml", 22),
        ("IE/renewal.toml", 37),
        ("IE/products.toml", 4),
        ("IE/products.toml", 15),
    ]


@for_every(
    ("old", "new", "line"),
    [
        ("format = 1", "format = = 1", 1),
        ('currency = "EUR"', 'currency = "EURO"', 5),
        ('currency = "EUR"', "", 1),
    ],
)
def test_a_file_that_cannot_be_read_does_not_hide_errors_in_the_others(old, new, line):
    """
    What can be checked without the currency is reported together with its error.
    """
    spoilt = {
        "jurisdiction.toml": IRELAND["jurisdiction.toml"].replace(old, new, 1),
        "renewal.toml": RENEWAL.replace("<= 3", "<=").replace("[[rules]]", "[[ruels]]", 1),
        "products.toml": PRODUCTS.replace("amounts", "amuonts", 1),
    }

    found = [(error.file, error.code) for error in errors_in(spoilt)]

    assert found[0][0] == "IE/jurisdiction.toml"
    assert ("IE/renewal.toml", "unknown_field") in found
    assert ("IE/renewal.toml", "invalid_rule") in found
    assert ("IE/products.toml", "unknown_field") in found


def test_a_file_that_may_be_a_childs_is_not_missed():
    """
    A child may lack a file, and without `jurisdiction.toml` nobody knows whether it is one.
    """
    assert [error.code for error in errors_in({"jurisdiction.toml": "parent = = 1"})] == [
        "malformed"
    ]
    assert [error.code for error in errors_in({})] == ["missing"] * 3


def test_a_rule_that_reads_an_invalid_fact_may_be_right():
    """
    The fact has its error; its name is not unknown in the rules that read it.
    """
    facts = '[facts.licensed]\ntype = "flg"\ndescription = "Whether it has a licence."\n'
    text = country(more=facts)
    text["renewal.toml"] += rule("misspelt", "NL-R-09", "progres >= 50%")
    text["renewal.toml"] += rule("licensed", "NL-R-10", "licensed and progress >= 50%")

    assert [error.code for error in errors_in(text, "NL")] == ["wrong_value", "invalid_rule"]


def test_a_childs_own_errors_are_all_reported():
    """
    An error in one file of a child does not hide another, nor an error of its parent.
    """
    own = child(renewal=rule("newer", "NL-ZH-R-09", "progres >= 60%"))
    own["jurisdiction.toml"] = own["jurisdiction.toml"].replace("owner", "ownr")
    broken = changed(country(), "renewal.toml", 'value = "75%"', 'value = "75"')
    typed = changed(own, "renewal.toml", "progres >=", "progress >")

    assert [error.partition(":")[0] for error in said("NL-ZH", NL=country(), NL_ZH=own)] == [
        "NL-ZH/jurisdiction.toml",
        "NL-ZH/renewal.toml",
    ]
    assert len(said("NL-ZH", NL=broken, NL_ZH=typed)) == 2
    unreadable = changed(typed, "renewal.toml", "progress >", "progress >>")
    assert len(said("NL-ZH", NL=broken, NL_ZH=unreadable)) == 3


def test_an_inherited_rule_is_not_blamed_for_what_its_child_lacks():
    """
    An inherited rule is checked with everything that its child puts in its place, or not at all.
    """
    more = 'switch_off = [{ parameter = "minimum_performance", reason = "x" }]\n'
    own = child(renewal=rule("on-pace", "NL-ZH-R-01", "progress >= >= 60%"), more=more)

    (error,) = said("NL-ZH", NL=country(), NL_ZH=own)

    assert error.startswith("NL-ZH/renewal.toml")


def test_an_error_shows_its_characters():
    """
    An error shows its place, its source line with the wrong characters underlined, and its hint.
    """
    (error,) = errors_in(changed(IRELAND, "renewal.toml", "_30d <= 3", "_30d <= 99"))

    assert error.underlined() == (
        "IE/renewal.toml:22:38 $.rules[1].require: `99` is out of range; "
        "`missed_remittances_30d` is 0 to 30\n"
        '    require = "missed_remittances_30d <= 99"\n'
        "                                         ^^"
    )


@pytest.mark.parametrize("missing", IRELAND)
def test_a_missing_file(missing):
    """
    A folder without one of its files is refused.
    """
    (error,) = errors_in({name: text for name, text in IRELAND.items() if name != missing})

    assert (error.file, error.message) == (f"IE/{missing}", "the file is missing")
    assert "`products.toml`" in error.hint


@pytest.mark.parametrize(
    ("file", "listed"), [("renewal.toml", "rules"), ("products.toml", "products")]
)
def test_an_empty_list(file, listed):
    """
    A jurisdiction has a rule and a product.
    """
    kept = [part for part in IRELAND[file].split("\n\n") if not part.startswith(f"[[{listed}]]")]
    text = "\n\n".join(kept).replace("format = 1", f"format = 1\n{listed} = []")

    assert "expected at least one" in [
        error.message for error in errors_in({**IRELAND, file: text})
    ]


def test_at_most_sixty_rules_together():
    """
    A rulebook has at most 60 rules (the width of a mask) (decisions/rule-language).
    """
    rule = RENEWAL[RENEWAL.index('[[rules]]\nid = "few') : RENEWAL.index("[typical]")]

    def with_rules(number):
        more = "".join(
            rule.replace("few-missed", f"few-missed-{place}").replace("R-02", f"R-1{place:02}")
            for place in range(number - 2)
        )
        return changed(IRELAND, "renewal.toml", "[typical]", f"{more}[typical]")

    assert errors_in(with_rules(60)) == ()
    (error,) = errors_in(with_rules(61))
    assert error.message == "on 2025-07-01 more than 60 rules are in force together"


def test_at_most_twenty_products_together():
    """
    What a folder may cost is bounded.
    """
    product = PRODUCTS[PRODUCTS.index("[[products]]") : PRODUCTS.index("rules = [")]

    def with_products(number):
        more = "".join(product.replace("flex", f"flex_{place}") for place in range(number - 1))
        return changed(IRELAND, "products.toml", "[[examples]]", f"{more}\n[[examples]]")

    assert errors_in(with_products(20)) == ()
    (error,) = errors_in(with_products(21))
    assert error.message == "on 2025-01-01 there are more than 20 products"


def test_at_most_four_hundred_changes():
    """
    What a folder may cost is bounded.
    """

    def with_changes(number):
        days = (date(2026, 1, 1) + timedelta(days=place) for place in range(number - 2))
        entries = "".join(f'{{ from = {day}, value = "80%", source = "policy" }},' for day in days)
        old = '{ from = 2026-01-01, value = "80%", source = "policy" },'
        return changed(IRELAND, "renewal.toml", old, entries)

    assert len(read(with_changes(400)).slices) == 400
    (error,) = errors_in(with_changes(401))
    assert error.message == "there are more than 400 dates of change"


TYPES = [
    ("flag", "true", "identity_verified", "{identity_verified}"),
    ("count", "3", "missed_remittances_30d <= other", "{other}"),
    ("percent", '"50%"', "performance >= other", "{other}"),
    ("ratio", '"0.5"', "balance <= average_monthly_takings * other", "{other}"),
    ("ratio", "0.5", "balance <= average_monthly_takings * other", "{other}"),
    ("money", '"EUR 5.00"', "balance <= other", "{other}"),
    ("days", '"14 days"', "days_since_funding >= other", "{other}"),
    ("days", "14", "days_since_funding >= other", "{other}"),
    ("date", "2025-01-01", "credit_checked_on >= other", "{other}"),
]


@for_every(("type_", "value", "require", "figure"), TYPES)
def test_a_parameter_of_every_type(type_, value, require, figure):
    """
    A parameter may have each of the types, with a unit where the type has one.
    """
    parameter = (
        f'[parameters.other]\ntype = "{type_}"\n'
        f'timeline = [{{ from = 2025-01-01, value = {value}, source = "policy" }}]\n[typical]'
    )
    files = changed(IRELAND, "renewal.toml", "missed_remittances_30d <= 3", require)
    files = changed(files, "renewal.toml", "{missed_remittances_30d}", figure)
    files = changed(files, "renewal.toml", "[typical]", parameter)

    assert [f for f in errors_in(files) if f.file == "IE/renewal.toml"] == []


def test_a_parameter_of_both_files():
    """
    Renewal and products share their parameters.
    """
    parameter = RENEWAL[RENEWAL.index("[parameters") : RENEWAL.index("[[rules]]")]

    (error,) = errors_in(
        changed(IRELAND, "products.toml", "[[examples]]", f"{parameter}[[examples]]")
    )

    assert error.message == "there is a parameter `minimum_performance` already"


def test_a_rule_that_changes_keeps_its_code():
    """
    The versions of a rule, one after the other, share its code.
    """
    rule = RENEWAL[RENEWAL.index('[[rules]]\nid = "few') : RENEWAL.index("[typical]")]
    later = rule.replace("<= 3", "<= 2").replace("2025-07-01", "2026-01-01")
    ended = changed(
        IRELAND, "renewal.toml", "from = 2025-07-01", "from = 2025-07-01\nuntil = 2026-01-01"
    )

    jurisdiction = read(changed(ended, "renewal.toml", "[typical]", f"{later}[typical]"))

    latest = jurisdiction.slices[-1].renewal.rules
    assert [rule.require for rule in latest][-1] == "missed_remittances_30d <= 2"


def test_a_product_that_changes_keeps_its_key_and_its_codes():
    """
    History is added to, never edited (decisions/jurisdiction-folders).
    """
    product = PRODUCTS[PRODUCTS.index("[[products]]") : PRODUCTS.index("[[examples]]")]
    later = product.replace("EUR 2000", "EUR 3000").replace("2025-01-01", "2026-01-01")
    ended = changed(
        IRELAND, "products.toml", "from = 2025-01-01", "from = 2025-01-01\nuntil = 2026-01-01"
    )

    jurisdiction = read(changed(ended, "products.toml", "[[examples]]", f"{later}[[examples]]"))
    (error,) = errors_in(changed(IRELAND, "products.toml", "[[examples]]", f"{later}[[examples]]"))[
        :1
    ]

    most = [each.products[0].limits.settings["maximum"] for each in jurisdiction.slices]
    assert most == ["EUR 2000", "EUR 2000", "EUR 3000"]
    assert error.message == "there is a product `flex` on these days already"


def test_a_reason_with_a_parameter_that_has_no_value_yet():
    """
    A reason is complete on every day on which a merchant may see it.
    """
    parameter = (
        '[parameters.later]\ntype = "count"\n'
        'timeline = [{ from = 2026-01-01, value = 1, source = "policy" }]\n[typical]'
    )
    files = changed(IRELAND, "renewal.toml", "{missed_remittances_30d}", "{later}")

    (error,) = errors_in(changed(files, "renewal.toml", "[typical]", parameter))

    assert error.message == "the parameter `later` has no value on 2025-07-01"
    assert error.path == "$.rules[1].reason"
