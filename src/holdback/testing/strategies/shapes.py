"""Any value of the model's classes: valid in shape, whatever its fields say together."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from holdback.lifecycle.events import FilledApplication
from holdback.model.acceptance import Acceptance, ApplicationStatus, BankDetails
from holdback.model.application import Application, Check, OffersRequest, RequiredChecks
from holdback.model.deal import (
    STATUSES,
    TYPES,
    Deal,
    Entry,
    LookupDeal,
    MerchantLookup,
    Performance,
)
from holdback.model.merchant import Fulfilment, Merchant, OfferSet, Takings, TakingsHeld
from holdback.model.offer import Offer
from holdback.model.product import Limits, Offers, Product
from holdback.money import Currency
from holdback.testing.strategies.values import (
    APPLICANTS,
    CURRENCIES,
    DAYS,
    IDS,
    INSTANTS,
    OPAQUES,
    RATES,
    RECORDS,
    TEXTS,
    WORDS,
    few,
    maybe,
    money,
)

BANKS: Final = st.builds(
    BankDetails,
    account_number=maybe(WORDS),
    bank_name=maybe(WORDS),
    account_type=maybe(WORDS),
    sort_code=maybe(WORDS),
)


@st.composite
def offers(draw: st.DrawFn) -> Offer:
    """Any offer, in one currency."""
    currency = draw(CURRENCIES)
    return Offer(
        offer_id=draw(IDS),
        offer_status=draw(st.sampled_from(["Eligible", "Accepted", "SomethingNew"])),
        description=draw(TEXTS),
        split_percentage=draw(RATES),
        term_length=draw(RATES),
        term_days=draw(st.integers(1, 4000)),
        repayment_amount=draw(money(currency)),
        funded_amount=draw(money(currency)),
        factor_rate=draw(RATES),
    )


LIMITS: Final = st.builds(Limits, minimum=money(), maximum=money())
PRODUCTS: Final = st.builds(
    Product,
    product_id=IDS,
    key=IDS,
    name=TEXTS,
    description=TEXTS,
    decision=TEXTS,
    repayment_mechanism=TEXTS,
    limits=LIMITS,
    offers=few(offers()),
)
OFFERS: Final = st.builds(Offers, products=few(PRODUCTS), expires_at=INSTANTS)
ACCEPTANCES: Final = st.builds(
    Acceptance,
    application_id=IDS,
    provider_id=IDS,
    offer=offers(),
    links=st.dictionaries(
        IDS | st.sampled_from(["contract_link", "merchant_link"]), TEXTS, max_size=4
    ),
)


def _applications(
    provider_id: st.SearchStrategy[str | None],
) -> st.SearchStrategy[Application]:
    return st.builds(
        Application,
        merchant_id=IDS,
        currency=st.just("GBP"),
        provider_id=provider_id,
        intended_use_of_funds=maybe(WORDS),
    )


APPLICATIONS: Final = _applications(maybe(IDS))
REQUESTS: Final = st.builds(OffersRequest, application=_applications(IDS)) | st.builds(
    OffersRequest,
    application=_applications(st.none()),
    consents=OPAQUES,
    applicants=APPLICANTS,
    company=OPAQUES,
)
OFFER_SETS: Final = st.builds(
    OfferSet,
    request_id=IDS,
    application_id=IDS,
    request=REQUESTS,
    issued_at=INSTANTS,
    issued_on=DAYS,
    expires_at=INSTANTS,
    products=few(PRODUCTS, 1),
    digest=IDS,
    base_deal_id=maybe(IDS),
    evidence=RECORDS,
)
FULFILMENTS: Final = st.builds(
    Fulfilment,
    application_id=IDS,
    status=IDS,
    omitted=few(IDS),
    accepted_at=INSTANTS,
    reply=ACCEPTANCES,
    bank_details=maybe(BANKS),
    base_deal_id=maybe(IDS),
    deal_id=maybe(IDS),
)
TAKINGS: Final = st.builds(Takings, on=DAYS, amount=money())


@st.composite
def entries(draw: st.DrawFn, currency: Currency) -> Entry:
    """Any entry in *currency*."""
    return Entry(
        id=draw(IDS),
        on=draw(DAYS),
        amount=draw(money(currency)),
        takings=draw(maybe(money(currency))),
        settled=draw(st.booleans()),
        reverses=draw(maybe(IDS)),
    )


@st.composite
def deals(draw: st.DrawFn) -> Deal:
    """Any deal, in one currency."""
    currency = draw(CURRENCIES)
    return Deal(
        id=draw(IDS),
        application_id=draw(IDS),
        type=draw(st.sampled_from(TYPES)),
        status=draw(st.sampled_from(STATUSES)),
        funded_on=draw(DAYS),
        funded_amount=draw(money(currency)),
        repayment_amount=draw(money(currency, least=1)),
        factor_rate=draw(RATES),
        split_percentage=draw(RATES),
        term_length=draw(RATES),
        term_days=draw(st.integers(1, 4000)),
        settled=draw(money(currency)),
        closed_on=draw(maybe(DAYS)),
        entries=draw(few(entries(currency), 3)),
        complete_through=draw(maybe(DAYS)),
    )


MERCHANTS: Final = st.builds(
    Merchant,
    partner=IDS,
    merchant_id=IDS,
    jurisdiction=IDS,
    provider_id=maybe(IDS),
    last_seen_at=maybe(INSTANTS),
    consents=maybe(OPAQUES),
    applicants=maybe(APPLICANTS),
    company=maybe(OPAQUES),
    intended_use_of_funds=maybe(TEXTS),
    bank_details=maybe(BANKS),
    evidence=RECORDS,
    evidence_on=maybe(DAYS),
    offer_sets=few(OFFER_SETS, 1),
    fulfilments=few(FULFILMENTS, 1),
    deals=few(deals()),
    takings=few(TAKINGS),
    takings_complete_through=maybe(DAYS),
    renewal_eligibility=st.booleans(),
)
FILLED: Final = st.builds(
    FilledApplication,
    application=APPLICATIONS,
    consents=maybe(OPAQUES),
    applicants=maybe(APPLICANTS),
    company=maybe(OPAQUES),
    facts=RECORDS,
    deals=few(RECORDS),
)

# The replies of the other operations.
STANDINGS: Final = st.builds(ApplicationStatus, application_id=IDS, status=IDS, omitted=few(IDS))
PERFORMANCES: Final = st.builds(
    Performance, performance=RATES, progress=RATES, renewal_eligibility=st.booleans()
)
DEAL_STANDINGS: Final = st.builds(LookupDeal, deal=deals(), performance=PERFORMANCES)
LOOKUPS: Final = st.builds(MerchantLookup, deals=few(DEAL_STANDINGS))
TAKINGS_HELD: Final = st.builds(
    TakingsHeld, days=st.integers(0, 4000), complete_through=maybe(DAYS)
)
CHECKS: Final = st.builds(Check, name=IDS, evidence=few(IDS), not_before=maybe(DAYS))
REQUIRED_CHECKS: Final = st.builds(RequiredChecks, checks=few(CHECKS))
