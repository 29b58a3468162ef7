"""The exceptions that holdback raises on purpose.

`HoldbackError` has three subclasses:

- `InvalidDocument`: a document cannot be read; it lists all its errors at once.
- `RuleError`: an expression of the rule language is wrong; it points at the characters.
- `Refusal`: an expected business "no"; it carries a stable code and a suggested HTTP status.

INVARIANT: no message holds personal data. Messages name places and expectations, and repeat only
text from a rule file, an identifier, or a value from a declared set.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from attrs import field, frozen
from attrs.converters import optional

__all__ = [
    "REFUSALS",
    "ErrorDetail",
    "HoldbackError",
    "InvalidDocument",
    "Refusal",
    "RuleError",
]

# The codes that hosts and partners rely on, with the HTTP status and the title of each
# (decisions/refusal-codes). A code is never renamed or given another meaning.
REFUSALS: Final[Mapping[str, tuple[int, str]]] = MappingProxyType(
    {
        "offers_expired": (404, "The offers have expired"),
        "offer_not_found": (404, "There is no such offer"),
        "merchant_not_found": (404, "There is no such merchant"),
        "application_not_found": (404, "There is no such application"),
        "deal_not_found": (404, "There is no such deal"),
        "no_deal_to_renew": (404, "There is no deal to renew"),
        "offer_withdrawn": (409, "The offer was withdrawn"),
        "already_accepted": (409, "An offer was already accepted"),
        "request_conflict": (409, "The request conflicts with an earlier one"),
        "application_in_fulfilment": (409, "An application is in fulfilment"),
        "active_deal": (409, "The merchant has an active deal"),
        "not_possible_now": (409, "The operation is not possible in this state"),
        "invalid_request": (422, "The request is not valid"),
        "currency_mismatch": (422, "The currency does not match"),
    }
)


# Hostile files have many long names, and comparing them takes quadratic time.
_MOST_CANDIDATES: Final = 300
_LONGEST_NAME: Final = 60
# A longer message repeats text that nobody wrote by hand.
_LONGEST_MESSAGE: Final = 500


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[: _LONGEST_MESSAGE - 3]}..."


def printable(text: str) -> str:
    r"""
    Return *text* with characters that are not printable escaped.

    A control sequence in a file could otherwise move the cursor of a terminal or change its title.

    >>> printable("a\x1b[31mb")
    'a\\u001b[31mb'
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in text)


def did_you_mean(word: str, names: Iterable[str]) -> str | None:
    """
    Return a hint with the one of *names* nearest to *word*, or None when none is near.

    >>> did_you_mean("progres", ["progress", "balance"])
    'did you mean `progress`?'
    """
    candidates = [name for name in islice(names, _MOST_CANDIDATES) if len(name) <= _LONGEST_NAME]
    near = difflib.get_close_matches(word[:_LONGEST_NAME], candidates, n=1)
    return f"did you mean `{near[0]}`?" if near else None


@frozen(kw_only=True)
class ErrorDetail:
    """
    One error in a document: a message, its place, and a hint.

    `path` is a JSON path (`$.application.currency`) or a TOML key path (`rules[2].require`). For
    files, `file`, `line` and `column` (both from 1) are known, `source` is the line as written, and
    `width` is the number of its characters, from `column` on, that are wrong.
    """

    message: str = field(converter=_short)
    path: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    source: str | None = None
    width: int = 1
    hint: str | None = field(default=None, converter=optional(_short))

    @property
    def place(self) -> str:
        """The place of the error: `file:line:column` and path, without the unknown parts."""
        position = ":".join(
            str(part) for part in (self.file, self.line, self.column) if part is not None
        )
        return " ".join(part for part in (position, self.path) if part)

    def __str__(self) -> str:
        """
        Return the error on one line.

        >>> str(ErrorDetail(message="unknown field", path="$.a", hint="did you mean `b`?"))
        '$.a: unknown field; did you mean `b`?'
        """
        text = f"{self.place}: {self.message}" if self.place else self.message
        return printable(f"{text}; {self.hint}" if self.hint else text)

    def underlined(self) -> str:
        """Return the error and, under it, the source line with the wrong characters marked."""
        return "\n    ".join([str(self), *self.marked()])

    def marked(self) -> tuple[str, ...]:
        """Return the source line, where it is known, and a line that marks the wrong characters."""
        if not self.source or self.column is None:
            return ()
        # A tab or an unprintable character becomes one space, so that the marks line up.
        source = "".join(sign if sign.isprintable() else " " for sign in self.source)
        width = max(1, min(self.width, len(source) - self.column + 1))
        return source, f"{' ' * (self.column - 1)}{'^' * width}"


