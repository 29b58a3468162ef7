"""Spoilt documents of DMN are refused or read, and never break what reads them."""

from __future__ import annotations

import re
from datetime import date
from random import Random

from holdback import InvalidDocument
from holdback.tools.dmn.decision_tables import read_decision_tables
from holdback.tools.dmn.document import dmn_document
from small_folders import read
from small_tables import land, table

SPOT = re.compile(r'(?<=>)[^<\n]+(?=<)|(?<==")[^"]*')
# What FEEL, TOML or XML could trip over, where a value is expected.
WORDS = (
    *("null", "not(", "not(null)", "[1..", "]", "..", "-", "?", '"', "'", "{}", "{", "()", "1e5"),
    *(
        'date("x")',
        '@"2026-13-45"',
        "2026-01-01",
        "9" * 40,
        '"\\u0001"',
        "&#1;",
        "&lt;",
        "for x in",
    ),
    *(
        "2025-01-01\n[[tables]]",
        "true",
        "false",
        "EUR",
        "a,b",
        "[1..2] and",
        '"a" or "b"',
        "\U0001d518",
    ),
)


def test_a_spoilt_document_is_refused_or_read():
    jurisdiction = read(land(table()), "NL")
    rulebook = jurisdiction.rulebook(date(2026, 7, 1))
    document = dmn_document(rulebook, jurisdiction.policy.tables_on(rulebook.on))
    ends = {"read": 0, "reported": 0, "refused": 0}
    for seed in range(400):
        random, text = Random(seed), document
        for _ in range(random.randint(1, 3)):
            spot = random.choice(list(SPOT.finditer(text)))
            word = random.choice([*WORDS, random.choice(SPOT.findall(document))])
            kept = random.choice(("", "", spot[0]))
            text = f"{text[: spot.start()]}{kept}{word}{text[spot.end() :]}"
        if random.random() < 0.2:
            cut = random.randrange(len(text))
            text = text[:cut] + text[cut + random.randint(1, 200) :]
        try:
            tables = read_decision_tables(text.encode(), "spoilt.dmn", rulebook)
        except InvalidDocument:
            ends["refused"] += 1
            continue
        ends["reported" if tables.errors else "read"] += 1
        for text in tables.texts:
            assert text.count("[[tables]]") == 1
    assert min(ends.values()) > 40, ends
