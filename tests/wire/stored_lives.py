"""Merchants with long lives."""

from __future__ import annotations

from datetime import timedelta

import attrs

from holdback import Engine, Takings
from holdback.exact.money import Money
from holdback.operations import (
    AskReferrals,
    ChangeBankDetails,
    CloseApplication,
    CloseDeal,
    DecideReferral,
    PlaceHold,
    RecordConsents,
    RecordSignature,
    RecordTakings,
    SupplyDetails,
)
from journey import BANK, Journey

ENGINE = Engine.for_trial()
ENVELOPE = {"partner": "acme", "merchant_id": "m-1"}
OTHER_BANK = attrs.evolve(BANK, account_number="87654321")


def supplied_later(host, **details):
    """Accept an offer of an initial application without details, and supply the *details*."""
    host.ask(intended_use_of_funds=None)
    host.accept(bank_details=None)
    application_id = host.acceptance.application_id
    host.do(SupplyDetails(application_id=application_id, **details))
    return application_id


def whole_life():
    """A merchant with two ended deals, and a use of funds that was replaced."""
    host = Journey(ENGINE)
    application_id = supplied_later(host, intended_use_of_funds="ovens", bank_details=OTHER_BANK)
    host.do(CloseApplication(application_id=application_id, status="withdrawn"))
    host.ask()
    host.ask(intended_use_of_funds="flour")
    host.accept()
    host.fund()
    host.do(RecordTakings(takings=takings(host, 2)))
    host.pay_down(60)
    host.ask(renewal=True, intended_use_of_funds="a second shop")
    host.accept(bank_details=None)
    host.fund()
    host.remit(host.entry(host.deal.outstanding))
    last = host.deal.entries[-1]
    host.remit(host.entry(last.amount.minor, id="back", reverses=last.id))
    host.do(CloseDeal(deal_id=host.deal.id, status="defaulted"))
    supplied_later(host, intended_use_of_funds="a van")
    return host


def long_life():
    """A merchant with everything that a state can hold, and one offer that is open."""
    host = Journey(ENGINE)
    application_id = supplied_later(host, intended_use_of_funds="ovens", bank_details=OTHER_BANK)
    host.do(CloseApplication(application_id=application_id, status="withdrawn"))
    host.ask()
    host.accept()
    host.fund()
    host.pay_down(40)
    host.remit(host.entry(host.deal.outstanding))
    host.sleep(days=500)
    host.ask()
    host.ask()
    host.accept()
    host.fund()
    host.do(RecordTakings(takings=takings(host, 4), complete_through=host.today()))
    host.pay_down(60)
    host.remit(host.entry(500, id="taken", settled=False), host.entry(700, id="wrong"))
    host.remit(host.entry(700, id="back", reverses="wrong"))
    host.ask(renewal=True, evidence=CHECKED)
    host.accept(bank_details=None)
    host.do(
        RecordSignature(
            application_id=host.acceptance.application_id, document="contract", digest="sha256:1"
        )
    )
    host.do(ChangeBankDetails(bank_details=BANK))
    host.fund()
    host.pay_down(60)
    people_decide(host)
    host.ask(renewal=True, intended_use_of_funds="a van")
    host.do(PlaceHold(code="dispute", by="a-3", note="They disagree about March."))
    return host


# Results of checks that a renewal needs again, because those before are too old.
CHECKED = {"identity_verified": True, "business_verified": True, "credit_score": 700}


def people_decide(host):
    """One referral is approved and another stays open; a consent is recorded."""
    host.ask(renewal=True, evidence=CHECKED | {"credit_score": 600})
    (referral,) = host.do(AskReferrals()).referrals
    host.do(
        DecideReferral(
            application_id=referral.application_id,
            product=referral.product,
            decision="approve",
            by="u-7",
            note="Spoke to the owner.",
        )
    )
    host.do(RecordConsents(consents={"terms": True}))
    host.pass_time(hours=1)
    host.ask(renewal=True, evidence=CHECKED | {"identity_verified": None, "credit_score": 600})


def takings(host, days):
    """The takings of the last *days*; those of one day were stated before."""
    amount = Money.parse("GBP 800.00")
    stated = [host.now - timedelta(hours=1), *[None] * (days - 1)]
    return [
        Takings(on=host.today() - timedelta(days=place), amount=amount, stated_at=at)
        for place, at in enumerate(stated)
    ]
