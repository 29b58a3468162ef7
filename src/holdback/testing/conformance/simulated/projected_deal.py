"""A deal as its events tell it, in the suite's own figures.

It shares no code with the model of deals: amounts are `Decimal`, and every figure is worked out
again from the list of entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from attrs import define, field

# By the kind of an entry, what its amount does to what is owed: `-` raises it. Below, the kinds
# that are not the merchant's own money for the repayment, and count to no progress.
_SIGNS: Final[Mapping[str, str]] = MappingProxyType({"reversal": "-", "refund": "-", "fee": "-"})
# The kinds that are owed beside the repayment.
_FEES: Final = frozenset({"fee", "fee_waiver"})
_CREDITS: Final = frozenset(
    {
        "settlement",
        "discount",
        "waiver",
        "write_off",
        "adjustment",
        "principal_return",
        "payout_return",
        "charge_cancelled",
    }
)
OWING: Final = frozenset({"Funded", "Defaulted"})


def amount(text: str) -> Decimal:
    """
    Return the number in an amount of money.

    >>> amount("GBP 12.00")
    Decimal('12.00')
    """
    return Decimal(text.split(" ")[1])


def kind_of(entry: Mapping[str, Any]) -> str:
    """
    Return the kind of a stored *entry*, which most leave out.

    >>> kind_of({"id": "e-2", "reverses": "e-1"})
    'reversal'
    """
    kind: str = entry.get("kind") or ("reversal" if entry.get("reverses") else "remittance")
    return kind


def signed(entry: Mapping[str, Any]) -> Decimal:
    """
    Return by how much a stored *entry* lowers what is owed.

    >>> signed({"id": "e-3", "kind": "refund", "amount": "GBP 5.00"})
    Decimal('-5.00')
    """
    return Decimal(_SIGNS.get(kind_of(entry), "") + "1") * amount(entry["amount"])


@define
class ProjectedDeal:
    """
    A deal: its `terms` as it was funded, and its `entries` by id.

    `paid_by_renewal` is the balance that its renewal paid. `in_pause` is whether its last pause was
    not ended, and `split` and `term_days` are those of its terms now.
    """

    terms: dict[str, Any]
    repayment: Decimal
    status: str = "Funded"
    # The day of which its early end was recorded.
    closed_on: str | None = None
    paid_by_renewal: Decimal = Decimal(0)
    entries: dict[str, dict[str, Any]] = field(factory=dict)
    in_pause: bool = False
    changes: list[dict[str, Any]] = field(factory=list)
    # The plan that was agreed last.
    plan: dict[str, Any] | None = None
    # The last day whose entries the state need not hold any more.
    closed_through: str = ""
    # The number of the last event about this deal.
    sequence: int = 0

    def held_transactions(self, shown: Mapping[str, str]) -> dict[str, str]:
        """The transactions that a lookup must show: all, or those *shown* among the closed ones."""
        return {
            entry_id: amount
            for entry_id, amount in self.transactions.items()
            if entry_id in shown
            or entry_id not in self.entries
            or self.entries[entry_id]["on"] > self.closed_through
        }

    def counting(self) -> Iterator[dict[str, Any]]:
        """Yield the settled entries; a reversal counts once its entry does."""
        for entry in self.entries.values():
            target = self.entries.get(entry.get("reverses") or "")
            if entry["settled"] and (target is None or target["settled"]):
                yield entry

    def _sum(self, *, credited: bool) -> Decimal:
        repaying = (e for e in self.counting() if kind_of(e) not in _FEES)
        entries = (e for e in repaying if (kind_of(e) in _CREDITS) is credited)
        return _total(signed(entry) for entry in entries)

    @property
    def remitted(self) -> Decimal:
        """What the merchant has paid, less what was taken back or given back."""
        return self._sum(credited=False)

    def planned(self) -> list[dict[str, Any]]:
        """The instalments of the plan of a default, each with what of it is paid."""
        if self.plan is None or self.status != "Defaulted":
            return []
        left, shown = self.remitted - amount(self.plan["remitted_before"]), []
        for instalment in self.plan["instalments"]:
            due = amount(instalment["amount"])
            paid = min(due, max(Decimal(0), left))
            shown.append({"due_on": instalment["due_on"], "amount": due, "paid": paid})
            left -= due
        return shown

    @property
    def left(self) -> Decimal:
        """What is left to pay; below zero if more was paid than was owed."""
        credited = self._sum(credited=True)
        return self.repayment - self.remitted - self.paid_by_renewal - credited

    @property
    def balance(self) -> Decimal:
        """What the merchant owes on this deal, which has not ended or has defaulted."""
        return max(Decimal(0), self.left) if self.status in OWING else Decimal(0)

    @property
    def shortfall(self) -> Decimal:
        """What is left to pay on a deal that has ended."""
        return Decimal(0) if self.status in OWING else max(Decimal(0), self.left)

    @property
    def overpaid(self) -> Decimal:
        """What is to be refunded or transferred."""
        return max(Decimal(0), -self.left - self.fees)

    @property
    def fees(self) -> Decimal:
        """The fees that were charged, less those that were waived."""
        return -_total(signed(e) for e in self.counting() if kind_of(e) in _FEES)

    @property
    def fees_owed(self) -> Decimal:
        """The fees that nothing was paid for: what is paid beyond the repayment pays them."""
        return max(Decimal(0), self.fees - max(Decimal(0), -self.left))

    @property
    def written_off(self) -> Decimal:
        """What was given up, less what was recovered after it."""
        return _total(signed(entry) for entry in self.of_kind("write_off"))

    @property
    def waived(self) -> Decimal:
        """What is no longer asked for, less what was asked for again."""
        return _total(signed(entry) for entry in self.of_kind("waiver"))

    @property
    def paused(self) -> bool:
        """Whether no remittances are expected: a pause ends with its deal."""
        return self.in_pause and self.status == "Funded"

    @property
    def trouble(self) -> tuple[Decimal, ...]:
        """What a lender looks at before it pays out more; more of any of them is worse."""
        return (
            Decimal(self.status == "Defaulted"),
            Decimal(self.status in {"Defaulted", "Recovered", "Settled"}),
            Decimal(self.status == "Funded"),
            self.written_off,
            self.shortfall,
            self.overpaid,
        )

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        """Return the entries of one kind."""
        return [entry for entry in self.entries.values() if kind_of(entry) == kind]

    @property
    def transactions(self) -> dict[str, str]:
        """The amounts that the merchant lookup shows, by id: what raises the debt is below zero."""
        currency = self.terms["repayment_amount"].split(" ")[0]
        shown = {name: signed(entry) for name, entry in self.entries.items()}
        if self.paid_by_renewal:
            shown["settlement"] = self.paid_by_renewal
        # Zero has no sign: what is taken back of a penny may be nothing.
        return {name: f"{currency} {number + 0}" for name, number in shown.items()}

    @property
    def progress(self) -> Decimal:
        """The percentage of the repayment remitted, rounded down to four decimals, at most 100."""
        paid = max(Decimal(0), self.remitted)
        return min(Decimal(100), (paid * 10**6 // self.repayment).scaleb(-4))

    @property
    def terms_now(self) -> tuple[str, int]:
        """The split percentage and the days of the term that hold now."""
        newest = self.changes[-1] if self.changes else self.terms
        return str(newest["split_percentage"]), int(newest["term_days"])


def _total(numbers: Iterable[Decimal]) -> Decimal:
    return sum(numbers, Decimal(0))
