"""The prover over several days and several jurisdictions: nothing that is wrong gets lost."""

from __future__ import annotations

from datetime import date

import pytest

from every_case import for_every
from holdback.tools.proofs.claims import Prover
from holdback.tools.proofs.finding import ERROR, INFORMATION, NOT_DECIDED, WARNING
from holdback.tools.proofs.question import LIMIT, MOST_TIMES, Question
from holdback.tools.proofs.solver import Budget, Possibility, Solver
from holdback.tools.workbench.proving import prove
from small_folders import changed, child, country, loaded, parameter, rule

PACE = rule("on-pace", "NL-R-01", "performance >= 70%")
ENDS, LAX = 'status in ["Funded", "Repaid"]', 'status in ["Funded", "Repaid", "Defaulted"]'
TYPICAL = '[typical]\nprogress = "64%"\nperformance = "97%"\nstatus = "Funded"\n'
MENDED = "2026-06-01"
TODAY = date(2026, 11, 1)


def status(code, require=ENDS, **days):
    """A version of the rule about the status."""
    return rule("not-ended", code, require, **days)


def renewals(*parts):
    """A country with these renewal rules."""
    return country() | {"renewal.toml": "\n".join(("format = 1\n", *parts, TYPICAL))}


def found(code="NL", *, on=TODAY, inherited=False, **folders):
    """The claims that do not hold of *code*, with how serious that is."""
    jurisdictions = loaded(**folders)
    findings = Prover(jurisdictions).findings(jurisdictions[code], on, inherited=inherited)
    return [(finding.claim, finding.severity) for finding in findings]


def claimed(*values):
    """A country that claims that nobody below a parameter's value passes."""
    claim = '[[claims]]\nnever = "performance < claimed_floor"\n\n'
    floor = parameter("claimed_floor", "percent", *values)
    return renewals(floor, PACE, status("NL-R-03"), claim)


def test_a_claim_is_asked_again_where_its_parameter_changes():
    """
    A claim may read a parameter that no rule reads: then the rules mean the same on both days.
    """
    before = ("2025-01-01", '"60%"')

    assert found(NL=claimed(before)) == []
    assert found(NL=claimed(before, (MENDED, '"75%"'))) == [("stated-never", ERROR)]


def test_a_claim_is_asked_again_of_a_child_that_replaces_its_parameter():
    """
    An inherited claim is about the child's own values.
    """
    own = parameter("claimed_floor", "percent", ("2025-01-01", '"80%"'))
    folders = {"NL": claimed(("2025-01-01", '"60%"')), "NL-ZH": child(renewal=own)}

    assert found(**folders) == []
    assert found("NL-ZH", **folders) == [("stated-never", ERROR)]


def test_a_child_without_rules_of_its_own_is_asked_nothing():
    """
    What was proved of rules is not asked again of a child that has the same: the report counts no
    question for it. A value of its own is asked about.
    """
    own = parameter("claimed_floor", "percent", ("2025-01-01", '"65%"'))
    folders = {code: child(code) for code in ("NL-UT", "NL-FR")} | {"NL-ZH": child(renewal=own)}
    jurisdictions = loaded(NL=claimed(("2025-01-01", '"60%"')), **folders)
    prover = Prover(jurisdictions)
    reports = {code: prove(prover, jurisdictions[code]) for code in ("NL", *folders)}

    assert [report.findings for report in reports.values()] == [()] * 4
    asked = {code: report.questions for code, report in reports.items()}
    assert asked == {"NL": asked["NL"], "NL-UT": 0, "NL-FR": 0, "NL-ZH": asked["NL-ZH"]}
    assert asked["NL"] > asked["NL-ZH"] > 0
    rules = [[*jurisdictions[code].slices[0].all_rules] for code in ("NL", "NL-UT")]
    assert all(there is here for there, here in zip(*rules, strict=True))


