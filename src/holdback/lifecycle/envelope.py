"""What every event of a merchant has."""

from __future__ import annotations

from pendulum import DateTime

from holdback.frozen_classes import frozen
from holdback.merchant.merchant import CarriedOut


@frozen(kw_only=True)
class Envelope:
    """
    What every event has: its instant, its merchant, its place in the journal, and its request.

    The events of a merchant are numbered from 1 without gaps. `carried_out` is on the last event of
    an operation that is remembered, so that it is not repeated. `decide` fills the envelope in.
    """

    at: DateTime
    partner: str = ""
    merchant_id: str = ""
    sequence: int = 0
    request_id: str | None = None
    carried_out: CarriedOut | None = None
