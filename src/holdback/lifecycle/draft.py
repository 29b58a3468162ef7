"""A merchant while events are applied to it.

`evolve` takes many events at once, and a merchant is frozen. The draft holds what the events change
in dictionaries, so each event costs the same, however much the state holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, Final

import attrs
from attrs import define, field

from holdback.errors import HistoryError
from holdback.lifecycle.events import Event, event_type
from holdback.merchant.deal import Deal, later
from holdback.merchant.ledger import Entry, merged
from holdback.merchant.merchant import Merchant, RememberedRequest


def misplaced(event: Event, why: str) -> HistoryError:
    """Return the error that *event* does not follow, because of *why*."""
    message = f"{event_type(event)} {event.sequence} does not follow here: {why}"
    return HistoryError.of("does_not_follow", message)


@define(eq=False)
class Draft:
    """A merchant while events are applied: what they change is in dictionaries by id."""

    base: Merchant
    changes: dict[str, Any] = field(factory=dict)
    # The collections that an event has changed, by field of the merchant and then by id.
    by_id: dict[str, dict[Any, Any]] = field(factory=dict)
    # The entries of the deals that an event has changed, by deal and entry id.
    entries: dict[str, dict[str, Entry]] = field(factory=dict)
    # The requests that were carried out, after those that are held.
    remembered: dict[str, RememberedRequest] = field(factory=dict)
    # How far the history of those deals is complete, by deal id.
    complete_through: dict[str, date | None] = field(factory=dict)

    def apply(self, event: Event, apply_event: Callable[[Draft, Any], None]) -> None:
        """Apply *event* with the function for its type, and count it."""
        self._check_place(event)
        apply_event(self, event)
        before = self.last("last_seen_at")
        self.changes["last_seen_at"] = event.at if before is None else max(before, event.at)
        self.changes["sequence"] = event.sequence
        if event.carried_out is not None:
            self._remember(event)

    def _remember(self, event: Event) -> None:
        request_id, carried_out = event.request_id, event.carried_out
        if request_id is None or carried_out is None:
            raise misplaced(event, "a request that is remembered has an id")
        held = self.by_id.get("requests")
        earlier = self.base.request_of(request_id) if held is None else held.get(request_id)
        if earlier is not None or request_id in self.remembered:
            raise misplaced(event, "its request was carried out before")
        self.remembered[request_id] = RememberedRequest(
            request_id=request_id, at=event.at, carried_out=carried_out
        )

    def _check_place(self, event: Event) -> None:
        if (event.partner, event.merchant_id) != (self.base.partner, self.base.merchant_id):
            raise misplaced(event, "it is another merchant's")
        expected = self.last("sequence") + 1
        if event.sequence != expected:
            raise misplaced(event, f"expected the event with the number {expected}")

    def last(self, name: str) -> Any:
        """Return the field *name* as the events so far left it."""
        return self.changes[name] if name in self.changes else getattr(self.base, name)

    def all(self, name: str) -> dict[Any, Any]:
        """Return the collection *name* by id, to be changed."""
        if name not in self.by_id:
            key = _IDS[name]
            self.by_id[name] = {key(item): item for item in getattr(self.base, name)}
        if name == "requests":
            self.by_id[name] |= self.remembered
            self.remembered.clear()
        return self.by_id[name]

    def one(self, name: str, id_: str, event: Event) -> Any:
        """Return the item *id_* of the collection *name*, which *event* is about."""
        item = self.all(name).get(id_)
        if item is None:
            raise misplaced(event, f"its id is not among the {name.replace('_', ' ')}")
        return item

    def record(self, deal: Deal, entries: Iterable[Entry], through: date | None) -> None:
        """Record *entries* of *deal*, and how far its history is complete."""
        # The deal itself is made anew at the end, so each event costs the same.
        merged(self.entries.setdefault(deal.id, {}), entries)
        self.complete_through[deal.id] = later(self.complete_through.get(deal.id), through)

    def with_entries(self, deal_id: str) -> Deal:
        """Return the deal with the entries that events have recorded."""
        deal: Deal = self.all("deals")[deal_id]
        recorded = self.entries.pop(deal_id, None)
        if recorded is None:
            return deal
        return deal.with_entries(tuple(recorded.values()), self.complete_through.pop(deal_id))

    def finished(self) -> Merchant:
        """Return the merchant after the events."""
        for deal_id in tuple(self.entries):
            self.all("deals")[deal_id] = self.with_entries(deal_id)
        if "takings" in self.by_id:
            takings = self.by_id["takings"]
            self.by_id["takings"] = {on: takings[on] for on in sorted(takings)}
        collections: dict[str, Any] = {
            name: tuple(items.values()) for name, items in self.by_id.items()
        }
        # Requests are added to those that are held, which nobody looks at for it.
        requests: Any = collections.get("requests", self.base.requests)  # a tuple, or rows
        if self.remembered:
            collections["requests"] = requests + tuple(self.remembered.values())
        return attrs.evolve(self.base, **self.changes, **collections)


_IDS: Final[Mapping[str, Callable[[Any], Any]]] = MappingProxyType(
    {
        "offer_sets": lambda offer_set: offer_set.application_id,
        "closed_offer_sets": lambda offer_set: offer_set.application_id,
        "fulfilments": lambda fulfilment: fulfilment.application_id,
        "deals": lambda deal: deal.id,
        "takings": lambda takings: takings.on,
        "requests": lambda request: request.request_id,
        "checks": lambda record: record.check,
        "referrals": lambda referral: referral.product,
        "referral_decisions": lambda decision: (decision.product, decision.base_deal_id),
        "holds": lambda hold: hold.code,
    }
)