class HoldbackError(Exception):
    """The base class of every exception that holdback raises on purpose."""


class InvalidDocument(HoldbackError):
    """
    An invalid document: a request, a stored state, a jurisdiction's file, a set of facts.

    `errors` holds all its errors, in the order of the document.

    >>> str(InvalidDocument([ErrorDetail(message="expected text", path="$.application.currency")]))
    '$.application.currency: expected text'
    """

    def __init__(self, errors: Iterable[ErrorDetail]) -> None:
        self.errors = tuple(errors)
        assert self.errors, "an invalid document has at least one error"
        super().__init__("\n".join(str(error) for error in self.errors))

    def __reduce__(self) -> tuple[Any, ...]:  # an exception is copied by its arguments
        return type(self), (self.errors,)

    @classmethod
    def of(
        cls, message: str, *, path: str | None = None, hint: str | None = None
    ) -> InvalidDocument:
        """Return an invalid document with one error."""
        return cls([ErrorDetail(message=message, path=path, hint=hint)])


# What refused an expression: the reader of characters, of syntax, or of types.
RuleStage: TypeAlias = Literal["text", "syntax", "types"]


class RuleError(HoldbackError):
    """
    An invalid expression of the rule language.

    `stage` names the reader that refused it: `text` (characters and size), `syntax`, or `types`
    (names, types, units, ranges and exactness). `start` and `end` delimit the wrong characters in
    `source`.
    """

    def __init__(  # noqa: PLR0913 - the parts of one message
        self,
        message: str,
        *,
        source: str,
        start: int,
        end: int,
        stage: RuleStage,
        hint: str | None = None,
    ) -> None:
        self.message = _short(message)
        self.source = source
        self.start = start
        self.end = max(end, start + 1)
        self.stage = stage
        self.hint = None if hint is None else _short(hint)
        super().__init__(f"column {start + 1}: {self.message}" + (f"; {self.hint}" if hint else ""))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rule_error, (self.message, self.source, self.start, self.end, self.stage, self.hint)

    def underlined(self) -> str:
        """Return the message and, under it, the expression with the wrong characters marked."""
        return f"{self}\n    {self.source}\n    {' ' * self.start}{'^' * (self.end - self.start)}"


class Refusal(HoldbackError):
    """
    An expected business "no" that changed nothing.

    `code` is one of `REFUSALS`; `status` is the HTTP status that a host may respond with; `errors`
    names the invalid fields, where there are any.

    >>> refusal = Refusal("offers_expired", "the offers expired at 2026-01-31T00:00:00Z")
    >>> refusal.status
    404
    """

    def __init__(self, code: str, detail: str, *, errors: Iterable[ErrorDetail] = ()) -> None:
        self.code = code
        self.status, self.title = REFUSALS[code]
        self.detail = detail
        self.errors = tuple(errors)
        super().__init__(f"{code}: {detail}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _refusal, (self.code, self.detail, self.errors)


def _rule_error(  # noqa: PLR0913, PLR0917 - pickle passes the parts by position
    message: str, source: str, start: int, end: int, stage: RuleStage, hint: str | None
) -> RuleError:
    return RuleError(message, source=source, start=start, end=end, stage=stage, hint=hint)


def _refusal(code: str, detail: str, errors: tuple[ErrorDetail, ...]) -> Refusal:
    return Refusal(code, detail, errors=errors)
