"""Where everything stands in a TOML text.

`tomllib` gives values without their places, and takes seconds over a few hostile lines. So a text is
split into tokens here, in one pass: before `tomllib` reads it, to refuse what would cost too much
(`excess`), and afterwards, to find the place of every key and value (`spots`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from attrs import frozen

# A place in a document: keys, and numbers from 0 for the items of an array.
Path: TypeAlias = tuple[str | int, ...]

# Nobody nests a rule file deeper; `tomllib` needs quadratic time for long keys and recurses into values.
MAX_KEY_PARTS: Final = 8
MAX_DEPTH: Final = 32
# Ten times what a long rule file has.
MAX_TOKENS: Final = 40_000
# The longest word without quotes, a key or a number: bounds what an integer can cost.
MAX_WORD: Final = 64

_TOKEN: Final = re.compile(
    r'''
      (?:[ \t\r]++ | \#[^\n]*+)*+  # spaces and comments are no tokens
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
    )''',
    re.VERBOSE | re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\u....|\\U........|\\.|.", re.DOTALL)


class Token(NamedTuple):
    """A piece of a TOML text, from `start` up to `end`; spaces and comments are none."""

    kind: str
    text: str
    start: int
    end: int


@frozen
class Spot:
    """Where a key and its value stand: each from an offset up to another. An array's item has no key."""

    key: tuple[int, int]
    value: tuple[int, int]


def tokens(text: str) -> list[Token]:
    """The tokens of *text*, up to a text that is never closed: `tomllib` reads no further either."""
    found: list[Token] = []
    make = Token._make
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "open" or kind is None:
            break
        piece, end = match[kind], match.end()
        found.append(make((kind, piece, end - len(piece), end)))
    return found


# Everything up to the next bracket, in a file without excess: short words, texts on one line, keys of few
# parts. Nothing in it goes back, so a file is gone through once whatever it holds.
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
_HEADER: Final = re.compile(r"^[ \t]*(\[\[[ \t]*([a-z_]+(?:\.[a-z_]+)*)[ \t]*\]\])", re.MULTILINE)
_LIKE_A_HEADER: Final = re.compile(r"^[ \t]*\[[ \t]*\[", re.MULTILINE)


def is_ordinary(text: str) -> bool:
    """
    Whether it is seen at a glance that *text* has nothing of `excess`: nearly every file, in a fraction of
    the time that its tokens take. What is not seen is no.
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


def headers(text: str) -> Mapping[Path, int]:
    r"""
    Where the tables of arrays begin, by their paths, of a text that is valid TOML.

    Nothing where a text goes over several lines, in which something could look like a header, and where a
    header is written in a way that is not looked for here.

    >>> headers("[[rules]]\nid = 1\n[[rules]]\n")["rules", 1]
    17
    """
    found: dict[Path, int] = {}
    matches = list(_HEADER.finditer(text))
    if '"""' in text or "'''" in text or len(matches) != len(_LIKE_A_HEADER.findall(text)):
        return found
    lengths: dict[Path, int] = {}
    for match in matches:
        *parents, last = match[2].split(".")
        path: Path = ()
        for part in parents:
            path = (*path, part)
            if path in lengths:
                path = (*path, lengths[path] - 1)
        path = (*path, last)
        lengths[path] = lengths.get(path, 0) + 1
        found[(*path, lengths[path] - 1)] = match.start(1)
    return found


def excess(found: Sequence[Token]) -> tuple[str, Token] | None:
    """What would make a text too dear to read, and where: a message and a token; None when nothing."""
    depth = dots = 0
    for token in found:
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
    if len(found) > MAX_TOKENS:
        return f"there are more than {MAX_TOKENS} words and signs", found[MAX_TOKENS]
    return None


def spots(found: list[Token]) -> Mapping[Path, Spot]:
    r"""
    The spot of every key and value, by its path, of a text that is valid TOML.

    >>> spots(tokens('[[rules]]\nid = "on-pace"'))["rules", 0, "id"].value
    (15, 24)
    """
    scanner = _Scanner(found)
    scanner.document()
    return scanner.spots


def offset_within(raw: str, place: int) -> int:
    r"""
    The offset in *raw*, a quoted text of one line, of the character at *place* of its value.

    >>> offset_within('"a\\tb"', 2)
    4
    """
    if raw.startswith("'"):
        return place + 1
    offset = 1
    for match in _ESCAPE.finditer(raw, 1):
        if place == 0:
            break
        place -= 1
        offset = match.end()
    return offset


class _Scanner:
    """Reads the tokens of valid TOML once, noting where things stand."""

    def __init__(self, found: list[Token]) -> None:
        self.tokens = found
        self.place = 0
        self.spots: dict[Path, Spot] = {}
        self.lengths: dict[Path, int] = {}  # of the arrays of tables

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
        """`[a.b]` or `[[a.b]]`: the path of the table that begins."""
        start = self.next().start
        of_array = self._next_is("[")
        if of_array:
            self.next()
        *parents, last = self.key()
        end = self.next().end
        if of_array:
            end = self.next().end
        spot = Spot((start, end), (start, end))
        path: Path = ()
        for part in parents:
            path = (*path, part)
            self.spots.setdefault(path, spot)
            if path in self.lengths:
                path = (*path, self.lengths[path] - 1)
        path = (*path, last)
        self.spots.setdefault(path, spot)
        if of_array:
            self.lengths[path] = self.lengths.get(path, 0) + 1
            path = (*path, self.lengths[path] - 1)
        self.spots[path] = spot
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
        value: str = tomllib.loads(f"key = {token.text}")["key"]
        return value

    def pair(self, table: Path) -> None:
        """`key = value` in *table*."""
        start = self.tokens[self.place].start
        parts = self.key()
        end = self.tokens[self.place - 1].end
        self.next()  # the `=`
        for depth in range(1, len(parts)):
            self.spots.setdefault((*table, *parts[:depth]), Spot((start, end), (start, end)))
        self.value((*table, *parts), (start, end))

    def value(self, path: Path, key: tuple[int, int] | None = None) -> None:
        """The value at *path*."""
        token = self.next()
        end = token.end
        if token.text == "[":
            end = self._items(path)
        elif token.text == "{":
            end = self._pairs(path)
        elif token.kind != "text":
            # A number or a date: words, points, and a space between date and time.
            while (more := self.peek()) is not None and more.kind in ("word", "dot"):
                end = self.next().end
        span = (token.start, end)
        self.spots[path] = Spot(key or span, span)

    def _items(self, path: Path) -> int:
        """The items of an array, up to the end of its bracket."""
        count = 0
        while not self._next_is("]"):
            if self._next_is(",") or self._next_is("\n"):
                self.next()
                continue
            self.value((*path, count))
            count += 1
        return self.next().end

    def _pairs(self, path: Path) -> int:
        """The pairs of an inline table, up to the end of its brace."""
        while not self._next_is("}"):
            if self._next_is(",") or self._next_is("\n"):
                self.next()
                continue
            self.pair(path)
        return self.next().end
