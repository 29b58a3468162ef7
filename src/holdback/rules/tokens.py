"""Text to tokens, within the bounds of the language, with hints for what to write instead.

The bounds are checked before anything is parsed, so that no source can make parsing expensive
(decisions/rule-language).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from holdback.errors import RuleError
from holdback.frozen_classes import frozen
from holdback.rules.operators import OPERATORS

# Ten times the longest rule that a reviewer should be asked to read.
MAX_CHARACTERS: Final = 1_000
# More digits than any exact number of holdback has (`exact.exact_numbers.MAX_DIGITS`).
MAX_LITERAL_DIGITS: Final = 30

# The characters of a wrong number that a message repeats.
_LONGEST_SHOWN: Final = 40

# The words of the language. `negate` is an operator's name and not among them: it is written `-a`.
KEYWORDS: Final = frozenset(
    {"true", "false", "day", "days"}
    | {row.name for row in OPERATORS.values() if row.name.isalpha() and row.name in row.signature}
)
_MISSING: Final = "a rule cannot test for a missing fact: its answer is then unknown"
_NO_CONDITIONS: Final = "there are no conditional values; write two rules, or use `when`"
# Words of other languages, with what to write instead or why there is no such thing.
FOREIGN_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "AND": "write `and`",
        "OR": "write `or`",
        "NOT": "write `not`",
        "IN": "write `in`",
        "True": "write `true`",
        "False": "write `false`",
        "yes": "write `true`",
        "no": "write `false`",
        "is": "to compare, write `==`; for at least `>=`, for at most `<=`",
        "None": _MISSING,
        "null": _MISSING,
        "none": _MISSING,
        "nil": _MISSING,
        "nan": _MISSING,
        "if": _NO_CONDITIONS,
        "else": _NO_CONDITIONS,
        "then": _NO_CONDITIONS,
        "between": "write a chain, as `0% < progress <= 100%`",
    }
)
# No rule can read a fact or a parameter of such a name.
RESERVED: Final = KEYWORDS | FOREIGN_WORDS.keys()


@frozen
class Token:
    """A piece of the source: `kind` is `symbol`, `word`, `end` or the kind of a literal."""

    kind: str
    text: str
    start: int
    end: int


_NUMBER = r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?"
# The first alternative that matches wins. `misdate`, `foreign` and `wrong` match text that is not
# in the language, so that the error can say what to write instead.
_TOKEN: Final = re.compile(
    rf"""
      (?P<space>\ +)
    | (?P<date>[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?![0-9A-Za-z_]))
    | (?P<misdate>[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}(?![0-9A-Za-z_]))
    | (?P<money>[A-Z]{{3}}\ {_NUMBER}(?![0-9A-Za-z_.'%]))
    | (?P<percent>{_NUMBER}%)
    | (?P<days>{_NUMBER}\ +days?\b)
    | (?P<number>{_NUMBER}(?![0-9A-Za-z_.']))
    | (?P<text>"[^"\\]*")
    | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<foreign><>|=<|=>|&&|\|\||\*\*|//)
    | (?P<symbol>==|!=|<=|>=|[<>+\-*()\[\],])
    | (?P<wrong>[0-9][0-9A-Za-z_.']*|\.[0-9]+|.)
    """,
    re.VERBOSE,
)

# Symbols of other languages, with what to write instead or why there is no such thing.
_SYMBOL_HINTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "=": "to compare, write `==`",
        "=<": "write `<=`",
        "=>": "write `>=`",
        "<>": "write `!=`",
        "&": "write `and`",
        "&&": "write `and`",
        "|": "write `or`",
        "||": "write `or`",
        "!": "write `not`, or `!=` to compare",
        "~": "write `not`",
        "**": "there are no powers",
        "^": "there are no powers",
        "/": "there is no division; multiply by a constant such as `0.5`",
        "//": "there is no division; multiply by a constant such as `0.5`",
        "%": "a percentage is written without a space, as `50%`",
        "'": 'write text in double quotes, as "Funded"',
        '"': "the text is not closed, or has a backslash in it",
        ".": "a fact has a plain name and no attributes",
        "{": "there are only round parentheses, and `[a, b]` after `in`",
        "}": "there are only round parentheses, and `[a, b]` after `in`",
        ":": "a rule is one expression",
        ";": "a rule is one expression",
        "#": "comments belong in the file, outside the expression",
        "$": "write the currency's code, as `USD 5000.00`",
    }
)
_CHARACTER_HINTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(
            "\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb",
            'use straight double quotes, as "Funded"',
        ),
        "\u2264": "write `<=`",
        "\u2265": "write `>=`",
        "\u2260": "write `!=`",
        "\u00d7": "write `*`",
        "\u2212": "write `-`",
        "\u2013": "write `-`",
        "\u00ac": "write `not`",
        "\u00a3": "write `GBP 5000.00`",
        "\u20ac": "write `EUR 5000.00`",
        "\u00a0": "use a plain space",
        "\n": "a rule is one line",
        "\r": "a rule is one line",
        "\t": "use a space",
    }
)


def tokens(source: str) -> list[Token]:
    """
    Return the tokens of *source*, ending with one of kind `end`.

    >>> [token.kind for token in tokens("progress >= 50%")]
    ['word', 'symbol', 'percent', 'end']

    Raises:
        RuleError: with stage `text` for characters and sizes, `syntax` for anything else.
    """
    check_text(source)
    return [*_scan(source), Token("end", "", len(source), len(source))]


def check_text(source: str) -> None:
    """
    Raise `RuleError` when *source* is too long or is not printable ASCII.

    Other characters can look like one character and be another, or reorder the text around them.
    """
    shown = "".join(c if " " <= c <= "~" else "?" for c in source[:MAX_CHARACTERS])
    if len(source) > MAX_CHARACTERS:
        raise RuleError(
            f"a rule has at most {MAX_CHARACTERS} characters",
            source=shown,
            start=0,
            end=len(shown),
            stage="text",
            hint="split it into several rules",
        )
    for place, character in enumerate(source):
        if not " " <= character <= "~":
            raise RuleError(
                f"the character U+{ord(character):04X} is not printable ASCII",
                source=shown,
                start=place,
                end=place + 1,
                stage="text",
                hint=_character_hint(source, place),
            )


def _character_hint(source: str, place: int) -> str | None:
    """Return what to write instead of the character of *source* at *place*."""
    from holdback.rules import slips  # noqa: PLC0415  # only an error needs it

    quoted = slips.straight_quotes(source, place)
    if quoted is not None:
        return f"use straight double quotes, as {quoted}"
    number = slips.written_number(source, place)
    return number or _CHARACTER_HINTS.get(source[place])


def _scan(source: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(source):
        kind, text = str(match.lastgroup), match[0]
        if kind == "space":
            continue
        if kind in ("misdate", "foreign", "wrong"):
            raise _wrong(source, match.start(), text)
        if sum(c.isdigit() for c in text) > MAX_LITERAL_DIGITS and kind not in ("text", "word"):
            raise RuleError(
                f"a number has at most {MAX_LITERAL_DIGITS} digits",
                source=source,
                start=match.start(),
                end=match.end(),
                stage="text",
            )
        yield Token(kind, text, match.start(), match.end())


def _wrong(source: str, start: int, text: str) -> RuleError:
    """Return the error for *text*, which is not a token."""
    from holdback.rules import slips  # noqa: PLC0415  # only an error needs it

    hint = slips.written_number(source, start)
    message = f"`{text[:_LONGEST_SHOWN]}` is not part of the language"
    if text[0].isdigit() or (text[0] == "." and len(text) > 1):
        hint = _number_hint(text, source) or hint or "write plain decimal digits, as `12.5`"
        message = f"`{text[:_LONGEST_SHOWN]}` is not a number of the language"
    return RuleError(
        message,
        source=source,
        start=start,
        end=start + len(text),
        stage="syntax",
        hint=hint or _SYMBOL_HINTS.get(text),
    )


def _number_hint(text: str, source: str) -> str | None:
    """Return what to write instead of *text* in *source*, a long number or a period of time."""
    from holdback.rules import slips  # noqa: PLC0415  # only an error needs it

    if len(text) > 2 * MAX_LITERAL_DIGITS:
        return f"a number has at most {MAX_LITERAL_DIGITS} digits"
    glued = re.fullmatch(r"([0-9]+)([a-z]+)", text)
    return None if glued is None else slips.period(source, glued[1], glued[2])
