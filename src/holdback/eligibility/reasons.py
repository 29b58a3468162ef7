"""Reasons: how a rule set's "no" is explained to the host and to the merchant."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from attrs import field

from holdback.eligibility.ruleset import Answers, Rule, RuleSet
from holdback.exact.exact_json import Json
from holdback.frozen_classes import FrozenMapping, frozen, frozen_record, frozen_texts
from holdback.rules.language import ENGLISH
from holdback.rules.operators import MIRRORED
from holdback.rules.render import Wording, threshold_words, words_of
from holdback.rules.tree import Constant, FactRead, Node, Operation, comparisons, leaves
from holdback.rules.types import Kind

# The codes of the reasons that are the service's own, and no jurisdiction's rule: these have none
# without a hyphen. What sends an application to a person has one code, whether it is a hold, a
# consent or a fact: partners see codes, and learn of no hold (decisions/offers#reasons).
FLOOR_CODE: Final = "FLOOR"
LIMIT: Final = "LIMIT"
SETTLEMENT: Final = "SETTLEMENT"
AFFORDABILITY: Final = "AFFORDABILITY"
PERSON: Final = "PERSON"
REVIEW: Final = "REVIEW"
ENDED: Final = "ENDED"
# Their sentences, each with the figures that it can name in braces.
SERVICE_REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        FLOOR_CODE: "The deal is {progress} paid down; at least {least} is needed before a renewal "
        "is assessed.",
        LIMIT: "The most that can be offered is {most}; the least is {least}.",
        SETTLEMENT: "The current deal would need {settlement} to be settled; at most {most} can be "
        "offered.",
        AFFORDABILITY: "No amount that is offered can be repaid from the takings in the time "
        "allowed.",
        PERSON: "A person looked at the application and declined it.",
        REVIEW: "A person looks at the application, or more has to be known first.",
        ENDED: "The deal that this one would follow has ended early.",
    }
)

# What is said of a rule that is not known: the names of the facts that it lacks.
NOT_KNOWN: Final = "not known: {facts}"


@frozen(kw_only=True)
class Reason:
    """
    One reason for a "no": the rule, its code, the sentence with its figures, and the facts it read.

    `measured` holds the facts that the rule compares, and `threshold` what had to hold ("at least
    80%") by the name of the parameter, or of the fact where the rule itself has the figure. Both
    are written as in sentences.
    """

    code: str
    rule: str
    text: str
    facts: Mapping[str, Json] = field(converter=frozen_record)
    file: str | None = None
    line: int | None = None
    measured: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts)
    threshold: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts)


def reasons(answers: Answers, mask: int) -> tuple[Reason, ...]:
    """Return a reason for each rule in *mask*, in order of priority."""
    return tuple(
        Reason(
            code=rule.code,
            rule=rule.id,
            text=answers.ruleset.sentence(rule.reason, answers.facts),
            facts=answers.read_by(rule),
            file=rule.file,
            line=rule.line,
            measured=_measured(answers, rule),
            threshold=thresholds(answers.ruleset, rule),
        )
        for rule in answers.selected(mask)
    )


def missing_facts(answers: Answers, rule: Rule) -> str:
    """Return in words which facts leave *rule* unknown: a rule that is not known has no figures."""
    unknown = [name for name, value in answers.read_by(rule).items() if value is None]
    return ENGLISH.say(NOT_KNOWN, facts=", ".join(unknown))


def template(rules: RuleSet, code: str) -> str:
    """Return the sentence of the service's own reason *code*, as the jurisdiction words it."""
    return rules.wording.get(code, SERVICE_REASONS[code])


def service_reason(
    rules: RuleSet,
    code: str,
    figures: Mapping[str, str] = MappingProxyType({}),
    *,
    threshold: str = "",
    facts: Mapping[str, Json] = MappingProxyType({}),
) -> Reason:
    """
    Return the reason of the service's own with the *code*, and *figures* in its sentence.

    The first of the *figures* is the one that was compared with the *threshold*.
    """
    compared = list(figures.items())[:1]
    return Reason(
        code=code,
        rule=code.lower(),
        text=rules.language.fill(template(rules, code), figures.__getitem__),
        facts=facts,
        measured=dict(compared),
        threshold={name: threshold for name, _ in compared},
    )


def floor_reason(rules: RuleSet, *, progress: int, floor: int) -> Reason:
    """Return the reason for a deal whose *progress* is below the *floor*, both scaled."""
    percent = rules.catalogue.facts[rules.progress].type
    least = rules.show(percent, floor)
    return service_reason(
        rules,
        FLOOR_CODE,
        {"progress": rules.show(percent, progress), "least": least},
        threshold=rules.language.say("at least {limit}", limit=least),
        facts={"progress": percent.plain(progress)},
    )


def _facts_of(node: Node) -> list[str]:
    return [leaf.name for leaf in leaves(node) if isinstance(leaf, FactRead)]


def _measured(answers: Answers, rule: Rule) -> dict[str, str]:
    names = dict.fromkeys(name for node in rule.required for name in _facts_of(node))
    return {name: answers.ruleset.figure(name, answers.facts) for name in names}


def thresholds(rules: RuleSet, rule: Rule) -> dict[str, str]:
    """Return what *rule* requires, by the name of the parameter or of the measured fact."""
    required: dict[str, list[str]] = {}
    for node in rule.required:
        for comparison, truth in comparisons(node):
            name, shown = _threshold(rules, comparison, truth=truth)
            required.setdefault(name, []).append(shown)
    return {name: ", ".join(dict.fromkeys(shown)) for name, shown in required.items()}


def _threshold(rules: RuleSet, comparison: Operation, *, truth: bool) -> tuple[str, str]:
    """Return the name and the words of what *comparison* had to be: ("least", "at least 80%")."""
    measured, *limits = comparison.operands
    operator = comparison.operator
    if not _facts_of(measured):
        # The rule has the constant on the left, as in `80% <= performance`.
        measured, limits = limits[0], [measured]
        operator = MIRRORED[operator]
    shown = ", ".join(_limit(rules, limit) for limit in limits)
    name = _facts_of(measured)[0]
    match limits:
        case [Constant(name=str(parameter))]:
            name = parameter
    words = threshold_words(operator, truth=truth)
    # A language may say a date in other words than an amount: "at least" is "on or after".
    part = "date" if measured.type.kind is Kind.DATE else "limit"
    said = rules.language.say(f"{words} {{{part}}}", **{part: shown}) if words else shown
    return name, said


def _limit(rules: RuleSet, node: Node) -> str:
    if isinstance(node, Constant):
        return rules.show(node.type, node.number)
    if rules.language == ENGLISH:
        return words_of(node)
    return words_of(
        node,
        Wording(fact=rules.named, parameter=rules.label, show=rules.show, language=rules.language),
    )
