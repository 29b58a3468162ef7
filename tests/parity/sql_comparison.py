"""
What a database says to the rules as SQL, as Python values to compare.

A database keeps one table of deals: `load(table)` fills it, and `rows(query)` are its answers.
"""

from __future__ import annotations

from itertools import chain

import pyarrow as pa
from expected_values import INVALID, answer, invalid
from plain_column_cases import USUAL

from holdback import portfolio
from holdback.portfolio.sql.plan import SqlReader
from holdback.portfolio.sql.words import identifier
from holdback.rules import interpret
from holdback.rules.sql import flag_sql

# The number of a row: a query need not keep the order of the table.
ROW = "row_number"
TABLE = "deals"
# In one query; databases limit the columns of a result, and Spark gets slow before that.
MOST_RULES = 100
# As `USUAL`, where a query refuses a column of floats because there are decimals.
USUAL_DECIMALS = {**USUAL, "rate": "decimal18_6", "split": "decimal38_10"}


def numbered(table):
    """The Arrow *table* with the number of each row."""
    return table.append_column(ROW, pa.array(range(table.num_rows), pa.int64()))


def asked(query, *columns):
    """The *columns* of *query*, in the order of the table."""
    return f"select {', '.join(columns)} from (\n{query}\n) as answers order by {ROW}"


def rule_answers(database, case):
    """The answer of each rule of *case* to each row that is loaded: true, false or None."""
    said = [_answers(database, rules) for rules in _parts(case.rules)]
    return tuple(tuple(chain(*parts)) for parts in zip(*said, strict=True))


_ANSWERS = {4: None, 8: True, 16: False}


def _parts(rules):
    return [rules[first : first + MOST_RULES] for first in range(0, len(rules), MOST_RULES)]


def _answers(database, rules):
    """The answers of some *rules*: one column for each, from its three conditions."""
    columns = []
    for place, rule in enumerate(rules):
        numbers = {name: identifier(name, database.dialect) for name in rule.names}
        said = flag_sql(rule, numbers, database.dialect)
        flags = zip((said.unknown, said.true, said.false), _ANSWERS, strict=True)
        terms = [f"case when {condition} then {bit} else 0 end" for condition, bit in flags]
        columns.append(f"{' + '.join(terms)} as r{place}")
    query = f"select {', '.join(columns)} from {TABLE} order by {ROW}"
    # Exactly one condition holds; the sum of two means nothing.
    return [[_ANSWERS.get(number, number) for number in row] for row in database.rows(query)]


def row_outcomes(database, query):
    """Outcome, failing and needs of each row by *query*; `eligible` must agree."""
    rows = database.rows(asked(query, "outcome", "failing", "needs", "eligible"))
    assert [bool(row[3]) for row in rows] == [row[0] == 0 for row in rows]
    return [tuple(row[:3]) for row in rows]


def read_by_rules(rulebook):
    """The names of the facts that *rulebook* reads."""
    return {"progress", *(name for rule in rulebook.renewal.rules for name in rule.checked.names)}


def expected_outcomes(frame):
    """The expected answer to each row of *frame*, where only facts that rules read matter."""
    rules, read = frame.book.renewal, read_by_rules(frame.book)
    places = [place for place, each in enumerate(frame.columns) if each.fact.name in read]
    found = []
    for row in frame.rows:
        meanings = [meaning for _, meaning in row]
        faults = [place for place in places if meanings[place] == INVALID]
        if faults:
            found.append(invalid(faults))
            continue
        said = [interpret(rule.checked, meanings) for rule in rules.rules]
        found.append(answer(rules, meanings, said))
    return found


def assessed(database, rules, **options):
    """Outcome, failing and needs of each row by the query of *rules*."""
    return row_outcomes(database, portfolio.sql(rules, database.dialect, **options))


def misread(database, frame):
    """The values of *frame* that SQL misreads: column, value, and what it read."""
    names = [each.fact.name for each in frame.columns]
    columns = []
    for each in frame.columns:
        name = identifier(each.fact.name, database.dialect)
        read = SqlReader(database.dialect, each.fact, name).read(None)
        columns += [read.number, f"case when {read.given or 'false'} then 1 else 0 end"]
    texts = ", ".join(f"{text} as c{place}" for place, text in enumerate(columns))
    rows = database.rows(f"select {texts} from {TABLE} order by {ROW}")
    for row, cells in zip(rows, frame.rows, strict=True):
        read = zip(row[::2], row[1::2], strict=True)
        for name, (number, given), (value, meaning) in zip(names, read, cells, strict=True):
            said = INVALID if number is None and given else number
            if said != meaning:
                yield name, value, said
