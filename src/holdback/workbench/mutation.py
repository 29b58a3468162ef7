"""Would anybody notice? Every small mistake in a jurisdiction's files, and whether an example finds it.

A mutant is a file with one thing changed: a threshold by one unit, a comparison, a rule left out. The
examples notice it when one of them no longer gives what it expects. A mutant that none notices is a
change that somebody could make by mistake and nobody would be told, unless no deal can tell it apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar

from attrs import evolve, field, frozen

from holdback.errors import ErrorDetail, InvalidDocument, RuleError, did_you_mean
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.jurisdictions.jurisdiction_file import TIMELINES, SwitchedOff
from holdback.jurisdictions.rulebook import ProductTerms, Rulebook
from holdback.jurisdictions.source_rules import WrittenProduct, WrittenRule
from holdback.jurisdictions.timeline import Period
from holdback.rules import Catalogue, Kind, Parameter, check, implication, parse
from holdback.ruleset import DECLINE, REFER, Rule, RuleSet
from holdback.workbench.equivalence import alike
from holdback.workbench.example_run import run
from holdback.workbench.rewriting import beside, rewritten
from holdback.workbench.setting_mutants import Changed, changed_settings

NOTICED: Final = "noticed"
SURVIVED: Final = "survived"
# No deal can tell it apart: shown by the ranges of the facts, or listed in the file with the reason.
EQUIVALENT: Final = "equivalent"
LISTED: Final = "listed"
# The reader refuses it, so nobody could make this mistake unseen.
REFUSED: Final = "refused"

Change: TypeAlias = Callable[[Rulebook], Rulebook]
RuleChange: TypeAlias = Callable[[Rule, Catalogue], Rule | None]


@frozen(kw_only=True)
class Mutant:
    """One thing changed in a file: its name, where it stands, and how it changes a rulebook."""

    name: str
    file: str
    line: int | None
    change: Change = field(repr=False)


@frozen(kw_only=True)
class Verdict:
    """What became of a mutant: noticed (by the example of that name), survived, or why it need not be."""

    mutant: Mutant
    state: str
    reason: str = ""


def verdicts(jurisdiction: Jurisdiction, others: Jurisdictions) -> Iterator[Verdict]:
    """Every mutant of the own files of *jurisdiction*; *others* has its parents."""
    listed = {each.mutant: each.reason for each in jurisdiction.survivors}
    for mutant in mutants(jurisdiction, others):
        verdict = _verdict(mutant, jurisdiction)
        if verdict.state == SURVIVED and mutant.name in listed:
            verdict = evolve(verdict, state=LISTED, reason=listed[mutant.name])
        yield verdict


def stale(jurisdiction: Jurisdiction, found: Iterable[Verdict]) -> Iterator[ErrorDetail]:
    """The survivors that the files of *jurisdiction* list, and that did not survive or do not exist."""
    states = {each.mutant.name: each for each in found}
    for listed in jurisdiction.survivors:
        verdict = states.get(listed.mutant)
        if verdict is None:
            message = f"there is no mutant `{listed.mutant}`"
            hint = did_you_mean(listed.mutant, states) or "leave it out: the file has changed"
        elif verdict.state != LISTED:
            message = f"the mutant `{listed.mutant}` does not survive: {verdict.state}"
            hint = f"leave it out: {verdict.reason}"
        else:
            continue
        yield ErrorDetail(message=message, file=listed.file, line=listed.line, hint=hint)


def _verdict(mutant: Mutant, jurisdiction: Jurisdiction) -> Verdict:
    changed: dict[date, Rulebook] = {}
    same = True
    try:
        for rulebook in jurisdiction.slices:
            changed[rulebook.since] = mutant.change(rulebook)
            same = same and alike(rulebook, changed[rulebook.since])
        for example in jurisdiction.examples:
            rulebook = jurisdiction.rulebook(example.on)
            untouched = changed[rulebook.since].renewal is rulebook.renewal
            if untouched and example.product is None and not example.of_settings:
                continue
            if not run(example, evolve(changed[rulebook.since], on=example.on)).passed:
                return Verdict(mutant=mutant, state=NOTICED, reason=example.name)
    except (InvalidDocument, RuleError) as error:
        return Verdict(mutant=mutant, state=REFUSED, reason=str(error))
    if same:
        reason = "no fact in its range can tell it apart"
        return Verdict(mutant=mutant, state=EQUIVALENT, reason=reason)
    return Verdict(mutant=mutant, state=SURVIVED)


def mutants(jurisdiction: Jurisdiction, others: Jurisdictions) -> Iterator[Mutant]:
    """Every mutant of the own files of *jurisdiction*."""
    own = jurisdiction.policy.own
    yield from _settings(jurisdiction)
    yield from _parameters(jurisdiction)
    codes = Counter(rule.code for rule in own.rules)
    codes.update(rule.code for product in own.products for rule in product.rules)
    keys = Counter(product.key for product in own.products)
    for rule in own.rules:
        yield from _rule(rule, jurisdiction, None, several=codes[rule.code] > 1)
    for product in own.products:
        version = f" from {product.period.start}" if keys[product.key] > 1 else ""
        for rule in product.rules:
            yield from _rule(rule, jurisdiction, product.key, several=codes[rule.code] > 1)
        for changed in changed_settings(product):
            yield Mutant(
                name=f"{product.key}{version} {changed.name}",
                file=product.keys.item.document.file,
                line=changed.line,
                change=partial(_with_terms, product=product, changed=changed),
            )
    yield from _switched_on(jurisdiction, others)


def _settings(jurisdiction: Jurisdiction) -> Iterator[Mutant]:
    """Every value of every own setting that changes by date, one unit up and one down."""
    particulars = jurisdiction.policy.particulars
    assert particulars is not None, "it was read"
    for name, (_, timeline) in particulars.timelines.items():
        if particulars.places[name].document is not particulars.item.document:
            continue  # it is the parent's
        for entry in timeline.entries:
            for number in (entry.value + 1, entry.value - 1):
                yield Mutant(
                    name=f"{name} from {entry.period.start}: {entry.value} to {number}",
                    file=particulars.item.document.file,
                    line=None if entry.item is None else entry.item.line,
                    change=partial(_with_setting, name=name, number=number, period=entry.period),
                )


def _with_setting(rulebook: Rulebook, *, name: str, number: int, period: Period) -> Rulebook:
    """*rulebook* with another value for a setting, when it is of the *period*."""
    if rulebook.since not in period:
        return rulebook
    low, high = TIMELINES[name]
    if not low <= number <= high:
        raise InvalidDocument.of(f"expected {low} to {high}")
    changed: dict[str, Any] = {name: number}
    return evolve(rulebook, **changed)


def _parameters(jurisdiction: Jurisdiction) -> Iterator[Mutant]:
    """Every value of every own parameter, one unit up and one down."""
    for name, written in jurisdiction.policy.parameters.items():
        if written is None or written.code != jurisdiction.code:
            continue
        for entry in written.timeline.entries:
            for number in beside(written.type, entry.value):
                moved = Parameter(name=name, type=written.type, number=number)
                assert entry.item is not None, "it was read from a file"
                before, after = written.type.show(entry.value), written.type.show(moved.number)
                yield Mutant(
                    name=f"{name} from {entry.period.start}: {before} to {after}",
                    file=entry.item.document.file,
                    line=entry.item.line,
                    change=partial(_with_parameter, moved=moved, period=entry.period),
                )


def _with_parameter(rulebook: Rulebook, *, moved: Parameter, period: Period) -> Rulebook:
    """*rulebook* with a parameter *moved*, when it is of the *period*."""
    if rulebook.since not in period or moved.name not in rulebook.parameters:
        return rulebook
    parameters = {**rulebook.parameters, moved.name: moved}
    return _with_catalogue(rulebook, rulebook.catalogue.with_parameters(parameters), moved.name)


def _with_catalogue(rulebook: Rulebook, catalogue: Catalogue, name: str) -> Rulebook:
    """*rulebook* with the rules that read the parameter *name* checked anew."""

    def anew(rules: RuleSet) -> RuleSet:
        if not any(name in rule.checked.parameters for rule in rules.rules):
            return rules
        return evolve(
            rules,
            rules=tuple(
                checked_anew(rule, catalogue) if name in rule.checked.parameters else rule
                for rule in rules.rules
            ),
            catalogue=catalogue,
        )

    products = tuple(evolve(each, rules=anew(each.rules)) for each in rulebook.products)
    return evolve(
        rulebook,
        catalogue=catalogue,
        parameters=catalogue.parameters,
        renewal=anew(rulebook.renewal),
        products=products,
    )


def checked_anew(rule: Rule, catalogue: Catalogue) -> Rule:
    """
    *rule* as its expressions mean with *catalogue*.

    Raises:
        RuleError: when they cannot be meant.
    """
    require = check(parse(rule.require), catalogue, Kind.FLAG)
    if rule.when is None:
        return evolve(rule, checked=require)
    return evolve(rule, checked=implication(check(parse(rule.when), catalogue, Kind.FLAG), require))


def _rule(
    written: WrittenRule, jurisdiction: Jurisdiction, product: str | None, *, several: bool
) -> Iterator[Mutant]:
    """Every change to one version of a rule, which is named where there are *several*."""
    version = f" from {written.period.start}" if several else ""

    def mutant(name: str, change: RuleChange) -> Mutant:
        return Mutant(
            name=f"{written.code}{version} {name}",
            file=written.keys.item.document.file,
            line=written.keys.item.line,
            change=partial(_with_rule, written=written, product=product, change=change),
        )

    yield mutant("left out", lambda _rule, _catalogue: None)
    other = REFER if written.otherwise == DECLINE else DECLINE
    yield mutant(f"otherwise {other}", partial(_rewritten, changes={"otherwise": other}))
    if written.when is not None:
        yield mutant("without `when`", partial(_rewritten, changes={"when": None}))
    for key in ("require", "when"):
        for text in _texts(written, jurisdiction, key):
            yield mutant(f"{key}: {text}", partial(_rewritten, changes={key: text}))


def _rewritten(rule: Rule, catalogue: Catalogue, *, changes: Mapping[str, Any]) -> Rule:
    return checked_anew(evolve(rule, **changes), catalogue)


def _texts(written: WrittenRule, jurisdiction: Jurisdiction, key: str) -> list[str]:
    """The expression under *key* with one thing changed, in every way."""
    tree = written.require if key == "require" else written.when
    if tree is None:
        return []
    for rulebook in jurisdiction.slices:
        if rulebook.since in written.period:
            return list(rewritten(check(tree, rulebook.catalogue, Kind.FLAG)))
    return []


def _with_rule(
    rulebook: Rulebook,
    *,
    written: WrittenRule,
    product: str | None,
    change: RuleChange,
) -> Rulebook:
    """*rulebook* with the rule *written* changed where it is in force."""
    if rulebook.since not in written.period:
        return rulebook
    if product is None:
        rules = _changed(rulebook.renewal, written, rulebook.catalogue, change)
        return evolve(rulebook, renewal=rules)

    def terms(each: ProductTerms) -> ProductTerms:
        if each.key != product:
            return each
        return evolve(each, rules=_changed(each.rules, written, rulebook.catalogue, change))

    return evolve(rulebook, products=tuple(terms(each) for each in rulebook.products))


def _changed(
    rules: RuleSet,
    written: WrittenRule,
    catalogue: Catalogue,
    change: RuleChange,
) -> RuleSet:
    if not any(rule.code == written.code for rule in rules.rules):
        return rules
    changed = (
        change(rule, catalogue) if rule.code == written.code else rule for rule in rules.rules
    )
    return evolve(rules, rules=tuple(rule for rule in changed if rule is not None))


def _with_terms(rulebook: Rulebook, *, product: WrittenProduct, changed: Changed) -> Rulebook:
    """*rulebook* with a setting of *product* changed, where it is offered."""
    if rulebook.since not in product.period:
        return rulebook
    return evolve(
        rulebook,
        products=tuple(
            changed.terms(each) if each.key == product.key else each for each in rulebook.products
        ),
    )


def _switched_on(jurisdiction: Jurisdiction, others: Jurisdictions) -> Iterator[Mutant]:
    """Every rule and product that is switched off, back again."""
    for dropped in jurisdiction.policy.own.switched_off:
        above = jurisdiction.policy.layers[-2].code
        if dropped.kind != "parameter" and above in others.codes:
            parent = others[above]
            yield Mutant(
                name=f"{dropped.kind} {dropped.name} not switched off",
                file=dropped.item.document.file,
                line=dropped.item.line,
                change=partial(_with_inherited, dropped=dropped, parent=parent),
            )


def _with_inherited(rulebook: Rulebook, *, dropped: SwitchedOff, parent: Jurisdiction) -> Rulebook:
    """*rulebook* with what was *dropped*, as its *parent* has it and in its place."""
    if rulebook.since not in dropped.period or rulebook.since < parent.changes[0]:
        return rulebook
    before, renewal = parent.rulebook(rulebook.since), rulebook.renewal
    if dropped.kind == "product":
        products = _put_back(
            before.products, rulebook.products, dropped.name, lambda each: each.key
        )
        known = rulebook.catalogue
        return evolve(
            rulebook,
            products=tuple(
                evolve(each, rules=_checked_set(each.rules, known))
                if each.key == dropped.name
                else each
                for each in products
            ),
        )
    rules = _put_back(before.renewal.rules, renewal.rules, dropped.name, lambda each: each.id)
    back = tuple(
        checked_anew(rule, rulebook.catalogue) if rule.id == dropped.name else rule
        for rule in rules
    )
    return evolve(rulebook, renewal=evolve(renewal, rules=back))


_Thing = TypeVar("_Thing")


def _put_back(
    before: tuple[_Thing, ...], after: tuple[_Thing, ...], name: str, named: Callable[[_Thing], str]
) -> tuple[_Thing, ...]:
    """*after* with the thing *name* of *before*, behind the last of those that stand before it there."""
    there = [named(each) for each in after]
    if name in there:
        return after  # replaced, not only dropped
    names = [named(each) for each in before]
    if name not in names:
        return after
    place = names.index(name)
    at = max((there.index(each) + 1 for each in names[:place] if each in there), default=0)
    return (*after[:at], before[place], *after[at:])


def _checked_set(rules: RuleSet, catalogue: Catalogue) -> RuleSet:
    """*rules* with the facts and parameters of *catalogue*."""
    anew = tuple(checked_anew(rule, catalogue) for rule in rules.rules)
    return evolve(rules, rules=anew, catalogue=catalogue)
