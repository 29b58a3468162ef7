"""Samples of what is recorded of checks and of people's decisions, for `wire_samples`."""

from __future__ import annotations

import pendulum

from holdback.lifecycle import events
from holdback.merchant.application import (
    Applications,
    ApplicationView,
    CheckRecord,
    HeldCheck,
    HeldEvidence,
    HeldFact,
    ProductDecision,
)
from holdback.merchant.merchant import CarriedOut, RememberedRequest, Signature
from holdback.merchant.receipt import RecordReceipt
from holdback.merchant.referral import (
    Hold,
    Holds,
    NotedHold,
    Referral,
    ReferralDecision,
    Referrals,
    ReferredRule,
)

AT = pendulum.datetime(2026, 7, 1, 10)
UNTIL = pendulum.datetime(2026, 7, 31, 10)
APPLICATION_ID = "00000000-0000-5000-8000-000000000003"
NOTE = {"note": "7" * 32}

RECORDS = (
    CheckRecord(
        check="consumer_credit",
        made_at=AT,
        facts={
            "credit_score": HeldFact(600, "count"),
            "credit_checked_on": HeldFact("2026-07-01", "date"),
        },
    ),
    CheckRecord(check="identity", made_at=AT),
)
# Whom a result and a referral are about.
PEOPLE = {"applicants": "5" * 32, "company": "6" * 32}
RECORDS_ABOUT = (
    CheckRecord(check="identity", made_at=AT, about={"applicants": PEOPLE["applicants"]}),
)
# A fact of this check is bound to the deal that it was said of.
RECORDS_OF_A_DEAL = (
    CheckRecord(
        check="visit",
        made_at=AT,
        facts={"premises_seen": HeldFact(value=True, kind="flag")},
        about={**PEOPLE, "deal": "00000000-0000-5000-8000-000000000005"},
    ),
)
RULE = ReferredRule(
    rule="credit-review",
    code="GB-P-04",
    digest="sha256:" + "4" * 64,
    answer=False,
    text="The credit score is 600; below 620 a person looks at it.",
)
# A rule whose answer is unknown says what it lacks.
UNKNOWN_RULE = ReferredRule(
    rule="credit-review",
    code="GB-P-04",
    digest="sha256:" + "4" * 64,
    answer=None,
    text="not known: credit_score",
)
REFERRAL = Referral(
    application_id=APPLICATION_ID,
    product="flex",
    referred_at=AT,
    rules=(RULE,),
    needs=("consents.terms",),
    facts={"credit_score": 600},
)
DECISION = ReferralDecision(
    application_id=APPLICATION_ID,
    product="starter",
    decision="approve",
    decided_at=AT,
    until=UNTIL,
    by="u-7",
    rules=(RULE.digest,),
    sections=NOTE,
)
HOLD = Hold(code="sanctions", placed_at=AT, by="a-3", sections=NOTE)
SIGNATURE = Signature(document="contract-1", digest="sha256:" + "5" * 64, signed_at=AT)
REMEMBERED = RememberedRequest(
    request_id="r-5",
    at=AT,
    carried_out=CarriedOut(
        operation="place_hold", fingerprint="5" * 32, receipt=RecordReceipt(sequence=7)
    ),
)

# An event that was added after the others of people and of money.
ADDED_EVENTS = {
    "OffersWithdrawn": lambda **envelope: events.OffersWithdrawn(
        **envelope, application_id=APPLICATION_ID, code="fraud_suspected", by="a-3"
    ),
}
# And one that was added after those of money.
LAST_EVENTS = {
    "ProfileRectified": lambda **envelope: events.ProfileRectified(
        **envelope, sections={"applicants": "9" * 32}
    ),
}
# Each event from its envelope, by its stored name.
EVENTS = {
    "EvidenceRecorded": lambda **envelope: events.EvidenceRecorded(
        **envelope, jurisdiction="GB", records=RECORDS
    ),
    "ReferralDecided": lambda **envelope: events.ReferralDecided(**envelope, decision=DECISION),
    "HoldPlaced": lambda **envelope: events.HoldPlaced(**envelope, hold=HOLD),
    "HoldLifted": lambda **envelope: events.HoldLifted(**envelope, code="sanctions", by="a-3"),
    "OffersDeclined": lambda **envelope: events.OffersDeclined(
        **envelope, application_id=APPLICATION_ID
    ),
    "ApplicationLapsed": lambda **envelope: events.ApplicationLapsed(
        **envelope, application_id=APPLICATION_ID
    ),
    "SignatureRecorded": lambda **envelope: events.SignatureRecorded(
        **envelope, application_id=APPLICATION_ID, signature=SIGNATURE
    ),
    "BankDetailsChanged": lambda **envelope: events.BankDetailsChanged(
        **envelope,
        application_id=APPLICATION_ID,
        omitted=("intended_use_of_funds",),
        sections={"bank_details": "6" * 32},
    ),
    "ConsentsRecorded": lambda **envelope: events.ConsentsRecorded(
        **envelope, given=("terms",), sections={"consents": "8" * 32}
    ),
    "DealReinstated": lambda **envelope: events.DealReinstated(
        **envelope, deal_id="00000000-0000-5000-8000-000000000005"
    ),
}
REPLIES = {
    "record_receipt": RecordReceipt(sequence=7),
    "applications": Applications(
        applications=(
            ApplicationView(
                application_id=APPLICATION_ID,
                type="Initial",
                status="awaiting_details",
                requested_at=AT,
                expires_at=UNTIL,
                accepted_at=AT,
                omitted=("bank_details",),
                signature_required=True,
                products=(
                    ProductDecision(
                        product_id="00000000-0000-5000-8000-000000000001",
                        name="Business cash advance",
                        decision="Declined",
                        codes=("GB-P-01",),
                    ),
                ),
            ),
        )
    ),
    "referrals": Referrals(referrals=(REFERRAL,), decisions=(DECISION,)),
    "holds": Holds(
        holds=(NotedHold(code="sanctions", placed_at=AT, by="a-3", note="Ask the bank."),)
    ),
    "evidence": HeldEvidence(
        checks=(
            HeldCheck(
                check="consumer_credit",
                made_at=AT,
                age_days=91,
                facts={"credit_score": 600},
                why="too_old",
            ),
        )
    ),
}
