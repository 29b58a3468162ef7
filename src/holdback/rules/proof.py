"""Checked trees to terms of an SMT solver: the reader of rules for every deal that could exist.

A fact is two terms: whether it is known, and its whole number in its type's scale. A flag is
written twice, as the condition under which it is true and as the one under which it is false, with
every negation carried down to a comparison, as in `columns`. What is neither is unknown.

Terms are of mathematical integers, so nothing is rounded and nothing overflows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import z3
from attrs import define, field

from holdback.rules import scaling
from holdback.rules.operators import OPPOSITES, by_operator
from holdback.rules.tree import Checked, Constant, FactRead, Node, Operation, leaves
from holdback.rules.types import Fact

# How each comparison is made, from the first operand and a sequence of the others.
_COMPARISONS: Final[Mapping[str, Callable[[Any, Sequence[Any]], Any]]] = by_operator(
    "the writer of proofs",
    {
        "==": lambda first, others: first == others[0],
        "!=": lambda first, others: first != others[0],
        "<": lambda first, others: first < others[0],
        "<=": lambda first, others: first <= others[0],
        ">": lambda first, others: first > others[0],
        ">=": lambda first, others: first >= others[0],
        "in": lambda first, others: z3.Or([first == choice for choice in others]),
        "not in": lambda first, others: z3.And([first != choice for choice in others]),
    },
)
_OPPOSITES: Final = by_operator("the writer of proofs", {**OPPOSITES, "in": "not in"})


def _extreme(parts: Sequence[Any], first_wins: Callable[[Any, Any], Any]) -> Any:
    best, *others = parts
    for part in others:
        best = z3.If(first_wins(best, part), best, part)
    return best


# How each number is made. `*` is absent: `Terms.term` multiplies a number by a constant.
_NUMBERS: Final[Mapping[str, Callable[[Sequence[Any]], Any]]] = by_operator(
    "the writer of proofs",
    {
        "+": lambda parts: parts[0] + parts[1],
        "-": lambda parts: parts[0] - parts[1],
        "negate": lambda parts: -parts[0],
        "abs": lambda parts: z3.If(parts[0] >= 0, parts[0], -parts[0]),
        "min": lambda parts: _extreme(parts, lambda first, second: first <= second),
        "max": lambda parts: _extreme(parts, lambda first, second: first >= second),
    },
)


@define(eq=False)
class Terms:
    """
    The facts of one deal as terms of *context*, and the rules that read them.

    A *suffix* tells the facts of one deal from those of another in the same context.

    >>> from holdback.exact.money import Currency
    >>> from holdback.rules import Catalogue, Kind, Type, check, parse
    >>> silence = Fact(name="silence", type=Type(Kind.DAYS), low=0, high=100)
    >>> catalogue = Catalogue(facts=(silence,), currency=Currency.of("GBP"))
    >>> rule = check(parse("silence <= 14 days or silence >= 10 days"), catalogue)
    >>> terms = Terms()
    >>> solver = z3.Solver(ctx=terms.context)
    >>> solver.check(terms.false(rule))
    unsat
    """

    context: Any = field(factory=z3.Context)
    suffix: str = ""
    _known: dict[str, Any] = field(factory=dict, init=False)
    _numbers: dict[str, Any] = field(factory=dict, init=False)
    # By the identity of the node, which is held too, so that no other node gets it.
    _flags: dict[tuple[int, bool], tuple[Node, Any]] = field(factory=dict, init=False)
    _moved: dict[tuple[str, str], Terms] = field(factory=dict, init=False)
    # The deal that this one differs from, and the names of the facts whose numbers are other ones.
    _like: tuple[Terms, frozenset[str]] | None = field(default=None, init=False)

    def known(self, name: str) -> Any:
        """Return the term that the fact *name* is known."""
        if name not in self._known:
            self._known[name] = z3.Bool(f"known {name}{self.suffix}", self.context)
        return self._known[name]

    def number(self, name: str) -> Any:
        """Return the number of the fact *name*, which means something only where it is known."""
        if self._like is not None and name not in self._like[1]:
            return self._like[0].number(name)
        if name not in self._numbers:
            self._numbers[name] = z3.Int(f"{name}{self.suffix}", self.context)
        return self._numbers[name]

    def with_number(self, name: str, suffix: str) -> Terms:
        """Return the terms of a deal that differs in the number of the fact *name* alone."""
        if (name, suffix) not in self._moved:
            self._moved[name, suffix] = self._except_for(frozenset({name}), {}, suffix)
        return self._moved[name, suffix]

    def _except_for(self, names: frozenset[str], numbers: dict[str, Any], suffix: str) -> Terms:
        changed = Terms(self.context, suffix)
        changed._like = self, names
        changed._known, changed._numbers = self._known, numbers
        return changed

    def renumbered(self, ordinals: Mapping[str, Sequence[int]]) -> Terms:
        """
        Return the terms of the same deal with other numbers for the options of texts.

        *ordinals* has the new number of each option by its old one, by the name of the fact.
        """
        numbers = {}
        for name, new in ordinals.items():
            number, renamed = self.number(name), z3.IntVal(new[-1], self.context)
            for before, after in enumerate(new[:-1]):
                renamed = z3.If(number == before, after, renamed)
            numbers[name] = renamed
        return self._except_for(frozenset(ordinals), numbers, self.suffix)

    def in_range(self, facts: Iterable[Fact]) -> Any:
        """Return the term that the numbers of *facts* are in their ranges."""
        numbers = [(self.number(fact.name), fact) for fact in facts]
        return self.all([z3.And(fact.low <= term, term <= fact.high) for term, fact in numbers])

    def all(self, terms: Sequence[Any]) -> Any:
        """Return the term that all *terms* are true."""
        return z3.And([z3.BoolVal(val=True, ctx=self.context), *terms])

    def any(self, terms: Sequence[Any]) -> Any:
        """Return the term that one of *terms* is true."""
        return z3.Or([z3.BoolVal(val=False, ctx=self.context), *terms])

    def true(self, checked: Checked) -> Any:
        """Return the term that *checked*, a flag, is true."""
        return self.flag(checked.tree, truth=True)

    def false(self, checked: Checked) -> Any:
        """Return the term that *checked*, a flag, is false."""
        return self.flag(checked.tree, truth=False)

    def flag(self, node: Node, *, truth: bool) -> Any:
        """Return the term that the flag *node* is known, and that its value is *truth*."""
        key = (id(node), truth)
        if key not in self._flags:
            self._flags[key] = (node, self._new_flag(node, truth=truth))
        return self._flags[key][1]

    def _new_flag(self, node: Node, *, truth: bool) -> Any:
        if self._like is not None:
            like, own = self._like
            if not any(isinstance(leaf, FactRead) and leaf.name in own for leaf in leaves(node)):
                return like.flag(node, truth=truth)
        return self._flag(node, truth=truth)

    def _flag(self, node: Node, *, truth: bool) -> Any:
        match node:
            case Constant():
                return z3.BoolVal(bool(node.number) is truth, self.context)
            case FactRead():
                return z3.And(self.known(node.name), self.number(node.name) == int(truth))
            case Operation(operator="not", operands=(operand,)):
                return self.flag(operand, truth=not truth)
            case Operation(operator="and" | "or" as operator, operands=operands):
                parts = [self.flag(operand, truth=truth) for operand in operands]
                return z3.And(parts) if (operator == "and") is truth else z3.Or(parts)
            case _:
                compared = node.operator if truth else _OPPOSITES[node.operator]
                return self._compared(compared, node.operands)

    def _compared(self, operator: str, operands: Sequence[Node]) -> Any:
        places = scaling.most_places(operands)
        first, *others = (self._term(operand, places) for operand in operands)
        if isinstance(first, int):  # z3 compares integers of Python to its own, not to each other
            first = z3.IntVal(first, self.context)
        names = {
            leaf.name for node in operands for leaf in leaves(node) if isinstance(leaf, FactRead)
        }
        all_known = [self.known(name) for name in sorted(names)]
        return z3.And([*all_known, _COMPARISONS[operator](first, others)])

    def _term(self, node: Node, places: int) -> Any:
        """Return *node* in units of 10**-*places*: a term, or an integer for a constant."""
        multiplier = scaling.multiplier(node, places)
        if scaling.is_constant(node):
            return node.low * multiplier
        match node:
            case FactRead():
                term = self.number(node.name)
            case Operation(operator="*", operands=(left, right)):
                multiple = scaling.factor(left, right)
                assert multiple is not None, "check lets no other product pass"
                term = self._term(multiple.operand, multiple.operand.places) * multiple.number
            case Operation(operator=operator, operands=operands):
                term = _NUMBERS[operator](
                    [self._value(self._term(operand, node.places)) for operand in operands]
                )
            case _:
                raise AssertionError(node)
        return term if multiplier == 1 else term * multiplier

    def _value(self, number: Any) -> Any:
        return z3.IntVal(number, self.context) if isinstance(number, int) else number
