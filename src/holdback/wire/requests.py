"""The bodies that a partner sends: the request for offers and the acceptance (service 2.1 and 2.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from holdback.errors import ErrorDetail, did_you_mean
from holdback.exact_json import Json
from holdback.model.acceptance import BankDetails
from holdback.model.application import Application, OffersRequest
from holdback.money import MINOR_UNITS
from holdback.wire.fields import (
    Faults,
    Reader,
    checked,
    closed_object,
    closed_objects,
    free_text,
    identifier,
    missing,
    or_null,
    read_document,
    read_object,
    wrong_kind,
)

# Service 2.3: "Hyphen-separated groups of digits."
_SORT_CODE: Final = re.compile(r"[0-9]+(?:-[0-9]+)+")
_CODE: Final = re.compile(r"[A-Za-z]{1,10}")

PROFILE: Final = ("consents", "applicants", "company")


def _near(code: str) -> str | None:
    """A hint for a currency code: itself, its letters in another order, or one that is near."""
    if code in MINOR_UNITS:
        return did_you_mean(code, (code,))
    swapped = [known for known in MINOR_UNITS if sorted(known) == sorted(code)]
    return did_you_mean(code, swapped or MINOR_UNITS)


def _currency(value: Json, path: str, faults: Faults) -> str | None:
    if type(value) is not str:
        wrong_kind(value, "text", path, faults)
        return None
    if value in MINOR_UNITS:
        return value
    message, hint = "expected an ISO 4217 currency code such as `GBP`", None
    if _CODE.fullmatch(value):
        message = f"unknown currency `{value}`"
        hint = _near(value.upper())
    faults.append(ErrorDetail(message=message, path=path, hint=hint))
    return None


def _sort_code(value: Json, path: str, faults: Faults) -> str | None:
    read: str | None = identifier(value, path, faults)
    if read is not None and _SORT_CODE.fullmatch(read) is None:
        message = "expected groups of digits with hyphens between them, such as `00-00-00`"
        faults.append(ErrorDetail(message=message, path=path))
    return read


def _provider_id(value: Json, path: str, faults: Faults) -> str | None:
    if value == "":
        message = "expected the stored provider_id, or null in an initial application"
        faults.append(ErrorDetail(message=message, path=path))
        return None
    read: str | None = None if value is None else identifier(value, path, faults)
    return read


_APPLICATION: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "merchant_id": identifier,
        "provider_id": _provider_id,
        "intended_use_of_funds": free_text,
        "currency": _currency,
    }
)


def _application(value: Json, path: str, faults: Faults) -> dict[str, Any]:
    return read_object(value, path, faults, _APPLICATION, ("merchant_id", "currency"))


_OFFERS_REQUEST: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "application": _application,
        "consents": closed_object,
        "applicants": closed_objects,
        "company": closed_object,
    }
)


def read_offers_request(body: bytes | str | Mapping[str, Json]) -> OffersRequest:
    """
    The body of `POST /offers` (service 2.1), from JSON text or from a mapping that was parsed already.

    >>> body = '{"application": {"merchant_id": "m-1", "provider_id": "p-1", "currency": "GBP"}}'
    >>> read_offers_request(body).renewal
    True

    Raises:
        InvalidDocument: with every fault: unknown and missing fields, wrong types, a renewal with a
            profile, an initial application without one.
    """
    tree, faults = read_document(body), Faults()
    read = read_object(tree, "$", faults, _OFFERS_REQUEST, ("application",))
    if "application" in read and type(tree["application"]) is dict:
        _check_profile(tree, faults)
    checked(faults)
    return OffersRequest(
        application=Application(**read["application"]),
        consents=read.get("consents"),
        applicants=read.get("applicants"),
        company=read.get("company"),
    )


def _check_profile(tree: Mapping[str, Json], faults: Faults) -> None:
    """
    Service 2.1: consents, applicants and company are sent in initial applications, and "a renewal
    request contains only the application object". A provider_id that is neither leaves open which
    it is.
    """
    provider_id = tree["application"].get("provider_id")
    if provider_id is None:
        faults.extend(
            missing(f"$.{name}", "the field is missing; an initial application carries it")
            for name in PROFILE
            if name not in tree
        )
    elif type(provider_id) is str and provider_id:
        message = "a renewal carries the application alone"
        hint = "leave the field out, or leave provider_id null in an initial application"
        faults.extend(
            ErrorDetail(message=message, path=f"$.{name}", hint=hint)
            for name in PROFILE
            if name in tree
        )


_BANK_DETAILS: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "account_number": identifier,
        "bank_name": identifier,
        "account_type": identifier,
        "sort_code": _sort_code,
    }
)


def bank_details(value: Json, path: str, faults: Faults) -> BankDetails | None:
    """Read bank details (service 2.3); every field of them is optional."""
    before = len(faults)
    read = read_object(value, path, faults, _BANK_DETAILS)
    return BankDetails(**read) if len(faults) == before else None


_ACCEPT_REQUEST: Final[Mapping[str, Reader]] = MappingProxyType(
    {"bank_details": or_null(bank_details)}
)


def read_accept_request(body: bytes | str | Mapping[str, Json] | None = None) -> BankDetails | None:
    """
    The bank details of the optional body of an acceptance (service 2.3); None when there are none.

    >>> read_accept_request(b"") is None
    True
    >>> read_accept_request({"bank_details": {"sort_code": "00-00-00"}})
    BankDetails()

    Raises:
        InvalidDocument: with every fault. No message holds any of the details.
    """
    if body is None or body in (b"", ""):
        return None
    faults: Faults = []
    read = read_object(read_document(body), "$", faults, _ACCEPT_REQUEST)
    checked(faults)
    details: BankDetails | None = read.get("bank_details")
    return details
