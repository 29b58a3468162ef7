"""One TOML file: its text, the place of every value in it, and the errors found so far.

The size, the characters and the cost of a file are checked before `tomllib` reads it, and decimal
numbers are read exactly, never as floats.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from attrs import field

from holdback.errors import ErrorDetail, excerpt, write_instead
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.toml.scanner import (
    Path,
    Spans,
    array_table_offsets,
    is_surely_within_limits,
    limit_exceeded,
    locate,
    tokens,
)
from holdback.rules.slips import NO_SEPARATORS
from holdback.rules.written import count_readings, day_readings, readings_by_unit

# A hundred times a long rule file. Checked first, so that the cost of any file is bounded.
MAX_BYTES: Final = 256 * 1024
# A longer source line is not shown below its error: its mark would be off the screen.
_MAX_SOURCE_LINE: Final = 400

_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,18}\.[0-9]{1,12}")
# Characters that are invisible or reverse the direction of text: a reviewer would approve another
# rule than the one that is read ("Trojan Source", CVE-2021-42574).
_HIDDEN: Final = "[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
# The patterns from here on are compiled when they are first used, which is only for errors.
# `tomllib` names a table by the tuple of its keys: `('rules',)`.
_PYTHON_TUPLE: Final = r"\('([^']*)',\)"
_AT: Final = r"(?s)(.*) \(at (?:line (\d+), column (\d+)|end of document)\)"


@frozen
class UnsupportedNumber:
    """A number that TOML allows and holdback does not: `1e3`, `inf`, `nan`, or many digits."""

    text: str


def _exact(text: str) -> Decimal | UnsupportedNumber:
    return Decimal(text) if _DECIMAL.fullmatch(text) else UnsupportedNumber(text)


@frozen(eq=False)
class Document:
    """A file by its name for people, its text, and the errors found in it so far."""

    file: str
    text: str = field(repr=False)
    errors: list[ErrorDetail] = field(repr=False)

    @cached_property
    def spans(self) -> Mapping[Path, Spans]:
        """The span of every key and value, computed only when the first one is asked for."""
        return locate(tokens(self.text))

    @cached_property
    def _array_tables(self) -> Mapping[Path, int]:
        # Kept apart from `spans`: rules and examples of a valid file need nothing but their line.
        return array_table_offsets(self.text)

    def line_of(self, path: Path) -> int | None:
        """Return the line, from 1, on which the value at *path* begins."""
        start = self._array_tables.get(path)
        if start is None:
            spans = self.spans.get(path)
            if spans is None:
                return None
            start = spans.key[0]
        return bisect_right(self._line_starts, start)

    def last_line_of(self, path: Path) -> int | None:
        """
        Return the last line of the value at *path*.

        That of a table is the line of its last key; tables with a header of their own are others.
        """
        if path not in self.spans:
            return None
        ends = [self.spans[path].value[1]]
        for inner, spans in self.spans.items():
            if inner[:-1] == path and spans.key != spans.value:
                ends.append(spans.value[1])
        return bisect_right(self._line_starts, max(ends) - 1)

    @cached_property
    def _line_starts(self) -> list[int]:
        """The offset at which each line begins."""
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column, both from 1."""
        return self._line_starts[line - 1] + column - 1

    def line_at(self, offset: int) -> str:
        """Return the text of the line that contains *offset*."""
        start = self._line_starts[bisect_right(self._line_starts, offset) - 1]
        return self.text[start:].partition("\n")[0]

    def position(self, span: tuple[int, int], path: str | None = None) -> dict[str, Any]:
        """Return the place of the characters in *span*, as the keywords of an `ErrorDetail`."""
        line = bisect_right(self._line_starts, span[0])
        start = self._line_starts[line - 1]
        end = self._line_starts[line] - 1 if line < len(self._line_starts) else len(self.text)
        source = self.text[start:end].rstrip("\r")
        return {
            "path": path,
            "file": self.file,
            "line": line,
            "column": span[0] - start + 1,
            "source": source if len(source) <= _MAX_SOURCE_LINE else None,
            "width": max(1, min(span[1], end) - span[0]),
        }

    def add_error(
        self, code: str, message: str, span: tuple[int, int], hint: str | None = None
    ) -> None:
        """Add an error about the characters in *span*."""
        self.errors.append(
            ErrorDetail(code=code, message=message, hint=hint, **self.position(span))
        )


def read_document(
    file: str, body: bytes, errors: list[ErrorDetail]
) -> tuple[Document, Json] | None:
    """Return the document in *body*, the bytes of *file*, and its values as `tomllib` reads them.

    When it cannot be read, return None and append the error to *errors*.
    """
    text = _decoded(file, body, errors)
    if text is None:
        return None
    document = Document(file, text, errors)
    hidden = None if text.isascii() else re.search(_HIDDEN, text)
    if hidden is not None:
        message = f"an invisible character, U+{ord(hidden[0]):04X}"
        hint = "remove it: it can make one text look like another"
        document.add_error("malformed", message, hidden.span(), hint)
        return None
    exceeded = None if is_surely_within_limits(text) else limit_exceeded(tokens(text))
    if exceeded is not None:
        message, token = exceeded
        document.add_error("too_large", message, (token.start, token.end))
        return None
    try:
        value = tomllib.loads(text, parse_float=_exact)
    except (ValueError, RecursionError) as error:
        _add_syntax_error(document, str(error))
        return None
    return document, value


