"""What is written for a jurisdiction, in its folder and in its parents', and what is in force of it when.

A child overlays its parent by id, on each day: what it has itself on a day replaces what the parent has
under the same id, whole, and what it switches off is gone. Nothing is merged deeper (design 5).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import TypeVar

from attrs import evolve, frozen

from holdback.errors import did_you_mean
from holdback.jurisdictions.jurisdiction_file import Particulars, SwitchedOff
from holdback.jurisdictions.source_rules import (
    Parameters,
    WrittenParameter,
    WrittenProduct,
    WrittenRule,
)
from holdback.money import Currency
from holdback.rules import Catalogue
from holdback.toml.node import Item


@frozen(kw_only=True, eq=False)
class Layer:
    """The rules and products of one folder, and what it drops of the layers under it."""

    code: str
    rules: Sequence[WrittenRule]
    products: Sequence[WrittenProduct]
    switched_off: Sequence[SwitchedOff] = ()

    def dropped(self, kind: str, day: date) -> set[str]:
        """What it drops on *day*, of a *kind*, by name."""
        return {each.name for each in self.switched_off if each.kind == kind and day in each.period}


@frozen(kw_only=True, eq=False)
class Policy:
    """
    Everything that is written for a jurisdiction; `particulars` are None when they are at fault.

    `catalogue` has the facts that its rules may read, its own and its parents' among them.
    `layers` are the folders, the eldest parent's first and its own last. `rules_item` and `products_item` are
    the lists that its own rules and products stand in, or its whole file where there is no such list.
    """

    code: str
    catalogue: Catalogue
    particulars: Particulars | None
    parameters: Parameters
    layers: tuple[Layer, ...]
    rules_item: Item
    products_item: Item

    @property
    def currency(self) -> Currency:
        """The currency of its amounts."""
        return self.catalogue.currency

    @property
    def own(self) -> Layer:
        """What its own folder has."""
        return self.layers[-1]

    @property
    def faulty(self) -> bool:
        """Whether anything was noted so far, in any file of the folder."""
        return bool(self.rules_item.document.errors)

    @property
    def rules(self) -> list[WrittenRule]:
        """The renewal rules of every layer."""
        return [rule for layer in self.layers for rule in layer.rules]

    @property
    def products(self) -> list[WrittenProduct]:
        """The products of every layer that can be named; one without a key is at fault."""
        return [product for layer in self.layers for product in layer.products if product.key]

    def rules_on(self, day: date) -> list[WrittenRule]:
        """The renewal rules in force on *day*, in order of priority."""
        found: dict[str, WrittenRule] = {}
        for layer in self.layers:
            own = {rule.id: rule for rule in layer.rules if day in rule.period}
            found |= own  # one that was there keeps its place
            _drop(found, layer.dropped("rule", day) - own.keys())
        return list(found.values())

    def products_on(self, day: date) -> list[WrittenProduct]:
        """The products offered on *day*, in order."""
        found: dict[str, WrittenProduct] = {}
        for layer in self.layers:
            # One whose key is at fault is looked at all the same.
            own = {
                each.key or f"product {place}": each
                for place, each in enumerate(layer.products)
                if day in each.period
            }
            found |= own
            _drop(found, layer.dropped("product", day) - own.keys())
        return list(found.values())

    def parameters_on(self, day: date) -> dict[str, WrittenParameter]:
        """The parameters that have a value on *day* and are not switched off."""
        found = {
            name: written
            for name, written in self.parameters.items()
            if written is not None and written.timeline.entry_on(day) is not None
        }
        under: set[str] = set()
        for layer in self.layers:
            # One that this layer has again, or a later one, is not the one that is dropped.
            _drop(
                found,
                {
                    n
                    for n in layer.dropped("parameter", day) & found.keys()
                    if found[n].code in under
                },
            )
            under.add(layer.code)
        return found

    def changes(self) -> Iterator[date]:
        """The days on which anything in it begins or ends."""
        if self.particulars is not None:
            for _, timeline in self.particulars.timelines.values():
                yield from timeline.changes
        for parameter in self.parameters.values():
            if parameter is not None:
                yield from parameter.timeline.changes
        for layer in self.layers:
            periods = [rule.period for rule in layer.rules]
            periods += [dropped.period for dropped in layer.switched_off]
            for product in layer.products:
                periods += [product.period, *(rule.period for rule in product.rules)]
            for period in periods:
                yield from period.changes

    def overlaying(self, parent: Policy | None) -> Policy:
        """This policy, of one folder, on top of its *parent*; what it drops in vain is noted."""
        if parent is None:
            return self
        for dropped in self.own.switched_off:
            if dropped.kind == "rule":
                known: Iterable[str] = [rule.id for rule in parent.rules]
            elif dropped.kind == "product":
                known = [product.key for product in parent.products]
            else:
                known = list(parent.parameters)
            if dropped.name not in known:
                dropped.item.fault(
                    f"`{parent.code}` has no {dropped.kind} `{dropped.name}`",
                    did_you_mean(dropped.name, known),
                )
        facts = None if self.particulars is None else self.particulars.item.pairs().get("facts")
        for name, item in ({} if facts is None else facts.pairs()).items():
            if name in parent.parameters:
                message = f"`{name}` is a parameter of `{parent.code}`"
                item.fault(message, "facts and parameters share no name", key=True)
        for name, own in self.parameters.items():
            inherited = parent.parameters.get(name)
            if own is not None and inherited is not None and own.type != inherited.type:
                own.item.fault(
                    f"`{name}` is {inherited.type} in `{parent.code}`, not {own.type}",
                    "a parameter keeps its type: inherited rules may read it",
                    key=True,
                )
        return evolve(
            self,
            parameters={**parent.parameters, **self.parameters},
            layers=(*parent.layers, self.own),
        )


_Named = TypeVar("_Named")


def _drop(found: dict[str, _Named], names: Iterable[str]) -> None:
    for name in names:
        found.pop(name, None)
