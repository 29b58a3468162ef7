"""A child against its parent, on each day on which either changes."""

from __future__ import annotations

from datetime import date

from test_prover import renewals, status

from every_case import for_every
from holdback.tools.proofs.claims import Prover
from holdback.tools.proofs.finding import WARNING
from small_folders import child, loaded, pace_rule, parameter, rule

TODAY = date(2026, 2, 1)


def parent(*values):
    """A country that asks for these values of a pace, by day."""
    floor = parameter("minimum_performance", "percent", *values)
    pace = rule("on-pace", "NL-R-01", "performance >= minimum_performance")
    return renewals(floor, pace, status("NL-R-03"))


def own(*values, more=""):
    """A child with these values of its own."""
    return child(renewal=parameter("minimum_performance", "percent", *values) + more)


def families(folders, on=TODAY):
    """What is found of the child against its parent."""
    jurisdictions = loaded(**folders)
    findings = Prover(jurisdictions).findings(jurisdictions["NL-ZH"], on)
    return [
        finding for finding in findings if finding.claim in {"child-keeps-up", "stated-overlay"}
    ]


def days(folders):
    return [(f.claim, str(f.since), f.until and str(f.until)) for f in families(folders)]


TIGHTENS = (("2025-01-01", '"75%"'), ("2026-01-01", '"85%"'))
LOOSEN = '[[claims]]\noverlay = "loosen"\nreason = "Rents are lower here."\n\n'
TIGHTEN = '[[claims]]\noverlay = "tighten"\n\n'


def test_a_figure_that_the_parent_tightens_past_is_found():
    """
    A figure that the parent tightens past the child's is a finding from that day on, with the deal
    that shows it, at the child's own value.
    """
    (found,) = families({"NL": parent(*TIGHTENS), "NL_ZH": own(("2025-01-01", '"80%"'))})

    assert (found.severity, found.since, found.until) == (WARNING, date(2026, 1, 1), None)
    assert found.detail.message == (
        "the rule `on-pace` has become looser than in NL on 2026-01-01: `minimum_performance` is "
        "85% there and 80% here"
    )
    assert found.detail.hint == 'follow the parent; if it is meant, claim it: `overlay = "loosen"`'
    assert (found.detail.file, found.detail.line) == ("NL-ZH/renewal.toml", 6)
    assert found.witness.words == "the typical deal, but performance 80% (80% to 84.9999%)"


@for_every(
    "child_values, more, expected",
    [
        ([("2025-01-01", '"85%"')], "", []),
        ([("2025-01-01", '"80%"'), ("2026-01-01", '"85%"')], "", []),
        ([("2025-01-01", '"80%"'), ("2026-03-01", '"85%"')], "", [("2026-01-01", "2026-03-01")]),
        # Its author saw what the parent has, and wrote less.
        ([("2025-01-01", '"70%"')], "", []),
        ([("2025-01-01", '"80%"'), ("2025-06-01", '"70%"')], "", [("2025-06-01", None)]),
        ([("2025-01-01", '"80%"')], LOOSEN, []),
        ([("2025-01-01", '"80%"')], LOOSEN + "until = 2026-01-01\n", [("2026-01-01", None)]),
        # Another rule of the child asks for more.
        ([("2025-01-01", '"80%"')], rule("more", "NL-ZH-R-02", "performance >= 90%"), []),
    ],
)
def test_on_each_day_on_which_either_changes(child_values, more, expected):
    """
    The parent and the child are compared on each day on which either changes. A rule that was
    looser from the first day on is not reported, nor one that the child's claim says is meant, nor
    one that another rule makes up for.
    """
    more = more.replace("\n\nuntil", "\nuntil")
    folders = {"NL": parent(*TIGHTENS), "NL_ZH": own(*child_values, more=more)}

    assert days(folders) == [("child-keeps-up", *period) for period in expected]


def test_a_claim_to_tighten_is_asked_where_the_parent_changes():
    """
    A child that is to tighten does not on a day on which the parent alone changes: an error, at the
    figure that was overtaken.
    """
    folders = {"NL": parent(*TIGHTENS), "NL_ZH": own(("2025-01-01", '"80%"'), more=TIGHTEN)}

    assert days(folders) == [
        ("child-keeps-up", "2026-01-01", None),
        ("stated-overlay", "2026-01-01", None),
    ]


@for_every(
    "here, there, broken",
    [("refer", "decline", True), ("decline", "refer", False), ("decline", "decline", False)],
)
def test_a_referral_is_looser_than_a_decline(here, there, broken):
    """
    A child that refers whom its parent declines does not tighten.
    """
    rules = renewals(
        rule("on-pace", "NL-R-01", "performance >= 70%", otherwise=f'"{there}"'), status("NL-R-03")
    )
    replaced = pace_rule(percent="70%", otherwise=f'"{here}"')
    folders = {"NL": rules, "NL_ZH": child(renewal=replaced + TIGHTEN)}

    assert [f.claim for f in families(folders)] == ["stated-overlay"] * broken


def test_words_of_a_rule_that_was_replaced():
    """
    Where it is not a figure that differs, both rules are in the message in words.
    """
    rules = renewals(
        rule("on-pace", "NL-R-01", "performance >= 70%", until="2026-01-01"),
        rule("on-pace", "NL-R-01", "performance >= 85%", since="2026-01-01"),
        status("NL-R-03"),
    )
    (found,) = families({"NL": rules, "NL_ZH": child(renewal=pace_rule(percent="80%"))})

    assert found.detail.message.endswith(
        "there performance is at least 85%, or it is declined; here performance is at least "
        "80%, or it is declined"
    )
