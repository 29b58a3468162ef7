"""A strategy for every public type: `of`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Final, TypeVar, get_args, overload

from hypothesis import strategies as st

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
from holdback.exact.exact_json import Opaque
from holdback.exact.money import Currency, Money
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.lifecycle.context import Context
from holdback.lifecycle.events import EVENT_TYPES, EntriesClosed
from holdback.lifecycle.evidence.check_results import CheckResult
from holdback.lifecycle.offers.application import FilledApplication
from holdback.lifecycle.operation import Outcome
from holdback.merchant.acceptance import AcceptanceIds, BankDetails
from holdback.merchant.application import Application, Check, OffersRequest
from holdback.merchant.deal import Deal, LookupDeal, Performance
from holdback.merchant.ledger import Entry
from holdback.merchant.merchant import Fulfilment, Merchant, OfferSet, Takings
from holdback.merchant.offer import Offer
from holdback.merchant.product import Limits, Product
from holdback.merchant.profile import Profile
from holdback.merchant.statement import DealStatement, KindTotal, StatementLine
from holdback.operations import OPERATIONS, Operation, Reply
from holdback.rulebooks.rulebook import Rulebook
from holdback.testing.strategies import rules
from holdback.testing.strategies.declared_types import CHECKED, PROFILES, any_value
from holdback.testing.strategies.values import WORDS, few, instants, maybe
from holdback.wire import Stored

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
    Stored, state=st.binary(), profile=maybe(st.binary()), events=few(st.binary())
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
        Stored: _STORED,
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
