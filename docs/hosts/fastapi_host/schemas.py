"""
The OpenAPI document. `schemas.json` has the operations and the schemas of their JSON.

`holdback.wire` reads and writes the bodies exactly, so the endpoints have no models that would do
it again. Tests compare these descriptions with the answers of the host.
"""

import json
from pathlib import Path

from holdback import wire
from holdback.errors import REFUSALS

DOCUMENT = json.loads(Path(__file__).with_name("schemas.json").read_text(encoding="utf-8"))
OPERATIONS, SCHEMAS = DOCUMENT["operations"], DOCUMENT["schemas"]
OPTIONAL_BODIES = ("accept_offer", "erase_profile", "review_renewal")
# operation: (name of the link, its target, a parameter, the JSON Pointer to its value in the reply)
LINKS = {
    "request_offers": ("accept", "accept_offer", "offer_id", "/products/0/offers/0/offer_id"),
    "accept_offer": ("merchant", "look_up", "provider_id", "/provider_id"),
}
IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Chosen by the caller, a new one for each new request. The same key with the"
    " same request gets the same reply, without a time limit; with another request it is refused.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}


def described(operation):
    """Return the arguments that describe the endpoint of an operation to FastAPI."""
    about = OPERATIONS[operation]
    ok = {"description": about["summary"], **_content("application/json", about["reply"])}
    if operation in LINKS:
        name, target, parameter, pointer = LINKS[operation]
        parameters = {parameter: f"$response.body#{pointer}"}
        ok["links"] = {name: {"operationId": target, "parameters": parameters}}
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
    """Return the same for the health endpoint, the only one without a key."""
    ok = {"description": "The database answers", **_content("application/json", "Health")}
    responses = {200: ok, 503: _problem(["unavailable"])}
    return {"operation_id": "health", "summary": "Whether it works", "responses": responses}


def install(app):
    """Let `app` serve these schemas together with its own paths."""
    generate = app.openapi
    names = {operation["security"] for operation in OPERATIONS.values()}
    schemes = {name: {"type": "http", "scheme": "bearer"} for name in sorted(names)}

    def openapi():
        document = generate()
        document["components"] = {"schemas": SCHEMAS, "securitySchemes": schemes}
        return document

    app.openapi = openapi


def _problems(about):
    """Return the responses for every status but 200, with their codes."""
    by_status = {401: ["unauthorized"], 403: ["forbidden"], 422: ["invalid_request"]}
    by_status |= {500: ["internal_error"], 503: ["unavailable"]}
    if about["request"]:
        by_status[503] += ["implausible_time"]
        by_status |= {408: ["too_slow"], 413: ["too_large"]}
        by_status |= {415: ["not_json", "not_utf_8", "encoded"]}
    for code in about["refusals"]:
        by_status.setdefault(REFUSALS[code][0], []).append(code)
    return {status: _problem(codes) for status, codes in sorted(by_status.items())}


def _problem(codes):
    return {"description": ", ".join(codes), **_content(wire.CONTENT_TYPE, "Problem")}


def _content(media_type, name):
    return {"content": {media_type: {"schema": {"$ref": f"#/components/schemas/{name}"}}}}
