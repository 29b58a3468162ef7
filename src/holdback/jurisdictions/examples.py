"""The examples in a folder: what must come out, for which facts, on which days."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Final

from attrs import define

from holdback.eligibility import FLOOR_CODE, OUTCOMES
from holdback.errors import did_you_mean
from holdback.exact_json import Json
from holdback.jurisdictions.jurisdiction_file import TIMELINES
from holdback.jurisdictions.overlay import Policy
from holdback.jurisdictions.rulebook import Example, ProductTerms, Rulebook
from holdback.jurisdictions.timeline import Period, read_period
from holdback.model.product import ACCEPTED, DECLINED, REFERRED
from holdback.money import Currency
from holdback.rules import Kind, Type
from holdback.toml.document import excerpt
from holdback.toml.node import Item, Keys

# What a product's example may expect besides a decision: that there is no such product on the day.
NOT_OFFERED: Final = "Not offered"
DECISIONS: Final = (ACCEPTED, REFERRED, DECLINED, NOT_OFFERED)


@lru_cache(maxsize=256)
def offer_types(currency: Currency) -> Mapping[str, Type]:
    """The fields of an expected offer: those of the wire, with their units; `term_days` are whole days."""
    money = Type(Kind.MONEY, currency)
    types = {
        "funded_amount": money,
        "repayment_amount": money,
        "split_percentage": Type(Kind.PERCENT),
        "factor_rate": Type(Kind.RATIO),
        "term_length": Type(Kind.RATIO),
        "term_days": Type(Kind.COUNT),
    }
    return MappingProxyType(types)


_LIMITS: Final = ("minimum", "maximum")


@define(kw_only=True, slots=False)
class ExampleReader:
    """
    Reads the examples of a jurisdiction with that *policy*, cut into *slices*.

    While not all rules and products could be read, an example that names one is not blamed.
    """

    policy: Policy
    slices: Sequence[Rulebook]
    all_read: bool

    @cached_property
    def names(self) -> list[str]:
        """The names of the facts that an example may give or leave out."""
        return [fact.name for fact in self.policy.catalogue.facts]

    def renewal(self, examples: Item, typical: Item) -> Iterator[Example]:
        """The examples of the renewal rules."""
        usual = self._facts(typical)
        codes = [FLOOR_CODE, *(rule.code for rule in self.policy.rules)]
        for item in examples.items():
            keys = item.keys(("name", "expect"), ("on", "from", "until", "given", "without"))
            expect = keys["expect"].keys(("outcome",), ("codes", "needs"))
            expect["outcome"].one_of(OUTCOMES, "outcome")
            self._because(expect, codes)
            yield from self._example(keys, usual, None, None)

    def product(self, examples: Item, typical: Item) -> Iterator[Example]:
        """The examples of the products."""
        usual, known = self._facts(typical), self.policy.products
        for item in examples.items():
            keys = item.keys(
                ("name", "product", "expect"),
                ("on", "from", "until", "settles", "given", "without"),
            )
            key = keys["product"].text()
            versions = [each for each in known if each.key == key]
            if self.all_read and key is not None and not versions:
                keys["product"].one_of([each.key for each in known], "product")
            expect = keys["expect"].keys(("decision",), ("limits", "offers", "codes", "needs"))
            expect["decision"].one_of(DECISIONS, "decision")
            self._because(expect, [rule.code for each in versions for rule in each.rules])
            self._offers(expect["offers"])
            self._limits(expect["limits"])
            settles = keys["settles"].quantity(Type(Kind.MONEY, self.policy.currency))
            yield from self._example(keys, usual, key, settles)

    def settings(self, examples: Item) -> Iterator[Example]:
        """The examples of the settings that change by date, in `jurisdiction.toml`."""
        for item in examples.items():
            keys = item.keys(("name", "expect"), ("on", "from", "until"))
            expect = keys["expect"].keys((), TIMELINES)
            for name, (low, high) in TIMELINES.items():
                expect[name].whole(low, high)
            if keys["expect"].value == {}:
                keys["expect"].fault("expected a setting", "as `offers_valid_hours = 720`")
            yield from self._example(keys, {}, None, None)

    def _because(self, expect: Keys, codes: Collection[str]) -> None:
        if self.all_read and codes:
            expect["codes"].texts(codes, "code")
        else:
            for code in expect["codes"].items():
                code.text()
        expect["needs"].texts(self.names, "fact")

    def _offers(self, item: Item) -> None:
        types = offer_types(self.policy.currency)
        for offer in item.items():
            keys = offer.keys((), types)
            for name, type_ in types.items():
                keys[name].quantity(type_)

    def _limits(self, item: Item) -> None:
        keys = item.keys((), _LIMITS)
        for name in _LIMITS:
            keys[name].quantity(Type(Kind.MONEY, self.policy.currency))

    def _example(
        self, keys: Keys, usual: dict[str, Json], product: str | None, settles: int | None
    ) -> Iterator[Example]:
        """The example with those *keys*, once for each slice that it is about."""
        name, document = keys["name"].text(), keys.item.document
        days = list(self._days(keys, product))
        given, without = self._given(keys)
        expect = keys["expect"].plain()
        if name is None or not isinstance(expect, Mapping):
            return
        for on in days:
            yield Example(
                name=name,
                on=on,
                product=product,
                given={key: value for key, value in (usual | given).items() if key not in without},
                settles=settles,
                expect=expect,
                file=document.file,
                line=keys.item.line,
            )

    def _given(self, keys: Keys) -> tuple[dict[str, Json], tuple[str, ...]]:
        """The facts that an example gives, and those that it leaves out; an example of settings has none."""
        if "given" not in keys:
            return {}, ()
        given = self._facts(keys["given"])
        without = keys["without"].texts(self.names, "fact")
        for each in set(without) & set(given):
            keys["without"].fault(f"`{each}` is given and left out")
        return given, without

    def _days(self, keys: Keys, product: str | None) -> Iterator[date]:
        """The day `on`; or with `from` and `until`, each day of those on which anything changes."""
        on, period = keys["on"].day(), None
        if keys["on"].absent == keys["from"].absent:
            keys.item.fault(
                "expected `on`, a day, or `from`, the first of many", "one of them", key=True
            )
            return
        if on is not None:
            if not keys["until"].absent:
                keys["until"].fault("`until` belongs to `from`", key=True)
            period = Period(on)
        elif not keys["from"].absent:
            period = read_period(keys)
        if period is None or not self.slices:
            return
        where = keys["on"] if keys["from"].absent else keys["from"]
        if period.start < self.slices[0].since:
            where.fault(f"there are no rules before {self.slices[0].since}")
            return
        days = [period.start]
        if on is None:
            later = (each.since for each in self.slices if each.since > period.start)
            days += [day for day in later if day in period]
        for day in days:
            known = any(each.key == product for each in self.policy.products)
            if self.all_read and known and product is not None:
                self._offered(keys, product, day, where)
            yield day

    def _offered(self, keys: Keys, product: str, day: date, where: Item) -> None:
        """Note that *product* is offered on *day* and should not be, or the other way round."""
        expect = keys["expect"].value
        absent = isinstance(expect, Mapping) and expect.get("decision") == NOT_OFFERED
        if self._terms(product, day) is None and not absent:
            hint = f'an example may expect that: `decision = "{NOT_OFFERED}"`'
            where.fault(f"`{product}` is not offered on {day}", hint)

    def _terms(self, product: str, day: date) -> ProductTerms | None:
        in_force = [each for each in self.slices if each.since <= day]
        offered = in_force[-1].products if in_force else ()
        return next((each for each in offered if each.key == product), None)

    def _facts(self, item: Item) -> dict[str, Json]:
        """The facts in *item* that can be read, as plain values."""
        facts: dict[str, Json] = {}
        for name, part in item.pairs().items():
            fact = self.policy.catalogue.fact(name)
            if fact is None:
                hint = did_you_mean(name, (each.name for each in self.policy.catalogue.facts))
                part.fault(f"unknown fact `{excerpt(name)}`", hint, key=True)
            elif fact.type.kind is Kind.TEXT:
                facts[name] = part.one_of(fact.type.options, fact.name)
            elif not part.lacks_unit(fact.type) and part.read(fact.read) is not None:
                facts[name] = part.plain()
        return facts
