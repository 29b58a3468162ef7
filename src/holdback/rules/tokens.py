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
# An amount of money without the space after its currency.
GLUED: Final = re.compile(r"([A-Z]{3})([0-9]+)")
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
            from holdback.rules import slips  # noqa: PLC0415  # only an error needs it

            raise RuleError(
                f"the character U+{ord(character):04X} is not printable ASCII",
                source=shown,
                start=place,
                end=place + 1,
                stage="text",
                hint=slips.plain_character(source, place),
            )


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

    is_number = text[0].isdigit() or (text[0] == "." and len(text) > 1)
    if is_number and len(text) > 2 * MAX_LITERAL_DIGITS:
        hint: str | None = f"a number has at most {MAX_LITERAL_DIGITS} digits"
    else:
        hint = slips.token(source, start, text, is_number=is_number)
    kind = "a number" if is_number else "part"
    return RuleError(
        f"`{text[:_LONGEST_SHOWN]}` is not {kind} of the language",
        source=source,
        start=start,
        end=start + len(text),
        stage="syntax",
        hint=hint,
    )
