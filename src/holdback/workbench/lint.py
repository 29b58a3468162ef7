"""What is wrong with files that can be read: what nobody uses, what no example holds, what is out of date.

A finding is a `ErrorDetail`, like those of the reader: it says where, what, and what would help.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Final

from attrs import evolve

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.jurisdictions.overlay import Policy
from holdback.jurisdictions.rulebook import Example, Rulebook
from holdback.jurisdictions.source_rules import WrittenRule
from holdback.jurisdictions.timeline import Period
from holdback.offers.registry import bind_all
from holdback.rules import Facts, interpret
from holdback.ruleset import DECLINE, PLACEHOLDER, Rule
from holdback.workbench.coverage_gaps import coverage_gaps
from holdback.workbench.equivalence import telling
from holdback.workbench.example_run import Answer, Trial, run

_PROGRESS: Final = "progress"
_CHECKED: Final = "credit_checked_on"
# Rules by the values of their parameters: more are not looked at for what they always say.
MOST_LOOKED_AT: Final = 500
# So many tenths of an inherited id make a new one a slip of the pen.
_NEARLY: Final = 9


def findings(jurisdictions: Jurisdictions, on: date | None = None) -> Iterator[ErrorDetail]:
    """What is wrong with *jurisdictions*, each of which can be read; *on* is the day of today."""
    told = set[ErrorDetail]()
    for jurisdiction in jurisdictions:
        found = in_order(_of(jurisdiction, jurisdictions, on))
        yield from (each for each in found if each not in told)  # a parent's is told once
        told.update(found)
    yield from _codes(jurisdictions)


def in_order(faults: Iterable[ErrorDetail]) -> list[ErrorDetail]:
    """*faults*, each once, in the order of files and lines."""
    return sorted(
        dict.fromkeys(faults), key=lambda each: (each.file or "", each.line or 0, each.column or 0)
    )


def _of(
    jurisdiction: Jurisdiction, jurisdictions: Jurisdictions, on: date | None
) -> Iterator[ErrorDetail]:
    yield from _unused(jurisdiction, jurisdictions)
    yield from _almost_inherited(jurisdiction)
    yield from _dropped_in_vain(jurisdiction)
    yield from _review(jurisdiction, on)
    yield from _constant(jurisdiction)
    yield from _floor_alone(jurisdiction)
    bound = list(_unbound(jurisdiction))
    yield from bound
    tried = [] if bound else [_tried(jurisdiction, each) for each in jurisdiction.examples]
    yield from _examples(tried)
    for example in jurisdiction.examples:
        yield from _too_late(example, jurisdiction)
    if not bound:
        ran = [each for each in tried if isinstance(each, Trial)]
        yield from coverage_gaps(jurisdiction, ran)


def _unused(jurisdiction: Jurisdiction, jurisdictions: Jurisdictions) -> Iterator[ErrorDetail]:
    """Own parameters and facts that no rule names, here or in a child."""
    named = set[str]()
    for each in jurisdictions:
        if jurisdiction.policy.own in each.policy.layers:
            named |= {name for rule, _, _ in _rules(each) for name in _read_by(rule)}
            named |= set(_calculated(each))
    for name, written in jurisdiction.policy.parameters.items():
        if written is not None and written.code == jurisdiction.code and name not in named:
            yield ErrorDetail(
                message=f"no rule reads the parameter `{name}`",
                hint="leave it out, or write the rule that needs it",
                **written.item.position(key=True),
            )
    particulars = jurisdiction.policy.particulars
    assert particulars is not None, "it was read"
    facts = particulars.item.pairs().get("facts")
    for name, item in ({} if facts is None else facts.pairs()).items():
        if name not in named:
            yield ErrorDetail(
                message=f"no rule reads the fact `{name}`",
                hint="leave it out, or write the rule that needs it",
                **item.position(key=True),
            )


def _read_by(rule: Rule) -> Iterator[str]:
    yield from rule.checked.names
    yield from rule.checked.parameters


def _calculated(jurisdiction: Jurisdiction) -> Iterator[str]:
    """The facts that calculators are told to look at."""
    for product in jurisdiction.policy.products:
        for choice in product.calculators.values():
            on = choice.settings.get("on")
            if isinstance(on, str):
                yield on


def _almost_inherited(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """New rules of a child whose id is nearly an inherited one: they add where they should replace."""
    *inherited, own = jurisdiction.policy.layers
    ids = {rule.id for layer in inherited for rule in layer.rules}
    for rule in own.rules:
        near = [each for each in sorted(ids) if _alike(rule.id, each)]
        if rule.id not in ids and near:
            yield ErrorDetail(
                message=f"`{rule.id}` is new here, and `{near[0]}` is inherited",
                hint=f"to replace that rule, name this one `{near[0]}`; else give it another id",
                **rule.keys["id"].position(),
            )


def _dropped_in_vain(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """What is switched off and is not there on any of those days, or has been already."""
    policy, told = jurisdiction.policy, set[tuple[str, str, Period]]()
    under = evolve(policy, layers=policy.layers[:-1]) if len(policy.layers) > 1 else policy
    for dropped in policy.own.switched_off:
        days = [each.since for each in jurisdiction.slices if each.since in dropped.period]
        there = any(
            dropped.name in _names(under, dropped.kind, day)
            and dropped.name not in _names(policy, dropped.kind, day)
            for day in days
        )
        key = (dropped.kind, dropped.name, dropped.period)
        if not there or key in told:
            yield ErrorDetail(
                message=f"nothing is switched off: the {dropped.kind} `{dropped.name}` is not inherited "
                "then, or is written anew here",
                hint="leave it out, or mend its `from` and `until`",
                **dropped.item.position(),
            )
        told.add(key)


def _names(policy: Policy, kind: str, day: date) -> set[str]:
    """What is in force of a *kind* on *day*, by name."""
    if kind == "rule":
        return {rule.id for rule in policy.rules_on(day)}
    if kind == "product":
        return {product.key for product in policy.products_on(day)}
    return {name for name, each in policy.parameters_on(day).items() if each.code != policy.code}


def _alike(one: str, other: str) -> bool:
    """Whether nine tenths of the letters of two names are the same, in the same order."""
    blocks = difflib.SequenceMatcher(None, one, other).get_matching_blocks()
    same = 2 * sum(block.size for block in blocks)
    return same * 10 >= (len(one) + len(other)) * _NEARLY


def _review(jurisdiction: Jurisdiction, on: date | None) -> Iterator[ErrorDetail]:
    particulars = jurisdiction.policy.particulars
    assert particulars is not None, "it was read"
    if on is not None and particulars.review_by < on:
        yield ErrorDetail(
            message=f"the review was due by {particulars.review_by}",
            hint=f"ask {particulars.owner} to review the files and move `review_by`",
            **particulars.item.pairs()["review_by"].position(),
        )


def _rules(
    jurisdiction: Jurisdiction,
) -> Iterator[tuple[Rule, WrittenRule, bool]]:
    """Every rule in force on some day, by each value of its parameters; whether it is one of renewals."""
    policy, seen = jurisdiction.policy, set[Rule]()
    for rulebook in jurisdiction.slices:
        written = {each.code: each for each in policy.rules_on(rulebook.since)}
        sets = [(rulebook.renewal, written, True)]
        products = {each.key: each for each in policy.products_on(rulebook.since)}
        for terms in rulebook.products:
            rules = products[terms.key].rules
            in_force = {each.code: each for each in rules if rulebook.since in each.period}
            sets.append((terms.rules, in_force, False))
        for ruleset, by_code, renewal in sets:
            for rule in ruleset.rules:
                if rule not in seen:
                    seen.add(rule)
                    yield rule, by_code[rule.code], renewal


def _constant(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """Own rules that are never in force, or say the same of every deal that they are asked about."""
    own, in_force = jurisdiction.policy.own, set[WrittenRule]()
    for number, (rule, written, renewal) in enumerate(_rules(jurisdiction)):
        in_force.add(written)
        if number >= MOST_LOOKED_AT:
            continue
        if written.jurisdiction != jurisdiction.code:
            continue
        deals = telling([rule.checked], above_floor=renewal)
        yield from _unsaid(written, rule, deals or [])
        if deals is None:
            continue
        answers = {interpret(rule.checked, facts) for facts in deals}
        for answer, word in ((False, "true"), (True, "false")):
            if answer not in answers:
                about = "deal that is assessed" if renewal else "application"
                yield ErrorDetail(
                    message=f"the rule `{written.id}` is {word} of every {about}",
                    hint="it decides nothing"
                    + ("; below 50% paid down no deal is assessed" if renewal else ""),
                    **written.keys["require"].position(),
                )
    for written in (*own.rules, *(rule for product in own.products for rule in product.rules)):
        if written not in in_force:
            yield ErrorDetail(
                message=f"the rule `{written.id}` is never in force",
                hint="a rule without a day between `from` and `until` decides nothing",
                **written.keys["id"].position(),
            )


def _unsaid(written: WrittenRule, rule: Rule, deals: list[Facts]) -> Iterator[ErrorDetail]:
    """A sentence that names what the rule does not read, or a fact that may be unknown when it is false."""
    catalogue, item = rule.checked.catalogue, written.keys["reason"]
    declined = [facts for facts in deals if interpret(rule.checked, facts) is False]
    for match in PLACEHOLDER.finditer(written.reason):
        fact = catalogue.fact(match[1])
        if match[1] in catalogue.parameters and match[1] not in rule.checked.parameters:
            yield ErrorDetail(
                message=f"the sentence names `{match[1]}`, which the rule does not read",
                hint="a merchant would be told another threshold than the one that decided",
                **item.part_position(match.span()),
            )
        if fact is not None and any(
            facts[catalogue.place(fact.name)] is None for facts in declined
        ):
            yield ErrorDetail(
                message=f"a merchant may be told that `{fact.name}` is unknown: the rule can be false "
                "without it",
                hint="make two rules of it, each with a sentence of its own",
                **item.part_position(match.span()),
            )


def _floor_alone(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """Design 4: "reaching the floor alone must never make a deal eligible"."""
    declines: dict[Rule, bool] = {}
    for rulebook in jurisdiction.slices:
        for rule in rulebook.renewal.rules:
            if rule not in declines:
                declines[rule] = _can_decline(rule)
            if declines[rule]:
                break
        else:
            yield _enough(jurisdiction, rulebook)
            return


def _enough(jurisdiction: Jurisdiction, rulebook: Rulebook) -> ErrorDetail:
    return ErrorDetail(
        message=f"on {rulebook.since} reaching the floor is enough: no declining rule that reads "
        f"anything but `{_PROGRESS}` can be false",
        hint="a rulebook needs a rule that can decline a deal which is half paid down",
        **jurisdiction.policy.rules_item.position(key=True),
    )


def _can_decline(rule: Rule) -> bool:
    """Whether *rule* declines some deal at the floor for something else than its progress."""
    if rule.otherwise != DECLINE or not set(rule.checked.names) - {_PROGRESS}:
        return False
    deals = telling([rule.checked], above_floor=True)
    return deals is None or any(interpret(rule.checked, facts) is False for facts in deals)


def _unbound(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """Calculators that do not exist, or do not take their settings."""
    try:
        bind_all(jurisdiction.slices, {}, lambda code, key: f"{code}/{key}")
    except InvalidDocument as error:
        yield from error.errors


def _tried(jurisdiction: Jurisdiction, example: Example) -> Trial | ErrorDetail:
    try:
        return run(example, jurisdiction.rulebook(example.on))
    except (InvalidDocument, ValueError) as error:
        return ErrorDetail(
            message=f"the example `{example.name}` cannot be run: {error}",
            file=example.file,
            line=example.line,
        )


def _examples(tried: list[Trial | ErrorDetail]) -> Iterator[ErrorDetail]:
    """Examples that expect something else than another or than the rules say, or share a name."""
    alike: dict[object, Trial] = {}
    lines: dict[tuple[str, str], int | None] = {}
    for trial in tried:
        if isinstance(trial, ErrorDetail):
            yield trial
            continue
        example = trial.example
        first = lines.setdefault((example.file, example.name), example.line)
        if first != example.line:
            yield ErrorDetail(
                message=f"there is an example `{example.name}` already, on line {first}",
                hint="a name says what is special about an example",
                file=example.file,
                line=example.line,
            )
        given = tuple(sorted((name, str(value)) for name, value in example.given.items()))
        about = tuple(sorted(example.expect)) if example.of_settings else example.product
        before = alike.setdefault((about, example.on, example.settles, given), trial)
        if before is not trial and _contradict(before, trial):
            yield ErrorDetail(
                message=f"it contradicts the example `{before.example.name}` on line "
                f"{before.example.line}: the same facts, and another answer",
                hint="one of the two is wrong",
                file=example.file,
                line=example.line,
            )
        elif not trial.passed:
            yield ErrorDetail(
                message=f"the example `{example.name}` expects `{trial.expected.outcome}`"
                f"{_because(trial.expected)}, and on {example.on} the rules give "
                f"`{trial.got.outcome}`{_because(trial.got)}{_otherwise(trial)}",
                hint="`holdback test` shows the facts and every rule's answer",
                file=example.file,
                line=example.line,
            )


def _too_late(example: Example, jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """Evidence of a day that the example's own day has not come to."""
    fact = jurisdiction.slices[0].catalogue.fact(_CHECKED)
    assert fact is not None, "it is built in"
    number = fact.read(example.given.get(_CHECKED))
    if number is not None and number > example.on.toordinal():
        yield ErrorDetail(
            message=f"the example `{example.name}` is on {example.on}, before `{_CHECKED}`",
            hint="a service refuses evidence from the future: give an earlier day",
            file=example.file,
            line=example.line,
        )


