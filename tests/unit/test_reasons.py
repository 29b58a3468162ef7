"""Reasons for a notice to the merchant: at most four, each with figure and threshold."""

from __future__ import annotations

from datetime import date

import pytest

from every_case import for_every
from small_folders import FIGURES, country, loaded, parameter, rule

NOW = date(2026, 7, 1)
FACTS = {
    "progress": "60%",
    "performance": "70%",
    "balance": "EUR 12345.60",
    "average_monthly_takings": "EUR 10000.00",
    "status": "Cancelled",
    "deal_type": "Initial",
    "days_since_last_remittance": 40,
    "missed_remittances_30d": 5,
    "months_trading": 3,
    "deals_defaulted": 2,
    "identity_verified": False,
    "credit_checked_on": "2025-01-31",
}


def assess(*rules, facts=FACTS, parameters="", more=""):
    """Return the assessment of a deal with *facts* by *rules*, which are texts."""
    text = {**country(more=more), "renewal.toml": f"format = 1\n\n{parameters}{''.join(rules)}"}
    return loaded(NL=text).resolve("NL", on=NOW).assess(facts)


def only(require, *, parameters="", facts=FACTS, more="", **keys):
    """Return the only reason, that of a rule that is false."""
    found = assess(
        rule("one", "NL-R-01", require, **keys), parameters=parameters, facts=facts, more=more
    )
    (reason,) = found.principal_reasons
    assert found.outcome == "ineligible"
    return reason


MANY = [
    rule(f"r{number}", f"NL-R-0{number}", f"months_trading >= {number + 10}")
    for number in range(1, 7)
]


def test_at_most_four_in_order_of_priority():
    """
    A notice has at most four reasons, in order of priority.
    """
    found = assess(*MANY)

    assert [each.rule for each in found.reasons] == ["r1", "r2", "r3", "r4", "r5", "r6"]
    assert [each.rule for each in found.principal_reasons] == ["r1", "r2", "r3", "r4"]
    assert found.principal_reasons == found.reasons[:4]
    turned = assess(*reversed(MANY)).principal_reasons
    assert [each.rule for each in turned] == ["r6", "r5", "r4", "r3"]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_fewer_than_four(number):
    """
    A notice has all reasons when there are four or fewer.
    """
    assert len(assess(*MANY[:number]).principal_reasons) == number


def test_only_decisive_rules_give_reasons():
    """
    A rule that refers gives no reason when another declines.
    """
    refers = rule("refers", "NL-R-08", "months_trading >= 12", otherwise='"refer"')
    known = assess(refers, MANY[0])
    open_ = assess(refers, rule("score", "NL-R-09", "credit_score >= 3"))
    alone = assess(refers, rule("identity", "NL-R-09", "not identity_verified"))

    assert [each.rule for each in known.principal_reasons] == ["r1"]
    assert (open_.outcome, open_.principal_reasons) == ("undetermined", ())
    assert [each.rule for each in alone.principal_reasons] == ["refers"]
    assert alone.outcome == "referred"


def test_an_eligible_deal_has_none():
    """
    An eligible deal has no reasons.
    """
    found = assess(rule("one", "NL-R-01", "months_trading >= 3"))

    assert found.eligible
    assert found.principal_reasons == ()


def test_a_parameter_is_named():
    """
    A threshold has the name of its parameter.
    """
    reason = only(
        "performance >= least",
        parameters=parameter("least", "percent", ("2025-01-01", '"75%"'), ("2026-01-01", '"80%"')),
    )

    assert reason.measured == {"performance": "70%"}
    assert reason.threshold == {"least": "at least 80%"}


