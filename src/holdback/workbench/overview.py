"""A rulebook laid open: everything in force on a day, in plain values, each with where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final

from holdback.eligibility import FLOOR_PERCENT
from holdback.exact_json import Json
from holdback.jurisdictions.digest import settled
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.jurisdiction_file import Particulars, SwitchedOff
from holdback.jurisdictions.rulebook import ProductTerms, Rulebook
from holdback.jurisdictions.source_rules import CALCULATORS, WrittenRule
from holdback.jurisdictions.timeline import Period
from holdback.money import PERCENT_PLACES, short
from holdback.rules import Kind, Type, check, parse, words
from holdback.ruleset import Rule
from holdback.toml.node import Item

_TIMELINES: Final = ("offers_valid_hours", "recently_active_days")
_SETTINGS: Final = ("currency", "rounding", "timezone", "automated_decisioning")


def overview(jurisdiction: Jurisdiction, on: date) -> dict[str, Json]:
    """
    The rulebook of *jurisdiction* on the day *on*, as plain values.

    Raises:
        InvalidDocument: when it has no rules on that day.
    """
    rulebook, policy = jurisdiction.rulebook(on), jurisdiction.policy
    particulars = policy.particulars
    assert particulars is not None, "it was read"
    later = [day for day in jurisdiction.changes if day > on]
    return {
        "jurisdiction": rulebook.code,
        "name": rulebook.name,
        "on": on.isoformat(),
        "since": rulebook.since.isoformat(),
        "until": later[0].isoformat() if later else None,
        "digest": rulebook.digest,
        "owner": rulebook.owner,
        "review_by": rulebook.review_by.isoformat(),
        "parents": [layer.code for layer in policy.layers[-2::-1]],
        "floor": f"{FLOOR_PERCENT}%",
        "settings": list(_settings(particulars, rulebook)),
        "facts": list(_facts(jurisdiction)),
        "parameters": list(_parameters(jurisdiction, rulebook)),
        "rules": [
            _rule(rule, written, rulebook) for rule, written in _rules(jurisdiction, rulebook)
        ],
        "switched_off": [
            {
                "kind": each.kind,
                "name": each.name,
                "reason": each.reason,
                **_period(each.period),
                **_place(each.item),
            }
            for each in particulars.switched_off
            if on in each.period and not _is_there(each, jurisdiction, rulebook)
        ],
        "products": list(_products(jurisdiction, rulebook)),
    }


def _is_there(dropped: SwitchedOff, jurisdiction: Jurisdiction, rulebook: Rulebook) -> bool:
    """Whether what was *dropped* is there all the same: written anew."""
    policy, day = jurisdiction.policy, rulebook.since
    if dropped.kind == "rule":
        return dropped.name in {rule.id for rule in rulebook.renewal.rules}
    if dropped.kind == "product":
        return dropped.name in {each.key for each in rulebook.products}
    return dropped.name in policy.parameters_on(day)


def _facts(jurisdiction: Jurisdiction) -> Iterator[dict[str, Json]]:
    """The facts that are added here or by a parent: `value` is what each can be."""
    particulars = jurisdiction.policy.particulars
    assert particulars is not None, "it was read"
    for fact in particulars.facts:
        kind = fact.type.kind
        can_be = f"{fact.type}, {fact.type.show(fact.low)} to {fact.type.show(fact.high)}"
        if kind is Kind.TEXT:
            can_be = f"text, {' or '.join(fact.type.options)}"
        elif kind is Kind.FLAG:
            can_be = "flag"
        item = particulars.fact_items[fact.name]
        yield {
            "name": fact.name,
            "type": kind.value,
            "value": can_be,
            "description": fact.description,
            **_place(item),
        }


def _place(item: Item) -> dict[str, Json]:
    return {"file": item.document.file, "line": item.line}


def _period(period: Period) -> dict[str, Json]:
    start = None if period.start == date.min else period.start.isoformat()
    return {"from": start, "until": period.end.isoformat() if period.end else None}


def _settings(particulars: Particulars, rulebook: Rulebook) -> Iterator[dict[str, Json]]:
    for name in _SETTINGS:
        value = getattr(rulebook, name)
        shown = value if isinstance(value, bool) else str(value)
        yield {"name": name, "value": shown, **_place(particulars.places[name])}
    if particulars.figures is not None:
        shown = particulars.figures.show(Type(Kind.MONEY, rulebook.currency), 123456789)
        percent = particulars.figures.percent_text("12.5")
        value = f"{shown}; {percent}; {particulars.figures.date}"
        yield {"name": "figures", "value": value, **_place(particulars.places["figures"])}
    for name in _TIMELINES:
        entry = particulars.timelines[name][1].entry_on(rulebook.since)
        assert entry is not None and entry.item is not None, "it was read, and holds"  # noqa: PT018
        yield {
            "name": name,
            "value": entry.value,
            "source": entry.source,
            **_period(entry.period),
            **_place(entry.item),
        }


def _parameters(jurisdiction: Jurisdiction, rulebook: Rulebook) -> Iterator[dict[str, Json]]:
    for name, parameter in rulebook.parameters.items():
        written = jurisdiction.policy.parameters[name]
        assert written is not None, "it was read"
        entry = written.timeline.entry_on(rulebook.since)
        assert entry is not None and entry.item is not None, "it holds"  # noqa: PT018
        yield {
            "name": name,
            "type": parameter.type.kind.value,
            "value": parameter.type.show(parameter.number),
            "source": entry.source,
            **_period(entry.period),
            **_place(entry.item),
        }


def _rules(jurisdiction: Jurisdiction, rulebook: Rulebook) -> Iterator[tuple[Rule, WrittenRule]]:
    """The renewal rules in force, each with how it was written."""
    written = {each.code: each for each in jurisdiction.policy.rules_on(rulebook.since)}
    return ((rule, written[rule.code]) for rule in rulebook.renewal.rules)


def _rule(rule: Rule, written: WrittenRule, rulebook: Rulebook) -> dict[str, Json]:
    return {
        "id": rule.id,
        "code": rule.code,
        "when": rule.when,
        "require": rule.require,
        "otherwise": rule.otherwise,
        "words": in_words(rule, rulebook),
        "reason": rule.reason,
        "source": rule.source,
        **_period(written.period),
        **_place(written.keys.item),
    }


def in_words(rule: Rule, rulebook: Rulebook) -> str:
    """*rule* in plain words, its parameters with their values."""
    require = words(check(parse(rule.require), rulebook.catalogue, Kind.FLAG))
    if rule.when is None:
        return f"{_capital(require)}."
    when = words(check(parse(rule.when), rulebook.catalogue, Kind.FLAG))
    return f"Where {when}: {require}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _products(jurisdiction: Jurisdiction, rulebook: Rulebook) -> Iterator[dict[str, Json]]:
    written = {each.key: each for each in jurisdiction.policy.products_on(rulebook.since)}
    for terms in rulebook.products:
        product = written[terms.key]
        rules = {each.code: each for each in product.rules if rulebook.since in each.period}
        yield {
            "key": terms.key,
            "name": terms.name,
            "description": terms.description,
            "repayment_mechanism": terms.repayment_mechanism,
            "amounts": [f"{short(share, PERCENT_PLACES)}%" for share in terms.amounts],
            **_period(product.period),
            **_place(product.keys.item),
            "calculators": _calculators(terms),
            "rules": [_rule(rule, rules[rule.code], rulebook) for rule in terms.rules.rules],
        }


def _calculators(terms: ProductTerms) -> dict[str, Json]:
    found = {}
    for kind in CALCULATORS:
        choice = getattr(terms, kind)
        found[kind] = {"calculator": choice.name, **settled(choice.settings)}
    return found
