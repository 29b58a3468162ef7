"""Named rules, evaluated together: which are false and which are unknown.

A rule is an expression of the language with a stable code and a sentence for the merchant. One
generated function evaluates a set of them and returns two masks. Most answers are never explained,
so needs and trace (here) and reasons (`holdback.eligibility.reasons`) are derived from the masks
only when they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

from attrs import NOTHING, evolve, field

from holdback.exact.exact_json import Json
from holdback.frozen_classes import (
    FrozenMapping,
    Seal,
    flat_mapping,
    frozen,
    frozen_record,
    frozen_texts,
    sealing,
)
from holdback.rules.closure import mask_function
from holdback.rules.language import ENGLISH, Language
from holdback.rules.number_format import NumberFormat
from holdback.rules.tree import Checked, Node, Operation
from holdback.rules.types import Catalogue, Facts, Kind, Type

DECLINE: Final = "decline"
REFER: Final = "refer"

# A mask is one 64-bit integer in a dataframe; the bits above those of the rules are left to the
# portfolio, which marks the floor with one (decisions/rule-language).
MOST_RULES: Final = 60

PLACEHOLDER: Final = re.compile(r"\{([a-z][a-z0-9_]*)\}")

_seal, _check_seal = sealing(
    "rules", "catalogue", "jurisdiction", "digest", "rules_digest", "versions", "proposal"
)


@frozen(kw_only=True, cache_hash=True)
class Rule:
    """
    One rule of a jurisdiction: `require` must be true of the deals that `when` selects.

    `checked` is the rule as one expression, `not when or require`; `otherwise` says what a false
    answer means. `reason` is a sentence with the names of facts and parameters in braces. `file`
    and `line` say where the rule was written.
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
        """The alternatives of which one must be true of a deal that `when` selects."""
        tree = self.checked.tree
        if self.when is None:
            return (tree,)
        assert isinstance(tree, Operation), "`not when or require`"
        return tree.operands[1:]

    @property
    def unread_parameters(self) -> frozenset[str]:
        """The parameters that its reason names and it does not read."""
        unread = self.checked.catalogue.parameters.keys() - {*self.checked.parameters}
        return frozenset(PLACEHOLDER.findall(self.reason)) & unread


class TraceLine(NamedTuple):
    """The answer of one rule, None when it is unknown, with the facts that it read."""

    rule: str
    answer: bool | None
    facts: Mapping[str, Json]


