"""The statement of a merchant: every movement of its deals in a period, and what is owed.

All amounts have the sign of the ledger: one above zero lowers what is owed, one below zero raises
it. So the balance after a line is the balance before it less the amount. A balance below zero is
money of the merchant, to be refunded.

INVARIANT: opening balance - amounts of the lines = closing balance, of each deal and in all
(decisions/statements). `statement_differences` checks it against the figures of the deals.
"""

from __future__ import annotations

from datetime import date
from typing import Final

from holdback.frozen_classes import frozen
from holdback.merchant.ledger import KINDS, PRINCIPAL_RETURN, SETTLEMENT, SignedMoney

# The kinds of a funding, of which a ledger does not have entries: what the merchant received, and
# what the deal costs. What the funding of a renewal paid of its base deal is a `settlement`.
DISBURSEMENT: Final = "disbursement"
CHARGE: Final = "charge"
# What was remitted up to the day of which the entries are no longer held: their sum alone is kept.
REMITTED: Final = "remitted"
# All kinds, in the order of totals.
STATEMENT_KINDS: Final = (
    DISBURSEMENT,
    SETTLEMENT,
    CHARGE,
    REMITTED,
    *(kind for kind in KINDS if kind != SETTLEMENT),
)
# The kinds that are money from the merchant, or back to it.
RECEIVED: Final = frozenset(
    {REMITTED, PRINCIPAL_RETURN, *(kind for kind, does in KINDS.items() if does.remitted)}
)


@frozen(kw_only=True)
class StatementLine:
    """
    One movement: its day, kind, id and amount, and the `balance` of the deal after it.

    The id is that of the ledger's entry; a movement of a funding has its kind as id. An entry that
    does not count has no balance. `counterpart` is the other deal of a transfer or a settlement,
    `reverses` the id of the entry that a reversal takes back.
    """

    on: date
    kind: str
    id: str
    amount: SignedMoney
    balance: SignedMoney | None = None
    counterpart: str | None = None
    reverses: str | None = None


@frozen(kw_only=True)
class KindTotal:
    """The sum of the movements of one kind; it is not zero."""

    kind: str
    amount: SignedMoney


@frozen(kw_only=True)
class DealStatement:
    """
    The part of a statement that is about one deal; its `status` is the one that it has now.

    `opening` is what was owed before the period, `closing` what is owed after it. The `unsettled`
    entries of the period are not counted.

    Where entries of the period are no longer held, `closed_through` is the last day of which they
    are not, and the lines begin after it. `carried_forward` are then the totals from the funding up
    to that day. What is not known without those entries is None: `opening` where the period
    begins between the funding and that day, `closing` where it ends before that day, and `totals`
    in both.
    """

    deal_id: str
    type: str
    status: str
    funded_on: date
    opening: SignedMoney | None
    closed_through: date | None = None
    carried_forward: tuple[KindTotal, ...] = ()
    lines: tuple[StatementLine, ...] = ()
    unsettled: tuple[StatementLine, ...] = ()
    totals: tuple[KindTotal, ...] | None
    closing: SignedMoney | None


@frozen(kw_only=True)
class Statement:
    """
    Every movement of a merchant's deals from the day `since` to the day `until`, both included.

    Without `since` it begins with the first deal, without `until` it ends with the last movement. A
    deal that neither owed anything nor moved is left out.

    In all deals: `opening` and `closing` are what was owed before the period and is owed after it;
    `paid_out` is what the merchant received by fundings, and `received` what it paid, less what it
    got back. A figure is None if it is None of a deal, or the merchant has no currency yet.

    `differences` says in sentences what does not balance; it `balances` if there are none.
    """

    merchant_id: str
    since: date | None
    until: date | None
    currency: str | None
    balances: bool
    differences: tuple[str, ...]
    opening: SignedMoney | None
    paid_out: SignedMoney | None
    received: SignedMoney | None
    totals: tuple[KindTotal, ...] | None
    closing: SignedMoney | None
    deals: tuple[DealStatement, ...]
