"""A small model of a merchant, folded from the JSON of its events and from nothing else.

It shares no code with `holdback.lifecycle`: amounts are `Decimal`s, states are words, and every figure is
worked out anew from the list of entries.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal


def amount(text):
    """The number in money written as `GBP 12.00`."""
    return Decimal(text.split(" ")[1])


def instant(text):
    """The instant written in RFC 3339."""
    return datetime.fromisoformat(text)


class SmallModel:
    """What a merchant is after its events, as far as the money and the states go."""

    def __init__(self):
        self.provider_id = None
        self.offers = {}
        self.expiries = {}
        self.applications = {}
        self.deals = {}
        self.eligible = False

    def apply(self, event):
        getattr(self, event["type"])(event)

    def OffersIssued(self, event):
        for product in event["offer_set"]["products"]:
            for offer in product["offers"]:
                self.offers[offer["offer_id"]] = "Eligible"
                self.expiries[offer["offer_id"]] = instant(event["offer_set"]["expires_at"])

    def OfferAccepted(self, event):
        self.provider_id = event["reply"]["provider_id"]
        accepted = event["reply"]["offer"]["offer_id"]
        for offer_id, status in self.offers.items():
            if status == "Eligible" and instant(event["at"]) < self.expiries[offer_id]:
                self.offers[offer_id] = "Accepted" if offer_id == accepted else "Withdrawn"
        self.applications[event["reply"]["application_id"]] = "awaiting_details"

    def DetailsSupplied(self, event):
        assert self.applications[event["application_id"]] in {"awaiting_details", "submitted"}

    def ApplicationSubmitted(self, event):
        self.applications[event["application_id"]] = "submitted"

    def ApplicationClosed(self, event):
        self.applications[event["application_id"]] = event["status"]

    def DealFunded(self, event):
        deal = event["deal"]
        self.applications[deal["application_id"]] = "funded"
        self.deals[deal["id"]] = {
            "status": "Funded",
            "repayment": amount(deal["repayment_amount"]),
            "settled": Decimal(0),
            "entries": {},
        }

    def DealRepaid(self, event):
        self.deals[event["deal_id"]]["status"] = "Repaid"

    def DealReopened(self, event):
        self.deals[event["deal_id"]]["status"] = "Funded"

    def DealRenewed(self, event):
        self.deals[event["deal_id"]]["status"] = "Renewed"
        self.deals[event["deal_id"]]["settled"] = amount(event["settled"])

    def DealClosed(self, event):
        self.deals[event["deal_id"]]["status"] = event["status"]

    def TakingsRecorded(self, event):
        pass

    def RemittancesRecorded(self, event):
        entries = self.deals[event["deal_id"]]["entries"]
        for entry in event["entries"]:
            entries[entry["id"]] = entry

    def RenewalEligibilityChanged(self, event):
        assert event["renewal_eligibility"] is not self.eligible
        self.eligible = event["renewal_eligibility"]

    def remitted(self, deal_id):
        """The settled entries less those taken back by a settled reversal."""
        entries = self.deals[deal_id]["entries"]
        back = {e["reverses"] for e in entries.values() if e.get("reverses") and e["settled"]}
        return sum(
            (
                amount(e["amount"])
                for e in entries.values()
                if e["settled"] and not e.get("reverses") and e["id"] not in back
            ),
            Decimal(0),
        )

    def balance(self, deal_id):
        deal = self.deals[deal_id]
        if deal["status"] not in {"Funded", "Defaulted"}:
            return Decimal(0)
        return max(Decimal(0), deal["repayment"] - self.remitted(deal_id) - deal["settled"])
