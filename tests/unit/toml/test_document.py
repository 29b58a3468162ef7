"""What a file may be before anything in it is read: its size, its characters, its cost."""

from __future__ import annotations

import pytest

from every_case import for_every
from holdback.jurisdictions.toml import MAX_BYTES
from holdback.jurisdictions.toml.document import read_document

# The body, where the error points, and how it reads on.
UNREADABLE = [
    (b"\xef\xbb\xbfformat = 1", None, "the file starts with a byte order mark; save it as UTF-8"),
    (b'name = "\xff"', (1, None), "the file is not UTF-8; save it as UTF-8"),
    (b'format = 1\nname = "\xe9"', (2, None), "the file is not UTF-8"),
    (b"format\0= 1", None, "the file has a NUL character"),
    ("f".encode("utf-16"), None, "the file has a NUL character"),
    (b"#" * (MAX_BYTES + 1), None, "the file has more than 256 KiB"),
    ('name = "a\u202eb"'.encode(), (1, 10), "an invisible character, U+202E; remove it"),
    ('name = "a\u200bb"'.encode(), (1, 10), "an invisible character, U+200B; remove it"),
    (b"format = 1\na.b.c.d.e.f.g.h.i = 1", (2, 16), "a key has at most 8 parts"),
    (b"[a.b.c.d.e.f.g.h.i]", (1, 17), "a key has at most 8 parts"),
    (b"a = " + b"[" * 33, (1, 37), "values are nested at most 32 deep"),
    (b"a = " + b"{ b = " * 33, (1, 197), "values are nested at most 32 deep"),
    (b"a = 0x" + b"f" * 100, (1, 5), "a key or a number has at most 64 characters"),
    (b"a = " + b"1" * 5000, (1, 5), "a key or a number has at most 64 characters"),
    (b"a = 1\na = 2\n", (2, 6), "this is not TOML: cannot overwrite a value; a key or a table is"),
    (b"[a]\n[a]\n", (2, 3), "this is not TOML: cannot declare `a` twice"),
    (b"a = NO\n", (1, 5), "this is not TOML: invalid value; write text, percentages and money in"),
    (b"a = 80%\n", (1, 7), "this is not TOML: expected newline or end of document"),
    (b'a = "b\n', (1, 7), "this is not TOML: illegal character"),
    (b"a = [1,\n", (1, 8), "this is not TOML: invalid value"),
    (b"a = 2026-02-30\n", (1, 5), "this is not TOML: invalid date or datetime"),
    (b"a\r\nb = 1", (1, 2), "this is not TOML: expected '=' after a key"),
]


@for_every(("body", "place", "said"), UNREADABLE)
def test_a_file_that_cannot_be_read(body, place, said):
    """
    A file that is too large, not strict UTF-8, or has a BOM or a NUL is refused, with the place
    where it is known.
    """
    errors = []

    assert read_document("a.toml", body, errors) is None
    (error,) = errors
    assert str(error).partition(": ")[2].startswith(said)
    assert (error.line, error.column) == (place or (None, None))


# What takes a reader seconds, or more memory than there is, when it is not looked at first.
HOSTILE = [
    (b"a" + b".a" * 130_000 + b" = 1", "a key has at most 8 parts"),
    (b"[" * 260_000, "values are nested at most 32 deep"),
    (b"a = " + b"[" * 260_000, "values are nested at most 32 deep"),
    (b"a = 0x" + b"f" * 260_000, "a key or a number has at most 64 characters"),
    (b"a = 1" + b"0" * 260_000, "a key or a number has at most 64 characters"),
    (b'"\\"' * 19_000, "this is not TOML"),
    (b'"\\"' * 80_000, "there are more than 40000 words and signs"),
    (b'a = """' + b'\\"' * 130_000, "this is not TOML"),
    (b"'" * 260_000, "this is not TOML"),
]


@for_every(("body", "said"), HOSTILE, ids=lambda value: str(value)[:20])
def test_what_would_cost_too_much_is_refused_before_it_is_read(body, said):
    """
    The cost of a file is known before it is read.
    """
    errors = []

    assert read_document("a.toml", body, errors) is None
    assert errors[0].message.startswith(said)


@pytest.mark.parametrize("text", ["1.5", "-0.25", "+1.000000000001"])
def test_numbers_are_exact(text):
    """
    Bare TOML numbers are read exactly.
    """
    _, value = read_document("a.toml", f"a = {text}".encode(), [])

    assert str(value["a"]) == text.removeprefix("+")


def test_line_endings_do_not_matter():
    """
    A file from Windows says the same, at the same places.
    """
    errors = []

    document, value = read_document("a.toml", b'a = 1\r\nb = "c"\r\n', errors)

    assert value == {"a": 1, "b": "c"}
    assert document.position(document.spans["b",].value)["source"] == 'b = "c"'


def test_a_very_long_line_is_not_shown():
    """
    Nobody could read it under its error.
    """
    errors = []

    read_document("a.toml", b"a = [" + b"1, " * 1000 + b"NO]", errors)

    assert errors[0].column > 3000
    assert errors[0].source is None
