"""A statement as a page: one HTML file without scripts, for screens, light or dark, and paper."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from holdback.cli.statement_words import (
    SIGNS,
    amount_text,
    balances_text,
    carried_forward,
    closed_sentence,
    kind_text,
    reference_text,
    summary_lines,
    title,
)
from holdback.errors import printable
from holdback.exact.money import Money
from holdback.merchant.statement import DealStatement, KindTotal, Statement, StatementLine

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
            yield _row(str(part.closed_through), "carried forward", "", "", balance)
    yield from map(_line, part.lines)
    yield _sum("closing balance", part.closing)


def _totals(statement: Statement) -> Iterator[str]:
    yield _sum("opening balance", statement.opening)
    yield from map(_total, statement.totals or ())
    yield _sum("closing balance", statement.closing)


def _line(line: StatementLine) -> str:
    balance = "" if line.balance is None else amount_text(line.balance)
    return _row(
        str(line.on),
        kind_text(line.kind),
        reference_text(line),
        amount_text(line.amount),
        balance,
    )


def _total(total: KindTotal) -> str:
    return _row("", kind_text(total.kind), "", amount_text(total.amount), "")


def _sum(name: str, balance: Money | None) -> str:
    return _row("", name, "", "", amount_text(balance)).replace("<tr>", '<tr class="sum">', 1)


def _note(sentence: str) -> str:
    return f'<tr class="note"><td></td><td colspan="4">{_text(sentence)}</td></tr>'


def _row(day: str, kind: str, reference: str, amount: str, balance: str) -> str:
    return (
        f'<tr><td class="day">{_text(day)}</td><td>{_text(kind)}</td>'
        f'<td class="entry">{_text(reference)}</td><td class="amount">{_text(amount)}</td>'
        f'<td class="amount">{_text(balance)}</td></tr>'
    )


def _text(text: str) -> str:
    return escape(printable(text))
