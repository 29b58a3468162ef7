"""
What happened in a step of a story, the expectations about it, and what a failed one says.

Personal data is never shown. A field that its class leaves out of the `repr` is left out here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import zip_longest
from typing import Any, Final, Generic, Protocol, TypeVar

import attrs
from pendulum import DateTime

from holdback import wire
from holdback.errors import (
    ConfigurationError,
    HoldbackError,
    InvalidDocument,
    Refusal,
    did_you_mean,
)
from holdback.exact.exact_json import Json, Verbatim
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.events import Event, event_type
from holdback.lifecycle.operation import Outcome
from holdback.merchant.merchant import Merchant


class _Past(Protocol):
    """What a story has before the step and after it; `given` makes stories."""

    @property
    def merchant(self) -> Merchant: ...

    @property
    def at(self) -> DateTime: ...

    @property
    def reply(self) -> Mapping[str, Json]: ...


_Story = TypeVar("_Story", bound=_Past)


@frozen(kw_only=True)
class Then(Generic[_Story]):
    """
    What happened in a step. Every expectation returns the same object, so they can be chained.

    `story` continues from here. A refusal changes nothing in it but the count of steps. `error` is
    the refusal or the invalid document, None without one.
    """

    asked: str
    request_id: str
    story: _Story
    carried_out: Outcome[Any] | None = attrs.field(default=None, repr=False)
    error: Refusal | InvalidDocument | ConfigurationError | None = None

    @property
    def merchant(self) -> Merchant:
        """The merchant to store, unchanged after a refusal."""
        return self.story.merchant

    @property
    def outcome(self) -> Outcome[Any]:
        """
        The outcome of the operation.

        Raises:
            AssertionError: it was refused.
        """
        __tracebackhide__ = True
        if self.carried_out is None:
            raise AssertionError(self.failure("an outcome")) from self.error
        return self.carried_out

    def events(self, *expected: str | type | Event | Mapping[str, Json]) -> Then[_Story]:
        """
        Expect exactly these events, in this order; without any, expect none.

        An event is given by its name, by its class, as the event itself, or as an object with its
        `type` and some of its fields, as `wire.event_to_dict` returns them.

        Raises:
            AssertionError: anything else happened.
        """
        __tracebackhide__ = True
        names = [event_name(event) for event in expected]
        wanted = f"the events {', '.join(names)}" if names else "no event"
        if self.carried_out is None:
            raise AssertionError(self.failure(wanted)) from self.error
        actual = self.carried_out.events
        if names != [event_type(event) for event in actual]:
            raise AssertionError(self.failure(wanted))
        unlike = [
            line
            for wanted_event, event in zip(expected, actual, strict=True)
            for line in event_differences(wanted_event, event)
        ]
        if unlike:
            raise AssertionError(self.failure(wanted, unlike))
        return self

    def nothing(self) -> Then[_Story]:
        """
        Expect no event: the operation was a question, or was carried out before.

        Raises:
            AssertionError: an event happened, or it was refused.
        """
        __tracebackhide__ = True
        return self.events()

    def refused(self, code: str) -> Then[_Story]:
        """
        Expect the refusal *code*, such as `offers_expired`.

        Raises:
            AssertionError: it was not refused, or refused with another code.
        """
        __tracebackhide__ = True
        if not isinstance(self.error, Refusal) or self.error.code != code:
            raise AssertionError(self.failure(f"the refusal {code}")) from self.error
        return self

    def invalid(self, *paths: str) -> Then[_Story]:
        """
        Expect an invalid input or evidence, with errors at *paths*, such as `$.entries[0].on`.

        Raises:
            AssertionError: it was carried out, refused, or invalid for other reasons.
        """
        __tracebackhide__ = True
        invalid = InvalidDocument | ConfigurationError
        errors = self.error.errors if isinstance(self.error, invalid) else ()
        if not errors or not set(paths) <= {error.path for error in errors}:
            at = f" with errors at {', '.join(paths)}" if paths else ""
            raise AssertionError(self.failure(f"an invalid document{at}")) from self.error
        return self

    def reply(self, expected: Mapping[str, Json] | str | bytes) -> Then[_Story]:
        """
        Expect a reply with these fields, given as an object or as JSON text.

        The reply may have more fields. Lists have the same length. Numbers are compared exactly, so
        floats are refused.

        Raises:
            AssertionError: a field differs, or it was refused.
        """
        __tracebackhide__ = True
        if self.carried_out is None:
            raise AssertionError(self.failure("a reply")) from self.error
        wanted = expected if isinstance(expected, Mapping) else wire.read_json(expected)
        unlike = list(differences(wanted, self.story.reply))
        if unlike:
            raise AssertionError(self.failure("a reply with other fields", unlike))
        return self

    def failure(self, expected: str, unlike: list[str] | None = None) -> str:
        """Return the message of a failed expectation, without personal data."""
        at = wire.write_timestamp(self.story.at)
        lines = [f"when {self.asked} at {at} ({self.request_id})", f"expected {expected}"]
        if unlike:
            return "\n".join([*lines, "differs:", *(f"  {line}" for line in unlike)])
        if self.error is not None:
            return "\n".join([*lines, "happened:", *error_lines(self.error)])
        return "\n".join([*lines, "happened:", *event_lines(self.outcome.events)])


# Fields with personal data: they may be compared, and are never shown.
PERSONAL: Final = frozenset(
    {
        "account_number",
        "account_type",
        "applicants",
        "bank_details",
        "bank_name",
        "company",
        "consents",
        "earlier_deals",
        "evidence",
        "facts",
        "filled",
        "intended_use_of_funds",
        "links",
        "more",
        "note",
        "profile",
        "salt",
        "sections",
        "sort_code",
    }
)
_LONGEST_TEXT: Final = 80
_MOST_ITEMS: Final = 3
# A deal in an event is shown with its fields, an offer in a product by the name of its class.
_DEPTH: Final = 2
_ABSENT: Final = object()


def shown(value: object, depth: int = _DEPTH) -> str:
    """
    Return *value* as short text.

    >>> from holdback import BankDetails, Money, Takings
    >>> shown(Takings(on=date(2026, 7, 1), amount=Money.parse("GBP 12.00")))
    'Takings(on=2026-07-01, amount=GBP 12.00, stated_at=None)'
    >>> shown(BankDetails(account_number="12345678"))
    'BankDetails()'
    """
    if isinstance(value, datetime):
        return wire.write_timestamp(value)
    if isinstance(value, Money | Decimal | date):
        return str(value)
    if isinstance(value, str):
        short = value if len(value) <= _LONGEST_TEXT else f"{value[:_LONGEST_TEXT]}..."
        return str(short) if isinstance(value, Verbatim) else repr(short)
    if isinstance(value, Mapping):
        return "{...}" if value else "{}"
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        more = len(value) - _MOST_ITEMS
        items = [shown(item, depth - 1) for item in value[:_MOST_ITEMS]]
        return f"[{', '.join([*items, f'and {more} more'] if more > 0 else items)}]"
    if attrs.has(type(value)):
        fields = "..." if depth < 1 else ", ".join(_fields(value, depth - 1))
        return f"{type(value).__name__}({fields})"
    return repr(value)


def _fields(value: Any, depth: int) -> Iterator[str]:
    for field in attrs.fields(type(value)):
        if field.repr and field.name not in PERSONAL:
            yield f"{field.name}={shown(getattr(value, field.name), depth)}"


def event_lines(events: Iterable[Event]) -> list[str]:
    """Return lines with the name of every event and its fields below it."""
    lines = []
    for event in events:
        lines.append(f"  {event_type(event)}")
        lines += [f"    {field}" for field in _fields(event, _DEPTH)]
    return lines or ["  no event"]


def event_name(expected: str | type | Event | Mapping[str, Json]) -> str:
    """Return the stored name of an expected event."""
    name = expected
    if isinstance(expected, Mapping):
        name = expected.get("type", "")
    elif not isinstance(expected, str):
        kind = expected if isinstance(expected, type) else type(expected)
        name = event_type(kind) if kind in wire.EVENT_TYPES.values() else kind.__name__
    if name not in wire.EVENT_TYPES:
        raise ValueError(f"`{name}` is not an event; there are {', '.join(wire.EVENT_TYPES)}")
    return str(name)


def event_differences(expected: str | type | Event | Mapping[str, Json], event: Event) -> list[str]:
    """Return the lines that say how *event* differs from the expected one."""
    if isinstance(expected, str | type):
        return []
    fields = expected if isinstance(expected, Mapping) else wire.event_to_dict(expected)
    return list(differences(fields, wire.event_to_dict(event), event_type(event)))


def error_lines(error: HoldbackError) -> list[str]:
    """Return lines for a refusal, or for everything that is wrong in an invalid input."""
    if isinstance(error, Refusal):
        lines = [f"  refused: {error.code} ({error.status}): {error.detail}"]
        return lines + [f"    {detail}" for detail in error.errors]
    invalid = InvalidDocument | ConfigurationError
    assert isinstance(error, invalid), "an operation raises nothing else on purpose"
    return ["  invalid:", *(f"    {detail}" for detail in error.errors)]


def differences(expected: Json, actual: Json, path: str = "$") -> Iterator[str]:
    """
    Yield where *actual* differs from *expected*, with its path.

    An object may have more fields than expected; lists have the same length. Numbers are compared
    by value.

    >>> list(differences({"balance": 12}, {"balance": Decimal("12.00"), "id": "d-1"}))
    []
    >>> list(differences({"balence": 12}, {"balance": 12}))
    ['$.balence: there is no such field; did you mean `balance`?']
    """
    if isinstance(expected, float):
        raise TypeError(f"{path}: a float is not exact; expect an int, a Decimal, or JSON text")
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for name, item in expected.items():
            if name in actual:
                yield from differences(item, actual[name], f"{path}.{name}")
            else:
                hint = did_you_mean(str(name), actual) or f"there are {', '.join(actual)}"
                message = f"{path}.{name}: there is no such field"
                yield message + ("" if _personal(path) else f"; {hint}")
    elif _listed(expected) and _listed(actual):
        pairs = zip_longest(expected, actual, fillvalue=_ABSENT)
        for place, (wanted, actual_item) in enumerate(pairs):
            if wanted is _ABSENT:
                yield f"{path}[{place}]: not expected"
            elif actual_item is _ABSENT:
                yield f"{path}[{place}]: there is no such item"
            else:
                yield from differences(wanted, actual_item, f"{path}[{place}]")
    elif not _same(expected, actual):
        message = f"expected {shown(expected)}, not {shown(actual)}"
        yield f"{path}: {'differs, and is personal' if _personal(path) else message}"


def _personal(path: str) -> bool:
    return not PERSONAL.isdisjoint(path.replace("[", ".").split("."))


def _listed(value: Json) -> bool:
    return isinstance(value, list | tuple)


def _number(value: Json) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | Verbatim):
        return None
    return Decimal(value)


def _same(expected: Json, actual: Json) -> bool:
    number = _number(expected)
    if number is not None:
        return number == _number(actual)
    return type(expected) is type(actual) and bool(expected == actual)
