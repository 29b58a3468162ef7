"""
The part of the schema of SARIF 2.1.0 that the logs of holdback use.

Its types, required keys and words are those of the schema that OASIS published (errata 01), and no
object has a key that is not listed, so a log that this accepts is accepted by that one, too.
"""

from __future__ import annotations


def listing(name, **more):
    return {"type": "array", "items": {"$ref": f"#/definitions/{name}"}, **more}


def ref(name):
    return {"$ref": f"#/definitions/{name}"}


def closed(properties, *required, **more):
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(required),
        **more,
    }


TEXT = {"type": "string"}
FROM_ONE = {"type": "integer", "minimum": 1}
INDEX = {"type": "integer", "minimum": -1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}

SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    **closed(
        {
            "$schema": {"type": "string", "format": "uri"},
            "version": {"enum": ["2.1.0"]},
            "runs": listing("run"),
        },
        "version",
        "runs",
    ),
    "definitions": {
        "run": closed(
            {
                "tool": closed({"driver": ref("toolComponent")}, "driver"),
                "automationDetails": closed({"id": TEXT}),
                "invocations": listing("invocation"),
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "results": listing("result"),
            },
            "tool",
        ),
        "toolComponent": closed(
            {
                "name": TEXT,
                "version": TEXT,
                "rules": listing("reportingDescriptor", uniqueItems=True),
            },
            "name",
        ),
        "reportingDescriptor": closed(
            {
                "id": TEXT,
                "shortDescription": ref("multiformatMessageString"),
                "help": ref("multiformatMessageString"),
            },
            "id",
        ),
        "multiformatMessageString": closed({"text": TEXT, "markdown": TEXT}, "text"),
        "invocation": closed({"executionSuccessful": {"type": "boolean"}}, "executionSuccessful"),
        "message": closed({"text": TEXT, "markdown": TEXT}, "text"),
        "result": closed(
            {
                "ruleId": TEXT,
                "ruleIndex": INDEX,
                "level": LEVEL,
                "message": ref("message"),
                "locations": listing("location"),
                "relatedLocations": listing("location", uniqueItems=True),
                "partialFingerprints": {"type": "object", "additionalProperties": TEXT},
                "properties": {"type": "object"},
            },
            "message",
        ),
        "location": closed(
            {
                "id": INDEX,
                "physicalLocation": ref("physicalLocation"),
                "message": ref("message"),
            }
        ),
        "physicalLocation": closed(
            {"artifactLocation": ref("artifactLocation"), "region": ref("region")},
            "artifactLocation",
        ),
        "artifactLocation": closed(
            {"uri": {"type": "string", "format": "uri-reference"}, "uriBaseId": TEXT}
        ),
        "region": closed(
            {"startLine": FROM_ONE, "startColumn": FROM_ONE, "endColumn": FROM_ONE}, "startLine"
        ),
    },
}
