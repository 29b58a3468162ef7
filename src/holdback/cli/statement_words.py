"""What a statement says in words, in a terminal and on a page alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdback.exact.exact_numbers import digits
from holdback.exact.money import Money
from holdback.merchant.statement import DealStatement, Statement, StatementLine

SIGNS: Final = (
    "An amount above zero lowers what is owed, and one below zero raises it. "
    "A balance below zero is to be refunded."
)


def closed_sentence(part: DealStatement) -> str:
    """Return which entries of a deal are no longer held, and what that means."""
    sentence = f"The entries up to {part.closed_through} are no longer held; the journal has them."
    if part.closing is None:
        return f"{sentence} Without them it is not known what was owed."
    return f"{sentence} Totals since the funding:"


def title(statement: Statement) -> str:
    """Return whose statement it is, of which period and in which currency."""
    period = [
        f"{word} {day}"
        for word, day in (("from", statement.since), ("until", statement.until))
        if day is not None
    ]
    currency = [] if statement.currency is None else [f"in {statement.currency}"]
    return " ".join([f"Statement of {statement.merchant_id}", *period, *currency])


def summary_lines(statement: Statement) -> Iterator[str]:
    """Yield what the merchant received and paid, and what a figure that is unknown needs."""
    if statement.paid_out is not None and statement.received is not None:
        yield f"Paid out to the merchant: {statement.paid_out}. Received: {statement.received}."
        return
    days = [part.closed_through for part in statement.deals if part.totals is None]
    last = max((day for day in days if day is not None), default=None)
    if last is not None:
        yield f"The totals of this period are unknown. A statement from after {last} has them."


def carried_forward(part: DealStatement) -> Money | None:
    """Return what was owed of a deal after the day of which entries are no longer held."""
    amounts = [total.amount for total in part.carried_forward]
    return Money(-sum(money.minor for money in amounts), amounts[0].currency) if amounts else None


def balances_text(statement: Statement) -> str:
    """Return that *statement* balances, as far as its figures are known."""
    is_known = all(part.totals is not None for part in statement.deals)
    return "It balances." if is_known else "What is shown balances."


def amount_text(amount: Money | None) -> str:
    """Return *amount* in major units, without its currency."""
    return "unknown" if amount is None else digits(amount.minor, amount.currency.places)


def kind_text(kind: str) -> str:
    """Return *kind* in words: `principal return`."""
    return kind.replace("_", " ")


def reference_text(line: StatementLine) -> str:
    """Return the id of the entry, with the other deal or entry that it is about."""
    if line.reverses is not None:
        return f"{line.id} of {line.reverses}"
    if line.counterpart is not None:
        other_deal = f"deal {line.counterpart}"
        return other_deal if line.id == line.kind else f"{line.id}, {other_deal}"
    return "" if line.id == line.kind else line.id
