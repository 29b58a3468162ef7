"""Operations by name, with JSON inputs: what a host, a scenario or a test carries out."""

from __future__ import annotations

from typing import Any

from holdback.engine import Engine
from holdback.exact.exact_json import Json
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Outcome
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile
from holdback.wire.commands import read_input


def perform(  # noqa: PLR0913, PLR0917 - a host gives all of these
    engine: Engine,
    merchant: Merchant,
    operation: str,
    body: Json,
    context: Context,
    profile: Profile,
) -> Outcome[Any]:
    """
    Return the outcome of *operation*, a command or a question, with the JSON input *body*.

    Raises:
        Refusal, InvalidDocument: as the operation, or the input is invalid.
    """
    command = read_input(operation, body, engine.situation(merchant, context))
    return engine.carry_out(merchant, command, context, profile=profile)
