"""The statement of a merchant: every movement of its deals in a period, and what is owed.

All amounts have the sign of the ledger: one above zero lowers what is owed, one below zero raises
it. So the balance after a line is the balance before it less the amount. A balance below zero is
money of the merchant, to be refunded.

INVARIANT: opening balance - amounts of the lines = closing balance, of each deal and in all
(decisions/deals). `statement_differences` checks it against the figures of the deals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final, TypeAlias

from attrs import evolve

from holdback.exact.money import Currency, Money
from holdback.frozen_classes import frozen
from holdback.merchant.deal import UNWOUND, Deal
from holdback.merchant.ledger import (
    KINDS,
    PAYOUT_RETURN,
    PRINCIPAL_RETURN,
    SETTLEMENT,
    TRANSFER,
    Entry,
    SignedMoney,
)
from holdback.merchant.merchant import Merchant
from holdback.merchant.plan import PlannedInstalment
from holdback.merchant.suspense import SUSPENSE_APPLIED, SUSPENSE_KINDS

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
    *SUSPENSE_KINDS,
)
# The kinds that are money to the merchant: what was paid out, less what of it came back.
PAID_OUT: Final = frozenset({DISBURSEMENT, PAYOUT_RETURN})
# The kinds that are money from the merchant, or back to it.
RECEIVED: Final = frozenset(
    {
        REMITTED,
        PRINCIPAL_RETURN,
        *(kind for kind, does in KINDS.items() if does.remitted),
        *SUSPENSE_KINDS,
    }
)


@frozen(kw_only=True)
class StatementLine:
    """
    One movement: its day, kind, id and amount, and the `balance` of its account after it.

    The id is that of the ledger's entry; a movement of a funding has its kind as id. An entry that
    does not count has no balance. `counterpart` is the other deal of a transfer or a settlement, or
    the deal to which cash in suspense was applied. `reverses` is the id of the entry that a
    reversal takes back, or of the cash that leaves suspense.
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
    The part of a statement that is about one deal, with its `status` and its plan of now.

    `opening` is what was owed before the period, `closing` what is owed after it. The `unsettled`
    entries of the period are not counted, and neither are the `planned` instalments.

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
    planned: tuple[PlannedInstalment, ...] = ()
    totals: tuple[KindTotal, ...] | None
    closing: SignedMoney | None


@frozen(kw_only=True)
class HeldCash:
    """Cash that is in suspense now: its id and day, and what is left of it."""

    suspense_id: str
    on: date
    left: Money


@frozen(kw_only=True)
class SuspenseStatement:
    """
    The part of a statement that is about the suspense account; `held` is what is in it now.

    Cash that is held is a balance below zero: it is not the lender's. The other fields are as in
    `DealStatement`.
    """

    opening: SignedMoney | None
    closed_through: date | None = None
    carried_forward: tuple[KindTotal, ...] = ()
    lines: tuple[StatementLine, ...] = ()
    totals: tuple[KindTotal, ...] | None
    closing: SignedMoney | None
    held: tuple[HeldCash, ...] = ()


# A part of a statement, with the movements of one account.
StatementPart: TypeAlias = DealStatement | SuspenseStatement


