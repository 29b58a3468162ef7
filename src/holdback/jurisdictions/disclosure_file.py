"""
What `disclosures.toml` says: the law on disclosures of a jurisdiction, resolved by date.

The law has dates of its own, which are not those of the rules: a lender may have begun to write its
rules down years after the law. Without a file, a child has the law of its parent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import Any, Final, Generic, TypeVar

from attrs import define, field

from holdback.disclosures.figure_facts import figure_catalogue
from holdback.eligibility.ruleset import PLACEHOLDER
from holdback.errors import RuleError, excerpt
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.jurisdictions.declared_facts import read_facts
from holdback.jurisdictions.examples import given_facts
from holdback.jurisdictions.jurisdiction import Example
from holdback.jurisdictions.jurisdiction_file import read_format
from holdback.jurisdictions.keys import (
    CONDITION,
    DISCLOSURE_EXAMPLE,
    DISCLOSURE_TEXT,
    DISCLOSURES,
    EXEMPTION,
    EXPECTED_DUE,
    ITEM,
    SENTENCE,
    Keys,
    add_rule_error,
    dated_form,
    read_sentence,
)
from holdback.jurisdictions.source_rules import invalid_name
from holdback.jurisdictions.timeline import (
    ALWAYS,
    Period,
    Timeline,
    read_period,
    read_timeline,
)
from holdback.jurisdictions.toml import Node, TomlTable
from holdback.rulebooks.regime import DISCLOSURES as OF_DISCLOSURES
from holdback.rulebooks.regime import Condition, Item, Regime, Sentence
from holdback.rules import Catalogue, Checked, Kind, check
from holdback.rules.number_format import NumberFormat, plain_format

# More lines and conditions than any law has; each is looked up on each date of change.
MAX_PARTS: Final = 100
_RATE: Final = "apr"
# What uses facts and texts.
_PARTS: Final = ("title", "foot", "conditions", "exemptions", "items")
_WORD: Final = re.compile(r"[a-z][a-z0-9_]*")

_Part = TypeVar("_Part", Condition, Item)


@frozen
class _InForce(Generic[_Part]):
    """A part of a regime and the period in which it is in force."""

    part: _Part
    period: Period


def read_disclosures(
    root: Node, code: str, currency: Currency, figures: NumberFormat | None
) -> tuple[tuple[Regime, ...], tuple[Example, ...]]:
    """
    Return the regimes and the examples of the file with this *root*; none when it has errors.

    There is a regime from each change date on. *code* is that of the jurisdiction, and *figures* is
    how it writes figures.
    """
    before = len(root.document.errors)
    table = DISCLOSURES.table(root)
    read_format(table["format"])
    values = DISCLOSURES.read(table)
    period, required = read_period(table), None
    if not table["required"].absent:
        required = read_timeline(table["required"], dated_form(DISCLOSURES.rows["required"]).reader)
    figures_alone = figure_catalogue(currency)
    facts = read_facts(table["facts"], currency, (), figures_alone)
    catalogue = figures_alone.with_facts(facts)
    reader = _Reader(catalogue, rated=values["rate"] is not None or not table["rate"].absent)
    reader.read_texts(table["texts"])
    # Everything is read before anything is judged, so that all errors are reported at once.
    within = period or ALWAYS
    parts: dict[str, list[_InForce[Any]]] = {
        "conditions": reader.conditions(table["conditions"], CONDITION, "require", within),
        "exemptions": reader.conditions(table["exemptions"], EXEMPTION, "when", within),
        "items": reader.items(table["items"], within),
    }
    title = reader.sentence(table["title"])
    foot = [reader.sentence(node) for node in table["foot"].elements()]
    examples = list(_examples(table["examples"], catalogue, _stated_ids(table)))
    reader.add_unused(table, is_valid=len(root.document.errors) == before)
    changes = _changes(within, required, parts)
    if period is not None and len(parts["items"]) == len(table["items"].elements()) > 0:
        _add_days_without_items(table["items"], parts["items"], changes)
    if len(root.document.errors) > before or title is None or period is None:
        return (), ()
    common: dict[str, Any] = {
        **_stated(values),
        "code": code,
        "file": root.document.file,
        "until": period.end,
        "title": title,
        "foot": tuple(foot),
        "texts": reader.texts,
        "meanings": reader.meanings,
        "catalogue": catalogue,
        "number_format": figures or plain_format(currency),
    }

    def regime(day: date) -> Regime:
        required_then = None if required is None else required.value_on(day)
        in_force: dict[str, Any] = {
            name: tuple(dated.part for dated in every if day in dated.period)
            for name, every in parts.items()
        }
        return Regime(since=day, required=required_then, **in_force, **common)

    return tuple(map(regime, changes)), tuple(examples)


def _stated(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a regime has of the *values* of its file, the same on all days."""
    return {
        **{name: values[name] for name in ("law", "rate")},
        **{name: bool(values[name]) for name in ("overstatement_counts", "signed")},
        "month": Fraction(values["month_days"]),
    }


