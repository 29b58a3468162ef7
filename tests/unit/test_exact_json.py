"""Exact JSON, its canonical form, and opaque documents."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdback.exact.exact_json import Opaque, Verbatim, canonical, digest, write_json, write_plain

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=3)
    | st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-99, max_value=99)
    | st.sampled_from([Verbatim("1e2"), Opaque('{"a":1}')])
)
VALUES = LEAVES | st.lists(LEAVES, max_size=3) | st.dictionaries(st.text(max_size=3), LEAVES)


@pytest.mark.parametrize("value", [1.5, {"a": 0.1}, [float("nan")], b"bytes", {1, 2}])
def test_inexact_values_are_refused(value):
    """
    Floats have several texts, so they are never written.
    """
    with pytest.raises(TypeError):
        write_json(value)


def test_numbers_keep_their_digits():
    """
    A number keeps the digits that it has.
    """
    numbers = [Decimal("10000.00"), Decimal("0.0000001"), 10**27, Verbatim("1e2"), Decimal("-0.0")]

    assert write_json(numbers) == "[10000.00,0.0000001,1000000000000000000000000000,1e2,-0.0]"


def test_the_canonical_form_does_not_depend_on_the_order_of_keys():
    """
    Keys sorted, no spaces, UTF-8: the order of the keys does not change the digest.
    """
    assert canonical({"b": [True, None], "a": "é"}) == '{"a":"é","b":[true,null]}'.encode()
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest({"a": 1}) != digest({"a": 2})


def test_the_repr_of_an_opaque_document_has_no_content():
    """
    The `repr` of an opaque document leaves out its content.
    """
    assert "Nine Lives" not in repr(Opaque('{"name": "Nine Lives"}'))


def test_opaque_documents_are_equal_by_content():
    """
    The order of keys and the layout do not count; the digits of a number do.
    """
    assert Opaque('{"a": 1, "b": 0.10}') == Opaque('{"b":0.10,"a":1}')
    assert Opaque('{"a": 0.10}') != Opaque('{"a": 0.1}')
    assert Opaque('{"a": 0.10}').value == {"a": Decimal("0.10")}


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4))
def test_an_object_writes_its_values_as_they_are_written_alone(value):
    """
    The writer of objects agrees with the writer of values (decisions/fast-paths).
    """
    fields = [f"{write_json(name)}:{write_json(item)}" for name, item in value.items()]

    assert write_json(value) == f"{{{','.join(fields)}}}"


@given(VALUES)
def test_plain_values_are_written_as_all_others(value):
    """
    The quick writer gives the text of `write_json` for everything but a `Verbatim`.
    """
    items = value.values() if isinstance(value, dict) else value
    parts = items if isinstance(value, dict | list) else [value]
    if not any(isinstance(part, Verbatim) for part in parts):
        assert write_plain(value) == write_json(value)
