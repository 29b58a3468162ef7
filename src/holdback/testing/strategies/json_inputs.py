"""JSON that a host receives: the bodies of service 2, and the inputs of the operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import attrs
from hypothesis import strategies as st
from pendulum import DateTime

from holdback.exact.bounds import MOST_TERM_DAYS
from holdback.exact.exact_json import Json, Opaque, write_json
from holdback.exact.money import Currency, Money
from holdback.lifecycle.operation import FreeText
from holdback.merchant.acceptance import BankDetails
from holdback.merchant.application import Applicants
from holdback.merchant.instants import write_timestamp
from holdback.merchant.ledger import SignedMoney
from holdback.operations import (
    OPERATIONS,
    AskStatement,
    ChangeTerms,
    RectifyProfile,
    RequestOffers,
    RequireChecks,
    SupplyDetails,
)
from holdback.testing.inputs import known_operation
from holdback.testing.strategies.values import (
    CLOSED,
    DAYS,
    INSTANTS,
    NAMES,
    as_currency,
    money,
)

Input: TypeAlias = dict[str, Json]

# The largest amount of an input, in minor units: what a busy merchant might sell in a day.
_LARGEST_AMOUNT: Final = 10**9

IDENTIFIERS: Final = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)
FREE_TEXTS: Final = st.lists(IDENTIFIERS, min_size=1, max_size=4).map(" ".join)
# The standard `json` writes and reads these without a change.
_PLAIN: Final[st.SearchStrategy[Input]] = st.dictionaries(
    NAMES, st.none() | st.booleans() | st.integers(-(10**9), 10**9) | FREE_TEXTS, max_size=3
)


def _object(
    required: Mapping[str, st.SearchStrategy[Any]],
    optional: Mapping[str, st.SearchStrategy[Any]] | None = None,
) -> st.SearchStrategy[Input]:
    """Return objects whose *optional* fields are absent, null or present."""
    nullable = {name: st.none() | value for name, value in (optional or {}).items()}
    return st.fixed_dictionaries(dict(required), optional=nullable)


BANK_DETAILS: Final[st.SearchStrategy[Input]] = st.fixed_dictionaries(
    {},
    optional={
        "account_number": st.from_regex(r"[0-9]{8}", fullmatch=True),
        "bank_name": FREE_TEXTS,
        "account_type": st.just("NONE") | IDENTIFIERS,
        "sort_code": st.from_regex(r"[0-9]{2}-[0-9]{2}-[0-9]{2}", fullmatch=True),
    },
)


def _amounts(currency: Currency, *, below_zero: bool = False) -> st.SearchStrategy[Json]:
    """Return amounts in every form that the wire reads: text, or a whole number."""

    def forms(positive: Decimal) -> st.SearchStrategy[Json]:
        amount = -positive if below_zero else positive
        texts: list[Json] = [str(amount), f"{currency} {amount}"]
        return st.sampled_from(texts + ([int(amount)] if amount == int(amount) else []))

    return money(currency, most=_LARGEST_AMOUNT).map(lambda drawn: drawn.amount).flatmap(forms)


def _initial(currency: Currency, content: Any) -> st.SearchStrategy[Input]:
    """Return requests with the whole profile, whose sections hold *content* (service 2.1)."""
    application = st.fixed_dictionaries(
        {"merchant_id": IDENTIFIERS, "currency": st.just(currency.code)},
        optional={"provider_id": st.none(), "intended_use_of_funds": FREE_TEXTS},
    )
    return st.fixed_dictionaries(
        {
            "application": application,
            "consents": content,
            "applicants": st.lists(content, min_size=1, max_size=2),
            "company": content,
        }
    )


def _renewal(currency: Currency) -> st.SearchStrategy[Input]:
    """Return requests with the application block alone (service 2.1)."""
    application = st.fixed_dictionaries(
        {
            "merchant_id": IDENTIFIERS,
            "provider_id": IDENTIFIERS,
            "currency": st.just(currency.code),
        }
    )
    return st.fixed_dictionaries({"application": application})


def offers_bodies(
    *, currency: Currency | str = "GBP", renewal: bool | None = None
) -> st.SearchStrategy[bytes]:
    """
    Return a strategy for valid bodies of `POST /offers`, as bytes.

    With *renewal* they are all renewals, or all initial applications, or either if it is None. A
    profile holds numbers in every form that JSON allows.

    >>> from hypothesis import find
    >>> find(offers_bodies(renewal=True), lambda _: True)
    b'{"application":{"merchant_id":"0","provider_id":"0","currency":"GBP"}}'
    """
    currency = as_currency(currency)
    if renewal is None:
        return (_initial(currency, CLOSED) | _renewal(currency)).map(_json_bytes)
    return (_renewal(currency) if renewal else _initial(currency, CLOSED)).map(_json_bytes)


def accept_bodies() -> st.SearchStrategy[bytes]:
    """
    Return a strategy for valid bodies of `POST /offers/{offer_id}/accept`, as bytes.

    A body is empty, or an object with or without bank details.

    >>> from hypothesis import find
    >>> find(accept_bodies(), lambda _: True)
    b''
    """
    bodies = _object({}, {"bank_details": BANK_DETAILS})
    return st.just(b"") | bodies.map(_json_bytes)


def _json_bytes(body: Json) -> bytes:
    return write_json(body).encode()


def json_fields(kind: type, currency: Currency) -> dict[str, tuple[st.SearchStrategy[Any], bool]]:
    """Return, for each attribute of *kind*, a strategy for its JSON and whether it is required."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        field.name: (_json_of(hints[field.name], currency), field.default is attrs.NOTHING)
        for field in attrs.fields(kind)
        if field.metadata.get("input", True)
    }


