"""What a host receives: the bodies of the specification, and the inputs of its operations (design 7a)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, get_args

from hypothesis import strategies as st

from holdback.exact_json import Json, write_json
from holdback.lifecycle.commands import ApplicationEnding, DealEnding
from holdback.money import Currency
from holdback.testing.operations import known
from holdback.testing.strategies.values import (
    CLOSED,
    DAYS,
    NAMES,
    NUMBERS,
    as_currency,
    money,
)

# The largest amounts of an input, in minor units: what a busy merchant might sell in a day.
_MOST: Final = 10**9

IDENTIFIERS: Final = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)
FREE_TEXTS: Final = st.lists(IDENTIFIERS, min_size=1, max_size=4).map(" ".join)
_DAY_TEXTS: Final = DAYS.map(lambda day: day.isoformat())
# What the standard `json` writes and reads back as it was.
_PLAIN: Final[st.SearchStrategy[dict[str, Json]]] = st.dictionaries(
    NAMES, st.none() | st.booleans() | st.integers(-(10**9), 10**9) | FREE_TEXTS, max_size=3
)


def _object(
    required: Mapping[str, st.SearchStrategy[Any]],
    optional: Mapping[str, st.SearchStrategy[Any]] | None = None,
) -> st.SearchStrategy[dict[str, Json]]:
    """An object; what is optional is absent, null or there."""
    extra = {name: st.none() | each for name, each in (optional or {}).items()}
    return st.fixed_dictionaries(dict(required), optional=extra)


BANK_DETAILS: Final[st.SearchStrategy[dict[str, Json]]] = st.fixed_dictionaries(
    {},
    optional={
        "account_number": st.from_regex(r"[0-9]{8}", fullmatch=True),
        "bank_name": FREE_TEXTS,
        "account_type": st.just("NONE") | IDENTIFIERS,
        "sort_code": st.from_regex(r"[0-9]{2}-[0-9]{2}-[0-9]{2}", fullmatch=True),
    },
)


def _amounts(currency: Currency) -> st.SearchStrategy[Json]:
    """An amount as the wire takes it: text, or a whole number where it is one."""

    def written(amount: Decimal) -> st.SearchStrategy[Json]:
        forms: list[Json] = [str(amount), f"{currency} {amount}"]
        return st.sampled_from(forms + ([int(amount)] if amount == int(amount) else []))

    return money(currency, most=_MOST).map(lambda drawn: drawn.amount).flatmap(written)


def _initial(currency: Currency, content: Any) -> st.SearchStrategy[dict[str, Json]]:
    """Service 2.1: an initial application sends the whole profile, and what the funds are for."""
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


def _renewal(currency: Currency) -> st.SearchStrategy[dict[str, Json]]:
    """A renewal (service 2.1: it "contains only the application object")."""
    application = st.fixed_dictionaries(
        {
            "merchant_id": IDENTIFIERS,
            "provider_id": IDENTIFIERS,
            "currency": st.just(currency.code),
        }
    )
    return st.fixed_dictionaries({"application": application})


def _requests(
    currency: Currency, content: Any, renewal: bool | None
) -> st.SearchStrategy[dict[str, Json]]:
    if renewal is None:
        return _initial(currency, content) | _renewal(currency)
    return _renewal(currency) if renewal else _initial(currency, content)


def offers_bodies(
    *, currency: Currency | str = "GBP", renewal: bool | None = None
) -> st.SearchStrategy[bytes]:
    """
    Valid bodies of `POST /offers`, as bytes: of a renewal, of an initial application, or of either when
    *renewal* is None. A profile holds numbers in every way that JSON has of writing them.

    >>> from hypothesis import find
    >>> find(offers_bodies(renewal=True), lambda _: True)
    b'{"application":{"merchant_id":"0","provider_id":"0","currency":"GBP"}}'
    """
    return _requests(as_currency(currency), CLOSED, renewal).map(_written)


def accept_bodies() -> st.SearchStrategy[bytes]:
    """
    Valid bodies of `POST /offers/{offer_id}/accept`, as bytes: empty, without bank details or with them.

    >>> from hypothesis import find
    >>> find(accept_bodies(), lambda _: True)
    b''
    """
    bodies = _object({}, {"bank_details": BANK_DETAILS})
    return st.just(b"") | bodies.map(_written)


def _written(body: Json) -> bytes:
    return write_json(body).encode()


def json_numbers() -> st.SearchStrategy[str]:
    """
    JSON numbers as text, in every way that they may be written, within the 28 digits that stay exact.

    >>> from hypothesis import find
    >>> find(json_numbers(), lambda number: "." in number)
    '0.0'
    """
    return NUMBERS


def json_objects() -> st.SearchStrategy[dict[str, Json]]:
    """
    Objects as a partner might send them in a profile; `holdback.exact_json.write_json` writes them.

    >>> from hypothesis import find
    >>> find(json_objects(), lambda _: True)
    {}
    """
    return CLOSED


def _takings(currency: Currency) -> st.SearchStrategy[dict[str, Json]]:
    taken = _object({"on": _DAY_TEXTS, "amount": _amounts(currency)})
    return _object(
        {"takings": st.lists(taken, min_size=1, max_size=3)}, {"complete_through": _DAY_TEXTS}
    )


def _remittances(currency: Currency) -> st.SearchStrategy[dict[str, Json]]:
    amount = _amounts(currency)
    entry = st.fixed_dictionaries(
        {"id": IDENTIFIERS, "on": _DAY_TEXTS, "amount": amount},
        optional={
            "takings": st.none() | amount,
            "settled": st.booleans(),
            "reverses": st.none() | IDENTIFIERS,
        },
    )
    return _object(
        {"deal_id": IDENTIFIERS, "entries": st.lists(entry, min_size=1, max_size=3)},
        {"complete_through": _DAY_TEXTS},
    )


def _details(_: Currency) -> st.SearchStrategy[dict[str, Json]]:
    """At least one of the details."""
    details = _object({"bank_details": BANK_DETAILS}, {"intended_use_of_funds": FREE_TEXTS})
    return _object(
        {
            "application_id": IDENTIFIERS,
            "details": details | _object({"intended_use_of_funds": FREE_TEXTS}),
        }
    )


def _acceptance(_: Currency) -> st.SearchStrategy[dict[str, Json]]:
    return _object({"offer_id": IDENTIFIERS}, {"bank_details": BANK_DETAILS})


def _ending(name: str, words: Any) -> Callable[[Currency], st.SearchStrategy[dict[str, Json]]]:
    return lambda _: _object({name: IDENTIFIERS, "status": st.sampled_from(sorted(words))})


def _either(currency: Currency) -> st.SearchStrategy[dict[str, Json]]:
    return _requests(currency, _PLAIN, None)


def _provider(_: Currency) -> st.SearchStrategy[dict[str, Json]]:
    return _object({"provider_id": IDENTIFIERS})


_INPUTS: Final[Mapping[str, Callable[[Currency], st.SearchStrategy[dict[str, Json]]]]] = (
    MappingProxyType(
        {
            "request_offers": _either,
            "required_checks": _either,
            "accept_offer": _acceptance,
            "supply_details": _details,
            "close_application": _ending("application_id", get_args(ApplicationEnding)),
            "fund_deal": lambda _: _object({"application_id": IDENTIFIERS}),
            "record_takings": _takings,
            "record_remittance": _remittances,
            "close_deal": _ending("deal_id", get_args(DealEnding)),
            "look_up": _provider,
            "assess_renewal": _provider,
            "review_renewal": _provider,
        }
    )
)


def inputs(
    operation: str, *, currency: Currency | str = "GBP"
) -> st.SearchStrategy[dict[str, Json]]:
    """
    Valid inputs of *operation* by its name, such as `accept_offer`, as plain values that `json.dumps` takes.

    The ids in them are anybody's; those of a merchant that there is come with `histories`.

    >>> from hypothesis import find
    >>> find(inputs("close_deal"), lambda _: True)
    {'deal_id': '0', 'status': 'cancelled'}

    Raises:
        ValueError: for a name that is no operation.
    """
    return _INPUTS[known(operation)](as_currency(currency))
