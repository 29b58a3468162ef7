"""What is right in each part of a folder and wrong in the whole: its cost, its names, its claims.

The cost of reading is bounded before the work is done: every rule may mean something else on every
date of change, and an example may run on all of them. The bounds are on counts, not on seconds, so
a folder that is accepted here is accepted everywhere (decisions/bounds). A name may recur only in
successive versions of the same rule or product. A stated claim is checked in every slice in which
it holds, and against the layers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from attrs import define, field

from holdback.eligibility.facts import BUILT_IN_FACTS, CHECKS
from holdback.errors import RuleError, did_you_mean, excerpt
from holdback.jurisdictions.keys import CLAIM, add_rule_error
from holdback.jurisdictions.overlay import Draft, Layer, Policy
from holdback.jurisdictions.source_rules import SourceProduct, SourceRule
from holdback.jurisdictions.source_tables import SourceTable
from holdback.jurisdictions.stated_claims import StatedClaim
from holdback.jurisdictions.timeline import Period
from holdback.jurisdictions.toml import Node
from holdback.rulebooks.rulebook import FUNDING, check_with_age
from holdback.rules import Catalogue
from holdback.rules.types import draft_label


@define(eq=False)
class ClaimCheck:
    """
    Checks the claims of *draft*, adding errors, and keeps those that hold on some day.

    *complete* says whether the folder had no error before: with one, what a claim names may be
    what is wrong.
    """

    draft: Draft
    complete: bool
    claims: dict[StatedClaim, None] = field(factory=dict, init=False)
    _checked: set[object] = field(factory=set, init=False)
    _reported: set[StatedClaim] = field(factory=set, init=False)

    def names(self) -> None:
        """Add an error for a product, a switched-off claim or a name that does not exist."""
        *inherited, own = self.draft.policy.layers
        keys = dict.fromkeys(product.key for product in self.draft.policy.products)
        earlier = list[StatedClaim]()
        for claim in own.claims:
            if self.complete and claim.product not in (None, FUNDING, *keys):
                claim.table["product"].one_of(keys, "product")
            if any(_is_again(claim, before) for before in earlier):
                claim.table.node.add_error(
                    "duplicate",
                    f"there is a claim `{excerpt(claim.name)}` on these days already",
                    "give it another `name`, or leave it out",
                    key=True,
                )
            earlier.append(claim)
        names = [claim.name for layer in inherited for claim in layer.claims]
        for switch_off in own.switched_off:
            if switch_off.kind == CLAIM and switch_off.name not in names:
                switch_off.node.add_error(
                    "unknown_name",
                    f"there is no claim `{excerpt(switch_off.name)}` to inherit",
                    did_you_mean(switch_off.name, names),
                )

    def slice(self, period: Period, catalogue: Catalogue, offered: Collection[str]) -> None:
        """Check the claims of the days of *period*, on which the products *offered* are offered."""
        for claim in self.draft.policy.claims_in(period):
            self.claims[claim] = None
            absent = claim.product not in (None, FUNDING, *offered)
            if claim.tree is None or absent or claim in self._reported:
                continue
            values = (catalogue.parameters.get(name) for name in claim.tree.names)
            key = (claim, *(None if value is None else value.number for value in values))
            if key in self._checked:
                continue
            self._checked.add(key)
            try:
                claim.checked(catalogue)
            except RuleError as error:
                self._reported.add(claim)
                wrong = error_on(error, self.draft, catalogue, period.start)
                if wrong is not None:
                    self._add(claim, wrong)

    def _add(self, claim: StatedClaim, error: RuleError) -> None:
        """Add *error* of *claim*, to the child's file where it is inherited."""
        if claim.jurisdiction == self.draft.policy.code:
            add_rule_error(claim.table[claim.kind], error)
        elif self.complete:
            place = f"{claim.file}:{claim.line}"
            self.draft.file_node.add_error(
                "invalid_rule",
                f"the inherited claim `{excerpt(claim.name)}` ({place}): {error.message}",
                "state a claim of this name here, or switch it off, as `{ claim, reason }`",
                key=True,
            )


