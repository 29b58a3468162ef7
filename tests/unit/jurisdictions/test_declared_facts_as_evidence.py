"""Declared facts in the service: they arrive as evidence, and are kept when offers are accepted."""

from __future__ import annotations

import pytest

from holdback import Engine, Merchant, wire
from holdback.errors import ConfigurationError
from holdback.lifecycle.events import OffersIssued
from holdback.merchant.application import HeldFact
from holdback.operations import AssessRenewal, RequireChecks, ReviewRenewal
from journey import EVIDENCE, Journey
from small_folders import changed, country, loaded

GRADE = """\
[facts.grade]
type = "count"
minimum = 0
maximum = 9
description = "The grade of the trade register."
"""


def dutch(more=GRADE, require="identity_verified and grade >= 3"):
    """The jurisdiction NL, whose product and whose renewal ask for a grade."""
    text = changed(
        country(more=more),
        "products.toml",
        'require = "identity_verified"',
        f'require = "{require}"',
    )
    text = changed(text, "renewal.toml", '"missed_remittances_30d <= 3"', '"grade >= 5"')
    text = changed(
        text, "renewal.toml", "Missed: {missed_remittances_30d}.", "The grade is {grade}."
    )
    return loaded(
        NL={
            **text,
            "renewal.toml": text["renewal.toml"].partition("[typical]")[0],
            "products.toml": text["products.toml"].partition("[typical]")[0],
        }
    )


@pytest.fixture
def journey():
    """A merchant in NL that the service has not seen before."""
    journey = Journey(Engine.for_trial(dutch()))
    journey.merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="NL")
    return journey


def ask(journey, **evidence):
    given = {**EVIDENCE, "credit_checked_on": journey.today().isoformat(), **evidence}
    journey.ask(evidence=given, currency="EUR")
    issued = next(event for event in reversed(journey.events) if isinstance(event, OffersIssued))
    return issued.decisions[0]


@pytest.fixture
def renewable(journey):
    """A merchant of grade 4 with an active deal, 60 percent paid down."""
    ask(journey, grade=4)
    journey.accept()
    journey.fund()
    journey.pay_down(60)
    return journey


def assess(journey, **evidence):
    """The assessment after a check that gave *evidence*, which is not kept."""
    merchant, context = journey.merchant, journey.context()
    if evidence:
        merchant = journey.engine.carry_out(
            merchant, ReviewRenewal(), journey.context(evidence)
        ).merchant
    return journey.engine.carry_out(merchant, AssessRenewal(), context).reply


@pytest.mark.parametrize(
    ("evidence", "decision", "codes", "needs"),
    [
        ({"grade": 3}, "Accepted", [], []),
        ({"grade": 9}, "Accepted", [], []),
        ({"grade": 2}, "Declined", ["NL-P-01"], []),
        ({}, "Referred", ["REVIEW"], ["grade"]),
        ({"grade": None}, "Referred", ["REVIEW"], ["grade"]),
        ({"grade": 2, "identity_verified": None}, "Declined", ["NL-P-01"], []),
    ],
)
def test_a_product_rule_reads_it(journey, evidence, decision, codes, needs):
    """
    A declared fact holds what only the host knows there, such as a licence.
    """
    decided = ask(journey, **evidence)

    assert decided["decision"] == decision
    assert [each["code"] for each in decided["reasons"]] == codes
    assert list(decided["needs"]) == needs


@pytest.mark.parametrize(
    ("evidence", "path", "message"),
    [
        ({"grade": 10}, "$.evidence.grade", "expected 0 to 9"),
        ({"grade": -1}, "$.evidence.grade", "expected 0 to 9"),
        ({"grade": "3"}, "$.evidence.grade", "expected a whole number"),
        ({"grade": True}, "$.evidence.grade", "expected a whole number"),
        ({"grad": 3}, "$.evidence.grad", "`grad` is not evidence"),
        ({"licence": True}, "$.evidence.licence", "`licence` is not evidence"),
    ],
)
def test_what_cannot_be_meant_is_refused(journey, evidence, path, message):
    """
    Evidence with an invalid declared fact is refused, and nothing changes.
    """
    with pytest.raises(ConfigurationError) as raised:
        ask(journey, **evidence)
    (error,) = raised.value.errors

    assert (error.path, error.message) == (path, message)
    assert journey.events == []


def test_a_name_that_was_nearly_right(journey):
    """
    An unknown fact in the evidence gets the nearest declared one as a hint.
    """
    with pytest.raises(ConfigurationError, match="did you mean `grade`"):
        ask(journey, grades=3)


