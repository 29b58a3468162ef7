"""Findings in examples: contradictions, failures, shared names, evidence from the future."""

from __future__ import annotations

import pytest
from lint_findings import found, only

from every_case import for_every
from holdback.tools.example_run import Answer
from small_folders import (
    changed,
    country,
    example,
)

BOTH = "add an example on each side, one unit apart"
VERIFIED = "given = { identity_verified = true, months_trading = 30 }"
ACCEPTED = 'decision = "Accepted"'
ACTIVE = "{ recently_active_days = 91 }"
LICENCE = '[facts.licensed]\ntype = "flag"\ndescription = "The licence."\n'


def of_flex(name, expect, more=""):
    """An example of the product for the typical facts, or with *more*."""
    return f"""
[[examples]]
name = "{name}"
on = 2026-02-01
product = "flex"
{more}
expect = {{ {expect} }}
"""


def test_an_example_that_fails_on_several_days_is_one_finding():
    """
    An example with `from` runs on each day of a change: "one headline for one cause".
    """
    files = changed(country(), "jurisdiction.toml", "value = 720", "value = 700")
    (error,) = [error for error in found(NL=files) if error.code == "failed_example"]

    assert error.message.startswith("the example `settings` expects `offers_valid_hours 720")


def test_examples_that_contradict():
    """
    Examples that contradict each other are findings.
    """
    twin = example(
        "another answer", "ineligible", on="2026-01-01", codes=["NL-R-01"], performance='"80%"'
    )
    text = country()
    text["renewal.toml"] += f"\n{twin}"

    assert only(NL=text) == (
        "NL/renewal.toml:86",
        (
            "`another answer` contradicts the example `just on pace` on line 44: the same facts, "
            "and another answer"
        ),
        "one of the two is wrong",
        None,
    )


@for_every(
    ("file", "added", "of"),
    [
        # The same facts, written otherwise.
        (
            "renewal.toml",
            example(
                "twin", "ineligible", on="2026-01-01", codes=["NL-R-01"], performance='"80.0%"'
            ),
            "just on pace",
        ),
        # Other terms than an earlier example names, after one that names none.
        (
            "products.toml",
            of_flex("says less", ACCEPTED, VERIFIED)
            + of_flex("first", f'{ACCEPTED}, limits = {{ minimum = "EUR 500.0" }}', VERIFIED)
            + of_flex("twin", f'{ACCEPTED}, limits = {{ minimum = "EUR 600" }}', VERIFIED),
            "first",
        ),
        # One of several settings.
        (
            "jurisdiction.toml",
            f'[[examples]]\nname = "twin"\non = 2025-01-01\nexpect = {ACTIVE}\n',
            "settings",
        ),
    ],
)
def test_what_contradicts_is_found_however_it_is_written(file, added, of):
    """
    Two examples with the same facts, day and question and another answer are both named.
    """
    text = country()
    text[file] += f"\n{added}"

    messages = [detail.message for detail in found(NL=text) if "example" in detail.message]
    assert [message.partition(" on line")[0] for message in messages] == [
        f"`twin` contradicts the example `{of}`"
    ]


def test_examples_that_agree_do_not_contradict():
    """
    Two examples with the same facts and the same answer are not a finding, nor is one that says
    less than another.
    """
    text = country()
    text["renewal.toml"] += example("again", "eligible", on="2026-01-01", performance='"80%"')
    needs = 'needs = ["identity_verified"]'
    expect = f'decision = "Referred", codes = ["REVIEW"], {needs}'
    text["products.toml"] += of_flex("codes", expect, 'without = ["identity_verified"]')

    assert found(NL=text) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            (
                'given = { performance = "79.9999%" }\nexpect = { outcome = "ineligible", codes = '
                '["NL-R-01"] }'
            ),
            'given = { performance = "79.9999%" }\nexpect = { outcome = "eligible" }',
            (
                "the example `short of the pace` expects `eligible`, and on 2026-01-01 the "
                "rules give "
                "`ineligible` (NL-R-01)"
            ),
        ),
        (
            'needs = ["performance"]',
            'needs = ["balance"]',
            (
                "the example `pace not known` expects `undetermined` (needs balance), and on "
                "2026-01-01 the "
                "rules give `undetermined` (needs performance): performance is missing too, "
                "balance is not missing"
            ),
        ),
        (
            ', codes = ["NL-R-01"] }\n\n[[examples]]\nname = "pace not known',
            ' }\n\n[[examples]]\nname = "pace not known',
            (
                "the example `short of the pace` expects `ineligible`, and on 2026-01-01 the rules "
                "give `ineligible` (NL-R-01): NL-R-01 is a reason too"
            ),
        ),
    ],
)
def test_a_wrong_example(old, new, message):
    """
    An example that fails is a finding of the check too (decisions/jurisdiction-folders).
    """
    place, told, hint, _ = only(NL=changed(country(), "renewal.toml", old, new))

    assert told == message
    assert hint == "`holdback test` shows the facts and every rule's answer"
    assert place in ("NL/renewal.toml:50", "NL/renewal.toml:56")


