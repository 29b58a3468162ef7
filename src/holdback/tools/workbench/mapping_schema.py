"""The words of a column mapping, and the JSON Schema of its file, for editors."""

from __future__ import annotations

from typing import Final

from holdback.exact.exact_json import Json

# What may be said of how values are written. Each is one of these words, except `dates`.
WORDS: Final[dict[str, tuple[str, ...]]] = {
    "percentages": ("percent", "fractions"),
    "money": ("major units", "minor units"),
    "decimal_mark": (".", ","),
    "thousands": (",", ".", " ", "'"),
}
DATES: Final = "dates"
FORM_KEYS: Final = (*WORDS, DATES)
TABLES: Final = ("columns", "texts", "forms")

_PART: Final = r"(YYYY|MM|MON|DD)"
# Year, month and day, each once, with or without a sign between them.
DATE_FORM: Final = (
    rf"^(?!.*(YYYY|MM|MON|DD).*\1)(?!.*MM.*MON)(?!.*MON.*MM){_PART}[-/. ]?{_PART}[-/. ]?{_PART}$"
)
FACT: Final = "^[a-z][a-z0-9_]{0,59}$"

_MEANING: Final = {
    "percentages": "64% is written `64` (percent) or `0.64` (fractions).",
    "money": "12.50 is written `12.50` (major units) or `1250` (minor units).",
    "decimal_mark": "The sign before the decimals of a number in a text.",
    "thousands": "The sign between the thousands of a number in a text.",
    "dates": "How days are written in texts, such as `DD/MM/YYYY`.",
    "columns": "The column of the file for each fact.",
    "texts": "For a fact, what each text in the file means.",
    "forms": "How the values of one fact are written, where they differ from the others.",
}


def mapping_schema() -> dict[str, Json]:
    """
    Return the JSON Schema of a file of a column mapping, without its title.

    >>> mapping_schema()["properties"]["percentages"]["enum"]
    ['percent', 'fractions']
    """
    form: dict[str, Json] = {
        key: {"type": "string", "enum": list(words), "description": _MEANING[key]}
        for key, words in WORDS.items()
    }
    form[DATES] = {"type": "string", "pattern": DATE_FORM, "description": _MEANING[DATES]}
    texts = {"type": "object", "additionalProperties": {"type": "string"}}
    column = {"type": "string", "minLength": 1}
    properties = {
        **form,
        "columns": _by_fact(column) | {"description": _MEANING["columns"]},
        "texts": _by_fact(texts) | {"description": _MEANING["texts"]},
        "forms": _by_fact({"type": "object", "properties": form, "additionalProperties": False})
        | {"description": _MEANING["forms"]},
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _by_fact(value: Json) -> dict[str, Json]:
    """A table with *value* for each fact."""
    return {"type": "object", "patternProperties": {FACT: value}, "additionalProperties": False}
