"""The totals of a deal's ledger that a frame may have as columns (decisions/portfolios)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# INVARIANT: repayment_amount + overpaid == remitted + settled + credited + balance + shortfall,
# where `balance` is the fact. The last four are parts of what was credited or remitted.
LEDGER_COLUMNS: Final = (
    "repayment_amount",
    "remitted",
    "settled",
    "credited",
    "shortfall",
    "overpaid",
    "waived",
    "written_off",
    "recovered",
    "refunded",
)
# Those that a summary counts, with what it calls them.
COUNTED_LEDGER_COLUMNS: Final[Mapping[str, str]] = MappingProxyType(
    {"overpaid": "refunds due", "recovered": "recoveries", "written_off": "write-offs"}
)
