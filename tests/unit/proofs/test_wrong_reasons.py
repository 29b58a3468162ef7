"""What a reason says of its rule: the bound in words, and whether it is the rule's own."""

from __future__ import annotations

from datetime import date
from itertools import islice

from every_case import for_every
from holdback.eligibility.ruleset import MOST_RULES
from holdback.tools.proofs.finding import WARNING
from holdback.tools.sanity.sanity import sanity
from small_folders import country, loaded, parameter, rule
from small_tables import land, table

# Words that draw the line just below a figure, as `>=` and `<` do, and those just above it.
BELOW = (
    "At least {} is needed.",
    "At the least {}.",
    "No less than {}.",
    "It is less than {}.",
    "Fewer than {} is too little.",
    "Lower than {}.",
    "Under {} a person looks at it.",
    "It is not under {}.",
    "It is below {}.",
    "The minimum is {}.",
    "A minimum of {} is needed.",
    "Minimum: {}.",
    "It has to reach {}.",
    "It falls short of {}.",
    "{} or more is needed.",
)
ABOVE = (
    "At most {} may be.",
    "No more than {} may be.",
    "More than {} is too much.",
    "Greater than {}.",
    "Higher than {}.",
    "Up to {} may be.",
    "It is over {}.",
    "It is above {}.",
    "It is not above {}.",
    "The maximum is {}.",
    "A maximum of {} may be.",
    "It exceeds {}.",
    "{} or less may be.",
    "{} or fewer may be.",
)
PARAMETERS = (
    parameter("age", "days", ("2025-01-01", '"30 days"'))
    + parameter("score", "count", ("2025-01-01", 600))
    + parameter("cap", "money", ("2025-01-01", '"EUR 1000.00"'))
)
COMPARED = (
    ("credit_score", "score", "600"),
    ("balance", "cap", "EUR 1000.00"),
    ("days_since_funding", "age", "30 days"),
)


def rows():
    """Yield each comparison with each wording, of a parameter and of a figure typed out."""
    for fact, name, typed in COMPARED:
        for shown, threshold in ((f"{{{name}}}", name), (typed, typed)):
            for operator in (">=", "<", ">", "<="):
                for below, wordings in ((True, BELOW), (False, ABOVE)):
                    for wording in wordings:
                        if wording != "It is over {}." or name != "age":
                            wrong = below != (operator in {">=", "<"})
                            yield f"{fact} {operator} {threshold}", wording.format(shown), wrong


def found_in(pairs):
    """What is found in a country with a rule for each of *pairs*, by the place of the pair."""
    rules = "".join(
        rule(f"r-{place}", f"NL-R-{place}", require, reason=reason)
        for place, (require, reason) in enumerate(pairs)
    )
    files = country() | {"renewal.toml": f"format = 1\n\n{PARAMETERS}{rules}"}
    findings = [each for each in sanity(loaded(NL=files)) if each.claim.startswith("reason")]
    return {int(each.detail.message.split("`")[1].removeprefix("r-")): each for each in findings}


def test_the_table_of_wordings():
    """
    "a reason that says "at least" where the rule has `>`", in each wording, in either direction.
    """
    left, tried = rows(), 0
    while chunk := list(islice(left, MOST_RULES)):
        found = found_in([(require, reason) for require, reason, _ in chunk])
        expected = {place for place, (*_, wrong) in enumerate(chunk) if wrong}
        assert {chunk[place][:2] for place in found.keys() ^ expected} == set()
        assert {finding.claim for finding in found.values()} <= {"reason-bound"}
        tried += len(chunk)

    assert tried == len(COMPARED) * 2 * 4 * (len(BELOW) + len(ABOVE)) - 2 * 4


