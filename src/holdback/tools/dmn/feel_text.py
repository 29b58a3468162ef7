"""Checked trees to FEEL, the language of DMN: the reader of rules for other rules engines.

Unknown is `null`. FEEL's `and`, `or` and `not` are the same three-valued logic, and its arithmetic
and `<` are null where an operand is, but `null = 3` is false there: so an equality asks for nulls
first. A number of FEEL has 34 digits, more than any result that `check` lets pass. A percentage is
a number of percent, money one of the currency and a period one of days.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Final

from holdback.exact.exact_json import write_json
from holdback.exact.exact_numbers import digits
from holdback.rules.operators import by_operator
from holdback.rules.tree import Constant, FactRead, Node, Operation, leaves
from holdback.rules.types import Fact, Kind, Type

# How each operator is written, on operands that are in parentheses where they need them.
_FEEL: Final[Mapping[str, str]] = by_operator(
    "the writer of FEEL",
    {
        "or": " or ",
        "and": " and ",
        "not": "not({})",
        "==": " = ",
        "!=": " != ",
        "<": " < ",
        "<=": " <= ",
        ">": " > ",
        ">=": " >= ",
        "in": " in ({})",
        "+": " + ",
        "-": " - ",
        "*": " * ",
        "negate": "-{}",
        "abs": "abs({})",
        "min": "min({})",
        "max": "max({})",
    },
)
# How tightly each binds in FEEL; a comparison is between `and` and `+`.
_COMPARISON, _CALL = 3, 7
_BINDING: Final = {"or": 1, "and": 2, "+": 4, "-": 4, "*": 5, "negate": 6} | dict.fromkeys(
    ("not", "abs", "min", "max"), _CALL
)
_EQUALITIES: Final = ("==", "!=", "in")
_BANDS: Final = frozenset(product((">", ">="), ("<", "<=")))
_BOUNDS: Final = {">=": "[", ">": "(", "<=": "]", "<": ")"}
# A fact or a parameter of such a name cannot be named in FEEL.
RESERVED: Final = frozenset(
    {"date", "duration", "every", "external", "for", "function", "instance", "item", "list", "of"}
    | {"return", "satisfies", "some", "time"}
)
_TYPES: Final = {Kind.FLAG: "boolean", Kind.TEXT: "string", Kind.DATE: "date"}
NUMBER: Final = "number"


def feel_type(type_: Type) -> str:
    """Return the name of *type_* in FEEL."""
    return _TYPES.get(type_.kind, NUMBER)


def feel_value(type_: Type, number: int) -> str:
    """
    Return *number* of *type_* as FEEL.

    >>> feel_value(Type(Kind.PERCENT), 645000), feel_value(Type(Kind.DATE), 739_798)
    ('64.5', 'date("2026-07-01")')
    """
    match type_.kind:
        case Kind.FLAG:
            return "true" if number else "false"
        case Kind.TEXT:
            return write_json(type_.options[number])
        case Kind.DATE:
            return f'date("{type_.plain(number)}")'
        case _:
            return digits(number, type_.places, 0)


def allowed_values(fact: Fact) -> str:
    """Return the unary tests for the values of *fact*; null, as unknown, is one of them."""
    if fact.type.kind is Kind.FLAG:
        return "true, false, null"
    if fact.type.kind is Kind.TEXT:
        return ", ".join([*map(write_json, fact.type.options), "null"])
    low, high = (feel_value(fact.type, number) for number in (fact.low, fact.high))
    return f"[{low}..{high}], null"


def feel_text(node: Node) -> str:
    """
    Return *node* as a FEEL expression; parameters are named.

    >>> from holdback.exact.money import Currency
    >>> from holdback.rules import Catalogue, check, parse
    >>> missed = Fact(name="missed", type=Type(Kind.COUNT), low=0, high=30)
    >>> known = Catalogue(facts=(missed,), currency=Currency.of("GBP"))
    >>> feel_text(check(parse("missed == 0"), known).tree)
    'if missed = null then null else missed = 0'
    """
    match node:
        case Constant():
            return feel_value(node.type, node.number) if node.name is None else node.name
        case FactRead():
            return node.name
        case Operation(operator=operator) if operator in _EQUALITIES:
            return _known(node, _compared(node))
        case Operation(operator=operator, operands=operands):
            form = _FEEL[operator]
            if operator == "negate":
                return form.format(_within(operands[0], operator))
            if "{}" in form:
                return form.format(_listed(operands))
            text = form.join(_within(operand, operator) for operand in operands)
            # 50% of an amount is half of it, and a percentage a number of hundredths.
            share = operator == "*" and node.type.kind is Kind.MONEY
            if share and any(operand.type.kind is Kind.PERCENT for operand in operands):
                text = f"{text} / 100"
            return text


def _known(node: Node, text: str) -> str:
    """Return *text*, the FEEL of *node*, made null where a fact that it reads is."""
    read = [leaf.name for leaf in leaves(node) if isinstance(leaf, FactRead)]
    unknown = " or ".join(f"{name} = null" for name in dict.fromkeys(read))
    return f"if {unknown} then null else {text}" if unknown else text


def _compared(node: Operation) -> str:
    """Return a comparison, without the question for nulls."""
    first, *others = node.operands
    form = _FEEL[node.operator]
    if node.operator == "in":
        return f"{_within(first, node.operator)}{form.format(_listed(others))}"
    return form.join(_within(operand, node.operator) for operand in node.operands)


def requirement(node: Node) -> str:
    """
    Return what a cell requires of its fact, the checked *node*, as an expression.

    It means what `feel_text` means; of several comparisons, a null is asked for once.
    """
    if not isinstance(node, Operation) or node.operator != "and":
        return feel_text(node)
    return _known(node, " and ".join(map(_compared, _comparisons(node))))


def _within(node: Node, outer: str) -> str:
    """Return *node* as a part of the operator *outer*, in parentheses where it binds no tighter."""
    text = feel_text(node)
    binding = _BINDING.get(node.operator, _COMPARISON) if isinstance(node, Operation) else _CALL
    is_loose = binding <= _BINDING.get(outer, _COMPARISON) or text.startswith("if ")
    return f"({text})" if is_loose else text


def _listed(nodes: Iterable[Node]) -> str:
    return ", ".join(map(feel_text, nodes))


def unary_tests(node: Node) -> str:
    """
    Return what a cell asks of its fact, the checked *node*, as the unary tests of a decision table.

    A test is false where the fact is unknown: a null takes no row that asks for anything.
    """
    if isinstance(node, FactRead):
        return "true"
    assert isinstance(node, Operation), "a cell is a comparison, or a flag"
    parts = list(_comparisons(node))
    operators = [part.operator for part in parts]
    values = [_listed(part.operands[1:]) for part in parts]
    if operators == ["not"]:
        return "false"
    if operators in (["=="], ["in"]):
        return values[0]
    if set(operators) == {"!="}:
        return f"not({', '.join([*values, 'null'])})"
    if len(operators) == 1:
        return f"{operators[0]} {values[0]}"
    if tuple(operators) in _BANDS:
        return f"{_BOUNDS[operators[0]]}{values[0]}..{values[1]}{_BOUNDS[operators[1]]}"
    tests = [f"?{_FEEL[part.operator]}{value}" for part, value in zip(parts, values, strict=True)]
    return " and ".join([*tests, "? != null"])


def _comparisons(node: Operation) -> Iterable[Operation]:
    """Yield the comparisons that `and` joins in *node*."""
    if node.operator != "and":
        yield node
        return
    for operand in node.operands:
        assert isinstance(operand, Operation), "a part of a cell is a comparison"
        yield from _comparisons(operand)
