"""Given what happened before, when something is asked for, then this happens: tests of a lifecycle.

Each step gives a new story, so a story may be kept and gone on with in several ways.

>>> from holdback import Engine
>>> story = given(
...     Engine.bundled(),
...     jurisdiction="GB",
...     at="2026-07-06T09:00:00Z",
...     evidence={
...         "identity_verified": True, "business_verified": True, "credit_score": 700,
...         "credit_checked_on": "2026-07-06", "average_monthly_takings": "20000", "months_trading": 36,
...     },
... )
>>> offered = story.after("request_offers")
>>> offered.when("accept_offer").events("OfferAccepted").merchant.deals
()
>>> offered.later(days=60).when("accept_offer").refused("offers_expired").merchant == offered.merchant
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from itertools import count
from types import MappingProxyType
from typing import Any, TypeAlias

import attrs
from attrs import field, frozen
from pendulum import DateTime

from holdback import wire
from holdback.engine import Engine, Outcome
from holdback.errors import InvalidDocument, Refusal
from holdback.exact_json import Json
from holdback.lifecycle.commands import Command
from holdback.lifecycle.context import Context
from holdback.lifecycle.events import Event, event_type
from holdback.model.merchant import Merchant
from holdback.money import Money
from holdback.testing import messages
from holdback.testing.inputs import Body, carry_out, checked_name, completed, fitting_evidence

Instant: TypeAlias = datetime | str


def given(
    engine: Engine,
    *,
    at: Instant,
    jurisdiction: str | None = None,
    partner: str = "partner",
    merchant_id: str = "m-1",
    merchant: Merchant | None = None,
    evidence: Mapping[str, Json] = MappingProxyType({}),
) -> Story:
    """
    A story that begins at the instant *at*, with a merchant that *engine* has not seen before, or with the
    *merchant* as it is stored. Nothing here reads a clock.

    `evidence` is what the host's checks give from now on. Once the service knows the merchant, what its state
    derives is left out of it, as a host would.

    Raises:
        InvalidDocument: an instant or a jurisdiction that there is not.
    """
    if merchant is None:
        if jurisdiction is None:
            raise ValueError("given which merchant? name a jurisdiction, or hand in a merchant")
        merchant = Merchant.new(partner=partner, merchant_id=merchant_id, jurisdiction=jurisdiction)
    engine.jurisdictions[merchant.jurisdiction]  # raises when there is none
    return Story(
        engine=engine, merchant=merchant, at=_instant(at), evidence=MappingProxyType({**evidence})
    )


def _instant(at: Instant) -> DateTime:
    if isinstance(at, str):
        return wire.read_timestamp(at, path="$.at")
    return Context(at=at, request_id="an instant").at


@frozen(kw_only=True)
class Story:
    """
    What is given: a merchant at an instant, after everything that `happened`.

    `replies` are those of the steps so far, as `wire.to_dict` has them. `steps` counts them; the third has the
    request id `r-3`, unless another is named or the merchant has seen that one.
    """

    engine: Engine = field(repr=False)
    merchant: Merchant = field(repr=False)
    at: DateTime
    evidence: Mapping[str, Json] = field(repr=False)
    happened: tuple[Event, ...] = field(default=(), repr=False)
    replies: tuple[Mapping[str, Json], ...] = field(default=(), repr=False)
    steps: int = 0

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(repr(self))  # Hypothesis would show the engine with all its rules

    @property
    def reply(self) -> Mapping[str, Any]:
        """
        The reply of the last step that was carried out.

        Raises:
            AssertionError: nothing was.
        """
        if not self.replies:
            raise AssertionError("nothing was carried out yet")
        return self.replies[-1]

    def after(
        self,
        what: str | Command,
        body: Body | Callable[[Story], Body] = None,
        *,
        at: Instant | None = None,
        evidence: Mapping[str, Json] | None = None,
        request_id: str | None = None,
    ) -> Story:
        """
        The story after *what* was carried out as well; the arguments are those of `when`.

        Raises:
            AssertionError: it was refused.
        """
        __tracebackhide__ = True
        then = self.when(what, body, at=at, evidence=evidence, request_id=request_id)
        if then.error is not None:
            raise AssertionError(then._told("what is given happens")) from then.error
        return then.story

    def events(self, *events: Event | Mapping[str, Json]) -> Story:
        """
        The story after *events* as well, as they are or as `wire.event_to_dict` has them. No rule is asked;
        the instant stays unless an event is later.

        Raises:
            InvalidDocument: an event that cannot be read, or does not fit the merchant.
        """
        read = [wire.event_from_dict(e) if isinstance(e, Mapping) else e for e in events]
        return attrs.evolve(
            self,
            merchant=self.engine.evolve(self.merchant, read),
            happened=(*self.happened, *read),
            at=max([self.at, *(event.at for event in read)]),
        )

    def later(self, **of: int) -> Story:
        """
        The story after some time has passed: `days=30`, `hours=2`, as a `timedelta` has it.
        """
        return attrs.evolve(self, at=_instant(self.at + timedelta(**of)))

    def on(self, at: Instant) -> Story:
        """The story at the instant *at*; at an earlier one, should a clock go back."""
        return attrs.evolve(self, at=_instant(at))

    def knowing(self, **evidence: Json) -> Story:
        """The story with other *evidence* from now on; None takes a fact away."""
        known = {**self.evidence, **evidence}
        left = {name: value for name, value in known.items() if value is not None}
        return attrs.evolve(self, evidence=MappingProxyType(left))

    def paid_down(self, percent: int) -> Story:
        """
        The story after the active deal was paid down to *percent* of its repayment amount, on pace: on the
        day on which its term expects that, or today when it is late. Its history is declared complete.

        Raises:
            AssertionError: there is no active deal.
        """
        __tracebackhide__ = True
        deal = self.merchant.active_deal
        if deal is None:
            raise AssertionError(f"given a deal that is paid down to {percent}%: none is active")
        due_on = deal.funded_on + timedelta(days=-(-deal.term_days * percent // 100))
        zone = self.engine.jurisdictions.zone(self.merchant.jurisdiction)
        waited = self.later(days=max(0, (due_on - self.at.astimezone(zone).date()).days))
        today = waited.at.astimezone(zone).date().isoformat()
        repayment = deal.repayment_amount
        due = -(-repayment.minor * percent // 100) - deal.remitted.minor
        amount = str(Money(due, repayment.currency).amount)
        entry = {"id": f"paid-down-{waited.steps + 1}", "on": today, "amount": amount}
        entries = [entry] if due > 0 else []
        return waited.after("record_remittance", {"entries": entries, "complete_through": today})

    def when(
        self,
        what: str | Command,
        body: Body | Callable[[Story], Body] = None,
        *,
        at: Instant | None = None,
        evidence: Mapping[str, Json] | None = None,
        request_id: str | None = None,
    ) -> Then:
        """
        What comes of *what*: an operation or a question by its name, or a command of `holdback.lifecycle`.

        Args:
            what: Such as `accept_offer`.

            body: The operation's input (design 7a): an object, JSON text, or a function of the story that gives
                one. An object may leave out the merchant's own ids: the offer is then the first one of the
                newest set, the application the last accepted, the deal the active or last one; a request for
                offers is a renewal once there is a deal, and before that has an empty profile.

            at: The instant of the attempt and of what follows; by default that of the story.

            evidence: The evidence of this attempt alone, just as it is.

            request_id: The host's id of the attempt; that of an earlier step makes it a retry.

        Raises:
            ValueError: *what* is no operation.
        """
        story = self if at is None else self.on(at)
        given = body(story) if callable(body) else body
        if isinstance(what, str):
            given = completed(story.engine, story.merchant, checked_name(what), given)
        if evidence is None:
            evidence = fitting_evidence(story.merchant, what, given, story.evidence)
        named = request_id or story._new_request_id()
        context = Context(at=story.at, request_id=named, evidence=evidence)
        then = Then(
            asked=f"`{what}`" if isinstance(what, str) else type(what).__name__,
            request_id=context.request_id,
            story=attrs.evolve(story, steps=story.steps + 1),
        )
        try:
            outcome = carry_out(story.engine, story.merchant, what, given, context)
        except (Refusal, InvalidDocument) as error:
            return attrs.evolve(then, error=error)
        return attrs.evolve(
            then,
            carried_out=outcome,
            story=attrs.evolve(
                then.story,
                merchant=outcome.merchant,
                happened=(*story.happened, *outcome.events),
                replies=(*story.replies, wire.to_dict(outcome.reply)),
            ),
        )

    def _new_request_id(self) -> str:
        """An id that the merchant has not seen, also when it came with a past of its own."""
        seen = {each.request_id for each in self.merchant.offer_sets}
        return next(name for n in count(self.steps + 1) if (name := f"r-{n}") not in seen)


@frozen(kw_only=True)
class Then:
    """
    What came of it. Each expectation gives itself back, so that several can follow one another.

    `story` goes on from here; what was refused changed nothing but the count of its steps. `error` is the
    refusal or the invalid document, None when there was none.
    """

    asked: str
    request_id: str
    story: Story
    carried_out: Outcome[Any] | None = field(default=None, repr=False)
    error: Refusal | InvalidDocument | None = None

    @property
    def merchant(self) -> Merchant:
        """The merchant to store, as it was when it was refused."""
        return self.story.merchant

    @property
    def outcome(self) -> Outcome[Any]:
        """
        The outcome.

        Raises:
            AssertionError: it was refused.
        """
        __tracebackhide__ = True
        if self.carried_out is None:
            raise AssertionError(self._told("an outcome")) from self.error
        return self.carried_out

    def events(self, *expected: str | type | Event | Mapping[str, Json]) -> Then:
        """
        Expect exactly these events, in this order: each by its name, its class, as it is, or as an object with
        `type` and some of its fields as `wire.event_to_dict` has them. With none, nothing happened.

        Raises:
            AssertionError: anything else happened.
        """
        __tracebackhide__ = True
        names = [_name(each) for each in expected]
        wanted = f"the events {', '.join(names)}" if names else "no event"
        if self.carried_out is None:
            raise AssertionError(self._told(wanted)) from self.error
        happened = self.carried_out.events
        if names != [event_type(event) for event in happened]:
            raise AssertionError(self._told(wanted))
        unlike = [
            line
            for each, event in zip(expected, happened, strict=True)
            for line in _unlike(each, event)
        ]
        if unlike:
            raise AssertionError(self._told(wanted, unlike))
        return self

    def nothing(self) -> Then:
        """
        Expect that nothing happened: it was a question, or was carried out before.

        Raises:
            AssertionError: an event happened, or it was refused.
        """
        __tracebackhide__ = True
        return self.events()

    def refused(self, code: str) -> Then:
        """
        Expect the refusal *code*, such as `offers_expired`.

        Raises:
            AssertionError: it was not refused, or with another code.
        """
        __tracebackhide__ = True
        if not isinstance(self.error, Refusal) or self.error.code != code:
            raise AssertionError(self._told(f"the refusal {code}")) from self.error
        return self

    def invalid(self, *paths: str) -> Then:
        """
        Expect an invalid document with a fault at each of *paths*, such as `$.evidence.credit_score`.

        Raises:
            AssertionError: it was carried out, refused, or invalid for other reasons.
        """
        __tracebackhide__ = True
        found = self.error.errors if isinstance(self.error, InvalidDocument) else ()
        if not found or not set(paths) <= {fault.path for fault in found}:
            at = f" with faults at {', '.join(paths)}" if paths else ""
            raise AssertionError(self._told(f"an invalid document{at}")) from self.error
        return self

    def reply(self, expected: Mapping[str, Json] | str | bytes) -> Then:
        """
        Expect a reply with these fields, as an object or as JSON text; it may have more. A list has as many
        items as the one expected. Numbers are compared exactly, so floats are not taken.

        Raises:
            AssertionError: a field differs, or it was refused.
        """
        __tracebackhide__ = True
        if self.carried_out is None:
            raise AssertionError(self._told("a reply")) from self.error
        wanted = expected if isinstance(expected, Mapping) else wire.read_json(expected)
        unlike = list(messages.differences(wanted, self.story.reply))
        if unlike:
            raise AssertionError(self._told("a reply with other fields", unlike))
        return self

    def _told(self, expected: str, unlike: list[str] | None = None) -> str:
        """What was *expected* and what happened instead, without anything personal."""
        at = wire.write_timestamp(self.story.at)
        lines = [f"when {self.asked} at {at} ({self.request_id})", f"expected {expected}"]
        if unlike:
            return "\n".join([*lines, "differs:", *(f"  {each}" for each in unlike)])
        if self.error is not None:
            return "\n".join([*lines, "happened:", *messages.told_error(self.error)])
        return "\n".join([*lines, "happened:", *messages.told_events(self.outcome.events)])


def _name(expected: str | type | Event | Mapping[str, Json]) -> str:
    """The name of the event that is expected."""
    name = expected
    if isinstance(expected, Mapping):
        name = expected.get("type", "")
    elif not isinstance(expected, str):
        kind = expected if isinstance(expected, type) else type(expected)
        name = event_type(kind) if kind in wire.EVENT_TYPES.values() else kind.__name__
    if name not in wire.EVENT_TYPES:
        raise ValueError(f"`{name}` is no event; there are {', '.join(wire.EVENT_TYPES)}")
    return str(name)


def _unlike(expected: str | type | Event | Mapping[str, Json], event: Event) -> list[str]:
    """Where *event* is not the one that was expected, with the names of its fields."""
    if isinstance(expected, str | type):
        return []
    fields = expected if isinstance(expected, Mapping) else wire.event_to_dict(expected)
    return list(messages.differences(fields, wire.event_to_dict(event), event_type(event)))
