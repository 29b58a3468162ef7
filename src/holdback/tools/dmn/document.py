"""The rulebook of a day as a document of DMN 1.3: facts, parameters, rules, outcomes, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final
from xml.etree import ElementTree as ET

from attrs import define, field

from holdback.eligibility.assessment import (
    ELIGIBLE,
    FLOOR_PERCENT,
    INELIGIBLE,
    NOT_ASSESSED,
    REFERRED,
    UNDETERMINED,
)
from holdback.eligibility.ruleset import REFER, Rule, RuleSet
from holdback.errors import ErrorDetail, InvalidDocument, RuleError, listed
from holdback.jurisdictions.source_tables import REQUIRE, ROW, SourceTable, TableRow
from holdback.merchant import product
from holdback.rulebooks.rulebook import FUNDING, Rulebook
from holdback.rules import Catalogue, Checked, Kind, check
from holdback.rules.types import Type
from holdback.tools.dmn.feel_text import (
    RESERVED,
    allowed_values,
    feel_text,
    feel_type,
    feel_value,
    requirement,
    unary_tests,
)

# DMN 1.3, which every editor and engine of DMN reads, and the attributes of our own in it.
DMN: Final = "https://www.omg.org/spec/DMN/20191111/MODEL/"
HOLDBACK: Final = "urn:holdback:dmn"
# The columns that say something of a row and decide nothing.
NOTES: Final = (ROW, "code", "reason", "source")
# What a table has besides its cells, except for its id and its products.
KEYS: Final = ("code", "source", "reason", "from", "until")
_NOT_XML: Final = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# What a false rule that declines leads to, an unknown rule, a false one that refers, and none.
_RENEWAL: Final = (INELIGIBLE, UNDETERMINED, REFERRED, ELIGIBLE)
_PAYOUT: Final = ("refused", "refused", "refused", "paid out")
_PRODUCT: Final = (product.DECLINED, product.REFERRED, product.REFERRED, product.ACCEPTED)
_UNITS: Final = {
    Kind.PERCENT: "A number of percent: 64.5 is 64.5%.",
    Kind.DAYS: "A number of days.",
    Kind.COUNT: "A whole number.",
    Kind.RATIO: "A ratio.",
}


def dmn_document(rulebook: Rulebook, tables: Iterable[SourceTable] = ()) -> str:
    """
    Return *rulebook* as a document of DMN 1.3, with the *tables* from which it has rules.

    Raises:
        InvalidDocument: a name cannot be written in FEEL, or a cell of a table is invalid.
    """
    written = _Document(rulebook)
    for key, rules in rulebook.rulesets.items():
        for rule in rules.rules:
            written.rule(rule)
        written.outcome(key, rules)
    # The prices of a table are in no rule; the rules of its rows are in the document all the same.
    for table in (table for table in tables if not table.results):
        written.table(table)
    return written.text()


@define
class _Document:
    """A document while it is written: its decisions, and the names that they read."""

    rulebook: Rulebook
    decisions: dict[str, ET.Element] = field(factory=dict)
    read: set[str] = field(factory=set)

    @property
    def catalogue(self) -> Catalogue:
        return self.rulebook.catalogue

    def rule(self, rule: Rule) -> None:
        """Add *rule*; one that several products have is one decision."""
        if rule.code not in self.decisions:
            comes = "refers" if rule.otherwise == REFER else "declines"
            said = f"{rule.id}: where it is false it {comes}. {rule.reason} ({rule.source})"
            of_table = getattr(rule.origin, "of_table", None)
            own = {"row_of": of_table} if of_table else {}
            decision = self.decision(rule.code, said, "boolean", _names(rule.checked), **own)
            _add(decision, "literalExpression", feel_text(rule.checked.tree))

    def outcome(self, key: str | None, rules: RuleSet) -> None:
        """Add what the *rules* of renewals (None), of a product or of payouts lead to together."""
        every = [rule.code for rule in rules.rules]
        refer = [rule.code for rule in rules.rules if rule.otherwise == REFER]
        decline = [code for code in every if code not in refer]
        looked = ((decline, "false"), (every, "null"), (refer, "false"))
        asked = [
            f"list contains([{feel_name(', '.join(codes))}], {like})" for codes, like in looked
        ]
        *words, last = {None: _RENEWAL, FUNDING: _PAYOUT}.get(key, _PRODUCT)
        name = {None: "Renewal", FUNDING: "Funding"}.get(key, f"Product-{key}")
        if key is None:
            every = ["progress", *every]
            asked = ["progress = null", f"progress < {FLOOR_PERCENT}", *asked]
            words = [UNDETERMINED, NOT_ASSESSED, *words]
        # Of no rule there is nothing to ask.
        pairs = [(so, word) for so, word in zip(asked, words, strict=True) if "[]" not in so]
        lines = [f'if {so} then "{word}"' for so, word in pairs]
        said = (
            "What the rules lead to together. Limits, prices and decisions of people are left out."
        )
        decision = self.decision(name, said, "string", every)
        _add(decision, "literalExpression", "\nelse ".join([*lines, f'"{last}"']))

    def table(self, table: SourceTable) -> None:
        """Add *table*, without the rows that a child switched off or replaced."""
        held = {id(rule.origin) for rule in self.rulebook.all_rules}
        rows = [row for row in table.rows if row.rule is None or id(row.rule) in held]
        asked = [self.checked(row) for row in rows]
        own = {key: str(table.table[key].value) for key in KEYS if key in table.table}
        own |= {} if table.products is None else {"products": " ".join(table.products)}
        said = "Which row takes a deal, and what it asks. What follows is in the rules of its rows."
        read = [name for row in asked for cell in row.values() for name in _names(cell)]
        names = dict.fromkeys([*table.facts, *read])
        decision = self.decision(f"Table-{table.id}", said, None, names, table=table.id, **own)
        # Of rows that answer alike a deal may have several, and of others one.
        logic = _add(decision, "decisionTable", hitPolicy="ANY")
        required = [name for name in table.columns if name.startswith(f"{REQUIRE} ")]
        notes = [name for name in NOTES if name in table.columns]
        for name in table.facts:
            clause = _add(logic, "input", label=self.catalogue.label(name))
            _add(clause, "inputExpression", name, typeRef=f"T_{name}")
        for name in required:
            _add(logic, "output", name=name, typeRef="boolean")
        _add(logic, "output", name="answer", typeRef="string")
        for name in notes:
            _add(logic, "annotation", name=name)
        for row, tests in zip(rows, asked, strict=True):
            line = _add(logic, "rule")
            for name in table.facts:
                _add(line, "inputEntry", unary_tests(tests[name].tree) if name in tests else "-")
            for name in required:
                _add(
                    line, "outputEntry", requirement(tests[name].tree) if name in tests else "true"
                )
            _add(line, "outputEntry", f'"{row.result[0]}"')
            for name in notes:
                _add(line, "annotationEntry", row.cells[table.columns.index(name)])

    def checked(self, row: TableRow) -> Mapping[str, Checked]:
        """
        Return what the cells of *row* ask, by column.

        Raises:
            InvalidDocument: of a row without a rule, nobody has checked it before.
        """
        try:
            cells = {**row.tests, **row.required}.items()
            return {name: check(tree, self.catalogue, Kind.FLAG) for name, tree in cells}
        except RuleError as error:
            said = {"message": error.message, "hint": error.hint, **row.node.position()}
            raise InvalidDocument([ErrorDetail(code="invalid_rule", **said)]) from None

    def decision(
        self, name: str, said: str, kind: str | None, reads: Iterable[str], **own: str
    ) -> ET.Element:
        """Add the decision *name*, which *reads* facts, parameters and other decisions."""
        while name in self.decisions:
            name = f"{name}-again"  # tables of renewals and of products may share an id
        own = {f"holdback:{key}": value for key, value in own.items()}
        made = self.decisions[name] = _element("decision", id=name, name=feel_name(name), **own)
        _add(made, "description").text = _xml(said)
        _add(made, "variable", name=feel_name(name), **({"typeRef": kind} if kind else {}))
        for read in reads:
            self.read.add(read)
            of = "requiredDecision" if self.catalogue.fact(read) is None else "requiredInput"
            _add(_add(made, "informationRequirement"), of, href=f"#{read}")
        return made

    def text(self) -> str:
        """
        Return the document.

        Raises:
            InvalidDocument: a name that it reads cannot be written in FEEL.
        """
        if RESERVED & self.read:
            names = listed(sorted(RESERVED & self.read))
            message = f"{names} cannot be names in FEEL, the language of DMN"
            hint = "give the fact or the parameter another name"
            raise InvalidDocument.of("not_allowed", message, hint=hint)
        rulebook = self.rulebook
        title = f"{rulebook.code}:{rulebook.on}"
        spaces = {"xmlns": DMN, "xmlns:holdback": HOLDBACK, "namespace": f"{HOLDBACK}:{title}"}
        root = _element("definitions", id="holdback", name=title, exporter="holdback", **spaces)
        said = f"The rules of {rulebook.name} on {rulebook.on}, {rulebook.digest}. Unknown is null."
        _add(root, "description").text = _xml(said)
        facts = [fact for fact in self.catalogue.facts if fact.name in self.read]
        for fact in facts:
            made = _add(root, "itemDefinition", name=f"T_{fact.name}")
            _add(made, "typeRef").text = feel_type(fact.type)
            _add(made, "allowedValues", allowed_values(fact))
        for fact in facts:
            made = _add(root, "inputData", id=fact.name, name=fact.name)
            _add(made, "description").text = _xml(f"{fact.description} {_unit(fact.type)}".strip())
            _add(made, "variable", name=fact.name, typeRef=f"T_{fact.name}")
        constants = _Document(rulebook)
        for name, constant in self.catalogue.parameters.items():
            if name in self.read:
                said = f"{_unit(constant.type)} ({constant.source})"
                made = constants.decision(name, said, feel_type(constant.type), ())
                _add(made, "literalExpression", feel_value(constant.type, constant.number))
        root.extend((constants.decisions | self.decisions).values())
        ET.indent(root)
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def feel_name(name: str) -> str:
    """
    Return the *name* of a rule, a table or a product in FEEL, where a hyphen is a minus.

    >>> feel_name("GB-R-01")
    'GB_R_01'
    """
    return name.replace("-", "_")


def _unit(type_: Type) -> str:
    """Return in which unit a number of *type_* is."""
    return f"A number of {type_.currency}." if type_.currency else _UNITS.get(type_.kind, "")


def _names(checked: Checked) -> tuple[str, ...]:
    """Return the names of the facts and parameters that *checked* reads."""
    return (*checked.names, *checked.parameters)


def _element(tag: str, **attributes: str) -> ET.Element:
    return ET.Element(tag, {key: _xml(value) for key, value in attributes.items()})


def _add(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    """Return a new element in *parent*; with *text*, it has an element `text`."""
    element = _element(tag, **attributes)
    parent.append(element)
    if text is not None:
        ET.SubElement(element, "text").text = _xml(text)
    return element


def _xml(text: str) -> str:
    """Return *text* without the characters that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
