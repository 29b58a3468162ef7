"""
What a jurisdiction's files mean on a day, derived independently of their reader.

The meaning is a plain value: two sets of files mean the same on a day when their values are equal.
The package only parses expressions. This module resolves names, overlays parents and cuts timelines
itself, in the most obvious way (decisions/rule-language, decisions/jurisdiction-folders).
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from functools import cache

from holdback.rules import parse
from holdback.rules.tree import Literal, Name

WHO, RENEWAL, PRODUCTS = "jurisdiction.toml", "renewal.toml", "products.toml"
INHERITED = ("rounding", "timezone", "automated_decisioning")
DATED = ("offers_valid_hours", "recently_active_days")
CALCULATORS = ("limits", "split_percentage", "factor_rate", "term")
OPTIONAL_CALCULATORS = ("settlement",)
QUANTITY = re.compile(r"([A-Z]{3} )?(-?[0-9]+(?:\.[0-9]+)?)(%?)")
NUMBERS = ("percent", "ratio", "count", "money", "days")


def holds(entry, day, default=(date.min, None)):
    """Whether *day* is in `[from, until)` of *entry*, which has a *default* for either bound."""
    start, end = entry.get("from", default[0]), entry.get("until", default[1])
    return start <= day and (end is None or day < end)


def value_on(timeline, day):
    """The value on *day* of the last entry that has begun, if it has not ended."""
    begun = [entry for entry in timeline if entry["from"] <= day]
    return begun[-1]["value"] if begun and holds(begun[-1], day) else None


def meaning(layers, day):
    """The meaning on *day* of *layers*: files by name, of the most distant ancestor first."""
    who = {}
    for layer in layers:
        who |= layer[WHO]
    parameters = parameters_on(layers, day)
    rules = overlaid(layers, day, "rule", RENEWAL, "rules", "id")
    products = overlaid(layers, day, "product", PRODUCTS, "products", "key")
    meant = [rule_of(rule, parameters) for rule in rules.values()]
    offered = [product_of(layers, product, parameters, day) for product in products.values()]
    funding = overlaid(layers, day, "rule", PRODUCTS, "funding", "id")
    at_funding = [rule_of(rule, parameters) for rule in funding.values()]
    every_rule = meant + [rule for product in offered for rule in product["rules"]] + at_funding
    own = {}
    for layer in layers:
        own |= layer[WHO].get("facts", {})
    read = {name for rule in every_rule for name in facts_in(rule["tree"])}
    return {
        "code": who["code"],
        **{key: who[key] for key in INHERITED},
        **{key: value_on(who[key], day) for key in DATED},
        "greatest ages": greatest_ages(layers, day),
        "rules": meant,
        "products": offered,
        "funding": at_funding,
        "facts": {name: fact_of(own[name]) for name in read if name in own},
    }


def greatest_ages(layers, day):
    """How old the result of each check may be on *day*, and its facts; a child replaces a check."""
    checks = {}
    for layer in layers:
        checks |= layer[WHO].get("checks", {})
    limits = {name: value_on(check.get("max_age_days", []), day) for name, check in checks.items()}
    return {
        name: (limit, checks[name].get("facts"))
        for name, limit in limits.items()
        if limit is not None
    }


def overlaid(layers, day, kind, file, listed, key):
    """The rules or products in force on *day*, by id; a child replaces or drops whole ones."""
    in_force = {}
    for layer in layers:
        for dropped in layer[WHO].get("switch_off", ()):
            in_one_product = "rule" in dropped and "product" in dropped
            if kind in dropped and not in_one_product and holds(dropped, day):
                in_force.pop(dropped[kind], None)
        for entry in layer.get(file, {}).get(listed, ()):
            if holds(entry, day):
                in_force[entry[key]] = entry
    return in_force


def parameters_on(layers, day):
    """The type and value of each parameter on *day*; a child replaces its whole timeline."""
    in_force = {}
    for layer in layers:
        for dropped in layer[WHO].get("switch_off", ()):
            if "parameter" in dropped and holds(dropped, day):
                in_force.pop(dropped["parameter"], None)
        for file in (RENEWAL, PRODUCTS):
            for name, parameter in layer.get(file, {}).get("parameters", {}).items():
                in_force[name] = parameter["type"], value_on(parameter["timeline"], day)
    return in_force


def rule_of(rule, parameters):
    """The meaning of a rule; with a `when` it is `not when or require` in Kleene logic."""
    tree = tree_of(rule["require"], parameters)
    if "when" in rule:
        tree = flat("or", [("not", tree_of(rule["when"], parameters)), tree])
    otherwise = rule.get("otherwise", "decline")
    return {"id": rule["id"], "code": rule["code"], "otherwise": otherwise, "tree": tree}


def product_of(layers, product, parameters, day):
    """The meaning of a product."""
    return {
        "key": product["key"],
        "mechanism": product["repayment_mechanism"],
        "amounts": [plain(share) for share in product["amounts"]],
        "calculators": {
            kind: plain(product[kind])
            for kind in (*CALCULATORS, *OPTIONAL_CALCULATORS)
            if kind in product
        },
        "rules": [rule_of(rule, parameters) for rule in product_rules(layers, product, day)],
    }


def product_rules(layers, product, day):
    """
    The rules of a product in force on *day*: what several products share, and then its own.

    A child replaces and drops them by id. A rule without dates has those of the product.
    """
    key, period, in_force = product["key"], (product["from"], product.get("until")), {}
    for layer in layers:
        file = layer.get(PRODUCTS, {})
        shared = [rule for rule in file.get("rules", ()) if key in rule.get("products", (key,))]
        is_its_own = any(entry is product for entry in file.get("products", ()))
        own = product.get("rules", ()) if is_its_own else ()
        here = [(rule, True) for rule in shared if holds(rule, day)]
        here += [(rule, False) for rule in own if holds(rule, day, period)]
        kept = {rule["id"] for rule, _ in here}
        for dropped in layer[WHO].get("switch_off", ()):
            name = dropped.get("rule")
            if name not in in_force or name in kept or not holds(dropped, day):
                continue
            of_all = "product" not in dropped and in_force[name][1]
            if of_all or dropped.get("product") == key:
                del in_force[name]
        for rule, is_shared in here:
            in_force[rule["id"]] = rule, is_shared
    return [rule for rule, _ in in_force.values()]


def fact_of(fact):
    """The meaning of a declared fact: everything but its description and its label."""
    prose = ("description", "label")
    return {key: plain(value) for key, value in fact.items() if key not in prose}


def plain(value):
    """*value* with its quantities as numbers, so that `"12.50%"` equals `"12.5%"`."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, Decimal):
        return value.normalize()
    match = QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is not None and (match[1] or match[3]):
        return match[1], Decimal(match[2]), match[3]
    return value


