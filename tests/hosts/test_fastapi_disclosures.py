"""The sample host discloses offers, at endpoints of partners and of agents."""

from __future__ import annotations

import jsonschema
import pytest
from fastapi_calls import Merchant, code, service_on
from fastapi_host.schemas import SCHEMAS

from disclosure_regimes import regime, with_disclosures
from holdback import Engine

TEXTS = {"financer": "Acme"}


@pytest.fixture
def merchant(tmp_path):
    """A merchant of a service in whose jurisdiction an offer is disclosed before it is accepted."""
    engine = Engine.for_trial(with_disclosures(regime()))
    with service_on("sqlite", tmp_path, engine=engine) as service:
        yield Merchant(service)


def test_an_offer_is_disclosed_signed_and_funded(merchant):
    """
    "Host agents and partners get it at endpoints of their own", with the shape that is documented.
    """
    assert merchant.ask().status_code == 200
    offer_id = merchant.known["offer_ids"][0]
    assert code(merchant.accept()) == (409, "not_disclosed")

    body = {"offer_id": offer_id, "texts": TEXTS, "withheld": "100.00"}
    reply = merchant.partner_does("disclose", body)
    assert reply.status_code == 200, reply.text
    document = {
        "$ref": "#/components/schemas/OfferDisclosure",
        "components": {"schemas": SCHEMAS},
    }
    jsonschema.validate(reply.json(), document)
    assert merchant.agent("disclose", body).json() == reply.json()

    assert merchant.accept().status_code == 200
    application_id = merchant.known["application_id"]
    funding = {"application_id": application_id}
    assert code(merchant.agent("fund_deal", funding)) == (409, "not_disclosed")
    signed = {"application_id": application_id, "document": "d-1", "digest": reply.json()["digest"]}
    assert merchant.agent("record_signature", signed).status_code == 200
    assert merchant.fund().status_code == 200
    assert merchant.service.events().count("OfferDisclosed") == 1


def test_a_partner_reads_what_is_wrong(merchant):
    """
    "Errors teach: what is wrong, where, what was expected, what to do; all at once."
    """
    assert merchant.ask().status_code == 200
    body = {"offer_id": merchant.known["offer_ids"][0], "texts": {"financier": "Acme"}}
    reply = merchant.partner_does("disclose", body)
    assert code(reply) == (422, "invalid_request")
    wrong = [(error["path"], error["code"]) for error in reply.json()["errors"]]
    assert wrong == [("$.texts.financier", "unknown_name"), ("$.texts.financer", "missing")]
