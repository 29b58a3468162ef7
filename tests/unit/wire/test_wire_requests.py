"""The bodies that a partner sends: what is read, and every error with its path and hint."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from every_case import for_every
from holdback import BankDetails, InvalidDocument, wire
from wire_samples import with_application, without

INITIAL = {
    "application": {
        "merchant_id": "m-1",
        "provider_id": None,
        "intended_use_of_funds": "New ovens",
        "currency": "GBP",
    },
    "consents": {"credit_check": True},
    "applicants": [{"name": "A. Person"}],
    "company": {"name": "Nine Lives Ltd"},
}
RENEWAL = {"application": {"merchant_id": "m-1", "provider_id": "p-1", "currency": "GBP"}}


def messages_and_hints_by_path(body, read=wire.read_offers_request):
    with pytest.raises(InvalidDocument) as caught:
        read(json.dumps(body))
    assert caught.value.__context__ is None
    return {error.path: (error.message, error.hint) for error in caught.value.errors}


def test_an_initial_application_is_read():
    """
    "With null it is an initial application, and the full profile is needed." (service 4.1)
    """
    request = wire.read_offers_request(json.dumps(INITIAL).encode())

    assert not request.renewal
    assert request.application.intended_use_of_funds == "New ovens"
    assert request.company.value == {"name": "Nine Lives Ltd"}
    assert (
        wire.read_offers_request(INITIAL)
        == request
        == wire.read_offers_request(json.dumps(INITIAL))
    )


def test_a_renewal_is_read():
    """
    With a provider_id the request is a renewal: the application object alone (service 4.1).
    """
    request = wire.read_offers_request(RENEWAL)

    assert request.renewal
    assert request.application.provider_id == "p-1"
    assert (request.consents, request.applicants, request.company) == (None, None, None)


def test_an_absent_provider_id_means_null():
    """
    An absent provider_id means null, and an omitted purpose is asked for later.
    """
    application = without(INITIAL["application"], "provider_id", "intended_use_of_funds")
    request = wire.read_offers_request({**INITIAL, "application": application})

    assert request.application.provider_id is None
    assert request.application.intended_use_of_funds is None


def test_every_error_is_reported_at_once():
    """
    All errors are reported at once, with their JSON paths (decisions/wire).
    """
    body = {
        "application": {
            "merchant_id": 7,
            "provder_id": "p-1",
            "intended_use_of_funds": "",
            "currency": "GPB",
        },
        "consents": [],
        "aplicants": [{}],
        "company": "Nine Lives Ltd",
    }

    assert messages_and_hints_by_path(body) == {
        "$.application.merchant_id": ("expected text, not a number", None),
        "$.application.provder_id": ("unknown field", "did you mean `provider_id`?"),
        "$.application.intended_use_of_funds": ("expected text that is not empty", None),
        "$.application.currency": ("unknown currency `GPB`", "did you mean `GBP`?"),
        "$.consents": ("expected an object, not an array", None),
        "$.aplicants": ("unknown field", "did you mean `applicants`?"),
        "$.company": ("expected an object, not text", None),
        "$.applicants": ("the field is missing; an initial application carries it", None),
    }


@for_every(
    ("body", "path", "message"),
    [
        ([], "$", "expected an object, not an array"),
        ("text", "$", "expected an object, not text"),
        (None, "$", "expected an object, not null"),
        ({}, "$.application", "the field is missing"),
        ({"application": []}, "$.application", "expected an object, not an array"),
        ({"application": None}, "$.application", "expected an object, not null"),
        (
            with_application(INITIAL, merchant_id=""),
            "$.application.merchant_id",
            "text that is not empty",
        ),
        (
            with_application(INITIAL, merchant_id=" "),
            "$.application.merchant_id",
            "text that is not empty",
        ),
        (
            with_application(INITIAL, merchant_id="m" * 201),
            "$.application.merchant_id",
            "at most 200",
        ),
        (
            with_application(INITIAL, merchant_id="m\n"),
            "$.application.merchant_id",
            "control characters",
        ),
        (
            with_application(INITIAL, merchant_id="m\x9f"),
            "$.application.merchant_id",
            "control characters",
        ),
        (
            with_application(INITIAL, merchant_id=True),
            "$.application.merchant_id",
            "text, not a flag",
        ),
        (
            with_application(INITIAL, merchant_id=None),
            "$.application.merchant_id",
            "text, not null",
        ),
        (
            with_application(INITIAL, provider_id=5),
            "$.application.provider_id",
            "text, not a number",
        ),
        (
            with_application(INITIAL, provider_id=""),
            "$.application.provider_id",
            "the stored provider_id",
        ),
        (
            with_application(RENEWAL, provider_id=""),
            "$.application.provider_id",
            "the stored provider_id",
        ),
        (
            with_application(INITIAL, currency="gbp"),
            "$.application.currency",
            "unknown currency `gbp`",
        ),
        (with_application(INITIAL, currency="£"), "$.application.currency", "ISO 4217"),
        (with_application(INITIAL, currency=None), "$.application.currency", "text, not null"),
        (
            with_application(INITIAL, intended_use_of_funds=None),
            "$.application.intended_use_of_funds",
            "null",
        ),
        (
            with_application(INITIAL, intended_use_of_funds="a" * 1_001),
            "$.application.intended_use_of_funds",
            "at most 1000 characters",
        ),
        (
            with_application(INITIAL, intended_use_of_funds="a\0"),
            "$.application.intended_use_of_funds",
            "control characters",
        ),
        (without(INITIAL, "consents"), "$.consents", "an initial application carries it"),
        (without(INITIAL, "applicants"), "$.applicants", "an initial application carries it"),
        (without(INITIAL, "company"), "$.company", "an initial application carries it"),
        ({**INITIAL, "applicants": []}, "$.applicants", "at least one object"),
        ({**INITIAL, "applicants": [{}, 7]}, "$.applicants[1]", "an object, not a number"),
        ({**INITIAL, "consents": None}, "$.consents", "an object, not null"),
        ({**RENEWAL, "company": {}}, "$.company", "a renewal carries the application alone"),
        ({**RENEWAL, "company": None}, "$.company", "a renewal carries the application alone"),
        ({**INITIAL, "extra": 1}, "$.extra", "unknown field"),
        ({**INITIAL, "Nine Lives": 1}, "$[*]", "unknown field"),
    ],
)
def test_each_error_has_its_path(body, path, message):
    """
    Unknown fields, wrong types, a renewal with a profile, an initial one without: all are errors.
    """
    errors = messages_and_hints_by_path(body)

    assert message in errors[path][0]


def test_an_application_without_fields_lacks_its_profile_too():
    """
    An empty application is an initial one: its provider_id is absent.
    """
    assert set(messages_and_hints_by_path({"application": {}})) == {
        "$.application.merchant_id",
        "$.application.currency",
        "$.consents",
        "$.applicants",
        "$.company",
    }


def test_a_provider_id_that_is_neither_leaves_the_kind_of_request_open():
    """
    An empty provider_id is an error, and the profile is not checked: it may not be due.
    """
    assert set(messages_and_hints_by_path(with_application(RENEWAL, provider_id=""))) == {
        "$.application.provider_id"
    }
    assert set(messages_and_hints_by_path(with_application(INITIAL, provider_id=""))) == {
        "$.application.provider_id"
    }


def test_a_purpose_may_have_lines():
    """
    "What the money is for, in free text." (service 2.1)
    """
    request = wire.read_offers_request(
        with_application(INITIAL, intended_use_of_funds="Ovens:\n\t2 large")
    )

    assert request.application.intended_use_of_funds == "Ovens:\n\t2 large"


@for_every("text", ["zażółć", "商店", "ñandú 7", "m\u200d1", "👩‍🍳", "a" * 200])
def test_text_is_of_any_script(text):
    """
    Identifiers are the partner's own: anything but control characters.
    """
    assert (
        wire.read_offers_request(
            with_application(INITIAL, merchant_id=text)
        ).application.merchant_id
        == text
    )


def test_a_float_in_a_parsed_body_is_refused():
    """
    Numbers are exact both ways: a float has lost the digits that were written.
    """
    with pytest.raises(InvalidDocument, match=r"\$\.company\.share: a float is not exact"):
        wire.read_offers_request({**INITIAL, "company": {"share": 0.1}})
    request = wire.read_offers_request({**INITIAL, "company": {"share": Decimal("0.10")}})
    assert request.company.text == '{"share":0.10}'


def test_a_document_of_nothing_but_errors_is_reported_in_good_time():
    """
    All errors are listed; hints, which cost time, are given for the first of them.
    """
    errors = messages_and_hints_by_path({f"field{number}": 1 for number in range(4_000)})

    assert len(errors) == 4_001
    assert sum(hint is not None for _, hint in errors.values()) <= 20


DETAILS = {
    "account_number": "12345678",
    "bank_name": "Bank of Somewhere",
    "account_type": "NONE",
    "sort_code": "04-00-04",
}


def test_bank_details_are_read():
    """
    "The request has no body, or an object with `bank_details`" (service 4.2)
    """
    details = wire.read_accept_request(json.dumps({"bank_details": DETAILS}).encode())

    assert details == BankDetails(**DETAILS)
    assert repr(details) == "BankDetails()"


@for_every("body", [None, b"", "", b"{}", {}, b'{"bank_details": null}'])
def test_bank_details_are_optional(body):
    """
    "It may hold an object `bank_details`, which is optional too" (service 2.3)
    """
    assert wire.read_accept_request(body) is None


def test_every_bank_detail_is_optional():
    """
    Service 2.3 marks none of the fields as required.
    """
    assert wire.read_accept_request({"bank_details": {}}) == BankDetails()


def test_an_unknown_account_type_passes_through():
    """
    A vocabulary on the wire is open text: an unknown value is read (decisions/wire).
    """
    details = wire.read_accept_request({"bank_details": {"account_type": "SAVINGS"}})

    assert details.account_type == "SAVINGS"


@for_every(
    ("body", "path", "message"),
    [
        ([], "$", "expected an object, not an array"),
        ({"bankdetails": {}}, "$.bankdetails", "unknown field"),
        ({"bank_details": []}, "$.bank_details", "expected an object, not an array"),
        ({"bank_details": {"iban": "x"}}, "$.bank_details.iban", "unknown field"),
        ({"bank_details": {"12345678": "x"}}, "$.bank_details[*]", "unknown field"),
        (
            {"bank_details": {"account_number": 1}},
            "$.bank_details.account_number",
            "text, not a number",
        ),
        ({"bank_details": {"bank_name": ""}}, "$.bank_details.bank_name", "text that is not empty"),
        ({"bank_details": {"sort_code": "040004"}}, "$.bank_details.sort_code", "groups of digits"),
        (
            {"bank_details": {"sort_code": "04-0O-04"}},
            "$.bank_details.sort_code",
            "groups of digits",
        ),
        ({"bank_details": {"sort_code": "04-00-"}}, "$.bank_details.sort_code", "groups of digits"),
        (
            {"bank_details": {"sort_code": "\u0660\u0664-00-04"}},
            "$.bank_details.sort_code",
            "groups of digits",
        ),
    ],
)
def test_each_error_of_an_acceptance_has_its_path(body, path, message):
    """
    "Groups of digits, separated by hyphens." (service 2.3)
    """
    assert message in messages_and_hints_by_path(body, wire.read_accept_request)[path][0]
