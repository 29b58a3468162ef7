""" "Everything a partner or a rule author can get wrong gives one clear error [...] and changes nothing." """

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from every_case import for_every
from holdback import (
    BankDetails,
    Context,
    Engine,
    InvalidDocument,
    Merchant,
    Money,
    Refusal,
    load_jurisdictions,
    wire,
)
from journey import BANK, ENGINE, EVIDENCE, Journey

BLOCK = {"merchant_id": "m-1", "provider_id": None, "currency": "GBP"}
INITIAL = {"application": BLOCK, "consents": {}, "applicants": [{}], "company": {}}


def body(**changed):
    return json.dumps({**INITIAL, **changed}).encode()


def without(key):
    return json.dumps({name: value for name, value in INITIAL.items() if name != key}).encode()


BODIES = {
    "an unknown field": (body(compny={}), "$.compny", "did you mean `company`?"),
    "a missing field": (without("company"), "$.company", ""),
    "an initial without a profile": (json.dumps({"application": BLOCK}).encode(), "$.consents", ""),
    "a renewal carrying a profile": (
        body(application={**BLOCK, "provider_id": "p"}),
        "$.company",
        "",
    ),
    "an empty provider_id": (
        body(application={**BLOCK, "provider_id": ""}),
        "$.application.provider_id",
        "",
    ),
    "a wrong type": (body(applicants={}), "$.applicants", ""),
    "a duplicate key": (b'{"application": {}, "application": {}}', "$.application", ""),
    "NaN": (b'{"application": NaN}', "$", ""),
    "an immense number": (b'{"application": 1e999999999}', "$", ""),
    "100,000 nested brackets": (b"[" * 100_000, "$", ""),
    "no JSON at all": (b"application=1", "$", ""),
    "nothing": (b"", "$", ""),
}


@for_every("name", BODIES)
def test_a_body_that_cannot_be_read(name):
    """
    "one clear error that lists all faults with a JSON path [...], a hint where one exists"
    """
    text, path, hint = BODIES[name]
    with pytest.raises(InvalidDocument) as caught:
        wire.read_offers_request(text)
    fault = next(each for each in caught.value.errors if (each.path or "$").startswith(path))

    assert hint in str(fault)
    assert wire.problem(caught.value)["status"] == 422


def test_all_faults_of_a_body_at_once():
    """
    "all faults at once"
    """
    wrong = body(
        application={"merchant_id": 7, "currency": "pounds", "provder_id": 1}, applicants=[], x=1
    )
    with pytest.raises(InvalidDocument) as caught:
        wire.read_offers_request(wrong)

    assert {each.path for each in caught.value.errors} == {
        "$.application.merchant_id",
        "$.application.currency",
        "$.application.provder_id",
        "$.applicants",
        "$.x",
    }


def unchanged(journey, refusal, operation, *arguments, **options):
    """Whether *operation* is refused so, and leaves the stored bytes as they were."""
    before = wire.write_merchant(journey.merchant)
    with pytest.raises(Refusal) as caught:
        operation(*arguments, **options)
    assert wire.write_merchant(journey.merchant) == before
    return (caught.value.code, caught.value.status) == refusal


def test_an_unknown_provider_id(renewable):
    """An unknown `provider_id`."""
    assert unchanged(
        renewable, ("merchant_not_found", 404), renewable.ask, renewal=True, provider_id="p"
    )


def test_offers_that_cannot_be_accepted(journey):
    """
    "an offer that expired, was withdrawn, was accepted with other details or never existed"
    """
    journey.ask()
    first, second = (offer.offer_id for offer in journey.offers.products[0].offers[:2])
    assert unchanged(journey, ("offer_not_found", 404), journey.accept, "never existed")
    journey.accept(first)
    other = BankDetails(account_number="87654321")
    assert unchanged(journey, ("already_accepted", 409), journey.accept, first, bank_details=other)
    assert unchanged(journey, ("already_accepted", 409), journey.accept, second)
    journey.do("close_application", journey.acceptance.application_id, "withdrawn")
    assert unchanged(journey, ("offer_withdrawn", 409), journey.accept, second)
    journey.ask()
    journey.now = journey.offers.expires_at
    assert unchanged(journey, ("offers_expired", 404), journey.accept)


def test_another_currency(journey):
    """A currency that is not the jurisdiction's."""
    assert unchanged(journey, ("currency_mismatch", 422), journey.ask, currency="EUR")


def test_an_unknown_jurisdiction():
    """An unknown jurisdiction names the nearest and those there are."""
    merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GBR")
    context = Context(at=datetime(2026, 7, 6, tzinfo=UTC), request_id="r", evidence=EVIDENCE)
    with pytest.raises(InvalidDocument, match="did you mean `GB`"):
        ENGINE.request_offers(merchant, Journey().request(), context)


def test_a_date_before_the_first_rule(journey):
    """A date before its first rule."""
    with pytest.raises(InvalidDocument, match="2024-01-01"):
        load_jurisdictions().resolve("GB", on=date(2023, 12, 31))
    journey.now = datetime(2023, 12, 31, tzinfo=UTC)
    with pytest.raises(InvalidDocument, match="2024-01-01"):
        journey.ask()


