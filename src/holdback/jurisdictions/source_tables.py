"""
Tables of tiers as their files have them: each row becomes an ordinary rule.

A column is a fact, with what it has to be in each row, or a result. The rule of a row has what the
row asks of the facts as its `when`, so nothing that reads rules knows of tables. Results of prices
are in the settings of the calculators that name the table. Only what shows a table, and what looks
for deals that no row takes, reads the `SourceTable` itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, TypeAlias

from attrs import define, evolve, field

from holdback.eligibility.ruleset import DECLINE, MOST_RULES, REFER
from holdback.errors import RuleError, did_you_mean, excerpt, listed
from holdback.exact.exact_json import Json, write_json
from holdback.frozen_classes import frozen, frozen_record
from holdback.jurisdictions.keys import ID, MAX_NAME, Keys, read_expression
from holdback.jurisdictions.quantity import lacks_unit
from holdback.jurisdictions.source_rules import SourceRule, read_code
from holdback.jurisdictions.timeline import Period, read_period
from holdback.jurisdictions.toml import Node, TomlTable
from holdback.offers.calculator import TERM_MONTHS
from holdback.offers.price_tables import MAXIMUM, result_columns, with_term
from holdback.rules import Catalogue, Fact, Kind, Tree, check, parse, text
from holdback.rules.operators import OPPOSITES
from holdback.rules.tree import Expression, Literal, Name

# More columns than anybody reads across.
MAX_COLUMNS: Final = 16
# What a cell says that asks nothing.
ANY: Final = ("", "-")
# The columns that are not about a fact, and the word before the fact that is required.
ROW: Final = "row"
ANSWER: Final = "answer"
CODE: Final = "code"
REASON: Final = "reason"
SOURCE: Final = "source"
_WORDS: Final = (ROW, ANSWER, CODE, REASON, SOURCE)
REQUIRE: Final = "require"
# What comes of a deal that lacks what a row requires, or of every deal that the row takes.
ASKS_NOTHING: Final = "pass"
_ANSWERS: Final = (ASKS_NOTHING, DECLINE, REFER)
_COMPARED: Final = re.compile(r"(<=|>=|==|!=|<|>)\s*(.+)")
_BAND: Final = re.compile(r"(.+?)\s+to\s+(below\s+)?(.+)")
_HOW: Final = (
    "a cell is a value, a comparison such as `>= 80%`, a band such as `60% to below 80%`, "
    "values such as `3 or 4`, or `-` for any"
)


@frozen(kw_only=True, eq=False)
class TableRow:
    """
    A row: its cells as text, what it asks of each fact, and what a deal that it takes has to have.

    `tests` has an expression for each column that limits the deals, and `required` for each that
    says what they need. `result` is the same for two rows that mean the same for the deals that
    they take. `prices` are what it gives calculators, as settings have it, by column. `rule` is
    None where nothing is required.
    """

    name: str
    cells: tuple[str, ...]
    tests: Mapping[str, Tree] = field(converter=frozen_record)
    required: Mapping[str, Tree] = field(converter=frozen_record)
    result: tuple[str, ...]
    prices: Mapping[str, str] = field(converter=frozen_record)
    rule: SourceRule | None
    node: Node = field(repr=False)


@frozen(kw_only=True, eq=False)
class SourceTable:
    """
    A table of a jurisdiction's folder, and the period in which it is in force.

    `facts` are the facts of its columns, and `results` those columns that calculators read, which
    only a table of `products.toml` has. Such a table has `products`, the keys of those that it
    names: it is of all when it names none.
    """

    jurisdiction: str
    id: str
    columns: tuple[str, ...]
    facts: tuple[str, ...]
    results: tuple[str, ...]
    rows: tuple[TableRow, ...]
    period: Period
    table: TomlTable
    products: tuple[str, ...] | None = None

    @property
    def rules(self) -> Iterator[SourceRule]:
        """The rules of its rows, in their order."""
        return (row.rule for row in self.rows if row.rule is not None)

    @property
    def parameters(self) -> frozenset[str]:
        """The parameters by which it is decided which deals a row takes."""
        names = {name for row in self.rows for tree in row.tests.values() for name in tree.names}
        return frozenset(names - set(self.facts))

    @property
    def file(self) -> str:
        """The file that it is written in."""
        return self.table.node.document.file

    def price(self, result: str) -> dict[str, Json]:
        """Return the setting `table` of a calculator that reads the column *result*."""
        rows: dict[str, Json] = {
            row.name: {
                "when": {name: row.tests[name].source for name in self.facts if name in row.tests},
                "result": row.prices[result],
            }
            for row in self.rows
            if result in row.prices
        }
        return {"id": self.id, "result": result, "on": list(self.facts), "rows": rows}

    def replaces(self, table: SourceTable) -> bool:
        """Return whether *table*, of a parent, is gone where it is in force."""
        if self.id != table.id or (self.products is None) != (table.products is None):
            return False
        if not self.products or not table.products:
            return not self.products
        return set(self.products) >= set(table.products)

    def is_of(self, product: str | None) -> bool:
        """Return whether it is of the *product* with this key, or for renewals when None."""
        if product is None or self.products is None:
            return product is None and self.products is None
        return not self.products or product in self.products


# Where characters of an expression come from: from one index up to another, a cell, and the index
# in the cell; no index where the cell has other characters.
_Piece: TypeAlias = tuple[int, int, Node, int | None]


@frozen(eq=False)
class _Joined(Node):
    """An expression that is made of cells; an error in it points at the cell."""

    pieces: tuple[_Piece, ...] = ()

    def position(self, *, key: bool = False) -> Mapping[str, Any]:
        """Return the place of the first cell."""
        return self.pieces[0][2].position(key=key)

    def position_of_part(self, part: tuple[int, int]) -> Mapping[str, Any]:
        """Return the place of the cell that has the characters of *part*, or of part of it."""
        start, end = part
        touched = [piece for piece in self.pieces if piece[0] < end and start < piece[1]]
        first, last, cell, index = (touched or list(self.pieces))[0]
        if index is None or not isinstance(cell.value, str) or not first <= start < end <= last:
            return cell.position()
        return cell.position_of_part((start - first + index, end - first + index))


@define(eq=False)
class _Conditions:
    """Comparisons that are joined by `and`, while a row is read."""

    texts: list[str] = field(factory=list)
    pieces: list[_Piece] = field(factory=list)

    def add(self, comparison: _Comparison) -> None:
        start = sum(len(text) + len(" and ") for text in self.texts)
        self.texts.append(comparison.text)
        whole = (start, start + len(comparison.text), comparison.node, None)
        inner = [
            (start + at, start + end, comparison.node, index)
            for at, end, index in comparison.values
        ]
        self.pieces += [*inner, whole]

    @property
    def text(self) -> str:
        return " and ".join(self.texts)


@frozen(eq=False)
class _Comparison:
    """What a cell asks of a fact, the opposite, and where its values are in both texts."""

    text: str
    opposite: str
    node: Node
    values: tuple[tuple[int, int, int | None], ...] = ()


def read_tables(node: Node, code: str, catalogue: Catalogue, keys: Keys) -> tuple[SourceTable, ...]:
    """Return the valid tables in *node*, of the jurisdiction *code*, which have these *keys*."""
    tables = (_table(element, code, catalogue, keys) for element in node.elements())
    return tuple(table for table in tables if table is not None)


def _table(node: Node, code: str, catalogue: Catalogue, keys: Keys) -> SourceTable | None:
    before = len(node.document.errors)
    table = keys.table(node)
    values = keys.read(table)
    # Only rows that are rules need a code.
    stable = "" if table["code"].absent else read_code(table["code"], code)
    period = read_period(table)
    results = _results(table["columns"], catalogue) if "products" in keys.rows else {}
    catalogue = with_term(catalogue) if results else catalogue
    columns = _columns(table["columns"], catalogue, results)
    nodes = table["rows"].elements()
    if len(nodes) > MOST_RULES:
        table["rows"].add_error("too_large", f"expected at most {MOST_RULES} rows", key=True)
    if table["rows"].value in ([], {}):
        table["rows"].add_error("missing", "expected at least one row", key=True)
    if len(node.document.errors) > before or stable is None or period is None or columns is None:
        return None
    reading = _Rows(table, values, stable, period, columns, results, catalogue, code)
    rows = [row for row in map(reading.row, nodes) if row is not None]
    words = {*_WORDS, *results}
    return SourceTable(
        jurisdiction=code,
        id=values["id"],
        columns=columns,
        facts=tuple(name for name in columns if name not in words and not _required(name)),
        results=tuple(results),
        rows=tuple(rows),
        period=period,
        table=table,
        products=values.get("products"),
    )


def _required(column: str) -> str | None:
    """Return the fact of which a *column* such as `require performance` says what is required."""
    word, _, fact = column.partition(" ")
    return fact.strip() if word == REQUIRE else None


def column_words(column: str, label: Callable[[str], str]) -> str:
    """Return the head of a *column* for people: its fact as *label* has it."""
    fact = _required(column)
    if column in _WORDS:
        return column
    return label(column) if fact is None else f"{label(fact)} that is required"


def _results(node: Node, catalogue: Catalogue) -> dict[str, Fact]:
    """Return what rows give calculators, by column; a fact of that name is not one."""
    names = [element.value for element in node.elements()]
    columns = result_columns(catalogue.currency)
    return {
        name: column
        for name, column in columns.items()
        if name in names and not catalogue.fact(name)
    }


def _columns(node: Node, catalogue: Catalogue, results: Collection[str]) -> tuple[str, ...] | None:
    """Return the names of the columns, *results* among them; None when one is invalid."""
    before, names = len(node.document.errors), list[str]()
    facts = [fact.name for fact in catalogue.facts]
    words = (*_WORDS, *results)
    for element in node.elements():
        name = element.text()
        if name is None:
            continue
        name = " ".join(name.split())
        fact = _required(name)
        if name in names:
            element.add_error("duplicate", f"there is a column `{excerpt(name)}` already")
        elif name not in words and (name if fact is None else fact) not in facts:
            choices = [*facts, *words] if fact is None else facts
            element.add_error(
                "unknown_name",
                f"`{excerpt(fact or name)}` is not a fact",
                did_you_mean(fact or name, choices)
                or f"a column is a fact, `{REQUIRE}` and a fact, or one of {listed(_WORDS)}",
            )
        names.append(name)
    if len(names) > MAX_COLUMNS:
        node.add_error("too_large", f"expected at most {MAX_COLUMNS} columns", key=True)
    elif len(node.document.errors) == before and not node.absent:
        lacking = _lacking(names, results)
        if lacking is not None:
            node.add_error("missing", *lacking, key=True)
    return None if len(node.document.errors) > before or node.absent else tuple(names)


def _lacking(names: Sequence[str], results: Collection[str]) -> tuple[str, str] | None:
    """Return what *names* of columns lack, and what to add; None when they are enough."""
    if ROW not in names:
        return f"there is no column `{ROW}`", "each row has a name, from which its id is made"
    if MAXIMUM in results and TERM_MONTHS in names:
        hint = "write a table of its own: limits are the same for each term that is chosen"
        return f"`{MAXIMUM}` does not depend on `{TERM_MONTHS}`", hint
    if ANSWER not in names and not any(map(_required, names)) and not results:
        hint = f"add `{REQUIRE} performance`, or `{ANSWER}` with {listed(_ANSWERS)}"
        return "no column says what comes of a deal", hint
    if all(name in _WORDS or name in results or _required(name) for name in names):
        return "no column says which deals a row takes", "add the name of a fact"
    return None


@frozen(eq=False)
class _Row:
    """The cells of a row by column, and their texts, where they are not "any"."""

    node: Node
    cells: Mapping[str, Node]
    texts: Mapping[str, str]

    def has(self, column: str) -> bool:
        return column in self.texts


@define(eq=False)
class _Rows:
    """The rows of a table while they are read, and the names of those read so far."""

    table: TomlTable
    values: Mapping[str, Any]
    code: str
    period: Period
    columns: tuple[str, ...]
    results: Mapping[str, Fact]
    catalogue: Catalogue
    jurisdiction: str
    names: set[str] = field(factory=set)

    def row(self, node: Node) -> TableRow | None:
        before, nodes = len(node.document.errors), node.elements()
        if isinstance(node.value, list) and len(nodes) != len(self.columns):
            node.add_error(
                "wrong_value",
                f"the row has {len(nodes)} cells, and there are {len(self.columns)} columns",
                "write `-` in a cell that asks nothing",
            )
        texts = [_cell(cell) for cell in nodes]
        if len(node.document.errors) > before or not nodes:
            return None
        named = zip(self.columns, texts, strict=True)
        row = _Row(
            node=node,
            cells=dict(zip(self.columns, nodes, strict=True)),
            texts={column: text for column, text in named if text is not None and text not in ANY},
        )
        name = self._name(row.cells[ROW])
        limits = self._comparisons(row, required=False)
        required = self._comparisons(row, required=True)
        answer = self._answer(row, requires=bool(required))
        prices = self._prices(row, declines=answer == DECLINE and not required)
        tests = self._tests(row, limits)
        if len(node.document.errors) > before or name is None or answer is None:
            return None
        when, require = _joined(limits.values()), _joined(required.values())
        result = (ASKS_NOTHING,) if answer == ASKS_NOTHING else (answer, require.text)
        if answer != ASKS_NOTHING and not required:
            if not limits:
                node.add_error("contradiction", f"every deal has the answer `{answer}`")
                return None
            # Every deal that the row takes has this answer: what it asks of the last fact must not
            # be so where the rest is.
            *rest, last = limits.values()
            when, require = _joined(rest), _joined([evolve(last, text=last.opposite, values=())])
        rule = None
        if answer != ASKS_NOTHING:
            rule = self._rule(row, name, answer, {"when": when, "require": require})
            if rule is None:
                return None
        return TableRow(
            name=name,
            cells=tuple(text or "" for text in texts),
            tests=tests,
            required={column: parse(asked.text) for column, asked in required.items()},
            result=(*result, *prices.values()),
            prices=prices,
            rule=rule,
            node=node,
        )

    def _comparisons(self, row: _Row, *, required: bool) -> dict[str, _Comparison]:
        """Return what *row* asks of each fact, or requires of it, by column."""
        read = {}
        for column, cell in row.texts.items():
            fact = self.catalogue.fact(_required(column) or column)
            if column in _WORDS or fact is None or (_required(column) is not None) != required:
                continue
            comparison = _read_cell(fact, self.catalogue, row.cells[column], cell)
            if comparison is not None:
                read[column] = comparison
        return read

    def _tests(self, row: _Row, limits: Mapping[str, _Comparison]) -> dict[str, Tree]:
        """Return what *row* asks of each fact; a row with prices asks with values alone."""
        tests = {column: parse(limit.text) for column, limit in limits.items()}
        for column, tree in tests.items() if self.results else ():
            cell, parameters = row.cells[column], {*tree.names} - {column}
            if parameters:
                message = f"`{min(parameters)}` is a parameter, and a price depends on values alone"
                cell.add_error("not_allowed", message, "write the value")
                continue
            try:
                # Two ways of writing the same have the same digest.
                tests[column] = parse(text(check(tree, self.catalogue, Kind.FLAG)))
            except RuleError as error:
                cell.add_error("invalid_rule", error.message, error.hint)
        return tests

    def _prices(self, row: _Row, *, declines: bool) -> dict[str, str]:
        """Return what *row* gives calculators, by column; nothing where it *declines* its deals."""
        prices = {}
        for name, column in self.results.items():
            cell = row.cells[name]
            if not row.has(name) and not declines:
                hint = f"write one, or `{DECLINE}` as its `{ANSWER}`"
                cell.add_error("missing", f"the row has no `{name}`", hint)
            elif row.has(name) and not lacks_unit(cell, column.type):
                number = cell.converted(column.read)
                if number is not None:
                    prices[name] = column.type.literal(number)
        return prices

    def _name(self, cell: Node) -> str | None:
        name = cell.text(ID, "a name such as `small`: small letters, digits and hyphens")
        if name is not None and name in self.names:
            cell.add_error("duplicate", f"there is a row `{excerpt(name)}` already")
        elif name is not None:
            longest = max(len(self.values["id"]), len(self.code)) + 1 + len(name)
            if longest > MAX_NAME:
                cell.add_error("too_large", f"the id or the code has over {MAX_NAME} characters")
            self.names.add(name)
        return name

    def _answer(self, row: _Row, *, requires: bool) -> str | None:
        """Return the answer to a deal that lacks what the row requires, or to all that it takes."""
        if not row.has(ANSWER):
            if requires or self.results or any(map(_required, self.columns)):
                return DECLINE if requires else ASKS_NOTHING
            row.node.add_error(
                "missing", f"the row has no `{ANSWER}`", f"one of {listed(_ANSWERS)}"
            )
            return None
        cell = row.cells[ANSWER]
        answer = cell.one_of(_ANSWERS, "answer")
        if requires and answer == ASKS_NOTHING:
            cell.add_error(
                "contradiction",
                "the row requires something, so not every deal passes",
                f"write `{DECLINE}` or `{REFER}` for a deal that lacks it, or `-` to decline",
            )
        return answer

    def _rule(
        self, row: _Row, name: str, answer: str, conditions: Mapping[str, _Conditions]
    ) -> SourceRule | None:
        """Return the rule of the row *name*, with errors at the cells that it is made of."""
        node, table = row.node, self.table
        before = len(node.document.errors)
        parts = {
            key: row.cells[key] if row.has(key) else table[key] for key in (CODE, REASON, SOURCE)
        }
        stable = f"{self.code}-{name.upper()}"
        if row.has(CODE):
            stable = read_code(parts[CODE], self.jurisdiction) or ""
        elif not self.code:
            node.add_error("missing", "the row has no code", "add `code` to the table")
        if parts[REASON].absent:
            node.add_error(
                "missing", "the row has no reason", "add `reason` to the table, or as a column"
            )
        reason, source = parts[REASON].text(), parts[SOURCE].text()
        made: dict[str, Node] = {
            key: _Joined(node.document, node.path, joined.text, tuple(joined.pieces))
            for key, joined in conditions.items()
            if joined.texts
        }
        trees = {key: read_expression(joined) for key, joined in made.items()}
        require = trees["require"]
        if len(node.document.errors) > before or None in (require, reason, source):
            return None
        assert require is not None, "it was read"
        assert reason is not None, "it was read"
        assert source is not None, "it was read"
        kept = {key: table[key] for key in ("from", "until", "products") if key in table}
        children = {**parts, **kept, "id": row.cells[ROW], **made}
        return SourceRule(
            jurisdiction=self.jurisdiction,
            id=f"{self.values['id']}-{name}",
            code=stable,
            require=require,
            when=trees.get("when"),
            otherwise=answer,
            reason=reason,
            source=source,
            period=self.period,
            table=TomlTable(node, (*children, "when", "otherwise"), children),
            products=self.values.get("products"),
            of_table=self.values["id"],
        )


def _joined(comparisons: Iterable[_Comparison]) -> _Conditions:
    """Return *comparisons* joined by `and`."""
    conditions = _Conditions()
    for comparison in comparisons:
        conditions.add(comparison)
    return conditions


def _cell(node: Node) -> str | None:
    """Return the text of a cell; a number, a flag or a date may be without quotes."""
    value = node.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, int):
        return str(value)
    node.add_type_error("text", "write what is in a cell in quotes")
    return None


def _read_cell(fact: Fact, catalogue: Catalogue, node: Node, text: str) -> _Comparison | None:
    """Return what a cell with this *text* asks of *fact*; None, and an error added, if invalid."""
    if fact.type.kind is Kind.FLAG:
        return _read_flag(fact, node, text)
    made, places, opposites = "", list[tuple[int, int, int | None]](), list[str]()
    exact = node.value == text  # otherwise its blanks are not those of the file
    for operator, value, index in _split(fact, text):
        if operator is None:
            node.add_error("wrong_value", f"cannot read `{excerpt(value)}`", _HOW)
            return None
        written = _written(fact, catalogue, node, (value, index if exact else None))
        if written is None:
            return None
        if operator == "in":
            made = f"{made}, {written}" if made else f"{fact.name} in [{written}"
        else:
            made = f"{made} and " if made else ""
            made += f"{fact.name} {operator} {written}"
            opposites.append(f"{fact.name} {OPPOSITES[operator]} {written}")
        kept = index if exact and written == value else None
        places.append((len(made) - len(written), len(made), kept))
    if not opposites:
        return _Comparison(f"{made}]", f"not {made}]", node, tuple(places))
    return _Comparison(made, " or ".join(opposites), node, tuple(places))


def _read_flag(fact: Fact, node: Node, text: str) -> _Comparison | None:
    word = text.lower()  # a spreadsheet writes it in capitals
    if word not in {"true", "false"}:
        node.add_error("wrong_value", "expected `true`, `false` or `-`")
        return None
    true, false = fact.name, f"not {fact.name}"
    return _Comparison(true, false, node) if word == "true" else _Comparison(false, true, node)


def _split(fact: Fact, text: str) -> Iterator[tuple[str | None, str, int]]:
    """Yield each operator of a cell with its value, and where the value begins; None if unclear."""
    band = None if fact.type.kind is Kind.TEXT else _BAND.fullmatch(text)
    if band is not None:
        yield ">=", band[1], band.start(1)
        yield "<" if band[2] else "<=", band[3], band.start(3)
        return
    several = re.split(r" or ", text)
    if len(several) > 1:
        start = 0
        for value in several:
            yield "in", value, start
            start += len(value) + len(" or ")
        return
    start, parts = 0, text.split(" and ") if _COMPARED.match(text) else [text]
    for part in parts:
        compared = _COMPARED.fullmatch(part)
        if compared is not None:
            yield compared[1], compared[2], start + compared.start(2)
        elif part.startswith("not "):
            yield "!=", part.removeprefix("not "), start + len("not ")
        else:
            yield "==" if len(parts) == 1 else None, part, start
        start += len(part) + len(" and ")


def _written(
    fact: Fact, catalogue: Catalogue, node: Node, part: tuple[str, int | None]
) -> str | None:
    """
    Return a value as an expression has it; None, and an error added, when it is not a value.

    *part* is the value in its cell, and where it begins there.
    """
    value, index = part
    if fact.type.kind is Kind.TEXT and not value.startswith('"'):
        value, index = write_json(value), None
    pieces: tuple[_Piece, ...] = ((0, len(value), node, index),)
    try:
        root = parse(value).root
    except RuleError as error:
        joined = _Joined(node.document, node.path, value, pieces)
        where, hint = (error.start, error.end), error.hint or _HOW
        joined.add_error_at_part(where, "invalid_rule", error.message, hint)
        return None
    if isinstance(root, Expression) and root.operator == "negate":
        root = root.operands[0]
    if isinstance(root, Name) and catalogue.fact(root.name) is not None:
        message = f"`{root.name}` is a fact, and a cell compares with a value or a parameter"
        node.add_error("not_allowed", message, "write a rule")
        return None
    if isinstance(root, Literal | Name):
        return value
    node.add_error("wrong_value", f"`{excerpt(value)}` is not one value", _HOW)
    return None
