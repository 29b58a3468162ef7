"""What the endpoints have in common: a request about a merchant, and an answer in JSON."""

from datetime import date
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from fastapi_host.attempts import MerchantRequest
from fastapi_host.logs import note_of
from holdback import InvalidDocument
from holdback.operations import OPERATIONS, AskStatement

DAY = {"pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "json_schema_extra": {"format": "date"}}
# The parameters of questions about money.
DealId = Annotated[str, Query(min_length=1)]
OnDay = Annotated[str, Query(**DAY)]
SomeDay = Annotated[str | None, Query(**DAY)]

# The operations that read or change the profile.
TAKES_PROFILE = frozenset(name for name, kind in OPERATIONS.items() if kind.takes_profile)


def merchant_request(request, incoming, **about):
    """Return the request about a merchant, by default one of the partner that calls."""
    caller = incoming.caller
    about = {"partner": caller, **about}
    key = {"key": incoming.key, "fingerprint": incoming.fingerprint}
    return MerchantRequest(caller=caller.caller, note=note_of(request), **key, **about)


def quoted(host, of, question, deal_id, on):
    """Answer a question about a deal on a day, such as what settles it early."""
    return json_answer(host.ask(of, question(deal_id=deal_id, on=_day("on", on))))


def statement(host, of, since, until):
    """Answer with every movement of the merchant's deals in a period, which may be open."""
    days = {"since": since, "until": until}
    given = {name: _day(name, text) for name, text in days.items() if text is not None}
    return json_answer(host.ask(of, AskStatement(**given)))


def _day(name, text):
    try:
        return date.fromisoformat(text)
    except ValueError:
        message = "expected a day such as `2026-07-01`"
        raise InvalidDocument.of("wrong_value", message, path=f"$.query.{name}") from None


def json_answer(body):
    """Return a response with these bytes of JSON."""
    return Response(body, media_type="application/json")
