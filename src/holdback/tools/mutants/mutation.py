"""Mutation testing of a jurisdiction's files: would an example notice a small mistake?

A mutant is a file with one small change: a threshold moved by one unit, another comparison, a rule
left out. An example notices it when it no longer gets the answer that it expects. A mutant that no
example notices is a mistake that could be made unnoticed, unless the change gives every deal the
same answer (decisions/suggestions).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar

from attrs import evolve

from holdback.disclosures.figure_facts import offer_catalogue
from holdback.eligibility.ruleset import DECLINE, REFER, Rule, RuleSet
from holdback.errors import (
    ConfigurationError,
    ErrorDetail,
    InvalidDocument,
    RuleError,
    did_you_mean,
)
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Example, Jurisdiction, Jurisdictions
from holdback.jurisdictions.jurisdiction_file import SwitchedOff
from holdback.jurisdictions.keys import TABLE_OF_TIERS
from holdback.jurisdictions.source_rules import SourceProduct, SourceRule
from holdback.jurisdictions.source_tables import SourceTable
from holdback.jurisdictions.timeline import Period
from holdback.offers.price_tables import TABLE
from holdback.rulebooks.product_terms import CalculatorChoice, ProductTerms
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Catalogue, Kind, Parameter, check
from holdback.tools.example_run import run_example
from holdback.tools.mutants.disclosure_mutants import disclosure_mutants
from holdback.tools.mutants.equivalence import why_proved_same, why_same
from holdback.tools.mutants.expression_mutants import expression_mutants, neighbours
from holdback.tools.mutants.mutant import Mutant
from holdback.tools.mutants.setting_mutants import (
    jurisdiction_mutants,
    price_mutants,
    setting_mutants,
    with_prices,
)
from holdback.tools.proposals import rechecked

NOTICED: Final = "noticed"
SURVIVED: Final = "survived"
# The mutant gives every deal the same answer: proved, or listed in the file with the reason.
EQUIVALENT: Final = "equivalent"
LISTED: Final = "listed"
# The reader of the files would reject it, so the mistake cannot go unnoticed.
REFUSED: Final = "refused"

_NO_DEAL: Final = "no deal gets another answer"

RuleChange: TypeAlias = Callable[[Rule, Catalogue], Rule | None]


@frozen(kw_only=True)
class Verdict:
    """The state of a mutant, and the reason: the example that noticed it, or why none has to."""

    mutant: Mutant
    state: str
    reason: str = ""


def verdicts(jurisdiction: Jurisdiction, others: Jurisdictions) -> Iterator[Verdict]:
    """Return the verdicts on all mutants of *jurisdiction*'s files; *others* has its parents."""
    listed = {entry.mutant: entry.reason for entry in jurisdiction.equivalent_mutants}
    return (_verdict(mutant, jurisdiction, listed) for mutant in mutants(jurisdiction, others))


def stale_equivalent_mutants(
    jurisdiction: Jurisdiction, reached: Iterable[Verdict]
) -> Iterator[ErrorDetail]:
    """Yield the mutants that the files list and that do not exist, or do not survive."""
    by_name = {verdict.mutant.name: verdict for verdict in reached}
    for entry in jurisdiction.equivalent_mutants:
        verdict = by_name.get(entry.mutant)
        if verdict is None:
            code, message = "unknown_name", f"there is no mutant `{entry.mutant}`"
            hint = did_you_mean(entry.mutant, by_name) or "leave it out: the file has changed"
        elif verdict.state != LISTED:
            code = "contradiction"
            message = f"the mutant `{entry.mutant}` does not survive: {verdict.state}"
            hint = f"leave it out: {verdict.reason}"
        else:
            continue
        yield ErrorDetail(code=code, message=message, file=entry.file, line=entry.line, hint=hint)


