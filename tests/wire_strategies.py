"""Hypothesis strategies for everything that the wire writes: merchants, events, replies, documents."""

from __future__ import annotations

from datetime import UTC
from decimal import Decimal

import pendulum
from hypothesis import strategies as st

from holdback.canonical import Opaque, Verbatim
from holdback.lifecycle import events as happened
from holdback.model.acceptance import Acceptance, BankDetails
from holdback.model.application import Application, OffersRequest
from holdback.model.deal import STATUSES, TYPES, Deal, Entry
from holdback.model.merchant import Fulfilment, Merchant, OfferSet, Takings
from holdback.model.offer import Offer
from holdback.model.product import Limits, Offers, Product
from holdback.money import Currency, Money

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
IDS = st.text("abc-123é", min_size=1, max_size=8)
DAYS = st.dates()
INSTANTS = st.datetimes(timezones=st.just(UTC)).map(
    lambda at: pendulum.DateTime(
        at.year,
        at.month,
        at.day,
        at.hour,
        at.minute,
        at.second,
        at.microsecond,
        tzinfo=pendulum.UTC,
    )
)
CURRENCIES = st.sampled_from(["GBP", "JPY", "KWD", "CLF"]).map(Currency.of)
WHOLES = st.integers(-(10**28) + 1, 10**28 - 1)


@st.composite
def decimals(draw, places=28):
    """An exact decimal of at most 28 digits, trailing zeros and all."""
    digits = draw(st.integers(1, 28))
    number = draw(st.just(0) | st.integers(0, 10**digits - 1))
    return Decimal(f"{draw(st.sampled_from(['', '-']))}{number}E-{draw(st.integers(0, places))}")


RATES = decimals(places=10).map(abs)
VALUES = st.none() | st.booleans() | WHOLES | decimals() | TEXTS
RECORDS = st.dictionaries(
    TEXTS.filter(lambda name: "\0" not in name),
    st.recursive(
        VALUES,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(TEXTS.filter(lambda name: "\0" not in name), inner, max_size=3)
        ),
        max_leaves=6,
    ),
    max_size=4,
)

# JSON numbers in every way that they may be written, within the bounds.
NUMBERS = st.one_of(
    WHOLES.map(str),
    decimals().map(lambda number: f"{number:f}"),
    st.from_regex(r"-?(0|[1-9][0-9]{0,10})(\.[0-9]{1,10})?([eE][+-]?[0-9])?", fullmatch=True),
).map(Verbatim)
CLOSED = st.dictionaries(
    TEXTS.filter(lambda name: "\0" not in name),
    st.recursive(
        st.none() | st.booleans() | NUMBERS | TEXTS,
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=5,
    ),
    max_size=3,
)
OPAQUES = CLOSED.map(Opaque.of)
APPLICANTS = st.lists(CLOSED, min_size=1, max_size=2).map(Opaque.of)
WORDS = TEXTS.filter(bool)
BANKS = st.builds(
    BankDetails,
    account_number=st.none() | WORDS,
    bank_name=st.none() | WORDS,
    account_type=st.none() | WORDS,
    sort_code=st.none() | WORDS,
)


def maybe(strategy):
    return st.none() | strategy


def few(strategy, most=2):
    return st.lists(strategy, max_size=most).map(tuple)


@st.composite
def amounts(draw, currency=None, least=0):
    return Money(draw(st.integers(least, 10**18 - 1)), currency or draw(CURRENCIES))


@st.composite
def offers(draw):
    currency = draw(CURRENCIES)
    return Offer(
        offer_id=draw(IDS),
        offer_status=draw(st.sampled_from(["Eligible", "Accepted", "SomethingNew"])),
        description=draw(TEXTS),
        split_percentage=draw(RATES),
        term_length=draw(RATES),
        term_days=draw(st.integers(1, 4000)),
        repayment_amount=draw(amounts(currency)),
        funded_amount=draw(amounts(currency)),
        factor_rate=draw(RATES),
    )


