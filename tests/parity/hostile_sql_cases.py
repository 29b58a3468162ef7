"""Names and texts that break SQL where it is written carelessly, and rules about them."""

from __future__ import annotations

import pyarrow as pa
from expected_values import OUTCOMES
from prepared_row_cases import rulebook
from sql_comparison import ROW, TABLE, assessed

from holdback.exact.money import Currency
from holdback.portfolio.sql.plan import SqlReader
from holdback.portfolio.sql.words import identifier
from holdback.rules import Catalogue, Fact, Kind, Type, check, parse

ELIGIBLE, REFERRED, INELIGIBLE, UNDETERMINED, _, INVALID = range(len(OUTCOMES))
PROGRESS = Fact(name="progress", type=Type(Kind.PERCENT), low=0, high=100_0000, rounded_down=True)
# Words that some database or SQL itself reserves, and a name that the query itself gives.
WORDS = (
    *("select", "order", "group", "user", "table", "case", "end", "using", "like", "limit", "on"),
    *("end_", "values", "all", "desc", "offset", "window", "interval", "date", "timestamp"),
    *("d", "r", "value", "key", "json", "row", "rowid", "outcome_", "needs_", "deals"),
)
TEXTS = (
    *("O'Brien", "''", "\\", "\\\\", "\\'", "a\\nb", "a\nb", "a\tb", "100%", "%s", "%(a)s", "{}"),
    *("$1", "$$", "${x}", ":name", "?", "--", "/*", "*/", '"', "`", ";", "; drop table deals --"),
    *("Café", "Cafe\u0301", "東京", "\U0001f4b7", "", " ", "E'x'", "u0041", "\\u0041", "ß", "SS"),
)
# Texts that are not declared.
SIMILAR = ("o'brien", "'", "\\\\\\", "a\rb", "Cafe", "  ", "cafÉ", "100", "ss", "ẞ", "\\n")
AMOUNT = Fact(name="balance", type=Type(Kind.MONEY, Currency.of("GBP")), low=0, high=10**12)


def grade_of(texts):
    """The fact `grade`, one of *texts*."""
    return Fact(name="grade", type=Type(Kind.TEXT, options=texts), low=0, high=len(texts) - 1)


def of_facts(requirement, *facts):
    """A rulebook of one declining rule over *facts*."""
    known = Catalogue(facts=(PROGRESS, *facts), currency=Currency.of("GBP"))
    return rulebook(known, [check(parse(requirement), known)], seed="declines")


def refused(rules):
    """The outcome of a row for which the only rule is false."""
    return INELIGIBLE if rules.renewal.rules[0].otherwise == "decline" else REFERRED


def outcomes(database, rules, columns, **options):
    """The outcome of each row of *columns*, with a progress of 64%."""
    size = len(next(iter(columns.values())))
    progress = pa.array([64] * size, pa.int32())
    database.load(pa.table({"progress": progress, **columns}))
    return [outcome for outcome, _, _ in assessed(database, rules, **options)]


def places_read(database, texts):
    """The place of each of *texts* among the declared `TEXTS`, as the database reads them."""
    column = identifier("grade", database.dialect)
    number = SqlReader(database.dialect, grade_of(TEXTS), column).read(None).number
    database.load(pa.table({"grade": pa.array(texts, pa.string())}))
    return [place for (place,) in database.rows(f"select {number} from {TABLE} order by {ROW}")]
