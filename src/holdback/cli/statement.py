"""
`holdback statement`: every movement of a merchant's deals, from a stored state.

In a terminal, or as a page: one HTML file without scripts, for screens, light or dark, and paper.
Both use the same words.
"""

from __future__ import annotations

import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import date
from html import escape
from typing import Any, Final

import click

from holdback import wire
from holdback.cli.output import FINDINGS, SUCCESS, fail, format_option
from holdback.cli.sources import Day
from holdback.errors import StateError, printable
from holdback.exact.exact_json import write_json
from holdback.exact.exact_numbers import digits
from holdback.exact.money import Money
from holdback.lifecycle.deals.statement import statement_of
from holdback.merchant.statement import DealStatement, KindTotal, Statement, StatementLine
from holdback.wire.strict_json import STATE_LIMIT

# More than a state of the largest size that is read.
_MOST_BYTES: Final = STATE_LIMIT + 1
# How other documents begin that a host stores.
_OTHER_DOCUMENTS: Final = {b'{"type":': "an event", b'{"format":1,"salt":': "a profile"}
_WIDTH: Final = 90
_DAY, _KIND, _REFERENCE, _AMOUNT, _BALANCE = 10, 16, 26, 15, 15


@click.command("statement")
@click.argument("state", type=click.File("rb"))
@click.option("--from", "since", type=Day(), help="The first day of the statement: 2026-07-01.")
@click.option("--until", type=Day(), help="The last day of the statement: 2026-07-31.")
@format_option("table", "json", "html")
def statement_command(state: Any, *, since: date | None, until: date | None, form: str) -> None:
    """
    Print the statement of the merchant in STATE, a stored state of any format.

    For each deal and in all: the opening balance, every movement, and the closing balance. Exits
    with 1 if it does not balance.
    """
    if since is not None and until is not None and until < since:
        message = f"--until {until} is before --from {since}; a statement ends after it begins"
        raise click.UsageError(message)
    body = state.read(_MOST_BYTES)
    try:
        _check_is_state(body)
        merchant, _ = wire.read_stored(body, None)
    except StateError as error:
        fail(error, state.name)
    statement = statement_of(merchant, since, until)
    if form == "json":
        click.echo(write_json(wire.to_dict(statement)))
    else:
        lines = _table_lines(statement) if form == "table" else page_lines(statement)
        click.echo("\n".join(lines))
    if not statement.balances:
        click.secho(
            f"The statement of {printable(merchant.merchant_id)} does not balance.",
            err=True,
            fg="red",
            bold=True,
        )
    sys.exit(SUCCESS if statement.balances else FINDINGS)


def _check_is_state(body: bytes) -> None:
    """
    Refuse another document that a host stores.

    Raises:
        StateError: naming what it is.
    """
    for start, name in _OTHER_DOCUMENTS.items():
        if body.startswith(start):
            hint = "give the `state` that `wire.write_stored` returned with it"
            message = f"expected the state of a merchant, not {name}"
            raise StateError.of("wrong_type", message, path="$", hint=hint)


def _table_lines(statement: Statement) -> Iterator[str]:
    """The statement for a terminal: a table for each deal, and one of all."""
    yield click.style(printable(title(statement)), bold=True)
    yield from (click.style(line, dim=True) for line in textwrap.wrap(SIGNS, _WIDTH))
    for part in statement.deals:
        yield ""
        yield from _deal_lines(part)
    yield ""
    yield click.style("All deals", bold=True)
    yield _row("", "opening balance", "", "", amount_text(statement.opening))
    for total in statement.totals or ():
        yield _row("", kind_text(total.kind), "", amount_text(total.amount), "")
    yield _row("", "closing balance", "", "", amount_text(statement.closing))
    yield ""
    for line in summary_lines(statement):
        yield printable(line)
    if statement.balances:
        yield click.style(balances_text(statement), fg="green")
        return
    yield click.style("IT DOES NOT BALANCE:", fg="red", bold=True)
    for difference in statement.differences:
        yield click.style(f"  {printable(difference)}", fg="red")


