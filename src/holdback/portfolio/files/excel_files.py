"""
Excel files: typed cells to the texts that a CSV file would hold, without loss.

A cell says what it is: a day, a flag, a number, a text. One that is shown as a percentage holds a
fraction, so 0.64 shown as 64% becomes the text `64%`.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import date, datetime, time
from decimal import Decimal
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile, ZipFile

import pyarrow as pa

from holdback.errors import InvalidDocument, listed
from holdback.portfolio.files.cells import TYPED
from holdback.portfolio.files.csv_files import heads_of_columns
from holdback.portfolio.files.odd_rows import MOST_TITLES, check_heads

# A sign in quotes, or in the brackets of a condition, does not make a percentage.
_NO_FORMAT: Final = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
# A formula that has no result, because a library wrote it and no spreadsheet has worked it out
# since. A result that is an empty text is one.
_FORMULA: Final = rb"<f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*"
_NO_RESULT: Final = re.compile(
    rb'<c\b(?:(?![^>]*\st="str")[^>]*>\s*%b(?:<v\s*/>|<v>\s*</v>)?|[^>]*>\s*%b)\s*</c>'
    % (_FORMULA, _FORMULA)
)


class TypedText(str):
    """The text of a cell that is a number or a day: no form of texts says how it is written."""

    __slots__ = ()


def excel_table(file: Path, usual_heads: frozenset[str]) -> pa.Table:
    """
    Return the first sheet of *file* with every cell as text; null where it is empty.

    The column `TYPED` has for each row the heads whose cells are numbers or days, not texts.

    *usual_heads* are heads that files of deals have: a title may be above them. Rows without any
    value are left out, and so are columns without a head and a value.

    Raises:
        InvalidDocument: if it is not there or cannot be read, if formulas have no results, or if
            another sheet has the same heads, so that the first has not all deals.
    """
    workbook = _opened(file)
    try:
        sheets = {sheet.title: sheet for sheet in workbook.worksheets}
        first, *others = sheets
        rows = list(_rows(sheets[first].iter_rows()))
        if not rows:
            message, hint = f"the sheet {first} of {file.name} is empty", "move the deals there"
            raise InvalidDocument.of("missing", message, hint=hint)
        for name in others:
            if _first_row(sheets[name]) == rows[0][1]:
                raise InvalidDocument.of(
                    "wrong_value",
                    f"the sheets {listed([first, name])} of {file.name} have the same columns",
                    hint="move all deals into one sheet, or save each as a file",
                )
    finally:
        workbook.close()
    heads, *deals = [texts for _, texts in rows]
    later = [(number, [text or "" for text in row]) for number, row in rows[1:MOST_TITLES]]
    check_heads([head or "" for head in heads], later, usual_heads, "row")
    return _table(heads, deals)


def _opened(file: Path) -> Any:
    """The workbook in *file*, of which rows are read one by one."""
    from openpyxl import load_workbook  # noqa: PLC0415  # it takes 0.1 s, and few files need it

    if not file.is_file():
        is_pattern = any(sign in file.name for sign in "*?[")
        hint = "an Excel file is read by its name, and a pattern is for CSV and Parquet files"
        message = f"there is no file {file.name}"
        raise InvalidDocument.of("unreadable", message, hint=hint if is_pattern else None)
    try:
        workbook = load_workbook(file, read_only=True, data_only=True)
        _check_formulas(file, workbook.worksheets[0])
    except (BadZipFile, LookupError, ValueError, OSError, zlib.error) as error:
        message = f"{file.name} cannot be opened as an Excel file"
        hint = "save it as .xlsx without a password, or as CSV"
        raise InvalidDocument.of("unreadable", message, hint=hint) from error
    return workbook


def _check_formulas(file: Path, sheet: Any) -> None:
    # openpyxl gives no value for a formula without a result, and none for an empty text.
    with ZipFile(file) as parts:
        if _NO_RESULT.search(parts.read(sheet._worksheet_path)):  # noqa: SLF001  # not public
            message = f"the sheet {sheet.title} of {file.name} has formulas without results"
            hint = "open the file in Excel or LibreOffice and save it"
            raise InvalidDocument.of("missing", message, hint=hint)


def _first_row(sheet: Any) -> list[str | None] | None:
    """The first row of *sheet* that has a value."""
    # The file stays open as long as a sheet in it is being read.
    with closing(sheet.iter_rows()) as rows:
        return next(_rows(rows), (0, None))[1]


def _rows(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[int, list[str | None]]]:
    """The *rows* that have a value, as texts, with their numbers."""
    for number, row in enumerate(rows, start=1):
        texts = [cell_text(cell.value, _format(cell)) for cell in row]
        if any(texts):
            yield number, texts


def _format(cell: Any) -> str:
    is_number = isinstance(cell.value, int | float)
    return str(cell.number_format) if is_number else ""


def cell_text(value: object, number_format: str = "") -> str | None:
    """
    Return the *value* of a cell as text; None where it is empty.

    >>> cell_text(0.64, "0.0%"), cell_text(231.0), cell_text(datetime(2026, 7, 1))
    ('64%', '231.0', '2026-07-01')
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return TypedText(value.date() if value.time() == time() else value)
    if isinstance(value, date):
        return TypedText(value.isoformat())
    if isinstance(value, int | float):
        number = Decimal(repr(value))
        if "%" not in _NO_FORMAT.sub("", number_format):
            return TypedText(f"{number:f}")
        # A hundredfold, without the zeros that the product of decimals has at its end.
        return TypedText(f"{(number * 100).normalize():f}%")
    return str(value).strip() or None


def _table(heads: Sequence[str | None], rows: Sequence[Sequence[str | None]]) -> pa.Table:
    width = max(map(len, [heads, *rows]))
    columns = list(zip_longest(*rows)) if rows else []
    columns += [()] * (width - len(columns))
    named = [heads[place] or "" if place < len(heads) else "" for place in range(width)]
    kept = [place for place in range(width) if named[place] or any(columns[place])]
    names = heads_of_columns([named[place] for place in kept])
    arrays = [pa.array(columns[place], pa.string()) for place in kept]
    places = dict(zip(kept, names, strict=True))
    typed = [
        [places[place] for place, text in enumerate(row) if isinstance(text, TypedText)]
        for row in rows
    ]
    arrays.append(pa.array(typed, pa.list_(pa.string())))
    return pa.table(arrays, names=[*names, TYPED])
