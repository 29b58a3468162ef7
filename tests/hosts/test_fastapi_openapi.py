"""The document at /openapi.json matches the host, also for generated requests."""

from __future__ import annotations

import json
from collections import Counter
from itertools import count as count_up
from pathlib import Path

import jsonschema
import pytest
import schemathesis
from fastapi_calls import PROFILE, Merchant, service_on
from fastapi_host.for_agents import COMMANDS
from fastapi_host.roles import UNDERWRITER, WHO_MAY
from fastapi_host.schemas import OPERATIONS, SCHEMAS
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi import stateful
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from counts import count
from holdback.testing import payloads
from holdback.testing.conformance.host import AGENT_OPERATIONS, PARTNER_OPERATIONS

GOLDEN = Path(__file__).parents[1] / "wire/golden"
REPLIES = {
    "reply_acceptance": "Acceptance",
    "reply_application": "Application",
    "reply_applications": "Applications",
    "reply_assessment": "Assessment",
    "reply_deal_receipt": "DealReceipt",
    "reply_evidence": "HeldEvidence",
    "reply_holds": "Holds",
    "reply_merchant_lookup_empty": "MerchantLookup",
    "reply_merchant_lookup_with_a_plan": "MerchantLookup",
    "reply_merchant_lookup_with_fees": "MerchantLookup",
    "reply_merchant_lookup_with_ledger": "MerchantLookup",
    "reply_offers": "Offers",
    "reply_offers_declined": "Offers",
    "reply_offer_disclosure": "OfferDisclosure",
    "reply_profile_status": "ProfileStatus",
    "reply_record_receipt": "RecordReceipt",
    "reply_referrals": "Referrals",
    "reply_refundable": "Refundable",
    "reply_renewal_review": "RenewalReview",
    "reply_required_checks_of_funding": "RequiredChecks",
    "reply_settlement_quote": "SettlementQuote",
    "reply_settlement_quote_with_fees": "SettlementQuote",
    "reply_statement": "Statement",
    "reply_statement_with_suspense": "Statement",
    "reply_suspense_receipt": "SuspenseReceipt",
    "reply_takings_receipt": "TakingsReceipt",
    "reply_unwind_quote": "UnwindQuote",
    "problem_refusal": "Problem",
    "problem_refusal_with_errors_with_codes": "Problem",
    "problem_invalid_document_with_codes": "Problem",
}
# Of the first version, whose errors had no codes.
PAST = {"problem_refusal_with_errors", "problem_invalid_document"}
# Generated requests: for each operation and mode, and sequences of steps along the links.
EXAMPLES = count("generated requests of each kind to each operation")
SEQUENCES, STEPS = count("generated sequences of requests"), 6
# Together they make at least as many requests; `GET /health` has no wrong ones, and few that
# differ.
LEAST_REQUESTS = count("generated requests in all")
# A request of the right shape may still be refused with 422: another currency, a day in the future.
RULES_MAY_REFUSE = [positive_data_acceptance]
QUIET = {
    "derandomize": True,  # the same requests in every run
    "database": None,
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
}


@pytest.fixture
def service(tmp_path):
    with service_on("sqlite", tmp_path) as service:
        yield service


class Counting:
    """The app, with a count of the statuses that each operation gave."""

    def __init__(self, app):
        self.app = app
        self.seen = Counter()

    async def __call__(self, scope, receive, send):
        async def noted(message):
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "operation_id", None)
                self.seen[route, message["status"]] += 1
            await send(message)

        await self.app(scope, receive, noted)


def validator(name):
    schema = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": SCHEMAS}}
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("golden", REPLIES)
def test_a_reply_matches_its_schema_exactly(golden):
    """
    Each golden reply matches its schema, with no field more or less, except that of fees.
    """
    reply = json.loads((GOLDEN / f"{golden}.json").read_text())

    validator(REPLIES[golden]).validate(reply)
    for name in reply.keys() - {"fees_owed"}:
        without = {other: value for other, value in reply.items() if other != name}
        assert not validator(REPLIES[golden]).is_valid(without)
    assert not validator(REPLIES[golden]).is_valid(reply | {"more": 1})


def test_every_golden_reply_has_a_schema():
    """
    Except the checks that a request for offers requires, which no endpoint returns.
    """
    names = {path.stem for kind in ("reply", "problem") for path in GOLDEN.glob(f"{kind}_*.json")}

    assert names - set(REPLIES) == {"reply_required_checks", *PAST}


