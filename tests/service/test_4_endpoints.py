"""Service 4: the three endpoints, as operations of the engine."""

from __future__ import annotations

import json
import uuid

import pytest

from holdback import Refusal, wire
from holdback.operations import LookUp, RequestOffers
from holdback.testing import payloads
from journey import BANK, EVIDENCE, Journey

INITIAL = payloads.as_json(payloads.offers_request("m-1", use="stock"))


def test_post_offers_creates_an_application_and_obtains_offers(journey):
    """
    "Creates an application, initial or renewal, and returns offers." (service 4.1)
    """
    request = wire.read_offers_request(INITIAL)
    outcome = journey.engine.carry_out(
        journey.merchant,
        RequestOffers(request=request),
        journey.context(EVIDENCE),
        profile=journey.profile,
    )
    reply = json.loads(wire.write(outcome.reply))

    assert set(reply) == {"products", "expiresAt"}
    assert outcome.merchant.offer_sets[0].application_id


def test_with_a_provider_id_it_is_a_renewal(renewable):
    """
    "With a value in `application.provider_id` the request is a renewal, and only the application
    block is needed. With null it is an initial application, and the full profile is needed."
    (service 4.1)
    """
    block = {
        "merchant_id": "m-1",
        "provider_id": renewable.merchant.provider_id,
        "currency": "GBP",
    }
    renewal = wire.read_offers_request(json.dumps({"application": block}).encode())

    assert renewal.renewal
    assert not wire.read_offers_request(INITIAL).renewal


def test_the_same_request_again_gives_the_stored_set(journey):
    """
    The same request id and body return the stored set, even after it expired; another body is
    refused (decisions/offers#the-same-request-again).
    """
    first = wire.write(journey.ask(request_id="once"))
    journey.pass_time(days=400)
    again = wire.write(journey.ask(request_id="once"))
    with pytest.raises(Refusal) as refused:
        journey.ask(request_id="once", intended_use_of_funds="another")

    assert again == first
    assert (refused.value.code, refused.value.status) == ("request_conflict", 409)


def test_the_reply_to_a_repeated_request_is_the_first_even_after_acceptance(journey):
    """
    A repeated request gets the reply that the caller missed (decisions/engine).
    """
    first = wire.write(journey.ask(request_id="once"))
    journey.accept()

    assert wire.write(journey.ask(request_id="once")) == first


def test_accept_takes_none_or_bank_details(journey):
    """
    "The request has no body, or an object with `bank_details`" (service 4.2)
    """
    details = wire.read_accept_request(
        b'{"bank_details": {"account_number": "12345678", "bank_name": "A Bank",'
        b' "account_type": "NONE", "sort_code": "10-20-30"}}'
    )

    assert details == BANK
    assert wire.read_accept_request(None) is None
    assert wire.read_accept_request(b"") is None


def test_the_lookup_is_addressed_by_provider_id(renewable):
    """
    "The lookup is where the renewal flow starts, and it is addressed by the merchant's
    `provider_id`." (service 4.3) The host loads the merchant that a `provider_id` names.
    """
    reply = json.loads(wire.write(renewable.do(LookUp())))

    assert list(reply) == ["deals"]
    assert reply["deals"][0]["performance"]["renewal_eligibility"] is True


def test_the_lookup_before_the_first_funding_is_empty(journey):
    """
    Before the first funding the lookup returns an empty list
    (decisions/renewal#before-the-first-funding).
    """
    assert wire.write(journey.do(LookUp())) == b'{"deals":[]}'


def test_prose_that_changes_is_that_of_its_day():
    """
    The texts of a product are not part of the digest (decisions/jurisdiction-folders#identified),
    and are still those of the day of the request.
    """
    from datetime import timedelta

    from holdback import Engine, Jurisdictions
    from holdback.jurisdictions.folder import bundled_path
    from holdback.jurisdictions.reader import FILES, read_jurisdiction

    files = {name: (bundled_path() / "GB" / name).read_bytes() for name in FILES}
    text = files["products.toml"].decode()
    start, end = text.index("[[products]]"), text.index('[[products]]\nkey = "starter"')
    older, first = text[start:end], "from = 2024-01-01"
    # The rule that begins later is left to the newer product.
    older = older[: older.rindex("[[products.rules]]", 0, older.index("\nfrom = 2026-11-22"))]
    older = older.replace(first, f"{first}\nuntil = 2026-07-10", 1)
    newer = text[start:end].replace(first, "from = 2026-07-10", 1)
    newer = newer.replace("Business cash advance", "Cash advance", 1)
    files["products.toml"] = (text[:start] + older + newer + text[end:]).encode()
    journey = Journey(Engine.for_trial(Jurisdictions([read_jurisdiction("GB", files)])))
    before = journey.ask().products[0].name
    journey.now += timedelta(days=10)
    after = journey.ask().products[0].name
    sets = journey.merchant.offer_sets

    assert (before, after) == ("Business cash advance", "Cash advance")
    assert sets[0].digest == sets[1].digest


def test_merchant_link_and_contract_link_come_from_the_host():
    """
    "The `merchant_link` of the accept response is a personalised link to this lookup." (service
    4.3)
    """
    from holdback import Engine, load_jurisdictions

    def links(*, application_id, provider_id, **_):
        return {
            "contract_link": f"https://sign.example/{application_id}",
            "merchant_link": f"https://me.example/{provider_id}",
        }

    journey = Journey(Engine(load_jurisdictions(), namespace=uuid.uuid4(), links=links))
    journey.ask()
    acceptance = journey.accept()

    assert acceptance.links["merchant_link"].endswith(acceptance.provider_id)
    assert acceptance.links["contract_link"].endswith(acceptance.application_id)