def _verdict(mutant: Mutant, jurisdiction: Jurisdiction, listed: Mapping[str, str]) -> Verdict:
    """
    Return the verdict on *mutant*; *listed* are the reasons of equivalent mutants by name.

    The solver, which takes longest, is asked last, and not about a mutant that the files list.
    """
    changed: dict[date, Rulebook] = {}
    try:
        for rulebook in jurisdiction.slices:
            changed[rulebook.since] = mutant.change(rulebook)
        for example in jurisdiction.examples:
            rulebook = jurisdiction.rulebook_for(example)
            mutated = changed[rulebook.since]
            if not _can_notice(example, rulebook, mutated):
                continue
            if not run_example(example, evolve(mutated, on=example.on)).passed:
                return Verdict(mutant=mutant, state=NOTICED, reason=example.name)
        why = _why(jurisdiction, changed, why_same)
    # `run_example` can refuse a mutant too: it binds the calculators to the changed settings.
    except (InvalidDocument, ConfigurationError, RuleError) as error:
        return Verdict(mutant=mutant, state=REFUSED, reason=str(error))
    if why is None and mutant.name in listed:
        return Verdict(mutant=mutant, state=LISTED, reason=listed[mutant.name])
    if why is None:
        why = _why(jurisdiction, changed, why_proved_same)
    if why is None:
        return Verdict(mutant=mutant, state=SURVIVED)
    return Verdict(mutant=mutant, state=EQUIVALENT, reason=why)


def _can_notice(example: Example, before: Rulebook, after: Rulebook) -> bool:
    """Return whether *example* asks something that *after* may answer otherwise than *before*."""
    # Most mutants of products, and all of disclosures, then need far fewer runs.
    same_law = after.disclosures is before.disclosures
    if example.of_disclosures or not same_law:
        return example.of_disclosures and not same_law
    is_renewal = example.product is None and not example.of_settings
    return not is_renewal or after.renewal is not before.renewal


def _why(
    jurisdiction: Jurisdiction,
    changed: Mapping[date, Rulebook],
    why_alike: Callable[[Rulebook, Rulebook], str | None],
) -> str | None:
    """Return why every deal is answered alike by all rulebooks; None where one may differ."""
    reasons = []
    for rulebook in jurisdiction.slices:
        why = why_alike(rulebook, changed[rulebook.since])
        if why is None:
            return None
        reasons.append(why)
    return next(filter(None, reasons), _NO_DEAL)


def mutants(jurisdiction: Jurisdiction, others: Jurisdictions) -> Iterator[Mutant]:
    """Yield every mutant of the own files of *jurisdiction*."""
    own = jurisdiction.policy.own
    yield from jurisdiction_mutants(jurisdiction)
    yield from _parameters(jurisdiction)
    codes = Counter(rule.code for rule in own.all_rules)
    keys = Counter(product.key for product in own.products)
    for rule in own.rules_by_id:
        yield from _rule_mutants(rule, jurisdiction, several=codes[rule.code] > 1)
        yield from _shared_by_fewer(rule, several=codes[rule.code] > 1)
    for product in own.products:
        version = f" from {product.period.start}" if keys[product.key] > 1 else ""
        for rule in product.rules:
            yield from _rule_mutants(rule, jurisdiction, several=codes[rule.code] > 1)
        for rule in product.offer_rules:
            several, figures = codes[rule.code] > 1, offer_catalogue(jurisdiction.currency)
            yield from _rule_mutants(rule, jurisdiction, several=several, figures=figures)
        for name, line, changed in setting_mutants(product):
            yield Mutant(
                name=f"{product.key}{version} {name}",
                file=product.file,
                line=line,
                change=partial(_with_terms, product=product, changed=changed),
            )
    yield from _prices(jurisdiction)
    yield from disclosure_mutants(jurisdiction)
    yield from _switched_on(jurisdiction, others)


def _prices(jurisdiction: Jurisdiction) -> Iterator[Mutant]:
    """Yield the mutants of the prices in own tables."""
    policy, tables = jurisdiction.policy, jurisdiction.policy.own.tables
    several = Counter(table.id for table in tables)
    for table in tables:
        version = f" from {table.period.start}" if several[table.id] > 1 else ""
        limits = [product.calculators.get("limits") for product in policy.products]
        steps = [
            Money.parse(choice.settings["step"]).minor
            for choice in limits
            if choice is not None
            and choice.settings.get(TABLE) == table.id
            and choice.settings.get("step")
        ]
        for name, line, change in price_mutants(table, policy.catalogue, max(steps, default=1)):
            yield Mutant(
                name=f"{table.id}{version} {name}",
                file=table.file,
                line=line,
                change=partial(_with_prices, table=table, change=change),
            )


