"""CSV as people write it: named columns in any order, and numbers of which each has one reading."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias

from attrs import evolve

from holdback.errors import (
    ErrorDetail,
    InvalidDocument,
    InvalidValue,
    did_you_mean,
    readings_of,
    write_instead,
)
from holdback.frozen_classes import frozen
from holdback.rules.types import Type
from holdback.tools.workbench.table_files import FIRST_LINE, csv_rows

_MOST_BYTES: Final = 4 * 1024 * 1024

Reader: TypeAlias = Callable[[str], Any]


@frozen
class Row:
    """A row of a file: its `line`, and its values by column, None where a cell is empty."""

    line: int
    values: Mapping[str, Any]


def read_table(
    file: Any,
    columns: Mapping[str, Reader],
    *,
    optional: Collection[str] = (),
    may_be_empty: Collection[str] = (),
) -> Sequence[Row]:
    """
    Return the rows of *file*, whose cells are read by the reader of their column.

    There need not be an *optional* column. A cell in one, or in one that *may_be_empty*, is None.

    Raises:
        InvalidDocument: with everything that cannot be read, by file and line.
    """
    try:
        return _read(_text(file), columns, optional, {*optional, *may_be_empty})
    except InvalidDocument as invalid:
        raise InvalidDocument(evolve(error, file=file.name) for error in invalid.errors) from None


def _text(file: Any) -> str:
    body: bytes = file.read(_MOST_BYTES + 1)
    if len(body) > _MOST_BYTES:
        raise InvalidDocument.of("too_large", "expected at most 4 MiB")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        detail = ErrorDetail(
            code="malformed", message="this is not UTF-8", line=line, hint="save it as CSV in UTF-8"
        )
        raise InvalidDocument([detail]) from None


def _read(
    text: str, columns: Mapping[str, Reader], optional: Collection[str], empty: Collection[str]
) -> Sequence[Row]:
    table = csv_rows(text, lambda head: not columns.keys().isdisjoint(_names(head)))
    if table is None:
        raise InvalidDocument.of("missing", _expected(columns), hint=FIRST_LINE)
    (line, head), *body = table
    names = _names(head)
    errors = [evolve(error, line=line) for error in _wrong_names(names, columns, optional)]
    if errors:
        raise InvalidDocument(errors)
    rows = []
    for at, cells in body:
        try:
            rows.append(_row(at, dict(zip(names, cells, strict=False)), columns, empty))
            if any(cell.strip() for cell in cells[len(names) :]):
                message = f"expected {len(names)} values"
                hint = "put quotes around a value that holds the separator"
                errors.append(ErrorDetail(code="wrong_value", message=message, line=at, hint=hint))
        except InvalidDocument as invalid:
            errors += invalid.errors
    if errors:
        raise InvalidDocument(errors)
    if not rows:
        raise InvalidDocument.of("missing", "expected a row under the columns")
    return rows


def _names(head: Sequence[str]) -> Sequence[str]:
    """The names of the columns, without those of empty ones at the end."""
    names = [name.strip().lower() for name in head]
    while names and not names[-1]:
        names.pop()
    return names


def _expected(columns: Collection[str]) -> str:
    return f"expected the columns {','.join(columns)}"


def _wrong_names(
    names: Sequence[str], columns: Mapping[str, Reader], optional: Collection[str]
) -> list[ErrorDetail]:
    unknown = [name for name in dict.fromkeys(names) if name not in columns]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    return [
        *(
            ErrorDetail(
                code="unknown_name",
                message=f"`{name}` is not a column of this file",
                hint=did_you_mean(name, columns) or _expected(columns),
            )
            for name in unknown
        ),
        *(ErrorDetail(code="duplicate", message=f"`{name}` is there twice") for name in twice),
        *(
            ErrorDetail(code="missing", message=f"the column `{name}` is missing")
            for name in columns
            if name not in names and name not in optional
        ),
    ]


def _row(
    line: int,
    cells: Mapping[str, str],
    columns: Mapping[str, Reader],
    empty: Collection[str],
) -> Row:
    """Return the row of *cells*, by column; raise all that is wrong in it."""
    values, errors = dict[str, Any](), list[ErrorDetail]()
    for name, reader in columns.items():
        text = cells.get(name, "").strip()
        try:
            if not text and name not in empty:
                raise InvalidValue("missing", "expected a value")
            values[name] = reader(text) if text else None
        except ValueError as error:
            hint = write_instead(readings_of(error))
            code = error.code if isinstance(error, InvalidValue) else "wrong_value"
            errors.append(
                ErrorDetail(code=code, message=str(error), line=line, path=name, hint=hint)
            )
    if errors:
        raise InvalidDocument(errors)
    return Row(line, values)


def number_reader(type_: Type, least: int | None = None, expected: str = "") -> Reader:
    """
    Return the reader of a number of *type_* in any form that has one reading.

    One below the *least*, in the scale of the type, is refused with what was *expected*.
    """

    def read(text: str) -> int:
        meanings = type_.readings(text, quoted=False)
        if len(meanings) > 1:
            raise type_.several(meanings)
        number = type_.read(meanings[0] if meanings else text)
        assert number is not None, "a text is not missing"
        if least is not None and number < least:
            raise InvalidValue("out_of_range", expected)
        return number

    return read