@for_every(
    ("require", "measured", "threshold"),
    [
        ("months_trading >= 12", {"months_trading": "3"}, {"months_trading": "at least 12"}),
        ("12 <= months_trading", {"months_trading": "3"}, {"months_trading": "at least 12"}),
        ("balance < EUR 5000.00", {"balance": "EUR 12345.60"}, {"balance": "below EUR 5000.00"}),
        (
            "days_since_last_remittance <= 21 days",
            {"days_since_last_remittance": "40 days"},
            {"days_since_last_remittance": "at most 21 days"},
        ),
        (
            "credit_checked_on >= 2026-01-01",
            {"credit_checked_on": "2025-01-31"},
            {"credit_checked_on": "at least 2026-01-01"},
        ),
        ('status == "Funded"', {"status": "Cancelled"}, {"status": "Funded"}),
        (
            'status in ["Funded", "Repaid"]',
            {"status": "Cancelled"},
            {"status": "one of Funded, Repaid"},
        ),
        ("months_trading in [1, 2]", {"months_trading": "3"}, {"months_trading": "one of 1, 2"}),
        (
            "10 < months_trading <= 20",
            {"months_trading": "3"},
            {"months_trading": "above 10, at most 20"},
        ),
        ("identity_verified", {"identity_verified": "no"}, {}),
        (
            "identity_verified or months_trading > 5",
            {"identity_verified": "no", "months_trading": "3"},
            {"months_trading": "above 5"},
        ),
        (
            "balance <= average_monthly_takings",
            {"balance": "EUR 12345.60", "average_monthly_takings": "EUR 10000.00"},
            {"balance": "at most average monthly takings"},
        ),
        (
            "balance <= average_monthly_takings * 1.0",
            {"balance": "EUR 12345.60", "average_monthly_takings": "EUR 10000.00"},
            {"balance": "at most average monthly takings times 1"},
        ),
        (
            "months_trading >= 6 and missed_remittances_30d <= 2",
            {"months_trading": "3", "missed_remittances_30d": "5"},
            {"months_trading": "at least 6", "missed_remittances_30d": "at most 2"},
        ),
        ("not (deals_defaulted > 1)", {"deals_defaulted": "2"}, {"deals_defaulted": "at most 1"}),
    ],
)
def test_measured_and_threshold(require, measured, threshold):
    """
    A threshold without a parameter has the name of the fact that it measures.
    """
    reason = only(require)

    assert reason.measured == measured
    assert reason.threshold == threshold


@pytest.mark.parametrize(
    "require",
    ["months_trading >= 12", "months_trading >= 12 or deals_defaulted < 1"],
)
def test_when_gives_no_threshold(require):
    """
    `when` selects the deals of a rule, so its comparisons are not thresholds.
    """
    for when in (
        '"progress < 70%"',
        "'deal_type == \"Initial\" or progress >= 99%'",
        '"not (progress >= 70%)"',
        '"not (progress >= 70% or deals_completed > 3)"',
    ):
        facts = {**FACTS, "deals_completed": 0}
        reason = only(require, when=when, facts=facts)
        plain = only(require, facts=facts)

        assert (reason.measured, reason.threshold) == (plain.measured, plain.threshold)
        assert set(reason.facts) > set(plain.facts)


def test_a_figure_appears_once():
    """
    A figure that a rule compares twice appears once.
    """
    reason = only(
        "performance >= least and takings_trend >= least",
        parameters=parameter("least", "percent", ("2025-01-01", '"80%"')),
        facts={**FACTS, "takings_trend": "70%"},
    )

    assert reason.threshold == {"least": "at least 80%"}
    assert reason.measured == {"performance": "70%", "takings_trend": "70%"}


def test_an_unknown_fact_is_measured_as_unknown():
    """
    A rule may be false although one of its facts is unknown.
    """
    facts = {name: value for name, value in FACTS.items() if name != "balance"}
    reason = only("months_trading >= 12 and balance <= EUR 1.00", facts=facts)

    assert reason.measured == {"months_trading": "3", "balance": "unknown"}


def test_figures_of_the_jurisdiction():
    """
    Sentences, measured figures and thresholds have the jurisdiction's number format.
    """
    reason = only(
        "balance <= most and performance >= 75.5%",
        parameters=parameter("most", "money", ("2025-01-01", '"EUR 1000.50"')),
        more=FIGURES,
        reason="Owed: {balance}, at most {most}.",
    )

    assert reason.text == "Owed: € 12.345,60, at most € 1.000,50."
    assert reason.measured == {"balance": "€ 12.345,60", "performance": "70%"}
    assert reason.threshold == {"most": "at most € 1.000,50", "performance": "at least 75,5%"}


@pytest.mark.parametrize(
    ("progress", "more", "shown", "least"),
    [
        ("49.9999%", "", "49.9999%", "50%"),
        ("0%", "", "0%", "50%"),
        ("49.9999%", FIGURES, "49,9999%", "50%"),
        ("49.9999%", FIGURES.replace("{number}%", "{number} pct"), "49,9999 pct", "50 pct"),
    ],
)
def test_the_floors_own_reason(progress, more, shown, least):
    """
    Progress below the floor has a reason of its own, with the floor as the threshold.
    """
    found = assess(*MANY, facts={**FACTS, "progress": progress}, more=more)
    (reason,) = found.principal_reasons

    assert (reason.code, reason.rule) == ("FLOOR", "floor")
    assert reason.measured == {"progress": shown}
    assert reason.threshold == {"progress": f"at least {least}"}
    assert reason.text == (
        f"The deal is {shown} paid down; at least {least} is needed before a renewal is assessed."
    )
    assert reason.facts == {"progress": progress}
    assert (reason.file, reason.line) == (None, None)


def test_a_record_keeps_its_format():
    """
    A decision record holds the fields of a reason that its format has (decisions/wire).
    """
    (first, *_) = assess(*MANY).record()["reasons"]

    assert list(first) == ["code", "rule", "text", "facts", "file", "line"]
