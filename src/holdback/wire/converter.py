"""The converter between the model's classes and plain values, for stored documents.

Money (`GBP 10000.00`), decimals, instants and days are stored as text. Opaque documents are
embedded as JSON. Objects whose names the host or a partner chooses are written with their names
sorted, so that the same content always gives the same bytes.

A field is stored under the alias of its attribute. That is the attribute's own name, unless the
class says `field(alias="stored_name")`: so an attribute can be renamed, and stored documents stay
readable.

Types are compared with `type(value) is str`, as `wire.fields` explains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from types import GenericAlias, MappingProxyType
from typing import Any, Final, TypeAlias, TypeVar, get_args, get_origin

import attrs
from cattrs import Converter
from cattrs.errors import ClassValidationError, ForbiddenExtraKeysError, IterableValidationError
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from pendulum import DateTime

from holdback.errors import ErrorDetail, InvalidDocument, StateError, did_you_mean
from holdback.exact.exact_json import Json, Opaque, Verbatim, field_path
from holdback.exact.exact_numbers import MAX_DIGITS, plain, plain_digits
from holdback.exact.money import Money
from holdback.frozen_classes import PLAIN, FrozenList, FrozenMapping
from holdback.lifecycle.events import (
    ApplicationClosed,
    ConsentsRecorded,
    DealFunded,
    DealUnwound,
    EntriesPosted,
    Forgotten,
    HoldPlaced,
    OfferAccepted,
    OffersIssued,
    ProfileErased,
    RenewalEligibilityChanged,
    TakingsRecorded,
)
from holdback.merchant.acceptance import ApplicationStatus
from holdback.merchant.application import CheckRecord, GivenConsents, HeldCheck, HeldFact
from holdback.merchant.deal import Deal
from holdback.merchant.instants import calendar_day, instant, write_timestamp
from holdback.merchant.ledger import Entry, EntryTotals
from holdback.merchant.merchant import (
    ClosedOfferSet,
    DisclosedOffer,
    Fulfilment,
    Merchant,
    OfferSet,
)
from holdback.merchant.offer import Offer
from holdback.merchant.product import Product
from holdback.merchant.receipt import (
    DealReceipt,
    Receipt,
    RecordReceipt,
    SuspenseReceipt,
    TakingsReceipt,
)
from holdback.merchant.referral import Referral
from holdback.merchant.suspense import Suspense, SuspenseEntry, SuspenseTotals
from holdback.wire.fields import kind_of, number
from holdback.wire.strict_json import is_number

Structure: TypeAlias = Callable[[Any, Any], Any]


def _expecting(what: str, read: Callable[[str], Any]) -> Structure:
    """Return a hook for text that *read* parses; on its `ValueError`, *what* was expected."""

    def structure(value: Any, _: Any) -> Any:
        try:
            if type(value) is str:
                return read(value)
        except ValueError:
            pass
        raise UnexpectedError(f"expected {what}")

    return structure


def _exactly(kind: type, what: str) -> Structure:
    def structure(value: Any, _: Any) -> Any:
        if type(value) is not kind:
            raise UnexpectedError(f"expected {what}, not {kind_of(value)}")
        return value

    return structure


def _whole(value: Any, _: Any) -> int:
    if type(value) is int:  # of a document that is as it was written
        return value
    read = number(value) if type(value) is Verbatim else None
    if type(read) is not int:
        raise UnexpectedError(f"expected a whole number, not {kind_of(value)}")
    return read


def exact_decimal(text: str) -> Decimal:
    """
    Return the number written in *text*, which has at most 28 digits when it is written plainly.

    Raises:
        ValueError: it is another number, or none.
    """
    if not is_number(text):
        raise ValueError
    read = Decimal(text)
    # A number with an exponent can have more digits when it is written plainly.
    if not _PLAIN_SIGNS.issuperset(text) and not is_number(plain(read)):
        raise ValueError
    return read


_PLAIN_SIGNS: Final = frozenset("0123456789.-")


def _opaque(value: Any, _: Any) -> Opaque:
    if not isinstance(value, dict | list):
        raise UnexpectedError(f"expected an object or an array, not {kind_of(value)}")
    return Opaque.of(value)


def with_python_numbers(value: Json) -> Json:
    """
    Return the tree *value* with its numbers as `int` and `Decimal`.

    >>> with_python_numbers({"a": [Verbatim("1"), Verbatim("0.10")]})
    {'a': [1, Decimal('0.10')]}
    """
    if type(value) is Verbatim:
        return number(value)
    if isinstance(value, dict):
        return {name: with_python_numbers(item) for name, item in value.items()}
    return [with_python_numbers(item) for item in value] if isinstance(value, list) else value


def _plain_values(value: Json) -> Json:
    """Return *value* with Python's numbers, if they can be written in plain digits."""
    read = with_python_numbers(value)
    if any(not is_number(plain(number)) for number in _decimals(read)):
        message = f"expected numbers of at most {MAX_DIGITS} digits when they are written plainly"
        raise UnexpectedError(message)
    return read


