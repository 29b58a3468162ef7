"""Named rules, evaluated together: which are false, which are unknown, and how to say so.

A rule is an expression of the language with a stable code and a sentence for the merchant. A set of
them is answered by one generated function that gives two masks; everything that explains the answer
(reasons, needs, trace) is worked out from the masks and the facts only when somebody asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

from attrs import field, frozen

from holdback.exact_json import Json
from holdback.number_format import Figures
from holdback.rules.check import Checked
from holdback.rules.closure import masks
from holdback.rules.operators import MIRRORED
from holdback.rules.render import relation, words_of
from holdback.rules.tree import Constant, FactRead, Node, Operation, comparisons, leaves
from holdback.rules.types import Catalogue, Facts, Type

DECLINE: Final = "decline"
REFER: Final = "refer"

# Design 4: "a rulebook has at most 60 rules (the width of a mask)".
MOST_RULES: Final = 60

PLACEHOLDER: Final = re.compile(r"\{([a-z][a-z0-9_]*)\}")


@frozen(kw_only=True, cache_hash=True)
class Rule:
    """
    One rule of a jurisdiction: `require` must be true, on the deals that `when` selects.

    `checked` is the whole of it, `not when or require`; `otherwise` says what a false answer means.
    `reason` is a sentence with the names of facts and parameters in braces. `file` and `line` say where
    it was written.
    """

    id: str
    code: str
    require: str
    when: str | None = None
    otherwise: str = DECLINE
    reason: str
    source: str
    checked: Checked = field(repr=False)
    file: str | None = None
    line: int | None = None
    # The rule as its file has it, a `SourceRule`; the layers below know nothing of those.
    origin: Any = field(default=None, eq=False, repr=False)

    @property
    def required(self) -> tuple[Node, ...]:
        """What must be true of a deal that `when` selects: any one of these."""
        tree = self.checked.tree
        if self.when is None:
            return (tree,)
        assert isinstance(tree, Operation), "`not when or require`"
        return tree.operands[1:]


@frozen(kw_only=True)
class Reason:
    """
    Why the answer is no: the rule, its code, the sentence with its figures, and the facts it read.

    `measured` are the facts that had to be otherwise, and `threshold` what had to hold ("at least 80%"), by the
    name of the parameter, or of the fact where the rule itself has the figure; both as sentences have them.
    """

    code: str
    rule: str
    text: str
    facts: Mapping[str, Json]
    file: str | None = None
    line: int | None = None
    measured: Mapping[str, str] = field(factory=dict)
    threshold: Mapping[str, str] = field(factory=dict)


class TraceLine(NamedTuple):
    """One rule's answer, None when it is unknown, and the facts that it read."""

    rule: str
    answer: bool | None
    facts: Mapping[str, Json]


@frozen(kw_only=True)
class RuleSet:
    """
    The rules that apply together in a jurisdiction; their order is their priority.

    `digest` identifies the rulebook that they belong to; `figures` say how numbers are written in its
    sentences.
    """

    rules: tuple[Rule, ...]
    catalogue: Catalogue = field(repr=False)
    jurisdiction: str
    digest: str
    figures: Figures | None = field(default=None, eq=False, repr=False)

    @cached_property
    def masks(self) -> Callable[[Facts], tuple[int, int]]:
        """The generated function: prepared facts to (false mask, unknown mask). Made when first used."""
        return masks([rule.checked for rule in self.rules])

    @cached_property
    def progress(self) -> int:
        """The place of the paid-down percentage among the facts."""
        return self.catalogue.place("progress")

    @cached_property
    def declining(self) -> int:
        """The mask of the rules whose false answer declines."""
        return sum(1 << bit for bit, rule in enumerate(self.rules) if rule.otherwise == DECLINE)

    def show(self, type_: Type, number: int) -> str:
        """*number* of *type_* as this jurisdiction's sentences have it."""
        return self.figures.show(type_, number) if self.figures else type_.show(number)

    def figure(self, name: str, facts: Facts) -> str:
        """The value of a fact or a parameter as a sentence has it."""
        parameter = self.catalogue.parameters.get(name)
        if parameter is not None:
            return self.show(parameter.type, parameter.number)
        place = self.catalogue.place(name)
        number = facts[place]
        return "unknown" if number is None else self.show(self.catalogue.facts[place].type, number)

    def sentence(self, template: str, facts: Facts) -> str:
        """*template* with the figures of the facts and parameters that it names in braces filled in."""
        return PLACEHOLDER.sub(lambda match: self.figure(match[1], facts), template)

    def answer(self, facts: Facts) -> Answers:
        """The answers of all the rules on prepared *facts*."""
        false, unknown = self.masks(facts)
        return Answers(self, facts, false, unknown)


