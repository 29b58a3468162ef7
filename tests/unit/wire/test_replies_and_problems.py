"""Replies and problem details, beyond their golden bytes."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import attrs
import pytest

import wire_samples
from every_case import for_every
from holdback import (
    ConfigurationError,
    Entry,
    HistoryError,
    InvalidDocument,
    Money,
    Refusal,
    StateError,
    wire,
)
from holdback.errors import REFUSALS, ErrorDetail
from holdback.exact.exact_json import write_json
from holdback.exact.exact_numbers import plain_digits
from holdback.exact.money import Currency


@for_every("name", wire_samples.REPLIES)
def test_bytes_and_plain_values_say_the_same(name):
    """
    Every reply has plain values, and its bytes are those of the values.
    """
    reply = wire_samples.REPLIES[name]

    assert wire.write(reply) == write_json(wire.to_dict(reply)).encode()


@for_every(
    ("money", "written"),
    [
        ("GBP 10000.00", b"10000.00"),
        ("GBP 0.07", b"0.07"),
        ("JPY 10000", b"10000"),
        ("KWD 0.001", b"0.001"),
        ("CLF 12.3400", b"12.3400"),
        ("GBP 12345678901234567890123456.78", b"12345678901234567890123456.78"),
    ],
)
def test_money_is_written_at_the_minor_units(money, written):
    """
    Money is written with the decimals of its currency, such as `10000.00`, up to 28 digits.
    """
    offer = wire_samples.offer(1, funded_amount=Money.parse(money))
    reply = attrs.evolve(wire_samples.ACCEPTANCE, offer=offer)

    assert b'"funded_amount":' + written + b"," in wire.write(reply)


@for_every(
    ("value", "written"),
    [
        ("1.180", "1.18"),
        ("100", "100"),
        ("1E+2", "100"),
        ("0.0000001", "0.0000001"),
        ("0E-9", "0"),
        ("-0.00", "0"),
        ("0.1234567890123456789012345678", "0.1234567890123456789012345678"),
        ("1234567890123456789012345678", "1234567890123456789012345678"),
    ],
)
def test_rates_are_written_without_trailing_zeros(value, written):
    """
    Rates are written without trailing zeros, exact up to 28 digits.
    """
    assert plain_digits(Decimal(value)) == written


def test_text_is_written_as_json_whatever_it_holds():
    """
    Quotes, controls and every script go through, in UTF-8.
    """
    text = 'a "b" \\ \n \u2028 é 😀 </script> \x7f'
    reply = attrs.evolve(wire_samples.OFFERS, products=(wire_samples.product(1, name=text),))

    assert json.loads(wire.write(reply))["products"][0]["name"] == text


def test_the_settled_transactions_add_up_to_what_was_remitted():
    """
    The amount of a reversal is negative, so the settled amounts add up to what was remitted.
    """
    written = wire.to_dict(wire_samples.STANDING)["transactions"]

    assert [each["status"] for each in written] == ["Reversed", "Settled", "Reversal", "Unsettled"]
    assert [each["amount"] for each in written if "reverses" in each] == [Decimal("-100.00")]
    settled = sum(each["amount"] for each in written if each["status"] != "Unsettled")
    assert settled == wire_samples.DEAL.remitted.amount


E, R = ("e", 100, None), ("r", 30, "e")


@pytest.mark.parametrize(
    ("lines", "settled", "statuses", "paid"),
    [
        ([E, R], "", ["Unsettled", "Unsettled"], 0),
        ([E, R], "r", ["Unsettled", "Unsettled"], 0),
        ([E, R], "e", ["Settled", "Unsettled"], 100),
        ([E, R], "er", ["PartlyReversed", "Reversal"], 70),
        ([E, R, ("s", 70, "e")], "rs", ["Reversed", "Reversal", "Reversal"], 0),
        ([E, R, ("s", 70, "e")], "ers", ["Reversed", "Reversal", "Reversal"], 0),
        ([E, R, ("s", 70, "e")], "r", ["Unsettled", "Unsettled", "Unsettled"], 0),
    ],
)
def test_the_transactions_that_count_add_up_to_what_is_paid(lines, settled, statuses, paid):
    """
    Also those of a payment that never settled, taken back in part or whole: what counts is paid.
    """
    entries = tuple(
        Entry(
            id=id_,
            on=date(2026, 8, 3),
            amount=Money(minor, Currency.of("GBP")),
            reverses=of,
            settled=id_ in settled,
        )
        for id_, minor, of in lines
    )
    deal = attrs.evolve(wire_samples.DEAL, entries=entries, closed_entries=None)
    written = wire.to_dict(attrs.evolve(wire_samples.STANDING, deal=deal))["transactions"]

    assert [line["status"] for line in written] == statuses
    counting = [line["amount"] for line in written if line["status"] != "Unsettled"]
    assert sum(counting) * 100 == paid == deal.remitted.minor


def test_what_is_no_longer_held_has_a_line_of_its_own():
    """
    The transactions add up as before when older ones are closed: the first line is their sum.
    """
    deal = attrs.evolve(wire_samples.LEDGER_DEAL, closed_entries=None)

    def written(deal):
        return wire.to_dict(attrs.evolve(wire_samples.STANDING, deal=deal))["transactions"]

    def paid(lines):
        return sum(line["amount"] for line in lines if line["status"] != "Unsettled")

    closed = deal.closed_through(date(2026, 7, 4))
    first, *others = written(closed)
    assert first == {
        "id": "carried_forward",
        "date": "2026-07-04",
        "kind": "carried_forward",
        "amount": Decimal("0.07"),
        "takings": None,
        "status": "Settled",
    }
    assert len(others) < len(written(deal))
    assert paid([first, *others]) == paid(written(deal))


def test_the_links_of_the_specification_come_first():
    """
    The two links that are always there come first, in one order for all hosts (service 2.4).
    """
    links = dict(reversed(wire_samples.LINKS.items()))
    reply = attrs.evolve(wire_samples.ACCEPTANCE, links=links)

    assert list(wire.to_dict(reply)["links"]) == ["contract_link", "merchant_link", "help_link"]
    assert wire.write(reply) == wire.write(wire_samples.ACCEPTANCE)


@for_every("code", REFUSALS)
def test_a_refusal_is_a_problem(code):
    """
    A problem has a type, a title, a status, a detail, a code and a list of errors (service 7).
    """
    status, title = REFUSALS[code]

    assert wire.problem(Refusal(code, "why")) == {
        "type": f"urn:holdback:{code}",
        "title": title,
        "status": status,
        "detail": "why",
        "code": code,
        "errors": [],
    }


def test_an_invalid_document_is_an_invalid_request_with_every_error():
    """
    An invalid document is a problem `invalid_request` with status 422 (service 7).
    """
    error = InvalidDocument(
        [
            ErrorDetail(
                code="unknown_field",
                message="unknown field",
                path="$.compny",
                hint="did you mean `company`?",
            ),
            ErrorDetail(code="malformed", message="this is not JSON", line=2, column=7),
        ]
    )
    problem = wire.problem(error)

    assert (problem["status"], problem["code"]) == (422, "invalid_request")
    assert problem["detail"] == "the document has 2 faults"
    assert problem["errors"] == [
        {
            "path": "$.compny",
            "code": "unknown_field",
            "message": "unknown field; did you mean `company`?",
        },
        {"path": "$", "code": "malformed", "message": "this is not JSON (line 2, column 7)"},
    ]
    assert json.loads(wire.write_problem(error)) == problem


@for_every("kind", [StateError, ConfigurationError, HistoryError])
def test_an_error_of_the_host_says_nothing_of_its_content(kind):
    """
    A partner cannot correct a stored state, a calculator or the evidence of the host: such an error
    is a 500, and says nothing about the content (decisions/errors#who-is-responsible).
    """
    error = kind.of("wrong_value", "expected marmalade", path="$.shelf", hint="marmalade is orange")
    problem = wire.problem(error)

    assert (problem["status"], problem["code"], problem["errors"]) == (500, "internal_error", [])
    assert problem["type"] == "urn:holdback:internal_error"
    assert (error.status, error.errors[0].code) == (500, "wrong_value")
    assert "marmalade" not in wire.write_problem(error).decode()
    assert "shelf" not in wire.write_problem(error).decode()
    assert wire.write_problem(error) == wire.write_problem(kind.of("missing", "another"))
