"""Refusals and invalid documents as RFC 9457 problem details (design 7a)."""

from __future__ import annotations

from typing import Final

from holdback.errors import REFUSALS, ErrorDetail, InvalidDocument, Refusal
from holdback.exact_json import Json, write_json

CONTENT_TYPE: Final = "application/problem+json"


def problem(error: Refusal | InvalidDocument) -> dict[str, Json]:
    """
    *error* as problem details; `errors` lists every fault, and is empty when there is none to list.

    >>> problem(InvalidDocument.of("unknown field", path="$.compny"))["errors"]
    [{'path': '$.compny', 'message': 'unknown field'}]
    """
    if isinstance(error, Refusal):
        return _details(error.code, error.detail, error.errors)
    count = len(error.errors)
    detail = "the document has one fault" if count == 1 else f"the document has {count} faults"
    return _details("invalid_request", detail, error.errors)


def write_problem(error: Refusal | InvalidDocument) -> bytes:
    """*error* as the bytes of problem details, whose content type is `CONTENT_TYPE`."""
    return write_json(problem(error)).encode()


def _details(code: str, detail: str, faults: tuple[ErrorDetail, ...]) -> dict[str, Json]:
    status, title = REFUSALS[code]
    return {
        "type": f"urn:holdback:{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        "errors": [{"path": fault.path or "$", "message": _message(fault)} for fault in faults],
    }


def _message(fault: ErrorDetail) -> str:
    """What is wrong, where in a text if that is known, and what would help."""
    position = f" (line {fault.line}, column {fault.column})" if fault.line is not None else ""
    hint = f"; {fault.hint}" if fault.hint else ""
    return f"{fault.message}{position}{hint}"
