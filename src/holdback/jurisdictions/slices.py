"""From what is written to rulebooks: the timelines are cut once at every change date.

Every slice is checked when the folder is read, so a rule that will go wrong next year is a fault today.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from attrs import field, frozen

from holdback.errors import RuleError
from holdback.facts import catalogue
from holdback.jurisdictions.identity import rulebook_digest
from holdback.jurisdictions.items import Item
from holdback.jurisdictions.particulars import Particulars
from holdback.jurisdictions.rulebook import ProductTerms, Rulebook
from holdback.jurisdictions.written import Parameters, WrittenProduct, WrittenRule
from holdback.money import Currency
from holdback.rules import Catalogue, Checked, Kind, Parameter, check, implication
from holdback.ruleset import DECLINE, MOST_RULES, PLACEHOLDER, Rule, RuleSet

# What a folder may cost to check: more dates than a policy has in decades, more products than
# anybody chooses from. The rules together are bounded by `MOST_RULES`.
MOST_CHANGES: Final = 400
MOST_PRODUCTS: Final = 20
# Every rule is checked anew in every slice; reading stays a matter of seconds whatever is written.
MOST_CHECKS: Final = 4_000

_PROGRESS: Final = "progress"


@frozen(kw_only=True, eq=False)
class Policy:
    """
    Everything that is written in a folder; `particulars` are None when they are at fault.

    `rules_item` and `products_item` are the lists that the rules and products stand in.
    """

    currency: Currency
    particulars: Particulars | None
    parameters: Parameters
    rules: Sequence[WrittenRule]
    products: Sequence[WrittenProduct]
    rules_item: Item
    products_item: Item

    @property
    def faulty(self) -> bool:
        """Whether anything was noted so far, in any file of the folder."""
        return bool(self.rules_item.document.faults)


def cut(policy: Policy) -> tuple[Rulebook, ...]:
    """
    The rulebooks of *policy*, one from each change date on; what is wrong is noted.

    The first begins with the first renewal rule. Only with faults noted may there be fewer.
    """
    products = [product for product in policy.products if product.key]  # without one it is at fault
    _rule_reuse(policy.rules, products)
    _product_reuse(products)
    for item in (policy.rules_item, policy.products_item):
        if item.value == []:
            item.fault("expected at least one", key=True)
    if not policy.rules:
        return ()
    start = min(rule.period.start for rule in policy.rules)
    _settings_from(start, policy)
    changes = sorted({start, *(day for day in _changes(policy) if day > start)})
    if len(changes) > MOST_CHANGES:
        policy.rules_item.fault(f"there are more than {MOST_CHANGES} dates of change", key=True)
        return ()
    written = len(policy.rules) + sum(len(product.rules) for product in products)
    if len(changes) * written > MOST_CHECKS:
        message = f"{written} rules at {len(changes)} dates of change are more than can be read"
        policy.rules_item.fault(message, f"at most {MOST_CHECKS} together", key=True)
        return ()
    cutter = _Cutter(policy)
    slices = [cutter.slice(day) for day in changes]
    return tuple(each for each in slices if each is not None)


def _changes(policy: Policy) -> Iterator[date]:
    if policy.particulars is not None:
        for _, timeline in policy.particulars.timelines.values():
            yield from timeline.changes
    for parameter in policy.parameters.values():
        if parameter is not None:
            yield from parameter.timeline.changes
    for rule in policy.rules:
        yield from rule.period.changes
    for product in policy.products:
        yield from product.period.changes
        for rule in product.rules:
            yield from rule.period.changes


def _settings_from(start: date, policy: Policy) -> None:
    """Note a setting that has no value on a day with rules."""
    if policy.particulars is None:
        return
    for name, (item, timeline) in policy.particulars.timelines.items():
        if timeline.start > start:
            item.fault(
                f"`{name}` begins on {timeline.start}, and the first rule is in force on {start}",
                f"let it begin on {start}",
            )
        if timeline.end is not None:
            item.fault(
                f"`{name}` has no value from {timeline.end} on", "leave the last `until` out"
            )


def _product_reuse(products: Iterable[WrittenProduct]) -> None:
    """Note every product that is offered while another has its key."""
    versions: dict[str, list[WrittenProduct]] = {}
    for product in products:
        earlier = versions.setdefault(product.key, [])
        if any(product.period.overlaps(each.period) for each in earlier):
            product.keys["key"].fault(
                f"there is a product `{product.key}` on these days already",
                "a product that changes ends with `until` where the next version begins",
            )
        earlier.append(product)


def _rule_reuse(rules: Iterable[WrittenRule], products: Iterable[WrittenProduct]) -> None:
    """
    Note every id and code that is used for two rules, or twice on a day.

    A rule may have several versions, one after the other, that share its id and code; so may the rules
    of a product's versions. Nothing else may.
    """
    owned = [("", rule) for rule in rules]
    owned += [(product.key, rule) for product in products for rule in product.rules]
    first: dict[str, tuple[str, WrittenRule]] = {}
    versions: dict[tuple[str, str], list[WrittenRule]] = {}
    for owner, rule in owned:
        first_owner, first_rule = first.setdefault(rule.code, (owner, rule))
        earlier = versions.setdefault((owner, rule.id), [])
        if (first_owner, first_rule.id) != (owner, rule.id):
            rule.keys["code"].fault(
                f"`{rule.code}` is the code of the rule `{first_rule.id}`",
                "a code is never used again",
            )
        elif earlier and earlier[0].code != rule.code:
            rule.keys["code"].fault(
                f"the rule `{rule.id}` has the code `{earlier[0].code}`",
                "its versions keep its code",
            )
        elif any(rule.period.overlaps(each.period) for each in earlier):
            rule.keys["id"].fault(
                f"there is a rule `{rule.id}` on these days already",
                "a rule that changes ends with `until` where the next version begins",
            )
        earlier.append(rule)


@frozen(eq=False)
class _Cutter:
    policy: Policy
    # What was noted already: the slices after the first at fault would say it again.
    _noted: set[object] = field(factory=set)

    def slice(self, on: date) -> Rulebook | None:
        """The rulebook from *on* until the next change; None, and faults noted, when it has faults."""
        policy, particulars = self.policy, self.policy.particulars
        known = self._catalogue(on)
        renewal = self._rules(policy.rules, known, on)
        self._more_than_progress(renewal, on)
        offered = [each for each in policy.products if on in each.period]
        if len(offered) > MOST_PRODUCTS:
            self._too_many(
                policy.products_item, f"on {on} there are more than {MOST_PRODUCTS} products"
            )
            return None
        products = [(each, self._rules(each.rules, known, on)) for each in offered]
        if policy.faulty or particulars is None:
            return None
        settings = particulars.settings(on)
        digest = rulebook_digest(known, renewal, products, settings)

        def ruleset(rules: tuple[Rule, ...]) -> RuleSet:
            return RuleSet(
                rules=rules, catalogue=known, jurisdiction=particulars.code, digest=digest
            )

        return Rulebook(
            on=on,
            since=on,
            digest=digest,
            name=particulars.name,
            currency=particulars.currency,
            zone=particulars.zone,
            owner=particulars.owner,
            review_by=particulars.review_by,
            parameters=known.parameters,
            catalogue=known,
            renewal=ruleset(renewal),
            products=tuple(_terms(each, ruleset(rules)) for each, rules in products),
            **settings,
        )

    def _catalogue(self, on: date) -> Catalogue:
        values = {
            name: Parameter(name=name, type=written.type, number=number)
            for name, written in self.policy.parameters.items()
            if written is not None and (number := written.timeline.value_on(on)) is not None
        }
        return catalogue(self.policy.currency).with_parameters(values)

    def _rules(
        self, written: Iterable[WrittenRule], known: Catalogue, on: date
    ) -> tuple[Rule, ...]:
        """Those of the *written* rules that are in force and have no fault."""
        in_force = [each for each in written if on in each.period]
        if len(in_force) > MOST_RULES:
            listed = in_force[0].keys.item
            self._too_many(listed, f"on {on} more than {MOST_RULES} rules are in force together")
            return ()
        rules = (self._rule(each, known, on) for each in in_force)
        return tuple(rule for rule in rules if rule is not None)

    def _too_many(self, item: Item, message: str) -> None:
        if item.path not in self._noted:
            self._noted.add(item.path)
            item.fault(message, key=True)

    def _rule(self, written: WrittenRule, known: Catalogue, on: date) -> Rule | None:
        if written in self._noted:
            return None
        require = self._checked(written, "require", known, on)
        when = None if written.when is None else self._checked(written, "when", known, on)
        if require is None or (when is None and written.when is not None):
            self._noted.add(written)
            return None
        checked = require if when is None else implication(when, require)
        if not self._sentence(written, checked, on):
            self._noted.add(written)
            return None
        return Rule(
            id=written.id,
            code=written.code,
            require=written.require.source,
            when=None if written.when is None else written.when.source,
            otherwise=written.otherwise,
            reason=written.reason,
            source=written.source,
            checked=checked,
            file=written.keys.item.document.file,
            line=written.keys.item.line,
        )

    def _checked(
        self, written: WrittenRule, key: str, known: Catalogue, on: date
    ) -> Checked | None:
        """The expression under *key*, `require` or `when`, checked on a day."""
        tree = written.require if key == "require" else written.when
        assert tree is not None
        try:
            return check(tree, known, Kind.FLAG)
        except RuleError as error:
            named = error.source[error.start : error.end]
            if named in self.policy.parameters and named not in known.parameters:
                if self.policy.parameters[named] is None:
                    return None  # the parameter is at fault, not the rule
                error = _without_value(error, named, on)
            written.keys[key].rule_fault(error)
            return None

    def _sentence(self, written: WrittenRule, checked: Checked, on: date) -> bool:
        """Whether the reason names, in braces, only what the rule reads, and parameters."""
        item = written.keys["reason"]
        known = {*checked.names, *checked.catalogue.parameters}
        for match in PLACEHOLDER.finditer(written.reason):
            name = match[1]
            if name in known or self.policy.parameters.get(name, self) is None:
                continue
            if name in self.policy.parameters:
                item.fault(f"the parameter `{name}` has no value on {on}")
            elif checked.catalogue.fact(name) is not None:
                item.fault(
                    f"`{{{name}}}` is not among the facts that the rule reads",
                    f"it reads {_listed(checked.names)}",
                )
            else:
                item.fault(
                    f"`{{{name}}}` is not a fact and not a parameter",
                    f"this rule can name {_listed(sorted(known))}",
                )
            return False
        if any(brace in PLACEHOLDER.sub("", written.reason) for brace in "{}"):
            item.fault("braces hold the name of a fact or a parameter", "as `{performance}`")
            return False
        return True

    def _more_than_progress(self, rules: Iterable[Rule], on: date) -> None:
        """Design 4: "reaching the floor alone must never make a deal eligible"."""
        if self.policy.faulty:
            return  # the rule at fault may be the one
        if not any(
            each.otherwise == DECLINE and set(each.checked.names) - {_PROGRESS} for each in rules
        ):
            self.policy.rules_item.fault(
                f"on {on} no declining rule reads anything but `{_PROGRESS}`",
                "reaching the floor alone must never make a deal eligible",
                key=True,
            )


def _without_value(error: RuleError, name: str, on: date) -> RuleError:
    return RuleError(
        f"the parameter `{name}` has no value on {on}",
        source=error.source,
        start=error.start,
        end=error.end,
        stage=error.stage,
        hint="let its timeline begin with the rule",
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _terms(product: WrittenProduct, rules: RuleSet) -> ProductTerms:
    calculators: Mapping[str, Any] = product.calculators
    return ProductTerms(
        key=product.key,
        name=product.name,
        description=product.description,
        repayment_mechanism=product.repayment_mechanism,
        amounts=product.amounts,
        rules=rules,
        **calculators,
    )
