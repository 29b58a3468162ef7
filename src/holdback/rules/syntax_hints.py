"""What to write instead of a token that a rule cannot have where it is. Only errors need it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from holdback.errors import did_you_mean
from holdback.rules import slips
from holdback.rules.operators import FUNCTIONS
from holdback.rules.tokens import FOREIGN_WORDS, GLUED, Token

_FLAGS: Final[Mapping[str, bool]] = MappingProxyType(
    {"true": True, "True": True, "yes": True, "false": False, "False": False, "no": False}
)


def instead_of(
    source: str, tokens: Sequence[Token], index: int, *, in_parentheses: bool
) -> str | None:
    """
    Return what to write instead of the token with *index* among the *tokens* of *source*.

    >>> from holdback.rules.tokens import tokens
    >>> instead_of("progress is 5%", tokens("progress is 5%"), 1, in_parentheses=False)
    'write `progress == 5%`'
    """
    token = tokens[index]
    previous = tokens[index - 1] if index else Token("end", "", 0, 0)
    following = tokens[min(index + 1, len(tokens) - 1)]
    if token.kind == "word":
        hint = _instead_of_word(source, tokens, index, previous, following)
        if hint is not None:
            return hint
    if token.text == "[":
        return "a list can only follow `in`"
    if previous.text[-1:].isdigit() and (token.text == "," or token.text.isdigit()):
        return slips.written_number(source, token.start) or slips.PLAIN_NUMBER
    if token.text == ")":
        return None if in_parentheses else "there is no parenthesis to close"
    if previous.kind == "word" and previous.text.isupper() and token.kind in ("number", "symbol"):
        return f"money is written `{previous.text[:3]} 5000.00`, with its sign in front"
    return None


def _instead_of_word(
    source: str, tokens: Sequence[Token], index: int, previous: Token, following: Token
) -> str | None:
    """Return what to write instead of the word with *index*, between *previous* and *following*."""
    word = tokens[index].text
    meant = _meant_by_words(source, tokens, index, previous)
    if meant:
        return meant
    if word in FOREIGN_WORDS:
        return FOREIGN_WORDS[word]
    if word == "not" and following.text == "in":
        return "write `not` before the comparison, as `not status in [...]`"
    if following.text == "(":
        *others, last = (f"`{name}`" for name in FUNCTIONS)
        near = did_you_mean(word, FUNCTIONS)
        return near or f"the only functions are {', '.join(others)} and {last}"
    glued = GLUED.fullmatch(word)
    return None if glued is None else f"write `{glued[1]} {glued[2]}`"


def _meant_by_words(
    source: str, tokens: Sequence[Token], index: int, previous: Token
) -> str | None:
    """Return the text for a unit or a comparison in words that begins with the word of *index*."""
    token = tokens[index]
    if previous.kind == "number":
        period = slips.period(source, previous.text, token.text)
        return period or slips.written_number(source, token.start)
    compared = slips.comparison(source, token.start)
    if compared is None:
        return None
    operator, end = compared
    after = next(later for later in tokens if later.start >= end or later.kind == "end")
    if FOREIGN_WORDS.get(after.text) is FOREIGN_WORDS["null"]:
        return FOREIGN_WORDS["null"]
    before = tokens[index - 2].text if index > 1 else "("
    # A part of a sum or a product is not what is compared.
    if after.kind == "end" or before in ("+", "-", "*") or previous.text == ")":
        return f"write `{operator}`"
    if after.text in _FLAGS and operator in ("==", "!="):
        is_plain = _FLAGS[after.text] == (operator == "==")
        return f"write `{previous.text}`" if is_plain else f"write `not {previous.text}`"
    return f"write `{previous.text} {operator} {after.text}`"