def _json_of(kind: Any, currency: Currency) -> st.SearchStrategy[Any]:
    """Return a strategy for the JSON of a field that is declared as *kind*."""
    if kind is Money:
        return _amounts(currency)
    if kind == SignedMoney:
        return _amounts(currency) | _amounts(currency, below_zero=True)
    if kind in _JSON_BY_TYPE:
        return _JSON_BY_TYPE[kind]
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return st.sampled_from(sorted(arguments))
    if origin in {Union, UnionType}:
        (inner,) = (argument for argument in arguments if argument is not NoneType)
        return st.none() | _json_of(inner, currency)
    if origin is tuple:
        return st.lists(_json_of(arguments[0], currency), min_size=1, max_size=3)
    return _json_object(kind, currency)


_JSON_BY_TYPE: Final[Mapping[Any, st.SearchStrategy[Any]]] = MappingProxyType(
    {
        str: IDENTIFIERS,
        FreeText: FREE_TEXTS,
        Opaque: _PLAIN,
        Applicants: st.lists(_PLAIN, min_size=1, max_size=2),
        bool: st.booleans(),
        int: st.integers(1, 4000),
        # A percentage, as a number that the standard `json` writes exactly.
        Decimal: st.integers(1, 100),
        date: DAYS.map(lambda day: day.isoformat()),
        DateTime: INSTANTS.map(write_timestamp),
        BankDetails: BANK_DETAILS,
        Mapping[str, bool]: st.dictionaries(IDENTIFIERS, st.booleans(), min_size=1, max_size=3),
        Mapping[str, str]: st.dictionaries(IDENTIFIERS, FREE_TEXTS, max_size=3),
        # The results of a check by the names of its facts.
        Mapping[str, Json]: st.dictionaries(
            IDENTIFIERS, st.booleans() | st.integers(-(10**9), 10**9) | FREE_TEXTS, max_size=3
        ),
    }
)


def _json_object(kind: type, currency: Currency) -> st.SearchStrategy[Input]:
    fields = json_fields(kind, currency)
    return st.fixed_dictionaries(
        {name: value for name, (value, required) in fields.items() if required},
        optional={name: value for name, (value, required) in fields.items() if not required},
    )


def _details(_: Currency) -> st.SearchStrategy[Input]:
    """Return inputs that supply at least one of the details."""
    details = _object({"bank_details": BANK_DETAILS}, {"intended_use_of_funds": FREE_TEXTS})
    return _object(
        {
            "application_id": IDENTIFIERS,
            "details": details | _object({"intended_use_of_funds": FREE_TEXTS}),
        }
    )


def _requests(currency: Currency) -> st.SearchStrategy[Input]:
    return _initial(currency, _PLAIN) | _renewal(currency)


def _of_requests_and_fundings(currency: Currency) -> st.SearchStrategy[Input]:
    return _requests(currency) | _object({"application_id": IDENTIFIERS})


def _changes_of_terms(currency: Currency) -> st.SearchStrategy[Input]:
    """Return inputs that change at least one of the terms."""
    terms = {name: value for name, (value, _) in json_fields(ChangeTerms, currency).items()}
    days, split = st.integers(1, MOST_TERM_DAYS), st.integers(1, 100)
    named = {"deal_id": terms["deal_id"], "on": terms["on"]}
    return _object({**named, "term_days": days}, {"split_percentage": split}) | _object(
        {**named, "split_percentage": split}
    )


def _corrections(_: Currency) -> st.SearchStrategy[Input]:
    """Return inputs that correct at least one section."""
    applicants = {"applicants": _JSON_BY_TYPE[Applicants]}
    return _object(applicants, {"company": _PLAIN}) | _object({"company": _PLAIN})


def _statements(_: Currency) -> st.SearchStrategy[Input]:
    """Return inputs with no day, one or two, of which the first is not the later one."""
    days = st.lists(DAYS, min_size=2, max_size=2).map(sorted)
    both = days.map(lambda ends: {"since": ends[0].isoformat(), "until": ends[1].isoformat()})
    day = DAYS.map(lambda day: day.isoformat())
    return both | _object({}, {"since": day}) | _object({}, {"until": day})


# Inputs of which the JSON is not one field for each attribute, as in `wire.commands`.
_OTHER_SHAPES: Final[Mapping[type, Callable[[Currency], st.SearchStrategy[Input]]]] = (
    MappingProxyType(
        {
            RequestOffers: _requests,
            RequireChecks: _of_requests_and_fundings,
            SupplyDetails: _details,
            ChangeTerms: _changes_of_terms,
            RectifyProfile: _corrections,
            AskStatement: _statements,
        }
    )
)


def inputs(operation: str, *, currency: Currency | str = "GBP") -> st.SearchStrategy[Input]:
    """
    Return a strategy for valid inputs of *operation*, as plain values that `json.dumps` takes.

    Their ids belong to nobody. Inputs that fit a merchant come with `histories`.

    >>> from hypothesis import find
    >>> find(inputs("close_deal"), lambda _: True)
    {'deal_id': '0', 'status': 'cancelled'}

    Raises:
        ValueError: *operation* is not the name of an operation.
    """
    kind = OPERATIONS[known_operation(operation)]
    if kind.by_provider:
        return _object({"provider_id": IDENTIFIERS})
    if kind in _OTHER_SHAPES:
        return _OTHER_SHAPES[kind](as_currency(currency))
    return _json_object(kind, as_currency(currency))
