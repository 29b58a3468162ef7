"""The converters of states, in which long lists are rows that are read lazily.

A deal has hundreds of entries, and a decision looks at few of them. So a list of entries, takings
or requests is kept as it was stored until its items are asked for, and what follows from all
entries of a deal is stored beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, get_args, get_origin

import attrs
from cattrs import Converter
from cattrs.gen import make_dict_unstructure_fn

from holdback.exact_json import Json
from holdback.model.deal import Deal, Entry
from holdback.model.merchant import RememberedRequest, Takings
from holdback.model.receipt import DealReceipt, Receipt, TakingsReceipt
from holdback.model.rows import Rows
from holdback.money import Money
from holdback.wire.converter import (
    Structure,
    UnexpectedError,
    class_hook,
    make_converter,
    structured,
)
from holdback.wire.fields import kind_of
from holdback.wire.timestamps import calendar_day, write_timestamp


def _lazy_rows(kind: Any, converter: Converter) -> Structure:
    """Return a hook for a list of which each item is made when it is first asked for."""
    (item,) = get_args(kind)

    def structure(value: Any, _: Any) -> Any:
        if type(value) is not list:
            raise UnexpectedError(f"expected an array, not {kind_of(value)}")
        # A row that somebody edited, with its checksum, is refused when it is made.
        return Rows(value, lambda row: structured(converter, row, item))

    return structure


def _written_rows(kind: Any, converter: Converter) -> Callable[[Any], list[Json]]:
    """Return a hook that writes a list; one that was read lazily is written as it came."""
    write = converter.get_unstructure_hook(get_args(kind)[0])

    def unstructure(items: Any) -> list[Json]:
        return Rows.as_stored(items) if isinstance(items, Rows) else [write(item) for item in items]

    return unstructure


def _deal(structure: Structure, *, lazily: bool) -> Structure:
    """Return a hook for a stored deal, which has what follows from its entries beside it."""

    def read(value: Any, kind: Any) -> Deal:
        if type(value) is not dict:
            raise UnexpectedError(f"expected an object, not {kind_of(value)}")
        fields = dict(value)
        derived = {name: fields.pop(name, None) for name in _OF_ENTRIES}
        deal: Deal = structure(fields, kind)
        if lazily:  # otherwise it is worked out again
            repaid_on = derived["repaid_on"]
            object.__setattr__(deal, "remitted", Money.parse(derived["remitted"]))
            object.__setattr__(
                deal, "repaid_on", None if repaid_on is None else calendar_day(repaid_on)
            )
        return deal

    return read


# What is worked out from a deal's entries, and stored so that a reader need not look at them.
_OF_ENTRIES: Final = ("remitted", "repaid_on")


def _of_entries(deal: Deal) -> dict[str, Json]:
    day = deal.repaid_on
    return {"remitted": str(deal.remitted), "repaid_on": None if day is None else day.isoformat()}


def _entry_row(entry: Entry) -> list[Json]:
    """Write an entry of a state in one row: a deal has hundreds of them."""
    return [
        entry.id,
        entry.on.isoformat(),
        str(entry.amount),
        None if entry.takings is None else str(entry.takings),
        entry.settled,
        entry.reverses,
    ]


def _takings_row(takings: Takings) -> list[Json]:
    stated_at = takings.stated_at
    return [
        takings.on.isoformat(),
        str(takings.amount),
        None if stated_at is None else write_timestamp(stated_at),
    ]


def _request_fields(request: RememberedRequest) -> dict[str, Json]:
    """Write a remembered request, of which a state has dozens."""
    carried_out = request.carried_out
    return {
        "request_id": request.request_id,
        "at": write_timestamp(request.at),
        "carried_out": {
            "operation": carried_out.operation,
            "fingerprint": carried_out.fingerprint,
            "receipt": _receipt_fields(carried_out.receipt),
        },
    }


def _receipt_fields(receipt: Receipt) -> dict[str, Json]:
    if isinstance(receipt, DealReceipt):
        return {
            "deal_id": receipt.deal_id,
            "entry_ids": list(receipt.entry_ids),
            "sequence": receipt.sequence,
            "balance": str(receipt.balance),
        }
    if isinstance(receipt, TakingsReceipt):
        through = receipt.complete_through
        return {
            "days": receipt.days,
            "complete_through": None if through is None else through.isoformat(),
            "sequence": receipt.sequence,
        }
    return attrs.asdict(receipt)


def _rows(kind: type, converter: Converter) -> Structure:
    """Return a hook for a row of the values of the fields of *kind*, in their order."""
    fields = [attribute.alias or attribute.name for attribute in attrs.fields(kind)]

    def structure(value: Any, _: Any) -> Any:
        if type(value) is not list or len(value) != len(fields):
            raise UnexpectedError(f"expected an array of {', '.join(fields)}")
        return structure_fields(dict(zip(fields, value, strict=True)), kind)

    structure_fields = class_hook(kind, converter)
    return structure


def _add_rows(converter: Converter, *, lazily: bool) -> None:
    """Add what distinguishes a state: rows, and deals with what follows from their entries."""
    converter.register_structure_hook(Entry, _rows(Entry, converter))
    converter.register_unstructure_hook(Entry, _entry_row)
    converter.register_structure_hook(Takings, _rows(Takings, converter))
    converter.register_unstructure_hook(Takings, _takings_row)
    converter.register_unstructure_hook(RememberedRequest, _request_fields)
    if lazily:
        converter.register_structure_hook_factory(
            _is_long, lambda kind: _lazy_rows(kind, converter)
        )
    converter.register_unstructure_hook_factory(
        _is_long, lambda kind: _written_rows(kind, converter)
    )
    read = class_hook(Deal, converter)

    @cache
    def write() -> Callable[[Deal], dict[str, Json]]:
        return make_dict_unstructure_fn(Deal, converter, _cattrs_use_alias=True)

    converter.register_structure_hook(Deal, _deal(read, lazily=lazily))
    converter.register_unstructure_hook(Deal, lambda deal: {**write()(deal), **_of_entries(deal)})


def _is_long(kind: Any) -> bool:
    return get_origin(kind) is Sequence


@cache
def state_converter(*, lazily: bool) -> Converter:
    """Return the converter of states; *lazily* is for documents that are unchanged."""
    converter = make_converter()
    _add_rows(converter, lazily=lazily)
    return converter
