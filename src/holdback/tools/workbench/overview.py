"""Everything in force on a day as plain values, each with its place in the files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from typing import Final

from attrs import evolve

from holdback.disclosures.figure_facts import offer_catalogue
from holdback.eligibility.assessment import FLOOR_PERCENT
from holdback.eligibility.ruleset import Rule
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import PERCENT_PLACES, digits
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.jurisdiction_file import JurisdictionDetails, SwitchedOff
from holdback.jurisdictions.keys import DATED, SAID, TABLE_OF_TIERS
from holdback.jurisdictions.source_rules import SourceRule
from holdback.jurisdictions.source_tables import SourceTable
from holdback.jurisdictions.timeline import Period, Timeline, TimelineEntry
from holdback.jurisdictions.toml import Node
from holdback.merchant.fee_terms import REVERSED
from holdback.rulebooks.digest import normal_setting
from holdback.rulebooks.product_terms import (
    CALCULATOR_KINDS,
    AllowedFee,
    CalculatorChoice,
    ProductTerms,
)
from holdback.rulebooks.regime import regime_on
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Catalogue, Kind, Type, check, parse, words
from holdback.rules.render import Wording
from holdback.rules.types import draft_label
from holdback.rules.values import days_text

TAKINGS: Final = "average_monthly_takings"
# The calculators that ship and read the takings; those of a host may read them.
PRICED_BY_TAKINGS: Final = frozenset(
    {"limits/takings_multiple", "split_percentage/affordability", "term/takings_pace"}
)
_SETTINGS: Final = ("currency", "rounding", "timezone", "automated_decisioning")
_WHERE_STATED: Final = ("signature", "bank_details", "consents", "late_remittances")


def overview(jurisdiction: Jurisdiction, on: date) -> dict[str, Json]:
    """
    Return the rulebook of *jurisdiction* on the day *on*, as plain values.

    Raises:
        ConfigurationError: when it has no rules on that day.
    """
    rulebook, policy = jurisdiction.rulebook(on), jurisdiction.policy
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
        "settings": [*_settings(jurisdiction.details, rulebook), *_law(rulebook, on)],
        "facts": list(_facts(jurisdiction.details)),
        "checks": list(_checks(jurisdiction.details, rulebook)),
        "parameters": list(_parameters(jurisdiction, rulebook)),
        "rules": [_rule(rule, rulebook.catalogue) for rule in rulebook.renewal.rules],
        "tables": [_table(table, rulebook) for table in policy.tables_on(rulebook.since)],
        "switched_off": [
            {
                "kind": switch_off.kind,
                "name": switch_off.name,
                **({} if switch_off.product is None else {"product": switch_off.product}),
                "reason": switch_off.reason,
                **_period(switch_off.period),
                **_place(switch_off.node),
            }
            for switch_off in jurisdiction.details.switched_off
            if on in switch_off.period and not _is_replaced(switch_off, jurisdiction, rulebook)
        ],
        "products": [_product(terms, rulebook) for terms in rulebook.products],
        "funding": [_rule(rule, rulebook.catalogue) for rule in rulebook.funding.rules],
    }


def _is_replaced(switch_off: SwitchedOff, jurisdiction: Jurisdiction, rulebook: Rulebook) -> bool:
    """Return whether the jurisdiction has its own version of what it switches off."""
    if switch_off.kind == "rule":
        policy, day = jurisdiction.policy, rulebook.since
        here = policy.places_of(switch_off, day)
        parents = evolve(policy, layers=policy.layers[:-1])
        return bool(here) and parents.places_of(switch_off, day) <= here
    if switch_off.kind == TABLE_OF_TIERS:
        return switch_off.name in {it.id for it in jurisdiction.policy.tables_on(rulebook.since)}
    if switch_off.kind == "product":
        return switch_off.name in {terms.key for terms in rulebook.products}
    return switch_off.name in jurisdiction.policy.parameters_on(rulebook.since)


def _facts(details: JurisdictionDetails) -> Iterator[dict[str, Json]]:
    """Yield the facts declared here or by a parent; `value` says which values each can have."""
    for fact in details.facts:
        kind = fact.type.kind
        values = f"{fact.type}, {fact.type.show(fact.low)} to {fact.type.show(fact.high)}"
        if kind is Kind.TEXT:
            values = f"text, {' or '.join(fact.type.options)}"
        elif kind is Kind.FLAG:
            values = "flag"
        yield {
            "name": fact.name,
            "label": fact.label or draft_label(fact.name),
            "type": kind.value,
            "value": values if fact.of is None else f"{values}, about one {fact.of}",
            "description": fact.description,
            **_place(details.fact_nodes[fact.name]),
        }


def _place(node: Node) -> dict[str, Json]:
    return {"file": node.document.file, "line": node.line}


def _period(period: Period) -> dict[str, Json]:
    # `date.min` means that the file gives no date.
    start = None if period.start == date.min else period.start.isoformat()
    return {"from": start, "until": period.end.isoformat() if period.end else None}


def _law(rulebook: Rulebook, on: date) -> Iterator[dict[str, Json]]:
    """Yield the law on disclosures in force on the day *on*, as a setting, where there is one."""
    regime = regime_on(rulebook.disclosures, on)
    if regime is not None:
        value = f"{len(regime.items)} lines since {regime.since}, by {regime.law}"
        waits = "not required" if regime.required is None else f"required {regime.required}"
        value += f"; {waits.replace('_', ' ')}, {'' if regime.signed else 'not '}signed"
        yield {"name": "disclosures", "value": value, "file": regime.file, "line": 1}


def _settings(details: JurisdictionDetails, rulebook: Rulebook) -> Iterator[dict[str, Json]]:
    for name in _SETTINGS:
        value = getattr(rulebook, name)
        shown = value if isinstance(value, bool) else str(value)
        yield {"name": name, "value": shown, **_place(details.setting_nodes[name])}
    if details.figures is not None:
        shown = details.figures.show(Type(Kind.MONEY, rulebook.currency), 123456789)
        percent = details.figures.percent_text("12.5")
        value = f"{shown}; {percent}; {details.figures.date}"
        yield {"name": "figures", "value": value, **_place(details.setting_nodes["figures"])}
    for name in (*_WHERE_STATED, *SAID):
        node, value = details.setting_nodes[name], details.fixed[name]
        if not node.absent:
            shown = value if isinstance(value, str) else ", ".join(value) or "none"
            yield {"name": name, "value": shown, **_place(node)}
    for name in DATED:
        # One that no file states has its default, and no place.
        if name in details.timelines:
            entry = _entry_in_force(details.timelines[name][1], rulebook)
            yield {"name": name, "value": entry.value, **_source(entry)}


def _checks(details: JurisdictionDetails, rulebook: Rulebook) -> Iterator[dict[str, Json]]:
    """Yield the checks that the files name; `value` says what is particular about each here."""
    for name, source in details.checks.items():
        terms = rulebook.checks[name]
        parts = [f"gives {', '.join(terms.facts)}"]
        if terms.max_age_days is not None:
            parts.append(f"at most {days_text(terms.max_age_days)} old")
        if terms.of_deal:
            parts.append("is about one deal")
        if terms.consent is not None:
            parts.append(f"needs the consent {terms.consent}")
        entry = None if source.max_age is None else source.max_age.entry_on(rulebook.since)
        origin = _place(source.node) if entry is None else _source(entry)
        yield {"name": name, "value": "; ".join(parts), **origin}


def _parameters(jurisdiction: Jurisdiction, rulebook: Rulebook) -> Iterator[dict[str, Json]]:
    for name, parameter in rulebook.parameters.items():
        entry = _entry_in_force(jurisdiction.policy.parameters[name].timeline, rulebook)
        yield {
            "name": name,
            "label": rulebook.catalogue.label(name),
            "type": parameter.type.kind.value,
            "value": parameter.type.show(parameter.number),
            **_source(entry),
        }


def _entry_in_force(timeline: Timeline[int], rulebook: Rulebook) -> TimelineEntry[int]:
    entry = timeline.entry_on(rulebook.since)
    assert entry is not None, "a rulebook has only what is in force"
    return entry


def _source(entry: TimelineEntry[int]) -> dict[str, Json]:
    assert entry.node is not None, "it was read from a file"
    return {"source": entry.source, **_period(entry.period), **_place(entry.node)}


def _rule(rule: Rule, catalogue: Catalogue) -> dict[str, Json]:
    origin: SourceRule = rule.origin
    return {
        "id": rule.id,
        "code": rule.code,
        "when": rule.when,
        "require": rule.require,
        "otherwise": rule.otherwise,
        "words": in_words(rule, catalogue),
        "reason": rule.reason,
        "source": rule.source,
        **({} if origin.of_table is None else {"table": origin.of_table}),
        **_period(origin.period),
        **_place(origin.table.node),
    }


def _table(table: SourceTable, rulebook: Rulebook) -> dict[str, Json]:
    """Return a table with the code of each row in front: none where it has no rule in force."""
    in_force = {rule.origin for rule in rulebook.all_rules}
    codes = [
        row.rule.code if row.rule is not None and row.rule in in_force else "" for row in table.rows
    ]
    return {
        "id": table.id,
        "products": None if table.products is None else list(table.products),
        "columns": list(table.columns),
        "rows": [list(row.cells) for row in table.rows],
        "codes": codes,
        **_period(table.period),
        **_place(table.table.node),
    }


def in_words(rule: Rule, catalogue: Catalogue) -> str:
    """Return *rule* of *catalogue* in plain words, its parameters with their values."""
    wording = Wording(fact=catalogue.label, parameter=catalogue.label)
    require = words(check(parse(rule.require), catalogue, Kind.FLAG), wording)
    if rule.when is None:
        return f"{_capital(require)}."
    when = words(check(parse(rule.when), catalogue, Kind.FLAG), wording)
    return f"Where {when}: {require}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _product(terms: ProductTerms, rulebook: Rulebook) -> dict[str, Json]:
    return {
        "key": terms.key,
        "name": terms.name,
        "description": terms.description,
        "repayment_mechanism": terms.repayment_mechanism,
        "amounts": [f"{digits(share, PERCENT_PLACES, 0)}%" for share in terms.amounts],
        **_period(terms.origin.period),
        **_place(terms.origin.table.node),
        "calculators": calculators(terms),
        "renewal": terms.renewal,
        "fees": [
            {
                "name": fee.allowed.key,
                "value": fee_words(fee.allowed),
                "source": fee.source,
                **_period(fee.period),
                **_place(fee.node),
            }
            for fee in terms.origin.fees
            if rulebook.on in fee.period
        ],
        "rules": [_rule(rule, rulebook.catalogue) for rule in terms.rules.rules],
        "offer_rules": [
            _rule(rule, offer_catalogue(rulebook.currency)) for rule in terms.offer_rules
        ],
    }


def fee_words(fee: AllowedFee, figure: Callable[[str], str] = str) -> str:
    """Return when *fee* is charged, and how much of it, with amounts written by *figure*."""

    def percent(number: int) -> str:
        return figure(f"{digits(number, PERCENT_PLACES, 0)}%")

    if fee.yearly_rate is not None:
        charge = f"{percent(fee.yearly_rate)} a year of the balance while the deal is in default"
    else:
        when = "for each payment that is taken back" if fee.after == REVERSED else "after a default"
        charge = f"{figure(str(fee.amount))} {when}"
    caps = [] if fee.at_most is None else [figure(str(fee.at_most))]
    if fee.at_most_share is not None:
        caps.append(f"{percent(fee.at_most_share)} of the repayment amount")
    return f"{charge}; at most {' and '.join(caps)} in all"


def calculators(terms: ProductTerms) -> dict[str, Json]:
    """Return the calculators of a product by kind, each with its settings in their one form."""
    result = {}
    for kind in CALCULATOR_KINDS:
        choice: CalculatorChoice | None = getattr(terms, kind)
        if choice is None:
            continue
        result[kind] = {"calculator": choice.name, **normal_setting(choice.settings)}
        if choice.table is not None:  # shown by itself
            result[kind]["table"] = choice.table["id"]
    return result
