"""Rules that change between an offer and its acceptance: what was promised and owed stays."""

from __future__ import annotations

from datetime import timedelta

import pytest

from holdback import Engine, Jurisdictions, Merchant, Refusal, Takings, wire
from holdback.errors import ConfigurationError
from holdback.exact.money import Money
from holdback.lifecycle.offers.application import filled_application
from holdback.merchant.application import HeldFact
from holdback.operations import AssessRenewal, CloseDeal, LookUp, RecordTakings, RequireChecks
from journey import EVIDENCE, Journey
from small_folders import changed, country, loaded

GRADE = """\
[facts.grade]
type = "count"
minimum = 0
maximum = 9
description = "The grade of the trade register."
"""
EUR = Money.of(0, "EUR").currency


def folder(facts=GRADE, rule="identity_verified and grade >= 3"):
    """NL, whose product asks for what *rule* says."""
    text = country(more=facts)
    return (
        changed(text, "products.toml", 'require = "identity_verified"', f'require = "{rule}"') | {}
    )


def without_examples(text):
    """The same without the examples of products, which have the facts of before."""
    return {**text, "products.toml": text["products.toml"].partition("[typical]")[0]}


# What happens to the rules while an offer is open.
CHANGES = {
    "renamed fact": without_examples(
        folder(GRADE.replace("facts.grade", "facts.mark"), "identity_verified and mark >= 3")
    ),
    "narrowed fact": without_examples(folder(GRADE.replace("maximum = 9", "maximum = 3"))),
    "retyped fact": without_examples(
        folder(
            GRADE.replace('"count"', '"flag"').replace("minimum = 0\nmaximum = 9\n", ""),
            "identity_verified and grade",
        )
    ),
    "dropped fact": country(),
    "dropped jurisdiction": None,
}


@pytest.fixture(params=CHANGES)
def change(request):
    text = CHANGES[request.param]
    return Jurisdictions(()) if text is None else loaded(NL=text)


@pytest.fixture
def offered():
    """A merchant in NL with an open offer, which was priced with grade 4."""
    journey = Journey(Engine.for_trial(loaded(NL=without_examples(folder()))))
    journey.merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="NL")
    journey.ask(evidence={**EVIDENCE, "grade": 4}, currency="EUR")
    return journey


def test_an_open_offer_is_accepted_on_its_terms(offered, change):
    """
    "If rules are renamed, narrowed, dropped or switched off meanwhile, an open offer is accepted on
    its terms."
    """
    promised = offered.first_offer()
    offered.engine = offered.engine.with_jurisdictions(change)
    accepted = offered.accept().offer
    filled = filled_application(
        offered.acceptance.application_id, offered.merchant, offered.profile
    )

    assert accepted.repayment_amount == promised.repayment_amount
    assert accepted.factor_rate == promised.factor_rate
    assert filled.facts["grade"] == 4
    (record,) = (record for record in offered.merchant.checks if record.check == "grade")
    assert record.facts == {"grade": HeldFact(4, "count")}


def test_the_deal_is_funded_serviced_and_looked_up(offered, change):
    """
    "With the jurisdiction no longer loaded it is looked up, accepted and serviced; eligibility is
    false."
    """
    offered.engine = offered.engine.with_jurisdictions(change)
    offered.accept()
    offered.fund()
    offered.pass_time(days=2)
    takings = [Takings(on=offered.today(), amount=Money(500, EUR))]
    offered.do(RecordTakings(takings=takings, complete_through=offered.today()))
    offered.remit(offered.entry(1_000), complete_through=offered.today())
    (deal,) = offered.do(LookUp()).deals

    assert deal.deal.remitted.minor == 1_000
    assert not deal.performance.renewal_eligibility
    offered.do(CloseDeal(deal_id=offered.deal.id, status="cancelled"))
    assert offered.engine.rebuild(offered.events) == offered.merchant
    assert wire.read_merchant(wire.write_merchant(offered.merchant)) == offered.merchant


def test_evidence_never_means_something_else(offered, change):
    """
    A held fact is read as what it was recorded as, or is unknown: a retyped fact is never read with
    its new meaning.
    """
    offered.accept()
    offered.fund()
    offered.engine = offered.engine.with_jurisdictions(change)
    if not change.codes:
        with pytest.raises(Refusal, match="not_possible_now"):
            offered.do(AssessRenewal())
        return

    assert offered.do(AssessRenewal()).answers.known.get("grade") is None


def test_without_its_jurisdiction_a_merchant_gets_no_new_offers(offered):
    """
    Nothing is decided by rules that are not loaded: a request is refused, and nothing is an error.
    """
    offered.engine = offered.engine.with_jurisdictions(Jurisdictions(()))
    with pytest.raises(Refusal, match="not_possible_now"):
        offered.ask(evidence={}, currency="EUR")
    with pytest.raises(Refusal, match="not_possible_now"):
        offered.do(RequireChecks(request=offered.request(currency="EUR")))


def test_a_new_merchant_of_an_unknown_jurisdiction_is_an_error_of_the_host(journey):
    """
    A merchant that the service has not seen before needs rules.
    """
    journey.engine = journey.engine.with_jurisdictions(Jurisdictions(()))
    with pytest.raises(ConfigurationError, match="unknown jurisdiction `GB`"):
        journey.ask()


def test_local_days_stay_those_of_the_jurisdiction(offered):
    """
    The time zone is stored with the merchant: a deal funded just after midnight is of that day.
    """
    offered.engine = offered.engine.with_jurisdictions(Jurisdictions(()))
    offered.accept()
    offered.now = offered.now.replace(hour=22, minute=30) + timedelta(days=1)
    offered.fund()

    assert offered.merchant.timezone == "Europe/Amsterdam"
    assert offered.deal.funded_on == offered.now.date() + timedelta(days=1)


def test_a_closed_deal_stays_closed_when_rules_come_back(offered):
    """
    With the jurisdiction loaded again, the merchant is as any other.
    """
    rules = offered.engine.jurisdictions
    offered.engine = offered.engine.with_jurisdictions(Jurisdictions(()))
    offered.accept()
    offered.fund()
    offered.engine = offered.engine.with_jurisdictions(rules)
    offered.pay_down(60)

    assert offered.active().performance.renewal_eligibility
