"""One of everything that the wire writes, for golden files and unit tests to share."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from types import MappingProxyType

import pendulum

from holdback.eligibility import assess
from holdback.errors import ErrorDetail, InvalidDocument, Refusal
from holdback.exact_json import Opaque
from holdback.facts import catalogue
from holdback.lifecycle import events as happened
from holdback.model.acceptance import Acceptance, ApplicationStatus, BankDetails
from holdback.model.application import Application, Check, OffersRequest, RequiredChecks
from holdback.model.deal import Deal, Entry, LookupDeal, MerchantLookup, Performance
from holdback.model.merchant import Fulfilment, Merchant, OfferSet, Takings, TakingsHeld
from holdback.model.offer import Offer
from holdback.model.product import Limits, Offers, Product
from holdback.money import Currency, Money
from holdback.rules import check, parse
from holdback.ruleset import Rule, RuleSet


def uuid(number):
    """A stable id in UUID form."""
    return f"00000000-0000-5000-8000-{number:012d}"


def with_application(body, **application):
    """The JSON *body* of a request for offers with these fields of its application."""
    return {**body, "application": {**body["application"], **application}}


def without(body, *names):
    """The JSON object *body* without the fields *names*."""
    return {name: value for name, value in body.items() if name not in names}


AT = pendulum.datetime(2026, 7, 1, 10, 0, 0, 250_000)
LATER = pendulum.datetime(2026, 7, 2, 9, 30)
EXPIRES = pendulum.datetime(2026, 7, 31, 10)
DAY = date(2026, 7, 1)
DIGEST = "sha256:" + "0123456789abcdef" * 4

BANK = BankDetails(
    account_number="12345678",
    bank_name="Bank of Somewhere",
    account_type="NONE",
    sort_code="04-00-04",
)
LINKS = {
    "contract_link": "https://contracts.example/a-1",
    "merchant_link": "https://merchants.example/p-1",
    "help_link": "https://help.example/",
}


def money(text):
    return Money.parse(f"GBP {text}")


def offer(place, **changed):
    """The offer of GBP 5,000.00 times *place*."""
    fields = {
        "offer_id": uuid(10 + place),
        "description": f"GBP {5000 * place}.00 from 12.5% of takings",
        "split_percentage": Decimal("12.50"),
        "term_length": Decimal("9.5"),
        "term_days": 289,
        "repayment_amount": money(f"{5900 * place}.00"),
        "funded_amount": money(f"{5000 * place}.00"),
        "factor_rate": Decimal("1.18"),
    }
    return Offer(**fields | changed)


def product(offers=6, **changed):
    """A product with *offers* offers."""
    fields = {
        "product_id": uuid(1),
        "key": "flex",
        "name": "Business cash advance",
        "description": "Repaid from a share of card takings.",
        "decision": "Accepted",
        "repayment_mechanism": "terminal_split",
        "limits": Limits(minimum=money("1000.00"), maximum=money("30000.00")),
        "offers": tuple(offer(place) for place in range(1, offers + 1)),
    }
    return Product(**fields | changed)


OFFERS = Offers(products=(product(),), expires_at=EXPIRES)
DECLINED = Offers(
    products=(
        product(offers=0, decision="Declined", description='Crédit — "avance" \\ sur recettes'),
        product(offers=0, product_id=uuid(2), key="fixed", decision="Referred"),
    ),
    expires_at=EXPIRES,
)
ACCEPTANCE = Acceptance(
    application_id=uuid(3),
    provider_id=uuid(4),
    offer=offer(1, offer_status="Accepted"),
    links=LINKS,
)
ENTRIES = (
    Entry(id="e-1", on=date(2026, 7, 3), amount=money("100.00"), takings=money("800.00")),
    Entry(id="e-2", on=date(2026, 7, 4), amount=money("0.07")),
    Entry(id="e-3", on=date(2026, 7, 5), amount=money("100.00"), reverses="e-1"),
    Entry(id="e-4", on=date(2026, 7, 6), amount=money("12.50"), settled=False),
)
DEAL = Deal(
    id=uuid(5),
    application_id=uuid(3),
    type="Initial",
    funded_on=date(2026, 7, 2),
    funded_amount=money("5000.00"),
    repayment_amount=money("5900.00"),
    factor_rate=Decimal("1.180"),
    split_percentage=Decimal("12.5"),
    term_length=Decimal("9.50"),
    term_days=289,
    settled=money("0.00"),
    entries=ENTRIES,
    complete_through=date(2026, 7, 6),
)
STANDING = LookupDeal(
    deal=DEAL,
    performance=Performance(
        performance=Decimal("97.5000"), progress=Decimal("0.0011"), renewal_eligibility=False
    ),
)
ASSESSMENT_RECORD = {
    "outcome": "eligible",
    "eligible": True,
    "jurisdiction": "GB",
    "on": "2026-07-01",
    "digest": DIGEST,
    "reasons": [],
    "needs": [],
    "trace": [{"rule": "on-pace", "answer": True, "facts": {"performance": "97.5%"}}],
    "format": 1,
    "facts": {"progress": "64%", "deals_completed": 1, "ratio": Decimal("1.10")},
}
REQUEST = OffersRequest(
    application=Application(
        merchant_id="m-1", currency="GBP", intended_use_of_funds="New ovens for the bakery"
    ),
    consents=Opaque('{"credit_check": true}'),
    applicants=Opaque('[{"name": "A. Person", "share": 0.10}]'),
    company=Opaque('{"name": "Nine Lives Ltd", "turnover": 1234567890.1234567890}'),
)
RENEWAL = OffersRequest(
    application=Application(merchant_id="m-1", currency="GBP", provider_id=uuid(4))
)
OFFER_SET = OfferSet(
    request_id="r-1",
    application_id=uuid(3),
    request=REQUEST,
    issued_at=AT,
    issued_on=DAY,
    expires_at=EXPIRES,
    products=(product(offers=2),),
    digest=DIGEST,
    evidence={"identity_verified": True, "credit_score": 640, "credit_checked_on": None},
)
FILLED = happened.FilledApplication(
    application=REQUEST.application,
    consents=REQUEST.consents,
    applicants=REQUEST.applicants,
    company=REQUEST.company,
    facts={"credit_score": 640},
    deals=({"id": uuid(5), "balance": "GBP 5900.00"},),
)
MERCHANT = Merchant(
    partner="acme",
    merchant_id="m-1",
    jurisdiction="GB",
    provider_id=uuid(4),
    last_seen_at=LATER,
    consents=REQUEST.consents,
    applicants=REQUEST.applicants,
    company=REQUEST.company,
    intended_use_of_funds="New ovens for the bakery",
    bank_details=BANK,
    evidence=MappingProxyType(
        {"months_trading": 30, "average_monthly_takings": Decimal("9000.00")}
    ),
    evidence_on=DAY,
    offer_sets=(OFFER_SET,),
    fulfilments=(
        Fulfilment(
            application_id=uuid(3),
            status="funded",
            omitted=("intended_use_of_funds",),
            accepted_at=LATER,
            reply=ACCEPTANCE,
            bank_details=BANK,
            deal_id=uuid(5),
        ),
    ),
    deals=(DEAL,),
    takings=(Takings(on=DAY, amount=money("812.34")),),
    takings_complete_through=DAY,
)

REPLIES = {
    "offers": OFFERS,
    "offers_declined": DECLINED,
    "acceptance": ACCEPTANCE,
    "merchant_lookup": MerchantLookup(deals=(STANDING,)),
    "merchant_lookup_empty": MerchantLookup(deals=()),
    "deal": STANDING,
    "application": ApplicationStatus(
        application_id=uuid(3), status="awaiting_details", omitted=("bank_details",)
    ),
    "takings_held": TakingsHeld(days=90, complete_through=DAY),
    "required_checks": RequiredChecks(
        checks=(
            Check(name="identity", evidence=("identity_verified",)),
            Check(
                name="consumer_credit",
                evidence=("credit_score", "credit_checked_on"),
                not_before=DAY,
            ),
        )
    ),
}
EVENTS = {
    "OffersIssued": happened.OffersIssued(
        at=AT,
        offer_set=OFFER_SET,
        facts={"identity_verified": True, "average_monthly_takings": "9000.00"},
        assessment=ASSESSMENT_RECORD,
        decisions=({"product": "flex", "decision": "Accepted", "needs": []},),
    ),
    "OfferAccepted": happened.OfferAccepted(
        at=LATER, request_id="r-1", reply=ACCEPTANCE, filled=FILLED, bank_details=BANK
    ),
    "DetailsSupplied": happened.DetailsSupplied(
        at=LATER,
        application_id=uuid(3),
        omitted=(),
        bank_details=BANK,
        intended_use_of_funds="Ovens",
    ),
    "ApplicationSubmitted": happened.ApplicationSubmitted(at=LATER, application_id=uuid(3)),
    "ApplicationClosed": happened.ApplicationClosed(
        at=LATER, application_id=uuid(3), status="withdrawn"
    ),
    "DealFunded": happened.DealFunded(at=LATER, deal=DEAL),
    "DealRepaid": happened.DealRepaid(at=LATER, deal_id=uuid(5), on=DAY),
    "DealReopened": happened.DealReopened(at=LATER, deal_id=uuid(5)),
    "DealRenewed": happened.DealRenewed(
        at=LATER, deal_id=uuid(5), settled=money("2950.00"), on=DAY
    ),
    "DealClosed": happened.DealClosed(at=LATER, deal_id=uuid(5), status="Defaulted", on=DAY),
    "TakingsRecorded": happened.TakingsRecorded(
        at=LATER, takings=(Takings(on=DAY, amount=money("812.34")),), complete_through=DAY
    ),
    "RemittancesRecorded": happened.RemittancesRecorded(
        at=LATER, deal_id=uuid(5), entries=ENTRIES, complete_through=DAY
    ),
    "RenewalEligibilityChanged": happened.RenewalEligibilityChanged(
        at=LATER, deal_id=uuid(5), renewal_eligibility=True, assessment=ASSESSMENT_RECORD
    ),
}
# The two with errors have a second golden file, without the codes: the first one that was written.
PROBLEMS = {
    "refusal": Refusal("offers_expired", "the offers expired at 2026-07-31T10:00:00Z"),
    "refusal_with_errors": Refusal(
        "currency_mismatch",
        "offers in GB are in GBP",
        errors=[
            ErrorDetail(
                code="wrong_currency",
                message="offers in GB are in GBP",
                path="$.application.currency",
            )
        ],
    ),
    "invalid_document": InvalidDocument(
        [
            ErrorDetail(
                code="unknown_field",
                message="unknown field",
                path="$.compny",
                hint="did you mean `company`?",
            ),
            ErrorDetail(
                code="malformed",
                message="this is not JSON: expecting value",
                path="$",
                line=3,
                column=14,
            ),
        ]
    ),
}


def assessment():
    """An assessment by two rules, one of which the facts do not meet."""
    words = catalogue(Currency.of("GBP"))
    rules = RuleSet(
        rules=tuple(
            Rule(
                id=name,
                code=code,
                require=text,
                reason=reason,
                source="reference policy",
                checked=check(parse(text), words),
                file="jurisdictions/GB/renewal.toml",
                line=line,
            )
            for name, code, text, reason, line in (
                ("on-pace", "GB-R-02", "performance >= 80%", "On pace at {performance}.", 12),
                ("no-misses", "GB-R-03", "missed_remittances_30d <= 2", "Too many misses.", 20),
            )
        ),
        catalogue=words,
        jurisdiction="GB",
        digest=DIGEST,
    )
    facts = words.prepare({"progress": "64%", "performance": "79.9999%"})
    return assess(rules, facts, DAY)


REPLIES["assessment"] = assessment()
