"""
A proposal is a rulebook with other values of parameters or without some rules: checked again, with
a digest of its own, and marked.
"""

from __future__ import annotations

import copy
import json
import pickle
from datetime import date
from decimal import Decimal

import attrs
import pytest

from holdback import ConfigurationError, InvalidDocument, Jurisdictions, load_jurisdictions
from holdback.jurisdictions.folder import bundled_path
from holdback.rules import text
from own_rules import with_own_rules

SHIPPED = load_jurisdictions()
DAY = date(2026, 7, 1)
GB = SHIPPED.resolve("GB", on=DAY)
DEAL = {"progress": "64%", "performance": "82%", "status": "Funded", "missed_remittances_30d": 4}


def changed_folder(tmp_path, change):
    """The rulebook of a copy of GB's folder, with `change` made to the text of its rules."""
    folder = tmp_path / "jurisdictions" / "GB"
    folder.mkdir(parents=True)
    for file in (bundled_path() / "GB").iterdir():
        content = file.read_text(encoding="utf-8")
        if file.name == "renewal.toml":
            assert content != change(content)
            content = change(content)
        (folder / file.name).write_text(content, encoding="utf-8")
    return load_jurisdictions(folder.parent).resolve("GB", on=DAY)


def errors_of(call, *given, **named):
    with pytest.raises(InvalidDocument) as raised:
        call(*given, **named)
    return {(each.path or each.message): each for each in raised.value.errors}


# -- what it means


def test_another_value_gives_the_answer_of_files_that_have_it(tmp_path):
    """
    A digest is of meaning: a proposal and a folder that says the same have one digest.
    """
    proposed = GB.replace(minimum_performance="85%")
    written = changed_folder(
        tmp_path,
        lambda text: text.replace('value = "80%"', 'value = "85%"'),
    )
    assert proposed.digest == written.digest != GB.digest
    assert proposed.rules_digest == written.rules_digest != GB.rules_digest
    assert proposed == written
    assert not written.proposal


def test_the_proposal_decides_by_the_new_value():
    """
    The rules that read the parameter are checked again, and the reasons show its new value.
    """
    proposed = GB.replace(minimum_performance="85%", most_missed=5)
    assert GB.assess(DEAL).codes == ("GB-R-04",)
    assessment = proposed.assess(DEAL)
    assert assessment.codes == ("GB-R-02",)
    assert "at least 85% is needed" in assessment.reasons[0].text
    assert proposed.without("GB-R-02").assess(DEAL).codes == ()


def test_products_have_the_new_value_as_well():
    """
    The rules of products read parameters too, and can be left out.
    """
    proposed = GB.replace(flex_credit_score=600, flex_takings="GBP 3000.00").without("GB-P-05")
    flex = next(terms for terms in proposed.products if terms.key == "flex")
    texts = {rule.code: text(rule.checked) for rule in flex.rules.rules}
    assert texts["GB-P-03"] == "credit_score >= 600"
    assert texts["GB-P-06"] == "average_monthly_takings >= GBP 3000.00"
    assert "GB-P-05" not in texts
    assert flex.rules.catalogue.parameters["flex_credit_score"].number == 600
    assert flex.rules.digest == proposed.digest == proposed.renewal.digest
    assert proposed.renewal.rules == GB.renewal.rules


def test_it_says_what_it_changes():
    """
    "marked as a proposal": what it changes is in sentences, in its `repr`, and in the plain
    assessment.
    """
    proposed = GB.replace(minimum_performance="85%").without("GB-R-04")
    sentences = ("minimum_performance is 85% instead of 80%", "without GB-R-04")
    assert proposed.proposal == sentences
    assert all(sentence in repr(proposed) for sentence in sentences)
    assert proposed.assess(DEAL).plain()["proposal"] == list(sentences)
    assert GB.proposal == ()
    assert "proposal" not in repr(GB)
    assert "proposal" not in GB.assess(DEAL).plain()


def test_the_order_of_steps_does_not_matter():
    """
    A proposal is derived from the files: steps in another order give the same, and a step that
    takes another back leaves no mark.
    """
    one = GB.replace(minimum_performance="85%").without("GB-R-04").replace(most_missed=5)
    other = GB.replace(most_missed=5, minimum_performance="90%").without("GB-R-04")
    other = other.replace(minimum_performance="85%")
    assert one == other
    assert hash(one) == hash(other)
    assert one.proposal == other.proposal
    assert GB.replace(minimum_performance="85%").replace(minimum_performance="80.0%") is GB
    assert GB.replace() is GB
    assert GB.without() is GB


def test_it_can_be_copied_and_pickled():
    """
    A proposal is a value like any rulebook.
    """
    proposed = GB.replace(minimum_performance="85%").without("GB-R-04")
    for same in (copy.deepcopy(proposed), pickle.loads(pickle.dumps(proposed))):
        assert same == proposed
        assert same.proposal == proposed.proposal
        assert same.replace(minimum_performance="80%").proposal == ("without GB-R-04",)
    another_day = attrs.evolve(proposed, on=date(2026, 8, 1))
    assert another_day.without("GB-R-05").on == date(2026, 8, 1)


def test_the_versions_of_a_host_are_kept():
    """
    The digest of a proposal covers the versions of what prices its offers, before and after.
    """
    versions = {"term/takings_pace": 2}
    one = GB.replace(minimum_performance="85%").with_versions(versions)
    other = GB.with_versions(versions).replace(minimum_performance="85%")
    assert one == other
    assert one.digest == other.digest != GB.replace(minimum_performance="85%").digest
    assert one.replace(minimum_performance="80%") == GB.with_versions(versions)


