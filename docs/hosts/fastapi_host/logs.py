"""
The log: one JSON object per line, without personal data.

It contains no bodies, query strings, raw paths, merchant_ids, provider_ids or exception messages,
because a caller may have put personal data there. Every field that is logged is named explicitly.
The client's address is that of a partner's or an agent's computer, not of a merchant's.
"""

import json
import logging
from datetime import UTC, datetime
from uuid import uuid4

from attrs import define, field

LOGGER = logging.getLogger("holdback.host")


def log(event, **fields):
    """Log one line."""
    LOGGER.info(event, extra={"fields": fields})


class Lines(logging.Formatter):
    """Formats a record as a line of JSON; of another library's, only its name and level."""

    def format(self, record):
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields = getattr(record, "fields", {"level": record.levelname, "logger": record.name})
        return json.dumps({"at": at, "event": record.getMessage(), **fields})


def log_to(stream):
    """Write the log to `stream`."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Lines())
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False


@define
class Note:
    """What the log will say about one request."""

    request_id: str = field(factory=lambda: str(uuid4()))
    client: str | None = None
    caller: str | None = None
    key_name: str | None = None
    code: str | None = None
    attempts: int = 0
    body_digest: str | None = None
    rulebook_digest: str | None = None


def note_of(request):
    """Return the note of a request."""
    return request.state.note
