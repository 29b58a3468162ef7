"""Tables of tiers as CSV, and back into the file of the jurisdiction that has them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.jurisdictions.quantity import toml_text
from holdback.jurisdictions.source_tables import ROW, SourceTable
from holdback.jurisdictions.toml import Node

# A table that somebody can read is far smaller.
MOST_CHARACTERS: Final = 1_000_000
# What programs write between the cells; the one of the first line is that of all.
_SEPARATORS: Final = (",", ";", "\t")

FIRST_LINE: Final = "the first line has the columns, with commas, semicolons or tabs between them"

# The head of a table, and its rows.
Cells: TypeAlias = Sequence[Sequence[str]]


def table_cells(table: SourceTable) -> Cells:
    """Return the columns of *table*, and the cells of each of its rows."""
    return [table.columns, *(row.cells for row in table.rows)]


def csv_text(cells: Cells) -> str:
    """
    Return *cells* as CSV.

    >>> csv_text([["row", "progress"], ["early", "50% to below 80%"]]).splitlines()
    ['row,progress', 'early,50% to below 80%']
    """
    return "".join(f"{','.join(map(_csv_cell, row))}\n" for row in cells)


def _csv_cell(cell: str) -> str:
    """Return a cell, which is of one line, in quotes where it needs them."""
    doubled = cell.replace('"', '""')
    return f'"{doubled}"' if set(cell) & {*_SEPARATORS, '"'} else cell


def read_csv(text: str) -> Cells:
    """
    Return the cells of a table in *text*, whose cells have commas, semicolons or tabs between them.

    Raises:
        InvalidDocument: when it is not such a table.
    """
    rows = csv_rows(text, lambda head: ROW in head)
    if rows is None:
        raise InvalidDocument.of(
            "wrong_value", f"the first line has no column `{ROW}`", hint=FIRST_LINE
        )
    return checked_cells([row for _, row in rows])


def csv_rows(
    text: str, is_head: Callable[[Sequence[str]], bool]
) -> Sequence[tuple[int, Sequence[str]]] | None:
    """
    Return the rows of *text* that have a cell, each with the number of its line.

    Their separator is the one with which the first *is_head*; None where that is none.

    Raises:
        InvalidDocument: when it is too large, or is not CSV in a line after the first.
    """
    if len(text) > MOST_CHARACTERS:
        raise InvalidDocument.of("too_large", f"a table has at most {MOST_CHARACTERS} characters")
    lines = text.splitlines(keepends=True)
    for separator in _SEPARATORS:
        reader = csv.reader(lines, delimiter=separator, strict=True)
        rows = list[tuple[int, Sequence[str]]]()
        try:
            rows.extend((reader.line_num, row) for row in reader if any(row))
        except csv.Error as error:
            if not rows or not is_head(rows[0][1]):
                continue
            message = f"this line cannot be read as CSV: {error}"
            detail = ErrorDetail(code="malformed", message=message, line=reader.line_num)
            raise InvalidDocument([detail]) from None
        if rows and is_head(rows[0][1]):
            return rows
    return None


def checked_cells(rows: Sequence[Sequence[str]]) -> Cells:
    """
    Return *rows* without those that are empty, and without empty cells after the last column.

    Raises:
        InvalidDocument: when the first is not that of a table.
    """
    cells = [[" ".join(cell.split()) for cell in row] for row in rows if any(row)]
    if not cells or ROW not in cells[0]:
        hint = "the first row has the names of the columns"
        raise InvalidDocument.of("wrong_value", f"the first row has no column `{ROW}`", hint=hint)
    width = max(place for place, name in enumerate(cells[0], 1) if name)
    return [row[:width] if not any(row[width:]) else row for row in cells]


def toml_lines(cells: Cells) -> Mapping[str, str]:
    """Return the `columns` and the `rows` of a table as TOML, cells under each other."""
    texts = [[toml_text(cell) for cell in row] for row in cells]
    widths = [max(map(len, column)) + 1 for column in zip(*texts, strict=True)]
    lines = []
    for row in texts:
        padded = [f"{text}," for text in row[:-1]]
        padded = [f"{text:<{width}}" for text, width in zip(padded, widths[:-1], strict=True)]
        lines.append(f"[{' '.join([*padded, row[-1]])}]")
    columns, *rows = lines
    inside = "".join(f"  {row},\n" for row in rows)
    return {"columns": columns, "rows": f"[\n{inside}]"}


def with_cells(table: SourceTable, cells: Cells) -> str:
    """Return the text of the file of *table*, with *cells* in the place of its own."""
    document = table.table.node.document
    text, lines = document.text, toml_lines(cells)
    newline = "\r\n" if "\r\n" in text else "\n"
    nodes: dict[str, Node] = {key: table.table[key] for key in lines}
    spans = {key: document.spans[node.path].value for key, node in nodes.items()}
    for key in sorted(lines, key=lambda key: spans[key], reverse=True):
        start, end = spans[key]
        text = f"{text[:start]}{lines[key].replace(chr(10), newline)}{text[end:]}"
    return text
