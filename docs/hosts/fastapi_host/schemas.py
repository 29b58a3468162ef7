"""What /openapi.json says. `schemas.json` has the operations, and the shapes of their JSON.

The bodies are read and written by `holdback.wire`, exactly and at once, so they are described here and not
made of models that would read and write them again. Tests hold the descriptions against what is served.
"""

import json
from pathlib import Path

from holdback import wire
from holdback.errors import REFUSALS

DOCUMENT = json.loads(Path(__file__).with_name("schemas.json").read_text(encoding="utf-8"))
OPERATIONS, SCHEMAS = DOCUMENT["operations"], DOCUMENT["schemas"]
FOR_AGENTS = tuple(name for name, each in OPERATIONS.items() if each["security"] == "AgentKey")
OPTIONAL_BODIES = ("accept_offer", "review_renewal")
# operation: (name of the link, operation that it leads to, parameter, where its value is in the reply)
LINKS = {
    "request_offers": ("accept", "accept_offer", "offer_id", "/products/0/offers/0/offer_id"),
    "accept_offer": ("merchant", "look_up", "provider_id", "/provider_id"),
}
IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Chosen by the caller, a new one for each request that it means. The same key with the same"
    " request gives the same reply for ever; with another request it is refused.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}


def described(operation):
    """The arguments with which FastAPI describes the endpoint of an operation."""
    about = OPERATIONS[operation]
    ok = {"description": about["summary"], **_content("application/json", about["reply"])}
    if operation in LINKS:
        name, leads_to, parameter, place = LINKS[operation]
        given = {parameter: f"$response.body#{place}"}
        ok["links"] = {name: {"operationId": leads_to, "parameters": given}}
    extra = {"security": [{about["security"]: []}]}
    if about["request"]:
        required = operation not in OPTIONAL_BODIES
        body = _content("application/json", about["request"])
        extra |= {"requestBody": {**body, "required": required}, "parameters": [IDEMPOTENCY_KEY]}
    return {
        "operation_id": operation,
        "summary": about["summary"],
        "responses": {200: ok, **_problems(about)},
        "openapi_extra": extra,
    }


def health():
    """The same for the one endpoint without a key."""
    ok = {"description": "The database answers", **_content("application/json", "Health")}
    responses = {200: ok, 503: _problem(["unavailable"])}
    return {"operation_id": "health", "summary": "Whether it works", "responses": responses}


def install(app):
    """Let `app` serve these schemas with its own paths."""
    generate = app.openapi
    names = ("PartnerKey", "AgentKey")
    schemes = {name: {"type": "http", "scheme": "bearer"} for name in names}

    def openapi():
        document = generate()
        document["components"] = {"schemas": SCHEMAS, "securitySchemes": schemes}
        return document

    app.openapi = openapi


def _problems(about):
    """Every status that is no success, with the codes that come with it."""
    by_status = {401: ["unauthorized"], 403: ["forbidden"], 422: ["invalid_request"]}
    by_status |= {500: ["internal_error"], 503: ["unavailable"]}
    if about["request"]:
        by_status |= {413: ["too_large"], 415: ["not_json"]}
    for code in about["refusals"]:
        by_status.setdefault(REFUSALS[code][0], []).append(code)
    return {status: _problem(found) for status, found in sorted(by_status.items())}


def _problem(codes):
    return {"description": ", ".join(codes), **_content(wire.CONTENT_TYPE, "Problem")}


def _content(media_type, name):
    return {"content": {media_type: {"schema": {"$ref": f"#/components/schemas/{name}"}}}}