@frozen(kw_only=True)
class RuleSet:
    """
    The rules that apply together in a jurisdiction; their order is their priority.

    `digest` identifies the rulebook that they belong to. It is made of `rules_digest`, that of what
    the files mean, and `versions`, those of what prices offers (decisions/jurisdiction-folders).
    `figures` is the format of the numbers in the sentences, and `wording` has the jurisdiction's
    sentences of the service's own reasons, by code; all of them are said in the `language`.
    `proposal` says in sentences what is proposed instead of a jurisdiction's files; it is empty for
    those.
    """

    rules: tuple[Rule, ...]
    catalogue: Catalogue = field(repr=False)
    jurisdiction: str
    digest: str
    rules_digest: str = field(eq=False, repr=False)
    versions: Mapping[str, int | None] = field(
        factory=FrozenMapping, converter=frozen_record, eq=False, repr=False
    )
    figures: NumberFormat | None = field(default=None, eq=False, repr=False)
    wording: Mapping[str, str] = field(
        factory=FrozenMapping, converter=frozen_texts, eq=False, repr=False
    )
    language: Language = field(default=ENGLISH, eq=False, repr=False)
    proposal: tuple[str, ...] = field(default=(), eq=False, repr=False)
    _seal: Seal = field(eq=False, repr=False)

    @rules_digest.default
    def _same_digest(self) -> str:
        return self.digest  # of a rule set that was made without a folder

    @_seal.default
    def _sealed(self) -> Seal:
        return _seal(self)

    def __attrs_post_init__(self) -> None:
        _check_seal(self, "`altered` returns a copy without a digest")

    def altered(self, **changes: Any) -> RuleSet:
        """
        Return this rule set with *changes*, and with an empty digest unless they have one.

        It is for questions about rules that nobody decides by, such as those of a mutant.
        """
        same: dict[str, Any] = {"digest": "", "rules_digest": "", **changes, "seal": NOTHING}
        return evolve(self, **same)

    @cached_property
    def masks(self) -> Callable[[Facts], tuple[int, int]]:
        """The generated function from prepared facts to (false, unknown), made when first used."""
        return mask_function([rule.checked for rule in self.rules])

    @cached_property
    def progress(self) -> int:
        """The place of the paid-down percentage among the facts."""
        return self.catalogue.place("progress")

    @cached_property
    def declining(self) -> int:
        """The mask of the rules whose false answer declines."""
        return sum(1 << bit for bit, rule in enumerate(self.rules) if rule.otherwise == DECLINE)

    def show(self, type_: Type, number: int) -> str:
        """Return *number* of *type_* as this jurisdiction's sentences write it."""
        return self.language.show(type_, number, self._format)

    @cached_property
    def _format(self) -> NumberFormat | None:
        return self.language.figures_with(self.figures, self.catalogue.currency)

    def label(self, name: str) -> str:
        """Return the name in sentences of the fact or parameter *name*."""
        return self.language.text(self.catalogue.label(name))

    def named(self, name: str) -> str:
        """Return a fact or parameter as a sentence names it; a flag has a sentence of its own."""
        label, fact = self.catalogue.label(name), self.catalogue.fact(name)
        if fact is not None and fact.type.kind is Kind.FLAG:
            return self.language.text(label)
        return self.language.phrase(f"the {label}", label)

    def figure(self, name: str, facts: Facts) -> str:
        """Return the value of a fact or a parameter as this jurisdiction's sentences write it."""
        parameter = self.catalogue.parameters.get(name)
        if parameter is not None:
            return self.show(parameter.type, parameter.number)
        place = self.catalogue.place(name)
        number = facts[place]
        if number is None:
            return self.language.text("unknown")
        return self.show(self.catalogue.facts[place].type, number)

    def sentence(self, template: str, facts: Facts) -> str:
        """Return *template* in the language, with each name in braces replaced by its figure."""
        return self.language.fill(template, lambda name: self.figure(name, facts))

    def referring(self, codes: Container[str]) -> int:
        """Return the mask of the rules with these *codes* that refer, and so can be lifted."""
        return sum(
            1 << bit
            for bit, rule in enumerate(self.rules)
            if rule.otherwise == REFER and rule.code in codes
        )

    def answer(self, facts: Facts, *, lifted: int = 0) -> Answers:
        """
        Return the answers of all rules on prepared *facts*.

        *lifted* is a mask of rules that a person approved: they count as true, if they refer.
        """
        false, unknown = self.masks(facts)
        lifted &= ~self.declining
        return Answers(self, facts, false & ~lifted, unknown & ~lifted)


def known_facts(catalogue: Catalogue, facts: Facts) -> dict[str, Json]:
    """Return the prepared *facts* that are known, by name, as plain values."""
    return {
        fact.name: fact.type.plain(number)
        for fact, number in zip(catalogue.facts, facts, strict=True)
        if number is not None
    }


@frozen
class Answers:
    """The answers of a rule set on some facts: the masks of the false and the unknown rules."""

    ruleset: RuleSet
    facts: Facts = field(repr=False)
    false: int
    unknown: int

    @cached_property
    def known(self) -> Mapping[str, Json]:
        """The facts that are known, by name, as plain values."""
        return flat_mapping(known_facts(self.ruleset.catalogue, self.facts))

    @property
    def declined(self) -> bool:
        """Whether a rule is false that declines."""
        return bool(self.false & self.ruleset.declining)

    def selected(self, mask: int) -> Iterator[Rule]:
        """Yield the rules in *mask*, in order of priority."""
        return (rule for bit, rule in enumerate(self.ruleset.rules) if mask >> bit & 1)

    def read_by(self, rule: Rule) -> Mapping[str, Json]:
        """Return the facts that *rule* reads, by name, as plain values; None for an unknown one."""
        held = self.known
        return flat_mapping({name: held.get(name) for name in rule.checked.names})

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the unknown facts that leave rules unknown, in the catalogue's order."""
        places = {
            place
            for rule in self.selected(self.unknown)
            for place in rule.checked.facts
            if self.facts[place] is None
        }
        return tuple(self.ruleset.catalogue.facts[place].name for place in sorted(places))

    @property
    def trace(self) -> tuple[TraceLine, ...]:
        """The answer of every rule, in order of priority."""
        return tuple(
            TraceLine(
                rule=rule.id,
                answer=None if self.unknown >> bit & 1 else not self.false >> bit & 1,
                facts=self.read_by(rule),
            )
            for bit, rule in enumerate(self.ruleset.rules)
        )