def test_a_day_with_a_time_is_no_date():
    """`datetime` is a `date` in Python, and a silent fault in a service."""
    with pytest.raises(InvalidDocument):
        load_jurisdictions().resolve("GB", on=datetime(2026, 7, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ({"amount": "1.001"}, "$.entries[0].amount"),
        ({"amount": "-1.00"}, "$.entries[0].amount"),
        ({"amount": 1.5e300}, "$.entries[0].amount"),
        ({"on": "2026-02-30"}, "$.entries[0].on"),
        ({"id": ""}, "$.entries[0].id"),
        ({"settled": 1}, "$.entries[0].settled"),
        ({"reverse": "x"}, "$.entries[0].reverse"),
    ],
)
def test_an_entry_that_cannot_be_read(funded, entry, path):
    """
    "money with too many decimals, negative remittances"
    """
    good = {"id": "e", "on": "2026-07-06", "amount": "1.00", "settled": True}
    text = json.dumps({"deal_id": funded.deal.id, "entries": [{**good, **entry}]}).encode()
    with pytest.raises(InvalidDocument) as caught:
        wire.read_command("record_remittance", text, funded.deal.repayment_amount.currency)

    assert [fault.path for fault in caught.value.errors] == [path]


def test_a_reversal_of_nothing_and_an_id_used_twice(funded):
    """
    "a reversal of an entry that does not exist, the same entry id with another content"
    """
    funded.pass_time(days=3)
    with pytest.raises(InvalidDocument, match=r"\$\.entries\[0\]\.reverses"):
        funded.remit(funded.entry(5, reverses="nothing"))
    entry = funded.entry(5)
    funded.remit(entry)
    changed = funded.entry(6, id=entry.id, on=entry.on)
    assert unchanged(funded, ("request_conflict", 409), funded.remit, changed)


def test_a_calculator_that_nobody_registered(tmp_path):
    """A calculator name that nobody registered, with its file and line."""
    from holdback.jurisdictions.folder import bundled_path

    (tmp_path / "GB").mkdir()
    for name in ("jurisdiction.toml", "renewal.toml", "products.toml"):
        text = (bundled_path() / "GB" / name).read_text(encoding="utf-8")
        (tmp_path / "GB" / name).write_text(text.replace('"takings_pace"', '"takings_pase"'))
    with pytest.raises(InvalidDocument) as caught:
        Engine(load_jurisdictions(tmp_path))
    (fault,) = caught.value.errors

    assert fault.file.endswith("GB/products.toml")
    assert fault.line
    assert "takings_pace" in str(fault)


@pytest.mark.parametrize(
    "evidence",
    [
        {"credit_score": 700.5},
        {"credit_score": "seven hundred"},
        {"identity_verified": "yes"},
        {"credit_score": True},
        {"credit_score": Decimal("Infinity")},
        {"average_monthly_takings": "20000.001"},
        {"average_monthly_takings": "EUR 20000.00"},
        {"credit_checked_on": datetime(2026, 7, 1, tzinfo=UTC)},
        {"credit_score": 99_999},
        {"shoe_size": 43},
    ],
)
def test_evidence_that_cannot_be_read(journey, evidence):
    """
    "An infinite or wrongly typed value is rejected at the edge with a clear error." (design 4)
    """
    with pytest.raises(InvalidDocument) as caught:
        journey.ask(evidence=EVIDENCE | evidence)

    assert next(iter(evidence)) in str(caught.value)


@pytest.mark.parametrize("missing", [None, float("nan"), Decimal("NaN")])
def test_evidence_that_is_missing_is_unknown(journey, missing):
    """
    "Absent, `None`, null, NaN and NaT are all *unknown*." (design 4)
    """
    offers = journey.ask(evidence=EVIDENCE | {"credit_score": missing})

    assert {product.decision for product in offers.products} == {"Referred"}
    assert wire.read_merchant(wire.write_merchant(journey.merchant)) == journey.merchant


def test_evidence_in_python_values_is_stored_plain(journey):
    """What the host's checks give as dates and money is stored, and read back, the same."""
    journey.ask(
        evidence=EVIDENCE
        | {
            "credit_checked_on": date(2026, 7, 6),
            "average_monthly_takings": Money.parse("GBP 20000.00"),
        }
    )

    assert journey.offers.products[0].decision == "Accepted"
    assert wire.read_merchant(wire.write_merchant(journey.merchant)) == journey.merchant


def test_no_personal_data_is_shown(journey):
    """
    "Personal data (profile sections, bank details) is kept opaque, never in a `repr`, a log, a trace, a
    digest or an error." (design 6)
    """
    journey.ask()
    journey.accept()
    shown = repr((journey.merchant, journey.events, journey.offers, journey.acceptance, BANK))

    for secret in ("Nine Lives", "A. Person", "12345678", "10-20-30", "A Bank"):
        assert secret not in shown
