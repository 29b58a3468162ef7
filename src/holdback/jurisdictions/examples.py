"""The examples in a folder: what must come out, for which facts, on which day."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from attrs import frozen

from holdback.canonical import Json
from holdback.errors import did_you_mean
from holdback.jurisdictions.document import excerpt
from holdback.jurisdictions.items import Item, Keys
from holdback.jurisdictions.rulebook import Example
from holdback.jurisdictions.written import WrittenProduct, WrittenRule
from holdback.model.product import ACCEPTED, DECLINED, REFERRED
from holdback.renewal import OUTCOMES
from holdback.rules import Catalogue, Kind, Type

DECISIONS: Final = (ACCEPTED, REFERRED, DECLINED)
# The code of the reason that renewal.py gives below the floor.
_FLOOR: Final = "FLOOR"


@frozen(kw_only=True)
class ExampleReader:
    """
    Reads the examples of a jurisdiction.

    `start` is the first day with a rule. While not all rules and products could be read, an example
    that names one is not blamed.
    """

    catalogue: Catalogue
    start: date | None
    rules: Sequence[WrittenRule]
    products: Sequence[WrittenProduct]
    all_read: bool

    def renewal(self, examples: Item, typical: Item) -> Iterator[Example]:
        """The examples of the renewal rules."""
        usual = self._facts(typical)
        codes = [_FLOOR, *(rule.code for rule in self.rules)]
        for item in examples.items():
            keys = item.keys(("name", "on", "expect"), ("given", "without"))
            expect = keys["expect"].keys(("outcome",), ("codes", "needs"))
            expect["outcome"].one_of(OUTCOMES, "outcome")
            self._because(expect, codes)
            yield from self._example(keys, usual, None)

    def product(self, examples: Item, typical: Item) -> Iterator[Example]:
        """The examples of the products."""
        usual = self._facts(typical)
        for item in examples.items():
            keys = item.keys(("name", "on", "product", "expect"), ("given", "without"))
            key = keys["product"].text()
            versions = [each for each in self.products if each.key == key]
            if self.all_read:
                self._offered(keys, versions)
            expect = keys["expect"].keys(("decision",), ("offers", "codes", "needs"))
            expect["decision"].one_of(DECISIONS, "decision")
            self._because(expect, [rule.code for each in versions for rule in each.rules])
            self._offers(expect["offers"])
            yield from self._example(keys, usual, key)

    def _offered(self, keys: Keys, versions: Sequence[WrittenProduct]) -> None:
        """Note that there is no such product, or that it is not offered on the day."""
        key, on = keys["product"].text(), keys["on"].day()
        if key is None or on is None:
            return
        if not versions:
            keys["product"].one_of([each.key for each in self.products], "product")
        elif not any(on in each.period for each in versions):
            keys["on"].fault(f"`{key}` is not offered on {on}")

    def _because(self, expect: Keys, codes: Collection[str]) -> None:
        if self.all_read and codes:
            expect["codes"].texts(codes, "code")
        expect["needs"].texts([fact.name for fact in self.catalogue.facts], "fact")

    def _offers(self, item: Item) -> None:
        """Offers have the fields of the wire, with their units; `term_days` are whole days."""
        money = Type(Kind.MONEY, self.catalogue.currency)
        types = {
            "funded_amount": money,
            "repayment_amount": money,
            "split_percentage": Type(Kind.PERCENT),
            "factor_rate": Type(Kind.RATIO),
            "term_length": Type(Kind.RATIO),
            "term_days": Type(Kind.COUNT),
        }
        for offer in item.items():
            keys = offer.keys((), types)
            for name, type_ in types.items():
                keys[name].quantity(type_)

    def _example(
        self, keys: Keys, usual: dict[str, Json], product: str | None
    ) -> Iterator[Example]:
        name, on, document = keys["name"].text(), keys["on"].day(), keys.item.document
        if on is not None and self.start is not None and on < self.start:
            keys["on"].fault(f"there are no rules before {self.start}")
        given = self._facts(keys["given"])
        without = keys["without"].texts([fact.name for fact in self.catalogue.facts], "fact")
        for each in set(without) & set(given):
            keys["without"].fault(f"`{each}` is given and left out")
        expect = keys["expect"].plain()
        if name is None or on is None or not isinstance(expect, Mapping):
            return
        yield Example(
            name=name,
            on=on,
            product=product,
            given={key: value for key, value in (usual | given).items() if key not in without},
            expect=expect,
            file=document.file,
            line=keys.item.line,
        )

    def _facts(self, item: Item) -> dict[str, Json]:
        """The facts in *item* that can be read, as plain values."""
        facts: dict[str, Json] = {}
        for name, part in item.pairs().items():
            fact = self.catalogue.fact(name)
            if fact is None:
                hint = did_you_mean(name, (each.name for each in self.catalogue.facts))
                part.fault(f"unknown fact `{excerpt(name)}`", hint, key=True)
            elif fact.type.kind is Kind.TEXT:
                facts[name] = part.one_of(fact.type.options, fact.name)
            elif part.read(fact.read) is not None:
                facts[name] = part.plain()
        return facts
