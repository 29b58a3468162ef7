"""Children overlay their parents: by id, whole, on each day."""

from __future__ import annotations

from datetime import date

import pytest

from holdback.tools.example_run import run_examples
from small_folders import (
    PRODUCTS,
    changed,
    child,
    country,
    example,
    loaded,
    pace_rule,
    parameter,
    rule,
    rulebook_of,
    who,
)

START, EARLY = date(2025, 1, 1), date(2025, 6, 1)
CHANGE, NOW = date(2026, 1, 1), date(2026, 7, 1)
PRODUCT = PRODUCTS[PRODUCTS.index("[[products]]") : PRODUCTS.index("[typical]")]


def ids(book):
    return [each.id for each in book.renewal.rules]


def codes(book):
    return [each.code for each in book.renewal.rules]


def test_a_child_of_which_nothing_is_said_is_as_its_parent():
    """
    A child inherits rules, parameters and products by id (decisions/jurisdiction-folders).
    """
    book = rulebook_of(NL_ZH=child())
    parent = rulebook_of("NL", NL_ZH=child())

    assert codes(book) == codes(parent) == ["NL-R-01", "NL-R-02"]
    assert book.parameters == parent.parameters
    assert [each.key for each in book.products] == ["flex"]
    assert [each.code for each in book.products[0].rules.rules] == ["NL-P-01"]
    assert (book.code, book.renewal.jurisdiction) == ("NL-ZH", "NL-ZH")
    assert book.digest != parent.digest  # the code is part of the meaning


def test_an_inherited_rule_says_where_it_was_written():
    """
    An inherited rule keeps the file and line where it was written.
    """
    on_pace, few_missed = rulebook_of(NL_ZH=child(renewal=pace_rule())).renewal.rules

    assert (on_pace.file, on_pace.line) == ("NL-ZH/renewal.toml", 3)
    assert (few_missed.file, few_missed.line) == ("NL/renewal.toml", 18)


def test_a_rule_is_replaced_whole_and_in_its_place():
    """
    A child replaces a whole rule; there is no deep merge (decisions/jurisdiction-folders).
    """
    parent = changed(
        country(), "renewal.toml", 'otherwise = "refer"', "when = 'status == \"Funded\"'"
    )
    book = rulebook_of(
        parent=parent,
        NL_ZH=child(
            renewal=rule("few-missed", "NL-ZH-R-02", "missed_remittances_30d <= 1") + pace_rule()
        ),
    )

    assert codes(book) == ["NL-ZH-R-01", "NL-ZH-R-02"]
    assert [each.when for each in book.renewal.rules] == [None, None]
    assert [each.otherwise for each in book.renewal.rules] == ["decline", "decline"]
    assert [each.reason for each in book.renewal.rules] == ["No.", "No."]


def test_new_rules_come_after_the_parents():
    """
    The order of the rules in the file is their priority and part of their meaning
    (decisions/rule-language).
    """
    new = rule("older", "NL-ZH-R-03", "months_trading >= 6")

    assert ids(rulebook_of(NL_ZH=child(renewal=new + pace_rule()))) == [
        "on-pace",
        "few-missed",
        "older",
    ]


def test_a_child_replaces_a_rule_on_its_own_days_alone():
    """
    The parent is resolved on the same date (decisions/jurisdiction-folders).
    """
    renewal = pace_rule(since="2025-03-01", until="2026-03-01")
    nation = loaded(NL=country(), NL_ZH=child(renewal=renewal))["NL-ZH"]
    found = {str(day): codes(nation.rulebook(day))[0] for day in nation.changes}

    assert found == {
        "2025-01-01": "NL-R-01",
        "2025-03-01": "NL-ZH-R-01",
        "2026-01-01": "NL-ZH-R-01",
        "2026-03-01": "NL-R-01",
    }
    assert codes(nation.rulebook(date(2025, 2, 28)))[0] == "NL-R-01"
    assert codes(nation.rulebook(date(2026, 2, 28)))[0] == "NL-ZH-R-01"