def _with_prices(
    rulebook: Rulebook, *, table: SourceTable, change: Mapping[tuple[str | int, ...], str]
) -> Rulebook:
    """Return *rulebook* with the *change* made to prices, where the *table* is in force."""
    if rulebook.since not in table.period:
        return rulebook
    priced = (
        with_prices(terms, table.id, change) if table.is_of(terms.key) else terms
        for terms in rulebook.products
    )
    return rulebook.altered(products=tuple(priced))


def _parameters(jurisdiction: Jurisdiction) -> Iterator[Mutant]:
    """Yield every value of every own parameter, one unit up and down."""
    for name, parameter in jurisdiction.policy.own_parameters.items():
        type_ = parameter.type
        for entry in parameter.timeline.entries:
            for number in neighbours(type_, entry.value):
                moved = Parameter(name=name, type=type_, number=number)
                assert entry.node is not None, "it was read from a file"
                before, after = type_.show(entry.value), type_.show(number)
                yield Mutant(
                    name=f"{name} from {entry.period.start}: {before} to {after}",
                    file=entry.node.document.file,
                    line=entry.node.line,
                    change=partial(_with_parameter, moved=moved, period=entry.period),
                )


def _with_parameter(rulebook: Rulebook, *, moved: Parameter, period: Period) -> Rulebook:
    """Return *rulebook* with a parameter *moved* if its slice is in *period*."""
    if rulebook.since not in period or moved.name not in rulebook.parameters:
        return rulebook
    catalogue = rulebook.catalogue.with_parameters({**rulebook.parameters, moved.name: moved})

    def rechecked_readers(rules: RuleSet) -> RuleSet:
        reading = [moved.name in rule.checked.parameters for rule in rules.rules]
        if not any(reading):
            return rules
        pairs = zip(rules.rules, reading, strict=True)
        changed = (rechecked(rule, catalogue) if reads else rule for rule, reads in pairs)
        return rules.altered(rules=tuple(changed), catalogue=catalogue)

    return _with_rule_sets(
        rulebook, rechecked_readers, catalogue=catalogue, parameters=catalogue.parameters
    )


def _with_rule_sets(
    rulebook: Rulebook, change: Callable[[RuleSet], RuleSet], **more: Any
) -> Rulebook:
    """Return *rulebook* with *change* made to its rule sets, and with *more* changes."""

    def changed(terms: ProductTerms) -> ProductTerms:
        # What is not affected stays the same object, which `why_same` sees at once.
        rules = change(terms.rules)
        return terms if rules is terms.rules else evolve(terms, rules=rules)

    products = tuple(map(changed, rulebook.products))
    return rulebook.altered(
        renewal=change(rulebook.renewal),
        products=products,
        funding=change(rulebook.funding),
        **more,
    )


def _rule_mutants(
    source: SourceRule,
    jurisdiction: Jurisdiction,
    *,
    several: bool,
    figures: Catalogue | None = None,
) -> Iterator[Mutant]:
    """
    Yield every mutant of a rule; where it has *several* versions, the name says which.

    A rule for each offer reads *figures*, and has no answer but to leave an offer out.
    """
    version = f" from {source.period.start}" if several else ""

    def mutant(name: str, change: RuleChange) -> Mutant:
        return Mutant(
            name=f"{source.code}{version} {name}",
            file=source.file,
            line=source.line,
            change=partial(_with_rule, source=source, change=change, figures=figures),
        )

    # Resolved rules are changed, not files: reading a folder again for each of hundreds of mutants
    # would take minutes.
    yield mutant("left out", lambda _rule, _catalogue: None)
    if figures is None:
        opposite = REFER if source.otherwise == DECLINE else DECLINE
        yield mutant(f"otherwise {opposite}", partial(_rewritten, changes={"otherwise": opposite}))
    catalogue = figures or _first_catalogue(source.period, jurisdiction)
    if source.when is not None:
        yield mutant("without `when`", partial(_rewritten, changes={"when": None}))
    # `require` first: the order of the mutants is that of the report.
    for key, tree in (("require", source.require), ("when", source.when)):
        checked = None if tree is None or catalogue is None else check(tree, catalogue, Kind.FLAG)
        for text in () if checked is None else expression_mutants(checked):
            yield mutant(f"{key}: {text}", partial(_rewritten, changes={key: text}))


