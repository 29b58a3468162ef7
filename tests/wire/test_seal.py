"""A seal of a stored document shows an edit whose checksum was worked out again."""

from __future__ import annotations

import attrs
import pytest

import wire_samples
from holdback import StateError, wire

KEY, OLD = bytes(range(32)), bytes(range(1, 33))
STATE = wire.write_merchant(wire_samples.MERCHANT)
EVENT = wire.write_event(wire_samples.EVENTS["OffersIssued"])
DOCUMENTS = [STATE, wire.write_profile(wire_samples.PROFILE), EVENT]


def code_of(body, *keys):
    with pytest.raises(StateError) as refused:
        wire.unseal(body, *keys)
    (error,) = refused.value.errors
    assert error.path == "$.seal"
    return error.code


@pytest.mark.parametrize("document", DOCUMENTS, ids=["state", "profile", "event"])
def test_a_sealed_document_is_unsealed_with_any_key_in_use(document):
    """
    A key is replaced without a gap: what was sealed with the old one is read with both.
    """
    assert wire.unseal(wire.seal(document, KEY), KEY) == document
    assert wire.unseal(wire.seal(document, OLD), KEY, OLD) == document
    assert wire.seal(document, KEY) != wire.seal(document, OLD)


def test_an_edit_with_a_new_checksum_is_read_without_a_seal_and_refused_with_one():
    """
    "The checksum finds damage. It is not a key."
    """
    other = attrs.evolve(wire_samples.MERCHANT, profile_erased=True)
    edited = wire.write_merchant(other)
    assert wire.read_merchant(edited) == other != wire_samples.MERCHANT
    seal = wire.seal(STATE, KEY)[len(STATE) - 1 :]
    assert code_of(edited[:-1] + seal, KEY) == "contradiction"


def test_a_wrong_and_a_missing_seal_are_refused():
    """
    `missing` without a seal, `contradiction` with another one, or another key.
    """
    sealed = wire.seal(STATE, KEY)
    assert code_of(STATE, KEY) == "missing"
    assert code_of(sealed, OLD) == "contradiction"
    assert code_of(sealed) == "contradiction"
    assert code_of(sealed + b" ", KEY) == "contradiction"
    with pytest.raises(StateError):
        wire.read_merchant(sealed)
    with pytest.raises(ValueError, match="at least 32 random bytes"):
        wire.seal(STATE, b"short")
