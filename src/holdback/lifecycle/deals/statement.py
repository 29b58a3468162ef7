"""The statement of a merchant, from the movements of its deals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from attrs import converters, evolve, field

from holdback.exact.money import Currency, Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.input_checks import statement_errors
from holdback.lifecycle.operation import Case, Decision, Question
from holdback.merchant.deal import Deal
from holdback.merchant.ledger import KINDS
from holdback.merchant.merchant import Merchant
from holdback.merchant.statement import (
    PAID_OUT,
    RECEIVED,
    REMITTED,
    STATEMENT_KINDS,
    DealStatement,
    KindTotal,
    Movements,
    Statement,
    StatementLine,
    movements,
    statement_differences,
)
from holdback.merchant.validators import day, optional, plain_day


@frozen(kw_only=True)
class AskStatement(Question[Statement]):
    """
    Ask for every movement of the merchant's deals from the day `since` to the day `until`.

    Raises:
        InvalidDocument: the period ends before it begins.
    """

    name = "statement"
    input_errors = staticmethod(statement_errors)

    since: date | None = field(
        default=None, converter=converters.optional(plain_day), validator=optional(day)
    )
    until: date | None = field(
        default=None, converter=converters.optional(plain_day), validator=optional(day)
    )

    def decide(self, case: Case) -> Decision[Statement]:
        self.check(case.input_context)
        statement = statement_of(case.merchant, self.since, self.until)
        return Decision((), lambda _: statement)


def statement_of(
    merchant: Merchant, since: date | None = None, until: date | None = None
) -> Statement:
    """
    Return the statement of *merchant* from the day *since* to the day *until*, both included.

    >>> merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")
    >>> statement_of(merchant).balances
    True
    """
    lines = movements(merchant.deals)
    parts = [
        _part(deal, lines[deal.id], since, until)
        for deal in merchant.deals
        if until is None or deal.funded_on <= until
    ]
    parts = [part for part in parts if _says_something(part)]
    differences = tuple(statement_differences(merchant, parts, lines, until))
    currency = _currency(merchant)
    totals = None if currency is None else _in_all(parts)
    return Statement(
        merchant_id=merchant.merchant_id,
        since=since,
        until=until,
        currency=None if currency is None else currency.code,
        balances=not differences,
        differences=differences,
        opening=_sum((part.opening for part in parts), currency),
        paid_out=_cash(totals, PAID_OUT, -1, currency),
        received=_cash(totals, RECEIVED, 1, currency),
        totals=totals,
        closing=_sum((part.closing for part in parts), currency),
        deals=tuple(parts),
    )


def _part(deal: Deal, moved: Movements, since: date | None, until: date | None) -> DealStatement:
    """Return the statement of *deal* with what *moved* from *since* to *until*."""
    closed, currency = deal.closed_entries, deal.repayment_amount.currency
    through = None
    if closed is not None and (since is None or since <= closed.through):
        through = closed.through
    from_funding = since is None or since <= deal.funded_on
    # Every figure is of the end of a day: between the funding and the day `through` there is none.
    has_closing = through is None or until is None or through <= until
    has_opening = through is None or from_funding
    before = _before(deal, [line for line in moved.counted if _is_earlier(line, since, through)])
    start = -_minor(before)
    lines: tuple[StatementLine, ...] = ()
    if has_closing:
        within = (
            line
            for line in moved.counted
            if not _is_earlier(line, since, through) and (until is None or line.on <= until)
        )
        lines = tuple(_with_balances(within, start))
    carried = before if through is not None and has_closing else ()
    return DealStatement(
        deal_id=deal.id,
        type=deal.type,
        status=deal.status,
        funded_on=deal.funded_on,
        opening=Money(0 if from_funding else start, currency) if has_opening else None,
        closed_through=through,
        carried_forward=carried,
        lines=lines,
        unsettled=tuple(
            line
            for line in moved.unsettled
            if (since is None or since <= line.on) and (until is None or line.on <= until)
        ),
        totals=_added((*carried, *_by_kind(lines))) if has_opening and has_closing else None,
        closing=Money(start - _minor(lines), currency) if has_closing else None,
    )


def _is_earlier(line: StatementLine, since: date | None, through: date | None) -> bool:
    """Return whether *line* comes before the lines of a statement."""
    if through is not None:
        return line.on <= through
    return since is not None and line.on < since


def _before(deal: Deal, earlier: Sequence[StatementLine]) -> tuple[KindTotal, ...]:
    """Return the totals of the *earlier* lines of *deal*, and of the entries no longer held."""
    totals = _by_kind(earlier)
    closed = deal.closed_entries
    if closed is None:
        return _added(totals)
    folded = [
        evolve(total, kind=REMITTED)
        if total.kind in KINDS and KINDS[total.kind].remitted
        else total
        for total in totals
    ]
    credits_ = [KindTotal(kind=kind, amount=money) for kind, money in closed.credits.items()]
    return _added((*folded, KindTotal(kind=REMITTED, amount=closed.remitted), *credits_))


def _with_balances(lines: Iterable[StatementLine], start: int) -> Iterator[StatementLine]:
    """Yield *lines* with the balance after each, from the balance *start* before the first."""
    left = start
    for line in lines:
        left -= line.amount.minor
        yield evolve(line, balance=Money(left, line.amount.currency))


def _by_kind(lines: Iterable[StatementLine]) -> tuple[KindTotal, ...]:
    return tuple(KindTotal(kind=line.kind, amount=line.amount) for line in lines)


def _added(totals: Iterable[KindTotal]) -> tuple[KindTotal, ...]:
    """Return one total for each kind, in the order of the kinds, without those that are zero."""
    sums: dict[str, Money] = {}
    for total in totals:
        before = sums.get(total.kind)
        sums[total.kind] = total.amount if before is None else before + total.amount
    return tuple(
        KindTotal(kind=kind, amount=sums[kind])
        for kind in STATEMENT_KINDS
        if kind in sums and sums[kind].minor
    )


def _minor(amounts: Iterable[KindTotal | StatementLine]) -> int:
    return sum(item.amount.minor for item in amounts)


def _says_something(part: DealStatement) -> bool:
    owes = any(money is None or money.minor for money in (part.opening, part.closing))
    return owes or bool(part.lines or part.unsettled or part.carried_forward)


def _currency(merchant: Merchant) -> Currency | None:
    """Return the currency of all deals; None if there are several, or the merchant is new."""
    codes = {deal.currency for deal in merchant.deals}
    if not codes and merchant.currency is not None:
        codes = {merchant.currency}
    return Currency.of(codes.pop()) if len(codes) == 1 else None


def _in_all(parts: Sequence[DealStatement]) -> tuple[KindTotal, ...] | None:
    totals: list[KindTotal] = []
    for part in parts:
        if part.totals is None:
            return None
        totals += part.totals
    return _added(totals)


def _sum(amounts: Iterable[Money | None], currency: Currency | None) -> Money | None:
    """Return the sum of *amounts*, None if one of them or the currency is unknown."""
    total = 0
    for amount in amounts:
        if amount is None:
            return None
        total += amount.minor
    return None if currency is None else Money(total, currency)


def _cash(
    totals: Sequence[KindTotal] | None,
    kinds: Iterable[str],
    sign: int,
    currency: Currency | None,
) -> Money | None:
    """Return the sum of *totals* of some *kinds*, times *sign*."""
    if totals is None or currency is None:
        return None
    amounts = [total.amount.minor for total in totals if total.kind in kinds]
    return Money(sign * sum(amounts), currency)
