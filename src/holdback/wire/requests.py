"""The bodies that a partner sends: requests for offers and acceptances (service 2.1 and 2.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from holdback.errors import ErrorDetail, did_you_mean
from holdback.exact.exact_json import Json
from holdback.exact.money import MINOR_UNITS
from holdback.lifecycle.input_checks import Situation
from holdback.merchant.acceptance import BankDetails
from holdback.merchant.application import Application, OffersRequest
from holdback.wire.fields import (
    Errors,
    Reader,
    add_error,
    add_type_error,
    free_text,
    identifier,
    missing_field,
    opaque_object,
    opaque_objects,
    or_null,
    raise_if_any,
    read_document,
    read_object,
)

# Groups of digits with hyphens between them (service 2.3).
_SORT_CODE: Final = re.compile(r"[0-9]+(?:-[0-9]+)+")
_CODE: Final = re.compile(r"[A-Za-z]{1,10}")

PROFILE: Final = ("consents", "applicants", "company")


def _near(code: str) -> str | None:
    """Return a hint for a currency code: in capitals, with letters swapped, or a similar one."""
    if code in MINOR_UNITS:
        return did_you_mean(code, (code,))
    swapped = [candidate for candidate in MINOR_UNITS if sorted(candidate) == sorted(code)]
    return did_you_mean(code, swapped or MINOR_UNITS)


def _currency(value: Json, path: str, errors: Errors) -> str | None:
    if type(value) is not str:
        add_type_error(value, "text", path, errors)
        return None
    if value in MINOR_UNITS:
        return value
    message, hint = "expected an ISO 4217 currency code such as `GBP`", None
    if _CODE.fullmatch(value):
        message = f"unknown currency `{value}`"
        hint = _near(value.upper())
    add_error("wrong_value", message, path, errors, hint)
    return None


def _sort_code(value: Json, path: str, errors: Errors) -> str | None:
    read: str | None = identifier(value, path, errors)
    if read is not None and _SORT_CODE.fullmatch(read) is None:
        message = "expected groups of digits with hyphens between them, such as `00-00-00`"
        add_error("wrong_value", message, path, errors)
    return read


def _provider_id(value: Json, path: str, errors: Errors) -> str | None:
    if value == "":
        message = "expected the stored provider_id, or null in an initial application"
        add_error("wrong_value", message, path, errors)
        return None
    read: str | None = None if value is None else identifier(value, path, errors)
    return read


_APPLICATION: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "merchant_id": identifier,
        "provider_id": _provider_id,
        "intended_use_of_funds": free_text,
        "currency": _currency,
    }
)


def _application(value: Json, path: str, errors: Errors) -> dict[str, Any]:
    return read_object(value, path, errors, _APPLICATION, ("merchant_id", "currency"))


_OFFERS_REQUEST: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "application": _application,
        "consents": opaque_object,
        "applicants": opaque_objects,
        "company": opaque_object,
    }
)


def read_offers_request(body: bytes | str | Mapping[str, Json]) -> OffersRequest:
    """
    Return the body of `POST /offers` (service 2.1), read from JSON text or from a parsed mapping.

    >>> body = '{"application": {"merchant_id": "m-1", "provider_id": "p-1", "currency": "GBP"}}'
    >>> read_offers_request(body).renewal
    True

    Raises:
        InvalidDocument: naming every error: unknown and missing fields, wrong types, a renewal with
            a profile, an initial application without one.
    """
    errors = Errors()
    tree = read_document(body, errors)
    read = read_object(tree, "$", errors, _OFFERS_REQUEST, ("application",))
    if "application" in read and type(tree["application"]) is dict:
        _check_profile(tree, errors)
    raise_if_any(errors, tree)
    return OffersRequest(
        application=Application(**read["application"]),
        consents=read.get("consents"),
        applicants=read.get("applicants"),
        company=read.get("company"),
    )


def _check_profile(tree: Mapping[str, Json], errors: Errors) -> None:
    """Check that an initial application has the whole profile, and a renewal none of it."""
    # An invalid provider_id is reported already, and does not say which of the two it is.
    provider_id = tree["application"].get("provider_id")
    if provider_id is None:
        errors.extend(
            missing_field(f"$.{name}", "the field is missing; an initial application carries it")
            for name in PROFILE
            if name not in tree
        )
    elif type(provider_id) is str and provider_id:
        message = "a renewal carries the application alone"
        hint = "leave the field out, or leave provider_id null in an initial application"
        errors.extend(
            ErrorDetail(code="not_allowed", message=message, path=f"$.{name}", hint=hint)
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


# Few jurisdictions name fields of their own: the cache stays small.
@cache
def bank_details_with(named: tuple[str, ...]) -> Reader:
    """
    Return a reader of bank details, of which every field is optional (service 2.3).

    It takes the fields that are *named* by the jurisdiction besides those of the service.
    """
    fields = {**dict.fromkeys(named, identifier), **_BANK_DETAILS}

    def read(value: Json, path: str, errors: Errors) -> BankDetails | None:
        before = len(errors)
        given = read_object(value, path, errors, fields)
        return BankDetails.of(given) if len(errors) == before else None

    return read


def read_accept_request(
    body: bytes | str | Mapping[str, Json] | None = None, situation: Situation | None = None
) -> BankDetails | None:
    """
    Return the bank details in the optional body of an acceptance (service 2.3), None without any.

    With the *situation* of the merchant, `engine.situation(merchant, context)`, the fields that its
    jurisdiction names are read too.

    >>> read_accept_request(b"") is None
    True
    >>> read_accept_request({"bank_details": {"sort_code": "00-00-00"}})
    BankDetails()

    Raises:
        InvalidDocument: naming every error. No message holds any of the details.
    """
    if body is None or body in (b"", ""):
        return None
    errors = Errors()
    tree = read_document(body, errors)
    named = () if situation is None else situation.bank_details
    read = read_object(tree, "$", errors, {"bank_details": or_null(bank_details_with(named))})
    raise_if_any(errors, tree)
    details: BankDetails | None = read.get("bank_details")
    return details
