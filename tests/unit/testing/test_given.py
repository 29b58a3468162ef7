"""Given, when, then: it reads so, says what happened instead, and shows nothing personal."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal

import attrs
import pytest

from holdback import BankDetails, Engine, InvalidDocument, Merchant, wire
from holdback.errors import ConfigurationError, HistoryError
from holdback.lifecycle.context import CheckResult
from holdback.lifecycle.events import ApplicationSubmitted, OfferAccepted
from holdback.merchant.acceptance import Acceptance
from holdback.merchant.application import PROFILE
from holdback.merchant.referral import NotedHold
from holdback.operations import (
    AcceptOffer,
    FundDeal,
    PlaceHold,
    RequestOffers,
    ReviewRenewal,
)
from holdback.testing import Story, Then, given
from holdback.testing.then import PERSONAL, differences, shown

ENGINE = Engine.for_trial()
AT = "2026-07-06T09:00:00Z"
EVIDENCE = {
    "identity_verified": True,
    "business_verified": True,
    "credit_score": 700,
    "credit_checked_on": "2026-07-06",
    "average_monthly_takings": "20000.00",
    "months_trading": 36,
}
BANK = {
    "account_number": "12345678",
    "bank_name": "Secret Bank",
    "account_type": "NONE",
    "sort_code": "10-20-30",
}
REQUEST = {
    "application": {"merchant_id": "m-1", "provider_id": None, "currency": "GBP"},
    "consents": {"credit_check": True},
    "applicants": [{"name": "Ada Secret"}],
    "company": {"name": "Secret Ltd"},
}
SECRETS = ("12345678", "10-20-30", "Secret", "contracts.invalid")


@pytest.fixture
def new():
    """A merchant in GB that the service has not seen before."""
    return given(ENGINE, jurisdiction="GB", at=AT, evidence=EVIDENCE)


@pytest.fixture
def offered(new):
    """The merchant with a set of offers."""
    return new.after("request_offers", REQUEST)


@pytest.fixture
def funded(offered):
    """The merchant with an active deal."""
    return offered.after("accept_offer", {"bank_details": BANK}).after("fund_deal")


def told(expectation, *arguments):
    """What the failing *expectation* says."""
    with pytest.raises(AssertionError) as caught:
        expectation(*arguments)
    text = str(caught.value)
    assert not any(secret in text for secret in SECRETS), text
    return text


def test_it_reads_as_given_when_then(new):
    """
    Given operations by name with their inputs, when another is carried out, then these events.
    """
    story = new.after("request_offers", REQUEST)
    offer_id = story.reply["products"][0]["offers"][0]["offer_id"]
    then = story.when("accept_offer", {"offer_id": offer_id, "bank_details": BANK})

    assert isinstance(story, Story)
    assert isinstance(then, Then)
    then.events("OfferAccepted", "ApplicationSubmitted").reply({"offer": {"offer_id": offer_id}})
    assert then.merchant.provider_id == then.story.reply["provider_id"]
    assert [type(each).__name__ for each in then.story.journal] == [
        "EvidenceRecorded",
        "OffersIssued",
        "OfferAccepted",
        "ApplicationSubmitted",
    ]


def test_a_story_may_branch(offered):
    """
    Each step returns a new story, so a story can branch.
    """
    before = offered.merchant
    offered.when("accept_offer").events("OfferAccepted")
    offered.later(days=30).when("accept_offer").refused("offers_expired")
    offered.after("accept_offer", {"bank_details": BANK}).when("fund_deal").events("DealFunded")

    assert offered.merchant is before
    assert offered.at == wire.read_timestamp(AT)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        offered.at = None


def test_a_renewal_needs_no_more_than_its_name(funded):
    """
    The ids that an input omits are the merchant's own; paying down lets time pass.
    """
    renewed = funded.paid_down(60).after("request_offers").after("accept_offer").when("fund_deal")

    renewed.events("DealRenewed", "DealFunded").reply({"currency": "GBP"})
    assert renewed.story.merchant.active_deal.type == "Renewal"
    assert [deal.status for deal in renewed.merchant.deals] == ["Renewed", "Funded"]


def test_paid_down_is_on_pace(funded):
    """
    A deal is paid down on the day on which its term expects that, or today when it is late.
    """
    deal = funded.merchant.active_deal
    half = funded.paid_down(50)
    late = funded.later(days=2 * deal.term_days, sure=True).paid_down(60)

    assert half.merchant.active_deal.progress == 50 * 10**4
    assert (half.at - funded.at).days == -(-deal.term_days // 2)
    assert late.at == funded.later(days=2 * deal.term_days).at
    assert half.paid_down(40).merchant.active_deal.progress == 50 * 10**4
    half.when("assess_renewal").reply({"outcome": "eligible"})
    late.when("assess_renewal").reply({"outcome": "ineligible"})
    assert told(half.paid_down(100).paid_down, 100) == (
        "given a deal that is paid down to 100%: none is active"
    )


def test_commands_that_are_ready(new):
    """
    A story accepts commands that are already built.
    """
    request = wire.read_offers_request(REQUEST)
    story = new.after(RequestOffers(request=request))
    offer_id = story.merchant.offer_sets[0].products[0].offers[0].offer_id
    bank = BankDetails(**BANK)
    accepted = story.when(AcceptOffer(offer_id=offer_id, bank_details=bank))
    application_id = accepted.outcome.reply.application_id

    accepted.events(OfferAccepted, ApplicationSubmitted)
    funded = accepted.story.after(FundDeal(application_id=application_id))
    funded.when(ReviewRenewal()).nothing()


def test_inputs_as_text_and_as_functions(new):
    """
    An input is JSON text, or a function of the story that makes one from earlier replies.
    """
    story = new.after("request_offers", json.dumps(REQUEST))
    named = story.when(
        "accept_offer",
        lambda story: {"offer_id": story.reply["products"][0]["offers"][1]["offer_id"]},
    )

    named.reply(
        {"offer": {"offer_id": story.merchant.offer_sets[0].products[0].offers[1].offer_id}}
    )
    new.when("request_offers", b'{"application": {}}').invalid(
        "$.application.merchant_id", "$.application.currency"
    )
    new.when("request_offers", {"application": 3}).invalid("$.application")


def test_given_events(new, funded):
    """
    Events are given as objects or as JSON.
    """
    as_they_are = new.events(*funded.journal)
    as_json = new.events(*(wire.event_to_dict(event) for event in funded.journal))

    assert as_they_are.merchant == as_json.merchant == funded.merchant
    assert as_they_are.journal == as_json.journal == funded.journal
    assert as_they_are.at == funded.at
    with pytest.raises(HistoryError):
        new.events(*funded.journal[1:])


def test_a_merchant_as_it_is_stored(funded):
    """
    A story may begin with any merchant, such as one that a strategy drew.
    """
    stored = wire.read_merchant(wire.write_merchant(funded.merchant))
    story = given(ENGINE, merchant=stored, at=datetime(2026, 8, 1, tzinfo=UTC))

    story.when("look_up").nothing().reply({"deals": [{"status": "Funded", "active": True}]})


def test_a_past_has_its_own_request_ids(offered):
    """
    A merchant that came with a past gets new request ids, so that nothing new is taken for a retry.
    """
    stored = {"merchant": offered.merchant, "profile": offered.profile}
    story = given(ENGINE, **stored, at=AT, evidence=EVIDENCE)

    assert story.when("request_offers", REQUEST).events("OffersIssued").request_id == "r-2"


def test_a_story_needs_somebody():
    """
    A merchant or a jurisdiction that there is.
    """
    with pytest.raises(ValueError, match=r"given which merchant\?"):
        given(ENGINE, at=AT)
    with pytest.raises(ConfigurationError, match="unknown jurisdiction `XX`"):
        given(ENGINE, jurisdiction="XX", at=AT)
    with pytest.raises(InvalidDocument, match=r"\$\.?\w*: expected"):
        given(ENGINE, jurisdiction="GB", at="now")


def test_time_passes(offered):
    """
    By a duration, to an instant, and with an attempt; a clock may go back.
    """
    expiry = offered.merchant.offer_sets[0].expires_at

    offered.on(expiry).when("accept_offer").refused("offers_expired")
    offered.when("accept_offer", at=expiry).refused("offers_expired")
    offered.on(expiry).later(seconds=-1).when("accept_offer").events("OfferAccepted")
    assert offered.when("look_up", at="2026-07-07T09:00:00Z").story.at == offered.later(days=1).at


def test_evidence(new, funded):
    """
    What the host's checks give is kept, changed, taken away, or given for one attempt alone.
    """
    count = len(ENGINE.jurisdictions.resolve("GB", on=new.at.date()).products)
    declined, referred = (
        {"products": [{"decision": decision}] * count} for decision in ("Declined", "Referred")
    )

    new.knowing(identity_verified=False).when("request_offers", REQUEST).reply(declined)
    new.knowing(identity_verified=None).when("request_offers", REQUEST).reply(referred)
    new.when("request_offers", REQUEST, evidence={}).reply(referred)
    new.knowing(shoe_size=43).when("request_offers", REQUEST).invalid("$.evidence.shoe_size")
    # Facts that follow from the state of a known merchant are left out, unless given for the step.
    funded.later(days=1).when("review_renewal").events("EvidenceRecorded")
    funded.when("review_renewal", evidence=EVIDENCE).invalid("$.evidence.months_trading")
    # A question takes none, and other commands bring none.
    funded.when("assess_renewal").nothing()
    funded.when("assess_renewal", evidence={"credit_score": 1}).invalid("$.evidence")
    funded.later(days=1).when("close_deal", {"status": "defaulted"}).events("DealClosed")
    request = RequestOffers(request=wire.read_offers_request(REQUEST))
    funded.when(request).refused("active_deal")


def test_checks_with_their_own_instants(new):
    """
    `checked` records the result of one check, made now or earlier; `when` takes such results too.

    "The newest `made_at` wins in any order": decisions/evidence.
    """
    bad, good = {"credit_score": 100}, {"credit_score": 700}
    known = new.checked("consumer_credit", **good).checked(
        "consumer_credit", made_at="2026-07-01T09:00:00Z", **bad
    )
    held = known.when("evidence").story.reply["checks"]
    result = CheckResult(check="consumer_credit", made_at=new.at.add(hours=1), facts=bad)
    later = known.later(hours=2).when("request_offers", evidence=[result])

    assert [type(event).__name__ for event in known.journal] == ["EvidenceRecorded"] * 2
    assert [(one["check"], one["facts"]["credit_score"]) for one in held] == [
        ("consumer_credit", 700)
    ]
    later.events("EvidenceRecorded", "OffersIssued")
    later.story.when("evidence").reply({"checks": [{"facts": {"credit_score": 100}}]})
    new.when("record_evidence", {"records": []}).nothing()
    assert "there is no such check" in told(lambda: new.checked("astrology", sign="lion"))


def test_a_referral_is_decided_by_its_own_ids(new):
    """
    The application and the product of the newest open referral are filled in.
    """
    referred = new.knowing(credit_score=600).after("request_offers", REQUEST)
    approval = {"decision": "approve", "by": "u-1"}
    approved = referred.after("decide_referral", approval)
    again = approved.when("request_offers", REQUEST)

    assert [one.product for one in referred.merchant.referrals] == ["flex"]
    assert approved.merchant.referral_decisions[0].product == "flex"
    again.reply({"products": [{"decision": "Accepted"}, {"decision": "Accepted"}]})
    new.when("decide_referral", approval).invalid("$.application_id", "$.product")


def test_offers_are_declined_by_their_own_id(offered):
    """
    The application of the newest set with an open offer is filled in.
    """
    declined = offered.when("decline_offers").events("OffersDeclined")

    declined.story.when("accept_offer").invalid("$.offer_id")
    declined.story.when("decline_offers").invalid("$.application_id")


def test_on_hold(offered):
    """
    "On hold: requests are `Referred`, no acceptance, no funding".
    """
    held = offered.after("place_hold", {"code": "fraud", "by": "u-1", "note": "Look."})

    held.when("accept_offer").refused("referred")
    held.when("holds").reply({"holds": [{"code": "fraud", "note": "Look."}]})
    lifted = held.after("lift_hold", {"code": "fraud", "by": "u-1"})
    lifted.when("accept_offer").events("OfferAccepted")


def test_a_retry_is_the_same_request_id(new):
    """
    A step has an id of its own, and that of an earlier one makes it a retry.
    """
    first = new.when("request_offers", REQUEST)
    again = first.story.when("request_offers", REQUEST, request_id=first.request_id)
    other = first.story.when("request_offers", request_id="r-1")

    assert again.nothing().story.reply == first.story.reply
    assert (first.request_id, other.request_id) == ("r-1", "r-1")
    other.refused("request_conflict")
    first.story.when("request_offers", REQUEST).events("OffersIssued")


def test_questions(new, funded):
    """
    Questions change nothing: the lookup, the assessment, the checks that a request needs.
    """
    checks = new.when("required_checks", REQUEST).nothing().story.reply["checks"]
    looked_up = funded.when("look_up", {"provider_id": funded.merchant.provider_id})

    assert [check["name"] for check in checks][:2] == ["identity", "business"]
    looked_up.nothing().reply({"deals": [{"type": "Initial"}]})
    funded.when("look_up", {"provider_id": "somebody"}).refused("merchant_not_found")
    new.when("assess_renewal").refused("no_deal_to_renew")
    new.when("required_checks", b"{}").invalid("$.application")


def test_what_is_given_has_to_happen(new, offered):
    """
    A step before `when` that is refused fails, and says why.
    """
    detail = "the offers have expired; a new application must be submitted"
    refused = f"refused: offers_expired (404): {detail}"

    assert told(offered.later(days=40).after, "accept_offer").splitlines() == [
        "when `accept_offer` at 2026-08-15T09:00:00Z (r-2)",
        "expected what is given happens",
        "happened:",
        f"  {refused}",
    ]
    assert "$.offer_id: the field is missing" in told(new.after, "accept_offer")
    assert told(lambda: new.reply) == "nothing was carried out yet"


def test_a_refusal_that_did_not_happen(offered):
    """
    What happened instead: the events with their fields, and no bank details.
    """
    text = told(offered.when("accept_offer", {"bank_details": BANK}).refused, "offers_expired")

    assert text.splitlines()[:4] == [
        "when `accept_offer` at 2026-07-06T09:00:00Z (r-2)",
        "expected the refusal offers_expired",
        "happened:",
        "  OfferAccepted",
    ]
    assert "    request_id='r-2'" in text.splitlines()
    assert "  ApplicationSubmitted" in text.splitlines()


def test_another_refusal(offered):
    """
    The refusal with its code and its sentence.
    """
    expired = offered.later(days=40).when("accept_offer")

    for expectation, arguments in (
        (expired.refused, ["offer_not_found"]),
        (expired.events, ["OfferAccepted"]),
        (expired.nothing, []),
        (expired.invalid, []),
        (expired.reply, [{}]),
        (lambda: expired.outcome, []),
    ):
        text = told(expectation, *arguments)
        assert "refused: offers_expired (404): the offers have expired" in text
    wrong = offered.when("request_offers", {"application": {"currency": "EUR"}})
    assert "$.application.currency: offers in GB are made in GBP" in told(wrong.nothing)


def test_other_events(offered):
    """
    Exactly these, in this order.
    """
    accepted = offered.when("accept_offer", {"bank_details": BANK})

    for wrong in (
        ["OfferAccepted"],
        ["ApplicationSubmitted", "OfferAccepted"],
        ["OfferAccepted", "ApplicationSubmitted", "DealFunded"],
    ):
        assert f"expected the events {', '.join(wrong)}" in told(accepted.events, *wrong)
    assert "expected no event" in told(accepted.nothing)
    with pytest.raises(ValueError, match="`OfferAcepted` is not an event"):
        accepted.events("OfferAcepted")


def test_events_with_their_fields(offered):
    """
    An event, or an object with some of its fields; personal data is compared and not shown.
    """
    accepted = offered.when("accept_offer", {"bank_details": BANK})
    first, second = accepted.outcome.events

    accepted.events(first, second)
    accepted.events(
        {"type": "OfferAccepted", "omitted": ["intended_use_of_funds"]}, "ApplicationSubmitted"
    )
    accepted.events({"type": "OfferAccepted", "sections": dict(first.sections)}, second)
    sections = {"bank_details": "another digest", "account": "1"}
    wrong = {"type": "OfferAccepted", "request_id": "r-9", "sections": sections}
    assert told(accepted.events, wrong, second).splitlines()[2:] == [
        "differs:",
        "  OfferAccepted.request_id: expected 'r-9', not 'r-2'",
        "  OfferAccepted.sections.bank_details: differs, and is personal",
        "  OfferAccepted.sections.account: there is no such field",
    ]
    assert "ApplicationSubmitted.at" in told(
        accepted.events, first, attrs.evolve(second, at=wire.read_timestamp("2026-07-07T00:00:00Z"))
    )


def test_replies(funded):
    """
    Some of the fields, exact numbers, as an object or as JSON text.
    """
    standing = funded.when("record_remittance", {"entries": [], "complete_through": "2026-07-06"})
    balance = funded.merchant.active_deal.balance.amount

    standing.reply({"balance": balance, "entry_ids": []})
    standing.reply(f'{{"balance": {balance}, "currency": "GBP"}}')
    assert told(standing.reply, {"currency": "EUR", "balence": 1}).splitlines()[1:] == [
        "expected a reply with other fields",
        "differs:",
        "  $.currency: expected 'EUR', not 'GBP'",
        "  $.balence: there is no such field; did you mean `balance`?",
    ]
    with pytest.raises(TypeError, match="a float is not exact"):
        standing.reply({"balance": 1.5})


def test_links_are_personal(offered):
    """
    Links lead to a merchant's own pages.
    """
    accepted = offered.when("accept_offer")

    assert "$.links.contract_link: differs, and is personal" in told(
        accepted.reply, {"links": {"contract_link": "https://other.example"}}
    )


def test_invalid_documents(new, offered):
    """
    Every error is reported with its path.
    """
    wrong = new.when("request_offers", {"application": {"currency": "XXX"}, "more": 1})

    wrong.invalid().invalid("$.more", "$.application.currency")
    assert "with errors at $.less" in told(wrong.invalid, "$.less")
    assert "$.more: unknown field" in told(wrong.events, "OffersIssued")
    assert "expected an invalid document" in told(offered.when("accept_offer").invalid)


def test_an_operation_that_there_is_not(new):
    """
    A misspelt operation is a mistake in the test, and not an outcome.
    """
    with pytest.raises(ValueError, match="did you mean `accept_offer`"):
        new.when("acept_offer")
    with pytest.raises(ValueError, match="there are request_offers"):
        new.when("zzz")


def test_lists_are_compared_item_by_item():
    """
    A list has as many items as the one expected, and a flag is not a number.
    """
    assert list(differences([1, 2], [1])) == ["$[1]: there is no such item"]
    assert list(differences([1], [1, 2])) == ["$[1]: not expected"]
    assert list(differences({"a": [{"b": 1}]}, {"a": [{"b": Decimal("1.0"), "c": 2}]})) == []
    assert list(differences(1, True)) == ["$: expected 1, not True"]
    assert list(differences({"a": 1}, [1])) == ["$: expected {...}, not [1]"]
    assert list(differences({"zz": 1}, {"abc": 1})) == [
        "$.zz: there is no such field; there are abc"
    ]


def test_what_is_long_is_cut_short():
    """
    A failure is read by people.
    """
    assert shown("x" * 100) == f"'{'x' * 80}...'"
    assert shown([1, 2, 3, 4, 5]) == "[1, 2, 3, and 2 more]"
    assert shown({}) == "{}"
    assert "offer_sets=[]" in shown(
        Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")
    )


def test_no_event_is_told(offered):
    """
    Where nothing happened, it says so.
    """
    assert told(offered.when("look_up").events, "DealFunded").endswith("happened:\n  no event")


@pytest.mark.parametrize(
    "kind", [Merchant, BankDetails, Acceptance, OfferAccepted, PlaceHold, NotedHold, CheckResult]
)
def test_what_is_personal_is_known(kind):
    """
    What a `repr` leaves out for being personal is never shown here.
    """
    hidden = {field.name for field in attrs.fields(kind) if not field.repr}

    assert hidden <= PERSONAL
    assert set(PROFILE) <= PERSONAL


def test_the_deals_that_movements_of_money_are_about(funded):
    """
    "an object may omit the merchant's own ids": of the overpaid, the defaulted and the owing deal.
    """
    repayment = funded.merchant.deals[0].repayment_amount.amount
    day = {"on": "2026-07-06"}
    paid = {"entries": [{"id": "e-1", **day, "amount": str(repayment + 5)}]}
    overpaid = funded.after("record_remittance", paid)
    overpaid.when("refund", {"id": "m-1", **day, "amount": 5}).events("EntriesPosted")
    overpaid.when("refund", {"id": "m-1", **day, "amount": 6}).refused("amount_not_possible")

    defaulted = funded.after("close_deal", {"status": "defaulted"})
    recovery = {"id": "m-1", **day, "amount": str(repayment)}
    defaulted.when("record_recovery", recovery).events("EntriesPosted", "DealRecovered")
    lost = {"id": "m-1", **day, "amount": 5}
    defaulted.when("write_off", lost).events("EntriesPosted").reply({"balance": repayment - 5})
