"""Checked trees to one Python function: the fast reader of rules, one deal at a time.

The generated source is made from the checked tree alone: its names are places in the facts, its
values are whole numbers, its operators come from the tables below. Nothing that a person wrote
gets into it.

A flag is written down twice, once as the condition under which it is true and once as the one under
which it is false. It is unknown where neither holds, and that is all of three-valued logic here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from holdback.rules import scaling
from holdback.rules.operators import OPPOSITES
from holdback.rules.tree import Checked, Constant, FactRead, Node, Operation, leaves
from holdback.rules.types import Facts, Kind

# How each operator is written in Python, on known operands of one scale.
_WRITTEN: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{comparison: f"{{}} {comparison} {{}}" for comparison in OPPOSITES},
        "in": "{} in {{{}}}",
        "not in": "{} not in {{{}}}",
        "+": "({} + {})",
        "-": "({} - {})",
        "*": "({} * {})",
        "negate": "(-{})",
        "min": "min({}, {})",
        "max": "max({}, {})",
        "abs": "abs({})",
    }
)
_OPPOSITES: Final[Mapping[str, str]] = MappingProxyType({**OPPOSITES, "in": "not in"})

# All that a generated function can call.
_CALLS: Final[Mapping[str, Callable[..., object]]] = {"min": min, "max": max, "abs": abs}

# Taking the facts out of their tuple all at once costs a third of taking one out by its place.
_UNPACK_FROM: Final = 3


def closure(checked: Checked) -> Callable[[Facts], bool | int | None]:
    """
    A function from prepared facts to the value of *checked*: what `interpret` says, fast.

    A flag is a real bool; a number has the `places` of the checked tree; None is unknown.
    """
    root = checked.tree
    if root.type.kind is Kind.FLAG:
        body = [f"if {_true(root)}:", " return True", f"if {_false(root)}:", " return False"]
    else:
        known = _known(root) or "True"
        body = [f"if {known}:", f" return {_number(root, root.places)}"]
    return _function([*_taken_out([checked]), *body, "return None"])


def masks(rules: Sequence[Checked]) -> Callable[[Facts], tuple[int, int]]:
    """
    One function for all *rules*: prepared facts to (mask of the false, mask of the unknown).

    Bit i of a mask is rule i's; a rule in neither mask is true.
    """
    assert all(rule.type.kind is Kind.FLAG for rule in rules), "a rule is a flag"
    assert len({id(rule.catalogue.facts) for rule in rules}) <= 1 or _same_facts(rules)
    body = ["f = u = 0"]
    for bit, rule in enumerate(rules):
        body.extend(_rule(rule.tree, 1 << bit))
    return _function([*_taken_out(rules), *body, "return f, u"])


def _same_facts(rules: Sequence[Checked]) -> bool:
    return all(rule.catalogue.facts == rules[0].catalogue.facts for rule in rules)


def _function(body: Sequence[str]) -> Callable[[Facts], Any]:
    """The function of facts with the *body*, which can name nothing but facts and `_CALLS`."""
    source = "\n".join(["def function(facts):", *(f" {line}" for line in body)])
    namespace: dict[str, Any] = {"__builtins__": {}, **_CALLS}
    exec(compile(source, "<rules>", "exec"), namespace)  # noqa: S102 - see the module's first lines
    function: Callable[[Facts], Any] = namespace["function"]
    return function


def _taken_out(rules: Sequence[Checked]) -> list[str]:
    """The lines that take the facts which *rules* read out of their tuple."""
    read = {place for rule in rules for place in rule.facts}
    if not read:
        return []
    size = len(rules[0].catalogue.facts)
    if len(read) * _UNPACK_FROM < size:
        return [f"a{place} = facts[{place}]" for place in sorted(read)]
    return [f"{', '.join(f'a{n}' if n in read else '_' for n in range(size))}, = facts"]


def _rule(node: Node, bit: int) -> list[str]:
    """The lines that put the answer of the rule *node* into the masks, the usual ones short."""
    false, unknown = f"f |= {bit}", f"u |= {bit}"
    missing = " or ".join(f"a{place} is None" for place in _places(node))
    why = [f" if {missing}:", f"  {unknown}", " else:", f"  {false}"]
    match node:
        case FactRead():
            return [f"if not {_true(node)}:", *why]
        case Operation(operator="==" | "in") if _is_of_one_fact(node):
            # None equals nothing, so it takes a look only when the answer is no.
            return [f"if {_compared(node, False)}:", *why]
        case Operation(operator=operator) if operator in _OPPOSITES:
            return [f"if {missing}:", f" {unknown}", f"elif {_compared(node, False)}:", f" {false}"]
        case _:
            why[0] = f" if not {_false(node)}:"
            return [f"if not {_true(node)}:", *why]


def _is_of_one_fact(node: Operation) -> bool:
    """Whether *node* compares a fact as it is with constants alone."""
    constant = [scaling.is_constant(operand) for operand in node.operands]
    facts = [isinstance(operand, FactRead) for operand in node.operands]
    return sum(facts) == 1 and sum(constant) == len(constant) - 1


def _true(node: Node) -> str:
    """The condition under which the flag *node* is true."""
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
            return f"({_known(node)} and {_compared(node, True)})"


def _false(node: Node) -> str:
    """The condition under which the flag *node* is false."""
    match node:
        case Constant():
            return "False" if node.number else "True"
        case FactRead():
            return f"a{node.place} == 0"
        case Operation(operator="not", operands=(operand,)):
            return _true(operand)
        case Operation(operator="or", operands=operands):
            return f"({' and '.join(_false(operand) for operand in operands)})"
        case Operation(operator="and", operands=operands):
            return f"({' or '.join(_false(operand) for operand in operands)})"
        case _:
            return f"({_known(node)} and {_compared(node, False)})"


def _compared(node: Node, answer: bool) -> str:
    """The condition under which the comparison *node*, all known, has that *answer*."""
    assert isinstance(node, Operation)
    operator = node.operator if answer else _OPPOSITES[node.operator]
    places = scaling.most_places(node.operands)
    return _written(operator, [_number(operand, places) for operand in node.operands])


def _known(node: Node) -> str:
    """The condition under which all facts that *node* reads are known; empty when it reads none."""
    return " and ".join(f"a{place} is not None" for place in _places(node))


def _places(node: Node) -> list[int]:
    """The places of the facts that *node* reads."""
    return sorted({leaf.place for leaf in leaves(node) if isinstance(leaf, FactRead)})


def _number(node: Node, places: int) -> str:
    """The number *node*, all known, in units of 10**-*places*."""
    multiplier = scaling.multiplier(node, places)
    if scaling.is_constant(node):
        return str(node.low * multiplier)
    match node:
        case FactRead():
            number = f"a{node.place}"
        case Operation(operator="*", operands=(left, right)):
            multiple = scaling.factor(left, right)
            assert multiple is not None, "check lets no other product pass"
            operand = _number(multiple.operand, multiple.operand.places)
            number = _written("*", [operand, str(multiple.number)])
        case Operation(operator=operator, operands=operands):
            number = _written(operator, [_number(operand, node.places) for operand in operands])
        case _:
            raise AssertionError(node)
    return number if multiplier == 1 else _written("*", [number, str(multiplier)])


def _written(operator: str, operands: Sequence[str]) -> str:
    first, *others = operands
    return _WRITTEN[operator].format(first, ", ".join(others))
