"""A merchant's statement in words and as a page; a terminal shows it in the same words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

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
from holdback.rules.language import ENGLISH, Language
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


def statement_page(statement: Statement, language: Language = ENGLISH) -> Iterator[str]:
    """Yield the lines of the page in *language*."""
    return page_lines(title(statement, language), _parts(statement, language), _STYLE)


def _parts(statement: Statement, language: Language) -> Iterator[str]:
    yield f"<h1>{text(title(statement, language))}</h1>"
    yield f"<p>{text(language.text(SIGNS))}</p>"
    yield from _verdict(statement, language)
    for part in statement.deals:
        yield from _deal(part, language)
    if statement.suspense is not None:
        yield f"<h2>{text(language.text('Suspense'))}</h2>"
        yield f"<p>{text(held_text(statement.suspense, language))}</p>"
        yield from _table(account_rows(statement.suspense, language), language)
    yield f"<h2>{text(in_all(statement, language))}</h2>"
    yield from _table(total_rows(statement, language), language)
    for line in summary_lines(statement, language):
        yield f"<p>{text(line)}</p>"


def _verdict(statement: Statement, language: Language) -> Iterator[str]:
    if statement.balances:
        yield f'<p class="state">{text(balances_text(statement, language))}</p>'
        return
    wrong = text(language.text("This statement does not balance:"))
    yield f'<div class="bad" role="alert"><p>{wrong}</p><ul>'
    yield from (f"<li>{text(difference)}</li>" for difference in statement.differences)
    yield "</ul></div>"


def _deal(part: DealStatement, language: Language) -> Iterator[str]:
    yield f"<h2>{text(deal_text(part, language))}</h2>"
    yield f"<p>{text(deal_facts(part, language))}</p>"
    yield from _table(account_rows(part, language), language)
    if part.unsettled:
        yield f"<p>{text(language.text(UNSETTLED))}:</p>"
        yield from _table((line_row(line, language) for line in part.unsettled), language)
    if part.planned:
        yield f"<p>{text(language.text(PLANNED))}:</p>"
        yield from _table((planned_row(due, language) for due in part.planned), language)


def _table(rows: Iterable[StatementRow], language: Language) -> Iterator[str]:
    yield '<div class="wide"><table>'
    day, kind, reference, *figures = map(text, head_row(language)[:5])
    heads = f"<th>{day}</th><th>{kind}</th><th>{reference}</th>"
    amounts = "".join(f'<th class="amount">{figure}</th>' for figure in figures)
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

UNSETTLED: Final = "Not settled, and not counted"
PLANNED: Final = "Planned, and not counted"
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


def head_row(language: Language = ENGLISH) -> StatementRow:
    """Return the names of the columns."""
    return StatementRow(*map(language.text, ("Day", "Movement", "Entry", "Amount", "Balance")))


def account_rows(part: StatementPart, language: Language = ENGLISH) -> Iterator[StatementRow]:
    """Yield the rows of one account."""
    yield _sum("opening balance", part.opening, language)
    if part.closed_through is not None:
        yield StatementRow("", closed_sentence(part, language), look=NOTE)
        yield from (_total(total, language) for total in part.carried_forward)
        if part.carried_forward:
            balance = amount_text(carried_forward(part), language)
            day, name = language.day(part.closed_through), language.text("carried forward")
            yield StatementRow(day, name, balance=balance)
    yield from (line_row(line, language) for line in part.lines)
    yield _sum("closing balance", part.closing, language)


def total_rows(statement: Statement, language: Language = ENGLISH) -> Iterator[StatementRow]:
    """Yield the rows of all deals together."""
    yield _sum("opening balance", statement.opening, language)
    yield from (_total(total, language) for total in statement.totals or ())
    yield _sum("closing balance", statement.closing, language)


def line_row(line: StatementLine, language: Language = ENGLISH) -> StatementRow:
    """Return the row of one movement."""
    return StatementRow(
        language.day(line.on),
        kind_text(line.kind, language),
        reference_text(line, language),
        amount_text(line.amount, language),
        "" if line.balance is None else amount_text(line.balance, language),
    )


def planned_row(instalment: PlannedInstalment, language: Language = ENGLISH) -> StatementRow:
    """Return the row of an instalment, with what of it is paid."""
    paid = language.say("{amount} is paid", amount=amount_text(instalment.paid, language))
    amount, kind = amount_text(instalment.amount, language), language.text("instalment")
    return StatementRow(language.day(instalment.due_on), kind, paid, amount)


def _total(total: KindTotal, language: Language) -> StatementRow:
    kind = kind_text(total.kind, language)
    return StatementRow("", kind, amount=amount_text(total.amount, language))


def _sum(name: str, balance: Money | None, language: Language) -> StatementRow:
    shown = amount_text(balance, language)
    return StatementRow("", language.text(name), balance=shown, look=SUM)


def deal_text(part: DealStatement, language: Language = ENGLISH) -> str:
    """Return the heading of a deal."""
    return language.say("Deal {deal}", deal=part.deal_id)


def deal_facts(part: DealStatement, language: Language = ENGLISH) -> str:
    """Return the type and status of a deal, and the day of its funding."""
    return language.say(
        "{type}, {status}, funded {day}",
        type=language.text(part.type),
        status=language.text(part.status),
        day=language.day(part.funded_on),
    )


def in_all(statement: Statement, language: Language = ENGLISH) -> str:
    """Return the heading of the totals."""
    if statement.suspense is None:
        return language.text("All deals")
    return language.text("All deals and suspense")


def held_text(part: SuspenseStatement, language: Language = ENGLISH) -> str:
    """Return what cash is in suspense now."""
    held = [
        language.say(
            "{amount} of {entry} ({day})",
            amount=language.money(cash.left),
            entry=cash.suspense_id,
            day=language.day(cash.on),
        )
        for cash in part.held
    ]
    return language.say("Held now: {held}", held=", ".join(held) or language.text("nothing"))


def closed_sentence(part: StatementPart, language: Language = ENGLISH) -> str:
    """Return which entries of an account are no longer held, and what that means."""
    assert part.closed_through is not None, "some entries are not held"
    sentence = language.say(
        "The entries up to {day} are no longer held; the journal has them.",
        day=language.day(part.closed_through),
    )
    if part.closing is None:
        more = language.text("Without them it is not known what was owed.")
    elif isinstance(part, DealStatement):
        more = language.text("Totals since the funding:")
    else:
        more = language.text("Totals since the beginning:")
    return f"{sentence} {more}"


def title(statement: Statement, language: Language = ENGLISH) -> str:
    """Return whose statement it is, of which period and in which currency."""
    parts = [language.say("Statement of {merchant}", merchant=statement.merchant_id)]
    if statement.since is not None:
        parts.append(language.say("from {day}", day=language.day(statement.since)))
    if statement.until is not None:
        parts.append(language.say("until {day}", day=language.day(statement.until)))
    if statement.currency is not None:
        parts.append(language.say("in {currency}", currency=str(statement.currency)))
    return " ".join(parts)


def summary_lines(statement: Statement, language: Language = ENGLISH) -> Iterator[str]:
    """
    Yield what the merchant received and paid.

    Where these are unknown, because entries are no longer held, say which statement has them.
    """
    if statement.paid_out is not None and statement.received is not None:
        yield language.say(
            "Paid out to the merchant: {paid}. Received: {received}.",
            paid=language.money(statement.paid_out),
            received=language.money(statement.received),
        )
        return
    days = [part.closed_through for part in statement.parts if part.totals is None]
    last = max((day for day in days if day is not None), default=None)
    if last is not None:
        yield language.say(
            "The totals of this period are unknown. A statement from after {day} has them.",
            day=language.day(last),
        )


def carried_forward(part: StatementPart) -> Money | None:
    """Return the balance of an account after the day of which entries are no longer held."""
    amounts = [total.amount for total in part.carried_forward]
    return Money(-sum(money.minor for money in amounts), amounts[0].currency) if amounts else None


def balances_text(statement: Statement, language: Language = ENGLISH) -> str:
    """Return that *statement* balances, as far as its figures are known."""
    is_known = all(part.totals is not None for part in statement.parts)
    return language.text("It balances.") if is_known else language.text("What is shown balances.")


def amount_text(amount: Money | None, language: Language = ENGLISH) -> str:
    """Return *amount* in major units, without its currency."""
    return language.text("unknown") if amount is None else language.amount(amount)


def kind_text(kind: str, language: Language = ENGLISH) -> str:
    """Return *kind* in words: `principal return`."""
    return language.text(kind.replace("_", " "))


def reference_text(line: StatementLine, language: Language = ENGLISH) -> str:
    """Return the id of the entry, with the other deal or entry that it is about."""
    if line.reverses is not None:
        return language.say("{entry} of {other}", entry=line.id, other=line.reverses)
    if line.counterpart is not None:
        other_deal = language.say("deal {deal}", deal=line.counterpart)
        return other_deal if line.id == line.kind else f"{line.id}, {other_deal}"
    return "" if line.id == line.kind else line.id
