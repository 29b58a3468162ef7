"""
One report: what was proved comes first, and what follows from it is not a headline again.

See decisions/proofs#one-report.
"""

from __future__ import annotations

from every_case import for_every
from holdback.tools.lint.lint import findings
from holdback.tools.proofs.claims import Prover
from holdback.tools.workbench.one_report import one_report
from holdback.tools.workbench.proving import prove
from small_folders import changed, country, loaded, rule, sound_country

RENEWAL, LESS = "renewal.toml", "maximum-not-offered"


def report(*edits):
    """What is left of the findings of `check`, and what was proved, with *edits* of renewals."""
    files = sound_country()
    for old, new in edits:
        files = changed(files, RENEWAL, old, new)
    jurisdictions = loaded(NL=files)
    # No example is about the rule that is added here.
    details = [
        detail
        for detail in findings(jurisdictions)
        if "open-or-repaid" not in detail.message and "status in" not in detail.message
    ]
    proved = prove(Prover(jurisdictions), jurisdictions["NL"])
    left, (report,) = one_report(jurisdictions, details, [proved])
    return left, proved, report


def test_a_rule_that_is_the_wrong_way_round():
    """
    The proof is the headline; the examples that fail are one of its lines.
    """
    reversed_ = "performance >= minimum_performance", "performance < minimum_performance"
    left, proved, merged = report(reversed_)
    (headline,) = merged.findings

    assert [finding.severity for finding in proved.findings] == ["warning"]
    assert (headline.claim, headline.severity) == ("more-performance-helps", "error")
    assert "; so 8 examples fail, all about `NL-R-01`" in headline.detail.hint
    assert any("8 examples fail" in place.text for place in headline.places)
    assert left == []


def test_a_rule_that_is_never_false():
    """
    A rule that every deal meets: one headline, not one for the rule, its examples and thresholds.
    """
    edit = "performance >= minimum_performance", "performance >= 0%"
    left, _, merged = report(edit)
    (headline,) = merged.findings

    assert headline.claim == "rule-fails"
    lines = " ".join(place.text for place in headline.places)
    assert "no example makes the rule `on-pace` false" in lines
    assert "2 examples fail, all about `NL-R-01`" in lines
    # What else is wrong with the same rule is not left out.
    assert [error.message for error in left] == [
        "no rule reads the parameter `minimum_performance`",
        "the sentence names `minimum_performance`, which the rule does not read",
    ]


def test_a_threshold_of_another_rule_is_left():
    """
    What is about another rule than the one that is wrong is a finding of its own.
    """
    two = 'given = { missed_remittances_30d = 3 }\nexpect = { outcome = "eligible" }'
    one = 'given = { missed_remittances_30d = 3 }\nexpect = { outcome = "ineligible" }'
    edit = "performance >= minimum_performance", "performance >= 0%"
    left, _, _ = report(edit, (two, one))

    assert "failed_example" in {error.code for error in left}


def whole_report(**folders):
    """What is left of the findings of `check` in *folders*, and the headlines of the proofs."""
    jurisdictions = loaded(**folders)
    proved = [prove(Prover(jurisdictions), jurisdiction) for jurisdiction in jurisdictions]
    left, reports = one_report(jurisdictions, findings(jurisdictions), proved)
    return left, [finding for report in reports for finding in report.findings]


@for_every(
    ("file", "old", "new", "claim"),
    [
        ("products.toml", 'amounts = ["50%", "100%"]', 'amounts = ["50%", "90%"]', LESS),
        ("jurisdiction.toml", "value = 720", "value = 7200", "long-offer"),
    ],
)
def test_examples_of_wrong_terms_are_a_line_of_what_is_wrong(file, old, new, claim):
    """
    Offers and settings that are no more as the examples have them fail because of that headline.
    """
    left, shown = whole_report(NL=changed(country(), file, old, new))

    (headline,) = (finding for finding in shown if finding.claim == claim)
    assert (headline.severity, headline.follows) == ("error", ("failed_example",))
    assert [error.code for error in left if error.code == "failed_example"] == []


def test_a_product_without_the_rule_on_defaults_is_one_headline():
    """
    What a claim says of defaults, and examples about them, follow from the rule that is missing.
    """
    asks = rule("no-default", "NL-R-03", "deals_defaulted == 0")
    claim = '\n[[claims]]\nproduct = "flex"\nnever = "deals_defaulted > 0"\n'
    files = changed(country(), RENEWAL, "[typical]", f"{asks}[typical]\ndeals_defaulted = 0")
    typical = "[typical]\nidentity_verified = true"
    files = changed(files, "products.toml", typical, f"{typical}\ndeals_defaulted = 0")
    files["products.toml"] += f"""{claim}
[[examples]]
name = "a default"
on = 2026-02-01
product = "flex"
without = ["deals_defaulted"]
expect = {{ decision = "Referred", needs = ["deals_defaulted"] }}
"""
    left, shown = whole_report(NL=files)

    (headline,) = (finding for finding in shown if finding.claim == "default-not-asked")
    assert headline.severity == "error"
    assert headline.follows == ("stated-never", "failed_example")
    assert [error.code for error in left if error.code == "failed_example"] == []


def test_nothing_is_said_twice_where_nothing_was_proved():
    """
    Without a proof about it, each finding stays as `check` has it.
    """
    edit = 'needs = ["missed_remittances_30d"]', 'needs = ["balance"]'
    left, proved, merged = report(edit)

    assert proved.findings == merged.findings == ()
    assert [error.code for error in left] == ["failed_example"]
