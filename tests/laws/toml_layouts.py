"""
Plain values as TOML in a random layout: the same values, in a different text each time.

Everything that TOML leaves to the writer is random: the order of keys and tables, whether tables
have headers, are inline or have dotted keys, quotes, escapes, the spelling of numbers, spaces,
blank lines, comments and line ends.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal

COMMENTS = (
    "# a comment",
    "#",
    '# [[rules]] id = "no-rule"',
    '# it\'s "quoted" { [ , \\',
    "# é £ 日本",
)
BARE = re.compile(r"[A-Za-z0-9_-]+")
ENDS = ("\n", "\r\n")


def in_some_layout(data, random):
    """The TOML document with the values *data*, in a random layout."""
    return _Layout(random).document(data)


class _Layout:
    def __init__(self, random):
        self.random = random
        # The share of tables with headers: few, half or most of them.
        self.headed = random.choice((0.1, 0.5, 0.9))
        self.noisy = random.choice((0.02, 0.2))

    def flip(self, chance=0.5):
        return self.random.random() < chance

    def shuffled(self, keys):
        keys = list(keys)
        self.random.shuffle(keys)
        return keys

    def document(self, data):
        own, groups = self.parts((), data)
        lines = [line for block in [own, *self.merged(groups)] for line in block]
        return "".join(self.random.choice(ENDS).join([*lines, ""]))

    # -- tables

    def parts(self, path, table):
        """The lines of *table* itself, and groups of blocks with headers, each in order."""
        own, groups = [], []
        for key in self.shuffled(table):
            value, inner = table[key], (*path, key)
            if isinstance(value, dict) and value and self.flip(self.headed):
                groups += self.table(inner, value)
            elif _is_array_of_tables(value) and self.flip(self.headed):
                blocks = [block for element in value for block in self.element(inner, element)]
                groups.append(blocks)
            elif isinstance(value, dict) and value and self.flip(0.3):
                own += self.dotted((key,), value)
            else:
                own += self.line(f"{self.key(key)}{self.gap()}={self.gap()}{self.value(value)}")
        return own, groups

    def table(self, path, table):
        own, groups = self.parts(path, table)
        if own or not groups or self.flip():
            groups.append([[*self.line(f"[{self.path(path)}]"), *own]])
        return groups

    def element(self, path, table):
        own, groups = self.parts(path, table)
        return [[*self.line(f"[[{self.path(path)}]]"), *own], *self.merged(groups)]

    def dotted(self, keys, table):
        lines = []
        for key in self.shuffled(table):
            name = self.path((*keys, key))
            lines += self.line(f"{name}{self.gap()}={self.gap()}{self.value(table[key])}")
        return lines

    def merged(self, groups):
        """The blocks of all *groups* in one list; those of a group keep their order."""
        waiting = [list(group) for group in groups if group]
        blocks = []
        while waiting:
            group = self.random.choice(waiting)
            blocks.append(group.pop(0))
            waiting = [group for group in waiting if group]
        return blocks

    # -- spaces and comments

    def gap(self):
        return self.random.choice(("", " ", " ", "  ", "\t"))

    def line(self, text):
        """*text* on a line, with spaces, and perhaps with a comment before and after it."""
        before = [self.random.choice(("", "  ", *COMMENTS))] if self.flip(self.noisy) else []
        after = f" {self.random.choice(COMMENTS)}" if self.flip(self.noisy) else ""
        return [*before, f"{self.random.choice(('', '', '  '))}{text}{self.gap()}{after}"]

    def between(self):
        """The space between two items of an array, which may be a comment and a new line."""
        if not self.flip(self.noisy):
            return " "
        comment = self.random.choice(("", *COMMENTS))
        return f" {comment}\n  "

    # -- keys and values

    def path(self, path):
        return self.random.choice((".", ".", " . ")).join(self.key(key) for key in path)

    def key(self, key):
        assert BARE.fullmatch(key)
        return self.random.choice((key, key, key, f'"{key}"', f"'{key}'"))

    def value(self, value):
        match value:
            case bool():
                return "true" if value else "false"
            case int():
                return self.whole(value)
            case Decimal() | date():
                return str(value)
            case str():
                return self.text(value)
            case dict():
                pairs = [
                    f"{self.key(key)}{self.gap()}={self.gap()}{self.value(value[key])}"
                    for key in self.shuffled(value)
                ]
                return f"{{{self.gap()}{f'{self.gap()},{self.gap()}'.join(pairs)}{self.gap()}}}"
            case list():
                items = [f"{self.between()}{self.value(item)}{self.between()}" for item in value]
                last = "," if items and self.flip() else ""
                return f"[{','.join(items)}{last}{self.between()}]"
            case _:
                raise AssertionError(value)

    def whole(self, number):
        ways = [str(number), f"{number:_}"]
        if number >= 0:
            ways += [f"+{number}", f"0x{number:x}", f"0b{number:b}"]
        return self.random.choice(ways)

    def text(self, text):
        assert "\n" not in text
        escaped = "".join(self.character(character) for character in text)
        ways = [f'"{escaped}"', f'"""{escaped}"""']
        if not set('"\\') & set(text):
            ways.append(f'"{text}"')
        if "'" not in text:
            ways += [f"'{text}'", f"'''{text}'''"]
        return self.random.choice(ways)

    def character(self, character):
        if character in '"\\':
            return f"\\{character}"
        return f"\\u{ord(character):04X}" if self.flip(0.02) else character


def _is_array_of_tables(value):
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
