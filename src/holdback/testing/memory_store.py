"""
A store of merchants in memory, for `holdback run` and for the conformance suite's own host.

It stands in for a database: every table is keyed by the partner first, so that no partner can reach
another's merchants.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final, TypeAlias

from attrs import define, field

from holdback.lifecycle.operation import NameKind, Outcome
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import SALT_BYTES, Profile

# The partner and its merchant_id: two partners may use the same merchant_id.
MerchantKey: TypeAlias = tuple[str, str]


# A host draws a salt at random for each merchant; a trial is the same each time.
TRIAL_SALT: Final = bytes(SALT_BYTES)


@define
class MemoryStore:
    """
    The tables of a host: merchants with their versions, and what is stored with them.

    `profiles` holds the personal data of each. `names` finds a merchant by an offer_id or
    provider_id. `replies` holds the request fingerprint and the reply of each idempotency key.
    `events` holds the events as JSON; `published` those that others have received, and `marked` how
    many of a merchant's events are marked as published.
    """

    merchants: dict[MerchantKey, tuple[int, Merchant]] = field(factory=dict)
    profiles: dict[MerchantKey, Profile] = field(factory=dict)
    names: dict[tuple[str, NameKind, str], str] = field(factory=dict)
    replies: dict[tuple[str, str], tuple[bytes, bytes]] = field(factory=dict)
    events: dict[MerchantKey, list[bytes]] = field(factory=lambda: defaultdict(list))
    marked: dict[MerchantKey, int] = field(factory=lambda: defaultdict(int))
    published: dict[MerchantKey, list[bytes]] = field(factory=lambda: defaultdict(list))

    def find(self, partner: str, merchant_id: str | None) -> tuple[int, Merchant] | None:
        """Return the merchant and its version, or None when the partner has no such merchant."""
        return self.merchants.get((partner, merchant_id or ""))

    def find_by_name(self, partner: str, kind: NameKind, name: str) -> str | None:
        """Return the merchant_id of the merchant that has this name, or None."""
        return self.names.get((partner, kind, name))

    def profile(self, merchant: Merchant) -> Profile:
        """Return the profile of *merchant*, an empty one if it has none."""
        key = (merchant.partner, merchant.merchant_id)
        return self.profiles.get(key) or Profile.new(salt=TRIAL_SALT)

    def save(self, merchant: Merchant, profile: Profile | None, version: int = 0) -> None:
        """Store both documents; a host that never compares versions leaves them at 0."""
        key = (merchant.partner, merchant.merchant_id)
        self.merchants[key] = (version, merchant)
        if profile is not None:
            self.profiles[key] = profile

    def add_names(self, outcome: Outcome[Any]) -> None:
        """Store the names that the partner may use for the merchant after *outcome*."""
        merchant = outcome.merchant
        for kind, name in outcome.names:
            self.names[merchant.partner, kind, name] = merchant.merchant_id
