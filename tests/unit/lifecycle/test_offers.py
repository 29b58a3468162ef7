"""Requests for offers: their evidence, the second credit check, and what they are refused for."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from refusals import is_refused

from holdback import (
    Context,
    Merchant,
    Money,
    Refusal,
    Takings,
    load_jurisdictions,
    wire,
)
from holdback.errors import ConfigurationError
from holdback.operations import (
    AssessRenewal,
    CloseApplication,
    CloseDeal,
    RecordTakings,
    RequestOffers,
    RequireChecks,
)
from journey import ENGINE, EVIDENCE, Journey


def decisions(offers):
    return {product.key: product.decision for product in offers.products}


def record_poor_takings(journey, days):
    """Takings of 100.00 a day for *days*, complete up to yesterday."""
    first = journey.today() - timedelta(days=days)
    takings = [
        Takings(on=first + timedelta(days=place), amount=Money.parse("GBP 100.00"))
        for place in range(days)
    ]
    journey.do(RecordTakings(takings=takings, complete_through=journey.today()))


def test_ceasing_to_report_takings_makes_nobody_eligible(renewable):
    """
    Hiding a fact never makes a deal eligible: once takings are recorded, only they count
    (decisions/three-ideas).
    """
    record_poor_takings(renewable, 100)
    poor = renewable.do(AssessRenewal())
    renewable.pass_time(days=2)
    renewable.remit(complete_through=renewable.today())
    lapsed = renewable.do(AssessRenewal())

    assert poor.outcome == "ineligible"
    assert lapsed.outcome == "undetermined"
    assert "average_monthly_takings" in lapsed.needs


def expired_renewal(renewable):
    """A merchant whose renewal offers expired unaccepted, still on pace."""
    renewable.ask(renewal=True)
    renewable.now = renewable.offers.expires_at
    due = renewable.deal.repayment_amount.minor * 80 // 100 - renewable.deal.remitted.minor
    renewable.remit(renewable.entry(due), complete_through=renewable.today())
    return renewable


def test_a_second_credit_check_is_a_score_and_its_day_together(renewable):
    """
    A new day does not make an old score new (decisions/evidence).
    """
    journey = expired_renewal(renewable)
    today = {"credit_checked_on": journey.today().isoformat()}
    half = decisions(journey.ask(renewal=True, evidence=today))
    journey.pass_time(hours=1)
    whole = decisions(journey.ask(renewal=True, evidence=today | {"credit_score": 700}))

    assert half["flex"] == "Referred"
    assert whole["flex"] == "Accepted"


def test_a_credit_check_was_not_made_tomorrow(journey):
    """
    A credit check on a later day is an error of the host.
    """
    with pytest.raises(ConfigurationError, match=r"\$\.evidence\.credit_checked_on"):
        journey.ask(evidence=EVIDENCE | {"credit_checked_on": "2199-01-01"})


def test_the_second_check_survives_a_clock_that_went_back(journey):
    """
    A set issued at the very instant of an acceptance expires like any other.
    """
    journey.ask()
    journey.accept()
    journey.do(
        CloseApplication(application_id=journey.acceptance.application_id, status="declined")
    )
    journey.pass_time(hours=-1)
    journey.ask()
    journey.pass_time(days=40)
    checks = journey.do(RequireChecks(request=journey.request())).checks

    assert [each.name for each in checks if each.not_before] == ["consumer_credit"]


def test_required_checks_refuse_what_the_request_would_be_refused(funded):
    """
    A host does not pay for a check before a request that is refused.
    """
    funded.do(CloseDeal(deal_id=funded.deal.id, status="cancelled"))
    with pytest.raises(Refusal, match="no_deal_to_renew"):
        funded.do(RequireChecks(request=funded.request(renewal=True)))


def test_open_sets_of_offers_are_bounded(journey):
    """
    A partner cannot fill a merchant's state with requests.
    """
    for _ in range(50):
        journey.ask()
    with pytest.raises(Refusal, match="not_possible_now"):
        journey.ask()
    journey.now = journey.offers.expires_at
    assert journey.ask().products


def test_an_unknown_provider_id(renewable):
    """
    A request with an unknown `provider_id` is refused and changes nothing.
    """
    assert is_refused(
        renewable, ("merchant_not_found", 404), renewable.ask, renewal=True, provider_id="p"
    )


def test_another_currency(journey):
    """
    A request in a currency that is not the jurisdiction's is refused and changes nothing.
    """
    assert is_refused(journey, ("currency_mismatch", 422), journey.ask, currency="EUR")


def test_an_unknown_jurisdiction():
    """
    The error about an unknown jurisdiction names the nearest one.
    """
    merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GBR")
    context = Context(at=datetime(2026, 7, 6, tzinfo=UTC), request_id="r", evidence=EVIDENCE)
    new = Journey()
    with pytest.raises(ConfigurationError, match="did you mean `GB`"):
        ENGINE.carry_out(
            merchant, RequestOffers(request=new.request()), context, profile=new.profile
        )


def test_a_date_before_the_first_rule(journey):
    """
    The error about a date before the first rule names the first date.
    """
    with pytest.raises(ConfigurationError, match="2024-01-01"):
        load_jurisdictions().resolve("GB", on=date(2023, 12, 31))
    journey.now = datetime(2023, 12, 31, tzinfo=UTC)
    with pytest.raises(ConfigurationError, match="2024-01-01"):
        journey.ask()


@pytest.mark.parametrize(
    "evidence",
    [
        {"credit_score": 700.5},
        {"credit_score": "seven hundred"},
        {"identity_verified": "yes"},
        {"credit_score": True},
        {"credit_score": Decimal("Infinity")},
        {"average_monthly_takings": "20000.001"},
        {"average_monthly_takings": "EUR 20000.00"},
        {"credit_checked_on": datetime(2026, 7, 1, tzinfo=UTC)},
        {"credit_score": 99_999},
        {"shoe_size": 43},
    ],
)
def test_evidence_that_cannot_be_read(journey, evidence):
    """
    Infinite, wrongly typed and undeclared evidence is an error that names the fact.
    """
    with pytest.raises(ConfigurationError) as caught:
        journey.ask(evidence=EVIDENCE | evidence)

    assert next(iter(evidence)) in str(caught.value)


@pytest.mark.parametrize("missing", [None, float("nan"), Decimal("NaN")])
def test_evidence_that_is_missing_is_unknown(journey, missing):
    """
    None and NaN are unknown, and can be stored (decisions/rule-language).
    """
    offers = journey.ask(evidence=EVIDENCE | {"credit_score": missing})

    assert {product.decision for product in offers.products} == {"Referred"}
    assert wire.read_merchant(wire.write_merchant(journey.merchant)) == journey.merchant


def test_evidence_in_python_values_is_stored_plain(journey):
    """
    Dates and money of the host's checks are stored as text and read back.
    """
    journey.ask(
        evidence=EVIDENCE
        | {
            "credit_checked_on": date(2026, 7, 6),
            "average_monthly_takings": Money.parse("GBP 20000.00"),
        }
    )

    assert journey.offers.products[0].decision == "Accepted"
    assert wire.read_merchant(wire.write_merchant(journey.merchant)) == journey.merchant
