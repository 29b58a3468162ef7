"""The ten rules in other rules engines, each as its documentation shows and in its fastest form.

Each function here returns an `Entry`: the form of facts that the engine prefers, a call that
evaluates the rules, and one that turns the result into failing codes. Engines that do not take
Decimals get floats.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from attrs import frozen
from task import CODES, with_floats


@frozen
class Entry:
    """
    The task in one engine. *facts* converts a deal, *evaluate* evaluates the rules, and *codes*
    reads the result. Only *evaluate* is timed.
    """

    name: str
    takes: str
    facts: Callable[[dict], Any]
    evaluate: Callable[[Any], Any]
    codes: Callable[[Any], tuple[str, ...]]


def unchanged(deal):
    """Return the deal unchanged: Decimals, integers, text and flags."""
    return deal


def failing(flags):
    """Return the codes whose flag is true for a failing rule."""
    return tuple(code for code, fails in zip(CODES, flags, strict=True) if fails)


def not_held(flags):
    """Return the codes whose flag is false for a failing rule."""
    return tuple(code for code, holds in zip(CODES, flags, strict=True) if not holds)


# The rules as most engines write them, with C's or Python's operators.
TEXTS = (
    "progress >= 50",
    "performance >= 80",
    "status == 'Funded'",
    "days_since_funding >= 30",
    "days_since_last_remittance <= 10",
    "missed_remittances_30d <= 3",
    "deals_defaulted == 0",
    "average_monthly_takings >= 2500",
    "takings_trend >= 85 or (deals_completed >= 2 and balance < 5000)",
    "identity_verified",
)

# -- datalogic-py


def json_logic():
    """Return the failure of each rule in JSON logic."""

    def var(name):
        return {"var": name}

    small = {"and": [{">=": [var("deals_completed"), 2]}, {"<": [var("balance"), 5000]}]}
    return [
        {"<": [var("progress"), 50]},
        {"<": [var("performance"), 80]},
        {"!==": [var("status"), "Funded"]},
        {"<": [var("days_since_funding"), 30]},
        {">": [var("days_since_last_remittance"), 10]},
        {">": [var("missed_remittances_30d"), 3]},
        {"!==": [var("deals_defaulted"), 0]},
        {"<": [var("average_monthly_takings"), 2500]},
        {"and": [{"<": [var("takings_trend"), 85]}, {"!": small}]},
        {"!": var("identity_verified")},
    ]


def datalogic():
    """One compiled list of datalogic-py, in a session."""
    import datalogic_py

    engine = datalogic_py.Engine()
    evaluate, flags = engine.session().evaluate, engine.compile(json_logic())
    return Entry("datalogic-py", "floats", with_floats, lambda deal: evaluate(flags, deal), failing)


def datalogic_parsed():
    """The same on facts that datalogic-py has parsed beforehand: its documented fast path."""
    import datalogic_py

    engine = datalogic_py.Engine()
    evaluate, flags = engine.session().evaluate_data, engine.compile(json_logic())
    return Entry(
        "datalogic-py, facts read beforehand",
        "its own handle",
        lambda deal: datalogic_py.DataHandle(json.dumps(with_floats(deal))),
        lambda handle: evaluate(flags, handle),
        failing,
    )


# -- zen-engine


def zen_graph():
    """Return a decision of zen-engine as JSON: a table of rules that collects matching rows."""
    rows = [
        {"_id": code, "in": f"not ({text})", "out": f'"{code}"'}
        for code, text in zip(CODES, TEXTS, strict=True)
    ]
    table = {
        "hitPolicy": "collect",
        "inputs": [{"id": "in", "name": "fails"}],
        "outputs": [{"id": "out", "name": "code", "field": "code"}],
        "rules": rows,
    }
    return {
        "nodes": [
            {"id": "in", "type": "inputNode", "name": "in"},
            {"id": "table", "type": "decisionTableNode", "name": "table", "content": table},
            {"id": "out", "type": "outputNode", "name": "out"},
        ],
        "edges": [
            {"id": "1", "sourceId": "in", "targetId": "table"},
            {"id": "2", "sourceId": "table", "targetId": "out"},
        ],
    }


def zen_codes(answer):
    """Return the codes in the result of a decision."""
    return tuple(row["code"] for row in answer["result"])


def zen_decision():
    """A decision of zen-engine, the form of its documentation."""
    import zen

    decision = zen.ZenEngine().create_decision(json.dumps(zen_graph()))
    return Entry("zen-engine, decision", "floats", with_floats, decision.evaluate, zen_codes)


def zen_expression():
    """One compiled expression of zen-engine that returns a list: its fastest form."""
    import zen

    expression = zen.compile_expression(f"[{', '.join(f'({text})' for text in TEXTS)}]")
    return Entry("zen-engine, one expression", "floats", with_floats, expression.evaluate, not_held)


def zen_batch(deals):
    """Return a call of zen-engine's `evaluate_batch` on *deals*, and the reader of its result."""
    import zen

    engine = zen.ZenEngine({"loader": {"type": "static", "content": {"renewal": zen_graph()}}})
    requests = [{"key": "renewal", "context": with_floats(deal)} for deal in deals]

    def codes(answers):
        assert all(answer["success"] for answer in answers)
        return [zen_codes(answer["data"]) for answer in answers]

    return lambda: engine.evaluate_batch(requests), codes


# -- BlazeRules


