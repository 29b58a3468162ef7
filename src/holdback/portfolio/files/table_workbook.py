"""A table of tiers as an Excel workbook, and back: every cell is a text."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from holdback.eligibility.ruleset import MOST_RULES
from holdback.jurisdictions.source_tables import MAX_COLUMNS
from holdback.portfolio.files.deal_files import cell_text, number_format_of, opened
from holdback.tools.workbench.table_files import Cells, checked_cells

_WIDEST: Final = 60
# How Excel keeps what is typed into a cell as it was typed.
_AS_TEXT: Final = "@"


def write_workbook(cells: Cells, file: Path, name: str) -> None:
    """Write *cells* to *file*, on a sheet of this *name*. It needs the extra `portfolio`."""
    from openpyxl import Workbook  # noqa: PLC0415  # an extra
    from openpyxl.styles import Font  # noqa: PLC0415  # an extra

    workbook = Workbook()
    sheet = workbook.active
    assert sheet is not None, "a new workbook has a sheet"
    sheet.title = name[:31]  # the longest name of a sheet
    for place, row in enumerate(cells, 1):
        for column, text in enumerate(row, 1):
            cell = sheet.cell(place, column)
            cell.value, cell.number_format = text, _AS_TEXT
            cell.data_type = "s"  # INVARIANT: a text that begins with `=` stays a text
            if place == 1:
                cell.font = Font(bold=True)
    sheet.freeze_panes = "A2"
    for column, texts in enumerate(zip(*cells, strict=True), 1):
        letter = sheet.cell(1, column).column_letter
        sheet.column_dimensions[letter].width = min(_WIDEST, 3 + max(map(len, texts)))
    workbook.save(file)


def read_workbook(file: Path) -> Cells:
    """
    Return the cells of the first sheet of *file*; a number is read as Excel shows it: `80%`.

    Raises:
        InvalidDocument: when it cannot be read, or is not a table of tiers.
    """
    with opened(file) as workbook:
        # One more of each than a table has, so that a larger one is refused and not cut.
        sheet = workbook.worksheets[0]
        rows = sheet.iter_rows(max_row=MOST_RULES + 2, max_col=MAX_COLUMNS + 1)
        shown = [[(cell.value, number_format_of(cell)) for cell in row] for row in rows]
    return checked_cells([[cell_text(*cell) or "" for cell in row] for row in shown])
