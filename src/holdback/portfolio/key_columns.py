"""The columns of a frame that are not facts: its rules, its day, its currency and its name."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

JURISDICTION: Final = "jurisdiction"
ON: Final = "on"
CURRENCY: Final = "currency"
DEAL_ID: Final = "deal_id"


def key_columns(jurisdiction: str, on: str | date | None) -> Mapping[str, str]:
    """
    Return the columns of the keys that may have other names.

    >>> key_columns("country", None)
    {'jurisdiction': 'country', 'on': 'on'}
    """
    return {JURISDICTION: jurisdiction, ON: on if isinstance(on, str) else ON}
