"""Every movement of a merchant's deals: their ledgers, and the fundings that made the deals.

A funding is three movements: the `disbursement` to the merchant, the `settlement` of the deal that
it renews, and the `charge`. Together they are the repayment amount.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from attrs import evolve

from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.deal import RENEWAL, RENEWED, UNWOUND, Deal
from holdback.merchant.ledger import SETTLEMENT, Entry
from holdback.merchant.statement import CHARGE, DISBURSEMENT, StatementLine

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
        """The day on which the renewal was unwound, None if it was not."""
        return self.renewal.closed_on if self.renewal.status == UNWOUND else None


def movements(deals: Sequence[Deal]) -> Mapping[str, Movements]:
    """Return the movements of all *deals* of a merchant, which are oldest first, by deal id."""
    settlements = tuple(_settlements(deals))
    return {deal.id: _movements(deal, settlements) for deal in deals}


def _settlements(deals: Sequence[Deal]) -> Iterator[_Settlement]:
    """Yield what renewals settled; one that settled nothing had a base deal that was repaid."""
    linked: set[str] = set()
    for place, deal in enumerate(deals):
        if deal.base_deal_id is None and deal.type != RENEWAL:
            continue
        base = _base(deal, deals[:place], linked)
        if base is None:
            continue
        if deal.status == UNWOUND:  # the base deal is active again, and holds nothing of it
            amount = deal.credits.get(SETTLEMENT, Money(0, deal.repayment_amount.currency))
        else:
            amount = base.settled
            linked.add(base.id)
        if amount.minor:
            yield _Settlement(base, deal, amount)


def _base(deal: Deal, before: Iterable[Deal], linked: set[str]) -> Deal | None:
    """Return the deal that the renewal *deal* settled, None if it settled none."""
    bases = [base for base in before if base.id not in linked]
    if deal.base_deal_id is not None:
        return next((base for base in bases if base.id == deal.base_deal_id), None)
    # From before deals named it: the deal that was renewed on the day of the funding.
    ended = [base for base in bases if base.status == RENEWED]
    return next((base for base in ended if base.closed_on == deal.funded_on), None)


def _movements(deal: Deal, settlements: Sequence[_Settlement]) -> Movements:
    entries = {entry.id: entry for entry in deal.entries}
    counted: list[StatementLine] = []
    unsettled: list[StatementLine] = []
    for entry in deal.ledger:
        target = entry if entry.reverses is None else entries.get(entry.reverses)
        # What takes back an entry that never settled took no money back.
        counts = entry.settled and target is not None and target.settled
        (counted if counts else unsettled).append(_line(entry, deal, settlements))
    counted += _of_undone_settlements(deal, settlements)
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
    """Yield the settlement of *deal* by each renewal that was unwound, and its undoing."""
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


def _negative(money: Money) -> Money:
    return Money(-money.minor, money.currency)
