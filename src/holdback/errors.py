"""The exceptions that holdback raises on purpose.

The subclasses of `HoldbackError` say who has to act:

- `Refusal`: an expected business "no"; it carries a stable code and a suggested HTTP status.
- `InvalidDocument`: a document of a partner or of an author is invalid.
- `RuleError`: an expression of the rule language is wrong; it points at the characters.
- `StateError`: a stored document cannot be read, or contradicts itself.
- `ConfigurationError`: what the host configured or supplied is invalid.
- `HistoryError`: events do not follow one another.

All but `Refusal` and `RuleError` list every error at once, with codes from `ERROR_CODES`.

INVARIANT: no message holds personal data. Messages name places and expectations, and repeat only
text from a rule file, an identifier, or a value from a declared set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, Self, TypeAlias

from attrs import field
from attrs.converters import optional
from attrs.validators import in_

from holdback.frozen_classes import frozen

__all__ = [
    "ERROR_CODES",
    "REFUSALS",
    "ConfigurationError",
    "ErrorDetail",
    "HistoryError",
    "HoldbackError",
    "InvalidDocument",
    "Refusal",
    "RuleError",
    "StateError",
]

# The codes that hosts and partners rely on, with the HTTP status and the title of each
# (decisions/errors). A code is never renamed or given another meaning.
REFUSALS: Final[Mapping[str, tuple[int, str]]] = MappingProxyType(
    {
        "offers_expired": (404, "The offers have expired"),
        "offer_not_found": (404, "There is no such offer"),
        "merchant_not_found": (404, "There is no such merchant"),
        "application_not_found": (404, "There is no such application"),
        "deal_not_found": (404, "There is no such deal"),
        "suspense_not_found": (404, "There is no such cash in suspense"),
        "referral_not_found": (404, "There is no such referral"),
        "no_deal_to_renew": (404, "There is no deal to renew"),
        "offer_withdrawn": (409, "The offer was withdrawn"),
        "already_accepted": (409, "An offer was already accepted"),
        "request_conflict": (409, "The request conflicts with an earlier one"),
        "application_in_fulfilment": (409, "An application is in fulfilment"),
        "active_deal": (409, "The merchant has an active deal"),
        "referred": (409, "A person decides first"),
        "deal_closed_to_entries": (409, "The deal is closed to entries"),
        "suspense_closed": (409, "Suspense is closed for this day"),
        "erasure_not_possible": (409, "The profile cannot be erased now"),
        "profile_erased": (409, "The profile was erased"),
        "amount_not_possible": (409, "The amount is not possible"),
        "not_disclosed": (409, "The offer is not disclosed yet"),
        "fee_not_allowed": (409, "The terms of the deal do not allow the fee"),
        "not_possible_now": (409, "The operation is not possible in this state"),
        "invalid_request": (422, "The request is not valid"),
        "currency_mismatch": (422, "The currency does not match"),
        "implausible_time": (503, "The time of the request is not plausible"),
    }
)

# The code of every error in a list, with its meaning (decisions/errors#codes). A code is never
# renamed or given another meaning. An error has the most particular code that is true of it.
ERROR_CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # Reading
        "unreadable": "A file, a folder or a table cannot be opened or read",
        "malformed": "This is not JSON, TOML or UTF-8, or cannot be taken apart",
        "newer_format": "The document is of a newer format than this version reads",
        "too_large": "There is more than is accepted: bytes, characters, digits, items or errors",
        # Names
        "missing": "Something that is required is absent or empty",
        "unknown_field": "There is no field, key, setting or file of this name here",
        "unknown_name": "This names something that does not exist, such as a fact or a deal",
        "not_allowed": "This is right elsewhere, and has no place here",
        "duplicate": "Something that may occur once is there again",
        # Values
        "wrong_type": "The value is of another type",
        "wrong_value": "The value is of the right type, and not one of those expected",
        "not_exact": "The number cannot be kept exactly: a float, or too many decimals",
        "out_of_range": "The number or day is below the least or above the greatest value",
        "future_day": "The day is after the current day",
        "wrong_currency": "The amount or the document is in another currency",
        "contradiction": "Two parts of the document, or the document and what is held, disagree",
        # Rules and their workbench
        "invalid_rule": "An expression of the rule language is wrong",
        "no_effect": "This part of the rules decides nothing",
        "misleading": "A reader would take this for something else",
        "not_proved": "What is claimed of every deal does not hold, or was not decided in time",
        "not_tested": "No example shows this",
        "failed_example": "The rules give another answer than the example expects, or none",
        "overdue": "A date by which something was to be done has passed",
        "approval_outdated": "What was approved says something else now",
        "history_changed": "The past is not as it was locked, or is not locked yet",
        # Hosts
        "wrong_result": "A calculator or a function of the host failed or gave something unusable",
        "does_not_follow": "The event is not the next one, or does not apply to the state",
    }
)


# Hostile files have many long names, and comparing them takes quadratic time.
_MOST_CANDIDATES: Final = 300
_LONGEST_NAME: Final = 60
# Names are alike in a part when it begins with the same letters: `defaults`, `deals_defaulted`.
_LETTERS_OF_A_PART: Final = 5
_MOST_PARTS: Final = 20
# A longer list hides the error before it.
_LONGEST_LIST: Final = 270
# A longer message repeats text that nobody wrote by hand.
_LONGEST_MESSAGE: Final = 500


_MAX_EXCERPT: Final = 60


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


def excerpt(text: str) -> str:
    r"""Return the beginning of *text* for a message: at most 60 characters, all printable.

    >>> excerpt("two\nlines")
    'two?lines'
    """
    shown = "".join(char if char.isprintable() else "?" for char in text[:_MAX_EXCERPT])
    return shown if len(text) <= _MAX_EXCERPT else f"{shown}..."


def did_you_mean(word: str, names: Iterable[str]) -> str | None:
    """
    Return a hint with the one of *names* nearest to *word*, or None when none is near.

    Capitals count only where several names are near.

    >>> did_you_mean("progres", ["progress", "balance"]), did_you_mean("FUNDED", ["Funded"])
    ('did you mean `progress`?', 'did you mean `Funded`?')
    """
    candidates = [name for name in islice(names, _MOST_CANDIDATES) if len(name) <= _LONGEST_NAME]
    import difflib  # noqa: PLC0415  # only an error needs it

    near = difflib.get_close_matches(word[:_LONGEST_NAME], candidates, n=1)
    if not near:
        small = {name.lower(): name for name in candidates}
        near = difflib.get_close_matches(word[:_LONGEST_NAME].lower(), small, n=1)
        near = [small[name] for name in near]
    return f"did you mean `{near[0]}`?" if near else None


def listed(names: Iterable[str], word: str = "") -> str:
    """
    Return *names* for a message, those that have a part in common with *word* first.

    A list that is too long for a message ends with the number of names that it leaves out.

    >>> listed(["balance", "credit_score"], "credit_rating")
    '`credit_score`, `balance`'
    """
    parts = {part[:_LETTERS_OF_A_PART] for part in word.lower().split("_")[:_MOST_PARTS]}

    def is_unlike(name: str) -> bool:
        return parts.isdisjoint(part[:_LETTERS_OF_A_PART] for part in name.split("_"))

    remaining = sorted(islice(names, _MOST_CANDIDATES), key=is_unlike)
    shown, length = [], 0
    for name in remaining:
        length += len(name) + len("``, ")
        if length > _LONGEST_LIST:
            break
        shown.append(f"`{name}`")
    text = ", ".join(shown)
    more = len(remaining) - len(shown)
    return f"{text} and {more} more" if more else text


@frozen(kw_only=True)
class ErrorDetail:
    """
    One error in a document: a code, a message, its place, and a hint.

    `code` is one of `ERROR_CODES`. `path` is a JSON path (`$.application.currency`,
    `$.rules[2].require`), in files too. For files, `file`, `line` and `column` (both from 1) are
    known, `source` is the line as written, and `width` is the number of its characters, from
    `column` on, that are wrong.
    """

    code: str = field(validator=in_(ERROR_CODES))
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

        >>> str(ErrorDetail(code="missing", message="it is missing", path="$.a", hint="add it"))
        '$.a: it is missing; add it'
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


class InvalidValue(ValueError):
    """
    A value that cannot be read: a `ValueError` with the code that its `ErrorDetail` gets.

    `readings` has what a text may have meant, as JSON has it. Like the value itself they may be
    personal data: no message has them, and a hint only where the author of the value reads it.

    >>> raise InvalidValue("out_of_range", "expected 1 to 28")
    Traceback (most recent call last):
    holdback.errors.InvalidValue: expected 1 to 28
    """

    def __init__(self, code: str, message: str, readings: tuple[str, ...] = ()) -> None:
        self.code = code
        self.readings = readings
        super().__init__(code, message)  # an exception is copied by its arguments

    def __str__(self) -> str:
        return str(self.args[1])


def code_of(error: Exception) -> str:
    """Return the code of an error in a value; a `ValueError` of somebody else has none."""
    return error.code if isinstance(error, InvalidValue) else "wrong_value"


def readings_of(error: Exception) -> tuple[str, ...]:
    """Return what the value that *error* refuses may have meant; empty when nothing is known."""
    return error.readings if isinstance(error, InvalidValue) else ()


def write_instead(readings: Iterable[str]) -> str | None:
    """
    Return the hint to write one of *readings*; None without any.

    >>> write_instead(['"NOK 500.00"', '"NOK 500000.00"'])
    'write `"NOK 500.00"` or `"NOK 500000.00"`'
    """
    named = " or ".join(f"`{reading}`" for reading in readings)
    return f"write {named}" if named else None


class HoldbackError(Exception):
    """The base class of every exception that holdback raises on purpose."""


class _ListedErrors(HoldbackError):
    """An exception that lists all errors of one thing, in its order, in `errors`."""

    # The HTTP status that a host may respond with.
    status: ClassVar[int] = 500

    def __init__(self, errors: Iterable[ErrorDetail]) -> None:
        self.errors = tuple(errors)
        assert self.errors, "there is at least one error"
        super().__init__("\n".join(str(error) for error in self.errors))

    def __reduce__(self) -> tuple[Any, ...]:  # an exception is copied by its arguments
        return type(self), (self.errors,)

    @classmethod
    def of(
        cls, code: str, message: str, *, path: str | None = None, hint: str | None = None
    ) -> Self:
        """Return the exception with one error."""
        return cls([ErrorDetail(code=code, message=message, path=path, hint=hint)])


class InvalidDocument(_ListedErrors):
    """
    A document of a partner or of an author is invalid: a request, a file, a set of facts.

    `errors` holds all its errors, in the order of the document.

    >>> str(InvalidDocument.of("wrong_type", "expected text", path="$.application.currency"))
    '$.application.currency: expected text'
    """

    status: ClassVar[int] = 422


class StateError(_ListedErrors):
    """
    A stored document cannot be read, is of a newer format, or contradicts itself.

    Nobody who sent a request can correct it: the store, or the version that runs, is wrong.

    >>> str(StateError.of("newer_format", "expected format 1 or older", path="$.format"))
    '$.format: expected format 1 or older'
    """


class ConfigurationError(_ListedErrors):
    """
    What the host configured or supplied is invalid.

    That is a calculator, its settings or its result, a jurisdiction, a function of the host, or the
    evidence that the host hands in.

    >>> error = ConfigurationError.of("wrong_type", "expected days", path="$.evidence.takings_days")
    >>> error.errors[0].code
    'wrong_type'
    """


class HistoryError(_ListedErrors):
    """
    Events do not follow one another, or one does not apply to the state before it.

    >>> str(HistoryError.of("does_not_follow", "expected event 4, not event 6", path="$.sequence"))
    '$.sequence: expected event 4, not event 6'
    """


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
