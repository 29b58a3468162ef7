"""The columns of a frame that are not facts: rules, day, currency, name, and totals of ledgers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Final

JURISDICTION: Final = "jurisdiction"
ON: Final = "on"
CURRENCY: Final = "currency"
DEAL_ID: Final = "deal_id"
# A day in any form, such as 01.07.2026: not the name of a column, unless there is one.
LIKE_A_DAY: Final = re.compile(r"[0-9]+([./-][0-9]+)+")


def key_columns(jurisdiction: str, on: str | date | None) -> Mapping[str, str]:
    """
    Return the columns of the keys that may have other names.

    >>> key_columns("country", None)
    {'jurisdiction': 'country', 'on': 'on'}
    """
    is_column = isinstance(on, str) and not LIKE_A_DAY.fullmatch(on)
    return {JURISDICTION: jurisdiction, ON: str(on) if is_column else ON}


# INVARIANT: repayment_amount + overpaid + fees_paid == remitted + settled + credited + balance +
# shortfall, where `repayment_amount` and `balance` are facts. The last five are parts of what was
# credited or remitted.
LEDGER_COLUMNS: Final = (
    "remitted",
    "settled",
    "credited",
    "shortfall",
    "overpaid",
    "waived",
    "written_off",
    "recovered",
    "refunded",
    "fees_paid",
)
# Those that a summary counts, with what it calls them.
COUNTED_LEDGER_COLUMNS: Final[Mapping[str, str]] = MappingProxyType(
    {"overpaid": "refunds due", "recovered": "recoveries", "written_off": "write-offs"}
)
