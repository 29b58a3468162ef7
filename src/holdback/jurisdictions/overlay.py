"""
The layers of a jurisdiction and its parents (`Layer`, `Policy`), and one being read (`Draft`).

A child overlays its parent by id, separately on each day: what it has itself on a day replaces what
the parent has under the same id, whole, and what it switches off is gone. A parameter is replaced
with its whole timeline. There is no deeper merge (decisions/jurisdiction-folders).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import TypeVar

from attrs import evolve, field

from holdback.errors import did_you_mean
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen, frozen_record
from holdback.jurisdictions.jurisdiction_file import JurisdictionDetails, SwitchedOff
from holdback.jurisdictions.keys import CLAIM, OVERLAY, TABLE_OF_TIERS
from holdback.jurisdictions.source_rules import SourceParameter, SourceProduct, SourceRule
from holdback.jurisdictions.source_tables import SourceTable
from holdback.jurisdictions.stated_claims import StatedClaim
from holdback.jurisdictions.timeline import Period
from holdback.jurisdictions.toml import Node
from holdback.rulebooks.regime import Regime
from holdback.rulebooks.rulebook import age_name
from holdback.rules import Catalogue


@frozen(kw_only=True, eq=False)
class Layer:
    """
    The rules, products and claims of a folder, and what it switches off in the layers below.

    `rules` are those for renewals, `funding` those for fundings, and `shared` those of several
    products. The rules of the rows of `tables` are among them.
    """

    code: str
    rules: tuple[SourceRule, ...]
    products: tuple[SourceProduct, ...]
    funding: tuple[SourceRule, ...] = ()
    shared: tuple[SourceRule, ...] = ()
    tables: tuple[SourceTable, ...] = ()
    switched_off: tuple[SwitchedOff, ...] = ()
    claims: tuple[StatedClaim, ...] = ()

    @property
    def rules_by_id(self) -> tuple[SourceRule, ...]:
        """
        Its rules that a child replaces and switches off by id.

        These are the rules for renewals and fundings, and those of several products.
        """
        return (*self.rules, *self.shared, *self.funding)

    @property
    def all_rules(self) -> tuple[SourceRule, ...]:
        """Its rules for renewals, those of its products, and those for fundings."""
        of_products = (rule for product in self.products for rule in product.rules)
        return (*self.rules, *self.shared, *of_products, *self.funding)

    def rules_of(self, product: SourceProduct) -> tuple[SourceRule, ...]:
        """Return its rules of *product*: those that are shared, and the product's own."""
        shared = (rule for rule in self.shared if rule.is_shared_by(product.key))
        return (*shared, *(product.rules if product in self.products else ()))

    def tables_on(self, day: date, product: str | None = None) -> set[str]:
        """Return the ids of its tables of *product* in force on *day*, or of those for renewals."""
        return {table.id for table in self.tables if table.is_of(product) and day in table.period}

    def switched_off_on(self, kind: str, day: date, product: str | None = None) -> set[str]:
        """
        Return the names of what it switches off on *day*, of a *kind* such as `"rule"`.

        With the key of a *product*, these are the rules that it switches off in this one.
        """
        return {
            switch_off.name
            for switch_off in self.switched_off
            if (switch_off.kind, switch_off.product) == (kind, product) and day in switch_off.period
        }


