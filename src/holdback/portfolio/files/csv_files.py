"""
CSV files as people have them: how one is written, found out from the file alone.

Its encoding, separator and heads are found before the first row is read, and DuckDB receives
them, so that it guesses nothing. A file that DuckDB could not read, in UTF-16 or Windows-1252 or
with lines that end in several ways, is rewritten as UTF-8 into a temporary folder first.
"""

from __future__ import annotations

import codecs
import csv
import glob
import gzip
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Final

from holdback.errors import ErrorDetail, InvalidDocument, listed
from holdback.exact.exact_json import shown_path
from holdback.frozen_classes import frozen
from holdback.portfolio.files.odd_rows import MOST_TITLES, check_heads
from holdback.portfolio.sql.words import identifier, text_literal
from holdback.rules.sql import DUCKDB

_SEPARATORS: Final = (",", ";", "\t", "|")
# By the bytes at the beginning of a file.
_MARKS: Final[Mapping[bytes, str]] = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CHUNK: Final = 1 << 20
# Excel reads its separator from such a first line, and writes one at times.
_SEPARATOR_LINE: Final = re.compile(r"sep=([,;\t|])\s*")
# A line of heads is never longer.
_LONGEST_HEAD: Final = 1 << 20


@frozen
class CsvFile:
    """A `file` in UTF-8 with `skipped` lines before its `heads`, which `separator` divides."""

    file: Path
    separator: str
    heads: tuple[str, ...]
    skipped: int = 0


def csv_query(pattern: str, usual_heads: frozenset[str], rewritten: ExitStack) -> str:
    """
    Return the SQL that reads the CSV files that match *pattern*, every column as text.

    *usual_heads* are heads that files of deals have: a title may be above them. Files that have to
    be rewritten are there until *rewritten* is closed.

    A row without any value is left out: spreadsheets write such rows below the last deal.

    Raises:
        InvalidDocument: if there is no such file, or if the heads of one cannot be columns.
    """
    # A file of this very name comes before what its name matches as a pattern.
    matching = glob.glob(pattern, recursive=True)  # noqa: PTH207  # a pattern may be absolute
    names = [pattern] if Path(pattern).is_file() else sorted(matching)
    if not names:
        message = f'No files found that match the pattern "{pattern}"'
        raise InvalidDocument.of("unreadable", message)
    files = [_opened(Path(name), usual_heads, rewritten) for name in names]
    _check_same_heads(names, files)
    groups: dict[tuple[str, tuple[str, ...], int], list[Path]] = {}
    for file in files:
        key = (file.separator, file.heads, file.skipped)
        groups.setdefault(key, []).append(file.file)
    return " UNION ALL BY NAME ".join(_select(*key, paths) for key, paths in groups.items())


def _select(separator: str, heads: Sequence[str], skipped: int, files: Iterable[Path]) -> str:
    listed_files = ", ".join(text_literal(glob.escape(str(file)), DUCKDB) for file in files)
    columns = ", ".join(f"{text_literal(head, DUCKDB)}: 'VARCHAR'" for head in heads)
    given = ", ".join(identifier(head, DUCKDB) for head in heads)
    return (
        f"SELECT * FROM read_csv([{listed_files}], auto_detect = false, "  # noqa: S608  # quoted
        f"columns = {{{columns}}}, delim = {text_literal(separator, DUCKDB)}, "
        "quote = '\"', escape = '\"', "
        f"header = true, skip = {skipped}) WHERE coalesce({given}) IS NOT NULL"
    )


def _opened(file: Path, usual_heads: frozenset[str], rewritten: ExitStack) -> CsvFile:
    encoding, is_regular = _encoding(file)
    lines = _first_lines(file, encoding)
    readable = file
    if not is_regular or encoding not in ("utf-8", "utf-8-sig"):
        readable = _rewritten(file, encoding, rewritten)
    match = _SEPARATOR_LINE.fullmatch(lines[0]) if lines else None
    skipped = 1 if match else 0
    if not "".join(lines[skipped:]).strip():
        message = f"{file.name} is empty"
        hint = "expected a line with the names of the columns, and a line for each deal"
        raise InvalidDocument.of("missing", message, hint=hint)
    while not lines[skipped].strip():
        skipped += 1
    separator, heads = _heads(lines, skipped, match[1] if match else None)
    check_heads(heads, _later_rows(lines, skipped), usual_heads, "line")
    return CsvFile(readable, separator, heads_of_columns(heads), skipped)


def _later_rows(lines: Sequence[str], skipped: int) -> Iterator[tuple[int, Sequence[str]]]:
    """The first lines after those *skipped*, with their numbers, divided as heads would be."""
    for number in range(skipped + 1, min(skipped + MOST_TITLES, len(lines))):
        yield number + 1, _heads(lines, number, None)[1]


def _bytes(file: Path) -> IO[bytes]:
    opened: Any = gzip.open if file.suffix.lower() == ".gz" else Path.open
    return opened(file, "rb")  # type: ignore[no-any-return]  # both open a file of bytes


def _encoding(file: Path) -> tuple[str, bool]:
    """The encoding of *file*, and whether all its lines end in one way that DuckDB reads."""
    with _bytes(file) as content:
        chunk = content.read(_CHUNK)
        encoding = next((name for mark, name in _MARKS.items() if chunk.startswith(mark)), "utf-8")
        if encoding == "utf-16":
            return encoding, False
        if b"\0" in chunk:
            message = f"{file.name} has bytes of zero, so it is not a text"
            raise InvalidDocument.of("unreadable", message, hint="save it as CSV in UTF-8")
        decode = codecs.getincrementaldecoder("utf-8")().decode
        feeds, both, returns = 0, 0, 0
        try:
            while chunk:
                decode(chunk)
                # A line that ends between two chunks may only make the file be rewritten.
                feeds += chunk.count(b"\n")
                both += chunk.count(b"\r\n")
                returns += chunk.count(b"\r")
                chunk = content.read(_CHUNK)
            decode(b"", final=True)
        except UnicodeDecodeError:
            return "windows-1252", False
    return encoding, (returns == 0 or (both == returns == feeds))