def _shared_by_fewer(source: SourceRule, *, several: bool) -> Iterator[Mutant]:
    """Yield a shared rule without each of the products that it names, where there is another."""
    version = f" from {source.period.start}" if several else ""
    names = source.products or ()
    for key in names if len(names) > 1 else ():

        def left_out(rulebook: Rulebook, key: str = key) -> Rulebook:
            def changed(terms: ProductTerms) -> ProductTerms:
                kept = tuple(rule for rule in terms.rules.rules if rule.origin is not source)
                if terms.key != key or len(kept) == len(terms.rules.rules):
                    return terms
                return evolve(terms, rules=terms.rules.altered(rules=kept))

            return rulebook.altered(products=tuple(map(changed, rulebook.products)))

        yield Mutant(
            name=f"{source.code}{version} not for {key}",
            file=source.file,
            line=source.line,
            change=left_out,
        )


def _rewritten(rule: Rule, catalogue: Catalogue, *, changes: Mapping[str, Any]) -> Rule:
    return rechecked(evolve(rule, **changes), catalogue)


def _first_catalogue(period: Period, jurisdiction: Jurisdiction) -> Catalogue | None:
    """Return the facts and parameters of the first slice of *period*."""
    within = (rulebook for rulebook in jurisdiction.slices if rulebook.since in period)
    return next((rulebook.catalogue for rulebook in within), None)


