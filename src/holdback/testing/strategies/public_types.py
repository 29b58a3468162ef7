"""A strategy for every public type: `of`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
)
from holdback.exact.bounds import MOST_TERM_DAYS
from holdback.exact.exact_json import Json, Opaque
from holdback.exact.money import Currency, Money
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.lifecycle.context import CheckResult, Context
from holdback.lifecycle.events import EVENT_TYPES
from holdback.lifecycle.operation import FreeText, Outcome
from holdback.merchant.acceptance import BankDetails
from holdback.merchant.application import Applicants, Application, HeldFact, OffersRequest
from holdback.merchant.deal import STATUSES, TYPES, Deal
from holdback.merchant.ledger import (
    KINDS,
    REMITTANCE,
    REVERSAL,
    WAIVER,
    WRITE_OFF,
    Entry,
    EntryKind,
    SignedMoney,
)
from holdback.merchant.merchant import Merchant
from holdback.merchant.offer import Offer
from holdback.merchant.profile import SALT_BYTES, Profile
from holdback.operations import (
    OPERATIONS,
    ChangeTerms,
    Disclose,
    Operation,
    RectifyProfile,
    Reply,
    RequireChecks,
)
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
# What an attribute of this name is drawn from, where its type does not say enough.
_OF_ATTRIBUTE: Final[Mapping[tuple[type, str], st.SearchStrategy[Any]]] = MappingProxyType(
    {
        (str, "name"): TEXTS,
        (str, "description"): TEXTS,
        (str, "decision"): TEXTS,
        (str, "repayment_mechanism"): TEXTS,
        (str, "intended_use_of_funds"): WORDS,
        (str, "late_remittances"): st.sampled_from(["transfer", "refund"]),
        (int, "term_days"): st.integers(1, 4000),
    }
)
# One of these holds whole trees, so one is enough.
_AT_MOST_ONE: Final = frozenset({"offer_sets", "fulfilments"})


@cache
def any_value(
    kind: Any, attribute: str = "", currency: Currency | None = None
) -> st.SearchStrategy[Any]:
    """
    Return a strategy for values of *kind*, a class or a type such as `tuple[Deal, ...]`.

    *attribute* is the name of the attribute that is declared so. With a *currency*, all amounts are
    in it.
    """
    if currency is not None and kind in _IN_CURRENCY:
        return _IN_CURRENCY[kind](currency)
    if (kind, attribute) in _OF_ATTRIBUTE:
        return _OF_ATTRIBUTE[kind, attribute]
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
        return maybe(any_value(inner_kind, attribute, currency))
    if origin in {tuple, Sequence}:
        most = 1 if attribute in _AT_MOST_ONE else 2
        return few(any_value(arguments[0], attribute, currency), most)
    return st.builds(kind, **attributes_of(kind, currency))


def attributes_of(
    kind: type, currency: Currency | None = None
) -> dict[str, st.SearchStrategy[Any]]:
    """Return a strategy for each attribute of *kind*, also for those that have a default."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        field.name: any_value(hints[field.name], field.name, currency)
        for field in attrs.fields(kind)
        if field.init
    }


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


def _credits(currency: Currency) -> st.SearchStrategy[dict[str, Money]]:
    return st.dictionaries(
        st.sampled_from([WAIVER, WRITE_OFF]), money(currency, least=1), max_size=2
    )


def _deals(currency: Currency) -> st.SearchStrategy[Deal]:
    """Any deal in *currency*."""
    of = {
        "type": st.sampled_from(TYPES),
        "status": st.sampled_from(STATUSES),
        "repayment_amount": money(currency, least=1),
    }
    return st.builds(Deal, **attributes_of(Deal, currency) | of)


def _offers(currency: Currency) -> st.SearchStrategy[Offer]:
    """Any offer in *currency*."""
    status = st.sampled_from(["Eligible", "Accepted", "SomethingNew"])
    return st.builds(Offer, **attributes_of(Offer, currency) | {"offer_status": status})


# What is in one currency, made of amounts in it.
_IN_CURRENCY: Final[Mapping[Any, Callable[[Currency], st.SearchStrategy[Any]]]] = MappingProxyType(
    {Money: money, SignedMoney: signed, Entry: _entries, Mapping[str, Money]: _credits}
)


# Above 0 and up to 100, of at most 4 decimals.
_PERCENTAGES: Final = st.integers(1, 10**6).map(lambda scaled: Decimal(scaled).scaleb(-4))


_BY_TYPE: Final[Mapping[Any, st.SearchStrategy[Any]]] = MappingProxyType(
    {
        str: IDS,
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
        Mapping[str, Money]: CURRENCIES.flatmap(_credits),
        CheckResult: st.builds(CheckResult, check=WORDS, made_at=INSTANTS, facts=CHECKED),
        BankDetails: _BANK_DETAILS,
        # Amounts of one offer, entry or deal are in one currency.
        Offer: CURRENCIES.flatmap(_offers),
        Entry: CURRENCIES.flatmap(_entries),
        Deal: CURRENCIES.flatmap(_deals),
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
        # It asks about a request or about a funding.
        RequireChecks: st.deferred(
            lambda: st.builds(RequireChecks, request=any_value(OffersRequest))
        )
        | st.builds(RequireChecks, application_id=IDS),
        # It corrects at least one of the two.
        RectifyProfile: st.builds(RectifyProfile, applicants=APPLICANTS, company=maybe(OPAQUES))
        | st.builds(RectifyProfile, company=OPAQUES),
        # Its facts are plain, and its texts not empty.
        Disclose: st.deferred(
            lambda: st.builds(
                Disclose,
                **{
                    **attributes_of(Disclose),
                    "facts": CHECKED,
                    "texts": st.dictionaries(IDS, WORDS, max_size=3),
                },
            )
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

# What no declared types say how to draw.
_STRATEGIES: Final[Mapping[type, st.SearchStrategy[Any]]] = MappingProxyType(
    {
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
    if attrs.has(kind) or kind in _BY_TYPE:
        return any_value(kind)
    raise TypeError(f"there is no strategy for `{getattr(kind, '__name__', repr(kind))}`")