def _changes(
    within: Period, required: Timeline[str] | None, parts: dict[str, list[_InForce[Any]]]
) -> list[date]:
    """Return the days of *within* on which something begins or ends, its first among them."""
    days = {within.start, *(() if required is None else required.changes)}
    days |= {day for every in parts.values() for dated in every for day in dated.period.changes}
    return sorted(day for day in days if day in within)


def _add_days_without_items(
    node: Node, items: list[_InForce[Item]], changes: Iterable[date]
) -> None:
    """Add an error for the first of *changes* on which no item is in force."""
    for day in changes:
        if not any(day in item.period for item in items):
            hint = "a disclosure shows something on every day of the law"
            node.add_error("missing", f"there is no item on {day}", hint, key=True)
            return


@define
class _Reader:
    """
    Reads the parts of a regime, whose expressions and sentences name facts of `catalogue`.

    `rated` says whether the law asks for an annual rate, and `used` are the names that any part
    uses.
    """

    catalogue: Catalogue
    rated: bool = field(kw_only=True)
    texts: dict[str, str | None] = field(factory=dict)
    meanings: dict[str, str] = field(factory=dict)
    _used: set[str] = field(factory=set)
    _misnamed: bool = False

    def read_texts(self, node: Node) -> None:
        """Read the texts that a host states, of which none has the name of a figure or a fact."""
        for name, entry in node.entries().items():
            table = DISCLOSURE_TEXT.table(entry)
            values = DISCLOSURE_TEXT.read(table)
            invalid = invalid_name(name, "collateral")
            if invalid is not None:
                entry.add_error(*invalid, key=True)
            elif self.catalogue.fact(name) is not None:
                message = f"`{name}` is a figure or a fact"
                entry.add_error("duplicate", message, "give the text another name", key=True)
            self.texts[name] = values["default"]
            self.meanings[name] = values["meaning"] or ""

    def sentence(self, node: Node) -> str | None:
        """Return the sentence in *node*, with figures, facts and texts in braces."""
        names = [*self.texts, *(fact.name for fact in self.catalogue.facts)]
        sentence = read_sentence(node, names)
        self._misnamed |= sentence is None and not node.absent
        self._use(node, [] if sentence is None else PLACEHOLDER.findall(sentence))
        return sentence

    def expression(self, table: TomlTable, keys: Keys, key: str) -> Checked | None:
        """Return the condition of *table* under *key*, checked; None when absent or invalid."""
        tree = keys.value(table, key)
        if tree is None:
            return None
        try:
            checked = check(tree, self.catalogue, Kind.FLAG)
        except RuleError as error:
            add_rule_error(table[key], error)
            self._misnamed = True
            return None
        self._use(table[key], checked.names)
        return checked

    def _use(self, node: Node, names: Iterable[str]) -> None:
        self._used.update(names)
        if _RATE in names and not self.rated:
            node.add_error(
                "not_allowed",
                f"`{_RATE}` is the annual rate, for which this law does not ask",
                "give the method as `rate`, or leave the figure out",
            )

    def conditions(
        self, node: Node, keys: Keys, key: str, within: Period
    ) -> list[_InForce[Condition]]:
        """Return the valid conditions in *node*, whose expression is under *key*."""
        valid: list[_InForce[Condition]] = []
        for element in self._elements(node):
            table = keys.table(element)
            values = keys.read(table)
            checked, period = self.expression(table, keys, key), _period(table, within)
            if checked is None or period is None or None in (values["id"], values["source"]):
                continue
            condition = Condition(
                id=values["id"],
                checked=checked,
                source=values["source"],
                file=element.document.file,
                line=element.line,
            )
            _add(valid, condition, period, table)
        return valid

    def items(self, node: Node, within: Period) -> list[_InForce[Item]]:
        """Return the valid items in *node*."""
        valid: list[_InForce[Item]] = []
        if node.value == []:
            node.add_error("missing", "expected at least one item", key=True)
        for element in self._elements(node):
            table = ITEM.table(element)
            values, period = ITEM.read(table), _period(table, within)
            value = self.sentence(table["value"])
            when = self.expression(table, ITEM, "when")
            sentences = tuple(map(self._sentence, table["sentences"].elements()))
            if period is None or None in (values["id"], values["label"], values["source"]):
                continue
            item = Item(
                **{name: values[name] for name in ("id", "label", "source")},
                value=value or "",
                when=when,
                sentences=sentences,
            )
            _add(valid, item, period, table)
        return valid

    def _sentence(self, node: Node) -> Sentence:
        table = SENTENCE.table(node)
        text = self.sentence(table["text"]) or ""
        return Sentence(text=text, when=self.expression(table, SENTENCE, "when"))

    def _elements(self, node: Node) -> list[Node]:
        if isinstance(node.value, list) and len(node.value) > MAX_PARTS:
            node.add_error("too_large", f"expected at most {MAX_PARTS}", key=True)
            return []
        return node.elements()

    def add_unused(self, table: TomlTable, *, is_valid: bool) -> None:
        """
        Add an error for every text that no sentence names, and every fact that nothing reads.

        In a file that is not valid, a part that could not be read may use every word in it, and one
        with an unknown name may mean any of them.
        """
        if self._misnamed:
            return
        if not is_valid:
            self._used.update(_words([table[key].value for key in _PARTS]))
        for key, said in (("texts", "no sentence names it"), ("facts", "nothing reads it")):
            for name, node in table[key].entries().items():
                if name not in self._used:
                    message = f"`{excerpt(name)}` has no effect: {said}"
                    node.add_error("no_effect", message, "leave it out, or use it", key=True)


