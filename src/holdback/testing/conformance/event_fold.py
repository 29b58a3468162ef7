"""A merchant as the JSON of its events tells it: a second, small implementation, to hold a host against.

It shares no code with the lifecycle. Amounts are `Decimal`s, states are words, every figure is worked out
anew from the list of entries, and an event that cannot follow from those before breaks an invariant.
"""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from attrs import define, field

from holdback.lifecycle.events import EVENT_TYPES
from holdback.testing.conformance.invariants import expect

_OPEN: Final = ("awaiting_details", "submitted")


def amount(text: str) -> Decimal:
    """The number in money written as `GBP 12.00`."""
    return Decimal(text.split(" ")[1])


def instant(text: str) -> datetime:
    """The instant that *text* names."""
    return datetime.fromisoformat(text)


@define
class Quoted:
    """An offer as it was made: its terms, until when, and what became of it."""

    terms: dict[str, Any]
    expires_at: datetime
    status: str = "Eligible"


@define
class Owed:
    """A deal and what was remitted to it: `deal` as it was funded, `entries` by id."""

    deal: dict[str, Any]
    repayment: Decimal
    status: str = "Funded"
    settled: Decimal = Decimal(0)
    entries: dict[str, dict[str, Any]] = field(factory=dict)

    @property
    def remitted(self) -> Decimal:
        """The settled entries, less those that a settled reversal took back."""
        counted = [each for each in self.entries.values() if each["settled"]]
        back = {each["reverses"] for each in counted if each.get("reverses")}
        return sum(
            (
                amount(each["amount"])
                for each in counted
                if not each.get("reverses") and each["id"] not in back
            ),
            Decimal(0),
        )

    @property
    def shown(self) -> dict[str, str]:
        """The amounts of the entries by id, as the lookup shows them: what is taken back is below zero."""
        return {
            name: each["amount"].replace(" ", " -" if each.get("reverses") else " ")
            for name, each in self.entries.items()
        }

    @property
    def progress(self) -> Decimal:
        """The percent of the repayment that was remitted, rounded down to four decimals, at most 100."""
        return min(Decimal(100), (self.remitted * 10**6 // self.repayment).scaleb(-4))

    @property
    def balance(self) -> Decimal:
        """What is left to pay; nothing on a deal that was settled or cancelled."""
        if self.status not in {"Funded", "Defaulted"}:
            return Decimal(0)
        return max(Decimal(0), self.repayment - self.remitted - self.settled)


@define
class Ledger:
    """What is so after the events that were applied."""

    provider_id: str | None = None
    last_at: datetime | None = None
    eligible: bool = False
    offers: dict[str, Quoted] = field(factory=dict)
    applications: dict[str, str] = field(factory=dict)
    deals: dict[str, Owed] = field(factory=dict)
    accepted: dict[str, dict[str, Any]] = field(factory=dict)
    takings: set[str] = field(factory=set)
    # What has to follow in the same batch, because it is part of the same operation.
    due: set[str] = field(factory=set)

    @property
    def in_fulfilment(self) -> list[str]:
        """The applications in fulfilment."""
        return [key for key, status in self.applications.items() if status in _OPEN]

    @property
    def active(self) -> list[str]:
        """The deals that are active."""
        return [key for key, deal in self.deals.items() if deal.status == "Funded"]

    def apply(self, written: bytes) -> dict[str, Any]:
        """Apply the event that *written* is, and give it as plain values."""
        event: dict[str, Any] = json.loads(written, parse_float=Decimal)
        at = instant(event["at"])
        earlier = self.last_at
        expect(
            earlier is None or at >= earlier,
            "clock-back",
            f"{event['type']} is dated {at} after {earlier}",
        )
        self.last_at = at
        _APPLY[event["type"]](self, event)
        self.due.discard(event["type"])
        return event

    def at_rest(self) -> None:
        """What is so between two operations."""
        expect(not self.due, "whole", f"without its {', '.join(sorted(self.due))}")
        expect(len(self.active) <= 1, "one-active-deal", f"{len(self.active)} are active")

    def _offers_issued(self, event: dict[str, Any]) -> None:
        issued = event["offer_set"]
        for product in issued["products"]:
            for offer in product["offers"]:
                expires = instant(issued["expires_at"])
                self.offers[offer["offer_id"]] = Quoted(offer, expires)

    def _offer_accepted(self, event: dict[str, Any]) -> None:
        reply, at = event["reply"], instant(event["at"])
        accepted = reply["offer"]["offer_id"]
        quoted = self.offers.get(accepted)
        expect(quoted is not None, "terms-honoured", "an offer was accepted that was never made")
        assert quoted is not None, "expected just before"
        expect(not self.in_fulfilment, "one-winner", "an offer was accepted beside another")
        expect(quoted.status == "Eligible", "one-winner", f"the accepted offer was {quoted.status}")
        expect(
            at < quoted.expires_at, "expiry", f"accepted at {at}, expired at {quoted.expires_at}"
        )
        terms = {**reply["offer"], "offer_status": quoted.terms["offer_status"]}
        expect(terms == quoted.terms, "terms-honoured", "the accepted terms differ from the offer")
        known = self.provider_id
        expect(known in {None, reply["provider_id"]}, "stable-provider-id", "it changed")
        self.provider_id = reply["provider_id"]
        for offer_id, offer in self.offers.items():
            if offer.status == "Eligible" and at < offer.expires_at:
                offer.status = "Accepted" if offer_id == accepted else "Withdrawn"
        self.accepted[accepted] = reply
        self.applications[reply["application_id"]] = "awaiting_details"
        if event["bank_details"] is not None:
            self.due.add("ApplicationSubmitted")

    def _details_supplied(self, event: dict[str, Any]) -> None:
        if "bank_details" not in event["omitted"]:
            status = self.applications[event["application_id"]]
            self.due |= {"ApplicationSubmitted"} if status == "awaiting_details" else set()

    def _application_submitted(self, event: dict[str, Any]) -> None:
        self.applications[event["application_id"]] = "submitted"

    def _application_closed(self, event: dict[str, Any]) -> None:
        self.applications[event["application_id"]] = event["status"]

    def _deal_funded(self, event: dict[str, Any]) -> None:
        deal = event["deal"]
        expect(not self.active, "one-active-deal", "a deal was funded beside an active one")
        self.applications[deal["application_id"]] = "funded"
        self.deals[deal["id"]] = Owed(deal, amount(deal["repayment_amount"]))

    def _deal_repaid(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].status = "Repaid"

    def _deal_reopened(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].status = "Funded"
        self.due.discard("DealRepaid")

    def _deal_renewed(self, event: dict[str, Any]) -> None:
        deal = self.deals[event["deal_id"]]
        deal.status, deal.settled = "Renewed", amount(event["settled"])
        self.due.add("DealFunded")

    def _deal_closed(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].status = event["status"]

    def _takings_recorded(self, event: dict[str, Any]) -> None:
        self.takings |= {each["on"] for each in event["takings"]}

    def _remittances_recorded(self, event: dict[str, Any]) -> None:
        deal = self.deals[event["deal_id"]]
        for entry in event["entries"]:
            earlier = deal.entries.get(entry["id"])
            again = earlier is not None and (earlier["settled"] or not entry["settled"])
            expect(not again, "delivered-once", "an entry was recorded twice")
            deal.entries[entry["id"]] = entry
        if deal.status == "Funded" and deal.balance == 0:
            self.due.add("DealRepaid")

    def _renewal_eligibility_changed(self, event: dict[str, Any]) -> None:
        expect(
            event["renewal_eligibility"] is not self.eligible, "whole", "announced what was no news"
        )
        self.eligible = event["renewal_eligibility"]


def _not_followed(_: Ledger, __: dict[str, Any]) -> None:
    """Apply an event that changes nothing which the suite checks."""


_APPLY: Final = {
    **dict.fromkeys(EVENT_TYPES, _not_followed),
    "OffersIssued": Ledger._offers_issued,
    "OfferAccepted": Ledger._offer_accepted,
    "DetailsSupplied": Ledger._details_supplied,
    "ApplicationSubmitted": Ledger._application_submitted,
    "ApplicationClosed": Ledger._application_closed,
    "DealFunded": Ledger._deal_funded,
    "DealRepaid": Ledger._deal_repaid,
    "DealReopened": Ledger._deal_reopened,
    "DealRenewed": Ledger._deal_renewed,
    "DealClosed": Ledger._deal_closed,
    "TakingsRecorded": Ledger._takings_recorded,
    "RemittancesRecorded": Ledger._remittances_recorded,
    "RenewalEligibilityChanged": Ledger._renewal_eligibility_changed,
}
