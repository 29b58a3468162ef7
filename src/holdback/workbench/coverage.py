"""Which answers of each rule the examples have seen: true, false and unknown."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import field, frozen

from holdback.canonical import Json
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.written import WrittenRule
from holdback.ruleset import RuleSet
from holdback.workbench.trial import Trial

_WORDS = {True: "true", False: "false", None: "unknown"}


@frozen(kw_only=True)
class Coverage:
    """
    How many examples answered a rule with true, false and unknown; `answers` are those that it can have.

    A rule about progress alone is never unknown: while that is, no rule is looked at.
    """

    code: str
    rule: str
    file: str
    line: int | None
    answers: tuple[bool | None, ...] = (True, False, None)
    seen: dict[bool | None, int] = field(factory=lambda: dict.fromkeys(_WORDS, 0))

    @property
    def missing(self) -> tuple[str, ...]:
        """The answers that no example gives."""
        return tuple(_WORDS[answer] for answer in self.answers if not self.seen[answer])

    def plain(self) -> dict[str, Json]:
        """The coverage as plain values."""
        counts = {word: self.seen[answer] for answer, word in _WORDS.items()}
        return {"code": self.code, "rule": self.rule, **counts}


def coverage(jurisdiction: Jurisdiction, tried: Iterable[Trial]) -> list[Coverage]:
    """How often *tried*, the examples of *jurisdiction* as they ran, answered each of its own rules."""
    own = jurisdiction.policy.own
    rules: list[tuple[str | None, WrittenRule]] = [(None, rule) for rule in own.rules]
    rules += [(each.key, rule) for each in own.products for rule in each.rules]
    found = {
        (product, rule.id, rule.code): Coverage(
            code=rule.code,
            rule=rule.id,
            file=rule.keys.item.document.file,
            line=rule.keys.item.line,
            answers=(True, False) if _of_progress(rule, jurisdiction) else (True, False, None),
        )
        for product, rule in rules
    }
    for trial in (each for each in tried if each.trace):  # else no rule was looked at
        rulebook = jurisdiction.rulebook(trial.example.on)
        sets: dict[str | None, RuleSet] = {each.key: each.rules for each in rulebook.products}
        sets[None] = rulebook.renewal
        codes = {rule.id: rule.code for rule in sets[trial.example.product].rules}
        for line in trial.trace:
            key = trial.example.product, line.rule, codes[line.rule]
            if key in found:
                found[key].seen[line.answer] += 1
    return list(found.values())


def _of_progress(rule: WrittenRule, jurisdiction: Jurisdiction) -> bool:
    """Whether *rule* reads no other fact than the progress."""
    facts = {fact.name for fact in jurisdiction.slices[0].catalogue.facts}
    trees = [rule.require] if rule.when is None else [rule.require, rule.when]
    return {name for tree in trees for name in tree.names} & facts == {"progress"}
