"""
What is wrong has one headline: what follows from it adds its lines, its deal and its seriousness.

See decisions/proofs#root-causes.
"""

from __future__ import annotations

from datetime import date

from attrs import evolve

from holdback.tools.proofs.claims import Prover
from holdback.tools.proofs.finding import ERROR, INFORMATION, NOT_DECIDED, WARNING
from holdback.tools.sanity.root_causes import root_causes
from holdback.tools.workbench.proving import all_findings
from small_folders import changed, country, loaded, parameter, rule

PACE = rule("on-pace", "NL-R-01", "performance >= 75%")
ENDS = 'status in ["Funded", "Repaid"]'
TYPICAL = '[typical]\nprogress = "64%"\nperformance = "97%"\nstatus = "Funded"\n'
NEVER = '[[claims]]\nname = "no ended deal"\nnever = \'status == "Cancelled"\'\n\n'
DAY, NEXT = date(2026, 6, 30), date(2026, 7, 1)


def renewals(*parts):
    """A country with these renewal rules."""
    return loaded(NL=country() | {"renewal.toml": "\n".join(("format = 1\n", *parts, TYPICAL))})


def found(*parts, on=None):
    """What is found in a country with these renewal rules."""
    jurisdictions = renewals(*parts)
    return all_findings(Prover(jurisdictions), jurisdictions["NL"], on)


def statuses(**days):
    """A version of the rule about the status."""
    return rule("not-ended", "NL-R-03", ENDS, **days)


def test_nothing_is_wrong():
    """The rules that the other tests spoil are valid."""
    assert found(PACE, statuses(), NEVER) == []


def test_a_gap_is_as_serious_as_what_passes_in_it():
    """
    A gap is a warning. An ended deal that passes in it is an error, and so is the gap.
    """
    (gap,) = found(PACE, statuses(until=DAY), statuses(since=NEXT), NEVER)

    assert (gap.claim, gap.severity, gap.since, gap.until) == ("gap", ERROR, DAY, NEXT)
    assert "so a deal can be eligible whose status is `Renewed`" in gap.detail.hint
    assert any(place.text == "no ended deal" for place in gap.places)
    assert gap.witness is not None


def test_a_claim_follows_from_what_is_wrong_with_the_rules():
    """
    A claim of the file is broken by a rule that is wrong: the headline is that of the rule.
    """
    (ended,) = found(PACE, rule("not-ended", "NL-R-03", 'status != "Defaulted"'), NEVER)

    assert (ended.claim, ended.severity) == ("ended-fails", ERROR)
    assert [place.text for place in ended.places] == [
        'not-ended: status != "Defaulted"',
        "no ended deal",
    ]


def test_a_warning_is_an_error_where_a_claim_follows_from_it():
    """
    A rule that never fails is a warning, and an error where it was to keep what the file claims.
    """
    claim = '[[claims]]\nname = "on pace"\nalways = "performance >= 75%"\n\n'
    (never_fails,) = found(rule("on-pace", "NL-R-01", "performance >= 50%"), statuses(), claim)

    assert (never_fails.claim, never_fails.severity) == ("rule-fails", ERROR)
    assert never_fails.witness.known["performance"] == "70%"


def test_a_jump_is_the_headline_of_a_rule_that_reads_the_value():
    """
    7% for 75% makes a rule that never fails: one headline, where the digit is missing.
    """
    pace = parameter("pace", "percent", ("2025-01-01", '"75%"'), ("2026-01-01", '"7%"'))
    (jump,) = found(pace, rule("on-pace", "NL-R-01", "performance >= pace"), statuses())

    assert (jump.claim, jump.severity, jump.since) == ("jump", WARNING, date(2026, 1, 1))
    assert "so the rule `on-pace` is never false" in jump.detail.hint


def test_what_nobody_reaches_because_of_a_wrong_rule_follows_from_it():
    """
    A rule that is the wrong way round leaves bands of a price empty: the headline is the rule's.
    """
    bands = 'bands = [{ up_to = "90%", rate = "1.3" }, { rate = "1.2" }]'
    price = f'{{ calculator = "banded", on = "performance", {bands} }}'
    files = changed(country(), "products.toml", '{ calculator = "flat", rate = "1.2" }', price)
    reversed_ = rule("on-pace", "NL-R-01", "performance < 80%")
    text = f"format = 1\n\n{reversed_}\n{statuses()}\n{TYPICAL}"
    jurisdictions = loaded(NL=files | {"renewal.toml": text})
    headline, *more = all_findings(Prover(jurisdictions), jurisdictions["NL"], None)

    assert headline.claim == "more-performance-helps"
    assert "band-reached" in headline.follows
    assert "band-reached" not in {finding.claim for finding in more}


def test_rules_of_a_part_that_never_passes_are_lines_of_it():
    """
    Where no funded deal can be renewed, rules about funded deals decide nothing: one headline.
    """
    funded = {"when": "'status == \"Funded\"'"}
    silent = "days_since_last_remittance <= 14 days"
    part, *more = found(
        PACE,
        rule("repaid", "NL-R-03", 'status == "Repaid"'),
        rule("silent", "NL-R-04", silent, **funded),
    )

    assert (part.claim, part.severity, more) == ("part-passes", WARNING, [])
    assert part.follows == ("rule-decides",)
    assert any(silent in place.text for place in part.places)


def test_two_errors_have_two_headlines():
    """
    A claim about other facts follows from no other finding.
    """
    claim = '[[claims]]\nname = "few missed"\nnever = "missed_remittances_30d > 3"\n\n'
    several = found(rule("on-pace", "NL-R-01", "performance >= 50%"), statuses(), claim)

    assert [one.claim for one in several] == ["rule-fails", "stated-never"]


def test_what_is_wrong_on_other_days_is_said():
    """
    What begins before a gap does not follow from it.
    """
    ended = rule("not-ended", "NL-R-03", 'status != "Defaulted"', until=DAY)
    several = found(PACE, ended, statuses(since=NEXT))

    assert sorted(one.claim for one in several) == ["ended-fails", "gap"]


def test_what_is_not_decided_is_said():
    """
    What was not decided follows from nothing, and nothing follows from it.
    """
    jurisdictions = renewals(PACE, statuses(until=DAY), statuses(since=NEXT), NEVER)
    jurisdiction = jurisdictions["NL"]
    ended, stated = (
        finding
        for finding in Prover(jurisdictions).findings(jurisdiction)
        if finding.claim in {"ended-fails", "stated-never"}
    )
    undecided = evolve(ended, severity=NOT_DECIDED)

    assert root_causes(jurisdiction, [], [undecided, stated]) == [undecided, stated]
    assert root_causes(jurisdiction, [], [ended, evolve(stated, severity=NOT_DECIDED)]) == [
        ended,
        evolve(stated, severity=NOT_DECIDED),
    ]


def test_the_past_stays_information():
    """
    What is over by the given day is information, together with what follows from it.
    """
    (gap,) = found(PACE, statuses(until=DAY), statuses(since=NEXT), NEVER, on=NEXT)

    assert gap.severity == INFORMATION