def test_a_parameter_is_replaced_with_its_whole_timeline():
    """
    A child replaces a parameter with its whole timeline (decisions/jurisdiction-folders).
    """
    flat = parameter("minimum_performance", "percent", ("2025-01-01", '"60%"'))
    family = loaded(NL=country(), NL_ZH=child(renewal=flat))
    shown = {
        (code, day): family.resolve(code, on=day).renewal.figure("minimum_performance", ())
        for code in ("NL", "NL-ZH")
        for day in (EARLY, NOW)
    }

    assert shown == {
        ("NL", EARLY): "75%",
        ("NL", NOW): "80%",
        ("NL-ZH", EARLY): "60%",
        ("NL-ZH", NOW): "60%",
    }
    facts = {"progress": "60%", "performance": "60%", "missed_remittances_30d": 0}
    assert family.resolve("NL-ZH", on=NOW).assess(facts).outcome == "eligible"
    assert family.resolve("NL", on=NOW).assess(facts).codes == ("NL-R-01",)


def test_a_product_is_replaced_whole():
    """
    Products are inherited by key, and a child replaces a whole one
    (decisions/jurisdiction-folders).
    """
    text = PRODUCT.replace("NL-P-01", "NL-ZH-P-09").replace('"identity"', '"company"')
    text = text.replace("identity_verified", "business_verified").replace("1.2", "1.3")
    (product,) = rulebook_of(NL_ZH=child(products=text)).products

    assert [each.code for each in product.rules.rules] == ["NL-ZH-P-09"]
    assert product.factor_rate.settings == {"rate": "1.3"}
    assert product.factor_rate.file == "NL-ZH/products.toml"


def test_a_new_product_comes_after_the_parents():
    """
    The products offered are the parent's, in order, then the child's.
    """
    text = PRODUCT.replace("flex", "term").replace("NL-P", "NL-ZH-P")

    book = rulebook_of(NL_ZH=child(products=text))

    assert [each.key for each in book.products] == ["flex", "term"]
    assert {each.rules.jurisdiction for each in book.products} == {"NL-ZH"}
    assert {each.rules.digest for each in book.products} == {book.digest}


def test_a_product_of_the_childs_on_its_own_days():
    """
    A child's products are laid over those that its parent has on the same day
    (decisions/jurisdiction-folders).
    """
    text = PRODUCT.replace("NL-P", "NL-ZH-P").replace("from = 2025-01-01", "from = 2026-02-01")
    nation = loaded(NL=country(), NL_ZH=child(products=text))["NL-ZH"]

    files = [nation.rulebook(day).products[0].limits.file for day in nation.changes]

    assert nation.changes == (START, CHANGE, date(2026, 2, 1))
    assert files == ["NL/products.toml", "NL/products.toml", "NL-ZH/products.toml"]


SWITCHED = 'switch_off = [{{ {what}, reason = "Not here."{period} }}]\n'
PERIODS = [
    ("", [START, EARLY, CHANGE, NOW]),
    (", from = 2026-01-01", [CHANGE, NOW]),
    (", until = 2026-01-01", [START, EARLY]),
    (", from = 2025-06-01, until = 2026-01-01", [EARLY]),
]


@pytest.mark.parametrize(("period", "gone"), PERIODS)
def test_a_rule_is_switched_off(period, gone):
    """
    A child switches a rule off for a period, which is half-open (decisions/jurisdiction-folders).
    """
    more = SWITCHED.format(what='rule = "few-missed"', period=period)
    nation = loaded(NL=country(), NL_ZH=child(more=more))["NL-ZH"]

    days = [START, EARLY, CHANGE, NOW]

    assert [day for day in days if "few-missed" not in ids(nation.rulebook(day))] == gone


@pytest.mark.parametrize(("period", "gone"), PERIODS)
def test_a_product_is_switched_off(period, gone):
    """
    A child switches off what its parent has, with a stated reason
    (decisions/jurisdiction-folders).
    """
    more = SWITCHED.format(what='product = "flex"', period=period)
    text = PRODUCT.replace("flex", "term").replace("NL-P", "NL-ZH-P")
    nation = loaded(NL=country(), NL_ZH=child(more=more, products=text))["NL-ZH"]

    days = [START, EARLY, CHANGE, NOW]
    offered = {day: [each.key for each in nation.rulebook(day).products] for day in days}

    assert [day for day in days if offered[day] == ["term"]] == gone
    assert all(offered[day] == ["flex", "term"] for day in days if day not in gone)


