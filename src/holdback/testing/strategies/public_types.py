"""A strategy for every public type: `of`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import (
    Any,
    Final,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

import attrs
from hypothesis import strategies as st
from pendulum import DateTime

from holdback.eligibility.assessment import Assessment
from holdback.eligibility.reasons import Reason
from holdback.engine import Engine
from holdback.errors import (
    ConfigurationError,
    ErrorDetail,
    HistoryError,
    HoldbackError,
    InvalidDocument,
    Refusal,
    RuleError,
    StateError,
    did_you_mean,
)
from holdback.exact.bounds import MOST_TERM_DAYS
from holdback.exact.exact_json import Json, Opaque
from holdback.exact.money import Currency, Money
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.lifecycle.context import Context
from holdback.lifecycle.events import EVENT_TYPES, EntriesClosed
from holdback.lifecycle.evidence.check_results import CheckResult
from holdback.lifecycle.offers.application import FilledApplication
from holdback.lifecycle.operation import FreeText, Outcome
from holdback.merchant.acceptance import AcceptanceIds, BankDetails
from holdback.merchant.application import Applicants, Application, Check, HeldFact, OffersRequest
from holdback.merchant.deal import STATUSES, TYPES, Deal, LookupDeal, Performance
from holdback.merchant.ledger import (
    KINDS,
    REMITTANCE,
    REVERSAL,
    WAIVER,
    WRITE_OFF,
    Entry,
    EntryKind,
    EntryTotals,
    SignedMoney,
)
from holdback.merchant.merchant import Fulfilment, Merchant, OfferSet, Takings
from holdback.merchant.offer import Offer
from holdback.merchant.product import Limits, Product
from holdback.merchant.profile import SALT_BYTES, Profile
from holdback.merchant.schedule import Pause, TermsChange
from holdback.merchant.statement import DealStatement, KindTotal, StatementLine
from holdback.operations import OPERATIONS, ChangeTerms, Operation, Reply
from holdback.rulebooks.rulebook import Rulebook
from holdback.testing.strategies import rules
from holdback.testing.strategies.rules import assessments
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
    WHOLES,
    WORDS,
    decimals,
    few,
    instants,
    maybe,
    money,
)
from holdback.wire import StoredDocuments

# -- Any value of a class, drawn by the declared types of its attributes.
#
# A value is valid in shape; its attributes need not agree with each other. A new event, command or
# reply needs nothing here. A class needs a strategy of its own only if some values of its
# attributes do not go together.

_LINKS: Final = st.dictionaries(
    IDS | st.sampled_from(["contract_link", "merchant_link"]), TEXTS, max_size=4
)
_EVIDENCE: Final = st.dictionaries(
    IDS, st.builds(HeldFact, st.booleans() | WHOLES | decimals() | TEXTS, IDS), max_size=3
)
# The results of a check by the names of its facts: plain exact values.
CHECKED: Final = st.dictionaries(TEXTS, st.booleans() | WHOLES | decimals() | TEXTS, max_size=4)
_BANK_DETAILS: Final = st.builds(
    BankDetails,
    account_number=maybe(WORDS),
    bank_name=maybe(WORDS),
    account_type=maybe(WORDS),
    sort_code=maybe(WORDS),
    more=st.dictionaries(st.sampled_from(["bic", "bsb", "iban"]), WORDS, max_size=2),
)
_SALTS: Final = st.binary(min_size=SALT_BYTES, max_size=SALT_BYTES)
# A profile's sections are named by their own digests.
PROFILES: Final = st.builds(
    lambda salt, contents: Profile.new(salt=salt).with_sections(contents),
    _SALTS,
    st.lists(OPAQUES, max_size=3),
)
# Text is drawn as a short id, except in these attributes.
_TEXT_OF: Final[Mapping[str, st.SearchStrategy[str]]] = MappingProxyType(
    {
        "name": TEXTS,
        "description": TEXTS,
        "decision": TEXTS,
        "repayment_mechanism": TEXTS,
        "intended_use_of_funds": WORDS,
    }
)
# One of these holds whole trees, so one is enough.
_AT_MOST_ONE: Final = frozenset({"offer_sets", "fulfilments"})


@cache
def any_value(kind: Any, attribute: str = "") -> st.SearchStrategy[Any]:
    """
    Return a strategy for values of *kind*, a class or a type such as `tuple[Deal, ...]`.

    *attribute* is the name of the attribute that is declared so.
    """
    if kind is str:
        return _TEXT_OF.get(attribute, IDS)
    if kind in _BY_TYPE:
        return _BY_TYPE[kind]
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return st.sampled_from(sorted(arguments))
    if origin in {Union, UnionType}:
        inner = [any_value(argument) for argument in arguments if argument is not NoneType]
        if len(inner) > 1:
            return st.one_of(inner)
        (inner_kind,) = (argument for argument in arguments if argument is not NoneType)
        return maybe(any_value(inner_kind, attribute))
    if origin in {tuple, Sequence}:
        return few(any_value(arguments[0], attribute), 1 if attribute in _AT_MOST_ONE else 2)
    return st.builds(kind, **attributes_of(kind))


def attributes_of(kind: type) -> dict[str, st.SearchStrategy[Any]]:
    """Return a strategy for each attribute of *kind*, also for those that have a default."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        field.name: any_value(hints[field.name], field.name)
        for field in attrs.fields(kind)
        if field.init
    }