def _decoded(file: str, body: bytes, errors: list[ErrorDetail]) -> str | None:
    line, code = None, "malformed"
    if len(body) > MAX_BYTES:
        code, message, hint = "too_large", f"the file has more than {MAX_BYTES // 1024} KiB", None
    elif body.startswith(b"\xef\xbb\xbf"):
        message, hint = "the file starts with a byte order mark", "save it as UTF-8 without one"
    elif b"\0" in body:
        message, hint = "the file has a NUL character", "save it as UTF-8 text"
    else:
        try:
            return body.decode()
        except UnicodeDecodeError as error:
            line = body.count(b"\n", 0, error.start) + 1
            message, hint = "the file is not UTF-8", "save it as UTF-8"
    errors.append(ErrorDetail(code=code, message=message, file=file, line=line, hint=hint))
    return None


def _add_syntax_error(document: Document, message: str) -> None:
    """Add the error that `tomllib` reports in *message*, at the place that it names."""
    match = re.fullmatch(_AT, message)
    offset = len(document.text.rstrip())
    if match is not None:
        message = match[1]
        if match[2] is not None:
            offset = document.offset(int(match[2]), int(match[3]))
    reported = re.sub(_PYTHON_TUPLE, r"`\1`", message[:1].lower() + message[1:])
    document.add_error(
        "malformed",
        f"this is not TOML: {reported}",
        (offset, offset + 1),
        _syntax_hint(reported, document.line_at(offset)),
    )


# Frequent mistakes of authors who are not programmers, as they appear in a line, and a hint for
# each.
_FREQUENT_MISTAKES: Final = (
    (
        r"=\s*-?[0-9][0-9.]*\s*%",
        'write a percentage in quotes and without a space, as `"70%"`',
    ),
    (
        r"=\s*([A-Z]{3} ?[0-9]|[0-9][0-9., ]*[A-Z]{3}\b)",
        'write an amount in quotes, its currency in front, as `"GBP 5000.00"`',
    ),
    (
        (
            r"=\s*([0-9]{1,2}[-./][0-9]{1,2}[-./][0-9]{4}|[0-9]{4}([./]|-(1[3-9]|[2-9][0-9])-)"
            r"|[0-9]{4}-([0-9]-|[0-9]{2}-[0-9]\b|[0-9]{1,2}\b(?!-)))"
        ),
        "a date is year, month and day, as `2026-10-01`",
    ),
    (
        r"=\s*[0-9]+ ?(day|week|month|year)s?\b",
        'a number of days is in quotes, as `"21 days"`; a count has no unit, as `9`',
    ),
    (r"^\s*//", "a comment begins with `#`"),
    (r"^\s*[a-z_]+\s*:", "write `=` between a key and its value"),
    (
        r'=\s*"[^"]*"[A-Za-z ]+"[^"]*"',
        "write an expression that contains a text in single quotes: `'status == \"Funded\"'`",
    ),
)
# The beginning of a message of `tomllib`, and what the author probably meant.
_PARSER_HINTS: Final = (
    ("cannot overwrite", "a key or a table is written once"),
    ("cannot declare", "an entry of a list has double brackets every time, as `[[rules]]`"),
    ("invalid initial character", "an inline table is on one line, its keys in letters"),
    ("illegal character", "a text ends with the quote with which it begins"),
    ("unclosed array", "the entries of a list are separated by commas, and the list ends with `]`"),
    (
        "invalid value",
        'write text, percentages and money in quotes, as `"75%"`; flags are `true` and `false`',
    ),
)
# A text in curly quotes.
_CURLY: Final = (
    "[=,{\\[]\\s*[\u2018\u2019\u201c\u201d\u201e]"
    "([^\u2018\u2019\u201c\u201d\"']*)[\u2018\u2019\u201c\u201d]"
)
# A value without quotes, up to the end of its line or the next key of an inline table.
_UNQUOTED: Final = r"=\s*([^\s\"'\[{#=][^\"#\[\]{}=]*?)(?=\s*(?:,\s*[A-Za-z_]+\s*=|[}\]#]|$))"
# Hand-written lines are shorter; the patterns above are not run over megabytes of hostile text.
_MAX_HINTED_LINE: Final = 300


def _syntax_hint(message: str, line: str) -> str | None:
    """Return what the author probably meant by *line*, where the parser gave *message*."""
    line = line[:_MAX_HINTED_LINE]
    curly = re.search(_CURLY, line)
    if curly is not None:
        return f'use straight quotes, as `"{excerpt(curly[1])}"`'
    right = _right_value(line)
    if right is not None:
        return right
    for pattern, hint in _FREQUENT_MISTAKES:
        if re.search(pattern, line):
            return hint
    return next((hint for start, hint in _PARSER_HINTS if message.startswith(start)), None)


def _right_value(line: str) -> str | None:
    """Return how the value of *line*, which is not TOML, is written as what its unit says."""
    for value in re.findall(_UNQUOTED, line):
        meanings = readings_by_unit(value)
        if not meanings or meanings == (value,):
            continue
        if day_readings(value):
            return f"{write_instead(meanings)}: a date is year, month and day"
        if not any(sign.isalpha() or sign == "%" for sign in meanings[0]):
            return f"{write_instead(meanings)}: {NO_SEPARATORS}"
        quoted = write_instead(f'"{reading}"' for reading in meanings)
        count = "".join(f"; a count has no unit, as `{count}`" for count in count_readings(value))
        return f"{quoted}: a value with a unit is in quotes{count}"
    return None
