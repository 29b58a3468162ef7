"""
The JSON that partners and agents send, with made-up data.

Every request in the conformance suite, the strategies, the tests and the sample host is built here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from holdback.eligibility.facts import CHECKS, EVIDENCE_FACTS, FACTS
from holdback.exact.exact_json import Json, Verbatim, write_json
from holdback.rules.types import Kind
from holdback.wire.strict_json import REQUEST_LIMIT

__all__ = [
    "acceptance",
    "as_json",
    "bank_details",
    "checks",
    "entry",
    "evidence",
    "largest_request",
    "longest_bank_details",
    "many_consents",
    "offers_request",
]

CURRENCY: Final = "GBP"

# A float cannot hold these two numbers, so a host that reads JSON with floats changes them.
PROFILE: Final[Mapping[str, Json]] = MappingProxyType(
    {
        "consents": {"credit_check": True},
        "applicants": [{"name": "A. Person", "share": Verbatim("0.10")}],
        "company": {"name": "Nine Lives Ltd", "turnover": Verbatim("12345678901234567890.10")},
    }
)
# The same two numbers as they must appear in a stored history.
EXACT_NUMBERS: Final = (b'"share":0.10', b'"turnover":12345678901234567890.10')
# Other applicants of another company, which no check has seen.
OTHERS: Final[Mapping[str, Json]] = MappingProxyType(
    {**PROFILE, "applicants": [{"name": "Another"}], "company": {"name": "Other Ltd"}}
)
# The same applicants with that other company.
MOVED: Final[Mapping[str, Json]] = MappingProxyType({**PROFILE, "company": OTHERS["company"]})
# A valid profile that says nothing about the applicant.
BLANK_PROFILE: Final[Mapping[str, Json]] = MappingProxyType(
    {"consents": {}, "applicants": [{}], "company": {}}
)

BANKS: Final[tuple[Mapping[str, str], ...]] = (
    {"account_number": "11111111", "sort_code": "10-20-30", "account_type": "NONE"},
    {"account_number": "22222222", "sort_code": "10-20-30", "account_type": "NONE"},
)

# What a check finds: good, to be decided by a person, and bad.
FINDINGS: Final[Mapping[str, tuple[Mapping[str, Json], ...]]] = MappingProxyType(
    {
        check: ({name: True}, {}, {name: False})
        for check, names in CHECKS.items()
        for name in names
        if FACTS[name].kind is Kind.FLAG
    }
    | {"consumer_credit": ({"credit_score": 700}, {"credit_score": 600}, {"credit_score": 400})}
)


def offers_request(
    merchant_id: str,
    provider_id: str | None = None,
    *,
    currency: str = CURRENCY,
    use: str | None = None,
    profile: Mapping[str, Json] = PROFILE,
) -> dict[str, Any]:
    """
    Return the body of a request for offers.

    With a *provider_id* it is a renewal, which sends the application block alone. Without one it is
    an initial application, which sends the *profile* as well.
    """
    application: dict[str, Any] = {"merchant_id": merchant_id, "provider_id": provider_id}
    if use is not None:
        application["intended_use_of_funds"] = use
    application["currency"] = currency
    return {"application": application} | (dict(profile) if provider_id is None else {})


def largest_request(merchant_id: str, number: int) -> bytes:
    """
    Return a request for offers of as many bytes as one may have, each *number* about other people.

    >>> len(largest_request("m-1", 7)) == REQUEST_LIMIT
    True
    """

    def about(name: str) -> bytes:
        profile = {**PROFILE, "applicants": [{"name": name}], "company": {"name": f"{number:08}"}}
        return as_json(offers_request(merchant_id, use="stock", profile=profile))

    name = f"{number:08}"
    return about(name + "x" * (REQUEST_LIMIT - len(about(name))))


def longest_bank_details(number: int) -> dict[str, str]:
    """Return bank details that are as long as they may be, other ones for each *number*."""
    name = f"{number:0200}"
    return {**BANKS[0], "account_number": name[-34:], "bank_name": name}


def many_consents(number: int) -> dict[str, bool]:
    """Return consents that nearly fill a request, under other names for each *number*."""
    return {f"{number:08}-{consent:050}": True for consent in range(900)}


def bank_details(needed: Iterable[str], *, account: int = 0) -> dict[str, str]:
    """
    Return bank details that are complete where a jurisdiction needs the fields *needed*.

    They are those of one of two accounts, by its number: 0 or 1.

    >>> bank_details(["iban"])
    {'iban': '11111111'}
    """
    bank = BANKS[account]
    return {name: bank.get(name, bank["account_number"]) for name in needed} or dict(bank)


def acceptance(offer_id: str, bank: Mapping[str, str] | None = None) -> dict[str, Json]:
    """Return the body of an acceptance, with the details of *bank* if there is one."""
    details = {} if bank is None else {"bank_details": dict(bank)}
    return {"offer_id": offer_id} | details


def entry(
    entry_id: str, on: date, amount: Decimal, *, settled: bool = True, reverses: str | None = None
) -> dict[str, Any]:
    """Return one remittance entry, a tenth of its day's takings."""
    return {
        "id": entry_id,
        "on": on.isoformat(),
        "amount": amount,
        "takings": None if reverses else amount * 10,
        "settled": settled,
        "reverses": reverses,
    }


def checks(on: date, *, credit_score: int = 700) -> dict[str, Any]:
    """Return good results of the checks of a merchant, made on the day *on*."""
    results = {
        name: on.isoformat() if FACTS[name].kind is Kind.DATE else FACTS[name].typical
        for name in EVIDENCE_FACTS
    }
    return results | {"credit_score": credit_score}


def evidence(on: date, *, credit_score: int = 700) -> dict[str, Any]:
    """Return evidence that qualifies a merchant for offers on the day *on*, with its takings."""
    takings = {"average_monthly_takings": "20000.00", "months_trading": 36}
    return checks(on, credit_score=credit_score) | takings


def as_json(body: Mapping[str, Json]) -> bytes:
    """Return *body* as JSON text, its numbers exact."""
    return write_json(body).encode()
