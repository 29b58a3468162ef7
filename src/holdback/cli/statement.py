"""
`holdback statement`: every movement of a merchant's deals, from a stored state.

In a terminal, or as a page, in the same words.
"""

from __future__ import annotations

import sys
import textwrap
import unicodedata
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

import click

from holdback import wire
from holdback.cli.output import FINDINGS, SUCCESS, format_option, print_answer, reading
from holdback.cli.sources import Day, language_option, load_spoken
from holdback.errors import StateError, printable
from holdback.lifecycle.deals.statement import statement_of
from holdback.merchant.statement import (
    DealStatement,
    Statement,
    StatementPart,
    SuspenseStatement,
)
from holdback.rules.language import Language
from holdback.tools.displays.statements import (
    NOTE,
    PLANNED,
    SIGNS,
    UNSETTLED,
    StatementRow,
    account_rows,
    balances_text,
    deal_facts,
    deal_text,
    head_row,
    held_text,
    in_all,
    line_row,
    planned_row,
    statement_page,
    summary_lines,
    title,
    total_rows,
)
from holdback.wire.strict_json import STATE_LIMIT

# More than a state of the largest size that is read.
_MOST_BYTES: Final = STATE_LIMIT + 1
# How other documents begin that a host stores.
_OTHER_DOCUMENTS: Final = {b'{"type":': "an event", b'{"format":1,"salt":': "a profile"}
_WIDTH: Final = 90
_DAY, _KIND, _REFERENCE, _AMOUNT, _BALANCE = 10, 17, 25, 15, 15


@click.command("statement")
@click.argument("state", type=click.File("rb"))
@click.option("--from", "since", type=Day(), help="The first day of the statement: 2026-07-01.")
@click.option("--until", type=Day(), help="The last day of the statement: 2026-07-31.")
@language_option
@format_option("table", "json", "html")
def statement_command(
    state: Any, *, since: date | None, until: date | None, language: str | None, form: str
) -> None:
    """
    Print the statement of the merchant in STATE, a stored state of any format.

    For each deal and in all: the opening balance, every movement, and the closing balance. Exits
    with 1 if it does not balance.
    """
    if since is not None and until is not None and until < since:
        message = f"--until {until} is before --from {since}; a statement ends after it begins"
        raise click.UsageError(message)
    spoken = load_spoken(language)
    body = state.read(_MOST_BYTES)
    with reading(state.name):
        _check_is_state(body)
        merchant, _ = wire.read_stored(body, None)
    statement = statement_of(merchant, since, until)
    shown = statement_page if form == "html" else _table_lines
    print_answer(form, wire.to_dict(statement), shown(statement, spoken))
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


def _table_lines(statement: Statement, language: Language) -> Iterator[str]:
    """The statement for a terminal: a table for each deal, and one of all."""
    yield click.style(printable(title(statement, language)), bold=True)
    yield from (click.style(line, dim=True) for line in textwrap.wrap(language.text(SIGNS), _WIDTH))
    for part in statement.deals:
        yield ""
        yield from _deal_lines(part, language)
    if statement.suspense is not None:
        yield ""
        yield from _suspense_lines(statement.suspense, language)
    yield ""
    yield click.style(in_all(statement, language), bold=True)
    yield from map(_row, total_rows(statement, language))
    yield ""
    for line in summary_lines(statement, language):
        yield printable(line)
    if statement.balances:
        yield click.style(balances_text(statement, language), fg="green")
        return
    yield click.style(language.text("IT DOES NOT BALANCE:"), fg="red", bold=True)
    for difference in statement.differences:
        yield click.style(f"  {printable(difference)}", fg="red")


def _deal_lines(part: DealStatement, language: Language) -> Iterator[str]:
    """The table of one deal."""
    name = click.style(printable(deal_text(part, language)), bold=True)
    yield f"{name}  {printable(deal_facts(part, language))}"
    yield from _account_lines(part, language)
    if part.unsettled:
        yield click.style(f"  {language.text(UNSETTLED)}", dim=True)
        yield from (_row(line_row(line, language)) for line in part.unsettled)
    if part.planned:
        yield click.style(f"  {language.text(PLANNED)}", dim=True)
        yield from (_row(planned_row(due, language)) for due in part.planned)


def _suspense_lines(part: SuspenseStatement, language: Language) -> Iterator[str]:
    """The table of the suspense account."""
    name = click.style(language.text("Suspense"), bold=True)
    yield f"{name}  {printable(held_text(part, language))}"
    yield from _account_lines(part, language)


def _account_lines(part: StatementPart, language: Language) -> Iterator[str]:
    """The movements of one account, with the balances before and after them."""
    yield click.style(_row(head_row(language)), dim=True)
    for row in account_rows(part, language):
        if row.look == NOTE:
            for sentence in textwrap.wrap(row.kind, _WIDTH):
                yield click.style(f"  {sentence}", fg="yellow")
        else:
            yield _row(row)


def _row(row: StatementRow) -> str:
    """One row: texts on the left, and amounts on the right, in columns of fixed width."""
    cells = (
        _padded(row.day, _DAY),
        _padded(row.kind, _KIND),
        _padded(row.reference, _REFERENCE),
        f"{row.amount:>{_AMOUNT}}",
        f"{row.balance:>{_BALANCE}}",
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