def _with_rule(
    rulebook: Rulebook, *, source: SourceRule, change: RuleChange, figures: Catalogue | None
) -> Rulebook:
    """
    Return *rulebook* with *change* made to the rule that was resolved from *source*.

    It is a rule for each offer, where it reads *figures*.
    """
    if rulebook.since not in source.period:
        return rulebook

    def changed(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        if not any(rule.origin is source for rule in rules):
            return rules
        catalogue = figures or rulebook.catalogue
        results = (change(rule, catalogue) if rule.origin is source else rule for rule in rules)
        return tuple(rule for rule in results if rule is not None)

    def changed_set(rules: RuleSet) -> RuleSet:
        after = changed(rules.rules)
        return rules if after is rules.rules else rules.altered(rules=after)

    def changed_terms(terms: ProductTerms) -> ProductTerms:
        after = changed(terms.offer_rules)
        return terms if after is terms.offer_rules else evolve(terms, offer_rules=after)

    if figures is None:
        return _with_rule_sets(rulebook, changed_set)
    return rulebook.altered(products=tuple(map(changed_terms, rulebook.products)))


def _with_terms(rulebook: Rulebook, *, product: SourceProduct, changed: dict[str, Any]) -> Rulebook:
    """Return *rulebook* with a setting of *product* changed where it is offered."""
    if rulebook.since not in product.period:
        return rulebook

    def with_changed(terms: ProductTerms) -> ProductTerms:
        if terms.origin.table is not product.table:
            return terms
        changes = dict(changed)
        for kind, choice in changed.items():
            if isinstance(choice, CalculatorChoice) and choice.name == TABLE:
                # The product in its file has only the name of the table.
                settings = {**choice.settings, TABLE: getattr(terms, kind).settings[TABLE]}
                changes[kind] = evolve(choice, settings=settings)
        return evolve(terms, **changes)

    return rulebook.altered(products=tuple(map(with_changed, rulebook.products)))


def _switched_on(jurisdiction: Jurisdiction, others: Jurisdictions) -> Iterator[Mutant]:
    """Yield every rule and product that is switched off, switched on again."""
    for switch_off in jurisdiction.policy.own.switched_off:
        parent_code = jurisdiction.policy.layers[-2].code
        if switch_off.kind in ("rule", "product", TABLE_OF_TIERS) and parent_code in others.codes:
            parent = others[parent_code]
            of_one = f" of {switch_off.product}" if switch_off.product else ""
            yield Mutant(
                name=f"{switch_off.kind} {switch_off.name}{of_one} not switched off",
                file=switch_off.node.document.file,
                line=switch_off.node.line,
                change=partial(with_inherited, switch_off=switch_off, parent=parent),
            )


def with_inherited(
    rulebook: Rulebook, *, switch_off: SwitchedOff, parent: Jurisdiction
) -> Rulebook:
    """
    Return *rulebook* with what *switch_off* leaves out, taken from *parent*.

    That is a rule, a product, or the rules of a table.

    It gets the place in the order that it has there. Outside the switch-off's days, *rulebook* is
    returned unchanged.
    """
    # Before its first change date the parent has no rulebook, and so nothing to put back.
    if rulebook.since not in switch_off.period or rulebook.since < parent.changes[0]:
        return rulebook
    inherited = parent.rulebook(rulebook.since)
    if switch_off.kind == TABLE_OF_TIERS:
        for name in rows_of(inherited, switch_off.name):
            row = evolve(switch_off, kind="rule", name=name)
            rulebook = with_inherited(rulebook, switch_off=row, parent=parent)
        return rulebook
    catalogue = rulebook.catalogue
    # What comes back is checked with the child's parameters, which may replace the parent's.
    if switch_off.kind == "product":
        products = _put_back(
            inherited.products, rulebook.products, switch_off.name, lambda terms: terms.key
        )
        return rulebook.altered(
            products=tuple(
                evolve(terms, rules=_all_rechecked(terms.rules, catalogue))
                if terms.key == switch_off.name
                else terms
                for terms in products
            ),
        )
    put_back = partial(_rules_put_back, name=switch_off.name, catalogue=catalogue)
    products = tuple(
        evolve(terms, rules=put_back(before, terms.rules))
        if (before := _rules_with(inherited, switch_off, terms)) is not None
        else terms
        for terms in rulebook.products
    )
    if switch_off.product is not None:
        return rulebook.altered(products=products)
    return rulebook.altered(
        renewal=put_back(inherited.renewal, rulebook.renewal),
        products=products,
        funding=put_back(inherited.funding, rulebook.funding),
    )


def rows_of(rulebook: Rulebook, table: str) -> dict[str, None]:
    """Return the ids of the rules of *rulebook* that are rows of the *table*, in their order."""
    rows = (rule.id for rule in rulebook.all_rules if rule.origin.of_table == table)
    return dict.fromkeys(rows)


def _rules_with(
    inherited: Rulebook, switch_off: SwitchedOff, terms: ProductTerms
) -> RuleSet | None:
    """Return the *inherited* rules with the one that the product of *terms* has not any more."""
    if switch_off.product not in (None, terms.key):
        return None
    # A product of the child has the shared rules of its parent, as every other product has them.
    for before in sorted(inherited.products, key=lambda before: before.key != terms.key):
        for rule in before.rules.rules:
            is_its_own = (
                switch_off.product is not None and before.origin.table is terms.origin.table
            )
            if rule.id == switch_off.name and (is_its_own or rule.origin.is_shared_by(terms.key)):
                return before.rules
    return None


def _rules_put_back(before: RuleSet, after: RuleSet, *, name: str, catalogue: Catalogue) -> RuleSet:
    """Return *after* with the rule *name* of *before*, if there is one."""
    if not any(rule.id == name for rule in before.rules):
        return after
    rules = _put_back(before.rules, after.rules, name, lambda rule: rule.id)
    return after.altered(
        rules=tuple(rechecked(rule, catalogue) if rule.id == name else rule for rule in rules)
    )


_Entry = TypeVar("_Entry")


def _put_back(
    before: tuple[_Entry, ...],
    after: tuple[_Entry, ...],
    name: str,
    name_of: Callable[[_Entry], str],
) -> tuple[_Entry, ...]:
    """Return *after* with the entry *name* of *before*, behind the last entry that precedes it."""
    present = [name_of(entry) for entry in after]
    if name in present:
        return after  # the child replaces it
    names = [name_of(entry) for entry in before]
    if name not in names:
        return after
    place = names.index(name)
    at = max((present.index(name) + 1 for name in names[:place] if name in present), default=0)
    return (*after[:at], before[place], *after[at:])


def _all_rechecked(rules: RuleSet, catalogue: Catalogue) -> RuleSet:
    """Return *rules*, all checked with the facts and parameters of *catalogue*."""
    checked = tuple(rechecked(rule, catalogue) for rule in rules.rules)
    return rules.altered(rules=checked, catalogue=catalogue)
