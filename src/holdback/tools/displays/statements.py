"""A merchant's statement in words and as a page; a terminal shows it in the same words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from holdback.exact.exact_numbers import digits
from holdback.exact.money import Money
from holdback.merchant.plan import PlannedInstalment
from holdback.merchant.statement import (
    DealStatement,
    KindTotal,
    Statement,
    StatementLine,
    StatementPart,
    SuspenseStatement,
)
from holdback.tools.displays.page import page_lines, text

SIGNS: Final = (
    "An amount above zero lowers what is owed, and one below zero raises it. "
    "A balance below zero is to be refunded."
)
_STYLE: Final = """
h1, h2 { overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 2rem 0 .1rem; }
p { color: var(--soft); }
p.state { font-weight: 600; color: var(--good); margin: .75rem 0; }
.bad { border: 2px solid var(--bad); border-radius: 4px; padding: .5rem .75rem; margin: .75rem 0; }
.bad p, .bad li { color: var(--bad); font-weight: 600; }
table { table-layout: fixed; width: 100%; min-width: 40rem; margin-top: .4rem; }
th, td { padding-left: .5rem; padding-right: .5rem; }
th:nth-child(1) { width: 7rem; } th:nth-child(2) { width: 10.5rem; }
th:nth-child(4), th:nth-child(5) { width: 8.5rem; }
.amount { text-align: right; white-space: nowrap; }
.day { white-space: nowrap; }
.entry { overflow-wrap: anywhere; color: var(--soft); }
.sum td { background: var(--band); font-weight: 600; }
.note td { color: var(--note); }
@media print {
  table { min-width: 0; }
  th:nth-child(1) { width: 5.5rem; } th:nth-child(2) { width: 8rem; }
  th:nth-child(4), th:nth-child(5) { width: 6.5rem; }
  .sum td { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""


def statement_page(statement: Statement) -> Iterator[str]:
    """Yield the lines of the page."""
    return page_lines(title(statement), _parts(statement), _STYLE)


def _parts(statement: Statement) -> Iterator[str]:
    yield f"<h1>{text(title(statement))}</h1>"
    yield f"<p>{text(SIGNS)}</p>"
    yield from _verdict(statement)
    for part in statement.deals:
        yield from _deal(part)
    if statement.suspense is not None:
        yield "<h2>Suspense</h2>"
        yield f"<p>{text(held_text(statement.suspense))}</p>"
        yield from _table(account_rows(statement.suspense))
    yield f"<h2>{in_all(statement)}</h2>"
    yield from _table(total_rows(statement))
    for line in summary_lines(statement):
        yield f"<p>{text(line)}</p>"


def _verdict(statement: Statement) -> Iterator[str]:
    if statement.balances:
        yield f'<p class="state">{text(balances_text(statement))}</p>'
        return
    yield '<div class="bad" role="alert"><p>This statement does not balance:</p><ul>'
    yield from (f"<li>{text(difference)}</li>" for difference in statement.differences)
    yield "</ul></div>"


def _deal(part: DealStatement) -> Iterator[str]:
    yield f"<h2>Deal {text(part.deal_id)}</h2>"
    yield f"<p>{text(f'{part.type}, {part.status}, funded {part.funded_on}')}</p>"
    yield from _table(account_rows(part))
    if part.unsettled:
        yield "<p>Not settled, and not counted:</p>"
        yield from _table(map(line_row, part.unsettled))
    if part.planned:
        yield "<p>Planned, and not counted:</p>"
        yield from _table(map(planned_row, part.planned))


def _table(rows: Iterable[StatementRow]) -> Iterator[str]:
    yield '<div class="wide"><table>'
    heads = "<th>Day</th><th>Movement</th><th>Entry</th>"
    amounts = '<th class="amount">Amount</th><th class="amount">Balance</th>'
    yield f"<thead><tr>{heads}{amounts}</tr></thead>"
    yield "<tbody>"
    yield from map(_table_row, rows)
    yield "</tbody>"
    yield "</table></div>"


def _table_row(row: StatementRow) -> str:
    if row.look == NOTE:
        return f'<tr class="note"><td></td><td colspan="4">{text(row.kind)}</td></tr>'
    opening = f'<tr class="{row.look}">' if row.look else "<tr>"
    return (
        f'{opening}<td class="day">{text(row.day)}</td><td>{text(row.kind)}</td>'
        f'<td class="entry">{text(row.reference)}</td><td class="amount">{text(row.amount)}</td>'
        f'<td class="amount">{text(row.balance)}</td></tr>'
    )


# -- The rows of a statement, for every way to show it.

SUM: Final = "sum"
NOTE: Final = "note"


class StatementRow(NamedTuple):
    """A row: a movement, a balance (`SUM`), or a sentence (`NOTE`) in the place of its `kind`."""

    day: str
    kind: str
    reference: str = ""
    amount: str = ""
    balance: str = ""
    look: str = ""


def account_rows(part: StatementPart) -> Iterator[StatementRow]:
    """Yield the rows of one account."""
    yield _sum("opening balance", part.opening)
    if part.closed_through is not None:
        yield StatementRow("", closed_sentence(part), look=NOTE)
        yield from map(_total, part.carried_forward)
        if part.carried_forward:
            balance = amount_text(carried_forward(part))
            yield StatementRow(str(part.closed_through), "carried forward", balance=balance)
    yield from map(line_row, part.lines)
    yield _sum("closing balance", part.closing)


def total_rows(statement: Statement) -> Iterator[StatementRow]:
    """Yield the rows of all deals together."""
    yield _sum("opening balance", statement.opening)
    yield from map(_total, statement.totals or ())
    yield _sum("closing balance", statement.closing)


def line_row(line: StatementLine) -> StatementRow:
    """Return the row of one movement."""
    balance = "" if line.balance is None else amount_text(line.balance)
    amount = amount_text(line.amount)
    return StatementRow(str(line.on), kind_text(line.kind), reference_text(line), amount, balance)


def planned_row(instalment: PlannedInstalment) -> StatementRow:
    """Return the row of an instalment, with what of it is paid."""
    paid = f"{instalment.paid.amount} is paid"
    amount = amount_text(instalment.amount)
    return StatementRow(str(instalment.due_on), "instalment", paid, amount)


def _total(total: KindTotal) -> StatementRow:
    return StatementRow("", kind_text(total.kind), amount=amount_text(total.amount))


def _sum(name: str, balance: Money | None) -> StatementRow:
    return StatementRow("", name, balance=amount_text(balance), look=SUM)


def in_all(statement: Statement) -> str:
    """Return the heading of the totals."""
    return "All deals" if statement.suspense is None else "All deals and suspense"


def held_text(part: SuspenseStatement) -> str:
    """Return what cash is in suspense now."""
    held = (f"{cash.left} of {cash.suspense_id} ({cash.on})" for cash in part.held)
    return f"Held now: {', '.join(held) or 'nothing'}"


def closed_sentence(part: StatementPart) -> str:
    """Return which entries of an account are no longer held, and what that means."""
    sentence = f"The entries up to {part.closed_through} are no longer held; the journal has them."
    if part.closing is None:
        return f"{sentence} Without them it is not known what was owed."
    since = "the funding" if isinstance(part, DealStatement) else "the beginning"
    return f"{sentence} Totals since {since}:"


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
    """
    Yield what the merchant received and paid.

    Where these are unknown, because entries are no longer held, say which statement has them.
    """
    if statement.paid_out is not None and statement.received is not None:
        yield f"Paid out to the merchant: {statement.paid_out}. Received: {statement.received}."
        return
    days = [part.closed_through for part in statement.parts if part.totals is None]
    last = max((day for day in days if day is not None), default=None)
    if last is not None:
        yield f"The totals of this period are unknown. A statement from after {last} has them."


def carried_forward(part: StatementPart) -> Money | None:
    """Return the balance of an account after the day of which entries are no longer held."""
    amounts = [total.amount for total in part.carried_forward]
    return Money(-sum(money.minor for money in amounts), amounts[0].currency) if amounts else None


def balances_text(statement: Statement) -> str:
    """Return that *statement* balances, as far as its figures are known."""
    is_known = all(part.totals is not None for part in statement.parts)
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