def tree_of(expression, parameters):
    """An expression as a tree with the values of its parameters."""
    return _tree(parsed(expression), parameters)


@cache  # the same few hundred expressions are read on every day of every variant
def parsed(expression):
    return parse(expression).root


def _tree(node, parameters):
    if isinstance(node, Literal):
        value = Decimal(node.value) if node.kind.value in NUMBERS else node.value
        return "literal", node.kind.value, value
    if isinstance(node, Name):
        if node.name not in parameters:
            return "fact", node.name
        kind, value = parameters[node.name]
        return "literal", kind, _of_a_parameter(value)
    operands = [_tree(operand, parameters) for operand in node.operands]
    if node.operator == "negate" and operands[0][0] == "literal":
        return *operands[0][:2], -operands[0][2]
    return flat(node.operator, operands)


def flat(operator, operands):
    """One operation, so that `a or (b or c)` equals `a or b or c`; the same holds for `and`."""
    if operator in ("or", "and"):
        parts = [node[1:] if node[0] == operator else (node,) for node in operands]
        operands = [operand for part in parts for operand in part]
    return (operator, *operands)


def _of_a_parameter(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    number = re.search(r"-?[0-9]+(\.[0-9]+)?", str(value))
    assert number is not None, value
    return Decimal(number[0])


def facts_in(tree):
    """The names of the facts in a tree."""
    if tree[0] == "fact":
        return {tree[1]}
    return {name for part in tree[1:] if isinstance(part, tuple) for name in facts_in(part)}
