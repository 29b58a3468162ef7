"""One TOML file: its values, where they stand in the text, and everything that is wrong with it.

The size, the characters and the cost of a file are looked at before `tomllib` reads it; numbers are
read as exact decimals.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from attrs import field, frozen

from holdback.errors import ErrorDetail
from holdback.exact_json import Json
from holdback.toml.scanner import (
    Path,
    Spot,
    excess,
    headers,
    is_ordinary,
    spots,
    tokens,
)

# A hundred times a long rule file; what a file may cost is known before it is read.
MAX_BYTES: Final = 256 * 1024
# A longer line is not shown under its fault: nobody could read it there.
_LONGEST_SHOWN: Final = 400
_LONGEST_EXCERPT: Final = 60

_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,18}\.[0-9]{1,12}")
# Characters that cannot be seen or that turn the text around: a review would not show them.
_HIDDEN: Final = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_PYTHON_TUPLE: Final = re.compile(r"\('([^']*)',\)")
_AT: Final = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)


def excerpt(text: str) -> str:
    r"""
    *text* as a message may show it: not too long, and nothing in it that is no character.

    >>> excerpt("two\nlines")
    'two?lines'
    """
    shown = "".join(each if each.isprintable() else "?" for each in text[:_LONGEST_EXCERPT])
    return shown if len(text) <= _LONGEST_EXCERPT else f"{shown}..."


@frozen
class Unfit:
    """A number that TOML allows and holdback does not: with an exponent, infinite, not a number."""

    text: str


def _exact(text: str) -> Decimal | Unfit:
    return Decimal(text) if _DECIMAL.fullmatch(text) else Unfit(text)


@frozen(eq=False)
class Document:
    """One file: its name for people, its text, where things stand in it, and its faults."""

    file: str
    text: str = field(repr=False)
    errors: list[ErrorDetail] = field(repr=False)

    @cached_property
    def spots(self) -> Mapping[Path, Spot]:
        """Where every key and value stands; looked for when the first of them is asked for."""
        return spots(tokens(self.text))

    @cached_property
    def _headers(self) -> Mapping[Path, int]:
        """Where the tables of arrays begin, which is asked of every rule and example."""
        return headers(self.text)

    def line_of(self, path: Path) -> int | None:
        """The line on which what stands at *path* begins."""
        start = self._headers.get(path)
        if start is None:
            spot = self.spots.get(path)
            if spot is None:
                return None
            start = spot.key[0]
        return bisect_right(self._starts, start)

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins."""
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column, both from 1."""
        return self._starts[line - 1] + column - 1

    def line_at(self, offset: int) -> str:
        """The line in which *offset* lies."""
        start = self._starts[bisect_right(self._starts, offset) - 1]
        return self.text[start:].partition("\n")[0]

    def position(self, span: tuple[int, int], path: str | None = None) -> dict[str, Any]:
        """The place of the characters in *span*, as a fault has it."""
        line = bisect_right(self._starts, span[0])
        start = self._starts[line - 1]
        end = self._starts[line] - 1 if line < len(self._starts) else len(self.text)
        source = self.text[start:end].rstrip("\r")
        return {
            "path": path or None,
            "file": self.file,
            "line": line,
            "column": span[0] - start + 1,
            "source": source if len(source) <= _LONGEST_SHOWN else None,
            "width": max(1, min(span[1], end) - span[0]),
        }

    def fault(self, message: str, span: tuple[int, int], hint: str | None = None) -> None:
        """Note what is wrong with the characters in *span*."""
        self.errors.append(ErrorDetail(message=message, hint=hint, **self.position(span)))


def read_document(
    file: str, body: bytes, faults: list[ErrorDetail]
) -> tuple[Document, Json] | None:
    """
    The document in *body*, the bytes of *file*, and its values as `tomllib` reads them; None, and a
    fault more in *faults*, when it cannot be read.
    """
    text = _decoded(file, body, faults)
    if text is None:
        return None
    document = Document(file, text, faults)
    hidden = None if text.isascii() else _HIDDEN.search(text)
    if hidden is not None:
        message = f"an invisible character, U+{ord(hidden[0]):04X}"
        document.fault(message, hidden.span(), "remove it: it can make a text look like another")
        return None
    too_much = None if is_ordinary(text) else excess(tokens(text))
    if too_much is not None:
        message, token = too_much
        document.fault(message, (token.start, token.end))
        return None
    try:
        value = tomllib.loads(text, parse_float=_exact)
    except (ValueError, RecursionError) as error:
        _syntax(document, str(error))
        return None
    return document, value


def _decoded(file: str, body: bytes, faults: list[ErrorDetail]) -> str | None:
    def fault(message: str, hint: str | None = None) -> None:
        faults.append(ErrorDetail(message=message, file=file, hint=hint))

    if len(body) > MAX_BYTES:
        fault(f"the file has more than {MAX_BYTES // 1024} KiB")
    elif body.startswith(b"\xef\xbb\xbf"):
        fault("the file starts with a byte order mark", "save it as UTF-8 without one")
    elif b"\0" in body:
        fault("the file has a NUL character", "save it as UTF-8 text")
    else:
        try:
            return body.decode()
        except UnicodeDecodeError as error:
            line = body.count(b"\n", 0, error.start) + 1
            message = "the file is not UTF-8"
            faults.append(
                ErrorDetail(message=message, file=file, line=line, hint="save it as UTF-8")
            )
    return None


def _syntax(document: Document, message: str) -> None:
    """Note what `tomllib` said, where it said it."""
    match = _AT.fullmatch(message)
    offset = len(document.text.rstrip())
    if match is not None:
        message = match[1]
        if match[2] is not None:
            offset = document.offset(int(match[2]), int(match[3]))
    said = _PYTHON_TUPLE.sub(r"`\1`", message[:1].lower() + message[1:])
    document.fault(
        f"this is not TOML: {said}",
        (offset, offset + 1),
        _syntax_hint(said, document.line_at(offset)),
    )


# Slips of people who do not program, as they stand in a line.
_SLIPS: Final = (
    (
        re.compile(r"=\s*-?[0-9][0-9.]*\s*%"),
        'a percentage stands in quotes and without a space, as `"70%"`',
    ),
    (
        re.compile(r"=\s*[A-Z]{3} ?[0-9]"),
        'an amount stands in quotes, its currency in front, as `"GBP 5000.00"`',
    ),
    (
        re.compile(
            r"=\s*([0-9]{1,2}[-./][0-9]{1,2}[-./][0-9]{4}|[0-9]{4}([./]|-(1[3-9]|[2-9][0-9])-)"
            r"|[0-9]{4}-([0-9]-|[0-9]{2}-[0-9]\b|[0-9]{1,2}\b(?!-)))"
        ),
        "a date is year, month and day, as `2026-10-01`",
    ),
    (re.compile(r"^\s*//"), "a comment begins with `#`"),
    (re.compile(r"^\s*[a-z_]+\s*:"), "between a key and its value stands `=`"),
    (
        re.compile(r'=\s*"[^"]*"[A-Za-z ]+"[^"]*"'),
        "an expression with a text in it stands in single quotes: `'status == \"Funded\"'`",
    ),
)
# What the parser says, and what was probably meant.
_MEANT: Final = (
    ("cannot overwrite", "a key or a table is written once"),
    ("cannot declare", "one of a list has double brackets every time, as `[[rules]]`"),
    ("invalid initial character", "a table in braces stands on one line, keys in letters"),
    ("illegal character", "a text ends with the quote with which it begins"),
    ("unclosed array", "the entries of a list are separated by commas, and the list ends with `]`"),
    (
        "invalid value",
        'text, percentages and money stand in quotes, as `"75%"`; flags are `true` and `false`',
    ),
)
_LOOKED_AT: Final = 300  # characters of a line: what people write by hand


def _syntax_hint(message: str, line: str) -> str | None:
    """What was probably meant, by the parser's *message* and the *line* at which it stopped."""
    for pattern, hint in _SLIPS:
        if pattern.search(line[:_LOOKED_AT]):
            return hint
    return next((hint for start, hint in _MEANT if message.startswith(start)), None)
