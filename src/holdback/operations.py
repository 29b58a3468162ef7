"""What a host does for those who ask, by the names of design 7a."""

from __future__ import annotations

from typing import Any, Final

from holdback import wire
from holdback.engine import Engine, Outcome
from holdback.exact_json import Json
from holdback.lifecycle.context import Context
from holdback.model.merchant import Merchant

QUESTIONS: Final = ("look_up", "assess_renewal", "required_checks")
OPERATIONS: Final = (*wire.COMMANDS, *QUESTIONS)
# The merchant of these is named by its provider_id.
BY_PROVIDER: Final = ("look_up", "assess_renewal", "review_renewal")


def perform(
    engine: Engine, merchant: Merchant, operation: str, body: Json, context: Context
) -> Outcome[Any]:
    """
    The outcome of *operation* with the JSON *body* on *merchant*.

    Raises:
        Refusal, InvalidDocument: as the operation.
    """
    if operation == "look_up":
        return engine.look_up(merchant, context)
    if operation == "assess_renewal":
        return engine.assess_renewal(merchant, context)
    if operation == "required_checks":
        request = wire.read_offers_request({} if body is None else body)
        return engine.required_checks(merchant, request, context)
    currency = engine.jurisdictions.currency(merchant.jurisdiction)
    return engine.carry_out(merchant, wire.read_command(operation, body, currency), context)
