"""Any JSON is read strictly: all errors at once, and only `InvalidDocument` is raised."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from every_case import for_every
from holdback import InvalidDocument, wire
from holdback.exact.exact_json import Opaque, Verbatim, write_json
from holdback.wire.strict_json import REQUEST_LIMIT, is_number, read_json, read_tree

HOSTILE = {
    "nothing": b"",
    "a space": b" ",
    "not JSON": b"offers, please",
    "cut short": b'{"application": {"merchant_id": "m-1"',
    "trailing comma": b'{"a": 1,}',
    "two documents": b"{}{}",
    "single quotes": b"{'a': 1}",
    "a comment": b'{"a": 1} // why',
    "control character in a text": b'{"a": "\x01"}',
    "bare NUL": b'{"a": "\x00"}',
    "duplicate keys": b'{"a": 1, "a": 2}',
    "duplicate keys by an escape": b'{"a": 1, "\\u0061": 2}',
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": Infinity}',
    "minus Infinity": b'{"a": -Infinity}',
    "a huge exponent": b'{"a": 1e999999999}',
    "a huge negative exponent": b'{"a": 1e-999999999}',
    "an exponent of many digits": b'{"a": 1e' + b"9" * 10_000 + b"}",
    "a huge whole number": b'{"a": ' + b"7" * 5_000 + b"}",
    "29 digits": b'{"a": 12345678901234567890123456789}',
    "29 digits with a point": b'{"a": 1.2345678901234567890123456789}',
    "29 decimals": b'{"a": 0.00000000000000000000000000001}',
    "a number like no other": b'{"a": 01}',
    "hexadecimal": b'{"a": 0x10}',
    "a plus sign": b'{"a": +1}',
    "100,000 brackets": b"[" * 100_000,
    "100,000 brackets within the limit's size": b"[" * 60_000,
    "deep objects": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "33 brackets": b"[" * 33 + b"]" * 33,
    "a lone surrogate": b'{"a": "\\ud800"}',
    "a lone low surrogate": b'{"a": "\\udc00"}',
    "surrogates in the wrong order": b'{"a": "\\udc00\\ud800"}',
    "a lone surrogate in a key": b'{"\\ud800": 1}',
    "a lone surrogate as UTF-8": b'{"a": "\xed\xa0\x80"}',
    "NUL in a key": b'{"\\u0000": 1}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "UTF-16 without a mark": '{"a": 1}'.encode("utf-16-le"),
    "UTF-32": '{"a": 1}'.encode("utf-32"),
    "latin 1": '{"a": "é"}'.encode("latin-1"),
    "a byte order mark": b'\xef\xbb\xbf{"a": 1}',
    "a byte order mark in a text": '\ufeff{"a": 1}',
    "a lone surrogate in a text": '{"a": "\ud800"}',
    "too large": b'"' + b"a" * REQUEST_LIMIT + b'"',
    "too large in UTF-8": '"' + "é" * (REQUEST_LIMIT - 10) + '"',
    "an unclosed text with brackets": b'"' + b'[\\"' * 15_000,
    "neither bytes nor text": 7,
    "None": None,
    "a bytearray": bytearray(b"{}"),
}


@for_every("body", HOSTILE.values(), ids=HOSTILE)
def test_hostile_json_is_an_invalid_document(body):
    """
    Repeated names, NaN and Infinity, lone surrogates and the like are errors (decisions/wire).

    No error of the standard library comes through, not even as a context.
    """
    with pytest.raises(InvalidDocument) as caught:
        read_json(body)

    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert all(error.path.startswith("$") for error in caught.value.errors)
    assert str(caught.value).isascii()


def paths_and_messages(body):
    with pytest.raises(InvalidDocument) as caught:
        read_json(body)
    return [(error.path, error.message) for error in caught.value.errors]


def test_every_error_is_reported_with_its_path():
    """
    All errors are reported at once, with their JSON paths (decisions/wire).
    """
    body = (
        b'{"a": NaN, "b": [1, {"c": "\\ud800"}], "a": 1e99, "d": {"e": 1, "e": 2},'
        b' "Nine Lives": -Infinity}'
    )

    assert paths_and_messages(body) == [
        ("$.a", "NaN and infinity are not JSON"),
        ("$.b[1].c", "text with half of a surrogate pair"),
        ("$.a", "the field is written twice"),
        ("$.a", "a number has at most 28 digits, and an exponent within 28"),
        ("$.d.e", "the field is written twice"),
        ("$[*]", "NaN and infinity are not JSON"),
    ]


def test_a_syntax_error_has_its_line_and_column():
    """
    A syntax error is one error, with its line and column.
    """
    with pytest.raises(InvalidDocument) as caught:
        read_json(b'{\n  "a": 1\n  "b": 2\n}')

    (error,) = caught.value.errors
    assert (error.line, error.column) == (3, 3)
    assert error.message == "this is not JSON: expecting ',' delimiter"


@for_every(
    "text",
    [
        "[" * 32 + "]" * 32,
        '{"a": "' + "[" * 1_000 + '"}',
        '["' + "\\\\" * 100 + '", "' + '\\"[' * 100 + '"]',
        '{"a": "\\ud83d\\ude00", "b": "\\u0000", "c": "\\\\ud800"}',
        " \r\n\t[ ] ",
        "1",
        '"text"',
        "null",
        '["\u2028 é 😀"]',
        "[1e28, 1E-28, -0, -0.0, 0e0, 1.50, 1234567890123456789012345678]",
        "[0.1234567890123456789012345678, 0.0000000000000000000000000000]",
    ],
)
def test_what_is_json_is_read(text):
    """
    Brackets in a text are not nesting, and an escaped surrogate pair is one character.
    """
    exact = json.loads(text, parse_float=Verbatim, parse_int=Verbatim)

    assert read_json(text) == exact
    assert read_json(text.encode()) == exact


def test_numbers_stay_as_they_were_written():
    """
    Opaque content keeps its numbers as written: `0.10` stays `0.10`.
    """
    body = b"[0.10,1.0,-0.00,1e2,1E+2,10000000000000000000000.10,-0]"

    assert write_json(read_json(body)).encode() == body


def test_the_limits_can_be_chosen():
    """
    The limits of size and depth can be chosen.
    """
    assert read_json(b"[" * 40 + b"]" * 40, depth=40)
    assert read_json(b'"' + b"a" * 100_000 + b'"', limit=200_000)
    with pytest.raises(InvalidDocument, match="larger than 3 bytes"):
        read_json(b"[{}]", limit=3)


@for_every(
    ("value", "path", "message"),
    [
        ({"a": 0.1}, "$.a", "a float is not exact"),
        ({"a": float("nan")}, "$.a", "a float is not exact"),
        ({"a": Decimal("NaN")}, "$.a", "NaN and infinity are not JSON"),
        ({"a": Decimal("Infinity")}, "$.a", "NaN and infinity are not JSON"),
        ({"a": Decimal("1e999999")}, "$.a", "at most 28 digits"),
        ({"a": 10**5_000}, "$.a", "at most 28 digits"),
        ({"a": 10**28}, "$.a", "at most 28 digits"),
        ({"a": Verbatim("1, 2")}, "$.a", "at most 28 digits"),
        ({"a": b"bytes"}, "$.a", "expected a JSON value"),
        ({"a": {1, 2}}, "$.a", "expected a JSON value"),
        ({1: "a"}, "$[*]", "the name of a field is text"),
        ({"a\0": "a"}, "$[*]", "the name of a field holds NUL"),
        ({"a": ["\ud800"]}, "$.a[0]", "half of a surrogate pair"),
    ],
)
def test_a_tree_that_was_parsed_elsewhere_is_read_as_strictly(value, path, message):
    """
    A parsed tree is read too; a float in it has lost its digits, so it is refused.
    """
    with pytest.raises(InvalidDocument) as caught:
        read_tree(value)

    assert [error.path for error in caught.value.errors] == [path]
    assert message in caught.value.errors[0].message


def test_a_tree_without_end_is_refused():
    """
    A mapping that holds itself is deeper than any limit.
    """
    endless = {}
    endless["a"] = endless
    with pytest.raises(InvalidDocument, match="nested too deep"):
        read_tree(endless)


def test_exact_values_of_a_tree_are_kept():
    """
    An `int`, a `Decimal` and an opaque document in a tree are read as their JSON text is.
    """
    tree = {
        "a": 1,
        "b": Decimal("0.10"),
        "c": Decimal("1E-7"),
        "d": Opaque('{"e": 1.0}'),
        "f": (1,),
    }

    assert read_tree(tree) == read_json('{"a":1,"b":0.10,"c":0.0000001,"d":{"e":1.0},"f":[1]}')


@given(st.binary(max_size=60) | st.text(max_size=60))
def test_whatever_comes_is_read_or_refused(body):
    """
    Any bytes are read, or refused with `InvalidDocument`.
    """
    try:
        tree = read_json(body)
    except InvalidDocument as error:
        wire.write_problem(error)  # which can be written, whatever the body was
        return
    assert read_json(write_json(tree)) == tree


JSONISH = st.text('{}[]":,\\u0d8e.-+ \n"a1N', max_size=40)


@given(JSONISH)
def test_what_is_nearly_json_is_read_or_refused(text):
    """
    Text that is nearly JSON is refused with `InvalidDocument`, or read as the standard parser reads
    it.
    """
    try:
        tree = read_json(text)
    except InvalidDocument:
        return
    assert tree == json.loads(text, parse_float=Verbatim, parse_int=Verbatim)


@given(st.integers(0, 10**28 - 1), st.integers(-28, 28), st.booleans())
def test_the_bounds_of_numbers_are_those_of_decimals(digits, exponent, negative):
    """
    A number is within the bounds if its decimal has at most 28 digits and an exponent within 28.
    """
    assert is_number(f"{'-' if negative else ''}{digits}e{exponent}")
    assert not is_number(f"{digits + 10**28}e{exponent}")