@frozen(kw_only=True, eq=False)
class Policy:
    """
    The rules, products and parameters of a jurisdiction and its parents, not yet resolved by date.

    `catalogue` has every fact that the rules may read, declared ones included. `layers` are the
    folders, the eldest parent's first and its own last. `rules_node` and `products_node` are the
    lists of its own rules and products, or the root of `jurisdiction.toml` where there is no list.
    `reasons` are its sentences for the service's own reasons, by code.
    """

    code: str
    catalogue: Catalogue
    parameters: Mapping[str, SourceParameter] = field(converter=frozen_record)
    layers: tuple[Layer, ...]
    rules_node: Node
    products_node: Node
    reasons: Mapping[str, str] = field(factory=dict, converter=frozen_record)

    @property
    def currency(self) -> Currency:
        """The currency of its amounts."""
        return self.catalogue.currency

    @property
    def own(self) -> Layer:
        """The layer of its own folder."""
        return self.layers[-1]

    @property
    def own_parameters(self) -> dict[str, SourceParameter]:
        """The parameters of its own folder."""
        return {
            name: parameter
            for name, parameter in self.parameters.items()
            if parameter.code == self.code
        }

    @property
    def rules(self) -> list[SourceRule]:
        """The renewal rules of every layer."""
        return [rule for layer in self.layers for rule in layer.rules]

    @property
    def funding(self) -> list[SourceRule]:
        """The funding rules of every layer."""
        return [rule for layer in self.layers for rule in layer.funding]

    @property
    def products(self) -> list[SourceProduct]:
        """The products of every layer, without those whose key is invalid."""
        return [product for layer in self.layers for product in layer.products if product.key]

    def rules_on(self, day: date) -> list[SourceRule]:
        """Return the renewal rules in force on *day*, in order of priority."""
        return self._overlaid(day, lambda layer: layer.rules)

    def funding_on(self, day: date) -> list[SourceRule]:
        """Return the funding rules in force on *day*, in order of priority."""
        return self._overlaid(day, lambda layer: layer.funding)

    def rules_by_id_on(self, day: date) -> list[SourceRule]:
        """Return the rules in force on *day* that a child replaces and switches off by id."""
        shared = dict.fromkeys(
            rule
            for product in self.products_on(day)
            for rule in self.product_rules_on(product, day)
            if rule.products is not None
        )
        return [*self.rules_on(day), *self.funding_on(day), *shared]

    def rules_of(self, product: SourceProduct) -> list[SourceRule]:
        """Return the rules of *product* in every layer, on whichever days."""
        return [rule for layer in self.layers for rule in layer.rules_of(product)]

    def product_rules_on(self, product: SourceProduct, day: date) -> list[SourceRule]:
        """Return the rules of *product* in force on *day*, in order of priority."""
        rules: dict[str, SourceRule] = {}
        for layer in self.layers:
            own = {rule.id: rule for rule in layer.rules_of(product) if day in rule.period}
            _lay_over(rules, own, layer.tables_on(day, product.key))
            shared = {name for name, rule in rules.items() if rule.products is not None}
            # A rule of the product itself is dropped by the product's key alone.
            dropped = layer.switched_off_on("rule", day) & shared
            dropped |= layer.switched_off_on("rule", day, product.key)
            dropped |= _rows(rules, layer.switched_off_on(TABLE_OF_TIERS, day))
            _remove(rules, dropped - own.keys())
        return list(rules.values())

    def _overlaid(
        self, day: date, rules_of: Callable[[Layer], tuple[SourceRule, ...]]
    ) -> list[SourceRule]:
        rules: dict[str, SourceRule] = {}
        for layer in self.layers:
            own = {rule.id: rule for rule in rules_of(layer) if day in rule.period}
            _lay_over(rules, own, layer.tables_on(day))
            dropped = layer.switched_off_on("rule", day)
            dropped |= _rows(rules, layer.switched_off_on(TABLE_OF_TIERS, day))
            _remove(rules, dropped - own.keys())
        return list(rules.values())

    def tables_on(self, day: date) -> list[SourceTable]:
        """Return the tables in force on *day*, those of the parents first."""
        tables: list[SourceTable] = []
        for layer in self.layers:
            own = [table for table in layer.tables if day in table.period]
            gone = layer.switched_off_on(TABLE_OF_TIERS, day)
            kept = (old for old in tables if old.id not in gone)
            tables = [old for old in kept if not any(new.replaces(old) for new in own)] + own
        return tables

    def products_on(self, day: date) -> list[SourceProduct]:
        """Return the products offered on *day*, in order."""
        products: dict[str, SourceProduct] = {}
        for layer in self.layers:
            # A product whose key is invalid is included under a made-up name: its rules are
            # checked.
            own = {
                product.key or f"product {place}": product
                for place, product in enumerate(layer.products)
                if day in product.period
            }
            products |= own
            _remove(products, layer.switched_off_on("product", day) - own.keys())
        return list(products.values())

    def parameters_on(self, day: date) -> dict[str, SourceParameter]:
        """Return the parameters that have a value on *day* and are not switched off."""
        parameters = {
            name: parameter
            for name, parameter in self.parameters.items()
            if parameter.timeline.entry_on(day) is not None
        }
        lower_layers: set[str] = set()
        for layer in self.layers:
            # A layer switches off what is below it, not what it or a later layer defines anew.
            names = {
                name
                for name in layer.switched_off_on("parameter", day) & parameters.keys()
                if parameters[name].code in lower_layers
            }
            _remove(parameters, names)
            lower_layers.add(layer.code)
        return parameters

    def claims_in(self, period: Period) -> list[StatedClaim]:
        """Return the claims that hold on some day of *period*, the parents' first."""
        days = [period.start]
        for layer in self.layers:
            periods = [claim.period for claim in layer.claims]
            periods += [switch_off.period for switch_off in layer.switched_off]
            days += [day for part in periods for day in part.changes if day in period]
        return list(dict.fromkeys(claim for day in sorted(days) for claim in self._claims_on(day)))

    def _claims_on(self, day: date) -> Iterator[StatedClaim]:
        """Yield the claims that hold on *day*; one of the child replaces one of the same name."""
        claims: dict[tuple[str | None, str], StatedClaim] = {}
        for layer in self.layers:
            gone = layer.switched_off_on(CLAIM, day)
            _remove(claims, [key for key in claims if key[1] in gone])
            # That a parent tightens the rules of its own parent says nothing of its children.
            claims |= {
                (claim.product, claim.name): claim
                for claim in layer.claims
                if day in claim.period and (claim.kind != OVERLAY or layer is self.own)
            }
        yield from claims.values()

    def places_of(self, switch_off: SwitchedOff, day: date) -> set[str | None]:
        """
        Return where on *day* it has what is named by *switch_off*.

        A rule of a product is at the product's key, a table at the code of its folder, and anything
        else at None.
        """
        names: Iterable[tuple[str | None, str]]
        if switch_off.kind == "rule":
            by_list = (*self.rules_on(day), *self.funding_on(day))
            names = [(None, rule.id) for rule in by_list if switch_off.product is None]
            names += [
                (product.key, rule.id)
                for product in self.products_on(day)
                for rule in self.product_rules_on(product, day)
                if switch_off.product == product.key
                or (switch_off.product is None and rule.products is not None)
            ]
        elif switch_off.kind == "product":
            names = [(None, product.key) for product in self.products_on(day)]
        elif switch_off.kind == TABLE_OF_TIERS:
            names = [(table.jurisdiction, table.id) for table in self.tables_on(day)]
        elif switch_off.kind == CLAIM:
            held = self.claims_in(Period(day, day + timedelta(days=1)))
            names = [(None, claim.name) for claim in held]
        else:
            # A child's own parameter replaces the inherited one, and is no longer that one.
            inherited = self.parameters_on(day).values()
            names = [(None, it.name) for it in inherited if it.code != self.code]
        return {place for place, name in names if name == switch_off.name}

    def changes(self) -> Iterator[date]:
        """Yield every day on which a rule, product, parameter or switch-off begins or ends."""
        for parameter in self.parameters.values():
            yield from parameter.timeline.changes
        for layer in self.layers:
            periods = [rule.period for rule in layer.all_rules]
            periods += [
                # A claim decides nothing, so nothing changes with it.
                switch_off.period
                for switch_off in layer.switched_off
                if switch_off.kind != CLAIM
            ]
            periods += [product.period for product in layer.products]
            periods += [table.period for table in layer.tables]
            periods += [fee.period for product in layer.products for fee in product.fees]
            periods += [rule.period for product in layer.products for rule in product.offer_rules]
            for period in periods:
                yield from period.changes


