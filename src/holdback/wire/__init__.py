"""JSON in and out: the bodies and replies of service 2, and what a host stores.

Bodies are read strictly, and every error in them is reported at once. Numbers are exact both ways.
Stored documents (a merchant's state, events) carry a format and stay readable.

>>> from holdback import wire
>>> wire.read_timestamp("2026-07-01T10:00:00Z").year
2026
"""

from __future__ import annotations

from holdback.lifecycle.events import EVENT_TYPES
from holdback.lifecycle.input_checks import InputContext
from holdback.merchant.instants import read_timestamp, write_timestamp
from holdback.operations import COMMANDS, Reply
from holdback.wire.commands import (
    read_accept_request,
    read_check_results,
    read_command,
    read_evidence,
    read_offers_request,
)
from holdback.wire.formats import format_of
from holdback.wire.replies import CONTENT_TYPE, problem, to_dict, write, write_problem
from holdback.wire.seal import seal, unseal
from holdback.wire.stored import (
    StoredDocuments,
    event_from_dict,
    event_to_dict,
    read_event,
    read_merchant,
    read_profile,
    read_stored,
    write_event,
    write_merchant,
    write_profile,
    write_stored,
)
from holdback.wire.strict_json import REQUEST_LIMIT, read_json

__all__ = [
    "COMMANDS",
    "CONTENT_TYPE",
    "EVENT_TYPES",
    "REQUEST_LIMIT",
    "InputContext",
    "Reply",
    "StoredDocuments",
    "event_from_dict",
    "event_to_dict",
    "format_of",
    "problem",
    "read_accept_request",
    "read_check_results",
    "read_command",
    "read_event",
    "read_evidence",
    "read_json",
    "read_merchant",
    "read_offers_request",
    "read_profile",
    "read_stored",
    "read_timestamp",
    "seal",
    "to_dict",
    "unseal",
    "write",
    "write_event",
    "write_merchant",
    "write_problem",
    "write_profile",
    "write_stored",
    "write_timestamp",
]