def _is_again(claim: StatedClaim, before: StatedClaim) -> bool:
    """Return whether both have the same name on the same day, about the same product."""
    same = (claim.product, claim.name) == (before.product, before.name)
    return same and claim.period.overlaps(before.period)


def error_on(error: RuleError, draft: Draft, catalogue: Catalogue, day: date) -> RuleError | None:
    """
    Return *error* in the words for its author: of an expression of *draft*, with *catalogue*.

    None where the name that it is about has an error of its own: the expression may be right.
    """
    name = error.source[error.start : error.end]
    if name in draft.invalid_names:
        return None
    if name in draft.policy.parameters and name not in catalogue.parameters:
        error = _with_hint(
            error,
            f"the parameter `{name}` has no value on {day}",
            "let its timeline begin with the rule",
        )
    check_name = check_with_age(name)
    if check_name in CHECKS or catalogue.fact(check_name) is not None:
        hint = f"write `[checks.{check_name}]` in `jurisdiction.toml`"
        error = _with_hint(error, f"the age `{name}` is not a fact yet", hint)
    return error


def _with_hint(error: RuleError, message: str, hint: str) -> RuleError:
    """Return *error* with another *message* and *hint*."""
    return RuleError(
        message,
        source=error.source,
        start=error.start,
        end=error.end,
        stage=error.stage,
        hint=hint,
    )


# More dates of change than a policy has in decades.
MAX_CHANGES: Final = 400
# Rules, parameters, switch-offs and claims, times dates of change.
MAX_DEFINITIONS: Final = 8_000
# Parts of rules and claims, times the dates of change on which they hold.
MAX_PARTS: Final = 60_000
# Examples, times the days on which they run.
MAX_EXAMPLE_DAYS: Final = 20_000


def within_cost(policy: Policy, changes: Sequence[date], invalid_parameters: int) -> bool:
    """
    Return whether *policy* may be resolved on its dates of *changes*, adding an error if not.

    The dates are in order. *invalid_parameters* are in the folder and not in the policy.
    """
    if len(changes) > MAX_CHANGES:
        policy.rules_node.add_error(
            "too_large", f"there are more than {MAX_CHANGES} dates of change", key=True
        )
        return False
    return _few_definitions(policy, len(changes), invalid_parameters) and _small_rules(
        policy, changes
    )


def _few_definitions(policy: Policy, changes: int, invalid_parameters: int) -> bool:
    layers = policy.layers
    counts = {
        "rules": sum(len(layer.all_rules) for layer in layers),
        "parameters": len(policy.parameters) + invalid_parameters,
        "switch-offs": sum(len(layer.switched_off) for layer in layers),
        "claims": sum(len(layer.claims) for layer in layers),
    }
    if sum(counts.values()) * changes <= MAX_DEFINITIONS:
        return True
    listed = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
    policy.rules_node.add_error(
        "too_large",
        f"{listed}, looked up on each of {changes} dates of change, are more than "
        f"{MAX_DEFINITIONS} in all",
        "merge dates of change, or split the folder",
        key=True,
    )
    return False


def _small_rules(policy: Policy, changes: Sequence[date]) -> bool:
    parts: list[SourceRule | StatedClaim] = []
    for layer in policy.layers:
        parts += [*layer.all_rules, *layer.claims]
    costs = {part: part.parts * _days_in_force(part.period, changes) for part in parts}
    total = sum(costs.values())
    if total <= MAX_PARTS:
        return True
    dearest = max(costs, key=lambda part: costs[part])
    name = dearest.id if isinstance(dearest, SourceRule) else dearest.name
    policy.rules_node.add_error(
        "too_large",
        f"the parts of the rules, checked on each of {len(changes)} dates of change, are {total}",
        f"at most {MAX_PARTS}: merge dates of change, or shorten `{excerpt(name)}`, which has "
        f"{dearest.parts} parts on {_days_in_force(dearest.period, changes)} dates",
        key=True,
    )
    return False


