"""The statement of a merchant, from the movements of its deals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from attrs import asdict, evolve, field

from holdback.exact.money import Currency, Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.input_checks import statement_errors
from holdback.lifecycle.operation import Case, Decision, Question
from holdback.merchant.deal import Deal
from holdback.merchant.ledger import KINDS, EntryTotals
from holdback.merchant.merchant import Merchant
from holdback.merchant.statement import (
    PAID_OUT,
    RECEIVED,
    REMITTED,
    STATEMENT_KINDS,
    DealStatement,
    HeldCash,
    KindTotal,
    Movements,
    Statement,
    StatementLine,
    StatementPart,
    SuspenseStatement,
    movements,
    statement_differences,
    suspense_lines,
)
from holdback.merchant.suspense import SUSPENSE
from holdback.merchant.validators import day, optional, optional_day


@frozen(kw_only=True)
class AskStatement(Question[Statement]):
    """
    Ask for every movement of the merchant's deals from the day `since` to the day `until`.

    Raises:
        InvalidDocument: the period ends before it begins.
    """

    name = "statement"
    input_errors = staticmethod(statement_errors)

    since: date | None = field(default=None, converter=optional_day, validator=optional(day))
    until: date | None = field(default=None, converter=optional_day, validator=optional(day))

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
    suspense = _suspense(merchant, since, until)
    differences = tuple(statement_differences(merchant, parts, lines, until, suspense))
    currency = _currency(merchant)
    accounts = (*parts, *(() if suspense is None else (suspense,)))
    totals = None if currency is None else _in_all(accounts)
    return Statement(
        merchant_id=merchant.merchant_id,
        since=since,
        until=until,
        currency=None if currency is None else currency.code,
        balances=not differences,
        differences=differences,
        opening=_sum((part.opening for part in accounts), currency),
        paid_out=_cash(totals, PAID_OUT, -1, currency),
        received=_cash(totals, RECEIVED, 1, currency),
        totals=totals,
        closing=_sum((part.closing for part in accounts), currency),
        deals=tuple(parts),
        suspense=suspense,
    )


@frozen
class _Account:
    """The part of a statement that deals and suspense have alike."""

    opening: Money | None
    closed_through: date | None
    carried_forward: tuple[KindTotal, ...]
    lines: tuple[StatementLine, ...]
    totals: tuple[KindTotal, ...] | None
    closing: Money | None

    @classmethod
    def of(
        cls,
        moved: Iterable[StatementLine],
        closed: tuple[date, tuple[KindTotal, ...]] | None,
        period: tuple[date | None, date | None],
        currency: Currency,
        *,
        from_start: bool,
    ) -> _Account:
        """
        Return what *moved* in a *period*; *from_start* if nothing moved before it.

        *closed* is the day up to which entries are no longer held, with their totals.
        """
        since, until = period
        through = None
        if closed is not None and (since is None or since <= closed[0]):
            through = closed[0]
        # Every figure is of the end of a day: from the first to the day `through` there is none.
        has_closing = through is None or until is None or through <= until
        has_opening = through is None or from_start
        counted = tuple(moved)
        earlier = [line for line in counted if _is_earlier(line, since, through)]
        before = _before(earlier, () if closed is None else closed[1])
        start = -_minor(before)
        lines: tuple[StatementLine, ...] = ()
        if has_closing:
            within = (
                line
                for line in counted
                if not _is_earlier(line, since, through) and (until is None or line.on <= until)
            )
            lines = tuple(_with_balances(within, start))
        carried = before if through is not None and has_closing else ()
        return cls(
            opening=Money(0 if from_start else start, currency) if has_opening else None,
            closed_through=through,
            carried_forward=carried,
            lines=lines,
            totals=_added((*carried, *_by_kind(lines))) if has_opening and has_closing else None,
            closing=Money(start - _minor(lines), currency) if has_closing else None,
        )


def _part(deal: Deal, moved: Movements, since: date | None, until: date | None) -> DealStatement:
    """Return the statement of *deal* with what *moved* from *since* to *until*."""
    closed = deal.closed_entries
    totals = None if closed is None else (closed.through, _closed_totals(closed))
    from_funding = since is None or since <= deal.funded_on
    currency = deal.repayment_amount.currency
    account = _Account.of(moved.counted, totals, (since, until), currency, from_start=from_funding)
    return DealStatement(
        deal_id=deal.id,
        type=deal.type,
        status=deal.status,
        funded_on=deal.funded_on,
        unsettled=tuple(
            line
            for line in moved.unsettled
            if (since is None or since <= line.on) and (until is None or line.on <= until)
        ),
        planned=deal.planned,
        **asdict(account, recurse=False),
    )


def _suspense(
    merchant: Merchant, since: date | None, until: date | None
) -> SuspenseStatement | None:
    """Return the part about the suspense account of *merchant*, None if it never had any cash."""
    suspense, currency = merchant.suspense, merchant.suspense.currency
    if currency is None:
        return None
    closed = suspense.closed
    totals = None
    if closed is not None:
        totals = closed.through, tuple(_suspense_total(*item) for item in closed.sums.items())
    lines = suspense_lines(merchant)
    account = _Account.of(lines, totals, (since, until), currency, from_start=since is None)
    days = {entry.id: entry.on for entry in suspense.entries}
    return SuspenseStatement(
        held=tuple(
            HeldCash(suspense_id=id_, on=days[id_], left=left)
            for id_, left in suspense.held.items()
        ),
        **asdict(account, recurse=False),
    )


def _suspense_total(kind: str, money: Money) -> KindTotal:
    """Return the total of one *kind*: above zero for cash that came in, below for what left."""
    return KindTotal(
        kind=kind, amount=money if kind == SUSPENSE else Money(0, money.currency) - money
    )


def _is_earlier(line: StatementLine, since: date | None, through: date | None) -> bool:
    """Return whether *line* comes before the lines of a statement."""
    if through is not None:
        return line.on <= through
    return since is not None and line.on < since


def _before(
    earlier: Sequence[StatementLine], closed: tuple[KindTotal, ...]
) -> tuple[KindTotal, ...]:
    """Return the totals of the *earlier* lines, and of the entries no longer held."""
    totals = _by_kind(earlier)
    if not closed:
        return _added(totals)
    folded = [
        evolve(total, kind=REMITTED)
        if total.kind in KINDS and KINDS[total.kind].remitted
        else total
        for total in totals
    ]
    return _added((*folded, *closed))


def _closed_totals(closed: EntryTotals) -> tuple[KindTotal, ...]:
    """Return the totals of the entries of a deal that are no longer held."""
    credits_ = (KindTotal(kind=kind, amount=money) for kind, money in closed.credits.items())
    return (KindTotal(kind=REMITTED, amount=closed.remitted), *credits_)


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
    if not codes and merchant.suspense.currency is not None:  # cash may come before any offer
        return merchant.suspense.currency
    return Currency.of(codes.pop()) if len(codes) == 1 else None


def _in_all(parts: Sequence[StatementPart]) -> tuple[KindTotal, ...] | None:
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
