"""Excel with typed cells and one sheet per question."""

from __future__ import annotations

import builtins
from datetime import date, datetime
from decimal import Decimal

import pytest
from openpyxl import load_workbook

from holdback.portfolio import to_excel
from holdback.portfolio.answers.answer_table import AnswerTable

HEADS = ("what", "deals", "share", "balance", "day", "present")


def answer(*rows, question="outcomes", notes=()):
    """An answer with the columns `HEADS`."""
    return AnswerTable(question=question, title="Deals", heads=HEADS, rows=rows, notes=notes)


def written(tmp_path, *answers):
    """The workbook that *answers* are written to, read again."""
    to_excel(answers, str(tmp_path / "deals.xlsx"))
    return load_workbook(tmp_path / "deals.xlsx")


def test_cells_are_typed(tmp_path):
    """
    Counts, amounts, shares and dates are typed cells.
    """
    row = ("eligible", 1200, Decimal("0.25"), Decimal("-5751422.12"), date(2026, 7, 1), True)
    sheet = written(tmp_path, answer(row))["outcomes"]

    cells = sheet[3]
    assert [cell.value for cell in cells] == [
        "eligible",
        1200,
        0.25,
        -5751422.12,
        datetime(2026, 7, 1),
        True,
    ]
    assert [cell.number_format for cell in cells[1:5]] == [
        "#,##0",
        "0.0%",
        "#,##0.00",
        "yyyy-mm-dd",
    ]
    assert sheet.freeze_panes == "A3"
    assert sheet.auto_filter.ref == "A2:F3"


def test_each_question_has_a_sheet(tmp_path):
    """
    Each answer is on a sheet of its own, with a name that Excel accepts.
    """
    long = "a question of many letters: [1/2]"
    book = written(tmp_path, answer(), answer(), answer(question=long), answer(question=long))

    assert book.sheetnames == [
        "outcomes",
        "outcomes 2",
        "a question of many letters   1 ",
        "a question of many letters    2",
    ]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("http://x")'])
def test_a_text_is_never_a_formula(tmp_path, text):
    """
    A text is never a formula, with any content.
    """
    sheet = written(tmp_path, answer((text, 1, None, None, None, False)))["outcomes"]

    assert sheet["A3"].value == text
    assert sheet["A3"].data_type == "s"


def test_digits_that_excel_would_round_are_a_text(tmp_path):
    """
    An amount of more than 15 digits, which Excel would round, is a text.
    """
    amounts = [Decimal("1234567890123.45"), Decimal("12345678901234.56")]
    rows = [("a", 1, None, amount, None, False) for amount in amounts]
    sheet = written(tmp_path, answer(*rows))["outcomes"]

    assert [sheet["D3"].value, sheet["D4"].value] == [1234567890123.45, "12345678901234.56"]


def test_what_is_unknown_is_empty_and_notes_follow(tmp_path):
    """
    What an answer notes is under its rows.
    """
    nothing = (None,) * len(HEADS)
    sheet = written(tmp_path, answer(nothing, notes=("A proposal.",)))["outcomes"]

    assert [cell.value for cell in sheet[3]] == list(nothing)
    assert sheet["A5"].value == "A proposal."


def test_an_answer_fits_a_sheet_or_is_refused(tmp_path, monkeypatch):
    """
    ValueError: an answer has more rows than a sheet can hold.
    """
    row = ("a", *(None,) * (len(HEADS) - 1))
    monkeypatch.setattr("holdback.portfolio.answers.workbook._MOST_ROWS", 7)

    # The title, the heads, three rows, an empty row and the note.
    sheet = written(tmp_path, answer(*[row] * 3, notes=("a note",)))["outcomes"]

    assert (sheet.max_row, sheet["A7"].value) == (7, "a note")
    assert written(tmp_path, answer(*[row] * 5))["outcomes"].max_row == 7
    for longer in (answer(*[row] * 6), answer(*[row] * 3, notes=("a note", "another"))):
        with pytest.raises(ValueError, match="a sheet holds 7 rows at most"):
            written(tmp_path, longer)


def test_without_openpyxl_it_says_what_to_install(tmp_path, monkeypatch):
    """
    It needs the extra `notebook`.
    """
    real = builtins.__import__

    def without(name, *arguments, **options):
        if name.startswith("openpyxl"):
            raise ModuleNotFoundError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModuleNotFoundError, match=r"holdback\[notebook\]"):
        to_excel([answer()], str(tmp_path / "deals.xlsx"))
