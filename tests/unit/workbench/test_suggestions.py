"""What is drafted: the plainest deal that shows what no example shows."""

from __future__ import annotations

import sys

import pytest

from holdback.eligibility.facts import relations
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.reader import FolderFiles, read_jurisdiction
from holdback.rules import interpret
from holdback.tools.mutants.mutation import SURVIVED, verdicts
from holdback.tools.suggestions.complete import complete
from small_folders import changed, child, country, example, loaded, rule, without_example


def drafts(files, code="NL", **parents):
    """The texts of the examples that *files* lack, of all files."""
    read = {each.code: each for each in loaded(**parents)} if parents else {}
    folder = FolderFiles(code, {name: text.encode() for name, text in files.items()})
    completed = complete(folder, read)
    assert completed.left == ()
    return [text for texts in completed.examples.values() for text in texts], completed


def with_rules(*rules):
    """The country NL with more rules, and no examples of them."""
    return changed(country(), "renewal.toml", "[typical]", f"{''.join(rules)}[typical]")


def given(texts):
    return [
        line.removeprefix("given = ")
        for text in texts
        for line in text.splitlines()
        if line.startswith("given = ")
    ]


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        ("short of the pace", '{ performance = "79.9999%" }'),
        ("short of the pace until the change", '{ performance = "74.9999%" }'),
        ("four missed", "{ missed_remittances_30d = 4 }"),
    ],
)
def test_a_side_of_a_threshold_is_one_unit_from_the_other(left_out, expected):
    """
    The plainest deal: one fact differs from the typical one, at the exact boundary.
    """
    texts, _ = drafts(without_example(country(), left_out))

    assert given(texts) == [expected]


def test_a_deal_on_which_the_answer_rests():
    """
    An example means what it says: what it shows decides the answer, alone.
    """
    extra = rule(
        "large",
        "NL-R-03",
        "deals_completed >= 2",
        when='"balance > EUR 5000.00"',
        since="2025-01-01",
    )
    texts, completed = drafts(with_rules(extra))

    assert any('{ balance = "EUR 5000.01" }' in text and "NL-R-03" in text for text in texts)
    assert any("deals_completed = 2 }" in text and "eligible" in text for text in texts)
    for made in completed.jurisdiction.examples:
        assert made.expect.get("codes", []) in (
            [],
            ["NL-R-01"],
            ["NL-R-02"],
            ["NL-R-03"],
            ["NL-P-01"],
        )


def test_every_draft_is_a_deal_that_can_exist():
    """
    Relations between facts hold of every deal that is drafted (decisions/suggestions).
    """
    extra = rule("closed", "NL-R-03", 'status in ["Funded", "Defaulted"]', since="2025-01-01")
    extra += rule("near", "NL-R-04", "balance <= average_monthly_takings", since="2025-01-01")
    _, completed = drafts(with_rules(extra))
    jurisdiction = completed.jurisdiction

    for made in jurisdiction.examples:
        if made.of_rules and made.line is not None:
            facts = jurisdiction.policy.catalogue.prepare(made.given)
            broken = [
                relation.source
                for relation in relations(jurisdiction.currency)
                if interpret(relation, facts) is False
            ]
            assert broken == [], made.name


def test_typical_facts_meet_every_rule():
    """
    Typical facts that the rules read and the file lacks are drafted: with them every rule is met.
    """
    extra = rule("old", "NL-R-03", "months_trading >= 36", since="2025-01-01")
    extra += rule("trend", "NL-R-04", "takings_trend >= 120%", since="2025-01-01")
    _, completed = drafts(with_rules(extra))

    (lines,) = completed.typical.values()
    assert lines == ('takings_trend = "200%"', "months_trading = 40")


def test_a_fact_on_whose_absence_an_example_rests_stays_unknown():
    """
    A typical fact is not drafted where an example that passes would fail with it.
    """
    extra = rule("old", "NL-R-03", "months_trading >= 36", since="2026-05-01")
    resting = example("not known", "undetermined", needs=["months_trading"], on="2026-05-01")
    files = with_rules(extra)
    files["renewal.toml"] += f"\n{resting}"
    texts, completed = drafts(files)

    assert completed.typical == {}
    assert any("months_trading = 36" in line for line in given(texts))


def test_what_is_not_offered():
    """
    A product that is switched off is shown as not offered.
    """
    mine = child(more='switch_off = [{ product = "flex", reason = "Not here." }]\n', renewal="")
    texts, _ = drafts(mine, "NL-ZH", NL=country())

    assert any('expect = { decision = "Not offered" }' in text for text in texts)


def test_what_is_switched_off():
    """
    A rule that is switched off is shown by a deal that it would decline, and that is eligible here.
    """
    off = 'switch_off = [{ rule = "few-missed", reason = "Not here." }]\n'
    mine = child(more=off, renewal='[typical]\nprogress = "64%"\nperformance = "97%"\n')
    texts, _ = drafts(mine, "NL-ZH", NL=country())

    assert given(texts) == ["{ missed_remittances_30d = 4 }"]
    assert 'expect = { outcome = "eligible" }' in texts[0]


FIVE = (
    "months_trading >= 6 or deals_completed >= 2 or credit_score >= 500 or takings_trend >= 80% "
    "or days_since_funding >= 30 days"
)


def test_a_solver_finds_what_the_search_gives_up(monkeypatch):
    """
    A deal in which more facts differ than the search tries is found by the solver, where it is
    installed; without it, the mutant is left to a person.
    """
    files = with_rules(rule("five", "NL-R-03", FIVE, since="2025-01-01"))
    _, completed = drafts(files)
    held = Jurisdictions([completed.jurisdiction])
    states = {each.mutant.name: each.state for each in verdicts(held["NL"], held)}
    assert SURVIVED not in states.values()

    monkeypatch.setitem(sys.modules, "holdback.tools.proofs.plainest", None)
    monkeypatch.setitem(sys.modules, "holdback.tools.proofs.equal_answers", None)
    folder = FolderFiles("NL", {name: text.encode() for name, text in files.items()})
    assert complete(folder, {}).left != ()


def test_settings_are_stated():
    """
    A setting that could change unnoticed is stated for the day on which it begins.
    """
    files = country()
    start = files["jurisdiction.toml"].index("[[examples]]")
    texts, _ = drafts({**files, "jurisdiction.toml": files["jurisdiction.toml"][:start]})

    (text,) = texts
    assert text == (
        '[[examples]]\nname = "offers valid hours, recently active days on 2025-01-01"\n'
        "on = 2025-01-01\nexpect = { offers_valid_hours = 720, recently_active_days = 90 }\n"
    )


def test_the_same_drafts_again():
    """
    The drafts are the same whenever they are made.
    """
    files = with_rules(rule("old", "NL-R-03", "months_trading >= 36", since="2025-01-01"))
    folder = FolderFiles("NL", {name: text.encode() for name, text in files.items()})

    assert complete(folder, {}).files == complete(folder, {}).files
    assert read_jurisdiction("NL", {**folder.files, **complete(folder, {}).files}).examples