@pytest.mark.parametrize(("period", "gone"), PERIODS)
def test_a_parameter_is_switched_off(period, gone):
    """
    A child switches off what its parent has, with a stated reason
    (decisions/jurisdiction-folders).
    """
    more = SWITCHED.format(what='parameter = "minimum_performance"', period=period)
    nation = loaded(NL=country(), NL_ZH=child(more=more, renewal=pace_rule()))["NL-ZH"]

    days = [START, EARLY, CHANGE, NOW]

    assert [day for day in days if not nation.rulebook(day).parameters] == gone


def test_one_parameter_here_and_switched_off_of_the_parent():
    """
    A parameter of the child counts, although it switches off the parent's of that name.
    """
    more = SWITCHED.format(what='parameter = "minimum_performance"', period="")
    mine = parameter("minimum_performance", "percent", ("2025-01-01", '"60%"'))
    book = rulebook_of(NL_ZH=child(more=more, renewal=mine))

    assert book.renewal.figure("minimum_performance", ()) == "60%"


def test_a_grandchild_has_again_what_was_switched_off():
    """
    A grandchild may define again what its parent switched off; switching off affects only the
    layers below.
    """
    off = (
        'switch_off = [{ rule = "on-pace", reason = "x" }, '
        '{ parameter = "minimum_performance", reason = "x" }]\n'
    )
    mine = parameter("minimum_performance", "percent", ("2025-01-01", '"60%"'))
    mine += rule("on-pace", "NL-DH-R-01", "performance >= minimum_performance")
    family = {
        "NL_ZH": child(more=off, renewal=rule("older", "NL-ZH-R-01", "months_trading >= 6")),
        "NL_DH": child("NL-DH", "NL-ZH", renewal=mine),
    }

    assert rulebook_of("NL-ZH", **family).parameters == {}
    assert rulebook_of("NL-DH", **family).renewal.figure("minimum_performance", ()) == "60%"
    assert ids(rulebook_of("NL-DH", **family)) == ["few-missed", "older", "on-pace"]


def test_switched_off_and_replaced_on_the_same_days():
    """
    A child's own rule counts even on days on which it switches the parent's off.
    """
    off = SWITCHED.format(what='rule = "on-pace"', period=", from = 2026-03-01")
    family = loaded(NL=country(), NL_ZH=child(more=off, renewal=pace_rule(since="2026-03-01")))
    nation = family["NL-ZH"]

    assert codes(nation.rulebook(date(2026, 2, 28))) == ["NL-R-01", "NL-R-02"]
    assert codes(nation.rulebook(date(2026, 3, 1))) == ["NL-ZH-R-01", "NL-R-02"]


def test_a_grandchild_inherits_what_its_parent_kept_and_added():
    """
    A grandchild inherits what its parent kept of its own parent, and what its parent added.
    """
    family = {
        "NL_ZH": child(
            more=SWITCHED.format(what='rule = "few-missed"', period=""),
            renewal=pace_rule() + rule("older", "NL-ZH-R-03", "months_trading >= 6"),
        ),
        "NL_DH": child(
            "NL-DH",
            "NL-ZH",
            renewal=rule("older", "NL-DH-R-01", "months_trading >= 9")
            + rule("few-missed", "NL-DH-R-02", "missed_remittances_30d <= 5"),
        ),
    }

    assert codes(rulebook_of("NL-ZH", **family)) == ["NL-ZH-R-01", "NL-ZH-R-03"]
    assert codes(rulebook_of("NL-DH", **family)) == ["NL-ZH-R-01", "NL-DH-R-01", "NL-DH-R-02"]
    nation = loaded(NL=country(), **family)["NL-DH"]
    assert [layer.code for layer in nation.policy.layers] == ["NL", "NL-ZH", "NL-DH"]


