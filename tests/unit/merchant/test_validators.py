"""Values that the model's classes refuse, because the state could not be stored or read again."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import StrEnum

import pytest

from every_case import for_every
from holdback import (
    Application,
    BankDetails,
    ConfigurationError,
    Context,
    Entry,
    InvalidDocument,
    Merchant,
    Money,
    OffersRequest,
    Takings,
)
from holdback.exact.exact_json import Opaque

GBP1 = Money.parse("GBP 1.00")
DAY = date(2026, 7, 6)


class Word(StrEnum):
    PARTNER = "acme"


@for_every(
    "make",
    [
        lambda: Entry(id=None, on=DAY, amount=GBP1),
        lambda: Entry(id="", on=DAY, amount=GBP1),
        lambda: Entry(id="\ud800", on=DAY, amount=GBP1),
        lambda: Entry(id="e", on=datetime(2026, 7, 6, tzinfo=UTC), amount=GBP1),
        lambda: Entry(id="e", on="2026-07-06", amount=GBP1),
        lambda: Entry(id="e", on=DAY, amount=Decimal(1)),
        lambda: Entry(id="e", on=DAY, amount=None),
        lambda: Entry(id="e", on=DAY, amount=Money(10**30, GBP1.currency)),
        lambda: Entry(id="e", on=DAY, amount=GBP1, settled="false"),
        lambda: Takings(on=None, amount=GBP1),
        lambda: Takings(on=DAY, amount=Money(10**40, GBP1.currency)),
        lambda: BankDetails(account_number=12345678),
        lambda: BankDetails(account_number=""),
        lambda: BankDetails(more={"iban": 5}),
        lambda: BankDetails(more={"iban": ""}),
        lambda: Merchant.new(partner=Word.PARTNER, merchant_id="m", jurisdiction="GB"),
        lambda: Merchant.new(partner="acme", merchant_id="\ud800", jurisdiction="GB"),
        lambda: Application(merchant_id="m", currency=7),
        lambda: Application(merchant_id="m", currency="GBP", provider_id=""),
        lambda: OffersRequest(application=Application(merchant_id="m", currency="GBP")),
        lambda: OffersRequest(
            application=Application(merchant_id="m", currency="GBP", provider_id="p"),
            company=Opaque("{}"),
        ),
        lambda: OffersRequest(
            application=Application(merchant_id="m", currency="GBP"),
            consents={},
            applicants=Opaque("[{}]"),
            company=Opaque("{}"),
        ),
        lambda: Opaque('{"name": "Jane'),
    ],
)
def test_what_could_not_be_stored_is_not_taken(make):
    """
    A value that a stored state could not hold is refused, and the error does not repeat it.
    """
    with pytest.raises(InvalidDocument) as caught:
        make()

    assert "Jane" not in str(caught.value)
    assert caught.value.__context__ is None or "Jane" not in str(caught.value.__context__)


@for_every(
    "make",
    [
        lambda: Context(at=datetime(2026, 7, 6, tzinfo=UTC), request_id="\ud800"),
        lambda: Context(at=datetime(2026, 7, 6, tzinfo=UTC), request_id=Word.PARTNER),
        lambda: Context(at=datetime(2026, 7, 6), request_id="r"),
        lambda: Context(at=datetime(9999, 12, 31, tzinfo=UTC), request_id="r"),
        lambda: Context(at=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))), request_id="r"),
        lambda: Context(at=datetime(2026, 7, 6, tzinfo=UTC), request_id="r", evidence=["credit"]),
    ],
)
def test_what_the_host_says_of_itself_is_not_blamed_on_a_document(make):
    """
    The time, the request id and the evidence are the host's (decisions/errors#who-is-responsible).
    """
    with pytest.raises(ConfigurationError) as caught:
        make()

    assert caught.value.errors[0].path in {"$.at", "$.request_id", "$.evidence"}