def test_what_one_jurisdiction_had_no_time_for_is_asked_of_the_next():
    """
    Nothing was asked when the budget was used up, so "not decided" is not kept.
    """
    jurisdictions = loaded(NL=renewals(PACE, status("NL-R-03")))
    asked = Question(catalogue=jurisdictions["NL"].slices[0].catalogue)
    solver = Solver(budget=Budget(0))
    assert solver.answer(asked) is Possibility.NOT_DECIDED

    solver.budget = Budget(LIMIT)
    assert solver.answer(asked) is Possibility.POSSIBLE
    before = solver.asked
    assert solver.answer(asked) is Possibility.POSSIBLE
    assert solver.asked == before


def test_what_the_parent_has_mended_is_an_error_of_a_child_that_brings_it_back():
    """
    Only what is wrong with the parent on the same day is a finding of the parent.
    """
    parent = renewals(PACE, status("NL-R-03", LAX, until=MENDED), status("NL-R-03", since=MENDED))
    again = status("NL-ZH-R-03", LAX, since=MENDED)
    folders = {"NL": parent, "NL-ZH": child(renewal=again)}

    assert found(**folders) == [("ended-fails", INFORMATION)]
    assert ("ended-fails", ERROR) in found("NL-ZH", **folders)


def test_what_is_inherited_is_said_once_and_again_of_a_child_alone():
    """
    A person who proves one child learns what is wrong with the rules that it inherits.
    """
    folders = {"NL": renewals(PACE, status("NL-R-03", LAX)), "NL-ZH": child()}

    assert found(**folders) == [("ended-fails", ERROR)]
    assert found("NL-ZH", **folders) == []
    assert found("NL-ZH", inherited=True, **folders) == [("ended-fails", ERROR)]


def test_a_parent_without_rules_lets_nobody_pass():
    """
    A child that is to tighten the rules of its parent cannot accept whom no parent's rule accepts.
    """
    ends = country()["products.toml"].replace(
        "from = 2025-01-01\n", f"from = 2025-01-01\nuntil = {MENDED}\n", 1
    )
    own = country("NL-ZH")["products.toml"].removeprefix("format = 1\n")
    claim = '[[claims]]\nproduct = "flex"\noverlay = "tighten"\n\n'
    folders = {
        "NL": country() | {"products.toml": ends},
        "NL-ZH": child(products=own + claim),
    }

    assert ("stated-overlay", ERROR) in found("NL-ZH", **folders)


def hard(*, changing):
    """A country with a rule that takes long to decide, and another whose parameter may change."""
    facts = "".join(
        f'[facts.c{place}]\ntype = "count"\ndescription = "A count."\nminimum = 0\nmaximum = 1\n'
        for place in range(27)
    )
    weights = [7_919 * place * place % 9_000_011 + 1_000_000 for place in range(1, 28)]
    terms = " + ".join(f"c{place} * {weight}" for place, weight in enumerate(weights))
    values = [("2025-01-01", "3"), (MENDED, "4")][: 1 + changing]
    rules = (
        parameter("most_missed", "count", *values),
        rule("hard", "NL-R-01", f"performance >= 70% and ({terms} != {sum(weights) // 2})"),
        rule("missed", "NL-R-02", "missed_remittances_30d <= most_missed"),
        status("NL-R-03"),
    )
    return renewals(*rules) | {"jurisdiction.toml": country(more=facts)["jurisdiction.toml"]}


@pytest.mark.parametrize("changing", [False, True])
def test_what_is_not_decided_is_not_decided_on_every_day(changing):
    """
    It is never fine and never past.
    """
    jurisdictions = loaded(NL=hard(changing=changing))
    prover = Prover(jurisdictions, limit=0.05)
    findings = prover.findings(jurisdictions["NL"], TODAY)

    undecided = [finding for finding in findings if finding.severity == NOT_DECIDED]
    assert "clause-decides" in {finding.claim for finding in undecided}
    assert all(finding.until is None for finding in undecided)