@frozen(kw_only=True)
class Statement:
    """
    Every movement of a merchant's deals from the day `since` to the day `until`, both included.

    Without `since` it begins with the first deal, without `until` it ends with the last movement. A
    deal that neither owed anything nor moved is left out.

    In all: `opening` and `closing` are what was owed before the period and is owed after it, less
    the cash in suspense; `paid_out` is what the merchant received by fundings, less the payouts
    that came back, and `received` what it paid, less what it got back. A figure is None if it is
    None of a deal or of `suspense`, or the merchant has no currency yet. `suspense` is None where
    no cash ever was in suspense.

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
    suspense: SuspenseStatement | None = None

    @property
    def parts(self) -> tuple[StatementPart, ...]:
        """The parts about each deal and, where there is one, about suspense."""
        return (*self.deals, *(() if self.suspense is None else (self.suspense,)))


# -- Every movement of a merchant's deals: their ledgers, and the fundings that made the deals.
#
# A funding is three movements: the `disbursement` to the merchant, the `settlement` of the deal
# that it renews, and the `charge`. Together they are the repayment amount.

# What a funding is made of, in order.
_FUNDING: Final = (DISBURSEMENT, SETTLEMENT, CHARGE)


@frozen
class Movements:
    """The movements of one deal in order: those that count, and the entries that do not."""

    counted: tuple[StatementLine, ...]
    unsettled: tuple[StatementLine, ...]


@frozen
class _Settlement:
    """What the funding of a renewal paid of its base deal, and when that was undone, if it was."""

    base: Deal
    renewal: Deal
    amount: Money

    @property
    def undone_on(self) -> date | None:
        """The day on which the renewal was undone, None if it was not."""
        return self.renewal.closed_on if self.renewal.status == UNWOUND else None


def movements(deals: Sequence[Deal]) -> Mapping[str, Movements]:
    """Return the movements of all *deals* of a merchant, which are oldest first, by deal id."""
    settlements = tuple(_settlements(deals))
    return {deal.id: _movements(deal, settlements) for deal in deals}


def _settlements(deals: Sequence[Deal]) -> Iterator[_Settlement]:
    """Yield what renewals settled; one that settled nothing had a base deal that was repaid."""
    linked: set[str] = set()
    for place, deal in enumerate(deals):
        earlier = (base for base in deals[:place] if base.id not in linked)
        base = next((base for base in earlier if base.id == deal.base_deal_id), None)
        if base is None:
            continue
        if deal.status == UNWOUND:  # the base deal is active again, and holds nothing of it
            amount = deal.credits.get(SETTLEMENT, Money(0, deal.repayment_amount.currency))
        else:
            amount = base.settled
            linked.add(base.id)
        if amount.minor:
            yield _Settlement(base, deal, amount)


def _movements(deal: Deal, settlements: Sequence[_Settlement]) -> Movements:
    entries = {entry.id: entry for entry in deal.entries}
    # What was undone comes first: the same offer may have been funded again on that day.
    counted = [*_of_undone_settlements(deal, settlements)]
    unsettled: list[StatementLine] = []
    for entry in deal.ledger:
        target = entry if entry.reverses is None else entries.get(entry.reverses)
        # What takes back an entry that never settled took no money back.
        counts = entry.settled and target is not None and target.settled
        (counted if counts else unsettled).append(_line(entry, deal, settlements))
    counted.sort(key=lambda line: (line.on, line.id))
    return Movements((*_funding(deal, settlements), *counted), tuple(unsettled))


def _line(entry: Entry, deal: Deal, settlements: Sequence[_Settlement]) -> StatementLine:
    """Return the line of *entry*; the ledger's settlement by a renewal gets the renewal's id."""
    line = StatementLine(
        on=entry.on,
        kind=entry.kind,
        id=entry.id,
        amount=Money(entry.signed, entry.amount.currency),
        counterpart=entry.counterpart,
        reverses=entry.reverses,
    )
    if entry.kind == SETTLEMENT and entry.counterpart is None:
        renewals = (
            settlement.renewal.id
            for settlement in settlements
            if settlement.base.id == deal.id and settlement.undone_on is None
        )
        return evolve(line, counterpart=next(renewals, None))
    return line


def _of_undone_settlements(
    deal: Deal, settlements: Sequence[_Settlement]
) -> Iterator[StatementLine]:
    """Yield the settlement of *deal* by each renewal that was undone, and its undoing."""
    for settlement in settlements:
        undone_on = settlement.undone_on
        if settlement.base.id == deal.id and undone_on is not None:
            line = StatementLine(
                on=settlement.renewal.funded_on,
                kind=SETTLEMENT,
                id=SETTLEMENT,
                amount=settlement.amount,
                counterpart=settlement.renewal.id,
            )
            yield line
            yield evolve(line, on=undone_on, amount=_negative(settlement.amount))


def _funding(deal: Deal, settlements: Sequence[_Settlement]) -> Iterator[StatementLine]:
    """Yield the movements of the funding of *deal*, of which none is zero."""
    currency = deal.repayment_amount.currency
    own = next((part for part in settlements if part.renewal.id == deal.id), None)
    settled = 0 if own is None else own.amount.minor
    amounts = {
        DISBURSEMENT: deal.funded_amount.minor - settled,
        SETTLEMENT: settled,
        CHARGE: deal.repayment_amount.minor - deal.funded_amount.minor,
    }
    for kind in _FUNDING:
        if amounts[kind]:
            yield StatementLine(
                on=deal.funded_on,
                kind=kind,
                id=kind,
                amount=Money(-amounts[kind], currency),
                counterpart=own.base.id if own is not None and kind == SETTLEMENT else None,
            )


def suspense_lines(merchant: Merchant) -> tuple[StatementLine, ...]:
    """Return the movements of the suspense account of *merchant* that are held, in order."""
    return tuple(
        StatementLine(
            on=entry.on,
            kind=entry.kind,
            id=entry.id,
            amount=Money(entry.signed, entry.amount.currency),
            counterpart=entry.deal_id,
            reverses=entry.receipt,
        )
        for entry in merchant.suspense.entries
    )


def _negative(money: Money) -> Money:
    return Money(-money.minor, money.currency)


# -- Whether a statement balances: its lines against themselves, against each other and the deals.


def statement_differences(
    merchant: Merchant,
    parts: Sequence[DealStatement],
    movements: Mapping[str, Movements],
    until: date | None,
    suspense: SuspenseStatement | None = None,
) -> Iterator[str]:
    """
    Yield a sentence for each difference in *parts*, the statements of the deals of *merchant*.

    The part about its *suspense* is looked at with them.

    INVARIANT: the figures are compared with those of `Deal`, which are worked out in another way.
    """
    if len({deal.currency for deal in merchant.deals}) > 1:
        yield "the deals are in more than one currency, which do not add up"
    listed = {part.deal_id: part for part in parts}
    for deal in merchant.deals:
        if deal.id in listed:
            part, currency = listed[deal.id], deal.repayment_amount.currency
            yield from _arithmetic(f"deal {deal.id}", part, currency)
            yield from _deal(deal, part, movements[deal.id], until)
    for part in parts:
        for line in part.lines:
            yield from _counterpart(part, line, listed)
    if suspense is not None:
        yield from _suspense(merchant, suspense, listed, until)


def _suspense(
    merchant: Merchant,
    part: SuspenseStatement,
    listed: Mapping[str, DealStatement],
    until: date | None,
) -> Iterator[str]:
    """Yield where the part about suspense does not lead to what is held, or to the deals."""
    if part.closing is None:
        return
    yield from _arithmetic("suspense", part, part.closing.currency)
    entries = merchant.suspense.entries
    later = sum(entry.signed for entry in entries if until is not None and entry.on > until)
    held = sum(cash.left.minor for cash in part.held)
    if later - part.closing.minor != held:
        says = Money(held, part.closing.currency)
        yield f"suspense: its movements do not leave {says}, which is held"
    for line in part.lines:
        if line.kind == SUSPENSE_APPLIED and not _is_applied(line, listed):
            yield f"suspense: {line.id} of {line.on} is not on deal {line.counterpart}"


def _is_applied(line: StatementLine, listed: Mapping[str, DealStatement]) -> bool:
    """Return whether the deal has the payment of *line*, or is closed for its day."""
    deal = listed.get(line.counterpart or "")
    if deal is None:
        return False
    is_closed = deal.closed_through is not None and line.on <= deal.closed_through
    payment = (line.id, line.on, -line.amount.minor)
    return is_closed or payment in {(half.id, half.on, half.amount.minor) for half in deal.lines}


def _arithmetic(account: str, part: StatementPart, currency: Currency) -> Iterator[str]:
    """Yield where a balance is not the one before it less the amount, or the totals are others."""
    if part.closing is None:
        return
    left = (0 if part.opening is None else part.opening.minor) - _sum(part.carried_forward)
    for line in part.lines:
        left -= line.amount.minor
        if line.balance is None or line.balance.minor != left:
            expected = Money(left, currency)
            yield f"{account}: after {line.kind} {line.id}, expected {expected}"
    if left != part.closing.minor:
        lines = Money(left, currency)
        yield f"{account}: the lines lead to {lines}, not to {part.closing}"
    if part.opening is not None and part.totals is not None:
        by_totals = Money(part.opening.minor - _sum(part.totals), currency)
        if by_totals != part.closing:
            yield f"{account}: the totals lead to {by_totals}, not to {part.closing}"


def _deal(deal: Deal, part: DealStatement, lines: Movements, until: date | None) -> Iterator[str]:
    """Yield where the closing balance and the later movements do not lead to what *deal* says."""
    if part.closing is None:
        return
    later = [line for line in lines.counted if until is not None and line.on > until]
    left = Money(
        part.closing.minor - sum(line.amount.minor for line in later),
        deal.repayment_amount.currency,
    )
    owed = deal.balance.minor + deal.shortfall.minor + deal.fees_owed.minor - deal.overpaid.minor
    if left.minor != owed:
        says = Money(owed, deal.repayment_amount.currency)
        yield f"deal {deal.id}: its movements leave {left}, and its figures say {says}"


def _counterpart(
    part: DealStatement, line: StatementLine, listed: Mapping[str, DealStatement]
) -> Iterator[str]:
    """Yield if *line*, a movement between two deals, does not have its other half."""
    if line.kind not in {TRANSFER, SETTLEMENT}:
        return
    where = f"deal {part.deal_id}: {line.kind} {line.id} of {line.on}"
    opposite = None if line.counterpart is None else listed.get(line.counterpart)
    if opposite is None:
        yield f"{where} is to or from a deal that is not in the statement"
        return
    through = opposite.closed_through
    if through is not None and line.on <= through:
        return  # it is among what was carried forward
    halves = [
        half
        for half in opposite.lines
        if (half.on, half.kind, half.counterpart) == (line.on, line.kind, part.deal_id)
        and half.amount.minor == -line.amount.minor
        and (half.id == line.id or line.kind == SETTLEMENT)
    ]
    if not halves:
        yield f"{where} has no other half on deal {opposite.deal_id}"


def _sum(totals: Sequence[KindTotal]) -> int:
    return sum(total.amount.minor for total in totals)
