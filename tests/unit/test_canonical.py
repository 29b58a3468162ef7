"""Exact JSON, canonical JSON and closed documents."""

from __future__ import annotations

from decimal import Decimal

import pytest

from holdback.exact_json import Opaque, Verbatim, canonical, digest, write_json


@pytest.mark.parametrize("value", [1.5, {"a": 0.1}, [float("nan")], b"bytes", {1, 2}])
def test_what_is_not_exact_json_is_refused(value):
    """
    Floats have no one text, so they are never written.
    """
    with pytest.raises(TypeError):
        write_json(value)


def test_numbers_are_written_as_they_are():
    """
    "The standard `json` reads exact decimals and cannot write them" (design 7)
    """
    numbers = [Decimal("10000.00"), Decimal("0.0000001"), 10**27, Verbatim("1e2"), Decimal("-0.0")]

    assert write_json(numbers) == "[10000.00,0.0000001,1000000000000000000000000000,1e2,-0.0]"


def test_one_value_has_one_canonical_text():
    """
    Keys sorted, no spaces, UTF-8: whatever the order of the keys, the digest is one.
    """
    assert canonical({"b": [True, None], "a": "é"}) == '{"a":"é","b":[true,null]}'.encode()
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest({"a": 1}) != digest({"a": 2})


def test_a_closed_document_is_never_shown():
    """
    "Personal data is kept opaque, never in a repr" (design 6)
    """
    assert "Nine Lives" not in repr(Opaque('{"name": "Nine Lives"}'))


def test_closed_documents_are_equal_when_they_say_the_same():
    """
    The order of keys and the layout say nothing; a number's digits do.
    """
    assert Opaque('{"a": 1, "b": 0.10}') == Opaque('{"b":0.10,"a":1}')
    assert Opaque('{"a": 0.10}') != Opaque('{"a": 0.1}')
    assert Opaque('{"a": 0.10}').value == {"a": Decimal("0.10")}