def test_when_the_budget_is_used_up_nothing_else_is_decided():
    """
    All questions of a jurisdiction have one budget.
    """
    solver = Solver()
    assert (solver.limit, solver.budget.seconds) == (LIMIT, LIMIT * MOST_TIMES)
    assert solver.ask([]) is Possibility.POSSIBLE
    solver.budget.left = 0
    assert solver.ask([]) is Possibility.NOT_DECIDED


def sums(count):
    """A country with *count* claims of sums that are hard to decide, each of deals that exist."""
    places = range(1, 7)
    facts = "".join(
        f'[facts.c{place}]\ntype = "count"\ndescription = "A count."\nminimum = 0\nmaximum = 1000\n'
        for place in places
    )
    claims = []
    for number in range(count):
        weights = [7_919 * place * place * (number + 3) % 90_011 + 1_000 for place in places]
        total = " + ".join(f"c{place} * {weights[place - 1]}" for place in places)
        claims.append(f'[[claims]]\nnever = "{total} == {sum(weights) * 300 + number}"\n\n')
    files = renewals(PACE, status("NL-R-03"), *claims)
    return files | {"jurisdiction.toml": country(more=facts)["jurisdiction.toml"]}


def test_a_verdict_without_its_deal_says_so():
    """
    The search for a deal that shows a verdict has the same budget: without a deal nothing is
    dropped, and the finding says that none was found.
    """
    jurisdictions = loaded(NL=renewals(PACE, status("NL-R-03", LAX)))
    prover = Prover(jurisdictions)
    (shown,) = prover.findings(jurisdictions["NL"], TODAY)
    assert (shown.claim, shown.severity, shown.deal_not_found) == ("ended-fails", ERROR, False)

    again = Prover(jurisdictions, limit=60)
    part, empty = Budget.part, Budget(0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Budget, "part", lambda _budget, _seconds: empty)
        (without,) = again.findings(jurisdictions["NL"], TODAY)
    assert Budget.part is part
    assert (without.claim, without.severity, without.witness) == ("ended-fails", ERROR, None)
    assert without.deal_not_found
    assert "no deal that shows it was found in the time" in "\n".join(without.evidence())
    assert without.plain()["deal_not_found"] is True


def test_many_hard_claims_take_one_budget():
    """
    Eight claims that are hard to decide take no longer than the budget, and each has its answer.
    """
    jurisdictions = loaded(NL=sums(8))
    prover = Prover(jurisdictions, limit=0.1)
    findings = prover.findings(jurisdictions["NL"], TODAY)

    assert len([finding for finding in findings if finding.claim == "stated-never"]) == 8
    unshown = [finding for finding in findings if finding.witness is None]
    assert all(finding.deal_not_found or finding.severity == NOT_DECIDED for finding in unshown)
    solver = prover._solver
    # A question that is being asked when the budget ends may take a moment more.
    assert solver.budget.taken <= 0.1 * MOST_TIMES + 1


def test_a_switch_that_reads_no_fact():
    """
    A flag that switches renewals off is a rule without a fact: true, it decides nothing.
    """
    switch = parameter("renewals_open", "flag", ("2025-01-01", "true"))
    jurisdictions = loaded(
        NL=renewals(switch, PACE, status("NL-R-03"), rule("open", "NL-R-04", "renewals_open"))
    )
    (finding,) = Prover(jurisdictions).findings(jurisdictions["NL"], TODAY)

    assert (finding.claim, finding.severity) == ("rule-fails", "warning")
    assert finding.detail.hint == (
        "it reads `renewals_open` and no fact, so it decides alike about all; leave it out, or let "
        "it read a fact; below 50% paid down no deal is assessed"
    )


