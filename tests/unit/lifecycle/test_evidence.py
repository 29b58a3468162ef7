"""Results of checks: which of them counts, and until when (decisions/evidence)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from holdback import Engine, InvalidDocument, Refusal, wire
from holdback.errors import ConfigurationError
from holdback.lifecycle.context import CheckResult
from holdback.operations import (
    AskEvidence,
    AssessRenewal,
    CloseDeal,
    RecordTakings,
    RequireChecks,
)
from journey import EVIDENCE, START, Journey
from small_folders import changed, country, loaded


def credit(score, at):
    """A consumer credit check that gave *score* at the instant *at*."""
    return CheckResult(check="consumer_credit", made_at=at, facts={"credit_score": score})


def score(journey):
    """The score that counts now."""
    held = journey.do(AskEvidence()).checks
    return next((c.facts["credit_score"] for c in held if c.check == "consumer_credit"), None)


def decision(offers):
    return offers.products[0].decision


def test_a_failed_check_is_not_forgotten(journey):
    """
    "An accepted, declined or ignored request's records are kept too": bad news counts in the next
    request.
    """
    first = journey.ask(evidence=EVIDENCE | {"credit_score": 400})
    journey.pass_time(days=1)
    again = journey.ask(evidence={})

    assert decision(first) == decision(again) == "Declined"
    assert score(journey) == 400


def test_a_refused_request_changes_nothing_so_a_host_records_first(funded):
    """
    "A refused request changes nothing, so a host records first."
    """
    funded.pass_time(hours=1)
    before = funded.merchant
    with pytest.raises(Refusal, match="active_deal"):
        funded.ask(evidence=EVIDENCE | {"credit_score": 1})
    assert funded.merchant == before

    funded.pass_time(hours=1)
    funded.record(credit(1, funded.now))
    assert score(funded) == 1


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_the_newest_counts_in_any_order(journey, order):
    """
    "The newest `made_at` wins in any order", and the journal has all.
    """
    results = [credit(500 + days, START - timedelta(days=days)) for days in range(3)]
    for place in order:
        journey.record(results[place])
    recorded = [record for event in journey.events for record in event.records]

    assert score(journey) == 500
    assert len(recorded) == 3
    assert journey.engine.rebuild(journey.events) == journey.merchant


def test_the_same_instant_with_another_content_is_a_conflict(journey):
    """
    "The same instant with another content is a conflict"; with the same content nothing happens.
    """
    journey.record(credit(640, START))
    events = len(journey.events)
    journey.record(credit(640, START))
    assert len(journey.events) == events
    with pytest.raises(Refusal, match="request_conflict"):
        journey.record(credit(641, START))


def test_a_repeated_request_is_not_judged_by_its_evidence(journey):
    """
    A retry gets the same reply, also if its host's checks say otherwise by now.
    """
    first = wire.write(journey.ask(request_id="r", evidence=EVIDENCE))
    events = len(journey.events)
    again = wire.write(journey.ask(request_id="r", evidence=EVIDENCE | {"credit_score": 1}))

    assert first == again
    assert len(journey.events) == events


def test_what_a_check_does_not_give_is_unknown_from_then_on(journey):
    """
    "What it does not give is unknown and supersedes what was known before."
    """
    journey.ask()
    journey.pass_time(hours=1)
    result = CheckResult(check="consumer_credit", made_at=journey.now, facts={})
    journey.record(result)
    offers = journey.ask(evidence={})

    assert decision(offers) == "Referred"
    assert journey.events[-1].decisions[0]["needs"] == ["credit_score"]


def test_evidence_by_name_is_of_now_or_of_the_day_that_it_says(journey):
    """
    Results by fact name were made just now; an earlier `credit_checked_on` is the start of its day.
    """
    journey.ask(evidence=EVIDENCE | {"credit_checked_on": "2026-07-02"})
    made = {record.check: record.made_at for record in journey.merchant.checks}

    assert made["identity"] == START
    assert made["consumer_credit"].isoformat() == "2026-07-01T23:00:00+00:00"  # in London


def test_all_that_is_wrong_with_records_is_named(journey):
    """
    Errors teach: the check, the fact, the value and the instant, all at once.
    """
    results = [
        CheckResult(check="credit", made_at=START, facts={}),
        CheckResult(check="identity", made_at=START, facts={"credit_score": 1}),
        CheckResult(check="business", made_at=START, facts={"business_verified": 1}),
        CheckResult(check="identity", made_at=START + timedelta(days=1), facts={}),
    ]
    with pytest.raises(InvalidDocument) as raised:
        journey.record(*results)

    assert [(error.path, error.code) for error in raised.value.errors] == [
        ("$.records[0].check", "unknown_name"),
        ("$.records[1].facts.credit_score", "not_allowed"),
        ("$.records[2].facts.business_verified", "wrong_type"),
        ("$.records[3].made_at", "future_day"),
    ]
    assert journey.events == []


def test_a_journal_may_begin_with_a_check(journey):
    """
    A host records first: the first event of a merchant may be of a check.
    """
    journey.record(credit(640, START))
    journey.pass_time(hours=1)
    journey.ask(evidence={k: v for k, v in EVIDENCE.items() if not k.startswith("credit")})
    written = wire.write_merchant(journey.merchant)

    assert journey.engine.rebuild(journey.events) == journey.merchant == wire.read_merchant(written)
    assert decision(journey.offers) == "Accepted"


AGED = "[checks.identity]\nmax_age_days = [{ from = 2024-01-01, value = 30, source = 'x' }]\n"


def aged(require="identity_verified"):
    """NL, where an identity counts for 30 days and a product asks what *require* says."""
    text = changed(
        country(more=AGED),
        "products.toml",
        'require = "identity_verified"',
        f'require = "{require}"',
    )
    text["products.toml"] = text["products.toml"].partition("[typical]")[0]
    journey = Journey(Engine.for_trial(loaded(NL=text)))
    journey.merchant = type(journey.merchant).new(
        partner="acme", merchant_id="m-1", jurisdiction="NL"
    )
    return journey


@pytest.mark.parametrize(("days", "counts"), [(0, True), (30, True), (31, False)])
def test_an_older_result_is_unknown(days, counts):
    """
    "Each check has `max_age_days` in the jurisdiction: an older result is unknown."
    """
    journey = aged()
    journey.ask(currency="EUR")
    journey.pass_time(days=days)
    (checks,) = (journey.do(RequireChecks(request=journey.request(currency="EUR"))).checks,)
    offers = journey.ask(evidence={}, currency="EUR")

    assert decision(offers) == ("Accepted" if counts else "Referred")
    assert [(c.name, c.why) for c in checks] == ([] if counts else [("identity", "too_old")])


def test_the_age_is_a_fact_for_stricter_rules():
    """
    "An age in days as a fact, for stricter rules."
    """
    journey = aged("identity_verified and identity_age_days <= 7 days")
    journey.ask(currency="EUR")
    journey.pass_time(days=7)
    at_most = journey.ask(evidence={}, currency="EUR")
    journey.pass_time(days=1)
    older = journey.ask(evidence={}, currency="EUR")

    assert (decision(at_most), decision(older)) == ("Accepted", "Declined")


def test_takings_given_count_until_90_days_are_recorded(funded):
    """
    "Takings given as evidence count until 90 complete days are recorded; afterwards a newer initial
    application may give them again."
    """
    from holdback import Money, Takings

    day = funded.today()
    days = [
        Takings(on=day + timedelta(days=n), amount=Money.parse("GBP 100.00")) for n in range(100)
    ]
    funded.pass_time(days=100)
    funded.do(RecordTakings(takings=days, complete_through=days[-1].on))
    recorded = funded.do(AssessRenewal()).answers.known["average_monthly_takings"]
    funded.do(CloseDeal(deal_id=funded.deal.id, status="cancelled"))
    funded.pass_time(days=200)
    funded.ask(evidence=EVIDENCE)

    assert recorded == "3041.66"
    facts = funded.merchant.offer_sets[-1].facts
    assert facts["average_monthly_takings"] == EVIDENCE["average_monthly_takings"]


def test_a_deal_has_its_takings_recorded(funded):
    """
    The takings of a merchant with a deal are derived, and cannot be given.
    """
    why = "derived from the history of a merchant with a deal; record its takings day by day"
    with pytest.raises(ConfigurationError, match=why):
        funded.ask(renewal=True, evidence={"average_monthly_takings": "GBP 9.00"})
    given = {"average_monthly_takings": "GBP 9.00", "months_trading": 9}
    with pytest.raises(InvalidDocument, match=why) as refused:
        funded.record(CheckResult(check="takings", made_at=funded.now, facts=given))
    assert {(e.code, e.path) for e in refused.value.errors} == {
        ("not_allowed", "$.records[0].facts.average_monthly_takings"),
        ("not_allowed", "$.records[0].facts.months_trading"),
    }


def test_an_older_result_that_comes_again_gives_no_event(journey):
    """
    "The same record again is held already, and gives no event", and "the same instant with another
    content is a conflict": of older results as of the newest.
    """
    journey.ask()
    newest = journey.now
    older = [credit(500 + days, newest - timedelta(days=days)) for days in range(1, 4)]
    journey.record(*older)
    before = journey.merchant
    for results in ([older[0]], older, [credit(700, newest)]):
        journey.record(*results)
    assert journey.merchant == before
    assert score(journey) == 700
    with pytest.raises(Refusal, match="request_conflict"):
        journey.record(credit(600, older[1].made_at))

    # A newer one supersedes, and is then recognised as well.
    journey.pass_time(days=1)
    journey.record(credit(650, journey.now))
    held = journey.merchant
    journey.record(credit(700, newest))
    assert (journey.merchant, score(journey)) == (held, 650)
    # Of the oldest, of which nothing is held any more, nobody can tell: nothing changes.
    journey.record(older[-1], credit(1, older[-1].made_at - timedelta(days=9)))
    assert journey.merchant == held
    assert journey.engine.rebuild(journey.events) == journey.merchant


def test_months_of_trading_pass_in_months_of_a_twelfth_of_365_days(journey):
    """
    "A month is a twelfth of 365 days, everywhere": also in a February.
    """
    journey.record(CheckResult(check="takings", made_at=journey.now, facts={"months_trading": 10}))
    first, known = journey.now, {}
    for days in (30, 31, 60, 61, 365):
        journey.now = first + timedelta(days=days)
        journey.ask(evidence={})
        known[days] = journey.merchant.offer_sets[-1].facts["months_trading"]

    assert known == {30: 10, 31: 11, 60: 11, 61: 12, 365: 22}
