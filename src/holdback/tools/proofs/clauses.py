"""The clauses of a rule, each with the question whether it ever decides."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from holdback.eligibility.ruleset import Rule
from holdback.frozen_classes import frozen
from holdback.rules.tree import Constant, Node, Operation
from holdback.tools.proofs.question import FALSE, NOT_FALSE, NOT_TRUE, TRUE, AnswerIn


@frozen(kw_only=True)
class Clause:
    """
    An operand of an `and` or an `or` in a rule, under `key` in its file.

    `path` leads to it from the root of the rule, by the places of operands.
    """

    rule: Rule
    key: str
    path: tuple[int, ...]
    node: Node
    operator: str
    # Whether the rule becomes true when its `and` or `or` does, and not false.
    upright: bool

    @property
    def differs(self) -> tuple[AnswerIn, AnswerIn]:
        """
        The parts that a deal satisfies of which the clause decides.

        A clause of an `or` decides when the whole is true only with it, one of an `and` when it is
        false only with it. Under a `not` the rule's own answer is the opposite.
        """
        neutral = Constant(type=self.node.type, number=int(self.operator == "and"), start=0, end=0)
        tree = _replaced(self.rule.checked.tree, self.path, neutral)
        without = evolve(self.rule.checked, tree=tree)
        if (self.operator == "or") is self.upright:
            return AnswerIn(self.rule.checked, TRUE), AnswerIn(without, NOT_TRUE)
        return AnswerIn(self.rule.checked, FALSE), AnswerIn(without, NOT_FALSE)

    @property
    def reason(self) -> str:
        """Why it never decides, in words."""
        if self.operator == "or":
            return "all that it lets pass, the other parts let pass too"
        return "all that it refuses, the other parts refuse too"


def clauses(rule: Rule) -> Iterator[Clause]:
    """Yield the clauses of *rule*, outer ones first; `when` as a whole is none."""
    tree = rule.checked.tree
    if rule.when is None:
        yield from _within(rule, "require", (), tree, upright=True)
        return
    assert isinstance(tree, Operation), "`not when or require`"
    denied, *required = tree.operands
    assert isinstance(denied, Operation), "`not when`"
    yield from _within(rule, "when", (0, 0), denied.operands[0], upright=False)
    for place, node in enumerate(required, start=1):
        if len(required) > 1:
            yield Clause(
                rule=rule, key="require", path=(place,), node=node, operator="or", upright=True
            )
        yield from _within(rule, "require", (place,), node, upright=True)


def _within(
    rule: Rule, key: str, path: tuple[int, ...], node: Node, *, upright: bool
) -> Iterator[Clause]:
    if not isinstance(node, Operation) or node.operator not in {"and", "or", "not"}:
        return
    if node.operator == "not":
        yield from _within(rule, key, (*path, 0), node.operands[0], upright=not upright)
        return
    for place, operand in enumerate(node.operands):
        inner = (*path, place)
        yield Clause(
            rule=rule,
            key=key,
            path=inner,
            node=operand,
            operator=node.operator,
            upright=upright,
        )
        yield from _within(rule, key, inner, operand, upright=upright)


def _replaced(node: Node, path: tuple[int, ...], new: Node) -> Node:
    """Return *node* with the part at *path* replaced by the *new* one."""
    if not path:
        return new
    assert isinstance(node, Operation), "a path leads through operations"
    place, *rest = path
    operands = list(node.operands)
    operands[place] = _replaced(operands[place], tuple(rest), new)
    return evolve(node, operands=tuple(operands))
