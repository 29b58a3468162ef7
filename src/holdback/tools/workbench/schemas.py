"""JSON Schemas of the three kinds of file, for completion and checks in an editor.

They keep to what TOML editors understand (types, properties, patterns, choices), and so say less
than `holdback check`: to them an expression is a text. Keys, kinds, facts and calculators are
taken from the code that reads the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args, get_origin, get_type_hints

import attrs

from holdback.eligibility.assessment import OUTCOMES
from holdback.eligibility.facts import catalogue
from holdback.eligibility.ruleset import DECLINE, REFER
from holdback.exact.bounds import MOST_TERM_DAYS
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import ROUNDINGS
from holdback.exact.money import MINOR_UNITS, Currency, Money
from holdback.jurisdictions.checks import MAX_AGE_DAYS
from holdback.jurisdictions.claims import ALWAYS, CLAIM_KINDS, NEVER, OPTIONAL_OF_A_CLAIM, OVERLAYS
from holdback.jurisdictions.declared_facts import MOVES
from holdback.jurisdictions.examples import (
    DAYS_OF_A_SETTLEMENT,
    DECISIONS,
    OF_A_SETTLEMENT,
    offer_types,
)
from holdback.jurisdictions.jurisdiction_file import (
    OPTIONAL,
    OWN,
    REQUIRED,
    TIMELINES,
)
from holdback.jurisdictions.labels import MOST_CHARACTERS
from holdback.jurisdictions.source_rules import (
    ID,
    LATE_REMITTANCES,
    NAME,
    OPTIONAL_OF_A_PRODUCT,
    OPTIONAL_OF_A_RULE,
    PARAMETER_KINDS,
    PRODUCT,
    RULE,
)
from holdback.merchant.merchant import SIGNATURES
from holdback.offers.calculator import Percent, Ratio
from holdback.offers.registry import BUILT_IN
from holdback.offers.shipped_calculators import Band, SettlementBand
from holdback.rulebooks.calculator_choice import CALCULATOR_KINDS, CALCULATORS
from holdback.rulebooks.rulebook import RENEWALS
from holdback.rules import Fact, Kind, Type
from holdback.rules.number_format import NumberFormat
from holdback.tools.workbench.key_meanings import MEANING
from holdback.tools.workbench.mapping_schema import mapping_schema

DRAFT: Final = "http://json-schema.org/draft-07/schema#"
# The schema of a column mapping, which is in no folder of jurisdictions.
COLUMNS: Final = "columns"
KINDS: Final = ("jurisdiction", "renewal", "products")

_MONEY: Final = r"^[A-Z]{3} [0-9]+(\.[0-9]+)?$"
_PERCENT: Final = r"^[0-9]+(\.[0-9]{1,4})?%$"
_RATIO: Final = r"^[0-9]+(\.[0-9]{1,6})?$"
_DAYS: Final = "^[0-9]+ days?$"
_CODE: Final = "^[A-Z]{2}(-[A-Z0-9]+)+$"


def schema(kind: str) -> dict[str, Json]:
    """
    Return the JSON Schema of a *kind* of file: one of `KINDS`, or `COLUMNS`.

    >>> schema("renewal")["title"]
    'renewal.toml'
    """
    files = {"jurisdiction": _jurisdiction, "renewal": _renewal, "products": _products}
    build = {**files, COLUMNS: mapping_schema}[kind]
    return {"$schema": DRAFT, "title": f"{kind}.toml", **build()}


def _table(
    properties: Mapping[str, Json], required: Iterable[str] = (), *, more: bool = False
) -> dict[str, Json]:
    """Return the schema of a table with these keys, each described."""
    described = {
        key: {"description": MEANING[key], **value} if key in MEANING else dict(value)
        for key, value in properties.items()
    }
    table: dict[str, Json] = {"type": "object", "properties": described}
    if required:
        table["required"] = list(required)
    if not more:
        table["additionalProperties"] = False
    return table


def _list(items: Json) -> dict[str, Json]:
    return {"type": "array", "items": items}


def _text(pattern: str | None = None) -> dict[str, Json]:
    text: dict[str, Json] = {"type": "string", "minLength": 1}
    return text if pattern is None else {**text, "pattern": pattern}


def _integer(low: int, high: int) -> dict[str, Json]:
    return {"type": "integer", "minimum": low, "maximum": high}


_LABEL: Final[Json] = {"type": "string", "pattern": "^[^{}]+$", "maxLength": MOST_CHARACTERS}
_FLAG: Final[Json] = {"type": "boolean"}
_DAY: Final[Json] = {"type": "string", "format": "date"}
_FORMAT: Final[Json] = {"type": "integer", "enum": [1]}
_PERIOD: Final[Json] = {"from": _DAY, "until": _DAY}


def _words(words: Iterable[str]) -> dict[str, Json]:
    return {"type": "string", "enum": list(words)}


def _quantity(type_: Type, fact: Fact | None = None) -> dict[str, Json]:
    """Return how a value of *type_* is written; a whole number within the range of its *fact*."""
    whole = _integer(0, 10**9) if fact is None else _integer(fact.low, fact.high)
    match type_.kind:
        case Kind.FLAG:
            return dict(_FLAG)
        case Kind.TEXT:
            return _words(type_.options)
        case Kind.DATE:
            return dict(_DAY)
        case Kind.COUNT:
            return whole
        case Kind.DAYS:
            return {"anyOf": [_text(_DAYS), whole]}
        case Kind.PERCENT:
            return _text(_PERCENT)
        case Kind.MONEY:
            return _text(_MONEY)
        case Kind.RATIO:
            return {"anyOf": [_text(_RATIO), {"type": "number"}]}


def _timeline(value: Json) -> dict[str, Json]:
    entry = _table({**_PERIOD, "value": value, "source": _text()}, ("from", "value", "source"))
    return {**_list(entry), "minItems": 1}


def _jurisdiction() -> dict[str, Json]:
    timelines = {name: _timeline(_integer(*ends)) for name, ends in TIMELINES.items()}
    names = _list(_text(f"^{NAME}$"))
    properties: dict[str, Json] = {
        "format": _FORMAT,
        "code": _text("^[A-Z]{2}(-[A-Z0-9]{1,3})?$"),
        "name": _text(),
        "owner": _text(),
        "review_by": _DAY,
        "currency": _words(MINOR_UNITS),
        "rounding": _words(ROUNDINGS),
        "timezone": _text(),
        "automated_decisioning": _FLAG,
        **timelines,
        "signature": _words(SIGNATURES),
        "bank_details": names,
        "consents": names,
        "late_remittances": _words(LATE_REMITTANCES),
        "facts": {"type": "object", "additionalProperties": _fact()},
        "checks": {"type": "object", "additionalProperties": _check()},
        "figures": _table(
            {key: _text() for key in NumberFormat.KEYS} | {"group": {"type": "string"}},
            NumberFormat.KEYS,
        ),
        "examples": _list(
            _table(
                {
                    "name": _text(),
                    "on": _DAY,
                    **_PERIOD,
                    "expect": _table(
                        {
                            **{name: _integer(*ends) for name, ends in TIMELINES.items()},
                            "max_age_days": {
                                "type": "object",
                                "additionalProperties": _integer(*MAX_AGE_DAYS),
                            },
                        }
                    ),
                },
                ("name", "expect"),
            )
        ),
        "parent": _text("^[A-Z]{2}(-[A-Z0-9]{1,3})?$"),
        "switch_off": _list(_switched_off()),
    }
    assert set(properties) == {*REQUIRED, *OPTIONAL}, "the schema has the reader's keys"
    inherited = [key for key in REQUIRED if key not in OWN]
    either = [{"required": ["parent"]}, {"required": inherited}]
    return {**_table(properties, OWN), "anyOf": either}


def _check() -> dict[str, Json]:
    properties = {
        "max_age_days": _timeline(_integer(*MAX_AGE_DAYS)),
        "facts": {**_list(_text(f"^{NAME}$")), "description": "The declared facts that it gives."},
        "consent": _text(f"^{NAME}$"),
    }
    return _table(properties)


def _fact() -> dict[str, Json]:
    end: Json = {"type": ["string", "integer", "number"]}
    properties = {
        "type": _words(kind.value for kind in Kind),
        "description": _text(),
        "label": _LABEL,
        "minimum": end,
        "maximum": end,
        "options": _list(_text()),
        "moves": _words(MOVES),
    }
    return _table(properties, ("type", "description"))


def _switched_off() -> dict[str, Json]:
    properties = {
        "rule": _text(f"^{ID}$"),
        "parameter": _text(f"^{NAME}$"),
        "product": _text(f"^{NAME}$"),
        "claim": {**_text(), "description": "The name of a claim."},
        "reason": _text(),
        **_PERIOD,
    }
    return _table(properties, ("reason",))


def _parameters() -> dict[str, Json]:
    value: Json = {"type": ["string", "integer", "number", "boolean"]}
    properties = {
        "type": _words(PARAMETER_KINDS),
        "label": _LABEL,
        "timeline": _timeline(value),
    }
    parameter = _table(properties, ("type", "timeline"))
    return {"type": "object", "additionalProperties": parameter}


def _rule(required: Iterable[str]) -> dict[str, Json]:
    properties = {
        "id": _text(f"^{ID}$"),
        "code": _text(_CODE),
        "require": {"type": "string", "maxLength": 1000},
        "when": {"type": "string", "maxLength": 1000},
        "otherwise": _words((DECLINE, REFER)),
        "reason": _text(),
        "source": _text(),
        **_PERIOD,
    }
    assert set(properties) == {*RULE, *OPTIONAL_OF_A_RULE}, "the schema has the reader's keys"
    return _table(properties, required)


def _facts() -> dict[str, Json]:
    """Return the facts that an example gives; declared facts are allowed without a description."""
    facts = catalogue(Currency.of("GBP")).facts  # every currency has the same names
    described = {
        fact.name: {"description": fact.description, **_quantity(fact.type, fact)} for fact in facts
    }
    return _table(described, more=True)


def _examples(more: Mapping[str, Json], expect: Json, required: tuple[str, ...]) -> dict[str, Json]:
    properties = {
        "name": _text(),
        "on": _DAY,
        **_PERIOD,
        "given": _facts(),
        "without": _list(_text(f"^{NAME}$")),
        "expect": expect,
        **more,
    }
    return _list(_table(properties, ("name", "expect", *required)))


def _shared_keys(examples: Json) -> dict[str, Json]:
    """Return the keys that `renewal.toml` and `products.toml` share."""
    return {
        "format": _FORMAT,
        "parameters": _parameters(),
        "typical": _facts(),
        "examples": examples,
        "survivors": _list(_table({"mutant": _text(), "reason": _text()}, ("mutant", "reason"))),
    }


def _claims(more: Mapping[str, Json]) -> dict[str, Json]:
    """Return the claims of a file, which have *more* keys, all of them required."""
    properties = {
        **{key: {"type": "string", "maxLength": 1000} for key in (NEVER, ALWAYS)},
        "overlay": _words(OVERLAYS),
        "name": _text(),
        "reason": {**_text(), "description": "Why it has to be so, for people."},
        **_PERIOD,
    }
    assert set(properties) == {*OPTIONAL_OF_A_CLAIM}, "the schema has the reader's keys"
    either = [{"required": [kind]} for kind in CLAIM_KINDS]
    return _list({**_table({**properties, **more}, more), "anyOf": either})


def _reasons() -> dict[str, Json]:
    codes = _list({"type": "string"})
    return {"codes": codes, "needs": _list(_text(f"^{NAME}$"))}


def _renewal() -> dict[str, Json]:
    expect = _table({"outcome": _words(OUTCOMES), **_reasons()}, ("outcome",))
    own = {"rules": _list(_rule((*RULE, "from"))), "claims": _claims({})}
    return _table({**_shared_keys(_examples({}, expect, ())), **own}, ("format",))


def _products() -> dict[str, Json]:
    money = _text(_MONEY)
    offer = {name: _quantity(type_) for name, type_ in offer_types(Currency.of("GBP")).items()}
    expect = _table(
        {
            "decision": _words(DECISIONS),
            "limits": _table({"minimum": money, "maximum": money}),
            "offers": _list(_table(offer)),
            "discount": money,
            **_reasons(),
        }
    )
    days = _integer(0, MOST_TERM_DAYS)
    settlement = {key: days if key in DAYS_OF_A_SETTLEMENT else money for key in OF_A_SETTLEMENT}
    more = {
        "product": _text(),
        "settles": money,
        "settlement": _table(settlement, OF_A_SETTLEMENT),
    }
    shared = _shared_keys(_examples(more, expect, ("product",)))
    own = {"products": _list(_product()), "claims": _claims({"product": _text()})}
    return _table({**shared, **own}, ("format",))


def _product() -> dict[str, Json]:
    properties = {
        "key": _text(f"^{NAME}$"),
        "name": _text(),
        "description": _text(),
        "repayment_mechanism": _text(),
        **_PERIOD,
        "amounts": _list(_text(_PERCENT)),
        "rules": _list(_rule(RULE)),
        **{kind: _calculator(kind) for kind in CALCULATOR_KINDS},
        "renewal": _words(RENEWALS),
    }
    keys = {*PRODUCT, *CALCULATORS, *OPTIONAL_OF_A_PRODUCT}
    assert set(properties) == keys, "the schema has the reader's keys"
    return _table(properties, (*PRODUCT, *CALCULATORS))


def _calculator(kind: str) -> dict[str, Json]:
    """Return the calculators of *kind*: the built-in ones with their settings, and a host's own."""
    built_in = {
        name.partition("/")[2]: calculator
        for name, calculator in BUILT_IN.items()
        if name.startswith(f"{kind}/")
    }
    choices = [_settings(name, calculator) for name, calculator in built_in.items()]
    own: Json = {"type": "string", "not": {"enum": list(built_in)}}
    choices.append(_table({"calculator": own}, ("calculator",), more=True))
    return {"anyOf": choices}


def _settings(name: str, calculator: type) -> dict[str, Json]:
    hints = get_type_hints(calculator)
    fields = attrs.fields(calculator)
    properties = {field.name: _setting(hints[field.name]) for field in fields}
    required = [field.name for field in fields if field.default is attrs.NOTHING]
    return _table({"calculator": _words([name]), **properties}, ("calculator", *required))


def _setting(hint: Any) -> dict[str, Json]:
    """Return how a setting of the type *hint* is written."""
    if get_origin(hint) is tuple:
        return _list(_setting(get_args(hint)[0]))
    if type(None) in get_args(hint):
        return _setting(next(part for part in get_args(hint) if part is not type(None)))
    if hint is SettlementBand:
        bound = _text(_PERCENT)
        return _table({"up_to": bound, "percentage": bound}, ("percentage",))
    if hint is Band:
        up_to: Json = {"type": ["string", "integer"]}
        return _table({"up_to": up_to, "rate": _text(_RATIO)}, ("rate",))
    patterns = {Money: _MONEY, Percent: _PERCENT, Ratio: _RATIO}
    if hint in patterns:
        return _text(patterns[hint])
    return {"type": "integer"} if hint is int else {"type": "string"}
