"""Coverage of rules by examples: how many answer each rule with true, false and unknown."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import field

from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.source_rules import SourceRule
from holdback.tools.example_run import ExampleRun

_WORDS = {True: "true", False: "false", None: "unknown"}


@frozen(kw_only=True)
class Coverage:
    """
    How many examples answer a rule with true, false and unknown.

    `answers` are the answers that the rule can have. A rule about progress alone is never unknown:
    a deal whose progress is unknown is not assessed.
    """

    code: str
    rule: str
    file: str
    line: int | None
    origin: SourceRule = field(eq=False, repr=False)
    answers: tuple[bool | None, ...] = (True, False, None)
    seen: dict[bool | None, int] = field(factory=lambda: dict.fromkeys(_WORDS, 0))

    @property
    def missing(self) -> tuple[str, ...]:
        """The answers that no example gives."""
        return tuple(_WORDS[answer] for answer in self.answers if not self.seen[answer])

    def plain(self) -> dict[str, Json]:
        """Return the coverage as plain values."""
        counts = {word: self.seen[answer] for answer, word in _WORDS.items()}
        return {"code": self.code, "rule": self.rule, **counts}


def coverage(jurisdiction: Jurisdiction, runs: Iterable[ExampleRun]) -> list[Coverage]:
    """Return the coverage of the own rules of *jurisdiction* by *runs* of its examples."""
    own = jurisdiction.policy.own
    about_progress = {rule for rule in own.rules if _reads_only_progress(rule, jurisdiction)}
    by_rule = {
        rule: Coverage(
            code=rule.code,
            rule=rule.id,
            file=rule.file,
            line=rule.line,
            origin=rule,
            answers=(True, False) if rule in about_progress else (True, False, None),
        )
        for rule in own.all_rules
    }
    for run in runs:
        if not run.trace:
            continue  # no rule was evaluated
        evaluated = jurisdiction.rulebook(run.example.on).rulesets[run.example.product]
        origins = {rule.id: rule.origin for rule in evaluated.rules}
        for line in run.trace:
            if origins[line.rule] in by_rule:
                by_rule[origins[line.rule]].seen[line.answer] += 1
    return list(by_rule.values())


def _reads_only_progress(rule: SourceRule, jurisdiction: Jurisdiction) -> bool:
    facts = {fact.name for fact in jurisdiction.policy.catalogue.facts}
    return {name for _, tree in rule.expressions for name in tree.names} & facts == {"progress"}
