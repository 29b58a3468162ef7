"""The JSON inputs of the operations, read as commands and questions.

The readers are made from the classes in `holdback.operations`: one field for each attribute,
read by the attribute's type. Only an input of another shape has a reader of its own here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from types import MappingProxyType, NoneType, SimpleNamespace, UnionType
from typing import Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import attrs
from pendulum import DateTime

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.exact.exact_json import Json, Opaque
from holdback.exact.money import MINOR_UNITS, Currency, Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.context import CheckResult
from holdback.lifecycle.input_checks import InputContext
from holdback.lifecycle.operation import FreeText
from holdback.merchant.acceptance import BankDetails
from holdback.merchant.application import PROFILE, Applicants, Application, OffersRequest
from holdback.merchant.ledger import RECORDED_KINDS, REVERSAL, EntryKind, SignedMoney
from holdback.operations import (
    COMMANDS,
    OPERATIONS,
    Operation,
    RecordRemittance,
    RecordTakings,
    Reply,
    RequestOffers,
    RequireChecks,
    SupplyDetails,
)
from holdback.wire.fields import (
    Errors,
    Reader,
    add_error,
    add_type_error,
    amount_in,
    day,
    exact_facts,
    exact_number,
    flag,
    flags_by_name,
    free_text,
    identifier,
    instant,
    list_of,
    missing_field,
    object_of,
    one_of,
    opaque_object,
    opaque_objects,
    or_null,
    raise_if_any,
    read_document,
    read_object,
    texts_by_name,
    whole_number,
)
from holdback.wire.strict_json import checked_tree, tree_and_errors

# A reader of the whole input: it returns the fields of the command, which may be incomplete if it
# has added errors to the list.
_InputReader: TypeAlias = Callable[[Json, InputContext, Errors], dict[str, Any]]

_READERS: Final[Mapping[Any, Reader]] = MappingProxyType(
    {
        str: identifier,
        FreeText: free_text,
        Opaque: opaque_object,
        Applicants: opaque_objects,
        bool: flag,
        int: whole_number,
        Decimal: exact_number,
        date: day,
        DateTime: instant,
        Mapping[str, Json]: exact_facts,
        Mapping[str, bool]: flags_by_name,
        Mapping[str, str]: texts_by_name,
    }
)


@frozen
class _Terms:
    """What readers need to know of a jurisdiction."""

    currency: Currency
    bank_details: tuple[str, ...] = ()

    @classmethod
    def of(cls, input_context: InputContext) -> _Terms:
        return cls(input_context.currency, input_context.bank_details)


def _reader_of(kind: Any, terms: _Terms) -> Reader:
    """Return the reader of a field declared as *kind*, in a jurisdiction of these *terms*."""
    if kind in _READERS:
        return _READERS[kind]
    if kind == SignedMoney:
        return amount_in(terms.currency, signed=True)
    if kind is Money:
        return amount_in(terms.currency)
    if kind is BankDetails:
        return bank_details_with(terms.bank_details)
    origin, arguments = get_origin(kind), get_args(kind)
    if kind == EntryKind:
        # The engine says of any other kind which operation records it.
        return one_of(arguments, named=(*RECORDED_KINDS, REVERSAL))
    if origin is Literal:
        return one_of(arguments)
    if origin in {Union, UnionType}:
        (inner,) = (argument for argument in arguments if argument is not NoneType)
        return or_null(_reader_of(inner, terms))
    if origin is tuple:
        return list_of(_reader_of(arguments[0], terms))
    fields, required = _fields_of(kind, terms)

    def read(value: Json, path: str, errors: Errors) -> Any:
        before = len(errors)
        made = read_object(value, path, errors, fields, required)
        # The engine's checks of the fields that could be read are made all the same.
        return kind(**made) if len(errors) == before else _readable(fields, made)

    return read


def _readable(fields: Iterable[str], read: Mapping[str, Any]) -> SimpleNamespace:
    """Return the *fields* of an object that were *read*; the others are None."""
    return SimpleNamespace(**{name: read.get(name) for name in fields})


# Few classes, and a currency for each jurisdiction: the cache stays small.
@cache
def _fields_of(kind: type, terms: _Terms) -> tuple[Mapping[str, Reader], tuple[str, ...]]:
    """Return the readers of the fields of *kind*, and the names of the fields that are required."""
    hints = get_type_hints(kind, include_extras=True)
    attributes = attrs.fields(kind)
    readers = {
        field.name: _reader_of(hints[field.name], terms)
        for field in attributes
        if field.metadata.get("input", True)
    }
    return readers, tuple(field.name for field in attributes if field.default is attrs.NOTHING)


def _supply_details(tree: Json, input_context: InputContext, errors: Errors) -> dict[str, Any]:
    """Read the details from an object of their own; at least one must be given."""
    details_readers = {
        "bank_details": or_null(bank_details_with(input_context.bank_details)),
        "intended_use_of_funds": or_null(free_text),
    }
    fields = {"application_id": identifier, "details": object_of(details_readers)}
    read = read_object(tree, "$", errors, fields, ("application_id", "details"))
    given = tree.get("details") if isinstance(tree, dict) else None
    if isinstance(given, dict) and not any(given.get(name) is not None for name in details_readers):
        message = "expected bank_details, intended_use_of_funds or both"
        add_error("missing", message, "$.details", errors)
    details = read.pop("details", None) or {}
    return {**read, **details}


def _provider_id(tree: Json, _: InputContext, errors: Errors) -> dict[str, Any]:
    """Check the provider_id, by which the host has found the merchant already."""
    read_object(tree, "$", errors, {"provider_id": or_null(identifier)})
    return {}


def _application_id(tree: Json, _: InputContext, errors: Errors) -> dict[str, Any]:
    """Read which accepted application a question about its funding names."""
    return read_object(
        tree, "$", errors, {"application_id": identifier}, required=("application_id",)
    )


def _names_application(body: bytes | str | Mapping[str, Json] | None) -> bool:
    """Return whether *body* asks about the funding of an application, and not about a request."""
    tree = body if isinstance(body, Mapping) or body is None else tree_and_errors(body)[0]
    return isinstance(tree, Mapping) and "application_id" in tree


def _items_reader(kind: type[Operation[Any]], items: str) -> _InputReader:
    """Return a reader of recorded *items*; none are allowed only with `complete_through`."""

    def read(tree: Json, input_context: InputContext, errors: Errors) -> dict[str, Any]:
        fields, required = _fields_of(kind, _Terms.of(input_context))  # type: ignore[arg-type]  # a class is hashable
        recorded = read_object(tree, "$", errors, fields, required)
        if isinstance(tree, dict) and tree.get(items) == [] and not tree.get("complete_through"):
            message = "expected at least one item, or the day that complete_through names"
            add_error("missing", message, f"$.{items}", errors)
        if errors:
            errors += kind.input_errors(_readable(fields, recorded), input_context)
        return recorded

    return read


# Inputs of which the JSON is not one field for each attribute, or is checked further.
_OTHER_SHAPES: Final[Mapping[type, _InputReader]] = MappingProxyType(
    {
        RequireChecks: _application_id,
        SupplyDetails: _supply_details,
        RecordTakings: _items_reader(RecordTakings, "takings"),
        RecordRemittance: _items_reader(RecordRemittance, "entries"),
    }
)


def _read(
    kind: type[Operation[Any]],
    body: bytes | str | Mapping[str, Json] | None,
    input_context: InputContext,
) -> Operation[Any]:
    """
    Return the operation *kind* with the input that *body* has.

    The engine checks an input that can be read; one with errors is checked here, as far as it can
    be read, so that all errors are reported together.
    """
    # `RequireChecks` is about a request, unless it names the application whose funding it is about.
    about_funding = kind is RequireChecks and _names_application(body)
    if kind in {RequestOffers, RequireChecks} and not about_funding:
        return kind(request=read_offers_request({} if body is None else body))
    errors = Errors()
    tree = {} if body is None else read_document(body, errors)
    if kind in _OTHER_SHAPES:
        read = _OTHER_SHAPES[kind](tree, input_context, errors)
    elif kind.by_provider:
        read = _provider_id(tree, input_context, errors)
    else:
        fields, required = _fields_of(kind, _Terms.of(input_context))  # type: ignore[arg-type]  # a class is hashable
        read = read_object(tree, "$", errors, fields, required)
        if errors:
            errors += kind.input_errors(_readable(fields, read), input_context)
    raise_if_any(errors, tree)
    return kind(**read)


def read_command(
    operation: str, body: bytes | str | Mapping[str, Json] | None, input_context: InputContext
) -> Operation[Reply]:
    """
    Return the command that *operation* makes of its JSON input.

    The *input_context* is `engine.input_context(merchant, context)`. An input that cannot be read
    is checked with it as far as it can be read, so that all errors are reported at once; the engine
    checks the others when it carries them out.

    >>> from holdback import Context, Engine, Merchant, wire
    >>> merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")
    >>> context = Context(at=wire.read_timestamp("2026-07-06T09:00:00Z"), request_id="r-1")
    >>> input_context = Engine.for_trial().input_context(merchant, context)
    >>> read_command("close_deal", {"deal_id": "d-1", "status": "defaulted"}, input_context)
    CloseDeal(deal_id='d-1', status='defaulted', on=None)
    >>> takings = [{"on": "2026-07-0l", "amount": "1"}, {"on": "2026-07-07", "amount": "1"}]
    >>> read_command("record_takings", {"takings": takings}, input_context)
    Traceback (most recent call last):
    holdback.errors.InvalidDocument: $.takings[0].on: expected a day such as `2026-07-01`
    $.takings[1].on: expected a day up to today, 2026-07-06

    Raises:
        InvalidDocument: naming everything that is invalid in the input, or that *operation* is not
            the name of a command.
    """
    if operation not in COMMANDS:
        hint = did_you_mean(operation, COMMANDS) if isinstance(operation, str) else None
        if operation in OPERATIONS:
            hint = f"it is a question: carry out `operations.{OPERATIONS[operation].__name__}`"
        raise InvalidDocument.of("unknown_name", "unknown operation", path="$.operation", hint=hint)
    return _read(OPERATIONS[operation], body, input_context)


def read_input(
    operation: str, body: bytes | str | Mapping[str, Json] | None, input_context: InputContext
) -> Operation[Reply]:
    """
    Return the command or the question that *operation* makes of its JSON input.

    Raises:
        InvalidDocument: as `read_command`.
    """
    row = OPERATIONS.get(operation)
    if row is None or not row.is_question:
        return read_command(operation, body, input_context)
    # The host has found the merchant by the provider_id, and the question has no other field.
    return _read(row, None if row.by_provider else body, input_context)


def read_evidence(tree: Mapping[str, Json] | None, *, path: str = "$.evidence") -> dict[str, Json]:
    """
    Return the evidence of a scenario's step as exact values: text, flags, null, `int`, `Decimal`.

    The engine checks which facts may be evidence, and their types.

    >>> from holdback.exact.exact_json import Verbatim
    >>> read_evidence({"credit_score": Verbatim("640"), "identity_verified": True})
    {'credit_score': 640, 'identity_verified': True}

    Raises:
        InvalidDocument: *tree* is not an object of such values.
    """
    clean, wrong = checked_tree({} if tree is None else tree, path=path)
    errors = Errors(wrong)
    evidence = exact_facts(clean, path, errors)
    raise_if_any(errors, clean)
    return evidence


def read_check_results(tree: Json, *, path: str = "$.evidence") -> tuple[CheckResult, ...]:
    """
    Return the results of checks in *tree*, an array of objects with `check`, `made_at` and `facts`.

    >>> tree = [{"check": "identity", "made_at": "2026-12-01T09:00:00Z",
    ...          "facts": {"identity_verified": True}}]
    >>> read_check_results(tree)[0].check
    'identity'

    Raises:
        InvalidDocument: naming everything that is invalid in *tree*.
    """
    clean, wrong = checked_tree(tree, path=path)
    errors = Errors(wrong)
    # No amount is read as money here: a fact says its own currency.
    reader = _reader_of(tuple[CheckResult, ...], _Terms(Currency.of("GBP")))
    results: tuple[CheckResult, ...] = reader(clean, path, errors)
    raise_if_any(errors, clean)
    return results


# -- The bodies that a partner sends: requests for offers and acceptances (service 2.1 and 2.3).

# Groups of digits with hyphens between them (service 2.3).
_SORT_CODE: Final = re.compile(r"[0-9]+(?:-[0-9]+)+")
_CODE: Final = re.compile(r"[A-Za-z]{1,10}")


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


def _id_of_provider(value: Json, path: str, errors: Errors) -> str | None:
    if value == "":
        message = "expected the stored provider_id, or null in an initial application"
        add_error("wrong_value", message, path, errors)
        return None
    read: str | None = None if value is None else identifier(value, path, errors)
    return read


_APPLICATION: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "merchant_id": identifier,
        "provider_id": _id_of_provider,
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
    body: bytes | str | Mapping[str, Json] | None = None, input_context: InputContext | None = None
) -> BankDetails | None:
    """
    Return the bank details in the optional body of an acceptance (service 2.3), None without any.

    With an *input_context*, `engine.input_context(merchant, context)`, the fields that the
    merchant's jurisdiction names are read too.

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
    named = () if input_context is None else input_context.bank_details
    read = read_object(tree, "$", errors, {"bank_details": or_null(bank_details_with(named))})
    raise_if_any(errors, tree)
    details: BankDetails | None = read.get("bank_details")
    return details
