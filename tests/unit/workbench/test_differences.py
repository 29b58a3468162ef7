"""What changed from one rulebook to another, rule by rule, in words."""

from __future__ import annotations

from datetime import date

import pytest

from every_case import for_every
from holdback.tools.workbench.differences import Difference, differences
from holdback.tools.workbench.overview import overview
from small_folders import PRODUCTS, changed, child, country, loaded, parameter, rule
from small_tables import COLUMNS, OTHERS, ROWS, land, table

NOW = date(2026, 7, 1)
PRODUCT = PRODUCTS[PRODUCTS.index("[[products]]") : PRODUCTS.index("[typical]")]
ON_PACE = "Performance is at least the minimum performance of {}."
GRADE = '[facts.grade]\ntype = "count"\nminimum = 0\nmaximum = {}\ndescription = "Grade."\n'


def shown(files, on=NOW, code="NL", **others):
    return overview(loaded(NL=files, **others)[code], on)


def between(before, after):
    """What is different in *after*, each folder's files."""
    return [
        (each.state, each.kind, each.name, *each.details)
        for each in differences(shown(before), shown(after))
    ]


def plain(files):
    """The *files* without their examples."""
    return {
        **files,
        **{
            name: files[name].partition("[typical]")[0]
            for name in ("renewal.toml", "products.toml")
        },
    }


def with_rules(*texts):
    text = plain(country())
    return {**text, "renewal.toml": text["renewal.toml"] + "".join(texts)}


def test_nothing_changed():
    """
    Equal rulebooks have no differences.
    """
    assert between(country(), country()) == []
    assert between(country(), plain(country())) == []


def test_a_day_and_the_day_before():
    """
    Two days of one jurisdiction are compared.
    """
    before, after = shown(country(), date(2025, 12, 31)), shown(country(), date(2026, 1, 1))

    assert list(differences(before, after)) == [
        Difference(
            state="changed", kind="parameter", name="minimum_performance", details=("75% to 80%",)
        ),
        Difference(
            state="changed",
            kind="rule",
            name="on-pace (NL-R-01)",
            details=(f"was: {ON_PACE.format('75%')}", f"now: {ON_PACE.format('80%')}"),
        ),
    ]


def test_settings():
    """
    Everything that can change an answer is reported.
    """
    after = changed(country(), "jurisdiction.toml", "half_up", "down")
    after = changed(after, "jurisdiction.toml", "= false", "= true")
    after = changed(after, "jurisdiction.toml", "value = 720", "value = 48")
    after = changed(after, "jurisdiction.toml", "Europe/Amsterdam", "Europe/Berlin")

    assert between(country(), after) == [
        ("changed", "setting", "rounding", "half_up to down"),
        ("changed", "setting", "timezone", "Europe/Amsterdam to Europe/Berlin"),
        ("changed", "setting", "automated_decisioning", "false to true"),
        ("changed", "setting", "offers_valid_hours", "720 to 48"),
    ]


def test_parameters():
    """
    A parameter that was added or removed is one difference, with its value.
    """
    text = plain(country())
    more = {
        **text,
        "renewal.toml": text["renewal.toml"]
        + parameter("most", "days", ("2025-01-01", '"3 days"')),
    }

    assert between(text, more) == [("added", "parameter", "most", "3 days")]
    assert between(more, text) == [("removed", "parameter", "most", "it was 3 days")]


def test_a_rule_that_is_new_or_gone():
    """
    Differences are reported rule by rule, in words.
    """
    more = with_rules(rule("older", "NL-R-03", "months_trading >= 6"))
    refers = with_rules(rule("older", "NL-R-03", "months_trading >= 6", otherwise='"refer"'))
    words = "Number of months trading is at least 6."

    assert between(country(), more) == [
        ("added", "rule", "older (NL-R-03)", words, "otherwise it is declined")
    ]
    assert between(country(), refers)[0][-1] == "otherwise the deal is referred"
    assert between(more, country()) == [("removed", "rule", "older (NL-R-03)", f"it was: {words}")]


