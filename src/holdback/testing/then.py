"""What happened in a step of a story, and the expectations about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Protocol, TypeVar

import attrs
from pendulum import DateTime

from holdback import wire
from holdback.errors import ConfigurationError, InvalidDocument, Refusal
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.lifecycle.decision import Outcome
from holdback.lifecycle.events import Event, event_type
from holdback.merchant.merchant import Merchant
from holdback.testing import messages


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
        names = [messages.event_name(event) for event in expected]
        wanted = f"the events {', '.join(names)}" if names else "no event"
        if self.carried_out is None:
            raise AssertionError(self.failure(wanted)) from self.error
        happened = self.carried_out.events
        if names != [event_type(event) for event in happened]:
            raise AssertionError(self.failure(wanted))
        unlike = [
            line
            for wanted_event, event in zip(expected, happened, strict=True)
            for line in messages.event_differences(wanted_event, event)
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
        unlike = list(messages.differences(wanted, self.story.reply))
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
            return "\n".join([*lines, "happened:", *messages.error_lines(self.error)])
        return "\n".join([*lines, "happened:", *messages.event_lines(self.outcome.events)])