PRODUCTS = st.builds(
    Product,
    product_id=IDS,
    key=IDS,
    name=TEXTS,
    description=TEXTS,
    decision=TEXTS,
    repayment_mechanism=TEXTS,
    limits=st.builds(Limits, minimum=amounts(), maximum=amounts()),
    offers=few(offers()),
)
OFFERS = st.builds(Offers, products=few(PRODUCTS), expires_at=INSTANTS)
ACCEPTANCES = st.builds(
    Acceptance,
    application_id=IDS,
    provider_id=IDS,
    offer=offers(),
    links=st.dictionaries(
        IDS | st.sampled_from(["contract_link", "merchant_link"]), TEXTS, max_size=4
    ),
)


def applications(provider_id):
    return st.builds(
        Application,
        merchant_id=IDS,
        currency=st.just("GBP"),
        provider_id=provider_id,
        intended_use_of_funds=maybe(WORDS),
    )


APPLICATIONS = applications(maybe(IDS))
REQUESTS = st.builds(OffersRequest, application=applications(IDS)) | st.builds(
    OffersRequest,
    application=applications(st.none()),
    consents=OPAQUES,
    applicants=APPLICANTS,
    company=OPAQUES,
)
OFFER_SETS = st.builds(
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
FULFILMENTS = st.builds(
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
TAKINGS = st.builds(Takings, on=DAYS, amount=amounts())


@st.composite
def entries(draw, currency):
    return Entry(
        id=draw(IDS),
        on=draw(DAYS),
        amount=draw(amounts(currency)),
        takings=draw(maybe(amounts(currency))),
        settled=draw(st.booleans()),
        reverses=draw(maybe(IDS)),
    )


@st.composite
def deals(draw):
    currency = draw(CURRENCIES)
    return Deal(
        id=draw(IDS),
        application_id=draw(IDS),
        type=draw(st.sampled_from(TYPES)),
        status=draw(st.sampled_from(STATUSES)),
        funded_on=draw(DAYS),
        funded_amount=draw(amounts(currency)),
        repayment_amount=draw(amounts(currency, least=1)),
        factor_rate=draw(RATES),
        split_percentage=draw(RATES),
        term_length=draw(RATES),
        term_days=draw(st.integers(1, 4000)),
        settled=draw(amounts(currency)),
        closed_on=draw(maybe(DAYS)),
        entries=draw(few(entries(currency), 3)),
        complete_through=draw(maybe(DAYS)),
    )


MERCHANTS = st.builds(
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

_FILLED = st.builds(
    happened.FilledApplication,
    application=APPLICATIONS,
    consents=maybe(OPAQUES),
    applicants=maybe(APPLICANTS),
    company=maybe(OPAQUES),
    facts=RECORDS,
    deals=few(RECORDS),
)
FIELDS = {
    happened.OffersIssued: {
        "offer_set": OFFER_SETS,
        "facts": RECORDS,
        "assessment": maybe(RECORDS),
        "decisions": few(RECORDS),
    },
    happened.OfferAccepted: {
        "request_id": IDS,
        "reply": ACCEPTANCES,
        "filled": _FILLED,
        "omitted": few(IDS),
        "bank_details": maybe(BANKS),
    },
    happened.DetailsSupplied: {
        "application_id": IDS,
        "omitted": few(IDS),
        "bank_details": maybe(BANKS),
        "intended_use_of_funds": maybe(TEXTS),
    },
    happened.ApplicationSubmitted: {"application_id": IDS},
    happened.ApplicationClosed: {"application_id": IDS, "status": IDS},
    happened.DealFunded: {"deal": deals()},
    happened.DealRepaid: {"deal_id": IDS, "on": DAYS},
    happened.DealReopened: {"deal_id": IDS},
    happened.DealRenewed: {"deal_id": IDS, "settled": amounts(), "on": DAYS},
    happened.DealClosed: {"deal_id": IDS, "status": IDS, "on": DAYS},
    happened.TakingsRecorded: {"takings": few(TAKINGS), "complete_through": maybe(DAYS)},
    happened.RemittancesRecorded: {
        "deal_id": IDS,
        "entries": few(entries(Currency.of("GBP"))),
        "complete_through": maybe(DAYS),
    },
    happened.RenewalEligibilityChanged: {
        "deal_id": maybe(IDS),
        "renewal_eligibility": st.booleans(),
        "assessment": maybe(RECORDS),
    },
}
EVENTS = st.one_of([st.builds(kind, at=INSTANTS, **fields) for kind, fields in FIELDS.items()])
