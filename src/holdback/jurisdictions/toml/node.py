"""Values of a TOML document that know their place, and the types that a reader may ask them for.

A reader asks a node for what it expects: `node.text()`, `node.day()`, `node.table(required)`. An
absent node returns None and adds nothing; an invalid one returns None and adds an error with its
place. So a reader never stops at the first mistake, and every error points at the characters that
somebody wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Final

from attrs import field

from holdback.errors import (
    ErrorDetail,
    InvalidDocument,
    code_of,
    did_you_mean,
    excerpt,
    listed,
    readings_of,
    write_instead,
)
from holdback.exact.exact_json import Json, shown_path
from holdback.frozen_classes import frozen
from holdback.jurisdictions.toml.document import Document, UnsupportedNumber, read_document
from holdback.jurisdictions.toml.scanner import Path, Spans, offset_in_literal
from holdback.rules.written import day_readings

# More digits than any bounded number of holdback has; more would be a mistake.
MAX_DIGITS: Final = 18

# The longest text that a file may have: a long sentence.
MAX_TEXT: Final = 2_000


class _Absent(Enum):
    """The value of an absent node: a member of an enumeration, which a pickled node keeps."""

    ABSENT = "absent"


_ABSENT: Final = _Absent.ABSENT


def read_toml(file: str, body: bytes, errors: list[ErrorDetail]) -> Node | None:
    """Return the root node of *body*, the bytes of *file*; None when it is not readable TOML.

    Errors are appended to *errors*, now and later, while the nodes are read.
    """
    if not isinstance(body, bytes):
        raise InvalidDocument(
            [ErrorDetail(code="wrong_type", message="expected the bytes of the file", file=file)]
        )
    read = read_document(file, body, errors)
    return None if read is None else Node(read[0], (), read[1])


def _type_name(value: object) -> str:
    """Return the TOML type of *value* in words."""
    # Subclasses first: bool is an int, and datetime is a date.
    names: Iterable[tuple[Any, str]] = (
        (bool, "a flag"),
        (int, "a whole number"),
        ((Decimal, UnsupportedNumber), "a number"),
        (str, "text"),
        (datetime, "a time"),
        (date, "a date"),
        (dict, "a table"),
        (list, "an array"),
    )
    return next((name for type_, name in names if isinstance(value, type_)), "a time")


def _json_path(path: Path) -> str | None:
    """
    Return *path* as a JSON path; None for the whole document.

    >>> _json_path(("rules", 2, "require"))
    '$.rules[2].require'
    """
    text = "$"
    for part in path:
        text = f"{text}[{part}]" if isinstance(part, int) else shown_path(text, part)
    return text if path else None


@frozen(eq=False)
class Node:
    """A value of a document, at a path; its methods read it as the type that the caller expects."""

    document: Document = field(repr=False)
    path: Path
    value: Any = field(repr=False)

    # -- place and errors

    @property
    def absent(self) -> bool:
        """Whether the document lacks it."""
        return self.value is _ABSENT

    @property
    def line(self) -> int | None:
        """The line on which it begins."""
        return self.document.line_of(self.path)

    @property
    def last_line(self) -> int | None:
        """The line on which it ends, without tables that have a header of their own."""
        return self.document.last_line_of(self.path)

    def position(self, *, key: bool = False) -> Mapping[str, Any]:
        """Return the place of its value, or of its *key*, as the keywords of an `ErrorDetail`."""
        spans = self.document.spans.get(self.path, Spans((0, 0), (0, 0)))
        return self.document.position(spans.key if key else spans.value, _json_path(self.path))

    def position_of_part(self, part: tuple[int, int]) -> Mapping[str, Any]:
        """Return the place of the characters of its text from one index up to another."""
        start, end = self.document.spans[self.path].value
        literal = self.document.text[start:end]
        span = (start, end)
        # In a multi-line string the whole string is marked: a mark covers one line.
        if "\n" not in literal:
            first, last = (offset_in_literal(literal, index) for index in part)
            span = (start + first, start + min(last, len(literal) - 1))
        return self.document.position(span, _json_path(self.path))

    def add_error(
        self, code: str, message: str, hint: str | None = None, *, key: bool = False
    ) -> None:
        """Add an error that points at its value, or at its *key*."""
        self.document.errors.append(
            ErrorDetail(code=code, message=message, hint=hint, **self.position(key=key))
        )

    def add_error_at_part(
        self, part: tuple[int, int], code: str, message: str, hint: str | None = None
    ) -> None:
        """Add an error that points at the characters of its text from one index up to another."""
        position = self.position_of_part(part)
        self.document.errors.append(ErrorDetail(code=code, message=message, hint=hint, **position))

    def add_type_error(self, expected: str, hint: str | None = None) -> None:
        """Add the error that *expected* was expected here, and not what it is."""
        self.add_error("wrong_type", f"expected {expected}, not {_type_name(self.value)}", hint)

    def _add_unknown_key(self, known_keys: Collection[str]) -> str | None:
        """Add the error that its key is unknown, and return the key that was probably meant."""
        key = str(self.path[-1])
        hint = did_you_mean(key, known_keys)
        self.add_error(
            "unknown_field",
            f"unknown key `{excerpt(key)}`",
            hint or f"the keys here are {listed(known_keys, key)}",
            key=True,
        )
        return None if hint is None else hint.split("`")[1]

    # -- tables and arrays

    def table(self, required: Collection[str], optional: Collection[str] = ()) -> TomlTable:
        """Return it as a table with *required* and *optional* keys.

        An unknown key is an error, and so is a required key that is missing, unless an unknown key
        is clearly a misspelling of it.
        """
        if not isinstance(self.value, dict):
            if not self.absent:
                self.add_type_error("a table")
            return TomlTable(self, (*required, *optional), {})
        children, misspelled = {}, set()
        for key, value in self.value.items():
            child = Node(self.document, (*self.path, key), value)
            if key in required or key in optional:
                children[key] = child
            else:
                misspelled.add(child._add_unknown_key([*required, *optional]))
        for key in required:
            if key not in self.value and key not in misspelled:
                self.add_error("missing", f"`{key}` is missing", key=True)
        return TomlTable(self, (*required, *optional), children)

    def entries(self) -> Mapping[str, Node]:
        """Return the nodes of a table by key; every key is allowed."""
        if isinstance(self.value, dict):
            return {
                key: Node(self.document, (*self.path, key), value)
                for key, value in self.value.items()
            }
        if not self.absent:
            self.add_type_error("a table")
        return {}

    def elements(self) -> list[Node]:
        """Return the nodes of an array, in order."""
        if isinstance(self.value, list):
            return [
                Node(self.document, (*self.path, place), value)
                for place, value in enumerate(self.value)
            ]
        if not self.absent:
            self.add_type_error("an array")
        return []

    # -- single values

    def text(
        self,
        pattern: str | None = None,
        expected: str = "text",
        *,
        max_length: int = MAX_TEXT,
    ) -> str | None:
        """Return its text: one printable line that is not blank, and matches *pattern* if given."""
        if self.absent:
            return None
        if not isinstance(self.value, str):
            self.add_type_error(expected)
            return None
        if self.is_blank():
            return None
        if not self.value.isprintable():
            self.add_error("wrong_value", "expected printable text on one line")
            return None
        if pattern is not None and re.fullmatch(pattern, self.value) is None:
            self.add_error("wrong_value", f"expected {expected}")
            return None
        if len(self.value) > max_length:
            self.add_error("too_large", f"a text has at most {max_length} characters here")
            return None
        return self.value

    def is_blank(self) -> bool:
        """Return whether it is a blank text, to be filled in, and add an error if so."""
        blank = isinstance(self.value, str) and not self.value.strip()
        if blank:
            self.add_error("missing", "this is empty", "fill it in")
        return blank

    def one_of(self, words: Collection[str], what: str = "word") -> str | None:
        """Return its text, which must be one of *words*; *what* names them in the error."""
        if self.absent:
            return None
        if not isinstance(self.value, str):
            self.add_type_error("text")
            return None
        if self.value not in words:
            near = did_you_mean(self.value, words)
            hint = near or f"expected one of {listed(words, self.value)}"
            self.add_error("wrong_value", f"unknown {what} `{excerpt(self.value)}`", hint)
            return None
        return self.value

    def several_of(self, words: Collection[str], what: str) -> tuple[str, ...]:
        """Return the texts of an array, all of which must be among *words*; skip invalid ones."""
        texts = (element.one_of(words, what) for element in self.elements())
        return tuple(text for text in texts if text is not None)

    def day(self) -> date | None:
        """Return its date."""
        if self.absent:
            return None
        if isinstance(self.value, date) and not isinstance(self.value, datetime):
            return self.value
        if self.is_blank():
            return None
        hint = None
        if isinstance(self.value, str):
            hint = write_instead(day_readings(self.value))
            hint = f"{hint}, without quotes" if hint else "write it without quotes"
        self.add_type_error("a date such as `2026-07-01`", hint)
        return None

    def integer(self, low: int, high: int) -> int | None:
        """Return its whole number, from *low* to *high*."""
        if self.absent:
            return None
        if type(self.value) is not int:
            self.add_type_error("a whole number")
            return None
        if not low <= self.value <= high:
            self.add_error("out_of_range", f"expected {low} to {high}")
            return None
        return self.value

    def flag(self) -> bool | None:
        """Return its flag."""
        if self.absent:
            return None
        if not isinstance(self.value, bool):
            hint = "write `true` or `false` without quotes" if isinstance(self.value, str) else None
            self.add_type_error("`true` or `false`", hint)
            return None
        return self.value

    def converted(self, convert: Callable[[object], int | None]) -> int | None:
        """Return `convert(self.json())`; a `ValueError` of *convert* becomes an error."""
        value = self.json()
        if value is None:
            return None
        try:
            number = convert(value)
        except ValueError as error:
            self.add_error(code_of(error), str(error), write_instead(readings_of(error)))
            return None
        assert number is not None, "TOML has no null"
        return number

    def json(self) -> Json:
        """Return its value in exact JSON types: dates as text, decimals as `Decimal`."""
        value = self.value
        if self.absent:
            return None
        if isinstance(value, dict):
            return {key: child.json() for key, child in self.entries().items()}
        if isinstance(value, list):
            return [element.json() for element in self.elements()]
        if isinstance(value, bool | str | Decimal):
            return value
        if isinstance(value, int):
            if abs(value) >= 10**MAX_DIGITS:
                self.add_error("too_large", f"a number has at most {MAX_DIGITS} digits")
                return None
            return value
        if isinstance(value, date) and not isinstance(value, datetime):
            return value.isoformat()
        if isinstance(value, UnsupportedNumber):
            self.add_error(
                "wrong_value",
                "a number is written in plain digits, with at most 12 decimals and no exponent",
            )
            return None
        self.add_error("wrong_type", "expected a date such as `2026-07-01`, not a time")
        return None


@frozen(eq=False)
class TomlTable:
    """A table with a fixed set of keys; a key that the document lacks gives an absent node."""

    node: Node
    _keys: tuple[str, ...]
    _children: Mapping[str, Node]

    def __contains__(self, key: str) -> bool:
        """Whether *key* is one of its keys, present or absent."""
        return key in self._keys

    def __getitem__(self, key: str) -> Node:
        child = self._children.get(key)
        if child is not None:
            return child
        assert key in self._keys, f"`{key}` is not a key of this table"
        return Node(self.node.document, (*self.node.path, key), _ABSENT)
