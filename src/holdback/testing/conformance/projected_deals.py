"""The deals of a merchant as its events tell them: their entries, statuses and movements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, ClassVar, Final

from attrs import define, field

from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.projected_deal import ProjectedDeal, amount, kind_of, signed

# The event that follows the entries which end an active deal in another way than by repayment.
_ENDINGS: Final[Mapping[str, str]] = MappingProxyType(
    {"waiver": "DealClosed", "principal_return": "DealUnwound"}
)


@define
class ProjectedDeals:
    """
    The deals of a merchant by id, and what has to follow in the operation that is being read.

    `renewed` is the deal that each renewal was funded on top of, by the id of the renewal, and
    `just_renewed` the one that the deal of the next event renews. `events_due` are the types of
    events that belong to the current operation and have not followed yet.
    """

    deals: dict[str, ProjectedDeal] = field(factory=dict)
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
        self.deals[event["deal_id"]].status = "Funded"

    def _deal_closed(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].status = event["status"]

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
            self.events_due.add("DealRecovered")
        if deal.status == "Recovered" and deal.left > 0:
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
        for posting in event["postings"]:
            self._expect_status_to_follow(self.deals[posting["deal_id"]], ending)

    def _deal_recovered(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].status = "Recovered"

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

    def _deal_paused(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].paused = True

    def _deal_resumed(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].paused = False

    def _terms_changed(self, event: dict[str, Any]) -> None:
        self.deals[event["deal_id"]].changes.append(event["change"])

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
                "DealDefaultedAgain": _deal_defaulted_again,
                "DealUnwound": _deal_unwound,
                "DealPaused": _deal_paused,
                "DealResumed": _deal_resumed,
                "TermsChanged": _terms_changed,
            }
        )
    )
