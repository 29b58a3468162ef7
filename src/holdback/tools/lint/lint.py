"""Findings in files that can be read: unused, untested, contradictory or overdue parts.

A finding is an `ErrorDetail`, like the errors of the reader: what is wrong, where, and what to do.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from typing import Any, Final

from attrs import evolve

from holdback.eligibility.facts import NEVER_INITIAL
from holdback.eligibility.ruleset import DECLINE, PLACEHOLDER, Rule
from holdback.errors import ConfigurationError, ErrorDetail, InvalidDocument
from holdback.jurisdictions.jurisdiction import Example, Jurisdiction, Jurisdictions
from holdback.jurisdictions.keys import CLAIM, MAX_AGES
from holdback.jurisdictions.source_rules import SourceParameter, SourceRule
from holdback.jurisdictions.stated_claims import StatedClaim
from holdback.jurisdictions.timeline import Period, TimelineEntry
from holdback.offers.registry import priceable_products
from holdback.rulebooks.regime import DISCLOSURES
from holdback.rulebooks.rulebook import FUNDING, Rulebook
from holdback.rules import Facts, interpret
from holdback.rules.operators import OPERATORS, Role
from holdback.rules.render import in_words
from holdback.rules.tree import Constant, FactRead, Node, Operation, leaves
from holdback.tools.example_run import Answer, ExampleRun, run_example
from holdback.tools.lint.coverage_gaps import coverage_gaps
from holdback.tools.lint.table_gaps import table_findings
from holdback.tools.mutants.equivalence import distinguishing_deals

_PROGRESS: Final = "progress"
# Bounds the cost of a check: further versions of rules are not tested for a constant answer.
MAX_RULES_TESTED: Final = 500
# A new id that shares this many tenths of its letters with an inherited one is probably a typo.
_SIMILAR_TENTHS: Final = 9


def findings(jurisdictions: Jurisdictions, on: date | None = None) -> Iterator[ErrorDetail]:
    """Yield the findings in *jurisdictions*, all of which can be read; *on* is the current day."""
    reported = set[ErrorDetail]()
    for jurisdiction in jurisdictions:
        new = in_order(_findings_in(jurisdiction, jurisdictions, on))
        # A finding in a parent's file also comes up in its children.
        yield from (finding for finding in new if finding not in reported)
        reported.update(new)
    yield from _shared_codes(jurisdictions)


def in_order(errors: Iterable[ErrorDetail]) -> list[ErrorDetail]:
    """Return the distinct *errors* in the order of files and lines."""
    return sorted(
        dict.fromkeys(errors),
        key=lambda error: (error.file or "", error.line or 0, error.column or 0),
    )


def _findings_in(
    jurisdiction: Jurisdiction, jurisdictions: Jurisdictions, on: date | None
) -> Iterator[ErrorDetail]:
    yield from _unused(jurisdiction, jurisdictions)
    yield from _unread_values(jurisdiction, jurisdictions)
    yield from _unused_prices(jurisdiction, jurisdictions)
    yield from _rules_below_products(jurisdiction)
    yield from _misspelled_overrides(jurisdiction)
    yield from _useless_switch_offs(jurisdiction)
    yield from _overdue_review(jurisdiction, on)
    yield from _constant_rules(jurisdiction)
    yield from table_findings(jurisdiction)
    yield from _floor_suffices(jurisdiction)
    yield from never_accepted(jurisdiction)
    unbound = list(unpriceable(jurisdiction))
    yield from unbound
    yield from evidence_from_the_future(jurisdiction)
    # Without its calculators no example of a product can run, and every answer would be a gap.
    if not unbound:
        runs = [run_or_error(jurisdiction, example) for example in jurisdiction.examples]
        yield from failing_examples(jurisdiction, runs)
        ran = [run for run in runs if isinstance(run, ExampleRun)]
        yield from coverage_gaps(jurisdiction, jurisdictions, ran)


def _unused(jurisdiction: Jurisdiction, jurisdictions: Jurisdictions) -> Iterator[ErrorDetail]:
    """Yield own parameters and facts that nothing reads, here or in a child."""
    read = set[str]()
    for descendant in jurisdictions:
        if jurisdiction.policy.own in descendant.policy.layers:
            for rule, _ in distinct_rules(descendant):
                read.update(rule.checked.names, rule.checked.parameters)
            read.update(facts_of_prices(descendant))
    hint = "leave it out, or write the rule that needs it"
    for name, parameter in jurisdiction.policy.own_parameters.items():
        if name not in read:
            yield ErrorDetail(
                code="no_effect",
                message=f"no rule reads the parameter `{name}`",
                hint=hint,
                **parameter.node.position(key=True),
            )
    facts = jurisdiction.details.node.entries().get("facts")
    for name, node in ({} if facts is None else facts.entries()).items():
        if name not in read:
            yield ErrorDetail(
                code="no_effect",
                message=f"no rule reads the fact `{name}`",
                hint=hint,
                **node.position(key=True),
            )


def _unread_values(
    jurisdiction: Jurisdiction, jurisdictions: Jurisdictions
) -> Iterator[ErrorDetail]:
    """Yield values of own parameters on whose days no rule reads them, and no claim."""
    readers: dict[str, list[SourceRule | StatedClaim]] = {}
    for descendant in jurisdictions:
        if jurisdiction.policy.own in descendant.policy.layers:
            for rule, _ in distinct_rules(descendant):
                for name in rule.checked.parameters:
                    readers.setdefault(name, []).append(rule.origin)
            for claim in (claim for layer in descendant.policy.layers for claim in layer.claims):
                for name in () if claim.tree is None else claim.tree.names:
                    readers.setdefault(name, []).append(claim)
    for name, parameter in jurisdiction.policy.own_parameters.items():
        rules = [reader for reader in readers.get(name, ()) if isinstance(reader, SourceRule)]
        for entry in parameter.timeline.entries if rules else ():
            if not any(reader.period.overlaps(entry.period) for reader in readers[name]):
                yield _unread_value(parameter, entry, [rule.period.end for rule in rules])


def _unread_value(
    parameter: SourceParameter, entry: TimelineEntry[int], ends: Collection[date | None]
) -> ErrorDetail:
    """Return the finding of the value *entry*; *ends* are those of the rules that read others."""
    start, end = entry.period.start, entry.period.end
    over = [day for day in ends if day is not None and day <= start]
    since = f"; the last that did ends on {max(over)}" if len(over) == len(ends) else ""
    assert entry.node is not None, "it was read from a file"
    return ErrorDetail(
        code="no_effect",
        message=f"no rule reads `{parameter.name}` from {start} "
        f"{'on' if end is None else f'until {end}'}, when it is "
        f"{parameter.type.show(entry.value)}{since}",
        hint="leave the value out, or let a rule of these days read it",
        **entry.node.entries()["value"].position(),
    )


def facts_of_prices(jurisdiction: Jurisdiction) -> Iterator[str]:
    """Yield the names of facts that its prices depend on: those of settings `on`, and of tables."""
    for product in jurisdiction.policy.products:
        for choice in product.calculators.values():
            name = choice.settings.get("on")
            if isinstance(name, str):
                yield name
    for layer in jurisdiction.policy.layers:
        for table in layer.tables:
            yield from table.facts if table.results else ()


def _unused_prices(
    jurisdiction: Jurisdiction, jurisdictions: Jurisdictions
) -> Iterator[ErrorDetail]:
    """Yield the columns of own tables that no product is priced by, here or in a child."""
    read = {
        (choice.table["id"], choice.table["result"])
        for descendant in jurisdictions
        if jurisdiction.policy.own in descendant.policy.layers
        for rulebook in descendant.slices
        for terms in rulebook.products
        for choice in terms.calculators
        if choice.table is not None
    }
    for table in jurisdiction.policy.own.tables:
        for result in table.results:
            if (table.id, result) not in read:
                yield ErrorDetail(
                    code="no_effect",
                    message=f"no product reads the column `{result}` of the table `{table.id}`",
                    hint=f'a product does with `calculator = "table", table = "{table.id}"`',
                    **table.table["columns"].position(),
                )


def _misspelled_overrides(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """Yield new rules of a child whose id is nearly an inherited one: they add, not replace."""
    *inherited, own = jurisdiction.policy.layers
    ids = {rule.id for layer in inherited for rule in layer.rules_by_id}
    for rule in own.rules_by_id:
        similar = [inherited_id for inherited_id in sorted(ids) if _similar(rule.id, inherited_id)]
        if rule.id not in ids and similar:
            yield ErrorDetail(
                code="misleading",
                message=f"`{rule.id}` is new here, and `{similar[0]}` is inherited",
                hint=f"to replace that rule, name this one `{similar[0]}`; else give it another id",
                **rule.table["id"].position(),
            )


def _rules_below_products(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """Yield own rules of all products that stand where the rules of the product before stand."""
    own = jurisdiction.policy.own
    first = min((product.table.node.line or 0 for product in own.products), default=0)
    for rule in own.shared:
        if not rule.products and 0 < first < (rule.line or 0):
            yield ErrorDetail(
                code="misleading",
                message=f"the rule `{rule.id}` is of all products, and stands below `[[products]]`",
                hint="move it above the products; write `[[products.rules]]` for a rule of one "
                "product, or name the `products` that it is of",
                **rule.table["id"].position(),
            )


def _similar(first: str, second: str) -> bool:
    """Return whether nine tenths of the letters of two names are the same, in the same order."""
    blocks = difflib.SequenceMatcher(None, first, second).get_matching_blocks()
    same = 2 * sum(block.size for block in blocks)
    return same * 10 >= (len(first) + len(second)) * _SIMILAR_TENTHS


def _useless_switch_offs(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """Yield what is switched off on days on which it is not inherited, or switched off twice."""
    policy, seen = jurisdiction.policy, set[tuple[str, str, str | None, Period]]()
    # A switch-off has an effect on a day on which the parents have the name, and this folder not.
    parents = evolve(policy, layers=policy.layers[:-1]) if len(policy.layers) > 1 else policy
    for switch_off in policy.own.switched_off:
        changes = [rulebook.since for rulebook in jurisdiction.slices]
        if switch_off.kind == CLAIM:  # with a claim no rulebook changes
            claims = (claim for layer in parents.layers for claim in layer.claims)
            changes += [switch_off.period.start, *(claim.period.start for claim in claims)]
        days = [day for day in changes if day in switch_off.period]
        has_effect = any(
            parents.places_of(switch_off, day) - policy.places_of(switch_off, day) for day in days
        )
        key = (switch_off.kind, switch_off.name, switch_off.product, switch_off.period)
        if not has_effect or key in seen:
            yield ErrorDetail(
                code="no_effect",
                message=f"this switch-off has no effect: on its days the {switch_off.kind} "
                f"`{switch_off.name}` is not inherited, or this folder replaces it",
                hint="leave it out, or correct its `from` and `until`",
                **switch_off.node.position(),
            )
        seen.add(key)


def _overdue_review(jurisdiction: Jurisdiction, on: date | None) -> Iterator[ErrorDetail]:
    details = jurisdiction.details
    if on is not None and details.review_by < on:
        yield ErrorDetail(
            code="overdue",
            message=f"the review was due by {details.review_by}",
            hint=f"ask {details.owner} to review the files and move `review_by`",
            **details.node.entries()["review_by"].position(),
        )


def _constant_rules(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """Yield own rules that are never in force, or have one answer for every deal."""
    in_force, naming = set[SourceRule](), dict[SourceRule, Rule]()
    for number, (rule, renewal) in enumerate(distinct_rules(jurisdiction)):
        source: SourceRule = rule.origin
        in_force.add(source)
        if number >= MAX_RULES_TESTED or source.jurisdiction != jurisdiction.code:
            continue
        deals = distinguishing_deals([rule.checked], above_floor=renewal)
        yield from _misleading_reason(rule, deals or [])
        if rule.unread_parameters:
            naming[source] = rule
        if deals is None:
            continue
        answers = {interpret(rule.checked, facts) for facts in deals}
        # A rule that no deal makes false is true of every one, and the other way round.
        for answer, word in ((False, "true"), (True, "false")):
            if answer not in answers:
                about = "deal that is assessed" if renewal else "application"
                yield ErrorDetail(
                    code="no_effect",
                    message=f"the rule `{source.id}` is {word} of every {about}",
                    hint="it decides nothing"
                    + ("; below 50% paid down no deal is assessed" if renewal else ""),
                    **source.table["require"].position(),
                )
    yield from _unread_parameters(list(naming.values()))
    for source in jurisdiction.policy.own.all_rules:
        if source not in in_force:
            yield ErrorDetail(
                code="no_effect",
                message=f"the rule `{source.id}` is never in force",
                hint="a rule without a day between `from` and `until` decides nothing",
                **source.table["id"].position(),
            )


def _misleading_reason(rule: Rule, deals: list[Facts]) -> Iterator[ErrorDetail]:
    """
    Yield facts in a reason that may be unknown.

    They may be when the rule declines one of *deals*, which distinguish its answers.
    """
    source: SourceRule = rule.origin
    catalogue, node = rule.checked.catalogue, source.table["reason"]
    declined = [facts for facts in deals if interpret(rule.checked, facts) is False]
    for match in PLACEHOLDER.finditer(rule.reason):
        fact = catalogue.fact(match[1])
        if fact is not None and any(
            facts[catalogue.place(fact.name)] is None for facts in declined
        ):
            yield ErrorDetail(
                code="misleading",
                message=f"a merchant may read that `{fact.name}` is unknown: the rule can be "
                "false without it",
                hint="make two rules of it, each with a sentence of its own",
                **node.position_of_part(match.span()),
            )


def _unread_parameters(rules: Sequence[Rule]) -> Iterator[ErrorDetail]:
    """Yield the parameters that the reasons of *rules* name and do not read, swapped ones once."""
    partners = [_partner(rule, rules) for rule in rules]
    for place, (rule, partner) in enumerate(zip(rules, partners, strict=True)):
        node = rule.origin.table["reason"]
        if partner is None or partners[partner] != place:
            places = {match[1]: match.span() for match in PLACEHOLDER.finditer(rule.reason)}
            for name in (name for name in places if name in rule.unread_parameters):
                yield ErrorDetail(
                    code="misleading",
                    message=f"the sentence names `{name}`, which the rule does not read",
                    hint="name the parameter that the rule reads",
                    **node.position_of_part(places[name]),
                )
        elif place < partner:
            yield ErrorDetail(
                code="misleading",
                message=f"the reasons of `{rule.id}` and `{rules[partner].id}` are swapped: each "
                "names what the other rule reads",
                hint="give each rule the other's reason",
                **node.position(),
            )


def _partner(rule: Rule, rules: Sequence[Rule]) -> int | None:
    """Return the place of the first of *rules* that reads what *rule* names, and the reverse."""
    for place, partner in enumerate(rules):
        there, here = {*partner.checked.parameters}, {*rule.checked.parameters}
        if rule.unread_parameters <= there and partner.unread_parameters <= here:
            return place
    return None


def _floor_suffices(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """
    Yield the first days on which no rule can decline a deal above the floor.

    INVARIANT: reaching the floor alone never makes a deal eligible (decisions/three-ideas). The
    reader checks that a declining rule reads another fact; here its answer must also be able to be
    false.
    """
    declines: dict[Rule, bool] = {}
    lacking: Rulebook | None = None  # the first rulebook without a rule that can decline
    for rulebook in jurisdiction.slices:
        for rule in rulebook.renewal.rules:
            if rule not in declines:
                declines[rule] = _can_decline(rule)
            if declines[rule]:
                if lacking is not None:  # the days without such a rule end here
                    yield _floor_finding(jurisdiction, lacking, rulebook.since, rule)
                    return
                break
        else:
            lacking = lacking or rulebook
    if lacking is not None:
        yield _floor_finding(jurisdiction, lacking)


def _floor_finding(
    jurisdiction: Jurisdiction,
    lacking: Rulebook,
    until: date | None = None,
    rule: Rule | None = None,
) -> ErrorDetail:
    """
    Return the finding that no rule can decline from the *lacking* rulebook on.

    It ends on the day *until*, from which *rule* can; both are None where no later rule can.
    """
    days = f"from {lacking.since} {'on' if until is None else f'until {until}'}"
    return ErrorDetail(
        code="missing",
        message=f"{days}, no rule can decline a deal at the 50% floor for anything but "
        f"`{_PROGRESS}`",
        hint="add a rule that can decline a deal that is half paid down"
        if rule is None
        else f"let `{rule.id}`, which can from {until} on, begin on {lacking.since}",
        **jurisdiction.policy.rules_node.position(key=True),
    )


def _can_decline(rule: Rule) -> bool:
    """Return whether *rule* declines some deal at the floor for more than its progress."""
    if rule.otherwise != DECLINE or not set(rule.checked.names) - {_PROGRESS}:
        return False
    deals = distinguishing_deals([rule.checked], above_floor=True)
    return deals is None or any(interpret(rule.checked, facts) is False for facts in deals)


def unpriceable(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """Yield calculators that do not exist, or do not accept their settings."""
    try:
        priceable_products(jurisdiction.slices, {}, lambda code, key: f"{code}/{key}")
    except ConfigurationError as error:
        yield from error.errors


def _shared_codes(jurisdictions: Jurisdictions) -> Iterator[ErrorDetail]:
    """Yield codes that two jurisdictions use for rules of their own."""
    first: dict[str, SourceRule] = {}
    for jurisdiction in jurisdictions:
        for rule in jurisdiction.policy.own.all_rules:
            before = first.setdefault(rule.code, rule)
            if before.jurisdiction != rule.jurisdiction:
                yield ErrorDetail(
                    code="duplicate",
                    message=f"`{rule.code}` is the code of a rule of `{before.jurisdiction}`",
                    hint="a code is never used again, in any jurisdiction",
                    **rule.table["code"].position(),
                )


# -- Findings in the examples of a jurisdiction: failing, contradictory, or with future evidence.

_CHECKED: Final = "credit_checked_on"


def failing_examples(
    jurisdiction: Jurisdiction, runs: Iterable[ExampleRun | ErrorDetail]
) -> Iterator[ErrorDetail]:
    """Yield examples that cannot run, fail, contradict another one, or share a name."""
    alike: dict[object, list[ExampleRun]] = {}
    lines: dict[tuple[str, str], int | None] = {}
    failed: list[ExampleRun] = []
    for run in runs:
        if isinstance(run, ErrorDetail):
            yield run
            continue
        example = run.example
        place: dict[str, Any] = {"file": example.file, "line": example.line}
        first = lines.setdefault((example.file, example.name), example.line)
        # One example with `from` runs on several days: same name and same line.
        if first != example.line:
            yield ErrorDetail(
                code="duplicate",
                message=f"there is an example `{example.name}` already, on line {first}",
                hint="rename one of them",
                **place,
            )
        earlier = alike.setdefault(_question(jurisdiction, example), [])
        before = next((before for before in earlier if _contradict(before, run)), None)
        earlier.append(run)
        if before is not None:
            failed = [failing for failing in failed if failing is not before]
            yield ErrorDetail(
                code="contradiction",
                message=f"`{example.name}` contradicts the example `{before.example.name}` on line "
                f"{before.example.line}: the same facts, and another answer",
                hint="one of the two is wrong",
                **place,
            )
        elif not run.passed:
            failed.append(run)
    yield from _failed(failed)


# Of the examples that fail for one cause, the lines of at most five are named.
_MOST_LINES: Final = 5


def _failed(runs: Sequence[ExampleRun]) -> Iterator[ErrorDetail]:
    """
    Yield the examples that fail, once for each cause.

    The cause is the code, or the missing fact, that is expected or given in one answer alone; of
    several it is the one in which most examples differ.
    """
    counts = Counter(name for run in runs for name in run.differing)
    by_cause: dict[object, list[ExampleRun]] = {}
    for run in runs:
        cause: object = max(sorted(run.differing), key=counts.__getitem__, default=None)
        if cause is None and not _has_other_terms(run):
            cause = (run.example.file, run.example.line)
        by_cause.setdefault(cause or run.example.product, []).append(run)
    for cause, failing in by_cause.items():
        first = failing[0]
        message, hint = _failure(first), "`holdback test` shows the facts and every rule's answer"
        # An example with `from` runs on several days.
        _, *lines = dict.fromkeys(str(run.example.line) for run in failing)
        if lines:
            about = f", all about `{cause}`" if first.differing else ""
            message = f"{1 + len(lines)} examples fail{about}; the first: {message}"
            more = [f"{len(lines) - _MOST_LINES} more"] if len(lines) > _MOST_LINES else []
            hint = f"the others are on lines {in_words([*lines[:_MOST_LINES], *more])}; {hint}"
        yield ErrorDetail(
            code="failed_example",
            message=message,
            hint=hint,
            file=first.example.file,
            line=first.example.line,
        )


def _has_other_terms(run: ExampleRun) -> bool:
    """Return whether only offers or limits are not as expected."""
    return run.expected.outcome == run.got.outcome and not run.difference


def _failure(run: ExampleRun) -> str:
    """Return what *run* expects, and what the rules give."""
    difference = f": {run.difference}" if run.difference else ""
    if _has_other_terms(run):
        difference = " with other offers or limits"
    return (
        f"the example `{run.example.name}` expects `{run.expected.outcome}`"
        f"{_because(run.expected)}, and on {run.example.on} the rules give "
        f"`{run.got.outcome}`{_because(run.got)}{difference}"
    )


def evidence_from_the_future(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """Yield the examples whose credit check is dated later than their own day."""
    fact = jurisdiction.policy.catalogue.fact(_CHECKED)
    assert fact is not None, "it is built in"
    for example in jurisdiction.examples:
        number = fact.read(example.given.get(_CHECKED))
        if number is not None and number > example.on.toordinal():
            yield ErrorDetail(
                code="future_day",
                message=f"the credit check of `{example.name}` is dated after the example's day, "
                f"{example.on}",
                hint="a service refuses evidence from the future: give an earlier day",
                file=example.file,
                line=example.line,
            )


def run_or_error(jurisdiction: Jurisdiction, example: Example) -> ExampleRun | ErrorDetail:
    """Return the run of *example*, or the finding that it cannot run."""
    try:
        return run_example(example, jurisdiction.rulebook_for(example))
    except (InvalidDocument, ConfigurationError, ValueError) as error:
        return ErrorDetail(
            code="failed_example",
            message=f"the example `{example.name}` cannot be run: {error}",
            file=example.file,
            line=example.line,
        )


def _question(jurisdiction: Jurisdiction, example: Example) -> object:
    """Return what *example* asks: two examples with the same question must expect the same."""
    about = "settings" if example.of_settings else example.product
    # Prepared facts are the same however they are written.
    if example.of_disclosures:
        return about, example.on, jurisdiction.disclosures[0].catalogue.prepare(example.given)
    facts = jurisdiction.rulebook(example.on).catalogue.prepare(example.given)
    settlement = sorted((example.settlement or {}).items())
    return about, example.on, example.settles, str(settlement), facts


def _contradict(first: ExampleRun, second: ExampleRun) -> bool:
    """Return whether two examples with the same question state different answers."""
    if first.passed and second.passed:
        return False
    stated = _stated(second)
    return any(value != stated.get(key, value) for key, value in _stated(first).items())


def _stated(run: ExampleRun) -> dict[object, object]:
    """Return what the example of *run* states of its answer, part by part."""
    expected, expect = run.expected, run.example.expect
    if run.example.of_settings:
        stated: dict[object, object] = {key: expect[key] for key in expect if key != MAX_AGES}
        ages = expect.get(MAX_AGES, {})
        return stated | {(MAX_AGES, name): age for name, age in ages.items()}
    stated = {"outcome": expected.outcome}
    for name in ("codes", "needs"):
        # Of a product, what is left out may be the service's own.
        if name in expect or run.example.product in {None, FUNDING, DISCLOSURES}:
            stated[name] = getattr(expected, name)
    stated |= {("limits", name): value for name, value in (expected.limits or {}).items()}
    if expected.offers is not None:
        stated["offers"] = len(expected.offers)
        for place, offer in enumerate(expected.offers):
            stated |= {(place, name): value for name, value in offer.items()}
    return stated


def _because(answer: Answer) -> str:
    why = [*answer.codes, *(f"needs {name}" for name in answer.needs)]
    return f" ({', '.join(why)})" if why else ""


# -- Findings in products: rules that no initial application can satisfy.


def distinct_rules(jurisdiction: Jurisdiction) -> Iterator[tuple[Rule, bool]]:
    """
    Yield every rule that is in force on some day, and whether it is a renewal rule.

    A rule comes once for each combination of values of its parameters.
    """
    seen = set[Rule]()
    for rulebook in jurisdiction.slices:
        for product, rule_set in rulebook.rulesets.items():
            for rule in rule_set.rules:
                if rule not in seen:
                    seen.add(rule)
                    yield rule, product is None


def never_accepted(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """
    Yield own rules of products that are never true in an initial application.

    The facts that only a deal has are unknown there; of any other comparison it is assumed that it
    can be true, and that it can be false. So a rule that is reported is never true for certain.
    """
    reported = set[SourceRule]()
    for rule, renewal in distinct_rules(jurisdiction):
        source: SourceRule = rule.origin
        if renewal or source.jurisdiction != jurisdiction.code or source in reported:
            continue
        of_deals = {fact.name for fact in rule.checked.catalogue.facts if fact.of is not None}
        unknown = [name for name in rule.checked.names if name in NEVER_INITIAL | of_deals]
        places = {rule.checked.catalogue.place(name) for name in unknown}
        if unknown and not _can_be(rule.checked.tree, places, truth=True):
            reported.add(source)
            listed = " and ".join(f"`{name}`" for name in unknown)
            yield ErrorDetail(
                code="no_effect",
                message=f"the rule `{source.id}` is never true in an initial application, where "
                f"{listed} is unknown: the product is then never accepted",
                hint="a rule about a deal belongs in `renewal.toml`; here read what every "
                "application has, such as `deals_defaulted`",
                **source.table["require"].position(),
            )


def _can_be(node: Node, unknown: Collection[int], *, truth: bool) -> bool:
    """Return whether *node* can have the value *truth* while the facts *unknown* have no value."""
    if isinstance(node, Constant):
        return bool(node.number) is truth
    if isinstance(node, Operation) and OPERATORS[node.operator].role is Role.LOGIC:
        if node.operator == "not":
            return _can_be(node.operands[0], unknown, truth=not truth)
        parts = (_can_be(operand, unknown, truth=truth) for operand in node.operands)
        # All parts make an `and` true, or an `or` false; one part makes the opposite.
        return all(parts) if (node.operator == "and") is truth else any(parts)
    return not any(isinstance(leaf, FactRead) and leaf.place in unknown for leaf in leaves(node))
