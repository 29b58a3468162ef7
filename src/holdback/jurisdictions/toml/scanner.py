"""Tokens of a TOML text, limits on what it costs to read, and the place of every key and value.

`tomllib` returns values without their places, and hostile input of a few lines keeps it busy for
seconds. So the text is split into tokens here, in one pass: before `tomllib` reads it, to refuse
what would cost too much (`limit_exceeded`), and afterwards, only when a place is asked for, to find
every key and value (`locate`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from holdback.frozen_classes import frozen

# The path of a value in a document: keys, and indexes from 0 into arrays.
Path: TypeAlias = tuple[str | int, ...]

# `tomllib` needs quadratic time for dotted keys and recurses into nested values. Rule files have at
# most three parts to a key and nest four deep.
MAX_KEY_PARTS: Final = 8
MAX_DEPTH: Final = 32
# Ten times the tokens of the longest rule file that ships.
MAX_TOKENS: Final = 40_000
# Converting an integer takes quadratic time in its digits, so bare words (keys, numbers) are short.
MAX_WORD: Final = 64

# Possessive quantifiers (`*+`, `++`) keep the scan linear: nothing that was matched is tried again.
# Compiled when first used: nearly every file is read without its tokens.
_LEXEME: Final = r'''(?xs)
      (?:[ \t\r]++ | \#[^\n]*+)*+  # skip spaces and comments
    (?: (?P<word>[A-Za-z0-9_+:-]+)
      | (?P<symbol>[\[\]{},=])
      | (?P<newline>\n)
      | (?P<text>(?!""")"(?:[^"\\\n]++|\\.)*+"
               | (?!\'\'\')\'[^\'\n]*\'
               | """(?:\\.|[^\\])*?"""(?:"{0,2})
               | \'\'\'.*?\'\'\'(?:\'{0,2}))
      | (?P<open>["\'])
      | (?P<dot>\.)
      | (?P<other>.)
      | \Z
    )'''
_ESCAPE: Final = r"(?s)\\u....|\\U........|\\.|."


class Token(NamedTuple):
    """A piece of a TOML text from offset `start` up to `end`; spaces and comments are skipped."""

    kind: str
    text: str
    start: int
    end: int


@frozen
class Spans:
    """The characters of a key and of its value, as offsets from start to end.

    An array element has no key; its `key` is the span of the element.
    """

    key: tuple[int, int]
    value: tuple[int, int]


def tokens(text: str) -> list[Token]:
    """Return the tokens of *text*, up to the first string that is never closed.

    `tomllib` stops at the same place, so nothing that it reads is missed.
    """
    result: list[Token] = []
    make = Token._make
    for match in re.finditer(_LEXEME, text):
        kind = match.lastgroup
        if kind == "open" or kind is None:
            break
        piece, end = match[kind], match.end()
        result.append(make((kind, piece, end - len(piece), end)))
    return result


# Everything up to the next bracket in a file that is within the limits: short words, strings on one
# line, keys of few parts. The quantifiers are possessive, so the scan is linear for any input.
_WORD: Final = rf"[A-Za-z0-9_+:-]{{1,{MAX_WORD}}}+(?![A-Za-z0-9_+:-])"
_LINE_TEXT: Final = r""" "(?:[^"\\\n]++|\\[^\n])*+" | '[^'\n]*+' """
_STRETCH: Final = re.compile(
    rf"""
    (?: [ \t\r\n,=]++
      | \#[^\n]*+
      | (?:{_WORD}|{_LINE_TEXT})
        (?:[ \t]*+\.[ \t]*+(?:{_WORD}|{_LINE_TEXT})){{0,{MAX_KEY_PARTS - 2}}}+
        (?![ \t]*+\.)
    )*+
    """,
    re.VERBOSE,
)
_HEADER: Final = re.compile(
    r"^[ \t]*(?P<header>\[\[[ \t]*(?P<path>[a-z_]+(?:\.[a-z_]+)*)[ \t]*\]\])", re.MULTILINE
)
_LIKE_A_HEADER: Final = re.compile(r"^[ \t]*\[[ \t]*\[", re.MULTILINE)


def is_surely_within_limits(text: str) -> bool:
    """Return whether a quick scan shows that *text* exceeds no limit.

    False means "not shown": the tokens decide then (`limit_exceeded`). Nearly every real file
    passes here, in a fraction of the time that its tokens take.
    """
    if len(text) > MAX_TOKENS or '"""' in text or "'''" in text:
        return False
    depth = place = 0
    while True:
        stretch = _STRETCH.match(text, place)
        place = place if stretch is None else stretch.end()
        if place == len(text):
            return True
        if text[place] not in "[]{}":
            return False
        depth += 1 if text[place] in "[{" else -1
        if depth > MAX_DEPTH:
            return False
        place += 1


def array_table_offsets(text: str) -> Mapping[Path, int]:
    r"""
    Return the offset of every `[[table]]` header of *text*, which is valid TOML, by path.

    Every rule and example asks for its line, even in a valid file, and finding these headers is far
    cheaper than `locate`. The result is empty, and `locate` has to find them, if *text* has a
    multi-line string, or a line that begins with `[[` and is not a plain header in small letters.

    >>> array_table_offsets("[[rules]]\nid = 1\n[[rules]]\n")["rules", 1]
    17
    """
    offsets: dict[Path, int] = {}
    matches = list(_HEADER.finditer(text))
    if '"""' in text or "'''" in text or len(matches) != len(_LIKE_A_HEADER.findall(text)):
        return offsets
    lengths: dict[Path, int] = {}
    for match in matches:
        *parents, last = match["path"].split(".")
        path: Path = ()
        for part in parents:
            path = (*path, part)
            if path in lengths:  # `[[a.b]]` belongs to the last `[[a]]` so far
                path = (*path, lengths[path] - 1)
        path = (*path, last)
        lengths[path] = lengths.get(path, 0) + 1
        offsets[(*path, lengths[path] - 1)] = match.start("header")
    return offsets


def limit_exceeded(sequence: Sequence[Token]) -> tuple[str, Token] | None:
    """Return a message and the token at which a text exceeds a limit; None when it exceeds none."""
    depth = dots = 0
    for token in sequence:
        if token.kind == "word" and len(token.text) > MAX_WORD:
            return f"a key or a number has at most {MAX_WORD} characters", token
        if token.kind == "dot":
            dots += 1
            if dots >= MAX_KEY_PARTS:
                return f"a key has at most {MAX_KEY_PARTS} parts", token
        elif token.kind not in ("word", "text"):
            dots = 0
        if token.kind == "symbol":
            depth += (token.text in "[{") - (token.text in "]}")
            if depth > MAX_DEPTH:
                return f"values are nested at most {MAX_DEPTH} deep", token
    if len(sequence) > MAX_TOKENS:
        return f"there are more than {MAX_TOKENS} words and signs", sequence[MAX_TOKENS]
    return None


def locate(sequence: list[Token]) -> Mapping[Path, Spans]:
    r"""Return the spans of every key and value by path, from the tokens of a valid TOML text.

    >>> locate(tokens('[[rules]]\nid = "on-pace"'))["rules", 0, "id"].value
    (15, 24)
    """
    scanner = _Scanner(sequence)
    scanner.document()
    return scanner.spans


def offset_in_literal(literal: str, index: int) -> int:
    r"""Return the offset in *literal*, a quoted string on one line, of character *index*.

    >>> offset_in_literal('"a\\tb"', 2)
    4
    """
    if literal.startswith("'"):
        return index + 1
    offset = 1
    for match in re.compile(_ESCAPE).finditer(literal, 1):
        if index == 0:
            break
        index -= 1
        offset = match.end()
    return offset


class _Scanner:
    """Walks the tokens of a valid TOML text once and records the span of every key and value.

    INVARIANT: `tomllib` has accepted the text, so no method here checks the grammar.
    """

    def __init__(self, sequence: list[Token]) -> None:
        self.tokens = sequence
        self.place = 0
        self.spans: dict[Path, Spans] = {}
        # The number of tables so far in each array of tables: a header without an index means the
        # last of them.
        self.lengths: dict[Path, int] = {}

    def peek(self) -> Token | None:
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def next(self) -> Token:
        token = self.tokens[self.place]
        self.place += 1
        return token

    def document(self) -> None:
        table: Path = ()
        while (token := self.peek()) is not None:
            if token.kind == "newline":
                self.next()
            elif token.text == "[":
                table = self.header()
            else:
                self.pair(table)

    def header(self) -> Path:
        """Read `[a.b]` or `[[a.b]]` and return the path of the table that begins."""
        start = self.next().start
        of_array = self._next_is("[")
        if of_array:
            self.next()
        *parents, last = self.key()
        end = self.next().end
        if of_array:
            end = self.next().end
        spans = Spans((start, end), (start, end))
        path: Path = ()
        for part in parents:
            path = (*path, part)
            # A parent table may have no header of its own; it is then located at its first child.
            self.spans.setdefault(path, spans)
            if path in self.lengths:
                path = (*path, self.lengths[path] - 1)
        path = (*path, last)
        self.spans.setdefault(path, spans)
        if of_array:
            self.lengths[path] = self.lengths.get(path, 0) + 1
            path = (*path, self.lengths[path] - 1)
        self.spans[path] = spans
        return path

    def _next_is(self, text: str) -> bool:
        token = self.peek()
        return token is not None and token.text == text

    def key(self) -> list[str]:
        parts = [self._part()]
        while self._next_is("."):
            self.next()
            parts.append(self._part())
        return parts

    def _part(self) -> str:
        token = self.next()
        if token.kind != "text":
            return token.text
        # `tomllib` decodes the escapes of a quoted key, so both sides agree on its name.
        value: str = tomllib.loads(f"key = {token.text}")["key"]
        return value

    def pair(self, table: Path) -> None:
        """Read `key = value` in *table*."""
        start = self.tokens[self.place].start
        parts = self.key()
        end = self.tokens[self.place - 1].end
        self.next()  # the `=`
        for depth in range(1, len(parts)):
            self.spans.setdefault((*table, *parts[:depth]), Spans((start, end), (start, end)))
        self.value((*table, *parts), (start, end))

    def value(self, path: Path, key: tuple[int, int] | None = None) -> None:
        """Read the value at *path*."""
        token = self.next()
        end = token.end
        if token.text == "[":
            end = self._elements(path)
        elif token.text == "{":
            end = self._pairs(path)
        elif token.kind != "text":
            # Numbers and dates are several tokens: `1.5`, and `2026-07-01 10:00:00` with its space.
            while (more := self.peek()) is not None and more.kind in ("word", "dot"):
                end = self.next().end
        span = (token.start, end)
        self.spans[path] = Spans(key or span, span)

    def _elements(self, path: Path) -> int:
        """Read the elements of an array and return the offset after its bracket."""
        count = 0
        while not self._next_is("]"):
            if self._next_is(",") or self._next_is("\n"):
                self.next()
                continue
            self.value((*path, count))
            count += 1
        return self.next().end

    def _pairs(self, path: Path) -> int:
        """Read the pairs of an inline table and return the offset after its brace."""
        while not self._next_is("}"):
            if self._next_is(",") or self._next_is("\n"):
                self.next()
                continue
            self.pair(path)
        return self.next().end