@pytest.mark.parametrize(
    "rulebook",
    list(with_own_rules(SHIPPED).rulebooks()),
    ids=lambda it: f"{it.code} {it.on}",
)
def test_every_rulebook_that_ships_can_be_proposed_from(rulebook):
    """
    Every rulebook has a proposal without each of its rules, with a digest that no other has.
    """
    digests = {rulebook.digest}
    for rule in rulebook.renewal.rules:
        try:
            digests.add(rulebook.without(rule.code).digest)
        except InvalidDocument as error:
            assert "declines for anything but" in str(error)  # noqa: PT017
            digests.add(rule.code)
    assert len(digests) == 1 + len(rulebook.renewal.rules)


# -- what is refused


def test_every_mistake_is_reported_at_once():
    """
    "Everything is checked again": names, types, units, ranges, and the rules that read them.
    """
    found = errors_of(
        GB.replace,
        minimum_performnce="85%",
        minimum_performance=0.85,
        overdue_progress=Decimal("0.9"),
        largest_first_balance=2500,
        longest_silence="two weeks",
        most_missed=31,
        youngest_deal=None,
    )
    assert {path: (each.code, each.hint) for path, each in found.items()} == {
        "$.minimum_performnce": ("unknown_name", "did you mean `minimum_performance`?"),
        "$.minimum_performance": ("not_exact", 'write `"0.85%"` or `"85%"`'),
        "$.overdue_progress": ("wrong_value", 'write `"0.9%"` or `"90%"`'),
        "$.largest_first_balance": ("wrong_value", 'write `"GBP 2500.00"`'),
        "$.longest_silence": ("wrong_value", "now it is `14 days`"),
        "$.most_missed": ("invalid_rule", "`missed_remittances_30d` is 0 to 30"),
        "$.youngest_deal": ("missing", "now it is `30 days`"),
    }
    assert "GB-R-04" in found["$.most_missed"].message


def test_a_number_too_large_for_any_rule():
    """
    No rule can calculate with more than 2**62.
    """
    found = errors_of(GB.replace, most_missed=2**63)
    assert found["$.most_missed"].code == "out_of_range"


def test_a_parameter_that_no_rule_reads():
    """
    Another value of a parameter that no rule reads would change nothing, and look like an answer.
    """
    found = errors_of(SHIPPED.resolve("US", on=DAY).replace, youngest_deal=60)
    assert found["$.youngest_deal"].code == "no_effect"


def test_a_rule_that_is_not_there():
    """
    An unknown code is reported with the nearest one; an id is answered with its code.
    """
    found = errors_of(GB.without, "GB-R-4", "few-missed", "GB-R-01")
    assert [each.hint for each in found.values()] == ["did you mean `GB-R-04`?"] * 2


def test_the_floor_alone_never_makes_a_deal_eligible():
    """
    A rule stays that declines for something else than the progress, as in every rulebook.
    """
    declining = [rule.code for rule in GB.renewal.rules if rule.otherwise == "decline"]
    found = errors_of(GB.without, *declining)
    (error,) = found.values()
    assert "the floor alone" in error.hint
    assert GB.without(*declining[1:]).proposal


# -- no other meaning under the same digest


@pytest.mark.parametrize(
    "changes",
    [
        {"parameters": {}},
        {"catalogue": GB.catalogue.with_parameters({})},
        {"renewal": GB.without("GB-R-02").renewal},
        {"products": ()},
        {"offers_valid_hours": 1},
        {"digest": "sha256:00"},
        {"checks": {}},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_silent_evolve_is_impossible(changes):
    """
    "a silent `evolve` is impossible": what the digest covers cannot be changed under it.
    """
    with pytest.raises(TypeError, match=rf"{next(iter(changes))}.* same digest.*rulebook\.replace"):
        attrs.evolve(GB, **changes)


def test_the_mark_cannot_be_taken_off():
    """
    Nor can a proposal lose its mark.
    """
    proposed = GB.replace(minimum_performance="85%")
    with pytest.raises(TypeError, match="proposed_from"):
        attrs.evolve(proposed, proposed_from=None)
    with pytest.raises(TypeError, match="proposal"):
        attrs.evolve(proposed.renewal, proposal=())


def test_rules_alone_cannot_be_changed_either():
    """
    A rule set names the digest in every assessment, so its rules cannot be changed under it.
    """
    with pytest.raises(TypeError, match=r"rules.* same digest.*altered"):
        attrs.evolve(GB.renewal, rules=GB.renewal.rules[1:])
    altered = GB.renewal.altered(rules=GB.renewal.rules[1:])
    assert (altered.digest, altered.rules_digest) == ("", "")


def test_what_no_digest_covers_can_be_changed():
    """
    The day, the name and the owner are in no digest.
    """
    assert attrs.evolve(GB, on=date(2026, 8, 1), owner="risk").digest == GB.digest


# -- nobody decides by a proposal


def test_no_jurisdiction_holds_a_proposal():
    """
    An engine decides by jurisdictions, which refuse a proposal.
    """
    proposed = GB.replace(minimum_performance="85%")
    with pytest.raises(ConfigurationError, match="85% instead of 80%"):
        Jurisdictions([attrs.evolve(SHIPPED["GB"], slices=(proposed,))])


def test_no_decision_is_recorded_by_a_proposal():
    """
    A decision record is evidence of a decision, and nobody decides by a proposal.
    """
    assert json.dumps(GB.assess(DEAL).record())
    with pytest.raises(ValueError, match="85% instead of 80%"):
        GB.replace(minimum_performance="85%").assess(DEAL).record()
