"""The places of keys and values, held against `tomllib`, which knows the values and no places."""

from __future__ import annotations

import tomllib
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from counts import count
from every_case import for_every
from holdback.jurisdictions.toml.document import Document
from holdback.jurisdictions.toml.scanner import (
    is_surely_within_limits,
    limit_exceeded,
    locate,
    offset_in_literal,
    tokens,
)
from small_folders import IRELAND

SAMPLE = r'''
# a comment with = and [brackets] and "quotes"
title = "a # no comment" # one
"quoted key" = 'literal \ text'
'single' = 1
dotted.key."with.dot" = true
multi = """
one "two" \
  three"""
raw = """"quoted""""
literal = \'\'\'it''s\'\'\'
when = 2026-07-01T10:00:00.5Z
spaced = 2026-07-01 10:00:00
day = 2026-07-01
number = -1_000.5e3
inline = { a = 1, b.c = [1, 2, { d = "x" }], "e" = {} }
array = [
  1, # a comment, with a comma
  [ "a", ["b"] ],
  { x = 1 },
]

[table]
key = 1
[table.sub."a.b"]
key = 2

[[list]]
name = "one"
[list.sub]
key = 3
[[list.items]]
n = 1
[[list.items]]
n = 2
[[list]]
name = "two"
[[list.items]]
n = 3
'''.replace(r"\'", "'")
GB = Path(__file__).parents[3] / "jurisdictions" / "GB"
TEXTS = [SAMPLE, SAMPLE.replace("\n", "\r\n"), *IRELAND.values()]
TEXTS += [path.read_text(encoding="utf-8") for path in sorted(GB.glob("*.toml"))]


def paths(value, path=()):
    """The path of every value in *value*, and the value."""
    if path:
        yield path, value
    if isinstance(value, dict):
        for key, part in value.items():
            yield from paths(part, (*path, key))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from paths(part, (*path, place))


@for_every("text", TEXTS)
def test_every_value_is_where_its_spot_is(text):
    """
    The scan finds the line and column of every key path in a TOML text.
    """
    found = locate(tokens(text))
    values = dict(paths(tomllib.loads(text)))

    assert values.keys() == found.keys()
    for path, value in values.items():
        start, end = found[path].value
        written = text[start:end]
        if not written.startswith("[") or isinstance(value, list):
            try:
                assert tomllib.loads(f"key = {written}")["key"] == value
            except tomllib.TOMLDecodeError:
                assert isinstance(value, dict | list)  # a table has its header, or its dotted key


@for_every("text", TEXTS)
def test_every_key_is_where_its_spot_is(text):
    """
    A key's spot holds the last part of its path.
    """
    for path, spot in locate(tokens(text)).items():
        if isinstance(path[-1], str):
            assert path[-1] in text[slice(*spot.key)]


def quoted(value):
    """Return *value* as a basic string of TOML, with some needless escapes."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "e": "\\u0065", "x": "\\U00000078"}
    return '"' + "".join(escapes.get(character, character) for character in value) + '"'


@given(st.text(st.sampled_from('ab" \\\nex>=%'), min_size=1, max_size=20), st.data())
def test_offsets_within_a_quoted_text(value, data):
    """
    An error in an expression points at its characters, also behind escapes.
    """
    raw = quoted(value)
    place = data.draw(st.integers(0, len(value) - 1))

    start, end = offset_in_literal(raw, place), offset_in_literal(raw, place + 1)

    assert tomllib.loads(f'key = "{raw[start:end]}"')["key"] == value[place]


def test_offsets_within_a_literal_text():
    """
    There are no escapes in a literal text.
    """
    assert offset_in_literal(r"'a\b'", 2) == 3


PIECES = st.sampled_from(
    [
        *("a", ".", '"x"', "'y'", '"\\""', "[", "]", "{", "}", "=", ",", "\n", " ", "#", "1.5"),
        *("-" * 66, "b" * 64, "c" * 65, "[[a]]\n", "2026-01-01", '"', "'", "\\", "é", ".a" * 7),
    ]
)


@settings(max_examples=count("texts of a file for its limits"))
@given(st.lists(PIECES, max_size=40).map("".join))
def test_what_looks_ordinary_has_no_excess(text):
    """
    The glance lets nothing through that the whole look would refuse.
    """
    if is_surely_within_limits(text):
        assert limit_exceeded(tokens(text)) is None


@for_every(
    "text",
    [
        " " * 39_990 + "'",
        "-" * 39_980 + "=1",
        ".".join(['"\\""'] * 6_000) + "=1",
        '"x" ' * 9_900 + ".",
        "a." * 19_900,
        ("a" * 64 + " ") * 600,
    ],
)
def test_the_glance_goes_through_a_text_once(text):
    """
    The first look takes time in proportion to the text, so forty thousand characters are quick.
    """
    steps = sum(
        1 for _ in range(50) if is_surely_within_limits(text[: len(text) // 2]) in (True, False)
    )
    assert steps == 50  # a quadratic look would take minutes here


def test_a_header_written_otherwise_is_found_all_the_same():
    """
    Every rule has its own line, however its header is written.
    """
    text = '[["rules"]]\nid = 1\n[[ rules ]]\nid = 2\n[[rules]] # third\nid = 3\n'
    document = Document("a.toml", text, [])

    assert [document.line_of(("rules", place)) for place in range(3)] == [1, 3, 5]
