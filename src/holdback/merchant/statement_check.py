"""Whether a statement balances: its lines against themselves, against each other and the deals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from holdback.exact.money import Currency, Money
from holdback.merchant.deal import Deal
from holdback.merchant.ledger import SETTLEMENT, TRANSFER
from holdback.merchant.merchant import Merchant
from holdback.merchant.movements import Movements
from holdback.merchant.statement import DealStatement, KindTotal, StatementLine


def statement_differences(
    merchant: Merchant,
    parts: Sequence[DealStatement],
    movements: Mapping[str, Movements],
    until: date | None,
) -> Iterator[str]:
    """
    Yield a sentence for each difference in *parts*, the statements of the deals of *merchant*.

    INVARIANT: the figures are compared with those of `Deal`, which are worked out in another way.
    """
    if len({deal.currency for deal in merchant.deals}) > 1:
        yield "the deals are in more than one currency, which do not add up"
    listed = {part.deal_id: part for part in parts}
    for deal in merchant.deals:
        if deal.id in listed:
            yield from _arithmetic(listed[deal.id], deal.repayment_amount.currency)
            yield from _deal(deal, listed[deal.id], movements[deal.id], until)
    for part in parts:
        for line in part.lines:
            yield from _counterpart(part, line, listed)


def _arithmetic(part: DealStatement, currency: Currency) -> Iterator[str]:
    """Yield where a balance is not the one before it less the amount, or the totals are others."""
    if part.closing is None:
        return
    left = (0 if part.opening is None else part.opening.minor) - _sum(part.carried_forward)
    for line in part.lines:
        left -= line.amount.minor
        if line.balance is None or line.balance.minor != left:
            expected = Money(left, currency)
            yield f"deal {part.deal_id}: after {line.kind} {line.id}, expected {expected}"
    if left != part.closing.minor:
        lines = Money(left, currency)
        yield f"deal {part.deal_id}: the lines lead to {lines}, not to {part.closing}"
    if part.opening is not None and part.totals is not None:
        by_totals = Money(part.opening.minor - _sum(part.totals), currency)
        if by_totals != part.closing:
            yield f"deal {part.deal_id}: the totals lead to {by_totals}, not to {part.closing}"


def _deal(deal: Deal, part: DealStatement, lines: Movements, until: date | None) -> Iterator[str]:
    """Yield where the closing balance and the later movements do not lead to what *deal* says."""
    if part.closing is None:
        return
    later = [line for line in lines.counted if until is not None and line.on > until]
    left = Money(
        part.closing.minor - sum(line.amount.minor for line in later),
        deal.repayment_amount.currency,
    )
    owed = deal.balance.minor + deal.shortfall.minor - deal.overpaid.minor
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