def known_facts(catalogue: Catalogue, facts: Facts) -> dict[str, Json]:
    """The prepared *facts* that are known, by name, as plain values."""
    return {
        fact.name: fact.type.plain(number)
        for fact, number in zip(catalogue.facts, facts, strict=True)
        if number is not None
    }


@frozen
class Answers:
    """What a rule set answered on some facts: two masks, and what can be said from them."""

    ruleset: RuleSet
    facts: Facts = field(repr=False)
    false: int
    unknown: int

    @cached_property
    def known(self) -> Mapping[str, Json]:
        """The facts that are known, by name, as plain values."""
        return known_facts(self.ruleset.catalogue, self.facts)

    @property
    def declined(self) -> bool:
        """Whether a declining rule is false."""
        return bool(self.false & self.ruleset.declining)

    def _selected(self, mask: int) -> Iterator[Rule]:
        return (rule for bit, rule in enumerate(self.ruleset.rules) if mask >> bit & 1)

    def _read(self, rule: Rule) -> Mapping[str, Json]:
        return {name: self.known.get(name) for name in rule.checked.names}

    def reasons(self, mask: int) -> tuple[Reason, ...]:
        """A reason for each rule in *mask*, in order of priority."""
        return tuple(
            Reason(
                code=rule.code,
                rule=rule.id,
                text=self.ruleset.sentence(rule.reason, self.facts),
                facts=self._read(rule),
                file=rule.file,
                line=rule.line,
                measured=self._measured(rule),
                threshold=self._threshold(rule),
            )
            for rule in self._selected(mask)
        )

    def _measured(self, rule: Rule) -> dict[str, str]:
        read = (leaf for node in rule.required for leaf in leaves(node))
        names = dict.fromkeys(leaf.name for leaf in read if isinstance(leaf, FactRead))
        return {name: self.ruleset.figure(name, self.facts) for name in names}

    def _threshold(self, rule: Rule) -> dict[str, str]:
        """
        What had to hold, each comparison by the name of its parameter, or of the fact that it measures.
        """
        found: dict[str, list[str]] = {}
        for node in rule.required:
            for comparison, wanted in comparisons(node):
                name, shown = self._bound(comparison, wanted)
                found.setdefault(name, []).append(shown)
        return {name: ", ".join(dict.fromkeys(shown)) for name, shown in found.items()}

    def _bound(self, comparison: Operation, wanted: bool) -> tuple[str, str]:
        """The name and the words of what *comparison* had to be: "minimum_performance", "at least 80%"."""
        measured, *others = comparison.operands
        operator = comparison.operator
        if not any(isinstance(leaf, FactRead) for leaf in leaves(measured)):
            measured, others = others[0], [measured]  # `80% <= performance`
            operator = MIRRORED.get(operator, operator)
        shown = ", ".join(self._side(each) for each in others)
        facts = [leaf.name for leaf in leaves(measured) if isinstance(leaf, FactRead)]
        (first, *more) = others
        named = isinstance(first, Constant) and first.name is not None and not more
        name = first.name if isinstance(first, Constant) and named else facts[0]
        return str(name), f"{relation(operator, wanted)} {shown}".strip()

    def _side(self, node: Node) -> str:
        return (
            self.ruleset.show(node.type, node.number)
            if isinstance(node, Constant)
            else words_of(node)
        )

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the unknown facts that the unknown rules read, in the catalogue's order."""
        places = {
            place
            for rule in self._selected(self.unknown)
            for place in rule.checked.facts
            if self.facts[place] is None
        }
        return tuple(self.ruleset.catalogue.facts[place].name for place in sorted(places))

    @property
    def trace(self) -> tuple[TraceLine, ...]:
        """Every rule's answer, in order of priority."""
        return tuple(
            TraceLine(
                rule=rule.id,
                answer=None if self.unknown >> bit & 1 else not self.false >> bit & 1,
                facts=self._read(rule),
            )
            for bit, rule in enumerate(self.ruleset.rules)
        )
