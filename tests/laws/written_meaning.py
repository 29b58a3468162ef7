"""The meaning of a jurisdiction's files on a day, computed without the code that reads them.

It is a plain value: two texts mean the same on a day when their values are equal. Only the parser
of expressions is shared. Names, parents and timelines are resolved here, in the most obvious way,
after decisions/rule-language and decisions/overlays.
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
QUANTITY = re.compile(r"([A-Z]{3} )?(-?[0-9]+(?:\.[0-9]+)?)(%?)")
NUMBERS = ("percent", "ratio", "count", "money", "days")


def holds(entry, day, default=(date.min, None)):
    """
    Whether *day* is in `[from, until)` of *entry*, or of the *default* where it leaves them out.
    """
    start, end = entry.get("from", default[0]), entry.get("until", default[1])
    return start <= day and (end is None or day < end)


def value_on(timeline, day):
    """The value of a timeline on *day*: that of the last entry that has begun and not ended."""
    begun = [entry for entry in timeline if entry["from"] <= day]
    return begun[-1]["value"] if begun and holds(begun[-1], day) else None


def meaning(layers, day):
    """
    What a jurisdiction means on *day*; its *layers* are files by name, the eldest parent's first.
    """
    who = {}
    for layer in layers:
        who |= layer[WHO]
    parameters = parameters_on(layers, day)
    rules = overlaid(layers, day, "rule", RENEWAL, "rules", "id")
    products = overlaid(layers, day, "product", PRODUCTS, "products", "key")
    meant = [rule_of(rule, parameters) for rule in rules.values()]
    offered = [product_of(product, parameters, day) for product in products.values()]
    every_rule = meant + [rule for product in offered for rule in product["rules"]]
    own = {}
    for layer in layers:
        own |= layer[WHO].get("facts", {})
    read = {name for rule in every_rule for name in facts_in(rule["tree"])}
    return {
        "code": who["code"],
        **{key: who[key] for key in INHERITED},
        **{key: value_on(who[key], day) for key in DATED},
        "rules": meant,
        "products": offered,
        "facts": {name: fact_of(own[name]) for name in read if name in own},
    }


def overlaid(layers, day, kind, file, listed, key):
    """
    The rules or products in force on *day* by id: "a child replaces a whole one" or switches it
    off.
    """
    found = {}
    for layer in layers:
        for dropped in layer[WHO].get("switch_off", ()):
            if kind in dropped and holds(dropped, day):
                found.pop(dropped[kind], None)
        for each in layer.get(file, {}).get(listed, ()):
            if holds(each, day):
                found[each[key]] = each
    return found


def parameters_on(layers, day):
    """Type and value of every parameter on *day*: a child replaces one with its whole timeline."""
    found = {}
    for layer in layers:
        for dropped in layer[WHO].get("switch_off", ()):
            if "parameter" in dropped and holds(dropped, day):
                found.pop(dropped["parameter"], None)
        for file in (RENEWAL, PRODUCTS):
            for name, each in layer.get(file, {}).get("parameters", {}).items():
                found[name] = each["type"], value_on(each["timeline"], day)
    return found


def rule_of(rule, parameters):
    """What a rule means: `when` is "Kleene `not when or require`"."""
    tree = tree_of(rule["require"], parameters)
    if "when" in rule:
        tree = flat("or", [("not", tree_of(rule["when"], parameters)), tree])
    otherwise = rule.get("otherwise", "decline")
    return {"id": rule["id"], "code": rule["code"], "otherwise": otherwise, "tree": tree}


def product_of(product, parameters, day):
    """What a product means; its rules hold as long as it is offered where they do not say."""
    period = product["from"], product.get("until")
    return {
        "key": product["key"],
        "mechanism": product["repayment_mechanism"],
        "amounts": [plain(share) for share in product["amounts"]],
        "calculators": {kind: plain(product[kind]) for kind in CALCULATORS},
        "rules": [
            rule_of(rule, parameters)
            for rule in product.get("rules", ())
            if holds(rule, day, period)
        ],
    }


def fact_of(fact):
    """What the declaration of an own fact means: all but its description."""
    return {key: plain(value) for key, value in fact.items() if key != "description"}


def plain(value):
    """*value* with its quantities as numbers: `"12.50%"` is `"12.5%"`."""
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
    """An expression with parameters as values, without spaces, parentheses and zeros."""
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
    """`a or (b or c)` means what `a or b or c` does; so it is with `and`."""
    if operator in ("or", "and"):
        parts = [each[1:] if each[0] == operator else (each,) for each in operands]
        operands = [part for each in parts for part in each]
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