def _deal_lines(part: DealStatement) -> Iterator[str]:
    """The table of one deal."""
    facts = f"{part.type}, {part.status}, funded {part.funded_on}"
    yield f"{click.style(printable(f'Deal {part.deal_id}'), bold=True)}  {printable(facts)}"
    yield click.style(_row("Day", "Movement", "Entry", "Amount", "Balance"), dim=True)
    yield _row("", "opening balance", "", "", amount_text(part.opening))
    if part.closed_through is not None:
        for sentence in textwrap.wrap(closed_sentence(part), _WIDTH):
            yield click.style(f"  {sentence}", fg="yellow")
        for total in part.carried_forward:
            yield _row("", kind_text(total.kind), "", amount_text(total.amount), "")
        if part.carried_forward:
            balance = amount_text(carried_forward(part))
            yield _row(str(part.closed_through), "carried forward", "", "", balance)
    for line in part.lines:
        yield _line_row(line)
    yield _row("", "closing balance", "", "", amount_text(part.closing))
    if part.unsettled:
        yield click.style("  Not settled, and not counted", dim=True)
        for line in part.unsettled:
            yield _line_row(line)


def _line_row(line: StatementLine) -> str:
    balance = "" if line.balance is None else amount_text(line.balance)
    return _row(
        str(line.on),
        kind_text(line.kind),
        reference_text(line),
        amount_text(line.amount),
        balance,
    )


def _row(day: str, kind: str, reference: str, amount: str, balance: str) -> str:
    """One row: texts on the left, and amounts on the right, in columns of fixed width."""
    cells: Iterable[str] = (
        _padded(day, _DAY),
        _padded(kind, _KIND),
        _padded(reference, _REFERENCE),
        f"{amount:>{_AMOUNT}}",
        f"{balance:>{_BALANCE}}",
    )
    return f"  {'  '.join(cells)}".rstrip()


def _padded(text: str, width: int) -> str:
    """*text* in *width* columns of a terminal, shortened if it is longer."""
    text = printable(text)
    if _columns(text) > width:
        while _columns(text) > width - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (width - _columns(text))


def _columns(text: str) -> int:
    """How many columns of a terminal *text* takes: wide characters take two, and accents none."""
    return sum(0 if unicodedata.combining(sign) else 2 if _is_wide(sign) else 1 for sign in text)


def _is_wide(sign: str) -> bool:
    return unicodedata.east_asian_width(sign) in {"W", "F"}


_STYLE: Final = """
:root { color-scheme: light dark; --text: #1c2024; --soft: #5b636b; --line: #d5dadf;
  --back: #ffffff; --band: #f3f5f7; --good: #146c2e; --bad: #b3261e; --note: #7a5200; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8ea; --soft: #a2a9b0; --line: #3b4148;
  --back: #15181b; --band: #1e2226; --good: #7bd88f; --bad: #ff8a80; --note: #f0c674; } }
* { box-sizing: border-box; }
body { margin: 2rem auto; max-width: 58rem; padding: 0 1rem; background: var(--back);
  color: var(--text); font: 15px/1.45 system-ui, "Segoe UI", "Noto Sans", sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 2rem 0 .1rem; overflow-wrap: anywhere; }
p { margin: .25rem 0; color: var(--soft); }
p.state { font-weight: 600; color: var(--good); margin: .75rem 0; }
.bad { border: 2px solid var(--bad); border-radius: 4px; padding: .5rem .75rem; margin: .75rem 0; }
.bad p, .bad li { color: var(--bad); font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; table-layout: fixed; width: 100%; min-width: 40rem;
  margin-top: .4rem; }
th:nth-child(1) { width: 7rem; } th:nth-child(2) { width: 10.5rem; }
th:nth-child(4), th:nth-child(5) { width: 8.5rem; }
th, td { padding: .28rem .5rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
.amount { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.day { white-space: nowrap; font-variant-numeric: tabular-nums; }
.entry { overflow-wrap: anywhere; color: var(--soft); }
.sum td { background: var(--band); font-weight: 600; }
.note td { color: var(--note); }
@page { margin: 18mm 15mm; }
@media print {
  :root { --text: #000000; --soft: #333333; --line: #999999; --back: #ffffff; --band: #eeeeee;
    --good: #000000; --bad: #000000; --note: #333333; }
  body { margin: 0; max-width: none; padding: 0; font-size: 10pt; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  .wide { overflow: visible; }
  table { min-width: 0; }
  th:nth-child(1) { width: 5.5rem; } th:nth-child(2) { width: 8rem; }
  th:nth-child(4), th:nth-child(5) { width: 6.5rem; }
  .sum td { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
""".strip()
# Nothing is loaded, and nothing runs.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