@pytest.mark.parametrize(
    ("old", "new", "details"),
    [
        (
            "30d <= 3",
            "30d <= 2",
            (
                "was: Number of remittances missed in the last 30 days is at most 3.",
                "now: Number of remittances missed in the last 30 days is at most 2.",
            ),
        ),
        ('otherwise = "refer"', "", ("otherwise: refer to decline",)),
        ("Missed: {", "You missed {", (('reason: "Missed: {missed_remittances_30d}." to "You '
                                       'missed {missed_remittances_30d}."'),)),
        ('code = "NL-R-02"', 'code = "NL-R-09"', ("code: NL-R-02 to NL-R-09",)),
        (
            'otherwise = "refer"',
            'otherwise = "refer"\nwhen = "progress >= 60%"',
            (
                "was: Number of remittances missed in the last 30 days is at most 3.",
                (
                    "now: Where paid-down percentage is at least 60%: "
                    "number of remittances missed in the last 30 days is at most 3."
                ),
            ),
        ),
    ],
)  # fmt: skip
def test_a_rule_that_changed(old, new, details):
    """
    Differences are reported rule by rule, in words.
    """
    found = between(plain(country()), changed(plain(country()), "renewal.toml", old, new))

    assert [each[:2] for each in found] == [("changed", "rule")]
    assert found[0][3:] == details


def test_the_order_of_rules():
    """
    The order of the rules in the file is their priority and part of their meaning
    (decisions/rule-language).
    """
    one, other = rule("a", "NL-R-03", "progress < 99%"), rule("b", "NL-R-04", "progress < 98%")

    assert between(with_rules(one, other), with_rules(other, one)) == [
        (
            "changed",
            "rules",
            "their order, which is their priority",
            "on-pace, few-missed, a, b to on-pace, few-missed, b, a",
        )
    ]


def test_own_facts():
    """
    The digest covers the range of a fact, so a change of it is reported.
    """
    assert between(country(), country(more=GRADE.format(9))) == [
        ("added", "fact", "grade", "count, 0 to 9")
    ]
    assert between(country(more=GRADE.format(9)), country(more=GRADE.format(10))) == [
        ("changed", "fact", "grade", "count, 0 to 9 to count, 0 to 10")
    ]


def test_products():
    """
    What is offered, and at what price.
    """
    text = plain(country())
    two = {
        **text,
        "products.toml": text["products.toml"]
        + PRODUCT.replace("flex", "term").replace("P-01", "P-02").replace('"identity"', '"other"'),
    }
    first, second = (part for part in two["products.toml"].split("[[products]]")[1:])
    turned = {**text, "products.toml": f"format = 1\n[[products]]{second}[[products]]{first}"}

    assert between(text, two) == [("added", "product", "term", "Cash advance")]
    assert between(two, text) == [("removed", "product", "term")]
    assert between(two, turned) == [
        ("changed", "products", "their order", "flex, term to term, flex")
    ]


@for_every(
    ("old", "new", "details"),
    [
        ('"50%", ', "", ['amounts: ["50%","100%"] to ["100%"]']),
        ('name = "Cash advance"', 'name = "Cash"', ["name: Cash advance to Cash"]),
        ('"EUR 2000.00"', '"EUR 2000"', []),  # the same amount
        ('"EUR 2000.00"', '"EUR 2500"', ["limits maximum: EUR 2000 to EUR 2500"]),
        ('rate = "1.2"', 'rate = "1.3"', ["factor_rate rate: 1.2 to 1.3"]),
        (
            'rate = "1.2"',
            'rate = "1.2", renewal_discount = "0.01"',
            ["factor_rate renewal_discount: nothing to 0.01"],
        ),
        (
            '"fixed", months = 6',
            '"takings_pace"',
            ["term calculator: fixed to takings_pace", "term months: 6 to nothing"],
        ),
    ],
)
def test_a_product_that_changed(old, new, details):
    """
    Differences of products are reported too.
    """
    after = changed(plain(country()), "products.toml", old, new)
    expected = [("changed", "product", "flex", *details)] if details else []

    assert between(plain(country()), after) == expected


