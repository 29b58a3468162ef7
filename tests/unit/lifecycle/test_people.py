"""What people decide about a merchant, and what waits for them (decisions/applications)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from holdback import BankDetails, Engine, InvalidDocument, Money, Refusal, load_jurisdictions, wire
from holdback.lifecycle.events import RenewalEligibilityChanged
from holdback.operations import (
    AcceptOffer,
    AskApplications,
    AskHolds,
    AskReferrals,
    ChangeBankDetails,
    CloseDeal,
    DecideReferral,
    DeclineOffers,
    LiftHold,
    LookUp,
    PlaceHold,
    RecordConsents,
    RecordSignature,
    ReinstateDeal,
    RequestOffers,
    RequireChecks,
    Requote,
    ReviewRenewal,
    WithdrawOffers,
)
from holdback.tools.replay.replay import replay, replay_offers
from journey import EVIDENCE, Journey

JURISDICTIONS = load_jurisdictions()


def referred():
    """A merchant in GB whose score of 600 a person has to look at."""
    journey = Journey()
    journey.ask(evidence=EVIDENCE | {"credit_score": 600})
    return journey


def decide(journey, decision="approve", **more):
    (referral,) = journey.do(AskReferrals()).referrals
    return journey.do(
        DecideReferral(
            application_id=referral.application_id,
            product=referral.product,
            decision=decision,
            by="u-7",
            **more,
        )
    )


def decisions(offers):
    return {product.name: product.decision for product in offers.products}


def flex(offers):
    return offers.products[0].decision


def refused(code, do, *arguments, **options):
    with pytest.raises(Refusal) as raised:
        do(*arguments, **options)
    assert raised.value.code == code
    return raised.value


# -- referrals


def test_a_referral_says_what_a_person_needs():
    """
    "`referrals(merchant)` lists open ones with codes, figures and needs."
    """
    (referral,) = referred().do(AskReferrals()).referrals

    assert (referral.product, referral.base_deal_id) == ("flex", None)
    assert [(rule.code, rule.answer) for rule in referral.rules] == [("GB-P-04", False)]
    assert "600" in referral.rules[0].text
    assert referral.facts == {"credit_score": 600}


def test_an_approval_lifts_the_rules_that_referred():
    """
    "`Referred` is a task, not an end": after an approval the partner asks again.
    """
    journey = referred()
    assert flex(journey.offers) == "Referred"
    decide(journey, note="Spoke to the owner.")
    before = journey.do(AskReferrals())
    again = journey.ask(evidence={})

    assert flex(again) == "Accepted"
    assert before.referrals == ()
    assert [(one.decision, one.by) for one in before.decisions] == [("approve", "u-7")]
    assert b"Spoke" not in wire.write_merchant(journey.merchant)
    assert not any(b"Spoke" in wire.write_event(event) for event in journey.events)
    assert b"Spoke" in wire.write_profile(journey.profile)


def test_sets_already_issued_do_not_change():
    """
    "Sets already issued do not change: the partner asks again."
    """
    journey = referred()
    before = journey.merchant.offer_sets
    decide(journey)

    assert journey.merchant.offer_sets == before


@pytest.mark.parametrize(("later", "decision"), [(30, "Referred"), (29, "Accepted")])
def test_an_approval_ends(later, decision):
    """
    An approval lifts "until `until` (default `approval_days`)", compared like an expiry.
    """
    journey = referred()
    decide(journey)
    journey.pass_time(days=later)

    assert flex(journey.ask(evidence={})) == decision


def test_until_is_after_now():
    """
    A decision that never held is a mistake.
    """
    journey = referred()
    with pytest.raises(InvalidDocument, match=r"\$\.until: expected an instant after now"):
        decide(journey, until=journey.now)
    decide(journey, until=journey.now + timedelta(seconds=1))
    assert flex(journey.ask(evidence={})) == "Accepted"


@pytest.mark.parametrize(
    "evidence",
    [{"credit_score": 579}, {"identity_verified": False}, {"months_trading": 11}],
)
def test_an_approval_never_lifts_a_declining_rule(evidence):
    """
    "And never a declining rule."
    """
    journey = referred()
    decide(journey)
    journey.pass_time(hours=1)

    assert flex(journey.ask(evidence=EVIDENCE | evidence)) == "Declined"


def test_an_unknown_declining_rule_is_not_lifted():
    """
    "Never a declining rule, false or unknown."
    """
    journey = referred()
    decide(journey)
    journey.pass_time(hours=1)
    journey.ask(evidence={"credit_checked_on": journey.today().isoformat()})

    assert flex(journey.offers) == "Referred"
    (referral,) = [r for r in journey.do(AskReferrals()).referrals if r.product == "flex"]
    assert [(rule.code, rule.answer) for rule in referral.rules] == [("GB-P-04", None)]
    assert referral.rules[0].text == "not known: credit_score"
    assert referral.needs == ("credit_score",)


def test_an_approval_that_would_lift_nothing_is_refused(journey):
    """
    What is missing is recorded, not approved.
    """
    journey.ask(evidence={})
    referral = next(r for r in journey.do(AskReferrals()).referrals if r.product == "starter")
    approval = DecideReferral(
        application_id=referral.application_id,
        product=referral.product,
        decision="approve",
        by="u-7",
    )
    why = refused("not_possible_now", journey.do, approval)

    assert "it needs average_monthly_takings" in str(why)


def test_a_decline_holds_until_it_ends():
    """
    "A decline makes the product `Declined` until `until`."
    """
    journey = referred()
    decide(journey, "decline", until=journey.now + timedelta(days=7))
    at_once = flex(journey.ask(evidence={}))
    journey.pass_time(days=7)

    assert (at_once, flex(journey.ask(evidence={}))) == ("Declined", "Referred")


def test_a_default_voids_an_approval(funded):
    """
    "A default voids it."
    """
    funded.do(CloseDeal(deal_id=funded.deal.id, status="cancelled"))
    funded.pass_time(hours=1)
    funded.ask(evidence=EVIDENCE | {"credit_score": 600})
    decide(funded)
    assert [one.decision for one in funded.do(AskReferrals()).decisions] == ["approve"]
    funded.ask(evidence={})
    funded.accept()
    funded.fund()
    funded.do(CloseDeal(deal_id=funded.deal.id, status="defaulted"))

    assert funded.do(AskReferrals()).decisions == ()


def test_another_application_has_no_such_referral():
    """
    A decision names an open referral.
    """
    journey = referred()
    unknown = {"application_id": "a-0", "product": "flex", "by": "u-7"}
    refused("referral_not_found", journey.do, DecideReferral(**unknown, decision="approve"))
    decide(journey)
    (decision,) = journey.do(AskReferrals()).decisions
    known = unknown | {"application_id": decision.application_id}
    refused("referral_not_found", journey.do, DecideReferral(**known, decision="decline"))


def test_decisions_that_were_lifted_or_declined_are_replayed():
    """
    "`replay` derives decisions and offers", with what a person decided.
    """
    journey = referred()
    decide(journey)
    journey.ask(evidence={})
    approved = json.loads(wire.write_event(journey.events[-1]))
    journey.do(PlaceHold(code="dispute", by="a-1"))
    journey.ask(evidence={})
    held = json.loads(wire.write_event(journey.events[-1]))
    found = [replay_offers(event, JURISDICTIONS) for event in (approved, held)]

    assert approved["decisions"][0]["lifted"] == ["GB-P-04"]
    assert held["decisions"][0]["withheld"] == ["hold"]
    assert [(one.state, one.differences) for one in found] == [("the same", ())] * 2
    del approved["decisions"][0]["lifted"]
    assert replay_offers(approved, JURISDICTIONS).state == "different"


# -- holds


def hold(journey, code="suspected_fraud", **more):
    return journey.do(PlaceHold(code=code, by="a-3", **more))


def test_on_hold_nothing_is_offered_accepted_or_funded(journey):
    """
    "On hold: requests are `Referred`, no acceptance, no funding", each
    with the code that everything has that a person decides (decisions/offers#since-the-offer).
    """
    journey.ask()
    hold(journey, note="The owner's passport is on a list.")
    offer_id = journey.first_offer().offer_id
    why = refused("referred", journey.accept, offer_id)
    offers = journey.ask(evidence={})

    assert "hold" not in str(why)
    assert set(decisions(offers).values()) == {"Referred"}
    journey.do(LiftHold(code="suspected_fraud", by="a-3"))
    journey.accept(offer_id)
    hold(journey, "sanctions")
    refused("referred", journey.fund)
    journey.do(LiftHold(code="sanctions", by="a-3"))
    assert journey.fund().balance.minor > 0


def test_already_accepted_and_expired_come_before_the_hold(journey):
    """
    "Already accepted and expired are answered before the hold is looked at."
    """
    journey.ask()
    first = journey.first_offer().offer_id
    second = [o for p in journey.offers.products for o in p.offers][1].offer_id
    accepted = wire.write(journey.accept(first))
    hold(journey)

    assert wire.write(journey.accept(first)) == accepted
    refused("already_accepted", journey.accept, second)
    other = Journey()
    other.ask()
    hold(other)
    other.now = other.offers.expires_at
    refused("offers_expired", other.accept)


def test_eligibility_is_false_on_hold_and_a_webhook_says_no_more(renewable):
    """
    "Eligibility is false; webhooks carry the deal and a boolean alone."
    """
    assert renewable.active().performance.renewal_eligibility
    hold(renewable)
    event = renewable.events[-1]

    assert not renewable.active().performance.renewal_eligibility
    assert isinstance(event, RenewalEligibilityChanged)
    assert (event.renewal_eligibility, event.decided_by) == (False, "service")
    renewable.remit(renewable.entry(100), complete_through=renewable.today())  # is serviced
    renewable.do(LiftHold(code="suspected_fraud", by="a-3"))
    assert renewable.active().performance.renewal_eligibility


def test_a_hold_refers_only_what_would_be_accepted(funded):
    """
    "Nothing on a partner's wire tells a hold from another referral": a deal below the floor is
    declined, on hold or not.
    """
    hold(funded)

    assert set(decisions(funded.ask(renewal=True)).values()) == {"Declined"}


def test_notes_are_shown_with_the_holds(journey):
    """
    An agent reads the note, which only the profile has.
    """
    journey.ask()
    hold(journey, note="Ask the bank.")
    hold(journey)
    (only,) = journey.do(AskHolds()).holds

    assert (only.code, only.by, only.note) == ("suspected_fraud", "a-3", "Ask the bank.")
    assert b"Ask the bank" not in wire.write_merchant(journey.merchant)
    assert "Ask" not in repr(only)


# -- applications


def test_an_application_lapses(journey):
    """
    "`OfferAccepted` fixes `lapses_at`, compared like an expiry; the next command emits
    `ApplicationLapsed`."
    """
    journey.ask()
    journey.accept()
    journey.pass_time(days=30, seconds=-1)
    assert journey.do(AskApplications()).applications[0].status == "submitted"
    journey.pass_time(seconds=1)
    events = len(journey.events)

    assert journey.do(AskApplications()).applications[0].status == "lapsed"
    assert len(journey.events) == events  # a question changes nothing
    refused("not_possible_now", journey.fund)
    journey.ask(evidence={})
    assert [type(e).__name__ for e in journey.events[events:]][:2] == [
        "ApplicationLapsed",
        "OffersIssued",
    ]
    assert journey.engine.rebuild(journey.events) == journey.merchant


def test_time_on_hold_does_not_count(journey):
    """
    "`expiresAt` keeps running, `acceptance_days` stops."
    """
    journey.ask()
    journey.accept()
    journey.pass_time(days=10)
    hold(journey, "dispute")
    journey.pass_time(days=5)
    hold(journey, "sanctions")
    journey.pass_time(days=5)
    journey.do(LiftHold(code="dispute", by="a-3"))
    journey.pass_time(days=90)
    journey.do(LiftHold(code="sanctions", by="a-3"))
    journey.pass_time(days=20, seconds=-1)
    assert journey.do(AskApplications()).applications[0].status == "submitted"
    journey.pass_time(seconds=1)

    assert journey.do(AskApplications()).applications[0].status == "lapsed"


def test_declined_offers_did_not_expire(journey):
    """
    "Open offers may be declined, which is not an expiry": no second credit check follows.
    """
    journey.ask()
    application_id = journey.merchant.offer_sets[0].application_id
    journey.do(DeclineOffers(application_id=application_id))
    events = len(journey.events)
    journey.do(DeclineOffers(application_id=application_id))
    refused("offer_withdrawn", journey.accept)
    status = journey.do(AskApplications()).applications[0].status
    journey.pass_time(days=60)

    assert status == "closed"
    assert len(journey.events) == events
    assert journey.do(RequireChecks(request=journey.request())).checks == ()


def withdraw(journey, code="fraud_suspected", place=-1):
    application_id = journey.merchant.offer_sets[place].application_id
    return journey.do(WithdrawOffers(application_id=application_id, code=code, by="a-3"))


def partner_sees(journey):
    """What a partner sees of its newest application: refusals, checks, status and retry."""
    seen = []
    application_id = journey.merchant.offer_sets[-1].application_id
    offer_id = next(journey.merchant.offer_sets[-1].offers).offer_id
    for operation in (
        AcceptOffer(offer_id=offer_id),
        Requote(offer_id=offer_id, amount=Money.of(Decimal(5000), "GBP")),
        DeclineOffers(application_id=application_id),
    ):
        refusal = refused("offers_expired", journey.do, operation)
        seen.append((refusal.status, str(refusal)))
    checks = journey.do(RequireChecks(request=journey.request())).checks
    seen.append([(check.name, check.why) for check in checks])
    seen.append(journey.do(AskApplications()).applications[-1].status)
    return seen


def test_withdrawn_offers_are_for_the_partner_as_expired_ones(journey):
    """
    "The lender withdraws offers: own operation, own status word in event and audit, the partner
    sees what it sees of an expiry."
    """
    journey.ask()
    journey.pass_time(hours=1)
    withdraw(journey)
    event = journey.events[-1]
    expired = Journey()
    expired.ask()
    expired.now = expired.offers.expires_at

    assert (event.code, event.by) == ("fraud_suspected", "a-3")
    assert {offer.offer_status for offer in journey.merchant.offer_sets[0].offers} == {
        "WithdrawnByLender"
    }
    assert partner_sees(journey) == partner_sees(expired)
    assert journey.engine.rebuild(journey.events) == journey.merchant


def test_offers_are_withdrawn_once(journey):
    """
    Withdrawn again, for whichever reason, nothing happens; so it is of offers that were declined.
    """
    journey.ask()
    withdraw(journey)
    withdrawn, at = len(journey.events), journey.now
    journey.pass_time(hours=1)
    withdraw(journey)
    withdraw(journey, "rules_changed")

    assert len(journey.events) == withdrawn
    assert journey.merchant.offer_sets[0].withdrawn_at == at

    journey.ask()
    journey.do(DeclineOffers(application_id=journey.merchant.offer_sets[1].application_id))
    declined = len(journey.events)
    withdraw(journey)
    assert len(journey.events) == declined


def test_neither_accepted_nor_expired_offers_are_withdrawn(journey):
    """
    What was accepted is closed with `close_application`, and what expired is over.
    """
    journey.ask()
    journey.accept()
    refused("already_accepted", withdraw, journey)
    expired = Journey()
    expired.ask()
    expired.now = expired.offers.expires_at

    refused("offers_expired", withdraw, expired)
    unknown = WithdrawOffers(application_id="a-0", code="fraud_suspected", by="a-3")
    refused("application_not_found", expired.do, unknown)


def test_another_set_stays_open(journey):
    """
    The offers of one application are withdrawn, and those of another are accepted as before.
    """
    journey.ask()
    kept = next(journey.merchant.offer_sets[0].offers).offer_id
    journey.pass_time(hours=1)
    journey.ask(evidence={})
    withdraw(journey)

    journey.do(AcceptOffer(offer_id=kept))
    assert journey.merchant.in_fulfilment is not None
    statuses = {offer.offer_status for offer in journey.merchant.offer_sets[1].offers}
    assert statuses == {"WithdrawnByLender"}
    refused(
        "offers_expired",
        journey.do,
        AcceptOffer(offer_id=next(journey.merchant.offer_sets[1].offers).offer_id),
    )


def test_a_second_check_is_due_from_the_withdrawal_on(journey):
    """
    A check made since then satisfies every later request, as after an expiry.
    """
    journey.ask()
    journey.pass_time(hours=1)
    withdraw(journey)
    since = journey.now
    journey.pass_time(hours=1)

    (check,) = journey.do(RequireChecks(request=journey.request())).checks
    assert (check.name, check.why, check.not_before) == ("consumer_credit", "due_again", since)
    journey.ask(evidence={"credit_score": 700})
    journey.pass_time(days=60)
    assert journey.merchant.offer_sets[0].expires_at < journey.now


def test_a_withdrawn_renewal_leaves_its_base_deal(renewable):
    """
    "A renewal's base deal is untouched": it stays active, and may be renewed.
    """
    renewable.ask(renewal=True)
    before = renewable.merchant.deals
    withdraw(renewable)

    assert renewable.merchant.deals == before
    assert renewable.merchant.active_deal is not None


def test_offers_that_expired_are_declined_no_more(journey):
    """
    What expired unaccepted calls for a second check, also if it is declined afterwards.
    """
    journey.ask()
    journey.now = journey.offers.expires_at
    application_id = journey.merchant.offer_sets[0].application_id

    refused("offers_expired", journey.do, DeclineOffers(application_id=application_id))
    refused("application_not_found", journey.do, DeclineOffers(application_id="a-0"))


def test_a_partner_sees_codes_and_what_was_omitted(journey):
    """
    "For a partner status, what was omitted, dates and public codes."
    """
    journey.ask(evidence=EVIDENCE | {"credit_score": 1})
    (view,) = journey.do(AskApplications()).applications
    assert (view.status, view.products[0].codes) == ("declined", ("GB-P-03",))
    journey.pass_time(hours=1)
    journey.ask(evidence={"credit_score": 700})
    journey.accept(bank_details=None)
    view = journey.do(AskApplications()).applications[-1]

    assert (view.status, view.omitted) == ("awaiting_details", ("bank_details",))


def in_country(code, evidence=(), **block):
    journey = Journey()
    journey.merchant = type(journey.merchant).new(
        partner="acme", merchant_id="m-1", jurisdiction=code
    )
    journey.now = datetime(2026, 12, 1, 9, tzinfo=UTC)
    currency = JURISDICTIONS.currency(code).code
    journey.ask(evidence=dict(evidence), currency=currency, **block)
    return journey


GERMAN = {
    "identity_verified": True,
    "business_verified": True,
    "credit_score": 700,
    "average_monthly_takings": "EUR 20000.00",
    "months_trading": 40,
    "register_entries": 0,
}


def test_a_contract_is_signed_before_the_funding():
    """
    "A signature can be required (before funding by default)."
    """
    journey = in_country("DE", GERMAN)
    journey.accept(bank_details=BankDetails(more={"iban": "DE02120300000000202051"}))
    (view,) = journey.do(AskApplications()).applications
    assert (view.status, view.signature_required) == ("submitted", True)
    why = refused("not_possible_now", journey.fund)
    assert "not signed" in str(why)
    application_id = journey.acceptance.application_id
    for digest in ("sha256:1", "sha256:2", "sha256:2"):
        journey.do(
            RecordSignature(application_id=application_id, document="contract", digest=digest)
        )
    signed = [e for e in journey.events if type(e).__name__ == "SignatureRecorded"]
    journey.fund()

    assert len(signed) == 2
    another = RecordSignature(application_id=application_id, document="contract", digest="sha256:3")
    refused("not_possible_now", journey.do, another)


# -- bank details


def test_only_complete_details_submit(journey):
    """
    "Only complete details submit automatically"; agents correct them before funding.
    """
    journey.ask()
    first = wire.write(journey.accept(bank_details=BankDetails(bank_name="B")))
    (view,) = journey.do(AskApplications()).applications
    assert (view.status, view.omitted) == ("awaiting_details", ("bank_details",))
    with pytest.raises(InvalidDocument) as raised:
        journey.do(ChangeBankDetails(bank_details=BankDetails(bank_name="C")))
    assert {e.path for e in raised.value.errors} == {
        "$.bank_details.account_number",
        "$.bank_details.sort_code",
    }
    complete = BankDetails(account_number="12345678", sort_code="10-20-30")
    journey.do(ChangeBankDetails(bank_details=complete))

    (view,) = journey.do(AskApplications()).applications
    assert (view.status, view.omitted) == ("submitted", ())
    before = len(journey.events)
    journey.do(ChangeBankDetails(bank_details=complete))
    assert len(journey.events) == before, "these details are held"
    assert wire.write(journey.accept(bank_details=BankDetails(bank_name="B"))) == first
    refused("already_accepted", journey.accept, bank_details=complete)


def test_details_are_changed_after_the_funding(funded):
    """
    "Agents correct them before funding and change them after."
    """
    funded.do(
        ChangeBankDetails(bank_details=BankDetails(account_number="99999999", sort_code="99-99-99"))
    )
    events = len(funded.events)
    funded.do(
        ChangeBankDetails(bank_details=BankDetails(account_number="99999999", sort_code="99-99-99"))
    )

    assert len(funded.events) == events
    assert b"99999999" in wire.write_profile(funded.profile)
    assert b"12345678" in wire.write_profile(funded.profile)  # of the funded application
    assert b"99999999" not in wire.write_merchant(funded.merchant)


def test_other_fields_are_taken_where_the_jurisdiction_names_them(journey):
    """
    "Keys beyond the service's are taken only where it names them."
    """
    journey.ask()
    with pytest.raises(InvalidDocument, match=r"\$\.bank_details\.iban: unknown field"):
        journey.accept(bank_details=BankDetails(more={"iban": "GB33BUKB20201555555555"}))
    input_context = journey.engine.input_context(journey.merchant, journey.context())
    with pytest.raises(InvalidDocument, match=r"\$\.bank_details\.iban: unknown field"):
        wire.read_accept_request({"bank_details": {"iban": "GB33"}}, input_context)


# -- funding


def test_funding_looks_at_the_floor_again(renewable):
    """
    "For a renewal the floor on that day": remittances that were reversed after the offer count.
    """
    renewable.ask(renewal=True)
    renewable.accept(bank_details=None)
    (paid,) = renewable.deal.entries
    renewable.remit(renewable.entry(paid.amount.minor, reverses=paid.id, on=renewable.today()))
    why = refused("not_possible_now", renewable.fund)

    assert "less than 50 percent" in str(why)
    assert renewable.do(AskApplications()).applications[-1].status == "submitted"


def test_a_default_that_was_a_mistake_is_undone(funded):
    """
    "`reinstate_deal` undoes a default made by mistake."
    """
    funded.do(CloseDeal(deal_id=funded.deal.id, status="defaulted"))
    assert funded.merchant.active_deal is None
    funded.do(ReinstateDeal(deal_id=funded.deal.id))
    events = len(funded.events)
    funded.do(ReinstateDeal(deal_id=funded.deal.id))

    assert funded.merchant.active_deal == funded.deal
    assert len(funded.events) == events
    assert funded.engine.rebuild(funded.events) == funded.merchant


def test_a_reinstatement_is_repeated_after_any_end_of_the_deal(funded):
    """
    "Of a deal that is not in default there is nothing to undo, so a repetition changes nothing":
    also when it was repaid at once, or was cancelled after it.
    """
    deal_id = funded.deal.id
    reinstate = ReinstateDeal(deal_id=deal_id)
    funded.do(CloseDeal(deal_id=deal_id, status="defaulted"))
    funded.remit(funded.entry(funded.deal.balance.minor, id="late", on=funded.today()))
    assert funded.deal.status == "Recovered"
    funded.do(reinstate)
    assert funded.deal.status == "Repaid"
    events = len(funded.events)
    receipt = funded.do(reinstate)
    assert (receipt.deal_id, receipt.balance.minor, len(funded.events)) == (deal_id, 0, events)

    funded.remit(funded.entry(100, id="back", on=funded.today(), reverses="late"))
    funded.do(CloseDeal(deal_id=deal_id, status="cancelled"))
    events = len(funded.events)
    funded.do(reinstate)
    assert (funded.deal.status, len(funded.events)) == ("Cancelled", events)


def test_a_default_counts_for_ever_in_every_application(funded):
    """
    "A deal that ever defaulted counts for ever", and is known in an initial application.
    """
    funded.do(CloseDeal(deal_id=funded.deal.id, status="defaulted"))
    funded.now = datetime(2026, 12, 1, tzinfo=UTC)
    funded.ask(evidence=EVIDENCE)
    issued = next(e for e in funded.events[::-1] if type(e).__name__ == "OffersIssued")

    assert decisions(funded.offers) == {
        "Business cash advance": "Declined",
        "Starter advance": "Declined",
    }
    assert [d["reasons"][0]["code"] for d in issued.decisions] == ["GB-P-07", "GB-P-16"]
    assert issued.offer_set.facts["deals_defaulted"] == 1
    assert issued.offer_set.facts["deals_completed"] == 0


# -- invitations


def test_nobody_is_invited_whom_every_product_would_decline(renewable):
    """
    "`renewal_eligibility` is true when the rules agree and not every product would be `Declined`",
    and a request for offers announces a change too.
    """
    renewable.ask(renewal=True, evidence={"credit_score": 1})
    event = renewable.events[-1]

    assert set(decisions(renewable.offers).values()) == {"Declined"}
    assert not renewable.active().performance.renewal_eligibility
    assert isinstance(event, RenewalEligibilityChanged)
    assert (event.renewal_eligibility, event.decided_by) == (False, "products")
    assert replay(json.loads(wire.write_event(event))["assessment"], JURISDICTIONS).state == (
        "the same"
    )
    review = renewable.do(ReviewRenewal())
    assert (review.renewal_eligibility, review.decided_by) == (False, "products")
    assert review.assessment.eligible
    assert all(product.codes for product in review.declined)
    assert wire.to_dict(review)["declined"][0]["decision"] == "Declined"


def test_a_calculator_that_fails_makes_it_false_and_tells_the_host(renewable):
    """
    "A calculator that fails makes it false and tells the host; it is an error only in a request."
    """
    from attrs import frozen

    from holdback.errors import ConfigurationError

    @frozen
    class Broken:
        version = 1

        def __call__(self, case, repayment, split):
            raise ZeroDivisionError

    engine = Engine.for_trial(calculators={"term/takings_pace": Broken})
    context = renewable.context()
    found = engine.carry_out(renewable.merchant, LookUp(), context)

    assert not found.reply.deals[-1].performance.renewal_eligibility
    assert [error.code for error in found.errors] == ["wrong_result"]
    with pytest.raises(ConfigurationError):
        engine.carry_out(
            renewable.merchant,
            RequestOffers(request=renewable.request(renewal=True)),
            context,
            profile=renewable.profile,
        )


# -- consents


def test_consents_are_bounded_together(funded):
    """
    More names than the profile can hold are refused; what it has can be withdrawn, and what the
    jurisdiction names can be given, all the same.
    """
    names = [f"{number:064}" for number in range(900)]
    funded.do(RecordConsents(consents=dict.fromkeys(names, True)))
    held = funded.profile
    with pytest.raises(InvalidDocument, match="more than 65536 bytes") as refused:
        funded.do(RecordConsents(consents={f"other {name}": True for name in names}))
    assert [(e.code, e.path) for e in refused.value.errors] == [("too_large", "$.consents")]
    assert funded.profile == held

    funded.do(RecordConsents(consents=dict.fromkeys(names, False)))
    assert not any(
        funded.profile.section(funded.merchant.sections["consents"]).value[name] for name in names
    )


def test_consents_are_recorded(funded):
    """
    Consents are given or withdrawn by name, and the others stay.
    """
    funded.do(RecordConsents(consents={"marketing": True}))
    held = json.loads(wire.write_profile(funded.profile))["sections"]
    events = len(funded.events)
    funded.do(RecordConsents(consents={"marketing": True}))

    assert any(
        isinstance(content, dict) and content.get("marketing") is True for content in held.values()
    )
    assert len(funded.events) == events