def _decimals(value: Json) -> Iterator[Decimal]:
    if isinstance(value, Decimal):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _decimals(item)


def _json_object(value: Any, _: Any) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise UnexpectedError(f"expected an object, not {kind_of(value)}")
    read: dict[str, Json] = _plain_values(value)
    return read


def _object_as_written(value: Any, _: Any) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise UnexpectedError(f"expected an object, not {kind_of(value)}")
    return value


def _in_order(value: Json) -> Json:
    """Return *value*, nested plain values, with the names of every object sorted."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is FrozenMapping or isinstance(value, Mapping):
        if not _NAMES.issuperset(map(type, value)):
            raise TypeError("the names of an object are text")
        return {name: _in_order(value[name]) for name in sorted(value)}
    if kind is FrozenList or kind is tuple:
        return [_in_order(item) for item in value]
    if kind is Verbatim:  # which only `write_json` writes unchanged
        return Opaque(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Money):
        return str(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_in_order(item) for item in value]
    if kind is Opaque:
        return value
    raise TypeError(f"{kind.__name__} is not exact JSON")


_NAMES: Final = frozenset({str})


def class_hook(kind: type, converter: Converter) -> Structure:
    """Return a hook for an object with the fields of *kind*, and no others."""

    # Written and compiled for the first object: that takes a millisecond, and few documents have
    # objects of every class.
    @cache
    def structure_fields() -> Structure:
        return make_dict_structure_fn(
            kind,
            converter,
            _cattrs_forbid_extra_keys=True,
            _cattrs_use_alias=True,
            _cattrs_detailed_validation=converter.detailed_validation,
        )

    def structure(value: Any, of: Any) -> Any:
        if type(value) is not dict:
            raise UnexpectedError(f"expected an object, not {kind_of(value)}")
        return structure_fields()(value, of)

    return structure


def _array_hook(kind: Any, converter: Converter) -> Structure:
    items: Any = GenericAlias(list, get_args(kind)[:1])
    structure_items = converter.get_structure_hook(items)

    def structure(value: Any, _: Any) -> tuple[Any, ...]:
        if type(value) is not list:
            raise UnexpectedError(f"expected an array, not {kind_of(value)}")
        return tuple(structure_items(value, items))

    return structure


def _mapping_hook(kind: Any, converter: Converter) -> Structure:
    """Return a hook for an object whose names somebody chose, with values of one type."""
    item_kind = get_args(kind)[1]
    structure_item = converter.get_structure_hook(item_kind)

    def structure(value: Any, _: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise UnexpectedError(f"expected an object, not {kind_of(value)}")
        read = {}
        for name, item in value.items():
            try:
                read[name] = structure_item(item, item_kind)
            except UnexpectedError as error:
                raise UnexpectedError(str(error), name) from None
        return read

    return structure


def _held_fact(held: Any, _: Any) -> HeldFact:
    """Read a fact of held evidence: its value with its kind."""
    if not isinstance(held, list) or len(held) != _HELD_PARTS:
        raise UnexpectedError("expected an array of a value and its kind")
    value, kind = _plain_values(held)
    if type(value) not in PLAIN or type(kind) is not str:
        raise UnexpectedError("expected an array of one plain value and its kind")
    return HeldFact(value, kind)


def _write_evidence(evidence: Mapping[str, HeldFact]) -> dict[str, Json]:
    held = {name: (fact.value, fact.kind) for name, fact in evidence.items()}
    written: dict[str, Json] = _in_order(held)
    return written


_HELD_PARTS: Final = 2


def _receipt(value: Any, _: Any, converter: Converter) -> Any:
    """Read a receipt; the name of its first field tells which one it is."""
    if type(value) is not dict:
        raise UnexpectedError(f"expected an object, not {kind_of(value)}")
    kinds = {
        "deal_id": DealReceipt,
        "days": TakingsReceipt,
        "application_id": ApplicationStatus,
        "suspense_id": SuspenseReceipt,
    }
    kind = next((kinds[name] for name in value if name in kinds), RecordReceipt)
    return converter.structure(value, kind)


def make_converter(*, unchanged: bool) -> Converter:
    """
    Return a new converter of events; `stored` adds what states have.

    It reads trees of `read_json`, and writes values for `write_json`. It collects every error, but
    not for documents that are *unchanged*: it stops at the first, which has no place.
    """
    converter = Converter(detailed_validation=not unchanged, forbid_extra_keys=True)
    for kind, structure in (
        (str, _exactly(str, "text")),
        (bool, _exactly(bool, "true or false")),
        (int, _whole),
        (Decimal, _expecting("a number as text, such as `12.5`", exact_decimal)),
        (Money, _expecting("money such as `GBP 10000.00`", Money.parse)),
        (date, _expecting("a day such as `2026-07-01`", calendar_day)),
        (DateTime, _expecting("an instant such as `2026-07-01T10:00:00Z`", instant)),
        (Opaque, _opaque),
    ):
        converter.register_structure_hook(kind, structure)
    for kind, unstructure in (
        (Decimal, plain_digits),
        (Money, str),
        (date, date.isoformat),
        (DateTime, write_timestamp),
        (Opaque, lambda opaque: opaque),
    ):
        converter.register_unstructure_hook(kind, unstructure)
    converter.register_structure_hook_factory(_is_model, class_hook)
    converter.register_unstructure_hook_factory(
        _is_model, lambda kind: unstructure_fn(kind, converter)
    )
    converter.register_structure_hook_factory(_is_tuple, _array_hook)
    converter.register_structure_hook(HeldFact, _held_fact)
    converter.register_structure_hook_factory(
        _is_mapping, lambda kind: _mapping_hook(kind, converter)
    )
    converter.register_structure_hook_func(
        _is_json_object, _object_as_written if unchanged else _json_object
    )
    converter.register_unstructure_hook_func(_is_mapping, _in_order)
    converter.register_unstructure_hook_func(_is_evidence, _write_evidence)
    converter.register_structure_hook_func(
        _is_receipt, lambda value, of: _receipt(value, of, converter)
    )
    return converter


def _is_model(kind: Any) -> bool:
    return attrs.has(kind) and kind not in (Money, Opaque)


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) in {tuple, Sequence}


def _is_mapping(kind: Any) -> bool:
    return get_origin(kind) is Mapping


def _is_json_object(kind: Any) -> bool:
    return _is_mapping(kind) and get_args(kind) == (str, Any)


def _is_evidence(kind: Any) -> bool:
    return _is_mapping(kind) and get_args(kind) == (str, HeldFact)


def _is_receipt(kind: Any) -> bool:
    return bool(kind == Receipt)


@cache
def event_converter(*, unchanged: bool = False) -> Converter:
    """Return the converter of events; one for *unchanged* documents names no errors."""
    return make_converter(unchanged=unchanged)


# -- Fields of stored classes that are left out while they say nothing.

# With their defaults these fields say what a document without them says.
ADDED_FIELDS: Final[Mapping[type, tuple[str, ...]]] = MappingProxyType(
    {
        Merchant: (
            "checks",
            "consents",
            "referrals",
            "referral_decisions",
            "holds",
            "suspense",
            "replaced_sections",
            "disclosed",
        ),
        Fulfilment: (
            "lapses_at",
            "signature_before",
            "signature",
            "accepted_details",
            "product",
            "priced_on",
            "queued",
            "known_deals",
            "code",
        ),
        OfferSet: ("requoted", "known_deals", "withdrawn_at"),
        ClosedOfferSet: ("withdrawn_at",),
        DisclosedOffer: ("payoff",),
        Product: ("codes", "queued"),
        Deal: (
            "base_deal_id",
            "product",
            "priced_on",
            "cooling_off_days",
            "late_remittances",
            "pauses",
            "terms_changes",
            "fee_terms",
            "plan",
            "renewals",
        ),
        Offer: ("fees",),
        Entry: ("kind", "counterpart", "fee", "about"),
        EntryTotals: ("credits",),
        Suspense: ("entries", "closed"),
        SuspenseEntry: ("kind", "receipt", "deal_id"),
        SuspenseTotals: ("sums", "used"),
        CheckRecord: ("about",),
        GivenConsents: ("section",),
        HeldCheck: ("about",),
        Referral: ("sections",),
        OffersIssued: ("referrals", "consents"),
        TakingsRecorded: ("jurisdiction",),
        ProfileErased: ("jurisdiction",),
        HoldPlaced: ("jurisdiction",),
        ConsentsRecorded: ("jurisdiction", "applicants"),
        EntriesPosted: ("jurisdiction", "suspense"),
        Forgotten: ("suspense_through",),
        OfferAccepted: ("lapses_at", "signature_before", "product", "priced_on", "queued"),
        RenewalEligibilityChanged: ("decided_by",),
        ApplicationClosed: ("code",),
        DealFunded: ("decision",),
        DealUnwound: ("cancelled_on",),
    }
)


def unstructure_fn(kind: Any, converter: Converter) -> Callable[[Any], dict[str, Json]]:
    """
    Return the function that writes an object of *kind*.

    A field of `ADDED_FIELDS` is left out while it has its default
    (decisions/wire#fields-that-are-left-out).
    """
    left_out = override(omit_if_default=True)
    added: dict[str, Any] = dict.fromkeys(ADDED_FIELDS.get(kind, ()), left_out)
    write: Callable[[Any], dict[str, Json]] = make_dict_unstructure_fn(
        kind, converter, _cattrs_use_alias=True, **added
    )
    return write


# -- Structuring a stored document: its errors, each with the place and without a value.

_T = TypeVar("_T")


class UnexpectedError(Exception):
    """
    A value of the wrong type for its field; the message says what was expected, without it.

    `inside` names the part of the value that is wrong.
    """

    def __init__(self, message: str, inside: str | None = None) -> None:
        super().__init__(message)
        self.inside = inside


def structured(converter: Converter, tree: Json, kind: type[_T], path: str = "$") -> _T:
    """
    Return the *kind* that *tree* holds.

    Raises:
        StateError: naming every error with its JSON path.
    """
    errors: list[ErrorDetail] = []
    try:
        return converter.structure(tree, kind)
    except Exception as error:  # noqa: BLE001  # the errors of cattrs have no common class
        _collect(error, path, errors)
    # Raised outside the handler: the errors of cattrs hold values, which may be personal data.
    raise StateError(errors)


def _collect(error: BaseException, path: str, errors: list[ErrorDetail]) -> None:
    """Add the details of *error*, which is about *path*, to *errors*; its values are left out."""
    if isinstance(error, ClassValidationError):
        fields, others = error.group_exceptions()
        # cattrs names the attributes; the document has their aliases.
        aliases = {attribute.name: attribute.alias for attribute in attrs.fields(error.cl)}
        for inner, note in fields:
            _collect(inner, f"{path}.{aliases[note.name]}", errors)
        for inner in others:
            _collect(inner, path, errors)
    elif isinstance(error, IterableValidationError):
        for inner, place in error.group_exceptions()[0]:
            _collect(inner, f"{path}[{place.index}]", errors)
    elif isinstance(error, ForbiddenExtraKeysError):
        names = [str(attribute.alias) for attribute in attrs.fields(error.cl)]
        for name in sorted(error.extra_fields):
            hint = did_you_mean(name, names)
            errors.append(
                ErrorDetail(
                    code="unknown_field",
                    message="unknown field",
                    path=field_path(path, name),
                    hint=hint,
                )
            )
    elif isinstance(error, KeyError):
        errors.append(ErrorDetail(code="missing", message="the field is missing", path=path))
    elif isinstance(error, UnexpectedError):
        path = path if error.inside is None else field_path(path, error.inside)
        errors.append(ErrorDetail(code="wrong_type", message=str(error), path=path))
    elif isinstance(error, InvalidDocument):  # a validator of the model
        errors += [
            attrs.evolve(detail, path=path + (detail.path or "$")[1:]) for detail in error.errors
        ]
    else:
        errors.append(ErrorDetail(code="wrong_value", message="this cannot be read", path=path))
