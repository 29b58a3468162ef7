"""Values that know their place in a document, and the questions that a reader may ask of them.

A reader asks an item for what it expects: `item.text()`, `item.day()`, `item.quantity(type)`. What is
not there gives None without a word; what is wrong gives None and leaves a fault. So a reader never
stops at the first mistake, and every fault points at the characters that a person wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from attrs import field, frozen

from holdback.errors import ErrorDetail, InvalidDocument, RuleError, did_you_mean
from holdback.exact_json import Json
from holdback.money import scaled, trimmed
from holdback.rules.types import Kind, Type
from holdback.toml.document import Document, Unfit, excerpt, read_document
from holdback.toml.scanner import Path, Spot, offset_within

# More digits than any bounded number of holdback has; more would be a mistake.
MAX_DIGITS: Final = 18

# The longest text that a file may have: a long sentence.
MAX_TEXT: Final = 2_000

# A number without a unit; one of more characters is not repeated in a hint.
_BARE: Final = r"-?[0-9]+(\.[0-9]+)?"
_LONGEST_BARE: Final = 14

_ABSENT: Final = object()


def read_items(file: str, body: bytes, faults: list[ErrorDetail]) -> Item | None:
    """
    The item that holds everything in *body*, the bytes of *file*; None when it cannot be read at all.

    What is wrong is added to *faults*, now and while the items are asked.
    """
    if not isinstance(body, bytes):
        raise InvalidDocument([ErrorDetail(message="expected the bytes of the file", file=file)])
    read = read_document(file, body, faults)
    return None if read is None else Item(read[0], (), read[1])


def _named(value: object) -> str:
    """What *value* is, in words."""
    names: Iterable[tuple[Any, str]] = (
        (bool, "a flag"),
        (int, "a whole number"),
        ((Decimal, Unfit), "a number"),
        (str, "text"),
        (datetime, "a time"),
        (date, "a date"),
        (dict, "a table"),
        (list, "an array"),
    )
    return next((name for kind, name in names if isinstance(value, kind)), "a time")


def _shown(path: Path) -> str:
    """
    *path* as a TOML key path.

    >>> _shown(("rules", 2, "require"))
    'rules[2].require'
    """
    parts = (f"[{part}]" if isinstance(part, int) else f".{excerpt(part)}" for part in path)
    return "".join(parts).removeprefix(".")


@frozen(eq=False)
class Item:
    """A value of a document, its path, and questions to it."""

    document: Document = field(repr=False)
    path: Path
    value: Any = field(repr=False)

    # -- what it is

    @property
    def absent(self) -> bool:
        """Whether the document does not have it."""
        return self.value is _ABSENT

    @property
    def line(self) -> int | None:
        """The line on which it begins."""
        return self.document.line_of(self.path)

    def position(self, *, key: bool = False) -> Mapping[str, Any]:
        """Where it stands, its value or its *key*, as a fault has it."""
        spot = self.document.spots.get(self.path, Spot((0, 0), (0, 0)))
        return self.document.position(spot.key if key else spot.value, _shown(self.path))

    def fault(self, message: str, hint: str | None = None, *, key: bool = False) -> None:
        """Note what is wrong with it, pointing at its value, or at its *key*."""
        self.document.errors.append(
            ErrorDetail(message=message, hint=hint, **self.position(key=key))
        )

    def rule_fault(self, error: RuleError) -> None:
        """Note what is wrong with the expression that it holds, pointing into the text."""
        self.part_fault((error.start, error.end), error.message, error.hint)

    def part_fault(self, part: tuple[int, int], message: str, hint: str | None = None) -> None:
        """Note what is wrong with some characters of the text that it holds, from one up to another."""
        place = self.part_position(part)
        self.document.errors.append(ErrorDetail(message=message, hint=hint, **place))

    def part_position(self, part: tuple[int, int]) -> Mapping[str, Any]:
        """Where some characters of the text that it holds stand, as a fault has it."""
        start, end = self.document.spots[self.path].value
        raw = self.document.text[start:end]
        span = (start, end)
        if "\n" not in raw:
            first, last = offset_within(raw, part[0]), offset_within(raw, part[1])
            span = (start + first, start + min(last, len(raw) - 1))
        return self.document.position(span, _shown(self.path))

    def expected(self, what: str, hint: str | None = None) -> None:
        """Note that *what* was expected, and what is there."""
        self.fault(f"expected {what}, not {_named(self.value)}", hint)

    def unknown_key(self, known: Collection[str]) -> str | None:
        """Note that its key is none of the *known* ones; the one that was meant, if that is clear."""
        key = str(self.path[-1])
        listed = ", ".join(f"`{each}`" for each in known)
        hint = did_you_mean(key, known)
        self.fault(f"unknown key `{excerpt(key)}`", hint or f"the keys here are {listed}", key=True)
        return None if hint is None else hint.split("`")[1]

    # -- its parts

    def keys(self, required: Collection[str], optional: Collection[str] = ()) -> Keys:
        """
        Its parts by key: all of the *required* and the *optional* ones, absent or not. An unknown key
        is a fault, and so is a required one that is not there.
        """
        if not isinstance(self.value, dict):
            if not self.absent:
                self.expected("a table")
            return Keys(self, (*required, *optional), {})
        parts, meant = {}, set()
        for key, value in self.value.items():
            part = Item(self.document, (*self.path, key), value)
            if key in required or key in optional:
                parts[key] = part
            else:
                meant.add(part.unknown_key([*required, *optional]))
        for key in required:
            if key not in self.value and key not in meant:
                self.fault(f"`{key}` is missing", key=True)
        return Keys(self, (*required, *optional), parts)

    def pairs(self) -> Mapping[str, Item]:
        """Its parts by key, whatever the keys are."""
        if isinstance(self.value, dict):
            return {
                key: Item(self.document, (*self.path, key), value)
                for key, value in self.value.items()
            }
        if not self.absent:
            self.expected("a table")
        return {}

    def items(self) -> list[Item]:
        """Its items, in order."""
        if isinstance(self.value, list):
            return [
                Item(self.document, (*self.path, place), value)
                for place, value in enumerate(self.value)
            ]
        if not self.absent:
            self.expected("an array")
        return []

    # -- its value

    def text(
        self, pattern: str | None = None, expected: str = "text", most: int = MAX_TEXT
    ) -> str | None:
        """Its text on one line, not empty, of *most* characters; of a *pattern* where there is one."""
        if self.absent:
            return None
        if not isinstance(self.value, str):
            self.expected(expected)
            return None
        if self.is_blank():
            return None
        if not self.value.isprintable():
            self.fault("expected printable text on one line")
            return None
        if pattern is not None and re.fullmatch(pattern, self.value) is None:
            self.fault(f"expected {expected}")
            return None
        if len(self.value) > most:
            self.fault(f"a text has at most {most} characters here")
            return None
        return self.value

    def is_blank(self) -> bool:
        """Whether it is an empty text, as in a folder that is to be filled in; then it is noted."""
        blank = isinstance(self.value, str) and not self.value.strip()
        if blank:
            self.fault("this is empty", "fill it in")
        return blank

    def one_of(self, words: Collection[str], what: str = "word") -> str | None:
        """Its text, which is one of *words*."""
        if self.absent:
            return None
        if not isinstance(self.value, str):
            self.expected("text")
            return None
        if self.value not in words:
            listed = ", ".join(f"`{word}`" for word in words)
            hint = did_you_mean(self.value, words) or f"expected one of {listed}"
            self.fault(f"unknown {what} `{excerpt(self.value)}`", hint)
            return None
        return self.value

    def texts(self, words: Collection[str], what: str) -> tuple[str, ...]:
        """Its texts, each one of *words*."""
        found = (item.one_of(words, what) for item in self.items())
        return tuple(word for word in found if word is not None)

    def day(self) -> date | None:
        """Its date."""
        if self.absent:
            return None
        if isinstance(self.value, date) and not isinstance(self.value, datetime):
            return self.value
        if self.is_blank():
            return None
        quoted = isinstance(self.value, str)
        hint = "write it without quotes" if quoted else None
        self.expected("a date such as `2026-07-01`", hint)
        return None

    def whole(self, low: int, high: int) -> int | None:
        """Its whole number, from *low* to *high*."""
        if self.absent:
            return None
        if type(self.value) is not int:
            self.expected("a whole number")
            return None
        if not low <= self.value <= high:
            self.fault(f"expected {low} to {high}")
            return None
        return self.value

    def flag(self) -> bool | None:
        """Its flag."""
        if self.absent:
            return None
        if not isinstance(self.value, bool):
            hint = "write `true` or `false` without quotes" if isinstance(self.value, str) else None
            self.expected("`true` or `false`", hint)
            return None
        return self.value

    def quantity(self, type_: Type) -> int | None:
        """Its value as the whole number of *type_*, written with its unit."""
        if self.absent:
            return None
        if self.is_blank():
            return None
        if self.lacks_unit(type_):
            return None
        value = self.value
        if isinstance(value, date) and type_.kind is not Kind.DATE:
            self.expected(str(type_))
            return None
        if type_.kind is Kind.DATE:
            value = self.day()
            return None if value is None else int(value.toordinal())
        return self.read(type_.read)

    def lacks_unit(self, type_: Type) -> bool:
        """Whether it is a percentage or money without its unit; then that is noted."""
        unit = self._unit_hint(type_)
        if unit is not None:
            self.fault(f"expected {type_} in quotes, with its unit", unit)
        return unit is not None

    def _unit_hint(self, type_: Type) -> str | None:
        """What to write instead, when a percentage or money stands without its unit."""
        value = self.value
        if type(value) not in (int, Decimal, str):
            return None
        number = value if isinstance(value, str) else str(value)
        if not re.fullmatch(_BARE, number):
            return None
        if type_.kind is Kind.PERCENT:
            if len(number) > _LONGEST_BARE:
                return 'as `"12.5%"`'
            # A fraction may be meant: 0.7 for 70%. A hundredfold mistake is not to be guessed at.
            fraction = abs(Decimal(number)) <= 1
            whole = f' or `"{trimmed(scaled(Decimal(number), 12), 10)}%"`' if fraction else ""
            return f'write `"{number}%"`{whole}'
        if type_.kind is not Kind.MONEY:
            return None
        return f'write `"{type_.currency} {number[:MAX_DIGITS]}"`'

    def read(self, reader: Callable[[object], int | None]) -> int | None:
        """What *reader* makes of its plain value; the `ValueError` that it raises is a fault."""
        value = self.plain()
        if value is None:
            return None
        try:
            number = reader(value)
        except ValueError as error:
            self.fault(str(error))
            return None
        assert number is not None, "a file cannot hold a value that is missing"
        return number

    def plain(self) -> Json:
        """Its value as plain exact values: dates as text, decimals as `Decimal`."""
        value = self.value
        if self.absent:
            return None
        if isinstance(value, dict):
            return {key: part.plain() for key, part in self.pairs().items()}
        if isinstance(value, list):
            return [part.plain() for part in self.items()]
        if isinstance(value, bool | str | Decimal):
            return value
        if isinstance(value, int):
            if abs(value) >= 10**MAX_DIGITS:
                self.fault(f"a number has at most {MAX_DIGITS} digits")
                return None
            return value
        if isinstance(value, date) and not isinstance(value, datetime):
            return value.isoformat()
        if isinstance(value, Unfit):
            self.fault(
                "a number is written in plain digits, with at most 12 decimals and no exponent"
            )
            return None
        self.fault("expected a date such as `2026-07-01`, not a time")
        return None


@frozen(eq=False)
class Keys:
    """The parts of a table by key; a key that the document does not have gives an absent item."""

    item: Item
    _known: tuple[str, ...]
    _parts: Mapping[str, Item]

    def __contains__(self, key: str) -> bool:
        """Whether there may be such a key."""
        return key in self._known

    def __getitem__(self, key: str) -> Item:
        part = self._parts.get(key)
        if part is not None:
            return part
        assert key in self._known, f"nobody said that there may be a `{key}`"
        return Item(self.item.document, (*self.item.path, key), _ABSENT)