@st.composite
def _offers(draw: st.DrawFn) -> Offer:
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


def _applications(provider_id: st.SearchStrategy[str | None]) -> st.SearchStrategy[Application]:
    return st.builds(
        Application,
        merchant_id=IDS,
        currency=st.just("GBP"),
        provider_id=provider_id,
        intended_use_of_funds=maybe(WORDS),
    )


@st.composite
def _entries(draw: st.DrawFn, currency: Currency) -> Entry:
    """Any entry in *currency*."""
    reverses, kind = draw(maybe(IDS)), draw(st.sampled_from(sorted(KINDS)))
    return Entry(
        id=draw(IDS),
        on=draw(DAYS),
        amount=draw(signed(currency) if KINDS[kind].sign == 0 else money(currency)),
        takings=draw(maybe(signed(currency))),
        settled=draw(st.booleans()),
        reverses=reverses,
        kind=cast(EntryKind, kind if reverses is None else REVERSAL),
        counterpart=draw(maybe(IDS)) if reverses is None and kind != REMITTANCE else None,
    )


def signed(currency: Currency) -> st.SearchStrategy[Money]:
    """Amounts in *currency*, also below zero."""
    return st.builds(
        lambda amount, below: Money(-amount.minor, currency) if below else amount,
        money(currency),
        st.booleans(),
    )


def _entry_totals(currency: Currency) -> st.SearchStrategy[EntryTotals]:
    return st.builds(
        EntryTotals,
        through=DAYS,
        remitted=money(currency),
        last_on=maybe(DAYS),
        repaid_on=maybe(DAYS),
        credits=st.dictionaries(
            st.sampled_from([WAIVER, WRITE_OFF]), money(currency, least=1), max_size=2
        ),
    )


@st.composite
def _deals(draw: st.DrawFn) -> Deal:
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
        entries=draw(few(_entries(currency), 3)),
        complete_through=draw(maybe(DAYS)),
        closed_entries=draw(maybe(_entry_totals(currency))),
        **draw(st.fixed_dictionaries({}, optional=_LATER_FIELDS)),
    )


# What a deal has since its money's whole way is recorded.
_LATER_FIELDS: Final[dict[str, st.SearchStrategy[Any]]] = {
    "base_deal_id": IDS,
    "product": WORDS,
    "priced_on": DAYS,
    "cooling_off_days": st.integers(0, 366),
    "late_remittances": st.sampled_from(["transfer", "refund"]),
    "pauses": few(st.builds(Pause, on=DAYS, until=maybe(DAYS)), 2),
    "terms_changes": few(
        st.builds(
            TermsChange,
            on=DAYS,
            split_percentage=RATES,
            term_length=RATES,
            term_days=st.integers(1, 4000),
        ),
        2,
    ),
}


# Above 0 and up to 100, of at most 4 decimals.
_PERCENTAGES: Final = st.integers(1, 10**6).map(lambda scaled: Decimal(scaled).scaleb(-4))