def blaze_batch(deals):
    """
    Return a call of BlazeRules on *deals*, an Arrow table of floats, and the reader of its masks.

    It is asked which rules each deal fails, its mode `BITMASKS`. A flag is 0 or 1, because its
    rules cannot compare one, and it takes no decimals.
    """
    import blazerules
    import numpy as np
    import pyarrow as pa

    def condition(field, op, value):
        return {"field": field, "op": op, "value": value}

    small = {"and": [condition("deals_completed", "gte", 2), condition("balance", "lt", 5000)]}
    conditions = (
        condition("progress", "lt", 50),
        condition("performance", "lt", 80),
        condition("status", "neq", "Funded"),
        condition("days_since_funding", "lt", 30),
        condition("days_since_last_remittance", "gt", 10),
        condition("missed_remittances_30d", "gt", 3),
        condition("deals_defaulted", "neq", 0),
        condition("average_monthly_takings", "lt", 2500),
        {"and": [condition("takings_trend", "lt", 85), {"not": small}]},
        condition("identity_verified", "eq", 0),
    )
    place = deals.column_names.index("identity_verified")
    deals = deals.set_column(
        place, "identity_verified", deals["identity_verified"].cast(pa.int32())
    )
    fields = {field.name: {"type": BLAZE_TYPES[str(field.type)]} for field in deals.schema}
    rules = [
        {"id": code, "action": "block", "severity": "HIGH", "weight": 1, "conditions": each}
        for code, each in zip(CODES, conditions, strict=True)
    ]
    rulesets = {"name": "ten", "version": "1", "rules": rules}
    settings = blazerules.EngineConfig()
    settings.output_detail = blazerules.OutputDetail.BITMASKS
    engine = blazerules.RuleEngine(settings)
    text = json.dumps({"schema_version": "2.1", "fields": fields, "ruleset": rulesets})
    engine.load_rules_from_string(text, blazerules.RuleFileFormat.JSON)
    (batch,) = deals.combine_chunks().to_batches()

    def masks(answer):
        return sum(answer[code].astype(np.int64) << bit for bit, code in enumerate(CODES))

    return lambda: engine.evaluate_batch(batch), masks


BLAZE_TYPES = {"double": "float64", "int64": "int64", "int32": "int32", "string": "categorical"}

# -- common-expression-language


def common_expression_language():
    """One compiled list in CEL, whose numbers with decimals are doubles."""
    import cel

    decimal = ("progress", "performance", "average_monthly_takings")
    texts = [
        f"{text}.0" if text.startswith(decimal) else text.replace(" or ", " || ") for text in TEXTS
    ]
    texts[8] = "takings_trend >= 85.0 || (deals_completed >= 2 && balance < 5000.0)"
    program = cel.compile(f"[{', '.join(texts)}]")
    return Entry("common-expression-language", "floats", with_floats, program.execute, not_held)


# -- simpleeval


def simple_eval():
    """Ten expressions of simpleeval, parsed beforehand."""
    import simpleeval

    evaluator = simpleeval.SimpleEval()
    parsed = [evaluator.parse(text) for text in TEXTS]

    def evaluate(deal):
        evaluator.names = deal
        return [evaluator.eval("", each) for each in parsed]

    return Entry("simpleeval", "Decimals", unchanged, evaluate, not_held)


# -- rule-engine


def rule_engine():
    """Ten compiled rules of rule-engine."""
    import rule_engine as field

    matches = [field.Rule(text).matches for text in TEXTS]
    return Entry(
        "rule-engine",
        "Decimals",
        unchanged,
        lambda deal: [each(deal) for each in matches],
        not_held,
    )


# -- business-rules


def business_conditions():
    """Return the requirement of each rule as conditions of business-rules."""

    def condition(name, operator, value=True):
        return {"name": name, "operator": operator, "value": value}

    above, at_most = "greater_than_or_equal_to", "less_than_or_equal_to"
    small = [
        condition("deals_completed", above, 2),
        condition("balance", "less_than", 5000),
    ]
    return [
        condition("progress", above, 50),
        condition("performance", above, 80),
        condition("status", "equal_to", "Funded"),
        condition("days_since_funding", above, 30),
        condition("days_since_last_remittance", at_most, 10),
        condition("missed_remittances_30d", at_most, 3),
        condition("deals_defaulted", "equal_to", 0),
        condition("average_monthly_takings", above, 2500),
        {"any": [condition("takings_trend", above, 85), {"all": small}]},
        condition("identity_verified", "is_true"),
    ]


def business_variables():
    """Return a class with a variable of business-rules for each fact of a deal."""
    from business_rules import variables

    kinds = {
        "status": variables.string_rule_variable,
        "identity_verified": variables.boolean_rule_variable,
    }

    def __init__(self, deal):  # noqa: N807 - a method of the class made below
        self.deal = deal

    def variable(name):
        kind = kinds.get(name, variables.numeric_rule_variable)

        def read(self):
            return self.deal[name]

        read.__name__ = name
        return kind(read)

    from task import CATALOGUE

    methods = {fact.name: variable(fact.name) for fact in CATALOGUE.facts}
    return type("DealVariables", (variables.BaseVariables,), {"__init__": __init__, **methods})


def business_rules():
    """Ten rules of business-rules, without actions: whether each was triggered."""
    from business_rules import engine
    from business_rules.actions import BaseActions

    made, run, actions = business_variables(), engine.run, BaseActions()
    rules = [{"conditions": each, "actions": []} for each in business_conditions()]

    def evaluate(deal):
        read = made(deal)
        return [run(rule, read, actions) for rule in rules]

    return Entry("business-rules", "Decimals", unchanged, evaluate, not_held)


ENTRIES = (
    datalogic,
    datalogic_parsed,
    zen_expression,
    common_expression_language,
    simple_eval,
    rule_engine,
    business_rules,
    zen_decision,
)
