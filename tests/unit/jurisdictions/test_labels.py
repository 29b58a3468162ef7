"""Labels: what parameters and facts are called in sentences for people."""

from __future__ import annotations

from datetime import date

import pytest

from every_case import for_every
from holdback.eligibility.facts import FACTS, catalogue
from holdback.exact.money import Currency
from holdback.tools.workbench.overview import in_words, overview
from small_folders import changed, child, country, loaded, said

NOW = date(2026, 7, 1)
PARAMETER = "[parameters.minimum_performance]\n"
REMARKS = '[facts.remarks]\ntype = "flag"\ndescription = "Remarks."\n'


def labelled(text, files=None):
    """The country NL whose parameter has a label."""
    line = f'{PARAMETER}label = "{text}"\n'
    return changed(files or country(), "renewal.toml", PARAMETER, line)


OWN_PACE = f"""{PARAMETER}type = "percent"
timeline = [{{ from = 2025-01-01, value = "85%", source = "policy" }}]
"""


def first_words(code="NL", **folders):
    book = loaded(**folders).resolve(code, on=NOW)
    return in_words(book.renewal.rules[0], book.catalogue)


def test_a_label_is_the_name_in_words():
    """
    `label` is the name in sentences; left out, it is drafted from the name in rules.
    """
    words = "Performance is at least the {} of 80%."

    assert first_words(NL=labelled("least pace")) == words.format("least pace")
    assert first_words(NL=country()) == words.format("minimum performance")


def test_a_declared_fact_has_a_label():
    """
    A declared fact has one too; that of a flag is a sentence, which is denied as one.
    """
    files = country(more=f'{REMARKS}label = "the register is clean"\n')
    files = changed(files, "renewal.toml", '"performance >= minimum_performance"', '"not remarks"')
    files["renewal.toml"] = files["renewal.toml"].partition("[typical]")[0]
    files = changed(files, "renewal.toml", "{performance}; at least {minimum_performance}", "it")
    shown = overview(loaded(NL=files)["NL"], NOW)

    assert first_words(NL=files) == "The register is not clean."
    assert [line["label"] for line in shown["facts"]] == ["the register is clean"]


def test_a_label_is_in_no_digest_and_in_no_stored_answer():
    """
    No digest covers labels, and no stored answer shows them.
    """
    plain, named = (loaded(NL=files).resolve("NL", on=NOW) for files in (country(), labelled("x")))
    facts = {"progress": "60%", "performance": "70%", "missed_remittances_30d": 0}

    assert named.digest == plain.digest
    assert named.parameters["minimum_performance"].label == "x"
    assert [reason.threshold for reason in named.assess(facts).reasons] == [
        reason.threshold for reason in plain.assess(facts).reasons
    ]


def test_a_child_keeps_the_label_of_what_it_replaces():
    """
    A child that replaces a parameter keeps its label, unless it gives another.
    """
    parent = labelled("least pace")
    renamed = OWN_PACE.replace(PARAMETER, f'{PARAMETER}label = "pace here"\n')

    for own, label in ((OWN_PACE, "least pace"), (renamed, "pace here")):
        said_there = first_words("NL-ZH", NL=parent, NL_ZH=child(renewal=own))
        assert said_there == f"Performance is at least the {label} of 85%."


@for_every(
    ("label", "message"),
    [
        ("", "this is empty"),
        ("least {performance}", "expected words such as `tax debt`"),
        ("the pace.", "expected words such as `tax debt`"),
        (" pace", "expected words such as `tax debt`"),
        ("75", "expected words such as `tax debt`"),
        ("least\\npace", "expected printable text on one line"),
        ("p" * 61, "a text has at most 60 characters here"),
    ],
)
def test_a_label_is_short_and_plain(label, message):
    """
    A label is checked: short, without braces, on one line.
    """
    (error,) = said("NL", NL=labelled(label))

    assert message in error


@for_every("label", ["performance", "Paid-down percentage", "BALANCE", "the identity is verified"])
def test_a_label_is_used_once(label):
    """
    No two facts or parameters of a jurisdiction are called the same in sentences.
    """
    (error,) = said("NL", NL=labelled(label))

    assert "is called in sentences as well" in error


def test_a_drafted_label_may_not_be_given_to_another():
    """
    A label that a file gives is not drafted for another name, here or in a child.
    """
    files = labelled("licence valid", country(more=REMARKS.replace("remarks", "licence_valid")))
    own = child(more=REMARKS.replace("remarks", "least_pace"))
    (here,) = said("NL", NL=files)
    (in_child,) = said("NL-ZH", NL=labelled("least pace"), NL_ZH=own)

    assert "`licence valid` is what `licence_valid` is called in sentences as well" in here
    assert "`least pace` is what `minimum_performance` is called in sentences as well" in in_child


@pytest.mark.parametrize("name", sorted(name for name, fact in FACTS.items() if fact.label))
def test_the_built_in_labels_keep_the_same_rules(name):
    """
    The labels of built-in facts are as those in files, and no two are alike.
    """
    facts = catalogue(Currency.of("GBP")).facts
    labels = [catalogue(Currency.of("GBP")).label(fact.name) for fact in facts]

    assert len(set(labels)) == len(labels)
    assert len(FACTS[name].label) <= 60
    assert name in {fact.name for fact in facts}