_BY_TYPE: Final[Mapping[Any, st.SearchStrategy[Any]]] = MappingProxyType(
    {
        FreeText: WORDS,
        Applicants: APPLICANTS,
        bool: st.booleans(),
        int: st.integers(0, 4000),
        date: DAYS,
        DateTime: INSTANTS,
        Decimal: RATES,
        Currency: CURRENCIES,
        Money: money(),
        SignedMoney: CURRENCIES.flatmap(signed),
        Opaque: OPAQUES,
        Mapping[str, Json]: RECORDS,
        Mapping[str, str]: _LINKS,
        Mapping[str, bool]: st.dictionaries(WORDS, st.booleans(), max_size=3),
        Mapping[str, HeldFact]: _EVIDENCE,
        CheckResult: st.builds(CheckResult, check=WORDS, made_at=INSTANTS, facts=CHECKED),
        BankDetails: _BANK_DETAILS,
        # Amounts of one offer, entry or deal are in one currency.
        Offer: _offers(),
        Entry: CURRENCIES.flatmap(_entries),
        Deal: _deals(),
        # The provider_id says whether there is a profile.
        Application: _applications(maybe(IDS)),
        OffersRequest: st.builds(OffersRequest, application=_applications(IDS))
        | st.builds(
            OffersRequest,
            application=_applications(st.none()),
            consents=OPAQUES,
            applicants=APPLICANTS,
            company=OPAQUES,
        ),
        # It changes at least one of the two.
        ChangeTerms: st.builds(
            ChangeTerms,
            deal_id=IDS,
            on=DAYS,
            split_percentage=maybe(_PERCENTAGES),
            term_days=st.integers(1, MOST_TERM_DAYS),
        )
        | st.builds(ChangeTerms, deal_id=IDS, on=DAYS, split_percentage=_PERCENTAGES),
        # An assessment of drawn facts, by the rules that ship.
        Assessment: assessments(),
    }
)


T = TypeVar("T")

_CONTEXTS: Final = st.builds(
    Context,
    at=instants(),
    request_id=WORDS,
    evidence=CHECKED | few(any_value(CheckResult)),
)
_EVENTS: Final[tuple[type, ...]] = tuple(EVENT_TYPES.values())
_OUTCOMES: Final = st.builds(
    Outcome,
    reply=st.one_of([any_value(kind) for kind in get_args(Reply)]),
    events=few(st.one_of([any_value(kind) for kind in _EVENTS])),
    merchant=any_value(Merchant),
    profile=PROFILES,
)

_STORED: Final = st.builds(
    StoredDocuments, state=st.binary(), profile=maybe(st.binary()), events=few(st.binary())
)

_DECLARED: Final[tuple[type, ...]] = (
    *_EVENTS,
    *OPERATIONS.values(),
    *get_args(Reply),
    AcceptanceIds,
    Application,
    BankDetails,
    Check,
    CheckResult,
    Currency,
    Deal,
    DealStatement,
    EntriesClosed,
    Entry,
    FilledApplication,
    Fulfilment,
    KindTotal,
    Limits,
    LookupDeal,
    Merchant,
    Money,
    Offer,
    OfferSet,
    OffersRequest,
    Opaque,
    Performance,
    Product,
    StatementLine,
    Takings,
)
_STRATEGIES: Final[Mapping[type, st.SearchStrategy[Any]]] = MappingProxyType(
    {
        **{kind: any_value(kind) for kind in _DECLARED},
        ConfigurationError: rules.CONFIGURATION_ERRORS,
        Context: _CONTEXTS,
        Engine: rules.ENGINES,
        ErrorDetail: rules.ERROR_DETAILS,
        HistoryError: rules.HISTORY_ERRORS,
        HoldbackError: rules.ERRORS,
        InvalidDocument: rules.INVALID_DOCUMENTS,
        Jurisdictions: rules.JURISDICTIONS,
        Operation: st.one_of([any_value(kind) for kind in OPERATIONS.values()]),  # type: ignore[arg-type]  # a class is hashable
        Outcome: _OUTCOMES,
        Profile: PROFILES,
        Reason: rules.REASONS,
        Refusal: rules.REFUSALS,
        RuleError: rules.rule_errors(),
        Rulebook: rules.rulebooks(),
        StateError: rules.STATE_ERRORS,
        StoredDocuments: _STORED,
        NoneType: st.none(),
    }
)


@overload
def of(kind: type[T]) -> st.SearchStrategy[T]: ...
@overload
def of(kind: UnionType) -> st.SearchStrategy[Any]: ...
def of(kind: Any) -> st.SearchStrategy[Any]:
    """
    Return a strategy for any value of *kind*: a public class, an event, a command or a reply.

    A union, such as `holdback.lifecycle.events.Event`, gives any of its classes. A value is valid
    in shape; its attributes need not agree. The engine produces the values of `histories`.
    Engines, rulebooks and jurisdictions are those that ship.

    >>> from hypothesis import find
    >>> from holdback import Money
    >>> find(of(Money), lambda money: money.currency.code == "JPY")
    Money.parse('JPY 0')

    Raises:
        TypeError: *kind* has no strategy, such as the protocol of a calculator.
    """
    if isinstance(kind, UnionType):
        return st.one_of([of(member) for member in get_args(kind)])
    if kind in _STRATEGIES:
        return _STRATEGIES[kind]
    name = getattr(kind, "__name__", repr(kind))
    hint = did_you_mean(name, [public_type.__name__ for public_type in _STRATEGIES])
    raise TypeError(f"there is no strategy for `{name}`" + (f"; {hint}" if hint else ""))
