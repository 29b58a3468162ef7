"""
A store of merchants in memory, for `holdback run` and for the conformance suite's own host.

It stands in for a database: every table is keyed by the partner first, so that no partner can reach
another's merchants.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

from attrs import define, field

from holdback.lifecycle.events import Event, OfferAccepted, OfferRequoted, OffersIssued
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import SALT_BYTES, Profile

NameKind: TypeAlias = Literal["offer_id", "provider_id"]
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

    def add_names(self, merchant: Merchant, events: Iterable[Event]) -> None:
        """Store the names that the partner may use for *merchant* after *events*."""
        for event in events:
            for kind, name in _new_names(event):
                self.names[merchant.partner, kind, name] = merchant.merchant_id


def _new_names(event: Event) -> Iterator[tuple[NameKind, str]]:
    if isinstance(event, OffersIssued):
        for product in event.offer_set.products:
            for offer in product.offers:
                yield "offer_id", offer.offer_id
    elif isinstance(event, OfferRequoted):
        for offer in event.offers:
            yield "offer_id", offer.offer_id
    elif isinstance(event, OfferAccepted):
        yield "provider_id", event.provider_id