def test_settings_are_inherited():
    """
    A child without a setting takes its parent's; its own counts first
    (decisions/jurisdiction-folders).
    """
    hours = 'offers_valid_hours = [{ from = 2025-01-01, value = 48, source = "policy" }]\n'
    family = loaded(
        NL=country(),
        NL_ZH=child(),
        NL_DH=child("NL-DH", more=f'timezone = "America/Aruba"\nrounding = "down"\n{hours}'),
        NL_GR=child("NL-GR", "NL-DH", more="automated_decisioning = true\n"),
    )

    def settings(code):
        book = family.resolve(code, on=NOW)
        names = ("timezone", "rounding", "automated_decisioning", "offers_valid_hours")
        assert book.zone.name == book.timezone
        assert (str(book.currency), book.recently_active_days) == ("EUR", 90)
        return tuple(getattr(book, name) for name in names)

    assert settings("NL") == ("Europe/Amsterdam", "half_up", False, 720)
    assert settings("NL-ZH") == settings("NL")
    assert settings("NL-DH") == ("America/Aruba", "down", False, 48)
    assert settings("NL-GR") == ("America/Aruba", "down", True, 48)


def test_owner_and_review_are_not_inherited():
    """
    Every folder has an `owner` and a `review_by` of its own (decisions/jurisdiction-folders).
    """
    files = child()
    later = changed(files, "jurisdiction.toml", "2027-06-30", "2028-01-31")
    book = rulebook_of(NL_ZH=later)

    assert (book.owner, book.review_by, book.name) == (
        "risk-nl-zh",
        date(2028, 1, 31),
        "Land of NL-ZH",
    )


def test_figures_are_inherited_and_replaced_whole():
    """
    The figures in reasons are formatted for the jurisdiction.
    """
    decimal = (
        '[figures]\ndecimal = "{}"\ngroup = ""\nmoney = "{{amount}}"\npercent = "{{number}} pct"\n'
        'date = "{{day}}/{{month}}/{{year}}"\n'
    )
    family = loaded(
        NL=country(more=decimal.format(",")),
        NL_ZH=child(),
        NL_DH=child("NL-DH", more=decimal.format(".")),
    )
    facts = {"progress": "60%", "performance": "74.9999%", "missed_remittances_30d": 0}
    told = {
        code: family.resolve(code, on=EARLY).assess(facts).reasons[0].text for code in family.codes
    }

    assert told["NL"] == told["NL-ZH"] == "The pace is 74,9999 pct; at least 75 pct is needed."
    assert told["NL-DH"] == "The pace is 74.9999 pct; at least 75 pct is needed."


def test_examples_are_not_inherited():
    """
    Examples are not inherited (decisions/jurisdiction-folders).
    """
    family = loaded(NL=country(), NL_ZH=child())

    assert len(family.examples("NL")) == 14
    assert family.examples("NL-ZH") == ()


def test_examples_start_from_the_typical_facts_of_the_parent():
    """
    A child's examples start from the parent's typical facts, with its own in the place of those
    that it writes (decisions/jurisdiction-folders).
    """
    own = '[typical]\nprogress = "70%"\nidentity_verified = true\n\n'
    renewal = own + example("no pace", "undetermined", needs=["performance"])
    renewal = renewal.replace("given = {  }", 'without = ["performance"]')
    products = (
        '[[examples]]\nname = "as there"\non = 2026-02-01\nproduct = "flex"\n'
        'expect = { decision = "Accepted" }\n'
    )
    family = loaded(
        NL=country(),
        NL_ZH=child(renewal=renewal, products=products),
        NL_ZH_1=child("NL-ZH-1", "NL-ZH"),
    )
    of_renewal, of_product = family["NL-ZH"].examples

    assert of_renewal.given == {
        "progress": "70%",
        "missed_remittances_30d": 0,
        "identity_verified": True,
    }
    assert of_product.given == {"identity_verified": True}
    assert family["NL-ZH"].typical == {
        "renewal": {**family["NL"].typical["renewal"], **of_renewal.given},
        "products": family["NL"].typical["products"],
    }
    assert family["NL-ZH-1"].typical == family["NL-ZH"].typical
    assert all(run.passed for run in run_examples(family["NL-ZH"]))


def test_a_childs_own_file_is_enough():
    """
    A child needs no `renewal.toml` and no `products.toml`: it inherits both.
    """
    assert list(child()) == ["jurisdiction.toml"]
    assert ids(rulebook_of(NL_ZH={"jurisdiction.toml": who("NL-ZH", parent="NL")})) == [
        "on-pace",
        "few-missed",
    ]
    assert rulebook_of(NL_ZH=child(renewal="")).products == rulebook_of(NL_ZH=child()).products
