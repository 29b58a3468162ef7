"""The JSON that partners and agents send in the suite. Nobody's data: every name in it is made up."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from holdback.exact_json import Verbatim, write_json

CURRENCY: Final = "GBP"

# Numbers that a float would change; the profile is kept as it came.
_PROFILE: Final = MappingProxyType(
    {
        "consents": {"credit_check": True},
        "applicants": [{"name": "A. Person", "share": Verbatim("0.10")}],
        "company": {"name": "Nine Lives Ltd", "turnover": Verbatim("12345678901234567890.10")},
    }
)
# As they have to be found again in the history.
EXACT_NUMBERS: Final = (b'"share":0.10', b'"turnover":12345678901234567890.10')

BANKS: Final[tuple[Mapping[str, str], ...]] = (
    {"account_number": "11111111", "sort_code": "10-20-30", "account_type": "NONE"},
    {"account_number": "22222222", "sort_code": "10-20-30", "account_type": "NONE"},
)


def evidence(on: date) -> dict[str, Any]:
    """What the host's checks give for a merchant that may have offers, on the day *on*."""
    return {
        "identity_verified": True,
        "business_verified": True,
        "credit_score": 700,
        "credit_checked_on": on.isoformat(),
        "average_monthly_takings": "20000.00",
        "months_trading": 36,
    }


def initial(merchant_id: str, *, use: str = "stock") -> bytes:
    """A first request for offers, with the full profile."""
    application = {
        "merchant_id": merchant_id,
        "provider_id": None,
        "intended_use_of_funds": use,
        "currency": CURRENCY,
    }
    return written({"application": application, **_PROFILE})


def renewal(merchant_id: str, provider_id: str) -> bytes:
    """A request for a renewal: the application block alone."""
    application = {"merchant_id": merchant_id, "provider_id": provider_id, "currency": CURRENCY}
    return written({"application": application})


def acceptance(offer_id: str, bank: Mapping[str, str] | None = None) -> bytes:
    """An acceptance, with bank details or without."""
    return written({"offer_id": offer_id} | ({} if bank is None else {"bank_details": dict(bank)}))


def entry(
    entry_id: str, on: date, amount: Decimal, *, settled: bool = True, reverses: str | None = None
) -> dict[str, Any]:
    """One entry of a deal."""
    return {
        "id": entry_id,
        "on": on.isoformat(),
        "amount": amount,
        "takings": amount * 10,
        "settled": settled,
        "reverses": reverses,
    }


def written(body: Mapping[str, Any]) -> bytes:
    """*body* as JSON, its numbers exact."""
    return write_json(body).encode()
