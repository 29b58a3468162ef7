"""The examples in a folder: facts, days, and the answer that is expected; and its survivors."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property, lru_cache
from types import MappingProxyType

from attrs import define, field

from holdback.eligibility.facts import CHECKS
from holdback.eligibility.reasons import FLOOR_CODE, SERVICE_REASONS
from holdback.errors import did_you_mean, excerpt, listed
from holdback.exact.exact_json import Json
from holdback.exact.money import Currency
from holdback.jurisdictions.folder_checks import MAX_EXAMPLE_DAYS
from holdback.jurisdictions.jurisdiction import EquivalentMutant, Example
from holdback.jurisdictions.keys import (
    ANSWER,
    AS_EXPECTED,
    DISCOUNT,
    EXAMPLE,
    EXAMPLE_OF_SETTINGS,
    EXPECTED_FUNDING,
    EXPECTED_OUTCOME,
    EXPECTED_SETTINGS,
    FUNDING_EXAMPLE,
    LIMITS,
    MAX_AGE_DAYS,
    MAX_AGES,
    MONEY_OF_A_DEAL,
    NOT_OFFERED,
    OFFER,
    OFFER_KINDS,
    PRODUCT_EXAMPLE,
    RENEWAL_EXAMPLE,
    SETTLED_DEAL,
    SURVIVOR,
)
from holdback.jurisdictions.overlay import Draft, Policy
from holdback.jurisdictions.quantity import lacks_unit, read_quantity
from holdback.jurisdictions.timeline import Period, read_period
from holdback.jurisdictions.toml import Node, TomlTable
from holdback.rulebooks.rulebook import FUNDING, Rulebook
from holdback.rules import Catalogue, Kind, Type


@lru_cache(maxsize=256)
def offer_types(currency: Currency) -> Mapping[str, Type]:
    """Return the types of the fields of an expected offer; they are those of the wire."""
    types = {
        name: Type(kind, currency if kind is Kind.MONEY else None)
        for name, kind in OFFER_KINDS.items()
    }
    return MappingProxyType(types)


def typical_facts(
    renewal: TomlTable | None,
    products: TomlTable | None,
    inherited: Mapping[str, Mapping[str, Json]],
) -> dict[str, dict[str, Json]]:
    """
    Return the typical facts of both files as written, by the name of its file.

    Those of the parent, *inherited*, come first: a child's own replace them fact by fact.
    """
    tables = {"renewal": renewal, "products": products}
    return {
        part: {
            **inherited.get(part, {}),
            **({} if table is None else _as_written(table["typical"])),
        }
        for part, table in tables.items()
    }


def _as_written(typical: Node) -> dict[str, Json]:
    return {name: entry.json() for name, entry in typical.entries().items()}


def read_examples(
    draft: Draft,
    slices: tuple[Rulebook, ...],
    tables: tuple[TomlTable | None, TomlTable | None],
    typical: Mapping[str, Mapping[str, Json]],
    *,
    all_read: bool,
) -> list[Example]:
    """Return the examples of rules and settings; *typical* are the facts that the parent has."""
    renewal, products = tables
    reader = ExampleReader(policy=draft.policy, slices=slices, typical=typical, all_read=all_read)
    examples: list[Example] = []
    if draft.details is not None:
        examples += reader.settings(draft.details.examples, draft.details.checks)
    if renewal is not None:
        usual = reader.usual(renewal["typical"], "renewal")
        examples += reader.renewal(renewal["examples"], usual)
    if products is not None:
        usual = reader.usual(products["typical"], "products")
        examples += reader.product(products["examples"], usual)
        examples += reader.funding(products["funding_examples"], usual)
    return examples


@define(kw_only=True, slots=False)
class ExampleReader:
    """
    Reads the examples of a jurisdiction with *policy*, resolved into *slices*.

    *typical* are the typical facts that are inherited, by the name of the file that has them.
    *all_read* is False when some rule or product is invalid; then names that an example uses are
    not checked against them, because the name may be that of the invalid one.
    """

    policy: Policy
    slices: Sequence[Rulebook]
    typical: Mapping[str, Mapping[str, Json]]
    all_read: bool
    _days_so_far: int = field(default=0, init=False)

    @cached_property
    def fact_names(self) -> list[str]:
        """The names of the facts that an example may give or leave out."""
        return [fact.name for fact in self.policy.catalogue.facts]

    def usual(self, typical: Node, part: str) -> dict[str, Json]:
        """Return the typical facts of the file *part*, with those that are inherited."""
        return {**self.typical.get(part, {}), **given_facts(typical, self.policy.catalogue)}

    def renewal(self, examples: Node, usual: dict[str, Json]) -> Iterator[Example]:
        """Yield the examples of the renewal rules."""
        codes = [FLOOR_CODE, *(rule.code for rule in self.policy.rules)]
        for element in examples.elements():
            table = RENEWAL_EXAMPLE.table(element)
            expect = EXPECTED_OUTCOME.table(table["expect"])
            EXPECTED_OUTCOME.read(expect)
            self._check_reasons(expect, codes)
            yield from self._example(table, usual, None, None)

    def product(self, examples: Node, usual: dict[str, Json]) -> Iterator[Example]:
        """Yield the examples of the products."""
        products = self.policy.products
        for element in examples.elements():
            table = PRODUCT_EXAMPLE.table(element)
            key = PRODUCT_EXAMPLE.value(table, "product")
            versions = [product for product in products if product.key == key]
            if self.all_read and key is not None and not versions:
                table["product"].one_of([product.key for product in products], "product")
            if not table["settlement"].absent:
                self._check_settlement(table)
                yield from self._example(table, {}, key, None)
                continue
            expect = ANSWER.table(table["expect"])
            ANSWER.read(expect)
            codes = [
                rule.code
                for it in versions
                for rule in (*self.policy.rules_of(it), *it.offer_rules)
            ]
            self._check_reasons(expect, [*codes, *SERVICE_REASONS] if versions else [])
            self._check_offers(expect["offers"])
            self._check_limits(expect["limits"])
            yield from self._example(table, usual, key, self._settles(table["settles"]))

    def funding(self, examples: Node, usual: dict[str, Json]) -> Iterator[Example]:
        """Yield the examples of the funding rules."""
        codes = [rule.code for rule in self.policy.funding]
        for element in examples.elements():
            table = FUNDING_EXAMPLE.table(element)
            expect = EXPECTED_FUNDING.table(table["expect"])
            EXPECTED_FUNDING.read(expect)
            self._check_reasons(expect, codes)
            yield from self._example(table, usual, FUNDING, None)

    def _check_settlement(self, table: TomlTable) -> None:
        """Check an example about the discount for repaying a deal early, which reads no facts."""
        for key in ("settles", "given", "without"):
            if not table[key].absent:
                table[key].add_error(
                    "not_allowed",
                    f"`{key}` has no effect on a settlement",
                    "leave it out",
                    key=True,
                )
        money = Type(Kind.MONEY, self.policy.currency)
        figures = SETTLED_DEAL.table(table["settlement"])
        SETTLED_DEAL.read(figures)
        for key in MONEY_OF_A_DEAL:
            amount = read_quantity(figures[key], money)
            if amount is not None and amount <= 0:
                figures[key].add_error("out_of_range", "expected an amount above zero")
        read_quantity(DISCOUNT.table(table["expect"])["discount"], money)

    def _settles(self, node: Node) -> int | None:
        """Return the balance that an example settles, in the range of the fact."""
        balance = self.policy.catalogue.facts[self.policy.catalogue.place("balance")]
        number = read_quantity(node, balance.type)
        if number is not None and not balance.low <= number <= balance.high:
            node.add_error("out_of_range", balance.out_of_range)
        return number

    def settings(self, examples: Node, checks: Collection[str]) -> Iterator[Example]:
        """
        Yield the examples of the settings that change by date, in `jurisdiction.toml`.

        *checks* are those that the files name.
        """
        for element in examples.elements():
            table = EXAMPLE_OF_SETTINGS.table(element)
            expect = EXPECTED_SETTINGS.table(table["expect"])
            EXPECTED_SETTINGS.read(expect)
            names = tuple(dict.fromkeys((*CHECKS, *checks)))
            limits = expect[MAX_AGES].table((), names)
            for name in names:
                limits[name].integer(*MAX_AGE_DAYS)
            if table["expect"].value == {}:
                table["expect"].add_error("missing", "expected a setting", AS_EXPECTED)
            yield from self._example(table, {}, None, None)

    def _check_reasons(self, expect: TomlTable, codes: Collection[str]) -> None:
        if self.all_read and codes:
            expect["codes"].several_of(codes, "code")
        else:
            for code in expect["codes"].elements():
                code.text()
        expect["needs"].several_of(self.fact_names, "fact")

    def _check_offers(self, node: Node) -> None:
        types = offer_types(self.policy.currency)
        for offer in node.elements():
            table = OFFER.table(offer)
            for name, type_ in types.items():
                read_quantity(table[name], type_)

    def _check_limits(self, node: Node) -> None:
        table = LIMITS.table(node)
        for name in LIMITS.rows:
            read_quantity(table[name], Type(Kind.MONEY, self.policy.currency))

    def _example(
        self, table: TomlTable, usual: dict[str, Json], product: str | None, settles: int | None
    ) -> Iterator[Example]:
        """Yield the example in *table*, once for each day that it is about."""
        name, document = EXAMPLE.value(table, "name"), table.node.document
        days = list(self._days(table, product))
        given, without = self._given(table)
        expect = table["expect"].json()
        settlement = table["settlement"].json() if "settlement" in table else None
        if name is None or not isinstance(expect, Mapping) or self._too_many(table, len(days)):
            return
        facts = {key: value for key, value in (usual | given).items() if key not in without}
        for on in days:
            yield Example(
                name=name,
                on=on,
                product=product,
                given=facts,
                settles=settles,
                settlement=settlement if isinstance(settlement, Mapping) else None,
                expect=expect,
                file=document.file,
                line=table.node.line,
            )

    def _too_many(self, table: TomlTable, days: int) -> bool:
        """Return whether *days* more are too many, adding an error for the first that are."""
        before, self._days_so_far = self._days_so_far, self._days_so_far + days
        if before <= MAX_EXAMPLE_DAYS < self._days_so_far:
            table["name"].add_error(
                "too_large",
                f"up to here the examples run on more than {MAX_EXAMPLE_DAYS} days",
                "an example with `from` runs on every later date of change: write `on`, or `until`",
            )
        return self._days_so_far > MAX_EXAMPLE_DAYS

    def _given(self, table: TomlTable) -> tuple[dict[str, Json], tuple[str, ...]]:
        """Return the facts that an example gives, and the names of those that it leaves out."""
        if "given" not in table:
            return {}, ()  # an example of settings
        given = given_facts(table["given"], self.policy.catalogue)
        without = table["without"].several_of(self.fact_names, "fact")
        for name in set(without) & set(given):
            table["without"].add_error("contradiction", f"`{name}` is given and left out")
        return given, without

    def _days(self, table: TomlTable, product: str | None) -> Iterator[date]:
        """Yield the day `on`; or `from`, and the days up to `until` on which rules change."""
        on, period = table["on"].day(), None
        if table["on"].absent == table["from"].absent:
            table.node.add_error(
                "contradiction",
                "expected either `on` (one day) or `from` (that day and every later change)",
                key=True,
            )
            return
        if on is not None:
            if not table["until"].absent:
                table["until"].add_error("not_allowed", "`until` belongs to `from`", key=True)
            period = Period(on)
        elif not table["from"].absent:
            period = read_period(table)
        if period is None or not self.slices:
            return
        where = table["on"] if table["from"].absent else table["from"]
        if period.start < self.slices[0].since:
            where.add_error("out_of_range", f"there are no rules before {self.slices[0].since}")
            return
        days = [period.start]
        if on is None:
            later = (rulebook.since for rulebook in self.slices if rulebook.since > period.start)
            days += [day for day in later if day in period]
        exists = any(version.key == product for version in self.policy.products)
        # Rules may answer differently after each change, so the example runs on all of these days.
        for day in days:
            if self.all_read and exists and product is not None:
                self._check_offered(table, product, day, where)
            yield day

    def _check_offered(self, table: TomlTable, product: str, day: date, where: Node) -> None:
        """Add an error if *product* is not offered on *day* and the example expects an answer."""
        expect = table["expect"].value
        expects_none = isinstance(expect, Mapping) and expect.get("decision") == NOT_OFFERED
        begun = bisect_right(self.slices, day, key=lambda rulebook: rulebook.since)
        is_offered = begun and self.slices[begun - 1].product(product) is not None
        if not is_offered and not expects_none:
            hint = f'an example may expect that: `decision = "{NOT_OFFERED}"`'
            where.add_error("unknown_name", f"`{product}` is not offered on {day}", hint)


def given_facts(node: Node, catalogue: Catalogue) -> dict[str, Json]:
    """Return the facts of *catalogue* that *node* gives, with their values as written."""
    facts: dict[str, Json] = {}
    names = [fact.name for fact in catalogue.facts]
    for name, entry in node.entries().items():
        fact = catalogue.fact(name)
        if fact is None:
            hint = did_you_mean(name, names) or f"the facts are {listed(names, name)}"
            entry.add_error("unknown_name", f"unknown fact `{excerpt(name)}`", hint, key=True)
        elif fact.type.kind is Kind.TEXT:
            facts[name] = entry.one_of(fact.type.options, fact.name)
        elif not lacks_unit(entry, fact.type) and entry.converted(fact.read) is not None:
            facts[name] = entry.json()
    return facts


def read_equivalent_mutants(node: Node) -> Iterator[EquivalentMutant]:
    """Yield the valid entries of `survivors` in *node*."""
    for element in node.elements():
        table = SURVIVOR.table(element)
        mutant, reason = (SURVIVOR.value(table, key) for key in ("mutant", "reason"))
        if mutant is not None and reason is not None:
            yield EquivalentMutant(
                mutant=mutant, reason=reason, file=element.document.file, line=element.line
            )