def _first_lines(file: Path, encoding: str) -> list[str]:
    """The lines at the beginning of *file*."""
    with _bytes(file) as content:
        text = content.read(_LONGEST_HEAD).decode(encoding, errors="replace")
    return re.split(r"\r\n|\n|\r", text)


def _rewritten(file: Path, encoding: str, rewritten: ExitStack) -> Path:
    """The path of a copy of *file* in UTF-8, with lines that end in a line feed."""
    folder = rewritten.enter_context(TemporaryDirectory(prefix="holdback-"))
    copy = Path(folder, "deals.csv")
    with _bytes(file) as content, copy.open("w", encoding="utf-8", newline="") as writer:
        decoder = codecs.getincrementaldecoder(encoding)()
        is_last = False
        held = ""
        while not is_last:
            chunk = content.read(_CHUNK)
            is_last = not chunk
            try:
                text = held + decoder.decode(chunk, final=is_last)
            except UnicodeDecodeError:
                message = f"{file.name} is neither in UTF-8 nor in {encoding.title()}"
                raise InvalidDocument.of(
                    "unreadable", message, hint="save it as CSV in UTF-8"
                ) from None
            # A return at the end of a chunk may belong to the line feed that follows.
            held = "\r" if text.endswith("\r") and not is_last else ""
            text = text[: len(text) - len(held)]
            writer.write(text.replace("\r\n", "\n").replace("\r", "\n"))
    return copy


def _heads(lines: Sequence[str], skipped: int, separator: str | None) -> tuple[str, list[str]]:
    """
    The separator and the heads after the lines *skipped*: it is the one that gives most of them.

    Raises:
        InvalidDocument: if a quote in them is never closed.
    """
    candidates = (separator,) if separator else _SEPARATORS
    readings = [(name, *_first_record(lines[skipped:], name)) for name in candidates]
    best, heads, is_closed = max(readings, key=lambda reading: len(reading[1]))
    if not is_closed:
        raise _unclosed_quote(skipped + 1)
    return best, heads


def _first_record(lines: Sequence[str], separator: str) -> tuple[list[str], bool]:
    """The values of the first record of *lines*, and whether its quotes are closed."""
    rows = csv.reader((f"{line}\n" for line in lines), delimiter=separator)
    try:
        record = next(rows, [])
    except csv.Error:  # a value is longer than any value is
        return lines[0].split(separator), False
    is_odd = sum(line.count('"') for line in lines[: rows.line_num]) % 2
    return record, not (is_odd and rows.line_num == len(lines) > 1)


def _unclosed_quote(line: int) -> InvalidDocument:
    return InvalidDocument.of(
        "unreadable",
        f"line {line} has a quote that is never closed",
        hint="delete the quote or close it; a quote within quotes is doubled",
    )


def heads_of_columns(heads: Sequence[str]) -> tuple[str, ...]:
    """
    Return *heads* without spaces around them; one without a name is `Unnamed: 0`, as in pandas.

    >>> heads_of_columns(["", " progress", "status"])
    ('Unnamed: 0', 'progress', 'status')

    Raises:
        InvalidDocument: naming every head that several columns have.
    """
    names = tuple(head.strip() or f"Unnamed: {place}" for place, head in enumerate(heads))
    counts = Counter(name.lower() for name in names)
    errors = [
        ErrorDetail(
            code="duplicate",
            message=f"{counts[name.lower()]} columns have this head",
            path=shown_path("$", name),
            hint="rename or delete all but one of them; capital letters make no difference",
        )
        for name in {name.lower(): name for name in names if counts[name.lower()] > 1}.values()
    ]
    if errors:
        raise InvalidDocument(errors)
    return names


def _check_same_heads(names: Sequence[str], files: Sequence[CsvFile]) -> None:
    first = frozenset(files[0].heads)
    for name, file in zip(names, files, strict=True):
        different = first ^ frozenset(file.heads)
        if different:
            raise InvalidDocument.of(
                "wrong_value",
                f"{names[0]} and {name} differ in their columns: {listed(sorted(different))}",
                hint="assess them one by one, or give them the same columns",
            )


def reading_error(message: str) -> InvalidDocument:
    """Return the error for a *message* of DuckDB about a CSV file, without its advice."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if line and counts:
        # DuckDB stops counting at the first value without a column.
        has_more = int(counts[2]) > int(counts[1])
        values = f"more than {counts[1]} values" if has_more else f"{counts[2]} values"
        return InvalidDocument.of(
            "wrong_value",
            f"line {line[1]} has {values}, and there are {counts[1]} columns",
            hint="put quotes around a value that holds the separator, such as a decimal comma; "
            "delete a title or a note",
        )
    if line and "unterminated quote" in message:
        return _unclosed_quote(int(line[1]))
    if line:  # what follows is the line itself, with what it says of people
        return InvalidDocument.of("unreadable", f"line {line[1]} cannot be read as CSV")
    first = message.split("Possible fixes", maxsplit=1)[0].split("\n\nLINE", maxsplit=1)[0]
    return InvalidDocument.of("unreadable", " ".join(first.split()))
