"""Mistakes of a host: mypy and pyright have to report every line that is marked, and no other."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import ClassVar

from attrs import frozen

from holdback import (
    BankDetails,
    Context,
    Engine,
    Entry,
    Jurisdictions,
    Merchant,
    Money,
    Profile,
    Rulebook,
    Takings,
    load_jurisdictions,
    wire,
)
from holdback.offers import PricingCase, Term
from holdback.operations import (
    AcceptOffer,
    AskHolds,
    CloseApplication,
    CloseDeal,
    FundDeal,
    LookUp,
    Offers,
    RecordRemittance,
    RecordTakings,
    RequestOffers,
    SupplyDetails,
)
from holdback.rules import parse
from holdback.testing import given

NOW = datetime.now(UTC)
NAMESPACE = uuid.uuid4()


def contexts() -> None:
    Context(at="yesterday", request_id="r-1")  # wrong
    Context(at=date(2026, 7, 6), request_id="r-1")  # wrong
    Context(at=NOW, request_id=1)  # wrong
    Context(at=NOW, request_id="r-1", evidence={"credit_score": 700.5})  # wrong
    Context(at=NOW, request_id="r-1", evidence={"credit_score": [700]})  # wrong
    Context(at=NOW, request_id="r-1", evidence={1: True})  # wrong
    Context(NOW, "r-1")  # wrong
    Context(at=NOW)  # wrong


def positional_links(application_id: str, provider_id: str) -> dict[str, str]:
    return {"contract_link": application_id, "merchant_link": provider_id}


def no_links(**_: object) -> None: ...


@frozen
class TermWithoutVersion:
    """A calculator whose version a digest could not cover."""

    def __call__(self, case: PricingCase, repayment: Money, split: Decimal) -> Term:
        """Return half a year."""
        return Term.of_months(6)


@frozen
class WrongTerm:
    """A calculator with the arguments of another kind."""

    version: ClassVar[int] = 1

    def __call__(self, case: PricingCase) -> str:
        """Return no term."""
        return "six months"


def engines(jurisdictions: Jurisdictions) -> None:
    Engine(jurisdictions)  # wrong
    Engine(jurisdictions, namespace=NAMESPACE)  # wrong
    Engine(jurisdictions, namespace="0b2d7e0e", links=lambda **_: {})  # wrong
    Engine(jurisdictions, namespace=NAMESPACE, links=positional_links)  # wrong
    Engine(jurisdictions, namespace=NAMESPACE, links=no_links)  # wrong
    Engine(jurisdictions, NAMESPACE, lambda **_: {})  # wrong
    Engine.for_trial(calculators={"term/wrong": WrongTerm})  # wrong
    Engine.for_trial(calculators={"term/wrong": TermWithoutVersion})  # wrong
    Engine.for_trial(calculators={"term/wrong": 6})  # wrong
    Engine.bundled()  # wrong
    load_jurisdictions(3)  # wrong


def operations(engine: Engine, merchant: Merchant, profile: Profile, context: Context) -> None:
    request = wire.read_offers_request(b"{}")
    engine.carry_out(merchant, RequestOffers(request=request), context)  # wrong
    engine.carry_out(request, RequestOffers(request=merchant), context, profile=profile)  # wrong
    engine.carry_out(merchant, AcceptOffer(offer_id=7), context, profile=profile)  # wrong
    engine.acceptance_ids(merchant, "o-1")  # wrong
    SupplyDetails(application_id="a", bank_detials=None)  # wrong
    SupplyDetails(application_id="a", bank_details={})  # wrong
    CloseApplication(application_id="a-1", status="defaulted")  # wrong
    engine.carry_out(merchant, AskHolds(), context)  # wrong
    engine.carry_out(merchant, CloseDeal(deal_id="d-1", status="canceled"), context)  # wrong
    RecordRemittance(deal_id="d-1", entries=Decimal(10))  # wrong
    RecordTakings(takings=[Decimal(10)])  # wrong
    engine.carry_out(merchant, LookUp(), context).reply.products  # wrong


def commands(engine: Engine, merchant: Merchant, profile: Profile, context: Context) -> None:
    engine.carry_out(merchant, AcceptOffer(offer_id="o-1"), context)  # wrong
    engine.carry_out(merchant, FundDeal(application_id="a-1"), context).reply.offers  # wrong
    reply: Offers = engine.carry_out(merchant, LookUp(), context).reply  # wrong
    engine.carry_out(merchant, "look_up", context)  # wrong
    engine.carry_out(LookUp(), merchant, context)  # wrong
    CloseDeal(deal_id="d-1", status="Defaulted")  # wrong
    AcceptOffer(offer_id=7)  # wrong
    wire.write(merchant)  # wrong
    wire.read_merchant({})  # wrong
    wire.read_timestamp(NOW)  # wrong


def amounts() -> None:
    Money.of(10.5, "GBP")  # wrong
    Money.of("10.50", "GBP")  # wrong
    Money.of(10, "GBP") + 1  # wrong
    Entry(id="e-1", on="2026-07-01", amount=Money.of(1, "GBP"))  # wrong
    Entry(id="e-1", on=date(2026, 7, 1), amount=Decimal(1))  # wrong
    Takings(on=date(2026, 7, 1), amount=10)  # wrong
    BankDetails(account_number=12345678)  # wrong


def frozen_values(merchant: Merchant, rulebook: Rulebook, context: Context) -> None:
    merchant.partner = "acme"  # wrong
    merchant.deals.append(merchant.deals[0])  # wrong
    merchant.evidence["credit_score"] = merchant.evidence["credit_score"]  # wrong
    context.evidence["credit_score"] = 700  # wrong
    rulebook.parameters["floor"] = rulebook.parameters["other"]  # wrong
    del rulebook.parameters["floor"]  # wrong
    rulebook.assess({}).outcome = "eligible"  # wrong
    rulebook.assess({}).reasons[0].facts.clear()  # wrong


def rules(rulebook: Rulebook) -> None:
    rulebook.assess({"progress": 0.64})  # wrong
    rulebook.assess([("progress", "64%")])  # wrong
    rulebook.assess({}).outcome == "elligible"  # wrong
    parse(b"progress >= 50%")  # wrong


def tests_of_a_host(engine: Engine) -> None:
    given(engine, jurisdiction="GB", at=20260706)  # wrong
    given(engine, jurisdiction="GB", at=NOW, evidence={"credit_score": 700.5})  # wrong
    given(engine, jurisdiction="GB", at=NOW).knowing(credit_score=700.5)  # wrong
