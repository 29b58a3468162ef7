"""Answers as an Excel workbook: a sheet for each question, with numbers as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from holdback.errors import printable
from holdback.portfolio.answers.answer_table import AnswerTable, read_answers

if TYPE_CHECKING:  # it is an extra
    from openpyxl.cell import Cell
    from openpyxl.worksheet.worksheet import Worksheet

# Excel's own limits: the name of a sheet, the digits that a number keeps, and the rows of a sheet.
_LONGEST_NAME: Final = 31
_MOST_DIGITS: Final = 15
_MOST_ROWS: Final = 1_048_576
_NOT_IN_A_NAME: Final = re.compile(r"[\[\]:*?/\\]")
# How Excel shows a number of each kind.
_WHOLE, _AMOUNT, _SHARE, _DAY = "#,##0", "#,##0.00", "0.0%", "yyyy-mm-dd"
# What is compared with a threshold shows all its digits: 69.9998 is not 70.
_EXACT: Final = "#,##0.00##"
_COMPARED: Final = ("number", "value", "threshold", "gap")
_WIDEST: Final = 60
_HEAD_ROW: Final = 2


def to_excel(answers: AnswerTable | Iterable[AnswerTable], path: str) -> None:
    """
    Write *answers*, one or several, to the Excel file at *path*, each on a sheet of its own.

    Counts, amounts, shares and dates are typed cells, so that Excel can add, sort and filter them.
    An amount of more than 15 digits, which Excel would round, is a text. A text is never a formula,
    with any content. What an answer notes is under its rows. It needs the extra `notebook`.

    >>> import tempfile
    >>> from holdback.portfolio.answers.answer_table import AnswerTable, read_answers
    >>> answer = AnswerTable(
    ...     question="outcomes",
    ...     title="Two deals",
    ...     heads=("outcome", "deals", "balance", "currency"),
    ...     rows=(("eligible", 2, Decimal("1200.50"), "GBP"),),
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_excel([answer], f"{folder}/deals.xlsx")

    Raises:
        InvalidDocument: there is no answer, or something else among them.
        ModuleNotFoundError: openpyxl is not installed.
        ValueError: an answer has more rows than a sheet can hold.
    """
    try:
        from openpyxl import Workbook  # noqa: PLC0415  # an extra
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "an Excel file needs openpyxl: pip install 'holdback[notebook]'", name="openpyxl"
        ) from None
    given = read_answers(answers)
    workbook = Workbook()
    workbook.remove(workbook.active)
    for answer in given:
        _fill(workbook.create_sheet(_sheet_name(answer.question, workbook.sheetnames)), answer)
    workbook.save(path)


def _sheet_name(question: str, taken: Iterable[str]) -> str:
    """The name of the sheet for *question*, with a number if another sheet has it."""
    name = _NOT_IN_A_NAME.sub(" ", printable(question))[:_LONGEST_NAME]
    names = {name.casefold() for name in taken}
    number, numbered = 1, name
    while numbered.casefold() in names:
        number += 1
        numbered = f"{name[: _LONGEST_NAME - len(str(number)) - 1]} {number}"
    return numbered


def _fill(sheet: Worksheet, answer: AnswerTable) -> None:
    """Write *answer* to *sheet*: its title, the heads, the rows, and what it notes."""
    from openpyxl.styles import Font  # noqa: PLC0415  # an extra

    below = 1 + len(answer.notes) if answer.notes else 0  # an empty row, and a row for each note
    if _HEAD_ROW + len(answer.rows) + below > _MOST_ROWS:
        raise ValueError(f"{answer.question}: a sheet holds {_MOST_ROWS:,} rows at most")
    _write(sheet.cell(1, 1), answer.title)
    sheet.cell(1, 1).font = Font(bold=True, size=14)
    for column, head in enumerate(answer.heads, 1):
        _write(sheet.cell(_HEAD_ROW, column), head)
        sheet.cell(_HEAD_ROW, column).font = Font(bold=True)
    for place, row in enumerate(answer.rows, _HEAD_ROW + 1):
        for column, (head, value) in enumerate(zip(answer.heads, row, strict=True), 1):
            _write(sheet.cell(place, column), value, head)
    for place, note in enumerate(answer.notes, _HEAD_ROW + len(answer.rows) + 2):
        _write(sheet.cell(place, 1), note)
    sheet.freeze_panes = sheet.cell(_HEAD_ROW + 1, 1)
    last = sheet.cell(_HEAD_ROW + len(answer.rows), len(answer.heads))
    sheet.auto_filter.ref = f"A{_HEAD_ROW}:{last.coordinate}"
    for column, width in _widths(answer).items():
        sheet.column_dimensions[sheet.cell(1, column).column_letter].width = width


def _widths(answer: AnswerTable) -> Mapping[int, int]:
    """The width of each column in letters: that of its widest cell."""
    columns = zip(answer.heads, *answer.rows, strict=True)
    return {
        place: min(_WIDEST, 3 + max(len(f"{cell}") for cell in column))
        for place, column in enumerate(columns, 1)
    }


def _write(cell: Cell, value: Any, head: str = "") -> None:
    """Write *value*, of the column *head*, to *cell* as a value of its own type."""
    match value:
        case None:
            return
        case bool():
            cell.value = value
        case int():
            _write_number(cell, value, _WHOLE)
        case Decimal():
            shown = _SHARE if head == "share" else _EXACT if head in _COMPARED else _AMOUNT
            _write_number(cell, value, shown)
        case date():
            cell.value, cell.number_format = value, _DAY
        case _:
            _write_text(cell, str(value))


def _write_number(cell: Cell, number: int | Decimal, shown: str) -> None:
    if len(Decimal(number).as_tuple().digits) > _MOST_DIGITS:
        _write_text(cell, str(number))
    else:
        cell.value, cell.number_format = number, shown


def _write_text(cell: Cell, text: str) -> None:
    # INVARIANT: a text that begins with `=` stays a text: what a file holds is never run.
    cell.value = printable(text)
    cell.data_type = "s"
