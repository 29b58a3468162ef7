"""What a child means on a day: resolved once from its parents, identified, looked up."""

from __future__ import annotations

from datetime import date

import pytest

from holdback.jurisdictions import reader, resolver
from small_folders import changed, child, country, loaded, pace_rule, parameter, rule, rulebook_of

START, EARLY = date(2025, 1, 1), date(2025, 6, 1)
CHANGE, NOW = date(2026, 1, 1), date(2026, 7, 1)


def test_a_change_of_the_parents_meaning_changes_the_childs_digest():
    """
    A change of the parent's meaning changes the digest of its child.
    """
    before = loaded(NL=country(), NL_ZH=child(renewal=pace_rule()))
    rules = loaded(
        NL=changed(country(), "renewal.toml", "30d <= 3", "30d <= 2"),
        NL_ZH=child(renewal=pace_rule()),
    )
    zone = loaded(
        NL=changed(country(), "jurisdiction.toml", "Europe/Amsterdam", "Europe/Berlin"),
        NL_ZH=child(renewal=pace_rule()),
    )
    prose = loaded(
        NL=changed(country(), "renewal.toml", "Missed:", "You missed"),
        NL_ZH=child(renewal=pace_rule()),
    )
    replaced = loaded(
        NL=changed(country(), "renewal.toml", "performance >= min", "performance  >= min"),
        NL_ZH=child(renewal=pace_rule()),
    )

    def digest(family):
        return family.resolve("NL-ZH", on=NOW).digest

    assert digest(rules) != digest(before)
    assert digest(zone) != digest(before)
    assert digest(prose) == digest(before)
    assert digest(replaced) == digest(before)


def test_what_a_child_replaces_is_no_part_of_its_meaning():
    """
    A change of what the child replaces changes the parent's digest, not the child's.
    """
    other = changed(country(), "renewal.toml", "performance >= min", "takings_trend >= min")
    other = changed(other, "renewal.toml", "{performance}", "{takings_trend}")
    other["renewal.toml"] = other["renewal.toml"].partition("[typical]")[0]
    mine = child(renewal=pace_rule())

    assert rulebook_of(NL_ZH=mine).digest == rulebook_of(NL_ZH=mine, parent=other).digest
    assert (
        rulebook_of("NL", NL_ZH=mine).digest != rulebook_of("NL", NL_ZH=mine, parent=other).digest
    )


def test_changes_of_both_cut_the_slices():
    """
    Resolution happens once per jurisdiction and change date.
    """
    mine = parameter("most_missed", "count", ("2025-01-01", 3), ("2025-09-15", 2))
    text = mine + rule("few-missed", "NL-ZH-R-02", "missed_remittances_30d <= most_missed")
    nation = loaded(NL=country(), NL_ZH=child(renewal=text))["NL-ZH"]

    assert nation.changes == (START, date(2025, 9, 15), CHANGE)
    assert [each.since for each in nation.slices] == list(nation.changes)
    assert len({each.digest for each in nation.slices}) == 3


def test_a_rulebook_is_looked_up_and_never_recomputed(monkeypatch):
    """
    A rulebook for a date is looked up, never recomputed.
    """
    family = loaded(NL=country(), NL_ZH=child(renewal=pace_rule()))

    def fail(*_):
        pytest.fail("resolved again")

    for module in (reader, resolver):
        monkeypatch.setattr(module, "resolve", fail)
    monkeypatch.setattr(resolver, "check", fail)
    for code in family.codes:
        for day in (START, EARLY, CHANGE, NOW):
            first, again = family.resolve(code, on=day), family.resolve(code, on=day)
            assert first == again
            assert first.on == day
            assert first.renewal is again.renewal
            assert first.renewal is family[code].slices[day >= CHANGE].renewal


def test_one_closure_for_all_days_of_a_slice():
    """
    The functions that answer rules are compiled once, when first used.
    """
    family = loaded(NL=country(), NL_ZH=child())

    first = family.resolve("NL-ZH", on=date(2026, 2, 1)).renewal.masks

    assert family.resolve("NL-ZH", on=date(2026, 3, 1)).renewal.masks is first
