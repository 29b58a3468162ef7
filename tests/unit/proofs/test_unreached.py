"""Results of checks and bands of prices that nobody who passes reaches."""

from __future__ import annotations

from test_prover import renewals, status

from every_case import for_every
from holdback.tools.proofs.claims import Prover
from holdback.tools.proofs.finding import WARNING
from small_folders import changed, child, country, loaded, parameter, rule

CREDIT = """
[checks.consumer_credit]
max_age_days = [{ from = 2025-01-01, value = 90, source = "policy" }]
"""
SCORE = rule("score", "NL-R-04", "credit_score >= 600", otherwise='"refer"')
FLAT = 'factor_rate = { calculator = "flat", rate = "1.2" }'


def old_enough(days, **more):
    """A rule on the age of a deal."""
    age = parameter("youngest", "days", ("2025-01-01", f'"{days} days"'))
    return age + rule("old-enough", "NL-R-05", "days_since_funding >= youngest", **more)


def limited(*rules):
    """A country in which a credit check is good for ninety days."""
    pace = rule("on-pace", "NL-R-01", "performance >= 70%")
    files = renewals(old_enough_first(rules), pace, status("NL-R-03"))
    return files | {"jurisdiction.toml": country()["jurisdiction.toml"] + CREDIT}


def old_enough_first(rules):
    """The *rules*, those with a parameter first."""
    return "".join(sorted(rules, key=lambda text: not text.startswith("[parameters")))


def said(**folders):
    """What is found of the last of *folders*, and what is said of it."""
    jurisdictions = loaded(**folders)
    code = [*folders][-1].replace("_", "-")
    findings = Prover(jurisdictions).findings(jurisdictions[code])
    return [(each.claim, each.severity, each.detail.message) for each in findings]


WHY_STALE = (
    "a result of `consumer_credit` is good for 90 days, and nobody can renew sooner after the "
    "funding, because of `old-enough`: what `score` reads has run out by then"
)
STALE = ("check-lasts", WARNING, WHY_STALE)
AGED = rule("fresh", "NL-R-06", "consumer_credit_age_days <= 30 days", otherwise='"refer"')
DAY = rule("day", "NL-R-06", "credit_checked_on >= 2025-01-01", otherwise='"refer"')


@for_every(
    "rules, expected",
    [
        ((old_enough(122), SCORE), [STALE]),
        ((old_enough(91), SCORE), [STALE]),
        ((old_enough(90), SCORE), []),
        # Nothing reads what the check gives.
        ((old_enough(122),), []),
        # A repaid deal may be young.
        ((old_enough(122, when="'status == \"Funded\"'"), SCORE), []),
        # A rule speaks of a check of its own for the renewal.
        ((old_enough(122), SCORE, AGED), []),
        ((old_enough(122), SCORE, DAY), []),
    ],
)
def test_a_check_that_has_run_out_at_every_renewal(rules, expected):
    """
    A credit check that is good for 90 days, read in renewals that need 122 days since the funding,
    is a warning, with the rule that asks for the days, unless a rule reads how old the check is.
    """
    assert said(NL=limited(*rules)) == expected


def test_a_child_does_not_repeat_what_is_stale_in_its_parent():
    """
    What the parent has to correct is a finding of the parent alone.
    """
    assert said(NL=limited(old_enough(122), SCORE), NL_ZH=child()) == []


def banded(on, bands):
    """A country whose product has these bands."""
    rate = f'factor_rate = {{ calculator = "banded", on = "{on}", bands = [{bands}] }}'
    files = changed(renewals(PACE_80, status("NL-R-03")), "products.toml", FLAT, rate)
    asked = 'require = "months_trading >= 12", reason = "Short.", source = "policy"'
    more = f'{{ id = "known", code = "NL-P-02", {asked} }},\n]'
    files = changed(
        files, "products.toml", 'source = "policy" },\n]', f'source = "policy" }},\n  {more}'
    )
    text = files["products.toml"].partition("[typical]")[0]
    return files | {"products.toml": text}


PACE_80 = rule("on-pace", "NL-R-01", "performance >= 80%")
MONTHS = '{{ up_to = {}, rate = "1.3" }}, {{ rate = "1.2" }}'
PERCENTS = (
    '{{ up_to = "{}%", rate = "1.3" }}, {{ up_to = "120%", rate = "1.25" }}, {{ rate = "1.2" }}'
)


@for_every(
    "on, bands, bounds, because",
    [
        ("months_trading", MONTHS.format(12), "`months_trading < 12`", "`known`"),
        ("months_trading", MONTHS.format(13), None, None),
        ("performance", PERCENTS.format(80), "`performance < 80%`", "`on-pace`"),
        ("performance", PERCENTS.format(81), None, None),
        # No rule reads it.
        ("deals_completed", MONTHS.format(1), None, None),
    ],
)
def test_a_band_that_a_rule_makes_empty(on, bands, bounds, because):
    """
    A band in which nobody is who is accepted is a warning, with the rule that keeps everybody out.
    A fact of a deal is known in renewals alone, so their rules count too.
    """
    message = f"nobody who gets `flex` is in its band with {bounds}, because of {because}"

    assert said(NL=banded(on, bands)) == ([("band-reached", WARNING, message)] if bounds else [])
