"""What a host writes, which every type checker accepts, with the types that it infers."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import ClassVar, assert_type

from attrs import frozen

from holdback import (
    Acceptance,
    AcceptanceIds,
    Assessment,
    BankDetails,
    Context,
    Engine,
    Entry,
    Jurisdictions,
    Links,
    Merchant,
    Money,
    Offer,
    Outcome,
    Profile,
    Rulebook,
    Takings,
    load_jurisdictions,
    wire,
)
from holdback.lifecycle.events import Event
from holdback.offers import PricingCase, Term
from holdback.operations import (
    AcceptOffer,
    ApplicationStatus,
    AskHolds,
    CloseApplication,
    CloseDeal,
    DealReceipt,
    FundDeal,
    Holds,
    LookUp,
    MerchantLookup,
    Offers,
    Operation,
    RecordRemittance,
    RecordTakings,
    RenewalReview,
    Reply,
    RequestOffers,
    ReviewRenewal,
    SupplyDetails,
    TakingsReceipt,
)
from holdback.rules import FactValue, check, closure, parse
from holdback.testing import given, strategies


@frozen(kw_only=True)
class SeasonalTerm:
    """A calculator of a host's own."""

    version: ClassVar[int] = 1
    open_months: int

    def __call__(
        self, case: PricingCase, repayment_amount: Money, split_percentage: Decimal
    ) -> Term | None:
        """Return the term."""
        assert_type(case.fact("average_monthly_takings"), FactValue)
        return Term.of_months(self.open_months)


def links(*, application_id: str, provider_id: str, **_: object) -> dict[str, str]:
    return {"contract_link": application_id, "merchant_link": provider_id}


def every_argument(
    *, partner: str, merchant_id: str, application_id: str, provider_id: str, offer: Offer
) -> Mapping[str, str]:
    return {"contract_link": f"{partner}/{application_id}", "merchant_link": offer.offer_id}


def engines() -> Engine:
    jurisdictions = load_jurisdictions()
    assert_type(jurisdictions, Jurisdictions)
    assert_type(Engine.for_trial(), Engine)
    functions: list[Links] = [links, every_argument]
    engine = Engine(
        jurisdictions,
        namespace=uuid.uuid4(),
        links=functions[0],
        calculators={"term/seasonal": SeasonalTerm},
    )
    return engine.with_jurisdictions(jurisdictions)


def operations(engine: Engine, merchant: Merchant, profile: Profile, body: bytes) -> bytes:
    evidence: dict[str, FactValue] = {"identity_verified": True, "credit_score": 700}
    evidence["credit_checked_on"] = date(2026, 7, 6)
    context = Context(at=datetime.now(UTC), request_id="r-1", evidence=evidence)
    request = wire.read_offers_request(body)
    outcome = engine.carry_out(merchant, RequestOffers(request=request), context, profile=profile)
    assert_type(outcome, Outcome[Offers])
    assert_type(outcome.events, tuple[Event, ...])
    offer_id = outcome.reply.products[0].offers[0].offer_id
    assert_type(engine.acceptance_ids(offer_id, merchant), AcceptanceIds)
    bank = BankDetails(account_number="1")
    accepted = engine.carry_out(
        merchant, AcceptOffer(offer_id=offer_id, bank_details=bank), context, profile=profile
    )
    assert_type(accepted.reply, Acceptance)
    status = engine.carry_out(
        merchant, SupplyDetails(application_id="a-1", bank_details=bank), context, profile=profile
    ).reply
    assert_type(status, ApplicationStatus)
    engine.carry_out(merchant, CloseApplication(application_id="a-1", status="declined"), context)
    engine.carry_out(merchant, CloseDeal(deal_id="d-1", status="cancelled"), context)
    amount = Money.of(Decimal("10.00"), "GBP")
    assert_type(amount - Money.of(1, "GBP"), Money)
    entry = Entry(id="e-1", on=date(2026, 7, 1), amount=amount)
    assert_type(
        engine.carry_out(merchant, RecordRemittance(deal_id="d-1", entries=entry), context).reply,
        DealReceipt,
    )
    takings = [Takings(on=date(2026, 7, 1), amount=amount)]
    assert_type(
        engine.carry_out(merchant, RecordTakings(takings=takings), context).reply, TakingsReceipt
    )
    return wire.write(engine.carry_out(merchant, LookUp(), context).reply)


def commands(engine: Engine, merchant: Merchant, profile: Profile, body: bytes) -> None:
    context = Context(at=datetime.now(UTC), request_id="r-1")
    accept = AcceptOffer(offer_id="o-1")
    assert_type(engine.carry_out(merchant, accept, context, profile=profile).reply, Acceptance)
    fund = FundDeal(application_id="a-1")
    assert_type(engine.carry_out(merchant, fund, context).reply, DealReceipt)
    assert_type(engine.carry_out(merchant, LookUp(), context), Outcome[MerchantLookup])
    assert_type(engine.carry_out(merchant, ReviewRenewal(), context).reply, RenewalReview)
    holds = engine.carry_out(merchant, AskHolds(), context, profile=profile)
    assert_type(holds, Outcome[Holds])
    command = wire.read_command("fund_deal", body, engine.input_context(merchant, context))
    assert_type(command, Operation[Reply])
    outcome = engine.carry_out(merchant, command, context, profile=profile)
    assert_type(outcome, Outcome[Reply])
    wire.write(outcome.reply)
    # A reply of one type is a reply.
    general: Outcome[Reply] = engine.carry_out(merchant, LookUp(), context)
    wire.write_stored(general)


def rules(rulebook: Rulebook) -> None:
    assessment = rulebook.assess({"progress": "64%", "days_since_funding": 90, "balance": None})
    assert_type(assessment, Assessment)
    if assessment.outcome == "not_assessed":
        assert_type(assessment.codes, tuple[str, ...])
    rule = check(parse("progress >= 50%"), rulebook.catalogue)
    assert_type(closure(rule)((None,)), bool | int | None)
    assert_type(rulebook.parameters["floor"].number, int)


def values(merchant: Merchant) -> None:
    # Frozen values are hashable, so they can be keys and members.
    by_merchant = {merchant: merchant.sequence}
    assert_type(by_merchant, dict[Merchant, int])
    assert_type(merchant.deals[0].funded_on, date)
    if merchant.deals[0].status == "Funded":
        assert_type(merchant.deals[0].remitted, Money)


def tests_of_a_host(engine: Engine) -> None:
    story = given(engine, jurisdiction="GB", at=datetime.now(UTC), evidence={"credit_score": 700})
    story.knowing(credit_score=None).when("look_up").events()
    assert_type(strategies.of(Merchant).example(), Merchant)
