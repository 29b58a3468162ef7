"""The converters of states, in which long lists are rows that are read lazily.

A deal has hundreds of entries, and a decision looks at few of them. So a list of entries, takings
or requests is kept as the text that was stored until its items are asked for, and what follows from
all entries of a deal is stored beside them (decisions/formats#rows).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache
from json.encoder import encode_basestring as quoted
from types import MappingProxyType
from typing import Any, Final, get_args, get_origin

import attrs
from cattrs import Converter

from holdback.exact.exact_json import Json, write_plain
from holdback.exact.frozen_values import FrozenMapping
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.acceptance import ApplicationStatus
from holdback.merchant.deal import Deal
from holdback.merchant.ledger import REMITTANCE, Entry
from holdback.merchant.merchant import CarriedOut, RememberedRequest, Takings
from holdback.merchant.receipt import DealReceipt, Receipt, RecordReceipt, TakingsReceipt
from holdback.merchant.rows import BETWEEN_ROWS, Rows
from holdback.wire.added_fields import ADDED_FIELDS, unstructure_fn
from holdback.wire.converter import (
    Structure,
    class_hook,
    make_converter,
)
from holdback.wire.fields import kind_of
from holdback.wire.formats import tree_of
from holdback.wire.structuring import UnexpectedError, structured
from holdback.wire.timestamps import calendar_day, instant, write_timestamp


@frozen
class RowsText:
    """A list of a state as JSON, its rows apart: see `Rows`."""

    rows: str


def _lazy_rows(kind: Any) -> Structure:
    """Return a hook for the stored rows of a list, each of which is made when it is asked for."""
    (item,) = get_args(kind)
    read, write = _READ[item], _WRITE[item]

    def make(row: str) -> Any:
        try:
            made = read(_ROW.decode(row))
            if write(made) == row:
                return made
        except Exception:  # noqa: BLE001, S110  # somebody edited the row, with its checksum
            pass
        return structured(state_converter(unchanged=False), tree_of(row), item)

    return lambda value, _: Rows(value, make)


def _whole_numbers_only(_: str) -> Any:
    raise ValueError("a row has no number with decimals")


_ROW: Final = json.JSONDecoder(parse_float=_whole_numbers_only)


def _written_rows(kind: Any) -> Callable[[Any], RowsText]:
    """Return a hook that writes a list; the rows that were read lazily are written as they came."""
    write = _WRITE[get_args(kind)[0]]

    def unstructure(items: Any) -> RowsText:
        stored, more = Rows.as_stored(items) if isinstance(items, Rows) else ("", items)
        return RowsText(BETWEEN_ROWS.join([*([stored] if stored else []), *map(write, more)]))

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
            repaid_on, credited = derived["repaid_on"], derived["credits"] or {}
            sums = {kind: Money.parse(amount) for kind, amount in credited.items()}
            object.__setattr__(deal, "remitted", Money.parse(derived["remitted"]))
            object.__setattr__(deal, "credits", FrozenMapping(sums))
            object.__setattr__(
                deal, "repaid_on", None if repaid_on is None else calendar_day(repaid_on)
            )
        return deal

    return read


# What is worked out from a deal's entries, and stored so that a reader need not look at them.
_OF_ENTRIES: Final = ("remitted", "repaid_on", "credits")


def _of_entries(deal: Deal) -> dict[str, Json]:
    day = deal.repaid_on
    derived: dict[str, Json] = {
        "remitted": str(deal.remitted),
        "repaid_on": None if day is None else day.isoformat(),
    }
    if deal.credits:
        derived["credits"] = {kind: str(money) for kind, money in deal.credits.items()}
    return derived


def _nullable(text: str | None) -> str:
    return "null" if text is None else quoted(text)


def _entry_row(entry: Entry) -> str:
    takings = "null" if entry.takings is None else f'"{entry.takings}"'
    row = (
        f'[{quoted(entry.id)},"{entry.on.isoformat()}","{entry.amount}",{takings},'
        f"{'true' if entry.settled else 'false'},{_nullable(entry.reverses)}"
    )
    # Rows of remittances and their reversals, which are most, do not say so.
    if entry.kind == REMITTANCE or entry.reverses is not None:
        return row + "]"
    return f"{row},{quoted(entry.kind)},{_nullable(entry.counterpart)}]"


def _entry(row: Any) -> Entry:
    id_, on, amount, takings, settled, reverses, *of_kind = row
    kind = dict(zip(("kind", "counterpart"), of_kind, strict=True)) if of_kind else {}
    return Entry(
        id=id_,
        on=date.fromisoformat(on),
        amount=Money.parse(amount),
        takings=None if takings is None else Money.parse(takings),
        settled=settled,
        reverses=reverses,
        **kind,
    )


def _takings_row(takings: Takings) -> str:
    stated_at = takings.stated_at
    stated = "null" if stated_at is None else f'"{write_timestamp(stated_at)}"'
    return f'["{takings.on.isoformat()}","{takings.amount}",{stated}]'


def _takings(row: Any) -> Takings:
    on, amount, stated_at = row
    return Takings(
        on=date.fromisoformat(on),
        amount=Money.parse(amount),
        stated_at=None if stated_at is None else instant(stated_at),
    )


def _request_row(request: RememberedRequest) -> str:
    carried_out = request.carried_out
    return (
        f'{{"request_id":{quoted(request.request_id)},"at":"{write_timestamp(request.at)}",'
        f'"carried_out":{{"operation":{quoted(carried_out.operation)},'
        f'"fingerprint":{quoted(carried_out.fingerprint)},'
        f'"receipt":{_receipt_text(carried_out.receipt)}}}}}'
    )


def _request(row: Any) -> RememberedRequest:
    carried_out = dict(row["carried_out"])
    carried_out["receipt"] = _receipt(carried_out["receipt"])
    return RememberedRequest(
        request_id=row["request_id"], at=instant(row["at"]), carried_out=CarriedOut(**carried_out)
    )


def _receipt(fields: Any) -> Receipt:
    if "deal_id" in fields:
        balance, ids = Money.parse(fields["balance"]), tuple(fields["entry_ids"])
        return DealReceipt(**{**fields, "balance": balance, "entry_ids": ids})
    if "days" in fields:
        through = fields["complete_through"]
        return TakingsReceipt(
            **{**fields, "complete_through": None if through is None else calendar_day(through)}
        )
    if "application_id" not in fields:
        return RecordReceipt(**fields)
    return ApplicationStatus(**{**fields, "omitted": tuple(fields["omitted"])})


def _receipt_text(receipt: Receipt) -> str:
    if isinstance(receipt, DealReceipt):
        return (
            f'{{"deal_id":{quoted(receipt.deal_id)},"entry_ids":'
            f"[{','.join(map(quoted, receipt.entry_ids))}],"
            f'"sequence":{receipt.sequence},"balance":"{receipt.balance}"}}'
        )
    if isinstance(receipt, TakingsReceipt):
        through = receipt.complete_through
        written = "null" if through is None else f'"{through.isoformat()}"'
        return (
            f'{{"days":{receipt.days},"complete_through":{written},"sequence":{receipt.sequence}}}'
        )
    return write_plain(attrs.asdict(receipt))


_WRITE: Final[Mapping[type, Callable[[Any], str]]] = MappingProxyType(
    {Entry: _entry_row, Takings: _takings_row, RememberedRequest: _request_row}
)
_READ: Final[Mapping[type, Callable[[Any], Any]]] = MappingProxyType(
    {Entry: _entry, Takings: _takings, RememberedRequest: _request}
)


def state_text(fields: Mapping[str, Any]) -> str:
    """Return *fields*, those of a state, as JSON: what `write_json` does, many times faster."""
    pieces: list[str] = []
    run: dict[str, Json] = {}
    for name, value in fields.items():
        if type(value) is RowsText:
            text = f"[\n{value.rows}\n]"
        elif name == "deals":
            text = f"[{','.join(map(state_text, value))}]"
        else:
            run[name] = value
            continue
        _add_run(pieces, run)
        pieces.append(f'"{name}":{text}')
    _add_run(pieces, run)
    return f"{{{','.join(pieces)}}}"


def _add_run(pieces: list[str], run: dict[str, Json]) -> None:
    """Add the fields of *run* to *pieces*, and empty it."""
    if run:
        pieces.append(write_plain(run)[1:-1])
        run.clear()


def rows_apart(text: str) -> tuple[str, list[str]]:
    r"""
    Return the state *text* with its long lists empty, and the rows of each.

    >>> rows_apart('{"takings":[\n["a"],\n["b"]\n],"requests":[\n\n]}')
    ('{"takings":[],"requests":[]}', ['["a"],\n["b"]', ''])

    Raises:
        ValueError: a list does not end.
    """
    heads, rows, at = [], [], 0
    while (start := text.find("[\n", at)) >= 0:
        end = text.index("\n]", start + 1)
        heads.append(text[at : start + 1])
        rows.append(text[start + 2 : end])
        at = end + 1
    heads.append(text[at:])
    return "".join(heads), rows


def state_fields(decode: Callable[[str], dict[str, Any]], text: str) -> dict[str, Any]:
    """
    Return the fields of the state *text*, whose long lists are rows, as *decode* reads the rest.

    Raises:
        ValueError, LookupError, TypeError: it is not laid out as a state.
    """
    head, rows = rows_apart(text)
    fields = decode(head)
    *entries, takings, requests = rows  # in the order of the document
    for deal, deal_entries in zip(fields["deals"], entries, strict=True):
        deal["entries"] = deal_entries
    return {**fields, "takings": takings, "requests": requests}


def _rows(kind: type, converter: Converter) -> Structure:
    """Return a hook for a row of the values of the fields of *kind*, in their order."""
    fields = [attribute.alias or attribute.name for attribute in attrs.fields(kind)]
    required = len(fields) - len(ADDED_FIELDS.get(kind, ()))

    def structure(value: Any, _: Any) -> Any:
        if type(value) is not list or len(value) not in {len(fields), required}:
            raise UnexpectedError(f"expected an array of {', '.join(fields)}")
        return structure_fields(dict(zip(fields, value, strict=False)), kind)

    structure_fields = class_hook(kind, converter)
    return structure


def _add_rows(converter: Converter, *, lazily: bool) -> None:
    """Add what distinguishes a state: rows, and deals with what follows from their entries."""
    converter.register_structure_hook(Entry, _rows(Entry, converter))
    converter.register_structure_hook(Takings, _rows(Takings, converter))
    if lazily:
        converter.register_structure_hook_factory(_is_long, _lazy_rows)
    converter.register_unstructure_hook_factory(_is_long, _written_rows)
    read = class_hook(Deal, converter)

    @cache
    def write() -> Callable[[Deal], dict[str, Json]]:
        return unstructure_fn(Deal, converter)

    converter.register_structure_hook(Deal, _deal(read, lazily=lazily))
    converter.register_unstructure_hook(Deal, lambda deal: {**write()(deal), **_of_entries(deal)})


def _is_long(kind: Any) -> bool:
    return get_origin(kind) is Sequence


@cache
def state_converter(*, unchanged: bool) -> Converter:
    """Return the converter of states; one for *unchanged* documents reads lists lazily."""
    converter = make_converter(unchanged=unchanged)
    _add_rows(converter, lazily=unchanged)
    return converter