def page_lines(statement: Statement) -> Iterator[str]:
    """Yield the lines of the page."""
    heading = _text(title(statement))
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{heading}</title>"
    yield f"<style>\n{_STYLE}\n</style>"
    yield "</head>"
    yield "<body>"
    yield f"<h1>{heading}</h1>"
    yield f"<p>{_text(SIGNS)}</p>"
    yield from _verdict(statement)
    for part in statement.deals:
        yield from _deal(part)
    yield "<h2>All deals</h2>"
    yield from _table(_totals(statement))
    for line in summary_lines(statement):
        yield f"<p>{_text(line)}</p>"
    yield "</body>"
    yield "</html>"


def _verdict(statement: Statement) -> Iterator[str]:
    if statement.balances:
        yield f'<p class="state">{_text(balances_text(statement))}</p>'
        return
    yield '<div class="bad" role="alert"><p>This statement does not balance:</p><ul>'
    yield from (f"<li>{_text(difference)}</li>" for difference in statement.differences)
    yield "</ul></div>"


def _deal(part: DealStatement) -> Iterator[str]:
    yield f"<h2>Deal {_text(part.deal_id)}</h2>"
    yield f"<p>{_text(f'{part.type}, {part.status}, funded {part.funded_on}')}</p>"
    yield from _table(_rows(part))
    if part.unsettled:
        yield "<p>Not settled, and not counted:</p>"
        yield from _table(map(_line, part.unsettled))


def _table(rows: Iterator[str]) -> Iterator[str]:
    yield '<div class="wide"><table>'
    heads = "<th>Day</th><th>Movement</th><th>Entry</th>"
    amounts = '<th class="amount">Amount</th><th class="amount">Balance</th>'
    yield f"<thead><tr>{heads}{amounts}</tr></thead>"
    yield "<tbody>"
    yield from rows
    yield "</tbody>"
    yield "</table></div>"


def _rows(part: DealStatement) -> Iterator[str]:
    yield _sum("opening balance", part.opening)
    if part.closed_through is not None:
        yield _note(closed_sentence(part))
        yield from map(_total, part.carried_forward)
        if part.carried_forward:
            balance = amount_text(carried_forward(part))
            yield _table_row(str(part.closed_through), "carried forward", "", "", balance)
    yield from map(_line, part.lines)
    yield _sum("closing balance", part.closing)


def _totals(statement: Statement) -> Iterator[str]:
    yield _sum("opening balance", statement.opening)
    yield from map(_total, statement.totals or ())
    yield _sum("closing balance", statement.closing)


def _line(line: StatementLine) -> str:
    balance = "" if line.balance is None else amount_text(line.balance)
    return _table_row(
        str(line.on),
        kind_text(line.kind),
        reference_text(line),
        amount_text(line.amount),
        balance,
    )


def _total(total: KindTotal) -> str:
    return _table_row("", kind_text(total.kind), "", amount_text(total.amount), "")


def _sum(name: str, balance: Money | None) -> str:
    return _table_row("", name, "", "", amount_text(balance)).replace("<tr>", '<tr class="sum">', 1)


def _note(sentence: str) -> str:
    return f'<tr class="note"><td></td><td colspan="4">{_text(sentence)}</td></tr>'


def _table_row(day: str, kind: str, reference: str, amount: str, balance: str) -> str:
    return (
        f'<tr><td class="day">{_text(day)}</td><td>{_text(kind)}</td>'
        f'<td class="entry">{_text(reference)}</td><td class="amount">{_text(amount)}</td>'
        f'<td class="amount">{_text(balance)}</td></tr>'
    )


def _text(text: str) -> str:
    return escape(printable(text))


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
