"""JSON Schemas of the kinds of file, for completion and checks in an editor.

They keep to what TOML editors understand (types, properties, patterns, choices), and so say less
than `holdback check`: to them an expression is a text. They follow from the table of keys, from the
catalogue of facts and from the classes of calculators.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final, get_args, get_origin, get_type_hints

import attrs

from holdback.eligibility.facts import catalogue
from holdback.exact.exact_json import Json
from holdback.exact.money import Currency, Money
from holdback.jurisdictions.keys import (
    CALCULATOR,
    DISCLOSURES,
    ENTRY,
    FACTS,
    JURISDICTION,
    OWN,
    PRODUCTS,
    RENEWAL,
    ByName,
    Dated,
    Key,
    KeyForm,
    Keys,
    ListOf,
    ValueForm,
)
from holdback.jurisdictions.quantity import PATTERNS, quantity_schema
from holdback.offers.calculator import Percent, Ratio
from holdback.offers.price_tables import PriceTable
from holdback.offers.registry import BUILT_IN
from holdback.offers.shipped_calculators import Band, SettlementBand
from holdback.rules import Kind
from holdback.tools.workbench.mapping_schema import mapping_schema

DRAFT: Final = "http://json-schema.org/draft-07/schema#"
# The schema of a column mapping, which is in no folder of jurisdictions.
COLUMNS: Final = "columns"
_FILES: Final[Mapping[str, Keys]] = {
    "jurisdiction": JURISDICTION,
    "renewal": RENEWAL,
    "products": PRODUCTS,
    "disclosures": DISCLOSURES,
}
KINDS: Final = tuple(_FILES)


def schema(kind: str) -> dict[str, Json]:
    """
    Return the JSON Schema of a *kind* of file: one of `KINDS`, or `COLUMNS`.

    >>> schema("renewal")["title"]
    'renewal.toml'
    """
    content = mapping_schema() if kind == COLUMNS else deepcopy(_table(_FILES[kind]))
    if kind == "jurisdiction":
        # What a child may leave to its parent.
        inherited = [name for name in JURISDICTION.required if name not in OWN]
        content["required"] = list(OWN)
        content["anyOf"] = [{"required": ["parent"]}, {"required": inherited}]
    return {"$schema": DRAFT, "title": f"{kind}.toml", **content}


def _table(keys: Keys) -> dict[str, Any]:
    table = {
        "type": "object",
        "properties": {name: _key(row) for name, row in keys.rows.items()},
        "required": list(keys.required),
        "additionalProperties": False,
    }
    if not keys.required:
        del table["required"]
    if keys.one_of:
        table["anyOf"] = [{"required": [name]} for name in keys.one_of]
    return table


def _key(row: Key) -> dict[str, Any]:
    form = _calculator(row.name) if row.form is CALCULATOR else _form(row.form)
    return form if row.meaning is None else {"description": row.meaning, **form}


def _form(form: KeyForm) -> dict[str, Any]:
    match form:
        case Keys():
            return _table(form)
        case ListOf(inner):
            return {"type": "array", "items": _form(inner)}
        case ByName(inner):
            return {"type": "object", "additionalProperties": _form(inner)}
        case Dated(inner):
            value = attrs.evolve(ENTRY.rows["value"], form=inner)
            entry = _table(Keys({**ENTRY.rows, "value": value}.values()))
            return {"type": "array", "items": entry, "minItems": 1}
    return _facts() if form is FACTS else dict(form.schema)


def _facts() -> dict[str, Any]:
    """Return the facts that an example gives; declared facts are allowed without a description."""
    described = {}
    for fact in catalogue(Currency.of("GBP")).facts:  # every currency has the same names
        whole: Json = {"type": "integer", "minimum": fact.low, "maximum": fact.high}
        described[fact.name] = {
            "description": fact.description,
            **quantity_schema(fact.type, whole),
        }
    return {"type": "object", "properties": described}


def _calculator(kind: str) -> dict[str, Any]:
    """Return the calculators of *kind*: the built-in ones with their settings, and a host's own."""
    built_in = {
        name.partition("/")[2]: calculator
        for name, calculator in BUILT_IN.items()
        if name.startswith(f"{kind}/")
    }
    choices = [_table(_settings(name, calculator)) for name, calculator in built_in.items()]
    own = Key(
        "calculator", ValueForm({"type": "string", "not": {"enum": list(built_in)}}), required=True
    )
    of_a_host = _table(Keys((own,)))
    del of_a_host["additionalProperties"]
    return {"anyOf": [*choices, of_a_host]}


def _settings(name: str, calculator: type) -> Keys:
    hints, named = get_type_hints(calculator), ValueForm({"type": "string", "enum": [name]})
    settings = (
        Key(field.name, _setting(hints[field.name]), required=field.default is attrs.NOTHING)
        for field in attrs.fields(calculator)
    )
    return Keys((Key("calculator", named, required=True), *settings))


def _setting(hint: Any) -> KeyForm:
    """Return how a setting of the type *hint* is written."""
    if get_origin(hint) is tuple:
        return ListOf(_setting(get_args(hint)[0]))
    if type(None) in get_args(hint):
        return _setting(next(part for part in get_args(hint) if part is not type(None)))
    if hint is PriceTable:
        return _setting(str)
    if hint is SettlementBand:
        share = _setting(Percent)
        return Keys((Key("up_to", share), Key("percentage", share, required=True)))
    if hint is Band:
        up_to = ValueForm({"type": ["string", "integer"]})
        return Keys((Key("up_to", up_to), Key("rate", _setting(Ratio), required=True)))
    kinds = {Money: Kind.MONEY, Percent: Kind.PERCENT, Ratio: Kind.RATIO}
    if hint in kinds:
        return ValueForm({"type": "string", "minLength": 1, "pattern": PATTERNS[kinds[hint]]})
    return ValueForm({"type": "integer" if hint is int else "string"})
