"""The inputs of a host's operations (design 7a): a name and a JSON object to a command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.exact_json import Json, Verbatim
from holdback.lifecycle.commands import (
    APPLICATION_ENDINGS,
    DEAL_ENDINGS,
    AcceptOffer,
    CloseApplication,
    CloseDeal,
    Command,
    FundDeal,
    RecordRemittance,
    RecordTakings,
    RequestOffers,
    ReviewRenewal,
    SupplyDetails,
)
from holdback.model.deal import Entry
from holdback.model.merchant import Takings
from holdback.money import Currency
from holdback.wire.fields import (
    Faults,
    Reader,
    amount_in,
    checked,
    day,
    flag,
    free_text,
    identifier,
    kind_of,
    list_of,
    number,
    object_of,
    one_of,
    or_null,
    read_document,
    read_object,
    wrong_kind,
)
from holdback.wire.requests import bank_details, read_offers_request
from holdback.wire.strict_json import field_path, read_tree


def _accept_offer(tree: Json, _: Currency, faults: Faults) -> Callable[[], Command]:
    fields = {"offer_id": identifier, "bank_details": or_null(bank_details)}
    read = read_object(tree, "$", faults, fields, ("offer_id",))
    return lambda: AcceptOffer(**read)


_DETAILS: Final = MappingProxyType(
    {"bank_details": or_null(bank_details), "intended_use_of_funds": or_null(free_text)}
)


def _supply_details(tree: Json, _: Currency, faults: Faults) -> Callable[[], Command]:
    fields = {"application_id": identifier, "details": object_of(_DETAILS)}
    read = read_object(tree, "$", faults, fields, ("application_id", "details"))
    details = read.get("details") or {}
    if not faults and not any(details.values()):
        message = "expected bank_details, intended_use_of_funds or both"
        faults.append(ErrorDetail(message=message, path="$.details"))
    return lambda: SupplyDetails(application_id=read["application_id"], **details)


def _close_application(tree: Json, _: Currency, faults: Faults) -> Callable[[], Command]:
    status = one_of(APPLICATION_ENDINGS)
    fields = {"application_id": identifier, "status": status}
    read = read_object(tree, "$", faults, fields, ("application_id", "status"))
    return lambda: CloseApplication(**read)


def _fund_deal(tree: Json, _: Currency, faults: Faults) -> Callable[[], Command]:
    read = read_object(tree, "$", faults, {"application_id": identifier}, ("application_id",))
    return lambda: FundDeal(**read)


def _record_takings(tree: Json, currency: Currency, faults: Faults) -> Callable[[], Command]:
    fields = {"on": day, "amount": amount_in(currency)}
    items = list_of(_made(Takings, fields, ("on", "amount")))
    read = _recorded(tree, faults, {"takings": items})
    return lambda: RecordTakings(**read)


def _record_remittance(tree: Json, currency: Currency, faults: Faults) -> Callable[[], Command]:
    amount = amount_in(currency)
    fields = {
        "id": identifier,
        "on": day,
        "amount": amount,
        "takings": or_null(amount),
        "settled": flag,
        "reverses": or_null(identifier),
    }
    items = list_of(_made(Entry, fields, ("id", "on", "amount")))
    read = _recorded(tree, faults, {"entries": items}, {"deal_id": identifier})
    return lambda: RecordRemittance(**read)


def _recorded(
    tree: Json,
    faults: Faults,
    items: Mapping[str, Reader],
    others: Mapping[str, Reader] | None = None,
) -> dict[str, Any]:
    """What is recorded, complete up to a day. Nothing recorded is news only with such a day."""
    (name,) = items
    others = others or {}
    fields = {**others, **items, "complete_through": or_null(day)}
    read = read_object(tree, "$", faults, fields, (*others, name))
    if read.get(name) == () and not faults and read.get("complete_through") is None:
        message = "expected at least one item, or the day that complete_through names"
        faults.append(ErrorDetail(message=message, path=f"$.{name}"))
    return read


def _made(kind: type, fields: Mapping[str, Reader], required: tuple[str, ...]) -> Reader:
    """A reader of a *kind* from an object with *fields*."""

    def read(value: Json, path: str, faults: Faults) -> Any:
        before = len(faults)
        made = read_object(value, path, faults, fields, required)
        return kind(**made) if len(faults) == before else None

    return read


def _close_deal(tree: Json, _: Currency, faults: Faults) -> Callable[[], Command]:
    fields = {"deal_id": identifier, "status": one_of(tuple(DEAL_ENDINGS))}
    read = read_object(tree, "$", faults, fields, ("deal_id", "status"))
    return lambda: CloseDeal(**read)


def _review_renewal(tree: Json, _: Currency, faults: Faults) -> Callable[[], Command]:
    read_object(tree, "$", faults, {"provider_id": or_null(identifier)})
    return ReviewRenewal


def _request_offers(tree: Json, _: Currency, __: Faults) -> Callable[[], Command]:
    request = read_offers_request(tree)
    return lambda: RequestOffers(request=request)


_COMMANDS: Final[Mapping[str, Callable[[Json, Currency, Faults], Callable[[], Command]]]] = (
    MappingProxyType(
        {
            "request_offers": _request_offers,
            "accept_offer": _accept_offer,
            "supply_details": _supply_details,
            "close_application": _close_application,
            "fund_deal": _fund_deal,
            "record_takings": _record_takings,
            "record_remittance": _record_remittance,
            "close_deal": _close_deal,
            "review_renewal": _review_renewal,
        }
    )
)


COMMANDS: Final = tuple(_COMMANDS)
"""The names of the operations that are commands."""


def read_command(
    operation: str, body: bytes | str | Mapping[str, Json] | None, currency: Currency
) -> Command:
    """
    The command that *operation* and its input *body* make; amounts of money are in *currency*.

    >>> read_command("close_deal", {"deal_id": "d-1", "status": "defaulted"}, Currency.of("GBP"))
    CloseDeal(deal_id='d-1', status='defaulted')

    Raises:
        InvalidDocument: with every fault of the body, or for an operation that is no command.
    """
    read = _COMMANDS.get(operation) if isinstance(operation, str) else None
    if read is None:
        hint = did_you_mean(operation, _COMMANDS) if isinstance(operation, str) else None
        raise InvalidDocument.of("unknown operation", path="$.operation", hint=hint)
    tree = {} if body is None else read_document(body)
    faults: Faults = []
    make = read(tree, currency, faults)
    checked(faults)
    return make()


def read_evidence(tree: Mapping[str, Json] | None, *, path: str = "$.evidence") -> dict[str, Json]:
    """
    The evidence of a scenario's step as plain exact values: text, flags, null, `int` and `Decimal`.

    The engine checks which facts may be evidence, and their types.

    >>> read_evidence({"credit_score": Verbatim("640"), "identity_verified": True})
    {'credit_score': 640, 'identity_verified': True}

    Raises:
        InvalidDocument: when it is no object of such values.
    """
    faults: Faults = []
    evidence: dict[str, Json] = {}
    clean = {} if tree is None else read_tree(tree)
    if type(clean) is not dict:
        wrong_kind(clean, "an object", path, faults)
        clean = {}
    for name, value in clean.items():
        if isinstance(value, dict | list):
            message = f"expected one value, not {kind_of(value)}"
            faults.append(ErrorDetail(message=message, path=field_path(path, name)))
        evidence[name] = number(value) if isinstance(value, Verbatim) else value
    checked(faults)
    return evidence