def _words(value: object) -> Iterator[str]:
    """Yield each word in the texts of a *value* of TOML."""
    if isinstance(value, str):
        yield from _WORD.findall(value)
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _words(part)


def _period(table: TomlTable, within: Period) -> Period | None:
    """Return the period of a part of a regime, which is in force *within* its period."""
    period = read_period(table, within)
    if period is not None and not period.overlaps(within):
        where = table.node if table["from"].absent else table["from"]
        where.add_error(
            "no_effect", "the law is in force on no day of this", "correct `from` and `until`"
        )
        return None
    return period


def _add(valid: list[_InForce[_Part]], part: _Part, period: Period, table: TomlTable) -> None:
    """Add *part* to the *valid* ones, and an error where one of its id is in force already."""
    if any(row.part.id == part.id and row.period.overlaps(period) for row in valid):
        table["id"].add_error(
            "duplicate",
            f"there is a `{part.id}` on these days already",
            "one that changes ends with `until` where the next version begins",
        )
    valid.append(_InForce(part, period))


def _stated_ids(table: TomlTable) -> list[str]:
    """Return the ids of the conditions and exemptions in *table*, of invalid ones too."""
    nodes = [node for key in ("conditions", "exemptions") for node in table[key].elements()]
    ids = (node.value.get("id") for node in nodes if isinstance(node.value, dict))
    return [name for name in ids if isinstance(name, str)]


def _examples(node: Node, catalogue: Catalogue, ids: list[str]) -> Iterator[Example]:
    """Yield the examples in *node*, with facts of *catalogue* and the *ids* of conditions."""
    for element in node.elements():
        table = DISCLOSURE_EXAMPLE.table(element)
        expect = EXPECTED_DUE.table(table["expect"])
        name, due = DISCLOSURE_EXAMPLE.value(table, "name"), EXPECTED_DUE.value(expect, "due")
        decided_by = expect["decided_by"].several_of(ids, "condition")
        if due and decided_by:
            expect["decided_by"].add_error(
                "contradiction", "it is due, so nothing decides against it", "leave it out"
            )
        given, on = given_facts(table["given"], catalogue), table["on"].day()
        if name is not None and on is not None and due is not None:
            yield Example(
                name=name,
                on=on,
                product=OF_DISCLOSURES,
                given=given,
                expect={"due": due, "decided_by": list(decided_by)},
                file=element.document.file,
                line=element.line,
            )
