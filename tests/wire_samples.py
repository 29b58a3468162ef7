"""One of everything that the wire writes, for golden files and unit tests to share."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import attrs
import pendulum

import disclosure_samples
import money_samples
import people_samples
from holdback.eligibility.assessment import assess
from holdback.eligibility.facts import catalogue
from holdback.eligibility.ruleset import Rule, RuleSet
from holdback.errors import ErrorDetail, InvalidDocument, Refusal
from holdback.exact.exact_json import Opaque
from holdback.exact.money import Currency, Money
from holdback.lifecycle import events
from holdback.lifecycle.deals.lookup import RenewalReview
from holdback.lifecycle.operation import fingerprint
from holdback.merchant.acceptance import Acceptance, ApplicationStatus, BankDetails
from holdback.merchant.application import (
    Application,
    Check,
    GivenConsents,
    OffersRequest,
    RequiredChecks,
)
from holdback.merchant.deal import (
    Deal,
    Entry,
    EntryTotals,
    LookupDeal,
    LookupPlan,
    MerchantLookup,
    Performance,
)
from holdback.merchant.merchant import (
    CarriedOut,
    ClosedOfferSet,
    CreditCheckDue,
    Fulfilment,
    Merchant,
    OfferSet,
    RememberedRequest,
    ReplacedSection,
    Takings,
)
from holdback.merchant.offer import Offer
from holdback.merchant.product import Limits, Offers, Product
from holdback.merchant.profile import Profile, details_section
from holdback.merchant.receipt import DealReceipt, ProfileStatus, TakingsReceipt
from holdback.operations import RequestOffers
from holdback.rules import check, parse


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

CONTENTS = {
    "consents": REQUEST.consents,
    "applicants": REQUEST.applicants,
    "company": REQUEST.company,
    "intended_use_of_funds": Opaque.of(REQUEST.application.intended_use_of_funds),
    "bank_details": details_section(BANK),
    "links": Opaque.of(LINKS),
}
PROFILE = Profile.new(salt=bytes(range(16))).with_sections(CONTENTS.values())


def sections(*names):
    """The digests of these sections of the profile, by name."""
    return {name: PROFILE.digest(CONTENTS[name]) for name in names}


REQUESTED = sections("consents", "applicants", "company", "intended_use_of_funds")
FINGERPRINT = fingerprint(RequestOffers(request=REQUEST), PROFILE)
FACTS = {
    "average_monthly_takings": "9000.00",
    "credit_score": 640,
    "identity_verified": True,
    "ratio": Decimal("1.10"),
}
OFFER_SET = OfferSet(
    request_id="r-1",
    application_id=uuid(3),
    fingerprint=FINGERPRINT,
    renewal=False,
    sections=REQUESTED,
    issued_at=AT,
    issued_on=DAY,
    expires_at=EXPIRES,
    products=(product(offers=2),),
    digest=DIGEST,
    facts=FACTS,
)
ACCEPTED_OFFERS = (offer(1, offer_status="Accepted"), offer(2, offer_status="Withdrawn"))
ACCEPTED_SET = attrs.evolve(OFFER_SET, products=(attrs.evolve(product(), offers=ACCEPTED_OFFERS),))
RENEWAL_SET = attrs.evolve(
    OFFER_SET,
    request_id="r-9",
    application_id=uuid(7),
    fingerprint="9" * 32,
    renewal=True,
    sections={},
    products=(
        product(offers=0, decision="Declined"),
        attrs.evolve(
            product(offers=0, product_id=uuid(2), key="fixed"),
            offers=(offer(3, offer_id=uuid(33)),),
        ),
    ),
    base_deal_id=uuid(5),
)
CLOSED_SET = ClosedOfferSet(
    request_id="r-0",
    application_id=uuid(8),
    fingerprint="0" * 32,
    expires_at=AT,
    offers={uuid(81): "Eligible", uuid(82): "Withdrawn"},
)
FULFILMENT = Fulfilment(
    application_id=uuid(3),
    status="funded",
    omitted=(),
    accepted_at=LATER,
    offer=offer(1, offer_status="Accepted"),
    sections=sections(*CONTENTS),
    deal_id=uuid(5),
    facts=FACTS,
    earlier_deals=({"id": uuid(6), "balance": "GBP 0.00"},),
)
EARLIER_DEAL = attrs.evolve(
    DEAL,
    id=uuid(6),
    application_id=uuid(9),
    status="Repaid",
    funded_on=date(2025, 1, 2),
    entries=(),
    complete_through=None,
    closed_entries=EntryTotals(
        through=date(2025, 12, 1),
        remitted=money("5900.00"),
        last_on=date(2025, 11, 30),
        repaid_on=date(2025, 11, 30),
    ),
)
WITHDRAWN_SET = attrs.evolve(
    OFFER_SET,
    products=(attrs.evolve(product(), offers=(offer(1, offer_status="WithdrawnByLender"),)),),
    withdrawn_at=LATER,
)
REQUESTS = (
    RememberedRequest(
        request_id="r-2",
        at=LATER,
        carried_out=CarriedOut(
            operation="record_remittance",
            fingerprint="2" * 32,
            receipt=DealReceipt(deal_id=uuid(5), sequence=6, balance=money("5899.93")),
        ),
    ),
    RememberedRequest(
        request_id="r-3",
        at=LATER,
        carried_out=CarriedOut(
            operation="record_takings",
            fingerprint="3" * 32,
            receipt=TakingsReceipt(days=2, complete_through=DAY, sequence=7),
        ),
    ),
    RememberedRequest(
        request_id="r-4",
        at=LATER,
        carried_out=CarriedOut(
            operation="supply_details",
            fingerprint="4" * 32,
            receipt=ApplicationStatus(application_id=uuid(3), status="submitted"),
        ),
    ),
)
MERCHANT = Merchant(
    partner="acme",
    merchant_id="m-1",
    jurisdiction="GB",
    sequence=7,
    timezone="Europe/London",
    currency="GBP",
    provider_id=uuid(4),
    last_seen_at=LATER,
    sections={name: digest for name, digest in sections(*CONTENTS).items() if name != "links"},
    offer_sets=(ACCEPTED_SET, RENEWAL_SET),
    closed_offer_sets=(CLOSED_SET,),
    credit_check_due=CreditCheckDue(expired_at=AT),
    last_accepted_at=LATER,
    fulfilments=(FULFILMENT,),
    deals=(EARLIER_DEAL, DEAL),
    takings=(
        Takings(on=DAY, amount=money("812.34"), stated_at=LATER),
        Takings(on=date(2026, 7, 2), amount=money("0.00")),
    ),
    takings_since=date(2026, 6, 1),
    takings_complete_through=DAY,
    requests=REQUESTS,
    renewal_eligibility=True,
)
# The documents of each format are read for ever. `NEW` is the least that a state can say.
NEW = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")

MERCHANT_WITH_WITHDRAWN_OFFERS = attrs.evolve(
    NEW,
    sequence=2,
    last_seen_at=LATER,
    offer_sets=(WITHDRAWN_SET,),
    closed_offer_sets=(
        ClosedOfferSet.of(
            attrs.evolve(WITHDRAWN_SET, request_id="r-0", application_id=uuid(8), products=())
        ),
    ),
)
MERCHANT_WITH_A_CORRECTION = attrs.evolve(
    NEW,
    sequence=3,
    provider_id=uuid(2),
    last_seen_at=LATER,
    sections=people_samples.PEOPLE,
    replaced_sections=(
        ReplacedSection(name="applicants", digest="4" * 32, replaced_at=AT),
        ReplacedSection(name="company", digest="9" * 32, replaced_at=LATER),
    ),
)

REPLIES = {
    "offers": OFFERS,
    "offers_declined": DECLINED,
    "acceptance": ACCEPTANCE,
    "merchant_lookup_empty": MerchantLookup(deals=()),
    "application": ApplicationStatus(
        application_id=uuid(3), status="awaiting_details", omitted=("bank_details",)
    ),
    "deal_receipt": DealReceipt(
        deal_id=uuid(5), entry_ids=("e-1", "e-2"), sequence=12, balance=money("5899.93")
    ),
    "takings_receipt": TakingsReceipt(days=2, complete_through=DAY, sequence=11),
    "profile_status": ProfileStatus(erased=True),
    "required_checks": RequiredChecks(
        checks=(
            Check(name="identity", evidence=("identity_verified",), why="missing"),
            Check(
                name="consumer_credit",
                evidence=("credit_score", "credit_checked_on"),
                why="due_again",
                not_before=EXPIRES,
                consent="credit_check",
            ),
        )
    ),
    "required_checks_of_funding": RequiredChecks(
        checks=(Check(name="identity", evidence=("identity_verified",), why="failed"),),
        held_back=("GB-F-01: The identity of the applicants is not verified any more.",),
    ),
}
REPLIES |= people_samples.REPLIES | money_samples.REPLIES
ENVELOPE = {"partner": "acme", "merchant_id": "m-1"}


def envelope(sequence, at=LATER, request_id="r-2", carried_out=None):
    """The envelope of the event with the number *sequence*."""
    own = {"sequence": sequence, "request_id": request_id, "carried_out": carried_out}
    return {"at": at, **ENVELOPE, **own}


EVENTS = {
    "OffersIssued": events.OffersIssued(
        **envelope(1, AT, "r-1"),
        jurisdiction="GB",
        timezone="Europe/London",
        currency="GBP",
        offer_set=OFFER_SET,
        assessment=ASSESSMENT_RECORD,
        decisions=({"product": "flex", "decision": "Accepted", "needs": []},),
    ),
    "OfferAccepted": events.OfferAccepted(
        **envelope(2),
        application_id=uuid(3),
        provider_id=uuid(4),
        offer=offer(1, offer_status="Accepted"),
        omitted=("bank_details",),
        sections=sections(*CONTENTS),
        facts=FACTS,
        earlier_deals=({"id": uuid(6), "balance": "GBP 0.00"},),
    ),
    "DetailsSupplied": events.DetailsSupplied(
        **envelope(3, carried_out=REQUESTS[2].carried_out),
        application_id=uuid(3),
        omitted=(),
        sections=sections("bank_details"),
    ),
    "ApplicationSubmitted": events.ApplicationSubmitted(**envelope(4), application_id=uuid(3)),
    "ApplicationClosed": events.ApplicationClosed(
        **envelope(5), application_id=uuid(3), status="withdrawn"
    ),
    "DealFunded": events.DealFunded(**envelope(6), deal=attrs.evolve(DEAL, entries=())),
    "DealRepaid": events.DealRepaid(**envelope(7), deal_id=uuid(5), on=DAY),
    "DealReopened": events.DealReopened(**envelope(8), deal_id=uuid(5)),
    "DealRenewed": events.DealRenewed(
        **envelope(9), deal_id=uuid(5), settled=money("2950.00"), on=DAY
    ),
    "DealClosed": events.DealClosed(**envelope(10), deal_id=uuid(5), status="Defaulted", on=DAY),
    "TakingsRecorded": events.TakingsRecorded(
        **envelope(11, carried_out=REQUESTS[1].carried_out),
        takings=MERCHANT.takings,
        complete_through=DAY,
    ),
    "RemittancesRecorded": events.RemittancesRecorded(
        **envelope(12, carried_out=REQUESTS[0].carried_out),
        deal_id=uuid(5),
        entries=ENTRIES,
        complete_through=DAY,
    ),
    "RenewalEligibilityChanged": events.RenewalEligibilityChanged(
        **envelope(13), deal_id=uuid(5), renewal_eligibility=True, assessment=ASSESSMENT_RECORD
    ),
    "ProfileErased": events.ProfileErased(**envelope(14)),
    "Forgotten": events.Forgotten(
        **envelope(15),
        closed_offer_sets=(uuid(8),),
        applications_before=AT,
        servicing_before=AT,
        takings_before=DAY,
        entries_through=(events.EntriesClosed(deal_id=uuid(6), through=date(2025, 12, 1)),),
    ),
    **{
        name: make(**envelope(16 + place))
        for place, (name, make) in enumerate(
            (
                people_samples.EVENTS
                | money_samples.EVENTS
                | people_samples.ADDED_EVENTS
                | money_samples.ADDED_EVENTS
                | people_samples.LAST_EVENTS
                | money_samples.NEWEST_EVENTS
                | disclosure_samples.EVENTS
            ).items()
        )
    },
}
# Events and a state with the fields that were added for checks and for people's decisions.
WITH_PEOPLE = {
    "OffersIssued": attrs.evolve(
        EVENTS["OffersIssued"], referrals=(people_samples.REFERRAL,), consents=("terms",)
    ),
    "OfferAccepted": attrs.evolve(
        EVENTS["OfferAccepted"], lapses_at=EXPIRES, signature_before="before_funding"
    ),
    "RenewalEligibilityChanged": attrs.evolve(
        EVENTS["RenewalEligibilityChanged"], decided_by="products"
    ),
    "ApplicationClosed": attrs.evolve(
        EVENTS["ApplicationClosed"], status="declined", code="PERSON"
    ),
}
# The same, with whom they are about.
ABOUT_PEOPLE = {
    "ConsentsRecorded": attrs.evolve(
        EVENTS["ConsentsRecorded"], applicants=people_samples.PEOPLE["applicants"]
    ),
    "EvidenceRecorded": attrs.evolve(
        EVENTS["EvidenceRecorded"], records=people_samples.RECORDS_ABOUT
    ),
    "OffersIssued": attrs.evolve(
        EVENTS["OffersIssued"],
        referrals=(attrs.evolve(people_samples.REFERRAL, sections=people_samples.PEOPLE),),
    ),
}
BY_RULES = {
    "DealFunded": attrs.evolve(
        EVENTS["DealFunded"],
        decision={
            "jurisdiction": "GB",
            "on": "2026-11-26",
            "digest": f"sha256:{'4d' * 32}",
            "versions": {"pricing": 1, "limits/fixed": None},
            "facts": {"identity_verified": True, "deals_defaulted": 0},
            "lifted": ["GB-F-02"],
        },
    ),
}
MERCHANT_WITH_PEOPLE = attrs.evolve(
    MERCHANT,
    offer_sets=(
        ACCEPTED_SET,
        attrs.evolve(
            RENEWAL_SET,
            products=(
                attrs.evolve(RENEWAL_SET.products[0], codes=("GB-R-02",)),
                RENEWAL_SET.products[1],
            ),
        ),
    ),
    fulfilments=(
        attrs.evolve(
            FULFILMENT,
            lapses_at=EXPIRES,
            signature_before="before_funding",
            signature=people_samples.SIGNATURE,
            accepted_details="8" * 32,
        ),
    ),
    checks=people_samples.RECORDS,
    consents=(GivenConsents(applicants=people_samples.PEOPLE["applicants"], names=("terms",)),),
    referrals=(people_samples.REFERRAL,),
    referral_decisions=(people_samples.DECISION,),
    holds=(people_samples.HOLD,),
    requests=(*REQUESTS, people_samples.REMEMBERED),
)
# The same, with all that applicants said of their consents: one of them withdrew what they gave.
MERCHANT_WITH_CONSENTS = attrs.evolve(
    MERCHANT_WITH_PEOPLE,
    consents=(
        GivenConsents(
            applicants=people_samples.PEOPLE["applicants"],
            names=("terms",),
            section=REQUESTED["consents"],
        ),
        GivenConsents(applicants="6" * 32, names=(), section="7" * 32),
    ),
)
# Events and a state with the fields that were added for the ledger, the schedule and the end.
LEDGER_DEAL = attrs.evolve(
    DEAL,
    entries=(*ENTRIES, *money_samples.ENTRIES),
    closed_entries=money_samples.TOTALS,
    base_deal_id=uuid(6),
    product="flex",
    priced_on=DAY,
    cooling_off_days=14,
    late_remittances="transfer",
    pauses=money_samples.PAUSES,
    terms_changes=(money_samples.CHANGE,),
)
WITH_MONEY = {
    "OfferAccepted": attrs.evolve(
        EVENTS["OfferAccepted"], product="flex", priced_on=DAY, queued=True
    ),
    "DealFunded": attrs.evolve(EVENTS["DealFunded"], deal=LEDGER_DEAL),
    "RemittancesRecorded": attrs.evolve(
        EVENTS["RemittancesRecorded"], entries=money_samples.ENTRIES
    ),
}
MERCHANT_WITH_MONEY = attrs.evolve(
    MERCHANT,
    offer_sets=(
        ACCEPTED_SET,
        attrs.evolve(
            RENEWAL_SET,
            products=(
                attrs.evolve(RENEWAL_SET.products[0], queued=True),
                RENEWAL_SET.products[1],
            ),
            requoted=(uuid(11),),
        ),
    ),
    fulfilments=(attrs.evolve(FULFILMENT, product="flex", priced_on=DAY, queued=True),),
    deals=tuple(LEDGER_DEAL if deal.id == DEAL.id else deal for deal in MERCHANT.deals),
)
# Those that were added for cash in suspense.
WITH_SUSPENSE = {
    "EntriesPosted": attrs.evolve(
        EVENTS["EntriesPosted"],
        postings=(
            money_samples.Posting(
                deal_id=uuid(5),
                entry=Entry(id="c-2", on=DAY, amount=money("60.00"), kind="payment"),
            ),
        ),
        suspense=money_samples.CASH[1:2],
    ),
    "Forgotten": attrs.evolve(EVENTS["Forgotten"], suspense_through=DAY),
}
MERCHANT_WITH_SUSPENSE = attrs.evolve(
    MERCHANT,
    suspense=money_samples.SUSPENSE,
    requests=(
        *REQUESTS,
        RememberedRequest(
            request_id="r-5",
            at=LATER,
            carried_out=CarriedOut(
                operation="return_suspense",
                fingerprint="5" * 32,
                receipt=REPLIES["suspense_receipt"],
            ),
        ),
    ),
)
# Those that were added for fees.
DEAL_WITH_FEES = attrs.evolve(
    LEDGER_DEAL,
    entries=(*LEDGER_DEAL.entries, *money_samples.FEE_ENTRIES),
    fee_terms=money_samples.FEE_TERMS,
)
WITH_FEES = {
    "OfferRequoted": attrs.evolve(
        EVENTS["OfferRequoted"],
        offers=(attrs.evolve(money_samples.REQUOTED, fees=money_samples.FEE_TERMS),),
    ),
    "DealFunded": attrs.evolve(EVENTS["DealFunded"], deal=DEAL_WITH_FEES),
    "EntriesPosted": attrs.evolve(
        EVENTS["EntriesPosted"],
        postings=tuple(
            money_samples.Posting(deal_id=uuid(5), entry=entry)
            for entry in money_samples.FEE_ENTRIES
        ),
    ),
}
MERCHANT_WITH_FEES = attrs.evolve(
    MERCHANT,
    deals=tuple(DEAL_WITH_FEES if deal.id == DEAL.id else deal for deal in MERCHANT.deals),
)
REPLIES["merchant_lookup_with_fees"] = MerchantLookup(
    deals=(attrs.evolve(STANDING, deal=DEAL_WITH_FEES),)
)
# A default, and the plan that was agreed for it.
PLANNED_DEAL = attrs.evolve(LEDGER_DEAL, status="Defaulted", closed_on=DAY, plan=money_samples.PLAN)
# A deal after two renewals in a row, codes of the service's own reasons, a fact of a deal.
DEAL_IN_A_CHAIN = attrs.evolve(DEAL, type="Renewal", base_deal_id=uuid(6), renewals=2)
OF_A_CHAIN = {
    "DealFunded": attrs.evolve(EVENTS["DealFunded"], deal=DEAL_IN_A_CHAIN),
    "EvidenceRecorded": attrs.evolve(
        EVENTS["EvidenceRecorded"], records=people_samples.RECORDS_OF_A_DEAL
    ),
    "ApplicationClosed": attrs.evolve(EVENTS["ApplicationClosed"], status="declined", code="ENDED"),
}
MERCHANT_WITH_A_CHAIN = attrs.evolve(
    MERCHANT,
    offer_sets=(
        ACCEPTED_SET,
        attrs.evolve(
            RENEWAL_SET,
            products=(
                attrs.evolve(RENEWAL_SET.products[0], codes=("LIMIT",)),
                attrs.evolve(RENEWAL_SET.products[1], codes=("REVIEW",)),
            ),
        ),
    ),
    fulfilments=(
        attrs.evolve(
            FULFILMENT, application_id=uuid(7), status="declined", deal_id=None, code="PERSON"
        ),
        FULFILMENT,
    ),
    deals=(EARLIER_DEAL, DEAL_IN_A_CHAIN),
    checks=people_samples.RECORDS_OF_A_DEAL,
    referrals=(
        attrs.evolve(
            people_samples.REFERRAL,
            rules=(people_samples.UNKNOWN_RULE,),
            needs=("credit_score",),
            facts={},
        ),
    ),
)
MERCHANT_WITH_A_PLAN = attrs.evolve(
    MERCHANT,
    deals=tuple(PLANNED_DEAL if deal.id == DEAL.id else deal for deal in MERCHANT.deals),
)
REPLIES["merchant_lookup_with_a_plan"] = MerchantLookup(
    deals=(
        attrs.evolve(
            STANDING,
            deal=PLANNED_DEAL,
            plan=LookupPlan(
                instalments=PLANNED_DEAL.planned,
                past_due=money("100.00"),
                days_past_due=12,
                next_due_on=date(2026, 9, 1),
            ),
        ),
    )
)
MERCHANT_WITH_A_DISCLOSURE = attrs.evolve(MERCHANT, disclosed=(disclosure_samples.DISCLOSED,))
MERCHANT_WITH_A_DISCLOSED_RENEWAL = attrs.evolve(
    MERCHANT, disclosed=(disclosure_samples.DISCLOSED_RENEWAL,)
)
REPLIES |= disclosure_samples.REPLIES
REPLIES["merchant_lookup_with_ledger"] = MerchantLookup(
    deals=(attrs.evolve(STANDING, deal=LEDGER_DEAL),)
)
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
REPLIES["renewal_review"] = RenewalReview(
    assessment=assessment(),
    renewal_eligibility=False,
    decided_by="rules",
    checks=REPLIES["required_checks"].checks,
)
