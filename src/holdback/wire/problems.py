"""Errors as RFC 9457 problem details (service 7)."""

from __future__ import annotations

from typing import Final, TypeAlias

from holdback.errors import (
    REFUSALS,
    ConfigurationError,
    ErrorDetail,
    HistoryError,
    InvalidDocument,
    Refusal,
    StateError,
)
from holdback.exact.exact_json import Json, write_json

# The content type of problem details (RFC 9457).
CONTENT_TYPE: Final = "application/problem+json"

# The errors that the sender of the request cannot correct.
_HostError: TypeAlias = StateError | ConfigurationError | HistoryError


def problem(error: Refusal | InvalidDocument | _HostError) -> dict[str, Json]:
    """
    Return *error* as problem details, with everything that is wrong in `errors`.

    An error of the host says nothing of its content: that is for the host's log.

    >>> problem(InvalidDocument.of("unknown_field", "unknown field", path="$.compny"))["errors"]
    [{'path': '$.compny', 'code': 'unknown_field', 'message': 'unknown field'}]
    >>> problem(StateError.of("malformed", "this is not JSON"))["code"]
    'internal_error'
    """
    if isinstance(error, _HostError):
        return _details("internal_error", error.status, "Something went wrong", _INTERNAL)
    if isinstance(error, Refusal):
        return _details(error.code, error.status, error.title, error.detail, error.errors)
    status, title = REFUSALS["invalid_request"]
    count = len(error.errors)
    detail = "the document has one fault" if count == 1 else f"the document has {count} faults"
    return _details("invalid_request", status, title, detail, error.errors)


def write_problem(error: Refusal | InvalidDocument | _HostError) -> bytes:
    """Return *error* as problem details in JSON, to be sent as `CONTENT_TYPE`."""
    return write_json(problem(error)).encode()


_INTERNAL: Final = "the service cannot answer until its operator has corrected this"


def _details(
    code: str, status: int, title: str, detail: str, errors: tuple[ErrorDetail, ...] = ()
) -> dict[str, Json]:
    return {
        "type": f"urn:holdback:{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        "errors": [
            {"path": error.path or "$", "code": error.code, "message": _message(error)}
            for error in errors
        ],
    }


def _message(error: ErrorDetail) -> str:
    """Return what is wrong, with its line and column where known, and a hint where there is one."""
    position = f" (line {error.line}, column {error.column})" if error.line is not None else ""
    hint = f"; {error.hint}" if error.hint else ""
    return f"{error.message}{position}{hint}"