def _contradict(one: Trial, other: Trial) -> bool:
    first, second = one.expected, other.expected
    both = first.offers is not None and second.offers is not None
    return (first.outcome, first.codes, first.needs) != (
        second.outcome,
        second.codes,
        second.needs,
    ) or (both and first.offers != second.offers)


def _because(answer: Answer) -> str:
    why = [*answer.codes, *(f"needs {name}" for name in answer.needs)]
    return f" ({', '.join(why)})" if why else ""


def _otherwise(trial: Trial) -> str:
    """What differs, where the decision and its codes do not."""
    expected, got = trial.expected, trial.got
    if (expected.outcome, expected.codes, expected.needs) != (got.outcome, got.codes, got.needs):
        return ""
    return " with other offers or limits"


def _codes(jurisdictions: Jurisdictions) -> Iterator[ErrorDetail]:
    """Codes that two jurisdictions use for rules of their own."""
    first: dict[str, WrittenRule] = {}
    for jurisdiction in jurisdictions:
        own = jurisdiction.policy.own
        for rule in (*own.rules, *(each for product in own.products for each in product.rules)):
            before = first.setdefault(rule.code, rule)
            if before.jurisdiction != rule.jurisdiction:
                yield ErrorDetail(
                    message=f"`{rule.code}` is the code of a rule of `{before.jurisdiction}`",
                    hint="a code is never used again, in any jurisdiction",
                    **rule.keys["code"].position(),
                )
