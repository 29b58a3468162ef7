"""Reference tables that are made from the code's own tables.

The tables are part of the Markdown pages, so that they can be read there too. Each is between a
comment that names it and a comment that ends it. The tests compare them with the code;
`python docs/_ext/generated_tables.py` writes them again.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import attrs
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import holdback
from holdback import wire
from holdback.eligibility.facts import INITIAL_EVIDENCE, catalogue
from holdback.errors import ERROR_CODES, REFUSALS
from holdback.exact.exact_numbers import ROUNDINGS
from holdback.exact.money import Currency
from holdback.jurisdictions import keys
from holdback.lifecycle.transitions import NOT_YET, TABLE
from holdback.merchant.ledger import KINDS
from holdback.offers.calculator import Percent, Ratio
from holdback.offers.price_tables import PriceTable
from holdback.offers.registry import BUILT_IN
from holdback.offers.shipped_calculators import Band, SettlementBand
from holdback.rules import Fact, Kind
from holdback.rules.operators import OPERATORS
from holdback.rules.parser import GRAMMAR
from holdback.tools.proofs.claim_meanings import CLAIMS

# Amounts are shown in one currency; each jurisdiction uses its own.
SHOWN_CURRENCY = Currency.of("GBP")
ORIGINS = {"deal": "The deal", "merchant": "The merchant", "evidence": "Evidence"}


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _code(text: str) -> str:
    return f"`{text}`"


def facts() -> str:
    """Return the catalogue, with a table for each origin."""
    parts = []
    for origin, title in ORIGINS.items():
        rows = [
            (_code(fact.name), _type(fact), _range(fact), fact.moves or "", _description(fact))
            for fact in catalogue(SHOWN_CURRENCY).facts
            if fact.origin == origin
        ]
        header = ("Fact", "Type", "Range", "Moves", "Meaning")
        parts.append(f"## {title}\n\n{table(header, rows)}")
    return "\n\n".join(parts)


def _type(fact: Fact) -> str:
    kind = "money" if fact.type.kind is Kind.MONEY else fact.type.kind.value
    return f"{kind}, rounded down" if fact.rounded_down else kind


def _range(fact: Fact) -> str:
    kind = fact.type.kind
    if kind is Kind.TEXT:
        return ", ".join(f'`"{option}"`' for option in fact.type.options)
    if kind is Kind.FLAG:
        return "`true`, `false`"
    if kind is Kind.DATE:
        return "any date"
    return f"{fact.type.show(fact.low)} to {fact.type.show(fact.high)}"


def _description(fact: Fact) -> str:
    initial = fact.name in INITIAL_EVIDENCE and fact.origin != "evidence"
    return (
        f"{fact.description} Evidence in an initial application." if initial else fact.description
    )


def operators() -> str:
    """Return the operators in the order of the shared table, the loosest first."""
    rows = [(_code(row.signature), _kinds(row.takes), row.summary) for row in OPERATORS.values()]
    return table(("Operator", "Takes", "Result"), rows)


def _kinds(takes: Iterable[Kind]) -> str:
    taken = set(takes)
    return ", ".join(kind.value for kind in Kind if kind in taken)


def refusals() -> str:
    """Return every code of a refusal."""
    rows = [(_code(code), str(status), title) for code, (status, title) in REFUSALS.items()]
    return table(("Code", "Status", "Title"), rows)


def error_codes() -> str:
    """Return every code of an error in a list."""
    return table(("Code", "Meaning"), ((_code(code), text) for code, text in ERROR_CODES.items()))


def transitions() -> str:
    """Return the transitions, with a table for each of offer, application and deal."""
    parts = []
    for thing in dict.fromkeys(row.subject for row in TABLE):
        rows = [
            (
                f"{_state(row.state)} to {_state(row.next)}",
                "time passes" if row.trigger == "time" else _code(row.trigger),
                row.condition,
                _code(row.event) if row.event else "",
            )
            for row in TABLE
            if row.subject == thing
        ]
        head = ("Transition", "Operation", "When", "Event")
        parts.append(
            f"## {thing.capitalize()}\n\n```{{states}} {thing}\n```\n\n{table(head, rows)}"
        )
    return "\n\n".join(parts)


def _state(name: str) -> str:
    return "nothing" if name == NOT_YET else _code(name)


def calculators() -> str:
    """Return the built-in calculators with their settings, from their classes."""
    parts = []
    for name, kind in BUILT_IN.items():
        doc = inspect.getdoc(kind)
        rows = [
            (
                _code(setting.name),
                _setting(typing.get_type_hints(kind)[setting.name]),
                _default(setting),
            )
            for setting in attrs.fields(kind)
        ]
        settings = table(("Setting", "Value", "Default"), rows) if rows else "It has no settings."
        parts.append(f"## `{name}`\n\n{doc}\n\n{settings}")
    return "\n\n".join(parts)


_SETTINGS = {
    Percent: 'a percentage in quotes, `"12.5%"`',
    Ratio: 'a ratio in quotes, `"1.18"`',
    holdback.Money: 'money in quotes, `"GBP 1000.00"`',
    int: "a whole number",
    str: "the name of a fact, in quotes",
    PriceTable: "the `id` of one of `[[tables]]`, in quotes",
}
_LISTED = {
    int: "whole numbers",
    Percent: 'percentages in quotes, `"12.5%"`',
    Band: 'bands, `{ up_to = "90%", rate = "1.20" }`',
    SettlementBand: 'bands, `{ up_to = "25%", percentage = "60%" }`',
}


def _setting(hint: object) -> str:
    if typing.get_origin(hint) is tuple:
        return f"a list of {_LISTED[typing.get_args(hint)[0]]}"
    if isinstance(hint, types.UnionType):
        return " or ".join(_SETTINGS[kind] for kind in hint.__args__ if kind is not type(None))
    return _SETTINGS[hint]


def _default(setting: attrs.Attribute) -> str:
    if setting.default is attrs.NOTHING:
        return "required"
    return "none" if setting.default is None else str(setting.default)


_SIGNS = {1: "lowers", -1: "raises", 0: "either"}
_POSTED = {
    "remittance": "A share of takings: `record_remittance`.",
    "payment": "A direct payment of the merchant: `record_remittance` with this `kind`, or "
    "`settle_early`.",
    "reversal": "All or a part of a remittance, a payment or a recovery, taken back: "
    "`record_remittance` with `reverses`.",
    "recovery": "Money that came in after a default: `record_recovery`.",
    "refund": "Money given back to the merchant, at most what is overpaid: `refund`.",
    "transfer": "What one deal has too much, moved to another that owes it: `transfer`, or a late "
    "remittance. Both halves have one id, and each names the other deal.",
    "settlement": "The payoff by a renewal's funds: `fund_deal`. On a renewal that is undone, the "
    "part of its principal that goes back to the base deal: `unwind_deal`, `return_payout`.",
    "discount": "What an early settlement forgives: `settle_early`.",
    "waiver": "What a cancelled deal no longer asks for: `close_deal`; the rest of a default that "
    "is settled for less: `waive_rest`. Negative where a payment that bounced takes "
    "it back.",
    "write_off": "What is given up as lost: `write_off`. Negative where a later recovery takes it "
    "back.",
    "adjustment": "A correction without money: `adjust`.",
    "principal_return": "The principal of a deal that is undone: `unwind_deal`.",
    "payout_return": "A payout that came back, before anything was paid: `return_payout`.",
    "charge_cancelled": "The cost of a deal that is undone: `unwind_deal`, `return_payout`.",
    "fee": "A fee above the repayment amount: `charge_fee`.",
    "fee_waiver": "What is given up of the fees: `waive_fee`.",
}


def ledger_kinds() -> str:
    """Return every kind of an entry, and what it does to what is owed."""
    assert set(_POSTED) == set(KINDS), "each kind has its words"
    rows = [
        (
            _code(name),
            _SIGNS[kind.sign],
            "yes" if kind.cash else "",
            "yes" if kind.remitted else "",
            _POSTED[name],
        )
        for name, kind in KINDS.items()
    ]
    return table(("Kind", "What is owed", "Cash", "Remitted", "What it is"), rows)


def events() -> str:
    """Return every event with its fields, from the classes."""
    parts = []
    for name, kind in wire.EVENT_TYPES.items():
        names = (field.name for field in attrs.fields(kind))
        fields = ", ".join(_code(field) for field in names if field != "at")
        parts.append(f"## `{name}`\n\n{inspect.getdoc(kind)}\n\nFields: {fields}.")
    return "\n\n".join(parts)


def grammar() -> str:
    """Return the grammar of the parser."""
    return f"<!-- not run: the grammar -->\n```text\n{GRAMMAR}```"


def roundings() -> str:
    """Return the names of the rounding modes."""
    return ", ".join(_code(name) for name in ROUNDINGS)


# A list of more words than this is not shown: that of the currencies.
MOST_WORDS = 12


def _keys_table(shown: keys.Keys, *, without: Iterable[str] = ()) -> str:
    """Return the keys of a table: what is written for each, and when it may be left out."""
    rows = [
        (_code(name), _written(row.form), _left_out(row), row.meaning or "")
        for name, row in shown.rows.items()
        if name not in without
    ]
    return table(("Key", "Value", "Left out", "Meaning"), rows)


def _left_out(row: keys.Key) -> str:
    if row.required:
        return "the parent's" if row.inherited else "never"
    return "" if row.default is None else _code(str(row.default))


def _written(form: keys.KeyForm) -> str:
    """Return what is written for a key of this *form*."""
    match form:
        case keys.Keys():
            return "a table"
        case keys.ListOf(keys.Keys()):
            return "a list of tables"
        case keys.ListOf(part):
            return f"a list: {_written(part)}"
        case keys.ByName():
            return "tables by name"
        case keys.Dated(value):
            return f"timeline: {_written(value)}"
    if form in (keys.FACTS, keys.CALCULATOR):
        return "facts" if form is keys.FACTS else "a [calculator](calculators.md)"
    return _in_words(form.schema)


def _in_words(schema: typing.Mapping[str, typing.Any]) -> str:
    words = schema.get("enum", ())
    if schema["type"] == "string" and 0 < len(words) <= MOST_WORDS:
        return ", ".join(_code(f'"{word}"') for word in words)
    if "minimum" in schema:
        return f"{schema['minimum']:,} to {schema['maximum']:,}"
    if schema.get("format") == "date":
        return "a date"
    if schema["type"] == "array":
        return f"a list: {_in_words(schema['items'])}"
    kinds = {"string": "text", "boolean": "`true`, `false`", "integer": _code("1")}
    return kinds.get(schema["type"], "a value") if isinstance(schema["type"], str) else "a value"


def claims() -> str:
    """Return the claims that `holdback prove` asks about."""
    rows = ((_code(name), f"{meaning.sentence}.") for name, meaning in CLAIMS.items())
    return table(("Claim", "Says"), rows)


TABLES = {
    "facts": facts,
    "operators": operators,
    "refusals": refusals,
    "error_codes": error_codes,
    "transitions": transitions,
    "calculators": calculators,
    "events": events,
    "ledger_kinds": ledger_kinds,
    "grammar": grammar,
    "roundings": roundings,
    "claims": claims,
    "keys_of_jurisdiction": lambda: _keys_table(keys.JURISDICTION),
    "keys_of_check": lambda: _keys_table(keys.CHECK),
    "keys_of_data": lambda: _keys_table(keys.DATA),
    "keys_of_renewal": lambda: _keys_table(keys.RENEWAL),
    "keys_of_rule": lambda: _keys_table(keys.RENEWAL_RULE),
    "keys_of_table": lambda: _keys_table(keys.SHARED_TABLE),
    "keys_of_product": lambda: _keys_table(keys.PRODUCT),
    "keys_of_fee": lambda: _keys_table(keys.FEE),
    "keys_of_reasons": lambda: _keys_table(keys.OWN_REASONS),
    "keys_of_example": lambda: _keys_table(keys.PRODUCT_EXAMPLE),
    "keys_of_claim": lambda: _keys_table(keys.PRODUCT_CLAIM),
    "keys_of_disclosures": lambda: _keys_table(keys.DISCLOSURES),
    "keys_of_item": lambda: _keys_table(keys.ITEM),
}


PLACE = re.compile(r"<!-- generated: (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def renewed(page: str) -> str:
    """Return the text of a *page* with the tables that the code gives now."""
    return PLACE.sub(
        lambda match: f"<!-- generated: {match[1]} -->\n\n{TABLES[match[1]]()}\n\n<!-- end -->",
        page,
    )


class Notebook(SphinxDirective):
    """
    An assessment as a notebook shows it.

    The arguments are a jurisdiction and a date; the content is the facts, as JSON.
    """

    required_arguments = 2
    has_content = True

    def run(self) -> list[nodes.Node]:
        code, on = self.arguments
        rulebook = holdback.load_jurisdictions().resolve(code, on=date.fromisoformat(on))
        facts = wire.read_evidence(wire.read_json("\n".join(self.content)))
        shown = rulebook.assess(facts)._repr_html_().replace("<details>", "<details open>")
        return [nodes.raw("", f'<div class="notebook">{shown}</div>', format="html")]


def setup(app):
    app.add_directive("assessment", Notebook)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    for path in Path(__file__).parents[1].rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        if renewed(text) != text:
            path.write_text(renewed(text), encoding="utf-8")
            print(path)
