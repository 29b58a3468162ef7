"""A mapping of columns: what may be said in one, its file, and the schema of the file."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from every_case import for_every
from holdback import InvalidDocument
from holdback.portfolio import ColumnMapping
from holdback.portfolio.reading.column_mapping import Form
from holdback.tools.workbench.mapping_schema import FORM_KEYS, WORDS
from holdback.tools.workbench.schemas import COLUMNS, DRAFT, schema

FILE = """
percentages = "fractions"
money = "minor units"
decimal_mark = ","
thousands = "."
dates = "DD/MM/YYYY"

[columns]
progress = "pct_paid"
jurisdiction = "Country of deal"

[texts.status]
Active = "Funded"
"wrote off" = "Written off"

[forms.takings_trend]
percentages = "percent"
"""

DATE_FORMS = st.sampled_from(
    ["YYYY-MM-DD", "DD/MM/YYYY", "MM/DD/YYYY", "DD.MM.YYYY", "YYYYMMDD", "DD MON YYYY"]
)
NAMES = st.sampled_from(["progress", "performance", "balance", "on", "a_fact_2"])
TEXTS = st.text(min_size=1, max_size=20)


def optional(words):
    return st.none() | words


@st.composite
def mappings(draw):
    said = {key: draw(optional(st.sampled_from(words))) for key, words in WORDS.items()}
    if said["thousands"] == (said["decimal_mark"] or "."):
        said["thousands"] = None
    columns = draw(st.dictionaries(NAMES, TEXTS))
    form = st.fixed_dictionaries(
        {}, optional={"dates": DATE_FORMS, "money": st.just("minor units")}
    )
    return ColumnMapping(
        **said,
        dates=draw(optional(DATE_FORMS)),
        columns={
            name: column
            for name, column in columns.items()
            if [*columns.values()].count(column) == 1
        },
        texts=draw(st.dictionaries(NAMES, st.dictionaries(TEXTS, TEXTS, min_size=1))),
        forms=draw(st.dictionaries(NAMES, form.filter(bool))),
        notes=tuple(draw(st.lists(st.text(max_size=30), max_size=2))),
    )


@given(mappings())
def test_a_mapping_survives_its_file(mapping):
    """
    `from_toml` reads what `to_toml` writes, with any names and texts.
    """
    text = mapping.to_toml()
    assert ColumnMapping.from_toml(text) == mapping
    assert list(Draft7Validator(schema(COLUMNS)).iter_errors(tomllib.loads(text))) == []


def test_a_file_is_read():
    """
    A mapping is kept as a small TOML file.
    """
    mapping = ColumnMapping.from_toml(FILE)
    assert mapping.columns == {"progress": "pct_paid", "jurisdiction": "Country of deal"}
    assert mapping.texts["status"]["wrote off"] == "Written off"
    assert mapping.form("progress") == Form(
        percentages="fractions",
        money="minor units",
        decimal_mark=",",
        thousands=".",
        dates="DD/MM/YYYY",
    )
    assert mapping.form("takings_trend").percentages == "percent"
    assert ColumnMapping.from_toml("") == ColumnMapping()


# ruff: noqa: E501
WRONG = {
    "a key that is not one": ('percentage = "percent"', "1:1 $.percentage: unknown key `percentage`; did you mean `percentages`?"),
    "a word that is not one": ('money = "pence"', "1:9 $.money: unknown word `pence`; expected one of `major units`, `minor units`"),
    "a word that is nearly one": ('percentages = "fraction"', "1:15 $.percentages: unknown word `fraction`; did you mean `fractions`?"),
    "no text": ("dates = 2026-07-01", "1:9 $.dates: expected text"),
    "a form of dates": ('dates = "DD/MM/YY"', "1:9 $.dates: unknown form of dates `DD/MM/YY`"),
    "one sign for two things": ('decimal_mark = ","\nthousands = ","', "2:13 $.thousands: the sign between thousands is also the sign before decimals"),
    "one sign in a fact with the usual point": ('[forms.balance]\nthousands = "."', '2:13 $.forms.balance.thousands: the sign between thousands is also the sign before decimals; with `thousands = "."` write `decimal_mark = ","`'),
    "one sign in a fact with general thousands": ('thousands = ","\n[forms.balance]\ndecimal_mark = ","', '3:16 $.forms.balance.decimal_mark: the sign between thousands is also the sign before decimals; here, write `thousands = "."` too'),
    "the usual sign for two things": ('thousands = "."', 'with `thousands = "."` write `decimal_mark = ","`'),
    "one column for two facts": ('[columns]\nprogress = "a"\nbalance = "a"', "3:11 $.columns.balance: the column `a` is already that of `progress`"),
    "a column and a fact exchanged": ('[columns]\n"Pct Paid" = "progress"', '2:1 $.columns["Pct Paid"]: expected the name of a fact in small letters'),
    "no name of a column": ("[columns]\nprogress = 3", "2:12 $.columns.progress: expected the name of a column"),
    "an empty name": ('[columns]\nprogress = ""', "2:12 $.columns.progress: this is empty"),
    "no table": ('columns = "pct_paid"', "1:11 $.columns: expected a table"),
    "no table of texts": ('[texts]\nstatus = "Funded"', "2:10 $.texts.status: expected a table"),
    "a text that is none": ("[texts.status]\nActive = 1", "2:10 $.texts.status.Active: expected text"),
    "a key of a form": ('[forms.balance]\ncolumns = "a"', "2:1 $.forms.balance.columns: unknown key `columns`"),
    "no TOML": ("columns =", "1:10: this is not TOML"),
}  # fmt: skip


@for_every("name", WRONG)
def test_mistakes_are_shown_with_their_place(name):
    """
    An error of a mapping says where it is, and what to write.
    """
    text, message = WRONG[name]
    with pytest.raises(InvalidDocument) as raised:
        ColumnMapping.from_toml(text)
    assert message in str(raised.value)
    assert len(raised.value.errors) == 1


@for_every("name", WRONG)
def test_the_schema_finds_the_same_mistakes(name):
    """
    The schema is as strict as the reader, except about keys that agree with each other.
    """
    text, _ = WRONG[name]
    if name in {
        "no TOML",
        "one sign for two things",
        "one sign in a fact with the usual point",
        "one sign in a fact with general thousands",
        "the usual sign for two things",
        "one column for two facts",
    }:
        return
    document = tomllib.loads(text)
    assert list(Draft7Validator(schema(COLUMNS)).iter_errors(document)) != []


def test_all_mistakes_are_reported_at_once():
    """
    All errors at once, with the same messages where the mapping is made in Python.
    """
    with pytest.raises(InvalidDocument) as raised:
        ColumnMapping(
            percentages="%", columns={"progress": "a", "balance": "a"}, forms={"on": {"date": "x"}}
        )
    assert [error.path for error in raised.value.errors] == [
        "$.percentages",
        "$.columns.balance",
        "$.forms.on.date",
    ]


def test_the_schema_is_a_schema():
    """
    `holdback schema columns` is of the draft that TOML editors support, and has the reader's keys.
    """
    document = schema(COLUMNS)
    Draft7Validator.check_schema(document)
    assert document["$schema"] == DRAFT
    assert document["properties"].keys() == {*FORM_KEYS, "columns", "texts", "forms"}
    assert list(Draft7Validator(document).iter_errors(tomllib.loads(FILE))) == []
