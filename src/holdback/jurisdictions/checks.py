"""
The checks of a jurisdiction: what it says of them under `[checks.NAME]` in `jurisdiction.toml`.

A check gives some facts together, at one instant. Those that `eligibility.facts.CHECKS` names are
the same everywhere; a jurisdiction groups the facts that it declares into checks of its own. A
check that a file names has its age as a fact, `NAME_age_days`. A child overlays its parent by
check.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from attrs import define, field

from holdback.eligibility.facts import CHECKS, DERIVED, MOST_DAYS
from holdback.errors import did_you_mean, excerpt
from holdback.frozen_classes import frozen
from holdback.jurisdictions.declared_facts import MAX_FACTS
from holdback.jurisdictions.keys import CHECK, dated_form
from holdback.jurisdictions.source_rules import invalid_name
from holdback.jurisdictions.timeline import Timeline, read_timeline
from holdback.jurisdictions.toml import Node
from holdback.rulebooks.check_terms import CheckTerms, age_name
from holdback.rules import Fact, Kind, Type
from holdback.rules.types import draft_label

_GIVEN_BY: Final = {fact: check for check, facts in CHECKS.items() for fact in facts}


@frozen(kw_only=True)
class SourceCheck:
    """A check as a file names it; `node` is its table there."""

    name: str
    facts: tuple[str, ...]
    max_age: Timeline[int] | None
    consent: str | None
    node: Node = field(eq=False, repr=False)

    @property
    def age_fact(self) -> Fact:
        """The age of its newest result, as a fact."""
        return Fact(
            name=age_name(self.name),
            type=Type(Kind.DAYS),
            low=0,
            high=MOST_DAYS,
            description=f"Days since the newest result of the check `{self.name}`.",
            origin=DERIVED,
            label=f"age of the {draft_label(self.name)} check",
        )

    def terms(self, on: date) -> CheckTerms:
        """Return the check with the greatest age of the day *on*."""
        limit = None if self.max_age is None else self.max_age.value_on(on)
        return CheckTerms(
            name=self.name, facts=self.facts, max_age_days=limit, consent=self.consent
        )


def age_facts(checks: Mapping[str, SourceCheck], declared: Sequence[Fact]) -> Iterator[Fact]:
    """Return the ages of *checks*, except where a *declared* fact has the name, an error."""
    names = {fact.name for fact in declared}
    return (check.age_fact for check in checks.values() if age_name(check.name) not in names)


def checks_on(
    checks: Mapping[str, SourceCheck], declared: Sequence[Fact], on: date
) -> dict[str, CheckTerms]:
    """
    Return every check of a jurisdiction on the day *on*: those built in, then its own.

    *checks* are those that its files name, and *declared* the facts that they declare. A declared
    fact that no check has is a check by its own name. Own checks come in the order of their facts.
    """
    own = {fact: check.name for check in checks.values() for fact in check.facts}
    every = {**CHECKS, **{name: check.facts for name, check in checks.items()}}
    names = [*CHECKS, *dict.fromkeys(own.get(fact.name, fact.name) for fact in declared)]
    return {
        name: checks[name].terms(on)
        if name in checks
        else CheckTerms(name=name, facts=every.get(name, (name,)))
        for name in names
    }


@define(kw_only=True)
class ChecksReader:
    """
    Reads the checks of a jurisdiction which declares the facts *declared* and inherits *inherited*.

    *fact_nodes* are the facts that its own file declares, valid or not.
    """

    declared: Sequence[Fact]
    inherited: Mapping[str, SourceCheck]
    fact_nodes: Mapping[str, Node]

    def read(self, node: Node) -> dict[str, SourceCheck]:
        """Return the valid checks in *node*, a table by name, over those inherited."""
        own = {}
        # Sorted, so that the order of keys in a file never reaches the digest.
        for name, entry in sorted(node.entries().items()):
            check = self._check(name, entry)
            if check is not None:
                own[name] = check
        checks = {**self.inherited, **own}
        self._add_shared_facts(checks, own)
        self._add_shared_names(checks, own)
        if len(checks) + len(self.declared) > MAX_FACTS:
            node.add_error(
                "too_large",
                f"there are more than {MAX_FACTS} facts: {len(self.declared)} are declared, and "
                f"{len(checks)} are ages of checks",
                key=True,
            )
        return checks

    def _check(self, name: str, node: Node) -> SourceCheck | None:
        table = CHECK.table(node)
        before = len(node.document.errors)
        facts = self._facts_of(name, node, table["facts"])
        max_age = None
        if not table["max_age_days"].absent:
            read = dated_form(CHECK.rows["max_age_days"]).reader
            max_age = read_timeline(table["max_age_days"], read)
        consent = CHECK.value(table, "consent")
        if len(node.document.errors) > before or not isinstance(node.value, dict):
            return None
        return SourceCheck(name=name, facts=facts, max_age=max_age, consent=consent, node=node)

    def _facts_of(self, name: str, node: Node, facts: Node) -> tuple[str, ...]:
        """Return the facts that the check *name* gives; it is its own if it lists any *facts*."""
        if name in CHECKS:
            if not facts.absent:
                listed = " and ".join(f"`{fact}`" for fact in CHECKS[name])
                message = f"the check `{name}` always gives {listed}"
                facts.add_error("not_allowed", message, "leave `facts` out here", key=True)
            return CHECKS[name]
        invalid = invalid_name(age_name(name), age_name("licence"))
        if invalid is not None:
            node.add_error(invalid[0], f"`{excerpt(name)}` cannot be a name", invalid[2], key=True)
        elif facts.absent and isinstance(node.value, dict):
            hint = did_you_mean(name, [*CHECKS, *self.inherited])
            node.add_error(
                "unknown_name",
                f"there is no check `{name}`",
                hint or 'a check of your own lists what it gives: `facts = ["licence_valid"]`',
                key=True,
            )
        elif facts.value == []:
            facts.add_error("missing", "expected at least one fact", 'as `["licence_valid"]`')
        names = (self._declared_fact(element) for element in facts.elements())
        return tuple(fact for fact in names if fact is not None)

    def _declared_fact(self, node: Node) -> str | None:
        """Return the declared fact that *node* names; None when there is no such fact."""
        name = node.text()
        names = [fact.name for fact in self.declared]
        if name is None or name in names or name in self.fact_nodes:
            return name
        if name in _GIVEN_BY:
            check = _GIVEN_BY[name]
            node.add_error(
                "not_allowed", f"`{name}` belongs to the check `{check}`", "leave it out"
            )
        else:
            hint = did_you_mean(name, names) or "a check gives facts that `[facts]` declares"
            node.add_error("unknown_name", f"no fact `{excerpt(name)}` is declared", hint)
        return None

    def _add_shared_facts(
        self, checks: Mapping[str, SourceCheck], own: Mapping[str, SourceCheck]
    ) -> None:
        """Add an error for every fact that two of *checks* give; one of them is an *own* one."""
        inherited = [check for name, check in checks.items() if name not in own]
        given_by = {fact: check.name for check in inherited for fact in check.facts}
        for check in own.values():
            for fact in check.facts:
                if fact in given_by:
                    check.node.add_error(
                        "duplicate",
                        f"the check `{given_by[fact]}` gives `{fact}` already",
                        "one check gives a fact, once",
                        key=True,
                    )
                given_by[fact] = check.name

    def _add_shared_names(
        self, checks: Mapping[str, SourceCheck], own: Mapping[str, SourceCheck]
    ) -> None:
        """Add an error for every declared fact that has the name of a check, or of an age."""
        grouped = {fact for check in checks.values() for fact in check.facts}
        ages = {age_name(name): name for name in checks}
        for fact in self.declared:
            name, check = fact.name, ages.get(fact.name)
            if check is not None:
                message = f"`{name}` is the age of the check `{check}`"
            elif name not in grouped and (name in checks or name in CHECKS):
                check, message = name, f"`{name}` is a check, and a fact that it does not give"
            else:
                continue
            # An inherited fact is right by itself: it is the own check that has its name.
            node = self.fact_nodes[name] if name in self.fact_nodes else own[check].node
            node.add_error("duplicate", message, "give one of them another name", key=True)
