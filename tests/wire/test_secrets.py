"""Personal data stays where it is kept: in no message, no repr, no problem document."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from every_case import for_every
from holdback import HoldbackError, wire
from holdback.exact.exact_json import Opaque
from holdback.merchant.profile import Profile
from input_contexts import input_context

SECRET = "S3CRET"

INITIAL = {
    "application": {
        "merchant_id": "m-1",
        "provider_id": None,
        "intended_use_of_funds": f"For {SECRET}",
        "currency": "GBP",
    },
    "consents": {"signed_by": SECRET, "at": [SECRET, {"ip": SECRET}]},
    "applicants": [{"name": SECRET, "address": {"line": SECRET}, "share": 1}],
    "company": {"name": SECRET, "number": SECRET, "owners": [SECRET]},
}
BANK = {
    "account_number": SECRET,
    "bank_name": SECRET,
    "account_type": SECRET,
    "sort_code": SECRET,
}


def leaves(tree, path=()):
    """The path of every single value in *tree*."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


def put(tree, path, value):
    """A copy of *tree* with *value* at *path*."""
    tree = copy.deepcopy(tree)
    inner = tree
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return tree


def chain(error):
    """Everything that an error says, and the errors behind it."""
    while error is not None:
        yield f"{error} {error!r} {error.args!r}"
        yield from (repr(fault) for fault in getattr(error, "faults", ()))
        error = error.__cause__ or error.__context__


def said(read, body):
    """Everything that reading *body* says, whether it is read or refused."""
    try:
        read_back = read(body)
    except HoldbackError as error:
        return "\n".join(chain(error)) + wire.write_problem(error).decode()
    return repr(read_back)


LONG = SECRET * 500
WRONG = [7, -1.5, True, None, [], {}, [SECRET], {"name": SECRET}, "", SECRET, LONG, f"{SECRET}\0"]
RAW = [f'"{SECRET}\\ud800"', "NaN", f'{{"a": "{SECRET}", "a": "{SECRET}"}}', f'"{SECRET}', SECRET]
RAW += ["1e999999999", "7" * 40, "[" * 40 + f'"{SECRET}"' + "]" * 40]
OPEN = ("merchant_id", "provider_id", "currency")


def readers():
    """Each document that holds personal data, and what reads it."""
    yield INITIAL, wire.read_offers_request
    yield {"bank_details": BANK}, wire.read_accept_request
    for operation, body in (
        ("request_offers", INITIAL),
        ("accept_offer", {"offer_id": "o-1", "bank_details": BANK}),
        (
            "supply_details",
            {
                "application_id": "a-1",
                "details": {"bank_details": BANK, "intended_use_of_funds": SECRET},
            },
        ),
    ):
        yield body, lambda body, name=operation: wire.read_command(name, body, input_context())


CASES = [
    (body, read, path) for body, read in readers() for path in leaves(body) if path[-1] not in OPEN
]


@for_every(("body", "read", "path"), CASES, ids=[".".join(map(str, path)) for _, _, path in CASES])
def test_no_message_holds_personal_data(body, read, path):
    """
    Personal data (the profile, bank details) is in no message and no traceback of an error.
    """
    for wrong in WRONG:
        assert SECRET not in said(read, json.dumps(put(body, path, wrong)))
    for raw in RAW:
        text = json.dumps(put(body, path, "@@")).replace('"@@"', raw)
        assert SECRET not in said(read, text)
        assert SECRET not in said(read, text.encode("utf-16"))


@for_every("section", ["application", "consents", "applicants", "company"])
@for_every("wrong", WRONG, ids=repr)
def test_no_message_holds_a_section_of_the_wrong_kind(section, wrong):
    """
    The same, when a whole section is not what it should be.
    """
    if not (section == "application" and isinstance(wrong, str)):
        assert SECRET not in said(wire.read_offers_request, {**INITIAL, section: wrong})
    assert SECRET not in said(wire.read_accept_request, {"bank_details": wrong})


@given(st.text(max_size=20))
def test_no_message_holds_the_end_of_a_damaged_body(tail):
    """
    A body cut short or damaged anywhere tells where, not what.
    """
    text = json.dumps(INITIAL)
    for cut in (40, len(text) // 2, len(text) - 3):
        assert SECRET not in said(wire.read_offers_request, text[:cut] + tail)


def stored():
    """The document that holds personal data, as a tree: the profile."""
    salt = bytes(range(16))
    contents = [Opaque.of(value) for value in INITIAL.values()] + [Opaque.of(BANK)]
    profile = Profile.new(salt=salt).with_sections(contents)
    yield json.loads(wire.write_profile(profile)), wire.read_profile


@pytest.mark.parametrize(("tree", "read"), list(stored()), ids=["profile"])
def test_no_message_about_a_stored_document_holds_personal_data(tree, read):
    """
    The same of stored documents, whole and damaged in every field that holds personal data.
    """
    assert SECRET in json.dumps(tree)
    assert SECRET not in said(read, json.dumps(tree).encode())
    for path in leaves(tree):
        inner = tree
        for step in path:
            inner = inner[step]
        if SECRET not in str(inner) and "sort_code" not in path:
            continue
        for wrong in (7, [], [SECRET], {"a": SECRET}, f"{SECRET}\0", LONG):
            assert SECRET not in said(read, json.dumps(put(tree, path, wrong)).encode())
        for raw in RAW:
            text = json.dumps(put(tree, path, "@@")).replace('"@@"', raw)
            assert SECRET not in said(read, text.encode())
