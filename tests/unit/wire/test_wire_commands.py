"""The inputs of a host's operations, and evidence."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import pytest

from every_case import for_every
from holdback import BankDetails, Entry, InvalidDocument, Money, Takings, operations, wire
from input_contexts import input_context

INPUT_CONTEXT = input_context()


def read(operation, body):
    return wire.read_command(operation, json.dumps(body), INPUT_CONTEXT)


def messages_by_path(operation, body):
    with pytest.raises(InvalidDocument) as caught:
        read(operation, body)
    assert caught.value.__context__ is None
    return {error.path: error.message for error in caught.value.errors}


def money(text):
    return Money.parse(f"GBP {text}")


READ = {
    "accept_offer": (
        {"offer_id": "o-1", "bank_details": {"bank_name": "A"}},
        operations.AcceptOffer(offer_id="o-1", bank_details=BankDetails(bank_name="A")),
    ),
    "supply_details": (
        {"application_id": "a-1", "details": {"intended_use_of_funds": "Ovens"}},
        operations.SupplyDetails(application_id="a-1", intended_use_of_funds="Ovens"),
    ),
    "close_application": (
        {"application_id": "a-1", "status": "withdrawn"},
        operations.CloseApplication(application_id="a-1", status="withdrawn"),
    ),
    "fund_deal": ({"application_id": "a-1"}, operations.FundDeal(application_id="a-1")),
    "record_takings": (
        {"takings": [{"on": "2026-07-01", "amount": "812.34"}], "complete_through": "2026-07-02"},
        operations.RecordTakings(
            takings=(Takings(on=date(2026, 7, 1), amount=money("812.34")),),
            complete_through=date(2026, 7, 2),
        ),
    ),
    "record_remittance": (
        {
            "deal_id": "d-1",
            "entries": [
                {"id": "e-1", "on": "2026-07-01", "amount": 100, "takings": "GBP 800.00"},
                {
                    "id": "e-2",
                    "on": "2026-07-02",
                    "amount": 100.5,
                    "takings": None,
                    "settled": False,
                    "reverses": "e-1",
                },
            ],
        },
        operations.RecordRemittance(
            deal_id="d-1",
            entries=(
                Entry(
                    id="e-1", on=date(2026, 7, 1), amount=money("100.00"), takings=money("800.00")
                ),
                Entry(
                    id="e-2",
                    on=date(2026, 7, 2),
                    amount=money("100.50"),
                    settled=False,
                    reverses="e-1",
                ),
            ),
        ),
    ),
    "close_deal": (
        {"deal_id": "d-1", "status": "cancelled"},
        operations.CloseDeal(deal_id="d-1", status="cancelled"),
    ),
    "review_renewal": ({"provider_id": "p-1"}, operations.ReviewRenewal()),
}


@for_every("operation", READ)
def test_each_operation_has_its_command(operation):
    """
    Each operation's input is read as its command (decisions/wire#scenarios).
    """
    body, command = READ[operation]

    assert read(operation, body) == command


def test_a_request_for_offers_is_read_as_the_partner_sends_it():
    """
    The input of `request_offers` is the body of `POST /offers` (service 2.1).
    """
    body = {"application": {"merchant_id": "m-1", "provider_id": "p-1", "currency": "GBP"}}
    command = read("request_offers", body)

    assert command == operations.RequestOffers(request=wire.read_offers_request(body))


def test_a_day_without_remittances_is_news_when_the_history_is_complete():
    """
    `complete_through` without remittances says that nothing was remitted up to that day.
    """
    command = read(
        "record_remittance", {"deal_id": "d-1", "entries": [], "complete_through": "2026-07-02"}
    )

    assert command.entries == ()
    assert command.complete_through == date(2026, 7, 2)


@for_every(
    ("operation", "body", "path", "message"),
    [
        ("accept_offer", {}, "$.offer_id", "missing"),
        (
            "accept_offer",
            {"offer_id": "o", "bank_details": {"iban": 1}},
            "$.bank_details.iban",
            "unkn",
        ),
        (
            "supply_details",
            {"application_id": "a", "details": {}},
            "$.details",
            "expected bank_det",
        ),
        ("supply_details", {"application_id": "a"}, "$.details", "missing"),
        (
            "supply_details",
            {"application_id": "a", "details": 7},
            "$.details",
            "expected an object",
        ),
        (
            "close_application",
            {"application_id": "a", "status": "Declined"},
            "$.status",
            "`declined`",
        ),
        ("close_application", {"application_id": "a", "status": 7}, "$.status", "`withdrawn`"),
        ("close_deal", {"deal_id": "d", "status": "repaid"}, "$.status", "`defaulted`"),
        ("record_takings", {"takings": []}, "$.takings", "at least one item"),
        ("record_takings", {"takings": {}}, "$.takings", "an array, not an object"),
        ("record_takings", {"takings": [7]}, "$.takings[0]", "an object, not a number"),
        ("record_takings", {"takings": [{}] * 1_001}, "$.takings", "at most 1000 items"),
        ("record_takings", {"takings": [{"on": "today", "amount": 1}]}, "$.takings[0].on", "a day"),
        (
            "record_takings",
            {"takings": [{"on": "2026-02-30", "amount": 1}]},
            "$.takings[0].on",
            "a day",
        ),
        (
            "record_takings",
            {"takings": [{"on": 20260701, "amount": 1}]},
            "$.takings[0].on",
            "a day",
        ),
        (
            "record_takings",
            {"takings": [{"on": "2026-07-01T00:00:00Z", "amount": 1}]},
            "$.takings[0].on",
            "a day",
        ),
        (
            "record_takings",
            {"takings": [{"on": "2026-07-01", "amount": 1, "until": 1}]},
            "$.takings[0].until",
            "unknown field",
        ),
        (
            "record_remittance",
            {
                "deal_id": "d",
                "entries": [{"id": "e", "on": "2026-07-01", "amount": 1, "settled": 1}],
            },
            "$.entries[0].settled",
            "true or false, not a number",
        ),
        (
            "record_remittance",
            {"deal_id": "d", "entries": [{"id": "", "on": "2026-07-01", "amount": 1}]},
            "$.entries[0].id",
            "not empty",
        ),
        ("record_remittance", {"deal_id": "d", "entries": [{}]}, "$.entries[0].amount", "missing"),
    ],
)
def test_each_error_of_an_input_has_its_path(operation, body, path, message):
    """
    One error lists everything that is wrong, each with its JSON path.
    """
    assert message in messages_by_path(operation, body)[path]


@for_every(
    ("amount", "message"),
    [
        (-1, "not negative"),
        ("-0.01", "not negative"),
        (0.001, "at most 2 decimals"),
        ("1.234", "at most 2 decimals"),
        ("1,234.00", "an amount such as `12.50`"),
        ("USD 1.00", "an amount such as `12.50`"),
        ("GBP", "an amount such as `12.50`"),
        (" 1", "an amount such as `12.50`"),
        ("\u0661", "an amount such as `12.50`"),
        ("1_000", "an amount such as `12.50`"),
        ("NaN", "an amount such as `12.50`"),
        ("1e999999999", "an amount such as `12.50`"),
        (True, "an amount such as `12.50`"),
        (None, "an amount such as `12.50`"),
        ([], "an amount such as `12.50`"),
        (10**17, "too large"),
    ],
)
def test_an_amount_that_cannot_be_meant_is_refused(amount, message):
    """
    An amount with too many decimals is refused, and so is a negative remittance.
    """
    entries = [{"id": "e", "on": "2026-07-01", "amount": amount}]
    body = {"deal_id": "d-1", "entries": entries}

    assert message in messages_by_path("record_remittance", body)["$.entries[0].amount"]


def test_takings_may_be_below_zero():
    """
    On a day with more refunds than sales the takings are negative, and they are recorded so.
    """
    command = read("record_takings", {"takings": [{"on": "2026-07-01", "amount": "-12.50"}]})

    assert command.takings[0].amount == Money.parse("GBP -12.50")


@pytest.mark.parametrize(
    ("amount", "text"),
    [("0", "0.00"), ("1e2", "100.00"), ('"12.5"', "12.50"), ("12.500", "12.50"), ("-0", "0.00")],
)
def test_an_amount_is_read_exactly(amount, text):
    """
    An amount is a number or a text; trailing zero decimals do not count.
    """
    body = f'{{"takings": [{{"on": "2026-07-01", "amount": {amount}}}]}}'

    assert wire.read_command("record_takings", body, INPUT_CONTEXT).takings[0].amount == money(text)


def test_amounts_have_the_decimals_of_their_currency():
    """
    A yen has no minor unit.
    """
    body = {"takings": [{"on": "2026-07-01", "amount": "12.5"}]}
    with pytest.raises(InvalidDocument, match="JPY amounts have at most 0 decimals"):
        wire.read_command("record_takings", body, input_context("JPY"))


@pytest.mark.parametrize(
    ("operation", "hint"), [("fund_deel", "did you mean `fund_deal`?"), ("x", None), (None, None)]
)
def test_an_unknown_operation_is_refused(operation, hint):
    """
    An unknown operation is refused with the nearest name.
    """
    with pytest.raises(InvalidDocument) as caught:
        wire.read_command(operation, {}, INPUT_CONTEXT)

    assert caught.value.errors[0].hint == hint


def test_an_operation_without_an_input_lacks_its_fields():
    """
    No input is an empty one.
    """
    assert wire.read_command("review_renewal", None, INPUT_CONTEXT) == operations.ReviewRenewal()
    with pytest.raises(InvalidDocument, match=r"\$\.application_id: the field is missing"):
        wire.read_command("fund_deal", None, INPUT_CONTEXT)


def test_evidence_is_read_as_plain_exact_values():
    """
    Evidence of a scenario step is read exactly: numbers become `Decimal` or `int`; text and flags
    stay.
    """
    tree = wire.read_json(
        '{"credit_score": 640, "average_monthly_takings": 9000.10, "identity_verified": true,'
        ' "credit_checked_on": "2026-07-01", "months_trading": null, "share": 1e2}'
    )
    evidence = wire.read_evidence(tree)

    assert evidence == {
        "credit_score": 640,
        "average_monthly_takings": Decimal("9000.10"),
        "identity_verified": True,
        "credit_checked_on": "2026-07-01",
        "months_trading": None,
        "share": Decimal(100),
    }
    assert type(evidence["credit_score"]) is int
    assert str(evidence["average_monthly_takings"]) == "9000.10"
    assert wire.read_evidence(None) == {}


@pytest.mark.parametrize(
    ("tree", "path"),
    [
        ([], "$.evidence"),
        ("text", "$.evidence"),
        ({"credit_score": [640]}, "$.evidence.credit_score"),
        ({"credit_score": {}}, "$.evidence.credit_score"),
    ],
)
def test_evidence_is_an_object_of_single_values(tree, path):
    """
    A fact has one value.
    """
    with pytest.raises(InvalidDocument) as caught:
        wire.read_evidence(tree)

    assert [error.path for error in caught.value.errors] == [path]