def _days_in_force(period: Period, changes: Sequence[date]) -> int:
    """Return the number of *changes*, which are in order, in *period*."""
    end = len(changes) if period.end is None else bisect_left(changes, period.end)
    return max(0, end - bisect_left(changes, period.start))


def add_uniqueness_errors(layers: Iterable[Layer]) -> None:
    """Add an error for every key, id and code in the last of *layers* that is already used."""
    *inherited, own = layers
    _check_products(own.products)
    _check_tables(own.tables)
    first: dict[str, tuple[str, SourceRule]] = {}
    for layer in inherited:
        for product, rule in _rules_by_product(layer):
            first.setdefault(rule.code, (product, rule))
    _check_rules(own, first)


def _rules_by_product(layer: Layer) -> list[tuple[str, SourceRule]]:
    """Return every rule of *layer* with the key of its product, "" for one that has none."""
    return [("", rule) for rule in layer.rules_by_id] + [
        (product.key, rule)
        for product in layer.products
        for rule in (*product.rules, *product.offer_rules)
        if product.key
    ]


def _check_products(products: Iterable[SourceProduct]) -> None:
    """Add an error for every product that is offered while another one has its key."""
    versions: dict[str, list[SourceProduct]] = {}
    for product in products:
        if not product.key:
            continue  # its key is invalid and has its error
        earlier = versions.setdefault(product.key, [])
        if any(product.period.overlaps(version.period) for version in earlier):
            product.table["key"].add_error(
                "duplicate",
                f"there is a product `{product.key}` on these days already",
                "a product that changes ends with `until` where the next version begins",
            )
        earlier.append(product)


def _check_tables(tables: Sequence[SourceTable]) -> None:
    """Add an error for every table that is in force while another one has its id."""
    for place, table in enumerate(tables):
        same = (before for before in tables[:place] if before.id == table.id)
        if any(before.period.overlaps(table.period) for before in same):
            table.table["id"].add_error(
                "duplicate",
                f"there is a table `{table.id}` on these days already",
                "a table that changes ends with `until` where the next version begins",
            )


def _check_rules(own: Layer, first: dict[str, tuple[str, SourceRule]]) -> None:
    """
    Add an error for every id and code that two rules share, or that has two versions on a day.

    *first* has the first rule with each code and the key of its product. Codes appear in decision
    records, so that a code is not used again even after its rule was retired.
    """
    versions: dict[tuple[str, str], list[SourceRule]] = {}
    for product, rule in _rules_by_product(own):
        first_product, first_rule = first.setdefault(rule.code, (product, rule))
        earlier = versions.setdefault((product, rule.id), [])
        overlapped = next(
            (version for version in earlier if rule.period.overlaps(version.period)), None
        )
        if overlapped is not None and overlapped.code != rule.code:
            rule.table["id"].add_error(
                "duplicate",
                f"there is a rule `{rule.id}` already, on line {overlapped.line}",
                "give one of them another id; only versions of one rule share it, and their code",
            )
        elif (first_product, first_rule.id) != (product, rule.id):
            rule.table["code"].add_error(
                "duplicate",
                f"`{rule.code}` is the code of the rule `{first_rule.id}`",
                "a rule of several products is written once, as `[[rules]]`"
                if first_product and first_rule.id == rule.id
                else "a code is never used again",
            )
        elif earlier and earlier[0].code != rule.code:
            rule.table["code"].add_error(
                "contradiction",
                f"the rule `{rule.id}` has the code `{earlier[0].code}`",
                "its versions keep its code",
            )
        elif overlapped is not None:
            rule.table["id"].add_error(
                "duplicate",
                f"there is a rule `{rule.id}` on these days already, on line {overlapped.line}",
                "a rule that changes ends with `until` where the next version begins",
            )
        earlier.append(rule)