def test_the_rule_of_a_product():
    """
    Each with the product that it belongs to.
    """
    after = changed(
        plain(country()), "products.toml", '= "identity_verified"', '= "business_verified"'
    )

    ((state, kind, name, was, now),) = between(plain(country()), after)

    assert (state, kind, name) == ("changed", "rule", "flex: identity (NL-P-01)")
    assert (was, now) == ("was: The identity is verified.", "now: The business is verified.")


def test_a_child_and_its_parent():
    """
    Against its parent, a child differs in what it replaces (decisions/jurisdiction-folders).
    """
    mine = child(
        more='switch_off = [{ rule = "few-missed", reason = "x" }]\n',
        renewal=rule("on-pace", "NL-ZH-R-01", "performance >= 90%", reason="No."),
    )
    before = shown(country(), NL_ZH=mine)
    after = shown(country(), code="NL-ZH", NL_ZH=mine)

    assert [(each.state, each.name) for each in differences(before, after)] == [
        ("changed", "on-pace (NL-ZH-R-01)"),
        ("removed", "few-missed (NL-R-02)"),
    ]


def test_as_plain_values():
    """
    A difference has plain values for the JSON output.
    """
    found = Difference(state="added", kind="rule", name="x (NL-R-03)", details=("a", "b"))

    assert found.plain() == {
        "state": "added",
        "kind": "rule",
        "name": "x (NL-R-03)",
        "details": ["a", "b"],
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("30d <= 3", "30d <= 2"),
        ('"75%"', '"74%"'),
        ('"80%"', '"81%"'),
        ('id = "few-missed"', 'id = "missed"'),
        ('otherwise = "refer"', 'otherwise = "decline"'),
    ],
)
def test_no_change_of_meaning_goes_untold(old, new):
    """
    Every change that changes the digest is reported as a difference.
    """
    one = loaded(NL=plain(country()))["NL"]
    other = loaded(NL=changed(plain(country()), "renewal.toml", old, new))["NL"]
    for day in (date(2025, 6, 1), NOW):
        told = list(differences(overview(one, day), overview(other, day)))
        same = one.rulebook(day).digest == other.rulebook(day).digest
        assert bool(told) is not same


def test_a_table_is_compared_cell_by_cell():
    """Besides the rules of its rows: also rows that require nothing, and new columns."""
    rows = [list(row) for row in ROWS]
    rows[0][1], rows[1][3], rows[4][0] = "< EUR 90000", ">= 85%", "others"
    later = [
        [*row, "-"]
        for row in [*rows, ["less", "EUR 90000 to below EUR 100000", "", "", "pass", ""]]
    ]
    told = between(land(table()), land(table(later, [*COLUMNS, "paused"])))
    rest = f"funded_amount EUR 100000 to EUR 500000, status {OTHERS}, answer pass"
    assert [change for change in told if change[1] == "table"] == [
        (
            "changed",
            "table",
            "size",
            "new column: paused",
            "small, funded_amount: < EUR 100000 to < EUR 90000",
            "middle, require performance: >= 80% to >= 85%",
            f"no row any more: rest ({rest})",
            f"new row: others ({rest})",
            "new row: less (funded_amount EUR 90000 to below EUR 100000, answer pass)",
        )
    ]
    changed_rules = [change[2] for change in told if change[:2] == ("changed", "rule")]
    assert changed_rules == ["size-small (NL-R-10-SMALL)", "size-middle (NL-R-10-MIDDLE)"]


def test_a_table_comes_and_goes():
    rows = [["all", "true", "pass"]]
    text = land(table(rows, ["row", "paused", "answer"]))
    assert between(land(), text) == [("added", "table", "size", "all (paused true, answer pass)")]
    assert between(text, land()) == [("removed", "table", "size")]
    blank = land(table([["all", "true", "pass", ""]], ["row", "paused", "answer", "code"]))
    dash = land(table([["all", "true", "pass", "-"]], ["row", "paused", "answer", "code"]))
    assert between(blank, dash) == []
