"""Everything that can go wrong, as one tree.

`HoldbackError` has three children, one for each kind of reader:

- `InvalidDocument`: somebody wrote a document that cannot be read; it lists every fault at once.
- `RuleError`: an expression of the rule language is wrong; it points at the characters.
- `Refusal`: an expected business "no"; it carries a stable code and a suggested HTTP status.

No message of these ever holds personal data: they name places and expectations, and show only what a
person wrote into a rule file, an identifier or a value from a declared set.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from attrs import field, frozen
from attrs.converters import optional

# Design 7a: the codes that hosts and partners rely on, each with its HTTP status and its title.
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


_MOST_CANDIDATES: Final = 300
_LONGEST_NAME: Final = 60
# A longer message is about what nobody wrote by hand.
_LONGEST_MESSAGE: Final = 500


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[: _LONGEST_MESSAGE - 3]}..."


def printable(text: str) -> str:
    r"""
    *text* with everything escaped that a terminal would not print but do.

    >>> printable("a\x1b[31mb")
    'a\\u001b[31mb'
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text)


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """
    A hint naming the known word nearest to *word*, or None when nothing is near.

    >>> did_you_mean("progres", ["progress", "balance"])
    'did you mean `progress`?'
    """
    # Hostile files have many long names; nobody means one of hundreds.
    candidates = [each for each in islice(known, _MOST_CANDIDATES) if len(each) <= _LONGEST_NAME]
    near = difflib.get_close_matches(word[:_LONGEST_NAME], candidates, n=1)
    return f"did you mean `{near[0]}`?" if near else None


@frozen(kw_only=True)
class ErrorDetail:
    """
    One thing that is wrong with a document: what, where, and what would help.

    `path` is a JSON path (`$.application.currency`) or a TOML key path (`rules[2].require`); `file`,
    `line` and `column` (both from 1) are known for files. `source` is the line as written and `width`
    the number of its characters, from `column` on, that are at fault.
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
        """Where the fault is, as `file:line:column` and path, as far as known."""
        position = ":".join(
            str(part) for part in (self.file, self.line, self.column) if part is not None
        )
        return " ".join(part for part in (position, self.path) if part)

    def __str__(self) -> str:
        """
        The fault on one line.

        >>> str(ErrorDetail(message="unknown field", path="$.compny", hint="did you mean `company`?"))
        '$.compny: unknown field; did you mean `company`?'
        """
        text = f"{self.place}: {self.message}" if self.place else self.message
        return printable(f"{text}; {self.hint}" if self.hint else text)

    def underlined(self) -> str:
        """The fault, and under it the source line with the characters at fault marked."""
        return "\n    ".join([str(self), *self.marked()])

    def marked(self) -> tuple[str, ...]:
        """The source line, if it is known, and a line that marks the characters at fault in it."""
        if not self.source or self.column is None:
            return ()
        # A tab is as wide as a terminal likes, and what cannot be printed is not: each is one sign here.
        source = "".join(each if each.isprintable() else " " for each in self.source)
        width = max(1, min(self.width, len(source) - self.column + 1))
        return source, f"{' ' * (self.column - 1)}{'^' * width}"


class HoldbackError(Exception):
    """The root of every error that holdback raises on purpose."""


class InvalidDocument(HoldbackError):
    """
    A document that cannot be read: a request, a stored state, a jurisdiction's file, a set of facts.

    `faults` holds every fault that was found, in the order of the document.

    >>> str(InvalidDocument([ErrorDetail(message="expected text", path="$.application.currency")]))
    '$.application.currency: expected text'
    """

    def __init__(self, faults: Iterable[ErrorDetail]) -> None:
        self.errors = tuple(faults)
        assert self.errors, "an invalid document has at least one fault"
        super().__init__("\n".join(str(fault) for fault in self.errors))

    def __reduce__(self) -> tuple[Any, ...]:  # an exception is copied by its arguments
        return type(self), (self.errors,)

    @classmethod
    def of(
        cls, message: str, *, path: str | None = None, hint: str | None = None
    ) -> InvalidDocument:
        """An invalid document with the one fault described."""
        return cls([ErrorDetail(message=message, path=path, hint=hint)])


class RuleError(HoldbackError):
    """
    An expression of the rule language that is refused.

    `stage` says which reader refused it: `text` (characters and size), `syntax`, or `types` (names,
    types, units, ranges and exactness). `start` and `end` delimit the characters at fault in `source`.
    """

    def __init__(
        self,
        message: str,
        *,
        source: str,
        start: int,
        end: int,
        stage: str,
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
        """The message, and under it the expression with the characters at fault marked."""
        return f"{self}\n    {self.source}\n    {' ' * self.start}{'^' * (self.end - self.start)}"


class Refusal(HoldbackError):
    """
    An expected business "no": nothing was changed.

    `code` is one of `REFUSALS`; `status` is the HTTP status that a host may answer with; `errors`
    names the fields at fault, where there are any.

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


def _rule_error(
    message: str, source: str, start: int, end: int, stage: str, hint: str | None
) -> RuleError:
    return RuleError(message, source=source, start=start, end=end, stage=stage, hint=hint)


def _refusal(code: str, detail: str, errors: tuple[ErrorDetail, ...]) -> Refusal:
    return Refusal(code, detail, errors=errors)
