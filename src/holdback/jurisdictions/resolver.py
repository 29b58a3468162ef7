"""Source rules resolved by date: one rulebook, or slice, from each change date on.

Every slice is checked when the folder is read, so a rule that becomes invalid next year is an error
today. What a rule means depends on the values of the parameters that it reads; it is checked once
for each combination of them, and shared by all slices that have it, those of children among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final

from attrs import define, evolve, field

from holdback.eligibility.ruleset import DECLINE, MOST_RULES, PLACEHOLDER, Rule, RuleSet
from holdback.errors import RuleError, did_you_mean, excerpt
from holdback.frozen_classes import frozen
from holdback.jurisdictions.declared_facts import checks_on
from holdback.jurisdictions.folder_checks import (
    ClaimCheck,
    add_label_errors,
    add_shared_rule_errors,
    add_uniqueness_errors,
    error_on,
    within_cost,
)
from holdback.jurisdictions.jurisdiction_file import JurisdictionDetails
from holdback.jurisdictions.keys import add_rule_error, has_stray_brace
from holdback.jurisdictions.overlay import Draft
from holdback.jurisdictions.source_rules import SourceProduct, SourceRule
from holdback.jurisdictions.source_tables import SourceTable
from holdback.jurisdictions.stated_claims import StatedClaim
from holdback.jurisdictions.timeline import Period
from holdback.jurisdictions.toml import Node
from holdback.offers.price_tables import COLUMN_OF, TABLE
from holdback.rulebooks.digest import RulebookDigester, rulebook_digest, versions_of
from holdback.rulebooks.product_terms import ProductTerms
from holdback.rulebooks.rulebook import SETTINGS_IN_DIGEST, Rulebook, age_limits
from holdback.rules import Catalogue, Checked, Kind, Parameter, check
from holdback.rules.check import implication

# More products than anybody chooses from. The rules in force together are bounded by `MOST_RULES`.
MAX_PRODUCTS: Final = 20

_PROGRESS: Final = "progress"


def resolve(
    draft: Draft, of_parent: Iterable[Rulebook] = ()
) -> tuple[tuple[Rulebook, ...], tuple[StatedClaim, ...]]:
    """
    Return the rulebooks of *draft*, one from each change date on, adding errors where invalid.

    Rules that mean what they mean in those *of_parent* are the same objects. The first begins with
    the first renewal rule. Slices with errors, and all slices after them, are left out. With them
    come the claims that hold on some day of theirs.
    """
    policy = draft.policy
    rules, products = policy.rules, policy.products
    # An empty table is reported twice: it is not an array, and it lists nothing.
    for node, present in ((policy.rules_node, rules), (policy.products_node, products)):
        if not present and node.value in ([], {}):
            node.add_error("missing", "expected at least one", key=True)
    # Without renewal rules every deal would be eligible, so no rulebook begins before them.
    if not rules:
        return (), ()
    start = min(rule.period.start for rule in rules)
    changes = sorted({start, *(day for day in _change_dates(draft) if day > start)})
    _check_settings(start, draft.details)
    if not within_cost(policy, changes, len(draft.invalid_parameters)):
        return (), ()
    # Only now: it compares the versions of a rule with one another.
    complete = not draft.has_errors
    add_uniqueness_errors(policy.layers)
    add_shared_rule_errors(policy, complete=complete)
    add_label_errors(policy, draft.file_node)
    resolver = _Resolver(
        draft, complete=not draft.has_errors, checked_rules=_inherited_rules(draft, of_parent)
    )
    claims = ClaimCheck(draft, complete=not draft.has_errors)
    claims.names()
    rulebooks = []
    for day, end in zip(changes, [*changes[1:], None], strict=True):
        resolved = resolver.slice(day)
        if resolved is not None:
            claims.slice(Period(day, end), resolved.catalogue, resolved.offered)
        # Later slices are checked too, so that all errors are reported at once.
        if resolved is not None and draft.details is not None and not draft.has_errors:
            rulebooks.append(resolver.rulebook(resolved, draft.details))
    resolver.check_more_than_progress()
    return tuple(rulebooks), tuple(claims.claims)


def _change_dates(draft: Draft) -> Iterable[date]:
    if draft.details is not None:
        for _, timeline in draft.details.timelines.values():
            yield from timeline.changes
        for check in draft.details.checks.values():
            if check.max_age is not None:
                yield from check.max_age.changes
    yield from draft.policy.changes()


def _check_settings(start: date, details: JurisdictionDetails | None) -> None:
    """Add an error for every setting that has no value on some day from *start* on."""
    for name, (node, timeline) in ({} if details is None else details.timelines).items():
        if timeline.start > start:
            node.add_error(
                "missing",
                f"`{name}` begins on {timeline.start}, and the first rule is in force on {start}",
                f"let it begin on {start}",
            )
        if timeline.end is not None:
            node.add_error(
                "missing",
                f"`{name}` has no value from {timeline.end} on",
                "leave the last `until` out",
            )


@frozen(kw_only=True)
class _Slice:
    """What is in force from `on` until the next change, with its rules checked."""

    on: date
    catalogue: Catalogue
    renewal: tuple[Rule, ...]
    products: list[tuple[SourceProduct, tuple[Rule, ...]]]
    funding: tuple[Rule, ...]
    offer_rules: Mapping[str, tuple[Rule, ...]]

    @property
    def offered(self) -> set[str]:
        """The keys of the products that are offered."""
        return {product.key for product, _ in self.products}


@define(eq=False)
class _Resolver:
    draft: Draft
    # Whether the folder has no error yet. With one, an inherited rule may miss what the child would
    # put in its place, and its errors may be false.
    complete: bool
    # Checked rules, by source rule and the values of the parameters that it names: with the same
    # values a rule means the same in every slice. None for a rule with an error.
    _checked_rules: dict[object, Rule | None]
    # Rules and lists whose error has been added: later slices would repeat it.
    _reported: set[object] = field(factory=set)
    # The id of the first rule that can decline for more than the progress, from each day on.
    _declining: dict[date, str | None] = field(factory=dict)
    _digester: RulebookDigester = field(factory=RulebookDigester)

    def slice(self, on: date) -> _Slice | None:
        """Return what is in force from *on* until the next change; None when it has too much."""
        policy = self.draft.policy
        catalogue = self._catalogue(on)
        renewal = self._rules(policy.rules_on(on), catalogue, on, policy.rules_node)
        self._declining[on] = next(
            (
                rule.id
                for rule in renewal
                if rule.otherwise == DECLINE and set(rule.checked.names) - {_PROGRESS}
            ),
            None,
        )
        offered = policy.products_on(on)
        if len(offered) > MAX_PRODUCTS:
            message = f"on {on} there are more than {MAX_PRODUCTS} products"
            self._add_once(policy.products_node, message)
            return None
        products, tables = [], policy.tables_on(on)
        offer_rules = {product.key: self._offer_rules(product, on) for product in offered}
        for product in offered:
            in_force = policy.product_rules_on(product, on)
            rules = self._rules(in_force, catalogue, on, policy.products_node)
            products.append((self._priced(product, tables, on), rules))
        funding = self._rules(policy.funding_on(on), catalogue, on, policy.products_node)
        return _Slice(
            on=on,
            catalogue=catalogue,
            renewal=renewal,
            products=products,
            funding=funding,
            offer_rules=offer_rules,
        )

    def _offer_rules(self, product: SourceProduct, on: date) -> tuple[Rule, ...]:
        """Return the valid rules for each offer of *product*, whose facts are its figures."""
        in_force = [rule for rule in product.offer_rules if on in rule.period]
        if not in_force:
            return ()
        from holdback.disclosures.figure_facts import offer_catalogue  # noqa: PLC0415 - few need it

        figures = offer_catalogue(self.draft.policy.currency)
        return self._rules(in_force, figures, on, self.draft.policy.products_node)

    def _priced(
        self, product: SourceProduct, tables: Sequence[SourceTable], on: date
    ) -> SourceProduct:
        """Return *product*, whose calculators have the rows of those of *tables* that they name."""
        calculators = dict(product.calculators)
        for kind, choice in calculators.items():
            if choice.name != TABLE or TABLE not in choice.settings or kind not in COLUMN_OF:
                continue
            column, name = COLUMN_OF[kind], choice.settings[TABLE]
            of_product = [
                table for table in tables if table.products is not None and table.is_of(product.key)
            ]
            priced = {table.id: table for table in of_product if column in table.results}
            if name in priced:
                settings = {**choice.settings, TABLE: priced[str(name)].price(column)}
                calculators[kind] = evolve(choice, settings=settings)
            else:
                self._add_unpriced(product, kind, on, did_you_mean(str(name), priced))
        same = calculators == product.calculators
        return product if same else evolve(product, calculators=calculators)

    def _add_unpriced(self, product: SourceProduct, kind: str, on: date, hint: str | None) -> None:
        """Add the error that *product* has no table for its calculator of a *kind*."""
        node = product.table[kind].entries()[TABLE]
        place = (node.document.file, node.path)
        # With an error elsewhere, the table may be what is wrong.
        if place in self._reported or not self.complete:
            return
        self._reported.add(place)
        column, name = COLUMN_OF[kind], excerpt(str(node.value))
        message = f"`{product.key}` has no table `{name}` with a column `{column}` on {on}"
        hint = (
            hint or f"write `[[tables]]` in `products.toml`, with what each row gives in `{column}`"
        )
        if product in self.draft.policy.own.products:
            node.add_error("unknown_name", message, hint)
        else:
            message = f"the inherited product {message}"
            self.draft.file_node.add_error("unknown_name", message, hint, key=True)

    def rulebook(self, resolved: _Slice, details: JurisdictionDetails) -> Rulebook:
        """Return the rulebook of a slice without errors."""
        catalogue, settings = resolved.catalogue, details.settings(resolved.on)
        products = resolved.products
        settings["code"] = details.code
        checks = checks_on(details.checks, details.facts, resolved.on)
        covered = {name: settings[name] for name in SETTINGS_IN_DIGEST} | age_limits(checks)
        rules_digest = self._digester.rules_digest(
            catalogue,
            resolved.renewal,
            products,
            covered,
            resolved.funding,
            offer_rules=resolved.offer_rules,
        )
        versions = versions_of(
            choice for product, _ in products for choice in product.calculators.values()
        )
        digest = rulebook_digest(rules_digest, versions)

        def ruleset(rules: tuple[Rule, ...]) -> RuleSet:
            return RuleSet(
                rules=rules,
                catalogue=catalogue,
                jurisdiction=details.code,
                digest=digest,
                rules_digest=rules_digest,
                versions=versions,
                figures=details.figures,
                wording=self.draft.policy.reasons,
            )

        return Rulebook(
            on=resolved.on,
            since=resolved.on,
            digest=digest,
            name=details.name,
            currency=details.currency,
            zone=details.zone,
            owner=details.owner,
            review_by=details.review_by,
            parameters=catalogue.parameters,
            catalogue=catalogue,
            renewal=ruleset(resolved.renewal),
            products=tuple(
                evolve(
                    _terms(product, ruleset(rules), resolved.on),
                    offer_rules=resolved.offer_rules[product.key],
                )
                for product, rules in products
            ),
            funding=ruleset(resolved.funding),
            checks=checks,
            disclosures=self.draft.disclosures,
            **settings,
        )

    def _catalogue(self, on: date) -> Catalogue:
        values = {}
        for name, parameter in self.draft.policy.parameters_on(on).items():
            entry = parameter.timeline.entry_on(on)
            assert entry is not None, "`parameters_on` returns those with a value"
            values[name] = Parameter(
                name=name,
                type=parameter.type,
                number=entry.value,
                label=parameter.label,
                source=entry.source,
                since=entry.period.start,
            )
        return self.draft.policy.catalogue.with_parameters(values)

    def _rules(
        self, in_force: list[SourceRule], catalogue: Catalogue, on: date, list_node: Node
    ) -> tuple[Rule, ...]:
        """Return those of the rules *in_force* that are valid; *list_node* is the list of them."""
        if len(in_force) > MOST_RULES:
            self._add_once(list_node, f"on {on} more than {MOST_RULES} rules are in force together")
            return ()
        rules = (self._rule(source, catalogue, on) for source in in_force)
        return tuple(rule for rule in rules if rule is not None)

    def _add_once(self, node: Node, message: str) -> None:
        if node.path not in self._reported:
            self._reported.add(node.path)
            node.add_error("too_large", message, key=True)

    def _rule(self, source: SourceRule, catalogue: Catalogue, on: date) -> Rule | None:
        if source in self._reported:
            return None
        key = _meaning(source, catalogue)
        if key not in self._checked_rules:
            self._checked_rules[key] = self._check(source, catalogue, on)
            if self._checked_rules[key] is None:
                self._reported.add(source)
        return self._checked_rules[key]

    def _check(self, source: SourceRule, catalogue: Catalogue, on: date) -> Rule | None:
        """Return *source* checked with *catalogue*; None, and errors added, when it is invalid."""
        # Both are checked before either is judged, so that both errors are reported at once.
        checked = {key: self._checked(source, key, catalogue, on) for key in ("require", "when")}
        require, when = checked["require"], checked["when"]
        if require is None or (when is None and source.when is not None):
            return None
        whole = require if when is None else implication(when, require)
        if not self._reason_is_valid(source, whole, catalogue, on):
            return None
        return Rule(
            id=source.id,
            code=source.code,
            require=source.require.source,
            when=None if source.when is None else source.when.source,
            otherwise=source.otherwise,
            reason=source.reason,
            source=source.source,
            checked=whole,
            file=source.file,
            line=source.line,
            origin=source,
        )

    def _checked(
        self, source: SourceRule, key: str, catalogue: Catalogue, on: date
    ) -> Checked | None:
        """Return the expression of *source* under *key*, checked; None when absent or invalid."""
        tree = dict(source.expressions).get(key)
        if tree is None:
            return None
        try:
            return check(tree, catalogue, Kind.FLAG)
        except RuleError as error:
            wrong = error_on(error, self.draft, catalogue, on)
            if wrong is not None and not self._blame_child(
                source, "invalid_rule", wrong.message, wrong.hint
            ):
                add_rule_error(source.table[key], wrong)
            return None

    def _reason_is_valid(
        self, source: SourceRule, checked: Checked, catalogue: Catalogue, on: date
    ) -> bool:
        """
        Return whether the braces of the reason hold only facts that the rule reads, and parameters.

        A merchant must not be shown a figure that did not decide, nor a name in braces.
        """
        node, names = source.table["reason"], {*checked.names, *catalogue.parameters}
        parameters = self.draft.policy.parameters
        for match in PLACEHOLDER.finditer(source.reason):
            name = match[1]
            if name in names or name in self.draft.invalid_names:
                continue
            if name in parameters:
                code, message, hint = (
                    "missing",
                    f"the parameter `{name}` has no value on {on}",
                    None,
                )
            elif catalogue.fact(name) is not None:
                code = "not_allowed"
                message = f"`{{{name}}}` is not among the facts that the rule reads"
                hint = f"it reads {_listed(checked.names)}"
            else:
                code = "unknown_name"
                message = f"`{{{name}}}` is not a fact and not a parameter"
                near = did_you_mean(name, names)
                hint = near or f"this rule can name {_listed(sorted(names))}"
            if not self._blame_child(source, code, message, hint):
                node.add_error_at_part(match.span(), code, message, hint)
            return False
        return not has_stray_brace(node, source.reason)

    def _blame_child(self, source: SourceRule, code: str, message: str, hint: str | None) -> bool:
        """
        Return whether *source* is inherited; if so, the error is one of this jurisdiction's file.

        The parent is valid by itself: the rule is invalid with what this child replaces or drops,
        and the child's author can correct that. In a child with errors, nothing is added: the rule
        may be invalid only because of them.
        """
        if source.jurisdiction == self.draft.policy.code:
            return False
        if self.complete:
            place = f"{source.file}:{source.line}"
            message = f"the inherited rule `{source.id}` ({place}): {message}"
            self.draft.file_node.add_error(code, message, hint, key=True)
        return True

    def check_more_than_progress(self) -> None:
        """
        Add an error unless on every day a declining rule reads another fact than the progress.

        INVARIANT: reaching the floor alone never makes a deal eligible (decisions/three-ideas).
        """
        days = list(self._declining)
        first = next((place for place, day in enumerate(days) if not self._declining[day]), None)
        if first is None or self.draft.has_errors:
            return  # an invalid rule may be the one that is needed
        later = next((day for day in days[first:] if self._declining[day]), None)
        hint = "add a rule that declines for something else"
        if later is not None:
            hint = f"let `{self._declining[later]}` begin on {days[first]}, not on {later}"
        elif first > 0:
            before = self._declining[days[first - 1]]
            hint = f"`{before}` did until then; add a rule that follows it"
        self.draft.policy.rules_node.add_error(
            "missing",
            f"from {days[first]} {'on' if later is None else f'until {later}'} no declining rule "
            f"reads anything but `{_PROGRESS}`",
            f"reaching the floor alone must never make a deal eligible: {hint}",
            key=True,
        )


def _meaning(source: SourceRule, catalogue: Catalogue) -> object:
    """Return what decides the answers of *source*: also the values of the parameters it names."""
    values = (catalogue.parameters.get(name) for name in source.names)
    return source, *(None if value is None else value.number for value in values)


def _inherited_rules(draft: Draft, of_parent: Iterable[Rulebook]) -> dict[object, Rule | None]:
    """Return the rules *of_parent* by what decides them; none where *draft* has other facts."""
    return {
        _meaning(rule.origin, rulebook.catalogue): rule
        for rulebook in of_parent
        if rulebook.catalogue.facts == draft.policy.catalogue.facts
        for rule in rulebook.all_rules
    }


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _terms(product: SourceProduct, rules: RuleSet, on: date) -> ProductTerms:
    calculators: Mapping[str, Any] = product.calculators
    return ProductTerms(
        key=product.key,
        name=product.name,
        description=product.description,
        repayment_mechanism=product.repayment_mechanism,
        amounts=product.amounts,
        rules=rules,
        renewal=product.renewal,
        fees=tuple(fee.allowed for fee in product.fees if on in fee.period),
        origin=product,
        **calculators,
    )
