"""A strategy for every public type: `of`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Final, TypeVar, get_args, overload

from hypothesis import strategies as st

from holdback.eligibility import Assessment
from holdback.engine import Engine, Outcome
from holdback.errors import (
    ErrorDetail,
    HoldbackError,
    InvalidDocument,
    Refusal,
    RuleError,
    did_you_mean,
)
from holdback.exact_json import Opaque
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.jurisdictions.rulebook import Rulebook
from holdback.lifecycle.context import Context
from holdback.lifecycle.events import FilledApplication
from holdback.model.acceptance import Acceptance, ApplicationStatus, BankDetails
from holdback.model.application import Application, Check, OffersRequest, RequiredChecks
from holdback.model.deal import Deal, Entry, LookupDeal, MerchantLookup, Performance
from holdback.model.merchant import Fulfilment, Merchant, OfferSet, Takings, TakingsHeld
from holdback.model.offer import Offer
from holdback.model.product import Limits, Offers, Product
from holdback.money import Currency, Money
from holdback.ruleset import Reason
from holdback.testing.strategies import events_and_commands, rules, shapes, values

T = TypeVar("T")

_REPLIES: Final[Mapping[type, st.SearchStrategy[Any]]] = MappingProxyType(
    {
        Offers: shapes.OFFERS,
        Acceptance: shapes.ACCEPTANCES,
        MerchantLookup: shapes.LOOKUPS,
        LookupDeal: shapes.DEAL_STANDINGS,
        ApplicationStatus: shapes.STANDINGS,
        TakingsHeld: shapes.TAKINGS_HELD,
        RequiredChecks: shapes.REQUIRED_CHECKS,
        Assessment: rules.assessments(),
    }
)

_MODEL: Final[Mapping[type, st.SearchStrategy[Any]]] = MappingProxyType(
    {
        Application: shapes.APPLICATIONS,
        BankDetails: shapes.BANKS,
        Check: shapes.CHECKS,
        Currency: values.CURRENCIES,
        Deal: shapes.deals(),
        Entry: values.CURRENCIES.flatmap(shapes.entries),
        FilledApplication: shapes.FILLED,
        Fulfilment: shapes.FULFILMENTS,
        Limits: shapes.LIMITS,
        Merchant: shapes.MERCHANTS,
        Money: values.money(),
        Offer: shapes.offers(),
        OfferSet: shapes.OFFER_SETS,
        OffersRequest: shapes.REQUESTS,
        Opaque: values.OPAQUES,
        Performance: shapes.PERFORMANCES,
        Product: shapes.PRODUCTS,
        Takings: shapes.TAKINGS,
    }
)

_RULES: Final[Mapping[type, st.SearchStrategy[Any]]] = MappingProxyType(
    {
        Context: events_and_commands.CONTEXTS,
        Engine: rules.ENGINES,
        ErrorDetail: rules.FAULTS,
        HoldbackError: rules.ERRORS,
        InvalidDocument: rules.INVALID_DOCUMENTS,
        Jurisdictions: rules.JURISDICTIONS,
        Reason: rules.REASONS,
        Refusal: rules.REFUSED,
        RuleError: rules.rule_errors(),
        Rulebook: rules.rulebooks(),
    }
)

_OUTCOMES: Final = st.builds(
    Outcome,
    reply=st.one_of(*_REPLIES.values()),
    events=values.few(st.one_of(*events_and_commands.EVENTS.values())),
    merchant=shapes.MERCHANTS,
)

_KINDS: Final[Mapping[type, st.SearchStrategy[Any]]] = MappingProxyType(
    {
        **_MODEL,
        **_RULES,
        **_REPLIES,
        **events_and_commands.EVENTS,
        **events_and_commands.COMMANDS,
        Outcome: _OUTCOMES,
        NoneType: st.none(),
    }
)


@overload
def of(kind: type[T]) -> st.SearchStrategy[T]: ...
@overload
def of(kind: UnionType) -> st.SearchStrategy[Any]: ...
def of(kind: Any) -> st.SearchStrategy[Any]:
    """
    Any value of *kind*: a class of the front door, an event, a command, a reply, or a union of them such as
    `holdback.lifecycle.events.Event`.

    Each value is valid in shape; its fields need not fit together. What an engine really produces comes from
    `histories`. Engines, rulebooks and jurisdictions are those that ship.

    >>> from hypothesis import find
    >>> from holdback import Money
    >>> find(of(Money), lambda money: money.currency.code == "JPY")
    Money.parse('JPY 0')

    Raises:
        TypeError: for a type that has no strategy, such as the protocol of a calculator.
    """
    if isinstance(kind, UnionType):
        return st.one_of([of(each) for each in get_args(kind)])
    if kind in _KINDS:
        return _KINDS[kind]
    name = getattr(kind, "__name__", repr(kind))
    hint = did_you_mean(name, [each.__name__ for each in _KINDS])
    raise TypeError(f"there is no strategy for `{name}`" + (f"; {hint}" if hint else ""))