@frozen(kw_only=True, eq=False)
class Draft:
    """
    A jurisdiction while it is being read: everything that is valid so far.

    `details` are None while `jurisdiction.toml`, whose root is `file_node`, has errors; the other
    files are checked all the same. `invalid_parameters` and `invalid_facts` are names that have an
    error already: a rule that reads one may be right. A draft that ends without errors becomes a
    `Jurisdiction`, which has no such gaps.
    """

    policy: Policy
    details: JurisdictionDetails | None
    file_node: Node
    invalid_parameters: frozenset[str] = frozenset()
    invalid_facts: frozenset[str] = frozenset()
    disclosures: tuple[Regime, ...] = ()

    @property
    def invalid_names(self) -> frozenset[str]:
        """The names that have an error already."""
        return self.invalid_parameters | self.invalid_facts

    @property
    def has_errors(self) -> bool:
        """Whether any file of the folder has an error so far."""
        return bool(self.file_node.document.errors)

    def with_parent(self, parent: Policy) -> Draft:
        """
        Return this draft with the layers of *parent* under its own.

        A parameter or a reason that both have is the child's. The layers keep the rules and
        products of both: `rules_on` and `products_on` overlay them on a day. Errors, such as a
        switch-off of a rule that the parent lacks, are added to the document of this draft.
        """
        self._check_switched_off(parent)
        self._check_names(parent)
        own = {name: _labelled(own, parent) for name, own in self.policy.parameters.items()}
        policy = evolve(
            self.policy,
            parameters={**parent.parameters, **own},
            layers=(*parent.layers, self.policy.own),
            reasons={**parent.reasons, **self.policy.reasons},
        )
        return evolve(self, policy=policy)

    def _check_switched_off(self, parent: Policy) -> None:
        """Add an error for everything that is switched off and that *parent* does not have."""
        names: dict[tuple[str, str | None], list[str]] = {
            ("rule", None): [rule.id for layer in parent.layers for rule in layer.rules_by_id],
            ("product", None): [product.key for product in parent.products],
            ("parameter", None): list(parent.parameters),
            (TABLE_OF_TIERS, None): [table.id for it in parent.layers for table in it.tables],
        }
        for product in (*self.policy.products, *parent.products):
            ids = names.setdefault(("rule", product.key), [])
            ids += [rule.id for rule in parent.rules_of(product)]
        for switch_off in self.policy.own.switched_off:
            # Claims are read only with the examples, and looked up by their own check.
            if switch_off.kind == CLAIM:
                continue
            inherited = names.get((switch_off.kind, switch_off.product), ())
            if switch_off.name not in inherited:
                of = "" if switch_off.product is None else f" of the product `{switch_off.product}`"
                switch_off.node.add_error(
                    "unknown_name",
                    f"`{parent.code}` has no {switch_off.kind} `{switch_off.name}`{of}",
                    did_you_mean(switch_off.name, inherited),
                )

    def _fact_nodes(self) -> dict[str, Node]:
        """Return the nodes of the facts that its file declares, and of the checks with an age."""
        tables = self.file_node.entries()
        nodes = dict(tables["facts"].entries()) if "facts" in tables else {}
        checks = tables["checks"].entries() if "checks" in tables else {}
        return nodes | {age_name(name): node for name, node in checks.items()}

    def _check_names(self, parent: Policy) -> None:
        """Add an error for every fact or parameter that clashes with one of *parent*."""
        for name, node in self._fact_nodes().items():
            if name in parent.parameters:
                message = f"`{name}` is a parameter of `{parent.code}`"
                node.add_error("duplicate", message, "facts and parameters share no name", key=True)
        for name, own in self.policy.parameters.items():
            inherited = parent.parameters.get(name)
            if inherited is not None and own.type != inherited.type:
                own.node.add_error(
                    "wrong_type",
                    f"`{name}` is {inherited.type} in `{parent.code}`, not {own.type}",
                    "a parameter keeps its type: inherited rules may read it",
                    key=True,
                )


def _labelled(parameter: SourceParameter, parent: Policy) -> SourceParameter:
    """Return *parameter* with the label of the one that it replaces, unless it has its own."""
    replaced = parent.parameters.get(parameter.name)
    if replaced is None or parameter.label is not None:
        return parameter
    return evolve(parameter, label=replaced.label)


def _lay_over(
    rules: dict[str, SourceRule], own: Mapping[str, SourceRule], tables: Collection[str]
) -> None:
    """Let *own* rules of a child replace *rules*; its *tables* replace the whole of theirs."""
    _remove(rules, _rows(rules, tables) - own.keys())
    # A replaced rule keeps its place in the order: that is how a dict updates.
    rules |= own


def _rows(rules: Mapping[str, SourceRule], tables: Collection[str]) -> set[str]:
    """Return the ids of those of *rules* that are rows of *tables*."""
    return {rule.id for rule in rules.values() if rule.of_table in tables}


_Key = TypeVar("_Key")
_Named = TypeVar("_Named")


def _remove(entries: dict[_Key, _Named], names: Iterable[_Key]) -> None:
    for name in names:
        entries.pop(name, None)
