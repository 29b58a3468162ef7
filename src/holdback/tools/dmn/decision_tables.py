"""The decision tables of a document of DMN as tables of tiers, and what of it is none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import define, field

from holdback.eligibility.ruleset import DECLINE, REFER
from holdback.errors import (
    ErrorDetail,
    InvalidDocument,
    InvalidValue,
    RuleError,
    did_you_mean,
    excerpt,
    listed,
)
from holdback.frozen_classes import frozen
from holdback.jurisdictions.keys import ID, PRODUCTS, RENEWAL, SHARED_TABLE, TABLE
from holdback.jurisdictions.quantity import toml_text
from holdback.jurisdictions.source_tables import ANSWER, ASKS_NOTHING, REQUIRE, ROW, read_tables
from holdback.jurisdictions.toml import read_toml
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Kind, check
from holdback.tools.dmn.document import KEYS, NOTES
from holdback.tools.dmn.feel_cells import ANY, cell_text, feel_string
from holdback.tools.dmn.xml_reader import Element, read_xml
from holdback.tools.workbench.table_files import toml_lines

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_ANSWERS: Final = (ASKS_NOTHING, DECLINE, REFER)
_DATES: Final = ("from", "until")
_WORDS: Final = re.compile(r"[\w ]+")
# A percentage that somebody may have meant as a share: 0.8 for 80%.
_SHARE: Final = re.compile(r"(?<![\d.])(?:0\.\d*[1-9]\d*|1(?:\.0+)?)%")
# The namespaces of DMN, of which each version has its own.
_DMN: Final = re.compile(r"https?://www\.omg\.org/spec/DMN/\S+")
_COLUMNS: Final = f"name it `answer` or one of {listed(NOTES)}, or `{REQUIRE}` and a fact"
_CELLS: Final = "a cell is a value, values, a comparison or a band; write a rule for more"
# What a file may lack, and what the table is read with until its author adds it.
_LACKING: Final = {"code": "{}-R-0", "source": "none", "from": "2000-01-01"}
_NOT_READ: Final = {
    "decision": "an expression",
    "businessKnowledgeModel": "a function",
    "decisionService": "a decision service",
    "import": "another file",
}


@frozen(kw_only=True)
class ReadTables:
    """
    The tables of a document as TOML to paste, and the errors of those that are something else.

    `left_out` says what else is in the document and was not read, each with its line.
    """

    texts: tuple[str, ...]
    errors: tuple[ErrorDetail, ...]
    left_out: tuple[str, ...]


def read_decision_tables(body: bytes, file: str, rulebook: Rulebook) -> ReadTables:
    """
    Return the decision tables in *body*, the bytes of *file*, as tables of tiers.

    Cells may name the facts and the parameters of *rulebook*. A table with an error is left out.

    Raises:
        InvalidDocument: it is not a document of DMN.
    """
    root = read_xml(body, file)
    if root.tag != "definitions" or not _DMN.fullmatch(root.namespace):
        message = f"the file is not DMN: its first element is `{excerpt(root.tag)}`"
        raise InvalidDocument([ErrorDetail(code="malformed", message=message, file=file)])
    texts, errors, left_out = list[str](), list[ErrorDetail](), list[str]()
    for element in root.children:
        logic = element.first("decisionTable") if element.tag == "decision" else None
        if logic is not None:
            table = _Table(element, logic, file, rulebook)
            texts += filter(None, [table.text()])
            errors += table.errors
        elif element.tag in _NOT_READ and "row_of" not in element.attributes:
            name = excerpt(element.attributes.get("name", ""))
            left_out.append(f"line {element.line}: `{name}`, {_NOT_READ[element.tag]}")
    return ReadTables(texts=tuple(texts), errors=tuple(errors), left_out=tuple(left_out))


@define
class _Table:
    """The table of a decision while it is read, and the errors found so far."""

    decision: Element
    logic: Element
    file: str
    rulebook: Rulebook
    errors: list[ErrorDetail] = field(factory=list)

    @property
    def name(self) -> str:
        return self.decision.attributes.get("name", "")

    def add(self, code: str, message: str, hint: str | None, at: Element) -> None:
        said = f"the table `{excerpt(self.name)}`: {message}"
        place: dict[str, Any] = {"file": self.file, "line": at.line}
        self.errors.append(ErrorDetail(code=code, message=said, hint=hint, **place))

    def text(self) -> str | None:
        """Return the table as TOML; None, and errors added, where it does not fit."""
        inputs = [self.column(clause) for clause in self.logic.all("input")]
        outputs = [self.column(clause) for clause in self.logic.all("output")]
        has_columns = not self.errors
        policy = self.logic.attributes.get("hitPolicy", "UNIQUE")
        if policy not in {"UNIQUE", "ANY"}:
            hint = "let each row take only the deals that it answers, and save it as UNIQUE"
            message = f"its hit policy is {excerpt(policy)}, not UNIQUE or ANY"
            self.add("not_allowed", message, hint, self.logic)
        notes = [clause.attributes.get("name", "") for clause in self.logic.all("annotation")]
        kept = [name for name in notes if name in NOTES]
        columns, lines = [*dict.fromkeys([ROW, *inputs, *outputs, *kept])], []
        if not has_columns:
            return None
        cells = [columns]
        for line in self.logic.all("rule"):
            said = zip(notes, (note.said() for note in line.all("annotationEntry")), strict=False)
            row = {ROW: f"r{len(cells)}", **dict(said)}
            row |= self.cells(line, "inputEntry", inputs)
            row |= self.cells(line, "outputEntry", outputs)
            cells.append([row.get(name) or ANY for name in columns])
            lines.append(line)
        keys = self.keys()
        if not self.errors:
            self.check(keys, cells, lines)
        return None if self.errors else _toml(keys, cells)

    def column(self, clause: Element) -> str:
        """Return the column of an input or an output."""
        if clause.tag == "input":
            expression = clause.first("inputExpression") or clause
            self.language(expression)
            name = read = expression.said()
        else:
            name = clause.attributes.get("name") or clause.attributes.get("label") or self.name
            read = name.removeprefix(f"{REQUIRE} ")
        what = f"the {clause.tag} `{excerpt(name)}`"
        if clause.first("defaultOutputEntry") is not None:
            hint = "write a row for the deals that the others leave"
            self.add("not_allowed", f"{what} has a default", hint, clause)
        if clause.tag == "output" and read == name:
            if name not in {*NOTES, ANSWER}:
                self.add("unknown_name", f"{what} is nothing that a row has", _COLUMNS, clause)
        elif self.rulebook.catalogue.fact(read) is None:
            names = [fact.name for fact in self.rulebook.catalogue.facts]
            near = did_you_mean("_".join(read.lower().split()), names)
            hint = near if near and _WORDS.fullmatch(read) else "calculate it in a rule"
            self.add("unknown_name", f"{what} is not a fact", hint, clause)
        return name

    def cells(self, line: Element, tag: str, columns: Sequence[str]) -> Mapping[str, str]:
        """Return the cells of a rule in its entries with this *tag*, by column."""
        entries = list(line.all(tag))
        if len(entries) != len(columns):
            message = f"a rule has {len(entries)} entries `{tag}` for {len(columns)} columns"
            self.add("contradiction", message, None, line)
        return {
            column: self.cell(column, entry)
            for column, entry in zip(columns, entries, strict=False)
        }

    def cell(self, column: str, entry: Element) -> str:
        """Return the cell of an entry."""
        text = entry.said()
        self.language(entry)
        fact = self.rulebook.catalogue.fact(column.removeprefix(f"{REQUIRE} "))
        if fact is None:
            said = text if text in {"", ANY} else feel_string(text)
            if said is None:
                message = f"`{excerpt(text)}` in the column `{column}` is not a text"
                self.add("wrong_type", message, 'write it in quotes, `"refer"`', entry)
            elif column == ANSWER and said not in {*_ANSWERS, "", ANY}:
                hint = did_you_mean(said, _ANSWERS) or f"expected {listed(_ANSWERS)}"
                self.add("wrong_value", f"`{excerpt(said)}` is not an answer", hint, entry)
            return said or ANY
        if entry.tag == "outputEntry" and text == "true":
            return ANY
        if entry.tag == "outputEntry" and text == "false":
            hint = "leave the requirement `true`, and decline or refer in the column `answer`"
            self.add("wrong_value", f"`{column}` is never true", hint, entry)
        try:
            cell = cell_text(text, fact, self.rulebook.catalogue)
        except InvalidValue as error:
            self.add(error.code, f"{error} in the column `{column}`", _CELLS, entry)
            return ANY
        share = _SHARE.search(cell)
        if share and "table" not in self.decision.attributes:
            message = f"`{excerpt(text)}` in the column `{column}` may be a share of 1"
            self.add("wrong_value", message, "write a number of percent: 80 is 80%", entry)
        return cell

    def language(self, expression: Element) -> None:
        """Add an error if *expression* is not FEEL."""
        language = expression.attributes.get("expressionLanguage", "feel")
        if not language.lower().strip("/").endswith("feel"):
            message = f"an expression is in {excerpt(language)}, not in FEEL"
            self.add("not_allowed", message, "write it in FEEL", expression)

    def keys(self) -> Mapping[str, str]:
        """Return what the table has besides its cells, as far as the file says it."""
        own = self.decision.attributes
        slug = "-".join(re.findall(r"[a-z0-9]+", self.name.lower()))
        slug = slug if re.fullmatch(ID, slug) else f"table-{slug}".rstrip("-")
        keys = {"id": own.get("table", slug)}
        for key in (*KEYS, "products") if "table" in own else ():
            # A date is written without quotes, where anything else could be any TOML.
            if key in own and (key not in _DATES or _DAY.fullmatch(own[key])):
                keys[key] = own[key]
        return keys

    def check(
        self, keys: Mapping[str, str], cells: Sequence[Sequence[str]], lines: Sequence[Element]
    ) -> None:
        """Read the table as its file would, and add the errors, each at its rule."""
        code, errors = self.rulebook.code, list[ErrorDetail]()
        likely = {name: like.format(code) for name, like in _LACKING.items()}
        text = f"format = 1\n{_toml({'reason': 'none', **likely, **keys}, cells)}"
        root = read_toml(self.file, text.encode(), errors)
        kinds = (PRODUCTS, SHARED_TABLE) if "products" in keys else (RENEWAL, TABLE)
        node = None if root is None else kinds[0].table(root)["tables"]
        read = [] if node is None else read_tables(node, code, self.rulebook.catalogue, kinds[1])
        for error in errors:
            place = re.search(r"\.rows\[(\d+)\]", error.path or "")
            at = lines[int(place[1])] if place else self.logic
            self.add(error.code, error.message, error.hint, at)
        rows = [row for table in read for row in table.rows] if not errors else []
        for line, row in zip(lines, rows, strict=False):
            for column, tree in {**row.tests, **row.required}.items():
                try:
                    check(tree, self.rulebook.catalogue, Kind.FLAG)
                except RuleError as wrong:
                    message = f"{wrong.message}, in the column `{column}`"
                    self.add("invalid_rule", message, wrong.hint, line)


def _toml(keys: Mapping[str, str], cells: Sequence[Sequence[str]]) -> str:
    """Return a table as a file has it; what *keys* lack is to be added, and said in a comment."""
    lines = ["# For `products.toml`:"] if "products" in keys else []
    lacking = ", ".join(name for name in _LACKING if name not in keys)
    lines += ["[[tables]]", *([f"# Add what the file does not say: {lacking}"] if lacking else [])]
    for name, value in keys.items():
        if name == "products":
            lines += [f"products = {toml_text(value.split())}"] if value else []
        else:
            lines.append(f"{name} = {value if name in _DATES else toml_text(value)}")
    return "\n".join([*lines, *map(" = ".join, toml_lines(cells).items()), ""])
