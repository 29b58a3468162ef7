"""Refusals and invalid documents as RFC 9457 problem details (service 7)."""

from __future__ import annotations

from typing import Final

from holdback.errors import REFUSALS, ErrorDetail, InvalidDocument, Refusal
from holdback.exact_json import Json, write_json

# The content type of problem details (RFC 9457).
CONTENT_TYPE: Final = "application/problem+json"


def problem(error: Refusal | InvalidDocument) -> dict[str, Json]:
    """
    Return *error* as problem details, with everything that is wrong in `errors`.

    >>> problem(InvalidDocument.of("unknown field", path="$.compny"))["errors"]
    [{'path': '$.compny', 'message': 'unknown field'}]
    """
    if isinstance(error, Refusal):
        return _details(error.code, error.detail, error.errors)
    count = len(error.errors)
    detail = "the document has one fault" if count == 1 else f"the document has {count} faults"
    return _details("invalid_request", detail, error.errors)


def write_problem(error: Refusal | InvalidDocument) -> bytes:
    """Return *error* as problem details in JSON, to be sent as `CONTENT_TYPE`."""
    return write_json(problem(error)).encode()


def _details(code: str, detail: str, errors: tuple[ErrorDetail, ...]) -> dict[str, Json]:
    status, title = REFUSALS[code]
    return {
        "type": f"urn:holdback:{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        "errors": [{"path": error.path or "$", "message": _message(error)} for error in errors],
    }


def _message(error: ErrorDetail) -> str:
    """Return what is wrong, with its line and column where known, and a hint where there is one."""
    position = f" (line {error.line}, column {error.column})" if error.line is not None else ""
    hint = f"; {error.hint}" if error.hint else ""
    return f"{error.message}{position}{hint}"
