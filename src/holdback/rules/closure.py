"""Checked trees to one Python function: the fast reader of rules, one deal at a time.

The generated source is made from the checked tree alone: its names are places in the facts, its
values are whole numbers, and its operators come from the table below. No text that a person wrote
gets into it.

Python has two truth values and the language has three, so a flag is written twice: once as the
condition under which it is true and once as the one under which it is false. It is unknown where
neither holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from holdback.rules import scaling
from holdback.rules.operators import OPPOSITES, by_operator
from holdback.rules.tree import Checked, Constant, FactRead, Node, Operation, leaves
from holdback.rules.types import Facts, Kind

# How each operator is written in Python, on known operands of one scale. Flags are written by
# `_true` and `_false`.
_PYTHON: Final[Mapping[str, str]] = by_operator(
    "the closure",
    {
        "==": "{} == {}",
        "!=": "{} != {}",
        "<": "{} < {}",
        "<=": "{} <= {}",
        ">": "{} > {}",
        ">=": "{} >= {}",
        "in": "{} in {{{}}}",
        "not in": "{} not in {{{}}}",
        "+": "({} + {})",
        "-": "({} - {})",
        "*": "({} * {})",
        "negate": "(-{})",
        "min": "min({}, {})",
        "max": "max({}, {})",
        "abs": "abs({})",
    },
)
# `not in` is Python's, not the language's, so it is not among the operators.
_OPPOSITES: Final = by_operator("the closure", {**OPPOSITES, "in": "not in"})

# Everything that a generated function can call.
_CALLS: Final[Mapping[str, Callable[..., object]]] = {"min": min, "max": max, "abs": abs}

# Unpacking a fact costs a third as much as reading it by place, but all facts are unpacked at once.
# So unpacking is cheaper when rules read a third of the facts or more (decisions/fast-paths).
_UNPACK_FROM: Final = 3


def closure(checked: Checked) -> Callable[[Facts], bool | int | None]:
    """
    Return a function from prepared facts to the value of *checked*, the same as `interpret` gives.

    A flag is a real bool; a number has the `places` of the checked tree; None is unknown.
    """
    root = checked.tree
    if root.type.kind is Kind.FLAG:
        body = [f"if {_true(root)}:", " return True", f"if {_false(root)}:", " return False"]
    else:
        condition = _known(root) or "True"
        body = [f"if {condition}:", f" return {_number(root, root.places)}"]
    return _function([*_unpacked([checked]), *body, "return None"])


def mask_function(rules: Sequence[Checked]) -> Callable[[Facts], tuple[int, int]]:
    """
    Return one function for all *rules*: prepared facts to (mask of the false, mask of the unknown).

    Bit i of a mask belongs to rule i; a rule in neither mask is true. All rules share one function
    because unpacking the facts and calling it would otherwise cost more than the rules themselves.
    """
    assert all(rule.type.kind is Kind.FLAG for rule in rules), "a rule is a flag"
    # A place means something in one catalogue only. Most rules share one object, so it is compared
    # by identity first.
    assert len({id(rule.catalogue.facts) for rule in rules}) <= 1 or _same_facts(rules)
    body = ["f = u = 0"]
    for bit, rule in enumerate(rules):
        body.extend(_rule(rule.tree, 1 << bit))
    return _function([*_unpacked(rules), *body, "return f, u"])


def _same_facts(rules: Sequence[Checked]) -> bool:
    return all(rule.catalogue.facts == rules[0].catalogue.facts for rule in rules)


def _function(body: Sequence[str]) -> Callable[[Facts], Any]:
    """Return the function of facts with the *body*, which can name only facts and `_CALLS`."""
    source = "\n".join(["def function(facts):", *(f" {line}" for line in body)])
    # Without builtins even a mistake in the generator could not reach anything of the process.
    namespace: dict[str, Any] = {"__builtins__": {}, **_CALLS}
    exec(compile(source, "<rules>", "exec"), namespace)  # noqa: S102 - made of places and numbers
    function: Callable[[Facts], Any] = namespace["function"]
    return function


def _unpacked(rules: Sequence[Checked]) -> list[str]:
    """Return the lines that assign the facts which *rules* read to local variables."""
    read = {place for rule in rules for place in rule.facts}
    if not read:
        return []
    size = len(rules[0].catalogue.facts)
    if len(read) * _UNPACK_FROM < size:
        return [f"a{place} = facts[{place}]" for place in sorted(read)]
    return [f"{', '.join(f'a{n}' if n in read else '_' for n in range(size))}, = facts"]


def _rule(node: Node, bit: int) -> list[str]:
    """Return the lines that add the answer of the rule *node* to the masks."""
    # Most rules are true of most deals, so that condition is the first to be tested.
    return [
        f"if not {_true(node)}:",
        f" if {_false(node)}:",
        f"  f |= {bit}",
        " else:",
        f"  u |= {bit}",
    ]


def _true(node: Node) -> str:
    """Return the condition under which the flag *node* is true."""
    match node:
        case Constant():
            return "True" if node.number else "False"
        case FactRead():
            return f"a{node.place}"
        case Operation(operator="not", operands=(operand,)):
            return _false(operand)
        case Operation(operator="or", operands=operands):
            return f"({' or '.join(_true(operand) for operand in operands)})"
        case Operation(operator="and", operands=operands):
            return f"({' and '.join(_true(operand) for operand in operands)})"
        case _:
            return f"({_known(node)} and {_compared(node, answer=True)})"


def _false(node: Node) -> str:
    """Return the condition under which the flag *node* is false."""
    match node:
        case Constant():
            return "False" if node.number else "True"
        case FactRead():
            # `not a` would take an unknown fact, None, for a false one.
            return f"a{node.place} == 0"
        case Operation(operator="not", operands=(operand,)):
            return _true(operand)
        case Operation(operator="or", operands=operands):
            return f"({' and '.join(_false(operand) for operand in operands)})"
        case Operation(operator="and", operands=operands):
            return f"({' or '.join(_false(operand) for operand in operands)})"
        case _:
            return f"({_known(node)} and {_compared(node, answer=False)})"


def _compared(node: Node, *, answer: bool) -> str:
    """Return the condition under which the comparison *node*, all known, has that *answer*."""
    assert isinstance(node, Operation)
    operator = node.operator if answer else _OPPOSITES[node.operator]
    places = scaling.most_places(node.operands)
    return _operation_source(operator, [_number(operand, places) for operand in node.operands])


def _known(node: Node) -> str:
    """
    Return the condition under which all facts that *node* reads are known.

    It is "" only for a constant number: a comparison always reads a fact (`check`).
    """
    return " and ".join(f"a{place} is not None" for place in _places(node))


def _places(node: Node) -> list[int]:
    """Return the places of the facts that *node* reads."""
    return sorted({leaf.place for leaf in leaves(node) if isinstance(leaf, FactRead)})


def _number(node: Node, places: int) -> str:
    """Return the number *node*, all known, in units of 10**-*places*."""
    multiplier = scaling.multiplier(node, places)
    if scaling.is_constant(node):
        # A constant subtree is calculated here once; its interval is a single number.
        return str(node.low * multiplier)
    match node:
        case FactRead():
            number = f"a{node.place}"
        case Operation(operator="*", operands=(left, right)):
            multiple = scaling.factor(left, right)
            assert multiple is not None, "check lets no other product pass"
            operand = _number(multiple.operand, multiple.operand.places)
            number = _operation_source("*", [operand, str(multiple.number)])
        case Operation(operator=operator, operands=operands):
            number = _operation_source(
                operator, [_number(operand, node.places) for operand in operands]
            )
        case _:
            raise AssertionError(node)
    return number if multiplier == 1 else _operation_source("*", [number, str(multiplier)])


def _operation_source(operator: str, operands: Sequence[str]) -> str:
    # `min`, `max` and `in` take any number of operands after the first.
    first, *others = operands
    return _PYTHON[operator].format(first, ", ".join(others))
