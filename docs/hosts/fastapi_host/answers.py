"""What the endpoints have in common: a request about a merchant, and an answer in JSON."""

from fastapi.responses import Response

from fastapi_host.attempts import MerchantRequest
from fastapi_host.logs import note_of

# The operations that read or change the profile, besides requests for offers and acceptances.
TAKES_PROFILE = frozenset(
    {
        "supply_details",
        "erase_profile",
        "decide_referral",
        "place_hold",
        "change_bank_details",
        "record_consents",
        "holds",
    }
)


def merchant_request(request, incoming, **about):
    """Return the request about a merchant, by default one of the partner that calls."""
    caller = incoming.caller
    about = {"partner": caller, **about}
    key = {"key": incoming.key, "fingerprint": incoming.fingerprint}
    return MerchantRequest(caller=caller.caller, note=note_of(request), **key, **about)


def json_answer(body):
    """Return a response with these bytes of JSON."""
    return Response(body, media_type="application/json")