def test_a_wrong_example_of_a_product():
    """
    A product's example with other offers or limits than the rules give is a finding.
    """
    text = changed(country(), "products.toml", '"EUR 2400"', '"EUR 2400.01"')
    (error,) = found(NL=text)

    assert error.place == "NL/products.toml:21"
    assert error.message == (
        "the example `verified` expects `Accepted`, and on 2026-02-01 the rules give "
        "`Accepted` with other "
        "offers or limits"
    )


@for_every(
    ("expected", "came", "words"),
    [
        ((), ("A", "B"), "A is a reason too, B is a reason too"),
        (("A", "B"), ("A",), "B is not a reason"),
        (("A", "C"), ("A", "B"), "B is a reason too, C is not a reason"),
        (("B", "A"), ("A", "B"), "the order is A, B"),
        (("A",), ("A",), ""),
    ],
)
def test_the_codes_that_differ_are_named(expected, came, words):
    """
    Where the outcome is as expected, the codes that are missing or too many are named.
    """
    assert Answer("ineligible", expected).unlike(Answer("ineligible", came)) == words


def test_two_examples_of_one_name():
    """
    Two examples with one name are a finding.
    """
    text = changed(country(), "renewal.toml", '"four missed"', '"three missed"')

    assert only(NL=text) == (
        "NL/renewal.toml:74",
        "there is an example `three missed` already, on line 62",
        "rename one of them",
        None,
    )
    # The same name in another file is another example's.
    assert found(NL=changed(country(), "products.toml", '"verified"\n', '"four missed"\n')) == []


def test_an_example_of_many_days_is_one():
    """
    An example with `from` and `until` has one name on many days, which is not a finding.
    """
    text = country()
    text["renewal.toml"] += (
        '\n[[examples]]\nname = "always"\nfrom = 2025-01-01\nexpect = { outcome = "eligible" }\n'
    )

    assert found(NL=text) == []


@pytest.mark.parametrize(("day", "late"), [("2026-02-01", False), ("2026-02-02", True)])
def test_evidence_from_the_future(day, late):
    """
    Evidence dated after the example's day is a finding, because the service refuses it.
    """
    text = changed(
        country(), "products.toml", "given = { identity_verified = false }",
        f"given = {{ identity_verified = false, credit_checked_on = {day} }}",
    )  # fmt: skip
    expected = (
        "NL/products.toml:30",
        "the credit check of `not verified` is dated after the example's day, 2026-02-01",
        "a service refuses evidence from the future: give an earlier day",
        None,
    )

    assert [each.message for each in found(NL=text)] == ([expected[1]] if late else [])
    if late:
        assert only(NL=text) == expected


def test_examples_that_fail_for_one_cause_are_one_finding():
    """
    One mistake in a rule fails many examples: it is one finding, about the rule's code.
    """
    old, new = '"performance >= minimum_performance"', '"performance < minimum_performance"'
    failing = found(NL=changed(country(), "renewal.toml", old, new))
    (failed,) = (error for error in failing if error.code == "failed_example")

    assert failed.place == "NL/renewal.toml:32"
    assert failed.message == (
        "8 examples fail, all about `NL-R-01`; the first: the example `just on pace until the "
        "change` expects `eligible`, and on 2025-12-31 the rules give `ineligible` (NL-R-01)"
    )
    assert failed.hint == (
        "the others are on lines 38, 44, 50, 62, 68 and 2 more; `holdback test` shows the facts "
        "and every rule's answer"
    )


def test_examples_that_fail_by_a_price_are_one_finding_of_the_product():
    """
    A wrong rate changes the offers of all examples of the product.
    """
    text = country()
    priced = text["products.toml"].partition("[[examples]]")[2].partition("[[examples]]")[0]
    assert "offers" in priced
    again = priced.replace('"verified"', '"verified again"').replace("2026-02-01", "2026-02-02")
    text["products.toml"] += f"\n[[examples]]{again}"
    (failed,) = found(
        NL=changed(text, "products.toml", '"flat", rate = "1.2"', '"flat", rate = "1.3"')
    )

    assert failed.message.startswith("2 examples fail; the first: the example `verified` expects")
    assert failed.message.endswith(" with other offers or limits")