@for_every(
    ("require", "reason", "says"),
    [
        # The figure of a whole number may be that of the other side, or just not.
        ("credit_score >= 600", "More than 599 is needed.", None),
        (
            "credit_score >= 600",
            "At least 601 is needed.",
            "At least 601, and the rule has `>= 600",
        ),
        ("credit_score > 600", "At least 601 is needed.", None),
        ("credit_score <= 600", "Fewer than 601 may be.", None),
        ("missed_remittances_30d <= 3", "At most 2 may be.", "At most 2, and the rule has `<= 3"),
        ("performance >= 80.0001%", "More than 80% is needed.", None),
        ("performance >= 80%", "More than 80% is needed.", "More than 80%, and the rule has `>="),
        ("performance >= 80%", "80 percent or less.", "80 percent or less, and the rule has `>="),
        ("balance <= 1.5 * average_monthly_takings", "150% or more is left.", "150% or more"),
        # A negation, and a figure of `when`, are compared as well.
        ("not (credit_score < 600)", "More than 600 is needed.", "More than 600"),
        ("not (credit_score < 600)", "At least 600 is needed.", None),
        # What is taken off, what is left of a half, a month, and a figure of another part.
        ("performance - 10% >= 70%", "Up to 10% less than others.", None),
        ("performance >= 50%", "More than 50% is missing.", None),
        ("days_since_funding > 90 days", "At least 3 months are needed.", None),
        ("days_since_funding >= 30 days", "The takings over 30 days are needed.", None),
        ("deals_completed == 3 and credit_score >= 4", "At least 3 deals.", None),
        ("credit_score < 600 or deals_completed > 3", "Under 600 or more than 3 deals.", None),
    ],
)
def test_what_a_figure_in_words_says(require, reason, says):
    """
    The figure next to a threshold counts as well; what may mean something else does not.
    """
    found = found_in([(require, reason)])
    assert sorted(found) == ([] if says is None else [0])
    if says is not None:
        assert f"the reason of `r-0` says {says}" in found[0].detail.message


MISSED = ("missed_remittances_30d <= 3", "Too many remittances were missed.")
TRADING = ("months_trading >= 12", "The business has been trading for too short a time.")
VERIFIED = ("identity_verified", "The identity could not be verified.")
REGISTER = ("business_verified", "The business could not be verified.")


def swapped(*pairs):
    """The *pairs* of requirements and reasons, the first two with each other's reason."""
    (first, its), (other, reason), *more = pairs
    return [(first, reason), (other, its), *more]


@for_every("pairs", [(MISSED, TRADING), (VERIFIED, REGISTER, MISSED), (TRADING, VERIFIED)])
def test_reasons_that_are_swapped(pairs):
    """
    "reasons swapped": one headline on both, and none for the same reasons where they belong.
    """
    assert found_in(pairs) == {}

    (finding,) = found_in(swapped(*pairs)).values()
    assert finding.claim == "reasons-swapped"
    assert finding.severity == WARNING
    assert finding.detail.message == (
        "the reasons of `r-0` and `r-1` are swapped: each says what the other rule reads, and "
        "nothing of its own"
    )
    assert [place.text for place in finding.places] == [
        f"r-{place}: {reason}" for place, (_, reason) in enumerate(swapped(*pairs)[:2])
    ]


def test_the_one_reason_of_a_table_may_have_the_figures_of_all_rows():
    """
    A sentence for all tiers says what each asks for; a figure of no row contradicts all of them.
    """
    columns = ["row", "funded_amount", "require performance"]
    rows = [["small", "< EUR 100000", ">= 70%"], ["large", ">= EUR 100000", ">= 80%"]]
    for asked, wrong in (("80%", []), ("85%", ["reason-figure"])):
        reason = f'"The pace is {{performance}}; 70% is needed, and {asked} from EUR 100000 on."'
        files = land(table(rows, columns, reason=reason))
        assert [each.claim for each in sanity(loaded(NL=files))] == wrong


def test_a_wrong_reason_is_of_all_days_of_its_rule():
    """
    A value that changes cuts the days of a rule; what is wrong on the later ones is not past.
    """
    ages = parameter("age", "days", ("2025-01-01", '"30 days"'), ("2025-06-01", '"60 days"'))
    bound = rule("r-0", "NL-R-0", "days_since_funding > age", reason="At least {age} is needed.")
    first, other = (
        rule(f"s-{place}", f"NL-R-{place + 1}", require, reason=reason, until=until)
        for place, ((require, reason), until) in enumerate(
            zip(swapped(VERIFIED, REGISTER), ("2026-01-01", "2026-03-01"), strict=True)
        )
    )
    files = country() | {"renewal.toml": f"format = 1\n\n{ages}{bound}{first}{other}"}
    dated = {
        (each.claim, str(each.since), str(each.until), each.severity)
        for each in sanity(loaded(NL=files), date(2025, 7, 1))
        if each.claim.startswith("reason")
    }
    assert dated == {
        ("reason-bound", "2025-01-01", "None", WARNING),
        ("reasons-swapped", "2025-01-01", "2026-01-01", WARNING),
    }


def test_swapped_reasons_are_the_one_headline():
    """
    The figures of swapped reasons are wrong because of it: "one headline for one cause".
    """
    missed = ("missed_remittances_30d <= 3", "More than 3 remittances were missed.")
    trading = ("months_trading >= 12", "At least 12 months of trading are needed.")

    assert found_in([missed, trading]) == {}
    found = found_in(swapped(missed, trading))
    assert [finding.claim for finding in found.values()] == ["reasons-swapped"]
