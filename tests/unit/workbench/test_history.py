"""Every version of a rule, a parameter, a product or a dated setting."""

from __future__ import annotations

from datetime import date

import pytest

from every_case import for_every
from holdback import ConfigurationError
from holdback.tools.workbench.history import (
    INHERITED,
    OTHER_VALUES,
    REPLACED,
    SWITCHED_OFF,
    histories,
)
from small_folders import changed, child, country, loaded, pace_rule, parameter

CHANGE = date(2026, 1, 1)
OFF = 'switch_off = [{ rule = "few-missed", reason = "Not here.", from = 2026-01-01 }]\n'
OWN_VALUE = parameter("minimum_performance", "percent", ("2025-01-01", '"90%"'))


def history(name, code="NL", **folders):
    folders = folders or {"NL": country()}
    read = loaded(**folders)
    (found,) = histories(read, read[code], name)
    return found


def test_a_rule_has_a_version_for_each_value_that_it_reads():
    """
    Every version with its dates, words and sources, also of the parameters that it reads.
    """
    before, after = history("on-pace").versions

    assert (before.since, before.until) == (date(2025, 1, 1), CHANGE)
    assert (after.since, after.until) == (CHANGE, None)
    assert [version.words for version in (before, after)] == [
        "Performance is at least the minimum performance of 75%.",
        "Performance is at least the minimum performance of 80%.",
    ]
    assert {version.code for version in (before, after)} == {"NL-R-01"}
    assert [(lines.what, lines.first, lines.last) for lines in after.lines] == [
        ("the rule", 10, 16),
        ("minimum_performance", 7, 7),
    ]


@for_every(
    ("name", "kind", "words"),
    [
        ("NL-R-01", "rule", "Performance is at least the minimum performance of 75%."),
        ("minimum_performance", "parameter", "75%"),
        ("flex", "product", "Cash advance: Repaid from takings."),
        ("identity", "rule", "The identity is verified."),
        ("offers_valid_hours", "setting", "720"),
    ],
)
def test_what_has_a_history(name, kind, words):
    """
    A rule by its id or code, a parameter, a product, and a dated setting.
    """
    found = history(name)

    assert (found.subject.kind, found.versions[0].words) == (kind, words)


def test_versions_of_a_product():
    """
    A version of a product says what is offered and how it is priced.
    """
    (version,) = history("flex").versions

    assert version.details[0] == "amounts: 50%, 100% of the maximum"
    assert 'term: {"calculator":"fixed","months":6}' in version.details


def test_a_typing_error_gets_a_hint():
    """
    A name with a typing error gets "did you mean"; another says what has a history.
    """
    read = loaded(NL=country())
    for name, hint in (("on-pac", "did you mean `on-pace`?"), ("qqq", "name a rule by its id")):
        with pytest.raises(ConfigurationError) as raised:
            histories(read, read["NL"], name)
        assert hint in (raised.value.errors[0].hint or "")


@for_every(
    ("name", "files", "relations"),
    [
        ("on-pace", child(), [INHERITED]),
        ("on-pace", child(renewal=OWN_VALUE), [OTHER_VALUES]),
        ("on-pace", child(renewal=pace_rule()), [REPLACED]),
        ("few-missed", child(more=OFF), [INHERITED, SWITCHED_OFF]),
    ],
)
def test_what_children_do(name, files, relations):
    """
    In children it is inherited, inherited with other values, replaced, or switched off.
    """
    found = history(name, NL=country(), NL_ZH=files)
    ((code, stretches),) = found.children

    assert code == "NL-ZH"
    assert [stretch.relation for stretch in stretches] == relations


def test_the_history_of_a_child_shows_where_each_version_comes_from():
    """
    A child's history has the versions of its parent, and when and why they were switched off.
    """
    found = history("few-missed", "NL-ZH", NL=country(), NL_ZH=child(more=OFF))

    assert [(version.jurisdiction, version.state) for version in found.versions] == [
        ("NL", "in force"),
        ("NL-ZH", SWITCHED_OFF),
    ]
    assert found.versions[1].words == "Not here."
    assert found.versions[1].plain()["from"] == "2026-01-01"


def test_a_rule_that_ended_has_no_version_afterwards():
    """
    A version ends where its rule does.
    """
    until = 'otherwise = "refer"\nuntil = 2026-06-01'
    files = changed(country(), "renewal.toml", 'otherwise = "refer"', until)
    files["renewal.toml"] = files["renewal.toml"].partition("[typical]")[0]

    assert [version.until for version in history("few-missed", NL=files).versions] == [
        date(2026, 6, 1)
    ]
