"""Which answers of each rule the examples have seen: true, false and unknown."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from attrs import field, frozen

from holdback.exact_json import Json
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.source_rules import WrittenRule
from holdback.workbench.example_run import Trial

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
    policy = jurisdiction.policy
    own = [*policy.own.rules, *(rule for each in policy.own.products for rule in each.rules)]
    alone = {rule for rule in policy.own.rules if _of_progress(rule, jurisdiction)}
    found = {
        rule: Coverage(
            code=rule.code,
            rule=rule.id,
            file=rule.keys.item.document.file,
            line=rule.keys.item.line,
            answers=(True, False) if rule in alone else (True, False, None),
        )
        for rule in own
    }
    for trial in (each for each in tried if each.trace):  # else no rule was looked at
        day = jurisdiction.rulebook(trial.example.on).since
        for line in trial.trace:
            written = _written(jurisdiction, trial.example.product, line.rule, day)
            if written in found:
                found[written].seen[line.answer] += 1
    return list(found.values())


def _written(
    jurisdiction: Jurisdiction, product: str | None, name: str, day: date
) -> WrittenRule | None:
    """The version of a rule, of renewals or of a product, that is in force on *day*."""
    if product is None:
        rules: Iterable[WrittenRule] = jurisdiction.policy.rules_on(day)
    else:
        offered = {each.key: each for each in jurisdiction.policy.products_on(day)}
        rules = [rule for rule in offered[product].rules if day in rule.period]
    return next((rule for rule in rules if rule.id == name), None)


def _of_progress(rule: WrittenRule, jurisdiction: Jurisdiction) -> bool:
    """Whether *rule*, of renewals, reads no other fact than the progress."""
    facts = {fact.name for fact in jurisdiction.slices[0].catalogue.facts}
    trees = [rule.require] if rule.when is None else [rule.require, rule.when]
    return {name for tree in trees for name in tree.names} & facts == {"progress"}
