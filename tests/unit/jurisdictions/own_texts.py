"""All that holdback itself says to merchants: what a complete language has a text for."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import holdback
from holdback.eligibility.facts import CHECKS, FACTS
from holdback.eligibility.reasons import SERVICE_REASONS
from holdback.merchant.deal import STATUSES, TYPES
from holdback.merchant.statement import STATEMENT_KINDS
from holdback.rules import Kind
from holdback.rules.operators import OPERATORS, OPPOSITES, Role
from holdback.rules.render import PARAMETER, denied_sentence, threshold_words
from holdback.tools.displays.statements import PLANNED, SIGNS, UNSETTLED, kind_text

SOURCE = Path(holdback.__file__).parent
# What is said is a name or composed here: in the tables below, or a text of a file.
COMPOSED = {
    "PARAMETER", "NOT_KNOWN", "f'{words} {{{part}}}'", "f'{{limit}} {built_in.share_of}'",
    "label", "phrase", "labels", "OPERATORS[operator].words", "word",
    "label if to else denied", "type_.show(number)", "self.catalogue.label(name)", "shown",
    "name", "text", "SIGNS", "UNSETTLED", "PLANNED", "part.type", "part.status",
    "kind.replace('_', ' ')",
}  # fmt: skip


def _is_language(node: ast.expr, file: Path) -> bool:
    if file.name == "language.py":
        return ast.unparse(node) == "self"
    return ast.unparse(node).split(".")[-1].strip("_") == "language"


@cache
def calls():
    """Return the first argument of every call that says a text in a language."""
    return tuple(_calls())


def _calls():
    for file in SOURCE.rglob("*.py"):
        code = file.read_text(encoding="utf-8")
        if "language" not in code:
            continue
        for node in ast.walk(ast.parse(code)):
            match node:
                case ast.Call(func=ast.Name(id="say"), args=[text, *_]):
                    yield text
                case ast.Call(
                    func=ast.Attribute(value=owner, attr="say" | "text"), args=[text, *_]
                ):
                    if _is_language(owner, file):
                        yield text
                case ast.Call(func=ast.Name(id="map"), args=[ast.Attribute(attr="text"), texts]):
                    yield from texts.elts if isinstance(texts, ast.Tuple) else ()


def literal(node):
    """Return the texts of *node*; None where it is composed."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.IfExp(body=ast.Constant(value=one), orelse=ast.Constant(value=other)):
            return [one, other]
    return None


def said():
    return {text for call in calls() for text in literal(call) or ()}


def not_literal():
    return {ast.unparse(call) for call in calls() if literal(call) is None}


def labels():
    for fact in FACTS.values():
        label = fact.label or fact.name.replace("_", " ")
        yield label
        if fact.kind is Kind.FLAG:
            yield from (denied_sentence(label), f"whether {label}")
        else:
            yield f"the {label}"
        if fact.share_of:
            yield f"{{limit}} {fact.share_of}"
    for check in CHECKS:
        label = f"age of the {check.replace('_', ' ')} check"
        yield from (label, f"the {label}")


def thresholds():
    for operator in [*OPPOSITES, "in"]:
        for truth in (True, False):
            words = threshold_words(operator, truth=truth)
            yield from [f"{words} {{limit}}", f"{words} {{date}}"] if words else []


def tables():
    yield from SERVICE_REASONS.values()
    yield from labels()
    yield from thresholds()
    yield from (kind_text(kind) for kind in STATEMENT_KINDS)
    yield from (*STATUSES, *TYPES, "yes", "no", PARAMETER, SIGNS, UNSETTLED, PLANNED)
    # The figures of the service's reasons, where they are named next to them.
    yield from (
        "opening balance",
        "closing balance",
        "progress",
        "most",
        "least",
        "or",
        "and",
        "not known: {facts}",
    )
    computed = {Role.ARITHMETIC, Role.PRODUCT}
    rows = [OPERATORS[name] for name in OPERATORS]
    yield from (row.words for row in rows if row.role in computed)


def own_texts():
    return said() | set(tables())
