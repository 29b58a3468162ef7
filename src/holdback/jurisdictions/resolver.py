"""From what is written to rulebooks: the timelines are cut once at every change date.

Every slice is checked when the folder is read, so a rule that will go wrong next year is a fault today.
What a rule means depends on the values of the parameters that it reads: it is checked once for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Final

from attrs import define, field

from holdback.errors import RuleError, did_you_mean
from holdback.jurisdictions.digest import Identity
from holdback.jurisdictions.overlay import Policy
from holdback.jurisdictions.rulebook import ProductTerms, Rulebook
from holdback.jurisdictions.source_rules import WrittenProduct, WrittenRule
from holdback.jurisdictions.uniqueness import note_reuse
from holdback.rules import Catalogue, Checked, Kind, Parameter, check, implication
from holdback.ruleset import DECLINE, MOST_RULES, PLACEHOLDER, Rule, RuleSet
from holdback.toml.node import Item

# What a folder may cost to check: more dates than a policy has in decades, more products than
# anybody chooses from. The rules together are bounded by `MOST_RULES`.
MOST_CHANGES: Final = 400
MOST_PRODUCTS: Final = 20
# A rule may be checked anew in every slice; reading stays a matter of seconds whatever is written.
MOST_CHECKS: Final = 8_000

_PROGRESS: Final = "progress"


def cut(policy: Policy) -> tuple[Rulebook, ...]:
    """
    The rulebooks of *policy*, one from each change date on; what is wrong is noted.

    The first begins with the first renewal rule. Only with faults noted may there be fewer.
    """
    rules, products = policy.rules, policy.products
    note_reuse(policy.layers)
    for item, found in ((policy.rules_item, rules), (policy.products_item, products)):
        if not found and item.value in ([], {}):
            item.fault("expected at least one", key=True)
    if not rules:
        return ()
    start = min(rule.period.start for rule in rules)
    _settings_from(start, policy)
    changes = sorted({start, *(day for day in policy.changes() if day > start)})
    if len(changes) > MOST_CHANGES:
        policy.rules_item.fault(f"there are more than {MOST_CHANGES} dates of change", key=True)
        return ()
    written = len(rules) + sum(len(product.rules) for product in products)
    if len(changes) * (written + len(policy.parameters)) > MOST_CHECKS:
        message = (
            f"{written} rules and {len(policy.parameters)} parameters at {len(changes)} dates of change "
            "are more than can be read"
        )
        policy.rules_item.fault(message, f"at most {MOST_CHECKS} together", key=True)
        return ()
    cutter = _Cutter(policy)
    slices = [cutter.slice(day) for day in changes]
    return tuple(each for each in slices if each is not None)


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


@define(eq=False)
class _Cutter:
    policy: Policy
    # What was noted already: the slices after the first at fault would say it again.
    _noted: set[object] = field(factory=set)
    # A rule by the values of the parameters that it names: it means the same in every slice with those.
    _read: dict[object, Rule | None] = field(factory=dict)
    _identity: Identity = field(factory=Identity)

    def slice(self, on: date) -> Rulebook | None:
        """The rulebook from *on* until the next change; None, and faults noted, when it has faults."""
        policy, particulars = self.policy, self.policy.particulars
        known = self._catalogue(on)
        renewal = self._rules(policy.rules_on(on), known, on, policy.rules_item)
        self._more_than_progress(renewal, on)
        offered = policy.products_on(on)
        if len(offered) > MOST_PRODUCTS:
            self._too_many(
                policy.products_item, f"on {on} there are more than {MOST_PRODUCTS} products"
            )
            return None
        products = [
            (each, self._rules(_in_force(each.rules, on), known, on, policy.products_item))
            for each in offered
        ]
        if policy.faulty or particulars is None:
            return None
        settings = particulars.settings(on)
        digest = self._identity.digest(known, renewal, products, settings)

        def ruleset(rules: tuple[Rule, ...]) -> RuleSet:
            return RuleSet(
                rules=rules,
                catalogue=known,
                jurisdiction=particulars.code,
                digest=digest,
                figures=particulars.figures,
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
        values = {}
        for name, written in self.policy.parameters_on(on).items():
            number = written.timeline.value_on(on)
            assert number is not None, "it is in force"
            values[name] = Parameter(name=name, type=written.type, number=number)
        return self.policy.catalogue.with_parameters(values)

    def _rules(
        self, in_force: list[WrittenRule], known: Catalogue, on: date, listed: Item
    ) -> tuple[Rule, ...]:
        """Those of the rules *in_force* that have no fault; *listed* is where too many of them are told."""
        if len(in_force) > MOST_RULES:
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
        values = (known.parameters.get(name) for name in written.names)
        key = (written, *(None if each is None else each.number for each in values))
        if key not in self._read:
            self._read[key] = self._anew(written, known, on)
            if self._read[key] is None:
                self._noted.add(written)
        return self._read[key]

    def _anew(self, written: WrittenRule, known: Catalogue, on: date) -> Rule | None:
        require = self._checked(written, "require", known, on)
        when = None if written.when is None else self._checked(written, "when", known, on)
        if require is None or (when is None and written.when is not None):
            return None
        checked = require if when is None else implication(when, require)
        if not self._sentence(written, checked, known, on):
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

    def _inherited(self, written: WrittenRule, message: str, hint: str | None) -> bool:
        """
        Whether *written* is a parent's. What is wrong with it then is said of the child: it goes wrong
        with what the child replaces or drops.
        """
        particulars = self.policy.particulars
        if written.jurisdiction == self.policy.code:
            return False
        assert particulars is not None, "a child at fault is not cut"
        place = f"{written.keys.item.document.file}:{written.keys.item.line}"
        message = f"the inherited rule `{written.id}` ({place}): {message}"
        particulars.item.fault(message, hint, key=True)
        return True

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
            if not self._inherited(written, error.message, error.hint):
                written.keys[key].rule_fault(error)
            return None

    def _sentence(self, written: WrittenRule, checked: Checked, known: Catalogue, on: date) -> bool:
        """Whether the reason names, in braces, only what the rule reads, and parameters."""
        item, names = written.keys["reason"], {*checked.names, *known.parameters}
        for match in PLACEHOLDER.finditer(written.reason):
            name = match[1]
            if name in names or self.policy.parameters.get(name, self) is None:
                continue
            if name in self.policy.parameters:
                message, hint = f"the parameter `{name}` has no value on {on}", None
            elif known.fact(name) is not None:
                message = f"`{{{name}}}` is not among the facts that the rule reads"
                hint = f"it reads {_listed(checked.names)}"
            else:
                message = f"`{{{name}}}` is not a fact and not a parameter"
                near = did_you_mean(name, names)
                hint = near or f"this rule can name {_listed(sorted(names))}"
            if not self._inherited(written, message, hint):
                item.part_fault(match.span(), message, hint)
            return False
        brace = next(iter(set("{}") & set(PLACEHOLDER.sub("", written.reason))), None)
        if brace is not None:
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


def _in_force(rules: Iterable[WrittenRule], on: date) -> list[WrittenRule]:
    return [rule for rule in rules if on in rule.period]


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