def add_shared_rule_errors(policy: Policy, *, complete: bool) -> None:
    """
    Add an error for what is wrong between the products of *policy* and its own shared rules.

    *complete* says whether the folder had no error before: with one, the product that a rule names
    may be what is wrong.
    """
    of_products: list[SourceRule | SourceTable] = [*policy.own.shared]
    # A table without a rule has only prices.
    of_products += [it for it in policy.own.tables if it.products is not None and not any(it.rules)]
    for part in of_products:
        names = part.table["products"]
        if names.value == []:
            names.add_error("missing", "expected at least one", "leave it out for all products")
        for name in names.elements() if complete else ():
            _check_shared_by(policy, part, name)
    for product in policy.own.products:
        shared = {rule.id: rule for rule in policy.own.shared if rule.is_shared_by(product.key)}
        for rule in product.rules:
            if rule.id in shared and rule.period.overlaps(shared[rule.id].period):
                rule.table["id"].add_error(
                    "duplicate",
                    f"`{product.key}` has a rule `{rule.id}` already, on line "
                    f"{shared[rule.id].line}",
                    "give one of them another id, or let the `products` of that one leave "
                    f"`{product.key}` out",
                )


def _check_shared_by(policy: Policy, rule: SourceRule | SourceTable, name: Node) -> None:
    """Add an error unless *name* is that of a product which is offered on a day of *rule*."""
    periods = [product.period for product in policy.products if product.key == name.value]
    if not periods:
        name.one_of(dict.fromkeys(product.key for product in policy.products), "product")
    elif not any(rule.period.overlaps(period) for period in periods):
        name.add_error(
            "no_effect",
            f"`{name.value}` is offered on no day of this rule",
            "leave it out, or correct the `from` and `until` of the rule",
        )


def add_label_errors(policy: Policy, root: Node) -> None:
    """
    Add an error for everything in the own folder of *policy* that is called like something else.

    *root* is that of its `jurisdiction.toml`. Labels are compared without regard to case. Drafted
    labels are only compared with those that files give: no folder without labels is wrong.
    """
    given, own = dict(_given(policy)), _own_nodes(policy, root)
    names = [*(fact.name for fact in policy.catalogue.facts), *policy.parameters]
    labels = {fact.name: fact.label for fact in policy.catalogue.facts}
    taken: dict[str, str] = {}
    # Labels of the own folder come last, so that each error is about one of them, and once.
    for name in sorted(names, key=lambda name: (name in own, name in given)):
        label = given.get(name) or labels.get(name) or draft_label(name)
        first = taken.setdefault(label.casefold(), name)
        if first == name or name not in own or not {first, name} & given.keys():
            continue
        where = own[name].entries().get("label", own[name])
        message = f"`{excerpt(label)}` is what `{first}` is called in sentences as well"
        hint = "give one of them another `label`"
        where.add_error("duplicate", message, hint, key=where is own[name])


def _given(policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield the names that have a label in a file, each with it."""
    for fact in policy.catalogue.facts[BUILT_IN_FACTS:]:
        if fact.label is not None:
            yield fact.name, fact.label
    for parameter in policy.parameters.values():
        if parameter.label is not None:
            yield parameter.name, parameter.label


def _own_nodes(policy: Policy, root: Node) -> Mapping[str, Node]:
    """Return the nodes of the facts and parameters of the own folder, by name."""
    tables = root.entries()
    declared = tables["facts"].entries() if "facts" in tables else {}
    names = {fact.name for fact in policy.catalogue.facts[BUILT_IN_FACTS:]}
    facts = {name: node for name, node in declared.items() if name in names}
    return facts | {name: own.node for name, own in policy.own_parameters.items()}