@pytest.mark.parametrize(
    ("require", "part"),
    [
        ('deal_type == "Initial"', 'deal_type == "Renewal"'),
        ('deal_type == "Renewal"', 'deal_type == "Initial"'),
        ('status == "Repaid"', 'status == "Funded"'),
        ("balance > EUR 0.00", 'status == "Repaid"'),
    ],
)
def test_a_part_of_which_nobody_passes(require, part):
    """
    Somebody passes is asked of each part that can be renewed; a claim of the file says that it is
    meant.
    """
    rules = (PACE, status("NL-R-03"), rule("part", "NL-R-04", require))
    jurisdictions = loaded(NL=renewals(*rules))
    findings = Prover(jurisdictions).findings(jurisdictions["NL"], TODAY)
    (finding,) = (finding for finding in findings if finding.claim == "part-passes")

    assert finding.severity == "warning"
    assert finding.detail.message == f"no deal with `{part}` can be eligible"
    assert finding.detail.hint.endswith(f"claim it: `never = '{part}'`")
    assert [place.text for place in finding.places] == [f"part: {require}"]
    meant = f"[[claims]]\nnever = '{part}'\n\n"
    assert "part-passes" not in dict(found(NL=renewals(*rules, meant)))


def test_nobody_who_is_eligible_is_accepted_by_a_product():
    """
    The rules of renewals and those of the products can contradict each other.
    """
    once = rule("once", "NL-R-04", "deals_completed >= 1")
    files = renewals(PACE, status("NL-R-03"), once)
    never = changed(
        files, "products.toml", '"identity_verified", rea', '"deals_completed == 0", rea'
    )

    assert found(NL=files) == []
    assert found(NL=never) == [("renewal-has-product", ERROR)]


def claiming(kind, text, **more):
    """A country with a claim."""
    shown = "".join(f"{key} = {value}\n" for key, value in more.items())
    return renewals(PACE, status("NL-R-03"), f"[[claims]]\n{kind} = '{text}'\n{shown}\n")


@for_every(
    "kind, text, why",
    [
        (
            "never",
            "deals_recovered > deals_defaulted",
            "no deal can be like that, by any rules",
        ),
        ("never", "paused and not paused", "no deal can be like that, by any rules"),
        (
            "never",
            'status == "Repaid" and balance > EUR 0.00',
            "no deal can be like that, by any rules",
        ),
        # They hold because of the floor, of a rule, and of what has to be known.
        ("never", "progress < 50%", None),
        ("never", "performance < 60%", None),
        ("always", "performance >= 0%", None),
    ],
)
def test_a_claim_that_says_nothing(kind, text, why):
    """
    A claim that no deal is like what no deal can be is a warning: it proves nothing.
    """
    folders = {"NL": claiming(kind, text)}
    jurisdictions = loaded(**folders)
    findings = Prover(jurisdictions).findings(jurisdictions["NL"], TODAY)

    said = [(finding.claim, finding.severity, finding.detail.message) for finding in findings]
    message = f"the claim `{kind} {text}` says nothing: {why}"
    assert said == ([("claim-says-something", WARNING, message)] if why else [])


def test_a_claim_that_says_nothing_is_said_of_the_parent_alone():
    """
    An inherited claim that says nothing is to be corrected where it is written.
    """
    folders = {"NL": claiming("never", "deals_recovered > deals_defaulted"), "NL_ZH": child()}

    assert found("NL-ZH", **folders) == []
    assert found("NL-ZH", inherited=True, **folders) == [("claim-says-something", WARNING)]


@for_every(
    "pace, said",
    [("60%", []), ("90%", [("claim-says-something", WARNING)])],
)
def test_a_claim_to_loosen_where_nothing_is_looser(pace, said):
    """
    A child that says that its rules are meant to be looser has one that is.
    """
    loosen = '[[claims]]\noverlay = "loosen"\n\n'
    own = rule("on-pace", "NL-ZH-R-01", f"performance >= {pace}")

    assert (
        found("NL-ZH", NL=renewals(PACE, status("NL-R-03")), NL_ZH=child(renewal=own + loosen))
        == said
    )