def test_every_operation_is_described(service):
    """
    Requests, replies, problems, keys and links, for each operation of the service.
    """
    document = service.call("GET", "/openapi.json", key=None).json()
    operations = {
        each["operationId"]: each for path in document["paths"].values() for each in path.values()
    }

    assert set(operations) == {*OPERATIONS, "health"}
    assert set(OPERATIONS) == {name for name in WHO_MAY if not name.startswith("page_")} - {
        "health"
    }
    assert set(COMMANDS) == set(AGENT_OPERATIONS)
    assert set(PARTNER_OPERATIONS) <= set(OPERATIONS)
    for name, each in operations.items():
        if name == "health":
            continue
        assert each["security"] == [{scheme(name): []}]
        assert {"200", "401", "403", "422", "500", "503"} <= set(each["responses"])
        if OPERATIONS[name]["request"] is not None:
            headers = {given["name"] for given in each["parameters"] if given["in"] == "header"}
            agents = {"Clock-Compared"} if name in COMMANDS else set()
            assert headers == {"Idempotency-Key"} | agents
            assert {"409", "413", "415"} <= set(each["responses"])
            assert each["requestBody"]["content"].keys() == {"application/json"}
    links = {name: each["responses"]["200"].get("links") for name, each in operations.items()}
    assert links["request_offers"]["accept"]["operationId"] == "accept_offer"
    assert links["accept_offer"]["merchant"]["operationId"] == "look_up"


def scheme(name):
    """The scheme of the keys of those who may call an endpoint."""
    if "partner" in WHO_MAY[name]:
        return "PartnerKey"
    return "UnderwriterKey" if WHO_MAY[name] == {UNDERWRITER} else "AgentKey"


def test_generated_requests_get_only_described_answers(service, monkeypatch):
    """
    Generated requests, linked ones included, get no 5xx and no answer outside the schema; their
    number has a floor.
    """
    Merchant(service, "m-1").renewable()
    app = Counting(service.app)
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    for result in schema.get_all_operations():
        operation = result.ok()
        fuzz(operation, GenerationMode.POSITIVE)
        if takes_input(operation.definition.raw):
            fuzz(operation, GenerationMode.NEGATIVE)
    explore(schema, monkeypatch)

    assert app.seen.total() >= LEAST_REQUESTS
    assert not [key for key in app.seen if key[1] >= 500]
    for reached in (
        ("request_offers", 200),
        ("accept_offer", 200),
        ("look_up", 200),
        ("record_takings", 200),
        ("review_renewal", 200),
        ("place_hold", 200),
        ("applications", 200),
        ("holds", 200),
        ("open_referrals", 200),
        ("open_deals", 200),
        ("statement", 200),
    ):
        assert app.seen[reached] > 0, reached


def takes_input(raw):
    """Whether a request can be invalid: more query parameters than are known are ignored."""
    asked = [given for given in raw.get("parameters", ()) if given["in"] == "query"]
    return "requestBody" in raw or any(given["required"] for given in asked)


KEYS = {"PartnerKey": "acme-key", "AgentKey": "clerk-key", "UnderwriterKey": "underwriter-key"}


def headers(operation_id):
    if operation_id == "health":
        return {}
    return {"Authorization": f"Bearer {KEYS[scheme(operation_id)]}"}


def fuzz(operation, mode):
    """Send valid requests, or invalid ones; those about a merchant are about an existing one."""
    name = operation.definition.raw["operationId"]
    named = {"partner": "acme", "merchant_id": "m-1"}
    merchant = {part: of for part, of in named.items() if f"{{{part}}}" in operation.path} or None

    @settings(max_examples=EXAMPLES, **QUIET)
    @given(case=operation.as_strategy(generation_mode=mode, path_parameters=merchant))
    def request(case):
        sent = {"headers": headers(name)}
        response = case.call(**sent)
        # Schemathesis does not count 413, for a wrong body that is also too large, as a refusal.
        refused = [negative_data_rejection] if response.status_code == 413 else []
        excluded = [*RULES_MAY_REFUSE, *refused]
        case.validate_response(
            response, **sent, excluded_checks=excluded, transport_kwargs=dict(sent)
        )

    request()


def explore(schema, monkeypatch):
    """Follow the links: offers, their acceptance, and the lookup of the merchant."""
    numbers = count_up()
    # Schemathesis would start by accepting offers that do not exist.
    monkeypatch.setattr(
        stateful,
        "is_likely_root_transition",
        lambda operation, *_: operation.label == "POST /v2/offers",
    )

    class Machine(schema.as_state_machine()):
        def before_call(self, case):
            # This run tests the links. Generated keys would repeat and conflict, and generated
            # profiles contain numbers with a hundred digits, which are refused.
            case.headers.pop("Idempotency-Key", None)
            if case.operation.label == "POST /v2/offers" and isinstance(case.body, dict):
                case.body = payloads.offers_request(f"m-{next(numbers)}", profile=PROFILE)

        def validate_response(self, response, case, **sent):
            case.validate_response(
                response,
                # The body and the key were made valid above, so the host is right to accept them.
                excluded_checks=[*RULES_MAY_REFUSE, negative_data_rejection],
                transport_kwargs=sent,
                recorder=self.recorder,
            )

        def get_call_kwargs(self, case):
            return {"headers": headers(case.operation.definition.raw["operationId"])}

    Machine.run(settings=settings(max_examples=SEQUENCES, stateful_step_count=STEPS, **QUIET))
