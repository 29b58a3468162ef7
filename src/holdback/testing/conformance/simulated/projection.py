"""
The suite's oracle: what a merchant's stored events say, worked out from their JSON.

It is a second, small implementation that shares no code with the lifecycle. Amounts are `Decimal`,
states are text, and every figure is derived again from the list of entries. An event that cannot
follow the events before it breaks an invariant.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from operator import gt
from types import MappingProxyType
from typing import Any, ClassVar, Final

from attrs import define, field

from holdback.lifecycle.configuration import CLOCK_DAYS, MEMORY_DAYS
from holdback.lifecycle.events import EVENT_TYPES
from holdback.merchant.disclosure import DIGEST_PREFIX
from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.simulated.projected_deal import (
    ProjectedDeal,
    amount,
    kind_of,
    signed,
)
from holdback.testing.conformance.simulated.projected_people import ProjectedPeople

# The event that follows the entries which end an active deal in another way than by repayment.
_ENDINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "waiver": "DealClosed",
        "principal_return": "DealUnwound",
        "payout_return": "PayoutReturned",
    }
)

# What is delivered to a deal, after which no payout of it comes back any more.
_DELIVERED: Final = frozenset({"remittance", "payment", "reversal"})


def is_of_disclosure(signature: Mapping[str, Any]) -> bool:
    """Return whether the *signature* is of a disclosure, and not of a contract."""
    return str(signature["digest"]).startswith(DIGEST_PREFIX)


@define
class ProjectedDeals:
    """
    The deals of a merchant by id, and what has to follow in the operation that is being read.

    `cash` are the entries of the suspense account by id. `renewed` is the deal that each renewal
    was funded on top of, by the id of the renewal, and `just_renewed` the one that the deal of the
    next event renews. `events_due` are the types of events that belong to the current operation and
    have not followed yet.
    """

    deals: dict[str, ProjectedDeal] = field(factory=dict)
    cash: dict[str, dict[str, Any]] = field(factory=dict)
    renewed: dict[str, str] = field(factory=dict)
    just_renewed: str | None = None
    events_due: set[str] = field(factory=set)

    def sequence_of_deal(self, deal_id: str) -> int:
        """Return the number of the last event about a deal."""
        return self.deals[deal_id].sequence

    @property
    def active(self) -> list[str]:
        """The ids of the active deals."""
        return [key for key, deal in self.deals.items() if deal.status == "Funded"]

    @property
    def cash_held(self) -> dict[str, Decimal]:
        """What is left of each receipt in suspense of which something is."""
        receipts = (entry_id for entry_id, entry in self.cash.items() if not entry.get("receipt"))
        left = {receipt: self.cash_left(receipt) for receipt in receipts}
        return {receipt: amount for receipt, amount in left.items() if amount}

    def cash_left(self, receipt: str) -> Decimal:
        """Return what is left in suspense of one receipt."""
        taken = (e for e in self.cash.values() if e.get("receipt") == receipt)
        return amount(self.cash[receipt]["amount"]) - sum(amount(e["amount"]) for e in taken)

    def _take_cash(self, entry: dict[str, Any], postings: list[dict[str, Any]]) -> None:
        """Add an *entry* of the suspense account, posted with the *postings* to deals."""
        expect(entry["id"] not in self.cash, "suspense-kept", "cash in suspense was recorded twice")
        receipt = entry.get("receipt")
        if receipt is not None:
            left = self.cash_left(receipt) if receipt in self.cash else Decimal(0)
            message = f"{entry['amount']} was taken from suspense, and {left} was left"
            expect(amount(entry["amount"]) <= left, "suspense-kept", message)
        self.cash[entry["id"]] = entry
        if entry.get("deal_id") is not None:
            applied = {(p["deal_id"], p["entry"]["id"], p["entry"]["amount"]) for p in postings}
            expected = (entry["deal_id"], entry["id"], entry["amount"])
            expect(
                expected in applied,
                "suspense-kept",
                "cash was applied to a deal that has no payment",
            )

    def check_transfers(self) -> None:
        """Expect both halves of every transfer."""
        for deal_id, deal in self.deals.items():
            for half in deal.of_kind("transfer"):
                self._expect_other_half(deal_id, half)

    def _expect_other_half(self, deal_id: str, half: dict[str, Any]) -> None:
        counterpart = self.deals.get(half["counterpart"])
        matching = None if counterpart is None else counterpart.entries.get(half["id"])
        message = f"the transfer {half['id']} is on one of its two deals alone"
        expect(matching is not None, "both-halves", message)
        assert matching is not None, "expected just before"
        same = signed(matching) == -signed(half) and matching["counterpart"] == deal_id
        expect(same, "both-halves", f"the halves of the transfer {half['id']} differ")

    def fund(self, terms: dict[str, Any]) -> None:
        """Add the deal of a funding."""
        self.deals[terms["id"]] = ProjectedDeal(terms, amount(terms["repayment_amount"]))
        if self.just_renewed is not None:
            self.renewed[terms["id"]] = self.just_renewed
        self.just_renewed = None

    def _deal_repaid(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].status = "Repaid"

    def _deal_reopened(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].status = "Funded"

    def _deal_renewed(self, event: dict[str, Any]) -> None:
        deal = self.deals[event["deal_id"]]
        deal.status, deal.paid_by_renewal = "Renewed", amount(event["settled"])
        self.just_renewed = event["deal_id"]
        self.events_due.add("DealFunded")

    def _deal_reinstated(self, event: dict[str, Any]) -> None:
        deal = self.deals[event["deal_id"]]
        deal.status = "Funded"
        if deal.plan is not None:
            deal.plan = {**deal.plan, "instalments": []}

    def _deal_closed(self, event: dict[str, Any]) -> None:
        deal = self.deals[event["deal_id"]]
        deal.status, deal.closed_on = event["status"], event["on"]

    def _remittances_recorded(self, event: dict[str, Any]) -> None:
        deal = self.deals[event["deal_id"]]
        for entry in event["entries"]:
            earlier = deal.entries.get(entry["id"])
            # The same id may come twice only to say that the entry has settled since.
            repeated = earlier is not None and (earlier["settled"] or not entry["settled"])
            expect(not repeated, "delivered-once", "an entry was recorded twice")
            deal.entries[entry["id"]] = entry
        self._expect_status_to_follow(deal, "DealRepaid")

    def _expect_status_to_follow(self, deal: ProjectedDeal, ending: str) -> None:
        """Expect the event that entries bring about: *ending* if an active deal owes nothing."""
        if deal.status == "Funded" and deal.left <= 0:
            self.events_due.add(ending)
        if deal.status == "Defaulted" and deal.left <= 0 and not deal.written_off:
            self.events_due.add("DealSettled" if deal.waived else "DealRecovered")
        if deal.status in {"Recovered", "Settled"} and deal.left > 0:
            self.events_due.add("DealDefaultedAgain")

    def _entries_posted(self, event: dict[str, Any]) -> None:
        kinds = {kind_of(posting["entry"]) for posting in event["postings"]}
        ending = next((_ENDINGS[kind] for kind in kinds & _ENDINGS.keys()), "DealRepaid")
        for posting in event["postings"]:
            deal, entry = self.deals[posting["deal_id"]], posting["entry"]
            repeated = entry["id"] in deal.entries
            expect(not repeated, "delivered-once", "an entry was recorded twice")
            if kind_of(entry) == "refund":
                message = f"{entry['amount']} was refunded, and {deal.overpaid} was overpaid"
                enough = amount(entry["amount"]) <= deal.overpaid
                expect(enough, "refunded-once", message)
            deal.entries[entry["id"]] = entry
        for taken in event.get("suspense", ()):
            self._take_cash(taken, event["postings"])
        for posting in event["postings"]:
            self._expect_status_to_follow(self.deals[posting["deal_id"]], ending)

    def _deal_recovered(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].status = "Recovered"

    def _deal_settled(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].status = "Settled"

    def _deal_defaulted_again(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].status = "Defaulted"

    def _deal_unwound(self, event: dict[str, Any]) -> None:
        deal = self.deals[event["deal_id"]]
        deal.status = "Unwound"
        base_id = self.renewed.get(event["deal_id"])
        revives = event.get("base_deal_id") == base_id
        expect(revives, "revived", "a renewal was undone, and the deal that it renewed was not")
        if base_id is not None:
            base = self.deals[base_id]
            returned = sum(signed(entry) for entry in deal.of_kind("settlement"))
            message = (
                f"{returned} went back to the deal, and the renewal had paid {base.paid_by_renewal}"
            )
            expect(returned == base.paid_by_renewal, "revived", message)
            base.paid_by_renewal = Decimal(0)
            base.status = "Funded" if base.left > 0 else "Repaid"

    def _payout_returned(self, event: dict[str, Any]) -> None:
        deal = self.deals[event["deal_id"]]
        delivered = _DELIVERED & set(map(kind_of, deal.entries.values()))
        message = "a payout came back of a deal to which entries were delivered"
        expect(not delivered, "payout-returned", message)
        self._deal_unwound(event)

    def _deal_paused(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].in_pause = True

    def _deal_resumed(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].in_pause = False

    def _terms_changed(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].changes.append(event["change"])

    def _plan_agreed(self, event: dict[str, Any]) -> None:
        deal, plan = self.deals[event["deal_id"]], event["plan"]
        before = () if deal.plan is None else (deal.plan["id"], *deal.plan["replaced"])
        message = "a plan was agreed that is the last one, or was replaced by it"
        expect(plan["id"] not in before, "plan-kept", message)
        deal.plan = plan

    APPLY_TO_DEALS: ClassVar[Mapping[str, Callable[[Any, dict[str, Any]], None]]] = (
        MappingProxyType(
            {
                "DealRepaid": _deal_repaid,
                "DealReopened": _deal_reopened,
                "DealRenewed": _deal_renewed,
                "DealClosed": _deal_closed,
                "DealReinstated": _deal_reinstated,
                "RemittancesRecorded": _remittances_recorded,
                "EntriesPosted": _entries_posted,
                "DealRecovered": _deal_recovered,
                "DealSettled": _deal_settled,
                "DealDefaultedAgain": _deal_defaulted_again,
                "DealUnwound": _deal_unwound,
                "PayoutReturned": _payout_returned,
                "DealPaused": _deal_paused,
                "DealResumed": _deal_resumed,
                "TermsChanged": _terms_changed,
                "PlanAgreed": _plan_agreed,
            }
        )
    )


_IN_FULFILMENT: Final = ("awaiting_details", "submitted")


def instant(text: str) -> datetime:
    """Return the instant that *text* denotes."""
    return datetime.fromisoformat(text)


def _deals_of(event: Mapping[str, Any]) -> set[str]:
    """Return the ids of the deals that *event* is about."""
    named = {event.get("deal_id"), event.get("deal", {}).get("id"), event.get("base_deal_id")}
    return named | {posting["deal_id"] for posting in event.get("postings", ())}


def _expect_reasons(event: Mapping[str, Any]) -> None:
    """Expect a code and a sentence for each product of the event that is not `Accepted`."""
    texts = {
        decision["product"]: [reason["text"] for reason in decision["reasons"]]
        for decision in event.get("decisions", ())
    }
    for product in event["offer_set"]["products"]:
        given = texts.get(product["key"])
        explained = product["decision"] == "Accepted" or (
            product.get("codes") and given and all(given)
        )
        message = f"the event of a product that is {product['decision']} has no reason"
        expect(explained, "reasons", message)


# What is against a deal that began after the offers: it is active, and nothing else.
_NEW: Final = (*[Decimal(0)] * 2, Decimal(1), *[Decimal(0)] * 3)


@define
class ProjectedOffer:
    """An offer of an application: its product, its original `terms` and its current `status`."""

    application_id: str
    product: str
    terms: dict[str, Any]
    expires_at: datetime
    status: str = "Eligible"


@define
class Projection(ProjectedDeals):
    """
    A merchant's state after the events applied so far.

    `accepted` holds the reply to each acceptance by offer_id, `applications` the statuses of
    applications by id, and `takings` the days whose takings were recorded. `people` are those of
    the merchant, with what was found out and decided. `referrals` are the open ones. `holds` are
    those in place, by code, with their instants, and `hold_codes` the codes of all that ever were.
    `knew` is what was known of the deals, by id, when the offers of each application were issued.
    `lapses_at` is when each application lapses. `disclosed` has the digest of the last disclosure
    of each offer, and `signatures` those of contracts and of disclosures, by application.
    """

    provider_id: str | None = None
    last_at: datetime | None = None
    sequence: int = 0
    eligible: bool = False
    erased: bool = False
    offers: dict[str, ProjectedOffer] = field(factory=dict)
    applications: dict[str, str] = field(factory=dict)
    accepted: dict[str, dict[str, Any]] = field(factory=dict)
    accepted_at: dict[str, datetime] = field(factory=dict)
    takings: set[str] = field(factory=set)
    disclosed: dict[str, str] = field(factory=dict)
    people: ProjectedPeople = field(factory=ProjectedPeople)
    referrals: dict[str, dict[str, Any]] = field(factory=dict)
    holds: dict[str, datetime] = field(factory=dict)
    hold_codes: set[str] = field(factory=set)
    knew: dict[str, dict[str, tuple[Decimal, ...]]] = field(factory=dict)
    lapses_at: dict[str, datetime] = field(factory=dict)
    omitted: dict[str, list[str]] = field(factory=dict)
    signatures: dict[tuple[str, bool], dict[str, Any]] = field(factory=dict)

    @property
    def disclosable(self) -> list[str]:
        """The offers that may be open, and one that was accepted and is not funded yet."""
        waiting = self.in_fulfilment
        return [
            offer_id
            for offer_id, offer in self.offers.items()
            if offer.status == "Eligible"
            or (offer.status == "Accepted" and offer.application_id in waiting)
        ]

    @property
    def in_fulfilment(self) -> list[str]:
        """The ids of the applications in fulfilment."""
        return [key for key, status in self.applications.items() if status in _IN_FULFILMENT]

    def seen_at(self, at: datetime) -> datetime:
        """Return the merchant's own time at the instant *at*: it never goes back."""
        return at if self.last_at is None else max(at, self.last_at)

    def is_far(self, at: datetime) -> bool:
        """Return whether *at* is so far from the last event that the clock is in doubt."""
        return self.last_at is not None and abs(at - self.last_at) > timedelta(days=CLOCK_DAYS)

    def waiting(self, at: datetime) -> list[str]:
        """Return the applications in fulfilment that have not lapsed at the instant *at*."""
        return [
            key
            for key in self.in_fulfilment
            if self.holds or key not in self.lapses_at or at < self.lapses_at[key]
        ]

    def apply(self, stored: bytes) -> dict[str, Any]:
        """Apply one stored event to the figures that are compared; return it as a dictionary."""
        event: dict[str, Any] = json.loads(stored, parse_float=Decimal)
        expect(event["type"] in EVENT_TYPES, "whole", f"{event['type']} is not a type of event")
        at = instant(event["at"])
        expect(
            self.last_at is None or at >= self.last_at,
            "clock-back",
            f"{event['type']} is dated {at}, before {self.last_at}",
        )
        self.last_at = at
        apply_event = self._APPLY.get(event["type"])
        if apply_event is not None:  # an event that is not listed changes nothing that is compared
            apply_event(self, event)
        self.sequence = event.get("sequence", self.sequence + 1)
        for deal_id in _deals_of(event) & self.deals.keys():
            self.deals[deal_id].sequence = self.sequence
        self.events_due.discard(event["type"])
        return event

    def check_between_operations(self) -> None:
        """
        Expect what must hold when no operation is being carried out.

        Every event that the last operation requires was stored, and at most one deal is active.
        """
        expect(not self.events_due, "whole", f"no {', '.join(sorted(self.events_due))} followed")
        expect(len(self.active) <= 1, "one-active-deal", f"{len(self.active)} deals are active")
        self.check_transfers()

    def _offers_issued(self, event: dict[str, Any]) -> None:
        issued = event["offer_set"]
        _expect_reasons(event)
        self.people.check_offers(event)
        self.knew[issued["application_id"]] = {
            deal_id: deal.trouble for deal_id, deal in self.deals.items()
        }
        for product in issued["products"]:
            expect(not (self.holds and product["offers"]), "hold", "an offer was made on hold")
            self.referrals.pop(product["key"], None)
            for offer in product["offers"]:
                self.offers[offer["offer_id"]] = ProjectedOffer(
                    issued["application_id"],
                    product["key"],
                    offer,
                    instant(issued["expires_at"]),
                )
        for referral in event.get("referrals", ()):
            self.referrals[referral["product"]] = referral

    def worse_since(self, application_id: str, but: str | None = None) -> list[str]:
        """The deals with more against them than when the application's offers were issued."""
        knew = self.knew[application_id]
        return [
            deal_id
            for deal_id, deal in self.deals.items()
            if deal_id != but and any(map(gt, deal.trouble, knew.get(deal_id, _NEW)))
        ]

    def _offer_accepted(self, event: dict[str, Any]) -> None:
        at = instant(event["at"])
        accepted = event["offer"]["offer_id"]
        offer = self.offers.get(accepted)
        expect(offer is not None, "terms-honoured", "the accepted offer was never made")
        assert offer is not None, "expected just before"
        message = "an offer was accepted while another application was in fulfilment"
        expect(not self.in_fulfilment, "one-winner", message)
        withdrawn = offer.status == "WithdrawnByLender"
        expect(not withdrawn, "withdrawn-as-expired", "the lender had withdrawn the offer")
        expect(offer.status == "Eligible", "one-winner", f"the accepted offer was {offer.status}")
        expect(at < offer.expires_at, "expiry", f"accepted at {at}, expired at {offer.expires_at}")
        terms = {**event["offer"], "offer_status": offer.terms["offer_status"]}
        expect(terms == offer.terms, "terms-honoured", "the accepted terms differ from the offer")
        unchanged = self.provider_id in {None, event["provider_id"]}
        expect(unchanged, "stable-provider-id", "provider_id has changed")
        expect(not self.holds, "hold", "an offer was accepted on hold")
        worse = self.worse_since(event["application_id"])
        expect(not worse, "since-the-offer", f"an offer was accepted, though {worse} is worse now")
        self.provider_id = event["provider_id"]
        self.people.sections = event["sections"]
        self.referrals.clear()
        # One acceptance withdraws every other offer that is still open, in all sets.
        for offer_id, candidate in self.offers.items():
            if candidate.status == "Eligible" and at < candidate.expires_at:
                candidate.status = "Accepted" if offer_id == accepted else "Withdrawn"
        self.accepted[accepted] = event
        self.accepted_at[accepted] = at
        self.applications[event["application_id"]] = "awaiting_details"
        self.omitted[event["application_id"]] = event.get("omitted") or []
        if event.get("lapses_at") is not None:
            self.lapses_at[event["application_id"]] = instant(event["lapses_at"])
        if "bank_details" not in self.omitted[event["application_id"]]:
            self.events_due.add("ApplicationSubmitted")

    def _details_changed(self, event: dict[str, Any]) -> None:
        if event.get("application_id") is None:
            return
        self.omitted[event["application_id"]] = event.get("omitted") or []
        if "bank_details" not in self.omitted[event["application_id"]]:
            status = self.applications[event["application_id"]]
            self.events_due |= {"ApplicationSubmitted"} if status == "awaiting_details" else set()

    def _application_submitted(self, event: dict[str, Any]) -> None:
        self.applications[event["application_id"]] = "submitted"

    def _application_closed(self, event: dict[str, Any]) -> None:
        explained = event["status"] != "declined" or event.get("code")
        expect(explained, "reasons", "the event of an application that was declined has no code")
        self.applications[event["application_id"]] = event["status"]

    def _application_lapsed(self, event: dict[str, Any]) -> None:
        self.applications[event["application_id"]] = "lapsed"

    def _signature_recorded(self, event: dict[str, Any]) -> None:
        of_disclosure = is_of_disclosure(event["signature"])
        self.signatures[event["application_id"], of_disclosure] = event["signature"]

    def _offers_declined(self, event: dict[str, Any]) -> None:
        self._close_offers(event, "Declined")

    def _offers_withdrawn(self, event: dict[str, Any]) -> None:
        self._close_offers(event, "WithdrawnByLender")

    def _close_offers(self, event: dict[str, Any], status: str) -> None:
        for offer in self.offers.values():
            if offer.application_id == event["application_id"] and offer.status == "Eligible":
                offer.status = status

    def _evidence_recorded(self, event: dict[str, Any]) -> None:
        self.people.record(event)

    def _consents_recorded(self, event: dict[str, Any]) -> None:
        self.people.consent(event.get("applicants"), event["given"])

    def _referral_decided(self, event: dict[str, Any]) -> None:
        decision = event["decision"]
        self.referrals.pop(decision["product"], None)
        self.people.decide(decision)

    def _hold_placed(self, event: dict[str, Any]) -> None:
        self.holds[event["hold"]["code"]] = instant(event["hold"]["placed_at"])
        self.hold_codes.add(event["hold"]["code"])

    def _hold_lifted(self, event: dict[str, Any]) -> None:
        since = min(self.holds.values())
        del self.holds[event["code"]]
        # The time on hold does not count for an application in fulfilment. Of holds that overlap,
        # this counts the time before the next one; the rest counts when that one is lifted.
        until = min(self.holds.values(), default=instant(event["at"]))
        for key in self.in_fulfilment:
            if key in self.lapses_at:
                self.lapses_at[key] += until - since

    def _deal_funded(self, event: dict[str, Any]) -> None:
        deal = event["deal"]
        expect(not self.holds, "hold", "a deal was funded on hold")
        # Its funding has just changed the deal that a renewal settles.
        worse = self.worse_since(deal["application_id"], but=deal.get("base_deal_id"))
        expect(not worse, "since-the-offer", f"a deal was funded, though {worse} is worse now")
        expect(not self.active, "one-active-deal", "a deal was funded while another was active")
        self.applications[deal["application_id"]] = "funded"
        self.fund(deal)

    def _payout_returned(self, event: dict[str, Any]) -> None:
        super()._payout_returned(event)
        application_id = self.deals[event["deal_id"]].terms["application_id"]
        if event.get("application_id") is None and not self._remembers(application_id, event):
            return
        message = "the application of a payout that came back does not wait again"
        expect(event.get("application_id") == application_id, "payout-returned", message)
        self.omitted[application_id] = event.get("omitted") or []
        waits = "bank_details" in self.omitted[application_id]
        self.applications[application_id] = "awaiting_details" if waits else "submitted"
        self.lapses_at.pop(application_id, None)
        self._queued_renewal_ready(event)

    def _remembers(self, application_id: str, event: dict[str, Any]) -> bool:
        """Return whether an accepted application has to be remembered at the instant of *event*."""
        return any(
            instant(event["at"]) - accepted_at <= timedelta(days=MEMORY_DAYS)
            for offer_id, accepted_at in self.accepted_at.items()
            if self.offers[offer_id].application_id == application_id
        )

    def _takings_recorded(self, event: dict[str, Any]) -> None:
        self.takings |= {day["on"] for day in event["takings"]}

    def _offer_requoted(self, event: dict[str, Any]) -> None:
        application_id = event["application_id"]
        ends = [o.expires_at for o in self.offers.values() if o.application_id == application_id]
        expect(not self.holds, "hold", "an offer was made on hold")
        for offer in event["offers"]:
            self.offers[offer["offer_id"]] = ProjectedOffer(
                application_id, event["product"], offer, ends[0]
            )

    def _offer_disclosed(self, event: dict[str, Any]) -> None:
        self.disclosed[event["disclosure"]["offer_id"]] = event["disclosure"]["digest"]

    def _queued_renewal_ready(self, event: dict[str, Any]) -> None:
        if event.get("lapses_at") is not None:
            self.lapses_at[event["application_id"]] = instant(event["lapses_at"])

    def _renewal_eligibility_changed(self, event: dict[str, Any]) -> None:
        changed = event["renewal_eligibility"] is not self.eligible
        expect(changed, "whole", "renewal eligibility was announced though it had not changed")
        self.eligible = event["renewal_eligibility"]

    def _forgotten(self, event: dict[str, Any]) -> None:
        for closed in event["entries_through"]:
            deal = self.deals[closed["deal_id"]]
            deal.closed_through = max(deal.closed_through, closed["through"])

    def _profile_rectified(self, event: dict[str, Any]) -> None:
        before = self.people.sections
        replaced = {before.get(name) for name in event["sections"]}
        self.people.sections = {**before, **event["sections"]}
        self.referrals = {
            product: referral
            for product, referral in self.referrals.items()
            if replaced.isdisjoint(referral.get("sections", {}).values())
        }

    def _profile_erased(self, event: dict[str, Any]) -> None:
        self.erased = True
        self.people.contents.clear()  # the next profile has another salt
        self.people.consents.clear()
        self.referrals.clear()
        for offer in self.offers.values():
            if offer.status == "Eligible" and instant(event["at"]) < offer.expires_at:
                offer.status = "Withdrawn"

    _APPLY: ClassVar[Mapping[str, Callable[[Projection, dict[str, Any]], None]]] = MappingProxyType(
        {
            **ProjectedDeals.APPLY_TO_DEALS,
            "OffersIssued": _offers_issued,
            "OfferAccepted": _offer_accepted,
            "DetailsSupplied": _details_changed,
            "BankDetailsChanged": _details_changed,
            "ApplicationSubmitted": _application_submitted,
            "ApplicationClosed": _application_closed,
            "ApplicationLapsed": _application_lapsed,
            "SignatureRecorded": _signature_recorded,
            "OffersDeclined": _offers_declined,
            "OffersWithdrawn": _offers_withdrawn,
            "EvidenceRecorded": _evidence_recorded,
            "ConsentsRecorded": _consents_recorded,
            "ReferralDecided": _referral_decided,
            "HoldPlaced": _hold_placed,
            "HoldLifted": _hold_lifted,
            "DealFunded": _deal_funded,
            "PayoutReturned": _payout_returned,
            "TakingsRecorded": _takings_recorded,
            "OfferRequoted": _offer_requoted,
            "OfferDisclosed": _offer_disclosed,
            "QueuedRenewalReady": _queued_renewal_ready,
            "RenewalEligibilityChanged": _renewal_eligibility_changed,
            "ProfileErased": _profile_erased,
            "ProfileRectified": _profile_rectified,
            "Forgotten": _forgotten,
        }
    )