def test_another_jurisdiction_does_not_take_it(journey):
    """
    A fact is declared for its own jurisdiction and no other.
    """
    british = Journey()

    with pytest.raises(ConfigurationError, match="`grade` is not evidence"):
        british.ask(evidence={**EVIDENCE, "grade": 3})


def test_it_is_held_for_the_renewal(renewable):
    """
    A declared fact held since the accepted application counts for the renewal's rules.
    """
    found = assess(renewable)

    assert found.outcome == "referred"
    assert [each.text for each in found.reasons] == ["The grade is 4."]
    assert found.answers.known["grade"] == 4


def test_newer_evidence_counts_first(renewable):
    """
    The host's newer check is on top of what is held.
    """
    assert assess(renewable, grade=5).outcome == "eligible"
    assert assess(renewable, grade=0).codes == ("NL-R-02",)
    with pytest.raises(ConfigurationError, match="expected 0 to 9"):
        assess(renewable, grade=10)
    assert assess(renewable).codes == ("NL-R-02",)


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(
            GRADE.replace("maximum = 9", "maximum = 3").replace("minimum = 0", "minimum = -9"),
            id="range",
        ),
        pytest.param(
            GRADE.replace("count", "date")
            .replace("= 0\n", "= 2020-01-01\n")
            .replace("= 9\n", "= 2029-01-01\n"),
            id="kind",
        ),
    ],
)
def test_held_evidence_that_no_longer_fits_is_unknown(renewable, now):
    """
    Held evidence that no longer fits the fact's declaration is unknown, so the deal is not
    eligible.
    """
    day = "date" in now
    text = changed(
        country(more=now),
        "renewal.toml",
        '"missed_remittances_30d <= 3"',
        '"grade >= 2026-01-01"' if day else '"grade >= 1"',
    )
    text = changed(
        text, "renewal.toml", "Missed: {missed_remittances_30d}.", "The grade is {grade}."
    )
    text = {**text, "renewal.toml": text["renewal.toml"].partition("[typical]")[0]}
    renewable.engine = renewable.engine.with_jurisdictions(loaded(NL=text))

    found = assess(renewable)

    assert (found.outcome, found.needs) == ("undetermined", ("grade",))
    assert "grade" not in found.answers.known


def test_held_evidence_that_is_declared_no_more_is_left_alone(renewable):
    """
    A fact that a jurisdiction declares no more says nothing of a deal.
    """
    renewable.engine = renewable.engine.with_jurisdictions(loaded(NL=country()))

    found = assess(renewable)

    assert found.outcome == "eligible"
    assert "grade" not in found.answers.known
    with pytest.raises(ConfigurationError, match="`grade` is not evidence"):
        assess(renewable, grade=3)


def test_what_was_held_is_stored_and_read_again(renewable):
    """
    The merchant's state keeps it, exactly.
    """
    again = wire.read_merchant(wire.write_merchant(renewable.merchant))

    assert again == renewable.merchant
    (record,) = (record for record in again.checks if record.check == "grade")
    assert record.facts == {"grade": HeldFact(4, "count")}


def test_the_host_is_asked_to_look_it_up(journey):
    """
    A declared fact that the products' rules read is one of the required checks of an initial
    application.
    """
    checks = journey.do(RequireChecks(request=journey.request(currency="EUR"))).checks

    assert [each.name for each in checks] == ["identity", "takings", "grade"]
    assert checks[-1].evidence == ("grade",)


FLAG = GRADE.replace('"count"', '"flag"').replace("minimum = 0\nmaximum = 9\n", "")


@pytest.mark.parametrize(
    ("more", "require"),
    [("", "identity_verified"), (FLAG, "identity_verified and grade")],
    ids=["taken out", "another type"],
)
def test_a_merchant_can_go_on_when_a_fact_is_declared_no_more(journey, more, require):
    """
    A fact that was recorded, and is no longer declared so, is unknown and no error.
    """
    ask(journey, grade=4)
    journey.pass_time(days=60)
    text = changed(
        country(more=more),
        "products.toml",
        'require = "identity_verified"',
        f'require = "{require}"',
    )
    text["products.toml"] = text["products.toml"].partition("[typical]")[0]
    journey.engine = journey.engine.with_jurisdictions(loaded(NL=text))

    checks = journey.do(RequireChecks(request=journey.request(currency="EUR"))).checks
    decision = ask(journey)

    assert [each.name for each in checks] == (["grade"] if more else [])
    assert decision["decision"] == ("Referred" if more else "Accepted")
